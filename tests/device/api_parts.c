/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sub-devices, and the information that devices give, on mock backends.  Each
 * test runs in a process of its own with its own mock devices.
 */
#include <pthread.h>

#include "tests/support/device_select.h"

#define UUID "00112233445566778899aabbccddee00"

/* --- Sub-devices -----------------------------------------------------------
 */

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
	ck_assert_int_eq(
		dpr_device_partition_counts(device, counts, 2, b, 4, &n),
		DPR_OK);
	ck_assert_uint_eq(n, 2);
	ck_assert_str_eq(dpr_device_selector(b[1]), "mock:gpu:0/counts:1+3.1");
	ck_assert_ptr_eq(b[1], select_ok("mock:gpu:0/counts:1+3.1"));
	/* One unit is left over: no part gets it. */
	ck_assert_int_eq(dpr_device_partition_equally(device, 3, a, 4, &n),
			 DPR_OK);
	ck_assert_uint_eq(n, 1);
	ck_assert_ptr_null(a[1]);
	/* Divide a part again. */
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

/* The device has more parts than its properties suggest: the core asks
   twice. */
START_TEST(more_than_expected)
{
	const struct mock_control *mock;
	dpr_device *device, *parts[9];
	size_t n, i;

	setenv("DPR_OPTION_MOCK_DOMAINS", "9", 1);
	use_mock();
	mock = mock_control_open("mock", NULL, 0);
	device = select_ok("mock");
	mock->reset();
	ck_assert_int_eq(dpr_device_partition_domain(device, DPR_DOMAIN_NUMA,
						     parts, 9, &n),
			 DPR_OK);
	ck_assert_uint_eq(n, 9);
	ck_assert_uint_eq(mock->calls(MOCK_device_partition), 2);
	for (i = 0; i < n; i++)
		ck_assert_ptr_eq(dpr_device_parent(parts[i]), device);
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
						     next, 2, &n),
			 DPR_OK);
	ck_assert_uint_eq(n, 2);
	ck_assert_str_eq(dpr_device_selector(next[1]), "mock:gpu:0.1");
	ck_assert_int_eq(dpr_device_partition_domain(device, DPR_DOMAIN_NUMA,
						     numa, 2, &n),
			 DPR_OK);
	ck_assert_str_eq(dpr_device_selector(numa[1]),
			 "mock:gpu:0/domain:numa.1");
	ck_assert_int_eq(
		dpr_device_info_u64(next[0], DPR_INFO_PARTITION_TYPE, &value),
		DPR_OK);
	ck_assert_uint_eq(value, DPR_PARTITION_DOMAIN);
	ck_assert_int_lt(
		dpr_device_partition_domain(device, DPR_DOMAIN_L2, next, 2, &n),
		0);
	ck_assert_uint_eq(n, 0);
	ck_assert_int_eq(dpr_device_partition_domain(
				 device, (enum dpr_domain)99, next, 2, &n),
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
	files_assert_error(
		"5 compute units are requested, but the device has 4");
	ck_assert_int_eq(
		dpr_device_partition_counts(device, NULL, 0, &part, 1, &n),
		DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(
		dpr_device_partition_counts(device, NULL, 2, &part, 1, &n),
		DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(
		dpr_device_partition_counts(device, zero, 2, &part, 1, &n),
		DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(
		dpr_device_partition_counts(device, many, 2, &part, 1, &n),
		DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(
		dpr_device_partition_counts(device, huge, 2, &part, 1, &n),
		DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_device_partition_equally(NULL, 1, &part, 1, &n),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_device_partition_equally(device, 1, NULL, 1, &n),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(
		dpr_device_partition_equally(device, 1, &part, 1, NULL),
		DPR_ERROR_INVALID_ARGUMENT);
}
END_TEST

static uint64_t units_of(const dpr_device *device)
{
	uint64_t value = 0;

	ck_assert_int_eq(
		dpr_device_info_u64(device, DPR_INFO_COMPUTE_UNITS, &value),
		DPR_OK);
	return value;
}

static void start_units(const struct mock_control **mock, dpr_device **device)
{
	setenv("DPR_OPTION_MOCK_UNITS", "20", 1);
	setenv("DPR_OPTION_MOCK_UNIT", "8", 1);
	use_mock();
	*mock = mock_control_open("mock", NULL, 0);
	*device = select_ok("mock");
	(*mock)->reset();
}

/* The mock refuses counts that are not multiples of 8: they are rounded up. */
START_TEST(parts_have_whole_units)
{
	const uint64_t small[] = { 1, 2 }, other[] = { 8, 5 };
	const struct mock_control *mock;
	dpr_device *device, *a[4], *b[4];
	uint64_t value;
	size_t n;

	start_units(&mock, &device);
	ck_assert_int_eq(
		dpr_device_info_u64(device, DPR_INFO_PARTITION_UNIT, &value),
		DPR_OK);
	ck_assert_uint_eq(value, 8);
	ck_assert_int_eq(dpr_device_partition_equally(device, 3, a, 4, &n),
			 DPR_OK);
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(units_of(a[1]), 8);
	ck_assert_str_eq(dpr_device_selector(a[1]), "mock:gpu:0/equally:8.1");
	ck_assert_int_eq(dpr_device_partition_equally(device, 8, b, 4, &n),
			 DPR_OK);
	ck_assert_mem_eq(a, b, sizeof(a));
	ck_assert_ptr_eq(select_ok("mock:0/equally:2.1"), a[1]);
	ck_assert_uint_eq(mock->calls(MOCK_device_partition), 1);
	ck_assert_int_eq(
		dpr_device_partition_counts(device, small, 2, a, 4, &n),
		DPR_OK);
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(units_of(a[0]), 8);
	ck_assert_str_eq(dpr_device_selector(a[0]), "mock:gpu:0/counts:8+8.0");
	ck_assert_int_eq(
		dpr_device_partition_counts(device, other, 2, b, 4, &n),
		DPR_OK);
	ck_assert_mem_eq(a, b, sizeof(a));
	ck_assert_ptr_eq(select_ok("mock:gpu:0/counts:8+8.0"), a[0]);
	ck_assert_uint_eq(mock->calls(MOCK_device_partition), 2);
	/* Divide a part again. */
	ck_assert_int_eq(dpr_device_partition_equally(device, 9, a, 4, &n),
			 DPR_OK);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(units_of(a[0]), 16);
	ck_assert_int_eq(dpr_device_partition_equally(a[0], 1, b, 4, &n),
			 DPR_OK);
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(units_of(b[1]), 8);
}
END_TEST

/* Divide @device into two parts.  Check that the last part has @units, and
   return this part. */
static dpr_device *last_part(dpr_device *device, uint64_t first, uint64_t last,
			     uint64_t units)
{
	const uint64_t counts[] = { first, last };
	dpr_device *parts[2];
	size_t n;

	ck_assert_int_eq(
		dpr_device_partition_counts(device, counts, 2, parts, 2, &n),
		DPR_OK);
	ck_assert_uint_eq(n, 2);
	ck_assert_uint_eq(units_of(parts[1]), units);
	return parts[1];
}

/* A device of 20 units with partition unit 8: the last part may be rounded up
   only to what is left. */
START_TEST(the_last_part_gets_what_is_left)
{
	const struct mock_control *mock;
	dpr_device *device, *whole, *part;
	const uint64_t all = 20;
	size_t n;

	start_units(&mock, &device);
	ck_assert_int_eq(
		dpr_device_partition_equally(device, 20, &whole, 1, &n),
		DPR_OK);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(units_of(whole), 20);
	ck_assert_str_eq(dpr_device_selector(whole), "mock:gpu:0/equally:20.0");
	ck_assert_ptr_eq(select_ok("mock:gpu:0/equally:20.0"), whole);
	/* A part of fewer than all units is rounded up to the same. */
	ck_assert_int_eq(dpr_device_partition_equally(device, 17, &part, 1, &n),
			 DPR_OK);
	ck_assert_ptr_eq(part, whole);
	ck_assert_int_eq(
		dpr_device_partition_counts(device, &all, 1, &part, 1, &n),
		DPR_OK);
	ck_assert_uint_eq(units_of(part), 20);
	part = last_part(device, 8, 12, 12);
	ck_assert_str_eq(dpr_device_selector(part), "mock:gpu:0/counts:8+12.1");
	ck_assert_ptr_eq(last_part(device, 1, 9, 12), part);
	ck_assert_ptr_eq(select_ok("mock:gpu:0/counts:8+12.1"), part);
	last_part(device, 16, 4, 4);
	/* If there is room, the last part is rounded up, too. */
	last_part(device, 8, 3, 8);
}
END_TEST

START_TEST(more_whole_units_than_there_are)
{
	const uint64_t many[] = { 9, 5 }, huge[] = { UINT64_MAX - 1, 1 };
	const struct mock_control *mock;
	dpr_device *device, *part;
	size_t n;

	start_units(&mock, &device);
	ck_assert_int_eq(
		dpr_device_partition_counts(device, many, 2, &part, 1, &n),
		DPR_ERROR_INVALID_ARGUMENT);
	files_assert_error("multiple of 8 (PARTITION_UNIT), which makes 24 "
			   "compute units, but the device has 20");
	ck_assert_int_eq(dpr_device_partition_equally(device, 21, &part, 1, &n),
			 DPR_ERROR_INVALID_ARGUMENT);
	files_assert_error("(PARTITION_UNIT), which makes 24");
	ck_assert_int_eq(
		dpr_device_partition_counts(device, huge, 2, &part, 1, &n),
		DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(dpr_device_partition_equally(device, 0, &part, 1, &n),
			 DPR_ERROR_INVALID_ARGUMENT);
	files_assert_error("at least 1 compute unit");
	ck_assert_uint_eq(mock->calls(MOCK_device_partition), 0);
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

/* A plugin whose device table has no partition(). */
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
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, divide, parts[i]), 0);
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

/* --- Information -----------------------------------------------------------
 */

#define EACH(name, number, type, unit, text) \
	{ #name, DPR_INFO_##name, DPR_INFO_TYPE_##type },

static const struct {
	const char *name;
	enum dpr_info key;
	enum dpr_info_type type;
} keys[] = { DPR_INFO_MAP(EACH) };

/* Each key either follows the two-call protocol or is not available. */
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
					 sizeof(value), &again),
			 DPR_OK);
	ck_assert_uint_eq(need, again);
	ck_assert_int_eq(
		dpr_device_info(device, keys[i].key, value, need, NULL),
		DPR_OK);
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
	ck_assert_int_eq(
		dpr_device_info_u64(device, DPR_INFO_COMPUTE_UNITS, &value),
		DPR_OK);
	ck_assert_uint_eq(value, 4);
	ck_assert_int_eq(dpr_device_info_u64(device, DPR_INFO_NAME, &value),
			 DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(
		dpr_device_info_u64(device, DPR_INFO_COMPUTE_UNITS, NULL),
		DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(
		dpr_device_info_u64(NULL, DPR_INFO_COMPUTE_UNITS, &value),
		DPR_ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(
		dpr_device_info_u64(device, (enum dpr_info)12345, &value),
		DPR_ERROR_NOT_FOUND);
	ck_assert_str_eq(dpr_device_info_string(device, DPR_INFO_VENDOR),
			 "the tests");
	ck_assert_ptr_eq(dpr_device_info_string(device, DPR_INFO_VENDOR),
			 dpr_device_info_string(device, DPR_INFO_VENDOR));
	ck_assert_ptr_null(dpr_device_info_string(device, DPR_INFO_TWIN));
	ck_assert_ptr_null(
		dpr_device_info_string(device, DPR_INFO_COMPUTE_UNITS));
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

/* Values that do not have the type of their key are not passed to the
   caller. */
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
	ck_assert_int_eq(
		dpr_device_info_u64(device, DPR_INFO_VENDOR_ID, &value),
		DPR_ERROR_PLUGIN);
	files_assert_error("VENDOR_ID");
	ck_assert_int_eq(
		dpr_device_info(device, DPR_INFO_EXTENSIONS, NULL, 0, &need),
		DPR_ERROR_PLUGIN);
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
	ck_assert_int_eq(
		dpr_device_info_u64(device, DPR_INFO_AVAILABLE, &value),
		DPR_OK);
	ck_assert_uint_eq(value, 1);
	mock->lose(0);
	ck_assert_int_eq(
		dpr_device_info_u64(device, DPR_INFO_AVAILABLE, &value),
		DPR_OK);
	ck_assert_uint_eq(value, 0);
	ck_assert_int_eq(dpr_device_partition_equally(device, 1, &part, 1, &n),
			 DPR_ERROR_DEVICE_LOST);
	ck_assert_ptr_eq(device, select_ok("mock"));
}
END_TEST

/* A selector takes a lost device only if nothing else matches. */
START_TEST(lost_sibling)
{
	static const char *const aspects[] = { "gpu", "fp64" };
	const struct mock_control *mock;
	dpr_device *first, *second, *found;

	setenv("DPR_OPTION_MOCK_DEVICES", "2", 1);
	use_mock();
	mock = mock_control_open("mock", NULL, 0);
	first = select_ok("mock:gpu:0");
	second = select_ok("mock:gpu:1");
	ck_assert_ptr_eq(first, select_ok("mock"));
	mock->lose(0);
	ck_assert_ptr_eq(second, select_ok("mock"));
	ck_assert_ptr_eq(second, select_ok("gpu"));
	ck_assert_ptr_eq(second, select_ok("mock:gpu:0,mock:gpu:1"));
	ck_assert_int_eq(dpr_device_select_where(aspects, 2, NULL, 0, &found),
			 DPR_OK);
	ck_assert_ptr_eq(second, found);
	/* A selector that names the lost device still finds it. */
	ck_assert_ptr_eq(first, select_ok("mock:gpu:0"));
	ck_assert_int_eq(dpr_device_select(NULL, &found), DPR_OK);
	ck_assert_ptr_eq(second, found);
	mock->lose(1);
	ck_assert_ptr_eq(first, select_ok("mock"));
	ck_assert_int_eq(dpr_device_select_where(aspects, 2, NULL, 0, &found),
			 DPR_OK);
	ck_assert_ptr_eq(first, found);
	/* The default device does not change. */
	ck_assert_int_eq(dpr_device_select(NULL, &found), DPR_OK);
	ck_assert_ptr_eq(second, found);
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
	Suite *suite = suite_create("sub-devices and info");
	TCase *parts = tcase_create("parts"), *info = tcase_create("info");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(parts, same_division_same_pointers);
	tcase_add_test(parts, domains);
	tcase_add_test(parts, more_than_expected);
	tcase_add_test(parts, wrong_divisions);
	tcase_add_test(parts, parts_have_whole_units);
	tcase_add_test(parts, the_last_part_gets_what_is_left);
	tcase_add_test(parts, more_whole_units_than_there_are);
	tcase_add_loop_test(parts, indivisible, 0, 2);
	tcase_add_test(parts, bare_plugin);
	tcase_add_test(parts, many_threads_divide_at_once);
	tcase_add_test(parts, division_that_fails_is_tried_again);
	tcase_add_loop_test(info, all_keys, 0, 2);
	tcase_add_test(info, numbers_and_strings);
	tcase_add_test(info, values_of_the_wrong_form);
	tcase_add_test(info, nameless_device);
	tcase_add_test(info, lost_device);
	tcase_add_test(info, lost_sibling);
	tcase_add_test(info, native_handles);
	suite_add_tcase(suite, parts);
	suite_add_tcase(suite, info);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
