/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.h - BLAKE2b with 256 bits (RFC 7693): identifies data, and detects
 * changes.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_SIZE 32 /* bytes of a result */

struct hash {
	uint64_t state[8];
	uint64_t taken; /* bytes in `state` */
	unsigned char block[128];
	size_t used; /* bytes in `block` */
};

/* Begin, add any number of times, end once: the result goes to @out. */
void hash_start(struct hash *hash);
void hash_add(struct hash *hash, const void *data, size_t size);
void hash_end(struct hash *hash, unsigned char out[HASH_SIZE]);

#endif
