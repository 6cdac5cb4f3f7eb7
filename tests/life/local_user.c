/* SPDX-License-Identifier: Apache-2.0 */
/* local_user.c - a library that uses dpr internally.  It is built twice, and
   opened by a program that knows nothing about dpr. */
#include <stddef.h>

#include <dpr/dpr.h>

#include "tests/life/local_user.h"

__attribute__((
	visibility("default"))) extern const struct local_user local_user;

static dpr_array *kept;

static void *user_device(const char *selector)
{
	dpr_device *device;

	return dpr_device_select(selector, &device) ? NULL : device;
}

static void *user_queue(const char *selector)
{
	dpr_queue *queue;

	return dpr_canonical_queue(selector, &queue) ? NULL : queue;
}

static void *user_make(const char *selector)
{
	dpr_queue *queue;

	if (dpr_canonical_queue(selector, &queue) ||
	    dpr_arange(0, 1000, 1, DPR_INT32, queue, &kept))
		return NULL;
	return kept;
}

static long user_sum(void *array)
{
	dpr_operand value = { .as.i = -1 };
	dpr_array *sum;

	if (dpr_add_into((dpr_array *)array, 1, (dpr_array *)array) ||
	    dpr_sum(array, NULL, &sum))
		return -1;
	if (dpr_array_item(sum, &value))
		value.as.i = -2;
	dpr_array_release(sum);
	return (long)value.as.i;
}

static void user_drop(void)
{
	dpr_array_release(kept);
	kept = NULL;
}

static int user_finalize(void)
{
	return dpr_finalize();
}

const struct local_user local_user = {
	.device = user_device,
	.queue = user_queue,
	.make = user_make,
	.sum = user_sum,
	.drop = user_drop,
	.finalize = user_finalize,
	.error = dpr_last_error,
};
