/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, according to the device's path: unified shared memory, shared virtual
   memory (fine-grained or coarse-grained), or buffers. */
#include <string.h>
#include <sys/mman.h>

#include "ocl.h"

/* The alignment of the largest built-in type.  Drivers may refuse larger ones,
   so this file makes those itself. */
enum { OCL_TYPE_ALIGN = 128 };

static const char *ocl_kind_name(uint32_t kind)
{
	switch (kind) {
	case DPRP_MEM_DEVICE: return "device";
	case DPRP_MEM_SHARED: return "shared";
	case DPRP_MEM_HOST: return "host";
	case DPRP_MEM_IMPORT_HOST: return "imported host";
	default: return "unknown";
	}
}

static dprp_mem *ocl_mem_new(dprp_context *context, dprp_device *device)
{
	dprp_instance *instance = context->instance;
	dprp_mem *mem = dprh_alloc(instance->host, 1, sizeof(*mem));

	if (!mem)
		return NULL;
	if (pthread_mutex_init(&mem->lock, NULL)) {
		dprh_free(instance->host, mem);
		return NULL;
	}
	mem->instance = instance;
	mem->context = context;
	mem->device = device;
	mem->path = device->path;
	mem->serial = atomic_fetch_add(&instance->serials, 1) + 1;
	return mem;
}

static void *ocl_svm_alloc(dprp_context *context, cl_svm_mem_flags flags,
			   size_t size, cl_uint align)
{
	void *address;

	pthread_mutex_lock(&context->svm);
	address = context->instance->cl.clSVMAlloc(context->cl, flags, size,
						   align);
	pthread_mutex_unlock(&context->svm);
	return address;
}

static void ocl_svm_free(dprp_context *context, void *address)
{
	pthread_mutex_lock(&context->svm);
	context->instance->cl.clSVMFree(context->cl, address);
	pthread_mutex_unlock(&context->svm);
}

void ocl_mem_free(dprp_mem *mem)
{
	const struct ocl_api *cl;
	unsigned i;

	if (!mem)
		return;
	cl = &mem->instance->cl;
	for (i = 0; i < mem->n_subs; i++)
		cl->clReleaseMemObject(mem->subs[i].cl);
	dprh_free(mem->instance->host, mem->subs);
	if (mem->alias)
		cl->clReleaseMemObject(mem->alias);
	if (mem->cl)
		cl->clReleaseMemObject(mem->cl);
	if (mem->base && mem->path == OCL_PATH_USM)
		mem->device->platform->usm.free(mem->context->cl, mem->base);
	else if (mem->base)
		ocl_svm_free(mem->context, mem->base);
	pthread_mutex_destroy(&mem->lock);
	dprh_free(mem->instance->host, mem);
}

/* Allocate @size bytes that have an address, aligned to at least @align. */
static void *ocl_mem_address(dprp_mem *mem, size_t size, cl_uint align,
			     cl_int *err)
{
	const struct ocl_usm *usm = &mem->device->platform->usm;
	cl_device_id id = ocl_context_device(mem->context, mem->device);
	cl_context context = mem->context->cl;
	void *address;

	if (mem->path != OCL_PATH_USM) {
		address = ocl_svm_alloc(
			mem->context,
			CL_MEM_READ_WRITE |
				(mem->path == OCL_PATH_SVM_FINE
					 ? CL_MEM_SVM_FINE_GRAIN_BUFFER
					 : 0),
			size, align);
		*err = address ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
		return address;
	}
	switch (mem->kind) {
	case DPRP_MEM_HOST:
		return usm->host_alloc(context, NULL, size, align, err);
	case DPRP_MEM_SHARED:
		return usm->shared_alloc(context, id, NULL, size, align, err);
	default: return usm->device_alloc(context, id, NULL, size, align, err);
	}
}

