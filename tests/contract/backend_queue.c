/* SPDX-License-Identifier: Apache-2.0 */
/* backend_queue.c - order: queues, dependencies and barriers. */
#include "tests/contract/backend_rig.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A rig with the kernels and memory that most tests here need. */
struct bench {
	struct rig rig;
	dprp_module *module;
	dprp_kernel *add_one, *copy;
	dprp_mem *mem;
};

static void bench_open(struct bench *b, int index)
{
	const int32_t zeros[64] = { 0 };

	rig_open(&b->rig, index, NULL);
	b->module = rig_module(&b->rig);
	b->add_one = rig_kernel(&b->rig, b->module, "add_one");
	b->copy = rig_kernel(&b->rig, b->module, "copy");
	b->mem = rig_mem(&b->rig, sizeof(zeros));
	rig_write(&b->rig, b->mem, 0, zeros, sizeof(zeros));
}

static void bench_close(struct bench *b)
{
	rig_ok(&b->rig, b->rig.plugin->queue->finish(b->rig.queue));
	b->rig.plugin->mem->free(b->mem);
	b->rig.plugin->module->kernel_destroy(b->add_one);
	b->rig.plugin->module->kernel_destroy(b->copy);
	b->rig.plugin->module->destroy(b->module);
	rig_close(&b->rig);
}

static int32_t bench_value(struct bench *b, uint32_t at)
{
	int32_t value;

	rig_read(&b->rig, b->mem, at * 4, &value, 4);
	return value;
}

START_TEST(test_in_order)
{
	struct bench b;
	int i;

	bench_open(&b, _i);
	for (i = 0; i < 1000; i++)
		rig_ok(&b.rig, rig_add_one(&b.rig, b.rig.queue, b.add_one,
					   b.mem, 64, NULL, NULL));
	ck_assert_int_eq(bench_value(&b, 0), 1000);
	ck_assert_int_eq(bench_value(&b, 63), 1000);
	bench_close(&b);
}
END_TEST

/* Fifty diamonds in a chain on an out-of-order queue: a, then left and right,
   then both together. */
START_TEST(test_diamonds)
{
	dprp_event *last = NULL, *a, *left, *right;
	dprp_queue *queue;
	struct bench b;
	uint64_t one = 1;
	dprp_deps deps;
	int i;

	bench_open(&b, _i);
	queue = rig_queue(&b.rig, DPRP_QUEUE_OUT_OF_ORDER, NULL);
	for (i = 0; i < 50; i++) {
		dprp_arg go_left[3] = { rig_arg_mem(b.mem, 4),
					rig_arg_mem(b.mem, 0),
					rig_arg_value(&one, 8) };
		dprp_arg go_right[3] = { rig_arg_mem(b.mem, 8),
					 rig_arg_mem(b.mem, 0),
					 rig_arg_value(&one, 8) };
		dprp_arg back[3] = { rig_arg_mem(b.mem, 0),
				     rig_arg_mem(b.mem, 4),
				     rig_arg_value(&one, 8) };
		dprp_event *both[2];

		deps = rig_deps(&last, last != NULL);
		rig_ok(&b.rig, rig_add_one(&b.rig, queue, b.add_one, b.mem, 1,
					   &deps, &a));
		deps = rig_deps(&a, 1);
		rig_ok(&b.rig, rig_launch(&b.rig, queue, b.copy, 1, go_left, 3,
					  &deps, &left));
		rig_ok(&b.rig, rig_launch(&b.rig, queue, b.copy, 1, go_right, 3,
					  &deps, &right));
		both[0] = left;
		both[1] = right;
		if (last)
			b.rig.plugin->event->destroy(last);
		deps = rig_deps(both, 2);
		rig_ok(&b.rig, rig_launch(&b.rig, queue, b.copy, 1, back, 3,
					  &deps, &last));
		b.rig.plugin->event->destroy(a);
		b.rig.plugin->event->destroy(left);
		b.rig.plugin->event->destroy(right);
	}
	rig_done(&b.rig, last);
	ck_assert_int_eq(bench_value(&b, 0), 50);
	ck_assert_int_eq(bench_value(&b, 1), 50);
	ck_assert_int_eq(bench_value(&b, 2), 50);
	b.rig.plugin->queue->destroy(queue);
	bench_close(&b);
}
END_TEST

/* A barrier without dependencies completes after all earlier work, and all
   later work starts after it. */
