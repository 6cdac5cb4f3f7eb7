/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The language of expressions: trees and values compared with Python's
 * (fixtures/expressions.txt), columns of errors, nesting, and mutated text.
 */
#include <check.h>
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef fail /* a macro of Check's */

#include "core/array/expression/number.h"
#include "core/array/expression/parser.h"
#include "core/base/status.h"

static char *fixture(void)
{
	const char *top = getenv("top_srcdir");
	char *path, *text;
	long size;
	FILE *file;

	ck_assert(asprintf(&path, "%s/tests/fixtures/expressions.txt",
			   top ? top : ".") > 0);
	file = fopen(path, "rb");
	ck_assert_msg(file != NULL, "cannot open %s", path);
	free(path);
	ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	rewind(file);
	text = calloc(1, (size_t)size + 1);
	ck_assert(text && fread(text, 1, (size_t)size, file) == (size_t)size);
	fclose(file);
	return text;
}

/* Print the bound or step of a slice, unless it was left out. */
static void dump_bound(int64_t bound, FILE *out)
{
	if (bound != DPR_OPEN)
		fprintf(out, "%lld", (long long)bound);
}

static void dump_index(const dpr_index *index, FILE *out)
{
	if (index->kind == DPR_INDEX_NEW_AXIS)
		fputs("None", out);
	else if (index->kind == DPR_INDEX_ELLIPSIS)
		fputs("...", out);
	else
		dump_bound(index->start, out);
	if (index->kind != DPR_INDEX_SLICE)
		return;
	fputc(':', out);
	dump_bound(index->stop, out);
	fputc(':', out);
	dump_bound(index->step, out);
}

/* Print the tree in the format that make_tool_fixtures.py writes. */
static void dump(const struct tree *e, size_t index, FILE *out)
{
	const struct node *node = &e->nodes[index];
	const char *text = e->text + node->column;
	const size_t *children = parser_children(e, node);
	int length = (int)node->length;
	size_t i;

	switch (node->kind) {
	case NODE_NUMBER:
		switch (node->number.kind) {
		case DPR_OPERAND_INT:
			fprintf(out, "%lld", (long long)node->number.as.i);
			break;
		case DPR_OPERAND_UINT:
			fprintf(out, "%llu",
				(unsigned long long)node->number.as.u);
			break;
		case DPR_OPERAND_FLOAT:
			fprintf(out, "%.17gf", node->number.as.f);
			break;
		default: fprintf(out, "%.17gj", node->number.as.c[1]); break;
		}
		return;
	case NODE_TARGET:
	case NODE_NAME: fprintf(out, "%.*s", length, text); return;
	case NODE_STRING: fprintf(out, "'%.*s'", length, text); return;
	case NODE_UNARY:
	case NODE_BINARY:
		fprintf(out, "(%s", lexer_token_text(node->op));
		break;
	case NODE_CALL: fprintf(out, "(%.*s", length, text); break;
	case NODE_KEYWORD: fprintf(out, "(%.*s=", length, text); break;
	case NODE_TUPLE: fputs("(tuple", out); break;
	case NODE_INDEX: dump_index(&node->index, out); return;
	case NODE_VIEW: fputs("([]", out); break;
	case NODE_ASSIGN:
		for (i = 1; i < node->n_children; i++) {
			fputc(i > 1 ? ' ' : '(', out);
			dump(e, children[i], out);
		}
		fputs(" := ", out);
		dump(e, children[0], out);
		fputc(')', out);
		return;
	case NODE_RESULTS:
		if (node->n_children == 1) {
			dump(e, children[0], out);
			return;
		}
		fputs("(results", out);
		break;
	}
	for (i = 0; i < node->n_children; i++) {
		fputc(' ', out);
		dump(e, children[i], out);
	}
	fputc(')', out);
}

static void check_tree(const char *text, const char *expected)
{
	struct place place = { PLACE_NOWHERE, 0 };
	struct tree e;
	char *found;
	size_t size;
	FILE *out;

	ck_assert_msg(!parser_parse(text, &e, &place), "%s: %s", text,
		      dpr_last_error());
	out = open_memstream(&found, &size);
	dump(&e, e.n_nodes - 1, out);
	fclose(out);
	ck_assert_msg(!strcmp(found, expected), "%s\n   found %s\nexpected %s",
		      text, found, expected);
	free(found);
	parser_free(&e);
}

