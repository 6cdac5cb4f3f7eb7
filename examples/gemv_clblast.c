/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gemv_clblast.c - how an extension calls a library: y = A x with CLBlast,
 * through the native handles of the queue and the memory.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <clblast_c.h>

#include <dpr/dpr.h>

/* Get the driver's buffer that holds @x, and the index of its first element. */
static dpr_status buffer_of(const dpr_array *x, cl_mem *buffer, size_t *first)
{
	uintptr_t handle;
	size_t bytes;
	dpr_status status;

	status = dpr_usm_native(dpr_array_usm(x), &handle, &bytes);
	if (status)
		return status;
	*buffer = (cl_mem)handle;
	*first = bytes / sizeof(float) + (size_t)dpr_array_offset(x);
	return DPR_OK;
}

/* y = A x for C-contiguous float32 arrays of shape (m, n), (n,) and (m,). */
static dpr_status gemv(const dpr_array *a, const dpr_array *x, dpr_array *y,
		       dpr_event **done)
{
	const dpr_array *operands[] = { a, x, y };
	size_t m = (size_t)dpr_array_shape(a)[0], at[3];
	size_t n = (size_t)dpr_array_shape(a)[1];
	cl_mem memory[3];
	cl_event event;
	uintptr_t handle;
	dpr_queue *queue;
	dpr_status status;

	if ((status = dpr_execution_queue(operands, 3, &queue)) ||
	    (status = dpr_queue_native(queue, &handle)))
		return status;
	for (int i = 0; i < 3; i++) {
		/* Wait: dpr may not have submitted the operand's work yet. */
		if ((status = dpr_array_wait(operands[i])) ||
		    (status = buffer_of(operands[i], &memory[i], &at[i])))
			return status;
	}
	if (CLBlastSgemv(CLBlastLayoutRowMajor, CLBlastTransposeNo, m, n, 1,
			 memory[0], at[0], n, memory[1], at[1], 1, 0, memory[2],
			 at[2], 1, (cl_command_queue *)&handle, &event))
		return DPR_ERROR_DRIVER;
	return dpr_event_from_native(dpr_queue_device(queue), (uintptr_t)event,
				     1, done);
}

int main(void)
{
	const float matrix[] = { 1, 2, 3, 4, 5, 6 }, vector[] = { 1, 0, -1 };
	dpr_array *a = NULL, *x = NULL, *y = NULL;
	float result[2] = { 0, 0 };
	dpr_event *done = NULL;
	dpr_queue *queue;
	dpr_status status;

	if (dpr_canonical_queue("opencl", &queue)) {
		printf("skipped: %s\n", dpr_last_error());
		return 77;
	}
	if ((status = dpr_array_from_memory(matrix, DPR_SHAPE(2, 3), NULL,
					    DPR_FLOAT32, queue, &a)) ||
	    (status = dpr_array_from_memory(vector, DPR_SHAPE(3), NULL,
					    DPR_FLOAT32, queue, &x)) ||
	    (status = dpr_array_from_memory(result, DPR_SHAPE(2), NULL,
					    DPR_FLOAT32, queue, &y)) ||
	    (status = gemv(a, x, y, &done)) ||
	    (status = dpr_event_wait(done)) ||
	    (status = dpr_array_print(y, stdout)) ||
	    (status = dpr_array_to_memory(y, result, sizeof(result), NULL)))
		fprintf(stderr, "gemv: %s: %s\n", dpr_status_text(status),
			dpr_last_error());
	dpr_event_release(done);
	dpr_array_release(y);
	dpr_array_release(x);
	dpr_array_release(a);
	return status || result[0] != -2 || result[1] != -2;
}
