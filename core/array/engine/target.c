/* SPDX-License-Identifier: Apache-2.0 */
/* target.c - facts about a device that array kernels depend on, found out
   once. */
#include "core/array/engine/target.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <dpr/info.h>
#include <dpr/program.h>

#include "core/base/mem.h"
#include "core/base/process.h"
#include "kernels/libraries.h"

/* The bytes of local memory if a device does not report this size: the least
   that OpenCL allows. */
#define LEAST_LOCAL 32768

/* USUAL_CACHE: the bytes of the last-level cache if a device does not report
   this size.  A larger size than LARGEST_CACHE is not believed: a virtual
   machine reports the whole cache of its host, but has only a part of it. */
#define USUAL_CACHE (UINT64_C(32) << 20)
#define LARGEST_CACHE (UINT64_C(128) << 20)

/* A device and its facts; kept until dpr_finalize(). */
struct known_target {
	struct known_target *next;
	const dpr_device *device;
	struct target target;
};

/* Guards additions to the list.  A launch walks the list without the mutex,
   because the list only grows. */
static pthread_mutex_t target_mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct known_target *) target_list;
/* set by target_stream_from(); 0: use the value of each target */
static _Atomic int64_t stream_bytes;

/* Choose the format.  Returns false if memory ran out. */
static bool find_format(dpr_device *device, struct target *target)
{
	char list[1024];
	size_t need = 0;
	const dpr_status status = dpr_device_info(device, DPR_INFO_FORMATS,
						  list, sizeof(list), &need);
	const char *name;

	target->format =
		formats_choose(list, status ? 0 : need,
			       dpr_device_get_type(device) == DPR_DEVICE_CPU);
	target->has_calls =
		formats_has(list, status ? 0 : need, DPRP_CALLS_FORMAT);
	target->takes_text = target->format == &formats_text ||
			     formats_prefers_text(list, status ? 0 : need);
	name = target->format->in_files ? list : target->format->name;
	if (name)
		memcpy(target->format_name, name, strlen(name) + 1);
	return status != DPR_ERROR_OUT_OF_MEMORY;
}

/* Find the number of bytes from which on target_streams() is true: half of the
   last-level cache.  The other half is for the other operands of the kernel
   that reads the results next. */
static int64_t find_stream_bytes(const dpr_device *device)
{
	uint64_t cache = 0;

	if (dpr_device_info_u64(device, DPR_INFO_GLOBAL_CACHE_SIZE, &cache) ||
	    !cache)
		cache = USUAL_CACHE;
	return (int64_t)((cache < LARGEST_CACHE ? cache : LARGEST_CACHE) / 2);
}

/* The most bytes of arguments.  A device may report another limit for native
   kernels. */
static uint64_t find_parameter_bytes(const dpr_device *device,
				     const struct target *target)
{
	uint64_t bytes = 0;

	if (target->format->is_native &&
	    !dpr_device_info_u64(device, DPR_INFO_MAX_NATIVE_PARAMETER_SIZE,
				 &bytes))
		return bytes;
	return dpr_device_info_u64(device, DPR_INFO_MAX_PARAMETER_SIZE, &bytes)
		       ? UINT64_MAX
		       : bytes;
}

static void describe_device(struct target *target, dpr_device *device)
{
	uint64_t config = 0, align = 1, largest = 0;

	target->is_known = find_format(device, target);
	target->binds_anywhere =
		dpr_device_info_u64(device, DPR_INFO_SUB_BUFFER_ALIGN,
				    &align) != DPR_OK ||
		align <= 1;
	if (dpr_device_info_u64(device, DPR_INFO_COMPUTE_UNITS,
				&target->cores) ||
	    !target->cores)
		target->cores = 1;
	target->parameter_bytes = find_parameter_bytes(device, target);
	if (dpr_device_info_u64(device, DPR_INFO_LOCAL_MEM_SIZE,
				&target->local_bytes))
		target->local_bytes = LEAST_LOCAL;
	target->stream_bytes = find_stream_bytes(device);
	if (dpr_device_info_u64(device, DPR_INFO_SINGLE_FP_CONFIG, &config) ==
		    DPR_OK &&
	    config & DPR_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)
		target->flags |= DPR_BUILD_ROUNDED;
	if (dpr_device_info_u64(device, DPR_INFO_MAX_ALLOC_SIZE, &largest) ==
		    DPR_OK &&
	    largest >= UINT64_C(1) << 32)
		target->flags |= DPR_BUILD_LARGE;
}

/* Called by dpr_finalize(), when no array and no queue exists and so no kernel
   is in use. */
static void drop_targets(void)
{
	struct known_target *known, *next;

	known = atomic_exchange(&target_list, NULL);
	for (; known; known = next) {
		next = known->next;
		mem_free(known);
	}
}

static void add_hook(void)
{
	static struct kept_hook hook = { NULL, NULL, drop_targets };

	process_add_kept(&hook);
}

static struct known_target *find_target(const dpr_device *device)
{
	struct known_target *known =
		atomic_load_explicit(&target_list, memory_order_acquire);

	while (known && known->device != device)
		known = known->next;
	return known;
}

const struct target *target_of(dpr_device *device)
{
	static const struct target unknown = { .format = &formats_none,
					       .cores = 1,
					       .stream_bytes =
						       USUAL_CACHE / 2 };
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct known_target *found = find_target(device), *made;

	if (found)
		return &found->target;
	pthread_once(&once, add_hook);
	made = mem_alloc(sizeof(*made));
	if (!made)
		return &unknown;
	made->device = device;
	describe_device(&made->target, device);
	if (!made->target.is_known) {
		mem_free(made);
		return &unknown;
	}
	pthread_mutex_lock(&target_mutex);
	found = find_target(device);
	if (!found) {
		made->next = target_list;
		atomic_store_explicit(&target_list, made, memory_order_release);
	}
	pthread_mutex_unlock(&target_mutex);
	if (!found)
		return &made->target;
	mem_free(made);
	return &found->target;
}

bool target_streams(const struct target *target, int64_t bytes)
{
	const int64_t least =
		atomic_load_explicit(&stream_bytes, memory_order_relaxed);

	return bytes >= (least ? least : target->stream_bytes);
}

void target_stream_from(int64_t bytes)
{
	atomic_store(&stream_bytes, bytes);
}
