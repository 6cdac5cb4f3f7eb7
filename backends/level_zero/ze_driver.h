/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ze_driver.h - the Level Zero loader, opened at run time, and definitions from
 * newer versions of its headers.
 *
 * The types of the entries come from ze_api.h of loader 1.8; the plugin does
 * not link to the loader.  Values of newer headers are defined here, and are
 * used only if the driver's version or extensions name them.
 */
#ifndef ZE_DRIVER_H
#define ZE_DRIVER_H

#include <level_zero/ze_api.h>

#include <level_zero/loader/ze_loader.h>

#include <dpr/backend.h>
#include <dpr/backend-help.h>

/* A list that runs its commands one after the other. */
#define ZE_NEWER_QUEUE_IN_ORDER ZE_BIT(1)
#define ZE_NEWER_IN_ORDER_VERSION ZE_MAKE_VERSION(1, 9)

/* Counter-based events: an event stands for a value of its list's counter, so
   it needs no reset.  Only in-order lists can signal one. */
#define ZE_NEWER_COUNTER_EVENTS "ZE_experimental_event_pool_counter_based"
#define ZE_NEWER_COUNTER_EVENTS_STYPE ((ze_structure_type_t)0x00020014)
#define ZE_NEWER_COUNTER_EVENTS_IMMEDIATE ZE_BIT(0)

struct ze_newer_counter_events {
	ze_structure_type_t stype;
	const void *pNext;
	uint32_t flags;
};

/* The largest work-group of a kernel, which is smaller than the device's if the
   kernel needs many registers. */
#define ZE_NEWER_KERNEL_GROUP "ZE_extension_kernel_max_group_size_properties"
#define ZE_NEWER_KERNEL_GROUP_STYPE ((ze_structure_type_t)0x00010013)

struct ze_newer_kernel_group {
	ze_structure_type_t stype;
	void *pNext;
	uint32_t size;
};

/* The format of OpenCL C, for zeModuleCreate(). */
#define ZE_NEWER_FORMAT_SOURCE ((ze_module_format_t)3)

/* Functions of the driver itself, which does not know the loader's handles.
   The first lets the driver's devices use memory of the program as memory of
   kind HOST; the second ends that. */
typedef ze_result_t (*ze_import_function)(ze_driver_handle_t driver,
					  void *address, size_t size);
typedef ze_result_t (*ze_release_function)(ze_driver_handle_t driver,
					   void *address);
#define ZE_NEWER_IMPORT "zexDriverImportExternalPointer"
#define ZE_NEWER_RELEASE "zexDriverReleaseImportedPointer"

/* The loader's entries. */
struct ze_api {
#define ZE_ENTRY(name) __typeof__(name) *name;
#include "ze_entries.def"
#undef ZE_ENTRY
};

/*
 * Open the loader and find its entries.  NO_DRIVER, with a text, if there is no
 * loader or it lacks an entry.
 */
dprp_rc ze_driver_open(const dprp_host *host, struct ze_api *api);

#endif
