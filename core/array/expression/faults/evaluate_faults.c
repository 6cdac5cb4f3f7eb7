/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate_faults.c - error texts of evaluations: what was probably meant. */
#include "core/array/expression/faults/evaluate_faults.h"

#include <string.h>

#include "core/array/expression/definitions.h"
#include "core/array/expression/foreign.h"
#include "core/array/expression/functions.h"
#include "core/array/expression/names.h"
#include "core/base/status.h"
#include "core/base/text.h"

dpr_status evaluate_faults_unbound(struct evaluation *ev,
				   const dpr_expression_operand *operand)
{
	struct suggestion near = suggest_start(operand->name, operand->length);
	const char *best = foreign_dtype(operand->name, operand->length);
	struct definition *definition;
	struct text known = { 0 };
	dpr_status status = DPR_ERROR_INVALID_ARGUMENT;

	place_set(&ev->fault, operand->column - 1, operand->length);
	for (size_t i = 0; i < ev->n_bindings; i++)
		suggest_offer(&near, ev->bindings[i].name);
	suggest_list(&near, &known);
	names_offer(&near);
	definition = definitions_find(DEFINITIONS_PROGRAM, operand->name,
				      operand->length);
	if (definition || functions_find(operand->name, operand->length)) {
		status = fail(status, "%s is a function; write %s(...)",
			      text_quote(operand->name).bytes,
			      text_quote(operand->name).bytes);
	} else {
		if (!best)
			best = near.best;
		names_note_nearest(best);
		status = fail(status,
			      "unknown name '%s'; known are %s (and "
			      "the dtypes, pi, e, inf, nan, True, False)%s%s%s",
			      text_quote(operand->name).bytes, text_get(&known),
			      best ? "; did you mean " : "", best ? best : "",
			      best ? "?" : "");
	}
	definitions_release(definition);
	text_fini(&known);
	suggest_end(&near);
	return status;
}

dpr_status evaluate_faults_unused(const struct evaluation *ev, const char *name)
{
	struct suggestion near = suggest_start(name, strlen(name));
	struct text known = { 0 };
	dpr_status status = DPR_ERROR_INVALID_ARGUMENT;

	for (size_t i = 0; i < ev->plan->n_operands; i++)
		if (ev->plan->operands[i].required)
			suggest_offer(&near, ev->plan->operands[i].name);
	names_note_nearest(near.best);
	suggest_list(&near, &known);
	status = fail(status,
		      "the expression has no operand '%s'; its operands: %s%s"
		      "%s%s",
		      text_quote(name).bytes, text_get(&known),
		      near.best ? "; did you mean " : "",
		      near.best ? near.best : "", near.best ? "?" : "");
	text_fini(&known);
	suggest_end(&near);
	return status;
}
