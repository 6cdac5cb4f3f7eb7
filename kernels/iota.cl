/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iota.cl - value[0] + i * value[1] at element i of a contiguous array, for
 * arange and linspace.  With IOTA_LAST the last element is value[2].
 *
 * The operation is the result's dtype.  Integers are computed modulo 2^64.
 * float and the 16-bit floats are computed with an error term and rounded once;
 * start and step are sums of two floats each.  double is computed plainly.
 */
#define IOTA_LAST 4u

/* The struct of core/array/launch/iota.c, which must be the same.  No padding.
   What is not used here once was, and keeps its place for kernels in files. */
typedef struct {
	int operation, rank;
	uint scalars, flags;
	long rows;
	long count; /* number of all elements */
	scalar value[3];
	long offset[4];
	long shape[8];
	long stride[4][8];
} walk;

static inline void iota_put(global uchar *out, const walk *w, long i)
{
	const long at = w->offset[0] + i;
	const int last = (w->flags & IOTA_LAST) && i == w->count - 1;
#if HAS_DOUBLE
	union {
		ulong w;
		double f;
	} start, step, end;
	double v;

	start.w = w->value[0].word[0];
	step.w = w->value[1].word[0];
	end.w = w->value[2].word[0];
	/* If step overflowed, step * 0 would be NaN. */
	v = last ? end.f : i == 0 ? start.f : start.f + (double)i * step.f;
	switch (w->operation) {
	case 13:
		((global double *)out)[at] = v;
		break;
	case 15:
		((global cdouble *)out)[at].re = v;
		((global cdouble *)out)[at].im = 0.0;
		break;
	}
#else
	const ulong whole = last ? w->value[2].word[0] :
		w->value[0].word[0] + (ulong)i * w->value[1].word[0];
	union {
		ulong w[2];
		float f[4];
	} start, step, end;
	float high, low, product, error, sum, back, v;

	start.w[0] = w->value[0].word[0];
	step.w[0] = w->value[1].word[0];
	end.w[0] = w->value[2].word[0];
	/* First i and the rest that float cannot hold; then i * step and its
	   error; then the sum with start and its error. */
	high = (float)i;
	low = (float)(i - (long)high);
	product = high * step.f[0];
	error = fma(high, step.f[0], -product);
	error = fma(high, step.f[1], fma(low, step.f[0], error));
	sum = start.f[0] + product;
	back = sum - start.f[0];
	error += (start.f[0] - (sum - back)) + (product - back);
	/* If the sum overflowed, its error would be NaN. */
	v = last ? end.f[0] :
		i == 0 ? start.f[0] + start.f[1] :
		sum - sum == 0.0f ? sum + (error + start.f[1]) : sum;
	switch (w->operation) {
	case 2:
	case 6:
		out[at] = (uchar)whole;
		break;
	case 3:
	case 7:
		((global ushort *)out)[at] = (ushort)whole;
		break;
	case 4:
	case 8:
		((global uint *)out)[at] = (uint)whole;
		break;
	case 5:
	case 9:
		((global ulong *)out)[at] = whole;
		break;
	case 10:
		((global ushort *)out)[at] = half_from_float(v);
		break;
	case 11:
		((global ushort *)out)[at] = bfloat_from_float(v);
		break;
	case 12:
		((global float *)out)[at] = v;
		break;
	case 14:
		((global cfloat *)out)[at].re = v;
		((global cfloat *)out)[at].im = 0.0f;
		break;
	}
#endif
}

static inline void iota_item(ulong id, global uchar *out, const walk *w)
{
#if DPR_CPU
	const long begin = (long)id * RUN;

	for (long i = begin; i < begin + RUN && i < w->count; i++)
		iota_put(out, w, i);
#else
	if (id < (ulong)w->count)
		iota_put(out, w, (long)id);
#endif
}

#ifdef DPR_NATIVE
/* A work-group is a function that loops over its items. */
NATIVE_CLONES static void iota_run(const void *const *args,
	const uint64_t *global_size, const uint64_t *local_size,
	const uint64_t *group)
{
	const ulong first = group[0] * local_size[0];

	(void)global_size;
	for (ulong id = first; id < first + local_size[0]; id++)
		iota_item(id, *(void *const *)args[0], args[1]);
}
static const dprp_param iota_params[] = { { DPRP_ARG_MEM, 0, 0 },
	{ DPRP_ARG_VALUE, 0, sizeof(walk) } };
#else
kernel void iota(global uchar *out, const walk w)
{
	iota_item(get_global_id(0), out, &w);
}
#endif
