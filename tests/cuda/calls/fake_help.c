/* SPDX-License-Identifier: Apache-2.0 */
/* fake_help.c - see fake_help.h. */
#include "tests/cuda/calls/fake_help.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "tests/cuda/cumock.h"

typedef unsigned char byte;

static int addresses(const struct cumock_run *run)
{
	uint64_t p[4]; /* to, base, stride, n */

	memcpy(p, run->params, sizeof(p));
	for (uint64_t i = 0; i < p[3]; i++) {
		const uint64_t value = p[1] + i * p[2];

		memcpy((byte *)(uintptr_t)p[0] + 8 * i, &value, 8);
	}
	return 0;
}

static int widen(const struct cumock_run *run)
{
	uint64_t p[5]; /* to, stride, from, n, total */

	memcpy(p, run->params, sizeof(p));
	for (uint64_t t = 0; t < p[4]; t++) {
		const uint64_t at = p[0] + t / p[3] * p[1] + 8 * (t % p[3]);
		int64_t wide;
		int32_t narrow;

		memcpy(&narrow, (byte *)(uintptr_t)(p[2] + 4 * t), 4);
		wide = narrow;
		memcpy((byte *)(uintptr_t)at, &wide, 8);
	}
	return 0;
}

static int diagonal(const struct cumock_run *run)
{
	uint64_t p[3], q[2]; /* a, step, stride; info, info_stride */
	uint32_t r[3];       /* n, words, mask */

	memcpy(p, run->params, sizeof(p));
	memcpy(r, run->params + 24, sizeof(r));
	memcpy(q, run->params + 40, sizeof(q));
	for (uint64_t b = 0; b < run->grid[0]; b++) {
		uint32_t found = 0, word, bits;

		for (uint32_t i = r[0]; i-- > 0; found = bits ? found : i + 1) {
			bits = 0;
			for (uint32_t w = 0; w < r[1]; w++) {
				memcpy(&word,
				       (byte *)(uintptr_t)(p[0] + b * p[2] +
							   i * p[1] + 4 * w),
				       4);
				bits |= word & (w % 2 ? 0x7fffffff : r[2]);
			}
		}
		memcpy((byte *)(uintptr_t)(q[0] + b * q[1]), &found, 4);
	}
	return 0;
}

static int copy(const struct cumock_run *run)
{
	uint64_t p[11]; /* to, from, each with three strides; rows, ... */
	uint32_t r[3];  /* words, part, flip */

	memcpy(p, run->params, sizeof(p));
	memcpy(r, run->params + sizeof(p), sizeof(r));
	for (uint64_t t = 0; t < p[10]; t++) {
		const uint64_t i = t % p[8], j = t / p[8] % p[9];
		const uint64_t b = t / p[8] / p[9];

		if ((r[1] == 1 && i <= j) || (r[1] == 2 && i >= j))
			continue;
		for (uint32_t w = 0; w < r[0]; w++) {
			uint32_t word;

			memcpy(&word,
			       (byte *)(uintptr_t)(p[4] + b * p[5] + i * p[6] +
						   j * p[7] + 4 * w),
			       4);
			word ^= w + 1 == r[0] ? r[2] : 0;
			memcpy((byte *)(uintptr_t)(p[0] + b * p[1] + i * p[2] +
						   j * p[3] + 4 * w),
			       &word, 4);
		}
	}
	return 0;
}

/* One part of a number, in single or double precision. */
static double part(uint64_t at, uint32_t words)
{
	double d;
	float f;

	memcpy(&f, (byte *)(uintptr_t)at, sizeof(f));
	if (words == 1)
		return (double)f;
	memcpy(&d, (byte *)(uintptr_t)at, sizeof(d));
	return d;
}

static void put(uint64_t at, uint32_t words, double value)
{
	const float f = (float)value;

	if (words == 1)
		memcpy((byte *)(uintptr_t)at, &f, sizeof(f));
	else
		memcpy((byte *)(uintptr_t)at, &value, sizeof(value));
}

static int spread(const struct cumock_run *run)
{
	uint64_t p[5]; /* to, stride, from, w, n */
	uint32_t words;

	memcpy(p, run->params, sizeof(p));
	memcpy(&words, run->params + sizeof(p), sizeof(words));
	for (uint64_t j = 0; j < p[4]; j++)
		for (uint64_t i = 0; i < p[4]; i++) {
			const uint64_t item = 4 * words, to = p[0] + j * p[1];
			const uint64_t column = p[4] * item;
			const uint64_t at = p[2] + j * column + i * item;
			const double im =
				part(p[3] + (2 * j + 1) * item, words);
			double re = part(at, words), other = 0;

			if (im > 0)
				other = part(at + column, words);
			if (im < 0) {
				other = -re;
				re = part(at - column, words);
			}
			put(to + 2 * i * item, words, re);
			put(to + (2 * i + 1) * item, words, other);
		}
	return 0;
}

static int mark(const struct cumock_run *run)
{
	uint64_t p[7]; /* a, stride, column, rows, columns, total, flags */
	uint32_t r[2]; /* most, skip */
	const uint32_t one = 1;

	memcpy(p, run->params, sizeof(p));
	memcpy(r, run->params + sizeof(p), sizeof(r));
	for (uint64_t t = 0; t < p[5]; t++) {
		const uint64_t i = t % p[3], j = t / p[3] % p[4];
		const uint64_t b = t / p[3] / p[4];
		uint32_t word;

		memcpy(&word,
		       (byte *)(uintptr_t)(p[0] + b * p[1] + j * p[2] + 4 * i),
		       4);
		if (i % 2 >= r[1] && (word & 0x7fffffff) > r[0])
			memcpy((byte *)(uintptr_t)(p[6] + 4 * b), &one, 4);
	}
	return 0;
}

static int spoil(const struct cumock_run *run)
{
	uint64_t p[6]; /* a, stride, step, n, total, flags */
	uint32_t words, flag;

	memcpy(p, run->params, sizeof(p));
	memcpy(&words, run->params + sizeof(p), sizeof(words));
	for (uint64_t t = 0; t < p[4]; t++) {
		const uint64_t b = t / p[3];

		memcpy(&flag, (byte *)(uintptr_t)(p[5] + 4 * b), 4);
		if (flag)
			memset((byte *)(uintptr_t)(p[0] + b * p[1] +
						   t % p[3] * p[2]),
			       0xff, (size_t)words * 4);
	}
	return 0;
}

void fake_help_install(void *mock_library)
{
	const struct cumock *mock = dlsym(mock_library, CUMOCK_SYMBOL);

	mock->kernel("dpr_addresses", addresses);
	mock->kernel("dpr_widen", widen);
	mock->kernel("dpr_diagonal", diagonal);
	mock->kernel("dpr_copy", copy);
	mock->kernel("dpr_spread", spread);
	mock->kernel("dpr_mark", mark);
	mock->kernel("dpr_spoil", spoil);
}
