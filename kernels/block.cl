/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.cl - functions that go over a block of elements, for native code: the
 * operations of one dtype, its casts, or moves of an item size.
 *
 * The number of elements is a multiple of BLOCK_UNIT, which the compiler sees:
 * so the loops have no rest.
 */
#define BLOCK_ENTRY(NAME) \
	NATIVE_CLONES static void NAME(unsigned code, int units, void *to, \
		const void *p, const void *q, const void *r)

#if NATIVE_UNIT == 1 && DPR_DTYPE != 10 && DPR_DTYPE != 11
#define BLOCK_OPERANDS_1 const C x = a[i];
#define BLOCK_OPERANDS_2 BLOCK_OPERANDS_1 const C y = b[i];
#define BLOCK_OPERANDS_3 BLOCK_OPERANDS_2 const C z = c[i];
#define BLOCK_LOOP(how, kind, e, OPERANDS) \
	how for (int i = 0; i < n; i++) \
	{ \
		OPERANDS \
		STORE_##kind(out_##kind, i, (e)); \
	}
#define BLOCK_CASE(kind, k, e, OPERANDS) \
	case k: \
		BLOCK_LOOP(INDEPENDENT, kind, e, OPERANDS) \
		break;
#define BLOCK_GUARDED(kind, k, e, guard, slow, OPERANDS) \
	case k: { \
		int any = 0; \
		for (int i = 0; i < n; i++) { \
			OPERANDS \
			any |= (guard); \
		} \
		if (any) { \
			BLOCK_LOOP(PLAIN, kind, slow, OPERANDS) \
			break; \
		} \
		BLOCK_LOOP(INDEPENDENT, kind, e, OPERANDS) \
		break; \
	}
#define BLOCK_1(kind, k, e) BLOCK_CASE(kind, k, e, BLOCK_OPERANDS_1)
#define BLOCK_2(kind, k, e) BLOCK_CASE(kind, k, e, BLOCK_OPERANDS_2)
#define BLOCK_3(kind, k, e) BLOCK_CASE(kind, k, e, BLOCK_OPERANDS_3)
#define BLOCK_GUARDED_1(kind, k, e, guard, slow) \
	BLOCK_GUARDED(kind, k, e, guard, slow, BLOCK_OPERANDS_1)
#define BLOCK_GUARDED_2(kind, k, e, guard, slow) \
	BLOCK_GUARDED(kind, k, e, guard, slow, BLOCK_OPERANDS_2)
#define BLOCK_GUARDED_3(kind, k, e, guard, slow) BLOCK_3(kind, k, slow)

BLOCK_ENTRY(block_operation)
{
	const int n = units * BLOCK_UNIT;
	const T *a = p, *b = q, *c = r;
	T *out_t = to;
	uchar *out_b = to;
#if KIND_C
	F *out_r = to;
#endif

	switch (code) {
		OPS_OF(arith1t)(BLOCK_1, BLOCK_GUARDED_1)
		OPS_OF(arith1r)(BLOCK_1, BLOCK_GUARDED_1)
		OPS_OF(arith2t)(BLOCK_2, BLOCK_GUARDED_2)
		OPS_OF(arith3t)(BLOCK_3, BLOCK_GUARDED_3)
		OPS_OF(math1t)(BLOCK_1, BLOCK_GUARDED_1)
		OPS_OF(math2t)(BLOCK_2, BLOCK_GUARDED_2)
		OPS_OF(compare1b)(BLOCK_1, BLOCK_GUARDED_1)
		OPS_OF(compare2b)(BLOCK_2, BLOCK_GUARDED_2)
	}
}
#endif

#if NATIVE_UNIT == 1 || NATIVE_UNIT == 2
#define BLOCK_CAST_CASE(dtype, D, value) \
	case dtype: { \
		D *out = to; \
		INDEPENDENT for (int i = 0; i < n; i++) \
		{ \
			const C v = LOAD(a, i); \
			out[i] = (value); \
		} \
		break; \
	}

BLOCK_ENTRY(block_cast)
{
	const int n = units * BLOCK_UNIT;
	const T *a = p;

	(void)q;
	(void)r;
	switch (code) {
		CAST_OPS(BLOCK_CAST_CASE)
	}
}
#endif

#if NATIVE_UNIT == 3
BLOCK_ENTRY(block_move)
{
	const int n = units * BLOCK_UNIT;
	const M *a = p, *b = q, *c = r;
	const uchar *condition = p;
	M *out = to;

	if (code == BLOCK_WHERE)
		INDEPENDENT for (int i = 0; i < n; i++)
		{
			const M x = b[i], y = c[i];

			out[i] = condition[i] ? x : y;
		}
	else
		INDEPENDENT for (int i = 0; i < n; i++)
			out[i] = a[i];
}

#define BLOCK_ROWS(to_0, from_0) \
	for (long j = 0; j < nj; j++) { \
		const M *a = from + j * from_j; \
		M *out = to + j * to_j; \
\
		INDEPENDENT for (long i = 0; i < ni; i++) \
			out[i * (to_0)] = a[i * (from_0)]; \
	}

/* The inner loop is over the axis with more elements: rows may be short. */
NATIVE_CLONES static void block_mover_rows(const struct block_move *m)
{
	const int in = m->n[0] < 16 && m->n[1] > m->n[0] ? 1 : 0, by = 1 - in;
	const long ni = m->n[in], nj = m->n[by];
	const long to_i = m->to_step[in], to_j = m->to_step[by];
	const long from_i = m->from_step[in], from_j = m->from_step[by];
	const M *from = m->from;
	M *to = m->to;

	if (to_i == 1 && from_i == 1)
		BLOCK_ROWS(1, 1)
	else if (to_i == 1 && from_i == 0)
		BLOCK_ROWS(1, 0)
	else if (to_i == 1)
		BLOCK_ROWS(1, from_i)
	else
		BLOCK_ROWS(to_i, from_i)
}
#endif
