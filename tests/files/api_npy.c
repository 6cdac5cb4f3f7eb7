/* SPDX-License-Identifier: Apache-2.0 */
/* api_npy.c - arrays from and to .npy files, on every device. */
#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

static char folder[] = "/tmp/dpr-npy.XXXXXX";

static const char *path_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static const dpr_usm_kind kinds[] = { DPR_USM_DEVICE, DPR_USM_SHARED,
				      DPR_USM_HOST };

/* More than two pieces of 8 MiB, and no multiple of them. */
#define LARGE (((int64_t)17 << 18) + 77)

/* Check that the elements of @x are first, first + 1, ..., and release it. */
static void check_counted(dpr_array *x, int32_t first)
{
	const int64_t n = dpr_array_size(x);
	int32_t *have = malloc((size_t)n * sizeof(*have) + 1);
	int64_t i = 0;

	ck_assert_ptr_nonnull(have);
	ck_assert_int_eq(dpr_array_dtype(x), DPR_INT32);
	CHECK_OK(dpr_array_to_memory(x, have, (size_t)n * sizeof(*have), NULL));
	while (i < n && have[i] == first + i)
		i++;
	ck_assert_int_eq(i, n);
	free(have);
	dpr_array_release(x);
}

static dpr_array *count(int64_t n, dpr_usm_kind kind)
{
	int32_t *values = malloc((size_t)n * sizeof(*values));
	dpr_array *x;

	ck_assert_ptr_nonnull(values);
	for (int64_t i = 0; i < n; i++)
		values[i] = (int32_t)i;
	CHECK_OK(dpr_array_from_memory_on(values, DPR_SHAPE(n), NULL, DPR_INT32,
					  test_queue, kind, &x));
	free(values);
	return x;
}

START_TEST(large_arrays_come_back)
{
	const dpr_usm_kind kind = kinds[_i];
	dpr_array *x, *part, *y;
	const char *path = path_of("large.npy");
	dpr_status status;

	status = dpr_empty_on(DPR_SHAPE(1), DPR_INT8, test_queue, kind, &x);
	if (status == DPR_ERROR_UNSUPPORTED)
		return;
	CHECK_OK(status);
	dpr_array_release(x);
	x = count(LARGE, kind);
	CHECK_OK(dpr_array_over(dpr_array_usm(x), 5, DPR_SHAPE(LARGE - 5), NULL,
				DPR_INT32, &part));
	CHECK_OK(dpr_npy_save(part, path));
	CHECK_OK(dpr_npy_load_on(path, test_queue, kind, &y));
	ck_assert_int_eq(dpr_array_kind(y), kind);
	ck_assert_ptr_eq(dpr_array_queue(y), test_queue);
	ck_assert_int_eq(dpr_array_size(y), LARGE - 5);
	check_counted(y, 5);
	dpr_array_release(part);
	dpr_array_release(x);
}
END_TEST

/* Earlier work on the queue may still use the memory that a new array gets. */
START_TEST(earlier_work_does_not_show)
{
	const size_t bytes = (size_t)LARGE * sizeof(int32_t);
	const dpr_usm_kind kind = kinds[_i];
	dpr_array *x, *old;
	dpr_status status;

	status = dpr_empty_on(DPR_SHAPE(LARGE), DPR_INT32, test_queue, kind,
			      &old);
	if (status == DPR_ERROR_UNSUPPORTED)
		return;
	CHECK_OK(status);
	x = count(LARGE, DPR_USM_DEVICE);
	CHECK_OK(dpr_npy_save(x, path_of("large.npy")));
	dpr_array_release(x);
	for (int k = 0; k < 20; k++)
		CHECK_OK(dpr_usm_fill(test_queue, dpr_array_usm(old), 0, "abcd",
				      4, bytes, NULL, NULL));
	dpr_array_release(old);
	CHECK_OK(dpr_npy_load_on(path_of("large.npy"), test_queue, kind, &x));
	CHECK_OK(dpr_queue_wait(test_queue));
	check_counted(x, 0);
}
END_TEST

