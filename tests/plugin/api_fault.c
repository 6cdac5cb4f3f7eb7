/* SPDX-License-Identifier: Apache-2.0 */
/* api_fault.c - the layer "fault": calls of a plugin fail as DPR_FAULT says,
   and a small program gets the error, with a text, and leaks nothing. */
#include "tests/support/runtime_test.h"

#include <sys/wait.h>
#include <unistd.h>

#define N 256

static int planted; /* faults that the log tells of */
static int broken;  /* findings of the layer "check" of the level error */

static void sink(void *user, enum dpr_log_level level, const char *line)
{
	(void)user;
	planted += !strncmp(line, "fault: ", 7);
	broken += level == DPR_LOG_ERROR && !strncmp(line, "check: ", 7);
}

static void set_layers(const char *layers, const char *fault)
{
	setenv("DPR_LAYERS", layers, 1);
	if (fault)
		setenv("DPR_FAULT", fault, 1);
	dpr_log_set(DPR_LOG_INFO, sink, NULL);
}

/* --- A small program -------------------------------------------------------
 */

struct things {
	dpr_queue *queue;
	dpr_usm *a, *b;
	dpr_kernel *kernel;
	dpr_event *event;
};

static dpr_status use(struct things *t, int *value)
{
	const int one = 1;
	dpr_status status;

	status = dpr_usm_fill(t->queue, t->a, 0, &one, 4, N * 4, NULL, NULL);
	if (status)
		return status;
	const dpr_arg args[] = { DPR_ARG(t->a), DPR_ARG((uint64_t)N) };

	status = dpr_kernel_launch_usm(t->queue, t->kernel, DPR_RANGE1(N), NULL,
				       NULL, args, 2);
	if (!status)
		status = dpr_usm_copy(t->queue, t->b, 0, t->a, 0, N * 4, NULL,
				      NULL);
	if (!status)
		status = dpr_usm_write(t->queue, t->a, 0, &one, 4, NULL, NULL);
	if (!status)
		status = dpr_queue_barrier(t->queue, NULL, &t->event);
	if (!status)
		status = dpr_event_wait(t->event);
	if (!status)
		status = dpr_usm_read(t->queue, value, t->b, 0, 4, NULL, NULL);
	if (!status)
		status = dpr_queue_wait(t->queue);
	return status;
}

static dpr_status make(struct things *t)
{
	dpr_device *device;
	dpr_status status = dpr_device_select("mock", &device);

	if (!status)
		status = dpr_queue_create(device, DPR_QUEUE_PROFILING,
					  &t->queue);
	if (!status)
		status = dpr_usm_alloc(t->queue, DPR_USM_DEVICE, N * 4, &t->a);
	if (!status)
		status = dpr_usm_alloc(t->queue, DPR_USM_HOST, N * 4, &t->b);
	if (!status)
		status = dpr_kernel_from_source(
			t->queue, "kernel void add_one(int *x, ulong n);",
			"add_one", &t->kernel);
	return status;
}

/* Run the program.  Returns its status; with DPR_OK its result is right. */
static dpr_status run(char *text, size_t room)
{
	struct things t = { NULL };
	int value = 0, i;
	dpr_status status = make(&t);

	if (!status)
		status = use(&t, &value);
	snprintf(text, room, "%s", status ? dpr_last_error() : "");
	if (!status)
		ck_assert_int_eq(value, 2);
	dpr_event_release(t.event);
	dpr_kernel_release(t.kernel);
	dpr_usm_release(t.a);
	dpr_usm_release(t.b);
	dpr_queue_release(t.queue);
	/* dpr_finalize() may report a failure first: of this very call, or of
	   earlier work if nobody has seen it.  The next call then closes
	   everything. */
	for (i = 0; i < 3; i++)
		if (dpr_finalize() == DPR_ERROR_SHUTDOWN)
			break;
	for (i = 0; i < MOCK_N_OBJECTS; i++)
		ck_assert_msg(!mock->live(i), "handles of kind %d are left", i);
	return status;
}

static void use_mock(void)
{
	static char file[4096];

	mock = mock_control_open("mock", file, sizeof(file));
	ck_assert_ptr_nonnull(mock);
	setenv("DPR_PLUGINS", file, 1);
	setenv("DPR_CACHE_DIR", "off", 1);
}

