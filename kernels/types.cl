/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types.cl - the types and macros that functions of kernels are built with.
 *
 * DPR_DTYPE (a value of enum dpr_dtype) picks the types, which are macros:
 *   T  how an element is stored
 *   C  what it is computed in
 *   U  integers: the unsigned type in which C wraps
 *   F  complex: the type of a part
 * and LOAD(p, i) and STORE(p, i, v), which convert between T and C.  float16
 * and bfloat16 are stored as ushort and computed in float.  DPR_CPU is 1 for
 * devices where a work-item should take a run of elements, and 0 where
 * neighbouring work-items should take neighbouring elements.
 *
 * A text of several dtypes has this file, math.cl and complex.cl once for each
 * of them.  What is the same for all stands there once; functions of different
 * types have the same name, which OpenCL C allows with an attribute.
 */
#ifndef FUNCTION
#define FUNCTION static inline __attribute__((overloadable))
#endif
#ifndef DPR_CPU
#define DPR_CPU 0
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

/* The iterations of the loop that follows touch different elements. */
#if !DPR_CPU
#define INDEPENDENT
#elif defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#else
#define INDEPENDENT
#endif

/* The same in vectors of n elements, which may take several registers. */
#define PRAGMA(text) _Pragma(#text)
#if DPR_CPU && defined(__clang__)
#define VECTOR(n) PRAGMA(clang loop vectorize(assume_safety) vectorize_width(n))
#else
#define VECTOR(n) INDEPENDENT
#endif

/* Vectors of n elements, 64 bytes, where the processor has them and the
   kernel is WIDE_KERNEL.  Compilers choose 32 bytes, which is as fast where
   memory is slower.  But functions are long chains of operations, which wait for
   each other: with twice as many elements the same number are under way. */
#if DPR_CPU && defined(__clang__) && defined(__AVX512F__)
#define WIDE(n) VECTOR(n)
#define WIDE_KERNEL __attribute__((min_vector_width(512)))
#else
#define WIDE(n) INDEPENDENT
#define WIDE_KERNEL
#endif

/* The same for a loop of n * k iterations: k vectors of n elements, side by
   side, and no loop is left. */
#if DPR_CPU && defined(__clang__)
#define STRAIGHT(n, k) \
	PRAGMA(clang loop vectorize(assume_safety) vectorize_width(n) \
			interleave_count(k))
#else
#define STRAIGHT(n, k) INDEPENDENT
#endif

/* Do not unroll or vectorise the loop that follows: it rarely runs, and the
   program waits while the driver compiles. */
#if DPR_CPU && defined(__clang__)
#define PLAIN _Pragma("clang loop vectorize(disable) unroll(disable)")
#else
#define PLAIN
#endif

/* Unroll the loop that follows, which has constant bounds. */
#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define UNROLL _Pragma("GCC unroll 16")
#else
#define UNROLL
#endif

/* Stores past the caches, if the compiler has them.  No fence is needed: the
   thread that reports the end of the work takes a lock, and on x86 that waits
   for such stores. */
#if defined(DPR_NATIVE) && defined(__SSE2__)
#define STREAM_UNIT __m128i
#define STREAM(value, to) _mm_stream_si128((to), (value))
#elif !defined(DPR_NATIVE) && defined(__clang__)
#define STREAM_UNIT ulong4
#define STREAM(value, to) __builtin_nontemporal_store((value), (to))
#else
#ifdef DPR_NATIVE
typedef ulong stream_unit __attribute__((may_alias));
#else
typedef ulong stream_unit;
#endif
#define STREAM_UNIT stream_unit
#define STREAM(value, to) (*(to) = (value))
#endif

/* Whether lines of a result may begin at @p.  Only the kernel can
   ask this: the host does not know the address of a buffer over a program's own
   memory. */
#define BEGINS_LINE(p) ((ulong)(p) % 64 == 0)

/* Fetch the line at @p, which is read soon.  OpenCL's prefetch() would not do:
   drivers ignore it. */
