/* SPDX-License-Identifier: Apache-2.0 */
/* mock_control.c - the control table: faults, delays and counts that tests
   order. */
#include "tests/plugins/mock/mock_impl.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define MOCK_HISTORY 4096
#define MOCK_ORDERS 64

pthread_mutex_t mock_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t mock_changed = PTHREAD_COND_INITIALIZER;
dprp_instance *mock_instances;

struct fault {
	uint64_t nth, times; /* nth 0: none */
	dprp_rc rc;
	int64_t native;
};

/* An order of a test for a command that is not enqueued yet. */
struct order {
	uint64_t nth; /* 0: a free slot */
	bool stall;
	dprp_rc rc;
	int64_t native;
};

static struct {
	/* Written under the lock, but read without it: in the child of a
	   fork(), the lock may be held by a thread that does not exist. */
	_Atomic uint64_t calls[MOCK_N_ENTRIES];
	struct fault faults[MOCK_N_ENTRIES];
	struct order orders[MOCK_ORDERS];
	uint64_t delay_ns;
	bool held, reorder;
	uint64_t steps;
	uint64_t meet_ns, met;
	uint64_t slow_ns[MOCK_N_ENTRIES];
	uint64_t lies[MOCK_N_LIES];
	bool blocks[MOCK_N_ENTRIES];
	uint64_t misplaced;
	uint64_t refused, violations;
} orders; /* under mock_lock */

static struct {
	int64_t live[MOCK_N_OBJECTS];
	int64_t bytes;
	uint64_t n_history;
	struct mock_record history[MOCK_HISTORY];
	bool has_created;
	struct mock_create created; /* the last call */
} counts;                           /* under mock_lock */

static unsigned moving[2]; /* running reads and writes; under mock_lock */
static uint64_t n_blocked; /* calls that wait; under mock_lock */
static _Thread_local bool is_sender;

static void dawdle(uint64_t ns)
{
	struct timespec ts = { .tv_sec = (time_t)(ns / 1000000000u),
			       .tv_nsec = (long)(ns % 1000000000u) };

	if (ns)
		nanosleep(&ts, NULL);
}

/* Whether @entry may wait for a device.  Only threads that may wait may call
   such an entry. */
static bool may_wait(enum mock_entry entry)
{
	return entry == MOCK_mem_alloc || entry == MOCK_mem_free ||
	       entry == MOCK_module_create || entry == MOCK_module_destroy ||
	       entry == MOCK_module_kernel ||
	       entry == MOCK_module_kernel_destroy;
}

/* Count a call, and wait while its entry is blocked. */
static void count_call(enum mock_entry entry)
{
	orders.calls[entry]++;
	orders.misplaced += is_sender && may_wait(entry);
	n_blocked++;
	while (orders.blocks[entry])
		pthread_cond_wait(&mock_changed, &mock_lock);
	n_blocked--;
}

void mock_is_sender(void)
{
	is_sender = true;
}

static bool is_busy(const dprp_instance *instance, const dprp_device *root)
{
	const dprp_queue *queue;

	for (queue = instance->queues; queue; queue = queue->next)
		if ((!root || queue->device->root == root) &&
		    queue->enqueued > queue->completed)
			return true;
	return false;
}

void mock_wait_idle(const dprp_instance *instance, const dprp_device *root)
{
	pthread_mutex_lock(&mock_lock);
	while (instance->options.waits && is_busy(instance, root))
		pthread_cond_wait(&mock_changed, &mock_lock);
	pthread_mutex_unlock(&mock_lock);
}

