/* SPDX-License-Identifier: Apache-2.0 */
/* sweep.h - tests that compare many results on each device, and count. */
#ifndef TESTS_SWEEP_H
#define TESTS_SWEEP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <dpr/dpr.h>

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

#endif
