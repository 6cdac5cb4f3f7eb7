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
#include "core/base/text.h"
#include "kernels/images.h"
#include "kernels/routine_matmul.h"

/* The most bytes of a kernel's name: a routine and a dtype, as in
   "matmul_float32". */
#define NAME_SIZE 48

/* The routines.  Three macros come before the text of a kernel.  DPR_DTYPE is
   the dtype, ROUTINE the name of the kernel, and VARIANT the number of the
   variant. */
static const struct routine {
	const char *name;
	const dprp_native_module *native;
	struct image (*text)(void);
	uint64_t group; /* the size of a work-group, for text */
} table[WHOLE_ROUTINES] = {
	[WHOLE_MATMUL] = { "matmul", &routine_matmul_module, images_matmul,
			   256 },
};

/* A kernel of a device.  It never changes once it is in the list. */
struct whole {
	struct whole *next;
	struct whole_key {
		const dpr_device *device;
		enum whole_routine routine;
		dpr_dtype dtype;
		int variant;
	} key;
	/* NULL: the device does not have the kernel */
	dpr_program *program;
	dpr_kernel *kernel;
};

/* The kernels that were asked for.  The list only grows until it is dropped,
   and is read without the lock.  The mutex guards additions. */
static pthread_mutex_t whole_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct whole *_Atomic whole_list;

static struct whole *find_whole(const struct whole_key *key)
{
	struct whole *w =
		atomic_load_explicit(&whole_list, memory_order_acquire);

	while (w &&
	       (w->key.device != key->device ||
		w->key.routine != key->routine || w->key.dtype != key->dtype ||
		w->key.variant != key->variant))
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

/* --- Building ------------------------------------------------------------- */

static dpr_status build_image(dpr_queue *queue, const struct target *target,
			      const struct image *code, const char *name,
			      struct whole *w)
{
	const struct kernel_format *format =
		target->format->is_native ? &formats_native : &formats_text;
	const dpr_build_options options = { .struct_size = sizeof(options),
					    .flags = target->flags,
					    .compiler = format->options };
	const dpr_image image = { .format = format->name,
				  .data = code->data,
				  .size = code->size };
	dpr_status status =
		dpr_program_build(queue, &image, 1, &options, &w->program);

	if (!status)
		status = dpr_kernel_create(w->program, name, &w->kernel);
	return status;
}

/* Release the kernel if the driver cannot run work-groups of the routine's
   size. */
static dpr_status check_group(const struct routine *routine, struct whole *w)
{
	dpr_kernel_info info;
	dpr_status status = dpr_kernel_get_info(w->kernel, &info);

	if (status || !info.max_work_group_size ||
	    info.max_work_group_size >= routine->group)
		return status;
	dpr_kernel_release(w->kernel);
	w->kernel = NULL;
	return DPR_OK;
}

static dpr_status build_text(dpr_queue *queue, const struct target *target,
			     const char *name, struct whole *w)
{
	const struct routine *routine = &table[w->key.routine];
	const struct image text = routine->text();
	struct text code = { 0 };
	dpr_status status;

	text_print(&code,
		   "#define DPR_DTYPE %d\n#define ROUTINE %s\n"
		   "#define VARIANT %d\n",
		   (int)w->key.dtype, name, w->key.variant);
	text_add(&code, text.data, text.size);
	if (code.failed)
		status = fail_memory(name);
	else
		status = build_image(queue, target,
				     &(struct image){ code.bytes, code.size },
				     name, w);
	text_fini(&code);
	return status ? status : check_group(routine, w);
}

/* Build the kernel of @w.  If the device or its compiler refuses, the kernel
   stays NULL, and this is no failure. */
static dpr_status build(dpr_queue *queue, const struct target *target,
			struct whole *w)
{
	const struct routine *routine = &table[w->key.routine];
	const struct image native = { routine->native,
				      sizeof(*routine->native) };
	char name[NAME_SIZE], *text = status_keep();
	dpr_status status;

	snprintf(name, sizeof(name), "%s_%s", routine->name,
		 dpr_dtype_name(w->key.dtype));
	status = target->format->is_native
			 ? build_image(queue, target, &native, name, w)
			 : build_text(queue, target, name, w);
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
	found = find_whole(&made->key);
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
	return target->format->is_native || target->takes_text;
}

dpr_status whole_get(dpr_queue *queue, enum whole_routine routine,
		     dpr_dtype dtype, int variant, dpr_kernel **out)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	dpr_device *device = dpr_queue_device(queue);
	const struct target *target = target_of(device);
	const struct whole_key key = { device, routine, dtype, variant };
	struct whole *w = find_whole(&key);
	dpr_status status;

	*out = NULL;
	if (!w && !whole_has_format(target))
		return DPR_OK;
	if (!w) {
		pthread_once(&once, add_hook);
		w = mem_alloc(sizeof(*w));
		if (!w)
			return fail_memory(table[routine].name);
		w->key = key;
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
