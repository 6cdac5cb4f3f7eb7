/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the OpenCL plugin without libdpr: queues, wait lists, events.  A
   gate, which is a user event of OpenCL, holds work back, so that no test
   depends on the machine's speed. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

#include "opencl_support.h"

static struct bench bench;
static dprp_module *module;
static dprp_kernel *add;

static const char source[] =
	"kernel void add(global uint *p, uint v) { p[get_global_id(0)] += v; }\n"
	"kernel void sum(global const uint *a, global const uint *b,\n"
	"	global uint *c) {\n"
	"	size_t i = get_global_id(0);\n"
	"	c[i] = a[i] + b[i];\n"
	"}\n";

enum { COUNT = 256 };

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Two functions of libOpenCL that the plugin does not offer. */
static void *(*create_user_event)(void *context, int32_t *error);
static int32_t (*set_user_event_status)(void *event, int32_t status);

static bool gate_calls(void)
{
	void *file = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!file)
		return false;
	*(void **)(void *)&create_user_event = dlsym(file, "clCreateUserEvent");
	*(void **)(void *)&set_user_event_status =
		dlsym(file, "clSetUserEventStatus");
	return create_user_event && set_user_event_status;
}

static dprp_event *gate_new(void)
{
	uintptr_t context = 0;
	int32_t error = 1;
	uint64_t flags = 0;
	void *event, *gate = NULL;

	OK(bench.plugin->native_get(bench.instance, DPRP_NATIVE_CONTEXT,
				    bench.context, 0, &context));
	event = create_user_event((void *)context, &error);
	ck_assert_int_eq(error, 0);
	OK(bench.plugin->native_wrap(bench.instance, DPRP_NATIVE_EVENT,
				     bench.context, bench.device,
				     (uintptr_t)event, 0, 1, &flags, &gate));
	return gate;
}

static int32_t gate_signal(dprp_event *gate)
{
	uintptr_t event = 0;

	OK(bench.plugin->native_get(bench.instance, DPRP_NATIVE_EVENT, gate, 0,
				    &event));
	return set_user_event_status((void *)event, 0);
}

static void gate_open(dprp_event *gate)
{
	ck_assert_int_eq(gate_signal(gate), 0);
	bench.plugin->event->destroy(gate);
}

/* A thread that opens a gate when told to, or else after a while.  If a call
   wrongly waits for work behind the gate, the test then fails instead of
   hanging. */
struct porter {
	pthread_t thread;
	sem_t told;
	dprp_event *gate;
};

static void *porter_run(void *data)
{
	struct porter *porter = data;
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;
	while (sem_timedwait(&porter->told, &until) && errno == EINTR)
		;
	gate_signal(porter->gate);
	return NULL;
}

static void porter_start(struct porter *porter)
{
	porter->gate = gate_new();
	sem_init(&porter->told, 0, 0);
	ck_assert_int_eq(
		pthread_create(&porter->thread, NULL, porter_run, porter), 0);
}

static void porter_open(struct porter *porter)
{
	sem_post(&porter->told);
	pthread_join(porter->thread, NULL);
	sem_destroy(&porter->told);
	bench.plugin->event->destroy(porter->gate);
}

static dprp_mem *zeros(void)
{
	static const uint32_t none[COUNT];
	dprp_mem *mem = bench_alloc(&bench, DPRP_MEM_DEVICE, sizeof(none));

	bench_put(&bench, mem, 0, none, sizeof(none));
	return mem;
}

static dprp_rc launch_add(dprp_queue *queue, dprp_mem *mem, uint32_t value,
			  dprp_event *after, dprp_event **event)
{
	dprp_arg args[] = { arg_mem(mem, 0), arg_value(&value, 4) };

	return bench_launch(&bench, queue, add, COUNT, 0, args, 2, after,
			    event);
}

static uint32_t first(dprp_mem *mem)
{
	uint32_t values[COUNT];
	unsigned i;

	bench_get(&bench, mem, 0, values, sizeof(values));
	for (i = 1; i < COUNT; i++)
		ck_assert_uint_eq(values[i], values[0]);
	return values[0];
}

START_TEST(in_order_needs_no_events)
{
	dprp_mem *mem = zeros();
	unsigned i;

	for (i = 0; i < 100; i++)
		OK(launch_add(bench.queue, mem, i, NULL, NULL));
	ck_assert_uint_eq(first(mem), 99 * 100 / 2);
	bench.plugin->mem->free(mem);
}
END_TEST

