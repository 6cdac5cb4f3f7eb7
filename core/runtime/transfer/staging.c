/* SPDX-License-Identifier: Apache-2.0 */
/* staging.c - chunks of host memory, and how many there are at a time. */
#include "core/runtime/transfer/staging.h"

#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/runtime/memory/pool_alloc.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/event_wait.h"

/* The size of a small chunk, which is enough for copies of a few bytes. */
#define SMALL ((size_t)64 << 10)
/* Chunks below this size cost more in submissions than they gain by overlap. */
#define LEAST ((size_t)256 << 10)
/* The most chunks of each size in one device's memory, or in ordinary memory.
   A copy that has no chunk yet gets one even beyond that. */
#define MOST_LARGE (8 * STAGING_CHUNKS)
#define MOST_SMALL 128
/* The most chunks that may wait to be written into one device. */
#define WAITING_LARGE (2 * STAGING_CHUNKS)
#define WAITING_SMALL 64
/* The most unused chunks of ordinary memory that are kept: fresh pages would
   cost more than the copy. */
#define KEPT_LARGE (2 * STAGING_CHUNKS)
#define KEPT_SMALL 64
/* The most events that are polled at once. */
#define LOOK 8

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guards the list, oldest first, and the members of the chunks in it.  The list
   has chunks in use, chunks whose last write may not be over, and chunks of
   ordinary memory that are cached. */
static struct chunk *chunks, **chunks_end = &chunks;

dpr_device *staging_home(dpr_device *from, dpr_device *to)
{
	int source = from->root->has_host_memory;
	int target = to->root->has_host_memory;

	/* A device that does not take the other's memory would need chunks of
	   its own. */
	if (source && target &&
	    atomic_load(&to->root->bounces) !=
		    atomic_load(&from->root->bounces))
		return atomic_load(&to->root->bounces) ? to->root : from->root;
	/* A GPU gains most from memory that it can fetch by itself. */
	if (source && target)
		return to->root->type == DPR_DEVICE_GPU &&
				       from->root->type != DPR_DEVICE_GPU
			       ? to->root
			       : from->root;
	return source ? from->root : target ? to->root : NULL;
}

size_t staging_cut(uint64_t size, size_t *step)
{
	uint64_t part = (size + STAGING_CHUNKS - 1) / STAGING_CHUNKS;
	uint64_t n;

	part = (part + SMALL - 1) / SMALL * SMALL;
	if (part < LEAST)
		part = LEAST;
	if (part > STAGING_CHUNK)
		part = STAGING_CHUNK;
	if (part > size)
		part = size;
	*step = (size_t)part;
	n = part ? (size + part - 1) / part : 0;
	return n < STAGING_CHUNKS ? (size_t)n : STAGING_CHUNKS;
}

static bool is_small(const struct chunk *chunk)
{
	return chunk->size <= SMALL;
}

static void chunk_free(struct chunk *chunk)
{
	dpr_usm_release(chunk->usm);
	if (!chunk->home)
		mem_free(chunk->data);
	dpr_event_release(chunk->write);
	mem_free(chunk);
}

static void chunks_free(struct chunk *list)
{
	struct chunk *next;

	for (; list; list = next) {
		next = list->next;
		chunk_free(list);
	}
}

static void unlink_locked(struct chunk **at)
{
	struct chunk *chunk = *at;

	*at = chunk->next;
	if (!*at)
		chunks_end = at;
	chunk->next = NULL;
}

static void append_locked(struct chunk *chunk)
{
	chunk->next = NULL;
	*chunks_end = chunk;
	chunks_end = &chunk->next;
}

static bool is_over(const struct chunk *chunk)
{
	return !chunk->used && (!chunk->write || event_final(chunk->write));
}

/* Whether the last write out of the chunk may be under way. */
static bool is_waiting(const struct chunk *chunk)
{
	return !chunk->used && !is_over(chunk);
}

/* Remove the chunks whose writes are known to be over from the list, and return
   them.  With @keep, some chunks of ordinary memory stay. */
static struct chunk *take_over_locked(bool keep)
{
	struct chunk *chunk, *over = NULL, **at = &chunks;
	size_t kept[2] = { keep ? 0 : KEPT_LARGE, keep ? 0 : KEPT_SMALL };

