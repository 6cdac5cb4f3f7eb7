/* SPDX-License-Identifier: Apache-2.0 */
/* linalg_calls.c - linear algebra in expressions. */
#include "core/array/expression/calls/linalg_calls.h"

#include <math.h>

#include <dpr/linalg.h>

#include "core/array/expression/calls/arguments.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* --- Several results ------------------------------------------------------ */

#define MOST 3

/* Set the result to a tuple of the arrays @made, which it owns, unless @status
   is a failure. */
static dpr_status several(struct function_call *call, dpr_status status,
			  dpr_array *const *made)
{
	const size_t n = (size_t)call->function->results;
	struct value *items;

	if (status)
		return status;
	items = mem_array(n, sizeof(*items));
	for (size_t i = 0; i < n; i++) {
		if (items)
			items[i] = (struct value){ .kind = VALUE_ARRAY,
						   .array = made[i] };
		else
			dpr_array_release(made[i]);
	}
	if (!items)
		return fail_memory(call->function->signature.name);
	call->result = (struct value){ .kind = VALUE_TUPLE,
				       .items = items,
				       .count = n };
	return DPR_OK;
}

static dpr_status run_part(struct function_call *call)
{
	const struct value *results = &call->arguments[0];
	const int64_t k = call->arguments[1].scalar.as.i;

	call->result = value_share(&results->items[k]);
	return DPR_OK;
}

const struct function linalg_calls_part = {
	.signature = { .name = "part",
		       .required = 2,
		       .positional = 2,
		       .n = 2,
		       .parameters = (const char *const[]){ "results", "k" } },
	.run = run_part,
};

/* --- Arguments ------------------------------------------------------------ */

/* Get arguments 0 and 1 as arrays. */
static dpr_status get_two(struct function_call *call, dpr_array **x1,
			  dpr_array **x2)
{
	const dpr_status status = arguments_array(call, 0, x1);

	return status ? status : arguments_array(call, 1, x2);
}

/* Get argument @i as the tolerance of a rank. */
static dpr_status get_rtol(struct function_call *call, int i, dpr_operand *out)
{
	*out = dpr_operand_none();
	return arguments_given(call, i) && call->arguments[i].kind != VALUE_NONE
		       ? arguments_operand(call, i, out)
		       : DPR_OK;
}

/* Get argument @i as a norm, which is @usual if it is missing or None. */
static dpr_status get_norm(struct function_call *call, int i, dpr_norm usual,
			   dpr_norm *out)
{
	static const struct {
		double number;
		dpr_norm norm;
	} norms[] = {
		{ 1, DPR_NORM_1 },          { -1, DPR_NORM_MINUS_1 },
		{ 2, DPR_NORM_2 },          { -2, DPR_NORM_MINUS_2 },
		{ INFINITY, DPR_NORM_INF }, { -INFINITY, DPR_NORM_MINUS_INF },
	};
	const struct value *value = &call->arguments[i];
	double number;

	*out = usual;
	if (!arguments_given(call, i) || value->kind == VALUE_NONE)
		return DPR_OK;
	if (value->kind == VALUE_WORD &&
	    (value->word == VALUE_WORD_FRO || value->word == VALUE_WORD_NUC)) {
		*out = value->word == VALUE_WORD_FRO ? DPR_NORM_FRO
						     : DPR_NORM_NUC;
		return DPR_OK;
	}
	if (arguments_as_double(value, &number))
		for (size_t k = 0; k < sizeof(norms) / sizeof(norms[0]); k++)
			if (norms[k].number == number) {
				*out = norms[k].norm;
				return DPR_OK;
			}
	return arguments_fail(call, i,
			      "none of 'fro', 'nuc', 1, -1, 2, -2, inf, -inf");
}

/* --- Functions of one matrix ---------------------------------------------- */

typedef dpr_status (*plain)(const dpr_array *, dpr_array **);

static dpr_status run_plain(struct function_call *call, plain function)
{
	dpr_array *x;
	const dpr_status status = arguments_array(call, 0, &x);

	return status ? status
		      : arguments_result(call,
					 function(x, &call->result.array));
}

dpr_status linalg_calls_det(struct function_call *call)
{
	return run_plain(call, dpr_det);
}

dpr_status linalg_calls_eigvals(struct function_call *call)
{
	return run_plain(call, dpr_eigvals);
}

dpr_status linalg_calls_inv(struct function_call *call)
{
	return run_plain(call, dpr_inv);
}

dpr_status linalg_calls_svdvals(struct function_call *call)
{
	return run_plain(call, dpr_svdvals);
}

typedef dpr_status (*flagged)(const dpr_array *, int, dpr_array **);

/* Run a function whose argument 1 is True or False. */
static dpr_status run_flagged(struct function_call *call, flagged function)
{
	dpr_status status;
	dpr_array *x;
	bool flag;

	if ((status = arguments_array(call, 0, &x)) ||
	    (status = arguments_bool(call, 1, &flag)))
		return status;
	return arguments_result(call, function(x, flag, &call->result.array));
}

dpr_status linalg_calls_cholesky(struct function_call *call)
{
	return run_flagged(call, dpr_cholesky);
}

dpr_status linalg_calls_eigvalsh(struct function_call *call)
{
	return run_flagged(call, dpr_eigvalsh);
}

typedef dpr_status (*ranked)(const dpr_array *, dpr_operand, dpr_array **);

