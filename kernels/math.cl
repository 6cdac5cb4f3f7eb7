/* SPDX-License-Identifier: Apache-2.0 */
/*
 * math.cl - functions of real numbers that the operation table uses.
 *
 * exp, log, sin, cos, tanh, atan2 and pow of float are our own: at most 2 ulp
 * where division is correctly rounded (drivers have up to 16).  They have no
 * branches, so that compilers vectorise them; sine and cosine of large numbers
 * are apart.  The coefficients were fitted to the function on its reduced
 * range, weighted for the relative error.  For double the device's functions
 * are used.
 */
/*
 * Round with one instruction if the CPU has it.  PoCL 6 rounds with SLEEF,
 * which ends in "x, or the sign of x with other bits".  LLVM 17 to 19 compile
 * that to wrong code for AVX-512 (a masked vpternlogd) if x is also used as an
 * integer, as with bfloat16.
 */
#if DPR_CPU && defined(__clang__) && defined(__SSE4_1__) && \
	!defined(DPR_NATIVE)
#undef floor
#undef ceil
#undef trunc
#undef rint
#if HAS_DOUBLE
#define floor(x) __builtin_floor(x)
#define ceil(x) __builtin_ceil(x)
#define trunc(x) __builtin_trunc(x)
#define rint(x) __builtin_rint(x)
#else
#define floor(x) __builtin_floorf(x)
#define ceil(x) __builtin_ceilf(x)
#define trunc(x) __builtin_truncf(x)
#define rint(x) __builtin_rintf(x)
#endif
#endif

#if KIND_I
FUNCTION C i_floor_divide(C x, C y)
{
	C by = (y == 0 || y == -1) ? (C)1 : y;
	C q = (C)(x / by);

	q = (C)(q - ((C)(q * by) != x && (x < 0) != (by < 0)));
	if (y == -1)
		q = (C)((U)0 - (U)x);
	return y == 0 ? (C)0 : q;
}

FUNCTION C i_remainder(C x, C y)
{
	C by = (y == 0 || y == -1) ? (C)1 : y;
	C r = (C)(x % by);

	return (r != 0 && (r < 0) != (by < 0)) ? (C)(r + by) : r;
}

/* A negative power gives the integer part of the reciprocal. */
FUNCTION C i_pow(C x, C y)
{
	U result = 1, factor = (U)x;

	if (y < 0)
		return (C)(x == 1 ? 1 : x != -1 ? 0 : (y & 1) ? -1 : 1);
	for (; y > 0; y = (C)(y >> 1)) {
		if (y & 1)
			result *= factor;
		factor *= factor;
	}
	return (C)result;
}
#endif

#if KIND_U
FUNCTION C u_floor_divide(C x, C y)
{
	return y == 0 ? (C)0 : (C)(x / (y == 0 ? (C)1 : y));
}

FUNCTION C u_remainder(C x, C y)
{
	return y == 0 ? (C)0 : (C)(x % (y == 0 ? (C)1 : y));
}

FUNCTION C u_pow(C x, C y)
{
	U result = 1, factor = (U)x;

	for (; y > 0; y = (C)(y >> 1)) {
		if (y & 1)
			result *= factor;
		factor *= factor;
	}
	return (C)result;
}
#endif

#if !HAS_DOUBLE && !defined(MATH_FLOAT)
#define MATH_FLOAT
/*
 * Adding this to a number below 2^22 rounds it to an integer, which is then in
 * the low bits of the sum.  Compilers vectorise this better than rint() and a
 * conversion.
 */
#define F_TURN 0x1.8p23f
#define F_TURN_BITS 0x4b400000

/* 2^k as a float; k is -126 to 127.  Of a NaN's k the result is anything. */
FUNCTION float f_power_of_2(int k)
{
	return as_float((uint)(k + 127) << 23);
}

/* x = k ln 2 + r, |r| <= ln(2) / 2: returns r. */
FUNCTION float f_exp_rest(float x, int *k)
{
	float t = fma(x, 0x1.715476p+0f, F_TURN);
	float n = t - F_TURN;

	*k = as_int(t) - F_TURN_BITS;
	return fma(n, -0x1.7f7d1cp-20f, fma(n, -0x1.62e4p-1f, x));
}

