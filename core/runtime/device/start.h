/* SPDX-License-Identifier: Apache-2.0 */
/* start.h - the start of the library, by the first call that needs devices. */
#ifndef RUNTIME_START_H
#define RUNTIME_START_H

#include <dpr/status.h>

/*
 * Read the environment and load the plugins, unless that was done; starts no
 * driver.  Blocks while another thread does it.  @what begins the error text.
 * DPR_ERROR_ENVIRONMENT (also for options that registry_open() found wrong),
 * DPR_ERROR_PLUGIN (a required file cannot be loaded): every later call fails
 * in the same way.  DPR_ERROR_SHUTDOWN, DPR_ERROR_FORKED,
 * DPR_ERROR_OUT_OF_MEMORY.  DPR_ERROR_INTERNAL: called by a plugin that is
 * being opened.
 */
dpr_status start_library(const char *what);

#endif
