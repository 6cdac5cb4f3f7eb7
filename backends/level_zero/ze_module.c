/* SPDX-License-Identifier: Apache-2.0 */
/* ze_module.c - programs: SPIR-V, OpenCL C, and the plugin's own binaries. */
#include "ze_programs.h"

#include <stdio.h>

#include "backends/level_zero/spirv/ze_binary.h"

#define LARGE_FLAG "-ze-opt-greater-than-4GB-buffer-required"
/* Intel's compiler knows only OpenCL's option for this. */
#define ROUNDED_FLAG "-cl-fp32-correctly-rounded-divide-sqrt"
#define MAX_FLAGS 200

/* In order of preference. */
enum format { FORMAT_BINARY, FORMAT_SPIRV, FORMAT_SOURCE, FORMAT_OTHER };

static enum format format_of(const char *name)
{
	static const char *const names[] = { "level_zero-binary", "spirv",
					     "opencl-c" };
	int i;

	for (i = 0; i < FORMAT_OTHER; i++)
		if (strcmp(name, names[i]) == 0)
			break;
	return (enum format)i;
}

/* --- Choosing ------------------------------------------------------------- */

bool ze_module_takes_source(dprp_device *device)
{
	return device->module.spirvVersionSupported &&
	       (ze_compile_is_there(device->instance) ||
		ze_compile_by_driver(device));
}

const char *ze_module_formats(dprp_device *device, size_t *size)
{
	static const char all[] = "spirv\0opencl-c\0level_zero-binary";
	static const char no_source[] = "spirv\0level_zero-binary";
	static const char no_spirv[] = "level_zero-binary";

	if (ze_module_takes_source(device)) {
		*size = sizeof(all);
		return all;
	}
	if (device->module.spirvVersionSupported) {
		*size = sizeof(no_source);
		return no_source;
	}
	*size = sizeof(no_spirv);
	return no_spirv;
}

static bool is_usable(dprp_device *device, enum format format)
{
	switch (format) {
	case FORMAT_BINARY: return true;
	case FORMAT_SPIRV: return device->module.spirvVersionSupported != 0;
	case FORMAT_SOURCE: return ze_module_takes_source(device);
	case FORMAT_OTHER: break;
	}
	return false;
}

dprp_rc ze_module_pick(dprp_device *device, const dprp_image *const *images,
		       uint32_t n, uint32_t *best)
{
	enum format format;
	uint32_t i;

	for (format = FORMAT_BINARY; format < FORMAT_OTHER; format++)
		for (i = 0; i < n; i++)
			if (format_of(images[i]->format) == format &&
			    is_usable(device, format)) {
				*best = i;
				return DPR_RC_OK;
			}
	for (i = 0; i < n; i++)
		if (format_of(images[i]->format) == FORMAT_SOURCE)
			return ze_compile_missing(device->instance);
	return dprh_fail(device->instance->host, DPR_RC_UNSUPPORTED, 0,
			 "no image has a format of this device");
}

/* --- Building ------------------------------------------------------------- */

/* A module that is being built. */
struct build {
	dprp_module *module;
	const dprp_module_desc *desc;
	const char *options; /* of the source, or NULL */
	ze_module_format_t format;
	const void *input;
	size_t size;
};

static void write_line(dprp_sink log, const char *text)
{
	size_t size = strlen(text);

	while (size && text[size - 1] == '\n')
		size--;
	if (!log.write || !size)
		return;
	log.write(log.user, text, size);
	log.write(log.user, "\n", 1);
}

/* Whether the loader gives out handles of its own, as it does with several
   drivers.  If so, the log of a failed build cannot be read: the loader (up to
   version 1.8 at least) does not replace the log's handle when a build fails,
   and would then mistake the driver's handle for one of its own. */
static bool has_loader_handles(const dprp_device *device)
{
	const struct ze_api *ze = &device->instance->ze;
	void *theirs = NULL;

	return ze->zelLoaderTranslateHandle(ZEL_HANDLE_DRIVER,
					    device->driver->ze, &theirs) ||
	       theirs != (void *)device->driver->ze;
}

/* Pass on the driver's log, and destroy it. */
static void take_log(const dprp_instance *instance,
		     ze_module_build_log_handle_t log, dprp_sink out)
{
	const struct ze_api *ze = &instance->ze;
	size_t size = 0;
	char *text;

	if (out.write && !ze->zeModuleBuildLogGetString(log, &size, NULL) &&
	    size > 1) {
		text = dprh_alloc(instance->host, size + 1, 1);
		if (text && !ze->zeModuleBuildLogGetString(log, &size, text))
			write_line(out, text);
		dprh_free(instance->host, text);
	}
	ze->zeModuleBuildLogDestroy(log);
}

