/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elementary.cl - more functions of real numbers for the table of operations,
 * which use the functions of math.cl.
 *
 * As in math.cl, errors are at most 2 ulp where division and square root are
 * correctly rounded.  There are no tables, and no branches but for large
 * angles.  Each function is written once, for float and for double:  R is the
 * type of the numbers, and K the type of exponents of 2.  Only polynomials and
 * limits differ.
 */
#undef R
#undef K
#undef R_OF
#undef R_TURN
#undef R_BITS
#undef R_INTEGER
#undef R_EPSILON
#undef R_EXP_MOST
#undef R_EXP_LEAST
#undef R_SQUARED
#undef R_LOG_OF_LARGE
#undef R_ALL_WHOLE
#undef R_ODD_TURNED
#undef R_QUARTER_TURN
#undef R_QUARTER_LOW
#undef R_QUARTER_LEAST
#undef R_LOG2_E
#undef R_LOG2_E_LOW
#undef R_LOG10_E
#undef R_LN2
#undef R_LN2_LOW
#undef R_LOG1P_UNIT
#undef R_LOG1P_LN2
#undef R_LOG1P_LOW
#if !HAS_DOUBLE
#define R float
#define K int
#define R_OF(single, twofold) single
#define R_TURN F_TURN
#define R_BITS(v) as_int(v)
/* The integer nearest to v. */
#define R_INTEGER(v) ((int)(as_uint(F_TURN + (v)) - F_TURN_BITS))
/* Half of the distance from 1 to the next number. */
#define R_EPSILON 0x1p-24f
/* e^x is infinite above R_EXP_MOST.  e^x - 1 is -1 below R_EXP_LEAST. */
#define R_EXP_MOST 89.0f
#define R_EXP_LEAST -18.0f
/* Above R_SQUARED, ln(1 + x) is no different from ln x.  R_SQUARED has a finite
   square.  R_LOG_OF_LARGE(x) is ln(2 x), for x above R_SQUARED.  NVIDIA's
   approximate logarithm is precise enough there. */
#ifdef DPR_PTX
#define R_SQUARED 0x1p62f
#define R_LOG_OF_LARGE(x) \
	fma(__nvvm_lg2_approx_ftz_f(x), 0x1.62e430p-1f, 0x1.62e430p-1f)
#else
#define R_SQUARED 0x1p30f
#endif
/* f_log1p_rest() and f_log_scale() find an exponent n of 2.  They set *k to n
   times R_LOG1P_UNIT.  R_LOG1P_LN2 is ln 2 divided by R_LOG1P_UNIT, so *k times
   R_LOG1P_LN2 is n ln 2.  R_LOG1P_LOW(k, v) is v plus k times the low part of
   ln 2.  For float this part is left out. */
#define R_LOG1P_UNIT 0x1p23f
#define R_LOG1P_LN2 0x1.62e430p-24f
#define R_LOG1P_LOW(k, v) (v)
/* From R_ALL_WHOLE on, every number is whole.  Let sum be R_ALL_WHOLE plus a
   number from 0 to R_ALL_WHOLE.  R_ODD_TURNED(v, sum) is -v if the sum is odd,
   else v. */
#define R_ALL_WHOLE 0x1p23f
#define R_ODD_TURNED(v, sum) as_float(as_uint(v) ^ (as_uint(sum) << 31))
/* pi/2 as a sum of three numbers. */
#define R_QUARTER_TURN 0x1.921fb6p+0f
#define R_QUARTER_LOW -0x1.777a5cp-25f
#define R_QUARTER_LEAST -0x1.ee59dap-50f
#else
#define R double
#define K ulong
#define R_OF(single, twofold) twofold
#define R_TURN D_TURN
#define R_BITS(v) as_ulong(v)
#define R_INTEGER(v) (as_ulong(D_TURN + (v)) - D_TURN_BITS)
#define R_EPSILON 0x1p-53
#define R_EXP_MOST 710.0
#define R_EXP_LEAST -40.0
#define R_SQUARED 0x1p60
#define R_LOG1P_UNIT 1.0
#define R_LOG1P_LN2 0x1.62e42fefa39efp-1
#define R_LOG1P_LOW(k, v) fma((k), 0x1.abc9e3b39803fp-56, (v))
#define R_ALL_WHOLE 0x1p52
#define R_ODD_TURNED(v, sum) as_double(as_ulong(v) ^ (as_ulong(sum) << 63))
#define R_QUARTER_TURN 0x1.921fb54442d18p+0
#define R_QUARTER_LOW 0x1.1a62633145c07p-54
#define R_QUARTER_LEAST -0x1.f1976b7ed8fbcp-110
#endif
/* ln 2 as a sum of two numbers. */
#define R_LN2 R_OF(0x1.62e430p-1f, 0x1.62e42fefa39efp-1)
#define R_LN2_LOW R_OF(-0x1.05c610p-29f, 0x1.abc9e3b39803fp-56)
/* R_LOG2_E + R_LOG2_E_LOW is 1 / ln 2, and R_LOG10_E is 1 / ln 10. */
#define R_LOG2_E R_OF(0x1.715476p+0f, 0x1.71547652b82fep+0)
#define R_LOG2_E_LOW R_OF(0x1.4ae0c0p-26f, 0x1.777d0ffda0d24p-56)
#define R_LOG10_E R_OF(0x1.bcb7b2p-2f, 0x1.bcb7b1526e50ep-2)

#undef ELEMENTARY_NOW
#if !HAS_DOUBLE && !defined(ELEMENTARY_FLOAT)
#define ELEMENTARY_FLOAT
#define ELEMENTARY_NOW
/* For |r| <= ln(2) / 2 and z = r^2, sinh r = r + r z f_sinh_part(z) and cosh r
   = 1 + z / 2 + z^2 f_cosh_part(z). */
