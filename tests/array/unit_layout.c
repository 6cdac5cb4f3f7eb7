/* SPDX-License-Identifier: Apache-2.0 */
/* Shape and stride arithmetic compared with brute force on small cases. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/array/layout/layout.h"
#include "core/array/layout/overlap.h"
#include "tests/support/random.h"

/* @n, or a tenth of it with DPR_TEST_SMALL. */
static int rounds(int n)
{
	return getenv("DPR_TEST_SMALL") ? n / 10 : n;
}

#define MAX_ELEMENTS 4096

/* Store the offsets of all elements in C order.  Returns their number. */
static int list_elements(const struct layout *x, int64_t *out)
{
	int64_t index[DPR_MAX_RANK] = { 0 };
	int n = 0, k;

	for (k = 0; k < x->rank; k++)
		if (!x->dim[k])
			return 0;
	for (;;) {
		int64_t offset = x->offset;

		for (k = 0; k < x->rank; k++)
			offset += index[k] * x->stride[k];
		ck_assert_int_lt(n, MAX_ELEMENTS);
		out[n++] = offset;
		for (k = x->rank - 1; k >= 0; k--) {
			if (++index[k] < x->dim[k])
				break;
			index[k] = 0;
		}
		if (k < 0)
			return n;
	}
}

static void c_layout(struct layout *x, int rank, const int64_t *dim)
{
	x->rank = rank;
	x->offset = 0;
	for (int k = 0; k < rank; k++)
		x->dim[k] = dim[k];
	layout_c_strides(rank, dim, x->stride);
}

/* A random small layout: extents 1 to 4, small strides of any sign. */
static void any_layout(struct random *r, struct layout *x, int max_rank,
		       int max_stride)
{
	x->rank = (int)random_between(r, 0, max_rank);
	x->offset = random_between(r, 0, 40);
	for (int k = 0; k < x->rank; k++) {
		x->dim[k] = random_between(r, 1, 4);
		x->stride[k] = random_between(r, -max_stride, max_stride);
	}
}

/* A random view of a C-contiguous array, by slices and a permutation. */
static void any_view(struct random *r, struct layout *x, int max_rank)
{
	struct layout whole, cut;
	dpr_index index[DPR_MAX_RANK];

	whole.rank = (int)random_between(r, 0, max_rank);
	for (int k = 0; k < whole.rank; k++) {
		whole.dim[k] = random_between(r, 1, 5);
		index[k] = DPR_SLICE(random_between(r, -6, 6), DPR_OPEN,
				     random_between(r, 0, 1) ? 1 : -2);
		if (random_between(r, 0, 1))
			index[k] = DPR_ALL;
	}
	whole.offset = 0;
	layout_c_strides(whole.rank, whole.dim, whole.stride);
	ck_assert_int_eq(layout_index(&whole, index, (size_t)whole.rank, &cut),
			 DPR_OK);
	*x = cut;
	for (int k = x->rank - 1; k > 0; k--) {
		int j = (int)random_between(r, 0, k);
		int64_t t = x->dim[k];

		x->dim[k] = x->dim[j];
		x->dim[j] = t;
		t = x->stride[k];
		x->stride[k] = x->stride[j];
		x->stride[j] = t;
	}
}

/* The elements of Python's slice.indices() and range(), computed the slow
   way. */
static int slice_elements(int64_t n, int64_t start, int64_t stop, int64_t step,
			  int64_t *out)
{
	int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1, i;
	int count = 0;

	if (start == DPR_OPEN)
		start = step > 0 ? low : high;
	else if (start < 0)
		start += n;
	if (stop == DPR_OPEN)
		stop = step > 0 ? high : low;
	else if (stop < 0)
		stop += n;
	start = start < low ? low : start > high ? high : start;
	stop = stop < low ? low : stop > high ? high : stop;
	for (i = start; step > 0 ? i < stop : i > stop; i += step)
		out[count++] = i;
	return count;
}

