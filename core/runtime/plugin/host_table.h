/* SPDX-License-Identifier: Apache-2.0 */
/* host_table.h - what the core offers to a plugin. */
#ifndef RUNTIME_HOST_TABLE_H
#define RUNTIME_HOST_TABLE_H

#include "core/runtime/plugin/plugin.h"

/* What plugins tell, and what its words need to know of devices.  Each part is
   set by its owner, once, before a plugin is opened. */
struct host_owner {
	void (*device_lost)(const struct plugin *plugin,
			    const dprp_device *device, const char *why);
	/* Whether a device of @plugin is lost. */
	int (*has_lost)(const struct plugin *plugin);
	/* All names of plugins that are known. */
	void (*names)(void (*visit)(void *user, const char *name), void *user);
};

void host_set_owner(const struct host_owner *owner);
void host_set_event_done(void (*event_done)(uint64_t token, dprp_rc status));

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

/* A warning about the plugin, as from itself: for the log, and for the load
   report while it is being opened. */
void host_warn(const struct plugin *plugin, const char *line);

/* The plugin is open.  What it warned of until now, such as a part of its
   driver that it leaves out; to be freed with mem_free(), NULL if nothing. */
char *host_opened(const struct plugin *plugin);

/*
 * The plugin is open: each of its options that is set is one that it asked for.
 * DPR_ERROR_ENVIRONMENT: one is not.
 */
dpr_status host_check_options(const struct plugin *plugin);

/*
 * The plugin has refused to open with @rc, and @why is what it said of that.
 * DPR_ERROR_ENVIRONMENT: it was the value of one of its options.
 */
dpr_status host_check_value(const struct plugin *plugin, dprp_rc rc,
			    const char *why);

/* Forget what a plugin said in this thread. */
void host_forget(void);

#endif
