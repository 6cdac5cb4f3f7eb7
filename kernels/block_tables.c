/* SPDX-License-Identifier: Apache-2.0 */
/* block_tables.c - finds the functions of block.h by number. */
#include "kernels/block_tables.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "kernels/native.h"

#define DPR_DTYPE 12
#include "kernels/types.cl"

/* Declare the functions of the native units.  Each is reached through a
   pointer. */
#define BLOCK_DTYPES(X) \
	X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(12) X(13) X(14) X(15)
#define BLOCK_DECLARE_DTYPE(n)                                   \
	extern block_function *const native_block_operation_##n; \
	extern block_function *const native_block_cast_##n;
#define BLOCK_SINGLES(X) \
	X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(14)
#define BLOCK_DECLARE_SINGLE(n) \
	extern block_function *const native_block_cast64_##n;
#define BLOCK_ITEMS(X) X(0, 1) X(1, 2) X(2, 4) X(3, 8) X(4, 16)
#define BLOCK_DECLARE_ITEM(shift, n)                           \
	extern block_function *const native_block_move_##n;    \
	extern block_mover *const native_block_mover_rows_##n; \
	extern block_mover *const native_block_mover_lines_##n;

#define BLOCK_NOT_BOOL(X) \
	X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(12) X(13) X(14) X(15)
#define BLOCK_DECLARE_MATH(n) \
	extern block_function *const native_block_math_##n;

BLOCK_DTYPES(BLOCK_DECLARE_DTYPE)
BLOCK_NOT_BOOL(BLOCK_DECLARE_MATH)
extern block_function *const native_block_cast_10;
extern block_function *const native_block_cast_11;
BLOCK_SINGLES(BLOCK_DECLARE_SINGLE)
BLOCK_ITEMS(BLOCK_DECLARE_ITEM)

block_function *const *const block_tables_functions[BLOCK_UNITS] = {
#define BLOCK_DTYPE(n)                                       \
	[BLOCK_OPERATION + n] = &native_block_operation_##n, \
			   [BLOCK_CAST + n] = &native_block_cast_##n,
#define BLOCK_MATHS(n) [BLOCK_MATH + n] = &native_block_math_##n,
	BLOCK_NOT_BOOL(BLOCK_MATHS) BLOCK_DTYPES(BLOCK_DTYPE)[BLOCK_CAST + 10] =
		&native_block_cast_10,
	[BLOCK_CAST + 11] = &native_block_cast_11,
#define BLOCK_SINGLE(n) [BLOCK_CAST64 + n] = &native_block_cast64_##n,
	BLOCK_SINGLES(BLOCK_SINGLE)
#define BLOCK_ITEM(shift, n) [BLOCK_MOVE + shift] = &native_block_move_##n,
		BLOCK_ITEMS(BLOCK_ITEM)
};

static block_mover *const *const movers[] = {
#define BLOCK_MOVER(shift, n) &native_block_mover_rows_##n,
	BLOCK_ITEMS(BLOCK_MOVER)
};

void block_tables_move(int shift, const struct block_move *m)
{
	(*movers[shift])(m);
}

void block_tables_count(const struct block_move *m, int64_t first)
{
	for (int64_t j = 0; j < m->n[1]; j++) {
		int64_t *to = (int64_t *)m->to + j * m->to_step[1];
		const int64_t at = first + j * m->from_step[1];
		const int64_t step = m->from_step[0];

		if (m->to_step[0] == 1)
			for (int64_t i = 0; i < m->n[0]; i++)
				to[i] = at + i * step;
		else
			for (int64_t i = 0; i < m->n[0]; i++)
				to[i * m->to_step[0]] = at + i * step;
	}
}

void block_tables_move_lines(int shift, const struct block_move *m)
{
	static block_mover *const *const line_movers[] = {
#define BLOCK_LINE_MOVER(shift, n) &native_block_mover_lines_##n,
		BLOCK_ITEMS(BLOCK_LINE_MOVER)
	};

	(*line_movers[shift])(m);
}

void block_tables_fill_unit(unsigned char *to, int n, int shift)
{
	const int rest = -n & (BLOCK_UNIT - 1);
	unsigned char *end = to + ((size_t)n << shift);

	if (n == 1)
		/* Moving a whole unit is faster than moving a part of it. */
		block_tables_move(
			shift, &(struct block_move){ .to = to,
						     .from = to,
						     .n = { BLOCK_UNIT, 1 },
						     .to_step = { 1, 0 },
						     .from_step = { 0, 0 } });
	else if (rest)
		block_tables_move(shift,
				  &(struct block_move){
					  .to = end,
					  .from = end - ((size_t)1 << shift),
					  .n = { rest, 1 },
					  .to_step = { 1, 0 },
					  .from_step = { 0, 0 } });
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
/* Copy whole lines past the caches, half a line at a time. */
__attribute__((target("avx"))) static void stream_lines(
	unsigned char *to, const unsigned char *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 32)
		_mm256_stream_si256((__m256i *)(to + i),
				    *(const __m256i *)(from + i));
}
#endif

bool block_tables_stream(void *to, const void *from, size_t bytes)
{
	const STREAM_UNIT *units = from;

	if (!BEGINS_LINE(to) || bytes % BLOCK_LINE || !BEGINS_LINE(from))
		return false;
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
	if (__builtin_cpu_supports("avx")) {
		stream_lines(to, from, bytes);
		return true;
	}
#endif
	for (size_t i = 0; i < bytes / sizeof(*units); i++)
		STREAM(units[i], (STREAM_UNIT *)to + i);
	return true;
}

void block_tables_fill_scalars(const struct block_code *code,
			       unsigned char *const *slot, int n)
{
	const struct block_scalar *one = block_scalars(code);

	for (int k = 0; k < code->scalars; k++, one++) {
		const int shift = block_shift_of(one->dtype);
		const uint64_t *word =
			(const uint64_t *)((const char *)code + code->words) +
			one->word;
		unsigned char *to = slot[one->slot];
		ushort half;
		float value;

		memcpy(&value, word, sizeof(value));
		half = one->dtype == 10 ? half_from_float(value)
					: bfloat_from_float(value);
		if (one->dtype == 10 || one->dtype == 11)
			memcpy(to, &half, sizeof(half));
		else
			memcpy(to, word, (size_t)1 << shift);
		block_tables_move(
			shift,
			&(struct block_move){
				.to = to,
				.from = to,
				.n = { n < one->most ? n : one->most, 1 },
				.to_step = { 1, 0 },
				.from_step = { 0, 0 } });
	}
}

#define BLOCK_DECLARE_FOLD(n) extern block_folder *const native_block_fold_##n;
BLOCK_DECLARE_FOLD(1)
BLOCK_NOT_BOOL(BLOCK_DECLARE_FOLD)

void block_tables_fold(unsigned dtype, const struct block_fold *fold)
{
	static block_folder *const *const folders[] = {
#define BLOCK_FOLDER(n) [n] = &native_block_fold_##n,
		BLOCK_FOLDER(1) BLOCK_NOT_BOOL(BLOCK_FOLDER)
	};

	(*folders[dtype])(fold);
}
