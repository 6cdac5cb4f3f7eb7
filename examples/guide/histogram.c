/* SPDX-License-Identifier: Apache-2.0 */

/* histogram.c - a kernel with work-groups, local memory and barriers. */
#include <dpr/dpr.h>

enum { BINS = 4, GROUP = 64, GROUPS = 32, N = 1 << 16 };

/* guide: function */
static inline void histogram(dpr_native_group at, const float *x, uint64_t n,
			     int32_t *counts, int32_t *mine)
{
	const uint64_t items = at.local_size[0];

	for (int b = 0; b < BINS; b++)
		mine[b] = 0;
	/* Barrier. */
	for (uint64_t k = at.first[0]; k < n; k += at.global_size[0])
		for (uint64_t i = 0; i < items; i++)
			mine[(int)(x[k + i] * BINS)]++;
	/* Barrier. */
	for (int b = 0; b < BINS; b++)
		counts[at.group_id[0] * BINS + (uint64_t)b] = mine[b];
}
DPR_NATIVE_GROUPS(histogram_kernel, histogram, DPR_NATIVE_POINTER(const float),
		  DPR_NATIVE_VALUE(uint64_t), DPR_NATIVE_POINTER(int32_t),
		  DPR_NATIVE_LOCAL(int32_t))
/* guide: end */

/* guide: text */
static const char text[] =
	"kernel void histogram(global const float *x, ulong n,\n"
	"	global int *counts, local int *mine)\n"
	"{\n"
	"	size_t i = get_local_id(0), k;\n"
	"	if (i < BINS)\n"
	"		mine[i] = 0;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	for (k = get_global_id(0); k < n; k += get_global_size(0))\n"
	"		atomic_inc(&mine[(int)(x[k] * BINS)]);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	if (i < BINS)\n"
	"		counts[get_group_id(0) * BINS + i] = mine[i];\n"
	"}\n";
/* guide: end */

static const dpr_native_kernel kernels[] = { DPR_NATIVE_ENTRY(
	"histogram", histogram_kernel) };
static const dpr_native_module module = DPR_NATIVE_MODULE(kernels);

static dpr_status make_kernel(dpr_queue *queue, dpr_kernel **out)
{
	/* guide: options */
	const dpr_image images[] = {
		DPR_NATIVE_IMAGE(module),
		{ "opencl-c", NULL, text, sizeof(text) - 1 },
	};
	const dpr_build_options options = { .struct_size = sizeof(options),
					    .compiler = "-DBINS=4" };
	dpr_program *program = NULL;
	dpr_status status =
		dpr_program_build(queue, images, 2, &options, &program);
	/* guide: end */

	if (!status)
		status = dpr_kernel_create(program, "histogram", out);
	dpr_program_release(program);
	return status;
}

int main(void)
{
	dpr_queue *queue = NULL;
	dpr_kernel *kernel = NULL;
	dpr_array *line = NULL, *x = NULL, *counts = NULL, *total = NULL;
	dpr_status status;

	/* The squares of 0, 1/N, 2/N ... */
	if ((status = dpr_canonical_queue(NULL, &queue)) ||
	    (status = make_kernel(queue, &kernel)) ||
	    (status = dpr_arange(0, N, 1, DPR_FLOAT32, queue, &line)) ||
	    (status = dpr_evaluate("x = i / n; x*x", NULL, &x, "i", line, "n",
				   (double)N)) ||
	    (status = dpr_empty(DPR_SHAPE(GROUPS, BINS), DPR_INT32, queue,
				&counts)))
		goto out;
	/* guide: launch */
	const dpr_range range =
		dpr_range_local(DPR_RANGE1(GROUPS * GROUP), GROUP, 1, 1);
	const dpr_array *in = x;

	status = dpr_kernel_launch(queue, kernel, range, NULL, NULL,
				   DPR_ARG(in), DPR_ARG((uint64_t)N),
				   DPR_ARG(counts),
				   DPR_LOCAL(BINS * sizeof(int32_t)));
	if (!status)
		status = dpr_evaluate("sum(c, axis=0)", NULL, &total, "c",
				      counts);
	/* guide: end */
	if (!status)
		status = dpr_array_print(total, stdout);
out:
	if (status)
		fprintf(stderr, "histogram: %s\n", dpr_last_error());
	dpr_array_release(total);
	dpr_array_release(counts);
	dpr_array_release(x);
	dpr_array_release(line);
	dpr_kernel_release(kernel);
	if (status == DPR_ERROR_UNSUPPORTED)
		return 77; /* the device takes neither image */
	return status != DPR_OK;
}
