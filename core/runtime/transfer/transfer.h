/* SPDX-License-Identifier: Apache-2.0 */
/* transfer.h - copies between the memory of different root devices. */
#ifndef RUNTIME_TRANSFER_H
#define RUNTIME_TRANSFER_H

#include "core/runtime/submit/operation.h"

/* Do @copy by the best path. */
dpr_status transfer_copy(dpr_queue *queue, const struct operation *copy,
			 const dpr_events *after, dpr_event **done);

#endif
