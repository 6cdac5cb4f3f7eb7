/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_clblast.c - dpr_matmul() on an OpenCL device by a library in place of
 * CLBlast, for each kind of memory, and by dpr's own kernel where that library
 * refuses or is not wanted.
 */
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/functions/product_values.h"
#include "tests/opencl/calls/fake_clblast.h"

static struct fake_clblast *fake;
static bool wanted; /* the option names the library */

static const dpr_dtype product_dtypes[] = { DPR_FLOAT32,   DPR_FLOAT64,
					    DPR_COMPLEX64, DPR_COMPLEX128,
					    DPR_FLOAT16,   DPR_BFLOAT16,
					    DPR_INT32 };
#define PRODUCT_DTYPES \
	((int)(sizeof(product_dtypes) / sizeof(product_dtypes[0])))

/* A product of 33 x 20 and 20 x 34 matrices, as it is or of transposed views.
 */
START_TEST(products)
{
	const int64_t extent[3] = { 33, 20, 34 };
	const dpr_dtype dtype = product_dtypes[_i / 4];
	const bool at = _i % 2, bt = _i / 2 % 2;
	const int before = fake->products;
	dpr_array *a, *b, *ta, *tb, *y;

	if (leaves_out(_i, 3) && !wanted)
		return;
	a = at ? numbers(DPR_SHAPE(20, 33), dtype, 1)
	       : numbers(DPR_SHAPE(33, 20), dtype, 1);
	b = bt ? numbers(DPR_SHAPE(34, 20), dtype, 2)
	       : numbers(DPR_SHAPE(20, 34), dtype, 2);
	ta = a;
	tb = b;
	if (at)
		CHECK_OK(dpr_matrix_transpose(a, &ta));
	if (bt)
		CHECK_OK(dpr_matrix_transpose(b, &tb));
	CHECK_OK(dpr_matmul(ta, tb, &y));
	check_product(y, ta, tb, extent, 1, 0, 0, "matmul");
	/* Floats of 16 bits are computed as float32. */
	ck_assert_int_eq(fake->products - before, wanted && dtype != DPR_INT32);
	dpr_array_release(y);
	if (at)
		dpr_array_release(ta);
	if (bt)
		dpr_array_release(tb);
	dpr_array_release(a);
	dpr_array_release(b);
}
END_TEST

/* A stack of matrices takes a call for each, a large vector none. */
START_TEST(others)
{
	const int64_t extent[3] = { 17, 8, 18 }, row[3] = { 1, 300, 300 };
	const int before = fake->products;
	dpr_array *a, *b, *y;

	a = numbers(DPR_SHAPE(5, 17, 8), DPR_FLOAT32, 1);
	b = numbers(DPR_SHAPE(5, 8, 18), DPR_FLOAT32, 2);
	CHECK_OK(dpr_matmul(a, b, &y));
	check_product(y, a, b, extent, 5, 1, 1, "a stack");
	ck_assert_int_eq(fake->products - before, wanted ? 5 : 0);
	dpr_array_release(y);
	dpr_array_release(b);
	dpr_array_release(a);
	a = numbers(DPR_SHAPE(1, 300), DPR_FLOAT32, 1);
	b = numbers(DPR_SHAPE(300, 300), DPR_FLOAT32, 2);
	fake->products = 0;
	CHECK_OK(dpr_matmul(a, b, &y));
	check_product(y, a, b, row, 1, 0, 0, "a row");
	ck_assert_int_eq(fake->products, 0);
	dpr_array_release(y);
	dpr_array_release(b);
	dpr_array_release(a);
}
END_TEST

/* If the library cannot compute a product, dpr's own kernel does.  Any other
   failure makes the product fail. */
START_TEST(failures)
{
	const int64_t extent[3] = { 33, 20, 34 };
	dpr_array *a, *b, *y;

	if (!wanted)
		return;
	a = numbers(DPR_SHAPE(33, 20), DPR_FLOAT32, 1);
	b = numbers(DPR_SHAPE(20, 34), DPR_FLOAT32, 2);
	fake->result = -11; /* CL_BUILD_PROGRAM_FAILURE */
	fake->after = 1;
	CHECK_OK(dpr_matmul(a, b, &y));
	check_product(y, a, b, extent, 1, 0, 0, "dpr's own kernel");
	dpr_array_release(y);
	fake->result = -5; /* CL_OUT_OF_RESOURCES */
	fake->after = 1;
	CHECK_FAILS(DPR_ERROR_DRIVER, dpr_matmul(a, b, &y));
	ck_assert_ptr_nonnull(strstr(dpr_last_error(),
				     "CLBlastSgemm: "
				     "CL_OUT_OF_RESOURCES (-5)"));
	dpr_array_release(b);
	dpr_array_release(a);
}
END_TEST

/* Ask for the routine.  Some drivers cannot have it; says why. */
static void ask(void)
{
	static const char name[] = "gemm float32";
	const dpr_image image = { "calls-1", NULL, name, sizeof(name) - 1 };
	dpr_program *program;
	const char *text;

	if (!dpr_program_build(test_queue, &image, 1, NULL, &program)) {
		dpr_program_release(program);
		return;
	}
	text = dpr_last_error();
	printf("without CLBlast: %s\n", text);
	wanted = wanted && !strstr(text, "PoCL 4 and 5") &&
		 !strstr(text, "set DPR_OPTION_OPENCL_MEMORY=buffer");
}

static Suite *suite_of(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("clblast");

	ask();
	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, products, 0, 4 * PRODUCT_DTYPES);
	tcase_add_test(tcase, others);
	tcase_add_test(tcase, failures);
	suite_add_tcase(suite, tcase);
	return suite;
}

/* Run the tests in a child process, in which no driver is open yet.  Returns
   whether one failed; without a device none does. */
static bool failed_with(const char *memory, const char *library, bool is_wanted)
{
	const pid_t child = fork();
	int status;

	if (child < 0)
		return true;
	if (child > 0)
		return waitpid(child, &status, 0) != child ||
		       !WIFEXITED(status) ||
		       (WEXITSTATUS(status) && WEXITSTATUS(status) != 77);
	printf("memory %s, library %s\n", memory, library);
	setenv("DPR_OPTION_OPENCL_MEMORY", memory, 1);
	setenv("DPR_OPTION_OPENCL_BLAS", library, 1);
	wanted = is_wanted;
	status = run_on_selected(suite_of, "opencl:0");
	if (dpr_finalize()) {
		printf("finalize: %s\n", dpr_last_error());
		status = EXIT_FAILURE;
	}
	if (fake->faults) {
		printf("%d misuses: %s\n", fake->faults, fake->fault);
		status = EXIT_FAILURE;
	}
	exit(status);
}

int main(void)
{
	const char *folder = getenv("top_builddir");
	char path[4096];
	void *library;

	setvbuf(stdout, NULL, _IONBF, 0);
	snprintf(path, sizeof(path),
		 "%s/tests/opencl/calls/.libs/fake_clblast.so",
		 folder ? folder : ".");
	library = dlopen(path, RTLD_NOW);
	fake = library ? dlsym(library, FAKE_CLBLAST_SYMBOL) : NULL;
	if (!fake) {
		printf("%s\n", dlerror());
		return EXIT_FAILURE;
	}
	/* Devices that run functions of this process take a CBLAS. */
	setenv("DPR_OPTION_OPENCL_NATIVE", "no", 1);
	return failed_with("svm-coarse", path, true) ||
	       failed_with("buffer", path, true) ||
	       failed_with("svm-coarse", "none", false);
}
