/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_kernel_files.c - array functions on a device that takes only a format of
 * its own.  This is the mock's format: a file names a kernel that the mock has.
 */
#include "tests/support/files_device.h"

#include <float.h>
#include <math.h>

#include <dpr/array_kernels.h>

#include "core/array/engine/kernel_store.h"
#include "core/base/mem.h"

#define ROWS 30
#define COLUMNS 40
#define N (ROWS * COLUMNS)

/* The kernels that the mock has. */
static const char *const names[] = {
	"flat_add_float32",         "strided_add_float32",
	"strided_multiply_float32", "flat_square_float32",
	"flat_less_float32",        "strided_cast_int32_float32",
	"strided_copy_uint32",      "strided_fill_uint32",
	"flat_where_uint64",        "strided_index_int64",
	"strided_cast_int64_int32", "reduce_sum_int32",
	"reduce_sum_int64",         "strided_cast_int32_float64",
	"flat_add_float64",         "flat_multiply_float64",
	"flat_equal_int64",         "flat_greater_equal_int64",
	"flat_less_int64",          "flat_equal_uint64",
	"flat_less_uint64",         "flat_bitwise_and_bool",
	"flat_bitwise_or_bool",     "strided_cast_int64_uint64",
	"flat_bitwise_and_int32",   "flat_bitwise_xor_int32",
	"flat_less_int32",          "flat_bitwise_or_int32",
	"flat_equal_int32",         "flat_not_equal_bool",
	"flat_equal_float32",       "flat_minimum_float32",
	"flat_maximum_float32",     "flat_bitwise_invert_int32",
	"flat_negative_int32",      "flat_where_uint32",
	"strided_equal_float32",    "flat_not_equal_float32",
	"reduce_min_int64",
	"flat_ldexp_float32",       "strided_cast_bfloat16_float32",
	"strided_cast_float32_bfloat16",
};
#define N_NAMES (sizeof(names) / sizeof(*names))

static dpr_array *x, *y; /* of float32: i, and 3 * i - 50 at element i */
static float have[N];

static dpr_array *floats(float first, float step)
{
	float values[N];
	dpr_array *made;
	int i;

	for (i = 0; i < N; i++)
		values[i] = first + step * (float)i;
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(ROWS, COLUMNS), NULL,
				       DPR_FLOAT32, q1, &made));
	return made;
}

static void start_with(const char *formats)
{
	start_kernel_files(formats, names, N_NAMES);
	x = floats(0, 1);
	y = floats(-50, 3);
}

static void start(void)
{
	start_with("mock,other");
}

static void end(void)
{
	dpr_array_release(x);
	dpr_array_release(y);
	end_kernel_files();
}

/* Release @z, which must have N elements: @expected(i) at element i. */
static void check(dpr_array *z, float (*expected)(int i))
{
	int i;

	CHECK_OK(dpr_array_to_memory(z, have, sizeof(have), NULL));
	for (i = 0; i < N; i++)
		if (have[i] != expected(i))
			break;
	ck_assert_msg(i == N, "element %d is %g, not %g", i, (double)have[i],
		      (double)expected(i));
	dpr_array_release(z);
}

static float value_x(int i)
{
	return (float)i;
}

static float value_y(int i)
{
	return 3 * (float)i - 50;
}

/* --- Operations --------------------------------------------------------- */

static float sum_xy(int i)
{
	return value_x(i) + value_y(i);
}

static float seven_more(int i)
{
	return value_x(i) + 7;
}

static float squared(int i)
{
	return value_x(i) * value_x(i);
}

START_TEST(flat)
{
	dpr_array *z;
	char *text;

	CHECK_OK(dpr_add(x, y, &z));
	check(z, sum_xy);
	CHECK_OK(dpr_add(x, 7, &z));
	check(z, seven_more);
	CHECK_OK(dpr_add(7, x, &z));
	check(z, seven_more);
	CHECK_OK(dpr_square(x, &z));
	check(z, squared);
	CHECK_OK(dpr_array_format(x, NULL, &text));
	dpr_free(text);
	/* In place: the result is an operand, also beside a number. */
	z = floats(0, 1);
	CHECK_OK(dpr_add_into(z, y, z));
	check(z, sum_xy);
	z = floats(0, 1);
	CHECK_OK(dpr_add_into(z, 7, z));
	check(z, seven_more);
}
END_TEST

