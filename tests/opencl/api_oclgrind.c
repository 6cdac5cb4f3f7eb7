/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests on Oclgrind, which checks every access of a kernel.  Each kind of fault
 * is planted in a user kernel and must be reported.  Then dpr's kernels that
 * move elements run for every element size, and nothing must be reported.
 * oclgrind.sh sets the environment.
 */
#include <string.h>
#include <sys/stat.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

static long log_seen;

/* Get what Oclgrind has reported since the last call.  The text is valid until
   the next call. */
static const char *reported(void)
{
	static char text[20000];
	const char *path = getenv("OCLGRIND_LOG");
	size_t n = 0;
	FILE *file;

	ck_assert(path != NULL);
	file = fopen(path, "r");
	if (file) {
		ck_assert(!fseek(file, log_seen, SEEK_SET));
		n = fread(text, 1, sizeof(text) - 1, file);
		ck_assert(!fseek(file, 0, SEEK_END));
		log_seen = ftell(file);
		fclose(file);
	}
	text[n] = 0;
	return text;
}

START_TEST(this_is_oclgrind)
{
	char name[64];
	size_t need;

	CHECK_OK(dpr_device_info(test_device, DPR_INFO_PLATFORM_NAME, name,
				 sizeof(name), &need));
	ck_assert_str_eq(name, "Oclgrind");
}
END_TEST

/* --- Planted faults ------------------------------------------------------ */

/* The body of a kernel that runs on n elements of @p and @q in one work-group
   of 16, and what Oclgrind must report; NULL: nothing. */
static const struct {
	const char *body, *report;
} faults[] = {
	{ "if (i < n) p[i] = q[i];", NULL },
	{ "local int s[16]; s[i] = q[i]; barrier(CLK_LOCAL_MEM_FENCE);"
	  "if (i < n) p[i] = s[15 - i];",
	  NULL },
	{ "p[i + 1] = q[i];", "Invalid write of size 4 at global memory" },
	{ "p[i] = q[i + 1];", "Invalid read of size 4 at global memory" },
	{ "local int s[16]; s[i + 1] = q[i];"
	  "barrier(CLK_LOCAL_MEM_FENCE); p[i] = s[1];",
	  "Invalid write of size 4 at local memory" },
	{ "p[i / 2] = i;", "Write-write data race at global memory" },
	{ "p[i] = i; p[0] += p[15 - i];", "data race at global memory" },
	{ "local int s[16]; s[i] = q[i]; p[i] = s[15 - i];",
	  "Read-write data race at local memory" },
	{ "p[i] = p[i] + 1;", "Uninitialized value written to global memory" },
	{ "if (p[i] > 3) p[i] = 0;",
	  "Controlflow depends on uninitialized value" },
	{ "local int s[16]; if (i < 15) s[i] = q[i];"
	  "barrier(CLK_LOCAL_MEM_FENCE); p[i] = s[i];",
	  "Uninitialized value written to global memory" },
	{ "if (i < 8) barrier(CLK_LOCAL_MEM_FENCE); p[i] = q[i];",
	  "Work-group divergence detected (barrier)" },
};

enum { N_FAULTS = sizeof(faults) / sizeof(faults[0]) };

START_TEST(faults_are_reported)
{
	char source[600];
	int32_t numbers[16] = { 0 };
	dpr_array *p, *q;
	dpr_program *program;
	dpr_kernel *kernel;
	const char *text;

	snprintf(source, sizeof(source),
		 "kernel void k(global int *p, global int *q, int n)\n"
		 "{ int i = get_global_id(0); (void)n; %s }\n",
		 faults[_i].body);
	CHECK_OK(dpr_program_from_source(test_queue, source, NULL, &program));
	CHECK_OK(dpr_kernel_create(program, "k", &kernel));
	CHECK_OK(dpr_empty(DPR_SHAPE(16), DPR_INT32, test_queue, &p));
	CHECK_OK(dpr_array_from_memory(numbers, DPR_SHAPE(16), NULL, DPR_INT32,
				       test_queue, &q));
	ck_assert_str_eq(reported(), "");
	CHECK_OK(dpr_kernel_launch(
		test_queue, kernel, dpr_range_local(dpr_range1(16), 16, 1, 1),
		NULL, NULL, DPR_ARG(p), DPR_ARG(q), DPR_ARG(16)));
	CHECK_OK(dpr_queue_wait(test_queue));
	text = reported();
	if (!faults[_i].report)
		ck_assert_str_eq(text, "");
	else
		ck_assert_msg(strstr(text, faults[_i].report) != NULL,
			      "%s gave no \"%s\" but \"%s\"", faults[_i].body,
			      faults[_i].report, text);
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	dpr_array_release(p);
	dpr_array_release(q);
}
END_TEST

/* --- Kernels that move elements ------------------------------------------- */

static const dpr_dtype dtypes[] = { DPR_UINT8, DPR_INT16, DPR_FLOAT32,
				    DPR_INT64, DPR_COMPLEX128 };

enum { N_DTYPES = sizeof(dtypes) / sizeof(dtypes[0]) };

/* Make a table of 0, 1, ... in rows of @columns. */
static dpr_array *table(int64_t rows, int64_t columns, dpr_dtype dtype)
{
	dpr_array *flat, *x, *out;

	CHECK_OK(
		dpr_arange(0, rows * columns, 1, DPR_INT32, test_queue, &flat));
	CHECK_OK(dpr_reshape(flat, DPR_SHAPE(rows, columns), &x));
	CHECK_OK(dpr_astype(x, dtype, &out));
	dpr_array_release(flat);
	dpr_array_release(x);
	return out;
}