FUNCTION float f_sinh_part(float z)
{
	float s = fma(z, 0x1.a2e2f8p-13f, 0x1.110fbep-7f);

	return fma(z, s, 0x1.555556p-3f);
}

FUNCTION float f_cosh_part(float z)
{
	return fma(z, 0x1.6d4f24p-10f, 0x1.5554e6p-5f);
}

/* Returns f such that 1 + x = 2^n (1 + f) for an integer n.  1 + f is from
   sqrt(1/2) to sqrt(2), nearly.  f + *lost is x 2^-n + (2^-n - 1), and *lost is
   0 except for f below -1/4.  Sets *k to n R_LOG1P_UNIT.  1 + x must be above 0
   and finite. */
FUNCTION float f_log1p_rest(float x, float *k, float *lost)
{
	uint part = (as_uint(x + 1.0f) - 0x3f3504f3u) & 0xff800000u;
	float v = as_float(as_uint(x) - part), f;
	float less = fma(as_float(0x40000000u - part), 0.5f, -1.0f);

	*k = (float)(int)part;
	f = v + less;
	*lost = v - (f - less);
	return f;
}

/* Returns 2^-n, for the integer n with 0.84 <= x 2^-n < 1.68.  *k is set to
   n R_LOG1P_UNIT.  x must be above 0 and below 2^126. */
FUNCTION float f_log_scale(float x, float *k)
{
	uint part = (as_uint(x) - 0x3f570a3du) & 0xff800000u;

	*k = (float)(int)part;
	return as_float(0x3f800000u - part);
}

/* ln((2 + u) / (2 - u)) = u + u z f_log_part(z) for z = u^2 and |u| <= 0.508. */
FUNCTION float f_log_part(float z)
{
	float p = fma(z, 0x1.fb1cfcp-12f, 0x1.237f0ep-9f);

	p = fma(z, p, 0x1.999d30p-7f);
	return fma(z, p, 0x1.555554p-4f);
}

/* tan r = r + r z f_tan_part(z) for z = r^2 and |r| <= pi/4. */
FUNCTION float f_tan_part(float z)
{
	float p = fma(z, 0x1.1ee04ep-8f, 0x1.6e5328p-14f);

	p = fma(z, p, 0x1.631f98p-7f);
	p = fma(z, p, 0x1.5cad4ap-6f);
	p = fma(z, p, 0x1.badc1ep-5f);
	p = fma(z, p, 0x1.110d8cp-3f);
	return fma(z, p, 0x1.555560p-2f);
}

/* asin r = r + r z f_asin_part(z) for z = r^2 <= 1/4. */
FUNCTION float f_asin_part(float z)
{
	float p = fma(z, 0x1.59eca6p-5f, 0x1.8b9618p-6f);

	p = fma(z, p, 0x1.748c88p-5f);
	p = fma(z, p, 0x1.33015cp-4f);
	return fma(z, p, 0x1.5555cap-3f);
}

/* sin(pi t) / (pi t) = 1 + z f_sinc_part(z) for z = t^2 and |t| <= 1/2. */
FUNCTION float f_sinc_part(float z)
{
	float p = fma(z, -0x1.240644p-9f, 0x1.abcf44p-6f);

	p = fma(z, p, -0x1.86a61cp-3f);
	p = fma(z, p, 0x1.9f9ca8p-1f);
	return fma(z, p, -0x1.a51a66p+0f);
}

/* erf a = a + a f_erf_part(z) for z = a^2 and a from 0 to 0.8.  The relative
   error is 2^-28.1. */
FUNCTION float f_erf_part(float z)
{
	float p = fma(z, -0x1.570094p-11f, 0x1.4d5f72p-8f);

	p = fma(z, p, -0x1.b774a4p-6f);
	p = fma(z, p, 0x1.ce2888p-4f);
	p = fma(z, p, -0x1.812732p-2f);
	return fma(z, p, 0x1.06eba8p-3f);
}

/* erf a = 1 - e^-f_erf_tail(a) for a from 0.8 to 4.  The relative error is
   2^-28.5. */
FUNCTION float f_erf_tail(float a)
{
	float p = fma(a, -0x1.b5a514p-13f, 0x1.9ed0e2p-9f);

	p = fma(a, p, -0x1.73de92p-6f);
	p = fma(a, p, 0x1.ad9274p-4f);
	p = fma(a, p, 0x1.45b476p-1f);
	p = fma(a, p, 0x1.20d662p+0f);
	return fma(a, p, 0x1.dd0f9ep-15f);
}

/* Above 4, erf differs from 1 by less than half of the distance to the next
   number. */
FUNCTION float f_erf(float x)
{
	float a = fabs(x), near_0 = fma(a, f_erf_part(a * a), a), r, v, power;
	int k;

	r = f_exp_rest(-f_erf_tail(a > 4.0f ? 4.0f : a), &k);
	v = fma(r * r, f_exp_terms(r), r);
	power = f_power_of_2(k);
	v = fma(-power, v, 1.0f - power);
	return copysign(a > 0.8f ? v : near_0, x);
}

/*
 * erfc a = e^(-a^2) q (1 + t h), where 1 / q = F_ERFC_SCALE a + F_ERFC_SHIFT and
 * h = f_erfc_part(t), for a from 0 to 10.1.  Above, erfc is 0.  With s = a q the
 * variable t is F_ERFC_UNIT s - F_ERFC_MIDDLE.  It is 0 near a = 2.5, where q is
 * the whole factor.  The relative error is 2^-27.
 */
#define F_ERFC_SCALE 0x1.18456ap+0f
#define F_ERFC_SHIFT 0x1.fd6522p+0f
#define F_ERFC_UNIT 0x1.aa0cbep-1f
#define F_ERFC_MIDDLE 0x1.c070fap-2f
FUNCTION float f_erfc_part(float t)
{
	float p = fma(t, -0x1.5ebb1ap+0f, -0x1.07dcaap+1f);

	p = fma(t, p, -0x1.9b8d46p-3f);
	p = fma(t, p, 0x1.7894e4p+0f);
	p = fma(t, p, 0x1.d2f9ecp-2f);
	p = fma(t, p, -0x1.346b8ap+0f);
	p = fma(t, p, -0x1.b8d040p-3f);
	p = fma(t, p, 0x1.8e7e18p+0f);
	return fma(t, p, -0x1.a276a6p+0f);
}

