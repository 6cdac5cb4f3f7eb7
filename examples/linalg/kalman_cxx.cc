// SPDX-License-Identifier: Apache-2.0
// kalman_cxx.cc - a batch of Kalman filters: each follows a body that moves at a
// steady speed in a plane, and of which only inexact positions are measured.  All
// filters move together.  A LAPACK is needed.
#include <dpr/dpr.hpp>

#include <cmath>
#include <cstdio>
#include <iostream>

namespace {

constexpr std::int64_t filters = 100, steps = 40;

float speed(std::int64_t i, int k)
{
	return k ? 0.5F - static_cast<float>(i) / 100 : 1 + static_cast<float>(i) / 100;
}

// Where the bodies are seen in each step: on their ways, but for an error.
dpr::array measure()
{
	std::vector<float> z;

	for (int t = 0; t < steps; t++)
		for (int i = 0; i < filters; i++)
			for (int k = 0; k < 2; k++)
				z.push_back(speed(i, k) * static_cast<float>(t) +
					    static_cast<float>((i + 1) * (7 + k) * t % 17 - 8) / 20);
	return dpr::array(z, { steps, filters, 2, 1 });
}

} // namespace

int main()
try {
	const dpr::array measured = measure();
	const dpr::array one = dpr::eye(4, 4, DPR_FLOAT32);
	// In a step the speed is added to the position, which h takes of a state.
	const dpr::array f = one + dpr::eye(4, 4, 2, DPR_FLOAT32), ft = matrix_transpose(f);
	const dpr::array h = dpr::eye(2, 4, DPR_FLOAT32), ht = matrix_transpose(h);
	const dpr::array drift = 0.0001 * one, error = 0.06 * dpr::eye(2, 2, DPR_FLOAT32);
	// The state x is a position and a speed, and p its covariance.  At first nothing
	// is known of a speed.
	dpr::array x = dpr::zeros({ filters, 4, 1 }, DPR_FLOAT32);
	dpr::array p = 100 * one + dpr::zeros({ filters, 4, 4 }, DPR_FLOAT32);
	double off = 0;

	for (int t = 0; t < steps; t++) {
		const dpr::array z = measured[t], ahead = matmul(f, x);
		const dpr::array m = matmul(matmul(f, p), ft) + drift;
		const dpr::array s = matmul(matmul(h, m), ht) + error;
		const dpr::array gain = matrix_transpose(solve(s, matmul(h, m)));

		x = ahead + matmul(gain, z - matmul(h, ahead));
		p = m - matmul(matmul(gain, h), m);
	}
	const std::vector<float> got = x.to_vector<float>();

	for (int i = 0; i < filters; i++) {
		const float *v = &got[static_cast<std::size_t>(4 * i)];

		for (int k = 0; k < 2; k++)
			off = std::fmax(off, std::fabs(v[2 + k] - speed(i, k)));
		if (i % 30 == 0)
			std::printf("%5.1f %5.1f, speed %5.2f %5.2f\n", v[0], v[1], v[2], v[3]);
	}
	return !(off < 0.1);
} catch (const dpr::error &e) {
	std::cerr << "kalman_cxx: " << e.what() << '\n';
	// Without a LAPACK nothing solves.
	return e.status() == DPR_ERROR_UNSUPPORTED ? 77 : 1;
}
