/* SPDX-License-Identifier: Apache-2.0 */
/* zecpu_module.c - modules from SPIR-V or from a binary of this driver, and the
   logs of their builds. */
#include "zecpu_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_SIZE 16384
#define FORMAT_SOURCE (ze_module_format_t) ZECPU_FORMAT_SOURCE

/* The header of a "native" binary.  The constants' options and the SPIR-V
   follow. */
struct native {
	char magic[16];
	uint32_t device; /* the device's number; another device refuses the
			    binary */
	uint32_t options_size;
	uint64_t version; /* the driver's version; another one refuses the
			     binary */
	uint64_t code_size;
	uint64_t hash[2]; /* hashes of what follows the header */
};

static const char native_magic[16] = "zecpu native 2";

/* --- specialization constants --- */

static const struct constant_info *constant_find(const struct spirv *spirv,
						 uint32_t id)
{
	uint32_t i;

	for (i = 0; i < spirv->n_constants; i++)
		if (spirv->constants[i].id == id)
			return &spirv->constants[i];
	return NULL;
}

static int put_constant(char *out, size_t size,
			const struct constant_info *constant, const void *value)
{
	uint64_t bits = 0;
	double number;
	float single;

	memcpy(&bits, value, constant->size ? constant->size : 1);
	if (constant->is_float && constant->size == 4) {
		memcpy(&single, value, sizeof(single));
		return snprintf(out, size, "%u:f32:%.9g", constant->id,
				(double)single);
	}
	if (constant->is_float && constant->size == 8) {
		memcpy(&number, value, sizeof(number));
		return snprintf(out, size, "%u:f64:%.17g", constant->id,
				number);
	}
	if (constant->size == 0)
		return snprintf(out, size, "%u:i1:%u", constant->id,
				(bits & 0xff) != 0);
	return snprintf(out, size, "%u:i%u:%llu", constant->id,
			constant->size * 8, (unsigned long long)bits);
}

/* Make llvm-spirv's options for the constants; NULL after a failure, with a
   text in @log. */
static char *constants_text(const struct spirv *spirv,
			    const ze_module_constants_t *given, char *log)
{
	const struct constant_info *constant;
	size_t at = 0, room = 48 * (given ? given->numConstants : 0) + 1;
	char *text = calloc(1, room);
	uint32_t i;

	for (i = 0; text && given && i < given->numConstants; i++) {
		constant = constant_find(spirv, given->pConstantIds[i]);
		if (!constant) {
			snprintf(log, LOG_SIZE,
				 "error: no specialization constant %u\n",
				 given->pConstantIds[i]);
			free(text);
			return NULL;
		}
		if (at)
			text[at++] = ' ';
		at += (size_t)put_constant(text + at, room - at, constant,
					   given->pConstantValues[i]);
	}
	return text;
}

/* --- build --- */

static char last_flags[512]; /* guarded by zecpu.lock */

size_t zecpu_module_flags(char *out, size_t size)
{
	size_t n;

	pthread_mutex_lock(&zecpu.lock);
	n = strlen(last_flags);
	snprintf(out, size, "%s", last_flags);
	pthread_mutex_unlock(&zecpu.lock);
	return n;
}

static void keep_flags(const char *flags)
{
	pthread_mutex_lock(&zecpu.lock);
	snprintf(last_flags, sizeof(last_flags), "%s", flags ? flags : "");
	pthread_mutex_unlock(&zecpu.lock);
}

static _Atomic uint64_t formats[ZECPU_FORMAT_SOURCE + 1];

uint64_t zecpu_module_count(int format)
{
	return format < 0 || format > ZECPU_FORMAT_SOURCE
		       ? 0
		       : atomic_load(&formats[format]);
}

/* Whether the device can execute the module; if not, @log says why. */
static bool device_takes(const struct device *device, const struct spirv *spirv,
			 char *log)
{
	const char *wrong =
		spirv->fp64 && !device->fp64
			? "Double type is not supported on this platform."
		: spirv->fp16   ? "Half type is not supported."
		: spirv->images ? "Images are not supported."
				: NULL;

	if (wrong)
		snprintf(log, LOG_SIZE, "error: %s\n", wrong);
	return !wrong;
}

static bool sizes_fit(const struct spirv *spirv, char *log)
{
	const struct kernel_info *kernel;
	uint32_t i, a;
	size_t sum;

	for (i = 0; i < spirv->n_kernels; i++) {
		kernel = &spirv->kernels[i];
		for (sum = a = 0; a < kernel->n_arguments; a++)
			sum += kernel->arguments[a].size;
		if (sum <= ZECPU_MAX_ARGUMENTS)
			continue;
		snprintf(log, LOG_SIZE,
			 "error: the arguments of kernel %s have %zu bytes, "
			 "more than %u\n",
			 kernel->name, sum, ZECPU_MAX_ARGUMENTS);
		return false;
	}
	return true;
}

static void module_free_parts(struct module *module)
{
	zecpu_exec_close(module->image);
	zecpu_spirv_free(module->spirv);
	free(module->options);
	free(module->code);
}

