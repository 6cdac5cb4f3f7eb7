/* SPDX-License-Identifier: Apache-2.0 */
/* vm_chain.c - runs chains of operations (vm_chain.h) on vectors of 64 bytes.
 */
#include "kernels/vm_chain.h"

#include "kernels/native.h"

#define DPR_DTYPE 12
#include "kernels/types.cl"

/* Only gcc compiles chains well: clang does not unroll loops between computed
   jumps. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>

/* A link with the addresses of its slots.  For a tile that begins at byte `at`
   of a block, the link reads from slot + (at & moves).  `moves` is -1; or 0, if
   the link reads the same elements for every tile. */
struct chain_link {
	unsigned char *slot, *other;
	long moves;
	/* For VM_LINK_QUOTIENT, whose y is the first element of the slot.  by:
	   1 / y, rounded.  lost: the difference 1 / y - by. */
	double by, lost;
	unsigned code;
};

#define CHAIN_TARGET \
	__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))

/* A mask with a bit for each of 16 bools, set if the bool is true. */
CHAIN_TARGET static inline __mmask16 bools_of(__m128i bytes)
{
	return _mm_test_epi8_mask(bytes, bytes);
}

/* CHAIN_PICK() is x where the comparison @how holds for x and y, or where x is
   NaN; otherwise y. */
#define CHAIN_PICK(x, y, how) \
	CHAIN_BLEND(CHAIN_IF(x, y, how) | CHAIN_IF(x, x, _CMP_UNORD_Q), x, y)
/* CHAIN_CHOOSE() is x where the bits of @m are set; otherwise y. */
#define CHAIN_CHOOSE(m, x, y)                                       \
	(vec) _mm512_ternarylogic_epi64((__m512i)(m), (__m512i)(x), \
					(__m512i)(y), 0xca)

/*
 * VM_LINK_QUOTIENT computes x / y without a division, but with the same
 * rounding.  `by` is 1 / y, rounded, and `lost` is 1 / y - by.  Let q be x * by
 * + x * lost, rounded.  Then q is the rounded quotient, or a neighbour of it.
 * The rest x - q * y is exact.  The rounded quotient is q + rest * by, rounded.
 * The proof is in Peter Markstein, Computation of elementary functions on the
 * IBM RISC System/6000 processor, 1990.  This holds if no intermediate number
 * is too small or too large.  So the exponent of y must be from -CHAIN_NEAR to
 * CHAIN_NEAR, and the exponent of x from -2 * CHAIN_NEAR to 2 * CHAIN_NEAR.
 */
#define FLOAT_NEAR 30
#define DOUBLE_NEAR 200
/* The operand of the instruction vrange that selects the larger of two absolute
   values. */
#define CHAIN_ABS_MAX 0xb

#define CHAIN_T float
#define CHAIN_ELEMENTS 16
#define CHAIN_IF(x, y, how) _mm512_cmp_ps_mask((x), (y), (how))
#define CHAIN_MASK(m) _mm512_movm_epi32(m)
#define CHAIN_BLEND(m, x, y) _mm512_mask_blend_ps((m), (y), (x))
#define CHAIN_BOOLS(from) bools_of(_mm_loadu_si128(from))
#define CHAIN_ABS(x) _mm512_abs_ps(x)
#define CHAIN_SQRT(x) _mm512_sqrt_ps(x)
#define CHAIN_STREAM(to, x) _mm512_stream_ps((float *)(to), (x))
#define CHAIN_FMA(x, y, z) _mm512_fmadd_ps((x), (y), (z))
#define CHAIN_REST(x, y, z) _mm512_fnmadd_ps((x), (y), (z))
#define CHAIN_FARTHER(far, x) \
	_mm512_range_ps((far), _mm512_getexp_ps(x), CHAIN_ABS_MAX)
#define CHAIN_NEAR FLOAT_NEAR
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
#undef CHAIN_FMA
#undef CHAIN_REST
#undef CHAIN_FARTHER
#undef CHAIN_NEAR

#define CHAIN_T double
#define CHAIN_ELEMENTS 8
#define CHAIN_IF(x, y, how) _mm512_cmp_pd_mask((x), (y), (how))
#define CHAIN_MASK(m) _mm512_movm_epi64(m)
#define CHAIN_BLEND(m, x, y) _mm512_mask_blend_pd((m), (y), (x))
#define CHAIN_BOOLS(from) (__mmask8) bools_of(_mm_loadl_epi64(from))
#define CHAIN_ABS(x) _mm512_abs_pd(x)
#define CHAIN_SQRT(x) _mm512_sqrt_pd(x)
#define CHAIN_STREAM(to, x) _mm512_stream_pd((double *)(to), (x))
#define CHAIN_FMA(x, y, z) _mm512_fmadd_pd((x), (y), (z))
#define CHAIN_REST(x, y, z) _mm512_fnmadd_pd((x), (y), (z))
#define CHAIN_FARTHER(far, x) \
	_mm512_range_pd((far), _mm512_getexp_pd(x), CHAIN_ABS_MAX)
