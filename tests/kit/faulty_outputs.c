/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_outputs.c - faults of what entries write and accept. */
#include <string.h>

#include "tests/kit/faulty.h"

static dprp_rc null_create(dprp_context *context, dprp_device *device,
			   const dprp_queue_desc *desc, uint64_t *got,
			   dprp_queue **out)
{
	dprp_rc rc =
		faulty.mock->queue->create(context, device, desc, got, out);

	*out = NULL;
	return rc;
}

static void null_handle(void)
{
	faulty.queue.create = null_create;
}

static dprp_rc unset_alloc(dprp_context *context, dprp_device *device,
			   const dprp_mem_desc *desc, dprp_mem **out)
{
	dprp_mem *mem;

	(void)out;
	return faulty.mock->mem->alloc(context, device, desc, &mem);
}

static void unset_handle(void)
{
	faulty.mem.alloc = unset_alloc;
}

static dprp_rc code_alloc(dprp_context *context, dprp_device *device,
			  const dprp_mem_desc *desc, dprp_mem **out)
{
	dprp_rc rc = faulty.mock->mem->alloc(context, device, desc, out);

	return rc ? 7 : DPR_RC_OK;
}

static void positive_code(void)
{
	faulty.mem.alloc = code_alloc;
}

static void drop_error(dprp_host_instance *self, dprp_rc rc, int64_t native,
		       const char *text)
{
	(void)self;
	(void)rc;
	(void)native;
	(void)text;
}

static void no_set_error(void)
{
	faulty.set_error = drop_error;
}

static void give_other(dprp_host_instance *self, dprp_rc rc, int64_t native,
		       const char *text)
{
	(void)rc;
	faulty.given->set_error(self, DPR_RC_NATIVE, native, text);
}

static void other_error(void)
{
	faulty.set_error = give_other;
}

static void give_nothing(dprp_host_instance *self, dprp_rc rc, int64_t native,
			 const char *text)
{
	(void)text;
	faulty.given->set_error(self, rc, native, "");
}

static void empty_error(void)
{
	faulty.set_error = give_nothing;
}

static void give_null(dprp_host_instance *self, dprp_rc rc, int64_t native,
		      const char *text)
{
	(void)text;
	faulty.given->set_error(self, rc, native, NULL);
}

static void null_error(void)
{
	faulty.set_error = give_null;
}

static dprp_rc any_create(dprp_context *context, dprp_device *device,
			  const dprp_queue_desc *desc, uint64_t *got,
			  dprp_queue **out)
{
	dprp_queue_desc known = *desc;

	known.struct_size = sizeof(known);
	known.flags &= 3;
	known.ext = NULL;
	return faulty.mock->queue->create(context, device, &known, got, out);
}

static void ignores(void)
{
	faulty.queue.create = any_create;
}

static dprp_rc exact_alloc(dprp_context *context, dprp_device *device,
			   const dprp_mem_desc *desc, dprp_mem **out)
{
	if (desc->struct_size != sizeof(*desc))
		return faulty_fail(DPR_RC_INVALID);
	return faulty.mock->mem->alloc(context, device, desc, out);
}

static void exact_struct(void)
{
	faulty.mem.alloc = exact_alloc;
}

static dprp_rc long_status(dprp_event *event, dprp_event_state *state,
			   dprp_sink text)
{
	size_t size = state->struct_size;
	dprp_event_state full = { .struct_size = sizeof(full) };
	dprp_rc rc = faulty.mock->event->status(event, &full, text);

	*state = full;
	state->struct_size = size;
	return rc;
}

static void writes_behind(void)
{
	faulty.event.status = long_status;
}

static dprp_rc size_status(dprp_event *event, dprp_event_state *state,
			   dprp_sink text)
{
	dprp_rc rc = faulty.mock->event->status(event, state, text);

	state->struct_size = 8;
	return rc;
}

static void changes_size(void)
{
	faulty.event.status = size_status;
}

static dprp_rc more_create(dprp_context *context, dprp_device *device,
			   const dprp_queue_desc *desc, uint64_t *got,
			   dprp_queue **out)
{
	dprp_rc rc =
		faulty.mock->queue->create(context, device, desc, got, out);

	*got |= DPRP_QUEUE_OUT_OF_ORDER;
	return rc;
}

static void grants_more(void)
{
	faulty.queue.create = more_create;
}

static dprp_rc small_info(dprp_mem *mem, uint32_t key, void *buffer,
			  size_t capacity, size_t *need)
{
	if (buffer && capacity < 8)
		memset(buffer, 0, capacity);
	return faulty.mock->mem->info(mem, key, buffer, capacity, need);
}

static void fills_small(void)
{
	faulty.mem.info = small_info;
}

static dprp_rc other_get(dprp_instance *instance, uint32_t index,
			 dprp_device **out)
{
	static dprp_device *copies[2];
	static int turn;

	(void)copies;
	if (turn++ % 2) {
		*out = (dprp_device *)(void *)&copies[0];
		return DPR_RC_OK;
	}
	return faulty.mock->device->get(instance, index, out);
}

static void other_device(void)
{
	faulty.device.get = other_get;
}

const struct fault faulty_outputs_faults[] = {
	{ "null_handle", null_handle },
	{ "unset_handle", unset_handle },
	{ "positive_code", positive_code },
	{ "no_set_error", no_set_error },
	{ "other_error", other_error },
	{ "empty_error", empty_error },
	{ "null_error", null_error },
	{ "ignores", ignores },
	{ "exact_struct", exact_struct },
	{ "writes_behind", writes_behind },
	{ "changes_size", changes_size },
	{ "grants_more", grants_more },
	{ "fills_small", fills_small },
	{ "other_device", other_device },
	{ NULL, NULL },
};
