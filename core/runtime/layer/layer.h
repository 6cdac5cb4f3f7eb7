/* SPDX-License-Identifier: Apache-2.0 */
/* layer.h - the layers between the core and plugins, "check" and "fault". */
#ifndef RUNTIME_LAYER_H
#define RUNTIME_LAYER_H

#include "core/runtime/plugin/plugin.h"

/* Install the hooks for fork() and exit().  Called once, before
   process_watch(). */
void layer_prepare(void);

/*
 * Put the layers that DPR_LAYERS names around @plugin, before it is opened.
 * The plugin's tables get entries that check each call, and then call the
 * plugin.  Nothing changes without these layers, or if they are there already.
 * DPR_ERROR_OUT_OF_MEMORY: nothing has changed.
 */
dpr_status layer_install(struct plugin *plugin);

#endif
