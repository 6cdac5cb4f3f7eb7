/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_examples.c - the statements of the reference on array functions, on the
 * default device.
 *
 * Each example is the code of the man page.  Its output is compared with the man
 * page's.  The same examples show which dtypes each function takes, and which dtype
 * its result has.  The special values of the man pages are compared, too.
 *
 * examples.awk writes examples_run.h from the lists in doc/reference/.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/dpr.h>

#include "tests/support/elements.h"

/* How to run an example, and what it found. */
struct example {
	dpr_dtype dtype; /* of operands; DEFAULT: that of the list */
	bool into; /* compute into arrays that exist, too */
	FILE *stream; /* what the example prints goes there */
	dpr_dtype made; /* of the first new array */
};

struct example_entry {
	const char *name;
	dpr_status (*run)(struct example *example);
	const char *printed;
	const char *classes; /* "": the example does not say */
	const char *rule;
	int has_number; /* a number stands for an operand */
	int has_into;
};

struct special_value {
	const char *name;
	union {
		dpr_status (*f1)(dpr_operand, dpr_array **);
		dpr_status (*f2)(dpr_operand, dpr_operand, dpr_array **);
		dpr_status (*f3)(dpr_operand, dpr_operand, dpr_operand,
				 dpr_array **);
		dpr_status (*reduce)(const dpr_array *, const dpr_axes *,
				     dpr_array **);
		dpr_status (*correct)(const dpr_array *, const dpr_axes *,
				      double, dpr_array **);
	} call;
	int form; /* the number of operands; 0: reduce, -1: correct */
	int count; /* the number of elements or operands */
	double in[3], out;
};

/* --- The arrays of examples ---------------------------------------------- */

enum { MAX_ELEMENTS = 16 };

/* The kind of the numbers in @text. */
static dpr_dtype dtype_of_text(const char *text)
{
	if (strstr(text, "True") || strstr(text, "False"))
		return DPR_BOOL;
	if (strchr(text, 'j'))
		return DPR_COMPLEX128;
	return strpbrk(text, ".en") ? DPR_FLOAT64 : DPR_INT64;
}

/* Make an array of a text such as "[[1 2] [3 4]]". */
static dpr_array *array_of_text(const char *text)
{
	const dpr_dtype dtype = dtype_of_text(text);
	double parts[2 * MAX_ELEMENTS];
	int64_t whole[MAX_ELEMENTS], lists[8] = { 0 }, dim[8];
	bool truths[MAX_ELEMENTS];
	int rank = (int)strspn(text, "["), depth = 0, n = 0;
	const void *data = parts;
	dpr_array *x;
	char *end;

	for (const char *c = text; *c; c = end) {
		end = (char *)c + 1;
		if (*c == '[')
			lists[depth++]++;
		if (*c == ']')
			depth--;
		if (strchr("[] ", *c))
			continue;
		ck_assert_int_lt(n, MAX_ELEMENTS);
		truths[n] = *c == 'T';
		if (dtype == DPR_BOOL) {
			end = (char *)c + strcspn(c, " ]");
		} else if (dtype == DPR_COMPLEX128) {
			parts[2 * n] = strtod(c, &end);
			parts[2 * n + 1] = strtod(end, &end);
			end++; /* the j */
		} else if (dtype == DPR_INT64) {
			whole[n] = strtoll(c, &end, 10);
		} else {
			parts[n] = strtod(c, &end);
		}
		n++;
	}
	/* Behind the lists of each depth come the numbers. */
	lists[0] = 1;
	lists[rank] = n;
	for (int i = 0; i < rank; i++)
		dim[i] = lists[i + 1] / lists[i];
	if (dtype == DPR_BOOL)
		data = truths;
	if (dtype == DPR_INT64)
		data = whole;
	CHECK_OK(dpr_array_from_memory(data, dpr_shape_of(rank, dim), NULL,
				       dtype, test_queue, &x));
	return x;
}

/* Release *@x, and let @y take its place. */
static void replace(dpr_array **x, dpr_array *y)
{
	dpr_array_release(*x);
	*x = y;
}

/* The arrays that get the dtype of a run.  Others are indices and masks. */
static bool is_operand(const char *name)
{
	return !strcmp(name, "x") || !strcmp(name, "x1") ||
	       !strcmp(name, "x2") || !strcmp(name, "w");
}

/* An array that an example has before its call. */
static dpr_array *given(const struct example *example, const char *name,
			const char *text)
{
	dpr_array *x = array_of_text(text), *y;

	if (!example->dtype || !is_operand(name))
		return x;
	if (dtype_of_text(text) == DPR_COMPLEX128 &&
	    dpr_dtype_kind(example->dtype) != 'c') {
		CHECK_OK(dpr_real(x, &y));
		replace(&x, y);
	}
	return cast(x, example->dtype);
}