START_TEST(slices_are_those_of_python)
{
	static const int64_t bounds[] = {
		DPR_OPEN, -9, -6, -5, -4, -2,        -1,           0, 1, 2,
		3,        4,  5,  6,  9,  INT64_MAX, INT64_MIN + 1
	};
	static const int64_t steps[] = { -9, -3, -2, -1,        1,
					 2,  3,  9,  INT64_MAX, INT64_MIN + 1 };
	int64_t want[16], have[16];
	struct layout x, y;

	for (int64_t n = 0; n < 6; n++)
		for (size_t a = 0; a < sizeof(bounds) / sizeof(*bounds); a++)
			for (size_t b = 0; b < sizeof(bounds) / sizeof(*bounds);
			     b++)
				for (size_t s = 0; s < 8; s++) {
					dpr_index i = DPR_SLICE(
						bounds[a], bounds[b], steps[s]);
					int count;

					c_layout(&x, 1, &n);
					ck_assert_int_eq(
						layout_index(&x, &i, 1, &y),
						DPR_OK);
					count = slice_elements(n, bounds[a],
							       bounds[b],
							       steps[s], want);
					ck_assert_int_eq(
						list_elements(&y, have), count);
					ck_assert_mem_eq(want, have,
							 (size_t)count *
								 sizeof(*want));
				}
}
END_TEST

START_TEST(extreme_steps_take_one_element)
{
	int64_t n = 5;
	struct layout x, y;
	dpr_index up = DPR_SLICE(DPR_OPEN, DPR_OPEN, INT64_MAX);
	dpr_index down = DPR_SLICE(DPR_OPEN, DPR_OPEN, INT64_MIN + 1);

	c_layout(&x, 1, &n);
	x.stride[0] = 3;
	ck_assert_int_eq(layout_index(&x, &up, 1, &y), DPR_OK);
	ck_assert_int_eq(y.dim[0], 1);
	ck_assert_int_eq(y.offset, 0);
	ck_assert_int_eq(layout_index(&x, &down, 1, &y), DPR_OK);
	ck_assert_int_eq(y.dim[0], 1);
	ck_assert_int_eq(y.offset, 12);
}
END_TEST

START_TEST(indices_of_all_kinds_combine)
{
	const int64_t dim[] = { 3, 4, 5 };
	const dpr_index list[] = { DPR_AT(-1), DPR_NEW_AXIS, DPR_ELLIPSIS,
				   DPR_SLICE(4, 0, -2), DPR_NEW_AXIS };
	struct layout x, y;
	int64_t have[64];
	int n;

	c_layout(&x, 3, dim);
	ck_assert_int_eq(layout_index(&x, list, 5, &y), DPR_OK);
	ck_assert_int_eq(y.rank, 4);
	ck_assert_int_eq(y.dim[0], 1);
	ck_assert_int_eq(y.dim[1], 4);
	ck_assert_int_eq(y.dim[2], 2);
	ck_assert_int_eq(y.dim[3], 1);
	n = list_elements(&y, have);
	ck_assert_int_eq(n, 8);
	for (int i = 0; i < n; i++)
		ck_assert_int_eq(have[i], 40 + i / 2 * 5 + (i % 2 ? 2 : 4));
	/* An ellipsis that stands for no axis, and trailing axes left out. */
	ck_assert_int_eq(layout_index(&x,
				      (dpr_index[]){ DPR_AT(0), DPR_AT(1),
						     DPR_ELLIPSIS, DPR_AT(2) },
				      4, &y),
			 DPR_OK);
	ck_assert_int_eq(y.rank, 0);
	ck_assert_int_eq(y.offset, 7);
	ck_assert_int_eq(layout_index(&x, (dpr_index[]){ DPR_AT(2) }, 1, &y),
			 DPR_OK);
	ck_assert_int_eq(y.rank, 2);
	ck_assert_int_eq(y.offset, 40);
}
END_TEST