dprp_rc mock_enter(dprp_instance *instance, enum mock_entry entry)
{
	static const char *const names[] = {
#define MOCK__X(name) #name,
		MOCK_ENTRIES(MOCK__X)
#undef MOCK__X
	};
	char text[128] = MOCK_NAME ": ordered to fail: ";
	struct fault *f;
	int64_t native = 0;
	uint64_t slow;
	dprp_rc rc = DPR_RC_OK;

	pthread_mutex_lock(&mock_lock);
	count_call(entry);
	f = &orders.faults[entry];
	if (f->nth == 1 && f->times) {
		rc = f->rc;
		native = f->native;
		f->times--;
	} else if (f->nth > 1) {
		f->nth--;
	}
	slow = orders.slow_ns[entry];
	pthread_mutex_unlock(&mock_lock);
	dawdle(slow);
	if (rc && rc != MOCK_NOTHING && native != MOCK_SILENT) {
		strncat(text, names[entry], 64);
		instance->host.set_error(instance->host.self, rc, native, text);
	}
	return rc;
}

void mock_count(enum mock_entry entry)
{
	uint64_t slow;

	pthread_mutex_lock(&mock_lock);
	count_call(entry);
	slow = orders.slow_ns[entry];
	pthread_mutex_unlock(&mock_lock);
	dawdle(slow);
}

void mock_born(enum mock_object what, int by)
{
	pthread_mutex_lock(&mock_lock);
	counts.live[what] += by;
	pthread_mutex_unlock(&mock_lock);
}

void mock_bytes_add(int64_t by)
{
	counts.bytes += by;
}

void mock_command_orders(struct mock_command *command)
{
	struct order *o;

	if (orders.delay_ns)
		command->not_before = mock_now() + orders.delay_ns;
	for (o = orders.orders; o < orders.orders + MOCK_ORDERS; o++) {
		if (!o->nth || --o->nth)
			continue;
		command->stalled |= o->stall;
		if (o->rc) {
			command->fault = o->rc;
			command->fault_native = o->native;
		}
	}
}

bool mock_may_start(void)
{
	return !orders.held || orders.steps;
}

void mock_started(void)
{
	if (orders.held)
		orders.steps--;
}

bool mock_reorders(void)
{
	return orders.reorder;
}

void mock_record(const struct mock_record *record)
{
	if (counts.n_history < MOCK_HISTORY)
		counts.history[counts.n_history] = *record;
	counts.n_history++;
}

void mock_note_create(const dprp_module_desc *desc)
{
	struct mock_create *c = &counts.created;
	uint32_t i;

	pthread_mutex_lock(&mock_lock);
	snprintf(c->format, sizeof(c->format), "%s", desc->images[0]->format);
	c->has_options = desc->options != NULL;
	snprintf(c->options, sizeof(c->options), "%s",
		 desc->options ? desc->options : "");
	c->flags = desc->flags;
	c->n_spec = desc->n_spec;
	memset(c->spec, 0, sizeof(c->spec));
	for (i = 0; i < desc->n_spec && i < MOCK_MAX_SPEC; i++) {
		c->spec[i].id = desc->spec[i].id;
		c->spec[i].size = desc->spec[i].size;
		memcpy(&c->spec[i].value, desc->spec[i].value,
		       desc->spec[i].size);
	}
	counts.has_created = true;
	pthread_mutex_unlock(&mock_lock);
}

void mock_refused(void)
{
	orders.refused++;
}

void mock_violation(void)
{
	orders.violations++;
}

void mock_move_begin(bool write)
{
	uint64_t until = mock_now() + orders.meet_ns, seen = orders.met;
	struct timespec ts = { .tv_sec = (time_t)(until / 1000000000u),
			       .tv_nsec = (long)(until % 1000000000u) };
	bool late = false;

	moving[write]++;
	if (moving[!write]) {
		orders.met++;
		pthread_cond_broadcast(&mock_changed);
		return;
	}
	while (orders.meet_ns && orders.met == seen && !late)
		late = pthread_cond_clockwait(&mock_changed, &mock_lock,
					      CLOCK_MONOTONIC, &ts) != 0;
}

void mock_move_end(bool write)
{
	moving[write]--;
}

/* The control table. */

