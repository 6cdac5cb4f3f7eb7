/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faulty_lapack.c - routines of LAPACK as native kernels of the mock, and
 * faults of them.
 */
#include "tests/kit/lapack/faulty_lapack.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/kit/faulty.h"
#include "tests/plugins/mock/mock_impl.h"

/* What is wrong. */
static enum {
	NOTHING,
	FIRST,      /* only the first matrix of a batch is looked at */
	NO_STRIDE,  /* matrices are one behind the other */
	NO_OFFSET,  /* all memory begins with the first matrix */
	NO_LEADING, /* columns are one behind the other */
	NO_INFO,    /* each matrix is good */
	INFO_UNSET, /* where a matrix is good */
	ANY_FLAG,
	SHARED,       /* launches on all queues have one workspace */
	NAN_HANGS,    /* a loop that goes on until numbers are near */
	NAN_ENDS,     /* the process */
	NAN_SPREADS,  /* to the other matrices of the batch */
	POTRF_LOWER,  /* always the lower triangle */
	POTRF_CLEARS, /* the other triangle */
	POTRF_PLAIN,  /* the factor is L L^T */
	GETRF_FROM_0, /* pivots are counted from 0 */
	GETRF_NO_PIVOTS,
	GETRF_STOPS, /* at a pivot of 0 */
	GETRI_NO_PIVOTS,
	GETRI_BLIND, /* zeros on the diagonal are not seen */
	GESV_PLAIN,  /* TRANSPOSED has no effect */
	GESV_ONE,    /* only the first column of b is solved */
	TRTRS_PLAIN, /* CONJUGATED is TRANSPOSED */
	TRTRS_NO_UNIT,
	TRTRS_BLIND, /* zeros on the diagonal are not seen */
	GEQRF_CONJUGATED,
	ORGQR_CONJUGATED,
	ORGQR_THIN, /* only k columns are made */
	SYEVD_DESCENDING,
	SYEVD_LOWER,
	SYEVD_ROWS, /* vectors are rows */
	GEEV_PAIRS, /* both values of a pair have one vector */
	GEEV_LONG,  /* vectors have another norm */
	GESDD_ASCENDING,
	GESDD_TURNED,  /* vh is v^T */
	GESDD_THIN,    /* FULL has no effect */
	GESDD_TOUCHES, /* u, without VECTORS */
} wrong;

/* --- Matrices in memory --------------------------------------------------- */

/* One problem of a launch.  kind: f, d, c or z. */
struct problem {
	const void *const *args;
	dprp_lapack v;
	int64_t number;
	char kind;
};

static char real_kind(const struct problem *p)
{
	return p->kind == 'f' || p->kind == 'c' ? 'f' : 'd';
}

static char complex_kind(const struct problem *p)
{
	return p->kind == 'f' || p->kind == 'c' ? 'c' : 'z';
}

static size_t size_of(char kind)
{
	return kind == 'f' || kind == 'i' ? 4 : kind == 'z' ? 16 : 8;
}

/* Element (i, j) of an argument of @rows x @columns. */
static unsigned char *element(const struct problem *p, int arg, char kind,
			      int64_t rows, int64_t columns, int64_t i,
			      int64_t j)
{
	const int64_t leading =
		wrong == NO_LEADING || columns == 1 ? rows : p->v.leading[arg];
	const int64_t stride =
		wrong == NO_STRIDE ? rows * columns : p->v.stride[arg];
	const int64_t offset = wrong == NO_OFFSET ? 0 : p->v.offset[arg];

	return *(unsigned char *const *)p->args[arg] +
	       (size_t)(offset + p->number * stride + i + j * leading) *
		       size_of(kind);
}

static double complex load_one(const unsigned char *at, char kind)
{
	double of[2] = { 0, 0 };
	float single[2] = { 0, 0 };

	if (kind == 'd' || kind == 'z') {
		memcpy(of, at, size_of(kind));
		return of[0] + I * of[1];
	}
	memcpy(single, at, size_of(kind));
	return (double)single[0] + I * (double)single[1];
}

