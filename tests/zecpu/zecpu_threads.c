/* SPDX-License-Identifier: Apache-2.0 */
/* zecpu_threads.c - eight threads use the software driver at once, with
   in-order and other lists.  A command waits for other commands, and may not
   run before them. */
#include <pthread.h>

#include "zecpu_test.h"

static const char kernels[] = "__kernel void step(__global int *p, int n)\n"
			      "{\n"
			      "	size_t i = get_global_id(0);\n"
			      "	p[i] = p[i] * 3 + n;\n"
			      "}\n"
			      "__kernel void turn(__global int *p)\n"
			      "{\n"
			      "	__local int own[64];\n"
			      "	size_t i = get_global_id(0);\n"
			      "	size_t at = get_local_id(0);\n"
			      "	own[at] = (int)i;\n"
			      "	barrier(CLK_LOCAL_MEM_FENCE);\n"
			      "	p[i] = own[63 - at];\n"
			      "}\n";

#define THREADS 8
#define STEPS 60
#define ITEMS 16
#define EVENTS 6

static ze_module_handle_t module;

/* A chain of launches.  Each launch waits for the event of the launch before.
   The event is used again when both launches are over. */
struct chain {
	ze_kernel_handle_t kernel;
	ze_command_list_handle_t lists[2];
	ze_event_pool_handle_t pool;
	ze_event_handle_t events[EVENTS];
	int *memory;
};

static void chain_start(struct chain *chain)
{
	uint32_t i;

	chain->kernel = new_kernel(module, "step");
	for (i = 0; i < 2; i++)
		chain->lists[i] =
			new_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, 0);
	chain->pool = new_pool(EVENTS, false, NULL);
	for (i = 0; i < EVENTS; i++)
		chain->events[i] = new_event(chain->pool, i);
	chain->memory = new_host_memory(ITEMS * sizeof(int));
	memset(chain->memory, 0, ITEMS * sizeof(int));
	set_pointer(chain->kernel, 0, chain->memory);
	OK(zeKernelSetGroupSize(chain->kernel, ITEMS, 1, 1));
}

static void chain_step(struct chain *chain, int n)
{
	ze_event_handle_t *before = n ? &chain->events[(n - 1) % EVENTS] : NULL;
	ze_event_handle_t own = chain->events[n % EVENTS];
	ze_group_count_t groups = { 1, 1, 1 };

	if (n >= EVENTS) {
		/* The next step waits for this event.  Reset the event after
		   this wait. */
		OK(zeEventHostSynchronize(chain->events[(n + 1) % EVENTS],
					  UINT64_MAX));
		OK(zeEventHostReset(own));
	}
	OK(zeKernelSetArgumentValue(chain->kernel, 1, sizeof(n), &n));
	OK(zeCommandListAppendLaunchKernel(chain->lists[n % 2], chain->kernel,
					   &groups, own, n ? 1 : 0, before));
}

static void chain_stop(struct chain *chain)
{
	uint32_t i;
	int n, expected = 0;

	OK(zeEventHostSynchronize(chain->events[(STEPS - 1) % EVENTS],
				  UINT64_MAX));
	for (n = 0; n < STEPS; n++)
		expected = (int)((unsigned)expected * 3u + (unsigned)n);
	for (i = 0; i < ITEMS; i++)
		ck_assert_int_eq(chain->memory[i], expected);
	for (i = 0; i < EVENTS; i++)
		OK(zeEventDestroy(chain->events[i]));
	OK(zeEventPoolDestroy(chain->pool));
	OK(zeKernelDestroy(chain->kernel));
	OK(zeCommandListDestroy(chain->lists[0]));
	OK(zeCommandListDestroy(chain->lists[1]));
	OK(zeMemFree(context, chain->memory));
}

static void *run_chain(void *unused)
{
	struct chain chain;
	int n;

	chain_start(&chain);
	for (n = 0; n < STEPS; n++)
		chain_step(&chain, n);
	chain_stop(&chain);
	return unused;
}

