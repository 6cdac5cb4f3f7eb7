/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complex.cl - the functions of complex numbers for the table of operations.
 *
 * F is the type of a part.  A product is computed by the plain formula.  For
 * quotients, moduli and roots, the operands are scaled, so that no intermediate
 * value overflows unless the result does.
 */
#if KIND_C
#undef F_HUGE
#undef F_TINY
#undef F_SCALE
#undef F_LOG_SCALE
#undef F_EXP_LIMIT
#undef F_EXP_STEP
#undef F_EXP_FACTOR
#undef F_EXP2_LIMIT
#undef F_EXP2_STEP
#undef F_EXP2_FACTOR
#undef F_TANH_LIMIT
#undef F_TOGETHER
/* If F_TOGETHER is defined, functions are written without branches, so that a
   compiler for CPUs can vectorise them. */
#ifdef DPR_NATIVE
#define F_TOGETHER
#endif
#if HAS_DOUBLE
#define F_HUGE 0x1p1020
#define F_TINY 0x1p-1000
#define F_SCALE 0x1p54
#define F_LOG_SCALE -37.429947750237048
#define F_EXP_LIMIT 709.0
#define F_EXP_STEP 373.0
#define F_EXP_FACTOR 0x1.1737e9a5911fep+538
#define F_EXP2_LIMIT 1023.0
#define F_EXP2_STEP 540.0
#define F_EXP2_FACTOR 0x1p540
#define F_TANH_LIMIT 22.0
#else
#define F_HUGE 0x1p124f
#define F_TINY 0x1p-100f
#define F_SCALE 0x1p30f
#define F_LOG_SCALE -20.79441541679836f
#define F_EXP_LIMIT 88.0f
#define F_EXP_STEP 64.0f
#define F_EXP_FACTOR 0x1.425982p+92f
#define F_EXP2_LIMIT 127.0f
#define F_EXP2_STEP 80.0f
#define F_EXP2_FACTOR 0x1p80f
#define F_TANH_LIMIT 11.0f
#endif

FUNCTION C c_make(F re, F im)
{
	C v;

	v.re = re;
	v.im = im;
	return v;
}

/* cos x + i sin x */
FUNCTION C c_turn(F x)
{
	R cosine;
	const F sine = f_sin_and_cos(x, &cosine);

	return c_make(cosine, sine);
}

FUNCTION C c_neg(C x)
{
	return c_make(-x.re, -x.im);
}

FUNCTION C c_round(C x)
{
	return c_make(rint(x.re), rint(x.im));
}

FUNCTION C c_add(C x, C y)
{
	return c_make(x.re + y.re, x.im + y.im);
}

FUNCTION C c_sub(C x, C y)
{
	return c_make(x.re - y.re, x.im - y.im);
}

/* ROUNDED(product) is a product that is rounded before anything is added. */
#ifndef ROUNDED
#define ROUNDED(product) (product)
#endif

FUNCTION C c_mul(C x, C y)
{
	return c_make(ROUNDED(x.re * y.re) - ROUNDED(x.im * y.im),
		ROUNDED(x.re * y.im) + ROUNDED(x.im * y.re));
}

FUNCTION C c_fma(C x, C y, C z)
{
	return c_make(fma(x.re, y.re, fma(-x.im, y.im, z.re)),
		fma(x.re, y.im, fma(x.im, y.re, z.im)));
}

FUNCTION int c_is_nan(C x)
{
	return x.re != x.re || x.im != x.im;
}

FUNCTION int c_is_inf(C x)
{
	return fabs(x.re) == (F)INFINITY || fabs(x.im) == (F)INFINITY;
}

FUNCTION C c_proj(C x)
{
	const int endless = c_is_inf(x);

	return c_make(endless ? (F)INFINITY : x.re,
		endless ? copysign((F)0, x.im) : x.im);
}

FUNCTION int c_is_finite(C x)
{
	return x.re - x.re == (F)0 && x.im - x.im == (F)0;
}

FUNCTION int c_true(C x)
{
	return x.re != (F)0 || x.im != (F)0;
}

FUNCTION int c_equal(C x, C y)
{
	return x.re == y.re && x.im == y.im;
}

FUNCTION F c_abs(C x)
{
	return f_hypot(x.re, x.im);
}

FUNCTION F c_larger_part(C x)
{
	return fabs(x.re) > fabs(x.im) ? fabs(x.re) : fabs(x.im);
}

