// SPDX-License-Identifier: Apache-2.0
// port_covariance_cxx.cc - the covariance of columns, and a function of each element, in C++.
#include <dpr/dpr.hpp>

#include <iostream>

int main()
try {
	const dpr::array x{ { 1.F, 2.F }, { 2.F, 1.F }, { 3.F, 5.F }, { 4.F, 3.F }, { 5.F, 4.F } };
	const auto n = x.shape()[0];
	const dpr::array centred = x - mean(x, 0);
	const dpr::array cov = matmul(matrix_transpose(centred), centred) / (n - 1);

	// Operators make an expression.  This line is one kernel.
	const dpr::array small = maximum(centred - 1, 0) + minimum(centred + 1, 0);

	std::cout << cov << '\n' << small << '\n';
	return 0;
} catch (const dpr::error &e) {
	std::cerr << "port_covariance_cxx: " << e.what() << '\n';
	return 1;
}
