/* SPDX-License-Identifier: Apache-2.0 */
/* unit_faults.c - devices, queues, events, memory and kernels with faults. */
#include "tests/support/faults.h"
#include "tests/support/spirv_constants.h"

static dpr_status finish(dpr_status status, dpr_event *done)
{
	MADE(status, done);
	if (!status)
		status = dpr_event_wait(done);
	dpr_event_release(done);
	return status;
}

static dpr_status try_select(void)
{
	dpr_device *device;
	dpr_status status = dpr_device_select("gpu,mock:cpu+fp64", &device);

	MADE(status, device);
	return status;
}

static dpr_status try_enumerate(void)
{
	dpr_device *list[8];
	size_t n;

	return dpr_device_enumerate("mock,mock2", list, 8, &n);
}

static dpr_status try_explain(void)
{
	char *text;
	dpr_status status = dpr_device_explain("cuda:gpu,mock", &text);

	MADE(status, text);
	dpr_free(text);
	return status;
}

static dpr_status try_info(void)
{
	char list[1024];
	size_t need;

	return dpr_device_info(dpr_queue_device(q1), DPR_INFO_FORMATS, list,
			       sizeof(list), &need);
}

static dpr_status try_partition(void)
{
	uint64_t counts[] = { 1, 2 };
	dpr_device *list[2];
	dpr_queue *queue;
	dpr_status status;
	size_t n;

	status = dpr_device_partition_counts(dpr_queue_device(q1), counts, 2,
					     list, 2, &n);
	if (status)
		return status;
	ck_assert_uint_eq(n, 2);
	status = dpr_device_queue(list[1], &queue);
	MADE(status, queue);
	return status;
}

static dpr_status try_queue(void)
{
	dpr_queue *queue;
	dpr_status status;

	status = dpr_queue_create(dpr_queue_device(q1), DPR_QUEUE_OUT_OF_ORDER,
				  &queue);
	MADE(status, queue);
	if (!status)
		status =
			dpr_usm_fill(queue, usm, 0, "\7\0\0", 4, 4, NULL, NULL);
	if (!status)
		status = dpr_queue_wait(queue);
	dpr_queue_release(queue);
	return status;
}

static dpr_status try_barrier(void)
{
	dpr_event *done;
	dpr_status status = dpr_queue_barrier(q1, DPR_AFTER(event), &done);

	return finish(status, done);
}

static void count_call(dpr_event *done, dpr_status status, void *user)
{
	(void)done;
	(void)status;
	__atomic_add_fetch((int *)user, 1, __ATOMIC_RELEASE);
}

/* The callback is called exactly once if the call accepted it. */
static dpr_status try_callback(void)
{
	static int called, wanted;
	dpr_event *done;
	dpr_status status = dpr_queue_barrier(other, NULL, &done);

	if (!status)
		status = dpr_event_on_end(done, count_call, &called);
	wanted += !status;
	EVENTUALLY(__atomic_load_n(&called, __ATOMIC_ACQUIRE) == wanted);
	if (!status)
		status = dpr_event_wait(done);
	dpr_event_release(done);
	return status;
}

/* The core holds the fill until the other backend is done. */
static dpr_status try_held(void)
{
	dpr_event *gate, *done = NULL;
	dpr_status status;

	mock2->delay(MS);
	status = dpr_queue_barrier(q2, NULL, &gate);
	MADE(status, gate);
	if (!status)
		status = dpr_usm_fill(q1, usm, 0, "\7\0\0", 4, 4,
				      DPR_AFTER(gate), &done);
	mock2->delay(0);
	dpr_event_release(gate);
	return status ? status : finish(status, done);
}

static dpr_status try_usm(void)
{
	static const dpr_usm_kind kinds[] = { DPR_USM_DEVICE, DPR_USM_SHARED,
					      DPR_USM_HOST };
	dpr_status status = DPR_OK;
	dpr_usm *made;

	for (int i = 0; i < 3 && !status; i++) {
		status = dpr_usm_alloc(q1, kinds[i], 100000, &made);
		MADE(status, made);
		dpr_usm_release(made);
	}
	return status;
}

static dpr_status try_select_where(void)
{
	const char *const required[] = { "cpu", "fp64" };
	const char *const excluded[] = { "gpu" };
	dpr_device *device;
	dpr_status status;

	status = dpr_device_select_where(required, 2, excluded, 1, &device);
	MADE(status, device);
	return status;
}

static dpr_status try_domain(void)
{
	dpr_device *list[2];
	dpr_status status;
	size_t n;

	status = dpr_device_partition_domain(dpr_queue_device(q1),
					     DPR_DOMAIN_NUMA, list, 2, &n);
	ck_assert_uint_eq(n, status ? 0 : 2);
	return status;
}

