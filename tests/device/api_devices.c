/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selection of devices, their order, and twins, on mock backends.  Each test
 * runs in a process of its own with its own mock devices.
 */
#include "tests/support/device_select.h"

/* --- Selecting -------------------------------------------------------------
 */

START_TEST(selectors)
{
	use_two();
	setenv("DPR_OPTION_MOCK_DEVICES", "3", 1);
	setenv("DPR_OPTION_MOCK2_TYPE", "cpu", 1);
	setenv("DPR_OPTION_MOCK2_FP64", "0", 1);
	assert_list(NULL, "mock:gpu:0 mock:gpu:1 mock:gpu:2 mock2:cpu:0");
	assert_list("", "mock:gpu:0 mock:gpu:1 mock:gpu:2 mock2:cpu:0");
	assert_list("gpu", "mock:gpu:0 mock:gpu:1 mock:gpu:2");
	assert_list("\t GPU ", "mock:gpu:0 mock:gpu:1 mock:gpu:2");
}
END_TEST

static const struct {
	const char *selector, *devices;
} selections[] = {
	{ "gpu:1", "mock:gpu:1" },
	{ "1", "mock:gpu:1" },
	{ "3", "mock2:cpu:0" },
	{ "4", "" },
	{ "MOCK:Gpu:2", "mock:gpu:2" },
	{ "2:gpu:mock", "mock:gpu:2" },
	{ "mock2", "mock2:cpu:0" },
	{ "mock2:0", "mock2:cpu:0" },
	{ "mock2:gpu", "" },
	{ "cpu,gpu:0", "mock2:cpu:0 mock:gpu:0" },
	{ "gpu:2,gpu", "mock:gpu:2 mock:gpu:0 mock:gpu:1" },
	{ " cpu , mock:0 ", "mock2:cpu:0 mock:gpu:0" },
	{ "!gpu", "mock2:cpu:0" },
	{ "!gpu:0", "mock:gpu:1 mock:gpu:2 mock2:cpu:0" },
	{ "gpu,!mock:1", "mock:gpu:0 mock:gpu:2" },
	{ "! mock2", "mock:gpu:0 mock:gpu:1 mock:gpu:2" },
	{ "+fp64", "mock:gpu:0 mock:gpu:1 mock:gpu:2" },
	{ "-fp64", "mock2:cpu:0" },
	{ "+FP64+Emulated", "mock:gpu:0 mock:gpu:1 mock:gpu:2" },
	{ "gpu:1-fp64", "" },
	{ "cpu-fp64", "mock2:cpu:0" },
	{ "cuda,cpu", "mock2:cpu:0" },
	{ "accelerator", "" },
	{ "mock:0.1", "mock:gpu:0.1" },
	{ "gpu:1/equally:2.1", "mock:gpu:1/equally:2.1" },
	{ "gpu:1/counts:1+2.1", "mock:gpu:1/counts:1+2.1" },
	{ "gpu:1/domain:numa.1", "mock:gpu:1/domain:numa.1" },
	{ "gpu:1/domain:next.1", "mock:gpu:1.1" },
	{ "gpu:1/Equally:2.1/equally:1.0",
	  "mock:gpu:1/equally:2.1/equally:1.0" },
	{ "gpu:0.1/equally:1.1", "mock:gpu:0.1/equally:1.1" },
	{ "gpu:0.7", "" },
	{ "gpu:0/counts:9.0", "" },
	{ "gpu:0.1+fp64", "mock:gpu:0.1" },
	{ "gpu:0.0,gpu:0.1,!gpu:0.0", "mock:gpu:0.1" },
	{ "gpu:0.0,cpu,!gpu", "mock2:cpu:0" },
};
#define N_SELECTIONS (int)(sizeof(selections) / sizeof(*selections))

START_TEST(selection)
{
	dpr_device *device;

	use_two();
	setenv("DPR_OPTION_MOCK_DEVICES", "3", 1);
	setenv("DPR_OPTION_MOCK2_TYPE", "cpu", 1);
	setenv("DPR_OPTION_MOCK2_FP64", "0", 1);
	assert_list(selections[_i].selector, selections[_i].devices);
	if (*selections[_i].devices) {
		device = select_ok(selections[_i].selector);
		ck_assert_ptr_eq(device,
				 select_ok(dpr_device_selector(device)));
		return;
	}
	ck_assert_int_lt(dpr_device_select(selections[_i].selector, &device),
			 0);
	ck_assert_ptr_null(device);
	files_assert_error(selections[_i].selector);
	files_assert_error("available: mock");
}
END_TEST

