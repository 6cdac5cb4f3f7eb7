/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spoil.h - which submissions of a queue left no valid results.
 *
 * A submission that fails spoils its results.  So does one that runs all the
 * same, with what such a one was to write.  An allocation knows which
 * submissions made its contents (origin.h): it holds valid data unless one of
 * them is spoiled.
 *
 * A driver tells exactly which submission failed only where an event was asked
 * for.  Otherwise only its answer to `finish` tells that some have failed.
 * Then everything since the last answer is spoiled, except what was seen to
 * succeed by an event of its own.
 */
#ifndef RUNTIME_SPOIL_H
#define RUNTIME_SPOIL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/base.h>
#include <dpr/status.h>

#include "core/base/failure.h"

/* Notes that are kept; when older ones are lost, more counts as spoiled. */
#define SPOIL_EDGES 256
#define SPOIL_PROVED 256

struct use;

/* @ticket used what submissions @first to @last of the same queue wrote. */
struct spoil_edge {
	uint64_t ticket, first, last;
};

struct spoil_span {
	uint64_t first, last;  /* tickets */
	struct failure *cause; /* a reference */
};

/* Part of a queue; guarded by its `lock` but for the first two, which are
   written with it held. */
struct spoil {
	/* All tickets up to here have succeeded, or are spoiled. */
	_Atomic uint64_t sound;
	atomic_int any;                       /* there are spans */
	struct spoil_edge edges[SPOIL_EDGES]; /* number i is at i % SPOIL_EDGES
					       */
	uint64_t n_edges;
	/* Submissions after `sound` whose own event has completed. */
	uint64_t proved[SPOIL_PROVED];
	uint64_t n_proved;
	/* The newest failure that an event has told of since the driver last
	   told of all submissions; a reference or NULL. */
	struct failure *heard;
	/* Some use was of a plain pointer: what comes after it in this queue
	   need not depend on it. */
	int raw;
	/* What is spoiled, sorted, apart from each other. */
	struct spoil_span few[4], *spans;
	size_t n_spans, room;
};

void spoil_fini(struct spoil *spoil);

/* @ticket goes out with this use: note which earlier results it uses.  Called
   with the queue's `lock` held, in the order of tickets. */
void spoil_enter_locked(dpr_queue *queue, uint64_t ticket,
			const struct use *use);

/* The event of @ticket itself has completed.  Called with `lock` held. */
void spoil_proved_locked(dpr_queue *queue, uint64_t ticket);

/* Submission @ticket has failed.  Called with `lock` held. */
void spoil_ticket_locked(dpr_queue *queue, uint64_t ticket,
			 struct failure *cause);

/* Some submission up to @last has failed, and nothing tells which.  Called with
   `lock` held. */
void spoil_unproved_locked(dpr_queue *queue, uint64_t last,
			   struct failure *cause);

/* All submissions up to @ticket have succeeded or are spoiled.  Called with
   `lock` held. */
void spoil_sound_locked(dpr_queue *queue, uint64_t ticket);

/* Whether that is known of all submissions up to @ticket.  Takes no lock. */
int spoil_is_sound(const dpr_queue *queue, uint64_t ticket);

/* Note that an event has told of @cause; NULL: forget what was heard.  Called
   with `lock` held. */
void spoil_heard_locked(dpr_queue *queue, struct failure *cause);

/* If the driver has told of all submissions up to @ticket, why that one is
   spoiled; else NULL.  Lent.  Called with `lock` held. */
struct failure *spoil_told_locked(dpr_queue *queue, uint64_t ticket);

/* Why results of submissions @first to @last are spoiled, with a reference;
   NULL: they are not, as far as is known.  Takes `lock` only after a failure.
 */
struct failure *spoil_find(dpr_queue *queue, uint64_t first, uint64_t last);

#endif
