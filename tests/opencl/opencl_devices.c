/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the OpenCL plugin without libdpr: opening, devices, their
   information, sub-devices. */
#include <stdio.h>

#include "opencl_support.h"

static struct bench bench;

static const struct {
	const char *name;
	uint32_t key;
	enum dpr_info_type type;
} keys[] = {
#define X(name, number, type, unit, text) \
	{ #name, number, DPR_INFO_TYPE_##type },
	DPR_INFO_MAP(X)
#undef X
};

START_TEST(descriptor_is_whole)
{
	const dprp_plugin *plugin = bench.plugin;

	ck_assert_uint_eq(plugin->magic, DPRP_MAGIC);
	ck_assert_uint_eq(plugin->abi_major, 1);
	ck_assert_str_eq(plugin->name, "opencl");
	ck_assert_str_eq(plugin->license, "Apache-2.0");
	ck_assert_ptr_nonnull(plugin->module->pick);
	ck_assert_ptr_nonnull(plugin->queue->launch);
	ck_assert_ptr_nonnull(plugin->event->notify);
}
END_TEST

START_TEST(bad_option_names_the_good_ones)
{
	struct host_table *table = host_table_new();
	dprp_instance *instance = NULL;

	host_table_option(table, "MEMORY", "svm");
	FAILS(bench.plugin->open(host_table_host(table), &instance),
	      DPR_RC_INVALID, "usm, svm-fine, svm-coarse or buffer");
	ck_assert_ptr_null(instance);
	host_table_free(table);
}
END_TEST

START_TEST(forced_path_skips_devices_without_it)
{
	struct host_table *table = host_table_new();
	dprp_instance *instance = NULL;
	dprp_rc rc;

	host_table_option(table, "MEMORY", "usm");
	rc = bench.plugin->open(host_table_host(table), &instance);
	if (rc == DPR_RC_OK) {
		/* A newer driver has this path for all devices. */
		bench.plugin->close(instance, DPRP_CLOSE_FINALIZE);
	} else {
		ck_assert_int_eq(rc, DPR_RC_NO_DEVICE);
		ck_assert_ptr_nonnull(
			strstr(host_table_error(), "DPR_OPTION_OPENCL_MEMORY"));
		ck_assert_ptr_nonnull(
			strstr(host_table_log(table), "is left out"));
	}
	host_table_free(table);
}
END_TEST

START_TEST(missing_loader_is_no_driver)
{
	struct host_table *table = host_table_new();
	dprp_instance *instance = NULL;

	host_table_driver(table, "/nonexistent/libOpenCL.so.1");
	FAILS(bench.plugin->open(host_table_host(table), &instance),
	      DPR_RC_NO_DRIVER, "libOpenCL.so.1");
	ck_assert_ptr_null(instance);
	host_table_free(table);
}
END_TEST

START_TEST(open_survives_missing_memory)
{
	unsigned long nth;

	/* Fail each allocation of an open once, until open makes fewer. */
	for (nth = 1; nth < 1000; nth++) {
		struct host_table *table = host_table_new();
		dprp_instance *instance = NULL;
		dprp_rc rc;

		host_table_fail_alloc(table, nth);
		rc = bench.plugin->open(host_table_host(table), &instance);
		host_table_fail_alloc(table, 0);
		ck_assert_int_eq(rc == DPR_RC_OK, instance != NULL);
		if (instance)
			bench.plugin->close(instance, DPRP_CLOSE_FINALIZE);
		host_table_free(table);
		if (rc == DPR_RC_OK && nth > 20)
			break;
	}
	ck_assert_uint_lt(nth, 1000);
}
END_TEST

START_TEST(get_is_stable)
{
	dprp_device *one, *again;
	uint32_t n = 0;

	OK(bench.plugin->device->count(bench.instance, &n));
	ck_assert_uint_ge(n, 1);
	OK(bench.plugin->device->get(bench.instance, n - 1, &one));
	OK(bench.plugin->device->get(bench.instance, n - 1, &again));
	ck_assert_ptr_eq(one, again);
	FAILS(bench.plugin->device->get(bench.instance, n, &one),
	      DPR_RC_INVALID, "device");
	ck_assert_ptr_null(one);
}
END_TEST

/* Check that a value has the form of its type. */
static void check_value(const char *name, enum dpr_info_type type,
			const unsigned char *value, size_t size)
{
	uint64_t number = 0;

	switch (type) {
	case DPR_INFO_TYPE_STRING:
		ck_assert_msg(size > 1 && value[size - 1] == 0 &&
				      strlen((const char *)value) == size - 1,
			      "%s is no string", name);
		break;
	case DPR_INFO_TYPE_BOOL:
		ck_assert_uint_eq(size, 8);
		memcpy(&number, value, 8);
		ck_assert_msg(number <= 1, "%s is %llu", name,
			      (unsigned long long)number);
		break;
	case DPR_INFO_TYPE_U64:
	case DPR_INFO_TYPE_FLAGS: ck_assert_uint_eq(size, 8); break;
	case DPR_INFO_TYPE_LIST:
		ck_assert_msg(size && size % 8 == 0, "%s", name);
		break;
	case DPR_INFO_TYPE_UUID: ck_assert_uint_eq(size, 16); break;
	case DPR_INFO_TYPE_STRINGS:
		ck_assert_msg(!size || !value[size - 1], "%s", name);
		break;
	}
}

START_TEST(every_key_keeps_the_protocol)
{
	size_t i, answered = 0;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		size_t need = 0, again = 0;
		unsigned char *value;
		dprp_rc rc;

		host_table_clear();
		rc = bench.plugin->device->info(bench.device, keys[i].key, NULL,
						0, &need);
		if (rc == DPR_RC_UNSUPPORTED) {
			ck_assert_str_ne(host_table_error(), "");
			continue;
		}
		ck_assert_msg(rc == DPR_RC_OK, "%s: %d", keys[i].name, rc);
		answered++;
		value = malloc(need + 8);
		ck_assert_ptr_nonnull(value);
		memset(value, 0xa5, need + 8);
		if (need) {
			FAILS(bench.plugin->device->info(bench.device,
							 keys[i].key, value,
							 need - 1, &again),
			      DPR_RC_INVALID, "bytes");
			ck_assert_msg(value[0] == 0xa5, "%s", keys[i].name);
		}
		OK(bench.plugin->device->info(bench.device, keys[i].key, value,
					      need, &again));
		ck_assert_uint_eq(again, need);
		ck_assert_uint_eq(value[need], 0xa5);
		check_value(keys[i].name, keys[i].type, value, need);
		free(value);
	}
	ck_assert_uint_gt(answered, 60);
	FAILS(bench.plugin->device->info(bench.device, 899, NULL, 0,
					 &(size_t){ 0 }),
	      DPR_RC_UNSUPPORTED, "899");
}
END_TEST

