/* SPDX-License-Identifier: Apache-2.0 */
/* api_ze_states.c - the Level Zero backend without a driver, with drivers and
   devices that do not work, and with two drivers; and the information on
   devices. */
#include "tests/level_zero/level_zero_test.h"

static void check_stage(enum dpr_plugin_stage stage, const char *part)
{
	use_backends(NULL);
	check_report("level_zero", stage, part);
	finish_all();
}

/* The backend is absent, and the report contains @part, or @loader where the
   loader calls the drivers in zeInit, as 1.20 does, and so finds the fault
   first. */
static void check_absent(const char *part, const char *loader)
{
	dpr_plugin_report *list = NULL;
	size_t n, i;

	use_backends(NULL);
	CHECK_OK(dpr_plugins(1, &list, &n));
	for (i = 0; i < n; i++)
		if (!strcmp(list[i].name, "level_zero") &&
		    strstr(list[i].text, loader))
			part = loader;
	dpr_free(list);
	check_report("level_zero", DPR_PLUGIN_ABSENT, part);
	finish_all();
}

START_TEST(no_driver)
{
	setenv("ZE_ENABLE_ALT_DRIVERS", "/nowhere/libze.so", 1);
	check_stage(DPR_PLUGIN_ABSENT, "zeInit: ZE_RESULT_ERROR_UNINITIALIZED");
}
END_TEST

START_TEST(a_driver_that_does_not_start)
{
	ck_assert(zecpu->set("INIT", 0x70020000));
	check_stage(DPR_PLUGIN_ABSENT,
		    "zeInit: ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE");
}
END_TEST

START_TEST(no_device)
{
	ck_assert(zecpu->set("DEVICES", 0));
	check_absent("the drivers list no device",
		     "zeInit: ZE_RESULT_ERROR_UNINITIALIZED");
}
END_TEST

/* An NPU has a Level Zero driver, but does not run SPIR-V. */
START_TEST(devices_of_another_type)
{
	ck_assert(zecpu->set("TYPE", 5)); /* ZE_DEVICE_TYPE_VPU */
	check_stage(DPR_PLUGIN_ABSENT, "NPUs cannot");
}
END_TEST

START_TEST(one_of_two_drivers_is_of_another_type)
{
	open_second_driver();
	ck_assert(zecpu->set("TYPE", 5));
	check_stage(DPR_PLUGIN_READY, "Level Zero device 0 is left out: it "
				      "cannot run SPIR-V kernels");
}
END_TEST

START_TEST(a_device_that_is_not_described)
{
	ck_assert(zecpu->fail("zeDeviceGetComputeProperties", 1, 0x70000001));
	check_stage(DPR_PLUGIN_READY, "Level Zero device 0 is left out");
}
END_TEST

START_TEST(a_driver_that_is_not_described)
{
	ck_assert(zecpu->fail("zeDriverGetProperties", 1, 0x7ffffffe));
	check_absent("none of the drivers' devices",
		     "zeInit: ZE_RESULT_ERROR_UNKNOWN");
}
END_TEST

START_TEST(one_of_two_drivers_is_not_described)
{
	open_second_driver();
	ck_assert(zecpu->fail("zeDriverGetApiVersion", 1, 0x7ffffffe));
	check_stage(DPR_PLUGIN_READY, "Level Zero driver 0 is left out");
}
END_TEST

START_TEST(what_is_told_of_devices)
{
	dpr_device *first, *second;
	unsigned char uuid[16];
	uint64_t list[3];
	size_t need, n;

	ck_assert(zecpu->set("FP64", 1));
	use_backends(NULL);
	first = get_device("level_zero:0");
	second = get_device("level_zero:1");
	CHECK_OK(dpr_device_enumerate("level_zero", NULL, 0, &n));
	ck_assert_uint_eq(n, 2);
	check_text(first, DPR_INFO_NAME, "zecpu device 0");
	check_text(first, DPR_INFO_PLATFORM_NAME, "Level Zero");
	check_text(first, DPR_INFO_VERSION, "Level Zero 1.4");
	CHECK_OK(dpr_device_info(second, DPR_INFO_UUID, uuid, sizeof(uuid),
				 &need));
	ck_assert_uint_eq(get_number(first, DPR_INFO_ASPECT_FP64), 1);
	ck_assert_uint_eq(get_number(second, DPR_INFO_ASPECT_FP64), 0);
	ck_assert_uint_eq(get_number(first, DPR_INFO_TYPE), DPR_DEVICE_GPU);
	/* 83.33 ns, computed from the ticks per second. */
	ck_assert_uint_eq(get_number(first, DPR_INFO_TIMER_RESOLUTION), 83);
	ck_assert_uint_eq(get_number(first, DPR_INFO_MAX_WORK_GROUP_SIZE), 256);
	ck_assert_uint_eq(get_number(first, DPR_INFO_MAX_SUB_GROUPS), 32);
	CHECK_OK(dpr_device_info(first, DPR_INFO_SUB_GROUP_SIZES, list,
				 sizeof(list), &need));
	ck_assert_uint_eq(need, sizeof(list));
	ck_assert_uint_eq(list[0] + list[1] + list[2], 8 + 16 + 32);
	/* Larger than maxMemAllocSize, thanks to the relaxed limits. */
	ck_assert_uint_eq(get_number(first, DPR_INFO_MAX_ALLOC_SIZE),
			  get_number(first, DPR_INFO_GLOBAL_MEM_SIZE));
	ck_assert_uint_eq(get_number(first, DPR_INFO_ASPECT_COMPOSITE), 1);
	ck_assert_uint_eq(get_number(second, DPR_INFO_ASPECT_COMPOSITE), 0);
	finish_all();
}
END_TEST

