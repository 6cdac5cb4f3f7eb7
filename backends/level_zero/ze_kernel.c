/* SPDX-License-Identifier: Apache-2.0 */
/* ze_kernel.c - kernels: their properties, and a ze_kernel for each launch. */
#include "ze_programs.h"

#define INDIRECT_ACCESS                          \
	(ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST |   \
	 ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE | \
	 ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED)

/* --- The ze_kernels of a kernel ------------------------------------------- */

/* The bytes needed to remember an argument; 0 if its size is not known. */
static uint32_t room_of(const dprp_kernel *kernel, uint32_t index)
{
	const dprp_param *param =
		kernel->params_known ? &kernel->params[index] : NULL;

	/* Rounded up to a multiple of 8. */
	return param && param->kind == DPRP_ARG_VALUE
		       ? (uint32_t)(param->size + 7) & ~7u
		       : 0;
}

static void free_ze_kernel(dprp_kernel *kernel, struct ze_kernel *taken)
{
	if (!taken)
		return;
	if (taken->ze)
		kernel->instance->ze.zeKernelDestroy(taken->ze);
	dprh_free(kernel->instance->host, taken);
}

/* Fail because the module has no kernel of this name. */
static dprp_rc fail_missing(const dprp_kernel *kernel, ze_result_t result)
{
	const dprp_host *host = kernel->instance->host;
	const dprp_module *module = kernel->module;
	char *names = NULL;
	uint32_t i;

	for (i = 0; module->known && i < module->spirv.n_kernels; i++)
		dprh_add_name(host, &names, module->spirv.kernels[i].name);
	return dprh_no_kernel(host, (int64_t)result, kernel->name, names);
}

/* Make a ze_kernel.  INVALID: the module has no kernel of this name. */
static dprp_rc make_ze_kernel(dprp_kernel *kernel, ze_kernel_handle_t *out)
{
	const ze_kernel_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
					.pKernelName = kernel->name };
	dprp_device *device = kernel->module->device;
	ze_kernel_handle_t ze = NULL;
	ze_result_t result = kernel->instance->ze.zeKernelCreate(
		kernel->module->ze, &desc, &ze);
	dprp_rc rc;

	if (result == ZE_RESULT_ERROR_INVALID_KERNEL_NAME)
		return fail_missing(kernel, result);
	rc = ze_error_check_device(device, result, "zeKernelCreate");
	if (rc)
		return rc;
	/* Kernels may use addresses that are in memory or in structs. */
	rc = ZE_TRY_ON(device, zeKernelSetIndirectAccess, ze, INDIRECT_ACCESS);
	if (rc) {
		kernel->instance->ze.zeKernelDestroy(ze);
		return rc;
	}
	*out = ze;
	return DPR_RC_OK;
}

/* Make a struct ze_kernel around @ze, which it takes over, with room to
   remember each argument. */
static struct ze_kernel *wrap_ze_kernel(dprp_kernel *kernel,
					ze_kernel_handle_t ze)
{
	const size_t n = kernel->n_params;
	struct ze_kernel *made;
	unsigned char *bytes;
	size_t room = 0;
	uint32_t i;

	for (i = 0; i < n; i++)
		room += room_of(kernel, i);
	made = dprh_alloc(kernel->instance->host, 1,
			  sizeof(*made) + n * sizeof(made->args[0]) + room);
	if (!made)
		return NULL;
	bytes = (unsigned char *)&made->args[n];
	for (i = 0; i < n; i++) {
		made->args[i].room = room_of(kernel, i);
		made->args[i].bytes = bytes;
		bytes += made->args[i].room;
	}
	made->ze = ze;
	return made;
}

static dprp_rc new_ze_kernel(dprp_kernel *kernel, struct ze_kernel **out)
{
	ze_kernel_handle_t ze;
	dprp_rc rc = make_ze_kernel(kernel, &ze);

	if (rc)
		return rc;
	*out = wrap_ze_kernel(kernel, ze);
	if (*out)
		return DPR_RC_OK;
	kernel->instance->ze.zeKernelDestroy(ze);
	return dprh_no_memory(kernel->instance->host, "a launch");
}

