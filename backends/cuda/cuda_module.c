/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_module.c - programs: PTX, cubins, OpenCL C, and the plugin's own
   binaries. */
#include "cuda_programs.h"

#include <stdio.h>

#include "backends/cuda/rewrite/cuda_ptx.h"

/* In order of preference. */
enum format {
	FORMAT_BINARY,
	FORMAT_CUBIN,
	FORMAT_PTX,
	FORMAT_SOURCE,
	FORMAT_CALLS,
	FORMAT_OTHER
};

static enum format format_of(const char *name)
{
	static const char *const names[] = { "cuda-binary", "cubin", "ptx",
					     "opencl-c", DPRP_CALLS_FORMAT };
	int i;

	for (i = 0; i < FORMAT_OTHER; i++)
		if (strcmp(name, names[i]) == 0)
			break;
	return (enum format)i;
}

/* --- Choosing ------------------------------------------------------------- */

/* Read 90 from "sm_90", "compute_90" or "sm_90a"; 0 for anything else.  *@only
   is set if the target has a suffix: such code runs only on devices of this
   very compute capability or of its family. */
static int target_of(const char *target, bool *only)
{
	static const char *const heads[] = { "sm_", "compute_" };
	int value = 0;
	size_t i;

	*only = false;
	for (i = 0; i < 2; i++)
		if (strncmp(target, heads[i], strlen(heads[i])) == 0)
			break;
	if (i == 2)
		return 0;
	for (target += strlen(heads[i]); *target >= '0' && *target <= '9';
	     target++)
		if (value < 10000)
			value = value * 10 + (*target - '0');
	*only = *target != '\0';
	return value;
}

/* Whether the device runs a cubin or PTX for @target.  If @target is NULL, the
   driver decides when the code is loaded. */
static bool runs_target(const dprp_device *root, enum format format,
			const char *target)
{
	const int ours = root->major * 10 + root->minor;
	bool only;
	int value;

	if (!target || !*target)
		return true;
	value = target_of(target, &only);
	if (!value)
		return false;
	if (only)
		return value == ours;
	if (format == FORMAT_PTX)
		return value <= ours;
	return value / 10 == root->major && value % 10 <= root->minor;
}

static bool is_usable(dprp_device *device, const dprp_image *image,
		      enum format format)
{
	switch (format) {
	case FORMAT_BINARY: return true;
	case FORMAT_CUBIN:
	case FORMAT_PTX:
		return runs_target(device->root, format, image->target);
	case FORMAT_SOURCE: return cuda_compile_is_there(device->instance);
	case FORMAT_CALLS: return true;
	case FORMAT_OTHER: break;
	}
	return false;
}

/* Fail with the reason why none of the images can be used. */
static dprp_rc refuse_images(dprp_device *device,
			     const dprp_image *const *images, uint32_t n)
{
	const dprp_device *root = device->root;
	uint32_t i;

	for (i = 0; i < n; i++)
		if (format_of(images[i]->format) == FORMAT_SOURCE)
			return cuda_compile_missing(device->instance);
	for (i = 0; i < n; i++)
		if (format_of(images[i]->format) != FORMAT_OTHER)
			return dprh_fail(
				device->instance->host, DPR_RC_UNSUPPORTED, 0,
				"the program's %s is for %.40s, but the "
				"device is sm_%d%d",
				images[i]->format,
				images[i]->target ? images[i]->target : "?",
				root->major, root->minor);
	return dprh_fail(device->instance->host, DPR_RC_UNSUPPORTED, 0,
			 "no image has a format of this device");
}

dprp_rc cuda_module_pick(dprp_device *device, const dprp_image *const *images,
			 uint32_t n, uint32_t *best)
{
	enum format format;
	uint32_t i;

	for (format = FORMAT_BINARY; format < FORMAT_OTHER; format++)
		for (i = 0; i < n; i++)
			if (format_of(images[i]->format) == format &&
			    is_usable(device, images[i], format)) {
				*best = i;
				return DPR_RC_OK;
			}
	return refuse_images(device, images, n);
}

/* --- Loaded code ---------------------------------------------------------- */

static uint64_t hash_of(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t hash = 0xcbf29ce484222325u, word;

	for (; size >= 8; at += 8, size -= 8) {
		memcpy(&word, at, 8);
		hash = (hash ^ word) * 0x100000001b3u;
		hash ^= hash >> 32;
	}
	while (size--)
		hash = (hash ^ *at++) * 0x100000001b3u;
	return hash;
}

/* Find loaded code, and take a reference to it.  The context's lock must be
   held. */