START_TEST(malformed_indices_are_refused)
{
	const int64_t dim[] = { 3, 4 };
	struct layout x, y;
	dpr_index many[DPR_MAX_RANK + 1];

	c_layout(&x, 2, dim);
#define REFUSED(status, ...)                                                 \
	ck_assert_int_eq(layout_index(&x, (dpr_index[]){ __VA_ARGS__ },      \
				      sizeof((dpr_index[]){ __VA_ARGS__ }) / \
					      sizeof(dpr_index),             \
				      &y),                                   \
			 status)
	REFUSED(DPR_ERROR_INDEX, DPR_AT(3));
	REFUSED(DPR_ERROR_INDEX, DPR_AT(-4));
	REFUSED(DPR_ERROR_INDEX, DPR_AT(0), DPR_AT(0), DPR_AT(0));
	REFUSED(DPR_ERROR_INDEX, DPR_ELLIPSIS, DPR_ELLIPSIS);
	REFUSED(DPR_ERROR_INDEX, DPR_SLICE(0, 1, 0));
	REFUSED(DPR_ERROR_INVALID_ARGUMENT, dpr_index_make(9, 0, 0, 0));
	for (int i = 0; i <= DPR_MAX_RANK; i++)
		many[i] = DPR_NEW_AXIS;
	ck_assert_int_eq(layout_index(&x, many, DPR_MAX_RANK - 1, &y),
			 DPR_ERROR_SHAPE);
	ck_assert_int_eq(layout_index(&x, many, DPR_MAX_RANK - 2, &y), DPR_OK);
}
END_TEST

/* A random shape with @count elements. */
static int any_shape(struct random *r, int64_t count, int64_t *dim)
{
	int rank = 0;

	while (count > 1 && rank < 6) {
		int64_t d = random_between(r, 1, count);

		if (count % d)
			continue;
		dim[rank++] = d;
		count /= d;
	}
	if (count > 1)
		dim[rank++] = count;
	return rank;
}

START_TEST(reshape_views_wherever_strides_exist)
{
	int64_t from[MAX_ELEMENTS], to[MAX_ELEMENTS];
	struct random r = { 1 };
	int views = 0, copies = 0;
	struct layout x, y;

	for (int round = 0; round < rounds(20000); round++) {
		int64_t index, weight;
		bool exists = true, said;
		int n;

		if (round % 2)
			any_view(&r, &x, 4);
		else
			any_layout(&r, &x, 3, 3);
		n = list_elements(&x, from);
		y.offset = x.offset;
		y.rank = n ? any_shape(&r, n, y.dim) : x.rank;
		if (!n)
			memcpy(y.dim, x.dim, sizeof(y.dim));
		said = layout_reshape(&x, y.rank, y.dim, y.stride);
		if (said) {
			ck_assert_int_eq(list_elements(&y, to), n);
			ck_assert_mem_eq(from, to, (size_t)n * sizeof(*to));
			views++;
			continue;
		}
		/* The only strides that could work are the distances from the
		   first element to its neighbours. */
		for (int k = 0; k < y.rank; k++) {
			index = 1;
			for (int j = k + 1; j < y.rank; j++)
				index *= y.dim[j];
			y.stride[k] = y.dim[k] > 1 ? from[index] - from[0] : 0;
		}
		list_elements(&y, to);
		for (weight = 0; weight < n; weight++)
			exists &= from[weight] == to[weight];
		ck_assert(!exists);
		copies++;
	}
	ck_assert_int_gt(views, rounds(1000));
	ck_assert_int_gt(copies, rounds(1000));
}
END_TEST

