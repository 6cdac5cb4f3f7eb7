/* SPDX-License-Identifier: Apache-2.0 */
/* bench_cliffs.h - dpr bench --cliffs: every function, dtype and layout beside
   an addition. */
#ifndef TOOLS_BENCH_CLIFFS_H
#define TOOLS_BENCH_CLIFFS_H

#include "tools/bench/bench_side.h"
#include "tools/shared/json.h"

struct bench_cliffs {
	struct json *json; /* where rows are written; NULL: as text */
	const char *rows;  /* patterns, separated by commas; NULL: all rows */
};

/* Print the names of all rows and what they compute.  Returns 0. */
int bench_cliffs_list(void);

/* Print the heads of the columns. */
void bench_cliffs_head(void);

/* Measure the rows on @bench's device and print them.  Adds to *@rows how many
   there were, and to *@steep how many of them are slower than they should
   be. */
bool bench_cliffs_run(const struct bench_cliffs *options,
		      const struct bench *bench, int *rows, int *steep,
		      struct message *message);

#endif
