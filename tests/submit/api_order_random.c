/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_order_random.c - random work on many queues of two backends, compared
 * with a model that does the same work one after the other.
 *
 * In-order and out-of-order queues share allocations and write to parts that
 * overlap; the mocks delay and reorder commands where allowed.  A read must
 * return what the model had when the read was submitted.  The seed is printed;
 * DPR_TEST_SEED=number repeats a run.
 */
#include <time.h>

#include "tests/support/runtime_test.h"

#include "tests/support/random.h"

#define WORDS 96 /* ints in an allocation */
#define SLOTS 10 /* allocations at one time */
#define EVENTS 24
#define PENDING 64
#define QUEUES 65 /* at most 64, and one more of mock2 */

struct slot {
	dpr_usm *usm;
	int side; /* 0: mock, 1: mock2 */
	int model[WORDS];
};

/* A transfer that uses host memory until its event completes. */
struct pending {
	dpr_event *done;
	int is_read;
	size_t n;
	int host[WORDS], expected[WORDS];
};

static struct random rng;
static uint64_t operation; /* number of the current operation */
static dpr_queue *queues[QUEUES];
static int side_of[QUEUES], n_queues;
static struct slot slots[SLOTS];
static dpr_event *events[EVENTS]; /* some events of earlier work, or NULL */
static struct pending pending[PENDING];
static size_t n_pending;
static dpr_kernel *kernels[2][5];
static int injects; /* refuse a submission now and then */

enum { ADD_ONE, COPY, FILL_INDEX, STORE, FAIL };
static const char *const kernel_names[] = { "add_one", "copy", "fill_index",
					    "store", "fail" };

static int below(int n)
{
	return (int)random_between(&rng, 0, n - 1);
}

static int chance(int percent)
{
	return below(100) < percent;
}

static void check_words(const int *got, const int *expected, size_t n,
			const char *what)
{
	size_t i;

	for (i = 0; i < n; i++)
		ck_assert_msg(got[i] == expected[i],
			      "operation %llu: %s: word %zu is %d, not %d",
			      (unsigned long long)operation, what, i, got[i],
			      expected[i]);
}

static dpr_queue *any_queue(int side)
{
	int i;

	do
		i = below(n_queues);
	while (side_of[i] != side);
	return queues[i];
}

/* A part of an allocation. */
struct part {
	struct slot *slot;
	size_t at, n;
};

static struct part any_part(void)
{
	struct part part = { &slots[below(SLOTS)], (size_t)below(WORDS), 0 };

	part.n = 1 + (size_t)below((int)(WORDS - part.at));
	return part;
}

/* Events to wait for in addition to the order of the allocations: mostly
   none. */
static const dpr_events *any_after(void)
{
	static dpr_event *list[3];
	static dpr_events after;
	int i;

	if (injects || !chance(10))
		return NULL;
	after = (dpr_events){ .list = list, .count = 0 };
	for (i = 1 + below(3); i > 0; i--)
		list[after.count++] = events[below(EVENTS)];
	return &after;
}

static dpr_event *event;

/* Choose whether a call stores an event: returns &event, or mostly NULL. */
static dpr_event **any_done(void)
{
	event = NULL;
	return chance(15) ? &event : NULL;
}

static void keep_event(void)
{
	int i = below(EVENTS);

	if (!event)
		return;
	dpr_event_release(events[i]);
	events[i] = event;
	event = NULL;
}

/* Launch.  Returns 0 if the launch was refused on purpose. */
static int launch(struct slot *slot, int kernel, const dpr_arg *args, size_t n,
		  uint64_t items)
{
	dpr_queue *queue = any_queue(slot->side);
	const struct mock_control *control = slot->side ? mock2 : mock;
	int refused = injects && chance(3);
	dpr_status status;

	if (refused)
		control->fail(MOCK_queue_launch, 1, 1, DPR_RC_INVALID, -7);
	status = dpr_kernel_launch_usm(queue, kernels[slot->side][kernel],
				       DPR_RANGE1(items), any_after(),
				       any_done(), args, n);
	if (!refused)
		CHECK_OK(status);
	else
		ck_assert_int_ne(status, DPR_OK);
	keep_event();
	return !refused;
}

static void do_add_one(void)
{
	struct part to = any_part();
	dpr_arg args[] = { DPR_USM_READ_WRITE(to.slot->usm, to.at * 4),
			   DPR_ARG((uint64_t)to.n) };
	size_t i;

	if (!launch(to.slot, ADD_ONE, args, 2, to.n))
		return;
	for (i = 0; i < to.n; i++)
		to.slot->model[to.at + i]++;
}

static void do_fill_index(void)
{
	struct part to = any_part();
	dpr_arg args[] = { DPR_USM_READ_WRITE(to.slot->usm, to.at * 4),
			   DPR_ARG((uint64_t)to.n) };
	size_t i;

	if (!launch(to.slot, FILL_INDEX, args, 2, to.n))
		return;
	for (i = 0; i < to.n; i++)
		to.slot->model[to.at + i] = (int)i;
}

