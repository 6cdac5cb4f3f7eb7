/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turn.c - the order of work, as far as its events show it.
 *
 * Work that is done began after its dependencies, and after earlier work of its
 * queue or earlier barriers.  If one of these is asked afterwards, and is not
 * over, the plugin did not keep the order.
 */
#include "core/runtime/layer/turn.h"

#include "core/base/mem.h"
#include "core/runtime/layer/finding.h"
#include "core/runtime/layer/passage.h"

/* The most events that are asked after one. */
#define MOST 32

/* Events that must be over. */
struct earlier {
	const struct layer *layer;
	struct tag_event event; /* the event that is done */
	uintptr_t list[MOST];
	size_t n;
};

static bool is_barrier(const struct tag_event *event)
{
	return event->entry == ENTRY_queue_barrier;
}

/* Whether work without a dependency on @other must be after it. */
static bool is_after(const struct tag_event *event,
		     const struct tag_event *other)
{
	if (event->queue != other->queue || other->nth >= event->nth)
		return false;
	return !event->out_of_order || is_barrier(other) ||
	       (is_barrier(event) && !event->has_deps);
}

static void collect(void *user, struct tag *tag)
{
	struct earlier *earlier = user;

	if (tag->layer == earlier->layer && earlier->n < MOST &&
	    tag->u.event.state < DPRP_EVENT_DONE &&
	    is_after(&earlier->event, &tag->u.event))
		earlier->list[earlier->n++] = tag->number;
}

/* What is known of the event, with a copy of its dependencies; false: it does
   not exist any more. */
static bool get(uintptr_t number, struct tag_event *event)
{
	struct tag *tag = tag_get(TAG_EVENT, number);

	if (!tag)
		return false;
	*event = tag->u.event;
	event->deps = event->n_deps
			      ? mem_copy(event->deps,
					 event->n_deps * sizeof(*event->deps))
			      : NULL;
	tag_put();
	return true;
}

/* Ask for the state of an event.  DPRP_EVENT_DONE if it is not known. */
static uint32_t ask(const struct layer *layer, uintptr_t number)
{
	dprp_event_state state = { .struct_size = sizeof(state) };
	dprp_event *real = tag_pin(TAG_EVENT, number);
	dprp_rc rc;

	if (!real)
		return DPRP_EVENT_DONE;
	passage_probe();
	rc = layer->event.status(real, &state, (dprp_sink){ 0 });
	passage_probed();
	tag_unpin(TAG_EVENT, number);
	return rc ? DPRP_EVENT_DONE : state.state;
}

/* The rule for this work: @other, unless there is nothing to do. */
static const char *rule_of(const struct tag_event *event, const char *other)
{
	if (!event->empty)
		return other;
	return event->entry == ENTRY_queue_launch ? "K9" : "S4";
}

/* Report that the event was done while the one of number @number was not over.
   Returns whether that is so. */
static bool report(struct layer *layer, const struct tag_event *event,
		   uintptr_t number, const char *rule, const char *expected)
{
	struct tag_event other = { .nth = 0 };
	bool bad = ask(layer, number) < DPRP_EVENT_DONE && get(number, &other);

	if (bad)
		finding_post(layer, event->entry, DPR_LOG_ERROR, rule, expected,
			     "submission %llu of the queue was done when %s, "
			     "submission %llu of %s queue, was not over",
			     (unsigned long long)event->nth,
			     entries_name(other.entry).bytes,
			     (unsigned long long)other.nth,
			     other.queue == event->queue ? "the same"
							 : "another");
	mem_free(other.deps);
	return bad;
}

void turn_check(struct layer *layer, uintptr_t number)
{
	struct earlier earlier = { .layer = layer };
	struct tag_event *event = &earlier.event;
	const char *rule;
	bool bad = false;
	uint32_t d;
	size_t i;

	if (!get(number, event))
		return;
	rule = event->out_of_order ? "S6" : "Y3";
	rule = rule_of(event, is_barrier(event) ? "Q6" : rule);
	for (d = 0; event->deps && d < event->n_deps && !bad; d++)
		bad = report(layer, event, event->deps[d], rule,
			     "work that starts when its dependencies are over");
	mem_free(event->deps);
	if (bad)
		return;
	tag_each(TAG_EVENT, collect, &earlier);
	rule = event->out_of_order ? "Q6" : rule_of(event, "S5");
	for (i = 0; i < earlier.n && !bad; i++)
		bad = report(layer, event, earlier.list[i], rule,
			     event->out_of_order
				     ? "a barrier after all earlier work, and "
				       "later work after the barrier"
				     : "work that starts when all earlier work "
				       "of the queue is over");
}
