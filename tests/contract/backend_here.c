/* SPDX-License-Identifier: Apache-2.0 */
/* backend_here.c - brief work of the host backend.  The submitting thread runs
   such work itself if nothing comes before it. */
#include "tests/contract/backend_rig.h"

#include <fenv.h>
#include <float.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

/* Data that the kernels share with a test.  Its address is their argument. */
struct seen {
	atomic_bool open; /* the gate lets the queue go on */
	atomic_int turn;  /* how many kernels have run */
	int noted_turn;   /* which one "note" was */
	pthread_t thread; /* and its thread */
	volatile float small, half, third;
};

static struct seen *seen_of(const void *const *args)
{
	struct seen *seen;

	memcpy(&seen, args[0], sizeof(seen));
	return seen;
}

/* Wait for the test.  No launch of it is brief. */
static void gate(const void *const *args, const uint64_t global[3],
		 const uint64_t local[3], const uint64_t group[3])
{
	struct seen *seen = seen_of(args);

	(void)global, (void)local, (void)group;
	while (!atomic_load(&seen->open))
		usleep(100);
	atomic_fetch_add(&seen->turn, 1);
}

static void note(const void *const *args, const uint64_t global[3],
		 const uint64_t local[3], const uint64_t group[3])
{
	struct seen *seen = seen_of(args);

	(void)global, (void)local, (void)group;
	seen->noted_turn = atomic_fetch_add(&seen->turn, 1) + 1;
	seen->thread = pthread_self();
	seen->half = seen->small / 2;
	seen->third = 1.0f / 3;
}

static const dprp_param params[] = { { DPRP_ARG_VALUE, 0, 0 } };
static const dprp_native_kernel kernels[] = {
	{ "gate", gate, 1, 0, params },
	{ "note", note, 1, 0, params },
};
static const dprp_native_module native = { .struct_size = sizeof(native),
					   .n_kernels = 2,
					   .kernels = kernels };

struct here {
	struct rig rig;
	dprp_module *module;
	dprp_kernel *gate, *note;
	dprp_mem *mem;
	struct seen seen;
};

static void open_here(struct here *h, int index, const char *const *options)
{
	const dprp_image image = { sizeof(image), DPRP_NATIVE_FORMAT, NULL,
				   &native, sizeof(native) };
	const dprp_image *list[1] = { &image };
	const dprp_module_desc desc = { .struct_size = sizeof(desc),
					.n_images = 1,
					.images = list };

	rig_open(&h->rig, index, options);
	rig_ok(&h->rig,
	       h->rig.plugin->module->create(h->rig.context, h->rig.device,
					     &desc, &h->module));
	h->gate = rig_kernel(&h->rig, h->module, "gate");
	h->note = rig_kernel(&h->rig, h->module, "note");
	h->mem = rig_mem(&h->rig, 128 << 10);
	memset(&h->seen, 0, sizeof(h->seen));
	h->seen.small = FLT_MIN;
}

static void close_here(struct here *h)
{
	h->rig.plugin->mem->free(h->mem);
	h->rig.plugin->module->kernel_destroy(h->gate);
	h->rig.plugin->module->kernel_destroy(h->note);
	h->rig.plugin->module->destroy(h->module);
	rig_close(&h->rig);
}

static dprp_rc launch(struct here *h, dprp_queue *queue, dprp_kernel *kernel,
		      uint64_t flags, const dprp_deps *deps, dprp_event **event)
{
	const struct seen *seen = &h->seen;
	const dprp_arg arg = rig_arg_value(&seen, sizeof(seen));
	const dprp_launch launch = { .struct_size = sizeof(launch),
				     .dims = 1,
				     .n_args = 1,
				     .global = { 1, 1, 1 },
				     .args = &arg,
				     .flags = flags };

	return h->rig.plugin->queue->launch(queue, kernel, &launch, deps,
					    event);
}