/* --- Every call ------------------------------------------------------------
 */

/* The entries that the program calls; the last two only if its work takes
   long. */
static const char *const entries[] = {
	"open",          "device.count",       "device.get",
	"device.info",   "context.create",     "queue.create",
	"queue.finish",  "queue.barrier",      "queue.write",
	"queue.read",    "queue.copy",         "queue.launch",
	"queue.fill",    "event.status",       "mem.alloc",
	"mem.info",      "module.pick",        "module.create",
	"module.kernel", "module.kernel_info", "queue.flush",
	"event.wait",
};
#define N_ENTRIES (int)(sizeof(entries) / sizeof(*entries))
#define N_SURE (N_ENTRIES - 2)

/* Call @n of @entry fails, each later one too with @on.  Returns whether there
   was such a call. */
static bool try_fault(const char *entry, int n, bool on)
{
	char fault[64], text[4096];
	dpr_status status;

	snprintf(fault, sizeof(fault), "%s:%d%s", entry, n, on ? "+" : "");
	set_layers("check,fault", fault);
	use_mock();
	status = run(text, sizeof(text));
	/* Memory without an address has a text of the core's own. */
	ck_assert_msg(!status || strstr(text, "DPR_FAULT") ||
			      strstr(text, "(mem->info)"),
		      "%s: %s: %s", fault, dpr_status_name(status), text);
	ck_assert_msg(!broken, "%s: %d findings", fault, broken);
	ck_assert(planted || !status);
	return planted != 0;
}

/* The calls of the entry fail in turn, each in a process of its own, until
   there was none of that number. */
START_TEST(each_call)
{
	int status = 0, n;

	for (n = 1; n < 100; n++) {
		pid_t pid = fork();

		ck_assert_int_ge(pid, 0);
		if (!pid)
			_exit(try_fault(entries[_i], n, false) ? 0 : 3);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_msg(WIFEXITED(status) && (!WEXITSTATUS(status) ||
						    WEXITSTATUS(status) == 3),
			      "%s:%d ends with %#x", entries[_i], n, status);
		if (WEXITSTATUS(status) == 3)
			break;
	}
	ck_assert(n > 1 || _i >= N_SURE);
}
END_TEST

/* All calls of the entry fail. */
START_TEST(all_calls)
{
	ck_assert(try_fault(entries[_i], 1, true) || _i >= N_SURE);
}
END_TEST

/* --- The variable ----------------------------------------------------------
 */

/* Wrong values, and what the text has beside the value. */
static const struct {
	const char *value, *part;
} wrong[] = {
	{ "mem.aloc:3", "unknown entry \"mem.aloc\", did you mean "
			"\"mem.alloc\"?; accepted: " },
	{ "mem.aloc:3", "queue.write" },
	{ "mem.free:1", "unknown entry \"mem.free\"" },
	{ "queue->write:1", "unknown entry \"queue->write\"" },
	{ "mem.alloc:1,nonsense", "unknown entry \"nonsense\"" },
	{ "", "set DPR_FAULT" },
	{ ",", "unknown entry \"\"" },
	{ "mem.alloc", "\"mem.alloc\" is not ENTRY:N" },
	{ "mem.alloc:", "is not ENTRY:N" },
	{ "mem.alloc:0", "N is 1 or more" },
	{ "mem.alloc:x", "is not ENTRY:N" },
	{ "mem.alloc:3x", "\"mem.alloc:3x\" is not ENTRY:N" },
	{ "mem.alloc:99999999999999999999", "is not ENTRY:N" },
	{ "mem.alloc:1=none", "unknown code \"none\"" },
	{ "mem.alloc:1=", "oom_device" },
};
#define N_WRONG (int)(sizeof(wrong) / sizeof(*wrong))

START_TEST(wrong_values)
{
	dpr_device *device;

	set_layers("fault", wrong[_i].value);
	use_mock();
	CHECK_FAILS(DPR_ERROR_ENVIRONMENT, dpr_device_select("mock", &device));
	CHECK_TEXT(wrong[_i].part);
	CHECK_TEXT(wrong[_i].value);
}
END_TEST