static dprp_rc ocl_mem_refused(const dprp_mem *mem, uint64_t size, cl_int err)
{
	static const char *const calls[] = {
		[OCL_PATH_NONE] = "",
		[OCL_PATH_USM] = "the allocation of unified shared memory",
		[OCL_PATH_SVM_FINE] = "clSVMAlloc",
		[OCL_PATH_SVM_COARSE] = "clSVMAlloc",
		[OCL_PATH_BUFFER] = "clCreateBuffer"
	};
	dprp_rc rc = ocl_error_rc(err);

	/* OpenCL has a separate error for a size that the device can never
	   allocate. */
	if (err == CL_INVALID_BUFFER_SIZE || err == CL_OUT_OF_RESOURCES)
		rc = DPR_RC_OOM_DEVICE;
	return dprh_fail(
		mem->instance->host, rc, err,
		"%s of %llu bytes: %s (%d); the device's largest allocation is "
		"%llu bytes",
		calls[mem->path], (unsigned long long)size, ocl_error_name(err),
		(int)err, (unsigned long long)mem->device->max_alloc);
}

/* Allocations of at least OCL_LARGE_FROM bytes should have large pages if they
   are memory of this process: on small pages, work often waits for addresses to
   be translated. */
#define OCL_LARGE_FROM ((size_t)4 << 20)
#define OCL_LARGE_PAGE ((uintptr_t)2 << 20)

static void ocl_mem_ask_for_large_pages(const dprp_mem *mem, size_t size)
{
	const uintptr_t begin = (uintptr_t)mem->base;
	const uintptr_t first =
		(begin + OCL_LARGE_PAGE - 1) & ~(OCL_LARGE_PAGE - 1);
	const uintptr_t end = (begin + size) & ~(OCL_LARGE_PAGE - 1);

	if (size >= OCL_LARGE_FROM && first < end &&
	    ocl_facts_on_host(mem->device))
		(void)madvise((void *)first, end - first, MADV_HUGEPAGE);
}

static dprp_rc ocl_mem_get_address(dprp_mem *mem, const dprp_mem_desc *desc)
{
	uint64_t align = desc->align, slack = 0;
	uint64_t rest;
	cl_int err = CL_SUCCESS;
	size_t room;

	if (align > OCL_TYPE_ALIGN) {
		slack = align;
		align = OCL_TYPE_ALIGN;
	}
	if (__builtin_add_overflow(desc->size, slack, &room))
		return ocl_mem_refused(mem, desc->size, CL_INVALID_BUFFER_SIZE);
	mem->base = ocl_mem_address(mem, room, (cl_uint)align, &err);
	if (!mem->base || err) {
		mem->base = NULL;
		return ocl_mem_refused(mem, desc->size,
				       err ? err
					   : CL_MEM_OBJECT_ALLOCATION_FAILURE);
	}
	ocl_mem_ask_for_large_pages(mem, room);
	mem->address = mem->base;
	rest = slack ? (uintptr_t)mem->base & (slack - 1) : 0;
	if (rest)
		mem->address += slack - rest;
	return DPR_RC_OK;
}

/* Find the address of a buffer that begins at @origin of @whole. */
static cl_int ocl_mem_find_here(dprp_mem *mem, cl_mem whole, size_t origin)
{
	cl_device_id id = ocl_context_device(mem->context, mem->device);
	cl_int err = ocl_trial_address(mem->device, mem->context->cl, id, whole,
				       &mem->here);

	if (mem->here)
		mem->here += origin;
	return err;
}

static dprp_rc ocl_mem_get_buffer(dprp_mem *mem, const dprp_mem_desc *desc)
{
	cl_int err = CL_SUCCESS;

	if (desc->align > mem->device->base_align)
		return dprh_fail(
			mem->instance->host, DPR_RC_UNSUPPORTED, 0,
			"buffers are aligned to %zu bytes (MEM_BASE_ALIGN), not "
			"to %llu",
			mem->device->base_align,
			(unsigned long long)desc->align);
	/* NVIDIA's driver would make a buffer of any size, and fail when it is
	   used. */
	if (mem->device->max_alloc && desc->size > mem->device->max_alloc)
		return ocl_mem_refused(mem, desc->size, CL_INVALID_BUFFER_SIZE);
	mem->cl = mem->instance->cl.clCreateBuffer(
		mem->context->cl, CL_MEM_READ_WRITE, desc->size, NULL, &err);
	if (!mem->cl || err) {
		mem->cl = NULL;
		return ocl_mem_refused(mem, desc->size,
				       err ? err
					   : CL_MEM_OBJECT_ALLOCATION_FAILURE);
	}
	err = ocl_mem_find_here(mem, mem->cl, 0);
	return err ? ocl_mem_refused(mem, desc->size, err) : DPR_RC_OK;
}

