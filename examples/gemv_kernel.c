/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gemv_kernel.c - how an extension adds an operation: y = A x with its own
 * kernel, for matrices of any layout, on the queue of the data.
 */
#include <dpr/dpr.h>

static const char source[] =
	"struct strided { long offset; int rank, pad;\n"
	"                 long shape[8], stride[8]; };\n"
	"kernel void gemv(global const float *a, struct strided s,\n"
	"                 global const float *x, global float *y)\n"
	"{\n"
	"	long i = get_global_id(0);\n"
	"	float sum = 0;\n"
	"	if (i >= s.shape[0])\n"
	"		return;\n"
	"	a += s.offset + i * s.stride[0];\n"
	"	for (long j = 0; j < s.shape[1]; j++)\n"
	"		sum += a[j * s.stride[1]] * x[j];\n"
	"	y[i] = sum;\n"
	"}\n";

/* y = A x: A is (m, n) of any layout, x is (n,) and C-contiguous. */
static dpr_status gemv(const dpr_array *a, const dpr_array *x, dpr_array **out)
{
	const dpr_array *operands[] = { a, x };
	const int64_t *shape = dpr_array_shape(a);
	dpr_kernel *kernel = NULL;
	dpr_array *y = NULL;
	dpr_queue *queue;
	dpr_status status;

	*out = NULL;
	if (dpr_array_rank(a) != 2 || dpr_array_rank(x) != 1 ||
	    shape[1] != dpr_array_shape(x)[0])
		return DPR_ERROR_SHAPE;
	if (dpr_array_dtype(a) != DPR_FLOAT32 ||
	    dpr_array_dtype(x) != DPR_FLOAT32)
		return DPR_ERROR_DTYPE;
	if ((status = dpr_execution_queue(operands, 2, &queue)) ||
	    (status = dpr_empty(DPR_SHAPE(shape[0]), DPR_FLOAT32, queue, &y)) ||
	    (status = dpr_kernel_from_source(queue, source, "gemv", &kernel)) ||
	    (status = dpr_kernel_launch(
		     queue, kernel,
		     dpr_range_padded(DPR_RANGE1((uint64_t)shape[0])), NULL,
		     NULL, DPR_STRIDED(a), DPR_ARG(x), DPR_ARG(y))))
		dpr_array_release(y);
	else
		*out = y;
	dpr_kernel_release(kernel);
	return status;
}

int main(void)
{
	const float matrix[] = { 1, 2, 3, 4, 5, 6 }, vector[] = { 1, -1 };
	dpr_array *a = NULL, *t = NULL, *x = NULL, *y = NULL;
	float result[3] = { 0 };
	dpr_queue *queue;
	dpr_status status;

	if (dpr_canonical_queue("+online_compiler", &queue)) {
		printf("skipped: %s\n", dpr_last_error());
		return 77;
	}
	if ((status = dpr_array_from_memory(matrix, DPR_SHAPE(2, 3), NULL,
					    DPR_FLOAT32, queue, &a)) ||
	    (status = dpr_array_from_memory(vector, DPR_SHAPE(2), NULL,
					    DPR_FLOAT32, queue, &x)) ||
	    (status = dpr_matrix_transpose(a, &t)) ||
	    (status = gemv(t, x, &y)) ||
	    (status = dpr_array_print(y, stdout)) ||
	    (status = dpr_array_to_memory(y, result, sizeof(result), NULL)))
		fprintf(stderr, "gemv: %s: %s\n", dpr_status_text(status),
			dpr_last_error());
	dpr_array_release(y);
	dpr_array_release(t);
	dpr_array_release(x);
	dpr_array_release(a);
	return status || result[0] != -3 || result[1] != -3 || result[2] != -3;
}
