/* SPDX-License-Identifier: Apache-2.0 */
/* fault.h - the layer "fault": calls of a plugin that fail by DPR_FAULT. */
#ifndef RUNTIME_FAULT_H
#define RUNTIME_FAULT_H

#include <dpr/backend.h>
#include <dpr/status.h>

#include "core/runtime/layer/entries.h"

/*
 * Read DPR_FAULT, if DPR_LAYERS names the layer "fault".
 *
 * It is a list of ENTRY:N[+][=CODE], separated by commas: call number N of the
 * entry fails, with "+" each from that one on, in place of reaching the plugin.
 * Calls count from 1, those of all plugins together.  CODE is the name of a
 * DPR_RC_* in small letters, without it "native".
 *
 * DPR_ERROR_ENVIRONMENT: a word is wrong, which the text names; or the variable
 * is not set.
 */
dpr_status fault_read(void);

/* Count a call of @entry.  Returns the code that it is to fail with, and the
   number of the call in *@call; or DPR_RC_OK. */
dprp_rc fault_due(enum entry entry, uint64_t *call);

#endif
