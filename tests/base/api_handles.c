/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layer "handles": each fault is planted for each kind of handle, and the
 * text names the calls.  Programs without a fault have no finding.
 */
#include "tests/support/runtime_test.h"

#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dpr/dlpack.h>
#include <dpr/expression.h>
#include <dpr/native.h>

/* --- The log ------------------------------------------------------------ */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char found[1 << 16]; /* lines of the layer */

static void sink(void *user, enum dpr_log_level level, const char *line)
{
	size_t used, n = strlen(line);

	(void)user;
	if (level > DPR_LOG_WARN || strncmp(line, "handles: ", 9) != 0)
		return;
	pthread_mutex_lock(&lock);
	used = strlen(found);
	if (used + n + 2 < sizeof(found)) {
		memcpy(found + used, line, n);
		memcpy(found + used + n, "\n", 2);
	}
	pthread_mutex_unlock(&lock);
}

/* Take the lines so far, which stay valid until the next call. */
static const char *take_found(void)
{
	static char taken[sizeof(found)];

	/* Delivers messages. */
	CHECK_OK(dpr_queue_flush(q1));
	pthread_mutex_lock(&lock);
	memcpy(taken, found, strlen(found) + 1);
	found[0] = 0;
	pthread_mutex_unlock(&lock);
	return taken;
}

/* The text @all must have @part. */
static void check_part(const char *all, const char *part)
{
	ck_assert_msg(strstr(all, part) != NULL, "no \"%s\" in: %s", part, all);
}

/* There must be one line, with these parts. */
static void check_line(const char *a, const char *b, const char *c)
{
	const char *all = take_found();

	check_part(all, a);
	check_part(all, b);
	check_part(all, c);
	ck_assert_ptr_eq(strchr(all, '\n'), strrchr(all, '\n'));
}

#define CHECK_NOTHING() ck_assert_str_eq(take_found(), "")

/* --- Handles of each kind ----------------------------------------------- */

static dpr_program *program; /* for kernels */

static void *make_program(void)
{
	dpr_image image = { "mock", NULL, "copy", 4 };
	dpr_program *made;

	CHECK_OK(dpr_program_from_images(q1, &image, 1, NULL, &made));
	return made;
}

static void start_with(const char *layers)
{
	setenv("DPR_LAYERS", layers, 1);
	/* The mock is a CPU here, so that it can run the array kernels. */
	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
	setenv("DPR_OPTION_MOCK_DLPACK", "12", 1);
	dpr_log_set(DPR_LOG_WARN, sink, NULL);
	start_mocks();
	program = make_program();
}

static void start(void)
{
	start_with("handles");
}

static void finish(void)
{
	dpr_program_release(program);
	CHECK_OK(dpr_finalize());
}

static void *make_queue(void)
{
	dpr_queue *queue;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), 0, &queue));
	return queue;
}

static void *make_event(void)
{
	dpr_event *event;

	CHECK_OK(dpr_queue_barrier(q1, NULL, &event));
	return event;
}

static void *make_usm(void)
{
	return new_usm(q1, DPR_USM_DEVICE, 64);
}

static void *make_kernel(void)
{
	dpr_kernel *kernel;

	CHECK_OK(dpr_kernel_create(program, "copy", &kernel));
	return kernel;
}

static void *make_array(void)
{
	dpr_array *x;

	CHECK_OK(dpr_ones(DPR_SHAPE(4), DPR_FLOAT32, q1, &x));
	return x;
}

static void *make_expression(void)
{
	dpr_expression *x;

	CHECK_OK(dpr_expression_create("x + 1", &x));
	return x;
}

static dpr_status use_queue(void *queue)
{
	return dpr_queue_wait(queue);
}

static dpr_status use_event(void *event)
{
	return dpr_event_wait(event);
}

static dpr_status use_usm(void *usm)
{
	return dpr_usm_wait(usm);
}

static dpr_status use_program(void *p)
{
	dpr_kernel *kernel;
	dpr_status status = dpr_kernel_create(p, "copy", &kernel);

	dpr_kernel_release(kernel);
	return status;
}