static dprp_rc ocl_mem_check(dprp_device *device, const dprp_mem_desc *desc)
{
	const dprp_host *host = device->instance->host;
	uint64_t system = 0;

	if (desc->kind == DPRP_MEM_IMPORT_HOST) {
		ocl_info_get(device, DPR_INFO_ASPECT_USM_SYSTEM, &system,
			     sizeof(system), &(size_t){ 0 });
		if (!desc->host_ptr)
			return dprh_fail(host, DPR_RC_INVALID, 0,
					 "there is no host memory to import");
		if (system)
			return DPR_RC_OK;
	} else if (ocl_facts_kind(device, desc->kind)) {
		return DPR_RC_OK;
	}
	return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			 "the device has no %s allocations (memory path %s)",
			 ocl_kind_name(desc->kind),
			 ocl_options_path_name(device->path));
}

dprp_rc ocl_mem_alloc(dprp_context *context, dprp_device *device,
		      const dprp_mem_desc *theirs, dprp_mem **out)
{
	dprp_mem_desc desc;
	dprp_mem *mem;
	dprp_rc rc = dprh_take_mem(context->instance->host, theirs, &desc);

	*out = NULL;
	if (rc == DPR_RC_OK)
		rc = ocl_mem_check(device, &desc);
	if (rc != DPR_RC_OK)
		return rc;
	mem = ocl_mem_new(context, device);
	if (!mem)
		return dprh_no_memory(context->instance->host, "an allocation");
	mem->kind = desc.kind;
	mem->size = desc.size;
	if (desc.kind == DPRP_MEM_IMPORT_HOST)
		mem->address = desc.host_ptr;
	else if (mem->path == OCL_PATH_BUFFER)
		rc = ocl_mem_get_buffer(mem, &desc);
	else
		rc = ocl_mem_get_address(mem, &desc);
	if (rc != DPR_RC_OK) {
		ocl_mem_free(mem);
		return rc;
	}
	*out = mem;
	return DPR_RC_OK;
}

dprp_rc ocl_mem_info(dprp_mem *mem, uint32_t key, void *buffer, size_t capacity,
		     size_t *need)
{
	const bool has = mem->path != OCL_PATH_BUFFER;

	return dprh_mem_info(mem->instance->host, has ? mem->address : NULL,
			     mem->kind, key, buffer, capacity, need);
}

bool ocl_mem_on_host(const dprp_mem *mem)
{
	switch (mem->path) {
	case OCL_PATH_USM:
		return mem->kind != DPRP_MEM_DEVICE ||
		       ocl_facts_on_host(mem->device);
	case OCL_PATH_SVM_FINE: return true;
	default: return false;
	}
}

/* Make a sub-buffer.  If there are OCL_MAX_SUB_BUFFERS, it replaces the oldest.
   The caller must hold the lock. */
static dprp_rc ocl_mem_sub(dprp_mem *mem, uint64_t offset,
			   struct ocl_sub_buffer **out)
{
	const struct ocl_api *cl = &mem->instance->cl;
	cl_buffer_region region = { offset, mem->size - offset };
	struct ocl_sub_buffer *sub;
	cl_int err = CL_SUCCESS;
	cl_mem made;

	if (!mem->subs) {
		mem->subs = dprh_alloc(mem->instance->host, OCL_MAX_SUB_BUFFERS,
				       sizeof(*mem->subs));
		if (!mem->subs)
			return dprh_no_memory(mem->instance->host,
					      "sub-buffers");
	}
	made = cl->clCreateSubBuffer(mem->cl, 0, CL_BUFFER_CREATE_TYPE_REGION,
				     &region, &err);
	if (!made || err)
		return ocl_error_check(mem->instance->host,
				       err ? err : CL_OUT_OF_RESOURCES,
				       "clCreateSubBuffer");
	if (mem->n_subs < OCL_MAX_SUB_BUFFERS) {
		sub = &mem->subs[mem->n_subs++];
	} else {
		/* Commands that use the old one have references in the
		   driver. */
		sub = &mem->subs[mem->oldest++ % OCL_MAX_SUB_BUFFERS];
		cl->clReleaseMemObject(sub->cl);
	}
	sub->cl = made;
	sub->offset = offset;
	sub->serial = atomic_fetch_add(&mem->instance->serials, 1) + 1;
	*out = sub;
	return DPR_RC_OK;
}

