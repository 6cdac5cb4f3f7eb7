/* SPDX-License-Identifier: Apache-2.0 */
/* zecpu_driver.c - zeInit, drivers, extensions, and the tables for the loader.
 */
#include "zecpu_impl.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DRIVER_VERSION 0x01000000u

struct zecpu_state zecpu = { .lock = PTHREAD_MUTEX_INITIALIZER };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool started;

static void driver_start(void)
{
	pthread_condattr_t clock;

	zecpu_report_start();
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&zecpu.work, &clock);
	pthread_cond_init(&zecpu.over, &clock);
	pthread_condattr_destroy(&clock);
	zecpu.driver = zecpu_object_new(sizeof(*zecpu.driver), KIND_DRIVER);
	started = zecpu.driver && zecpu_device_start();
}

ze_result_t ZE_APICALL zecpu_zeInit(ze_init_flags_t flags)
{
	ze_result_t result;

	zecpu_check_start();
	result = zecpu_enter(ENTRY_zeInit);
	if (result)
		return result;
	if (zecpu_knob(KNOB_INIT))
		return (ze_result_t)zecpu_knob(KNOB_INIT);
	if (flags &
	    ~(ze_init_flags_t)(ZE_INIT_FLAG_GPU_ONLY | ZE_INIT_FLAG_VPU_ONLY))
		return ZE_RESULT_ERROR_INVALID_ENUMERATION;
	if (flags == ZE_INIT_FLAG_VPU_ONLY)
		return ZE_RESULT_ERROR_UNINITIALIZED;
	pthread_once(&once, driver_start);
	if (!started)
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	pthread_mutex_lock(&zecpu.lock);
	zecpu.started = true;
	pthread_mutex_unlock(&zecpu.lock);
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeDriverGet(uint32_t *count,
					 ze_driver_handle_t *drivers)
{
	ze_result_t result = zecpu_enter(ENTRY_zeDriverGet);

	if (result || !zecpu_check_pointer(count, "pCount", &result))
		return result;
	if (!started)
		return ZE_RESULT_ERROR_UNINITIALIZED;
	if (*count > 0 && drivers)
		drivers[0] = (ze_driver_handle_t)zecpu.driver;
	if (*count == 0 || *count > 1)
		*count = 1;
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeDriverGetApiVersion(ze_driver_handle_t driver,
						   ze_api_version_t *version)
{
	ze_result_t result = zecpu_enter(ENTRY_zeDriverGetApiVersion);

	if (result || !zecpu_object_is(driver, KIND_DRIVER, &result) ||
	    !zecpu_check_pointer(version, "version", &result))
		return result;
	/* The flag for in-order lists came with a version newer than 1.4. */
	*version = zecpu_knob(KNOB_IN_ORDER) || zecpu_knob(KNOB_HOST_SYNC)
			   ? (ze_api_version_t)ZE_MAKE_VERSION(1, 9)
			   : (ze_api_version_t)ZE_MAKE_VERSION(1, 4);
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeDriverGetProperties(
	ze_driver_handle_t driver, ze_driver_properties_t *properties)
{
	ze_result_t result = zecpu_enter(ENTRY_zeDriverGetProperties);
	const char *path = "";
	uint64_t hash[2];
	Dl_info self;

	if (result || !zecpu_object_is(driver, KIND_DRIVER, &result) ||
	    !zecpu_check_type(properties, ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES,
			      &result))
		return result;
	/* The UUID is a hash of the library's path: it differs between two
	   copies of the driver, and is the same in every process. */
	if (dladdr(&zecpu, &self) && self.dli_fname)
		path = self.dli_fname;
	zecpu_exec_hash(path, strlen(path), hash);
	memcpy(properties->uuid.id, hash, sizeof(properties->uuid.id));
	properties->driverVersion =
		DRIVER_VERSION | (uint32_t)zecpu_knob(KNOB_VERSION);
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeDriverGetIpcProperties(
	ze_driver_handle_t driver, ze_driver_ipc_properties_t *properties)
{
	ze_result_t result = zecpu_enter(ENTRY_zeDriverGetIpcProperties);

	if (result || !zecpu_object_is(driver, KIND_DRIVER, &result) ||
	    !zecpu_check_type(properties,
			      ZE_STRUCTURE_TYPE_DRIVER_IPC_PROPERTIES, &result))
		return result;
	properties->flags = ZE_IPC_PROPERTY_FLAG_MEMORY;
	return ZE_RESULT_SUCCESS;
}

struct extension {
	const char *name;
	uint32_t version;
	int knob; /* the knob that it depends on, or -1 */
};

static const struct extension extensions[] = {
	{ "ZE_experimental_relaxed_allocation_limits", ZE_MAKE_VERSION(1, 0),
	  -1 },
	{ "ZE_experimental_global_offset", ZE_MAKE_VERSION(1, 0), -1 },
	{ "ZE_extension_memory_free_policies", ZE_MAKE_VERSION(1, 0), -1 },
	{ "ZE_extension_pci_properties", ZE_MAKE_VERSION(1, 0), -1 },
	{ "ZE_experimental_event_pool_counter_based", ZE_MAKE_VERSION(1, 0),
	  KNOB_COUNTER },
	{ "ZEX_driver_import_external_pointer", ZE_MAKE_VERSION(1, 0),
	  KNOB_IMPORT },
	{ "ZE_extension_kernel_max_group_size_properties",
	  ZE_MAKE_VERSION(1, 0), KNOB_KERNEL_GROUP },
};

ze_result_t ZE_APICALL
zecpu_zeDriverGetExtensionProperties(ze_driver_handle_t driver, uint32_t *count,
				     ze_driver_extension_properties_t *out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeDriverGetExtensionProperties);
	uint32_t i, n = 0;

	if (result || !zecpu_object_is(driver, KIND_DRIVER, &result) ||
	    !zecpu_check_pointer(count, "pCount", &result))
		return result;
	for (i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
		if (extensions[i].knob >= 0 &&
		    !zecpu_knob((enum zecpu_knob)extensions[i].knob))
			continue;
		if (*count > n && out) {
			strcpy(out[n].name, extensions[i].name);
			out[n].version = extensions[i].version;
		}
		n++;
	}
	if (*count == 0 || *count > n)
		*count = n;
	return ZE_RESULT_SUCCESS;
}

struct address {
	const char *name;
	void (*function)(void);
	int knob;
};

#define ADDRESS(name, knob)                               \
	{                                                 \
#name, (void (*)(void))zecpu_##name, knob \
	}

static const struct address addresses[] = {
	{ ZECPU_CONTROL, (void (*)(void))zecpuControl, -1 },
	ADDRESS(zeCommandListHostSynchronize, KNOB_HOST_SYNC),
	ADDRESS(zexDriverImportExternalPointer, KNOB_IMPORT),
	ADDRESS(zexDriverReleaseImportedPointer, KNOB_IMPORT),
	ADDRESS(zeKernelSetGlobalOffsetExp, -1),
};

ze_result_t ZE_APICALL zecpu_zeDriverGetExtensionFunctionAddress(
	ze_driver_handle_t driver, const char *name, void **address)
{
	ze_result_t result =
		zecpu_enter(ENTRY_zeDriverGetExtensionFunctionAddress);
	size_t i;

	if (result || !zecpu_object_is(driver, KIND_DRIVER, &result) ||
	    !zecpu_check_pointer(name, "name", &result) ||
	    !zecpu_check_pointer((const void *)address, "ppFunctionAddress",
				 &result))
		return result;
	for (i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		if (strcmp(name, addresses[i].name) == 0 &&
		    (addresses[i].knob < 0 ||
		     zecpu_knob((enum zecpu_knob)addresses[i].knob))) {
			memcpy(address, &addresses[i].function,
			       sizeof(*address));
			return ZE_RESULT_SUCCESS;
		}
	*address = NULL;
	return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

/* --- the tables --- */

#define EXPORT __attribute__((visibility("default")))

/* Whether the table of the loader's version begins like ours.  A newer table
   has more fields, which are not set. */
static bool version_fits(ze_api_version_t version)
{
	return ZE_MAJOR_VERSION(version) ==
	       ZE_MAJOR_VERSION(ZE_API_VERSION_CURRENT);
}

#define X(table_name, function) \
	table->pfn##function = zecpu_ze##table_name##function;
#define TABLE(name, type, entries)                                       \
	EXPORT ze_result_t ZE_APICALL zeGet##name##ProcAddrTable(        \
		ze_api_version_t version, ze_##type##_dditable_t *table) \
	{                                                                \
		if (!table)                                              \
			return ZE_RESULT_ERROR_INVALID_NULL_POINTER;     \
		if (!version_fits(version))                              \
			return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;      \
		entries(X) return ZE_RESULT_SUCCESS;                     \
	}

#define ZECPU_GLOBAL(X) table->pfnInit = zecpu_zeInit;

TABLE(Global, global, ZECPU_GLOBAL)
TABLE(Driver, driver, ZECPU_DRIVER)
TABLE(Device, device, ZECPU_DEVICE)
TABLE(Context, context, ZECPU_CONTEXT)
TABLE(Mem, mem, ZECPU_MEM)
TABLE(EventPool, event_pool, ZECPU_EVENT_POOL)
TABLE(Event, event, ZECPU_EVENT)
TABLE(CommandQueue, command_queue, ZECPU_QUEUE)
TABLE(Fence, fence, ZECPU_FENCE)
TABLE(Module, module, ZECPU_MODULE)
TABLE(ModuleBuildLog, module_build_log, ZECPU_BUILD_LOG)
TABLE(Kernel, kernel, ZECPU_KERNEL)
TABLE(KernelExp, kernel_exp, ZECPU_KERNEL_EXP)

/* Set the field of zeCommandListHostSynchronize.  The field came with version
   1.6.  The header of this build may end with the field before. */
static void set_host_synchronize(ze_command_list_dditable_t *table)
{
	size_t at = offsetof(ze_command_list_dditable_t,
			     pfnAppendImageCopyFromMemoryExt) +
		    sizeof(table->pfnAppendImageCopyFromMemoryExt);
	__typeof__(&zecpu_zeCommandListHostSynchronize) function =
		zecpu_zeCommandListHostSynchronize;

	memcpy((unsigned char *)table + at, &function, sizeof(function));
}

EXPORT ze_result_t ZE_APICALL zeGetCommandListProcAddrTable(
	ze_api_version_t version, ze_command_list_dditable_t *table)
{
	if (!table)
		return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
	if (!version_fits(version))
		return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
	zecpu_check_start();
	ZECPU_LIST(X)
	if (ZE_MINOR_VERSION(version) >= 6 && zecpu_knob(KNOB_HOST_SYNC))
		set_host_synchronize(table);
	return ZE_RESULT_SUCCESS;
}
#undef X
