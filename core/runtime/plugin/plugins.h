/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugins.h - the plugin files of this process, found and loaded once.
 *
 * One thread at a time loads plugins or opens backends: it has the baton, and
 * holds no lock.  Other threads wait for the baton.  Asking for the baton twice
 * is an error, which a plugin that calls dpr would cause.
 */
#ifndef RUNTIME_PLUGINS_H
#define RUNTIME_PLUGINS_H

#include "core/runtime/plugin/backends.h"
#include "core/runtime/plugin/candidate.h"

/* Install the hooks that handle the baton at fork().  Called once, before
   process_watch(). */
void plugins_watch(void);

/* Take the baton, which may block; give it back.  DPR_ERROR_INTERNAL: this
   thread has it already; @what begins the text. */
dpr_status plugins_take(const char *what);
void plugins_give(void);

/*
 * Find the files, load those that @choice and their order allow, and rank them.
 * The caller must have the baton.
 * DPR_ERROR_PLUGIN: a required file cannot be loaded.  DPR_ERROR_ENVIRONMENT: a
 * variable is wrong.  DPR_ERROR_OUT_OF_MEMORY.
 */
dpr_status plugins_load(const struct backend_choice *choice);

/* Undo plugins_load(), or make its result permanent.  The caller must have the
   baton. */
void plugins_unload(void);
void plugins_keep(void);

/* Whether plugins_keep() was called. */
bool plugins_are_loaded(void);

/* The files that were found.  The list never changes once plugins are
   loaded. */
const struct candidates *plugins_found(void);

/* Whether a plugin file that was found, or a bundled plugin, has that name. */
bool plugins_know(const char *name, size_t length);

/* Call @visit with each name that plugins_know() accepts, with some of them
   twice. */
void plugins_each_name(void (*visit)(void *user, const char *name), void *user);

#endif