/*
 * s is (1 - F_ERFC_SHIFT q) / F_ERFC_SCALE: the first constant is 1 /
 * F_ERFC_SCALE, and the second one F_ERFC_SHIFT / F_ERFC_SCALE.  Both are nearly
 * exact.  `lost` is what a^2 has lost in rounding, and the error of q.  It goes
 * into the exponent.  If q is wrong by e, as a part of q, then s - a q is e /
 * F_ERFC_SCALE.  The result is wrong by this difference times -h, within 4 %:
 * F_ERFC_UNIT is chosen for that.  The rounding error of s is in t and in `lost`,
 * and nearly vanishes.  The exponent of 2 is 64 too large, so that the power is
 * not subnormal.
 */
FUNCTION float f_erfc(float x)
{
	const float turn = F_TURN + 64.0f;
	float a = fabs(x), q = f_inverse(fma(a, F_ERFC_SCALE, F_ERFC_SHIFT));
	float s = fma(q, -0x1.d14834p+0f, 0x1.d3a952p-1f), t, h, z, r, n, lost, v;

	t = fma(s, F_ERFC_UNIT, -F_ERFC_MIDDLE);
	h = f_erfc_part(t);
	v = t * h;
	a = a < 10.5f ? a : 10.5f;
	z = a * a;
	lost = fma(-fma(-q, a, s), h, fma(-a, a, z));
	t = fma(z, -0x1.715476p+0f, turn);
	n = t - turn;
	r = fma(n, -0x1.62e4p-1f, -z);
	lost = fma(n, -0x1.7f7d1cp-20f, lost);
	z = r + lost;
	r += fma(z * z, f_exp_terms(z), lost);
	/* q (1 + v) (1 + r) */
	v = fma(q, fma(v, r, r) + v, q);
	v *= as_float((as_uint(t) << 23) + 0x3f800000u);
	v *= 0x1p-64f;
	return x < 0.0f ? 2.0f - v : v;
}
#elif HAS_DOUBLE && !defined(ELEMENTARY_DOUBLE)
#define ELEMENTARY_DOUBLE
#define ELEMENTARY_NOW
FUNCTION double f_sinh_part(double z)
{
	double s = fma(z, 0x1.af6040e455a6cp-26, 0x1.71ddf78befd8fp-19);

	s = fma(z, s, 0x1.a01a01b02ac72p-13);
	s = fma(z, s, 0x1.111111110f61bp-7);
	return fma(z, s, 0x1.5555555555559p-3);
}

FUNCTION double f_cosh_part(double z)
{
	double c = fma(z, 0x1.28a026daa875bp-22, 0x1.a019aa9b0cfbep-16);

	c = fma(z, c, 0x1.6c16c17ced483p-10);
	return fma(z, c, 0x1.5555555553195p-5);
}

FUNCTION double f_tan_part(double z)
{
	double p = fma(z, 0x1.5dfb86d620b42p-16, -0x1.785ba7e67298bp-15);

	p = fma(z, p, 0x1.771a49de3b815p-14);
	p = fma(z, p, -0x1.ba4cfb3664cb3p-16);
	p = fma(z, p, 0x1.1e47aee44fbd4p-13);
	p = fma(z, p, 0x1.d261b0ffefc7cp-13);
	p = fma(z, p, 0x1.37fbd8d65bdc9p-11);
	p = fma(z, p, 0x1.7d5b33ffe219dp-10);
	p = fma(z, p, 0x1.d6d937277f42bp-9);
	p = fma(z, p, 0x1.226e12412f0fdp-7);
	p = fma(z, p, 0x1.664f49a95decep-6);
	p = fma(z, p, 0x1.ba1ba1b4660abp-5);
	p = fma(z, p, 0x1.1111111118356p-3);
	return fma(z, p, 0x1.55555555554f1p-2);
}

/* Does the same as f_log1p_rest() for float.  R_LOG1P_UNIT is 1 here, so *k is
   n. */
FUNCTION double f_log1p_rest(double x, double *k, double *lost)
{
	ulong bits = as_ulong(x + 1.0) -
		(0x3fe6a09e00000000ul - 0x3ff0000000000000ul);
	ulong part = bits & 0xfff0000000000000ul;
	double v = as_double(as_ulong(x) - (part - 0x3ff0000000000000ul));
	double f, less =
		fma(as_double(0x7ff0000000000000ul - part), 0.5, -1.0);

	*k = as_double((bits >> 52) | 0x4330000000000000ul) -
		(0x1p52 + 1023.0);
	f = v + less;
	*lost = v - (f - less);
	return f;
}

/* Does the same as f_log_scale() for float, but *k is n, and x must be below
   2^1022. */
FUNCTION double f_log_scale(double x, double *k)
{
	ulong bits = as_ulong(x) -
		(0x3feae147ae147ae1ul - 0x3ff0000000000000ul);
	ulong part = bits & 0xfff0000000000000ul;

	*k = as_double((bits >> 52) | 0x4330000000000000ul) -
		(0x1p52 + 1023.0);
	return as_double(0x7fe0000000000000ul - part);
}

FUNCTION double f_log_part(double z)
{
	double p = fma(z, 0x1.3155a59be007cp-20, 0x1.09fd4716570bdp-18);

	p = fma(z, p, 0x1.3b78f83f2a249p-16);
	p = fma(z, p, 0x1.7459fbf9ebdb8p-14);
	p = fma(z, p, 0x1.c71c7ef5c4213p-12);
	p = fma(z, p, 0x1.24924916e1058p-9);
	p = fma(z, p, 0x1.99999999a4699p-7);
	return fma(z, p, 0x1.555555555554ap-4);
}

