/* SPDX-License-Identifier: Apache-2.0 */
/* eager_cache.c - the kernels of single operations, found without a lock. */
#include "core/array/engine/eager_cache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <dpr/launch.h>

#include "core/array/engine/send.h"
#include "core/base/process.h"

#define EAGER_CACHE_MOST 256
#define EAGER_CACHE_PLACES 1024 /* a power of two */
#define EAGER_CACHE_TRIES 8     /* the most places at which a search looks */

/* Guards additions to the cache.  eager_cache_find() reads without the mutex,
   because slots are only removed in dpr_finalize(), when no thread computes
   anything. */
static pthread_mutex_t eager_cache_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct eager_kernel *_Atomic eager_cache_place[EAGER_CACHE_PLACES];
static struct eager_kernel eager_cache_list[EAGER_CACHE_MOST];
static size_t eager_cache_count;

/* --- The table ---------------------------------------------------------- */

static uint32_t make_key(unsigned operation, unsigned dtype, unsigned scalars)
{
	return operation << 16 | dtype << 8 | scalars;
}

static struct eager_kernel *_Atomic *place(const dpr_device *device,
					   uint32_t key, uint32_t at)
{
	const uint64_t hash =
		((uintptr_t)device / 16 + key) * UINT64_C(0x9e3779b97f4a7c15);

	return &eager_cache_place[((hash >> 48) + at) % EAGER_CACHE_PLACES];
}

static struct eager_kernel *find(const dpr_device *device, uint32_t key)
{
	for (uint32_t at = 0; at < EAGER_CACHE_TRIES; at++) {
		struct eager_kernel *slot = atomic_load_explicit(
			place(device, key, at), memory_order_acquire);

		if (!slot || (slot->key == key && slot->device == device))
			return slot;
	}
	return NULL;
}

const struct eager_kernel *eager_cache_find(const dpr_device *device,
					    unsigned operation, unsigned dtype,
					    unsigned scalars)
{
	return find(device, make_key(operation, dtype, scalars));
}

/* Called by dpr_finalize(), when no array exists and so no launch is in
   progress. */
static void drop_slots(void)
{
	pthread_mutex_lock(&eager_cache_mutex);
	for (size_t i = 0; i < EAGER_CACHE_PLACES; i++)
		atomic_store(&eager_cache_place[i], NULL);
	eager_cache_count = 0;
	pthread_mutex_unlock(&eager_cache_mutex);
}

static void add_hook(void)
{
	static struct kept_hook hook = { NULL, NULL, drop_slots };

	process_add_kept(&hook);
}

/* --- Making ------------------------------------------------------------- */

/* If @graph is a single operation (singles.h), describe the graph in @slot and
   return true. */
static bool describe(struct eager_kernel *slot, const struct graph *graph)
{
	struct single single;

	if (!singles_find(graph, &single))
		return false;
	slot->key = make_key(single.operation, single.dtype, single.numbers);
	slot->result = (dpr_dtype)schedule_operand(graph, 0);
	slot->n_arrays = (uint8_t)graph->n_inputs;
	slot->n_scalars = (uint8_t)graph->n_scalars;
	slot->scalar_words = (uint8_t)schedule_scalar_words(graph, 0);
	slot->pack = (uint8_t)schedule_pack(graph);
	slot->packs = slot->target->format->flat_packs
			      ? (uint8_t)slot->target->format->flat_packs(graph)
			      : 1;
	slot->size = (uint8_t)dpr_dtype_size((dpr_dtype)single.dtype);
	slot->result_size = (uint8_t)dpr_dtype_size(slot->result);
	return true;
}

/* Put a new slot into the table and return the slot.  NULL: the cache has too
   many slots, or no free place for this slot. */
static struct eager_kernel *add_slot(const struct eager_kernel *about)
{
	struct eager_kernel *slot = &eager_cache_list[eager_cache_count];

	for (uint32_t at = 0;
	     at < EAGER_CACHE_TRIES && eager_cache_count < EAGER_CACHE_MOST;
	     at++) {
		struct eager_kernel *_Atomic *to =
			place(about->device, about->key, at);

		if (atomic_load_explicit(to, memory_order_relaxed))
			continue;
		*slot = *about;
		eager_cache_count++;
		atomic_store_explicit(to, slot, memory_order_release);
		return slot;
	}
	return NULL;
}