static struct cuda_library *find_library(dprp_context *context,
					 const struct cuda_library *like)
{
	struct cuda_library *library;

	for (library = context->libraries; library; library = library->next)
		if (library->hash == like->hash &&
		    library->size == like->size &&
		    memcmp(library->code, like->code, like->size) == 0) {
			library->refs++;
			return library;
		}
	return NULL;
}

/* Unload and free code that is in no list. */
static void free_library(struct cuda_library *library)
{
	dprp_instance *instance = library->context->instance;
	CUstreamCaptureMode mode = cuda_capture_ignore(&instance->cu);

	if (library->cu)
		instance->cu.cuLibraryUnload(library->cu);
	cuda_capture_heed(&instance->cu, mode);
	dprh_free(instance->host, library->code);
	dprh_free(instance->host, library);
}

static void release_library(struct cuda_library *library)
{
	dprp_context *context = library->context;
	struct cuda_library **at;
	bool last;

	pthread_mutex_lock(&context->lock);
	last = !--library->refs;
	for (at = &context->libraries; last && *at; at = &(*at)->next)
		if (*at == library) {
			*at = library->next;
			break;
		}
	pthread_mutex_unlock(&context->lock);
	/* Unloading may wait for the device. */
	if (last)
		free_library(library);
}

static void write_line(dprp_sink log, const char *text)
{
	if (!log.write)
		return;
	log.write(log.user, text, strlen(text));
	log.write(log.user, "\n", 1);
}

/* Say in the log and in the error that the driver refuses the code. */
static dprp_rc refuse_code(const dprp_context *context, CUresult error,
			   dprp_sink log)
{
	const dprp_instance *instance = context->instance;
	char text[256];

	snprintf(text, sizeof(text),
		 "cuLibraryLoadData: %s (%d): the code is not for this device "
		 "(sm_%d%d) or this driver",
		 cuda_error_name(instance, error), (int)error,
		 context->root->major, context->root->minor);
	write_line(log, text);
	return dprh_fail(instance->host, DPR_RC_BUILD, error, "%s", text);
}

/* Load code with the driver.  DPR_RC_BUILD: the driver refuses the code. */
static dprp_rc load_library(struct cuda_library *library, dprp_sink log)
{
	dprp_context *context = library->context;
	dprp_instance *instance = context->instance;
	CUstreamCaptureMode mode = cuda_capture_ignore(&instance->cu);
	bool entered;
	CUresult error =
		cuda_context_enter(&instance->cu, context->scope.cu, &entered);

	if (!error)
		error = instance->cu.cuLibraryLoadData(&library->cu,
						       library->code, NULL,
						       NULL, 0, NULL, NULL, 0);
	cuda_context_leave(&instance->cu, entered);
	cuda_capture_heed(&instance->cu, mode);
	switch (error) {
	case CUDA_ERROR_INVALID_IMAGE:
	case CUDA_ERROR_INVALID_SOURCE:
	case CUDA_ERROR_INVALID_PTX:
	case CUDA_ERROR_NO_BINARY_FOR_GPU:
		return refuse_code(context, error, log);
	default:
		return cuda_error_check_device(context->root, error,
					       "cuLibraryLoadData");
	}
}

/* Load code, unless the context has loaded the same code already.  Takes over
   @code. */
static dprp_rc get_library(dprp_context *context, void *code, size_t size,
			   dprp_sink log, struct cuda_library **out)
{
	const dprp_host *host = context->instance->host;
	struct cuda_library *library, *other;
	dprp_rc rc;

	library = dprh_alloc(host, 1, sizeof(*library));
	if (!library) {
		dprh_free(host, code);
		return dprh_no_memory(host, "a program");
	}
	library->context = context;
	library->code = code;
	library->size = size;
	library->hash = hash_of(code, size);
	library->refs = 1;
	pthread_mutex_lock(&context->lock);
	other = find_library(context, library);
	pthread_mutex_unlock(&context->lock);
	rc = other ? DPR_RC_OK : load_library(library, log);
	if (rc) {
		library->cu = NULL;
		free_library(library);
		return rc;
	}
	/* Another thread may have loaded the same code meanwhile. */
	pthread_mutex_lock(&context->lock);
	if (!other)
		other = find_library(context, library);
	if (!other) {
		library->next = context->libraries;
		context->libraries = library;
	}
	pthread_mutex_unlock(&context->lock);
	if (other)
		free_library(library);
	*out = other ? other : library;
	return DPR_RC_OK;
}

void cuda_module_free_all(dprp_context *context)
{
	struct cuda_library *library;

	while ((library = context->libraries)) {
		context->libraries = library->next;
		free_library(library);
	}
}

/* --- Making --------------------------------------------------------------- */