dprp_rc ze_kernel_take(dprp_kernel *kernel, struct ze_kernel **out)
{
	*out = atomic_exchange_explicit(&kernel->spare, NULL,
					memory_order_acquire);
	if (*out)
		return DPR_RC_OK;
	pthread_mutex_lock(&kernel->lock);
	*out = kernel->idle;
	if (*out)
		kernel->idle = (*out)->next;
	pthread_mutex_unlock(&kernel->lock);
	return *out ? DPR_RC_OK : new_ze_kernel(kernel, out);
}

void ze_kernel_give(dprp_kernel *kernel, struct ze_kernel *taken)
{
	taken = atomic_exchange_explicit(&kernel->spare, taken,
					 memory_order_acq_rel);
	if (!taken)
		return;
	pthread_mutex_lock(&kernel->lock);
	taken->next = kernel->idle;
	kernel->idle = taken;
	pthread_mutex_unlock(&kernel->lock);
}

dprp_rc ze_kernel_native(dprp_kernel *kernel, uintptr_t *out)
{
	struct ze_kernel *made = NULL;
	dprp_rc rc = DPR_RC_OK;

	pthread_mutex_lock(&kernel->lock);
	made = kernel->native;
	pthread_mutex_unlock(&kernel->lock);
	if (!made)
		rc = ze_kernel_take(kernel, &made);
	if (rc)
		return rc;
	pthread_mutex_lock(&kernel->lock);
	if (!kernel->native)
		kernel->native = made;
	*out = (uintptr_t)kernel->native->ze;
	if (kernel->native == made)
		made = NULL;
	pthread_mutex_unlock(&kernel->lock);
	/* Another thread has made one first. */
	if (made)
		ze_kernel_give(kernel, made);
	return DPR_RC_OK;
}

/* --- Making --------------------------------------------------------------- */

/* Take the parameters from the table, if it agrees with the driver. */
static dprp_rc read_params(dprp_kernel *kernel)
{
	const dprp_host *host = kernel->instance->host;
	const uint64_t max = kernel->module->device->module.maxArgumentsSize;
	const struct ze_spirv_kernel *found =
		kernel->module->known
			? ze_spirv_find(&kernel->module->spirv, kernel->name)
			: NULL;
	uint64_t size = 0;
	uint32_t i;

	kernel->n_params = kernel->properties.numKernelArgs;
	if (!found || found->n_params != kernel->n_params)
		return DPR_RC_OK;
	kernel->params = found->params;
	kernel->params_known = true;
	memcpy(kernel->required, found->required, sizeof(kernel->required));
	for (i = 0; i < kernel->n_params; i++)
		size += found->params[i].kind == DPRP_ARG_VALUE
				? found->params[i].size
				: sizeof(void *);
	if (!max || size <= max)
		return DPR_RC_OK;
	return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			 "the parameters of kernel %s have %llu "
			 "bytes, but the device allows only %llu",
			 kernel->name, (unsigned long long)size,
			 (unsigned long long)max);
}

static void choose_sizes(dprp_kernel *kernel)
{
	const ze_device_compute_properties_t *limits =
		&kernel->module->device->compute;
	const uint32_t most[3] = { limits->maxGroupSizeX, limits->maxGroupSizeY,
				   limits->maxGroupSizeZ };

	dprh_choose_local(kernel->choice, kernel->required, most,
			  kernel->max_group);
}

static dprp_rc read_kernel(dprp_kernel *kernel, ze_kernel_handle_t ze)
{
	struct ze_newer_kernel_group group = {
		.stype = ZE_NEWER_KERNEL_GROUP_STYPE,
	};
	dprp_device *device = kernel->module->device;
	ze_kernel_properties_t *facts = &kernel->properties;
	dprp_rc rc;

	facts->stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
	facts->pNext = device->driver->kernel_group ? &group : NULL;
	rc = ZE_TRY_ON(device, zeKernelGetProperties, ze, facts);
	facts->pNext = NULL;
	if (!rc)
		rc = read_params(kernel);
	if (rc)
		return rc;
	if (facts->requiredGroupSizeX && facts->requiredGroupSizeY &&
	    facts->requiredGroupSizeZ) {
		kernel->required[0] = facts->requiredGroupSizeX;
		kernel->required[1] = facts->requiredGroupSizeY;
		kernel->required[2] = facts->requiredGroupSizeZ;
	}
	kernel->max_group =
		group.size ? group.size : device->compute.maxTotalGroupSize;
	choose_sizes(kernel);
	return DPR_RC_OK;
}