START_TEST(values_make_sense)
{
	char *path = bench_text(&bench, bench.device, DPR_INFO_MEMORY_PATH);
	char *formats = bench_text(&bench, bench.device, DPR_INFO_FORMATS);
	uint64_t sizes[3] = { 0 };
	size_t need = 0;

	ck_assert_uint_ge(
		bench_u64(&bench, bench.device, DPR_INFO_COMPUTE_UNITS), 1);
	ck_assert_uint_ge(
		bench_u64(&bench, bench.device, DPR_INFO_GLOBAL_MEM_SIZE),
		bench_u64(&bench, bench.device, DPR_INFO_MAX_ALLOC_SIZE));
	if (bench_is_pocl())
		ck_assert_uint_eq(
			bench_u64(&bench, bench.device, DPR_INFO_TYPE),
			DPR_DEVICE_CPU);
	ck_assert_uint_eq(bench_u64(&bench, bench.device, DPR_INFO_ASPECT_CPU),
			  bench_is_pocl());
	ck_assert_uint_eq(bench_u64(&bench, bench.device, DPR_INFO_ASPECT_GPU),
			  !bench_is_pocl());
	ck_assert_uint_eq(
		bench_u64(&bench, bench.device, DPR_INFO_PARTITION_TYPE), 0);
	ck_assert_uint_eq(
		bench_u64(&bench, bench.device, DPR_INFO_SUB_BUFFER_ALIGN), 1);
	OK(bench.plugin->device->info(bench.device,
				      DPR_INFO_MAX_WORK_ITEM_SIZES, sizes,
				      sizeof(sizes), &need));
	ck_assert_uint_ge(sizes[0], 256);
	ck_assert_str_eq(formats,
			 bench_is_pocl() ? DPRP_NATIVE_FORMAT : "opencl-c");
	ck_assert_msg(!bench_is_pocl() || strcmp(path, "svm-fine") == 0 ||
			      strcmp(path, "usm") == 0,
		      "%s", path);
	free(path);
	free(formats);
}
END_TEST