static float transposed_sum(int i)
{
	return value_x(i) + value_y(i % COLUMNS * ROWS + i / COLUMNS);
}

static float row_sum(int i)
{
	return value_x(i) + value_y(i % COLUMNS);
}

/* Other layouts than one after the other. */
START_TEST(strided)
{
	dpr_array *z, *turned, *row;

	CHECK_OK(dpr_reshape(y, DPR_SHAPE(COLUMNS, ROWS), &row));
	CHECK_OK(dpr_matrix_transpose(row, &turned));
	CHECK_OK(dpr_add(x, turned, &z));
	check(z, transposed_sum);
	dpr_array_release(row);
	dpr_array_release(turned);
	CHECK_OK(dpr_array_view(y, &row, DPR_AT(0), DPR_ALL));
	CHECK_OK(dpr_add(x, row, &z));
	check(z, row_sum);
	CHECK_OK(dpr_add(row, x, &z));
	check(z, row_sum);
	dpr_array_release(row);
}
END_TEST

/* An array with more axes than a kernel takes, in reverse order. */
START_TEST(many_axes)
{
	enum { AXES = 10, SIZE = 1 << AXES };
	int64_t shape[AXES];
	dpr_array *line, *cube, *turned, *z;
	float values[SIZE];
	int i, d;

	for (i = 0; i < SIZE; i++)
		values[i] = (float)i;
	for (d = 0; d < AXES; d++)
		shape[d] = 2;
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(SIZE), NULL,
				       DPR_FLOAT32, q1, &line));
	CHECK_OK(dpr_reshape(line, dpr_shape_of(AXES, shape), &cube));
	CHECK_OK(dpr_permute_dims(cube, NULL, &turned));
	CHECK_OK(dpr_add(cube, turned, &z));
	CHECK_OK(dpr_array_to_memory(z, values, sizeof(values), NULL));
	for (i = 0; i < SIZE; i++) {
		int back = 0;

		for (d = 0; d < AXES; d++)
			back |= (i >> d & 1) << (AXES - 1 - d);
		if (values[i] != (float)(i + back))
			break;
	}
	ck_assert_int_eq(i, SIZE);
	dpr_array_release(line);
	dpr_array_release(cube);
	dpr_array_release(turned);
	dpr_array_release(z);
}
END_TEST

static float product(int i)
{
	return value_x(i) * value_y(i);
}

/* There is no flat kernel: the strided one does its work. */
START_TEST(strided_for_flat)
{
	dpr_array *z;

	CHECK_OK(dpr_multiply(x, y, &z));
	check(z, product);
}
END_TEST

/* Either value may be a number, or both: then the kernel reads the result in
   their place. */
START_TEST(choices)
{
	int64_t values[N], chosen[3][N];
	dpr_array *is_small, *whole, *z[3];
	int i, k;

	for (i = 0; i < N; i++)
		values[i] = -i;
	CHECK_OK(dpr_array_from_memory(values, DPR_SHAPE(ROWS, COLUMNS), NULL,
				       DPR_INT64, q1, &whole));
	CHECK_OK(dpr_less(x, 100, &is_small));
	CHECK_OK(dpr_where(is_small, whole, 7, &z[0]));
	CHECK_OK(dpr_where(is_small, 7, whole, &z[1]));
	CHECK_OK(dpr_where(is_small, 7, 8, &z[2]));
	for (k = 0; k < 3; k++) {
		CHECK_OK(dpr_array_to_memory(z[k], chosen[k],
					     dpr_array_nbytes(z[k]), NULL));
		dpr_array_release(z[k]);
	}
	for (i = 0; i < N; i++)
		if (chosen[0][i] != (i < 100 ? -i : 7) ||
		    chosen[1][i] != (i < 100 ? 7 : -i) ||
		    chosen[2][i] != (i < 100 ? 7 : 8))
			break;
	ck_assert_int_eq(i, N);
	dpr_array_release(is_small);
	dpr_array_release(whole);
}
END_TEST

/* int64 and uint64 have no dtype in common, and no kernel of one step compares
   them. */
