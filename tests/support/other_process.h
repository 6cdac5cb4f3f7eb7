/* SPDX-License-Identifier: Apache-2.0 */
/* other_process.h - run the test's own program again, as a second process. */
#ifndef TESTS_OTHER_PROCESS_H
#define TESTS_OTHER_PROCESS_H

#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

/* Run this program with the argument @word and @size bytes of @input as its
   standard input.  It must exit with status 0. */
static inline void run_other_process(const char *word, const void *input,
				     size_t size)
{
	char self[4096];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int pipes[2], status;
	pid_t child;

	ck_assert_int_gt(length, 0);
	self[length] = 0;
	ck_assert_int_eq(pipe(pipes), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		dup2(pipes[0], 0);
		close(pipes[0]);
		close(pipes[1]);
		execl(self, self, word, (char *)NULL);
		_exit(127);
	}
	ck_assert_int_eq(write(pipes[1], input, size), (ssize_t)size);
	close(pipes[0]);
	close(pipes[1]);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFEXITED(status) && !WEXITSTATUS(status),
		      "the other process ended with wait status 0x%x", status);
}

#endif
