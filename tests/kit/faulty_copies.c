/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_copies.c - faults of commands that move bytes. */
#include "tests/kit/faulty.h"

#define WRITE_ARGS                                                          \
	dprp_queue *queue, dprp_mem *to, uint64_t offset, const void *from, \
		uint64_t size, const dprp_deps *deps, dprp_event **event
#define READ_ARGS                                                     \
	dprp_queue *queue, dprp_mem *from, uint64_t offset, void *to, \
		uint64_t size, const dprp_deps *deps, dprp_event **event
#define COPY_ARGS                                                            \
	dprp_queue *queue, dprp_mem *to, uint64_t to_offset, dprp_mem *from, \
		uint64_t from_offset, uint64_t size, const dprp_deps *deps,  \
		dprp_event **event

static dprp_rc short_write(WRITE_ARGS)
{
	return faulty.mock->queue->write(queue, to, offset, from,
					 size > 1 ? size - 1 : size, deps,
					 event);
}

static void writes_less(void)
{
	faulty.queue.write = short_write;
}

static dprp_rc round_write(WRITE_ARGS)
{
	return faulty.mock->queue->write(queue, to, offset & ~UINT64_C(3), from,
					 size, deps, event);
}

static void aligns_offset(void)
{
	faulty.queue.write = round_write;
}

static dprp_rc long_read(READ_ARGS)
{
	uint64_t more = size && offset + size < 4000 ? 16 : 0;

	return faulty.mock->queue->read(queue, from, offset, to, size + more,
					deps, event);
}

static void reads_more(void)
{
	faulty.queue.read = long_read;
}

static dprp_rc long_copy(COPY_ARGS)
{
	return faulty.mock->queue->copy(queue, to, to_offset, from, from_offset,
					size == 333 ? 336 : size, deps, event);
}

static void copies_words(void)
{
	faulty.queue.copy = long_copy;
}

static dprp_rc swap_copy(COPY_ARGS)
{
	if (to != from)
		return faulty.mock->queue->copy(queue, to, from_offset, from,
						to_offset, size, deps, event);
	return faulty.mock->queue->copy(queue, to, to_offset, from, from_offset,
					size, deps, event);
}

static void swaps_offsets(void)
{
	faulty.queue.copy = swap_copy;
}

static dprp_rc byte_fill(dprp_queue *queue, dprp_mem *to, uint64_t offset,
			 uint64_t size, const void *pattern,
			 size_t pattern_size, const dprp_deps *deps,
			 dprp_event **event)
{
	return faulty.mock->queue->fill(queue, to, offset, size, pattern,
					pattern_size == 12 ? 4 : pattern_size,
					deps, event);
}

static void fills_wrong(void)
{
	faulty.queue.fill = byte_fill;
}

static dprp_rc no_path_read(READ_ARGS)
{
	return size == 4000 ? DPR_RC_NO_PATH
			    : faulty.mock->queue->read(queue, from, offset, to,
						       size, deps, event);
}

static dprp_rc refuse_read(READ_ARGS)
{
	return size == 4000 ? DPR_RC_HOST_MEMORY
			    : faulty.mock->queue->read(queue, from, offset, to,
						       size, deps, event);
}

static void host_refused(void)
{
	faulty.queue.read = refuse_read;
}

static dprp_rc refuse_copy(COPY_ARGS)
{
	(void)queue, (void)to, (void)to_offset, (void)from, (void)from_offset;
	(void)size, (void)deps, (void)event;
	return DPR_RC_HOST_MEMORY;
}

static void copy_host_memory(void)
{
	faulty.queue.copy = refuse_copy;
}

static void host_no_path(void)
{
	faulty.queue.read = no_path_read;
}

static dprp_rc zero_write(WRITE_ARGS)
{
	return size ? faulty.mock->queue->write(queue, to, offset, from, size,
						deps, event)
		    : faulty_fail(DPR_RC_INVALID);
}

static void refuses_zero(void)
{
	faulty.queue.write = zero_write;
}

static dprp_rc must_have_event(WRITE_ARGS)
{
	*event = NULL;
	return faulty.mock->queue->write(queue, to, offset, from, size, deps,
					 event);
}

static void needs_event(void)
{
	faulty.queue.write = must_have_event;
}

static dprp_rc clear_prefetch(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
			      uint64_t size, const dprp_deps *deps,
			      dprp_event **event)
{
	return faulty.mock->queue->fill(queue, mem, offset, size, "\0", 1, deps,
					event);
}

static void prefetch_clears(void)
{
	faulty.queue.prefetch = clear_prefetch;
}

const struct fault faulty_copies_faults[] = {
	{ "writes_less", writes_less },
	{ "aligns_offset", aligns_offset },
	{ "reads_more", reads_more },
	{ "copies_words", copies_words },
	{ "swaps_offsets", swaps_offsets },
	{ "fills_wrong", fills_wrong },
	{ "host_no_path", host_no_path },
	{ "host_refused", host_refused },
	{ "copy_host_memory", copy_host_memory },
	{ "refuses_zero", refuses_zero },
	{ "needs_event", needs_event },
	{ "prefetch_clears", prefetch_clears },
	{ NULL, NULL },
};
