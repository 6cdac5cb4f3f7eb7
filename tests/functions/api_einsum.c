/* SPDX-License-Identifier: Apache-2.0 */
/* api_einsum.c - einsum beside loops in C: random subscripts, forms that mean
   the same, views, and errors. */
#include "tests/functions/product_loops.h"

static uint32_t state;

/* A number from 0 to @n - 1. */
static int any(int n)
{
	state = state * 1664525 + 1013904223;
	return (int)((state >> 8) % (uint32_t)n);
}

/* The subscripts of @s as a text. */
static const char *subscripts(const struct sum *s)
{
	static char text[OPERANDS * (LETTERS + 1) + LETTERS + 4];
	char *at = text;

	for (int i = 0; i < s->n; i++)
		at += sprintf(at, "%s%s", i ? "," : "", s->letters[i]);
	sprintf(at, "->%s", s->result);
	return text;
}

/* Check einsum of @s. */
static void check_einsum(const struct sum *s)
{
	const dpr_array *x[OPERANDS];
	dpr_operand operand[OPERANDS];
	dpr_dtype dtype;
	dpr_array *y;

	for (int i = 0; i < s->n; i++) {
		x[i] = s->x[i];
		operand[i] = dpr_operand_array(x[i]);
	}
	CHECK_OK(dpr_result_type(operand, (size_t)s->n, &dtype));
	CHECK_OK(dpr_einsum(subscripts(s), x, (size_t)s->n, &y));
	check_sum(s, y, dtype, subscripts(s));
}

/* --- einsum --------------------------------------------------------------- */

/* Choose letters of the operands, and of the result, those that are used. */
static void choose_letters(struct sum *s)
{
	const int known = 2 + any(LETTERS - 2);
	char used[LETTERS + 1] = "";
	int n = 0;

	s->n = 1 + any(OPERANDS - 1);
	for (int i = 0; i < s->n; i++) {
		const int rank = any(4);

		for (int d = 0; d < rank; d++) {
			s->letters[i][d] = (char)('a' + any(known));
			if (!strchr(used, s->letters[i][d]))
				used[strlen(used)] = s->letters[i][d];
		}
		s->letters[i][rank] = 0;
	}
	for (int i = 0; used[i]; i++) {
		const int at = any(n + 1);

		if (any(2))
			continue;
		memmove(s->result + at + 1, s->result + at, (size_t)(n - at));
		s->result[at] = used[i];
		s->result[++n] = 0;
	}
}

/* A dtype for an operand: mostly that of the turn.  The last is not bool. */
static dpr_dtype choose_dtype(bool is_last, int turn)
{
	if (!is_last && !any(5))
		return DPR_BOOL;
	return any(6) ? dtype_of(turn) : DPR_INT8;
}

/* Make operands with these letters; seldom an extent is 0, or 1 in one of them.
 */
static void make_operands(struct sum *s, int turn)
{
	int64_t extent[LETTERS], dim[LETTERS];

	for (int i = 0; i < LETTERS; i++)
		extent[i] = any(12) ? 1 + any(4) : 0;
	for (int i = 0; i < s->n; i++) {
		const bool broadcast = !any(5);
		const int rank = (int)strlen(s->letters[i]);

		for (int d = 0; d < rank; d++)
			dim[d] = broadcast && s->letters[i][d] == 'a'
					 ? 1
					 : extent[s->letters[i][d] - 'a'];
		s->x[i] = laid_out(dim, rank, choose_dtype(i == s->n - 1, turn),
				   i, any(WAYS));
	}
}

#define RANDOM 400

START_TEST(random_sums)
{
	struct sum s = { .n = 0 };

	if (leaves_out(_i, 100))
		return;
	state = (uint32_t)_i * 7919 + 1;
	choose_letters(&s);
	make_operands(&s, _i);
	check_einsum(&s);
	release(&s);
}
END_TEST

