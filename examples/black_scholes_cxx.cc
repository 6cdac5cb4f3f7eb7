// SPDX-License-Identifier: Apache-2.0
// black_scholes_cxx.cc - prices of call options, in C++.
#include <dpr/dpr.hpp>

#include <cmath>
#include <iostream>

namespace {

template <class X> auto cdf(const X &x)
{
	return erfc(-x / std::sqrt(2)) / 2;
}

} // namespace

int main()
try {
	const double k = 100, t = 1, r = 0.05, v = 0.2;
	const auto s = dpr::linspace(80, 120, 9, DPR_FLOAT32);
	const auto d = (log(s / k) + (r + v * v / 2) * t) / (v * std::sqrt(t));
	const auto prices = s * cdf(d) - k * std::exp(-r * t) * cdf(d - v * std::sqrt(t));

	std::cout << prices << '\n' << prices.explain();
} catch (const dpr::error &e) {
	std::cerr << "black_scholes_cxx: " << e.what() << '\n';
	return 1;
}
