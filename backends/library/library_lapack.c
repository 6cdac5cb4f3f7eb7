/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library_lapack.c - a LAPACK of the system: the library, checks of launches,
 * and workspaces.
 *
 * LAPACK answers a wrong number with a message, and may end the process.  So no
 * number reaches it that was not checked.
 */
#include "backends/library/library.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* --- Routines ------------------------------------------------------------- */

static const struct {
	/* LAPACK's names; gesv: the first of the two that it calls */
	const char *real, *complex;
	bool is_scanned; /* NaN could end the process, or make it loop */
} routines[LIBRARY_LAPACK_ROUTINES] = {
	[LIBRARY_POTRF] = { "potrf", "potrf", false },
	[LIBRARY_GETRF] = { "getrf", "getrf", false },
	[LIBRARY_GETRI] = { "getri", "getri", false },
	[LIBRARY_GESV] = { "getrf", "getrf", false },
	[LIBRARY_TRTRS] = { "trtrs", "trtrs", false },
	[LIBRARY_GEQRF] = { "geqrf", "geqrf", false },
	[LIBRARY_ORGQR] = { "orgqr", "ungqr", false },
	[LIBRARY_SYEVD] = { "syevd", "heevd", true },
	[LIBRARY_GEEV] = { "geev", "geev", true },
	[LIBRARY_GESDD] = { "gesdd", "gesdd", true },
};

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Bytes of the real part of an element. */
static int64_t real_size(enum library_dtype dtype)
{
	return dtype < LIBRARY_COMPLEX64 ? library_item[dtype]
					 : library_item[dtype] / 2;
}

/* --- The library ---------------------------------------------------------- */

/* The libraries to try if the library of products (library_blas.c) has no
   LAPACK. */
static const char *const libraries[] = {
	"libopenblasp.so.0", "libopenblas.so.0", "libopenblas64.so.0",
	"libmkl_rt.so.3",    "libmkl_rt.so.2",   "libmkl_rt.so.1",
	"liblapack.so.3",
	"liblapack64.so.3",
};

static const char *const needed[] = { "spotrf_" };

/* Whether the library's integers have 64 bits.  The routine then sets all 64
   bits of its info, otherwise only 32 of them. */
static bool find_width(const struct library_source *source)
{
	typedef void (*potrf)(const char *uplo, const void *n, void *a,
			      const void *lda, void *info, size_t uplo_size);
	const union library_symbol found = library_find(source, needed[0]);
	const int32_t n[] = { 0, 0 }, lda[] = { 1, 1 };
	int32_t info[] = { -1, -1 };
	float a[1] = { 1 };
	int64_t wide[3]; /* aligned as an integer of 64 bits is */

	memcpy(&wide[0], n, sizeof(n));
	memcpy(&wide[1], lda, sizeof(lda));
	memcpy(&wide[2], info, sizeof(info));
	((potrf)found.function)("L", &wide[0], a, &wide[1], &wide[2], 1);
	memcpy(info, &wide[2], sizeof(info));
	return info[0] == 0 && info[1] == 0;
}

/* Take the functions of the library, and describe it. */
static void take(const struct library_source *source,
		 struct library_lapack *lapack)
{
	typedef void (*ilaver)(void *major, void *minor, void *patch);
	struct library *library = &lapack->library;
	const union library_symbol version = library_find(source, "ilaver_");
	union library_integer of[3] = { { .wide = 0 } };
	char name[16], kind[64] = "a LAPACK";

	for (int i = 0; i < LIBRARY_LAPACK_ROUTINES; i++)
		for (int t = 0; t < LIBRARY_DTYPES; t++) {
			snprintf(name, sizeof(name), "%c%s_", "sdcz"[t],
				 t < LIBRARY_COMPLEX64 ? routines[i].real
						       : routines[i].complex);
			lapack->function[i][t] =
				library_find(source, name).function;
		}
	for (int t = 0; t < LIBRARY_DTYPES; t++) {
		snprintf(name, sizeof(name), "%cgetrs_", "sdcz"[t]);
		lapack->getrs[t] = library_find(source, name).function;
	}
	library->is_wide = find_width(source);
	if (version.address) {
		((ilaver)version.function)(&of[0], &of[1], &of[2]);
		snprintf(kind, sizeof(kind), "LAPACK %d.%d.%d",
			 (int)library_lapack_call_value(library, of[0]),
			 (int)library_lapack_call_value(library, of[1]),
			 (int)library_lapack_call_value(library, of[2]));
	}
	library_describe(source, kind, lapack->function[LIBRARY_POTRF][0],
			 library);
}

/* Find a LAPACK.  With the option, open the library that it names.  Without the
   option, take the library of products if it has a LAPACK, else open a library
   of the list. */
