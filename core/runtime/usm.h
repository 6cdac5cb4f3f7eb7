/* SPDX-License-Identifier: Apache-2.0 */
/* usm.h - an allocation inside, with the record of its uses. */
#ifndef RUNTIME_USM_H
#define RUNTIME_USM_H

#include <pthread.h>
#include <stdatomic.h>

#include <dpr/usm.h>

#include "core/runtime/queue.h"

/*
 * The last uses of an allocation by one queue: tickets, 0 for none.  `pinned` is
 * the last submission that only keeps the memory and is not ordered.
 */
struct usm_use {
	dpr_queue *queue; /* holds a reference */
	uint64_t written, read, pinned;
};

struct dpr_usm {
	atomic_uint refs;
	dpr_usm_kind kind;
	size_t size;
	dpr_queue *queue; /* holds a reference */
	dprp_mem *handle;
	void *address; /* NULL if it has none */
	void *own; /* the aligned block behind a wrapped or host allocation */

	pthread_mutex_t lock;
	/* Guards the fields below: one entry per queue that used it. */
	struct usm_use first[2];
	struct usm_use *more;
	size_t n_uses, room;
};

#endif
