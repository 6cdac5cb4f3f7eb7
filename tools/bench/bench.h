/* SPDX-License-Identifier: Apache-2.0 */
/* bench.h - dpr bench. */
#ifndef TOOLS_BENCH_H
#define TOOLS_BENCH_H

/* Run "dpr bench".  argv[0] is "bench".  Returns the exit status: 0, 1 after a
   failure, 2 for a wrong command line. */
int bench_main(int argc, char **argv);

#endif
