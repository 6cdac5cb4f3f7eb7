/* SPDX-License-Identifier: Apache-2.0 */
/* Dtypes: names, promotion against NumPy, and single elements on the host. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dtype.h>

#include "core/array/element/scalar.h"

#define ROW(a, b, promoted, can) { #a, #b, #promoted, can },

static const struct row {
	const char *a, *b, *promoted;
	int can;
} rows[] = {
#include "tests/fixtures/dtype_fixtures.h"
};

START_TEST(names_sizes_and_kinds)
{
	ck_assert_str_eq(dpr_dtype_name(DPR_BOOL), "bool");
	ck_assert_str_eq(dpr_dtype_name(DPR_COMPLEX128), "complex128");
	ck_assert_str_eq(dpr_dtype_name(DPR_DTYPE_DEFAULT), "unknown");
	ck_assert_str_eq(dpr_dtype_name((dpr_dtype)-1), "unknown");
	ck_assert_uint_eq(dpr_dtype_size(DPR_BFLOAT16), 2);
	ck_assert_uint_eq(dpr_dtype_size(DPR_COMPLEX128), 16);
	ck_assert_uint_eq(dpr_dtype_size((dpr_dtype)99), 0);
	ck_assert_int_eq(dpr_dtype_kind(DPR_UINT8), 'u');
	ck_assert_int_eq(dpr_dtype_kind((dpr_dtype)99), 0);
	ck_assert_int_eq(dpr_dtype_from_name("bfloat16"), DPR_BFLOAT16);
	ck_assert_int_eq(dpr_dtype_from_name("unknown"), DPR_DTYPE_DEFAULT);
	ck_assert_int_eq(dpr_dtype_from_name("float"), DPR_DTYPE_DEFAULT);
	ck_assert_int_eq(dpr_dtype_from_name(NULL), DPR_DTYPE_DEFAULT);
}
END_TEST

START_TEST(kinds)
{
	static const char *const names[] = {
		"bool",          "signed integer",   "unsigned integer",
		"real floating", "complex floating", "integral",
		"numeric",
	};
	static const char letters[] = "biufc";

	for (int d = 1; d <= DPR_COMPLEX128; d++) {
		const char *at = strchr(letters, dpr_dtype_kind((dpr_dtype)d));
		const int kind = (int)(at - letters);

		for (int k = 0; k < 7; k++)
			ck_assert_msg(!!dpr_isdtype((dpr_dtype)d, names[k]) ==
					      (k < 5    ? k == kind
					       : k == 5 ? kind == 1 || kind == 2
							: kind > 0),
				      "%d, %s", d, names[k]);
		for (int other = 1; other <= DPR_COMPLEX128; other++)
			ck_assert_int_eq(
				dpr_isdtype((dpr_dtype)d,
					    dpr_dtype_name((dpr_dtype)other)),
				d == other);
	}
	ck_assert_int_eq(dpr_isdtype(DPR_FLOAT32, "float"), 0);
	ck_assert_int_eq(dpr_isdtype(DPR_FLOAT32, NULL), 0);
	ck_assert_int_eq(dpr_isdtype(DPR_DTYPE_DEFAULT, "unknown"), 0);
	ck_assert_int_eq(dpr_isdtype((dpr_dtype)99, "numeric"), 0);
}
END_TEST

START_TEST(limits_of_integers)
{
	static const struct {
		dpr_dtype dtype;
		uint32_t bits;
		int64_t min;
		uint64_t max;
	} known[] = {
		{ DPR_INT8, 8, INT8_MIN, INT8_MAX },
		{ DPR_INT16, 16, INT16_MIN, INT16_MAX },
		{ DPR_INT32, 32, INT32_MIN, INT32_MAX },
		{ DPR_INT64, 64, INT64_MIN, INT64_MAX },
		{ DPR_UINT8, 8, 0, UINT8_MAX },
		{ DPR_UINT16, 16, 0, UINT16_MAX },
		{ DPR_UINT32, 32, 0, UINT32_MAX },
		{ DPR_UINT64, 64, 0, UINT64_MAX },
	};
	dpr_integer_limits have;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		ck_assert_int_eq(dpr_iinfo(known[i].dtype, &have), DPR_OK);
		ck_assert_int_eq(have.dtype, known[i].dtype);
		ck_assert_uint_eq(have.bits, known[i].bits);
		ck_assert_int_eq(have.min, known[i].min);
		ck_assert_uint_eq(have.max, known[i].max);
	}
	ck_assert_int_eq(dpr_iinfo(DPR_BOOL, &have), DPR_ERROR_DTYPE);
	ck_assert(have.dtype == DPR_DTYPE_DEFAULT && !have.bits && !have.max);
	ck_assert_int_eq(dpr_iinfo(DPR_COMPLEX64, &have), DPR_ERROR_DTYPE);
	ck_assert_str_eq(dpr_last_error(),
			 "iinfo: complex64 is no integer dtype; its limits are "
			 "those of dpr_finfo()");
	ck_assert_int_eq(dpr_iinfo(DPR_INT8, NULL), DPR_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(limits_of_floats)
{
	static const struct {
		dpr_dtype dtype, part;
		double eps, max, normal, subnormal;
		uint32_t bits, precision;
	} known[] = {
		{ DPR_FLOAT16, DPR_FLOAT16, 0x1p-10, 65504, 0x1p-14, 0x1p-24,
		  16, 3 },
		{ DPR_BFLOAT16, DPR_BFLOAT16, 0x1p-7, 0x1.fep127, FLT_MIN,
		  0x1p-133, 16, 2 },
		{ DPR_FLOAT32, DPR_FLOAT32, FLT_EPSILON, FLT_MAX, FLT_MIN,
		  0x1p-149, 32, FLT_DIG },
		{ DPR_FLOAT64, DPR_FLOAT64, DBL_EPSILON, DBL_MAX, DBL_MIN,
		  0x1p-1074, 64, DBL_DIG },
		{ DPR_COMPLEX64, DPR_FLOAT32, FLT_EPSILON, FLT_MAX, FLT_MIN,
		  0x1p-149, 32, FLT_DIG },
		{ DPR_COMPLEX128, DPR_FLOAT64, DBL_EPSILON, DBL_MAX, DBL_MIN,
		  0x1p-1074, 64, DBL_DIG },
	};
	dpr_float_limits have;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		ck_assert_int_eq(dpr_finfo(known[i].dtype, &have), DPR_OK);
		ck_assert_int_eq(have.dtype, known[i].part);
		ck_assert_uint_eq(have.bits, known[i].bits);
		ck_assert(have.eps == known[i].eps &&
			  have.max == known[i].max &&
			  have.smallest_normal == known[i].normal &&
			  have.smallest_subnormal == known[i].subnormal);
		ck_assert_uint_eq(have.precision, known[i].precision);
	}
	ck_assert_int_eq(dpr_finfo(DPR_UINT8, &have), DPR_ERROR_DTYPE);
	ck_assert(have.dtype == DPR_DTYPE_DEFAULT && have.max == 0);
	ck_assert_str_eq(dpr_last_error(),
			 "finfo: uint8 is no float dtype; its limits are those "
			 "of dpr_iinfo()");
	ck_assert_int_eq(dpr_finfo((dpr_dtype)99, &have), DPR_ERROR_DTYPE);
	ck_assert_int_eq(dpr_finfo(DPR_FLOAT32, NULL),
			 DPR_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(promotion_is_that_of_numpy)
{
	ck_assert_uint_eq(sizeof(rows) / sizeof(rows[0]), 14 * 14);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		dpr_dtype a = dpr_dtype_from_name(rows[i].a);
		dpr_dtype b = dpr_dtype_from_name(rows[i].b), c;

		ck_assert_int_eq(dpr_dtype_promote(a, b, &c), DPR_OK);
		ck_assert_msg(!strcmp(dpr_dtype_name(c), rows[i].promoted),
			      "%s with %s: %s, NumPy says %s", rows[i].a,
			      rows[i].b, dpr_dtype_name(c), rows[i].promoted);
		ck_assert_msg(dpr_dtype_can_cast(a, b) == rows[i].can,
			      "%s to %s", rows[i].a, rows[i].b);
	}
}
END_TEST

START_TEST(bfloat16_is_promoted_by_what_it_holds)
{
	static const struct {
		dpr_dtype other, result;
	} table[] = {
		{ DPR_BOOL, DPR_BFLOAT16 },
		{ DPR_INT8, DPR_BFLOAT16 },
		{ DPR_UINT8, DPR_BFLOAT16 },
		{ DPR_INT16, DPR_FLOAT32 },
		{ DPR_INT64, DPR_FLOAT64 },
		{ DPR_FLOAT16, DPR_FLOAT32 },
		{ DPR_BFLOAT16, DPR_BFLOAT16 },
		{ DPR_FLOAT32, DPR_FLOAT32 },
		{ DPR_FLOAT64, DPR_FLOAT64 },
		{ DPR_COMPLEX64, DPR_COMPLEX64 },
		{ DPR_COMPLEX128, DPR_COMPLEX128 },
	};
	dpr_dtype c;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		ck_assert_int_eq(
			dpr_dtype_promote(DPR_BFLOAT16, table[i].other, &c),
			DPR_OK);
		ck_assert_int_eq(c, table[i].result);
		ck_assert_int_eq(
			dpr_dtype_promote(table[i].other, DPR_BFLOAT16, &c),
			DPR_OK);
		ck_assert_int_eq(c, table[i].result);
	}
	ck_assert_int_eq(dpr_dtype_promote(DPR_BOOL, (dpr_dtype)77, &c),
			 DPR_ERROR_DTYPE);
}
END_TEST

/* Whether a number of 16 bits is converted right, and also the numbers between
   it and the next one. */