static void control_reset(void)
{
	dprp_instance *instance;
	dprp_queue *queue;
	struct mock_command *command;

	pthread_mutex_lock(&mock_lock);
	memset(&orders, 0, sizeof(orders));
	counts.n_history = 0;
	counts.has_created = false;
	for (instance = mock_instances; instance; instance = instance->next)
		for (queue = instance->queues; queue; queue = queue->next)
			for (command = queue->first; command;
			     command = command->next) {
				command->stalled = false;
				command->not_before = 0;
			}
	pthread_cond_broadcast(&mock_changed);
	pthread_mutex_unlock(&mock_lock);
}

static uint64_t control_calls(enum mock_entry entry)
{
	return orders.calls[entry];
}

static void control_fail(enum mock_entry entry, uint64_t nth, uint64_t times,
			 dprp_rc rc, int64_t native)
{
	pthread_mutex_lock(&mock_lock);
	orders.faults[entry] = (struct fault){ nth, times, rc, native };
	pthread_mutex_unlock(&mock_lock);
}

static void control_order(struct order order)
{
	struct order *o;

	pthread_mutex_lock(&mock_lock);
	for (o = orders.orders; o < orders.orders + MOCK_ORDERS; o++)
		if (!o->nth) {
			*o = order;
			break;
		}
	pthread_mutex_unlock(&mock_lock);
}

static void control_fail_command(uint64_t nth, dprp_rc rc, int64_t native)
{
	control_order((struct order){ nth, false, rc, native });
}

static void control_stall_command(uint64_t nth)
{
	control_order((struct order){ nth, true, DPR_RC_OK, 0 });
}

static void control_delay(uint64_t ns)
{
	pthread_mutex_lock(&mock_lock);
	orders.delay_ns = ns;
	pthread_mutex_unlock(&mock_lock);
}

static void control_hold(int on)
{
	pthread_mutex_lock(&mock_lock);
	orders.held = on;
	orders.steps = 0;
	pthread_cond_broadcast(&mock_changed);
	pthread_mutex_unlock(&mock_lock);
}

static void control_step(uint64_t n)
{
	pthread_mutex_lock(&mock_lock);
	orders.steps += n;
	pthread_cond_broadcast(&mock_changed);
	pthread_mutex_unlock(&mock_lock);
}

static void control_reorder(int on)
{
	pthread_mutex_lock(&mock_lock);
	orders.reorder = on;
	pthread_mutex_unlock(&mock_lock);
}

/* Lose a device of an instance, with the lock held. */
static void lose_one(dprp_instance *instance, uint32_t index,
		     struct mock_token **told)
{
	dprp_queue *queue;

	instance->roots[index].lost = true;
	for (queue = instance->queues; queue; queue = queue->next)
		if (queue->device->root->index == index)
			mock_queue_abort(queue, DPR_RC_DEVICE_LOST,
					 MOCK_NAME ": device lost", told);
}

/* Each instance tells its host first, while nothing shows the loss.  No
   instance may be opened or closed meanwhile. */
static void control_lose(uint32_t index)
{
	dprp_instance *losers[16], *instance;
	struct mock_token *told = NULL;
	size_t i, n = 0;

	pthread_mutex_lock(&mock_lock);
	for (instance = mock_instances; instance; instance = instance->next)
		if (index < instance->options.devices && n < 16)
			losers[n++] = instance;
	pthread_mutex_unlock(&mock_lock);
	for (i = 0; i < n; i++)
		losers[i]->host.device_lost(losers[i]->host.self,
					    &losers[i]->roots[index],
					    MOCK_NAME ": ordered");
	pthread_mutex_lock(&mock_lock);
	for (i = 0; i < n; i++)
		lose_one(losers[i], index, &told);
	pthread_cond_broadcast(&mock_changed);
	pthread_mutex_unlock(&mock_lock);
	mock_tell(told);
}

