/* SPDX-License-Identifier: Apache-2.0 */
/* A function's parameters have the same names in expressions and in the headers
   of C. */
#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef fail /* a macro of Check's */

#include "core/array/expression/functions.h"

#define FILES 9

/* The text of the headers that declare functions of arrays. */
static char *headers[FILES];

static char *read_header(const char *variable, const char *name)
{
	const char *top = getenv(variable);
	char *path, *text;
	long size;
	FILE *file;

	ck_assert(asprintf(&path, "%s/include/dpr/%s", top ? top : ".", name) >
		  0);
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

static bool is_part(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether the parameters that begin at @text have one of the name @word. */
static bool has_word(const char *text, const char *word)
{
	const char *end = strstr(text, ");");
	const size_t length = strlen(word);

	for (const char *at = text; (at = strstr(at, word)) && at < end; at++)
		if (!is_part(at[-1]) && !is_part(at[length]))
			return true;
	return false;
}

/* Whether a declaration of dpr_@name(), or of its _as or _on form, has the
   parameter @parameter. */
static bool is_declared(const char *name, const char *parameter)
{
	static const char *const forms[] = { "", "_as", "_on" };
	char head[80];

	for (int form = 0; form < 3; form++) {
		snprintf(head, sizeof(head), " dpr_%s%s(", name, forms[form]);
		for (int i = 0; i < FILES; i++) {
			const char *at = headers[i];

			/* A comment may have the name, too. */
			for (; (at = strstr(at, head)); at += strlen(head))
				if (has_word(at + strlen(head), parameter))
					return true;
		}
	}
	return false;
}

START_TEST(names_are_those_of_the_headers)
{
	const struct function *function;
	int bad = 0, found = 0;

	headers[0] = read_header("top_srcdir", "array.h");
	headers[1] = read_header("top_srcdir", "creation.h");
	headers[2] = read_header("top_builddir", "elementwise.h");
	headers[3] = read_header("top_builddir", "reductions.h");
	headers[4] = read_header("top_srcdir", "derived.h");
	headers[5] = read_header("top_srcdir", "shapes.h");
	headers[6] = read_header("top_srcdir", "indexing.h");
	headers[7] = read_header("top_srcdir", "products.h");
	headers[8] = read_header("top_srcdir", "linalg.h");
	for (size_t i = 0; (function = functions_at(i)); i++) {
		const struct signature *s = &function->signature;

		/* Expressions alone have index().  keepdims, where and initial
		   are members of dpr_axes.  In C mode is called bounds.  The
		   bounds of clip() are min and max, as in Python. */
		if (!strcmp(s->name, "index") || !strcmp(s->name, "clip"))
			continue;
		for (int k = 0; k < s->n; k++) {
			if (!strcmp(s->parameters[k], "keepdims") ||
			    !strcmp(s->parameters[k], "where") ||
			    !strcmp(s->parameters[k], "initial") ||
			    !strcmp(s->parameters[k], "mode"))
				continue;
			found++;
			if (is_declared(s->name, s->parameters[k]))
				continue;
			printf("dpr_%s() has no parameter %s\n", s->name,
			       s->parameters[k]);
			bad++;
		}
	}
	ck_assert_int_eq(bad, 0);
	ck_assert_int_gt(found, 100);
	ck_assert(!is_declared("add", "x3") && !is_declared("eye", "rows"));
	for (int i = 0; i < FILES; i++)
		free(headers[i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("parameters");
	TCase *tcase = tcase_create("parameters");
	SRunner *runner;
	int failed;

	tcase_add_test(tcase, names_are_those_of_the_headers);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
