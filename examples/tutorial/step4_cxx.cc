// SPDX-License-Identifier: Apache-2.0
// step4_cxx.cc - one step of heat in the plate of step3_cxx.cc: an expression of
// operators reads one grid by five views, and is assigned to the inside of another.
#include <dpr/dpr.hpp>

#include <cstdio>

namespace {

constexpr int n = 65;
constexpr double pi = 3.14159265358979324;
const auto in = dpr::slice(1, -1), low = dpr::slice(0, -2), high = dpr::slice(2);

// The plate at the start: its edges are 100 degrees above, 0 below, and along both
// sides what is between; the left half of the inside is warmer, the right half colder.
dpr::array make_plate()
{
	const dpr::array plate = dpr::zeros({ n, n }, DPR_FLOAT32);
	const auto x = dpr::linspace(0, 1, n, DPR_FLOAT32), y = expand_dims(x, -1);
	const auto c = x(in), r = y(in);

	plate(0) = 100;
	plate(dpr::slice(), dpr::slice(0, n, n - 1)) = 100 * (1 - y);
	plate(in, in) = 100 * (1 - r) + 30 * sin(2 * pi * c) * sin(pi * r);
	return plate;
}

// One step of heat in the plate @u.
auto heat(const dpr::array &u)
{
	return u(in, in) + 0.25 * (u(high, in) + u(low, in) + u(in, high) + u(in, low) -
				   4 * u(in, in));
}

// Print each eighth point of the middle row.
void show(const char *when, const dpr::array &plate)
{
	dpr_print_options options = {};

	options.struct_size = sizeof(options);
	options.precision = 2;
	std::printf("%s: %s\n", when,
		    plate(n / 2, dpr::slice(0, n, 8)).to_string(&options).c_str());
}

void run()
{
	const dpr::array u = make_plate(), next = dpr::copy(u);

	show("before", u);
	next(in, in) = heat(u);
	show("after", next);
}

} // namespace

int main()
try {
	run();
	dpr::finalize();
} catch (const dpr::error &e) {
	std::fprintf(stderr, "step4_cxx: %s\n", e.what());
	return 1;
}
