/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.h - the values of DPR_* variables that are read when the library
 * starts.  A wrong value is refused there, with a list of what is accepted.
 */
#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include <dpr/status.h>

/* DPR_POOL_LIMIT.  DPR_ERROR_ENVIRONMENT: neither bytes nor a percentage. */
dpr_status settings_pool_limit_read(void);
/* A percentage of the device's memory, 1 to 100; 0: it is in bytes. */
unsigned settings_pool_percent(void);
/* UINT64_MAX: no limit. */
uint64_t settings_pool_bytes(void);

/* DPR_CACHE_DIR and DPR_CACHE_LIMIT.  DPR_ERROR_ENVIRONMENT: not an absolute
   directory, or not a number of bytes. */
dpr_status settings_cache_read(void);
/* How many bytes may be kept; 0: nothing is kept. */
uint64_t settings_cache_limit(void);

/* Read DPR_LAYERS and start what it names.  DPR_ERROR_ENVIRONMENT: a layer is
   unknown, or the trace's file (DPR_TRACE) cannot be written. */
dpr_status settings_layers_read(void);

/* Layer "sync": each submission waits for its end, so that the call which made
   it returns its failure.  Submissions from event callbacks do not wait. */
bool settings_sync(void);

#endif
