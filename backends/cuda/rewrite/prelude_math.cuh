/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in functions on numbers and vectors, and constants. */

/* --- Functions of one, two and three components at a time --- */

#define DPR_LIFT1(name)                                          \
	template <class T, int N>                                \
	inline vec<T, N> name(const vec<T, N> &a)                \
	{                                                        \
		return map<T>(a, [](T x) { return name(x); });   \
	}
#define DPR_LIFT2(name)                                          \
	template <class T, int N>                                \
	inline vec<T, N> name(const vec<T, N> &a,                \
			      const same<vec<T, N>> &b)          \
	{                                                        \
		return map<T>(a, b,                              \
			      [](T x, T y) { return name(x, y); }); \
	}
#define DPR_LIFT3(name)                                                     \
	template <class T, int N>                                           \
	inline vec<T, N> name(const vec<T, N> &a, const same<vec<T, N>> &b, \
			      const same<vec<T, N>> &c)                     \
	{                                                                   \
		return map<T>(a, b, c, [](T x, T y, T z) {                  \
			return name(x, y, z);                               \
		});                                                         \
	}
#define DPR_REAL1(name, expression)           \
	inline float name(float x)            \
	{                                     \
		typedef float T;              \
		return (T)(expression);       \
	}                                     \
	inline double name(double x)          \
	{                                     \
		typedef double T;             \
		return (T)(expression);       \
	}                                     \
	DPR_LIFT1(name)
#define DPR_REAL2(name, expression)             \
	inline float name(float x, float y)     \
	{                                       \
		typedef float T;                \
		return (T)(expression);         \
	}                                       \
	inline double name(double x, double y)  \
	{                                       \
		typedef double T;               \
		return (T)(expression);         \
	}                                       \
	DPR_LIFT2(name)
#define DPR_REAL3(name, expression)                      \
	inline float name(float x, float y, float z)     \
	{                                                \
		typedef float T;                         \
		return (T)(expression);                  \
	}                                                \
	inline double name(double x, double y, double z) \
	{                                                \
		typedef double T;                        \
		return (T)(expression);                  \
	}                                                \
	DPR_LIFT3(name)
#define DPR_SAME1(name) DPR_REAL1(name, ::name(x))
#define DPR_SAME2(name) DPR_REAL2(name, ::name(x, y))

DPR_SAME1(acos) DPR_SAME1(acosh) DPR_SAME1(asin) DPR_SAME1(asinh)
DPR_SAME1(atan) DPR_SAME1(atanh) DPR_SAME1(cbrt) DPR_SAME1(ceil)
DPR_SAME1(cos) DPR_SAME1(cosh) DPR_SAME1(cospi) DPR_SAME1(erf) DPR_SAME1(erfc)
DPR_SAME1(exp) DPR_SAME1(exp2) DPR_SAME1(exp10) DPR_SAME1(expm1)
DPR_SAME1(fabs) DPR_SAME1(floor) DPR_SAME1(lgamma) DPR_SAME1(log)
DPR_SAME1(log10) DPR_SAME1(log1p) DPR_SAME1(log2) DPR_SAME1(logb)
DPR_SAME1(rint) DPR_SAME1(round) DPR_SAME1(rsqrt) DPR_SAME1(sin)
DPR_SAME1(sinh) DPR_SAME1(sinpi) DPR_SAME1(sqrt) DPR_SAME1(tan)
DPR_SAME1(tanh) DPR_SAME1(tgamma) DPR_SAME1(trunc)
DPR_REAL1(acospi, acos(x) * (T)0.31830988618379067154)
DPR_REAL1(asinpi, asin(x) * (T)0.31830988618379067154)
DPR_REAL1(atanpi, atan(x) * (T)0.31830988618379067154)
DPR_REAL1(tanpi, sinpi(x) / cospi(x))
DPR_REAL1(degrees, x * (T)57.295779513082320877)
DPR_REAL1(radians, x * (T)0.017453292519943295769)
DPR_REAL1(sign, x != x || x == 0 ? (x != x ? (T)0 : x) : ::copysign((T)1, x))
DPR_SAME2(atan2) DPR_SAME2(copysign) DPR_SAME2(fdim) DPR_SAME2(fmax)
DPR_SAME2(fmin) DPR_SAME2(fmod) DPR_SAME2(hypot) DPR_SAME2(nextafter)
DPR_SAME2(pow) DPR_SAME2(remainder)
DPR_REAL2(powr, ::pow(x, y))
DPR_REAL2(atan2pi, atan2(x, y) * (T)0.31830988618379067154)
DPR_REAL2(maxmag, fabs(x) > fabs(y)   ? x
		  : fabs(y) > fabs(x) ? y
				      : fmax(x, y))
