/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_calls.c - routines of libraries as kernels (DPRP_CALLS_FORMAT).
 *
 * A routine is a native kernel with one argument more than its launches have:
 * the struct host_call.
 */
#include "host.h"

#include <string.h>

#define ROW_MAJOR 101
#define PLAIN 111
#define TRANSPOSED 112

#define GEMM_ARGS 4u

/* Products of so many multiplications are computed by one thread each, and a
   batch of them by the team. */
#define SMALL (64 * 64 * 64)

/* --- gemm ----------------------------------------------------------------- */

static int transposed(const dprp_gemm *v, int64_t flag)
{
	return v->flags & flag ? TRANSPOSED : PLAIN;
}

/* One product.  INT: the library's integers.  FACTOR: the type of its factors,
   of which ONE and ZERO are values. */
#define GEMM(name, INT, FACTOR, ONE, ZERO)                                     \
	static void name(const struct host_call *call, const dprp_gemm *v,     \
			 const void *a, const void *b, void *c)                \
	{                                                                      \
		typedef void (*function)(int, int, int, INT, INT, INT, FACTOR, \
					 const void *, INT, const void *, INT, \
					 FACTOR, void *, INT);                 \
                                                                               \
		((function)call->blas->gemm[call->dtype])(                     \
			ROW_MAJOR, transposed(v, DPRP_GEMM_A_TRANSPOSED),      \
			transposed(v, DPRP_GEMM_B_TRANSPOSED), (INT)v->m,      \
			(INT)v->n, (INT)v->k, ONE, a, (INT)v->lda, b,          \
			(INT)v->ldb, ZERO, c, (INT)v->ldc);                    \
	}

static const float one_32[2] = { 1, 0 }, zero_32[2];
static const double one_64[2] = { 1, 0 }, zero_64[2];

GEMM(gemm_float32, int, float, 1, 0)
GEMM(gemm_float64, int, double, 1, 0)
GEMM(gemm_complex64, int, const void *, one_32, zero_32)
GEMM(gemm_complex128, int, const void *, one_64, zero_64)
GEMM(wide_float32, int64_t, float, 1, 0)
GEMM(wide_float64, int64_t, double, 1, 0)
GEMM(wide_complex64, int64_t, const void *, one_32, zero_32)
GEMM(wide_complex128, int64_t, const void *, one_64, zero_64)

static const struct {
	const char *name;
	size_t item;
	/* for integers of 32 bits, and of 64 bits */
	void (*gemm[2])(const struct host_call *call, const dprp_gemm *v,
			const void *a, const void *b, void *c);
} routines[HOST_BLAS_DTYPES] = {
	[HOST_BLAS_FLOAT32] = { "gemm float32",
				4,
				{ gemm_float32, wide_float32 } },
	[HOST_BLAS_FLOAT64] = { "gemm float64",
				8,
				{ gemm_float64, wide_float64 } },
	[HOST_BLAS_COMPLEX64] = { "gemm complex64",
				  8,
				  { gemm_complex64, wide_complex64 } },
	[HOST_BLAS_COMPLEX128] = { "gemm complex128",
				   16,
				   { gemm_complex128, wide_complex128 } },
};

static int64_t count_batch(const dprp_gemm *v)
{
	int64_t count = 1;

	for (int d = 0; d < DPRP_GEMM_BATCHES; d++)
		count *= v->batch[d];
	return count;
}

/* Where matrix @i of the batch begins. */
static int64_t place(const dprp_gemm *v, const int64_t *stride, int64_t offset,
		     int64_t i)
{
	for (int d = DPRP_GEMM_BATCHES - 1; d >= 0; d--) {
		offset += i % v->batch[d] * stride[d];
		i /= v->batch[d];
	}
	return offset;
}

/* Compute the share of the batch that is the group's. */
static void run_gemm(const void *const *args, const uint64_t global[3],
		     const uint64_t local[3], const uint64_t group[3])
{
	const char *a = *(const char *const *)args[0];
	const char *b = *(const char *const *)args[1];
	char *c = *(char *const *)args[2];
	const struct host_call *call = args[GEMM_ARGS];
	const int64_t groups = (int64_t)global[0], g = (int64_t)group[0];
	int (*set_threads)(int) = call->blas->set_threads;
	const int64_t item = (int64_t)routines[call->dtype].item;
	const bool sets = set_threads && (call->threads || groups > 1);
	int64_t share, rest, from, to;
	int before = 0;
	dprp_gemm v;

	(void)local;
	memcpy(&v, args[3], sizeof(v));
	share = count_batch(&v) / groups;
	rest = count_batch(&v) % groups;
	from = g * share + (g < rest ? g : rest);
	to = from + share + (g < rest);
	if (sets)
		before = set_threads(groups > 1 ? 1 : call->threads);
	for (int64_t i = from; i < to; i++)
		routines[call->dtype].gemm[call->blas->is_wide](
			call, &v,
			a + place(&v, v.stride_a, v.offset_a, i) * item,
			b + place(&v, v.stride_b, v.offset_b, i) * item,
			c + place(&v, v.stride_c, v.offset_c, i) * item);
	if (sets)
		(void)set_threads(before);
}

