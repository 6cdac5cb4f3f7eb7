/* SPDX-License-Identifier: Apache-2.0 */
/* backend_module.c - modules, kernels, their arguments and ranges. */
#include "tests/contract/backend_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct store {
	int64_t index;
	int32_t value, pad;
};

START_TEST(test_pick)
{
	static const dprp_image junk = { sizeof(dprp_image), "com.acme.junk",
					 NULL, "junk", 4 };
	const dprp_image *list[4], *only[1] = { &junk };
	dprp_image images[3];
	uint32_t n, best = 99;
	struct rig rig;

	rig_open(&rig, _i, NULL);
	rig_rc(&rig, DPR_RC_UNSUPPORTED,
	       rig.plugin->module->pick(rig.device, only, 1, &best));
	n = rig_images(images, list);
	list[n] = list[0];
	list[0] = &junk;
	rig_ok(&rig, rig.plugin->module->pick(rig.device, list, n + 1, &best));
	ck_assert_uint_ge(best, 1);
	ck_assert_uint_le(best, n);
	rig_close(&rig);
}
END_TEST

START_TEST(test_bad_image)
{
	static const char source[] = "kernel void f(\n#error no such thing\n";
	static const dprp_native_module none = { 8, 0, 0, NULL };
	const dprp_image native = { sizeof(native), DPRP_NATIVE_FORMAT, NULL,
				    &none, 8 };
	const dprp_image text = { sizeof(text), "opencl-c", NULL, source,
				  sizeof(source) - 1 };
	const dprp_image *list[1] = { &native };
	dprp_module_desc desc = { .struct_size = sizeof(desc),
				  .n_images = 1,
				  .images = list };
	dprp_module *module;
	uint32_t best;
	struct rig rig;
	dprp_rc rc;

	rig_open(&rig, _i, NULL);
	if (!rig.plugin->module->pick(rig.device, list, 1, &best)) {
		rc = rig.plugin->module->create(rig.context, rig.device, &desc,
						&module);
		ck_assert(rc == DPR_RC_INVALID || rc == DPR_RC_BUILD);
		ck_assert_ptr_null(module);
	}
	list[0] = &text;
	if (!rig.plugin->module->pick(rig.device, list, 1, &best)) {
		rig_rc(&rig, DPR_RC_BUILD,
		       rig.plugin->module->create(rig.context, rig.device,
						  &desc, &module));
		ck_assert_ptr_null(module);
	}
	rig_close(&rig);
}
END_TEST

/* Known flags are obeyed or refused; unknown flags are refused. */
START_TEST(test_flags)
{
	const dprp_image *list[4];
	dprp_image images[3];
	dprp_module_desc desc = { .struct_size = sizeof(desc),
				  .n_images = 1,
				  .images = list };
	dprp_module *module;
	uint32_t n, best;
	struct rig rig;
	dprp_rc rc;

	rig_open(&rig, _i, NULL);
	n = rig_images(images, list);
	rig_ok(&rig, rig.plugin->module->pick(rig.device, list, n, &best));
	list[0] = list[best];
	for (desc.flags = 1; desc.flags < 4; desc.flags++) {
		rc = rig.plugin->module->create(rig.context, rig.device, &desc,
						&module);
		if (!rc)
			rig.plugin->module->destroy(module);
		else
			ck_assert(rc == DPR_RC_UNSUPPORTED && rig.error == rc);
	}
	for (desc.flags = 4; desc.flags; desc.flags <<= 1)
		rig_rc(&rig, DPR_RC_UNSUPPORTED,
		       rig.plugin->module->create(rig.context, rig.device,
						  &desc, &module));
	rig_close(&rig);
}
END_TEST

/* A format without specialization constants refuses values for them.  Formats
   with them accept values. */
START_TEST(test_constants)
{
	static const uint32_t value = 7;
	const dprp_spec spec = { 3, sizeof(value), &value };
	const dprp_image *list[4];
	dprp_image images[3];
	dprp_module_desc desc = { .struct_size = sizeof(desc),
				  .n_images = 1,
				  .n_spec = 1,
				  .spec = &spec };
	dprp_module *module;
	uint32_t i, n, best;
	bool constants;
	struct rig rig;

	rig_open(&rig, _i, NULL);
	n = rig_images(images, list);
	for (i = 0; i < n; i++) {
		if (rig.plugin->module->pick(rig.device, &list[i], 1, &best))
			continue;
		desc.images = &list[i];
		constants = strcmp(list[i]->format, "mock") == 0;
		rig_rc(&rig, constants ? DPR_RC_OK : DPR_RC_UNSUPPORTED,
		       rig.plugin->module->create(rig.context, rig.device,
						  &desc, &module));
		if (constants)
			rig.plugin->module->destroy(module);
		else
			ck_assert_ptr_null(module);
	}
	rig_close(&rig);
}
END_TEST

