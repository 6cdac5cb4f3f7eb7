/* SPDX-License-Identifier: Apache-2.0 */
/* api_cuda_states.c - the CUDA backend without a driver, with an old one, and
   with devices that cannot be used; and the properties of devices. */
#include "tests/cuda/cuda_api.h"

static void check_stage(enum dpr_plugin_stage stage, const char *part)
{
	use_backends(NULL);
	check_report("cuda", stage, part);
	finish_all();
}

START_TEST(an_old_driver)
{
	mock->settings->version = 11080;
	check_stage(DPR_PLUGIN_ABSENT, "the driver is for CUDA 11.8");
}
END_TEST

START_TEST(no_device)
{
	mock->settings->n_devices = 0;
	check_stage(DPR_PLUGIN_ABSENT, "CUDA_ERROR_NO_DEVICE");
}
END_TEST

START_TEST(a_driver_that_does_not_fit)
{
	mock->settings->init_error = 803;
	check_stage(DPR_PLUGIN_ABSENT, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
}
END_TEST

START_TEST(a_driver_that_does_not_start)
{
	mock->settings->init_error = 999;
	check_stage(DPR_PLUGIN_ABSENT, "cuInit: CUDA_ERROR_UNKNOWN");
}
END_TEST

/* The toolkit's stub answers STUB_LIBRARY to each call. */
START_TEST(a_stub)
{
	mock->settings->version_error = 34;
	check_stage(DPR_PLUGIN_ABSENT,
		    "libcuda.so.1 does not report its version: it is a stub "
		    "for linking, or not NVIDIA's driver");
}
END_TEST

START_TEST(a_stub_with_a_version)
{
	mock->settings->init_error = 34;
	check_stage(DPR_PLUGIN_ABSENT,
		    "cuInit: CUDA_ERROR_STUB_LIBRARY: libcuda.so.1 is a stub "
		    "to link with, not NVIDIA's driver");
}
END_TEST

START_TEST(the_oldest_driver)
{
	mock->settings->version = 12000;
	check_stage(DPR_PLUGIN_READY, "");
}
END_TEST

START_TEST(a_device_that_is_not_described)
{
	mock->settings->devices[0].undescribed = true;
	check_stage(DPR_PLUGIN_READY, "CUDA device 0 is left out");
}
END_TEST

/* Device 0 is refused if its mode lets no program, or no other one, use it. */
static void check_refused(int mode, const char *part)
{
	dpr_queue *queue = NULL;
	dpr_device *device;
	uint64_t available = 7;
	size_t need;

	mock->settings->devices[0].mode = mode;
	mock->settings->devices[0].taken = true;
	use_backends(NULL);
	device = get_device("cuda:0");
	CHECK_OK(dpr_device_info(device, DPR_INFO_AVAILABLE, &available,
				 sizeof(available), &need));
	ck_assert_uint_eq(available, mode != 2);
	ck_assert_int_ne(dpr_device_queue(device, &queue), DPR_OK);
	CHECK_TEXT(part);
	/* The other device works. */
	dpr_usm_release(
		new_ints(queue_of(get_device("cuda:1")), DPR_USM_DEVICE, 4, 1));
	finish_all();
}

START_TEST(a_prohibited_device)
{
	check_refused(2, "\"prohibited\"");
}
END_TEST

START_TEST(an_exclusive_device)
{
	check_refused(3, "\"exclusive\"");
}
END_TEST

START_TEST(an_exclusive_device_that_is_free)
{
	mock->settings->devices[0].mode = 3;
	use_backends(NULL);
	dpr_usm_release(
		new_ints(queue_of(get_device("cuda:0")), DPR_USM_DEVICE, 4, 1));
	finish_all();
}
END_TEST

/* If no device may be used, the backend is ready, but a queue cannot be
   made. */
START_TEST(no_device_that_may_be_used)
{
	dpr_queue *queue = NULL;

	mock->settings->devices[0].mode = 2;
	mock->settings->devices[1].mode = 2;
	use_backends(NULL);
	ck_assert_int_ne(dpr_canonical_queue("cuda", &queue), DPR_OK);
	CHECK_TEXT("the compute mode of Mock H200 0 is \"prohibited\": no "
		   "program may use it (nvidia-smi -c 0 allows all)");
	check_stage(DPR_PLUGIN_READY, "");
}
END_TEST

/* Get byte @i of a text "uuid:" and hex digits with dashes. */
static unsigned char uuid_byte(const char *text, int i)
{
	char hex[3] = "";
	int at = 5, digits = 0;

	for (; text[at] && digits < 2 * i + 2; at++)
		if (text[at] != '-')
			hex[digits++ & 1] = text[at];
	return (unsigned char)strtoul(hex, NULL, 16);
}

START_TEST(what_is_told_of_devices)
{
	unsigned char uuid[16];
	char text[64];
	dpr_device *first, *second;
	size_t need, n;

	mock->settings->devices[1].instance = true;
	mock->settings->devices[1].units = 16;
	mock->settings->devices[1].managed = false;
	use_backends(NULL);
	first = get_device("cuda:0");
	second = get_device("cuda:1");
	CHECK_OK(dpr_device_enumerate("cuda", NULL, 0, &n));
	ck_assert_uint_eq(n, 2);
	check_text(first, DPR_INFO_NAME, "Mock H200 0");
	check_text(second, DPR_INFO_NAME, "Mock H200 1");
	check_text(first, DPR_INFO_PCI_ADDRESS, "0000:10:00.0");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_device_info(second, DPR_INFO_PCI_ADDRESS, text,
				    sizeof(text), &need));
	ck_assert_uint_eq(get_number(first, DPR_INFO_COMPUTE_UNITS), 132);
	ck_assert_uint_eq(get_number(second, DPR_INFO_COMPUTE_UNITS), 16);
	ck_assert_uint_eq(get_number(first, DPR_INFO_GLOBAL_MEM_SIZE),
			  UINT64_C(1) << 30);
	ck_assert_uint_eq(get_number(first, DPR_INFO_ASPECT_USM_SHARED), 1);
	ck_assert_uint_eq(get_number(second, DPR_INFO_ASPECT_USM_SHARED), 0);
	ck_assert_uint_eq(get_number(first, DPR_INFO_LOCAL_MEM_SIZE), 232448);
	CHECK_OK(dpr_device_info(second, DPR_INFO_UUID, uuid, sizeof(uuid),
				 &need));
	ck_assert_int_eq(uuid[3], 19);
	/* Describing devices makes no context, which would take time and
	   memory. */
	ck_assert_uint_eq(mock->calls("cuDevicePrimaryCtxRetain"), 0);
	finish_all();
}
END_TEST

