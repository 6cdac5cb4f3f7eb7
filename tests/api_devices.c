/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices: selection, order, twins, sub-devices and what they tell, on mock
 * backends.  Each test has a process of its own and its own mock devices.
 */
#include <pthread.h>

#include "tests/loader_files.h"
#include "tests/plugins/mock_control.h"

#undef fail /* a macro of Check's, and an entry of the mock's table */

/* Load the mocks named, with an environment of "NAME=value" words after them;
   NULL ends both lists. */
static void use_plugins(const char *const *names)
{
	char *list = strdup(""), *longer, *path;

	unsetenv("DPR_PLUGIN_PATH");
	unsetenv("DPR_BACKEND");
	unsetenv("DPR_DEVICE");
	for (; *names; names++) {
		path = files_plugin(*names);
		ck_assert_int_ge(asprintf(&longer, "%s%s%s", list,
					  *list ? ":" : "", path), 0);
		free(path);
		free(list);
		list = longer;
	}
	setenv("DPR_PLUGINS", list, 1);
	free(list);
}

static void use_mock(void)
{
	const char *const names[] = { "libdpr-mock.so", NULL };

	use_plugins(names);
}

static void use_two(void)
{
	const char *const names[] = { "libdpr-mock.so", "libdpr-mock2.so",
				      NULL };

	use_plugins(names);
}

static dpr_device *select_ok(const char *selector)
{
	dpr_device *device = NULL;

	ck_assert_msg(!dpr_device_select(selector, &device), "%s",
		      dpr_last_error());
	ck_assert_ptr_nonnull(device);
	return device;
}

/* Assert that @selector enumerates the devices of these selectors, separated by
   blanks. */
static void assert_list(const char *selector, const char *wanted)
{
	dpr_device *devices[32];
	char got[4096] = "";
	size_t n, i;

	ck_assert_msg(!dpr_device_enumerate(selector, devices, 32, &n), "%s",
		      dpr_last_error());
	for (i = 0; i < n; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s",
			 i ? " " : "", dpr_device_selector(devices[i]));
	ck_assert_str_eq(got, wanted);
}

/* --- Selecting ------------------------------------------------------------- */

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
	{ "gpu:1/Equally:2.1/equally:1.0", "mock:gpu:1/equally:2.1/equally:1.0" },
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
	ck_assert_int_lt(dpr_device_select(selections[_i].selector, &device), 0);
	ck_assert_ptr_null(device);
	files_assert_error(selections[_i].selector);
	files_assert_error("there is: mock");
}
END_TEST

static const struct {
	const char *selector, *words;
} malformed[] = {
	{ "gpuu", "column 1: unknown word \"gpuu\"; did you mean \"gpu\"?" },
	{ "gpu,moc:1", "column 5: unknown word \"moc\"; did you mean \"mock\"" },
	{ "opncl", "did you mean \"opencl\"" },
	{ "xyzzy", "known: cpu, gpu, accelerator, custom, cuda" },
	{ "gpu:cpu", "column 5: a second type" },
	{ "mock:mock", "column 6: a second backend" },
	{ "1:2", "column 3: a second index" },
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
	{ "gpu:0/equally", "column 14: expected \":\"" },
	{ "gpu:0/equally:0.0", "column 15: a sub-device has at least 1" },
	{ "gpu:0/equally:1+1.0", "equally takes one number" },
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
	ck_assert_int_eq(dpr_device_enumerate(malformed[_i].selector, NULL, 0,
					      &n), DPR_ERROR_SELECTOR);
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
	files_assert_error("there is no device\n  mock: absent: mock: DRIVER=0");
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
	ck_assert_str_eq(text,
		"mock:gpu:0 (mock device 0): number 1, taken by \"mock\"\n"
		"mock:gpu:1 (mock device 1): dropped by \"!mock:gpu:1\"\n"
		"mock2:gpu:0 (mock2 device 0): no term matches it\n"
		"mock:gpu:0.1 (mock device 0): number 0, taken by "
		"\"mock:0.1\"\n");
	dpr_free(text);
}
END_TEST

/* A selection that was made before asks no driver for anything. */
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

/* --- The default device ---------------------------------------------------- */

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
	/* It is fixed. */
	setenv("DPR_DEVICE", "mock:gpu:1", 1);
	ck_assert_ptr_eq(device, select_ok(""));
}
END_TEST

