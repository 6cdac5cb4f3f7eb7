/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ze_child.c - running a compiler as a child process.
 *
 * The child's input and output are memory files, so nothing is written to disk
 * and neither side waits for the other.  The child inherits no other
 * descriptor, and its signals have their default actions.
 */
#include "ze_programs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Messages are in English, and the child sees no environment variable of the
   program. */
static const char *const settings[] = { "LC_ALL=C", "PATH=/usr/bin:/bin",
					NULL };

/* The child's standard input, output and error output. */
struct files {
	int fd[3];
};

static void close_files(struct files *files)
{
	int i;

	for (i = 0; i < 3; i++)
		if (files->fd[i] >= 0)
			close(files->fd[i]);
}

/* Make a memory file whose descriptor is not 0, 1 or 2. */
static int make_file(void)
{
	int low = memfd_create("dpr-compiler", MFD_CLOEXEC), fd;

	if (low < 0)
		return -1;
	fd = fcntl(low, F_DUPFD_CLOEXEC, 3);
	close(low);
	return fd;
}

static bool write_all(int fd, const unsigned char *bytes, size_t size)
{
	ssize_t n;

	while (size) {
		n = write(fd, bytes, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		size -= (size_t)n;
	}
	return lseek(fd, 0, SEEK_SET) == 0;
}

static bool open_files(struct files *files, const void *input, size_t size)
{
	int i;

	for (i = 0; i < 3; i++)
		files->fd[i] = make_file();
	return files->fd[0] >= 0 && files->fd[1] >= 0 && files->fd[2] >= 0 &&
	       write_all(files->fd[0], input, size);
}

dprp_rc ze_child_read(const dprp_host *host, int fd, struct ze_bytes *out)
{
	struct stat st;
	size_t done = 0;
	ssize_t n;

	if (fstat(fd, &st) || st.st_size < 0)
		return dprh_fail(host, DPR_RC_INTERNAL, errno,
				 "a compiler's output cannot be read");
	out->bytes = dprh_alloc(host, (size_t)st.st_size + 1, 1);
	if (!out->bytes)
		return dprh_no_memory(host, "a compiler's output");
	while (done < (size_t)st.st_size) {
		n = pread(fd, out->bytes + done, (size_t)st.st_size - done,
			  (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	out->size = done;
	return DPR_RC_OK;
}

/* Start the child.  Returns an errno value, or 0. */
static int start(const struct files *files, const char *const *argv, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int error, i;

	sigemptyset(&none);
	sigfillset(&all);
	error = posix_spawn_file_actions_init(&actions);
	if (error)
		return error;
	error = posix_spawnattr_init(&attr);
	for (i = 0; i < 3 && !error; i++)
		error = posix_spawn_file_actions_adddup2(&actions, files->fd[i],
							 i);
	if (!error)
		error = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
	if (!error)
		error = posix_spawnattr_setsigmask(&attr, &none);
	if (!error)
		error = posix_spawnattr_setsigdefault(&attr, &all);
	if (!error)
		error = posix_spawnattr_setflags(
			&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	/* posix_spawn() modifies neither list. */
	if (!error)
		error = posix_spawn(pid, argv[0], &actions, &attr,
				    (char *const *)(uintptr_t)argv,
				    (char *const *)(uintptr_t)settings);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Wait for the child.  Returns whether it succeeded.  If the program ignores
   SIGCHLD or waits for every child, there is no exit status; then any output
   counts as success. */
static bool succeeded(pid_t pid, const struct files *files, int *exit_status)
{
	struct stat st;
	int status;
	pid_t got;

	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	if (got == pid) {
		if (exit_status && WIFEXITED(status))
			*exit_status = WEXITSTATUS(status);
		return WIFEXITED(status) && WEXITSTATUS(status) == 0;
	}
	return !fstat(files->fd[1], &st) && st.st_size > 0;
}

dprp_rc ze_child_run(const dprp_host *host, const char *const *argv,
		     const void *input, size_t size, struct ze_bytes *output,
		     struct ze_bytes *errors, int *exit_status)
{
	struct files files;
	dprp_rc rc = DPR_RC_OK;
	bool good = false;
	int error;
	pid_t pid;

	*output = *errors = (struct ze_bytes){ 0 };
	if (!open_files(&files, input, size)) {
		rc = dprh_fail(host, DPR_RC_OOM_HOST, errno,
			       "no memory file for %.200s: errno %d", argv[0],
			       errno);
		close_files(&files);
		return rc;
	}
	error = start(&files, argv, &pid);
	if (error)
		rc = dprh_fail(host, DPR_RC_INVALID, error,
			       "cannot start %.200s: errno %d", argv[0], error);
	else
		good = succeeded(pid, &files, exit_status);
	if (!rc)
		rc = ze_child_read(host, files.fd[1], output);
	if (!rc)
		rc = ze_child_read(host, files.fd[2], errors);
	close_files(&files);
	if (!rc && !good)
		rc = dprh_fail(host, DPR_RC_INVALID, 0,
			       "%.200s failed: %.1000s", argv[0],
			       errors->size ? (const char *)errors->bytes
					    : "it printed no message");
	return rc;
}
