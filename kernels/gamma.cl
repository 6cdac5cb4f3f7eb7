/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gamma.cl - the gamma function and its logarithm.  The functions of math.cl
 * and the macros of elementary.cl must come before this text.
 *
 * From 4 on, Stirling's series has few terms.  Smaller arguments are brought
 * there, or to an interval around 2, by gamma(x + 1) = x gamma(x).  In a pair
 * of variables such as v and v2, the second is the low part of the first.
 */
#ifdef ELEMENTARY_NOW
/* For y >= 4 and w = 1 / y, ln gamma(y) = (y - 1/2) (ln y - 1) + R_STIRLING + w
   f_stirling(w w).  The error of the last term is at most 2^-30 for float and
   2^-58 for double. */
#undef R_STIRLING
#define R_STIRLING R_OF(0x1.acfe3ap-2f, 0x1.acfe390c97d6ap-2)
#undef R_LGAMMA_SLOPE
#undef R_EULER
#define R_LGAMMA_SLOPE R_OF(0x1.b0ee60p-2f, 0x1.b0ee6072093cep-2)
#define R_EULER R_OF(0x1.2788d0p-1f, 0x1.2788cfc6fb619p-1)
#if HAS_DOUBLE
/* ln 2 as a sum: the first number has 42 bits. */
#define D_LN2_42 0x1.62e42fefa38p-1
#define D_LN2_REST 0x1.ef35793c7673p-45
FUNCTION double f_stirling(double z)
{
	double p = fma(z, 0x1.1b3c39e253bdap-5, -0x1.258fb23f59835p-6);

	p = fma(z, p, 0x1.7a7ff605bd473p-8);
	p = fma(z, p, -0x1.f0bf4f5889cb6p-10);
	p = fma(z, p, 0x1.b90db4df17032p-11);
	p = fma(z, p, -0x1.381295121b02fp-11);
	p = fma(z, p, 0x1.a019ffdf1bff9p-11);
	p = fma(z, p, -0x1.6c16c16bb509cp-9);
	return fma(z, p, 0x1.5555555555549p-4);
}

/* Returns P such that ln gamma(2 + e) = e (1 + e) (R_LGAMMA_SLOPE + e P), for e
   from -3/4 to 1/4.  The relative error of the logarithm is at most 2^-25 for
   float and 2^-54 for double. */
FUNCTION double f_lgamma_part(double e)
{
	/* p is the polynomial of the even powers of e, q that of the odd
	   powers.  The lines for p and for q alternate. */
	double z = e * e, p, q;

	p = fma(z, 0x1.10e15753ce505p-18, 0x1.8f0878a31db61p-19);
	q = fma(z, 0x1.9467b747c07cbp-20, 0x1.981e657ada391p-18);
	p = fma(z, p, -0x1.19533ec8a5ef9p-18);
	q = fma(z, q, 0x1.7458fefb27bcfp-19);
	p = fma(z, p, -0x1.28fdda37ae98ap-16);
	q = fma(z, q, 0x1.0a252b0ac66acp-17);
	p = fma(z, p, -0x1.5c7fe854d8010p-14);
	q = fma(z, q, 0x1.4058e66449083p-15);
	p = fma(z, p, -0x1.a96a5562d16c8p-12);
	q = fma(z, q, 0x1.7ed706f57790bp-13);
	p = fma(z, p, -0x1.145121ea7d780p-9);
	q = fma(z, q, 0x1.dfebcf31dc4aap-11);
	p = fma(z, p, -0x1.95ce223aa6227p-7);
	q = fma(z, q, 0x1.4797485417c4dp-8);
	p = fma(z, p, -0x1.9ae6509ea1091p-4);
	q = fma(z, q, 0x1.0e0c9df29336ep-5);
	return fma(e, q, p);
}

#ifdef DPR_PTX
/* The polynomials of the f_lgamma() that has branches.  Their first
   coefficients have 21 bits, and so fit into an instruction. */
/* Does the same as f_stirling(), for y >= 3.  The error is 2^-58. */
FUNCTION double f_stirling_3(double z)
{
	double p = fma(z, 0x1.e2f6fp-3, -0x1.88d62p-3);

	p = fma(z, p, 0x1.3d58bp-4);
	p = fma(z, p, -0x1.704afp-6);
	p = fma(z, p, 0x1.8c2c3p-8);
	p = fma(z, p, -0x1.f32f198d1e025p-10);
	p = fma(z, p, 0x1.b9266b61324b9p-11);
	p = fma(z, p, -0x1.3812d77298ce4p-11);
	p = fma(z, p, 0x1.a01a002a3b174p-11);
	p = fma(z, p, -0x1.6c16c16bb70e2p-9);
	return fma(z, p, 0x1.5555555555547p-4);
}