/* The devices of two drivers have different binary targets. */
START_TEST(two_drivers)
{
	char targets[2][128];
	size_t need, n;
	int i;

	open_second_driver();
	use_backends(NULL);
	CHECK_OK(dpr_device_enumerate("level_zero", NULL, 0, &n));
	ck_assert_uint_eq(n, 4);
	for (i = 0; i < 2; i++)
		CHECK_OK(dpr_device_info(
			get_device(i ? "level_zero:2" : "level_zero:0"),
			DPR_INFO_BINARY_TARGET, targets[i], sizeof(targets[i]),
			&need));
	ck_assert_str_ne(targets[0], targets[1]);
	finish_all();
}
END_TEST

/* Tiles, by domain and by counts that correspond to tiles. */
START_TEST(tiles)
{
	dpr_device *root, *parts[8], *tile;
	uint64_t units, odd[2];
	size_t n;

	use_backends(NULL);
	root = get_device("level_zero:0");
	tile = get_device("level_zero:0.1");
	units = get_number(tile, DPR_INFO_COMPUTE_UNITS);
	ck_assert_uint_eq(get_number(root, DPR_INFO_PARTITION_UNIT), units);
	ck_assert_uint_eq(get_number(tile, DPR_INFO_ASPECT_COMPONENT), 1);
	ck_assert_uint_eq(get_number(tile, DPR_INFO_PARTITION_TYPE_DOMAIN),
			  DPR_DOMAIN_NUMA);
	CHECK_OK(dpr_device_partition_domain(root, DPR_DOMAIN_NUMA, parts, 8,
					     &n));
	ck_assert_uint_eq(n, 2);
	CHECK_OK(dpr_device_partition_equally(root, units, parts, 8, &n));
	ck_assert_uint_eq(n, 2);
	odd[0] = units;
	CHECK_OK(dpr_device_partition_counts(root, odd, 1, parts, 8, &n));
	ck_assert_uint_eq(n, 1);
	CHECK_FAILS(
		DPR_ERROR_UNSUPPORTED,
		dpr_device_partition_domain(root, DPR_DOMAIN_L3, parts, 8, &n));
	CHECK_TEXT("cannot be divided by this domain");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_device_partition_domain(tile, DPR_DOMAIN_NUMA, parts, 8,
						&n));
	CHECK_TEXT("cannot divide");
	dpr_usm_release(new_ints(queue_of(tile), DPR_USM_DEVICE, 4, 1));
	finish_all();
}
END_TEST

/* In the flat hierarchy, each tile is a root device of the driver: none can be
   divided, and they use each other's memory. */
START_TEST(tiles_as_devices)
{
	dpr_queue *queues[2];
	dpr_device *parts[2];
	dpr_usm *x, *y;
	char name[64];
	size_t n, i;

	ck_assert(zecpu->set("FLAT", 1));
	use_backends(NULL);
	CHECK_OK(dpr_device_enumerate("level_zero", NULL, 0, &n));
	ck_assert_uint_eq(n, 3);
	CHECK_OK(dpr_device_info(get_device("level_zero:1"), DPR_INFO_NAME,
				 name, sizeof(name), &n));
	ck_assert_str_eq(name, "zecpu device 0 tile 1");
	for (i = 0; i < 2; i++) {
		dpr_device *tile =
			get_device(i ? "level_zero:1" : "level_zero:0");

		ck_assert_uint_eq(get_number(tile, DPR_INFO_ASPECT_COMPONENT),
				  0);
		ck_assert_uint_eq(get_number(tile, DPR_INFO_ASPECT_COMPOSITE),
				  0);
		CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
			    dpr_device_partition_domain(tile, DPR_DOMAIN_NUMA,
							parts, 2, &n));
		queues[i] = new_queue(tile, 0);
	}
	x = new_ints(queues[0], DPR_USM_DEVICE, 4, 7);
	y = new_ints(queues[1], DPR_USM_DEVICE, 4, 0);
	CHECK_OK(dpr_usm_copy(queues[1], y, 0, x, 0, 16, NULL, NULL));
	ck_assert_int_eq(get_int(queues[1], y, 3), 7);
	for (i = 0; i < 2; i++)
		dpr_queue_release(queues[i]);
	dpr_usm_release(x);
	dpr_usm_release(y);
	finish_all();
}
END_TEST

START_TEST(no_tiles)
{
	dpr_device *parts[2];
	size_t n;

	ck_assert(zecpu->set("SUBDEVICES", 0));
	use_backends(NULL);
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_device_partition_equally(get_device("level_zero:0"), 1,
						 parts, 2, &n));
	finish_all();
}
END_TEST

int main(int argc, char **argv)
{
	const TTest *const tests[] = {
		no_driver,
		a_driver_that_does_not_start,
		no_device,
		devices_of_another_type,
		one_of_two_drivers_is_of_another_type,
		a_device_that_is_not_described,
		a_driver_that_is_not_described,
		one_of_two_drivers_is_not_described,
		what_is_told_of_devices,
		two_drivers,
		tiles,
		tiles_as_devices,
		no_tiles,
	};

	/* Scripts call this. */
	if (argc == 2 && !strcmp(argv[1], "able"))
		return find_missing();
	return run_tests("api_ze_states", tests,
			 sizeof(tests) / sizeof(tests[0]));
}
