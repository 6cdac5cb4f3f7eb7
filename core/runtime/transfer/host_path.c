/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_path.c - transfers from and to host memory that a plugin does not take
 * as it is.
 *
 * A transfer is cut into pieces, which a few threads move, each with two
 * chunks: while the driver works on one, the thread fills or empties the other.
 * All pieces belong to one submission, which is held meanwhile; so they come
 * after earlier work of the queue, and later work comes after them.
 */
#include "core/runtime/transfer/host_path.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "core/base/crew.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/event_wait.h"
#include "core/runtime/submit/enqueue.h"
#include "core/runtime/transfer/helpers.h"

/* The size of the largest transfers that get a chunk, from host_path_chunk(),
   before they are submitted. */
#define SMALL ((size_t)64 << 10)
/* A transfer gets a thread for each of these many bytes, up to LANES. */
#define SHARE ((uint64_t)8 << 20)
#define LANES 8u
#define SLOTS 2u
/* Reads from this size on go past the caches. */
#define STREAM_LEAST ((uint64_t)4 << 20)
/* The least size for which pages are imported. */
#define IMPORT_LEAST ((uint64_t)1 << 20)
/* The most chunks of a write that the driver may still be using when the core
   lets go of the write. */
#define LEFT 4u

/* A piece that is under way; `event` NULL: none. */
struct host_path_slot {
	struct chunk *chunk;
	dpr_event *event;
	dprp_mem *imported;
	unsigned char *host;
	size_t size;
};

struct transfer {
	struct helper_job job;
	struct held *held;
	const struct operation *operation;
	dpr_queue *queue;
	dpr_device *root;
	unsigned char *host;
	size_t page;
	bool imports;
	/* The first piece has `first` bytes, all others but the last `step`. */
	uint64_t first, step, count;
	atomic_uint_fast64_t next; /* the number of the next piece */
	unsigned n_lanes;
	struct host_path_slot slots[LANES][SLOTS];
	atomic_bool failed;

	pthread_mutex_t lock;
	/* Guards the fields below: the first failure, and the times. */
	dpr_status status;
	char *text;
	dpr_event *piece;
	dprp_event_state times;
};

struct chunk *host_path_chunk(const dpr_queue *queue, size_t size)
{
	dpr_device *root = queue->device->root;

	if (size > SMALL ||
	    !atomic_load_explicit(&root->bounces, memory_order_relaxed))
		return NULL;
	return staging_take_own(root, size, false, NULL);
}

static bool is_write(const struct transfer *t)
{
	return t->operation->kind == OPERATION_WRITE;
}

/* Record the transfer's first failure: that of @piece, or if @piece is NULL,
   @status with the text of the last error. */
static void note_failure(struct transfer *t, dpr_status status,
			 dpr_event *piece)
{
	pthread_mutex_lock(&t->lock);
	if (!t->status) {
		t->status = piece ? piece->status : status;
		t->text = piece ? NULL : mem_string(dpr_last_error());
		t->piece = dpr_event_retain(piece);
	}
	pthread_mutex_unlock(&t->lock);
	atomic_store(&t->failed, true);
}

/* Extend the transfer's times to the times of @piece.  They span the times of
   all pieces. */
static void note_times(struct transfer *t, const dpr_event *piece)
{
	dprp_event_state *times = &t->times;

	pthread_mutex_lock(&t->lock);
	if (!times->t_start || piece->t_start < times->t_start) {
		times->t_queued = piece->t_queued;
		times->t_submit = piece->t_submit;
		times->t_start = piece->t_start;
	}
	if (piece->t_end > times->t_end)
		times->t_end = piece->t_end;
	pthread_mutex_unlock(&t->lock);
}

#if defined(__SSE2__)
/* Copy with stores that bypass the caches.  An ordinary store first reads the
   cache line that it replaces.  The C library bypasses the caches only in
   larger copies.  On a Xeon with an H200, three threads read 40 GB/s in this
   way, and 25 GB/s with memcpy(). */
