/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_minimal.c - the smallest set of entries that makes a backend: 21, and 28
 * with kernels.  A plugin that has just these works; without any of them it is
 * rejected.
 */
#include <stdatomic.h>

#include "tests/support/loader_files.h"
#include "tests/support/runtime_test.h"

/* The entries that dpr/backend.h marks with R; the last seven are required of a
   plugin that has modules. */
static const char *const required[] = {
	"open",
	"close",
	"device.count",
	"device.get",
	"device.info",
	"context.create",
	"context.destroy",
	"queue.create",
	"queue.destroy",
	"queue.flush",
	"queue.finish",
	"queue.barrier",
	"queue.write",
	"queue.read",
	"queue.copy",
	"event.status",
	"event.wait",
	"event.destroy",
	"mem.alloc",
	"mem.free",
	"mem.info",
	"queue.launch",
	"module.pick",
	"module.create",
	"module.destroy",
	"module.kernel",
	"module.kernel_destroy",
	"module.kernel_info",
};
#define N_REQUIRED (int)(sizeof(required) / sizeof(*required))
#define SMALLEST 21
#define WITH_KERNELS 28
#define N 1000

static const char *const plugins[] = { "minimal", "minimal_kernels" };

static void setup(void)
{
	char all[3 * 4200];

	files_setup();
	files_copy("minimal.so", "libdpr-minimal.so", 0755);
	files_copy("minimal_kernels.so", "libdpr-minimal_kernels.so", 0755);
	snprintf(all, sizeof(all),
		 "%s/libdpr-minimal.so:%s/libdpr-minimal_kernels.so:"
		 "%s/libdpr-mock.so",
		 files_folder, files_folder, getenv("DPR_TEST_PLUGIN_DIR"));
	setenv("DPR_PLUGINS", all, 1);
	unsetenv("DPR_TEST_MISSING");
}

/* --- The set --- */

/* Entries of a table: all that follows its size. */
static int count_entries(const void *table)
{
	size_t size, at;
	void *entry;
	int n = 0;

	if (!table)
		return 0;
	memcpy(&size, table, sizeof(size));
	for (at = sizeof(size); at < size; at += sizeof(entry)) {
		memcpy(&entry, (const char *)table + at, sizeof(entry));
		n += entry != NULL;
	}
	return n;
}

/* Count the entries of the plugins: 21, or 28 with kernels. */
START_TEST(count)
{
	char *path = files_plugin(_i ? "minimal_kernels.so" : "minimal.so");
	const dprp_plugin *plugin;
	dprp_entry_fn entry;
	void *file;
	int n;

	file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	ck_assert_msg(file != NULL, "%s", dlerror());
	*(void **)&entry = dlsym(file, DPRP_ENTRY_SYMBOL);
	ck_assert_ptr_nonnull(entry);
	plugin = entry(DPRP_ABI_MINOR);
	n = !!plugin->open + !!plugin->close + !!plugin->extension +
	    !!plugin->native_get + !!plugin->native_wrap;
	n += count_entries(plugin->device) + count_entries(plugin->context);
	n += count_entries(plugin->queue) + count_entries(plugin->event);
	n += count_entries(plugin->mem) + count_entries(plugin->module);
	ck_assert_int_eq(n, _i ? WITH_KERNELS : SMALLEST);
	ck_assert_int_eq(N_REQUIRED, WITH_KERNELS);
	free(path);
}
END_TEST

/* Without any of them the plugin is rejected, and the report names it. */
START_TEST(each_is_required)
{
	char words[128];
	size_t n;

	setenv("DPR_TEST_MISSING", required[_i], 1);
	ck_assert_int_eq(dpr_device_enumerate(NULL, NULL, 0, &n),
			 DPR_ERROR_PLUGIN);
	snprintf(words, sizeof(words), "required entries are missing: %s",
		 required[_i]);
	files_assert(1, "/libdpr-minimal_kernels.so", DPR_PLUGIN_REJECTED,
		     words);
	if (_i < SMALLEST)
		files_assert(1, "/libdpr-minimal.so", DPR_PLUGIN_REJECTED,
			     words);
}
END_TEST

