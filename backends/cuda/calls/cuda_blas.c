/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_blas.c - cuBLAS: the library, and its handles.
 *
 * Making a handle takes milliseconds, and a handle has a workspace, so handles
 * are kept.  A stream takes the handle again that it used last.  So streams
 * share a handle, and with it a workspace, only if there are many streams.
 */
#include "backends/cuda/calls/cuda_calls.h"

#include <dlfcn.h>
#include <stdio.h>

enum { /* results of cuBLAS */
       BLAS_NOT_INITIALIZED = 1,
       BLAS_ALLOC_FAILED = 3,
       BLAS_ARCH_MISMATCH = 8,
       BLAS_NOT_SUPPORTED = 15
};

/* MATH_MODE keeps the sums of 16-bit floats in float32 until they are complete.
   float32 is never rounded to TF32, because TF32 needs another flag. */
#define MATH_MODE 16 /* CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION */

/* If there are MANY_HANDLES, a stream without a handle takes the handle of
   another stream. */
#define MANY_HANDLES 8

/* If less memory than LITTLE_MEMORY is free, a handle that cannot be made
   counts as a lack of memory. */
#define LITTLE_MEMORY (UINT64_C(64) << 20)

/* --- The library ---------------------------------------------------------- */

static bool find_entry(const dprp_host *host, void *library, const char *name,
		       void *slot)
{
	void *entry = host->driver_sym(host->self, library, name);

	memcpy(slot, &entry, sizeof(entry));
	return entry != NULL;
}

