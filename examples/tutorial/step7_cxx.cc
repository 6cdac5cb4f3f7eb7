// SPDX-License-Identifier: Apache-2.0
// step7_cxx.cc - the plate in strips of rows, each on a device of its own.  After
// each step, neighbours exchange the rows at their border.
//
// usage: step7_cxx [SELECTOR [SELECTOR ...]]
#include <dpr/dpr.hpp>

#include <cstdio>
#include <utility>
#include <vector>

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

// A strip of rows of the plate, as two grids which take turns.  Its first and its
// last row are copies of rows of its neighbours, or edges of the plate.
struct strip {
	dpr::array u, next;
};

// The first row that strip @i of @count computes.
std::int64_t first_row(std::size_t i, std::size_t count)
{
	return 1 + static_cast<std::int64_t>(i * (n - 2) / count);
}

// Compute one step of all strips, then exchange the rows at their borders.
void step(std::vector<strip> &strips)
{
	for (const strip &s : strips)
		s.next(in, in) = heat(s.u);
	for (std::size_t i = 1; i < strips.size(); i++) {
		const dpr::array &upper = strips[i - 1].next, &lower = strips[i].next;

		upper[-2].copy_to(lower[0]);
		lower[1].copy_to(upper[-1]);
	}
	for (strip &s : strips)
		std::swap(s.u, s.next);
}

// The plate after all steps from @start on @devices.
dpr::array run_on(const std::vector<dpr::device> &devices, const dpr::array &start)
{
	const std::size_t count = devices.size();
	const dpr::array plate = dpr::copy(start);
	std::vector<strip> strips;

	for (std::size_t i = 0; i < count; i++) {
		const auto rows =
			start(dpr::slice(first_row(i, count) - 1, first_row(i + 1, count) + 1));
		const dpr::queue queue(devices[i], DPR_QUEUE_IN_ORDER);
		const dpr::array u = dpr::copy(rows.to_queue(queue));

		strips.push_back({ u, dpr::copy(u) });
	}
	for (int i = 0; i < steps; i++)
		step(strips);
	for (std::size_t i = 0; i < count; i++)
		strips[i].u(in, in).copy_to(
			plate(dpr::slice(first_row(i, count), first_row(i + 1, count)), in));
	return plate;
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

// The devices that the arguments name; without any, the default device twice.
std::vector<dpr::device> select_devices(int argc, char **argv)
{
	std::vector<dpr::device> devices;

	for (int i = 1; i < argc; i++)
		devices.push_back(dpr::device::select(argv[i]));
	if (argc < 2)
		devices.assign(2, dpr::device::select());
	for (std::size_t i = 0; i < devices.size(); i++)
		std::printf("strip %d is on %s\n", static_cast<int>(i), devices[i].selector());
	return devices;
}

// The largest difference between the plate on @devices and on the first of them.
double run(const std::vector<dpr::device> &devices)
{
	const dpr::array start = make_plate();
	const dpr::array alone = run_on({ devices[0] }, start), plate = run_on(devices, start);

	show("after", plate);
	return max(abs(plate - alone)).item();
}

} // namespace

int main(int argc, char **argv)
try {
	const double difference = run(select_devices(argc, argv));

	dpr::finalize();
	std::printf("the largest difference from one device is %.3f\n", difference);
	return !(difference < 0.001);
} catch (const dpr::error &e) {
	std::fprintf(stderr, "step7_cxx: %s\n", e.what());
	return 1;
}
