// SPDX-License-Identifier: Apache-2.0
// step2_cxx.cc - errors and release in C++: an error is an exception, and a handle
// releases its object.
//
// usage: step2_cxx [POINTS]
#include <dpr/dpr.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

// The mean temperature at @points of an edge, which goes from 100 to 0.
double edge_mean(std::int64_t points)
{
	return mean(dpr::linspace(100, 0, points, DPR_FLOAT32)).item();
}

} // namespace

int main(int argc, char **argv)
try {
	const std::int64_t points = argc < 2 ? 65 : std::strtoll(argv[1], nullptr, 10);
	const double mean = edge_mean(points);

	dpr::finalize();
	std::printf("%d points, %.1f degrees on average\n", static_cast<int>(points), mean);
} catch (const dpr::error &e) {
	std::fprintf(stderr, "step2_cxx: %s\n", e.what());
	return 1;
}
