/* SPDX-License-Identifier: Apache-2.0 */
/* bench_baselines.h - the baselines on drivers: OpenCL's, NVIDIA's, Level
   Zero. */
#ifndef TOOLS_BENCH_BASELINES_H
#define TOOLS_BENCH_BASELINES_H

#include "tools/bench/bench_driver.h"
#include "tools/bench/bench_side.h"

/* Open a baseline on bench->driver as *@side; see bench_open.  The side has no
   run() if the driver has no such baseline. */
bool bench_baselines_open(enum bench_baseline kind, struct bench *bench,
			  struct bench_side *side, struct message *message);

#endif
