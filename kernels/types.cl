/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types.cl - the types and macros for the functions of kernels.
 *
 * DPR_DTYPE (a value of enum dpr_dtype) selects the types, which are macros:
 *
 *   T  the type of stored elements
 *   C  the type of computations
 *   U  for integers: the unsigned type in which C wraps
 *   F  for complex numbers: the type of a part
 *
 * float16 and bfloat16 are stored as ushort and computed in float.  If
 * DPR_NATIVE is defined, there are also LOAD(p, i) and STORE(p, i, v), which
 * convert between T and C.
 *
 * A text for several dtypes includes this file, math.cl and complex.cl once for
 * each dtype.  Macros such as TYPES_ONCE keep code that is the same for all
 * dtypes from being repeated.  Functions of different types have the same name,
 * which OpenCL C allows with the attribute overloadable.
 */
#ifndef FUNCTION
#define FUNCTION static inline __attribute__((overloadable))
#endif

#undef HAS_DOUBLE
#if DPR_DTYPE == 13 || DPR_DTYPE == 15 || defined(DPR_DOUBLE)
#define HAS_DOUBLE 1
#ifndef DPR_NATIVE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#else
#define HAS_DOUBLE 0
#endif
#ifndef TYPES_ONCE
#define TYPES_ONCE
#ifndef DPR_NATIVE
#pragma OPENCL FP_CONTRACT OFF
#endif

#ifdef DPR_NATIVE
/* INDEPENDENT tells the compiler that the iterations of the next loop use
   different elements. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#else
#define INDEPENDENT
#endif

/* PLAIN is for a loop that rarely runs, and promises the same as INDEPENDENT.
   It also tells clang not to unroll or vectorise the loop.  gcc only vectorises
   loops without branches. */
#if defined(__clang__)
#define PLAIN _Pragma("clang loop vectorize(disable) unroll(disable)")
#else
#define PLAIN INDEPENDENT
#endif

/* STREAM stores past the caches, if the compiler has such stores.  No fence is
   needed.  Each thread takes a lock after its last store, before the end of the
   work is reported.  On x86, taking a lock waits for the thread's own earlier
   stores. */
#if defined(__SSE2__)
#define STREAM_UNIT __m128i
#define STREAM(value, to) _mm_stream_si128((to), (value))
#else
typedef ulong stream_unit __attribute__((may_alias));
#define STREAM_UNIT stream_unit
#define STREAM(value, to) (*(to) = (value))
#endif

/* Whether @p is the beginning of a cache line. */
#define BEGINS_LINE(p) ((ulong)(p) % 64 == 0)

/* Prefetch the cache line at @p, which will be read soon. */
#if defined(__GNUC__) || defined(__clang__)
#define PREFETCH(p) __builtin_prefetch(p)
#else
#define PREFETCH(p) ((void)0)
#endif
#endif /* DPR_NATIVE */

/* UNROLL tells the compiler to unroll the next loop, which has constant
   bounds. */
#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define UNROLL _Pragma("GCC unroll 16")
#else
#define UNROLL
#endif

typedef struct {
	float re, im;
} __attribute__((aligned(8))) cfloat;
#endif /* TYPES_ONCE */

#if HAS_DOUBLE && !defined(TYPES_DOUBLE)
#define TYPES_DOUBLE
typedef struct {
	double re, im;
} __attribute__((aligned(16))) cdouble;
#endif

#undef T
#undef C
#undef U
#undef F
#undef ITEM
#undef C_MIN
#undef KIND_B
#undef KIND_I
#undef KIND_U
#undef KIND_F
#undef KIND_C
#undef LOAD
#undef STORE
#define KIND_B 0
#define KIND_I 0
#define KIND_U 0
#define KIND_F 0
#define KIND_C 0

