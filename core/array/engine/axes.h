/* SPDX-License-Identifier: Apache-2.0 */
/* axes.h - the axes over which a launch goes, and the layout of each operand
   along them. */
#ifndef ARRAY_AXES_H
#define ARRAY_AXES_H

#include "core/array/engine/schedule.h"
#include "core/array/object/array.h"

/* The number of sides.  A side is a layout along the axes: an offset, and a
   stride for each axis.  Side k + 1 is the layout of operand k; operands are
   numbered with the results first, then the inputs.  Side 0 is used by
   reductions only: it is the layout of the values to be reduced, as if they
   were stored in an array. */
#define AXES_SIDES (1 + SCHEDULE_OPERANDS)

/* The axes of a launch.  Axis 0 is the outermost.  Offsets and strides are in
   elements. */
struct axes {
	int rank;
	int64_t dim[DPR_MAX_RANK], offset[AXES_SIDES];
	int64_t stride[AXES_SIDES][DPR_MAX_RANK];
};

/* Merge axes until they are as few as possible, but at least one.  Neighbouring
   axes are merged if each of the sides @first to @last steps through them as
   through one axis.  The axes may be reordered and reversed, so the elements
   may be visited in another order.  A single element gets an axis with strides
   0. */
void axes_collapse(struct axes *axes, int first, int last);

/* The number of elements along axis @first and all axes inside axis @first. */
int64_t axes_count(const struct axes *axes, int first);

/* Whether each row of @side begins at an index that is a multiple of @pack.
   @offset is the index of the first element of the first row.  @along is the
   axis along which the rows lie; -1: the rows lie along an axis that is not in
   @axes. */
bool axes_begins(const struct axes *axes, int side, int64_t offset, int along,
		 int64_t pack);

/* Whether the memory of @x begins at a multiple of 16 bytes. */
static inline bool axes_is_aligned(const dpr_array *x)
{
	return (uintptr_t)dpr_usm_address(x->usm) % 16 == 0;
}

/* How an operand with stride @stride along an axis moves along this axis. */
static inline enum schedule_inner axes_inner(int64_t stride)
{
	return stride == 0   ? SCHEDULE_FIXED
	       : stride == 1 ? SCHEDULE_NEXT
			     : SCHEDULE_ANY;
}

/* @n divided by @unit, rounded up. */
static inline int64_t axes_divide_up(int64_t n, int64_t unit)
{
	return n / unit + (n % unit != 0);
}

#endif
