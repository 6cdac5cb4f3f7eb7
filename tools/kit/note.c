/* SPDX-License-Identifier: Apache-2.0 */
/* note.c - what a check of dpr check-plugin reports. */
#include "tools/kit/note.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The current step of a thread, and the last error that the plugin has set in
   it. */
struct step {
	char entry[40], args[160];
	bool ours; /* the thread has called an entry */
	bool has_error;
	dprp_rc error;
	char text[256];
};

static __thread struct step step;
static __thread bool is_main;
static struct note_report *report;
static int (*at_end)(const struct note_report *report);
static dprp_rc last_code = DPR_RC_HOST_MEMORY; /* the end of the list */
static char context[80];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the above */

static const char *const rc_names[] = {
	"OK",          "INVALID",    "UNSUPPORTED", "NO_DRIVER",   "NO_DEVICE",
	"OOM_HOST",    "OOM_DEVICE", "BUILD",       "TIMEOUT",     "DEP_FAILED",
	"DEVICE_LOST", "NO_PATH",    "FORKED",      "SHUTDOWN",    "NATIVE",
	"ABI",         "INTERNAL",   "CANNOT_WAIT", "HOST_MEMORY",
};
static const char *const state_names[] = { "no such state", "QUEUED",
					   "SUBMITTED",     "RUNNING",
					   "DONE",          "FAILED" };

void note_begin(struct note_report *to,
		int (*call)(const struct note_report *report))
{
	report = to;
	at_end = call;
	is_main = true;
}

void note_version(uint32_t abi_minor)
{
	last_code = abi_minor >= 2 ? DPR_RC_HOST_MEMORY : DPR_RC_INTERNAL;
}

bool note_is_main(void)
{
	return is_main;
}

bool note_is_ours(void)
{
	return step.ours;
}

void note_rule(const char *rule)
{
	snprintf(report->rule, sizeof(report->rule), "%s", rule);
}

/* Tell the parent what the thread of the check calls. */
static void record(void)
{
	if (!is_main)
		return;
	memcpy(report->entry, step.entry, sizeof(report->entry));
	memcpy(report->args, step.args, sizeof(report->args));
}

/* End the check if other checks have not come back from this entry. */
static void stop_before(const char *entry)
{
	uint32_t i;

	for (i = 0; i < report->n_stops; i++)
		if (!strcmp(report->stops[i], entry)) {
			pthread_mutex_lock(&lock);
			snprintf(report->stopped, sizeof(report->stopped), "%s",
				 entry);
			pthread_mutex_unlock(&lock);
			note_skip("it calls %s, which did not return in other "
				  "checks",
				  entry);
		}
}

void note_step(const char *entry, const char *args, ...)
{
	va_list ap;
	size_t n;

	stop_before(entry);
	step.ours = true;
	step.has_error = false;
	step.text[0] = '\0';
	snprintf(step.entry, sizeof(step.entry), "%s", entry);
	va_start(ap, args);
	vsnprintf(step.args, sizeof(step.args), args, ap);
	va_end(ap);
	n = strlen(step.args);
	pthread_mutex_lock(&lock);
	snprintf(step.args + n, sizeof(step.args) - n, "%s", context);
	pthread_mutex_unlock(&lock);
	record();
}

struct note_call note_last(void)
{
	struct note_call call;

	memcpy(call.entry, step.entry, sizeof(call.entry));
	memcpy(call.args, step.args, sizeof(call.args));
	memcpy(call.text, step.text, sizeof(call.text));
	return call;
}

void note_again(const struct note_call *call)
{
	memcpy(step.entry, call->entry, sizeof(step.entry));
	memcpy(step.args, call->args, sizeof(step.args));
	memcpy(step.text, call->text, sizeof(step.text));
	record();
}

void note_service(const char *name)
{
	if (step.ours)
		return;
	snprintf(step.entry, sizeof(step.entry), "%s", name);
	snprintf(step.args, sizeof(step.args), "in a thread of the plugin");
}

