/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_libraries.c - how backends/library finds and describes a library, and
 * divides work, with a library whose functions are in this file.
 */
#include <check.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>

#include "backends/library/library.h"

/* --- A library -------------------------------------------------------------
 */

static bool is_wide, tells_version;
static const char *version_symbol;
static int n_threads, n_sets, kind;
static bool has_setter;
static char error[600];

/* A routine without work sets its info, in the size of the integers. */
static void no_potrf(const char *uplo, const void *n, void *a, const void *lda,
		     void *info, size_t uplo_size)
{
	(void)uplo, (void)n, (void)a, (void)lda, (void)uplo_size;
	if (is_wide)
		*(int64_t *)info = 0;
	else
		*(int32_t *)info = 0;
}

static const char *version_here(void)
{
	return "a BLAS of this file";
}

static int get_threads(void)
{
	return n_threads;
}

static int get_kind(void)
{
	return kind;
}

static void set_threads(int n)
{
	n_threads = n;
	n_sets++;
}

static void *no_alloc(dprp_host_instance *self, size_t size)
{
	(void)self;
	return malloc(size);
}

static void no_free(dprp_host_instance *self, void *block)
{
	(void)self;
	free(block);
}

static void keep_log(dprp_host_instance *self, int32_t level, const char *line)
{
	(void)self, (void)level, (void)line;
}

static void keep_error(dprp_host_instance *self, dprp_rc rc, int64_t native,
		       const char *text)
{
	(void)self, (void)rc, (void)native;
	snprintf(error, sizeof(error), "%s", text);
}

static const char *no_option(dprp_host_instance *self, const char *key)
{
	(void)self, (void)key;
	return NULL;
}

static void *open_here(dprp_host_instance *self, const char *const *names,
		       size_t n)
{
	(void)self, (void)names, (void)n;
	return &n_threads;
}

/* There are spotrf_() and, of BLAS, only what tells a version.  That function
   is in this file, or in the C library. */
static void *find_here(dprp_host_instance *self, void *library,
		       const char *name)
{
	union library_symbol found = { NULL };

	(void)self, (void)library;
	if (!strcmp(name, "spotrf_"))
		found.function = (void (*)(void))no_potrf;
	else if (!strcmp(name, version_symbol))
		found.get_text =
			tells_version ? version_here : gnu_get_libc_version;
	else if (!strcmp(name, "openblas_get_num_threads"))
		found.get_threads = get_threads;
	else if (has_setter && !strcmp(name, "openblas_set_num_threads"))
		found.set_all = set_threads;
	else if (has_setter && !strcmp(name, "openblas_get_parallel"))
		found.get_kind = get_kind;
	return found.address;
}

static const dprp_host host = { .struct_size = sizeof(host),
				.alloc = no_alloc,
				.free = no_free,
				.log = keep_log,
				.set_error = keep_error,
				.option = no_option,
				.driver_open = open_here,
				.driver_sym = find_here };

/* Find potrf for a device of @units CPUs. */
static dprp_rc find(struct library_set *set, const char *name, uint32_t units,
		    struct library_call *call)
{
	const dprp_image image = { .struct_size = sizeof(image),
				   .format = DPRP_CALLS_FORMAT,
				   .data = name,
				   .size = strlen(name) };

	error[0] = '\0';
	library_calls_set(set, &host, "owner: ", "DPR_OPTION_OWNER_");
	return library_calls_find(set, &image, units, call);
}

/* --- Tests -----------------------------------------------------------------
 */

/* The description of a library.  Its own file has the version, or another file
   has it. */
START_TEST(description)
{
	static const char *const symbols[] = { "openblas_get_config",
					       "bli_info_get_version_str", "" };
	struct library_set set;
	struct library_call call;
	char wanted[200], blas[120];
	const char *text;

	for (int i = 0; i < 3 * 2 * 2; i++) {
		version_symbol = symbols[i % 3];
		tells_version = i / 3 % 2;
		is_wide = i / 6;
		n_threads = is_wide ? 3 : 0;
		ck_assert_int_eq(find(&set, "potrf float32", 9, &call), 0);
		text = call.library->text;
		snprintf(blas, sizeof(blas), "%s%s", i % 3 == 1 ? "BLIS " : "",
			 tells_version ? version_here()
				       : gnu_get_libc_version());
		snprintf(wanted, sizeof(wanted), "%s%s, ",
			 i % 3 == 2      ? "a LAPACK"
			 : tells_version ? ""
					 : "a LAPACK with ",
			 i % 3 == 2 ? "" : blas);
		ck_assert_msg(!strncmp(text, wanted, strlen(wanted)),
			      "\"%s\", not \"%s\"", text, wanted);
		ck_assert_msg(strstr(text, "unit_libraries") != NULL, "%s",
			      text);
		ck_assert_msg(strstr(text, is_wide ? "64-bit integers, 3 "
						     "threads, left alone"
						   : "32-bit integers"),
			      "%s", text);
		ck_assert(is_wide || !strstr(text, "threads"));
		library_calls_unset(&set);
	}
}
END_TEST