FUNCTION C c_times(C x, F factor)
{
	return c_make(x.re * factor, x.im * factor);
}

/* x / y, computed from the quotient of y's smaller part and y's larger part.
   Operands near the ends of the range are scaled.  A tiny x is scaled, too,
   because its products would lose bits.  All alternatives are computed before
   one is chosen, so that compilers can vectorise. */
FUNCTION C c_div(C x, C y)
{
	const F of_x = c_larger_part(x), of_y = c_larger_part(y);
	const F small_y = of_y < F_TINY ? F_SCALE : (F)1;
	const F scale_y = of_y > F_HUGE ? (F)0.25 : small_y;
	const F small_x = of_x < F_TINY ? F_SCALE : (F)1;
	const F scale_x = of_x > F_HUGE ? (F)0.25 : small_x;
	const F small_back = of_x < F_TINY ? (F)1 / F_SCALE : (F)1;
	const F factor = (of_x > F_HUGE ? (F)4 : small_back) * scale_y;
	const C u = c_times(x, scale_x), v = c_times(y, scale_y);
	const int swapped = fabs(y.im) > fabs(y.re);
	const F large = swapped ? v.im : v.re, small = swapped ? v.re : v.im;
	const F p = swapped ? u.im : u.re, q = swapped ? u.re : u.im;
	const F ratio = small / large;
	const F scale = (F)1 / (large + small * ratio);
	const F cross = ROUNDED(p * ratio), sum = p + ROUNDED(q * ratio);
	const F above = cross - q, below = q - cross;
	const C z = c_make(sum * scale, (swapped ? above : below) * scale);
	/* If y is 0, the parts of x are divided by +0, as real numbers are. */
	const C by_zero = c_times(u, (F)INFINITY);
	const int zero = fabs(y.re) + fabs(y.im) == (F)0;

	return c_make((zero ? by_zero.re : z.re) * factor,
		(zero ? by_zero.im : z.im) * factor);
}

#ifdef F_TOGETHER
/* All alternatives are computed before one is chosen, as in c_div(). */
FUNCTION C c_sign(C x)
{
	const F large = c_larger_part(x);
	const F small_scale = large < F_TINY ? F_SCALE : (F)1;
	const C u = c_times(x, large > F_HUGE ? (F)0.25 : small_scale);
	const F size = f_hypot(u.re, u.im), by = size == (F)0 ? (F)1 : size;
	const F a = fabs(x.re), b = fabs(x.im), least = a > b ? b : a;
	/* `lost` is NaN if both parts are infinite, or if a part is NaN. */
	const F lost = least == (F)INFINITY ? (F)NAN : x.re + x.im;
	/* An infinite part decides the direction. */
	F re = b == (F)INFINITY ? (F)0 : u.re / by;
	F im = a == (F)INFINITY ? (F)0 : u.im / by;

	re = a == (F)INFINITY ? copysign((F)1, x.re) : re;
	im = b == (F)INFINITY ? copysign((F)1, x.im) : im;
	re = size == (F)0 ? (F)0 : re;
	im = size == (F)0 ? (F)0 : im;
	return c_make(lost != lost ? lost : re, lost != lost ? lost : im);
}
#else
FUNCTION C c_sign(C x)
{
	F size = c_abs(x);

	if (size == (F)0)
		return c_make((F)0, (F)0);
	/* The modulus of finite parts may overflow, or be so small that it
	   lacks bits. */
	if (size == (F)INFINITY && !c_is_inf(x)) {
		x = c_times(x, (F)0.25);
		size = c_abs(x);
	} else if (size < F_TINY) {
		x = c_times(x, F_SCALE);
		size = c_abs(x);
	}
	if (size == (F)INFINITY) {
		/* Infinite parts decide the direction. */
		F re = fabs(x.re) == size ? copysign((F)1, x.re) : (F)0;
		F im = fabs(x.im) == size ? copysign((F)1, x.im) : (F)0;

		if (c_is_nan(x) || (re != (F)0 && im != (F)0))
			return c_make((F)NAN, (F)NAN);
		return c_make(re, im);
	}
	return c_make(x.re / size, x.im / size);
}
#endif