DPR_REAL2(minmag, fabs(x) < fabs(y)   ? x
		  : fabs(y) < fabs(x) ? y
				      : fmin(x, y))
DPR_REAL3(fma, ::fma(x, y, z))
DPR_REAL3(mad, x *y + z)
DPR_REAL3(mix, x + (y - x) * z)

#define DPR_NATIVE1(name, single, any)                     \
	inline float name(float x)                         \
	{                                                  \
		return single;                             \
	}                                                  \
	inline double name(double x)                       \
	{                                                  \
		return any;                                \
	}                                                  \
	DPR_LIFT1(name)
inline float exp2_approx(float x)
{
	float r;

	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
	return r;
}
inline float sqrt_approx(float x)
{
	float r;

	asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
	return r;
}
DPR_NATIVE1(native_sin, __sinf(x), sin(x))
DPR_NATIVE1(native_cos, __cosf(x), cos(x))
DPR_NATIVE1(native_tan, __tanf(x), tan(x))
DPR_NATIVE1(native_exp, __expf(x), exp(x))
DPR_NATIVE1(native_exp2, exp2_approx(x), exp2(x))
DPR_NATIVE1(native_exp10, __exp10f(x), exp10(x))
DPR_NATIVE1(native_log, __logf(x), log(x))
DPR_NATIVE1(native_log2, __log2f(x), log2(x))
DPR_NATIVE1(native_log10, __log10f(x), log10(x))
DPR_NATIVE1(native_recip, __fdividef(1.0f, x), 1 / x)
DPR_NATIVE1(native_rsqrt, ::rsqrtf(x), rsqrt(x))
DPR_NATIVE1(native_sqrt, sqrt_approx(x), sqrt(x))
#undef DPR_NATIVE1
inline float native_divide(float x, float y)
{
	return __fdividef(x, y);
}
inline float native_powr(float x, float y)
{
	return __powf(x, y);
}
DPR_LIFT2(native_divide)
DPR_LIFT2(native_powr)
#define DPR_HALF1(name) DPR_REAL1(half_##name, name(x))
DPR_HALF1(sin) DPR_HALF1(cos) DPR_HALF1(tan) DPR_HALF1(exp) DPR_HALF1(exp2)
DPR_HALF1(exp10) DPR_HALF1(log) DPR_HALF1(log2) DPR_HALF1(log10)
DPR_HALF1(rsqrt) DPR_HALF1(sqrt)
DPR_REAL1(half_recip, 1 / x)
DPR_REAL2(half_divide, x / y)
DPR_REAL2(half_powr, powr(x, y))
#undef DPR_HALF1

/* Functions with an integer argument, and with a second result. */
#define DPR_REAL_INT(name, expression)                                    \
	inline float name(float x, int n)                                 \
	{                                                                 \
		typedef float T;                                          \
		return (T)(expression);                                   \
	}                                                                 \
	inline double name(double x, int n)                               \
	{                                                                 \
		typedef double T;                                         \
		return (T)(expression);                                   \
	}                                                                 \
	template <class T, int N>                                         \
	inline vec<T, N> name(const vec<T, N> &a, const same<vec<int, N>> &b) \
	{                                                                 \
		return map<T>(a, b,                                       \
			      [](T x, int n) { return name(x, n); });     \
	}
