/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: setting arguments that have changed, sizes of work-groups, the
   enqueue. */
#include <string.h>

#include <dpr/backend-help.h>

#include "ocl.h"

static dprp_rc ocl_kernel_another(dprp_kernel *kernel, cl_kernel *out)
{
	dprp_instance *instance = kernel->instance;
	cl_int err = CL_SUCCESS;

	*out = instance->cl.clCreateKernel(kernel->program, kernel->name, &err);
	if (*out && !err)
		return DPR_RC_OK;
	return ocl_error_check(instance->host, err ? err : CL_OUT_OF_RESOURCES,
			       "clCreateKernel");
}

/* Take a cl_kernel that no other thread uses: an idle or a new cl_kernel. */
static dprp_rc ocl_launch_take(dprp_kernel *kernel,
			       struct ocl_kernel_copy **out)
{
	dprp_instance *instance = kernel->instance;
	struct ocl_kernel_copy *copy;
	dprp_rc rc;

	copy = atomic_exchange_explicit(&kernel->spare, NULL,
					memory_order_acquire);
	if (!copy) {
		pthread_mutex_lock(&kernel->lock);
		copy = kernel->idle;
		if (copy)
			kernel->idle = copy->next;
		pthread_mutex_unlock(&kernel->lock);
	}
	if (!copy) {
		copy = dprh_alloc(
			instance->host, 1,
			sizeof(*copy) + kernel->n_args * sizeof(copy->args[0]));
		if (!copy)
			return dprh_no_memory(instance->host, "a launch");
		rc = ocl_kernel_another(kernel, &copy->cl);
		if (rc != DPR_RC_OK) {
			dprh_free(instance->host, copy);
			return rc;
		}
	}
	*out = copy;
	return DPR_RC_OK;
}

static void ocl_args_release(dprp_kernel *kernel, struct ocl_kernel_copy *copy)
{
	cl_uint i;

	for (i = 0; i < kernel->n_args; i++) {
		if (copy->args[i].held)
			kernel->instance->cl.clReleaseMemObject(
				copy->args[i].held);
		copy->args[i].held = NULL;
	}
}

static void ocl_launch_give(dprp_kernel *kernel, struct ocl_kernel_copy *copy)
{
	/* The enqueued command keeps references of its own in the driver. */
	ocl_args_release(kernel, copy);
	copy = atomic_exchange_explicit(&kernel->spare, copy,
					memory_order_acq_rel);
	if (!copy)
		return;
	pthread_mutex_lock(&kernel->lock);
	copy->next = kernel->idle;
	kernel->idle = copy;
	pthread_mutex_unlock(&kernel->lock);
}

static dprp_rc ocl_arg_failed(dprp_kernel *kernel, cl_uint index, cl_int err,
			      const char *call)
{
	return dprh_fail(kernel->instance->host, ocl_error_rc(err), err,
			 "argument %u of kernel %s: %s: %s (%d)", index,
			 kernel->name, call, ocl_error_name(err), (int)err);
}

/* Set a value, unless the argument has the same bytes already. */
static dprp_rc ocl_arg_value(dprp_kernel *kernel, struct ocl_kernel_copy *copy,
			     cl_uint index, const dprp_arg *arg)
{
	const dprp_host *host = kernel->instance->host;
	struct ocl_arg *old = &copy->args[index];
	cl_int err;

	if (old->kind == DPRP_ARG_VALUE && old->size == arg->size &&
	    memcmp(old->bytes, arg->u.value, arg->size) == 0)
		return DPR_RC_OK;
	old->kind = 0;
	err = kernel->instance->cl.clSetKernelArg(copy->cl, index, arg->size,
						  arg->u.value);
	if (err)
		return ocl_arg_failed(kernel, index, err, "clSetKernelArg");
	if (old->room < arg->size) {
		dprh_free(host, old->bytes);
		old->room = 0;
		old->bytes = dprh_alloc(host, arg->size, 1);
		/* Without memory the value is not remembered, so the next
		   launch sets it again. */
		if (!old->bytes)
			return DPR_RC_OK;
		old->room = arg->size;
	}
	memcpy(old->bytes, arg->u.value, arg->size);
	old->size = arg->size;
	old->kind = DPRP_ARG_VALUE;
	return DPR_RC_OK;
}

static cl_int ocl_arg_address(dprp_kernel *kernel, cl_kernel cl, cl_uint index,
			      const void *address, const char **call)
{
	const dprp_device *root = kernel->context->root;

	if (root->path == OCL_PATH_USM) {
		*call = "clSetKernelArgMemPointerINTEL";
		return root->platform->usm.set_arg(cl, index, address);
	}
	*call = "clSetKernelArgSVMPointer";
	return kernel->instance->cl.clSetKernelArgSVMPointer(cl, index,
							     address);
}