static dprp_event *launched(struct here *h, dprp_queue *queue,
			    dprp_kernel *kernel, uint64_t flags,
			    const dprp_deps *deps)
{
	dprp_event *event;

	rig_ok(&h->rig, launch(h, queue, kernel, flags, deps, &event));
	return event;
}

static bool ran_here(const struct here *h)
{
	return pthread_equal(h->seen.thread, pthread_self()) != 0;
}

/* A brief launch is done when the call returns, with all that an event has.  A
   launch without this flag may wait for this thread. */
START_TEST(test_idle)
{
	dprp_event_state state = { .struct_size = sizeof(state) };
	dprp_event *event, *other;
	struct here h;

	open_here(&h, _i, NULL);
	event = launched(&h, h.rig.queue, h.note, DPRP_LAUNCH_BRIEF, NULL);
	ck_assert_int_eq(h.seen.noted_turn, 1);
	ck_assert(ran_here(&h));
	ck_assert_uint_eq(rig_state(&h.rig, event, &state), DPRP_EVENT_DONE);
	ck_assert_uint_gt(state.t_queued, 0);
	ck_assert_uint_le(state.t_queued, state.t_start);
	ck_assert_uint_le(state.t_start, state.t_end);
	rig_ok(&h.rig, h.rig.plugin->event->notify(event, 1));
	ck_assert_uint_eq(h.rig.told[1], 1);
	rig_done(&h.rig, event);

	other = launched(&h, h.rig.queue, h.gate, 0, NULL);
	ck_assert_uint_ne(rig_state(&h.rig, other, &state), DPRP_EVENT_DONE);
	atomic_store(&h.seen.open, true);
	rig_done(&h.rig, other);
	rig_done(&h.rig, launched(&h, h.rig.queue, h.note, 0, NULL));
	ck_assert_int_eq(h.seen.noted_turn, 3);
	ck_assert(!ran_here(&h));
	close_here(&h);
}
END_TEST

/* Flags that do not exist are refused. */
START_TEST(test_flags)
{
	dprp_event *event;
	struct here h;

	open_here(&h, _i, NULL);
	rig_rc(&h.rig, DPR_RC_UNSUPPORTED,
	       launch(&h, h.rig.queue, h.note, 2 * DPRP_LAUNCH_BRIEF, NULL,
		      &event));
	ck_assert_int_eq(h.seen.noted_turn, 0);
	close_here(&h);
}
END_TEST

/* Wait for the sixth event, and check that nothing was done before the gate
   opened. */
static void check_order(struct here *h, dprp_event *const *events,
			const unsigned char *read)
{
	dprp_event_state state = { .struct_size = sizeof(state) };
	unsigned char zero[64] = { 0 }, ones[64];
	int i;

	memset(ones, 1, sizeof(ones));
	for (i = 0; i < 6; i++)
		ck_assert_uint_ne(rig_state(&h->rig, events[i], &state),
				  DPRP_EVENT_DONE);
	ck_assert_int_eq(atomic_load(&h->seen.turn), 0);
	ck_assert_mem_eq(read, zero, sizeof(zero));
	atomic_store(&h->seen.open, true);
	rig_ok(&h->rig, rig_wait(&h->rig, events[5], RIG_FOREVER));
	ck_assert_int_eq(h->seen.noted_turn, 2);
	ck_assert_mem_eq(read, ones, sizeof(ones));
	for (i = 0; i < 6; i++)
		rig_done(&h->rig, events[i]);
}