	while ((chunk = *at)) {
		size_t most = is_small(chunk) ? KEPT_SMALL : KEPT_LARGE;

		if (!is_over(chunk) ||
		    (!chunk->home && kept[is_small(chunk)]++ < most)) {
			at = &chunk->next;
			continue;
		}
		unlink_locked(at);
		chunk->next = over;
		over = chunk;
	}
	return over;
}

/* Find an unused chunk that keeps ordinary memory of @chunk's size, and give
   that memory to @chunk.  Returns the emptied chunk, which has left the list;
   NULL: there is none. */
static struct chunk *take_kept_locked(struct chunk *chunk)
{
	struct chunk *kept, **at;

	for (at = &chunks; (kept = *at); at = &kept->next) {
		if (kept->home || !is_over(kept) || kept->size != chunk->size)
			continue;
		unlink_locked(at);
		chunk->data = kept->data;
		kept->data = NULL;
		return kept;
	}
	return NULL;
}

/* Count the chunks that wait to be written into the same device as @like. */
static size_t count_waiting_locked(const struct chunk *like)
{
	const struct chunk *chunk;
	size_t n = 0;

	for (chunk = chunks; chunk; chunk = chunk->next)
		n += is_waiting(chunk) && chunk->target == like->target &&
		     is_small(chunk) == is_small(like);
	return n;
}

/* Count the chunks in the same memory as @like, those in use too. */
static size_t count_home_locked(const struct chunk *like)
{
	const struct chunk *chunk;
	size_t n = 0;

	for (chunk = chunks; chunk; chunk = chunk->next)
		n += chunk->home == like->home &&
		     is_small(chunk) == is_small(like);
	return n;
}

/*
 * Put the oldest writes that may still run into @oldest, each with a reference.
 * Returns their number.  If @like is not NULL, only writes of chunks like @like
 * count: chunks of its size, with the same target if @same_target, and
 * otherwise with the same memory.
 */
static size_t oldest_locked(const struct chunk *like, bool same_target,
			    dpr_event **oldest)
{
	struct chunk *chunk;
	size_t n = 0;

	for (chunk = chunks; chunk && n < LOOK; chunk = chunk->next) {
		if (!is_waiting(chunk))
			continue;
		if (!like || (is_small(chunk) == is_small(like) &&
			      (same_target ? chunk->target == like->target
					   : chunk->home == like->home)))
			oldest[n++] = dpr_event_retain(chunk->write);
	}
	return n;
}

/* Whether one of the writes is over; with @wait, wait for the first.  Releases
   all events. */
static bool poll_any(dpr_event **events, size_t n, bool wait)
{
	bool over = false;
	size_t i;

	for (i = 0; i < n; i++)
		over |= event_poll(events[i]) >= DPR_EVENT_COMPLETE;
	/* A failed write concerns only its own copy. */
	if (!over && wait && n)
		over = !event_wait_final(events[0], DPR_FOREVER);
	for (i = 0; i < n; i++)
		dpr_event_release(events[i]);
	return over;
}

/* What chunk_admit() does when the bounds are reached. */
struct terms {
	bool waits; /* the copy waits until the target has room */
	bool must;  /* the chunk is admitted even beyond the bounds */
};

/* Put @chunk into the list if the bounds, or else @terms, allow one more. */
static bool chunk_admit(struct chunk *chunk, struct terms terms)
{
	size_t waiting = is_small(chunk) ? WAITING_SMALL : WAITING_LARGE;
	size_t most = is_small(chunk) ? MOST_SMALL : MOST_LARGE;
	bool full, room;
	struct chunk *over, *emptied = NULL;
	dpr_event *oldest[LOOK];
	size_t n;

	do {
		pthread_mutex_lock(&lock);
		over = take_over_locked(true);
		if (!chunk->home && !chunk->data)
			emptied = take_kept_locked(chunk);
		full = count_waiting_locked(chunk) >= waiting;
		room = !full && (terms.must || count_home_locked(chunk) < most);
		n = room ? 0 : oldest_locked(chunk, full, oldest);
		if (room)
			append_locked(chunk);
		pthread_mutex_unlock(&lock);
		chunks_free(over);
		chunks_free(emptied);
		emptied = NULL;
	} while (poll_any(oldest, n, full && terms.waits));
	/* The copy goes on even if the driver fails to wait. */
	if (!room && terms.must) {
		pthread_mutex_lock(&lock);
		append_locked(chunk);
		pthread_mutex_unlock(&lock);
	}
	return room || terms.must;
}