START_TEST(test_kernel_info)
{
	const dprp_module_ops *ops;
	dprp_param params[8];
	dprp_module *module;
	dprp_kernel *kernel;
	uint64_t most;
	struct rig rig;
	size_t need;
	dprp_rc rc;

	rig_open(&rig, _i, NULL);
	ops = rig.plugin->module;
	module = rig_module(&rig);
	rig_rc(&rig, DPR_RC_INVALID, ops->kernel(module, "nothing", &kernel));
	ck_assert_ptr_null(kernel);
	kernel = rig_kernel(&rig, module, "local_sum");
	rc = ops->kernel_info(kernel, rig.device, DPRP_KERNEL_PARAMS, params,
			      sizeof(params), &need);
	if (rc != DPR_RC_UNSUPPORTED) {
		rig_ok(&rig, rc);
		ck_assert_uint_eq(need, 4 * sizeof(params[0]));
		ck_assert_uint_eq(params[0].kind, DPRP_ARG_MEM);
		ck_assert_uint_eq(params[2].kind, DPRP_ARG_LOCAL);
		ck_assert_uint_eq(params[3].kind, DPRP_ARG_VALUE);
		ck_assert(!params[0].size || params[0].size == sizeof(void *));
		ck_assert_uint_eq(params[2].size, 0);
		ck_assert(!params[3].size || params[3].size == 8);
		rig_rc(&rig, DPR_RC_INVALID,
		       ops->kernel_info(kernel, rig.device, DPRP_KERNEL_PARAMS,
					params, 3, &need));
	}
	rig_ok(&rig,
	       ops->kernel_info(kernel, rig.device, DPRP_KERNEL_MAX_WORK_GROUP,
				&most, sizeof(most), &need));
	ck_assert_uint_ge(most, 1);
	rig_rc(&rig, DPR_RC_UNSUPPORTED,
	       ops->kernel_info(kernel, rig.device, 999, NULL, 0, &need));
	ops->kernel_destroy(kernel);
	ops->destroy(module);
	rig_close(&rig);
}
END_TEST

START_TEST(test_arguments)
{
	const struct store s = { 5, 42, 0 };
	dprp_kernel *store, *sum, *axpy;
	int32_t x[64] = { 0 }, total = 0;
	uint64_t n = 16;
	dprp_module *module;
	float f[64], a = 2;
	struct rig rig;
	dprp_mem *mem;
	int i;

	rig_open(&rig, _i, NULL);
	module = rig_module(&rig);
	store = rig_kernel(&rig, module, "store");
	sum = rig_kernel(&rig, module, "local_sum");
	axpy = rig_kernel(&rig, module, "axpy");
	mem = rig_mem(&rig, 4096);
	/* Pass a struct by value. */
	rig_write(&rig, mem, 0, x, sizeof(x));
	rig_ok(&rig, rig_launch(&rig, rig.queue, store, 1,
				(dprp_arg[]){ rig_arg_mem(mem, 0),
					      rig_arg_value(&s, sizeof(s)) },
				2, NULL, NULL));
	rig_read(&rig, mem, 0, x, sizeof(x));
	ck_assert_int_eq(x[5], 42);
	/* Pass local memory, and memory at an offset. */
	for (i = 0; i < 64; i++)
		x[i] = i;
	rig_write(&rig, mem, 1024, x, sizeof(x));
	rig_ok(&rig, rig_launch(&rig, rig.queue, sum, n,
				(dprp_arg[]){ rig_arg_mem(mem, 2048),
					      rig_arg_mem(mem, 1024),
					      rig_arg_local(256),
					      rig_arg_value(&n, 8) },
				4, NULL, NULL));
	rig_read(&rig, mem, 2048, &total, 4);
	ck_assert_int_eq(total, 120);
	for (i = 0; i < 64; i++)
		f[i] = (float)i;
	rig_write(&rig, mem, 0, f, sizeof(f));
	rig_write(&rig, mem, 1024, f, sizeof(f));
	n = 64;
	rig_ok(&rig, rig_launch(&rig, rig.queue, axpy, n,
				(dprp_arg[]){ rig_arg_value(&a, 4),
					      rig_arg_mem(mem, 0),
					      rig_arg_mem(mem, 1024),
					      rig_arg_value(&n, 8) },
				4, NULL, NULL));
	rig_read(&rig, mem, 1024, f, sizeof(f));
	for (i = 0; i < 64; i++)
		ck_assert_float_eq(f[i], (float)(3 * i));
	rig.plugin->mem->free(mem);
	rig.plugin->module->kernel_destroy(store);
	rig.plugin->module->kernel_destroy(sum);
	rig.plugin->module->kernel_destroy(axpy);
	rig.plugin->module->destroy(module);
	rig_close(&rig);
}
END_TEST

