/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_cache.c - kernels from source, built once per device. */
#include "core/runtime/program/kernel_cache.h"

#include <stdbool.h>
#include <string.h>

#include <dpr/queue.h>

#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/device/device.h"
#include "core/runtime/program/includes.h"
#include "core/runtime/program/kernel.h"

#define CACHE_SIZE 256

/* A source, its program, and the kernels of that program. */
struct cached_source {
	/* the hash of the source, and the cache's clock at the last use */
	uint64_t hash, used;
	char *source;
	dpr_program *program;
	dpr_kernel **kernels;
	size_t n_kernels;
};

/*
 * The sources of one device, guarded by the device's lock.  A search compares
 * at most 256 numbers, which costs little next to hashing the source.
 */
struct kernel_cache {
	uint64_t clock;
	size_t count;
	struct cached_source entries[CACHE_SIZE];
};

/* FNV-1a, 64 bits. */
static uint64_t hash_text(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

static void cached_fini(struct cached_source *entry)
{
	size_t i;

	for (i = 0; i < entry->n_kernels; i++)
		dpr_kernel_release(entry->kernels[i]);
	mem_free(entry->kernels);
	dpr_program_release(entry->program);
	mem_free(entry->source);
}

static struct cached_source *find_locked(struct kernel_cache *cache,
					 uint64_t hash, const char *source)
{
	size_t i;

	for (i = 0; i < cache->count; i++)
		if (cache->entries[i].hash == hash &&
		    !strcmp(cache->entries[i].source, source)) {
			cache->entries[i].used = ++cache->clock;
			return &cache->entries[i];
		}
	return NULL;
}

/* A source that a thread is building.  It lies on that thread's stack. */
struct kernel_build {
	struct kernel_build *next;
	uint64_t hash;
	const char *source;
};

static bool is_built_locked(const dpr_device *device, uint64_t hash,
			    const char *source)
{
	const struct kernel_build *build = device->builds;

	while (build && (build->hash != hash || strcmp(build->source, source)))
		build = build->next;
	return build != NULL;
}

/*
 * Look for the source of @mine in the cache.  Sets *@kernel, or if that is
 * missing *@program, with a new reference.  If both are missing, lists @mine as
 * a build: the caller must build the source, then call finish_build().  Waits
 * while another thread builds the same source.
 */
static void find_or_claim(dpr_device *device, struct kernel_build *mine,
			  const char *name, dpr_program **program,
			  dpr_kernel **kernel)
{
	struct cached_source *entry = NULL;
	size_t i;

	*program = NULL;
	*kernel = NULL;
	pthread_mutex_lock(&device->lock);
	for (;;) {
		if (device->kernels)
			entry = find_locked(device->kernels, mine->hash,
					    mine->source);
		if (entry || !is_built_locked(device, mine->hash, mine->source))
			break;
		pthread_cond_wait(&device->made, &device->lock);
	}
	for (i = 0; entry && i < entry->n_kernels; i++)
		if (!strcmp(entry->kernels[i]->name, name))
			*kernel = dpr_kernel_retain(entry->kernels[i]);
	if (entry && !*kernel)
		*program = dpr_program_retain(entry->program);
	if (!entry) {
		mine->next = device->builds;
		device->builds = mine;
	}
	pthread_mutex_unlock(&device->lock);
}

/* End a build.  Threads that wait for @mine now find the kernel in the cache,
   or build it themselves. */
static void finish_build(dpr_device *device, const struct kernel_build *mine)
{
	struct kernel_build **at = &device->builds;

	pthread_mutex_lock(&device->lock);
	while (*at != mine)
		at = &(*at)->next;
	*at = mine->next;
	pthread_cond_broadcast(&device->made);
	pthread_mutex_unlock(&device->lock);
}

static void add_kernel_locked(struct cached_source *entry, dpr_kernel *kernel)
{
	dpr_kernel **slot = mem_append(&entry->kernels, &entry->n_kernels);

	if (slot)
		*slot = dpr_kernel_retain(kernel);
}

/* The slot for a new source: a free one, else that of the least recently used
   source, whose old contents go to @old. */
static struct cached_source *slot_locked(struct kernel_cache *cache,
					 struct cached_source *old)
{
	struct cached_source *slot = &cache->entries[0];
	size_t i;

	if (cache->count < CACHE_SIZE)
		return &cache->entries[cache->count++];
	for (i = 1; i < CACHE_SIZE; i++)
		if (cache->entries[i].used < slot->used)
			slot = &cache->entries[i];
	*old = *slot;
	memset(slot, 0, sizeof(*slot));
	return slot;
}

/*
 * Put @kernel into the cache.  If memory runs out, it is not cached, which is
 * not an error: the caller has the kernel all the same.
 */
static void keep_kernel(dpr_device *device, uint64_t hash, const char *source,
			dpr_kernel *kernel)
{
	struct cached_source old = { 0 }, *entry;
	char *copy;
	size_t i;

	copy = mem_string(source);
	if (!copy)
		return;
	pthread_mutex_lock(&device->lock);
	if (!device->kernels)
		device->kernels = mem_alloc(sizeof(*device->kernels));
	if (!device->kernels)
		goto out;
	entry = find_locked(device->kernels, hash, source);
	if (!entry) {
		entry = slot_locked(device->kernels, &old);
		entry->hash = hash;
		entry->used = ++device->kernels->clock;
		entry->source = copy;
		entry->program = dpr_program_retain(kernel->program);
		copy = NULL;
	}
	for (i = 0; i < entry->n_kernels; i++)
		if (!strcmp(entry->kernels[i]->name, kernel->name))
			break;
	if (i == entry->n_kernels)
		add_kernel_locked(entry, kernel);
out:
	pthread_mutex_unlock(&device->lock);
	/* Release without the lock, because that may call the driver. */
	cached_fini(&old);
	mem_free(copy);
}

/* Create the kernel @name of @program; if @program is NULL, build it from
   @source first.  Releases @program. */
static dpr_status make_kernel(dpr_queue *queue, const char *source,
			      const char *name, dpr_program *program,
			      dpr_kernel **out)
{
	dpr_status status = DPR_OK;

	if (!program)
		status = dpr_program_from_source(queue, source, NULL, &program);
	if (!status)
		status = dpr_kernel_create(program, name, out);
	dpr_program_release(program);
	return status;
}

/* Take the kernel from the cache, or make it and put it there. */
static dpr_status make_or_take(dpr_queue *queue, const char *source,
			       const char *name, dpr_kernel **out)
{
	struct kernel_build build = { NULL, hash_text(source), source };
	dpr_device *device = dpr_queue_device(queue);
	dpr_program *program;
	dpr_status status;
	bool builds;

	find_or_claim(device, &build, name, &program, out);
	if (*out)
		return DPR_OK;
	builds = !program;
	status = make_kernel(queue, source, name, program, out);
	if (!status)
		keep_kernel(device, build.hash, source, *out);
	if (builds)
		finish_build(device, &build);
	return status;
}

dpr_status dpr_kernel_from_source(dpr_queue *queue, const char *source,
				  const char *name, dpr_kernel **out)
{
	TRACE_CALL;
	HANDLES(queue, out);
	dpr_status status;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "kernel: out is NULL");
	*out = NULL;
	status = process_check("kernel");
	if (status)
		return status;
	if (!queue || !source || !name)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "kernel: the queue, source or name is NULL");
	/* An included file may have changed since the last call. */
	if (includes_files(source, strlen(source)))
		return make_kernel(queue, source, name, NULL, out);
	return make_or_take(queue, source, name, out);
}

void kernel_cache_clear(dpr_device *device)
{
	struct kernel_cache *cache;
	size_t i;

	pthread_mutex_lock(&device->lock);
	cache = device->kernels;
	device->kernels = NULL;
	pthread_mutex_unlock(&device->lock);
	if (!cache)
		return;
	for (i = 0; i < cache->count; i++)
		cached_fini(&cache->entries[i]);
	mem_free(cache);
}
