/* SPDX-License-Identifier: Apache-2.0 */
/* unit_build_log.c - the place of an error, in the words of several
   compilers. */
#include <check.h>
#include <string.h>

#include "core/runtime/program/build_log.h"

static const char source[] =
	"/* kernel void no(int */ // kernel void no(\n"
	"#define kernel_of(x) kernel void x(\n"
	"float help(float a) { return b; }\n"
	"kernel __attribute__((reqd_work_group_size(8, 1, 1)))\n"
	"void one(global float *x) { x[0] = '\"'; x[1] = c; } int d = e;\n"
	"__kernel void two(global float *x)\n"
	"{\n"
	"\tif (x) {\n"
	"\t\tx[0] = \"}\"; /* } */ }\n"
	"\tx[1] = f;  \n"
	"}\n"
	"kernel void three(void);\n"
	"int g = h;\n";

static void check(const char *log, const char *expected)
{
	struct text text = { 0 };

	build_log_place(&text, log, source, sizeof(source) - 1);
	ck_assert_str_eq(text_get(&text), expected);
	text_fini(&text);
}

START_TEST(compilers)
{
	/* PoCL, clang, NVIDIA's for CUDA. */
	check("error: /tmp/x.cl:10:9: use of undeclared identifier 'f'\n"
	      "Device x failed to build the program\n",
	      " in kernel two, line 10: x[1] = f;");
	check("<source>:9:3: warning: what\n<source>:10:9: error: use of f\n"
	      "   10 |         x[1] = f;  \n      |     ^\n1 error generated.",
	      " in kernel two, line 10: x[1] = f;");
	check("dpr.cl(10): error: identifier \"f\" is undefined\n\n",
	      " in kernel two, line 10: x[1] = f;");
}
END_TEST

START_TEST(kernels)
{
	check("x:5:46: error: c", " in kernel one, line 5: void one(global "
				  "float *x) { x[0] = '\"'; x[1] = c; } int "
				  "d = e;");
	check("x:5:62: error: e", " in line 5: void one(global float *x) "
				  "{ x[0] = '\"'; x[1] = c; } int d = e;");
	check("x:3:30: error: b", " in line 3: float help(float a) "
				  "{ return b; }");
	check("x:13:9: error: h", " in line 13: int g = h;");
}
END_TEST

/* Logs that name no line of the source. */
START_TEST(no_place)
{
	check("", "");
	check("error", "");
	check("1 error generated.", "");
	check("x:10:9: warning: f", "");
	check("x:99:9: error: f", "");
	check("x:0:9: error: f", "");
	check("error: unknown option -x: 1", "");
	check("error (7): y", "");
	/* Line 11 is "}", and the compiler shows another one. */
	check("x:12:1: error: f\nint what;\n", " in line 12: kernel void "
					       "three(void);");
}
END_TEST

/* An included file has lines of its own. */
START_TEST(other_files)
{
	static const char with[] = "#include <a.h>\nint a = b;\n";
	struct text text = { 0 };

	build_log_place(&text, "a.h:2:9: error: c\nint b = c;\n", with,
			sizeof(with) - 1);
	ck_assert_str_eq(text_get(&text), "");
	build_log_place(&text, "x.cl:2:9: error: b\nint a = b;\n", with,
			sizeof(with) - 1);
	ck_assert_str_eq(text_get(&text), " in line 2: int a = b;");
	text_fini(&text);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("build log");
	Suite *suite = suite_create("build log");
	SRunner *runner;
	int failed;

	tcase_add_test(tcase, compilers);
	tcase_add_test(tcase, kernels);
	tcase_add_test(tcase, no_place);
	tcase_add_test(tcase, other_files);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
