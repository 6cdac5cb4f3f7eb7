/* SPDX-License-Identifier: Apache-2.0 */
/* whole.c - routines: builds their kernels, and keeps them. */
#include "core/array/launch/whole.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include <dpr/program.h>

#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "kernels/routine_matmul.h"

/* The name of a kernel is that of its routine and of a dtype. */
#define NAME_SIZE 48

/* The routines. */
static const struct routine {
	const char *name;
	const dprp_native_module *native;
} table[WHOLE_ROUTINES] = {
	[WHOLE_MATMUL] = { "matmul", &routine_matmul_module },
};

/* A kernel of a device.  It never changes once it is in the list. */
struct whole {
	struct whole *next;
	const dpr_device *device;
	enum whole_routine routine;
	dpr_dtype dtype;
	/* NULL: the device does not have the kernel */
	dpr_program *program;
	dpr_kernel *kernel;
};

/* The kernels that were asked for.  The list only grows until it is dropped,
   and is read without the lock.  The mutex guards additions. */
static pthread_mutex_t whole_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct whole *_Atomic whole_list;

static struct whole *find_whole(const dpr_device *device,
				enum whole_routine routine, dpr_dtype dtype)
{
	struct whole *w =
		atomic_load_explicit(&whole_list, memory_order_acquire);

	while (w && (w->device != device || w->routine != routine ||
		     w->dtype != dtype))
		w = w->next;
	return w;
}

static void free_whole(struct whole *w)
{
	dpr_kernel_release(w->kernel);
	dpr_program_release(w->program);
	mem_free(w);
}

/* Called by dpr_finalize(), when no array and no queue exists. */
static void drop_wholes(void)
{
	struct whole *w = atomic_exchange(&whole_list, NULL), *next;

	for (; w; w = next) {
		next = w->next;
		free_whole(w);
	}
}

static void count_wholes(size_t *programs, size_t *kernels)
{
	const struct whole *w = atomic_load(&whole_list);

	for (; w; w = w->next) {
		*programs += w->program != NULL;
		*kernels += w->kernel != NULL;
	}
}

static void add_hook(void)
{
	static struct kept_hook hook = { NULL, count_wholes, drop_wholes };

	process_add_kept(&hook);
}

/* Build the kernel of @w.  A refusal leaves it NULL. */
static dpr_status build(dpr_queue *queue, const struct target *target,
			struct whole *w)
{
	const struct routine *routine = &table[w->routine];
	const dpr_build_options options = { .struct_size = sizeof(options),
					    .flags = target->flags };
	const dpr_image image = { .format = target->format_name,
				  .data = routine->native,
				  .size = sizeof(*routine->native) };
	char name[NAME_SIZE], *text = status_keep();
	dpr_status status;

	snprintf(name, sizeof(name), "%s_%s", routine->name,
		 dpr_dtype_name(w->dtype));
	status = dpr_program_build(queue, &image, 1, &options, &w->program);
	if (!status)
		status = dpr_kernel_create(w->program, name, &w->kernel);
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
static struct whole *add_whole(struct whole *made)
{
	struct whole *found;

	pthread_mutex_lock(&whole_mutex);
	found = find_whole(made->device, made->routine, made->dtype);
	if (!found) {
		made->next = atomic_load(&whole_list);
		atomic_store_explicit(&whole_list, made, memory_order_release);
	}
	pthread_mutex_unlock(&whole_mutex);
	if (found)
		free_whole(made);
	return found ? found : made;
}

bool whole_has_format(const struct target *target)
{
	return target->format->is_native;
}

dpr_status whole_get(dpr_queue *queue, enum whole_routine routine,
		     dpr_dtype dtype, dpr_kernel **out)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	dpr_device *device = dpr_queue_device(queue);
	const struct target *target = target_of(device);
	struct whole *w = find_whole(device, routine, dtype);
	dpr_status status;

	*out = NULL;
	if (!w && !whole_has_format(target))
		return DPR_OK;
	if (!w) {
		pthread_once(&once, add_hook);
		w = mem_alloc(sizeof(*w));
		if (!w)
			return fail_memory(table[routine].name);
		w->device = device;
		w->routine = routine;
		w->dtype = dtype;
		status = build(queue, target, w);
		if (status) {
			free_whole(w);
			return status;
		}
		w = add_whole(w);
	}
	*out = w->kernel;
	return DPR_OK;
}
