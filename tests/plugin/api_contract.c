/* SPDX-License-Identifier: Apache-2.0 */
/* api_contract.c - a plugin that breaks the contract of dpr/backend.h: the call
   fails with an error that names the plugin, and nothing worse happens. */
#include "tests/support/runtime_test.h"

#define N 64

/* Check that @call fails because of a fault of the plugin, and that the text
   has the words @said. */
#define CHECK_FAULT_OF(said, rule, call)                      \
	do {                                                  \
		ck_assert_int_eq((call), DPR_ERROR_INTERNAL); \
		CHECK_TEXT(said ", against rule " rule        \
				" of dpr/backend.h [mock]");  \
	} while (0)
#define CHECK_FAULT(entry, call)                                             \
	CHECK_FAULT_OF(entry " answered DPR_RC_OK but gave no handle", "P1", \
		       call)

/* Let the next call of @entry report success, but return no handle. */
static void nothing(enum mock_entry entry)
{
	mock->fail(entry, 1, 1, MOCK_NOTHING, 0);
}

START_TEST(objects_that_are_not_there)
{
	static const char source[] = "kernel void add_one(";
	dpr_program *program;
	dpr_kernel *kernel;
	dpr_queue *queue;
	dpr_usm *usm;
	int there = 0;

	nothing(MOCK_queue_create);
	CHECK_FAULT("queue->create",
		    dpr_queue_create(dpr_queue_device(q1), 0, &queue));
	nothing(MOCK_mem_alloc);
	CHECK_FAULT("mem->alloc", dpr_usm_alloc(q1, DPR_USM_DEVICE, N, &usm));
	nothing(MOCK_mem_alloc);
	CHECK_FAULT("mem->alloc",
		    dpr_driver_alloc(q1, DPR_USM_DEVICE, N, 0, &usm));
	nothing(MOCK_native_wrap);
	CHECK_FAULT("native_wrap", dpr_usm_from_native(q1, (uintptr_t)&there,
						       sizeof(there), 0, &usm));
	nothing(MOCK_module_create);
	CHECK_FAULT("module->create",
		    dpr_program_from_source(q1, source, NULL, &program));
	CHECK_OK(dpr_program_from_source(q1, source, NULL, &program));
	nothing(MOCK_module_kernel);
	CHECK_FAULT("module->kernel",
		    dpr_kernel_create(program, "add_one", &kernel));
	dpr_program_release(program);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_QUEUE), 0);
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
}
END_TEST

/* Codes that are for other submissions, or for newer plugins. */
START_TEST(codes_in_the_wrong_place)
{
	dpr_usm *a = new_ints(q1, N, 1), *b = new_ints(q1, N, 2);
	dpr_usm *c = new_ints(q2, N, 1), *d = new_ints(q2, N, 2), *none;
	dpr_event *event;
	int value = 3;

	CHECK_OK(dpr_queue_wait(q1));
	mock->fail(MOCK_queue_barrier, 1, 1, DPR_RC_CANNOT_WAIT, 0);
	CHECK_FAILS(DPR_ERROR_INTERNAL, dpr_queue_barrier(q1, NULL, &event));
	CHECK_TEXT("queue->barrier answered DPR_RC_CANNOT_WAIT");
	CHECK_TEXT("rule S8");
	mock->fail(MOCK_queue_copy, 1, 1, DPR_RC_HOST_MEMORY, 0);
	CHECK_FAILS(DPR_ERROR_INTERNAL,
		    dpr_usm_copy(q1, a, 0, b, 0, N, NULL, NULL));
	CHECK_TEXT("queue->copy answered DPR_RC_HOST_MEMORY");
	CHECK_TEXT("rule S9");
	mock->fail(MOCK_queue_fill, 1, 1, DPR_RC_HOST_MEMORY, 0);
	CHECK_FAILS(DPR_ERROR_INTERNAL,
		    dpr_usm_fill(q1, a, 0, &value, 4, N, NULL, NULL));
	CHECK_TEXT("queue->fill answered DPR_RC_HOST_MEMORY");
	CHECK_TEXT("rule S9");
	mock->fail(MOCK_mem_alloc, 1, 1, DPR_RC_CANNOT_WAIT, 0);
	CHECK_FAILS(DPR_ERROR_INTERNAL,
		    dpr_driver_alloc(q1, DPR_USM_DEVICE, N, 0, &none));
	CHECK_TEXT("mem->alloc answered DPR_RC_CANNOT_WAIT");
	CHECK_TEXT("rule S8");
	mock2->fail(MOCK_queue_copy, 1, 1, DPR_RC_CANNOT_WAIT, 0);
	CHECK_FAILS(DPR_ERROR_INTERNAL,
		    dpr_usm_copy(q2, c, 0, d, 0, N, NULL, NULL));
	CHECK_TEXT("queue->copy answered -17, a code that does not exist");
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_usm_release(c);
	dpr_usm_release(d);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* The program asked for the missing event, or the core needs it. */
START_TEST(events_that_are_not_there)
{
	dpr_queue *free_queue;
	dpr_usm *usm = new_ints(q1, N, 1);
	dpr_event *event;
	int value = 2;

	CHECK_OK(dpr_queue_wait(q1));
	nothing(MOCK_queue_fill);
	CHECK_FAULT("queue->fill",
		    dpr_usm_fill(q1, usm, 0, &value, 4, 4, NULL, &event));
	ck_assert_ptr_null(event);
	nothing(MOCK_queue_barrier);
	CHECK_FAULT("queue->barrier", dpr_queue_barrier(q1, NULL, &event));
	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), DPR_QUEUE_OUT_OF_ORDER,
				  &free_queue));
	nothing(MOCK_queue_fill);
	CHECK_FAULT("queue->fill",
		    dpr_usm_fill(free_queue, usm, 0, &value, 4, 4, NULL, NULL));
	/* The core does this fill by a write and copies. */
	mock->fail(MOCK_queue_fill, 1, 1, DPR_RC_NO_PATH, 0);
	nothing(MOCK_queue_write);
	CHECK_FAULT("queue->write", dpr_usm_fill(free_queue, usm, 4, &value, 4,
						 N * 4 - 4, NULL, NULL));
	ck_assert_int_eq(first_int(q1, usm), 1);
	dpr_queue_release(free_queue);
	dpr_usm_release(usm);
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_EVENT), 0);
}
END_TEST

