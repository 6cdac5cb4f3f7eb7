/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_vendor.c - cuBLAS and cuSOLVER: opening a library, and its handles.
 *
 * Making a handle takes milliseconds, and a handle has a workspace, so handles
 * are kept.  A stream takes the handle again that it used last.  So streams
 * share a handle, and with it a workspace, only if there are many streams.
 */
#include "backends/cuda/calls/cuda_vendor.h"

#include <dlfcn.h>
#include <stdio.h>

/* If there are MANY_HANDLES, a stream without a handle takes the handle of
   another stream. */
#define MANY_HANDLES 8

/* If less memory than LITTLE_MEMORY is free, a handle that cannot be made
   counts as a lack of memory. */
#define LITTLE_MEMORY (UINT64_C(64) << 20)

/* --- The library ---------------------------------------------------------- */

static bool find_entry(const dprp_host *host, void *library, const char *name,
		       void *place)
{
	void *entry = host->driver_sym(host->self, library, name);

	memcpy(place, &entry, sizeof(entry));
	return entry != NULL;
}

/* Find all entries.  Returns false if one is missing. */
static bool find_entries(const dprp_host *host, void *library,
			 struct cuda_vendor_library *to)
{
	const struct cuda_vendor *vendor = to->vendor;
	bool all = find_entry(host, library, vendor->entry[0], &to->create);

	all &= find_entry(host, library, vendor->entry[1], &to->destroy);
	all &= find_entry(host, library, vendor->entry[2], &to->set_stream);
	all &= find_entry(host, library, vendor->entry[3], &to->get_property);
	for (size_t i = 0; i < vendor->n_entries; i++) {
		const struct cuda_vendor_entry *e = &vendor->entries[i];

		all &= find_entry(host, library, e->name,
				  (char *)to + e->place) ||
		       e->optional;
	}
	return all;
}

/* Take the entries of a library, and describe it.  Returns false if an entry
   is missing. */
static bool take_library(const dprp_host *host, void *library,
			 struct cuda_vendor_library *to)
{
	int version[3] = { 0 };
	void *entry;
	Dl_info info;

	if (!find_entries(host, library, to))
		return false;
	for (int i = 0; i < 3; i++)
		if (to->get_property(i, &version[i]))
			version[i] = 0;
	(void)find_entry(host, library, to->vendor->entry[0], &entry);
	if (!dladdr(entry, &info))
		info.dli_fname = "?";
	snprintf(to->name, sizeof(to->name), "%s %d.%d.%d", to->vendor->name,
		 version[0], version[1], version[2]);
	snprintf(to->text, sizeof(to->text), "%s, %.400s", to->name,
		 info.dli_fname);
	return true;
}

/* Open the library that the option names.  Without the option, open the library
   for the driver's version of CUDA.  A driver of CUDA 13 also works with the
   libraries of CUDA 12. */
static void *open_library(const dprp_instance *instance,
			  const struct cuda_vendor *vendor, const char *option)
{
	const dprp_host *host = instance->host;
	const size_t first = instance->cu.version < 13000 ? 2 : 0;

	if (option)
		return host->driver_open(host->self, &option, 1);
	return host->driver_open(host->self, vendor->files + first, 4 - first);
}

/* Say why the library is not used. */
static void refuse_library(const dprp_instance *instance, bool opened,
			   const char *option, struct cuda_vendor_library *to)
{
	const struct cuda_vendor *vendor = to->vendor;
	const int version = instance->cu.version;
	const bool is_old = version < 13000;
	const char *number = vendor->numbers[is_old ? 0 : 1];

	if (option)
		snprintf(to->text, sizeof(to->text), "%s=%.300s: %s%s%s",
			 vendor->option, option,
			 opened ? "this library is not " : "",
			 opened ? vendor->name : "",
			 opened ? " of CUDA 12 or newer"
				: "this is no library; it must be an absolute "
				  "path, or the name of a library with its "
				  "version, or none");
	else if (opened)
		snprintf(to->text, sizeof(to->text),
			 "%s lacks an entry of CUDA 12: set %s to the path of "
			 "another %s.so.%s",
			 vendor->file, vendor->option, vendor->file, number);
	else
		snprintf(to->text, sizeof(to->text),
			 "there is no %s: install %s-%d-%d from NVIDIA's "
			 "repository for the system, or %s%s with pip and set "
			 "%s to the path of its %s.so.%s",
			 vendor->name, vendor->package, version / 1000,
			 version % 1000 / 10, vendor->wheel,
			 is_old ? "-cu12" : "", vendor->option, vendor->file,
			 number);
}

