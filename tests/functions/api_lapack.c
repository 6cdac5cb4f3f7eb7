/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_lapack.c - routines of LAPACK as kernels of the host backend and of
 * OpenCL on a CPU (lapack_routines.h), and the choice of their library.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/functions/lapack_routines.h"

/* --- Libraries ------------------------------------------------------------ */

/* Why there is no library, or NULL. */
static const char *missing(void)
{
	dpr_program *program;

	if (build("potrf", 0, &program))
		return dpr_last_error();
	printf("%s\n", dpr_program_log(program));
	dpr_program_release(program);
	return NULL;
}

static const char *expected; /* in the error of the child process */

START_TEST(no_library)
{
	dpr_program *program;

	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, build("potrf", 0, &program));
	ck_assert_msg(strstr(dpr_last_error(), expected) != NULL, "%s",
		      dpr_last_error());
}
END_TEST

/* A library of products that has some of LAPACK, too.  Its getrf needs much
   stack, and the threads of this process have little. */
START_TEST(from_products)
{
	dpr_program *program;

	ck_assert_ptr_null(missing());
	CHECK_OK(build("getrf", 1, &program));
	ck_assert_ptr_nonnull(strstr(dpr_program_log(program), "a fake CBLAS"));
	ck_assert_ptr_nonnull(
		strstr(dpr_program_log(program), "64-bit integers"));
	dpr_program_release(program);
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, build("gesdd", 1, &program));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(), "has no gesdd"));
}
END_TEST

/* --- getri ---------------------------------------------------------------- */

/* Begin with matrices that have their largest elements below the diagonal, so that
   rows are exchanged. */
static void begin_inverse(struct job *job, int dtype, int64_t n, int64_t count)
{
	begin(job, dtype, n, n, 0, count);
	fill(job, add(job, own_kind(job), n, n, true));
	for (int64_t b = 0; b < count; b++)
		for (int64_t j = 0; j < n; j++)
			set(&job->args[0], b, (j + 1) % n, j, 2. * (double)n);
	add(job, 'p', n, 1, true);
	add(job, 'i', 1, 1, false);
}

START_TEST(inverses)
{
	const int64_t n = extent_of(_i);
	struct matrix *before, after;
	struct job job;

	begin_inverse(&job, _i % DTYPES, n, count_for(n));
	before = calloc((size_t)job.count, sizeof(*before));
	ck_assert_ptr_nonnull(before);
	for (int64_t b = 0; b < job.count; b++)
		before[b] = matrix_of(&job.args[0], b);
	solve(&job, "getrf");
	solve(&job, "getri");
	for (int64_t b = 0; b < job.count; b++) {
		after = matrix_of(&job.args[0], b);
		check_near(&job, difference(&before[b], false, &after, n, NULL),
			   "getri");
		free(before[b].at);
		free(after.at);
	}
	free(before);
	end(&job);
}
END_TEST

/* A pivot of 0, NaN, and pivots that are no rows. */
START_TEST(no_inverse)
{
	static const int64_t wrong[] = { 0, -1, 2, 5, INT64_MAX, INT64_MIN };
	struct job job;

	begin_inverse(&job, _i, 4, 2);
	for (int64_t i = 0; i < 4; i++)
		set(&job.args[0], 1, i, 2, 0);
	CHECK_OK(launch_job(&job, "getrf"));
	CHECK_OK(launch_job(&job, "getri"));
	ck_assert_int_eq(info_of(&job, 0), 0);
	ck_assert_int_eq(info_of(&job, 1), 3);
	end(&job);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		begin_inverse(&job, _i, 4, 2);
		CHECK_OK(launch_job(&job, "getrf"));
		((int64_t *)job.args[1].data)[place(&job.args[1], 0, 2, 0)] =
			wrong[i];
		CHECK_OK(launch_job(&job, "getri"));
		check_gaps(&job);
		ck_assert_int_gt(info_of(&job, 0), 0);
		ck_assert_int_eq(info_of(&job, 1), 0);
		end(&job);
	}
	begin_inverse(&job, _i, 4, 2);
	CHECK_OK(launch_job(&job, "getrf"));
	set(&job.args[0], 0, 1, 1, NAN);
	CHECK_OK(launch_job(&job, "getri"));
	ck_assert_int_ge(info_of(&job, 0), 0);
	ck_assert_int_eq(info_of(&job, 1), 0);
	end(&job);
}
END_TEST

