/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.h - the values of DPR_* variables that are read when the library
 * starts.  A wrong value is refused then, with a list of accepted values.
 */
#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include <dpr/status.h>

/* Read DPR_POOL_LIMIT.  DPR_ERROR_ENVIRONMENT: neither bytes nor a
   percentage. */
dpr_status settings_pool_limit_read(void);
/* The limit as a percentage of the device's memory, 1 to 100.  0: the limit is
   in bytes. */
unsigned settings_pool_percent(void);
/* The limit in bytes.  UINT64_MAX: there is no limit, or the limit is a
   percentage. */
uint64_t settings_pool_bytes(void);

/* Check DPR_CACHE_DIR and DPR_CACHE_LIMIT.  DPR_ERROR_ENVIRONMENT: not an
   absolute directory, or not a number of bytes. */
dpr_status settings_cache_read(void);
/* The most bytes that the cache may keep.  0: it keeps nothing. */
uint64_t settings_cache_limit(void);

/* Read DPR_LAYERS and start the named layers.  DPR_ERROR_ENVIRONMENT: a layer
   is unknown, the trace's file (DPR_TRACE) cannot be written, or "check" has no
   log or a bad DPR_CHECK_SECONDS. */
dpr_status settings_layers_read(void);

/* Whether the layer "sync" is on.  Then each call that submits work waits for
   its end and returns its failure, except in event callbacks. */
bool settings_sync(void);

/* settings_check() and settings_fault(): whether these layers around the
   plugins are on.  settings_check_seconds(): after so many seconds without
   progress "check" reports; 0: never. */
bool settings_check(void);
bool settings_fault(void);
uint64_t settings_check_seconds(void);

#endif
