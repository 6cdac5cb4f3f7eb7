/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce.cl - the functions of native code that combine elements of one dtype
 * with lanes (struct vm_reduce of vm.h).
 *
 * A lane is an accumulator.  After VM_REDUCE_ROWS rows the lanes of a sum are
 * added to totals.  The rounding errors of the totals are added up separately.
 * So the error of a sum hardly grows with the number of elements.  Products
 * have no totals.  Minimum and maximum of values with a NaN are NaN.
 *
 * Dtypes that are computed in the same way share a function, which
 * core/array/engine/native/vmcode_reduce.c chooses.  16-bit floats are cast to
 * float32 beforehand.
 */

/* reduce_lane is the type of a lane of a sum.  reduce_bits is the type of a
   lane of a logical operation. */
#if KIND_F
typedef C reduce_lane;
#elif ITEM < 4
typedef uint reduce_lane;
#else
typedef ulong reduce_lane;
#endif
#if ITEM == 1
typedef uchar reduce_bits;
#elif ITEM == 2
typedef ushort reduce_bits;
#elif ITEM == 4
typedef uint reduce_bits;
#else
typedef ulong reduce_bits;
#endif

/* The number of lanes in a vector register. */
#define REDUCE_WIDTH (32 / ITEM)
typedef reduce_lane reduce_vector
	__attribute__((vector_size(32), aligned(ITEM), may_alias));

/* reduce_sum is the type of a finished sum. */
#if KIND_I
typedef long reduce_sum;
#elif KIND_U
typedef ulong reduce_sum;
#elif KIND_F
typedef C reduce_sum;
#endif

#define REDUCE_ITSELF(v) (v)
#if KIND_C
#define REDUCE_TRUE(v) ((reduce_bits)(c_true(v) ? 1 : 0))
#else
#define REDUCE_TRUE(v) ((reduce_bits)((v) != (C)0 ? 1 : 0))
#endif
#define REDUCE_PLUS(a, v) ((a) + (reduce_lane)(v))
#define REDUCE_TIMES(a, v) ((a) * (v))
#define REDUCE_LESS(a, v) (((v) < (a) || (v) != (v)) ? (v) : (a))
#define REDUCE_MORE(a, v) (((v) > (a) || (v) != (v)) ? (v) : (a))
#define REDUCE_OR(a, v) ((reduce_bits)((a) | (v)))
#define REDUCE_AND(a, v) ((reduce_bits)((a) & (v)))

/* Combine the values v, w, x and y, one after another, with @lane. */
#define REDUCE_FOUR(L, OF, VALUE, lane) \
	{ \
		const L a = OF(lane, (L)VALUE(v)); \
		const L b = OF(a, (L)VALUE(w)); \
		const L c = OF(b, (L)VALUE(x)); \
		(lane) = OF(c, (L)VALUE(y)); \
	}
#define REDUCE_TIMES_FOUR(L, VALUE, lane) REDUCE_FOUR(L, REDUCE_TIMES, VALUE, lane)
#define REDUCE_LESS_FOUR(L, VALUE, lane) REDUCE_FOUR(L, REDUCE_LESS, VALUE, lane)
#define REDUCE_MORE_FOUR(L, VALUE, lane) REDUCE_FOUR(L, REDUCE_MORE, VALUE, lane)
#define REDUCE_OR_FOUR(L, VALUE, lane) REDUCE_FOUR(L, REDUCE_OR, VALUE, lane)
#define REDUCE_AND_FOUR(L, VALUE, lane) REDUCE_FOUR(L, REDUCE_AND, VALUE, lane)
/* Four bytes are first added in 16 bits, where their sum fits.  Only this sum
   is widened. */
#if ITEM == 1 && KIND_I
#define REDUCE_PLUS_FOUR(L, VALUE, lane) \
	(lane) += (L)(short)((v) + (w) + (x) + (y));
#elif ITEM == 1 && KIND_U
#define REDUCE_PLUS_FOUR(L, VALUE, lane) \
	(lane) += (L)(ushort)((v) + (w) + (x) + (y));
#else
#define REDUCE_PLUS_FOUR(L, VALUE, lane) REDUCE_FOUR(L, REDUCE_PLUS, VALUE, lane)
#endif