/* Native backends before opencl before host, by name within one sort. */
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
	files_assert_error("\"fp65\" is no aspect");
	ck_assert_int_eq(dpr_device_select_where(NULL, 1, NULL, 0, &device),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_device_select_where(fp64, 1, NULL, 0, NULL),
			 DPR_ERROR_INVALID_ARGUMENT);
}
END_TEST

/* --- Twins ----------------------------------------------------------------- */

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
	ck_assert_str_eq(dpr_device_info_string(a, DPR_INFO_TWIN),
			 "mock2:gpu:0");
	ck_assert_int_eq(dpr_device_info(b, DPR_INFO_TWIN, text, sizeof(text),
					 &n), DPR_OK);
	ck_assert_str_eq(text, "mock:gpu:0");
	/* Physical devices are counted once. */
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

/* Two backends that say nothing show different devices, as far as is known. */
START_TEST(no_twins_without_identity)
{
	use_two();
	assert_list("gpu:1", "mock2:gpu:0");
	ck_assert_ptr_null(dpr_device_twin(select_ok("mock")));
}
END_TEST

/* The second backend makes the twin known when it is opened, later. */
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

/* --- Sub-devices ----------------------------------------------------------- */

START_TEST(same_division_same_pointers)
{
	dpr_device *device, *a[4], *b[4];
	const uint64_t counts[] = { 1, 3 };
	const struct mock_control *mock;
	size_t n;

	use_mock();
	mock = mock_control_open("mock", NULL, 0);
	device = select_ok("mock");
	mock->reset();
	ck_assert_int_eq(dpr_device_partition_equally(device, 1, a, 4, &n),
			 DPR_OK);
	ck_assert_uint_eq(n, 4);
	ck_assert_int_eq(dpr_device_partition_equally(device, 1, b, 4, &n),
			 DPR_OK);
	ck_assert_mem_eq(a, b, sizeof(a));
	ck_assert_uint_eq(mock->calls(MOCK_device_partition), 1);
	ck_assert_str_eq(dpr_device_selector(a[3]), "mock:gpu:0/equally:1.3");
	ck_assert_ptr_eq(dpr_device_parent(a[3]), device);
	ck_assert_ptr_eq(dpr_device_root(a[3]), device);
	ck_assert_ptr_null(dpr_device_parent(device));
	ck_assert_int_eq(dpr_device_partition_counts(device, counts, 2, b, 4,
						     &n), DPR_OK);
	ck_assert_uint_eq(n, 2);
	ck_assert_str_eq(dpr_device_selector(b[1]), "mock:gpu:0/counts:1+3.1");
	ck_assert_ptr_eq(b[1], select_ok("mock:gpu:0/counts:1+3.1"));
	/* What is left over is left out. */
	ck_assert_int_eq(dpr_device_partition_equally(device, 3, a, 4, &n),
			 DPR_OK);
	ck_assert_uint_eq(n, 1);
	ck_assert_ptr_null(a[1]);
	/* Parts of parts. */
	ck_assert_int_eq(dpr_device_partition_equally(b[1], 1, a, 2, &n),
			 DPR_OK);
	ck_assert_uint_eq(n, 3);
	ck_assert_str_eq(dpr_device_selector(a[1]),
			 "mock:gpu:0/counts:1+3.1/equally:1.1");
	ck_assert_ptr_eq(a[1], select_ok(dpr_device_selector(a[1])));
	ck_assert_ptr_eq(dpr_device_root(a[1]), device);
	ck_assert_ptr_null(a[2]);
}
END_TEST