static void store_one(unsigned char *at, char kind, double complex x)
{
	const double of[2] = { creal(x), cimag(x) };
	const float single[2] = { (float)of[0], (float)of[1] };

	if (kind == 'd' || kind == 'z')
		memcpy(at, of, size_of(kind));
	else
		memcpy(at, single, size_of(kind));
}

/* Load a matrix of the routine's dtype. */
static struct dense load(const struct problem *p, int arg, int64_t rows,
			 int64_t columns)
{
	static struct dense shared;
	struct dense x = { .m = rows, .n = columns };

	for (int64_t i = 0; i < rows; i++)
		for (int64_t j = 0; j < columns; j++)
			x.v[i][j] = load_one(
				element(p, arg, p->kind, rows, columns, i, j),
				p->kind);
	/* Once: the kit also tries many smaller matrices. */
	if (wrong == SHARED && rows == DENSE_MOST && p->kind == 'f') {
		shared = x;
		usleep(20000);
		x = shared;
	}
	return x;
}

static void store(const struct problem *p, int arg, char kind,
		  const struct dense *x)
{
	for (int64_t i = 0; i < x->m; i++)
		for (int64_t j = 0; j < x->n; j++)
			store_one(element(p, arg, kind, x->m, x->n, i, j), kind,
				  x->v[i][j]);
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Copy the named triangle, transposed, over the other triangle. */
static void mirror(struct dense *x, bool upper)
{
	for (int64_t i = 0; i < x->n; i++)
		for (int64_t j = 0; j < i; j++)
			if (upper)
				x->v[i][j] = conj(x->v[j][i]);
			else
				x->v[j][i] = conj(x->v[i][j]);
}

/* --- Factors -------------------------------------------------------------- */

static int64_t run_potrf(const struct problem *p)
{
	const int64_t n = p->v.n;
	const bool upper =
		p->v.flags & DPRP_LAPACK_UPPER && wrong != POTRF_LOWER;
	struct dense a = load(p, 0, n, n);

	mirror(&a, upper);
	for (int64_t j = 0; j < n; j++)
		for (int64_t i = j; i < n; i++) {
			for (int64_t q = 0; q < j; q++)
				a.v[i][j] -=
					a.v[i][q] * (wrong == POTRF_PLAIN
							     ? a.v[j][q]
							     : conj(a.v[j][q]));
			if (i > j)
				a.v[i][j] /= a.v[j][j];
			else if (!(creal(a.v[i][j]) > 0))
				return j + 1;
			else
				a.v[i][j] = sqrt(creal(a.v[i][j]));
		}
	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < n; j++)
			if (j <= i)
				store_one(element(p, 0, p->kind, n, n,
						  upper ? j : i, upper ? i : j),
					  p->kind,
					  upper ? conj(a.v[i][j]) : a.v[i][j]);
			else if (wrong == POTRF_CLEARS)
				store_one(element(p, 0, p->kind, n, n,
						  upper ? j : i, upper ? i : j),
					  p->kind, 0);
	return 0;
}

/* Replace a by its L and U, without exchanges. */
static int64_t lu_without_pivots(struct dense *a, int64_t *pivots)
{
	int64_t info = 0;

	for (int64_t p = 0; p < smaller(a->m, a->n); p++) {
		pivots[p] = p;
		if (a->v[p][p] == 0)
			info = info ? info : p + 1;
		for (int64_t i = p + 1; a->v[p][p] != 0 && i < a->m; i++) {
			a->v[i][p] /= a->v[p][p];
			for (int64_t j = p + 1; j < a->n; j++)
				a->v[i][j] -= a->v[i][p] * a->v[p][j];
		}
	}
	return info;
}

