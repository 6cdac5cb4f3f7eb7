/* SPDX-License-Identifier: Apache-2.0 */
/* discover.h - where plugin files are looked for, and in which order. */
#ifndef RUNTIME_DISCOVER_H
#define RUNTIME_DISCOVER_H

#include "core/runtime/plugin/candidate.h"

/*
 * Find the plugin files: first @added, then the files of DPR_PLUGINS.  Without
 * DPR_PLUGINS these come next: the files in DPR_PLUGIN_PATH, the files that
 * manifests name, the files beside the library, and those of the installation.
 * No file is loaded.  A file that must not be used is in the list with stage
 * REFUSED.  DPR_ERROR_ENVIRONMENT, DPR_ERROR_OUT_OF_MEMORY: the list is empty.
 */
dpr_status discover(struct candidates *found, char *const *added,
		    size_t n_added);

/* Parts of discover(), public for tests: search a directory of manifests, or of
   plugins.  A directory of plugins is searched once, under any of its names. */
dpr_status discover_manifests(struct candidates *found, const char *directory);
dpr_status discover_directory(struct candidates *found, const char *directory,
			      const char *origin);

#endif
