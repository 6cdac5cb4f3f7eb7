/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - the struct of a device, and its failures and context. */
#ifndef RUNTIME_DEVICE_H
#define RUNTIME_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <dpr/device.h>

#include "core/base/failure.h"
#include "core/runtime/plugin/plugin.h"

struct allocator;
struct device_division;
struct kernel_build;
struct kernel_cache;
struct pool;
struct pool_root;

/* A string that dpr_device_info_string() has lent. */
struct device_text {
	struct device_text *next;
	uint32_t key;
	char text[];
};

/* Made by device_make() or by division.c; never freed once another thread may
   know it. */
struct dpr_device {
	struct plugin *plugin;
	dprp_device *handle;
	dpr_device *parent; /* NULL for a root device */
	dpr_device *root;   /* itself for a root device */
	const char *name, *selector;
	enum dpr_device_type type;
	uint32_t index; /* within its backend, all types together */
	/* The same physical device in another backend (release, pairs with the
	   acquire of device_twin()). */
	_Atomic(dpr_device *) twin;
	/* The driver's identification of the physical device. */
	bool has_uuid, has_pci;
	unsigned char uuid[16];
	uint32_t pci[4];
	/* Of a root device: its plugin said that it is lost. */
	atomic_bool lost;
	/* The one failure that all lost work shares, so that the program is
	   told once; a reference. */
	_Atomic(struct failure *) loss;
	uint64_t max_alloc;    /* bytes; 0: not reported */
	uint64_t offset_align; /* bytes, of the offset of a kernel argument; 1:
				  any */
	uint64_t local_memory; /* bytes of a work-group; UINT64_MAX: not
				  reported */
	bool has_fp64;         /* it computes with float64 */
	bool has_addresses;    /* allocations have addresses */
	bool has_host_memory;  /* there are HOST allocations, with addresses */
	bool is_host_memory;   /* the host may use DEVICE allocations, too */
	uint64_t copy_threads; /* host threads that do its copies; 1: unknown */

	/* The canonical queue, made by dpr_device_queue(); read without a lock
	   once it is there (acquire, pairs with the release that stores it). */
	_Atomic(dpr_queue *) canonical;

	/* Memory pools by kind, made when first needed, as is `pool_root` of a
	   root device; pool.c.  The program's allocator; allocator.c. */
	_Atomic(struct pool *) pools[3];
	_Atomic(struct pool_root *) pool_root;
	_Atomic(struct allocator *) allocator;
	/* Of a root device: how many threads wait in reap.c, each for one
	   released allocation that it has taken; how many allocations were
	   freed. */
	atomic_size_t reapers, reaped;

	pthread_mutex_t lock;
	/* Guards the fields below. */
	pthread_cond_t divided; /* a division or a kernel was made */
	dprp_context *context;  /* root devices only; device_context() */
	struct device_division *divisions;
	bool dividing; /* a thread asks the plugin for a division */
	struct device_text *texts;
	struct kernel_cache *kernels; /* kernel_cache.c */
	struct kernel_build *builds;  /* builds under way; kernel_cache.c */
};

/* The context of @device's root, made on first use. */
dpr_status device_context(dpr_device *device, dprp_context **out);

/* DPR_ERROR_DEVICE_LOST if the plugin said so of @device's root. */
dpr_status device_check(const dpr_device *device, const char *what);

/* Returns the failure of all work that the lost device had, with a reference.
   If the loss was not reported before, @text becomes the failure's text; with
   @text NULL it then returns NULL. */
struct failure *device_loss(const dpr_device *device, const char *text);
/* If @status, which the calling function has just recorded, is
   DPR_ERROR_DEVICE_LOST: note that the program is told of the loss.  Returns
   @status. */
dpr_status device_told(const dpr_device *device, dpr_status status);

/* The same physical device in another backend, or NULL. */
static inline dpr_device *device_twin(const dpr_device *device)
{
	return atomic_load_explicit(&device->twin, memory_order_acquire);
}

/*
 * Make the root device number @index of @plugin; @before are those with lower
 * numbers.  Asks the driver for what cannot change.  NULL: no memory.
 */
dpr_device *device_make(struct plugin *plugin, dprp_device *handle,
			uint32_t index, const dpr_device *const *before);
/* Free a device that no other thread knows yet; NULL is fine. */
void device_drop(dpr_device *device);

/* Destroy the context, before the plugin is closed. */
void device_close(dpr_device *device);

#endif
