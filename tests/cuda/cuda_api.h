/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_api.h - for tests of the CUDA backend through the public API: its
 * devices on the mock driver, and kernels whose work the mock knows.
 */
#ifndef TESTS_CUDA_API_H
#define TESTS_CUDA_API_H

#include <pthread.h>
#include <unistd.h>

#include "tests/support/driver_test.h"

#include "tests/cuda/cuda_test.h"

#define KERNEL_PARAM_X ".param .u64 .ptr .global .align 4 x"
#define KERNEL_BEGIN "{\n.reg .u64 %a, %b; .reg .u32 %r, %v; .reg .pred %p;\n"

/* The kernels, as NVIDIA's driver builds them; the mock has functions of these
   names.  append: x[++x[0]] = value, where the core may be given x as a number;
   fault: write to an illegal address; mix: *x = *x * 3 + value; chain: the same
   with value 1, n times. */
static const char test_ptx[] =
	".version 7.0\n.target sm_60\n.address_size 64\n"
	".visible .entry append(.param .u64 x, .param .u32 value)\n" KERNEL_BEGIN
	"ld.param.u64 %a, [x];\nld.param.u32 %v, [value];\n"
	"ld.global.u32 %r, [%a];\nadd.u32 %r, %r, 1;\n"
	"st.global.u32 [%a], %r;\nmad.wide.u32 %b, %r, 4, %a;\n"
	"st.global.u32 [%b], %v;\nret;\n}\n"
	".visible .entry mix(" KERNEL_PARAM_X
	", .param .u32 value)\n" KERNEL_BEGIN
	"ld.param.u64 %a, [x];\nld.param.u32 %v, [value];\n"
	"ld.global.u32 %r, [%a];\nmad.lo.u32 %r, %r, 3, %v;\n"
	"st.global.u32 [%a], %r;\nret;\n}\n"
	".visible .entry chain(" KERNEL_PARAM_X
	", .param .u32 n)\n" KERNEL_BEGIN
	"ld.param.u64 %a, [x];\nld.param.u32 %v, [n];\n"
	"ld.global.u32 %r, [%a];\n"
	"again:\nmad.lo.u32 %r, %r, 3, 1;\nsub.u32 %v, %v, 1;\n"
	"setp.ne.u32 %p, %v, 0;\n@%p bra again;\n"
	"st.global.u32 [%a], %r;\nret;\n}\n"
	".visible .entry fault(" KERNEL_PARAM_X ")\n" KERNEL_BEGIN
	"mov.u64 %a, 16;\nmov.u32 %r, 1;\nst.global.u32 [%a], %r;\nret;\n}\n";

static inline int mix_function(const struct cumock_run *run)
{
	uint32_t *x, value;

	memcpy(&x, run->params, sizeof(x));
	memcpy(&value, run->params + 8, sizeof(value));
	if (!mock->reaches(run->device, x, sizeof(*x)))
		return 700; /* CUDA_ERROR_ILLEGAL_ADDRESS */
	*x = *x * 3 + value;
	return 0;
}

static inline int chain_function(const struct cumock_run *run)
{
	uint32_t *x, n, value;

	memcpy(&x, run->params, sizeof(x));
	memcpy(&n, run->params + 8, sizeof(n));
	if (!mock->reaches(run->device, x, sizeof(*x)))
		return 700; /* CUDA_ERROR_ILLEGAL_ADDRESS */
	for (value = *x; n; n--)
		value = value * 3 + 1;
	*x = value;
	return 0;
}

/* Use only the CUDA backend, and @with if not NULL.  Exits with 77 if the CUDA
   backend was not built. */
static inline void use_backends(const char *with)
{
	const char *cuda = getenv("DPR_PLUGIN_PATH");
	const char *dir = getenv("DPR_TEST_PLUGIN_DIR");
	char files[8192];
	int n;

	n = snprintf(files, sizeof(files), "%s/libdpr-cuda.so",
		     cuda ? cuda : ".");
	if (access(files, R_OK)) {
		printf("needs the CUDA backend, which was not built\n");
		exit(77);
	}
	if (with)
		snprintf(files + n, sizeof(files) - (size_t)n,
			 ":%s/libdpr-%s.so", dir ? dir : ".", with);
	setenv("DPR_PLUGINS", files, 1);
	setenv("DPR_BACKEND", with ? "cuda,mock" : "cuda", 1);
	setenv("DPR_CACHE_DIR", "off", 0);
}

static inline dpr_kernel *new_kernel(dpr_queue *queue, const char *name)
{
	dpr_image image = { "ptx", NULL, test_ptx, sizeof(test_ptx) };
	dpr_program *program = NULL;
	dpr_kernel *kernel = NULL;

	if (mock) {
		mock->kernel("mix", mix_function);
		mock->kernel("chain", chain_function);
	}
	CHECK_OK(dpr_program_from_images(queue, &image, 1, NULL, &program));
	CHECK_OK(dpr_kernel_create(program, name, &kernel));
	dpr_program_release(program);
	return kernel;
}

/* Launch a kernel with the arguments @usm and @value. */
static inline dpr_status try_launch(dpr_queue *queue, dpr_kernel *kernel,
				    dpr_usm *usm, uint32_t value,
				    dpr_event **done)
{
	dpr_arg args[2] = { DPR_USM_READ_WRITE(usm, 0), DPR_ARG(value) };

	return dpr_kernel_launch_usm(queue, kernel, DPR_RANGE1(1), NULL, done,
				     args, 2);
}

static inline void launch(dpr_queue *queue, dpr_kernel *kernel, dpr_usm *usm,
			  uint32_t value)
{
	CHECK_OK(try_launch(queue, kernel, usm, value, NULL));
}

/* Read one int through pinned memory. */
static inline int get_int(dpr_queue *queue, dpr_usm *usm, size_t index)
{
	dpr_usm *pinned = NULL;
	int value;

	CHECK_OK(dpr_usm_alloc(queue, DPR_USM_HOST, sizeof(value), &pinned));
	CHECK_OK(dpr_usm_copy(queue, pinned, 0, usm, index * sizeof(value),
			      sizeof(value), NULL, NULL));
	CHECK_OK(dpr_usm_wait(pinned));
	memcpy(&value, dpr_usm_address(pinned), sizeof(value));
	dpr_usm_release(pinned);
	return value;
}

/* Run @run on eight threads with the numbers 0 to 7. */
static inline void run_on_eight_threads(void *(*run)(void *number))
{
	pthread_t threads[8];
	int i;

	for (i = 0; i < 8; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, run,
						(void *)(uintptr_t)i),
				 0);
	for (i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
}

/* Finalize the library, and check that nothing is left in the driver. */
static inline void finish_all(void)
{
	CHECK_OK(dpr_finalize());
	if (!mock)
		return;
	check_mock();
	ck_assert_uint_eq(mock->depth(), 0);
}

#endif
