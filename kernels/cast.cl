/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cast.cl - casts from one dtype to others.  The operation is the result's
 * dtype.  The casts to and from double are in modules of their own
 * (DPR_DOUBLE): some devices refuse a module that names double.
 */
#if DPR_DTYPE == 13 || DPR_DTYPE == 15
#define CAST_OPS(X) CONVERT_OTHERS(X) CONVERT_DOUBLES(X)
#elif HAS_DOUBLE
#define CAST_OPS(X) CONVERT_DOUBLES(X)
#else
#define CAST_OPS(X) CONVERT_OTHERS(X)
#endif

#if DPR_CPU
#define CAST_RUN(dtype, D, value) \
	case dtype: { \
		global D *p = (global D *)out + at[0]; \
		INDEPENDENT for (int i = 0; i < n; i++) \
		{ \
			const C v = LOAD(a, i); \
			p[i] = (value); \
		} \
		break; \
	}
#define CAST_STEP(dtype, D, value) \
	case dtype: { \
		global D *p = (global D *)out + at[0]; \
		for (int j = 0; j < n; j++) { \
			const long i = j * so; \
			const C v = LOAD(a, j * sa); \
			p[i] = (value); \
		} \
		break; \
	}

static inline void cast_c_item(ulong id, global uchar *out, global const T *a,
	const walk *w)
{
	long at[2];
	int n = walk_run(w, id, 2, at);

	a += at[1];
	switch (n ? w->operation : 0) {
		CAST_OPS(CAST_RUN)
	}
}

static inline void cast_s_item(ulong id, global uchar *out, global const T *a,
	const walk *w)
{
	long at[2], so = w->stride[0][0], sa = w->stride[1][0];
	int n = walk_run(w, id, 2, at);

	a += at[1];
	switch (n ? w->operation : 0) {
		CAST_OPS(CAST_STEP)
	}
}
#else
#define CAST_ONE(dtype, D, value) \
	case dtype: { \
		global D *p = (global D *)out; \
		const long i = at[0]; \
		p[i] = (value); \
		break; \
	}

/* One element per work-item: source and result may differ in width, so they
   cannot be read and written in equal packs. */
static inline void cast_c_item(ulong id, global uchar *out, global const T *a,
	const walk *w)
{
	long at[1];
	C v;

	if (id >= (ulong)w->count)
		return;
	at[0] = w->offset[0] + (long)id;
	v = LOAD(a, w->offset[1] + (long)id);
	switch (w->operation) {
		CAST_OPS(CAST_ONE)
	}
}

static inline void cast_s_item(ulong id, global uchar *out, global const T *a,
	const walk *w)
{
	long at[2];
	C v;

	if (!walk_element(w, id, 2, at))
		return;
	v = LOAD(a, at[1]);
	switch (w->operation) {
		CAST_OPS(CAST_ONE)
	}
}
#endif

ENTRY_2(cast_c, uchar, T)
ENTRY_2(cast_s, uchar, T)
