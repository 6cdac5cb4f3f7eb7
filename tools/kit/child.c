/* SPDX-License-Identifier: Apache-2.0 */
/* child.c - running a check of dpr check-plugin in a process of its own.  The
   parent never loads a plugin. */
#include "tools/kit/child.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dpr/runtime.h>

#include "tools/shared/seconds.h"

/* How a child ended. */
struct end {
	bool late;
	int signal, status;
};

/* In the child: send all its output to a file.  A check can ask for the size of
   this file. */
static void divert(int output)
{
	const struct rlimit none = { 0, 0 };
	int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	setrlimit(RLIMIT_CORE, &none);
	if (empty >= 0)
		dup2(empty, STDIN_FILENO);
	if (empty > STDERR_FILENO)
		close(empty);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	close(output);
}

/* --- A check that is late ---------------------------------------------------
 */

static struct kit *late_kit; /* NULL: not yet */
static struct note_report *late_report;

static void *ask_state(void *unused)
{
	dprp_event_state state = { .struct_size = sizeof(state) };
	const dprp_sink none = { 0 };

	if (!late_kit->plugin->event->status(late_kit->waiting, &state, none))
		late_report->state = state.state;
	return unused;
}

/* The thread of the check may be in event->wait for ever.  Then what
   event->status says meanwhile is worth knowing. */
static void ask_late(int number)
{
	pthread_t thread;

	(void)number;
	if (late_kit && late_kit->waiting)
		pthread_create(&thread, NULL, ask_state, NULL);
}

/* Call ask_late() shortly before the limit. */
static void expect_late(double limit, struct note_report *report)
{
	const struct sigaction action = { .sa_handler = ask_late,
					  .sa_flags = SA_RESTART };
	const double seconds = limit * 0.8;
	struct itimerval at = { .it_value = { .tv_sec = (time_t)seconds } };

	at.it_value.tv_usec =
		(suseconds_t)((seconds - (double)at.it_value.tv_sec) * 1e6);
	late_report = report;
	if (!sigaction(SIGALRM, &action, NULL))
		setitimer(ITIMER_REAL, &at, NULL);
}

static _Noreturn void run(const struct kit *original,
			  const struct kit_check *check,
			  struct note_report *report)
{
	struct kit kit = *original;
	const char *why;

	if (!check)
		kit_probe(&kit, report);
	late_kit = &kit;
	kit.copies = &report->copies;
	kit.threads_before = kit_threads();
	kit.files_before = kit_files();
	why = kit_load(&kit);
	if (why)
		note_skip("%s", why);
	if (!(check->flags & KIT_CLOSED))
		kit_open(&kit);
	check->run(&kit);
	kit_close(&kit);
	note_end();
}

void child_run_here(const struct kit *kit, const struct kit_check *check,
		    int (*at_end)(const struct note_report *report))
{
	static struct note_report report;

	report.behind = kit->behind;
	note_begin(&report, at_end);
	run(kit, check, &report);
}

/* --- The end of this process ------------------------------------------------
 */

static volatile pid_t current; /* the process of a check; 0: none */

static const int deadly[] = { SIGHUP, SIGINT, SIGTERM };

/* End the check, which is a group of its own, and then this process. */
static void end_all(int number)
{
	if (current > 0) {
		kill(-current, SIGKILL);
		kill(current, SIGKILL);
	}
	signal(number, SIG_DFL);
	raise(number);
}

/* Call @handler for what ends this process, unless it is ignored. */
static void handle_ends(void (*handler)(int number))
{
	struct sigaction now, action = { .sa_handler = handler };
	size_t i;

	for (i = 0; i < KIT_COUNT(deadly); i++)
		if (!sigaction(deadly[i], NULL, &now) &&
		    now.sa_handler != SIG_IGN)
			sigaction(deadly[i], &action, NULL);
}

/* In the child: end when the parent does, whatever ended it. */
static void end_with(pid_t parent)
{
	handle_ends(SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
}

/* Wait for the child, and kill it if it takes too long. */
static struct end wait_for(pid_t pid, double limit)
{
	const double until = seconds_now() + limit;
	struct timespec step = { 0, 500000 };
	struct end end = { 0 };
	int how = 0;
	pid_t got;

	while (!(got = waitpid(pid, &how, end.late ? 0 : WNOHANG)) ||
	       (got < 0 && errno == EINTR)) {
		if (seconds_now() >= until) {
			end.late = true;
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL);
			continue;
		}
		nanosleep(&step, NULL);
		if (step.tv_nsec < 8000000)
			step.tv_nsec *= 2;
	}
	/* What the plugin may have started is of the same group. */
	kill(-pid, SIGKILL);
	if (WIFSIGNALED(how) && !end.late)
		end.signal = WTERMSIG(how);
	if (WIFEXITED(how))
		end.status = WEXITSTATUS(how);
	return end;
}

