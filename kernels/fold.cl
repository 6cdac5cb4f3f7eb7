/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold.cl - functions of native code that reduce blocks of elements of one
 * dtype (block_fold.h).
 *
 * Elements are combined with lanes.  From time to time, the lanes of a sum are
 * added to totals.  A second sum collects the rounding errors of the totals, so
 * that the error hardly grows with the length.  Minimum and maximum of values
 * with a NaN are NaN.
 *
 * Dtypes that compute the same share a function:
 * core/array/engine/native/blocks_fold.c chooses it.  16-bit floats are cast
 * first.
 */

/* The lanes of a sum, and of a logical operation. */
#if KIND_F
typedef C fold_lane;
#elif ITEM < 4
typedef uint fold_lane;
#else
typedef ulong fold_lane;
#endif
#if ITEM == 1
typedef uchar fold_bits;
#elif ITEM == 2
typedef ushort fold_bits;
#elif ITEM == 4
typedef uint fold_bits;
#else
typedef ulong fold_bits;
#endif

/* The number of lanes in a vector register. */
#define FOLD_WIDTH (32 / ITEM)
typedef fold_lane fold_vector
	__attribute__((vector_size(32), aligned(ITEM), may_alias));

/* The type of a finished sum. */
#if KIND_I
typedef long fold_sum;
#elif KIND_U
typedef ulong fold_sum;
#elif KIND_F
typedef C fold_sum;
#endif

#define FOLD_ITSELF(v) (v)
#if KIND_C
#define FOLD_TRUE(v) ((fold_bits)(c_true(v) ? 1 : 0))
#else
#define FOLD_TRUE(v) ((fold_bits)((v) != (C)0 ? 1 : 0))
#endif
#define FOLD_PLUS(a, v) ((a) + (fold_lane)(v))
#define FOLD_LESS(a, v) (((v) < (a) || (v) != (v)) ? (v) : (a))
#define FOLD_MORE(a, v) (((v) > (a) || (v) != (v)) ? (v) : (a))
#define FOLD_OR(a, v) ((fold_bits)((a) | (v)))
#define FOLD_AND(a, v) ((fold_bits)((a) & (v)))

/* Combine the values v, w, x and y with @lane. */
#define FOLD_FOUR(L, OF, VALUE, lane) \
	{ \
		const L a = OF(lane, (L)VALUE(v)); \
		const L b = OF(a, (L)VALUE(w)); \
		const L c = OF(b, (L)VALUE(x)); \
		(lane) = OF(c, (L)VALUE(y)); \
	}
#define FOLD_LESS_FOUR(L, VALUE, lane) FOLD_FOUR(L, FOLD_LESS, VALUE, lane)
#define FOLD_MORE_FOUR(L, VALUE, lane) FOLD_FOUR(L, FOLD_MORE, VALUE, lane)
#define FOLD_OR_FOUR(L, VALUE, lane) FOLD_FOUR(L, FOLD_OR, VALUE, lane)
#define FOLD_AND_FOUR(L, VALUE, lane) FOLD_FOUR(L, FOLD_AND, VALUE, lane)
/* The sum of four bytes fits into 16 bits, so only the sum is widened. */
#if ITEM == 1 && KIND_I
#define FOLD_PLUS_FOUR(L, VALUE, lane) \
	(lane) += (L)(short)((v) + (w) + (x) + (y));
#elif ITEM == 1 && KIND_U
#define FOLD_PLUS_FOUR(L, VALUE, lane) \
	(lane) += (L)(ushort)((v) + (w) + (x) + (y));
#else
#define FOLD_PLUS_FOUR(L, VALUE, lane) FOLD_FOUR(L, FOLD_PLUS, VALUE, lane)
#endif

/* The first value of a minimum and of a maximum. */
#if KIND_F
#define FOLD_HIGHEST ((C)HUGE_VAL)
#define FOLD_LOWEST (-(C)HUGE_VAL)
#elif KIND_I
#define FOLD_HIGHEST ((C)(-(C_MIN + 1)))
#define FOLD_LOWEST ((C)C_MIN)
#else
#define FOLD_HIGHEST ((C)~(C)0)
#define FOLD_LOWEST ((C)0)
#endif

