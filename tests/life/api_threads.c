/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_threads.c - eight threads do all kinds of jobs at once, on all devices,
 * and each checks its results.
 *
 * DPR_TEST_SECONDS: the shortest duration (10; 2 with DPR_TEST_SMALL).
 * DPR_TEST_SEED: the seed of the run, which is printed.  The seed decides the
 * jobs of each thread; their times depend on the machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/life/threads.h"
#include "tests/plugins/mock_control.h"

#define N_THREADS 8
#define N_SLOTS 16
#define LONGEST 40000 /* so that host has work for its own threads */
#define SECOND UINT64_C(1000000000)

/* No leak check here; other tests have it.  The leak check crashes on threads
   of drivers and backends that still exist when the program ends. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

struct place places[MAX_PLACES];
size_t n_places;
static const struct mock_control *faulty; /* of mock2 */
dpr_device *faulty_device;
uint64_t seed;
static atomic_int stopping;
_Thread_local struct worker *self;

static pthread_mutex_t slot_lock = PTHREAD_MUTEX_INITIALIZER;
/* Events left for other threads to use; slot_lock guards them. */
static dpr_event *slots[N_SLOTS];

int64_t pick(int64_t low, int64_t high)
{
	return random_between(&self->random, low, high);
}

struct place *pick_place(void)
{
	return &places[pick(0, (int64_t)n_places - 1)];
}

dpr_usm_kind pick_kind(const struct place *place)
{
	return place->kinds[pick(0, place->n_kinds - 1)];
}

void check_steps(const dpr_array *x, int64_t first, int64_t step)
{
	int64_t n = dpr_array_size(x), i;
	int32_t *have = malloc((size_t)(n ? n : 1) * sizeof(*have));

	OK(dpr_array_to_memory(x, have, dpr_array_nbytes(x), NULL));
	for (i = 0; i < n; i++)
		if (have[i] != (int32_t)(first + step * i))
			BAD("element %lld of %lld is %d, not %lld",
			    (long long)i, (long long)n, have[i],
			    (long long)(first + step * i));
	free(have);
}

static dpr_array *new_steps(dpr_queue *queue, int64_t n, int first)
{
	dpr_array *x;

	OK(dpr_arange(first, first + n, 1, DPR_INT32, queue, &x));
	return x;
}

/* --- Jobs ------------------------------------------------------------------
 */

/* Make arrays of many sizes and kinds.  Release them in another order, while
   work that uses them is queued. */
static void job_arrays(void)
{
	const struct place *place = pick_place();
	dpr_array *list[12];
	int32_t value[12];
	size_t i, j;

	for (i = 0; i < 12; i++) {
		value[i] = (int32_t)pick(-1000, 1000);
		OK(dpr_full_on(DPR_SHAPE(pick(1, LONGEST)), value[i], DPR_INT32,
			       place->queue, pick_kind(place), &list[i]));
	}
	for (i = 0; i < 12; i++) {
		j = (size_t)pick(0, 11);
		if (!list[j])
			continue;
		if (pick(0, 1))
			check_steps(list[j], value[j], 0);
		dpr_array_release(list[j]);
		list[j] = NULL;
	}
	for (i = 0; i < 12; i++)
		dpr_array_release(list[i]);
}

static void job_elementwise(void)
{
	dpr_array *x = new_steps(pick_place()->queue, pick(1, LONGEST), 7);
	dpr_array *y, *z;

	OK(dpr_multiply(x, 3, &y));
	OK(dpr_add(x, y, &z));
	OK(dpr_subtract_into(z, 5, z));
	dpr_array_release(y);
	dpr_array_release(x);
	check_steps(z, 4 * 7 - 5, 4);
	dpr_array_release(z);
}

static void job_reduce(void)
{
	int64_t n = pick(1, LONGEST);
	dpr_array *x = new_steps(pick_place()->queue, n, 1), *sum, *most;
	dpr_operand value;

	OK(dpr_sum(x, NULL, &sum));
	OK(dpr_max(x, NULL, &most));
	dpr_array_release(x);
	OK(dpr_array_item(sum, &value));
	SAME(value.as.i, n * (n + 1) / 2);
	OK(dpr_array_item(most, &value));
	SAME(value.as.i, n);
	dpr_array_release(sum);
	dpr_array_release(most);
}

