/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compute_follows_data.c - an operation runs where its arrays are.  Arrays on
 * different queues are refused, and the error names the call that helps; data
 * moves only by such calls.
 */
#include <dpr/dpr.h>

/* Get two devices: the first two, or the only device and a part of it. */
static dpr_status two_devices(dpr_device **out)
{
	dpr_status status;
	size_t count;

	status = dpr_device_enumerate(NULL, out, 2, &count);
	if (!status && count == 1)
		status =
			dpr_device_partition_equally(out[0], 1, out, 2, &count);
	return status;
}

static dpr_status refused(const dpr_array *x, const dpr_array *y)
{
	dpr_array *sum;

	if (dpr_add(x, y, &sum) == DPR_ERROR_EXECUTION_PLACEMENT) {
		printf("refused: %s\n", dpr_last_error());
		return DPR_OK;
	}
	dpr_array_release(sum);
	return DPR_ERROR_INTERNAL;
}

int main(void)
{
	dpr_array *a = NULL, *b = NULL, *c = NULL, *moved = NULL, *sum = NULL;
	dpr_queue *first, *second, *other = NULL;
	dpr_device *devices[2] = { NULL, NULL };
	dpr_status status;

	if ((status = two_devices(devices)) ||
	    (status = dpr_device_queue(devices[0], &first)) ||
	    (status = dpr_device_queue(devices[1], &second)) ||
	    (status = dpr_queue_create(devices[1], 0, &other)) ||
	    (status = dpr_ones(DPR_SHAPE(4), DPR_FLOAT32, first, &a)) ||
	    (status = dpr_ones(DPR_SHAPE(4), DPR_FLOAT32, second, &b)) ||
	    (status = dpr_ones(DPR_SHAPE(4), DPR_FLOAT32, other, &c)))
		goto out;

	if ((status = refused(a, b)) || /* on two devices */
	    (status = refused(b, c)))   /* on one device, but two queues */
		goto out;

	if ((status = dpr_array_to_device(a, dpr_array_device(b), &moved)) ||
	    (status = dpr_add(moved, b, &sum)) ||
	    (status = dpr_array_print(sum, stdout)))
		goto out;
	printf("computed on %s\n", dpr_queue_name(dpr_array_queue(sum)));
out:
	if (status)
		fprintf(stderr, "compute_follows_data: %s\n", dpr_last_error());
	dpr_array_release(sum);
	dpr_array_release(moved);
	dpr_array_release(c);
	dpr_array_release(b);
	dpr_array_release(a);
	dpr_queue_release(other);
	/* c was never waited for: finish all work before the program ends. */
	if (!status && (status = dpr_finalize()))
		fprintf(stderr, "compute_follows_data: %s\n", dpr_last_error());
	return status != DPR_OK;
}
