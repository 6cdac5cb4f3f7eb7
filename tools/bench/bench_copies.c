/* SPDX-License-Identifier: Apache-2.0 */
/* bench_copies.c - dpr's side of the rows on copies. */
#include "tools/bench/bench_copies.h"

#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tools/bench/bench_values.h"

struct copies {
	dpr_queue *queue;
	dpr_usm *a, *b;
	float *host;
	size_t size;
	int batch; /* copies within the device per run */
	/* for copies of arrays */
	dpr_device *device, *home;
	dpr_array *x, *there, *back;
};

static void close_copies(void *state)
{
	struct copies *c = state;

	if (!c)
		return;
	dpr_usm_release(c->a);
	dpr_usm_release(c->b);
	dpr_array_release(c->x);
	dpr_array_release(c->there);
	dpr_array_release(c->back);
	free(c->host);
	free(c);
}

static bool write_run(void *state, struct message *message)
{
	struct copies *c = state;

	if (dpr_usm_write(c->queue, c->a, 0, c->host, c->size, NULL, NULL) ||
	    dpr_queue_wait(c->queue))
		return bench_side_failed(message);
	return true;
}

static bool read_run(void *state, struct message *message)
{
	struct copies *c = state;

	if (dpr_usm_read(c->queue, c->host, c->a, 0, c->size, NULL, NULL))
		return bench_side_failed(message);
	return true;
}

static bool copy_run(void *state, struct message *message)
{
	struct copies *c = state;

	for (int i = 0; i < c->batch; i++)
		if (dpr_usm_copy(c->queue, c->b, 0, c->a, 0, c->size, NULL,
				 NULL))
			return bench_side_failed(message);
	return dpr_queue_wait(c->queue) ? bench_side_failed(message) : true;
}

static bool same_values(const struct copies *c, const char *who,
			struct message *message)
{
	return bench_values_check_x(c->host, c->size / sizeof(float), who,
				    message);
}

/* Read back what was written, over other contents, and check it. */
static bool write_check(void *state, struct message *message)
{
	struct copies *c = state;

	memset(c->host, 0, c->size);
	return read_run(c, message) && same_values(c, "dpr_usm_write", message);
}

static bool read_check(void *state, struct message *message)
{
	return same_values(state, "dpr_usm_read", message);
}

static bool copy_check(void *state, struct message *message)
{
	struct copies *c = state;

	memset(c->host, 0, c->size);
	if (dpr_usm_read(c->queue, c->host, c->b, 0, c->size, NULL, NULL))
		return bench_side_failed(message);
	return same_values(c, "dpr_usm_copy", message);
}

/* Allocate memory on the host and on the device, and fill the device's. */
static bool open_copies(struct bench *bench, struct bench_side *side,
			struct message *message)
{
	struct copies *c = calloc(1, sizeof(*c));

	if (!c)
		return message_set(message, "no memory for a row");
	side->state = c;
	side->close = close_copies;
	side->work = (double)bench->bytes;
	c->queue = bench->queue;
	c->size = bench->bytes;
	c->host = bench_values_new(c->size / sizeof(float), bench_values_x,
				   message);
	if (!c->host)
		return false;
	if (dpr_usm_alloc(c->queue, DPR_USM_DEVICE, c->size, &c->a))
		return bench_side_failed(message);
	return write_run(c, message);
}

bool bench_copies_write(struct bench *bench, struct bench_side *side,
			struct message *message)
{
	side->run = write_run;
	side->check = write_check;
	return open_copies(bench, side, message);
}

bool bench_copies_read(struct bench *bench, struct bench_side *side,
		       struct message *message)
{
	struct copies *c;

	side->run = read_run;
	side->check = read_check;
	if (!open_copies(bench, side, message))
		return false;
	c = side->state;
	memset(c->host, 0, c->size);
	return true;
}

bool bench_copies_device_copy(struct bench *bench, struct bench_side *side,
			      struct message *message)
{
	struct copies *c;

	side->run = copy_run;
	side->check = copy_check;
	if (!open_copies(bench, side, message))
		return false;
	side->work *= 2.0 * bench->batch;
	c = side->state;
	c->batch = bench->batch;
	if (dpr_usm_alloc(c->queue, DPR_USM_DEVICE, c->size, &c->b))
		return bench_side_failed(message);
	return true;
}

static bool transfer_run(void *state, struct message *message)
{
	struct copies *c = state;
	dpr_array *back = NULL;

	if (dpr_array_to_device(c->x, c->device, &c->there) ||
	    dpr_array_to_device(c->there, c->home, &back) ||
	    dpr_array_wait(back)) {
		dpr_array_release(back);
		return bench_side_failed(message);
	}
	dpr_array_release(c->there);
	dpr_array_release(c->back);
	c->there = NULL;
	c->back = back;
	return true;
}

