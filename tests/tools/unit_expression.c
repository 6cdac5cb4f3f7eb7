/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The expressions of dpr eval: trees and values against Python's
 * (fixtures/expressions.txt), columns of errors, nesting, and mutated text.
 */
#include <check.h>
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/eval/expression.h"
#include "tools/eval/number.h"
#include "tools/shared/nearest.h"

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

/* The tree as make_tool_fixtures.py writes it. */
static void dump(const struct expression *e, size_t index, FILE *out)
{
	const struct node *node = &e->nodes[index];
	const char *text = e->text + node->column;
	const size_t *children = expression_children(e, node);
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
	case NODE_NAME: fprintf(out, "%.*s", length, text); return;
	case NODE_STRING: fprintf(out, "'%.*s'", length, text); return;
	case NODE_UNARY:
	case NODE_BINARY:
		fprintf(out, "(%s", lexer_token_text(node->op));
		break;
	case NODE_CALL: fprintf(out, "(%.*s", length, text); break;
	case NODE_KEYWORD: fprintf(out, "(%.*s=", length, text); break;
	case NODE_TUPLE: fputs("(tuple", out); break;
	}
	for (i = 0; i < node->n_children; i++) {
		fputc(' ', out);
		dump(e, children[i], out);
	}
	fputc(')', out);
}

static void check_tree(const char *text, const char *expected)
{
	struct message message = MESSAGE_NONE;
	struct expression e;
	char *found;
	size_t size;
	FILE *out;

	ck_assert_msg(expression_parse(text, &e, &message), "%s: %s", text,
		      message_text(&message));
	out = open_memstream(&found, &size);
	dump(&e, e.n_nodes - 1, out);
	fclose(out);
	ck_assert_msg(!strcmp(found, expected), "%s\n   found %s\nexpected %s",
		      text, found, expected);
	free(found);
	expression_free(&e);
}

/* The value of an expression of numbers. */
static bool compute(const char *text, dpr_operand *out, struct message *message)
{
	struct expression e;
	dpr_operand *values;
	bool ok = true;
	size_t i;

	if (!expression_parse(text, &e, message))
		return false;
	values = calloc(e.n_nodes, sizeof(*values));
	ck_assert(values != NULL);
	for (i = 0; ok && i < e.n_nodes; i++) {
		const struct node *node = &e.nodes[i];
		const size_t *child = expression_children(&e, node);

		if (node->kind == NODE_NUMBER)
			values[i] = node->number;
		else if (node->kind == NODE_NAME)
			values[i] = dpr_operand_bool(
				expression_is(&e, node, "True"));
		else if (node->kind == NODE_UNARY)
			ok = number_unary(node->op, values[child[0]],
					  &values[i], message);
		else if (node->kind == NODE_BINARY)
			ok = number_binary(node->op, values[child[0]],
					   values[child[1]], &values[i],
					   message);
		else
			ok = message_set(message, "not a number");
	}
	if (ok)
		*out = values[e.n_nodes - 1];
	free(values);
	expression_free(&e);
	return ok;
}

/* Complex powers go through exp and log, whose last digit is the C library's:
   their parts may differ in it. */
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
	struct message message = MESSAGE_NONE;
	dpr_operand value;
	char *found;

	ck_assert_msg(compute(text, &value, &message), "%s: %s", text,
		      message_text(&message));
	found = number_format(value);
	ck_assert(found != NULL);
	if (strstr(text, "**") && value.kind == DPR_OPERAND_COMPLEX)
		ck_assert_msg(nearly(found, expected),
			      "%s: found %s, "
			      "expected %s",
			      text, found, expected);
	else
		ck_assert_msg(!strcmp(found, expected),
			      "%s: found %s, "
			      "expected %s",
			      text, found, expected);
	free(found);
}

static void check_error(const char *text)
{
	struct message message = MESSAGE_NONE;
	dpr_operand value;

	ck_assert_msg(!compute(text, &value, &message), "%s is accepted", text);
	ck_assert_msg(message.text && *message.text, "%s: no message", text);
	ck_assert_msg(message.column == NO_COLUMN ||
			      message.column <= strlen(text),
		      "%s: column %zu", text, message.column);
	message_clear(&message);
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
	const char *part; /* of the message */
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
	{ "x[0]", 1, "indexing" },
	{ "x @ y", 2, "matrix" },
	{ "x << 1", 2, "shifts" },
	{ "1 + 18446744073709551616", 4, "64 bits" },
	{ "x + 012", 4, "begin with 0" },
	{ "12ab", 2, "cannot follow a number" },
	{ "f(a=1, 2)", 7, "without a name" },
	{ "x + \xc3\xa9", 4, "ASCII" },
	{ "astype(x, 'int8)", 10, "no end" },
	{ "!x", 0, "~" },
};

