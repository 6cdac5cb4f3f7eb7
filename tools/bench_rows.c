/* SPDX-License-Identifier: Apache-2.0 */
/* bench_rows.c - the rows of "dpr bench", their floors and their goals. */
#include "tools/bench_cl.h"

/*
 * The goals were set for PoCL 3.1 on two cores, most of them relative to what
 * the driver itself does in the same run.  Those that hold on any device are
 * marked so; the others hold for CPUs through OpenCL.
 */
const struct bench_row bench_rows[] = {
	{ "add", "x + y into an array; bytes read and written", BENCH_GBPS,
	  BENCH_RATIO_AT_LEAST, 0.95, false, ours_add, driver_add, cpu_add },
	{ "add-new", "the same into a new array", BENCH_GBPS, BENCH_NO_GOAL, 0,
	  false, ours_add_new, driver_add, cpu_add },
	{ "add-transposed", "x + y.T of square matrices, beside our x + y",
	  BENCH_GBPS, BENCH_RATIO_AT_LEAST, 0.28, false, ours_add_transposed,
	  ours_add, ours_add },
	{ "sum", "the sum of an array; bytes read", BENCH_GBPS,
	  BENCH_RATIO_AT_LEAST, 0.90, false, ours_sum, driver_sum, cpu_sum },
	{ "write", "host memory to the device", BENCH_GBPS,
	  BENCH_RATIO_AT_LEAST, 0.95, false, ours_write, driver_write,
	  cpu_copy },
	{ "read", "the device to host memory", BENCH_GBPS, BENCH_RATIO_AT_LEAST,
	  0.95, false, ours_read, driver_read, cpu_copy },
	{ "copy", "within the device; bytes read and written", BENCH_GBPS,
	  BENCH_NO_GOAL, 0, false, ours_device_copy, driver_device_copy,
	  cpu_device_copy },
	{ "transfer", "an array from device host to the device and back",
	  BENCH_GBPS, BENCH_RATIO_AT_LEAST, 0.80, false, ours_transfer,
	  driver_transfer, cpu_transfer },
	{ "small-add", "16 elements into an array, 1000 queued; per add",
	  BENCH_US, BENCH_RATIO_AT_MOST, 1.3, false, ours_small_add,
	  driver_small_add, NULL },
	{ "kernel", "a user's kernel on 16 elements, 1000 queued; per launch",
	  BENCH_US, BENCH_NO_GOAL, 0, false, ours_kernel, driver_small_add,
	  NULL },
	{ "launch-wait", "an add of 16 elements and a wait for it", BENCH_US,
	  BENCH_NO_GOAL, 0, false, ours_launch_wait, driver_launch_wait, NULL },
	{ "event-wait", "a barrier with an event, and a wait for that",
	  BENCH_US, BENCH_NO_GOAL, 0, false, ours_event_wait, driver_event_wait,
	  NULL },
	{ "alloc", "create and release an array of 1 MB", BENCH_NS,
	  BENCH_VALUE_AT_MOST, 500, true, ours_alloc, driver_alloc, cpu_alloc },
	{ "queue-by-device", "dpr_device_queue()", BENCH_NS,
	  BENCH_VALUE_AT_MOST, 100, true, ours_queue_by_device, NULL, NULL },
	{ "queue-by-selector", "dpr_canonical_queue(selector)", BENCH_NS,
	  BENCH_VALUE_AT_MOST, 2000, true, ours_queue_by_selector, NULL, NULL },
	{ "start", "from exec to the first sum of 16 elements, warm caches",
	  BENCH_MS, BENCH_RATIO_AT_MOST, 1.3, false, ours_start, driver_start,
	  NULL },
};

const size_t bench_n_rows = sizeof(bench_rows) / sizeof(bench_rows[0]);
