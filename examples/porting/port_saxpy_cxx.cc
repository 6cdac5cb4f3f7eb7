// SPDX-License-Identifier: Apache-2.0
// port_saxpy_cxx.cc - a kernel of the program's own, y = a*x + y, and a sum, in C++.
#include <dpr/dpr.hpp>

#include <iostream>
#include <numeric>
#include <string>
#include <vector>

namespace {

constexpr std::uint64_t n = 1000;

// The kernel for GPUs.
const std::string text = R"(
	kernel void saxpy(float a, global const float *x, global float *y)
	{ size_t i = get_global_id(0); y[i] += a * x[i]; }
)";

// The same kernel for CPUs: a function of this program.
inline void saxpy(dpr_native_item at, float a, const float *x, float *y)
{
	const std::uint64_t i = at.global_id[0];

	y[i] += a * x[i];
}
DPR_NATIVE_ITEMS(saxpy_kernel, saxpy, DPR_NATIVE_VALUE(float), DPR_NATIVE_POINTER(const float),
		 DPR_NATIVE_POINTER(float))

const dpr_native_kernel kernels[] = { DPR_NATIVE_ENTRY("saxpy", saxpy_kernel) };
const dpr_native_module module = DPR_NATIVE_MODULE(kernels);

} // namespace

int main()
try {
	std::vector<float> x(n), y(n, 1.0F);
	std::iota(x.begin(), x.end(), 0.0F);

	const auto queue = dpr::queue::canonical();
	const dpr::program program(queue, { DPR_NATIVE_IMAGE(module), dpr::opencl_c(text) });
	const dpr::usm dx(queue, DPR_USM_DEVICE, n * sizeof(float));
	const dpr::usm dy(queue, DPR_USM_DEVICE, n * sizeof(float));

	dx.write(x.data(), n * sizeof(float));
	dy.write(y.data(), n * sizeof(float));
	const auto done = queue.submit(nullptr, program.kernel("saxpy"), DPR_RANGE1(n), 2.0F, dx,
				       dy);
	done.wait();

	const dpr::array all(dy, 0, { n }, DPR_FLOAT32);
	const double total = sum(all).item();
	dy.read(y.data(), n * sizeof(float));
	std::cout << "y[999] = " << y[n - 1] << ", sum = " << total << '\n';
	return 0;
} catch (const dpr::error &e) {
	std::cerr << "port_saxpy_cxx: " << e.what() << '\n';
	return 1;
}