static bool is_right(double (*from)(uint16_t), uint16_t (*to)(double),
		     uint16_t infinity, uint16_t bits)
{
	uint16_t sign = bits & 0x8000, rest = bits & 0x7fff;
	double value = from(bits), next;

	if (rest > infinity)
		return isnan(value) && isnan(from(to(value)));
	if (to(value) != bits)
		return false;
	if (rest + 1 >= infinity)
		return true;
	/* Values between two neighbours round to the nearer one; the value in
	   the middle rounds to the even one. */
	next = from((uint16_t)(bits + 1));
	return to(value + (next - value) * 0.25) == bits &&
	       to(value + (next - value) * 0.75) == bits + 1 &&
	       to(value + (next - value) * 0.5) ==
		       (uint16_t)(sign | (rest + (rest & 1)));
}

static void check_small_float(double (*from)(uint16_t), uint16_t (*to)(double),
			      uint16_t infinity)
{
	for (uint32_t bits = 0; bits < 0x10000; bits++)
		if (!is_right(from, to, infinity, (uint16_t)bits))
			ck_abort_msg("the bits %#x", (unsigned)bits);
	ck_assert_uint_eq(to(INFINITY), infinity);
	ck_assert_uint_eq(to(-INFINITY), infinity | 0x8000);
	ck_assert_uint_eq(to(1e300), infinity);
}