static void open_vendor(dprp_instance *instance, struct cuda_vendor_library *to)
{
	const dprp_host *host = instance->host;
	const char *option = instance->options[to->vendor->id];
	void *library;

	if (option && !strcmp(option, "none")) {
		snprintf(to->text, sizeof(to->text), "%s=none",
			 to->vendor->option);
		return;
	}
	library = open_library(instance, to->vendor, option);
	to->works = library && take_library(host, library, to);
	if (to->works)
		return;
	refuse_library(instance, library != NULL, option, to);
	if (option)
		host->log(host->self, 2, to->text);
}

dprp_rc cuda_vendor_get(dprp_instance *instance,
			const struct cuda_vendor *vendor,
			const struct cuda_vendor_library **out)
{
	struct cuda_vendor_library *library;

	pthread_mutex_lock(&instance->vendor_lock);
	library = instance->vendors[vendor->id];
	if (!library) {
		library = dprh_alloc(instance->host, 1, vendor->size);
		if (library) {
			library->vendor = vendor;
			open_vendor(instance, library);
		}
		instance->vendors[vendor->id] = library;
	}
	pthread_mutex_unlock(&instance->vendor_lock);
	*out = library;
	if (!library)
		return dprh_no_memory(instance->host, vendor->name);
	if (library->works)
		return DPR_RC_OK;
	return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0, "%s",
			 library->text);
}

void cuda_vendor_close(dprp_instance *instance)
{
	for (int i = 0; i < CUDA_VENDORS; i++) {
		dprh_free(instance->host, instance->vendors[i]);
		instance->vendors[i] = NULL;
	}
}

/* --- Failures ------------------------------------------------------------- */

dprp_rc cuda_vendor_failed(const struct cuda_scope *scope,
			   const struct cuda_vendor_library *library,
			   int status, const char *call)
{
	const dprp_instance *instance = scope->context->instance;
	const char *name = library->vendor->status_name(library, status);
	size_t unused = SIZE_MAX, total = 0;
	dprp_rc rc = library->vendor->code_of(status);
	CUstreamCaptureMode mode = cuda_capture_ignore(&instance->cu);
	/* After a fault in the context, this call returns the same error. */
	const CUresult error = instance->cu.cuMemGetInfo(&unused, &total);

	cuda_capture_heed(&instance->cu, mode);
	if (cuda_error_rc(error) == DPR_RC_DEVICE_LOST)
		return cuda_error_check_device(scope->device, error, call);
	/* Without memory for a workspace, a handle is "not initialized". */
	if (status == CUDA_VENDOR_NOT_INITIALIZED && !error &&
	    unused < LITTLE_MEMORY)
		rc = DPR_RC_OOM_DEVICE;
	return dprh_fail(instance->host, rc, status,
			 "%s of %s: %s (%d), with the driver of CUDA %d.%d on "
			 "%s",
			 call, library->name, name ? name : "an unknown status",
			 status, instance->cu.version / 1000,
			 instance->cu.version % 1000 / 10, scope->device->name);
}

/* --- Handles -------------------------------------------------------------- */

/* Make a handle.  The scope's context must be current. */
static dprp_rc make_handle(struct cuda_scope *scope,
			   const struct cuda_vendor_library *library,
			   struct cuda_handle **out)
{
	const struct cuda_vendor *vendor = library->vendor;
	const dprp_host *host = scope->context->instance->host;
	const struct cuda_api *cu = &scope->context->instance->cu;
	struct cuda_handle *handle = dprh_alloc(host, 1, sizeof(*handle));
	CUstreamCaptureMode mode;
	int status;
	dprp_rc rc;

	if (!handle)
		return dprh_no_memory(host, "a handle of a library");
	mode = cuda_capture_ignore(cu);
	status = library->create(&handle->cu);
	rc = status ? cuda_vendor_failed(scope, library, status,
					 vendor->entry[0])
		    : vendor->prepare(scope, library, handle);
	if (rc && !status)
		(void)library->destroy(handle->cu);
	cuda_capture_heed(cu, mode);
	if (rc) {
		dprh_free(host, handle);
		return rc;
	}
	pthread_mutex_lock(&scope->lock);
	scope->pools[vendor->id].n++;
	pthread_mutex_unlock(&scope->lock);
	*out = handle;
	return DPR_RC_OK;
}

/* Take an idle handle out of the list: the last handle of @stream, or else a
   handle of no stream.  If there are MANY_HANDLES, a handle of another stream
   will do: the one that was used longest ago.  Returns NULL if the caller
   should make a handle. */
static struct cuda_handle *take_idle(struct cuda_scope *scope,
				     struct cuda_pool *pool, uint64_t stream)
{
	struct cuda_handle **at, **best = NULL, *handle = NULL;

