/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.h - which backends there are, and their devices.
 *
 * The first call that needs devices looks for plugin files and loads them; a
 * driver is started when a selector can match its backend.  One thread at a
 * time does either, with no lock held: others wait for it, and the same thread
 * coming back (a plugin that calls dpr) is an error.
 */
#ifndef RUNTIME_REGISTRY_H
#define RUNTIME_REGISTRY_H

#include "core/base/text.h"
#include "core/runtime/device/device.h"
#include "core/runtime/plugin/loader.h"

/* A snapshot of the root devices, the best first; never changes, never goes. */
struct device_list {
	const struct device_list *older;
	size_t n;
	dpr_device *devices[];
};

/*
 * Read the environment and load the plugins, unless that was done.
 * DPR_ERROR_ENVIRONMENT (also of registry_open() before), DPR_ERROR_PLUGIN (a
 * file that was asked for cannot be loaded): sticky.  DPR_ERROR_SHUTDOWN,
 * DPR_ERROR_FORKED, DPR_ERROR_OUT_OF_MEMORY, DPR_ERROR_INTERNAL: called by a
 * plugin that is being opened.  @what begins the text.
 */
dpr_status registry_start(const char *what);

/* Open every loaded backend of which @wanted says so (NULL: all), after
   registry_start().  A driver that does not start is no error.
   DPR_ERROR_ENVIRONMENT: a backend does not take the value of one of its
   options, or has no such option; the others are open all the same. */
dpr_status registry_open(const char *what,
			 int (*wanted)(const void *user, const char *backend),
			 const void *user);

/* The devices of the backends that are open. */
const struct device_list *registry_snapshot(void);

/* The candidates, fixed after registry_start() has tried. */
const struct candidates *registry_candidates(void);

/* Whether there is a plugin file of that name, or a bundled plugin. */
int registry_knows(const char *backend, size_t length);

/* One line for each plugin that did not come up, and why, each beginning with a
   newline. */
void registry_explain(struct text *text);

/* Call @visit with every such name. */
void registry_names(void (*visit)(void *user, const char *name), void *user);

/* Names of files for dpr_plugin_add(). */
dpr_status registry_add(const char *file);

/* What to do about a driver that is absent, by backend; NULL: nothing known. */
const char *advice_for(const char *backend, dprp_rc rc);

/* Device objects, device.c: made for the registry, given to no one else before
   they are in a snapshot. */
dpr_device *device_make(struct plugin *plugin, dprp_device *handle,
			uint32_t index, const dpr_device *const *before);
void device_drop(dpr_device *device);
/* Order for the default device: whether @a comes before @b. */
int device_before(const dpr_device *a, const dpr_device *b);
/* Find twins among the devices of @list. */
void device_match_twins(const struct device_list *list);

#endif