/* The core checks launches, but a plugin without a driver checks them as
   well. */
START_TEST(test_wrong_arguments)
{
	dprp_module *module;
	dprp_kernel *kernel;
	uint64_t n = 16;
	struct rig rig;
	dprp_mem *mem;

	if (rig_has_driver(_i))
		return;
	rig_open(&rig, _i, NULL);
	module = rig_module(&rig);
	kernel = rig_kernel(&rig, module, "add_one");
	mem = rig_mem(&rig, 4096);
	{
		dprp_arg good[3] = { rig_arg_mem(mem, 0), rig_arg_value(&n, 8),
				     rig_arg_value(&n, 8) };
		dprp_arg kind[2] = { rig_arg_value(&n, 8),
				     rig_arg_value(&n, 8) };
		dprp_arg size[2] = { rig_arg_mem(mem, 0),
				     rig_arg_value(&n, 2) };

		ck_assert_int_lt(rig_launch(&rig, rig.queue, kernel, n, good, 1,
					    NULL, NULL),
				 0);
		ck_assert_int_lt(rig_launch(&rig, rig.queue, kernel, n, good, 3,
					    NULL, NULL),
				 0);
		ck_assert_int_lt(rig_launch(&rig, rig.queue, kernel, n, kind, 2,
					    NULL, NULL),
				 0);
		ck_assert_int_lt(rig_launch(&rig, rig.queue, kernel, n, size, 2,
					    NULL, NULL),
				 0);
		rig_ok(&rig, rig_launch(&rig, rig.queue, kernel, n, good, 2,
					NULL, NULL));
	}
	rig_ok(&rig, rig.plugin->queue->finish(rig.queue));
	rig.plugin->mem->free(mem);
	rig.plugin->module->kernel_destroy(kernel);
	rig.plugin->module->destroy(module);
	rig_close(&rig);
}
END_TEST

/* Ranges of many sizes: each element is done once, and none beyond the end. */
START_TEST(test_ranges)
{
	static const uint64_t sizes[] = { 1,    2,    63,   64,     65,
					  1000, 4096, 4097, 100003, 1000000 };
	enum { MOST = 1000000 };
	int32_t *x = malloc((MOST + 16) * 4);
	dprp_launch launch = { .struct_size = sizeof(launch),
			       .dims = 1,
			       .n_args = 2 };
	dprp_module *module;
	dprp_kernel *kernel;
	dprp_arg args[2];
	struct rig rig;
	dprp_mem *mem;
	size_t i;
	uint64_t n, k;

	rig_open(&rig, _i, NULL);
	module = rig_module(&rig);
	kernel = rig_kernel(&rig, module, "add_one");
	mem = rig_mem(&rig, (MOST + 16) * 4);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		n = sizes[i];
		memset(x, 0, (MOST + 16) * 4);
		rig_write(&rig, mem, 0, x, (n + 16) * 4);
		rig_ok(&rig, rig_add_one(&rig, rig.queue, kernel, mem, n, NULL,
					 NULL));
		rig_read(&rig, mem, 0, x, (n + 16) * 4);
		for (k = 0; k < n + 16; k++)
			if (x[k] != (k < n))
				ck_abort_msg("%llu of %llu: %d",
					     (unsigned long long)k,
					     (unsigned long long)n, x[k]);
	}
	/* With a local size, which must divide the range. */
	n = 1024;
	args[0] = rig_arg_mem(mem, 0);
	args[1] = rig_arg_value(&n, 8);
	launch.args = args;
	launch.global[0] = n;
	launch.global[1] = launch.global[2] = 1;
	launch.local[0] = 32;
	launch.local[1] = launch.local[2] = 1;
	memset(x, 0, 4096);
	rig_write(&rig, mem, 0, x, 4096);
	rig_ok(&rig, rig.plugin->queue->launch(rig.queue, kernel, &launch, NULL,
					       NULL));
	rig_read(&rig, mem, 0, x, 4096);
	for (k = 0; k < n; k++)
		ck_assert_int_eq(x[k], 1);
	rig.plugin->mem->free(mem);
	rig.plugin->module->kernel_destroy(kernel);
	rig.plugin->module->destroy(module);
	rig_close(&rig);
	free(x);
}
END_TEST

struct text {
	char bytes[1 << 20];
	size_t size;
};

static void collect(void *user, const char *bytes, size_t size)
{
	struct text *text = user;

	ck_assert_uint_le(size, sizeof(text->bytes) - text->size);
	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
}

