/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain.cl - chains of operations (vm_chain.h) of one type, for tiles of one
 * size.  vm_chain.c includes this C code several times.
 *
 *   CHAIN_NAME     the name of the function
 *   CHAIN_T        the type of elements
 *   CHAIN_ELEMENTS the number of elements in a vector
 *   CHAIN_COUNT    the number of vectors in a tile
 *
 * vm_chain.c defines these macros, and the other CHAIN_ macros that this file
 * uses.  Each place of the stack is an array of vectors.  All loops over a tile
 * are unrolled, so that these arrays stay in registers.
 */
#define EACH UNROLL for (int k = 0; k < CHAIN_COUNT; k++)
#define NEXT \
	link++; \
	goto *labels[link->code];
/* Keep reads in order, because processors prefetch sequential reads. */
#define IN_ORDER __asm__ volatile("" ::: "memory")
#define SLOT ((const vec_anywhere *)(link->slot + (at & link->moves)))
#define OTHER ((const vec_anywhere *)(link->other + at))
#define BYTES ((at & link->moves) / (long)sizeof(CHAIN_T))

/* Each macro makes the code of a link, behind a label.  The name of the label
   ends with the place of the stack on which the link works: a, b or c. */
#define READ(op, e, p) \
	READ_##op##_##p : from = SLOT; \
	EACH \
	{ \
		const vec x = p[k], y = from[k]; \
\
		p[k] = (vec)(e); \
		IN_ORDER; \
	} \
	NEXT
#define FIXED(op, e, p) \
	FIXED_##op##_##p : \
	{ \
		const vec y = *(const CHAIN_T *)link->slot - (vec){ 0 }; \
\
		EACH \
		{ \
			const vec x = p[k]; \
\
			p[k] = (vec)(e); \
		} \
	} \
	NEXT
#define BOTH(op, e, p) \
	BOTH_##op##_##p : from = SLOT; \
	other = OTHER; \
	EACH \
	{ \
		const vec x = from[k], y = other[k]; \
\
		p[k] = (vec)(e); \
		IN_ORDER; \
	} \
	NEXT
#define WITH(op, e, p) \
	WITH_##op##_##p : \
	{ \
		const vec y = *(const CHAIN_T *)link->other - (vec){ 0 }; \
\
		from = SLOT; \
		EACH \
		{ \
			const vec x = from[k]; \
\
			p[k] = (vec)(e); \
			IN_ORDER; \
		} \
	} \
	NEXT
#define STACK(op, e, p, q) \
	STACK_##op##_##p : EACH \
	{ \
		const vec x = p[k], y = q[k]; \
\
		p[k] = (vec)(e); \
	} \
	NEXT
#define UNARY(op, e, p) \
	op##_##p : EACH \
	{ \
		const vec x = p[k]; \
\
		p[k] = (vec)(e); \
	} \
	NEXT
#define READ_CASES(op, e) READ(op, e, a) READ(op, e, b) READ(op, e, c)
#define FIXED_CASES(op, e) FIXED(op, e, a) FIXED(op, e, b) FIXED(op, e, c)
#define STACK_CASES(op, e) STACK(op, e, a, b) STACK(op, e, b, c)
#define BOTH_CASES(op, e) BOTH(op, e, a) BOTH(op, e, b) BOTH(op, e, c)
#define WITH_CASES(op, e) WITH(op, e, a) WITH(op, e, b) WITH(op, e, c)
#define UNARY_CASES(op, e) UNARY(op, e, a) UNARY(op, e, b) UNARY(op, e, c)
#define LOAD_CASE(p) \
	LOAD_##p : from = SLOT; \
	EACH \
	{ \
		p[k] = from[k]; \
		IN_ORDER; \
	} \
	NEXT
#define MASK_CASE(p) \
	LOAD_MASK_##p : EACH \
	{ \
		const void *bools = link->slot + BYTES + k * CHAIN_ELEMENTS; \
\
		p[k] = (vec)CHAIN_MASK(CHAIN_BOOLS(bools)); \
	} \
	NEXT
#define CHOOSE_CASE(label, p, x, y) \
	label : from = SLOT; \
	EACH \
	{ \
		p[k] = CHAIN_CHOOSE(p[k], x, y); \
		IN_ORDER; \
	} \
	NEXT

#define CHOOSE_XY_CASE(p) \
	CHOOSE_XY_##p : from = SLOT; \
	other = OTHER; \
	EACH \
	{ \
		p[k] = CHAIN_CHOOSE(p[k], from[k], other[k]); \
		IN_ORDER; \
	} \
	NEXT
/* If some element of a tile is too small or too large for VM_LINK_QUOTIENT, the
   whole tile is divided. */
#define QUOTIENT_CASE(p) \
	QUOTIENT_##p : \
	{ \
		const vec y = *(const CHAIN_T *)link->slot - (vec){ 0 }; \
		const vec by = (CHAIN_T)link->by - (vec){ 0 }; \
		const vec lost = (CHAIN_T)link->lost - (vec){ 0 }; \
		vec far = { 0 }; \
\
		EACH far = CHAIN_FARTHER(far, p[k]); \
		if (CHAIN_IF(far, (vec){ 0 } + 2 * CHAIN_NEAR, _CMP_GT_OQ)) { \
			EACH p[k] = p[k] / y; \
		} else { \
			EACH \
			{ \
				const vec x = p[k], q = CHAIN_FMA(x, by, x * lost); \
\
				p[k] = CHAIN_FMA(CHAIN_REST(y, q, x), by, q); \
			} \
		} \
	} \
	NEXT

