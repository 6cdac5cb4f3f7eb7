// SPDX-License-Identifier: Apache-2.0
// pca_cxx.cc - principal components: the directions in which points spread most.
// The points have five coordinates, but lie near a plane, so that two components
// tell nearly all.  A LAPACK is needed.
#include <dpr/dpr.hpp>

#include <cstdio>
#include <iostream>

namespace {

constexpr std::int64_t count = 500, axes = 5, kept = 2;

// The plane.
const float plane[kept][axes] = { { 4, 2, 2, 1, 0 }, { -1, 2, 0, 1, 2 } };

dpr::array make_points()
{
	std::vector<float> points;

	for (int i = 0; i < count; i++)
		for (int k = 0; k < axes; k++)
			points.push_back(static_cast<float>(i * 37 % 101 - 50) / 50 * plane[0][k] +
					 static_cast<float>(i * 59 % 103 - 51) / 51 * plane[1][k] +
					 static_cast<float>(i * (k + 3) % 11) / 100 +
					 static_cast<float>(k));
	return dpr::array(points, { count, axes });
}

} // namespace

int main()
try {
	const dpr::array points = make_points();
	const dpr::array centred = points - mean(points, 0);
	const auto [u, s, vh] = dpr::svd(centred, false);
	// The components are the rows of vh.  Their signs are free: here the sum of a
	// component is positive.
	const dpr::array all = vh * sign(sum(vh, dpr::axes_kept(1)));
	const dpr::array share = s * s / sum(s * s);
	const dpr::array v = all(dpr::slice(0, kept));
	// What two components leave out of the largest coordinate.
	const dpr::array flat = matmul(matmul(centred, matrix_transpose(v)), v);
	const double left = max(abs(centred - flat)).item();

	for (int i = 0; i < kept; i++) {
		std::printf("%4.1f %% in", 100 * share[i].item());
		for (int k = 0; k < axes; k++)
			std::printf(" %5.2f", v[i][k].item());
		std::printf("\n");
	}
	std::printf("left out: %.2f\n", left);
	return !(share[0].item() + share[1].item() > 0.99 && left < 0.1);
} catch (const dpr::error &e) {
	std::cerr << "pca_cxx: " << e.what() << '\n';
	// Without a LAPACK there are no singular values.
	return e.status() == DPR_ERROR_UNSUPPORTED ? 77 : 1;
}
