/* SPDX-License-Identifier: Apache-2.0 */
/* output.h - opening the files that the environment names to be written. */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stddef.h>

/* Room for what output_open() has to say. */
#define OUTPUT_WHY 160

enum output_kind {
	OUTPUT_FILE,  /* a regular file */
	OUTPUT_STREAM /* that, a character device, or a pipe with a reader */
};

/*
 * Open @name, made if it is missing, with O_WRONLY and @flags.  Never waits: a
 * pipe that nobody reads is refused.  What is in the file is not touched, for
 * it may not be one of ours to write.  -1: not opened; why is in @why.
 */
int output_open(const char *name, int flags, enum output_kind kind,
		char why[OUTPUT_WHY]);

#endif
