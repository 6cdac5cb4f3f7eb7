/* SPDX-License-Identifier: Apache-2.0 */
/* blocks_brief.h - decides whether the launch of a program is brief.  The
   thread that submits a brief launch may run it itself. */
#ifndef ARRAY_BLOCKS_BRIEF_H
#define ARRAY_BLOCKS_BRIEF_H

#include "kernels/block_program.h"

/* The most weight of all elements of a brief launch.  The unit is an addition
   of float32.  So many additions of contiguous elements take about five
   microseconds. */
#define BLOCKS_BRIEF 32768
/* The same limit if the elements of an operand are scattered. */
#define BLOCKS_BRIEF_APART (BLOCKS_BRIEF / 8)

/* The same limit for a strided program: BLOCKS_BRIEF_APART if the elements of
   an operand are scattered.  Otherwise it is BLOCKS_BRIEF with one axis, and
   half of that with more axes. */
uint64_t blocks_brief_strided(const struct block_code *code);

#endif
