/* SPDX-License-Identifier: Apache-2.0 */
/* files.c - opening, reading and writing files. */
#include "core/base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool is_kind(const struct stat *st, enum files_kind kind)
{
	if (S_ISREG(st->st_mode))
		return true;
	return kind == FILES_STREAM &&
	       (S_ISCHR(st->st_mode) || S_ISFIFO(st->st_mode));
}

int files_open(const char *name, int flags, enum files_kind kind,
	       char why[FILES_WHY])
{
	struct stat st;
	int fd;

	/* O_NONBLOCK: opening a pipe without a reader would block. */
	fd = open(name,
		  O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
			  flags,
		  0666);
	if (fd < 0) {
		snprintf(why, FILES_WHY, "the file cannot be written (%s)",
			 errno == ENXIO ? "it is a pipe without a reader, or "
					  "a socket"
					: strerrordesc_np(errno));
		return -1;
	}
	/* Later writes may block, as usual. */
	if (!fstat(fd, &st) && is_kind(&st, kind) && !fcntl(fd, F_SETFL, flags))
		return fd;
	close(fd);
	snprintf(why, FILES_WHY, "it is not a regular file%s",
		 kind == FILES_STREAM ? ", terminal or pipe" : "");
	return -1;
}

ssize_t files_read(int fd, void *to, size_t size, off_t at)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t n = pread(fd, (char *)to + done, size - done,
					at + (off_t)done);

		if (!n)
			break;
		if (n > 0)
			done += (size_t)n;
		else if (errno != EINTR)
			return -1;
	}
	return (ssize_t)done;
}

/* --- Writing without the signals that end a process -------------------------
 */

static const int signals[] = { SIGXFSZ, SIGPIPE };

void files_quiet_begin(struct files_quiet *quiet)
{
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&set, signals[i]);
	sigemptyset(&quiet->pending);
	(void)sigpending(&quiet->pending);
	(void)pthread_sigmask(SIG_BLOCK, &set, &quiet->mask);
}

void files_quiet_end(const struct files_quiet *quiet)
{
	static const struct timespec at_once;
	sigset_t pending, one;
	size_t i;

	sigemptyset(&pending);
	(void)sigpending(&pending);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		if (!sigismember(&pending, signals[i]) ||
		    sigismember(&quiet->pending, signals[i]))
			continue;
		sigemptyset(&one);
		sigaddset(&one, signals[i]);
		(void)sigtimedwait(&one, NULL, &at_once);
	}
	(void)pthread_sigmask(SIG_SETMASK, &quiet->mask, NULL);
}

int files_write(int fd, const void *bytes, size_t size, off_t at)
{
	const char *from = bytes;
	struct files_quiet quiet;
	int error = 0;

	files_quiet_begin(&quiet);
	while (size && !error) {
		const ssize_t n = at == FILES_HERE ? write(fd, from, size)
						   : pwrite(fd, from, size, at);

		if (n > 0) {
			from += n;
			size -= (size_t)n;
			at += at == FILES_HERE ? 0 : n;
		} else if (n == 0 || errno != EINTR) {
			error = n ? errno : EIO;
		}
	}
	files_quiet_end(&quiet);
	return error;
}