/* The cache of programs tells devices apart by BINARY_TARGET. */
START_TEST(what_code_devices_take)
{
	static const char formats[] = "cubin\0ptx\0opencl-c\0calls-1";
	char text[sizeof(formats) + 1];
	size_t need;

	mock->settings->devices[1].major = 8;
	mock->settings->devices[1].minor = 6;
	use_backends(NULL);
	check_text(get_device("cuda:0"), DPR_INFO_BINARY_TARGET, "sm_90");
	check_text(get_device("cuda:1"), DPR_INFO_BINARY_TARGET, "sm_86");
	check_text(get_device("cuda:0"), DPR_INFO_VERSION,
		   "compute capability 9.0");
	check_text(get_device("cuda:0"), DPR_INFO_PLATFORM_VERSION, "13.0");
	CHECK_OK(dpr_device_info(get_device("cuda:0"), DPR_INFO_FORMATS, text,
				 sizeof(text), &need));
	ck_assert_uint_eq(need, sizeof(formats));
	ck_assert_mem_eq(text, formats, sizeof(formats));
	finish_all();
}
END_TEST

/* The driver does not report these, and nothing is made up. */
START_TEST(what_is_not_told)
{
	static const uint32_t keys[] = {
		DPR_INFO_DEVICE_ID,
		DPR_INFO_EXTENSIONS,
		DPR_INFO_PREFERRED_VECTOR_HALF,
		DPR_INFO_NATIVE_VECTOR_HALF,
	};
	dpr_device *device;
	char text[256];
	size_t i, need;

	use_backends(NULL);
	device = get_device("cuda:0");
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
			    dpr_device_info(device, keys[i], text, sizeof(text),
					    &need));
		CHECK_TEXT("the driver does not report it");
	}
	ck_assert_uint_eq(get_number(device, DPR_INFO_PREFERRED_VECTOR_FLOAT),
			  1);
	ck_assert_uint_eq(get_number(device, DPR_INFO_NATIVE_VECTOR_DOUBLE), 1);
	ck_assert_uint_eq(get_number(device, DPR_INFO_ASPECT_FP16), 1);
	finish_all();
}
END_TEST

