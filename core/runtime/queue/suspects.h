/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suspects.h - which submissions may have caused the loss of a device.
 *
 * After a fault a driver may report a lost device for every event, even of work
 * that had nothing to do with the fault.  So the texts of failures list all
 * that was under way.
 */
#ifndef RUNTIME_SUSPECTS_H
#define RUNTIME_SUSPECTS_H

#include "core/base/text.h"
#include "core/runtime/queue/queue.h"

/*
 * Record what is under way on all queues of @device's root device, unless that
 * was done before.  Called when the driver first reports the loss, before
 * anything counts as over because of it.  Takes locks of queues; calls no
 * plugin.
 */
void suspects_note(dpr_device *device);

/* Call suspects_note(), then append its record to the text of a failure. */
void suspects_print(dpr_device *device, struct text *text);

#endif
