/* SPDX-License-Identifier: Apache-2.0 */
/* api_check.c - the layer "check": a program that does a little of everything
   runs on plugins with faults, and the log names each fault with its rule. */
#include "tests/support/runtime_test.h"

#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char found[1 << 16]; /* the findings, a line each */
static size_t size;
static bool has_error; /* one of them has the level error */

static void sink(void *user, enum dpr_log_level level, const char *line)
{
	size_t n = strlen(line);

	(void)user;
	if (strncmp(line, "check: ", 7) != 0)
		return;
	pthread_mutex_lock(&lock);
	if (size + n + 2 < sizeof(found)) {
		memcpy(found + size, line, n);
		found[size + n] = '\n';
		size += n + 1;
	}
	has_error |= level == DPR_LOG_ERROR;
	pthread_mutex_unlock(&lock);
}

/* Whether there is a finding by this rule. */
static bool is_found(const char *rule)
{
	char word[16];
	bool is;

	snprintf(word, sizeof(word), "[%s]", rule);
	pthread_mutex_lock(&lock);
	is = strstr(found, word) != NULL;
	pthread_mutex_unlock(&lock);
	return is;
}

/* The status of a call is a matter of other tests. */
static void try(dpr_status status)
{
	(void)status;
}

static void nothing(dpr_event *event, dpr_status status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
}

/* --- The program -----------------------------------------------------------
 */

static void ask_device(dpr_device *device)
{
	static const enum dpr_info keys[] = {
#define DPR__X(name, number, type, unit, text) DPR_INFO_##name,
		DPR_INFO_MAP(DPR__X)
#undef DPR__X
	};
	char value[4096];
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		try(dpr_device_info(device, keys[i], value, sizeof(value),
				    NULL));
}

static void use_event(dpr_event *event)
{
	dpr_times times;
	int i;

	if (!event)
		return;
	for (i = 0; i < 8; i++)
		(void)dpr_event_get_state(event);
	try(dpr_event_wait_for(event, 0));
	try(dpr_event_wait_for(event, MS));
	try(dpr_event_wait(event));
	for (i = 0; i < 8; i++)
		(void)dpr_event_get_state(event);
	try(dpr_event_times(event, &times));
	dpr_event_release(event);
}

/* All that is submitted to a queue; each takes a while. */
static void use_queue(dpr_queue *queue, dpr_usm *a, dpr_usm *b, dpr_kernel *k)
{
	static char bytes[4096];
	dpr_event *e[8] = { NULL };
	dpr_arg number = dpr_arg_u32(1);
	int i;

	mock->delay(5 * MS);
	try(dpr_usm_write(queue, a, 0, bytes, 4096, NULL, &e[0]));
	try(dpr_queue_barrier(queue, NULL, &e[1]));
	if (e[1])
		try(dpr_event_on_end(e[1], nothing, NULL));
	if (k)
		try(dpr_kernel_launch_usm(queue, k, DPR_RANGE1(1), NULL, &e[2],
					  &number, 1));
	try(dpr_usm_copy(queue, b, 0, a, 0, 4096, NULL, &e[3]));
	try(dpr_usm_fill(queue, a, 0, "abcd", 4, 4096, NULL, &e[4]));
	try(dpr_usm_prefetch(queue, a, 0, 4096, NULL, &e[5]));
	try(dpr_usm_write(queue, a, 0, bytes, 4096, NULL, &e[6]));
	try(dpr_usm_read(queue, bytes, a, 0, 4096, NULL, &e[7]));
	for (i = 7; i >= 0; i--)
		use_event(e[i]);
	mock->delay(20 * MS);
	try(dpr_queue_barrier(queue, NULL, &e[0]));
	try(dpr_queue_wait(queue));
	use_event(e[0]);
	mock->delay(0);
}

/* Wait for some events and only look at others, so that a plugin whose answers
   change with each fourth call is seen to change each kind of answer. */
static void look_in_turn(dpr_queue *queue)
{
	dpr_event *event;
	int i;

	for (i = 0; i < 24; i++) {
		event = NULL;
		try(dpr_queue_barrier(queue, NULL, &event));
		if (event && i % 2)
			try(dpr_event_wait(event));
		while (event && dpr_event_get_state(event) < DPR_EVENT_COMPLETE)
			sched_yield();
		dpr_event_release(event);
	}
}

