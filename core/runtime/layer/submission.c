/* SPDX-License-Identifier: Apache-2.0 */
/* submission.c - a call of an entry that submits to a queue. */
#include "core/runtime/layer/submission.h"

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/runtime/layer/wrap_event.h"

/* Whether the device, or the device of which it is a part, was lost. */
static bool is_lost(uintptr_t device)
{
	struct tag *tag = tag_get(TAG_DEVICE, device);
	bool lost = tag && tag->u.device.lost;
	uintptr_t root = tag ? tag->u.device.root : 0;

	if (tag)
		tag_put();
	return lost || (root && is_lost(root));
}

/* Note that a submission to the queue begins.  Returns how many others are
   under way. */
static unsigned enter(struct submission *s)
{
	struct tag *tag = tag_get(TAG_QUEUE, s->number);
	uintptr_t device;
	unsigned others;

	if (!tag)
		return 0;
	others = tag->u.queue.busy++;
	device = tag->u.queue.device;
	s->profiling = tag->u.queue.flags & DPRP_QUEUE_PROFILING;
	s->out_of_order = tag->u.queue.flags & DPRP_QUEUE_OUT_OF_ORDER;
	tag_put();
	s->lost = is_lost(device);
	return others;
}

/* Note the end of a submission.  Returns its number on the queue. */
static uint64_t leave(struct submission *s, bool submitted)
{
	struct tag *tag = tag_get(TAG_QUEUE, s->number);
	uint64_t nth;

	if (!tag)
		return 0;
	tag->u.queue.busy--;
	nth = tag->u.queue.submitted += submitted;
	tag_put();
	return nth;
}

/* Find the plugin's events for the dependencies. */
static dprp_rc find_deps(struct submission *s)
{
	uint32_t i;

	if (!s->given)
		return DPR_RC_OK;
	s->deps = *s->given;
	if (s->deps.struct_size > sizeof(s->deps))
		s->deps.struct_size = sizeof(s->deps);
	s->list = s->few;
	if (s->deps.count > SUBMISSION_FEW)
		s->list = mem_array(s->deps.count, sizeof(dprp_event *));
	if (!s->list)
		return DPR_RC_OOM_HOST;
	for (i = 0; i < s->deps.count; i++) {
		s->list[i] =
			passage_real(&s->p, TAG_EVENT, s->given->events[i]);
		if (!s->list[i])
			return DPR_RC_ABI;
	}
	s->deps.events = s->list;
	return DPR_RC_OK;
}

static void drop_list(struct submission *s)
{
	if (s->list != s->few)
		mem_free(s->list);
	s->list = NULL;
}

static void cancel(struct submission *s)
{
	leave(s, false);
	drop_list(s);
	tag_drop(s->tag);
	s->tag = NULL;
}

dprp_rc submission_cancel(struct submission *s, dprp_rc rc)
{
	cancel(s);
	return passage_cancel(&s->p, rc);
}

dprp_rc submission_begin(struct submission *s, enum entry entry,
			 dprp_queue *queue, const dprp_deps *deps,
			 dprp_event **event)
{
	void *real;
	dprp_rc rc;

	*s = (struct submission){ .number = tag_number(queue), .given = deps };
	rc = passage_begin(&s->p, entry, TAG_QUEUE, queue, &real);
	if (rc)
		return rc;
	s->queue = real;
	s->event = PASSAGE_UNSET;
	s->made = clock_now();
	s->newest = tag_newest();
	if (enter(s))
		passage_bad(&s->p, FINDING_CORE,
			    "one thread at a time that submits to a queue",
			    "a call while another submits to this queue");
	if (event) {
		s->tag = tag_new(s->p.layer, TAG_EVENT, 0);
		if (!s->tag)
			return submission_cancel(s, DPR_RC_OOM_HOST);
	}
	rc = find_deps(s);
	return rc ? submission_cancel(s, rc) : DPR_RC_OK;
}

dprp_rc submission_begin_on(struct submission *s, enum entry entry,
			    dprp_queue *queue, dprp_mem **mem,
			    const dprp_deps *deps, dprp_event **event)
{
	dprp_rc rc = submission_begin(s, entry, queue, deps, event);

	if (rc)
		return rc;
	*mem = passage_real(&s->p, TAG_MEM, *mem);
	return *mem ? DPR_RC_OK : submission_cancel(s, DPR_RC_ABI);
}

dprp_rc submission_end(struct submission *s, dprp_rc rc, dprp_event **event)
{
	uint64_t nth;

	drop_list(s);
	s->p.has_deps = s->given && s->given->count;
	rc = passage_end(&s->p, rc);
	nth = leave(s, !rc);
	if (!rc && s->lost)
		passage_bad(&s->p, "H3", "a failure, as the device is lost",
			    "DPR_RC_OK");
	if (!s->tag)
		return rc;
	s->tag->u.event = (struct tag_event){
		.entry = s->p.entry,
		.queue = s->number,
		.nth = nth,
		.profiling = s->profiling,
		.out_of_order = s->out_of_order,
		.empty = s->empty,
		.has_deps = s->given && s->given->count,
		.made = s->made,
		.since = clock_now(),
	};
	if (!rc && s->given && s->given->count)
		wrap_event_depend(s->given, &s->tag->u.event);
	*event = passage_made(&s->p, rc, s->tag, s->event);
	return rc;
}