void eager_cache_add(const dpr_device *device, const struct target *target,
		     const struct graph *graph, const struct schedule *schedule,
		     const struct kernel_store_kernel *made)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const int which = schedule->gpu.aligned || schedule->cpu.stream;
	struct eager_kernel about = { .device = device, .target = target },
			    *slot;

	if (schedule->kind != SCHEDULE_FLAT || !describe(&about, graph))
		return;
	slot = find(device, about.key);
	if (slot &&
	    atomic_load_explicit(&slot->made[which], memory_order_relaxed))
		return;
	pthread_once(&once, add_hook);
	pthread_mutex_lock(&eager_cache_mutex);
	slot = find(device, about.key);
	if (!slot)
		slot = add_slot(&about);
	if (slot &&
	    !atomic_load_explicit(&slot->made[which], memory_order_relaxed) &&
	    kernel_store_hold(made))
		atomic_store_explicit(&slot->made[which], made,
				      memory_order_release);
	pthread_mutex_unlock(&eager_cache_mutex);
}

/* --- Launching ---------------------------------------------------------- */

/* Choose a kernel for these arrays.  Returns its index in slot->made.  -1: an
   array begins inside its allocation, but kernels of this device only take
   pointers to the first byte of an allocation. */
static int choose(const struct eager_kernel *slot, const dpr_array *out,
		  const dpr_array *const *x)
{
	const bool is_native = slot->target->format->is_native;
	/* not 0 if some array does not begin at a multiple of its `unit`, in
	   bytes; in native code only @out counts */
	uintptr_t low = 0;

	for (int k = -1; k < slot->n_arrays; k++) {
		const dpr_array *array = k < 0 ? out : x[k];
		const uintptr_t address =
			(uintptr_t)dpr_usm_address(array->usm);
		const size_t size = k < 0 ? slot->result_size : slot->size;
		const size_t unit =
			is_native ? SCHEDULE_STREAM_LINE : slot->pack * size;

		if (array->offset &&
		    (!address || !slot->target->binds_anywhere))
			return -1;
		if (k < 0 || !is_native)
			low |= (address + (size_t)array->offset * size) &
			       (unit - 1);
	}
	if (low)
		return 0;
	return !is_native ||
	       target_streams(slot->target,
			      out->size * (int64_t)(slot->result_size +
						    (size_t)slot->n_arrays *
							    slot->size));
}

static void set_operand(dpr_arg *arg, const dpr_array *x, size_t size,
			uint32_t access)
{
	arg->kind = DPR_ARG_USM;
	arg->access = access;
	arg->size = 0;
	arg->as.at.usm = x->usm;
	arg->as.at.offset = (size_t)x->offset * size;
}

bool eager_cache_launch(const char *what, const struct eager_kernel *slot,
			dpr_array *out, const dpr_array *const *x,
			const struct engine_scalar *scalars, dpr_status *status)
{
	const int which = choose(slot, out, x);
	uint64_t words[1 + 2 * SLOTS_OPERANDS];
	dpr_arg args[SLOTS_OPERANDS + 2];
	struct send send = { .what = what,
			     .queue = out->queue,
			     .target = slot->target,
			     .args = args,
			     .n_args = slot->n_arrays + 1u,
			     .words = words };
	dpr_range range;
	unsigned items; /* the elements of a work-item */
	uint64_t *to = words;

	if (which < 0)
		return false;
	send.made =
		atomic_load_explicit(&slot->made[which], memory_order_acquire);
	if (!send.made)
		return false;
	items = which ? (unsigned)slot->pack * slot->packs : slot->pack;
	range = send_range(((uint64_t)out->size + items - 1) / items,
			   slot->target->format->flat_group);
	set_operand(&args[0], out, slot->result_size,
		    array_write_access(out, out->size));
	for (int k = 0; k < slot->n_arrays; k++)
		set_operand(&args[k + 1], x[k], slot->size, DPR_READ);
	*to++ = (uint64_t)out->size;
	for (int k = 0; k < slot->n_scalars; k++, to += slot->scalar_words)
		memcpy(to, scalars[k].bytes,
		       slot->scalar_words * sizeof(words[0]));
	send.n_words = (size_t)(to - words);
	*status = send_launch(&send, &range);
	return true;
}