static int64_t run_getrf(const struct problem *p)
{
	const int64_t m = p->v.m, n = p->v.n, min = smaller(m, n);
	struct dense a = load(p, 0, m, n);
	int64_t pivots[DENSE_MOST], info;

	info = wrong == GETRF_NO_PIVOTS ? lu_without_pivots(&a, pivots)
					: dense_lu(&a, pivots);
	if (wrong == GETRF_STOPS && info)
		return info;
	store(p, 0, p->kind, &a);
	for (int64_t i = 0; i < min; i++) {
		if (wrong != GETRF_FROM_0)
			pivots[i]++;
		memcpy(element(p, 1, 'p', min, 1, i, 0), &pivots[i],
		       sizeof(pivots[i]));
	}
	return info;
}

static int64_t run_getri(const struct problem *p)
{
	const int64_t n = p->v.n;
	struct dense a = load(p, 0, n, n), x = dense_identity(n, n);
	int64_t pivots[DENSE_MOST];

	for (int64_t i = 0; i < n; i++) {
		memcpy(&pivots[i], element(p, 1, 'p', n, 1, i, 0), 8);
		pivots[i] = wrong == GETRI_NO_PIVOTS ? i : pivots[i] - 1;
		if ((a.v[i][i] == 0 && wrong != GETRI_BLIND) || pivots[i] < 0 || pivots[i] >= n)
			return i + 1;
	}
	dense_solve(&a, pivots, &x);
	store(p, 0, p->kind, &x);
	return 0;
}

static int64_t run_gesv(const struct problem *p)
{
	const int64_t n = p->v.n;
	struct dense a = load(p, 0, n, n), b = load(p, 1, n, p->v.k), t = a;
	int64_t pivots[DENSE_MOST];
	const int64_t info = dense_lu(&a, pivots);

	store(p, 0, p->kind, &a);
	if (info)
		return info;
	if (p->v.flags & DPRP_LAPACK_TRANSPOSED && wrong != GESV_PLAIN) {
		a = t;
		dense_transpose(&a);
		dense_lu(&a, pivots);
	}
	if (wrong == GESV_ONE)
		b.n = 1;
	dense_solve(&a, pivots, &b);
	store(p, 1, p->kind, &b);
	return 0;
}

static int64_t run_trtrs(const struct problem *p)
{
	const int64_t n = p->v.n, flags = p->v.flags;
	const bool upper = flags & DPRP_LAPACK_UPPER;
	const bool unit = flags & DPRP_LAPACK_UNIT && wrong != TRTRS_NO_UNIT;
	struct dense a = load(p, 0, n, n), b = load(p, 1, n, p->v.k);
	int64_t pivots[DENSE_MOST], info = 0;

	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < n; j++)
			if (i == j && unit)
				a.v[i][j] = 1;
			else if (upper ? j < i : j > i)
				a.v[i][j] = 0;
			else if (i == j && a.v[i][j] == 0 && !info)
				info = i + 1;
	if (info && wrong != TRTRS_BLIND)
		return info;
	if (flags & DPRP_LAPACK_TRANSPOSED ||
	    (flags & DPRP_LAPACK_CONJUGATED && wrong == TRTRS_PLAIN))
		dense_transpose(&a);
	else if (flags & DPRP_LAPACK_CONJUGATED)
		a = dense_turned(&a);
	dense_lu(&a, pivots);
	dense_solve(&a, pivots, &b);
	store(p, 1, p->kind, &b);
	return 0;
}

static int64_t run_geqrf(const struct problem *p)
{
	struct dense a = load(p, 0, p->v.m, p->v.n);
	struct dense tau = { .m = smaller(p->v.m, p->v.n), .n = 1 };
	double complex all[DENSE_MOST];

	dense_qr(&a, all);
	for (int64_t i = 0; i < tau.m; i++)
		tau.v[i][0] = wrong == GEQRF_CONJUGATED ? conj(all[i]) : all[i];
	store(p, 0, p->kind, &a);
	store(p, 1, p->kind, &tau);
	return 0;
}

