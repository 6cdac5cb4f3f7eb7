/* SPDX-License-Identifier: Apache-2.0 */
/* once_built.c - kernels that are built at their first use, and then kept for
   each device. */
#include "core/array/launch/once_built.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"

/* A kernel of a device.  It never changes once it is in the list. */
struct built {
	struct built *next;
	const dpr_device *device;
	struct once_built_key key;
	/* NULL: the device does not have the kernel */
	dpr_program *program;
	dpr_kernel *kernel;
};

/* The kernels that were asked for.  The list only grows until it is dropped,
   and is read without the lock.  The mutex guards additions. */
static pthread_mutex_t built_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct built *_Atomic built_list;

static struct built *find_built(const dpr_device *device,
				const struct once_built_key *key)
{
	struct built *b =
		atomic_load_explicit(&built_list, memory_order_acquire);

	while (b && (b->device != device || b->key.number != key->number ||
		     strcmp(b->key.name, key->name) != 0))
		b = b->next;
	return b;
}

static void free_built(struct built *b)
{
	dpr_kernel_release(b->kernel);
	dpr_program_release(b->program);
	mem_free(b);
}

/* Called by dpr_finalize(), when no array and no queue exists. */
static void drop_built(void)
{
	struct built *b = atomic_exchange(&built_list, NULL), *next;

	for (; b; b = next) {
		next = b->next;
		free_built(b);
	}
}

static void count_built(size_t *programs, size_t *kernels)
{
	const struct built *b = atomic_load(&built_list);

	for (; b; b = b->next) {
		*programs += b->program != NULL;
		*kernels += b->kernel != NULL;
	}
}

static void add_hook(void)
{
	static struct kept_hook hook = { NULL, count_built, drop_built };

	process_add_kept(&hook);
}

/* Build the kernel of @b.  If the device or its compiler refuses, the kernel
   stays NULL, and this is no failure. */
static dpr_status build_kernel(dpr_queue *queue, once_built_fn *build,
			       struct built *b)
{
	char *text = status_keep();
	dpr_status status = build(queue, &b->key, &b->program, &b->kernel);

	if (status == DPR_ERROR_UNSUPPORTED || status == DPR_ERROR_BUILD)
		status = DPR_OK;
	if (status)
		status_replace(text, status);
	else
		status_restore(text);
	return status;
}

/* Add @made to the list.  If another thread has added this kernel meanwhile,
   @made is freed.  Returns the kernel of the list. */
static struct built *add_built(struct built *made)
{
	struct built *found;

	pthread_mutex_lock(&built_mutex);
	found = find_built(made->device, &made->key);
	if (!found) {
		made->next = atomic_load(&built_list);
		atomic_store_explicit(&built_list, made, memory_order_release);
	}
	pthread_mutex_unlock(&built_mutex);
	if (found)
		free_built(made);
	return found ? found : made;
}

dpr_status once_built_get(dpr_queue *queue, const struct once_built_key *key,
			  once_built_fn *build, dpr_kernel **out)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	dpr_device *device = dpr_queue_device(queue);
	struct built *b = find_built(device, key);
	dpr_status status;

	*out = NULL;
	if (!b) {
		pthread_once(&once, add_hook);
		b = mem_alloc(sizeof(*b));
		if (!b)
			return fail_memory(key->name);
		b->device = device;
		b->key = *key;
		status = build_kernel(queue, build, b);
		if (status) {
			free_built(b);
			return status;
		}
		b = add_built(b);
	}
	*out = b->kernel;
	return DPR_OK;
}
