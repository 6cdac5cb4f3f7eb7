/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels: finding them, and their properties. */
#include <stdlib.h>
#include <string.h>

#include "ocl.h"

dprp_rc ocl_kernel_new(dprp_context *context, size_t length, dprp_kernel **out)
{
	dprp_instance *instance = context->instance;
	dprp_kernel *kernel = dprh_alloc(instance->host, 1, sizeof(*kernel));

	if (!kernel)
		return dprh_no_memory(instance->host, "a kernel");
	kernel->name = dprh_alloc(instance->host, length + 1, 1);
	if (!kernel->name || pthread_mutex_init(&kernel->lock, NULL)) {
		dprh_free(instance->host, kernel->name);
		dprh_free(instance->host, kernel);
		return dprh_no_memory(instance->host, "a kernel");
	}
	kernel->instance = instance;
	kernel->context = context;
	*out = kernel;
	return DPR_RC_OK;
}

static dprp_rc ocl_kernel_read(dprp_kernel *kernel, cl_kernel cl, size_t size)
{
	dprp_instance *instance = kernel->instance;
	dprp_rc rc = OCL_TRY(instance, clGetKernelInfo, cl, CL_KERNEL_NUM_ARGS,
			     sizeof(kernel->n_args), &kernel->n_args, NULL);

	if (rc == DPR_RC_OK)
		rc = OCL_TRY(instance, clGetKernelInfo, cl, CL_KERNEL_PROGRAM,
			     sizeof(kernel->program), &kernel->program, NULL);
	if (rc == DPR_RC_OK)
		rc = OCL_TRY(instance, clGetKernelInfo, cl,
			     CL_KERNEL_FUNCTION_NAME, size, kernel->name, NULL);
	return rc;
}

dprp_rc ocl_kernel_over(dprp_context *context, cl_kernel cl, dprp_kernel **out)
{
	dprp_instance *instance = context->instance;
	dprp_kernel *kernel = NULL;
	size_t size = 0;
	dprp_rc rc = OCL_TRY(instance, clGetKernelInfo, cl,
			     CL_KERNEL_FUNCTION_NAME, 0, NULL, &size);

	if (rc == DPR_RC_OK)
		rc = ocl_kernel_new(context, size, &kernel);
	if (rc == DPR_RC_OK)
		rc = ocl_kernel_read(kernel, cl, size);
	if (rc != DPR_RC_OK) {
		/* On failure the caller keeps its reference to cl. */
		ocl_kernel_destroy(kernel);
		return rc;
	}
	kernel->cl = cl;
	*out = kernel;
	return DPR_RC_OK;
}

/* Fail because the program has no kernel of this name. */
static dprp_rc ocl_kernel_missing(dprp_module *module, const char *name)
{
	const struct ocl_api *cl = &module->instance->cl;
	const dprp_host *host = module->instance->host;
	char *given = NULL, *names = NULL, *at, *next;
	size_t size = 0;

	if (cl->clGetProgramInfo(module->cl, CL_PROGRAM_KERNEL_NAMES, 0, NULL,
				 &size) == CL_SUCCESS)
		given = dprh_alloc(host, size + 1, 1);
	if (given && cl->clGetProgramInfo(module->cl, CL_PROGRAM_KERNEL_NAMES,
					  size, given, NULL) == CL_SUCCESS)
		for (at = strtok_r(given, ";", &next); at;
		     at = strtok_r(NULL, ";", &next))
			dprh_add_name(host, &names, at);
	dprh_free(host, given);
	return dprh_no_kernel(host, CL_INVALID_KERNEL_NAME, name, names);
}

dprp_rc ocl_kernel_create(dprp_module *module, const char *name,
			  dprp_kernel **out)
{
	dprp_instance *instance = module->instance;
	cl_int err = CL_SUCCESS;
	cl_kernel cl;
	dprp_rc rc;

	*out = NULL;
	cl = instance->cl.clCreateKernel(module->cl, name, &err);
	if (err == CL_INVALID_KERNEL_NAME)
		return ocl_kernel_missing(module, name);
	if (!cl || err)
		return dprh_fail(instance->host, ocl_error_rc(err), err,
				 "clCreateKernel(%s): %s (%d)", name,
				 ocl_error_name(err), (int)err);
	rc = ocl_kernel_over(module->context, cl, out);
	if (rc != DPR_RC_OK)
		instance->cl.clReleaseKernel(cl);
	return rc;
}

void ocl_kernel_copy_free(dprp_kernel *kernel, struct ocl_kernel_copy *copy)
{
	cl_uint i;

	for (i = 0; i < kernel->n_args; i++)
		dprh_free(kernel->instance->host, copy->args[i].bytes);
	kernel->instance->cl.clReleaseKernel(copy->cl);
	dprh_free(kernel->instance->host, copy);
}