static void run_threads(void)
{
	pthread_t threads[THREADS];
	size_t i;

	zecpu_start();
	module = compile_module(kernels);
	for (i = 0; i < THREADS; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, run_chain, NULL), 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	OK(zeModuleDestroy(module));
	ck_assert_uint_eq(control->executed(), THREADS * STEPS);
	zecpu_stop();
}

START_TEST(usual_order)
{
	run_threads();
}
END_TEST

START_TEST(reversed)
{
	setenv("ZECPU_REVERSE", "1", 1);
	setenv("ZECPU_DELAY_US", "20", 1);
	run_threads();
}
END_TEST

START_TEST(random_order)
{
	setenv("ZECPU_SEED", "5", 1);
	setenv("ZECPU_PROTECT", "1", 1);
	setenv("ZECPU_GUARD", "1", 1);
	run_threads();
}
END_TEST

/* --- two drivers --- */

#define GROUPS 1000
#define ROUNDS 20

/* A module on one of the drivers, and a synchronous list for it. */
struct turn {
	ze_context_handle_t context;
	ze_command_list_handle_t list;
	ze_module_handle_t module;
	ze_kernel_handle_t kernel;
	int *memory;
};

/* Make it on the driver to which the globals of zecpu_test.h refer. */
static void turn_make(struct turn *turn, const void *code, size_t size)
{
	turn->context = context;
	turn->list = new_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS, 0);
	turn->module = new_module(code, size);
	turn->kernel = new_kernel(turn->module, "turn");
	turn->memory = new_host_memory(GROUPS * 64 * sizeof(int));
	OK(zeKernelSetArgumentValue(turn->kernel, 0, sizeof(void *),
				    &turn->memory));
	OK(zeKernelSetGroupSize(turn->kernel, 64, 1, 1));
}

static void *turn_run(void *user)
{
	const ze_group_count_t groups = { GROUPS, 1, 1 };
	struct turn *turn = user;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		memset(turn->memory, 0, GROUPS * 64 * sizeof(int));
		OK(zeCommandListAppendLaunchKernel(turn->list, turn->kernel,
						   &groups, NULL, 0, NULL));
		for (i = 0; i < GROUPS * 64; i++)
			ck_assert_int_eq(turn->memory[i],
					 i / 64 * 64 + 63 - i % 64);
	}
	return NULL;
}

static void turn_end(struct turn *turn)
{
	OK(zeMemFree(turn->context, turn->memory));
	OK(zeKernelDestroy(turn->kernel));
	OK(zeModuleDestroy(turn->module));
	OK(zeCommandListDestroy(turn->list));
}

/* The two drivers share the compiled module's file, and so one library in this
   process. */
START_TEST(two_drivers_run_one_module)
{
	ze_context_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC };
	ze_driver_handle_t both[2];
	struct turn turns[2];
	unsigned char *code;
	pthread_t thread;
	uint32_t one = 1;
	size_t size;

	zecpu_start_two(both);
	code = zecpu_compile(kernels, &size);
	turn_make(&turns[0], code, size);
	OK(zeContextCreate(both[1], &desc, &context));
	OK(zeDeviceGet(both[1], &one, devices));
	turn_make(&turns[1], code, size);
	free(code);
	ck_assert_int_eq(pthread_create(&thread, NULL, turn_run, &turns[1]), 0);
	turn_run(&turns[0]);
	pthread_join(thread, NULL);
	turn_end(&turns[1]);
	turn_end(&turns[0]);
	OK(zeContextDestroy(context));
	context = turns[0].context;
	zecpu_stop();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { usual_order, reversed, random_order,
				       two_drivers_run_one_module };
	Suite *suite;

	if (!zecpu_able())
		return 77;
	suite = suite_create("zecpu threads");
	suite_add_tcase(suite, zecpu_case("threads", tests,
					  sizeof(tests) / sizeof(*tests)));
	return zecpu_run_suite(suite, true);
}
