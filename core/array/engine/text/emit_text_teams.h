/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_text_teams.h - writes kernels that reduce, as OpenCL C.
 *
 * The kernels go over the elements as the kernels in PTX do (ptx_fold.c,
 * ptx_stages.c), but keep nothing of a row between stages.
 */
#ifndef ARRAY_EMIT_TEXT_TEAMS_H
#define ARRAY_EMIT_TEXT_TEAMS_H

#include "core/array/engine/text/emit_steps.h"

/* Write the body of a kernel of FRAME_FOLD_ROWS or FRAME_FOLD_COLUMNS. */
void emit_text_teams_fold(const struct emission *e);

/* Write the body of a kernel of FRAME_STAGES. */
void emit_text_teams_stages(const struct emission *e);

#endif