void ocl_kernel_destroy(dprp_kernel *kernel)
{
	struct ocl_kernel_copy *copy;

	if (!kernel)
		return;
	copy = atomic_load_explicit(&kernel->spare, memory_order_acquire);
	if (copy)
		ocl_kernel_copy_free(kernel, copy);
	while ((copy = kernel->idle)) {
		kernel->idle = copy->next;
		ocl_kernel_copy_free(kernel, copy);
	}
	if (kernel->cl)
		kernel->instance->cl.clReleaseKernel(kernel->cl);
	pthread_mutex_destroy(&kernel->lock);
	dprh_free(kernel->instance->host, kernel->name);
	dprh_free(kernel->instance->host, kernel);
}

dprp_rc ocl_kernel_takes(const dprp_kernel *kernel, cl_uint index,
			 const dprp_arg *arg)
{
	const dprp_mem *mem = arg->u.m.mem;

	if (!mem ||
	    (mem->context == kernel->context && arg->u.m.offset <= mem->size))
		return DPR_RC_OK;
	return dprh_fail(kernel->instance->host, DPR_RC_INVALID, 0,
			 "argument %u of kernel %s: %s", index, kernel->name,
			 mem->context == kernel->context
				 ? "the offset is outside of the memory"
				 : "the memory belongs to another context");
}

/* The size of a value of the OpenCL C type @name; 0 if the type is not built
   in, because the name of a struct or typedef does not tell its size. */
static uint64_t ocl_type_size(const char *name)
{
	static const struct {
		const char *name;
		uint64_t size;
	} types[] = {
		{ "char", 1 },          { "uchar", 1 },
		{ "unsigned char", 1 }, { "short", 2 },
		{ "ushort", 2 },        { "unsigned short", 2 },
		{ "half", 2 },          { "int", 4 },
		{ "uint", 4 },          { "unsigned int", 4 },
		{ "float", 4 },         { "long", 8 },
		{ "ulong", 8 },         { "unsigned long", 8 },
		{ "double", 8 },
	};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		size_t length = strlen(types[i].name);
		const char *rest = name + length;
		char *end;
		unsigned long lanes;

		if (strncmp(name, types[i].name, length) != 0)
			continue;
		if (!*rest)
			return types[i].size;
		lanes = strtoul(rest, &end, 10);
		/* A vector of three has the size of one of four. */
		if (*rest >= '1' && *rest <= '9' && !*end && lanes >= 2 &&
		    lanes <= 16)
			return types[i].size * (lanes == 3 ? 4 : lanes);
	}
	return 0;
}

static char *ocl_arg_type(dprp_kernel *kernel, cl_uint index)
{
	const struct ocl_api *cl = &kernel->instance->cl;
	const dprp_host *host = kernel->instance->host;
	size_t size = 0;
	char *name;

	if (cl->clGetKernelArgInfo(kernel->cl, index, CL_KERNEL_ARG_TYPE_NAME,
				   0, NULL, &size))
		return NULL;
	name = dprh_alloc(host, size + 1, 1);
	if (name &&
	    cl->clGetKernelArgInfo(kernel->cl, index, CL_KERNEL_ARG_TYPE_NAME,
				   size, name, NULL)) {
		dprh_free(host, name);
		return NULL;
	}
	return name;
}

/* Read one parameter.  What the driver does not report stays UNKNOWN. */
static void ocl_kernel_param(dprp_kernel *kernel, cl_uint index,
			     dprp_param *param)
{
	const dprp_host *host = kernel->instance->host;
	cl_kernel_arg_address_qualifier space = 0;
	char *type;

	memset(param, 0, sizeof(*param));
	if (kernel->instance->cl.clGetKernelArgInfo(
		    kernel->cl, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
		    sizeof(space), &space, NULL))
		return;
	type = ocl_arg_type(kernel, index);
	switch (space) {
	case CL_KERNEL_ARG_ADDRESS_GLOBAL:
	case CL_KERNEL_ARG_ADDRESS_CONSTANT:
		/* Drivers report images and pipes as global, too. */
		if (type &&
		    (strncmp(type, "image", 5) == 0 || strstr(type, "pipe")) &&
		    !strchr(type, '*'))
			break;
		param->kind = DPRP_ARG_MEM;
		break;
	case CL_KERNEL_ARG_ADDRESS_LOCAL: param->kind = DPRP_ARG_LOCAL; break;
	case CL_KERNEL_ARG_ADDRESS_PRIVATE:
		if (type && strcmp(type, "sampler_t") == 0)
			break;
		param->kind = DPRP_ARG_VALUE;
		param->size = type ? ocl_type_size(type) : 0;
		break;
	default: break;
	}
	dprh_free(host, type);
}

