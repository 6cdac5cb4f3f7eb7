/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expression.h - array expressions as text.
 *
 *	dpr_evaluate("sqrt(x*x + y*y)", NULL, &out, "x", x, "y", 2.5)
 *
 * is what dpr_multiply(), dpr_add() and dpr_sqrt() give one after the other:
 * the same values (a NaN may have another sign and other bits), dtype, shape,
 * queue and kind of memory.  If the device's driver allows this, one kernel
 * computes several elementwise functions, casts and choices, reductions of
 * their values, and later steps.  The values between these steps take no
 * memory.  man dpr-expression has the language: Python's operators, the
 * functions of the array API that the library has, constants, dtypes, names for
 * parts of the work, several results.
 *
 *	d = x - mean(x, axis=0, keepdims=True); sum(d*d, axis=0), max(d)
 *
 * A function with several results needs a name for each.  A text that is nothing
 * but a call of such a function has all of its results.
 *
 *	q, r = divmod(x, y); q * y + r
 *
 * index(k) is the position of each element along axis k, in int64, and takes no
 * memory beside an elementwise function or below a reduction:
 *
 *	where(index(0) == index(1), 1.0, x)
 *	sum(x * (index(1) + 0.5), axis=1)
 *
 * Its shape is the shape to which all arrays among the operands broadcast;
 * index(k, y) has the shape of y.
 *
 * x[1:-1, ::2] is what dpr_array_index() makes, in Python's form: integers,
 * which count from the end if they are negative, slices, "..." or Ellipsis, and
 * None or newaxis for a new axis.  Bounds and steps are written in the text; an
 * operand cannot give them.  A slice of an operand is a view, which kernels
 * read in place, so that heat on a grid is one kernel:
 *
 *	u[1:-1,1:-1] + k*(u[2:,1:-1] + u[:-2,1:-1] + u[1:-1,2:] + u[1:-1,:-2]
 *		- 4*u[1:-1,1:-1])
 *
 * Of elementwise functions only the elements of a slice are computed: (x*y)[0]
 * is x[0]*y[0].  Other values are stored, and the slice is a view of them.  So
 * are expensive values that are used more than once, and values whose slice is
 * reduced.
 *
 * An index may also be an array of integers: x[i, :, j] is what
 * dpr_array_index_arrays() makes with DPR_BOUNDS_WRAP.  It begins with a name
 * or "(": write x[(1 + i)], not x[1 + i].  A name that is bound to an integer
 * counts as that integer.  So do the functions of dpr/indexing.h read elements:
 *
 *	take(x, i, axis=0, mode="wrap"), take_along_axis(x, i, axis=-1)
 *
 * take() needs no axis if x has one axis.  The modes are "wrap" (where none is
 * given), "clip" and "check", which waits.  The array that is read is computed
 * first.  One kernel computes the indices, reads the elements and goes on with
 * them: take(x, i + 1)*2.  The elements are stored first where a reduction
 * follows, and where there are more than three index arrays.
 *
 * Compute follows data: the work runs on the queue that the arrays among the
 * operands share.  If the program gives a queue, the arrays must be there.  Only
 * an expression without arrays, such as linspace(0, 1, n), needs a queue, since
 * no operand says where to run.  The work is submitted and not waited for, but
 * for three cases.  take() and take_along_axis() with mode "check" wait until
 * the indices are tested.  Functions of linear algebra wait for a library
 * (dpr/linalg.h).  An elementwise function of numbers alone, such as sqrt(2),
 * is computed by the device, and its value is waited for.  If such a function
 * of integers could overflow, it is computed as the operators are: pow(2, 64)
 * is refused, as 2**64.
 *
 * Errors of all functions that take a text or apply one:
 * - DPR_ERROR_INVALID_ARGUMENT: the text is wrong, or has an unknown name; a
 *   value is not allowed where it stands; a limit is exceeded.  A text has at
 *   most 65536 bytes, 256 operands and 256 named parts, nests at most 200 deep,
 *   and becomes at most 65536 steps; brackets have at most 65 indices.
 * - DPR_ERROR_INDEX: an integer between brackets is out of range, or the array
 *   has too few axes.  Slices are cut off where the axis ends.
 * - DPR_ERROR_OVERFLOW: a number needs more than 64 bits.
 * - Those of the functions in it.
 * The text of the error names the column, and so does dpr_expression_fault().
 */