/* Build the module from module->code and module->options. */
static bool module_build(struct module *module, char *log)
{
	if (!device_takes(module->device, module->spirv, log) ||
	    !sizes_fit(module->spirv, log))
		return false;
	module->image =
		zecpu_exec_open(module->code, module->size, module->spirv,
				module->options, log, LOG_SIZE);
	return module->image != NULL;
}

static ze_result_t read_spirv(struct module *module,
			      const ze_module_desc_t *desc, char *log)
{
	if (desc->format == FORMAT_SOURCE) {
		module->code =
			zecpu_exec_source(desc->pInputModule, desc->inputSize,
					  &module->size, log, LOG_SIZE);
		if (!module->code)
			return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
	} else {
		module->size = desc->inputSize;
		module->code = malloc(desc->inputSize + 1);
		if (!module->code)
			return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
		memcpy(module->code, desc->pInputModule, desc->inputSize);
	}
	module->spirv =
		zecpu_spirv_read(module->code, module->size, log, LOG_SIZE);
	if (!module->spirv)
		return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
	module->options = constants_text(module->spirv, desc->pConstants, log);
	return module->options ? ZE_RESULT_SUCCESS
			       : ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}

static ze_result_t read_native(struct module *module,
			       const ze_module_desc_t *desc, char *log)
{
	const unsigned char *rest = desc->pInputModule + sizeof(struct native);
	struct native native;
	uint64_t hash[2];

	if (desc->inputSize < sizeof(native))
		return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
	memcpy(&native, desc->pInputModule, sizeof(native));
	if (memcmp(native.magic, native_magic, sizeof(native_magic)) != 0 ||
	    native.device != module->device->number ||
	    native.version != (uint64_t)zecpu_knob(KNOB_VERSION) ||
	    desc->inputSize - sizeof(native) !=
		    native.options_size + native.code_size)
		return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
	zecpu_exec_hash(rest, desc->inputSize - sizeof(native), hash);
	if (memcmp(hash, native.hash, sizeof(hash)) != 0)
		return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
	module->options = strndup((const char *)rest, native.options_size);
	module->size = native.code_size;
	module->code = malloc(native.code_size + 1);
	if (!module->options || !module->code)
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	memcpy(module->code, rest + native.options_size, native.code_size);
	module->spirv =
		zecpu_spirv_read(module->code, module->size, log, LOG_SIZE);
	return module->spirv ? ZE_RESULT_SUCCESS
			     : ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
}

static void put_log(ze_module_build_log_handle_t *out, const char *text)
{
	struct build_log *log;

	if (!out)
		return;
	*out = NULL;
	log = zecpu_object_new(sizeof(*log), KIND_LOG);
	if (!log)
		return;
	log->text = strdup(text);
	*out = (ze_module_build_log_handle_t)log;
}

static bool check_desc(const struct context *context,
		       const struct device *device,
		       const ze_module_desc_t *desc, ze_result_t *result)
{
	if (!zecpu_check_type(desc, ZE_STRUCTURE_TYPE_MODULE_DESC, result) ||
	    !zecpu_check_pointer(desc->pInputModule, "pInputModule", result))
		return false;
	*result = ZE_RESULT_SUCCESS;
	if (desc->format != ZE_MODULE_FORMAT_IL_SPIRV &&
	    desc->format != ZE_MODULE_FORMAT_NATIVE &&
	    (desc->format != FORMAT_SOURCE || !zecpu_knob(KNOB_SOURCE)))
		*result = ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION;
	else if (!zecpu_context_has(context, device))
		*result = zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				       "the device is not in the context");
	else if (desc->inputSize == 0)
		*result = zecpu_misuse(ZE_RESULT_ERROR_INVALID_SIZE,
				       "a module of no bytes");
	return *result == ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL
zecpu_zeModuleCreate(ze_context_handle_t context, ze_device_handle_t device,
		     const ze_module_desc_t *desc, ze_module_handle_t *out,
		     ze_module_build_log_handle_t *log_out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeModuleCreate);
	struct module *module;
	char *log;

	if (result || !zecpu_object_is(context, KIND_CONTEXT, &result) ||
	    !zecpu_object_is(device, KIND_DEVICE, &result) ||
	    !zecpu_check_pointer(out, "phModule", &result) ||
	    !check_desc((struct context *)context, (struct device *)device,
			desc, &result))
		return result;
	atomic_fetch_add(&formats[desc->format], 1);
	keep_flags(desc->pBuildFlags);
	log = calloc(1, LOG_SIZE);
	module = zecpu_object_new(sizeof(*module), KIND_MODULE);
	if (!log || !module) {
		free(log);
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	}
	module->context = (struct context *)context;
	module->device = (struct device *)device;
	result = desc->format == ZE_MODULE_FORMAT_NATIVE
			 ? read_native(module, desc, log)
			 : read_spirv(module, desc, log);
	if (!result && !module_build(module, log))
		result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
	put_log(log_out, log);
	free(log);
	if (result) {
		module_free_parts(module);
		zecpu_object_end(module);
		return result;
	}
	pthread_mutex_lock(&zecpu.lock);
	module->context->live++;
	pthread_mutex_unlock(&zecpu.lock);
	*out = (ze_module_handle_t)module;
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeModuleDestroy(ze_module_handle_t handle)
{
	ze_result_t result = zecpu_enter(ENTRY_zeModuleDestroy);
	struct module *module = (struct module *)handle;
	int64_t live;

	if (result || !zecpu_object_is(module, KIND_MODULE, &result))
		return result;
	pthread_mutex_lock(&zecpu.lock);
	live = module->live;
	if (live > 0)
		result = zecpu_misuse(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE,
				      "the module still has %lld kernels",
				      (long long)live);
	zecpu_object_end(module);
	module->context->live--;
	pthread_mutex_unlock(&zecpu.lock);
	/* Kernels that still exist use these parts: keep them. */
	if (live == 0)
		module_free_parts(module);
	return result;
}

