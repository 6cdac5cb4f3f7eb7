/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce.cl - sum, minimum, maximum, any and all of one dtype along one axis.
 *
 * There are two passes.  In the first the axis is cut into parts, and partial
 * results go to out[part * kept + k], in the type that the operation
 * accumulates in:
 *   fold_rows     any layout; best if the reduced axis is contiguous
 *   fold_columns  kept axis 0 is contiguous in the source
 * In the second, fold_last, a work-item takes the parts of one result, divides
 * by `count` unless that is 0 (for mean), and stores the result in its final
 * type.  On a GPU fold_many does this with a work-group for each result: one
 * item would need longer for many parts than the whole first pass.
 *
 * Floats are summed in lanes over short blocks, or with a second sum of what
 * rounding lost, so that the error hardly grows with the length.  Minimum and
 * maximum of values with a NaN are NaN.
 */
#define FOLD_RANK 8

/* The struct of core/array/launch/fold.h, which must be the same.  No
   padding. */
typedef struct {
	int operation, rank; /* rank: of the kept axes; axis 0 is the
				innermost */
	long kept; /* number of results */
	long length, step; /* the reduced axis: its extent and stride */
	long parts, part; /* number of parts; length of each but the last */
	long count; /* fold_last divides by it; 0: it does not */
	long from, to; /* first element of the source; of the result */
	long shape[FOLD_RANK], source[FOLD_RANK], result[FOLD_RANK];
} fold;

#define FOLD_SUM 0
#define FOLD_MIN 1
#define FOLD_MAX 2
#define FOLD_ANY 3
#define FOLD_ALL 4

/* The type in which sums are accumulated and partial results are stored. */
#if KIND_B || KIND_I
typedef long S;
#elif KIND_U
typedef ulong S;
#else
typedef C S;
#endif

#define LANES 32
#if DPR_DTYPE == 12 || DPR_DTYPE == 13
#define BLOCK 8192 /* elements per block of a row: more lanes share it */
#else
#define BLOCK 2048
#endif
#define COLUMNS 128 /* columns per work-item on a CPU */
#define ROWS_BLOCK 64 /* rows per block in fold_columns */

#if KIND_C
#define SUM_ZERO c_make((F)0, (F)0)
#define SUM_OF(a, v) c_add((a), (v))
#define VALUE_OF_SUM(v) (v)
#elif KIND_F
#define SUM_ZERO ((S)0)
#define SUM_OF(a, v) ((a) + (v))
#define VALUE_OF_SUM(v) (v)
#else
#define SUM_ZERO ((S)0)
#define SUM_OF(a, v) ((S)((ulong)(a) + (ulong)(v)))
#define VALUE_OF_SUM(v) ((S)(v))
#endif
#if KIND_F || KIND_C
#define SUM_IS_INEXACT 1
#else
#define SUM_IS_INEXACT 0
#endif

#if KIND_C
#define TRUE_OF(v) (c_true(v) ? 1 : 0)
#else
#define TRUE_OF(v) ((v) != (C)0 ? 1 : 0)
#endif
#define MIN_OF(a, v) (((v) < (a) || (v) != (v)) ? (v) : (a))
#define MAX_OF(a, v) (((v) > (a) || (v) != (v)) ? (v) : (a))
#define OR_OF(a, v) ((uchar)((a) | (v)))
#define AND_OF(a, v) ((uchar)((a) & (v)))

/* total + lost += v: total is rounded, and lost collects what rounding lost. */
#if KIND_F
static inline void fold_add(S *total, S *lost, S v)
{
	const S sum = *total + v, back = sum - *total;

	/* The loss is NaN if the sum is not finite. */
	if (sum - sum == (S)0)
		*lost += (*total - (sum - back)) + (v - back);
	*total = sum;
}
#elif KIND_C
static inline void fold_add(S *total, S *lost, S v)
{
	const S sum = c_add(*total, v), back = c_sub(sum, *total);

	if (c_is_finite(sum))
		*lost = c_add(*lost, c_add(c_sub(*total, c_sub(sum, back)),
			c_sub(v, back)));
	*total = sum;
}
#else
static inline void fold_add(S *total, S *lost, S v)
{
	(void)lost;
	*total = SUM_OF(*total, v);
}
#endif