/* e^x = 2^k e^r.  2^k is two factors, for subnormals. */
FUNCTION float f_exp(float x)
{
	float v = x > 89.0f ? 89.0f : x;
	float r, p;
	int k;

	r = f_exp_rest(v < -104.0f ? -104.0f : v, &k);
	p = fma(r, 0x1.6db45ep-10f, 0x1.123b7ep-7f);
	p = fma(r, p, 0x1.55545ep-5f);
	p = fma(r, p, 0x1.55548ep-3f);
	p = fma(r, p, 0.5f);
	p = fma(r * r, p, r) + 1.0f;
	return p * f_power_of_2(k >> 1) * f_power_of_2(k - (k >> 1));
}

/* x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2): returns f.  If x is negative,
   infinite or NaN, the results must not be used. */
FUNCTION float f_log_rest(float x, float *k)
{
	int tiny = x < 0x1p-126f;
	uint bits = as_uint(tiny ? x * 0x1p23f : x);
	uint part = (bits - 0x3f3504f3u) & 0xff800000u; /* 2^23 k */

	*k = fma((float)(int)part, 0x1p-23f, tiny ? -23.0f : 0.0f);
	return as_float(bits - part) - 1.0f;
}

/* ln x = k ln 2 + ln(1 + f). */
FUNCTION float f_log(float x)
{
	float k, f = f_log_rest(x, &k);
	float p, result;

	p = fma(f, 0x1.145ffep-4f, -0x1.de43c6p-4f);
	p = fma(f, p, 0x1.e6f1p-4f);
	p = fma(f, p, -0x1.fc20dep-4f);
	p = fma(f, p, 0x1.23374ap-3f);
	p = fma(f, p, -0x1.555c54p-3f);
	p = fma(f, p, 0x1.99a4b6p-3f);
	p = fma(f, p, -0x1.000006p-2f);
	p = fma(f, p, 0x1.555548p-2f);
	p = fma(f * f, fma(f, p, -0.5f), f);
	result = fma(k, 0x1.62e430p-1f, p);
	/* Infinity stays; negative numbers and NaN give NaN. */
	result = as_uint(x) - 1u >= 0x7f7fffffu ?
		fma(x, (float)INFINITY, (float)INFINITY) : result;
	return x == 0.0f ? -(float)INFINITY : result;
}

/* The sine of q pi/2 + r, with r in [-pi/4, pi/4].  One polynomial whose
   coefficients are those of the sine or, if q is odd, of the cosine. */
FUNCTION float f_sin_turned(int q, float r)
{
	int odd = q & 1;
	float z = r * r;
	float head = odd ? fma(z, -0.5f, 1.0f) : r;
	float p = fma(z, odd ? 0x1.9a0238p-16f : -0x1.994e8ep-13f,
		odd ? -0x1.6c0c8cp-10f : 0x1.110760p-7f);

	p = fma(z, p, odd ? 0x1.55554ap-5f : -0x1.555546p-3f);
	p = fma((odd ? z : r) * z, p, head);
	return as_float(as_uint(p) ^ ((uint)(q & 2) << 30));
}

/* Below this size, pi/2 in three parts is precise enough to find r. */
#define F_LARGE 40000.0f

FUNCTION int f_is_large(float x)
{
	return !(fabs(x) < F_LARGE);
}

FUNCTION float f_reduced(float x, float n)
{
	float r = fma(n, -0x1.921fb6p+0f, x);

	r = fma(n, 0x1.777a5cp-25f, r);
	return fma(n, 0x1.ee59dap-50f, r);
}

FUNCTION float f_sin(float x)
{
	float t = fma(x, 0x1.45f306p-1f, F_TURN);
	float v = f_sin_turned(as_int(t), f_reduced(x, t - F_TURN));

	/* Also keeps the sign of 0. */
	return fabs(x) < 0x1p-12f ? x : v;
}

FUNCTION float f_cos(float x)
{
	float t = fma(x, 0x1.45f306p-1f, F_TURN);

	return f_sin_turned(as_int(t) + 1, f_reduced(x, t - F_TURN));
}

/* The bits of 2/pi, beginning 32 zeros before the binary point. */
constant uint two_over_pi[9] = { 0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
	0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u };

/* 32 bits of 2/pi, beginning @at bits behind the binary point. */
FUNCTION uint f_two_over_pi(int at)
{
	int word = (at + 32) >> 5, shift = (at + 32) & 31;
	ulong bits = (ulong)two_over_pi[word] << 32 | two_over_pi[word + 1];

	return (uint)((bits << shift) >> 32);
}