/* X(operation, type of a lane, accumulated type, first value, function of lane
   and value, value of an element) */
#if KIND_U
#define FOLD_LOGIC(X)
#else
#define FOLD_LOGIC(X) \
	X(BLOCK_ANY, fold_bits, uchar, 0, FOLD_OR, FOLD_TRUE) \
	X(BLOCK_ALL, fold_bits, uchar, 1, FOLD_AND, FOLD_TRUE)
#endif
#if KIND_C
#define FOLD_EXTREME(X)
#else
#define FOLD_EXTREME(X) \
	X(BLOCK_MIN, C, C, FOLD_HIGHEST, FOLD_LESS, FOLD_ITSELF) \
	X(BLOCK_MAX, C, C, FOLD_LOWEST, FOLD_MORE, FOLD_ITSELF)
#endif
#define FOLD_HAS_SUM (!KIND_C && DPR_DTYPE != 9)

/* Combine @n elements from p on with lanes: of one row, or of four rows that
   are @stride apart. */
#define FOLD_ROW(lane, n, L, OF, VALUE) \
	INDEPENDENT for (long j = 0; j < (n); j++) \
	{ \
		const C v = LOAD(p, j); \
		(lane)[j] = OF((lane)[j], (L)VALUE(v)); \
	}
#define FOLD_FOUR_ROWS(lane, n, stride, L, OF, VALUE) \
	{ \
		const T *q = p + (stride), *r = q + (stride), *s = r + (stride); \
		INDEPENDENT for (long j = 0; j < (n); j++) \
		{ \
			const C v = LOAD(p, j), w = LOAD(q, j); \
			const C x = LOAD(r, j), y = LOAD(s, j); \
			OF##_FOUR(L, VALUE, (lane)[j]) \
		} \
	}

/* Combine `rows` rows of `width` elements with the lanes. */
#define FOLD_ADD_ROWS(L, OF, VALUE) \
	{ \
		const long whole = f->width / BLOCK_LANES * BLOCK_LANES; \
		const T *from = f->from, *p; \
		L *lane = f->lane; \
		long rows = f->rows, k; \
\
		for (; rows >= 4; rows -= 4, from += 4 * f->stride) { \
			for (k = 0, p = from; k < whole; \
				k += BLOCK_LANES, p += BLOCK_LANES) \
				FOLD_FOUR_ROWS(lane + k, BLOCK_LANES, \
					f->stride, L, OF, VALUE) \
			FOLD_FOUR_ROWS(lane + k, f->width - whole, f->stride, \
				L, OF, VALUE) \
		} \
		for (; rows > 0; rows--, from += f->stride) { \
			for (k = 0, p = from; k < whole; \
				k += BLOCK_LANES, p += BLOCK_LANES) \
				FOLD_ROW(lane + k, BLOCK_LANES, L, OF, VALUE) \
			FOLD_ROW(lane + k, f->width - whole, L, OF, VALUE) \
		} \
	}

/* Combine lanes by halves, until `keep` lanes are left.  Lanes of one result
   are `keep` apart. */
#define FOLD_HALF(lane, OF, n) \
	for (long j = 0; j < (n); j++) \
		(lane)[j] = OF((lane)[j], (lane)[j + (n)]);
#define FOLD_HALVES(lane, OF, width, keep) \
	for (long half = (width) / 2; half >= (keep); half /= 2) \
		FOLD_HALF(lane, OF, half)

