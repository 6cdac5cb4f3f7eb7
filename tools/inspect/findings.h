/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h - what dpr doctor finds out about plugin files. */
#ifndef TOOLS_FINDINGS_H
#define TOOLS_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/runtime.h>

/* A finding owns its strings. */
struct finding {
	char *file, *name, *version, *origin, *stage, *text, *advice;
	uint64_t devices, nanoseconds;
};

struct findings {
	struct finding *list;
	size_t n;
	char *error; /* why the library cannot be used, or NULL */
};

/* Append a finding and copy its strings; NULL counts as "".  False: no memory.
 */
bool findings_add(struct findings *findings, const struct finding *finding);

/* Free the list's contents, and leave the list empty. */
void findings_drop(struct findings *findings);

/* Return the text of @line, followed by an error for each property that a
   device of this plugin answered wrongly.  Free it with free().  NULL: no
   memory. */
char *findings_notes(const dpr_plugin_report *line);

#endif