static dpr_status use_kernel(void *kernel)
{
	dpr_kernel_info info;

	return dpr_kernel_get_info(kernel, &info);
}

static dpr_status use_array(void *x)
{
	dpr_array *y;
	dpr_status status = dpr_add(1, (dpr_array *)x, &y);

	dpr_array_release(y);
	return status;
}

static dpr_status use_expression(void *x)
{
	dpr_array *one = make_array(), *y;
	dpr_binding binding = { "x", DPR_OPERAND(one) };
	dpr_status status = dpr_expression_apply(x, &binding, 1, q1, &y, 1);

	dpr_array_release(y);
	dpr_array_release(one);
	return status;
}

/* Whether a getter answers as for NULL. */
#define IS_NULL(T, answer)               \
	static bool is_null_##T(void *x) \
	{                                \
		return answer;           \
	}
IS_NULL(queue, !dpr_queue_device(x))
IS_NULL(event, dpr_event_name(x)[0] == 0)
IS_NULL(usm, !dpr_usm_size(x))
IS_NULL(program, !dpr_program_device(x))
IS_NULL(kernel, dpr_kernel_name(x)[0] == 0)
IS_NULL(array, !dpr_array_size(x))
IS_NULL(expression, !dpr_expression_operands(x, NULL))

#define RETAIN_AND_RELEASE(T)                          \
	static void *retain_##T(void *x)               \
	{                                              \
		return dpr_##T##_retain((dpr_##T *)x); \
	}                                              \
	static void release_##T(void *x)               \
	{                                              \
		dpr_##T##_release((dpr_##T *)x);       \
	}
RETAIN_AND_RELEASE(queue)
RETAIN_AND_RELEASE(event)
RETAIN_AND_RELEASE(usm)
RETAIN_AND_RELEASE(program)
RETAIN_AND_RELEASE(kernel)
RETAIN_AND_RELEASE(array)
RETAIN_AND_RELEASE(expression)

static const struct kind {
	const char *name, *maker, *user, *getter;
	void *(*make)(void);
	dpr_status (*use)(void *x);
	bool (*is_null)(void *x);
	void *(*retain)(void *x);
	void (*release)(void *x);
	/* dpr_finalize() is refused as long as there is one */
	bool counted;
} kinds[] = {
#define KIND(T, maker, user, getter, counted)                         \
	{                                                             \
		"dpr_" #T, maker, user, getter, make_##T, use_##T,    \
			is_null_##T, retain_##T, release_##T, counted \
	}
	KIND(queue, "dpr_queue_create", "dpr_queue_wait", "dpr_queue_device",
	     true),
	KIND(event, "dpr_queue_barrier", "dpr_event_wait", "dpr_event_name",
	     true),
	KIND(usm, "dpr_usm_alloc", "dpr_usm_wait", "dpr_usm_size", true),
	KIND(program, "dpr_program_from_images", "dpr_kernel_create",
	     "dpr_program_device", true),
	KIND(kernel, "dpr_kernel_create", "dpr_kernel_get_info",
	     "dpr_kernel_name", true),
	KIND(array, "dpr_ones", "dpr_add", "dpr_array_size", true),
	KIND(expression, "dpr_expression_create", "dpr_expression_apply",
	     "dpr_expression_operands", false),
};
#define N_KINDS (int)(sizeof(kinds) / sizeof(*kinds))

/* The text of a call: "NAME() at api_handles+0x".  A program that libtool made
   may be called lt-api_handles. */
static const char *call_of(const char *name)
{
	static char text[4][96];
	static int next;
	char *at = text[next++ % 4];

	snprintf(at, sizeof(text[0]), "%s() at %s+0x", name,
		 program_invocation_short_name);
	return at;
}

static const char *releaser(const struct kind *kind)
{
	static char text[64];

	snprintf(text, sizeof(text), "%s_release", kind->name);
	return text;
}

/* --- The faults --------------------------------------------------------- */