START_TEST(comparisons)
{
	const int64_t a[] = { -1, INT64_MAX, (1LL << 53) + 1, 5 };
	const uint64_t b[] = { UINT64_MAX, 1ULL << 63, 1ULL << 53, 5 };
	static const struct {
		const char *text;
		uint8_t want[4];
	} cases[] = {
		{ "a == b", { 0, 0, 0, 1 } },
		{ "a < b", { 1, 1, 0, 0 } },
		{ "b < a", { 0, 0, 1, 0 } },
	};
	dpr_array *low, *high, *z;
	uint8_t got[4];

	CHECK_OK(dpr_array_from_memory(a, DPR_SHAPE(4), NULL, DPR_INT64, q1,
				       &low));
	CHECK_OK(dpr_array_from_memory(b, DPR_SHAPE(4), NULL, DPR_UINT64, q1,
				       &high));
	for (int i = 0; i < 3; i++) {
		CHECK_OK(dpr_evaluate(cases[i].text, NULL, &z, "a", low, "b",
				      high));
		CHECK_OK(dpr_array_to_memory(z, got, sizeof(got), NULL));
		ck_assert_mem_eq(got, cases[i].want, 4);
		dpr_array_release(z);
	}
	take_away("strided_cast_int64_uint64");
	kernel_store_keep(1);
	CHECK_OK(dpr_add(x, y, &z));
	dpr_array_release(z);
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_less(low, high, &z));
	ck_assert_ptr_null(z);
	CHECK_TEXT("strided_cast_int64_uint64");
	kernel_store_keep(0);
	dpr_array_release(low);
	dpr_array_release(high);
}
END_TEST

/* The bits of a float need no kernel: they are an array in the same memory. */
START_TEST(bits_of_floats)
{
	const float a[] = { 1.5f, -2, 0, -0.0f }, b[] = { -1, 3, -0.0f, 5 };
	const float want[] = { -1.5f, 2, -0.0f, 0 };
	const float two[] = { -2, 2, -2, 2 };
	const uint8_t negative[] = { 0, 1, 0, 1 };
	dpr_array *from, *to, *z;
	float got[4];
	uint8_t signs[4];

	CHECK_OK(dpr_array_from_memory(a, DPR_SHAPE(4), NULL, DPR_FLOAT32, q1,
				       &to));
	CHECK_OK(dpr_array_from_memory(b, DPR_SHAPE(4), NULL, DPR_FLOAT32, q1,
				       &from));
	CHECK_OK(dpr_signbit(to, &z));
	CHECK_OK(dpr_array_to_memory(z, signs, sizeof(signs), NULL));
	ck_assert_mem_eq(signs, negative, sizeof(negative));
	dpr_array_release(z);
	CHECK_OK(dpr_copysign(2, from, &z));
	CHECK_OK(dpr_array_to_memory(z, got, sizeof(got), NULL));
	ck_assert_mem_eq(got, two, sizeof(two));
	dpr_array_release(z);
	CHECK_OK(dpr_copysign_into(to, from, to));
	CHECK_OK(dpr_array_to_memory(to, got, sizeof(got), NULL));
	ck_assert_mem_eq(got, want, sizeof(want));
	dpr_array_release(from);
	dpr_array_release(to);
}
END_TEST

/* Operations of several steps are as many kernels of one step. */
START_TEST(neighbours_and_limits)
{
	const float a[] = { 1.5f, -2, 0, -0.0f, INFINITY, -INFINITY, NAN, 1 };
	const float b[] = { 2, -1, -5, 3, 0, -INFINITY, 1, NAN };
	const float finite[] = { 1.5f, -2, 0, -0.0f, FLT_MAX, -FLT_MAX, 0, 1 };
	dpr_array *from, *to, *z;
	float got[8];

	CHECK_OK(dpr_array_from_memory(a, DPR_SHAPE(8), NULL, DPR_FLOAT32, q1,
				       &from));
	CHECK_OK(dpr_array_from_memory(b, DPR_SHAPE(8), NULL, DPR_FLOAT32, q1,
				       &to));
	CHECK_OK(dpr_nextafter(from, to, &z));
	CHECK_OK(dpr_array_to_memory(z, got, sizeof(got), NULL));
	for (int i = 0; i < 6; i++)
		ck_assert_float_eq(got[i], nextafterf(a[i], b[i]));
	ck_assert(isnan(got[6]) && isnan(got[7]));
	dpr_array_release(z);
	CHECK_OK(dpr_nextafter(2.5, to, &z));
	CHECK_OK(dpr_array_to_memory(z, got, sizeof(got), NULL));
	for (int i = 0; i < 7; i++)
		ck_assert_float_eq(got[i], nextafterf(2.5f, b[i]));
	dpr_array_release(z);
	CHECK_OK(dpr_nan_to_num_into(from, from));
	CHECK_OK(dpr_array_to_memory(from, got, sizeof(got), NULL));
	ck_assert_mem_eq(got, finite, sizeof(finite));
	dpr_array_release(from);
	dpr_array_release(to);
}
END_TEST

