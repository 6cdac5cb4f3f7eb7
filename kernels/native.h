/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native.h - lets a C compiler compile the .cl files for CPUs.  It defines the
 * part of OpenCL C that these files use.
 */
#ifndef KERNELS_NATIVE_H
#define KERNELS_NATIVE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <dpr/backend.h>

#define DPR_NATIVE 1

/* NATIVE_CLONES: the compiler makes a version of the function for each
   instruction set in target_clones(), and the dynamic loader chooses one.  With
   sanitizers there is only one version, because the function that chooses would
   run before the sanitizer is ready. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && \
	!defined(__clang__) && __GNUC__ >= 12 &&                          \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define NATIVE_CLONES \
	__attribute__((target_clones("arch=x86-64-v3", "default"), flatten))
#define NATIVE_HALVES 1 /* see vm_half.h */
/* NATIVE_CLONES_LONG: as NATIVE_CLONES, but for long functions of floats.
   There is one more version, with vectors of 64 bytes. */
#define NATIVE_CLONES_LONG                                                    \
	__attribute__((                                                       \
		target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), \
		flatten))
#else
#define NATIVE_CLONES
#define NATIVE_CLONES_LONG
#endif

/* ROUNDED(product) is a product that is rounded before it is used.  gcc fuses a
   product with an addition and a subtraction of the same values, even with
   -ffp-contract=off.  The barrier prevents this. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define ROUNDED(product) __builtin_assoc_barrier(product)
#endif

#define FUNCTION static inline
#define kernel
#define global
#define constant static const
#define local

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

_Static_assert(sizeof(long) == 8, "OpenCL's long has 64 bits");
/* On some machines char is unsigned without -fsigned-char, which configure
   adds. */
_Static_assert((char)-1 < 0, "OpenCL's char is signed");

static inline uint as_uint(float f)
{
	uint u;

	memcpy(&u, &f, sizeof(u));
	return u;
}

static inline int as_int(float f)
{
	int i;

	memcpy(&i, &f, sizeof(i));
	return i;
}

static inline float as_float(uint u)
{
	float f;

	memcpy(&f, &u, sizeof(f));
	return f;
}

static inline ulong as_ulong(double f)
{
	ulong u;

	memcpy(&u, &f, sizeof(u));
	return u;
}

static inline long as_long(double f)
{
	return (long)as_ulong(f);
}

static inline double as_double(ulong u)
{
	double f;

	memcpy(&f, &u, sizeof(f));
	return f;
}

/* In OpenCL C these functions have the same name for float and double. */
#define NATIVE_1(name, x) _Generic((x), float : name##f, default : name)(x)
#define NATIVE_2(name, x, y) \
	_Generic((x), float : name##f, default : name)((x), (y))
#define fabs(x) NATIVE_1(fabs, x)
#define sqrt(x) NATIVE_1(sqrt, x)
#define floor(x) NATIVE_1(floor, x)
#define ceil(x) NATIVE_1(ceil, x)
#define trunc(x) NATIVE_1(trunc, x)
#define rint(x) NATIVE_1(rint, x)
#define exp(x) NATIVE_1(exp, x)
#define log(x) NATIVE_1(log, x)
#define log1p(x) NATIVE_1(log1p, x)
#define sin(x) NATIVE_1(sin, x)
#define cos(x) NATIVE_1(cos, x)
#define tan(x) NATIVE_1(tan, x)
#define sinh(x) NATIVE_1(sinh, x)
#define cosh(x) NATIVE_1(cosh, x)
#define tanh(x) NATIVE_1(tanh, x)
#define fmod(x, y) NATIVE_2(fmod, x, y)
#define pow(x, y) NATIVE_2(pow, x, y)
#define hypot(x, y) NATIVE_2(hypot, x, y)
#define atan2(x, y) NATIVE_2(atan2, x, y)
#define copysign(x, y) NATIVE_2(copysign, x, y)
#define fma(x, y, z) _Generic((x), float : fmaf, default : fma)((x), (y), (z))

#endif