START_TEST(waits_have_limits)
{
	dprp_mem *mem = zeros();
	dprp_event *gate = gate_new(), *event = NULL;
	uint64_t start;

	OK(launch_add(bench.queue, mem, 1, gate, &event));
	ck_assert_int_eq(bench.plugin->event->wait(&event, 1, 0),
			 DPR_RC_TIMEOUT);
	start = now();
	ck_assert_int_eq(bench.plugin->event->wait(&event, 1, 30000000),
			 DPR_RC_TIMEOUT);
	ck_assert_uint_ge(now() - start, 30000000);
	ck_assert_uint_lt(bench_state(&bench, event, NULL, NULL),
			  DPRP_EVENT_DONE);
	gate_open(gate);
	OK(bench.plugin->event->wait(&event, 1, 60000000000));
	ck_assert_int_eq(bench.plugin->event->wait(&event, 1, 0), DPR_RC_OK);
	OK(bench.plugin->event->wait(NULL, 0, UINT64_MAX));
	bench_done(&bench, event);
	ck_assert_uint_eq(first(mem), 1);
	bench.plugin->mem->free(mem);
}
END_TEST

START_TEST(waits_for_several_take_all)
{
	dprp_mem *mem = zeros();
	dprp_event *gate = gate_new(), *events[3] = { NULL };

	OK(launch_add(bench.queue, mem, 1, NULL, &events[0]));
	OK(launch_add(bench.queue, mem, 1, gate, &events[1]));
	OK(launch_add(bench.queue, mem, 1, NULL, &events[2]));
	ck_assert_int_eq(bench.plugin->event->wait(events, 3, 1000000),
			 DPR_RC_TIMEOUT);
	gate_open(gate);
	OK(bench.plugin->event->wait(events, 3, UINT64_MAX));
	bench_done(&bench, events[0]);
	bench_done(&bench, events[1]);
	bench_done(&bench, events[2]);
	ck_assert_uint_eq(first(mem), 3);
	bench.plugin->mem->free(mem);
}
END_TEST

START_TEST(out_of_order_overtakes)
{
	dprp_queue *queue;
	dprp_mem *a = zeros(), *b = zeros();
	dprp_event *gate = gate_new(), *held = NULL, *free_ = NULL;

	ck_assert_uint_eq(
		bench_u64(&bench, bench.device, DPR_INFO_ASPECT_OUT_OF_ORDER),
		1);
	queue = bench_queue(&bench, bench.device, DPRP_QUEUE_OUT_OF_ORDER);
	OK(launch_add(queue, a, 5, gate, &held));
	OK(launch_add(queue, b, 7, NULL, &free_));
	/* Other drivers may run this in order, so the gate must open. */
	if (!bench_is_pocl())
		gate_open(gate);
	bench_done(&bench, free_);
	if (bench_is_pocl()) {
		ck_assert_uint_lt(bench_state(&bench, held, NULL, NULL),
				  DPRP_EVENT_DONE);
		gate_open(gate);
	}
	bench_done(&bench, held);
	ck_assert_uint_eq(first(a), 5);
	ck_assert_uint_eq(first(b), 7);
	bench.plugin->queue->destroy(queue);
	bench.plugin->mem->free(a);
	bench.plugin->mem->free(b);
}
END_TEST

/* Work without elements or bytes waits only for its own wait list. */
START_TEST(empty_work_does_not_wait)
{
	dprp_queue *queue =
		bench_queue(&bench, bench.device, DPRP_QUEUE_OUT_OF_ORDER);
	dprp_mem *a = zeros(), *b = zeros();
	uint32_t value = 1;
	dprp_arg args[] = { arg_mem(b, 0), arg_value(&value, 4) };
	dprp_event *gate = gate_new(), *held = NULL, *free_ = NULL;

	OK(launch_add(queue, a, 5, gate, &held));
	OK(bench_launch(&bench, queue, add, 0, 0, args, 2, NULL, NULL));
	OK(bench_launch(&bench, queue, add, 0, 0, args, 2, NULL, &free_));
	if (!bench_is_pocl())
		gate_open(gate);
	bench_done(&bench, free_);
	OK(bench.plugin->queue->write(queue, b, 0, &value, 0, NULL, &free_));
	bench_done(&bench, free_);
	if (bench_is_pocl()) {
		/* A marker would also wait for the work that is held. */
		ck_assert_int_eq(bench_launch(&bench, queue, add, 0, 0, args, 2,
					      held, &free_),
				 DPR_RC_CANNOT_WAIT);
		ck_assert_ptr_null(free_);
		ck_assert_uint_lt(bench_state(&bench, held, NULL, NULL),
				  DPRP_EVENT_DONE);
		gate_open(gate);
	} else {
		OK(bench_launch(&bench, queue, add, 0, 0, args, 2, held,
				&free_));
		bench_done(&bench, free_);
	}
	bench_done(&bench, held);
	ck_assert_uint_eq(first(a), 5);
	ck_assert_uint_eq(first(b), 0);
	bench.plugin->queue->destroy(queue);
	bench.plugin->mem->free(a);
	bench.plugin->mem->free(b);
}
END_TEST

