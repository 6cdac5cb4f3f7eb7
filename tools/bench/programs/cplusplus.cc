// SPDX-License-Identifier: Apache-2.0
// cplusplus.cc - what dpr.hpp costs beside the C calls that it makes, in turns: small float32
// arrays, so that the calls themselves are the time.
//
// usage: cplusplus [SELECTOR [ELEMENTS [ROUNDS]]]
//
// Prints for each row the medians of C and of C++ in ns per call, and C divided by C++: 1 is no
// cost, less is the cost of C++.  By default: host, 64 elements and 101 rounds.  It is built by
// "make tools/bench/programs/cplusplus", because it needs a C++ compiler.  It is no row of "dpr
// bench": then the installed tool would need the C++ library of one compiler to start.
#include <dpr/dpr.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tools/shared/seconds.h"

namespace {

constexpr int calls = 200;

struct row {
	const char *name;
	void (*c)(const dpr::array &x, const dpr::array &y);
	void (*cxx)(const dpr::array &x, const dpr::array &y);
};

dpr_expression *read_length()
{
	static const dpr::expression e("sqrt(x*x + y*y)");

	return e.get();
}

// The result of @e with these names, which the caller releases.
dpr_array *apply(const dpr::expression &e, std::initializer_list<dpr_binding> names)
{
	dpr_array *z;

	dpr::check(dpr_expression_apply(e.get(), names.begin(), names.size(), nullptr, &z, 1));
	return z;
}

// A chain of three expressions, with arrays in between.
void chain_in_c(const dpr::array &x, const dpr::array &y)
{
	static const dpr::expression first("x*k + y"), second("sqrt(z) - x"), third("sum(w*w)");
	dpr_array *z = apply(first, { { "x", DPR_OPERAND(x.get()) },
				      { "k", DPR_OPERAND(2) },
				      { "y", DPR_OPERAND(y.get()) } });
	dpr_array *w = apply(second, { { "z", DPR_OPERAND(z) }, { "x", DPR_OPERAND(x.get()) } });
	dpr_array *total = apply(third, { { "w", DPR_OPERAND(w) } });

	dpr_array_release(total);
	dpr_array_release(w);
	dpr_array_release(z);
}

void chain_in_cxx(const dpr::array &x, const dpr::array &y)
{
	const dpr::array z = x * 2 + y;
	const dpr::array w = sqrt(z) - x;
	const dpr::array total = sum(w * w);
}

const row rows[] = {
	{ "x + y",
	  [](const dpr::array &x, const dpr::array &y) {
		  dpr_array *z;

		  dpr::check(dpr_add(x.get(), y.get(), &z));
		  dpr_array_release(z);
	  },
	  [](const dpr::array &x, const dpr::array &y) { dpr::array z = x + y; } },
	{ "x += y",
	  [](const dpr::array &x, const dpr::array &y) {
		  dpr::check(dpr_add_into(x.get(), y.get(), x.get()));
	  },
	  [](const dpr::array &x, const dpr::array &y) {
		  dpr::array same = x;

		  same += y;
	  } },
	{ "sqrt(x*x + y*y)",
	  [](const dpr::array &x, const dpr::array &y) {
		  const dpr_binding names[] = { { "x", DPR_OPERAND(x.get()) },
						{ "y", DPR_OPERAND(y.get()) } };
		  dpr_array *z;

		  dpr::check(dpr_expression_apply(read_length(), names, 2, nullptr, &z, 1));
		  dpr_array_release(z);
	  },
	  [](const dpr::array &x, const dpr::array &y) { dpr::array z = sqrt(x * x + y * y); } },
	{ "three in a chain", chain_in_c, chain_in_cxx },
	{ "x[1:-1]",
	  [](const dpr::array &x, const dpr::array &) {
		  dpr_array *view;

		  dpr::check(dpr_array_view(x.get(), &view, DPR_SLICE(1, -1, 1)));
		  dpr_array_release(view);
	  },
	  [](const dpr::array &x, const dpr::array &) { dpr::array view = x(dpr::slice(1, -1)); } },
	{ "copy a handle",
	  [](const dpr::array &x, const dpr::array &) {
		  dpr_array_release(dpr_array_retain(x.get()));
	  },
	  [](const dpr::array &x, const dpr::array &) { dpr::array same = x; } },
};

// The ns of a call in one round.
double time_of(void (*call)(const dpr::array &, const dpr::array &), const dpr::array &x,
	       const dpr::array &y)
{
	const double start = seconds_now();

	for (int i = 0; i < calls; i++)
		call(x, y);
	const double ns = (seconds_now() - start) * 1e9 / calls;

	x.queue().wait();
	return ns;
}

double median(std::vector<double> &times)
{
	std::sort(times.begin(), times.end());
	return times[times.size() / 2];
}

} // namespace

int main(int argc, char **argv)
try {
	const auto queue = dpr::queue::canonical(argc > 1 ? argv[1] : "host");
	const int n = argc > 2 ? std::atoi(argv[2]) : 64;
	const int rounds = argc > 3 ? std::atoi(argv[3]) : 101;

	if (n < 3 || rounds < 1) {
		std::fprintf(stderr, "usage: cplusplus [SELECTOR [ELEMENTS [ROUNDS]]]\n");
		return 2;
	}
	const auto x = dpr::zeros({ n }, DPR_FLOAT32, queue);
	const auto y = dpr::zeros({ n }, DPR_FLOAT32, queue);

	std::printf("%-18s %10s %10s %8s\n", "row", "C, ns", "C++, ns", "C / C++");
	for (const row &r : rows) {
		std::vector<double> c, cxx;

		// The first round of each is not counted.
		for (int i = 0; i <= rounds; i++) {
			c.push_back(time_of(r.c, x, y));
			cxx.push_back(time_of(r.cxx, x, y));
		}
		c.erase(c.begin());
		cxx.erase(cxx.begin());
		const double one = median(c), other = median(cxx);

		std::printf("%-18s %10.1f %10.1f %8.2f\n", r.name, one, other, one / other);
	}
	return 0;
} catch (const dpr::error &e) {
	std::fprintf(stderr, "cplusplus: %s\n", e.what());
	return 1;
}
