/* SPDX-License-Identifier: Apache-2.0 */
/* host_table.h - the table of functions that the core offers to a plugin. */
#ifndef RUNTIME_HOST_TABLE_H
#define RUNTIME_HOST_TABLE_H

#include "core/runtime/plugin/plugin.h"

/* Set the functions to call when a plugin reports a lost device (@why may be
   NULL), and a completed event.  The first must be set before a plugin is
   opened. */
void host_table_set_device_lost(void (*call)(struct plugin *plugin,
					     const dprp_device *device,
					     const char *why));
void host_table_set_event_done(void (*call)(uint64_t token, dprp_rc status));

/* Fill plugin->host.  DPR_ERROR_OUT_OF_MEMORY. */
dpr_status host_table_init(struct plugin *plugin);

/* Free what host_table_init() made; the plugin was never opened. */
void host_table_fini(struct plugin *plugin);

/*
 * Get the reason why the plugin did not open: what it last said in this thread
 * about @rc, then the dynamic linker's errors for driver libraries.  To be
 * freed with mem_free(); NULL if memory runs out.
 */
char *host_table_report(const struct plugin *plugin, dprp_rc rc);

/* Log a warning in the plugin's name.  While the plugin is being opened, the
   warning also goes into the load report. */
void host_table_warn(const struct plugin *plugin, const char *line);

/* Record that the plugin is open.  Returns its warnings so far, for instance
   that it ignores a part of its driver; to be freed with mem_free().  NULL: no
   warnings. */
char *host_table_opened(struct plugin *plugin);

#endif