START_TEST(inverse_refused)
{
	struct job job;

	for (int i = 0; i < 4; i++) {
		begin_inverse(&job, 1, 4, 2);
		switch (i) {
		case 0: job.v.count = 0; break;
		case 1: job.v.n = 0; break;
		case 2: job.v.leading[0] = 3; break;
		default: job.v.flags = DPRP_LAPACK_UPPER; break;
		}
		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
			    launch_job(&job, "getri"));
		ck_assert_ptr_nonnull(strstr(dpr_last_error(), "getri"));
		end(&job);
	}
}
END_TEST

/* --- Suites --------------------------------------------------------------- */

static int which; /* 0: what routines compute, or one of the libraries */

static Suite *routines(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("lapack");

	tcase_set_timeout(tcase, 300);
	suite_add_tcase(suite, tcase);
	if (which == 1) {
		tcase_add_test(tcase, no_library);
		return suite;
	}
	if (which == 2) {
		tcase_add_test(tcase, from_products);
		tcase_add_loop_test(tcase, cholesky, 0, 1);
		tcase_add_loop_test(tcase, cholesky, 8, 9);
		tcase_add_loop_test(tcase, lu, 1, 2);
		tcase_add_loop_test(tcase, lu, 9, 10);
		return suite;
	}
	if (missing()) {
		printf("routines were not tested: %s\n", dpr_last_error());
		/* A device may run no routines of this process at all. */
		expected = strncmp(name, "host", 4) ? "" : "no LAPACK";
		tcase_add_test(tcase, no_library);
		return suite;
	}
	add_routines(tcase);
	tcase_add_loop_test(tcase, inverses, 0, SIZES * DTYPES);
	tcase_add_loop_test(tcase, no_inverse, 0, DTYPES);
	tcase_add_test(tcase, inverse_refused);
	return suite;
}

static bool is_finished;

/* A library that ends the process calls exit(), and with 0. */
static void check_finished(void)
{
	if (!is_finished)
		_exit(EXIT_FAILURE);
}

static int run(const char *selector)
{
	int failed;

	atexit(check_finished);
	failed = run_on_selected(routines, selector);
	is_finished = true;
	if (dpr_finalize()) {
		printf("finalize: %s\n", dpr_last_error());
		return EXIT_FAILURE;
	}
	return failed;
}

/* Run the tests `w` in a child process, on a device, with an option or none.
   Returns whether one failed; without the backend none does. */
static bool failed_with(int w, const char *selector, const char *option,
			const char *value, const char *text)
{
	const pid_t child = fork();
	pthread_attr_t attr;
	int status;

	if (child < 0)
		return true;
	if (child > 0)
		return waitpid(child, &status, 0) != child ||
		       !WIFEXITED(status) ||
		       (WEXITSTATUS(status) && WEXITSTATUS(status) != 77);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 1 << 20);
	pthread_setattr_default_np(&attr);
	if (option) {
		printf("%s=%s\n", option, value);
		setenv(option, value, 1);
	}
	which = w;
	expected = text;
	exit(run(selector));
}

int main(void)
{
	static const char blas[] = "DPR_OPTION_HOST_BLAS";
	static const char lapack[] = "DPR_OPTION_HOST_LAPACK";
	static const char host[] = "host:cpu:0", opencl[] = "opencl:cpu:0";
	const char *folder = getenv("top_builddir");
	char fake[4096], none[4096];
	bool failed = false;

	setvbuf(stdout, NULL, _IONBF, 0);
	if (folder) {
		snprintf(fake, sizeof(fake),
			 "%s/tests/functions/.libs/fake_cblas.so", folder);
		snprintf(none, sizeof(none), "%s/backends/.libs/libdpr-host.so",
			 folder);
		failed = failed_with(1, host, lapack, "none",
				     "HOST_LAPACK=none") ||
			 failed_with(1, host, lapack, "/no/such.so",
				     "this is no library") ||
			 failed_with(1, host, lapack, none, "has no spotrf_") ||
			 failed_with(2, host, blas, fake, NULL) ||
			 failed_with(2, opencl, "DPR_OPTION_OPENCL_BLAS", fake,
				     NULL);
	}
	failed = failed || failed_with(0, opencl, NULL, NULL, NULL);
	return run(host) || failed;
}