/* Return codes that the ABI does not have. */
START_TEST(codes_that_are_none)
{
	char said[128];
	dpr_usm *usm;
	int code;

	for (code = 2; code < 5; code++) {
		mock->fail(MOCK_mem_alloc, 1, 1, code, 0);
		snprintf(said, sizeof(said),
			 "mem->alloc answered %d, a code that does not exist, "
			 "against rule E1 of dpr/backend.h [mock]",
			 code);
		CHECK_FAILS(DPR_ERROR_INTERNAL,
			    dpr_driver_alloc(q1, DPR_USM_DEVICE, N, 0, &usm));
		CHECK_TEXT(said);
	}
	mock->fail(MOCK_queue_flush, 1, 1, 99, 0);
	usm = new_ints(q1, N, 1);
	CHECK_FAILS(DPR_ERROR_INTERNAL, dpr_queue_flush(q1));
	dpr_usm_release(usm);
}
END_TEST

/* Calls that go to an entry which makes nothing, or here makes nothing. */
static dpr_status call_flush(dpr_usm *usm)
{
	int value = 3;

	CHECK_OK(dpr_usm_fill(q1, usm, 0, &value, 4, 4, NULL, NULL));
	return dpr_queue_flush(q1);
}

static dpr_status call_fill(dpr_usm *usm)
{
	int value = 3;

	return dpr_usm_fill(q1, usm, 0, &value, 4, 4, NULL, NULL);
}

static dpr_status call_wait(dpr_usm *usm)
{
	CHECK_OK(call_fill(usm));
	return dpr_queue_wait(q1);
}

static dpr_status call_advise(dpr_usm *usm)
{
	return dpr_usm_advise(q1, usm, 0, 4, DPR_ADVICE_NONE);
}

static dpr_status call_info(dpr_usm *usm)
{
	uint64_t value;

	(void)usm;
	return dpr_device_info_u64(dpr_queue_device(q1), DPR_INFO_VENDOR_ID,
				   &value);
}

static dpr_status call_partition(dpr_usm *usm)
{
	size_t n;

	(void)usm;
	return dpr_device_partition_equally(dpr_queue_device(q1), 1, NULL, 0,
					    &n);
}

static dpr_status call_native(dpr_usm *usm)
{
	uintptr_t handle;

	(void)usm;
	return dpr_queue_native(q1, &handle);
}

static dpr_status call_alloc(dpr_usm *usm)
{
	(void)usm;
	return dpr_driver_alloc(q1, DPR_USM_DEVICE, N, 0, &(dpr_usm *){ 0 });
}

static const struct {
	enum mock_entry entry;
	const char *name;
	dpr_status (*call)(dpr_usm *usm);
} odd[] = {
	{ MOCK_queue_flush, "queue->flush", call_flush },
	{ MOCK_queue_fill, "queue->fill", call_fill },
	{ MOCK_queue_finish, "queue->finish", call_wait },
	{ MOCK_queue_advise, "queue->advise", call_advise },
	{ MOCK_device_info, "device->info", call_info },
	{ MOCK_device_partition, "device->partition", call_partition },
	{ MOCK_native_get, "native_get", call_native },
	{ MOCK_mem_alloc, "mem->alloc", call_alloc },
};
#define N_ODD (int)(sizeof(odd) / sizeof(*odd))

