/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_queue.c - the entries of queues. */
#include "core/runtime/layer/wrap_queue.h"

#include "core/base/mem.h"
#include "core/base/small_list.h"
#include "core/runtime/layer/submission.h"
#include "core/runtime/layer/wrap_event.h"

/* The most events of a queue that a finish is checked with. */
#define MOST_EVENTS 64

/* --- Making and destroying --------------------------------------------------
 */

static dprp_rc wrap_create(dprp_context *context, dprp_device *device,
			   const dprp_queue_desc *desc, uint64_t *got,
			   dprp_queue **out)
{
	uint64_t granted = PASSAGE_LONG;
	dprp_queue *made = PASSAGE_UNSET;
	struct passage_maker m;
	struct passage p;
	dprp_rc rc = passage_begin_making(&p, ENTRY_queue_create, TAG_QUEUE,
					  context, device, &m);

	if (rc)
		return rc;
	rc = passage_end(&p, p.layer->queue.create(m.context, m.device, desc,
						   &granted, &made));
	if (!rc && granted == PASSAGE_LONG)
		passage_bad(&p, "P1", "the granted flags in *got",
			    "DPR_RC_OK, and *got was not set");
	else if (!rc && (granted & ~desc->flags))
		passage_bad(&p, "Q1", "a subset of the flags asked for",
			    "the flags %#llx, of %#llx",
			    (unsigned long long)granted,
			    (unsigned long long)desc->flags);
	m.tag->u.queue = (struct tag_queue){ .device = tag_number(device),
					     .flags = granted };
	if (!rc && granted != PASSAGE_LONG)
		*got = granted;
	*out = passage_made(&p, rc, m.tag, made);
	return rc;
}

static void wrap_destroy(dprp_queue *queue)
{
	struct passage p;
	void *real;

	if (passage_begin(&p, ENTRY_queue_destroy, TAG_QUEUE, queue, &real))
		return;
	if (tag_remove(TAG_QUEUE, tag_number(queue)))
		p.layer->queue.destroy(real);
	(void)passage_end(&p, DPR_RC_OK);
}

static dprp_rc wrap_flush(dprp_queue *queue)
{
	struct passage p;
	void *real;
	dprp_rc rc =
		passage_begin(&p, ENTRY_queue_flush, TAG_QUEUE, queue, &real);

	return rc ? rc : passage_end(&p, p.layer->queue.flush(real));
}

/* --- Waiting ----------------------------------------------------------------
 */

/* Events of a queue that were not seen to be over. */
struct pending {
	uintptr_t queue;
	uintptr_t events[MOST_EVENTS];
	size_t n;
};

static void collect(void *user, struct tag *tag)
{
	struct pending *pending = user;

	if (tag->u.event.queue == pending->queue &&
	    tag->u.event.state < DPRP_EVENT_DONE && pending->n < MOST_EVENTS)
		pending->events[pending->n++] = tag->number;
}

/* Note that finish begins; returns the number of submissions so far. */
static uint64_t finish_begins(uintptr_t number)
{
	struct tag *tag = tag_get(TAG_QUEUE, number);
	uint64_t submitted;

	if (!tag)
		return 0;
	tag->u.queue.finishing++;
	submitted = tag->u.queue.submitted;
	tag_put();
	return submitted;
}

/* Note its end.  Returns whether it repeats a failure: nothing was submitted
   since the last call that failed. */
static bool finish_ends(uintptr_t number, uint64_t submitted, dprp_rc rc)
{
	struct tag *tag = tag_get(TAG_QUEUE, number);
	bool alone, repeats;

	if (!tag)
		return false;
	alone = --tag->u.queue.finishing == 0;
	repeats = rc && alone && tag->u.queue.failed_at == submitted + 1;
	if (rc && alone && tag->u.queue.submitted == submitted)
		tag->u.queue.failed_at = submitted + 1;
	tag_put();
	return repeats;
}

static dprp_rc wrap_finish(dprp_queue *queue)
{
	struct pending pending = { .queue = tag_number(queue) };
	uint64_t submitted;
	struct passage p;
	void *real;
	bool repeats;
	dprp_rc rc =
		passage_begin(&p, ENTRY_queue_finish, TAG_QUEUE, queue, &real);
	size_t i;

	if (rc)
		return rc;
	submitted = finish_begins(pending.queue);
	tag_each(TAG_EVENT, collect, &pending);
	rc = passage_end(&p, p.layer->queue.finish(real));
	repeats = finish_ends(pending.queue, submitted, rc);
	if (!p.layer->checks)
		return rc;
	if (repeats && rc != DPR_RC_DEVICE_LOST)
		passage_bad(&p, "Q5", "DPR_RC_OK, since nothing was submitted",
			    "the code %d after an earlier failure", (int)rc);
	for (i = 0; i < pending.n && !rc; i++)
		if (!wrap_event_over(&p, pending.events[i]))
			passage_bad(&p, "Q4",
				    "DPR_RC_OK when all that was submitted "
				    "before is over",
				    "DPR_RC_OK, and an event that is not "
				    "over");
	return rc;
}