/* A wait with a limit, for work that takes longer. */
static void wait_shortly(dpr_device *device)
{
	dpr_event *event = NULL;
	dpr_queue *queue;

	if (dpr_device_queue(device, &queue))
		return;
	mock->delay(150 * MS);
	try(dpr_queue_barrier(queue, NULL, &event));
	mock->delay(0);
	use_event(event);
}

/* A copy fails, and what depends on it; then the queue. */
static void fail_work(dpr_queue *queue, dpr_usm *a, dpr_usm *b)
{
	dpr_event *bad = NULL, *next = NULL;
	dpr_status status;
	const char *text;

	mock->delay(20 * MS);
	mock->fail_command(1, DPR_RC_NATIVE, -7);
	try(dpr_usm_copy(queue, b, 0, a, 0, 64, NULL, &bad));
	try(dpr_queue_barrier(queue, bad ? DPR_AFTER(bad) : NULL, &next));
	if (bad) {
		try(dpr_event_on_end(bad, nothing, NULL));
		try(dpr_event_wait(bad));
		dpr_event_error(bad, &status, &text);
	}
	use_event(next);
	use_event(bad);
	try(dpr_queue_wait(queue));
	try(dpr_queue_wait(queue));
}

static void build(dpr_queue *queue, dpr_kernel **kernel)
{
	dpr_program *program = NULL;
	dpr_kernel *second = NULL;

	try(dpr_program_from_source(queue, "#error planted", NULL, &program));
	try(dpr_program_from_source(queue, "kernel void sleep_ms(uint ms);",
				    NULL, &program));
	if (!program)
		return;
	try(dpr_kernel_create(program, "sleep_ms", kernel));
	try(dpr_kernel_create(program, "sleep_ms", &second));
	dpr_kernel_release(second);
	try(dpr_kernel_create(program, "no_such", &second));
	dpr_program_release(program);
}

/* Memory of the program may begin anywhere. */
static void borrow(dpr_queue *queue)
{
	static uint64_t bytes[64];
	dpr_usm *usm = NULL;

	try(dpr_usm_borrow(queue, (uintptr_t)bytes + 1, 100, 0, NULL, NULL,
			   &usm));
	dpr_usm_release(usm);
}

static void use_device(dpr_device *device, uint32_t flags)
{
	dpr_usm *a = NULL, *b = NULL, *c = NULL, *d = NULL;
	dpr_kernel *kernel = NULL;
	dpr_queue *queue = NULL;

	if (dpr_queue_create(device, flags, &queue))
		return;
	try(dpr_usm_alloc(queue, DPR_USM_HOST, 4096, &a));
	try(dpr_usm_alloc(queue, DPR_USM_DEVICE, 4096, &b));
	/* Too large for the pool's pieces; the second fails. */
	try(dpr_usm_alloc(queue, DPR_USM_DEVICE, (size_t)1 << 22, &c));
	mock->fail(MOCK_mem_alloc, 1, 9, DPR_RC_OOM_DEVICE, 0);
	try(dpr_usm_alloc(queue, DPR_USM_DEVICE, (size_t)1 << 25, &d));
	mock->fail(MOCK_mem_alloc, 1, 0, DPR_RC_OK, 0);
	borrow(queue);
	build(queue, &kernel);
	if (a && b) {
		use_queue(queue, a, b, kernel);
		look_in_turn(queue);
		fail_work(queue, a, b);
	}
	dpr_kernel_release(kernel);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(c);
	dpr_usm_release(d);
	dpr_queue_release(queue);
}

static void lose(dpr_device *device)
{
	dpr_event *event = NULL;
	dpr_queue *queue = NULL;

	try(dpr_queue_create(device, 0, &queue));
	mock->lose(0);
	if (!queue)
		return;
	try(dpr_queue_barrier(queue, NULL, &event));
	use_event(event);
	try(dpr_queue_barrier(queue, NULL, &event));
	use_event(event);
	dpr_queue_release(queue);
}

