// SPDX-License-Identifier: Apache-2.0
// group_largest_cxx.cc - the largest square of each work-group and its place, in C++17: a
// whole group is a function of this program on CPUs, and OpenCL C on other devices.
#include <dpr/dpr.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>

namespace {

constexpr std::uint64_t group = 64, groups = 100;

// The first phase puts squares into local memory.  The barrier of the text is between the phases.
inline void largest(dpr_native_group at, const float *x, float *most, std::uint64_t *place,
		    float *part)
{
	const auto n = at.local_size[0];

	for (std::uint64_t i = 0; i < n; i++)
		part[i] = x[at.first[0] + i] * x[at.first[0] + i];
	const auto found = std::max_element(part, part + n);

	most[at.group_id[0]] = *found;
	place[at.group_id[0]] = at.first[0] + static_cast<std::uint64_t>(found - part);
}
DPR_NATIVE_GROUPS(largest_kernel, largest, DPR_NATIVE_POINTER(const float),
		  DPR_NATIVE_POINTER(float), DPR_NATIVE_POINTER(std::uint64_t),
		  DPR_NATIVE_LOCAL(float))

const std::string text = R"(
	kernel void largest(global const float *x, global float *most, global ulong *place,
		local float *part)
	{
		size_t i = get_local_id(0), k, found = 0;
		part[i] = x[get_global_id(0)] * x[get_global_id(0)];
		barrier(CLK_LOCAL_MEM_FENCE);
		if (i)
			return;
		for (k = 1; k < get_local_size(0); k++)
			if (part[k] > part[found])
				found = k;
		most[get_group_id(0)] = part[found];
		place[get_group_id(0)] = get_global_id(0) + found;
	}
)";

const dpr_native_kernel kernels[] = { DPR_NATIVE_ENTRY("largest", largest_kernel) };
const dpr_native_module module = DPR_NATIVE_MODULE(kernels);

// In each group, the number farthest from 0 is the first or the last.
bool is_right(const std::array<float, groups> &most, const std::array<std::uint64_t, groups> &place)
{
	for (std::uint64_t g = 0; g < groups; g++) {
		const auto first = static_cast<float>(g * group) - 3200;
		const auto last = first + group - 1;
		const bool low = first * first >= last * last;

		if (place[g] != g * group + (low ? 0 : group - 1) ||
		    most[g] != (low ? first * first : last * last))
			return false;
	}
	return true;
}

} // namespace

int main()
try {
	const auto queue = dpr::queue::canonical();
	const auto x = dpr::arange(-3200, 3200, 1, DPR_FLOAT32, queue);
	const dpr::program program(queue, { DPR_NATIVE_IMAGE(module), dpr::opencl_c(text) });
	dpr::array m = dpr::empty({ groups }, DPR_FLOAT32, queue);
	dpr::array p = dpr::empty({ groups }, DPR_UINT64, queue);
	std::array<float, groups> most{};
	std::array<std::uint64_t, groups> place{};

	queue.launch(program.kernel("largest"),
		     dpr_range_local(DPR_RANGE1(group * groups), group, 1, 1), x, m, p,
		     dpr::local<float>(group));
	m.to_memory(most);
	p.to_memory(place);
	std::cout << most.front() << " in the first group, " << most.back() << " in the last\n";
	return !is_right(most, place);
} catch (const dpr::error &e) {
	std::cerr << "group_largest_cxx: " << e.what() << '\n';
	// 77: the device takes neither image.
	return e.status() == DPR_ERROR_UNSUPPORTED ? 77 : 1;
}
