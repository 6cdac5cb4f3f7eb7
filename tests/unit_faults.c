/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_faults.c - all that makes something, with each allocation of host memory
 * failing once, each from some point on, each call of the driver failing once,
 * and each command.  The status says so or it went well, and then the result is
 * right; nothing is left behind, and the next try works.
 */
#include "tests/runtime_test.h"

#include "core/base/mem.h"

/* More than any of the attempts needs. */
#define MOST 400

static dpr_queue *other; /* of the same device */
static dpr_device *part;
static dpr_array *matrix; /* (6, 7) of int32: 0, 1, ... */
static dpr_array *turned; /* its transpose */
static dpr_array *far;    /* the same in the other backend */
static dpr_array *large;  /* 300000 of int32: 0, 1, ... */
static dpr_usm *usm;      /* 4096 bytes, 7 */
static dpr_event *event;  /* complete */
static dpr_program *program;
static int tries;

/* --- Attempts --------------------------------------------------------------
 */

/* An output and its status belong together. */
#define MADE(status, out)                                               \
	ck_assert_msg(!(status) == ((out) != NULL), "%s but out is %p", \
		      dpr_status_name(status), (const void *)(out))

/* Releases @x, whose elements in C order have to be first + step * i. */
static dpr_status steps(dpr_status status, dpr_array *const *x, int64_t first,
			int64_t step)
{
	static int32_t have[300000];
	int64_t i;

	MADE(status, *x);
	if (!status) {
		ck_assert_int_le(dpr_array_size(*x), 300000);
		status = dpr_array_to_memory(*x, have, NULL);
	}
	for (i = 0; !status && i < dpr_array_size(*x); i++)
		ck_assert_int_eq(have[i], first + step * i);
	dpr_array_release(*x);
	return status;
}

/* The same for one number. */
static dpr_status number(dpr_status status, dpr_array *const *x, int64_t want)
{
	dpr_operand value;

	MADE(status, *x);
	if (!status)
		status = dpr_array_item(*x, &value);
	if (!status)
		ck_assert_int_eq(value.as.i, want);
	dpr_array_release(*x);
	return status;
}

static dpr_status finish(dpr_status status, dpr_event *done)
{
	MADE(status, done);
	if (!status)
		status = dpr_event_wait(done, DPR_FOREVER);
	dpr_event_release(done);
	return status;
}

static dpr_status try_select(void)
{
	dpr_device *device;
	dpr_status status = dpr_device_select("gpu,mock:cpu+fp64", &device);

	MADE(status, device);
	return status;
}

static dpr_status try_enumerate(void)
{
	dpr_device *list[8];
	size_t n;

	return dpr_device_enumerate("mock,mock2", list, 8, &n);
}

static dpr_status try_explain(void)
{
	char *text;
	dpr_status status = dpr_device_explain("cuda:gpu,mock", &text);

	MADE(status, text);
	dpr_free(text);
	return status;
}

static dpr_status try_info(void)
{
	char list[1024];
	size_t need;

	return dpr_device_info(dpr_queue_device(q1), DPR_INFO_FORMATS, list,
			       sizeof(list), &need);
}

static dpr_status try_partition(void)
{
	uint64_t counts[] = { 1, 2 };
	dpr_device *list[2];
	dpr_queue *queue;
	dpr_status status;
	size_t n;

	status = dpr_device_partition_counts(dpr_queue_device(q1), counts, 2,
					     list, 2, &n);
	if (status)
		return status;
	ck_assert_uint_eq(n, 2);
	status = dpr_device_queue(list[1], &queue);
	MADE(status, queue);
	return status;
}

static dpr_status try_queue(void)
{
	dpr_queue *queue;
	dpr_status status;

	status = dpr_queue_create(dpr_queue_device(q1), DPR_QUEUE_OUT_OF_ORDER,
				  &queue);
	MADE(status, queue);
	if (!status)
		status =
			dpr_usm_fill(queue, usm, 0, 4, "\7\0\0", 4, NULL, NULL);
	if (!status)
		status = dpr_queue_wait(queue);
	dpr_queue_release(queue);
	return status;
}

static dpr_status try_barrier(void)
{
	dpr_event *done;
	dpr_status status = dpr_queue_barrier(q1, DPR_AFTER(event), &done);

	return finish(status, done);
}