static void tour(void)
{
	dpr_device *devices[2] = { NULL }, *parts[2];
	dpr_queue *queue;
	size_t n = 0, i;

	dpr_log_set(DPR_LOG_INFO, sink, NULL);
	try(dpr_device_enumerate("faulty", devices, 2, &n));
	for (i = 0; i < n && i < 2; i++) {
		ask_device(devices[i]);
		use_device(devices[i],
			   i ? DPR_QUEUE_OUT_OF_ORDER : DPR_QUEUE_PROFILING);
		if (!i)
			wait_shortly(devices[i]);
	}
	if (n && !dpr_device_partition_equally(devices[0], 2, parts, 2, &n) &&
	    n)
		try(dpr_device_queue(parts[0], &queue));
	if (devices[0])
		lose(devices[0]);
	try(dpr_finalize());
	/* Delivers what is left. */
	try(dpr_finalize());
}

/* --- Faults ----------------------------------------------------------------
 */

/* Faults of tests/kit, and the rule of the finding. */
static const struct {
	const char *fault, *rule;
} faults[] = {
	{ "null_handle", "P1" },
	{ "unset_handle", "P1" },
	{ "positive_code", "E1" },
	{ "no_set_error", "E2" },
	{ "other_error", "E2" },
	{ "empty_error", "E2" },
	{ "changes_size", "G3" },
	{ "grants_more", "Q1" },
	{ "other_device", "V2" },
	{ "handler", "E4" },
	{ "mask", "E4" },
	{ "block_leak", "O5" },
	{ "cut_text", "V6" },
	{ "bool_two", "V6" },
	{ "half_number", "V6" },
	{ "half_list", "V6" },
	{ "type_nine", "V6" },
	{ "align_three", "V6" },
	{ "two_groups", "V6" },
	{ "other_size", "V3" },
	{ "unset_number", "P1" },
	{ "parts_are_root", "V7" },
	{ "too_many_parts", "V7" },
	{ "other_clock", "V9" },
	{ "null_address", "M5" },
	{ "odd_address", "M3" },
	{ "goes_back", "N1" },
	{ "unknown_state", "N1" },
	{ "swapped_times", "N2" },
	{ "times_always", "N3" },
	{ "wait_early", "N6" },
	{ "wait_code", "N7" },
	{ "notify_twice", "N9" },
	{ "notify_early", "N9" },
	{ "signals_open", "T2" },
	{ "finish_early", "Q4" },
	{ "picks_beyond", "K1" },
	{ "no_log", "K2" },
	{ "same_kernel", "K4" },
	{ "barrier_waits", "W2" },
	{ "write_waits", "W2" },
	{ "launch_waits", "W2" },
	{ "notify_waits", "W3" },
	{ "timeout_ignored", "N7" },
	{ "dependents_done", "Y2" },
	{ "no_sentence", "N5" },
	{ "wait_fails", "N6" },
	{ "finish_repeats", "Q5" },
	{ "waits_for_nothing", "S8" },
	{ "copy_host_memory", "S9" },
	{ "lost_accepts", "H3" },
	{ "writes_past_block", "H1" },
	{ "no_host", "M2" },
	{ "usual_sixteen", "M3" },
	{ "refuses_size", "V3" },
	{ "no_promise", "M5" },
	{ "hides_address", "M5" },
	{ "null_error", "E2" },
	{ "same_part", "V7" },
	{ "copied_times", "N2" },
	{ "other_times", "N2" },
	{ "tells_again", "N9" },
	{ "logs_in_thread", "H2" },
	{ "finish_in_order", "Q4" },
	{ "launch_takes_20_ms", "W2" },
	{ "cries_lost", "H3" },
	{ "overlaps", "M5" },
	{ "locale", "E4" },
	{ "cuts_answers", "V4" },
	{ "fills_small", "V4" },
	{ "latin1", "V6" },
	{ "pci_words", "V6" },
};
#define N_FAULTS (int)(sizeof(faults) / sizeof(*faults))

/* Start with the plugin of tests/kit and this fault. */
static void plant(const char *fault)
{
	static char dir[4096], file[4200];

	snprintf(dir, sizeof(dir), "%s/tests/kit/.libs",
		 getenv("top_builddir"));
	snprintf(file, sizeof(file), "%s/libdpr-faulty.so", dir);
	setenv("DPR_TEST_PLUGIN_DIR", dir, 1);
	setenv("DPR_PLUGINS", file, 1);
	setenv("DPR_TEST_FAULT", fault, 1);
	setenv("DPR_LAYERS", "check", 1);
	setenv("DPR_OPTION_FAULTY_DEVICES", "2", 1);
	mock = control_of("faulty");
}

