/* SPDX-License-Identifier: Apache-2.0 */
/* times.c - the times of an event. */
#include "core/runtime/layer/rules/times.h"

/* How far two clocks may be apart that are compared on a busy machine, in
   nanoseconds. */
#define CLOCK_ERROR UINT64_C(200000000)

bool times_in_order(const dprp_event_state *s)
{
	return s->t_queued && s->t_submit >= s->t_queued &&
	       s->t_start >= s->t_submit && s->t_end >= s->t_start;
}

bool times_on_clock(const dprp_event_state *s, uint64_t device_ns,
		    uint64_t host_ns, uint64_t begin, uint64_t end)
{
	const uint64_t ahead = device_ns - host_ns;

	return s->t_queued - ahead + CLOCK_ERROR >= begin &&
	       s->t_end - ahead <= end + CLOCK_ERROR;
}
