/* SPDX-License-Identifier: Apache-2.0 */
/* blocks_brief.h - which launches of programs of blocks are brief: what the
   thread that submits them may do itself. */
#ifndef ARRAY_BLOCKS_BRIEF_H
#define ARRAY_BLOCKS_BRIEF_H

#include "kernels/block_program.h"

/* The most that all elements of a brief launch weigh together, in additions of
   float32.  These take about five microseconds if they are contiguous. */
#define BLOCKS_BRIEF 32768
/* The same where the elements of an operand lie apart. */
#define BLOCKS_BRIEF_APART (BLOCKS_BRIEF / 8)

/* The same for a strided program: all of it with one axis, half of it with
   more.  It is BLOCKS_BRIEF_APART if the elements of an operand lie apart. */
uint64_t blocks_brief_strided(const struct block_code *code);

#endif