/* Check that two arrays have equal elements, and release both. */
static void same(dpr_array *a, dpr_array *b)
{
	dpr_array *equal, *all;
	unsigned char yes = 0;

	CHECK_OK(dpr_equal(a, b, &equal));
	CHECK_OK(dpr_all(equal, NULL, &all));
	CHECK_OK(dpr_array_to_memory(all, &yes, sizeof(yes), NULL));
	ck_assert_int_eq(yes, 1);
	dpr_array_release(a);
	dpr_array_release(b);
	dpr_array_release(equal);
	dpr_array_release(all);
}

/* Transpose whole and partial blocks of 16 x 16 and larger, by copying and
   beside another operand, and a batch of them.  unit_streams tests the blocks
   of CPUs. */
START_TEST(transposed_copies)
{
	static const int64_t sizes[][2] = {
		{ 8, 8 }, { 33, 35 }, { 16, 64 }, { 70, 90 }
	};
	dpr_array *x, *t, *y, *z, *sum, *twice;
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		x = table(sizes[i][0], sizes[i][1], dtypes[_i]);
		CHECK_OK(dpr_matrix_transpose(x, &t));
		CHECK_OK(dpr_copy(t, &y));
		CHECK_OK(dpr_matrix_transpose(y, &z));
		CHECK_OK(dpr_add(t, y, &sum));
		CHECK_OK(dpr_add(y, y, &twice));
		same(sum, twice);
		dpr_array_release(y);
		dpr_array_release(t);
		same(x, z);
	}
	x = table(3 * 37, 50, dtypes[_i]);
	CHECK_OK(dpr_reshape(x, DPR_SHAPE(3, 37, 50), &t));
	CHECK_OK(dpr_matrix_transpose(t, &y));
	CHECK_OK(dpr_copy(y, &z));
	dpr_array_release(t);
	dpr_array_release(x);
	same(y, z);
	ck_assert_str_eq(reported(), "");
}
END_TEST

START_TEST(joined_and_filled)
{
	dpr_array *x = table(9, 31, dtypes[_i]), *part, *y, *z;
	const dpr_array *list[3];

	CHECK_OK(dpr_array_view(x, &part, DPR_ALL,
				DPR_SLICE(DPR_OPEN, DPR_OPEN, -3)));
	list[0] = x;
	list[1] = part;
	list[2] = x;
	CHECK_OK(dpr_concat(list, 3, 1, &y));
	CHECK_OK(dpr_array_view(y, &z, DPR_ALL, DPR_SLICE(31, 42, 1)));
	same(part, z);
	CHECK_OK(dpr_array_view(y, &z, DPR_SLICE(1, DPR_OPEN, 2),
				DPR_SLICE(DPR_OPEN, DPR_OPEN, -5)));
	CHECK_OK((dpr_copy_into)(z, dpr_operand_int(5)));
	CHECK_OK(dpr_full_like(z, 5, DPR_DTYPE_DEFAULT, &part));
	same(part, z);
	dpr_array_release(y);
	dpr_array_release(x);
	CHECK_OK(dpr_eye(9, 13, -2, dtypes[_i], test_queue, &x));
	CHECK_OK(dpr_zeros_like(x, DPR_DTYPE_DEFAULT, &y));
	CHECK_OK(dpr_subtract(x, y, &z));
	dpr_array_release(y);
	same(x, z);
	ck_assert_str_eq(reported(), "");
}
END_TEST

/* Reduce in several parts and blocks of columns, along whole rows, and along
   axes that cannot be merged. */
START_TEST(reductions)
{
	static const int64_t sizes[][2] = {
		{ 130, 9 }, { 9, 130 }, { 3, 300 }, { 2, 2 }
	};
	static const dpr_dtype kinds[] = { DPR_FLOAT32, DPR_INT16, DPR_BOOL,
					   DPR_COMPLEX64 };
	dpr_array *x, *t, *y;
	size_t i;
	int axis;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		x = table(sizes[i][0], sizes[i][1], kinds[_i]);
		CHECK_OK(dpr_matrix_transpose(x, &t));
		for (axis = 0; axis < 2; axis++) {
			CHECK_OK(dpr_sum(x, DPR_AXES(axis), &y));
			dpr_array_release(y);
			CHECK_OK(dpr_any(t, DPR_AXES(axis), &y));
			dpr_array_release(y);
			if (kinds[_i] == DPR_COMPLEX64)
				continue;
			CHECK_OK(dpr_max(t, DPR_AXES(axis), &y));
			dpr_array_release(y);
		}
		CHECK_OK(dpr_sum(t, NULL, &y));
		dpr_array_release(y);
		dpr_array_release(t);
		CHECK_OK(dpr_array_view(x, &t, DPR_SLICE(DPR_OPEN, DPR_OPEN, 2),
					DPR_SLICE(DPR_OPEN, DPR_OPEN, 2)));
		CHECK_OK(dpr_all(t, NULL, &y));
		CHECK_OK(dpr_queue_wait(test_queue));
		dpr_array_release(y);
		dpr_array_release(t);
		dpr_array_release(x);
	}
	ck_assert_str_eq(reported(), "");
}
END_TEST

static Suite *oclgrind_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("faults");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, this_is_oclgrind);
	tcase_add_loop_test(tcase, faults_are_reported, 0, N_FAULTS);
	suite_add_tcase(suite, tcase);
	tcase = tcase_create("copies");
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, transposed_copies, 0, N_DTYPES);
	suite_add_tcase(suite, tcase);
	tcase = tcase_create("joins");
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, joined_and_filled, 0, N_DTYPES);
	suite_add_tcase(suite, tcase);
	tcase = tcase_create("reductions");
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, reductions, 0, 4);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_on_selected(oclgrind_suite, "opencl");
}
