/* SPDX-License-Identifier: Apache-2.0 */
/* bench_first.h - the row "first-call". */
#ifndef TOOLS_BENCH_FIRST_H
#define TOOLS_BENCH_FIRST_H

#include "tools/bench/bench_side.h"

/* Open the side of the row; see bench_open. */
bool bench_first_ours(struct bench *bench, struct bench_side *side,
		      struct message *message);

/* The program of its child.  Returns the exit status. */
int bench_first_child(const char *selector, int fd);

#endif
