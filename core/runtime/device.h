/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - what a device is inside, and what hangs on it. */
#ifndef RUNTIME_DEVICE_H
#define RUNTIME_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include <dpr/device.h>

#include "core/runtime/plugin.h"

struct kernel_cache;
struct device_division;

/* Made by the registry or by a division, never freed. */
struct dpr_device {
	struct plugin *plugin;
	dprp_device *handle;
	dpr_device *parent; /* NULL for a root device */
	dpr_device *root; /* itself for a root device */
	const char *name, *selector;
	enum dpr_device_type type;
	uint32_t index; /* within its backend, all types together */
	dpr_device *twin;
	uint64_t max_alloc; /* bytes; 0: the driver does not tell */
	uint64_t offset_align; /* bytes, of the offset of a kernel argument; 1: any */
	int has_addresses; /* allocations have addresses */

	/* The canonical queue, made by dpr_device_queue(); read without a lock
	   once it is there (acquire, pairs with the release that stores it). */
	_Atomic(dpr_queue *) canonical;

	pthread_mutex_t lock;
	/* Guards the fields below. */
	dprp_context *context; /* root devices only; device_context() */
	struct device_division *divisions;
	struct kernel_cache *kernels; /* program.c */
};

/* The context of @device's root, made on first use. */
dpr_status device_context(dpr_device *device, dprp_context **out);

/*
 * Whether the runtime may be used with objects of its own: DPR_OK,
 * DPR_ERROR_SHUTDOWN after dpr_finalize(), DPR_ERROR_FORKED in a child whose
 * parent had opened a backend.  @what names the operation.  Cheap: one relaxed
 * load.
 */
dpr_status runtime_check(const char *what);

/* The same without a text, for releases: false means "do nothing". */
int runtime_alive(void);

/* Every root device of every open backend, for dpr_finalize(). */
size_t registry_devices(dpr_device **out, size_t capacity);
/* Close all open plugins, in the reverse order of opening. */
void registry_close(void);

#endif
