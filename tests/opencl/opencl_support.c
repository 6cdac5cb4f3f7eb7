/* SPDX-License-Identifier: Apache-2.0 */
/* opencl_support.c - code that the tests of the OpenCL plugin share. */
#include "opencl_support.h"

#include <stdio.h>
#include <sys/stat.h>

bool bench_use_driver(const char *so, const char *name, char dir[4096])
{
	const char *build = getenv("top_builddir");
	char icd[4200];
	FILE *file;

	build = build ? build : ".";
	snprintf(dir, 4096, "%s/tests/cache", build);
	mkdir(dir, 0755);
	snprintf(dir, 4096, "%s/tests/cache/%s", build, name);
	mkdir(dir, 0755);
	snprintf(icd, sizeof(icd), "%s/driver.icd", dir);
	file = fopen(icd, "w");
	if (!file)
		return false;
	fprintf(file, "%s\n", so);
	fclose(file);
	setenv("OCL_ICD_VENDORS", dir, 1);
	return true;
}

void bench_close(struct bench *bench)
{
	if (bench->queue)
		bench->plugin->queue->destroy(bench->queue);
	if (bench->context)
		bench->plugin->context->destroy(bench->context);
	if (bench->instance)
		bench->plugin->close(bench->instance, DPRP_CLOSE_FINALIZE);
	host_table_free(bench->table);
	memset(bench, 0, sizeof(*bench));
}

void bench_use(struct bench *bench, dprp_device *device)
{
	if (bench->queue)
		bench->plugin->queue->destroy(bench->queue);
	if (bench->context)
		bench->plugin->context->destroy(bench->context);
	bench->device = device;
	OK(bench->plugin->context->create(bench->instance, device, NULL,
					  &bench->context));
	bench->queue = bench_queue(bench, device, DPRP_QUEUE_PROFILING);
}

bool bench_open(struct bench *bench, const char *path, const char *platform,
		const char **why)
{
	return bench_open_with(bench, "MEMORY", path, platform, why);
}

bool bench_open_with(struct bench *bench, const char *option, const char *value,
		     const char *platform, const char **why)
{
	const char *const list[] = { option, value, NULL };

	return bench_open_list(bench, list, platform, why);
}

bool bench_open_list(struct bench *bench, const char *const *options,
		     const char *platform, const char **why)
{
	uint32_t i, n = 0;
	dprp_device *found = NULL;

	memset(bench, 0, sizeof(*bench));
	bench->plugin = host_table_plugin("opencl", why);
	if (!bench->plugin)
		return false;
	bench->table = host_table_new();
	for (; *options; options += 2)
		if (options[1])
			host_table_option(bench->table, options[0], options[1]);
	if (bench->plugin->open(host_table_host(bench->table),
				&bench->instance)) {
		*why = host_table_error();
		bench_close(bench);
		return false;
	}
	OK(bench->plugin->device->count(bench->instance, &n));
	for (i = 0; i < n && !found; i++) {
		dprp_device *device;
		char *name;

		OK(bench->plugin->device->get(bench->instance, i, &device));
		name = bench_text(bench, device, DPR_INFO_PLATFORM_NAME);
		if (!platform || strstr(name, platform))
			found = device;
		free(name);
	}
	if (!found) {
		*why = "no device of that platform";
		bench_close(bench);
		return false;
	}
	bench_use(bench, found);
	return true;
}

const char *bench_platform(void)
{
	const char *name = getenv("DPR_TEST_OPENCL_PLATFORM");

	return name && *name ? name : "Portable Computing Language";
}

bool bench_is_pocl(void)
{
	return strstr("Portable Computing Language", bench_platform()) != NULL;
}

bool bench_divides(const struct bench *bench)
{
	uint64_t ways = 0;
	size_t need;

	return !bench->plugin->device->info(bench->device,
					    DPR_INFO_PARTITION_PROPERTIES,
					    &ways, sizeof(ways), &need) &&
	       (ways >> DPR_PARTITION_EQUALLY & 1);
}

dprp_queue *bench_queue(const struct bench *bench, dprp_device *device,
			uint64_t flags)
{
	dprp_queue_desc desc = { .struct_size = sizeof(desc), .flags = flags };
	dprp_queue *queue = NULL;
	uint64_t got = 0;

	OK(bench->plugin->queue->create(bench->context, device, &desc, &got,
					&queue));
	if (!queue || (got & ~flags))
		ck_abort_msg("a queue with flags that nobody asked for");
	return queue;
}

dprp_mem *bench_alloc(const struct bench *bench, uint32_t kind, uint64_t size)
{
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = kind,
			       .size = size };
	dprp_mem *mem = NULL;

	OK(bench->plugin->mem->alloc(bench->context, bench->device, &desc,
				     &mem));
	if (!mem)
		abort();
	return mem;
}

uint64_t bench_u64(const struct bench *bench, dprp_device *device, uint32_t key)
{
	uint64_t value = 0;
	size_t need = 0;

	OK(bench->plugin->device->info(device, key, &value, sizeof(value),
				       &need));
	ck_assert_uint_eq(need, sizeof(value));
	return value;
}