#ifndef DPR_EXPRESSION_H
#define DPR_EXPRESSION_H

#include <dpr/array.h>

DPR_BEGIN_DECLS

/* An expression that was read.  Immutable, so that several threads may apply it
   at the same time.  Reference counted; belongs to no device. */
typedef struct dpr_expression dpr_expression;

/* A name of an expression and its value.  Passed by value; its layout never
   changes.  Name and array are borrowed for the call. */
typedef struct dpr_binding {
	const char *name; /* of an operand of the expression */
	dpr_operand value; /* an array or a number */
} dpr_binding;

/* A name in an expression that can be bound to a value.  A name that is not
   required and not bound is the constant or dtype of that name, such as e.  In
   the text it first occurs at @column (from 1), with @length bytes.  The layout
   never changes. */
typedef struct dpr_expression_operand {
	const char *name; /* as written */
	size_t column; /* of the first place in the text, from 1 */
	size_t length; /* bytes of the name there */
	int required; /* whether a value must be given */
} dpr_expression_operand;

/*
 * Read @text.  Functions that dpr_expression_define() has defined are
 * substituted now: later changes of these functions have no effect.  Does not
 * block.  The caller gets a reference.
 */
DPR_API DPR_CHECK dpr_status dpr_expression_create(
	const char *text, dpr_expression **out);
/* The options of dpr_expression_create_with().  Everything is borrowed for the
   call. */
typedef struct dpr_expression_options {
	size_t struct_size; /* sizeof(dpr_expression_options) */
	/* Functions of this expression alone, in the form of
	   dpr_expression_define().  Each may call those before it.  A function of
	   the process that has the same name is not seen. */
	const char *const *definitions;
	size_t n_definitions; /* the number of definitions */
} dpr_expression_options;

/*
 * dpr_expression_create() with options; NULL: none.  This is for libraries: other
 * code of the process may define functions of the same names.  The text of an
 * error in a definition names its number, from 1 on.
 * DPR_ERROR_EXISTS: two definitions have the same name.
 * DPR_ERROR_INVALID_ARGUMENT: also, struct_size is not set, or a definition is
 * NULL.
 */
DPR_API DPR_CHECK dpr_status dpr_expression_create_with(const char *text,
	const dpr_expression_options *options, dpr_expression **out);

/* Add one reference and return @x. */
DPR_API dpr_expression *dpr_expression_retain(dpr_expression *x);
/* Release one reference.  Never waits. */
DPR_API void dpr_expression_release(dpr_expression *x);
/* Keep @x until the process ends: the caller's reference becomes one of the
   process, and is not released any more.  For expressions in static variables,
   which threads may apply even while exit() runs; DPR_LAYERS=handles does not
   report them as never released.  A library that dlclose() unloads leaves them
   behind.  Returns @x, lent until the process ends; NULL for NULL.  Never waits
   or fails; may be called in a child process. */
DPR_API const dpr_expression *dpr_expression_keep(dpr_expression *x);

/* The names to be bound, in the order of the text.  Lent.  *@count (NULL: not
   wanted) is how many. */
DPR_API const dpr_expression_operand *dpr_expression_operands(
	const dpr_expression *x, size_t *count);
/* How many results it has. */
DPR_API size_t dpr_expression_result_count(const dpr_expression *x);

/*
 * Compute the results with these operands; @results gets one new reference for
 * each.  A result that is an operand is that array itself, and a number becomes
 * a 0-d array.  All arrays must be on @queue, and numbers become arrays there;
 * @queue may be NULL if an operand is an array.
 * DPR_ERROR_EXECUTION_PLACEMENT: the arrays are on different devices, queues or
 * sub-devices.  The text names each operand, and the call that would fix it.
 * DPR_ERROR_INVALID_ARGUMENT: no operand is an array and @queue is NULL; a name
 * is not bound, is bound twice, or is not in the expression; @n_results is not
 * dpr_expression_result_count().
 * After a failure all of @results are NULL.
 */
DPR_API DPR_CHECK dpr_status dpr_expression_apply(const dpr_expression *x,
	const dpr_binding *bindings, size_t n_bindings, dpr_queue *queue,
	dpr_array **results, size_t n_results);