START_TEST(use_after_release)
{
	const struct kind *kind = &kinds[_i];
	void *x, *other;

	start();
	x = kind->make();
	CHECK_OK(kind->use(x));
	kind->release(x);
	CHECK_NOTHING();
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, kind->use(x));
	CHECK_TEXT("has released");
	check_line(call_of(kind->user), call_of(releaser(kind)),
		   call_of(kind->maker));
	ck_assert(kind->is_null(x));
	check_line(call_of(kind->getter), call_of(releaser(kind)),
		   call_of(kind->maker));
	ck_assert_ptr_null(kind->retain(x));
	check_line("_retain() at ", call_of(releaser(kind)),
		   call_of(kind->maker));
	other = kind->make();
	ck_assert_ptr_ne(other, x);
	kind->release(other);
	finish();
}
END_TEST

START_TEST(double_release)
{
	const struct kind *kind = &kinds[_i];
	void *x;

	start();
	x = kind->make();
	ck_assert_ptr_eq(kind->retain(x), x);
	kind->release(x);
	CHECK_OK(kind->use(x));
	kind->release(x);
	CHECK_NOTHING();
	kind->release(x);
	check_line(" again: ", call_of(releaser(kind)), call_of(kind->maker));
	kind->release(x);
	check_line(" again: ", call_of(releaser(kind)), call_of(kind->maker));
	finish();
}
END_TEST

START_TEST(another_kind)
{
	const struct kind *kind = &kinds[_i];
	char takes[64], got[64];
	void *x;
	int i;

	start();
	x = kind->make();
	for (i = 0; i < N_KINDS; i++) {
		if (i == _i)
			continue;
		snprintf(takes, sizeof(takes), "takes a %s, but got a %s",
			 kinds[i].name, kind->name);
		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, kinds[i].use(x));
		check_line(call_of(kinds[i].user), takes, call_of(kind->maker));
		kinds[i].release(x);
		check_line(call_of(releaser(&kinds[i])), takes,
			   call_of(kind->maker));
	}
	/* A device and a variable are no handles of this kind either. */
	snprintf(got, sizeof(got), "takes a %s, but got a dpr_device",
		 kind->name);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    kind->use(dpr_queue_device(q1)));
	check_line(call_of(kind->user), got, "");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, kind->use(got));
	check_line(call_of(kind->user), kind->name, "which is no handle");
	kind->release(x);
	finish();
}
END_TEST

START_TEST(not_released)
{
	const struct kind *kind = &kinds[_i];
	char line[64];
	void *x, *y;

	start();
	x = kind->make();
	dpr_program_release(program);
	snprintf(line, sizeof(line), "never released: 1 of %s, made by ",
		 kind->name);
	if (!kind->counted) {
		CHECK_OK(dpr_finalize());
		check_part(found, line);
		check_part(found, call_of(kind->maker));
		return;
	}
	CHECK_FAILS(DPR_ERROR_BUSY, dpr_finalize());
	check_line(line, call_of(kind->maker), "");
	y = kind->retain(x);
	CHECK_FAILS(DPR_ERROR_BUSY, dpr_finalize());
	CHECK_NOTHING();
	kind->release(x);
	kind->release(y);
	CHECK_OK(dpr_finalize());
	ck_assert_str_eq(found, "");
}
END_TEST

/* Run @body as a program of its own, and read what it has logged into @text. */
static void run(void (*body)(void), char *text, size_t room)
{
	char name[] = "/tmp/dpr-handles.XXXXXX", log[64];
	const int file = mkstemp(name);
	ssize_t n;
	pid_t child;
	int how;

	ck_assert_int_ge(file, 0);
	snprintf(log, sizeof(log), "info:%s", name);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		setenv("DPR_LOG", log, 1);
		body();
		exit(0);
	}
	ck_assert_int_eq(waitpid(child, &how, 0), child);
	n = read(file, text, room - 1);
	ck_assert_int_ge(n, 0);
	text[n] = 0;
	close(file);
	unlink(name);
	ck_assert_msg(how == 0, "the program ended with %d; its log: %s", how,
		      text);
}

static void keep_all(void)
{
	void *x;
	int i;

	start();
	for (i = 0; i < N_KINDS; i++) {
		x = kinds[i].make();
		(void)kinds[i].make();
		(void)kinds[i].retain(x);
	}
	dpr_program_release(program);
}