START_TEST(a_file_of_numpy_is_written_again)
{
	const char *top = getenv("top_srcdir");
	char have[512], want[512], path[1024];
	size_t n_have, n_want;
	dpr_array *x;
	FILE *file;

	snprintf(path, sizeof(path), "%s/examples/data/y.npy", top ? top : ".");
	CHECK_OK(dpr_npy_load(path, test_queue, &x));
	ck_assert_int_eq(dpr_array_rank(x), 2);
	ck_assert_int_eq(dpr_array_shape(x)[0], 9);
	CHECK_OK(dpr_npy_save(x, path_of("y.npy")));
	dpr_array_release(x);
	file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	n_want = fread(want, 1, sizeof(want), file);
	fclose(file);
	file = fopen(path_of("y.npy"), "rb");
	ck_assert_ptr_nonnull(file);
	n_have = fread(have, 1, sizeof(have), file);
	fclose(file);
	ck_assert_uint_eq(n_have, n_want);
	ck_assert(!memcmp(have, want, n_want));
}
END_TEST

/* In a stream several arrays can follow each other. */
START_TEST(streams_hold_several_arrays)
{
	dpr_array *x = count(100, DPR_USM_DEVICE), *y, *empty, *scalar;
	FILE *file = tmpfile();
	dpr_operand value;

	ck_assert_ptr_nonnull(file);
	CHECK_OK(dpr_empty(DPR_SHAPE(0, 3), DPR_FLOAT32, test_queue, &empty));
	CHECK_OK(dpr_array_over(dpr_array_usm(x), 7, DPR_SCALAR_SHAPE, NULL,
				DPR_INT32, &scalar));
	CHECK_OK(dpr_npy_save(x, file));
	CHECK_OK(dpr_npy_save(empty, file));
	CHECK_OK(dpr_npy_save(scalar, dpr_file_stream(file)));
	dpr_array_release(empty);
	dpr_array_release(scalar);
	dpr_array_release(x);
	rewind(file);
	CHECK_OK(dpr_npy_load(file, test_queue, &x));
	CHECK_OK(dpr_npy_load(file, test_queue, &empty));
	ck_assert_int_eq(dpr_array_rank(empty), 2);
	ck_assert_int_eq(dpr_array_size(empty), 0);
	CHECK_OK(dpr_npy_load(file, test_queue, &scalar));
	ck_assert_int_eq(dpr_array_rank(scalar), 0);
	CHECK_OK(dpr_array_item(scalar, &value));
	ck_assert_int_eq(value.as.i, 7);
	CHECK_FAILS(DPR_ERROR_FILE, dpr_npy_load(file, test_queue, &y));
	ck_assert_str_eq(dpr_last_error(), "npy load: a stream: is empty");
	dpr_array_release(empty);
	dpr_array_release(scalar);
	check_counted(x, 0);
	fclose(file);
}
END_TEST

static void put_header(int fd)
{
	static const char text[] = "{'descr': '>i2', 'fortran_order': True, "
				   "'shape': (2, 3), }\n";
	char prefix[10] = "\x93NUMPY\x01";

	prefix[8] = sizeof(text) - 1;
	ck_assert_int_eq(write(fd, prefix, sizeof(prefix)), sizeof(prefix));
	ck_assert_int_eq(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
}

/* A pipe does not know its size.  The elements are big-endian and in Fortran
   order. */
START_TEST(pipes_are_read)
{
	static const unsigned char elements[] = { 0, 1, 0, 4, 0, 2,
						  0, 5, 0, 3, 1, 6 };
	int16_t have[6];
	dpr_array *x;
	FILE *file;
	int ends[2];

	for (size_t n = sizeof(elements); n + 2 >= sizeof(elements); n -= 2) {
		ck_assert_int_eq(pipe(ends), 0);
		put_header(ends[1]);
		ck_assert_int_eq(write(ends[1], elements, n), n);
		close(ends[1]);
		file = fdopen(ends[0], "rb");
		ck_assert_ptr_nonnull(file);
		if (n < sizeof(elements)) {
			CHECK_FAILS(DPR_ERROR_FILE,
				    dpr_npy_load(file, test_queue, &x));
			ck_assert_ptr_null(x);
			ck_assert_ptr_nonnull(strstr(dpr_last_error(),
						     "12 bytes of elements "
						     "expected, 10 found"));
		} else {
			CHECK_OK(dpr_npy_load(file, test_queue, &x));
			ck_assert_int_eq(dpr_array_shape(x)[0], 2);
			ck_assert_int_eq(dpr_array_strides(x)[0], 1);
			CHECK_OK(dpr_array_to_memory(x, have, sizeof(have),
						     NULL));
			for (int k = 0; k < 6; k++)
				ck_assert_int_eq(have[k],
						 k == 5 ? 256 + 6 : k + 1);
			dpr_array_release(x);
		}
		fclose(file);
	}
}
END_TEST

/* A reader that goes away is an error, and ends no process. */
START_TEST(streams_that_nobody_reads)
{
	dpr_array *x = count(LARGE, DPR_USM_DEVICE);
	FILE *file = popen("head -c 1 >/dev/null", "w");

	ck_assert_ptr_nonnull(file);
	CHECK_FAILS(DPR_ERROR_FILE, dpr_npy_save(x, file));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "Broken pipe"));
	signal(SIGPIPE, SIG_IGN); /* for what the stream still holds */
	pclose(file);
	dpr_array_release(x);
}
END_TEST