void note_context(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	pthread_mutex_lock(&lock);
	vsnprintf(context, sizeof(context), format, ap);
	pthread_mutex_unlock(&lock);
	va_end(ap);
}

const char *note_rc_name(dprp_rc rc)
{
	return rc <= DPR_RC_OK && rc >= DPR_RC_HOST_MEMORY ? rc_names[-rc]
							   : "no such code";
}

const char *note_state_name(uint32_t state)
{
	return state <= DPRP_EVENT_FAILED ? state_names[state] : state_names[0];
}

void note_error(dprp_rc rc, const char *text)
{
	step.has_error = true;
	step.error = rc;
	snprintf(step.text, sizeof(step.text), "%s", text ? text : "");
}

const char *note_error_text(void)
{
	return step.text;
}

/* How often a finding is listed whose arguments alone differ. */
enum { ALIKE = 3 };

/* Count @f if it is in the list already, or if the list has enough similar
   findings.  Returns whether it was counted. */
static bool count_again(const struct note_finding *f)
{
	struct note_finding *other, *last = NULL;
	uint32_t i, alike = 0;

	for (i = 0; i < report->n_findings && i < NOTE_FINDINGS; i++) {
		other = &report->findings[i];
		if (strcmp(other->rule, f->rule) != 0 ||
		    strcmp(other->entry, f->entry) != 0 ||
		    strcmp(other->expected, f->expected) != 0 ||
		    strcmp(other->got, f->got) != 0)
			continue;
		last = other;
		if (!strcmp(other->args, f->args) || ++alike == ALIKE)
			break;
	}
	if (!last || (alike < ALIKE && strcmp(last->args, f->args) != 0))
		return false;
	last->times++;
	return true;
}

/* Add a finding.  The lock is held. */
static void add(const struct note_finding *f)
{
	if (count_again(f))
		return;
	if (report->n_findings < NOTE_FINDINGS)
		report->findings[report->n_findings] = *f;
	report->n_findings++;
}

void note_bad(const char *rule, const char *expected, const char *got, ...)
{
	struct note_finding f = { .times = 1 };
	va_list ap;

	snprintf(f.rule, sizeof(f.rule), "%s", rule);
	memcpy(f.entry, step.entry, sizeof(f.entry));
	memcpy(f.args, step.args, sizeof(f.args));
	snprintf(f.expected, sizeof(f.expected), "%s", expected);
	va_start(ap, got);
	vsnprintf(f.got, sizeof(f.got), got, ap);
	va_end(ap);
	pthread_mutex_lock(&lock);
	if (report->behind)
		report->n_dropped++;
	else
		add(&f);
	pthread_mutex_unlock(&lock);
}

void note_behind(const char *rule, const char *entry, const char *expected,
		 const char *got)
{
	struct note_finding f = { .times = 1 };

	snprintf(f.rule, sizeof(f.rule), "%s", rule);
	if (!entry)
		entry = step.ours ? step.entry : "host";
	snprintf(f.entry, sizeof(f.entry), "%s", entry);
	if (!step.ours)
		snprintf(f.args, sizeof(f.args), "in a thread of the plugin");
	else if (!strcmp(f.entry, step.entry))
		memcpy(f.args, step.args, sizeof(f.args));
	snprintf(f.expected, sizeof(f.expected), "%s", expected);
	snprintf(f.got, sizeof(f.got), "%s", got);
	pthread_mutex_lock(&lock);
	/* A check with a finding ends without freeing its objects. */
	if (!report->n_dropped || strcmp(rule, "O5") != 0)
		add(&f);
	pthread_mutex_unlock(&lock);
}