static dpr_status try_reports(void)
{
	dpr_plugin_report *plugins;
	dpr_cache_report *cache = NULL;
	dpr_variable *variables = NULL;
	dpr_status status;
	size_t n;

	status = dpr_plugins(1, &plugins, &n);
	MADE(status, plugins);
	if (!status) {
		status = dpr_variables(&variables, &n);
		MADE(status, variables);
	}
	if (!status) {
		status = dpr_cache_stats(&cache);
		MADE(status, cache);
	}
	dpr_free(plugins);
	dpr_free(variables);
	dpr_free(cache);
	return status;
}

static dpr_status try_events_wait(void)
{
	dpr_event *one, *two = NULL;
	dpr_status status = dpr_queue_barrier(q1, NULL, &one);

	MADE(status, one);
	if (!status) {
		status = dpr_queue_barrier(other, DPR_AFTER(one), &two);
		MADE(status, two);
	}
	if (!status)
		status = dpr_events_wait(DPR_AFTER(one, event, two));
	dpr_event_release(one);
	dpr_event_release(two);
	return status;
}

/* Check, use, find by its address, and release @made, which has 100000
   bytes. */
static dpr_status use(dpr_status status, dpr_usm *made)
{
	dpr_usm *found;
	size_t offset;

	MADE(status, made);
	if (status)
		return status;
	ck_assert_uint_eq(dpr_usm_size(made), 100000);
	status = dpr_usm_fill(q1, made, 0, "\7\0\0", 4, 100000, NULL, NULL);
	if (!status) {
		status = dpr_usm_find((char *)dpr_usm_address(made) + 9, &found,
				      &offset);
		MADE(status, found);
		ck_assert(status || found == made);
		dpr_usm_release(found);
	}
	if (!status)
		status = dpr_queue_wait(q1);
	dpr_usm_release(made);
	return status;
}

static dpr_status try_aligned(void)
{
	dpr_status status;
	dpr_usm *made;

	status = dpr_usm_alloc_aligned(q1, DPR_USM_SHARED, 100000, 8192, &made);
	ck_assert(status || (uintptr_t)dpr_usm_address(made) % 8192 == 0);
	return use(status, made);
}

static dpr_status try_pool(void)
{
	dpr_usm *made;
	dpr_status status =
		dpr_pool_alloc(q1, DPR_USM_DEVICE, 100000, 0, &made);

	return use(status, made);
}

static dpr_status try_at_once(void)
{
	dpr_usm *made;
	dpr_status status =
		dpr_pool_try_alloc(q1, DPR_USM_DEVICE, 100000, &made);

	return use(status, made);
}

/* Give back the pool's free slabs at the end, so that the next attempt asks the
   driver again. */
static dpr_status try_driver(void)
{
	dpr_usm *made;
	dpr_status status =
		dpr_driver_alloc(q1, DPR_USM_HOST, 100000, 0, &made);

	status = use(status, made);
	if (!status)
		status = dpr_pool_trim(dpr_queue_device(q1), 0, NULL);
	return status;
}

/* Only queues and memory can be wrapped here: the mock refuses to wrap events,
   and must refuse them even while memory fails. */
static dpr_status try_native(void)
{
	static unsigned char memory[100000];
	dpr_device *device = dpr_queue_device(q1);
	dpr_status status;
	uintptr_t handle;
	dpr_queue *queue;
	dpr_event *done;
	dpr_usm *made;

	status = dpr_queue_native(q1, &handle);
	if (!status) {
		status = dpr_queue_from_native(device, handle, 0, &queue);
		ck_assert_int_eq(!status, queue != NULL);
		dpr_queue_release(queue);
	}
	if (status)
		return status;
	status = dpr_event_from_native(device, 1, 0, &done);
	ck_assert_ptr_null(done);
	ck_assert_int_ne(status, DPR_OK);
	status = dpr_usm_from_native(q1, (uintptr_t)memory, 100000, 0, &made);
	status = use(status, made);
	ck_assert(status || memory[99996] == 7);
	return status;
}

static int allocated, given_back;

static dpr_status allocate(void *user, dpr_queue *queue, dpr_usm_kind kind,
			   size_t size, size_t alignment, dpr_usm **out,
			   void **token)
{
	void *memory;
	dpr_status status;

	(void)user;
	if (kind == DPR_USM_DEVICE) {
		*token = NULL;
		status = dpr_pool_alloc(queue, kind, size, alignment, out);
		allocated += !status;
		return status;
	}
	memory = malloc(size);
	ck_assert_ptr_nonnull(memory);
	status = dpr_usm_from_native(queue, (uintptr_t)memory, size, 0, out);
	if (status)
		free(memory);
	else
		*token = memory;
	allocated += !status;
	return status;
}

