/* SPDX-License-Identifier: Apache-2.0 */
/* first_cxx.cc - the area below a curve, on the default device. */
#include <dpr/dpr.hpp>
#include <iomanip>
#include <iostream>

int main()
try {
	const auto x = dpr::linspace(0, 1, 1000001, DPR_FLOAT32);
	const double height = mean(sqrt(1 - x * x)).item();

	std::cout << "pi is about " << std::setprecision(5) << 4 * height << '\n';
} catch (const dpr::error &e) {
	std::cerr << "first: " << e.what() << '\n';
	return 1;
}
