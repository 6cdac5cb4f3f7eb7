/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complex_inverse.cl - the inverse trigonometric and hyperbolic functions of
 * complex numbers.
 *
 * Each part of a result is precise by itself, however small it is beside the
 * other part.  For this, the functions compute in the first quadrant, where the
 * sums of W. Kahan's formulas (Branch Cuts for Complex Elementary Functions,
 * 1987) have no terms that cancel.  Signs come last, so that the signs of zeros
 * choose the side of a branch cut.  There are no branches, so that compilers can
 * vectorise.
 */
#if KIND_C
#undef F_ARC_LARGE
#undef F_SQUARE_LARGE
#undef F_SQUARE_BACK
#undef F_SQUARE_TINY
#undef F_SCALE_BITS
/* If a part of z is above F_ARC_LARGE, the functions use z instead of 1 + z.
   Numbers above F_SQUARE_LARGE are multiplied by F_SQUARE_BACK before they are
   squared.  The squares of numbers below F_SQUARE_TINY are too small to be
   added to others.  F_SCALE is 2 to the power of F_SCALE_BITS. */
#if HAS_DOUBLE
#define F_ARC_LARGE 0x1p54
#define F_SQUARE_LARGE 0x1p500
#define F_SQUARE_BACK 0x1p-600
#define F_SQUARE_TINY 0x1p-500
#define F_SCALE_BITS 54.0
#else
#define F_ARC_LARGE 0x1p30f
#define F_SQUARE_LARGE 0x1p60f
#define F_SQUARE_BACK 0x1p-70f
#define F_SQUARE_TINY 0x1p-60f
#define F_SCALE_BITS 30.0f
#endif

/*
 * Returns the arc sine of z, or the arc cosine if @cosine is set.  The
 * imaginary part has no sign yet.  x and y are the absolute values of the parts
 * of z.  u + iv is twice the root of 1 + x + iy.  p - iq is twice the root of 1
 * - x - iy.
 *
 *   asin(x + iy) = atan(4 x / (p u + q v)) + i asinh((p v + q u) / 4)
 *   acos(x + iy) = 2 atan(p / u) - i asinh((p v + q u) / 4)
 *
 * If the real part of z is negative, p and u change places in acos().  If z is
 * large, u + iv and p - iq are twice the roots of z and -z.  Then p u + q v is
 * 4 y, and p v + q u is 4 |z|.
 */
FUNCTION C c_arc(C z, int cosine)
{
	const F x = fabs(z.re), y = fabs(z.im);
	const int is_large = (x > F_ARC_LARGE) | (y > F_ARC_LARGE);
	const F more = (F)1 + x, less = fabs((F)1 - x);
	const F u = sqrt((F)2 * (f_hypot(more, y) + more));
	const F v = (F)2 * y / u;
	const F larger = sqrt((F)2 * (f_hypot(less, y) + less));
	const F smaller = (F)2 * y / (larger == (F)0 ? (F)1 : larger);
	const F p = x > (F)1 ? smaller : larger;
	const F q = x > (F)1 ? larger : smaller;
	const F far = f_hypot((F)0.25 * x, (F)0.25 * y);
	const F near = (F)0.25 * (p * v + q * u);
	const F size = f_asinh(is_large ? far : near);
	F a = x, b = (F)0.25 * (p * u + q * v), angle;

	b = is_large ? y : b;
	if (cosine) {
		a = z.re < (F)0 ? u : p;
		b = z.re < (F)0 ? p : u;
		a = is_large ? y : a;
		b = is_large ? z.re : b;
	}
	angle = f_atan2(a, b) * (cosine && !is_large ? (F)2 : (F)1);
	/* If x is 0, this is the angle, even if y is NaN. */
	angle = x == (F)0 ? (cosine ? R_QUARTER_TURN : (F)0) : angle;
	return c_make(angle,
		is_large ? size + (F)1.3862943611198906 : size);
}

FUNCTION C c_asin(C x)
{
	const C v = c_arc(x, 0);

	return c_make(copysign(v.re, x.re), copysign(v.im, x.im));
}

FUNCTION C c_acos(C x)
{
	const C v = c_arc(x, 1);

	return c_make(v.re, copysign(v.im, -x.im));
}

/* asinh z = -i asin(iz), and acosh z is i acos z or -i acos z. */
FUNCTION C c_asinh(C x)
{
	const C v = c_arc(c_make(x.im, x.re), 0);

	return c_make(copysign(v.im, x.re), copysign(v.re, x.im));
}

FUNCTION C c_acosh(C x)
{
	const C v = c_arc(x, 1);

	return c_make(v.im, copysign(v.re, x.im));
}

/*
 * x and y are the absolute values of the parts of z, and d is (1 - x)^2 + y^2.
 *
 *   atanh(x + iy) = ln(1 + 4 x / d) / 4 + i atan2(2 y, (1 - x) (1 + x) - y^2) / 2
 *
 * If the second operand of atan2() cancels, it is small beside 2 y.  If x is 1
 * and y is tiny, the logarithm is 2 ln(2 / y).
 */
FUNCTION C c_atanh(C z)
{
	const F x = fabs(z.re), y = fabs(z.im);
	const int is_large = (x > F_SQUARE_LARGE) | (y > F_SQUARE_LARGE);
	const int is_thin = (x == (F)1) & (y < F_SQUARE_TINY);
	const int is_endless = (x == (F)INFINITY) | (y == (F)INFINITY);
	const F scale = is_large ? F_SQUARE_BACK : (F)1;
	const F less = ((F)1 - x) * scale, more = ((F)1 + x) * scale;
	const F b = y * scale, d = fma(less, less, b * b);
	const F above = is_thin ? (F)2 : (F)4 * (x * scale);
	const F v = above / (is_thin ? y * F_SCALE : d) * scale;
	const F log = f_log1p_sum(v, (F)0,
		is_thin ? F_SCALE_BITS * R_LOG1P_UNIT : (F)0);
	const F angle = f_atan2((F)2 * b * scale, fma(-b, b, less * more));
	F re = v < (F)INFINITY ? log * (is_thin ? (F)0.5 : (F)0.25) : v;
	F im = (F)0.5 * angle;

	re = is_endless | (x == (F)0) ? (F)0 : re;
	im = is_endless ? (y != y ? y : R_QUARTER_TURN) : im;
	return c_make(copysign(re, z.re), copysign(im, z.im));
}

/* atan z = -i atanh(iz) */
FUNCTION C c_atan(C x)
{
	const C v = c_atanh(c_make(x.im, x.re));

	return c_make(v.im, v.re);
}
#endif