DPR_REAL_INT(ldexp, ::ldexp(x, n))
DPR_REAL_INT(pown, ::pow(x, (T)n))
DPR_REAL_INT(rootn, n == 3		     ? ::cbrt(x)
		    : x < 0 && (n & 1) ? -::pow(-x, (T)1 / (T)n)
				       : ::pow(x, (T)1 / (T)n))
#undef DPR_REAL_INT
inline int ilogb(float x)
{
	return ::ilogb(x);
}
inline int ilogb(double x)
{
	return ::ilogb(x);
}
template <class T, int N> inline vec<int, N> ilogb(const vec<T, N> &a)
{
	return map<int>(a, [](T x) { return ilogb(x); });
}
inline float nan(uint code)
{
	return dpr_as<float>(0x7fc00000u | (code & 0x3fffffu));
}
inline double nan(ulong code)
{
	return dpr_as<double>(0x7ff8000000000000uL |
			      (code & 0x7ffffffffffffuL));
}
#define DPR_SECOND(name, P, expression)                                   \
	inline float name(float x, P(float) * p)                          \
	{                                                                 \
		typedef float T;                                          \
		T r;                                                      \
		expression;                                               \
		return r;                                                 \
	}                                                                 \
	inline double name(double x, P(double) * p)                       \
	{                                                                 \
		typedef double T;                                         \
		T r;                                                      \
		expression;                                               \
		return r;                                                 \
	}                                                                 \
	template <class T, int N>                                         \
	inline vec<T, N> name(const vec<T, N> &a, vec<P(T), N> *p)        \
	{                                                                 \
		flat<T, N> r{};                                           \
		_Pragma("unroll") for (int i = 0; i < N; i++)             \
			r.v[i] = name(a.at(i), &p->ref(i));               \
		return vec<T, N>(r);                                      \
	}
#define DPR_P_SELF(T) T
#define DPR_P_INT(T) int
DPR_SECOND(fract, DPR_P_SELF, *p = ::floor(x);
	   r = ::fmin(x - *p, sizeof(T) == 4 ? (T)0x1.fffffep-1f
					     : (T)0x1.fffffffffffffp-1))
DPR_SECOND(modf, DPR_P_SELF, *p = ::trunc(x);
	   r = ::copysign(::isinf(x) ? (T)0 : x - *p, x))
DPR_SECOND(sincos, DPR_P_SELF, *p = ::cos(x); r = ::sin(x))
DPR_SECOND(frexp, DPR_P_INT, r = ::frexp(x, p))
DPR_SECOND(lgamma_r, DPR_P_INT,
	   *p = x < 0 && ((long)::floor(x) & 1) ? -1 : 1;
	   r = ::lgamma(x))
#undef DPR_SECOND
#undef DPR_P_SELF
#undef DPR_P_INT
inline float remquo(float x, float y, int *q)
{
	return ::remquo(x, y, q);
}
inline double remquo(double x, double y, int *q)
{
	return ::remquo(x, y, q);
}

/* --- Common functions, for numbers of all kinds --- */

template <number T> inline T min(T a, T b)
{
	return b < a ? b : a;
}
template <number T> inline T max(T a, T b)
{
	return a < b ? b : a;
}
template <number T> inline T clamp(T a, T low, T high)
{
	return min(max(a, low), high);
}
DPR_LIFT2(min)
DPR_LIFT2(max)
DPR_LIFT3(clamp)
inline float step(float edge, float x)
{
	return x < edge ? 0.0f : 1.0f;
}
inline double step(double edge, double x)
{
	return x < edge ? 0.0 : 1.0;
}
template <class T, int N>
inline vec<T, N> step(const same<vec<T, N>> &edge, const vec<T, N> &a)
{
	return map<T>(edge, a, [](T e, T x) { return step(e, x); });
}
template <number T> inline T smooth(T low, T high, T x)
{
	const T t = clamp((x - low) / (high - low), (T)0, (T)1);

	return t * t * (3 - 2 * t);
}
inline float smoothstep(float low, float high, float x)
{
	return smooth(low, high, x);
}
inline double smoothstep(double low, double high, double x)
{
	return smooth(low, high, x);
}
template <class T, int N>
inline vec<T, N> smoothstep(const same<vec<T, N>> &low,
			    const same<vec<T, N>> &high, const vec<T, N> &a)
{
	return map<T>(low, high, a,
		      [](T l, T h, T x) { return smooth(l, h, x); });
}