static bool transfer_check(void *state, struct message *message)
{
	struct copies *c = state;

	memset(c->host, 0, c->size);
	if (dpr_array_to_memory(c->back, c->host, dpr_array_nbytes(c->back),
				NULL))
		return bench_side_failed(message);
	return same_values(c, "dpr_array_to_device", message);
}

static bool takes_transfer(const struct bench *bench, const dpr_device *device)
{
	uint64_t largest;

	return dpr_device_info_u64(device, DPR_INFO_MAX_ALLOC_SIZE, &largest) ||
	       largest >= bench->transfer_bytes;
}

/* Open a side that moves an array of device @home. */
static bool open_arrays(struct bench *bench, dpr_device *home,
			struct bench_side *side, struct message *message)
{
	struct copies *c = calloc(1, sizeof(*c));
	dpr_queue *queue;

	if (!c)
		return message_set(message, "no memory for a row");
	side->state = c;
	side->close = close_copies;
	side->work = (double)bench->transfer_bytes;
	c->home = home;
	c->size = bench->transfer_bytes;
	c->host = bench_values_new(c->size / sizeof(float), bench_values_x,
				   message);
	if (!c->host)
		return false;
	if (dpr_device_queue(home, &queue) ||
	    dpr_array_from_memory(c->host,
				  DPR_SHAPE((int64_t)(c->size / sizeof(float))),
				  NULL, DPR_FLOAT32, queue, &c->x))
		return bench_side_failed(message);
	return true;
}

bool bench_copies_transfer(struct bench *bench, struct bench_side *side,
			   struct message *message)
{
	dpr_device *home;

	if (dpr_device_select("host", &home))
		return bench_side_none(side, "there is no host backend");
	if (home == dpr_device_root(bench->device))
		return bench_side_none(side,
				       "this is the host backend's device");
	if (!takes_transfer(bench, bench->device))
		return bench_side_none(
			side, "the array is larger than an allocation can be");
	side->run = transfer_run;
	side->check = transfer_check;
	if (!open_arrays(bench, home, side, message))
		return false;
	side->work *= 2;
	((struct copies *)side->state)->device = bench->device;
	return true;
}

static bool there_run(void *state, struct message *message)
{
	struct copies *c = state;

	dpr_array_release(c->back);
	c->back = NULL;
	if (dpr_array_to_device(c->x, c->device, &c->back) ||
	    dpr_array_wait(c->back))
		return bench_side_failed(message);
	return true;
}

/* Open a side that moves an array from the bench's device to @device. */
static bool open_there(struct bench *bench, dpr_device *device,
		       struct bench_side *side, struct message *message)
{
	if (device == dpr_device_root(bench->device))
		return bench_side_none(side, "both are the same device");
	if (!takes_transfer(bench, bench->device) ||
	    !takes_transfer(bench, device))
		return bench_side_none(
			side, "the array is larger than an allocation can be");
	side->run = there_run;
	side->check = transfer_check;
	if (!open_arrays(bench, bench->device, side, message))
		return false;
	((struct copies *)side->state)->device = device;
	return true;
}

bool bench_copies_to_cpu(struct bench *bench, struct bench_side *side,
			 struct message *message)
{
	dpr_device *device;

	if (dpr_device_select("opencl:cpu", &device))
		return bench_side_none(side, "there is no opencl:cpu");
	return open_there(bench, device, side, message);
}

bool bench_copies_to_opencl(struct bench *bench, struct bench_side *side,
			    struct message *message)
{
	dpr_device *device;

	if (dpr_device_select("opencl:gpu", &device))
		return bench_side_none(side, "there is no opencl:gpu");
	return open_there(bench, device, side, message);
}

dpr_device *bench_copies_other(const dpr_device *device)
{
	dpr_device *devices[64];
	size_t i, n = 0;

	if (dpr_device_enumerate(dpr_device_backend(device), devices, 64, &n))
		return NULL;
	for (i = 0; i < n && i < 64; i++)
		if (devices[i] != dpr_device_root(device))
			return devices[i];
	return NULL;
}

bool bench_copies_peer(struct bench *bench, struct bench_side *side,
		       struct message *message)
{
	dpr_device *device = bench_copies_other(bench->device);

	if (!device)
		return bench_side_none(side, "the backend has no other device");
	return open_there(bench, device, side, message);
}
