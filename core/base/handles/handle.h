/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handle.h - an argument of a public function that is or has handles, as the
 * layer "handles" sees it.
 *
 * HANDLE(x) makes a struct handle of an argument by its type.
 */
#ifndef BASE_HANDLE_H
#define BASE_HANDLE_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/expression.h>
#include <dpr/launch.h>
#include <dpr/operand.h>
#include <dpr/reduce.h>

enum handle_kind {
	HANDLE_DEVICE,
	HANDLE_QUEUE,
	HANDLE_EVENT,
	HANDLE_USM,
	HANDLE_PROGRAM,
	HANDLE_KERNEL,
	HANDLE_ARRAY,
	HANDLE_EXPRESSION,
	HANDLE_KINDS
};

enum handle_form {
	HANDLE_NOTHING,  /* a scalar operand */
	HANDLE_ONE,      /* `at` is the object */
	HANDLE_LIST,     /* `at` is a list of `n` pointers to objects */
	HANDLE_OPERANDS, /* `at` is a list of `n` dpr_operand */
	HANDLE_BINDINGS, /* `at` is a list of `n` dpr_binding */
	HANDLE_ARGS,     /* `at` is a list of `n` dpr_arg */
	HANDLE_OUT,      /* a list as for LIST; the call makes these objects */
	HANDLE_LENT_OUT  /* a list as for LIST; the call lends these objects */
};

struct handle {
	enum handle_kind kind;
	enum handle_form form;
	const void *at; /* NULL: there is none */
	size_t n;
};

/* handle_T(x): one object.  handle_T_out(out): the object that a call makes.
   handle_T_lent(out): the object that a call lends. */
/* clang-format off */
#define HANDLE__MAKE(T, KIND)                                          \
	static inline struct handle handle_##T(const dpr_##T *x)       \
	{                                                              \
		return (struct handle){ KIND, HANDLE_ONE, x, 1 };      \
	}                                                              \
	static inline struct handle handle_##T##_out(dpr_##T **x)      \
	{                                                              \
		return (struct handle){ KIND, HANDLE_OUT, x, 1 };      \
	}                                                              \
	static inline struct handle handle_##T##_lent(dpr_##T **x)     \
	{                                                              \
		return (struct handle){ KIND, HANDLE_LENT_OUT, x, 1 }; \
	}
/* clang-format on */
HANDLE__MAKE(device, HANDLE_DEVICE)
HANDLE__MAKE(queue, HANDLE_QUEUE)
HANDLE__MAKE(event, HANDLE_EVENT)
HANDLE__MAKE(usm, HANDLE_USM)
HANDLE__MAKE(program, HANDLE_PROGRAM)
HANDLE__MAKE(kernel, HANDLE_KERNEL)
HANDLE__MAKE(array, HANDLE_ARRAY)
HANDLE__MAKE(expression, HANDLE_EXPRESSION)
#undef HANDLE__MAKE

static inline struct handle handle_events(const dpr_events *events)
{
	return (struct handle){ HANDLE_EVENT, HANDLE_LIST,
				events ? events->list : NULL,
				events ? events->count : 0 };
}

/* The mask of a reduction. */
static inline struct handle handle_axes(const dpr_axes *axes)
{
	return (struct handle){ HANDLE_ARRAY, HANDLE_ONE,
				axes ? axes->where : NULL, 1 };
}

static inline struct handle handle_operand(dpr_operand x)
{
	return (struct handle){ HANDLE_ARRAY,
				x.kind == DPR_OPERAND_ARRAY ? HANDLE_ONE
							    : HANDLE_NOTHING,
				x.as.array, 1 };
}

static inline struct handle handle_operands(const dpr_operand *x, size_t n)
{
	return (struct handle){ HANDLE_ARRAY, HANDLE_OPERANDS, x, n };
}

static inline struct handle handle_bindings(const dpr_binding *x, size_t n)
{
	return (struct handle){ HANDLE_ARRAY, HANDLE_BINDINGS, x, n };
}

static inline struct handle handle_args(const dpr_arg *x, size_t n)
{
	return (struct handle){ HANDLE_USM, HANDLE_ARGS, x, n };
}

static inline struct handle handle_arrays(const dpr_array *const *x, size_t n)
{
	return (struct handle){ HANDLE_ARRAY, HANDLE_LIST, x, n };
}

static inline struct handle handle_arrays_out(dpr_array **x, size_t n)
{
	return (struct handle){ HANDLE_ARRAY, HANDLE_OUT, x, n };
}

/* Returns @handle, for HANDLE. */
static inline struct handle handle_same(struct handle handle)
{
	return handle;
}

/* clang-format off */
#define HANDLE__CASES(T)                          \
	dpr_##T *: handle_##T,                    \
	const dpr_##T *: handle_##T,              \
	dpr_##T **: handle_##T##_out
/* clang-format on */

#define HANDLE(x) \
	_Generic((x), HANDLE__CASES(device), HANDLE__CASES(queue),         \
		HANDLE__CASES(event), HANDLE__CASES(usm),                  \
		HANDLE__CASES(program), HANDLE__CASES(kernel),             \
		HANDLE__CASES(array), HANDLE__CASES(expression),           \
		const dpr_events *: handle_events,                         \
		const dpr_axes *: handle_axes,                             \
		dpr_operand: handle_operand, struct handle: handle_same)(x)

#endif
