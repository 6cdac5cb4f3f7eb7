/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - messages to the program or to a file.
 *
 * Any thread may queue messages, even with locks held.  A thread without locks
 * delivers them later.  Messages of an unwanted level are not formatted.
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

/* Whether messages of this level are wanted.  Costs one relaxed load. */
bool log_wants(enum dpr_log_level level);

/* Queue a message.  Any lock may be held. */
void log_post(enum dpr_log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Deliver the queued messages.  The caller must hold no lock.  If the queue is
   empty, this costs one relaxed load. */
void log_flush(void);

/* The level called @name, which has @length letters.  0: there is none. */
enum dpr_log_level log_level_of(const char *name, size_t length);

/* Hold the log's lock during fork().  In the child, log_unlock() also ends a
   delivery by another thread of the parent. */
void log_lock(void);
void log_unlock(bool child);

#endif
