/* SPDX-License-Identifier: Apache-2.0 */
/* ring.h - copies in chunks by way of host memory. */
#ifndef RUNTIME_RING_H
#define RUNTIME_RING_H

#include "core/runtime/submit/operation.h"

/* Copy by way of host memory.  Returns when the source has been read.  In a
   callback, returns DPR_ERROR_BUSY. */
dpr_status ring_copy(dpr_queue *queue, const struct operation *copy,
		     const dpr_events *after, dpr_event **done);

#endif