/* sin(x + turn pi/2) for any x.  Multiplies the 24 bits of x by those bits of
   2/pi that decide the quadrant and the angle in it. */
FUNCTION float f_sin_any(float x, int turn)
{
	uint bits = as_uint(x) & 0x7fffffffu;
	uint m = (bits & 0x7fffffu) | 0x800000u;
	int at = (int)(bits >> 23) - 150 - 2;
	ulong low, middle, fraction;
	long left;
	int q;
	float v, high, low_part;

	if (bits >= 0x7f800000u)
		return x - x;
	if (at < -32) { /* less than 2^-7: the other path's range */
		v = f_sin_turned(turn, fabs(x));
		return (x < 0.0f && !(turn & 1)) ? -v : v;
	}
	low = (ulong)m * f_two_over_pi(at + 64);
	middle = (ulong)m * f_two_over_pi(at + 32) + (low >> 32);
	fraction = ((ulong)(m * f_two_over_pi(at)) << 32) + middle;
	q = (int)((fraction + (1ul << 61)) >> 62);
	/* The angle is v + low_part; for low_part the slope of the sine is
	   enough. */
	left = (long)(fraction << 2) >> 1;
	high = (float)left;
	v = high * 0x1.921fb6p-63f;
	low_part = fma(high, 0x1.921fb6p-63f, -v);
	low_part = fma(high, -0x1.777a5cp-88f, low_part);
	low_part = fma((float)(left - (long)high), 0x1.921fb6p-63f, low_part);
	v = fma(f_sin_turned(q + turn + 1, v), low_part,
		f_sin_turned(q + turn, v));
	return (x < 0.0f && !(turn & 1)) ? -v : v;
}

FUNCTION float f_sin_large(float x)
{
	return f_is_large(x) ? f_sin_any(x, 0) : f_sin(x);
}

FUNCTION float f_cos_large(float x)
{
	return f_is_large(x) ? f_sin_any(x, 1) : f_cos(x);
}

/* m / (m + 2) with m = e^(2 |x|) - 1. */
FUNCTION float f_tanh(float x)
{
	float a = fabs(x);
	float v = 2.0f * (a > 10.0f ? 10.0f : a);
	float power, r, p, m, c, q;
	int k;

	r = f_exp_rest(v, &k);
	power = f_power_of_2(k);
	p = fma(r, 0x1.6becp-10f, 0x1.122788p-7f);
	p = fma(r, p, 0x1.555674p-5f);
	p = fma(r, p, 0x1.5554bp-3f);
	p = fma(r, p, 0x1.fffffep-2f);
	p = fma(r * r, p, r);
	m = fma(power, p, power - 1.0f);
	c = 1.0f / (m + 2.0f);
	q = m * c;
	/* This also takes out the rounding of m + 2. */
	r = fma(-q, m, fma(-2.0f, q, m));
	return copysign(fma(r, c, q), x);
}

/* atan2: the angle of (a, b) in the first octant is a polynomial of their
   quotient; signs and the other octants follow. */
FUNCTION float f_atan2(float y, float x)
{
	float a = fabs(y), b = fabs(x);
	float large = a < b ? b : a, small = a < b ? a : b;
	float t = small / (large == 0.0f ? 1.0f : large);
	float z, p, r;

	t = a == b && a != 0.0f ? 1.0f : t;
	z = t * t;
	p = fma(z, 0x1.23f7f6p-10f, -0x1.df9586p-8f);
	p = fma(z, p, 0x1.714a4ep-6f);
	p = fma(z, p, -0x1.6e1928p-5f);
	p = fma(z, p, 0x1.14229cp-4f);
	p = fma(z, p, -0x1.68e6ecp-4f);
	p = fma(z, p, 0x1.c4f1dcp-4f);
	p = fma(z, p, -0x1.247374p-3f);
	p = fma(z, p, 0x1.9997e0p-3f);
	p = fma(z, p, -0x1.555552p-2f);
	r = fma(t * z, p, t);
	/* pi/2 and pi in two parts. */
	r = a > b ? 0x1.921fb6p+0f - (r + 0x1.777a5cp-25f) : r;
	r = as_int(x) < 0 ? 0x1.921fb6p+1f - (r + 0x1.777a5cp-24f) : r;
	return copysign(r, y);
}

/*
 * log2 of x >= 0 as a sum of two floats: returns the larger one.  With x =
 * 2^k (1 + f) and s = f / (2 + f), the logarithm is k + (2 s + 2/3 s^3 +
 * s^5 R(s^2)) / ln 2.  A name that ends in 2 is the rest of its float.
 */
