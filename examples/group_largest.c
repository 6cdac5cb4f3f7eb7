/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group_largest.c - the largest square of each work-group and its place: a
 * whole group is a function of this program on CPUs, and OpenCL C on other
 * devices.
 */
#include <dpr/dpr.h>

enum { GROUP = 64, GROUPS = 100 };

/* The first phase puts squares into local memory.  In OpenCL C a barrier stands
   between the phases. */
static inline void largest(dpr_native_group at, const float *x, float *most,
			   uint64_t *place, float *part)
{
	const uint64_t n = at.local_size[0];
	uint64_t found = 0;

	for (uint64_t i = 0; i < n; i++)
		part[i] = x[at.first[0] + i] * x[at.first[0] + i];
	for (uint64_t i = 1; i < n; i++)
		if (part[i] > part[found])
			found = i;
	most[at.group_id[0]] = part[found];
	place[at.group_id[0]] = at.first[0] + found;
}
DPR_NATIVE_GROUPS(largest_kernel, largest, DPR_NATIVE_POINTER(const float),
		  DPR_NATIVE_POINTER(float), DPR_NATIVE_POINTER(uint64_t),
		  DPR_NATIVE_LOCAL(float))

static const char text[] =
	"kernel void largest(global const float *x, global float *most,\n"
	"	global ulong *place, local float *part)\n"
	"{\n"
	"	size_t i = get_local_id(0), k, found = 0;\n"
	"	part[i] = x[get_global_id(0)] * x[get_global_id(0)];\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	if (i)\n"
	"		return;\n"
	"	for (k = 1; k < get_local_size(0); k++)\n"
	"		if (part[k] > part[found])\n"
	"			found = k;\n"
	"	most[get_group_id(0)] = part[found];\n"
	"	place[get_group_id(0)] = get_global_id(0) + found;\n"
	"}\n";

static const dpr_native_kernel kernels[] = { DPR_NATIVE_ENTRY("largest",
							      largest_kernel) };
static const dpr_native_module module = DPR_NATIVE_MODULE(kernels);

/* In each group of -3200, -3199, ... 3199, the number farthest from 0 is the
   first or the last. */
static int is_right(const float *most, const uint64_t *place)
{
	for (int g = 0; g < GROUPS; g++) {
		const float first = (float)(g * GROUP - 3200);
		const float last = first + GROUP - 1;
		const int low = first * first >= last * last;

		if (place[g] != (uint64_t)(g * GROUP + (low ? 0 : GROUP - 1)) ||
		    most[g] < (low ? first * first : last * last))
			return 0;
	}
	return 1;
}

int main(void)
{
	const dpr_image images[] = { DPR_NATIVE_IMAGE(module),
				     { "opencl-c", NULL, text,
				       sizeof(text) - 1 } };
	const dpr_range range =
		dpr_range_local(DPR_RANGE1(GROUP * GROUPS), GROUP, 1, 1);
	dpr_program *program = NULL;
	dpr_kernel *kernel = NULL;
	dpr_array *x = NULL, *m = NULL, *p = NULL;
	dpr_queue *queue = NULL;
	float most[GROUPS];
	uint64_t place[GROUPS];
	dpr_status status;

	if ((status = dpr_canonical_queue(NULL, &queue)) ||
	    (status = dpr_arange(-3200, 3200, 1, DPR_FLOAT32, queue, &x)) ||
	    (status = dpr_empty(DPR_SHAPE(GROUPS), DPR_FLOAT32, queue, &m)) ||
	    (status = dpr_empty(DPR_SHAPE(GROUPS), DPR_UINT64, queue, &p)) ||
	    (status = dpr_program_build(queue, images, 2, NULL, &program)) ||
	    (status = dpr_kernel_create(program, "largest", &kernel)) ||
	    (status = dpr_kernel_launch(queue, kernel, range, NULL, NULL,
					DPR_ARG(x), DPR_ARG(m), DPR_ARG(p),
					DPR_LOCAL(GROUP * sizeof(float)))) ||
	    (status = dpr_array_to_memory(m, most, sizeof(most), NULL)) ||
	    (status = dpr_array_to_memory(p, place, sizeof(place), NULL)))
		fprintf(stderr, "group_largest: %s\n", dpr_last_error());
	else
		printf("%g in the first group, %g in the last\n",
		       (double)most[0], (double)most[GROUPS - 1]);
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	dpr_array_release(p);
	dpr_array_release(m);
	dpr_array_release(x);
	if (status == DPR_ERROR_UNSUPPORTED)
		return 77; /* the device takes neither image */
	return status || !is_right(most, place);
}