START_TEST(test_barrier)
{
	dprp_event *events[20], *barrier;
	struct rig_bytes seen;
	dprp_queue *queue;
	struct bench b;
	int i;

	bench_open(&b, _i);
	seen = rig_bytes(&b.rig, 4);
	queue = rig_queue(&b.rig, DPRP_QUEUE_OUT_OF_ORDER, NULL);
	for (i = 0; i < 20; i++)
		rig_ok(&b.rig,
		       rig_launch(&b.rig, queue, b.add_one, 1,
				  (dprp_arg[]){
					  rig_arg_mem(b.mem, 4u * i),
					  rig_arg_value(&(uint64_t){ 1 }, 8) },
				  2, NULL, &events[i]));
	rig_ok(&b.rig, b.rig.plugin->queue->barrier(queue, NULL, &barrier));
	rig_ok(&b.rig, b.rig.plugin->queue->read(queue, b.mem, 4 * 19, seen.at,
						 4, NULL, NULL));
	rig_ok(&b.rig, rig_wait(&b.rig, barrier, RIG_FOREVER));
	for (i = 0; i < 20; i++)
		ck_assert_uint_eq(rig_state(&b.rig, events[i], NULL),
				  DPRP_EVENT_DONE);
	rig_ok(&b.rig, b.rig.plugin->queue->finish(queue));
	ck_assert_int_eq(*(int32_t *)seen.at, 1);
	rig_bytes_free(&b.rig, &seen);
	for (i = 0; i < 20; i++)
		b.rig.plugin->event->destroy(events[i]);
	b.rig.plugin->event->destroy(barrier);
	b.rig.plugin->queue->destroy(queue);
	bench_close(&b);
}
END_TEST

START_TEST(test_barrier_with_deps)
{
	dprp_event *event, *barrier;
	dprp_queue *other;
	struct bench b;
	dprp_deps deps;

	bench_open(&b, _i);
	other = rig_queue(&b.rig, 0, NULL);
	rig_ok(&b.rig,
	       rig_add_one(&b.rig, other, b.add_one, b.mem, 64, NULL, &event));
	deps = rig_deps(&event, 1);
	rig_ok(&b.rig,
	       b.rig.plugin->queue->barrier(b.rig.queue, &deps, &barrier));
	rig_done(&b.rig, barrier);
	ck_assert_uint_eq(rig_state(&b.rig, event, NULL), DPRP_EVENT_DONE);
	b.rig.plugin->event->destroy(event);
	b.rig.plugin->queue->destroy(other);
	bench_close(&b);
}
END_TEST

/* A chain that alternates between two queues, sometimes with many or repeated
   dependencies.  The test never flushes a queue. */
START_TEST(test_deps_across_queues)
{
	dprp_event *many[1024], *event, *next;
	dprp_queue *queues[2];
	struct bench b;
	dprp_deps deps;
	int i, k;

	bench_open(&b, _i);
	queues[0] = b.rig.queue;
	queues[1] = rig_queue(&b.rig, 0, NULL);
	rig_ok(&b.rig, rig_add_one(&b.rig, queues[0], b.add_one, b.mem, 64,
				   NULL, &event));
	for (i = 1; i < 200; i++) {
		for (k = 0; k < 1024; k++)
			many[k] = event;
		deps = rig_deps(many, i == 100 ? 1024 : i == 50 ? 2 : 1);
		rig_ok(&b.rig, rig_add_one(&b.rig, queues[i % 2], b.add_one,
					   b.mem, 64, &deps, &next));
		/* A dependency may be destroyed right after it was passed. */
		b.rig.plugin->event->destroy(event);
		event = next;
	}
	rig_done(&b.rig, event);
	ck_assert_int_eq(bench_value(&b, 63), 200);
	/* No dependencies, passed as an empty list. */
	deps = rig_deps(NULL, 0);
	rig_ok(&b.rig, b.rig.plugin->queue->barrier(queues[1], &deps, &event));
	rig_done(&b.rig, event);
	b.rig.plugin->queue->destroy(queues[1]);
	bench_close(&b);
}
END_TEST

/* Submit copies that take long to @queue, between two allocations.  @last:
   NULL, or gets the event of the last one. */