START_TEST(test_binary)
{
	struct text *text = calloc(1, sizeof(*text));
	dprp_sink sink = { collect, text };
	dprp_image image = { .struct_size = sizeof(image) };
	const dprp_image *list[1] = { &image };
	dprp_module_desc desc = { .struct_size = sizeof(desc),
				  .n_images = 1,
				  .images = list };
	dprp_module *module, *again;
	dprp_kernel *kernel;
	uint32_t best = 9;
	char format[80];
	struct rig rig;
	dprp_rc rc;

	rig_open(&rig, _i, (const char *const[]){ "FORMATS=opencl-c", NULL });
	module = rig_module(&rig);
	if (!DPRP_HAS(rig.plugin->module, dprp_module_ops, binary))
		goto out;
	rc = rig.plugin->module->binary(module, sink);
	if (rc == DPR_RC_UNSUPPORTED)
		goto out;
	rig_ok(&rig, rc);
	ck_assert_uint_gt(text->size, 0);
	snprintf(format, sizeof(format), "%s-binary", rig.plugin->name);
	image.format = format;
	image.data = text->bytes;
	image.size = text->size;
	rig_ok(&rig, rig.plugin->module->pick(rig.device, list, 1, &best));
	ck_assert_uint_eq(best, 0);
	rig_ok(&rig, rig.plugin->module->create(rig.context, rig.device, &desc,
						&again));
	kernel = rig_kernel(&rig, again, "add_one");
	rig.plugin->module->kernel_destroy(kernel);
	rig.plugin->module->destroy(again);
out:
	rig.plugin->module->destroy(module);
	rig_close(&rig);
	free(text);
}
END_TEST

/* Launch after @before.  If the plugin cannot wait for it (NO_PATH), wait here
   first, as the core does. */
static void launch_after(struct rig *rig, dprp_kernel *kernel,
			 const dprp_launch *launch, dprp_event *before,
			 dprp_event **event)
{
	const dprp_queue_ops *ops = rig->plugin->queue;
	dprp_deps deps = rig_deps(&before, 1);
	dprp_rc rc = ops->launch(rig->queue, kernel, launch, &deps, event);

	if (rc == DPR_RC_NO_PATH) {
		rig_ok(rig, rig_wait(rig, before, RIG_FOREVER));
		rc = ops->launch(rig->queue, kernel, launch, NULL, event);
	}
	rig_ok(rig, rc);
}

/* If any extent is 0, nothing runs.  The event completes after the dependencies
   of the launch. */
START_TEST(test_no_items)
{
	static const uint64_t sizes[][3] = { { 0, 1, 1 },
					     { 8, 0, 1 },
					     { 8, 8, 0 } };
	struct rig_bytes seven;
	dprp_launch launch = { .struct_size = sizeof(launch),
			       .dims = 3,
			       .n_args = 2 };
	dprp_event *event, *write;
	dprp_module *module;
	dprp_kernel *kernel;
	uint64_t n = 1;
	dprp_arg args[2];
	struct rig rig;
	dprp_mem *mem;
	int32_t value;
	size_t i;

	rig_open(&rig, _i, NULL);
	module = rig_module(&rig);
	kernel = rig_kernel(&rig, module, "add_one");
	mem = rig_mem(&rig, 4);
	seven = rig_bytes(&rig, 4);
	*(int32_t *)seven.at = 7;
	args[0] = rig_arg_mem(mem, 0);
	args[1] = rig_arg_value(&n, 8);
	launch.args = args;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memcpy(launch.global, sizes[i], sizeof(launch.global));
		rig_ok(&rig,
		       rig.plugin->queue->write(rig.queue, mem, 0, seven.at, 4,
						NULL, &write));
		launch_after(&rig, kernel, &launch, write, &event);
		rig_done(&rig, event);
		ck_assert_uint_eq(rig_state(&rig, write, NULL),
				  DPRP_EVENT_DONE);
		rig.plugin->event->destroy(write);
		rig_ok(&rig, rig.plugin->queue->launch(rig.queue, kernel,
						       &launch, NULL, NULL));
		rig_read(&rig, mem, 0, &value, 4);
		ck_assert_int_eq(value, 7);
	}
	rig_bytes_free(&rig, &seven);
	rig.plugin->mem->free(mem);
	rig.plugin->module->kernel_destroy(kernel);
	rig.plugin->module->destroy(module);
	rig_close(&rig);
}
END_TEST

static void add(Suite *suite)
{
	rig_add(suite, "pick", test_pick);
	rig_add(suite, "bad image", test_bad_image);
	rig_add(suite, "flags", test_flags);
	rig_add(suite, "constants", test_constants);
	rig_add(suite, "kernel info", test_kernel_info);
	rig_add(suite, "arguments", test_arguments);
	rig_add(suite, "wrong arguments", test_wrong_arguments);
	rig_add(suite, "ranges", test_ranges);
	rig_add(suite, "no items", test_no_items);
	rig_add(suite, "binary", test_binary);
}

int main(void)
{
	return rig_main("backend_module", add);
}
