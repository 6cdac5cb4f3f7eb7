/* SPDX-License-Identifier: Apache-2.0 */
/* axis_list.h - checks a list of axes. */
#ifndef ARRAY_AXIS_LIST_H
#define ARRAY_AXIS_LIST_H

#include <stdbool.h>

#include <dpr/reduce.h>

/* Axes of an array, each at most once. */
struct axis_list {
	int n;
	int axis[DPR_MAX_RANK]; /* not negative, in the order of the caller */
};

/* Whether @axes has a number that is combined with the results of a
   reduction. */
static inline bool axis_list_has_initial(const dpr_axes *axes)
{
	return axes->initial.kind != DPR_OPERAND_ARRAY ||
	       axes->initial.as.array;
}

/* Get the axes of @x that @axes names.  Without a list these are all axes.
   DPR_ERROR_INDEX: an axis is out of range or named twice.
   DPR_ERROR_INVALID_ARGUMENT: the list has a negative count, or is NULL with a
   count; @axes has a mask or an initial number. */
dpr_status axis_list_get(const char *what, const dpr_array *x,
			 const dpr_axes *axes, struct axis_list *out);

#endif
