/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port_arrays.c - array functions as in Python: make, slice, reduce, and refuse
 * to compute on two queues.
 */
#include <dpr/dpr.h>

/* Rows less their means, of columns 1 and 2 of a matrix. */
static dpr_status centre(dpr_queue *queue, dpr_array **rows)
{
	dpr_array *x = NULL, *matrix = NULL, *inner = NULL, *mean = NULL;
	dpr_status status;

	if (!(status = dpr_arange(0, 12, 1, DPR_FLOAT32, queue, &x)) &&
	    !(status = dpr_reshape(x, DPR_SHAPE(3, 4), &matrix)) &&
	    !(status = dpr_array_view(matrix, &inner, DPR_ALL,
				      DPR_SLICE(1, 3, 1))) &&
	    !(status = dpr_mean(inner, DPR_AXES_KEPT(1), &mean)) &&
	    !(status = dpr_array_print(mean, stdout)))
		status = dpr_subtract(inner, mean, rows);
	dpr_array_release(mean);
	dpr_array_release(inner);
	dpr_array_release(matrix);
	dpr_array_release(x);
	return status;
}

/* Add ones that are on another queue: dpr refuses this until they are moved. */
static dpr_status add_ones(const dpr_array *rows, dpr_queue *other)
{
	dpr_array *ones = NULL, *moved = NULL, *sum = NULL;
	dpr_status status =
		dpr_ones(DPR_SHAPE(3, 2), DPR_FLOAT32, other, &ones);

	if (!status) {
		status = dpr_add(rows, ones, &sum);
		if (status == DPR_ERROR_EXECUTION_PLACEMENT) {
			printf("refused\n");
			status = dpr_array_to_queue(ones, dpr_array_queue(rows),
						    &moved);
		}
	}
	if (!status && !sum)
		status = dpr_add(rows, moved, &sum);
	if (!status)
		status = dpr_array_print(sum, stdout);
	dpr_array_release(sum);
	dpr_array_release(moved);
	dpr_array_release(ones);
	return status;
}

int main(void)
{
	dpr_queue *queue = NULL, *other = NULL;
	dpr_array *rows = NULL;
	dpr_status status;

	if ((status = dpr_canonical_queue(NULL, &queue)) ||
	    (status = dpr_queue_create(dpr_queue_device(queue), 0, &other)) ||
	    (status = centre(queue, &rows)) || (status = add_ones(rows, other)))
		fprintf(stderr, "port_arrays: %s\n", dpr_last_error());
	dpr_array_release(rows);
	dpr_queue_release(other);
	return status != DPR_OK;
}
