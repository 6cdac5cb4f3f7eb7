// SPDX-License-Identifier: Apache-2.0
// mandelbrot_cxx.cc - the Mandelbrot set: one kernel with two results, many times, in C++.
#include <dpr/dpr.hpp>

#include <iostream>
#include <tuple>

int main()
try {
	using complex = std::complex<float>;
	const std::complex<double> i(0, 1);
	dpr::array n = dpr::zeros({ 25, 64 }, DPR_INT32);
	const dpr::array c = dpr::astype<complex>(dpr::index(1, n) / 21 - 2.2 +
						  i * (dpr::index(0, n) / 10 - 1.2));
	dpr::array z = dpr::zeros_like(c);

	for (int turn = 0; turn < 50; turn++)
		std::tie(z, n) = dpr::evaluate(z * z + c, n + (abs(z) < 2));
	const auto turns = n.to_vector<int>();

	for (std::size_t k = 0; k < turns.size(); k++)
		std::cout << " .:-=+*%#@"[turns[k] / 6] << (k % 64 == 63 ? "\n" : "");
	// The middle of the lowest row is outside of the set, that of the picture inside.
	return turns[32] > 10 || turns[12 * 64 + 32] != 50;
} catch (const dpr::error &e) {
	std::cerr << "mandelbrot_cxx: " << e.what() << '\n';
	return 1;
}