START_TEST(planted)
{
	plant(faults[_i].fault);
	tour();
	ck_assert_msg(is_found(faults[_i].rule), "%s: no finding by %s in:\n%s",
		      faults[_i].fault, faults[_i].rule, found);
}
END_TEST

/* Without a fault in the plugin, the same program has no findings, except for
   calls that took long on a busy machine. */
START_TEST(clean)
{
	plant("");
	tour();
	ck_assert_msg(!has_error, "findings without a fault:\n%s", found);
	ck_assert_ptr_nonnull(strstr(found, "findings in"));
}
END_TEST

/* --- Order ------------------------------------------------------------------
 */

/* The submission after two writes.  It may depend on the first write. */
enum after { COPY, FOREIGN, ORDERED, EMPTY, BARRIER, AFTERS };

static dpr_event *submit_after(enum after what, dpr_queue *queue,
			       dpr_queue *other, dpr_usm *usm, dpr_kernel *k,
			       dpr_event **writes)
{
	static const char bytes[64];
	dpr_arg number = dpr_arg_u32(0);
	dpr_event *event = NULL;

	switch (what) {
	case COPY:
		try(dpr_usm_copy(queue, usm, 64, usm, 128, 64,
				 DPR_AFTER(writes[0]), &event));
		break;
	case FOREIGN:
		try(dpr_usm_copy(other, usm, 64, usm, 128, 64,
				 DPR_AFTER(writes[0]), &event));
		break;
	case ORDERED:
		dpr_event_release(writes[1]);
		writes[1] = NULL;
		mock->delay(60 * MS);
		try(dpr_usm_write(other, usm, 0, bytes, 64, NULL, &writes[1]));
		mock->delay(0);
		try(dpr_usm_copy(other, usm, 64, usm, 128, 64, NULL, &event));
		break;
	case EMPTY:
		if (k)
			try(dpr_kernel_launch_usm(queue, k, DPR_RANGE1(0),
						  DPR_AFTER(writes[0]), &event,
						  &number, 1));
		break;
	case BARRIER: try(dpr_queue_barrier(queue, NULL, &event)); break;
	case AFTERS: break;
	}
	return event;
}

/* Work that must wait for other work is looked at first.  The writes take a
   while, the first longer than the second. */
static void wait_for_others(dpr_queue *queue, dpr_queue *other, dpr_usm *usm,
			    dpr_kernel *k)
{
	static char bytes[4096];
	dpr_event *writes[2], *event;
	enum after what;

	for (what = COPY; what < AFTERS; what++) {
		writes[0] = writes[1] = NULL;
		mock->delay(90 * MS);
		try(dpr_usm_write(queue, usm, 1024, bytes, 1024, NULL,
				  &writes[0]));
		mock->delay(30 * MS);
		try(dpr_usm_write(queue, usm, 2048, bytes, 1024, NULL,
				  &writes[1]));
		mock->delay(0);
		event = NULL;
		if (writes[0] && writes[1])
			event = submit_after(what, queue, other, usm, k,
					     writes);
		use_event(event);
		use_event(writes[1]);
		use_event(writes[0]);
	}
}

static const struct {
	const char *fault, *rule;
} order_faults[] = {
	{ "", NULL },
	{ "unordered", "S5" },
	{ "drops_deps", "S6" },
	{ "drops_foreign", "Y3" },
	{ "open_barrier", "Q6" },
	{ "thin_barrier", "Q6" },
	{ "zero_at_once", "K9" },
};
#define N_ORDER_FAULTS (int)(sizeof(order_faults) / sizeof(*order_faults))

START_TEST(disordered)
{
	const char *rule = order_faults[_i].rule;
	dpr_queue *queue, *other;
	dpr_kernel *kernel = NULL;
	dpr_device *device;
	dpr_usm *usm;

	plant(order_faults[_i].fault);
	dpr_log_set(DPR_LOG_INFO, sink, NULL);
	CHECK_OK(dpr_device_select("faulty:0", &device));
	CHECK_OK(dpr_queue_create(device, DPR_QUEUE_OUT_OF_ORDER, &queue));
	CHECK_OK(dpr_device_queue(device, &other));
	CHECK_OK(dpr_usm_alloc(queue, DPR_USM_DEVICE, 4096, &usm));
	build(queue, &kernel);
	wait_for_others(queue, other, usm, kernel);
	dpr_kernel_release(kernel);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	try(dpr_finalize());
	try(dpr_finalize());
	ck_assert_msg(rule ? is_found(rule) : !has_error, "%s: found:\n%s",
		      order_faults[_i].fault, found);
}
END_TEST