/* The value with which a minimum or a maximum begins. */
#if KIND_F
#define REDUCE_HIGHEST ((C)HUGE_VAL)
#define REDUCE_LOWEST (-(C)HUGE_VAL)
#elif KIND_I
#define REDUCE_HIGHEST ((C)(-(C_MIN + 1)))
#define REDUCE_LOWEST ((C)C_MIN)
#else
#define REDUCE_HIGHEST ((C)~(C)0)
#define REDUCE_LOWEST ((C)0)
#endif

/* X(operation, type of a lane, type of a result, value with which the reduction
   begins, function f, function g).  g(x) gives the value of an element x.
   f(lane, value) combines this value with a lane. */
#if KIND_U
#define REDUCE_LOGIC(X)
#else
#define REDUCE_LOGIC(X) \
	X(VM_ANY, reduce_bits, uchar, 0, REDUCE_OR, REDUCE_TRUE) \
	X(VM_ALL, reduce_bits, uchar, 1, REDUCE_AND, REDUCE_TRUE)
#endif
#if KIND_C
#define REDUCE_EXTREME(X)
#else
#define REDUCE_EXTREME(X) \
	X(VM_MIN, C, C, REDUCE_HIGHEST, REDUCE_LESS, REDUCE_ITSELF) \
	X(VM_MAX, C, C, REDUCE_LOWEST, REDUCE_MORE, REDUCE_ITSELF)
#endif
#define REDUCE_HAS_SUM (!KIND_C && DPR_DTYPE != 9)

/* REDUCE_ROW combines the @n elements at p with lanes.  REDUCE_FOUR_ROWS also
   combines the elements of the next three rows.  Rows are @stride elements
   apart. */
#define REDUCE_ROW(lane, n, L, OF, VALUE) \
	INDEPENDENT for (long j = 0; j < (n); j++) \
	{ \
		const C v = LOAD(p, j); \
		(lane)[j] = OF((lane)[j], (L)VALUE(v)); \
	}
#define REDUCE_FOUR_ROWS(lane, n, stride, L, OF, VALUE) \
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
#define REDUCE_ADD_ROWS(L, OF, VALUE) \
	{ \
		const long whole = f->width / VM_LANES * VM_LANES; \
		const T *from = f->from, *p; \
		L *lane = f->lane; \
		long rows = f->rows, k; \
\
		for (; rows >= 4; rows -= 4, from += 4 * f->stride) { \
			for (k = 0, p = from; k < whole; \
				k += VM_LANES, p += VM_LANES) \
				REDUCE_FOUR_ROWS(lane + k, VM_LANES, \
					f->stride, L, OF, VALUE) \
			REDUCE_FOUR_ROWS(lane + k, f->width - whole, f->stride, \
				L, OF, VALUE) \
		} \
		for (; rows > 0; rows--, from += f->stride) { \
			for (k = 0, p = from; k < whole; \
				k += VM_LANES, p += VM_LANES) \
				REDUCE_ROW(lane + k, VM_LANES, L, OF, VALUE) \
			REDUCE_ROW(lane + k, f->width - whole, L, OF, VALUE) \
		} \
	}

/* REDUCE_HALF combines the first n lanes with the next n lanes.  REDUCE_HALVES
   repeats this, each time for half of the lanes, until `keep` lanes are left.
   The lanes of one result are `keep` lanes apart. */
#define REDUCE_HALF(lane, OF, n) \
	for (long j = 0; j < (n); j++) \
		(lane)[j] = OF((lane)[j], (lane)[j + (n)]);
#define REDUCE_HALVES(lane, OF, width, keep) \
	for (long half = (width) / 2; half >= (keep); half /= 2) \
		REDUCE_HALF(lane, OF, half)

