/* SPDX-License-Identifier: Apache-2.0 */
/* api_ze_threads.c - eight threads that launch one kernel of the Level Zero
   backend, on a shared queue and on their own queues, and wait at the same
   time.  A driver call sleeps while it uses a kernel or a list.  So two calls
   that use the same object meet, and the driver counts a misuse. */
#include <pthread.h>

#include "tests/level_zero/level_zero_test.h"
#include "tests/support/random.h"

#define THREADS 8
#define ROUNDS 60

static const char source[] = "kernel void add(global int *x, int value)\n"
			     "{\n"
			     "	if (get_global_id(0) == 0)\n"
			     "		x[0] += value;\n"
			     "}\n";

static dpr_queue *queue;
static dpr_kernel *kernel;

struct worker {
	pthread_t thread;
	uint64_t number;
	dpr_queue *own;
	dpr_usm *sum;       /* what the thread adds to */
	const char *failed; /* what went wrong, or NULL */
};

/* Launch, and wait in a random way, or not at all. */
static const char *add(struct worker *worker, struct random *numbers, int value)
{
	const dpr_arg args[] = { dpr_arg_usm_use(worker->sum, 0,
						 DPR_READ_WRITE),
				 dpr_arg_i32(value) };
	dpr_event *done;

	if (dpr_kernel_launch_usm(random_next(numbers) % 2 ? queue
							   : worker->own,
				  kernel, dpr_range1(1), NULL, NULL, args, 2))
		return "a launch failed";
	switch (random_next(numbers) % 8) {
	case 0:
		return dpr_queue_wait(queue) ? "a wait for the queue failed"
					     : NULL;
	case 1:
		if (dpr_queue_barrier(queue, NULL, &done))
			return "a barrier failed";
		if (dpr_event_wait(done))
			return "a wait for an event failed";
		dpr_event_release(done);
		return NULL;
	case 2:
		return dpr_usm_wait(worker->sum) ? "a wait for memory failed"
						 : NULL;
	default: return NULL;
	}
}

static void *work(void *user)
{
	struct worker *worker = user;
	struct random numbers = { worker->number + 1 };
	int i, value, expected = 0;

	for (i = 0; i < ROUNDS && !worker->failed; i++) {
		value = (int)(random_next(&numbers) % 1000);
		expected += value;
		worker->failed = add(worker, &numbers, value);
	}
	if (worker->failed)
		return NULL;
	if (dpr_usm_read(queue, &value, worker->sum, 0, sizeof(value), NULL,
			 NULL))
		worker->failed = "a read failed";
	else if (value != expected)
		worker->failed = "a sum is wrong";
	return NULL;
}

static void run_threads(uint32_t flags)
{
	struct worker workers[THREADS] = { 0 };
	dpr_program *program;
	int i;

	ck_assert(zecpu->set("SLOW_US", 50));
	use_backends(NULL);
	queue = new_queue(get_device("level_zero:0"), flags);
	CHECK_OK(dpr_program_from_source(queue, source, NULL, &program));
	CHECK_OK(dpr_kernel_create(program, "add", &kernel));
	dpr_program_release(program);
	for (i = 0; i < THREADS; i++) {
		workers[i].number = (uint64_t)i;
		workers[i].own = new_queue(dpr_queue_device(queue), flags);
		workers[i].sum = new_ints(queue, DPR_USM_DEVICE, 4, 0);
	}
	for (i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work,
						&workers[i]),
				 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	/* Check for misuse first: a wrong sum would be its consequence. */
	ck_assert_msg(!zecpu->violations(), "%s", zecpu->violation(0));
	for (i = 0; i < THREADS; i++) {
		ck_assert_msg(!workers[i].failed, "thread %d: %s", i,
			      workers[i].failed);
		dpr_usm_release(workers[i].sum);
		dpr_queue_release(workers[i].own);
	}
	dpr_kernel_release(kernel);
	dpr_queue_release(queue);
	finish_all();
}

START_TEST(in_order)
{
	run_threads(0);
}
END_TEST

START_TEST(in_order_with_the_flag)
{
	ck_assert(zecpu->set("IN_ORDER", 1) && zecpu->set("COUNTER", 1));
	run_threads(0);
}
END_TEST

START_TEST(out_of_order)
{
	run_threads(DPR_QUEUE_OUT_OF_ORDER);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		in_order,
		in_order_with_the_flag,
		out_of_order,
	};

	if (!is_able())
		return 77;
	return run_tests("api_ze_threads", tests,
			 sizeof(tests) / sizeof(tests[0]));
}
