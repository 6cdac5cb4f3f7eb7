/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_linalg_random.c - linear algebra of random matrices on all devices, by
 * residuals: functions, shapes, dtypes, batches and strides are drawn.
 *
 * DPR_TEST_CASES is how many on each device: 150, or 30 with DPR_TEST_SMALL.
 * Case i begins with the seed that is printed plus i.  DPR_TEST_SEED repeats a
 * run.
 */
#include <time.h>

#include "tests/linalg/linalg_checks.h"

/* --- Draws ---------------------------------------------------------------- */

static uint64_t seed; /* of case 0 */
static int cases;
static int batch; /* the axes of this case's batch */
static int64_t batch_shape[3];

/* A number below @n. */
static int64_t below(int64_t n)
{
	return (int64_t)((matrices_random() + 1) / 2 * (double)n) % n;
}

/* An extent: mostly small, and seldom 0. */
static int64_t extent(void)
{
	static const int64_t most[] = { 3, 9, 9, 33, 71 };

	return below(most[below(5)]) + (below(20) > 0);
}

/* Draw a batch of up to three axes.  Returns the number of matrices. */
static int64_t draw_batch(int64_t rows)
{
	int64_t count = 1;

	batch = (int)below(rows > 40 ? 2 : 4);
	for (int d = 0; d < batch; d++) {
		batch_shape[d] = below(12) ? 1 + below(3) : 0;
		count *= batch_shape[d];
	}
	return count;
}

/* --- Arrays --------------------------------------------------------------- */

/* Replace @x by an array with the same elements whose axes lie in memory in
   another order. */
static void shuffle(dpr_array **x)
{
	const int rank = dpr_array_rank(*x);
	int order[8], back[8];
	dpr_array *view, *copy;

	for (int d = 0; d < rank; d++)
		order[d] = d;
	for (int d = rank - 1; d > 0; d--) {
		const int k = (int)below(d + 1), kept = order[d];

		order[d] = order[k];
		order[k] = kept;
	}
	for (int d = 0; d < rank; d++)
		back[order[d]] = d;
	CHECK_OK(dpr_permute_dims(*x, order, &view));
	CHECK_OK(dpr_copy(view, &copy));
	dpr_array_release(view);
	dpr_array_release(*x);
	CHECK_OK(dpr_permute_dims(copy, back, x));
	dpr_array_release(copy);
}

/* Replace @x by an array with the same elements that goes from the end, in its
   last or last but one axis. */
static void turn(dpr_array **x)
{
	const bool rows = below(2);
	dpr_array *view, *copy;

	for (int twice = 0; twice < 2; twice++) {
		if (rows)
			CHECK_OK(dpr_array_view(
				*x, &view, DPR_ELLIPSIS,
				DPR_SLICE(DPR_OPEN, DPR_OPEN, -1), DPR_ALL));
		else
			CHECK_OK(dpr_array_view(
				*x, &view, DPR_ELLIPSIS,
				DPR_SLICE(DPR_OPEN, DPR_OPEN, -1)));
		dpr_array_release(*x);
		*x = view;
		if (twice)
			return;
		CHECK_OK(dpr_copy(view, &copy));
		dpr_array_release(view);
		*x = copy;
	}
}

/* Replace @x by an array with the same elements and gaps between them. */
static void spread(dpr_array **x)
{
	const dpr_array *both[] = { *x, *x };
	dpr_array *all;

	CHECK_OK(dpr_stack(both, 2, -1, &all));
	dpr_array_release(*x);
	CHECK_OK(dpr_array_view(all, x, DPR_ELLIPSIS, DPR_AT(1)));
	dpr_array_release(all);
}

/* Whether all matrices of a batch are the same. */
static bool are_equal(const struct matrices *x)
{
	const size_t size = (size_t)(x->m * x->n) * sizeof(*x->v);
	bool equal = x->count > 1;

	for (int64_t i = 1; equal && i < x->count; i++)
		equal = !memcmp(matrix_at(x, i), x->v, size);
	return equal;
}