START_TEST(domains)
{
	dpr_device *device, *next[2], *numa[2];
	uint64_t value;
	size_t n;

	use_mock();
	device = select_ok("mock");
	ck_assert_int_eq(dpr_device_partition_domain(device, DPR_DOMAIN_NEXT,
						     next, 2, &n), DPR_OK);
	ck_assert_uint_eq(n, 2);
	ck_assert_str_eq(dpr_device_selector(next[1]), "mock:gpu:0.1");
	ck_assert_int_eq(dpr_device_partition_domain(device, DPR_DOMAIN_NUMA,
						     numa, 2, &n), DPR_OK);
	ck_assert_str_eq(dpr_device_selector(numa[1]),
			 "mock:gpu:0/domain:numa.1");
	ck_assert_int_eq(dpr_device_info_u64(next[0], DPR_INFO_PARTITION_TYPE,
					     &value), DPR_OK);
	ck_assert_uint_eq(value, DPR_PARTITION_DOMAIN);
	ck_assert_int_lt(dpr_device_partition_domain(device, DPR_DOMAIN_L2,
						     next, 2, &n), 0);
	ck_assert_uint_eq(n, 0);
	ck_assert_int_eq(dpr_device_partition_domain(device,
			 (enum dpr_domain)99, next, 2, &n),
			 DPR_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(wrong_divisions)
{
	const uint64_t zero[] = { 2, 0 }, many[] = { 2, 3 },
		       huge[] = { UINT64_MAX, 2 };
	dpr_device *device, *part;
	size_t n = 7;

	use_mock();
	device = select_ok("mock");
	ck_assert_int_eq(dpr_device_partition_equally(device, 0, &part, 1, &n),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_uint_eq(n, 0);
	ck_assert_int_eq(dpr_device_partition_equally(device, 5, &part, 1, &n),
			 DPR_ERROR_INVALID_ARGUMENT);
	files_assert_error("5 compute units are wanted, it has 4");
	ck_assert_int_eq(dpr_device_partition_counts(device, NULL, 0, &part, 1,
						     &n),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_device_partition_counts(device, NULL, 2, &part, 1,
						     &n),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_device_partition_counts(device, zero, 2, &part, 1,
						     &n),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_device_partition_counts(device, many, 2, &part, 1,
						     &n),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_device_partition_counts(device, huge, 2, &part, 1,
						     &n),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_device_partition_equally(NULL, 1, &part, 1, &n),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_device_partition_equally(device, 1, NULL, 1, &n),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_device_partition_equally(device, 1, &part, 1,
						      NULL),
			 DPR_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(indivisible)
{
	dpr_device *device, *part;
	size_t n;

	use_mock();
	setenv("DPR_OPTION_MOCK_OPTIONAL", _i ? "1" : "0", 1);
	setenv("DPR_OPTION_MOCK_UNITS", "1", 1);
	device = select_ok("mock");
	ck_assert_int_eq(dpr_device_partition_equally(device, 1, &part, 1, &n),
			 DPR_ERROR_UNSUPPORTED);
	ck_assert_int_eq(dpr_device_select("gpu:0.1", &part),
			 DPR_ERROR_UNSUPPORTED);
	files_assert_error("mock:gpu:0");
	assert_list("gpu:0.1,gpu:0", "mock:gpu:0");
}
END_TEST

/* A plugin without the entry. */
START_TEST(bare_plugin)
{
	const char *const names[] = { "libdpr-mock_bare.so", NULL };
	dpr_device *part;
	size_t n;

	use_plugins(names);
	ck_assert_int_eq(dpr_device_partition_equally(select_ok("mock_bare"), 1,
						      &part, 1, &n),
			 DPR_ERROR_UNSUPPORTED);
}
END_TEST

static pthread_barrier_t barrier;

static void *divide(void *out)
{
	dpr_device **parts = out;
	dpr_device *device;
	size_t n;

	pthread_barrier_wait(&barrier);
	if (dpr_device_select("mock", &device) ||
	    dpr_device_partition_equally(device, 1, parts, 4, &n) || n != 4)
		parts[0] = NULL;
	return NULL;
}

START_TEST(many_threads_divide_at_once)
{
	const struct mock_control *mock;
	dpr_device *parts[8][4] = { { 0 } };
	pthread_t threads[8];
	size_t i;

	use_mock();
	mock = mock_control_open("mock", NULL, 0);
	mock->reset();
	pthread_barrier_init(&barrier, NULL, 8);
	for (i = 0; i < 8; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, divide,
						parts[i]), 0);
	for (i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	ck_assert_ptr_nonnull(parts[0][0]);
	for (i = 1; i < 8; i++)
		ck_assert_mem_eq(parts[i], parts[0], sizeof(parts[0]));
	ck_assert_uint_eq(mock->calls(MOCK_device_partition), 1);
	ck_assert_uint_eq(mock->calls(MOCK_open), 1);
}
END_TEST

START_TEST(division_that_fails_is_tried_again)
{
	const struct mock_control *mock;
	dpr_device *device, *part;
	size_t n;

	use_mock();
	mock = mock_control_open("mock", NULL, 0);
	device = select_ok("mock");
	mock->fail(MOCK_device_partition, 1, 1, DPR_RC_NATIVE, -9);
	ck_assert_int_eq(dpr_device_partition_equally(device, 1, &part, 1, &n),
			 DPR_ERROR_DRIVER);
	files_assert_error("mock:gpu:0");
	files_assert_error("driver code -9");
	ck_assert_int_eq(dpr_device_partition_equally(device, 1, &part, 1, &n),
			 DPR_OK);
}
END_TEST

/* --- Information ----------------------------------------------------------- */

#define EACH(name, number, type, unit, text) \
	{ #name, DPR_INFO_##name, DPR_INFO_TYPE_##type },

static const struct {
	const char *name;
	enum dpr_info key;
	enum dpr_info_type type;
} keys[] = { DPR_INFO_MAP(EACH) };

/* Every key answers under the two-call protocol, or is not available. */
static void check_key(const dpr_device *device, size_t i)
{
	unsigned char value[65536], small[65536];
	size_t need = 77, again;
	dpr_status status;

	status = dpr_device_info(device, keys[i].key, NULL, 0, &need);
	if (status == DPR_ERROR_UNSUPPORTED) {
		files_assert_error(keys[i].name);
		files_assert_error("not available");
		ck_assert_uint_eq(need, 0);
		return;
	}
	ck_assert_msg(!status, "%s: %s", keys[i].name, dpr_last_error());
	ck_assert_uint_le(need, sizeof(value));
	ck_assert_int_eq(dpr_device_info(device, keys[i].key, value,
					 sizeof(value), &again), DPR_OK);
	ck_assert_uint_eq(need, again);
	ck_assert_int_eq(dpr_device_info(device, keys[i].key, value, need,
					 NULL), DPR_OK);
	memset(small, 0xa5, sizeof(small));
	if (need)
		ck_assert_int_eq(dpr_device_info(device, keys[i].key, small,
						 need - 1, &again),
				 DPR_ERROR_INVALID_ARGUMENT);
	for (again = 0; again < need; again++)
		ck_assert_int_eq(small[again], 0xa5);
	if (keys[i].type == DPR_INFO_TYPE_STRING)
		ck_assert_str_eq((char *)value,
				 dpr_device_info_string(device, keys[i].key));
}

START_TEST(all_keys)
{
	dpr_device *device;
	size_t i;

	use_mock();
	setenv("DPR_OPTION_MOCK_UUID", UUID, 1);
	setenv("DPR_OPTION_MOCK_PCI", "0000:3b:00.0", 1);
	device = select_ok(_i ? "mock:0/equally:2.1" : "mock:0");
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		check_key(device, i);
}
END_TEST

START_TEST(numbers_and_strings)
{
	dpr_device *device;
	uint64_t value = 1;

	use_mock();
	device = select_ok("mock");
	ck_assert_int_eq(dpr_device_info_u64(device, DPR_INFO_COMPUTE_UNITS,
					     &value), DPR_OK);
	ck_assert_uint_eq(value, 4);
	ck_assert_int_eq(dpr_device_info_u64(device, DPR_INFO_NAME, &value),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_device_info_u64(device, DPR_INFO_COMPUTE_UNITS,
					     NULL), DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_device_info_u64(NULL, DPR_INFO_COMPUTE_UNITS,
					     &value),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_device_info_u64(device, (enum dpr_info)12345,
					     &value), DPR_ERROR_NOT_FOUND);
	ck_assert_str_eq(dpr_device_info_string(device, DPR_INFO_VENDOR),
			 "the tests");
	ck_assert_ptr_eq(dpr_device_info_string(device, DPR_INFO_VENDOR),
			 dpr_device_info_string(device, DPR_INFO_VENDOR));
	ck_assert_ptr_null(dpr_device_info_string(device, DPR_INFO_TWIN));
	ck_assert_ptr_null(dpr_device_info_string(device,
						  DPR_INFO_COMPUTE_UNITS));
	ck_assert_ptr_null(dpr_device_info_string(NULL, DPR_INFO_NAME));
	ck_assert_str_eq(dpr_device_info_string(device, DPR_INFO_BACKEND),
			 "mock");
	ck_assert_int_eq(dpr_device_has(device, "GPU"), 1);
	ck_assert_int_eq(dpr_device_has(device, "cpu"), 0);
	ck_assert_int_eq(dpr_device_has(device, "usm_shared"), 1);
	ck_assert_int_eq(dpr_device_has(device, "host_debuggable"), 0);
	ck_assert_int_eq(dpr_device_has(device, "nonsense"), 0);
	ck_assert_int_eq(dpr_device_has(NULL, "cpu"), 0);
	ck_assert_int_eq(dpr_device_has(device, NULL), 0);
	ck_assert_int_eq(dpr_device_get_type(device), DPR_DEVICE_GPU);
	ck_assert_ptr_null(dpr_device_name(NULL));
	ck_assert_ptr_null(dpr_device_selector(NULL));
	ck_assert_ptr_null(dpr_device_backend(NULL));
	ck_assert_ptr_null(dpr_device_root(NULL));
}
END_TEST

/* What is no value of a key does not reach the caller. */
START_TEST(values_of_the_wrong_form)
{
	const char *const names[] = { "bad.so", NULL };
	dpr_device *device;
	uint64_t value;
	size_t need;

	setenv("DPR_TEST_BAD", "info_type", 1);
	use_plugins(names);
	device = select_ok("bad");
	ck_assert_str_eq(dpr_device_selector(device), "bad:custom:0");
	ck_assert_ptr_null(dpr_device_info_string(device, DPR_INFO_VENDOR));
	ck_assert_int_eq(dpr_device_info_u64(device, DPR_INFO_VENDOR_ID,
					     &value), DPR_ERROR_PLUGIN);
	files_assert_error("VENDOR_ID");
	ck_assert_int_eq(dpr_device_info(device, DPR_INFO_EXTENSIONS, NULL, 0,
					 &need), DPR_ERROR_PLUGIN);
}
END_TEST

START_TEST(nameless_device)
{
	const char *const names[] = { "bad.so", NULL };

	setenv("DPR_TEST_BAD", "info_no_name", 1);
	use_plugins(names);
	ck_assert_str_eq(dpr_device_name(select_ok("bad")), "bad");
}
END_TEST

START_TEST(lost_device)
{
	const struct mock_control *mock;
	dpr_device *device, *part;
	uint64_t value;
	size_t n;

	use_mock();
	mock = mock_control_open("mock", NULL, 0);
	device = select_ok("mock");
	ck_assert_int_eq(dpr_device_info_u64(device, DPR_INFO_AVAILABLE,
					     &value), DPR_OK);
	ck_assert_uint_eq(value, 1);
	mock->lose(0);
	ck_assert_int_eq(dpr_device_info_u64(device, DPR_INFO_AVAILABLE,
					     &value), DPR_OK);
	ck_assert_uint_eq(value, 0);
	ck_assert_int_eq(dpr_device_partition_equally(device, 1, &part, 1, &n),
			 DPR_ERROR_DEVICE_LOST);
	ck_assert_ptr_eq(device, select_ok("mock"));
}
END_TEST

START_TEST(native_handles)
{
	dpr_device *device;
	uintptr_t a = 0, b = 0;

	use_mock();
	device = select_ok("mock");
	ck_assert_int_eq(dpr_device_native(device, DPR_NATIVE_DEVICE, &a),
			 DPR_OK);
	ck_assert_int_eq(dpr_device_native(device, DPR_NATIVE_CONTEXT, &b),
			 DPR_OK);
	ck_assert_uint_ne(a, 0);
	ck_assert_uint_ne(b, 0);
	ck_assert_int_eq(dpr_device_native(device, DPR_NATIVE_CONTEXT, &a),
			 DPR_OK);
	ck_assert_uint_eq(a, b);
	ck_assert_int_eq(dpr_device_native(device, DPR_NATIVE_KERNEL, &a),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_device_native(NULL, DPR_NATIVE_DEVICE, &a),
			 DPR_ERROR_INVALID_ARGUMENT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("devices");
	TCase *select = tcase_create("select"), *parts = tcase_create("parts"),
	      *info = tcase_create("info");
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
	tcase_add_test(select, select_where);
	tcase_add_test(select, twins_by_uuid);
	tcase_add_test(select, twins_by_pci_address);
	tcase_add_test(select, no_twins_without_identity);
	tcase_add_test(select, twin_comes_later);
	tcase_add_test(parts, same_division_same_pointers);
	tcase_add_test(parts, domains);
	tcase_add_test(parts, wrong_divisions);
	tcase_add_loop_test(parts, indivisible, 0, 2);
	tcase_add_test(parts, bare_plugin);
	tcase_add_test(parts, many_threads_divide_at_once);
	tcase_add_test(parts, division_that_fails_is_tried_again);
	tcase_add_loop_test(info, all_keys, 0, 2);
	tcase_add_test(info, numbers_and_strings);
	tcase_add_test(info, values_of_the_wrong_form);
	tcase_add_test(info, nameless_device);
	tcase_add_test(info, lost_device);
	tcase_add_test(info, native_handles);
	suite_add_tcase(suite, select);
	suite_add_tcase(suite, parts);
	suite_add_tcase(suite, info);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