/* Compute whole results: each row has all elements of a result. */
#define FOLD_SHORT_ROWS(L, A, first, OF, VALUE, WIDE) \
	{ \
		A *out = f->to; \
\
		for (long row = 0; row < f->rows; row++) { \
			const T *p = (const T *)f->from + row * f->stride; \
			const T *end = p + f->width; \
			L lane[BLOCK_LANES]; \
\
			for (int j = 0; j < BLOCK_LANES; j++) \
				lane[j] = (first); \
			for (; end - p >= 4 * BLOCK_LANES; p += 4 * BLOCK_LANES) \
				FOLD_FOUR_ROWS(lane, BLOCK_LANES, BLOCK_LANES, \
					L, OF, VALUE) \
			for (; end - p >= BLOCK_LANES; p += BLOCK_LANES) \
				FOLD_ROW(lane, BLOCK_LANES, L, OF, VALUE) \
			FOLD_ROW(lane, end - p, L, OF, VALUE) \
			FOLD_HALF(lane, OF, 16) \
			FOLD_HALF(lane, OF, 8) \
			FOLD_HALF(lane, OF, 4) \
			FOLD_HALF(lane, OF, 2) \
			FOLD_HALF(lane, OF, 1) \
			out[row] = WIDE(lane[0]); \
		} \
	}

/* The terms of a reduction: x, the product of x and y, or the square of their
   difference. */
#define FOLD_FIRST(x, y) (x)
#define FOLD_PRODUCT(x, y) ROUNDED((x) * (y))
#define FOLD_SQUARE(x, y) ROUNDED(((x) - (y)) * ((x) - (y)))

/* Names for vectors of lanes, each with its number. */
#if ITEM == 8
#define FOLD_VECTORS(X, ...) \
	X(a, 0, __VA_ARGS__) X(b, 1, __VA_ARGS__) X(c, 2, __VA_ARGS__) \
		X(d, 3, __VA_ARGS__) X(w, 4, __VA_ARGS__) X(x, 5, __VA_ARGS__) \
			X(y, 6, __VA_ARGS__) X(z, 7, __VA_ARGS__)
#else
#define FOLD_VECTORS(X, ...) \
	X(a, 0, __VA_ARGS__) X(b, 1, __VA_ARGS__) X(c, 2, __VA_ARGS__) \
		X(d, 3, __VA_ARGS__)
#endif
#define FOLD_PLUS_VECTOR(a, v) ((a) + (v))
#define FOLD_ADD_VECTOR(a, k, OF, VALUE) a = OF(a, VALUE(v[k], u[k]));
#define FOLD_PUT_VECTOR(a, k, lane) (lane)[k] = a;
#define FOLD_GET_VECTOR(a, k, lane) a = (lane)[k];

/* Whole results of floats.  Separate vectors stay in registers; an array of
   vectors would be in memory. */
#if KIND_F
#if ITEM == 4
typedef int fold_mask __attribute__((vector_size(32), may_alias));
#define FOLD_JOIN_VECTORS(OF) \
	a = OF(a, c); \
	b = OF(b, d); \
	a = OF(a, b);
#else
typedef long fold_mask __attribute__((vector_size(32), may_alias));
#define FOLD_JOIN_VECTORS(OF) \
	a = OF(a, w); \
	b = OF(b, x); \
	c = OF(c, y); \
	d = OF(d, z); \
	a = OF(a, c); \
	b = OF(b, d); \
	a = OF(a, b);
#endif
#define FOLD_CHOICE(a, v, takes) \
	((fold_vector)(((fold_mask)(v) & (takes)) | ((fold_mask)(a) & ~(takes))))
#define FOLD_LESS_VECTOR(a, v) FOLD_CHOICE(a, v, ((v) < (a)) | ((v) != (v)))
#define FOLD_MORE_VECTOR(a, v) FOLD_CHOICE(a, v, ((v) > (a)) | ((v) != (v)))

#define FOLD_NEW_VECTOR(a, k, first) fold_vector a = zero + (first);

/*
 * Combine the lanes of each of FOLD_WIDTH vectors: in each round the lower half
 * is combined with the upper half.  A round packs two vectors into one.
 * FOLD_ORDER is the resulting order of the values.
 */
#ifdef __clang__
#define FOLD_PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define FOLD_PICK(a, b, ...) __builtin_shuffle(a, b, (fold_mask){ __VA_ARGS__ })
#endif
#define FOLD_ROUND(t, OF, n, low, high) \
	UNROLL for (int k = 0; k < (n); k++) \
	{ \
		const fold_vector l = FOLD_PICK((t)[2 * k], (t)[2 * k + 1], low); \
		const fold_vector h = FOLD_PICK((t)[2 * k], (t)[2 * k + 1], high); \
\
		(t)[k] = OF(l, h); \
	}
