// SPDX-License-Identifier: Apache-2.0
// step8_cxx.cc - heat in a plate on several devices, compared with the exact
// solution.  The result becomes a picture, plate.ppm, and an array file, plate.npy.
//
// usage: step8_cxx [SELECTOR [SELECTOR ...]]
#include <dpr/dpr.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <utility>
#include <vector>

namespace {

constexpr int n = 65;
constexpr double pi = 3.14159265358979324;
/* guide: slices */
const auto in = dpr::slice(1, -1), low = dpr::slice(0, -2), high = dpr::slice(2);
/* guide: end */
constexpr int steps = 400;

// The plate at time t.  Its edges are 100 degrees above, 0 below, and along both sides
// what is between.  At the start the left half of the inside is warmer, the right half
// colder; the difference vanishes exponentially.
dpr::array make_plate(double t)
{
	const dpr::array plate = dpr::zeros({ n, n }, DPR_FLOAT32);
	const auto x = dpr::linspace(0, 1, n, DPR_FLOAT32), y = expand_dims(x, -1);
	const auto c = x(in), r = y(in);
	const double size = 30 * std::exp(-5 * pi * pi * t);

	plate(0) = 100;
	plate(dpr::slice(), dpr::slice(0, n, n - 1)) = 100 * (1 - y);
	plate(in, in) = 100 * (1 - r) + size * sin(2 * pi * c) * sin(pi * r);
	return plate;
}

/* guide: heat */
// One step of heat in the plate @u.
auto heat(const dpr::array &u)
{
	return u(in, in) + 0.25 * (u(high, in) + u(low, in) + u(in, high) + u(in, low) -
				   4 * u(in, in));
}
/* guide: end */

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

/* guide: step */
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
/* guide: end */

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

// Write a picture of @plate as a file in the format PPM: red, green and blue of each
// point, from blue at 0 degrees to red at 100.  Returns whether the file was written.
bool write_picture(const dpr::array &plate, const char *name)
{
	const auto u = expand_dims(plate, -1);
	const auto place = u / 25 - dpr::array{ 3.0F, 2.0F, 1.0F };
	const auto colour = 255 * clip(1.5 - abs(place), 0, 1) + 0.5;
	const auto pixels = dpr::astype(colour, DPR_UINT8).to_vector<std::uint8_t>();
	std::ofstream file(name, std::ios::binary);

	file << "P6\n" << n << ' ' << n << "\n255\n";
	for (const std::uint8_t byte : pixels)
		file.put(static_cast<char>(byte));
	file.close();
	return !file.fail();
}

// Print each fourth row of @plate, with a letter for each second point.
void show(const dpr::array &plate)
{
	const auto points = plate(dpr::slice(0, n, 4), dpr::slice(0, n, 2));
	const std::vector<float> degrees = points.to_vector<float>();
	const auto columns = static_cast<std::size_t>(points.shape()[1]);

	for (std::size_t i = 0; i < degrees.size(); i++) {
		std::putchar(".,:;+*xX#%@"[static_cast<int>(degrees[i] / 10 + 0.0625F)]);
		if (i % columns == columns - 1)
			std::putchar('\n');
	}
}

// The plate after all steps on @devices, and its largest error.
std::pair<dpr::array, double> run(const std::vector<dpr::device> &devices)
{
	const double end = steps * 0.25 / ((n - 1) * (n - 1));
	const dpr::array plate = run_on(devices, make_plate(0));

	return { plate, max(abs(plate - make_plate(end))).item() };
}

// Compute, write both files, and return whether all is well.
bool run_and_write(const std::vector<dpr::device> &devices)
{
	const auto [plate, error] = run(devices);

	dpr::npy_save(plate, "plate.npy");
	if (!write_picture(plate, "plate.ppm")) {
		std::perror("plate.ppm");
		return false;
	}
	show(plate);
	std::printf("the largest error is %.3f degrees\n", error);
	return error < 0.01;
}

} // namespace

int main(int argc, char **argv)
try {
	const bool good = run_and_write(select_devices(argc, argv));

	dpr::finalize();
	return good ? 0 : 1;
} catch (const dpr::error &e) {
	std::fprintf(stderr, "step8_cxx: %s\n", e.what());
	return 1;
}