static void on_signal(int number)
{
	(void)number;
}

struct interrupted {
	pthread_t writer;
	int from;
	size_t size; /* of what was read */
};

/* Interrupt the writer while the pipe is full, then read everything. */
static void *interrupt(void *arg)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	struct interrupted *i = arg;
	char bytes[4096];
	ssize_t n;

	for (int k = 0; k < 50; k++) {
		pthread_kill(i->writer, SIGUSR1);
		nanosleep(&moment, NULL);
	}
	while ((n = read(i->from, bytes, sizeof(bytes))) > 0)
		i->size += (size_t)n;
	return NULL;
}

/* A stream may lose bytes when a signal interrupts its write. */
START_TEST(interrupted_writes_are_said)
{
	const struct sigaction action = { .sa_handler = on_signal };
	struct interrupted i = { .writer = pthread_self() };
	dpr_array *x = count(1 << 18, DPR_USM_DEVICE);
	dpr_status status;
	pthread_t thread;
	int ends[2];
	FILE *file;

	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
	ck_assert_int_eq(pipe(ends), 0);
	i.from = ends[0];
	file = fdopen(ends[1], "wb");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(pthread_create(&thread, NULL, interrupt, &i), 0);
	status = dpr_npy_save(x, file);
	fclose(file);
	pthread_join(thread, NULL);
	close(ends[0]);
	if (!status)
		ck_assert_uint_eq(i.size, 128 + (4 << 18));
	else
		ck_assert_int_eq(status, DPR_ERROR_FILE);
	dpr_array_release(x);
}
END_TEST

/* A name may be as long as the file system takes. */
START_TEST(long_names_are_replaced)
{
	char name[256];
	dpr_array *x = count(7, DPR_USM_DEVICE);

	memset(name, 'n', 255);
	name[255] = 0;
	for (int k = 0; k < 2; k++)
		CHECK_OK(dpr_npy_save(x, path_of(name)));
	dpr_array_release(x);
	CHECK_OK(dpr_npy_load(path_of(name), test_queue, &x));
	check_counted(x, 0);
}
END_TEST

struct answer {
	char path[512];
	dpr_array *x;
	dpr_status load, save;
	atomic_bool ready;
};

static void use_files(dpr_event *event, dpr_status status, void *user)
{
	struct answer *a = user;
	dpr_array *none;

	(void)event;
	(void)status;
	a->load = dpr_npy_load(a->path, test_queue, &none);
	a->save = dpr_npy_save(a->x, a->path);
	atomic_store(&a->ready, true);
}

/* A callback may not wait, so it can neither load nor save. */
START_TEST(callbacks_may_not_wait)
{
	struct answer a = { .x = count(LARGE, DPR_USM_DEVICE) };
	const struct timespec moment = { .tv_nsec = 1000000 };
	dpr_event *event;

	snprintf(a.path, sizeof(a.path), "%s", path_of("callback.npy"));
	CHECK_OK(dpr_npy_save(a.x, a.path));
	CHECK_OK(dpr_queue_barrier(test_queue, NULL, &event));
	CHECK_OK(dpr_event_on_end(event, use_files, &a));
	while (!atomic_load(&a.ready))
		nanosleep(&moment, NULL);
	ck_assert_int_eq(a.load, DPR_ERROR_BUSY);
	ck_assert_int_eq(a.save, DPR_ERROR_BUSY);
	dpr_event_release(event);
	dpr_array_release(a.x);
}
END_TEST

