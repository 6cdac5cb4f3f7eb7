/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_exponents.c - a power whose exponent is a simple number is computed as a
 * cheaper operation: x**-1 as 1/x, x**1 as x, x**2 as x*x; in a call, into an
 * array, and in expressions.  The bits are those of that operation.  Where
 * values would differ pow() stays: complex numbers, and
 * integers to the power of -1.
 *
 * DPR_TEST_DEVICES is a selector (default: host).  Where a driver compiles each
 * kernel, three dtypes are taken; with DPR_TEST_ALL all.
 */
#include "core/array/element/dtype.h"
#include "core/array/functions/elementwise.h"
#include "core/array/engine/operations.h"
#include "tests/engine/random_graph.h"
#include "tests/engine/sweep.h"
#include "tests/support/bits.h"

#define COUNT 20000

/* The operation in place of pow(), for each exponent. */
static const struct exponent {
	double value;
	const char *text;
	int op, n; /* of floats; pow() of one operand is x*x*x or a root */
	bool is_root;
	bool also_integers; /* they become the same */
} exponents[] = {
	{ -1, "-1", OPERATION__divide, 2, false, false },
	{ 1, "1", OPERATION__positive, 1, false, true },
	{ 2, "2", OPERATION__square, 1, false, true },
	{ 3, "3", OPERATION__pow, 1, false, true },
	{ 0.5, "0.5", OPERATION__pow, 1, true, false },
	{ -2, "-2", OPERATION__pow, 2, false, false },
	{ 0, "0", OPERATION__pow, 2, false, false },
	{ 1.5, "1.5", OPERATION__pow, 2, false, false },
	{ 4, "4", OPERATION__pow, 2, false, false },
};
#define EXPONENTS (sizeof(exponents) / sizeof(exponents[0]))
#define SHORT 3 /* the first ones, which become another operation */

static void expect(bool holds, const char *what, dpr_dtype dtype,
		   const char *exponent)
{
	checks++;
	if (holds || wrong++ >= 20)
		return;
	printf("%s: %s ** %s: %s\n", dpr_queue_name(queue),
	       dpr_dtype_name(dtype), exponent, what);
}

/* --- Operations ------------------------------------------------------------
 */

static bool is_same_operand(dpr_operand x, const dpr_array *array)
{
	return x.kind == DPR_OPERAND_ARRAY && x.as.array == array;
}

/* pow() of @x and a number becomes what it should. */
static void check_outcome(dpr_array *x, const struct exponent *e,
			  dpr_operand number)
{
	const dpr_dtype dtype = dpr_array_dtype(x);
	dpr_operand operands[3] = { dpr_operand_array(x), number };
	struct elementwise_outcome have;
	int op = OPERATION__pow, n = 2;
	bool is_root = false;
	char kind;

	MUST(elementwise_foresee(OPERATION__pow, operands, &have));
	kind = dpr_dtype_kind(have.compute);
	if (kind == 'f' || (e->also_integers && kind != 'c')) {
		op = e->op;
		n = e->n;
		is_root = e->is_root;
	}
	expect(have.op == op && have.n == n && have.is_root == is_root,
	       operations_table[have.op].name, dtype, e->text);
	if (op == OPERATION__divide)
		expect(operands[0].kind == DPR_OPERAND_INT &&
			       operands[0].as.i == 1 &&
			       is_same_operand(operands[1], x),
		       "not 1 / x", dtype, e->text);
	else
		expect(is_same_operand(operands[0], x), "not of x", dtype,
		       e->text);
}

/* The number as every kind that it can have. */
static void check_outcomes(dpr_array *x)
{
	const char kind = dpr_dtype_kind(dpr_array_dtype(x));

	for (size_t i = 0; i < EXPONENTS; i++) {
		const struct exponent *e = &exponents[i];

		check_outcome(x, e, dpr_operand_float(e->value));
		if (e->value != (int)e->value || (kind == 'u' && e->value < 0))
			continue;
		check_outcome(x, e, dpr_operand_int((int)e->value));
		if (e->value >= 0)
			check_outcome(x, e,
				      dpr_operand_uint((uint64_t)e->value));
	}
}

/* --- Values ----------------------------------------------------------------
 */

