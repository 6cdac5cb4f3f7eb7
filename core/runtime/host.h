/* SPDX-License-Identifier: Apache-2.0 */
/* host.h - what the core offers to a plugin. */
#ifndef RUNTIME_HOST_H
#define RUNTIME_HOST_H

#include "core/runtime/plugin.h"

/* Fill plugin->host.  DPR_ERROR_OUT_OF_MEMORY. */
dpr_status host_init(struct plugin *plugin);

/* Free what host_init() made; the plugin was never opened. */
void host_fini(struct plugin *plugin);

/*
 * What the plugin said last in this thread through set_error() with @rc, or "",
 * and then what the dynamic linker said about driver libraries that did not
 * open.  To be freed with mem_free(); NULL without memory.
 */
char *host_report(const struct plugin *plugin, dprp_rc rc);

/* The plugin is open.  What it warned of until now, such as a part of its
   driver that it leaves out; to be freed with mem_free(), NULL if nothing. */
char *host_opened(const struct plugin *plugin);

/* Forget what a plugin said in this thread. */
void host_forget(void);

#endif
