/* SPDX-License-Identifier: Apache-2.0 */
/* unit_host_path_faults.c - host memory that a plugin does not accept directly,
   with each allocation and call failing in turn. */
#include "tests/support/faults.h"

#define SIZE ((size_t)600 << 10) /* three pieces */

static unsigned char to[SIZE], from[SIZE];

static dpr_status wait_for(dpr_status status, dpr_event *done)
{
	MADE(status, done);
	if (!status)
		status = dpr_event_wait(done);
	dpr_event_release(done);
	return status;
}

/* Write @size bytes, read them back, and compare. */
static dpr_status move(dpr_queue *queue, size_t size, bool events)
{
	dpr_event *done = NULL;
	dpr_usm *made = NULL;
	dpr_status status;

	memset(to, 0, size);
	for (size_t i = 0; i < size; i++)
		from[i] = (unsigned char)(i * 3 + i / 1000);
	status = dpr_usm_alloc(queue, DPR_USM_DEVICE, size + 4, &made);
	if (!status)
		status = dpr_usm_write(queue, made, 4, from, size, NULL,
				       events ? &done : NULL);
	if (events && made)
		status = wait_for(status, done);
	done = NULL;
	if (!status) {
		status = dpr_usm_read(queue, to, made, 4, size, NULL,
				      events ? &done : NULL);
		if (events)
			status = wait_for(status, done);
	}
	if (!status)
		ck_assert_int_eq(memcmp(to, from, size), 0);
	dpr_usm_release(made);
	return status;
}

static dpr_status try_large(void)
{
	return move(q1, SIZE, false);
}

static dpr_status try_large_later(void)
{
	return move(other, SIZE, true);
}

static dpr_status try_small(void)
{
	return move(q1, 100, false);
}

static dpr_status try_small_later(void)
{
	return move(q1, 100, true);
}

/* mock2 imports pages.  It has no fill. */
static dpr_status try_import(void)
{
	static unsigned char pages[(6u << 20) + 4096], read[sizeof(pages)];
	dpr_usm *made;
	dpr_status status =
		dpr_usm_alloc(q2, DPR_USM_DEVICE, sizeof(pages), &made);

	pages[4096] = 1;
	pages[5u << 20] = 2;
	if (!status)
		status = dpr_usm_write(q2, made, 0, pages, sizeof(pages), NULL,
				       NULL);
	if (!status)
		status = dpr_usm_read(q2, read, made, 0, sizeof(read), NULL,
				      NULL);
	if (!status)
		ck_assert_int_eq(memcmp(read, pages, sizeof(pages)), 0);
	dpr_usm_release(made);
	return status;
}

static dpr_status try_fill(void)
{
	dpr_event *done = NULL;
	dpr_usm *made;
	dpr_status status = dpr_usm_alloc(q2, DPR_USM_DEVICE, SIZE, &made);

	if (status)
		return status;
	status = dpr_usm_fill(q2, made, 0, "abcd", 4, SIZE, NULL, &done);
	status = wait_for(status, done);
	if (!status)
		status = dpr_usm_read(q2, to, made, SIZE - 4, 4, NULL, NULL);
	if (!status)
		ck_assert_int_eq(memcmp(to, "abcd", 4), 0);
	dpr_usm_release(made);
	return status;
}

static dpr_status try_copy(void)
{
	dpr_array *moved, *again = NULL;
	dpr_status status =
		dpr_array_to_device(matrix, dpr_queue_device(q2), &moved);

	MADE(status, moved);
	if (!status)
		status = dpr_array_to_device(moved, dpr_queue_device(q1),
					     &again);
	if (!status) {
		int values[42];

		status = dpr_array_to_memory(again, values, sizeof(values),
					     NULL);
		for (int i = 0; !status && i < 42; i++)
			ck_assert_int_eq(values[i], i);
	}
	dpr_array_release(moved);
	dpr_array_release(again);
	return status;
}

static const struct attempt list[] = {
	{ "large", try_large },   { "large later", try_large_later },
	{ "small", try_small },   { "small later", try_small_later },
	{ "import", try_import }, { "fill", try_fill },
	{ "copy", try_copy },
};

int main(void)
{
	setenv("DPR_OPTION_MOCK_PAGEABLE", "0", 1);
	setenv("DPR_OPTION_MOCK_KINDS", "device,shared,host", 1);
	setenv("DPR_OPTION_MOCK2_PAGEABLE", "0", 1);
	setenv("DPR_OPTION_MOCK2_OPTIONAL", "0", 1);
	return run_faults(list, sizeof(list) / sizeof(list[0]), NULL);
}
