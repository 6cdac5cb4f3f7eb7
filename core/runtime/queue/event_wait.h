/* SPDX-License-Identifier: Apache-2.0 */
/* event_wait.h - waiting for events. */
#ifndef RUNTIME_EVENT_WAIT_H
#define RUNTIME_EVENT_WAIT_H

#include <stdint.h>

#include <dpr/event.h>

/* Wait until @event is final.  Then returns DPR_OK, even if the event has
   failed; DPR_ERROR_TIMEOUT after @deadline. */
dpr_status event_wait_final(dpr_event *event, uint64_t deadline);

#endif
