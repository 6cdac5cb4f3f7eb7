/* SPDX-License-Identifier: Apache-2.0 */
/* api_cuda_order.c - queues and events of the CUDA backend, on streams whose
   work the mock runs in any order that is allowed. */
#include <pthread.h>

#include "tests/cuda/cuda_api.h"
#include "tests/support/random.h"

#define QUEUES 5
#define CELLS 12
#define STEPS 3000

static dpr_queue *queues[QUEUES];
static dpr_kernel *mixes[QUEUES];
static dpr_usm *cells[CELLS];
static uint32_t model[CELLS];

static void open_queues(void)
{
	dpr_device *device = get_device("cuda:0"), *parts[2];
	size_t n, i;

	CHECK_OK(dpr_device_partition_equally(device, 64, parts, 2, &n));
	ck_assert_uint_eq(n, 2);
	queues[0] = new_queue(device, 0);
	queues[1] = new_queue(device, DPR_QUEUE_OUT_OF_ORDER);
	queues[2] = new_queue(device, DPR_QUEUE_PROFILING);
	queues[3] = new_queue(parts[0], 0);
	queues[4] = new_queue(parts[1], DPR_QUEUE_OUT_OF_ORDER);
	for (i = 0; i < QUEUES; i++)
		mixes[i] = new_kernel(queues[i], "mix");
	for (i = 0; i < CELLS; i++) {
		cells[i] =
			new_ints(queues[i % QUEUES], DPR_USM_DEVICE, 4, (int)i);
		model[i] = (uint32_t)i;
	}
}

static void close_queues(void)
{
	size_t i;

	for (i = 0; i < CELLS; i++)
		dpr_usm_release(cells[i]);
	for (i = 0; i < QUEUES; i++) {
		dpr_kernel_release(mixes[i]);
		dpr_queue_release(queues[i]);
	}
	finish_all();
}

/* Submit one operation on random cells, and do the same in the model. */
static void step(struct random *seed)
{
	size_t q = random_next(seed) % QUEUES, to = random_next(seed) % CELLS;
	size_t from = random_next(seed) % CELLS;
	uint32_t value = (uint32_t)random_next(seed) % 1000;

	switch (random_next(seed) % 8) {
	case 0:
		if (from == to)
			break;
		CHECK_OK(dpr_usm_copy(queues[q], cells[to], 0, cells[from], 0,
				      4, NULL, NULL));
		model[to] = model[from];
		break;
	case 1:
		CHECK_OK(dpr_usm_fill(queues[q], cells[to], 0, &value, 4, 4,
				      NULL, NULL));
		model[to] = value;
		break;
	case 2: CHECK_OK(dpr_queue_barrier(queues[q], NULL, NULL)); break;
	default:
		launch(queues[q], mixes[q], cells[to], value);
		model[to] = model[to] * 3 + value;
	}
}

static void compare(enum cumock_order order, int workers, uint64_t seed)
{
	struct random numbers = { seed };
	int i;

	mock->settings->order = order;
	mock->settings->workers = workers;
	use_backends(NULL);
	open_queues();
	for (i = 0; i < STEPS; i++) {
		/* Let work pile up, so that the mock can choose the order. */
		if (i % 50 == 0)
			mock->hold(i % 100 == 0);
		step(&numbers);
	}
	mock->hold(false);
	for (i = 0; i < CELLS; i++)
		ck_assert_msg(
			(uint32_t)get_int(queues[0], cells[i], 0) == model[i],
			"cell %d is %u, not %u", i,
			(uint32_t)get_int(queues[0], cells[i], 0), model[i]);
	close_queues();
}

START_TEST(reversed_streams)
{
	compare(CUMOCK_NEWEST, 1, 1);
}
END_TEST

START_TEST(random_streams)
{
	compare(CUMOCK_RANDOM, 3, 2);
}
END_TEST

/* On an out-of-order queue, only the barriers order these launches: their
   memory is passed as a plain address, of which the core knows nothing. */
