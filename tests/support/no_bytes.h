/* SPDX-License-Identifier: Apache-2.0 */
/* no_bytes.h - operations on 0 bytes, which the tests of several backends
   carry out. */
#ifndef TESTS_NO_BYTES_H
#define TESTS_NO_BYTES_H

#include <dpr/event.h>
#include <dpr/usm.h>

#include "tests/support/devices.h"

#define NO_BYTES_OPERATIONS 5

/* Carry out operation @which on 0 bytes of @a and @b, which may be the same. */
static inline dpr_status no_bytes_do(int which, dpr_queue *queue, dpr_usm *a,
				     dpr_usm *b, const dpr_events *after,
				     dpr_event **done)
{
	switch (which) {
	case 0: return dpr_usm_copy(queue, a, 0, b, 0, 0, after, done);
	case 1: return dpr_usm_write(queue, a, 0, NULL, 0, after, done);
	case 2: return dpr_usm_read(queue, NULL, a, 0, 0, after, done);
	case 3: return dpr_usm_fill(queue, a, 0, NULL, 4, 0, after, done);
	default: return dpr_usm_prefetch(queue, a, 0, 0, after, done);
	}
}

/* Carry out each operation on 0 bytes of @usm, which has 100, and see that the
   events complete and the bytes stay. */
static inline void no_bytes_on(dpr_queue *queue, dpr_usm *usm)
{
	static const char *const names[] = { "copy", "write", "read", "fill",
					     "prefetch" };
	dpr_event *done[NO_BYTES_OPERATIONS], *before;
	unsigned char want[100], have[100];
	int i;

	for (i = 0; i < 100; i++)
		want[i] = (unsigned char)(3 * i + 1);
	CHECK_OK(dpr_usm_write(queue, usm, 0, want, 100, NULL, &before));
	for (i = 0; i < NO_BYTES_OPERATIONS; i++) {
		CHECK_OK(no_bytes_do(i, queue, usm, usm,
				     DPR_AFTER(i ? done[i - 1] : before),
				     &done[i]));
		ck_assert_str_eq(dpr_event_name(done[i]), names[i]);
	}
	CHECK_OK(dpr_event_wait(done[NO_BYTES_OPERATIONS - 1]));
	ck_assert_int_eq(dpr_event_get_state(before), DPR_EVENT_COMPLETE);
	for (i = 0; i < NO_BYTES_OPERATIONS; i++) {
		ck_assert_int_eq(dpr_event_get_state(done[i]),
				 DPR_EVENT_COMPLETE);
		dpr_event_release(done[i]);
		CHECK_OK(no_bytes_do(i, queue, usm, usm, DPR_AFTER(before),
				     NULL));
		CHECK_OK(no_bytes_do(i, queue, usm, usm, NULL, NULL));
	}
	dpr_event_release(before);
	CHECK_OK(dpr_usm_advise(queue, usm, 100, 0, DPR_ADVICE_NONE));
	CHECK_OK(dpr_usm_fill(queue, usm, 100, "x", 1, 0, NULL, NULL));
	CHECK_OK(dpr_usm_read(queue, have, usm, 0, 100, NULL, NULL));
	ck_assert_mem_eq(have, want, 100);
	CHECK_OK(dpr_queue_wait(queue));
}

#endif