static const struct {
	const char *selector, *words;
} malformed[] = {
	{ "gpuu", "column 1: unknown word \"gpuu\"; did you mean \"gpu\"?" },
	{ "gpu,moc:1",
	  "column 5: unknown word \"moc\"; did you mean \"mock\"" },
	{ "opncl", "did you mean \"opencl\"" },
	{ "xyzzy", "known: cpu, gpu, accelerator, custom, cuda" },
	{ "gpu:cpu", "column 5: a term can have only one type" },
	{ "mock:mock", "column 6: a term can have only one backend" },
	{ "1:2", "column 3: a term can have only one index" },
	{ "gpu:", "column 5: expected a backend, a type or an index, found the "
		  "end" },
	{ "gpu:-1", "column 5: expected a backend" },
	{ "gpu:1x", "column 5: expected a number, found \"1x\"" },
	{ "gpu,", "column 5: expected" },
	{ ",gpu", "column 1: expected" },
	{ "gpu cpu", "column 5: expected \",\" or the end, found \"cpu\"" },
	{ "gpu*", "column 4: expected \",\" or the end" },
	{ "99999999999999999999", "column 1: the number is too large" },
	{ "gpu:0.", "column 7: expected a number" },
	{ "gpu:0/", "column 7: expected kind of division: equally" },
	{ "gpu:0/equaly:1.0", "did you mean \"equally\"" },
	{ "gpu:0/xyzzy:1.0", "column 7: unknown kind of division \"xyzzy\"; "
			     "known: equally, counts, domain" },
	{ "gpu:0/equally", "column 14: expected \":\"" },
	{ "gpu:0/equally:0.0", "column 15: a sub-device has at least 1" },
	{ "gpu:0/equally:1+1.0", "\"equally\" takes one number" },
	{ "gpu:0/counts:1+.0", "column 16: expected a number" },
	{ "gpu:0/counts:1", "column 15: expected \".\"" },
	{ "gpu:0/domain:numas.0", "did you mean \"numa\"" },
	{ "gpu+emulatd", "column 5: unknown aspect \"emulatd\"; did you mean "
			 "\"emulated\"?" },
	{ "gpu+", "column 5: expected the name of an aspect" },
	{ "gpu-1", "column 5: unknown aspect" },
	{ "fp64", "\"fp64\" is an aspect: write +fp64" },
	{ "pci:zz", "column 5: expected a PCI address" },
	{ "pci:0000:3b:00", "expected a PCI address" },
	{ "uuid:12", "column 6: expected a UUID" },
	{ "!", "column 2: expected a backend" },
	{ "!!gpu", "column 2: expected a backend" },
	{ "\xff", "column 1: expected" },
};
#define N_MALFORMED (int)(sizeof(malformed) / sizeof(*malformed))

START_TEST(malformed_selector)
{
	dpr_device *device;
	char *text;
	size_t n;

	use_mock();
	ck_assert_int_eq(
		dpr_device_enumerate(malformed[_i].selector, NULL, 0, &n),
		DPR_ERROR_SELECTOR);
	files_assert_error(malformed[_i].words);
	ck_assert_int_eq(dpr_device_select(malformed[_i].selector, &device),
			 DPR_ERROR_SELECTOR);
	ck_assert_int_eq(dpr_device_explain(malformed[_i].selector, &text),
			 DPR_ERROR_SELECTOR);
	ck_assert_ptr_null(device);
	ck_assert_ptr_null(text);
}
END_TEST