/* Compute x to the power of @e by another function. */
static dpr_array *new_wanted(dpr_array *x, const struct exponent *e)
{
	const char kind = dpr_dtype_kind(dpr_array_dtype(x));
	dpr_array *number, *want;

	if (kind != 'c' && (kind == 'f' || e->also_integers)) {
		if (e->op == OPERATION__divide)
			MUST(dpr_divide(1, x, &want));
		else if (e->op == OPERATION__positive)
			MUST(dpr_copy(x, &want));
		else
			MUST(dpr_multiply(x, x, &want));
		return want;
	}
	/* The numbers of an array are not known beforehand. */
	MUST(dpr_full(DPR_SHAPE(1), e->value, dpr_array_dtype(x), queue,
		      &number));
	MUST(dpr_pow(x, number, &want));
	dpr_array_release(number);
	return want;
}

static void check_values(dpr_array *x, const struct exponent *e)
{
	const dpr_dtype dtype = dpr_array_dtype(x);
	const int number = (int)e->value;
	dpr_array *want = new_wanted(x, e), *have, *twice;
	char text[32];

	MUST(dpr_pow(x, number, &have));
	expect(bits_equal(have, want), "a call", dtype, e->text);
	dpr_array_release(have);
	MUST(dpr_empty_like(x, DPR_DTYPE_DEFAULT, &have));
	MUST(dpr_pow_into(x, number, have));
	expect(bits_equal(have, want), "into an array", dtype, e->text);
	dpr_array_release(have);
	snprintf(text, sizeof(text), "x**%s", e->text);
	MUST(dpr_evaluate(text, NULL, &have, "x", x));
	expect(bits_equal(have, want), "an expression", dtype, e->text);
	dpr_array_release(have);
	/* Inside a kernel. */
	MUST(dpr_add(want, x, &twice));
	snprintf(text, sizeof(text), "x**%s + x", e->text);
	MUST(dpr_evaluate(text, NULL, &have, "x", x));
	expect(bits_equal(have, twice), "in a kernel", dtype, e->text);
	dpr_array_release(have);
	dpr_array_release(twice);
	dpr_array_release(want);
}

/* Squares and inverses of the host have the bits that C gives. */
static void check_with_c(dpr_array *x)
{
	static double values[COUNT], have[COUNT];
	dpr_array *out;
	long bad = 0;

	MUST(dpr_array_to_memory(x, values, sizeof(values), NULL));
	for (int k = 0; k < 2; k++) {
		MUST(dpr_pow(x, k ? 2 : -1, &out));
		MUST(dpr_array_to_memory(out, have, sizeof(have), NULL));
		dpr_array_release(out);
		for (int i = 0; i < COUNT; i++) {
			const double v = values[i];
			const double want = k ? v * v : 1 / v;

			bad += v == v ? memcmp(&have[i], &want, sizeof(want)) !=
						0
				      : have[i] == have[i];
		}
	}
	expect(!bad, "not what C gives", DPR_FLOAT64, "2 and -1");
}

/* Values of all kinds: special, small, and any bits. */
static dpr_array *new_numbers(dpr_dtype dtype)
{
	static unsigned char bytes[COUNT * 16];
	dpr_array *x;

	random_fill(&rng, (unsigned)dtype, COUNT, bytes);
	MUST(dpr_array_from_memory(bytes, DPR_SHAPE(COUNT), NULL, dtype, queue,
				   &x));
	return x;
}

static void run_device(dpr_device *device)
{
	const char *format = engine_format(device);
	const bool is_native = format && !strncmp(format, "native", 6);

	MUST(dpr_device_queue(device, &queue));
	for (unsigned d = DPR_INT8; d <= DPR_COMPLEX128; d++) {
		const dpr_dtype dtype = (dpr_dtype)d;
		const char kind = dpr_dtype_kind(dtype);
		dpr_array *x;

		if (!dpr_dtype_computes(device, dtype))
			continue;
		x = new_numbers(dtype);
		check_outcomes(x);
		for (int i = 0; i < SHORT; i++)
			if ((is_native || getenv("DPR_TEST_ALL") ||
			     d == DPR_INT32 || d == DPR_FLOAT32 ||
			     d == DPR_FLOAT16) &&
			    (kind != 'u' || exponents[i].value > 0))
				check_values(x, &exponents[i]);
		if (is_native && dtype == DPR_FLOAT64)
			check_with_c(x);
		dpr_array_release(x);
	}
	printf("%s: %ld comparisons so far, %ld wrong\n",
	       dpr_device_selector(device), checks, wrong);
}

static bool is_for(dpr_device *device)
{
	return engine_format(device) && !exact_memory(device);
}

int main(void)
{
	return sweep("host", is_for, run_device,
		     "no device takes kernels of the engine");
}
