/* SPDX-License-Identifier: Apache-2.0 */
/* clblast_test.h - for tests of CLBlast in the OpenCL plugin: the library in
   place of it, and launches of products. */
#ifndef TESTS_OPENCL_CLBLAST_TEST_H
#define TESTS_OPENCL_CLBLAST_TEST_H

#include <dlfcn.h>
#include <stdio.h>

#include "tests/opencl/calls/fake_clblast.h"
#include "tests/opencl/opencl_support.h"
#include "tests/support/gemm_values.h"

static struct bench bench;
static struct fake_clblast *fake;
static char fake_path[4096];

/* Load the library in place of CLBlast.  Returns false if there is none. */
static inline bool load_fake(void)
{
	const char *build = getenv("top_builddir");
	void *library;

	snprintf(fake_path, sizeof(fake_path),
		 "%s/tests/opencl/calls/.libs/fake_clblast.so",
		 build ? build : ".");
	library = dlopen(fake_path, RTLD_NOW | RTLD_LOCAL);
	fake = library ? dlsym(library, FAKE_CLBLAST_SYMBOL) : NULL;
	return fake != NULL;
}

/* The dtypes of routines. */
static const struct {
	const char *name;
	dpr_dtype dtype;
} routines[] = {
	{ "gemm float32", DPR_FLOAT32 },
	{ "gemm float64", DPR_FLOAT64 },
	{ "gemm complex64", DPR_COMPLEX64 },
	{ "gemm complex128", DPR_COMPLEX128 },
};
#define ROUTINES ((int)(sizeof(routines) / sizeof(routines[0])))

static inline dprp_rc try_routine(const char *name, struct host_table_text *log,
				  dprp_module **out)
{
	return bench_build(&bench, DPRP_CALLS_FORMAT, name, strlen(name), NULL,
			   log, out);
}

/* Build the routine of a dtype, and get its kernel. */
static inline dprp_kernel *new_gemm(const char *name)
{
	struct host_table_text log = { 0 };
	dprp_module *module = NULL;
	dprp_kernel *kernel;

	OK(try_routine(name, &log, &module));
	ck_assert_ptr_nonnull(log.text);
	ck_assert_ptr_nonnull(strstr(log.text, "CLBlast, /"));
	free(log.text);
	kernel = bench_kernel(&bench, module, "gemm");
	bench.plugin->module->destroy(module);
	return kernel;
}

static inline void drop_kernel(dprp_kernel *kernel)
{
	bench.plugin->module->kernel_destroy(kernel);
}

/* a, b and c, with ROOM elements each. */
struct operands {
	dpr_dtype dtype;
	dprp_mem *x[3];
};

static inline void fill_operands(const struct operands *o)
{
	const size_t size = ROOM * dpr_dtype_size(o->dtype);
	void *bytes = malloc(size);

	ck_assert_ptr_nonnull(bytes);
	for (int k = 0; k < 3; k++) {
		for (int64_t i = 0; i < ROOM; i++)
			put(bytes, i, o->dtype,
			    k == 2 ? UNTOUCHED : element(o->dtype, i, k));
		bench_put(&bench, o->x[k], 0, bytes, size);
	}
	free(bytes);
}

static inline void make_operands(dpr_dtype dtype, struct operands *o)
{
	o->dtype = dtype;
	for (int k = 0; k < 3; k++)
		o->x[k] = bench_alloc(&bench, DPRP_MEM_DEVICE,
				      ROOM * dpr_dtype_size(dtype));
	fill_operands(o);
}

static inline void drop_operands(struct operands *o)
{
	for (int k = 0; k < 3; k++)
		bench.plugin->mem->free(o->x[k]);
}

static inline dprp_rc try_gemm(dprp_queue *queue, dprp_kernel *kernel,
			       const struct operands *o, const dprp_gemm *v,
			       dprp_event *after, dprp_event **event)
{
	const dprp_arg args[] = { arg_mem(o->x[0], 0), arg_mem(o->x[1], 0),
				  arg_mem(o->x[2], 0),
				  arg_value(v, sizeof(*v)) };

	return bench_launch(&bench, queue, kernel, 1, 0, args, 4, after, event);
}

/* Check that c has all products, and that nothing else was written. */
static inline void check_result(const struct operands *o, const dprp_gemm *v)
{
	const size_t size = ROOM * dpr_dtype_size(o->dtype);
	void *want = malloc(size), *have = malloc(size);

	ck_assert(want && have);
	expect_products(v, o->dtype, want);
	bench_get(&bench, o->x[2], 0, have, size);
	ck_assert_msg(!memcmp(have, want, size), "%s: a wrong result",
		      dpr_dtype_name(o->dtype));
	free(want);
	free(have);
}

static inline void check_misuses(void)
{
	ck_assert_msg(!fake->faults, "%d misuses: %s", fake->faults,
		      fake->fault);
}

#endif
