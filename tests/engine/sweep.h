/* SPDX-License-Identifier: Apache-2.0 */
/* sweep.h - tests that compare many results on each device, and count. */
#ifndef TESTS_SWEEP_H
#define TESTS_SWEEP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dpr/dpr.h>

#include "core/array/engine/engine.h"
#include "core/array/engine/target.h"
#include "core/array/object/array.h"
#include "tests/support/devices.h"
#include "tests/support/random.h"

static struct random rng;
static dpr_queue *queue;
static long checks, wrong;

static void stop_on(dpr_status status, const char *what)
{
	if (status == DPR_OK)
		return;
	printf("%s: %s: %s\n", what, dpr_status_name(status), dpr_last_error());
	exit(1);
}

#define MUST(call) stop_on((call), #call)

/* One case of this many is taken. */
static int sweep_every = 1;

/* Set on a device that runs the same native code as an earlier device of this
   program.  Only the launch differs, so a sample of the cases is taken. */
static bool sweep_again;
#define SWEEP_AGAIN 8

/* A driver compiles OpenCL C and SPIR-V, a kernel for each case.  So on such a
   device one case of @many is taken, or of DPR_TEST_EVERY; with DPR_TEST_ALL
   all.  Sets sweep_again. */
static inline void sweep_thin(dpr_device *device, int many)
{
	static char native[64]; /* the format of an earlier device */
	const char *format = engine_format(device);
	const char *every = getenv("DPR_TEST_EVERY");

	sweep_every = every ? atoi(every) : many;
	sweep_again = false;
	if (getenv("DPR_TEST_ALL") || !format ||
	    (strcmp(format, "opencl-c") && strcmp(format, "spirv")))
		sweep_every = 1;
	if (!format || strncmp(format, "native-", strlen("native-")))
		return;
	sweep_again = !getenv("DPR_TEST_ALL") && !strcmp(native, format);
	if (sweep_again)
		sweep_every = SWEEP_AGAIN;
	snprintf(native, sizeof(native), "%s", format);
}

static inline bool sweep_leaves_out(void)
{
	return sweep_every > 1 && random_between(&rng, 0, sweep_every - 1);
}

/* An input of @like's shape without memory: @start, and @step more with each
   place along @axis. */
static inline dpr_array *sweep_index(const dpr_array *like, int axis,
				     int64_t start, int64_t step)
{
	int64_t strides[DPR_MAX_RANK] = { 0 };
	dpr_array *index;

	strides[axis] = step;
	MUST(array_make(DPR_INT64, like->rank, array_shape(like), strides,
			start, NULL, queue, DPR_USM_DEVICE, &index));
	return index;
}

/*
 * Call @run for each device that DPR_TEST_DEVICES or else @usual selects and
 * @takes accepts.  Returns the exit status of the program: 77 if nothing was
 * compared, because there is @none.
 */
static inline int sweep(const char *usual, bool (*takes)(dpr_device *),
			void (*run)(dpr_device *), const char *none)
{
	const char *selector = getenv("DPR_TEST_DEVICES");
	const char *seed = getenv("DPR_TEST_SEED");
	dpr_device *devices[MAX_DEVICES];
	size_t n;

	setvbuf(stdout, NULL, _IOLBF, 0);
	rng.state = seed && atoll(seed) ? (uint64_t)atoll(seed) : 20261124;
	printf("seed %llu\n", (unsigned long long)rng.state);
	if (dpr_device_enumerate(selector ? selector : usual, devices,
				 MAX_DEVICES, &n))
		n = 0;
	for (size_t i = 0; i < n && i < MAX_DEVICES; i++)
		if (takes(devices[i]))
			run(devices[i]);
	if (!checks)
		printf("skipped: %s\n", none);
	MUST(dpr_finalize());
	return wrong ? 1 : checks ? 0 : 77;
}

/* Run the sweep as above.  Before it, run it in a child process with kernels as
   text on OpenCL's CPUs, unless DPR_TEST_DEVICES chooses the devices. */
static inline int sweep_with_text(const char *usual,
				  bool (*takes)(dpr_device *),
				  void (*run)(dpr_device *), const char *none)
{
	int status = 0, own;
	pid_t child;

	if (getenv("DPR_TEST_DEVICES"))
		return sweep(usual, takes, run, none);
	child = fork();
	if (child == 0) {
		setenv("DPR_OPTION_OPENCL_NATIVE", "no", 1);
		exit(sweep("opencl:cpu", takes, run, none));
	}
	if (child < 0 || waitpid(child, &status, 0) != child ||
	    !WIFEXITED(status)) {
		printf("as text: the process ended with status %d\n", status);
		return 1;
	}
	own = sweep(usual, takes, run, none);
	return WEXITSTATUS(status) && WEXITSTATUS(status) != 77
		       ? WEXITSTATUS(status)
		       : own;
}

#endif
