/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand.h - an operand of a function: an array, or a weak scalar.
 *
 * A scalar takes the queue of the array beside it, and usually its dtype: if
 * the scalar's kind is the same or lower (bool < int < float < complex), it
 * takes the array's dtype.  An integer with a bool array gives int64; a float
 * with an integer or bool array gives the device's default float; a complex
 * number with a float array gives the complex dtype of the array's precision,
 * with an integer or bool array the device's default one.  An integer that is
 * out of the dtype's range is DPR_ERROR_OVERFLOW; only the six comparisons take
 * it, by its value.  If no operand is an array, that is
 * DPR_ERROR_INVALID_ARGUMENT.  (Array API 2024.12, "Mixing arrays with Python
 * scalars".)
 */
#ifndef DPR_OPERAND_H
#define DPR_OPERAND_H

#include <string.h>

#include <dpr/base.h>

#ifdef __cplusplus
#include <complex>
#else
#include <complex.h>
#include <stdbool.h>
#endif

/* The kinds of dpr_operand.  The values are, in this order, in the fields
   array, u (0 or 1), i, u, f and c (real and imaginary part).  NONE, Python's
   None, is for bounds of dpr_clip() alone. */
typedef enum dpr_operand_kind {
	DPR_OPERAND_ARRAY = 0,
	DPR_OPERAND_BOOL = 1,
	DPR_OPERAND_INT = 2,
	DPR_OPERAND_UINT = 3,
	DPR_OPERAND_FLOAT = 4,
	DPR_OPERAND_COMPLEX = 5,
	DPR_OPERAND_NONE = 6
} dpr_operand_kind;

/* An operand of a function, which is an array or a number.  Passed by value; its
   layout never changes (24 bytes).  The array is borrowed for the call. */
typedef struct dpr_operand {
	uint32_t kind; /* enum dpr_operand_kind */
	uint32_t reserved; /* 0 */
	/* The value, as its kind says. */
	union {
		const dpr_array *array;
		int64_t i;
		uint64_t u; /* a bool, too */
		double f;
		double c[2]; /* the real and the imaginary part */
	} as;
} dpr_operand;

/* The functions below make operands, by value, and never fail.  A bad value,
   such as a NULL array, is reported by the function that takes the operand. */
#define DPR__MAKE_OPERAND(name, T, KIND, field)           \
	static inline dpr_operand dpr_operand_##name(T v) \
	{                                                 \
		dpr_operand o;                            \
		memset(&o, 0, sizeof(o));                 \
		o.kind = KIND;                            \
		o.as.field = v;                           \
		return o;                                 \
	}
DPR__MAKE_OPERAND(array, const dpr_array *, DPR_OPERAND_ARRAY, array)
DPR__MAKE_OPERAND(bool, bool, DPR_OPERAND_BOOL, u)
DPR__MAKE_OPERAND(int, long long, DPR_OPERAND_INT, i)
DPR__MAKE_OPERAND(uint, unsigned long long, DPR_OPERAND_UINT, u)
DPR__MAKE_OPERAND(float, double, DPR_OPERAND_FLOAT, f)
#undef DPR__MAKE_OPERAND

/* An operand for no bound: dpr_clip(x, dpr_operand_none(), 1, &out). */
static inline dpr_operand dpr_operand_none(void)
{
	dpr_operand o;

	memset(&o, 0, sizeof(o));
	o.kind = DPR_OPERAND_NONE;
	return o;
}

/* Returns @o, for DPR_OPERAND. */
static inline dpr_operand dpr_operand_same(dpr_operand o)
{
	return o;
}

/* A complex number from its real and imaginary parts. */
static inline dpr_operand dpr_operand_complex_parts(double re, double im)
{
	dpr_operand o;

	memset(&o, 0, sizeof(o));
	o.kind = DPR_OPERAND_COMPLEX;
	o.as.c[0] = re;
	o.as.c[1] = im;
	return o;
}

#ifndef __cplusplus
/* A complex number, for DPR_OPERAND. */
static inline dpr_operand dpr_operand_complex(double _Complex v)
{
	return dpr_operand_complex_parts(creal(v), cimag(v));
}
#endif

/* DPR_OPERAND(x): an operand from an array, or from a C or C++ number of any
   type but long double _Complex.  A long double is rounded to double. */
#ifdef __cplusplus
static inline dpr_operand dpr_operand_of(dpr_operand o)
{
	return o;
}
static inline dpr_operand dpr_operand_of(dpr_array *x)
{
	return dpr_operand_array(x);
}
static inline dpr_operand dpr_operand_of(const dpr_array *x)
{
	return dpr_operand_array(x);
}
static inline dpr_operand dpr_operand_of(bool v)
{
	return dpr_operand_bool(v);
}
template <class T>
static inline dpr_operand dpr_operand_of(const std::complex<T> &v)
{
	return dpr_operand_complex_parts(
		static_cast<double>(v.real()), static_cast<double>(v.imag()));
}
#define DPR__X(T, maker)                              \
	static inline dpr_operand dpr_operand_of(T v) \
	{                                             \
		return dpr_operand_##maker(v);        \
	}
DPR__X(char, int)
DPR__X(signed char, int)
DPR__X(short, int)
DPR__X(int, int)
DPR__X(long, int)
DPR__X(long long, int)
DPR__X(unsigned char, uint)
DPR__X(unsigned short, uint)
DPR__X(unsigned, uint)
DPR__X(unsigned long, uint)
DPR__X(unsigned long long, uint)
DPR__X(float, float)
DPR__X(double, float)
#undef DPR__X
static inline dpr_operand dpr_operand_of(long double v)
{
	return dpr_operand_float(static_cast<double>(v));
}
/* Without this, any other pointer would become a bool. */
template <class T> dpr_operand dpr_operand_of(T *) = delete;
#define DPR_OPERAND(x) dpr_operand_of(x)
#else
#define DPR_OPERAND(x) \
	_Generic((x), dpr_operand: dpr_operand_same, \
		dpr_array *: dpr_operand_array, \
		const dpr_array *: dpr_operand_array, \
		bool: dpr_operand_bool, char: dpr_operand_int, \
		signed char: dpr_operand_int, short: dpr_operand_int, \
		int: dpr_operand_int, long: dpr_operand_int, \
		long long: dpr_operand_int, unsigned char: dpr_operand_uint, \
		unsigned short: dpr_operand_uint, unsigned: dpr_operand_uint, \
		unsigned long: dpr_operand_uint, \
		unsigned long long: dpr_operand_uint, \
		float: dpr_operand_float, double: dpr_operand_float, \
		long double: dpr_operand_float, \
		float _Complex: dpr_operand_complex, \
		double _Complex: dpr_operand_complex)(x)
#endif

#endif