#define FOLD_LIST(...) __VA_ARGS__
#if ITEM == 4
#define FOLD_ROUNDS(t, OF) \
	FOLD_ROUND(t, OF, 4, FOLD_LIST(0, 1, 2, 3, 8, 9, 10, 11), \
		FOLD_LIST(4, 5, 6, 7, 12, 13, 14, 15)) \
	FOLD_ROUND(t, OF, 2, FOLD_LIST(0, 1, 8, 9, 4, 5, 12, 13), \
		FOLD_LIST(2, 3, 10, 11, 6, 7, 14, 15)) \
	FOLD_ROUND(t, OF, 1, FOLD_LIST(0, 2, 8, 10, 4, 6, 12, 14), \
		FOLD_LIST(1, 3, 9, 11, 5, 7, 13, 15))
#define FOLD_ORDER 0, 4, 1, 5, 2, 6, 3, 7
#else
#define FOLD_ROUNDS(t, OF) \
	FOLD_ROUND(t, OF, 2, FOLD_LIST(0, 1, 4, 5), FOLD_LIST(2, 3, 6, 7)) \
	FOLD_ROUND(t, OF, 1, FOLD_LIST(0, 4, 2, 6), FOLD_LIST(1, 5, 3, 7))
#define FOLD_ORDER 0, 2, 1, 3
#endif

