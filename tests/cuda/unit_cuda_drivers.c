/* SPDX-License-Identifier: Apache-2.0 */
/* unit_cuda_drivers.c - the CUDA backend on drivers of CUDA 12.0 and newer, and
   on libraries that lack entries or are no driver. */
#include "tests/cuda/cuda_api.h"
#include "tests/support/backend_host_table.h"

static const struct {
	const char *name;
	int since;
} entries[] = {
#define CUDA_ENTRY(since, name, version) { #name, since },
#include "backends/cuda/cuda_entries.def"
#undef CUDA_ENTRY
};
#define ENTRIES (sizeof(entries) / sizeof(entries[0]))

/* --- Kernels -------------------------------------------------------------- */

/* Launch "mix" of the program. */
static dpr_kernel *run_mix(dpr_queue *queue, dpr_program *program)
{
	dpr_kernel *mix;
	dpr_usm *usm;

	CHECK_OK(dpr_kernel_create(program, "mix", &mix));
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 1);
	launch(queue, mix, usm, 4);
	ck_assert_int_eq(get_int(queue, usm, 0), 7);
	dpr_usm_release(usm);
	return mix;
}

/* The sizes of parameters are known from PTX, or else from the driver; kinds
   from PTX alone. */
static void check_params(const dpr_kernel *mix, bool known, bool ptx)
{
	enum dpr_param_kind kind;
	size_t size;

	if (!known) {
		CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
			    dpr_kernel_param(mix, 0, &kind, &size));
		return;
	}
	CHECK_OK(dpr_kernel_param(mix, 0, &kind, &size));
	ck_assert_int_eq(kind, ptx ? DPR_PARAM_MEMORY : DPR_PARAM_UNKNOWN);
	ck_assert_uint_eq(size, sizeof(void *));
	CHECK_OK(dpr_kernel_param(mix, 1, &kind, &size));
	ck_assert_int_eq(kind, DPR_PARAM_UNKNOWN);
	ck_assert_uint_eq(size, 4);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_param(mix, 2, &kind, &size));
}

/* A launch with one argument is refused if the parameters are known. */
static void check_too_few(dpr_queue *queue, dpr_kernel *mix)
{
	dpr_usm *usm = new_ints(queue, DPR_USM_DEVICE, 4, 1);
	dpr_arg args[1] = { DPR_USM_READ_WRITE(usm, 0) };
	uint64_t before;

	CHECK_OK(dpr_queue_wait(queue));
	before = mock->calls("cuLaunchKernel");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_kernel_launch_usm(queue, mix, DPR_RANGE1(1), NULL, NULL,
					  args, 1));
	ck_assert_uint_eq(mock->calls("cuLaunchKernel"), before);
	dpr_usm_release(usm);
}

static const int versions[] = { 12000, 12010, 12020, 12030, 12040, 13000 };

/* Drivers before 12.4 do not report parameters, and load a kernel when it is
   first launched or asked for. */
START_TEST(kernels_on_each_version)
{
	const bool newer = versions[_i] >= 12040;
	dpr_image images[2] = { { "ptx", NULL, test_ptx, sizeof(test_ptx) },
				{ "cubin", NULL, NULL, 0 } };
	dpr_program *program;
	dpr_kernel *mix;
	dpr_queue *queue;
	int i;

	mock->settings->version = versions[_i];
	mock->kernel("mix", mix_function);
	images[1].data = mock->cubin(test_ptx, &images[1].size);
	ck_assert_ptr_nonnull(images[1].data);
	use_backends(NULL);
	queue = queue_of(get_device("cuda:0"));
	for (i = 0; i < 2; i++) {
		mock->forget_calls();
		CHECK_OK(dpr_program_from_images(queue, &images[i], 1, NULL,
						 &program));
		mix = run_mix(queue, program);
		ck_assert_uint_eq(mock->calls("cuKernelGetFunction"), 1);
		ck_assert_uint_eq(mock->calls("cuFuncLoad"), newer);
		ck_assert_int_eq(mock->calls("cuKernelGetParamInfo") > 0,
				 newer);
		check_params(mix, newer || !i, !i);
		if (newer || !i)
			check_too_few(queue, mix);
		dpr_kernel_release(mix);
		dpr_program_release(program);
	}
	free((void *)(uintptr_t)images[1].data);
	finish_all();
}
END_TEST