/* --- Integers --- */

template <number T> inline typename traits<T>::u abs(T a)
{
	typedef typename traits<T>::u U;

	static_assert(!traits<T>::is_real, "fabs is for floating point");
	return a < (T)0 ? (U)(0 - (U)a) : (U)a;
}
template <class T, int N>
inline vec<typename traits<T>::u, N> abs(const vec<T, N> &a)
{
	return map<typename traits<T>::u>(a, [](T x) { return abs(x); });
}
template <number T> inline typename traits<T>::u abs_diff(T a, T b)
{
	typedef typename traits<T>::u U;

	return a > b ? (U)((U)a - (U)b) : (U)((U)b - (U)a);
}
template <class T, int N>
inline vec<typename traits<T>::u, N> abs_diff(const vec<T, N> &a,
					      const same<vec<T, N>> &b)
{
	return map<typename traits<T>::u>(
		a, b, [](T x, T y) { return abs_diff(x, y); });
}
template <number T> inline T add_sat(T a, T b)
{
	typedef typename traits<T>::u U;
	const T r = (T)((U)a + (U)b);

	if constexpr (!traits<T>::has_sign)
		return r < a ? traits<T>::max : r;
	else if ((T)((a ^ r) & (b ^ r)) < 0)
		return a < 0 ? traits<T>::min : traits<T>::max;
	return r;
}
template <number T> inline T sub_sat(T a, T b)
{
	typedef typename traits<T>::u U;
	const T r = (T)((U)a - (U)b);

	if constexpr (!traits<T>::has_sign)
		return a < b ? (T)0 : r;
	else if ((T)((a ^ b) & (a ^ r)) < 0)
		return a < 0 ? traits<T>::min : traits<T>::max;
	return r;
}
template <number T> inline T hadd(T a, T b)
{
	return (T)((a >> 1) + (b >> 1) + (a & b & 1));
}
template <number T> inline T rhadd(T a, T b)
{
	return (T)((a >> 1) + (b >> 1) + ((a | b) & 1));
}
template <number T> inline T rotate(T a, T n)
{
	typedef typename traits<T>::u U;
	const int bits = sizeof(T) * 8, by = (int)(n & (T)(bits - 1));

	return by ? (T)((U)((U)a << by) | (U)((U)a >> (bits - by))) : a;
}
template <number T> inline T clz(T a)
{
	if constexpr (sizeof(T) == 8)
		return (T)__clzll((long long)a);
	else
		return (T)(__clz((int)(uint)(typename traits<T>::u)a) -
			   (32 - 8 * (int)sizeof(T)));
}
template <number T> inline T popcount(T a)
{
	if constexpr (sizeof(T) == 8)
		return (T)__popcll((unsigned long long)a);
	else
		return (T)__popc((uint)(typename traits<T>::u)a);
}
template <number T> inline T mul_hi(T a, T b)
{
	typedef typename traits<T>::wide W;

	if constexpr (sizeof(T) < 8)
		return (T)(((W)a * (W)b) >> (sizeof(T) * 8));
	else if constexpr (traits<T>::has_sign)
		return (T)__mul64hi((long long)a, (long long)b);
	else
		return (T)__umul64hi((unsigned long long)a,
				     (unsigned long long)b);
}
template <number T> inline T mad_hi(T a, T b, T c)
{
	return (T)(mul_hi(a, b) + c);
}
template <number T> inline T mad_sat(T a, T b, T c)
{
	typedef typename traits<T>::u U;
	typedef typename traits<T>::wide W;

	if constexpr (sizeof(T) < 8) {
		const W r = (W)a * (W)b + (W)c;

		return r > (W)traits<T>::max   ? traits<T>::max
		       : r < (W)traits<T>::min ? traits<T>::min
					       : (T)r;
	} else {
		const U low = (U)a * (U)b, sum = low + (U)c;
		U high = (U)mul_hi(a, b) + (sum < low);

		if constexpr (!traits<T>::has_sign)
			return high ? traits<T>::max : (T)sum;
		high -= c < 0;
		if (high == ((T)sum < 0 ? (U)-1 : (U)0))
			return (T)sum;
		return (T)high < 0 ? traits<T>::min : traits<T>::max;
	}
}
template <number T> inline T mul24(T a, T b)
{
	return a * b;
}
template <number T> inline T mad24(T a, T b, T c)
{
	return a * b + c;
}
DPR_LIFT2(add_sat)
DPR_LIFT2(sub_sat)
DPR_LIFT2(hadd)
DPR_LIFT2(rhadd)
DPR_LIFT2(rotate)
DPR_LIFT1(clz)
DPR_LIFT1(popcount)
DPR_LIFT2(mul_hi)
DPR_LIFT3(mad_hi)
DPR_LIFT3(mad_sat)
DPR_LIFT2(mul24)
DPR_LIFT3(mad24)
#define DPR_UPSAMPLE(R, H, L)                                        \
	inline R upsample(H high, L low)                             \
	{                                                            \
		return (R)((R)high << (sizeof(L) * 8)) | (R)low;     \
	}                                                            \
	template <int N>                                             \
	inline vec<R, N> upsample(const vec<H, N> &a, const vec<L, N> &b) \
	{                                                            \
		return map<R>(a, b,                                  \
			      [](H x, L y) { return upsample(x, y); }); \
	}