static void count_call(dpr_event *done, dpr_status status, void *user)
{
	(void)done;
	(void)status;
	__atomic_add_fetch((int *)user, 1, __ATOMIC_RELEASE);
}

/* It is called once if it was accepted. */
static dpr_status try_callback(void)
{
	static int called, wanted;
	dpr_event *done;
	dpr_status status = dpr_queue_barrier(other, NULL, &done);

	if (!status)
		status = dpr_event_on_complete(done, count_call, &called);
	wanted += !status;
	EVENTUALLY(__atomic_load_n(&called, __ATOMIC_ACQUIRE) == wanted);
	if (!status)
		status = dpr_event_wait(done, DPR_FOREVER);
	dpr_event_release(done);
	return status;
}

/* Held in the core until the other backend is done. */
static dpr_status try_held(void)
{
	dpr_event *gate, *done = NULL;
	dpr_status status;

	mock2->delay(MS);
	status = dpr_queue_barrier(q2, NULL, &gate);
	MADE(status, gate);
	if (!status)
		status = dpr_usm_fill(q1, usm, 0, 4, "\7\0\0", 4,
				      DPR_AFTER(gate), &done);
	mock2->delay(0);
	dpr_event_release(gate);
	return status ? status : finish(status, done);
}

static dpr_status try_usm(void)
{
	static const dpr_usm_kind kinds[] = { DPR_USM_DEVICE, DPR_USM_SHARED,
					      DPR_USM_HOST };
	dpr_status status = DPR_OK;
	dpr_usm *made;

	for (int i = 0; i < 3 && !status; i++) {
		status = dpr_usm_alloc(q1, kinds[i], 100000, &made);
		MADE(status, made);
		dpr_usm_release(made);
	}
	return status;
}

static dpr_status try_host_memory(void)
{
	int32_t value = 7, back = 0;
	dpr_status status;

	status = dpr_usm_write(q1, usm, 8, &value, 4, NULL, NULL);
	if (!status)
		status = dpr_usm_read(q1, &back, usm, 8, 4, NULL, NULL);
	if (!status)
		ck_assert_int_eq(back, 7);
	return status;
}

static dpr_status try_usm_copy(void)
{
	dpr_event *done;
	dpr_status status;

	status = dpr_usm_copy(q1, usm, 0, usm, 2048, 1000, NULL, &done);
	return finish(status, done);
}

static dpr_status try_prefetch(void)
{
	dpr_event *done;
	dpr_status status = dpr_usm_prefetch(q1, usm, 0, 64, NULL, &done);

	return finish(status, done);
}

static dpr_status try_program(void)
{
	dpr_program *made;
	dpr_status status;
	char text[80];
	size_t size;

	/* One that nobody has built before. */
	snprintf(text, sizeof(text), "/* %d */ kernel void copy(int *a);",
		 tries);
	status = dpr_program_from_source(q1, text, "-DX=1", &made);
	MADE(status, made);
	if (!status)
		status = dpr_program_binary(made, NULL, 0, &size);
	dpr_program_release(made);
	return status;
}

static dpr_status launch(dpr_status status, dpr_kernel *kernel)
{
	dpr_arg args[2] = { DPR_USM_READ_WRITE(usm, 0), DPR_ARG((uint64_t)1) };
	dpr_event *done;

	MADE(status, kernel);
	if (status)
		return status;
	status = dpr_kernel_launch_usm(q1, kernel, DPR_RANGE1(1), NULL, &done,
				       args, 2);
	dpr_kernel_release(kernel);
	return finish(status, done);
}

static dpr_status try_kernel(void)
{
	dpr_kernel *kernel;
	dpr_status status = dpr_kernel_create(program, "add_one", &kernel);

	return launch(status, kernel);
}

static dpr_status try_source(void)
{
	dpr_kernel *kernel;
	dpr_status status;
	char text[80];

	snprintf(text, sizeof(text), "/* %d */ kernel void add_one(int *a);",
		 tries);
	status = dpr_kernel_from_source(q1, text, "add_one", &kernel);
	return launch(status, kernel);
}

static dpr_status try_full(void)
{
	dpr_array *x;
	dpr_status status;

	status = dpr_full(DPR_SHAPE(3, 4), 5, DPR_INT32, q1, &x);
	return steps(status, &x, 5, 0);
}

