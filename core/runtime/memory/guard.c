/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c - guards: bytes behind allocations, by which the layer "check" finds
   kernels that write past an argument. */
#include "core/runtime/memory/guard.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/base/refs.h"
#include "core/base/text.h"
#include "core/runtime/layer/finding.h"
#include "core/runtime/memory/allocation.h"
#include "core/runtime/queue/tickets.h"

/* The most kernels that a finding names, and how long their names may be. */
#define NAMES_MOST 4
#define NAME_ROOM 64

/* An allocation that a launch has as an argument.  In the list of its guard
   until the launch is over and was looked at. */
struct guard_use {
	struct guard *guard; /* with a reference */
	const struct guard_watch *watch;
	struct guard_use *next, **at;
	uint32_t arg; /* the first argument in this allocation */
	bool more;    /* further arguments use the allocation */
};

/* A launch whose arguments have guards. */
struct guard_watch {
	char name[NAME_ROOM];
	size_t n;
	struct guard_use uses[];
};

/* The references are those of the allocation and of the launches. */
struct guard {
	struct refs refs;
	struct layer *layer;
	size_t size; /* the size of the allocation */
	pthread_mutex_t lock;
	/* Guards the fields below, and the links of the launches. */
	unsigned char *bytes; /* NULL: the allocation is gone */
	struct guard_use *first, **last;
};

size_t guard_bytes(const dpr_device *device, size_t size)
{
	size_t sum;

	if (__builtin_add_overflow(size, GUARD_BYTES, &sum) ||
	    (device->max_alloc && sum > device->max_alloc))
		return 0;
	return GUARD_BYTES;
}

/* Byte number @i of the pattern.  Neighbours differ, so values that kernels
   often store do not look like the pattern. */
static unsigned char pattern_at(size_t i)
{
	return (unsigned char)(0xd3 + 37 * i);
}

static void fill_pattern(unsigned char *bytes)
{
	size_t i;

	for (i = 0; i < GUARD_BYTES; i++)
		bytes[i] = pattern_at(i);
}

static void guard_release(struct guard *guard)
{
	if (!refs_drop(&guard->refs))
		return;
	pthread_mutex_destroy(&guard->lock);
	mem_free(guard);
}

void guard_lay(dpr_usm *usm)
{
	struct guard *guard;

	if (!usm->address)
		return;
	guard = mem_alloc(sizeof(*guard));
	if (!guard)
		return;
	refs_init(&guard->refs);
	guard->layer = usm->queue->plugin->layer;
	guard->size = usm->size;
	guard->bytes = (unsigned char *)usm->address + usm->size;
	guard->last = &guard->first;
	pthread_mutex_init(&guard->lock, NULL);
	fill_pattern(guard->bytes);
	usm->guard = guard;
}

/* --- Looking ---------------------------------------------------------------
 */

/* Print which launches may have changed the guard. */
static void print_launches_locked(const struct guard *guard, struct text *text)
{
	const struct guard_use *use = guard->first;
	size_t n = 0;

	if (!use)
		text_print(text, "something that is no launch with it as an "
				 "argument");
	else
		text_print(text, use->next ? "one of the kernels " : "kernel ");
	for (; use && n < NAMES_MOST; use = use->next, n++)
		text_print(text, "%s%s (argument %u%s)", n ? ", " : "",
			   use->watch->name, use->arg,
			   use->more ? " or a later one" : "");
	for (n = 0; use; use = use->next)
		n++;
	if (n)
		text_print(text, " and %zu more", n);
}

/* Compare the guard with its pattern.  If the guard has changed, describe the
   change in @text, and write the pattern again. */
static void look_locked(struct guard *guard, struct text *text)
{
	size_t past = guard->bytes ? GUARD_BYTES : 0;

	while (past && guard->bytes[past - 1] == pattern_at(past - 1))
		past--;
	if (!past)
		return;
	print_launches_locked(guard, text);
	text_print(text,
		   " has written up to %zu byte%s%s past the end of an "
		   "allocation of %zu bytes",
		   past, past > 1 ? "s" : "",
		   past == GUARD_BYTES ? " or more" : "", guard->size);
	fill_pattern(guard->bytes);
}