static int64_t run_orgqr(const struct problem *p)
{
	const int64_t k = p->v.k;
	const struct dense a = load(p, 0, p->v.m, p->v.n);
	const struct dense tau = load(p, 1, k, 1);
	struct dense q =
		dense_identity(p->v.m, wrong == ORGQR_THIN ? k : p->v.n);
	double complex all[DENSE_MOST];

	for (int64_t i = 0; i < k; i++)
		all[i] = wrong == ORGQR_CONJUGATED ? conj(tau.v[i][0])
						   : tau.v[i][0];
	dense_reflect(&a, all, k, &q);
	store(p, 0, p->kind, &q);
	return 0;
}

/* --- Values --------------------------------------------------------------- */

/* All eigenvalues are made positive by a number that is added to the diagonal:
   then they are the singular values. */
static int64_t run_syevd(const struct problem *p)
{
	const int64_t n = p->v.n;
	const bool upper =
		p->v.flags & DPRP_LAPACK_UPPER && wrong != SYEVD_LOWER;
	struct dense a = load(p, 0, n, n), v, vectors = { .m = n, .n = n };
	struct dense w = { .m = n, .n = 1 };
	double s[DENSE_MOST], more = 1;

	mirror(&a, upper);
	for (int64_t i = 0; i < n * n; i++)
		more += cabs(a.v[i / n][i % n]) / sqrt((double)n);
	for (int64_t i = 0; i < n; i++)
		a.v[i][i] += more;
	dense_svd(&a, s, &v);
	for (int64_t j = 0; j < n; j++) {
		const int64_t from = wrong == SYEVD_DESCENDING ? j : n - 1 - j;

		w.v[j][0] = s[from] - more;
		for (int64_t i = 0; i < n; i++)
			vectors.v[i][j] = v.v[i][from];
	}
	if (wrong == SYEVD_ROWS)
		vectors = dense_turned(&vectors);
	store(p, 1, real_kind(p), &w);
	if (p->v.flags & DPRP_LAPACK_VECTORS)
		store(p, 0, p->kind, &vectors);
	return 0;
}

static int64_t run_geev(const struct problem *p)
{
	const int64_t n = p->v.n;
	const struct dense a = load(p, 0, n, n);
	struct dense v, w = { .m = n, .n = 1 };
	double complex all[DENSE_MOST];

	dense_eigen(&a, all, &v);
	for (int64_t j = 0; j < n; j++) {
		w.v[j][0] = all[j];
		for (int64_t i = 0; i < n && wrong == GEEV_LONG; i++)
			v.v[i][j] *= 2;
		for (int64_t i = 0; i < n && wrong == GEEV_PAIRS; i++)
			if (cimag(all[j]) < 0)
				v.v[i][j] = conj(v.v[i][j]);
	}
	store(p, 1, complex_kind(p), &w);
	if (p->v.flags & DPRP_LAPACK_VECTORS)
		store(p, 2, complex_kind(p), &v);
	return 0;
}

static int64_t run_gesdd(const struct problem *p)
{
	const int64_t m = p->v.m, n = p->v.n, min = smaller(m, n);
	struct dense a = load(p, 0, m, n), v, u, s = { .m = min, .n = 1 };
	double values[DENSE_MOST];

	if (m < n)
		a = dense_turned(&a);
	dense_svd(&a, values, &v);
	for (int64_t i = 0; i < min; i++)
		s.v[i][0] = values[wrong == GESDD_ASCENDING ? min - 1 - i : i];
	store(p, 1, real_kind(p), &s);
	if (!(p->v.flags & DPRP_LAPACK_VECTORS) && wrong != GESDD_TOUCHES)
		return 0;
	u = m < n ? v : a;
	v = m < n ? a : v;
	if (p->v.flags & DPRP_LAPACK_FULL && wrong != GESDD_THIN) {
		dense_complete(&u);
		dense_complete(&v);
	}
	store(p, 2, p->kind, &u);
	v = dense_turned(&v);
	for (int64_t i = 0; i < v.m && wrong == GESDD_TURNED; i++)
		for (int64_t j = 0; j < v.n; j++)
			v.v[i][j] = conj(v.v[i][j]);
	store(p, 3, p->kind, &v);
	return 0;
}