static dpr_status try_arange(void)
{
	dpr_array *x;
	dpr_status status = dpr_arange(2, 20, 3, DPR_INT32, q1, &x);

	return steps(status, &x, 2, 3);
}

static dpr_status try_eye(void)
{
	dpr_array *x;
	dpr_status status = dpr_eye(1, 1, 0, DPR_INT32, q1, &x);

	return steps(status, &x, 1, 0);
}

/* To and from memory with gaps. */
static dpr_status try_memory(void)
{
	static int32_t from[40], to[60];
	const int64_t gaps[] = { 2 }, wide[] = { 3 };
	dpr_status status;
	dpr_array *x;

	for (int i = 0; i < 40; i++)
		from[i] = i;
	status = dpr_array_from_memory(from, DPR_SHAPE(20), gaps, DPR_INT32, q1,
				       &x);
	MADE(status, x);
	if (!status)
		status = dpr_array_to_memory(x, to, wide);
	if (!status)
		ck_assert_int_eq(to[57], 38);
	dpr_array_release(x);
	return status;
}

static dpr_status try_over(void)
{
	dpr_array *x;
	dpr_status status;

	status = dpr_array_over(dpr_array_usm(matrix), 3, DPR_SHAPE(5), NULL,
				DPR_INT32, &x);
	return steps(status, &x, 3, 1);
}

static dpr_status try_view(void)
{
	dpr_array *x;
	dpr_status status = dpr_array_view(matrix, &x, DPR_AT(2), DPR_ALL);

	return steps(status, &x, 14, 1);
}

static dpr_status try_reshape(void)
{
	dpr_array *x, *y = NULL;
	dpr_status status = dpr_reshape(turned, DPR_SHAPE(7, 6), &x);

	MADE(status, x);
	if (!status)
		status = dpr_permute_dims(matrix, NULL, &y);
	dpr_array_release(x);
	dpr_array_release(y);
	return status;
}

static dpr_status try_copy(void)
{
	dpr_array *x, *y = NULL;
	dpr_status status = dpr_copy(turned, &x);

	MADE(status, x);
	if (!status)
		status = dpr_matrix_transpose(x, &y);
	dpr_array_release(x);
	return status ? status : steps(status, &y, 0, 1);
}

static dpr_status try_astype(void)
{
	dpr_array *x, *y = NULL;
	dpr_status status = dpr_astype(matrix, DPR_FLOAT32, &x);

	MADE(status, x);
	if (!status)
		status = dpr_astype(x, DPR_INT32, &y);
	dpr_array_release(x);
	return status ? status : steps(status, &y, 0, 1);
}

static dpr_status try_concat(void)
{
	const dpr_array *list[] = { matrix, matrix };
	dpr_array *x, *y = NULL;
	dpr_status status = dpr_concat(list, 2, 0, &x);

	MADE(status, x);
	if (!status)
		status = dpr_array_view(x, &y, DPR_SLICE(6, 12, 1));
	dpr_array_release(x);
	return status ? status : steps(status, &y, 0, 1);
}

/* Overlapping: through a temporary. */
static dpr_status try_copy_into(void)
{
	dpr_array *x = NULL, *from = NULL, *to = NULL;
	dpr_status status = dpr_arange(0, 100, 1, DPR_INT32, q1, &x);

	if (!status)
		status = dpr_array_view(x, &from, DPR_SLICE(0, 99, 1));
	if (!status)
		status = dpr_array_view(x, &to, DPR_SLICE(1, 100, 1));
	if (!status)
		status = dpr_copy_into(to, from);
	dpr_array_release(from);
	dpr_array_release(x);
	if (status) {
		dpr_array_release(to);
		return status;
	}
	return steps(status, &to, 0, 1);
}

static dpr_status try_add(void)
{
	dpr_array *x;
	dpr_status status = dpr_add(matrix, matrix, &x);

	return steps(status, &x, 0, 2);
}

/* Broadcast, of two dtypes, into an array. */
static dpr_status try_add_into(void)
{
	dpr_array *row, *x = NULL;
	dpr_status status = dpr_ones(DPR_SHAPE(7), DPR_INT8, q1, &row);

	if (!status)
		status = dpr_empty_like(matrix, DPR_INT32, &x);
	if (!status)
		status = dpr_add_into(matrix, row, x);
	dpr_array_release(row);
	if (status) {
		dpr_array_release(x);
		return status;
	}
	return steps(status, &x, 1, 1);
}

