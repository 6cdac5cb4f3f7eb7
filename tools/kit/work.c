/* SPDX-License-Identifier: Apache-2.0 */
/* work.c - memory and submissions of the checks. */
#include "tools/kit/work.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/shared/seconds.h"

/* --- Memory -----------------------------------------------------------------
 */

dprp_rc work_alloc(struct kit *kit, uint32_t kind, uint64_t size,
		   uint64_t align, void *host_ptr, dprp_mem **out)
{
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = kind,
			       .size = size,
			       .align = align,
			       .host_ptr = host_ptr };
	dprp_rc rc;

	*out = NOTE_POISON;
	rc = NOTE_CALL(
		kit->plugin->mem->alloc(kit->context, kit->device, &desc, out),
		"mem->alloc", "kind=%u, size=%llu, align=%llu", kind, ULL(size),
		ULL(align));
	if (rc)
		*out = NULL;
	else
		note_handle(*out);
	return rc;
}

dprp_mem *work_mem(struct kit *kit, uint64_t size)
{
	dprp_mem *mem;

	note_need("M2", work_alloc(kit, DPRP_MEM_DEVICE, size, 0, NULL, &mem));
	return mem;
}

void work_free(struct kit *kit, dprp_mem *mem)
{
	note_step("mem->free", "%s", "");
	kit->plugin->mem->free(mem);
}

void *work_address(struct kit *kit, dprp_mem *mem)
{
	void *address = NULL;
	size_t need;

	if (NOTE_CALL(kit->plugin->mem->info(mem, DPRP_MEM_INFO_ADDRESS,
					     &address, sizeof(address), &need),
		      "mem->info", "key=ADDRESS"))
		return NULL;
	return address;
}

bool work_has_kind(struct kit *kit, uint32_t kind)
{
	static const uint32_t keys[] = { 0, DPR_INFO_ASPECT_USM_DEVICE,
					 DPR_INFO_ASPECT_USM_SHARED,
					 DPR_INFO_ASPECT_USM_HOST };

	return kit_u64(kit, kit->device, keys[kind], 0) != 0;
}

/* Have the bytes imported if write does not take them.  A write of nothing
   would not tell. */
static void import_if_needed(struct kit *kit, struct work_bytes *bytes)
{
	const dprp_queue_ops *ops = kit->plugin->queue;
	dprp_mem *mem = work_mem(kit, bytes->size);
	dprp_rc rc;

	rc = NOTE_CALL(ops->write(kit->queue, mem, 0, bytes->at, bytes->size,
				  NULL, NULL),
		       "queue->write", "size=%llu", ULL(bytes->size));
	if (!rc)
		note_need("Q4", NOTE_CALL(ops->finish(kit->queue),
					  "queue->finish", "%s", ""));
	work_free(kit, mem);
	if (work_refuses_host(rc) &&
	    work_alloc(kit, DPRP_MEM_IMPORT_HOST, bytes->size, 0, bytes->at,
		       &bytes->mem))
		note_skip("write takes no host memory: the device has no HOST "
			  "memory, and nothing can be imported");
}

struct work_bytes work_bytes(struct kit *kit, uint64_t size)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct work_bytes bytes = { .size = (size + page - 1) / page * page };

	if (!bytes.size)
		bytes.size = page;
	if (work_has_kind(kit, DPRP_MEM_HOST) &&
	    !work_alloc(kit, DPRP_MEM_HOST, bytes.size, 0, NULL, &bytes.mem))
		bytes.at = work_address(kit, bytes.mem);
	if (!bytes.at) {
		if (bytes.mem)
			work_free(kit, bytes.mem);
		bytes.mem = NULL;
		bytes.at = aligned_alloc(page, bytes.size);
		if (!bytes.at)
			note_skip("out of memory");
		memset(bytes.at, 0, bytes.size);
		import_if_needed(kit, &bytes);
	}
	memset(bytes.at, 0, bytes.size);
	return bytes;
}

