/* SPDX-License-Identifier: Apache-2.0 */
/* program.c - code built for a device. */
#include "core/runtime/program/program.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <dpr/queue.h>

#include "core/base/handles/handles.h"
#include "core/base/live.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/base/trace.h"
#include "core/runtime/program/build_log.h"
#include "core/runtime/program/cache.h"

/* Whether @format is source, so that the program is compiled and takes
   options. */
static bool program_is_source(const char *format)
{
	size_t length = strlen(format);

	return length >= 2 && !strcmp(format + length - 2, "-c");
}

/* Append the formats that @device takes.  DPR_ERROR_PLUGIN: the plugin's answer
   is not a list. */
static dpr_status print_formats(const dpr_device *device, struct text *text)
{
	size_t size = 0, at;
	dpr_status status;
	char *list;

	status = dpr_device_info(device, DPR_INFO_FORMATS, NULL, 0, &size);
	if (status == DPR_ERROR_PLUGIN)
		return status;
	list = mem_alloc(size + 1);
	if (!list)
		return fail_memory("program");
	if (status || !size ||
	    dpr_device_info(device, DPR_INFO_FORMATS, list, size, &size))
		text_print(text, "none");
	else
		for (at = 0; at < size; at += strlen(list + at) + 1)
			text_print(text, "%s%s", at ? ", " : "", list + at);
	mem_free(list);
	return DPR_OK;
}

/* Refuse images of which the plugin has picked none, with its reason. */
static dpr_status refuse_images(const dpr_device *device,
				const dpr_image *images, size_t count)
{
	struct text offered = { 0 }, taken = { 0 }, why = { 0 };
	dpr_status status;
	size_t i;

	plugin_print_error(&why, device->plugin, DPR_RC_UNSUPPORTED);
	for (i = 0; i < count; i++)
		text_print(&offered, "%s%s", i ? ", " : "", images[i].format);
	status = print_formats(device, &taken);
	if (!status)
		status = fail(
			DPR_ERROR_UNSUPPORTED,
			"program: %s takes none of the formats offered (%s); it takes: %s; %s [%s]",
			device->selector, text_quote(text_get(&offered)).bytes,
			text_get(&taken), text_get(&why), device->plugin->name);
	text_fini(&why);
	text_fini(&offered);
	text_fini(&taken);
	return status;
}

/* Convert the images to the ABI's @forms, and @list those with the plugin's
   choice first. */
static dpr_status pick_image(const dpr_device *device, const dpr_image *images,
			     size_t count, dprp_image *forms,
			     const dprp_image **list)
{
	const dprp_image *first;
	uint32_t best;
	dprp_rc rc;
	size_t i;

	for (i = 0; i < count; i++) {
		forms[i].struct_size = sizeof(forms[i]);
		forms[i].format = images[i].format;
		forms[i].target = images[i].target;
		forms[i].data = images[i].data;
		forms[i].size = images[i].size;
		list[i] = &forms[i];
	}
	rc = device->plugin->module.pick(device->handle, list, (uint32_t)count,
					 &best);
	rc = plugin_checked(device->plugin, "module->pick", rc);
	if (rc == DPR_RC_UNSUPPORTED)
		return refuse_images(device, images, count);
	if (rc != DPR_RC_OK)
		return plugin_status(device->plugin, rc, "program: pick");
	if (best >= count)
		return fail(DPR_ERROR_PLUGIN,
			    "program: module->pick of backend %s picked image "
			    "%u (counted from 0), but there are only %zu "
			    "images" PLUGIN_AGAINST("K1"),
			    device->plugin->name, best, count);
	first = list[best];
	list[best] = list[0];
	list[0] = first;
	return DPR_OK;
}