/* Nothing to do: no module that this driver accepts needs another one. */
ze_result_t ZE_APICALL
zecpu_zeModuleDynamicLink(uint32_t n, ze_module_handle_t *modules,
			  ze_module_build_log_handle_t *log)
{
	ze_result_t result = zecpu_enter(ENTRY_zeModuleDynamicLink);
	uint32_t i;

	if (result || !zecpu_check_pointer(modules, "phModules", &result))
		return result;
	for (i = 0; i < n; i++)
		if (!zecpu_object_is(modules[i], KIND_MODULE, &result))
			return result;
	put_log(log, "");
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeModuleGetNativeBinary(ze_module_handle_t handle,
						     size_t *size, uint8_t *out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeModuleGetNativeBinary);
	struct module *module = (struct module *)handle;
	struct native native = { .device = 0 };
	size_t options, whole;

	if (result || !zecpu_object_is(module, KIND_MODULE, &result) ||
	    !zecpu_check_pointer(size, "pSize", &result))
		return result;
	options = strlen(module->options);
	whole = sizeof(native) + options + module->size;
	if (*size == 0 || !out) {
		*size = whole;
		return ZE_RESULT_SUCCESS;
	}
	if (*size < whole)
		return zecpu_misuse(ZE_RESULT_ERROR_INVALID_SIZE,
				    "%zu bytes for a binary of %zu", *size,
				    whole);
	memcpy(native.magic, native_magic, sizeof(native_magic));
	native.device = module->device->number;
	native.options_size = (uint32_t)options;
	native.version = (uint64_t)zecpu_knob(KNOB_VERSION);
	native.code_size = module->size;
	memcpy(out + sizeof(native), module->options, options);
	memcpy(out + sizeof(native) + options, module->code, module->size);
	zecpu_exec_hash(out + sizeof(native), options + module->size,
			native.hash);
	memcpy(out, &native, sizeof(native));
	*size = whole;
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeModuleGetKernelNames(ze_module_handle_t handle,
						    uint32_t *count,
						    const char **names)
{
	ze_result_t result = zecpu_enter(ENTRY_zeModuleGetKernelNames);
	struct module *module = (struct module *)handle;
	uint32_t i, n;

	if (result || !zecpu_object_is(module, KIND_MODULE, &result) ||
	    !zecpu_check_pointer(count, "pCount", &result))
		return result;
	n = module->spirv->n_kernels;
	for (i = 0; names && i < n && i < *count; i++)
		names[i] = module->spirv->kernels[i].name;
	if (*count == 0 || *count > n)
		*count = n;
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeModuleGetProperties(ze_module_handle_t module,
						   ze_module_properties_t *p)
{
	ze_result_t result = zecpu_enter(ENTRY_zeModuleGetProperties);

	if (result || !zecpu_object_is(module, KIND_MODULE, &result) ||
	    !zecpu_check_type(p, ZE_STRUCTURE_TYPE_MODULE_PROPERTIES, &result))
		return result;
	p->flags = 0;
	return ZE_RESULT_SUCCESS;
}

/* --- logs --- */

ze_result_t ZE_APICALL
zecpu_zeModuleBuildLogDestroy(ze_module_build_log_handle_t handle)
{
	ze_result_t result = zecpu_enter(ENTRY_zeModuleBuildLogDestroy);
	struct build_log *log = (struct build_log *)handle;

	if (result || !zecpu_object_is(log, KIND_LOG, &result))
		return result;
	zecpu_object_end(log);
	free(log->text);
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeModuleBuildLogGetString(
	ze_module_build_log_handle_t handle, size_t *size, char *out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeModuleBuildLogGetString);
	struct build_log *log = (struct build_log *)handle;
	size_t whole;

	if (result || !zecpu_object_is(log, KIND_LOG, &result) ||
	    !zecpu_check_pointer(size, "pSize", &result))
		return result;
	whole = log->text ? strlen(log->text) + 1 : 1;
	if (out && *size >= whole)
		memcpy(out, log->text ? log->text : "", whole);
	else if (out && *size > 0)
		return zecpu_misuse(ZE_RESULT_ERROR_INVALID_SIZE,
				    "%zu bytes for a text of %zu", *size,
				    whole);
	*size = whole;
	return ZE_RESULT_SUCCESS;
}
