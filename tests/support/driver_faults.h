/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver_faults.h - attempts, which are repeated until each of their calls of a
 * software driver has failed once.  A backend's test names the driver, and adds
 * attempts of its own.
 */
#ifndef TESTS_DRIVER_FAULTS_H
#define TESTS_DRIVER_FAULTS_H

#include "tests/support/driver_test.h"

/* More calls of the driver than any attempt makes. */
#define MOST_CALLS 600
/* How late work begins: long after the call that has failed. */
#define LATE_US 1000

/* The driver whose calls fail. */
struct faulty_driver {
	const char *near, *far; /* selectors of two devices */
	int codes[2];           /* an unknown error; out of device memory */
	/* Let the @n-th call from now on fail with @code; @n 0: none. */
	void (*fail)(uint64_t n, int code);
	/* The name of the call that has failed since fail(), or NULL. */
	const char *(*failed)(void);
	/* Let work submitted from now on begin so much later.  NULL: the
	   driver has a command and its event in one call. */
	void (*delay)(int us);
	bool again; /* after each failure the attempt must work at once */
};

struct attempt {
	const char *name;
	dpr_status (*run)(void);
};

static dpr_queue *queue, *far_queue;
static dpr_usm *usm, *far_usm;

/* Wait for the event of a submission that has returned @status, if it
   succeeded. */
static inline dpr_status finish(dpr_status status, dpr_event *done)
{
	ck_assert_msg(!status == (done != NULL), "%s but the event is %p",
		      dpr_status_name(status), (void *)done);
	if (!status)
		status = dpr_event_wait(done);
	dpr_event_release(done);
	return status;
}

/* --- Attempts --- */

static inline dpr_status try_queue(void)
{
	dpr_queue *made;
	dpr_status status = dpr_queue_create(
		dpr_queue_device(queue),
		DPR_QUEUE_OUT_OF_ORDER | DPR_QUEUE_PROFILING, &made);

	if (!status)
		status = dpr_usm_fill(made, usm, 0, "\7\0\0", 4, 4, NULL, NULL);
	if (!status)
		status = dpr_queue_barrier(made, NULL, NULL);
	if (!status)
		status = dpr_queue_wait(made);
	dpr_queue_release(made);
	return status;
}

static inline dpr_status try_alloc(void)
{
	dpr_status status = DPR_OK;
	dpr_usm *made;
	int kind;

	for (kind = 1; kind <= 3 && !status; kind++) {
		status = dpr_usm_alloc(queue, (dpr_usm_kind)kind, 5 << 20,
				       &made);
		ck_assert(!status == (made != NULL));
		dpr_usm_release(made);
	}
	return status;
}

static inline dpr_status try_fill(void)
{
	dpr_event *done;
	dpr_status status =
		dpr_usm_fill(queue, usm, 0, "123456789", 9, 36, NULL, &done);

	return finish(status, done);
}

static inline dpr_status try_peer_copy(void)
{
	dpr_event *done;
	dpr_status status =
		dpr_usm_copy(far_queue, far_usm, 0, usm, 0, 32, NULL, &done);

	return finish(status, done);
}

/* Read elements by indices: kernels clip the indices, and then read. */
static inline dpr_status try_take(void)
{
	dpr_array *x = NULL, *at = NULL, *out = NULL;
	dpr_status status =
		dpr_array_over(usm, 0, DPR_SHAPE(16), NULL, DPR_INT32, &x);

	if (!status)
		status = dpr_array_over(usm, 16, DPR_SHAPE(4, 4), NULL,
					DPR_UINT32, &at);
	if (!status)
		status = dpr_take(x, at, 0, DPR_BOUNDS_CLIP, &out);
	ck_assert(status || out);
	if (!status)
		status = dpr_queue_wait(queue);
	dpr_array_release(out);
	dpr_array_release(at);
	dpr_array_release(x);
	return status;
}

