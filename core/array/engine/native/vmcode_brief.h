/* SPDX-License-Identifier: Apache-2.0 */
/* vmcode_brief.h - decides whether a launch of a program is brief: takes only a
   few microseconds.  The thread that submits a brief launch may run it itself.
   */
#ifndef ARRAY_VMCODE_BRIEF_H
#define ARRAY_VMCODE_BRIEF_H

#include "kernels/vm_program.h"

/* A launch is brief if the weights of all its elements (vm_code.weight) add up
   to at most VMCODE_BRIEF.  A weight of 1 is the time of one addition of
   float32.  VMCODE_BRIEF additions of contiguous elements take about five
   microseconds. */
#define VMCODE_BRIEF 32768
/* The limit in place of VMCODE_BRIEF if the elements of an operand are
   scattered in memory. */
#define VMCODE_BRIEF_APART (VMCODE_BRIEF / 8)

/* The limit for a launch of the strided program @code.  @code must end with the
   words of the launch.  The limit is VMCODE_BRIEF_APART if the elements of an
   operand are scattered in memory.  Otherwise it is VMCODE_BRIEF for a single
   axis, and half of VMCODE_BRIEF for more axes. */
uint64_t vmcode_brief_strided(const struct vm_code *code);

#endif