/* --- Launches ------------------------------------------------------------- */

static const struct routine {
	const char *name;
	int n_args; /* with info */
	int64_t flags;
	int64_t (*run)(const struct problem *p);
} routines[] = {
	{ "potrf", 2, DPRP_LAPACK_UPPER, run_potrf },
	{ "getrf", 3, 0, run_getrf },
	{ "gesv", 3, DPRP_LAPACK_TRANSPOSED, run_gesv },
	{ "trtrs", 3,
	  DPRP_LAPACK_UPPER | DPRP_LAPACK_TRANSPOSED | DPRP_LAPACK_CONJUGATED |
		  DPRP_LAPACK_UNIT,
	  run_trtrs },
	{ "geqrf", 3, 0, run_geqrf },
	{ "orgqr", 3, 0, run_orgqr },
	{ "syevd", 3, DPRP_LAPACK_UPPER | DPRP_LAPACK_VECTORS, run_syevd },
	{ "geev", 4, DPRP_LAPACK_VECTORS, run_geev },
	{ "gesdd", 5, DPRP_LAPACK_VECTORS | DPRP_LAPACK_FULL, run_gesdd },
	{ "getri", 3, 0, run_getri },
};

#define ROUTINES (sizeof(routines) / sizeof(routines[0]))

/* Do wrong at the second diagonal element that is NaN. */
static void stumble(const struct problem *p)
{
	const unsigned char *at = element(p, 0, p->kind, p->v.n, p->v.n, 0, 0);

	while (wrong == NAN_HANGS && isnan(creal(load_one(at, p->kind))) &&
	       p->v.n > 1)
		usleep(1000);
	if (wrong == NAN_ENDS && isnan(creal(load_one(at, p->kind))))
		_exit(0);
}

static void run(size_t r, char kind, const void *const *args)
{
	const struct routine *routine = &routines[r];
	const int last = routine->n_args - 1;
	struct problem p = { .args = args, .kind = kind };
	bool is_spoiled = false;
	int32_t info;

	memcpy(&p.v, args[routine->n_args], sizeof(p.v));
	for (; p.number < (wrong == FIRST ? 1 : p.v.count); p.number++) {
		unsigned char *at = element(&p, 0, kind, p.v.n, p.v.n, 0, 0);

		if (wrong == NAN_HANGS || wrong == NAN_ENDS)
			stumble(&p);
		is_spoiled = is_spoiled || isinf(creal(load_one(at, kind)));
		if (is_spoiled && wrong == NAN_SPREADS)
			info = 1;
		else
			info = (int32_t)routine->run(&p);
		if (wrong == NO_INFO)
			info = 0;
		if (info || wrong != INFO_UNSET)
			memcpy(element(&p, last, 'i', 1, 1, 0, 0), &info,
			       sizeof(info));
	}
}

