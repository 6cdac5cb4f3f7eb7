// SPDX-License-Identifier: Apache-2.0
// group_largest_cxx.cc - the largest number of each work-group and its place, in C++17: a
// whole group is a function of this program on CPUs, and OpenCL C on other devices.
#include <dpr/dpr.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace {

constexpr std::uint64_t group = 64, groups = 100;

// The first phase copies to local memory.  The barrier of the text is between the phases.
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

constexpr char text[] = R"(
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

// In a group, the number that is farthest from 0 is that whose place is `at`.
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
{
	const dpr_image images[] = { DPR_NATIVE_IMAGE(module),
				     { "opencl-c", nullptr, text, sizeof(text) - 1 } };
	const auto range = dpr_range_local(DPR_RANGE1(group * groups), group, 1, 1);
	std::array<float, groups> most{};
	std::array<std::uint64_t, groups> place{};
	dpr_array *x = nullptr, *m = nullptr, *p = nullptr;
	dpr_program *program = nullptr;
	dpr_kernel *kernel = nullptr;
	dpr_queue *queue = nullptr;
	dpr_status built = DPR_OK;
	const bool bad =
		dpr_canonical_queue(nullptr, &queue) ||
		dpr_arange(-3200, 3200, 1, DPR_FLOAT32, queue, &x) ||
		dpr_empty(DPR_SHAPE(groups), DPR_FLOAT32, queue, &m) ||
		dpr_empty(DPR_SHAPE(groups), DPR_UINT64, queue, &p) ||
		(built = dpr_program_build(queue, images, 2, nullptr, &program)) ||
		dpr_kernel_create(program, "largest", &kernel) ||
		dpr_kernel_launch(queue, kernel, range, nullptr, nullptr,
				  static_cast<const dpr_array *>(x), m, p,
				  DPR_LOCAL(group * sizeof(float))) ||
		dpr_array_to_memory(m, most.data(), sizeof(most), nullptr) ||
		dpr_array_to_memory(p, place.data(), sizeof(place), nullptr);

	if (bad)
		fprintf(stderr, "group_largest_cxx: %s\n", dpr_last_error());
	else
		printf("%.0f in the first group, %.0f in the last\n",
		       static_cast<double>(most.front()), static_cast<double>(most.back()));
	for (dpr_array *a : { x, m, p })
		dpr_array_release(a);
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	// 77: the device takes neither image.
	return built == DPR_ERROR_UNSUPPORTED ? 77 : bad || !is_right(most, place);
}