/* Transpose a matrix, transpose it back, and join it with another. */
static void job_copies(void)
{
	int64_t rows = pick(1, 60), columns = pick(1, 60);
	dpr_array *x = new_steps(pick_place()->queue, rows * columns, 0);
	dpr_array *matrix, *transposed, *copy, *back, *both;
	const dpr_array *list[2];

	OK(dpr_reshape(x, DPR_SHAPE(rows, columns), &matrix));
	OK(dpr_matrix_transpose(matrix, &transposed));
	OK(dpr_copy(transposed, &copy));
	OK(dpr_matrix_transpose(copy, &back));
	check_steps(back, 0, 1);
	OK(dpr_add_into(matrix, 1, matrix));
	OK(dpr_copy_into(back, matrix));
	list[0] = back;
	list[1] = matrix;
	OK(dpr_concat(list, 2, 0, &both));
	SAME(dpr_array_size(both), 2 * rows * columns);
	dpr_array_release(x);
	dpr_array_release(matrix);
	OK(dpr_array_view(both, &x, DPR_SLICE(0, rows, 1)));
	check_steps(x, 1, 1);
	dpr_array_release(x);
	dpr_array_release(transposed);
	dpr_array_release(copy);
	dpr_array_release(back);
	dpr_array_release(both);
}

/* Move an array from device to device, sometimes as a view of the same
   memory. */
static void job_transfer(void)
{
	int64_t n = pick(1, LONGEST);
	dpr_array *x = new_steps(pick_place()->queue, n, 3), *moved;
	int i, hops = (int)pick(1, 4);

	for (i = 0; i < hops; i++) {
		const struct place *to = pick_place();

		OK(dpr_array_to_device(x, to->device, &moved));
		if (dpr_array_device(moved) != to->device)
			BAD("it is on %s",
			    dpr_device_selector(dpr_array_device(moved)));
		dpr_array_release(x);
		OK(dpr_add(moved, 1, &x));
		dpr_array_release(moved);
	}
	check_steps(x, 3 + hops, 1);
	dpr_array_release(x);
}

static void job_print(void)
{
	dpr_array *x = new_steps(pick_place()->queue, 12, 0), *matrix, *view;
	char *text;

	OK(dpr_reshape(x, DPR_SHAPE(3, 4), &matrix));
	OK(dpr_array_view(matrix, &view, DPR_SLICE(DPR_OPEN, DPR_OPEN, 2),
			  DPR_SLICE(1, 4, 2)));
	OK(dpr_array_format(view, NULL, &text));
	if (!strstr(text, "[[ 1  3]") || !strstr(text, "[ 9 11]]"))
		BAD("a view is printed as %s", text);
	dpr_free(text);
	dpr_array_release(view);
	dpr_array_release(matrix);
	dpr_array_release(x);
}

/* Build kernels, mostly from known sources, sometimes from a new one. */
static void job_kernel(void)
{
	const struct place *place = pick_place();
	int fresh = !pick(0, 15);
	dpr_kernel *kernel;
	dpr_array *x;
	char source[256];
	uint64_t n;

	while (!place->sources)
		place = pick_place();
	snprintf(source, sizeof(source),
		 "/* %lld */\n"
		 "kernel void add_one(global int *x, ulong n)\n"
		 "{ size_t i = get_global_id(0); if (i < n) x[i] += 1; }\n",
		 (long long)(fresh ? pick(10, 500) : pick(0, 3)));
	OK(dpr_kernel_from_source(place->queue, source, "add_one", &kernel));
	n = (uint64_t)pick(1, LONGEST);
	x = new_steps(place->queue, (int64_t)n, 10);
	OK(dpr_kernel_launch(place->queue, kernel, DPR_RANGE1(n), NULL, NULL,
			     DPR_ARG(x), DPR_ARG((unsigned long long)n)));
	dpr_kernel_release(kernel);
	check_steps(x, 11, 1);
	dpr_array_release(x);
}

/* Run a chain of commands on the queues of several devices, linked by
   events. */
