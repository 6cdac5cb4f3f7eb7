/* SPDX-License-Identifier: Apache-2.0 */
/* unit_ze_finish.c - two threads wait for one queue by the plugin's own
   finish().  The core lets one thread at a time do that, but the contract
   allows it. */
#include <pthread.h>
#include <stdatomic.h>

#include "tests/level_zero/level_zero_test.h"
#include "tests/support/backend_host_table.h"

/* Large enough for the engine that only copies. */
#define LARGE (UINT64_C(1) << 21)

static const dprp_plugin *plugin;
static struct host_table *table;
static dprp_instance *instance;
static dprp_device *device;
static dprp_context *context;
static dprp_queue *queue;
static dprp_mem *mem[2];

/* A call of finish(). */
struct waiter {
	pthread_t thread;
	atomic_bool over;
	dprp_rc rc;
};

#define DONE(call) ck_assert_msg(!(call), "%s: %s", #call, host_table_error())

static void open_queue(uint64_t flags)
{
	const dprp_queue_desc desc = { .struct_size = sizeof(desc),
				       .flags = flags };
	const dprp_mem_desc of_mem = { .struct_size = sizeof(of_mem),
				       .kind = DPRP_MEM_DEVICE,
				       .size = 2 * LARGE };
	const char *why;
	uint64_t got;
	uint32_t n;
	int i;

	plugin = host_table_plugin("level_zero", &why);
	ck_assert_msg(plugin != NULL, "%s", why);
	table = host_table_new();
	DONE(plugin->open(host_table_host(table), &instance));
	DONE(plugin->device->count(instance, &n));
	DONE(plugin->device->get(instance, 0, &device));
	DONE(plugin->context->create(instance, device, NULL, &context));
	DONE(plugin->queue->create(context, device, &desc, &got, &queue));
	ck_assert_uint_eq(got, flags);
	for (i = 0; i < 2; i++)
		DONE(plugin->mem->alloc(context, device, &of_mem, &mem[i]));
}

static void close_queue(void)
{
	plugin->mem->free(mem[0]);
	plugin->mem->free(mem[1]);
	plugin->queue->destroy(queue);
	plugin->context->destroy(context);
	plugin->close(instance, DPRP_CLOSE_FINALIZE);
	host_table_free(table);
	check_driver(zecpu);
}

static void *wait_for_queue(void *arg)
{
	struct waiter *waiter = arg;

	waiter->rc = plugin->queue->finish(queue);
	atomic_store(&waiter->over, true);
	return NULL;
}

/* Start a thread that calls finish().  If @asks, it is waiting when this
   returns. */
static void start(struct waiter *waiter, bool asks)
{
	const uint64_t before = zecpu->calls("zeEventHostSynchronize");

	atomic_init(&waiter->over, false);
	ck_assert_int_eq(
		pthread_create(&waiter->thread, NULL, wait_for_queue, waiter),
		0);
	while (asks && !atomic_load(&waiter->over) &&
	       zecpu->calls("zeEventHostSynchronize") == before)
		usleep(100);
	/* Time for a wait that does not wait. */
	usleep(20000);
	ck_assert_msg(!atomic_load(&waiter->over),
		      "finish returns before the work is over");
}

/* Both threads wait until copies on both lists are over. */
static void finish_twice(uint64_t flags)
{
	struct waiter first, second;
	int i;

	open_queue(flags);
	for (i = 0; i < 3; i++) {
		zecpu->hold(true);
		DONE(plugin->queue->copy(queue, mem[0], 0, mem[0], 64, 64, NULL,
					 NULL));
		DONE(plugin->queue->copy(queue, mem[1], 0, mem[1], LARGE, LARGE,
					 NULL, NULL));
		start(&first, true);
		start(&second, false);
		ck_assert(!atomic_load(&first.over));
		zecpu->hold(false);
		pthread_join(first.thread, NULL);
		pthread_join(second.thread, NULL);
		ck_assert_int_eq(first.rc, DPR_RC_OK);
		ck_assert_int_eq(second.rc, DPR_RC_OK);
		ck_assert_uint_eq(zecpu->pending(), 0);
	}
	close_queue();
}

START_TEST(in_order)
{
	finish_twice(0);
}
END_TEST

START_TEST(out_of_order)
{
	finish_twice(DPRP_QUEUE_OUT_OF_ORDER);
}
END_TEST

START_TEST(with_the_in_order_flag)
{
	ck_assert(zecpu->set("IN_ORDER", 1) && zecpu->set("COUNTER", 1));
	finish_twice(0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		in_order,
		out_of_order,
		with_the_in_order_flag,
	};

	return run_tests("unit_ze_finish", tests,
			 sizeof(tests) / sizeof(tests[0]));
}
