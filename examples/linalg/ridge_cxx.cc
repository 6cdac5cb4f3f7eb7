// SPDX-License-Identifier: Apache-2.0
// ridge_cxx.cc - ridge regression: the weights of four features that explain y
// best, where large weights cost a penalty.  Three penalties are tried at once, as
// a batch of matrices.  A LAPACK is needed.
#include <dpr/dpr.hpp>

#include <cmath>
#include <cstdio>
#include <iostream>

namespace {

constexpr std::int64_t rows = 400, features = 4, tries = 3;
const float truth[features] = { 3, -2, 1, 0.5F };
const std::vector<float> penalties = { 0.1F, 30, 300 };

dpr::array make_features()
{
	std::vector<float> x;

	for (int i = 0; i < rows; i++)
		for (int k = 0; k < features; k++)
			x.push_back(static_cast<float>(i * (29 + 12 * k) % 97 - 48) / 48);
	return dpr::array(x, { rows, features });
}

// What the features do not explain.
dpr::array make_noise()
{
	std::vector<float> noise;

	for (int i = 0; i < rows; i++)
		noise.push_back(static_cast<float>(i * 53 % 107 - 53) / 100);
	return dpr::array(noise, { rows, 1 });
}

} // namespace

int main()
try {
	const dpr::array x = make_features(), xt = matrix_transpose(x);
	const dpr::array y = matmul(x, dpr::array(truth, { features, 1 })) + make_noise();
	const dpr::array penalty = dpr::array(penalties, { tries, 1, 1 });
	const dpr::array one = dpr::eye(features, features, DPR_FLOAT32);
	// The weights w solve (x^T x + penalty I) w = x^T y.  The matrix is positive
	// definite, so it has a factor of Cholesky.
	const dpr::array l = cholesky(matmul(xt, x) + penalty * one);
	const dpr::array half = solve_triangular(l, matmul(xt, y));
	const dpr::array w = solve_triangular(matrix_transpose(l), half, true);
	bool good = true;

	for (int i = 0; i < tries; i++) {
		std::printf("penalty %5.1f:", penalty[i].item());
		for (int k = 0; k < features; k++)
			std::printf(" %5.2f", w[i][k].item());
		std::printf("\n");
	}
	// The least penalty finds the weights, the others make them smaller.
	for (int k = 0; k < features; k++)
		good = good && std::fabs(w[0][k].item() - truth[k]) < 0.1;
	return !(good && w[0][0].item() > w[1][0].item() && w[1][0].item() > w[2][0].item());
} catch (const dpr::error &e) {
	std::cerr << "ridge_cxx: " << e.what() << '\n';
	// Without a LAPACK there are no factors.
	return e.status() == DPR_ERROR_UNSUPPORTED ? 77 : 1;
}