/* Compute an expression that has only numbers. */
static dpr_status compute(const char *text, dpr_operand *out,
			  struct place *place)
{
	dpr_status status;
	dpr_operand *values;
	struct tree e;

	status = parser_parse(text, &e, place);
	if (status)
		return status;
	values = calloc(e.n_nodes, sizeof(*values));
	ck_assert(values != NULL);
	for (size_t i = 0; !status && i < e.n_nodes; i++) {
		const struct node *node = &e.nodes[i];
		const size_t *child = parser_children(&e, node);

		if (node->kind == NODE_NUMBER)
			values[i] = node->number;
		else if (node->kind == NODE_NAME)
			values[i] =
				dpr_operand_bool(parser_is(&e, node, "True"));
		else if (node->kind == NODE_UNARY)
			status = number_unary(node->op, values[child[0]],
					      &values[i]);
		else if (node->kind == NODE_BINARY)
			status = number_binary(node->op, values[child[0]],
					       values[child[1]], &values[i]);
		else if (node->kind == NODE_RESULTS && node->n_children == 1)
			values[i] = values[child[0]];
		else
			status = fail(DPR_ERROR_INVALID_ARGUMENT,
				      "not a number");
	}
	if (!status)
		*out = values[e.n_nodes - 1];
	free(values);
	parser_free(&e);
	return status;
}

/* Complex powers use exp() and log() of the C library, which may differ in the
   last digit: allow that in both parts. */
static bool nearly(const char *a, const char *b)
{
	char *end_a, *end_b;

	while (*a && *b) {
		double x = strtod(a, &end_a), y = strtod(b, &end_b);

		if (end_a == a || end_b == b) {
			if (*a++ != *b++)
				return false;
			continue;
		}
		if (x != y && !(fabs(x - y) < 1e-15))
			return false;
		a = end_a;
		b = end_b;
	}
	return *a == *b;
}

static void check_value(const char *text, const char *expected)
{
	struct place place = { PLACE_NOWHERE, 0 };
	char found[NUMBER_TEXT];
	dpr_operand value;

	ck_assert_msg(!compute(text, &value, &place), "%s: %s", text,
		      dpr_last_error());
	number_format(value, found);
	if (strstr(text, "**") && value.kind == DPR_OPERAND_COMPLEX)
		ck_assert_msg(nearly(found, expected),
			      "%s: found %s, expected %s", text, found,
			      expected);
	else
		ck_assert_msg(!strcmp(found, expected),
			      "%s: found %s, expected %s", text, found,
			      expected);
}

static void check_error(const char *text)
{
	struct place place = { PLACE_NOWHERE, 0 };
	dpr_operand value;

	ck_assert_msg(compute(text, &value, &place), "%s is accepted", text);
	ck_assert_msg(*dpr_last_error(), "%s: no message", text);
	ck_assert_msg(place.column == PLACE_NOWHERE ||
			      place.column + place.length <= strlen(text),
		      "%s: column %zu, %zu bytes", text, place.column,
		      place.length);
}

START_TEST(agrees_with_python)
{
	char *text = fixture(), *line, *state;
	int checked = 0;

	for (line = strtok_r(text, "\n", &state); line;
	     line = strtok_r(NULL, "\n", &state)) {
		char *source = strchr(line, '\t'), *result;

		if (*line == '#')
			continue;
		ck_assert(source != NULL);
		*source++ = 0;
		result = strchr(source, '\t');
		ck_assert(result != NULL);
		*result++ = 0;
		if (!strcmp(line, "tree"))
			check_tree(source, result);
		else if (!strcmp(line, "value"))
			check_value(source, result);
		else
			check_error(source);
		checked++;
	}
	ck_assert_int_gt(checked, 400);
	free(text);
}
END_TEST