START_TEST(capacity)
{
	dpr_device *devices[3] = { NULL, NULL, NULL };
	size_t n;

	use_mock();
	setenv("DPR_OPTION_MOCK_DEVICES", "3", 1);
	ck_assert_int_eq(dpr_device_enumerate("gpu", devices, 2, &n), DPR_OK);
	ck_assert_uint_eq(n, 3);
	ck_assert_ptr_nonnull(devices[1]);
	ck_assert_ptr_null(devices[2]);
	ck_assert_int_eq(dpr_device_enumerate("gpu", NULL, 2, &n),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_uint_eq(n, 0);
	ck_assert_int_eq(dpr_device_enumerate("gpu", devices, 2, NULL),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_ptr_null(devices[0]);
	ck_assert_int_eq(dpr_device_select("gpu", NULL),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_device_explain("gpu", NULL),
			 DPR_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(no_device_at_all)
{
	dpr_device *device;

	use_mock();
	setenv("DPR_OPTION_MOCK_DRIVER", "0", 1);
	ck_assert_int_eq(dpr_device_select(NULL, &device), DPR_ERROR_NOT_FOUND);
	files_assert_error(
		"no device was found\n  mock: absent: mock: DRIVER=0");
	assert_list(NULL, "");
}
END_TEST

START_TEST(explanation)
{
	char *text;

	use_two();
	setenv("DPR_OPTION_MOCK_DEVICES", "2", 1);
	ck_assert_int_eq(dpr_device_explain("mock:0.1,mock,!mock:gpu:1", &text),
			 DPR_OK);
	ck_assert_str_eq(
		text,
		"mock:gpu:0 (mock device 0): number 1, taken by \"mock\"\n"
		"mock:gpu:1 (mock device 1): dropped by \"!mock:gpu:1\"\n"
		"mock2:gpu:0 (mock2 device 0): no term matches it\n"
		"mock:gpu:0.1 (mock device 0): number 0, taken by "
		"\"mock:0.1\"\n");
	dpr_free(text);
}
END_TEST

/* Repeating a selection makes no call to a driver. */
START_TEST(a_hit_asks_no_driver)
{
	const struct mock_control *mock;
	dpr_device *device;

	use_mock();
	mock = mock_control_open("mock", NULL, 0);
	ck_assert_ptr_nonnull(mock);
	device = select_ok("mock:gpu:0/equally:2.1");
	mock->reset();
	ck_assert_ptr_eq(device, select_ok("gpu:0/equally:2.1"));
	ck_assert_ptr_eq(dpr_device_parent(device), select_ok(NULL));
	ck_assert_uint_eq(mock->calls(MOCK_device_info), 0);
	ck_assert_uint_eq(mock->calls(MOCK_device_partition), 0);
	ck_assert_uint_eq(mock->calls(MOCK_device_get), 0);
	ck_assert_uint_eq(mock->calls(MOCK_open), 0);
}
END_TEST

/* --- The default device ----------------------------------------------------
 */

static const struct {
	const char *type, *type2, *backend, *device, *wanted;
} defaults[] = {
	{ "gpu", "gpu", NULL, NULL, "mock:gpu:0" },
	{ "cpu", "gpu", NULL, NULL, "mock2:gpu:0" },
	{ "cpu", "accelerator", NULL, NULL, "mock2:accelerator:0" },
	{ "custom", "cpu", NULL, NULL, "mock2:cpu:0" },
	{ "accelerator", "gpu", NULL, NULL, "mock2:gpu:0" },
	{ "gpu", "gpu", "mock2,mock", NULL, "mock2:gpu:0" },
	{ "gpu", "cpu", "mock2,mock", NULL, "mock:gpu:0" },
	{ "gpu", "cpu", "mock2", NULL, "mock2:cpu:0" },
	{ "gpu", "cpu", NULL, "CPU", "mock2:cpu:0" },
	{ "gpu", "cpu", NULL, "mock:1", "mock:gpu:1" },
	{ "gpu", "cpu", NULL, "accelerator,mock:0.1", "mock:gpu:0.1" },
	{ "gpu", "cpu", NULL, "accelerator", NULL },
};
#define N_DEFAULTS (int)(sizeof(defaults) / sizeof(*defaults))

START_TEST(default_device)
{
	dpr_device *device = NULL;

	use_two();
	setenv("DPR_OPTION_MOCK_DEVICES", "2", 1);
	setenv("DPR_OPTION_MOCK_TYPE", defaults[_i].type, 1);
	setenv("DPR_OPTION_MOCK2_TYPE", defaults[_i].type2, 1);
	if (defaults[_i].backend)
		setenv("DPR_BACKEND", defaults[_i].backend, 1);
	if (defaults[_i].device)
		setenv("DPR_DEVICE", defaults[_i].device, 1);
	if (!defaults[_i].wanted) {
		ck_assert_int_eq(dpr_device_select(NULL, &device),
				 DPR_ERROR_NOT_FOUND);
		files_assert_error("DPR_DEVICE=\"accelerator\"");
		return;
	}
	device = select_ok(NULL);
	ck_assert_str_eq(dpr_device_selector(device), defaults[_i].wanted);
	/* The default device is fixed once it has been chosen. */
	setenv("DPR_DEVICE", "mock:gpu:1", 1);
	ck_assert_ptr_eq(device, select_ok(""));
}
END_TEST

/* If DPR_DEVICE matches nothing, the error lists the devices of all backends,
   even if the variable names one backend. */
START_TEST(failed_by_variable)
{
	dpr_device *device;

	use_two();
	setenv("DPR_DEVICE", "mock:cpu", 1);
	ck_assert_int_eq(dpr_device_select(NULL, &device), DPR_ERROR_NOT_FOUND);
	files_assert_error("no device matches DPR_DEVICE=\"mock:cpu\"");
	files_assert_error(
		"available: mock:gpu:0 (mock device 0), mock2:gpu:0");
}
END_TEST

/* If a selector argument matches nothing, no other driver is started for the
   error, but the text names the backends that were not started. */
START_TEST(failed_by_argument)
{
	dpr_device *device;

	use_two();
	ck_assert_int_eq(dpr_device_select("mock:cpu", &device),
			 DPR_ERROR_NOT_FOUND);
	files_assert_error("available: mock:gpu:0 (mock device 0)\n");
	files_assert_error("mock2: not started, because the selector leaves it "
			   "out");
	ck_assert_int_eq(files_line(0, "/libdpr-mock2.so")->stage,
			 DPR_PLUGIN_LOADED);
	ck_assert_int_eq(dpr_device_select("cuda", &device),
			 DPR_ERROR_NOT_FOUND);
	files_assert_error("available: mock:gpu:0 (mock device 0)\n");
	files_assert_error("mock2: not started");
}
END_TEST

/* A bad variable that is found only while making this error is reported by the
   next call. */
START_TEST(failed_beside_a_bad_option)
{
	dpr_device *device;

	use_two();
	setenv("DPR_OPTION_MOCK2_NOSUCH", "1", 1);
	setenv("DPR_DEVICE", "mock:cpu", 1);
	ck_assert_int_eq(dpr_device_select(NULL, &device), DPR_ERROR_NOT_FOUND);
	files_assert_error("available: mock:gpu:0");
	ck_assert_int_eq(dpr_device_select(NULL, &device),
			 DPR_ERROR_ENVIRONMENT);
	files_assert_error("DPR_OPTION_MOCK2_NOSUCH");
}
END_TEST

/* Native backends come before opencl, and opencl before host; by name if
   equal. */
START_TEST(select_where)
{
	const char *const fp64[] = { "fp64" }, *const cpu[] = { "CPU" },
			  *const wrong[] = { "fp65" };
	dpr_device *device;

	use_two();
	setenv("DPR_OPTION_MOCK_FP64", "0", 1);
	setenv("DPR_OPTION_MOCK2_TYPE", "cpu", 1);
	ck_assert_int_eq(dpr_device_select_where(fp64, 1, NULL, 0, &device),
			 DPR_OK);
	ck_assert_str_eq(dpr_device_selector(device), "mock2:cpu:0");
	ck_assert_int_eq(dpr_device_select_where(NULL, 0, NULL, 0, &device),
			 DPR_OK);
	ck_assert_str_eq(dpr_device_selector(device), "mock:gpu:0");
	ck_assert_int_eq(dpr_device_select_where(NULL, 0, fp64, 1, &device),
			 DPR_OK);
	ck_assert_str_eq(dpr_device_selector(device), "mock:gpu:0");
	ck_assert_int_eq(dpr_device_select_where(fp64, 1, cpu, 1, &device),
			 DPR_ERROR_NOT_FOUND);
	files_assert_error("+fp64-CPU");
	ck_assert_ptr_null(device);
	ck_assert_int_eq(dpr_device_select_where(wrong, 1, NULL, 0, &device),
			 DPR_ERROR_INVALID_ARGUMENT);
	files_assert_error("\"fp65\" is not an aspect");
	ck_assert_int_eq(dpr_device_select_where(NULL, 1, NULL, 0, &device),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_device_select_where(fp64, 1, NULL, 0, NULL),
			 DPR_ERROR_INVALID_ARGUMENT);
}
END_TEST

/* --- Twins -----------------------------------------------------------------
 */

#define UUID "00112233445566778899aabbccddee00"

START_TEST(twins_by_uuid)
{
	dpr_device *a, *b;
	char text[64];
	size_t n;

	use_two();
	setenv("DPR_OPTION_MOCK_DEVICES", "2", 1);
	setenv("DPR_OPTION_MOCK_UUID", UUID, 1);
	setenv("DPR_OPTION_MOCK2_UUID", UUID, 1);
	assert_list("gpu", "mock:gpu:0 mock:gpu:1 mock2:gpu:0");
	a = select_ok("mock:gpu:0");
	b = select_ok("mock2:gpu:0");
	ck_assert_ptr_eq(dpr_device_twin(a), b);
	ck_assert_ptr_eq(dpr_device_twin(b), a);
	ck_assert_ptr_null(dpr_device_twin(select_ok("mock:gpu:1")));
	ck_assert_ptr_null(dpr_device_twin(select_ok("mock:gpu:0.1")));
	ck_assert_str_eq(dpr_device_info_string(a, DPR_INFO_TWIN),
			 "mock2:gpu:0");
	ck_assert_int_eq(
		dpr_device_info(b, DPR_INFO_TWIN, text, sizeof(text), &n),
		DPR_OK);
	ck_assert_str_eq(text, "mock:gpu:0");
	/* In a list, a physical device that two backends show counts once. */
	assert_list("gpu:0", "mock:gpu:0");
	assert_list("gpu:1", "mock:gpu:1");
	assert_list("gpu:2", "");
	assert_list("mock2:0", "mock2:gpu:0");
	assert_list("uuid:" UUID, "mock:gpu:0 mock2:gpu:0");
	assert_list("uuid:00112233-4455-6677-8899-AABBCCDDEE01", "mock:gpu:1");
	assert_list("uuid:ffffffffffffffffffffffffffffffff", "");
}
END_TEST

START_TEST(twins_by_pci_address)
{
	use_two();
	setenv("DPR_OPTION_MOCK_PCI", "0000:3b:00.0", 1);
	setenv("DPR_OPTION_MOCK2_PCI", "0:3B:0.0", 1);
	setenv("DPR_OPTION_MOCK2_DEVICES", "2", 1);
	assert_list("gpu:0", "mock:gpu:0");
	assert_list("gpu:1", "mock2:gpu:1");
	ck_assert_ptr_eq(dpr_device_twin(select_ok("mock:gpu:0")),
			 select_ok("mock2:gpu:0"));
	assert_list("pci:0000:3b:00.0", "mock:gpu:0 mock2:gpu:0");
	assert_list("pci:3b:0.0", "mock:gpu:0 mock2:gpu:0");
	assert_list("pci:3c:0.0", "mock2:gpu:1");
	assert_list("!pci:3b:0.0", "mock2:gpu:1");
}
END_TEST

/* Without a UUID or PCI address, two backends are taken to show different
   devices. */
START_TEST(no_twins_without_identity)
{
	use_two();
	assert_list("gpu:1", "mock2:gpu:0");
	ck_assert_ptr_null(dpr_device_twin(select_ok("mock")));
}
END_TEST

/* The twin is known only after the second backend has been opened. */
START_TEST(twin_comes_later)
{
	dpr_device *a;

	use_two();
	setenv("DPR_OPTION_MOCK_UUID", UUID, 1);
	setenv("DPR_OPTION_MOCK2_UUID", UUID, 1);
	a = select_ok("mock");
	ck_assert_ptr_null(dpr_device_twin(a));
	select_ok("mock2");
	ck_assert_str_eq(dpr_device_selector(dpr_device_twin(a)),
			 "mock2:gpu:0");
	ck_assert_ptr_eq(a, select_ok("mock"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("devices");
	TCase *select = tcase_create("select");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(select, selectors);
	tcase_add_loop_test(select, selection, 0, N_SELECTIONS);
	tcase_add_loop_test(select, malformed_selector, 0, N_MALFORMED);
	tcase_add_test(select, capacity);
	tcase_add_test(select, no_device_at_all);
	tcase_add_test(select, explanation);
	tcase_add_test(select, a_hit_asks_no_driver);
	tcase_add_loop_test(select, default_device, 0, N_DEFAULTS);
	tcase_add_test(select, failed_by_variable);
	tcase_add_test(select, failed_by_argument);
	tcase_add_test(select, failed_beside_a_bad_option);
	tcase_add_test(select, select_where);
	tcase_add_test(select, twins_by_uuid);
	tcase_add_test(select, twins_by_pci_address);
	tcase_add_test(select, no_twins_without_identity);
	tcase_add_test(select, twin_comes_later);
	suite_add_tcase(suite, select);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