/* p is the upper half of the polynomial, and q the lower half.  The lines for p
   and for q alternate. */
FUNCTION double f_asin_part(double z)
{
	double p = fma(z, 0x1.0bb88f89aa0b7p-5, -0x1.5956e3f43ab21p-6);
	double q = fma(z, 0x1.1c49eaaddee43p-6, 0x1.6e8bdf137529ep-6);
	double w = z * z;

	p = fma(z, p, 0x1.6481d9eeb4c47p-6);
	q = fma(z, q, 0x1.f1c71a9485d13p-6);
	p = fma(z, p, 0x1.e339ce503a959p-9);
	q = fma(z, q, 0x1.6db6db720e614p-5);
	p = fma(z, p, 0x1.6166b666ef467p-7);
	q = fma(z, q, 0x1.333333332e22fp-4);
	p = fma(z, p, 0x1.757ee17b5454ep-7);
	q = fma(z, q, 0x1.5555555555576p-3);
	p = fma(z, p, 0x1.ca203d5be5438p-7);
	return fma(w * w * w, p, q);
}

FUNCTION double f_sinc_part(double z)
{
	double p = fma(z, -0x1.b14ef71e52419p-28, 0x1.0eaa9ae8bd85ep-22);

	p = fma(z, p, -0x1.d41c13480f208p-18);
	p = fma(z, p, 0x1.374707f3d048dp-13);
	p = fma(z, p, -0x1.33816a76f7b38p-9);
	p = fma(z, p, 0x1.ac6805ceabec3p-6);
	p = fma(z, p, -0x1.86a8e4720cc8cp-3);
	p = fma(z, p, 0x1.9f9cb402bc452p-1);
	return fma(z, p, -0x1.a51a6625307d3p+0);
}

/* erf a = 1 - e^-t with t = a + a f_erf_part(a), for a from 0 to 6.  The relative
   error is 2^-57. */
FUNCTION double f_erf_part(double a)
{
	double p = fma(a, 0x1.c39af3c9d4b1ep-51, -0x1.5ad1efb1ff7c8p-45);

	p = fma(a, p, 0x1.f1f451f72e36ap-41);
	p = fma(a, p, -0x1.bbb41750afb7fp-37);
	p = fma(a, p, 0x1.128636a09a8d5p-33);
	p = fma(a, p, -0x1.f34b4a267e8d4p-31);
	p = fma(a, p, 0x1.576f84edda558p-28);
	p = fma(a, p, -0x1.6821cd1198d0ep-26);
	p = fma(a, p, 0x1.1a521e4c080f2p-24);
	p = fma(a, p, -0x1.306dd4668cdaap-23);
	p = fma(a, p, 0x1.2697b0a83b2d6p-23);
	p = fma(a, p, 0x1.692bcf08bbbbdp-22);
	p = fma(a, p, -0x1.d37e627002f46p-20);
	p = fma(a, p, 0x1.7c86bec5ea845p-19);
	p = fma(a, p, 0x1.c950b2952c62dp-19);
	p = fma(a, p, -0x1.f2afcd506c8d4p-16);
	p = fma(a, p, 0x1.0e7f9b9af03d9p-14);
	p = fma(a, p, 0x1.b22bc27698dddp-16);
	p = fma(a, p, -0x1.35654f9a414fdp-11);
	p = fma(a, p, 0x1.bca67bd0f248ep-10);
	p = fma(a, p, -0x1.b6b68bee56944p-13);
	p = fma(a, p, -0x1.39668593d7cddp-6);
	p = fma(a, p, 0x1.a4f4e2a1b207bp-4);
	p = fma(a, p, 0x1.45f306dc9c897p-1);
	return fma(a, p, 0x1.06eba8214db68p-3);
}

/* e^(a^2) erfc a = (1 + s f_erfc_part(2 s - 1)) / (1 + 2 a) for s = a / (a + 4)
   and a from 0 to 27.4.  The relative error is 2^-55. */
FUNCTION double f_erfc_part(double t)
{
	double p = fma(t, 0x1.443620bf55534p-29, 0x1.e35794a635125p-31);

	p = fma(t, p, -0x1.f2dc3c34df8d2p-26);
	p = fma(t, p, -0x1.8231c420036c1p-28);
	p = fma(t, p, 0x1.e665f4f9d1878p-23);
	p = fma(t, p, -0x1.5167641c366bfp-24);
	p = fma(t, p, -0x1.a66f129fc9f00p-20);
	p = fma(t, p, 0x1.22327dea1af79p-19);
	p = fma(t, p, 0x1.36a9c5a2e34bbp-17);
	p = fma(t, p, -0x1.09f165b2ea152p-15);
	p = fma(t, p, -0x1.1ed33c9394604p-16);
	p = fma(t, p, 0x1.4dcd9f79f8d7ap-12);
	p = fma(t, p, -0x1.77d659e5c2758p-11);
	p = fma(t, p, -0x1.a2bede99775b0p-11);
	p = fma(t, p, 0x1.63f2605649c0dp-7);
	p = fma(t, p, -0x1.625ed09844f5cp-5);
	p = fma(t, p, 0x1.e1a95642fe918p-4);
	p = fma(t, p, -0x1.00428c8fe9f4dp-2);
	p = fma(t, p, 0x1.c0398cb6f1cb5p-2);
	p = fma(t, p, -0x1.47938f4c730ccp-1);
	p = fma(t, p, 0x1.8d4ecb405c5fap-1);
	p = fma(t, p, -0x1.7d8f1c4524743p-1);
	return fma(t, p, 0x1.dd2c8b74febf6p-2);
}
#endif