/* VM_REDUCE_SHORT: reduce each row to a result. */
#define REDUCE_SHORT_ROWS(L, A, first, OF, VALUE, WIDE) \
	{ \
		A *out = f->to; \
\
		for (long row = 0; row < f->rows; row++) { \
			const T *p = (const T *)f->from + row * f->stride; \
			const T *end = p + f->width; \
			L lane[VM_LANES]; \
\
			for (int j = 0; j < VM_LANES; j++) \
				lane[j] = (first); \
			for (; end - p >= 4 * VM_LANES; p += 4 * VM_LANES) \
				REDUCE_FOUR_ROWS(lane, VM_LANES, VM_LANES, \
					L, OF, VALUE) \
			for (; end - p >= VM_LANES; p += VM_LANES) \
				REDUCE_ROW(lane, VM_LANES, L, OF, VALUE) \
			REDUCE_ROW(lane, end - p, L, OF, VALUE) \
			REDUCE_HALF(lane, OF, 16) \
			REDUCE_HALF(lane, OF, 8) \
			REDUCE_HALF(lane, OF, 4) \
			REDUCE_HALF(lane, OF, 2) \
			REDUCE_HALF(lane, OF, 1) \
			out[row] = WIDE(lane[0]); \
		} \
	}

/* The terms that a reduction combines: x, the product of x and y, or the square
   of x - y. */
#define REDUCE_FIRST(x, y) (x)
#define REDUCE_PRODUCT(x, y) ROUNDED((x) * (y))
#define REDUCE_SQUARE(x, y) ROUNDED(((x) - (y)) * ((x) - (y)))

/* REDUCE_VECTORS(X, ...) expands to X(name, number, ...) for each vector of
   lanes. */
#if ITEM == 8
#define REDUCE_VECTORS(X, ...) \
	X(a, 0, __VA_ARGS__) X(b, 1, __VA_ARGS__) X(c, 2, __VA_ARGS__) \
		X(d, 3, __VA_ARGS__) X(w, 4, __VA_ARGS__) X(x, 5, __VA_ARGS__) \
			X(y, 6, __VA_ARGS__) X(z, 7, __VA_ARGS__)
#else
#define REDUCE_VECTORS(X, ...) \
	X(a, 0, __VA_ARGS__) X(b, 1, __VA_ARGS__) X(c, 2, __VA_ARGS__) \
		X(d, 3, __VA_ARGS__)
#endif
#define REDUCE_PLUS_VECTOR(a, v) ((a) + (v))
#define REDUCE_TIMES_VECTOR(a, v) ((a) * (v))
#define REDUCE_ADD_VECTOR(a, k, OF, VALUE) a = OF(a, VALUE(v[k], u[k]));
#define REDUCE_PUT_VECTOR(a, k, lane) (lane)[k] = a;
#define REDUCE_GET_VECTOR(a, k, lane) a = (lane)[k];

/* VM_REDUCE_SHORT for floats.  The lanes are separate vectors, which stay in
   registers.  Compilers would keep an array of vectors in memory. */
#if KIND_F
#if ITEM == 4
typedef int reduce_mask __attribute__((vector_size(32), may_alias));
#define REDUCE_JOIN_VECTORS(OF) \
	a = OF(a, c); \
	b = OF(b, d); \
	a = OF(a, b);
#else
typedef long reduce_mask __attribute__((vector_size(32), may_alias));
#define REDUCE_JOIN_VECTORS(OF) \
	a = OF(a, w); \
	b = OF(b, x); \
	c = OF(c, y); \
	d = OF(d, z); \
	a = OF(a, c); \
	b = OF(b, d); \
	a = OF(a, b);
#endif
#define REDUCE_CHOICE(a, v, takes) \
	((reduce_vector)(((reduce_mask)(v) & (takes)) | ((reduce_mask)(a) & ~(takes))))
#define REDUCE_LESS_VECTOR(a, v) REDUCE_CHOICE(a, v, ((v) < (a)) | ((v) != (v)))
#define REDUCE_MORE_VECTOR(a, v) REDUCE_CHOICE(a, v, ((v) > (a)) | ((v) != (v)))

#define REDUCE_NEW_VECTOR(a, k, first) reduce_vector a = zero + (first);

/*
 * Combine the lanes of each of REDUCE_WIDTH vectors to one value.  A round
 * combines the lower with the upper half of each vector, and puts the combined
 * halves of two vectors into one vector.  REDUCE_ORDER lists where the value of
 * each vector is after the last round.
 */