	pthread_mutex_lock(&scope->lock);
	for (at = &pool->idle; *at; at = &(*at)->next) {
		const bool none = !(*at)->stream;

		if (none || pool->n >= MANY_HANDLES)
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

void cuda_vendor_put(struct cuda_scope *scope,
		     const struct cuda_vendor_library *library,
		     struct cuda_handle *handle)
{
	struct cuda_pool *pool = &scope->pools[library->vendor->id];

	pthread_mutex_lock(&scope->lock);
	handle->next = pool->idle;
	pool->idle = handle;
	pthread_mutex_unlock(&scope->lock);
}

dprp_rc cuda_vendor_take(struct cuda_scope *scope,
			 const struct cuda_vendor_library *library,
			 const struct cuda_stream *stream,
			 struct cuda_handle **out)
{
	struct cuda_handle *handle = take_idle(
		scope, &scope->pools[library->vendor->id], stream->id);
	dprp_rc rc = handle ? DPR_RC_OK : make_handle(scope, library, &handle);
	int status;

	*out = NULL;
	if (rc)
		return rc;
	if (handle->stream != stream->id) {
		status = library->set_stream(handle->cu, stream->cu);
		handle->stream = status ? 0 : stream->id;
		if (status) {
			cuda_vendor_put(scope, library, handle);
			return cuda_vendor_failed(scope, library, status,
						  library->vendor->entry[2]);
		}
	}
	*out = handle;
	return DPR_RC_OK;
}

dprp_rc cuda_vendor_start(struct cuda_scope *scope,
			  const struct cuda_vendor_library *library)
{
	const struct cuda_api *cu = &scope->context->instance->cu;
	struct cuda_handle *handle = NULL;
	CUresult error;
	bool entered;
	dprp_rc rc;
	unsigned n;

	pthread_mutex_lock(&scope->lock);
	n = scope->pools[library->vendor->id].n;
	pthread_mutex_unlock(&scope->lock);
	if (n)
		return DPR_RC_OK;
	error = cuda_context_enter(cu, scope->cu, &entered);
	rc = error ? cuda_error_check_device(scope->device, error,
					     "cuCtxPushCurrent")
		   : make_handle(scope, library, &handle);
	cuda_context_leave(cu, entered);
	if (!rc)
		cuda_vendor_put(scope, library, handle);
	return rc;
}

/* Detach the handle of one library, if there is one. */
static void forget(struct cuda_scope *scope, struct cuda_pool *pool,
		   const struct cuda_vendor_library *library, uint64_t stream)
{
	const struct cuda_api *cu = &scope->context->instance->cu;
	struct cuda_handle *handle = pool->idle;
	bool entered;

	while (handle && handle->stream != stream)
		handle = handle->next;
	/* No other thread looks for this stream any more. */
	if (handle && !cuda_context_enter(cu, scope->cu, &entered)) {
		(void)library->set_stream(handle->cu, NULL);
		handle->stream = 0;
		cuda_context_leave(cu, entered);
	}
}

void cuda_vendor_forget(struct cuda_scope *scope,
			const struct cuda_stream *stream)
{
	const dprp_instance *instance = scope->context->instance;

	pthread_mutex_lock(&scope->lock);
	for (int i = 0; i < CUDA_VENDORS; i++)
		if (scope->pools[i].idle)
			forget(scope, &scope->pools[i], instance->vendors[i],
			       stream->id);
	pthread_mutex_unlock(&scope->lock);
}

static void free_pool(struct cuda_scope *scope, struct cuda_pool *pool,
		      const struct cuda_vendor_library *library)
{
	const dprp_instance *instance = scope->context->instance;
	struct cuda_handle *handle;
	bool entered = false, ours;

	/* If the program has reset the context, its handles must not be
	   destroyed. */
	ours = !scope->gone &&
	       !cuda_context_enter(&instance->cu, scope->cu, &entered);
	while ((handle = pool->idle)) {
		pool->idle = handle->next;
		if (ours && library->vendor->undo)
			library->vendor->undo(scope, library, handle);
		if (ours)
			(void)library->destroy(handle->cu);
		dprh_free(instance->host, handle->host);
		dprh_free(instance->host, handle);
	}
	cuda_context_leave(&instance->cu, entered);
}

void cuda_vendor_free_all(struct cuda_scope *scope)
{
	const dprp_instance *instance = scope->context->instance;

	for (int i = 0; i < CUDA_VENDORS; i++)
		if (scope->pools[i].idle)
			free_pool(scope, &scope->pools[i],
				  instance->vendors[i]);
}