#ifdef ELEMENTARY_NOW
/* e^x - 1 = 2^k p + (2^k - 1), where p is e^r - 1.  As 2^k can be infinite,
   2^(k - 1) is used, and the sum is doubled. */
FUNCTION R f_expm1(R x)
{
	R v = x > R_EXP_MOST ? R_EXP_MOST : x, p, half_power;
	K k;

	p = f_expm1_rest(v < R_EXP_LEAST ? R_EXP_LEAST : v, &k);
	half_power = f_power_of_2(k - 1);
	p = (R)2 * fma(half_power, p, half_power - (R)0.5);
	/* For tiny x the result is x.  This also keeps the sign of 0, and
	   subnormal numbers. */
	return fabs(x) < R_EPSILON ? x : p;
}

/* ln(1 + f) / ln(base), where 1 / ln(base) = unit + low. */
FUNCTION R f_log_in(R f, R unit, R low)
{
	R s, t = f_log_terms(f, &s);

	return fma(f, unit, fma(s * t, unit, f * low));
}

FUNCTION R f_log2(R x)
{
	R k, f = f_log_begin(x, &k);
	R v = f_log_in(f, R_LOG2_E, R_LOG2_E_LOW);

	return f_log_of_any(x, k + v, (R)1);
}

FUNCTION R f_log10(R x)
{
	R k, f = f_log_begin(x, &k);
	R v = f_log_in(f, R_LOG10_E,
		R_OF(-0x1.5b235ep-27f, 0x1.95355baaafad3p-57));

	v = fma(k, R_OF(0x1.344136p-2f, 0x1.34413509f79ffp-2),
		fma(k, R_OF(-0x1.ec10c0p-27f, -0x1.9dc1da994fd21p-59), v));
	return f_log_of_any(x, v, R_OF(0x1.344136p-2f, 0x1.34413509f79ffp-2));
}

/* n ln 2 + ln((2 + u) / (2 - u)), for k = n R_LOG1P_UNIT. */
FUNCTION R f_log_sum(R k, R u)
{
	R z = u * u, p = f_log_part(z);

	p = R_OF(fma(u * z, p, u), u + R_LOG1P_LOW(k, u * z * p));
	return fma(k, R_LOG1P_LN2, p);
}

/*
 * ln(1 + x + low) + more ln 2, where `more` is in units of R_LOG1P_UNIT.
 * f_log_scale() must take the sum 1 + x.  Let 1 + x = 2^n (1 + f) and h = f /
 * 2.  Then the number u of f_log_sum() is f / (1 + h).  The rest of this
 * division, f - u - u h, corrects u.
 */
FUNCTION R f_log1p_sum(R x, R low, R more)
{
	R k, scale = f_log_scale((R)1 + x, &k), f = fma(x, scale, scale - (R)1);
	R h = (R)0.5 * f, inverse = f_inverse((R)1 + h), u = f * inverse;

	u = fma(fma(low, scale, fma(-u, h, f - u)), inverse, u);
	return f_log_sum(k + more, u);
}

FUNCTION R f_log1p(R x)
{
	R k, lost, f = f_log1p_rest(x, &k, &lost);
	R s, t = f_log_terms(f, &s);

#ifndef DPR_PTX
	/* f + lost is the exact number.  `lost` is 0 unless f is below -1/4.
	   So t grows by `lost` times a slope, which is nearly constant for such
	   f. */
	t = fma(lost, R_OF(18.7f, 8.8), t);
#endif
	t = R_OF(fma(s, t, f), f + fma(s, t, k * R_LN2_LOW));
	t = f_log_of_any(x + (R)1, fma(k, R_LOG1P_LN2, t), (R)1);
	/* copysign() keeps the sign of 0. */
	return copysign(t, x);
}

/*
 * sinh |x| = s cosh r + c sinh r, and cosh |x| = c cosh r + s sinh r.  s is
 * sinh(k ln 2) = 2^(k - 1) - 2^(-k - 1).  c is cosh(k ln 2) = 2^(k - 1) + 2^(-k
 * - 1).  The variables s and c have half of these values, because 2^(k - 1) can
 * be infinite.
 */
FUNCTION R f_sinh_size(R x, R *cosh_x)
{
	R a = fabs(x), most = R_EXP_MOST + (R)0.5, v, r, z, s, c, p, q;
	K k;

	v = a > most ? most : a;
	r = f_exp_rest(v, &k);
	z = r * r;
	p = f_power_of_2(k - 2);
	/* For a large v, q adds nothing, and its exponent would be out of
	   range. */
	q = v > (R)60 ? (R)0 : f_power_of_2(-2 - k);
	s = p - q;
	c = p + q;
	/* sinh r - r and cosh r - 1 */
	p = r * z * f_sinh_part(z);
	q = fma(z * z, f_cosh_part(z), (R)0.5 * z);
	*cosh_x = (R)2 * (c + fma(s, r, fma(s, p, c * q)));
	return (R)2 * (s + fma(c, r, fma(c, p, s * q)));
}

FUNCTION R f_sinh(R x)
{
	R c, s = f_sinh_size(x, &c);

	return fabs(x) < R_EPSILON ? x : copysign(s, x);
}

FUNCTION R f_cosh(R x)
{
	R c;

	f_sinh_size(x, &c);
	return c;
}

/* asinh |x| = ln(1 + |x| + q), where q is sqrt(x^2 + 1) - 1.  If |x| is above
   R_SQUARED, asinh |x| is computed as ln(1 + |x| / 4) + 3 ln 2. */
FUNCTION R f_asinh(R x)
{
	R a = fabs(x), q, v;
	int is_large = a > R_SQUARED;

	q = f_quotient(a * a, (R)1 + f_root_near(fma(a, a, (R)1)));
#ifdef R_LOG_OF_LARGE
	v = a + q;
	v = f_log1p_sum(v, (a - v) + q, (R)0);
	return copysign(is_large ? R_LOG_OF_LARGE(a) : v, x);
#else
	q = is_large ? (R)0 : q;
	v = a + q;
	v = f_log1p_sum(is_large ? (R)0.25 * a : v, (a - v) + q,
		is_large ? (R)3 * R_LOG1P_UNIT : (R)0);
	return copysign(a < (R)INFINITY ? v : a, x);
#endif
}

