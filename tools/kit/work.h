/* SPDX-License-Identifier: Apache-2.0 */
/* work.h - memory and submissions of the checks. */
#ifndef TOOLS_WORK_H
#define TOOLS_WORK_H

#include "tools/kit/kit.h"

/* Allocate memory of the device.  Ends the check if that fails. */
dprp_mem *work_mem(struct kit *kit, uint64_t size);
dprp_rc work_alloc(struct kit *kit, uint32_t kind, uint64_t size,
		   uint64_t align, void *host_ptr, dprp_mem **out);
void work_free(struct kit *kit, dprp_mem *mem);
/* The address of memory; NULL: it has none. */
void *work_address(struct kit *kit, dprp_mem *mem);
/* Whether the device has memory of a kind. */
bool work_has_kind(struct kit *kit, uint32_t kind);

/* Host memory that write and read accept without dependencies. */
struct work_bytes {
	void *at; /* zeros at first */
	uint64_t size;
	dprp_mem *mem; /* HOST or imported memory; NULL: the program's own */
};
struct work_bytes work_bytes(struct kit *kit, uint64_t size);
void work_bytes_free(struct kit *kit, struct work_bytes *bytes);

/* Write or read bytes of the device, and wait.  Ends the check if that
   fails. */
void work_write(struct kit *kit, dprp_mem *to, uint64_t offset,
		const void *from, uint64_t size);
void work_read(struct kit *kit, dprp_mem *from, uint64_t offset, void *to,
	       uint64_t size);
int32_t work_cell(struct kit *kit, dprp_mem *mem, uint64_t index);
/* Check the value of a cell.  Returns whether it is @want. */
bool work_check_cell(struct kit *kit, dprp_mem *mem, uint64_t index,
		     int32_t want, const char *rule, const char *expected);
/* Write @n int32_t of a value into memory, from its start. */
void work_set(struct kit *kit, dprp_mem *mem, uint64_t n, int32_t value);

dprp_deps work_deps(dprp_event *const *events, uint32_t n);
/* Wait until events are over, where a plugin cannot do it itself. */
void work_wait_all(struct kit *kit, dprp_event *const *events, uint32_t n);
/* Whether the answer @rc to a submission with @n dependencies may mean that the
   plugin cannot wait for them.  Without any it must not say so. */
bool work_must_wait(dprp_rc rc, uint32_t n);
/* Whether the answer @rc to a write or read without dependencies says that the
   plugin does not take the host memory. */
bool work_refuses_host(dprp_rc rc);
/* Submit, as the core does: where the plugin cannot wait for the dependencies,
   wait for these and submit without them.  @event may be NULL.
   They end the check if the submission fails. */
void work_barrier(struct kit *kit, dprp_queue *queue, dprp_event *const *after,
		  uint32_t n, dprp_event **event);
void work_copy(struct kit *kit, dprp_queue *queue, dprp_mem *to, uint64_t at,
	       dprp_mem *from, uint64_t from_at, uint64_t size,
	       dprp_event *const *after, uint32_t n, dprp_event **event);
void work_flush(struct kit *kit, dprp_queue *queue);
void work_finish(struct kit *kit, dprp_queue *queue);
/* Destroy a queue of the check's own. */
void work_drop_queue(struct kit *kit, dprp_queue *queue);
/* Whether the plugin waits itself for an event of @from on the queue @to. */
bool work_depends(struct kit *kit, dprp_queue *from, dprp_queue *to);

uint32_t work_state(struct kit *kit, dprp_event *event, dprp_event_state *out);
void work_destroy(struct kit *kit, dprp_event *event);
/* Wait until an event is over, and check that it is done. */
void work_wait(struct kit *kit, dprp_event *event);
/* The same, and destroy it. */
void work_done(struct kit *kit, dprp_event *event);

/* Copies that take long, between two allocations. */
struct work_long {
	dprp_mem *mem[2];
	struct note_copies copies;
};
/* Make the memory of copies that take some hundredths of a second.  Measure how
   many copies it takes, unless an earlier check did. */
struct work_long work_long(struct kit *kit);
/* Submit them.  @last may be NULL, or gets the event of the last one.  Returns
   how many seconds the calls took. */
double work_long_begin(struct kit *kit, struct work_long *work,
		       dprp_queue *queue, dprp_event **last);
void work_long_end(struct kit *kit, struct work_long *work);

/* Bytes that look random, but depend only on the seed. */
void work_noise(void *bytes, size_t size, unsigned seed);

#endif
