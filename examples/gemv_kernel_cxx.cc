// SPDX-License-Identifier: Apache-2.0
// gemv_kernel_cxx.cc - how an extension adds an operation, in C++: y = A x with its own
// kernel, for matrices of any layout, on the queue of the data.
#include <dpr/dpr.hpp>

#include <iostream>

namespace {

constexpr char source[] = R"(
	struct strided { long offset; int rank, pad; long shape[8], stride[8]; };
	kernel void gemv(global const float *a, struct strided s, global const float *x,
		global float *y)
	{
		long i = get_global_id(0);
		float sum = 0;
		if (i >= s.shape[0])
			return;
		a += s.offset + i * s.stride[0];
		for (long j = 0; j < s.shape[1]; j++)
			sum += a[j * s.stride[1]] * x[j];
		y[i] = sum;
	}
)";

// y = A x: A is (m, n) of any layout, x is (n,) and C-contiguous.
dpr::array gemv(const dpr::array &a, const dpr::array &x)
{
	if (a.rank() != 2 || x.rank() != 1 || a.shape()[1] != x.shape()[0])
		throw dpr::error(DPR_ERROR_SHAPE, "gemv: a is not (m, n), or x is not (n,)");
	if (a.dtype() != DPR_FLOAT32 || x.dtype() != DPR_FLOAT32)
		throw dpr::error(DPR_ERROR_DTYPE, "gemv: an operand is not float32");
	const auto m = static_cast<std::uint64_t>(a.shape()[0]);
	const dpr::queue queue = a.queue();
	dpr::array y = dpr::empty({ m }, DPR_FLOAT32, queue);

	// The launch refuses x on another queue than a.
	queue.launch(dpr::kernel(queue, source, "gemv"), dpr_range_padded(DPR_RANGE1(m)),
		     dpr::strided(a), x, y);
	return y;
}

} // namespace

int main()
try {
	const auto queue = dpr::queue::canonical("+online_compiler");
	const dpr::array a({ { 1.0F, 2.0F, 3.0F }, { 4.0F, 5.0F, 6.0F } }, queue);
	const dpr::array x({ 1.0F, -1.0F }, queue);
	const dpr::array y = gemv(dpr::matrix_transpose(a), x);

	std::cout << y << '\n';
	return y.to_vector<float>() != std::vector<float>{ -3, -3, -3 };
} catch (const dpr::error &e) {
	std::cerr << "gemv_kernel_cxx: " << e.what() << '\n';
	// 77: no device compiles.
	return e.status() == DPR_ERROR_NOT_FOUND ? 77 : 1;
}