/* Returns p such that ln(1 + f) = f - v (f - z p), for v = f / (2 + f) and z =
   v^2. */
FUNCTION double f_log_part_3(double z)
{
	double p = fma(z, 0x1.2f00c0p-3, 0x1.39a380p-3);

	p = fma(z, p, 0x1.746620p-3);
	p = fma(z, p, 0x1.c71c52e0d32eap-3);
	p = fma(z, p, 0x1.249249409736ep-2);
	p = fma(z, p, 0x1.9999999981e79p-2);
	return fma(z, p, 0x1.5555555555586p-1);
}

/* Returns p such that ln gamma(1 + e) = e (e p - Euler's constant), for |e| <=
   1/2.  The relative error of ln gamma is 2^-56.6. */
FUNCTION double f_lgamma_near_1(double e)
{
	double p = fma(e, -0x1.b3dcp-3, 0x1.dbc17p-3);

	p = fma(e, p, 0x1.2c79ep-3);
	p = fma(e, p, -0x1.62cfep-3);
	p = fma(e, p, -0x1.17795p-3);
	p = fma(e, p, 0x1.44b6dp-3);
	p = fma(e, p, -0x1.932b4p-7);
	p = fma(e, p, 0x1.599cep-8);
	p = fma(e, p, -0x1.bcabp-5);
	p = fma(e, p, 0x1.e5b8dp-5);
	p = fma(e, p, -0x1.a7406p-5);
	p = fma(e, p, 0x1.bad9fp-5);
	p = fma(e, p, -0x1.e2a88p-5);
	p = fma(e, p, 0x1.00b33d09adbf6p-4);
	p = fma(e, p, -0x1.110cfd57d1f3fp-4);
	p = fma(e, p, 0x1.2488a8adcd96bp-4);
	p = fma(e, p, -0x1.3b1dce6b1a65dp-4);
	p = fma(e, p, 0x1.556b9e258ba47p-4);
	p = fma(e, p, -0x1.748c32d3e8b61p-4);
	p = fma(e, p, 0x1.9a01dc3a67f36p-4);
	p = fma(e, p, -0x1.c806705bd3f24p-4);
	p = fma(e, p, 0x1.010b36c4b8a19p-3);
	p = fma(e, p, -0x1.2703a1dd518cp-3);
	p = fma(e, p, 0x1.5b40cb0fc8121p-3);
	p = fma(e, p, -0x1.a8b9c17aa4024p-3);
	p = fma(e, p, 0x1.151322ac7db3dp-2);
	p = fma(e, p, -0x1.9a4d55beab2f6p-2);
	return fma(e, p, 0x1.a51a6625307d3p-1);
}

/* Returns ln gamma(x) / (x - 2), for e = x - 1.79296875 and x from 1.328125 to
   3.125.  The relative error is 2^-56.6. */
FUNCTION double f_lgamma_near_2(double e)
{
	double p = fma(e, -0x1.545d9p-32, 0x1.0440cp-28);

	p = fma(e, p, -0x1.70f7ap-26);
	p = fma(e, p, 0x1.46776p-24);
	p = fma(e, p, -0x1.a0133p-23);
	p = fma(e, p, 0x1.ac836p-22);
	p = fma(e, p, -0x1.8fa1fp-21);
	p = fma(e, p, 0x1.70d1ap-20);
	p = fma(e, p, -0x1.5b72d98d0532ep-19);
	p = fma(e, p, 0x1.4b884db0b900bp-18);
	p = fma(e, p, -0x1.3db15d36d9363p-17);
	p = fma(e, p, 0x1.3190085c336cap-16);
	p = fma(e, p, -0x1.277c3aa1bca1cp-15);
	p = fma(e, p, 0x1.1facd60ee2bb3p-14);
	p = fma(e, p, -0x1.1a5eb8b2184cp-13);
	p = fma(e, p, 0x1.17fe28e9ab241p-12);
	p = fma(e, p, -0x1.1945906d502a5p-11);
	p = fma(e, p, 0x1.1f765a5c417aap-10);
	p = fma(e, p, -0x1.2cd2b02aa434ap-9);
	p = fma(e, p, 0x1.45b6c10eda2c3p-8);
	p = fma(e, p, -0x1.737f0c0911cc8p-7);
	p = fma(e, p, 0x1.cdcc15a53029ep-6);
	p = fma(e, p, -0x1.513770736a85dp-4);
	p = fma(e, p, 0x1.69c5b3845d57ap-2);
	return fma(e, p, 0x1.6968eda0a64bdp-2);
}
#endif
#else
FUNCTION float f_stirling(float z)
{
	float p = fma(z, 0x1.816782p-11f, -0x1.6bdbaep-9f);

	return fma(z, p, 0x1.555552p-4f);
}