void work_bytes_free(struct kit *kit, struct work_bytes *bytes)
{
	bool own = !bytes->mem || bytes->at != work_address(kit, bytes->mem);

	if (bytes->mem)
		work_free(kit, bytes->mem);
	if (own)
		free(bytes->at);
	memset(bytes, 0, sizeof(*bytes));
}

void work_write(struct kit *kit, dprp_mem *to, uint64_t offset,
		const void *from, uint64_t size)
{
	struct work_bytes bytes = work_bytes(kit, size);
	dprp_event *event = NOTE_POISON;

	memcpy(bytes.at, from, size);
	note_need("Q8", NOTE_CALL(kit->plugin->queue->write(kit->queue, to,
							    offset, bytes.at,
							    size, NULL, &event),
				  "queue->write", "offset=%llu, size=%llu",
				  ULL(offset), ULL(size)));
	note_handle(event);
	work_done(kit, event);
	work_bytes_free(kit, &bytes);
	note_step("queue->write", "offset=%llu, size=%llu", ULL(offset),
		  ULL(size));
}

void work_read(struct kit *kit, dprp_mem *from, uint64_t offset, void *to,
	       uint64_t size)
{
	struct work_bytes bytes = work_bytes(kit, size);
	dprp_event *event = NOTE_POISON;

	memset(bytes.at, 0xee, bytes.size);
	note_need("Q8", NOTE_CALL(kit->plugin->queue->read(kit->queue, from,
							   offset, bytes.at,
							   size, NULL, &event),
				  "queue->read", "offset=%llu, size=%llu",
				  ULL(offset), ULL(size)));
	note_handle(event);
	work_done(kit, event);
	memcpy(to, bytes.at, size);
	work_bytes_free(kit, &bytes);
	note_step("queue->read", "offset=%llu, size=%llu", ULL(offset),
		  ULL(size));
}

int32_t work_cell(struct kit *kit, dprp_mem *mem, uint64_t index)
{
	int32_t value;

	work_read(kit, mem, index * 4, &value, 4);
	return value;
}

bool work_check_cell(struct kit *kit, dprp_mem *mem, uint64_t index,
		     int32_t want, const char *rule, const char *expected)
{
	int32_t is = work_cell(kit, mem, index);

	if (is != want)
		note_bad(rule, expected, "%d at byte %llu, not %d", is,
			 ULL(index * 4), want);
	return is == want;
}

void work_set(struct kit *kit, dprp_mem *mem, uint64_t n, int32_t value)
{
	int32_t *cells = malloc(n * 4);
	uint64_t i;

	if (!cells)
		note_skip("out of memory");
	for (i = 0; i < n; i++)
		cells[i] = value;
	work_write(kit, mem, 0, cells, n * 4);
	free(cells);
}

/* --- Submissions ------------------------------------------------------------
 */

dprp_deps work_deps(dprp_event *const *events, uint32_t n)
{
	return (dprp_deps){ .struct_size = sizeof(dprp_deps),
			    .count = n,
			    .events = events };
}

void work_wait_all(struct kit *kit, dprp_event *const *events, uint32_t n)
{
	uint32_t i;

	kit->no_path++;
	for (i = 0; i < n; i++)
		work_wait(kit, events[i]);
}

bool work_must_wait(dprp_rc rc, uint32_t n)
{
	if (rc == DPR_RC_CANNOT_WAIT && !n)
		note_bad("S8", "any other code, without dependencies",
			 "CANNOT_WAIT");
	return n && (rc == DPR_RC_NO_PATH || rc == DPR_RC_CANNOT_WAIT);
}

bool work_refuses_host(dprp_rc rc)
{
	return rc == DPR_RC_NO_PATH || rc == DPR_RC_HOST_MEMORY;
}