DPR_UPSAMPLE(short, char, uchar) DPR_UPSAMPLE(ushort, uchar, uchar)
DPR_UPSAMPLE(int, short, ushort) DPR_UPSAMPLE(uint, ushort, ushort)
DPR_UPSAMPLE(long, int, uint) DPR_UPSAMPLE(ulong, uint, uint)
#undef DPR_UPSAMPLE

/* --- Comparing --- */

#define DPR_TEST1(name, expression)                                     \
	inline int name(float x)                                        \
	{                                                               \
		return expression;                                      \
	}                                                               \
	inline int name(double x)                                       \
	{                                                               \
		return expression;                                      \
	}                                                               \
	template <class T, int N>                                       \
	inline typename vec<T, N>::rel name(const vec<T, N> &a)         \
	{                                                               \
		return map<typename traits<T>::s>(                      \
			a, [](T x) { return name(x) ? -1 : 0; });       \
	}
#define DPR_TEST2(name, expression)                                     \
	inline int name(float x, float y)                               \
	{                                                               \
		return expression;                                      \
	}                                                               \
	inline int name(double x, double y)                             \
	{                                                               \
		return expression;                                      \
	}                                                               \
	template <class T, int N>                                       \
	inline typename vec<T, N>::rel name(const vec<T, N> &a,         \
					    const vec<T, N> &b)         \
	{                                                               \
		return map<typename traits<T>::s>(a, b, [](T x, T y) {  \
			return name(x, y) ? -1 : 0;                     \
		});                                                     \
	}
DPR_TEST1(isnan, x != x)
DPR_TEST1(isinf, ::isinf(x) ? 1 : 0)
DPR_TEST1(isfinite, ::isfinite(x) ? 1 : 0)
DPR_TEST1(isnormal, ::isfinite(x) && ::fabs(x) >= (sizeof(x) == 4
							   ? 0x1p-126
							   : 0x1p-1022))
