/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - messages to the program or a file.
 *
 * Messages are queued, which any thread may do with locks held.  A thread
 * without locks delivers them later.  Messages of an unwanted level are not
 * formatted.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

#include <dpr/runtime.h>

/*
 * Apply DPR_LOG.  Call it only after env_start().
 * DPR_ERROR_ENVIRONMENT: DPR_LOG is malformed, or its file cannot be written.
 */
dpr_status log_start(void);

/* Whether messages of this level go anywhere; one relaxed load. */
bool log_wants(enum dpr_log_level level);

/* Queue a message; may be called with any lock held. */
void log_post(enum dpr_log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Deliver the queued messages.  The caller holds no lock.  One relaxed load if
   the queue is empty. */
void log_flush(void);

/* The level called @name, of @length letters, or 0. */
enum dpr_log_level log_level_of(const char *name, size_t length);

/* For fork(): hold the log's lock across it.  In the child, log_unlock() also
   ends a delivery that another thread of the parent was making. */
void log_lock(void);
void log_unlock(bool child);

#endif
