/* SPDX-License-Identifier: Apache-2.0 */
/* byte_sink.c - writes a file that appears when it is complete. */
#include "core/array/files/byte_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/files.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"

static dpr_status fail_write(int error)
{
	return error == ENOMEM ? fail_memory("writing")
			       : fail(DPR_ERROR_FILE, "cannot write: %s",
				      strerrordesc_np(error));
}

/* The length of the folder's name in @path, with the slash; 0: there is
   none. */
static int folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) + 1 : 0;
}

/* Resolve the symbolic links of @path, even if the file does not exist yet: a
   rename would replace the link, not its file.  Returns a block of the C
   library; NULL: see errno. */
static char *find_target(const char *path)
{
	char link[PATH_MAX], *target = realpath(path, NULL), *next;
	ssize_t length;

	if (target || errno != ENOENT)
		return target;
	length = readlink(path, link, sizeof(link) - 1);
	if (length < 0)
		return strdup(path);
	link[length] = 0;
	if (asprintf(&next, "%.*s%s", *link == '/' ? 0 : folder_length(path),
		     path, link) < 0)
		return NULL;
	/* This ends: for a circle of links, realpath() failed with ELOOP
	   above. */
	target = find_target(next);
	free(next);
	return target;
}

/* Open a file without a name in the folder of the target.  Returns -1 if there
   are no such files, or no way to give one a name. */
static int open_nameless(const struct byte_sink *sink)
{
	char *folder =
		text_format("%.*s.", folder_length(sink->target), sink->target);
	int fd = -1;
	char link[40];

	if (folder)
		fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	mem_free(folder);
	if (fd < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (!access(link, F_OK))
		return fd;
	close(fd);
	return -1;
}

/* Set `temporary` to a name in the folder of the target that is probably free.
   The name is short, so that each target that can be made can be replaced. */
static bool name_temporary(struct byte_sink *sink)
{
	static atomic_uint count;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	mem_free(sink->temporary);
	sink->temporary = text_format(
		"%.*s.dpr-%lx-%lx%08lx-%x.tmp", folder_length(sink->target),
		sink->target, (unsigned long)getpid(),
		(unsigned long)now.tv_sec, (unsigned long)now.tv_nsec,
		atomic_fetch_add(&count, 1));
	return sink->temporary != NULL;
}

#define NAMES_TRIED 100

/* Open a file with a temporary name and the permissions @mode.  Returns -1 with
   errno. */
static int open_named(struct byte_sink *sink, mode_t mode)
{
	int fd = -1;

	for (int k = 0; fd < 0 && k < NAMES_TRIED; k++) {
		if (!name_temporary(sink)) {
			errno = ENOMEM;
			return -1;
		}
		fd = open(sink->temporary,
			  O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	sink->has_name = fd >= 0;
	return fd;
}

/* Open the file that will replace the target.  @old: the status of the older
   file, or NULL. */
static dpr_status open_regular(struct byte_sink *sink, const char *path,
			       const struct stat *old)
{
	/* A file that may not be written is not replaced. */
	if (old && access(path, W_OK))
		return fail_write(errno);
	sink->target = find_target(path);
	if (!sink->target)
		return fail_write(errno);
	sink->fd = open_nameless(sink);
	/* Others may not open the file before it has the older one's
	   permissions. */
	if (sink->fd < 0)
		sink->fd = open_named(sink, old ? 0600 : 0666);
	if (sink->fd < 0 && errno == ENOMEM)
		return fail_write(errno);
	if (sink->fd < 0)
		return fail(DPR_ERROR_FILE, "cannot write there: %s",
			    strerrordesc_np(errno));
	if (old && fchmod(sink->fd, old->st_mode & 0777))
		return fail_write(errno);
	return DPR_OK;
}

static dpr_status open_path(struct byte_sink *sink, const char *path)
{
	struct stat st;
	const bool exists = !stat(path, &st);

	if (exists && S_ISDIR(st.st_mode))
		return fail(DPR_ERROR_FILE, "is a directory");
	if (!exists || S_ISREG(st.st_mode))
		return open_regular(sink, path, exists ? &st : NULL);
	sink->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return sink->fd < 0 ? fail_write(errno) : DPR_OK;
}

/* Write to the program's stream, or flush it if @size is 0.  A write that a
   signal interrupts is not repeated: the stream may have lost bytes. */
static int write_stream(FILE *stream, const void *data, size_t size)
{
	struct files_quiet quiet;
	bool ok;
	int error;

	files_quiet_begin(&quiet);
	errno = 0;
	ok = size ? fwrite(data, 1, size, stream) == size : !fflush(stream);
	error = ok ? 0 : errno ? errno : EIO;
	files_quiet_end(&quiet);
	return error;
}

static dpr_status put_file(struct byte_sink *sink, const void *data,
			   size_t size)
{
	int error = sink->stream
			    ? write_stream(sink->stream, data, size)
			    : files_write(sink->fd, data, size, FILES_HERE);

	return error ? fail_write(error) : DPR_OK;
}

dpr_status byte_sink_open(struct byte_sink *sink, dpr_file to)
{
	dpr_status status;

	memset(sink, 0, sizeof(*sink));
	sink->put = put_file;
	sink->fd = -1;
	sink->stream = to.path ? NULL : to.stream;
	if (sink->stream)
		return DPR_OK;
	if (!to.path)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "the file has neither a name nor a stream");
	status = open_path(sink, to.path);
	return status ? byte_sink_end(sink, status) : DPR_OK;
}

dpr_status byte_sink_write(struct byte_sink *sink, const void *data,
			   size_t size)
{
	return sink->put(sink, data, size);
}

/* Give the file the name of the target.  Returns 0 or an errno. */
static int give_name(struct byte_sink *sink)
{
	char link[40];
	int k;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", sink->fd);
	if (!sink->has_name &&
	    !linkat(AT_FDCWD, link, AT_FDCWD, sink->target, AT_SYMLINK_FOLLOW))
		return 0;
	/* Only a file with a name can replace another file. */
	for (k = 0; !sink->has_name && k < NAMES_TRIED; k++) {
		if (errno != EEXIST)
			return errno;
		if (!name_temporary(sink))
			return ENOMEM;
		sink->has_name = !linkat(AT_FDCWD, link, AT_FDCWD,
					 sink->temporary, AT_SYMLINK_FOLLOW);
	}
	if (!sink->has_name || rename(sink->temporary, sink->target))
		return errno;
	sink->has_name = false;
	return 0;
}

static int commit(struct byte_sink *sink)
{
	int error = 0, fd = sink->fd;

	if (sink->stream)
		return write_stream(sink->stream, NULL, 0);
	/* The bytes must be on the disk before they replace an older file. */
	if (sink->target)
		error = fsync(fd) ? errno : give_name(sink);
	sink->fd = -1;
	if (close(fd) && !error)
		error = errno;
	return error;
}

dpr_status byte_sink_end(struct byte_sink *sink, dpr_status status)
{
	int error = status ? 0 : commit(sink);

	if (error)
		status = fail_write(error);
	if (sink->fd >= 0)
		close(sink->fd);
	sink->fd = -1;
	if (sink->has_name)
		unlink(sink->temporary);
	mem_free(sink->temporary);
	free(sink->target);
	memset(sink, 0, sizeof(*sink));
	sink->fd = -1;
	return status;
}
