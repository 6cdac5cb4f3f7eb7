/* SPDX-License-Identifier: Apache-2.0 */
/* process_state.c - taking and comparing the state of the process. */
#include "tools/inspect/process_state.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* FNV-1a over all variables, with their zero bytes. */
static uint64_t hash_environment(void)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	size_t i, j;

	for (i = 0; environ && environ[i]; i++)
		for (j = 0; j == 0 || environ[i][j - 1]; j++) {
			hash ^= (unsigned char)environ[i][j];
			hash *= UINT64_C(0x100000001b3);
		}
	return hash;
}

void process_state_take(struct process_state *state)
{
	const char *locale = setlocale(LC_ALL, NULL);
	int i;

	memset(state, 0, sizeof(*state));
	state->pid = getpid();
	pthread_sigmask(SIG_BLOCK, NULL, &state->mask);
	for (i = 1; i < PROCESS_STATE_SIGNALS; i++)
		(void)sigaction(i, NULL, &state->actions[i]);
	state->umask = umask(0);
	umask(state->umask);
	for (i = 0; i < 3; i++)
		state->open[i] = fcntl(i, F_GETFD) >= 0;
	state->environment = hash_environment();
	if (!getcwd(state->cwd, sizeof(state->cwd)))
		state->cwd[0] = '\0';
	snprintf(state->locale, sizeof(state->locale), "%s",
		 locale ? locale : "");
}

bool process_state_is_copy(const struct process_state *before)
{
	return getpid() != before->pid;
}

/* Append ", " and what has changed. */
static void add(char *text, size_t size, const char *what, const char *which)
{
	size_t n = strlen(text);

	snprintf(text + n, size - n, "%s%s%s", n ? ", " : "", what, which);
}

static void compare_signals(const struct process_state *before,
			    const struct process_state *now, char *text,
			    size_t size)
{
	bool masked = false;
	int i;

	for (i = 1; i < PROCESS_STATE_SIGNALS; i++) {
		const struct sigaction *a = &before->actions[i];
		const struct sigaction *b = &now->actions[i];

		masked = masked || sigismember(&before->mask, i) !=
					   sigismember(&now->mask, i);
		if (a->sa_handler != b->sa_handler ||
		    a->sa_flags != b->sa_flags)
			add(text, size, "the handler of signal ", strsignal(i));
	}
	if (masked)
		add(text, size, "the signal mask", "");
}

void process_state_changes(const struct process_state *before, char *text,
			   size_t size)
{
	static const char *const numbers[] = { "0", "1", "2" };
	struct process_state now;
	int i;

	*text = '\0';
	process_state_take(&now);
	compare_signals(before, &now, text, size);
	if (before->environment != now.environment)
		add(text, size, "the environment", "");
	if (strcmp(before->cwd, now.cwd) != 0)
		add(text, size, "the working directory", "");
	if (before->umask != now.umask)
		add(text, size, "the umask", "");
	if (strcmp(before->locale, now.locale) != 0)
		add(text, size, "the locale", "");
	for (i = 0; i < 3; i++)
		if (before->open[i] != now.open[i])
			add(text, size, "descriptor ", numbers[i]);
}

bool process_state_has_child(void)
{
	return waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD;
}
