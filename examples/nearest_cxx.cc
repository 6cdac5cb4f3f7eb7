// SPDX-License-Identifier: Apache-2.0
// nearest_cxx.cc - k nearest neighbours: points get the label that most of the
// nearest labelled points have.  The distances are computed once.  Then, k times,
// the nearest labelled point of each point votes, and is put out of reach.
#include <dpr/dpr.hpp>

#include <iostream>
#include <limits>

namespace {

constexpr int label_count = 3, neighbours = 5;
const float middles[label_count][2] = { { 0, 0 }, { 4, 0 }, { 2, 3 } };

// Points around the middles: point i belongs to middle i % label_count.
dpr::array make_points(int n, int seed)
{
	std::vector<float> points;

	for (int i = 0; i < n; i++)
		for (int k = 0; k < 2; k++)
			points.push_back(middles[i % label_count][k] - 1 +
					 static_cast<float>((i + seed) * (7 + 4 * k) % 101) / 50);
	return dpr::array(points, { n, 2 });
}

// The label of the middle of each point.
dpr::array labels_of(const dpr::array &points)
{
	return dpr::index(0, points(dpr::slice(), 0)) % label_count;
}

// The label of each point, by its nearest points among those that are @known.
dpr::array classify(const dpr::array &points, const dpr::array &known, const dpr::array &labels)
{
	const auto apart = points(dpr::slice(), dpr::new_axis) - known;
	const dpr::array d = sum(apart * apart, 2);
	dpr::array votes = dpr::zeros({ points.shape()[0], label_count }, DPR_INT32);

	for (int k = 0; k < neighbours; k++) {
		const dpr::array i = argmin(d, dpr::axes_kept(1));

		votes = votes + dpr::one_hot(dpr::take(labels, i(dpr::slice(), 0), 0), label_count);
		dpr::put_along_axis(d, i, std::numeric_limits<float>::infinity(), 1);
	}
	return argmax(votes, 1);
}

} // namespace

int main()
try {
	const dpr::array known = make_points(300, 0), points = make_points(1000, 50);
	const dpr::array found = classify(points, known, labels_of(known));
	const double right = dpr::count_nonzero(found == labels_of(points)).item();

	std::cout << right << " of 1000 points get the label of their middle\n";
	return right != 1000;
} catch (const dpr::error &e) {
	std::cerr << "nearest_cxx: " << e.what() << '\n';
	return 1;
}
