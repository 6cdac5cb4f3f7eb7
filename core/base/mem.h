/* SPDX-License-Identifier: Apache-2.0 */
/* mem.h - host memory: overflow checks, and failures for tests. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Host memory.  mem_alloc() and mem_array() return zeroed memory.  mem_grow()
 * resizes a block to n * size bytes, and does not zero new bytes.  mem_copy()
 * and mem_string() copy bytes and strings.  NULL: no memory, or the size
 * overflows.  No error is recorded.
 */
void *mem_alloc(size_t size);
void *mem_array(size_t n, size_t size);
void *mem_grow(void *block, size_t n, size_t size);
void *mem_copy(const void *from, size_t size);
char *mem_string(const char *text);
void mem_free(void *block);

/* Append a zeroed element to the array *@list of *@n elements, which is freed
   with mem_free().  Returns the element.  NULL: no memory, and nothing has
   changed. */
#define mem_append(list, n) \
	((__typeof__(*(list)))mem_append_bytes((list), (n), sizeof(**(list))))
void *mem_append_bytes(void *list, size_t *n, size_t size);

/* Zero memory with a call of the C library.  On the path of a launch this is
   faster than the code that compilers make from memset() with a constant
   size. */
void mem_zero(void *memory, size_t size);

/* Like mem_alloc(), for a plugin.  Counted separately. */
void *mem_lend(size_t size);

/* Record that one of these functions returned NULL.  The value is the
   status. */
#define fail_memory(what) \
	fail(DPR_ERROR_OUT_OF_MEMORY, "%s: out of host memory", (what))

/*
 * For tests only.  After @n further allocations, mem_fault_once() lets one
 * allocation fail, and mem_fault_after() all until mem_fault_clear().
 * mem_fault_set(): whether one of these is in effect.  mem_fault_count() is the
 * number of allocations since the start.  mem_own_count() leaves out
 * allocations for plugins.
 */
void mem_fault_after(uint64_t n);
void mem_fault_once(uint64_t n);
void mem_fault_clear(void);
bool mem_fault_set(void);
uint64_t mem_fault_count(void);
uint64_t mem_own_count(void);

#endif
