/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_guard.c - the layer "check" on devices whose memory the host can use.
 * The log names a kernel that writes past an argument's allocation.  It does
 * not name a kernel that writes up to the end, or any array function.
 */
#include "tests/support/runtime_test.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dpr/native.h>

/* --- The log ---------------------------------------------------------------
 */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char found[1 << 16]; /* findings by the rule "program", a line each */

static void sink(void *user, enum dpr_log_level level, const char *line)
{
	size_t used, n = strlen(line);

	(void)user;
	if (level != DPR_LOG_ERROR || strncmp(line, "check: ", 7) != 0)
		return;
	pthread_mutex_lock(&lock);
	used = strlen(found);
	if (used + n + 2 < sizeof(found)) {
		memcpy(found + used, line, n);
		memcpy(found + used + n, "\n", 2);
	}
	pthread_mutex_unlock(&lock);
}

/* Take the findings so far, which stay valid until the next call. */
static const char *take_found(void)
{
	static char taken[sizeof(found)];

	/* Delivers messages. */
	CHECK_OK(dpr_queue_flush(test_queue));
	pthread_mutex_lock(&lock);
	memcpy(taken, found, strlen(found) + 1);
	found[0] = 0;
	pthread_mutex_unlock(&lock);
	return taken;
}

/* The one finding so far must contain @part. */
#define CHECK_FOUND(part)                                            \
	do {                                                         \
		const char *all_ = take_found();                     \
		ck_assert_msg(strstr(all_, (part)) != NULL &&        \
				      strchr(all_, '\n') ==          \
					      strrchr(all_, '\n'),   \
			      "not \"%s\" alone: %s", (part), all_); \
	} while (0)
#define CHECK_NOTHING() ck_assert_str_eq(take_found(), "")

/* --- The kernels -----------------------------------------------------------
 */

static inline void put(dpr_native_item at, int value, int *out)
{
	out[at.global_id[0]] = value;
}
DPR_NATIVE_ITEMS(put_kernel, put, DPR_NATIVE_VALUE(int),
		 DPR_NATIVE_POINTER(int))

static inline void look(dpr_native_item at, const int *in, int *out)
{
	out[at.global_id[0]] = in[0];
}
DPR_NATIVE_ITEMS(look_kernel, look, DPR_NATIVE_POINTER(const int),
		 DPR_NATIVE_POINTER(int))

static const dpr_native_kernel kernels[] = {
	DPR_NATIVE_ENTRY("put", put_kernel),
	DPR_NATIVE_ENTRY("look", look_kernel),
};
static const dpr_native_module module = DPR_NATIVE_MODULE(kernels);

static const char text[] =
	"kernel void put(int value, global int *out)\n"
	"{ out[get_global_id(0)] = value; }\n"
	"kernel void look(global const int *in, global int *out)\n"
	"{ out[get_global_id(0)] = in[0]; }\n";

static dpr_kernel *put_it, *look_at;

/* Where a test runs. */
static const struct place {
	const char *cpu;
	bool text; /* build OpenCL C alone */
} places[] = { { "host:cpu", false },
	       { "opencl:cpu", false },
	       { "opencl:cpu", true } };
#define N_PLACES (int)(sizeof(places) / sizeof(*places))

/* Build the kernels for the CPU of a backend. */
static void start(const struct place *place, const char *layers)
{
	const dpr_image images[] = {
		DPR_NATIVE_IMAGE(module),
		{ "opencl-c", NULL, text, sizeof(text) - 1 },
	};
	dpr_program *program;

	setenv("DPR_LAYERS", layers, 1);
	dpr_log_set(DPR_LOG_ERROR, sink, NULL);
	CHECK_OK(dpr_device_select(place->cpu, &test_device));
	test_queue = queue_of(test_device);
	CHECK_OK(dpr_program_build(test_queue,
				   place->text ? images + 1 : images,
				   place->text ? 1 : 2, NULL, &program));
	CHECK_OK(dpr_kernel_create(program, "put", &put_it));
	CHECK_OK(dpr_kernel_create(program, "look", &look_at));
	dpr_program_release(program);
}

static void finish(void)
{
	dpr_kernel_release(put_it);
	dpr_kernel_release(look_at);
	CHECK_OK(dpr_finalize());
}

/* Write @n ints from the byte @offset on, in groups of one so that any number
   of them will do. */
static void launch_put(dpr_queue *queue, dpr_usm *usm, size_t offset,
		       uint64_t n, const dpr_events *after, dpr_event **done)
{
	const dpr_arg args[] = { DPR_ARG((int32_t)7),
				 DPR_USM_WRITE(usm, offset) };

	CHECK_OK(dpr_kernel_launch_usm(queue, put_it, DPR_RANGE1(n), after,
				       done, args, 2));
}

