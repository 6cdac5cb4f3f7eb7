/* SPDX-License-Identifier: Apache-2.0 */
/* fake_test.h - for tests of libraries in the CUDA backend: the library in
   place of cuBLAS and cuSOLVER. */
#ifndef TESTS_CUDA_FAKE_TEST_H
#define TESTS_CUDA_FAKE_TEST_H

#include "tests/cuda/cuda_api.h"
#include "tests/cuda/calls/fake_cublas.h"

static struct fake_cublas *fake;
static void *fake_library;
static char fake_path[4096];

static inline void open_fake(void)
{
	const char *build = getenv("top_builddir");

	snprintf(fake_path, sizeof(fake_path),
		 "%s/tests/cuda/calls/.libs/libfake_cublas.so",
		 build ? build : ".");
	fake_library = dlopen(fake_path, RTLD_NOW | RTLD_LOCAL);
	ck_assert_msg(fake_library != NULL, "%s", dlerror());
	fake = dlsym(fake_library, FAKE_CUBLAS_SYMBOL);
	ck_assert_ptr_nonnull(fake);
}

/* Use these libraries; NULL: without the option. */
static inline void use_libraries(const char *blas, const char *solver)
{
	if (blas)
		setenv("DPR_OPTION_CUDA_BLAS", blas, 1);
	if (solver)
		setenv("DPR_OPTION_CUDA_LAPACK", solver, 1);
	use_backends(NULL);
}

static inline void check_faults(void)
{
	ck_assert_msg(!fake->faults, "%d misuses: %s", fake->faults,
		      fake->fault);
}

/* Finalize, and check that nothing is left. */
static inline void stop(void)
{
	finish_all();
	check_faults();
	ck_assert_int_eq(fake->handles, 0);
	ck_assert_int_eq(fake->params, 0);
	ck_assert_int_eq(fake->jacobi, 0);
}

/* --- Faults of the driver and of the library, for struct faulty_driver ---- */

static inline void fail_driver(uint64_t n, int code)
{
	mock->fail(NULL, n, code);
}

static inline const char *failed_in_driver(void)
{
	return mock->failed();
}

static inline void fail_library(uint64_t n, int code)
{
	fake->result = code;
	fake->failed = NULL;
	fake->after = (int)n;
}

static inline const char *failed_in_library(void)
{
	return fake->failed;
}

static inline void delay_work(int us)
{
	__atomic_store_n(&mock->settings->delay, us, __ATOMIC_RELAXED);
}

#endif