/* acosh x = ln(1 + y + q), where y is x - 1 and q is sqrt(y^2 + 2 y).  If x is
   above R_SQUARED, acosh x is computed as ln(1 + y / 4) + 3 ln 2. */
FUNCTION R f_acosh(R x)
{
	R y = x - (R)1, q = f_root(fma(y, y, (R)2 * y)), v;
	int is_large = x > R_SQUARED;

#ifdef R_LOG_OF_LARGE
	v = y + q;
	v = f_log1p_sum(v, (q - v) + y, (R)0);
	v = is_large ? R_LOG_OF_LARGE(x) : v;
#else
	q = is_large ? (R)0 : q;
	v = y + q;
	v = f_log1p_sum(is_large ? (R)0.25 * y : v, (q - v) + y,
		is_large ? (R)3 * R_LOG1P_UNIT : (R)0);
	v = x < (R)INFINITY ? v : x;
#endif
	return x < (R)1 ? (R)NAN : v;
}

/*
 * atanh |x| = ln((1 + |x|) / (1 - |x|)) / 2.  If this quotient is 2^n (1 + f),
 * the number u of f_log_sum() is 2 f / (2 + f).  Both operands of this division
 * are multiplied by 1 - |x|.  f is computed from exact numbers where possible.
 * If n is 0, f has no error.
 */
FUNCTION R f_atanh(R x)
{
	R a = fabs(x), d = (R)1 - a, k, v, u;
	R scale = f_log_scale(fma((R)2, f_inverse(d), (R)-1), &k);
	R scaled = ((R)1 + a) * scale, below = scaled + d, above, inverse;

	above = d < (R)0x1p-10 ? scaled - d :
		fma(a, scale + (R)1, scale - (R)1);
	above += above;
	inverse = f_inverse(below);
	u = above * inverse;
	u = fma(fma(-u, below, above), inverse, u);
	v = (R)0.5 * f_log_sum(k, u);
	v = a < (R)1 ? v : a == (R)1 ? (R)INFINITY : (R)NAN;
	return copysign(v, x);
}

/* For a <= 1/2, asin a = s + p.  For larger a, s + p is half of acos a, which
   is asin sqrt((1 - a) / 2).  Returns s. */
FUNCTION R f_asin_half(R a, R *p)
{
	R z = a > (R)0.5 ? (R)0.5 - (R)0.5 * a : a * a;
	R s = a > (R)0.5 ? f_root(z) : a;

	*p = s * z * f_asin_part(z);
	return s;
}

FUNCTION R f_asin(R x)
{
	R a = fabs(x), p, s = f_asin_half(a, &p), v, low;

	v = R_QUARTER_TURN - (R)2 * s;
	low = (R_QUARTER_TURN - v) - (R)2 * s;
	v += low - ((R)2 * p - R_QUARTER_LOW);
	return copysign(a > (R)0.5 ? v : s + p, x);
}

FUNCTION R f_acos(R x)
{
	R a = fabs(x), p, s = f_asin_half(a, &p), v = s + p, near_0;

	near_0 = R_QUARTER_TURN - (copysign(v, x) - R_QUARTER_LOW);
	v = x < (R)0 ? R_QUARTER_TURN - (v - R_QUARTER_LOW) : v;
	return a > (R)0.5 ? (R)2 * v : near_0;
}

/* The tangent of q pi/2 + r + low, for r in [-pi/4, pi/4].  tan(r + low) is the
   sum of t and t2.  If q is odd, the result is -1 / (t + t2). */
FUNCTION R f_tan_turned(K q, R r, R low)
{
	R z = r * r, t, t2, inverse, rest;

	/* 1 + 1.3 z is roughly the slope of tan r. */
	t2 = fma(r * z, f_tan_part(z), fma(low * z, (R)1.3, low));
	t = r + t2;
	t2 += r - t;
	inverse = f_inverse(t);
	rest = fma(-t, inverse, (R)1) - t2 * inverse;
	inverse = fma(rest, inverse, inverse);
	return q & 1 ? -inverse : t;
}

FUNCTION R f_tan(R x)
{
	R turns = fma(x, R_OF(0x1.45f306p-1f, 0x1.45f306dc9c883p-1), R_TURN);
	R n = turns - R_TURN, r, p, v, low;

	/* r + low = x - n pi/2.  The first difference v is exact, and p + low is
	   the second product.  v is a multiple of the last digit of p.  So r - v
	   is exact, whichever is larger. */
	v = fma(n, -R_QUARTER_TURN, x);
	p = n * -R_QUARTER_LOW;
	low = fma(n, -R_QUARTER_LOW, -p);
	low = fma(n, -R_QUARTER_LEAST, low);
	r = v + p;
	low += p - (r - v);
	v = f_tan_turned(R_BITS(turns), r, low);
	return fabs(x) < R_EPSILON ? x : v;
}

FUNCTION R f_tan_large(R x)
{
	R low, v;
	K q;

	if (!f_is_large(x))
		return f_tan(x);
	v = f_any_rest(x, 0, &q, &low);
	v = f_tan_turned(q, v, low);
	return x < (R)0 ? -v : v;
}