START_TEST(barriers_of_an_unordered_queue)
{
	enum { ROUNDS = 8, EACH = 4 };
	uint64_t address;
	dpr_kernel *append;
	dpr_queue *queue;
	dpr_usm *list;
	uint32_t i;

	mock->settings->order = CUMOCK_NEWEST;
	use_backends(NULL);
	queue = new_queue(get_device("cuda:0"), DPR_QUEUE_OUT_OF_ORDER);
	append = new_kernel(queue, "append");
	list = new_ints(queue, DPR_USM_DEVICE, 1 + ROUNDS * EACH, 0);
	address = (uint64_t)(uintptr_t)dpr_usm_address(list);
	CHECK_OK(dpr_queue_wait(queue));
	mock->hold(true);
	for (i = 0; i < ROUNDS * EACH; i++) {
		dpr_arg args[2] = { DPR_ARG(address), DPR_ARG(i / EACH) };

		CHECK_OK(dpr_kernel_launch_usm(queue, append, DPR_RANGE1(1),
					       NULL, NULL, args, 2));
		if (i % EACH == EACH - 1)
			CHECK_OK(dpr_queue_barrier(queue, NULL, NULL));
	}
	mock->hold(false);
	CHECK_OK(dpr_queue_wait(queue));
	for (i = 0; i < ROUNDS * EACH; i++)
		ck_assert_int_eq(get_int(queue, list, 1 + i), (int)(i / EACH));
	dpr_usm_release(list);
	dpr_kernel_release(append);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

static int told;

static void tell(dpr_event *event, dpr_status status, void *user)
{
	(void)event;
	(void)status;
	__atomic_fetch_add((int *)user, 1, __ATOMIC_RELAXED);
}

START_TEST(waits_and_callbacks)
{
	dpr_event *events[20];
	dpr_kernel *mix;
	dpr_queue *queue;
	dpr_usm *usm;
	int i;

	use_backends(NULL);
	queue = new_queue(get_device("cuda:0"), 0);
	mix = new_kernel(queue, "mix");
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 0);
	CHECK_OK(dpr_queue_wait(queue));
	mock->hold(true);
	/* These are more than the plugin has streams for notifications. */
	for (i = 0; i < 20; i++) {
		CHECK_OK(try_launch(queue, mix, usm, 1, &events[i]));
		CHECK_OK(dpr_event_on_end(events[i], tell, &told));
	}
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(events[0], 0));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_event_wait_for(events[19], 2000000));
	CHECK_FAILS(DPR_ERROR_TIMEOUT, dpr_queue_wait_for(queue, 1000000));
	ck_assert_int_eq(__atomic_load_n(&told, __ATOMIC_RELAXED), 0);
	mock->hold(false);
	CHECK_OK(dpr_event_wait(events[19]));
	for (i = 0; i < 5000 && __atomic_load_n(&told, __ATOMIC_RELAXED) < 20;
	     i++)
		usleep(1000);
	ck_assert_int_eq(__atomic_load_n(&told, __ATOMIC_RELAXED), 20);
	for (i = 0; i < 20; i++)
		dpr_event_release(events[i]);
	dpr_kernel_release(mix);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

/* The driver reports the end of the work, so the core need not ask for it.  The
   host function is not on the queue's own stream, where it would delay later
   work. */
START_TEST(a_callback_by_notice)
{
	uintptr_t stream;
	dpr_event *done;
	dpr_kernel *mix;
	dpr_queue *queue;
	dpr_usm *usm;
	uint64_t ran;
	int i, once = 0;

	use_backends(NULL);
	queue = new_queue(get_device("cuda:0"), 0);
	mix = new_kernel(queue, "mix");
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 0);
	CHECK_OK(dpr_queue_wait(queue));
	ran = mock->launched();
	mock->forget_calls();
	mock->hold(true);
	CHECK_OK(try_launch(queue, mix, usm, 1, &done));
	CHECK_OK(dpr_event_on_end(done, tell, &once));
	for (i = 0; i < 5000 && !mock->calls("cuLaunchHostFunc"); i++)
		usleep(1000);
	ck_assert_uint_eq(mock->calls("cuLaunchHostFunc"), 1);
	CHECK_OK(dpr_queue_native(queue, &stream));
	ck_assert_uint_eq(mock->host_functions((void *)stream), 0);
	mock->hold(false);
	for (i = 0; i < 5000 && !__atomic_load_n(&once, __ATOMIC_RELAXED); i++)
		usleep(1000);
	ck_assert_int_eq(__atomic_load_n(&once, __ATOMIC_RELAXED), 1);
	/* Wait until the kernel and the notification have run. */
	for (i = 0; i < 5000 && mock->launched() < ran + 2; i++)
		usleep(1000);
	ck_assert_uint_eq(mock->launched(), ran + 2);
	dpr_event_release(done);
	dpr_kernel_release(mix);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

