/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - what a device is inside, and what hangs on it. */
#ifndef RUNTIME_DEVICE_H
#define RUNTIME_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include <dpr/device.h>
#include <dpr/runtime.h>

#include "core/base/failure.h"
#include "core/runtime/plugin/plugin.h"

struct allocator;
struct kernel_cache;
struct device_list;
struct pool;
struct pool_root;

/* The sub-devices of one division; fixed once it is in its device's list. */
struct device_division {
	struct device_division *next;
	dprp_partition how;
	dpr_device **devices;
	size_t n;
};

/* A text that was lent: a string of dpr_device_info_string(). */
struct device_text {
	struct device_text *next;
	uint32_t key;
	char text[];
};

/* Made by the registry or by a division, never freed. */
struct dpr_device {
	struct plugin *plugin;
	dprp_device *handle;
	dpr_device *parent; /* NULL for a root device */
	dpr_device *root;   /* itself for a root device */
	const char *name, *selector;
	enum dpr_device_type type;
	uint32_t index; /* within its backend, all types together */
	/* The same physical device in another backend (release, pairs with the
	   acquire of dpr_device_twin()). */
	_Atomic(dpr_device *) twin;
	/* What the driver says about which physical device it is. */
	int has_uuid, has_pci;
	unsigned char uuid[16];
	uint32_t pci[4];
	/* Of a root device: its plugin said that it is lost. */
	atomic_int lost;
	/* All failures of lost work are this one, so that the program is told
	   once; a reference. */
	_Atomic(struct failure *) loss;
	uint64_t max_alloc;    /* bytes; 0: the driver does not tell */
	uint64_t offset_align; /* bytes, of the offset of a kernel argument; 1:
				  any */
	uint64_t local_memory; /* bytes of a work-group; UINT64_MAX: the driver
				  does not tell */
	int has_fp64;          /* float64 is computed */
	int has_addresses;     /* allocations have addresses */
	int has_host_memory;   /* there are HOST allocations, with addresses */
	int is_host_memory;    /* the host may use DEVICE allocations, too */
	uint64_t copy_threads; /* of the host, that do its copies; 1: unknown */

	/* The canonical queue, made by dpr_device_queue(); read without a lock
	   once it is there (acquire, pairs with the release that stores it). */
	_Atomic(dpr_queue *) canonical;

	/* Memory pools by kind, made when first needed, as is `pool_root` of a
	   root device; pool.c.  The program's allocator; allocator.c. */
	_Atomic(struct pool *) pools[3];
	_Atomic(struct pool_root *) pool_root;
	_Atomic(struct allocator *) allocator;
	/* Of a root device: threads that wait for work, each with one released
	   allocation in hand; how many allocations have gone; reap.c. */
	atomic_size_t reapers, reaped;

	pthread_mutex_t lock;
	/* Guards the fields below. */
	pthread_cond_t divided; /* a division or a kernel was made */
	dprp_context *context;  /* root devices only; device_context() */
	struct device_division *divisions;
	int dividing; /* the plugin is being asked for a division */
	struct device_text *texts;
	struct kernel_cache *kernels; /* kernel_cache.c */
	struct kernel_build *builds;  /* what threads are at; kernel_cache.c */
};

/* The context of @device's root, made on first use. */
dpr_status device_context(dpr_device *device, dprp_context **out);

/* DPR_ERROR_DEVICE_LOST if the plugin said so of @device's root. */
dpr_status device_check(const dpr_device *device, const char *what);

/* The failure of all work that the lost device had, with a reference.  If this
   is the first that is heard of it, @text says why; NULL then: nothing is known
   of a loss, and NULL is returned. */
struct failure *device_loss(const dpr_device *device, const char *text);
/* The program is told of @status by the call that recorded it; returns it. */
dpr_status device_told(const dpr_device *device, dpr_status status);

/* Whether @device has the aspect; false when the driver does not tell. */
int device_has_aspect(const dpr_device *device, enum dpr_info key);

/* Divide @device, or find the division that was made before. */
dpr_status device_divide(dpr_device *device, const dprp_partition *how,
			 const struct device_division **out);

/* Whether the two are the same physical device, given all there are. */
int device_same(const dpr_device *a, const dpr_device *b,
		const struct device_list *list);

/* Whether @handle is that of the device or of a part of it. */
int device_is(dpr_device *device, const dprp_device *handle);

/* Destroy the context, before the plugin is closed. */
void device_close(dpr_device *device);

/* Every root device of every open backend, for dpr_finalize(). */
size_t registry_devices(dpr_device **out, size_t capacity);
/* Close all open plugins, in the reverse order of opening. */
void registry_close(void);

#endif
