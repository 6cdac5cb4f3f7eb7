/* SPDX-License-Identifier: Apache-2.0 */
/* foreign.c - names of Python, NumPy and the array API standard that
   expressions do not have. */
#include "core/array/expression/foreign.h"

#include <string.h>

struct foreign_alias {
	const char *name, *here;
};

static const struct foreign_alias dtypes[] = {
	{ "int", "int64" },          { "float", "float64" },
	{ "complex", "complex128" }, { "half", "float16" },
	{ "single", "float32" },     { "double", "float64" },
};

/* Names that are spelled much like the name in dpr are left out, because
   suggest.h finds these. */
static const struct foreign_alias functions[] = {
	{ "absolute", "abs" },
	{ "amax", "max" },
	{ "amin", "min" },
	{ "concatenate", "concat" },
	{ "conjugate", "conj" },
	{ "fabs", "abs" },
	{ "invert", "bitwise_invert" },
	{ "left_shift", "bitwise_left_shift" },
	{ "mod", "remainder" },
	{ "power", "pow" },
	{ "right_shift", "bitwise_right_shift" },
	{ "transpose", "matrix_transpose" },
	{ "true_divide", "divide" },
};

/* Functions in C that expressions lack, because they give several arrays, write
   to an array, or take a text. */
static const char *const several[] = {
	"broadcast_arrays",
	"einsum",
	"meshgrid",
	"put",
	"put_along_axis",
	"split",
	"unstack",
};

/* Functions of the array API standard, version 2024, of dpctl and, where they
   index, of NumPy and torch, that compute arrays or write to them.  dpr has
   none of these. */
static const char *const missing[] = {
	"argsort",
	"compress",
	"cumulative_prod",
	"cumulative_sum",
	"extract",
	"fft",
	"fftfreq",
	"fftn",
	"fftshift",
	"hfft",
	"ifft",
	"ifftn",
	"ifftshift",
	"ihfft",
	"index_add",
	"irfft",
	"irfftn",
	"nonzero",
	"place",
	"rfft",
	"rfftfreq",
	"rfftn",
	"scatter_add",
	"searchsorted",
	"sort",
	"unique_all",
	"unique_counts",
	"unique_inverse",
	"unique_values",
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool is_name(const char *known, const char *name, size_t length)
{
	return strlen(known) == length && !memcmp(known, name, length);
}

static const char *find_alias(const struct foreign_alias *list, size_t n,
			      const char *name, size_t length)
{
	for (size_t i = 0; i < n; i++)
		if (is_name(list[i].name, name, length))
			return list[i].here;
	return NULL;
}

const char *foreign_dtype(const char *name, size_t length)
{
	return find_alias(dtypes, COUNT(dtypes), name, length);
}

const char *foreign_function(const char *name, size_t length)
{
	return find_alias(functions, COUNT(functions), name, length);
}

static bool is_in(const char *const *list, size_t n, const char *name,
		  size_t length)
{
	for (size_t i = 0; i < n; i++)
		if (is_name(list[i], name, length))
			return true;
	return false;
}

const char *foreign_lack(const char *name, size_t length)
{
	if (is_in(missing, COUNT(missing), name, length))
		return "dpr has no";
	return is_in(several, COUNT(several), name, length)
		       ? "expressions have no"
		       : NULL;
}
