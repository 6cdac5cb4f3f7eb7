/* SPDX-License-Identifier: Apache-2.0 */
/* api_cache_use.c - a program that several threads want is built once; arrays
   and the program's own kernels with a cache, on the mock and on OpenCL. */
#include "tests/support/cache_files.h"
#include "tests/support/runtime_test.h"

#include <pthread.h>

static pthread_barrier_t barrier;

static void *take_in_step(void *unused)
{
	dpr_kernel *kernel;
	char text[128];
	int i;

	(void)unused;
	for (i = 0; i < 50; i++) {
		snprintf(text, sizeof(text),
			 "/* %d */ kernel void add_one(int *x, ulong n);", i);
		pthread_barrier_wait(&barrier);
		CHECK_OK(dpr_kernel_from_source(q1, text, "add_one", &kernel));
		dpr_kernel_release(kernel);
	}
	return NULL;
}

static void threads_build_once(void)
{
	pthread_t threads[8];
	int i;

	start_mocks();
	pthread_barrier_init(&barrier, NULL, 8);
	for (i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, take_in_step, NULL);
	for (i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(mock->calls(MOCK_module_create), 50);
	CHECK_CACHE(0, 50, 50, 0, 50);
}

START_TEST(threads)
{
	in_process(threads_build_once);
}
END_TEST

static void add_sixteen(dpr_queue *queue)
{
	float a[16], sum[16];
	dpr_array *x, *y;
	int i;

	for (i = 0; i < 16; i++)
		a[i] = (float)i;
	CHECK_OK(dpr_array_from_memory(a, DPR_SHAPE(16), NULL, DPR_FLOAT32,
				       queue, &x));
	CHECK_OK(dpr_add(x, x, &y));
	CHECK_OK(dpr_array_to_memory(y, sum, sizeof(sum), NULL));
	for (i = 0; i < 16; i++)
		ck_assert_float_eq(sum[i], 2 * a[i]);
	dpr_array_release(x);
	dpr_array_release(y);
}

static void *add_in_step(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&barrier);
	add_sixteen(q1);
	return NULL;
}

static void threads_add(void)
{
	pthread_t worker[8];
	int i;

	start_mocks();
	pthread_barrier_init(&barrier, NULL, 8);
	for (i = 0; i < 8; i++)
		pthread_create(&worker[i], NULL, add_in_step, NULL);
	for (i = 0; i < 8; i++)
		pthread_join(worker[i], NULL);
	ck_assert_uint_eq(mock->calls(MOCK_module_create), 1);
}

static void add_on_mock(void)
{
	start_mocks();
	add_sixteen(q1);
	ck_assert_uint_eq(mock->calls(MOCK_module_create), 1);
}

START_TEST(one_module_for_a_sum)
{
	/* A CPU runs the kernels that are compiled with the library. */
	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
	in_process(add_on_mock);
	in_process(threads_add);
}
END_TEST

/* Returns the queue of the OpenCL backend, or NULL if it has no device. */
static dpr_queue *opencl(void)
{
	dpr_queue *queue;

	unsetenv("DPR_PLUGINS");
	setenv("DPR_BACKEND", "opencl", 1);
	return dpr_canonical_queue("opencl", &queue) ? NULL : queue;
}

static void has_opencl(void)
{
	if (!opencl()) {
		printf("on_opencl: left out, no OpenCL device: %s\n",
		       dpr_last_error());
		fflush(stdout);
		_exit(77);
	}
}

static const char opencl_source[] =
	"kernel void twice(global int *x, float f, ulong n)\n"
	"{ ulong i = get_global_id(0); if (i < n) x[i] += x[i] + (int)f; }\n";

/* The kernel's parameters must also be known if the program comes from the
   cache. */
static void user_kernel(dpr_queue *queue)
{
	enum dpr_param_kind kind;
	dpr_kernel *kernel;
	size_t size;
	dpr_usm *x;

	CHECK_OK(
		dpr_kernel_from_source(queue, opencl_source, "twice", &kernel));
	CHECK_OK(dpr_kernel_param(kernel, 1, &kind, &size));
	ck_assert_int_eq(kind, DPR_PARAM_VALUE);
	ck_assert_uint_eq(size, 4);
	x = new_ints(queue, 4, 20);
	CHECK_OK(dpr_kernel_launch(queue, kernel, DPR_RANGE1(4), NULL, NULL,
				   DPR_ARG(x), DPR_ARG(2.0f), DPR_ARG(4ULL)));
	ck_assert_int_eq(first_int(queue, x), 42);
	dpr_usm_release(x);
	dpr_kernel_release(kernel);
}