FUNCTION float f_lgamma_part(float e)
{
	float p = fma(e, 0x1.548a68p-11f, 0x1.fbbdd8p-15f);

	p = fma(e, p, 0x1.10e544p-10f);
	p = fma(e, p, -0x1.18a58ep-9f);
	p = fma(e, p, 0x1.4679aep-8f);
	p = fma(e, p, -0x1.95cc84p-7f);
	p = fma(e, p, 0x1.0e0db6p-5f);
	return fma(e, p, -0x1.9ae650p-4f);
}

#ifdef DPR_PTX
/* Does the same as f_stirling(), for y >= 3. */
FUNCTION float f_stirling_3(float z)
{
	float p = fma(z, 0x1.618d5ep-11f, -0x1.6ae896p-9f);

	return fma(z, p, 0x1.55550ap-4f);
}

/* Returns p such that ln(1 + f) = f + f^2 p, for f from sqrt(1/2) - 1 to
   sqrt(2) - 1.  The error of ln(1 + f) is 2^-26.4 at the ends.  At f = -1/4, which
   belongs to x = 3, it is 2^-28.4: ln gamma(3) is small, so less error is allowed
   there.  For x >= 3 this makes ln gamma(x) wrong by at most 0.13 ulp. */
FUNCTION float f_log_part_3(float f)
{
	float p = fma(f, 0x1.6d4e82p-4f, -0x1.28d360p-3f);

	p = fma(f, p, 0x1.31aa26p-3f);
	p = fma(f, p, -0x1.52ab38p-3f);
	p = fma(f, p, 0x1.98bbbep-3f);
	p = fma(f, p, -0x1.0009b8p-2f);
	p = fma(f, p, 0x1.55577ap-2f);
	return fma(f, p, -0x1.ffffe4p-2f);
}

/* Returns p such that ln gamma(1 + e) = e (e p - Euler's constant), for |e| <=
   1/2.  Up to e = 1/4 the relative error of ln gamma is 2^-26.4.  For larger e
   the absolute error is 2^-27. */
FUNCTION float f_lgamma_near_1(float e)
{
	float p = fma(e, -0x1.9fd2c2p-3f, 0x1.4aa706p-3f);

	p = fma(e, p, -0x1.fac868p-6f);
	p = fma(e, p, 0x1.3e78c2p-4f);
	p = fma(e, p, -0x1.fde7d4p-4f);
	p = fma(e, p, 0x1.064344p-3f);
	p = fma(e, p, -0x1.24048cp-3f);
	p = fma(e, p, 0x1.5b087ap-3f);
	p = fma(e, p, -0x1.a8e364p-3f);
	p = fma(e, p, 0x1.151366p-2f);
	p = fma(e, p, -0x1.9a4ce0p-2f);
	return fma(e, p, 0x1.a51a66p-1f);
}

/* Returns ln gamma(x) / (x - 2), for e = x - 1.6875 and x from 1.25 to 3.  The
   relative error is 2^-27. */
FUNCTION float f_lgamma_near_2(float e)
{
	float p = fma(e, 0x1.b50ff6p-16f, -0x1.4d7e18p-13f);

	p = fma(e, p, 0x1.db5274p-12f);
	p = fma(e, p, -0x1.dc5dbep-11f);
	p = fma(e, p, 0x1.bb390ep-10f);
	p = fma(e, p, -0x1.aff886p-9f);
	p = fma(e, p, 0x1.b8362ap-8f);
	p = fma(e, p, -0x1.d79c54p-7f);
	p = fma(e, p, 0x1.131788p-5f);
	p = fma(e, p, -0x1.791a12p-4f);
	p = fma(e, p, 0x1.7c9380p-2f);
	return fma(e, p, 0x1.4247f4p-2f);
}
#endif
#endif