START_TEST(without_the_layer)
{
	char text[4096];

	setenv("DPR_FAULT", "mem.alloc:1+", 1);
	use_mock();
	CHECK_OK(run(text, sizeof(text)));
	ck_assert_int_eq(planted, 0);
}
END_TEST

/* Several faults: the second call of write, each of copy from the third on. */
START_TEST(several)
{
	static char bytes[64];
	dpr_usm *a, *b;
	int i;

	set_layers("fault", "queue.write:2,queue.copy:3+");
	start_mocks();
	a = new_usm(q1, DPR_USM_DEVICE, 64);
	b = new_usm(q1, DPR_USM_DEVICE, 64);
	for (i = 1; i <= 4; i++) {
		dpr_status status =
			dpr_usm_write(q1, a, 0, bytes, 64, NULL, NULL);

		ck_assert_int_eq(status, i == 2 ? DPR_ERROR_DRIVER : DPR_OK);
		if (status)
			CHECK_TEXT("call 2 of queue.write failed because "
				   "DPR_FAULT asks for that");
	}
	for (i = 1; i <= 5; i++)
		ck_assert_int_eq(dpr_usm_copy(q1, b, 0, a, 0, 64, NULL, NULL),
				 i < 3 ? DPR_OK : DPR_ERROR_DRIVER);
	dpr_usm_release(a);
	dpr_usm_release(b);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Another code: memory runs out; a fill goes another way. */
START_TEST(codes)
{
	const int seven = 7;
	dpr_usm *a, *none;

	set_layers("fault", "queue.fill:1=no_path,mem.alloc:2+=oom_device");
	start_mocks();
	a = new_usm(q1, DPR_USM_DEVICE, 1 << 22);
	CHECK_OK(dpr_usm_fill(q1, a, 0, &seven, 4, 1 << 22, NULL, NULL));
	ck_assert_int_eq(first_int(q1, a), 7);
	ck_assert_int_eq(planted, 1);
	CHECK_FAILS(DPR_ERROR_OUT_OF_DEVICE_MEMORY,
		    dpr_usm_alloc(q1, DPR_USM_DEVICE, 1 << 27, &none));
	ck_assert_ptr_null(none);
	dpr_usm_release(a);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* All layers at once, in a process that ends.  The plugin never sees the call,
   so it is not blamed.  The submitting call waits and returns the failure. */
static void use_all_layers(const char *order, const char *trace)
{
	dpr_usm *a;

	setenv("DPR_TRACE", trace, 1);
	set_layers(order, "queue.write:1");
	start_mocks();
	a = new_ints(q1, 16, 0);
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_usm_write(q1, a, 0, "abc", 4, NULL, NULL));
	CHECK_TEXT("DPR_FAULT");
	mock->fail_command(1, DPR_RC_NATIVE, -55);
	CHECK_FAILS(DPR_ERROR_DRIVER,
		    dpr_usm_write(q1, a, 0, "abc", 4, NULL, NULL));
	CHECK_TEXT("-55");
	dpr_usm_release(a);
	CHECK_OK(dpr_finalize());
	ck_assert_int_eq(planted, 1);
	ck_assert_int_eq(broken, 0);
	exit(0);
}

/* They do the same in whichever order the variable names them, and the trace
   has the calls. */
START_TEST(together)
{
	static const char *const orders[] = { "trace,sync,fault,check",
					      "check,fault,sync,trace" };
	char file[64], line[4096];
	bool traced = false;
	int status = 0;
	pid_t pid;
	FILE *f;

	snprintf(file, sizeof(file), "/tmp/dpr-fault-%ld.json", (long)getpid());
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		use_all_layers(orders[_i], file);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	f = fopen(file, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f))
		traced |= strstr(line, "dpr_usm_write") != NULL;
	fclose(f);
	remove(file);
	ck_assert(traced);
}
END_TEST

static Suite *suite(void)
{
	Suite *suite = suite_create("fault");
	TCase *tcase = tcase_create("fault");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, each_call, 0, N_ENTRIES);
	tcase_add_loop_test(tcase, all_calls, 0, N_ENTRIES);
	tcase_add_loop_test(tcase, wrong_values, 0, N_WRONG);
	tcase_add_test(tcase, without_the_layer);
	tcase_add_test(tcase, several);
	tcase_add_test(tcase, codes);
	tcase_add_loop_test(tcase, together, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
