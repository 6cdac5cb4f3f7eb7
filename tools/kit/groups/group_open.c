/* SPDX-License-Identifier: Apache-2.0 */
/* group_open.c - opening and closing, and what stays as it was. */
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/kit/groups/groups.h"
#include "tools/kit/work.h"
#include "tools/shared/seconds.h"

/* Use memory, a queue and events. */
static void use(struct kit *kit)
{
	dprp_mem *mem = work_mem(kit, 4096);
	dprp_event *event;

	work_set(kit, mem, 16, 4711);
	work_check_cell(kit, mem, 15, 4711, "Q8",
			"the bytes that were written");
	work_barrier(kit, kit->queue, NULL, 0, &event);
	work_done(kit, event);
	work_free(kit, mem);
}

static void silent(struct kit *kit)
{
	struct stat output;

	kit_open(kit);
	use(kit);
	kit_close(kit);
	fflush(NULL);
	note_step("open", "%s", "... close");
	if (!fstat(STDOUT_FILENO, &output) && output.st_size)
		note_bad("E3", "nothing printed", "%lld bytes of output",
			 (long long)output.st_size);
}

/* --- The state of the process -----------------------------------------------
 */

struct process {
	struct sigaction handlers[65];
	sigset_t mask;
	char *locale, **environment;
	size_t n_environment;
};

static void remember(struct process *process)
{
	size_t i;
	int s;

	memset(process, 0, sizeof(*process));
	for (s = 1; s < 65; s++)
		sigaction(s, NULL, &process->handlers[s]);
	pthread_sigmask(SIG_BLOCK, NULL, &process->mask);
	process->locale = strdup(setlocale(LC_ALL, NULL));
	while (environ[process->n_environment])
		process->n_environment++;
	process->environment =
		calloc(process->n_environment + 1, sizeof(char *));
	for (i = 0; process->environment && i < process->n_environment; i++)
		process->environment[i] = strdup(environ[i]);
	if (!process->environment || !process->locale)
		note_skip("out of memory");
}

/* Report a change that may be the driver's: then it is only told. */
static void changed(struct kit *kit, bool ours, const char *when,
		    const char *what, const char *which)
{
	if (ours || !kit->host.drivers)
		note_bad("E4", "all of the process as it was",
			 "%s, there is a change of %s: %.100s", when, what,
			 which);
	else
		note_tell("%s, there is a change of %s, perhaps by the "
			  "driver: %.100s",
			  when, what, which);
}

static void compare_environment(struct kit *kit, const struct process *process,
				const char *when)
{
	size_t i;

	for (i = 0; environ[i] && i < process->n_environment; i++)
		if (strcmp(environ[i], process->environment[i]) != 0)
			break;
	if (environ[i] || i < process->n_environment)
		changed(kit, false, when, "the environment",
			environ[i] ? environ[i] : process->environment[i]);
}

/* Whether a signal handler is a function of the plugin's file. */
static bool is_of_plugin(struct kit *kit, const struct sigaction *action)
{
	Dl_info info, plugin;

	return dladdr((void *)(uintptr_t)action->sa_handler, &info) &&
	       dladdr((const void *)kit->plugin, &plugin) &&
	       info.dli_fbase == plugin.dli_fbase;
}

static void compare_handlers(struct kit *kit, const struct process *process,
			     const char *when)
{
	struct sigaction now;
	bool ours = false;
	char which[100];
	int s, n = 0;

	for (s = 1; s < 65; s++) {
		memset(&now, 0, sizeof(now));
		sigaction(s, NULL, &now);
		if (now.sa_handler == process->handlers[s].sa_handler)
			continue;
		ours |= is_of_plugin(kit, &now);
		if (!n++)
			snprintf(which, sizeof(which), "of signal %d", s);
	}
	if (n)
		changed(kit, ours, when, "signal handlers", which);
}

static void compare(struct kit *kit, const struct process *process,
		    const char *when)
{
	sigset_t mask;
	int s;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	for (s = 1; s < 65; s++)
		if (sigismember(&mask, s) != sigismember(&process->mask, s))
			break;
	if (s < 65)
		changed(kit, true, when, "the thread's signal mask",
			sigismember(&mask, s) ? "signals are blocked"
					      : "signals are unblocked");
	if (strcmp(setlocale(LC_ALL, NULL), process->locale) != 0)
		changed(kit, true, when, "the locale", setlocale(LC_ALL, NULL));
	compare_handlers(kit, process, when);
	compare_environment(kit, process, when);
}

/* There were no children before.  They are not taken from who waits for
   them. */
