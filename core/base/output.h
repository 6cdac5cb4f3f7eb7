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
 * pipe without a reader is refused.  The contents of the file are not touched:
 * it may not be ours to write.  Returns a descriptor, or -1 with the reason in
 * @why.
 */
int output_open(const char *name, int flags, enum output_kind kind,
		char why[OUTPUT_WHY]);

#endif
