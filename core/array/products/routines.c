/* SPDX-License-Identifier: Apache-2.0 */
/* routines.c - routines that a backend takes from a library. */
#include "core/array/products/routines.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <dpr/program.h>

#include "core/array/engine/target.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "kernels/libraries.h"

/* A routine of a device.  It never changes once it is in the list. */
struct routine {
	struct routine *next;
	const dpr_device *device;
	const char *name; /* a string constant */
	/* NULL: the device does not have the routine */
	dpr_program *program;
	dpr_kernel *kernel;
};

/* The routines that were asked for.  The list only grows until it is dropped,
   and is read without the lock.  The mutex guards additions. */
static pthread_mutex_t routines_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct routine *_Atomic routines_list;

static struct routine *find_routine(const dpr_device *device, const char *name)
{
	struct routine *r =
		atomic_load_explicit(&routines_list, memory_order_acquire);

	while (r && (r->device != device || strcmp(r->name, name) != 0))
		r = r->next;
	return r;
}

static void free_routine(struct routine *r)
{
	dpr_kernel_release(r->kernel);
	dpr_program_release(r->program);
	mem_free(r);
}

/* Called by dpr_finalize(), when no array and no queue exists. */
static void drop_routines(void)
{
	struct routine *r = atomic_exchange(&routines_list, NULL), *next;

	for (; r; r = next) {
		next = r->next;
		free_routine(r);
	}
}

static void count_routines(size_t *programs, size_t *kernels)
{
	struct routine *r = atomic_load(&routines_list);

	for (; r; r = r->next) {
		*programs += r->program != NULL;
		*kernels += r->kernel != NULL;
	}
}

static void add_hook(void)
{
	static struct kept_hook hook = { NULL, count_routines, drop_routines };

	process_add_kept(&hook);
}

/* Build the kernel of @r.  If the device refuses, the kernel stays NULL, and
   this is no failure. */
static dpr_status build(dpr_queue *queue, struct routine *r)
{
	const dpr_image image = { .format = DPRP_CALLS_FORMAT,
				  .data = r->name,
				  .size = strlen(r->name) };
	char name[16] = "", *text = status_keep();
	dpr_status status;

	memcpy(name, r->name, strcspn(r->name, " "));
	status = dpr_program_build(queue, &image, 1, NULL, &r->program);
	if (!status)
		status = dpr_kernel_create(r->program, name, &r->kernel);
	if (status == DPR_ERROR_UNSUPPORTED || status == DPR_ERROR_BUILD)
		status = DPR_OK;
	if (status)
		status_replace(text, status);
	else
		status_restore(text);
	return status;
}

/* Add @made to the list.  If another thread has added this routine meanwhile,
   @made is freed.  Returns the routine of the list. */
static struct routine *add_routine(struct routine *made)
{
	struct routine *found;

	pthread_mutex_lock(&routines_mutex);
	found = find_routine(made->device, made->name);
	if (!found) {
		made->next = atomic_load(&routines_list);
		atomic_store_explicit(&routines_list, made,
				      memory_order_release);
	}
	pthread_mutex_unlock(&routines_mutex);
	if (found)
		free_routine(made);
	return found ? found : made;
}

dpr_status routines_get(dpr_queue *queue, const char *name, dpr_kernel **out)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	dpr_device *device = dpr_queue_device(queue);
	struct routine *r;
	dpr_status status;

	*out = NULL;
	if (!target_of(device)->has_calls)
		return DPR_OK;
	r = find_routine(device, name);
	if (!r) {
		pthread_once(&once, add_hook);
		r = mem_alloc(sizeof(*r));
		if (!r)
			return fail_memory(name);
		r->device = device;
		r->name = name;
		status = build(queue, r);
		if (status) {
			free_routine(r);
			return status;
		}
		r = add_routine(r);
	}
	*out = r->kernel;
	return DPR_OK;
}