static void copy_past_caches(unsigned char *to, const unsigned char *from,
			     size_t size)
{
	const size_t head = -(uintptr_t)to % sizeof(__m128i);
	const size_t n = size < head ? 0 : (size - head) / 64;
	const __m128i *source = (const __m128i *)(const void *)(from + head);
	__m128i *target = (__m128i *)(void *)(to + head);

	if (!n) {
		memcpy(to, from, size);
		return;
	}
	memcpy(to, from, head);
	for (size_t i = 0; i < n; i++, source += 4, target += 4) {
		__m128i a = _mm_loadu_si128(source);
		__m128i b = _mm_loadu_si128(source + 1);
		__m128i c = _mm_loadu_si128(source + 2);
		__m128i d = _mm_loadu_si128(source + 3);

		_mm_stream_si128(target, a);
		_mm_stream_si128(target + 1, b);
		_mm_stream_si128(target + 2, c);
		_mm_stream_si128(target + 3, d);
	}
	memcpy(target, source, size - head - n * 64);
	/* A fence: without it, the later store that reports the end may become
	   visible before these. */
	_mm_sfence();
}
#else
static void copy_past_caches(unsigned char *to, const unsigned char *from,
			     size_t size)
{
	memcpy(to, from, size);
}
#endif

/* Copy what was read into the slot's chunk to its place in the program's
   memory. */
static void copy_out(const struct transfer *t,
		     const struct host_path_slot *slot)
{
	if (t->operation->u.move.size < STREAM_LEAST)
		memcpy(slot->host, slot->chunk->data, slot->size);
	else
		copy_past_caches(slot->host, slot->chunk->data, slot->size);
}

/* Wait for the piece in @slot, if there is one.  If it was read into a chunk,
   copy it to the program's memory. */
static void end_piece(struct transfer *t, struct host_path_slot *slot)
{
	if (!slot->event)
		return;
	(void)event_wait_final(slot->event, DPR_FOREVER);
	if (event_state(slot->event) == DPR_EVENT_FAILED) {
		note_failure(t, DPR_OK, slot->event);
	} else {
		note_times(t, slot->event);
		if (!is_write(t) && !slot->imported)
			copy_out(t, slot);
	}
	dpr_event_release(slot->event);
	slot->event = NULL;
	/* This may wait for all work of the device. */
	if (slot->imported)
		t->queue->plugin->mem.free(slot->imported);
	slot->imported = NULL;
}

/* Have the plugin import the pages of a piece.  Returns whether it did. */
static bool import_piece(struct transfer *t, struct host_path_slot *slot)
{
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = DPRP_MEM_IMPORT_HOST,
			       .size = slot->size,
			       .host_ptr = slot->host };
	const struct plugin *plugin = t->queue->plugin;
	dprp_context *context;
	dprp_rc rc;

	if (!t->imports || (uintptr_t)slot->host % t->page ||
	    slot->size % t->page ||
	    atomic_load_explicit(&t->root->cannot_import,
				 memory_order_relaxed) ||
	    device_context(t->root, &context))
		return false;
	rc = plugin->mem.alloc(context, t->root->handle, &desc,
			       &slot->imported);
	rc = plugin_made(plugin, "mem->alloc", rc, slot->imported);
	if (!rc)
		return true;
	slot->imported = NULL;
	if (rc == DPR_RC_UNSUPPORTED)
		atomic_store_explicit(&t->root->cannot_import, true,
				      memory_order_relaxed);
	return false;
}

/* Record that there is no chunk, and @why if that is known.  Returns the
   status. */
static dpr_status fail_chunk(const struct transfer *t, size_t size,
			     const char *why)
{
	if (atomic_load_explicit(&t->root->lost, memory_order_relaxed))
		return fail(DPR_ERROR_DEVICE_LOST,
			    "%s on %s: the device %s no longer responds",
			    t->operation->name, t->queue->name,
			    t->root->selector);
	if (t->root->has_host_memory)
		return fail(
			DPR_ERROR_OUT_OF_DEVICE_MEMORY,
			"%s on %s: the driver does not take this host memory, "
			"and %zu bytes of HOST memory to copy through "
			"are not available%s%s; release memory, or raise the limit of "
			"the device's pools",
			t->operation->name, t->queue->name, size,
			why ? ": " : "", why ? why : "");
	return fail(DPR_ERROR_UNSUPPORTED,
		    "%s on %s: the driver does not take this host memory, and "
		    "the device has no HOST memory to copy through",
		    t->operation->name, t->queue->name);
}

/* Give @slot a chunk, unless it has one.  With @must, the bounds of staging.c
   do not count. */
static dpr_status take_chunk(struct transfer *t, struct host_path_slot *slot,
			     bool must)
{
	size_t size =
		t->operation->kind == OPERATION_FILL
			? ENQUEUE_FILL_BLOCK
			: (size_t)(t->step > t->first ? t->step : t->first);
	dpr_status status = DPR_OK;
	char *why = NULL;

	if (!slot->chunk)
		slot->chunk = staging_take_own(t->root, size, must, &why);
	if (!slot->chunk)
		status = fail_chunk(t, size, why);
	mem_free(why);
	return status;
}

