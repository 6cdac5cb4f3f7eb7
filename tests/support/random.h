/* SPDX-License-Identifier: Apache-2.0 */
/* random.h - the same pseudo-random numbers on every machine. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state; /* not 0 */
};

static inline uint64_t random_next(struct random *r)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return r->state * UINT64_C(0x2545f4914f6cdd1d);
}

/* A number from @low to @high, both included. */
static inline int64_t random_between(struct random *r, int64_t low,
				     int64_t high)
{
	return low +
	       (int64_t)((random_next(r) >> 11) % (uint64_t)(high - low + 1));
}

#endif