/* Replace *@y by an array like it with other elements. */
static void overwrite(dpr_array **y)
{
	dpr_array *other;

	CHECK_OK(dpr_full_like(*y, 42, DPR_DTYPE_DEFAULT, &other));
	replace(y, other);
}

/* --- The examples -------------------------------------------------------- */

/* Output of an example goes to its stream. */
#undef stdout
#define stdout example->stream
#undef puts
#define puts(text) fprintf(example->stream, "%s\n", (text))

#include "tests/functions/examples_run.h"

#undef stdout
#define stdout stdout
#undef puts

enum {
	EXAMPLES = sizeof(examples) / sizeof(examples[0]),
	VALUES = sizeof(special_values) / sizeof(special_values[0])
};

/* Functions that need a library may be refused for lack of one. */
static bool lacks_library(dpr_status status)
{
	return status == DPR_ERROR_UNSUPPORTED &&
	       strstr(dpr_last_error(), "LAPACK");
}

START_TEST(prints_what_the_page_shows)
{
	const struct example_entry *entry = &examples[_i];
	struct example example = { DPR_DTYPE_DEFAULT, entry->has_into, NULL,
				   DPR_DTYPE_DEFAULT };
	char *text = NULL, *twice = malloc(2 * strlen(entry->printed) + 1);
	size_t size;
	dpr_status status;

	ck_assert_ptr_nonnull(twice);
	sprintf(twice, "%s%s", entry->printed,
		entry->has_into ? entry->printed : "");
	example.stream = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(example.stream);
	status = entry->run(&example);
	fclose(example.stream);
	if (lacks_library(status))
		printf("%s: left out: %s\n", entry->name, dpr_last_error());
	else
		ck_assert_msg(!status && !strcmp(text, twice),
			      "%s: %s\nprinted:\n%s\nin the page:\n%s",
			      entry->name, status ? dpr_last_error() : "",
			      text, twice);
	free(text);
	free(twice);
}
END_TEST

/* --- Dtypes -------------------------------------------------------------- */

/* The dtypes with which examples are called, and their classes. */
static const struct {
	char letter;
	dpr_dtype dtype;
} classes[] = {
	{ 'b', DPR_BOOL },	{ 'i', DPR_INT32 },   { 'u', DPR_UINT8 },
	{ 'f', DPR_FLOAT32 },	{ 'c', DPR_COMPLEX64 }, { 'h', DPR_FLOAT16 },
};

/* Whether the function takes arrays of class @letter. */
static bool takes(const char *list, char letter)
{
	if (letter == 'h')
		return strchr(list, 'f');
	if (letter == 'f' || letter == 'c')
		return strchr(list, letter) ||
		       strchr(list, letter == 'f' ? 'F' : 'C');
	return strchr(list, letter);
}

/* The dtype of the result by @rule, of operands of @dtype and class @letter.
   DEFAULT: the rule does not say. */
static dpr_dtype dtype_by_rule(const char *rule, dpr_dtype dtype, char letter)
{
	const bool whole = strchr("biu", letter);
	const dpr_dtype number = dpr_dtype_default(test_device, 'f');

	if (!strcmp(rule, "same"))
		return dtype;
	if (!strcmp(rule, "bool"))
		return DPR_BOOL;
	if (!strcmp(rule, "int64"))
		return DPR_INT64;
	if (!strcmp(rule, "wide"))
		return letter == 'u' ? DPR_UINT64 : whole ? DPR_INT64 : dtype;
	if (!strcmp(rule, "real"))
		return letter == 'c' ? DPR_FLOAT32 : dtype;
	if (!strcmp(rule, "float") || !strcmp(rule, "first"))
		return whole ? number : dtype;
	if (!strcmp(rule, "part"))
		return whole ? number : letter == 'c' ? DPR_FLOAT32 : dtype;
	if (!strcmp(rule, "complex"))
		return whole ? DPR_COMPLEX128 : DPR_COMPLEX64;
	ck_assert_msg(!strcmp(rule, "given") || !strcmp(rule, "other"),
		      "unknown rule %s", rule);
	return DPR_DTYPE_DEFAULT;
}

