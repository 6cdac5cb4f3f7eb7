/* SPDX-License-Identifier: Apache-2.0 */
/* unit_layer.c - the layers around a plugin: there are none while they are off;
   their texts about the core; and host memory that runs out in them. */
#include "tests/support/runtime_test.h"

#include "core/base/mem.h"
#include "core/runtime/plugin/plugin.h"
#include "core/runtime/queue/queue.h"

static char last[4096]; /* the newest finding */

static void sink(void *user, enum dpr_log_level level, const char *line)
{
	(void)user;
	if (level == DPR_LOG_ERROR && !strncmp(line, "check: ", 7))
		snprintf(last, sizeof(last), "%s", line);
}

static void start_checked(void)
{
	setenv("DPR_LAYERS", "check", 1);
	dpr_log_set(DPR_LOG_INFO, sink, NULL);
	start_mocks();
	ck_assert_ptr_nonnull(q1->plugin->layer);
}

/* The last finding is about the core, and has @part. */
static void check_core_blamed(const char *part)
{
	/* Delivers messages. */
	CHECK_OK(dpr_canonical_queue("mock", &q1));
	ck_assert_msg(strstr(last, "[core]") && strstr(last, part),
		      "no \"%s\" in: %s", part, last);
	last[0] = '\0';
}

/* --- Off -------------------------------------------------------------------
 */

/* Whether the core calls every entry that the plugin has, directly. */
static bool is_own(const void *core, const void *plugin, size_t size)
{
	const char *ours = core, *theirs = plugin;
	void (*a)(void), (*b)(void);
	bool own = true;
	size_t at;

	for (at = sizeof(size_t); at < size; at += sizeof(a)) {
		memcpy(&a, ours + at, sizeof(a));
		memcpy(&b, theirs + at, sizeof(b));
		own &= !b || a == b;
	}
	return own;
}

static bool has_own_tables(const struct plugin *p, const dprp_plugin *desc)
{
	return p->desc == desc &&
	       is_own(&p->device, desc->device, sizeof(p->device)) &&
	       is_own(&p->context, desc->context, sizeof(p->context)) &&
	       is_own(&p->queue, desc->queue, sizeof(p->queue)) &&
	       is_own(&p->event, desc->event, sizeof(p->event)) &&
	       is_own(&p->mem, desc->mem, sizeof(p->mem)) &&
	       is_own(&p->module, desc->module, sizeof(p->module));
}

static const dprp_plugin *mock_descriptor(void)
{
	char path[4096];
	dprp_entry_fn entry;
	void *file;

	ck_assert_ptr_nonnull(mock_control_open("mock", path, sizeof(path)));
	file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	*(void **)&entry = dlsym(file, DPRP_ENTRY_SYMBOL);
	return entry(0);
}

/* While the layers are off, the core has the plugin's descriptor, all its
   entries and its handles: a call costs what it costs without layers. */
START_TEST(off_is_nothing)
{
	start_mocks();
	ck_assert_ptr_null(q1->plugin->layer);
	ck_assert(has_own_tables(q1->plugin, mock_descriptor()));
}
END_TEST

START_TEST(on_is_seen)
{
	if (_i) {
		setenv("DPR_FAULT", "open:9", 1);
		setenv("DPR_LAYERS", "fault", 1);
		start_mocks();
	} else {
		start_checked();
	}
	ck_assert_ptr_nonnull(q1->plugin->layer);
	ck_assert(!has_own_tables(q1->plugin, mock_descriptor()));
}
END_TEST

/* --- The core --------------------------------------------------------------
 */