/* 16-bit floats are computed in float32, and cast by a kernel of its own. */
START_TEST(products_with_powers)
{
	/* 1.5, -2.5, and the smallest number; 12, -0.625, and 2^124. */
	const uint16_t a[] = { 0x3fc0, 0xc020, 0x0001 };
	const uint16_t want[] = { 0x4140, 0xbf20, 0x7d80 };
	const int32_t powers[] = { 3, -2, 257 };
	dpr_array *from, *n, *z;
	uint16_t got[3];

	CHECK_OK(dpr_array_from_memory(a, DPR_SHAPE(3), NULL, DPR_BFLOAT16, q1,
				       &from));
	CHECK_OK(dpr_array_from_memory(powers, DPR_SHAPE(3), NULL, DPR_INT32,
				       q1, &n));
	CHECK_OK(dpr_ldexp(from, n, &z));
	CHECK_OK(dpr_array_to_memory(z, got, sizeof(got), NULL));
	ck_assert_mem_eq(got, want, sizeof(want));
	dpr_array_release(z);
	CHECK_OK(dpr_ldexp_into(from, n, from));
	CHECK_OK(dpr_array_to_memory(from, got, sizeof(got), NULL));
	ck_assert_mem_eq(got, want, sizeof(want));
	dpr_array_release(from);
	dpr_array_release(n);
}
END_TEST

/* --- What is not an operation ------------------------------------------- */

static float turned_x(int i)
{
	return value_x(i % ROWS * COLUMNS + i / ROWS);
}

static float filled(int i)
{
	return i % COLUMNS == 5 ? 9 : value_x(i);
}

static float lower_x(int i)
{
	return i % COLUMNS <= i / COLUMNS + 1 ? value_x(i) : 0;
}

static float upper_x(int i)
{
	return i % COLUMNS >= i / COLUMNS + 1 ? value_x(i) : 0;
}

START_TEST(moves)
{
	dpr_array *z, *turned, *column, *whole;
	int64_t sums[COLUMNS];
	int i;

	CHECK_OK(dpr_matrix_transpose(x, &turned));
	CHECK_OK(dpr_copy(turned, &z));
	check(z, turned_x);
	dpr_array_release(turned);
	/* Without a kernel that computes positions, a mask chooses. */
	CHECK_OK(dpr_tril(x, 1, &z));
	check(z, lower_x);
	CHECK_OK(dpr_triu(x, 1, &z));
	check(z, upper_x);
	z = floats(0, 1);
	CHECK_OK(dpr_array_view(z, &column, DPR_ALL, DPR_AT(5)));
	CHECK_OK(dpr_copy_into(column, 9));
	check(z, filled);
	dpr_array_release(column);
	CHECK_OK(dpr_arange(0, N, 1, DPR_INT32, q1, &whole));
	CHECK_OK(dpr_astype(whole, DPR_FLOAT32, &z));
	check(z, value_x);
	CHECK_OK(dpr_reshape(whole, DPR_SHAPE(ROWS, COLUMNS), &turned));
	CHECK_OK(dpr_sum(turned, DPR_AXES(0), &z));
	CHECK_OK(dpr_array_to_memory(z, sums, sizeof(sums), NULL));
	for (i = 0; i < COLUMNS; i++)
		if (sums[i] != ROWS * i + COLUMNS * (ROWS * (ROWS - 1) / 2))
			break;
	ck_assert_int_eq(i, COLUMNS);
	dpr_array_release(whole);
	dpr_array_release(turned);
	dpr_array_release(z);
}
END_TEST