static void long_begin(struct bench *b, dprp_queue *queue, dprp_mem *big[2],
		       dprp_event **last)
{
	const uint64_t size = UINT64_C(8) << 20;
	int i;

	big[0] = rig_mem(&b->rig, size);
	big[1] = rig_mem(&b->rig, size);
	for (i = 0; i < 20; i++)
		rig_ok(&b->rig, b->rig.plugin->queue->copy(
					queue, big[i % 2], 0, big[1 - i % 2], 0,
					size, NULL, i < 19 ? NULL : last));
}

/* Free the allocations; the copies are over. */
static void long_end(struct bench *b, dprp_mem *big[2])
{
	b->rig.plugin->mem->free(big[0]);
	b->rig.plugin->mem->free(big[1]);
}

/* Work that depends on a long command runs after it, on any queue. */
START_TEST(test_long_producer)
{
	dprp_event *produced, *consumed;
	struct rig_bytes value, got;
	dprp_mem *big[2];
	dprp_queue *other;
	struct bench b;
	dprp_deps deps;

	bench_open(&b, _i);
	other = rig_queue(&b.rig, 0, NULL);
	value = rig_bytes(&b.rig, 4);
	got = rig_bytes(&b.rig, 4);
	*(int32_t *)value.at = 4711;
	long_begin(&b, other, big, NULL);
	rig_ok(&b.rig, b.rig.plugin->queue->write(other, b.mem, 0, value.at, 4,
						  NULL, &produced));
	deps = rig_deps(&produced, 1);
	rig_ok(&b.rig, b.rig.plugin->queue->read(b.rig.queue, b.mem, 0, got.at,
						 4, &deps, &consumed));
	b.rig.plugin->event->destroy(produced);
	rig_done(&b.rig, consumed);
	ck_assert_int_eq(*(int32_t *)got.at, 4711);
	rig_bytes_free(&b.rig, &value);
	rig_bytes_free(&b.rig, &got);
	long_end(&b, big);
	b.rig.plugin->queue->destroy(other);
	bench_close(&b);
}
END_TEST

/* A busy queue can be destroyed: its work and its events complete. */
START_TEST(test_destroy_busy)
{
	dprp_event *event = NULL;
	dprp_queue *queue;
	struct bench b;
	int i;

	bench_open(&b, _i);
	queue = rig_queue(&b.rig, 0, NULL);
	for (i = 0; i < 300; i++)
		rig_ok(&b.rig, rig_add_one(&b.rig, queue, b.add_one, b.mem, 64,
					   NULL, i == 299 ? &event : NULL));
	b.rig.plugin->queue->destroy(queue);
	rig_done(&b.rig, event);
	ck_assert_int_eq(bench_value(&b, 7), 300);
	bench_close(&b);
}
END_TEST

/* Every call that returns an event also accepts NULL for it. */
START_TEST(test_nobody_asks)
{
	const dprp_queue_ops *ops;
	struct rig_bytes x, y;
	struct bench b;
	int i;

	bench_open(&b, _i);
	ops = b.rig.plugin->queue;
	x = rig_bytes(&b.rig, 64);
	y = rig_bytes(&b.rig, 64);
	for (i = 0; i < 16; i++)
		((int32_t *)x.at)[i] = i * i;
	rig_ok(&b.rig, ops->write(b.rig.queue, b.mem, 0, x.at, 64, NULL, NULL));
	rig_ok(&b.rig,
	       ops->copy(b.rig.queue, b.mem, 128, b.mem, 0, 64, NULL, NULL));
	rig_ok(&b.rig, ops->barrier(b.rig.queue, NULL, NULL));
	rig_ok(&b.rig, rig_add_one(&b.rig, b.rig.queue, b.add_one, b.mem, 16,
				   NULL, NULL));
	rig_ok(&b.rig,
	       ops->read(b.rig.queue, b.mem, 128, y.at, 64, NULL, NULL));
	rig_ok(&b.rig, ops->flush(b.rig.queue));
	rig_ok(&b.rig, ops->finish(b.rig.queue));
	ck_assert_mem_eq(x.at, y.at, 64);
	rig_bytes_free(&b.rig, &x);
	rig_bytes_free(&b.rig, &y);
	if (DPRP_HAS(ops, dprp_queue_ops, prefetch))
		rig_ok(&b.rig,
		       ops->prefetch(b.rig.queue, b.mem, 0, 64, NULL, NULL));
	if (DPRP_HAS(ops, dprp_queue_ops, advise))
		rig_ok(&b.rig, ops->advise(b.rig.queue, b.mem, 0, 64, 1));
	bench_close(&b);
}
END_TEST

