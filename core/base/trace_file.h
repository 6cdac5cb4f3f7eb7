/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_file.h - the file of the layer "trace", in the Chrome trace event
 * format.
 *
 * The file is complete JSON after each write, so that it can be read even if
 * the process is killed.
 */
#ifndef BASE_TRACE_FILE_H
#define BASE_TRACE_FILE_H

#include <stdatomic.h>
#include <stdint.h>

#include <dpr/status.h>

#include "core/base/trace_line.h"

enum trace_file_state {
	TRACE_OFF = 0,
	TRACE_UNKNOWN = 1, /* the environment has not been read yet */
	TRACE_ON = 2
};

/* An enum trace_file_state, read relaxed.  Another state than TRACE_UNKNOWN can
   only become TRACE_OFF, and TRACE_OFF is final. */
extern atomic_int trace_file_state;

/*
 * Open and empty @file, and begin its list of events.  "%p" in the name is
 * replaced by the process's number.  The layer stays off, with a line in the
 * log, if the file cannot be written, is not a regular file, or is being
 * written by another process.  Does nothing once the layer is on or off.
 * DPR_ERROR_ENVIRONMENT: the name is not absolute; the text names DPR_TRACE.
 */
dpr_status trace_file_open(const char *file);

/* Turn the layer off before it begins, because nobody asked for a trace. */
void trace_file_decline(void);

/* End the line, and put it into the file now or later.  This may write, so the
   caller must hold no lock of the core. */
void trace_file_put(struct trace_line *line);

/* Write the name of a process or a thread; @what is "process_name" or
   "thread_name". */
void trace_file_name(const char *what, uint64_t process, uint64_t thread,
		     const char *name);

/* Turn the layer off, and write the remaining lines.  Further lines are
   dropped. */
void trace_file_finish(void);

/* Turn the layer off in the child of a fork(), because the file belongs to the
   parent. */
void trace_file_forked(void);

#endif
