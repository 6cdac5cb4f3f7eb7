/* SPDX-License-Identifier: Apache-2.0 */
/* layers.h - DPR_LAYERS: what is put between the calls and the backends. */
#ifndef BASE_LAYERS_H
#define BASE_LAYERS_H

#include <stdbool.h>

#include <dpr/status.h>

/* Read DPR_LAYERS and start what it names.  DPR_ERROR_ENVIRONMENT: a layer is
   unknown, or the trace's file (DPR_TRACE) cannot be written. */
dpr_status layers_read(void);

/* Layer "sync": each submission waits for its end, so that its failure is an
   error of the call that made it.  Submissions from event callbacks do not
   wait.
 */
bool layers_sync(void);

#endif
