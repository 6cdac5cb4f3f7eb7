/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quiet.h - writing without the signals that end a process.
 *
 * A write beyond the file size limit (RLIMIT_FSIZE) raises SIGXFSZ, and one
 * into a pipe without a reader raises SIGPIPE.  Both end a program that does
 * not handle them.
 */
#ifndef BASE_QUIET_H
#define BASE_QUIET_H

#include <signal.h>

struct quiet {
	sigset_t mask, pending; /* of this thread, before */
};

/* Between the two, a write of this thread raises neither signal: it fails with
   EFBIG or EPIPE.  Whether the program ignores, blocks or handles these
   signals, it does not see those of our writes, and earlier pending ones stay
   pending. quiet_end() leaves errno. */
void quiet_begin(struct quiet *quiet);
void quiet_end(const struct quiet *quiet);

#endif