#ifdef __clang__
#define REDUCE_PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define REDUCE_PICK(a, b, ...) __builtin_shuffle(a, b, (reduce_mask){ __VA_ARGS__ })
#endif
#define REDUCE_ROUND(t, OF, n, low, high) \
	UNROLL for (int k = 0; k < (n); k++) \
	{ \
		const reduce_vector l = REDUCE_PICK((t)[2 * k], (t)[2 * k + 1], low); \
		const reduce_vector h = REDUCE_PICK((t)[2 * k], (t)[2 * k + 1], high); \
\
		(t)[k] = OF(l, h); \
	}
#define REDUCE_LIST(...) __VA_ARGS__
#if ITEM == 4
#define REDUCE_ROUNDS(t, OF) \
	REDUCE_ROUND(t, OF, 4, REDUCE_LIST(0, 1, 2, 3, 8, 9, 10, 11), \
		REDUCE_LIST(4, 5, 6, 7, 12, 13, 14, 15)) \
	REDUCE_ROUND(t, OF, 2, REDUCE_LIST(0, 1, 8, 9, 4, 5, 12, 13), \
		REDUCE_LIST(2, 3, 10, 11, 6, 7, 14, 15)) \
	REDUCE_ROUND(t, OF, 1, REDUCE_LIST(0, 2, 8, 10, 4, 6, 12, 14), \
		REDUCE_LIST(1, 3, 9, 11, 5, 7, 13, 15))
#define REDUCE_ORDER 0, 4, 1, 5, 2, 6, 3, 7
#else
#define REDUCE_ROUNDS(t, OF) \
	REDUCE_ROUND(t, OF, 2, REDUCE_LIST(0, 1, 4, 5), REDUCE_LIST(2, 3, 6, 7)) \
	REDUCE_ROUND(t, OF, 1, REDUCE_LIST(0, 4, 2, 6), REDUCE_LIST(1, 5, 3, 7))
#define REDUCE_ORDER 0, 2, 1, 3
#endif