START_TEST(shapes_broadcast_as_the_standard_says)
{
	int64_t a[3], b[3], have[DPR_MAX_RANK], stride[DPR_MAX_RANK];
	int matched = 0;

	for (int i = 0; i < 4096; i++) {
		int ra = i % 4, rb = i / 4 % 4, rank = ra, axis = -1;
		bool fits = true, said;
		struct layout x;

		for (int k = 0; k < 3; k++) {
			a[k] = i >> (4 + k) & 1 ? 3 : i >> (7 + k) & 1;
			b[k] = i >> (5 + k) & 1 ? 1 : 3 * (i >> (9 + k) & 1);
		}
		memcpy(have, a, sizeof(a));
		said = layout_broadcast(&rank, have, rb, b, &axis);
		for (int k = 1; k <= 3; k++) {
			int64_t da = k <= ra ? a[ra - k] : 1;
			int64_t db = k <= rb ? b[rb - k] : 1;

			fits &= da == db || da == 1 || db == 1;
			if (said && k <= rank)
				ck_assert_int_eq(have[rank - k],
						 da == 1 ? db : da);
		}
		ck_assert_int_eq(said, fits);
		if (!said) {
			ck_assert_int_ge(axis, 0);
			continue;
		}
		matched++;
		c_layout(&x, ra, a);
		ck_assert(layout_expand(&x, rank, have, stride));
		for (int k = 1; k <= rank; k++)
			ck_assert(stride[rank - k] ==
					  (k <= ra ? x.stride[ra - k] : 0) ||
				  (stride[rank - k] == 0 && a[ra - k] == 1));
	}
	ck_assert_int_gt(matched, 100);
}
END_TEST

START_TEST(expand_does_not_shrink)
{
	const int64_t two[] = { 2, 3 }, one[] = { 3 }, other[] = { 2, 1 };
	int64_t stride[DPR_MAX_RANK];
	struct layout x;

	c_layout(&x, 2, two);
	ck_assert(!layout_expand(&x, 1, one, stride));
	ck_assert(!layout_expand(&x, 2, other, stride));
	ck_assert(layout_expand(&x, 2, two, stride));
}
END_TEST

struct pair {
	int64_t a, b;
};

static int compare_pairs(const void *x, const void *y)
{
	const struct pair *p = x, *q = y;

	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return (p->b > q->b) - (p->b < q->b);
}

/* Store the offsets of both operands for each element. */
static int list_pairs(int rank, const int64_t *dim,
		      int64_t (*stride)[DPR_MAX_RANK], const int64_t *offset,
		      struct pair *out)
{
	int64_t list[MAX_ELEMENTS];
	struct layout x = { .rank = rank };
	int n = 0;

	memcpy(x.dim, dim, (size_t)rank * sizeof(*dim));
	for (int i = 0; i < 2; i++) {
		x.offset = offset[i];
		memcpy(x.stride, stride[i], (size_t)rank * sizeof(*dim));
		n = list_elements(&x, list);
		for (int k = 0; k < n; k++)
			*(i ? &out[k].b : &out[k].a) = list[k];
	}
	return n;
}

static void check_collapse(struct random *r, bool free_order)
{
	static struct pair before[MAX_ELEMENTS], after[MAX_ELEMENTS];
	int64_t dim[DPR_MAX_RANK], stride[2][DPR_MAX_RANK];
	int64_t offset[2] = { 100, 200 };
	struct layout x, y;
	int n, rank;

	any_view(r, &x, 5);
	y = x;
	if (random_between(r, 0, 2))
		layout_c_strides(y.rank, y.dim, y.stride);
	for (int k = 0; k < y.rank; k++)
		if (!random_between(r, 0, 3))
			y.stride[k] = 0;
	memcpy(dim, x.dim, sizeof(dim));
	memcpy(stride[0], x.stride, sizeof(dim));
	memcpy(stride[1], y.stride, sizeof(dim));
	n = list_pairs(x.rank, dim, stride, offset, before);
	rank = layout_collapse(2, x.rank, dim, stride, offset, free_order);
	ck_assert_int_eq(list_pairs(rank, dim, stride, offset, after), n);
	if (!n)
		return;
	ck_assert_int_le(rank, x.rank);
	for (int k = 0; k < rank; k++) {
		ck_assert_int_gt(dim[k], 1);
		ck_assert(k == 0 || stride[0][k - 1] != stride[0][k] * dim[k] ||
			  stride[1][k - 1] != stride[1][k] * dim[k]);
	}
	if (free_order) {
		qsort(before, (size_t)n, sizeof(*before), compare_pairs);
		qsort(after, (size_t)n, sizeof(*after), compare_pairs);
	}
	ck_assert_mem_eq(before, after, (size_t)n * sizeof(*after));
}

