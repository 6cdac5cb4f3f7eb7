/* SPDX-License-Identifier: Apache-2.0 */
/* bench_rows.c - the rows of "dpr bench", their floors and their goals. */
#include "tools/bench/bench_rows.h"

#include "tools/bench/bench_arrays.h"
#include "tools/bench/bench_calls.h"
#include "tools/bench/bench_cl_arrays.h"
#include "tools/bench/bench_cl_calls.h"
#include "tools/bench/bench_copies.h"
#include "tools/bench/bench_cpu.h"
#include "tools/bench/bench_start.h"
#include "tools/bench/bench_strided.h"

/*
 * The goals were set for PoCL 3.1 on two cores, most of them relative to what
 * the driver itself does in the same run.  Those that hold on any device are
 * marked so; the others hold for CPUs through OpenCL.
 */

/* clang-format off */
/* A loop in C is the floor on each device. */
#define STRIDED(name, text, form, item, reading)                          \
	{ name, text, BENCH_GBPS, BENCH_RATIO_AT_LEAST, 0.95, false,      \
	  bench_strided_ours, bench_strided_floor, bench_strided_floor,                     \
	  &(const struct bench_layout){ form, item, reading } }
/* clang-format on */

const struct bench_row bench_rows[] = {
	{ "add", "x + y into an array; bytes read and written", BENCH_GBPS,
	  BENCH_RATIO_AT_LEAST, 0.95, false, bench_arrays_add,
	  bench_cl_arrays_add, bench_cpu_add, NULL },
	{ "add-new", "the same into a new array", BENCH_GBPS, BENCH_NO_GOAL, 0,
	  false, bench_arrays_add_new, bench_cl_arrays_add, bench_cpu_add,
	  NULL },
	{ "add-transposed", "x + y.T of square matrices, beside our x + y",
	  BENCH_GBPS, BENCH_RATIO_AT_LEAST, 0.28, false,
	  bench_arrays_add_transposed, bench_arrays_add, bench_arrays_add,
	  NULL },
	{ "sum", "the sum of an array; bytes read", BENCH_GBPS,
	  BENCH_RATIO_AT_LEAST, 0.90, false, bench_arrays_sum,
	  bench_cl_arrays_sum, bench_cpu_sum, NULL },
	{ "write", "host memory to the device", BENCH_GBPS,
	  BENCH_RATIO_AT_LEAST, 0.95, false, bench_copies_write,
	  bench_cl_calls_write, bench_cpu_copy, NULL },
	{ "read", "the device to host memory", BENCH_GBPS, BENCH_RATIO_AT_LEAST,
	  0.95, false, bench_copies_read, bench_cl_calls_read, bench_cpu_copy,
	  NULL },
	{ "copy", "within the device; bytes read and written", BENCH_GBPS,
	  BENCH_NO_GOAL, 0, false, bench_copies_device_copy,
	  bench_cl_calls_device_copy, bench_cpu_device_copy, NULL },
	{ "transfer", "an array from device host to the device and back",
	  BENCH_GBPS, BENCH_RATIO_AT_LEAST, 0.80, false, bench_copies_transfer,
	  bench_cl_calls_transfer, bench_cpu_transfer, NULL },
	STRIDED("step-1", "every other element of 1 byte of host memory",
		BENCH_STEP, 1, false),
	STRIDED("step-2", "every other element of 2 bytes of host memory",
		BENCH_STEP, 2, false),
	STRIDED("step-4", "every other element of 4 bytes of host memory",
		BENCH_STEP, 4, false),
	STRIDED("step-8", "every other element of 8 bytes of host memory",
		BENCH_STEP, 8, false),
	STRIDED("step-16", "every other element of 16 bytes of host memory",
		BENCH_STEP, 16, false),
	STRIDED("turned-1", "a transposed matrix of bytes in host memory",
		BENCH_TURNED, 1, false),
	STRIDED("turned-4", "the same of int32", BENCH_TURNED, 4, false),
	STRIDED("reversed-4", "int32 in host memory from the last to the first",
		BENCH_REVERSED, 4, false),
	STRIDED("interleave-4", "three vectors of int32 as rows of three",
		BENCH_INTERLEAVE, 4, false),
	STRIDED("deinterleave-4", "rows of three int32 as three vectors",
		BENCH_DEINTERLEAVE, 4, false),
	STRIDED("spread-4",
		"int32 along many axes of 2, every other of stride 0",
		BENCH_SPREAD, 4, false),
	STRIDED("step-read-4", "an array into every other int32 of host memory",
		BENCH_STEP, 4, true),
	STRIDED("turned-read-4",
		"a matrix of int32 by columns into host memory", BENCH_TURNED,
		4, true),
	{ "small-add", "16 elements into an array, 1000 queued; per add",
	  BENCH_US, BENCH_RATIO_AT_MOST, 1.3, false, bench_calls_small_add,
	  bench_cl_calls_small_add, NULL, NULL },
	{ "kernel", "a user's kernel on 16 elements, 1000 queued; per launch",
	  BENCH_US, BENCH_NO_GOAL, 0, false, bench_calls_kernel,
	  bench_cl_calls_small_add, NULL, NULL },
	{ "launch-wait", "an add of 16 elements and a wait for it", BENCH_US,
	  BENCH_NO_GOAL, 0, false, bench_calls_launch_wait,
	  bench_cl_calls_launch_wait, NULL, NULL },
	{ "event-wait", "a barrier with an event, and a wait for that",
	  BENCH_US, BENCH_NO_GOAL, 0, false, bench_calls_event_wait,
	  bench_cl_calls_event_wait, NULL, NULL },
	{ "alloc", "create and release an array of 1 MB", BENCH_NS,
	  BENCH_VALUE_AT_MOST, 500, true, bench_calls_alloc,
	  bench_cl_calls_alloc, bench_cpu_alloc, NULL },
	{ "queue-by-device", "dpr_device_queue()", BENCH_NS,
	  BENCH_VALUE_AT_MOST, 100, true, bench_calls_queue_by_device, NULL,
	  NULL, NULL },
	{ "queue-by-selector", "dpr_canonical_queue(selector)", BENCH_NS,
	  BENCH_VALUE_AT_MOST, 2000, true, bench_calls_queue_by_selector, NULL,
	  NULL, NULL },
	{ "start", "from exec to the first sum of 16 elements, warm caches",
	  BENCH_MS, BENCH_RATIO_AT_MOST, 1.3, false, bench_start_ours,
	  bench_start_driver, NULL, NULL },
};

const size_t bench_rows_count = sizeof(bench_rows) / sizeof(bench_rows[0]);