static void check_children(struct kit *kit)
{
	siginfo_t info = { .si_pid = 0 };

	if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT))
		return;
	if (kit->host.drivers)
		note_tell("a child process is left, perhaps the driver's");
	else
		note_bad("O5", "no child process after close()", "%s is left",
			 info.si_pid ? "one that has ended (a zombie)"
				     : "one that runs");
}

static void state(struct kit *kit)
{
	struct process before;

	remember(&before);
	kit_open(kit);
	note_step("open", "%s", "");
	compare(kit, &before, "after open()");
	use(kit);
	note_step("open", "%s", "... and some work");
	compare(kit, &before, "after some work");
	kit_close(kit);
	note_step("close", "%s", "");
	compare(kit, &before, "after close()");
	check_children(kit);
}

/* --- Child processes --------------------------------------------------------
 */

/* The parent of a process; 0: it is gone. */
static long parent_of(const char *pid)
{
	char path[64], line[512];
	const char *at = NULL;
	long parent = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fgets(line, sizeof(line), file))
		at = strrchr(line, ')');
	if (at && sscanf(at, ") %*c %ld", &parent) != 1)
		parent = 0;
	fclose(file);
	return parent;
}

/* Which of the two standard descriptors a process has in common with this
   process: 0, 1, or -1 for none.  A device such as /dev/null is everybody's. */
static int common_descriptor(const char *pid)
{
	struct stat own, other;
	char path[64];
	int fd;

	for (fd = STDIN_FILENO; fd <= STDOUT_FILENO; fd++) {
		snprintf(path, sizeof(path), "/proc/%.20s/fd/%d", pid, fd);
		if (!fstat(fd, &own) && !S_ISCHR(own.st_mode) &&
		    !stat(path, &other) && own.st_dev == other.st_dev &&
		    own.st_ino == other.st_ino)
			return fd;
	}
	return -1;
}

/* The descriptor that a child of this process keeps, or -1. */
static int kept_descriptor(void)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;
	int fd = -1;

	while (dir && fd < 0 && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    parent_of(entry->d_name) == (long)getpid())
			fd = common_descriptor(entry->d_name);
	if (dir)
		closedir(dir);
	return fd;
}

static void children(struct kit *kit)
{
	int input = memfd_create("input", MFD_CLOEXEC), kept = 0, i;

	if (input < 0 || dup2(input, STDIN_FILENO) < 0)
		note_skip("there is no file for the standard input");
	close(input);
	kit_open(kit);
	use(kit);
	/* One that has just been made may not be ready. */
	for (i = 0; i < 20 && (kept = kept_descriptor()) >= 0; i++)
		kit_sleep_ms(10);
	note_step("open", "%s", "... and some work");
	if (kept >= 0 && kit->host.drivers)
		note_tell("a child process, perhaps the driver's, has the "
			  "program's standard %s",
			  kept ? "output" : "input");
	else if (kept >= 0)
		note_bad("T4", "neither standard input nor output of the "
			       "program in a child process",
			 "a child process has its standard %s",
			 kept ? "output" : "input");
	kit_close(kit);
}

/* --- More than one instance -------------------------------------------------
 */

static void twice(struct kit *kit)
{
	struct kit second = *kit;
	dprp_mem *a, *b;

	kit_host_init(&kit->host, &kit->table, kit->plugin->name);
	kit_host_init(&second.host, &second.table, kit->plugin->name);
	kit_open(kit);
	kit_open(&second);
	note_step("open", "%s", "a second time");
	if (kit->instance == second.instance)
		note_bad("O3", "an instance of its own", "the first instance");
	a = work_mem(kit, 64);
	b = work_mem(&second, 64);
	work_set(kit, a, 16, 1);
	work_check_cell(kit, a, 3, 1, "Q8", "the bytes that were written");
	work_set(&second, b, 16, 2);
	work_check_cell(kit, a, 3, 1, "O3",
			"bytes that the other instance does not change");
	work_free(kit, a);
	kit_close(kit);
	work_check_cell(&second, b, 3, 2, "O3",
			"bytes that stay when the other instance closes");
	work_free(&second, b);
	kit_close(&second);
}

static void again(struct kit *kit)
{
	unsigned threads = 0, files = 0, now;
	double begin = seconds_now();
	int i;

	for (i = 0; i < 100 && (i < 6 || seconds_now() - begin < 2); i++) {
		kit_open(kit);
		kit_close(kit);
		/* A driver may keep some from its first use on. */
		if (i == 2) {
			threads = kit_threads();
			files = kit_files();
		}
	}
	note_step("close", "%s", "the last of several");
	now = kit_threads_end(threads);
	if (now > threads)
		note_bad("T3", "threads ended by close()",
			 "%u thread%s more after %d times", now - threads,
			 now - threads == 1 ? "" : "s", i - 3);
	now = kit_files();
	if (now > files)
		note_bad("O5", "no more open files",
			 "%u file%s more after %d times", now - files,
			 now - files == 1 ? "" : "s", i - 3);
}

