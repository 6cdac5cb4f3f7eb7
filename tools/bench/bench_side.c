/* SPDX-License-Identifier: Apache-2.0 */
/* bench_side.c - missing, failed and closed sides; the choice of rows. */
#include "tools/bench/bench_side.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include <dpr/status.h>

bool bench_side_none(struct bench_side *side, const char *why)
{
	side->run = NULL;
	strncpy(side->name, why, sizeof(side->name) - 1);
	return true;
}

void bench_side_close(struct bench_side *side)
{
	if (side->close)
		side->close(side->state);
}

bool bench_side_failed(struct message *message)
{
	return message_set(message, "%s", dpr_last_error());
}

bool bench_side_wants(const char *patterns, const char *name)
{
	char pattern[64];

	while (patterns && *patterns) {
		size_t n = strcspn(patterns, ",");

		snprintf(pattern, sizeof(pattern), "%.*s", (int)n, patterns);
		if (!fnmatch(pattern, name, 0))
			return true;
		patterns += n + (patterns[n] == ',');
	}
	return !patterns;
}
