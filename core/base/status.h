/* SPDX-License-Identifier: Apache-2.0 */
/* status.h - records errors. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <stdbool.h>

#include <dpr/status.h>

/*
 * Record the text of a failure for this thread.  The value is the status:
 * `return fail(DPR_ERROR_NOT_FOUND, "kernel %s: ...", name);`.  This is a
 * macro, so that static analysis sees the value.  Only the place that decides
 * on an error records it; callers pass the status on.
 */
#define fail(status, ...) (status_fail((status), __VA_ARGS__), (status))

/* Whether @status is a value of enum dpr_status other than DPR_OK: programs can
   pass any number. */
bool status_is_error(dpr_status status);

/* Record the text as this thread's last error. status_fail() also gives the
   layer "trace" the status. */
void status_fail(dpr_status status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void status_record(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* Put the formatted text and ": " before this thread's last error. */
void status_prefix(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* Replace the function's name in this thread's last error by @name.  The old
   name ends at the first ": ".  Without an old name, @name is put before the
   text. */
void status_rename(const char *name);

/* Save this thread's last error (keep), and set it again (restore).  Texts that
   were handed out stay valid.  Failures in between do not count as failures of
   the calling function. */
char *status_keep(void);
void status_restore(char *text);
/* Drop a text from status_keep() instead of restoring it.  The last failure in
   between, with @status, becomes the failure of the calling function. */
void status_replace(char *text, dpr_status status);

/* Add a text to the end of this thread's last error. */
void status_append(const char *text);

#endif
