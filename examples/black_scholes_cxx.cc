// SPDX-License-Identifier: Apache-2.0
// black_scholes_cxx.cc - prices of call options, in C++; tail() is 26.2.17 of Abramowitz and
// Stegun.
#include <dpr/dpr.hpp>

#include <cmath>
#include <iostream>

namespace {

template <class X, class T> auto tail(const X &x, const T &t)
{
	const double scale = 1 / std::sqrt(2 * 3.14159265358979323846);

	return exp(-x * x / 2) * scale * t *
	       (0.31938153 +
		t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
}

template <class X> auto cdf(const X &x)
{
	return 0.5 + sign(x) * (0.5 - tail(abs(x), 1 / (1 + 0.2316419 * abs(x))));
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