/*
 * Compute as dpr_expression_apply(), but into existing arrays.  Each must have
 * the shape of its result, and a dtype of the result's kind or of a higher one
 * (bool < integer < float < complex).  An array may be an operand, or overlap
 * operands in any way, as views of them do: all results are computed before the
 * first is written.
 *
 * The kernel that computes a single elementwise result also writes the array.
 * Operands and their slices may share memory with this array, if they have the
 * same elements in the same places.  Any other overlap, as of u[1:-1] with u[2:],
 * takes a temporary array, and a second kernel or the driver copies the result.
 * Two arrays, used in turns, save both.  Several results always take temporary
 * arrays.
 *
 * Also: DPR_ERROR_SHAPE and DPR_ERROR_DTYPE: an array does not take its result.
 * DPR_ERROR_LAYOUT: elements of an array share memory, or its strides are such
 * that this is not known soon: those of two axes interleave.
 */
DPR_API DPR_CHECK dpr_status dpr_expression_apply_into(const dpr_expression *x,
	const dpr_binding *bindings, size_t n_bindings,
	dpr_array *const *results, size_t n_results);

/*
 * Explain how the expression is computed, as lines of text.  The first line is
 * the queue.  Then comes a line for each step: its computation, the dtype,
 * shape and bytes of its result, and its path.  The path "eager" is a call of
 * the step's function.  "kernel 1, opencl-c" is the kernel that stores the
 * result, and the kernel's format.  "inside kernel 1" is the last kernel that
 * computes values which are not stored.  "inside its slices" is a value of
 * which only slices are computed, each as a step of its own.  "eager, LAPACK"
 * is a call that a library computes on the device; "eager, LAPACK through host
 * memory" copies its operands to the host backend, and its results back
 * (dpr/linalg.h).  A slice of a stored array is a view, and no step.  The last
 * line has the number of launched kernels, and the bytes stored for steps
 * other than results: "2 launches, 4000 bytes in between".  An eager call may
 * take several launches or, where the driver copies or fills, none; a sum of
 * many elements takes two. All this is of a run, which computes the expression
 * and drops the results.
 *
 * Functions that are made of others, such as argmin, show the steps that they
 * are made of.  Some of these steps have names of the library's own, such as
 * "by_keys", and no such function can be called.  A number takes no kernel if it
 * follows from the shapes alone: its path is "from the shape".
 * Arguments and errors as dpr_expression_apply().  *@text is to be freed with
 * dpr_free().
 */
DPR_API DPR_CHECK dpr_status dpr_expression_explain(const dpr_expression *x,
	const dpr_binding *bindings, size_t n_bindings, dpr_queue *queue,
	char **text);

/* Read @text, which has one result, and compute it once: on @queue, or with
   NULL on the queue of the arrays among the operands, as dpr_expression_apply()
   does.  Errors as dpr_expression_create(), dpr_expression_apply() and
   _apply_into(). */
DPR_API DPR_CHECK dpr_status dpr_evaluate_with(const char *text,
	const dpr_binding *bindings, size_t n_bindings, dpr_queue *queue,
	dpr_array **out);
DPR_API DPR_CHECK dpr_status dpr_evaluate_with_into(const char *text,
	const dpr_binding *bindings, size_t n_bindings, dpr_array *out);

/*
 * Define a function for all expressions that this process reads from now on:
 *
 *	dpr_expression_define("l2(a, b) = sum((a - b)**2, axis=-1)")
 *
 * Calls of the function are replaced by the text behind the "=", with the
 * arguments in place of the parameters.  There are at most 16 parameters.
 * Named parts may come before its value:
 *
 *	"norm(a) = d = a - mean(a); d / sqrt(sum(d*d))"
 *
 * A function may have several results, between commas:
 *
 *	"halves(a) = h = a / 2; h, a - h"
 *
 * The function can use only its parameters and parts, constants, and functions
 * that exist already; it keeps these.  Does not block. dpr_finalize() drops it.
 * A library should rather give its functions to dpr_expression_create_with().
 * DPR_ERROR_EXISTS: a function of this name is defined already.
 * DPR_ERROR_INVALID_ARGUMENT: the text is wrong; the name is that of a built-in
 * function, a constant or a dtype; it calls itself.
 */
DPR_API DPR_CHECK dpr_status dpr_expression_define(const char *text);

/* Drop the function @name that dpr_expression_define() has defined.
   Expressions and functions that use the function keep it.
   DPR_ERROR_NOT_FOUND: no function of this name is defined. */
DPR_API DPR_CHECK dpr_status dpr_expression_undefine(const char *name);