/* Copy code that needs no compiler. */
static dprp_rc copy_code(dprp_context *context, const void *bytes, size_t size,
			 struct cuda_code *out)
{
	out->bytes = dprh_alloc(context->instance->host, size, 1);
	if (!out->bytes)
		return dprh_no_memory(context->instance->host,
				      "a program's code");
	memcpy(out->bytes, bytes, size);
	out->size = size;
	return DPR_RC_OK;
}

static dprp_rc make_cubin(dprp_context *context, const dprp_image *image,
			  dprp_sink log, struct cuda_code *out)
{
	static const char text[] = "the image is not a whole cubin (an ELF "
				   "file for CUDA)";

	if (cuda_table_is_cubin(image->data, (size_t)image->size))
		return copy_code(context, image->data, (size_t)image->size,
				 out);
	write_line(log, text);
	return dprh_fail(context->instance->host, DPR_RC_BUILD, 0, "%s", text);
}

/* Make code from one of the plugin's own binaries.  After INVALID the core
   builds the program anew. */
static dprp_rc make_binary(dprp_context *context, const dprp_image *image,
			   struct cuda_code *out)
{
	const dprp_host *host = context->instance->host;
	const dprp_device *root = context->root;
	struct cuda_binary binary;
	const char *wrong = cuda_table_read(&out->table, image->data,
					    (size_t)image->size, &binary);

	if (!wrong &&
	    (binary.major != root->major || binary.minor > root->minor))
		wrong = "it is for another kind of device";
	if (wrong)
		return dprh_fail(host, DPR_RC_INVALID, 0,
				 "a binary of a program: %s", wrong);
	return copy_code(context, binary.code, binary.size, out);
}

static dprp_rc make_ptx(dprp_context *context, const dprp_image *image,
			bool rounded, dprp_sink log, struct cuda_code *out)
{
	const dprp_host *host = context->instance->host;
	const char *what;

	if (rounded &&
	    !cuda_ptx_is_rounded(image->data, (size_t)image->size, &what))
		return dprh_fail(
			host, DPR_RC_UNSUPPORTED, 0,
			"the build option for correctly rounded float "
			"division and square root cannot be met: the PTX "
			"has %s; compile it without fast math",
			what);
	if (!cuda_ptx_kernels(image->data, (size_t)image->size, &out->table))
		return dprh_no_memory(host, "a table of kernels");
	return cuda_compile_ptx(context, image->data, (size_t)image->size, log,
				out);
}

/* Make code from @image in the way that the core's build flags (DPRP_BUILD_*)
   ask for. */
static dprp_rc make_code(dprp_context *context, const dprp_module_desc *desc,
			 const dprp_image *image, struct cuda_code *out)
{
	const dprp_host *host = context->instance->host;
	/* All code of this backend is 64-bit, so DPRP_BUILD_LARGE needs
	   nothing. */
	bool rounded = desc->flags & DPRP_BUILD_ROUNDED;

	switch (format_of(image->format)) {
	case FORMAT_BINARY: return make_binary(context, image, out);
	case FORMAT_CUBIN:
		if (!rounded)
			return make_cubin(context, image, desc->log, out);
		return dprh_fail(
			host, DPR_RC_UNSUPPORTED, 0,
			"the build option for correctly rounded float "
			"division and square root cannot be met: a cubin "
			"does not say how it rounds; give PTX");
	case FORMAT_PTX:
		return make_ptx(context, image, rounded, desc->log, out);
	case FORMAT_SOURCE:
		return cuda_compile_source(context, image, desc->options,
					   rounded, desc->log, out);
	case FORMAT_CALLS:
	case FORMAT_OTHER: break;
	}
	return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			 "the device does not support programs of "
			 "format %.60s",
			 image->format);
}

/* Check the core's description of a program, and copy it. */
static dprp_rc take_desc(const dprp_host *host, const dprp_module_desc *theirs,
			 dprp_module_desc *desc, dprp_image *image)
{
	dprp_rc rc = dprh_take_module(host, theirs, desc, image);

	if (!rc && desc->n_spec)
		rc = dprh_fail(
			host, DPR_RC_UNSUPPORTED, 0,
			"the CUDA backend supports no specialization "
			"constants: give the values in another way, such as "
			"-DNAME=VALUE for OpenCL C");
	return rc;
}

/* Make and load the module's code. */
static dprp_rc load_code(dprp_module *module, const dprp_module_desc *desc,
			 const dprp_image *image)
{
	struct cuda_code code = { .table.strings.host =
					  module->instance->host };
	dprp_rc rc = make_code(module->context, desc, image, &code);

	module->table = code.table;
	if (rc)
		return rc;
	return get_library(module->context, code.bytes, code.size, desc->log,
			   &module->library);
}

