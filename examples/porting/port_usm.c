/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port_usm.c - a kernel in OpenCL C on plain memory, with events and its time.
 */
#include <inttypes.h>

#include <dpr/dpr.h>

enum { N = 1000 };

static const char text[] =
	"kernel void saxpy(float a, global const float *x, global float *y)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	y[i] += a * x[i];\n"
	"}\n";

int main(void)
{
	static float x[N], y[N];
	dpr_event *done = NULL, *fetched = NULL;
	dpr_usm *dx = NULL, *dy = NULL;
	dpr_kernel *kernel = NULL;
	dpr_device *device = NULL;
	dpr_queue *queue = NULL;
	uint64_t nanoseconds;
	dpr_status status;
	double sum = 0;

	for (int i = 0; i < N; i++) {
		x[i] = (float)i;
		y[i] = 1;
	}
	if ((status = dpr_device_select("opencl", &device)) ||
	    (status = dpr_queue_create(device, DPR_QUEUE_PROFILING, &queue)) ||
	    (status = dpr_kernel_from_source(queue, text, "saxpy", &kernel)) ||
	    (status = dpr_usm_alloc(queue, DPR_USM_DEVICE, sizeof(x), &dx)) ||
	    (status = dpr_usm_alloc(queue, DPR_USM_DEVICE, sizeof(y), &dy)) ||
	    (status = dpr_usm_write(queue, dx, 0, x, sizeof(x), NULL, NULL)) ||
	    (status = dpr_usm_write(queue, dy, 0, y, sizeof(y), NULL, NULL)) ||
	    (status = dpr_kernel_launch(queue, kernel, DPR_RANGE1(N), NULL,
					&done, DPR_ARG(2.0f), DPR_ARG(dx),
					DPR_ARG(dy))) ||
	    (status = dpr_usm_read(queue, y, dy, 0, sizeof(y), DPR_AFTER(done),
				   &fetched)) ||
	    (status = dpr_event_wait(fetched)) ||
	    (status = dpr_event_duration(done, &nanoseconds)))
		goto out;
	for (int i = 0; i < N; i++)
		sum += (double)y[i];
	printf("y[999] = %g, sum = %g\n", (double)y[N - 1], sum);
	printf("saxpy took %" PRIu64 " ns\n", nanoseconds);
out:
	if (status)
		fprintf(stderr, "port_usm: %s\n", dpr_last_error());
	dpr_event_release(fetched);
	dpr_event_release(done);
	dpr_usm_release(dy);
	dpr_usm_release(dx);
	dpr_kernel_release(kernel);
	dpr_queue_release(queue);
	return status != DPR_OK;
}
