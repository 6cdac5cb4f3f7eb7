/* SPDX-License-Identifier: Apache-2.0 */
/*
 * note.h - what a check of dpr check-plugin reports.
 *
 * A check runs in a process of its own.  The check writes into memory shared
 * with its parent, so that nothing is lost when the plugin ends the process.
 */
#ifndef TOOLS_NOTE_H
#define TOOLS_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/backend.h>

enum { NOTE_FINDINGS = 12, NOTE_TOLD = 6, NOTE_STOPS = 4 };

struct note_finding {
	char rule[8]; /* "Q3"; "" for a crash or a hang */
	char entry[40];
	char args[160];
	char expected[200];
	char got[360];
	uint32_t times; /* that it was found */
};

/* Copies that take some hundredths of a second.  The first check that needs
   them finds out how many it takes, and tells the later ones. */
struct note_copies {
	uint64_t size; /* bytes of each; 0: not yet measured */
	uint32_t count;
};

struct note_report {
	char entry[40], args[160]; /* the last call */
	/* The check ends before it calls one of these entries. */
	char stops[NOTE_STOPS][40];
	uint32_t n_stops;
	char stopped[40]; /* the entry before which the check ended; or "" */
	char rule[8];     /* the rule that a crash or a hang breaks; or "" */
	char skip[300];   /* why nothing was checked; "" if it was */
	struct note_copies copies;
	char told[NOTE_TOLD][300];
	struct note_finding findings[NOTE_FINDINGS];
	uint32_t n_told, n_findings; /* different ones, also those that had no
					room */
	uint32_t state;              /* of what a late check waits for; or 0 */
	bool ended;                  /* the check came to its end */
	bool died; /* it hung, crashed, or ended the process */
	/* Of the first child only: what the plugin and its device are. */
	char name[64], version[64], device[128];
	uint32_t probe; /* enum kit_probe */
	/* The check runs behind the layer "check": what the layer finds counts,
	   and what the check itself finds was found without the layer. */
	bool behind;
	uint32_t n_dropped; /* findings that do not count */
	char output[16384]; /* the output of a check that did not end */
};

/* Set where this process reports.  The calling thread becomes the one whose
   calls are recorded for the case of a crash.  @at_end is called when the check
   has ended, before the process does, and gives its exit status; NULL: 0. */
void note_begin(struct note_report *report,
		int (*at_end)(const struct note_report *report));

/* The codes of the list are those of this version of the interface. */
void note_version(uint32_t abi_minor);

/* Whether this thread is that one. */
bool note_is_main(void);
/* Whether this thread is the check's: it has called an entry. */
bool note_is_ours(void);

/* Name the rule that a crash or a hang breaks from now on. */
void note_rule(const char *rule);
/* Say what this thread calls next. */
void note_step(const char *entry, const char *args, ...)
	__attribute__((format(printf, 2, 3)));
/* What this thread has called last, with the text of its error, and to say so
   again after further calls. */
struct note_call {
	char entry[40], args[160], text[256];
};
struct note_call note_last(void);
void note_again(const struct note_call *call);
/* Say which service of the host is called, in a thread of the plugin.  In a
   thread of the check a finding names the entry instead. */
void note_service(const char *name);
/* Add a text to the arguments of all further calls. */
void note_context(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
/* Check the code that an entry has returned: the code is in the list, and
   set_error() was called with it.  Returns @rc. */
dprp_rc note_rc(dprp_rc rc);
/* Make a call of an entry: NOTE_CALL(call, "queue->flush", "format", ...). */
#define NOTE_CALL(call, ...) (note_step(__VA_ARGS__), note_rc(call))

/* Record that the plugin has called set_error() in this thread. */
void note_error(dprp_rc rc, const char *text);
/* The text of the last error of this thread; "" if there was none. */
const char *note_error_text(void);
/* The name of a code, "DPR_RC_..." without the prefix. */
const char *note_rc_name(dprp_rc rc);
/* The name of an event's state, "DPRP_EVENT_..." without the prefix. */
const char *note_state_name(uint32_t state);

/* Report that the last call of this thread broke @rule: @expected is the rule's
   demand, and @got the finding. */
void note_bad(const char *rule, const char *expected, const char *got, ...)
	__attribute__((format(printf, 3, 4)));
/* Report what the layer "check" has found.  @entry NULL: in the last call of
   this thread, or in a service of the host. */
void note_behind(const char *rule, const char *entry, const char *expected,
		 const char *got);
/* Report the first byte that is another one than in @want.  Returns whether all
   are the same. */
bool note_bytes(const char *rule, const void *got, const void *want,
		size_t size);
/* Report a finding unless @rc is @want.  Returns whether it is. */
bool note_want(const char *rule, dprp_rc rc, dprp_rc want);
/* The same for OK, and end the check if it is not. */
void note_need(const char *rule, dprp_rc rc);
/* End the check if a handle that an entry has made is NULL or was not set. */
void note_handle(const void *handle);
/* A value that no entry gives out: outputs are set to it before a call. */
#define NOTE_POISON ((void *)(uintptr_t)UINT64_C(0xa5a5a5a5a5a5a5a5))

/* Tell the author something that is no finding. */
void note_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* End the check: it cannot be made, for this reason. */
_Noreturn void note_skip(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
/* End the check. */
_Noreturn void note_end(void);
/* End the check by exit(), which runs the exit handlers of the plugin and its
   driver. */
_Noreturn void note_exit(void);
/* Whether this check has findings. */
bool note_found(void);

#endif