/* --- Tests ---------------------------------------------------------------- */

/* At most five findings are written in full, so each test has few.  @usm has
   room for @n ints. */
static void write_past(dpr_usm *usm, uint64_t n)
{
	const size_t last = (size_t)(n - 1) * 4;
	char expected[200];

	launch_put(test_queue, usm, last, 1, NULL, NULL);
	CHECK_OK(dpr_queue_wait(test_queue));
	CHECK_NOTHING();
	launch_put(test_queue, usm, last, 2, NULL, NULL);
	CHECK_OK(dpr_queue_wait(test_queue));
	snprintf(expected, sizeof(expected),
		 "queue->launch: got: kernel put (argument 1) has written up "
		 "to 4 bytes past the end of an allocation of %zu bytes; "
		 "expected: writes within the allocation [program]",
		 (size_t)n * 4);
	CHECK_FOUND(expected);
	/* A finding is reported once. */
	launch_put(test_queue, usm, last, 1, NULL, NULL);
	CHECK_OK(dpr_queue_wait(test_queue));
	CHECK_NOTHING();
	dpr_usm_release(usm);
	CHECK_NOTHING();
}

/* Allocations in small and large slabs, and with memory of their own. */
START_TEST(past_the_end)
{
	dpr_usm *usm;

	start(&places[_i], "check");
	write_past(new_usm(test_queue, DPR_USM_DEVICE, 99 * 4), 99);
	write_past(new_usm(test_queue, DPR_USM_HOST, 127 * 4), 127);
	write_past(new_usm(test_queue, DPR_USM_SHARED, 3145727 * 4), 3145727);
	CHECK_OK(dpr_usm_alloc_aligned(test_queue, DPR_USM_DEVICE, 4096, 4096,
				       &usm));
	write_past(usm, 1024);
	CHECK_OK(dpr_driver_alloc(test_queue, DPR_USM_DEVICE, 4, 0, &usm));
	write_past(usm, 1);
	finish();
}
END_TEST

/* A range that was padded, of a kernel that does not check its bounds. */
START_TEST(far_past_the_end)
{
	dpr_usm *usm;

	start(&places[_i], "check");
	usm = new_usm(test_queue, DPR_USM_DEVICE, 10 * 4);
	launch_put(test_queue, usm, 0, 40, NULL, NULL);
	CHECK_OK(dpr_queue_wait(test_queue));
	CHECK_FOUND("up to 120 bytes past");
	/* As many bytes as a guard has. */
	launch_put(test_queue, usm, 0, 10 + 128, NULL, NULL);
	CHECK_OK(dpr_queue_wait(test_queue));
	CHECK_FOUND("up to 512 bytes or more past");
	dpr_usm_release(usm);
	CHECK_NOTHING();
	finish();
}
END_TEST

/* Memory that is given out again has a guard behind its new size. */
START_TEST(given_out_again)
{
	uint64_t n;

	start(&places[_i], "check");
	for (n = 1024; n; n /= 4) {
		dpr_usm *usm = new_usm(test_queue, DPR_USM_DEVICE, n * 4);

		launch_put(test_queue, usm, 0, n, NULL, NULL);
		launch_put(test_queue, usm, (n - 1) * 4, 1, NULL, NULL);
		CHECK_OK(dpr_queue_wait(test_queue));
		CHECK_NOTHING();
		if (n < 256) {
			launch_put(test_queue, usm, (n - 1) * 4, 2, NULL, NULL);
			CHECK_OK(dpr_queue_wait(test_queue));
			CHECK_FOUND("kernel put (argument 1)");
		}
		dpr_usm_release(usm);
	}
	CHECK_NOTHING();
	finish();
}
END_TEST

/* The memory may be released before the launch is over.  Later owners are not
   blamed. */
START_TEST(released_early)
{
	dpr_event *done;
	dpr_usm *usm;

	start(&places[_i], "check");
	usm = new_usm(test_queue, DPR_USM_DEVICE, 10 * 4);
	launch_put(test_queue, usm, 0, 11, NULL, &done);
	dpr_usm_release(usm);
	usm = new_usm(test_queue, DPR_USM_DEVICE, 9 * 4);
	launch_put(test_queue, usm, 0, 9, NULL, NULL);
	/* A wait for the event is enough. */
	CHECK_OK(dpr_event_wait(done));
	CHECK_FOUND("kernel put (argument 1) has written up to 4 bytes past "
		    "the end of an allocation of 40 bytes");
	dpr_event_release(done);
	dpr_usm_release(usm);
	CHECK_OK(dpr_queue_wait(test_queue));
	CHECK_NOTHING();
	finish();
}
END_TEST

/* Memory that waits for a look is limited: a program that allocates anew for
   each launch does not need more and more. */
