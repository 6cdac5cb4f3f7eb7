/* SPDX-License-Identifier: Apache-2.0 */
/* Finding platforms and devices, dividing devices, clocks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ocl.h"

/* The version in a text such as "OpenCL 3.0 ...", which gives 300; 0 if the
   text has another form. */
static unsigned ocl_version(const char *text)
{
	unsigned major, minor;

	if (!text || sscanf(text, "OpenCL %u.%u", &major, &minor) != 2 ||
	    major > 99 || minor > 9)
		return 0;
	return major * 100 + minor * 10;
}

/* Read an integer of clGetDeviceInfo() into @value.  If the driver does not
   answer, @value stays as it is. */
static void ocl_ask(dprp_device *device, cl_device_info key, size_t size,
		    void *value)
{
	device->instance->cl.clGetDeviceInfo(device->id, key, size, value,
					     NULL);
}

/* Read the largest local sizes of the first two dimensions. */
static void ocl_ask_sizes(dprp_device *device)
{
	uint64_t sizes[3] = { 0 };
	size_t i, need = 0;

	/* OpenCL has at least three dimensions: a shorter list is wrong, a
	   longer one needs more room. */
	if (ocl_info_get(device, DPR_INFO_MAX_WORK_ITEM_SIZES, sizes,
			 sizeof(sizes), &need))
		memset(sizes, 0, sizeof(sizes));
	for (i = 0; i < 2; i++)
		device->max_items[i] = sizes[i] ? sizes[i] : SIZE_MAX;
}

/* Choose the memory path of the device: the path that an option forces, or else
   the best path of the device. */
static enum ocl_path ocl_choose_path(dprp_device *device)
{
	bool has[OCL_PATH_BUFFER + 1] = { false };
	enum ocl_path path;

	if (device->platform->has_usm &&
	    ocl_facts_extension(device, "cl_intel_unified_shared_memory")) {
		ocl_ask(device, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
			sizeof(cl_bitfield), &device->usm_device);
		ocl_ask(device, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL,
			sizeof(cl_bitfield), &device->usm_host);
		ocl_ask(device,
			CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
			sizeof(cl_bitfield), &device->usm_shared);
		ocl_ask(device, CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL,
			sizeof(cl_bitfield), &device->usm_system);
		has[OCL_PATH_USM] = device->usm_device != 0;
	}
	if (ocl_device_has(device, 200)) {
		ocl_ask(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(device->svm),
			&device->svm);
		has[OCL_PATH_SVM_FINE] =
			device->svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
		has[OCL_PATH_SVM_COARSE] =
			device->svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
	}
	has[OCL_PATH_BUFFER] = true;
	if (device->instance->forced)
		return has[device->instance->forced] ? device->instance->forced
						     : OCL_PATH_NONE;
	for (path = OCL_PATH_USM; !has[path]; path++)
		;
	return path;
}

static void ocl_device_free(dprp_device *device)
{
	if (!device)
		return;
	dprh_team_destroy(device->team);
	dprh_team_destroy(device->deep_team);
	pthread_mutex_destroy(&device->lock);
	dprh_free(device->instance->host, device->extensions);
	dprh_free(device->instance->host, device);
}

/* The reasons why devices and platforms are not used.  Each reason is logged at
   once; if no device is left, the error has all of them. */
struct ocl_reasons {
	dprp_instance *instance;
	char *text;
};

static void ocl_reason(struct ocl_reasons *reasons, const char *whose,
		       const char *why)
{
	const dprp_host *host = reasons->instance->host;
	size_t old = reasons->text ? strlen(reasons->text) : 0;
	size_t room = old + strlen(whose) + strlen(why) + 5;
	char *text = dprh_alloc(host, room, 1);

	dprh_log(host, OCL_LOG_WARN, "%s is left out: %s", whose, why);
	if (!text)
		return;
	snprintf(text, room, "%s%s%s: %s", old ? reasons->text : "",
		 old ? "; " : "", whose, why);
	dprh_free(host, reasons->text);
	reasons->text = text;
}

/* Read the properties that the plugin itself needs.  Returns NULL, or why the
   device cannot be used. */