/* A device with fewer CPUs than the library has threads uses fewer. */
START_TEST(few_units)
{
	struct library_set set;
	struct library_call call;

	version_symbol = "";
	n_threads = 4;
	ck_assert_int_eq(find(&set, "potrf float32", 4, &call), 0);
	ck_assert_int_eq(call.threads, 0);
	library_calls_unset(&set);
	ck_assert_int_eq(find(&set, "potrf float32", 3, &call), 0);
	ck_assert_int_eq(call.threads, 3);
	library_calls_unset(&set);
}
END_TEST

/* While a batch is divided, a library uses one thread that can set only the number
   of the process.  The last part of all launches sets the number before. */
START_TEST(alone)
{
	struct library_set set;
	struct library_call call;
	struct library_share first, second, whole;

	version_symbol = "";
	has_setter = true;
	kind = 1;
	for (int i = 0; i < 2; i++) {
		const int before = i ? 1 : 4;

		n_threads = before;
		n_sets = 0;
		ck_assert_int_eq(find(&set, "potrf float32", 4, &call), 0);
		ck_assert(before == 1 ||
			  strstr(call.library->text,
				 "4 threads, one in batches of small"));
		first = library_begin(&call, 10, 2, 0);
		ck_assert_int_eq(n_threads, 1);
		second = library_begin(&call, 10, 2, 1);
		whole = library_begin(&call, 1, 1, 0);
		library_end(&whole);
		library_end(&first);
		ck_assert_int_eq(n_threads, 1);
		library_end(&second);
		ck_assert_int_eq(n_threads, before);
		ck_assert_int_eq(n_sets, before > 1 ? 2 : 0);
		/* A part that is the whole launch has all threads. */
		whole = library_begin(&call, 1, 1, 0);
		ck_assert_int_eq(n_threads, before);
		library_end(&whole);
		ck_assert_int_eq(n_sets, before > 1 ? 2 : 0);
		library_calls_unset(&set);
	}
}
END_TEST

/* An OpenBLAS with OpenMP sets the number of the calling thread, so it is left
   alone. */
START_TEST(one_number_for_each_thread)
{
	struct library_set set;
	struct library_call call;
	struct library_share part;

	version_symbol = "";
	has_setter = true;
	kind = 2;
	n_threads = 4;
	n_sets = 0;
	ck_assert_int_eq(find(&set, "potrf float32", 4, &call), 0);
	ck_assert_ptr_nonnull(
		strstr(call.library->text, "4 threads, left alone"));
	part = library_begin(&call, 10, 2, 0);
	library_end(&part);
	ck_assert_int_eq(n_sets, 0);
	library_calls_unset(&set);
}
END_TEST

START_TEST(missing)
{
	static const struct {
		const char *name, *text;
	} cases[] = {
		{ "potrf float64", "owner: this LAPACK has no potrf" },
		{ "gemm float32", "name a library in DPR_OPTION_OWNER_BLAS" },
		{ "potrf", "owner: there is no routine \"potrf\"" },
		{ "gemm int32", "owner: there is no routine \"gemm int32\"" },
	};
	struct library_set set;
	struct library_call call;

	version_symbol = "";
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_int_eq(find(&set, cases[i].name, 1, &call),
				 DPR_RC_UNSUPPORTED);
		ck_assert_msg(strstr(error, cases[i].text) != NULL, "%s",
			      error);
		library_calls_unset(&set);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("libraries");
	TCase *t = tcase_create("libraries");
	SRunner *runner;
	int failed;

	tcase_add_test(t, description);
	tcase_add_test(t, few_units);
	tcase_add_test(t, alone);
	tcase_add_test(t, one_number_for_each_thread);
	tcase_add_test(t, missing);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
