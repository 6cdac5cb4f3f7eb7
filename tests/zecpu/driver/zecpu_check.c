/* SPDX-License-Identifier: Apache-2.0 */
/* zecpu_check.c - the beginning of each entry: calls are counted, handles are
   checked, misuse is recorded, knobs are read, and calls fail on demand. */
#include "zecpu_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAGIC UINT64_C(0x7a65637075000000) /* "zecpu" */
#define TEXTS 64

static const char *const entry_names[] = { "zeInit",
#define X(table, function) "ze" #table #function,
					   ZECPU_ENTRIES(X)
#undef X
#define X(name) #name,
						   ZECPU_EXTENSIONS(X)
#undef X
};

static const char *const knob_names[] = {
#define X(name, value, meaning) #name,
	ZECPU_KNOBS(X)
#undef X
};

static _Atomic int64_t knobs[] = {
#define X(name, value, meaning) value,
	ZECPU_KNOBS(X)
#undef X
};

static struct {
	pthread_mutex_t lock; /* innermost: no lock is taken under it */
	bool started;
	uint64_t violations;
	char *texts[TEXTS];
	/* The failure that a test has ordered. */
	int entry; /* -1: any that does not free or destroy */
	uint64_t countdown;
	ze_result_t result;
	const char *failed;
} check = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Atomic uint64_t calls[ZECPU_N_ENTRIES];
static atomic_bool failing;
static _Thread_local enum zecpu_entry current;

uint64_t zecpu_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void zecpu_sleep_us(int64_t us)
{
	struct timespec time = { us / 1000000, us % 1000000 * 1000 };

	if (us > 0)
		nanosleep(&time, NULL);
}

int64_t zecpu_knob(enum zecpu_knob knob)
{
	return atomic_load_explicit(&knobs[knob], memory_order_relaxed);
}

static int knob_find(const char *name)
{
	int i;

	for (i = 0; i < ZECPU_N_KNOBS; i++)
		if (strcmp(knob_names[i], name) == 0)
			return i;
	return -1;
}

bool zecpu_check_set(const char *knob, int64_t value)
{
	int i = knob_find(knob);

	zecpu_check_start();
	if (i < 0)
		return false;
	atomic_store(&knobs[i], value);
	return true;
}

int64_t zecpu_check_get(const char *knob)
{
	int i = knob_find(knob);

	zecpu_check_start();
	return i < 0 ? -1 : zecpu_knob((enum zecpu_knob)i);
}

static int entry_find(const char *name)
{
	int i;

	for (i = 0; i < ZECPU_N_ENTRIES; i++)
		if (strcmp(entry_names[i], name) == 0)
			return i;
	return -1;
}

bool zecpu_check_fail(const char *entry, uint64_t n, int result)
{
	int found = entry ? entry_find(entry) : -1;

	if (entry && found < 0)
		return false;
	pthread_mutex_lock(&check.lock);
	check.entry = found;
	check.countdown = n;
	check.result = (ze_result_t)result;
	check.failed = NULL;
	atomic_store(&failing, n != 0);
	pthread_mutex_unlock(&check.lock);
	return true;
}

/* Read ZECPU_FAIL=entry:n:result; the entry * stands for all entries. */
static void fail_by_text(const char *text)
{
	char entry[80];
	unsigned long n;
	unsigned result;

	if (sscanf(text, "%79[^:]:%lu:%i", entry, &n, (int *)&result) != 3 ||
	    !zecpu_check_fail(strcmp(entry, "*") == 0 ? NULL : entry, n,
			      (int)result))
		fprintf(stderr,
			"zecpu: ZECPU_FAIL=%s must be the name of an "
			"entry, a number and a result, as ENTRY:N:RESULT\n",
			text);
}

static void read_environment(void)
{
	char name[64];
	const char *text;
	char *end;
	long long value;
	int i;

	/* A variable that Intel's driver reads, too. */
	text = getenv("ZE_FLAT_DEVICE_HIERARCHY");
	if (text && strcmp(text, "COMPOSITE") != 0)
		atomic_store(&knobs[KNOB_FLAT], 1);
	for (i = 0; i < ZECPU_N_KNOBS; i++) {
		snprintf(name, sizeof(name), "ZECPU_%s", knob_names[i]);
		text = getenv(name);
		if (!text || !*text)
			continue;
		value = strtoll(text, &end, 0);
		if (*end)
			fprintf(stderr, "zecpu: %s=%s is not a number\n", name,
				text);
		else
			atomic_store(&knobs[i], value);
	}
	text = getenv("ZECPU_FAIL");
	if (text && *text)
		fail_by_text(text);
}

