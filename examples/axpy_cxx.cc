// SPDX-License-Identifier: Apache-2.0
// axpy_cxx.cc - a program's own kernel, y += a * x, applied to plain memory and to arrays, in
// C++.
#include <dpr/dpr.hpp>

#include <iostream>
#include <numeric>

namespace {

constexpr std::uint64_t n = 1000;

constexpr char source[] = R"(
	kernel void axpy(float a, global const float *x, global float *y, ulong n)
	{ ulong i = get_global_id(0); if (i < n) y[i] += a * x[i]; }
)";

// Launch the kernel on the queue of y, whatever its backend.  It is built once for each
// device, then taken from a cache.  It checks its bounds, so the range may be padded.
void axpy(float a, const dpr::array &x, dpr::array &y)
{
	const auto size = static_cast<std::uint64_t>(x.size());
	const dpr::queue queue = y.queue();

	queue.launch(dpr::kernel(queue, source, "axpy"), dpr_range_padded(DPR_RANGE1(size)), a, x,
		     y, size);
}

std::vector<float> with_arrays(const dpr::queue &queue, const std::vector<float> &x)
{
	dpr::array y = dpr::ones({ n }, DPR_FLOAT32, queue);

	axpy(2, dpr::array(x, queue), y);
	return y.to_vector<float>();
}

// Plain memory is not tracked, but an in-order queue keeps the order.
std::vector<float> with_memory(const dpr::queue &queue, const std::vector<float> &x)
{
	const std::size_t bytes = n * sizeof(float);
	const dpr::usm ux(queue, DPR_USM_DEVICE, bytes), uy(queue, DPR_USM_DEVICE, bytes);
	std::vector<float> y(n);

	ux.write(x.data(), bytes);
	uy.fill(1.0F, bytes);
	queue.launch(dpr::kernel(queue, source, "axpy"), dpr_range_padded(DPR_RANGE1(n)), 2.0F,
		     ux, uy, n);
	uy.read(y.data(), bytes);
	return y;
}

} // namespace

int main()
try {
	const auto queue = dpr::queue::canonical("+online_compiler");
	std::vector<float> x(n), expected(n);

	std::iota(x.begin(), x.end(), 0.0F);
	for (std::size_t i = 0; i < n; i++)
		expected[i] = 1 + 2 * x[i];
	const bool right =
		with_arrays(queue, x) == expected && with_memory(queue, x) == expected;

	std::cout << "axpy on " << queue.name() << ": " << (right ? "right" : "WRONG") << '\n';
	return !right;
} catch (const dpr::error &e) {
	std::cerr << "axpy_cxx: " << e.what() << '\n';
	// 77: no device compiles.
	return e.status() == DPR_ERROR_NOT_FOUND ? 77 : 1;
}
