/* SPDX-License-Identifier: Apache-2.0 */
/* mem.h - host memory: overflow checks, and failures for tests. */
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

/* Append a zeroed element to the array *@list of *@n elements, for mem_free().
   Returns the element; NULL: no memory, and nothing has changed. */
#define mem_append(list, n) \
	((__typeof__(*(list)))mem_append_bytes((list), (n), sizeof(**(list))))
void *mem_append_bytes(void *list, size_t *n, size_t size);

/* Zero memory by a call of the C library.  For the path of a launch, where the
   code that a compiler makes of memset() with a constant size is slower. */
void mem_zero(void *memory, size_t size);

/* mem_alloc() for a plugin: counted separately. */
void *mem_lend(size_t size);

/* Record that one of these functions returned NULL; yields the status. */
#define fail_memory(what) \
	fail(DPR_ERROR_OUT_OF_MEMORY, "%s: out of host memory", (what))

/*
 * Tests only.  After @n further allocations, mem_fault_once() lets one fail,
 * mem_fault_after() all until mem_fault_clear(). mem_fault_count() is the
 * number of allocations since the start; mem_own_count() leaves out those for
 * plugins. mem_fault_set(): whether one of the first two is in effect.
 */
void mem_fault_after(uint64_t n);
void mem_fault_once(uint64_t n);
void mem_fault_clear(void);
bool mem_fault_set(void);
uint64_t mem_fault_count(void);
uint64_t mem_own_count(void);

#endif
