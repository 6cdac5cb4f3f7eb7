/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group_sum.c - a reduction by work-groups with local memory, which runs on
 * every device: as a function of this program on CPUs, as OpenCL C on others.
 */
#include <dpr/dpr.h>

enum { N = 1 << 20, GROUP = 64, GROUPS = 256 };

/*
 * A group adds every GROUPS-th run of GROUP numbers.  In OpenCL C a barrier
 * stands between the two phases; here the first loop has ended.
 */
static inline void sums(dpr_native_group at, const float *x, uint64_t n,
			float *sum, float *part)
{
	const uint64_t local = at.local_size[0];
	float total = 0;

	for (uint64_t i = 0; i < local; i++)
		part[i] = 0;
	for (uint64_t k = at.first[0]; k < n; k += at.global_size[0])
		for (uint64_t i = 0; i < local; i++)
			part[i] += x[k + i];
	/* The barrier. */
	for (uint64_t i = 0; i < local; i++)
		total += part[i];
	sum[at.group_id[0]] = total;
}
DPR_NATIVE_GROUPS(sums_kernel, sums, DPR_NATIVE_POINTER(const float),
		  DPR_NATIVE_VALUE(uint64_t), DPR_NATIVE_POINTER(float),
		  DPR_NATIVE_LOCAL(float))

static const char text[] =
	"kernel void sums(global const float *x, ulong n, global float *sum,\n"
	"	local float *part)\n"
	"{\n"
	"	size_t i = get_local_id(0), k;\n"
	"	float mine = 0;\n"
	"	for (k = get_global_id(0); k < n; k += get_global_size(0))\n"
	"		mine += x[k];\n"
	"	part[i] = mine;\n"
	"	for (k = get_local_size(0) / 2; k > 0; k /= 2) {\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		if (i < k)\n"
	"			part[i] += part[i + k];\n"
	"	}\n"
	"	if (i == 0)\n"
	"		sum[get_group_id(0)] = part[0];\n"
	"}\n";

static const dpr_native_kernel kernels[] = { DPR_NATIVE_ENTRY("sums",
							      sums_kernel) };
static const dpr_native_module module = DPR_NATIVE_MODULE(kernels);

/* Add the numbers of x in groups, then the sums of the groups. */
static dpr_status add_up(dpr_queue *queue, dpr_kernel *kernel,
			 const dpr_array *x, double *total)
{
	const dpr_range range =
		dpr_range_local(DPR_RANGE1(GROUP * GROUPS), GROUP, 1, 1);
	float sum[GROUPS];
	dpr_array *s = NULL;
	dpr_status status =
		dpr_empty(DPR_SHAPE(GROUPS), DPR_FLOAT32, queue, &s);

	if (!status)
		status = dpr_kernel_launch(queue, kernel, range, NULL, NULL,
					   DPR_ARG(x), DPR_ARG((uint64_t)N),
					   DPR_ARG(s),
					   DPR_LOCAL(GROUP * sizeof(float)));
	if (!status)
		status = dpr_array_to_memory(s, sum, sizeof(sum), NULL);
	*total = 0;
	for (int g = 0; g < GROUPS && !status; g++)
		*total += (double)sum[g];
	dpr_array_release(s);
	return status;
}

int main(void)
{
	const dpr_image images[] = { DPR_NATIVE_IMAGE(module),
				     { "opencl-c", NULL, text,
				       sizeof(text) - 1 } };
	dpr_program *program = NULL;
	dpr_kernel *kernel = NULL;
	dpr_array *x = NULL;
	dpr_queue *queue = NULL;
	double total = 0;
	dpr_status status;

	if ((status = dpr_canonical_queue(NULL, &queue)) ||
	    (status = dpr_full(DPR_SHAPE(N), 0.5, DPR_FLOAT32, queue, &x)) ||
	    (status = dpr_program_build(queue, images, 2, NULL, &program)) ||
	    (status = dpr_kernel_create(program, "sums", &kernel)) ||
	    (status = add_up(queue, kernel, x, &total)))
		fprintf(stderr, "group_sum: %s\n", dpr_last_error());
	else
		printf("%.1f\n", total);
	dpr_array_release(x);
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	if (status == DPR_ERROR_UNSUPPORTED)
		return 77; /* the device takes neither image */
	return status || total < N / 2 || total > N / 2;
}
