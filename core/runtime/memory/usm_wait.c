/* SPDX-License-Identifier: Apache-2.0 */
/* usm_wait.c - waiting for the contents of an allocation. */
#include "core/base/clock.h"
#include "core/base/handles/handles.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/memory/allocation.h"
#include "core/runtime/memory/conflicts.h"
#include "core/runtime/memory/origin.h"
#include "core/runtime/memory/uses.h"
#include "core/runtime/memory/usm.h"
#include "core/runtime/queue/cover.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/event_wait.h"
#include "core/runtime/queue/progress.h"
#include "core/runtime/queue/reap.h"

/* Wait until all submissions that write @usm are over. */
static dpr_status wait_writes(dpr_usm *usm, uint64_t deadline)
{
	struct conflict_list writes = { .count = 0 };
	struct event_list events = { .count = 0 };
	dpr_status status;
	size_t i;

	status = uses_writes(usm, &writes);
	for (i = 0; i < writes.count && !status; i++)
		status = cover_ticket(writes.list[i].queue,
				      writes.list[i].ticket,
				      writes.list[i].what, &events);
	for (i = 0; i < events.count && !status; i++)
		status = event_wait_final(events.list[i], deadline);
	event_list_fini(&events);
	conflicts_fini(&writes);
	return status;
}

dpr_status dpr_usm_wait_for(const dpr_usm *usm, uint64_t nanoseconds)
{
	TRACE_CALL;
	HANDLES(usm);
	uint64_t deadline = clock_deadline(nanoseconds);
	dpr_status status = process_check("usm wait");

	if (!status && nanoseconds)
		status = progress_may_wait("usm wait");
	if (status)
		return status;
	if (!usm)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "usm wait: the allocation is NULL");
	status = wait_writes(usm_asked(usm), deadline);
	if (status)
		return status;
	origin_ask(usm_asked(usm), usm->queue, deadline);
	if (trace_on())
		atomic_store_explicit(&trace_due, 1, memory_order_relaxed);
	reap_after(nanoseconds);
	return origin_check("usm wait", usm_asked(usm));
}

dpr_status dpr_usm_wait(const dpr_usm *usm)
{
	TRACE_CALL;
	HANDLES(usm);

	return dpr_usm_wait_for(usm, DPR_FOREVER);
}
