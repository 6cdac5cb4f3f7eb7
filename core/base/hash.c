/* SPDX-License-Identifier: Apache-2.0 */
/* hash.c - BLAKE2b, written from RFC 7693. */
#include "core/base/hash.h"

#include <endian.h>
#include <string.h>

#define ROUNDS 12

static const uint64_t start[8] = {
	UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b),
	UINT64_C(0x3c6ef372fe94f82b), UINT64_C(0xa54ff53a5f1d36f1),
	UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f),
	UINT64_C(0x1f83d9abfb41bd6b), UINT64_C(0x5be0cd19137e2179),
};

/* The order in which each round uses the words of the block.  The last two
   rounds repeat the first two. */
static const unsigned char order[ROUNDS][16] = {
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	{ 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
	{ 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4 },
	{ 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8 },
	{ 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13 },
	{ 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9 },
	{ 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11 },
	{ 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10 },
	{ 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5 },
	{ 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0 },
	{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
	{ 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
};

static inline uint64_t turn(uint64_t x, unsigned n)
{
	return x >> n | x << (64 - n);
}

/* Mix four words of @v with two words of the block. */
static inline void mix(uint64_t *v, unsigned a, unsigned b, unsigned c,
		       unsigned d, uint64_t x, uint64_t y)
{
	v[a] += v[b] + x;
	v[d] = turn(v[d] ^ v[a], 32);
	v[c] += v[d];
	v[b] = turn(v[b] ^ v[c], 24);
	v[a] += v[b] + y;
	v[d] = turn(v[d] ^ v[a], 16);
	v[c] += v[d];
	v[b] = turn(v[b] ^ v[c], 63);
}

static void take_block(struct hash *hash, const unsigned char *block, int last)
{
	uint64_t m[16], v[16];
	unsigned i;

	for (i = 0; i < 16; i++) {
		memcpy(&m[i], block + 8 * i, 8);
		m[i] = le64toh(m[i]);
	}
	memcpy(v, hash->state, sizeof(hash->state));
	memcpy(v + 8, start, sizeof(start));
	v[12] ^= hash->taken;
	if (last)
		v[14] = ~v[14];
	for (i = 0; i < ROUNDS; i++) {
		const unsigned char *s = order[i];

		mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
		mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
		mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
		mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
		mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
		mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
		mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
		mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
	}
	for (i = 0; i < 8; i++)
		hash->state[i] ^= v[i] ^ v[i + 8];
}

void hash_start(struct hash *hash)
{
	memset(hash, 0, sizeof(*hash));
	memcpy(hash->state, start, sizeof(start));
	/* The parameters: no key, one leaf, the size of the result. */
	hash->state[0] ^= UINT64_C(0x01010000) ^ HASH_SIZE;
}

void hash_add(struct hash *hash, const void *data, size_t size)
{
	const unsigned char *from = data;

	while (size) {
		size_t room = sizeof(hash->block) - hash->used;

		/* Keep a full block until more data follows: hash_end() handles
		   the last block. */
		if (!room) {
			hash->taken += sizeof(hash->block);
			take_block(hash, hash->block, 0);
			hash->used = 0;
			room = sizeof(hash->block);
		}
		if (room > size)
			room = size;
		memcpy(hash->block + hash->used, from, room);
		hash->used += room;
		from += room;
		size -= room;
	}
}

void hash_end(struct hash *hash, unsigned char out[HASH_SIZE])
{
	uint64_t word;
	unsigned i;

	hash->taken += hash->used;
	memset(hash->block + hash->used, 0, sizeof(hash->block) - hash->used);
	take_block(hash, hash->block, 1);
	for (i = 0; i < HASH_SIZE / 8; i++) {
		word = htole64(hash->state[i]);
		memcpy(out + 8 * i, &word, 8);
	}
}
