/* SPDX-License-Identifier: Apache-2.0 */
/* block_chain.c - chains of operations on vectors of 64 bytes. */
#include "kernels/block_chain.h"

#include "kernels/native.h"

#define DPR_DTYPE 12
#include "kernels/types.cl"

/* Only gcc: clang does not unroll loops between computed jumps. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>

/* A link with the address of its slot.  moves: a mask, -1 or 0; 0 means that
   each tile reads the same elements. */
struct chain_link {
	unsigned char *slot;
	long moves;
	unsigned code;
};

#define CHAIN_TARGET \
	__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))

/* A mask of the bools that are true, out of 16. */
CHAIN_TARGET static inline __mmask16 bools_of(__m128i bytes)
{
	return _mm_test_epi8_mask(bytes, bytes);
}

/* x where @how holds for x and y, or where x is NaN; else y. */
#define CHAIN_PICK(x, y, how) \
	CHAIN_BLEND(CHAIN_IF(x, y, how) | CHAIN_IF(x, x, _CMP_UNORD_Q), x, y)
/* x where the bits of @m are set; else y. */
#define CHAIN_CHOOSE(m, x, y)                                       \
	(vec) _mm512_ternarylogic_epi64((__m512i)(m), (__m512i)(x), \
					(__m512i)(y), 0xca)

#define CHAIN_T float
#define CHAIN_ELEMENTS 16
#define CHAIN_IF(x, y, how) _mm512_cmp_ps_mask((x), (y), (how))
#define CHAIN_MASK(m) _mm512_movm_epi32(m)
#define CHAIN_BLEND(m, x, y) _mm512_mask_blend_ps((m), (y), (x))
#define CHAIN_BOOLS(from) bools_of(_mm_loadu_si128(from))
#define CHAIN_ABS(x) _mm512_abs_ps(x)
#define CHAIN_SQRT(x) _mm512_sqrt_ps(x)
#define CHAIN_STREAM(to, x) _mm512_stream_ps((float *)(to), (x))
#define CHAIN_COUNT 8
#define CHAIN_NAME chain_float_tiles
#include "kernels/chain.cl"
#undef CHAIN_COUNT
#undef CHAIN_NAME
#define CHAIN_COUNT 2
#define CHAIN_NAME chain_float_units
#include "kernels/chain.cl"
#undef CHAIN_COUNT
#undef CHAIN_NAME
#undef CHAIN_T
#undef CHAIN_ELEMENTS
#undef CHAIN_IF
#undef CHAIN_MASK
#undef CHAIN_BLEND
#undef CHAIN_BOOLS
#undef CHAIN_ABS
#undef CHAIN_SQRT
#undef CHAIN_STREAM

#define CHAIN_T double
#define CHAIN_ELEMENTS 8
#define CHAIN_IF(x, y, how) _mm512_cmp_pd_mask((x), (y), (how))
#define CHAIN_MASK(m) _mm512_movm_epi64(m)
#define CHAIN_BLEND(m, x, y) _mm512_mask_blend_pd((m), (y), (x))
#define CHAIN_BOOLS(from) (__mmask8) bools_of(_mm_loadl_epi64(from))
#define CHAIN_ABS(x) _mm512_abs_pd(x)
#define CHAIN_SQRT(x) _mm512_sqrt_pd(x)
#define CHAIN_STREAM(to, x) _mm512_stream_pd((double *)(to), (x))
#define CHAIN_COUNT 8
#define CHAIN_NAME chain_double_tiles
#include "kernels/chain.cl"
#undef CHAIN_COUNT
#undef CHAIN_NAME
#define CHAIN_COUNT 4
#define CHAIN_NAME chain_double_units
#include "kernels/chain.cl"

/* The number of elements in the larger tiles.  A smaller tile is a unit. */
#define FLOAT_TILE BLOCK_CHAIN_TILE
#define DOUBLE_TILE 64

bool block_chain_is_there(void)
{
	return __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq");
}

/* Advance the slots of the links by @n elements of @size bytes. */
static void move_links(struct chain_link *link, int links, long n, long size)
{
	for (int i = 0; i < links; i++) {
		const bool is_mask = link[i].code / BLOCK_CHAIN_DEPTH ==
				     BLOCK_LINK_LOAD_MASK;

		link[i].slot += n * (is_mask ? 1 : size) & link[i].moves;
	}
}

const struct block_step *block_chain_run(const struct block_step *step,
					 int units, unsigned char *const *slot)
{
	const int links = step->code, is_double = step->unit != 12;
	const long n = (long)units * BLOCK_UNIT;
	long rest = n % (is_double ? DOUBLE_TILE : FLOAT_TILE);
	struct chain_link link[BLOCK_CHAIN_LINKS], *last = &link[links - 1];

	for (int i = 0; i < links; i++) {
		const struct block_step *from = step + 1 + i;

		link[i].slot = slot[from->out];
		link[i].moves = from->x[0] ? 0 : -1;
		link[i].code = from->code;
	}
	if (last->code == BLOCK_LINK(BLOCK_LINK_STREAM, 0)) {
		if (!BEGINS_LINE(last->slot))
			last->code = BLOCK_LINK(BLOCK_LINK_STORE, 0);
		/* Memory is faster if small parts of all inputs are read in
		   turn, so all tiles are units. */
		rest = n;
	}
	if (n > rest)
		(is_double ? chain_double_tiles : chain_float_tiles)(link,
								     n - rest);
	if (!rest)
		return step + links;
	move_links(link, links, n - rest, is_double ? 8 : 4);
	(is_double ? chain_double_units : chain_float_units)(link, rest);
	return step + links;
}
#else
bool block_chain_is_there(void)
{
	return false;
}

const struct block_step *block_chain_run(const struct block_step *step,
					 int units, unsigned char *const *slot)
{
	(void)step;
	(void)units;
	(void)slot;
	return step + step->code;
}
#endif