static void *finisher(void *arg)
{
	struct bench *b = arg;
	int i;

	for (i = 0; i < 50; i++)
		if (b->rig.plugin->queue->finish(b->rig.queue))
			return b;
	return NULL;
}

/* finish() may be called while other threads submit. */
START_TEST(test_finish_meanwhile)
{
	pthread_t thread;
	struct bench b;
	void *failed;
	int i;

	bench_open(&b, _i);
	ck_assert_int_eq(pthread_create(&thread, NULL, finisher, &b), 0);
	for (i = 0; i < 500; i++)
		rig_ok(&b.rig, rig_add_one(&b.rig, b.rig.queue, b.add_one,
					   b.mem, 64, NULL, NULL));
	pthread_join(thread, &failed);
	ck_assert_ptr_null(failed);
	ck_assert_int_eq(bench_value(&b, 1), 500);
	bench_close(&b);
}
END_TEST

/* Each of two finishes at once waits for the work. */
START_TEST(test_two_finish)
{
	const struct timespec moment = { 0, 2000000 };
	dprp_event *last = NULL;
	pthread_t thread;
	dprp_mem *big[2];
	struct bench b;
	void *failed;

	bench_open(&b, _i);
	long_begin(&b, b.rig.queue, big, &last);
	ck_assert_int_eq(pthread_create(&thread, NULL, finisher, &b), 0);
	nanosleep(&moment, NULL);
	rig_ok(&b.rig, b.rig.plugin->queue->finish(b.rig.queue));
	ck_assert_uint_eq(rig_state(&b.rig, last, NULL), DPRP_EVENT_DONE);
	pthread_join(thread, &failed);
	ck_assert_ptr_null(failed);
	b.rig.plugin->event->destroy(last);
	long_end(&b, big);
	bench_close(&b);
}
END_TEST

struct lane {
	struct bench *b;
	dprp_queue *queue;
	dprp_mem *mem;
};

static void *lane_run(void *arg)
{
	struct lane *lane = arg;
	int i;

	for (i = 0; i < 200; i++)
		if (rig_add_one(&lane->b->rig, lane->queue, lane->b->add_one,
				lane->mem, 50000, NULL, NULL))
			return lane;
	return lane->b->rig.plugin->queue->finish(lane->queue) ? lane : NULL;
}

/* One kernel on four queues from four threads, each with memory of its own. */
START_TEST(test_queues_at_once)
{
	int32_t *zeros = calloc(50000, 4), *x = calloc(50000, 4);
	struct lane lanes[4];
	pthread_t threads[4];
	struct bench b;
	void *failed;
	int i, k;

	bench_open(&b, _i);
	for (i = 0; i < 4; i++) {
		lanes[i].b = &b;
		lanes[i].queue = rig_queue(&b.rig, 0, NULL);
		lanes[i].mem = rig_mem(&b.rig, 200000);
		rig_write(&b.rig, lanes[i].mem, 0, zeros, 200000);
	}
	for (i = 0; i < 4; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, lane_run, &lanes[i]),
			0);
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], &failed);
		ck_assert_ptr_null(failed);
		rig_read(&b.rig, lanes[i].mem, 0, x, 200000);
		for (k = 0; k < 50000; k++)
			if (x[k] != 200)
				ck_abort_msg("%d: %d", k, x[k]);
		b.rig.plugin->queue->destroy(lanes[i].queue);
		b.rig.plugin->mem->free(lanes[i].mem);
	}
	bench_close(&b);
	free(zeros);
	free(x);
}
END_TEST

static void add(Suite *suite)
{
	rig_add(suite, "in order", test_in_order);
	rig_add(suite, "diamonds", test_diamonds);
	rig_add(suite, "barrier", test_barrier);
	rig_add(suite, "barrier with dependencies", test_barrier_with_deps);
	rig_add(suite, "across queues", test_deps_across_queues);
	rig_add(suite, "long producer", test_long_producer);
	rig_add(suite, "destroy busy", test_destroy_busy);
	rig_add(suite, "nobody asks", test_nobody_asks);
	rig_add(suite, "finish meanwhile", test_finish_meanwhile);
	rig_add(suite, "two finish", test_two_finish);
	rig_add(suite, "queues at once", test_queues_at_once);
}

int main(void)
{
	return rig_main("backend_queue", add);
}
