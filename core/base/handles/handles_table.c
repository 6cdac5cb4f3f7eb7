/* SPDX-License-Identifier: Apache-2.0 */
/* handles_table.c - the table of the layer "handles": records by address. */
#include "core/base/handles/handles_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "core/base/mem.h"

#define BUCKETS 4096

/* How many objects that are gone keep their memory. */
#define MOST_GONE 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Guards the variables below. */
static struct handles_record *buckets[BUCKETS];
static struct handles_record *gone, **last_gone = &gone;
static size_t n_gone;

static atomic_bool lacks;

void handles_table_lock(void)
{
	pthread_mutex_lock(&lock);
}

void handles_table_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static size_t bucket_of(const void *object)
{
	/* Objects begin at multiples of 16 bytes. */
	const uintptr_t number = (uintptr_t)object / 16;

	return (size_t)((number ^ (number / BUCKETS)) % BUCKETS);
}

struct handles_record *handles_table_find(const void *object)
{
	struct handles_record *record = buckets[bucket_of(object)];

	while (record && record->object != object)
		record = record->next;
	return record;
}

struct handles_record *handles_table_add(const void *object,
					 enum handle_kind kind)
{
	struct handles_record *record = handles_table_find(object);
	struct handles_record **bucket = &buckets[bucket_of(object)];

	if (record)
		return record;
	record = mem_alloc(sizeof(*record));
	if (!record) {
		atomic_store(&lacks, true);
		return NULL;
	}
	record->object = object;
	record->kind = kind;
	record->next = *bucket;
	*bucket = record;
	return record;
}

bool handles_table_lacks(void)
{
	return atomic_load(&lacks);
}

void handles_table_remove(struct handles_record *record)
{
	struct handles_record **at = &buckets[bucket_of(record->object)];

	while (*at != record)
		at = &(*at)->next;
	*at = record->next;
	mem_free(record);
}

struct handles_record *handles_table_next(const struct handles_record *record)
{
	size_t i = record ? bucket_of(record->object) + 1 : 0;

	if (record && record->next)
		return record->next;
	while (i < BUCKETS && !buckets[i])
		i++;
	return i < BUCKETS ? buckets[i] : NULL;
}

struct handles_record *handles_table_keep(struct handles_record *record,
					  void (*give)(void *object))
{
	struct handles_record *oldest = gone;

	record->give = give;
	record->next_gone = NULL;
	*last_gone = record;
	last_gone = &record->next_gone;
	if (n_gone++ < MOST_GONE)
		return NULL;
	n_gone--;
	gone = oldest->next_gone;
	return oldest;
}