/* Behind work that is not done, all waits its turn, however small it is. */
START_TEST(test_behind)
{
	const dprp_queue_ops *ops;
	unsigned char read[64] = { 0 };
	dprp_event *event[6];
	dprp_queue *queue;
	struct here h;

	open_here(&h, _i, NULL);
	ops = h.rig.plugin->queue;
	queue = h.rig.queue;
	rig_ok(&h.rig, ops->fill(queue, h.mem, 0, 64, "\2", 1, NULL, NULL));
	event[0] = launched(&h, queue, h.gate, 0, NULL);
	event[1] = launched(&h, queue, h.note, DPRP_LAUNCH_BRIEF, NULL);
	rig_ok(&h.rig,
	       ops->fill(queue, h.mem, 0, 64, "\1", 1, NULL, &event[2]));
	rig_ok(&h.rig,
	       ops->copy(queue, h.mem, 64, h.mem, 0, 64, NULL, &event[3]));
	rig_ok(&h.rig, ops->read(queue, h.mem, 64, read, 64, NULL, &event[4]));
	rig_ok(&h.rig, ops->barrier(queue, NULL, &event[5]));
	check_order(&h, event, read);
	/* The queue is idle again. */
	rig_ok(&h.rig, ops->finish(queue));
	rig_done(&h.rig, launched(&h, queue, h.note, DPRP_LAUNCH_BRIEF, NULL));
	ck_assert(ran_here(&h));
	close_here(&h);
}
END_TEST

/* On an idle queue, too, work waits for what it depends on. */
START_TEST(test_dependent)
{
	const dprp_queue_ops *ops;
	unsigned char read[64] = { 0 };
	dprp_event *event[6];
	dprp_queue *other;
	dprp_deps deps;
	struct here h;

	open_here(&h, _i, NULL);
	ops = h.rig.plugin->queue;
	other = rig_queue(&h.rig, 0, NULL);
	rig_ok(&h.rig, ops->fill(other, h.mem, 0, 64, "\1", 1, NULL, NULL));
	event[0] = launched(&h, h.rig.queue, h.gate, 0, NULL);
	deps = rig_deps(event, 1);
	event[1] = launched(&h, other, h.note, DPRP_LAUNCH_BRIEF, &deps);
	rig_ok(&h.rig,
	       ops->fill(other, h.mem, 64, 64, "\1", 1, &deps, &event[2]));
	rig_ok(&h.rig,
	       ops->copy(other, h.mem, 64, h.mem, 0, 64, &deps, &event[3]));
	rig_ok(&h.rig, ops->read(other, h.mem, 64, read, 64, &deps, &event[4]));
	rig_ok(&h.rig, ops->barrier(other, &deps, &event[5]));
	check_order(&h, event, read);
	ops->destroy(other);
	close_here(&h);
}
END_TEST

/* Copies and fills of some bytes are done at once, too, and right. */
START_TEST(test_moves)
{
	static unsigned char bytes[96 << 10], got[96 << 10];
	static const size_t sizes[] = { 0, 1, 96, 4096, 65536, 65537, 98304 };
	dprp_event_state state = { .struct_size = sizeof(state) };
	const dprp_queue_ops *ops;
	dprp_event *event;
	struct here h;
	size_t i, k;

	open_here(&h, _i, NULL);
	ops = h.rig.plugin->queue;
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const size_t n = sizes[i];

		for (k = 0; k < n; k++)
			bytes[k] = (unsigned char)(k * 7 + i);
		memset(got, 0, sizeof(got));
		rig_ok(&h.rig,
		       ops->write(h.rig.queue, h.mem, 3, bytes, n, NULL, NULL));
		rig_ok(&h.rig,
		       ops->read(h.rig.queue, h.mem, 3, got, n, NULL, &event));
		if (n <= 65536)
			ck_assert_uint_eq(rig_state(&h.rig, event, &state),
					  DPRP_EVENT_DONE);
		rig_done(&h.rig, event);
		ck_assert_mem_eq(got, bytes, n ? n : 1);
	}
	for (k = 0; k < 4080; k++)
		bytes[k] = "abcdefghijkl"[k % 12];
	rig_ok(&h.rig, ops->fill(h.rig.queue, h.mem, 5, 4080, "abcdefghijkl",
				 12, NULL, NULL));
	rig_read(&h.rig, h.mem, 5, got, 4080);
	ck_assert_mem_eq(got, bytes, 4080);
	close_here(&h);
}
END_TEST

