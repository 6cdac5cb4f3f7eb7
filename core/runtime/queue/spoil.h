/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spoil.h - which submissions of a queue left no valid results.
 *
 * A submission that fails spoils its results.  A later one that runs although
 * it uses spoiled data spoils its own results too.  An allocation knows which
 * submissions made its contents (origin.h): it holds valid data unless one of
 * them is spoiled.
 *
 * A driver reports exactly which submission failed only where an event was
 * requested.  Otherwise its answer to `finish` says only that some have failed.
 * Then everything since the last answer is spoiled, except what was seen to
 * succeed by an event of its own.
 */
#ifndef RUNTIME_SPOIL_H
#define RUNTIME_SPOIL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/failure.h"
#include "core/base/small_list.h"
#include "core/runtime/queue/use.h"

/* How many edges and proved tickets are kept.  Without the older ones, more
   submissions count as spoiled. */
#define SPOIL_EDGES 256
#define SPOIL_PROVED 256

/* @ticket used what submissions @first to @last of the same queue wrote. */
struct spoil_edge {
	uint64_t ticket, first, last;
};

struct spoil_span {
	uint64_t first, last;  /* tickets */
	struct failure *cause; /* a reference */
};

/* Part of a queue.  All functions are called with its `lock` held; the first
   two fields may be read without it. */
struct spoil {
	/* All tickets up to here have succeeded, or are spoiled. */
	_Atomic uint64_t sound;
	atomic_bool any;                      /* there are spans */
	struct spoil_edge edges[SPOIL_EDGES]; /* number i is at i % SPOIL_EDGES
					       */
	uint64_t n_edges;
	/* Submissions after `sound` whose own event has completed. */
	uint64_t proved[SPOIL_PROVED];
	uint64_t n_proved;
	/* The newest failure that an event has reported since the driver last
	   reported on all submissions; a reference or NULL. */
	struct failure *heard;
	/* A submission used a plain pointer, so later ones may use its results
	   without depending on it. */
	bool raw;
	/* What is spoiled: sorted, not overlapping. */
	SMALL_LIST(struct spoil_span, 4);
};

void spoil_fini(struct spoil *spoil);

/* Record which earlier results submission @ticket uses through @use.  Called in
   the order of tickets. */
void spoil_enter(struct spoil *spoil, uint64_t ticket, const struct use *use);

/* Record that the event of @ticket itself has completed. */
void spoil_proved(struct spoil *spoil, uint64_t ticket);

/* Spoil the results of @ticket, which has failed.  @in_order: whether its queue
   is in order. */
void spoil_ticket(struct spoil *spoil, bool in_order, uint64_t ticket,
		  struct failure *cause);

/* Spoil all submissions up to @last that are not proved: some of them failed,
   and it is not known which. */
void spoil_unproved(struct spoil *spoil, uint64_t last, struct failure *cause);

/* Record that each submission up to @ticket has succeeded or is spoiled. */
void spoil_sound(struct spoil *spoil, uint64_t ticket);

/* Record that an event has reported @cause; NULL: forget the recorded one. */
void spoil_heard(struct spoil *spoil, struct failure *cause);

/* Why submission @ticket is spoiled, if the driver has reported all failures up
   to it; else NULL.  The caller gets no reference. */
struct failure *spoil_told(const struct spoil *spoil, uint64_t ticket);

/* Why results of submissions @first to @last are spoiled; NULL if they are not
   known to be.  The caller gets no reference. */
struct failure *spoil_cause(const struct spoil *spoil, uint64_t first,
			    uint64_t last);

#endif
