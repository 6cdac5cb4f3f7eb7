/* SPDX-License-Identifier: Apache-2.0 */
/* functions.c - finding a function, and running the elementwise ones. */
#include "tools/eval/functions.h"

#include <limits.h>
#include <string.h>

#include <dpr/creation.h>
#include <dpr/elementwise.h>

#include "tools/shared/nearest.h"

/* Made from the operation table; sorted by name. */
static const struct function elementwise[] = {
#define UNARY(operation)         \
	{ .name = #operation,    \
	  .required = 1,         \
	  .positional = 1,       \
	  .parameters = { "x" }, \
	  .unary = (dpr_##operation) },
#define BINARY(operation)               \
	{ .name = #operation,           \
	  .required = 2,                \
	  .positional = 2,              \
	  .parameters = { "x1", "x2" }, \
	  .binary = (dpr_##operation) },
#define TERNARY(operation)                    \
	{ .name = #operation,                 \
	  .required = 3,                      \
	  .positional = 3,                    \
	  .parameters = { "x1", "x2", "x3" }, \
	  .ternary = (dpr_##operation) },
#include "tools/eval/operations.inc"
};

#define N_ELEMENTWISE (sizeof(elementwise) / sizeof(elementwise[0]))

static const struct function *function_at(size_t i)
{
	if (i < N_ELEMENTWISE)
		return &elementwise[i];
	i -= N_ELEMENTWISE;
	return i < builtins_count ? &builtins_list[i] : NULL;
}

const struct function *functions_find(const char *name, size_t length)
{
	const struct function *function;
	size_t i;

	for (i = 0; (function = function_at(i)); i++)
		if (strlen(function->name) == length &&
		    !memcmp(function->name, name, length))
			return function;
	return NULL;
}

const struct function *functions_of_operator(enum token_kind op, bool unary)
{
	const char *name;

	switch (op) {
	case TOKEN_ADD: name = unary ? "positive" : "add"; break;
	case TOKEN_SUBTRACT: name = unary ? "negative" : "subtract"; break;
	case TOKEN_MULTIPLY: name = "multiply"; break;
	case TOKEN_DIVIDE: name = "divide"; break;
	case TOKEN_FLOOR_DIVIDE: name = "floor_divide"; break;
	case TOKEN_REMAINDER: name = "remainder"; break;
	case TOKEN_POWER: name = "pow"; break;
	case TOKEN_EQUAL: name = "equal"; break;
	case TOKEN_NOT_EQUAL: name = "not_equal"; break;
	case TOKEN_LESS: name = "less"; break;
	case TOKEN_LESS_EQUAL: name = "less_equal"; break;
	case TOKEN_GREATER: name = "greater"; break;
	case TOKEN_GREATER_EQUAL: name = "greater_equal"; break;
	case TOKEN_AND: name = "bitwise_and"; break;
	case TOKEN_OR: name = "bitwise_or"; break;
	case TOKEN_XOR: name = "bitwise_xor"; break;
	case TOKEN_INVERT: name = "bitwise_invert"; break;
	default: return NULL;
	}
	return functions_find(name, strlen(name));
}

const char *functions_nearest(const char *name, size_t length)
{
	const struct function *function;
	const char *best = NULL;
	unsigned distance, least = UINT_MAX;
	size_t i;

	for (i = 0; (function = function_at(i)); i++) {
		distance = nearest_distance(name, length, function->name);
		if (distance < least) {
			least = distance;
			best = function->name;
		}
	}
	return nearest_is_close(least, length) ? best : NULL;
}

const char *functions_name(size_t index)
{
	const struct function *function = function_at(index);

	return function ? function->name : NULL;
}

int functions_arity(const struct function *function)
{
	int n = 0;

	while (n < FUNCTION_MAX_PARAMETERS && function->parameters[n])
		n++;
	return n;
}

/* --- Elementwise --------------------------------------------------------- */

static dpr_status apply_function(const struct function *f, const dpr_operand *x,
				 dpr_array **out)
{
	if (f->unary)
		return f->unary(x[0], out);
	if (f->binary)
		return f->binary(x[0], x[1], out);
	return f->ternary(x[0], x[1], x[2], out);
}

/* The first operand as a 0-d array, and the result a number again. */
static dpr_status apply_to_scalars(struct call *call, const dpr_operand *given)
{
	dpr_operand x[FUNCTION_MAX_PARAMETERS];
	dpr_array *first = NULL, *result = NULL;
	dpr_status status;

	memcpy(x, given, sizeof(x));
	status = dpr_full(DPR_SCALAR_SHAPE, x[0], DPR_DTYPE_DEFAULT,
			  call->queue, &first);
	if (!status) {
		x[0] = dpr_operand_array(first);
		status = apply_function(call->function, x, &result);
	}
	if (!status)
		status = dpr_array_item(result, &call->result.scalar);
	dpr_array_release(first);
	dpr_array_release(result);
	return status;
}

/*
 * All operands are numbers.  What the device makes of them stays a number, so
 * that it is weak beside arrays: sqrt(2)*x has the dtype of x.
 */
static bool run_on_scalars(struct call *call, dpr_operand *x)
{
	dpr_status status = apply_to_scalars(call, x);

	/* As in Python, the root of an integer is that of a float. */
	if (status == DPR_ERROR_DTYPE && x[0].kind == DPR_OPERAND_INT) {
		x[0] = dpr_operand_float((double)x[0].as.i);
		status = apply_to_scalars(call, x);
	}
	if (status)
		return message_set_at(call->message, call->column, "%s",
				      dpr_last_error());
	call->result.kind = VALUE_SCALAR;
	return true;
}

static bool run_elementwise(struct call *call)
{
	dpr_operand x[FUNCTION_MAX_PARAMETERS] = { 0 };
	int n = functions_arity(call->function), i;
	bool arrays = false;

	for (i = 0; i < n; i++) {
		struct value *value = &call->arguments[i];

		if (value->kind == VALUE_ARRAY) {
			x[i] = dpr_operand_array(value->array);
			arrays = true;
		} else if (value->kind == VALUE_SCALAR) {
			x[i] = value->scalar;
		} else {
			return message_set_at(call->message, call->columns[i],
					      "%s takes arrays and numbers",
					      call->function->name);
		}
	}
	if (!arrays)
		return run_on_scalars(call, x);
	if (apply_function(call->function, x, &call->result.array))
		return message_set_at(call->message, call->column, "%s",
				      dpr_last_error());
	call->result.kind = VALUE_ARRAY;
	return true;
}

bool functions_run(struct call *call)
{
	if (call->function->run)
		return call->function->run(call);
	return run_elementwise(call);
}
