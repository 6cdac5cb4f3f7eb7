/* SPDX-License-Identifier: Apache-2.0 */
/* ocl_facts.c - properties of devices and platforms that several files need. */
#include <string.h>

#include "ocl.h"

static void ocl_trim(char *text)
{
	size_t start = strspn(text, " \t\n"), length = strlen(text);

	while (length > start && strchr(" \t\n", text[length - 1]))
		length--;
	memmove(text, text + start, length - start);
	text[length - start] = 0;
}

char *ocl_facts_string(dprp_instance *instance, cl_device_id id,
		       cl_device_info key)
{
	size_t size = 0;
	char *text;

	if (instance->cl.clGetDeviceInfo(id, key, 0, NULL, &size) || !size)
		return NULL;
	text = dprh_alloc(instance->host, size + 1, 1);
	if (!text)
		atomic_store(&instance->starved, true);
	if (text && instance->cl.clGetDeviceInfo(id, key, size, text, NULL)) {
		dprh_free(instance->host, text);
		return NULL;
	}
	if (text)
		ocl_trim(text);
	return text;
}

char *ocl_facts_platform_string(dprp_instance *instance, cl_platform_id id,
				cl_platform_info key)
{
	size_t size = 0;
	char *text;

	if (instance->cl.clGetPlatformInfo(id, key, 0, NULL, &size) || !size)
		return NULL;
	text = dprh_alloc(instance->host, size + 1, 1);
	if (!text)
		atomic_store(&instance->starved, true);
	if (text && instance->cl.clGetPlatformInfo(id, key, size, text, NULL)) {
		dprh_free(instance->host, text);
		return NULL;
	}
	if (text)
		ocl_trim(text);
	return text;
}

bool ocl_facts_extension(const dprp_device *device, const char *name)
{
	const char *at = device->extensions;
	size_t length = strlen(name);

	while ((at = strstr(at, name))) {
		if (at[-1] == ' ' && at[length] == ' ')
			return true;
		at += length;
	}
	return false;
}

bool ocl_facts_kind(const dprp_device *device, uint32_t kind)
{
	switch (device->path) {
	case OCL_PATH_USM:
		return (kind == DPRP_MEM_DEVICE && device->usm_device) ||
		       (kind == DPRP_MEM_HOST && device->usm_host) ||
		       (kind == DPRP_MEM_SHARED && device->usm_shared);
	case OCL_PATH_SVM_FINE:
		return kind == DPRP_MEM_DEVICE || kind == DPRP_MEM_HOST ||
		       kind == DPRP_MEM_SHARED;
	default: return kind == DPRP_MEM_DEVICE;
	}
}

uint64_t ocl_facts_type(const dprp_device *device)
{
	cl_device_type type = 0;

	device->instance->cl.clGetDeviceInfo(device->id, CL_DEVICE_TYPE,
					     sizeof(type), &type, NULL);
	if (type & CL_DEVICE_TYPE_GPU)
		return DPR_DEVICE_GPU;
	if (type & CL_DEVICE_TYPE_ACCELERATOR)
		return DPR_DEVICE_ACCELERATOR;
	if (type & CL_DEVICE_TYPE_CPU)
		return DPR_DEVICE_CPU;
	return DPR_DEVICE_CUSTOM;
}

cl_uint ocl_facts_units(const dprp_device *device)
{
	cl_uint units = 0;

	device->instance->cl.clGetDeviceInfo(device->id,
					     CL_DEVICE_MAX_COMPUTE_UNITS,
					     sizeof(units), &units, NULL);
	return units;
}

/* DEVICE memory of a CPU is host memory, unless it is a CPU of another machine
   (PoCL's remote driver).  Such a CPU has no fine-grained SVM. */
bool ocl_facts_on_host(const dprp_device *device)
{
	return device->path == OCL_PATH_SVM_FINE ||
	       (device->path == OCL_PATH_USM &&
		device->svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER &&
		ocl_facts_type(device) == DPR_DEVICE_CPU);
}

bool ocl_facts_spirv(const dprp_device *device)
{
	char *il = NULL;
	bool takes;

	if (!ocl_device_has(device, 210) ||
	    !device->instance->cl.clCreateProgramWithIL)
		return false;
	il = ocl_facts_string(device->instance, device->id,
			      CL_DEVICE_IL_VERSION);
	takes = il && strstr(il, "SPIR-V");
	dprh_free(device->instance->host, il);
	return takes;
}
