/* SPDX-License-Identifier: Apache-2.0 */
/* npy_write.c - writing .npy files. */
#include "tools/eval/npy_write.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/eval/npy_header.h"

#define HOST_IS_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* The file that the signal handler removes.  There is one writer at a time. */
static char *volatile unfinished;

static const int signals[] = { SIGHUP, SIGINT, SIGTERM };

static void on_signal(int number)
{
	char *path = unfinished;

	if (path)
		unlink(path);
	/* SA_RESETHAND has restored the default action, so this ends the
	   process by the signal. */
	raise(number);
}

static void watch_signals(void)
{
	struct sigaction action, old;
	size_t i;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal;
	action.sa_flags = (int)SA_RESETHAND | SA_NODEFER;
	sigemptyset(&action.sa_mask);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &old) &&
		    old.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
}

static bool write_all(struct npy_writer *writer, const void *data, size_t size,
		      struct message *message)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = write(writer->fd, (const char *)data + done,
				  size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return message_set(message, "%s: cannot write: %s",
					   writer->path, strerror(errno));
		done += (size_t)n;
	}
	return true;
}

/* Make a temporary file with the permissions that the finished file must
   have. */
static bool open_temporary(struct npy_writer *writer, const struct stat *old,
			   struct message *message)
{
	mode_t mask;

	if (asprintf(&writer->temporary, "%s.XXXXXX", writer->target) < 0) {
		writer->temporary = NULL;
		return message_set(message, "%s: out of memory", writer->path);
	}
	writer->fd = mkostemp(writer->temporary, O_CLOEXEC);
	if (writer->fd < 0) {
		int error = errno;

		free(writer->temporary);
		writer->temporary = NULL;
		return message_set(message, "%s: cannot write there: %s",
				   writer->path, strerror(error));
	}
	unfinished = writer->temporary;
	watch_signals();
	mask = umask(0);
	umask(mask);
	if (fchmod(writer->fd, old ? old->st_mode & 0777 : 0666 & ~mask) < 0)
		return message_set(message, "%s: cannot write: %s",
				   writer->path, strerror(errno));
	return true;
}

/* Resolve the symbolic links of @path, even if the file does not exist yet: a
   rename would replace the link, not the file it points to.  Returns NULL and
   sets errno after a failure. */
static char *find_target(const char *path)
{
	char link[PATH_MAX], *target = realpath(path, NULL), *next;
	const char *slash = strrchr(path, '/');
	ssize_t length;

	if (target || errno != ENOENT)
		return target;
	length = readlink(path, link, sizeof(link) - 1);
	if (length < 0)
		return strdup(path);
	link[length] = 0;
	if (asprintf(&next, "%.*s%s",
		     *link != '/' && slash ? (int)(slash - path) + 1 : 0, path,
		     link) < 0)
		return NULL;
	/* This ends: for a circle of links, realpath() failed with ELOOP
	   above. */
	target = find_target(next);
	free(next);
	return target;
}

static bool open_output(struct npy_writer *writer, struct message *message)
{
	struct stat st;
	bool exists = stat(writer->path, &st) == 0;

	if (exists && S_ISDIR(st.st_mode))
		return message_set(message, "%s: is a directory", writer->path);
	if (exists && !S_ISREG(st.st_mode)) {
		writer->fd = open(writer->path, O_WRONLY | O_CLOEXEC);
		if (writer->fd < 0)
			return message_set(message, "%s: cannot write: %s",
					   writer->path, strerror(errno));
		return true;
	}
	writer->target = find_target(writer->path);
	if (!writer->target)
		return message_set(message, "%s: cannot write: %s",
				   writer->path, strerror(errno));
	return open_temporary(writer, exists ? &st : NULL, message);
}

bool npy_write_check_output(const char *path, struct message *message)
{
	bool exists, allowed;
	char *target, *slash;
	struct stat st;

	exists = stat(path, &st) == 0;
	if (exists && S_ISDIR(st.st_mode))
		return message_set(message, "%s: is a directory", path);
	if (exists && !S_ISREG(st.st_mode))
		return true;
	/* Do not replace a file that may not be written. */
	if (exists && access(path, W_OK))
		return message_set(message, "%s: cannot write: %s", path,
				   strerror(errno));
	target = find_target(path);
	if (!target)
		return message_set(message, "%s: cannot write: %s", path,
				   strerror(errno));
	slash = strrchr(target, '/');
	if (slash)
		slash[1] = 0;
	allowed = !access(slash ? target : ".", W_OK | X_OK);
	free(target);
	return allowed || message_set(message, "%s: cannot write there: %s",
				      path, strerror(errno));
}

bool npy_write_create(struct npy_writer *writer, const char *path,
		      dpr_dtype dtype, int rank, const int64_t *shape,
		      struct message *message)
{
	char header[NPY_HEADER_MAX];
	size_t size = npy_header_format(dtype, rank, shape, header);

	memset(writer, 0, sizeof(*writer));
	writer->path = path;
	writer->fd = -1;
	if (!size)
		return message_set(message,
				   "%s: .npy has no such dtype; cast "
				   "the result with astype",
				   path);
	if (open_output(writer, message) &&
	    write_all(writer, header, size, message))
		return true;
	npy_write_abandon(writer);
	return false;
}

bool npy_write(struct npy_writer *writer, void *data, size_t size,
	       dpr_dtype dtype, struct message *message)
{
	npy_header_convert(data, size, dtype, HOST_IS_BIG);
	return write_all(writer, data, size, message);
}

bool npy_write_commit(struct npy_writer *writer, struct message *message)
{
	bool ok = true;

	/* Write it to disk before it replaces the old file. */
	if (writer->temporary && fsync(writer->fd) < 0)
		ok = message_set(message, "%s: cannot write: %s", writer->path,
				 strerror(errno));
	if (close(writer->fd) < 0 && ok)
		ok = message_set(message, "%s: cannot write: %s", writer->path,
				 strerror(errno));
	writer->fd = -1;
	if (ok && writer->temporary) {
		if (rename(writer->temporary, writer->target) < 0)
			ok = message_set(message, "%s: cannot write: %s",
					 writer->path, strerror(errno));
		else
			writer->temporary[0] = 0;
	}
	npy_write_abandon(writer);
	return ok;
}

void npy_write_abandon(struct npy_writer *writer)
{
	if (writer->fd >= 0)
		close(writer->fd);
	writer->fd = -1;
	unfinished = NULL;
	if (writer->temporary && writer->temporary[0])
		unlink(writer->temporary);
	free(writer->temporary);
	free(writer->target);
	writer->temporary = NULL;
	writer->target = NULL;
}
