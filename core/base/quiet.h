/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quiet.h - writing without the signals that end a process.
 *
 * A write beyond the limit of the size of files (RLIMIT_FSIZE) raises SIGXFSZ,
 * one into a pipe that nobody reads SIGPIPE.  Both end a program that has not
 * asked for them, and it has not asked for our files either.
 */
#ifndef BASE_QUIET_H
#define BASE_QUIET_H

#include <signal.h>

struct quiet {
	sigset_t mask, pending; /* of this thread, before */
};

/* Between the two a write of this thread raises neither: it fails with EFBIG or
   EPIPE.  Whether the program ignores, blocks or handles them, it sees nothing
   of ours, and what was pending before still is.  quiet_end() leaves errno. */
void quiet_begin(struct quiet *quiet);
void quiet_end(const struct quiet *quiet);

#endif
