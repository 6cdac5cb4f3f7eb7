/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c - work on two queues, of two backends if there are two.  Events
 * order the work and tell how long it took.
 */
#include <inttypes.h>

#include <dpr/dpr.h>

#define N 100000

static const char source[] =
	"kernel void produce(global int *x)\n"
	"{ ulong i = get_global_id(0); x[i] = (int)i + 1; }\n";

/* Get a device that compiles, and another device if there is one. */
static dpr_status two_devices(dpr_device **one, dpr_device **other)
{
	dpr_device *all[16];
	dpr_status status;
	size_t count;

	if ((status = dpr_device_select("+online_compiler", one)) ||
	    (status =
		     dpr_device_enumerate("+queue_profiling", all, 16, &count)))
		return status;
	*other = *one;
	for (size_t i = 0; i < count && i < 16; i++)
		if (dpr_device_root(all[i]) != dpr_device_root(*one))
			*other = all[i];
	return DPR_OK;
}

static dpr_status report(const char *what, dpr_event *event)
{
	uint64_t nanoseconds;
	dpr_status status = dpr_event_duration(event, &nanoseconds);

	if (!status)
		printf("%s on %s: %" PRIu64 " us\n", what,
		       dpr_queue_name(dpr_event_queue(event)),
		       nanoseconds / 1000);
	return status;
}

static dpr_status run(dpr_queue *one, dpr_queue *other, int *last)
{
	dpr_event *produced = NULL, *copied = NULL, *fetched = NULL;
	dpr_usm *made = NULL, *staged = NULL;
	const size_t bytes = N * sizeof(int);
	dpr_kernel *produce = NULL;
	dpr_status status;

	if ((status = dpr_usm_alloc(one, DPR_USM_DEVICE, bytes, &made)) ||
	    (status = dpr_usm_alloc(other, DPR_USM_DEVICE, bytes, &staged)) ||
	    (status = dpr_kernel_from_source(one, source, "produce",
					     &produce)) ||
	    (status = dpr_kernel_launch(one, produce, DPR_RANGE1(N), NULL,
					&produced, DPR_ARG(made))) ||
	    (status = dpr_usm_copy(other, staged, 0, made, 0, bytes,
				   DPR_AFTER(produced), &copied)) ||
	    (status = dpr_usm_read(other, last, staged, bytes - sizeof(int),
				   sizeof(int), DPR_AFTER(copied), &fetched)) ||
	    /* This fails with produce's error if produce failed. */
	    (status = dpr_event_wait(fetched)) ||
	    (status = report("produce", produced)))
		goto out;
	status = report("copy", copied);
out:
	dpr_event_release(fetched);
	dpr_event_release(copied);
	dpr_event_release(produced);
	dpr_kernel_release(produce);
	dpr_usm_release(staged);
	dpr_usm_release(made);
	return status;
}

int main(void)
{
	dpr_queue *queue = NULL, *other_queue = NULL;
	dpr_device *device, *other;
	dpr_status status;
	int last = 0;

	if (two_devices(&device, &other)) {
		printf("skipped: %s\n", dpr_last_error());
		return 77;
	}
	if ((status = dpr_queue_create(device, DPR_QUEUE_PROFILING, &queue)) ||
	    (status = dpr_queue_create(other, DPR_QUEUE_PROFILING,
				       &other_queue)) ||
	    (status = run(queue, other_queue, &last)))
		fprintf(stderr, "events: %s\n", dpr_last_error());
	else
		printf("the last element is %d\n", last);
	dpr_queue_release(other_queue);
	dpr_queue_release(queue);
	return status || last != N;
}
