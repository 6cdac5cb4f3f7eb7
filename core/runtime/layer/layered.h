/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layered.h - a plugin with the layers "check" and "fault" around it.
 *
 * The core's tables (struct plugin) have the functions of wrap_*.c in place of
 * the plugin's entries.  These find the plugin by the handle, for the core gets
 * handles of ours: see tag.h.
 */
#ifndef RUNTIME_LAYERED_H
#define RUNTIME_LAYERED_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "core/runtime/layer/entries.h"
#include "core/runtime/plugin/plugin.h"

struct finding_kind;

/* Lives until the process ends, as the host table does that a plugin gets. */
struct layer {
	struct layer *next;    /* the next layer in the list of all */
	struct plugin *plugin; /* the plugin, as the core sees it */
	/* The plugin's own, with the core's fallbacks for missing entries. */
	const dprp_plugin *desc;
	dprp_device_ops device;
	dprp_context_ops context;
	dprp_queue_ops queue;
	dprp_event_ops event;
	dprp_mem_ops mem;
	dprp_module_ops module;
	bool checks; /* the layer "check" is on */
	/* The layer "fault": the code that this call of the entry is to fail
	   with, or DPR_RC_OK.  NULL: no call is to fail. */
	dprp_rc (*fails)(struct layer *layer, enum entry entry);
	/* What the core gets in place of the descriptor, and the plugin in
	   place of the host table, whose `self` is this struct. */
	dprp_plugin shown;
	dprp_host host;
	atomic_bool has_driver; /* the driver may have made threads */
	/* the number of calls since the plugin was opened */
	atomic_ullong calls;
	pthread_mutex_t lock;
	/* Guards the fields below. */
	struct finding_kind *kinds; /* the kinds of findings; see logged.c */
	size_t n_kinds;
};

#endif