static const char *ocl_device_read(dprp_device *device)
{
	dprp_instance *instance = device->instance;
	char *text = ocl_facts_string(instance, device->id, CL_DEVICE_VERSION);
	cl_uint align_bits = 0;
	char *names;
	size_t length;

	device->version = ocl_version(text);
	dprh_free(instance->host, text);
	if (!device->version)
		return "it does not report its version";
	if (device->version > device->platform->version)
		device->version = device->platform->version;
	if (!ocl_device_has(device, 120))
		return "it is older than OpenCL 1.2";

	names = ocl_facts_string(instance, device->id, CL_DEVICE_EXTENSIONS);
	length = names ? strlen(names) : 0;
	device->extensions = dprh_alloc(instance->host, length + 3, 1);
	if (!device->extensions)
		atomic_store(&instance->starved, true);
	if (device->extensions)
		snprintf(device->extensions, length + 3, " %s ",
			 names ? names : "");
	dprh_free(instance->host, names);
	if (!device->extensions)
		return "no host memory";

	ocl_ask(device, CL_DEVICE_QUEUE_PROPERTIES, sizeof(device->queue_flags),
		&device->queue_flags);
	ocl_ask(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(device->max_alloc),
		&device->max_alloc);
	ocl_ask(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(align_bits),
		&align_bits);
	ocl_ask(device, CL_DEVICE_MAX_WORK_GROUP_SIZE,
		sizeof(device->max_work_group), &device->max_work_group);
	ocl_ask(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(device->local_bytes),
		&device->local_bytes);
	ocl_ask_sizes(device);
	device->base_align = align_bits >= 8 ? align_bits / 8 : 1;
	if (!device->max_work_group)
		return "it does not report its largest work-group";
	device->path = ocl_choose_path(device);
	if (!device->path)
		return "it lacks the memory path that DPR_OPTION_OPENCL_MEMORY "
		       "asks for";
	return NULL;
}

static dprp_device *ocl_device_new(dprp_instance *instance,
				   struct ocl_platform *platform,
				   cl_device_id id)
{
	dprp_device *device = dprh_alloc(instance->host, 1, sizeof(*device));

	if (!device)
		return NULL;
	if (pthread_mutex_init(&device->lock, NULL)) {
		dprh_free(instance->host, device);
		return NULL;
	}
	device->instance = instance;
	device->platform = platform;
	device->root = device;
	device->id = id;
	return device;
}

/* Make room for another root device. */
static bool ocl_devices_grow(dprp_instance *instance)
{
	uint32_t room = instance->room ? instance->room * 2 : 8;
	dprp_device **devices;

	if (instance->n_devices < instance->room)
		return true;
	devices = dprh_alloc(instance->host, room, sizeof(*devices));
	if (!devices)
		return false;
	if (instance->n_devices)
		memcpy(devices, instance->devices,
		       instance->n_devices * sizeof(*devices));
	dprh_free(instance->host, instance->devices);
	instance->devices = devices;
	instance->room = room;
	return true;
}

static dprp_rc ocl_device_add(struct ocl_reasons *reasons,
			      struct ocl_platform *platform, cl_device_id id)
{
	dprp_instance *instance = reasons->instance;
	dprp_device *device = ocl_device_new(instance, platform, id);
	char *name;
	const char *why;

	if (!device || !ocl_devices_grow(instance)) {
		ocl_device_free(device);
		return dprh_no_memory(instance->host, "a device");
	}
	why = ocl_device_read(device);
	if (why) {
		name = ocl_facts_string(instance, id, CL_DEVICE_NAME);
		ocl_reason(reasons, name ? name : "a device without a name",
			   why);
		dprh_free(instance->host, name);
		ocl_device_free(device);
		return DPR_RC_OK;
	}
	instance->devices[instance->n_devices++] = device;
	return DPR_RC_OK;
}

/* Look up the entries of the extension.  The platform is asked for them,
   because the loader does not have them. */