START_TEST(much_released)
{
	enum { N = 1 << 18 };
	dpr_pool_stats stats = { .struct_size = sizeof(stats) };
	int i;

	start(&places[_i], "check");
	for (i = 0; i < 1000; i++) {
		dpr_usm *usm = new_usm(test_queue, DPR_USM_DEVICE, N * 4);

		launch_put(test_queue, usm, 0, N, NULL, NULL);
		dpr_usm_release(usm);
	}
	CHECK_OK(dpr_queue_wait(test_queue));
	CHECK_OK(dpr_pool_get_stats(test_device, DPR_USM_DEVICE, &stats));
	ck_assert_uint_lt(stats.peak_held, (uint64_t)128 << 20);
	CHECK_NOTHING();
	finish();
}
END_TEST

/* Launch six kernels, the second of which writes past the end. */
static void launch_six(dpr_queue *queue)
{
	dpr_usm *usm = new_usm(queue, DPR_USM_DEVICE, 10 * 4);
	const dpr_arg args[] = { DPR_USM_READ(usm, 0), DPR_USM_WRITE(usm, 0) };
	int i;

	launch_put(queue, usm, 0, 10, NULL, NULL);
	CHECK_OK(dpr_kernel_launch_usm(queue, look_at, DPR_RANGE1(11), NULL,
				       NULL, args, 2));
	for (i = 0; i < 4; i++)
		launch_put(queue, usm, 0, 10, NULL, NULL);
	CHECK_OK(dpr_queue_wait(queue));
	dpr_usm_release(usm);
}

/* Launches that are looked at together are named together.  How many these are
   depends on how fast the device is. */
START_TEST(several_launches)
{
	dpr_queue *queue;

	start(&places[_i], "check");
	launch_six(test_queue);
	CHECK_FOUND("look (argument 0 or a later one)");
	CHECK_OK(dpr_queue_create(test_device, DPR_QUEUE_OUT_OF_ORDER, &queue));
	launch_six(queue);
	CHECK_FOUND("look (argument 0 or a later one)");
	dpr_queue_release(queue);
	finish();
}
END_TEST

/* With the layer sync each launch is looked at before the next. */
START_TEST(one_by_one)
{
	start(&places[_i], "check,sync");
	launch_six(test_queue);
	CHECK_FOUND("got: kernel look (argument 0 or a later one) has");
	finish();
}
END_TEST

/* Writes by the host behind an allocation are found when the memory is
   released. */
START_TEST(by_the_host)
{
	dpr_usm *usm;

	start(&places[_i], "check");
	usm = new_usm(test_queue, DPR_USM_HOST, 100);
	memset(dpr_usm_address(usm), 1, 101);
	dpr_usm_release(usm);
	CHECK_FOUND("mem->free: got: something that is no launch with it as an "
		    "argument has written up to 1 byte past the end of an "
		    "allocation of 100 bytes");
	finish();
}
END_TEST

/* Memory without an address is left alone. */
START_TEST(buffers)
{
	dpr_usm *usm;

	setenv("DPR_OPTION_OPENCL_MEMORY", "buffer", 1);
	start(&places[1], "check");
	usm = new_usm(test_queue, DPR_USM_DEVICE, 100 * 4);
	ck_assert_ptr_null(dpr_usm_address(usm));
	launch_put(test_queue, usm, 0, 100, NULL, NULL);
	CHECK_OK(dpr_queue_wait(test_queue));
	dpr_usm_release(usm);
	CHECK_NOTHING();
	finish();
}
END_TEST

/* A launch that the core holds, since it waits for another backend. */
START_TEST(held)
{
	dpr_event *gate;
	dpr_usm *usm;

	use_mock_devices();
	start(&places[_i], "check");
	mock = control_of("mock");
	CHECK_OK(dpr_canonical_queue("mock", &q1));
	mock->delay(50 * MS);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &gate));
	usm = new_usm(test_queue, DPR_USM_DEVICE, 10 * 4);
	launch_put(test_queue, usm, 0, 11, DPR_AFTER(gate), NULL);
	CHECK_NOTHING();
	CHECK_OK(dpr_queue_wait(test_queue));
	CHECK_FOUND("kernel put (argument 1)");
	mock->delay(0);
	dpr_event_release(gate);
	dpr_usm_release(usm);
	finish();
}
END_TEST

