// SPDX-License-Identifier: Apache-2.0
// kmeans_cxx.cc - k-means: the middles of three clusters among the points of a
// .npz file, with an array "points" of shape (n, 2).  Without the name of a
// file, the program writes one with points of its own.
#include <dpr/dpr.hpp>

#include <cmath>
#include <cstdio>
#include <iostream>

namespace {

constexpr std::int64_t clusters = 3;
const float middles[clusters][2] = { { 0, 0 }, { 10, 0 }, { 5, 8 } };

// Points around the middles.
dpr::array sample()
{
	std::vector<float> points;

	for (int i = 0; i < 3000; i++)
		for (int k = 0; k < 2; k++)
			points.push_back(middles[i % clusters][k] - 1 +
					 static_cast<float>(i * (7 + 4 * k) % 101) / 50);
	return dpr::array(points, { 3000, 2 });
}

// The centres of the clusters in the file.
dpr::array find(const dpr::file &from)
{
	const auto all = dpr::slice();
	const dpr::array points = dpr::npz_load(from, "points");
	const dpr::array p = points(all, dpr::new_axis);
	dpr::array centres = points(dpr::slice(0, clusters));

	for (int i = 0; i < 50; i++) {
		const auto apart = p - centres;
		const dpr::array d = sum(apart * apart, 2);
		// Each point has weight 1 for its nearest centre.
		const dpr::array near = dpr::astype<float>(d == min(d, dpr::axes_kept(1)));
		const dpr::array weight = near(all, all, dpr::new_axis);
		const dpr::array next = sum(weight * p, 0) / sum(weight, 0);
		const double moved = max(abs(next - centres)).item();

		centres = next;
		if (moved < 1e-5)
			break;
	}
	return centres;
}

} // namespace

int main(int argc, char **argv)
try {
	if (argc > 1) {
		std::cout << find(argv[1]) << '\n';
		return 0;
	}
	const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::tmpfile(), std::fclose);

	dpr::npz_save({ { "points", sample() } }, file.get(), DPR_NPZ_DEFLATED);
	const dpr::array found = find(file.get());
	const dpr::array wanted(&middles[0][0], { clusters, 2 });

	std::cout << found << '\n';
	return !(max(abs(found - wanted)).item() < 0.05);
} catch (const dpr::error &e) {
	std::cerr << "kmeans_cxx: " << e.what() << '\n';
	// A build without zlib has no .npz files.
	return e.status() == DPR_ERROR_UNSUPPORTED ? 77 : 1;
}