/* The work of a part of the device stays on its own threads. */
START_TEST(test_part)
{
	static const char *const options[] = { "THREADS=2", NULL };
	const uint64_t counts[2] = { 1, 1 };
	const dprp_partition how = { .struct_size = sizeof(how),
				     .how = DPR_PARTITION_COUNTS,
				     .n_counts = 2,
				     .counts = counts };
	const dprp_queue_desc desc = { .struct_size = sizeof(desc) };
	dprp_device *parts[2];
	dprp_queue *queue;
	struct here h;
	uint64_t got;
	uint32_t n;

	open_here(&h, _i, options);
	if (h.rig.plugin->device->partition(h.rig.device, &how, parts, 2, &n)) {
		close_here(&h);
		return;
	}
	rig_ok(&h.rig, h.rig.plugin->queue->create(h.rig.context, parts[1],
						   &desc, &got, &queue));
	rig_done(&h.rig, launched(&h, queue, h.note, DPRP_LAUNCH_BRIEF, NULL));
	ck_assert_int_eq(h.seen.noted_turn, 1);
	ck_assert(!ran_here(&h));
	h.rig.plugin->queue->destroy(queue);
	close_here(&h);
}
END_TEST

/* Floats are computed as on the queue's thread, and what this thread has set
   for itself stays. */
START_TEST(test_floats)
{
	struct here h;

	open_here(&h, _i, NULL);
	feclearexcept(FE_ALL_EXCEPT);
	ck_assert_int_eq(fesetround(FE_UPWARD), 0);
#if defined(__SSE2__)
	_mm_setcsr(_mm_getcsr() | 0x8040); /* tiny numbers become 0 */
#endif
	rig_done(&h.rig,
		 launched(&h, h.rig.queue, h.note, DPRP_LAUNCH_BRIEF, NULL));
	ck_assert_int_eq(fegetround(), FE_UPWARD);
	ck_assert_int_eq(fetestexcept(FE_INEXACT), 0);
#if defined(__SSE2__)
	ck_assert_uint_eq(_mm_getcsr() & 0x8040, 0x8040);
	_mm_setcsr(_mm_getcsr() & ~0x8040u);
#endif
	fesetround(FE_TONEAREST);
	ck_assert(ran_here(&h));
	ck_assert(h.seen.third == 0x1.555556p-2f);
	ck_assert(h.seen.half == FLT_MIN / 2);
	close_here(&h);
}
END_TEST

/* Without memory for an event nothing is done. */
START_TEST(test_no_memory)
{
	dprp_event *event;
	struct here h;

	open_here(&h, _i, NULL);
	pthread_mutex_lock(&h.rig.lock);
	h.rig.fail_at = h.rig.allocs + 1;
	pthread_mutex_unlock(&h.rig.lock);
	rig_rc(&h.rig, DPR_RC_OOM_HOST,
	       launch(&h, h.rig.queue, h.note, DPRP_LAUNCH_BRIEF, NULL,
		      &event));
	ck_assert_int_eq(h.seen.noted_turn, 0);
	/* Without an event no memory is needed. */
	pthread_mutex_lock(&h.rig.lock);
	h.rig.fail_at = h.rig.allocs + 1;
	pthread_mutex_unlock(&h.rig.lock);
	rig_ok(&h.rig,
	       launch(&h, h.rig.queue, h.note, DPRP_LAUNCH_BRIEF, NULL, NULL));
	ck_assert_int_eq(h.seen.noted_turn, 1);
	h.rig.fail_at = 0;
	close_here(&h);
}
END_TEST

static void add(Suite *suite)
{
	rig_add(suite, "idle", test_idle);
	rig_add(suite, "flags", test_flags);
	rig_add(suite, "behind", test_behind);
	rig_add(suite, "dependent", test_dependent);
	rig_add(suite, "moves", test_moves);
	rig_add(suite, "part", test_part);
	rig_add(suite, "floats", test_floats);
	rig_add(suite, "no memory", test_no_memory);
}

int main(void)
{
	setenv("DPR_TEST_BACKENDS", "host", 1);
	return rig_main("backend_here", add);
}
