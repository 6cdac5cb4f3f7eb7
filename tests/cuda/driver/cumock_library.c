/* SPDX-License-Identifier: Apache-2.0 */
/* cumock_library.c - the linker, libraries, and the properties of kernels. */
#include "cumock_impl.h"

#include <stdlib.h>
#include <string.h>

/* Options that tell where to write logs. */
enum { INFO_LOG = 3, INFO_SIZE, ERROR_LOG, ERROR_SIZE };

struct link {
	struct handle handle;
	char *log; /* the program's buffer */
	size_t log_size;
	char *text;
	unsigned char *file;
};

static void take_log(struct link *link, unsigned n, const CUjit_option *keys,
		     void **values)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		if ((int)keys[i] == ERROR_LOG)
			link->log = values[i];
		else if ((int)keys[i] == ERROR_SIZE)
			link->log_size = (size_t)(uintptr_t)values[i];
	}
}

CUresult cumock_cuLinkCreate(unsigned n, CUjit_option *keys, void **values,
			     CUlinkState *out)
{
	CUresult error = cumock_begin(CUMOCK_cuLinkCreate);
	struct context *context = cumock_context_current(&error);
	struct link *link = NULL;

	if (context) {
		link = cumock_handle_new(sizeof(*link), MAGIC_LINK, context);
		error = link ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (link) {
		take_log(link, n, keys, values);
		*out = (CUlinkState)link;
	}
	return cumock_end(error);
}

CUresult cumock_cuLinkAddData(CUlinkState state, CUjitInputType type,
			      void *data, size_t size, const char *name,
			      unsigned n, CUjit_option *keys, void **values)
{
	CUresult error = cumock_begin(CUMOCK_cuLinkAddData);
	struct link *link = cumock_handle_get(state, MAGIC_LINK, &error);
	char *text;

	(void)name;
	if (error)
		return cumock_end(error);
	take_log(link, n, keys, values);
	if ((int)type != CU_JIT_INPUT_PTX || link->text)
		return cumock_end(
			cumock_misuse(CUDA_ERROR_NOT_SUPPORTED,
				      "the mock links one text of PTX"));
	text = cumock_image_assemble(data, size, &error, link->log,
				     link->log ? link->log_size : 0);
	link->text = text;
	return cumock_end(error);
}

CUresult cumock_cuLinkComplete(CUlinkState state, void **out, size_t *size)
{
	CUresult error = cumock_begin(CUMOCK_cuLinkComplete);
	struct link *link = cumock_handle_get(state, MAGIC_LINK, &error);

	if (link && !link->text)
		error = CUDA_ERROR_INVALID_IMAGE;
	if (error)
		return cumock_end(error);
	free(link->file);
	link->file = cumock_image_wrap(link->text, size);
	*out = link->file;
	return cumock_end(link->file ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cumock_cuLinkDestroy(CUlinkState state)
{
	CUresult error = cumock_begin(CUMOCK_cuLinkDestroy);
	struct link *link = cumock_handle_get(state, MAGIC_LINK, &error);

	if (link) {
		free(link->text);
		free(link->file);
		link->text = NULL;
		link->file = NULL;
		cumock_handle_end(link);
	}
	return cumock_end(error);
}

/* --- Libraries --- */

void cumock_library_load(struct library *library, struct context *context)
{
	uint64_t *loaded = &library->loaded[context->device->number];

	if (*loaded == context->id)
		return;
	*loaded = context->id;
	cumock_stream_drain_device(context->device);
}

static void end_library(struct library *library)
{
	struct kernel *kernel;

	for (kernel = library->kernels; kernel; kernel = kernel->next) {
		kernel->handle.alive = false;
		if (kernel->function)
			kernel->function->handle.alive = false;
		free(kernel->name);
		free(kernel->sizes);
		free(kernel->offsets);
		kernel->name = NULL;
		kernel->sizes = kernel->offsets = NULL;
	}
	cumock_handle_end(library);
}

/* Get the kernels in @code as text.  *@made must be freed. */
static const char *text_of(const void *code, const struct link *log,
			   char **made, CUresult *error)
{
	const char *text = cumock_image_text(code);

	*made = NULL;
	if (text || !memcmp(code, "\177ELF", 4)) {
		*error = text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
		return text;
	}
	*made = cumock_image_assemble(code, strlen(code), error, log->log,
				      log->log ? log->log_size : 0);
	return *made;
}

CUresult cumock_cuLibraryLoadData(CUlibrary *out, const void *code,
				  CUjit_option *keys, void **values, unsigned n,
				  CUlibraryOption *library_keys,
				  void **library_values,
				  unsigned n_library_keys)
{
	CUresult error = cumock_begin(CUMOCK_cuLibraryLoadData);
	struct library *library = NULL;
	struct link log = { .log = NULL };
	const char *text;
	char *made = NULL;

	(void)library_keys;
	(void)library_values;
	(void)n_library_keys;
	if (error)
		return cumock_end(error);
	take_log(&log, n, keys, values);
	text = text_of(code, &log, &made, &error);
	if (!error) {
		library = cumock_handle_new(sizeof(*library), MAGIC_LIBRARY,
					    NULL);
		error = library ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (!error && !cumock_image_kernels(library, text)) {
		end_library(library);
		error = CUDA_ERROR_INVALID_IMAGE;
	}
	free(made);
	if (!error)
		*out = (CUlibrary)library;
	return cumock_end(error);
}

CUresult cumock_cuLibraryUnload(CUlibrary handle)
{
	CUresult error = cumock_begin(CUMOCK_cuLibraryUnload);
	struct library *library =
		cumock_handle_get(handle, MAGIC_LIBRARY, &error);
	int i;

	for (i = 0; library && i < cumock_settings.n_devices; i++)
		if (library->loaded[i])
			cumock_stream_drain_device(&cumock.devices[i]);
	if (library)
		end_library(library);
	return cumock_end(error);
}

CUresult cumock_cuLibraryGetKernel(CUkernel *out, CUlibrary handle,
				   const char *name)
{
	CUresult error = cumock_begin(CUMOCK_cuLibraryGetKernel);
	struct library *library =
		cumock_handle_get(handle, MAGIC_LIBRARY, &error);
	struct kernel *kernel = library ? library->kernels : NULL;

	while (kernel && strcmp(kernel->name, name) != 0)
		kernel = kernel->next;
	if (kernel)
		*out = (CUkernel)kernel;
	else if (!error)
		error = CUDA_ERROR_NOT_FOUND;
	return cumock_end(error);
}

/* --- Kernels --- */

CUresult cumock_cuKernelGetFunction(CUfunction *out, CUkernel handle)
{
	CUresult error = cumock_begin(CUMOCK_cuKernelGetFunction);
	struct kernel *kernel = cumock_handle_get(handle, MAGIC_KERNEL, &error);
	struct context *context = cumock_context_current(&error);

	if (error)
		return cumock_end(error);
	cumock_library_load(kernel->library, context);
	if (!kernel->function) {
		kernel->function = cumock_handle_new(sizeof(*kernel->function),
						     MAGIC_FUNCTION, NULL);
		if (!kernel->function)
			return cumock_end(CUDA_ERROR_OUT_OF_MEMORY);
		kernel->function->kernel = kernel;
	}
	*out = (CUfunction)kernel->function;
	return cumock_end(CUDA_SUCCESS);
}

CUresult cumock_cuFuncLoad(CUfunction handle)
{
	CUresult error = cumock_begin(CUMOCK_cuFuncLoad);

	(void)cumock_handle_get(handle, MAGIC_FUNCTION, &error);
	return cumock_end(error);
}

CUresult cumock_cuKernelGetAttribute(int *value, CUfunction_attribute key,
				     CUkernel handle, CUdevice number)
{
	CUresult error = cumock_begin(CUMOCK_cuKernelGetAttribute);
	struct kernel *kernel = cumock_handle_get(handle, MAGIC_KERNEL, &error);

	if (!cumock_context_device(number, &error))
		return cumock_end(error);
	switch ((int)key) {
	case 0: *value = kernel->most ? (int)kernel->most : 1024; break;
	case 1:                     /* SHARED_SIZE_BYTES */
	case 2:                     /* CONST_SIZE_BYTES */
	case 3: *value = 0; break;  /* LOCAL_SIZE_BYTES */
	case 4: *value = 32; break; /* NUM_REGS */
	case 5:                     /* PTX_VERSION */
	case 6: *value = 90; break; /* BINARY_VERSION */
	case 8: *value = kernel->shared; break;
	default:
		error = cumock_misuse(CUDA_ERROR_INVALID_VALUE,
				      "the mock does not know attribute %d",
				      (int)key);
	}
	return cumock_end(error);
}

CUresult cumock_cuKernelSetAttribute(CUfunction_attribute key, int value,
				     CUkernel handle, CUdevice number)
{
	CUresult error = cumock_begin(CUMOCK_cuKernelSetAttribute);
	struct kernel *kernel = cumock_handle_get(handle, MAGIC_KERNEL, &error);

	if (!cumock_context_device(number, &error))
		return cumock_end(error);
	if ((int)key != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
	    value < 0 || value > 232448)
		return cumock_end(CUDA_ERROR_INVALID_VALUE);
	kernel->shared = value;
	return cumock_end(CUDA_SUCCESS);
}

CUresult cumock_cuKernelGetParamInfo(CUkernel handle, size_t i, size_t *offset,
				     size_t *size)
{
	CUresult error = cumock_begin(CUMOCK_cuKernelGetParamInfo);
	struct kernel *kernel = cumock_handle_get(handle, MAGIC_KERNEL, &error);

	(void)cumock_context_current(&error);
	if (!error && i >= kernel->n_params)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error)
		return cumock_end(error);
	*offset = kernel->offsets[i];
	if (size)
		*size = kernel->sizes[i];
	return cumock_end(CUDA_SUCCESS);
}