char *bench_text(const struct bench *bench, dprp_device *device, uint32_t key)
{
	size_t need = 0;
	char *text;

	OK(bench->plugin->device->info(device, key, NULL, 0, &need));
	text = calloc(1, need + 1);
	if (!text)
		abort();
	OK(bench->plugin->device->info(device, key, text, need, &need));
	return text;
}

uint32_t bench_state(const struct bench *bench, dprp_event *event,
		     dprp_event_state *state, struct host_table_text *text)
{
	dprp_event_state mine = { .struct_size = sizeof(mine) };
	struct host_table_text unused = { 0 };

	if (!state)
		state = &mine;
	state->struct_size = sizeof(*state);
	OK(bench->plugin->event->status(
		event, state, host_table_sink(text ? text : &unused)));
	free(unused.text);
	return state->state;
}

void bench_done(const struct bench *bench, dprp_event *event)
{
	ck_assert_ptr_nonnull(event);
	OK(bench->plugin->event->wait(&event, 1, UINT64_C(60000000000)));
	ck_assert_uint_eq(bench_state(bench, event, NULL, NULL),
			  DPRP_EVENT_DONE);
	bench->plugin->event->destroy(event);
}

void bench_put(const struct bench *bench, dprp_mem *mem, uint64_t offset,
	       const void *from, uint64_t size)
{
	dprp_event *event = NULL;

	OK(bench->plugin->queue->write(bench->queue, mem, offset, from, size,
				       NULL, &event));
	bench_done(bench, event);
}

void bench_get(const struct bench *bench, dprp_mem *mem, uint64_t offset,
	       void *to, uint64_t size)
{
	dprp_event *event = NULL;

	OK(bench->plugin->queue->read(bench->queue, mem, offset, to, size, NULL,
				      &event));
	bench_done(bench, event);
}

dprp_rc bench_build(const struct bench *bench, const char *format,
		    const void *data, size_t size, const char *options,
		    struct host_table_text *log, dprp_module **out)
{
	return bench_build_flags(bench, format, data, size, options, 0, log,
				 out);
}

dprp_rc bench_build_flags(const struct bench *bench, const char *format,
			  const void *data, size_t size, const char *options,
			  uint64_t flags, struct host_table_text *log,
			  dprp_module **out)
{
	dprp_image image = { .struct_size = sizeof(image),
			     .format = format,
			     .data = data,
			     .size = size };
	const dprp_image *images[] = { &image };
	struct host_table_text unused = { 0 };
	dprp_module_desc desc = { .struct_size = sizeof(desc),
				  .n_images = 1,
				  .images = images,
				  .options = options,
				  .flags = flags,
				  .log = host_table_sink(log ? log : &unused) };
	dprp_rc rc = bench->plugin->module->create(bench->context,
						   bench->device, &desc, out);

	free(unused.text);
	return rc;
}

dprp_rc bench_build_spec(const struct bench *bench, const char *format,
			 const void *data, size_t size, const dprp_spec *spec,
			 uint32_t n_spec, dprp_module **out)
{
	dprp_image image = { .struct_size = sizeof(image),
			     .format = format,
			     .data = data,
			     .size = size };
	const dprp_image *images[] = { &image };
	dprp_module_desc desc = { .struct_size = sizeof(desc),
				  .n_images = 1,
				  .n_spec = n_spec,
				  .images = images,
				  .spec = spec };

	return bench->plugin->module->create(bench->context, bench->device,
					     &desc, out);
}

dprp_module *bench_source(const struct bench *bench, const char *source)
{
	dprp_module *module = NULL;

	OK(bench_build(bench, "opencl-c", source, strlen(source), NULL, NULL,
		       &module));
	return module;
}

dprp_kernel *bench_kernel(const struct bench *bench, dprp_module *module,
			  const char *name)
{
	dprp_kernel *kernel = NULL;

	OK(bench->plugin->module->kernel(module, name, &kernel));
	return kernel;
}

dprp_arg arg_mem(dprp_mem *mem, uint64_t offset)
{
	dprp_arg arg = { .kind = DPRP_ARG_MEM };

	arg.u.m.mem = mem;
	arg.u.m.offset = offset;
	return arg;
}

dprp_arg arg_value(const void *value, uint64_t size)
{
	dprp_arg arg = { .kind = DPRP_ARG_VALUE, .size = size };

	arg.u.value = value;
	return arg;
}

dprp_arg arg_local(uint64_t size)
{
	return (dprp_arg){ .kind = DPRP_ARG_LOCAL, .size = size };
}

dprp_rc bench_launch(const struct bench *bench, dprp_queue *queue,
		     dprp_kernel *kernel, uint64_t global, uint64_t local,
		     const dprp_arg *args, uint32_t n_args, dprp_event *after,
		     dprp_event **event)
{
	dprp_launch launch = { .struct_size = sizeof(launch),
			       .dims = 1,
			       .n_args = n_args,
			       .global = { global, 1, 1 },
			       .local = { local, local ? 1 : 0, local ? 1 : 0 },
			       .args = args };
	dprp_deps deps = { .struct_size = sizeof(deps),
			   .count = 1,
			   .events = &after };

	return bench->plugin->queue->launch(queue, kernel, &launch,
					    after ? &deps : NULL, event);
}

int bench_run(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	/* Run all tests in one process, so that the driver and its compiler
	   start only once. */
	srunner_set_fork_status(runner, CK_NOFORK);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