/* Begin piece @i. */
static dpr_status begin_piece(struct transfer *t, struct host_path_slot *slot,
			      uint64_t i)
{
	uint64_t size = t->operation->u.move.size;
	uint64_t start = i ? t->first + (i - 1) * t->step : 0;
	uint64_t most = i ? t->step : t->first;
	char name[96];
	struct piece piece = { .name = name,
			       .offset = start,
			       .size = size - start < most ? size - start
							   : most };
	dpr_status status;

	slot->host = t->host + start;
	slot->size = (size_t)piece.size;
	snprintf(name, sizeof(name), "%s (bytes %llu to %llu of %llu)",
		 is_write(t) ? "write" : "read", (unsigned long long)start,
		 (unsigned long long)(start + piece.size),
		 (unsigned long long)size);
	piece.host = slot->host;
	if (!import_piece(t, slot)) {
		status = take_chunk(t, slot, true);
		if (status)
			return status;
		piece.host = slot->chunk->data;
		if (is_write(t))
			memcpy(piece.host, slot->host, slot->size);
	}
	status = enqueue_piece(t->queue, t->operation, &piece, &slot->event);
	if (status && slot->imported) {
		t->queue->plugin->mem.free(slot->imported);
		slot->imported = NULL;
	}
	if (status)
		return status;
	/* Flush, or a driver may keep the piece until the next wait.  That wait
	   reports a failure of the flush. */
	(void)!queue_flush(t->queue);
	return DPR_OK;
}

/* Move pieces until none is left.  The last ones may still be under way. */
static void run_lane(void *state, size_t lane)
{
	struct transfer *t = state;
	unsigned at = 0, n = SLOTS;
	dpr_status status = DPR_OK;
	uint64_t i;

	while (!atomic_load(&t->failed) && process_alive()) {
		struct host_path_slot *slot = &t->slots[lane][at % n];

		end_piece(t, slot);
		/* A piece that is imported needs no chunk. */
		status =
			t->imports ? DPR_OK : take_chunk(t, slot, !lane && !at);
		if (status && at) {
			n = 1; /* go on with one chunk */
			continue;
		}
		if (status && !lane)
			note_failure(t, status, NULL);
		if (status)
			return;
		i = atomic_fetch_add(&t->next, 1);
		if (i >= t->count)
			return;
		at++;
		status = begin_piece(t, slot, i);
		if (status)
			note_failure(t, status, NULL);
	}
}

static struct host_path_slot *slot_at(struct transfer *t, unsigned i)
{
	return &t->slots[i / SLOTS][i % SLOTS];
}

/* Leave the end of a write to the driver: submit an event for the pieces that
   are under way.  Returns false if the driver refuses, if a piece has failed,
   or if nothing is under way. */
static bool hand_over(struct transfer *t)
{
	struct held_last last = { .operation = *t->operation };
	dpr_event *events[LEFT];
	dpr_usm *chunks[LEFT];
	size_t n = 0;
	unsigned i;

	for (i = 0; i < LANES * SLOTS; i++) {
		struct host_path_slot *slot = slot_at(t, i);

		/* Wait for a piece with imported pages, to give them back, and
		   for pieces beyond LEFT. */
		if (n == LEFT || slot->imported)
			end_piece(t, slot);
		if (!slot->event)
			continue;
		events[n] = slot->event;
		chunks[n++] = slot->chunk->usm;
	}
	if (!n || atomic_load(&t->failed))
		return false;
	last.operation.kind = OPERATION_BARRIER;
	last.deps = events;
	last.chunks = chunks;
	last.n_deps = last.n_chunks = n;
	return !held_send_last(t->held, &last);
}

/* Hand a whole fill, or a write of one piece, to the driver, with a chunk in
   place of the program's memory. */
static dpr_status send_whole(struct transfer *t)
{
	struct held_last last = { .operation = *t->operation };
	struct host_path_slot *slot = &t->slots[0][0];
	struct bounce bounce = { .data = NULL };
	dpr_status status;

	status = take_chunk(t, slot, true);
	if (status)
		return status;
	if (is_write(t)) {
		memcpy(slot->chunk->data, t->host, last.operation.u.move.size);
		last.operation.u.move.source = slot->chunk->data;
		last.chunks = &slot->chunk->usm;
		last.n_chunks = 1;
	} else {
		bounce.data = slot->chunk->data;
		bounce.usm = slot->chunk->usm;
		last.operation.u.move.bounce = &bounce;
	}
	return held_send_last(t->held, &last);
}

/* Free @t, and then end the submission @held with the failure or the times of
   @t.  @held NULL: the driver ends the submission. */