#if defined(PREFETCH)
#elif defined(__GNUC__) || defined(__clang__)
#define PREFETCH(p) __builtin_prefetch(p)
#else
#define PREFETCH(p) ((void)0)
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
/* Conversions of float16 and bfloat16 from and to float.  They round to the
   nearest, halves to even, and use integers, which compilers vectorise; PTX has
   an instruction for each, and so have CPUs, which OpenCL's compilers know. */
#if DPR_CPU && !defined(DPR_NATIVE) && defined(__F16C__) && \
	defined(__has_builtin)
#if __has_builtin(__builtin_load_halff)
#define TYPES_F16C
#endif
#endif
/* INDEPENDENT for loops with float16.  Where CPUs convert it, LLVM takes its
   vectors for dearer than they are, and makes them of 4 elements. */
#ifdef TYPES_F16C
#define INDEPENDENT_HALVES \
	_Pragma("clang loop vectorize(assume_safety) vectorize_width(16)")
#else
#define INDEPENDENT_HALVES INDEPENDENT
#endif
#if DPR_CPU && defined(__clang__) && defined(__AVX512F__)
#define WIDE_HALVES WIDE(16)
#else
#define WIDE_HALVES INDEPENDENT_HALVES
#endif
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
#elif defined(TYPES_F16C)
static inline float half_to_float(ushort h)
{
	const float f = __builtin_load_halff((const half *)&h);

	/* The instruction makes NaN quiet. */
	return as_float(as_uint(f) &
		((h & 0x7e00) == 0x7c00 ? 0xffbfffffu : 0xffffffffu));
}

/*
 * Every NaN becomes the same one, with its sign.  As this comes before the
 * instruction, LLVM does not compute in half what was an integer or is a sum:
 * CPUs do that one element at a time.
 */
static inline float half_plain(float f)
{
	const uint bits = as_uint(f);
	const uint nan = (bits & 0x80000000u) | 0x7fc00000u;

	return as_float((bits & 0x7fffffffu) > 0x7f800000u ? nan : bits);
}

static inline ushort half_from_float(float f)
{
	ushort h;

	__builtin_store_halff(half_plain(f), (half *)&h);
	return h;
}

/* f as if it had been stored: its NaN is quiet then. */
static inline float half_rounded(float f)
{
	ushort h;

	__builtin_store_halff(half_plain(f), (half *)&h);
	return __builtin_load_halff((const half *)&h);
}
#define HALF_ROUNDED(f) half_rounded(f)
#else
static inline float half_to_float(ushort h)
{
	uint magnitude = (uint)(h & 0x7fff) << 13;
	/* The factor 2^112 is right for subnormal numbers, too. */
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
	/* Adding 0.5 leaves a subnormal result in the low bits, rounded. */
	uint small = as_uint(as_float(magnitude) + 0.5f) - 0x3f000000u;
	uint normal = (magnitude - 0x38000000u + 0xfffu +
			      ((magnitude >> 13) & 1u)) >> 13;
	uint result = magnitude < 0x38800000u ? small : normal;

	result = magnitude >= 0x477ff000u ? 0x7c00u : result;
	result = magnitude > 0x7f800000u ? 0x7e00u : result;
	return (ushort)(result | sign);
}
#endif

#ifndef HALF_ROUNDED
#define HALF_ROUNDED(f) half_to_float(half_from_float(f))
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

#if DPR_DTYPE == 10 && DPR_CPU
#define LOAD(p, i) half_to_float((p)[i])
#define STORE(p, i, v) ((p)[i] = half_from_float(v))
#elif DPR_DTYPE == 10
#define LOAD(p, i) vload_half((size_t)(i), (global const half *)(p))
#define STORE(p, i, v) vstore_half_rte((v), (size_t)(i), (global half *)(p))
#elif DPR_DTYPE == 11
#define LOAD(p, i) bfloat_to_float((p)[i])
#define STORE(p, i, v) ((p)[i] = bfloat_from_float(v))
#else
#define LOAD(p, i) ((p)[i])
#define STORE(p, i, v) ((p)[i] = (v))
#endif
