/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_plugin.h - the entries of the descriptor. */
#ifndef RUNTIME_WRAP_PLUGIN_H
#define RUNTIME_WRAP_PLUGIN_H

#include "core/runtime/layer/layered.h"

/* Fill layer->shown: the plugin's descriptor with wrappers in it. */
void wrap_plugin_install(struct layer *layer);

#endif