#ifdef F_TOGETHER
/* All alternatives are computed before one is chosen, as in c_div(). */
FUNCTION C c_sqrt(C x)
{
	const F large = c_larger_part(x);
	const F small_scale = large < F_TINY ? F_SCALE : (F)1;
	const F scale = large > F_HUGE ? (F)0.25 : small_scale;
	const F small_back = large < F_TINY ? (F)1 / sqrt(F_SCALE) : (F)1;
	const F factor = large > F_HUGE ? (F)2 : small_back;
	const F a = fabs(x.re) * scale, b = fabs(x.im) * scale;
	const F root = sqrt((F)0.5 * (a + f_hypot(a, b)));
	const F rest = b / ((F)2 * (root == (F)0 ? (F)1 : root)) * factor;
	const int left = !(x.re >= (F)0);
	const int endless_re = fabs(x.re) == (F)INFINITY;
	const int endless_im = fabs(x.im) == (F)INFINITY;
	F re = left ? rest : root * factor, im = left ? root * factor : rest;
	const F zero = x.im != x.im ? x.im : (F)0;

	re = endless_re ? (left ? zero : (F)INFINITY) : re;
	im = endless_re ? (left ? (F)INFINITY : zero) : im;
	return c_make(endless_im ? (F)INFINITY : re,
		copysign(endless_im ? (F)INFINITY : im, x.im));
}
#else
FUNCTION C c_sqrt(C x)
{
	F a = fabs(x.re), b = fabs(x.im), t, factor = (F)1;

	if (a == (F)0 && b == (F)0)
		return c_make((F)0, x.im);
	if (b == (F)INFINITY)
		return c_make((F)INFINITY, x.im);
	if (a == (F)INFINITY) {
		t = x.im != x.im ? x.im : (F)0;
		if (x.re > (F)0)
			return c_make(x.re, copysign(t, x.im));
		return c_make(t, copysign((F)INFINITY, x.im));
	}
	if (a > F_HUGE || b > F_HUGE) {
		a *= (F)0.25;
		b *= (F)0.25;
		factor = (F)2;
	} else if (a < F_TINY && b < F_TINY) {
		a *= F_SCALE;
		b *= F_SCALE;
		factor = (F)1 / sqrt(F_SCALE);
	}
	t = sqrt((F)0.5 * (a + f_hypot(a, b)));
	b = t == (F)0 ? (F)0 : b / ((F)2 * t) * factor;
	t *= factor;
	if (x.re >= (F)0)
		return c_make(t, copysign(b, x.im));
	return c_make(b, copysign(t, x.im));
}
#endif

/* Here the power of a number v is e^v or 2^v.  The power of x may overflow
   although its product with a sine or a cosine does not.  Returns v = x - n
   @step.  n is 1 if x is above @limit, 2 if x is above @limit + @step, else 0.
   The power of x is the power of v, multiplied by both parts of *factors.
   @factor is the power of @step. */
FUNCTION F c_lowered(F x, F limit, F step, F factor, C *factors)
{
	const int once = x > limit, twice = x > limit + step;

	*factors = c_make(once ? factor : (F)1, twice ? factor : (F)1);
	return x - (once ? step : (F)0) - (twice ? step : (F)0);
}

/* Returns e^x or 2^x.  The modulus of the result is @size, multiplied by both
   parts of @factors.  The sine of its angle is turn.im * @scale, and the cosine
   is turn.re. */
FUNCTION C c_turned(C x, F size, C factors, C turn, F scale)
{
	if (x.im == (F)0)
		return c_make(size * factors.re * factors.im, x.im);
	if (x.re == -(F)INFINITY && x.im - x.im != (F)0)
		return c_make((F)0, (F)0);
	if (x.re == (F)INFINITY && x.im - x.im != (F)0)
		return c_make(x.re, x.im - x.im);
	return c_make(size * turn.re * factors.re * factors.im,
		size * turn.im * scale * factors.re * factors.im);
}

/* e^x, where @turn is cos(x.im) + i sin(x.im). */
FUNCTION C c_exp_turned(C x, C turn)
{
	C factors;
	const F power = c_lowered(x.re, F_EXP_LIMIT, F_EXP_STEP, F_EXP_FACTOR,
		&factors);

	return c_turned(x, f_exp(power), factors, turn, (F)1);
}

FUNCTION C c_exp(C x)
{
	return c_exp_turned(x, c_turn(x.im));
}

/* If x.im is tiny, its product with ln 2 could lose bits.  Then x.im is first
   multiplied by F_SCALE, and the sine of the product is divided by F_SCALE. */
