// SPDX-License-Identifier: Apache-2.0
// step3_cxx.cc - a plate as a grid of temperatures, in C++: a view that is assigned
// to writes its elements.
#include <dpr/dpr.hpp>

#include <cstdio>

namespace {

constexpr int n = 65;
constexpr double pi = 3.14159265358979324;
const auto in = dpr::slice(1, -1);

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

// Print each eighth point of each eighth row.
void show(const dpr::array &plate)
{
	const auto some = dpr::slice(0, n, 8);
	dpr_print_options options = {};

	options.struct_size = sizeof(options);
	options.precision = 1;
	std::printf("%s\n", plate(some, some).to_string(&options).c_str());
}

} // namespace

int main()
try {
	show(make_plate());
	dpr::finalize();
} catch (const dpr::error &e) {
	std::fprintf(stderr, "step3_cxx: %s\n", e.what());
	return 1;
}