/* Call the example with arrays of one class. */
static void check_class(const struct example_entry *entry, char letter,
			dpr_dtype dtype)
{
	struct example example = { dtype, false, NULL, DPR_DTYPE_DEFAULT };
	const bool taken = takes(entry->classes, letter);
	dpr_dtype want;
	dpr_status status;
	char *text;
	size_t size;

	if (letter == 'b' && entry->has_number)
		return;
	/* The example gives a real dtype, to which none is cast. */
	if (letter == 'c' && taken && !strcmp(entry->rule, "given"))
		return;
	example.stream = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(example.stream);
	status = entry->run(&example);
	fclose(example.stream);
	free(text);
	if (lacks_library(status))
		return;
	/* A matrix of other numbers may have no result. */
	if (taken && status == DPR_ERROR_LINALG)
		return;
	ck_assert_msg(status == (taken ? DPR_OK : DPR_ERROR_DTYPE),
		      "%s of %s: %s: %s", entry->name, dpr_dtype_name(dtype),
		      dpr_status_name(status), status ? dpr_last_error() : "");
	if (!taken || letter == 'h')
		return;
	want = dtype_by_rule(entry->rule, dtype, letter);
	ck_assert_msg(!want || example.made == want, "%s of %s: %s, not %s",
		      entry->name, dpr_dtype_name(dtype),
		      dpr_dtype_name(example.made), dpr_dtype_name(want));
}

START_TEST(takes_the_dtypes_of_the_page)
{
	const struct example_entry *entry = &examples[_i];

	for (size_t k = 0; k < sizeof(classes) / sizeof(classes[0]); k++)
		if (entry->classes[0])
			check_class(entry, classes[k].letter,
				    classes[k].dtype);
}
END_TEST

/* --- Special values ------------------------------------------------------ */

static double compute_value(const struct special_value *v, dpr_dtype dtype)
{
	dpr_array *x[3] = { NULL }, *y;
	dpr_operand o[3];
	double value;

	if (v->form > 0) {
		for (int i = 0; i < v->form; i++) {
			x[i] = cast(array_of(&v->in[i], 1, DPR_FLOAT64),
				    dtype);
			o[i] = dpr_operand_array(x[i]);
		}
	} else {
		x[0] = cast(array_of(v->in, v->count, DPR_FLOAT64), dtype);
	}
	if (v->form == 1)
		CHECK_OK(v->call.f1(o[0], &y));
	else if (v->form == 2)
		CHECK_OK(v->call.f2(o[0], o[1], &y));
	else if (v->form == 3)
		CHECK_OK(v->call.f3(o[0], o[1], o[2], &y));
	else if (v->form == 0)
		CHECK_OK(v->call.reduce(x[0], NULL, &y));
	else
		CHECK_OK(v->call.correct(x[0], NULL, 0, &y));
	y = cast(y, DPR_FLOAT64);
	CHECK_OK(dpr_array_item_double(y, &value));
	for (int i = 0; i < 3; i++)
		dpr_array_release(x[i]);
	dpr_array_release(y);
	return value;
}

START_TEST(has_the_special_values_of_the_page)
{
	const struct special_value *v = &special_values[_i];
	const dpr_dtype dtypes[] = { DPR_FLOAT32, DPR_FLOAT64 };

	for (int k = 0; k < 2; k++) {
		const double got = compute_value(v, dtypes[k]);
		const bool same = isnan(v->out) ? isnan(got) :
			(got == v->out || fabs(got - v->out) < 1e-6) &&
			!signbit(got) == !signbit(v->out);

		ck_assert_msg(same, "%s, %s, of %g %g: %g, not %g", v->name,
			      dpr_dtype_name(dtypes[k]), v->in[0], v->in[1],
			      got, v->out);
	}
}
END_TEST

/* dpr-expression(7) sends readers to these pages. */
START_TEST(functions_of_expressions_have_a_page)
{
	const char *name;
	int i;

	for (size_t k = 0; (name = dpr_expression_function(k)); k++) {
		for (i = 0; i < EXAMPLES && strcmp(examples[i].name, name); i++)
			continue;
		ck_assert_msg(i < EXAMPLES || !strcmp(name, "index"),
			      "%s() has no example", name);
	}
}
END_TEST

static Suite *examples_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("reference");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, prints_what_the_page_shows, 0, EXAMPLES);
	tcase_add_loop_test(tcase, takes_the_dtypes_of_the_page, 0, EXAMPLES);
	tcase_add_loop_test(tcase, has_the_special_values_of_the_page, 0,
			    VALUES);
	tcase_add_test(tcase, functions_of_expressions_have_a_page);
	suite_add_tcase(suite, tcase);
	return suite;
}

/* Examples use NULL for the queue, and so the default device. */
int main(void)
{
	dpr_device *device;

	if (dpr_device_select(NULL, &device)) {
		printf("skipped: %s\n", dpr_last_error());
		return 77;
	}
	if (!dpr_device_has(device, "fp64") ||
	    !dpr_device_has(device, "usm_host")) {
		printf("skipped: %s computes no float64, or lacks HOST memory\n",
		       dpr_device_selector(device));
		return 77;
	}
	return run_on_devices(examples_suite, &device, 1);
}
