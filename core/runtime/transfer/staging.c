/* SPDX-License-Identifier: Apache-2.0 */
/* staging.c - chunks of host memory, kept from one copy to the next. */
#include "core/runtime/transfer/staging.h"

#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/runtime/memory/pool.h"
#include "core/runtime/memory/pool_alloc.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/event_wait.h"

/* Copies of a few bytes do not take a large chunk each. */
#define SMALL ((size_t)64 << 10)
/* Smaller chunks than this cost more in submissions than they overlap. */
#define LEAST ((size_t)256 << 10)
/* Chunks of either size that are made of one device's memory, or of ordinary
   memory, at most; but each copy has one. */
#define MOST_LARGE (4 * STAGING_CHUNKS)
#define MOST_SMALL 128
/* The most that may wait to be written into one device. */
#define WAITING_LARGE (2 * STAGING_CHUNKS)
#define WAITING_SMALL 64
/* The most that are kept when nothing uses them. */
#define KEPT_LARGE (2 * STAGING_CHUNKS)
#define KEPT_SMALL 64
#define LOOK 8

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guards the list, oldest use first, and the fields of the chunks in it. */
static struct chunk *chunks, **chunks_end = &chunks;

dpr_device *staging_home(dpr_device *from, dpr_device *to)
{
	int source = from->root->has_host_memory;
	int target = to->root->has_host_memory;

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

static void chunk_free(struct chunk *chunk)
{
	if (chunk->usm)
		dpr_usm_release(chunk->usm);
	else
		mem_free(chunk->data);
	dpr_event_release(chunk->write);
	mem_free(chunk);
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

static bool is_free(const struct chunk *chunk)
{
	return !chunk->used && (!chunk->write || event_final(chunk->write));
}

/* Hand it out for a copy to @target. */
static void use_locked(struct chunk *chunk, dpr_device *target)
{
	chunk->used = true;
	chunk->target = target;
	append_locked(chunk);
}

/* A free chunk of the size that was asked for. */
static struct chunk *find_free_locked(const dpr_device *home, size_t size)
{
	struct chunk *chunk, **at;

	for (at = &chunks; (chunk = *at); at = &chunk->next) {
		if (chunk->home != home || chunk->size < size ||
		    (size <= SMALL && chunk->size > SMALL) || !is_free(chunk))
			continue;
		unlink_locked(at);
		return chunk;
	}
	return NULL;
}

/* The writes into @target that are not known to be over: the oldest of them
   into @oldest, each a reference; returns how many there are. */
static size_t waiting_locked(const dpr_device *target, size_t size,
			     dpr_event **oldest, size_t *n_oldest)
{
	struct chunk *chunk;
	size_t n = 0;

	*n_oldest = 0;
	for (chunk = chunks; chunk; chunk = chunk->next) {
		if (chunk->used || chunk->target != target || is_free(chunk) ||
		    (chunk->size <= SMALL) != (size <= SMALL))
			continue;
		n++;
		if (*n_oldest < LOOK)
			oldest[(*n_oldest)++] = dpr_event_retain(chunk->write);
	}
	return n;
}

/* Whether one of the writes is over, or gets so while this waits. */
static bool poll_any(dpr_event **events, size_t n, bool wait)
{
	bool over = false;
	size_t i;

	for (i = 0; i < n; i++)
		over |= event_poll(events[i]) >= DPR_EVENT_COMPLETE;
	/* How the write ends is its own copy's affair. */
	if (!over && wait && n)
		over = !event_wait_final(events[0], DPR_FOREVER);
	for (i = 0; i < n; i++)
		dpr_event_release(events[i]);
	return over;
}

/* Whether another chunk may be made of @home's memory.  Those in use count. */
static bool has_room_locked(const dpr_device *home, size_t size)
{
	size_t n = 0, most = size <= SMALL ? MOST_SMALL : MOST_LARGE;
	const struct chunk *chunk;

	for (chunk = chunks; chunk; chunk = chunk->next)
		n += chunk->home == home &&
		     (chunk->size <= SMALL) == (size <= SMALL);
	return n < most;
}

/* Memory for a chunk of @home, if there is some at once. */
static dpr_usm *home_memory(dpr_device *home, size_t size)
{
	dpr_queue *queue;
	dpr_usm *usm = NULL;

	if ((!home->max_alloc || size <= home->max_alloc) &&
	    !dpr_device_queue(home, &queue))
		(void)!pool_alloc_try(queue, DPR_USM_HOST, size, false, &usm);
	return usm;
}

/* A new one, in the list before it has memory, so that it is counted; with
   @must however many there are. */
static struct chunk *chunk_new(dpr_device *home, dpr_device *target,
			       size_t size, bool must)
{
	struct chunk *chunk = mem_alloc(sizeof(*chunk)), **at;
	bool room;

	if (!chunk)
		return NULL;
	chunk->size = size <= SMALL ? SMALL : STAGING_CHUNK;
	chunk->home = home;
	pthread_mutex_lock(&lock);
	room = must || has_room_locked(home, size);
	if (room)
		use_locked(chunk, target);
	pthread_mutex_unlock(&lock);
	if (room && !home)
		chunk->data = mem_alloc(chunk->size);
	else if (room)
		chunk->usm = home_memory(home, chunk->size);
	if (chunk->usm)
		chunk->data = dpr_usm_address(chunk->usm);
	if (chunk->data)
		return chunk;
	if (room) {
		pthread_mutex_lock(&lock);
		for (at = &chunks; *at != chunk; at = &(*at)->next)
			;
		unlink_locked(at);
		pthread_mutex_unlock(&lock);
	}
	chunk_free(chunk);
	return NULL;
}

/* staging_take() of one kind of memory. */
static struct chunk *chunk_take(dpr_device *home, dpr_device *target,
				size_t size, bool first)
{
	size_t most = size <= SMALL ? WAITING_SMALL : WAITING_LARGE;
	dpr_event *oldest[LOOK];
	struct chunk *chunk;
	size_t n, waiting;
	bool over;

	do {
		pthread_mutex_lock(&lock);
		chunk = find_free_locked(home, size);
		n = waiting = 0;
		if (chunk)
			use_locked(chunk, target);
		else
			waiting = waiting_locked(target, size, oldest, &n);
		pthread_mutex_unlock(&lock);
		over = !chunk && poll_any(oldest, n, first && waiting >= most);
	} while (over);
	if (!chunk && (first || waiting < most))
		chunk = chunk_new(home, target, size, first && !home);
	return chunk;
}

struct chunk *staging_take(dpr_device *home, dpr_device *target, size_t size,
			   bool first)
{
	/* What goes wrong with other copies' writes is not about this one, and
	   without HOST memory the copy still goes, and so it is no failure. */
	char *text = status_keep();
	struct chunk *chunk;

	pool_set_reclaim(staging_trim);
	chunk = chunk_take(home, target, size, first);
	if (!chunk && home)
		chunk = chunk_take(NULL, target, size, first);
	status_restore(text);
	if (!chunk && first)
		status_record("copy between devices: out of host memory");
	return chunk;
}

static bool is_spare(const struct chunk *chunk, const dpr_device *home)
{
	return is_free(chunk) && (!home || chunk->home == home);
}

/* Take the free chunks of @home (NULL: all) beyond what is kept out of the
   list. */
static struct chunk *take_spare_locked(const dpr_device *home, size_t large,
				       size_t small)
{
	struct chunk *chunk, *spare = NULL, **at = &chunks;
	size_t n[2] = { 0, 0 };

	for (chunk = chunks; chunk; chunk = chunk->next)
		n[chunk->size <= SMALL] += is_spare(chunk, home);
	while ((chunk = *at)) {
		int is_small = chunk->size <= SMALL;

		if (!is_spare(chunk, home) ||
		    n[is_small] <= (is_small ? small : large)) {
			at = &chunk->next;
			continue;
		}
		n[is_small]--;
		unlink_locked(at);
		chunk->next = spare;
		spare = chunk;
	}
	return spare;
}

static size_t free_all(struct chunk *list)
{
	struct chunk *next;
	size_t bytes = 0;

	for (; list; list = next) {
		next = list->next;
		bytes += list->size;
		chunk_free(list);
	}
	return bytes;
}

/* Ask the drivers, without the lock, which writes out of @home's chunks (NULL:
   all) are over; with @size only out of chunks of that size, if there are more
   of them than are kept. */
static void poll_writes(const dpr_device *home, size_t size)
{
	size_t n = 0, of_size = 0, room = 0;
	dpr_event **events = NULL;
	struct chunk *chunk;
	char *text;

	pthread_mutex_lock(&lock);
	for (chunk = chunks; chunk; chunk = chunk->next) {
		room++;
		of_size += chunk->size == size;
	}
	if (size && of_size <= (size == SMALL ? KEPT_SMALL : KEPT_LARGE))
		room = 0;
	if (room)
		events = mem_array(room, sizeof(dpr_event *));
	for (chunk = chunks; events && chunk; chunk = chunk->next)
		if (!chunk->used && !is_free(chunk) &&
		    (!home || chunk->home == home) &&
		    (!size || chunk->size == size))
			events[n++] = dpr_event_retain(chunk->write);
	pthread_mutex_unlock(&lock);
	/* A copy that has failed has said why. */
	text = status_keep();
	(void)poll_any(events, n, false);
	status_restore(text);
	mem_free(events);
}

void staging_give(struct chunk *chunk, dpr_event *write)
{
	struct chunk *spare;
	dpr_event *old;

	/* There may be no other copy to ask what has become of them. */
	poll_writes(NULL, chunk->size);
	pthread_mutex_lock(&lock);
	old = chunk->write;
	chunk->write = write ? dpr_event_retain(write) : NULL;
	chunk->used = false;
	spare = take_spare_locked(NULL, KEPT_LARGE, KEPT_SMALL);
	pthread_mutex_unlock(&lock);
	dpr_event_release(old);
	free_all(spare);
}

size_t staging_trim(dpr_device *home)
{
	struct chunk *spare;

	poll_writes(home, 0);
	pthread_mutex_lock(&lock);
	spare = take_spare_locked(home, 0, 0);
	pthread_mutex_unlock(&lock);
	return free_all(spare);
}
