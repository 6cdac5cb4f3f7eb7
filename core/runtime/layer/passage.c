/* SPDX-License-Identifier: Apache-2.0 */
/* passage.c - a call of an entry on its way from the core to the plugin. */
#include "core/runtime/layer/passage.h"

#include <pthread.h>
#include <sys/resource.h>

#include "core/base/clock.h"
#include "core/base/mem.h"

/* How long an entry may take that must not wait, in nanoseconds. */
#define PROMPT UINT64_C(2000000)

/* A thread that has called an entry.  It is not on the thread's stack, since a
   thread may be cancelled in a driver's wait. */
struct passage_thread {
	struct passage_thread *next, *previous;
	/* Guarded by the lock. */
	struct layer *layer; /* the layer of the current call, or NULL */
	enum entry entry;
	uint64_t since;
	bool told;
	/* The thread's own. */
	unsigned probing;
	bool has_error, has_text;
	bool starved;  /* host->alloc() returned NULL in this call */
	dprp_rc error; /* the last code that set_error() got */
};

char passage_unset[1];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guards the list. */
static struct passage_thread *threads;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool key_made;

/* --- Threads ----------------------------------------------------------------
 */

static void thread_ends(void *pointer)
{
	struct passage_thread *thread = pointer;

	pthread_mutex_lock(&lock);
	if (thread->next)
		thread->next->previous = thread->previous;
	if (thread->previous)
		thread->previous->next = thread->next;
	else
		threads = thread->next;
	pthread_mutex_unlock(&lock);
	mem_free(thread);
}

static void make_key(void)
{
	key_made = !pthread_key_create(&key, thread_ends);
}

/* What is kept of this thread; NULL: nothing, or with @make no memory. */
static struct passage_thread *thread_here(bool make)
{
	struct passage_thread *thread;

	pthread_once(&once, make_key);
	if (!key_made)
		return NULL;
	thread = pthread_getspecific(key);
	if (thread || !make)
		return thread;
	thread = mem_alloc(sizeof(*thread));
	if (!thread)
		return NULL;
	if (pthread_setspecific(key, thread)) {
		mem_free(thread);
		return NULL;
	}
	pthread_mutex_lock(&lock);
	thread->next = threads;
	if (threads)
		threads->previous = thread;
	threads = thread;
	pthread_mutex_unlock(&lock);
	return thread;
}

static void set_under_way(struct passage_thread *thread, struct layer *layer,
			  enum entry entry, uint64_t since)
{
	pthread_mutex_lock(&lock);
	thread->layer = layer;
	thread->entry = entry;
	thread->since = since;
	thread->told = false;
	pthread_mutex_unlock(&lock);
}

void passage_each(bool (*visit)(void *user, struct layer *layer,
				enum entry entry, uint64_t since),
		  void *user)
{
	struct passage_thread *thread;

	pthread_mutex_lock(&lock);
	for (thread = threads; thread; thread = thread->next)
		if (thread->layer && !thread->told)
			thread->told = visit(user, thread->layer, thread->entry,
					     thread->since);
	pthread_mutex_unlock(&lock);
}

void passage_lock(void)
{
	pthread_mutex_lock(&lock);
}

void passage_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

bool passage_known(void)
{
	return thread_here(false) != NULL;
}

bool passage_error(dprp_rc rc, const char *text)
{
	struct passage_thread *thread = thread_here(false);

	if (!thread)
		return true;
	if (thread->probing)
		return false;
	thread->has_error = true;
	thread->has_text = text && *text;
	thread->error = rc;
	return true;
}

void passage_starve(void)
{
	struct passage_thread *thread = thread_here(false);

	if (thread)
		thread->starved = true;
}

void passage_probe(void)
{
	struct passage_thread *thread = thread_here(false);

	if (thread)
		thread->probing++;
}

void passage_probed(void)
{
	struct passage_thread *thread = thread_here(false);

	if (thread)
		thread->probing--;
}

/* --- Calls ------------------------------------------------------------------
 */

static uint64_t nanoseconds(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000u +
	       (uint64_t)time.tv_usec * 1000u;
}

static struct passage_time time_now(void)
{
	struct passage_time time = { .wall = clock_now() };
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		return time;
	time.processor =
		nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
	time.waits = usage.ru_nvcsw;
	return time;
}

dprp_rc passage_open(struct passage *p, struct layer *layer, enum entry entry)
{
	dprp_rc rc;

	*p = (struct passage){
		.layer = layer,
		.entry = entry,
		.allowed = PROMPT,
	};
	rc = layer->fails ? layer->fails(layer, entry) : DPR_RC_OK;
	if (rc)
		return rc;
	atomic_fetch_add_explicit(&layer->calls, 1, memory_order_relaxed);
	p->thread = thread_here(true);
	p->start = layer->checks ? time_now() : (struct passage_time){ 0 };
	if (!p->thread)
		return DPR_RC_OK;
	p->thread->has_error = p->thread->has_text = false;
	p->thread->starved = false;
	set_under_way(p->thread, layer, entry, p->start.wall);
	return DPR_RC_OK;
}

/* The core gave a handle that does not exist.  Returns DPR_RC_ABI. */
static dprp_rc refuse_handle(struct layer *layer, enum entry entry,
			     enum tag_kind kind)
{
	static const char *const names[TAG_KINDS] = {
		"an instance", "a device", "a context", "a queue", "an event",
		"memory",      "a module", "a kernel",  "a block"
	};

	finding_post(
		layer, entry, DPR_LOG_ERROR, FINDING_CORE,
		"handles that were made and not destroyed",
		"the handle of %s that does not exist any more; the plugin "
		"is not called",
		names[kind]);
	return DPR_RC_ABI;
}