FUNCTION float f_log2(float x, float *low)
{
	float k, f = f_log_rest(x, &k);
	float d = 2.0f + f, d2 = f - (d - 2.0f), inverse = 1.0f / d;
	float s = f * inverse, s2, z, z2, c, c2, t, t2, p;

	s2 = fma(-s, d2, fma(-s, d, f)) * inverse;
	z = s * s;
	z2 = fma(s, s, -z) + 2.0f * s * s2;
	/* t = 2 + 2/3 z + z^2 R(z) */
	p = fma(z, 0x1.8eb68ep-3f, 0x1.c65932p-3f);
	p = fma(z, p, 0x1.249374p-2f);
	p = fma(z, p, 0x1.999998p-2f);
	c = z * 0x1.555556p-1f;
	c2 = fma(z, -0x1.555556p-26f, z2 * 0x1.555556p-1f);
	c2 = fma(z * z, p, fma(z, 0x1.555556p-1f, -c) + c2);
	t = 2.0f + c;
	t2 = (c - (t - 2.0f)) + c2;
	/* c = s t, then c = c / ln 2, t = k + c */
	c = s * t;
	c2 = fma(s, t, -c) + fma(s, t2, s2 * t);
	t = c * 0x1.715476p+0f;
	t2 = fma(c, 0x1.715476p+0f, -t) +
		fma(c, 0x1.4ae0c0p-26f, c2 * 0x1.715476p+0f);
	c = k + t;
	*low = (t - (c - k)) + t2;
	return c;
}

/* 2^(high + low).  Beyond 160 it is infinity or 0, whatever @low is. */
FUNCTION float f_exp2(float high, float low)
{
	float r = fabs(high) < 160.0f ? low : 0.0f;
	float v = high > 160.0f ? 160.0f : high;
	float t, p;
	int n;

	v = v < -160.0f ? -160.0f : v;
	t = v + F_TURN;
	n = as_int(t) - F_TURN_BITS;
	r += v - (t - F_TURN);
	p = fma(r, 0x1.41fbbap-13f, 0x1.5f3e54p-10f);
	p = fma(r, p, 0x1.3b2d4cp-7f);
	p = fma(r, p, 0x1.c6aee8p-5f);
	p = fma(r, p, 0x1.ebfbdcp-3f);
	p = fma(r, p, 0x1.62e430p-1f);
	return fma(r, p, 1.0f) * f_power_of_2(n >> 1) *
	       f_power_of_2(n - (n >> 1));
}

/* x^y = 2^(y log2 x).  The logarithm has two parts, because an error of it
   grows with y. */
FUNCTION float f_pow(float x, float y)
{
	float size = fabs(x), whole = fabs(y);
	float low, log, v, t;
	int odd, fraction;

	log = f_log2(size, &low);
	log = size == 0.0f ? -(float)INFINITY : log;
	log = size == (float)INFINITY ? size : log;
	low = fabs(log) == (float)INFINITY ? 0.0f : low;
	t = y * log;
	v = f_exp2(t, fma(y, log, -t) + y * low);
	/* From 2^23 on y is whole, from 2^24 on even. */
	t = whole < 0x1p23f ? whole + 0x1p23f : whole;
	fraction = (whole < 0x1p23f ? t - 0x1p23f : whole) != whole;
	odd = as_int(t) & (whole < 0x1p24f) & !fraction;
	v = (x < 0.0f) & fraction & (size != (float)INFINITY) ? (float)NAN : v;
	v = odd ? copysign(v, x) : v;
	v = ((x != x) | (y != y)) ? x + y : v;
	return ((y == 0.0f) | (x == 1.0f) |
		((x == -1.0f) & (whole == (float)INFINITY))) ? 1.0f : v;
}

/* Scaled, so that squares neither overflow nor vanish. */
FUNCTION float f_hypot(float x, float y)
{
	float a = fabs(x), b = fabs(y);
	float large = a < b ? b : a, small = a < b ? a : b;
	float t = small / (large == 0.0f ? 1.0f : large);
	float v = large * sqrt(fma(t, t, 1.0f));

	v = (x != x || y != y) ? (float)NAN : v;
	return (a == (float)INFINITY || b == (float)INFINITY) ?
		(float)INFINITY : v;
}
#elif HAS_DOUBLE && !defined(MATH_DOUBLE)
#define MATH_DOUBLE
/* The sine of libclc for PTX loses the sign of 0. */
FUNCTION double f_sin(double x)
{
	return x == 0.0 ? x : sin(x);
}

