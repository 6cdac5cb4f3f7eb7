/* SPDX-License-Identifier: Apache-2.0 */
/* modules.c - the modules and kernels that are loaded, in one table per
   device. */
#include "core/array/launch/modules.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <dpr/device.h>

#include "core/array/engine/engine.h"
#include "core/base/process.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* What is loaded on one device; kept until dpr_finalize(). */
struct device_modules {
	struct device_modules *next;
	dpr_device *device;
	/* A device that takes PTX gets no source: its driver's compiler for
	   source is in another library, which may be missing. */
	const struct target *target;
	dpr_program *program[IMAGES_FAMILIES][IMAGES_TYPES];
	/* Whether a thread is building it; `modules_built` is signalled at the
	   end. */
	bool building[IMAGES_FAMILIES][IMAGES_TYPES];
	/* Each is set once, under the mutex, and read without it (acquire,
	   pairs with the release that sets it). */
	_Atomic(dpr_kernel *) kernel[IMAGES_FAMILIES][IMAGES_TYPES]
				    [MODULES_KERNELS];
};

/* Guards the programs and kernels in the entries, and additions to the list.  A
   launch walks the list without the mutex, since it only grows.  Never held
   during a build. */
static pthread_mutex_t modules_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t modules_built = PTHREAD_COND_INITIALIZER;
static _Atomic(struct device_modules *) modules_list;

static const char *const kernel_names[] = {
#define MODULES__X(name) #name,
	MODULES_KERNEL_MAP(MODULES__X)
#undef MODULES__X
};

static struct device_modules *find_modules(const dpr_device *device)
{
	struct device_modules *m =
		atomic_load_explicit(&modules_list, memory_order_acquire);

	while (m && m->device != device)
		m = m->next;
	return m;
}

/* Kernels that come in files have a program each, which only they hold. */
static bool is_in_files(const struct device_modules *m)
{
	return *m->target->own_format;
}

static void count_module(const struct device_modules *m, size_t *programs,
			 size_t *kernels)
{
	const size_t before = *kernels;

	for (int f = 0; f < IMAGES_FAMILIES; f++)
		for (int t = 0; t < IMAGES_TYPES; t++) {
			*programs += m->program[f][t] != NULL;
			for (int k = 0; k < MODULES_KERNELS; k++)
				*kernels += m->kernel[f][t][k] != NULL;
		}
	if (is_in_files(m))
		*programs += *kernels - before;
}

static void count_modules(size_t *programs, size_t *kernels)
{
	pthread_mutex_lock(&modules_mutex);
	for (struct device_modules *m = modules_list; m; m = m->next)
		count_module(m, programs, kernels);
	pthread_mutex_unlock(&modules_mutex);
}

static void free_module(struct device_modules *m)
{
	for (int f = 0; f < IMAGES_FAMILIES; f++)
		for (int t = 0; t < IMAGES_TYPES; t++) {
			for (int k = 0; k < MODULES_KERNELS; k++)
				dpr_kernel_release(m->kernel[f][t][k]);
			dpr_program_release(m->program[f][t]);
		}
	mem_free(m);
}

/* No kernel is in use now: its user would hold an array or a queue, and then
   the library frees nothing. */
static void drop_modules(void)
{
	struct device_modules *m, *next;

	pthread_mutex_lock(&modules_mutex);
	m = modules_list;
	modules_list = NULL;
	pthread_mutex_unlock(&modules_mutex);
	for (; m; m = next) {
		next = m->next;
		free_module(m);
	}
}

static void add_hook(void)
{
	static struct kept_hook hook = { NULL, count_modules, drop_modules };

	process_add_kept(&hook);
}

/* The entry of @device, made on first use; NULL: out of memory. */
static struct device_modules *modules_of(dpr_device *device)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct device_modules *found, *made;

	found = find_modules(device);
	if (found)
		return found;
	pthread_once(&once, add_hook);
	made = mem_alloc(sizeof(*made));
	if (!made)
		return NULL;
	made->device = device;
	made->target = target_of(device);
	if (!made->target->is_known) {
		mem_free(made);
		return NULL;
	}
	pthread_mutex_lock(&modules_mutex);
	found = find_modules(device);
	if (!found) {
		made->next = modules_list;
		atomic_store_explicit(&modules_list, made,
				      memory_order_release);
	}
	pthread_mutex_unlock(&modules_mutex);
	if (!found)
		return made;
	mem_free(made);
	return found;
}