/* The text says which entry answered with a code that does not exist, or with
   INTERNAL and no word. */
START_TEST(answers_without_words)
{
	static const int codes[] = { 99, -19, DPR_RC_INTERNAL };
	dpr_usm *usm = new_ints(q1, N, 1);
	char said[128];
	int i;

	for (i = 0; i < 3; i++) {
		CHECK_OK(dpr_queue_wait(q1));
		mock->fail(odd[_i].entry, 1, 1, codes[i], MOCK_SILENT);
		if (codes[i] == DPR_RC_INTERNAL)
			snprintf(said, sizeof(said),
				 "%s answered DPR_RC_INTERNAL and did not say "
				 "why",
				 odd[_i].name);
		else
			snprintf(said, sizeof(said),
				 "%s answered %d, a code that does not exist",
				 odd[_i].name, codes[i]);
		CHECK_FAILS(DPR_ERROR_INTERNAL, odd[_i].call(usm));
		CHECK_TEXT(said);
		mock->reset();
	}
	/* A text that the plugin itself gives is kept. */
	mock->fail(odd[_i].entry, 1, 1, DPR_RC_INTERNAL, 5);
	CHECK_FAILS(DPR_ERROR_INTERNAL, odd[_i].call(usm));
	CHECK_TEXT("ordered to fail");
	dpr_usm_release(usm);
}
END_TEST

static dpr_event *filled(dpr_queue *queue, dpr_usm *usm)
{
	dpr_event *event;
	int value = 2;

	CHECK_OK(dpr_usm_fill(queue, usm, 0, &value, 4, 4, NULL, &event));
	return event;
}

/* The state is wrong, first with the plugin's wait, which says that the event
   is done, and then without a wait. */
START_TEST(states_that_are_none)
{
	dpr_usm *usm = new_ints(q1, N, 1);
	dpr_event *event = filled(q1, usm);

	mock->lie(MOCK_LIE_STATE, 77);
	CHECK_FAULT_OF("event->status gave the state 77, which does not exist",
		       "N1", dpr_event_wait(event));
	dpr_event_release(event);
	event = filled(q1, usm);
	while (dpr_event_get_state(event) != DPR_EVENT_FAILED)
		;
	mock->lie(MOCK_LIE_STATE, 0);
	dpr_event_release(event);
	/* A wait for an event that is not done yet still times out. */
	mock->hold(1);
	event = filled(q1, usm);
	mock->lie(MOCK_LIE_STATE, 77);
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(event, 10 * MS));
	ck_assert_int_ne(dpr_event_get_state(event), DPR_EVENT_FAILED);
	mock->lie(MOCK_LIE_STATE, 0);
	mock->hold(0);
	CHECK_OK(dpr_event_wait(event));
	dpr_event_release(event);
	dpr_usm_release(usm);
}
END_TEST

START_TEST(failures_without_a_code)
{
	dpr_usm *usm = new_ints(q1, N, 1);
	dpr_event *event;

	CHECK_OK(dpr_queue_wait(q1));
	mock->lie(MOCK_LIE_CODE, 55);
	mock->fail_command(1, DPR_RC_NATIVE, -3);
	event = filled(q1, usm);
	CHECK_FAILS(DPR_ERROR_INTERNAL, dpr_event_wait(event));
	CHECK_TEXT("event->status gave DPRP_EVENT_FAILED with the code 55, "
		   "which is not a failure");
	dpr_event_release(event);
	dpr_usm_release(usm);
}
END_TEST

START_TEST(ends_before_starts)
{
	uint64_t duration = 1;
	dpr_queue *queue;
	dpr_event *event;
	dpr_times times;
	dpr_usm *usm;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1), DPR_QUEUE_PROFILING,
				  &queue));
	usm = new_ints(queue, N, 1);
	mock->lie(MOCK_LIE_TIMES, 5);
	event = filled(queue, usm);
	CHECK_FAILS(DPR_ERROR_PLUGIN, dpr_event_duration(event, &duration));
	CHECK_TEXT("event->status of backend mock says that fill ended 5 ns "
		   "before it started");
	CHECK_FAILS(DPR_ERROR_PLUGIN, dpr_event_times(event, &times));
	dpr_event_release(event);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
}
END_TEST

