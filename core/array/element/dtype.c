/* SPDX-License-Identifier: Apache-2.0 */
/* dtype.c - the properties of dtypes, and their promotion. */
#include "core/array/element/dtype.h"

#include <stdbool.h>
#include <string.h>

#include <dpr/device.h>

#include "core/base/handles/handles.h"
#include "core/base/status.h"

struct dtype_row {
	const char *name;
	size_t size;
	char kind;
};

static const struct dtype_row rows[] = {
	[DPR_DTYPE_DEFAULT] = { "unknown", 0, 0 },
#define DPR__X(name, lower, value, size, kind) [value] = { #lower, size, kind },
	DPR_DTYPE_MAP(DPR__X)
#undef DPR__X
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static const struct dtype_row *dtype_row(dpr_dtype dtype)
{
	size_t i = (size_t)dtype;

	return i < N_ROWS ? &rows[i] : &rows[DPR_DTYPE_DEFAULT];
}

size_t dpr_dtype_size(dpr_dtype dtype)
{
	return dtype_row(dtype)->size;
}

const char *dpr_dtype_name(dpr_dtype dtype)
{
	return dtype_row(dtype)->name;
}

char dpr_dtype_kind(dpr_dtype dtype)
{
	return dtype_row(dtype)->kind;
}

dpr_dtype dpr_dtype_from_name(const char *name)
{
	for (size_t i = 1; name && i < N_ROWS; i++)
		if (!strcmp(rows[i].name, name))
			return (dpr_dtype)i;
	return DPR_DTYPE_DEFAULT;
}

/* The signed integer dtype of @size bytes.  float64 if there is none. */
static dpr_dtype signed_of(size_t size)
{
	switch (size) {
	case 1: return DPR_INT8;
	case 2: return DPR_INT16;
	case 4: return DPR_INT32;
	case 8: return DPR_INT64;
	}
	return DPR_FLOAT64;
}

static dpr_dtype promote_integers(dpr_dtype a, dpr_dtype b)
{
	size_t na = dpr_dtype_size(a), nb = dpr_dtype_size(b);

	if (dpr_dtype_kind(a) == dpr_dtype_kind(b))
		return na >= nb ? a : b;
	if (dpr_dtype_kind(a) == 'u')
		return nb > na ? b : signed_of(2 * na);
	return na > nb ? a : signed_of(2 * nb);
}

/*
 * The float dtype that an operand needs.  A float needs its own dtype, and a
 * complex number the dtype of its parts.  An integer needs a dtype that holds
 * all of its values.  DEFAULT: any float dtype, since integers of one byte fit
 * float16 and bfloat16.
 */
static dpr_dtype float_asked(dpr_dtype dtype)
{
	switch (dpr_dtype_kind(dtype)) {
	case 'f':
	case 'c': return dtype_part(dtype);
	}
	switch (dpr_dtype_size(dtype)) {
	case 1: return DPR_DTYPE_DEFAULT;
	case 2: return DPR_FLOAT32;
	}
	return DPR_FLOAT64;
}

static dpr_dtype promote_floats(dpr_dtype a, dpr_dtype b)
{
	dpr_dtype fa = float_asked(a), fb = float_asked(b), wider;
	size_t na = dpr_dtype_size(fa), nb = dpr_dtype_size(fb);

	if (na == nb && fa != fb)
		wider = DPR_FLOAT32; /* float16 and bfloat16 */
	else
		wider = na >= nb ? fa : fb;
	if (dpr_dtype_kind(a) != 'c' && dpr_dtype_kind(b) != 'c')
		return wider;
	return wider == DPR_FLOAT64 ? DPR_COMPLEX128 : DPR_COMPLEX64;
}

dpr_dtype dtype_promote(dpr_dtype a, dpr_dtype b)
{
	if (a == b || b == DPR_BOOL)
		return a;
	if (a == DPR_BOOL)
		return b;
	if (dtype_level(a) == 1 && dtype_level(b) == 1)
		return promote_integers(a, b);
	return promote_floats(a, b);
}

int dtype_level(dpr_dtype dtype)
{
	switch (dpr_dtype_kind(dtype)) {
	case 'b': return 0;
	case 'i':
	case 'u': return 1;
	case 'f': return 2;
	}
	return 3;
}

dpr_dtype dtype_part(dpr_dtype dtype)
{
	switch (dtype) {
	case DPR_COMPLEX64: return DPR_FLOAT32;
	case DPR_COMPLEX128: return DPR_FLOAT64;
	default: return dtype;
	}
}

dpr_status dpr_dtype_promote(dpr_dtype a, dpr_dtype b, dpr_dtype *out)
{
	if (!out)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "dtype promote: out is NULL");
	*out = DPR_DTYPE_DEFAULT;
	if (!dpr_dtype_size(a) || !dpr_dtype_size(b))
		return fail(DPR_ERROR_DTYPE, "dtype promote: %d is not a dtype",
			    dpr_dtype_size(a) ? (int)b : (int)a);
	*out = dtype_promote(a, b);
	return DPR_OK;
}

int dpr_dtype_can_cast(dpr_dtype from, dpr_dtype to)
{
	return dpr_dtype_size(from) && dpr_dtype_size(to) &&
	       dtype_promote(from, to) == to;
}

dpr_dtype dpr_dtype_default(const dpr_device *device, char kind)
{
	HANDLES_GET(device);
	bool wide = device && dpr_device_has(device, "fp64");

	switch (kind) {
	case 'b': return DPR_BOOL;
	case 'i': return DPR_INT64;
	case 'u': return DPR_UINT64;
	case 'f': return wide ? DPR_FLOAT64 : DPR_FLOAT32;
	case 'c': return wide ? DPR_COMPLEX128 : DPR_COMPLEX64;
	}
	return DPR_DTYPE_DEFAULT;
}

int dpr_dtype_computes(const dpr_device *device, dpr_dtype dtype)
{
	HANDLES_GET(device);
	if (!dpr_dtype_size(dtype))
		return 0;
	if (dtype != DPR_FLOAT64 && dtype != DPR_COMPLEX128)
		return 1;
	return device && dpr_device_has(device, "fp64");
}
