/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - the kinds of dtypes, and the limits of their numbers. */
#include <math.h>
#include <string.h>

#include <dpr/dtype.h>

#include "core/array/element/dtype.h"
#include "core/base/status.h"

/* The kinds of isdtype, with the letters of dpr_dtype_kind() in each. */
static const struct limits_kind {
	const char *name, *letters;
} kinds[] = {
	{ "bool", "b" },
	{ "signed integer", "i" },
	{ "unsigned integer", "u" },
	{ "integral", "iu" },
	{ "real floating", "f" },
	{ "complex floating", "c" },
	{ "numeric", "iufc" },
};

int dpr_isdtype(dpr_dtype dtype, const char *kind)
{
	if (!kind || !dpr_dtype_size(dtype))
		return 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, kind))
			return strchr(kinds[i].letters,
				      dpr_dtype_kind(dtype)) != NULL;
	return !strcmp(dpr_dtype_name(dtype), kind);
}

dpr_status dpr_iinfo(dpr_dtype dtype, dpr_integer_limits *out)
{
	const uint32_t bits = (uint32_t)(8 * dpr_dtype_size(dtype));

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "iinfo: out is NULL");
	memset(out, 0, sizeof(*out));
	if (dtype_level(dtype) != 1)
		return fail(DPR_ERROR_DTYPE, "iinfo: %s is no integer dtype%s",
			    dpr_dtype_name(dtype),
			    dtype_level(dtype) >= 2 && bits
				    ? "; its limits are those of dpr_finfo()"
				    : "");
	out->dtype = dtype;
	out->bits = bits;
	out->max = UINT64_MAX >> (64 - bits);
	if (dpr_dtype_kind(dtype) == 'i') {
		out->max >>= 1;
		out->min = -(int64_t)out->max - 1;
	}
	return DPR_OK;
}

/* The bits of a float's fraction, without the leading 1, and the largest
   exponent. */
static const struct format {
	uint8_t dtype, fraction;
	uint16_t exponent;
} formats[] = {
	{ DPR_FLOAT16, 10, 15 },
	{ DPR_BFLOAT16, 7, 127 },
	{ DPR_FLOAT32, 23, 127 },
	{ DPR_FLOAT64, 52, 1023 },
};

dpr_status dpr_finfo(dpr_dtype dtype, dpr_float_limits *out)
{
	const dpr_dtype part = dtype_part(dtype);
	const struct format *f = formats;

	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "finfo: out is NULL");
	memset(out, 0, sizeof(*out));
	if (dtype_level(part) != 2)
		return fail(DPR_ERROR_DTYPE, "finfo: %s is no float dtype%s",
			    dpr_dtype_name(dtype),
			    dtype_level(dtype) == 1
				    ? "; its limits are those of dpr_iinfo()"
				    : "");
	while (f->dtype != part)
		f++;
	out->dtype = part;
	out->bits = (uint32_t)(8 * dpr_dtype_size(part));
	out->eps = ldexp(1, -f->fraction);
	out->max = ldexp(2 - out->eps, f->exponent);
	out->smallest_normal = ldexp(1, 1 - f->exponent);
	out->smallest_subnormal = out->smallest_normal * out->eps;
	/* The integer part of fraction * log10(2). */
	out->precision = f->fraction * 30103u / 100000u;
	return DPR_OK;
}
