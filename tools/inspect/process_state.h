/* SPDX-License-Identifier: Apache-2.0 */
/* process_state.h - what a plugin must leave as it was in the process. */
#ifndef TOOLS_PROCESS_STATE_H
#define TOOLS_PROCESS_STATE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCESS_STATE_SIGNALS 32 /* those below are compared */

struct process_state {
	pid_t pid;
	sigset_t mask;
	struct sigaction actions[PROCESS_STATE_SIGNALS];
	mode_t umask;
	bool open[3];         /* the standard descriptors */
	uint64_t environment; /* a hash of all variables */
	char cwd[4096], locale[256];
};

/* Take the state of this process, which must have one thread. */
void process_state_take(struct process_state *state);

/* Whether this process is a copy that fork() has made since. */
bool process_state_is_copy(const struct process_state *before);

/* Write what is not as it was, such as "the signal mask, the umask", or "". */
void process_state_changes(const struct process_state *before, char *text,
			   size_t size);

/* Whether this process has a child, also one that has ended. */
bool process_state_has_child(void);

#endif