static dprp_rc create_module(const dpr_program *program, dprp_context *context,
			     const dprp_image *const *images, size_t count,
			     const struct cache_build *build, struct text *log,
			     dprp_module **out)
{
	dprp_module_desc desc;
	dprp_rc rc;

	memset(&desc, 0, sizeof(desc));
	desc.struct_size = sizeof(desc);
	desc.n_images = (uint32_t)count;
	desc.images = images;
	if (program_is_source(images[0]->format))
		desc.options = build->options;
	desc.n_spec = (uint32_t)build->spec.n;
	desc.spec = build->spec.list;
	desc.flags = build->flags;
	desc.log.write = text_sink;
	desc.log.user = log;
	rc = program->device->plugin->module.create(
		context, program->device->handle, &desc, out);
	rc = plugin_made(program->device->plugin, "module->create", rc, *out);
	if (rc != DPR_RC_OK)
		*out = NULL;
	return rc;
}

/* Fail with the compiler's log.  The first line says where the error is. */
static dpr_status fail_build(const dpr_device *device, const dprp_image *image,
			     const char *log)
{
	struct text place = { 0 };
	dpr_status status;

	if (program_is_source(image->format))
		build_log_place(&place, log, image->data, (size_t)image->size);
	status = fail(
		DPR_ERROR_BUILD, "program: the build for %s failed%s%s\n%s",
		device->selector, text_get(&place), place.size ? "" : ":", log);
	text_fini(&place);
	return status;
}

static dpr_status build_program(dpr_program *program, dprp_context *context,
				const dprp_image *const *images, size_t count,
				const struct cache_build *build)
{
	const dpr_device *device = program->device;
	struct text log = { 0 };
	dpr_status status;
	dprp_rc rc;

	rc = create_module(program, context, images, count, build, &log,
			   &program->handle);
	/* A compiler that was ended writes no log. */
	if (rc == DPR_RC_BUILD && log.size)
		status = fail_build(device, images[0], text_get(&log));
	else
		status = plugin_status(device->plugin, rc,
				       "program: build for %s",
				       device->selector);
	if (status) {
		text_fini(&log);
		return status;
	}
	cache_add(CACHE_BUILDS);
	program->log = text_take(&log);
	if (!program->log)
		return fail_memory("program");
	return DPR_OK;
}

/* Make the program from @entry's binary.  Returns false if it has to be built
   instead; a binary that the driver refuses is removed. */
static bool take_kept(dpr_program *program, dprp_context *context,
		      const struct cache_key *key,
		      const struct cache_entry *entry,
		      const struct cache_build *build)
{
	const dprp_image image = {
		.struct_size = sizeof(image),
		.format = program->binary_format,
		.data = entry->binary,
		.size = entry->size,
	};
	const dprp_image *images[] = { &image };
	/* The binary contains the options and constants already. */
	const struct cache_build flags = { .flags = build->flags };
	struct text log = { 0 };
	char *kept;
	dprp_rc rc;

	kept = mem_string(entry->log);
	if (!kept)
		return false;
	rc = create_module(program, context, images, 1, &flags, &log,
			   &program->handle);
	text_fini(&log);
	if (rc == DPR_RC_OK) {
		cache_add(CACHE_HITS);
		program->log = kept;
		return true;
	}
	mem_free(kept);
	if (rc != DPR_RC_OOM_HOST && rc != DPR_RC_OOM_DEVICE &&
	    rc != DPR_RC_DEVICE_LOST)
		cache_reject(key);
	return false;
}

static void keep_binary(const dpr_program *program, const struct cache_key *key)
{
	const dprp_module_ops *module = &program->device->plugin->module;
	struct text binary = { 0 };
	dprp_sink sink = { text_sink, &binary };

	if (module->binary(program->handle, sink) == DPR_RC_OK && binary.size &&
	    !binary.failed)
		cache_put(key, program->log, binary.bytes, binary.size);
	text_fini(&binary);
}

/* Take the program from the cache on disk, or build it and put it there. */
static dpr_status build_or_take(dpr_program *program,
				const dprp_image *const *images, size_t count,
				const struct cache_build *build)
{
	struct cache_entry entry = { 0 };
	dprp_context *context;
	struct cache_key key;
	dpr_status status;
	bool seen, cached;

	status = device_context(program->device, &context);
	if (status)
		return status;
	cached = cache_key_make(&key, program->device, images[0], build);
	seen = cached && cache_find(&key, &entry);
	if (!entry.size || !take_kept(program, context, &key, &entry, build))
		status = build_program(program, context, images, count, build);
	else
		cached = 0;
	cache_entry_fini(&entry);
	if (!status && cached && key.second && !seen)
		cache_put(&key, program->log, "", 0);
	else if (!status && cached)
		keep_binary(program, &key);
	cache_key_fini(&key);
	return status;
}

