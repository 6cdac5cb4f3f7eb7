/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_module.c - modules: tables of functions for this CPU that were compiled
 * elsewhere, and routines of libraries.
 */
#include "host.h"

#include <string.h>

dprp_rc host_module_pick(dprp_device *device, const dprp_image *const *images,
			 uint32_t n, uint32_t *best)
{
	const dprp_host *host = &device->instance->host;
	dprp_rc rc = dprh_native_pick(host, images, n, best);

	if (!rc)
		return rc;
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(images[i]->format, DPRP_CALLS_FORMAT)) {
			*best = i;
			return DPR_RC_OK;
		}
	return dprh_fail(
		host, rc, 0,
		"host: module: this backend has no compiler and takes " DPRP_NATIVE_FORMAT
		"; give your kernels as a native image, too (dpr/native.h), or "
		"use an OpenCL driver of the CPU, such as PoCL, for OpenCL C");
}

/* Whether the image is a routine of a library. */
static bool is_call(const dprp_module_desc *desc)
{
	return desc->n_images &&
	       !strcmp(desc->images[0]->format, DPRP_CALLS_FORMAT);
}

/* Find the routine, and tell the log from where it comes. */
static dprp_rc find_call(dprp_device *device, const dprp_module_desc *theirs,
			 const dprp_native_module **native,
			 struct library_call *call)
{
	dprp_instance *instance = device->instance;
	dprp_module_desc desc;
	const char *text;
	dprp_rc rc = dprh_take(&instance->host, "dprp_module_desc", &desc,
			       sizeof(desc), theirs);

	if (!rc)
		rc = dprh_check_ext(&instance->host, "module", desc.ext);
	if (!rc && (desc.n_spec || desc.flags))
		rc = dprh_fail(&instance->host, DPR_RC_UNSUPPORTED, 0,
			       "host: a routine of a library has no "
			       "specialization constants and build flags");
	if (!rc)
		rc = library_calls_find(&instance->libraries, desc.images[0],
					device->units, call);
	if (rc)
		return rc;
	*native = call->routine->module;
	text = call->library->text;
	if (desc.log.write)
		desc.log.write(desc.log.user, text, strlen(text));
	return DPR_RC_OK;
}

dprp_rc host_module_create(dprp_context *context, dprp_device *device,
			   const dprp_module_desc *theirs, dprp_module **out)
{
	dprp_instance *instance = context->instance;
	struct library_call call = { .routine = NULL };
	const dprp_native_module *native;
	dprp_rc rc;

	*out = NULL;
	rc = is_call(theirs)
		     ? find_call(device, theirs, &native, &call)
		     : dprh_native_module(&instance->host, theirs, &native);
	if (rc)
		return rc;
	*out = host_util_alloc(instance, sizeof(**out));
	if (!*out)
		return DPR_RC_OOM_HOST;
	(*out)->instance = instance;
	(*out)->native = native;
	(*out)->call = call;
	return DPR_RC_OK;
}

void host_module_destroy(dprp_module *module)
{
	dprh_free(&module->instance->host, module);
}

dprp_rc host_module_kernel(dprp_module *module, const char *name,
			   dprp_kernel **out)
{
	const dprp_native_kernel *native;
	dprp_rc rc;

	*out = NULL;
	rc = dprh_native_kernel(&module->instance->host, module->native, name,
				&native);
	if (rc)
		return rc;
	*out = host_util_alloc(module->instance, sizeof(**out));
	if (!*out)
		return DPR_RC_OOM_HOST;
	(*out)->instance = module->instance;
	(*out)->native = native;
	(*out)->call = module->call;
	return DPR_RC_OK;
}

void host_module_kernel_destroy(dprp_kernel *kernel)
{
	dprh_free(&kernel->instance->host, kernel);
}

dprp_rc host_module_kernel_info(dprp_kernel *kernel, dprp_device *device,
				uint32_t key, void *buffer, size_t capacity,
				size_t *need)
{
	(void)device;
	/* The destructors of OpenBLAS may hang while one of its routines runs.
	 */
	if (key == DPRP_KERNEL_COMPILES_LATE && kernel->call.routine)
		return dprh_answer_number(&kernel->instance->host, 2, buffer,
					  capacity, need);
	return dprh_native_info(&kernel->instance->host, kernel->native,
				HOST_MAX_WORK_GROUP, key, buffer, capacity,
				need);
}