/* Result of ocl_arg_mem(): a new cl_kernel is needed, because the argument was
   an address and is a buffer now.  NVIDIA's driver would refuse all launches
   until the argument is an address again. */
#define OCL_RENEW 1

/* Set memory, unless the argument has the same serial number and offset
   already.  Unlike addresses and handles, serial numbers are never used
   again. */
static dprp_rc ocl_arg_mem(dprp_kernel *kernel, struct ocl_kernel_copy *copy,
			   cl_uint index, const dprp_arg *arg)
{
	dprp_mem *mem = arg->u.m.mem;
	struct ocl_arg *old = &copy->args[index];
	uint64_t serial = mem ? mem->serial : 0, offset = arg->u.m.offset;
	const bool address = mem && mem->path != OCL_PATH_BUFFER;
	const char *call = "clSetKernelArg";
	cl_int err;
	dprp_rc rc = ocl_kernel_takes(kernel, index, arg);

	if (rc != DPR_RC_OK)
		return rc;
	if (old->by_address && !address)
		return OCL_RENEW;
	if (mem && !address) {
		rc = ocl_mem_at(mem, offset, &old->held, &serial);
		if (rc != DPR_RC_OK)
			return rc;
	}
	if (old->kind == DPRP_ARG_MEM && old->serial == serial &&
	    old->offset == offset)
		return DPR_RC_OK;
	old->kind = 0;
	old->by_address = address;
	if (!address)
		err = kernel->instance->cl.clSetKernelArg(
			copy->cl, index, sizeof(cl_mem),
			mem ? &old->held : NULL);
	else
		err = ocl_arg_address(kernel, copy->cl, index,
				      mem->address + offset, &call);
	if (err)
		return ocl_arg_failed(kernel, index, err, call);
	old->kind = DPRP_ARG_MEM;
	old->serial = serial;
	old->offset = offset;
	return DPR_RC_OK;
}

static dprp_rc ocl_arg_local(dprp_kernel *kernel, struct ocl_kernel_copy *copy,
			     cl_uint index, const dprp_arg *arg)
{
	struct ocl_arg *old = &copy->args[index];
	cl_int err;

	if (old->kind == DPRP_ARG_LOCAL && old->size == arg->size)
		return DPR_RC_OK;
	old->kind = 0;
	err = kernel->instance->cl.clSetKernelArg(copy->cl, index, arg->size,
						  NULL);
	if (err)
		return ocl_arg_failed(kernel, index, err, "clSetKernelArg");
	old->kind = DPRP_ARG_LOCAL;
	old->size = arg->size;
	return DPR_RC_OK;
}

static dprp_rc ocl_args_set(dprp_kernel *kernel, struct ocl_kernel_copy *copy,
			    const dprp_launch *launch)
{
	dprp_rc rc = DPR_RC_OK;
	cl_uint i;

	for (i = 0; i < kernel->n_args && rc == DPR_RC_OK; i++) {
		const dprp_arg *arg = &launch->args[i];

		switch (arg->kind) {
		case DPRP_ARG_VALUE:
			rc = ocl_arg_value(kernel, copy, i, arg);
			break;
		case DPRP_ARG_MEM:
			rc = ocl_arg_mem(kernel, copy, i, arg);
			break;
		case DPRP_ARG_LOCAL:
			rc = ocl_arg_local(kernel, copy, i, arg);
			break;
		default:
			rc = dprh_fail(kernel->instance->host,
				       DPR_RC_UNSUPPORTED, 0,
				       "argument %u of kernel %s is of kind %u",
				       i, kernel->name, arg->kind);
		}
	}
	return rc;
}

/* Replace the cl_kernel by a new one, in which no argument is set. */
static dprp_rc ocl_args_renew(dprp_kernel *kernel, struct ocl_kernel_copy *copy)
{
	cl_kernel fresh;
	cl_uint i;
	dprp_rc rc = ocl_kernel_another(kernel, &fresh);

	if (rc != DPR_RC_OK)
		return rc;
	ocl_args_release(kernel, copy);
	kernel->instance->cl.clReleaseKernel(copy->cl);
	copy->cl = fresh;
	for (i = 0; i < kernel->n_args; i++) {
		copy->args[i].kind = 0;
		copy->args[i].by_address = false;
	}
	return DPR_RC_OK;
}

static dprp_rc ocl_launch_args(dprp_kernel *kernel,
			       struct ocl_kernel_copy *copy,
			       const dprp_launch *launch)
{
	dprp_rc rc = ocl_args_set(kernel, copy, launch);

	if (rc != OCL_RENEW)
		return rc;
	rc = ocl_args_renew(kernel, copy);
	return rc ? rc : ocl_args_set(kernel, copy, launch);
}