/* Work d waits for b and c, which wait for a, on two queues.  Each event is
   destroyed as soon as it was used. */
START_TEST(diamond_over_queues)
{
	const dprp_plugin *plugin = bench.plugin;
	dprp_queue *queues[2] = { bench_queue(&bench, bench.device,
					      DPRP_QUEUE_OUT_OF_ORDER),
				  bench_queue(&bench, bench.device, 0) };
	dprp_mem *mems[3] = { zeros(), zeros(), zeros() };
	dprp_kernel *sum = bench_kernel(&bench, module, "sum");
	dprp_event *gate = gate_new(), *top = NULL, *sides[2] = { NULL };
	dprp_event *bottom = NULL;
	dprp_deps deps = { .struct_size = sizeof(deps),
			   .count = 2,
			   .events = sides };
	dprp_arg args[] = { arg_mem(mems[0], 0), arg_mem(mems[1], 0),
			    arg_mem(mems[2], 0) };
	dprp_launch launch = { .struct_size = sizeof(launch),
			       .dims = 1,
			       .n_args = 3,
			       .global = { COUNT, 1, 1 },
			       .args = args };

	OK(launch_add(queues[0], mems[0], 10, gate, &top));
	OK(launch_add(queues[1], mems[1], 20, top, &sides[0]));
	OK(launch_add(queues[0], mems[0], 30, top, &sides[1]));
	plugin->event->destroy(top);
	OK(plugin->queue->launch(queues[0], sum, &launch, &deps, &bottom));
	plugin->event->destroy(sides[0]);
	plugin->event->destroy(sides[1]);
	gate_open(gate);
	bench_done(&bench, bottom);
	ck_assert_uint_eq(first(mems[2]), 60);
	plugin->module->kernel_destroy(sum);
	plugin->queue->destroy(queues[0]);
	plugin->queue->destroy(queues[1]);
	plugin->mem->free(mems[0]);
	plugin->mem->free(mems[1]);
	plugin->mem->free(mems[2]);
}
END_TEST

START_TEST(long_wait_lists)
{
	enum { MANY = 40 };
	dprp_queue *queue =
		bench_queue(&bench, bench.device, DPRP_QUEUE_OUT_OF_ORDER);
	dprp_mem *mems[MANY], *last = zeros();
	dprp_event *events[MANY] = { NULL }, *event = NULL;
	dprp_deps deps = { .struct_size = sizeof(deps),
			   .count = MANY,
			   .events = events };
	unsigned i;

	for (i = 0; i < MANY; i++) {
		mems[i] = zeros();
		OK(launch_add(queue, mems[i], 1, NULL, &events[i]));
	}
	OK(bench.plugin->queue->barrier(queue, &deps, &event));
	for (i = 0; i < MANY; i++)
		bench.plugin->event->destroy(events[i]);
	OK(launch_add(queue, last, 1, event, NULL));
	bench_done(&bench, event);
	OK(bench.plugin->queue->finish(queue));
	ck_assert_uint_eq(first(last), 1);
	for (i = 0; i < MANY; i++) {
		ck_assert_uint_eq(first(mems[i]), 1);
		bench.plugin->mem->free(mems[i]);
	}
	bench.plugin->mem->free(last);
	bench.plugin->queue->destroy(queue);
}
END_TEST