static void do_store(void)
{
	struct part to = any_part();
	struct {
		long index;
		int value, pad;
	} store = { (long)to.n - 1, below(1000), 0 };
	dpr_arg args[] = { DPR_USM_READ_WRITE(to.slot->usm, to.at * 4),
			   dpr_arg_bytes(&store, sizeof(store)) };

	if (launch(to.slot, STORE, args, 2, 1))
		to.slot->model[to.at + to.n - 1] = store.value;
}

/* Choose two parts of the same size that do not overlap, on one backend if
   @near. Returns 0 if that failed. */
static int two_parts(struct part *to, struct part *from, int near)
{
	*to = any_part();
	*from = any_part();
	if (near && to->slot->side != from->slot->side)
		return 0;
	if (from->n < to->n)
		to->n = from->n;
	from->n = to->n;
	return to->slot != from->slot || to->at >= from->at + from->n ||
	       from->at >= to->at + to->n;
}

static void copy_model(struct part to, struct part from)
{
	memmove(to.slot->model + to.at, from.slot->model + from.at, to.n * 4);
}

static void do_copy_kernel(void)
{
	struct part to, from;

	if (!two_parts(&to, &from, 1))
		return;
	{
		dpr_arg args[] = { DPR_USM_READ_WRITE(to.slot->usm, to.at * 4),
				   DPR_USM_READ(from.slot->usm, from.at * 4),
				   DPR_ARG((uint64_t)to.n) };

		if (launch(to.slot, COPY, args, 3, to.n))
			copy_model(to, from);
	}
}

static void do_copy(int near)
{
	struct part to, from;

	if (!two_parts(&to, &from, near))
		return;
	CHECK_OK(dpr_usm_copy(
		any_queue(chance(50) ? to.slot->side : from.slot->side),
		to.slot->usm, to.at * 4, from.slot->usm, from.at * 4, to.n * 4,
		any_after(), any_done()));
	keep_event();
	copy_model(to, from);
}

static void do_fill(void)
{
	struct part to = any_part();
	int value = below(1000);
	size_t i;

	CHECK_OK(dpr_usm_fill(any_queue(to.slot->side), to.slot->usm, to.at * 4,
			      &value, 4, to.n * 4, any_after(), any_done()));
	keep_event();
	for (i = 0; i < to.n; i++)
		to.slot->model[to.at + i] = value;
}

static void finish_pending(void)
{
	size_t i;

	for (i = 0; i < n_pending; i++) {
		CHECK_OK(dpr_event_wait(pending[i].done));
		dpr_event_release(pending[i].done);
		if (pending[i].is_read)
			check_words(pending[i].host, pending[i].expected,
				    pending[i].n, "read with an event");
	}
	n_pending = 0;
}

static void do_read(void)
{
	struct part from = any_part();
	dpr_queue *queue = any_queue(from.slot->side);
	const int *expected = from.slot->model + from.at;
	struct pending *p = &pending[n_pending];
	int host[WORDS];

	if (chance(80)) {
		if (n_pending == PENDING)
			finish_pending();
		p = &pending[n_pending++];
		p->is_read = 1;
		p->n = from.n;
		memcpy(p->expected, expected, from.n * 4);
		CHECK_OK(dpr_usm_read(queue, p->host, from.slot->usm,
				      from.at * 4, from.n * 4, any_after(),
				      &p->done));
		return;
	}
	CHECK_OK(dpr_usm_read(queue, host, from.slot->usm, from.at * 4,
			      from.n * 4, any_after(), NULL));
	check_words(host, expected, from.n, "read");
}

static void do_write(void)
{
	struct part to = any_part();
	dpr_queue *queue = any_queue(to.slot->side);
	int host[WORDS], *from = host;
	struct pending *p = NULL;
	size_t i;

	if (chance(60)) {
		if (n_pending == PENDING)
			finish_pending();
		p = &pending[n_pending++];
		p->is_read = 0;
		from = p->host;
	}
	for (i = 0; i < to.n; i++)
		from[i] = to.slot->model[to.at + i] = below(1000);
	CHECK_OK(dpr_usm_write(queue, to.slot->usm, to.at * 4, from, to.n * 4,
			       any_after(), p ? &p->done : NULL));
}

/* Replace the allocation by a new one.  The new allocation may get memory that
   work still uses. */
static void renew(struct slot *slot)
{
	static const dpr_usm_kind kinds[] = { DPR_USM_DEVICE, DPR_USM_SHARED,
					      DPR_USM_HOST };
	int value = below(1000), i;

	dpr_usm_release(slot->usm);
	slot->side = chance(25);
	slot->usm = new_usm(any_queue(slot->side), kinds[below(3)], WORDS * 4);
	CHECK_OK(dpr_usm_fill(any_queue(slot->side), slot->usm, 0, &value, 4,
			      WORDS * 4, NULL, NULL));
	for (i = 0; i < WORDS; i++)
		slot->model[i] = value;
}

