/* SPDX-License-Identifier: Apache-2.0 */
/* files.h - opening, reading and writing files. */
#ifndef BASE_FILES_H
#define BASE_FILES_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

/* The room for the text in @why of files_open(). */
#define FILES_WHY 160

enum files_kind {
	FILES_REGULAR, /* a regular file */
	FILES_STREAM   /* a regular file, a character device, or a pipe with a
			  reader */
};

/*
 * Open @name with O_WRONLY and @flags, and create a missing file.  The name
 * comes from an environment variable.  Never waits: a pipe without a reader is
 * refused. Does not truncate the file, because another process may be writing
 * it.  Returns a descriptor, or -1 with the reason in @why.
 */
int files_open(const char *name, int flags, enum files_kind kind,
	       char why[FILES_WHY]);

/* Read up to @size bytes at @at.  Returns the number of bytes, which is less
   than @size only at the end of the file.  Returns -1 with errno on an
   error. */
ssize_t files_read(int fd, void *to, size_t size, off_t at);

/*
 * Write all @bytes to the file @fd, at the offset @at (FILES_HERE: at the
 * file's position).  The write raises neither SIGPIPE nor SIGXFSZ, whether the
 * program ignores, blocks or handles them.  Earlier pending signals stay
 * pending.  Returns 0, or an errno.
 */
int files_write(int fd, const void *bytes, size_t size, off_t at);
#define FILES_HERE ((off_t)-1)

/* The signals of a thread before files_quiet_begin(). */
struct files_quiet {
	sigset_t mask, pending;
};

/* Between these two, a write of this thread raises neither SIGPIPE nor SIGXFSZ,
   but fails with EPIPE or EFBIG.  Earlier pending signals stay pending. */
void files_quiet_begin(struct files_quiet *quiet);
void files_quiet_end(const struct files_quiet *quiet);

#endif
