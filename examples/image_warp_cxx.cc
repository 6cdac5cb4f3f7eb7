// SPDX-License-Identifier: Apache-2.0
// image_warp_cxx.cc - turns an image about its middle.  A pixel of the result
// comes from a place between four pixels of the image: it is their mean, and
// the nearest counts most.  Arrays of indices read them.
//
// usage: image_warp_cxx [DEGREES]
#include <dpr/dpr.hpp>

#include <cmath>
#include <cstdlib>
#include <iostream>

namespace {

constexpr int side = 24;

// The image turned by @degrees against the clock.
dpr::array turn(const dpr::array &image, double degrees)
{
	const double angle = degrees * 3.14159265358979324 / 180;
	const double c = degrees == 90 ? 0 : std::cos(angle), s = std::sin(angle);
	const double middle = (side - 1) / 2.0;
	const dpr::array u = dpr::astype<float>(dpr::index(0, image)) - middle;
	const dpr::array v = dpr::astype<float>(dpr::index(1, image)) - middle;
	// (r, q): the place from which the pixel at row i and column j comes.
	const dpr::array r = middle + c * u + s * v, q = middle + c * v - s * u;
	const dpr::array i = dpr::astype<int>(floor(r)), j = dpr::astype<int>(floor(q));
	const dpr::array a = r - floor(r), b = q - floor(q);
	// An index beyond the image counts from its other side.
	const auto pixel = [&](const dpr::array &row, const dpr::array &column) {
		return dpr::index_arrays(image, { row, column }, DPR_BOUNDS_WRAP);
	};
	const dpr::array top = (1 - b) * pixel(i, j) + b * pixel(i, j + 1);
	const dpr::array low = (1 - b) * pixel(i + 1, j) + b * pixel(i + 1, j + 1);
	// Such pixels are 0.
	const dpr::array inside = maximum(abs(r - middle), abs(q - middle)) <= middle;

	return where(inside, (1 - a) * top + a * low, 0.0f);
}

// A frame, open at the right, and a bar.
dpr::array draw()
{
	std::vector<float> pixels;

	for (int i = 0; i < side; i++)
		for (int j = 0; j < side; j++)
			pixels.push_back(i >= 4 && i < 20 && j >= 6 && j < 18 &&
					 (j < 9 || i < 7 || (i >= 11 && i < 14 && j < 15)));
	return dpr::array(pixels, { side, side });
}

// Print each pixel as a character, darker for larger numbers.
void show(const dpr::array &image)
{
	const std::vector<float> pixels = image.to_vector<float>();

	for (int i = 0; i < side; i++) {
		for (int j = 0; j < side; j++)
			std::cout << " .:*#"[static_cast<int>(pixels[i * side + j] * 4)];
		std::cout << '\n';
	}
}

} // namespace

int main(int argc, char **argv)
try {
	const dpr::array image = draw();

	show(turn(image, argc < 2 ? 30 : std::strtod(argv[1], nullptr)));
	// A quarter of a turn moves pixels, as rot90() does.
	return !all(turn(image, 90) == dpr::rot90(image)).item();
} catch (const dpr::error &e) {
	std::cerr << "image_warp_cxx: " << e.what() << '\n';
	return 1;
}