/* Code is loaded when a kernel is made.  So its first launch loads nothing, and
   need not wait for the device. */
START_TEST(a_first_launch_loads_nothing)
{
	dpr_kernel *mix, *chain;
	dpr_queue *queue;
	dpr_usm *usm;

	use_backends(NULL);
	queue = new_queue(get_device("cuda:0"), 0);
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 0);
	mock->forget_calls();
	mix = new_kernel(queue, "mix");
	ck_assert_uint_eq(mock->calls("cuKernelGetFunction"), 1);
	ck_assert_uint_eq(mock->calls("cuFuncLoad"), 1);
	/* Each kernel is loaded, not only the first one of its program. */
	chain = new_kernel(queue, "chain");
	ck_assert_uint_eq(mock->calls("cuFuncLoad"), 2);
	CHECK_OK(dpr_queue_wait(queue));
	mock->waits(NULL, 0);
	launch(queue, mix, usm, 1);
	launch(queue, chain, usm, 1);
	ck_assert_uint_eq(mock->waits(NULL, 0), 0);
	ck_assert_uint_eq(mock->calls("cuFuncLoad"), 2);
	CHECK_OK(dpr_queue_wait(queue));
	dpr_kernel_release(mix);
	dpr_kernel_release(chain);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

static uint64_t host_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Whether the times of a fill lie within the time that it took on the host. */
static bool times_are_right(dpr_queue *queue, dpr_usm *usm)
{
	uint64_t before = host_ns(), after;
	dpr_event *done;
	dpr_times times;

	CHECK_OK(dpr_usm_fill(queue, usm, 0, "\1\0\0", 4, 4, NULL, &done));
	CHECK_OK(dpr_event_wait(done));
	after = host_ns();
	CHECK_OK(dpr_event_times(done, &times));
	dpr_event_release(done);
	return times.started >= before &&
	       times.ended <= after + (after - before) / 2;
}

/* The clock of events runs fast by a tenth, so dpr must adjust it again and
   again.  If the device is slow to answer, dpr keeps the last adjustment for a
   while. */
START_TEST(times_stay_right)
{
	dpr_queue *queue;
	dpr_usm *usm;
	int round, i;

	mock->settings->drift = 100000;
	use_backends(NULL);
	queue = new_queue(get_device("cuda:0"), DPR_QUEUE_PROFILING);
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 0);
	for (round = 0; round < 3; round++) {
		usleep(300000);
		for (i = 0; i < 500 && !times_are_right(queue, usm); i++)
			usleep(1000);
		ck_assert_msg(i < 500, "round %d: the times are wrong", round);
	}
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

START_TEST(times_are_in_order)
{
	dpr_times first, second;
	dpr_event *events[2];
	dpr_queue *queue;
	dpr_usm *usm;
	int i;

	use_backends(NULL);
	queue = new_queue(get_device("cuda:0"), DPR_QUEUE_PROFILING);
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 0);
	for (i = 0; i < 2; i++)
		CHECK_OK(dpr_usm_fill(queue, usm, 0, &i, 4, 4, NULL,
				      &events[i]));
	CHECK_OK(dpr_event_wait(events[1]));
	CHECK_OK(dpr_event_times(events[0], &first));
	CHECK_OK(dpr_event_times(events[1], &second));
	ck_assert(first.queued <= first.started);
	ck_assert(first.started <= first.ended);
	ck_assert(second.queued <= second.started);
	ck_assert(second.started <= second.ended);
	ck_assert(first.ended <= second.ended);
	dpr_event_release(events[0]);
	dpr_event_release(events[1]);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

static void *let_go_later(void *unused)
{
	struct timespec some = { 0, 300000000 };

	(void)unused;
	nanosleep(&some, NULL);
	mock->hold(false);
	return NULL;
}

