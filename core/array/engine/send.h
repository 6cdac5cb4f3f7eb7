/* SPDX-License-Identifier: Apache-2.0 */
/* send.h - launching a kernel that was made. */
#ifndef ARRAY_SEND_H
#define ARRAY_SEND_H

#include <dpr/launch.h>

#include "core/array/engine/kernel_store.h"

struct send {
	/* The name of the launch.  It also begins the text of an error. */
	const char *what;
	dpr_queue *queue;
	const struct target *target;
	const struct kernel_store_kernel *made;
	dpr_arg *args; /* the operands, with room for one more argument */
	size_t n_args;
	const uint64_t *words; /* see schedule.h */
	size_t n_words;
};

/* The range of a kernel that a driver builds: whole groups, and at least @items
   work-items. */
dpr_range send_range(uint64_t items);

/* Launch the kernel.  Native code has a range of its own, and gets a copy of
   the words. */
dpr_status send_launch(const struct send *send, const dpr_range *range);

#endif