/* Take the entries of a library.  Returns false if one is missing. */
static bool take_library(const dprp_host *host, void *library,
			 struct cuda_blas *blas)
{
	bool all = true;
	int version[3] = { 0 };
	void *entry = NULL;
	Dl_info info;

#define ENTRY(result, name, parameters) \
	all &= find_entry(host, library, #name, &blas->name);
	CUDA_BLAS_ENTRIES(ENTRY)
#undef ENTRY
#define ENTRY(result, name, parameters) \
	(void)find_entry(host, library, #name, &blas->name);
	CUDA_BLAS_WIDE_ENTRIES(ENTRY)
#undef ENTRY
	for (int i = 0; all && i < 3; i++)
		if (blas->cublasGetProperty(i, &version[i]))
			version[i] = 0;
	if (!all)
		return false;
	(void)find_entry(host, library, "cublasGemmEx", &entry);
	if (!dladdr(entry, &info))
		info.dli_fname = "?";
	snprintf(blas->name, sizeof(blas->name), "cuBLAS %d.%d.%d", version[0],
		 version[1], version[2]);
	snprintf(blas->text, sizeof(blas->text), "%s, %.400s", blas->name,
		 info.dli_fname);
	return true;
}

/* Open the library that the option names.  Without the option, open the cuBLAS
   for the driver's version of CUDA.  A driver of CUDA 13 also works with the
   cuBLAS of CUDA 12. */
static void *open_library(const dprp_instance *instance)
{
	static const char *const names[4] = {
		"libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.13",
		"libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so.12"
	};
	const dprp_host *host = instance->host;
	const size_t first = instance->cu.version < 13000 ? 2 : 0;

	if (instance->blas_option)
		return host->driver_open(host->self, &instance->blas_option, 1);
	return host->driver_open(host->self, names + first, 4 - first);
}

/* Say why the library is not used. */
static void refuse_library(const dprp_instance *instance, bool opened,
			   struct cuda_blas *blas)
{
	const int version = instance->cu.version;
	const int major = version < 13000 ? 12 : 13;

	if (instance->blas_option)
		snprintf(blas->text, sizeof(blas->text),
			 "DPR_OPTION_CUDA_BLAS=%.300s: %s",
			 instance->blas_option,
			 opened ? "this library is not cuBLAS of CUDA 12 or "
				  "newer"
				: "this is no library; it must be an absolute "
				  "path, or the name of a library with its "
				  "version, or none");
	else if (opened)
		snprintf(blas->text, sizeof(blas->text),
			 "libcublas lacks an entry of CUDA 12: set "
			 "DPR_OPTION_CUDA_BLAS to the path of another "
			 "libcublas.so.%d",
			 major);
	else
		snprintf(
			blas->text, sizeof(blas->text),
			"there is no cuBLAS: install libcublas-%d-%d from "
			"NVIDIA's repository for the system, or nvidia-cublas%s "
			"with pip and set DPR_OPTION_CUDA_BLAS to the path of "
			"its libcublas.so.%d",
			version / 1000, version % 1000 / 10,
			major == 12 ? "-cu12" : "", major);
}

static void open_blas(dprp_instance *instance, struct cuda_blas *blas)
{
	const dprp_host *host = instance->host;
	void *library;

	if (instance->blas_option && !strcmp(instance->blas_option, "none")) {
		snprintf(blas->text, sizeof(blas->text),
			 "DPR_OPTION_CUDA_BLAS=none");
		return;
	}
	library = open_library(instance);
	blas->works = library && take_library(host, library, blas);
	if (blas->works)
		return;
	refuse_library(instance, library != NULL, blas);
	if (instance->blas_option)
		host->log(host->self, 2, blas->text);
}

dprp_rc cuda_blas_get(dprp_instance *instance, const struct cuda_blas **out)
{
	struct cuda_blas *blas;

	pthread_mutex_lock(&instance->blas_lock);
	blas = instance->blas;
	if (!blas) {
		blas = dprh_alloc(instance->host, 1, sizeof(*blas));
		if (blas)
			open_blas(instance, blas);
		instance->blas = blas;
	}
	pthread_mutex_unlock(&instance->blas_lock);
	*out = blas;
	if (!blas)
		return dprh_no_memory(instance->host, "cuBLAS");
	if (blas->works)
		return DPR_RC_OK;
	return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0, "%s",
			 blas->text);
}

void cuda_blas_close(dprp_instance *instance)
{
	dprh_free(instance->host, instance->blas);
	instance->blas = NULL;
}

/* --- Failures ------------------------------------------------------------- */

static dprp_rc code_of(int status)
{
	switch (status) {
	case BLAS_ALLOC_FAILED: return DPR_RC_OOM_DEVICE;
	case BLAS_NOT_INITIALIZED:
	case BLAS_ARCH_MISMATCH:
	case BLAS_NOT_SUPPORTED: return DPR_RC_UNSUPPORTED;
	default: return DPR_RC_NATIVE;
	}
}

dprp_rc cuda_blas_failed(const struct cuda_scope *scope,
			 const struct cuda_blas *blas, int status,
			 const char *call)
{
	const dprp_instance *instance = scope->context->instance;
	const char *name = blas->cublasGetStatusName(status);
	size_t unused = SIZE_MAX, total = 0;
	dprp_rc rc = code_of(status);
	CUstreamCaptureMode mode = cuda_capture_ignore(&instance->cu);
	/* After a fault in the context, this call returns the same error. */
	const CUresult error = instance->cu.cuMemGetInfo(&unused, &total);

	cuda_capture_heed(&instance->cu, mode);
	if (cuda_error_rc(error) == DPR_RC_DEVICE_LOST)
		return cuda_error_check_device(scope->device, error, call);
	/* Without memory for a workspace, a handle is "not initialized". */
	if (status == BLAS_NOT_INITIALIZED && !error && unused < LITTLE_MEMORY)
		rc = DPR_RC_OOM_DEVICE;
	return dprh_fail(instance->host, rc, status,
			 "%s of %s: %s (%d), with the driver of CUDA %d.%d on "
			 "%s",
			 call, blas->name, name ? name : "an unknown status",
			 status, instance->cu.version / 1000,
			 instance->cu.version % 1000 / 10, scope->device->name);
}

/* --- Handles -------------------------------------------------------------- */

/* Make a handle.  The scope's context must be current. */
static dprp_rc make_handle(struct cuda_scope *scope,
			   const struct cuda_blas *blas,
			   struct cuda_blas_handle **out)
{
	const dprp_host *host = scope->context->instance->host;
	const struct cuda_api *cu = &scope->context->instance->cu;
	struct cuda_blas_handle *handle = dprh_alloc(host, 1, sizeof(*handle));
	const char *call = "cublasCreate_v2";
	CUstreamCaptureMode mode;
	int status;

