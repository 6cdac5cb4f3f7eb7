/* SPDX-License-Identifier: Apache-2.0 */
/* bench_child.h - the programs that rows start as processes. */
#ifndef TOOLS_BENCH_CHILD_H
#define TOOLS_BENCH_CHILD_H

#include <stdbool.h>

/* If the arguments of "dpr bench" are those of a child, run its program, set
 *@status to the exit status, and return true. */
bool bench_child_run(int argc, char **argv, int *status);

#endif
