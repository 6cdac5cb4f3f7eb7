/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_axis.h - writes code that finds the place of an element along axes. */
#ifndef ARRAY_PTX_AXIS_H
#define ARRAY_PTX_AXIS_H

#include "core/array/engine/ptx/ptx.h"

/* Write code that adds the offset of operand @k (schedule.h) to its address
   register. */
void ptx_axis_begin(struct ptx *e, int k);

/* ptx_axis(): write a division of %rest by the extent of axis @d: the quotient
   stays in %rest, the remainder goes to %i64 as the index along axis @d.  Call
   this for axis 0 first, then 1, and so on.  Without gpu.small, %rest64 takes
   the place of %rest.  ptx_axis_move(): write code that adds %i64 elements along
   axis @d to the address of operand @k. */
void ptx_axis(struct ptx *e, int d);
void ptx_axis_move(struct ptx *e, int k, int d);

#endif