/* Subscripts, and the same with all letters, "->" and no spaces. */
static const struct {
	const char *text, *whole;
	int n; /* of the operands (2, 3), (3, 4), (2, 3), (3, 3) in @which */
	int which[3];
} forms[] = {
	{ "ij,jk", "ij,jk->ik", 2, { 0, 1 } },
	{ " i j , j k -> k i ", "ij,jk->ki", 2, { 0, 1 } },
	{ "ba", "ba->ab", 1, { 0 } },
	{ "bA", "bA->Ab", 1, { 0 } },
	{ "ii", "ii->", 1, { 3 } },
	{ "ij,ij", "ij,ij->", 2, { 0, 2 } },
	{ "...j,jk", "ij,jk->ik", 2, { 0, 1 } },
	{ "...", "ij->ij", 1, { 0 } },
	{ "i...->...", "ij->j", 1, { 0 } },
	{ "...,...", "ij,ij->ij", 2, { 0, 2 } },
	{ "...k,...k", "ik,ik->i", 2, { 0, 2 } },
	{ "i...->...i", "ij->ji", 1, { 0 } },
	{ "ij,...", "ij,ab->abij", 2, { 0, 1 } },
	{ "ij...,jk...->ki...", "ij,jk->ki", 2, { 0, 1 } },
	{ "ij,jk,kk", "ij,jk,kk->i", 3, { 0, 3, 3 } },
};
#define FORMS ((int)(sizeof(forms) / sizeof(forms[0])))

START_TEST(forms_of_subscripts)
{
	static const int64_t shapes[][2] = {
		{ 2, 3 }, { 3, 4 }, { 2, 3 }, { 3, 3 }
	};
	const dpr_array *x[3];
	dpr_array *made[3], *y, *z;
	const int n = forms[_i].n;

	if (leaves_out(_i, 7))
		return;
	for (int i = 0; i < n; i++) {
		made[i] = numbers(dpr_shape_of(2, shapes[forms[_i].which[i]]),
				  DPR_INT32, i);
		x[i] = made[i];
	}
	CHECK_OK(dpr_einsum(forms[_i].text, x, (size_t)n, &y));
	CHECK_OK(dpr_einsum(forms[_i].whole, x, (size_t)n, &z));
	expect_same(copied(y), copied(z), forms[_i].text);
	for (int i = 0; i < n; i++)
		dpr_array_release(made[i]);
}
END_TEST

/* "..." broadcasts arrays of several ranks, here (2, 1, 3) and (4, 3). */
START_TEST(ellipses)
{
	struct sum s = { .n = 2, .letters = { "abc", "bc" }, .result = "ba" };
	const dpr_array *x[2];
	dpr_array *y, *z;

	x[0] = s.x[0] = numbers(DPR_SHAPE(2, 1, 3), DPR_FLOAT32, 1);
	x[1] = s.x[1] = numbers(DPR_SHAPE(4, 3), DPR_FLOAT32, 2);
	CHECK_OK(dpr_einsum("...c,...c", x, 2, &y));
	CHECK_OK(dpr_matrix_transpose(y, &z));
	dpr_array_release(y);
	check_sum(&s, z, DPR_FLOAT32, "ellipses");
	release(&s);
}
END_TEST

/* An einsum that computes nothing is a view; the operand may be written through
   it. */
START_TEST(views)
{
	dpr_array *x = numbers(DPR_SHAPE(3, 3), DPR_FLOAT32, 1), *y;
	const dpr_array *const operands[] = { x };

	CHECK_OK(dpr_einsum("ij->ji", operands, 1, &y));
	ck_assert_ptr_eq(dpr_array_usm(y), dpr_array_usm(x));
	ck_assert_int_eq(dpr_array_strides(y)[0], 1);
	dpr_array_release(y);
	CHECK_OK(dpr_einsum("ii->i", operands, 1, &y));
	ck_assert_ptr_eq(dpr_array_usm(y), dpr_array_usm(x));
	ck_assert_int_eq(dpr_array_strides(y)[0], 4);
	dpr_array_release(x);
	expect_near(y, DPR_FLOAT32, (double[]){ 2, -3, 3 }, 3, 1, 0,
		    "diagonal");
	/* A sum is a new array, whatever the extents. */
	x = numbers(DPR_SHAPE(2, 1), DPR_FLOAT32, 1);
	CHECK_OK(dpr_einsum("ij->i", (const dpr_array *const[]){ x }, 1, &y));
	ck_assert_ptr_ne(dpr_array_usm(y), dpr_array_usm(x));
	dpr_array_release(x);
	expect_near(y, DPR_FLOAT32, (double[]){ 2, -2 }, 2, 1, 0, "new");
}
END_TEST

/* The largest allocation since this was set to 0. */
static size_t largest;