/* A handle that was destroyed is refused, and the plugin is not called. */
START_TEST(used_after_its_end)
{
	dprp_event_state state = { .struct_size = sizeof(state) };
	const struct plugin *p;
	dprp_event *event = NULL;
	uint64_t calls;

	start_checked();
	p = q1->plugin;
	ck_assert_int_eq(p->queue.barrier(q1->handle, NULL, &event), 0);
	p->event.destroy(event);
	calls = mock->calls(MOCK_event_status) + mock->calls(MOCK_event_wait) +
		mock->calls(MOCK_event_destroy);
	ck_assert_int_eq(p->event.status(event, &state, (dprp_sink){ 0 }),
			 DPR_RC_ABI);
	check_core_blamed("event->status: got: the handle of an event that "
			  "does not exist any more");
	ck_assert_int_eq(p->event.wait(&event, 1, 0), DPR_RC_ABI);
	check_core_blamed("event->wait");
	p->event.destroy(event);
	check_core_blamed("event->destroy");
	ck_assert_int_eq(p->queue.barrier(q1->handle,
					  &(dprp_deps){ sizeof(dprp_deps), 1, 0,
							&event },
					  NULL),
			 DPR_RC_ABI);
	check_core_blamed("mock: queue->barrier");
	ck_assert_uint_eq(mock->calls(MOCK_event_status) +
				  mock->calls(MOCK_event_wait) +
				  mock->calls(MOCK_event_destroy),
			  calls);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The core may ask for one notification of an event. */
START_TEST(asked_twice)
{
	const struct plugin *p;
	dprp_event *event = NULL;

	start_checked();
	p = q1->plugin;
	mock->hold(1);
	ck_assert_int_eq(p->queue.barrier(q1->handle, NULL, &event), 0);
	ck_assert_int_eq(p->event.notify(event, 1), 0);
	(void)!p->event.notify(event, 2);
	check_core_blamed("event->notify: got: a second one");
	mock->hold(0);
	p->event.destroy(event);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* --- Memory ----------------------------------------------------------------
 */

static dpr_status work(void)
{
	dpr_event *event = NULL;
	dpr_usm *usm = NULL;
	dpr_status status;
	int value = 5;

	status = dpr_usm_alloc(q1, DPR_USM_DEVICE, (size_t)1 << 24, &usm);
	if (!status)
		status = dpr_usm_fill(q1, usm, 0, &value, 4, 64, NULL, &event);
	if (!status)
		status = dpr_usm_read(q1, &value, usm, 0, 4, DPR_AFTER(event),
				      NULL);
	if (!status)
		ck_assert_int_eq(value, 5);
	dpr_event_release(event);
	dpr_usm_release(usm);
	return status;
}

/* Each allocation fails in turn: the call fails for that reason, or is right,
   and what was tracked stays in order. */
START_TEST(memory_runs_out)
{
	uint64_t n;
	bool hit = true;

	start_checked();
	CHECK_OK(work());
	for (n = 0; n < 1000 && hit; n++) {
		uint64_t before = mem_fault_count();
		dpr_status status;

		mem_fault_once(n);
		status = work();
		hit = mem_fault_count() - before > n;
		mem_fault_clear();
		ck_assert_msg(!status || status == DPR_ERROR_OUT_OF_MEMORY,
			      "%llu: %s: %s", (unsigned long long)n,
			      dpr_status_name(status), dpr_last_error());
		CHECK_OK(work());
	}
	ck_assert_uint_gt(n, 5);
	ck_assert_uint_lt(n, 1000);
	CHECK_OK(dpr_finalize());
	ck_assert_str_eq(last, "");
}
END_TEST

/* The same while the backend is opened with the layer. */
START_TEST(memory_runs_out_at_the_start)
{
	const char *dir = getenv("DPR_TEST_PLUGIN_DIR");
	dpr_status status = DPR_ERROR_OUT_OF_MEMORY;
	char file[4096];
	uint64_t n;

	snprintf(file, sizeof(file), "%s/libdpr-mock.so", dir);
	setenv("DPR_PLUGINS", file, 1);
	setenv("DPR_LAYERS", "check", 1);
	dpr_log_set(DPR_LOG_INFO, sink, NULL);
	for (n = 0; n < 2000 && status; n++) {
		mem_fault_once(n);
		status = dpr_canonical_queue("mock", &q1);
		mem_fault_clear();
		ck_assert_msg(!status || status == DPR_ERROR_OUT_OF_MEMORY,
			      "%llu: %s: %s", (unsigned long long)n,
			      dpr_status_name(status), dpr_last_error());
	}
	CHECK_OK(status);
	CHECK_OK(work());
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A plugin that answers another code after host->alloc() has returned NULL. */
START_TEST(starved)
{
	const char *build = getenv("top_builddir");
	char dir[4096], file[4200];
	dpr_device *device;
	dpr_queue *queue;
	uint64_t n;

	snprintf(dir, sizeof(dir), "%s/tests/kit/.libs", build);
	snprintf(file, sizeof(file), "%s/libdpr-faulty.so", dir);
	setenv("DPR_PLUGINS", file, 1);
	setenv("DPR_TEST_FAULT", _i ? "other_code" : "", 1);
	setenv("DPR_LAYERS", "check", 1);
	dpr_log_set(DPR_LOG_INFO, sink, NULL);
	CHECK_OK(dpr_device_select("faulty", &device));
	for (n = 0; n < 20 && !strstr(last, "[H4]"); n++) {
		mem_fault_once(n);
		queue = NULL;
		if (!dpr_queue_create(device, 0, &queue))
			dpr_queue_release(queue);
		mem_fault_clear();
		/* Delivers messages. */
		CHECK_OK(dpr_canonical_queue("faulty", &q1));
	}
	CHECK_OK(dpr_finalize());
	ck_assert_msg(!_i == !strstr(last, "[H4]"), "the last finding: %s",
		      last);
}
END_TEST

static Suite *suite(void)
{
	Suite *suite = suite_create("layer");
	TCase *tcase = tcase_create("layer");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, off_is_nothing);
	tcase_add_loop_test(tcase, on_is_seen, 0, 2);
	tcase_add_test(tcase, used_after_its_end);
	tcase_add_test(tcase, asked_twice);
	tcase_add_test(tcase, memory_runs_out);
	tcase_add_test(tcase, memory_runs_out_at_the_start);
	tcase_add_loop_test(tcase, starved, 0, 2);
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