dprp_rc passage_begin(struct passage *p, enum entry entry, enum tag_kind kind,
		      const void *shown, void **real)
{
	struct layer *layer = NULL;

	*real = tag_real(kind, shown, &layer);
	return *real ? passage_open(p, layer, entry)
		     : refuse_handle(NULL, entry, kind);
}

void *passage_real(const struct passage *p, enum tag_kind kind,
		   const void *shown)
{
	struct layer *layer = NULL;
	void *real = tag_real(kind, shown, &layer);

	if (real && layer == p->layer)
		return real;
	(void)refuse_handle(p->layer, p->entry, kind);
	return NULL;
}

dprp_rc passage_begin_making(struct passage *p, enum entry entry,
			     enum tag_kind kind, const dprp_context *context,
			     const dprp_device *device,
			     struct passage_maker *maker)
{
	dprp_rc rc =
		passage_begin(p, entry, TAG_CONTEXT, context, &maker->context);

	if (rc)
		return rc;
	maker->device = passage_real(p, TAG_DEVICE, device);
	if (!maker->device)
		return passage_cancel(p, DPR_RC_ABI);
	maker->tag = tag_new(p->layer, kind, tag_number(context));
	return maker->tag ? DPR_RC_OK : passage_cancel(p, DPR_RC_OOM_HOST);
}

dprp_rc passage_cancel(struct passage *p, dprp_rc rc)
{
	if (p->thread)
		set_under_way(p->thread, NULL, p->entry, 0);
	return rc;
}

static void check_time(struct passage *p, const char *rule)
{
	struct passage_time now = time_now();
	uint64_t wall = now.wall - p->start.wall;
	uint64_t processor = now.processor - p->start.processor;

	/* One that only had to wait for the processor did not wait by
	   itself. */
	if (wall <= p->allowed ||
	    (processor <= p->allowed && now.waits == p->start.waits))
		return;
	finding_post(p->layer, p->entry, DPR_LOG_WARN, rule,
		     "a call that does not wait for work",
		     "a call of %.1f ms, %.1f ms of them on the processor, "
		     "where %.1f ms are allowed",
		     (double)wall / 1e6, (double)processor / 1e6,
		     (double)p->allowed / 1e6);
}

/* Whether a plugin may return @rc without a call of set_error(). */
static bool needs_no_error(dprp_rc rc)
{
	return rc == DPR_RC_NO_PATH || rc == DPR_RC_CANNOT_WAIT ||
	       rc == DPR_RC_HOST_MEMORY;
}

static void check_code(struct passage *p, dprp_rc rc)
{
	const struct passage_thread *thread = p->thread;

	if (rc && !plugin_rc_exists(p->layer->plugin, rc)) {
		passage_bad(p, "E1", "DPR_RC_OK or a negative code of the list",
			    "the code %d", (int)rc);
	} else if (rc == DPR_RC_CANNOT_WAIT && !p->has_deps) {
		passage_bad(p, "S8", "any other code, without dependencies",
			    "DPR_RC_CANNOT_WAIT");
	} else if (rc == DPR_RC_HOST_MEMORY && p->entry != ENTRY_queue_write &&
		   p->entry != ENTRY_queue_read) {
		passage_bad(p, "S9", "any other code, except of write and read",
			    "DPR_RC_HOST_MEMORY");
	} else if (rc && !needs_no_error(rc) && thread) {
		if (!thread->has_error)
			passage_bad(p, "E2",
				    "a call of set_error() in this thread "
				    "before it returns",
				    "the code %d without one", (int)rc);
		else if (thread->error != rc)
			passage_bad(p, "E2",
				    "set_error() with the code that is "
				    "returned",
				    "the code %d, and %d in set_error()",
				    (int)rc, (int)thread->error);
		else if (!thread->has_text)
			passage_bad(p, "E2", "a sentence in set_error()",
				    "the code %d without a text", (int)rc);
	}
}

/* Check the code of a call in which memory ran out. */
static void check_starved(struct passage *p, dprp_rc rc)
{
	if (rc && rc != DPR_RC_OOM_HOST && p->thread && p->thread->starved)
		passage_bad(p, "H4", "DPR_RC_OOM_HOST, or success",
			    "the code %d after host->alloc() returned NULL",
			    (int)rc);
}

dprp_rc passage_end_by(struct passage *p, dprp_rc rc, const char *rule)
{
	(void)passage_cancel(p, rc);
	if (!p->layer->checks)
		return rc;
	if (rule)
		check_time(p, rule);
	check_code(p, rc);
	check_starved(p, rc);
	return rc;
}

void *passage_made(struct passage *p, dprp_rc rc, struct tag *tag, void *real)
{
	bool twice = false;
	void *shown;

	if (rc || !real || real == PASSAGE_UNSET) {
		if (!rc)
			passage_bad(p, "P1", "a handle that is not NULL",
				    "DPR_RC_OK, but the handle %s",
				    real ? "was not set" : "is NULL");
		tag_drop(tag);
		return NULL;
	}
	shown = tag_add(tag, real, &twice);
	/* A driver's handle may be wrapped more than once, and a plugin may have a
	   single context. */
	if (twice && p->entry != ENTRY_plugin_native_wrap &&
	    tag->kind != TAG_CONTEXT)
		passage_bad(p, tag->kind == TAG_KERNEL ? "K4" : "P1",
			    "a handle that is not in use",
			    "a handle that was given before and is not "
			    "destroyed");
	return shown;
}