/* The sine and the cosine of x, as f_sin_large() and f_cos_large() give them. */
FUNCTION R f_sin_and_cos(R x, R *cosine)
{
	R turns = fma(x, R_OF(0x1.45f306p-1f, 0x1.45f306dc9c883p-1), R_TURN);
	R r = f_reduced(x, turns - R_TURN), low, s, c;
	K q = R_BITS(turns);

	if (!f_is_large(x)) {
		*cosine = f_sin_turned(q + 1, r);
		s = f_sin_turned(q, r);
		return fabs(x) < R_OF(0x1p-12f, 0x1p-27) ? x : s;
	}
	r = f_any_rest(x, 0, &q, &low);
	s = f_sin_turned(q, r);
	c = f_sin_turned(q + 1, r);
	*cosine = fma(-s, low, c);
	s = fma(c, low, s);
	return x < (R)0 ? -s : s;
}

/* The sine and the cosine of x ln 2, within 4 ulp.  x ln 2 is (n + turns) pi/2,
   where n is whole.  2 ln(2) / pi is a sum of three numbers. */
FUNCTION R f_sin_and_cos_ln2(R x, R *cosine)
{
	const R unit = R_OF(0x1.c3dc98p-2f, 0x1.c3dc98f7e969cp-2);
	R t = fma(x, unit, R_TURN), n = t - R_TURN, turns, r, low, s, c;
	K q = R_BITS(t);

	turns = fma(x, unit, -n);
	turns = fma(x, R_OF(0x1.efd2d4p-27f, -0x1.1349f7a7d1aa0p-56), turns);
	turns = fma(x, R_OF(-0x1.1134a0p-52f, -0x1.0c2271ec4132ep-112), turns);
	if (!f_is_large(x)) {
		r = n == (R)0 ? x * R_LN2 : turns * R_QUARTER_TURN;
		*cosine = f_sin_turned(q + 1, r);
		return f_sin_turned(q, r);
	}
	r = f_any_rest(x, TURN_OF_2, &q, &low);
	s = f_sin_turned(q, r);
	c = f_sin_turned(q + 1, r);
	*cosine = fma(-s, low, c);
	s = fma(c, low, s);
	return x < (R)0 ? -s : s;
}

/*
 * x = 2^(3 j + k) (1 + f), where k is -1, 0 or 1.  For y = 2^k (1 + f), a
 * polynomial and one step of an iteration of third order give g, about
 * y^(-1/3).  Then t = y g^2 is about the root.  The difference y - t^3,
 * computed with more bits, corrects t.
 */
FUNCTION R f_cbrt(R x)
{
	R a = fabs(x), k, f = f_log_rest(a, &k);
	R third = (R)1 / (R)3, j, y, g, e, t, square;

	j = fma(k, third, R_TURN) - R_TURN;
	k = fma(j, (R)-3, k);
	y = fma(f, f_power_of_2(R_INTEGER(k)), f_power_of_2(R_INTEGER(k)));
	g = fma(f, (R)-0x1.44aac8p-3f, (R)0x1.e6daccp-3f);
	g = fma(f, g, (R)-0x1.56b3bcp-2f);
	g = fma(f, g, (R)0x1.ffe2fcp-1f);
	g *= k > (R)0 ? (R)0x1.965feap-1f : (R)1;
	g *= k < (R)0 ? (R)0x1.428a30p+0f : (R)1;
	e = fma(-y * g, g * g, (R)1);
	g = fma(g * e, fma(e, (R)2 / (R)9, third), g);
	g *= g;
	t = y * g;
	square = t * t;
	e = fma(-square, t, y) - fma(t, t, -square) * t;
	t = fma(e, g * third, t) * f_power_of_2(R_INTEGER(j));
	return (a > (R)0) & (a < (R)INFINITY) ? copysign(t, x) : x;
}

/* x 2^y, for a whole y.  |x| is 2^k (1 + f), so that only the last factor
   rounds.  If |k| exceeds `most`, the result is 0 or infinite. */
FUNCTION R f_ldexp(R x, R y)
{
	const R most = R_OF(250.0f, 2040.0);
	R a = fabs(x), k, f = f_log_rest(a, &k), v;

	k += y;
	k = k > most ? most : k;
	k = k < -most ? -most : k;
	v = f_times_power_of_2((R)1 + f, R_INTEGER(k));
	return (a > (R)0) & (a < (R)INFINITY) ? copysign(v, x) : x;
}

/* ln(e^x + e^y) = m + ln(1 + e), where m is the larger number, and e is e^-|x -
   y|.  1 + e is 2^k (1 + f), where k is 0 or 1. */
FUNCTION R f_logaddexp(R x, R y)
{
	R d = x == y ? (R)0 : -fabs(x - y), e = f_exp_below(d), f, s, t;
	int is_half = e > R_OF(0x1.a8279ap-2f, 0x1.a827999fcef34p-2);

	f = is_half ? fma(e, (R)0.5, (R)-0.5) : e;
	t = f_log_terms(f, &s);
	t = fma(s, t, f);
	t = is_half ? R_LN2 + (t + R_LN2_LOW) : t;
	return (x < y ? y : x) + t;
}

/* 0 for negative x, 1 for positive x, and y for x = 0. */
FUNCTION R f_heaviside(R x, R y)
{
	R v = x < (R)0 ? (R)0 : (R)1;

	v = x == (R)0 ? y : v;
	return x != x ? x : v;
}

/*
 * sin(pi x) as a sum of two numbers: returns the larger one.  x = n + side / 2 +
 * t, where n is whole, side is -1, 0 or 1, and |t| <= 1/4.  All parts are exact,
 * so that the result is 0 at every integer.  pi t is r + r2.
 */
FUNCTION R f_sin_pi(R x, R *low)
{
	const R pi = (R)2 * R_QUARTER_TURN, pi2 = (R)2 * R_QUARTER_LOW;
	R n = rint(x), side = rint((R)2 * (x - n));
	R t = fma(side, (R)-0.5, x - n), r = pi * t;
	R r2 = fma(pi2, t, fma(pi, t, -r)), z = r * r, s, s2, sum;
	K q = R_INTEGER(fma((R)2, fabs(n - (R)2 * rint((R)0.5 * n)), side));
	int is_odd = (int)(q & 1);

	s = is_odd ? (R)1 : r;
	s2 = is_odd ? fma(z * z, f_cos_part(z), fma(z, (R)-0.5, -r * r2)) :
		      fma(r * z, f_sin_part(z), fma(r2, (R)-0.5 * z, r2));
	sum = s + s2;
	s2 += s - sum;
	*low = q & 2 ? -s2 : s2;
	return q & 2 ? -sum : sum;
}