static bool find_library(struct library_set *set,
			 const struct library_blas *blas,
			 struct library_source *source, char *text)
{
	const struct library_search search = {
		.option = "LAPACK",
		.value = set->lapack_option,
		.files = libraries,
		.n_files = COUNT(libraries),
		.names = needed,
		.n_names = COUNT(needed),
		.missing = "there is no LAPACK; install OpenBLAS (Debian: "
			   "libopenblas0-pthread)",
	};

	if (blas) {
		*source = blas->source;
		if (blas->gemm[0] &&
		    library_spell(source, needed, COUNT(needed)))
			return true;
	}
	return library_open(set, &search, source, text);
}

static const struct library_lapack *open_lapack(struct library_set *set)
{
	const struct library_blas *blas =
		set->lapack_option ? NULL : library_blas_open(set);
	struct library_lapack *lapack = &set->lapack;
	struct library_source source;

	pthread_mutex_lock(&set->lapack_lock);
	if (!set->lapack_is_open &&
	    find_library(set, blas, &source, lapack->library.text)) {
		take(&source, lapack);
		lapack->is_found = true;
	}
	set->lapack_is_open = true;
	pthread_mutex_unlock(&set->lapack_lock);
	return lapack;
}

/* --- Workspaces ----------------------------------------------------------- */

/* Numbers of elements. */
struct library_sizes {
	int64_t work, real, integers;
	int64_t most; /* the largest size that the routine may compute */
};

/* The smallest workspaces that LAPACK's manual allows. */
static void least_sizes(unsigned routine, bool is_complex, const dprp_lapack *v,
			struct library_sizes *out)
{
	const bool has_vectors = v->flags & DPRP_LAPACK_VECTORS;
	const int64_t n = v->n, min = smaller(v->m, n), max = larger(v->m, n);

	*out = (struct library_sizes){ .work = 0 };
	switch (routine) {
	case LIBRARY_GETRF: out->integers = min; break;
	case LIBRARY_GETRI: out->work = n; /* fall through */
	case LIBRARY_GESV: out->integers = n; break;
	case LIBRARY_GEQRF:
	case LIBRARY_ORGQR: out->work = n; break;
	case LIBRARY_SYEVD:
		out->integers = has_vectors ? 3 + 5 * n : 1;
		out->work = has_vectors ? 1 + 6 * n + 2 * n * n : 1 + 2 * n;
		if (is_complex) {
			out->real = out->work;
			out->work = has_vectors ? 2 * n + n * n : 1 + n;
		}
		break;
	case LIBRARY_GEEV:
		out->work = 4 * n;
		out->real = 2 * n;
		break;
	case LIBRARY_GESDD:
		out->integers = 8 * min;
		out->work = has_vectors ? (4 * min + 7) * min + max
					: 7 * min + 3 * max;
		if (!is_complex)
			break;
		out->real =
			has_vectors
				? larger(5 * min * min + 5 * min,
					 2 * max * min + 2 * min * min + min)
				: 7 * min;
		if (has_vectors)
			out->work = (min + 3) * min + max;
		break;
	}
	/* Blocks of 64 columns are the largest ones that routines use. */
	out->most = larger(out->work + 64 * (max + min), out->real);
}

/* The number that a query left in its workspace.  Not all numbers are
   floats. */
static int64_t asked_size(enum library_dtype dtype, const void *work)
{
	const bool is_single =
		dtype == LIBRARY_FLOAT32 || dtype == LIBRARY_COMPLEX64;
	const double asked = is_single ? (double)*(const float *)work
				       : *(const double *)work;

	/* NaN is not less. */
	if (!(asked < (double)LIBRARY_MOST_ELEMENTS))
		return 0;
	return (int64_t)(is_single ? asked * (1 + FLT_EPSILON) : asked) + 1;
}

/* Ask the routine how much work space it likes. */
static int64_t query(const struct library_call *call, unsigned routine,
		     const dprp_lapack *v)
{
	const struct library *library = call->library;
	const union library_integer ask =
		library_lapack_call_integer(library, -1);
	struct library_problem p;
	double work[4] = { 0 }, real[2], integers[2], arg[DPRP_LAPACK_ARGS][2];

	library_lapack_problem(call, v, &p);
	for (int i = 0; i < DPRP_LAPACK_ARGS; i++)
		p.arg[i] = arg[i];
	p.work = work;
	p.real = real;
	p.integers = integers;
	p.work_size = p.real_size = p.integers_size = ask;
	p.is_query = true;
	library_lapack_call_list[routine](&p);
	return asked_size(call->dtype, work);
}

/* --- Launches ------------------------------------------------------------- */

static unsigned number_of(const struct library_call *call)
{
	unsigned i = 0;

	while (library_lapack_routine(i) != call->routine)
		i++;
	return i;
}