#define CHAIN_NEAR DOUBLE_NEAR
#define CHAIN_COUNT 8
#define CHAIN_NAME chain_double_tiles
#include "kernels/chain.cl"
#undef CHAIN_COUNT
#undef CHAIN_NAME
#define CHAIN_COUNT 4
#define CHAIN_NAME chain_double_units
#include "kernels/chain.cl"

/* The number of elements in a large tile.  A small tile is a unit. */
#define FLOAT_TILE VM_CHAIN_TILE
#define DOUBLE_TILE 64

bool vm_chain_is_there(void)
{
	return __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq");
}

/* Whether a link reads two slots, and reads the same number of elements from
   both slots. */
static bool has_other(unsigned code)
{
	return vm_link_is_both(code) ||
	       code / VM_CHAIN_DEPTH == VM_LINK_CHOOSE_XY;
}

/* Advance the pointers of all links by @n elements of @size bytes, or of one
   byte for bools.  The pointer to the single element of a link does not move.
   */
static void move_links(struct chain_link *link, int links, long n, long size)
{
	for (int i = 0; i < links; i++) {
		const bool is_mask =
			link[i].code / VM_CHAIN_DEPTH == VM_LINK_LOAD_MASK;

		link[i].slot += n * (is_mask ? 1 : size) & link[i].moves;
		if (has_other(link[i].code))
			link[i].other += n * size;
	}
}

/* Let @link, an operation of two operands, read a single element as y.  Where
   possible, a division becomes VM_LINK_QUOTIENT. */
CHAIN_TARGET static void read_one(struct chain_link *link, bool is_double)
{
	const int near = is_double ? DOUBLE_NEAR : FLOAT_NEAR;
	const unsigned op = link->code / VM_CHAIN_DEPTH;
	int exponent;
	double y;

	if (vm_link_is_both(link->code)) {
		link->code += VM_LINK(VM_LINK_WITH_LESS - VM_LINK_BOTH_LESS, 0);
		return;
	}
	link->moves = 0;
	if (op < VM_LINK_FIXED_LESS)
		link->code += VM_LINK(VM_LINK_FIXED_LESS, 0);
	if (op != VM_LINK_READ_DIVIDE && op != VM_LINK_FIXED_DIVIDE)
		return;
	/* VM_LINK_QUOTIENT is right only if the CPU rounds to the nearest. */
	if (_mm_getcsr() & _MM_ROUND_MASK)
		return;
	y = is_double ? *(double *)link->slot : (double)*(float *)link->slot;
	exponent = (int)(as_ulong(y) >> 52 & 0x7ff) - 1023;
	if (exponent < -near || exponent > near)
		return;
	link->by = is_double ? 1 / y : (double)(1 / (float)y);
	link->lost = fma(-y, link->by, 1) * link->by;
	link->code += VM_LINK(VM_LINK_QUOTIENT - VM_LINK_FIXED_DIVIDE, 0);
}

static void set_link(struct chain_link *link, const struct vm_step *step,
		     unsigned char *const *slot, bool one_row, bool is_double)
{
	const bool both = vm_link_is_both(step->code);

	link->slot = slot[step->out];
	link->other = slot[step->x[1]];
	link->moves = -1;
	link->code = step->code;
	if (one_row && step->x[0] == VM_LINK_SPREAD)
		*(both ? &link->other : &link->slot) = slot[step->x[both + 1]];
	else if (step->x[0] != VM_LINK_SCALAR)
		return;
	read_one(link, is_double);
}

const struct vm_step *vm_chain_run(const struct vm_step *step, int units,
				   unsigned char *const *slot, unsigned how)
{
	const int links = step->code, is_double = step->unit != 12;
	const long n = (long)units * VM_UNIT;
	long rest = n % (is_double ? DOUBLE_TILE : FLOAT_TILE);
	struct chain_link link[VM_CHAIN_LINKS], *last = &link[links - 1];

	for (int i = 0; i < links; i++) {
		set_link(&link[i], step + 1 + i, slot, how & VM_CHAIN_ONE_ROW,
			 is_double);
	}
	if (last->code == VM_LINK(VM_LINK_STREAM, 0)) {
		if (!BEGINS_LINE(last->slot) || how & VM_CHAIN_CACHED)
			last->code = VM_LINK(VM_LINK_STORE, 0);
		/* Memory is faster if the links read a small part of each
		   input, then the next small part of each input.  So all tiles
		   are small. */
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
bool vm_chain_is_there(void)
{
	return false;
}

const struct vm_step *vm_chain_run(const struct vm_step *step, int units,
				   unsigned char *const *slot, unsigned how)
{
	(void)step;
	(void)units;
	(void)slot;
	(void)how;
	return step + step->code;
}
#endif