START_TEST(half_rounds_to_nearest_even)
{
	check_small_float(scalar_from_half, scalar_to_half, 0x7c00);
	ck_assert_uint_eq(scalar_to_half(65519.99), 0x7bff);
	ck_assert_uint_eq(scalar_to_half(65520), 0x7c00);
	ck_assert_uint_eq(scalar_to_half(0x1p-25), 0);
	ck_assert(scalar_from_half(0x3c00) == 1);
}
END_TEST

START_TEST(bfloat16_rounds_to_nearest_even)
{
	check_small_float(scalar_from_bfloat16, scalar_to_bfloat16, 0x7f80);
	ck_assert(scalar_from_bfloat16(0x3f80) == 1);
}
END_TEST

START_TEST(integers_keep_their_range)
{
	static const struct {
		dpr_dtype dtype;
		int64_t low;
		uint64_t high;
	} table[] = {
		{ DPR_INT8, INT8_MIN, INT8_MAX },
		{ DPR_INT16, INT16_MIN, INT16_MAX },
		{ DPR_INT32, INT32_MIN, INT32_MAX },
		{ DPR_INT64, INT64_MIN, INT64_MAX },
		{ DPR_UINT8, 0, UINT8_MAX },
		{ DPR_UINT16, 0, UINT16_MAX },
		{ DPR_UINT32, 0, UINT32_MAX },
		{ DPR_UINT64, 0, UINT64_MAX },
	};
	unsigned char bytes[16];

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		dpr_dtype t = table[i].dtype;
		dpr_operand back;

		ck_assert_int_eq(scalar_store("test",
					      dpr_operand_int(table[i].low), t,
					      bytes),
				 DPR_OK);
		back = scalar_load(bytes, t);
		ck_assert_int_eq(back.as.i, table[i].low);
		ck_assert_int_eq(scalar_store("test",
					      dpr_operand_uint(table[i].high),
					      t, bytes),
				 DPR_OK);
		back = scalar_load(bytes, t);
		ck_assert_uint_eq(back.as.u, table[i].high);
		if (table[i].low != INT64_MIN)
			ck_assert_int_eq(
				scalar_store("test",
					     dpr_operand_int(table[i].low - 1),
					     t, bytes),
				DPR_ERROR_OVERFLOW);
		if (table[i].high != UINT64_MAX)
			ck_assert_int_eq(
				scalar_store(
					"test",
					dpr_operand_uint(table[i].high + 1), t,
					bytes),
				DPR_ERROR_OVERFLOW);
		ck_assert_int_eq(
			scalar_store("test", dpr_operand_float(NAN), t, bytes),
			DPR_ERROR_OVERFLOW);
		ck_assert_int_eq(
			scalar_store("test", dpr_operand_float(1e30), t, bytes),
			DPR_ERROR_OVERFLOW);
		ck_assert_int_eq(
			scalar_store("test", dpr_operand_float(2.75), t, bytes),
			DPR_OK);
		ck_assert_int_eq(scalar_load(bytes, t).as.i, 2);
	}
	ck_assert_int_eq(scalar_store("test", dpr_operand_float(-0x1p63),
				      DPR_INT64, bytes),
			 DPR_OK);
	ck_assert_int_eq(scalar_load(bytes, DPR_INT64).as.i, INT64_MIN);
}
END_TEST