static void freed(void *user, void *token, size_t size)
{
	(void)user;
	(void)size;
	free(token);
	__atomic_add_fetch(&given_back, 1, __ATOMIC_RELEASE);
}

/* Memory from the pool and from the program.  Each is given back exactly
   once. */
static dpr_status try_allocator(void)
{
	const dpr_allocator table = { .struct_size = sizeof(table),
				      .allocate = allocate,
				      .freed = freed };
	dpr_device *device = dpr_queue_device(q1);
	dpr_status status;
	dpr_usm *made;

	EVENTUALLY(__atomic_load_n(&given_back, __ATOMIC_ACQUIRE) == allocated);
	status = dpr_device_set_allocator(device, &table);
	if (status)
		return status;
	status = dpr_usm_alloc(q1, DPR_USM_DEVICE, 100000, &made);
	status = use(status, made);
	if (!status) {
		status = dpr_usm_alloc(q1, DPR_USM_HOST, 100000, &made);
		status = use(status, made);
	}
	/* Removing the allocator needs no memory, so it cannot fail. */
	CHECK_OK(dpr_device_set_allocator(device, NULL));
	return status;
}

static dpr_status try_host_memory(void)
{
	int32_t value = 7, back = 0;
	dpr_status status;

	status = dpr_usm_write(q1, usm, 8, &value, 4, NULL, NULL);
	if (!status)
		status = dpr_usm_read(q1, &back, usm, 8, 4, NULL, NULL);
	if (!status)
		ck_assert_int_eq(back, 7);
	return status;
}

static dpr_status try_usm_copy(void)
{
	dpr_event *done;
	dpr_status status;

	status = dpr_usm_copy(q1, usm, 0, usm, 2048, 1000, NULL, &done);
	return finish(status, done);
}

static dpr_status try_prefetch(void)
{
	dpr_event *done;
	dpr_status status = dpr_usm_prefetch(q1, usm, 0, 64, NULL, &done);

	return finish(status, done);
}

static dpr_status try_program(void)
{
	dpr_program *made;
	dpr_status status;
	char text[80];
	size_t size;

	/* A text that was not built before. */
	snprintf(text, sizeof(text), "/* %d */ kernel void copy(int *a);",
		 tries);
	status = dpr_program_from_source(q1, text, "-DX=1", &made);
	MADE(status, made);
	if (!status)
		status = dpr_program_binary(made, NULL, 0, &size);
	dpr_program_release(made);
	return status;
}

static dpr_status launch(dpr_status status, dpr_kernel *kernel)
{
	dpr_arg args[2] = { DPR_USM_READ_WRITE(usm, 0), DPR_ARG((uint64_t)1) };
	dpr_event *done;

	MADE(status, kernel);
	if (status)
		return status;
	status = dpr_kernel_launch_usm(q1, kernel, DPR_RANGE1(1), NULL, &done,
				       args, 2);
	dpr_kernel_release(kernel);
	return finish(status, done);
}

static dpr_status try_kernel(void)
{
	dpr_kernel *kernel;
	dpr_status status = dpr_kernel_create(program, "add_one", &kernel);

	return launch(status, kernel);
}

static dpr_status try_source(void)
{
	dpr_kernel *kernel;
	dpr_status status;
	char text[80];

	snprintf(text, sizeof(text), "/* %d */ kernel void add_one(int *a);",
		 tries);
	status = dpr_kernel_from_source(q1, text, "add_one", &kernel);
	return launch(status, kernel);
}

static dpr_status try_images(void)
{
	static const char names[] = "add_one copy";
	const dpr_image image = { "mock", NULL, names, sizeof(names) - 1 };
	dpr_kernel *kernel = NULL;
	dpr_program *made;
	dpr_status status;

	status = dpr_program_from_images(q1, &image, 1, NULL, &made);
	MADE(status, made);
	if (!status)
		status = dpr_kernel_create(made, "add_one", &kernel);
	dpr_program_release(made);
	return launch(status, kernel);
}

static dpr_status try_build(void)
{
	static const char text[] = "kernel void add_one(int *a);";
	const dpr_image image = { "opencl-c", NULL, text, sizeof(text) - 1 };
	dpr_build_options options = { .struct_size = sizeof(options),
				      .flags = DPR_BUILD_ROUNDED };
	dpr_program *made;
	dpr_status status;
	char compiler[40];

	snprintf(compiler, sizeof(compiler), "-DX=%d", tries);
	options.compiler = compiler;
	status = dpr_program_build(q1, &image, 1, &options, &made);
	MADE(status, made);
	dpr_program_release(made);
	return status;
}