/* Where result k begins in the source or, if @is_result, where it is stored. */
static inline long fold_at(const fold *f, long k, int is_result)
{
	long at = is_result ? f->to : f->from;
	ulong rest = (ulong)k;

	for (int d = 0; d < f->rank; d++) {
		const ulong next = rest / (ulong)f->shape[d];
		const long i = (long)(rest - next * (ulong)f->shape[d]);

		rest = next;
		at += i * (is_result ? f->result[d] : f->source[d]);
	}
	return at;
}

/* X(operation, type, first value, function of a and v, value of element v) */
#define FOLD_LOGIC(X) \
	X(FOLD_ANY, uchar, 0, OR_OF, TRUE_OF) \
	X(FOLD_ALL, uchar, 1, AND_OF, TRUE_OF)
#define FOLD_ITSELF(v) (v)
#if KIND_C
#define FOLD_OPS(X) FOLD_LOGIC(X)
#else
#define FOLD_OPS(X) \
	X(FOLD_MIN, C, LOAD(p, 0), MIN_OF, FOLD_ITSELF) \
	X(FOLD_MAX, C, LOAD(p, 0), MAX_OF, FOLD_ITSELF) \
	FOLD_LOGIC(X)
#endif

#if DPR_CPU
/* Fold n elements, which follow p directly, in lanes. */
#define FOLD_LANES(A, first, OF, VALUE, n, result) \
	do { \
		A lane[LANES]; \
		long i = 0; \
		for (int j = 0; j < LANES; j++) \
			lane[j] = (first); \
		for (; i + LANES <= (n); i += LANES) \
			for (int j = 0; j < LANES; j++) { \
				const C v = LOAD(p, i + j); \
				lane[j] = OF(lane[j], VALUE(v)); \
			} \
		for (; i < (n); i++) { \
			const C v = LOAD(p, i); \
			lane[i % LANES] = OF(lane[i % LANES], VALUE(v)); \
		} \
		for (int half_of = LANES / 2; half_of > 0; half_of /= 2) \
			for (int j = 0; j < half_of; j++) \
				lane[j] = OF(lane[j], lane[j + half_of]); \
		(result) = lane[0]; \
	} while (0)

#if DPR_DTYPE == 12 || DPR_DTYPE == 13
#if DPR_DTYPE == 12
#define WIDTH 16
typedef float16 lanes;
#define LANES_AT(k, p) vload16((k), (p))
#define LANES_TO(v, to) vstore16((v), 0, (to))
#else
#define WIDTH 8
typedef double8 lanes;
#define LANES_AT(k, p) vload8((k), (p))
#define LANES_TO(v, to) vstore8((v), 0, (to))
#endif
#define MANY (8 * WIDTH)

/* The sum of n elements; n is a multiple of MANY and not 0.  It adds eight
   vectors at once, because an addition takes longer than the next load.  They
   are not an array, because PoCL would keep an array in memory. */
static inline S fold_sum_lanes(global const T *p, long n)
{
	lanes a = LANES_AT(0, p), b = LANES_AT(1, p), c = LANES_AT(2, p);
	lanes d = LANES_AT(3, p), e = LANES_AT(4, p), f = LANES_AT(5, p);
	lanes g = LANES_AT(6, p), h = LANES_AT(7, p);
	global const T *end = p + n;
	S each[WIDTH];

	for (p += MANY; p < end; p += MANY) {
		a += LANES_AT(0, p);
		b += LANES_AT(1, p);
		c += LANES_AT(2, p);
		d += LANES_AT(3, p);
		e += LANES_AT(4, p);
		f += LANES_AT(5, p);
		g += LANES_AT(6, p);
		h += LANES_AT(7, p);
	}
	a = ((a + b) + (c + d)) + ((e + f) + (g + h));
	LANES_TO(a, each);
	for (int half_of = WIDTH / 2; half_of > 0; half_of /= 2)
		for (int j = 0; j < half_of; j++)
			each[j] += each[j + half_of];
	return each[0];
}

/* The elements that are left over are summed in lanes, with FOLD_LANES. */
#define FOLD_SUM_LANES(n, result) \
	do { \
		const long whole = (n) / MANY * MANY; \
		S rest = SUM_ZERO; \
		if (whole < (n)) { \
			p += whole; \
			FOLD_LANES(S, SUM_ZERO, SUM_OF, VALUE_OF_SUM, \
				(n) - whole, rest); \
			p -= whole; \
		} \
		(result) = whole ? fold_sum_lanes(p, whole) + rest : rest; \
	} while (0)
