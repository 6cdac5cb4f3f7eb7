/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.cl - converts a value of one dtype to another.
 *
 * Integers wrap.  A float outside an integer's range gives the nearest end of
 * the range, and NaN gives 0.  A complex number gives its real part.
 *
 * CONVERT_DOUBLES(X) lists X(dtype, type, value) for the dtypes with doubles,
 * and CONVERT_OTHERS(X) for all others.  `value` is v, converted to the stored
 * form of the dtype.
 */
#undef PART
#undef IS_TRUE
#undef IMAGINARY
#undef TO_INTEGER
#undef FLOAT_2_64
#undef TO_FLOAT
#undef TO_HALF
#if KIND_C
#define PART(v) ((v).re)
#define IS_TRUE(v) ((v).re != (F)0 || (v).im != (F)0)
#define IMAGINARY(v, F_) ((F_)(v).im)
#else
/* A bool is true if its byte is not 0. */
#if KIND_B
#define PART(v) ((v) != 0)
#else
#define PART(v) (v)
#endif
#define IS_TRUE(v) ((v) != (C)0)
#define IMAGINARY(v, F_) ((F_)0)
#endif

#if DPR_DTYPE == 10 && defined(DPR_NATIVE)
/* Cast float16 to integers by way of int, because CPUs convert vectors of int.
   All finite numbers of float16 fit into an int.  65536 stands for infinity. */
#define HALF_LIMIT 65536.0f
#define HALF_INTEGER(v, low, high) \
	half_integer(v, (low) < -65535 ? -HALF_LIMIT : (float)(low), \
		(high) > 65535 ? HALF_LIMIT : (float)(high))
#define TO_INTEGER(D, v, low, high, above) \
	((high) <= 65535 ? (D)HALF_INTEGER(v, low, high) : \
		HALF_INTEGER(v, low, high) > 65535 ? (D)(high) : \
		HALF_INTEGER(v, low, high) < -65535 ? (D)(low) : \
		(D)HALF_INTEGER(v, low, high))

/* @v clamped to @low and @high and truncated to an integer.  NaN gives 0. */
FUNCTION int half_integer(float v, float low, float high)
{
	const float above = v < low ? low : v;
	const float within = above > high ? high : above;

	return (int)(v != v ? 0.0f : within);
}
#elif KIND_F || KIND_C
/* In TO_INTEGER(), @low and @high are the limits of the integer type D.  @above
   is the first float beyond @high. */
#define TO_INTEGER(D, v, low, high, above) \
	(PART(v) != PART(v) ? (D)0 : \
		PART(v) < (low) ? (D)(low) : \
		PART(v) >= (above) ? (D)(high) : (D)PART(v))
#else
#define TO_INTEGER(D, v, low, high, above) ((D)PART(v))
#endif

#ifndef CONVERT_ONCE
#define CONVERT_ONCE
FUNCTION cfloat convert_parts(float re, float im)
{
	cfloat v;

	v.re = re;
	v.im = im;
	return v;
}

#define CONVERT_OTHERS(X) \
	X(1, uchar, (uchar)(IS_TRUE(v) ? 1 : 0)) \
	X(2, char, TO_INTEGER(char, v, -128, 127, 128)) \
	X(3, short, TO_INTEGER(short, v, -32768, 32767, 32768)) \
	X(4, int, TO_INTEGER(int, v, (-2147483647 - 1), 2147483647, \
		2147483648u)) \
	X(5, long, TO_INTEGER(long, v, (-9223372036854775807L - 1), \
		9223372036854775807L, 9223372036854775808ul)) \
	X(6, uchar, TO_INTEGER(uchar, v, 0, 255, 256)) \
	X(7, ushort, TO_INTEGER(ushort, v, 0, 65535, 65536)) \
	X(8, uint, TO_INTEGER(uint, v, 0, 4294967295u, 4294967296ul)) \
	X(9, ulong, TO_INTEGER(ulong, v, 0, 18446744073709551615ul, \
		FLOAT_2_64)) \
	X(10, ushort, half_from_float(TO_HALF(v))) \
	X(11, ushort, bfloat_from_float(TO_FLOAT(v))) \
	X(12, float, (float)PART(v)) \
	X(14, cfloat, convert_parts((float)PART(v), IMAGINARY(v, float)))
