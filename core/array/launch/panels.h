/* SPDX-License-Identifier: Apache-2.0 */
/* panels.h - launches with transposed operands. */
#ifndef ARRAY_PANELS_H
#define ARRAY_PANELS_H

#include "core/array/launch/walk.h"

/*
 * Do what walk_launch() does, but first copy large operands that are contiguous
 * along another axis than the last.  They are copied in tiles, a panel of the
 * result's rows at a time, so that a panel is still in the cache when it is
 * used.
 */
dpr_status panels_launch(const struct walk_call *call);

/* Whether panels_launch() would copy @x, if the result has its shape. */
bool panels_copies(const dpr_array *x);

#endif
