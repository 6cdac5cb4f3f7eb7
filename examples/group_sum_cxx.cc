// SPDX-License-Identifier: Apache-2.0
// group_sum_cxx.cc - a reduction by work-groups with local memory, in C++17, which runs on
// every device: as a function of this program on CPUs, as OpenCL C on others.
#include <dpr/dpr.hpp>

#include <algorithm>
#include <iostream>
#include <numeric>

namespace {

constexpr std::uint64_t n = 1 << 20, group = 64, groups = 256;

// A group adds every groups-th run of `group` numbers.  In OpenCL C a barrier stands between
// the two phases; here the first loop has ended.
inline void sums(dpr_native_group at, const float *x, std::uint64_t count, float *sum, float *part)
{
	const auto local = at.local_size[0];

	std::fill_n(part, local, 0.0F);
	for (auto k = at.first[0]; k < count; k += at.global_size[0])
		for (std::uint64_t i = 0; i < local; i++)
			part[i] += x[k + i];
	// The barrier.
	sum[at.group_id[0]] = std::accumulate(part, part + local, 0.0F);
}
DPR_NATIVE_GROUPS(sums_kernel, sums, DPR_NATIVE_POINTER(const float),
		  DPR_NATIVE_VALUE(std::uint64_t), DPR_NATIVE_POINTER(float),
		  DPR_NATIVE_LOCAL(float))

const std::string text = R"(
	kernel void sums(global const float *x, ulong n, global float *sum, local float *part)
	{
		size_t i = get_local_id(0), k;
		float mine = 0;
		for (k = get_global_id(0); k < n; k += get_global_size(0))
			mine += x[k];
		part[i] = mine;
		for (k = get_local_size(0) / 2; k > 0; k /= 2) {
			barrier(CLK_LOCAL_MEM_FENCE);
			if (i < k)
				part[i] += part[i + k];
		}
		if (i == 0)
			sum[get_group_id(0)] = part[0];
	}
)";

const dpr_native_kernel kernels[] = { DPR_NATIVE_ENTRY("sums", sums_kernel) };
const dpr_native_module module = DPR_NATIVE_MODULE(kernels);

} // namespace

int main()
try {
	const auto queue = dpr::queue::canonical();
	const auto x = dpr::full({ n }, 0.5, DPR_FLOAT32, queue);
	const dpr::program program(queue, { DPR_NATIVE_IMAGE(module), dpr::opencl_c(text) });
	dpr::array s = dpr::empty({ groups }, DPR_FLOAT32, queue);

	queue.launch(program.kernel("sums"),
		     dpr_range_local(DPR_RANGE1(group * groups), group, 1, 1), x, n, s,
		     dpr::local<float>(group));
	const double total = sum(s).item();

	std::cout << total << '\n';
	return total != n / 2;
} catch (const dpr::error &e) {
	std::cerr << "group_sum_cxx: " << e.what() << '\n';
	// 77: the device takes neither image.
	return e.status() == DPR_ERROR_UNSUPPORTED ? 77 : 1;
}