static const struct {
	const char *text;
	size_t column;
	const char *part; /* of the error message */
} faults[] = {
	{ "x + $", 4, "character '$'" },
	{ "x + ", 4, "ends where" },
	{ "(x + y", 6, "')'" },
	{ "x + y)", 5, "an operator or the end" },
	{ "f(x y)", 4, "',' or ')'" },
	{ "a < b < c", 6, "do not chain" },
	{ "a == b != c", 7, "do not chain" },
	{ "x and y", 2, "logical_and" },
	{ "not x", 0, "logical_not" },
	{ "x.sum()", 1, "sum(x)" },
	{ "[x, y]", 0, "write a tuple" },
	{ "x[1.0]", 2, "found '1.0' where an integer" },
	{ "x[1, -", 6, "ends where an integer" },
	{ "x[]", 2, "found ']'" },
	{ "x[,]", 2, "found ','" },
	{ "x[1 2]", 4, "',' or ']'" },
	{ "x[1:2:3:4]", 7, "',' or ']'" },
	{ "x[1:a]", 4, "an integer, ':', ',' or ']'" },
	{ "x[::-0]", 4, "cannot be 0" },
	{ "x[0, ..., ...]", 10, "more than one '...'" },
	{ "x[9223372036854775808]", 2, "below 2**63" },
	{ "x]", 1, "an operator or the end" },
	{ "x[0", 3, "',' or ']'" },
	{ "x @", 3, "ends where" },
	{ "x @@ y", 3, "found '@'" },
	{ "x <<", 4, "ends where" },
	{ "a < b << c < d", 11, "do not chain" },
	{ "1 + 18446744073709551616", 4, "64 bits" },
	{ "x + 012", 4, "begin with 0" },
	{ "12ab", 2, "cannot follow a number" },
	{ "f(a=1, 2)", 7, "without a name" },
	{ "x + \xc3\xa9", 4, "ASCII" },
	{ "astype(x, 'int8)", 10, "no closing quote" },
	{ "!x", 0, "~" },
	{ "a = 1", 5, "ends where" },
	{ "a = 1; ", 7, "ends where" },
	{ "x; y", 1, "follow an assignment" },
	{ "x, 2 = 1; x", 5, "gives a value to a name" },
	{ "x, = 1; x", 3, "a number, name" },
	{ "x, y == 1; x", 9, "follow an assignment" },
	{ "f(x) = 1", 5, "gives a value to a name" },
	{ "a = 1, 2; a", 5, "';' and a result" },
	{ "x,, y", 2, "a number, name" },
};

START_TEST(errors_point_at_their_column)
{
	struct place place = { PLACE_NOWHERE, 0 };
	struct tree e;

	ck_assert(parser_parse(faults[_i].text, &e, &place));
	ck_assert_msg(place.column == faults[_i].column, "%s: column %zu",
		      faults[_i].text, place.column);
	ck_assert_msg(strstr(dpr_last_error(), faults[_i].part) != NULL,
		      "%s: %s", faults[_i].text, dpr_last_error());
}
END_TEST

static const char *const statements[][2] = {
	{ "x, y", "(results x y)" },
	{ "x + 1, -y,", "(results (+ x 1) (- y))" },
	{ "a = x*x; sqrt(a), a", "(results (sqrt a) a)" },
	{ "a, b = f(x); c, a, b", "(results c a b)" },
	{ "a=1;\n b = f(a, k=2);\n\ta == b", "(== a b)" },
	{ "a == b", "(== a b)" },
};

START_TEST(statements_and_results)
{
	check_tree(statements[_i][0], statements[_i][1]);
}
END_TEST

static const struct {
	const char *text;
	size_t parameters, column; /* of the fault, if it has no parameters */
	const char *part;
} definitions[] = {
	{ "l2(a, b) = sum((a - b)**2, axis=-1)", 2, 0, NULL },
	{ "one(a,) = a", 1, 0, NULL },
	{ "none() = 3", 0, PLACE_NOWHERE, NULL },
	{ "f(a) = a, a", 1, 0, NULL },
	{ "f(a) = a b", 0, 9, "an operator or the end" },
	{ "f(a) = a; a", 0, 8, "follow an assignment" },
	{ "f(1) = 2", 0, 2, "a parameter" },
	{ "f(a) a", 0, 5, "'='" },
	{ "f = a", 0, 2, "'('" },
	{ "3(a) = a", 0, 0, "the name of a function" },
	{ "f(a b) = a", 0, 4, "a parameter" },
	{ "", 0, 0, "ends where" },
};

