/* SPDX-License-Identifier: Apache-2.0 */
/* bench_ze_start.h - programs that use Level Zero alone: the baselines of the
   rows in which each run is a process. */
#ifndef TOOLS_BENCH_ZE_START_H
#define TOOLS_BENCH_ZE_START_H

#include "tools/bench/bench_side.h"

/* Each opens a side, see bench_open: a program that gets a first result from a
   native module; and a program that only starts the drivers (init). */
bool bench_ze_start(struct bench *bench, struct bench_side *side,
		    struct message *message);
bool bench_ze_start_init(struct bench *bench, struct bench_side *side,
			 struct message *message);

/* The programs of the children.  The first has the module on standard input;
   @place is "DRIVER:DEVICE".  The second takes any argument.  Each returns the
   exit status. */
int bench_ze_start_child(const char *place, int fd);
int bench_ze_start_child_init(const char *argument, int fd);

#endif