/* Build @text with -cl-denorms-are-zero.  Returns the bits that its kernel
   makes of the smallest float. */
static uint32_t tiny_as_zero(dpr_queue *queue, const char *text)
{
	uint32_t bits = 1;
	dpr_program *program;
	dpr_kernel *kernel;
	dpr_usm *x = new_ints(queue, 1, 1);

	CHECK_OK(dpr_program_from_source(
		queue, text, "-DN=1 -cl-denorms-are-zero", &program));
	CHECK_OK(dpr_kernel_create(program, "same", &kernel));
	CHECK_OK(dpr_kernel_launch(queue, kernel, DPR_RANGE1(1), NULL, NULL,
				   DPR_ARG(x), DPR_ARG(1.0f)));
	CHECK_OK(dpr_usm_read(queue, &bits, x, 0, sizeof(bits), NULL, NULL));
	dpr_usm_release(x);
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	return bits;
}

#define SAME "kernel void same(global float *x, float f) { x[0] = x[0] * f; }\n"

/* Some options matter even when a binary is loaded.  The second source contains
   "#include", so it is never taken from the cache. */
static void same_with_options(void)
{
	dpr_queue *queue = opencl();

	ck_assert_uint_eq(tiny_as_zero(queue, SAME),
			  tiny_as_zero(queue, "/* #include */" SAME));
}

static void opencl_cold(void)
{
	user_kernel(opencl());
	CHECK_CACHE(0, 1, 1, 0, 1);
}

static void opencl_warm(void)
{
	user_kernel(opencl());
	CHECK_CACHE(1, 0, 0, 0, 0);
}

static void opencl_never(void)
{
	user_kernel(opencl());
	CHECK_CACHE(0, 0, 0, 0, 1);
}

static void opencl_noted(void)
{
	user_kernel(opencl());
	CHECK_CACHE(0, 1, 0, 0, 1);
}

static void sum_cold(void)
{
	add_sixteen(opencl());
	CHECK_CACHE(0, 1, 1, 0, 1);
}

static void sum_warm(void)
{
	add_sixteen(opencl());
	CHECK_CACHE(1, 0, 0, 0, 0);
}

static void opencl_damaged(void)
{
	user_kernel(opencl());
	CHECK_CACHE(0, 1, 1, 1, 1);
}

static int no_opencl(void)
{
	int status;
	pid_t child = fork();

	if (!child) {
		has_opencl();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	ck_assert(!WEXITSTATUS(status) || WEXITSTATUS(status) == 77);
	return status != 0;
}

START_TEST(on_opencl)
{
	if (no_opencl())
		return;
	setenv("DPR_OPTION_OPENCL_NATIVE", "no", 1);
	setenv("DPR_OPTION_OPENCL_BINARIES", "first", 1);
	in_process(opencl_cold);
	in_process(opencl_warm);
	cut_files();
	in_process(opencl_damaged);
	in_process(opencl_warm);
	in_process(same_with_options);
	in_process(same_with_options);
	in_process(sum_cold);
	in_process(sum_warm);
}
END_TEST

START_TEST(on_opencl_second)
{
	if (no_opencl())
		return;
	setenv("DPR_OPTION_OPENCL_BINARIES", "second", 1);
	in_process(opencl_noted);
	in_process(opencl_cold);
	in_process(opencl_warm);
	setenv("DPR_OPTION_OPENCL_BINARIES", "never", 1);
	in_process(opencl_never);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cache in use");
	TCase *t = tcase_create("cache in use");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(t, cache_dir_setup, cache_dir_teardown);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, threads);
	tcase_add_test(t, one_module_for_a_sum);
	tcase_add_test(t, on_opencl);
	tcase_add_test(t, on_opencl_second);
	suite_add_tcase(suite, t);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