/*
 * Let x = n + t, where n is whole and |t| <= 1/2.  Then sin(pi x) / (pi x) is
 * (-1)^n t / x (1 + t^2 f_sinc_part(t^2)).  From R_ALL_WHOLE on, every number
 * is whole.  For a tiny x the quotient t / x is 1.
 */
FUNCTION R f_sinc(R x)
{
	R a = fabs(x) + (R)0x1p-60f, b = a < R_ALL_WHOLE ? a : R_ALL_WHOLE;
	R turns = b + R_ALL_WHOLE, t = b - (turns - R_ALL_WHOLE);
	R inverse = f_inverse(a), v = t * inverse;

	v = fma(fma(-v, a, t), inverse, v);
	v = R_ODD_TURNED(v, turns);
	/* If t is 0, the result is +0. */
	return fma(v, t * t * f_sinc_part(t * t), v);
}

#if HAS_DOUBLE
/* erf |x| = 1 - e^-t = (1 - 2^k) - 2^k (e^r - 1).  Where k is 0, the first
   difference is 0, so that no digits are lost near 0.  Above 6, erf differs from 1
   by less than half of the distance to the next number. */
FUNCTION double f_erf(double x)
{
	double a = fabs(x), r, v, power;
	ulong k;

	a = a > 6.0 ? 6.0 : a;
	r = f_exp_rest(-fma(a, f_erf_part(a), a), &k);
	v = fma(r * r, f_exp_terms(r), r);
	power = f_power_of_2(k);
	return copysign(fma(-power, v, 1.0 - power), x);
}

/*
 * erfc a = e^(-a^2) (1 + h) w, where h is s f_erfc_part(2 s - 1) and w is 1 /
 * (1 + 2 a).  The result is 0 above 27.3.  z is a^2, rounded, and d2 is 1 + 2
 * a, rounded.  `error` corrects the errors of z, d2 and w.  The factors e^r and
 * 1 + h are near 1.  So only e^r - 1 and h are computed: e^r - 1 is r + v.
 */
FUNCTION double f_erfc(double x)
{
	double a = fabs(x), z, r, d, d2, w, s, h, v, error;
	ulong k;

	a = a > 28.0 ? 28.0 : a;
	z = a * a;
	r = f_exp_rest(-z, &k);
	v = r * r * f_exp_terms(r);
	d = a + 4.0;
	d2 = 2.0 * a + 1.0;
	w = f_inverse(d * d2);
	s = a * d2 * w;
	w *= d;
	error = fma(-w, d2, 1.0) - w * (2.0 * a - (d2 - 1.0));
	error -= fma(a, a, -z);
	h = s * f_erfc_part(2.0 * s - 1.0);
	v = fma(error, 1.0 + r + v, v);
	v = fma(h, 1.0 + (r + v), v) + r;
	v = f_times_power_of_2(fma(w, v, w), k);
	return x < 0.0 ? 2.0 - v : v;
}
#endif

/* min(max(x, y), z).  If a number is NaN, the result is NaN. */
FUNCTION R f_clip(R x, R y, R z)
{
	R v = (x > y) | (x != x) ? x : y;

	return (v < z) | (v != v) ? v : z;
}

/* The angle of x + 0 i. */
FUNCTION R f_angle(R x)
{
	R v = copysign((R)1, x) < (R)0 ? (R)2 * R_QUARTER_TURN : (R)0;

	return x != x ? x : v;
}

FUNCTION R f_deg2rad(R x)
{
	return x * R_OF(0x1.1df46ap-6f, 0x1.1df46a2529d39p-6);
}

FUNCTION R f_rad2deg(R x)
{
	return x * R_OF(0x1.ca5dc2p+5f, 0x1.ca5dc1a63c1f8p+5);
}
#endif

#if KIND_I || KIND_U
/* In C, a shift by I_BITS or more is undefined.  So these functions shift by
   less in any case, and then choose the result. */
#undef I_BITS
#define I_BITS (8 * ITEM)
FUNCTION C i_left_shift(C x, C y)
{
	const C v = (C)((U)x << ((U)y & (I_BITS - 1)));

	return (U)y < I_BITS ? v : (C)0;
}

FUNCTION C i_right_shift(C x, C y)
{
#if KIND_I
	return (C)(x >> ((U)y < I_BITS ? (U)y : I_BITS - 1));
#else
	const C v = (C)(x >> ((U)y & (I_BITS - 1)));

	return (U)y < I_BITS ? v : (C)0;
#endif
}
#endif

#if KIND_I || KIND_U
FUNCTION U i_size(C x)
{
#if KIND_I
	return x < 0 ? (U)0 - (U)x : (U)x;
#else
	return (U)x;
#endif
}

/* Two rounds of Euclid's loop halve each number at least.  So there are at most
   128 rounds for 64 bits. */
FUNCTION U i_gcd(C x, C y)
{
	U a = i_size(x), b = i_size(y), rest;

	while (b != 0) {
		rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

FUNCTION U i_lcm(C x, C y)
{
	const U g = i_gcd(x, y);

	return i_size(x) / (g == 0 ? (U)1 : g) * i_size(y);
}
#endif

/* The remainder of x / y that has the sign of x; 0 for y = 0. */
#if KIND_I
FUNCTION C i_fmod(C x, C y)
{
	C r = i_remainder(x, y);

	r = ((r != 0) & ((r < 0) != (x < 0))) ? (C)((U)r - (U)y) : r;
	return y == 0 ? (C)0 : r;
}
#endif
