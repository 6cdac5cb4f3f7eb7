/* SPDX-License-Identifier: Apache-2.0 */
/* discover.h - where plugin files are looked for, and in which order. */
#ifndef RUNTIME_DISCOVER_H
#define RUNTIME_DISCOVER_H

#include "core/runtime/plugin/candidate.h"

/*
 * Find the files: those of @added first, then those of DPR_PLUGINS alone, or
 * else of the directories of DPR_PLUGIN_PATH, the manifests and the two
 * directories of the installation.  No file is loaded.  A file that must not be
 * used is in the list with stage REFUSED.
 * DPR_ERROR_ENVIRONMENT, DPR_ERROR_OUT_OF_MEMORY: the list is empty.
 */
dpr_status discover(struct candidates *found, char *const *added,
		    size_t n_added);

/* The parts of discover(), for tests: one manifest directory, one directory of
   plugins.  A directory of plugins counts once, under any of its names. */
dpr_status discover_manifests(struct candidates *found, const char *directory);
dpr_status discover_directory(struct candidates *found, const char *directory,
			      const char *origin);

#endif
