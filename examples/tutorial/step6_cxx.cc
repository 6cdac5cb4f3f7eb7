// SPDX-License-Identifier: Apache-2.0
// step6_cxx.cc - the steps of heat on a device of the user's choice: the plate is
// made on the default device, goes to the chosen one, and comes back.
//
// usage: step6_cxx [SELECTOR]
#include <dpr/dpr.hpp>

#include <cstdio>
#include <utility>

namespace {

constexpr int n = 65;
constexpr double pi = 3.14159265358979324;
const auto in = dpr::slice(1, -1), low = dpr::slice(0, -2), high = dpr::slice(2);
constexpr int steps = 400;

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

// Compute all steps, and how many nanoseconds they took on the device.
std::uint64_t run_steps(dpr::array &u, dpr::array &next)
{
	dpr::event first;

	for (int i = 0; i < steps; i++) {
		next(in, in) = heat(u);
		std::swap(u, next);
		if (i == 0)
			first = u.event();
	}
	return u.event().device_times().ended - first.device_times().started;
}

void run(const char *selector)
{
	const auto device = dpr::device::select(selector);
	const dpr::queue queue(device, DPR_QUEUE_PROFILING);
	const dpr::array start = make_plate();
	// On one device no element moves, so the first grid is a copy of its own.
	dpr::array u = dpr::copy(start.to_queue(queue)), next = dpr::copy(u);
	const std::uint64_t nanoseconds = run_steps(u, next);

	show("after", u);
	std::printf("%d steps took %ld us on %s\n", steps,
		    static_cast<long>(nanoseconds / 1000), device.selector());
	const dpr::array back = u.to_device(start.device());
	std::printf("the largest change is %.1f degrees\n", max(abs(back - start)).item());
}

} // namespace

int main(int argc, char **argv)
try {
	run(argc < 2 ? nullptr : argv[1]);
	dpr::finalize();
} catch (const dpr::error &e) {
	std::fprintf(stderr, "step6_cxx: %s\n", e.what());
	return 1;
}