/* log2 gamma(y + y2) for y >= 4.  Let w be 1 / y.  The slope of log2 gamma at y
   is nearly log2 y - w / (2 ln 2). */
FUNCTION R f_log2_gamma(R y, R y2, R *low)
{
	const R c = R_OF(0x1.3573fcp-1f, 0x1.3573fcf6d5af9p-1);
	const R c2 = R_OF(0x1.edab60p-26f, 0x1.0e57879459ce1p-55);
	R log2, log = f_log2_parts(y, &log2), w = f_inverse(y);
	R h = log - R_LOG2_E, a = y - (R)0.5, t = a * h, t2, v;

	log2 += ((log - h) - R_LOG2_E) - R_LOG2_E_LOW;
	t2 = fma(a, log2, fma(a, h, -t));
	t2 = fma(y2, fma(w, (R)-0.5 * R_LOG2_E, log), t2);
	t2 = fma(w * f_stirling(w * w), R_LOG2_E, t2);
	v = t + c;
	*low = (c - (v - t)) + (t2 + c2);
	return v;
}

/* Returns x + y, rounded.  Sets *low to the rounding error. */
FUNCTION R f_sum(R x, R y, R *low)
{
	R v = x + y, less = v - x;

	*low = (x - (v - less)) + (y - less);
	return v;
}

/* (x + 1) (x + 2) (x + 3) for x from 0 to 4.  With u = x (x + 3), the product of
   the first two is u + 2. */
FUNCTION R f_rising(R x, R *low)
{
	R s = x + (R)3, s2 = x - (s - (R)3), u = x * s, v, v2, p;

	v = f_sum(u, (R)2, &v2);
	v2 += fma(x, s2, fma(x, s, -u));
	p = s * v;
	*low = fma(s, v2, fma(s2, v, fma(s, v, -p)));
	return p;
}

/* A product of two numbers with low parts. */
FUNCTION R f_product(R x, R x2, R y, R y2, R *low)
{
	R p = x * y;

	*low = fma(x, y2, fma(x2, y, fma(x, y, -p)));
	return p;
}

/* 2^(v + v2) (n + n2) / (d + d2).  The sum v + v2 may be up to 2000 in size.
   The quotient must not be far from 1. */
FUNCTION R f_exp2_times(R v, R v2, R n, R n2, R d, R d2)
{
	R less = v - ((v + R_TURN) - R_TURN), r = less + v2;
	R r2 = (less - r) + v2, inverse = f_inverse(d), slope2, m, m2, q;
	R slope = f_exp2_slope(r, &slope2);

	m = fma(r, slope, (R)1);
	m2 = fma(r, slope, (R)1 - m);
	m2 = fma(r2, R_LN2 * m, fma(r, slope2, m2));
	m = f_product(m, m2, n, n2, &m2);
	q = m * inverse;
	q = fma(fma(-q, d, m) + (m2 - q * d2), inverse, q);
	return f_times_power_of_2(q, R_INTEGER(v));
}

/* gamma(x) needs f_gamma_any() for x below R_GAMMA_LEAST, x above R_GAMMA_MOST,
   and NaN. */
#undef R_GAMMA_LEAST
#undef R_GAMMA_MOST
#define R_GAMMA_LEAST R_OF(0x1p-30f, 0x1p-60)
#define R_GAMMA_MOST R_OF(36.0f, 172.0)
FUNCTION int f_gamma_is_hard(R x)
{
	return !(x >= R_GAMMA_LEAST) | (x > R_GAMMA_MOST);
}

/* gamma(x) = gamma(x + 4) / (x (x + 1) (x + 2) (x + 3)) for x < 4. */
FUNCTION R f_gamma(R x)
{
	int is_small = x < (R)4;
	R y = is_small ? x + (R)4 : x, y2 = is_small ? x - (y - (R)4) : (R)0;
	R v2, v = f_log2_gamma(y, y2, &v2), d2, d = f_rising(x, &d2);

	d = f_product(d, d2, x, (R)0, &d2);
	return f_exp2_times(v, v2, (R)1, (R)0, is_small ? d : (R)1,
		is_small ? d2 : (R)0);
}

