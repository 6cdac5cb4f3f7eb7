/* SPDX-License-Identifier: Apache-2.0 */
/* show.h - what dpr check-plugin prints. */
#ifndef TOOLS_SHOW_H
#define TOOLS_SHOW_H

#include <stdbool.h>

#include "tools/kit/kit.h"
#include "tools/shared/json.h"

enum { SHOW_SEEN = 64 };

/* A finding that was printed, and how many checks have it. */
struct show_seen {
	struct note_finding finding;
	char check[64]; /* the first */
	unsigned checks;
};

struct show {
	bool as_json;
	struct json json;
	unsigned checks, bad, skipped; /* checks */
	unsigned findings;
	struct show_seen seen[SHOW_SEEN];
	unsigned n_seen;
	/* Checks that ended before each of the entries that did not return. */
	char stops[NOTE_STOPS][40];
	unsigned not_run[NOTE_STOPS];
};

/* Print what is checked: the file, and what the first child reported. */
void show_begin(struct show *show, const struct kit *kit,
		const struct note_report *probe);
void show_check(struct show *show, const struct kit_group *group,
		const struct kit_check *check,
		const struct note_report *report);
/* Print the sums; @why: why not everything was checked, or NULL. */
void show_end(struct show *show, const char *why);
void show_list(const struct kit_group *const *groups, size_t n);

#endif