/* --- What works with it --- */

static dpr_queue *open_queue(const char *name, uint32_t flags)
{
	dpr_device *device;
	dpr_queue *queue;

	CHECK_OK(dpr_device_select(name, &device));
	CHECK_OK(dpr_queue_create(device, flags, &queue));
	return queue;
}

START_TEST(device_without_answers)
{
	dpr_device *device;
	dpr_queue *queue;
	uint64_t units;

	CHECK_OK(dpr_device_select(plugins[_i], &device));
	ck_assert_str_eq(dpr_device_name(device), plugins[_i]);
	ck_assert_int_eq(dpr_device_get_type(device), DPR_DEVICE_CUSTOM);
	CHECK_FAILS(
		DPR_ERROR_UNSUPPORTED,
		dpr_device_info_u64(device, DPR_INFO_COMPUTE_UNITS, &units));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_queue_create(device, DPR_QUEUE_PROFILING, &queue));
}
END_TEST

START_TEST(memory_and_copies)
{
	dpr_queue *queue = open_queue(plugins[_i], DPR_QUEUE_OUT_OF_ORDER);
	int from[N], to[N], i, pattern = 7;
	dpr_usm *a, *b, *shared;
	dpr_event *event;

	for (i = 0; i < N; i++)
		from[i] = i;
	a = new_usm(queue, DPR_USM_DEVICE, sizeof(from));
	b = new_usm(queue, DPR_USM_DEVICE, sizeof(from));
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_usm_alloc(queue, DPR_USM_SHARED, 64, &shared));
	ck_assert_ptr_null(dpr_usm_address(a));
	CHECK_OK(dpr_usm_write(queue, a, 0, from, sizeof(from), NULL, NULL));
	/* The core makes the fill of a write and copies, the prefetch of a
	   barrier; advice is ignored. */
	CHECK_OK(dpr_usm_fill(queue, b, 0, &pattern, 4, sizeof(from), NULL,
			      NULL));
	CHECK_OK(dpr_usm_prefetch(queue, b, 0, sizeof(from), NULL, NULL));
	CHECK_OK(dpr_usm_advise(queue, b, 0, sizeof(from),
				DPR_ADVICE_READ_MOSTLY));
	CHECK_OK(dpr_usm_copy(queue, b, 8, a, 0, sizeof(from) - 8, NULL,
			      &event));
	CHECK_OK(dpr_queue_flush(queue));
	CHECK_OK(dpr_usm_read(queue, to, b, 0, sizeof(to), DPR_AFTER(event),
			      NULL));
	CHECK_OK(dpr_queue_wait(queue));
	dpr_event_release(event);
	for (i = 0; i < N; i++)
		if (to[i] != (i < 2 ? 7 : i - 2))
			break;
	ck_assert_int_eq(i, N);
	dpr_usm_release(a);
	dpr_usm_release(b);
	dpr_queue_release(queue);
	CHECK_OK(dpr_finalize());
}
END_TEST

static atomic_int called;

static void on_event(dpr_event *event, dpr_status status, void *user)
{
	(void)event;
	ck_assert_ptr_eq(user, &called);
	ck_assert_int_eq(status, DPR_OK);
	atomic_fetch_add(&called, 1);
}

/* A dependency that the plugin refuses is kept by the core, also one on another
   backend. */
