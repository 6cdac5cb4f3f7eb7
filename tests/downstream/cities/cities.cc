// SPDX-License-Identifier: Apache-2.0
// cities.cc - the nearest other city of each city of a list: all distances on the
// sphere are one expression.  The standard input has a city a line: the name, and
// its latitude and longitude in degrees.
#include <dpr/dpr.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <iostream>
#include <limits>
#include <numbers>
#include <ranges>
#include <string>
#include <vector>

namespace {

struct city {
	std::string name;
	double latitude, longitude;
};

std::vector<city> read(std::istream &from)
{
	std::vector<city> cities;

	for (city c; from >> c.name >> c.latitude >> c.longitude;)
		cities.push_back(c);
	return cities;
}

// An array of a number of each city, in radians.
template <std::invocable<const city &> F>
dpr::array column(const std::vector<city> &cities, F number)
{
	std::vector<float> values;

	for (const double degrees : cities | std::views::transform(number))
		values.push_back(static_cast<float>(degrees * std::numbers::pi / 180));
	return dpr::array(values, { static_cast<std::int64_t>(values.size()) });
}

// Kilometres between all pairs; a city has no distance from itself.
dpr::array distances(const dpr::array &latitude, const dpr::array &longitude)
{
	const auto all = dpr::slice();
	const auto n = latitude.shape()[0];
	const dpr::array a = latitude(all, dpr::new_axis), b = latitude;
	const auto u = sin((a - b) / 2);
	const auto v = sin((longitude(all, dpr::new_axis) - longitude) / 2);
	const auto h = u * u + cos(a) * cos(b) * v * v;
	dpr::array d = 2 * 6371 * asin(sqrt(h));

	return d + dpr::eye(n, n, DPR_FLOAT32) * 1e6;
}

} // namespace

int main()
try {
	const auto cities = read(std::cin);

	if (cities.size() < 2) {
		std::cerr << "cities: fewer than two lines\n";
		return 2;
	}
	const auto d = distances(column(cities, &city::latitude),
				 column(cities, &city::longitude));
	const auto nearest = argmin(d, 1).to_vector<std::int64_t>();
	const auto apart = min(d, 1).to_vector<float>();

	for (std::size_t i = 0; i < cities.size(); i++)
		std::cout << cities[i].name << ": "
			  << cities[static_cast<std::size_t>(nearest[i])].name << ", "
			  << std::lround(apart[i] / 10) * 10 << " km\n";
} catch (const dpr::error &e) {
	std::cerr << "cities: " << e.what() << '\n';
	return 1;
}
