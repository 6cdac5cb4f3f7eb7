/* SPDX-License-Identifier: Apache-2.0 */
/* around.h - the functions of the layers in the tables of a plugin. */
#ifndef RUNTIME_AROUND_H
#define RUNTIME_AROUND_H

#include "core/runtime/layer/layered.h"

/* Put @layer around @plugin, before it is opened.  @layer is zeroed but for
   what is on, and lives as long as the process.  The plugin's tables get
   functions that check each call, and then call the plugin. */
void around_install(struct layer *layer, struct plugin *plugin);

#endif
