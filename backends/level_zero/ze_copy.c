/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ze_copy.c - writing, reading, copying, filling and advice.
 *
 * If the driver does not know the host memory of a copy, the call may wait for
 * the list.  The plugin answers HOST_MEMORY for such a copy, and the core moves
 * the bytes through memory of kind HOST.
 */
#include "ze_objects.h"

/* Copies of at least this size go to the list of a copy engine, if there is
   one. */
#define LARGE (1u << 20)

static dprp_rc move(dprp_queue *queue, void *to, const void *from,
		    uint64_t size, const dprp_deps *deps, dprp_event **event)
{
	const struct ze_api *ze = &queue->instance->ze;
	struct ze_submit s;
	ze_result_t result;
	dprp_rc rc;

	if (!size)
		return ze_submit_nothing(queue, deps, event);
	rc = ze_submit_begin(&s, queue,
			     size < LARGE ? ZE_ENGINE_COMPUTE : ZE_ENGINE_COPY,
			     deps, event);
	if (rc)
		return rc;
	result = ze->zeCommandListAppendMemoryCopy(
		s.list, to, from, (size_t)size, s.signal, s.n_waits, s.waits);
	return ze_submit_end(&s, result, "zeCommandListAppendMemoryCopy");
}

dprp_rc ze_copy_write(dprp_queue *queue, dprp_mem *to, uint64_t offset,
		      const void *from, uint64_t size, const dprp_deps *deps,
		      dprp_event **event)
{
	dprp_rc rc = size ? ze_mem_check_known(queue->context, from, size)
			  : DPR_RC_OK;

	if (rc)
		return rc;
	return move(queue, to->address + offset, from, size, deps, event);
}

dprp_rc ze_copy_read(dprp_queue *queue, dprp_mem *from, uint64_t offset,
		     void *to, uint64_t size, const dprp_deps *deps,
		     dprp_event **event)
{
	dprp_rc rc =
		size ? ze_mem_check_known(queue->context, to, size) : DPR_RC_OK;

	if (rc)
		return rc;
	return move(queue, to, from->address + offset, size, deps, event);
}

dprp_rc ze_copy_copy(dprp_queue *queue, dprp_mem *to, uint64_t to_offset,
		     dprp_mem *from, uint64_t from_offset, uint64_t size,
		     const dprp_deps *deps, dprp_event **event)
{
	char *there = to->address + to_offset;
	const char *here = from->address + from_offset;
	dprp_rc rc;

	if (to->context->driver != from->context->driver)
		return DPR_RC_NO_PATH;
	rc = dprh_check_copy(queue->instance->host, (uintptr_t)there,
			     (uintptr_t)here, size);
	return rc ? rc : move(queue, there, here, size, deps, event);
}

/* Fill with a pattern.  Drivers take patterns whose size is a power of two.
   The core writes any other pattern once and copies it. */
dprp_rc ze_copy_fill(dprp_queue *queue, dprp_mem *to, uint64_t offset,
		     uint64_t size, const void *pattern, size_t pattern_size,
		     const dprp_deps *deps, dprp_event **event)
{
	const struct ze_api *ze = &queue->instance->ze;
	char *at = to->address + offset;
	struct ze_submit s;
	ze_result_t result;
	dprp_rc rc;

	if (!size)
		return ze_submit_nothing(queue, deps, event);
	if (!pattern_size || pattern_size & (pattern_size - 1) ||
	    (uintptr_t)at & (pattern_size - 1) ||
	    pattern_size > queue->lists[ZE_ENGINE_COMPUTE].max_fill)
		return DPR_RC_NO_PATH;
	rc = ze_submit_begin(&s, queue, ZE_ENGINE_COMPUTE, deps, event);
	if (rc)
		return rc;
	result = ze->zeCommandListAppendMemoryFill(
		s.list, at, pattern, pattern_size, (size_t)size, s.signal,
		s.n_waits, s.waits);
	return ze_submit_end(&s, result, "zeCommandListAppendMemoryFill");
}

/* The driver's prefetch takes no events.  It is a hint, so it does not wait for
   the dependencies.  The submission's event must still come after the prefetch.
   A barrier with a wait list would wait for that list alone, so a barrier
   without a list comes first, which waits for all earlier commands. */
dprp_rc ze_copy_prefetch(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
			 uint64_t size, const dprp_deps *deps,
			 dprp_event **event)
{
	const struct ze_api *ze = &queue->instance->ze;
	struct ze_submit s;
	ze_result_t result;
	dprp_rc rc;

	if (mem->kind != DPRP_MEM_SHARED || !size)
		return ze_submit_nothing(queue, deps, event);
	rc = ze_submit_begin(&s, queue, ZE_ENGINE_COMPUTE, deps, event);
	if (rc)
		return rc;
	result = ze->zeCommandListAppendMemoryPrefetch(
		s.list, mem->address + offset, (size_t)size);
	if (result)
		return ze_submit_end(&s, result,
				     "zeCommandListAppendMemoryPrefetch");
	if (s.n_waits)
		result = ze->zeCommandListAppendBarrier(s.list, NULL, 0, NULL);
	if (!result)
		result = ze->zeCommandListAppendBarrier(s.list, s.signal,
							s.n_waits, s.waits);
	if (result)
		return ze_submit_end_late(&s, result,
					  "zeCommandListAppendBarrier");
	return ze_submit_end(&s, result, "zeCommandListAppendBarrier");
}

dprp_rc ze_copy_advise(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
		       uint64_t size, uint32_t advice)
{
	/* DPR_ADVICE_NONE takes the first two steps; any other advice takes the
	   step whose index is the advice plus 1. */
	static const ze_memory_advice_t steps[] = {
		ZE_MEMORY_ADVICE_CLEAR_READ_MOSTLY,
		ZE_MEMORY_ADVICE_CLEAR_PREFERRED_LOCATION,
		ZE_MEMORY_ADVICE_SET_READ_MOSTLY,
		ZE_MEMORY_ADVICE_SET_PREFERRED_LOCATION,
		/* Level Zero cannot prefer the host: no location is
		   preferred. */
		ZE_MEMORY_ADVICE_CLEAR_PREFERRED_LOCATION,
	};
	const struct ze_api *ze = &queue->instance->ze;
	uint32_t first = advice ? advice + 1 : 0, last = advice ? first : 1, i;
	ze_result_t result = ZE_RESULT_SUCCESS;
	ze_command_list_handle_t list;
	dprp_rc rc;

	if (advice > 3)
		return dprh_fail(queue->instance->host, DPR_RC_UNSUPPORTED, 0,
				 "advice %u is unknown", (unsigned)advice);
	if (mem->kind != DPRP_MEM_SHARED || !size)
		return DPR_RC_OK;
	/* Advice has no events, is not ordered with other work, and uses memory
	   that may be freed after the call. */
	rc = ze_list_take_waiting(queue, &list);
	if (rc)
		return rc;
	for (i = first; i <= last && !result; i++)
		result = ze->zeCommandListAppendMemAdvise(
			list, queue->device->ze, mem->address + offset,
			(size_t)size, steps[i]);
	ze_list_give_waiting(queue, list);
	return ze_error_check_device(queue->device, result,
				     "zeCommandListAppendMemAdvise");
}
