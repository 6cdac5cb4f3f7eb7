/* SPDX-License-Identifier: Apache-2.0 */
/* doctor.h - what dpr doctor finds out about one plugin file. */
#ifndef TOOLS_DOCTOR_H
#define TOOLS_DOCTOR_H

#include <stddef.h>
#include <stdint.h>

#include <dpr/runtime.h>

/* Strings are the finding's own. */
struct finding {
	char *file, *name, *version, *origin, *stage, *text, *advice;
	uint64_t devices, nanoseconds;
};

struct findings {
	struct finding *list;
	size_t n;
	char *error; /* why the library cannot be used, NULL: it can */
};

/* Load and open everything in this process.  0 without memory. */
int findings_here(struct findings *findings);

/* Load and open each plugin in a process of its own, which gets @seconds. */
int findings_isolated(struct findings *findings, unsigned seconds);

/* The text of @line, and behind it what its devices answer that is no value, to
   be freed; NULL: no memory. */
char *finding_notes(const dpr_plugin_report *line);

/* Append one, copying the strings; NULL counts as "". */
int findings_add(struct findings *findings, const struct finding *finding);
void findings_drop(struct findings *findings);

#endif