/* The name of built-in function @index, in no order; NULL after the last.
   Static text.  Never fails. */
DPR_API const char *dpr_expression_function(size_t index);

/* A part of a text: @length bytes from @column on, which counts from 1.  Passed
   by value; its layout never changes. */
typedef struct dpr_text_place {
	size_t column; /* of the first byte, from 1 */
	size_t length; /* in bytes */
} dpr_text_place;

/* Where in its text this thread's last call of a function of this header found
   a fault.  Column 0: there was no fault, or none with a place in the text. */
DPR_API dpr_text_place dpr_expression_fault(void);

/* The name that was probably meant there: a function, one of its arguments, an
   operand, a constant or a dtype.  Valid until this thread's next call of a
   function of this header.  NULL: no name is near, or the fault has nothing to
   do with a name.  Never fails. */
DPR_API const char *dpr_expression_nearest(void);

DPR_END_DECLS

/*
 * Compute as dpr_evaluate_with() and dpr_evaluate_with_into(), with the names
 * and values in the call: dpr_evaluate(text, queue, &out, "x", x, "y", 2.5) and
 * dpr_evaluate_into(text, out, "x", x, "y", 2.5).  A value is an array or any C
 * or C++ number.  In C there may be up to 16 pairs.  @out may overlap operands;
 * dpr_expression_apply_into() says when this takes a temporary array and a copy.
 */
#ifdef __cplusplus
/* Fill @to with the names and values that follow. */
static inline void dpr__bind(dpr_binding *)
{
}
template <class T, class... R>
static inline void dpr__bind(
	dpr_binding *to, const char *name, const T &value, const R &...rest)
{
	to->name = name;
	to->value = dpr_operand_of(value);
	dpr__bind(to + 1, rest...);
}
/* These are macros in C. */
template <class... A>
DPR_CHECK static inline dpr_status dpr_evaluate(
	const char *text, dpr_queue *queue, dpr_array **out, const A &...pairs)
{
	dpr_binding list[sizeof...(A) / 2 + 1];

	dpr__bind(list, pairs...);
	return dpr_evaluate_with(text, list, sizeof...(A) / 2, queue, out);
}
template <class... A>
DPR_CHECK static inline dpr_status dpr_evaluate_into(
	const char *text, dpr_array *out, const A &...pairs)
{
	dpr_binding list[sizeof...(A) / 2 + 1];

	dpr__bind(list, pairs...);
	return dpr_evaluate_with_into(text, list, sizeof...(A) / 2, out);
}
#else
#define dpr_evaluate(text, queue, ...) \
	DPR__EVALUATE(dpr_evaluate_with, text, queue, __VA_ARGS__)
#define dpr_evaluate_into(text, ...) \
	DPR__EVALUATE(DPR__INTO, text, NULL, __VA_ARGS__)
#define DPR__INTO(text, bindings, n_bindings, queue, out) \
	dpr_evaluate_with_into((text), bindings, (n_bindings), (out))

/* Choose the macro for a call with @out and n pairs behind @text by the number
   of arguments; ODD: a name has no value. */
/* clang-format off */
#define DPR__EVALUATE(call, text, queue, ...) \
	DPR__NTH(__VA_ARGS__, DPR__B16, DPR__ODD, DPR__B15, DPR__ODD, DPR__B14, \
		DPR__ODD, DPR__B13, DPR__ODD, DPR__B12, DPR__ODD, \
		DPR__B11, DPR__ODD, DPR__B10, DPR__ODD, DPR__B9, \
		DPR__ODD, DPR__B8, DPR__ODD, DPR__B7, DPR__ODD, \
		DPR__B6, DPR__ODD, DPR__B5, DPR__ODD, DPR__B4, \
		DPR__ODD, DPR__B3, DPR__ODD, DPR__B2, DPR__ODD, \
		DPR__B1, DPR__ODD, DPR__B0, 0)(call, text, queue, __VA_ARGS__)
#define DPR__NTH(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, \
	a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, \
	a27, a28, a29, a30, a31, a32, a33, pick, ...) pick
#define DPR__ODD(...) dpr_evaluate_needs_a_value_for_each_name
#define DPR__B0(call, text, queue, out) call((text), NULL, 0, (queue), (out))
#define DPR__B1(call, text, queue, out, ...) \
	DPR__B(call, text, queue, out, 1, DPR__P1(__VA_ARGS__))