START_TEST(addresses_that_are_null)
{
	dpr_usm *usm;

	mock->lie(MOCK_LIE_ADDRESS, 1);
	CHECK_FAULT_OF("mem->info gave NULL as the address", "M5",
		       dpr_usm_alloc(q1, DPR_USM_DEVICE, N, &usm));
	CHECK_FAULT_OF("mem->info gave NULL as the address", "M5",
		       dpr_driver_alloc(q1, DPR_USM_DEVICE, N, 0, &usm));
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
	mock->lie(MOCK_LIE_ADDRESS, 0);
	CHECK_OK(dpr_usm_alloc(q1, DPR_USM_DEVICE, N, &usm));
	dpr_usm_release(usm);
}
END_TEST

/* The sizes of two answers must agree, since the first has made the buffer. */
START_TEST(parameters_that_grow)
{
	static const char source[] = "kernel void add_one(";
	dpr_program *program;
	dpr_kernel *kernel;

	CHECK_OK(dpr_program_from_source(q1, source, NULL, &program));
	mock->lie(MOCK_LIE_PARAMS, 16);
	CHECK_FAULT_OF("module->kernel_info gave 32 bytes of parameters, and "
		       "then 48; each has 16",
		       "K5", dpr_kernel_create(program, "add_one", &kernel));
	ck_assert_ptr_null(kernel);
	ck_assert_uint_eq(mock->live(MOCK_KERNEL), 0);
	mock->lie(MOCK_LIE_PARAMS, 0);
	CHECK_OK(dpr_kernel_create(program, "add_one", &kernel));
	dpr_kernel_release(kernel);
	dpr_program_release(program);
}
END_TEST

static void cut(enum dpr_info key)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", (int)key);
	setenv("DPR_OPTION_MOCK_CUT", number, 1);
	start_mocks();
}

/* Check that the text of backend mock in the load report has @words. */
static void check_note(const char *words)
{
	dpr_plugin_report *list;
	size_t n, i;

	CHECK_OK(dpr_plugins(1, &list, &n));
	for (i = 0; i < n && strcmp(list[i].name, "mock") != 0; i++)
		;
	ck_assert_uint_lt(i, n);
	ck_assert_msg(strstr(list[i].text, words) != NULL, "no \"%s\" in: %s",
		      words, list[i].text);
	dpr_free(list);
}

/* A type must have eight bytes: with four bytes, the device counts as
   custom. */
START_TEST(numbers_that_are_cut)
{
	dpr_device *device;

	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
	cut(DPR_INFO_TYPE);
	check_note("device->info returned 4 bytes that are not a valid TYPE of "
		   "device 0");
	device = dpr_queue_device(q1);
	ck_assert_int_eq(dpr_device_get_type(device), DPR_DEVICE_CUSTOM);
	ck_assert_str_eq(dpr_device_selector(device), "mock:custom:0");
}
END_TEST

START_TEST(answers_that_are_cut)
{
	uint64_t value;

	cut(DPR_INFO_COMPUTE_UNITS);
	CHECK_FAILS(DPR_ERROR_PLUGIN,
		    dpr_device_info_u64(dpr_queue_device(q1),
					DPR_INFO_COMPUTE_UNITS, &value));
	CHECK_TEXT("returned 4 bytes that are not a valid value, "
		   "against rule V6");
}
END_TEST

/* If the list of formats is invalid, the failed build says so. */
START_TEST(formats_that_are_cut)
{
	dpr_array *x, *y;

	setenv("DPR_OPTION_MOCK_FORMATS", "cut-format", 1);
	cut(DPR_INFO_FORMATS);
	CHECK_OK(dpr_empty(DPR_SHAPE(N), DPR_FLOAT32, q1, &x));
	CHECK_FAILS(DPR_ERROR_PLUGIN, dpr_add(x, 1, &y));
	CHECK_TEXT(
		"device info FORMATS of mock:gpu:0: device->info of backend mock returned "
		"10 bytes that are not a valid value");
	dpr_array_release(x);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("contract");
	TCase *tcase = tcase_create("mocks");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, objects_that_are_not_there);
	tcase_add_test(tcase, events_that_are_not_there);
	tcase_add_test(tcase, codes_that_are_none);
	tcase_add_test(tcase, codes_in_the_wrong_place);
	tcase_add_loop_test(tcase, answers_without_words, 0, N_ODD);
	tcase_add_test(tcase, states_that_are_none);
	tcase_add_test(tcase, failures_without_a_code);
	tcase_add_test(tcase, ends_before_starts);
	tcase_add_test(tcase, addresses_that_are_null);
	tcase_add_test(tcase, parameters_that_grow);
	suite_add_tcase(suite, tcase);
	tcase = tcase_create("information");
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, numbers_that_are_cut);
	tcase_add_test(tcase, answers_that_are_cut);
	tcase_add_test(tcase, formats_that_are_cut);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