/* Take the kernels of calls.ptx, if the context has loaded them. */
static bool take_help(dprp_module *module)
{
	dprp_context *context = module->context;

	pthread_mutex_lock(&context->lock);
	module->library = context->help;
	if (module->library)
		module->library->refs++;
	pthread_mutex_unlock(&context->lock);
	return module->library != NULL;
}

/* Keep the loaded kernels until the context ends: assembling them takes longer than
   most routines.  If another thread has loaded them meanwhile, its code is the
   same. */
static void keep_help(const dprp_module *module)
{
	dprp_context *context = module->context;

	pthread_mutex_lock(&context->lock);
	if (!context->help) {
		context->help = module->library;
		module->library->refs++;
	}
	pthread_mutex_unlock(&context->lock);
}

/* Load our own kernels, which prepare and end the calls of a library. */
static dprp_rc load_help(dprp_module *module, const dprp_module_desc *desc)
{
	const dprp_image image = { .struct_size = sizeof(image),
				   .format = "ptx",
				   .data = cuda_text_calls,
				   .size = strlen(cuda_text_calls) };
	dprp_module_desc plain = *desc;
	dprp_rc rc = DPR_RC_OK;

	plain.log = (dprp_sink){ NULL, NULL };
	if (!take_help(module)) {
		rc = load_code(module, &plain, &image);
		if (!rc)
			keep_help(module);
	}
	for (int i = 0; !rc && i < CUDA_HELPS; i++)
		rc = CUDA_TRY_ON(module->device, cuLibraryGetKernel,
				 &module->call.help[i], module->library->cu,
				 cuda_calls_help[i]);
	return rc;
}

/* Find a routine of a library, and tell the log from where it comes. */
static dprp_rc find_call(dprp_module *module, const dprp_module_desc *desc,
			 const dprp_image *image)
{
	const char *text;
	dprp_rc rc;

	if (desc->flags)
		return dprh_fail(module->instance->host, DPR_RC_UNSUPPORTED, 0,
				 "a routine of a library has no build flags");
	rc = cuda_calls_find(&module->context->scope, module->device, image,
			     &module->call);
	if (!rc && module->call.solver)
		rc = load_help(module, desc);
	if (rc || !desc->log.write)
		return rc;
	text = cuda_calls_text(&module->call);
	desc->log.write(desc->log.user, text, strlen(text));
	return DPR_RC_OK;
}

dprp_rc cuda_module_create(dprp_context *context, dprp_device *device,
			   const dprp_module_desc *theirs, dprp_module **out)
{
	const dprp_host *host = context->instance->host;
	dprp_module *module;
	dprp_module_desc desc;
	dprp_image image;
	dprp_rc rc = take_desc(host, theirs, &desc, &image);

	*out = NULL;
	if (rc)
		return rc;
	module = dprh_alloc(host, 1, sizeof(*module));
	if (!module)
		return dprh_no_memory(host, "a program");
	module->instance = context->instance;
	module->context = context;
	module->device = device;
	module->table.strings.host = host;
	rc = format_of(image.format) == FORMAT_CALLS
		     ? find_call(module, &desc, &image)
		     : load_code(module, &desc, &image);
	if (rc) {
		cuda_module_destroy(module);
		return rc;
	}
	*out = module;
	return DPR_RC_OK;
}

void cuda_module_destroy(dprp_module *module)
{
	if (!module)
		return;
	if (module->library)
		release_library(module->library);
	cuda_table_free(&module->table);
	dprh_free(module->instance->host, module);
}

/* Fail because the module is a routine of a library. */
static dprp_rc refuse_call(const dprp_module *module)
{
	return dprh_fail(module->instance->host, DPR_RC_UNSUPPORTED, 0,
			 "a routine of a library has no binary and no native "
			 "handle");
}

dprp_rc cuda_module_binary(dprp_module *module, dprp_sink out)
{
	const dprp_host *host = module->instance->host;
	const dprp_device *root = module->device->root;
	struct cuda_binary binary = { .major = root->major,
				      .minor = root->minor };
	struct cuda_text text = { .host = host };
	dprp_rc rc = DPR_RC_OK;

	if (module->call.routine)
		return refuse_call(module);
	binary.code = module->library->code;
	binary.size = module->library->size;
	cuda_table_write(&module->table, &binary, &text);
	if (text.failed)
		rc = dprh_no_memory(host, "a program's binary");
	else
		out.write(out.user, text.bytes, text.size);
	cuda_text_free(&text);
	return rc;
}

dprp_rc cuda_module_native(const dprp_module *module, uintptr_t *out)
{
	if (module->call.routine)
		return refuse_call(module);
	*out = (uintptr_t)module->library->cu;
	return DPR_RC_OK;
}
