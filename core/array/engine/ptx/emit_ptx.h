/* SPDX-License-Identifier: Apache-2.0 */
/* emit_ptx.h - writes kernels as PTX.  The PTX of each step comes from a
   template, a function that was compiled when dpr was built
   (kernels/templates.h). */
#ifndef ARRAY_EMIT_PTX_H
#define ARRAY_EMIT_PTX_H

#include <dpr/status.h>

#include "core/array/engine/schedule.h"
#include "core/base/text.h"

/* Whether this build has templates.  Without templates no kernel can be
   written. */
bool emit_ptx_is_there(void);

/* Decompress the text of the templates.  Without this call, the first call of
   emit_ptx_kernel() does so.  Returns the errors of embed_get(). */
dpr_status emit_ptx_open(void);

/* The number of work-items in a group of SCHEDULE_FLAT.  A multiprocessor runs
   a limited number of work-items at a time.  A group starts only when enough
   other work-items have ended.  With small groups this wait is shorter. */
#define EMIT_PTX_FLAT_GROUP 128

/* The number of packs that a work-item should take in SCHEDULE_FLAT if operands
   are aligned (schedule.h).  A work-item with long steps takes two packs.  It
   loads both packs before it computes, so more loads are under way at a time.
   */
int emit_ptx_packs(const struct graph *graph);

/* The most packs that a work-item should take in SCHEDULE_ROWS.  With long
   steps this is one.  The members `inner` and `gpu.pack` of the schedule must
   have been chosen. */
int emit_ptx_row_packs(const struct graph *graph,
		       const struct schedule *schedule);

/*
 * Write a module to @out that has the kernel @name of @graph and @schedule.
 * Groups have EMIT_PTX_FLAT_GROUP work-items in SCHEDULE_FLAT, and
 * SCHEDULE_GROUP in all other schedules.  A work-item takes schedule_items()
 * elements in SCHEDULE_FLAT and SCHEDULE_ROWS, and one element in
 * SCHEDULE_STRIDED.  In SCHEDULE_TILE a group takes a tile: a square of
 * elements along axes 0 and 1.  The kernel's last parameter has the words of
 * schedule.h, as bytes.
 *
 * Returns false, and sets @out->failed, if memory runs out or if
 * emit_ptx_open() fails.  Also returns false if a step has no template, or if a
 * kernel of SCHEDULE_STAGES would be too long.
 */
bool emit_ptx_kernel(const struct graph *graph, const struct schedule *schedule,
		     const char *name, struct text *out);

#endif
