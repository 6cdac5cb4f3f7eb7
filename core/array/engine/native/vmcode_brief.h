/* SPDX-License-Identifier: Apache-2.0 */
/* vmcode_brief.h - decides whether the launch of a program is brief.  The
   thread that submits a brief launch may run it itself. */
#ifndef ARRAY_VMCODE_BRIEF_H
#define ARRAY_VMCODE_BRIEF_H

#include "kernels/vm_program.h"

/* The most weight of all elements of a brief launch.  The unit is an addition
   of float32.  So many additions of contiguous elements take about five
   microseconds. */
#define VMCODE_BRIEF 32768
/* The same limit if the elements of an operand are scattered. */
#define VMCODE_BRIEF_APART (VMCODE_BRIEF / 8)

/* The same limit for a strided program: VMCODE_BRIEF_APART if the elements of
   an operand are scattered.  Otherwise it is VMCODE_BRIEF with one axis, and
   half of that with more axes. */
uint64_t vmcode_brief_strided(const struct vm_code *code);

#endif
