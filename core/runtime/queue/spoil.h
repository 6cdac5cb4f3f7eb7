/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spoil.h - which submissions of a queue left no valid results.
 *
 * A submission that fails spoils its results.  So does one that runs all the
 * same, with what such a one was to write.  An allocation knows which
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
#include "core/runtime/queue/use.h"

/* Notes that are kept; when older ones are lost, more counts as spoiled. */
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

/* Part of a queue: all functions are called with its `lock` held.  The first
   two fields are only written so. */
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
	/* Some use was of a plain pointer: later submissions of the queue need
	   not depend on it. */
	bool raw;
	/* What is spoiled, sorted, apart from each other. */
	struct spoil_span few[4], *spans;
	size_t n_spans, room;
};

void spoil_fini(struct spoil *spoil);

/* @ticket goes out with this use: note which earlier results it uses.  Called
   in the order of tickets. */
void spoil_enter(struct spoil *spoil, uint64_t ticket, const struct use *use);

/* The event of @ticket itself has completed. */
void spoil_proved(struct spoil *spoil, uint64_t ticket);

/* Submission @ticket has failed.  @in_order: of its queue. */
void spoil_ticket(struct spoil *spoil, bool in_order, uint64_t ticket,
		  struct failure *cause);

/* Some submission up to @last has failed, and it is not known which. */
void spoil_unproved(struct spoil *spoil, uint64_t last, struct failure *cause);

/* All submissions up to @ticket have succeeded or are spoiled. */
void spoil_sound(struct spoil *spoil, uint64_t ticket);

/* Note that an event has reported @cause; NULL: forget the noted one. */
void spoil_heard(struct spoil *spoil, struct failure *cause);

/* Why submission @ticket is spoiled, if the driver has reported all failures
   up to it; else NULL.  Lent. */
struct failure *spoil_told(const struct spoil *spoil, uint64_t ticket);

/* Why results of submissions @first to @last are spoiled; NULL: they are not,
   as far as is known.  Lent. */
struct failure *spoil_cause(const struct spoil *spoil, uint64_t first,
			    uint64_t last);

#endif
