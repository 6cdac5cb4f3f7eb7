/* SPDX-License-Identifier: Apache-2.0 */
/* host_path_test.h - mock plugins that do not accept ordinary host memory. */
#ifndef TESTS_HOST_PATH_TEST_H
#define TESTS_HOST_PATH_TEST_H

#include "tests/support/runtime_test.h"

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)
#define CHUNK (4 * MIB)
#define LARGE (6 * CHUNK + 12345)
#define GUARD 64

static unsigned char *bytes, *back;

/* Modes of a test: mocks import memory, the queue is out of order, transfers
   have events. */
enum { IMPORTS = 1, UNORDERED = 2, EVENTS = 4, ALL_MODES = 8 };

static inline void fill_bytes(unsigned char *to, size_t n, unsigned seed)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (unsigned char)(seed + i * 7 + (i >> 8) + (i >> 16));
}

/* Start both mocks.  They accept only host memory that they allocated or, with
   IMPORTS, imported. */
static inline void start(int mode)
{
	setenv("DPR_OPTION_MOCK_PAGEABLE", "0", 1);
	setenv("DPR_OPTION_MOCK2_PAGEABLE", "0", 1);
	if (!(mode & IMPORTS)) {
		setenv("DPR_OPTION_MOCK_KINDS", "device,shared,host", 1);
		setenv("DPR_OPTION_MOCK2_KINDS", "device,shared,host", 1);
	}
	start_mocks();
	bytes = malloc(LARGE + 2 * GUARD);
	back = malloc(LARGE + 2 * GUARD);
	ck_assert(bytes && back);
	fill_bytes(bytes, LARGE + 2 * GUARD, 0);
}

/* Check that nothing is left and no rule of the ABI was broken. */
static inline void finish(void)
{
	ck_assert_uint_eq(mock->violations(), 0);
	ck_assert_uint_eq(mock2->violations(), 0);
	CHECK_OK(dpr_finalize());
	for (int i = 0; i < MOCK_N_OBJECTS; i++) {
		ck_assert_uint_eq(mock->live((enum mock_object)i), 0);
		ck_assert_uint_eq(mock2->live((enum mock_object)i), 0);
	}
	ck_assert_uint_eq(mock->bytes(), 0);
	free(bytes);
	free(back);
}

static inline dpr_queue *new_queue(int mode)
{
	dpr_queue *queue;

	CHECK_OK(dpr_queue_create(dpr_queue_device(q1),
				  mode & UNORDERED ? DPR_QUEUE_OUT_OF_ORDER : 0,
				  &queue));
	return queue;
}

static inline void end(dpr_event *event)
{
	CHECK_OK(dpr_event_wait(event));
	dpr_event_release(event);
}

static inline void put(dpr_queue *queue, dpr_usm *usm, size_t offset,
		       const void *from, size_t size, int mode)
{
	dpr_event *done = NULL;

	CHECK_OK(dpr_usm_write(queue, usm, offset, from, size, NULL,
			       mode & EVENTS ? &done : NULL));
	if (done)
		end(done);
}

static inline void get(dpr_queue *queue, void *to, dpr_usm *usm, size_t offset,
		       size_t size, int mode)
{
	dpr_event *done = NULL;

	CHECK_OK(dpr_usm_read(queue, to, usm, offset, size, NULL,
			      mode & EVENTS ? &done : NULL));
	if (done)
		end(done);
}

#endif