static void job_chain(void)
{
	dpr_event *last = NULL, *next;
	dpr_usm *list[6];
	int32_t value = 0;
	int i;

	for (i = 0; i < 6; i++) {
		dpr_queue *queue = pick_place()->queue;

		OK(dpr_usm_alloc(queue, DPR_USM_DEVICE, 64, &list[i]));
		value = i + 100;
		OK(dpr_usm_fill(queue, list[i], 0, &value, 4, 64,
				last ? DPR_AFTER(last) : NULL, &next));
		dpr_event_release(last);
		last = next;
	}
	OK(dpr_event_wait(last));
	SAME(dpr_event_get_state(last), DPR_EVENT_COMPLETE);
	dpr_event_release(last);
	for (i = 0; i < 6; i++) {
		OK(dpr_usm_read(dpr_usm_queue(list[i]), &value, list[i], 60, 4,
				NULL, NULL));
		SAME(value, i + 100);
		dpr_usm_release(list[i]);
	}
}

static void note_done(dpr_event *event, dpr_status status, void *user)
{
	(void)event;
	if (status)
		atomic_store((atomic_int *)user, 1);
}

/* Take an event of another thread, and wait for it, poll it, or depend on the
   event. */
static void job_foreign_event(void)
{
	dpr_queue *queue = pick_place()->queue;
	static atomic_int failed;
	dpr_event *mine, *theirs;
	size_t slot = (size_t)pick(0, N_SLOTS - 1);

	OK(dpr_queue_barrier(queue, NULL, &mine));
	pthread_mutex_lock(&slot_lock);
	theirs = slots[slot];
	slots[slot] = dpr_event_retain(mine);
	pthread_mutex_unlock(&slot_lock);
	dpr_event_release(mine);
	if (!theirs)
		return;
	switch (pick(0, 3)) {
	case 0: OK(dpr_event_wait(theirs)); break;
	case 1:
		while (dpr_event_get_state(theirs) < DPR_EVENT_COMPLETE)
			;
		break;
	case 2: OK(dpr_event_on_end(theirs, note_done, &failed)); break;
	case 3:
		OK(dpr_queue_barrier(queue, DPR_AFTER(theirs), &mine));
		OK(dpr_event_wait(mine));
		SAME(dpr_event_get_state(theirs), DPR_EVENT_COMPLETE);
		dpr_event_release(mine);
		break;
	}
	dpr_event_release(theirs);
	if (atomic_load(&failed))
		BAD("an event failed");
}

struct follow_up {
	dpr_queue *queue;
	dpr_usm *usm;
	dpr_event *event;
	dpr_status status;
	atomic_int called;
};

static void submit_more(dpr_event *event, dpr_status status, void *user)
{
	struct follow_up *more = user;
	int32_t value = 77;

	(void)event;
	more->status = status;
	if (!status)
		more->status = dpr_usm_fill(more->queue, more->usm, 0, &value,
					    4, 64, NULL, &more->event);
	atomic_store_explicit(&more->called, 1, memory_order_release);
}

static void job_callback(void)
{
	const struct timespec pause = { 0, 100000 };
	const struct place *place = pick_place();
	struct follow_up more = { .queue = place->queue };
	int32_t value = 0;
	dpr_event *event;

	OK(dpr_usm_alloc(more.queue, pick_kind(place), 64, &more.usm));
	OK(dpr_queue_barrier(pick_place()->queue, NULL, &event));
	OK(dpr_event_on_end(event, submit_more, &more));
	dpr_event_release(event);
	while (!atomic_load_explicit(&more.called, memory_order_acquire))
		nanosleep(&pause, NULL);
	SAME(more.status, DPR_OK);
	OK(dpr_event_wait(more.event));
	dpr_event_release(more.event);
	OK(dpr_usm_read(more.queue, &value, more.usm, 60, 4, NULL, NULL));
	SAME(value, 77);
	dpr_usm_release(more.usm);
}

/* Work on a part of a device, on the whole device, and on the part again. */
static void job_part(void)
{
	const struct place *place = pick_place();
	dpr_array *x, *y, *z;

	while (!place->is_part)
		place = pick_place();
	x = new_steps(place->queue, 1000, 0);
	OK(dpr_array_to_device(x, dpr_device_parent(place->device), &y));
	OK(dpr_add_into(y, 2, y));
	OK(dpr_array_to_device(y, place->device, &z));
	check_steps(z, 2, 1);
	dpr_array_release(x);
	dpr_array_release(y);
	dpr_array_release(z);
}