#define FOLD_SHORT_FLOATS(name, first, OF, VALUE) \
	static inline void fold_short_##name(const struct block_fold *f) \
	{ \
		const fold_vector zero = { 0 }; \
		const long rest = f->width % BLOCK_LANES; \
		const long next = f->with_stays ? 0 : BLOCK_LANES; \
		fold_vector row_lanes[FOLD_WIDTH]; \
		C *out = f->to; \
		int n = 0; \
\
		UNROLL for (int k = 0; k < FOLD_WIDTH; k++) \
			row_lanes[k] = zero; \
		for (long row = 0; row < f->rows; row++) { \
			const C *p = (const C *)f->from + row * f->stride; \
			const C *q = (const C *)f->with + row * f->stride; \
			const C *end = p + (f->width - rest); \
			FOLD_VECTORS(FOLD_NEW_VECTOR, first) \
\
			for (; p < end; p += BLOCK_LANES, q += next) { \
				const fold_vector *v = (const fold_vector *)p; \
				const fold_vector *u = (const fold_vector *)q; \
				FOLD_VECTORS(FOLD_ADD_VECTOR, OF##_VECTOR, VALUE) \
			} \
			if (rest) { \
				fold_vector lanes[BLOCK_LANES / FOLD_WIDTH]; \
				C *lane = (C *)lanes; \
\
				FOLD_VECTORS(FOLD_PUT_VECTOR, lanes) \
				for (long j = 0; j < rest; j++) \
					lane[j] = OF(lane[j], VALUE(p[j], q[j])); \
				FOLD_VECTORS(FOLD_GET_VECTOR, lanes) \
			} \
			FOLD_JOIN_VECTORS(OF##_VECTOR) \
			row_lanes[n++] = a; \
			if (n < FOLD_WIDTH && row + 1 < f->rows) \
				continue; \
			FOLD_ROUNDS(row_lanes, OF##_VECTOR) \
			a = FOLD_PICK(row_lanes[0], row_lanes[0], FOLD_ORDER); \
			memcpy(out, &a, (size_t)n * sizeof(*out)); \
			out += n; \
			n = 0; \
		} \
	}
FOLD_SHORT_FLOATS(sum, (C)0, FOLD_PLUS, FOLD_FIRST)
FOLD_SHORT_FLOATS(products, (C)0, FOLD_PLUS, FOLD_PRODUCT)
FOLD_SHORT_FLOATS(squares, (C)0, FOLD_PLUS, FOLD_SQUARE)
FOLD_SHORT_FLOATS(less, FOLD_HIGHEST, FOLD_LESS, FOLD_FIRST)
FOLD_SHORT_FLOATS(more, FOLD_LOWEST, FOLD_MORE, FOLD_FIRST)
#define FOLD_SHORT_BLOCK_SUM(...) \
	if (f->of == BLOCK_PRODUCTS) \
		fold_short_products(f); \
	else if (f->of == BLOCK_SQUARES) \
		fold_short_squares(f); \
	else \
		fold_short_sum(f);
#define FOLD_SHORT_BLOCK_MIN(...) fold_short_less(f);
#define FOLD_SHORT_BLOCK_MAX(...) fold_short_more(f);
#else
#define FOLD_SHORT_BLOCK_SUM(...) FOLD_SHORT_ROWS(__VA_ARGS__)
#define FOLD_SHORT_BLOCK_MIN(...) FOLD_SHORT_ROWS(__VA_ARGS__)
#define FOLD_SHORT_BLOCK_MAX(...) FOLD_SHORT_ROWS(__VA_ARGS__)
#endif
#define FOLD_SHORT_BLOCK_ANY(...) FOLD_SHORT_ROWS(__VA_ARGS__)
#define FOLD_SHORT_BLOCK_ALL(...) FOLD_SHORT_ROWS(__VA_ARGS__)

/* Contiguous rows have functions of their own. */
#define FOLD_LINE_OF(name) \
	if (f->width == BLOCK_LANES && f->stride == BLOCK_LANES) { \
		fold_line_##name(f); \
		return; \
	}

/*
 * Minimum and maximum of floats in contiguous rows.  A lane keeps the least or
 * greatest value that is not a NaN, with one instruction per element.  NaNs are
 * recorded in `nan`, so that the comparisons do not wait for them.  A lane that
 * is already NaN stays NaN, since comparisons with NaN are false.
 */
#if KIND_F
#define FOLD_EXTREME_LINE(name, OF) \
	static inline void fold_line_##name(const struct block_fold *f) \
	{ \
		const C *v = f->from; \
		fold_bits nan[BLOCK_LANES] = { 0 }; \
		C *lane = f->lane; \
		long rows = f->rows; \
\
		for (; rows >= 4; rows -= 4, v += 4 * BLOCK_LANES) \
			INDEPENDENT for (int j = 0; j < BLOCK_LANES; j++) \
			{ \
				const C w = v[j + BLOCK_LANES]; \
				const C x = v[j + 2 * BLOCK_LANES]; \
				const C y = v[j + 3 * BLOCK_LANES]; \
				C a = lane[j]; \
\
				a = v[j] OF a ? v[j] : a; \
				a = w OF a ? w : a; \
				a = x OF a ? x : a; \
				lane[j] = y OF a ? y : a; \
				nan[j] |= (fold_bits)(v[j] != v[j]) | \
					(fold_bits)(w != w) | (fold_bits)(x != x) | \
					(fold_bits)(y != y); \
			} \
		for (; rows > 0; rows--, v += BLOCK_LANES) \
			INDEPENDENT for (int j = 0; j < BLOCK_LANES; j++) \
			{ \
				lane[j] = v[j] OF lane[j] ? v[j] : lane[j]; \
				nan[j] |= (fold_bits)(v[j] != v[j]); \
			} \
		for (int j = 0; j < BLOCK_LANES; j++) \
			lane[j] = nan[j] ? (C)NAN : lane[j]; \
	}
FOLD_EXTREME_LINE(less, <)
FOLD_EXTREME_LINE(more, >)
#define FOLD_LINE_BLOCK_MIN FOLD_LINE_OF(less)
#define FOLD_LINE_BLOCK_MAX FOLD_LINE_OF(more)
#else
#define FOLD_LINE_BLOCK_MIN
#define FOLD_LINE_BLOCK_MAX
#endif
#define FOLD_LINE_BLOCK_ANY
#define FOLD_LINE_BLOCK_ALL

#define FOLD_CASE(op, L, A, first, OF, VALUE) \
	case BLOCK_FOLD(op, BLOCK_FOLD_FIRST): { \
		L *lane = f->lane; \
		for (long j = 0; j < f->width; j++) \
			lane[j] = (first); \
		return; \
	} \
	case BLOCK_FOLD(op, BLOCK_FOLD_ADD): \
		FOLD_LINE_##op \
		FOLD_ADD_ROWS(L, OF, VALUE) \
		return; \
	case BLOCK_FOLD(op, BLOCK_FOLD_END): { \
		L *lane = f->lane; \
		A *out = f->to; \
		FOLD_HALVES(lane, OF, f->width, f->keep) \
		for (long j = 0; j < f->keep; j++) \
			out[j] = (A)lane[j]; \
		return; \
	} \
	case BLOCK_FOLD(op, BLOCK_FOLD_SHORT): \
		FOLD_SHORT_##op(L, A, first, OF, VALUE, (A)) \
		return;


#if FOLD_HAS_SUM
#if KIND_I && ITEM < 4
#define FOLD_WIDE(v) ((fold_sum)(int)(v))
#else
#define FOLD_WIDE(v) ((fold_sum)(v))
#endif
#if KIND_F
#define FOLD_JOIN(a, v) ((a) + (v))
/* total + lost += v.  The total is rounded, and `lost` collects the rounding
   errors. */
#define FOLD_EMPTY(total, lost, v) \
	{ \
		const fold_sum sum = (total) + (v), back = sum - (total); \
		const fold_sum loss = ((total) - (sum - back)) + ((v)-back); \
\
		/* The loss is NaN if the sum is not finite. */ \
		(lost) += sum - sum == (fold_sum)0 ? loss : (fold_sum)0; \
		(total) = sum; \
	}
#else
#define FOLD_JOIN(a, v) ((fold_sum)((ulong)(a) + (ulong)(v)))
#define FOLD_EMPTY(total, lost, v) \
	(total) = FOLD_JOIN(total, FOLD_WIDE(v));
#endif

static inline void fold_sum_first(const struct block_fold *f)
{
	fold_lane *lane = f->lane;

	for (long j = 0; j < f->width; j++)
		lane[j] = 0;
}

/* The lanes become the totals. */
static inline void fold_sum_begin(const struct block_fold *f)
{
	fold_lane *lane = f->lane;
	fold_sum *total = f->total, *lost = f->lost;

	INDEPENDENT for (long j = 0; j < f->width; j++)
	{
		total[j] = FOLD_WIDE(lane[j]);
		lost[j] = 0;
		lane[j] = 0;
	}
}

static inline void fold_sum_empty(const struct block_fold *f)
{
	fold_lane *lane = f->lane;
	fold_sum *total = f->total, *lost = f->lost;

	(void)lost;
	INDEPENDENT for (long j = 0; j < f->width; j++)
	{
		FOLD_EMPTY(total[j], lost[j], lane[j])
		lane[j] = 0;
	}
}

static inline void fold_sum_end(const struct block_fold *f)
{
	const fold_lane *lane = f->lane;
	fold_sum *total = f->total, *lost = f->lost, *out = f->to;

	if (f->has_totals) {
		fold_sum_empty(f);
		for (long j = 0; j < f->width; j++)
			total[j] = FOLD_JOIN(total[j], lost[j]);
	} else {
		for (long j = 0; j < f->width; j++)
			total[j] = FOLD_WIDE(lane[j]);
	}
	FOLD_HALVES(total, FOLD_JOIN, f->width, f->keep)
	for (long j = 0; j < f->keep; j++)
		out[j] = total[j];
}

/* Add elements that need no conversion in memory order.  The lanes are in
   separate vectors, which stay in registers; compilers keep an array in
   memory. */
#if ITEM == 8 || KIND_F
#define FOLD_NEXT_VECTOR(a, k, lane) fold_vector a = (lane)[k];
#define FOLD_SUM_LINES(name, VALUE) \
	static inline void fold_line_##name(const struct block_fold *f) \
	{ \
		fold_vector *lane = f->lane; \
		const fold_vector *v = f->from, *u = f->with; \
		const long next = f->with_stays ? 0 : BLOCK_LANES / FOLD_WIDTH; \
		FOLD_VECTORS(FOLD_NEXT_VECTOR, lane) \
\
		for (long rows = f->rows; rows > 0; rows--) { \
			FOLD_VECTORS(FOLD_ADD_VECTOR, FOLD_PLUS_VECTOR, VALUE) \
			v += BLOCK_LANES / FOLD_WIDTH; \
			u += next; \
		} \
		FOLD_VECTORS(FOLD_PUT_VECTOR, lane) \
	}
FOLD_SUM_LINES(sum, FOLD_FIRST)
#define FOLD_SUM_LINE FOLD_LINE_OF(sum)
#else
#define FOLD_SUM_LINE
#endif

/* Sum the terms of contiguous rows, or of a part of a row. */
#if KIND_F
FOLD_SUM_LINES(products, FOLD_PRODUCT)
FOLD_SUM_LINES(squares, FOLD_SQUARE)
#define FOLD_SUM_OF(name, VALUE) \
	{ \
		const C *p = f->from, *q = f->with; \
		C *lane = f->lane; \
\
		if (f->width == BLOCK_LANES) \
			fold_line_##name(f); \
		else \
			for (long j = 0; j < f->width; j++) \
				lane[j] += VALUE(p[j], q[j]); \
		return; \
	}
#define FOLD_SUM_PAIRS \
	if (f->of == BLOCK_PRODUCTS) \
		FOLD_SUM_OF(products, FOLD_PRODUCT) \
	if (f->of == BLOCK_SQUARES) \
		FOLD_SUM_OF(squares, FOLD_SQUARE)
static inline void fold_elements(const struct block_fold *f)
{
	const C *p = f->from, *q = f->with;
	C *out = f->to;

	if (f->of == BLOCK_PRODUCTS)
		INDEPENDENT for (long j = 0; j < f->width; j++)
			out[j] = FOLD_PRODUCT(p[j], q[j]);
	else
		INDEPENDENT for (long j = 0; j < f->width; j++)
			out[j] = FOLD_SQUARE(p[j], q[j]);
}
#define FOLD_SUM_ELEMENTS \
	case BLOCK_FOLD(BLOCK_SUM, BLOCK_FOLD_ELEMENTS): \
		fold_elements(f); \
		return;
#else
#define FOLD_SUM_PAIRS
#define FOLD_SUM_ELEMENTS
#endif

#define FOLD_SUM_CASES \
	case BLOCK_FOLD(BLOCK_SUM, BLOCK_FOLD_FIRST): fold_sum_first(f); return; \
	case BLOCK_FOLD(BLOCK_SUM, BLOCK_FOLD_ADD): \
		FOLD_SUM_PAIRS \
		FOLD_SUM_LINE \
		FOLD_ADD_ROWS(fold_lane, FOLD_PLUS, FOLD_ITSELF) return; \
	case BLOCK_FOLD(BLOCK_SUM, BLOCK_FOLD_EMPTY): \
		if (f->has_totals) \
			fold_sum_empty(f); \
		else \
			fold_sum_begin(f); \
		return; \
	case BLOCK_FOLD(BLOCK_SUM, BLOCK_FOLD_END): fold_sum_end(f); return; \
	case BLOCK_FOLD(BLOCK_SUM, BLOCK_FOLD_SHORT): \
		FOLD_SHORT_BLOCK_SUM(fold_lane, fold_sum, 0, FOLD_PLUS, \
			FOLD_ITSELF, FOLD_WIDE) \
		return; \
	FOLD_SUM_ELEMENTS
#else
#define FOLD_SUM_CASES
#endif

NATIVE_CLONES static void block_fold(const struct block_fold *f)
{
	switch (f->code) {
		FOLD_SUM_CASES
		FOLD_EXTREME(FOLD_CASE)
		FOLD_LOGIC(FOLD_CASE)
	}
}
