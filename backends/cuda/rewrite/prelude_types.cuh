/* SPDX-License-Identifier: Apache-2.0 */
/* What OpenCL C has and CUDA C++ lacks: types, vectors and their operators. */
#define __OPENCL_VERSION__ 120
#define CL_VERSION_1_0 100
#define CL_VERSION_1_1 110
#define CL_VERSION_1_2 120
#define __ENDIAN_LITTLE__ 1
#define FP_FAST_FMA 1
#define FP_FAST_FMAF 1
#define cl_khr_fp64 1
#define cl_khr_byte_addressable_store 1
#define cl_khr_global_int32_base_atomics 1
#define cl_khr_global_int32_extended_atomics 1
#define cl_khr_local_int32_base_atomics 1
#define cl_khr_local_int32_extended_atomics 1
#define cl_khr_int64_base_atomics 1
#define cl_khr_int64_extended_atomics 1
#undef NULL
#define NULL 0

namespace dpr_cl {

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef uint cl_mem_fence_flags;
static_assert(sizeof(long) == 8, "long has 8 bytes in OpenCL C");
static_assert((char)-1 < 0, "char has a sign in OpenCL C");

/* The local memory of the launch.  A parameter in it is an offset. */
extern __shared__ __align__(128) char dpr_shared[];
struct dpr_local {
	unsigned at;
	template <class T> operator T *() const
	{
		return (T *)(dpr_shared + at);
	}
};

/* --- Traits --- */

template <class T> struct same_as {
	typedef T type;
};
/* A parameter of this type takes no part in deduction. */
template <class T> using same = typename same_as<T>::type;

template <class T> struct traits;
#define DPR_TRAITS(T, U, S, W, real, sign, low, high)         \
	template <> struct traits<T> {                        \
		typedef U u;                                  \
		typedef S s;                                  \
		typedef W wide;                               \
		enum { is_real = real, has_sign = sign };     \
		static constexpr T min = (T)(low), max = (T)(high); \
	};
DPR_TRAITS(char, uchar, char, int, 0, 1, -128, 127)
DPR_TRAITS(signed char, uchar, char, int, 0, 1, -128, 127)
DPR_TRAITS(uchar, uchar, char, uint, 0, 0, 0, 255)
DPR_TRAITS(bool, uchar, char, uint, 0, 0, 0, 1)
DPR_TRAITS(short, ushort, short, int, 0, 1, -32768, 32767)
DPR_TRAITS(ushort, ushort, short, uint, 0, 0, 0, 65535)
DPR_TRAITS(int, uint, int, long, 0, 1, -2147483647 - 1, 2147483647)
DPR_TRAITS(uint, uint, int, ulong, 0, 0, 0, 0xffffffffu)
DPR_TRAITS(long, ulong, long, long, 0, 1, -0x7fffffffffffffffL - 1,
	   0x7fffffffffffffffL)
DPR_TRAITS(ulong, ulong, long, ulong, 0, 0, 0, 0xffffffffffffffffuL)
DPR_TRAITS(long long, ulong, long, long, 0, 1, -0x7fffffffffffffffL - 1,
	   0x7fffffffffffffffL)
DPR_TRAITS(unsigned long long, ulong, long, ulong, 0, 0, 0,
	   0xffffffffffffffffuL)
DPR_TRAITS(float, uint, int, float, 1, 1, 0, 0)
DPR_TRAITS(double, ulong, long, double, 1, 1, 0, 0)
#undef DPR_TRAITS

/* --- Vectors --- */

template <class T, int N> struct vec;

template <class T, int N> struct flat {
	T v[N];
};

template <class A> struct lanes {
	enum { n = 1 };
};
template <class T, int N> struct lanes<vec<T, N>> {
	enum { n = N };
};

template <class T> struct is_vector {
	static constexpr bool yes = false;
};
template <class T, int N> struct is_vector<vec<T, N>> {
	static constexpr bool yes = true;
};
template <class T> concept number = !is_vector<T>::yes;

template <class T, int N, class A>
constexpr void flat_put(flat<T, N> &to, int &n, const A &a)
{
	to.v[n++] = (T)a;
}
template <class T, int N, int M>
constexpr void flat_put(flat<T, N> &to, int &n, const vec<T, M> &a)
{
#pragma unroll
	for (int i = 0; i < M; i++)
		to.v[n++] = a.at(i);
}
template <class T, int N, class... A>
constexpr flat<T, N> flat_of(const A &...a)
{
	static_assert((lanes<A>::n + ...) == N,
		      "a vector literal has as many components as its type");
	flat<T, N> to{};
	int n = 0;

	(flat_put(to, n, a), ...);
	return to;
}
template <class T, int N> constexpr flat<T, N> flat_all(T a)
{
	flat<T, N> to{};

#pragma unroll
	for (int i = 0; i < N; i++)
		to.v[i] = a;
	return to;
}

/* Several components of a vector, which can be assigned to. */
template <class T, int M> struct parts {
	T *p[M];
	constexpr vec<T, M> value() const
	{
		flat<T, M> r{};

#pragma unroll
		for (int i = 0; i < M; i++)
			r.v[i] = *p[i];
		return vec<T, M>(r);
	}
	constexpr vec<T, M> operator=(const vec<T, M> &from)
	{
#pragma unroll
		for (int i = 0; i < M; i++)
			*p[i] = from.at(i);
		return from;
	}
#define DPR_PARTS(op)                                        \
	constexpr vec<T, M> operator op##=(const vec<T, M> &b) \
	{                                                    \
		return *this = value() op b;                 \
	}
	DPR_PARTS(+) DPR_PARTS(-) DPR_PARTS(*) DPR_PARTS(/) DPR_PARTS(%)
	DPR_PARTS(&) DPR_PARTS(|) DPR_PARTS(^) DPR_PARTS(<<) DPR_PARTS(>>)
#undef DPR_PARTS
};

#define DPR_EACH(R, expression)                  \
	flat<R, N> r{};                          \
	_Pragma("unroll") for (int i = 0; i < N; i++) \
		r.v[i] = (R)(expression);        \
	return vec<R, N>(r)

template <class T> constexpr T shift_by(T a, T b)
{
	return (T)(b & (T)(sizeof(T) * 8 - 1));
}

#define DPR_BINARY(op, expression)                            \
	friend constexpr vec operator op(const vec &a, const vec &b) \
	{                                                     \
		DPR_EACH(T, expression);                      \
	}                                                     \
	friend constexpr vec &operator op##=(vec &a, const vec &b) \
	{                                                     \
		return a = a op b;                            \
	}
#define DPR_COMPARE(op)                                       \
	friend constexpr rel operator op(const vec &a, const vec &b) \
	{                                                     \
		DPR_EACH(typename traits<T>::s,               \
			 a.at(i) op b.at(i) ? -1 : 0);        \
	}
#define DPR_UNARY(R, op, expression)              \
	friend constexpr R operator op(const vec &a) \
	{                                         \
		DPR_EACH(typename R::type, expression); \
	}
#define DPR_STEP(op)                            \
	constexpr vec &operator op##op()        \
	{                                       \
		return *this = *this op vec((T)1); \
	}                                       \
	constexpr vec operator op##op(int)      \
	{                                       \
		vec was = *this;                \
		++*this;                        \
		return was;                     \
	}

/* What vectors of all sizes have in common.  A scalar converts to a vector
   implicitly. */
#define DPR_VECTOR(count)                                                     \
	enum { N = count, H = (count + 1) / 2 };                              \
	typedef T type;                                                       \
	typedef vec<typename traits<T>::s, N> rel;                            \
	vec() = default;                                                      \
	constexpr vec(T a) : vec(flat_all<T, count>(a))                       \
	{                                                                     \
	}                                                                     \
	template <class A, class B, class... R>                               \
	constexpr vec(const A &a, const B &b, const R &...rest)               \
	    : vec(flat_of<T, count>(a, b, rest...))                           \
	{                                                                     \
	}                                                                     \
	template <int I> constexpr T &dpr_c()                                 \
	{                                                                     \
		static_assert(I < N, "the vector has no such component");     \
		return ref(I);                                                \
	}                                                                     \
	template <int I> constexpr const T &dpr_c() const                     \
	{                                                                     \
		static_assert(I < N, "the vector has no such component");     \
		return const_cast<vec *>(this)->ref(I);                       \
	}                                                                     \
	template <int... I> constexpr const vec<T, sizeof...(I)> dpr_get()    \
		const                                                         \
	{                                                                     \
		return vec<T, sizeof...(I)>(                                  \
			flat<T, sizeof...(I)>{ { dpr_c<I>()... } });          \
	}                                                                     \
	template <int... I> constexpr parts<T, sizeof...(I)> dpr_put()        \
	{                                                                     \
		return parts<T, sizeof...(I)>{ { &dpr_c<I>()... } };          \
	}                                                                     \
	/* lo, hi, even, odd: half of it; if N is 2, a scalar. */             \
	template <int B, int S> constexpr auto dpr_half() const               \
	{                                                                     \
		if constexpr (N == 2) {                                       \
			return at(B ? 1 : 0);                                 \
		} else {                                                      \
			flat<T, H> r{};                                       \
			_Pragma("unroll") for (int i = 0; i < H; i++) r.v[i] = \
				at((B == 2 ? H : B) + i * S < N               \
					   ? (B == 2 ? H : B) + i * S         \
					   : N - 1);                          \
			return (const vec<T, H>)vec<T, H>(r);                 \
		}                                                             \
	}                                                                     \
	template <int B, int S> constexpr decltype(auto) dpr_half_put()       \
	{                                                                     \
		if constexpr (N == 2) {                                       \
			return (ref(B ? 1 : 0));                              \
		} else {                                                      \
			static_assert(N != 3, "three components have no half"); \
			parts<T, H> r{};                                      \
			_Pragma("unroll") for (int i = 0; i < H; i++) r.p[i] = \
				&ref((B == 2 ? H : B) + i * S);               \
			return r;                                             \
		}                                                             \
	}                                                                     \
	DPR_BINARY(+, a.at(i) + b.at(i))                                      \
	DPR_BINARY(-, a.at(i) - b.at(i))                                      \
	DPR_BINARY(*, a.at(i) * b.at(i))                                      \
	DPR_BINARY(/, a.at(i) / b.at(i))                                      \
	DPR_BINARY(%, a.at(i) % b.at(i))                                      \
	DPR_BINARY(&, a.at(i) & b.at(i))                                      \
	DPR_BINARY(|, a.at(i) | b.at(i))                                      \
	DPR_BINARY(^, a.at(i) ^ b.at(i))                                      \
	DPR_BINARY(<<, a.at(i) << shift_by(a.at(i), b.at(i)))                 \
	DPR_BINARY(>>, a.at(i) >> shift_by(a.at(i), b.at(i)))                 \
	DPR_COMPARE(==) DPR_COMPARE(!=) DPR_COMPARE(<) DPR_COMPARE(>)         \
	DPR_COMPARE(<=) DPR_COMPARE(>=) DPR_COMPARE(&&) DPR_COMPARE(||)       \
	DPR_UNARY(vec, -, -a.at(i))                                           \
	DPR_UNARY(vec, +, a.at(i))                                            \
	DPR_UNARY(vec, ~, ~a.at(i))                                           \
	DPR_UNARY(rel, !, a.at(i) ? 0 : -1)                                   \
	DPR_STEP(+)                                                           \
	DPR_STEP(-)

template <class T> struct alignas(2 * sizeof(T)) vec<T, 2> {
	T x, y;
	explicit constexpr vec(const flat<T, 2> &f) : x(f.v[0]), y(f.v[1])
	{
	}
	constexpr T at(int i) const
	{
		return i ? y : x;
	}
	constexpr T &ref(int i)
	{
		return i ? y : x;
	}
	DPR_VECTOR(2)
};
template <class T> struct alignas(4 * sizeof(T)) vec<T, 3> {
	T x, y, z;
	explicit constexpr vec(const flat<T, 3> &f)
	    : x(f.v[0]), y(f.v[1]), z(f.v[2])
	{
	}
	constexpr T at(int i) const
	{
		return i == 0 ? x : i == 1 ? y : z;
	}
	constexpr T &ref(int i)
	{
		return i == 0 ? x : i == 1 ? y : z;
	}
	DPR_VECTOR(3)
};
template <class T> struct alignas(4 * sizeof(T)) vec<T, 4> {
	T x, y, z, w;
	explicit constexpr vec(const flat<T, 4> &f)
	    : x(f.v[0]), y(f.v[1]), z(f.v[2]), w(f.v[3])
	{
	}
	constexpr T at(int i) const
	{
		return i == 0 ? x : i == 1 ? y : i == 2 ? z : w;
	}
	constexpr T &ref(int i)
	{
		return i == 0 ? x : i == 1 ? y : i == 2 ? z : w;
	}
	DPR_VECTOR(4)
};
template <class T> struct alignas(8 * sizeof(T)) vec<T, 8> {
	T v[8];
	explicit constexpr vec(const flat<T, 8> &f) : v()
	{
		for (int i = 0; i < 8; i++)
			v[i] = f.v[i];
	}
	constexpr T at(int i) const
	{
		return v[i];
	}
	constexpr T &ref(int i)
	{
		return v[i];
	}
	DPR_VECTOR(8)
};
template <class T> struct alignas(16 * sizeof(T)) vec<T, 16> {
	T v[16];
	explicit constexpr vec(const flat<T, 16> &f) : v()
	{
		for (int i = 0; i < 16; i++)
			v[i] = f.v[i];
	}
	constexpr T at(int i) const
	{
		return v[i];
	}
	constexpr T &ref(int i)
	{
		return v[i];
	}
	DPR_VECTOR(16)
};
#undef DPR_VECTOR
#undef DPR_BINARY
#undef DPR_COMPARE
#undef DPR_UNARY
#undef DPR_STEP
#undef DPR_EACH

#define DPR_NAMES(T)               \
	typedef vec<T, 2> T##2;    \
	typedef vec<T, 3> T##3;    \
	typedef vec<T, 4> T##4;    \
	typedef vec<T, 8> T##8;    \
	typedef vec<T, 16> T##16;
DPR_NAMES(char) DPR_NAMES(uchar) DPR_NAMES(short) DPR_NAMES(ushort)
DPR_NAMES(int) DPR_NAMES(uint) DPR_NAMES(long) DPR_NAMES(ulong)
DPR_NAMES(float) DPR_NAMES(double)
#undef DPR_NAMES

/* (T)(...), where T may be a vector type. */
template <class T, class... A> constexpr T dpr_make(const A &...a)
{
	return T(a...);
}

/* Only the address of a half is used. */
struct half {
	unsigned short bits;
};

template <class R, class T, int N, class F>
inline vec<R, N> map(const vec<T, N> &a, F f)
{
	flat<R, N> r{};

#pragma unroll
	for (int i = 0; i < N; i++)
		r.v[i] = f(a.at(i));
	return vec<R, N>(r);
}
template <class R, class T, class U, int N, class F>
inline vec<R, N> map(const vec<T, N> &a, const vec<U, N> &b, F f)
{
	flat<R, N> r{};

#pragma unroll
	for (int i = 0; i < N; i++)
		r.v[i] = f(a.at(i), b.at(i));
	return vec<R, N>(r);
}
template <class R, class T, class U, class V, int N, class F>
inline vec<R, N> map(const vec<T, N> &a, const vec<U, N> &b,
		     const vec<V, N> &c, F f)
{
	flat<R, N> r{};

#pragma unroll
	for (int i = 0; i < N; i++)
		r.v[i] = f(a.at(i), b.at(i), c.at(i));
	return vec<R, N>(r);
}

/* --- as_T and convert_T --- */

template <class R, class T> inline R dpr_as(const T &a)
{
	static_assert(sizeof(R) == sizeof(T), "as_type keeps the size");
	R r;

	::memcpy(&r, &a, sizeof(r));
	return r;
}

enum { MODE_DEFAULT, MODE_RTE, MODE_RTZ, MODE_RTP, MODE_RTN };

#define DPR_TO_REAL(R, T, name)                             \
	template <int MODE> inline R to_##R(T a)            \
	{                                                   \
		if constexpr (MODE == MODE_RTZ)             \
			return __##name##_rz(a);            \
		else if constexpr (MODE == MODE_RTP)        \
			return __##name##_ru(a);            \
		else if constexpr (MODE == MODE_RTN)        \
			return __##name##_rd(a);            \
		else                                        \
			return (R)a;                        \
	}
DPR_TO_REAL(float, long long, ll2float)
DPR_TO_REAL(float, unsigned long long, ull2float)
DPR_TO_REAL(float, double, double2float)
DPR_TO_REAL(double, long long, ll2double)
DPR_TO_REAL(double, unsigned long long, ull2double)
#undef DPR_TO_REAL

template <class R, bool SAT, int MODE, class T> inline R convert_one(T a)
{
	typedef traits<R> to;
	typedef traits<T> from;

	if constexpr (to::is_real && sizeof(R) == 8 && from::is_real) {
		return (R)a;
	} else if constexpr (to::is_real && sizeof(R) == 8) {
		if constexpr (from::has_sign)
			return to_double<MODE>((long long)a);
		else
			return to_double<MODE>((unsigned long long)a);
	} else if constexpr (to::is_real) {
		if constexpr (from::is_real && sizeof(T) == 4)
			return a;
		else if constexpr (from::is_real)
			return to_float<MODE>((double)a);
		else if constexpr (from::has_sign)
			return to_float<MODE>((long long)a);
		else
			return to_float<MODE>((unsigned long long)a);
	} else if constexpr (from::is_real) {
		T b = MODE == MODE_RTE	 ? ::rint(a)
		      : MODE == MODE_RTP ? ::ceil(a)
		      : MODE == MODE_RTN ? ::floor(a)
					 : ::trunc(a);

		if constexpr (SAT)
			return b != b		   ? (R)0
			       : b <= (T)to::min ? to::min
			       : b >= (T)to::max ? to::max
						 : (R)b;
		else
			return (R)b;
	} else if constexpr (SAT) {
		if (from::has_sign && a < (T)0)
			return !to::has_sign ? (R)0
			       : (long long)a < (long long)to::min
				       ? to::min
				       : (R)a;
		return (unsigned long long)a > (unsigned long long)to::max
			       ? to::max
			       : (R)a;
	} else {
		return (R)a;
	}
}
template <class R> struct convert_to {
	template <bool SAT, int MODE, class T> static R of(T a)
	{
		return convert_one<R, SAT, MODE>(a);
	}
};
template <class R, int N> struct convert_to<vec<R, N>> {
	template <bool SAT, int MODE, class T>
	static vec<R, N> of(const vec<T, N> &a)
	{
		return map<R>(a, [](T x) {
			return convert_one<R, SAT, MODE>(x);
		});
	}
};
template <class R, bool SAT, int MODE, class T>
inline R dpr_convert(const T &a)
{
	return convert_to<R>::template of<SAT, MODE>(a);
}

/* Functions with these names, because a source may put the names together with
   ##. */
#define DPR_CONVERT(T)                             \
	template <class A> inline T convert_##T(const A &a) \
	{                                          \
		return dpr_convert<T, false, 0>(a); \
	}                                          \
	template <class A> inline T convert_##T##_sat(const A &a) \
	{                                          \
		return dpr_convert<T, true, 0>(a); \
	}                                          \
	template <class A> inline T as_##T(const A &a) \
	{                                          \
		return dpr_as<T>(a);               \
	}
#define DPR_CONVERTS(T)                                     \
	DPR_CONVERT(T) DPR_CONVERT(T##2) DPR_CONVERT(T##3)  \
	DPR_CONVERT(T##4) DPR_CONVERT(T##8) DPR_CONVERT(T##16)
DPR_CONVERTS(char) DPR_CONVERTS(uchar) DPR_CONVERTS(short)
DPR_CONVERTS(ushort) DPR_CONVERTS(int) DPR_CONVERTS(uint)
DPR_CONVERTS(long) DPR_CONVERTS(ulong) DPR_CONVERTS(float)
DPR_CONVERTS(double)
#undef DPR_CONVERTS
#undef DPR_CONVERT

/* --- vloadN and vstoreN --- */

#define DPR_VLOAD(N)                                               \
	template <class T>                                         \
	inline vec<T, N> vload##N(size_t at, const T *p)           \
	{                                                          \
		flat<T, N> r{};                                    \
		_Pragma("unroll") for (int i = 0; i < N; i++)      \
			r.v[i] = p[at * N + i];                    \
		return vec<T, N>(r);                               \
	}                                                          \
	template <class T>                                         \
	inline void vstore##N(const vec<T, N> &a, size_t at, T *p) \
	{                                                          \
		_Pragma("unroll") for (int i = 0; i < N; i++)      \
			p[at * N + i] = a.at(i);                   \
	}
DPR_VLOAD(2) DPR_VLOAD(3) DPR_VLOAD(4) DPR_VLOAD(8) DPR_VLOAD(16)
#undef DPR_VLOAD

inline float vload_half(size_t at, const half *p)
{
	float r;

	asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(p[at].bits));
	return r;
}
#define DPR_STORE_HALF(suffix, mode)                                    \
	inline void vstore_half##suffix(float a, size_t at, half *p) \
	{                                                               \
		asm("cvt." mode ".f16.f32 %0, %1;"                      \
		    : "=h"(p[at].bits)                                  \
		    : "f"(a));                                          \
	}                                                               \
	inline void vstore_half##suffix(double a, size_t at,            \
					half *p)                 \
	{                                                               \
		asm("cvt." mode ".f16.f64 %0, %1;"                      \
		    : "=h"(p[at].bits)                                  \
		    : "d"(a));                                          \
	}
DPR_STORE_HALF(, "rn") DPR_STORE_HALF(_rte, "rn") DPR_STORE_HALF(_rtz, "rz")
DPR_STORE_HALF(_rtp, "rp") DPR_STORE_HALF(_rtn, "rm")
#undef DPR_STORE_HALF

#define DPR_STORE_HALVES(N, S, name, suffix)                            \
	template <class T>                                              \
	inline void v##name##_half##N##suffix(const vec<T, N> &a,       \
					      size_t at, half *p) \
	{                                                               \
		_Pragma("unroll") for (int i = 0; i < N; i++)           \
			vstore_half##suffix(a.at(i), at * S + i, p);    \
	}