/* Make the driver's options: the options for the build flags, and the source's
   options.  For SPIR-V that was made of source, these are only the options that
   the SPIR-V does not contain.  NULL: no memory. */
static char *make_flags(const struct build *build)
{
	static const char *const passed[][2] = {
		{ "-cl-denorms-are-zero", "-cl-denorms-are-zero" },
		{ "-cl-opt-disable", "-ze-opt-disable" },
	};
	const bool source = build->format == ZE_NEWER_FORMAT_SOURCE;
	const char *options = build->options ? build->options : "";
	const size_t room = MAX_FLAGS + (source ? strlen(options) : 0);
	char *text = dprh_alloc(build->module->instance->host, room, 1);
	size_t used, i;

	if (!text)
		return NULL;
	snprintf(text, room, "%s%s%s%s%s%s",
		 source && !strstr(options, "-cl-std=") ? "-cl-std=CL1.2 " : "",
		 source ? options : "", source ? " " : "",
		 build->module->flags & DPRP_BUILD_LARGE ? LARGE_FLAG : "",
		 build->module->flags & DPRP_BUILD_ROUNDED ? " " : "",
		 build->module->flags & DPRP_BUILD_ROUNDED ? ROUNDED_FLAG : "");
	for (i = 0; build->options && !source && i < 2; i++) {
		used = strlen(text);
		if (strstr(build->options, passed[i][0]))
			snprintf(text + used, room - used, " %s", passed[i][1]);
	}
	return text;
}

/* The values of specialization constants in the driver's form. */
struct constants {
	ze_module_constants_t list;
	void *block; /* of the host, or NULL */
};

static dprp_rc make_constants(const dprp_host *host,
			      const dprp_module_desc *desc,
			      struct constants *out)
{
	const size_t n = desc->n_spec;
	const void **places;
	uint64_t *values;
	uint32_t *ids;
	size_t i;

	*out = (struct constants){ 0 };
	if (!n)
		return DPR_RC_OK;
	values = dprh_alloc(host, n,
			    sizeof(*values) + sizeof(*places) + sizeof(*ids));
	if (!values)
		return dprh_no_memory(host, "constants");
	places = (const void **)(values + n);
	ids = (uint32_t *)(places + n);
	for (i = 0; i < n; i++) {
		if (desc->spec[i].size > sizeof(*values)) {
			dprh_free(host, values);
			return dprh_fail(
				host, DPR_RC_INVALID, 0,
				"specialization constant %u has %u bytes; at "
				"most 8 are possible",
				(unsigned)desc->spec[i].id,
				(unsigned)desc->spec[i].size);
		}
		memcpy(&values[i], desc->spec[i].value, desc->spec[i].size);
		places[i] = &values[i];
		ids[i] = desc->spec[i].id;
	}
	out->block = values;
	out->list.numConstants = (uint32_t)n;
	out->list.pConstantIds = ids;
	out->list.pConstantValues = places;
	return DPR_RC_OK;
}

static dprp_rc call_driver(struct build *build,
			   const ze_module_constants_t *constants)
{
	dprp_module *module = build->module;
	dprp_device *device = module->device;
	char *flags = make_flags(build);
	const ze_module_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
					.format = build->format,
					.inputSize = build->size,
					.pInputModule = build->input,
					.pBuildFlags = flags,
					.pConstants = constants };
	const bool wrapped = has_loader_handles(device);
	ze_module_build_log_handle_t log = NULL;
	ze_result_t result;

	if (!flags)
		return dprh_no_memory(module->instance->host,
				      "a program's options");
	result = module->instance->ze.zeModuleCreate(
		module->context->ze, device->ze, &desc, &module->ze,
		wrapped ? NULL : &log);
	dprh_free(module->instance->host, flags);
	if (result)
		module->ze = NULL;
	if (log)
		take_log(module->instance, log, build->desc->log);
	if (result == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE ||
	    result == ZE_RESULT_ERROR_MODULE_LINK_FAILURE) {
		write_line(build->desc->log,
			   wrapped ? "the driver failed to build the "
				     "program; its log cannot be read, "
				     "because the loader has several drivers"
				   : "the driver failed to build the program");
	}
	return ze_error_check_device(device, result, "zeModuleCreate");
}

