/* SPDX-License-Identifier: Apache-2.0 */
/*
 * isolate.c - dpr doctor --isolate: each plugin in a process of its own.
 *
 * The parent never touches the library, so that each child starts afresh.  The
 * first child loads all plugin files, and writes, before each, the name of the
 * file that it is about to load.  If the child dies, the next child leaves out
 * the file that was named last.  Then each plugin that could be loaded is
 * opened in its own child.
 *
 * A child writes records to its pipe: a letter, then strings, each with its
 * zero byte: B text (what it is about to do), E text (the library's error), F
 * and the nine fields of a finding, and at last Z.  Without the Z the child has
 * ended too early, whatever its exit status is.
 */
#include "tools/inspect/isolate.h"
#include "tools/inspect/process_state.h"
#include "tools/shared/seconds.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <dpr/device.h>
#include <dpr/runtime.h>

#define FIELDS 9
#define MAX_CRASHES 64

/* What a child wrote, and how it ended. */
struct outcome {
	char *bytes;
	size_t size;
	bool timed_out;
	int signal, status;
};

/* --- In the child ----------------------------------------------------------
 */

static void write_bytes(int to, const char *bytes, size_t n)
{
	ssize_t written;

	while (n) {
		written = write(to, bytes, n);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return;
		bytes += written;
		n -= (size_t)written;
	}
}

static void write_string(int to, const char *string)
{
	write_bytes(to, string, strlen(string) + 1);
}

static void note_step(void *user, enum dpr_log_level level, const char *message)
{
	(void)level;
	if (strncmp(message, "entering ", 9))
		return;
	write_bytes(*(int *)user, "B", 1);
	write_string(*(int *)user, message);
}

static void write_number(int to, uint64_t n)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	write_string(to, digits);
}

/* Write a finding.  @more: notes about the process, or "". */
static void write_finding(int to, const dpr_plugin_report *line, bool open,
			  const char *more)
{
	char *notes = open ? findings_notes(line) : NULL, *both = NULL;
	const char *text = notes ? notes : line->text;

	if (*more &&
	    asprintf(&both, "%s%s%s", text, *text ? "; " : "", more) < 0)
		both = NULL;
	write_bytes(to, "F", 1);
	write_string(to, line->file);
	write_string(to, line->name);
	write_string(to, line->version);
	write_string(to, line->origin);
	write_string(to, dpr_plugin_stage_name(line->stage));
	write_string(to, both ? both : text);
	free(notes);
	free(both);
	write_string(to, line->advice);
	write_number(to, line->devices);
	write_number(to, line->nanoseconds);
}

/* Say what the plugin has done to the process. */
static void process_notes(const struct process_state *before, char *text,
			  size_t size)
{
	static const char what[] = "it has changed the process: ";
	size_t n = sizeof(what) - 1;

	memcpy(text, what, sizeof(what));
	process_state_changes(before, text + n, size - n);
	if (!text[n])
		n = 0;
	else
		n = strlen(text);
	text[n] = '\0';
	/* There were none before. */
	if (process_state_has_child())
		snprintf(text + n, size - n,
			 "%sit has a child process while it is open",
			 n ? "; " : "");
}

/* Load all plugins and, if @open is set, open them.  Write what happened. */
static void run_child(int to, bool open)
{
	const struct rlimit no_core = { 0, 0 };
	struct process_state before;
	char notes[1024] = "";
	dpr_plugin_report *list;
	size_t n, i;

	(void)setrlimit(RLIMIT_CORE, &no_core);
	/* Discard what drivers print: it must not get into the report. */
	(void)dup2(STDERR_FILENO, STDOUT_FILENO);
	dpr_log_set(DPR_LOG_DEBUG, note_step, &to);
	process_state_take(&before);
	if (dpr_plugins(open, &list, &n)) {
		write_bytes(to, "E", 1);
		write_string(to, dpr_last_error());
		write_bytes(to, "Z", 1);
		return;
	}
	/* If a plugin has forked, only the first process goes on. */
	if (process_state_is_copy(&before))
		_exit(0);
	/* There is a report even if a variable or a file is wrong. */
	if (!open && *dpr_last_error()) {
		write_bytes(to, "E", 1);
		write_string(to, dpr_last_error());
	}
	if (open)
		process_notes(&before, notes, sizeof(notes));
	for (i = 0; i < n; i++)
		write_finding(to, &list[i], open, notes);
	dpr_free(list);
	write_bytes(to, "Z", 1);
}

/* --- In the parent ---------------------------------------------------------
 */

static int64_t milliseconds(void)
{
	return (int64_t)(seconds_now() * 1e3);
}

/* Read until the child closes the pipe or the deadline has passed. */
static bool read_child(int from, int64_t deadline, struct outcome *o)
{
	struct pollfd p = { .fd = from, .events = POLLIN };
	char buffer[4096], *grown;
	ssize_t got = 1;

	while (got > 0) {
		int64_t left = deadline - milliseconds();

		if (left <= 0 || poll(&p, 1, (int)left) == 0) {
			o->timed_out = true;
			return true;
		}
		got = read(from, buffer, sizeof(buffer));
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0) {
			grown = realloc(o->bytes, o->size + (size_t)got + 1);
			if (!grown)
				return false;
			memcpy(grown + o->size, buffer, (size_t)got);
			o->bytes = grown;
			o->size += (size_t)got;
			/* Terminate the last string, which may be cut off. */
			grown[o->size] = '\0';
		}
	}
	return true;
}