static dpr_status try_where(void)
{
	dpr_array *is, *x = NULL;
	dpr_status status = dpr_greater_equal(matrix, 0, &is);

	MADE(status, is);
	if (!status)
		status = dpr_where(is, matrix, -1, &x);
	dpr_array_release(is);
	return status ? status : steps(status, &x, 0, 1);
}

static dpr_status try_sum(void)
{
	dpr_array *x;
	dpr_status status = dpr_sum(large, NULL, &x);

	return number(status, &x, INT64_C(300000) * 299999 / 2);
}

/* Along one axis, of what is not contiguous. */
static dpr_status try_max(void)
{
	dpr_array *x;
	dpr_status status = dpr_max(turned, DPR_AXES(0), &x);

	return steps(status, &x, 6, 7);
}

static dpr_status try_mean(void)
{
	dpr_operand value;
	dpr_array *x;
	dpr_status status = dpr_mean(matrix, NULL, &x);

	MADE(status, x);
	if (!status)
		status = dpr_array_item(x, &value);
	if (!status)
		ck_assert(value.as.f > 20.4 && value.as.f < 20.6);
	dpr_array_release(x);
	return status;
}

static dpr_status try_to_device(void)
{
	dpr_array *x;
	dpr_status status;

	status = dpr_array_to_device(turned, dpr_queue_device(q2), &x);
	MADE(status, x);
	dpr_array_release(x);
	if (status)
		return status;
	status = dpr_array_to_device(far, dpr_queue_device(q1), &x);
	return steps(status, &x, 0, 1);
}

/* By the ring: in more than one piece. */
static dpr_status try_large(void)
{
	dpr_array *x;
	dpr_status status;

	status = dpr_array_to_device(large, dpr_queue_device(q2), &x);
	return steps(status, &x, 0, 1);
}

static dpr_status try_to_part(void)
{
	dpr_array *x;
	dpr_status status = dpr_array_to_device(matrix, part, &x);

	return steps(status, &x, 0, 1);
}

static dpr_status try_to_queue(void)
{
	dpr_array *x;
	dpr_status status = dpr_array_to_queue(matrix, other, &x);

	return steps(status, &x, 0, 1);
}

static dpr_status try_format(void)
{
	char *text;
	dpr_status status = dpr_array_format(turned, NULL, &text);

	MADE(status, text);
	if (!status)
		ck_assert_ptr_nonnull(strstr(text, "[ 6, 13, 20")
					      ? text
					      : strstr(text, "[ 6 13 20"));
	dpr_free(text);
	return status;
}

static dpr_status try_print(void)
{
	FILE *nowhere = fopen("/dev/null", "w");
	dpr_status status = dpr_array_print(far, nowhere);

	fclose(nowhere);
	return status;
}

/* A refusal stays one, whether or not there is memory for its text. */
static dpr_status try_refusal(void)
{
	dpr_array *x;
	dpr_status status = dpr_add(matrix, far, &x);

	ck_assert_ptr_null(x);
	ck_assert_int_eq(status, DPR_ERROR_EXECUTION_PLACEMENT);
	return DPR_OK;
}

static const struct attempt {
	const char *name;
	dpr_status (*run)(void);
} attempts[] = {
	{ "select", try_select },
	{ "enumerate", try_enumerate },
	{ "explain", try_explain },
	{ "info", try_info },
	{ "partition", try_partition },
	{ "queue", try_queue },
	{ "barrier", try_barrier },
	{ "callback", try_callback },
	{ "held", try_held },
	{ "usm", try_usm },
	{ "memory", try_host_memory },
	{ "usm copy", try_usm_copy },
	{ "prefetch", try_prefetch },
	{ "program", try_program },
	{ "kernel", try_kernel },
	{ "source", try_source },
	{ "full", try_full },
	{ "arange", try_arange },
	{ "eye", try_eye },
	{ "strided", try_memory },
	{ "over", try_over },
	{ "view", try_view },
	{ "reshape", try_reshape },
	{ "copy", try_copy },
	{ "astype", try_astype },
	{ "concat", try_concat },
	{ "copy into", try_copy_into },
	{ "add", try_add },
	{ "add into", try_add_into },
	{ "where", try_where },
	{ "sum", try_sum },
	{ "max", try_max },
	{ "mean", try_mean },
	{ "to device", try_to_device },
	{ "large", try_large },
	{ "to part", try_to_part },
	{ "to queue", try_to_queue },
	{ "format", try_format },
	{ "print", try_print },
	{ "refusal", try_refusal },
};
#define N_ATTEMPTS ((int)(sizeof(attempts) / sizeof(*attempts)))

