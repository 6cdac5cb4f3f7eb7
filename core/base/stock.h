/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stock.h - free lists of blocks of one size.
 *
 * Use these lists for objects that are made and freed all the time.  Most
 * programs take and give back one block at a time.  Either costs one exchange
 * of a pointer.
 */
#ifndef BASE_STOCK_H
#define BASE_STOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

/* Under AddressSanitizer no blocks are cached.  Otherwise it would not find uses
   after free. */
#if defined(__SANITIZE_ADDRESS__)
#define STOCK_KEEPS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STOCK_KEEPS 0
#endif
#endif
#ifndef STOCK_KEEPS
#define STOCK_KEEPS 128 /* the most blocks in a free list, beside `spare` */
#endif

struct stock {
	size_t size; /* the size of a block, at least that of a pointer */
	_Atomic(void *) spare;
	pthread_mutex_t lock;
	/* Guards the members below. */
	void *first; /* each block begins with a pointer to the next block */
	size_t count;
};

#define STOCK_INIT(bytes)                                           \
	{                                                           \
		.size = (bytes), .lock = PTHREAD_MUTEX_INITIALIZER, \
	}

/* Take a block, which is not zeroed.  NULL: no memory; no error is recorded.
   Any thread may call this. */
void *stock_take(struct stock *stock);
/* Give a block back. */
void stock_give(struct stock *stock, void *block);
/* Free all cached blocks. */
void stock_empty(struct stock *stock);

#endif