/* Run a function whose argument 1 is a tolerance. */
static dpr_status run_ranked(struct function_call *call, ranked function)
{
	dpr_status status;
	dpr_operand rtol;
	dpr_array *x;

	if ((status = arguments_array(call, 0, &x)) ||
	    (status = get_rtol(call, 1, &rtol)))
		return status;
	return arguments_result(call, function(x, rtol, &call->result.array));
}

dpr_status linalg_calls_matrix_rank(struct function_call *call)
{
	return run_ranked(call, (dpr_matrix_rank));
}

dpr_status linalg_calls_pinv(struct function_call *call)
{
	return run_ranked(call, (dpr_pinv));
}

dpr_status linalg_calls_matrix_norm(struct function_call *call)
{
	dpr_status status;
	dpr_array *x;
	dpr_norm ord;
	bool keepdims;

	if ((status = arguments_array(call, 0, &x)) ||
	    (status = get_norm(call, 1, DPR_NORM_FRO, &ord)) ||
	    (status = arguments_bool(call, 2, &keepdims)))
		return status;
	return arguments_result(
		call, dpr_matrix_norm(x, ord, keepdims, &call->result.array));
}

dpr_status linalg_calls_cond(struct function_call *call)
{
	dpr_status status;
	dpr_array *x;
	dpr_norm ord;

	if ((status = arguments_array(call, 0, &x)) ||
	    (status = get_norm(call, 1, DPR_NORM_2, &ord)))
		return status;
	return arguments_result(call, dpr_cond(x, ord, &call->result.array));
}

/* --- Systems of equations ------------------------------------------------- */

dpr_status linalg_calls_solve(struct function_call *call)
{
	dpr_array *x1, *x2;
	const dpr_status status = get_two(call, &x1, &x2);

	return status ? status
		      : arguments_result(
				call, dpr_solve(x1, x2, &call->result.array));
}

dpr_status linalg_calls_solve_triangular(struct function_call *call)
{
	dpr_array *x1, *x2;
	dpr_status status;
	bool upper, unit;

	if ((status = get_two(call, &x1, &x2)) ||
	    (status = arguments_bool(call, 2, &upper)) ||
	    (status = arguments_bool(call, 3, &unit)))
		return status;
	return arguments_result(
		call,
		dpr_solve_triangular(x1, x2, upper, unit, &call->result.array));
}

dpr_status linalg_calls_lstsq(struct function_call *call)
{
	dpr_array *x1, *x2, *made[MOST];
	dpr_operand rtol;
	dpr_status status;

	if ((status = get_two(call, &x1, &x2)) ||
	    (status = get_rtol(call, 2, &rtol)))
		return status;
	status = (dpr_lstsq)(x1, x2, rtol, &made[0], &made[1], &made[2]);
	return several(call, status, made);
}

/* --- Factors -------------------------------------------------------------- */

typedef dpr_status (*pair)(const dpr_array *, dpr_array **, dpr_array **);

/* Run a function of one array that has two results. */
static dpr_status run_pair(struct function_call *call, pair function)
{
	dpr_array *x, *made[MOST];
	dpr_status status = arguments_array(call, 0, &x);

	if (status)
		return status;
	status = function(x, &made[0], &made[1]);
	return several(call, status, made);
}

dpr_status linalg_calls_slogdet(struct function_call *call)
{
	return run_pair(call, dpr_slogdet);
}

dpr_status linalg_calls_eig(struct function_call *call)
{
	return run_pair(call, dpr_eig);
}

dpr_status linalg_calls_eigh(struct function_call *call)
{
	dpr_array *x, *made[MOST];
	dpr_status status;
	bool upper;

	if ((status = arguments_array(call, 0, &x)) ||
	    (status = arguments_bool(call, 1, &upper)))
		return status;
	status = dpr_eigh(x, upper, &made[0], &made[1]);
	return several(call, status, made);
}

dpr_status linalg_calls_lu(struct function_call *call)
{
	dpr_array *x, *made[MOST];
	dpr_status status = arguments_array(call, 0, &x);

	if (status)
		return status;
	status = dpr_lu(x, &made[0], &made[1], &made[2]);
	return several(call, status, made);
}

dpr_status linalg_calls_qr(struct function_call *call)
{
	const struct value *mode = &call->arguments[1];
	const bool given = arguments_given(call, 1);
	dpr_array *x, *made[MOST];
	dpr_status status = arguments_array(call, 0, &x);

	if (status)
		return status;
	if (given &&
	    (mode->kind != VALUE_WORD || (mode->word != VALUE_WORD_REDUCED &&
					  mode->word != VALUE_WORD_COMPLETE)))
		return arguments_fail(call, 1,
				      "neither 'reduced' nor 'complete'");
	status = dpr_qr(x,
			given && mode->word == VALUE_WORD_COMPLETE
				? DPR_QR_COMPLETE
				: DPR_QR_REDUCED,
			&made[0], &made[1]);
	return several(call, status, made);
}

dpr_status linalg_calls_svd(struct function_call *call)
{
	dpr_array *x, *made[MOST];
	bool full = true;
	dpr_status status = arguments_array(call, 0, &x);

	if (!status && arguments_given(call, 1))
		status = arguments_bool(call, 1, &full);
	if (status)
		return status;
	status = dpr_svd(x, full, &made[0], &made[1], &made[2]);
	return several(call, status, made);
}