/* argmax() calls one function after the other, on positions in memory. */
START_TEST(largest)
{
	const float v[] = { 1, 5, -2, 5, 0, 2, 7, NAN, 7, 8, -1, NAN };
	static const int64_t first[] = { 1, 3, 3 };
	int64_t at[4];
	dpr_array *z, *made;

	CHECK_OK(dpr_array_from_memory(v, DPR_SHAPE(3, 4), NULL, DPR_FLOAT32,
				       q1, &made));
	bring("reduce_max_float32");
	CHECK_OK(dpr_argmax(made, NULL, &z));
	CHECK_OK(dpr_array_to_memory(z, at, sizeof(at), NULL));
	ck_assert_int_eq(at[0], 7);
	dpr_array_release(z);
	CHECK_OK(dpr_argmax(made, DPR_AXES(0), &z));
	CHECK_OK(dpr_array_to_memory(z, at, sizeof(at), NULL));
	ck_assert(at[0] == 2 && at[1] == 2 && at[2] == 1 && at[3] == 1);
	dpr_array_release(z);
	CHECK_OK(dpr_argmax(made, DPR_AXES_KEPT(1), &z));
	CHECK_OK(dpr_array_to_memory(z, at, sizeof(at), NULL));
	ck_assert_mem_eq(at, first, sizeof(first));
	dpr_array_release(z);
	dpr_array_release(made);
}
END_TEST

/* Equal steps whose last one is given: the choice of the last is of bits. */
START_TEST(equal_steps)
{
	double got[N];
	dpr_array *z;
	int i;

	CHECK_OK(dpr_linspace(0.1, 1.1, N, DPR_FLOAT64, q1, &z));
	CHECK_OK(dpr_array_to_memory(z, got, sizeof(got), NULL));
	for (i = 0; i < N - 1; i++)
		if (fabs(got[i] - (0.1 + i * (1.0 / (N - 1)))) > 1e-15)
			break;
	ck_assert_int_eq(i, N - 1);
	ck_assert_double_eq(got[N - 1], 1.1);
	dpr_array_release(z);
}
END_TEST

/* A view that is moved elsewhere is packed here, if there is the kernel. */
START_TEST(plans)
{
	dpr_array *turned, *z;
	dpr_device *device;
	dpr_transfer plan;

	CHECK_OK(dpr_device_select("mock:1", &device));
	CHECK_OK(dpr_matrix_transpose(x, &turned));
	CHECK_OK(dpr_transfer_plan(turned, device, &plan));
	ck_assert_int_ne(plan.path, DPR_TRANSFER_PAGEABLE);
	take_away("strided_copy_uint32");
	CHECK_OK(dpr_transfer_plan(turned, device, &plan));
	ck_assert_int_eq(plan.path, DPR_TRANSFER_PAGEABLE);
	CHECK_OK(dpr_array_to_device(turned, device, &z));
	check(z, turned_x);
	dpr_array_release(turned);
}
END_TEST

static float expression(int i)
{
	return (value_x(i) * value_x(i) + value_y(i)) * 2 + value_x(i);
}

/* Check that each element is its column.  Releases @z. */
static void check_index(dpr_array *z)
{
	static int32_t values[N];
	int i = 0;

	CHECK_OK(dpr_array_to_memory(z, values, sizeof(values), NULL));
	while (i < N && values[i] == i % COLUMNS)
		i++;
	ck_assert_int_eq(i, N);
	dpr_array_release(z);
}

/* An expression runs one call after the other, casts among them. */
START_TEST(fused)
{
	const dpr_binding bindings[] = { { "x", dpr_operand_array(x) },
					 { "y", dpr_operand_array(y) } };
	dpr_expression *e;
	dpr_array *z, *ints;
	char *text;

	CHECK_OK(dpr_evaluate("(x*x + y) * 2 + x", NULL, &z, "x", x, "y", y));
	check(z, expression);
	z = floats(0, 1);
	CHECK_OK(dpr_evaluate_into("(z*z + y) * 2 + z", z, "z", z, "y", y));
	check(z, expression);
	CHECK_OK(dpr_expression_create("(x*x + y) * 2 + x", &e));
	CHECK_OK(dpr_expression_explain(e, bindings, 2, NULL, &text));
	ck_assert_msg(strstr(text, "eager") && !strstr(text, "kernel 1"), "%s",
		      text);
	dpr_free(text);
	dpr_expression_release(e);
	CHECK_OK(dpr_arange(0, N, 1, DPR_INT32, q1, &ints));
	CHECK_OK(dpr_reshape(ints, DPR_SHAPE(ROWS, COLUMNS), &z));
	dpr_array_release(ints);
	ints = z;
	CHECK_OK(dpr_evaluate("astype(i, float32) + y", NULL, &z, "i", ints,
			      "y", y));
	check(z, sum_xy);
	CHECK_OK(dpr_evaluate("astype(index(1, i), int32)", NULL, &z, "i",
			      ints));
	dpr_array_release(ints);
	check_index(z);
}
END_TEST

