/* SPDX-License-Identifier: Apache-2.0 */
/* show.h - what dpr check-plugin prints. */
#ifndef TOOLS_SHOW_H
#define TOOLS_SHOW_H

#include <stdbool.h>

#include "tools/kit/kit.h"
#include "tools/shared/json.h"

enum { SHOW_SEEN = 64, SHOW_NAMED = 256 };

/* A finding that was printed, and how many checks have it. */
struct show_seen {
	struct note_finding finding;
	char check[64]; /* the first */
	unsigned checks;
};

/* A rule that a check has named, and the entry. */
struct show_named {
	char rule[8], entry[40];
};

struct show {
	bool as_json;
	struct json json;
	unsigned checks, bad, skipped; /* checks */
	unsigned findings;
	struct show_seen seen[SHOW_SEEN];
	unsigned n_seen;
	/* What the layer "check" has found, and the rules and entries that the
	   checks have named. */
	struct show_seen behind[SHOW_SEEN];
	unsigned n_behind;
	struct show_named named[SHOW_NAMED];
	unsigned n_named;
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
/* Keep what the layer "check" has found around the same check, which
   show_end() prints. */
void show_behind(struct show *show, const struct kit_group *group,
		 const struct kit_check *check,
		 const struct note_report *report);
/* Print what the layer has found and the checks have not, and the sums; @why:
 * why not everything was checked, or NULL. */
void show_end(struct show *show, const char *why);
void show_list(const struct kit_group *const *groups, size_t n);

#endif
