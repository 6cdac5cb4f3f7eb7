// SPDX-License-Identifier: Apache-2.0

// step1_cxx.cc - temperatures along the edge of a plate, and their sum, in C++.
#include <dpr/dpr.hpp>

#include <iostream>

int main()
try {
	const auto edge = dpr::linspace(100, 0, 65, DPR_FLOAT32);

	std::cout << sum(edge) << '\n';
} catch (const dpr::error &e) {
	std::cerr << "step1_cxx: " << e.what() << '\n';
	return 1;
}