#else
#define FOLD_SUM_LANES(n, result) \
	FOLD_LANES(S, SUM_ZERO, SUM_OF, VALUE_OF_SUM, n, result)
#endif

#define FOLD_ROW(op, A, first, OF, VALUE) \
	case op: { \
		A result; \
		if (f->step == 1) { \
			FOLD_LANES(A, first, OF, VALUE, n, result); \
		} else { \
			result = (first); \
			for (long i = 0; i < n; i++) { \
				const C v = LOAD(p, i * f->step); \
				result = OF(result, VALUE(v)); \
			} \
		} \
		((global A *)out)[id] = result; \
		break; \
	}

static inline void fold_rows_item(ulong id, global uchar *out,
	global const T *p, const fold *f)
{
	const long part = (long)(id / (ulong)f->kept);
	const long begin = part * f->part;
	long n = f->length - begin;

	if (id >= (ulong)f->kept * (ulong)f->parts)
		return;
	n = n < f->part ? n : f->part;
	p += fold_at(f, (long)id - part * f->kept, 0) + begin * f->step;
	switch (f->operation) {
	case FOLD_SUM: {
		S total = SUM_ZERO, lost = SUM_ZERO;

		for (long b = 0; b < n; b += BLOCK) {
			const long m = n - b < BLOCK ? n - b : BLOCK;
			S sum = SUM_ZERO;

			if (f->step == 1) {
				FOLD_SUM_LANES(m, sum);
			} else {
				S other = SUM_ZERO;
				long i = 0;

				for (; i + 2 <= m; i += 2) {
					const C v = LOAD(p, i * f->step);
					const C u = LOAD(p, (i + 1) * f->step);

					fold_add(&sum, &lost, VALUE_OF_SUM(v));
					fold_add(&other, &lost, VALUE_OF_SUM(u));
				}
				if (i < m) {
					const C v = LOAD(p, i * f->step);

					fold_add(&sum, &lost, VALUE_OF_SUM(v));
				}
				sum = SUM_OF(sum, other);
			}
			fold_add(&total, &lost, sum);
			p += BLOCK * f->step;
		}
		((global S *)out)[id] = SUM_OF(total, lost);
		break;
	}
		FOLD_OPS(FOLD_ROW)
	}
}

/* A work-item takes COLUMNS neighbours along kept axis 0. */
#define FOLD_COLUMN(op, A, first, OF, VALUE) \
	case op: { \
		A lane[COLUMNS]; \
		for (int j = 0; j < width; j++) { \
			global const T *p = q + j; \
			(void)p; \
			lane[j] = (first); \
		} \
		for (long r = 0; r < n; r++) \
			for (int j = 0; j < width; j++) { \
				const C v = LOAD(q, r * f->step + j); \
				lane[j] = OF(lane[j], VALUE(v)); \
			} \
		for (int j = 0; j < width; j++) \
			((global A *)out)[to + j] = lane[j]; \
		break; \
	}

static inline void fold_columns_item(ulong id, global uchar *out,
	global const T *q, const fold *f)
{
	const ulong across = ((ulong)f->shape[0] + COLUMNS - 1) / COLUMNS;
	const ulong rows = (ulong)f->kept / (ulong)f->shape[0];
	const long block = (long)(id % across);
	const long row = (long)(id / across % rows);
	const long part = (long)(id / across / rows);
	const long k = row * f->shape[0] + block * COLUMNS;
	const long begin = part * f->part, to = part * f->kept + k;
	long n = f->length - begin, left = f->shape[0] - block * COLUMNS;
	const int width = left < COLUMNS ? (int)left : COLUMNS;

	if (id >= across * rows * (ulong)f->parts)
		return;
	n = n < f->part ? n : f->part;
	q += fold_at(f, k, 0) + begin * f->step;
	switch (f->operation) {
	case FOLD_SUM: {
		S lane[COLUMNS], total[COLUMNS];

		for (int j = 0; j < width; j++)
			total[j] = SUM_ZERO;
		for (long b = 0; b < n; b += ROWS_BLOCK) {
			const long end = b + ROWS_BLOCK < n ? b + ROWS_BLOCK : n;

			for (int j = 0; j < width; j++)
				lane[j] = SUM_ZERO;
			for (long r = b; r < end; r++)
				for (int j = 0; j < width; j++) {
					const C v = LOAD(q, r * f->step + j);

					lane[j] = SUM_OF(lane[j],
						VALUE_OF_SUM(v));
				}
			for (int j = 0; j < width; j++)
				total[j] = SUM_OF(total[j], lane[j]);
		}
		for (int j = 0; j < width; j++)
			((global S *)out)[to + j] = total[j];
		break;
	}
		FOLD_OPS(FOLD_COLUMN)
	}
}