START_TEST(other_layouts_are_packed)
{
	static const int64_t back[] = { -1 };
	dpr_array *x = count(50, DPR_USM_DEVICE), *view, *y;
	int32_t have[50];

	if (!dpr_array_kernel_format(test_device))
		goto out;
	CHECK_OK(dpr_array_over(dpr_array_usm(x), 49, DPR_SHAPE(50), back,
				DPR_INT32, &view));
	CHECK_OK(dpr_npy_save(view, path_of("back.npy")));
	CHECK_OK(dpr_npy_load(path_of("back.npy"), test_queue, &y));
	CHECK_OK(dpr_array_to_memory(y, have, sizeof(have), NULL));
	for (int k = 0; k < 50; k++)
		ck_assert_int_eq(have[k], 49 - k);
	dpr_array_release(y);
	dpr_array_release(view);
out:
	dpr_array_release(x);
}
END_TEST

static void check_refused(dpr_status want, dpr_file file, const char *part)
{
	dpr_array *x = (dpr_array *)(uintptr_t)1;

	CHECK_FAILS(want, dpr_npy_load(file, test_queue, &x));
	ck_assert_ptr_null(x);
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), part));
}

START_TEST(errors_say_what_and_where)
{
	const dpr_file none = { NULL, NULL };
	dpr_array *x;
	FILE *file;

	check_refused(DPR_ERROR_NOT_FOUND, dpr_file_path(path_of("none.npy")),
		      "none.npy: cannot open: No such file or directory");
	check_refused(DPR_ERROR_FILE, dpr_file_path(folder), "is a directory");
	check_refused(DPR_ERROR_INVALID_ARGUMENT, none, "neither a name nor");
	file = fopen(path_of("bad.npy"), "wb");
	ck_assert(file && fputs("not an array", file) >= 0);
	fclose(file);
	check_refused(DPR_ERROR_FILE, dpr_file_path(path_of("bad.npy")),
		      "bad.npy: not a .npy file");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_npy_load(path_of("bad.npy"), test_queue, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_npy_save(NULL, path_of("x.npy")));
	CHECK_OK(dpr_empty(DPR_SHAPE(0), DPR_BFLOAT16, test_queue, &x));
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_npy_save(x, path_of("x.npy")));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "dpr_astype()"));
	dpr_array_release(x);
	x = count(3, DPR_USM_DEVICE);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_npy_save(x, none));
	CHECK_FAILS(DPR_ERROR_FILE, dpr_npy_save(x, path_of("no/x.npy")));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "cannot write there"));
	dpr_array_release(x);
	ck_assert(access(path_of("x.npy"), F_OK));
}
END_TEST

/* If the elements are invalid, the older file stays. */
START_TEST(invalid_elements_make_no_file)
{
	dpr_array *x = count(3, DPR_USM_DEVICE), *y;
	const char *path = path_of("kept.npy");

	CHECK_OK(dpr_npy_save(x, path));
	CHECK_OK(dpr_usm_invalidate(dpr_array_usm(x), DPR_ERROR_BUILD,
				    "these elements"));
	CHECK_FAILS(DPR_ERROR_BUILD, dpr_npy_save(x, path));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "these elements"));
	CHECK_OK(dpr_npy_load(path, test_queue, &y));
	check_counted(y, 0);
	dpr_array_release(x);
}
END_TEST

static void clean_up(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -f %s/*", folder);
	ck_assert_int_eq(system(command), 0);
}

static Suite *suite(const char *name)
{
	Suite *made = suite_create(name);
	TCase *tcase = tcase_create("npy");

	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, NULL, clean_up);
	tcase_add_loop_test(tcase, large_arrays_come_back, 0, 3);
	tcase_add_loop_test(tcase, earlier_work_does_not_show, 0, 3);
	tcase_add_test(tcase, a_file_of_numpy_is_written_again);
	tcase_add_test(tcase, streams_hold_several_arrays);
	tcase_add_test(tcase, pipes_are_read);
	tcase_add_test(tcase, streams_that_nobody_reads);
	tcase_add_test(tcase, interrupted_writes_are_said);
	tcase_add_test(tcase, long_names_are_replaced);
	tcase_add_test(tcase, callbacks_may_not_wait);
	tcase_add_test(tcase, other_layouts_are_packed);
	tcase_add_test(tcase, errors_say_what_and_where);
	tcase_add_test(tcase, invalid_elements_make_no_file);
	suite_add_tcase(made, tcase);
	return made;
}

int main(void)
{
	int failed;

	if (!mkdtemp(folder))
		return EXIT_FAILURE;
	failed = run_on_all(suite);
	rmdir(folder);
	return failed;
}