static void reap_child(pid_t pid, int64_t deadline, struct outcome *o)
{
	const struct timespec step = { 0, 5000000 };
	int how = 0;
	pid_t got;

	/* Kill the child at the deadline: it may hang in its exit handlers. */
	while (!(got = waitpid(pid, &how, o->timed_out ? 0 : WNOHANG))) {
		if (milliseconds() >= deadline) {
			o->timed_out = true;
			kill(pid, SIGKILL);
		} else {
			nanosleep(&step, NULL);
		}
	}
	if (got == pid && WIFSIGNALED(how) && !o->timed_out)
		o->signal = WTERMSIG(how);
	else if (got == pid && WIFEXITED(how))
		o->status = WEXITSTATUS(how);
}

/* Run a child that loads plugins.  It may load only the plugin file @only.  If
   @only is NULL, the child searches as usual, with DPR_BACKEND set to
   @left_out, unless @left_out is "".  Returns false if it has no memory, or if
   the pipe or the process could not be made. */
static bool isolate_run(const char *only, const char *left_out,
			unsigned seconds, struct outcome *o)
{
	int64_t deadline = milliseconds() + (int64_t)seconds * 1000;
	int ends[2];
	bool ok;
	pid_t pid;

	memset(o, 0, sizeof(*o));
	if (pipe(ends))
		return false;
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		close(ends[0]);
		close(ends[1]);
		return false;
	}
	if (!pid) {
		close(ends[0]);
		if (only) {
			setenv("DPR_PLUGINS", only, 1);
			unsetenv("DPR_BACKEND");
			unsetenv("DPR_DEVICE");
		} else if (*left_out) {
			setenv("DPR_BACKEND", left_out, 1);
		}
		run_child(ends[1], only != NULL);
		exit(0);
	}
	close(ends[1]);
	ok = read_child(ends[0], deadline, o);
	close(ends[0]);
	if (o->timed_out || !ok)
		kill(pid, SIGKILL);
	reap_child(pid, deadline, o);
	return ok;
}

/* --- Reading records -------------------------------------------------------
 */

/* Return the string at *@at, and move *@at behind it; NULL after the last
   one. */
static char *next_string(const struct outcome *o, size_t *at)
{
	char *s = o->bytes + *at;

	if (*at >= o->size)
		return NULL;
	*at += strlen(s) + 1;
	return s;
}

static bool read_finding(const struct outcome *o, size_t *at,
			 struct findings *findings)
{
	char *field[FIELDS];
	struct finding f;
	size_t i;

	for (i = 0; i < FIELDS; i++) {
		field[i] = next_string(o, at);
		if (!field[i])
			return true; /* the record is cut off; how the child
					ended says more */
	}
	f = (struct finding){
		.file = field[0],
		.name = field[1],
		.version = field[2],
		.origin = field[3],
		.stage = field[4],
		.text = field[5],
		.advice = field[6],
		.devices = strtoull(field[7], NULL, 10),
		.nanoseconds = strtoull(field[8], NULL, 10),
	};
	return findings_add(findings, &f);
}

/* Add the findings of a child.  *@last is set to what the child was about to do
   last. */
static bool read_records(const struct outcome *o, struct findings *findings,
			 const char **last)
{
	size_t at = 0;
	char *text;

	*last = NULL;
	while (at < o->size) {
		switch (o->bytes[at++]) {
		case 'B': *last = next_string(o, &at); break;
		case 'E':
			text = next_string(o, &at);
			free(findings->error);
			findings->error = strdup(text ? text : "");
			if (!findings->error)
				return false;
			break;
		case 'F':
			if (!read_finding(o, &at, findings))
				return false;
			break;
		case 'Z': break;
		default: return true;
		}
	}
	return true;
}

static bool replace_string(char **old, const char *text)
{
	char *new = strdup(text);

	if (!new)
		return false;
	free(*old);
	*old = new;
	return true;
}

/* If the child failed, describe how it ended. */
static bool describe_end(struct finding *f, const struct outcome *o,
			 const char *last, unsigned seconds)
{
	char *text, *advice;
	bool ok;

	if (o->timed_out)
		ok = asprintf(&text, "hung for %u seconds while %s", seconds,
			      last ? last : "starting") >= 0;
	else if (o->signal)
		ok = asprintf(&text, "crashed (%s) while %s",
			      strsignal(o->signal),
			      last ? last : "starting") >= 0;
	else
		ok = asprintf(&text,
			      "ended the process with status %d%s while %s",
			      o->status,
			      o->status ? "" : ", or closed its descriptors,",
			      last ? last : "starting") >= 0;
	if (!ok)
		return false;
	ok = replace_string(&f->text, text) &&
	     replace_string(&f->stage, o->timed_out ? "hung" : "crashed");
	free(text);
	if (!ok)
		return false;
	if (asprintf(&advice,
		     "leave it out with DPR_BACKEND=^%s, and report it to "
		     "the maker of the plugin or of its driver",
		     *f->name ? f->name : "name") < 0)
		return false;
	ok = replace_string(&f->advice, advice);
	free(advice);
	return ok;
}

