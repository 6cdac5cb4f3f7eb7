/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_solver.c - names and statuses of cuSOLVER, and the workspaces of its
 * routines.
 *
 * A handle keeps a block of the device's memory.  The block is allocated and
 * freed in the order of streams, so the host does not wait.  If the handle
 * comes to another stream, this stream waits for the last use of the block.  A
 * large block is not kept, because other handles and the program need memory,
 * too.
 *
 * A handle also keeps a block of the host's memory, if a routine needs some.  Before
 * the routines of another stream use this block, the host waits.
 */
#include "backends/cuda/calls/cuda_solver.h"

/* The largest blocks that a handle keeps, of each kind, and the smallest. */
#define KEPT_MOST ((size_t)32 << 20)
#define KEPT_LEAST ((size_t)64 << 10)

enum { /* results of cuSOLVER */
       SOLVER_ALLOC_FAILED = 2,
       SOLVER_INVALID_VALUE = 3,
       SOLVER_ARCH_MISMATCH = 4,
       SOLVER_EXECUTION_FAILED = 6,
       SOLVER_INTERNAL_ERROR = 7,
       SOLVER_TYPE_NOT_SUPPORTED = 8,
       SOLVER_NOT_SUPPORTED = 9
};

static const struct cuda_vendor_entry entries[] = {
#define ENTRY(result, name, parameters) \
	{ #name, offsetof(struct cuda_solver, name), false },
	CUDA_SOLVER_ENTRIES(ENTRY)
#undef ENTRY
#define ENTRY(result, name, parameters) \
	{ #name, offsetof(struct cuda_solver, name), true },
		CUDA_SOLVER_NEW_ENTRIES(ENTRY)
#undef ENTRY
#define ENTRY(member, s, d, c, z, parameters)                           \
	{ #s, offsetof(struct cuda_solver, member[0]), false },         \
		{ #d, offsetof(struct cuda_solver, member[1]), false }, \
		{ #c, offsetof(struct cuda_solver, member[2]), false }, \
		{ #z, offsetof(struct cuda_solver, member[3]), false },
			CUDA_SOLVER_TYPED_ENTRIES(ENTRY)
#undef ENTRY
};

static const struct cuda_solver *solver_of(
	const struct cuda_vendor_library *library)
{
	return (const struct cuda_solver *)library;
}

/* cuSOLVER has no entry for this. */
static const char *status_name(const struct cuda_vendor_library *library,
			       int status)
{
	(void)library;
	switch (status) {
	case CUDA_VENDOR_NOT_INITIALIZED:
		return "CUSOLVER_STATUS_NOT_INITIALIZED";
	case SOLVER_ALLOC_FAILED: return "CUSOLVER_STATUS_ALLOC_FAILED";
	case SOLVER_INVALID_VALUE: return "CUSOLVER_STATUS_INVALID_VALUE";
	case SOLVER_ARCH_MISMATCH: return "CUSOLVER_STATUS_ARCH_MISMATCH";
	case SOLVER_EXECUTION_FAILED: return "CUSOLVER_STATUS_EXECUTION_FAILED";
	case SOLVER_INTERNAL_ERROR: return "CUSOLVER_STATUS_INTERNAL_ERROR";
	case SOLVER_TYPE_NOT_SUPPORTED:
		return "CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED";
	case SOLVER_NOT_SUPPORTED: return "CUSOLVER_STATUS_NOT_SUPPORTED";
	default: return NULL;
	}
}

static dprp_rc code_of(int status)
{
	switch (status) {
	case SOLVER_ALLOC_FAILED: return DPR_RC_OOM_DEVICE;
	case CUDA_VENDOR_NOT_INITIALIZED:
	case SOLVER_ARCH_MISMATCH:
	case SOLVER_TYPE_NOT_SUPPORTED:
	case SOLVER_NOT_SUPPORTED: return DPR_RC_UNSUPPORTED;
	default: return DPR_RC_NATIVE;
	}
}

static dprp_rc prepare(struct cuda_scope *scope,
		       const struct cuda_vendor_library *library,
		       struct cuda_handle *handle)
{
	const struct cuda_solver *solver = solver_of(library);
	int status = solver->cusolverDnCreateParams(&handle->params);
	dprp_rc rc;

	if (status)
		return cuda_vendor_failed(scope, library, status,
					  "cusolverDnCreateParams");
	status = solver->cusolverDnCreateGesvdjInfo(&handle->jacobi);
	if (status) {
		rc = cuda_vendor_failed(scope, library, status,
					"cusolverDnCreateGesvdjInfo");
		handle->jacobi = NULL;
	} else {
		rc = CUDA_TRY_ON(scope->device, cuEventCreate, &handle->done,
				 CU_EVENT_DISABLE_TIMING);
	}
	if (rc && handle->jacobi)
		(void)solver->cusolverDnDestroyGesvdjInfo(handle->jacobi);
	if (rc)
		(void)solver->cusolverDnDestroyParams(handle->params);
	return rc;
}

static void undo(struct cuda_scope *scope,
		 const struct cuda_vendor_library *library,
		 struct cuda_handle *handle)
{
	const struct cuda_api *cu = &scope->context->instance->cu;

	(void)solver_of(library)->cusolverDnDestroyGesvdjInfo(handle->jacobi);
	(void)solver_of(library)->cusolverDnDestroyParams(handle->params);
	(void)cu->cuEventDestroy(handle->done);
	if (handle->work)
		(void)cu->cuMemFree(handle->work);
}

const struct cuda_vendor cuda_solver_vendor = {
	.id = CUDA_SOLVER,
	.size = sizeof(struct cuda_solver),
	.name = "cuSOLVER",
	.option = "DPR_OPTION_CUDA_LAPACK",
	.files = { "libcusolver.so.12",
		   "/usr/local/cuda/lib64/libcusolver.so.12",
		   "libcusolver.so.11",
		   "/usr/local/cuda/lib64/libcusolver.so.11" },
	.file = "libcusolver",
	.package = "libcusolver",
	.wheel = "nvidia-cusolver",
	.numbers = { "11", "12" },
	.entry = { "cusolverDnCreate", "cusolverDnDestroy",
		   "cusolverDnSetStream", "cusolverGetProperty" },
	.entries = entries,
	.n_entries = sizeof(entries) / sizeof(entries[0]),
	.status_name = status_name,
	.code_of = code_of,
	.prepare = prepare,
	.undo = undo,
};

/* --- Memory --------------------------------------------------------------- */

/* A size to keep: a power of two, so that few blocks are made. */
static size_t kept_size(size_t size)
{
	size_t kept = KEPT_LEAST;

	while (kept < size)
		kept *= 2;
	return kept;
}

/* Make the handle's block large enough. */
static dprp_rc keep_device(struct cuda_scope *scope, struct cuda_handle *handle,
			   CUstream stream, size_t size)
{
	const size_t kept = kept_size(size);
	dprp_rc rc = DPR_RC_OK;

	if (handle->work) {
		if (size <= handle->work_size)
			return DPR_RC_OK;
		rc = CUDA_TRY_ON(scope->device, cuMemFreeAsync, handle->work,
				 stream);
		if (rc)
			return rc;
		handle->work = 0;
	}
	rc = CUDA_TRY_ON(scope->device, cuMemAllocAsync, &handle->work, kept,
			 stream);
	if (rc)
		handle->work = 0;
	handle->work_size = rc ? 0 : kept;
	return rc;
}

/* Make the handle's memory of the host large enough.  Routines that are in a
   stream may still use the block.  So wait for them before the block is freed, and
   before the routines of another stream get it: they write to it at once. */
static dprp_rc keep_host(struct cuda_scope *scope, struct cuda_handle *handle,
			 size_t size)
{
	const dprp_host *host = scope->context->instance->host;
	const size_t kept = kept_size(size);
	const bool fits = size <= handle->host_size;
	dprp_rc rc = DPR_RC_OK;

	if (handle->host && (!fits || handle->host_stream != handle->stream))
		rc = CUDA_TRY_ON(scope->device, cuEventSynchronize,
				 handle->done);
	if (rc)
		return rc;
	handle->host_stream = handle->stream;
	if (fits)
		return DPR_RC_OK;
	dprh_free(host, handle->host);
	handle->host = dprh_alloc(host, kept, 1);
	handle->host_size = handle->host ? kept : 0;
	return handle->host ? DPR_RC_OK
			    : dprh_no_memory(host, "a workspace of cuSOLVER");
}

static dprp_rc reserve_host(struct cuda_scope *scope,
			    struct cuda_handle *handle, size_t size,
			    struct cuda_solver_space *out)
{
	const dprp_host *host = scope->context->instance->host;
	dprp_rc rc;

	if (size <= KEPT_MOST) {
		rc = keep_host(scope, handle, size);
		out->host = handle->host;
		return rc;
	}
	out->host = dprh_alloc(host, size, 1);
	out->is_large_host = true;
	return out->host ? DPR_RC_OK
			 : dprh_no_memory(host, "a workspace of cuSOLVER");
}

dprp_rc cuda_solver_reserve(struct cuda_scope *scope,
			    struct cuda_handle *handle, CUstream stream,
			    size_t device, size_t host,
			    struct cuda_solver_space *out)
{
	dprp_rc rc = DPR_RC_OK;

	*out = (struct cuda_solver_space){ .device = 0 };
	/* cuda_solver_done() replaces the event.  So each user waits for the one
	   before, whether it takes the handle's block or not. */
	rc = CUDA_TRY_ON(scope->device, cuStreamWaitEvent, stream, handle->done,
			 CU_EVENT_WAIT_DEFAULT);
	if (rc)
		return rc;
	out->has_waited = true;
	if (host)
		rc = reserve_host(scope, handle, host, out);
	if (rc)
		return rc;
	if (device <= KEPT_MOST) {
		rc = keep_device(scope, handle, stream, device);
		out->device = handle->work;
		return rc;
	}
	rc = CUDA_TRY_ON(scope->device, cuMemAllocAsync, &out->device, device,
			 stream);
	if (rc)
		out->device = 0;
	out->is_large = !rc;
	return rc;
}

dprp_rc cuda_solver_done(struct cuda_scope *scope, struct cuda_handle *handle,
			 CUstream stream, struct cuda_solver_space *space)
{
	const dprp_instance *instance = scope->context->instance;
	dprp_rc rc = DPR_RC_OK, freed = DPR_RC_OK;

	if (space->is_large)
		freed = CUDA_TRY_ON(scope->device, cuMemFreeAsync,
				    space->device, stream);
	if (space->is_large_host) {
		/* cuSOLVER may use this memory until its work is done. */
		cuda_stream_settle(&instance->cu, stream);
		dprh_free(instance->host, space->host);
	}
	if (space->has_waited)
		rc = CUDA_TRY_ON(scope->device, cuEventRecord, handle->done,
				 stream);
	*space = (struct cuda_solver_space){ .device = 0 };
	return rc ? rc : freed;
}
