/* SPDX-License-Identifier: Apache-2.0 */
/* output.c - opening the files that the environment names to be written. */
#include "core/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_kind(const struct stat *st, enum output_kind kind)
{
	if (S_ISREG(st->st_mode))
		return true;
	return kind == OUTPUT_STREAM &&
	       (S_ISCHR(st->st_mode) || S_ISFIFO(st->st_mode));
}

int output_open(const char *name, int flags, enum output_kind kind,
		char why[OUTPUT_WHY])
{
	struct stat st;
	int fd;

	/* O_NONBLOCK: opening a pipe without a reader would block. */
	fd = open(name,
		  O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
			  flags,
		  0666);
	if (fd < 0) {
		snprintf(why, OUTPUT_WHY, "the file cannot be written (%s)",
			 errno == ENXIO ? "it is a pipe without a reader, or "
					  "a socket"
					: strerrordesc_np(errno));
		return -1;
	}
	/* Later writes may block, as usual. */
	if (!fstat(fd, &st) && is_kind(&st, kind) && !fcntl(fd, F_SETFL, flags))
		return fd;
	close(fd);
	snprintf(why, OUTPUT_WHY, "it is not a regular file%s",
		 kind == OUTPUT_STREAM ? ", terminal or pipe" : "");
	return -1;
}
