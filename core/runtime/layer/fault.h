/* SPDX-License-Identifier: Apache-2.0 */
/* fault.h - the layer "fault": calls of a plugin that fail by DPR_FAULT. */
#ifndef RUNTIME_FAULT_H
#define RUNTIME_FAULT_H

#include <dpr/backend.h>
#include <dpr/status.h>

#include "core/runtime/layer/entries.h"
#include "core/runtime/layer/layered.h"

/*
 * Read DPR_FAULT, if DPR_LAYERS names the layer "fault".
 *
 * The variable is a list of ENTRY:N[+][=CODE], separated by commas.  Call
 * number N of the entry fails without reaching the plugin.  With "+" every
 * later call of the entry fails, too.  Calls count from 1, those of all plugins
 * together.  CODE is the name of a DPR_RC_* in small letters; without CODE it
 * is "native".
 *
 * DPR_ERROR_ENVIRONMENT: a word is wrong, and the text names the word; or the
 * variable is not set.
 */
dpr_status fault_read(void);

/* Count a call of @entry.  Returns the code that it is to fail with, or
   DPR_RC_OK.  The code is noted as an error of @layer's plugin. */
dprp_rc fault_plant(struct layer *layer, enum entry entry);

#endif
