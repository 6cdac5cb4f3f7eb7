/* SPDX-License-Identifier: Apache-2.0 */
/* no_heap.h - check that work allocates nothing from the heap, in the core or
   in plugins (which allocate through the core).  For unit tests. */
#ifndef TESTS_NO_HEAP_H
#define TESTS_NO_HEAP_H

#include <check.h>

#include "core/base/mem.h"
#include "core/base/stock.h"

/* Check that nothing was allocated since mem_fault_count() returned @before.
   Not with a sanitizer, under which no memory is reused. */
#define CHECK_NO_HEAP(before)                                           \
	do {                                                            \
		if (STOCK_KEEPS)                                        \
			ck_assert_uint_eq(mem_fault_count(), (before)); \
	} while (0)

#endif