/* Make a kernel whose program shares its code with no other program. */
static dpr_kernel *new_kernel_of_its_own(dpr_queue *queue)
{
	char text[sizeof(test_ptx) + 64];
	dpr_image image = { "ptx", NULL, text, 0 };
	dpr_program *program = NULL;
	dpr_kernel *kernel = NULL;

	image.size = (size_t)snprintf(text, sizeof(text),
				      "%s.visible .entry more()\n{\nret;\n}\n",
				      test_ptx);
	CHECK_OK(dpr_program_from_images(queue, &image, 1, NULL, &program));
	CHECK_OK(dpr_kernel_create(program, "mix", &kernel));
	dpr_program_release(program);
	return kernel;
}

/* To unload code, the driver waits until the device is idle.  No launch may
   wait for this. */
START_TEST(launches_unload_nothing)
{
	enum { LAUNCHES = 300 };
	struct cumock_wait waits[64];
	dpr_kernel *mix, *old;
	pthread_t thread;
	dpr_queue *queue;
	dpr_usm *usm;
	size_t i, n;

	use_backends(NULL);
	queue = new_queue(get_device("cuda:0"), DPR_QUEUE_OUT_OF_ORDER);
	mix = new_kernel(queue, "mix");
	old = new_kernel_of_its_own(queue);
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 0);
	launch(queue, old, usm, 1);
	/* The library does not know yet that the kernel is no longer used. */
	dpr_kernel_release(old);
	while (mock->pending())
		usleep(1000);
	mock->waits(NULL, 0);
	mock->hold(true);
	ck_assert(!pthread_create(&thread, NULL, let_go_later, NULL));
	for (i = 0; i < LAUNCHES; i++)
		launch(queue, mix, usm, 1);
	n = mock->waits(waits, 64);
	for (i = 0; i < n && i < 64; i++)
		ck_assert_msg(waits[i].thread !=
				      (uint64_t)(uintptr_t)pthread_self(),
			      "a launch has waited in %s", waits[i].entry);
	pthread_join(thread, NULL);
	CHECK_OK(dpr_queue_wait(queue));
	dpr_kernel_release(mix);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

/* A wait with timeout 0 does not unload code either. */
START_TEST(looks_unload_nothing)
{
	struct cumock_wait waits[64];
	dpr_queue *queue, *busy;
	dpr_kernel *mix, *old;
	pthread_t thread;
	dpr_usm *usm;
	size_t i, n;

	use_backends(NULL);
	queue = new_queue(get_device("cuda:0"), DPR_QUEUE_OUT_OF_ORDER);
	busy = new_queue(get_device("cuda:0"), 0);
	mix = new_kernel(busy, "mix");
	old = new_kernel_of_its_own(queue);
	usm = new_ints(queue, DPR_USM_DEVICE, 4, 0);
	launch(queue, old, usm, 1);
	while (mock->pending())
		usleep(1000);
	/* The library does not know yet that the kernel is no longer used. */
	dpr_kernel_release(old);
	mock->waits(NULL, 0);
	mock->hold(true);
	launch(busy, mix, usm, 1);
	ck_assert(!pthread_create(&thread, NULL, let_go_later, NULL));
	/* The wait uses a marker, which takes some time. */
	while (dpr_queue_wait_for(queue, 0))
		usleep(1000);
	n = mock->waits(waits, 64);
	for (i = 0; i < n && i < 64; i++)
		ck_assert_msg(waits[i].thread !=
				      (uint64_t)(uintptr_t)pthread_self(),
			      "a look has waited in %s", waits[i].entry);
	pthread_join(thread, NULL);
	dpr_kernel_release(mix);
	dpr_usm_release(usm);
	dpr_queue_release(busy);
	dpr_queue_release(queue);
	finish_all();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		reversed_streams,
		random_streams,
		barriers_of_an_unordered_queue,
		waits_and_callbacks,
		a_callback_by_notice,
		a_first_launch_loads_nothing,
		times_are_in_order,
		times_stay_right,
		launches_unload_nothing,
		looks_unload_nothing,
	};

	use_backends(NULL);
	return run_tests("api_cuda_order", tests,
			 sizeof(tests) / sizeof(tests[0]));
}
