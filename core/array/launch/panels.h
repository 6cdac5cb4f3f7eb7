/* SPDX-License-Identifier: Apache-2.0 */
/* panels.h - launches with transposed operands. */
#ifndef ARRAY_PANELS_H
#define ARRAY_PANELS_H

#include "core/array/launch/walk.h"

/*
 * As walk_launch().  Large operands that are contiguous along another axis than
 * the last are copied by tiles first, a panel of the result's rows at a time,
 * so that what is copied is still in the cache when it is used.
 */
dpr_status panels_launch(const struct walk_call *call);

#endif
