/* SPDX-License-Identifier: Apache-2.0 */
/* failures.c - remembers kernels that the driver's compiler has refused. */
#include "core/array/engine/failures.h"

#include <pthread.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"

#define FAILURES_KEEP 32

struct refused {
	void *key; /* NULL: the entry is empty */
	size_t size;
	char *text;
};

/* Guards failures_ring, in which a new entry replaces the oldest. */
static pthread_mutex_t failures_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct refused failures_ring[FAILURES_KEEP];
static size_t failures_next;

static void drop_failures(void)
{
	pthread_mutex_lock(&failures_mutex);
	for (size_t i = 0; i < FAILURES_KEEP; i++) {
		mem_free(failures_ring[i].key);
		mem_free(failures_ring[i].text);
		failures_ring[i] = (struct refused){ 0 };
	}
	pthread_mutex_unlock(&failures_mutex);
}

static void add_hook(void)
{
	static struct kept_hook hook = { .drop = drop_failures };

	process_add_kept(&hook);
}

static const struct refused *find_locked(const void *key, size_t size)
{
	for (size_t i = 0; i < FAILURES_KEEP; i++)
		if (failures_ring[i].key && failures_ring[i].size == size &&
		    memcmp(failures_ring[i].key, key, size) == 0)
			return &failures_ring[i];
	return NULL;
}

dpr_status failures_tell(const void *key, size_t size)
{
	const struct refused *refused;
	dpr_status status = DPR_OK;

	pthread_mutex_lock(&failures_mutex);
	refused = find_locked(key, size);
	if (refused)
		status = fail(DPR_ERROR_BUILD, "%s", refused->text);
	pthread_mutex_unlock(&failures_mutex);
	return status;
}

void failures_note(const void *key, size_t size, dpr_status status)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct refused refused = { .size = size }, old;

	/* Only a refusal should be remembered.  The error text of a refusal has
	   several lines: the message of the compiler begins on the second
	   line. */
	if (status != DPR_ERROR_BUILD || !strchr(dpr_last_error(), '\n'))
		return;
	pthread_once(&once, add_hook);
	/* If memory runs out, the failure is not remembered, and the kernel is
	   compiled again at the next call. */
	refused.key = mem_copy(key, size);
	refused.text = mem_string(dpr_last_error());
	if (!refused.key || !refused.text) {
		mem_free(refused.key);
		mem_free(refused.text);
		return;
	}
	pthread_mutex_lock(&failures_mutex);
	old = failures_ring[failures_next];
	failures_ring[failures_next] = refused;
	failures_next = (failures_next + 1) % FAILURES_KEEP;
	pthread_mutex_unlock(&failures_mutex);
	mem_free(old.key);
	mem_free(old.text);
}