FUNCTION C c_exp2(C x)
{
	const int is_tiny = fabs(x.im) < F_TINY;
	R cosine;
	const F sine = f_sin_and_cos_ln2(is_tiny ? x.im * F_SCALE : x.im,
		&cosine);
	C factors;
	const F power = c_lowered(x.re, F_EXP2_LIMIT, F_EXP2_STEP,
		F_EXP2_FACTOR, &factors);

	return c_turned(x, f_exp2(power, (F)0), factors, c_make(cosine, sine),
		is_tiny ? (F)1 / F_SCALE : (F)1);
}

/* (1 + a)^2 + b^2 - 1 for a from -1 to 1.  The rounding errors of the squares and
   of the sums are added, since the sums may cancel. */
FUNCTION F c_beyond_1(F a, F b)
{
	const F square = ROUNDED(a * a), square2 = ROUNDED(b * b);
	const F lost = fma(a, a, -square) + fma(b, b, -square2);
	const F sum = (F)2 * a + square, d = sum + square2, part = d - sum;
	const F lost2 = square - (sum - (F)2 * a);

	return d + (((sum - (d - part)) + (square2 - part)) + (lost2 + lost));
}

/* The logarithm of the modulus of x.  @d is the square of the modulus, less 1.
   Where @d is near 0, it must be precise. */
FUNCTION F c_log_size(C x, F d)
{
	const F large = c_larger_part(x);
	const F small_scale = large < F_TINY ? F_SCALE : (F)1;
	const F scale = large > F_HUGE ? (F)0.25 : small_scale;
	const F size = f_hypot(x.re * scale, x.im * scale), sum = (F)1 + d;
	const int near = (sum > (F)0.25) & (sum < (F)4);
	const F small_more = large < F_TINY ? F_LOG_SCALE : (F)0;
	const F more = large > F_HUGE ? (F)1.3862943611198906 : small_more;
	/* If `near` is set, the rounding error of `sum`, divided by `sum`, is
	   added to the logarithm of `sum`. */
	const F v = near ? sum : size, rest = (d - (sum - (F)1)) / v;
	const F log_v = f_log(v);

	return near ? (F)0.5 * (log_v + rest) : log_v + more;
}

FUNCTION C c_log(C x)
{
	const F a = fabs(x.re), b = fabs(x.im);
	const F d = c_beyond_1((a > b ? a : b) - (F)1, a > b ? b : a);

	return c_make(c_log_size(x, d), f_atan2(x.im, x.re));
}

/* Returns sinh x and sets *cosh_x to cosh x.  The caller must multiply each
   result by both parts of *factors. */
FUNCTION F c_sinh_and_cosh(F x, F *cosh_x, C *factors)
{
	const F v = c_lowered(fabs(x), F_EXP_LIMIT, F_EXP_STEP, F_EXP_FACTOR,
		factors);

	*cosh_x = f_cosh(v);
	return copysign(f_sinh(v), x);
}

/* For some operands, the array API requires a 0 or an infinity, although a
   product would be NaN.  c_sin(), c_cos() and c_tanh() treat such operands
   separately. */
FUNCTION C c_sin(C x)
{
	const C turn = c_turn(x.re);
	C factors;
	F cosh_y;
	const F sinh_y = c_sinh_and_cosh(x.im, &cosh_y, &factors);

	if (x.im == (F)0)
		return c_make(turn.im,
			x.re - x.re == (F)0 ? x.im * turn.re : x.im);
	if (x.re == (F)0)
		return c_make(x.re, f_sinh(x.im));
	if (fabs(x.im) == (F)INFINITY && x.re - x.re != (F)0)
		return c_make(x.re - x.re, x.im);
	return c_make(turn.im * cosh_y * factors.re * factors.im,
		turn.re * sinh_y * factors.re * factors.im);
}

FUNCTION C c_cos(C x)
{
	const C turn = c_turn(x.re);
	C factors;
	F cosh_y;
	const F sinh_y = c_sinh_and_cosh(x.im, &cosh_y, &factors);

	if (x.im == (F)0)
		return c_make(turn.re,
			x.re - x.re == (F)0 ? -x.im * turn.im : x.im);
	if (x.re == (F)0)
		return c_make(f_cosh(x.im), -x.re * copysign((F)1, x.im));
	if (fabs(x.im) == (F)INFINITY && x.re - x.re != (F)0)
		return c_make((F)INFINITY, x.re - x.re);
	return c_make(turn.re * cosh_y * factors.re * factors.im,
		-(turn.im * sinh_y * factors.re * factors.im));
}