static void do_barrier(void)
{
	CHECK_OK(dpr_queue_barrier(queues[below(n_queues)], any_after(),
				   any_done()));
	keep_event();
}

static void do_delay(void)
{
	const struct mock_control *control = chance(25) ? mock2 : mock;

	control->delay(chance(70) ? 0 : (uint64_t)below(400) * 1000);
}

/* Let a command fail that no other work depends on.  All other work is done,
   and the queue reports the failure here, so it spoils nothing. */
static void fail_one(void)
{
	dpr_event *failed;
	int i = below(n_queues);

	CHECK_OK(dpr_kernel_launch_usm(queues[i], kernels[side_of[i]][FAIL],
				       DPR_RANGE1(1), NULL, &failed, NULL, 0));
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_event_wait(failed));
	dpr_event_release(failed);
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_queue_wait(queues[i]));
}

static void wait_all(void)
{
	int host[WORDS], i;

	finish_pending();
	for (i = 0; i < n_queues; i++)
		CHECK_OK(dpr_queue_wait(queues[i]));
	for (i = 0; i < SLOTS; i++) {
		CHECK_OK(dpr_usm_read(any_queue(slots[i].side), host,
				      slots[i].usm, 0, sizeof(host), NULL,
				      NULL));
		check_words(host, slots[i].model, WORDS, "in the end");
	}
	if (chance(50))
		fail_one();
}

static void step(void)
{
	int what = below(1000);

	if (what < 300)
		do_add_one();
	else if (what < 380)
		do_fill_index();
	else if (what < 440)
		do_store();
	else if (what < 560)
		do_copy_kernel();
	else if (what < 660)
		do_copy(1);
	else if (what < 670)
		do_copy(injects);
	else if (what < 740)
		do_fill();
	else if (what < 820)
		do_read();
	else if (what < 890)
		do_write();
	else if (what < 940)
		renew(&slots[below(SLOTS)]);
	else if (what < 960)
		do_barrier();
	else if (what < 990)
		do_delay();
	else if (what == 999 && chance(40))
		wait_all();
}

static void open_queues(int n)
{
	int i, k;

	n_queues = n;
	for (i = 0; i < n; i++) {
		/* Every fourth queue, and the last one, belong to the other
		   backend; every second queue is out of order. */
		side_of[i] = i % 4 == 3 || i == n - 1;
		if (i < 1 || i == n - 1) {
			queues[i] = side_of[i] ? q2 : q1;
			continue;
		}
		CHECK_OK(dpr_queue_create(
			dpr_queue_device(side_of[i] ? q2 : q1),
			i % 2 ? DPR_QUEUE_OUT_OF_ORDER : 0, &queues[i]));
	}
	for (i = 0; i < 2; i++)
		for (k = 0; k < 5; k++)
			kernels[i][k] =
				mock_kernel(i ? q2 : q1, kernel_names[k]);
}

static void close_queues(void)
{
	int i, k;

	for (i = 0; i < EVENTS; i++)
		dpr_event_release(events[i]);
	for (i = 0; i < SLOTS; i++)
		dpr_usm_release(slots[i].usm);
	for (i = 1; i < n_queues - 1; i++)
		dpr_queue_release(queues[i]);
	for (i = 0; i < 2; i++)
		for (k = 0; k < 5; k++)
			dpr_kernel_release(kernels[i][k]);
}

static uint64_t seed;

static const struct {
	int queues, operations;
} rounds[] = { { 2, 40000 }, { 8, 40000 }, { 64, 20000 } };

/* Each round with and without refusals.  With refusals no submission may be
   held, as it could get the refusal meant for another. */
START_TEST(random_order)
{
	int n = rounds[_i / 2].operations / 2, i;

	if (getenv("DPR_TEST_SMALL"))
		n /= 10;
	rng.state = seed + (uint64_t)_i + 1;
	injects = _i % 2;
	open_queues(rounds[_i / 2].queues + 1);
	mock->reorder(1);
	mock2->reorder(1);
	for (i = 0; i < SLOTS; i++)
		renew(&slots[i]);
	for (operation = 1; operation <= (uint64_t)n; operation++)
		step();
	mock->delay(0);
	mock2->delay(0);
	wait_all();
	wait_all();
	close_queues();
	CHECK_OK(dpr_finalize());
	ck_assert_uint_eq(mock->live(MOCK_MEM), 0);
	ck_assert_uint_eq(mock->live(MOCK_EVENT), 0);
	ck_assert_uint_eq(mock2->live(MOCK_EVENT), 0);
}
END_TEST

int main(void)
{
	const char *given = getenv("DPR_TEST_SEED");
	Suite *suite = suite_create("random order");
	TCase *tcase = tcase_create("random order");
	SRunner *runner = srunner_create(suite);
	int failed;

	seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
	printf("DPR_TEST_SEED=%llu\n", (unsigned long long)seed);
	fflush(stdout);
	tcase_add_checked_fixture(tcase, start_mocks, NULL);
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, random_order, 0,
			    2 * (int)(sizeof(rounds) / sizeof(rounds[0])));
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
