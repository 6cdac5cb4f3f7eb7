/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce.h - reductions over axes, as in the array API standard 2024.12.
 *
 * @axis NULL reduces all axes, to a 0-d array.  Negative axes count from the
 * end.  Elements of float16 and bfloat16 are accumulated in float32.
 *
 * axis->where is a mask, which chooses elements (NumPy's `where`).  The
 * reductions of kernels/reductions.def (dpr_sum() to dpr_all()) take a mask,
 * and so do dpr_var(), dpr_std() and dpr_nansum() to dpr_nanmax().  If no
 * element is chosen, the result is the same as without elements.  Only
 * dpr_nanmin() and dpr_nanmax() differ.  They give NaN, so with a mask the result
 * for bool and integers is a float.
 *
 * axis->initial is a number that is combined with each result.  dpr_sum(),
 * dpr_prod(), dpr_min() and dpr_max() take this number, with or without a mask.
 * With a mask dpr_min() and dpr_max() need it.  The number must be of the kind of
 * the result or of a lower kind (bool < integer < float < complex).
 *
 * Work is submitted and not waited for, though the first call of a kind may
 * build a kernel.  A new array is on @x's queue, in the same kind of memory.
 * The caller gets a reference.  The _into forms write into @out, which must
 * have the result's shape; the result is cast to @out's dtype.
 *
 * Functions such as dpr_var() and dpr_softmax() are computed by an expression
 * (kernels/derived.def).  One kernel computes a row where kernels can hold it.
 * Their intermediate values are float32 for 16-bit floats.
 * Where the result is no integer, bool and integers become the default float.
 * The result of dpr_softmax() and dpr_log_softmax() has the shape of @x.
 *
 * Errors of all functions:
 * - DPR_ERROR_INDEX: an axis is out of range or named twice.
 * - DPR_ERROR_DTYPE: the function does not take this dtype.
 * - DPR_ERROR_SHAPE: there are no elements, and the function says that it fails
 *   then.
 * - DPR_ERROR_INVALID_ARGUMENT: the list of axes has a negative count, or is
 *   NULL with a count; the function does not take a mask or an initial number;
 *   the latter is an array, or is missing where it is needed.
 * - DPR_ERROR_DTYPE: the mask is not of bool; the result's dtype does not have
 *   the initial number.
 * - DPR_ERROR_SHAPE: the mask does not broadcast to the shape of @x.
 * - DPR_ERROR_OVERFLOW: the initial number is out of the range of the dtype.
 * - DPR_ERROR_EXECUTION_PLACEMENT: the mask is on another queue.
 * - DPR_ERROR_UNSUPPORTED: float64 or complex128 on a device without it.
 * - Those of dpr_usm_alloc() and dpr_kernel_launch_args().
 * Of the _as forms also:
 * - DPR_ERROR_DTYPE: @dtype is not one of enum dpr_dtype.
 * Of the _into forms also:
 * - DPR_ERROR_EXECUTION_PLACEMENT: @x and @out are on different queues.
 * - DPR_ERROR_SHAPE: @out has another shape.
 * - DPR_ERROR_DTYPE: the result cannot be cast to @out's dtype.
 * - DPR_ERROR_LAYOUT: elements of @out share memory.
 */
#ifndef DPR_REDUCE_H
#define DPR_REDUCE_H

#include <string.h>

#include <dpr/array.h>

DPR_BEGIN_DECLS

/* The axes to reduce, and which elements; borrowed for the call.  @keepdims:
   reduced axes stay, with extent 1. */
typedef struct dpr_axes {
	int32_t count; /* the number of axes */
	int32_t keepdims; /* whether reduced axes stay, with the extent 1 */
	const int *axis; /* NULL with count 0: all of them */
	/* An array of bool, which broadcasts to the shape of x: only elements
	   where it is true are reduced.  NULL: all are. */
	const dpr_array *where;
	/* A number that is combined with each result.  Zeros: none is. */
	dpr_operand initial;
} dpr_axes;

/* Parts of the macros below: the axes @axis; @axes (NULL: all) with a mask; and
   with a number. */
static inline dpr_axes dpr_axes_list(
	int32_t count, int32_t keepdims, const int *axis)
{
	dpr_axes axes;

	memset(&axes, 0, sizeof(axes));
	axes.count = count;
	axes.keepdims = keepdims;
	axes.axis = axis;
	return axes;
}
static inline dpr_axes dpr_axes_where(
	const dpr_array *where, const dpr_axes *axes)
{
	dpr_axes some = axes ? *axes : dpr_axes_list(0, 0, NULL);

	some.where = where;
	return some;
}
static inline dpr_axes dpr_axes_initial(
	dpr_operand initial, const dpr_axes *axes)
{
	dpr_axes some = axes ? *axes : dpr_axes_list(0, 0, NULL);

	some.initial = initial;
	return some;
}

/* DPR_AXES(0, 1): a pointer for the parameter @axis.  DPR_AXES_KEPT(0): with
   keepdims.  DPR_ALL_KEPT: all axes, with keepdims.  Write it in the call, as
   in `rows ? DPR_AXES(1) : NULL`: the pointer is valid in C until the end of
   the enclosing block, in C++ until the end of the full expression.  To keep
   the axes to the end of a block in C++, keep their object: `const auto axes =
   DPR_AXES(1);`. */
#ifdef __cplusplus
DPR_END_DECLS
template <size_t N> struct dpr_axes_of {
	int axis[N];
	dpr_axes head;
	template <class... A>
	explicit dpr_axes_of(int32_t keepdims, A... a)
	    : axis{ static_cast<int>(a)... },
	      head(dpr_axes_list(N, keepdims, axis))
	{
	}
	/* All axes, for the other side of a condition. */
	dpr_axes_of(decltype(nullptr))
	    : axis{}, head(dpr_axes_list(0, 0, nullptr))
	{
	}
	/* C++11 copies what a function returns: a copy has its own list. */
	dpr_axes_of(const dpr_axes_of &other)
	    : head(dpr_axes_list(other.head.count, other.head.keepdims,
		      other.head.axis ? axis : nullptr))
	{
		for (size_t i = 0; i < N; i++)
			axis[i] = other.axis[i];
	}
	dpr_axes_of &operator=(const dpr_axes_of &) = delete;
	operator const dpr_axes *() const
	{
		return head.axis ? &head : nullptr;
	}
};
template <class... A>
static inline dpr_axes_of<sizeof...(A)> dpr_axes_make(int32_t keepdims, A... a)
{
	return dpr_axes_of<sizeof...(A)>(keepdims, a...);
}
#define DPR_AXES(...) dpr_axes_make(0, __VA_ARGS__)
#define DPR_AXES_KEPT(...) dpr_axes_make(1, __VA_ARGS__)
static inline const dpr_axes *dpr_axes_all_kept()
{
	static const dpr_axes axes = dpr_axes_list(0, 1, NULL);

	return &axes;
}
#define DPR_ALL_KEPT dpr_axes_all_kept()
struct dpr_axes_some {
	dpr_axes head;
	bool is_given;
	explicit dpr_axes_some(const dpr_axes &axes) : head(axes), is_given(true)
	{
	}
	/* All axes, for the other side of a condition. */
	dpr_axes_some(decltype(nullptr))
	    : head(dpr_axes_list(0, 0, nullptr)), is_given(false)
	{
	}
	operator const dpr_axes *() const
	{
		return is_given ? &head : nullptr;
	}
};
static inline dpr_axes_some dpr_axes_some_of(const dpr_axes &axes)
{
	return dpr_axes_some(axes);
}
#define DPR__SOME(axes) dpr_axes_some_of(axes)
DPR_BEGIN_DECLS
#else
#define DPR__AXES(keep, ...)                                              \
	(&(const dpr_axes){                                               \
		.count = (int32_t)(sizeof((const int[]){ __VA_ARGS__ }) / \
				   sizeof(int)),                          \
		.keepdims = (keep),                                       \
		.axis = (const int[]){ __VA_ARGS__ } })
#define DPR_AXES(...) DPR__AXES(0, __VA_ARGS__)
#define DPR_AXES_KEPT(...) DPR__AXES(1, __VA_ARGS__)
#define DPR_ALL_KEPT (&(const dpr_axes){ .keepdims = 1 })
#define DPR__SOME(axes) ((const dpr_axes[]){ axes })
#endif

/*
 * DPR_WHERE(mask, axes): the elements along @axes (NULL: all axes) where the
 * array @mask is true.  DPR_INITIAL(number, axes): each result is combined with
 * @number, as if this were one more element.  Both are pointers for the
 * parameter @axis, valid as long as DPR_AXES():
 *
 *	dpr_sum(x, DPR_WHERE(mask, NULL), &sum)
 *	dpr_max(x, DPR_WHERE(mask, DPR_INITIAL(0, DPR_AXES(1))), &rows)
 */
#define DPR_WHERE(mask, axes) DPR__SOME(dpr_axes_where((mask), (axes)))
#define DPR_INITIAL(number, axes) \
	DPR__SOME(dpr_axes_initial(DPR_OPERAND(number), (axes)))

DPR_END_DECLS

#include <dpr/reductions.h>

#endif
