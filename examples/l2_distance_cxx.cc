// SPDX-License-Identifier: Apache-2.0
// l2_distance_cxx.cc - distances of points from one, by a function of the program, in C++.
#include <dpr/dpr.hpp>

#include <iostream>

// The function takes arrays and expressions, and computes nothing itself.
template <class A, class B> auto l2(const A &a, const B &b)
{
	const auto d = a - b;

	return sqrt(sum(d * d, -1));
}

int main()
try {
	const auto p = dpr::ones({ 4, 3 }, DPR_FLOAT32);
	const auto q = dpr::arange(0, 3, 1, DPR_FLOAT32);
	const auto distance = l2(p * 2, q);

	std::cout << distance << '\n' << distance.text() << '\n' << distance.explain();
	dpr::define("l2(a, b) = sqrt(sum((a - b)**2, axis=-1))");
	std::cout << dpr::evaluate("l2(p*2, q)", "p", p, "q", q) << '\n';
} catch (const dpr::error &e) {
	std::cerr << "l2_distance_cxx: " << e.what() << '\n';
	return 1;
}