static void program_destroy(dpr_program *program)
{
	if (program->handle && process_alive())
		program->device->plugin->module.destroy(program->handle);
	mem_free(program->log);
	mem_free(program->binary_format);
	handles_free(program, mem_free);
	live_drop(LIVE_PROGRAM);
}

static dpr_status program_create(dpr_device *device, const dpr_image *images,
				 size_t count, struct cache_build build,
				 dpr_program **out)
{
	const dprp_image **list;
	dpr_program *program;
	dprp_image *forms;
	dpr_status status;
	char *format;

	program = mem_alloc(sizeof(*program));
	forms = mem_array(count, sizeof(*forms));
	list = mem_array(count, sizeof(*list));
	if (!program || !forms || !list ||
	    asprintf(&format, "%s-binary", device->plugin->name) < 0) {
		mem_free(program);
		mem_free(forms);
		mem_free(list);
		return fail_memory("program");
	}
	live_add(LIVE_PROGRAM);
	refs_init(&program->refs);
	program->device = device;
	program->binary_format = format;
	status = pick_image(device, images, count, forms, list);
	/* Only source uses options, so leave them out of the key of other
	   formats. */
	if (!status && !program_is_source(list[0]->format))
		build.options = NULL;
	/* Other formats are left to the plugin, which knows their constants. */
	if (!status && strcmp(list[0]->format, "spirv") == 0)
		status = spec_check(&build.spec, list[0]->data, list[0]->size);
	if (!status) {
		program->is_native =
			!strcmp(list[0]->format, DPRP_NATIVE_FORMAT);
		status = build_or_take(program, list, count, &build);
	}
	mem_free(forms);
	mem_free(list);
	if (status)
		program_destroy(program);
	else
		*out = program;
	return status;
}

/* Check the images, and that at least one of them can use the options. */
static dpr_status check_images(const dpr_image *images, size_t count,
			       const char *options)
{
	bool source = false;
	size_t i;

	for (i = 0; i < count; i++) {
		if (!images[i].format || !images[i].data || !images[i].size)
			return fail(DPR_ERROR_INVALID_ARGUMENT,
				    "program: image %zu has no %s", i,
				    images[i].format ? "data" : "format");
		source |= program_is_source(images[i].format);
	}
	if (options && *options && !source)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT,
			"program: the options \"%s\" are for a compiler, but "
			"no image is source (the first is %s); pass NULL",
			text_quote(options).bytes,
			text_quote(images[0].format).bytes);
	return DPR_OK;
}

/* Read @options into @build.  After DPR_OK the caller must call spec_fini(). */
static dpr_status read_options(const dpr_build_options *options,
			       struct cache_build *build)
{
	*build = (struct cache_build){ 0 };
	if (!options)
		return DPR_OK;
	if (options->struct_size < DPRP_SIZE_TO(dpr_build_options, flags))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "program: options.struct_size is not set");
	if (options->flags & ~(uint64_t)(DPR_BUILD_ROUNDED | DPR_BUILD_LARGE))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "program: unknown flags: 0x%" PRIx64,
			    options->flags);
	build->options = options->compiler;
	build->flags = options->flags;
	if (options->struct_size < DPRP_SIZE_TO(dpr_build_options, n_spec))
		return DPR_OK;
	return spec_take(options->spec, options->n_spec, &build->spec);
}

