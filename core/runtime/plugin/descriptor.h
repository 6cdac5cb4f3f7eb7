/* SPDX-License-Identifier: Apache-2.0 */
/* descriptor.h - reading a plugin's descriptor without trusting it. */
#ifndef RUNTIME_DESCRIPTOR_H
#define RUNTIME_DESCRIPTOR_H

#include "core/base/text.h"
#include "core/runtime/plugin/plugin.h"

/*
 * Check that the descriptor that @entry returns, and everything that it points
 * to, lies in the plugin file @handle.  Then fill the tables of @plugin.
 * Returns whether all is right; if not, the reason is in @why.
 */
bool descriptor_read(void *handle, void *entry, struct plugin *plugin,
		     struct text *why);

#endif