/* Submit work to a part of the device; @status is the status of the
   partition. */
static inline dpr_status try_on_part(dpr_status status, dpr_device *part)
{
	dpr_queue *made = NULL;

	if (!status)
		status = dpr_queue_create(part, 0, &made);
	if (!status)
		status = dpr_usm_fill(made, usm, 0, "\7\0\0", 4, 4, NULL, NULL);
	if (!status)
		status = dpr_queue_wait(made);
	dpr_queue_release(made);
	return status;
}

/* --- Each call fails --- */

static inline void faults_begin(const struct faulty_driver *driver)
{
	queue = new_queue(get_device(driver->near), 0);
	far_queue = new_queue(get_device(driver->far), 0);
	usm = new_ints(queue, DPR_USM_DEVICE, 64, 1);
	far_usm = new_ints(far_queue, DPR_USM_DEVICE, 64, 1);
}

static inline void faults_end(void)
{
	dpr_usm_release(usm);
	dpr_usm_release(far_usm);
	dpr_queue_release(queue);
	dpr_queue_release(far_queue);
}

/* Let all calls succeed again.  Each earlier failure is reported once; after
   that, all must work with new memory, and no earlier work may write to it. */
static inline void faults_calm(const struct faulty_driver *driver,
			       const char *name)
{
	dpr_queue *list[2] = { queue, far_queue };
	int i, tries;

	driver->fail(0, 0);
	for (i = 0; i < 2; i++) {
		for (tries = 20; tries; tries--)
			if (!dpr_queue_wait(list[i]))
				break;
		ck_assert_msg(tries, "%s: %s still fails after 20 waits: %s",
			      name, dpr_queue_name(list[i]), dpr_last_error());
	}
	dpr_usm_release(usm);
	dpr_usm_release(far_usm);
	usm = new_ints(queue, DPR_USM_DEVICE, 64, 1);
	far_usm = new_ints(far_queue, DPR_USM_DEVICE, 64, 1);
	CHECK_OK(dpr_queue_wait(queue));
	CHECK_OK(dpr_queue_wait(far_queue));
	if (driver->delay)
		usleep(2 * LATE_US);
	ck_assert_int_eq(get_int(queue, usm, 0), 1);
	ck_assert_int_eq(get_int(far_queue, far_usm, 0), 1);
}

/* Run an attempt without a failure. */
static inline void faults_succeed(const struct attempt *attempt)
{
	dpr_status status = attempt->run();

	ck_assert_msg(!status, "%s: %s", attempt->name, dpr_last_error());
}

/* Run an attempt whose @n-th call fails; returns whether it made that call. */
static inline bool faults_try(const struct faulty_driver *driver,
			      const struct attempt *attempt, uint64_t n,
			      int code)
{
	const char *failed;
	dpr_status status;

	driver->fail(n, code);
	if (driver->delay)
		driver->delay(LATE_US);
	status = attempt->run();
	if (driver->delay)
		driver->delay(0);
	failed = driver->failed();
	if (status)
		ck_assert_msg(failed && *dpr_last_error() &&
				      !strstr(dpr_last_error(), "(null)"),
			      "%s, call %d (%s): %s: %s", attempt->name, (int)n,
			      failed ? failed : "none", dpr_status_name(status),
			      dpr_last_error());
	faults_calm(driver, attempt->name);
	if (driver->again)
		faults_succeed(attempt);
	return failed != NULL;
}

/* Run an attempt with each of its calls failing, with each code; then without a
   failure. */
static inline void faults_try_all(const struct faulty_driver *driver,
				  const struct attempt *attempt)
{
	uint64_t n;
	int c;

	for (c = 0; c < 2; c++) {
		for (n = 1; n < MOST_CALLS; n++)
			if (!faults_try(driver, attempt, n, driver->codes[c]))
				break;
		ck_assert_uint_lt(n, MOST_CALLS);
	}
	faults_succeed(attempt);
}

#endif