/* Whether the library's integers have room for all numbers. */
static bool do_fit(const struct library_call *call, unsigned routine,
		   const dprp_lapack *v, const struct library_sizes *sizes)
{
	const struct library *library = call->library;
	bool good = library_fits(library, v->m) &&
		    library_fits(library, v->n) &&
		    library_fits(library, v->k) &&
		    library_fits(library, sizes->most);

	/* geev stores real vectors in the room for complex vectors, so their
	   leading dimension is twice as large. */
	for (size_t i = 0; good && library_values_list[routine].rows[i]; i++)
		good = !library_values_rows(routine, v, i) ||
		       (v->leading[i] <= INT64_MAX / 2 &&
			library_fits(library, routine == LIBRARY_GEEV && i == 2
						      ? 2 * v->leading[i]
						      : v->leading[i]));
	return good;
}

/* Divide a batch of small problems (LIBRARY_SMALL) into parts.  OpenBLAS uses
   no threads for such problems. */
static uint64_t count_parts(const dprp_lapack *v)
{
	int64_t work;

	if (__builtin_mul_overflow(v->m, v->n, &work) ||
	    __builtin_mul_overflow(work, larger(v->k, smaller(v->m, v->n)),
				   &work) ||
	    work >= LIBRARY_SMALL)
		return 1;
	return (uint64_t)v->count;
}

static dprp_rc plan_routine(const struct library_set *set,
			    const struct library_call *call,
			    const dprp_launch *launch, struct library_plan *out)
{
	const char *name = call->routine->module->kernels->name;
	const unsigned routine = number_of(call);
	const enum library_dtype dtype = call->dtype;
	struct library_sizes sizes;
	dprp_lapack v;

	memcpy(&v, launch->args[launch->n_args - 1].u.value, sizeof(v));
	if (!library_values_are_valid(routine, &v))
		return dprh_fail(
			set->host, DPR_RC_INVALID, 0,
			"%s%s: an extent or the count is below 1, "
			"extents or a leading dimension do not fit, or "
			"the routine does not have a flag",
			set->owner, name);
	library_values_complete(routine, &v);
	if (!library_values_fit(v.m, v.n) || !library_values_fit(v.m, v.k))
		return dprh_fail(set->host, DPR_RC_INVALID, 0,
				 "%s%s: no matrix is that large", set->owner,
				 name);
	least_sizes(routine, dtype >= LIBRARY_COMPLEX64, &v, &sizes);
	if (!do_fit(call, routine, &v, &sizes))
		return dprh_fail(set->host, DPR_RC_UNSUPPORTED, 0,
				 "%s%s: a number, or the size of a "
				 "workspace, is above 2147483647, the most "
				 "that this library takes",
				 set->owner, name);
	if (sizes.work)
		sizes.work = larger(sizes.work,
				    smaller(query(call, routine, &v),
					    call->library->is_wide
						    ? LIBRARY_MOST_ELEMENTS
						    : INT32_MAX));
	out->most = sizes.work;
	out->work = dprh_round_up((size_t)(sizes.work * library_item[dtype]),
				  DPRH_ALIGN);
	out->real = dprh_round_up((size_t)(sizes.real * real_size(dtype)),
				  DPRH_ALIGN);
	out->integers = dprh_round_up((size_t)sizes.integers * 8, DPRH_ALIGN);
	out->part = out->work + out->real + out->integers;
	out->parts = count_parts(&v);
	return DPR_RC_OK;
}

/* --- Work ----------------------------------------------------------------- */

void library_lapack_problem(const struct library_call *call,
			    const dprp_lapack *v, struct library_problem *out)
{
	const struct library *library = call->library;

	*out = (struct library_problem){
		.call = call,
		.v = v,
		.m = library_lapack_call_integer(library, v->m),
		.n = library_lapack_call_integer(library, v->n),
		.k = library_lapack_call_integer(library, v->k),
		.info = library_lapack_call_integer(library, 0),
	};
	for (int i = 0; i < DPRP_LAPACK_ARGS; i++)
		out->leading[i] =
			library_lapack_call_integer(library, v->leading[i]);
}

/* Solve problem @number, and return its info. */
static int32_t solve(unsigned routine, const struct library_problem *first,
		     const void *const *args, int64_t number)
{
	const struct library *library = first->call->library;
	const enum library_dtype dtype = first->call->dtype;
	const dprp_lapack *v = first->v;
	struct library_problem p = *first;
	int64_t info;

	for (size_t i = 0; library_values_list[routine].types[i]; i++)
		p.arg[i] = *(unsigned char *const *)args[i] +
			   (v->offset[i] + number * v->stride[i]) *
				   library_values_item(routine, i,
						       library_item[dtype],
						       real_size(dtype));
	if (routines[routine].is_scanned &&
	    !library_lapack_call_is_finite(&p, v->m, v->n,
					   routine == LIBRARY_SYEVD))
		return 1;
	library_lapack_call_list[routine](&p);
	info = library_lapack_call_value(library, p.info);
	return info < 0 || info > INT32_MAX ? INT32_MAX : (int32_t)info;
}

