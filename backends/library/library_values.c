/* SPDX-License-Identifier: Apache-2.0 */
/* library_values.c - the values of LAPACK's routines: what is valid, and what
   the arguments in memory are. */
#include "backends/library/library_values.h"

#include <string.h>

const struct library_values library_values_list[LIBRARY_LAPACK_ROUTINES] = {
	[LIBRARY_POTRF] = { "ai", "n-", "n", DPRP_LAPACK_UPPER },
	[LIBRARY_GETRF] = { "api", "m--", "mn", 0 },
	[LIBRARY_GETRI] = { "api", "n--", "n", 0 },
	[LIBRARY_GESV] = { "aai", "nn-", "nk", DPRP_LAPACK_TRANSPOSED },
	[LIBRARY_TRTRS] = { "aai", "nn-", "nk",
			    DPRP_LAPACK_UPPER | DPRP_LAPACK_UNIT |
				    DPRP_LAPACK_TRANSPOSED |
				    DPRP_LAPACK_CONJUGATED },
	[LIBRARY_GEQRF] = { "aai", "m--", "mn", 0 },
	[LIBRARY_ORGQR] = { "aai", "m--", "mnk", 0 },
	[LIBRARY_SYEVD] = { "ari", "n--", "n",
			    DPRP_LAPACK_UPPER | DPRP_LAPACK_VECTORS },
	[LIBRARY_GEEV] = { "acci", "n-v-", "n", DPRP_LAPACK_VECTORS },
	[LIBRARY_GESDD] = { "araai", "m-uh-", "mn",
			    DPRP_LAPACK_VECTORS | DPRP_LAPACK_FULL },
};

static bool has_extent(enum library_lapack_number routine, char extent)
{
	return strchr(library_values_list[routine].extents, extent) != NULL;
}

int64_t library_values_rows(enum library_lapack_number routine,
			    const dprp_lapack *v, size_t arg)
{
	const char rows = library_values_list[routine].rows[arg];

	if (strchr("uvh", rows) && !(v->flags & DPRP_LAPACK_VECTORS))
		return 0;
	switch (rows) {
	case 'm':
	case 'u': return v->m;
	case 'n':
	case 'v': return v->n;
	case 'h':
		return (v->flags & DPRP_LAPACK_FULL) || v->n < v->m ? v->n
								    : v->m;
	default: return 0;
	}
}

int64_t library_values_item(enum library_lapack_number routine, size_t arg,
			    int64_t item, int64_t real)
{
	switch (library_values_list[routine].types[arg]) {
	case 'i': return 4;
	case 'p': return 8;
	case 'r': return real;
	case 'c': return 2 * real;
	default: return item;
	}
}

bool library_values_are_valid(enum library_lapack_number routine,
			      const dprp_lapack *v)
{
	const int64_t both = DPRP_LAPACK_TRANSPOSED | DPRP_LAPACK_CONJUGATED;
	const struct library_values *values = &library_values_list[routine];
	bool good = v->count > 0 && !(v->flags & ~values->flags) &&
		    (v->flags & both) != both;

	good = good && (v->m > 0 || !has_extent(routine, 'm')) &&
	       (v->n > 0 || !has_extent(routine, 'n')) &&
	       (v->k > 0 || !has_extent(routine, 'k'));
	if (routine == LIBRARY_ORGQR)
		good = good && v->m >= v->n && v->n >= v->k;
	for (size_t i = 0; good && values->rows[i]; i++)
		good = values->rows[i] == '-' ||
		       v->leading[i] >= library_values_rows(routine, v, i);
	return good;
}

bool library_values_fit(int64_t rows, int64_t columns)
{
	return !__builtin_mul_overflow(rows, columns, &rows) &&
	       rows <= LIBRARY_MOST_ELEMENTS;
}

void library_values_complete(enum library_lapack_number routine, dprp_lapack *v)
{
	if (!has_extent(routine, 'm'))
		v->m = v->n;
	if (!has_extent(routine, 'k'))
		v->k = 1;
}