static void keep_nothing(void)
{
	int i;

	start();
	for (i = 0; i < N_KINDS; i++)
		kinds[i].release(kinds[i].make());
	dpr_program_release(program);
}

/* Handles that the program holds at its end do no harm. */
START_TEST(exit_without_release)
{
	char log[1 << 14], line[96];
	int i;

	run(keep_all, log, sizeof(log));
	for (i = 0; i < N_KINDS; i++) {
		snprintf(line, sizeof(line),
			 "never released: 2 of %s with 3 references, made by "
			 "%s() at ",
			 kinds[i].name, kinds[i].maker);
		check_part(log, line);
	}
	run(keep_nothing, log, sizeof(log));
	ck_assert_ptr_null(strstr(log, "never released"));
	check_part(log, "handles: 0 faults, ");
}
END_TEST

/* Objects of one call are one line. */
START_TEST(alike)
{
	dpr_expression *x;
	int i;

	start();
	for (i = 0; i < 3; i++)
		CHECK_OK(dpr_expression_create("x", &x));
	finish();
	check_part(found, "never released: 3 of dpr_expression, made by ");
}
END_TEST

/* --- What is lent ------------------------------------------------------- */

START_TEST(lent)
{
	dpr_array *x;
	dpr_event *event;
	dpr_queue *queue;
	dpr_usm *usm, *of_x;

	start();
	usm = make_usm();
	CHECK_OK(dpr_array_over(usm, 0, DPR_SHAPE(4), NULL, DPR_FLOAT32, &x));
	dpr_usm_release(usm);
	of_x = dpr_array_usm(x);
	CHECK_OK(dpr_usm_wait(of_x));
	CHECK_NOTHING();
	dpr_array_release(x);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_usm_wait(of_x));
	check_line(call_of("dpr_usm_wait"), call_of("dpr_array_usm"),
		   " lent it");

	queue = make_queue();
	CHECK_OK(dpr_usm_alloc(queue, DPR_USM_DEVICE, 64, &usm));
	dpr_queue_release(queue);
	ck_assert_ptr_eq(dpr_usm_queue(usm), queue);
	CHECK_OK(dpr_queue_wait(queue));
	CHECK_NOTHING();
	dpr_usm_release(usm);

	/* The program has a reference, where the event lends nothing. */
	queue = make_queue();
	CHECK_OK(dpr_queue_barrier(queue, NULL, &event));
	ck_assert_ptr_eq(dpr_event_retain_queue(event), queue);
	dpr_queue_release(queue);
	CHECK_OK(dpr_queue_wait(queue));
	dpr_queue_release(queue);
	dpr_event_release(event);
	CHECK_NOTHING();

	/* Getters may look at objects that the program has not got. */
	queue = make_queue();
	CHECK_OK(dpr_ones_on(DPR_SHAPE(4), DPR_FLOAT32, queue, DPR_USM_HOST,
			     &x));
	dpr_queue_release(queue);
	ck_assert_ptr_nonnull(dpr_array_device(x));
	(void)dpr_array_data(x);
	dpr_array_release(x);
	CHECK_NOTHING();

	CHECK_OK(dpr_ones(DPR_SHAPE(4), DPR_FLOAT32, q1, &x));
	dpr_usm_release(dpr_array_usm(x));
	check_line("without a reference", call_of("dpr_array_usm"), " lent it");
	/* Canonical queues are always lent. */
	CHECK_OK(dpr_execution_queue((const dpr_array *const *)&x, 1, &queue));
	dpr_queue_release(queue);
	CHECK_OK(dpr_queue_wait(queue));
	dpr_array_release(x);
	CHECK_NOTHING();
	finish();
}
END_TEST

/* --- Handles within other arguments ------------------------------------- */

