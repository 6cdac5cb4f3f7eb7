/* SPDX-License-Identifier: Apache-2.0 */
/* mem.c - the only code of the core that allocates host memory. */
#include "core/base/mem.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/base.h>

/* The number of allocations.  Those with a number from `limit` up to, but not
   including, `end` fail.  Relaxed: tests set the limit while no other thread
   allocates. */
static atomic_uint_fast64_t count;
static atomic_uint_fast64_t limit = UINT64_MAX;
static atomic_uint_fast64_t end = UINT64_MAX;
/* The number of allocations for plugins. */
static atomic_uint_fast64_t lent;

/* Count an allocation.  Returns whether the allocation must fail.  It must if a
   test wants this, or if the size exceeds any object: sanitizers report a
   malloc() of such a size as an error. */
static bool is_refused(size_t size)
{
	uint64_t n = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);

	return size > PTRDIFF_MAX ||
	       (n >= atomic_load_explicit(&limit, memory_order_relaxed) &&
		n < atomic_load_explicit(&end, memory_order_relaxed));
}

void *mem_alloc(size_t size)
{
	return is_refused(size) ? NULL : calloc(1, size ? size : 1);
}

void *mem_array(size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes) || is_refused(bytes))
		return NULL;
	return calloc(1, bytes ? bytes : 1);
}

void *mem_grow(void *block, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes) || is_refused(bytes))
		return NULL;
	return realloc(block, bytes ? bytes : 1);
}

void *mem_append_bytes(void *list, size_t *n, size_t size)
{
	char *grown;
	void *old;

	memcpy(&old, list, sizeof(old));
	grown = mem_grow(old, *n + 1, size);
	if (!grown)
		return NULL;
	memcpy(list, &grown, sizeof(grown));
	return memset(grown + (*n)++ * size, 0, size);
}

void *mem_copy(const void *from, size_t size)
{
	void *copy = mem_alloc(size);

	if (copy && size)
		memcpy(copy, from, size);
	return copy;
}

void *mem_lend(size_t size)
{
	atomic_fetch_add_explicit(&lent, 1, memory_order_relaxed);
	return mem_alloc(size);
}

char *mem_string(const char *text)
{
	return mem_copy(text, strlen(text) + 1);
}

void mem_zero(void *memory, size_t size)
{
	memset(memory, 0, size);
}

void mem_free(void *block)
{
	free(block);
}

void dpr_free(void *block)
{
	free(block);
}

void mem_fault_after(uint64_t n)
{
	atomic_store(&end, UINT64_MAX);
	atomic_store(&limit, atomic_load(&count) + n);
}

void mem_fault_once(uint64_t n)
{
	uint64_t at = atomic_load(&count) + n;

	atomic_store(&end, at + 1);
	atomic_store(&limit, at);
}

void mem_fault_clear(void)
{
	atomic_store(&limit, UINT64_MAX);
}

bool mem_fault_set(void)
{
	return atomic_load_explicit(&limit, memory_order_relaxed) != UINT64_MAX;
}

uint64_t mem_fault_count(void)
{
	return atomic_load(&count);
}

uint64_t mem_own_count(void)
{
	return atomic_load(&count) - atomic_load(&lent);
}
