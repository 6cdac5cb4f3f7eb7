/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend-help.h - functions for authors of backends; a plugin need not use
 * them.
 *
 * All is inline, in C11 and C++, and becomes part of the plugin: nothing is
 * linked, and a plugin works with any core whose ABI it knows, whichever
 * version of these files it was compiled with.  Files that include system
 * headers first are compiled with -D_GNU_SOURCE, or not as strict C.
 *
 * A parameter `host` is the table that the plugin got from open, or the
 * plugin's copy of the table.  Where a function fails it has called
 * host->set_error(), and the entry returns its code.  Functions may be called
 * by any thread, unless their comment says otherwise.
 */
#ifndef DPR_BACKEND_HELP_H
#define DPR_BACKEND_HELP_H

/* Memory, errors and the log; structs that grow; answers to info; checks. */
#include <dpr/help-base.h>
/* Launches, and kernels in the format "native-<target>". */
#include <dpr/help-native.h>
/* A queue of commands, with events, for drivers that have none. */
#include <dpr/help-queue.h>

#endif