dprp_rc ocl_mem_at(dprp_mem *mem, uint64_t offset, cl_mem *out,
		   uint64_t *serial)
{
	struct ocl_sub_buffer *sub = NULL;
	dprp_rc rc = DPR_RC_OK;
	unsigned i;

	if (!offset) {
		mem->instance->cl.clRetainMemObject(mem->cl);
		*out = mem->cl;
		*serial = mem->serial;
		return DPR_RC_OK;
	}
	if (offset >= mem->size || offset % mem->device->base_align)
		return dprh_fail(
			mem->instance->host, DPR_RC_INVALID, 0,
			"a kernel argument cannot begin at byte %llu of a "
			"buffer of %llu bytes: the offset must be a multiple "
			"of %zu (MEM_BASE_ALIGN)",
			(unsigned long long)offset,
			(unsigned long long)mem->size, mem->device->base_align);
	pthread_mutex_lock(&mem->lock);
	for (i = 0; i < mem->n_subs && !sub; i++)
		if (mem->subs[i].offset == offset)
			sub = &mem->subs[i];
	if (!sub)
		rc = ocl_mem_sub(mem, offset, &sub);
	if (rc == DPR_RC_OK) {
		mem->instance->cl.clRetainMemObject(sub->cl);
		*out = sub->cl;
		*serial = sub->serial;
	}
	pthread_mutex_unlock(&mem->lock);
	return rc;
}

/* The buffer that a cl_mem of the program's is a part of, which begins at
 *@origin.  PoCL gives a native kernel the address of the whole buffer. */
static cl_mem ocl_mem_whole(const dprp_mem *mem, size_t *origin)
{
	const struct ocl_api *cl = &mem->instance->cl;
	cl_mem whole = NULL;

	if (cl->clGetMemObjectInfo(mem->cl, CL_MEM_ASSOCIATED_MEMOBJECT,
				   sizeof(whole), &whole, NULL) ||
	    !whole ||
	    cl->clGetMemObjectInfo(mem->cl, CL_MEM_OFFSET, sizeof(*origin),
				   origin, NULL)) {
		*origin = 0;
		return mem->cl;
	}
	return whole;
}

dprp_rc ocl_mem_over(dprp_context *context, dprp_device *device, cl_mem cl,
		     uint64_t size, dprp_mem **out)
{
	dprp_mem *mem = ocl_mem_new(context, device);
	size_t origin;
	cl_mem whole;
	dprp_rc rc;

	if (!mem)
		return dprh_no_memory(context->instance->host, "an allocation");
	mem->path = OCL_PATH_BUFFER;
	mem->kind = DPRP_MEM_DEVICE;
	mem->size = size;
	mem->cl = cl;
	whole = ocl_mem_whole(mem, &origin);
	rc = ocl_error_check(context->instance->host,
			     ocl_mem_find_here(mem, whole, origin),
			     "clEnqueueNativeKernel");
	if (rc != DPR_RC_OK) {
		/* On failure the caller keeps its reference to cl. */
		mem->cl = NULL;
		ocl_mem_free(mem);
		return rc;
	}
	*out = mem;
	return DPR_RC_OK;
}

dprp_rc ocl_mem_native(dprp_mem *mem, cl_mem *out)
{
	cl_int err = CL_SUCCESS;

	if (mem->path == OCL_PATH_BUFFER) {
		*out = mem->cl;
		return DPR_RC_OK;
	}
	/* OpenCL allows a buffer to be made over shared virtual memory. */
	pthread_mutex_lock(&mem->lock);
	if (!mem->alias) {
		mem->alias = mem->instance->cl.clCreateBuffer(
			mem->context->cl,
			CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, mem->size,
			mem->address, &err);
		if (err)
			mem->alias = NULL;
	}
	*out = mem->alias;
	pthread_mutex_unlock(&mem->lock);
	if (err)
		return dprh_fail(
			mem->instance->host, DPR_RC_UNSUPPORTED, err,
			"the driver cannot make a cl_mem over this memory: "
			"clCreateBuffer: %s (%d)",
			ocl_error_name(err), (int)err);
	return DPR_RC_OK;
}