START_TEST(heads_of_definitions)
{
	struct place place = { PLACE_NOWHERE, 0 };
	struct parser_head head;
	struct tree tree;
	dpr_status status;

	status = parser_definition(definitions[_i].text, &head, &tree, &place);
	if (!definitions[_i].part) {
		ck_assert_msg(!status, "%s: %s", definitions[_i].text,
			      dpr_last_error());
		ck_assert_uint_eq(head.n_parameters,
				  definitions[_i].parameters);
		free(head.parameters);
		parser_free(&tree);
		return;
	}
	ck_assert(status);
	ck_assert_msg(strstr(dpr_last_error(), definitions[_i].part), "%s: %s",
		      definitions[_i].text, dpr_last_error());
	ck_assert_uint_eq(place.column, definitions[_i].column);
}
END_TEST

/* @count times @open, then "x", then @count times @close. */
static dpr_status nests(const char *open, const char *close, int count)
{
	struct place place;
	dpr_status status;
	struct tree e;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (int i = 0; i < count; i++)
		fputs(open, out);
	fputs("x", out);
	for (int i = 0; i < count; i++)
		fputs(close, out);
	fclose(out);
	status = parser_parse(text, &e, &place);
	parser_free(&e);
	free(text);
	return status;
}

START_TEST(deep_nesting_is_refused)
{
	static const char *const forms[][2] = {
		{ "(", ")" },  { "-", "" },     { "f(", ")" },
		{ "2**", "" }, { "f(a=", ")" }, { "(y,", ")" },
	};
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		ck_assert(!nests(forms[i][0], forms[i][1], 190));
		ck_assert(nests(forms[i][0], forms[i][1], 210));
		ck_assert_ptr_nonnull(
			strstr(dpr_last_error(), "nested deeper"));
		ck_assert(nests(forms[i][0], forms[i][1], 9000));
	}
	/* A long sum does not count as nesting. */
	ck_assert(!nests("x+", "", 30000));
	ck_assert(nests("x+", "", 40000));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "characters"));
}
END_TEST

/* Parsing any bytes ends with a tree or with a message. */
START_TEST(mutated_text_is_survived)
{
	static const char seeds[][48] = {
		"sqrt(x*x + y*y)",
		"sum(x, axis=(0, -1), keepdims=True)",
		"where(a < 1e5, 3j, 0x1F) // ~b % 2**-3",
		"a = x; b = astype(x, 'int8'); a, b",
		"x[1:-1, ::2] - (y + 1)[..., None, 0][-3:]",
	};
	static const char letters[] = "()[]:+-*/%&|^~=<>!.,;'\"xe01j_ \t\xff";
	struct place place = { PLACE_NOWHERE, 0 };
	unsigned state = 1, accepted = 0, i, n;
	struct tree e;
	char text[48];

	for (i = 0; i < 40000; i++) {
		memcpy(text, seeds[i % 5], sizeof(text));
		for (n = 0; n <= i % 6; n++) {
			state = state * 1664525 + 1013904223;
			text[(state >> 8) % strlen(seeds[i % 5])] =
				letters[(state >> 20) % (sizeof(letters) - 1)];
		}
		if (!parser_parse(text, &e, &place)) {
			accepted++;
			ck_assert(e.n_nodes > 0);
		} else {
			ck_assert_msg(place.column <= strlen(text), "%s", text);
		}
		parser_free(&e);
	}
	ck_assert_uint_gt(accepted, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("expression");
	TCase *tcase = tcase_create("expression");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, agrees_with_python);
	tcase_add_loop_test(tcase, errors_point_at_their_column, 0,
			    sizeof(faults) / sizeof(faults[0]));
	tcase_add_loop_test(tcase, statements_and_results, 0,
			    sizeof(statements) / sizeof(statements[0]));
	tcase_add_loop_test(tcase, heads_of_definitions, 0,
			    sizeof(definitions) / sizeof(definitions[0]));
	tcase_add_test(tcase, deep_nesting_is_refused);
	tcase_add_test(tcase, mutated_text_is_survived);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