static dpr_status try_constants(void)
{
	static const uint16_t value = 8;
	const dpr_image image = { "spirv", NULL, spirv_constants,
				  sizeof(spirv_constants) };
	const dpr_spec spec[] = { { 200, 2, &value }, { 3, 4, &tries } };
	dpr_build_options options = { .struct_size = sizeof(options),
				      .spec = spec,
				      .n_spec = 2 };
	dpr_program *made;
	dpr_status status;

	status = dpr_program_build(q1, &image, 1, &options, &made);
	MADE(status, made);
	dpr_program_release(made);
	return status;
}

static dpr_status try_import(void)
{
	dpr_status status;
	dpr_usm *made;
	dpr_ipc ipc;

	status = dpr_usm_export(usm, &ipc);
	if (status)
		return status;
	status = dpr_usm_import(q1, &ipc, &made);
	MADE(status, made);
	dpr_usm_release(made);
	return status;
}

static const struct attempt list[] = {
	{ "select", try_select },       { "enumerate", try_enumerate },
	{ "explain", try_explain },     { "info", try_info },
	{ "partition", try_partition }, { "queue", try_queue },
	{ "barrier", try_barrier },     { "callback", try_callback },
	{ "held", try_held },           { "usm", try_usm },
	{ "memory", try_host_memory },  { "usm copy", try_usm_copy },
	{ "prefetch", try_prefetch },   { "program", try_program },
	{ "kernel", try_kernel },       { "source", try_source },
	{ "where", try_select_where },  { "domain", try_domain },
	{ "reports", try_reports },     { "events wait", try_events_wait },
	{ "aligned", try_aligned },     { "pool", try_pool },
	{ "at once", try_at_once },     { "driver", try_driver },
	{ "native", try_native },       { "allocator", try_allocator },
	{ "images", try_images },       { "build", try_build },
	{ "constants", try_constants }, { "import", try_import },
};

/* A call fails while the backend is opened.  The next attempt either succeeds
   or reports the same failure again. */
START_TEST(first_use_fails)
{
	static const enum mock_entry entries[] = {
		MOCK_open,        MOCK_device_count,   MOCK_device_get,
		MOCK_device_info, MOCK_context_create, MOCK_queue_create
	};
	const uint64_t nth = (uint64_t)_i / 6 + 1;
	char files[4096], first[200] = "";
	dpr_usm *made;

	snprintf(files, sizeof(files), "%s/libdpr-mock.so",
		 getenv("DPR_TEST_PLUGIN_DIR"));
	setenv("DPR_PLUGINS", files, 1);
	mock = control_of("mock");
	mock->fail(entries[_i % 6], nth, 1, DPR_RC_NATIVE, -77);
	if (dpr_canonical_queue("mock", &q1)) {
		ck_assert_ptr_null(q1);
		snprintf(first, sizeof(first), "%s", dpr_last_error());
		ck_assert_str_ne(first, "");
	}
	mock->reset();
	if (dpr_canonical_queue("mock", &q1)) {
		ck_assert_ptr_null(q1);
		ck_assert_ptr_nonnull(strstr(dpr_last_error(), "-77"));
	} else {
		CHECK_OK(dpr_usm_alloc(q1, DPR_USM_DEVICE, 100, &made));
		dpr_usm_release(made);
	}
	CHECK_OK(dpr_finalize());
	for (int i = 0; i < MOCK_N_OBJECTS; i++)
		ck_assert_uint_eq(mock->live((enum mock_object)i), 0);
}
END_TEST

/* dpr_plugin_add() must be called before anything is open, so it is not in the
   list. */
START_TEST(plugin_add_fails)
{
	char file[4096];
	dpr_status status = DPR_ERROR_OUT_OF_MEMORY;
	size_t count;
	uint64_t n;

	snprintf(file, sizeof(file), "%s/libdpr-mock.so",
		 getenv("DPR_TEST_PLUGIN_DIR"));
	for (n = 0; status && n < MOST; n++) {
		mem_fault_once(n);
		status = dpr_plugin_add(file);
		mem_fault_clear();
		ck_assert(!status || status == DPR_ERROR_OUT_OF_MEMORY);
	}
	/* The failed calls have added nothing. */
	ck_assert_uint_gt(n, 2);
	CHECK_OK(status);
	CHECK_OK(dpr_device_enumerate("mock", NULL, 0, &count));
	ck_assert_uint_eq(count, 1);
	CHECK_OK(dpr_finalize());
}
END_TEST

int main(void)
{
	TCase *first = tcase_create("first");

	tcase_add_loop_test(first, first_use_fails, 0, 18);
	tcase_add_test(first, plugin_add_fails);
	return run_faults(list, sizeof(list) / sizeof(*list), first);
}