#else /* DPR_CPU */

#define GROUP 256

/* Each round halves the number of work-items that hold a value, until s[0] has
   the result. */
#define FOLD_HALVE(s, v, OF) \
	do { \
		s[me] = (v); \
		barrier(CLK_LOCAL_MEM_FENCE); \
		for (int half_of = GROUP / 2; half_of > 0; half_of /= 2) { \
			if (me < half_of) \
				s[me] = OF(s[me], s[me + half_of]); \
			barrier(CLK_LOCAL_MEM_FENCE); \
		} \
	} while (0)
#define FOLD_TREE(A, v, OF) \
	do { \
		local A *s = (local A *)shared; \
		FOLD_HALVE(s, v, OF); \
		if (me == 0) \
			((global A *)out)[id] = s[0]; \
	} while (0)

#define FOLD_ROW(op, A, first, OF, VALUE) \
	case op: { \
		A result = (first); \
		for (long i = me; i < n; i += GROUP) { \
			const C v = LOAD(p, i * f.step); \
			result = OF(result, VALUE(v)); \
		} \
		FOLD_TREE(A, result, OF); \
		break; \
	}

/* One work-group for each part of each result. */
kernel void fold_rows(global uchar *out, global const T *p, const fold f)
{
	/* The alignment that cdouble needs. */
	local ulong shared[GROUP * sizeof(S) / 8 + GROUP]
		__attribute__((aligned(16)));
	const int me = (int)get_local_id(0);
	const ulong id = get_group_id(0);
	const long part = (long)(id / (ulong)f.kept);
	const long begin = part * f.part;
	long n = f.length - begin;

	n = n < f.part ? n : f.part;
	p += fold_at(&f, (long)id - part * f.kept, 0) + begin * f.step;
	switch (f.operation) {
	case FOLD_SUM: {
		S a = SUM_ZERO, b = SUM_ZERO, c = SUM_ZERO, d = SUM_ZERO;
		long i = me;

		for (; i + 3 * GROUP < n; i += 4 * GROUP) {
			const C v0 = LOAD(p, i * f.step);
			const C v1 = LOAD(p, (i + GROUP) * f.step);
			const C v2 = LOAD(p, (i + 2 * GROUP) * f.step);
			const C v3 = LOAD(p, (i + 3 * GROUP) * f.step);

			a = SUM_OF(a, VALUE_OF_SUM(v0));
			b = SUM_OF(b, VALUE_OF_SUM(v1));
			c = SUM_OF(c, VALUE_OF_SUM(v2));
			d = SUM_OF(d, VALUE_OF_SUM(v3));
		}
		for (; i < n; i += GROUP) {
			const C v = LOAD(p, i * f.step);

			a = SUM_OF(a, VALUE_OF_SUM(v));
		}
		a = SUM_OF(SUM_OF(a, b), SUM_OF(c, d));
		FOLD_TREE(S, a, SUM_OF);
		break;
	}
		FOLD_OPS(FOLD_ROW)
	}
}

#define FOLD_COLUMN(op, A, first, OF, VALUE) \
	case op: { \
		A result = (first); \
		for (long r = 0; r < n; r++) { \
			const C v = LOAD(p, r * f->step); \
			result = OF(result, VALUE(v)); \
		} \
		((global A *)out)[id] = result; \
		break; \
	}

