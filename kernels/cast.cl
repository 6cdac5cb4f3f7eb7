/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cast.cl - casts from one dtype to others.  The operation is the result's
 * dtype.
 *
 * Integers wrap.  A float outside an integer's range gives the nearest end of
 * the range, NaN gives 0.  Of a complex number the real part is taken.  The
 * casts to and from double are in modules of their own (DPR_DOUBLE): some
 * devices refuse a module that names double.
 */
#if KIND_C
#define PART(v) ((v).re)
#define IS_TRUE(v) ((v).re != (F)0 || (v).im != (F)0)
#define IMAGINARY(v, F_) ((F_)(v).im)
#else
#define PART(v) (v)
#define IS_TRUE(v) ((v) != (C)0)
#define IMAGINARY(v, F_) ((F_)0)
#endif

#if KIND_F || KIND_C
/* @low and @high are the limits of the type; @above is the first float beyond
   @high. */
#define TO_INTEGER(D, v, low, high, above) \
	(PART(v) != PART(v) ? (D)0 : \
		PART(v) < (low) ? (D)(low) : \
		PART(v) >= (above) ? (D)(high) : (D)PART(v))
#else
#define TO_INTEGER(D, v, low, high, above) ((D)(v))
#endif

/* X(dtype, type, statement that puts v at p[i]) */
#define CAST_BOOL(X) X(1, uchar, p[i] = (uchar)(IS_TRUE(v) ? 1 : 0))
#define CAST_INTEGERS(X) \
	X(2, char, p[i] = TO_INTEGER(char, v, -128, 127, 128)) \
	X(3, short, p[i] = TO_INTEGER(short, v, -32768, 32767, 32768)) \
	X(4, int, p[i] = TO_INTEGER(int, v, (-2147483647 - 1), 2147483647, \
		2147483648u)) \
	X(5, long, p[i] = TO_INTEGER(long, v, (-9223372036854775807L - 1), \
		9223372036854775807L, 9223372036854775808ul)) \
	X(6, uchar, p[i] = TO_INTEGER(uchar, v, 0, 255, 256)) \
	X(7, ushort, p[i] = TO_INTEGER(ushort, v, 0, 65535, 65536)) \
	X(8, uint, p[i] = TO_INTEGER(uint, v, 0, 4294967295u, 4294967296ul)) \
	X(9, ulong, p[i] = TO_INTEGER(ulong, v, 0, 18446744073709551615ul, \
		FLOAT_2_64))
#define CAST_FLOATS(X) \
	X(10, ushort, p[i] = half_from_float(TO_FLOAT(v))) \
	X(11, ushort, p[i] = bfloat_from_float(TO_FLOAT(v))) \
	X(12, float, p[i] = (float)PART(v)) \
	X(14, cfloat, p[i].re = (float)PART(v); \
		p[i].im = IMAGINARY(v, float))
#if HAS_DOUBLE
#define CAST_DOUBLES(X) \
	X(13, double, p[i] = (double)PART(v)) \
	X(15, cdouble, p[i].re = (double)PART(v); \
		p[i].im = IMAGINARY(v, double))
#endif

#if DPR_DTYPE == 13 || DPR_DTYPE == 15
#define FLOAT_2_64 18446744073709551616.0
/* A cast of double to a 16-bit float goes through a float that is rounded to
   odd: its last bit tells the second rounding whether the first one lost
   anything. */
static inline float odd_float(double v)
{
	float f = (float)v;
	uint bits = as_uint(f);

	if (v - v != 0.0 || (double)f == v || fabs(f) == (float)INFINITY ||
	    (bits & 1u))
		return f;
	/* f is even and not equal to v: take its odd neighbour on v's side. */
	if ((fabs(v) > (double)fabs(f)))
		return as_float(bits + 1u);
	return (bits & 0x7fffffffu) ? as_float(bits - 1u) : f;
}
#define TO_FLOAT(v) odd_float(PART(v))
#define CAST_OPS(X) CAST_BOOL(X) CAST_INTEGERS(X) CAST_FLOATS(X) CAST_DOUBLES(X)
#elif HAS_DOUBLE
#define CAST_OPS(X) CAST_DOUBLES(X)
#else
#define FLOAT_2_64 18446744073709551616.0f
#if (KIND_I || KIND_U) && ITEM >= 4
/* An integer as a float that rounds to the same 16-bit float.  Bits that are
   shifted out are or-ed into the last bit, and at least 11 bits stay. */
static inline float odd_float(C v)
{
	U size = (U)v;
	float f, scale = 1.0f;

#if KIND_I
	if (v < 0) {
		size = (U)0 - size;
		scale = -1.0f;
	}
#endif
	for (int i = 0; i < ITEM / 4 * 2 - 1; i++)
		if (size >> 24) {
			size = size >> 14 | (U)((size & 0x3fff) != 0);
			scale *= 16384.0f;
		}
	f = (float)size;
	return f * scale;
}
#define TO_FLOAT(v) odd_float(v)
#else
#define TO_FLOAT(v) ((float)PART(v))
#endif
#define CAST_OPS(X) CAST_BOOL(X) CAST_INTEGERS(X) CAST_FLOATS(X)
#endif


#if DPR_CPU
#define CAST_RUN(dtype, D, put) \
	case dtype: { \
		global D *p = (global D *)out + at[0]; \
		INDEPENDENT for (int i = 0; i < n; i++) \
		{ \
			const C v = LOAD(a, i); \
			put; \
		} \
		break; \
	}
#define CAST_STEP(dtype, D, put) \
	case dtype: { \
		global D *p = (global D *)out + at[0]; \
		for (int j = 0; j < n; j++) { \
			const long i = j * so; \
			const C v = LOAD(a, j * sa); \
			put; \
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
#define CAST_ONE(dtype, D, put) \
	case dtype: { \
		global D *p = (global D *)out; \
		const long i = at[0]; \
		put; \
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