DPR_TEST1(signbit, ::signbit(x) ? 1 : 0)
DPR_TEST2(isequal, x == y)
DPR_TEST2(isnotequal, x != y)
DPR_TEST2(isgreater, x > y)
DPR_TEST2(isgreaterequal, x >= y)
DPR_TEST2(isless, x < y)
DPR_TEST2(islessequal, x <= y)
DPR_TEST2(islessgreater, x < y || x > y)
DPR_TEST2(isordered, x == x && y == y)
DPR_TEST2(isunordered, x != x || y != y)
#undef DPR_TEST1
#undef DPR_TEST2
template <number T> inline bool top_bit(T a)
{
	return (typename traits<T>::u)a >> (sizeof(T) * 8 - 1) & 1;
}
template <number T> inline int any(T a)
{
	return top_bit(a);
}
template <number T> inline int all(T a)
{
	return top_bit(a);
}
template <class T, int N> inline int any(vec<T, N> a)
{
	bool r = false;

	for (int i = 0; i < N; i++)
		r = r || top_bit(a.at(i));
	return r;
}
template <class T, int N> inline int all(vec<T, N> a)
{
	bool r = true;

	for (int i = 0; i < N; i++)
		r = r && top_bit(a.at(i));
	return r;
}
template <number T> inline T bitselect(T a, T b, T c)
{
	typedef typename traits<T>::u U;

	return dpr_as<T>((U)((dpr_as<U>(a) & ~dpr_as<U>(c)) |
			     (dpr_as<U>(b) & dpr_as<U>(c))));
}
DPR_LIFT3(bitselect)
template <number T, class C> inline T select(T a, same<T> b, C c)
{
	return c ? b : a;
}
template <class T, class C, int N>
inline vec<T, N> select(vec<T, N> a, same<vec<T, N>> b, vec<C, N> c)
{
	static_assert(sizeof(T) == sizeof(C), "select: sizes differ");
	return map<T>(a, b, c,
		      [](T x, T y, C z) { return top_bit(z) ? y : x; });
}
template <class T, int M, class U, int N>
inline vec<T, N> shuffle(const vec<T, M> &a, const vec<U, N> &mask)
{
	return map<T>(mask, [&](U i) { return a.at((int)(i & (M - 1))); });
}
template <class T, int M, class U, int N>
inline vec<T, N> shuffle2(const vec<T, M> &a, const vec<T, M> &b,
			  const vec<U, N> &mask)
{
	return map<T>(mask, [&](U i) {
		return i & M ? b.at((int)(i & (M - 1)))
			     : a.at((int)(i & (M - 1)));
	});
}

/* --- Geometry --- */

template <class T, int N>
inline T dot(const vec<T, N> &a, const vec<T, N> &b)
{
	T sum = a.at(0) * b.at(0);

#pragma unroll
	for (int i = 1; i < N; i++)
		sum += a.at(i) * b.at(i);
	return sum;
}
template <class T> inline vec<T, 3> cross(const vec<T, 3> &a, const vec<T, 3> &b)
{
	return vec<T, 3>(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z,
			 a.x * b.y - a.y * b.x);
}
template <class T> inline vec<T, 4> cross(const vec<T, 4> &a, const vec<T, 4> &b)
{
	return vec<T, 4>(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z,
			 a.x * b.y - a.y * b.x, (T)0);
}
/* Scaled, so that large components do not overflow and small ones do not
   vanish. */