	if (!handle)
		return dprh_no_memory(host, "a handle of cuBLAS");
	mode = cuda_capture_ignore(cu);
	status = blas->cublasCreate_v2(&handle->cu);
	if (!status) {
		call = "cublasSetMathMode";
		status = blas->cublasSetMathMode(handle->cu, MATH_MODE);
		if (status)
			(void)blas->cublasDestroy_v2(handle->cu);
	}
	cuda_capture_heed(cu, mode);
	if (status) {
		dprh_free(host, handle);
		return cuda_blas_failed(scope, blas, status, call);
	}
	pthread_mutex_lock(&scope->lock);
	scope->n_handles++;
	pthread_mutex_unlock(&scope->lock);
	*out = handle;
	return DPR_RC_OK;
}

/* Take an idle handle out of the list: the last handle of @stream, or else a
   handle of no stream.  If there are MANY_HANDLES, a handle of another stream
   will do: the one that was used longest ago.  Returns NULL if the caller
   should make a handle. */
static struct cuda_blas_handle *take_idle(struct cuda_scope *scope,
					  uint64_t stream)
{
	struct cuda_blas_handle **at, **best = NULL, *handle = NULL;

	pthread_mutex_lock(&scope->lock);
	for (at = &scope->handles; *at; at = &(*at)->next) {
		const bool none = !(*at)->stream;

		if (none || scope->n_handles >= MANY_HANDLES)
			if (none || !best || (*best)->stream)
				best = at;
		if ((*at)->stream == stream) {
			best = at;
			break;
		}
	}
	if (best) {
		handle = *best;
		*best = handle->next;
	}
	pthread_mutex_unlock(&scope->lock);
	return handle;
}

void cuda_blas_put(struct cuda_scope *scope, struct cuda_blas_handle *handle)
{
	pthread_mutex_lock(&scope->lock);
	handle->next = scope->handles;
	scope->handles = handle;
	pthread_mutex_unlock(&scope->lock);
}

dprp_rc cuda_blas_take(struct cuda_scope *scope, const struct cuda_blas *blas,
		       const struct cuda_stream *stream,
		       struct cuda_blas_handle **out)
{
	struct cuda_blas_handle *handle = take_idle(scope, stream->id);
	dprp_rc rc = handle ? DPR_RC_OK : make_handle(scope, blas, &handle);
	int status;

	*out = NULL;
	if (rc)
		return rc;
	if (handle->stream != stream->id) {
		status = blas->cublasSetStream_v2(handle->cu, stream->cu);
		handle->stream = status ? 0 : stream->id;
		if (status) {
			cuda_blas_put(scope, handle);
			return cuda_blas_failed(scope, blas, status,
						"cublasSetStream_v2");
		}
	}
	*out = handle;
	return DPR_RC_OK;
}

dprp_rc cuda_blas_start(struct cuda_scope *scope, const struct cuda_blas *blas)
{
	const struct cuda_api *cu = &scope->context->instance->cu;
	struct cuda_blas_handle *handle = NULL;
	CUresult error;
	bool entered;
	dprp_rc rc;
	unsigned n;

	pthread_mutex_lock(&scope->lock);
	n = scope->n_handles;
	pthread_mutex_unlock(&scope->lock);
	if (n)
		return DPR_RC_OK;
	error = cuda_context_enter(cu, scope->cu, &entered);
	rc = error ? cuda_error_check_device(scope->device, error,
					     "cuCtxPushCurrent")
		   : make_handle(scope, blas, &handle);
	cuda_context_leave(cu, entered);
	if (!rc)
		cuda_blas_put(scope, handle);
	return rc;
}

void cuda_blas_forget(struct cuda_scope *scope,
		      const struct cuda_stream *stream)
{
	const dprp_instance *instance = scope->context->instance;
	struct cuda_blas_handle *handle;
	bool entered;

	pthread_mutex_lock(&scope->lock);
	handle = scope->handles;
	while (handle && handle->stream != stream->id)
		handle = handle->next;
	/* No other thread looks for this stream any more. */
	if (handle && !cuda_context_enter(&instance->cu, scope->cu, &entered)) {
		(void)instance->blas->cublasSetStream_v2(handle->cu, NULL);
		handle->stream = 0;
		cuda_context_leave(&instance->cu, entered);
	}
	pthread_mutex_unlock(&scope->lock);
}

void cuda_blas_free_all(struct cuda_scope *scope)
{
	const dprp_instance *instance = scope->context->instance;
	struct cuda_blas_handle *handle;
	bool entered = false, ours;

	if (!scope->handles)
		return;
	/* If the program has reset the context, its handles must not be
	   destroyed. */
	ours = !scope->gone &&
	       !cuda_context_enter(&instance->cu, scope->cu, &entered);
	while ((handle = scope->handles)) {
		scope->handles = handle->next;
		if (ours)
			(void)instance->blas->cublasDestroy_v2(handle->cu);
		dprh_free(instance->host, handle);
	}
	cuda_context_leave(&instance->cu, entered);
}
