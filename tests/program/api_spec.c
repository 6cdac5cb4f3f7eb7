/* SPDX-License-Identifier: Apache-2.0 */
/* api_spec.c - values for specialization constants: they reach the plugin, or
   are refused. */
#include "tests/support/cache_files.h"
#include "tests/support/runtime_test.h"
#include "tests/support/spirv_constants.h"

static const dpr_image module = { "spirv", NULL, spirv_constants,
				  sizeof(spirv_constants) };
static const dpr_image names = { "mock", NULL, "add_one", 7 };
static const uint32_t seven = 7;

static void start_spirv(void)
{
	setenv("DPR_OPTION_MOCK_FORMATS", "spirv,mock,opencl-c", 1);
	start_mocks();
}

static dpr_status build(const dpr_image *image, const dpr_spec *spec, size_t n)
{
	dpr_build_options options = { .struct_size = sizeof(options),
				      .spec = spec,
				      .n_spec = n };
	dpr_program *program;
	dpr_status status;

	status = dpr_program_build(q1, image, 1, &options, &program);
	ck_assert_int_eq(!program, !!status);
	dpr_program_release(program);
	return status;
}

/* Check that a build with the value @spec is refused, with @text in the
   error. */
static void check_refused(const dpr_image *image, dpr_spec spec,
			  const char *text)
{
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, build(image, &spec, 1));
	CHECK_TEXT(text);
}

static void check_value(const struct mock_create *seen, uint32_t index,
			uint32_t id, uint32_t size, uint64_t value)
{
	ck_assert_uint_eq(seen->spec[index].id, id);
	ck_assert_uint_eq(seen->spec[index].size, size);
	ck_assert_uint_eq(seen->spec[index].value, value);
}

START_TEST(values_reach_the_plugin)
{
	const uint64_t large = UINT64_C(0x123456789abcdef0);
	const uint16_t small = 0xfedc;
	const uint8_t no = 0;
	const dpr_spec spec[] = { { 200, 2, &small },
				  { 3, 4, &seven },
				  { 9, 8, &large },
				  { 1, 1, &no } };
	struct mock_create seen;

	start_spirv();
	CHECK_OK(build(&module, spec, 4));
	ck_assert(mock->created(&seen));
	ck_assert_str_eq(seen.format, "spirv");
	ck_assert_uint_eq(seen.n_spec, 4);
	check_value(&seen, 0, 1, 1, 0);
	check_value(&seen, 1, 3, 4, 7);
	check_value(&seen, 2, 9, 8, large);
	check_value(&seen, 3, 200, 2, small);
	CHECK_OK(build(&module, spec + 1, 1));
	ck_assert(mock->created(&seen));
	ck_assert_uint_eq(seen.n_spec, 1);
	check_value(&seen, 0, 3, 4, 7);
	CHECK_OK(build(&module, NULL, 0));
	ck_assert(mock->created(&seen));
	ck_assert_uint_eq(seen.n_spec, 0);
}
END_TEST

START_TEST(what_the_module_has_not)
{
	uint32_t swapped[sizeof(spirv_constants) / 4];
	dpr_image other = { "spirv", NULL, swapped, sizeof(swapped) };
	size_t i;

	start_spirv();
	check_refused(&module, (dpr_spec){ 7, 4, &seven },
		      "the SPIR-V has no specialization constant 7; it has 3, "
		      "9, 1, 200");
	check_refused(&module, (dpr_spec){ 3, 8, &seven },
		      "specialization constant 3 has 4 bytes in the SPIR-V, "
		      "not 8");
	check_refused(&module, (dpr_spec){ 9, 4, &seven }, "9 has 8 bytes");
	check_refused(&module, (dpr_spec){ 1, 4, &seven }, "1 has 1 bytes");
	check_refused(&module, (dpr_spec){ 200, 4, &seven }, "200 has 2 bytes");
	/* A module without the decorations has no specialization constants. */
	memcpy(swapped, spirv_constants, sizeof(swapped));
	for (i = 5; i < sizeof(swapped) / 4; i += swapped[i] >> 16)
		if ((swapped[i] & 0xffff) == 71)
			swapped[i + 2] = 2;
	check_refused(&other, (dpr_spec){ 3, 4, &seven },
		      "no specialization constant 3; it has none");
	/* SPIR-V in the other byte order is accepted, too. */
	for (i = 0; i < sizeof(swapped) / 4; i++)
		swapped[i] = __builtin_bswap32(spirv_constants[i]);
	check_refused(&other, (dpr_spec){ 3, 8, &seven }, "3 has 4 bytes");
}
END_TEST