#define REDUCE_SHORT_FLOATS(name, first, OF, VALUE) \
	static inline void reduce_short_##name(const struct vm_reduce *f) \
	{ \
		const reduce_vector zero = { 0 }; \
		const long rest = f->width % VM_LANES; \
		const long next = f->with_stays ? 0 : VM_LANES; \
		reduce_vector row_lanes[REDUCE_WIDTH]; \
		C *out = f->to; \
		int n = 0; \
\
		UNROLL for (int k = 0; k < REDUCE_WIDTH; k++) \
			row_lanes[k] = zero; \
		for (long row = 0; row < f->rows; row++) { \
			const C *p = (const C *)f->from + row * f->stride; \
			const C *q = (const C *)f->with + row * f->stride; \
			const C *end = p + (f->width - rest); \
			REDUCE_VECTORS(REDUCE_NEW_VECTOR, first) \
\
			for (; p < end; p += VM_LANES, q += next) { \
				const reduce_vector *v = (const reduce_vector *)p; \
				const reduce_vector *u = (const reduce_vector *)q; \
				REDUCE_VECTORS(REDUCE_ADD_VECTOR, OF##_VECTOR, VALUE) \
			} \
			if (rest) { \
				reduce_vector lanes[VM_LANES / REDUCE_WIDTH]; \
				C *lane = (C *)lanes; \
\
				REDUCE_VECTORS(REDUCE_PUT_VECTOR, lanes) \
				for (long j = 0; j < rest; j++) \
					lane[j] = OF(lane[j], VALUE(p[j], q[j])); \
				REDUCE_VECTORS(REDUCE_GET_VECTOR, lanes) \
			} \
			REDUCE_JOIN_VECTORS(OF##_VECTOR) \
			row_lanes[n++] = a; \
			if (n < REDUCE_WIDTH && row + 1 < f->rows) \
				continue; \
			REDUCE_ROUNDS(row_lanes, OF##_VECTOR) \
			a = REDUCE_PICK(row_lanes[0], row_lanes[0], REDUCE_ORDER); \
			memcpy(out, &a, (size_t)n * sizeof(*out)); \
			out += n; \
			n = 0; \
		} \
	}
REDUCE_SHORT_FLOATS(sum, (C)0, REDUCE_PLUS, REDUCE_FIRST)
REDUCE_SHORT_FLOATS(products, (C)0, REDUCE_PLUS, REDUCE_PRODUCT)
REDUCE_SHORT_FLOATS(squares, (C)0, REDUCE_PLUS, REDUCE_SQUARE)
REDUCE_SHORT_FLOATS(prod, (C)1, REDUCE_TIMES, REDUCE_FIRST)
REDUCE_SHORT_FLOATS(less, REDUCE_HIGHEST, REDUCE_LESS, REDUCE_FIRST)
REDUCE_SHORT_FLOATS(more, REDUCE_LOWEST, REDUCE_MORE, REDUCE_FIRST)
#define REDUCE_SHORT_VM_SUM(...) \
	if (f->of == VM_PRODUCTS) \
		reduce_short_products(f); \
	else if (f->of == VM_SQUARES) \
		reduce_short_squares(f); \
	else \
		reduce_short_sum(f);
#define REDUCE_SHORT_VM_PROD(...) reduce_short_prod(f);
#define REDUCE_SHORT_VM_MIN(...) reduce_short_less(f);
#define REDUCE_SHORT_VM_MAX(...) reduce_short_more(f);
#else
#define REDUCE_SHORT_VM_SUM(...) REDUCE_SHORT_ROWS(__VA_ARGS__)
#define REDUCE_SHORT_VM_MIN(...) REDUCE_SHORT_ROWS(__VA_ARGS__)
#define REDUCE_SHORT_VM_MAX(...) REDUCE_SHORT_ROWS(__VA_ARGS__)
#endif
#define REDUCE_SHORT_VM_ANY(...) REDUCE_SHORT_ROWS(__VA_ARGS__)
#define REDUCE_SHORT_VM_ALL(...) REDUCE_SHORT_ROWS(__VA_ARGS__)

/* REDUCE_LINE_OF calls reduce_line_name() if the rows are contiguous and have
   VM_LANES elements each. */
#define REDUCE_LINE_OF(name) \
	if (f->width == VM_LANES && f->stride == VM_LANES) { \
		reduce_line_##name(f); \
		return; \
	}

/*
 * Minimum and maximum of floats in contiguous rows.  A lane keeps the smallest
 * or largest value that is not a NaN, with one instruction per element.  NaNs
 * are recorded in `nan`, so that the comparisons do not wait for them.  A lane
 * that is NaN stays NaN, because comparisons with NaN are false.
 */
#if KIND_F
#define REDUCE_EXTREME_LINE(name, OF) \
	static inline void reduce_line_##name(const struct vm_reduce *f) \
	{ \
		const C *v = f->from; \
		reduce_bits nan[VM_LANES] = { 0 }; \
		C *lane = f->lane; \
		long rows = f->rows; \
\
		for (; rows >= 4; rows -= 4, v += 4 * VM_LANES) \
			INDEPENDENT for (int j = 0; j < VM_LANES; j++) \
			{ \
				const C w = v[j + VM_LANES]; \
				const C x = v[j + 2 * VM_LANES]; \
				const C y = v[j + 3 * VM_LANES]; \
				C a = lane[j]; \
\
				a = v[j] OF a ? v[j] : a; \
				a = w OF a ? w : a; \
				a = x OF a ? x : a; \
				lane[j] = y OF a ? y : a; \
				nan[j] |= (reduce_bits)(v[j] != v[j]) | \
					(reduce_bits)(w != w) | (reduce_bits)(x != x) | \
					(reduce_bits)(y != y); \
			} \
		for (; rows > 0; rows--, v += VM_LANES) \
			INDEPENDENT for (int j = 0; j < VM_LANES; j++) \
			{ \
				lane[j] = v[j] OF lane[j] ? v[j] : lane[j]; \
				nan[j] |= (reduce_bits)(v[j] != v[j]); \
			} \
		for (int j = 0; j < VM_LANES; j++) \
			lane[j] = nan[j] ? (C)NAN : lane[j]; \
	}
REDUCE_EXTREME_LINE(less, <)
REDUCE_EXTREME_LINE(more, >)
#define REDUCE_LINE_VM_MIN REDUCE_LINE_OF(less)
#define REDUCE_LINE_VM_MAX REDUCE_LINE_OF(more)
#else
#define REDUCE_LINE_VM_MIN
#define REDUCE_LINE_VM_MAX
#endif
#define REDUCE_LINE_VM_ANY
#define REDUCE_LINE_VM_ALL

#define REDUCE_CASE(op, L, A, first, OF, VALUE) \
	case VM_REDUCE_CODE(op, VM_REDUCE_FIRST): { \
		L *lane = f->lane; \
		for (long j = 0; j < f->width; j++) \
			lane[j] = (first); \
		return; \
	} \
	case VM_REDUCE_CODE(op, VM_REDUCE_ADD): \
		REDUCE_LINE_##op \
		REDUCE_ADD_ROWS(L, OF, VALUE) \
		return; \
	case VM_REDUCE_CODE(op, VM_REDUCE_END): { \
		L *lane = f->lane; \
		A *out = f->to; \
		REDUCE_HALVES(lane, OF, f->width, f->keep) \
		for (long j = 0; j < f->keep; j++) \
			out[j] = (A)lane[j]; \
		return; \
	} \
	case VM_REDUCE_CODE(op, VM_REDUCE_SHORT): \
		REDUCE_SHORT_##op(L, A, first, OF, VALUE, (A)) \
		return;


#if REDUCE_HAS_SUM
#if KIND_I && ITEM < 4
#define REDUCE_WIDE(v) ((reduce_sum)(int)(v))
#else
#define REDUCE_WIDE(v) ((reduce_sum)(v))
#endif
#if KIND_F
#define REDUCE_JOIN(a, v) ((a) + (v))
/* Add v to a total.  The total is rounded, and `lost` collects the rounding
   errors. */
#define REDUCE_EMPTY(total, lost, v) \
	{ \
		const reduce_sum sum = (total) + (v), back = sum - (total); \
		const reduce_sum loss = ((total) - (sum - back)) + ((v)-back); \
\
		/* `loss` is NaN if the sum is not finite. */ \
		(lost) += sum - sum == (reduce_sum)0 ? loss : (reduce_sum)0; \
		(total) = sum; \
	}
#else
#define REDUCE_JOIN(a, v) ((reduce_sum)((ulong)(a) + (ulong)(v)))
#define REDUCE_EMPTY(total, lost, v) \
	(total) = REDUCE_JOIN(total, REDUCE_WIDE(v));
#endif

static inline void reduce_sum_first(const struct vm_reduce *f)
{
	reduce_lane *lane = f->lane;

	for (long j = 0; j < f->width; j++)
		lane[j] = 0;
}

/* The first VM_REDUCE_EMPTY of a sum: the lanes become the totals. */
static inline void reduce_sum_begin(const struct vm_reduce *f)
{
	reduce_lane *lane = f->lane;
	reduce_sum *total = f->total, *lost = f->lost;

	INDEPENDENT for (long j = 0; j < f->width; j++)
	{
		total[j] = REDUCE_WIDE(lane[j]);
		lost[j] = 0;
		lane[j] = 0;
	}
}

static inline void reduce_sum_empty(const struct vm_reduce *f)
{
	reduce_lane *lane = f->lane;
	reduce_sum *total = f->total, *lost = f->lost;

	(void)lost;
	INDEPENDENT for (long j = 0; j < f->width; j++)
	{
		REDUCE_EMPTY(total[j], lost[j], lane[j])
		lane[j] = 0;
	}
}

static inline void reduce_sum_end(const struct vm_reduce *f)
{
	const reduce_lane *lane = f->lane;
	reduce_sum *total = f->total, *lost = f->lost, *out = f->to;

	if (f->has_totals) {
		reduce_sum_empty(f);
		for (long j = 0; j < f->width; j++)
			total[j] = REDUCE_JOIN(total[j], lost[j]);
	} else {
		for (long j = 0; j < f->width; j++)
			total[j] = REDUCE_WIDE(lane[j]);
	}
	REDUCE_HALVES(total, REDUCE_JOIN, f->width, f->keep)
	for (long j = 0; j < f->keep; j++)
		out[j] = total[j];
}

/* REDUCE_LINES makes a function that adds contiguous elements to the lanes, or
   multiplies the lanes by the elements.  The elements need no conversion.  The
   lanes are separate vectors, which stay in registers. */
#if ITEM == 8 || KIND_F
#define REDUCE_NEXT_VECTOR(a, k, lane) reduce_vector a = (lane)[k];
#define REDUCE_LINES(name, OF, VALUE) \
	static inline void reduce_line_##name(const struct vm_reduce *f) \
	{ \
		reduce_vector *lane = f->lane; \
		const reduce_vector *v = f->from, *u = f->with; \
		const long next = f->with_stays ? 0 : VM_LANES / REDUCE_WIDTH; \
		REDUCE_VECTORS(REDUCE_NEXT_VECTOR, lane) \
\
		for (long rows = f->rows; rows > 0; rows--) { \
			REDUCE_VECTORS(REDUCE_ADD_VECTOR, OF, VALUE) \
			v += VM_LANES / REDUCE_WIDTH; \
			u += next; \
		} \
		REDUCE_VECTORS(REDUCE_PUT_VECTOR, lane) \
	}
REDUCE_LINES(sum, REDUCE_PLUS_VECTOR, REDUCE_FIRST)
#define REDUCE_SUM_LINE REDUCE_LINE_OF(sum)
#else
#define REDUCE_SUM_LINE
#endif

/* REDUCE_SUM_OF adds the products or squares of contiguous rows, or of a part
   of a row, to the lanes. */
#if KIND_F
REDUCE_LINES(products, REDUCE_PLUS_VECTOR, REDUCE_PRODUCT)
REDUCE_LINES(squares, REDUCE_PLUS_VECTOR, REDUCE_SQUARE)
#define REDUCE_SUM_OF(name, VALUE) \
	{ \
		const C *p = f->from, *q = f->with; \
		C *lane = f->lane; \
\
		if (f->width == VM_LANES) \
			reduce_line_##name(f); \
		else \
			for (long j = 0; j < f->width; j++) \
				lane[j] += VALUE(p[j], q[j]); \
		return; \
	}
#define REDUCE_SUM_PAIRS \
	if (f->of == VM_PRODUCTS) \
		REDUCE_SUM_OF(products, REDUCE_PRODUCT) \
	if (f->of == VM_SQUARES) \
		REDUCE_SUM_OF(squares, REDUCE_SQUARE)
static inline void reduce_elements(const struct vm_reduce *f)
{
	const C *p = f->from, *q = f->with;
	C *out = f->to;

	if (f->of == VM_PRODUCTS)
		INDEPENDENT for (long j = 0; j < f->width; j++)
			out[j] = REDUCE_PRODUCT(p[j], q[j]);
	else
		INDEPENDENT for (long j = 0; j < f->width; j++)
			out[j] = REDUCE_SQUARE(p[j], q[j]);
}
#define REDUCE_SUM_ELEMENTS \
	case VM_REDUCE_CODE(VM_SUM, VM_REDUCE_ELEMENTS): \
		reduce_elements(f); \
		return;
#else
#define REDUCE_SUM_PAIRS
#define REDUCE_SUM_ELEMENTS
#endif

#define REDUCE_SUM_CASES \
	case VM_REDUCE_CODE(VM_SUM, VM_REDUCE_FIRST): reduce_sum_first(f); return; \
	case VM_REDUCE_CODE(VM_SUM, VM_REDUCE_ADD): \
		REDUCE_SUM_PAIRS \
		REDUCE_SUM_LINE \
		REDUCE_ADD_ROWS(reduce_lane, REDUCE_PLUS, REDUCE_ITSELF) return; \
	case VM_REDUCE_CODE(VM_SUM, VM_REDUCE_EMPTY): \
		if (f->has_totals) \
			reduce_sum_empty(f); \
		else \
			reduce_sum_begin(f); \
		return; \
	case VM_REDUCE_CODE(VM_SUM, VM_REDUCE_END): reduce_sum_end(f); return; \
	case VM_REDUCE_CODE(VM_SUM, VM_REDUCE_SHORT): \
		REDUCE_SHORT_VM_SUM(reduce_lane, reduce_sum, 0, REDUCE_PLUS, \
			REDUCE_ITSELF, REDUCE_WIDE) \
		return; \
	REDUCE_SUM_ELEMENTS
#else
#define REDUCE_SUM_CASES
#endif

/* Products.  The lanes of integers have 64 bits.  For complex numbers, `width`,
   `stride` and `keep` of struct vm_reduce count real and imaginary parts. */
#if KIND_F
REDUCE_LINES(prod, REDUCE_TIMES_VECTOR, REDUCE_FIRST)
#define REDUCE_LINE_VM_PROD REDUCE_LINE_OF(prod)
#define REDUCE_PROD_CASES REDUCE_CASE(VM_PROD, C, C, 1, REDUCE_TIMES, REDUCE_ITSELF)
#elif KIND_C || REDUCE_HAS_SUM
#if KIND_C
typedef C reduce_factor;
#define REDUCE_PARTS 2
#define REDUCE_ONE c_make((F)1, (F)0)
#define REDUCE_FACTOR(v) (v)
#define REDUCE_MULTIPLY(a, v) c_mul(v, a)
#else
typedef ulong reduce_factor;
#define REDUCE_PARTS 1
#define REDUCE_ONE 1
#define REDUCE_FACTOR(v) ((ulong)(v))
#define REDUCE_MULTIPLY REDUCE_TIMES
#endif
static inline void reduce_prod_first(reduce_factor *lane, long n)
{
	for (long j = 0; j < n; j++)
		lane[j] = REDUCE_ONE;
}

/* Multiply the lanes by @rows rows of @width elements.  Rows are @stride
   elements apart. */
static inline void reduce_prod_rows(reduce_factor *lane, const T *from,
	long width, long rows, long stride)
{
	for (; rows > 0; rows--, from += stride)
		INDEPENDENT for (long j = 0; j < width; j++)
		{
			const C v = LOAD(from, j);
			lane[j] = REDUCE_MULTIPLY(lane[j], REDUCE_FACTOR(v));
		}
}

static inline void reduce_prod_end(
	reduce_factor *lane, long width, long keep, reduce_factor *out)
{
	REDUCE_HALVES(lane, REDUCE_MULTIPLY, width, keep)
	for (long j = 0; j < keep; j++)
		out[j] = lane[j];
}

/* VM_REDUCE_SHORT for products: reduce each row to a result. */
static inline void reduce_prod_short(const struct vm_reduce *f)
{
	const long whole = f->width / VM_LANES, rest = f->width % VM_LANES;
	const T *from = f->from;
	reduce_factor *out = f->to;

	for (long row = 0; row < f->rows; row++, from += f->stride) {
		reduce_factor lane[VM_LANES];

		reduce_prod_first(lane, VM_LANES);
		reduce_prod_rows(lane, from, VM_LANES, whole, VM_LANES);
		reduce_prod_rows(lane, from + whole * VM_LANES, rest, 1, 0);
		reduce_prod_end(lane, VM_LANES, 1, out + row);
	}
}

#define REDUCE_PROD_CASES \
	case VM_REDUCE_CODE(VM_PROD, VM_REDUCE_FIRST): \
		reduce_prod_first(f->lane, f->width / REDUCE_PARTS); \
		return; \
	case VM_REDUCE_CODE(VM_PROD, VM_REDUCE_ADD): \
		reduce_prod_rows(f->lane, f->from, f->width / REDUCE_PARTS, \
			f->rows, f->stride / REDUCE_PARTS); \
		return; \
	case VM_REDUCE_CODE(VM_PROD, VM_REDUCE_END): \
		reduce_prod_end(f->lane, f->width / REDUCE_PARTS, \
			f->keep / REDUCE_PARTS, f->to); \
		return; \
	case VM_REDUCE_CODE(VM_PROD, VM_REDUCE_SHORT): \
		reduce_prod_short(f); \
		return;
#else
#define REDUCE_PROD_CASES
#endif

NATIVE_CLONES static void vm_reduce(const struct vm_reduce *f)
{
	switch (f->code) {
		REDUCE_SUM_CASES
		REDUCE_PROD_CASES
		REDUCE_EXTREME(REDUCE_CASE)
		REDUCE_LOGIC(REDUCE_CASE)
	}
}