static dprp_rc ocl_kernel_params(dprp_kernel *kernel, void *buffer,
				 size_t capacity, size_t *need)
{
	const dprp_host *host = kernel->instance->host;
	dprp_param *params;
	cl_uint i;
	dprp_rc rc;

	if (!buffer) {
		*need = kernel->n_args * sizeof(*params);
		return DPR_RC_OK;
	}
	params = dprh_alloc(host, kernel->n_args, sizeof(*params));
	if (!params)
		return dprh_no_memory(host, "a kernel's parameters");
	for (i = 0; i < kernel->n_args; i++)
		ocl_kernel_param(kernel, i, &params[i]);
	rc = dprh_answer(host, params, kernel->n_args * sizeof(*params), buffer,
			 capacity, need);
	dprh_free(host, params);
	return rc;
}

/* Get the size of the largest sub-group of the largest work-group, or the most
   sub-groups of a work-group. */
static dprp_rc ocl_kernel_sub_groups(dprp_kernel *kernel, dprp_device *device,
				     uint32_t key, uint64_t *value)
{
	dprp_instance *instance = kernel->instance;
	size_t local = device->max_work_group, answer = 0;
	bool size = key == DPRP_KERNEL_MAX_SUB_GROUP;
	cl_int err;

	if (!ocl_device_has(device, 210) ||
	    !instance->cl.clGetKernelSubGroupInfo)
		return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0,
				 "information on sub-groups needs OpenCL 2.1");
	err = instance->cl.clGetKernelSubGroupInfo(
		kernel->cl, device->id,
		size ? CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE
		     : CL_KERNEL_MAX_NUM_SUB_GROUPS,
		size ? sizeof(local) : 0, size ? &local : NULL, sizeof(answer),
		&answer, NULL);
	if (err || !answer)
		return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, err,
				 "the driver does not report sub-groups");
	*value = answer;
	return DPR_RC_OK;
}

static dprp_rc ocl_kernel_group_info(dprp_kernel *kernel, dprp_device *device,
				     cl_kernel_work_group_info key, size_t size,
				     void *value)
{
	return OCL_TRY(kernel->instance, clGetKernelWorkGroupInfo, kernel->cl,
		       ocl_context_device(kernel->context, device), key, size,
		       value, NULL);
}

dprp_rc ocl_kernel_info(dprp_kernel *kernel, dprp_device *device, uint32_t key,
			void *buffer, size_t capacity, size_t *need)
{
	const dprp_host *host = kernel->instance->host;
	size_t value = 0, sizes[3] = { 0, 0, 0 };
	uint64_t three[3], one = 0;
	cl_ulong bytes = 0;
	dprp_rc rc;

	*need = 0;
	switch (key) {
	case DPRP_KERNEL_PARAMS:
		return ocl_kernel_params(kernel, buffer, capacity, need);
	case DPRP_KERNEL_MAX_WORK_GROUP:
	case DPRP_KERNEL_PREFERRED_MULTIPLE:
		rc = ocl_kernel_group_info(
			kernel, device,
			key == DPRP_KERNEL_MAX_WORK_GROUP
				? CL_KERNEL_WORK_GROUP_SIZE
				: CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
			sizeof(value), &value);
		one = value;
		break;
	case DPRP_KERNEL_PRIVATE_SIZE:
	case DPRP_KERNEL_LOCAL_SIZE:
		rc = ocl_kernel_group_info(kernel, device,
					   key == DPRP_KERNEL_PRIVATE_SIZE
						   ? CL_KERNEL_PRIVATE_MEM_SIZE
						   : CL_KERNEL_LOCAL_MEM_SIZE,
					   sizeof(bytes), &bytes);
		one = bytes;
		break;
	case DPRP_KERNEL_REQUIRED_LOCAL:
		rc = ocl_kernel_group_info(kernel, device,
					   CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
					   sizeof(sizes), sizes);
		three[0] = sizes[0];
		three[1] = sizes[1];
		three[2] = sizes[2];
		return rc ? rc
			  : dprh_answer(host, three, sizeof(three), buffer,
					capacity, need);
	case DPRP_KERNEL_MAX_SUB_GROUP:
	case DPRP_KERNEL_MAX_SUB_GROUPS:
		rc = ocl_kernel_sub_groups(kernel, device, key, &one);
		break;
	case DPRP_KERNEL_COMPILES_LATE:
		one = device->platform->compiles_late;
		rc = DPR_RC_OK;
		break;
	default:
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
				 "kernel information key %u is unknown", key);
	}
	return rc ? rc
		  : dprh_answer(host, &one, sizeof(one), buffer, capacity,
				need);
}
