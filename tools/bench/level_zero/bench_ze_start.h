/* SPDX-License-Identifier: Apache-2.0 */
/* bench_ze_start.h - a program that uses Level Zero alone: the baseline of the
   row in which each run is a process. */
#ifndef TOOLS_BENCH_ZE_START_H
#define TOOLS_BENCH_ZE_START_H

#include "tools/bench/bench_side.h"

/* Open a side, see bench_open: a program that gets a first result from a native
   module. */
bool bench_ze_start(struct bench *bench, struct bench_side *side,
		    struct message *message);

/* The program that the child runs.  The module is on standard input; @place is
   "DRIVER:DEVICE".  Returns the exit status. */
int bench_ze_start_child(const char *place, int fd);

#endif