bool note_bytes(const char *rule, const void *got, const void *want,
		size_t size)
{
	const unsigned char *a = got, *b = want;
	size_t i;

	for (i = 0; i < size && a[i] == b[i]; i++)
		;
	if (i < size)
		note_bad(rule, "these bytes, and no others",
			 "byte %zu of %zu is %#x, not %#x", i, size, a[i],
			 b[i]);
	return i == size;
}

/* Whether this entry submits work, which may have dependencies. */
static bool submits(const char *entry)
{
	static const char *const names[] = { "barrier", "write",  "read",
					     "copy",    "launch", "fill",
					     "prefetch" };
	size_t i;

	if (strncmp(entry, "queue->", 7))
		return false;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(entry + 7, names[i]))
			return true;
	return false;
}

dprp_rc note_rc(dprp_rc rc)
{
	if (rc > DPR_RC_OK || rc < last_code)
		note_bad("E1", "OK or a negative code of the list",
			 "the number %d", rc);
	else if (rc == DPR_RC_CANNOT_WAIT && !submits(step.entry))
		note_bad("S8", "CANNOT_WAIT from submissions alone",
			 "CANNOT_WAIT");
	else if (rc == DPR_RC_HOST_MEMORY &&
		 strcmp(step.entry, "queue->write") &&
		 strcmp(step.entry, "queue->read"))
		note_bad("S9", "HOST_MEMORY from write and read alone",
			 "HOST_MEMORY");
	else if (rc == DPR_RC_OK || rc == DPR_RC_NO_PATH ||
		 rc == DPR_RC_CANNOT_WAIT || rc == DPR_RC_HOST_MEMORY)
		return rc;
	else if (!step.has_error)
		note_bad("E2", "a call of set_error() before it returns",
			 "%s without a call of set_error() in this thread",
			 note_rc_name(rc));
	else if (step.error != rc)
		note_bad("E2", "set_error() with the code that is returned",
			 "%s, but set_error() with %s", note_rc_name(rc),
			 note_rc_name(step.error));
	else if (!step.text[0])
		note_bad("E2", "a sentence in set_error()",
			 "%s with no text, or an empty one", note_rc_name(rc));
	return rc;
}

bool note_want(const char *rule, dprp_rc rc, dprp_rc want)
{
	if (rc == want)
		return true;
	note_bad(rule, note_rc_name(want), "%s%s%s", note_rc_name(rc),
		 step.text[0] ? ": " : "", step.text);
	return false;
}

void note_need(const char *rule, dprp_rc rc)
{
	if (!note_want(rule, rc, DPR_RC_OK))
		note_end();
}

void note_handle(const void *handle)
{
	if (handle && handle != NOTE_POISON)
		return;
	note_bad("P1", "a handle that is not NULL", "OK, but the handle %s",
		 handle ? "was not set" : "is NULL");
	note_end();
}

void note_tell(const char *format, ...)
{
	va_list ap;

	pthread_mutex_lock(&lock);
	if (report->n_told < NOTE_TOLD) {
		va_start(ap, format);
		vsnprintf(report->told[report->n_told], sizeof(report->told[0]),
			  format, ap);
		va_end(ap);
		report->n_told++;
	}
	pthread_mutex_unlock(&lock);
}

void note_skip(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	pthread_mutex_lock(&lock);
	vsnprintf(report->skip, sizeof(report->skip), format, ap);
	pthread_mutex_unlock(&lock);
	va_end(ap);
	note_end();
}

static void set_ended(void)
{
	pthread_mutex_lock(&lock);
	report->ended = true;
	pthread_mutex_unlock(&lock);
}

void note_end(void)
{
	set_ended();
	_exit(at_end ? at_end(report) : 0);
}

void note_exit(void)
{
	note_rule("L3");
	set_ended();
	exit(at_end ? at_end(report) : 0);
}

bool note_found(void)
{
	bool found;

	pthread_mutex_lock(&lock);
	found = report->behind ? report->n_dropped != 0
			       : report->n_findings != 0;
	pthread_mutex_unlock(&lock);
	return found;
}