/* Create a queue, and release it while its work is under way. */
static void job_queue(void)
{
	const struct place *place = pick_place();
	int32_t value = (int32_t)pick(0, 1 << 20);
	dpr_event *event;
	dpr_queue *queue;
	dpr_array *x, *y;

	OK(dpr_queue_create(place->device,
			    pick(0, 1) ? DPR_QUEUE_OUT_OF_ORDER : 0, &queue));
	OK(dpr_full(DPR_SHAPE(100), value, DPR_INT32, queue, &x));
	OK(dpr_add(x, 1, &y));
	OK(dpr_queue_barrier(queue, NULL, &event));
	dpr_queue_release(queue);
	dpr_array_release(x);
	if (pick(0, 1)) {
		OK(dpr_event_wait(event));
		check_steps(y, value + 1, 0);
	}
	dpr_event_release(event);
	dpr_array_release(y);
}

/* Add to a counter that all threads share, on one of two queues of its
   device. */
static void job_counter(void)
{
	struct place *place = pick_place();
	dpr_array *x;
	int i;

	while (!place->counter)
		place = pick_place();
	for (i = 0; i < 5; i++) {
		x = pick(0, 1) ? place->counter : place->view;
		OK(dpr_add_into(x, 1, x));
		atomic_fetch_add(&place->added, 1);
	}
}

/* Check a call on the faulty backend.  It may fail, but only with a fault's
   code in the text.  Returns 0 if it failed. */
static int went_well(dpr_status status, const char *what)
{
	if (!status)
		return 1;
	if (status != DPR_ERROR_DRIVER || (!strstr(dpr_last_error(), "-77") &&
					   !strstr(dpr_last_error(), "-42")))
		BAD("%s: %s: %s", what, dpr_status_name(status),
		    dpr_last_error());
	return 0;
}

static void fail_sometimes(void)
{
	static const enum mock_entry entries[] = {
		MOCK_queue_fill,    MOCK_queue_launch, MOCK_queue_barrier,
		MOCK_queue_create,  MOCK_mem_alloc,    MOCK_module_create,
		MOCK_module_kernel, MOCK_queue_flush,  MOCK_event_notify
	};

	if (pick(0, 3))
		return;
	faulty->fail(entries[pick(0, sizeof(entries) / sizeof(*entries) - 1)],
		     (uint64_t)pick(1, 3), 1, DPR_RC_NATIVE, -77);
}

/* Wait until the queue has reported all its failures. */
static void look_at(dpr_queue *queue)
{
	int i;

	for (i = 0; i < 100; i++)
		if (went_well(dpr_queue_wait(queue), "queue wait"))
			return;
	BAD("the queue does not stop failing");
}

/* Check that work that depends on the failing @event fails. */
static void wait_in_vain(dpr_queue *queue, dpr_event *event)
{
	dpr_event *later;

	if (went_well(dpr_queue_barrier(queue, DPR_AFTER(event), &later),
		      "barrier") &&
	    went_well(dpr_event_wait(later), "wait"))
		BAD("what waits for a failure did not fail");
	dpr_event_release(later);
	look_at(queue);
}

/* Submissions to the faulty device: some are refused, some fail later, with the
   work that depends on them there or on other backends.  A fault may hit the
   call of any thread. */
static void job_faults(void)
{
	dpr_queue *queue = NULL, *other;
	dpr_kernel *kernel = NULL;
	dpr_event *event = NULL;
	dpr_usm *usm = NULL;
	char source[64];

	fail_sometimes();
	snprintf(source, sizeof(source), "/* %d */ kernel void fail(void);",
		 (int)pick(0, 400));
	if (!went_well(dpr_queue_create(faulty_device, DPR_QUEUE_OUT_OF_ORDER,
					&queue),
		       "queue create"))
		return;
	OK(dpr_queue_create(pick_place()->device, 0, &other));
	if (went_well(dpr_usm_alloc(queue, DPR_USM_DEVICE, 4096, &usm),
		      "usm alloc"))
		went_well(dpr_usm_fill(queue, usm, 0, "abcd", 4, 4096, NULL,
				       NULL),
			  "fill");
	if (went_well(dpr_kernel_from_source(queue, source, "fail", &kernel),
		      "kernel") &&
	    went_well(dpr_kernel_launch_usm(queue, kernel, DPR_RANGE1(1), NULL,
					    &event, NULL, 0),
		      "launch"))
		wait_in_vain(pick(0, 1) ? queue : other, event);
	look_at(queue);
	dpr_event_release(event);
	dpr_kernel_release(kernel);
	dpr_usm_release(usm);
	dpr_queue_release(queue);
	dpr_queue_release(other);
}

