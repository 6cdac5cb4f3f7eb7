/* SPDX-License-Identifier: Apache-2.0 */
/* turn.h - the order of work, as far as its events show it. */
#ifndef RUNTIME_TURN_H
#define RUNTIME_TURN_H

#include "core/runtime/layer/tag.h"

/* Check what must be over before an event that was just seen to be done.  Asks
   the plugin for the states of other events. */
void turn_check(struct layer *layer, uintptr_t number);

#endif