static void ocl_platform_usm(dprp_instance *instance,
			     struct ocl_platform *platform)
{
	struct ocl_usm *usm = &platform->usm;
	bool all = true;

#define FIND(slot, name, needed)                                               \
	do {                                                                   \
		void *entry =                                                  \
			instance->cl.clGetExtensionFunctionAddressForPlatform( \
				platform->id, name);                           \
		memcpy(&usm->slot, &entry, sizeof(entry));                     \
		all = all && (entry || !(needed));                             \
	} while (0)
	FIND(host_alloc, "clHostMemAllocINTEL", true);
	FIND(device_alloc, "clDeviceMemAllocINTEL", true);
	FIND(shared_alloc, "clSharedMemAllocINTEL", true);
	FIND(free, "clMemFreeINTEL", true);
	FIND(set_arg, "clSetKernelArgMemPointerINTEL", true);
	FIND(copy, "clEnqueueMemcpyINTEL", true);
	FIND(fill, "clEnqueueMemFillINTEL", true);
	FIND(migrate, "clEnqueueMigrateMemINTEL", false);
#undef FIND
	platform->has_usm = all;
}

/* Which binaries the core should keep.  PoCL has a cache of its own.  If asked
   for a binary, it compiles all kernels of the program, and the run becomes the
   slowest of all. */
static uint64_t ocl_binaries(const dprp_instance *instance, const char *name)
{
	if (instance->binaries)
		return *instance->binaries;
	return strcmp(name, "Oclgrind") == 0 ||
			       strcmp(name, "Portable Computing Language") == 0
		       ? DPR_BINARIES_NEVER
		       : DPR_BINARIES_FIRST;
}

/* Whether a platform of this name and version needs ocl_turns.c. */
static bool ocl_platform_takes_turns(const char *name, const char *version)
{
	const char *at = strstr(version, "PoCL ");
	long major;

	if (strcmp(name, "Portable Computing Language") != 0)
		return false;
	if (!at)
		at = strstr(version, "pocl ");
	major = at ? strtol(at + strlen("PoCL "), NULL, 10) : 0;
	return major == 4 || major == 5;
}

/* Add the devices of one platform.  A platform that fails is left out, and the
   search goes on. */
static dprp_rc ocl_platform_read(struct ocl_reasons *reasons,
				 struct ocl_platform *platform)
{
	dprp_instance *instance = reasons->instance;
	const char *name;
	char why[96];
	cl_device_id *ids = NULL;
	cl_uint i, n = 0;
	cl_int err;
	dprp_rc rc = DPR_RC_OK;

	platform->name = ocl_facts_platform_string(instance, platform->id,
						   CL_PLATFORM_NAME);
	platform->version_text = ocl_facts_platform_string(
		instance, platform->id, CL_PLATFORM_VERSION);
	platform->version = ocl_version(platform->version_text);
	name = platform->name ? platform->name : "a platform without a name";
	/* Oclgrind 21.10 ends the process when it makes a kernel with an
	   intrinsic that inlining leaves behind
	   (llvm.experimental.noalias.scope.decl). */
	platform->unoptimised = strcmp(name, "Oclgrind") == 0;
	platform->binaries = ocl_binaries(instance, name);
	platform->marks_all = strcmp(name, "Portable Computing Language") == 0;
	platform->compiles_late = platform->marks_all;
	platform->one_kind_of_thread = platform->marks_all;
	platform->takes_turns =
		platform->version_text &&
		ocl_platform_takes_turns(name, platform->version_text);
	if (platform->version < 120) {
		ocl_reason(reasons, name,
			   platform->version
				   ? "it is older than OpenCL 1.2"
				   : "it does not report its version");
		return DPR_RC_OK;
	}
	err = instance->cl.clGetDeviceIDs(platform->id, CL_DEVICE_TYPE_ALL, 0,
					  NULL, &n);
	if (!err && n) {
		ids = dprh_alloc(instance->host, n, sizeof(cl_device_id));
		if (!ids)
			return dprh_no_memory(instance->host,
					      "a list of devices");
		err = instance->cl.clGetDeviceIDs(
			platform->id, CL_DEVICE_TYPE_ALL, n, ids, NULL);
	}
	if (err == CL_DEVICE_NOT_FOUND || (!err && !n)) {
		ocl_reason(reasons, name, "it has no device");
	} else if (err) {
		snprintf(why, sizeof(why), "clGetDeviceIDs: %s (%d)",
			 ocl_error_name(err), (int)err);
		ocl_reason(reasons, name, why);
	} else {
		ocl_platform_usm(instance, platform);
		for (i = 0; i < n && rc == DPR_RC_OK; i++)
			rc = ocl_device_add(reasons, platform, ids[i]);
	}
	dprh_free(instance->host, ids);
	return rc;
}