FUNCTION C c_tanh(C x)
{
	const int finite = x.im - x.im == (F)0;
	F t, s, beta, rho, bottom;
	C turn;

	if (fabs(x.re) > F_TANH_LIMIT &&
		(finite || fabs(x.re) == (F)INFINITY)) {
		/* t is sin(2 x.im) / 2.  It is computed without 2 x.im, which
		   may overflow. */
		turn = c_turn(x.im);
		t = finite ? turn.im * turn.re : (F)0;
		s = f_exp((F)-2 * fabs(x.re));
		return c_make(copysign((F)1, x.re), (F)4 * t * s);
	}
	if (!finite)
		return c_make(x.re == (F)0 ? x.re : x.im - x.im,
			x.im - x.im);
	if (x.im == (F)0)
		return c_make(f_tanh(x.re), x.im);
	t = f_tan_large(x.im);
	s = f_sinh(x.re);
	beta = (F)1 + t * t;
	rho = sqrt((F)1 + s * s);
	if (t - t != (F)0)
		return c_make(rho / s, (F)1 / t);
	bottom = (F)1 + beta * s * s;
	return c_make(beta * rho * s / bottom, t / bottom);
}

/* sinh z = -i sin(iz), cosh z = cos(iz) and tan z = -i tanh(iz). */
FUNCTION C c_sinh(C x)
{
	const C v = c_sin(c_make(-x.im, x.re));

	return c_make(v.im, -v.re);
}

FUNCTION C c_cosh(C x)
{
	return c_cos(c_make(-x.im, x.re));
}

FUNCTION C c_tan(C x)
{
	const C v = c_tanh(c_make(-x.im, x.re));

	return c_make(v.im, -v.re);
}

/* The logarithm to another base, where @unit is 1 / ln(base). */
FUNCTION C c_log_in(C x, F unit)
{
	const C v = c_log(x);

	return c_make(v.re * unit, v.im * unit);
}

FUNCTION C c_log2(C x)
{
	return c_log_in(x, R_LOG2_E);
}

FUNCTION C c_log10(C x)
{
	return c_log_in(x, R_LOG10_E);
}

/* e^re cos(im) - 1 = (e^re - 1) cos(im) - (1 - cos(im)), and 1 - cos(im) is
   sin(im)^2 / (1 + cos(im)).  Far from 0 nothing cancels, and e^x - 1 is
   computed directly. */
FUNCTION C c_expm1(C x)
{
	const C turn = c_turn(x.im), v = c_exp_turned(x, turn);
	F less = (F)1 - turn.re;

	if (fabs(x.re) >= (F)1 || x.im - x.im != (F)0 || x.re != x.re)
		return c_make(v.re - (F)1, v.im);
	if (turn.re > (F)0)
		less = turn.im * turn.im / ((F)1 + turn.re);
	return c_make(fma(f_expm1(x.re), turn.re, -less), v.im);
}

FUNCTION C c_log1p(C x)
{
	const C v = c_make((F)1 + x.re, x.im);

	return c_make(c_log_size(v, c_beyond_1(x.re, x.im)),
		f_atan2(v.im, v.re));
}

/* If y is a small integer, the power is computed with products of x, so that a
   square is as exact as a product.  If y is negative and the product overflows,
   the power may still not be 0.  In this case the power is computed with a
   logarithm. */
FUNCTION C c_pow(C x, C y)
{
	C result, v;
	F size;
	int n;

	if (!c_true(y))
		return c_make((F)1, (F)0);
	if (!c_true(x)) {
		if (y.re > (F)0)
			return c_make((F)0, (F)0);
		return c_make((F)NAN, (F)NAN);
	}
	if (y.im == (F)0 && fabs(y.re) <= (F)64 && y.re == floor(y.re)) {
		n = (int)fabs(y.re);
		result = c_make((F)1, (F)0);
		for (v = x; n; n >>= 1) {
			if (n & 1)
				result = c_mul(result, v);
			v = c_mul(v, v);
		}
		if (y.re > (F)0)
			return result;
		if (c_is_finite(result) || !c_is_finite(x))
			return c_div(c_make((F)1, (F)0), result);
	}
	v = c_log(x);
	size = f_exp(v.re * y.re - v.im * y.im);
	v = c_turn(v.re * y.im + v.im * y.re);
	return c_make(size * v.re, size * v.im);
}
#endif
