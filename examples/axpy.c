/* SPDX-License-Identifier: Apache-2.0 */
/*
 * axpy.c - a program's own kernel, y += a * x, applied to plain memory and to
 * arrays.
 */
#include <dpr/dpr.h>

#define N 1000

static const char source[] =
	"kernel void axpy(float a, global const float *x, global float *y,\n"
	"                 ulong n)\n"
	"{ ulong i = get_global_id(0); if (i < n) y[i] += a * x[i]; }\n";

/* Launch the kernel on the queue that x and y share, whatever its backend. */
static dpr_status axpy(float a, const dpr_array *x, dpr_array *y,
		       const dpr_events *after, dpr_event **done)
{
	const dpr_array *operands[] = { x, y };
	uint64_t n = (uint64_t)dpr_array_size(x);
	dpr_kernel *kernel;
	dpr_queue *queue;
	dpr_status status;

	/* Built once per device, then taken from a cache. */
	if ((status = dpr_execution_queue(operands, 2, &queue)) ||
	    (status = dpr_kernel_from_source(queue, source, "axpy", &kernel)))
		return status;
	/* The kernel checks its bounds, so the range may be padded. */
	status = dpr_kernel_launch(
		queue, kernel, dpr_range_padded(DPR_RANGE1(n)), after, done,
		DPR_ARG(a), DPR_ARG(x), DPR_ARG(y), DPR_ARG(n));
	dpr_kernel_release(kernel);
	return status;
}

static int is_right(const float *y)
{
	for (int i = 0; i < N; i++)
		if (y[i] != 1 + 2 * (float)i)
			return 0;
	return 1;
}

static dpr_status with_arrays(dpr_queue *queue, const float *x, float *y)
{
	dpr_array *ax = NULL, *ay = NULL;
	dpr_status status;

	if (!(status = dpr_array_from_memory(x, DPR_SHAPE(N), NULL, DPR_FLOAT32,
					     queue, &ax)) &&
	    !(status = dpr_array_from_memory(y, DPR_SHAPE(N), NULL, DPR_FLOAT32,
					     queue, &ay)) &&
	    !(status = axpy(2, ax, ay, NULL, NULL)))
		status = dpr_array_to_memory(ay, y, dpr_array_nbytes(ay), NULL);
	dpr_array_release(ay);
	dpr_array_release(ax);
	return status;
}

/* Plain memory is not tracked, but an in-order queue keeps the order. */
static dpr_status with_memory(dpr_queue *queue, const float *x, float *y)
{
	const size_t bytes = N * sizeof(float);
	dpr_usm *ux = NULL, *uy = NULL;
	dpr_kernel *kernel = NULL;
	dpr_status status;

	if ((status = dpr_usm_alloc(queue, DPR_USM_DEVICE, bytes, &ux)) ||
	    (status = dpr_usm_alloc(queue, DPR_USM_DEVICE, bytes, &uy)) ||
	    (status = dpr_usm_write(queue, ux, 0, x, bytes, NULL, NULL)) ||
	    (status = dpr_usm_write(queue, uy, 0, y, bytes, NULL, NULL)) ||
	    (status = dpr_kernel_from_source(queue, source, "axpy", &kernel)) ||
	    (status = dpr_kernel_launch(queue, kernel,
					dpr_range_padded(DPR_RANGE1(N)), NULL,
					NULL, DPR_ARG(2.0f), DPR_ARG(ux),
					DPR_ARG(uy), DPR_ARG((uint64_t)N))))
		goto out;
	status = dpr_usm_read(queue, y, uy, 0, bytes, NULL, NULL);
out:
	dpr_kernel_release(kernel);
	dpr_usm_release(uy);
	dpr_usm_release(ux);
	return status;
}

int main(void)
{
	float x[N], y1[N], y2[N];
	dpr_queue *queue;
	dpr_status status;

	for (int i = 0; i < N; i++) {
		x[i] = (float)i;
		y1[i] = y2[i] = 1;
	}
	if (dpr_canonical_queue("+online_compiler", &queue)) {
		printf("skipped: no device that compiles: %s\n",
		       dpr_last_error());
		return 77;
	}
	if ((status = with_memory(queue, x, y1)) ||
	    (status = with_arrays(queue, x, y2))) {
		fprintf(stderr, "axpy: %s\n", dpr_last_error());
		return 1;
	}
	printf("axpy on %s: %s\n", dpr_queue_name(queue),
	       is_right(y1) && is_right(y2) ? "right" : "WRONG");
	return !is_right(y1) || !is_right(y2);
}