static inline void fold_columns_item(ulong id, global uchar *out,
	global const T *p, const fold *f)
{
	const long part = (long)(id / (ulong)f->kept);
	const long begin = part * f->part;
	long n = f->length - begin;

	if (id >= (ulong)f->kept * (ulong)f->parts)
		return;
	n = n < f->part ? n : f->part;
	p += fold_at(f, (long)id - part * f->kept, 0) + begin * f->step;
	switch (f->operation) {
	case FOLD_SUM: {
		S total = SUM_ZERO, lost = SUM_ZERO;

		for (long r = 0; r < n; r++) {
			const C v = LOAD(p, r * f->step);

			fold_add(&total, &lost, VALUE_OF_SUM(v));
		}
		((global S *)out)[id] = SUM_OF(total, lost);
		break;
	}
		FOLD_OPS(FOLD_COLUMN)
	}
}
#endif

#define FOLD_FINISH(op, A, first, OF, VALUE) \
	case op: { \
		A result = ((global const A *)p)[k]; \
		for (long i = 1; i < f->parts; i++) { \
			const A v = ((global const A *)p)[i * f->kept + k]; \
			result = OF(result, v); \
		} \
		FINISH_##op(result); \
		break; \
	}
#define FINISH_FOLD_MIN(v) STORE((global T *)out, to, (v))
#define FINISH_FOLD_MAX(v) STORE((global T *)out, to, (v))
#define FINISH_FOLD_ANY(v) (((global uchar *)out)[to] = (v))
#define FINISH_FOLD_ALL(v) (((global uchar *)out)[to] = (v))

#if KIND_F
#define FOLD_STORE_SUM(v) \
	STORE((global T *)out, to, f->count ? (v) / (S)f->count : (v))
#elif KIND_C
#define FOLD_STORE_SUM(v) \
	(((global T *)out)[to] = f->count \
			? c_make((v).re / (F)f->count, (v).im / (F)f->count) \
			: (v))
#else
#define FOLD_STORE_SUM(v) (((global S *)out)[to] = (v))
#endif

static inline void fold_last_item(ulong id, global uchar *out,
	global const uchar *p, const fold *f)
{
	const long k = (long)id;
	long to;

	if (id >= (ulong)f->kept)
		return;
	to = fold_at(f, k, 1);
	switch (f->operation) {
	case FOLD_SUM: {
		S total = SUM_ZERO, lost = SUM_ZERO;

		for (long i = 0; i < f->parts; i++)
			fold_add(&total, &lost,
				((global const S *)p)[i * f->kept + k]);
		total = SUM_OF(total, lost);
		FOLD_STORE_SUM(total);
		break;
	}
		FOLD_OPS(FOLD_FINISH)
	}
}

#if !DPR_CPU
#define FOLD_GATHER(op, A, first, OF, VALUE) \
	case op: { \
		local A *s = (local A *)shared; \
		A result = ((global const A *)p)[k]; \
		for (long i = me; i < f->parts; i += GROUP) { \
			const A v = ((global const A *)p)[i * f->kept + k]; \
			result = OF(result, v); \
		} \
		FOLD_HALVE(s, result, OF); \
		if (me == 0) \
			FINISH_##op(s[0]); \
		break; \
	}

/* One work-group for each result. */
kernel void fold_many(global uchar *out, global const uchar *p, const fold all)
{
	local ulong shared[GROUP * sizeof(S) / 8 + GROUP]
		__attribute__((aligned(16)));
	const fold *f = &all;
	const int me = (int)get_local_id(0);
	const long k = (long)get_group_id(0);
	const long to = fold_at(f, k, 1);

	switch (f->operation) {
	case FOLD_SUM: {
		local S *s = (local S *)shared;
		S total = SUM_ZERO, lost = SUM_ZERO;

		for (long i = me; i < f->parts; i += GROUP)
			fold_add(&total, &lost,
				((global const S *)p)[i * f->kept + k]);
		total = SUM_OF(total, lost);
		FOLD_HALVE(s, total, SUM_OF);
		if (me == 0)
			FOLD_STORE_SUM(s[0]);
		break;
	}
		FOLD_OPS(FOLD_GATHER)
	}
}
#endif

#define FOLD_ENTRY(NAME, A) \
	kernel void NAME(global uchar *out, global const A *p, const fold f) \
	{ \
		NAME##_item(get_global_id(0), out, p, &f); \
	}
#if DPR_CPU
FOLD_ENTRY(fold_rows, T)
#endif
FOLD_ENTRY(fold_columns, T)
FOLD_ENTRY(fold_last, uchar)