static size_t add_image(dpr_image *images, size_t n, const char *format,
			struct image image)
{
	if (!image.data)
		return n;
	images[n] = (dpr_image){ format, NULL, image.data, image.size };
	return n + 1;
}

static dpr_status build_program(const struct device_modules *m,
				dpr_queue *queue, enum images_family family,
				unsigned type, dpr_program **out)
{
	char options[64];
	dpr_build_options build = { .struct_size = sizeof(build),
				    .flags = m->target->flags };
	dpr_image images[4];
	size_t n = 0;

	snprintf(options, sizeof(options),
		 "-cl-std=CL1.2 -w -DDPR_CPU=%d -DDPR_DTYPE=%u",
		 m->target->is_cpu, type);
	if (m->target->takes_ptx && !images_ptx(family, type).data)
		return fail(DPR_ERROR_UNSUPPORTED,
			    "array kernel: %s needs kernels in PTX, but this "
			    "build of dpr has none, because it was made "
			    "without clang or libclc",
			    dpr_device_selector(m->device));
	if (!m->target->takes_ptx) {
		n = add_image(images, n, "opencl-c", images_source(family));
		if (n > 0)
			build.compiler = options;
	}
	/* Native code is in the CPU shape, SPIR-V and PTX are in the GPU
	   shape. */
	if (m->target->is_cpu) {
		n = add_image(images, n, images_native_format(),
			      images_native(family, type));
	} else {
		n = add_image(images, n, "spirv", images_spirv(family, type));
		n = add_image(images, n, "ptx", images_ptx(family, type));
	}
	return dpr_program_build(queue, images, n, &build, out);
}

/* The program of (@family, @type), built on first use.  One thread builds it;
   others that need it wait. */
static dpr_status program_of(struct device_modules *m, dpr_queue *queue,
			     enum images_family family, unsigned type,
			     dpr_program **out)
{
	dpr_program **slot = &m->program[family][type], *made = NULL;
	bool *building = &m->building[family][type];
	dpr_status status;

	pthread_mutex_lock(&modules_mutex);
	while (!*slot && *building)
		pthread_cond_wait(&modules_built, &modules_mutex);
	*out = *slot;
	if (!*out)
		*building = true;
	pthread_mutex_unlock(&modules_mutex);
	if (*out)
		return DPR_OK;
	status = build_program(m, queue, family, type, &made);
	pthread_mutex_lock(&modules_mutex);
	*building = false;
	*out = *slot = made;
	pthread_cond_broadcast(&modules_built);
	pthread_mutex_unlock(&modules_mutex);
	return status;
}

/* Get a new kernel, from its program or from a file. */
static dpr_status make_kernel(struct device_modules *m, dpr_queue *queue,
			      enum images_family family, unsigned type,
			      enum modules_kernel kernel, dpr_kernel **out)
{
	char name[KERNEL_FILES_NAME];
	dpr_program *program;
	dpr_status status;

	if (!is_in_files(m)) {
		status = program_of(m, queue, family, type, &program);
		return status ? status
			      : dpr_kernel_create(program, kernel_names[kernel],
						  out);
	}
	modules_name(kernel, type, name);
	status = kernel_files_load(queue, m->target->own_format, name, &program,
				   out);
	dpr_program_release(program);
	return status;
}

void modules_name(enum modules_kernel kernel, unsigned type,
		  char name[KERNEL_FILES_NAME])
{
	snprintf(name, KERNEL_FILES_NAME, "%s_%s", kernel_names[kernel],
		 dpr_dtype_name((dpr_dtype)type));
}

dpr_status modules_kernel(dpr_queue *queue, enum images_family family,
			  unsigned type, enum modules_kernel kernel,
			  dpr_kernel **out)
{
	struct device_modules *m = modules_of(dpr_queue_device(queue));
	_Atomic(dpr_kernel *) *slot;
	dpr_kernel *made;
	dpr_status status;

	*out = NULL;
	if (!m)
		return fail_memory("array kernel");
	slot = &m->kernel[family][type][kernel];
	*out = atomic_load_explicit(slot, memory_order_acquire);
	if (*out)
		return DPR_OK;
	status = make_kernel(m, queue, family, type, kernel, &made);
	if (status)
		return status;
	pthread_mutex_lock(&modules_mutex);
	*out = atomic_load_explicit(slot, memory_order_relaxed);
	if (!*out) {
		atomic_store_explicit(slot, made, memory_order_release);
		*out = made;
		made = NULL;
	}
	pthread_mutex_unlock(&modules_mutex);
	dpr_kernel_release(made);
	return DPR_OK;
}
