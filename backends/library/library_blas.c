/* SPDX-License-Identifier: Apache-2.0 */
/* library_blas.c - a CBLAS of the system, and its products of matrices. */
#include "backends/library/library.h"

#include <string.h>

#define ROW_MAJOR 101
#define PLAIN 111
#define TRANSPOSED 112

#define GEMM_ARGS 4u

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* --- The library ---------------------------------------------------------- */

/* The libraries that are tried, the fastest first. */
static const char *const libraries[] = {
	"libopenblasp.so.0", "libopenblas.so.0", "libopenblas64.so.0",
	"libmkl_rt.so.3",    "libmkl_rt.so.2",   "libmkl_rt.so.1",
	"libblis.so.4",      "libblis64.so.4",   "libblis.so.3",
	"libcblas.so.3",
	"libblas.so.3",
};

static const char *const names[LIBRARY_DTYPES] = { "cblas_sgemm", "cblas_dgemm",
						   "cblas_cgemm",
						   "cblas_zgemm" };

/*
 * Whether integers have 64 bits.  A vector of a length below 0 has the product
 * 0.  The lower half of this length is 1: so a library that reads 32 bits
 * returns 6.  On these machines an integer of 32 bits is passed like one of 64
 * bits, and the upper half is not read.  Elsewhere only the name tells.
 */
static bool find_width(const struct library_source *source)
{
#if defined(__x86_64__) || defined(__aarch64__)
	static const float x[] = { 2 }, y[] = { 3 };
	const union library_symbol dot = library_find(source, "cblas_sdot");

	if (dot.address)
		return dot.dot(INT64_MIN + 1, x, 1, y, 1) == 0;
#endif
	return *source->suffix != '\0';
}

const struct library_blas *library_blas_open(struct library_set *set)
{
	const struct library_search search = {
		.option = "BLAS",
		.value = set->blas_option,
		.files = libraries,
		.n_files = COUNT(libraries),
		.names = names,
		.n_names = LIBRARY_DTYPES,
		.missing = "there is no CBLAS; install OpenBLAS (Debian: "
			   "libopenblas0-pthread)",
	};
	struct library_blas *blas = &set->blas;

	pthread_mutex_lock(&set->blas_lock);
	if (!set->blas_is_open &&
	    library_open(set, &search, &blas->source, blas->library.text)) {
		for (int i = 0; i < LIBRARY_DTYPES; i++)
			blas->gemm[i] =
				library_find(&blas->source, names[i]).function;
		blas->library.is_wide = find_width(&blas->source);
		library_describe(&blas->source, "a CBLAS", blas->gemm[0],
				 &blas->library);
	}
	set->blas_is_open = true;
	pthread_mutex_unlock(&set->blas_lock);
	return blas;
}

static dprp_rc get_gemm(struct library_set *set, struct library_call *call)
{
	const struct library_blas *blas = library_blas_open(set);

	if (!blas->gemm[0])
		return dprh_fail(set->host, DPR_RC_UNSUPPORTED, 0, "%s%s",
				 set->owner, blas->library.text);
	call->library = &blas->library;
	call->function = blas->gemm[call->dtype];
	return DPR_RC_OK;
}

/* --- Products ------------------------------------------------------------- */

static int transposed(const dprp_gemm *v, int64_t flag)
{
	return v->flags & flag ? TRANSPOSED : PLAIN;
}

/* One product.  INT: the library's integers.  FACTOR: the type of its factors,
   of which ONE and ZERO are values. */
#define GEMM(name, INT, FACTOR, ONE, ZERO)                                     \
	static void name(const struct library_call *call, const dprp_gemm *v,  \
			 const void *a, const void *b, void *c)                \
	{                                                                      \
		typedef void (*function)(int, int, int, INT, INT, INT, FACTOR, \
					 const void *, INT, const void *, INT, \
					 FACTOR, void *, INT);                 \
                                                                               \
		((function)call->function)(                                    \
			ROW_MAJOR, transposed(v, DPRP_GEMM_A_TRANSPOSED),      \
			transposed(v, DPRP_GEMM_B_TRANSPOSED), (INT)v->m,      \
			(INT)v->n, (INT)v->k, ONE, a, (INT)v->lda, b,          \
			(INT)v->ldb, ZERO, c, (INT)v->ldc);                    \
	}

static const float one_32[2] = { 1, 0 }, zero_32[2];
static const double one_64[2] = { 1, 0 }, zero_64[2];

GEMM(gemm_float32, int, float, 1, 0)
GEMM(gemm_float64, int, double, 1, 0)
GEMM(gemm_complex64, int, const void *, one_32, zero_32)
GEMM(gemm_complex128, int, const void *, one_64, zero_64)
GEMM(wide_float32, int64_t, float, 1, 0)
GEMM(wide_float64, int64_t, double, 1, 0)
GEMM(wide_complex64, int64_t, const void *, one_32, zero_32)
GEMM(wide_complex128, int64_t, const void *, one_64, zero_64)

