// SPDX-License-Identifier: Apache-2.0

// operators.cc - expressions by operators of C++, and as text.
#include <dpr/dpr.hpp>

#include <iostream>

int main()
try {
	const dpr::array x = dpr::linspace(0, 4, 5, DPR_FLOAT32);

	/* guide: operators */
	const auto d = x - mean(x); // nothing is computed yet
	const dpr::array z = d / sqrt(mean(d * d)); // one expression

	std::cout << z * z << '\n'; // computed when printed
	/* guide: end */

	/* guide: views */
	dpr::array smooth = dpr::copy(x * x);
	const dpr::array u = x * x;

	smooth(dpr::slice(1, -1)) = (u(dpr::slice(0, -2)) + u(dpr::slice(2))) / 2;
	std::cout << smooth << '\n';
	/* guide: end */

	/* guide: text */
	const dpr::expression line("a*x + b");

	std::cout << line("x", x, "a", 2, "b", 1) << '\n';
	/* guide: end */
} catch (const dpr::error &e) {
	std::cerr << "operators: " << e.what() << '\n';
	return 1;
}
