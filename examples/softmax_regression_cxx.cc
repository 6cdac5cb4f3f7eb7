// SPDX-License-Identifier: Apache-2.0
// softmax_regression_cxx.cc - learns which of three clusters a point belongs to.
// The model has a weight for each coordinate and class, and one for each class.
// Gradient descent makes the weights better.
#include <dpr/dpr.hpp>

#include <cstdio>
#include <iostream>

namespace {

constexpr int count = 3000, features = 3, classes = 3;
const float middles[classes][2] = { { 0, 0 }, { 1, 0 }, { 0.5F, 0.8F } };

// Points around the middles of the clusters.  The last feature of a point is 1.
dpr::array make_points()
{
	std::vector<float> x;

	for (int i = 0; i < count; i++) {
		for (int k = 0; k < 2; k++)
			x.push_back(middles[i % classes][k] - 0.4F +
				    static_cast<float>(i * (7 + 4 * k) % 101) / 125);
		x.push_back(1);
	}
	return dpr::array(x, { count, features });
}

} // namespace

int main()
try {
	const auto all = dpr::slice();
	const dpr::array points = make_points();
	const dpr::array x = points(all, all, dpr::new_axis);
	const dpr::array number = dpr::arange(0, classes, 1, DPR_INT32);
	const dpr::array own_class = dpr::arange(0, count, 1, DPR_INT32) % classes;
	// 1 for the class of a point, 0 for all others.
	const dpr::array own = dpr::astype<float>(own_class(all, dpr::new_axis) == number);
	dpr::array w = dpr::zeros({ features, classes }, DPR_FLOAT32);
	double loss = 0, right = 0;

	for (int i = 0; i < 200; i++) {
		const auto t = sum(x * w, 1);
		const auto e = exp(t - max(t, dpr::axes_kept(1)));
		// Row i has the probabilities of the classes of point i.
		const dpr::array p = e / sum(e, dpr::axes_kept(1));
		const dpr::array off = p - own;
		const dpr::array chance = sum(p * own, 1);

		w = w - 2 * mean(x * off(all, dpr::new_axis), 0);
		loss = -mean(log(chance)).item();
		right = mean(dpr::astype<float>(chance == max(p, 1))).item();
		if (i % 50 == 0)
			std::printf("step %3d: loss %.3f, right %.3f\n", i, loss, right);
	}
	std::printf("in the end: loss %.3f, right %.3f\n", loss, right);
	return !(loss < 0.2 && right > 0.97);
} catch (const dpr::error &e) {
	std::cerr << "softmax_regression_cxx: " << e.what() << '\n';
	return 1;
}
