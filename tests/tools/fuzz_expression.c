/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_expression.c - the targets of fuzz for expressions and definitions. */
#include <stdlib.h>
#include <string.h>

#include "core/array/expression/number.h"
#include "core/array/expression/plan.h"
#include "tests/tools/fuzz.h"
#include "tools/eval/point.h"

/* Check that nodes come after their children, and that each has one parent. */
static void check_tree(const struct tree *e)
{
	unsigned char *parents = calloc(e->n_nodes + 1, 1);

	CHECK(parents && e->n_nodes > 0);
	for (size_t i = 0; i < e->n_nodes; i++) {
		const struct node *node = &e->nodes[i];

		CHECK(node->n_children <= e->n_children);
		for (size_t k = 0; k < node->n_children; k++) {
			const size_t child = parser_children(e, node)[k];

			CHECK(child < i && !parents[child]);
			parents[child] = 1;
		}
		CHECK(node->column + node->length <= strlen(e->text));
	}
	for (size_t i = 0; i + 1 < e->n_nodes; i++)
		CHECK(parents[i] || e->nodes[i].kind == NODE_ASSIGN);
	free(parents);
}

/* Compute operators whose operands are both numbers, and format the results. */
static void check_numbers(const struct tree *e)
{
	char text[NUMBER_TEXT];
	dpr_operand out;

	for (size_t i = 0; i < e->n_nodes; i++) {
		const struct node *node = &e->nodes[i], *a, *b;

		if (node->kind != NODE_BINARY)
			continue;
		a = &e->nodes[parser_children(e, node)[0]];
		b = &e->nodes[parser_children(e, node)[1]];
		if (a->kind != NODE_NUMBER || b->kind != NODE_NUMBER)
			continue;
		if (number_binary(node->op, a->number, b->number, &out)) {
			CHECK(*dpr_last_error());
			continue;
		}
		number_format(out, text);
		CHECK(*text && strlen(text) < sizeof(text));
	}
}

/* Check that steps come after their arguments, and that they count as
   used if a result needs them. */
static void check_plan(const struct plan *plan)
{
	CHECK(plan->n_steps > 0 && plan->n_steps <= PLAN_MAX_STEPS);
	CHECK(plan->n_results > 0);
	for (size_t i = 0; i < plan->n_steps; i++) {
		const struct plan_step *step = &plan->steps[i];

		CHECK(step->first + step->n <= plan->n_arguments);
		for (size_t k = 0; k < step->n; k++) {
			const size_t at = plan->arguments[step->first + k];

			CHECK(at == PLAN_ABSENT ||
			      (at < i &&
			       (!step->uses || plan->steps[at].uses)));
		}
		CHECK(step->place.column + step->place.length <=
		      strlen(plan->text));
		CHECK(step->kind != PLAN_OPERAND ||
		      step->operand < plan->n_operands);
		CHECK(step->kind != PLAN_VIEW ||
		      (step->n >= 1 && step->n_indices > 0));
		CHECK(step->first_index + step->n_indices <= plan->n_indices);
	}
	for (size_t i = 0; i < plan->n_results; i++)
		CHECK(plan->results[i] < plan->n_steps &&
		      plan->steps[plan->results[i]].uses);
}

static void check_fault(const char *text, const struct place *place)
{
	char *point;

	CHECK(*dpr_last_error());
	if (place->column == PLACE_NOWHERE)
		return;
	CHECK(place->column + place->length <= strlen(text));
	point = point_at(text, place->column);
	CHECK(point && strchr(point, '^'));
	free(point);
}

void fuzz_expression(char *text, size_t size)
{
	struct place place = { PLACE_NOWHERE, 0 };
	struct plan plan;
	struct tree e;

	(void)size;
	if (parser_parse(text, &e, &place)) {
		check_fault(text, &place);
	} else {
		check_tree(&e);
		check_numbers(&e);
		parser_free(&e);
	}
	place_set(&place, PLACE_NOWHERE, 0);
	if (plan_make(text, NULL, &plan, &place)) {
		check_fault(text, &place);
	} else {
		check_plan(&plan);
		plan_free(&plan);
	}
}

/* Define a function, call it, and drop f.  g stays for later inputs. */
void fuzz_definition(char *text, size_t size)
{
	dpr_text_place place;
	dpr_expression *x;

	(void)size;
	if (dpr_expression_define(text)) {
		place = dpr_expression_fault();
		CHECK(*dpr_last_error());
		CHECK(place.column + place.length <= strlen(text) + 1);
	}
	if (!dpr_expression_create("f(f(x, 1)) + g(f(x))", &x)) {
		CHECK(dpr_expression_result_count(x) == 1);
		dpr_expression_release(x);
	}
	(void)!dpr_expression_undefine("f");
}