START_TEST(barrier_without_list_takes_all_earlier)
{
	dprp_queue *queue =
		bench_queue(&bench, bench.device, DPRP_QUEUE_OUT_OF_ORDER);
	dprp_mem *mem = zeros();
	dprp_event *gate = gate_new(), *event = NULL;

	OK(launch_add(queue, mem, 3, gate, NULL));
	OK(bench.plugin->queue->barrier(queue, NULL, &event));
	OK(bench.plugin->queue->flush(queue));
	ck_assert_int_eq(bench.plugin->event->wait(&event, 1, 1000000),
			 DPR_RC_TIMEOUT);
	OK(launch_add(queue, mem, 4, NULL, NULL));
	gate_open(gate);
	OK(bench.plugin->queue->finish(queue));
	bench_done(&bench, event);
	ck_assert_uint_eq(first(mem), 7);
	bench.plugin->queue->destroy(queue);
	bench.plugin->mem->free(mem);
}
END_TEST

START_TEST(busy_queue_ends_at_once)
{
	dprp_queue *queue = bench_queue(&bench, bench.device, 0);
	dprp_mem *mem = zeros();
	struct porter porter;
	dprp_event *event = NULL;
	uint64_t start;

	porter_start(&porter);
	OK(launch_add(queue, mem, 2, porter.gate, NULL));
	OK(launch_add(queue, mem, 3, NULL, &event));
	start = now();
	bench.plugin->queue->destroy(queue);
	ck_assert_uint_lt(now() - start, 5000000000);
	ck_assert_int_eq(bench.plugin->event->wait(&event, 1, 1000000),
			 DPR_RC_TIMEOUT);
	porter_open(&porter);
	bench_done(&bench, event);
	ck_assert_uint_eq(first(mem), 5);
	bench.plugin->mem->free(mem);
}
END_TEST

