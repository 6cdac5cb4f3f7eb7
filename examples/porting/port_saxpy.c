/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port_saxpy.c - a kernel of the program's own, y = a*x + y, and a sum.
 */
#include <dpr/dpr.h>

enum { N = 1000 };

/* The kernel for GPUs. */
static const char text[] =
	"kernel void saxpy(float a, global const float *x, global float *y)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	y[i] += a * x[i];\n"
	"}\n";

/* The same kernel for CPUs: a function of this program. */
static inline void saxpy(dpr_native_item at, float a, const float *x, float *y)
{
	const uint64_t i = at.global_id[0];

	y[i] += a * x[i];
}
DPR_NATIVE_ITEMS(saxpy_kernel, saxpy, DPR_NATIVE_VALUE(float),
		 DPR_NATIVE_POINTER(const float), DPR_NATIVE_POINTER(float))

static const dpr_native_kernel kernels[] = { DPR_NATIVE_ENTRY("saxpy",
							      saxpy_kernel) };
static const dpr_native_module module = DPR_NATIVE_MODULE(kernels);

/* The device takes the image that suits it. */
static dpr_status build(dpr_queue *queue, dpr_kernel **out)
{
	const dpr_image images[] = { DPR_NATIVE_IMAGE(module),
				     { "opencl-c", NULL, text,
				       sizeof(text) - 1 } };
	dpr_program *program = NULL;
	dpr_status status =
		dpr_program_from_images(queue, images, 2, NULL, &program);

	*out = NULL;
	if (!status)
		status = dpr_kernel_create(program, "saxpy", out);
	dpr_program_release(program);
	return status;
}

int main(void)
{
	static float x[N], y[N];
	dpr_array *dx = NULL, *dy = NULL, *total = NULL;
	dpr_kernel *kernel = NULL;
	dpr_queue *queue = NULL;
	dpr_status status;
	double sum;

	for (int i = 0; i < N; i++) {
		x[i] = (float)i;
		y[i] = 1;
	}
	if ((status = dpr_canonical_queue(NULL, &queue)) ||
	    (status = build(queue, &kernel)) ||
	    (status = dpr_array_from_memory(x, DPR_SHAPE(N), NULL, DPR_FLOAT32,
					    queue, &dx)) ||
	    (status = dpr_array_from_memory(y, DPR_SHAPE(N), NULL, DPR_FLOAT32,
					    queue, &dy)) ||
	    (status = dpr_kernel_launch(queue, kernel, DPR_RANGE1(N), NULL,
					NULL, DPR_ARG(2.0f),
					dpr_arg_array_r(dx), DPR_ARG(dy))) ||
	    (status = dpr_sum(dy, NULL, &total)) ||
	    (status = dpr_array_item_double(total, &sum)) ||
	    (status = dpr_array_to_memory(dy, y, sizeof(y), NULL)))
		fprintf(stderr, "port_saxpy: %s\n", dpr_last_error());
	else
		printf("y[999] = %g, sum = %g\n", (double)y[N - 1], sum);
	dpr_array_release(total);
	dpr_array_release(dy);
	dpr_array_release(dx);
	dpr_kernel_release(kernel);
	return status != DPR_OK;
}
