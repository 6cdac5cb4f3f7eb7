/* SPDX-License-Identifier: Apache-2.0 */
/* output.h - opening the files that the environment names to be written. */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stddef.h>

/* The room for a reason of output_open(). */
#define OUTPUT_WHY 160

enum output_kind {
	OUTPUT_FILE,  /* a regular file */
	OUTPUT_STREAM /* that, a character device, or a pipe with a reader */
};

/*
 * Open @name with O_WRONLY and @flags; create it if it is missing.  Never
 * waits: a pipe without a reader is refused.  Does not touch the contents,
 * since the file may not be ours to write.  Returns a descriptor, or -1 with
 * the reason in @why.
 */
int output_open(const char *name, int flags, enum output_kind kind,
		char why[OUTPUT_WHY]);

#endif