void work_barrier(struct kit *kit, dprp_queue *queue, dprp_event *const *after,
		  uint32_t n, dprp_event **event)
{
	dprp_deps deps = work_deps(after, n);
	dprp_rc rc;

	if (event)
		*event = NOTE_POISON;
	rc = NOTE_CALL(
		kit->plugin->queue->barrier(queue, n ? &deps : NULL, event),
		"queue->barrier", "%u deps", n);
	if (work_must_wait(rc, n)) {
		work_wait_all(kit, after, n);
		work_barrier(kit, queue, NULL, 0, event);
		return;
	}
	note_need("Q6", rc);
	if (event)
		note_handle(*event);
}

void work_copy(struct kit *kit, dprp_queue *queue, dprp_mem *to, uint64_t at,
	       dprp_mem *from, uint64_t from_at, uint64_t size,
	       dprp_event *const *after, uint32_t n, dprp_event **event)
{
	dprp_deps deps = work_deps(after, n);
	dprp_rc rc;

	if (event)
		*event = NOTE_POISON;
	rc = NOTE_CALL(kit->plugin->queue->copy(queue, to, at, from, from_at,
						size, n ? &deps : NULL, event),
		       "queue->copy",
		       "to_offset=%llu, from_offset=%llu, "
		       "size=%llu, %u deps",
		       ULL(at), ULL(from_at), ULL(size), n);
	if (work_must_wait(rc, n)) {
		work_wait_all(kit, after, n);
		work_copy(kit, queue, to, at, from, from_at, size, NULL, 0,
			  event);
		return;
	}
	if (rc == DPR_RC_NO_PATH)
		note_skip("copy answers NO_PATH within the device");
	note_need("Q9", rc);
	if (event)
		note_handle(*event);
}

void work_flush(struct kit *kit, dprp_queue *queue)
{
	note_need("Q3", NOTE_CALL(kit->plugin->queue->flush(queue),
				  "queue->flush", "%s", ""));
}

void work_finish(struct kit *kit, dprp_queue *queue)
{
	note_need("Q4", NOTE_CALL(kit->plugin->queue->finish(queue),
				  "queue->finish", "%s", ""));
}

void work_drop_queue(struct kit *kit, dprp_queue *queue)
{
	note_step("queue->destroy", "%s", "");
	kit->plugin->queue->destroy(queue);
}

bool work_depends(struct kit *kit, dprp_queue *from, dprp_queue *to)
{
	uint64_t before = kit->no_path;
	dprp_event *event, *after;

	work_barrier(kit, from, NULL, 0, &event);
	work_flush(kit, from);
	work_barrier(kit, to, &event, 1, &after);
	work_done(kit, event);
	work_done(kit, after);
	return kit->no_path == before;
}

/* --- Events -----------------------------------------------------------------
 */

uint32_t work_state(struct kit *kit, dprp_event *event, dprp_event_state *out)
{
	dprp_event_state state = { .struct_size = sizeof(state) };
	dprp_sink none = { 0 };

	note_need("N1",
		  NOTE_CALL(kit->plugin->event->status(event, &state, none),
			    "event->status", "%s", ""));
	if (state.struct_size != sizeof(state))
		note_bad("G3", "struct_size as it was",
			 "struct_size became %zu", state.struct_size);
	if (state.state < DPRP_EVENT_QUEUED || state.state > DPRP_EVENT_FAILED)
		note_bad("N1", "DPRP_EVENT_QUEUED to DPRP_EVENT_FAILED",
			 "the state %u (%s)", state.state,
			 note_state_name(state.state));
	if (out)
		*out = state;
	return state.state;
}

void work_destroy(struct kit *kit, dprp_event *event)
{
	note_step("event->destroy", "%s", "");
	kit->plugin->event->destroy(event);
}

void work_wait(struct kit *kit, dprp_event *event)
{
	dprp_event_state state;

	if (note_is_main())
		kit->waiting = event;
	note_need("N6",
		  NOTE_CALL(kit->plugin->event->wait(&event, 1, UINT64_MAX),
			    "event->wait", "n=1, timeout=UINT64_MAX"));
	if (note_is_main())
		kit->waiting = NULL;
	work_state(kit, event, &state);
	if (state.state == DPRP_EVENT_DONE)
		return;
	note_bad("N6", "DPRP_EVENT_DONE after wait", "the state %u (%s), rc %s",
		 state.state, note_state_name(state.state),
		 note_rc_name(state.rc));
	note_end();
}