/* A routine of a library, about which the plugin says nothing. */
START_TEST(silent)
{
	const dpr_image image = { .format = "calls-1",
				  .data = "gemm float32",
				  .size = 12 };
	dpr_program *program;
	dpr_queue *queue;

	setenv("DPR_OPTION_FAULTY_TYPE", "cpu", 1);
	plant(_i ? "calls_silent" : "");
	dpr_log_set(DPR_LOG_INFO, sink, NULL);
	CHECK_OK(dpr_canonical_queue("faulty", &queue));
	CHECK_OK(dpr_program_build(queue, &image, 1, NULL, &program));
	dpr_program_release(program);
	CHECK_OK(dpr_finalize());
	try(dpr_finalize());
	ck_assert_msg(is_found("X1") == _i, "wrong findings:\n%s", found);
}
END_TEST

/* --- What does not move ----------------------------------------------------
 */

/* Wait until there is a finding with @text; a test's limit ends it. */
static void await(const char *text)
{
	bool there = false;

	while (!there) {
		nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
		/* Delivers messages. */
		(void)dpr_event_get_state(NULL);
		pthread_mutex_lock(&lock);
		there = strstr(found, text) != NULL;
		pthread_mutex_unlock(&lock);
	}
}

static dpr_queue *start_watched(const char *fault)
{
	dpr_queue *queue;

	setenv("DPR_CHECK_SECONDS", "1", 1);
	plant(fault);
	dpr_log_set(DPR_LOG_INFO, sink, NULL);
	CHECK_OK(dpr_canonical_queue("faulty", &queue));
	return queue;
}

/* event_done() never comes for an event that is over. */
START_TEST(untold)
{
	dpr_queue *queue = start_watched("notify_never");
	dpr_event *event;

	mock->delay(100 * MS);
	CHECK_OK(dpr_queue_barrier(queue, NULL, &event));
	CHECK_OK(dpr_event_on_end(event, nothing, NULL));
	await("[N9]");
	dpr_event_release(event);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Work that never ends: its event is named, with its last state. */
START_TEST(stuck)
{
	dpr_queue *queue = start_watched("");
	dpr_event *event;

	mock->stall_command(1);
	CHECK_OK(dpr_queue_barrier(queue, NULL, &event));
	await("faulty: queue->barrier: got: an event of submission 1 of its "
	      "queue that has not moved for 1 s; its last state is ");
	mock->reset();
	dpr_event_release(event);
	(void)!dpr_finalize();
}
END_TEST

static void *allocate(void *user)
{
	dpr_usm *usm = NULL;

	CHECK_OK(dpr_usm_alloc(user, DPR_USM_DEVICE, 1 << 22, &usm));
	dpr_usm_release(usm);
	return NULL;
}

/* An entry that does not return. */
START_TEST(hanging)
{
	dpr_queue *queue = start_watched("");
	pthread_t thread;

	mock->block(MOCK_mem_alloc, 1);
	ck_assert_int_eq(pthread_create(&thread, NULL, allocate, queue), 0);
	await("faulty: mem->alloc: got: a call that has not returned for 1 s");
	mock->block(MOCK_mem_alloc, 0);
	pthread_join(thread, NULL);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* Some faults leak, race or write where they must not, at which a sanitizer
   ends the process. */
static bool may_plant(void)
{
	const char *sanitizers = getenv("dpr_sanitizers");

	if (!sanitizers || !strcmp(sanitizers, "none"))
		return true;
	printf("without the planted faults, because of the sanitizer %s\n",
	       sanitizers);
	return false;
}

static Suite *suite(void)
{
	Suite *suite = suite_create("check");
	TCase *tcase = tcase_create("faults");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, clean);
	if (may_plant())
		tcase_add_loop_test(tcase, planted, 0, N_FAULTS);
	tcase_add_loop_test(tcase, disordered, 0,
			    may_plant() ? N_ORDER_FAULTS : 1);
	tcase_add_loop_test(tcase, silent, 0, 2);
	tcase_add_test(tcase, untold);
	tcase_add_test(tcase, stuck);
	tcase_add_test(tcase, hanging);
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
