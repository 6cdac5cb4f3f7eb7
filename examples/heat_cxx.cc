// SPDX-License-Identifier: Apache-2.0
// heat_cxx.cc - heat spreads in a plate, with fixed edges: a step is one kernel, which
// reads a grid by five views and writes the inside of another one.
#include <dpr/dpr.hpp>

#include <cmath>
#include <iostream>
#include <utility>

int main()
try {
	constexpr int n = 66, steps = 400;
	const auto in = dpr::slice(1, -1), before = dpr::slice(0, -2), after = dpr::slice(2);
	dpr::array u = dpr::zeros({ n, n }, DPR_FLOAT32), next;

	u(0) = 100;
	next = dpr::copy(u);
	for (int i = 0; i < steps; i++) {
		next(in, in) = u(in, in) +
			       0.25 * (u(after, in) + u(before, in) + u(in, after) +
				       u(in, before) - 4 * u(in, in));
		std::swap(u, next);
	}
	std::cout << u(dpr::slice(0, n, 8), dpr::slice(0, n / 2 + 1, n / 4)) << '\n';

	// It is the same on both sides of the middle, but for rounding.
	const double left = u(8, 10).item(), right = u(8, n - 11).item();
	return std::abs(left - right) > 0.001 || !(u(8, n / 2).item() > 20);
} catch (const dpr::error &e) {
	std::cerr << "heat_cxx: " << e.what() << '\n';
	return 1;
}