/* List all platforms of the loader in instance->platforms. */
static dprp_rc ocl_platforms_find(dprp_instance *instance)
{
	const dprp_host *host = instance->host;
	cl_platform_id *ids;
	cl_uint i, n = 0;
	cl_int err = instance->cl.clGetPlatformIDs(0, NULL, &n);

	if (err == -1001 || (!err && !n))
		return dprh_fail(
			host, DPR_RC_NO_DRIVER, err,
			"no OpenCL driver is registered with the ICD loader: "
			"install the device's driver (for CPUs "
			"pocl-opencl-icd)");
	if (err)
		return ocl_error_check(host, err, "clGetPlatformIDs");
	ids = dprh_alloc(host, n, sizeof(cl_platform_id));
	instance->platforms = dprh_alloc(host, n, sizeof(struct ocl_platform));
	if (!ids || !instance->platforms) {
		dprh_free(host, ids);
		return dprh_no_memory(host, "the list of platforms");
	}
	err = instance->cl.clGetPlatformIDs(n, ids, NULL);
	for (i = 0; !err && i < n; i++)
		instance->platforms[i].id = ids[i];
	instance->n_platforms = err ? 0 : n;
	dprh_free(host, ids);
	return ocl_error_check(host, err, "clGetPlatformIDs");
}

dprp_rc ocl_device_find_all(dprp_instance *instance)
{
	struct ocl_reasons reasons = { .instance = instance };
	dprp_rc rc = ocl_platforms_find(instance);
	size_t i;

	for (i = 0; rc == DPR_RC_OK && i < instance->n_platforms; i++)
		rc = ocl_platform_read(&reasons, &instance->platforms[i]);
	/* Devices were left out for lack of memory.  A later call may find
	   them. */
	if (rc == DPR_RC_OK && atomic_load(&instance->starved))
		rc = dprh_no_memory(instance->host, "what the devices say");
	if (rc == DPR_RC_OK && !instance->n_devices)
		rc = dprh_fail(instance->host, DPR_RC_NO_DEVICE, 0,
			       "no OpenCL device: %s",
			       reasons.text ? reasons.text : "none was named");
	dprh_free(instance->host, reasons.text);
	return rc;
}

void ocl_device_free_all(dprp_instance *instance)
{
	const dprp_host *host = instance->host;
	dprp_device *device;
	size_t i;

	while ((device = instance->subs)) {
		instance->subs = device->next;
		instance->cl.clReleaseDevice(device->id);
		ocl_device_free(device);
	}
	for (i = 0; i < instance->n_devices; i++)
		ocl_device_free(instance->devices[i]);
	dprh_free(host, instance->devices);
	for (i = 0; i < instance->n_platforms; i++) {
		dprh_free(host, instance->platforms[i].name);
		dprh_free(host, instance->platforms[i].version_text);
	}
	dprh_free(host, instance->platforms);
}

dprp_rc ocl_device_count(dprp_instance *instance, uint32_t *n)
{
	*n = instance->n_devices;
	return DPR_RC_OK;
}

dprp_rc ocl_device_get(dprp_instance *instance, uint32_t index,
		       dprp_device **out)
{
	*out = NULL;
	if (index >= instance->n_devices)
		return dprh_fail(
			instance->host, DPR_RC_INVALID, 0,
			"device %u does not exist; there are %u devices", index,
			instance->n_devices);
	*out = instance->devices[index];
	return DPR_RC_OK;
}

