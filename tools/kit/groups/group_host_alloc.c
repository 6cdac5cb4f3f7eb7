/* SPDX-License-Identifier: Apache-2.0 */
/* group_host_alloc.c - every allocation of host memory fails once. */
#include <string.h>

#include "tools/kit/groups/groups.h"
#include "tools/kit/samples.h"
#include "tools/kit/work.h"

enum { MOST = 4000 };

/* What the tour has made. */
struct tour {
	dprp_mem *mem;
	dprp_kernel *kernel;
	dprp_event *first, *second;
};

/* After a failure the outputs of an entry mean nothing: so they are taken over
   only then. */
static dprp_rc open_queue(struct kit *kit)
{
	dprp_queue_desc desc = { .struct_size = sizeof(desc) };
	dprp_queue *queue = NOTE_POISON;
	dprp_rc rc;

	rc = NOTE_CALL(kit->plugin->queue->create(kit->context, kit->device,
						  &desc, &kit->got_flags,
						  &queue),
		       "queue->create", "flags=0");
	if (rc)
		return rc;
	note_handle(queue);
	kit->queue = queue;
	return DPR_RC_OK;
}

static dprp_rc open_all(struct kit *kit)
{
	const dprp_plugin *p = kit->plugin;
	dprp_context *context = NOTE_POISON;
	dprp_rc rc = kit_start(kit);

	if (!rc)
		rc = NOTE_CALL(p->device->count(kit->instance, &kit->n_devices),
			       "device->count", "%s", "");
	if (!rc)
		rc = NOTE_CALL(p->device->get(kit->instance, 0, &kit->device),
			       "device->get", "index=0");
	if (!rc)
		rc = NOTE_CALL(p->context->create(kit->instance, kit->device,
						  NULL, &context),
			       "context->create", "%s", "");
	if (rc)
		return rc;
	note_handle(context);
	kit->context = context;
	return open_queue(kit);
}

/* Make a module, if the plugin has modules and takes an image. */
static dprp_rc open_module(struct kit *kit, struct tour *tour)
{
	const dprp_image *list[SAMPLES];
	dprp_kernel *kernel = NOTE_POISON;
	uint32_t i, best;
	dprp_rc rc;

	if (!kit->plugin->module)
		return DPR_RC_OK;
	for (i = 0; i < SAMPLES; i++)
		list[i] = &samples_all[i];
	rc = NOTE_CALL(
		kit->plugin->module->pick(kit->device, list, SAMPLES, &best),
		"module->pick", "native, opencl-c, spirv, ptx");
	if (rc == DPR_RC_UNSUPPORTED)
		return DPR_RC_OK;
	if (!rc)
		rc = samples_make(kit, list[best], &kit->module);
	if (rc) {
		kit->module = NULL;
		return rc;
	}
	kit->format = list[best]->format;
	rc = NOTE_CALL(
		kit->plugin->module->kernel(kit->module, "add_one", &kernel),
		"module->kernel", "name=\"add_one\"");
	if (!rc) {
		note_handle(kernel);
		tour->kernel = kernel;
	}
	return rc;
}

static dprp_rc submit(struct kit *kit, struct tour *tour)
{
	const dprp_queue_ops *ops = kit->plugin->queue;
	const uint64_t n = 16;
	const dprp_arg args[2] = { samples_mem(tour->mem, 0),
				   samples_value(&n, 8) };
	const dprp_launch launch = { .struct_size = sizeof(launch),
				     .dims = 1,
				     .n_args = 2,
				     .global = { n, 1, 1 },
				     .args = args };
	dprp_event *event = NOTE_POISON;
	dprp_deps deps;
	dprp_rc rc;

	rc = NOTE_CALL(ops->copy(kit->queue, tour->mem, 0, tour->mem, 2048, 64,
				 NULL, &event),
		       "queue->copy", "size=64");
	if (!rc)
		tour->first = event;
	if (!rc && tour->kernel)
		rc = NOTE_CALL(ops->launch(kit->queue, tour->kernel, &launch,
					   NULL, NULL),
			       "queue->launch", "add_one");
	if (!rc) {
		deps = work_deps(&tour->first, 1);
		rc = NOTE_CALL(ops->barrier(kit->queue, &deps, &event),
			       "queue->barrier", "1 dep");
		if (work_must_wait(rc, 1))
			rc = NOTE_CALL(ops->barrier(kit->queue, NULL, &event),
				       "queue->barrier", "%s", "");
	}
	if (!rc)
		tour->second = event;
	if (!rc && DPRP_HAS(ops, dprp_queue_ops, fill))
		rc = NOTE_CALL(ops->fill(kit->queue, tour->mem, 0, 64, "\1", 1,
					 NULL, NULL),
			       "queue->fill", "size=64");
	if (!rc && DPRP_HAS(kit->plugin->event, dprp_event_ops, notify))
		rc = NOTE_CALL(kit->plugin->event->notify(tour->second, 5),
			       "event->notify", "%s", "");
	/* Without them, dpr has another way. */
	return rc == DPR_RC_NO_PATH || rc == DPR_RC_UNSUPPORTED ? DPR_RC_OK
								: rc;
}