static dpr_status allocate(void *user, dpr_queue *queue, dpr_usm_kind kind,
			   size_t size, size_t alignment, dpr_usm **out,
			   void **token)
{
	(void)user;
	(void)token;
	largest = size > largest ? size : largest;
	return dpr_pool_alloc(queue, kind, size, alignment, out);
}

/* Sums that need no copy of an operand, with the shapes of the operands.
   Results are small. */
static const struct {
	const char *text;
	int rank;
	int64_t shape[2][4];
} in_place[] = {
	{ "bij,bjk->bik", 3, { { 4, 16, 1024 }, { 4, 1024, 16 } } },
	{ "bij,bkj->ibk", 3, { { 4, 16, 1024 }, { 4, 16, 1024 } } },
	{ "bhqd,bhkd->bhqk", 4, { { 2, 2, 16, 1024 }, { 2, 2, 16, 1024 } } },
	{ "bqhd,bkhd->bhqk", 4, { { 2, 16, 2, 1024 }, { 2, 16, 2, 1024 } } },
	{ "ijk,ikl->ijl", 3, { { 4, 16, 1024 }, { 4, 1024, 16 } } },
	{ "nchw,nchw->c", 4, { { 8, 4, 32, 64 }, { 8, 4, 32, 64 } } },
	{ "bi,bi->b", 2, { { 16, 4096 }, { 16, 4096 } } },
};
#define IN_PLACE ((int)(sizeof(in_place) / sizeof(in_place[0])))

START_TEST(without_copies)
{
	const dpr_allocator table = { .struct_size = sizeof(table),
				      .allocate = allocate };
	const char *format = dpr_array_kernel_format(test_device);
	const dpr_array *x[2];
	dpr_array *a, *b, *y;

	/* Other kernels copy more. */
	if (!format || strncmp(format, "native", 6))
		return;
	CHECK_OK(
		dpr_ones(dpr_shape_of(in_place[_i].rank, in_place[_i].shape[0]),
			 DPR_FLOAT32, test_queue, &a));
	CHECK_OK(
		dpr_ones(dpr_shape_of(in_place[_i].rank, in_place[_i].shape[1]),
			 DPR_FLOAT32, test_queue, &b));
	x[0] = a;
	x[1] = b;
	CHECK_OK(dpr_device_set_allocator(test_device, &table));
	largest = 0;
	CHECK_OK(dpr_einsum(in_place[_i].text, x, 2, &y));
	CHECK_OK(dpr_device_set_allocator(test_device, NULL));
	ck_assert_msg(largest && largest < dpr_array_nbytes(a) / 2,
		      "%s: %zu bytes", in_place[_i].text, largest);
	dpr_array_release(y);
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

/* A sum of all products of 12 operands, and a chain whose order matters: from
   the left its first product alone would have 10^10 elements. */
START_TEST(many_operands)
{
	const dpr_array *x[13];
	dpr_array *v, *wide, *y;

	CHECK_OK(dpr_full(DPR_SHAPE(2), 2, DPR_INT32, test_queue, &v));
	for (int i = 0; i < 13; i++)
		x[i] = v;
	CHECK_OK(dpr_einsum("a,b,c,d,e,f,a,b,c,d,e,f->", x, 12, &y));
	expect_near(y, DPR_INT32, (double[]){ 262144 }, 1, 1, 0, "twelve");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_einsum("a,a,a,a,a,a,a,a,a,a,a,a,a->", x, 13, &y));
	expect_text("einsum: 13 operands are more than 12, the most of one "
		    "call; multiply some of them first");
	dpr_array_release(v);
	CHECK_OK(dpr_ones(DPR_SHAPE(100000), DPR_INT64, test_queue, &wide));
	for (int i = 0; i < 3; i++)
		x[i] = wide;
	CHECK_OK(dpr_einsum("i,j,j->i", x, 3, &y));
	ck_assert_int_eq(dpr_array_size(y), 100000);
	CHECK_OK(dpr_array_index(y, (dpr_index[]){ DPR_AT(7) }, 1, &v));
	expect_near(v, DPR_INT64, (double[]){ 100000 }, 1, 1, 0, "order");
	dpr_array_release(y);
	dpr_array_release(wide);
}
END_TEST

/* --- Errors --------------------------------------------------------------- */

/* Subscripts of arrays of the shapes (2, 3), (3, 4) and (4, 4) that are
 * refused.
 */