#define DPR__B2(call, text, queue, out, ...) \
	DPR__B(call, text, queue, out, 2, DPR__P2(__VA_ARGS__))
#define DPR__B3(call, text, queue, out, ...) \
	DPR__B(call, text, queue, out, 3, DPR__P3(__VA_ARGS__))
#define DPR__B4(call, text, queue, out, ...) \
	DPR__B(call, text, queue, out, 4, DPR__P4(__VA_ARGS__))
#define DPR__B5(call, text, queue, out, ...) \
	DPR__B(call, text, queue, out, 5, DPR__P5(__VA_ARGS__))
#define DPR__B6(call, text, queue, out, ...) \
	DPR__B(call, text, queue, out, 6, DPR__P6(__VA_ARGS__))
#define DPR__B7(call, text, queue, out, ...) \
	DPR__B(call, text, queue, out, 7, DPR__P7(__VA_ARGS__))
#define DPR__B8(call, text, queue, out, ...) \
	DPR__B(call, text, queue, out, 8, DPR__P8(__VA_ARGS__))
#define DPR__B9(call, text, queue, out, ...) \
	DPR__B(call, text, queue, out, 9, DPR__P9(__VA_ARGS__))
#define DPR__B10(call, text, queue, out, ...) \
	DPR__B(call, text, queue, out, 10, DPR__P10(__VA_ARGS__))
#define DPR__B11(call, text, queue, out, ...) \
	DPR__B(call, text, queue, out, 11, DPR__P11(__VA_ARGS__))
#define DPR__B12(call, text, queue, out, ...) \
	DPR__B(call, text, queue, out, 12, DPR__P12(__VA_ARGS__))
#define DPR__B13(call, text, queue, out, ...) \
	DPR__B(call, text, queue, out, 13, DPR__P13(__VA_ARGS__))
#define DPR__B14(call, text, queue, out, ...) \
	DPR__B(call, text, queue, out, 14, DPR__P14(__VA_ARGS__))
#define DPR__B15(call, text, queue, out, ...) \
	DPR__B(call, text, queue, out, 15, DPR__P15(__VA_ARGS__))
#define DPR__B16(call, text, queue, out, ...) \
	DPR__B(call, text, queue, out, 16, DPR__P16(__VA_ARGS__))
#define DPR__B(call, text, queue, out, n, ...) \
	call((text), ((const dpr_binding[]){ __VA_ARGS__ }), (n), (queue), \
		(out))
#define DPR__P1(name, value) { (name), DPR_OPERAND(value) }
#define DPR__P2(name, value, ...) \
	DPR__P1(name, value), DPR__P1(__VA_ARGS__)
#define DPR__P3(name, value, ...) \
	DPR__P1(name, value), DPR__P2(__VA_ARGS__)
#define DPR__P4(name, value, ...) \
	DPR__P1(name, value), DPR__P3(__VA_ARGS__)
#define DPR__P5(name, value, ...) \
	DPR__P1(name, value), DPR__P4(__VA_ARGS__)
#define DPR__P6(name, value, ...) \
	DPR__P1(name, value), DPR__P5(__VA_ARGS__)
#define DPR__P7(name, value, ...) \
	DPR__P1(name, value), DPR__P6(__VA_ARGS__)
#define DPR__P8(name, value, ...) \
	DPR__P1(name, value), DPR__P7(__VA_ARGS__)
#define DPR__P9(name, value, ...) \
	DPR__P1(name, value), DPR__P8(__VA_ARGS__)
#define DPR__P10(name, value, ...) \
	DPR__P1(name, value), DPR__P9(__VA_ARGS__)
#define DPR__P11(name, value, ...) \
	DPR__P1(name, value), DPR__P10(__VA_ARGS__)
#define DPR__P12(name, value, ...) \
	DPR__P1(name, value), DPR__P11(__VA_ARGS__)
#define DPR__P13(name, value, ...) \
	DPR__P1(name, value), DPR__P12(__VA_ARGS__)
#define DPR__P14(name, value, ...) \
	DPR__P1(name, value), DPR__P13(__VA_ARGS__)
#define DPR__P15(name, value, ...) \
	DPR__P1(name, value), DPR__P14(__VA_ARGS__)
#define DPR__P16(name, value, ...) \
	DPR__P1(name, value), DPR__P15(__VA_ARGS__)
/* clang-format on */
#endif

#endif
