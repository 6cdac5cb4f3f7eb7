/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ocl_alias.c - whether a cl_mem can stand for memory that has an address.
 *
 * OpenCL says that a buffer over shared virtual memory is that memory.  It says
 * nothing of unified shared memory, and a driver may make a copy.  So both
 * directions are tried once for a device.
 */
#include "backends/opencl/calls/ocl_clblast.h"

#include <string.h>

enum { OCL_ALIAS_BYTES = 4096 };

/* Write by the address, and read by the buffer. */
static dprp_rc ocl_alias_to_buffer(dprp_queue *queue, dprp_mem *mem, cl_mem cl,
				   bool *same)
{
	static const unsigned char byte = 0xa5;
	unsigned char got[OCL_ALIAS_BYTES];
	dprp_rc rc = ocl_copy_fill(queue, mem, 0, sizeof(got), &byte,
				   sizeof(byte), NULL, NULL);

	if (!rc)
		rc = ocl_queue_finish(queue);
	if (!rc)
		rc = OCL_TRY(queue->instance, clEnqueueReadBuffer, queue->cl,
			     cl, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL);
	for (size_t i = 0; !rc && i < sizeof(got); i++)
		*same = *same && got[i] == byte;
	return rc;
}

/* Write by the buffer, and read by the address. */
static dprp_rc ocl_alias_to_address(dprp_queue *queue, dprp_mem *mem, cl_mem cl,
				    bool *same)
{
	static const unsigned char byte = 0x5a;
	unsigned char got[OCL_ALIAS_BYTES];
	dprp_rc rc =
		OCL_TRY(queue->instance, clEnqueueFillBuffer, queue->cl, cl,
			&byte, sizeof(byte), 0, sizeof(got), 0, NULL, NULL);

	if (!rc)
		rc = ocl_queue_finish(queue);
	if (!rc)
		rc = ocl_copy_read(queue, mem, 0, got, sizeof(got), NULL, NULL);
	if (!rc)
		rc = ocl_queue_finish(queue);
	for (size_t i = 0; !rc && i < sizeof(got); i++)
		*same = *same && got[i] == byte;
	return rc;
}

static dprp_rc ocl_alias_run(dprp_queue *queue, dprp_mem *mem, bool *same)
{
	cl_mem cl;
	dprp_rc rc = ocl_mem_native(mem, &cl);

	*same = !rc;
	if (!rc)
		rc = ocl_alias_to_buffer(queue, mem, cl, same);
	if (!rc)
		rc = ocl_alias_to_address(queue, mem, cl, same);
	return rc;
}

static dprp_rc ocl_alias_try(dprp_context *context, dprp_device *device,
			     bool *same)
{
	const dprp_queue_desc plain = { .struct_size = sizeof(plain) };
	const dprp_mem_desc desc = { .struct_size = sizeof(desc),
				     .kind = DPRP_MEM_DEVICE,
				     .size = OCL_ALIAS_BYTES };
	dprp_queue *queue = NULL;
	dprp_mem *mem = NULL;
	uint64_t got;
	dprp_rc rc = ocl_queue_create(context, device, &plain, &got, &queue);

	*same = false;
	if (!rc)
		rc = ocl_mem_alloc(context, device, &desc, &mem);
	if (!rc)
		rc = ocl_alias_run(queue, mem, same);
	ocl_mem_free(mem);
	ocl_queue_destroy(queue);
	return rc;
}

dprp_rc ocl_alias_works(dprp_context *context, dprp_device *device, bool *works)
{
	dprp_instance *instance = context->instance;
	dprp_device *root = device->root;
	bool same = false;
	dprp_rc rc = DPR_RC_OK;

	*works = device->path == OCL_PATH_BUFFER;
	if (*works)
		return DPR_RC_OK;
	pthread_mutex_lock(&instance->clblast_lock);
	if (!root->alias) {
		rc = ocl_alias_try(context, device, &same);
		if (!rc || rc == DPR_RC_UNSUPPORTED)
			root->alias =
				same && !rc ? OCL_ALIAS_SAME : OCL_ALIAS_OTHER;
	}
	*works = root->alias == OCL_ALIAS_SAME;
	pthread_mutex_unlock(&instance->clblast_lock);
	return rc == DPR_RC_UNSUPPORTED ? DPR_RC_OK : rc;
}