static void free_transfer(struct transfer *t, struct held *held)
{
	struct held_end end = { .times = &t->times,
				.status = t->status,
				.text = t->text ? t->text : "",
				.piece = t->piece };
	unsigned i;

	for (i = 0; i < LANES * SLOTS; i++) {
		struct host_path_slot *slot = slot_at(t, i);

		if (slot->chunk)
			staging_give(slot->chunk, slot->event);
		dpr_event_release(slot->event);
	}
	if (held)
		held_finish(held, &end);
	dpr_event_release(t->piece);
	mem_free(t->text);
	pthread_mutex_destroy(&t->lock);
	mem_free(t);
}

/* Fail the transfer when the process exits: then nothing is freed, and no
   driver is called. */
static void give_up(struct transfer *t)
{
	held_finish(t->held,
		    &(struct held_end){ .status = DPR_ERROR_SHUTDOWN,
					.text = "the process is exiting" });
}

static void finish_transfer(struct transfer *t)
{
	unsigned i;

	for (i = 0; i < LANES * SLOTS; i++)
		end_piece(t, slot_at(t, i));
	free_transfer(t, t->held);
}

/* Whether the driver may end the transfer: only a write, and not with
   profiling, since it would get other times. */
static bool may_hand_over(const struct transfer *t)
{
	return is_write(t) && !(t->queue->flags & DPR_QUEUE_PROFILING);
}

static void carry_out(struct transfer *t)
{
	enum operation_kind kind = t->operation->kind;
	dpr_status status;

	if (!process_alive()) {
		give_up(t);
		return;
	}
	if (kind == OPERATION_FILL ||
	    (kind == OPERATION_WRITE && t->count == 1 && !t->imports)) {
		status = send_whole(t);
		if (status)
			note_failure(t, status, NULL);
		free_transfer(t, status ? t->held : NULL);
		return;
	}
	crew_run(t->n_lanes, t->n_lanes, run_lane, t);
	if (!process_alive())
		give_up(t);
	else if (may_hand_over(t) && hand_over(t))
		free_transfer(t, NULL);
	else
		finish_transfer(t);
}

static void run_job(struct helper_job *job)
{
	carry_out((struct transfer *)job); /* the job is the first member */
}

/* Cut the transfer into pieces. */
static void set_pieces(struct transfer *t)
{
	uint64_t size = t->operation->u.move.size, n = size / SHARE;
	unsigned most = n > 1 ? crew_cpus() : 1;
	size_t step;

	(void)staging_cut(size, &step);
	t->page = (size_t)sysconf(_SC_PAGESIZE);
	t->imports =
		size >= IMPORT_LEAST && !atomic_load(&t->root->cannot_import);
	if (t->imports)
		step = STAGING_CHUNK;
	/* Pieces that are imported end where pages do. */
	t->first = t->imports ? step - (uintptr_t)t->host % step : step;
	t->step = step;
	t->count =
		size <= t->first ? 1 : 1 + (size - t->first + step - 1) / step;
	if (most > LANES)
		most = LANES;
	t->n_lanes = n < 1 ? 1 : n < most ? (unsigned)n : most;
}

static struct transfer *transfer_new(struct held *held)
{
	struct transfer *t = mem_alloc(sizeof(*t));

	if (!t)
		return NULL;
	t->held = held;
	t->operation = held_operation(held);
	t->queue = t->job.queue = held_queue(held);
	t->root = t->queue->device->root;
	pthread_mutex_init(&t->lock, NULL);
	if (t->operation->kind == OPERATION_FILL)
		return t;
	t->host = is_write(t) ? (unsigned char *)t->operation->u.move.source
			      : t->operation->u.move.target;
	set_pieces(t);
	return t;
}

void host_path_carry(struct held *held, bool here)
{
	struct transfer *t = transfer_new(held);
	dpr_status status = DPR_OK;
	int cancel;

	if (!t) {
		held_finish(held, &(struct held_end){
					  .status = DPR_ERROR_OUT_OF_MEMORY,
					  .text = "out of host memory for a "
						  "transfer" });
		return;
	}
	atomic_store_explicit(&t->root->bounces, true, memory_order_relaxed);
	if (here) {
		/* Disable cancellation: later work of the queue waits for this
		   thread. */
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
		carry_out(t);
		pthread_setcancelstate(cancel, NULL);
		return;
	}
	t->job.run = run_job;
	status = helpers_add(&t->job, t->operation->name);
	if (!status)
		return;
	note_failure(t, status, NULL);
	free_transfer(t, held);
}