static dprp_rc build_module(struct build *build)
{
	const dprp_host *host = build->module->instance->host;
	struct constants constants;
	dprp_rc rc = make_constants(host, build->desc, &constants);

	if (!rc)
		rc = call_driver(build,
				 constants.block ? &constants.list : NULL);
	dprh_free(host, constants.block);
	return rc;
}

/* --- Formats -------------------------------------------------------------- */

/* What the module needs but the device lacks, or NULL. */
static const char *lacking(const dprp_device *device,
			   const struct ze_spirv *spirv)
{
	const ze_device_module_flags_t flags = device->module.flags;

	if (spirv->float64 && !(flags & ZE_DEVICE_MODULE_FLAG_FP64))
		return "numbers of type double";
	if (spirv->float16 && !(flags & ZE_DEVICE_MODULE_FLAG_FP16))
		return "arithmetic of type half";
	if (spirv->int64_atomics &&
	    !(flags & ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS))
		return "atomics of 64 bits";
	return NULL;
}

static dprp_rc check_needs(const dprp_module *module)
{
	const char *what = lacking(module->device, &module->spirv);

	if (!what)
		return DPR_RC_OK;
	return dprh_fail(module->instance->host, DPR_RC_UNSUPPORTED, 0,
			 "the program needs %s, but %s does not "
			 "support that",
			 what, module->device->properties.name);
}

/* Log that the SPIR-V is newer than the versions that the driver reports.  This
   may be the reason for a failed build.  It is no reason to refuse a module:
   drivers accept newer SPIR-V than they report. */
static void tell_version(const struct build *build)
{
	const uint32_t takes =
		build->module->device->module.spirvVersionSupported;
	const struct ze_spirv *spirv = &build->module->spirv;
	char text[160];

	if (ZE_MAKE_VERSION(spirv->major, spirv->minor) <= takes)
		return;
	snprintf(text, sizeof(text),
		 "the program is SPIR-V %u.%u, but the driver reports that "
		 "it supports at most %u.%u",
		 (unsigned)spirv->major, (unsigned)spirv->minor,
		 (unsigned)ZE_MAJOR_VERSION(takes),
		 (unsigned)ZE_MINOR_VERSION(takes));
	write_line(build->desc->log, text);
}

static dprp_rc make_spirv(struct build *build, const void *bytes, size_t size)
{
	dprp_module *module = build->module;
	const dprp_host *host = module->instance->host;
	const char *wrong = NULL;
	char text[160];
	dprp_rc rc = ze_spirv_read(&module->spirv, bytes, size, &wrong);

	if (rc == DPR_RC_INVALID) {
		snprintf(text, sizeof(text), "the SPIR-V module %s", wrong);
		write_line(build->desc->log, text);
		return dprh_fail(host, DPR_RC_BUILD, 0, "%s", text);
	}
	if (rc)
		return dprh_no_memory(host, "the table of a program");
	module->known = true;
	rc = check_needs(module);
	if (rc)
		return rc;
	build->format = ZE_MODULE_FORMAT_IL_SPIRV;
	build->input = bytes;
	build->size = size;
	rc = build_module(build);
	if (rc == DPR_RC_BUILD)
		tell_version(build);
	return rc;
}

static dprp_rc make_source(struct build *build, const dprp_image *image)
{
	dprp_module *module = build->module;
	struct ze_bytes spirv;
	dprp_rc rc;

	build->options = build->desc->options;
	if (build->options && strstr(build->options, ROUNDED_FLAG))
		module->flags |= DPRP_BUILD_ROUNDED;
	if (ze_compile_by_driver(module->device)) {
		build->format = ZE_NEWER_FORMAT_SOURCE;
		build->input = image->data;
		build->size = (size_t)image->size;
		return build_module(build);
	}
	rc = ze_compile_source(module->device, image, build->options,
			       build->desc->log, &spirv);
	if (!rc)
		rc = make_spirv(build, spirv.bytes, spirv.size);
	dprh_free(module->instance->host, spirv.bytes);
	return rc;
}

/* Make a module from one of the plugin's own binaries.  After INVALID the core
   builds the program anew. */
