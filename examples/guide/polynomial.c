/* SPDX-License-Identifier: Apache-2.0 */

/* polynomial.c - a kernel of our own: a function for CPUs, OpenCL C for GPUs. */
#include <dpr/dpr.h>

#include <stdlib.h>

/* guide: function */
struct factors {
	float a, b, c;
};

static inline void polynomial(dpr_native_item at, struct factors f,
			      const float *x, float *y)
{
	const uint64_t i = at.global_id[0];

	y[i] = f.a + x[i] * (f.b + x[i] * f.c);
}
DPR_NATIVE_ITEMS(polynomial_kernel, polynomial,
		 DPR_NATIVE_VALUE(struct factors),
		 DPR_NATIVE_POINTER(const float), DPR_NATIVE_POINTER(float))
/* guide: end */

/* guide: text */
static const char text[] =
	"struct factors { float a, b, c; };\n"
	"kernel void polynomial(struct factors f, global const float *x,\n"
	"	global float *y)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	y[i] = f.a + x[i] * (f.b + x[i] * f.c);\n"
	"}\n";
/* guide: end */

/* guide: build */
static const dpr_native_kernel kernels[] = { DPR_NATIVE_ENTRY(
	"polynomial", polynomial_kernel) };
static const dpr_native_module module = DPR_NATIVE_MODULE(kernels);

static dpr_status make_kernel(dpr_queue *queue, dpr_kernel **out)
{
	const dpr_image images[] = {
		DPR_NATIVE_IMAGE(module),
		{ "opencl-c", NULL, text, sizeof(text) - 1 },
	};
	dpr_program *program = NULL;
	dpr_status status =
		dpr_program_build(queue, images, 2, NULL, &program);

	if (!status)
		status = dpr_kernel_create(program, "polynomial", out);
	dpr_program_release(program);
	return status;
}
/* guide: end */

int main(int argc, char **argv)
{
	/* With a wrong number of work-items, the layer "check" reports the
	   kernel. */
	const uint64_t items = argc > 1 ? strtoull(argv[1], NULL, 10) : 5;
	const struct factors f = { 1, 2, 3 };
	dpr_queue *queue = NULL;
	dpr_kernel *kernel = NULL;
	dpr_array *x = NULL, *y = NULL;
	dpr_status status;

	if ((status = dpr_canonical_queue(NULL, &queue)) ||
	    (status = make_kernel(queue, &kernel)) ||
	    (status = dpr_arange(0, 5, 1, DPR_FLOAT32, queue, &x)) ||
	    (status = dpr_empty(DPR_SHAPE(5), DPR_FLOAT32, queue, &y)))
		goto out;
	/* guide: launch */
	const dpr_array *in = x;

	status = dpr_kernel_launch(queue, kernel, DPR_RANGE1(items), NULL, NULL,
				   DPR_STRUCT(f), DPR_ARG(in), DPR_ARG(y));
	/* guide: end */
	if (!status)
		status = dpr_array_print(y, stdout);
out:
	if (status)
		fprintf(stderr, "polynomial: %s\n", dpr_last_error());
	dpr_array_release(y);
	dpr_array_release(x);
	dpr_kernel_release(kernel);
	if (status == DPR_ERROR_UNSUPPORTED)
		return 77; /* the device takes neither image */
	return status != DPR_OK;
}
