/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_npz.c - arrays from and to .npz files.
 *
 * usage: api_npz [write FILE | read FILE]: write a sample for another program,
 * or check one.  Without arguments all tests run.
 */
#include <check.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

static char folder[] = "/tmp/dpr-npz.XXXXXX";

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

#define N 3000000

/* Elements that deflate makes smaller, but not to nothing. */
static int32_t value(int64_t k)
{
	return (int32_t)(k * k % 1009);
}

static dpr_array *make(int64_t n)
{
	int32_t *values = malloc((size_t)n * sizeof(*values) + 1);
	dpr_array *x;

	ck_assert_ptr_nonnull(values);
	for (int64_t k = 0; k < n; k++)
		values[k] = value(k);
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(n), NULL, DPR_INT32,
				       test_queue, &x));
	free(values);
	return x;
}

#ifdef HAVE_ZLIB
static void check(dpr_array *x, int64_t n)
{
	int32_t *have = malloc((size_t)n * sizeof(*have) + 1);
	int64_t k = 0;

	ck_assert_ptr_nonnull(have);
	ck_assert_int_eq(dpr_array_size(x), n);
	ck_assert_int_eq(dpr_array_dtype(x), DPR_INT32);
	CHECK_OK(dpr_array_to_memory(x, have, (size_t)n * sizeof(*have), NULL));
	while (k < n && have[k] == value(k))
		k++;
	ck_assert_int_eq(k, n);
	free(have);
	dpr_array_release(x);
}

static void save(dpr_file to, enum dpr_npz_packing packing)
{
	dpr_array *large = make(N), *small = make(3), *empty = make(0);
	const dpr_npz_entry entries[] = { { "large", large },
					  { "small one", small },
					  { "empty", empty } };

	CHECK_OK(dpr_npz_save(entries, 3, packing, to));
	dpr_array_release(large);
	dpr_array_release(small);
	dpr_array_release(empty);
}

static void load(dpr_file from)
{
	char **names;
	dpr_array *x;
	size_t n;

	CHECK_OK(dpr_npz_names(from, &names, &n));
	ck_assert_uint_eq(n, 3);
	ck_assert_str_eq(names[0], "large");
	ck_assert_str_eq(names[1], "small one");
	ck_assert_str_eq(names[2], "empty");
	ck_assert_ptr_null(names[3]);
	dpr_free(names);
	CHECK_OK(dpr_npz_load(from, "small one", test_queue, &x));
	check(x, 3);
	CHECK_OK(dpr_npz_load_on(from, "large", test_queue,
				 host_or_device(), &x));
	check(x, N);
	CHECK_OK(dpr_npz_load(from, "empty", test_queue, &x));
	check(x, 0);
}

static const enum dpr_npz_packing packings[] = { DPR_NPZ_STORED,
						 DPR_NPZ_DEFLATED };

START_TEST(arrays_come_back)
{
	FILE *file = tmpfile();
	long size;

	ck_assert_ptr_nonnull(file);
	save(dpr_file_path(path_of("x.npz")), packings[_i]);
	load(dpr_file_path(path_of("x.npz")));
	save(dpr_file_stream(file), packings[_i]);
	size = ftell(file);
	if (packings[_i] == DPR_NPZ_DEFLATED)
		ck_assert_int_lt(size, N * 2);
	else
		ck_assert_int_gt(size, N * 4);
	load(dpr_file_stream(file));
	fclose(file);
}
END_TEST

/* With any byte changed, or cut off anywhere, a file gives an error or the
   right elements. */
START_TEST(damage_is_found)
{
	dpr_array *x = make(40), *y;
	const dpr_npz_entry entry = { "x", x };
	unsigned char good[2048], bad[2048];
	unsigned refused = 0;
	size_t size, k;
	FILE *file = tmpfile();

	ck_assert_ptr_nonnull(file);
	CHECK_OK(dpr_npz_save(&entry, 1, packings[_i], file));
	dpr_array_release(x);
	rewind(file);
	size = fread(good, 1, sizeof(good), file);
	fclose(file);
	ck_assert_uint_lt(size, sizeof(good));
	for (k = 0; k < 2 * size; k++) {
		dpr_status status;

		memcpy(bad, good, size);
		if (k < size)
			bad[k] ^= 0x41;
		file = fmemopen(bad, k < size ? size : 2 * size - k, "r");
		ck_assert_ptr_nonnull(file);
		status = dpr_npz_load(file, "x", test_queue, &y);
		fclose(file);
		ck_assert(!status == (y != NULL));
		refused += status != DPR_OK;
		if (!status)
			check(y, 40);
		else
			ck_assert_ptr_nonnull(
				strstr(dpr_last_error(), "npz load: a stream"));
		/* The last byte of the size of a comment is 0. */
		ck_assert(status || k < size || k == size);
	}
	ck_assert_uint_gt(refused, size);
}
END_TEST

