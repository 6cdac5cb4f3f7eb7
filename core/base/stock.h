/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stock.h - blocks of one size, kept to be reused.
 *
 * For objects that are made and dropped all the time.  Taking and giving back
 * one at a time, as most programs do, costs one exchange of a pointer each.
 */
#ifndef BASE_STOCK_H
#define BASE_STOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

/* Under AddressSanitizer nothing is kept, so that it sees use after free. */
#if defined(__SANITIZE_ADDRESS__)
#define STOCK_KEEPS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STOCK_KEEPS 0
#endif
#endif
#ifndef STOCK_KEEPS
#define STOCK_KEEPS 128 /* blocks per stock, beside `spare` */
#endif

struct stock {
	size_t size; /* of a block; at least that of a pointer */
	_Atomic(void *) spare;
	pthread_mutex_t lock;
	/* Guards the fields below. */
	void *first; /* each begins with a pointer to the next */
	size_t count;
};

#define STOCK_INIT(bytes)                                           \
	{                                                           \
		.size = (bytes), .lock = PTHREAD_MUTEX_INITIALIZER, \
	}

/* Take a block, not zeroed.  NULL: no memory; records no error.  Any thread may
   call it. */
void *stock_take(struct stock *stock);
/* Give a block back. */
void stock_give(struct stock *stock, void *block);
/* Free what is kept. */
void stock_empty(struct stock *stock);

#endif