START_TEST(division_by_counts_and_equally)
{
	uint64_t one[] = { 1 }, counts[] = { 1, 1 };
	dprp_partition how = { .struct_size = sizeof(how),
			       .how = DPR_PARTITION_EQUALLY,
			       .n_counts = 1,
			       .counts = one };
	dprp_device *subs[2] = { NULL, NULL };
	uint64_t units =
		bench_u64(&bench, bench.device, DPR_INFO_COMPUTE_UNITS);
	uint32_t n = 0;

	if (units < 2 || !bench_divides(&bench))
		return;
	OK(bench.plugin->device->partition(bench.device, &how, NULL, 0, &n));
	ck_assert_uint_eq(n, units);
	OK(bench.plugin->device->partition(bench.device, &how, subs, 1, &n));
	ck_assert_uint_eq(n, units);
	ck_assert_ptr_nonnull(subs[0]);
	ck_assert_ptr_null(subs[1]);
	ck_assert_uint_eq(bench_u64(&bench, subs[0], DPR_INFO_COMPUTE_UNITS),
			  1);
	ck_assert_uint_eq(bench_u64(&bench, subs[0], DPR_INFO_PARTITION_TYPE),
			  DPR_PARTITION_EQUALLY);

	how.how = DPR_PARTITION_COUNTS;
	how.n_counts = 2;
	how.counts = counts;
	OK(bench.plugin->device->partition(bench.device, &how, subs, 2, &n));
	ck_assert_uint_eq(n, 2);
	ck_assert_ptr_ne(subs[0], subs[1]);
	ck_assert_uint_eq(bench_u64(&bench, subs[1], DPR_INFO_PARTITION_TYPE),
			  DPR_PARTITION_COUNTS);
}
END_TEST

START_TEST(bad_divisions_are_refused)
{
	uint64_t counts[] = { 0 }, many[] = { 1000000 };
	dprp_partition how = { .struct_size = sizeof(how),
			       .how = DPR_PARTITION_EQUALLY,
			       .n_counts = 1,
			       .counts = counts };
	dprp_device *subs[2];
	uint32_t n = 7;

	if (!bench_divides(&bench))
		return;
	FAILS(bench.plugin->device->partition(bench.device, &how, subs, 2, &n),
	      DPR_RC_INVALID, "compute units");
	ck_assert_uint_eq(n, 0);
	how.counts = many;
	host_table_clear();
	ck_assert_int_ne(bench.plugin->device->partition(bench.device, &how,
							 subs, 2, &n),
			 DPR_RC_OK);
	ck_assert_ptr_nonnull(strstr(host_table_error(), "clCreateSubDevices"));
	how.how = DPR_PARTITION_DOMAIN;
	how.domain = 99;
	FAILS(bench.plugin->device->partition(bench.device, &how, subs, 2, &n),
	      DPR_RC_UNSUPPORTED, "domain");
	how.how = 77;
	FAILS(bench.plugin->device->partition(bench.device, &how, subs, 2, &n),
	      DPR_RC_UNSUPPORTED, "divided");
}
END_TEST

START_TEST(clocks_answer_or_say_no)
{
	uint64_t device_ns = 0, host_ns = 0;
	dprp_rc rc = bench.plugin->device->clocks(bench.device, &device_ns,
						  &host_ns);

	if (rc == DPR_RC_OK)
		ck_assert_uint_gt(host_ns, 0);
	else
		ck_assert_int_eq(rc, DPR_RC_UNSUPPORTED);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *tcase;
	const char *why = NULL;
	int rc;

	if (!bench_open(&bench, NULL, bench_platform(), &why)) {
		printf("needs %s: %s\n", bench_platform(), why);
		return 77;
	}
	suite = suite_create("opencl devices");
	tcase = tcase_create("devices");
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, descriptor_is_whole);
	tcase_add_test(tcase, bad_option_names_the_good_ones);
	tcase_add_test(tcase, forced_path_skips_devices_without_it);
	tcase_add_test(tcase, missing_loader_is_no_driver);
	tcase_add_test(tcase, open_survives_missing_memory);
	tcase_add_test(tcase, get_is_stable);
	tcase_add_test(tcase, every_key_keeps_the_protocol);
	tcase_add_test(tcase, values_make_sense);
	tcase_add_test(tcase, division_by_counts_and_equally);
	tcase_add_test(tcase, bad_divisions_are_refused);
	tcase_add_test(tcase, clocks_answer_or_say_no);
	suite_add_tcase(suite, tcase);
	rc = bench_run(suite);
	bench_close(&bench);
	return rc;
}