#if DPR_DTYPE == 1
#undef KIND_B
#define KIND_B 1
#define T uchar
#define C uchar
#define U uint
#define ITEM 1
#elif DPR_DTYPE >= 2 && DPR_DTYPE <= 5
#undef KIND_I
#define KIND_I 1
#if DPR_DTYPE == 2
#define T char
#define ITEM 1
#define C_MIN (-128)
#elif DPR_DTYPE == 3
#define T short
#define ITEM 2
#define C_MIN (-32768)
#elif DPR_DTYPE == 4
#define T int
#define ITEM 4
#define C_MIN (-2147483647 - 1)
#else
#define T long
#define ITEM 8
#define C_MIN (-9223372036854775807L - 1)
#endif
#define C T
#if ITEM == 8
#define U ulong
#else
#define U uint
#endif
#elif DPR_DTYPE >= 6 && DPR_DTYPE <= 9
#undef KIND_U
#define KIND_U 1
#if DPR_DTYPE == 6
#define T uchar
#define ITEM 1
#elif DPR_DTYPE == 7
#define T ushort
#define ITEM 2
#elif DPR_DTYPE == 8
#define T uint
#define ITEM 4
#else
#define T ulong
#define ITEM 8
#endif
#define C T
#if ITEM == 8
#define U ulong
#else
#define U uint
#endif
#elif DPR_DTYPE >= 10 && DPR_DTYPE <= 12
#undef KIND_F
#define KIND_F 1
#define C float
#if DPR_DTYPE == 12
#define T float
#define ITEM 4
#else
#define T ushort
#define ITEM 2
#endif
#elif DPR_DTYPE == 13
#undef KIND_F
#define KIND_F 1
#define T double
#define C double
#define ITEM 8
#elif DPR_DTYPE == 14
#undef KIND_C
#define KIND_C 1
#define T cfloat
#define C cfloat
#define F float
#define ITEM 8
#elif DPR_DTYPE == 15
#undef KIND_C
#define KIND_C 1
#define T cdouble
#define C cdouble
#define F double
#define ITEM 16
#endif

#ifndef TYPES_CONVERSIONS
#define TYPES_CONVERSIONS
/* Conversions between the 16-bit floats and float.  The conversions round to
   the nearest, halves to even.  They compute with integers, because compilers
   can vectorise this.  PTX has an instruction for each conversion of float16.
   */
#ifdef DPR_PTX
static inline float half_to_float(ushort h)
{
	float f;

	__asm__("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
	return f;
}

static inline ushort half_from_float(float f)
{
	ushort h;

	__asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
	return h;
}
#else
static inline float half_to_float(ushort h)
{
	uint magnitude = (uint)(h & 0x7fff) << 13;
	/* Multiplying by 2^112 is right for subnormal numbers, too. */
	float f = as_float(magnitude) * 0x1p112f;
	uint bits = magnitude >= 0x0f800000u ? magnitude | 0x7f800000u :
					       as_uint(f);

	return as_float(bits | ((uint)(h & 0x8000) << 16));
}

static inline ushort half_from_float(float f)
{
	uint bits = as_uint(f);
	uint sign = (bits >> 16) & 0x8000u;
	uint magnitude = bits & 0x7fffffffu;
	/* Adding 0.5 leaves a subnormal result in the low bits of the sum,
	   rounded. */
	uint small = as_uint(as_float(magnitude) + 0.5f) - 0x3f000000u;
	uint normal = (magnitude - 0x38000000u + 0xfffu +
			      ((magnitude >> 13) & 1u)) >> 13;
	uint result = magnitude < 0x38800000u ? small : normal;

	result = magnitude >= 0x477ff000u ? 0x7c00u : result;
	result = magnitude > 0x7f800000u ? 0x7e00u : result;
	return (ushort)(result | sign);
}
#endif

static inline float bfloat_to_float(ushort h)
{
	return as_float((uint)h << 16);
}

static inline ushort bfloat_from_float(float f)
{
	uint bits = as_uint(f);
	uint rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
	uint nan = (bits >> 16) | 0x40u;

	return (ushort)((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}
#endif

#ifdef DPR_NATIVE
#if DPR_DTYPE == 10
#define LOAD(p, i) half_to_float((p)[i])
#define STORE(p, i, v) ((p)[i] = half_from_float(v))
#elif DPR_DTYPE == 11
#define LOAD(p, i) bfloat_to_float((p)[i])
#define STORE(p, i, v) ((p)[i] = bfloat_from_float(v))
#else
#define LOAD(p, i) ((p)[i])
#define STORE(p, i, v) ((p)[i] = (v))
#endif
#endif
