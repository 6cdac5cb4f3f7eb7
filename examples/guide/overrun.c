/* SPDX-License-Identifier: Apache-2.0 */
/* overrun.c - a kernel that writes one element too far, and who notices. */
#include <dpr/dpr.h>
#include <dpr/native.h>

#define N 1000

/* guide: kernel */
/* Move each element up by one. */
static inline void shift(dpr_native_item item, const float *x, float *y)
{
	const uint64_t i = item.global_id[0];

	y[i + 1] = x[i]; /* the last i has no place in y */
}
DPR_NATIVE_ITEMS(shift_kernel, shift, DPR_NATIVE_POINTER(const float),
		 DPR_NATIVE_POINTER(float))
/* guide: end */

static const dpr_native_kernel kernels[] = { DPR_NATIVE_ENTRY("shift",
							      shift_kernel) };
static const dpr_native_module module = DPR_NATIVE_MODULE(kernels);

int main(void)
{
	const dpr_image image = DPR_NATIVE_IMAGE(module);
	dpr_program *program = NULL;
	dpr_array *x = NULL, *y = NULL;
	dpr_kernel *kernel = NULL;
	dpr_queue *queue;
	dpr_status status;
	double last = 0;

	if ((status = dpr_canonical_queue("cpu", &queue)) ||
	    (status = dpr_arange(0, N, 1, DPR_FLOAT32, queue, &x)) ||
	    (status = dpr_zeros(DPR_SHAPE(N), DPR_FLOAT32, queue, &y)) ||
	    (status = dpr_program_build(queue, &image, 1, NULL, &program)) ||
	    (status = dpr_kernel_create(program, "shift", &kernel)) ||
	    (status = dpr_kernel_launch(queue, kernel, DPR_RANGE1(N), NULL,
					NULL, DPR_ARG(x), DPR_ARG(y))) ||
	    (status = dpr_queue_wait(queue)))
		goto out;
	/* The last element of y, through a view. */
	dpr_array_release(x);
	if ((status = dpr_array_view(y, &x, DPR_AT(N - 1))) ||
	    (status = dpr_array_item_double(x, &last)))
		goto out;
	printf("the last element is %.0f\n", last);
out:
	if (status)
		fprintf(stderr, "overrun: %s\n", dpr_last_error());
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	dpr_array_release(y);
	dpr_array_release(x);
	return status != DPR_OK;
}
