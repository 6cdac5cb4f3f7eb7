/* SPDX-License-Identifier: Apache-2.0 */
/* backend_mock.c - the mock does what a test tells it to do. */
#include "tests/contract/backend_rig.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/plugins/mock_control.h"

/* A mock backend with a kernel and memory. */
struct stage {
	struct rig rig;
	const struct mock_control *mock;
	dprp_module *module;
	dprp_kernel *store;
	dprp_mem *mem;
};

static void stage_open(struct stage *s, int index, const char *const *options)
{
	s->mock = mock_control_open(rig_backend(index), NULL, 0);
	ck_assert_ptr_nonnull(s->mock);
	s->mock->reset();
	rig_open(&s->rig, index, options);
	s->module = rig_module(&s->rig);
	s->store = rig_kernel(&s->rig, s->module, "store");
	s->mem = rig_mem(&s->rig, 4096);
}

static void stage_close(struct stage *s)
{
	s->mock->reset();
	rig_ok(&s->rig, s->rig.plugin->queue->finish(s->rig.queue));
	s->rig.plugin->mem->free(s->mem);
	s->rig.plugin->module->kernel_destroy(s->store);
	s->rig.plugin->module->destroy(s->module);
	rig_close(&s->rig);
	ck_assert_uint_eq(s->mock->live(MOCK_EVENT), 0);
	ck_assert_uint_eq(s->mock->live(MOCK_MEM), 0);
	ck_assert_uint_eq(s->mock->live(MOCK_INSTANCE), 0);
	ck_assert_uint_eq(s->mock->bytes(), 0);
}

/* Launch mem[@index] = @value. */
static dprp_event *store(struct stage *s, dprp_queue *queue, int64_t index,
			 int32_t value, dprp_event *after)
{
	const struct {
		int64_t index;
		int32_t value, pad;
	} what = { index, value, 0 };
	dprp_deps deps = rig_deps(&after, after != NULL);
	dprp_event *event;

	rig_ok(&s->rig,
	       rig_launch(&s->rig, queue, s->store, 1,
			  (dprp_arg[]){ rig_arg_mem(s->mem, 0),
					rig_arg_value(&what, sizeof(what)) },
			  2, &deps, &event));
	return event;
}

static void pause_ms(long ms)
{
	const struct timespec ts = { 0, ms * 1000000 };

	nanosleep(&ts, NULL);
}

static bool over(struct stage *s, dprp_event *event)
{
	return rig_state(&s->rig, event, NULL) >= DPRP_EVENT_DONE;
}

START_TEST(test_fail_entry)
{
	struct stage s;
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = DPRP_MEM_DEVICE,
			       .size = 10 };
	dprp_mem *mem;

	stage_open(&s, _i, NULL);
	ck_assert_uint_eq(s.mock->calls(MOCK_mem_alloc), 1);
	s.mock->fail(MOCK_mem_alloc, 2, 2, DPR_RC_NATIVE, 77);
	rig_ok(&s.rig, s.rig.plugin->mem->alloc(s.rig.context, s.rig.device,
						&desc, &mem));
	s.rig.plugin->mem->free(mem);
	rig_rc(&s.rig, DPR_RC_NATIVE,
	       s.rig.plugin->mem->alloc(s.rig.context, s.rig.device, &desc,
					&mem));
	ck_assert_int_eq(s.rig.native, 77);
	rig_rc(&s.rig, DPR_RC_NATIVE,
	       s.rig.plugin->mem->alloc(s.rig.context, s.rig.device, &desc,
					&mem));
	rig_ok(&s.rig, s.rig.plugin->mem->alloc(s.rig.context, s.rig.device,
						&desc, &mem));
	s.rig.plugin->mem->free(mem);
	ck_assert_uint_eq(s.mock->calls(MOCK_mem_alloc), 5);
	ck_assert_uint_eq(s.mock->calls(MOCK_mem_free), 2);
	stage_close(&s);
}
END_TEST