/* For integers of 32 bits, and of 64 bits. */
static void (*const gemm[2][LIBRARY_DTYPES])(const struct library_call *call,
					     const dprp_gemm *v, const void *a,
					     const void *b, void *c) = {
	{ gemm_float32, gemm_float64, gemm_complex64, gemm_complex128 },
	{ wide_float32, wide_float64, wide_complex64, wide_complex128 },
};

/* The indices of a product in the batch, and where its matrices begin. */
struct blas_place {
	int64_t at[DPRP_GEMM_BATCHES];
	int64_t a, b, c;
};

static struct blas_place place_of(const dprp_gemm *v, int64_t product)
{
	struct blas_place p = {
		.a = library_gemm_place(v, v->stride_a, v->offset_a, product),
		.b = library_gemm_place(v, v->stride_b, v->offset_b, product),
		.c = library_gemm_place(v, v->stride_c, v->offset_c, product)
	};

	for (int d = DPRP_GEMM_BATCHES - 1; d >= 0; d--) {
		p.at[d] = product % v->batch[d];
		product /= v->batch[d];
	}
	return p;
}

static void move_along(const dprp_gemm *v, int axis, int64_t steps,
		       struct blas_place *p)
{
	p->at[axis] += steps;
	p->a += steps * v->stride_a[axis];
	p->b += steps * v->stride_b[axis];
	p->c += steps * v->stride_c[axis];
}

/* Go to the next product.  Divisions, as in place_of(), would take a third of
   the time of a small product. */
static void go_on(const dprp_gemm *v, struct blas_place *p)
{
	for (int d = DPRP_GEMM_BATCHES - 1; d >= 0; d--) {
		if (p->at[d] + 1 < v->batch[d]) {
			move_along(v, d, 1, p);
			return;
		}
		move_along(v, d, -p->at[d], p);
	}
}

/* Compute the group's share of the batch. */
static void run_gemm(const void *const *args, const uint64_t global[3],
		     const uint64_t local[3], const uint64_t group[3])
{
	const struct library_call *call =
		&((const struct library_task *)args[0])->call;
	const char *a = *(const char *const *)args[1];
	const char *b = *(const char *const *)args[2];
	char *c = *(char *const *)args[3];
	const int64_t item = library_item[call->dtype];
	struct library_share share;
	struct blas_place p;
	dprp_gemm v;

	(void)local;
	memcpy(&v, args[4], sizeof(v));
	share = library_begin(call, library_gemm_count(&v), global[0],
			      group[0]);
	p = place_of(&v, share.from);
	for (int64_t i = share.from; i < share.to; i++) {
		gemm[call->library->is_wide][call->dtype](
			call, &v, a + p.a * item, b + p.b * item,
			c + p.c * item);
		go_on(&v, &p);
	}
	library_end(&share);
}

/* Check the values, and divide the work. */
static dprp_rc plan_gemm(const struct library_set *set,
			 const struct library_call *call,
			 const dprp_launch *launch, struct library_plan *out)
{
	const struct library *library = call->library;
	int64_t work;
	dprp_gemm v;

	memcpy(&v, launch->args[GEMM_ARGS - 1].u.value, sizeof(v));
	if (!library_gemm_is_valid(&v))
		return dprh_fail(set->host, DPR_RC_INVALID, 0,
				 "%sgemm: an extent is below 1, a leading "
				 "dimension too small, or a flag unknown",
				 set->owner);
	if (!library_fits(library, v.m) || !library_fits(library, v.n) ||
	    !library_fits(library, v.k) || !library_fits(library, v.lda) ||
	    !library_fits(library, v.ldb) || !library_fits(library, v.ldc))
		return dprh_fail(set->host, DPR_RC_UNSUPPORTED, 0,
				 "%sgemm: a number is above 2147483647, the "
				 "most that this library takes",
				 set->owner);
	if (!__builtin_mul_overflow(v.m, v.n, &work) &&
	    !__builtin_mul_overflow(work, v.k, &work) && work <= LIBRARY_SMALL)
		out->parts = (uint64_t)library_gemm_count(&v);
	return DPR_RC_OK;
}

static const dprp_param gemm_params[GEMM_ARGS] = {
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_VALUE, 0, sizeof(dprp_gemm) },
};
static const dprp_native_kernel gemm_kernel = { "gemm", run_gemm, GEMM_ARGS, 0,
						gemm_params };
static const dprp_native_module gemm_module = { sizeof(gemm_module), 1, 0,
						&gemm_kernel };

const struct library_routine library_blas_gemm = { &gemm_module, get_gemm,
						   plan_gemm };