START_TEST(busy_queue_ends_at_once_without_events)
{
	dprp_queue *queue = bench_queue(&bench, bench.device, 0);
	dprp_mem *mem = zeros();
	struct porter porter;
	volatile uint32_t *seen = calloc(1, 4);
	unsigned i;

	ck_assert_ptr_nonnull((void *)seen);
	porter_start(&porter);
	OK(launch_add(queue, mem, 9, porter.gate, NULL));
	OK(bench.plugin->queue->read(queue, mem, 0, (void *)seen, 4, NULL,
				     NULL));
	bench.plugin->queue->destroy(queue);
	ck_assert_uint_eq(*seen, 0);
	porter_open(&porter);
	for (i = 0; i < 10000 && *seen != 9; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	ck_assert_uint_eq(*seen, 9);
	free((void *)seen);
	bench.plugin->mem->free(mem);
}
END_TEST

START_TEST(notify_comes_once)
{
	dprp_mem *mem = zeros();
	dprp_event *gate = gate_new(), *event = NULL;
	dprp_rc status = DPR_RC_INTERNAL;
	uint64_t token = 100;

	OK(launch_add(bench.queue, mem, 1, gate, &event));
	OK(bench.plugin->event->notify(event, token));
	ck_assert_uint_eq(host_table_done(bench.table, token, NULL), 0);
	gate_open(gate);
	ck_assert(host_table_wait_done(bench.table, token, 30000));
	OK(bench.plugin->event->wait(&event, 1, UINT64_MAX));
	/* A notification also comes for an event that is over, or destroyed at
	   once. */
	OK(bench.plugin->event->notify(event, token + 1));
	ck_assert(host_table_wait_done(bench.table, token + 1, 30000));
	bench_done(&bench, event);
	OK(launch_add(bench.queue, mem, 1, NULL, &event));
	OK(bench.plugin->event->notify(event, token + 2));
	bench.plugin->event->destroy(event);
	ck_assert(host_table_wait_done(bench.table, token + 2, 30000));
	OK(bench.plugin->queue->finish(bench.queue));
	ck_assert_uint_eq(host_table_done(bench.table, token, &status), 1);
	ck_assert_int_eq(status, DPR_RC_OK);
	ck_assert_uint_eq(host_table_done(bench.table, token + 1, NULL), 1);
	ck_assert_uint_eq(host_table_done(bench.table, token + 2, NULL), 1);
	bench.plugin->mem->free(mem);
}
END_TEST

START_TEST(times_only_with_profiling)
{
	dprp_queue *plain = bench_queue(&bench, bench.device, 0);
	dprp_mem *mem = zeros();
	dprp_event_state state = { 0 };
	dprp_event *event = NULL;

	OK(launch_add(bench.queue, mem, 1, NULL, &event));
	OK(bench.plugin->event->wait(&event, 1, UINT64_MAX));
	ck_assert_uint_eq(bench_state(&bench, event, &state, NULL),
			  DPRP_EVENT_DONE);
	ck_assert_uint_gt(state.t_queued, 0);
	ck_assert_uint_le(state.t_queued, state.t_submit);
	ck_assert_uint_le(state.t_submit, state.t_start);
	ck_assert_uint_le(state.t_start, state.t_end);
	bench.plugin->event->destroy(event);

	OK(launch_add(plain, mem, 1, NULL, &event));
	OK(bench.plugin->event->wait(&event, 1, UINT64_MAX));
	ck_assert_uint_eq(bench_state(&bench, event, &state, NULL),
			  DPRP_EVENT_DONE);
	ck_assert_uint_eq(state.t_end | state.t_start | state.t_submit |
				  state.t_queued,
			  0);
	bench.plugin->event->destroy(event);
	bench.plugin->queue->destroy(plain);
	bench.plugin->mem->free(mem);
}
END_TEST

START_TEST(status_writes_no_more_than_asked)
{
	dprp_mem *mem = zeros();
	dprp_event *event = NULL;
	struct {
		dprp_event_state state;
	} small;

	OK(launch_add(bench.queue, mem, 1, NULL, &event));
	OK(bench.plugin->event->wait(&event, 1, UINT64_MAX));
	memset(&small, 0xa5, sizeof(small));
	small.state.struct_size = DPRP_SIZE_TO(dprp_event_state, rc);
	OK(bench.plugin->event->status(event, &small.state,
				       (dprp_sink){ NULL, NULL }));
	ck_assert_uint_eq(small.state.state, DPRP_EVENT_DONE);
	ck_assert_uint_eq(small.state.t_end, UINT64_C(0xa5a5a5a5a5a5a5a5));
	bench.plugin->event->destroy(event);
	bench.plugin->mem->free(mem);
}
END_TEST

START_TEST(other_contexts_have_no_path)
{
	dprp_context *other = NULL;
	dprp_queue_desc desc = { .struct_size = sizeof(desc) };
	dprp_queue *queue = NULL;
	dprp_mem *mem = zeros();
	dprp_event *foreign = NULL, *event = NULL;
	uint64_t got;

	OK(bench.plugin->context->create(bench.instance, bench.device, NULL,
					 &other));
	OK(bench.plugin->queue->create(other, bench.device, &desc, &got,
				       &queue));
	OK(bench.plugin->queue->barrier(queue, NULL, &foreign));
	FAILS(launch_add(bench.queue, mem, 1, foreign, &event),
	      DPR_RC_CANNOT_WAIT, "context");
	ck_assert_ptr_null(event);
	OK(bench.plugin->queue->finish(bench.queue));
	ck_assert_uint_eq(first(mem), 0);
	bench.plugin->event->destroy(foreign);
	bench.plugin->queue->destroy(queue);
	bench.plugin->context->destroy(other);
	bench.plugin->mem->free(mem);
}
END_TEST

START_TEST(wrapped_queues_tell_their_flags)
{
	const uint64_t all = DPRP_QUEUE_OUT_OF_ORDER | DPRP_QUEUE_PROFILING;
	dprp_queue_desc desc = { .struct_size = sizeof(desc) };
	dprp_queue *queue = NULL, *over = NULL;
	uint64_t got = 0, flags = 99;
	uintptr_t h = 0;

	for (desc.flags = 0; desc.flags <= all; desc.flags++) {
		OK(bench.plugin->queue->create(bench.context, bench.device,
					       &desc, &got, &queue));
		OK(bench.plugin->native_get(bench.instance, DPRP_NATIVE_QUEUE,
					    queue, 0, &h));
		OK(bench.plugin->native_wrap(bench.instance, DPRP_NATIVE_QUEUE,
					     bench.context, bench.device, h, 0,
					     0, &flags, (void **)&over));
		ck_assert_uint_eq(flags, got);
		bench.plugin->queue->destroy(over);
		bench.plugin->queue->destroy(queue);
	}
}
END_TEST

START_TEST(queues_of_other_contexts_are_refused)
{
	struct bench other = bench;
	uintptr_t h = 0;
	uint64_t flags = 0;
	void *out = &h;

	other.context = NULL;
	other.queue = NULL;
	bench_use(&other, bench.device);
	OK(bench.plugin->native_get(bench.instance, DPRP_NATIVE_QUEUE,
				    other.queue, 0, &h));
	FAILS(bench.plugin->native_wrap(bench.instance, DPRP_NATIVE_QUEUE,
					bench.context, bench.device, h, 0, 0,
					&flags, &out),
	      DPR_RC_INVALID, "another cl_context");
	ck_assert_ptr_null(out);
	bench.plugin->queue->destroy(other.queue);
	bench.plugin->context->destroy(other.context);
}
END_TEST

START_TEST(unknown_flags_are_refused)
{
	dprp_queue_desc desc = { .struct_size = sizeof(desc), .flags = 1 << 9 };
	dprp_queue *queue = NULL;
	uint64_t got = 0;

	FAILS(bench.plugin->queue->create(bench.context, bench.device, &desc,
					  &got, &queue),
	      DPR_RC_UNSUPPORTED, "flags");
	desc.flags = 0;
	desc.priority = 1;
	if (bench_is_pocl()) /* PoCL has no priorities. */
		FAILS(bench.plugin->queue->create(bench.context, bench.device,
						  &desc, &got, &queue),
		      DPR_RC_UNSUPPORTED, "cl_khr_priority_hints");
	ck_assert_ptr_null(queue);
}
END_TEST

START_TEST(sub_devices_work_with_the_root)
{
	const uint64_t one[] = { 1 };
	dprp_partition how = { .struct_size = sizeof(how),
			       .how = DPR_PARTITION_EQUALLY,
			       .n_counts = 1,
			       .counts = one };
	dprp_device *sub = NULL;
	dprp_queue *queue;
	dprp_mem *mem;
	dprp_event *event = NULL;
	uint32_t n = 0;

	if (!bench_divides(&bench) ||
	    bench_u64(&bench, bench.device, DPR_INFO_COMPUTE_UNITS) < 2)
		return;
	mem = zeros();
	OK(bench.plugin->device->partition(bench.device, &how, &sub, 1, &n));
	queue = bench_queue(&bench, sub, 0);
	OK(launch_add(queue, mem, 8, NULL, &event));
	OK(launch_add(bench.queue, mem, 1, event, NULL));
	bench.plugin->event->destroy(event);
	ck_assert_uint_eq(first(mem), 9);
	bench.plugin->queue->destroy(queue);
	bench.plugin->mem->free(mem);
}
END_TEST

/* Use a context that is made after the division into sub-devices. */
START_TEST(context_after_division)
{
	struct bench second = bench;
	dprp_event *event = NULL;

	second.context = NULL;
	second.queue = NULL;
	bench_use(&second, bench.device);
	OK(bench.plugin->queue->barrier(second.queue, NULL, &event));
	bench_done(&second, event);
	bench.plugin->queue->destroy(second.queue);
	bench.plugin->context->destroy(second.context);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *tcase;
	const char *why = NULL;
	int rc;

	if (!bench_open(&bench, NULL, bench_platform(), &why)) {
		printf("needs %s: %s\n", bench_platform(), why);
		return 77;
	}
	if (!gate_calls()) {
		printf("needs libOpenCL.so.1: %s\n", dlerror());
		bench_close(&bench);
		return 77;
	}
	module = bench_source(&bench, source);
	add = bench_kernel(&bench, module, "add");
	suite = suite_create("opencl queues");
	tcase = tcase_create("queues");
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, in_order_needs_no_events);
	tcase_add_test(tcase, waits_have_limits);
	tcase_add_test(tcase, waits_for_several_take_all);
	tcase_add_test(tcase, out_of_order_overtakes);
	tcase_add_test(tcase, empty_work_does_not_wait);
	tcase_add_test(tcase, diamond_over_queues);
	tcase_add_test(tcase, long_wait_lists);
	tcase_add_test(tcase, barrier_without_list_takes_all_earlier);
	tcase_add_test(tcase, busy_queue_ends_at_once);
	tcase_add_test(tcase, busy_queue_ends_at_once_without_events);
	tcase_add_test(tcase, notify_comes_once);
	tcase_add_test(tcase, times_only_with_profiling);
	tcase_add_test(tcase, status_writes_no_more_than_asked);
	tcase_add_test(tcase, other_contexts_have_no_path);
	tcase_add_test(tcase, wrapped_queues_tell_their_flags);
	tcase_add_test(tcase, queues_of_other_contexts_are_refused);
	tcase_add_test(tcase, unknown_flags_are_refused);
	tcase_add_test(tcase, sub_devices_work_with_the_root);
	tcase_add_test(tcase, context_after_division);
	suite_add_tcase(suite, tcase);
	rc = bench_run(suite);
	bench.plugin->module->kernel_destroy(add);
	bench.plugin->module->destroy(module);
	bench_close(&bench);
	return rc;
}