/* --- What is missing ---------------------------------------------------- */

START_TEST(missing)
{
	dpr_array *z;
	char path[8192];

	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_subtract(x, y, &z));
	ck_assert_ptr_null(z);
	snprintf(path, sizeof(path), "%s/mock-kernels/mock/", files_folder);
	CHECK_TEXT(path);
	CHECK_TEXT("mock:accelerator:0 has no strided_subtract_float32");
	CHECK_TEXT("dpr kernels --source strided_subtract_float32");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_max(x, NULL, &z));
	CHECK_TEXT("reduce_max_float32");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_astype(x, DPR_INT8, &z));
	CHECK_TEXT("strided_cast_float32_int8");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_evaluate("x*x - y", NULL, &z, "x", x, "y", y));
	CHECK_TEXT("strided_subtract_float32");
	/* It may come later. */
	take_away("flat_add_float32");
	take_away("strided_add_float32");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_add(x, y, &z));
	bring("flat_add_float32");
	CHECK_OK(dpr_add(x, y, &z));
	check(z, sum_xy);
}
END_TEST

/* What a file must not be.  The strided kernel is taken in its place. */
START_TEST(bad_files)
{
	static const struct {
		const char *bytes;
		mode_t mode;
		dpr_status status;
		const char *text;
	} bad[] = {
		{ "", 0644, DPR_ERROR_UNSUPPORTED, "not a file with a kernel" },
		{ "strided_add_float32", 0646, DPR_ERROR_UNSUPPORTED,
		  "everyone may write to it" },
		{ "nonsense", 0644, DPR_ERROR_BUILD, "no kernel that" },
		{ "flat_add_float32", 0644, DPR_ERROR_NOT_FOUND,
		  "strided_add_float32" },
	};
	dpr_array *z;

	take_away("flat_add_float32");
	files_write("mock-kernels/mock/strided_add_float32", bad[_i].bytes,
		    strlen(bad[_i].bytes), bad[_i].mode);
	CHECK_FAILS(bad[_i].status, dpr_add(x, y, &z));
	CHECK_TEXT(bad[_i].text);
}
END_TEST

START_TEST(folder_for_file)
{
	char path[8192];
	dpr_array *z;

	take_away("flat_add_float32");
	take_away("strided_add_float32");
	snprintf(path, sizeof(path), "%s/mock-kernels/mock/strided_add_float32",
		 files_folder);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_add(x, y, &z));
	CHECK_TEXT("not a file with a kernel");
}
END_TEST

static const char *const odd_formats[] = { "..", "../mock-kernels/mock" };

/* A format whose name is no name of a folder has no files. */
START_TEST(odd_format)
{
	dpr_array *z;

	start_with(odd_formats[_i]);
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_add(x, y, &z));
	CHECK_TEXT("takes no format in which dpr makes kernels");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, dpr_sum(x, NULL, &z));
	CHECK_TEXT("takes no format in which dpr makes kernels");
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED,
		    dpr_evaluate("x / sum(x)", NULL, &z, "x", x));
	CHECK_TEXT("takes no format in which dpr makes kernels");
	end();
}
END_TEST

