/* SPDX-License-Identifier: Apache-2.0 */
/* mem.h - host memory, with overflow checked and faults on demand. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Host memory.  mem_alloc() and mem_array() zero it.  mem_grow() resizes a
 * block to n * size bytes and does not zero the new ones.  The others copy
 * bytes or a string.  NULL: no memory, or the size overflows.  Records no
 * error.
 */
void *mem_alloc(size_t size);
void *mem_array(size_t n, size_t size);
void *mem_grow(void *block, size_t n, size_t size);
void *mem_copy(const void *from, size_t size);
char *mem_string(const char *text);
void mem_free(void *block);

/* mem_alloc() for a plugin, which is counted apart. */
void *mem_lend(size_t size);

/* The status for a NULL from these functions, with its text recorded. */
#define fail_memory(what) \
	fail(DPR_ERROR_OUT_OF_MEMORY, "%s: out of host memory", (what))

/*
 * Tests only: let the allocation after @n further ones fail, and with
 * mem_fault_after() also all that follow, up to mem_fault_clear().
 * mem_fault_count() is the number of allocations since the start;
 * mem_own_count() leaves out those for plugins.  mem_fault_set(): whether some
 * may fail now.
 */
void mem_fault_after(uint64_t n);
void mem_fault_once(uint64_t n);
void mem_fault_clear(void);
bool mem_fault_set(void);
uint64_t mem_fault_count(void);
uint64_t mem_own_count(void);

#endif
