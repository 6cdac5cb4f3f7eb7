/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.h - BLAKE2b with 256 bits (RFC 7693): identifies data, and detects
 * changes.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_SIZE 32 /* the size of a result in bytes */

struct hash {
	uint64_t state[8];
	uint64_t taken; /* the number of bytes taken into `state` */
	unsigned char block[128];
	size_t used; /* the number of bytes in `block` */
};

/* Call start once, add any number of times, and end once.  The result is
   @out. */
void hash_start(struct hash *hash);
void hash_add(struct hash *hash, const void *data, size_t size);
void hash_end(struct hash *hash, unsigned char out[HASH_SIZE]);

#endif