static const dprp_param gemm_params[GEMM_ARGS] = {
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_VALUE, 0, sizeof(dprp_gemm) },
};
static const dprp_native_kernel gemm_kernel = { "gemm", run_gemm, GEMM_ARGS, 0,
						gemm_params };
static const dprp_native_module gemm_module = { sizeof(gemm_module), 1, 0,
						&gemm_kernel };

/* --- Finding -------------------------------------------------------------- */

dprp_rc host_calls_find(dprp_device *device, const dprp_image *image,
			const dprp_native_module **module,
			struct host_call *out)
{
	dprp_instance *instance = device->instance;
	const struct host_blas *blas;
	enum host_blas_dtype i = 0;
	dprp_rc rc;

	while (i < HOST_BLAS_DTYPES &&
	       (strlen(routines[i].name) != image->size ||
		memcmp(routines[i].name, image->data, image->size) != 0))
		i++;
	if (i == HOST_BLAS_DTYPES)
		return dprh_fail(&instance->host, DPR_RC_UNSUPPORTED, 0,
				 "host: there is no routine \"%.*s\"",
				 image->size < 40 ? (int)image->size : 40,
				 (const char *)image->data);
	rc = host_blas_get(instance, &blas);
	if (rc)
		return rc;
	*module = &gemm_module;
	*out = (struct host_call){ .blas = blas, .dtype = i };
	if ((int64_t)device->units < blas->threads)
		out->threads = (int)device->units;
	return DPR_RC_OK;
}

/* --- Launches ------------------------------------------------------------- */

/* Whether the library's integers have room for a number. */
static bool fits(const struct host_call *call, int64_t number)
{
	return number <= (call->blas->is_wide ? INT64_MAX : INT32_MAX);
}

dprp_rc host_calls_check(dprp_instance *instance, const struct host_call *call,
			 const dprp_launch *launch)
{
	int64_t most, count = 1;
	dprp_gemm v;
	bool good;

	memcpy(&v, launch->args[GEMM_ARGS - 1].u.value, sizeof(v));
	most = v.flags & DPRP_GEMM_A_TRANSPOSED ? v.m : v.k;
	good = v.m > 0 && v.n > 0 && v.k > 0 && v.lda >= most;
	most = v.flags & DPRP_GEMM_B_TRANSPOSED ? v.k : v.n;
	good = good && v.ldb >= most && v.ldc >= v.n;
	for (int d = 0; d < DPRP_GEMM_BATCHES; d++)
		good = good && v.batch[d] > 0 &&
		       !__builtin_mul_overflow(count, v.batch[d], &count);
	if (!good || v.flags & ~(int64_t)(DPRP_GEMM_A_TRANSPOSED |
					  DPRP_GEMM_B_TRANSPOSED))
		return dprh_fail(&instance->host, DPR_RC_INVALID, 0,
				 "host: gemm: an extent is below 1, a leading "
				 "dimension too small, or a flag unknown");
	if (fits(call, v.m) && fits(call, v.n) && fits(call, v.k) &&
	    fits(call, v.lda) && fits(call, v.ldb) && fits(call, v.ldc))
		return DPR_RC_OK;
	return dprh_fail(&instance->host, DPR_RC_UNSUPPORTED, 0,
			 "host: gemm: a number is above 2147483647, the most "
			 "that this library takes");
}

const void *const *host_calls_args(const struct host_call *call, uint32_t n,
				   const void *const *args, void *memory)
{
	struct host_call *copy = memory;
	const void **list = (const void **)(copy + 1);

	*copy = *call;
	memcpy(list, args, n * sizeof(*list));
	list[n] = copy;
	return list;
}

void host_calls_range(const dprp_launch *launch, uint32_t members,
		      struct dprh_range *out)
{
	const uint64_t most = 4 * (uint64_t)members;
	uint64_t groups = 1;
	int64_t work;
	dprp_gemm v;

	memcpy(&v, launch->args[GEMM_ARGS - 1].u.value, sizeof(v));
	if (!__builtin_mul_overflow(v.m, v.n, &work) &&
	    !__builtin_mul_overflow(work, v.k, &work) && work <= SMALL)
		groups = (uint64_t)count_batch(&v);
	*out = (struct dprh_range){ { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 } };
	out->groups[0] = out->global[0] = groups < most ? groups : most;
}