static bool ended_badly(const struct outcome *o)
{
	return o->timed_out || o->signal || o->status || !o->size ||
	       o->bytes[o->size - 1] != 'Z';
}

/* --- The two rounds --------------------------------------------------------
 */

/* NAME from "libdpr-NAME.so", to be freed; NULL for other names. */
static char *name_of(const char *file)
{
	const char *base = strrchr(file, '/');
	size_t n;

	base = base ? base + 1 : file;
	n = strlen(base);
	if (n < 11 || strncmp(base, "libdpr-", 7) ||
	    strcmp(base + n - 3, ".so"))
		return NULL;
	return strndup(base + 7, n - 10);
}

/* Add ",^NAME" to *@left_out. */
static bool add_left_out(char **left_out, const char *name)
{
	char *longer;

	if (asprintf(&longer, "%s%s^%s", *left_out, **left_out ? "," : "",
		     name) < 0)
		return false;
	free(*left_out);
	*left_out = longer;
	return true;
}

/* Record the crash of the file that the child named last, and add its plugin to
   the plugins left out.  False: it has no name, or memory runs out. */
static bool note_crash(struct findings *crashed, const struct outcome *o,
		       const char *last, unsigned seconds, char **left_out)
{
	const char *slash = last ? strchr(last, '/') : NULL;
	char *name = slash ? name_of(slash) : NULL;
	struct finding f = { .file = (char *)(slash ? slash : "?"),
			     .name = name,
			     .stage = (char *)"crashed" };
	bool ok;

	ok = findings_add(crashed, &f) &&
	     describe_end(&crashed->list[crashed->n - 1], o, last, seconds) &&
	     name && add_left_out(left_out, name);
	free(name);
	return ok;
}

/* A file that was left out because a child died is reported as "excluded":
   replace that by the finding of the child. */
static bool merge_crashes(struct findings *findings, struct findings *crashed)
{
	size_t i, j;

	for (i = 0; i < crashed->n; i++) {
		struct finding *c = &crashed->list[i];

		for (j = 0; j < findings->n; j++) {
			if (!strcmp(findings->list[j].file, c->file))
				break;
		}
		if (j == findings->n) {
			if (!findings_add(findings, c))
				return false;
		} else if (!replace_string(&findings->list[j].stage,
					   c->stage) ||
			   !replace_string(&findings->list[j].text, c->text) ||
			   !replace_string(&findings->list[j].advice,
					   c->advice)) {
			return false;
		}
	}
	return true;
}

/* Load all plugins.  If one crashes, leave it out and start again. */
static bool load_round(struct findings *findings, unsigned seconds)
{
	struct findings crashed = { 0 };
	char *left_out =
		strdup(getenv("DPR_BACKEND") ? getenv("DPR_BACKEND") : "");
	struct outcome o = { 0 };
	const char *last;
	bool ok = left_out != NULL, again = ok;

	while (ok && again) {
		findings_drop(findings);
		ok = isolate_run(NULL, left_out, seconds, &o) &&
		     read_records(&o, findings, &last);
		again = ok && ended_badly(&o) && crashed.n < MAX_CRASHES &&
			note_crash(&crashed, &o, last, seconds, &left_out);
		free(o.bytes);
		o.bytes = NULL;
	}
	ok = ok && merge_crashes(findings, &crashed);
	findings_drop(&crashed);
	free(left_out);
	return ok;
}

/* Open one plugin in its own child. */
static bool open_one(struct finding *f, unsigned seconds)
{
	struct findings own = { 0 };
	struct outcome o = { 0 };
	const char *last = NULL;
	bool ok;

	ok = isolate_run(f->file, "", seconds, &o) &&
	     read_records(&o, &own, &last);
	if (ok && own.n) {
		f->devices = own.list[0].devices;
		f->nanoseconds = own.list[0].nanoseconds;
		ok = replace_string(&f->stage, own.list[0].stage) &&
		     replace_string(&f->text, own.list[0].text) &&
		     replace_string(&f->advice, own.list[0].advice);
	}
	if (ok && own.error)
		ok = replace_string(&f->text, own.error);
	if (ok && ended_badly(&o)) {
		f->devices = 0;
		ok = describe_end(f, &o, own.n ? "exiting" : last, seconds);
	}
	findings_drop(&own);
	free(o.bytes);
	return ok;
}

bool isolate_findings(struct findings *findings, unsigned seconds)
{
	size_t i;

	memset(findings, 0, sizeof(*findings));
	if (!load_round(findings, seconds))
		return false;
	for (i = 0; i < findings->n; i++) {
		if (!strcmp(findings->list[i].stage, "loaded") &&
		    !open_one(&findings->list[i], seconds))
			return false;
	}
	return true;
}
