/* SPDX-License-Identifier: Apache-2.0 */
/*
 * math.cl - the functions of real numbers for the table of operations.
 *
 * exp, log, sin, cos, tanh, atan2, pow and hypot are our own.  Their errors are
 * at most 2 ulp where division is correctly rounded; drivers have errors of up
 * to 16 ulp.  The functions have no branches and no tables, so that compilers
 * vectorise them.  Sine and cosine of large numbers are separate functions.
 * Each polynomial was fitted to its function on the reduced range, for the
 * least relative error.
 */
/*
 * Where a CPU has instructions that round, use them.  PoCL 6 rounds with
 * functions of SLEEF.  The last step of such a function is a choice between x
 * and other bits with the sign of x.  If x is also used as an integer, as for
 * bfloat16, LLVM 17 to 19 compile this choice to wrong code.  This happens only
 * for AVX-512 (a masked vpternlogd).
 */
#if defined(__clang__) && defined(__SSE4_1__) && !defined(DPR_NATIVE)
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

/* CPUs can divide vectors of floats, but not of integers.  So integers that fit
   exactly into a float are divided as floats. */
#undef I_REAL
#if defined(DPR_NATIVE) && (KIND_I || KIND_U)
#undef I_WHOLE
#undef I_LANE
#undef I_ROUNDS
#if ITEM <= 2
#define I_REAL float
#define I_WHOLE(v) as_uint((v) + 0x1.8p23f)
#define I_LANE ushort
#define I_ROUNDS (ITEM == 1 ? 2 : 4)
#elif ITEM == 4
#define I_REAL double
#define I_WHOLE(v) as_ulong((v) + 0x1.8p52)
#define I_LANE uint
#define I_ROUNDS 9
#endif
#endif

#ifdef I_REAL
#undef I_NAME
#if KIND_I
#define I_NAME(name) i_##name
#else
#define I_NAME(name) u_##name
#endif

/*
 * Let q = (x + 1/2) / y, where the 1/2 has the sign of y.  q has the same floor
 * as x / y, and is at least 1 / (2 |y|) away from every integer.  x + 1/2 is
 * exact.  The later roundings change q by less than |x / y| 2^-20 <= 1 / (16
 * |y|).  This holds even if the division is wrong by a few ulp.  So the integer
 * nearest to q - 1/2 is the floor.
 */
FUNCTION C I_NAME(floor_divide)(C x, C y)
{
	const I_REAL by = (I_REAL)(y == 0 ? (C)1 : y);
	const I_REAL up = copysign((I_REAL)0.5, by);
	const C q = (C)I_WHOLE(((I_REAL)x + up) / by - (I_REAL)0.5);

	return y == 0 ? (C)0 : q;
}

FUNCTION C I_NAME(remainder)(C x, C y)
{
	const C r = (C)((U)x - (U)I_NAME(floor_divide)(x, y) * (U)y);

	return y == 0 ? (C)0 : r;
}

/*
 * x^y modulo 2^n, without a branch, where n is the number of bits of x.  y is
 * treated as an unsigned number.  Let k be I_ROUNDS.  Let j be y >> k, and w =
 * x^(2^k) = 1 + d.
 *
 * If x is odd, 2^(k + 2) divides d.  So w^j = 1 + j d + j (j - 1) / 2 d^2 if 3
 * k + 6 >= n.  The formula also holds for j = 0 and j = 1.  If x is even and j
 * is above 1, then 2^n divides the power, since 2^(k + 1) >= n.
 *
 * A negative power gives the integer part of the reciprocal.  For x = 1 and x =
 * -1 the integer part is the same as the power with the unsigned y.
 */
#define I_PRODUCT(x, y) ((I_LANE)((uint)(x) * (uint)(y)))

FUNCTION C I_NAME(pow)(C x, C y)
{
	const I_LANE e = (I_LANE)((U)y & (0xffffffffu >> (32 - 8 * ITEM)));
	const I_LANE j = (I_LANE)(e >> I_ROUNDS);
	I_LANE w = (I_LANE)x, v = 1, d;

	UNROLL for (int k = 0; k < I_ROUNDS; k++) {
		v = I_PRODUCT(v, (e >> k) & 1 ? w : 1);
		w = I_PRODUCT(w, w);
	}
	d = (I_LANE)(w - 1);
	w = (I_LANE)(1 + I_PRODUCT(j - 1, d >> 1));
	w = (I_LANE)(1 + I_PRODUCT(I_PRODUCT(j, d), w));
	v = I_PRODUCT(v, w);
	v = j > 1 ? (I_LANE)(v & (0u - (x & 1u))) : v;
#if KIND_I
	v = ((y < 0) & (x != 1) & (x != -1)) ? 0 : v;
#endif
	return (C)v;
}
#elif KIND_I
FUNCTION C i_floor_divide(C x, C y)
{
	C by = (y == 0 || y == -1) ? (C)1 : y;
	C q = (C)(x / by);

	q = (C)(q - ((C)(q * by) != x && (x < 0) != (by < 0)));
	if (y == -1)
		q = (C)((U)0 - (U)x);
	return y == 0 ? (C)0 : q;
}

/* If x is an index, x is mostly in range, or is negative and counts from the
   end.  A branch for such an index costs much less than a division of 64 bits.
   */