/* --- Around an attempt -----------------------------------------------------
 */

static void set_up(void)
{
	static const char formats[] = DPRP_NATIVE_FORMAT ",opencl-c,mock";
	static const char source[] = "kernel void add_one(int *x, ulong n);";
	size_t n;

	setenv("DPR_OPTION_MOCK_FORMATS", formats, 1);
	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
	setenv("DPR_OPTION_MOCK2_FORMATS", formats, 1);
	setenv("DPR_OPTION_MOCK2_TYPE", "cpu", 1);
	start_mocks();
	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &other));
	CHECK_OK(dpr_device_partition_equally(dpr_queue_device(q1), 2, &part, 1,
					      &n));
	CHECK_OK(dpr_arange(0, 300000, 1, DPR_INT32, q1, &large));
	CHECK_OK(dpr_arange(0, 42, 1, DPR_INT32, q1, &matrix));
	CHECK_OK(dpr_reshape(matrix, DPR_SHAPE(6, 7), &turned));
	dpr_array_release(matrix);
	matrix = turned;
	CHECK_OK(dpr_matrix_transpose(matrix, &turned));
	CHECK_OK(dpr_array_to_device(matrix, dpr_queue_device(q2), &far));
	usm = new_ints(q1, 1024, 7);
	CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
	CHECK_OK(dpr_event_wait(event, DPR_FOREVER));
	CHECK_OK(dpr_program_from_source(q1, source, NULL, &program));
}

static void tear_down(void)
{
	dpr_array_release(large);
	dpr_array_release(matrix);
	dpr_array_release(turned);
	dpr_array_release(far);
	dpr_usm_release(usm);
	dpr_event_release(event);
	dpr_program_release(program);
	dpr_queue_release(other);
	CHECK_OK(dpr_finalize());
	for (int i = 0; i < MOCK_N_OBJECTS; i++) {
		ck_assert_uint_eq(mock->live((enum mock_object)i), 0);
		ck_assert_uint_eq(mock2->live((enum mock_object)i), 0);
	}
}

/* No fault any more; what has failed meanwhile is looked at. */
static void calm(void)
{
	dpr_queue *queues[4] = { q1, q2, other, NULL };
	int i, tries_left;

	mem_fault_clear();
	mock->reset();
	mock2->reset();
	CHECK_OK(dpr_device_queue(part, &queues[3]));
	for (i = 0; i < 4; i++) {
		for (tries_left = 20; tries_left; tries_left--)
			if (!dpr_queue_wait(queues[i]))
				break;
		ck_assert_msg(tries_left, "%s goes on failing: %s",
			      dpr_queue_name(queues[i]), dpr_last_error());
	}
	/* Whoever used it last is remembered: this does away with queues that
	   are gone. */
	CHECK_OK(dpr_usm_fill(q1, usm, 0, 4, "\7\0\0", 4, NULL, NULL));
	CHECK_OK(dpr_queue_wait(q1));
}

/* What the library counts as alive; it cannot end, since we hold something. */
static void alive(char text[200])
{
	CHECK_FAILS(DPR_ERROR_BUSY, dpr_finalize());
	snprintf(text, 200, "%s", dpr_last_error());
}

/* It works without a fault, twice: then nothing is built or loaded any more. */
static void warm_up(const struct attempt *attempt, char before[200])
{
	int i;

	for (i = 0; i < 2; i++) {
		tries++;
		CHECK_OK(attempt->run());
	}
	calm();
	alive(before);
}

static void check_after(const struct attempt *attempt, const char *before)
{
	char after[200];

	tries++;
	CHECK_OK(attempt->run());
	calm();
	alive(after);
	ck_assert_str_eq(after, before);
	tear_down();
}

static void check_status(const struct attempt *attempt, const char *what,
			 uint64_t n, dpr_status status)
{
	if (!status)
		return;
	ck_assert_msg(dpr_last_error()[0], "%s, %s %d: no text", attempt->name,
		      what, (int)n);
	ck_assert_msg(!strstr(dpr_last_error(), "(null)"), "%s",
		      dpr_last_error());
}