/* Waiting for the queue may need memory, too.  It succeeds once there is some
   again. */
static dprp_rc finish(struct kit *kit)
{
	struct note_call call;
	dprp_rc rc;

	if (!kit->queue)
		return DPR_RC_OK;
	rc = NOTE_CALL(kit->plugin->queue->finish(kit->queue), "queue->finish",
		       "%s", "");
	pthread_mutex_lock(&kit->host.lock);
	kit->host.fail_at = 0;
	pthread_mutex_unlock(&kit->host.lock);
	if (!rc)
		return rc;
	call = note_last();
	NOTE_CALL(kit->plugin->queue->finish(kit->queue), "queue->finish", "%s",
		  "with memory again");
	note_again(&call);
	return rc;
}

/* Use each part of the plugin, up to the first failure.  A finding names the
   call that has failed. */
static dprp_rc visit(struct kit *kit)
{
	struct tour tour = { 0 };
	struct note_call call;
	dprp_rc rc = open_all(kit), last;

	if (!rc)
		rc = work_alloc(kit, DPRP_MEM_DEVICE, 4096, 0, NULL, &tour.mem);
	if (!rc)
		rc = open_module(kit, &tour);
	if (!rc)
		rc = submit(kit, &tour);
	call = note_last();
	last = finish(kit);
	if (!rc)
		call = note_last();
	rc = rc ? rc : last;
	if (tour.first)
		work_destroy(kit, tour.first);
	if (tour.second)
		work_destroy(kit, tour.second);
	if (tour.kernel)
		samples_drop(kit, tour.kernel);
	if (tour.mem)
		work_free(kit, tour.mem);
	note_again(&call);
	return rc;
}

/* Let each allocation fail in its turn, alone or with all later ones. */
static void each(struct kit *kit, bool later)
{
	struct kit fresh;
	uint64_t at, allocs;
	unsigned failures = 0;
	dprp_rc rc;

	for (at = 1; at < MOST && !note_found(); at++) {
		note_context("; allocation %llu fails%s", ULL(at),
			     later ? ", and all later ones" : "");
		fresh = *kit;
		kit_host_init(&fresh.host, &fresh.table, kit->plugin->name);
		fresh.host.fail_at = at;
		fresh.leaks = "P2";
		fresh.host.fail_on = later;
		rc = visit(&fresh);
		allocs = fresh.host.allocs;
		/* The plugin may do without some. */
		if (rc && rc != DPR_RC_OOM_HOST)
			note_bad("H4", "OOM_HOST, or OK", "%s: %s",
				 note_rc_name(rc), note_error_text());
		failures += rc != DPR_RC_OK;
		kit_close(&fresh);
		if (allocs < at)
			break;
	}
	if (at == 1)
		note_skip("the plugin does not use host->alloc()");
	if (!failures && !note_found())
		note_tell("no allocation was needed");
}

static void alone(struct kit *kit)
{
	each(kit, false);
}

static void all_later(struct kit *kit)
{
	each(kit, true);
}

static const struct kit_check checks[] = {
	{ "alone", alone, KIT_CLOSED },
	{ "all_later", all_later, KIT_CLOSED },
};

const struct kit_group group_host_alloc = {
	"host_alloc", "every allocation of host memory fails once", checks,
	KIT_COUNT(checks)
};