#define READ_LABELS(op, e) &&READ_##op##_a, &&READ_##op##_b, &&READ_##op##_c,
#define FIXED_LABELS(op, e) \
	&&FIXED_##op##_a, &&FIXED_##op##_b, &&FIXED_##op##_c,
#define STACK_LABELS(op, e) &&STACK_##op##_a, &&STACK_##op##_b, &&STORE,
#define BOTH_LABELS(op, e) &&BOTH_##op##_a, &&BOTH_##op##_b, &&BOTH_##op##_c,
#define WITH_LABELS(op, e) &&WITH_##op##_a, &&WITH_##op##_b, &&WITH_##op##_c,
#define UNARY_LABELS(op, e) &&op##_a, &&op##_b, &&op##_c,

/* Run the links of @chain on @n elements, which are whole tiles. */
CHAIN_TARGET static void CHAIN_NAME(const struct chain_link *chain, long n)
{
	typedef CHAIN_T vec
		__attribute__((vector_size(sizeof(CHAIN_T) * CHAIN_ELEMENTS)));
	typedef CHAIN_T vec_anywhere __attribute__((
		vector_size(sizeof(CHAIN_T) * CHAIN_ELEMENTS),
		aligned(sizeof(CHAIN_T)), may_alias));
	static const void *const labels[] = {
		VM_CHAIN_BINARY(READ_LABELS)
		VM_CHAIN_BINARY(FIXED_LABELS)
		VM_CHAIN_BINARY(STACK_LABELS)
		VM_CHAIN_LEAVES(BOTH_LABELS)
		VM_CHAIN_LEAVES(WITH_LABELS)
		VM_CHAIN_UNARY(UNARY_LABELS)
		&&LOAD_a, &&LOAD_b, &&LOAD_c,
		&&LOAD_MASK_a, &&LOAD_MASK_b, &&LOAD_MASK_c,
		&&CHOOSE_a, &&STORE, &&STORE,
		&&CHOOSE_X_a, &&CHOOSE_X_b, &&STORE,
		&&CHOOSE_Y_a, &&CHOOSE_Y_b, &&STORE,
		&&CHOOSE_XY_a, &&CHOOSE_XY_b, &&CHOOSE_XY_c,
		&&STORE, &&STORE, &&STORE,
		&&STREAM, &&STREAM, &&STREAM,
		&&QUOTIENT_a, &&QUOTIENT_b, &&QUOTIENT_c
	};
	const long end = n * (long)sizeof(CHAIN_T);
	const struct chain_link *link = chain;
	const vec_anywhere *from, *other;
	vec a[CHAIN_COUNT], b[CHAIN_COUNT], c[CHAIN_COUNT];
	vec_anywhere *to;
	long at = 0;

	EACH a[k] = b[k] = c[k] = (vec){ 0 };
	goto *labels[link->code];

	VM_CHAIN_BINARY(READ_CASES)
	VM_CHAIN_BINARY(FIXED_CASES)
	VM_CHAIN_BINARY(STACK_CASES)
	VM_CHAIN_LEAVES(BOTH_CASES)
	VM_CHAIN_LEAVES(WITH_CASES)
	VM_CHAIN_UNARY(UNARY_CASES)
	QUOTIENT_CASE(a) QUOTIENT_CASE(b) QUOTIENT_CASE(c)
	LOAD_CASE(a) LOAD_CASE(b) LOAD_CASE(c)
	MASK_CASE(a) MASK_CASE(b) MASK_CASE(c)
	CHOOSE_CASE(CHOOSE_a, a, b[k], c[k])
	CHOOSE_CASE(CHOOSE_X_a, a, from[k], b[k])
	CHOOSE_CASE(CHOOSE_X_b, b, from[k], c[k])
	CHOOSE_CASE(CHOOSE_Y_a, a, b[k], from[k])
	CHOOSE_CASE(CHOOSE_Y_b, b, c[k], from[k])
	CHOOSE_XY_CASE(a) CHOOSE_XY_CASE(b) CHOOSE_XY_CASE(c)

STORE:
	to = (vec_anywhere *)(link->slot + at);
	EACH to[k] = a[k];
	goto NEXT_TILE;
STREAM:
	to = (vec_anywhere *)(link->slot + at);
	EACH CHAIN_STREAM(to + k, a[k]);
NEXT_TILE:
	at += (long)sizeof(a);
	if (at >= end)
		return;
	link = chain;
	goto *labels[link->code];
}
#undef EACH
#undef NEXT
#undef IN_ORDER
#undef SLOT
#undef OTHER
#undef BYTES
#undef READ
#undef FIXED
#undef BOTH
#undef WITH
#undef STACK
#undef UNARY
#undef READ_CASES
#undef FIXED_CASES
#undef STACK_CASES
#undef BOTH_CASES
#undef WITH_CASES
#undef UNARY_CASES
#undef LOAD_CASE
#undef MASK_CASE
#undef QUOTIENT_CASE
#undef CHOOSE_CASE
#undef CHOOSE_XY_CASE
#undef READ_LABELS
#undef FIXED_LABELS
#undef STACK_LABELS
#undef BOTH_LABELS
#undef WITH_LABELS
#undef UNARY_LABELS