/* Make an array with the batch of this case.  Equal matrices become one, which
   repeats. */
static dpr_array *random_array(const struct linalg_case *c,
			       const struct matrices *x)
{
	struct matrices one = *x;
	dpr_array *a, *b;
	int64_t dim[5] = { 0 };
	const dpr_shape shape = dpr_shape_of(batch + 2, dim);

	memcpy(dim, batch_shape, sizeof(batch_shape));
	dim[batch] = x->m;
	dim[batch + 1] = x->n;
	if (are_equal(x))
		one.count = 1;
	a = matrices_array(&one, c->dtype, PACKED);
	if (one.count == x->count) {
		CHECK_OK(dpr_reshape(a, shape, &b));
		dpr_array_release(a);
		a = b;
	}
	if (below(3) == 0)
		shuffle(&a);
	if (below(3) == 0)
		turn(&a);
	if (below(3) == 0)
		spread(&a);
	if (one.count != x->count) {
		CHECK_OK(dpr_broadcast_to(a, shape, &b));
		dpr_array_release(a);
		a = b;
	}
	return a;
}

/* --- Cases ---------------------------------------------------------------- */

static void pinv_and_lstsq(struct linalg_case *c)
{
	linalg_check_pinv_and_lstsq(
		c, c->min > 2 && (c->min > 9 || below(2)) ? 2 : c->min);
}

static const struct {
	const char *name;
	void (*check)(struct linalg_case *c);
	bool is_square;
} checks[] = {
	{ "cholesky", linalg_check_cholesky, true },
	{ "solve, inv", linalg_check_solutions, true },
	{ "solve_triangular", linalg_check_triangular, true },
	{ "det, slogdet", linalg_check_determinants, true },
	{ "eigh", linalg_check_eigh, true },
	{ "eig", linalg_check_eig, true },
	{ "lu", linalg_check_lu, false },
	{ "qr", linalg_check_qr, false },
	{ "svd", linalg_check_svd, false },
	{ "norms", linalg_check_norms, false },
	{ "pinv, lstsq", pinv_and_lstsq, false },
};
#define CHECKS ((int64_t)(sizeof(checks) / sizeof(checks[0])))

START_TEST(random_case)
{
	struct linalg_case c = { .make = random_array };
	int64_t which;
	bool is_one;

	if (leaves_out(_i, 7))
		return;
	/* The first numbers after neighbouring seeds are like each other. */
	matrices_seed = (seed + (uint64_t)_i) * UINT64_C(0x9e3779b97f4a7c15);
	matrices_seed += !matrices_seed;
	for (int k = 0; k < 20; k++)
		matrices_random();
	which = below(CHECKS);
	c.dtype = linalg_dtypes[below(4)];
	if (!dpr_dtype_computes(test_device, c.dtype))
		return;
	c.m = extent();
	c.n = checks[which].is_square ? c.m : extent();
	c.min = c.m < c.n ? c.m : c.n;
	c.count = draw_batch(c.m > c.n ? c.m : c.n);
	c.x = matrices_of(c.count, c.m, c.n, c.dtype);
	is_one = below(6) == 0;
	for (int64_t i = 1; is_one && i < c.count; i++)
		memcpy(matrix_at(&c.x, i), c.x.v,
		       (size_t)(c.m * c.n) * sizeof(*c.x.v));
	checks[which].check(&c);
	free(c.x.v);
}
END_TEST

static Suite *random_cases(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("random");

	tcase_set_timeout(tcase, 3000);
	tcase_add_loop_test(tcase, random_case, 0, cases);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	const char *given = getenv("DPR_TEST_SEED");
	const char *many = getenv("DPR_TEST_CASES");

	seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
	cases = many ? atoi(many) : getenv("DPR_TEST_SMALL") ? 30 : 150;
	printf("DPR_TEST_SEED=%llu\n", (unsigned long long)seed);
	return linalg_run(random_cases);
}
