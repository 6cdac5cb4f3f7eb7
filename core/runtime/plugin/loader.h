/* SPDX-License-Identifier: Apache-2.0 */
/* loader.h - loading a plugin file and checking it, without its driver. */
#ifndef RUNTIME_LOADER_H
#define RUNTIME_LOADER_H

#include "core/runtime/plugin/candidate.h"

/*
 * Check the file, open it, check its descriptor: the stage becomes LOADED,
 * or REFUSED, BROKEN or REJECTED with a text.  No driver is touched.
 * DPR_ERROR_OUT_OF_MEMORY: nothing has changed.
 */
dpr_status loader_load(struct candidate *candidate);

#endif