static dprp_rc open_kernel(dprp_kernel *kernel)
{
	struct ze_kernel *first;
	ze_kernel_handle_t ze;
	dprp_rc rc = make_ze_kernel(kernel, &ze);

	if (rc)
		return rc;
	rc = read_kernel(kernel, ze);
	first = rc ? NULL : wrap_ze_kernel(kernel, ze);
	if (!first)
		kernel->instance->ze.zeKernelDestroy(ze);
	if (!rc && !first)
		return dprh_no_memory(kernel->instance->host, "a kernel");
	atomic_store(&kernel->spare, first);
	return rc;
}

dprp_rc ze_kernel_create(dprp_module *module, const char *name,
			 dprp_kernel **out)
{
	const dprp_host *host = module->instance->host;
	dprp_kernel *kernel;
	dprp_rc rc;

	*out = NULL;
	kernel = dprh_alloc(host, 1, sizeof(*kernel));
	if (!kernel)
		return dprh_no_memory(host, "a kernel");
	kernel->instance = module->instance;
	kernel->module = module;
	pthread_mutex_init(&kernel->lock, NULL);
	kernel->name = dprh_alloc(host, strlen(name) + 1, 1);
	if (kernel->name) {
		strcpy(kernel->name, name);
		rc = open_kernel(kernel);
	} else {
		rc = dprh_no_memory(host, "a kernel's name");
	}
	if (rc) {
		ze_kernel_destroy(kernel);
		return rc;
	}
	*out = kernel;
	return DPR_RC_OK;
}

void ze_kernel_destroy(dprp_kernel *kernel)
{
	const dprp_host *host = kernel->instance->host;
	struct ze_kernel *taken;

	free_ze_kernel(kernel, atomic_load(&kernel->spare));
	free_ze_kernel(kernel, kernel->native);
	while ((taken = kernel->idle)) {
		kernel->idle = taken->next;
		free_ze_kernel(kernel, taken);
	}
	pthread_mutex_destroy(&kernel->lock);
	dprh_free(host, kernel->name);
	dprh_free(host, kernel);
}

/* --- Information ---------------------------------------------------------- */

static dprp_rc give_params(const dprp_kernel *kernel, void *buffer,
			   size_t capacity, size_t *need)
{
	const dprp_host *host = kernel->instance->host;

	if (kernel->params_known)
		return dprh_answer(host, kernel->params,
				   kernel->n_params * sizeof(*kernel->params),
				   buffer, capacity, need);
	return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			 "the parameters of kernel %s are unknown: "
			 "the driver does not report them",
			 kernel->name);
}

dprp_rc ze_kernel_info(dprp_kernel *kernel, dprp_device *device, uint32_t key,
		       void *buffer, size_t capacity, size_t *need)
{
	const ze_kernel_properties_t *facts = &kernel->properties;
	const dprp_host *host = kernel->instance->host;
	uint64_t one = 0;

	(void)device;
	*need = 0;
	switch (key) {
	case DPRP_KERNEL_PARAMS:
		return give_params(kernel, buffer, capacity, need);
	case DPRP_KERNEL_REQUIRED_LOCAL:
		return dprh_answer(host, kernel->required,
				   sizeof(kernel->required), buffer, capacity,
				   need);
	case DPRP_KERNEL_MAX_WORK_GROUP: one = kernel->max_group; break;
	case DPRP_KERNEL_PREFERRED_MULTIPLE:
	case DPRP_KERNEL_MAX_SUB_GROUP: one = facts->maxSubgroupSize; break;
	case DPRP_KERNEL_PRIVATE_SIZE: one = facts->privateMemSize; break;
	case DPRP_KERNEL_LOCAL_SIZE: one = facts->localMemSize; break;
	case DPRP_KERNEL_MAX_SUB_GROUPS: one = facts->maxNumSubgroups; break;
	case DPRP_KERNEL_COMPILES_LATE: break;
	default:
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
				 "kernel information key %u is unknown",
				 (unsigned)key);
	}
	return dprh_answer(host, &one, sizeof(one), buffer, capacity, need);
}