/* A native kernel for each routine and dtype. */
#define RUN(r, kind)                                               \
	static void run_##r##_##kind(                              \
		const void *const *args, const uint64_t global[3], \
		const uint64_t local[3], const uint64_t group[3])  \
	{                                                          \
		(void)global;                                      \
		(void)local;                                       \
		if (!group[0])                                     \
			run(r, #kind[0], args);                    \
	}
#define RUNS(r) RUN(r, f) RUN(r, d) RUN(r, c) RUN(r, z)
RUNS(0) RUNS(1) RUNS(2) RUNS(3) RUNS(4)
RUNS(5) RUNS(6) RUNS(7) RUNS(8) RUNS(9)

/* clang-format off */
#define MEM { DPRP_ARG_MEM, 0, sizeof(void *) }
static const dprp_param params[] = {
	MEM, MEM, MEM, MEM, MEM, { DPRP_ARG_VALUE, 0, sizeof(dprp_lapack) },
};
#define KERNEL(r, name, n, kind) \
	{ name, run_##r##_##kind, (n) + 1, 0, params + DPRP_LAPACK_ARGS - (n) }
#define KERNELS(r, name, n) \
	{ KERNEL(r, name, n, f), KERNEL(r, name, n, d), \
	  KERNEL(r, name, n, c), KERNEL(r, name, n, z) }
static const dprp_native_kernel kernels[ROUTINES][4] = {
	KERNELS(0, "potrf", 2), KERNELS(1, "getrf", 3), KERNELS(2, "gesv", 3),
	KERNELS(3, "trtrs", 3), KERNELS(4, "geqrf", 3), KERNELS(5, "orgqr", 3),
	KERNELS(6, "syevd", 3), KERNELS(7, "geev", 4), KERNELS(8, "gesdd", 5),
	KERNELS(9, "getri", 3),
};
#define MODULE(r, t) { sizeof(dprp_native_module), 1, 0, &kernels[r][t] }
#define MODULES(r) { MODULE(r, 0), MODULE(r, 1), MODULE(r, 2), MODULE(r, 3) }
static const dprp_native_module modules[ROUTINES][4] = {
	MODULES(0), MODULES(1), MODULES(2), MODULES(3), MODULES(4), MODULES(5),
	MODULES(6), MODULES(7), MODULES(8), MODULES(9),
};
/* clang-format on */

const dprp_native_module *faulty_lapack_find(const char *name, size_t size)
{
	static const char *const dtypes[] = { "float32", "float64", "complex64",
					      "complex128" };
	char full[32];

	for (size_t r = 0; r < ROUTINES; r++)
		for (int t = 0; t < 4; t++) {
			snprintf(full, sizeof(full), "%s %s", routines[r].name,
				 dtypes[t]);
			if (strlen(full) == size && !memcmp(full, name, size))
				return &modules[r][t];
		}
	return NULL;
}

/* Refuse flags that a routine does not have. */
static dprp_rc launch_lapack(dprp_queue *queue, dprp_kernel *kernel,
			     const dprp_launch *launch, const dprp_deps *deps,
			     dprp_event **event)
{
	const int64_t both = DPRP_LAPACK_TRANSPOSED | DPRP_LAPACK_CONJUGATED;
	dprp_lapack v;

	for (size_t r = 0; kernel->native && r < ROUTINES; r++)
		if (kernel->native->params ==
			    params + DPRP_LAPACK_ARGS - routines[r].n_args &&
		    !strcmp(kernel->native->name, routines[r].name)) {
			memcpy(&v, launch->args[routines[r].n_args].u.value,
			       sizeof(v));
			if ((v.flags & ~routines[r].flags ||
			     (v.flags & both) == both) &&
			    wrong != ANY_FLAG)
				return faulty_fail(DPR_RC_INVALID);
		}
	return faulty.mock->queue->launch(queue, kernel, launch, deps, event);
}

void faulty_lapack_offer(void)
{
	faulty.queue.launch = launch_lapack;
}

/* --- Faults --------------------------------------------------------------- */

static void lapack_first(void)
{
	wrong = FIRST;
}

static void lapack_no_stride(void)
{
	wrong = NO_STRIDE;
}

static void lapack_no_offset(void)
{
	wrong = NO_OFFSET;
}

static void lapack_no_leading(void)
{
	wrong = NO_LEADING;
}

static void lapack_no_info(void)
{
	wrong = NO_INFO;
}

static void lapack_info_unset(void)
{
	wrong = INFO_UNSET;
}

static void lapack_any_flag(void)
{
	wrong = ANY_FLAG;
}

static void lapack_shared(void)
{
	wrong = SHARED;
}

static void lapack_nan_hangs(void)
{
	wrong = NAN_HANGS;
}

static void lapack_nan_ends(void)
{
	wrong = NAN_ENDS;
}

static void lapack_nan_spreads(void)
{
	wrong = NAN_SPREADS;
}

static void potrf_lower(void)
{
	wrong = POTRF_LOWER;
}

static void potrf_clears(void)
{
	wrong = POTRF_CLEARS;
}

static void potrf_plain(void)
{
	wrong = POTRF_PLAIN;
}

static void getrf_from_0(void)
{
	wrong = GETRF_FROM_0;
}

static void getrf_no_pivots(void)
{
	wrong = GETRF_NO_PIVOTS;
}

static void getrf_stops(void)
{
	wrong = GETRF_STOPS;
}

static void getri_no_pivots(void)
{
	wrong = GETRI_NO_PIVOTS;
}

static void getri_blind(void)
{
	wrong = GETRI_BLIND;
}

static void gesv_plain(void)
{
	wrong = GESV_PLAIN;
}

static void gesv_one(void)
{
	wrong = GESV_ONE;
}

static void trtrs_plain(void)
{
	wrong = TRTRS_PLAIN;
}

static void trtrs_no_unit(void)
{
	wrong = TRTRS_NO_UNIT;
}

static void trtrs_blind(void)
{
	wrong = TRTRS_BLIND;
}

static void geqrf_conjugated(void)
{
	wrong = GEQRF_CONJUGATED;
}

static void orgqr_conjugated(void)
{
	wrong = ORGQR_CONJUGATED;
}

static void orgqr_thin(void)
{
	wrong = ORGQR_THIN;
}

static void syevd_descending(void)
{
	wrong = SYEVD_DESCENDING;
}

static void syevd_lower(void)
{
	wrong = SYEVD_LOWER;
}

static void syevd_rows(void)
{
	wrong = SYEVD_ROWS;
}

static void geev_pairs(void)
{
	wrong = GEEV_PAIRS;
}

static void geev_long(void)
{
	wrong = GEEV_LONG;
}

static void gesdd_ascending(void)
{
	wrong = GESDD_ASCENDING;
}

static void gesdd_turned(void)
{
	wrong = GESDD_TURNED;
}

static void gesdd_thin(void)
{
	wrong = GESDD_THIN;
}

static void gesdd_touches(void)
{
	wrong = GESDD_TOUCHES;
}

const struct fault faulty_lapack_faults[] = {
	{ "lapack_first", lapack_first },
	{ "lapack_no_stride", lapack_no_stride },
	{ "lapack_no_offset", lapack_no_offset },
	{ "lapack_no_leading", lapack_no_leading },
	{ "lapack_no_info", lapack_no_info },
	{ "lapack_info_unset", lapack_info_unset },
	{ "lapack_any_flag", lapack_any_flag },
	{ "lapack_shared", lapack_shared },
	{ "lapack_nan_hangs", lapack_nan_hangs },
	{ "lapack_nan_ends", lapack_nan_ends },
	{ "lapack_nan_spreads", lapack_nan_spreads },
	{ "potrf_lower", potrf_lower },
	{ "potrf_clears", potrf_clears },
	{ "potrf_plain", potrf_plain },
	{ "getrf_from_0", getrf_from_0 },
	{ "getrf_no_pivots", getrf_no_pivots },
	{ "getrf_stops", getrf_stops },
	{ "getri_no_pivots", getri_no_pivots },
	{ "getri_blind", getri_blind },
	{ "gesv_plain", gesv_plain },
	{ "gesv_one", gesv_one },
	{ "trtrs_plain", trtrs_plain },
	{ "trtrs_no_unit", trtrs_no_unit },
	{ "trtrs_blind", trtrs_blind },
	{ "geqrf_conjugated", geqrf_conjugated },
	{ "orgqr_conjugated", orgqr_conjugated },
	{ "orgqr_thin", orgqr_thin },
	{ "syevd_descending", syevd_descending },
	{ "syevd_lower", syevd_lower },
	{ "syevd_rows", syevd_rows },
	{ "geev_pairs", geev_pairs },
	{ "geev_long", geev_long },
	{ "gesdd_ascending", gesdd_ascending },
	{ "gesdd_turned", gesdd_turned },
	{ "gesdd_thin", gesdd_thin },
	{ "gesdd_touches", gesdd_touches },
	{ NULL, NULL },
};