static dprp_rc make_binary(struct build *build, const dprp_image *image)
{
	dprp_module *module = build->module;
	const dprp_host *host = module->instance->host;
	struct ze_binary binary;
	const char *wrong =
		ze_binary_read(&binary, image->data, (size_t)image->size);
	dprp_rc rc = DPR_RC_OK;

	if (!wrong && binary.outline_size) {
		rc = ze_spirv_read(&module->spirv, binary.outline,
				   binary.outline_size, &wrong);
		module->known = !rc;
	}
	if (wrong)
		return dprh_fail(host, DPR_RC_INVALID, 0,
				 "the binary of a program %s", wrong);
	if (rc)
		return dprh_no_memory(host, "the table of a program");
	if (module->flags & ~binary.flags)
		return dprh_fail(
			host, DPR_RC_UNSUPPORTED, 0,
			"the binary was built without the flags %#llx",
			(unsigned long long)(module->flags & ~binary.flags));
	module->flags = binary.flags;
	build->format = ZE_MODULE_FORMAT_NATIVE;
	build->input = binary.code;
	build->size = binary.code_size;
	return build_module(build);
}

static dprp_rc make_module(struct build *build, const dprp_image *image)
{
	const dprp_host *host = build->module->instance->host;
	const enum format format = format_of(image->format);

	if (build->desc->n_spec && format != FORMAT_SPIRV)
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
				 "specialization constants need "
				 "SPIR-V, but the device uses the "
				 "program's image of format %.60s: "
				 "give the program as SPIR-V only",
				 image->format);
	switch (format) {
	case FORMAT_BINARY: return make_binary(build, image);
	case FORMAT_SPIRV:
		return make_spirv(build, image->data, (size_t)image->size);
	case FORMAT_SOURCE: return make_source(build, image);
	case FORMAT_OTHER: break;
	}
	return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			 "the device does not support programs of "
			 "format %.60s",
			 image->format);
}

/* --- Making --------------------------------------------------------------- */

/* Check that the device supports the flags. */
static dprp_rc check_flags(const dprp_device *device, uint64_t flags)
{
	const dprp_host *host = device->instance->host;

	if (flags & DPRP_BUILD_ROUNDED &&
	    !(device->module.fp32flags & ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT))
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
				 "%s cannot round float division correctly",
				 device->properties.name);
	if (flags & DPRP_BUILD_LARGE && !device->driver->relaxed &&
	    device->properties.maxMemAllocSize < UINT64_C(1) << 32)
		return dprh_fail(
			host, DPR_RC_UNSUPPORTED, 0,
			"%s does not support allocations of 4 GiB and more",
			device->properties.name);
	return DPR_RC_OK;
}

dprp_rc ze_module_create(dprp_context *context, dprp_device *device,
			 const dprp_module_desc *theirs, dprp_module **out)
{
	const dprp_host *host = context->instance->host;
	struct build build = { 0 };
	dprp_module *module;
	dprp_module_desc desc;
	dprp_image image;
	dprp_rc rc = dprh_take_module(host, theirs, &desc, &image);

	*out = NULL;
	if (!rc)
		rc = check_flags(device, desc.flags);
	if (rc)
		return rc;
	module = dprh_alloc(host, 1, sizeof(*module));
	if (!module)
		return dprh_no_memory(host, "a program");
	module->instance = context->instance;
	module->context = context;
	module->device = device;
	module->spirv.host = host;
	module->flags = desc.flags;
	build.module = module;
	build.desc = &desc;
	rc = make_module(&build, &image);
	if (rc) {
		ze_module_destroy(module);
		return rc;
	}
	*out = module;
	return DPR_RC_OK;
}

void ze_module_destroy(dprp_module *module)
{
	const dprp_host *host = module->instance->host;

	if (module->ze)
		module->instance->ze.zeModuleDestroy(module->ze);
	ze_spirv_free(&module->spirv);
	dprh_free(host, module);
}

dprp_rc ze_module_binary(dprp_module *module, dprp_sink out)
{
	dprp_instance *instance = module->instance;
	struct ze_binary binary = {
		.flags = module->flags,
		.outline = module->spirv.outline,
		.outline_size = module->spirv.outline_size,
	};
	size_t size = 0;
	void *code;
	dprp_rc rc = ZE_TRY_ON(module->device, zeModuleGetNativeBinary,
			       module->ze, &size, NULL);

	if (rc)
		return rc;
	code = dprh_alloc(instance->host, size, 1);
	if (!code)
		return dprh_no_memory(instance->host, "a program's binary");
	rc = ZE_TRY_ON(module->device, zeModuleGetNativeBinary, module->ze,
		       &size, code);
	binary.code = code;
	binary.code_size = size;
	if (!rc && !size)
		rc = dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0,
			       "the driver gives no binary of this "
			       "program");
	if (!rc)
		ze_binary_write(&binary, out);
	dprh_free(instance->host, code);
	return rc;
}

dprp_rc ze_module_native(const dprp_module *module, uintptr_t *out)
{
	*out = (uintptr_t)module->ze;
	return DPR_RC_OK;
}