START_TEST(test_hold_and_step)
{
	struct mock_record record[4];
	dprp_event *a, *b;
	struct stage s;

	stage_open(&s, _i, NULL);
	s.mock->hold(1);
	a = store(&s, s.rig.queue, 0, 1, NULL);
	b = store(&s, s.rig.queue, 0, 2, NULL);
	pause_ms(20);
	ck_assert(!over(&s, a));
	ck_assert_uint_eq(s.mock->pending(), 2);
	s.mock->step(1);
	rig_done(&s.rig, a);
	pause_ms(20);
	ck_assert(!over(&s, b));
	s.mock->hold(0);
	rig_done(&s.rig, b);
	ck_assert_uint_eq(s.mock->history(record, 4), 2);
	ck_assert_str_eq(record[1].what, "store");
	ck_assert_uint_eq(record[1].number, record[0].number + 1);
	stage_close(&s);
}
END_TEST

START_TEST(test_delay)
{
	struct timespec from, to;
	dprp_event *event;
	struct stage s;

	stage_open(&s, _i, NULL);
	s.mock->delay(30000000);
	clock_gettime(CLOCK_MONOTONIC, &from);
	event = store(&s, s.rig.queue, 0, 1, NULL);
	rig_done(&s.rig, event);
	clock_gettime(CLOCK_MONOTONIC, &to);
	ck_assert_int_ge((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec -
				 from.tv_nsec,
			 30000000);
	stage_close(&s);
}
END_TEST

START_TEST(test_reorder)
{
	struct mock_record record[3];
	dprp_event *a, *b, *c;
	dprp_queue *queue;
	struct stage s;

	stage_open(&s, _i, NULL);
	queue = rig_queue(&s.rig, DPRP_QUEUE_OUT_OF_ORDER, NULL);
	s.mock->reorder(1);
	s.mock->hold(1);
	a = store(&s, queue, 0, 1, NULL);
	b = store(&s, queue, 0, 2, a);
	c = store(&s, queue, 0, 3, NULL);
	s.mock->hold(0);
	rig_done(&s.rig, a);
	rig_done(&s.rig, b);
	rig_done(&s.rig, c);
	ck_assert_uint_eq(s.mock->history(record, 3), 3);
	/* The last of the commands that can run runs first; b waits for a. */
	ck_assert_uint_eq(record[0].number, 3);
	ck_assert_uint_eq(record[1].number, 1);
	ck_assert_uint_eq(record[2].number, 2);
	s.rig.plugin->queue->destroy(queue);
	stage_close(&s);
}
END_TEST

/* No command overtakes a barrier, even with reordering. */
START_TEST(test_reorder_barrier)
{
	struct mock_record record[5];
	dprp_event *events[5];
	dprp_queue *queue;
	struct stage s;
	int i;

	stage_open(&s, _i, NULL);
	queue = rig_queue(&s.rig, DPRP_QUEUE_OUT_OF_ORDER, NULL);
	s.mock->reorder(1);
	s.mock->hold(1);
	for (i = 0; i < 5; i++)
		if (i == 2)
			rig_ok(&s.rig, s.rig.plugin->queue->barrier(
					       queue, NULL, &events[i]));
		else
			events[i] = store(&s, queue, 0, i, NULL);
	s.mock->hold(0);
	for (i = 0; i < 5; i++)
		rig_done(&s.rig, events[i]);
	ck_assert_uint_eq(s.mock->history(record, 5), 5);
	ck_assert_uint_eq(record[0].number, 2);
	ck_assert_uint_eq(record[1].number, 1);
	ck_assert_uint_eq(record[2].number, 3);
	ck_assert_uint_eq(record[3].number, 5);
	ck_assert_uint_eq(record[4].number, 4);
	s.rig.plugin->queue->destroy(queue);
	stage_close(&s);
}
END_TEST

static void sink(void *user, const char *bytes, size_t size)
{
	char *text = user;
	size_t length = strlen(text);

	ck_assert_uint_lt(length + size, 256);
	memcpy(text + length, bytes, size);
	text[length + size] = '\0';
}

/* A failed command fails all commands that depend on it, through a chain of any
   length.  Those never run.  finish() reports the first failure once. */
START_TEST(test_fail_command)
{
	dprp_event *events[10], *apart;
	dprp_event_state state = { .struct_size = sizeof(state) };
	char text[256] = "";
	dprp_sink out = { sink, text };
	dprp_queue *other;
	struct stage s;
	int32_t x = 7;
	int i;

	stage_open(&s, _i, NULL);
	rig_write(&s.rig, s.mem, 0, &x, 4);
	other = rig_queue(&s.rig, 0, NULL);
	s.mock->fail_command(1, DPR_RC_NATIVE, -1234);
	events[0] = store(&s, other, 0, 100, NULL);
	for (i = 1; i < 10; i++)
		events[i] = store(&s, i % 2 ? s.rig.queue : other, 0, i,
				  events[i - 1]);
	apart = store(&s, other, 1, 5, NULL);
	rig_ok(&s.rig, s.rig.plugin->event->wait(events, 10, RIG_FOREVER));
	rig_done(&s.rig, apart);
	rig_state(&s.rig, events[0], &state);
	ck_assert_uint_eq(state.state, DPRP_EVENT_FAILED);
	ck_assert_int_eq(state.rc, DPR_RC_NATIVE);
	ck_assert_int_eq(state.native, -1234);
	rig_ok(&s.rig, s.rig.plugin->event->status(events[9], &state, out));
	ck_assert_uint_eq(state.state, DPRP_EVENT_FAILED);
	ck_assert_int_eq(state.rc, DPR_RC_DEP_FAILED);
	ck_assert_ptr_nonnull(strstr(text, "-1234"));
	for (i = 0; i < 10; i++)
		s.rig.plugin->event->destroy(events[i]);
	rig_read(&s.rig, s.mem, 0, &x, 4);
	ck_assert_int_eq(x, 7);
	rig_rc(&s.rig, DPR_RC_NATIVE, s.rig.plugin->queue->finish(other));
	rig_ok(&s.rig, s.rig.plugin->queue->finish(other));
	rig_rc(&s.rig, DPR_RC_DEP_FAILED,
	       s.rig.plugin->queue->finish(s.rig.queue));
	s.rig.plugin->queue->destroy(other);
	stage_close(&s);
}
END_TEST

START_TEST(test_stall)
{
	dprp_event *event;
	struct stage s;

	stage_open(&s, _i, NULL);
	s.mock->stall_command(1);
	event = store(&s, s.rig.queue, 0, 1, NULL);
	ck_assert_int_eq(rig_wait(&s.rig, event, 20000000), DPR_RC_TIMEOUT);
	s.mock->reset();
	rig_done(&s.rig, event);
	/* Closing the instance also ends a stalled command. */
	s.mock->stall_command(1);
	event = store(&s, s.rig.queue, 0, 1, NULL);
	s.rig.plugin->event->destroy(event);
	s.rig.plugin->mem->free(s.mem);
	s.rig.plugin->module->kernel_destroy(s.store);
	s.rig.plugin->module->destroy(s.module);
	rig_close(&s.rig);
}
END_TEST

START_TEST(test_lose)
{
	dprp_queue_desc desc = { .struct_size = sizeof(desc) };
	dprp_event_state state;
	dprp_event *event;
	dprp_queue *queue;
	struct stage s;
	uint64_t got;

	stage_open(&s, _i, NULL);
	s.mock->stall_command(1);
	event = store(&s, s.rig.queue, 0, 1, NULL);
	s.mock->lose(0);
	rig_ok(&s.rig, rig_wait(&s.rig, event, RIG_FOREVER));
	rig_state(&s.rig, event, &state);
	ck_assert_int_eq(state.rc, DPR_RC_DEVICE_LOST);
	s.rig.plugin->event->destroy(event);
	rig_rc(&s.rig, DPR_RC_DEVICE_LOST,
	       s.rig.plugin->queue->barrier(s.rig.queue, NULL, NULL));
	rig_rc(&s.rig, DPR_RC_DEVICE_LOST,
	       s.rig.plugin->queue->create(s.rig.context, s.rig.device, &desc,
					   &got, &queue));
	rig_rc(&s.rig, DPR_RC_DEVICE_LOST,
	       s.rig.plugin->queue->finish(s.rig.queue));
	stage_close(&s);
}
END_TEST

/* The host cannot read DEVICE memory by its address. */
START_TEST(test_unreadable)
{
	int pipes[2];
	void *address;
	struct stage s;
	size_t need;

	stage_open(&s, _i, NULL);
	ck_assert_int_eq(pipe(pipes), 0);
	rig_ok(&s.rig,
	       s.rig.plugin->mem->info(s.mem, DPRP_MEM_INFO_ADDRESS, &address,
				       sizeof(address), &need));
	ck_assert_int_eq(write(pipes[1], address, 1), -1);
	close(pipes[0]);
	close(pipes[1]);
	stage_close(&s);
}
END_TEST

START_TEST(test_options)
{
	static const char *const options[] = {
		"DEVICES=3",
		"TYPE=accelerator",
		"UNITS=6",
		"KINDS=device",
		"MEMORY=10000",
		"MAX_ALLOC=5000",
		"FP64=0",
		"PROFILING=0",
		"OUT_OF_ORDER=0",
		"NOTIFY=0",
		"UUID=000102030405060708090a0b0c0d0e0f",
		"PCI=0000:17:00.0",
		"ADDRESSES=0",
		"PEER=0",
		NULL
	};
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = DPRP_MEM_DEVICE,
			       .size = 5000 };
	dprp_device *third;
	dprp_mem *mem, *more;
	unsigned char uuid[16];
	char pci[32];
	struct stage s;
	size_t need;
	uint32_t n;

	stage_open(&s, _i, options);
	rig_ok(&s.rig, s.rig.plugin->device->count(s.rig.instance, &n));
	ck_assert_uint_eq(n, 3);
	rig_ok(&s.rig, s.rig.plugin->device->get(s.rig.instance, 2, &third));
	ck_assert_uint_eq(rig_u64(&s.rig, third, DPR_INFO_TYPE, 0),
			  DPR_DEVICE_ACCELERATOR);
	ck_assert_uint_eq(rig_u64(&s.rig, third, DPR_INFO_ASPECT_FP64, 7), 0);
	ck_assert_uint_eq(s.rig.queue_flags, 0);
	rig_ok(&s.rig, s.rig.plugin->device->info(third, DPR_INFO_UUID, uuid,
						  16, &need));
	ck_assert_uint_eq(uuid[15], 17);
	rig_ok(&s.rig, s.rig.plugin->device->info(third, DPR_INFO_PCI_ADDRESS,
						  pci, sizeof(pci), &need));
	ck_assert_str_eq(pci, "0000:19:00.0");
	rig_ok(&s.rig, s.rig.plugin->mem->alloc(s.rig.context, s.rig.device,
						&desc, &mem));
	rig_rc(&s.rig, DPR_RC_OOM_DEVICE,
	       s.rig.plugin->mem->alloc(s.rig.context, s.rig.device, &desc,
					&more));
	rig_rc(&s.rig, DPR_RC_UNSUPPORTED,
	       s.rig.plugin->mem->info(mem, DPRP_MEM_INFO_ADDRESS, NULL, 0,
				       &need));
	desc.kind = DPRP_MEM_SHARED;
	rig_rc(&s.rig, DPR_RC_UNSUPPORTED,
	       s.rig.plugin->mem->alloc(s.rig.context, s.rig.device, &desc,
					&more));
	s.rig.plugin->mem->free(mem);
	stage_close(&s);
}
END_TEST