template <class T, int N> inline T length(const vec<T, N> &a)
{
	T top = ::fabs(a.at(0)), sum = 0;

#pragma unroll
	for (int i = 1; i < N; i++)
		top = ::fmax(top, ::fabs(a.at(i)));
	if (!(top > 0) || ::isinf(top))
		return top == 0 ? dot(a, a) : ::isinf(top) ? top : dot(a, a);
#pragma unroll
	for (int i = 0; i < N; i++)
		sum += a.at(i) / top * (a.at(i) / top);
	return top * ::sqrt(sum);
}
template <class T, int N> inline vec<T, N> normalize(const vec<T, N> &a)
{
	const T l = length(a);

	return l == 0 ? a : a / vec<T, N>(l);
}
template <class T, int N> inline T fast_length(const vec<T, N> &a)
{
	return half_sqrt(dot(a, a));
}
template <class T, int N> inline vec<T, N> fast_normalize(const vec<T, N> &a)
{
	const T l = dot(a, a);

	return l == 0 ? a : a * vec<T, N>(half_rsqrt(l));
}
template <class T, int N>
inline T distance(const vec<T, N> &a, const vec<T, N> &b)
{
	return length(a - b);
}
template <class T, int N>
inline T fast_distance(const vec<T, N> &a, const vec<T, N> &b)
{
	return fast_length(a - b);
}
#define DPR_SCALAR(T)                                 \
	inline T dot(T a, T b)                        \
	{                                             \
		return a * b;                         \
	}                                             \
	inline T length(T a)                          \
	{                                             \
		return ::fabs(a);                     \
	}                                             \
	inline T fast_length(T a)                     \
	{                                             \
		return ::fabs(a);                     \
	}                                             \
	inline T distance(T a, T b)                   \
	{                                             \
		return ::fabs(a - b);                 \
	}                                             \
	inline T normalize(T a)                       \
	{                                             \
		return sign(a);                       \
	}
DPR_SCALAR(float) DPR_SCALAR(double)
#undef DPR_SCALAR
#undef DPR_LIFT1
#undef DPR_LIFT2
#undef DPR_LIFT3
#undef DPR_REAL1
#undef DPR_REAL2
#undef DPR_REAL3
#undef DPR_SAME1
#undef DPR_SAME2

/* --- Constants --- */

#define CHAR_BIT 8
#define SCHAR_MAX 127
#define SCHAR_MIN (-127 - 1)
#define CHAR_MAX SCHAR_MAX
#define CHAR_MIN SCHAR_MIN
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define SHRT_MIN (-32767 - 1)
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 0xffffffffu
#define LONG_MAX 0x7fffffffffffffffL
#define LONG_MIN (-0x7fffffffffffffffL - 1)
#define ULONG_MAX 0xffffffffffffffffUL
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_MAX_10_EXP 38
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MIN_EXP (-125)
#define FLT_RADIX 2
#define FLT_MAX 0x1.fffffep127f
#define FLT_MIN 0x1.0p-126f
#define FLT_EPSILON 0x1.0p-23f
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#define DBL_MAX_10_EXP 308
#define DBL_MAX_EXP 1024
#define DBL_MIN_10_EXP (-307)
#define DBL_MIN_EXP (-1021)
#define DBL_MAX 0x1.fffffffffffffp1023
#define DBL_MIN 0x1.0p-1022
#define DBL_EPSILON 0x1.0p-52
#define MAXFLOAT FLT_MAX
#define HUGE_VALF (__int_as_float(0x7f800000))
#define HUGE_VAL (__longlong_as_double(0x7ff0000000000000LL))
#define INFINITY HUGE_VALF
#define NAN (__int_as_float(0x7fc00000))
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define M_E_F 2.7182818284590452354f
#define M_LOG2E_F 1.4426950408889634074f
#define M_LOG10E_F 0.43429448190325182765f
#define M_LN2_F 0.69314718055994530942f
#define M_LN10_F 2.30258509299404568402f
#define M_PI_F 3.14159265358979323846f
#define M_PI_2_F 1.57079632679489661923f
#define M_PI_4_F 0.78539816339744830962f
#define M_1_PI_F 0.31830988618379067154f
#define M_2_PI_F 0.63661977236758134308f
#define M_2_SQRTPI_F 1.12837916709551257390f
#define M_SQRT2_F 1.41421356237309504880f
#define M_SQRT1_2_F 0.70710678118654752440f
#define ATOMIC_VAR_INIT(x) (x)

} /* namespace dpr_cl */