/* Log what look_locked() has found.  @text is empty if that was nothing. */
static void report(const struct guard *guard, enum entry entry,
		   struct text *text)
{
	if (text->size)
		finding_post(guard->layer, entry, DPR_LOG_ERROR,
			     FINDING_PROGRAM, "writes within the allocation",
			     "%s", text_get(text));
	text_fini(text);
}

void guard_end(dpr_usm *usm)
{
	struct guard *guard = usm->guard;
	struct text text = { 0 };
	bool watched;

	usm->guard = NULL;
	pthread_mutex_lock(&guard->lock);
	watched = guard->first != NULL;
	look_locked(guard, &text);
	guard->bytes = NULL;
	pthread_mutex_unlock(&guard->lock);
	report(guard, watched ? ENTRY_queue_launch : ENTRY_mem_free, &text);
	guard_release(guard);
}

bool guard_is_watched(const dpr_usm *usm)
{
	struct guard *guard = usm->guard;
	bool watched;

	pthread_mutex_lock(&guard->lock);
	watched = guard->first != NULL;
	pthread_mutex_unlock(&guard->lock);
	return watched;
}

/* --- Launches --------------------------------------------------------------
 */

/* Add argument @arg, memory of @usm, to a launch. */
static void add_use(struct guard_watch *watch, const dpr_usm *usm, uint32_t arg)
{
	struct guard *guard = usm->guard;
	struct guard_use *use = watch->uses;

	while (use < watch->uses + watch->n && use->guard != guard)
		use++;
	if (use < watch->uses + watch->n) {
		use->more = true;
		return;
	}
	watch->n++;
	refs_take(&guard->refs);
	*use = (struct guard_use){ .guard = guard, .watch = watch, .arg = arg };
	pthread_mutex_lock(&guard->lock);
	use->at = guard->last;
	*guard->last = use;
	guard->last = &use->next;
	pthread_mutex_unlock(&guard->lock);
}

struct guard_watch *guard_watch_begin(const char *name,
				      const dprp_launch *launch,
				      const struct use *uses)
{
	struct guard_watch *watch;
	uint32_t i;

	watch = mem_alloc(sizeof(*watch) +
			  launch->n_args * sizeof(watch->uses[0]));
	if (!watch)
		return NULL;
	memcpy(watch->name, name, strnlen(name, NAME_ROOM - 1));
	for (i = 0; i < launch->n_args; i++) {
		if (launch->args[i].kind != DPRP_ARG_MEM)
			continue;
		if (uses->usm->guard)
			add_use(watch, uses->usm, i);
		uses++;
	}
	if (watch->n)
		return watch;
	mem_free(watch);
	return NULL;
}

/* End a launch; with @look, compare the guards of its arguments. */
static void end_watch(struct guard_watch *watch, bool look)
{
	size_t i;

	for (i = 0; i < watch->n; i++) {
		struct guard_use *use = &watch->uses[i];
		struct guard *guard = use->guard;
		struct text text = { 0 };

		pthread_mutex_lock(&guard->lock);
		if (look)
			look_locked(guard, &text);
		*use->at = use->next;
		if (use->next)
			use->next->at = use->at;
		else
			guard->last = use->at;
		pthread_mutex_unlock(&guard->lock);
		report(guard, ENTRY_queue_launch, &text);
		guard_release(guard);
	}
	mem_free(watch);
}

static void look_and_free(void *watch)
{
	end_watch(watch, true);
}

void guard_watch_end(struct guard_watch *watch, dpr_queue *queue,
		     uint64_t ticket, bool sent)
{
	if (!watch)
		return;
	if (!sent || !tickets_pin(queue, ticket, watch, look_and_free))
		end_watch(watch, false);
}