static const struct {
	const char *text;
	int n;
	dpr_status status;
	const char *error;
} refused[] = {
	{ "ij,jk->i", 1, DPR_ERROR_INVALID_ARGUMENT,
	  "einsum: \"ij,jk->i\" has 2 operands, but 1 are given; separate them "
	  "by commas" },
	{ "i!", 1, DPR_ERROR_INVALID_ARGUMENT,
	  "einsum: \"i!\" has a wrong character at position 1; write letters (a "
	  "to z, A to Z), commas, \"...\" and \"->\"" },
	{ "ij-", 1, DPR_ERROR_INVALID_ARGUMENT, NULL },
	{ "ij->i,j", 1, DPR_ERROR_INVALID_ARGUMENT, NULL },
	{ "ij->i->j", 1, DPR_ERROR_INVALID_ARGUMENT, NULL },
	{ "i..", 1, DPR_ERROR_INVALID_ARGUMENT,
	  "einsum: \"i..\" has a dot at position 1; write three dots, once for "
	  "each operand" },
	{ "...i...", 1, DPR_ERROR_INVALID_ARGUMENT, NULL },
	{ "abcdefghijklmnopqrstuvwxyzABCDEFG", 1, DPR_ERROR_INVALID_ARGUMENT,
	  NULL },
	{ "i", 1, DPR_ERROR_SHAPE,
	  "einsum: x1 has 2 axes, but its subscripts \"i\" name 1; write "
	  "\"...\" for the others" },
	{ "ij,jkl", 2, DPR_ERROR_SHAPE,
	  "einsum: x2 has 2 axes, but its subscripts \"jkl\" name 3; write a "
	  "letter for each axis" },
	{ "...ijk", 1, DPR_ERROR_SHAPE, NULL },
	{ "ii->i", 1, DPR_ERROR_SHAPE,
	  "einsum: the index i has the extents 2 and 3 in x1; the axes of a "
	  "diagonal must be equally long" },
	{ "ij,ik", 2, DPR_ERROR_SHAPE,
	  "einsum: the index i has the extent 2 in x1 and 3 in x2; they must "
	  "be the same, or 1 in one operand" },
	{ "...,...", 2, DPR_ERROR_SHAPE,
	  "einsum: the index of an axis of \"...\" has the extent 2 in x1 and "
	  "3 in x2; they must be the same, or 1 in one operand" },
	{ "ij->ik", 1, DPR_ERROR_INVALID_ARGUMENT,
	  "einsum: the result has the index k, which no operand has" },
	{ "ij->ii", 1, DPR_ERROR_INVALID_ARGUMENT,
	  "einsum: the result has the index i twice; name it once" },
	{ "...j->j", 1, DPR_ERROR_INVALID_ARGUMENT,
	  "einsum: \"...\" of the operands stands for 1 axes, but the result "
	  "\"j\" has no \"...\"" },
};
#define REFUSED ((int)(sizeof(refused) / sizeof(refused[0])))