START_TEST(scalars_survive_every_dtype)
{
	unsigned char bytes[16];

	for (int t = DPR_BOOL; t <= DPR_COMPLEX128; t++) {
		dpr_operand v;

		ck_assert_int_eq(scalar_store("test", dpr_operand_int(1),
					      (dpr_dtype)t, bytes),
				 DPR_OK);
		v = scalar_load(bytes, (dpr_dtype)t);
		switch (dpr_dtype_kind((dpr_dtype)t)) {
		case 'b': ck_assert_uint_eq(v.kind, DPR_OPERAND_BOOL); break;
		case 'i': ck_assert_uint_eq(v.kind, DPR_OPERAND_INT); break;
		case 'u': ck_assert_uint_eq(v.kind, DPR_OPERAND_UINT); break;
		case 'f': ck_assert(v.as.f == 1); continue;
		default: ck_assert(v.as.c[0] == 1 && v.as.c[1] == 0); continue;
		}
		ck_assert_uint_eq(v.as.u, 1);
	}
	ck_assert_int_eq(scalar_store("test", dpr_operand_complex_parts(1, 2),
				      DPR_FLOAT64, bytes),
			 DPR_ERROR_DTYPE);
	ck_assert_int_eq(
		scalar_store("test", dpr_operand_float(0.25), DPR_BOOL, bytes),
		DPR_OK);
	ck_assert_uint_eq(bytes[0], 1);
	ck_assert_int_eq(
		scalar_store("test", dpr_operand_array(NULL), DPR_BOOL, bytes),
		DPR_ERROR_INVALID_ARGUMENT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dtype");
	TCase *tcase = tcase_create("dtype");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tcase, names_sizes_and_kinds);
	tcase_add_test(tcase, kinds);
	tcase_add_test(tcase, limits_of_integers);
	tcase_add_test(tcase, limits_of_floats);
	tcase_add_test(tcase, promotion_is_that_of_numpy);
	tcase_add_test(tcase, bfloat16_is_promoted_by_what_it_holds);
	tcase_add_test(tcase, half_rounds_to_nearest_even);
	tcase_add_test(tcase, bfloat16_rounds_to_nearest_even);
	tcase_add_test(tcase, integers_keep_their_range);
	tcase_add_test(tcase, scalars_survive_every_dtype);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
