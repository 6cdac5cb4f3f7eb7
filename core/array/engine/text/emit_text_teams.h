/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_text_teams.h - kernels as OpenCL C for GPUs that reduce.
 *
 * They go over the elements as the kernels in PTX do (ptx_fold.c,
 * ptx_stages.c), but hold nothing of a row from one stage to the next.
 */
#ifndef ARRAY_EMIT_TEXT_TEAMS_H
#define ARRAY_EMIT_TEXT_TEAMS_H

#include "core/array/engine/text/emit_steps.h"

/* Write the body of a kernel of FRAME_FOLD_ROWS or FRAME_FOLD_COLUMNS. */
void emit_text_teams_fold(const struct emission *e);

/* The same of FRAME_STAGES. */
void emit_text_teams_stages(const struct emission *e);

#endif
