// SPDX-License-Identifier: Apache-2.0
// hello_cxx.cc - an array expression on the default device, in C++.
#include <dpr/dpr.hpp>

#include <iostream>

int main()
try {
	const auto x = dpr::linspace(0, 1, 1000000, DPR_FLOAT32);

	// Nothing is computed before the sum is printed: x * 4 takes no memory.
	std::cout << sum(x * 4) << '\n';
} catch (const dpr::error &e) {
	std::cerr << "hello_cxx: " << e.what() << '\n';
	return 1;
}
