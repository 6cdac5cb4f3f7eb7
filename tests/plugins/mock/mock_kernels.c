/* SPDX-License-Identifier: Apache-2.0 */
/* mock_kernels.c - the kernels that the mock knows by name. */
#include "tests/plugins/mock/mock_reduce.h"

#include <string.h>
#include <time.h>

/* clang-format off */
#define MEM { DPRP_ARG_MEM, 0, sizeof(void *) }
#define LOCAL { DPRP_ARG_LOCAL, 0, 0 }
#define VALUE(size) { DPRP_ARG_VALUE, 0, (size) }
#define WORDS(n) VALUE((n) * sizeof(uint64_t))
/* clang-format on */

struct store {
	int64_t index;
	int32_t value, pad;
};

static void *pointer(void *arg)
{
	return *(void **)arg;
}

/* How many elements to work on: n, or fewer if the range is shorter. */
static uint64_t bound(const uint64_t global[3], const void *n)
{
	uint64_t value;

	memcpy(&value, n, sizeof(value));
	return value < global[0] ? value : global[0];
}

static dprp_rc run_add_one(const uint64_t global[3], void *const *args)
{
	uint64_t i, n = bound(global, args[1]);
	int32_t *x = pointer(args[0]);

	for (i = 0; i < n; i++)
		x[i]++;
	return DPR_RC_OK;
}

static dprp_rc run_axpy(const uint64_t global[3], void *const *args)
{
	uint64_t i, n = bound(global, args[3]);
	const float *x = pointer(args[1]);
	float a, *y = pointer(args[2]);

	memcpy(&a, args[0], sizeof(a));
	for (i = 0; i < n; i++)
		y[i] += a * x[i];
	return DPR_RC_OK;
}

static dprp_rc run_copy(const uint64_t global[3], void *const *args)
{
	memmove(pointer(args[0]), pointer(args[1]),
		bound(global, args[2]) * sizeof(int32_t));
	return DPR_RC_OK;
}

static dprp_rc run_fail(const uint64_t global[3], void *const *args)
{
	(void)global;
	(void)args;
	return DPR_RC_NATIVE;
}

static dprp_rc run_fill_index(const uint64_t global[3], void *const *args)
{
	uint64_t i, n = bound(global, args[1]);
	int32_t *x = pointer(args[0]);

	for (i = 0; i < n; i++)
		x[i] = (int32_t)i;
	return DPR_RC_OK;
}

static dprp_rc run_local_sum(const uint64_t global[3], void *const *args)
{
	uint64_t i, n = bound(global, args[3]);
	int32_t *out = pointer(args[0]), *tmp = pointer(args[2]);
	const int32_t *x = pointer(args[1]);

	tmp[0] = 0;
	for (i = 0; i < n; i++)
		tmp[0] += x[i];
	out[0] = tmp[0];
	return DPR_RC_OK;
}

static dprp_rc run_sleep_ms(const uint64_t global[3], void *const *args)
{
	struct timespec ts;
	uint32_t ms;

	(void)global;
	memcpy(&ms, args[0], sizeof(ms));
	ts.tv_sec = ms / 1000;
	ts.tv_nsec = (long)(ms % 1000) * 1000000;
	nanosleep(&ts, NULL);
	return DPR_RC_OK;
}

static dprp_rc run_sleep_on(const uint64_t global[3], void *const *args)
{
	return run_sleep_ms(global, args + 1);
}

static dprp_rc run_store(const uint64_t global[3], void *const *args)
{
	int32_t *x = pointer(args[0]);
	struct store s;

	(void)global;
	memcpy(&s, args[1], sizeof(s));
	x[s.index] = s.value;
	return DPR_RC_OK;
}

const struct mock_kernel mock_kernels[] = {
	{ "add_one", run_add_one, 2, { MEM, VALUE(8) } },
	{ "axpy", run_axpy, 4, { VALUE(4), MEM, MEM, VALUE(8) } },
	{ "copy", run_copy, 3, { MEM, MEM, VALUE(8) } },
	{ "fail", run_fail, 0, { { 0, 0, 0 } } },
	{ "fill_index", run_fill_index, 2, { MEM, VALUE(8) } },
	{ "local_sum", run_local_sum, 4, { MEM, MEM, LOCAL, VALUE(8) } },
	{ "sleep_ms", run_sleep_ms, 1, { VALUE(4) } },
	{ "sleep_on", run_sleep_on, 2, { MEM, VALUE(4) } },
	{ "store", run_store, 2, { MEM, VALUE(sizeof(struct store)) } },
	/* Array kernels, by the names of dpr kernels. */
	{ "flat_add_float32", mock_flat_add, 4, { MEM, MEM, MEM, WORDS(5) } },
	{ "strided_add_float32",
	  mock_strided_add,
	  4,
	  { MEM, MEM, MEM, WORDS(41) } },
	{ "strided_multiply_float32",
	  mock_strided_multiply,
	  4,
	  { MEM, MEM, MEM, WORDS(41) } },
	{ "strided_equal_float32",
	  mock_strided_equal,
	  4,
	  { MEM, MEM, MEM, WORDS(41) } },
	{ "flat_square_float32", mock_flat_square, 3, { MEM, MEM, WORDS(1) } },
	{ "flat_less_float32", mock_flat_less, 4, { MEM, MEM, MEM, WORDS(5) } },
	{ "strided_fill_uint32", mock_strided_fill, 2, { MEM, WORDS(20) } },
	{ "strided_index_int64", mock_strided_index, 2, { MEM, WORDS(28) } },
	{ "strided_gather_uint32",
	  mock_strided_gather,
	  4,
	  { MEM, MEM, MEM, WORDS(37) } },
	{ "strided_put_uint32",
	  mock_strided_put,
	  4,
	  { MEM, MEM, MEM, WORDS(37) } },
	{ "matmul_float32", mock_matmul, 4, { MEM, MEM, MEM, WORDS(52) } },
#define FLAT(name) \
	{ "flat_" #name, mock_flat_##name, 4, { MEM, MEM, MEM, WORDS(5) } },
#define FLAT_1(name) \
	{ "flat_" #name, mock_flat_##name, 3, { MEM, MEM, WORDS(1) } },
#define WHERE(name)         \
	{ "flat_" #name,    \
	  mock_flat_##name, \
	  5,                \
	  { MEM, MEM, MEM, MEM, WORDS(5) } },
#define STRIDED(name) \
	{ "strided_" #name, mock_strided_##name, 3, { MEM, MEM, WORDS(28) } },
#define REDUCE(op, dtype)             \
	{ "reduce_" #op "_" #dtype,   \
	  mock_reduce_##op##_##dtype, \
	  3,                          \
	  { MEM, MEM, WORDS(MOCK_REDUCE_WORDS) } },
	MOCK_FLAT_MAP(FLAT) MOCK_FLAT_1_MAP(FLAT_1) MOCK_WHERE_MAP(WHERE)
		MOCK_STRIDED_MAP(STRIDED) MOCK_REDUCE_MAP(REDUCE)
};

const size_t mock_n_kernels = sizeof(mock_kernels) / sizeof(mock_kernels[0]);
_Static_assert(sizeof(mock_kernels) / sizeof(mock_kernels[0]) <=
		       MOCK_MOST_KERNELS,
	       "a module has a flag for each");
