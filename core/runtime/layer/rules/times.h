/* SPDX-License-Identifier: Apache-2.0 */
/* times.h - the times of an event, for the layer "check" and for dpr
   check-plugin. */
#ifndef RUNTIME_TIMES_H
#define RUNTIME_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include <dpr/backend.h>

/* Whether the times are in order, and none is zero. */
bool times_in_order(const dprp_event_state *state);

/* Whether the times are of the clock that device->clocks reads: by that reading
   the work was submitted at @begin, and was over at @end, of the host's clock.
   A busy machine may be late. */
bool times_on_clock(const dprp_event_state *state, uint64_t device_ns,
		    uint64_t host_ns, uint64_t begin, uint64_t end);

#endif