#define DPR_HALVES(N, S, load, store)                                   \
	inline vec<float, N> load##N(size_t at, const half *p)   \
	{                                                               \
		flat<float, N> r{};                                     \
		_Pragma("unroll") for (int i = 0; i < N; i++)           \
			r.v[i] = vload_half(at * S + i, p);             \
		return vec<float, N>(r);                                \
	}                                                               \
	DPR_STORE_HALVES(N, S, store, ) DPR_STORE_HALVES(N, S, store, _rte) \
	DPR_STORE_HALVES(N, S, store, _rtz)                             \
	DPR_STORE_HALVES(N, S, store, _rtp)                             \
	DPR_STORE_HALVES(N, S, store, _rtn)
DPR_HALVES(2, 2, vload_half, store) DPR_HALVES(3, 3, vload_half, store)
DPR_HALVES(4, 4, vload_half, store) DPR_HALVES(8, 8, vload_half, store)
DPR_HALVES(16, 16, vload_half, store)
DPR_HALVES(2, 2, vloada_half, storea) DPR_HALVES(3, 4, vloada_half, storea)
DPR_HALVES(4, 4, vloada_half, storea) DPR_HALVES(8, 8, vloada_half, storea)
DPR_HALVES(16, 16, vloada_half, storea)
#undef DPR_HALVES
#undef DPR_STORE_HALVES
inline float vloada_half(size_t at, const half *p)
{
	return vload_half(at, p);
}
template <class T> inline void vstorea_half(T a, size_t at, half *p)
{
	vstore_half(a, at, p);
}