START_TEST(errors_point_at_their_column)
{
	struct message message = MESSAGE_NONE;
	struct expression e;

	ck_assert(!expression_parse(faults[_i].text, &e, &message));
	ck_assert_msg(message.column == faults[_i].column, "%s: column %zu",
		      faults[_i].text, message.column);
	ck_assert_msg(strstr(message.text, faults[_i].part) != NULL, "%s: %s",
		      faults[_i].text, message.text);
	message_clear(&message);
}
END_TEST

START_TEST(caret_stands_under_the_column)
{
	char text[200], *lines;

	lines = expression_point("x + $", 4);
	ck_assert_str_eq(lines, "  x + $\n      ^");
	free(lines);
	lines = expression_point("x\n+\t$", 4);
	ck_assert_str_eq(lines, "  x + $\n      ^");
	free(lines);
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	text[120] = '$';
	lines = expression_point(text, 120);
	ck_assert(strchr(lines, '\n') != NULL);
	ck_assert_int_eq(lines[strchr(lines, '^') - strchr(lines, '\n') - 1],
			 '$');
	free(lines);
}
END_TEST

/* @count times @open, then "x", then @count times @close. */
static bool nests(const char *open, const char *close, int count,
		  struct message *message)
{
	struct expression e;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int i;
	bool ok;

	for (i = 0; i < count; i++)
		fputs(open, out);
	fputs("x", out);
	for (i = 0; i < count; i++)
		fputs(close, out);
	fclose(out);
	ok = expression_parse(text, &e, message);
	expression_free(&e);
	free(text);
	return ok;
}

START_TEST(deep_nesting_is_refused)
{
	static const char *const forms[][2] = {
		{ "(", ")" },  { "-", "" },     { "f(", ")" },
		{ "2**", "" }, { "f(a=", ")" }, { "(y,", ")" },
	};
	struct message message = MESSAGE_NONE;
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		ck_assert(nests(forms[i][0], forms[i][1], 190, &message));
		ck_assert(!nests(forms[i][0], forms[i][1], 210, &message));
		ck_assert_ptr_nonnull(strstr(message.text, "nested deeper"));
		ck_assert(!nests(forms[i][0], forms[i][1], 9000, &message));
		/* Sums are no nesting. */
	}
	ck_assert(nests("x+", "", 30000, &message));
	ck_assert(!nests("x+", "", 40000, &message));
	ck_assert_ptr_nonnull(strstr(message.text, "characters"));
	message_clear(&message);
}
END_TEST

/* Whatever the bytes are, parsing ends with a tree or a message. */
START_TEST(mutated_text_is_survived)
{
	static const char seeds[][48] = {
		"sqrt(x*x + y*y)",
		"sum(x, axis=(0, -1), keepdims=True)",
		"where(a < 1e5, 3j, 0x1F) // ~b % 2**-3",
		"astype(x, 'int8')",
	};
	static const char letters[] = "()+-*/%&|^~=<>!.,'\"xe01j_ \t\xff";
	struct message message = MESSAGE_NONE;
	unsigned state = 1, accepted = 0, i, n;
	struct expression e;
	char text[48];

	for (i = 0; i < 40000; i++) {
		memcpy(text, seeds[i % 4], sizeof(text));
		for (n = 0; n <= i % 5; n++) {
			state = state * 1664525 + 1013904223;
			text[(state >> 8) % strlen(seeds[i % 4])] =
				letters[(state >> 20) % (sizeof(letters) - 1)];
		}
		if (expression_parse(text, &e, &message)) {
			accepted++;
			ck_assert(e.n_nodes > 0);
		} else {
			ck_assert_msg(message.column <= strlen(text), "%s",
				      text);
		}
		expression_free(&e);
	}
	ck_assert_uint_gt(accepted, 0);
	message_clear(&message);
}
END_TEST

START_TEST(nearest_words)
{
	ck_assert_uint_eq(nearest_distance("sqrt", 4, "sqrt"), 0);
	ck_assert_uint_eq(nearest_distance("sqr", 3, "sqrt"), 1);
	ck_assert_uint_eq(nearest_distance("kitten", 6, "sitting"), 3);
	ck_assert(nearest_is_close(1, 4));
	ck_assert(!nearest_is_close(4, 4));
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
	tcase_add_test(tcase, caret_stands_under_the_column);
	tcase_add_test(tcase, deep_nesting_is_refused);
	tcase_add_test(tcase, mutated_text_is_survived);
	tcase_add_test(tcase, nearest_words);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
