/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce.cl - sum, minimum, maximum, any and all of one dtype along one axis, for
 * GPUs whose kernels come in files.
 *
 * There are two passes.  In the first the axis is cut into parts, and partial
 * results go to out[part * kept + k], in the type that the operation
 * accumulates in:
 *   fold_rows     any layout; best if the reduced axis is contiguous
 *   fold_columns  kept axis 0 is contiguous in the source
 * In the second, fold_last, a work-item takes the parts of one result, divides
 * by `count` unless that is 0 (for mean), and stores the result in its final
 * type.  fold_many does this with a work-group for each result: one item would
 * need longer for many parts than the whole first pass.
 *
 * Floats are summed with a second sum of what rounding lost, so that the error
 * hardly grows with the length.  Minimum and maximum of values with a NaN are
 * NaN.
 */
#define FOLD_RANK 8

/* The struct of core/array/launch/fold.c, which must be the same.  No
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

#define FOLD_ENTRY(NAME, A) \
	kernel void NAME(global uchar *out, global const A *p, const fold f) \
	{ \
		NAME##_item(get_global_id(0), out, p, &f); \
	}
FOLD_ENTRY(fold_columns, T)
FOLD_ENTRY(fold_last, uchar)
