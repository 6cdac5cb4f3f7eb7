/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - the struct of a device, and its failures and context. */
#ifndef RUNTIME_DEVICE_H
#define RUNTIME_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <dpr/device.h>

#include "core/base/failure.h"
#include "core/runtime/device/released.h"
#include "core/runtime/plugin/plugin.h"

struct allocator;
struct device_division;
struct device_peer;
struct kernel_build;
struct kernel_cache;
struct pool;
struct pool_root;

/* A string that dpr_device_info_string() has returned. */
struct device_text {
	struct device_text *next;
	uint32_t key;
	char text[];
};

/* A device, made by device_make() or by division.c.  Never freed once other
   threads can see it. */
struct dpr_device {
	struct plugin *plugin;
	dprp_device *handle;
	dpr_device *parent; /* NULL for a root device */
	dpr_device *root;   /* the device itself, if it is a root device */
	const char *name, *selector;
	enum dpr_device_type type;
	/* the device's number within its backend, counting all types */
	uint32_t index;
	/* The same physical device in another backend (release, pairs with the
	   acquire of its readers). */
	_Atomic(dpr_device *) twin;
	/* The driver's identification of the physical device. */
	bool has_uuid, has_pci;
	unsigned char uuid[16];
	uint32_t pci[4];
	/* Of a root device: whether its plugin reported it as lost. */
	atomic_bool lost;
	/* The one failure that all lost work shares, so that the program is
	   told only once.  Holds a reference. */
	_Atomic(struct failure *) loss;
	/* Of a root device that is lost: a list of the work that was running,
	   for error texts; queue/suspects.h.  Set once; NULL: not set yet. */
	_Atomic(char *) suspects;
	uint64_t max_alloc; /* bytes in the largest allocation; 0: not
			       reported */
	/* The offset of memory given to a kernel must be a multiple of this
	   many bytes; 1: any offset will do. */
	uint64_t offset_align;
	uint64_t local_memory; /* bytes for a work-group; UINT64_MAX: not
				  reported */
	/* a sub-device has a multiple of this many compute units */
	uint64_t partition_unit;
	/* Limits of a launch, per dimension: work-groups, and work-items in
	   groups of the largest size.  UINT64_MAX: not reported. */
	uint64_t max_groups[3], max_items[3];
	/* Limits of a work-group: the local size per dimension, and the
	   work-items in all.  UINT64_MAX: not reported. */
	uint64_t max_local[3], max_group;
	bool has_fp64;      /* the device computes with float64 */
	bool has_addresses; /* allocations have addresses */
	/* the device has HOST allocations, and they have addresses */
	bool has_host_memory;
	bool is_host_memory; /* the host may use DEVICE allocations, too */
	/* the layer "check" looks for writes past allocations */
	bool has_guards;
	/* the number of host threads that do the device's copies; 1: unknown */
	uint64_t copy_threads;
	/* For a root device.  bounces: its plugin has refused ordinary host
	   memory.  cannot_import: its plugin has refused to import such
	   memory. */
	atomic_bool bounces, cannot_import;

	/* The canonical queue, made by dpr_device_queue().  Once made, it is
	   read without a lock: the acquire pairs with the release of the
	   store. */
	_Atomic(dpr_queue *) canonical;

	/* Memory pools by kind, and `pool_root` of a root device; both are made
	   when first needed (pool.c).  `allocator`: the program's own
	   (allocator.c). */
	_Atomic(struct pool *) pools[3];
	_Atomic(struct pool_root *) pool_root;
	_Atomic(struct allocator *) allocator;
	/* Of a root device, for reap.c.  `reapers`: how many threads are
	   freeing a released allocation.  `reaped`: how many were freed so
	   far. */
	atomic_size_t reapers, reaped;
	struct released released; /* for a root device: see reap.c */

	pthread_mutex_t lock;
	/* Guards the fields below. */
	pthread_cond_t made;   /* signalled when a division or a kernel was
				     made */
	dprp_context *context; /* for root devices only; see device_context() */
	struct device_division *divisions;
	bool dividing; /* a thread is asking the plugin for a division */
	struct device_text *texts;
	struct device_peer *peers;    /* for a root device: see peer.c */
	struct kernel_cache *kernels; /* kernel_cache.c */
	/* builds that have not ended; see kernel_cache.c */
	struct kernel_build *builds;
};

/* Get the context of @device's root, made on first use. */
dpr_status device_context(dpr_device *device, dprp_context **out);

/* Check that @device's root is not lost.  DPR_ERROR_DEVICE_LOST: its plugin
   reported that it is. */
dpr_status device_check(const dpr_device *device, const char *what);

/* Get the failure that all work of the lost @device shares, with a reference.
   If there is none yet, makes it with @text, or returns NULL if @text is
   NULL. */
struct failure *device_loss(const dpr_device *device, const char *text);
/* If @status, which the calling function has just recorded, is
   DPR_ERROR_DEVICE_LOST: note that the program has been told of the loss.
   Returns @status. */
dpr_status device_told(const dpr_device *device, dpr_status status);

/*
 * Make the root device number @index of @plugin; @before: the devices with
 * lower numbers.  Asks the driver for the properties that cannot change.  NULL:
 * no memory.
 */
dpr_device *device_make(struct plugin *plugin, dprp_device *handle,
			uint32_t index, const dpr_device *const *before);
/* Free a device that no other thread knows yet; NULL is fine. */
void device_drop(dpr_device *device);

/* Destroy the context of @device.  Call it before the plugin is closed. */
void device_close(dpr_device *device);

#endif
