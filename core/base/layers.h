/* SPDX-License-Identifier: Apache-2.0 */
/* layers.h - DPR_LAYERS: what is put between the calls and the backends. */
#ifndef BASE_LAYERS_H
#define BASE_LAYERS_H

#include <dpr/status.h>

/* Read DPR_LAYERS and start what it names.  DPR_ERROR_ENVIRONMENT: there is no
   such layer, or the trace's file (DPR_TRACE) cannot be written. */
dpr_status layers_read(void);

/* Layer "sync": every submission is waited for, and what goes wrong with it is
   an error of the call that made it; but for those from event callbacks. */
int layers_sync(void);

#endif