/*
 * gamma(x) for any x.  For x < 0 and a = -x, it is -pi / (sin(pi a) a
 * gamma(a)).  If |x| is above R_GAMMA_ZERO, the result is 0 or infinite, and
 * R_GAMMA_ZERO can replace |x| in gamma(|x|).
 */
#undef R_GAMMA_ZERO
#define R_GAMMA_ZERO R_OF(48.0f, 192.0)
FUNCTION R f_gamma_any(R x)
{
	R a = fabs(x), b = a > R_GAMMA_ZERO ? R_GAMMA_ZERO : a;
	int is_small = b < (R)4, is_negative = x < (R)0;
	R y = is_small ? b + (R)4 : b, y2 = is_small ? b - (y - (R)4) : (R)0;
	R v2, v = f_log2_gamma(y, y2, &v2), p2, p = f_rising(b, &p2);
	R s2, s = f_sin_pi(a, &s2), n, n2, d, d2, other;

	/* b gamma(b) = 2^(v + v2) / p for small b, or b 2^(v + v2). */
	p = is_small ? p : (R)1;
	p2 = is_small ? p2 : (R)0;
	n = f_product((R)-2 * R_QUARTER_TURN, (R)-2 * R_QUARTER_LOW, p, p2, &n2);
	d = is_small ? b : (R)1;
	other = is_small ? (R)1 : b;
	d = is_negative ? other : d;
	d = f_product(is_negative ? s : p, is_negative ? s2 : p2, d, (R)0, &d2);
	v = f_exp2_times(is_negative ? -v : v, is_negative ? -v2 : v2,
		is_negative ? n : (R)1, is_negative ? n2 : (R)0, d, d2);
	v = a < R_GAMMA_LEAST ? (R)1 / x : v;
	return is_negative & (rint(x) == x) ? (R)NAN : v;
}

/* ln x = v + low for x above 0 and finite. */
FUNCTION R f_log_parts(R x, R *low)
{
	R k, f = f_log_rest(x, &k), s, t = f_log_terms(f, &s);
	R c = k * R_LN2, v = c + f;

	t = fma(s, t, fma(k, R_LN2_LOW, fma(k, R_LN2, -c)));
	*low = (f - (v - c)) + t;
	return v;
}

/*
 * ln gamma(x) = factor h + rest for x above 0 and finite.  Returns h.  If x is
 * below 4, at most two steps by 1 lead from x to 2 + e.  Then w is the product
 * of the numbers that these steps passed.
 */
FUNCTION R f_lgamma_parts(R x, R *factor, R *rest)
{
	int is_large = x >= (R)4, is_below = x < (R)1.25, is_above = x >= (R)2.25;
	R m, e, d, d2, c, v, w, w2, inverse, h, log, log2, series, near_2;

	/* x is m + e before the steps, and 2 + e after the steps. */
	m = (is_below ? (R)0 : (R)1) + (is_above ? (R)1 : (R)0);
	m += (x < (R)0.25 ? (R)0 : (R)1) + (x < (R)3.25 ? (R)0 : (R)1);
	e = x - m;
	d = e * (e + (R)1);
	d2 = fma(e, e + (R)1, -d);
	c = is_below ? x : (R)1;
	c = is_above ? x - (R)1 : c;
	v = x < (R)0.25 ? x : (R)0;
	v = x < (R)3.25 ? v : x - (R)3;
	w = fma(c, v, c);
	w2 = fma(c, v, c - w);
	w = is_large ? x : w;
	log = f_log_parts(w, &log2);
	h = is_large ? log - (R)1 : log;
	/* If w is tiny, w2 does not matter. */
	inverse = f_inverse(w + R_EPSILON * R_EPSILON);
	log2 += is_large ? (log - h) - (R)1 : w2 * inverse;
	*factor = is_below ? (R)-1 : (R)1;
	*factor = is_large ? x - (R)0.5 : *factor;
	series = fma(inverse, f_stirling(inverse * inverse), R_STIRLING);
	near_2 = fma(d * e, f_lgamma_part(e), d2 * R_LGAMMA_SLOPE);
	*rest = fma(*factor, log2, is_large ? series : near_2);
	*rest = fma(is_large ? (R)0 : d, R_LGAMMA_SLOPE, *rest);
	return h;
}

#ifdef DPR_PTX
/* f_lgamma() handles NaN, and in float also infinity.  For an infinite double
   f_inverse() gives NaN. */
