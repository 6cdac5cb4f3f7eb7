/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_module.c - modules: tables of functions for this CPU that were compiled
 * elsewhere.
 */
#include "host.h"

#include <string.h>

dprp_rc host_module_pick(dprp_device *device, const dprp_image *const *images,
			 uint32_t n, uint32_t *best)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(images[i]->format, DPRP_NATIVE_FORMAT)) {
			*best = i;
			return DPR_RC_OK;
		}
	return plugin_util_fail(
		&device->instance->host, DPR_RC_UNSUPPORTED, 0,
		"host: module: this backend has no compiler and takes " DPRP_NATIVE_FORMAT
		" only; use an OpenCL device of the CPU for "
		"kernels of your own");
}

/* Check the build flags.  Native code leaves nothing to a compiler, so only the
   size of addresses matters. */
static dprp_rc host_module_check_flags(dprp_instance *instance, uint64_t flags)
{
	uint64_t known = DPRP_BUILD_ROUNDED;

	if (sizeof(void *) > 4)
		known |= DPRP_BUILD_LARGE;
	if (!(flags & ~known))
		return DPR_RC_OK;
	return plugin_util_fail(&instance->host, DPR_RC_UNSUPPORTED, 0,
				"host: module: flags 0x%llx are not supported",
				(unsigned long long)(flags & ~known));
}

dprp_rc host_module_create(dprp_context *context, dprp_device *device,
			   const dprp_module_desc *theirs, dprp_module **out)
{
	dprp_instance *instance = context->instance;
	const dprp_native_module *native;
	dprp_module_desc desc;
	uint32_t best;
	dprp_rc rc;

	*out = NULL;
	rc = plugin_struct_take(&instance->host, "dprp_module_desc", &desc,
				sizeof(desc), theirs);
	if (rc)
		return rc;
	if (!desc.n_images || desc.ext)
		return plugin_util_fail(
			&instance->host, DPR_RC_UNSUPPORTED, 0,
			"host: module: there is no image, or there is an "
			"extension");
	if (desc.n_spec)
		return plugin_util_fail(
			&instance->host, DPR_RC_UNSUPPORTED, 0,
			"host: module: native code has no specialization "
			"constants; give no values");
	rc = host_module_check_flags(instance, desc.flags);
	if (!rc)
		rc = host_module_pick(device, desc.images, 1, &best);
	if (rc)
		return rc;
	native = desc.images[0]->data;
	if (desc.images[0]->size < sizeof(*native) ||
	    native->struct_size < sizeof(*native))
		return plugin_util_fail(
			&instance->host, DPR_RC_INVALID, 0,
			"host: module: the image is shorter than its header");
	*out = host_util_alloc(instance, sizeof(**out));
	if (!*out)
		return DPR_RC_OOM_HOST;
	(*out)->instance = instance;
	(*out)->native = native;
	return DPR_RC_OK;
}

void host_module_destroy(dprp_module *module)
{
	plugin_util_free(&module->instance->host, module);
}

dprp_rc host_module_kernel(dprp_module *module, const char *name,
			   dprp_kernel **out)
{
	const dprp_native_module *native = module->native;
	uint32_t i;

	*out = NULL;
	for (i = 0; i < native->n_kernels; i++) {
		if (strcmp(native->kernels[i].name, name))
			continue;
		*out = host_util_alloc(module->instance, sizeof(**out));
		if (!*out)
			return DPR_RC_OOM_HOST;
		(*out)->instance = module->instance;
		(*out)->native = &native->kernels[i];
		return DPR_RC_OK;
	}
	return plugin_util_fail(
		&module->instance->host, DPR_RC_INVALID, 0,
		"host: kernel: the module has no kernel named %.80s", name);
}

void host_module_kernel_destroy(dprp_kernel *kernel)
{
	plugin_util_free(&kernel->instance->host, kernel);
}

dprp_rc host_module_kernel_info(dprp_kernel *kernel, dprp_device *device,
				uint32_t key, void *buffer, size_t capacity,
				size_t *need)
{
	static const uint64_t most = HOST_MAX_WORK_GROUP, none[3];
	const dprp_native_kernel *native = kernel->native;

	(void)device;
	switch (key) {
	case DPRP_KERNEL_PARAMS:
		return plugin_struct_answer(
			&kernel->instance->host, native->params,
			native->n_params * sizeof(*native->params), buffer,
			capacity, need);
	case DPRP_KERNEL_MAX_WORK_GROUP:
		return plugin_struct_answer(&kernel->instance->host, &most,
					    sizeof(most), buffer, capacity,
					    need);
	case DPRP_KERNEL_LOCAL_SIZE:
		/* Native kernels have no local memory except their arguments.
		 */
		return plugin_struct_answer(&kernel->instance->host, none,
					    sizeof(none[0]), buffer, capacity,
					    need);
	case DPRP_KERNEL_REQUIRED_LOCAL:
		return plugin_struct_answer(&kernel->instance->host, none,
					    sizeof(none), buffer, capacity,
					    need);
	default:
		return plugin_util_fail(
			&kernel->instance->host, DPR_RC_UNSUPPORTED, 0,
			"host: kernel info: key %u is not available", key);
	}
}
