/* SPDX-License-Identifier: Apache-2.0 */
/* submission.h - a call of an entry that submits to a queue. */
#ifndef RUNTIME_SUBMISSION_H
#define RUNTIME_SUBMISSION_H

#include "core/runtime/layer/passage.h"

/* Lists up to this long need no allocation. */
#define SUBMISSION_FEW 8

struct submission {
	struct passage p;
	/* the newest of all handles when the submission began */
	uintptr_t newest;
	uintptr_t number;  /* the number of the queue */
	uint64_t made;     /* the time when it began */
	dprp_queue *queue; /* the plugin's queue */
	/* events of the queue have times; the queue's device was lost */
	bool profiling, lost;
	bool out_of_order; /* the queue is */
	bool empty;        /* set before the end: there is nothing to do */
	const dprp_deps *given;
	/* For the plugin. */
	dprp_deps deps;
	dprp_event *few[SUBMISSION_FEW], **list;
	struct tag *tag; /* the tag of the event; NULL: no event is wanted */
	dprp_event *event;
};

/* Begin a call: find the plugin's handles, and make room for the event.
   Returns a code to answer at once, or DPR_RC_OK. */
dprp_rc submission_begin(struct submission *s, enum entry entry,
			 dprp_queue *queue, const dprp_deps *deps,
			 dprp_event **event);

/* The same for an entry that uses one piece of memory; *@mem becomes the
   plugin's. */
dprp_rc submission_begin_on(struct submission *s, enum entry entry,
			    dprp_queue *queue, dprp_mem **mem,
			    const dprp_deps *deps, dprp_event **event);

/* What the plugin gets for the dependencies and the event. */
static inline const dprp_deps *submission_deps(const struct submission *s)
{
	return s->given ? &s->deps : NULL;
}

static inline dprp_event **submission_event(struct submission *s)
{
	return s->tag ? &s->event : NULL;
}

/* End a call in which the plugin was not called.  Returns @rc. */
dprp_rc submission_cancel(struct submission *s, dprp_rc rc);

/* End a call: check its answer, and set *@event if it is wanted. */
dprp_rc submission_end(struct submission *s, dprp_rc rc, dprp_event **event);

#endif