/* Each allocation of a call that loads its kernel fails in turn. */
START_TEST(no_memory)
{
	dpr_status status;
	int failures = 0;
	dpr_array *z;
	uint64_t n;

	kernel_store_keep(1);
	for (n = 0; n < 150; n++) {
		mem_fault_once(n);
		status = dpr_square(x, &z);
		mem_fault_clear();
		ck_assert(!status == !!z);
		ck_assert_msg(!status || status == DPR_ERROR_OUT_OF_MEMORY ||
				      status == DPR_ERROR_OUT_OF_DEVICE_MEMORY,
			      "%d: %s", (int)n, dpr_last_error());
		failures += status != DPR_OK;
		dpr_array_release(z);
		/* Another kernel takes its place. */
		CHECK_OK(dpr_add(x, y, &z));
		dpr_array_release(z);
	}
	ck_assert_int_gt(failures, 10);
	CHECK_OK(dpr_square(x, &z));
	check(z, squared);
	kernel_store_keep(0);
}
END_TEST

/* --- The list ----------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const dpr_array_kernel *)a)->name,
		      ((const dpr_array_kernel *)b)->name);
}

/* Every name is there once, and is a kernel of its source. */
START_TEST(list)
{
	dpr_array_kernel *all, key = { 0 };
	char head[200], *source;
	size_t n, i;

	CHECK_OK(dpr_array_kernels(&all, &n));
	qsort(all, n, sizeof(*all), compare_names);
	for (i = 1; i < n; i++)
		if (!strcmp(all[i - 1].name, all[i].name))
			break;
	ck_assert_int_eq(i, n);
	for (i = 0; i < N_NAMES; i++) {
		key.name = names[i];
		ck_assert_ptr_nonnull(
			bsearch(&key, all, n, sizeof(*all), compare_names));
	}
	for (i = 0; i < n; i += 29) {
		if (!strncmp(all[i].name, "matmul_", 7))
			continue;
		CHECK_OK(dpr_array_kernel_source(all[i].name, &source));
		snprintf(head, sizeof(head), "kernel void %s(%s)", all[i].name,
			 all[i].parameters);
		ck_assert_msg(strstr(source, head) != NULL, "no %s", head);
		ck_assert(*all[i].words);
		dpr_free(source);
	}
	dpr_free(all);
	CHECK_FAILS(DPR_ERROR_NOT_FOUND,
		    dpr_array_kernel_source("flat_plus_float32", &source));
	CHECK_TEXT("flat_plus_float32");
	ck_assert_ptr_null(source);
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, dpr_array_kernels(&all, NULL));
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
		    dpr_array_kernel_source(NULL, &source));
}
END_TEST

START_TEST(list_without_memory)
{
	dpr_array_kernel *all;
	char *source;
	size_t n;
	uint64_t at;

	for (at = 0;; at++) {
		mem_fault_once(at < 20 ? at : at * at);
		if (!dpr_array_kernels(&all, &n))
			break;
		ck_assert_ptr_null(all);
		CHECK_TEXT("out of host memory");
	}
	mem_fault_clear();
	ck_assert_uint_gt(at, 20);
	dpr_free(all);
	for (at = 0;; at++) {
		mem_fault_once(at);
		if (!dpr_array_kernel_source("reduce_sum_int32", &source))
			break;
		ck_assert_ptr_null(source);
	}
	mem_fault_clear();
	ck_assert_uint_gt(at, 0);
	dpr_free(source);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kernel files");
	TCase *files = tcase_create("files"), *others = tcase_create("others");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(files, start, end);
	tcase_set_timeout(files, 60);
	tcase_add_test(files, flat);
	tcase_add_test(files, strided);
	tcase_add_test(files, many_axes);
	tcase_add_test(files, strided_for_flat);
	tcase_add_test(files, choices);
	tcase_add_test(files, comparisons);
	tcase_add_test(files, bits_of_floats);
	tcase_add_test(files, neighbours_and_limits);
	tcase_add_test(files, products_with_powers);
	tcase_add_test(files, moves);
	tcase_add_test(files, largest);
	tcase_add_test(files, equal_steps);
	tcase_add_test(files, plans);
	tcase_add_test(files, fused);
	tcase_add_test(files, missing);
	tcase_add_loop_test(files, bad_files, 0, 4);
	tcase_add_test(files, folder_for_file);
	tcase_add_test(files, no_memory);
	suite_add_tcase(suite, files);
	tcase_set_timeout(others, 60);
	tcase_add_loop_test(others, odd_format, 0, 2);
	tcase_add_test(others, list);
	tcase_add_test(others, list_without_memory);
	suite_add_tcase(suite, others);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