/* A launch that the driver refuses is not blamed for what came before. */
START_TEST(refused)
{
	dpr_kernel *kernel;
	dpr_usm *usm;
	dpr_arg args[2];
	char *behind;

	setenv("DPR_OPTION_MOCK_HOST_MEMORY", "1", 1);
	setenv("DPR_LAYERS", "check", 1);
	dpr_log_set(DPR_LOG_ERROR, sink, NULL);
	start_mocks();
	test_queue = q1;
	kernel = mock_kernel(q1, "add_one");
	usm = new_ints(q1, 10, 0);
	CHECK_OK(dpr_queue_wait(q1));
	behind = (char *)dpr_usm_address(usm) + 10 * sizeof(int);
	*behind ^= 1;
	mock->fail(MOCK_queue_launch, 1, 1, DPR_RC_NATIVE, -7);
	args[0] = DPR_USM_READ_WRITE(usm, 0);
	args[1] = DPR_ARG((uint64_t)10);
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_kernel_launch_usm(q1, kernel, DPR_RANGE1(10), NULL,
					  NULL, args, 2));
	CHECK_OK(dpr_queue_wait(q1));
	CHECK_NOTHING();
	dpr_usm_release(usm);
	CHECK_FOUND("something that is no launch");
	dpr_kernel_release(kernel);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* --- Array functions -------------------------------------------------------
 */

static dpr_array *ones(int64_t rows, int64_t columns, dpr_dtype dtype)
{
	dpr_array *x;

	CHECK_OK(dpr_ones(DPR_SHAPE(rows, columns), dtype, test_queue, &x));
	return x;
}

/* Call array functions that allocate memory, and release their results. */
static void call_functions(int64_t rows, int64_t columns, dpr_dtype dtype)
{
	dpr_array *x = ones(rows, columns, dtype), *out[8] = { NULL };
	dpr_array *y = ones(rows, columns, DPR_INT8), *transposed;
	size_t i;

	CHECK_OK(dpr_matrix_transpose(x, &transposed));
	CHECK_OK(dpr_add(x, x, &out[0]));
	CHECK_OK(dpr_copy(transposed, &out[1]));
	CHECK_OK(dpr_sum(x, NULL, &out[2]));
	CHECK_OK(dpr_sum(x, DPR_AXES(0), &out[3]));
	CHECK_OK(dpr_astype(x, DPR_FLOAT64, &out[4]));
	CHECK_OK(dpr_equal(x, y, &out[5]));
	CHECK_OK(dpr_evaluate("x*x + y - sum(x, axis=1, keepdims=True)", NULL,
			      &out[6], "x", x, "y", y));
	CHECK_OK(dpr_add_into(x, 1, x));
	for (i = 0; i < 8; i++)
		dpr_array_release(out[i]);
	dpr_array_release(transposed);
	dpr_array_release(x);
	dpr_array_release(y);
}

START_TEST(array_functions)
{
	static const dpr_dtype dtypes[] = { DPR_INT8, DPR_FLOAT32, DPR_INT64,
					    DPR_FLOAT16 };
	static const int64_t lengths[] = { 1,   2,   3,   7,    16,  31,
					   63,  64,  65,  127,  128, 255,
					   257, 511, 513, 1000, 4099 };
	size_t i, k;

	start(&places[_i], "check");
	for (k = 0; k < sizeof(dtypes) / sizeof(*dtypes); k++)
		for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
			call_functions(1, lengths[i], dtypes[k]);
			call_functions(lengths[i], 3, dtypes[k]);
		}
	CHECK_OK(dpr_queue_wait(test_queue));
	CHECK_NOTHING();
	finish();
}
END_TEST

/* --- Running ---------------------------------------------------------------
 */

/* Whether there is this CPU.  Asked in another process: drivers do not survive
   fork(). */
static bool has_cpu(const char *selector)
{
	pid_t child = fork();
	int how;

	if (!child)
		_exit(dpr_device_select(selector, &test_device) != DPR_OK);
	return child > 0 && waitpid(child, &how, 0) == child &&
	       WIFEXITED(how) && !WEXITSTATUS(how);
}

int main(void)
{
	const bool has[] = { has_cpu("host:cpu"), has_cpu("opencl:cpu") };
	const int first = !has[0], end = has[1] ? N_PLACES : 1;
	TCase *tests = tcase_create("guards");
	Suite *suite = suite_create("guard");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, past_the_end, first, end);
	tcase_add_loop_test(tests, far_past_the_end, first, end);
	tcase_add_loop_test(tests, given_out_again, first, end);
	tcase_add_loop_test(tests, released_early, first, end);
	tcase_add_loop_test(tests, much_released, first, end);
	tcase_add_loop_test(tests, several_launches, first, end);
	tcase_add_loop_test(tests, one_by_one, first, end);
	tcase_add_loop_test(tests, held, first, end);
	tcase_add_test(tests, refused);
	tcase_add_loop_test(tests, by_the_host, first, end < 2 ? end : 2);
	tcase_add_loop_test(tests, array_functions, first, end < 2 ? end : 2);
	if (has[1])
		tcase_add_test(tests, buffers);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