START_TEST(within_arguments)
{
	dpr_array *x, *y = NULL, *list[2];
	dpr_event *event, *done;
	dpr_usm *usm;
	dpr_kernel *kernel;
	dpr_arg args[2];

	start();
	x = make_array();
	event = make_event();
	usm = make_usm();
	kernel = make_kernel();
	dpr_event_release(event);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_queue_barrier(q1, DPR_AFTER(NULL, event), &done));
	ck_assert_ptr_null(done);
	check_line("dpr_queue_barrier", "dpr_event_release", "");
	list[0] = x;
	list[1] = (dpr_array *)kernel;
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_concat((const dpr_array *const *)list, 2, 0, &y));
	check_line("dpr_concat", "takes a dpr_array, but got a dpr_kernel", "");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_where(x, 1.0, (dpr_array *)usm, &y));
	check_line("dpr_where", "takes a dpr_array, but got a dpr_usm", "");
	CHECK_FAILS(
		DPR_ERROR_INVALID_ARGUMENT,
		dpr_evaluate("x + y", NULL, &y, "x", 1, "y", (dpr_array *)usm));
	check_line("dpr_evaluate_with", "but got a dpr_usm", "");
	dpr_usm_release(usm);
	args[0] = DPR_USM_READ(usm, 0);
	args[1] = DPR_ARG(x);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_launch_usm(q1, kernel, DPR_RANGE1(1), NULL, NULL,
					  args, 1));
	check_line("dpr_kernel_launch_usm", "dpr_usm_release", "");
	dpr_array_release(x);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_launch_args(q1, kernel, DPR_RANGE1(1), NULL,
					   NULL, args + 1, 1));
	check_line("dpr_kernel_launch_args", "dpr_array_release", "dpr_ones");
	dpr_kernel_release(kernel);
	finish();
}
END_TEST

/* --- Calls back --------------------------------------------------------- */

static int called;

static void on_end(dpr_event *event, dpr_status status, void *user)
{
	(void)status;
	/* The program's own event is released; this one is lent. */
	if (!dpr_event_name(event)[0])
		return;
	*(dpr_event **)user = dpr_event_retain(event);
	dpr_expression_release(make_expression());
	__atomic_store_n(&called, 1, __ATOMIC_RELEASE);
}

static dpr_status allocate(void *user, dpr_queue *queue, dpr_usm_kind kind,
			   size_t size, size_t alignment, dpr_usm **out,
			   void **token)
{
	(void)user;
	*token = NULL;
	if (!dpr_queue_device(queue))
		return DPR_ERROR_UNSUPPORTED;
	return dpr_pool_alloc(queue, kind, size, alignment, out);
}

START_TEST(callbacks)
{
	dpr_allocator table = { .struct_size = sizeof(table),
				.allocate = allocate };
	dpr_dlpack managed = { NULL, NULL };
	dpr_event *event, *kept = NULL;
	dpr_array *x;
	dpr_usm *usm;

	start();
	event = make_event();
	CHECK_OK(dpr_event_on_end(event, on_end, &kept));
	dpr_event_release(event);
	EVENTUALLY(__atomic_load_n(&called, __ATOMIC_ACQUIRE));
	dpr_event_release(kept);
	CHECK_OK(dpr_device_set_allocator(dpr_queue_device(q1), &table));
	usm = make_usm();
	CHECK_OK(dpr_usm_wait(usm));
	dpr_usm_release(usm);
	CHECK_NOTHING();
	dpr_usm_release(usm);
	check_line("again", "dpr_usm_alloc", "");
	/* The tensor has a reference of its own. */
	CHECK_OK(dpr_ones_on(DPR_SHAPE(4), DPR_FLOAT32, q1, DPR_USM_HOST, &x));
	CHECK_OK(dpr_array_to_dlpack(x, NULL, &managed));
	dpr_dlpack_release(&managed);
	CHECK_OK(dpr_array_wait(x));
	dpr_array_release(x);
	CHECK_NOTHING();
	finish();
}
END_TEST

/* --- Many handles, many threads, more layers ---------------------------- */

/* More handles than the layer keeps the memory of, after a copy by several
   threads, this one among them. */
