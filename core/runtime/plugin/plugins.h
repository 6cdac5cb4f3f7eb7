/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugins.h - the plugin files of this process, found and loaded once.
 *
 * One thread at a time loads plugins or opens backends: it has the baton, and
 * holds no lock.  Other threads wait for the baton.  If the thread that has it
 * asks for it again, because a plugin calls dpr, that is an error.
 */
#ifndef RUNTIME_PLUGINS_H
#define RUNTIME_PLUGINS_H

#include "core/runtime/plugin/backends.h"
#include "core/runtime/plugin/candidate.h"

/* Install the hooks that handle the baton at fork().  Called once, before
   process_watch(). */
void plugins_watch(void);

/* Take the baton, which may block.  DPR_ERROR_INTERNAL: this thread has it;
   @what begins the text. */
dpr_status plugins_take(const char *what);
void plugins_give(void);

/*
 * With the baton: find the files, load those that @choice and their order
 * allow, and rank them.
 * DPR_ERROR_PLUGIN: a required file cannot be loaded.  DPR_ERROR_ENVIRONMENT: a
 * variable is wrong.  DPR_ERROR_OUT_OF_MEMORY.
 */
dpr_status plugins_load(const struct backend_choice *choice);

/* With the baton, after plugins_load(): undo it, or make it permanent. */
void plugins_unload(void);
void plugins_keep(void);

/* Whether plugins_keep() was called. */
bool plugins_are_loaded(void);

/* The files; they never change once they are loaded. */
const struct candidates *plugins_found(void);

/* Whether a plugin file has that name, or a bundled plugin. */
bool plugins_know(const char *name, size_t length);

/* Call @visit with each of these names.  A name may come twice. */
void plugins_each_name(void (*visit)(void *user, const char *name), void *user);

#endif
