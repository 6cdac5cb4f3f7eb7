/* SPDX-License-Identifier: Apache-2.0 */
/* Copies, fills and hints, for memory of each path. */
#include <string.h>

#include "ocl.h"

static dprp_rc ocl_copy_check(const dprp_mem *mem, uint64_t offset,
			      uint64_t size)
{
	if (offset <= mem->size && size <= mem->size - offset)
		return DPR_RC_OK;
	return dprh_fail(
		mem->instance->host, DPR_RC_INVALID, 0,
		"bytes %llu to %llu are outside of an allocation of %llu",
		(unsigned long long)offset, (unsigned long long)offset + size,
		(unsigned long long)mem->size);
}

/* Copy between addresses with the function of the queue's path. */
static dprp_rc ocl_copy_addresses(dprp_queue *queue, void *to, const void *from,
				  uint64_t size, const dprp_deps *deps,
				  dprp_event **event)
{
	bool usm = queue->device->path == OCL_PATH_USM;
	struct ocl_submit s;
	cl_int err;
	dprp_rc rc = ocl_submit_begin(&s, queue, deps, event);

	if (rc != DPR_RC_OK)
		return rc;
	if (usm)
		err = queue->device->platform->usm.copy(queue->cl, CL_FALSE, to,
							from, size, s.n, s.list,
							s.event);
	else
		err = queue->instance->cl.clEnqueueSVMMemcpy(
			queue->cl, CL_FALSE, to, from, size, s.n, s.list,
			s.event);
	return ocl_submit_end(
		&s, err, usm ? "clEnqueueMemcpyINTEL" : "clEnqueueSVMMemcpy");
}

dprp_rc ocl_copy_write(dprp_queue *queue, dprp_mem *to, uint64_t offset,
		       const void *from, uint64_t size, const dprp_deps *deps,
		       dprp_event **event)
{
	struct ocl_submit s;
	cl_int err;
	dprp_rc rc = ocl_copy_check(to, offset, size);

	if (rc != DPR_RC_OK)
		return rc;
	if (!size)
		return ocl_submit_nothing(queue, deps, event);
	if (to->path != OCL_PATH_BUFFER)
		return ocl_copy_addresses(queue, to->address + offset, from,
					  size, deps, event);
	rc = ocl_submit_begin(&s, queue, deps, event);
	if (rc != DPR_RC_OK)
		return rc;
	err = queue->instance->cl.clEnqueueWriteBuffer(
		queue->cl, to->cl, CL_FALSE, offset, size, from, s.n, s.list,
		s.event);
	return ocl_submit_end(&s, err, "clEnqueueWriteBuffer");
}

dprp_rc ocl_copy_read(dprp_queue *queue, dprp_mem *from, uint64_t offset,
		      void *to, uint64_t size, const dprp_deps *deps,
		      dprp_event **event)
{
	struct ocl_submit s;
	cl_int err;
	dprp_rc rc = ocl_copy_check(from, offset, size);

	if (rc != DPR_RC_OK)
		return rc;
	if (!size)
		return ocl_submit_nothing(queue, deps, event);
	if (from->path != OCL_PATH_BUFFER)
		return ocl_copy_addresses(queue, to, from->address + offset,
					  size, deps, event);
	rc = ocl_submit_begin(&s, queue, deps, event);
	if (rc != DPR_RC_OK)
		return rc;
	err = queue->instance->cl.clEnqueueReadBuffer(queue->cl, from->cl,
						      CL_FALSE, offset, size,
						      to, s.n, s.list, s.event);
	return ocl_submit_end(&s, err, "clEnqueueReadBuffer");
}

/* Whether a command of the queue may use the memory.  It may if the memory is
   of the queue's context, or has an address that the driver takes as host
   memory. */
static bool ocl_copy_reaches(const dprp_queue *queue, const dprp_mem *mem)
{
	return mem->context->cl == queue->context->cl || ocl_mem_on_host(mem);
}

static dprp_rc ocl_copy_no_path(const dprp_queue *queue)
{
	return dprh_fail(queue->instance->host, DPR_RC_NO_PATH, 0,
			 "OpenCL has no copy between these two allocations");
}

dprp_rc ocl_copy_copy(dprp_queue *queue, dprp_mem *to, uint64_t to_offset,
		      dprp_mem *from, uint64_t from_offset, uint64_t size,
		      const dprp_deps *deps, dprp_event **event)
{
	struct ocl_submit s;
	cl_int err;
	dprp_rc rc = ocl_copy_check(to, to_offset, size);

	if (rc == DPR_RC_OK)
		rc = ocl_copy_check(from, from_offset, size);
	if (rc != DPR_RC_OK)
		return rc;
	if (!ocl_copy_reaches(queue, to) || !ocl_copy_reaches(queue, from))
		return ocl_copy_no_path(queue);
	if (!size)
		return ocl_submit_nothing(queue, deps, event);
	if (to->address && from->address) {
		/* A queue of the path BUFFER has no command that takes two
		   addresses. */
		if (queue->device->path == OCL_PATH_BUFFER)
			return ocl_copy_no_path(queue);
		return ocl_copy_addresses(queue, to->address + to_offset,
					  from->address + from_offset, size,
					  deps, event);
	}
	if (to->address)
		return ocl_mem_on_host(to)
			       ? ocl_copy_read(queue, from, from_offset,
					       to->address + to_offset, size,
					       deps, event)
			       : ocl_copy_no_path(queue);
	if (from->address)
		return ocl_mem_on_host(from)
			       ? ocl_copy_write(queue, to, to_offset,
						from->address + from_offset,
						size, deps, event)
			       : ocl_copy_no_path(queue);
	rc = ocl_submit_begin(&s, queue, deps, event);
	if (rc != DPR_RC_OK)
		return rc;
	err = queue->instance->cl.clEnqueueCopyBuffer(
		queue->cl, from->cl, to->cl, from_offset, to_offset, size, s.n,
		s.list, s.event);
	return ocl_submit_end(&s, err, "clEnqueueCopyBuffer");
}