dpr_status dpr_program_build(dpr_queue *queue, const dpr_image *images,
			     size_t count, const dpr_build_options *options,
			     dpr_program **out)
{
	TRACE_CALL;
	HANDLES(queue, out);
	struct cache_build build;
	dpr_status status;
	dpr_device *device;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "program: out is NULL");
	*out = NULL;
	status = process_check("program");
	if (status)
		return status;
	if (!queue || !images || !count || count > UINT32_MAX)
		return fail(
			DPR_ERROR_INVALID_ARGUMENT, "program: %s",
			!queue ? "the queue is NULL"
			       : "the list of images is empty or NULL, or too long");
	status = read_options(options, &build);
	if (status)
		return status;
	status = check_images(images, count, build.options);
	device = dpr_queue_device(queue);
	if (!status && !device->plugin->module.struct_size)
		status = fail(
			DPR_ERROR_UNSUPPORTED,
			"program: %s can only copy memory, because backend %s "
			"does not support kernels",
			device->selector, device->plugin->name);
	if (!status)
		status = program_create(device, images, count, build, out);
	spec_fini(&build.spec);
	return status;
}

dpr_status dpr_program_from_images(dpr_queue *queue, const dpr_image *images,
				   size_t count, const char *options,
				   dpr_program **out)
{
	TRACE_CALL;
	HANDLES(queue, out);
	const dpr_build_options build = { .struct_size = sizeof(build),
					  .compiler = options };

	return dpr_program_build(queue, images, count, &build, out);
}

dpr_status dpr_program_from_source(dpr_queue *queue, const char *source,
				   const char *options, dpr_program **out)
{
	TRACE_CALL;
	HANDLES(queue, out);
	dpr_image image = { "opencl-c", NULL, source, 0 };
	dpr_status status;

	if (source && *source)
		image.size = strlen(source);
	else if (out) {
		*out = NULL;
		status = process_check("program");
		return status ? status
			      : fail(DPR_ERROR_INVALID_ARGUMENT,
				     "program: the source is %s",
				     source ? "empty" : "NULL");
	}
	return dpr_program_from_images(queue, &image, 1, options, out);
}

/* The state of a dprp_sink that keeps what fits and counts all bytes. */
struct bytes {
	unsigned char *data;
	size_t capacity, size;
};

static void bytes_sink(void *user, const char *data, size_t size)
{
	struct bytes *bytes = user;

	if (bytes->size <= bytes->capacity &&
	    size <= bytes->capacity - bytes->size)
		memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
}

dpr_status dpr_program_binary(const dpr_program *program, void *data,
			      size_t capacity, size_t *size)
{
	TRACE_CALL;
	HANDLES(program);
	struct bytes bytes = { data, data ? capacity : 0, 0 };
	dprp_sink sink = { bytes_sink, &bytes };
	const struct plugin *plugin;
	dpr_status status;

	if (size)
		*size = 0;
	status = process_check("program binary");
	if (status)
		return status;
	if (!program || !size)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "program binary: the program or size is NULL");
	plugin = program->device->plugin;
	status = plugin_status(
		plugin,
		plugin_checked(plugin, "module->binary",
			       plugin->module.binary(program->handle, sink)),
		"program binary of %s", program->device->selector);
	if (status)
		return status;
	*size = bytes.size;
	if (data && bytes.size > capacity)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "program binary: the binary has %zu bytes, but "
			    "there is room for only %zu",
			    bytes.size, capacity);
	return DPR_OK;
}

const char *dpr_program_binary_format(const dpr_program *program)
{
	HANDLES_GET(program);
	return program ? program->binary_format : "";
}

const char *dpr_program_log(const dpr_program *program)
{
	HANDLES_GET(program);
	return program ? program->log : "";
}

dpr_device *dpr_program_device(const dpr_program *program)
{
	HANDLES_GET(program);
	return program ? program->device : NULL;
}

dpr_program *dpr_program_retain(dpr_program *program)
{
	HANDLES_RETAIN(program);
	if (program)
		refs_take(&program->refs);
	return program;
}

static bool free_reaped(struct reap_node *node, uint64_t deadline)
{
	(void)deadline;
	program_destroy(
		(dpr_program *)((char *)node - offsetof(dpr_program, reaped)));
	return true;
}

void dpr_program_release(dpr_program *program)
{
	HANDLES_RELEASE(dpr_program_release, program);
	if (!program || !refs_drop(&program->refs))
		return;
	if (!reap_is_elsewhere()) {
		program_destroy(program);
		return;
	}
	program->reaped.root = program->device->root;
	program->reaped.what = REAP_CODE;
	program->reaped.free = free_reaped;
	reap_add(&program->reaped);
}
