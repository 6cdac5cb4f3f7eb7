/* SPDX-License-Identifier: Apache-2.0 */
/* suspects.c - which submissions may have caused the loss of a device. */
#include "core/runtime/queue/suspects.h"

#include "core/base/mem.h"
#include "core/runtime/queue/event.h"
#include "core/runtime/queue/held_list.h"
#include "core/runtime/queue/queue_list.h"

/* How many submissions of a queue are named, and of how many queues. */
#define NAMES_MOST 4
#define QUEUES_MOST 8

/* The submissions of one queue, as they are printed. */
struct printed {
	const dpr_queue *queue;
	struct text *text;
	uint64_t named, others;
};

static void add_locked(struct printed *printed, uint64_t ticket)
{
	const struct queue_name *name =
		&printed->queue->names[ticket % QUEUE_NAMES];

	if (name->ticket != ticket || printed->named == NAMES_MOST) {
		printed->others++;
		return;
	}
	text_print(printed->text, "%s%s",
		   printed->named        ? ", "
		   : printed->text->size ? "; "
					 : "",
		   name->text);
	printed->named++;
}

static void add_in_order_locked(struct printed *printed)
{
	const dpr_queue *queue = printed->queue;
	uint64_t held = held_list_first(queue), ticket;
	/* Everything after a held submission is held. */
	uint64_t last = held ? held - 1 : queue->last;

	for (ticket = queue_done(queue) + 1; ticket <= last; ticket++)
		add_locked(printed, ticket);
}

/* Out of order, each submission that is not known complete is tracked. */
static void add_out_of_order_locked(struct printed *printed)
{
	const dpr_queue *queue = printed->queue;
	enum dpr_event_state state;
	size_t i;

	for (i = 0; i < queue->tracked.count; i++) {
		state = (enum dpr_event_state)atomic_load_explicit(
			&queue->tracked.list[i]->state, memory_order_acquire);
		if (!queue->tracked.list[i]->covers_all &&
		    state != DPR_EVENT_HELD && state < DPR_EVENT_COMPLETE)
			add_locked(printed, queue->tracked.list[i]->ticket);
	}
}

/* Print what is under way on a queue: the oldest by name, the others by
   number. */
static void print_queue_locked(const dpr_queue *queue, struct text *text)
{
	struct printed printed = { .queue = queue, .text = text };

	if (queue->in_order)
		add_in_order_locked(&printed);
	else
		add_out_of_order_locked(&printed);
	if (printed.others)
		text_print(text, "%s%llu %s",
			   printed.named ? " and "
			   : text->size  ? "; "
					 : "",
			   (unsigned long long)printed.others,
			   printed.named ? "more" : "submissions");
	if (printed.named + printed.others)
		text_print(text, " on %s", queue->name);
}

struct look {
	const dpr_device *root;
	struct text text;
	unsigned queues, more;
};

static bool look_at(dpr_queue *queue, void *user)
{
	struct look *look = user;
	size_t before = look->text.size;

	if (queue->device->root != look->root)
		return true;
	pthread_mutex_lock(&queue->lock);
	if (look->queues < QUEUES_MOST)
		print_queue_locked(queue, &look->text);
	else
		look->more += queue_done(queue) < queue->last;
	pthread_mutex_unlock(&queue->lock);
	look->queues += look->text.size > before;
	return true;
}

void suspects_note(dpr_device *device)
{
	dpr_device *root = device->root;
	struct look look = { .root = root };
	char *none = NULL, *text;

	if (atomic_load_explicit(&root->suspects, memory_order_acquire))
		return;
	queue_list_visit(look_at, &look);
	if (look.more)
		text_print(&look.text, "; and work on %u more queues",
			   look.more);
	/* If memory runs out, the text of the failure has no list. */
	text = text_take(&look.text);
	if (text &&
	    !atomic_compare_exchange_strong(&root->suspects, &none, text))
		mem_free(text);
}

void suspects_print(dpr_device *device, struct text *text)
{
	const char *list;

	suspects_note(device);
	list = atomic_load_explicit(&device->root->suspects,
				    memory_order_acquire);
	if (list && *list)
		text_print(text,
			   "; any of these submissions may have caused the "
			   "loss, because none of them was known to be "
			   "complete: %s",
			   list);
}
