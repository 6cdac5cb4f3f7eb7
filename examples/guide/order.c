/* SPDX-License-Identifier: Apache-2.0 */
/* order.c - what a queue promises, what an event tells, and how long work took. */
#include <dpr/dpr.h>

#define N 1000000

/* guide: callback */
static void done(dpr_event *event, dpr_status status, void *user)
{
	(void)user;
	printf("%s: %s\n", dpr_event_name(event), dpr_status_text(status));
}
/* guide: end */

/* guide: time */
static dpr_status report(dpr_event *event)
{
	uint64_t nanoseconds;
	dpr_status status = dpr_event_duration(event, &nanoseconds);

	if (!status)
		printf("%s took %.3f ms\n", dpr_event_name(event),
		       (double)nanoseconds * 1e-6);
	return status;
}
/* guide: end */

int main(void)
{
	dpr_event *event = NULL, *copied = NULL, *all = NULL;
	dpr_queue *queue = NULL, *other = NULL;
	dpr_array *x = NULL, *y = NULL;
	dpr_usm *copy = NULL;
	dpr_device *device;
	dpr_status status;
	float last = 0;

	/* guide: queues */
	if ((status = dpr_device_select(NULL, &device)) ||
	    (status = dpr_queue_create(device, DPR_QUEUE_PROFILING, &queue)) ||
	    (status = dpr_queue_create(device, DPR_QUEUE_PROFILING, &other)))
		goto out;
	/* guide: end */

	/* guide: submit */
	if ((status = dpr_arange(0, N, 1, DPR_FLOAT32, queue, &x)) ||
	    (status = dpr_evaluate("sqrt(x*x + 1)", NULL, &y, "x", x)) ||
	    (status = dpr_array_event(y, &event)) ||
	    (status = dpr_event_wait(event)) || (status = report(event)))
		goto out;
	/* guide: end */

	/* guide: across */
	if ((status = dpr_usm_alloc(other, DPR_USM_DEVICE, dpr_array_nbytes(y),
				    &copy)) ||
	    (status = dpr_usm_copy(other, copy, 0, dpr_array_usm(y), 0,
				   dpr_array_nbytes(y), DPR_AFTER(event),
				   &copied)) ||
	    (status = dpr_usm_read(other, &last, copy, (N - 1) * sizeof(float),
				   sizeof(float), DPR_AFTER(copied), NULL)))
		goto out;
	printf("the last element is %.0f\n", (double)last);
	/* guide: end */

	/* guide: wait */
	/* All that was submitted to the other queue, but for 10 s at most. */
	if ((status = dpr_queue_barrier(other, NULL, &all)) ||
	    (status = dpr_event_wait_for(all, UINT64_C(10000000000))))
		goto out;
	/* guide: end */
	/* guide: on-end */
	status = dpr_event_on_end(copied, done, NULL);
	/* guide: end */
out:
	if (status)
		fprintf(stderr, "order: %s\n", dpr_last_error());
	dpr_event_release(all);
	dpr_event_release(copied);
	dpr_event_release(event);
	dpr_usm_release(copy);
	dpr_array_release(y);
	dpr_array_release(x);
	dpr_queue_release(other);
	dpr_queue_release(queue);
	/* Callbacks run on a thread of the library, which this waits for. */
	if (!status && (status = dpr_finalize()))
		fprintf(stderr, "order: %s\n", dpr_last_error());
	return status != DPR_OK;
}