/* HOST memory of @home, if it can be had without waiting; else NULL, with a
   recorded error. */
static dpr_usm *home_memory(dpr_device *home, size_t size)
{
	dpr_queue *queue;
	dpr_usm *usm = NULL;

	if ((!home->max_alloc || size <= home->max_alloc) &&
	    !dpr_device_queue(home, &queue))
		(void)!pool_alloc_try(queue, DPR_USM_HOST, size, true, &usm);
	return usm;
}

/* Make a chunk in the memory of @home.  NULL: in ordinary memory.  The chunk is
   added to the list before it has memory, and so counts against the bounds. */
static struct chunk *chunk_take(dpr_device *home, dpr_device *target,
				size_t size, struct terms terms)
{
	struct chunk *chunk = mem_alloc(sizeof(*chunk)), **at;

	if (!chunk)
		return NULL;
	chunk->size = size <= SMALL ? SMALL : STAGING_CHUNK;
	chunk->home = home;
	chunk->target = target;
	chunk->used = true;
	if (!chunk_admit(chunk, terms)) {
		chunk_free(chunk);
		return NULL;
	}
	if (home) {
		chunk->usm = home_memory(home, size > SMALL ? size : SMALL);
		chunk->data = dpr_usm_address(chunk->usm);
	} else if (!chunk->data) {
		chunk->data = mem_alloc(chunk->size);
	}
	if (chunk->data)
		return chunk;
	pthread_mutex_lock(&lock);
	for (at = &chunks; *at != chunk; at = &(*at)->next)
		;
	unlink_locked(at);
	pthread_mutex_unlock(&lock);
	chunk_free(chunk);
	return NULL;
}

struct chunk *staging_take(dpr_device *home, dpr_device *target, size_t size,
			   bool first)
{
	/* A failed write of another copy, or a lack of HOST memory, must not
	   replace the last error: this copy still works. */
	char *text = status_keep();
	struct chunk *chunk = NULL;

	/* The first chunk of a copy waits until its target has room, and may
	   always be ordinary memory. */
	if (home)
		chunk = chunk_take(home, target, size,
				   (struct terms){ .waits = first });
	if (!chunk)
		chunk = chunk_take(
			NULL, target, size,
			(struct terms){ .waits = first, .must = first });
	status_restore(text);
	if (!chunk && first)
		status_record("copy between devices: out of host memory");
	return chunk;
}

struct chunk *staging_take_own(dpr_device *home, size_t size, bool first,
			       char **why)
{
	char *text = status_keep();
	/* Do not wait for room: the writes under way may come after this
	   transfer in their queue. */
	struct chunk *chunk =
		chunk_take(home, home, size, (struct terms){ .must = first });

	if (why)
		*why = !chunk && *dpr_last_error()
			       ? mem_string(dpr_last_error())
			       : NULL;
	status_restore(text);
	return chunk;
}

void staging_give(struct chunk *chunk, dpr_event *write)
{
	struct chunk *over;
	dpr_usm *usm;

	pthread_mutex_lock(&lock);
	usm = chunk->usm;
	chunk->usm = NULL;
	chunk->write = write ? dpr_event_retain(write) : NULL;
	chunk->used = false;
	over = take_over_locked(true);
	pthread_mutex_unlock(&lock);
	/* Its pool keeps the memory until the submissions that name it are
	   done. */
	dpr_usm_release(usm);
	chunks_free(over);
}

void staging_finish(void)
{
	dpr_event *oldest[LOOK];
	struct chunk *over;
	char *text = status_keep();
	size_t n;

	do {
		pthread_mutex_lock(&lock);
		over = take_over_locked(false);
		n = oldest_locked(NULL, false, oldest);
		pthread_mutex_unlock(&lock);
		chunks_free(over);
	} while (poll_any(oldest, n, false));
	status_restore(text);
}