/* --- Entries -------------------------------------------------------------- */

/* A library without an entry of CUDA 12.0 is not used; without a newer entry,
   what needs it is refused, and all else works. */
START_TEST(an_entry_is_missing)
{
	const bool required = entries[_i].since <= 12000;
	dpr_device *parts[2];
	dpr_kernel *mix;
	dpr_queue *queue;
	dpr_status status;
	char text[128];
	size_t n;

	mock->settings->missing = entries[_i].name;
	snprintf(text, sizeof(text),
		 "libcuda.so.1 has no %s: install NVIDIA's driver of CUDA 12.0 "
		 "(R525) or newer",
		 entries[_i].name);
	use_backends(NULL);
	check_report("cuda", required ? DPR_PLUGIN_ABSENT : DPR_PLUGIN_READY,
		     required ? text : "");
	if (!required) {
		queue = new_queue(get_device("cuda:0"), 0);
		mix = new_kernel(queue, "mix");
		check_too_few(queue, mix);
		dpr_kernel_release(mix);
		dpr_queue_release(queue);
		status = dpr_device_partition_equally(get_device("cuda:0"), 8,
						      parts, 2, &n);
		if (strcmp(entries[_i].name, "cuKernelGetParamInfo") &&
		    strcmp(entries[_i].name, "cuFuncLoad")) {
			ck_assert_int_eq(status, DPR_ERROR_UNSUPPORTED);
			CHECK_TEXT("green contexts (CUDA 12.5)");
		}
	}
	finish_all();
}
END_TEST

static const char *lacking;
static const char *opened;

static void *open_file(dprp_host_instance *self, const char *const *names,
		       size_t n)
{
	(void)self;
	opened = n == 1 ? names[0] : NULL;
	return lacking ? mock_library : NULL;
}

static void *find_entry(dprp_host_instance *self, void *library,
			const char *symbol)
{
	(void)self;
	return strcmp(lacking, symbol) ? dlsym(library, symbol) : NULL;
}

/* The plugin refuses a library that does not load, or that lacks a function of
   every driver. */
START_TEST(not_a_driver)
{
	static const struct {
		const char *lacking, *text;
	} list[] = {
		{ NULL, "libcuda.so.1 does not load: NVIDIA's driver is not "
			"installed" },
		{ "cuDriverGetVersion",
		  "libcuda.so.1 does not report its version: it is a stub for "
		  "linking, or not NVIDIA's driver" },
		{ "cuGetProcAddress_v2",
		  "libcuda.so.1 has no cuGetProcAddress_v2: install NVIDIA's "
		  "driver of CUDA 12.0 (R525) or newer" },
	};
	struct host_table *table = host_table_new();
	const dprp_plugin *plugin = host_table_plugin("cuda", NULL);
	dprp_host host = *host_table_host(table);
	dprp_instance *instance;

	lacking = list[_i].lacking;
	host.driver_open = open_file;
	host.driver_sym = find_entry;
	ck_assert_ptr_nonnull(plugin);
	ck_assert_int_eq(plugin->open(&host, &instance), DPR_RC_NO_DRIVER);
	ck_assert_ptr_null(instance);
	ck_assert_str_eq(opened, "libcuda.so.1");
	ck_assert_str_eq(host_table_error(), list[_i].text);
	ck_assert_int_eq(host_table_error_rc(), DPR_RC_NO_DRIVER);
	host_table_free(table);
	check_mock();
}
END_TEST

int main(void)
{
	TCase *tcase;
	SRunner *runner = new_runner("unit_cuda_drivers", &tcase);

	use_backends(NULL);
	tcase_add_loop_test(tcase, kernels_on_each_version, 0,
			    (int)(sizeof(versions) / sizeof(versions[0])));
	tcase_add_loop_test(tcase, an_entry_is_missing, 0, (int)ENTRIES);
	tcase_add_loop_test(tcase, not_a_driver, 0, 3);
	return run_all(runner);
}
