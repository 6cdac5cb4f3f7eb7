/* SPDX-License-Identifier: Apache-2.0 */
/* blas_test.h - for tests of cuBLAS in the CUDA backend: operands of
   products. */
#ifndef TESTS_CUDA_BLAS_TEST_H
#define TESTS_CUDA_BLAS_TEST_H

#include "tests/cuda/calls/fake_test.h"
#include "tests/support/gemm_values.h"

/* --- Routines ------------------------------------------------------------- */

static const struct {
	const char *name;
	dpr_dtype dtype;
} routines[] = {
	{ "gemm float32", DPR_FLOAT32 },
	{ "gemm float64", DPR_FLOAT64 },
	{ "gemm complex64", DPR_COMPLEX64 },
	{ "gemm complex128", DPR_COMPLEX128 },
	{ "gemm float16", DPR_FLOAT16 },
	{ "gemm bfloat16", DPR_BFLOAT16 },
};
#define ROUTINES ((int)(sizeof(routines) / sizeof(routines[0])))

/* --- Launches ------------------------------------------------------------- */

static inline dpr_kernel *new_gemm(dpr_queue *on, const char *name)
{
	const dpr_image image = { "calls-1", NULL, name, strlen(name) };
	dpr_program *program;
	dpr_kernel *kernel;

	CHECK_OK(dpr_program_build(on, &image, 1, NULL, &program));
	ck_assert_ptr_nonnull(
		strstr(dpr_program_log(program), "cuBLAS 13.1.2, "));
	ck_assert_ptr_nonnull(
		strstr(dpr_program_log(program), "libfake_cublas.so"));
	CHECK_OK(dpr_kernel_create(program, "gemm", &kernel));
	dpr_program_release(program);
	return kernel;
}

/* Operands in host memory, which the device reads. */
struct operands {
	dpr_dtype dtype;
	dpr_usm *x[3]; /* a, b, c */
	unsigned char *c;
};

static inline void make_operands(dpr_queue *on, dpr_dtype dtype,
				 struct operands *o)
{
	void *at = NULL;

	o->dtype = dtype;
	for (int k = 0; k < 3; k++) {
		CHECK_OK(dpr_usm_alloc(on, DPR_USM_HOST,
				       ROOM * dpr_dtype_size(dtype), &o->x[k]));
		at = dpr_usm_address(o->x[k]);
		for (int64_t i = 0; i < ROOM; i++)
			put(at, i, dtype,
			    k == 2 ? UNTOUCHED : element(dtype, i, k));
	}
	o->c = at;
}

static inline void drop_operands(struct operands *o)
{
	for (int k = 0; k < 3; k++)
		dpr_usm_release(o->x[k]);
}

static inline dpr_status try_gemm(dpr_queue *on, dpr_kernel *kernel,
				  dpr_usm *const x[3], const dprp_gemm *v,
				  dpr_event **done)
{
	const dpr_arg args[] = {
		dpr_arg_usm_use(x[0], 0, DPR_READ),
		dpr_arg_usm_use(x[1], 0, DPR_READ),
		dpr_arg_usm_use(x[2], 0, DPR_READ_WRITE),
		dpr_arg_bytes(v, sizeof(*v)),
	};

	return dpr_kernel_launch_usm(on, kernel, dpr_range1(1), NULL, done,
				     args, 4);
}

/* Check that c has all products, and that nothing else was written. */
static inline void check_result(const struct operands *o, const dprp_gemm *v)
{
	const size_t size = ROOM * dpr_dtype_size(o->dtype);
	void *want = malloc(size);

	ck_assert_ptr_nonnull(want);
	expect_products(v, o->dtype, want);
	ck_assert_msg(!memcmp(o->c, want, size), "%s: a wrong result",
		      dpr_dtype_name(o->dtype));
	free(want);
}

/* Compute products on this queue, and check them. */
static inline dpr_status compute_on(dpr_queue *on, dpr_kernel *kernel)
{
	struct operands o;
	dpr_status status;

	make_operands(on, DPR_FLOAT32, &o);
	status = try_gemm(on, kernel, o.x, &blas_batch, NULL);
	if (!status)
		status = dpr_queue_wait(on);
	if (!status)
		check_result(&o, &blas_batch);
	drop_operands(&o);
	return status;
}

#endif
