/* SPDX-License-Identifier: Apache-2.0 */
/* driver_test.h - what the tests of the backends CUDA and Level Zero share.
   They run on software drivers. */
#ifndef TESTS_DRIVER_TEST_H
#define TESTS_DRIVER_TEST_H

#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/devices.h"

/* The last error must contain @part. */
#define CHECK_TEXT(part)                                        \
	ck_assert_msg(strstr(dpr_last_error(), (part)) != NULL, \
		      "no \"%s\" in: %s", (part), dpr_last_error())

static inline dpr_device *get_device(const char *selector)
{
	dpr_device *device = NULL;

	CHECK_OK(dpr_device_select(selector, &device));
	return device;
}

static inline dpr_queue *new_queue(dpr_device *device, uint32_t flags)
{
	dpr_queue *queue = NULL;

	CHECK_OK(dpr_queue_create(device, flags, &queue));
	return queue;
}

/* Allocate @n ints and set them all to @value. */
static inline dpr_usm *new_ints(dpr_queue *queue, dpr_usm_kind kind, size_t n,
				int value)
{
	dpr_usm *usm = NULL;

	CHECK_OK(dpr_usm_alloc(queue, kind, n * sizeof(int), &usm));
	CHECK_OK(dpr_usm_fill(queue, usm, 0, &value, sizeof(value),
			      n * sizeof(int), NULL, NULL));
	return usm;
}

/* --- Information about devices --- */

static inline void check_text(dpr_device *device, uint32_t key,
			      const char *expected)
{
	char text[256] = "";
	size_t need;

	CHECK_OK(dpr_device_info(device, key, text, sizeof(text), &need));
	ck_assert_str_eq(text, expected);
}

static inline uint64_t get_number(dpr_device *device, uint32_t key)
{
	uint64_t value = 0;
	size_t need;

	CHECK_OK(dpr_device_info(device, key, &value, sizeof(value), &need));
	return value;
}

/* Check that backend @name came to @stage, and that its report contains
   @part. */
static inline void check_report(const char *name, enum dpr_plugin_stage stage,
				const char *part)
{
	dpr_plugin_report *list = NULL;
	size_t n, i;

	CHECK_OK(dpr_plugins(1, &list, &n));
	for (i = 0; i < n; i++)
		if (!strcmp(list[i].name, name))
			break;
	ck_assert_msg(i < n, "the plugin was not found");
	ck_assert_msg(list[i].stage == stage, "%s: %s",
		      dpr_plugin_stage_name(list[i].stage), list[i].text);
	ck_assert_msg(strstr(list[i].text, part) != NULL, "no \"%s\" in: %s",
		      part, list[i].text);
	if (stage == DPR_PLUGIN_ABSENT)
		ck_assert_msg(*list[i].advice, "no advice");
	dpr_free(list);
}

#endif