FUNCTION C i_remainder(C x, C y)
{
	const U near = (U)x + (x < 0 ? (U)y : (U)0);
	C by = (y == 0 || y == -1) ? (C)1 : y;
	C r;

	if (y > 0 && near < (U)y)
		return (C)near;
	r = (C)(x % by);
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
#elif KIND_U
FUNCTION C u_floor_divide(C x, C y)
{
	return y == 0 ? (C)0 : (C)(x / (y == 0 ? (C)1 : y));
}

FUNCTION C u_remainder(C x, C y)
{
	if (x < y)
		return x;
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

#ifndef MATH_ONCE
#define MATH_ONCE
/* two_over_pi has the bits of 2/pi.  From bit TURN_OF_2 on, it has the bits of
   2 ln(2) / pi.  Both numbers begin with 32 zeros before the binary point. */
#define TURN_OF_2 1280
constant uint two_over_pi[80] = {
	0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u,
	0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u, 0xb7246e3au,
	0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu,
	0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u,
	0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu,
	0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u,
	0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau,
	0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u, 0xfc7b6babu, 0xf0cfbc20u,
	0x00000000u, 0x70f7263du, 0xfa5a6eecu, 0xb608582eu, 0x55fef3ddu,
	0x8e13becdu, 0x1d495c36u, 0x1d72013au, 0xea9f8fcau, 0x76e866fcu,
	0x9b48be48u, 0x15f5cb6fu, 0xd8bee211u, 0x0394db30u, 0x20d6eb52u,
	0x30ffa9aeu, 0x90cbc735u, 0x51358cedu, 0x67c0db3cu, 0x490d15bdu,
	0xd91a29f5u, 0x682402afu, 0x5e8f9c23u, 0xbff15cbcu, 0x71f05fedu,
	0xfe0bb062u, 0x2a8c8f67u, 0x7309c45au, 0x7502282au, 0xead0c243u,
	0x5c5527bbu, 0x759f345eu, 0x2d0628e8u, 0xb1a563a2u, 0x53e62918u,
	0xea5ffdabu, 0xeac0d479u, 0xcfedb1b6u, 0xfc78b439u, 0xa333a25fu
};

/* 32 bits of 2/pi, beginning @at bits after the binary point. */
FUNCTION uint f_two_over_pi(int at)
{
	int word = (at + 32) >> 5, shift = (at + 32) & 31;
	ulong bits = (ulong)two_over_pi[word] << 32 | two_over_pi[word + 1];

	return (uint)((bits << shift) >> 32);
}
#endif

#if !HAS_DOUBLE && !defined(MATH_FLOAT)
#define MATH_FLOAT
/* For NVIDIA, clang compiles copysign() to a comparison and two choices.
   Combining the bits takes one instruction. */
#ifdef DPR_PTX
#define copysign(v, x) f_signed((v), (x))
FUNCTION float f_signed(float v, float x)
{
	return as_float((as_uint(v) & 0x7fffffffu) | (as_uint(x) & 0x80000000u));
}
#endif

/*
 * Adding F_TURN to a number below 2^22 rounds the number to an integer, which
 * is then in the low bits of the sum.  Compilers vectorise this better than
 * rint() and a conversion.
 */
#define F_TURN 0x1.8p23f
#define F_TURN_BITS 0x4b400000u

/* f_inverse() is 1 / y within 1 ulp, f_quotient() is x / y within 2 ulp, and
   f_root() is the root of x within 1 ulp.  The numbers must be neither tiny nor
   huge, but the root of 0 is 0.  NVIDIA's instructions that round correctly
   have branches for tiny and huge numbers. */
FUNCTION float f_inverse(float y)
{
#ifdef DPR_PTX
	return __nvvm_rcp_approx_ftz_f(y);
#else
	return 1.0f / y;
#endif
}

FUNCTION float f_quotient(float x, float y)
{
#ifdef DPR_PTX
	return x * f_inverse(y);
#else
	return x / y;
#endif
}

FUNCTION float f_root(float x)
{
#ifdef DPR_PTX
	float inverse = __nvvm_rsqrt_approx_ftz_f(x + 0x1p-100f);
	float root = x * inverse;

	return fma(fma(-root, root, x), 0.5f * inverse, root);
#else
	return sqrt(x);
#endif
}

/* A root within 2 ulp, which may be NaN for 0. */
FUNCTION float f_root_near(float x)
{
#ifdef DPR_PTX
	return x * __nvvm_rsqrt_approx_ftz_f(x);
#else
	return sqrt(x);
#endif
}

FUNCTION float f_rsqrt(float x)
{
#ifdef DPR_PTX
	int tiny = x < 0x1p-126f;
	float v = tiny ? x * 0x1p24f : x;
	float inverse = __nvvm_rsqrt_approx_ftz_f(v);
	float rest = fma(-v * inverse, inverse, 1.0f);
	float better = fma(0.5f * inverse, rest, inverse);

	/* If v is 0 or infinite, `rest` is NaN. */
	v = rest == rest ? better : inverse;
	return tiny ? v * 0x1p12f : v;
#else
	return 1.0f / sqrt(x);
#endif
}

/* 2^k as a float, for k from -126 to 127.  For other k the result is
   undefined. */
FUNCTION float f_power_of_2(int k)
{
	return as_float(((uint)k + 127u) << 23);
}

/* v 2^k.  Two factors are used, because the result may be subnormal.  k is from
   -252 to 254. */
FUNCTION float f_times_power_of_2(float v, int k)
{
	return v * f_power_of_2(k >> 1) * f_power_of_2(k - (k >> 1));
}

/* Returns r and sets *k such that x = *k ln 2 + r and |r| <= ln(2) / 2. */
FUNCTION float f_exp_rest(float x, int *k)
{
	float t = fma(x, 0x1.715476p+0f, F_TURN);
	float n = t - F_TURN;

	/* The subtraction is of unsigned numbers, because they may wrap. */
	*k = (int)(as_uint(t) - F_TURN_BITS);
	return fma(n, -0x1.7f7d1cp-20f, fma(n, -0x1.62e4p-1f, x));
}

/* Returns p such that e^r = 1 + r + r^2 p. */
FUNCTION float f_exp_terms(float r)
{
	float p = fma(r, 0x1.6db45ep-10f, 0x1.123b7ep-7f);

	p = fma(r, p, 0x1.55545ep-5f);
	p = fma(r, p, 0x1.55548ep-3f);
	return fma(r, p, 0.5f);
}

/* e^x = 2^k e^r, for x up to 89. */
FUNCTION float f_exp_below(float x)
{
	float r, p;
	int k;

	r = f_exp_rest(x, &k);
	p = fma(r * r, f_exp_terms(r), r) + 1.0f;
	p = f_times_power_of_2(p, k);
	/* Far below -104, k may be any number. */
	return x < -104.0f ? 0.0f : p;
}

FUNCTION float f_exp(float x)
{
	float v = f_exp_below(x);

	return x > 89.0f ? (float)INFINITY : v;
}

/* Returns f and sets *k such that x = 2^*k (1 + f) and sqrt(1/2) <= 1 + f <
   sqrt(2).  Both are undefined if x is negative, infinite or NaN. */
FUNCTION float f_log_rest(float x, float *k)
{
	int tiny = x < 0x1p-126f;
	uint bits = as_uint(tiny ? x * 0x1p23f : x);
	uint part = (bits - 0x3f3504f3u) & 0xff800000u; /* 2^23 k */

	*k = fma((float)(int)part, 0x1p-23f, tiny ? -23.0f : 0.0f);
	return as_float(bits - part) - 1.0f;
}

/* Returns t and sets *s such that ln(1 + f) = f + *s t. */
FUNCTION float f_log_terms(float f, float *s)
{
	float p;

	p = fma(f, 0x1.145ffep-4f, -0x1.de43c6p-4f);
	p = fma(f, p, 0x1.e6f1p-4f);
	p = fma(f, p, -0x1.fc20dep-4f);
	p = fma(f, p, 0x1.23374ap-3f);
	p = fma(f, p, -0x1.555c54p-3f);
	p = fma(f, p, 0x1.99a4b6p-3f);
	p = fma(f, p, -0x1.000006p-2f);
	p = fma(f, p, 0x1.555548p-2f);
	*s = f * f;
	return fma(f, p, -0.5f);
}

/* Does the same as f_log_rest(), but in PTX x must not be subnormal:
   f_log_of_any() treats subnormal numbers. */
FUNCTION float f_log_begin(float x, float *k)
{
#ifdef DPR_PTX
	uint part = (as_uint(x) - 0x3f3504f3u) & 0xff800000u;

	*k = (float)(int)part * 0x1p-23f;
	return as_float(as_uint(x) - part) - 1.0f;
#else
	return f_log_rest(x, k);
#endif
}

/* The logarithm of x.  This is @result if x is above 0, finite and, in PTX, not
   subnormal.  Infinity gives infinity; negative numbers and NaN give NaN.
   @unit is the logarithm of 2. */
FUNCTION float f_log_of_any(float x, float result, float unit)
{
#ifdef DPR_PTX
	/* For all other numbers NVIDIA's approximate logarithm is precise
	   enough: the logarithms of subnormal numbers are large, below -126
	   units. */
	return as_uint(x) - 0x800000u >= 0x7f000000u ?
		fma(__nvvm_lg2_approx_ftz_f(x * 0x1p127f), unit,
			-127.0f * unit) :
		result;
#else
	(void)unit;
	result = as_uint(x) - 1u >= 0x7f7fffffu ?
		fma(x, (float)INFINITY, (float)INFINITY) : result;
	return x == 0.0f ? -(float)INFINITY : result;
#endif
}

/* ln x = k ln 2 + ln(1 + f). */
FUNCTION float f_log(float x)
{
	float k, f = f_log_begin(x, &k);
	float s, t = f_log_terms(f, &s);

	return f_log_of_any(x, fma(k, 0x1.62e430p-1f, fma(s, t, f)),
		0x1.62e430p-1f);
}

/* Let z = r^2, for r in [-pi/4, pi/4].  Then sin r = r + r z f_sin_part(z), and
   cos r = 1 - z / 2 + z^2 f_cos_part(z). */
FUNCTION float f_sin_part(float z)
{
	float s = fma(z, -0x1.994e8ep-13f, 0x1.110760p-7f);

	return fma(z, s, -0x1.555546p-3f);
}

FUNCTION float f_cos_part(float z)
{
	float c = fma(z, 0x1.9a0238p-16f, -0x1.6c0c8cp-10f);

	return fma(z, c, 0x1.55554ap-5f);
}

/* The sine of q pi/2 + r, for r in [-pi/4, pi/4].  This is the sine of r or, if
   q is odd, the cosine of r, perhaps with another sign.  Both are computed,
   because choosing each coefficient would take longer. */
FUNCTION float f_sin_turned(int q, float r)
{
	float z = r * r, s, c;

	s = fma(r * z, f_sin_part(z), r);
	c = fma(z * z, f_cos_part(z), fma(z, -0.5f, 1.0f));
	return as_float(as_uint(q & 1 ? c : s) ^ ((uint)(q & 2) << 30));
}

/* f_reduced() returns x - n pi/2, where pi/2 is a sum of three floats.  The
   difference is precise enough if |x| is below F_LARGE. */
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

	/* For small x the sine is x.  This choice keeps the sign of 0, too. */
	return fabs(x) < 0x1p-12f ? x : v;
}

FUNCTION float f_cos(float x)
{
	float t = fma(x, 0x1.45f306p-1f, F_TURN);

	return f_sin_turned(as_int(t) + 1, f_reduced(x, t - F_TURN));
}

/* Returns r such that |x| = q pi/2 + r + low, for any x.  The 24 bits of x are
   multiplied by the bits of 2/pi that decide the quadrant and the angle in the
   quadrant.  low is so small that, for sine and cosine, f(r + low) is f(r) +
   low f'(r).  @from is 0 or TURN_OF_2.  With TURN_OF_2, q pi/2 + r + low is |x|
   ln 2, and |x| must be at least 2^-7. */
FUNCTION float f_any_rest(float x, int from, int *q, float *low)
{
	uint bits = as_uint(x) & 0x7fffffffu;
	uint m = (bits & 0x7fffffu) | 0x800000u;
	int at = (int)(bits >> 23) - 150 - 2;
	ulong lowest, middle, fraction;
	long left;
	float v, high, low_part;

	*q = 0;
	*low = 0.0f;
	if (bits >= 0x7f800000u)
		return x - x;
	if (at < -32) /* x is below 2^-7 */
		return fabs(x);
	at += from;
	lowest = (ulong)m * f_two_over_pi(at + 64);
	middle = (ulong)m * f_two_over_pi(at + 32) + (lowest >> 32);
	fraction = ((ulong)(m * f_two_over_pi(at)) << 32) + middle;
	*q = (int)((fraction + (1ul << 61)) >> 62);
	left = (long)(fraction << 2) >> 1;
	high = (float)left;
	v = high * 0x1.921fb6p-63f;
	low_part = fma(high, 0x1.921fb6p-63f, -v);
	low_part = fma(high, -0x1.777a5cp-88f, low_part);
	*low = fma((float)(left - (long)high), 0x1.921fb6p-63f, low_part);
	return v;
}

/* sin(x + turn pi/2) for any x. */
FUNCTION float f_sin_any(float x, int turn)
{
	float low, v;
	int q;

	v = f_any_rest(x, 0, &q, &low);
	v = fma(f_sin_turned(q + turn + 1, v), low, f_sin_turned(q + turn, v));
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

/* Returns e^r - 1, for the r that f_exp_rest() would return.  Sets *k as
   f_exp_rest() does. */
FUNCTION float f_expm1_rest(float x, int *k)
{
	float r = f_exp_rest(x, k), p;

	p = fma(r, 0x1.6becp-10f, 0x1.122788p-7f);
	p = fma(r, p, 0x1.555674p-5f);
	p = fma(r, p, 0x1.5554bp-3f);
	p = fma(r, p, 0x1.fffffep-2f);
	return fma(r * r, p, r);
}

/* tanh |x| is m / (m + 2) with m = e^(2 |x|) - 1. */
FUNCTION float f_tanh(float x)
{
	float a = fabs(x);
	float v = 2.0f * (a > 10.0f ? 10.0f : a);
	float power, r, p, m, c, q;
	int k;

	p = f_expm1_rest(v, &k);
	power = f_power_of_2(k);
	m = fma(power, p, power - 1.0f);
#ifdef DPR_PTX
	c = __nvvm_rcp_approx_ftz_f(m + 2.0f);
#else
	c = 1.0f / (m + 2.0f);
#endif
	q = m * c;
	/* r is m - q (m + 2), without the rounding error of m + 2. */
	r = fma(-q, m, fma(-2.0f, q, m));
	return copysign(fma(r, c, q), x);
}

/* The arc tangent of t from 0 to 1. */
FUNCTION float f_atan_part(float t)
{
	float z = t * t, p;

	p = fma(z, 0x1.23f7f6p-10f, -0x1.df9586p-8f);
	p = fma(z, p, 0x1.714a4ep-6f);
	p = fma(z, p, -0x1.6e1928p-5f);
	p = fma(z, p, 0x1.14229cp-4f);
	p = fma(z, p, -0x1.68e6ecp-4f);
	p = fma(z, p, 0x1.c4f1dcp-4f);
	p = fma(z, p, -0x1.247374p-3f);
	p = fma(z, p, 0x1.9997e0p-3f);
	p = fma(z, p, -0x1.555552p-2f);
	return fma(t * z, p, t);
}

FUNCTION float f_atan(float x)
{
	float a = fabs(x), r = f_atan_part(a > 1.0f ? f_inverse(a) : a);

	/* pi/2 is a sum of two floats. */
	r = a > 1.0f ? 0x1.921fb6p+0f - (r + 0x1.777a5cp-25f) : r;
	return copysign(r, x);
}

/* atan2.  The angle of (a, b) in the first octant is the arc tangent of the
   quotient.  The other octants and the sign follow. */
FUNCTION float f_atan2(float y, float x)
{
	float a = fabs(y), b = fabs(x);
	float large = a < b ? b : a, small = a < b ? a : b;
	float t = small / (large == 0.0f ? 1.0f : large), r;

	t = a == b && a != 0.0f ? 1.0f : t;
	r = f_atan_part(t);
	r = a > b ? 0x1.921fb6p+0f - (r + 0x1.777a5cp-25f) : r;
	r = as_int(x) < 0 ? 0x1.921fb6p+1f - (r + 0x1.777a5cp-24f) : r;
	return copysign(r, y);
}

/* 1 / (2 + f), for sqrt(1/2) <= 1 + f < sqrt(2). */
FUNCTION float f_log2_inverse(float f)
{
#ifdef DPR_PTX
	return __nvvm_rcp_approx_ftz_f(2.0f + f);
#else
	float inverse, rest;

	/* The polynomial gives the inverse to 10 bits.  The last line gives all
	   bits. */
	inverse = fma(f, 0x1.dea77ep-4f, -0x1.051c38p-2f);
	inverse = fma(f, inverse, 0x1.0029d8p-1f);
	rest = fma(-(2.0f + f), inverse, 1.0f);
	return fma(inverse, fma(rest, rest, rest), inverse);
#endif
}

/*
 * log2 of x >= 0 as a sum of two floats: returns the larger one.  Let x = 2^k
 * (1 + f) and s = f / (2 + f).  Then the logarithm is k + s t, where t is (2 +
 * 2/3 s^2 + s^4 R(s^2)) / ln 2.  In a pair of variables such as s and s2, the
 * second is the low part of the first.
 */
FUNCTION float f_log2_parts(float x, float *low)
{
	float k, f = f_log_rest(x, &k);
	float inverse = f_log2_inverse(f), s = f * inverse;
	float s2, z, z2, c, c2, t, t2, p;

	s2 = fma(-s, f, fma(-2.0f, s, f)) * inverse;
	z = s * s;
	z2 = fma(s + s, s2, fma(s, s, -z));
	p = fma(z, 0x1.1f9c58p-2f, 0x1.47be3cp-2f);
	p = fma(z, p, 0x1.a61912p-2f);
	p = fma(z, p, 0x1.2776c4p-1f);
	/* Here c + c2 is the term 2/3 s^2 / ln 2 of t.  t2 gets c2 and the
	   terms after this term.  At the end c + c2 is s t. */
	c = z * 0x1.ec709ep-1f;
	c2 = fma(z2, 0x1.ec709ep-1f, fma(z, 0x1.ec709ep-1f, -c));
	p = fma(z, fma(z, p, -0x1.e2fe02p-28f), 0x1.4ae0c0p-25f);
	t = 0x1.715476p+1f + c;
	t2 = (c - (t - 0x1.715476p+1f)) + (c2 + p);
	c = s * t;
	c2 = fma(s2, t, fma(s, t2, fma(s, t, -c)));
	t = k + c;
	*low = (c - (t - k)) + c2;
	return t;
}

/* Returns v.  If @is_odd is set, the result has the sign of x.  v must not be
   negative. */
FUNCTION float f_turned(float v, float x, int is_odd)
{
	return as_float(as_uint(v) | (is_odd ? as_uint(x) & 0x80000000u : 0u));
}

/* (2^r - 1) / r for |r| <= 1/2, as a sum of two floats: returns the larger one. */
FUNCTION float f_exp2_slope(float r, float *low)
{
	const float ln2 = 0x1.62e430p-1f;
	float p = fma(r, 0x1.41fbbap-13f, 0x1.5f3e54p-10f), v;

	p = fma(r, p, 0x1.3b2d4cp-7f);
	p = fma(r, p, 0x1.c6aee8p-5f);
	p = fma(r, p, 0x1.ebfbdcp-3f);
	v = fma(r, p, ln2);
	*low = fma(r, p, ln2 - v) - 0x1.05c610p-29f;
	return v;
}

/* 2^(high + low).  If |high| exceeds 160, the result is infinity or 0 for any
   @low.  The comparisons are written so that NaN stays NaN.  For each
   comparison with its choice, a CPU then needs one instruction. */
FUNCTION float f_exp2(float high, float low)
{
	float r = fabs(high) < 160.0f ? low : 0.0f;
	float less = 160.0f < high ? 160.0f : high;
	float v = -160.0f > less ? -160.0f : less;
	float t = v + F_TURN, slope2;

	r += v - (t - F_TURN);
	return f_times_power_of_2(fma(r, f_exp2_slope(r, &slope2), 1.0f),
		(int)(as_uint(t) - F_TURN_BITS));
}

/* sqrt(x^2 + y^2).  The smaller operand is divided by the larger, so that
   squares neither overflow nor vanish. */
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
/* The same functions for double.  Comments are repeated only where they differ.
   Integers have 64 bits.  CPUs without AVX-512 have two shifts for vectors of
   64-bit integers: to the left, and to the right for unsigned numbers.  So the
   functions use only these two shifts. */
#define D_TURN 0x1.8p52
#define D_TURN_BITS 0x4338000000000000ul

#ifdef DPR_PTX
#undef copysign
#define copysign(v, x) f_signed((v), (x))
FUNCTION double f_signed(double v, double x)
{
	return as_double((as_ulong(v) & 0x7ffffffffffffffful) |
			 (as_ulong(x) & 0x8000000000000000ul));
}
#endif

FUNCTION double f_inverse(double y)
{
#ifdef DPR_PTX
	double inverse = __nvvm_rcp_approx_ftz_d(y);
	double rest = fma(-y, inverse, 1.0);

	return fma(inverse, fma(rest, rest, rest), inverse);
#else
	return 1.0 / y;
#endif
}

/* In PTX, x must be 0, or from 2^-90 to 2^126. */
FUNCTION double f_root(double x)
{
#ifdef DPR_PTX
	double inverse = __nvvm_rsqrt_approx_ftz_f((float)x + 0x1p-100f);
	double root = x * inverse, h = 0.5 * inverse;
	double rest = fma(-root, h, 0.5);

	/* The next two lines double the number of correct bits.  The last line
	   gives all bits. */
	root = fma(root, rest, root);
	h = fma(h, rest, h);
	return fma(fma(-root, root, x), h, root);
#else
	return sqrt(x);
#endif
}

FUNCTION double f_root_near(double x)
{
	return f_root(x);
}

FUNCTION double f_rsqrt(double x)
{
	return 1.0 / sqrt(x);
}

/* x / y, for y from 2^-964 to 2^978 and x that is not larger than y.  NVIDIA's
   division also computes in this way, but has a branch for other numbers.  If x
   is subnormal, the two may round differently. */
FUNCTION double f_quotient(double x, double y)
{
#ifdef DPR_PTX
	double inverse = f_inverse(y), q;

	inverse = fma(inverse, fma(-y, inverse, 1.0), inverse);
	q = x * inverse;
	return fma(inverse, fma(-y, q, x), q);
#else
	return x / y;
#endif
}

/* 2^k as a double, for k from -1022 to 1023. */
FUNCTION double f_power_of_2(ulong k)
{
	return as_double((k + 1023ul) << 52);
}

/* Does the same as f_times_power_of_2() for float, for k from -2044 to 2046. */
FUNCTION double f_times_power_of_2(double v, ulong k)
{
	ulong half_k = ((k + 4096ul) >> 1) - 2048ul;

	return v * f_power_of_2(half_k) * f_power_of_2(k - half_k);
}

FUNCTION double f_exp_rest(double x, ulong *k)
{
	double t = fma(x, 0x1.71547652b82fep+0, D_TURN);
	double n = t - D_TURN;

	*k = as_ulong(t) - D_TURN_BITS;
	return fma(n, -0x1.abc9e3b39803fp-56,
		fma(n, -0x1.62e42fefa39efp-1, x));
}

FUNCTION double f_exp_terms(double r)
{
	double p = fma(r, 0x1.ad23bd948cb7bp-26, 0x1.289f6672ea9b7p-22);

	p = fma(r, p, 0x1.71df52f9722aap-19);
	p = fma(r, p, 0x1.a019ab51ee655p-16);
	p = fma(r, p, 0x1.a01a011d28e7bp-13);
	p = fma(r, p, 0x1.6c16c17cb7974p-10);
	p = fma(r, p, 0x1.1111111128568p-7);
	p = fma(r, p, 0x1.555555555322ap-5);
	p = fma(r, p, 0x1.5555555555502p-3);
	return fma(r, p, 0.5);
}

FUNCTION double f_exp_below(double x)
{
	double r, p;
	ulong k;

	r = f_exp_rest(x < -746.0 ? -746.0 : x, &k);
	p = fma(r * r, f_exp_terms(r), r) + 1.0;
	return f_times_power_of_2(p, k);
}

FUNCTION double f_exp(double x)
{
	return f_exp_below(x > 710.0 ? 710.0 : x);
}

/* 0x3fe6a09e00000000 is sqrt(1/2) cut to 32 bits, so that the low bits need no
   arithmetic. */
FUNCTION double f_log_rest(double x, double *k)
{
	int tiny = x < 0x1p-1022;
	ulong bits = as_ulong(tiny ? x * 0x1p54 : x) -
		(0x3fe6a09e00000000ul - 0x3ff0000000000000ul);

	/* as_double() gives 2^52 + 1023 + k, so that no integer has to be
	   converted.  If x is tiny, it gives 2^52 + 1077 + k. */
	*k = as_double((bits >> 52) | 0x4330000000000000ul) -
		(tiny ? 0x1p52 + 1077.0 : 0x1p52 + 1023.0);
	return as_double((bits & 0x000ffffffffffffful) + 0x3fe6a09e00000000ul) -
		1.0;
}

/* With v = f / (2 + f), ln(1 + f) = 2 atanh v = f - v (f - v^2 P(v^2)). */
FUNCTION double f_log_terms(double f, double *s)
{
	double v = f_quotient(f, 2.0 + f), z = v * v;
	double p;

	p = fma(z, 0x1.2f00ff86bca73p-3, 0x1.39a2300767789p-3);
	p = fma(z, p, 0x1.74663a23c2fb8p-3);
	p = fma(z, p, 0x1.c71c522197aafp-3);
	p = fma(z, p, 0x1.24924941d27d8p-2);
	p = fma(z, p, 0x1.999999997ffddp-2);
	p = fma(z, p, 0x1.5555555555592p-1);
	*s = -v;
	return fma(-z, p, f);
}

FUNCTION double f_log_begin(double x, double *k)
{
	return f_log_rest(x, k);
}

FUNCTION double f_log_of_any(double x, double result, double unit)
{
	(void)unit;
	result = x > 0.0 && x < (double)INFINITY ?
		result :
		fma(x, (double)INFINITY, (double)INFINITY);
	return x == 0.0 ? -(double)INFINITY : result;
}

FUNCTION double f_log(double x)
{
	double k, f = f_log_begin(x, &k);
	double s, t = f_log_terms(f, &s), p = fma(s, t, f);

	p = fma(k, 0x1.62e42fefa39efp-1, fma(k, 0x1.abc9e3b39803fp-56, p));
	return f_log_of_any(x, p, 0x1.62e42fefa39efp-1);
}

FUNCTION double f_sin_part(double z)
{
	double s = fma(z, 0x1.5d8da6d231184p-33, -0x1.ae5e5275e41a6p-26);

	s = fma(z, s, 0x1.71de355c789ffp-19);
	s = fma(z, s, -0x1.a01a019bef5e5p-13);
	s = fma(z, s, 0x1.111111110f74cp-7);
	return fma(z, s, -0x1.5555555555548p-3);
}

FUNCTION double f_cos_part(double z)
{
	double c = fma(z, -0x1.8fa69f951c95ep-37, 0x1.1ee9dc07d1a6ep-29);

	c = fma(z, c, -0x1.27e4f7f1e6cd7p-22);
	c = fma(z, c, 0x1.a01a019c8f918p-16);
	c = fma(z, c, -0x1.6c16c16c15018p-10);
	return fma(z, c, 0x1.555555555554bp-5);
}

FUNCTION double f_sin_turned(ulong q, double r)
{
	double z = r * r, s, c;

	s = fma(r * z, f_sin_part(z), r);
	c = fma(z * z, f_cos_part(z), fma(z, -0.5, 1.0));
	return as_double(as_ulong(q & 1ul ? c : s) ^ ((q & 2ul) << 62));
}

/* Every double x differs from every n pi/2 by more than 2^-61, unless both are
   0.  So for |x| below D_LARGE three parts of pi/2 are precise enough, and the
   subtraction of n times the first part is exact. */
#define D_LARGE 0x1p40

FUNCTION int f_is_large(double x)
{
	return !(fabs(x) < D_LARGE);
}

FUNCTION double f_reduced(double x, double n)
{
	double r = fma(n, -0x1.921fb54442d18p+0, x);

	r = fma(n, -0x1.1a62633145c07p-54, r);
	return fma(n, 0x1.f1976b7ed8fbcp-110, r);
}

FUNCTION double f_sin(double x)
{
	double t = fma(x, 0x1.45f306dc9c883p-1, D_TURN);
	double v = f_sin_turned(as_ulong(t), f_reduced(x, t - D_TURN));

	return fabs(x) < 0x1p-27 ? x : v;
}

FUNCTION double f_cos(double x)
{
	double t = fma(x, 0x1.45f306dc9c883p-1, D_TURN);

	return f_sin_turned(as_ulong(t) + 1ul, f_reduced(x, t - D_TURN));
}

/* 64 bits of 2/pi, beginning @at bits after the binary point. */
FUNCTION ulong f_two_over_pi_long(int at)
{
	return (ulong)f_two_over_pi(at) << 32 | f_two_over_pi(at + 32);
}

/* The upper half of a product. */
FUNCTION ulong f_product_high(ulong a, ulong b)
{
	ulong a1 = a >> 32, b1 = b >> 32;
	ulong a0 = a & 0xfffffffful, b0 = b & 0xfffffffful;
	ulong middle = a1 * b0 + ((a0 * b0) >> 32);
	ulong low = a0 * b1 + (middle & 0xfffffffful);

	return a1 * b1 + (middle >> 32) + (low >> 32);
}

/* Does the same as f_any_rest() for float: the 53 bits of x are multiplied by
   192 bits of 2/pi.  |x| must be at least 2^24. */
FUNCTION double f_any_rest(double x, int from, ulong *q, double *low)
{
	ulong bits = as_ulong(x) & 0x7ffffffffffffffful;
	ulong m = (bits & 0x000ffffffffffffful) | 0x0010000000000000ul;
	int at = (int)(bits >> 52) - 1075 - 2 + from;
	ulong fraction, rest, carry;
	long left;
	double v, high;

	*q = 0;
	*low = 0.0;
	if (bits >= 0x7ff0000000000000ul)
		return x - x;
	rest = m * f_two_over_pi_long(at + 64);
	fraction = rest + f_product_high(m, f_two_over_pi_long(at + 128));
	carry = fraction < rest;
	rest = fraction;
	fraction = m * f_two_over_pi_long(at) +
		f_product_high(m, f_two_over_pi_long(at + 64)) + carry;
	*q = (fraction + (1ul << 61)) >> 62;
	fraction = fraction << 2 | rest >> 62;
	left = (long)fraction >> 1;
	rest = (fraction & 1ul) << 63 | (rest << 2) >> 1;
	high = (double)left;
	*low = fma((double)rest, 0x1p-64, (double)(left - (long)high));
	v = high * 0x1.921fb54442d18p-63;
	*low = fma(*low, 0x1.921fb54442d18p-63,
		fma(high, 0x1.1a62633145c07p-117,
			fma(high, 0x1.921fb54442d18p-63, -v)));
	return v;
}

FUNCTION double f_sin_any(double x, ulong turn)
{
	double low, v;
	ulong q;

	v = f_any_rest(x, 0, &q, &low);
	v = fma(f_sin_turned(q + turn + 1ul, v), low,
		f_sin_turned(q + turn, v));
	return (x < 0.0 && !(turn & 1ul)) ? -v : v;
}

FUNCTION double f_sin_large(double x)
{
	return f_is_large(x) ? f_sin_any(x, 0) : f_sin(x);
}

FUNCTION double f_cos_large(double x)
{
	return f_is_large(x) ? f_sin_any(x, 1) : f_cos(x);
}

/* Does the same as f_expm1_rest() for float, but r has a low part, because e^x
   - 1 can be less than r. */
FUNCTION double f_expm1_rest(double x, ulong *k)
{
	double t = fma(x, 0x1.71547652b82fep+0, D_TURN), n = t - D_TURN;
	double high = fma(n, -0x1.62e42fefa39efp-1, x);
	double r = fma(n, -0x1.abc9e3b39803fp-56, high);
	double low = fma(n, -0x1.abc9e3b39803fp-56, high - r);
	double p;

	*k = as_ulong(t) - D_TURN_BITS;
	p = fma(r, 0x1.1f306fce6fc9fp-29, 0x1.af5ced3a45b68p-26);
	p = fma(r, p, 0x1.27e4fe2e0f083p-22);
	p = fma(r, p, 0x1.71ddf94d071e5p-19);
	p = fma(r, p, 0x1.a01a019c02efbp-16);
	p = fma(r, p, 0x1.a01a01af91febp-13);
	p = fma(r, p, 0x1.6c16c16c16d37p-10);
	p = fma(r, p, 0x1.111111110f725p-7);
	p = fma(r, p, 0x1.5555555555559p-5);
	p = fma(r, p, 0x1.5555555555559p-3);
	p = fma(r, p, 0.5);
	return fma(r * r, p, low) + r;
}

FUNCTION double f_tanh(double x)
{
	double a = fabs(x);
	double v = 2.0 * (a > 20.0 ? 20.0 : a);
	double power, p, r, m, c, q;
	ulong k;

	p = f_expm1_rest(v, &k);
	power = f_power_of_2(k);
	m = fma(power, p, power - 1.0);
	c = f_quotient(1.0, m + 2.0);
	q = m * c;
	r = fma(-q, m, fma(-2.0, q, m));
	return copysign(fma(r, c, q), x);
}

/* small / large, for 0 <= small <= large.  For two zeros or two infinities the
   result may be anything. */
FUNCTION double f_ratio(double small, double large)
{
#ifdef DPR_PTX
	int power = (int)(as_ulong(large) >> 52);
	double scale = power > 2000 ? 0x1p-60 : power < 60 ? 0x1p60 : 1.0;
	double v = f_quotient(small * scale, large * scale);

	/* If `small` is NaN, small * 0.0 is NaN, too. */
	return large == (double)INFINITY ? small * 0.0 : v;
#else
	return small / large;
#endif
}

FUNCTION double f_atan_part(double t)
{
	double z, w, p, q, r;

	z = t * t;
	/* p is the upper half of the polynomial, and q the lower half.  The
	   lines for p and for q alternate. */
	p = fma(z, 0x1.bb5a9d5e3cf17p-17, -0x1.3ed8a36dbe828p-13);
	q = fma(z, -0x1.ae5dde54704f1p-5, 0x1.e1bb82a3d0123p-5);
	p = fma(z, p, 0x1.b38c384cf8f22p-11);
	q = fma(z, q, -0x1.110e4de428291p-4);
	p = fma(z, p, -0x1.79e95c51133acp-9);
	q = fma(z, q, 0x1.3b13662a111bap-4);
	p = fma(z, p, 0x1.d7690c26a903fp-8);
	q = fma(z, q, -0x1.745d11a3c9532p-4);
	p = fma(z, p, -0x1.c7557bd8542a4p-7);
	q = fma(z, q, 0x1.c71c717f21a85p-4);
	p = fma(z, p, 0x1.681cc25d37103p-6);
	q = fma(z, q, -0x1.249249237bfa9p-3);
	p = fma(z, p, -0x1.e9def8fb0b434p-6);
	q = fma(z, q, 0x1.99999999954a1p-3);
	p = fma(z, p, 0x1.2c2572bce25bcp-5);
	q = fma(z, q, -0x1.5555555555525p-2);
	p = fma(z, p, -0x1.599f67941db7ep-5);
	p = fma(z, p, 0x1.82d8fdf96aa48p-5);
	w = z * z;
	r = w * w;
	p = fma(r * r * z, p, q);
	return fma(t * z, p, t);
}

FUNCTION double f_atan(double x)
{
	double a = fabs(x);
	double v = f_quotient(1.0, a > 0x1p900 ? 0x1p900 : a);
	double r = f_atan_part(a > 1.0 ? v : a);

	r = a > 1.0 ? 0x1.921fb54442d18p+0 - (r - 0x1.1a62633145c07p-54) : r;
	return copysign(r, x);
}

FUNCTION double f_atan2(double y, double x)
{
	double a = fabs(y), b = fabs(x);
	double large = a < b ? b : a, small = a < b ? a : b;
	double t = f_ratio(small, large), r;

	t = a == b ? (a == 0.0 ? 0.0 : 1.0) : t;
	r = f_atan_part(t);
	r = a > b ? 0x1.921fb54442d18p+0 - (r - 0x1.1a62633145c07p-54) : r;
	r = as_long(x) < 0 ?
		0x1.921fb54442d18p+1 - (r - 0x1.1a62633145c07p-53) :
		r;
	return copysign(r, y);
}

/* Does the same as f_log2_parts() for float, but the terms of t after 2/3 s^2
   are a sum of two doubles, too. */
FUNCTION double f_log2_parts(double x, double *low)
{
	double k, f = f_log_rest(x, &k);
	double inverse = f_quotient(1.0, 2.0 + f), s = f * inverse;
	double s2, z, z2, w, c, c2, t, t2, p;

	s2 = fma(-s, f, fma(-2.0, s, f)) * inverse;
	z = s * s;
	z2 = fma(s + s, s2, fma(s, s, -z));
	w = z * z;
	p = fma(w, 0x1.831a9d2c0c312p-3, 0x1.c69bb883a697dp-3);
	t = fma(w, 0x1.880380222519ap-3, 0x1.0c9a6f65babe7p-2);
	p = fma(w, p, 0x1.484b13fc60362p-2);
	t = fma(w, t, 0x1.a61762a7954b6p-2);
	p = fma(w, p, 0x1.2776c50ef9bfep-1);
	p = fma(z, t, p);
	/* Here t is z p.  Then c + c2 becomes 2 / (3 ln 2) + z p, and t becomes
	   2 / ln 2 + z (c + c2). */
	t = z * p;
	c = 0x1.ec709dc3a03fdp-1 + t;
	c2 = ((0x1.ec709dc3a03fdp-1 - c) + t) +
		(fma(z, p, -t) + 0x1.d27f05548af0cp-55);
	p = z * c;
	c2 = fma(z2, c, fma(z, c2, fma(z, c, -p)));
	t = 0x1.71547652b82fep+1 + p;
	t2 = (p - (t - 0x1.71547652b82fep+1)) + (c2 + 0x1.777d0ffda0d24p-55);
	c = s * t;
	c2 = fma(s2, t, fma(s, t2, fma(s, t, -c)));
	t = k + c;
	*low = (c - (t - k)) + c2;
	return t;
}

FUNCTION double f_turned(double v, double x, int is_odd)
{
	return as_double(as_ulong(v) |
		(is_odd ? as_ulong(x) & 0x8000000000000000ul : 0ul));
}

FUNCTION double f_exp2_slope(double r, double *low)
{
	const double ln2 = 0x1.62e42fefa39efp-1;
	double w = r * r, p, q, s, v;

	p = fma(w, 0x1.e80d501ae9e8ap-32, 0x1.b5260f0668235p-24);
	q = fma(w, 0x1.e611bcfbf3994p-28, 0x1.62bfcdd13b9c1p-20);
	p = fma(w, p, 0x1.ffcbfbf7ed0b8p-17);
	q = fma(w, q, 0x1.4309130c0460fp-13);
	p = fma(w, p, 0x1.5d87fe78b3eecp-10);
	q = fma(w, q, 0x1.3b2ab6fba11f2p-7);
	p = fma(w, p, 0x1.c6b08d704a0d3p-5);
	q = fma(w, q, 0x1.ebfbdff82c59cp-3);
	s = fma(w, p, ln2);
	v = fma(r, q, s);
	*low = fma(w, p, ln2 - s) + fma(r, q, s - v) + 0x1.abc9e3b39803fp-56;
	return v;
}

FUNCTION double f_exp2(double high, double low)
{
	double r = fabs(high) < 1100.0 ? low : 0.0;
	double less = 1100.0 < high ? 1100.0 : high;
	double v = -1100.0 > less ? -1100.0 : less;
	double t = v + D_TURN, slope2;

	r += v - (t - D_TURN);
	return f_times_power_of_2(fma(r, f_exp2_slope(r, &slope2), 1.0),
		as_ulong(t) - D_TURN_BITS);
}

/* sqrt(x^2 + y^2).  If a square could overflow or vanish, x and y are scaled by
   a power of 2. */
FUNCTION double f_hypot(double x, double y)
{
	double a = fabs(x), b = fabs(y), large = a < b ? b : a;
	int is_huge = large > 0x1p500, is_tiny = large < 0x1p-500;
	double scale = is_tiny ? 0x1p600 : is_huge ? 0x1p-600 : 1.0;
	double back = is_tiny ? 0x1p-600 : is_huge ? 0x1p600 : 1.0;
	double small = (a < b ? a : b) * scale, v;

	large *= scale;
	v = sqrt(fma(large, large, small * small)) * back;
	return (a == (double)INFINITY) | (b == (double)INFINITY) ?
		(double)INFINITY :
		v;
}
#endif

/* float16, bfloat16 and float32 are all computed in float. */
#if KIND_F && (ITEM == 8) == HAS_DOUBLE && (HAS_DOUBLE || !defined(MATH_REAL))
#if !HAS_DOUBLE
#define MATH_REAL
#endif
FUNCTION C f_sign(C x)
{
	C v = (C)((x > (C)0) - (x < (C)0));

	return x != x ? x : v;
}

/*
 * x^y = 2^(y log2 x).  The logarithm has two parts, because y multiplies its
 * error.  If |x| is 1 or y is 0, the product y log2 x must be 0, even if the
 * other factor is infinity or NaN.  But -1 to the power of NaN is NaN, because
 * NaN is not whole.
 */
#undef F_POW_BRANCHES
#if defined(DPR_PTX) && !HAS_DOUBLE
#define F_POW_BRANCHES 1
#else
#define F_POW_BRANCHES 0
#endif

/* x^y, where @v is |x|^y. */
FUNCTION C f_pow_signed(C x, C y, C v)
{
	C half_y = (C)0.5 * y;
	int is_odd = fabs(half_y - rint(half_y)) == (C)0.5;

	v = f_turned(v, x, is_odd);
	return (x < (C)0) & (x != -(C)INFINITY) & (rint(y) != y) ? (C)NAN : v;
}

#if F_POW_BRANCHES
/* x^y, where @v is |x|^y if x is neither 0 nor infinite, and y is finite.  For
   all other numbers only the sign of the logarithm matters. */
FUNCTION C f_pow_special(C x, C y, C v)
{
	C size = fabs(x), log = size < (C)INFINITY ? size - (C)1 : size, t;

	log = size == (C)0 ? -(C)INFINITY : log;
	log = y == (C)0 ? (C)0 : log;
	t = (size == (C)1 ? (C)0 : y) * log;
	t = t > (C)0 ? (C)INFINITY : t < (C)0 ? (C)0 : t == (C)0 ? (C)1 : t;
	v = (size > (C)0) & (size < (C)INFINITY) & (fabs(y) < (C)INFINITY) ? v
									   : t;
	return f_pow_signed(x, y, v);
}
#endif

FUNCTION C f_pow(C x, C y)
{
	C size = fabs(x), power = y, low, log = f_log2_parts(size, &low), v, t;

#if !F_POW_BRANCHES
	/* The logarithm is 0 only if the size is 1.  gcc 13 would make branches of
	   comparisons of the size if 1 was among the numbers, and does not
	   vectorise branches. */
	power = log == (C)0 ? (C)0 : y;
	log = size == (C)0 ? -(C)INFINITY : log;
	log = size < (C)INFINITY ? log : size;
	log = y == (C)0 ? (C)0 : log;
#endif
	t = power * log;
	v = f_exp2(t, fma(power, low, fma(power, log, -t)));
#if F_POW_BRANCHES
	if (!((x > (C)0) & (x < (C)INFINITY) & (fabs(y) < (C)INFINITY)))
		v = f_pow_special(x, y, v);
	return v;
#else
	return f_pow_signed(x, y, v);
#endif
}

/*
 * floor_divide and remainder, without fmod(), which no compiler vectorises.  If
 * the quotient is small, n = rint(x / y) is less than 1 away from the exact
 * quotient, even if the division is not correctly rounded.  Then x - n y is
 * exact, and its sign shows whether n is above the quotient.
 */
#undef F_QUOTIENT
#undef F_DIVIDE
#undef F_ALL_WHOLE
#if HAS_DOUBLE && defined(DPR_PTX)
#define F_DIVIDE(x, y) f_quotient(x, y)
#else
#define F_DIVIDE(x, y) ((x) / (y))
#endif
#if HAS_DOUBLE
#define F_QUOTIENT 0x1p48
#define F_ALL_WHOLE 0x1p53
#else
#define F_QUOTIENT 0x1p19f
#define F_ALL_WHOLE 0x1p24f
#endif

FUNCTION int f_quotient_is_large(C x, C y)
{
	/* The result is also true if x or y is infinite or NaN, or y is 0. */
	return !(fabs(x) < F_QUOTIENT * fabs(y)) | (fabs(y) == (C)INFINITY);
}

/* Whether f_floor_divide() and f_remainder() may be wrong. */
FUNCTION int f_quotient_is_hard(C x, C y)
{
#if HAS_DOUBLE && defined(DPR_PTX)
	C size = fabs(y);

	return !(fabs(x) < F_QUOTIENT * size) | !(size > 0x1p-900) |
	       (size > 0x1p900);
#else
	return f_quotient_is_large(x, y);
#endif
}

/* Whether @left, which is x - n y, has another sign than y. */
FUNCTION int f_is_below(C left, C y)
{
	return ((left < (C)0) != (y < (C)0)) & (left != (C)0);
}

FUNCTION C f_floor_of(C quotient, C x, C y)
{
	C n = rint(quotient), left = fma(-n, y, x);

	n = f_is_below(left, y) ? n - (C)1 : n;
	/* An approximate quotient of 0 may have lost its sign. */
	return n == (C)0 ? copysign((C)0, x * y) : n;
}

FUNCTION C f_floor_divide(C x, C y)
{
	return f_floor_of(F_DIVIDE(x, y), x, y);
}

FUNCTION C f_remainder_of(C quotient, C x, C y)
{
	C left = fma(-rint(quotient), y, x);

	left = f_is_below(left, y) ? left + y : left;
	return left == (C)0 ? copysign((C)0, y) : left;
}

FUNCTION C f_remainder(C x, C y)
{
	return f_remainder_of(F_DIVIDE(x, y), x, y);
}

/* f_floor_divide_any() and f_remainder_any() are right for any x and y.  The
   shorter functions above may be wrong where f_quotient_is_hard() is true. */
FUNCTION C f_floor_divide_any(C x, C y)
{
	C quotient = x / y, unit = F_QUOTIENT * y, n;

	if (!f_quotient_is_large(x, y))
		return f_floor_of(quotient, x, y);
	if (fabs(y) == (C)INFINITY && fabs(x) < (C)INFINITY)
		return f_is_below(x, y) ? (C)-1 : copysign((C)0, quotient);
	/* A quotient of F_ALL_WHOLE or more is whole, infinite or NaN. */
	if (!(fabs(quotient) < F_ALL_WHOLE))
		return quotient;
	n = rint(x / unit);
	x = fma(-n, unit, x);
	return fma(n, F_QUOTIENT, f_floor_of(x / y, x, y));
}

FUNCTION C f_remainder_any(C x, C y)
{
	const C size = fabs(y);
	C unit = size;

	if (!(fabs(x) < (C)INFINITY) | !(size > (C)0))
		return (C)NAN;
	if (size == (C)INFINITY)
		return f_is_below(x, y) ? y : x == (C)0 ? copysign(x, y) : x;
	/* Subtract multiples of smaller and smaller units, exactly. */
	while (unit * F_QUOTIENT <= fabs(x))
		unit *= F_QUOTIENT;
	for (; unit > size; unit *= (C)1 / F_QUOTIENT)
		x = fma(-rint(x / unit), unit, x);
	return f_remainder_of(x / y, x, y);
}
#endif
