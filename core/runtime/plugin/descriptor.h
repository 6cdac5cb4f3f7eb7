/* SPDX-License-Identifier: Apache-2.0 */
/* descriptor.h - reading a plugin's descriptor without trusting it. */
#ifndef RUNTIME_DESCRIPTOR_H
#define RUNTIME_DESCRIPTOR_H

#include "core/base/text.h"
#include "core/runtime/plugin/plugin.h"

/*
 * Get the descriptor from @entry.  Check that the whole descriptor, with all of
 * its tables, is in the plugin file @handle.  Then fill the tables of @plugin.
 * Returns true if all checks hold.  Otherwise the reason is in @why.
 */
bool descriptor_read(void *handle, void *entry, struct plugin *plugin,
		     struct text *why);

#endif