/* Read the kernel's limits on the device, unless they are known already. */
static dprp_rc ocl_launch_limits(dprp_kernel *kernel,
				 struct ocl_kernel_copy *copy,
				 dprp_device *device)
{
	cl_device_id id = ocl_context_device(kernel->context, device);
	dprp_rc rc;

	if (copy->device == device)
		return DPR_RC_OK;
	rc = OCL_TRY(kernel->instance, clGetKernelWorkGroupInfo, copy->cl, id,
		     CL_KERNEL_WORK_GROUP_SIZE, sizeof(copy->max_work_group),
		     &copy->max_work_group, NULL);
	if (rc == DPR_RC_OK)
		rc = OCL_TRY(kernel->instance, clGetKernelWorkGroupInfo,
			     copy->cl, id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
			     sizeof(copy->required), copy->required, NULL);
	if (rc == DPR_RC_OK)
		copy->device = device;
	return rc;
}

/* Choose a local size: the one that the kernel requires, or else 256 work-items
   within the kernel's limit, in a square if there are two dimensions. */
static void ocl_launch_choose(const struct ocl_kernel_copy *copy,
			      const dprp_device *device, cl_uint dims,
			      size_t *local)
{
	size_t limit = copy->max_work_group ? copy->max_work_group : 1;
	cl_uint i;

	if (copy->required[0]) {
		memcpy(local, copy->required, sizeof(copy->required));
		return;
	}
	local[0] = dims == 1 ? 256 : 16;
	local[1] = dims == 1 ? 1 : 16;
	local[2] = 1;
	for (i = 0; i < 2; i++)
		while (local[i] > 1 && local[i] > device->max_items[i])
			local[i] /= 2;
	while (local[0] * local[1] > limit)
		for (i = 2; i-- > 0 && local[0] * local[1] > limit;)
			if (local[i] > 1)
				local[i] /= 2;
}

/* Get the sizes for the driver.  If no local size is given, one is chosen and
   the global size is rounded up to a multiple of it. */
static dprp_rc ocl_launch_shape(dprp_kernel *kernel,
				struct ocl_kernel_copy *copy,
				dprp_device *device, const dprp_launch *launch,
				size_t *global, size_t *local)
{
	const dprp_host *host = kernel->instance->host;
	cl_uint i;
	dprp_rc rc;

	if (!launch->local[0]) {
		rc = ocl_launch_limits(kernel, copy, device);
		if (rc != DPR_RC_OK)
			return rc;
		ocl_launch_choose(copy, device, launch->dims, local);
	}
	for (i = 0; i < launch->dims; i++) {
		global[i] = launch->global[i];
		if (launch->local[0]) {
			local[i] = launch->local[i];
		} else if (global[i] % local[i] &&
			   __builtin_add_overflow(
				   global[i], local[i] - global[i] % local[i],
				   &global[i])) {
			return dprh_fail(
				host, DPR_RC_INVALID, 0,
				"kernel %s: a range of %llu work-items cannot be "
				"rounded up",
				kernel->name,
				(unsigned long long)launch->global[i]);
		}
	}
	return DPR_RC_OK;
}

static dprp_rc ocl_launch_copy(dprp_queue *queue, dprp_kernel *kernel,
			       struct ocl_kernel_copy *copy,
			       const dprp_launch *launch, const dprp_deps *deps,
			       dprp_event **event)
{
	size_t global[3], local[3];
	struct ocl_submit s;
	cl_int err;
	dprp_rc rc;

	rc = ocl_launch_shape(kernel, copy, queue->device, launch, global,
			      local);
	if (rc == DPR_RC_OK)
		rc = ocl_launch_args(kernel, copy, launch);
	if (rc == DPR_RC_OK)
		rc = ocl_submit_begin(&s, queue, deps, event);
	if (rc != DPR_RC_OK)
		return rc;
	if (queue->device->platform->takes_turns)
		err = ocl_turns_launch(&s, kernel, copy->cl, launch->dims,
				       global, local);
	else
		err = queue->instance->cl.clEnqueueNDRangeKernel(
			queue->cl, copy->cl, launch->dims, NULL, global, local,
			s.n, s.list, s.event);
	return ocl_submit_end(&s, err, "clEnqueueNDRangeKernel");
}

dprp_rc ocl_launch(dprp_queue *queue, dprp_kernel *kernel,
		   const dprp_launch *theirs, const dprp_deps *deps,
		   dprp_event **event)
{
	struct ocl_kernel_copy *copy = NULL;
	dprp_launch launch;
	dprp_rc rc = dprh_take_launch(queue->instance->host, kernel->name,
				      kernel->n_args, theirs, &launch, event);

	if (rc)
		return rc;
	if (dprh_launch_is_empty(&launch))
		return ocl_submit_nothing(queue, deps, event);
	rc = ocl_launch_take(kernel, &copy);
	if (rc != DPR_RC_OK)
		return rc;
	rc = ocl_launch_copy(queue, kernel, copy, &launch, deps, event);
	ocl_launch_give(kernel, copy);
	return rc;
}