START_TEST(collapse_keeps_the_elements)
{
	struct random r = { 7 };

	for (int round = 0; round < rounds(10000); round++)
		check_collapse(&r, round % 2);
}
END_TEST

START_TEST(collapse_finds_the_fewest_axes)
{
	int64_t dim[] = { 2, 1, 3, 4 }, offset[2] = { 0, 0 };
	int64_t stride[2][DPR_MAX_RANK] = { { 12, 77, 4, 1 }, { 12, 5, 4, 1 } };
	int64_t back[] = { 3, 4 };
	int64_t turned[1][DPR_MAX_RANK] = { { -1, -3 } };

	ck_assert_int_eq(layout_collapse(2, 4, dim, stride, offset, false), 1);
	ck_assert_int_eq(dim[0], 24);
	offset[0] = 11;
	ck_assert_int_eq(layout_collapse(1, 2, back, turned, offset, true), 1);
	ck_assert_int_eq(back[0], 12);
	ck_assert_int_eq(turned[0][0], 1);
	ck_assert_int_eq(offset[0], 0);
}
END_TEST

static int compare_integers(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return (a > b) - (a < b);
}

static bool bytes_meet(const struct layout *a, int64_t na,
		       const struct layout *b, int64_t nb)
{
	int64_t la[MAX_ELEMENTS], lb[MAX_ELEMENTS];
	int ca = list_elements(a, la), cb = list_elements(b, lb);

	for (int i = 0; i < ca; i++)
		for (int j = 0; j < cb; j++)
			if (la[i] * na < (lb[j] + 1) * nb &&
			    lb[j] * nb < (la[i] + 1) * na)
				return true;
	return false;
}

START_TEST(overlap_is_exact_on_small_layouts)
{
	static const size_t sizes[] = { 1, 2, 4, 8, 16 };
	struct random r = { 3 };
	struct layout a, b;
	int yes = 0, no = 0;

	for (int round = 0; round < rounds(20000); round++) {
		size_t na = sizes[random_between(&r, 0, 4)];
		size_t nb = random_between(&r, 0, 2) ? na : sizes[round % 5];
		bool said, is;

		any_layout(&r, &a, 3, 9);
		any_layout(&r, &b, 3, 9);
		said = overlap_layouts(&a, na, &b, nb);
		is = bytes_meet(&a, (int64_t)na, &b, (int64_t)nb);
		ck_assert_int_eq(said, is);
		is ? yes++ : no++;
	}
	ck_assert_int_gt(yes, rounds(1000));
	ck_assert_int_gt(no, rounds(1000));
}
END_TEST

START_TEST(halves_of_a_matrix_do_not_overlap)
{
	struct layout left = { 2, 0, { 1000, 500 }, { 1000, 1 } };
	struct layout right = { 2, 500, { 1000, 500 }, { 1000, 1 } };
	struct layout even = { 1, 0, { 1000000 }, { 2 } };
	struct layout odd = { 1, 1, { 1000000 }, { 2 } };
	struct layout none = { 1, 0, { 0 }, { 1 } };

	ck_assert(!overlap_layouts(&left, 4, &right, 4));
	ck_assert(!overlap_layouts(&even, 8, &odd, 8));
	ck_assert(overlap_layouts(&left, 4, &even, 4));
	ck_assert(overlap_layouts(&left, 4, &left, 4));
	ck_assert(!overlap_layouts(&left, 4, &none, 4));
	right.offset = 499;
	ck_assert(overlap_layouts(&left, 4, &right, 4));
}
END_TEST