/* --- Host memory -----------------------------------------------------------
 */

static void memory_fails(const struct attempt *attempt,
			 void (*fault)(uint64_t n), const char *what)
{
	char before[200];
	dpr_status status;
	uint64_t n, used;

	warm_up(attempt, before);
	for (n = 0; n < MOST; n++) {
		tries++;
		used = mem_fault_count();
		fault(n);
		status = attempt->run();
		used = mem_fault_count() - used;
		check_status(attempt, what, n, status);
		ck_assert_msg(!status || status == DPR_ERROR_OUT_OF_MEMORY ||
				      status == DPR_ERROR_OUT_OF_DEVICE_MEMORY,
			      "%s, %s %d: %s: %s", attempt->name, what, (int)n,
			      dpr_status_name(status), dpr_last_error());
		calm();
		if (used <= n)
			break;
	}
	ck_assert_uint_lt(n, MOST);
	ck_assert_int_eq(status, DPR_OK);
	check_after(attempt, before);
}

START_TEST(an_allocation_fails)
{
	memory_fails(&attempts[_i], mem_fault_once, "only allocation");
}
END_TEST

START_TEST(allocations_fail)
{
	memory_fails(&attempts[_i], mem_fault_after, "allocations from");
}
END_TEST

/* --- The driver ------------------------------------------------------------
 */

/* Entry @e of @control fails at its @n-th call of an attempt; returns whether
   there was one. */
static int call_fails(const struct attempt *attempt,
		      const struct mock_control *control, int e, uint64_t n,
		      dprp_rc rc)
{
	dpr_status status;
	int met;

	tries++;
	control->fail((enum mock_entry)e, n, 1, rc, -77);
	status = attempt->run();
	met = control->calls((enum mock_entry)e) >= n;
	check_status(attempt, "call", n, status);
	calm();
	return met;
}

START_TEST(driver_calls_fail)
{
	static const dprp_rc codes[] = { DPR_RC_NATIVE, DPR_RC_OOM_DEVICE,
					 DPR_RC_OOM_HOST };
	const struct attempt *attempt = &attempts[_i];
	int e, i, small = getenv("DPR_TEST_SMALL") != NULL;
	char before[200];
	uint64_t n;

	warm_up(attempt, before);
	for (e = 0; e < MOCK_N_ENTRIES; e++)
		for (i = 0; i < (small ? 1 : 3); i++)
			for (n = 1; n < MOST; n++)
				if (!call_fails(attempt, mock, e, n, codes[i]))
					break;
	for (e = 0; e < MOCK_N_ENTRIES; e++)
		for (n = 1; n < MOST; n++)
			if (!call_fails(attempt, mock2, e, n, DPR_RC_NATIVE))
				break;
	check_after(attempt, before);
}
END_TEST

/* A command is accepted and fails later. */
static int command_fails(const struct attempt *attempt,
			 const struct mock_control *control, uint64_t n)
{
	struct mock_record records[64];
	uint64_t count, i;
	dpr_status status;
	int met = 0;

	tries++;
	control->fail_command(n, DPR_RC_NATIVE, -77);
	status = attempt->run();
	check_status(attempt, "command", n, status);
	/* Whoever ignores the events is told by the queues. */
	(void)!dpr_queue_wait(control == mock ? q1 : q2);
	count = control->history(records, 64);
	for (i = 0; i < count && i < 64; i++)
		met |= records[i].rc != DPR_RC_OK;
	calm();
	return met || count >= n;
}

START_TEST(commands_fail)
{
	const struct attempt *attempt = &attempts[_i];
	char before[200];
	uint64_t n;

	warm_up(attempt, before);
	for (n = 1; n < MOST; n++)
		if (!command_fails(attempt, mock, n))
			break;
	for (n = 1; n < MOST; n++)
		if (!command_fails(attempt, mock2, n))
			break;
	check_after(attempt, before);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("faults");
	TCase *tcase = tcase_create("faults");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, set_up, NULL);
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, an_allocation_fails, 0, N_ATTEMPTS);
	tcase_add_loop_test(tcase, allocations_fail, 0, N_ATTEMPTS);
	tcase_add_loop_test(tcase, driver_calls_fail, 0, N_ATTEMPTS);
	tcase_add_loop_test(tcase, commands_fail, 0, N_ATTEMPTS);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
