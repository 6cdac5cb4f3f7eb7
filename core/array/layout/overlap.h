/* SPDX-License-Identifier: Apache-2.0 */
/* overlap.h - which elements share memory. */
#ifndef ARRAY_OVERLAP_H
#define ARRAY_OVERLAP_H

#include <stdbool.h>
#include <stddef.h>

#include "core/array/layout/layout.h"

/*
 * Whether two layouts over one allocation have a byte in common; the sizes are
 * those of an element.  True also for layouts that are too tangled to decide
 * cheaply.
 */
bool overlap_layouts(const struct layout *a, size_t a_size,
		     const struct layout *b, size_t b_size);

/* Whether no two elements share memory.  May be false for tangled layouts whose
   elements do not. */
bool overlap_is_distinct(const struct layout *x);

#endif