/* Whether OpenCL can fill so: it takes patterns of 1, 2, 4 ... 128 bytes, at
   multiples of the pattern's size. */
static bool ocl_fill_fits(const dprp_mem *to, uint64_t offset, uint64_t size,
			  size_t pattern_size)
{
	uint64_t start = offset;

	if (to->path != OCL_PATH_BUFFER)
		start = (uint64_t)(uintptr_t)to->address + offset;
	return pattern_size && pattern_size <= 128 &&
	       !(pattern_size & (pattern_size - 1)) &&
	       start % pattern_size == 0 && size % pattern_size == 0;
}

dprp_rc ocl_copy_fill(dprp_queue *queue, dprp_mem *to, uint64_t offset,
		      uint64_t size, const void *pattern, size_t pattern_size,
		      const dprp_deps *deps, dprp_event **event)
{
	const struct ocl_api *cl = &queue->instance->cl;
	struct ocl_submit s;
	const char *call;
	cl_int err;
	dprp_rc rc = ocl_copy_check(to, offset, size);

	if (rc != DPR_RC_OK)
		return rc;
	if (!ocl_fill_fits(to, offset, size, pattern_size))
		return dprh_fail(queue->instance->host, DPR_RC_NO_PATH, 0,
				 "OpenCL cannot fill with %zu bytes here",
				 pattern_size);
	if (!size)
		return ocl_submit_nothing(queue, deps, event);
	rc = ocl_submit_begin(&s, queue, deps, event);
	if (rc != DPR_RC_OK)
		return rc;
	if (to->path == OCL_PATH_BUFFER) {
		call = "clEnqueueFillBuffer";
		err = cl->clEnqueueFillBuffer(queue->cl, to->cl, pattern,
					      pattern_size, offset, size, s.n,
					      s.list, s.event);
	} else if (queue->device->path == OCL_PATH_USM) {
		call = "clEnqueueMemFillINTEL";
		err = queue->device->platform->usm.fill(
			queue->cl, to->address + offset, pattern, pattern_size,
			size, s.n, s.list, s.event);
	} else {
		call = "clEnqueueSVMMemFill";
		err = cl->clEnqueueSVMMemFill(queue->cl, to->address + offset,
					      pattern, pattern_size, size, s.n,
					      s.list, s.event);
	}
	return ocl_submit_end(&s, err, call);
}

dprp_rc ocl_copy_prefetch(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
			  uint64_t size, const dprp_deps *deps,
			  dprp_event **event)
{
	const struct ocl_api *cl = &queue->instance->cl;
	const struct ocl_usm *usm = &queue->device->platform->usm;
	const void *address = mem->address + offset;
	size_t bytes = size;
	struct ocl_submit s;
	const char *call = NULL;
	cl_int err;
	dprp_rc rc = ocl_copy_check(mem, offset, size);

	if (rc != DPR_RC_OK)
		return rc;
	if (!size)
		return ocl_submit_nothing(queue, deps, event);
	if (mem->path == OCL_PATH_BUFFER)
		call = "clEnqueueMigrateMemObjects";
	else if (mem->path == OCL_PATH_USM && usm->migrate)
		call = "clEnqueueMigrateMemINTEL";
	else if (mem->path != OCL_PATH_USM &&
		 ocl_device_has(queue->device, 210) &&
		 cl->clEnqueueSVMMigrateMem)
		call = "clEnqueueSVMMigrateMem";
	/* The driver has no call for this hint: only keep the order. */
	if (!call)
		return ocl_submit_nothing(queue, deps, event);

	rc = ocl_submit_begin(&s, queue, deps, event);
	if (rc != DPR_RC_OK)
		return rc;
	if (mem->path == OCL_PATH_BUFFER)
		err = cl->clEnqueueMigrateMemObjects(queue->cl, 1, &mem->cl, 0,
						     s.n, s.list, s.event);
	else if (mem->path == OCL_PATH_USM)
		err = usm->migrate(queue->cl, address, bytes, 0, s.n, s.list,
				   s.event);
	else
		err = cl->clEnqueueSVMMigrateMem(queue->cl, 1, &address, &bytes,
						 0, s.n, s.list, s.event);
	rc = ocl_submit_end(&s, err, call);
	/* Some drivers export the call but refuse it: do without the hint. */
	if (err == CL_INVALID_OPERATION)
		return ocl_submit_nothing(queue, deps, event);
	return rc;
}

/* OpenCL has no advice: hints are accepted and ignored. */
dprp_rc ocl_copy_advise(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
			uint64_t size, uint32_t advice)
{
	enum { LAST_ADVICE = 3 };

	if (advice > LAST_ADVICE)
		return dprh_fail(queue->instance->host, DPR_RC_UNSUPPORTED, 0,
				 "advice %u is unknown", advice);
	return ocl_copy_check(mem, offset, size);
}