/* --- Submissions ------------------------------------------------------------
 */

static dprp_rc wrap_barrier(dprp_queue *queue, const dprp_deps *deps,
			    dprp_event **event)
{
	struct submission s;
	dprp_rc rc =
		submission_begin(&s, ENTRY_queue_barrier, queue, deps, event);

	if (rc)
		return rc;
	rc = s.p.layer->queue.barrier(s.queue, submission_deps(&s),
				      submission_event(&s));
	return submission_end(&s, rc, event);
}

/* Host memory, and whether a HOST or imported allocation has it. */
struct host_range {
	const struct layer *layer;
	uintptr_t address, newest;
	bool found;
};

static void look_for_range(void *user, struct tag *tag)
{
	const struct tag_mem *mem = &tag->u.mem;
	struct host_range *range = user;

	/* Another thread may import the memory during the call. */
	range->found |= tag->layer == range->layer &&
			tag->number <= range->newest &&
			(mem->kind == DPRP_MEM_HOST ||
			 mem->kind == DPRP_MEM_IMPORT_HOST) &&
			mem->address && range->address >= mem->address &&
			range->address - mem->address < mem->size;
}

/* Check an answer of write or read.  With dependencies NO_PATH may mean that
   the driver cannot wait for them. */
static void check_host(struct submission *s, dprp_rc rc, const void *host)
{
	const bool waits = s->given && s->given->count;
	struct host_range range = { .layer = s->p.layer,
				    .address = (uintptr_t)host,
				    .newest = s->newest };

	if (!s->p.layer->checks ||
	    (rc != DPR_RC_HOST_MEMORY && (rc != DPR_RC_NO_PATH || waits)))
		return;
	tag_each(TAG_MEM, look_for_range, &range);
	if (range.found)
		passage_bad(&s->p, "Q7",
			    "any other code, for HOST or imported memory", "%s",
			    rc == DPR_RC_NO_PATH ? "DPR_RC_NO_PATH"
						 : "DPR_RC_HOST_MEMORY");
}

static dprp_rc wrap_write(dprp_queue *queue, dprp_mem *to, uint64_t offset,
			  const void *from, uint64_t size,
			  const dprp_deps *deps, dprp_event **event)
{
	struct submission s;
	dprp_rc rc = submission_begin_on(&s, ENTRY_queue_write, queue, &to,
					 deps, event);

	if (rc)
		return rc;
	s.empty = !size;
	rc = s.p.layer->queue.write(s.queue, to, offset, from, size,
				    submission_deps(&s), submission_event(&s));
	check_host(&s, rc, from);
	return submission_end(&s, rc, event);
}

static dprp_rc wrap_read(dprp_queue *queue, dprp_mem *from, uint64_t offset,
			 void *to, uint64_t size, const dprp_deps *deps,
			 dprp_event **event)
{
	struct submission s;
	dprp_rc rc = submission_begin_on(&s, ENTRY_queue_read, queue, &from,
					 deps, event);

	if (rc)
		return rc;
	s.empty = !size;
	rc = s.p.layer->queue.read(s.queue, from, offset, to, size,
				   submission_deps(&s), submission_event(&s));
	check_host(&s, rc, to);
	return submission_end(&s, rc, event);
}

static dprp_rc wrap_copy(dprp_queue *queue, dprp_mem *to, uint64_t to_offset,
			 dprp_mem *from, uint64_t from_offset, uint64_t size,
			 const dprp_deps *deps, dprp_event **event)
{
	struct submission s;
	dprp_mem *real_to, *real_from;
	dprp_rc rc = submission_begin(&s, ENTRY_queue_copy, queue, deps, event);

	if (rc)
		return rc;
	real_to = passage_real(&s.p, TAG_MEM, to);
	real_from = passage_real(&s.p, TAG_MEM, from);
	if (!real_to || !real_from)
		return submission_cancel(&s, DPR_RC_ABI);
	s.empty = !size;
	rc = s.p.layer->queue.copy(s.queue, real_to, to_offset, real_from,
				   from_offset, size, submission_deps(&s),
				   submission_event(&s));
	return submission_end(&s, rc, event);
}

