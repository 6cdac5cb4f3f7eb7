/* SPDX-License-Identifier: Apache-2.0 */
/* functions.c - finds functions, and runs the elementwise ones. */
#include "core/array/expression/functions.h"

#include <string.h>

#include <dpr/creation.h>
#include <dpr/elementwise.h>

#include "core/array/engine/operations.h"
#include "core/array/expression/derived_table.h"
#include "core/array/expression/number.h"

static const char *const operand_names[] = { "x1", "x2", "x3" };
static const char *const one_operand[] = { "x" };
static const char *const clip_operands[] = { "x", "min", "max" };

#define FIELD_1 unary
#define FIELD_2 binary
#define FIELD_3 ternary
#define JOIN(a, b) a##b
#define FIELD(n) JOIN(FIELD_, n)
#define INTO(field) JOIN(field, _into)
#define IS_CLIP(operation) ((operation) == OPERATION__clip)

static const struct function elementwise[] = {
#define ELEMENTWISE__X(operation_, n_, family, result, classes, identity,      \
		       guarded)                                                \
	{ .signature = { #operation_,                                          \
			 IS_CLIP(OPERATION__##operation_) ? 1 : (n_), n_, n_,  \
			 (n_) == 1                          ? one_operand      \
			 : IS_CLIP(OPERATION__##operation_) ? clip_operands    \
							    : operand_names }, \
	  .fuses = FUSION_OPERATION,                                           \
	  .operation = OPERATION__##operation_,                                \
	  .FIELD(n_) = (dpr_##operation_),                                     \
	  .INTO(FIELD(n_)) = (dpr_##operation_##_into) },
	OPERATION_MAP(ELEMENTWISE__X)
#undef ELEMENTWISE__X
};

#define N_ELEMENTWISE (sizeof(elementwise) / sizeof(elementwise[0]))

const struct function *functions_at(size_t index)
{
	if (index < N_ELEMENTWISE)
		return &elementwise[index];
	index -= N_ELEMENTWISE;
	if (index < builtins_count)
		return &builtins_list[index];
	index -= builtins_count;
	return index < derived_table_count ? &derived_table[index] : NULL;
}

const struct function *functions_find(const char *name, size_t length)
{
	const struct function *function;

	for (size_t i = 0; (function = functions_at(i)); i++)
		if (builtins_is(function, name, length))
			return function;
	return NULL;
}

void functions_offer(struct suggestion *suggestion)
{
	const struct function *function;

	for (size_t i = 0; (function = functions_at(i)); i++)
		suggest_offer(suggestion, function->signature.name);
}

/* The operation of each operator: `binary` with two operands, `unary` with a
   single operand. */
static const struct {
	enum token_kind op;
	int binary, unary; /* -1: the operator has no such form */
} operators[] = {
	{ TOKEN_ADD, OPERATION__add, OPERATION__positive },
	{ TOKEN_SUBTRACT, OPERATION__subtract, OPERATION__negative },
	{ TOKEN_MULTIPLY, OPERATION__multiply, -1 },
	{ TOKEN_DIVIDE, OPERATION__divide, -1 },
	{ TOKEN_FLOOR_DIVIDE, OPERATION__floor_divide, -1 },
	{ TOKEN_REMAINDER, OPERATION__remainder, -1 },
	{ TOKEN_POWER, OPERATION__pow, -1 },
	{ TOKEN_EQUAL, OPERATION__equal, -1 },
	{ TOKEN_NOT_EQUAL, OPERATION__not_equal, -1 },
	{ TOKEN_LESS, OPERATION__less, -1 },
	{ TOKEN_LESS_EQUAL, OPERATION__less_equal, -1 },
	{ TOKEN_GREATER, OPERATION__greater, -1 },
	{ TOKEN_GREATER_EQUAL, OPERATION__greater_equal, -1 },
	{ TOKEN_AND, OPERATION__bitwise_and, -1 },
	{ TOKEN_OR, OPERATION__bitwise_or, -1 },
	{ TOKEN_XOR, OPERATION__bitwise_xor, -1 },
	{ TOKEN_LEFT_SHIFT, OPERATION__bitwise_left_shift, -1 },
	{ TOKEN_RIGHT_SHIFT, OPERATION__bitwise_right_shift, -1 },
	{ TOKEN_INVERT, -1, OPERATION__bitwise_invert },
};

const struct function *functions_of_operator(enum token_kind op, bool unary)
{
	if (op == TOKEN_MATMUL)
		return functions_find("matmul", strlen("matmul"));
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (operators[i].op == op)
			return &elementwise[unary ? operators[i].unary
						  : operators[i].binary];
	return NULL;
}

/* The operator of an elementwise function.  TOKEN_END if no operator stands for
   the function. */
static enum token_kind operator_of(const struct function *function)
{
	const bool unary = function->signature.n == 1;

	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if ((unary ? operators[i].unary : operators[i].binary) ==
		    function->operation)
			return operators[i].op;
	return TOKEN_END;
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

static dpr_status apply_into(const struct function *f, const dpr_operand *x,
			     dpr_array *out)
{
	if (f->unary)
		return f->unary_into(x[0], out);
	if (f->binary)
		return f->binary_into(x[0], x[1], out);
	return f->ternary_into(x[0], x[1], x[2], out);
}

/* Run a function of numbers: make the first number a 0-d array, and convert the
   result to a number. */
static dpr_status apply_to_scalars(struct function_call *call,
				   const dpr_operand *given)
{
	dpr_operand x[BUILTINS_PARAMETERS];
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

/* Compute a function of integers on the host, where a result that does not fit
   is an error.  On a device integers would wrap around.  This is for operators
   and for the functions listed below.  Returns false for other functions, and
   for operands that are not integers. */
static bool run_on_integers(const struct function *function,
			    const dpr_operand *x, dpr_operand *out,
			    dpr_status *status)
{
	const enum token_kind op = operator_of(function);
	const int n = function->signature.n;

	if (!number_are_integers(x, n) || op == TOKEN_DIVIDE)
		return false;
	if (op != TOKEN_END) {
		*status = n == 1 ? number_unary(op, x[0], out)
				 : number_binary(op, x[0], x[1], out);
		return true;
	}
	switch (function->operation) {
	case OPERATION__abs: *status = number_absolute(x[0], out); return true;
	case OPERATION__square:
		*status = number_binary(TOKEN_MULTIPLY, x[0], x[0], out);
		return true;
	case OPERATION__multiply_add:
		*status = number_multiply_add(x[0], x[1], x[2], out);
		return true;
	case OPERATION__minimum:
		*status = number_minimum(x[0], x[1], out);
		return true;
	case OPERATION__clip:
		*status = number_maximum(x[0], x[1], out);
		if (!*status)
			*status = number_minimum(*out, x[2], out);
		return true;
	case OPERATION__gcd: *status = number_gcd(x[0], x[1], out); return true;
	case OPERATION__lcm: *status = number_lcm(x[0], x[1], out); return true;
	case OPERATION__maximum:
		*status = number_maximum(x[0], x[1], out);
		return true;
	}
	return false;
}

/*
 * Run a function whose operands are all numbers.  The result is a number again,
 * which takes the dtype of arrays beside it: sqrt(2)*x has the dtype of x.
 */
static dpr_status run_on_scalars(struct function_call *call, dpr_operand *x)
{
	dpr_status status;

	if (!run_on_integers(call->function, x, &call->result.scalar, &status))
		status = apply_to_scalars(call, x);
	/* If the function does not take integers, try a float, as Python
	   does. */
	if (status == DPR_ERROR_DTYPE && x[0].kind == DPR_OPERAND_INT) {
		x[0] = dpr_operand_float((double)x[0].as.i);
		status = apply_to_scalars(call, x);
	}
	if (!status)
		call->result.kind = VALUE_SCALAR;
	return status;
}

bool functions_can_write(const struct function_call *call)
{
	if (call->function->run)
		return false;
	for (int i = 0; i < call->function->signature.n; i++)
		if (call->arguments[i].kind == VALUE_ARRAY)
			return true;
	return false;
}

bool functions_operand(const struct function *function,
		       const struct value *value, dpr_operand *out)
{
	if (value->kind != VALUE_NONE && value->kind != VALUE_EMPTY)
		return value_operand(value, out);
	*out = dpr_operand_none();
	return !function->run && function->operation == OPERATION__clip;
}

static dpr_status run_elementwise(struct function_call *call, dpr_array *into)
{
	const struct function *function = call->function;
	dpr_operand x[BUILTINS_PARAMETERS] = { 0 };
	bool arrays = false;
	dpr_status status;

	for (int i = 0; i < function->signature.n; i++) {
		if (!functions_operand(function, &call->arguments[i], &x[i])) {
			*call->fault = call->places[i];
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "%s takes only arrays and numbers",
				    function->signature.name);
		}
		arrays |= x[i].kind == DPR_OPERAND_ARRAY;
	}
	if (!arrays)
		return run_on_scalars(call, x);
	if (into)
		return apply_into(function, x, into);
	status = apply_function(function, x, &call->result.array);
	if (!status)
		call->result.kind = VALUE_ARRAY;
	return status;
}

dpr_status functions_run(struct function_call *call, dpr_array *into)
{
	if (call->function->run)
		return call->function->run(call);
	return run_elementwise(call, into);
}