START_TEST(test_no_path)
{
	static const char *const options[] = { "DEVICES=2", "PEER=0", "DEPS=0",
					       "OPTIONAL=0", NULL };
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = DPRP_MEM_DEVICE,
			       .size = 64 };
	dprp_event *event, *held;
	dprp_context *context;
	dprp_device *second;
	dprp_queue *queue;
	dprp_deps deps;
	struct stage s;
	dprp_mem *mem;

	stage_open(&s, _i, options);
	rig_ok(&s.rig, s.rig.plugin->device->get(s.rig.instance, 1, &second));
	rig_ok(&s.rig, s.rig.plugin->context->create(s.rig.instance, second,
						     NULL, &context));
	rig_ok(&s.rig, s.rig.plugin->mem->alloc(context, second, &desc, &mem));
	rig_rc(&s.rig, DPR_RC_NO_PATH,
	       s.rig.plugin->queue->copy(s.rig.queue, s.mem, 0, mem, 0, 64,
					 NULL, &event));
	queue = rig_queue(&s.rig, 0, NULL);
	s.mock->hold(1);
	held = store(&s, queue, 0, 1, NULL);
	deps = rig_deps(&held, 1);
	rig_rc(&s.rig,
	       s.rig.plugin->abi_minor >= 2 ? DPR_RC_CANNOT_WAIT
					    : DPR_RC_NO_PATH,
	       s.rig.plugin->queue->barrier(s.rig.queue, &deps, &event));
	s.mock->hold(0);
	rig_done(&s.rig, held);
	s.rig.plugin->queue->destroy(queue);
	s.rig.plugin->mem->free(mem);
	s.rig.plugin->context->destroy(context);
	stage_close(&s);
}
END_TEST