void work_done(struct kit *kit, dprp_event *event)
{
	work_wait(kit, event);
	work_destroy(kit, event);
}

/* --- Work that takes long ---------------------------------------------------
 */

/* Copies of these sizes; the second where a device makes the first about as
   fast as they can be submitted. */
#define LONG_SIZE (UINT64_C(8) << 20)
#define LONG_SIZE_FAST (UINT64_C(64) << 20)

/* What they take at least, in seconds. */
#define LONG_TIME 0.02

static void long_open(struct kit *kit, struct work_long *work, uint64_t size)
{
	work->copies.size = size;
	work->copies.count = 4;
	work->mem[0] = work_mem(kit, size);
	work->mem[1] = work_mem(kit, size);
}

/* Memory of work that is under way must not be freed. */
static void check_finished(struct kit *kit, dprp_event *last)
{
	uint32_t state = work_state(kit, last, NULL);

	if (state < DPRP_EVENT_DONE) {
		note_step("queue->finish", "after copies that take long");
		note_bad("Q4", "all earlier work over", "the state %u (%s)",
			 state, note_state_name(state));
		note_end();
	}
	work_destroy(kit, last);
}

/* Do the copies.  Returns how many seconds they took; @submit gets how many
   their calls took. */
static double long_try(struct kit *kit, struct work_long *work, double *submit)
{
	const double begin = seconds_now();
	dprp_event *last;

	*submit = work_long_begin(kit, work, kit->queue, &last);
	work_finish(kit, kit->queue);
	check_finished(kit, last);
	return seconds_now() - begin;
}

/* Find how many copies take long enough. */
static void long_measure(struct kit *kit, struct work_long *work)
{
	double seconds, submit;
	int round;

	for (round = 0; round < 5; round++) {
		seconds = long_try(kit, work, &submit);
		if (work->copies.size == LONG_SIZE && submit * 4 > seconds) {
			work_long_end(kit, work);
			long_open(kit, work, LONG_SIZE_FAST);
			long_try(kit, work, &submit);
			round = -1;
			continue;
		}
		/* One long round may be a thread that was held up. */
		if (work->copies.count > 4000 ||
		    (seconds > LONG_TIME &&
		     long_try(kit, work, &submit) > LONG_TIME))
			break;
		work->copies.count *= seconds < LONG_TIME / 5 ? 8 : 2;
	}
	*kit->copies = work->copies;
}

struct work_long work_long(struct kit *kit)
{
	const struct note_copies *known = kit->copies;
	struct work_long work = { 0 };
	double submit;

	/* The first copies only touch the memory. */
	long_open(kit, &work, known->size ? known->size : LONG_SIZE);
	long_try(kit, &work, &submit);
	if (known->size)
		work.copies = *known;
	else
		long_measure(kit, &work);
	return work;
}

double work_long_begin(struct kit *kit, struct work_long *work,
		       dprp_queue *queue, dprp_event **last)
{
	double begin = seconds_now();
	unsigned i;

	for (i = 0; i < work->copies.count; i++)
		work_copy(kit, queue, work->mem[i % 2], 0, work->mem[1 - i % 2],
			  0, work->copies.size, NULL, 0,
			  i + 1 < work->copies.count ? NULL : last);
	work_flush(kit, queue);
	return seconds_now() - begin;
}

void work_long_end(struct kit *kit, struct work_long *work)
{
	work_free(kit, work->mem[0]);
	work_free(kit, work->mem[1]);
}

void work_noise(void *bytes, size_t size, unsigned seed)
{
	unsigned char *at = bytes;
	size_t i;

	for (i = 0; i < size; i++) {
		seed = seed * 1103515245u + 12345u;
		at[i] = (unsigned char)(seed >> 16);
	}
}