START_TEST(dependencies_and_events)
{
	dpr_queue *queue = open_queue(plugins[_i], 0), *held;
	const struct mock_control *control = control_of("mock");
	dpr_usm *theirs, *ours;
	dpr_event *first, *second;
	int value = 5;

	held = open_queue("mock", 0);
	theirs = new_ints(held, 4, 1);
	CHECK_OK(dpr_queue_wait(held));
	ours = new_usm(queue, DPR_USM_DEVICE, 16);
	CHECK_OK(dpr_usm_fill(queue, ours, 0, &value, 4, 16, NULL, NULL));
	control->hold(1);
	CHECK_OK(dpr_usm_fill(held, theirs, 0, &value, 4, 16, NULL, &first));
	value = 6;
	CHECK_OK(dpr_usm_fill(queue, ours, 0, &value, 4, 16, DPR_AFTER(first),
			      &second));
	CHECK_OK(dpr_event_on_end(second, on_event, &called));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(second, 20 * MS));
	ck_assert_int_eq(atomic_load(&called), 0);
	control->hold(0);
	CHECK_OK(dpr_event_wait(second));
	EVENTUALLY(atomic_load(&called) == 1);
	ck_assert_int_eq(first_int(queue, ours), 6);
	dpr_event_release(first);
	dpr_event_release(second);
	/* Between devices the bytes go through memory of the host. */
	CHECK_OK(dpr_usm_copy(held, theirs, 0, ours, 0, 16, NULL, NULL));
	ck_assert_int_eq(first_int(held, theirs), 6);
	dpr_usm_release(theirs);
	dpr_usm_release(ours);
	dpr_queue_release(queue);
	dpr_queue_release(held);
	CHECK_OK(dpr_finalize());
}
END_TEST

/* --- Kernels --- */

static void run_add(const void *const *args, const uint64_t global[3],
		    const uint64_t local[3], const uint64_t group[3])
{
	int *x = *(int *const *)args[0], by, n;
	uint64_t i, end = (group[0] + 1) * local[0];

	(void)global;
	memcpy(&by, args[1], sizeof(by));
	memcpy(&n, args[2], sizeof(n));
	for (i = group[0] * local[0]; i < end && i < (uint64_t)n; i++)
		x[i] += by;
}

static const dprp_param params[] = { { DPRP_ARG_MEM, 0, sizeof(void *) },
				     { DPRP_ARG_VALUE, 0, 4 },
				     { DPRP_ARG_VALUE, 0, 4 } };
static const dprp_native_kernel kernels[] = { { "add", run_add, 3, 0,
						params } };
static const dprp_native_module module = { sizeof(module), 1, 0, kernels };
static const dpr_image image = { DPRP_NATIVE_FORMAT, NULL, &module,
				 sizeof(module) };

START_TEST(kernel_launch)
{
	dpr_queue *queue = open_queue("minimal_kernels", 0);
	dpr_program *program;
	dpr_kernel *kernel;
	int values[N], i;
	dpr_usm *usm;

	CHECK_OK(dpr_program_from_images(queue, &image, 1, NULL, &program));
	CHECK_FAILS(DPR_ERROR_NOT_FOUND,
		    dpr_kernel_create(program, "sub", &kernel));
	CHECK_OK(dpr_kernel_create(program, "add", &kernel));
	usm = new_ints(queue, N, 3);
	for (i = 0; i < 3; i++)
		CHECK_OK(dpr_kernel_launch(queue, kernel, DPR_RANGE1(N), NULL,
					   NULL, DPR_USM_READ_WRITE(usm, 0),
					   DPR_ARG(10), DPR_ARG(N)));
	CHECK_OK(dpr_usm_read(queue, values, usm, 0, sizeof(values), NULL,
			      NULL));
	for (i = 0; i < N; i++)
		if (values[i] != 33)
			break;
	ck_assert_int_eq(i, N);
	dpr_usm_release(usm);
	dpr_kernel_release(kernel);
	dpr_program_release(program);
	dpr_queue_release(queue);
	CHECK_OK(dpr_finalize());
}
END_TEST

START_TEST(no_kernels)
{
	dpr_queue *queue = open_queue("minimal", 0);
	dpr_program *program;

	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_program_from_images(queue, &image, 1, NULL, &program));
	CHECK_TEXT("can only copy memory");
	dpr_queue_release(queue);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("the smallest backend");
	TCase *tcase = tcase_create("minimal");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tcase, setup, files_teardown);
	tcase_add_loop_test(tcase, count, 0, 2);
	tcase_add_loop_test(tcase, each_is_required, 0, N_REQUIRED);
	tcase_add_loop_test(tcase, device_without_answers, 0, 2);
	tcase_add_loop_test(tcase, memory_and_copies, 0, 2);
	tcase_add_loop_test(tcase, dependencies_and_events, 0, 2);
	tcase_add_test(tcase, kernel_launch);
	tcase_add_test(tcase, no_kernels);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
