/* SPDX-License-Identifier: Apache-2.0 */
/* dtype.h - element types. */
#ifndef DPR_DTYPE_H
#define DPR_DTYPE_H

#include <dpr/base.h>
#include <dpr/status.h>

DPR_BEGIN_DECLS

/* X(NAME, name, value, size in bytes, kind): kind b bool, i signed, u unsigned,
   f float,
   c complex */
/* clang-format off */
#define DPR_DTYPE_MAP(X) \
	X(BOOL, bool, 1, 1, 'b') \
	X(INT8, int8, 2, 1, 'i') \
	X(INT16, int16, 3, 2, 'i') \
	X(INT32, int32, 4, 4, 'i') \
	X(INT64, int64, 5, 8, 'i') \
	X(UINT8, uint8, 6, 1, 'u') \
	X(UINT16, uint16, 7, 2, 'u') \
	X(UINT32, uint32, 8, 4, 'u') \
	X(UINT64, uint64, 9, 8, 'u') \
	X(FLOAT16, float16, 10, 2, 'f') \
	X(BFLOAT16, bfloat16, 11, 2, 'f') \
	X(FLOAT32, float32, 12, 4, 'f') \
	X(FLOAT64, float64, 13, 8, 'f') \
	X(COMPLEX64, complex64, 14, 8, 'c') \
	X(COMPLEX128, complex128, 15, 16, 'c')
/* clang-format on */

/*
 * The dtypes of the array API standard, plus float16 and bfloat16.  Every
 * device stores float16 and bfloat16.  A device that cannot compute in them
 * uses float32.  A bool is a byte: 0 is false, and every other byte is true, as
 * programs, kernels of one's own and other libraries may store it.  Functions
 * make 0 and 1; copies keep the byte.  DPR_DTYPE_DEFAULT lets a function
 * choose: the device's default float for new numbers, the function's own rule
 * elsewhere.
 */
typedef enum dpr_dtype {
	DPR_DTYPE_DEFAULT = 0,
#define DPR__X(name, lower, value, size, kind) DPR_##name = value,
	DPR_DTYPE_MAP(DPR__X)
#undef DPR__X
		DPR_DTYPE_FORCE_INT = 0x7fffffff
} dpr_dtype;

/* Bytes of an element; 0 if @dtype is not a dtype. */
DPR_API size_t dpr_dtype_size(dpr_dtype dtype);
/* The name of a dtype: "float32", ...; "unknown" if @dtype is not a dtype.
   Static text. */
DPR_API const char *dpr_dtype_name(dpr_dtype dtype);
/* The kind of a dtype: 'b', 'i', 'u', 'f' or 'c'; 0 if @dtype is not a dtype. */
DPR_API char dpr_dtype_kind(dpr_dtype dtype);
/* The dtype with this name; DPR_DTYPE_DEFAULT if the name is unknown. */
DPR_API dpr_dtype dpr_dtype_from_name(const char *name);

/*
 * The dtype that @a and @b are promoted to (array API, "Type promotion rules").
 * Mixed kinds follow NumPy: an integer with a float gives a float that holds
 * it, uint64 with a signed integer gives float64 (but the six comparisons of
 * these two are exact).
 * DPR_ERROR_DTYPE: @a or @b is not a dtype; *@out is DPR_DTYPE_DEFAULT.
 */
DPR_API DPR_CHECK dpr_status dpr_dtype_promote(
	dpr_dtype a, dpr_dtype b, dpr_dtype *out);

/*
 * Whether a cast between dtypes is "safe" as in NumPy (array API can_cast):
 * @to has a kind and width that hold the whole range of @from.  From int64 and
 * uint64 to float64 the last bits may be rounded.
 */
DPR_API int dpr_dtype_can_cast(dpr_dtype from, dpr_dtype to);

/*
 * Whether @dtype is of a kind (array API isdtype).  @kind: "bool", "signed
 * integer", "unsigned integer", "integral" (both), "real floating", "complex
 * floating", "numeric" (all but bool), or the name of a dtype.  0 for other
 * texts, NULL, and if @dtype is not a dtype.
 */
DPR_API int dpr_isdtype(dpr_dtype dtype, const char *kind);

/* The limits of an integer dtype (array API iinfo). */
typedef struct dpr_integer_limits {
	dpr_dtype dtype; /* the integer dtype */
	uint32_t bits; /* of an element */
	int64_t min;   /* the smallest number: 0 of unsigned integers */
	uint64_t max;  /* the largest number */
} dpr_integer_limits;

/*
 * Store the limits of integer dtype @dtype in *@out.
 * DPR_ERROR_DTYPE: @dtype is no integer dtype; *@out is all 0.
 * DPR_ERROR_INVALID_ARGUMENT: @out is NULL.
 */
DPR_API DPR_CHECK dpr_status dpr_iinfo(
	dpr_dtype dtype, dpr_integer_limits *out);

/* The limits of a float dtype (array API finfo). */
typedef struct dpr_float_limits {
	dpr_dtype dtype; /* of a complex dtype: that of its parts */
	uint32_t bits;   /* of a number of this dtype */
	double eps; /* the distance from 1 to the next larger number */
	double max; /* the largest finite number; the smallest is -max */
	double smallest_normal; /* above 0, with all bits of precision */
	double smallest_subnormal; /* above 0 */
	/* A decimal number of this many digits is kept by a conversion to this
	   dtype and back. */
	uint32_t precision;
	uint32_t reserved; /* 0 */
} dpr_float_limits;

/*
 * Store the limits of float or complex dtype @dtype in *@out.  A complex dtype
 * has the limits of its real and imaginary parts.
 * DPR_ERROR_DTYPE: @dtype is neither; *@out is all 0.
 * DPR_ERROR_INVALID_ARGUMENT: @out is NULL.
 */
DPR_API DPR_CHECK dpr_status dpr_finfo(dpr_dtype dtype, dpr_float_limits *out);

/*
 * The dtype that a device uses for a number without a given dtype.  For @kind
 * 'f' float64, or float32 where the device has no float64; for 'c' complex128
 * or complex64 likewise; for 'i' int64, 'u' uint64, 'b' bool; for any other
 * letter DPR_DTYPE_DEFAULT.  @device NULL counts as a device without float64.
 */
DPR_API dpr_dtype dpr_dtype_default(const dpr_device *device, char kind);

/* Whether the device computes in @dtype (every device stores all of them).
   False for float64 and complex128 on a device without fp64, and if @dtype is
   not a dtype. */
DPR_API int dpr_dtype_computes(const dpr_device *device, dpr_dtype dtype);

DPR_END_DECLS

#endif