/* OpenCL's number for an enum dpr_domain; 0: unknown. */
static cl_device_partition_property ocl_domain(uint32_t domain)
{
	switch (domain) {
	case DPR_DOMAIN_NUMA: return CL_DEVICE_AFFINITY_DOMAIN_NUMA;
	case DPR_DOMAIN_L4: return CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE;
	case DPR_DOMAIN_L3: return CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE;
	case DPR_DOMAIN_L2: return CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE;
	case DPR_DOMAIN_L1: return CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE;
	case DPR_DOMAIN_NEXT:
		return CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
	default: return 0;
	}
}

/* Make the property list of clCreateSubDevices() for @how.  The caller frees it
   with dprh_free(). */
static dprp_rc ocl_partition_list(const dprp_host *host,
				  const dprp_partition *how,
				  cl_device_partition_property **out)
{
	size_t at = 0, i,
	       n = how->how == DPR_PARTITION_DOMAIN ? 1 : how->n_counts;
	cl_device_partition_property *list;

	*out = NULL;
	for (i = 0; how->how != DPR_PARTITION_DOMAIN && i < n; i++)
		if (!how->counts[i] || how->counts[i] > INT32_MAX)
			return dprh_fail(
				host, DPR_RC_INVALID, 0,
				"sub-devices of %llu compute units cannot be made",
				(unsigned long long)how->counts[i]);
	if (!n || (how->how == DPR_PARTITION_EQUALLY && n != 1))
		return dprh_fail(host, DPR_RC_INVALID, 0,
				 "a partition needs a count of compute units");
	list = dprh_alloc(host, n + 3, sizeof(*list));
	if (!list)
		return dprh_no_memory(host, "a partition");
	switch (how->how) {
	case DPR_PARTITION_EQUALLY:
		list[at++] = CL_DEVICE_PARTITION_EQUALLY;
		list[at++] = (cl_device_partition_property)how->counts[0];
		break;
	case DPR_PARTITION_COUNTS:
		list[at++] = CL_DEVICE_PARTITION_BY_COUNTS;
		for (i = 0; i < n; i++)
			list[at++] =
				(cl_device_partition_property)how->counts[i];
		list[at++] = CL_DEVICE_PARTITION_BY_COUNTS_LIST_END;
		break;
	default:
		list[at++] = CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN;
		list[at++] = ocl_domain(how->domain);
	}
	list[at] = 0;
	*out = list;
	return DPR_RC_OK;
}

/* Check that the driver lists this way of dividing the device. */
static dprp_rc ocl_partition_check(dprp_device *device,
				   const dprp_partition *how)
{
	const dprp_host *host = device->instance->host;
	uint64_t ways = 0, domains = 0;

	ocl_info_get(device, DPR_INFO_PARTITION_PROPERTIES, &ways, sizeof(ways),
		     &(size_t){ 0 });
	if (how->how < DPR_PARTITION_EQUALLY ||
	    how->how > DPR_PARTITION_DOMAIN || !(ways >> how->how & 1))
		return dprh_fail(
			host, DPR_RC_UNSUPPORTED, 0,
			"the device cannot be divided %s",
			how->how == DPR_PARTITION_EQUALLY  ? "equally"
			: how->how == DPR_PARTITION_COUNTS ? "by counts"
			: how->how == DPR_PARTITION_DOMAIN ? "by domain"
							   : "in this way");
	if (how->how != DPR_PARTITION_DOMAIN)
		return DPR_RC_OK;
	ocl_info_get(device, DPR_INFO_PARTITION_DOMAINS, &domains,
		     sizeof(domains), &(size_t){ 0 });
	if (!ocl_domain(how->domain) || !(domains >> how->domain & 1))
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
				 "the device cannot be divided along domain %u",
				 how->domain);
	return DPR_RC_OK;
}

/* Make a sub-device that works like its parent, and put it into the instance's
   list. */