/* A lazy queue runs nothing until it is flushed or waited for. */
START_TEST(test_lazy)
{
	static const char *const options[] = { "LAZY=1", NULL };
	dprp_queue *other;
	dprp_event *a, *b;
	struct stage s;

	stage_open(&s, _i, options);
	other = rig_queue(&s.rig, 0, NULL);
	a = store(&s, s.rig.queue, 0, 1, NULL);
	pause_ms(20);
	ck_assert(!over(&s, a));
	b = store(&s, other, 0, 2, a);
	rig_ok(&s.rig, s.rig.plugin->queue->flush(other));
	while (!over(&s, b))
		pause_ms(1);
	rig_done(&s.rig, a);
	rig_done(&s.rig, b);
	s.rig.plugin->queue->destroy(other);
	stage_close(&s);
}
END_TEST

START_TEST(test_absent)
{
	static const char *const no_driver[] = { "DRIVER=0", NULL };
	static const char *const no_device[] = { "DEVICES=0", NULL };
	struct rig rig;

	rig_init(&rig, _i, no_driver);
	rig_rc(&rig, DPR_RC_NO_DRIVER, rig_try(&rig));
	rig_close(&rig);
	rig_init(&rig, _i, no_device);
	rig_rc(&rig, DPR_RC_NO_DEVICE, rig_try(&rig));
	rig_close(&rig);
}
END_TEST

static void add(Suite *suite)
{
	rig_add(suite, "fail entry", test_fail_entry);
	rig_add(suite, "hold and step", test_hold_and_step);
	rig_add(suite, "delay", test_delay);
	rig_add(suite, "reorder", test_reorder);
	rig_add(suite, "reorder barrier", test_reorder_barrier);
	rig_add(suite, "fail command", test_fail_command);
	rig_add(suite, "stall", test_stall);
	rig_add(suite, "lose", test_lose);
	rig_add(suite, "unreadable", test_unreadable);
	rig_add(suite, "options", test_options);
	rig_add(suite, "no path", test_no_path);
	rig_add(suite, "lazy", test_lazy);
	rig_add(suite, "absent", test_absent);
}

int main(void)
{
	setenv("DPR_TEST_BACKENDS", "mock mock2", 1);
	return rig_main("backend_mock", add);
}