/* Look up devices and queues, and check that error texts belong to this
   thread. */
static void job_look(void)
{
	const struct place *place = pick_place();
	dpr_device *device, *list[MAX_PLACES];
	const char *name = dpr_device_selector(place->device);
	char word[32];
	dpr_queue *queue;
	size_t n;

	OK(dpr_device_select(name, &device));
	if (device != place->device)
		BAD("%s selects another device", name);
	OK(dpr_canonical_queue(name, &queue));
	if (queue != place->queue)
		BAD("%s selects another queue", name);
	OK(dpr_device_enumerate(NULL, list, MAX_PLACES, &n));
	snprintf(word, sizeof(word), "word%u", self->number);
	SAME(dpr_device_select(word, &device), DPR_ERROR_SELECTOR);
	if (!strstr(dpr_last_error(), word))
		BAD("the text of another thread: %s", dpr_last_error());
}

static const struct job {
	const char *name;
	void (*run)(void);
} jobs[] = {
	{ "arrays", job_arrays },
	{ "elementwise", job_elementwise },
	{ "reduce", job_reduce },
	{ "copies", job_copies },
	{ "transfer", job_transfer },
	{ "print", job_print },
	{ "kernel", job_kernel },
	{ "chain", job_chain },
	{ "foreign event", job_foreign_event },
	{ "callback", job_callback },
	{ "part", job_part },
	{ "queue", job_queue },
	{ "counter", job_counter },
	{ "faults", job_faults },
	{ "look", job_look },
	{ "trim", job_trim },
	{ "limit", job_limit },
	{ "pressure", job_pressure },
	{ "statistics", job_statistics },
};
#define N_JOBS (sizeof(jobs) / sizeof(*jobs))

static atomic_ullong done[N_JOBS];

static void *work(void *user)
{
	size_t i;

	self = user;
	while (!atomic_load(&stopping)) {
		i = (size_t)pick(0, N_JOBS - 1);
		self->job = jobs[i].name;
		jobs[i].run();
		atomic_fetch_add(&done[i], 1);
	}
	return NULL;
}

/* --- The devices -----------------------------------------------------------
 */

static void add_place(dpr_device *device)
{
	static const char source[] = "kernel void add_one(global int *x, ulong "
				     "n) { if (get_global_id(0) < n) x[0]++; }";
	struct place *place = &places[n_places];
	dpr_kernel *kernel;
	dpr_usm_kind kind;
	dpr_usm *usm;

	if (n_places == MAX_PLACES)
		return;
	n_places++;
	place->device = device;
	place->is_part = dpr_device_parent(device) != NULL;
	OK(dpr_device_queue(device, &place->queue));
	for (kind = DPR_USM_DEVICE; kind <= DPR_USM_HOST; kind++)
		if (!dpr_usm_alloc(place->queue, kind, 64, &usm)) {
			place->kinds[place->n_kinds++] = kind;
			dpr_usm_release(usm);
		}
	if (!dpr_kernel_from_source(place->queue, source, "add_one", &kernel)) {
		place->sources = 1;
		dpr_kernel_release(kernel);
	}
	if (place->is_part)
		return;
	OK(dpr_queue_create(device, DPR_QUEUE_OUT_OF_ORDER, &place->second));
	OK(dpr_zeros(DPR_SCALAR_SHAPE, DPR_INT64, place->queue,
		     &place->counter));
	OK(dpr_array_to_queue(place->counter, place->second, &place->view));
	if (dpr_array_usm(place->view) != dpr_array_usm(place->counter))
		BAD("the view is a copy");
}

/* Use all devices except the faulty one, and two parts of each. */
static void find_places(void)
{
	dpr_device *list[MAX_PLACES], *parts[8];
	size_t n, n_parts, i, j;
	int sources = 0, any_part = 0;

	OK(dpr_device_enumerate("!mock2", list, MAX_PLACES, &n));
	for (i = 0; i < n && i < MAX_PLACES; i++) {
		uint64_t units = 0;

		if (!strncmp(dpr_device_backend(list[i]), "mock_bare", 9))
			continue;
		add_place(list[i]);
		if (dpr_device_info_u64(list[i], DPR_INFO_COMPUTE_UNITS,
					&units) ||
		    units < 2 ||
		    dpr_device_partition_equally(list[i], units / 2, parts, 8,
						 &n_parts))
			continue;
		for (j = 0; j < n_parts && j < 2; j++)
			add_place(parts[j]);
	}
	OK(dpr_device_select("mock2", &faulty_device));
	for (i = 0; i < n_places; i++) {
		printf("%s%s", i ? ", " : "on ",
		       dpr_device_selector(places[i].device));
		sources |= places[i].sources;
		any_part |= places[i].is_part;
	}
	printf("\n");
	if (!sources || !any_part)
		BAD("no device takes sources, or none has parts");
}

