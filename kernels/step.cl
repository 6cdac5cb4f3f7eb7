/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step.cl - the functions of one dtype from which kernels are made.
 *
 * A name ends in the number N of the dtype, so that a kernel can use several
 * dtypes.
 *
 *   load_N(v)      converts a stored element to the type of computations
 *   store_N(v)     converts a value to the type of stored elements
 *   add_N(x, y)    an operation of the table, in a file that ops.awk writes;
 *                  the result is rounded as if it had been stored
 *   sin_fast_N(x)  the fast path of an operation that has one
 *   sin_guard_N(x) whether the fast path must not be taken
 *   exp_short_N(x) e^x of 16-bit floats, with less precision; only in PTX
 *   where_N(c, x, y)
 *                  x if c is true, else y
 *   cast_N_M(v)    converts a value to a stored element of dtype M
 *
 * STEP_LINKAGE is the beginning of each declaration.  If STEP_STORED is
 * defined, nothing is rounded, since each value is stored at once.
 */
#ifndef STEP_LINKAGE
#define STEP_LINKAGE FUNCTION
#endif

#ifndef STEP_ONCE
#define STEP_ONCE
#define STEP_PASTE_(a, b) a##b
#define STEP_PASTE(a, b) STEP_PASTE_(a, b)
#define STEP(name) STEP_PASTE(name##_, DPR_DTYPE)

#define STEP_TYPE_t C
#define STEP_TYPE_b uchar
#define STEP_TYPE_r F
#define STEP_KEEP_t(v) STEP_ROUND(v)
#define STEP_KEEP_b(v) ((uchar)((v) ? 1 : 0))
#define STEP_KEEP_r(v) (v)

/* The driver may have a macro with the name of an operation.  So "_" is pasted
   to the name before the preprocessor can expand it. */
#define STEP_MAKE_1(kind, name_, e) \
	STEP_LINKAGE STEP_TYPE_##kind STEP_PASTE(name_, DPR_DTYPE)(C x) \
	{ \
		return STEP_KEEP_##kind(e); \
	}
#define STEP_MAKE_2(kind, name_, e) \
	STEP_LINKAGE STEP_TYPE_##kind STEP_PASTE(name_, DPR_DTYPE)(C x, C y) \
	{ \
		return STEP_KEEP_##kind(e); \
	}
#define STEP_1(kind, name, e) STEP_MAKE_1(kind, name##_, e)
#define STEP_2(kind, name, e) STEP_MAKE_2(kind, name##_, e)
#define STEP_3(kind, name, e) \
	STEP_LINKAGE STEP_TYPE_##kind STEP_PASTE(name##_, DPR_DTYPE)(C x, \
		C y, C z) \
	{ \
		return STEP_KEEP_##kind(e); \
	}
#define STEP_GUARDED_1(kind, name, e, guard, slow) \
	STEP_MAKE_1(kind, name##_, (guard) ? (slow) : (e)) \
	STEP_MAKE_1(kind, name##_fast_, e) \
	STEP_MAKE_1(b, name##_guard_, guard)
#define STEP_GUARDED_2(kind, name, e, guard, slow) \
	STEP_MAKE_2(kind, name##_, (guard) ? (slow) : (e)) \
	STEP_MAKE_2(kind, name##_fast_, e) \
	STEP_MAKE_2(b, name##_guard_, guard)

#define STEP_CAST(to, D, value) \
	STEP_LINKAGE D STEP_PASTE(STEP(cast), _##to)(C v) \
	{ \
		return (value); \
	}
#endif

#undef STEP_LOAD
#undef STEP_STORE
#undef STEP_ROUND
#if DPR_DTYPE == 10
#define STEP_LOAD(v) half_to_float(v)
#define STEP_STORE(v) half_from_float(v)
#define STEP_ROUND(v) half_to_float(half_from_float(v))
#elif DPR_DTYPE == 11
#define STEP_LOAD(v) bfloat_to_float(v)
#define STEP_STORE(v) bfloat_from_float(v)
#define STEP_ROUND(v) bfloat_to_float(bfloat_from_float(v))
#else
#define STEP_LOAD(v) (v)
#define STEP_STORE(v) (v)
#define STEP_ROUND(v) (v)
#endif
#ifdef STEP_STORED
#undef STEP_ROUND
#define STEP_ROUND(v) (v)
#endif

STEP_LINKAGE C STEP(load)(T v)
{
	return STEP_LOAD(v);
}

STEP_LINKAGE T STEP(store)(C v)
{
	return STEP_STORE(v);
}

STEP_LINKAGE C STEP(where)(uchar c, C x, C y)
{
	if (c)
		return x;
	return y;
}

#if defined(DPR_PTX) && DPR_DTYPE == 12
/* e^x of 16-bit floats, with a relative error of at most 2^-16. */
STEP_LINKAGE float STEP(exp_short)(float x)
{
	return __nvvm_ex2_approx_f(x * 0x1.715476p+0f);
}
#endif

CONVERT_OTHERS(STEP_CAST)
#ifdef TYPES_DOUBLE
CONVERT_DOUBLES(STEP_CAST)
#endif
