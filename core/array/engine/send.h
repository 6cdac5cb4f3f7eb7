/* SPDX-License-Identifier: Apache-2.0 */
/* send.h - launches a kernel of kernel_store.h. */
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

/* The range for a kernel that a driver builds: @items work-items, rounded up to
   whole work-groups of @group work-items. */
dpr_range send_range(uint64_t items, unsigned group);

/* Launch the kernel over @range.  For native code @range is ignored, because
   the kernel's program decides on the range (vmcode_range()). */
dpr_status send_launch(const struct send *send, const dpr_range *range);

#endif