/* Keep the output of the child, because it may say why the child ended. */
static void read_output(struct note_report *report, int output)
{
	const size_t room = sizeof(report->output) - 1;
	ssize_t n = pread(output, report->output, room, 0);
	off_t size = lseek(output, 0, SEEK_END);
	char more[80];

	report->output[n > 0 ? n : 0] = '\0';
	if (n < 0 || size <= n)
		return;
	n = snprintf(more, sizeof(more), "\n... and %lld bytes more",
		     (long long)size - n);
	memcpy(report->output + room - n, more, (size_t)n + 1);
}

/* Make the end of the child a finding. */
static void add_end(struct note_report *report, const struct end *end,
		    double limit, int output)
{
	struct note_finding *f;

	if (!end->late && !end->signal && report->ended && !end->status)
		return;
	if (report->n_findings >= NOTE_FINDINGS)
		report->n_findings = NOTE_FINDINGS - 1;
	f = &report->findings[report->n_findings++];
	f->times = 1;
	memcpy(f->rule, report->rule, sizeof(f->rule));
	memcpy(f->entry, report->entry, sizeof(f->entry));
	memcpy(f->args, report->args, sizeof(f->args));
	snprintf(f->expected, sizeof(f->expected), "%s",
		 "a return of the entry");
	if (end->late)
		snprintf(f->got, sizeof(f->got),
			 "a hang: no end after %.3g seconds%s%s", limit,
			 report->state ? "; event->status says meanwhile: "
				       : "",
			 report->state ? note_state_name(report->state) : "");
	else if (end->signal)
		snprintf(f->got, sizeof(f->got), "a crash (%s)%s",
			 strsignal(end->signal),
			 report->ended ? " at the end of the process" : "");
	else
		snprintf(f->got, sizeof(f->got),
			 "the process ended with status %d", end->status);
	report->died = true;
	report->skip[0] = '\0';
	read_output(report, output);
}

bool child_run(const struct kit *kit, const struct kit_check *check,
	       struct note_report *out)
{
	const pid_t parent = getpid();
	struct note_report *report;
	struct end end;
	int output;
	pid_t pid;

	report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (report == MAP_FAILED)
		return false;
	memcpy(report->stops, out->stops, sizeof(report->stops));
	report->n_stops = out->n_stops;
	report->copies = out->copies;
	report->behind = kit->behind;
	output = memfd_create("output", MFD_CLOEXEC);
	fflush(NULL);
	handle_ends(end_all);
	pid = output < 0 ? -1 : fork();
	if (!pid) {
		end_with(parent);
		divert(output);
		note_begin(report, NULL);
		expect_late(kit->limit, report);
		run(kit, check, report);
	}
	if (pid > 0) {
		current = pid;
		end = wait_for(pid, kit->limit);
		current = 0;
		add_end(report, &end, kit->limit, output);
		*out = *report;
	}
	if (output >= 0)
		close(output);
	munmap(report, sizeof(*report));
	return pid > 0;
}

/* In a child: write the path of the plugin. */
static void write_path(int to, const char *name)
{
	dpr_plugin_report *list;
	size_t n, i;

	if (dpr_plugins(0, &list, &n))
		return;
	for (i = 0; i < n; i++)
		if (!strcmp(list[i].name, name)) {
			if (write(to, list[i].file, strlen(list[i].file)) < 0)
				return;
			break;
		}
}

char *child_find(const char *name)
{
	char path[4096];
	size_t size = 0;
	ssize_t got = 1;
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		return NULL;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		alarm(60);
		close(ends[0]);
		write_path(ends[1], name);
		_exit(0);
	}
	close(ends[1]);
	while (pid > 0 && got > 0 && size < sizeof(path) - 1) {
		got = read(ends[0], path + size, sizeof(path) - 1 - size);
		size += got > 0 ? (size_t)got : 0;
	}
	close(ends[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	path[size] = '\0';
	return size ? strdup(path) : NULL;
}
