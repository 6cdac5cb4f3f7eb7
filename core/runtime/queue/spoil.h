/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spoil.h - the submissions of a queue whose results are invalid.
 *
 * The results of a submission that fails are invalid (spoiled).  A later
 * submission may run although it uses invalid data; then its own results are
 * invalid, too.  An allocation knows the submissions that made its contents
 * (origin.h).  Its data is valid unless the results of one of these are
 * invalid.
 *
 * A driver reports the exact submission that failed only where an event was
 * requested.  Otherwise its answer to `finish` says only that some have failed.
 * Then all results since the last answer are invalid, except those of
 * submissions whose own event has shown success.
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

/* Make the results of all submissions up to @last invalid, unless they are
   proved.  Some of these submissions failed, and nobody knows which. */
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