START_TEST(subscripts_are_refused)
{
	const dpr_array *x[3];
	dpr_array *a, *b, *y = NULL;

	x[0] = a = numbers(DPR_SHAPE(2, 3), DPR_FLOAT32, 1);
	x[1] = b = numbers(DPR_SHAPE(3, 4), DPR_FLOAT32, 1);
	CHECK_FAILS(refused[_i].status,
		    dpr_einsum(refused[_i].text, x, (size_t)refused[_i].n, &y));
	if (refused[_i].error)
		expect_text(refused[_i].error);
	ck_assert_ptr_null(y);
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

/* Operands that are refused. */
START_TEST(errors)
{
	const dpr_array *x[3];
	dpr_array *a, *b, *y = NULL;
	dpr_queue *other;

	CHECK_OK(dpr_queue_create(test_device, 0, &other));
	x[0] = a = numbers(DPR_SHAPE(2, 3), DPR_FLOAT32, 1);
	CHECK_OK(dpr_ones(DPR_SHAPE(3, 2), DPR_FLOAT32, other, &b));
	dpr_queue_release(other);
	x[1] = b;
	x[2] = NULL;
	CHECK_FAILS(DPR_ERROR_EXECUTION_PLACEMENT,
		    dpr_einsum("ij,jk", x, 2, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_einsum(NULL, x, 2, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_einsum("", x, 0, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_einsum("", NULL, 1, &y));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_einsum("ij,jk", x, 2, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_einsum("a,b,c", x, 3, &y));
	expect_text("einsum: x3 is NULL");
	dpr_array_release(b);
	CHECK_OK(dpr_ones(DPR_SHAPE(2, 2), DPR_BOOL, test_queue, &b));
	x[0] = b;
	CHECK_FAILS(DPR_ERROR_DTYPE, dpr_einsum("ij", x, 1, &y));
	expect_text("einsum: does not take bool; cast it to an integer with "
		    "dpr_astype()");
	ck_assert_ptr_null(y);
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

/* Two operands of bool are multiplied in the dtype of all. */
START_TEST(flags_and_numbers)
{
	const double fours[] = { 4, 4, 4, 4 };
	const dpr_array *x[3];
	dpr_array *flags, *ones, *y;

	CHECK_OK(dpr_ones(DPR_SHAPE(2, 2), DPR_BOOL, test_queue, &flags));
	for (int i = 0; i < DTYPES; i++) {
		CHECK_OK(dpr_ones(DPR_SHAPE(2, 2), dtype_of(i), test_queue,
				  &ones));
		x[0] = x[1] = flags;
		x[2] = ones;
		CHECK_OK(dpr_einsum("ij,jk,kl->il", x, 3, &y));
		expect_near(y, dtype_of(i), fours, 4, 1, 0, "einsum");
		CHECK_OK(dpr_multi_dot(x, 3, &y));
		expect_near(y, dtype_of(i), fours, 4, 1, 0, "multi_dot");
		dpr_array_release(ones);
	}
	dpr_array_release(flags);
}
END_TEST

/* More axes than a result, a product of two, and one call can have. */
START_TEST(too_many_axes)
{
	int64_t dim[DPR_MAX_RANK];
	const dpr_array *x[3];
	dpr_array *number, *ones, *twos, *y = NULL;

	number = numbers(DPR_SCALAR_SHAPE, DPR_FLOAT32, 1);
	for (int d = 0; d < DPR_MAX_RANK; d++)
		dim[d] = 1;
	CHECK_OK(dpr_reshape(number, dpr_shape_of(26, dim), &ones));
	x[0] = x[1] = x[2] = ones;
	CHECK_FAILS(DPR_ERROR_SHAPE, dpr_einsum("abcdefghijklmnopqrstuvwxyz,"
						"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
						x, 2, &y));
	expect_text("einsum: the result has more than 32 axes");
	CHECK_FAILS(DPR_ERROR_SHAPE,
		    dpr_einsum("abcdefghijklmnopqrstuvwxyz,"
			       "ABCDEFGHIJKLMNOPQRSTUVWXYZ,...",
			       x, 3, &y));
	expect_text("einsum: the operands have more than 64 different indices");
	for (int d = 0; d < DPR_MAX_RANK; d++)
		dim[d] = 2;
	CHECK_OK(dpr_broadcast_to(number, dpr_shape_of(31, dim), &twos));
	x[0] = x[1] = twos;
	CHECK_FAILS(DPR_ERROR_SHAPE,
		    dpr_einsum("abcdefghijklmnopqrstuvwxyzABCDE,"
			       "abcdefghijklmnopqrstuvwxyzABCDE->"
			       "abcdefghijklmnopqrstuvwxyzABCD",
			       x, 2, &y));
	expect_text("einsum: a product of two operands has more than 32 axes, "
		    "or more than 29 that both have; join some with "
		    "dpr_reshape()");
	ck_assert_ptr_null(y);
	dpr_array_release(twos);
	dpr_array_release(ones);
	dpr_array_release(number);
}
END_TEST

static Suite *suite(const char *name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("einsum");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, errors);
	tcase_add_test(t, flags_and_numbers);
	tcase_add_test(t, too_many_axes);
	tcase_add_loop_test(t, subscripts_are_refused, 0, REFUSED);
	tcase_add_loop_test(t, random_sums, 0, RANDOM);
	tcase_add_loop_test(t, forms_of_subscripts, 0, FORMS);
	tcase_add_test(t, ellipses);
	tcase_add_test(t, views);
	tcase_add_loop_test(t, without_copies, 0, IN_PLACE);
	tcase_add_test(t, many_operands);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	return run_on_all(suite);
}