FUNCTION int f_lgamma_is_hard(R x)
{
#if HAS_DOUBLE
	return (x <= (R)0) | (x == (R)INFINITY);
#else
	return x <= (R)0;
#endif
}

#if HAS_DOUBLE
/* ln x - 1 for x = 2^k (1 + f) >= 3.  The sum begins with k ln 2 - 1, which is
   exact, because D_LN2_42 has 42 bits. */
FUNCTION double f_log_less_1(double x)
{
	ulong bits = as_ulong(x) -
		(0x3fe6a09e00000000ul - 0x3ff0000000000000ul);
	double k = as_double((bits >> 52) | 0x4330000000000000ul) -
		(0x1p52 + 1023.0);
	double f = as_double((bits & 0x000ffffffffffffful) +
			     0x3fe6a09e00000000ul) - 1.0;
	double v = f * f_inverse(2.0 + f), z = v * v;
	double t = fma(-v, fma(-z, f_log_part_3(z), f), k * D_LN2_REST);

	return fma(k, D_LN2_42, -1.0) + (f + t);
}
#else
FUNCTION float f_log_less_1(float x)
{
	uint part = (as_uint(x) - 0x3f3504f3u) & 0xff800000u; /* 2^23 k */
	float k = (float)(int)part, f = as_float(as_uint(x) - part) - 1.0f;
	float t = fma(f * f, f_log_part_3(f), f);

	t = fma(k, 0x1.7f7d1cp-43f, t);
	return fma(k, 0x1.62e4p-24f, -1.0f) + t;
}
#endif

/* ln gamma(x).  The function has branches, because neighbouring work-items
   mostly take the same branch. */
FUNCTION R f_lgamma(R x)
{
	const R middle = R_OF(1.25f, 1.328125);
	R k, f, s, t, w, e, v;

	if (x >= R_OF(3.0f, 3.125)) {
		t = f_log_less_1(x);
		w = f_inverse(x);
		s = f_stirling_3(w * w);
		return fma(x, t, fma(t, (R)-0.5, fma(w, s, R_STIRLING)));
	}
	if (x >= middle)
		return (x - (R)2) * f_lgamma_near_2(x - R_OF(1.6875f, 1.79296875));
	e = x < (R)0.5 ? x : x - (R)1;
	/* The sum makes a +0 of -0. */
	v = fma(e, fma(e, f_lgamma_near_1(e), -R_EULER), (R)0);
	if (x >= (R)0.5)
		return v;
	/* gamma(x + 1) = x gamma(x) */
	f = f_log_begin(x, &k);
	t = f_log_terms(f, &s);
	v = fma(k, R_LN2, fma(s, t, f) - v);
	return -f_log_of_any(x, v, R_LN2);
}
#else
FUNCTION int f_lgamma_is_hard(R x)
{
	return !(x > (R)0) | (x == (R)INFINITY);
}

FUNCTION R f_lgamma(R x)
{
	R factor, rest, h = f_lgamma_parts(x, &factor, &rest);

	return fma(factor, h, rest);
}
#endif

/*
 * ln |gamma(x)| for any x.  For x < 0 let a = -x and t = a |sin(pi a)|.  Then
 * the result is ln pi - ln gamma(a) - ln t.  For tiny x < 0, the result is ln
 * gamma(a).
 */
FUNCTION R f_lgamma_any(R x)
{
	const R log_pi = R_OF(0x1.250d04p+0f, 0x1.250d048e7a1bdp+0);
	R a = fabs(x), factor, rest, h = f_lgamma_parts(a, &factor, &rest);
	R v = fma(factor, h, rest), s2, s = f_sin_pi(a, &s2), t2, t, log, low;

	t = f_product(s, s2, a, (R)0, &t2);
	low = fma(t2, f_inverse(t), -R_OF(0x1.1cf438p-25f, 0x1.7abf2ad8d5088p-57));
	log = f_log_parts(fabs(t), &t2);
	t = factor * h;
	low += fma(factor, h, -t);
	rest += t2;
	/* Next to a zero of the result, t + log - log_pi is nearly 0. */
	s = f_sum(t, log, &t2);
	low += t2;
	s = f_sum(s, -log_pi, &t2);
	rest += low + t2;
	v = (x < (R)0) & (a > R_EPSILON) ? -(s + rest) : v;
	v = (x <= (R)0) & (rint(x) == x) ? (R)INFINITY : v;
	v = a == (R)INFINITY ? a : v;
	return x != x ? x : v;
}
#endif
