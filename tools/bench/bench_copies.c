/* SPDX-License-Identifier: Apache-2.0 */
/* bench_copies.c - our side of the rows on copies. */
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
	/* of "transfer" */
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

	if (dpr_usm_copy(c->queue, c->b, 0, c->a, 0, c->size, NULL, NULL) ||
	    dpr_queue_wait(c->queue))
		return bench_side_failed(message);
	return true;
}

static bool same_values(const struct copies *c, const char *who,
			struct message *message)
{
	for (size_t i = 0; i < c->size / sizeof(float); i++)
		if (c->host[i] != bench_values_x(i))
			return message_set(message, "%s: element %zu is wrong",
					   who, i);
	return true;
}

/* What was written is read into memory that had something else. */
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

/* Memory on both sides, the device's filled. */
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
	side->work *= 2;
	c = side->state;
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
	if (dpr_array_to_memory(c->back, c->host, NULL))
		return bench_side_failed(message);
	return same_values(c, "dpr_array_to_device", message);
}

bool bench_copies_transfer(struct bench *bench, struct bench_side *side,
			   struct message *message)
{
	struct copies *c;
	dpr_device *home;
	dpr_queue *queue;
	uint64_t largest;

	if (dpr_device_select("host", &home))
		return bench_side_none(side, "there is no device host");
	if (home == dpr_device_root(bench->device))
		return bench_side_none(side, "this is the device host");
	if (!dpr_device_info_u64(bench->device, DPR_INFO_MAX_ALLOC_SIZE,
				 &largest) &&
	    largest < bench->transfer_bytes)
		return bench_side_none(side, "no allocation is that large");
	c = calloc(1, sizeof(*c));
	if (!c)
		return message_set(message, "no memory for a row");
	side->state = c;
	side->close = close_copies;
	side->run = transfer_run;
	side->check = transfer_check;
	side->work = 2.0 * (double)bench->transfer_bytes;
	c->device = bench->device;
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