START_TEST(what_cannot_be_given)
{
	const dpr_spec twice[] = { { 3, 4, &seven },
				   { 9, 8, &seven },
				   { 3, 4, &seven } };

	start_spirv();
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, build(&module, twice, 3));
	CHECK_TEXT("specialization constant 3 is given twice");
	check_refused(&module, (dpr_spec){ 3, 4, NULL }, "3 has no value");
	check_refused(&module, (dpr_spec){ 3, 0, &seven },
		      "3 is given as 0 bytes, but must have 1, 2, 4 or 8");
	check_refused(&module, (dpr_spec){ 3, 3, &seven }, "as 3 bytes");
	check_refused(&module, (dpr_spec){ 3, 16, &seven }, "as 16 bytes");
	CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT, build(&module, NULL, 1));
	CHECK_TEXT("the list of specialization constants is NULL");
}
END_TEST

/* A module that is cut off, or has wrong words, must not make the reader read
   beyond its end. */
START_TEST(modules_that_are_none)
{
	const size_t words = sizeof(spirv_constants) / 4;
	const dpr_spec spec = { 200, 2, &seven };
	dpr_image image = module;
	size_t n, declared = 0;
	uint32_t *copy;

	start_spirv();
	/* The declaration of a pointer type follows the last constant. */
	while (spirv_constants[declared] != 0x00040020)
		declared++;
	for (n = 1; n < words; n++) {
		copy = malloc(n * 4);
		memcpy(copy, spirv_constants, n * 4);
		image.data = copy;
		image.size = n * 4;
		if (n < declared)
			CHECK_FAILS(DPR_ERROR_INVALID_ARGUMENT,
				    build(&image, &spec, 1));
		else
			CHECK_OK(build(&image, &spec, 1));
		free(copy);
	}
	copy = malloc(sizeof(spirv_constants));
	image.data = copy;
	image.size = sizeof(spirv_constants);
	for (n = 5; n < words; n++) {
		memcpy(copy, spirv_constants, sizeof(spirv_constants));
		copy[n] = 0xffff0047;
		(void)!build(&image, &spec, 1);
		copy[n] = 0x00000047;
		(void)!build(&image, &spec, 1);
	}
	memcpy(copy, spirv_constants, sizeof(spirv_constants));
	image.size -= 1;
	check_refused(&image, spec, "is not a SPIR-V module");
	image.size += 1;
	copy[0]++;
	check_refused(&image, spec, "is not a SPIR-V module");
	free(copy);
}
END_TEST

/* The core does not know constants in the plugin's own formats, but the plugin
   does. */
START_TEST(other_formats)
{
	static const char text[] = "kernel void add_one(int *x, ulong n);";
	const dpr_image source = { "opencl-c", NULL, text, sizeof(text) - 1 };
	const dpr_spec spec = { 12, 4, &seven };
	struct mock_create seen;

	start_spirv();
	CHECK_OK(build(&names, &spec, 1));
	ck_assert(mock->created(&seen));
	check_value(&seen, 0, 12, 4, 7);
	CHECK_FAILS(DPR_ERROR_UNSUPPORTED, build(&source, &spec, 1));
	CHECK_TEXT("opencl-c has no specialization constants");
}
END_TEST

/* The struct of a program compiled with an older header is shorter. */
START_TEST(older_struct)
{
	dpr_build_options options = { .spec = (void *)1, .n_spec = 1 };
	struct mock_create seen;
	dpr_program *program;

	start_spirv();
	options.struct_size = offsetof(dpr_build_options, spec);
	CHECK_OK(dpr_program_build(q1, &module, 1, &options, &program));
	dpr_program_release(program);
	ck_assert(mock->created(&seen));
	ck_assert_uint_eq(seen.n_spec, 0);
}
END_TEST

/* --- The cache on disk -----------------------------------------------------
 */

static void build_value(uint32_t id, uint32_t value, const char *format)
{
	const dpr_spec spec = { id, id == 3 ? 4 : 2, &value };
	struct mock_create seen;

	start_spirv();
	CHECK_OK(build(&module, &spec, id ? 1 : 0));
	ck_assert(mock->created(&seen));
	ck_assert_str_eq(seen.format, format);
	ck_assert_uint_eq(seen.n_spec, id && !strcmp(format, "spirv"));
}

static void build_seven(void)
{
	build_value(3, 7, "spirv");
}

static void find_seven(void)
{
	build_value(3, 7, "mock-binary");
}

static void build_eight(void)
{
	build_value(3, 8, "spirv");
}

static void build_another(void)
{
	build_value(200, 7, "spirv");
}

static void build_without(void)
{
	build_value(0, 0, "spirv");
}

START_TEST(kept_with_values)
{
	cache_dir_setup();
	in_process(build_seven);
	in_process(find_seven);
	in_process(build_eight);
	in_process(build_another);
	in_process(build_without);
	in_process(find_seven);
	cache_dir_teardown();
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("spec");
	Suite *suite = suite_create("spec");
	SRunner *runner;
	int failed;

	tcase_add_test(tcase, values_reach_the_plugin);
	tcase_add_test(tcase, what_the_module_has_not);
	tcase_add_test(tcase, what_cannot_be_given);
	tcase_add_test(tcase, modules_that_are_none);
	tcase_add_test(tcase, other_formats);
	tcase_add_test(tcase, older_struct);
	/* The test runs six processes, one after the other. */
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, kept_with_values);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