START_TEST(distinct_is_true_of_views_and_never_wrong)
{
	int64_t list[MAX_ELEMENTS];
	struct random r = { 11 };
	struct layout x;

	for (int round = 0; round < rounds(10000); round++) {
		bool distinct = true;
		int n;

		any_view(&r, &x, 4);
		ck_assert(overlap_is_distinct(&x));
		any_layout(&r, &x, 3, 12);
		n = list_elements(&x, list);
		qsort(list, (size_t)n, sizeof(*list), compare_integers);
		for (int i = 1; i < n; i++)
			distinct &= list[i] != list[i - 1];
		if (overlap_is_distinct(&x))
			ck_assert(distinct);
	}
}
END_TEST

START_TEST(bounds_are_the_extreme_elements)
{
	int64_t list[MAX_ELEMENTS], low, high;
	struct random r = { 5 };
	struct layout x;

	for (int round = 0; round < rounds(2000); round++) {
		int n;

		any_layout(&r, &x, 3, 9);
		n = list_elements(&x, list);
		qsort(list, (size_t)n, sizeof(*list), compare_integers);
		ck_assert(layout_bounds(x.rank, x.dim, x.stride, &low, &high));
		ck_assert_int_eq(low + x.offset, list[0]);
		ck_assert_int_eq(high + x.offset, list[n - 1]);
	}
}
END_TEST

START_TEST(contiguity_is_that_of_the_elements)
{
	int64_t list[MAX_ELEMENTS];
	struct random r = { 9 };
	int yes = 0;

	for (int round = 0; round < rounds(5000); round++) {
		bool is = true;
		struct layout x;
		int n;

		any_view(&r, &x, 3);
		n = list_elements(&x, list);
		for (int i = 0; i < n; i++)
			is &= list[i] == list[0] + i;
		ck_assert_int_eq(layout_is_contiguous(x.rank, x.dim, x.stride),
				 is);
		yes += is;
	}
	ck_assert_int_gt(yes, 100);
	ck_assert_int_lt(yes, 4900);
}
END_TEST

START_TEST(sizes_that_do_not_fit_are_noticed)
{
	const int64_t big[] = { INT64_C(1) << 32, INT64_C(1) << 31 };
	const int64_t fits[] = { INT64_C(1) << 31, INT64_C(1) << 31 };
	const int64_t none[] = { INT64_MAX, INT64_MAX, 0 };
	const int64_t far[] = { INT64_MAX, -3 };
	int64_t count, low, high;

	ck_assert(!layout_count(2, big, &count));
	ck_assert(layout_count(2, fits, &count));
	ck_assert_int_eq(count, INT64_C(1) << 62);
	ck_assert(layout_count(3, none, &count));
	ck_assert_int_eq(count, 0);
	ck_assert(layout_count(0, NULL, &count));
	ck_assert_int_eq(count, 1);
	ck_assert(!layout_bounds(2, big, far, &low, &high));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("layout");
	TCase *tcase = tcase_create("layout");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, slices_are_those_of_python);
	tcase_add_test(tcase, extreme_steps_take_one_element);
	tcase_add_test(tcase, indices_of_all_kinds_combine);
	tcase_add_test(tcase, malformed_indices_are_refused);
	tcase_add_test(tcase, reshape_views_wherever_strides_exist);
	tcase_add_test(tcase, shapes_broadcast_as_the_standard_says);
	tcase_add_test(tcase, expand_does_not_shrink);
	tcase_add_test(tcase, collapse_keeps_the_elements);
	tcase_add_test(tcase, collapse_finds_the_fewest_axes);
	tcase_add_test(tcase, overlap_is_exact_on_small_layouts);
	tcase_add_test(tcase, halves_of_a_matrix_do_not_overlap);
	tcase_add_test(tcase, distinct_is_true_of_views_and_never_wrong);
	tcase_add_test(tcase, bounds_are_the_extreme_elements);
	tcase_add_test(tcase, contiguity_is_that_of_the_elements);
	tcase_add_test(tcase, sizes_that_do_not_fit_are_noticed);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