void zecpu_check_start(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_environment);
}

const char *zecpu_check_failed(void)
{
	const char *failed;

	pthread_mutex_lock(&check.lock);
	failed = check.failed;
	pthread_mutex_unlock(&check.lock);
	return failed;
}

/* Whether the entry frees or destroys.  It is never made to fail, since a
   program could do nothing about that. */
static bool entry_ends(const char *name)
{
	return strstr(name, "Destroy") || strstr(name, "Free") ||
	       strstr(name, "Close") || strstr(name, "Release");
}

static ze_result_t fail_now(enum zecpu_entry entry)
{
	ze_result_t result = ZE_RESULT_SUCCESS;
	unsigned i;

	pthread_mutex_lock(&check.lock);
	if (check.countdown &&
	    (check.entry == (int)entry ||
	     (check.entry < 0 && !entry_ends(entry_names[entry]))) &&
	    --check.countdown == 0) {
		result = check.result;
		check.failed = entry_names[entry];
		atomic_store(&failing, false);
	}
	pthread_mutex_unlock(&check.lock);
	if (result == ZE_RESULT_ERROR_DEVICE_LOST)
		for (i = 0; i < zecpu.n_devices; i++)
			zecpu_device_lose(i);
	return result;
}

ze_result_t zecpu_enter(enum zecpu_entry entry)
{
	current = entry;
	atomic_fetch_add_explicit(&calls[entry], 1, memory_order_relaxed);
	if (atomic_load_explicit(&failing, memory_order_relaxed))
		return fail_now(entry);
	return ZE_RESULT_SUCCESS;
}

const char *zecpu_entry_name(void)
{
	return entry_names[current];
}

uint64_t zecpu_check_calls(const char *entry)
{
	uint64_t sum = 0;
	int i;

	if (entry) {
		i = entry_find(entry);
		return i < 0 ? 0 : atomic_load(&calls[i]);
	}
	for (i = 0; i < ZECPU_N_ENTRIES; i++)
		sum += atomic_load(&calls[i]);
	return sum;
}

void zecpu_check_forget_calls(void)
{
	int i;

	for (i = 0; i < ZECPU_N_ENTRIES; i++)
		atomic_store(&calls[i], 0);
}

ze_result_t zecpu_misuse(ze_result_t result, const char *format, ...)
{
	char text[512];
	va_list list;
	int n;

	n = snprintf(text, sizeof(text), "%s: ", zecpu_entry_name());
	va_start(list, format);
	vsnprintf(text + n, sizeof(text) - (size_t)n, format, list);
	va_end(list);
	if (!zecpu_knob(KNOB_QUIET))
		fprintf(stderr, "zecpu: misuse: %s\n", text);
	if (zecpu_knob(KNOB_STRICT))
		abort();
	pthread_mutex_lock(&check.lock);
	if (check.violations < TEXTS) {
		free(check.texts[check.violations]);
		check.texts[check.violations] = strdup(text);
	}
	check.violations++;
	pthread_mutex_unlock(&check.lock);
	return result;
}

uint64_t zecpu_check_violations(void)
{
	uint64_t n;

	pthread_mutex_lock(&check.lock);
	n = check.violations;
	pthread_mutex_unlock(&check.lock);
	return n;
}

const char *zecpu_check_violation(uint64_t n)
{
	const char *text = NULL;

	pthread_mutex_lock(&check.lock);
	if (n < check.violations && n < TEXTS)
		text = check.texts[n];
	pthread_mutex_unlock(&check.lock);
	return text;
}

void zecpu_check_forget(void)
{
	pthread_mutex_lock(&check.lock);
	check.violations = 0;
	pthread_mutex_unlock(&check.lock);
}

/* --- handles --- */