#endif

#if defined(TYPES_DOUBLE) && !defined(CONVERT_DOUBLE)
#define CONVERT_DOUBLE
FUNCTION cdouble convert_double_parts(double re, double im)
{
	cdouble v;

	v.re = re;
	v.im = im;
	return v;
}

#define CONVERT_DOUBLES(X) \
	X(13, double, (double)PART(v)) \
	X(15, cdouble, \
		convert_double_parts((double)PART(v), IMAGINARY(v, double)))
#endif

#if DPR_DTYPE == 13 || DPR_DTYPE == 15
#define FLOAT_2_64 18446744073709551616.0
#define TO_FLOAT(v) odd_float(PART(v))
#else
#define FLOAT_2_64 18446744073709551616.0f
#if (KIND_I || KIND_U) && ITEM >= 4
#define TO_FLOAT(v) odd_float(v)
#else
#define TO_FLOAT(v) ((float)PART(v))
#endif
#endif
/* TO_HALF(v): a float that rounds to the same float16 as v. */
#if defined(DPR_NATIVE) && KIND_I && ITEM >= 4
#define TO_HALF(v) half_limited((v) < -65536 ? (C)-65536 : (v))
#elif defined(DPR_NATIVE) && KIND_U && ITEM >= 4
#define TO_HALF(v) half_limited(v)
#else
#define TO_HALF(v) TO_FLOAT(v)
#endif

#if (DPR_DTYPE == 13 || DPR_DTYPE == 15) && !defined(CONVERT_ODD)
#define CONVERT_ODD
/* A cast of double to a 16-bit float goes through float.  If this first
   rounding is inexact, the last bit of the float is set.  So the second
   rounding, to 16 bits, is correct. */
FUNCTION float odd_float(double v)
{
	float f = (float)v;
	uint bits = as_uint(f);

	if (v - v != 0.0 || (double)f == v || fabs(f) == (float)INFINITY ||
	    (bits & 1u))
		return f;
	/* f is even and not equal to v: return its odd neighbour on the side of
	   v. */
	if ((fabs(v) > (double)fabs(f)))
		return as_float(bits + 1u);
	return (bits & 0x7fffffffu) ? as_float(bits - 1u) : f;
}
#elif defined(DPR_NATIVE) && (KIND_I || KIND_U) && ITEM >= 4
/* Returns a float that rounds to the same float16 as the integer @v.  Numbers
   that exceed the largest float16 by half a unit or more become infinite in
   float16, so 65536 stands for all of them. */
FUNCTION float half_limited(C v)
{
	return (float)(int)(v > 65536 ? (C)65536 : v);
}

/*
 * Returns a float that rounds to the same bfloat16 as the integer @v, without
 * branches.  If @v has too many bits, only its first bits remain, at least 11.
 * If any of the other bits is set, the last of the first bits is set.
 */
FUNCTION float odd_float(C v)
{
	U size = (U)v;
	float scale = 1.0f;
	uint bits, odd;

#if KIND_I
	size = v < 0 ? (U)0 - size : size;
	scale = v < 0 ? -1.0f : 1.0f;
#endif
#if ITEM == 8
	scale = size >> 44 ? scale * 0x1p34f : scale;
	size = size >> 44 ? size >> 34 | (U)((size & 0x3fffffffful) != 0) : size;
#endif
	scale = size >> 31 ? scale * 0x1p20f : scale;
	size = size >> 31 ? size >> 20 | (U)((size & 0xfffff) != 0) : size;
	bits = (uint)size;
	odd = (bits | ((bits & 0x1ff) + 0x1ff)) & 0xfffffe00u;
	return (float)(int)(bits >> 24 ? odd : bits) * scale;
}
#elif (KIND_I || KIND_U) && ITEM >= 4
/* Returns a float that rounds to the same 16-bit float as the integer @v.  If
   any of the bits that are shifted out is set, the last remaining bit is set.
   At least 11 bits remain. */
FUNCTION float odd_float(C v)
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
#endif
