/* SPDX-License-Identifier: Apache-2.0 */
/* follows.c - results are where their operands are. */
#include <dpr/dpr.h>

int main(void)
{
	dpr_array *x = NULL, *y = NULL, *z = NULL;
	dpr_queue *queue = NULL;
	dpr_device *device;
	dpr_status status;

	if ((status = dpr_device_select(NULL, &device)) ||
	    (status = dpr_queue_create(device, 0, &queue)))
		goto out;
	/* guide: follow */
	if ((status = dpr_linspace(0, 1, 1000, DPR_FLOAT32, queue, &x)) ||
	    (status = dpr_sin(x, &y)) || (status = dpr_multiply(y, 2.5, &z)))
		goto out;
	printf("y is on %s\n", dpr_queue_name(dpr_array_queue(y)));
	printf("z is on %s\n", dpr_queue_name(dpr_array_queue(z)));
	/* guide: end */
	status = dpr_array_wait(z);
out:
	if (status)
		fprintf(stderr, "follows: %s\n", dpr_last_error());
	dpr_array_release(z);
	dpr_array_release(y);
	dpr_array_release(x);
	dpr_queue_release(queue);
	return status != DPR_OK;
}