static const char *const kind_names[] = {
	[KIND_DRIVER] = "driver",     [KIND_DEVICE] = "device",
	[KIND_CONTEXT] = "context",   [KIND_POOL] = "event pool",
	[KIND_EVENT] = "event",       [KIND_QUEUE] = "command queue",
	[KIND_LIST] = "command list", [KIND_FENCE] = "fence",
	[KIND_MODULE] = "module",     [KIND_KERNEL] = "kernel",
	[KIND_LOG] = "build log",
};

/* The kind that is counted as live; -1: none. */
static int kind_object(enum kind kind)
{
	switch (kind) {
	case KIND_DRIVER:
	case KIND_DEVICE: return -1;
	case KIND_CONTEXT: return ZECPU_CONTEXTS;
	case KIND_POOL: return ZECPU_POOLS;
	case KIND_EVENT: return ZECPU_EVENTS;
	case KIND_QUEUE: return ZECPU_QUEUES;
	case KIND_LIST: return ZECPU_LISTS;
	case KIND_FENCE: return ZECPU_FENCES;
	case KIND_MODULE: return ZECPU_MODULES;
	case KIND_KERNEL: return ZECPU_KERNELS;
	case KIND_LOG: return ZECPU_LOGS;
	}
	return -1;
}

void *zecpu_object_new(size_t size, enum kind kind)
{
	struct object *object = calloc(1, size);
	int counted = kind_object(kind);

	if (!object)
		return NULL;
	object->magic = MAGIC + kind;
	object->home = &zecpu;
	atomic_init(&object->alive, true);
	if (counted >= 0)
		atomic_fetch_add(&zecpu.live[counted], 1);
	pthread_mutex_lock(&check.lock);
	object->next = zecpu.objects;
	zecpu.objects = object;
	pthread_mutex_unlock(&check.lock);
	return object;
}

bool zecpu_object_is(const void *handle, enum kind kind, ze_result_t *result)
{
	const struct object *object = handle;
	const char *name = kind_names[kind];

	if (!object) {
		*result = zecpu_misuse(ZE_RESULT_ERROR_INVALID_NULL_HANDLE,
				       "the %s is NULL", name);
		return false;
	}
	*result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
	if (object->magic != MAGIC + kind)
		zecpu_misuse(*result, "%p is not a valid %s handle", handle,
			     name);
	else if (object->home != &zecpu)
		zecpu_misuse(*result, "the %s %p is of another driver", name,
			     handle);
	else if (!atomic_load(&object->alive))
		zecpu_misuse(*result, "the %s %p was destroyed", name, handle);
	else
		*result = ZE_RESULT_SUCCESS;
	return *result == ZE_RESULT_SUCCESS;
}

void zecpu_object_end(void *handle)
{
	struct object *object = handle;
	int counted = kind_object((enum kind)(object->magic - MAGIC));

	atomic_store(&object->alive, false);
	if (counted >= 0)
		atomic_fetch_sub(&zecpu.live[counted], 1);
}

void zecpu_object_hold(void *handle)
{
	struct object *object = handle;

	if (atomic_fetch_add(&object->inside, 1) > 0)
		zecpu_misuse(ZE_RESULT_SUCCESS,
			     "another thread uses the %s %p at the same time",
			     kind_names[object->magic - MAGIC], handle);
	zecpu_sleep_us(zecpu_knob(KNOB_SLOW_US));
}

void zecpu_object_drop(void *handle)
{
	struct object *object = handle;

	atomic_fetch_sub(&object->inside, 1);
}

bool zecpu_check_pointer(const void *pointer, const char *what,
			 ze_result_t *result)
{
	if (pointer)
		return true;
	*result = zecpu_misuse(ZE_RESULT_ERROR_INVALID_NULL_POINTER,
			       "%s is NULL", what);
	return false;
}

/* The beginning of every structure. */
struct any {
	int type;
	const struct any *next;
};

bool zecpu_check_type(const void *structure, ze_structure_type_t type,
		      ze_result_t *result)
{
	const struct any *any = structure;

	if (!zecpu_check_pointer(structure, "a structure", result))
		return false;
	if (any->type == (int)type)
		return true;
	*result = zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
			       "stype is %#x but must be %#x",
			       (unsigned)any->type, (unsigned)type);
	return false;
}

const void *zecpu_check_next(const void *structure, int type)
{
	const struct any *any = structure;

	for (any = any->next; any; any = any->next)
		if (any->type == type)
			return any;
	return NULL;
}