/* The instances of a divided card (MIG) are separate devices. */
START_TEST(instances_of_a_card)
{
	/* As nvidia-smi -L prints them after "MIG-". */
	static const char *const uuids[2] = {
		"uuid:8a6c1f2e-5b1d-5f4e-9a37-0d1c2b3a4958",
		"uuid:1b9e7c40-77aa-5c21-8f06-e2d3c4b5a697",
	};
	dpr_device *device[2], *parts[2];
	dpr_queue *queue[2];
	dpr_usm *usm[2];
	size_t n;
	dpr_ipc ipc;
	int i, j;

	for (i = 0; i < 2; i++) {
		struct cumock_device_settings *set =
			&mock->settings->devices[i];

		set->instance = true;
		set->units = 16;
		snprintf(set->name, sizeof(set->name), "Mock H200 MIG 1g.18gb");
		for (j = 0; j < 16; j++)
			set->uuid[j] = uuid_byte(uuids[i], j);
	}
	use_backends(NULL);
	for (i = 0; i < 2; i++) {
		device[i] = get_device(uuids[i]);
		ck_assert_str_eq(dpr_device_selector(device[i]),
				 i ? "cuda:gpu:1" : "cuda:gpu:0");
		check_text(device[i], DPR_INFO_NAME, "Mock H200 MIG 1g.18gb");
		ck_assert_uint_eq(get_number(device[i], DPR_INFO_COMPUTE_UNITS),
				  16);
		queue[i] = queue_of(device[i]);
		usm[i] = new_ints(queue[i], DPR_USM_DEVICE, 64, i + 1);
	}
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_device_partition_equally(device[0], 8, parts, 2, &n));
	CHECK_TEXT("partition of cuda:gpu:0: cuDeviceGetDevResource: "
		   "CUDA_ERROR_NOT_SUPPORTED");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_usm_export(usm[0], &ipc));
	CHECK_TEXT("cuIpcGetMemHandle: CUDA_ERROR_NOT_SUPPORTED");
	/* Neither can access the other's memory, but the driver can copy. */
	CHECK_OK(dpr_usm_copy(queue[0], usm[0], 0, usm[1], 0, 128, NULL, NULL));
	ck_assert_int_eq(get_int(queue[0], usm[0], 31), 2);
	ck_assert_int_eq(get_int(queue[0], usm[0], 32), 1);
	ck_assert_uint_eq(mock->calls("cuCtxEnablePeerAccess"), 0);
	for (i = 0; i < 2; i++)
		dpr_usm_release(usm[i]);
	finish_all();
}
END_TEST

START_TEST(a_relative_path_of_nvrtc)
{
	dpr_device *device;

	setenv("DPR_OPTION_CUDA_NVRTC", "libnvrtc.so.13", 1);
	use_backends(NULL);
	ck_assert_int_ne(dpr_device_select("cuda:0", &device), DPR_OK);
	CHECK_TEXT("DPR_OPTION_CUDA_NVRTC must be the absolute path of "
		   "libnvrtc.so; it is \"libnvrtc.so.13\"");
	CHECK_OK(dpr_finalize());
}
END_TEST

/* A file that is not there, and a library that is not NVRTC. */
static void check_not_nvrtc(const char *path)
{
	dpr_program *program;

	setenv("DPR_OPTION_CUDA_NVRTC", path, 1);
	use_backends(NULL);
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_program_from_source(queue_of(get_device("cuda:0")),
					    "kernel void f(void) {}", NULL,
					    &program));
	CHECK_TEXT("OpenCL C needs NVRTC, but ");
	CHECK_TEXT(path);
	CHECK_TEXT("is not NVRTC or does not load");
	finish_all();
}

START_TEST(no_nvrtc)
{
	check_not_nvrtc("/no/such/libnvrtc.so");
}
END_TEST

START_TEST(another_library_than_nvrtc)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/libdpr-mock.so",
		 getenv("DPR_TEST_PLUGIN_DIR"));
	check_not_nvrtc(path);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		an_old_driver,
		no_device,
		a_driver_that_does_not_fit,
		a_driver_that_does_not_start,
		a_stub,
		a_stub_with_a_version,
		the_oldest_driver,
		a_device_that_is_not_described,
		a_prohibited_device,
		an_exclusive_device,
		what_is_told_of_devices,
		what_code_devices_take,
		what_is_not_told,
		instances_of_a_card,
		an_exclusive_device_that_is_free,
		no_device_that_may_be_used,
		a_relative_path_of_nvrtc,
		no_nvrtc,
		another_library_than_nvrtc,
	};

	use_backends(NULL);
	return run_tests("api_cuda_states", tests,
			 sizeof(tests) / sizeof(tests[0]));
}