/* Let the mock run the array kernels for CPUs, and the user kernels that it
   knows. */
static void set_up(void)
{
	static const char formats[] = DPRP_NATIVE_FORMAT ",opencl-c,mock";
	const char *path = getenv("DPR_PLUGIN_PATH");
	const char *mocks = getenv("DPR_TEST_PLUGIN_DIR");
	char both[8192];

	if (!mocks)
		BAD("DPR_TEST_PLUGIN_DIR is not set");
	snprintf(both, sizeof(both), "%s%s%s", path ? path : "",
		 path ? ":" : "", mocks);
	setenv("DPR_PLUGIN_PATH", both, 1);
	setenv("DPR_OPTION_MOCK_FORMATS", formats, 1);
	setenv("DPR_OPTION_MOCK_TYPE", "cpu", 1);
	setenv("DPR_OPTION_MOCK_DEVICES", "2", 1);
	faulty = mock_control_open("mock2", NULL, 0);
	if (!faulty)
		BAD("no control of mock2");
	find_places();
}

static void tear_down(void)
{
	dpr_operand value;
	size_t i;

	faulty->reset();
	threads_pool_end();
	for (i = 0; i < N_SLOTS; i++)
		dpr_event_release(slots[i]);
	for (i = 0; i < n_places; i++) {
		struct place *place = &places[i];

		if (!place->counter)
			continue;
		OK(dpr_array_item(place->counter, &value));
		SAME(value.as.i, atomic_load(&place->added));
		dpr_array_release(place->view);
		dpr_array_release(place->counter);
		dpr_queue_release(place->second);
	}
	OK(dpr_finalize());
	SAME(faulty->live(MOCK_MEM), 0);
	SAME(faulty->live(MOCK_EVENT), 0);
	SAME(faulty->live(MOCK_QUEUE), 0);
	SAME(faulty->live(MOCK_MODULE), 0);
}

static uint64_t number_of(const char *name, uint64_t otherwise)
{
	const char *value = getenv(name);

	return value && *value ? strtoull(value, NULL, 0) : otherwise;
}

/* The first job that no thread has done yet, or NULL. */
static const char *not_done(void)
{
	size_t i;

	for (i = 0; i < N_JOBS; i++)
		if (!atomic_load(&done[i]))
			return jobs[i].name;
	return NULL;
}

/* Wait until the time is over and each job was done once, which may take longer
   on a busy machine. */
static void let_them_work(struct timespec rest)
{
	const struct timespec moment = { 0, 10000000 };
	int moments = 18000;

	while (nanosleep(&rest, &rest))
		;
	while (not_done()) {
		if (!moments--)
			BAD("nobody came to do %s", not_done());
		nanosleep(&moment, NULL);
	}
}

int main(void)
{
	uint64_t length = number_of("DPR_TEST_SECONDS",
				    getenv("DPR_TEST_SMALL") ? 2 : 10);
	const struct timespec rest = { (time_t)length, 0 };
	static struct worker workers[N_THREADS];
	unsigned i;

	seed = number_of("DPR_TEST_SEED", (uint64_t)time(NULL));
	printf("DPR_TEST_SEED=%llu, %llu s\n", (unsigned long long)seed,
	       (unsigned long long)length);
	fflush(stdout);
	/* If anything hangs, this signal ends the process. */
	alarm((unsigned)length + 240);
	set_up();
	for (i = 0; i < N_THREADS; i++) {
		workers[i].number = i + 1;
		workers[i].random.state = (seed + 1) * 1000003 + i * 7919;
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			BAD("no thread");
	}
	let_them_work(rest);
	atomic_store(&stopping, 1);
	for (i = 0; i < N_THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	for (i = 0; i < N_JOBS; i++)
		printf("%s %llu%s", jobs[i].name, (unsigned long long)done[i],
		       i + 1 < N_JOBS ? ", " : "\n");
	fflush(stdout);
	tear_down();
	return 0;
}