START_TEST(many)
{
	static const int64_t columns[] = { 1, 1024 };
	static int32_t values[1024 * 1024];
	dpr_array *x, *view;

	start();
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(1024, 1024), columns,
				       DPR_INT32, q1, &x));
	for (int i = 0; i < 70000; i++) {
		CHECK_OK(dpr_permute_dims(x, NULL, &view));
		dpr_array_release(view);
	}
	dpr_array_release(view);
	check_line("again", "dpr_array_release", "dpr_permute_dims");
	dpr_array_release(x);
	finish();
}
END_TEST

static void *shared[N_KINDS];

static void *make_and_use(void *user)
{
	void *x;
	int round, i;

	for (round = 0; round < 50; round++) {
		for (i = 0; i < N_KINDS; i++) {
			x = kinds[i].make();
			CHECK_OK(kinds[i].use(x));
			kinds[i].release(x);
			x = kinds[i].retain(shared[i]);
			CHECK_OK(kinds[i].use(x));
			kinds[i].release(x);
		}
	}
	return user;
}

START_TEST(threads)
{
	pthread_t all[4];
	int i;

	start();
	for (i = 0; i < N_KINDS; i++)
		shared[i] = kinds[i].make();
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(
			pthread_create(&all[i], NULL, make_and_use, NULL), 0);
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_join(all[i], NULL), 0);
	for (i = 0; i < N_KINDS; i++)
		kinds[i].release(shared[i]);
	CHECK_NOTHING();
	finish();
	ck_assert_str_eq(found, "");
}
END_TEST

START_TEST(all_layers)
{
	char file[64];
	void *x;
	int i;

	snprintf(file, sizeof(file), "/tmp/dpr-handles-%ld.json",
		 (long)getpid());
	setenv("DPR_TRACE", file, 1);
	start_with("sync,trace,check,handles");
	for (i = 0; i < N_KINDS; i++) {
		x = kinds[i].make();
		CHECK_OK(kinds[i].use(x));
		kinds[i].release(x);
		CHECK_NOTHING();
		CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, kinds[i].use(x));
		check_line(kinds[i].user, releaser(&kinds[i]), kinds[i].maker);
	}
	finish();
	ck_assert_int_eq(unlink(file), 0);
}
END_TEST

/* An expression may be made before the environment is read.  One that is kept
   until the process ends may not be released. */
START_TEST(made_before_start)
{
	static dpr_expression *kept, *x;

	CHECK_OK(dpr_expression_create("x", &x));
	CHECK_OK(dpr_expression_create("x", &kept));
	dpr_expression_release(x);
	start();
	ck_assert_uint_eq(dpr_expression_result_count(kept), 1);
	dpr_expression_release(kept);
	CHECK_NOTHING();
	dpr_expression_release(kept);
	check_line("again", "dpr_expression_release", "dpr_expression_create");
	CHECK_OK(dpr_expression_create("x", &x));
	dpr_expression_release((dpr_expression *)dpr_expression_keep(x));
	check_line("without a reference", "dpr_expression_create", "");
	ck_assert_uint_eq(dpr_expression_result_count(x), 1);
	finish();
}
END_TEST

/* The layer needs a log. */
START_TEST(no_log)
{
	dpr_queue *queue;

	setenv("DPR_LAYERS", "handles", 1);
	CHECK_FAILS(DPR_ERROR_ENVIRONMENT, dpr_canonical_queue(NULL, &queue));
	CHECK_TEXT("the layer handles writes to the log: set DPR_LOG");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("handles");
	TCase *tcase = tcase_create("handles");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, use_after_release, 0, N_KINDS);
	tcase_add_loop_test(tcase, double_release, 0, N_KINDS);
	tcase_add_loop_test(tcase, another_kind, 0, N_KINDS);
	tcase_add_loop_test(tcase, not_released, 0, N_KINDS);
	tcase_add_test(tcase, exit_without_release);
	tcase_add_test(tcase, alike);
	tcase_add_test(tcase, lent);
	tcase_add_test(tcase, within_arguments);
	tcase_add_test(tcase, callbacks);
	tcase_add_test(tcase, many);
	tcase_add_test(tcase, threads);
	tcase_add_test(tcase, all_layers);
	tcase_add_test(tcase, made_before_start);
	tcase_add_test(tcase, no_log);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