static void *close_it(void *kit)
{
	kit_close(kit);
	return NULL;
}

static void *open_it(void *kit)
{
	kit_open(kit);
	return NULL;
}

/* Any thread opens, any other closes. */
static void elsewhere(struct kit *kit)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, open_it, kit))
		note_skip("no thread could be made");
	pthread_join(thread, NULL);
	use(kit);
	if (pthread_create(&thread, NULL, close_it, kit))
		note_skip("no thread could be made");
	pthread_join(thread, NULL);
}

/* close() of an instance that the core could not use. */
static void unused(struct kit *kit)
{
	dprp_rc rc = kit_start(kit);

	if (rc)
		note_skip("open() returned %s", note_rc_name(rc));
	note_step("close", "reason=FAILED");
	kit->plugin->close(kit->instance, DPRP_CLOSE_FAILED);
	kit->instance = NULL;
	kit_open(kit);
	use(kit);
	kit_close(kit);
}

/* --- What the host gives ----------------------------------------------------
 */

static void longer_host(struct kit *kit)
{
	struct {
		dprp_host host;
		void *more[8];
	} longer;
	dprp_rc rc;

	memset(&longer, 0x5a, sizeof(longer));
	longer.host = kit->table;
	longer.host.struct_size = sizeof(longer);
	longer.host.abi_minor = DPRP_ABI_MINOR + 1;
	kit->instance = NOTE_POISON;
	rc = NOTE_CALL(kit->plugin->open(&longer.host, &kit->instance), "open",
		       "a longer host table of a newer core");
	if (rc == DPR_RC_NO_DRIVER || rc == DPR_RC_NO_DEVICE)
		note_skip("open() returned %s", note_rc_name(rc));
	note_need("G4", rc);
	note_handle(kit->instance);
	kit_close(kit);
}

static void no_driver(struct kit *kit)
{
	dprp_rc rc;

	kit->host.hidden = true;
	rc = kit_start(kit);
	if (!kit->host.drivers)
		note_skip("the plugin opens no driver with driver_open()");
	note_step("open", "%s", "driver_open() finds no library");
	if (!rc)
		note_tell("the plugin works without its driver library");
	else if (rc != DPR_RC_NO_DRIVER)
		note_bad("O1", "NO_DRIVER", "%s", note_rc_name(rc));
	kit_close(kit);
	kit->instance = NULL;
	kit_host_init(&kit->host, &kit->table, kit->plugin->name);
	rc = kit_start(kit);
	note_step("open", "%s", "again, with the driver");
	if (rc)
		note_bad("O3", "OK as the first time", "%s", note_rc_name(rc));
	kit_close(kit);
}

/* Every option with a value that makes no sense. */
static void options(struct kit *kit)
{
	char keys[16][40];
	uint32_t n, i;
	dprp_rc rc = kit_start(kit);

	if (rc)
		note_skip("open() returned %s", note_rc_name(rc));
	n = kit->host.n_asked;
	memcpy(keys, kit->host.asked, sizeof(keys));
	kit_close(kit);
	if (!n)
		note_skip("the plugin asks for no option");
	for (i = 0; i < n; i++) {
		kit_host_init(&kit->host, &kit->table, kit->plugin->name);
		kit->host.bad_key = keys[i];
		rc = kit_start(kit);
		note_step("open", "option %s=\"" KIT_HOST_BAD_VALUE "\"",
			  keys[i]);
		if (rc && rc != DPR_RC_INVALID && rc != DPR_RC_NO_DRIVER &&
		    rc != DPR_RC_NO_DEVICE)
			note_bad("O2", "INVALID, or OK if it takes any text",
				 "%s", note_rc_name(rc));
		kit_close(kit);
	}
}

static const struct kit_check checks[] = {
	{ "silent", silent, KIT_CLOSED },
	{ "state", state, KIT_CLOSED },
	{ "children", children, KIT_CLOSED },
	{ "twice", twice, KIT_CLOSED },
	{ "again", again, KIT_CLOSED },
	{ "elsewhere", elsewhere, KIT_CLOSED },
	{ "unused", unused, KIT_CLOSED },
	{ "longer_host", longer_host, KIT_CLOSED | KIT_NO_DEVICE },
	{ "no_driver", no_driver, KIT_CLOSED },
	{ "options", options, KIT_CLOSED },
};

const struct kit_group group_open = {
	"open", "opening and closing, and what stays as it was", checks,
	KIT_COUNT(checks)
};