FUNCTION double f_exp(double x)
{
	return exp(x);
}

FUNCTION double f_log(double x)
{
	return log(x);
}

FUNCTION double f_cos(double x)
{
	return cos(x);
}

FUNCTION double f_tanh(double x)
{
	return tanh(x);
}

/* No number is too large for these functions of the device. */
FUNCTION int f_is_large(double x)
{
	(void)x;
	return 0;
}

FUNCTION double f_sin_large(double x)
{
	return f_sin(x);
}

FUNCTION double f_cos_large(double x)
{
	return cos(x);
}

FUNCTION double f_hypot(double x, double y)
{
	return hypot(x, y);
}

FUNCTION double f_atan2(double y, double x)
{
	return atan2(y, x);
}

FUNCTION double f_pow(double x, double y)
{
	return pow(x, y);
}
#endif

/* float16, bfloat16 and float32 are all computed in float. */
#if KIND_F && (HAS_DOUBLE || !defined(MATH_REAL))
#if !HAS_DOUBLE
#define MATH_REAL
#endif
FUNCTION C f_sign(C x)
{
	C v = (C)((x > (C)0) - (x < (C)0));

	return x != x ? x : v;
}

/*
 * floor_divide and remainder, without fmod(), which no compiler vectorises.  If
 * the quotient is small, n = rint(x / y) is its nearest integer or, if the
 * division is not correctly rounded, less than 1 away from it.  Then x - n y is
 * exact, and its sign tells whether n is above the quotient.
 */
#undef F_QUOTIENT
#undef F_ALL_WHOLE
#if HAS_DOUBLE
#define F_QUOTIENT 0x1p48
#define F_ALL_WHOLE 0x1p53
#else
#define F_QUOTIENT 0x1p19f
#define F_ALL_WHOLE 0x1p24f
#endif

FUNCTION int f_quotient_is_large(C x, C y)
{
	/* Also true if x or y is infinite or NaN, or y is 0. */
	return !(fabs(x) < F_QUOTIENT * fabs(y)) | (fabs(y) == (C)INFINITY);
}

/* x - n y has the other sign than y. */
FUNCTION int f_is_below(C left, C y)
{
	return ((left < (C)0) != (y < (C)0)) & (left != (C)0);
}

FUNCTION C f_floor_divide(C x, C y)
{
	C quotient = x / y;
	C n = rint(quotient), left = fma(-n, y, x);

	n = f_is_below(left, y) ? n - (C)1 : n;
	return n == (C)0 ? copysign((C)0, quotient) : n;
}

FUNCTION C f_remainder(C x, C y)
{
	C left = fma(-rint(x / y), y, x);

	left = f_is_below(left, y) ? left + y : left;
	return left == (C)0 ? copysign((C)0, y) : left;
}

/* The same for any x and y. */
FUNCTION C f_floor_divide_any(C x, C y)
{
	C quotient = x / y, unit = F_QUOTIENT * y, n;

	if (!f_quotient_is_large(x, y))
		return f_floor_divide(x, y);
	if (fabs(y) == (C)INFINITY && fabs(x) < (C)INFINITY)
		return f_is_below(x, y) ? (C)-1 : copysign((C)0, quotient);
	/* So large a quotient is whole; or it is infinite or NaN. */
	if (!(fabs(quotient) < F_ALL_WHOLE))
		return quotient;
	n = rint(x / unit);
	return fma(n, F_QUOTIENT, f_floor_divide(fma(-n, unit, x), y));
}

FUNCTION C f_remainder_any(C x, C y)
{
	const C size = fabs(y);
	C unit = size;

	if (!(fabs(x) < (C)INFINITY) | !(size > (C)0))
		return (C)NAN;
	if (size == (C)INFINITY)
		return f_is_below(x, y) ? y : x == (C)0 ? copysign(x, y) : x;
	/* Subtract multiples of ever smaller units, exactly. */
	while (unit * F_QUOTIENT <= fabs(x))
		unit *= F_QUOTIENT;
	for (; unit > size; unit *= (C)1 / F_QUOTIENT)
		x = fma(-rint(x / unit), unit, x);
	return f_remainder(x, y);
}
#endif