/* Solve the group's share of the problems. */
static void run_routine(const void *const *args, const uint64_t global[3],
			const uint64_t local[3], const uint64_t group[3])
{
	const struct library_task *task = args[0];
	const struct library_plan *plan = &task->plan;
	const struct library *library = task->call.library;
	const unsigned routine = number_of(&task->call);
	const size_t infos = strlen(library_values_list[routine].types) - 1;
	unsigned char *workspace =
		task->workspace + (size_t)group[0] * plan->part;
	struct library_problem p;
	struct library_share share;
	dprp_lapack v;

	(void)local;
	memcpy(&v, args[infos + 2], sizeof(v));
	library_values_complete(routine, &v);
	library_lapack_problem(&task->call, &v, &p);
	p.work = workspace;
	p.real = workspace + plan->work;
	p.integers = workspace + plan->work + plan->real;
	p.work_size = library_lapack_call_integer(library, plan->most);
	p.real_size = library_lapack_call_integer(
		library, (int64_t)plan->real / real_size(task->call.dtype));
	p.integers_size = library_lapack_call_integer(
		library, (int64_t)(plan->integers / 8));
	share = library_begin(&task->call, v.count, global[0], group[0]);
	for (int64_t i = share.from; i < share.to; i++) {
		const int32_t info = solve(routine, &p, args + 1, i);

		(*(int32_t *const *)args[infos + 1])[v.offset[infos] +
						     i * v.stride[infos]] =
			info;
	}
	library_end(&share);
}

/* --- Kernels -------------------------------------------------------------- */

/* The parameters of all kernels.  A kernel with n arguments in memory has the
   last n + 1 of them. */
static const dprp_param params[DPRP_LAPACK_ARGS + 1] = {
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_VALUE, 0, sizeof(dprp_lapack) },
};

static dprp_rc get_routine(struct library_set *set, struct library_call *call)
{
	const struct library_lapack *lapack = open_lapack(set);

	if (!lapack->is_found)
		return dprh_fail(set->host, DPR_RC_UNSUPPORTED, 0, "%s%s",
				 set->owner, lapack->library.text);
	call->library = &lapack->library;
	call->function = lapack->function[number_of(call)][call->dtype];
	call->getrs = lapack->getrs[call->dtype];
	if (!call->function ||
	    (number_of(call) == LIBRARY_GESV && !call->getrs))
		return dprh_fail(set->host, DPR_RC_UNSUPPORTED, 0,
				 "%sthis LAPACK has no %s for the dtype: "
				 "%s",
				 set->owner,
				 call->routine->module->kernels->name,
				 lapack->library.text);
	return DPR_RC_OK;
}

#define KERNEL(name, n_mem)                                 \
	static const dprp_native_kernel kernel_##name = {   \
		#name, run_routine, (n_mem) + 1, 0,         \
		params + DPRP_LAPACK_ARGS - (n_mem)         \
	};                                                  \
	static const dprp_native_module module_##name = {   \
		sizeof(module_##name), 1, 0, &kernel_##name \
	};

#define ROUTINE(name)                                     \
	{                                                 \
		&module_##name, get_routine, plan_routine \
	}

KERNEL(potrf, 2)
KERNEL(getrf, 3)
KERNEL(getri, 3)
KERNEL(gesv, 3)
KERNEL(trtrs, 3)
KERNEL(geqrf, 3)
KERNEL(orgqr, 3)
KERNEL(syevd, 3)
KERNEL(geev, 4)
KERNEL(gesdd, 5)

const struct library_routine *library_lapack_routine(unsigned i)
{
	static const struct library_routine list[LIBRARY_LAPACK_ROUTINES] = {
		[LIBRARY_POTRF] = ROUTINE(potrf),
		[LIBRARY_GETRF] = ROUTINE(getrf),
		[LIBRARY_GETRI] = ROUTINE(getri),
		[LIBRARY_GESV] = ROUTINE(gesv),
		[LIBRARY_TRTRS] = ROUTINE(trtrs),
		[LIBRARY_GEQRF] = ROUTINE(geqrf),
		[LIBRARY_ORGQR] = ROUTINE(orgqr),
		[LIBRARY_SYEVD] = ROUTINE(syevd),
		[LIBRARY_GEEV] = ROUTINE(geev),
		[LIBRARY_GESDD] = ROUTINE(gesdd),
	};

	return &list[i];
}
