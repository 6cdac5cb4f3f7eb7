/* SPDX-License-Identifier: Apache-2.0 */
/* refused.c - three additions that are refused, and what helps: on two queues, on
   two parts of a device, on two devices. */
#include <dpr/dpr.h>
#include <string.h>

/* Get two queues of one device; the caller releases @mine. */
static dpr_status two_queues(dpr_queue **canonical, dpr_queue **mine)
{
	dpr_status status;
	dpr_device *device;

	if ((status = dpr_device_select(NULL, &device)) ||
	    (status = dpr_device_queue(device, canonical)))
		return status;
	return dpr_queue_create(device, 0, mine);
}

/* Get the queues of two devices: parts of the default device, or of two backends. */
static dpr_status two_devices(int are_parts, dpr_queue **one, dpr_queue **two)
{
	dpr_device *whole, *list[2] = { NULL, NULL };
	dpr_status status;
	size_t count;

	if (are_parts) {
		if ((status = dpr_device_select(NULL, &whole)) ||
		    (status = dpr_device_partition_equally(whole, 1, list, 2,
							   &count)))
			return status;
	} else if ((status = dpr_device_enumerate(NULL, list, 2, &count)))
		return status;
	/* If there is only one, the second call fails. */
	if ((status = dpr_device_queue(list[0], one)))
		return status;
	return dpr_device_queue(list[1], two);
}

/* guide: add */
static dpr_status add(dpr_queue *one, dpr_queue *two)
{
	dpr_array *x = NULL, *y = NULL, *sum = NULL, *here = NULL;
	dpr_status status;

	if ((status = dpr_ones(DPR_SHAPE(3), DPR_FLOAT32, one, &x)) ||
	    (status = dpr_ones(DPR_SHAPE(3), DPR_FLOAT32, two, &y)))
		goto out;
	status = dpr_add(x, y, &sum);
	if (status == DPR_ERROR_EXECUTION_PLACEMENT) {
		printf("%s\n", dpr_last_error());
		if ((status = dpr_array_to_queue(x, two, &here)) ||
		    (status = dpr_add(here, y, &sum)))
			goto out;
	}
	if (!status)
		status = dpr_array_print(sum, stdout);
out:
	dpr_array_release(sum);
	dpr_array_release(here);
	dpr_array_release(y);
	dpr_array_release(x);
	return status;
}
/* guide: end */

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "queues";
	dpr_queue *one, *two, *mine = NULL;
	dpr_status status;

	if (!strcmp(what, "queues")) {
		status = two_queues(&one, &mine);
		two = mine;
	} else
		status = two_devices(!strcmp(what, "parts"), &one, &two);
	if (!status)
		status = add(one, two);
	if (status)
		fprintf(stderr, "refused: %s\n", dpr_last_error());
	dpr_queue_release(mine);
	return status != DPR_OK;
}