START_TEST(errors_say_what_and_where)
{
	dpr_array *x = make(3), *y;
	dpr_npz_entry twice[] = { { "x", x }, { "x", x } };
	const char *path = path_of("x.npz");
	char **names;
	size_t n;

	CHECK_OK(dpr_npz_save(twice, 1, DPR_NPZ_STORED, path));
	CHECK_FAILS(DPR_ERROR_NOT_FOUND,
		    dpr_npz_load(path, "y", test_queue, &y));
	ck_assert_ptr_null(y);
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "has no array 'y'"));
	CHECK_FAILS(DPR_ERROR_EXISTS,
		    dpr_npz_save(twice, 2, DPR_NPZ_STORED, path));
	twice[1].name = "";
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_npz_save(twice, 2, DPR_NPZ_STORED, path));
	twice[1].name = NULL;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_npz_save(twice, 2, DPR_NPZ_STORED, path));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_npz_save(twice, 1, (enum dpr_npz_packing)7, path));
	CHECK_FAILS(DPR_ERROR_NOT_FOUND,
		    dpr_npz_names(path_of("none.npz"), &names, &n));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_npz_names(path, NULL, &n));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_npz_load(path, NULL, test_queue, &y));
	CHECK_OK(dpr_npy_save(x, path_of("x.npy")));
	CHECK_FAILS(DPR_ERROR_FILE,
		    dpr_npz_load(path_of("x.npy"), "x", test_queue, &y));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "not a .npz file"));
	CHECK_FAILS(DPR_ERROR_FILE,
		    dpr_npy_load(path_of("x.npz"), test_queue, &y));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "dpr_npz_load()"));
	dpr_array_release(x);
}
END_TEST

struct answer {
	dpr_file file;
	dpr_status large, empty;
	atomic_bool ready;
};

static void load_both(dpr_event *event, dpr_status status, void *user)
{
	struct answer *a = user;
	dpr_array *none;

	(void)event;
	(void)status;
	a->large = dpr_npz_load(a->file, "large", test_queue, &none);
	a->empty = dpr_npz_load(a->file, "empty", test_queue, &none);
	atomic_store(&a->ready, true);
}

/* A callback may not wait, so it cannot load, not even an empty array. */
START_TEST(callbacks_may_not_wait)
{
	struct answer a = { .file = dpr_file_path(path_of("x.npz")) };
	const struct timespec moment = { .tv_nsec = 1000000 };
	dpr_event *event;

	save(a.file, DPR_NPZ_STORED);
	CHECK_OK(dpr_queue_barrier(test_queue, NULL, &event));
	CHECK_OK(dpr_event_on_end(event, load_both, &a));
	while (!atomic_load(&a.ready))
		nanosleep(&moment, NULL);
	ck_assert_int_eq(a.large, DPR_ERROR_BUSY);
	ck_assert_int_eq(a.empty, DPR_ERROR_BUSY);
	dpr_event_release(event);
}
END_TEST
#endif

static void clean_up(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -f %s/*", folder);
	ck_assert_int_eq(system(command), 0);
}

#ifndef HAVE_ZLIB
START_TEST(without_zlib)
{
	dpr_array *x = make(3), *y;
	const dpr_npz_entry entry = { "x", x };
	const char *path = path_of("x.npz");
	char **names;
	size_t n;

	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_npz_save(&entry, 1, DPR_NPZ_STORED, path));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "zlib1g-dev"));
	ck_assert(access(path, F_OK));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_npz_names(path, &names, &n));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_npz_load(path, "x", test_queue, &y));
	dpr_array_release(x);
}
END_TEST
#endif

static Suite *suite(const char *name)
{
	Suite *made = suite_create(name);
	TCase *tcase = tcase_create("npz");

	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, NULL, clean_up);
#ifdef HAVE_ZLIB
	tcase_add_loop_test(tcase, arrays_come_back, 0, 2);
	tcase_add_loop_test(tcase, damage_is_found, 0, 2);
	tcase_add_test(tcase, errors_say_what_and_where);
	tcase_add_test(tcase, callbacks_may_not_wait);
#else
	tcase_add_test(tcase, without_zlib);
#endif
	suite_add_tcase(made, tcase);
	return made;
}

#ifdef HAVE_ZLIB
static const char *sample;
static bool is_written;

START_TEST(other_programs_agree)
{
	if (is_written)
		save(dpr_file_path(sample), DPR_NPZ_DEFLATED);
	else
		load(dpr_file_path(sample));
}
END_TEST

static Suite *suite_of_sample(const char *name)
{
	Suite *made = suite_create(name);
	TCase *tcase = tcase_create("sample");

	tcase_add_test(tcase, other_programs_agree);
	suite_add_tcase(made, tcase);
	return made;
}
#endif

int main(int argc, char **argv)
{
	int failed;

	if (argc == 3) {
#ifdef HAVE_ZLIB
		is_written = !strcmp(argv[1], "write");
		sample = argv[2];
		return run_on_selected(suite_of_sample, "host");
#else
		(void)argv;
		printf("needs zlib\n");
		return 77;
#endif
	}
	if (!mkdtemp(folder))
		return EXIT_FAILURE;
	failed = run_on_all(suite);
	rmdir(folder);
	return failed;
}
