/* SPDX-License-Identifier: Apache-2.0 */
/* overlap.h - decides whether elements share memory.  Whether a result may be
   written over an input is decided elsewhere: apply_can_write(),
   fusion_can_write(). */
#ifndef ARRAY_OVERLAP_H
#define ARRAY_OVERLAP_H

#include <stdbool.h>
#include <stddef.h>

#include "core/array/layout/layout.h"

/*
 * Whether two layouts over one allocation have a byte in common.  The sizes are
 * those of an element.  Also true if finding out would take too long.
 */
bool overlap_layouts(const struct layout *a, size_t a_size,
		     const struct layout *b, size_t b_size);

/* Whether no two elements share memory.  Returns false also for some
   complicated layouts without shared memory. */
bool overlap_is_distinct(const struct layout *x);

#endif
