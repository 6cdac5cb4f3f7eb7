/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_event.h - the entries of events, and what is known of events. */
#ifndef RUNTIME_WRAP_EVENT_H
#define RUNTIME_WRAP_EVENT_H

#include "core/runtime/layer/passage.h"

/* Put wrappers in place of the plugin's entries. */
void wrap_event_install(struct layer *layer, dprp_event_ops *ops);

/* Get the state of the event, with the answer checked.  Returns the plugin's
   code. */
dprp_rc wrap_event_ask(struct layer *layer, uintptr_t number, dprp_event *real,
		       dprp_event_state *state, dprp_sink text);

/* Whether the event is over; asks the plugin.  A call that promises the end of
   the event may then return.  Also true if the event is unknown. */
bool wrap_event_over(struct passage *p, uintptr_t number);

/* The host service event_done(): returns true, and the core's token, if the
   core is to be told. */
bool wrap_event_done(struct layer *layer, uintptr_t number, uint64_t *token);

/* Note the events that a new event waits for. */
void wrap_event_depend(const dprp_deps *from, struct tag_event *event);

/* The name of a state: "RUNNING". */
const char *wrap_event_state_name(uint32_t state);

#endif