static dprp_rc wrap_fill(dprp_queue *queue, dprp_mem *to, uint64_t offset,
			 uint64_t size, const void *pattern,
			 size_t pattern_size, const dprp_deps *deps,
			 dprp_event **event)
{
	struct submission s;
	dprp_rc rc = submission_begin_on(&s, ENTRY_queue_fill, queue, &to, deps,
					 event);

	if (rc)
		return rc;
	s.empty = !size;
	rc = s.p.layer->queue.fill(s.queue, to, offset, size, pattern,
				   pattern_size, submission_deps(&s),
				   submission_event(&s));
	return submission_end(&s, rc, event);
}

static dprp_rc wrap_prefetch(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
			     uint64_t size, const dprp_deps *deps,
			     dprp_event **event)
{
	struct submission s;
	dprp_rc rc = submission_begin_on(&s, ENTRY_queue_prefetch, queue, &mem,
					 deps, event);

	if (rc)
		return rc;
	rc = s.p.layer->queue.prefetch(s.queue, mem, offset, size,
				       submission_deps(&s),
				       submission_event(&s));
	return submission_end(&s, rc, event);
}

static dprp_rc wrap_advise(dprp_queue *queue, dprp_mem *shown, uint64_t offset,
			   uint64_t size, uint32_t advice)
{
	struct passage p;
	dprp_mem *mem;
	void *real;
	dprp_rc rc =
		passage_begin(&p, ENTRY_queue_advise, TAG_QUEUE, queue, &real);

	if (rc)
		return rc;
	mem = passage_real(&p, TAG_MEM, shown);
	if (!mem)
		return passage_cancel(&p, DPR_RC_ABI);
	return passage_end(
		&p, p.layer->queue.advise(real, mem, offset, size, advice));
}

struct args {
	SMALL_LIST(dprp_arg, 16);
};

/* Copy the arguments with the plugin's memory in them. */
static dprp_rc find_args(struct submission *s, const dprp_launch *launch,
			 struct args *args)
{
	uint32_t i;

	if (!small_list_reserve(args, launch->n_args))
		return DPR_RC_OOM_HOST;
	for (i = 0; i < launch->n_args; i++) {
		dprp_arg *arg = &args->list[i];

		*arg = launch->args[i];
		if (arg->kind != DPRP_ARG_MEM)
			continue;
		arg->u.m.mem = passage_real(&s->p, TAG_MEM, arg->u.m.mem);
		if (!arg->u.m.mem)
			return DPR_RC_ABI;
	}
	return DPR_RC_OK;
}

static dprp_rc wrap_launch(dprp_queue *queue, dprp_kernel *shown,
			   const dprp_launch *launch, const dprp_deps *deps,
			   dprp_event **event)
{
	dprp_launch own = *launch;
	dprp_kernel *kernel;
	struct submission s;
	struct args args;
	dprp_rc rc =
		submission_begin(&s, ENTRY_queue_launch, queue, deps, event);

	if (rc)
		return rc;
	small_list_init(&args);
	kernel = passage_real(&s.p, TAG_KERNEL, shown);
	rc = kernel ? find_args(&s, launch, &args) : DPR_RC_ABI;
	if (rc) {
		small_list_fini(&args);
		return submission_cancel(&s, rc);
	}
	s.empty = !own.global[0] || !own.global[1] || !own.global[2];
	own.args = args.list;
	rc = s.p.layer->queue.launch(s.queue, kernel, &own, submission_deps(&s),
				     submission_event(&s));
	small_list_fini(&args);
	return submission_end(&s, rc, event);
}

void wrap_queue_install(struct layer *layer, dprp_queue_ops *ops)
{
	const dprp_queue_ops *own = layer->desc->queue;

	ops->create = wrap_create;
	ops->destroy = wrap_destroy;
	ops->flush = wrap_flush;
	ops->finish = wrap_finish;
	ops->barrier = wrap_barrier;
	ops->write = wrap_write;
	ops->read = wrap_read;
	ops->copy = wrap_copy;
	if (DPRP_HAS(own, dprp_queue_ops, launch))
		ops->launch = wrap_launch;
	if (DPRP_HAS(own, dprp_queue_ops, fill))
		ops->fill = wrap_fill;
	if (DPRP_HAS(own, dprp_queue_ops, prefetch))
		ops->prefetch = wrap_prefetch;
	if (DPRP_HAS(own, dprp_queue_ops, advise))
		ops->advise = wrap_advise;
}