static dprp_device *ocl_sub_device(dprp_device *parent, cl_device_id id,
				   const dprp_partition *how)
{
	dprp_instance *instance = parent->instance;
	dprp_device *device = ocl_device_new(instance, parent->platform, id);

	if (!device)
		return NULL;
	device->root = parent->root;
	device->parent = parent;
	if (ocl_device_read(device) || device->path != parent->path) {
		ocl_device_free(device);
		return NULL;
	}
	device->made_how = how->how;
	device->made_domain =
		how->how == DPR_PARTITION_DOMAIN ? how->domain : 0;
	pthread_mutex_lock(&instance->lock);
	device->next = instance->subs;
	instance->subs = device;
	pthread_mutex_unlock(&instance->lock);
	return device;
}

dprp_rc ocl_device_partition(dprp_device *device, const dprp_partition *theirs,
			     dprp_device **out, uint32_t capacity, uint32_t *n)
{
	dprp_instance *instance = device->instance;
	cl_device_partition_property *list;
	cl_device_id *ids = NULL;
	cl_uint i, found = 0;
	dprp_partition how;
	dprp_rc rc = dprh_take(instance->host, "dprp_partition", &how,
			       sizeof(how), theirs);

	*n = 0;
	if (rc == DPR_RC_OK)
		rc = ocl_partition_check(device, &how);
	if (rc != DPR_RC_OK)
		return rc;
	rc = ocl_partition_list(instance->host, &how, &list);
	if (rc != DPR_RC_OK)
		return rc;
	rc = OCL_TRY(instance, clCreateSubDevices, device->id, list, 0, NULL,
		     &found);
	if (rc != DPR_RC_OK || !out || !capacity) {
		*n = rc == DPR_RC_OK ? found : 0;
		goto out;
	}
	ids = dprh_alloc(instance->host, found, sizeof(cl_device_id));
	if (!ids) {
		rc = dprh_no_memory(instance->host, "sub-devices");
		goto out;
	}
	rc = OCL_TRY(instance, clCreateSubDevices, device->id, list, found, ids,
		     NULL);
	if (rc != DPR_RC_OK)
		goto out;
	/* After a failure, the sub-devices made so far stay in the instance's
	   list. */
	for (i = 0; i < found; i++) {
		dprp_device *sub = NULL;

		if (i < capacity && rc == DPR_RC_OK)
			sub = ocl_sub_device(device, ids[i], &how);
		if (!sub)
			instance->cl.clReleaseDevice(ids[i]);
		if (i >= capacity)
			continue;
		out[i] = sub;
		if (!sub && rc == DPR_RC_OK)
			rc = dprh_fail(
				instance->host, DPR_RC_INTERNAL, 0,
				"sub-device %u cannot be used like its parent",
				i);
	}
	*n = rc == DPR_RC_OK ? found : 0;
out:
	dprh_free(instance->host, ids);
	dprh_free(instance->host, list);
	return rc;
}

dprp_rc ocl_device_peer(dprp_device *from, dprp_device *to, uint32_t *caps)
{
	/* Every root device has its own context, and OpenCL commands cannot use
	   memory of another context. */
	*caps = from->root == to->root ? DPRP_PEER_COPY : 0;
	/* But if the host may use the addresses of both devices, any copy
	   may. */
	if (from->path == OCL_PATH_SVM_FINE && to->path == OCL_PATH_SVM_FINE)
		*caps |= DPRP_PEER_COPY;
	return DPR_RC_OK;
}

dprp_rc ocl_device_clocks(dprp_device *device, uint64_t *device_ns,
			  uint64_t *host_ns)
{
	dprp_instance *instance = device->instance;
	cl_ulong at_device = 0, at_host = 0;
	uint64_t before, after;
	cl_int err;

	if (!ocl_device_has(device, 210) ||
	    !instance->cl.clGetDeviceAndHostTimer)
		return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0,
				 "reading the device's clock needs OpenCL 2.1");
	/* The driver's host clock may differ from ours, so ours is read before
	   and after the call. */
	before = dprh_now();
	err = instance->cl.clGetDeviceAndHostTimer(device->id, &at_device,
						   &at_host);
	after = dprh_now();
	if (err)
		return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, err,
				 "clGetDeviceAndHostTimer: %s (%d)",
				 ocl_error_name(err), (int)err);
	*device_ns = at_device;
	*host_ns = before + (after - before) / 2;
	return DPR_RC_OK;
}