static uint64_t control_pending(void)
{
	dprp_instance *instance;
	dprp_queue *queue;
	uint64_t n = 0;

	pthread_mutex_lock(&mock_lock);
	for (instance = mock_instances; instance; instance = instance->next)
		for (queue = instance->queues; queue; queue = queue->next)
			n += queue->enqueued - queue->completed;
	pthread_mutex_unlock(&mock_lock);
	return n;
}

static uint64_t control_live(enum mock_object what)
{
	int64_t n;

	pthread_mutex_lock(&mock_lock);
	n = counts.live[what];
	pthread_mutex_unlock(&mock_lock);
	return (uint64_t)n;
}

static uint64_t control_bytes(void)
{
	int64_t n;

	pthread_mutex_lock(&mock_lock);
	n = counts.bytes;
	pthread_mutex_unlock(&mock_lock);
	return (uint64_t)n;
}

static uint64_t control_history(struct mock_record *out, size_t capacity)
{
	uint64_t all, n;

	pthread_mutex_lock(&mock_lock);
	all = counts.n_history;
	n = all < MOCK_HISTORY ? all : MOCK_HISTORY;
	if (n > capacity)
		n = capacity;
	if (n)
		memcpy(out, counts.history, n * sizeof(*out));
	pthread_mutex_unlock(&mock_lock);
	return all;
}

static void control_meet(uint64_t ns)
{
	pthread_mutex_lock(&mock_lock);
	orders.meet_ns = ns;
	pthread_mutex_unlock(&mock_lock);
}

static uint64_t control_met(void)
{
	uint64_t n;

	pthread_mutex_lock(&mock_lock);
	n = orders.met;
	pthread_mutex_unlock(&mock_lock);
	return n;
}

uint64_t mock_lie(enum mock_lie what)
{
	return orders.lies[what];
}

static void control_lie(enum mock_lie what, uint64_t value)
{
	pthread_mutex_lock(&mock_lock);
	orders.lies[what] = value;
	pthread_mutex_unlock(&mock_lock);
}

static bool control_created(struct mock_create *out)
{
	bool has;

	pthread_mutex_lock(&mock_lock);
	has = counts.has_created;
	*out = counts.created;
	pthread_mutex_unlock(&mock_lock);
	return has;
}

static void control_slow(enum mock_entry entry, uint64_t ns)
{
	pthread_mutex_lock(&mock_lock);
	orders.slow_ns[entry] = ns;
	pthread_mutex_unlock(&mock_lock);
}

static void control_block(enum mock_entry entry, int on)
{
	pthread_mutex_lock(&mock_lock);
	orders.blocks[entry] = on;
	pthread_cond_broadcast(&mock_changed);
	pthread_mutex_unlock(&mock_lock);
}

static uint64_t read_locked(const uint64_t *from)
{
	uint64_t n;

	pthread_mutex_lock(&mock_lock);
	n = *from;
	pthread_mutex_unlock(&mock_lock);
	return n;
}

static uint64_t control_blocked(void)
{
	return read_locked(&n_blocked);
}

static uint64_t control_misplaced(void)
{
	return read_locked(&orders.misplaced);
}

static uint64_t control_refused(void)
{
	return read_locked(&orders.refused);
}

static uint64_t control_violations(void)
{
	return read_locked(&orders.violations);
}

const struct mock_control mock_control = {
	.struct_size = sizeof(struct mock_control),
	.reset = control_reset,
	.calls = control_calls,
	.fail = control_fail,
	.fail_command = control_fail_command,
	.stall_command = control_stall_command,
	.delay = control_delay,
	.hold = control_hold,
	.step = control_step,
	.reorder = control_reorder,
	.lose = control_lose,
	.pending = control_pending,
	.live = control_live,
	.bytes = control_bytes,
	.history = control_history,
	.meet = control_meet,
	.met = control_met,
	.refused = control_refused,
	.violations = control_violations,
	.slow = control_slow,
	.lie = control_lie,
	.created = control_created,
	.block = control_block,
	.blocked = control_blocked,
	.misplaced = control_misplaced,
};
