/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faulty_calls.c - the routines gemm, gesv and potrf, and faults of them.
 *
 * The mock has no routines.  They are native kernels of the mock here, which
 * need the type cpu.
 */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "tests/kit/faulty.h"

/* --- gemm ----------------------------------------------------------------- */

/* What a fault does wrong. */
static struct {
	bool plain;     /* no matrix is transposed */
	bool one_axis;  /* the batch has one axis */
	bool adds;      /* to what is in c */
	bool fills;     /* the rows of c up to ldc */
	bool silent;    /* nothing is logged */
	bool knows_all; /* each name is that of the first routine */
	bool lower;     /* the factor of a matrix is always the lower one */
	bool first;     /* only the first matrix of a batch is looked at */
	bool no_info;   /* each matrix is good */
} wrong;

/* Where matrix @n of the batch begins. */
static int64_t place(const dprp_gemm *v, const int64_t *stride, int64_t offset,
		     int64_t n)
{
	for (int i = DPRP_GEMM_BATCHES - 1; i >= 0; i--) {
		offset += n % v->batch[i] * stride[i];
		n /= v->batch[i];
		if (wrong.one_axis)
			break;
	}
	return offset;
}

static int64_t count(const dprp_gemm *v)
{
	int64_t n = 1;

	for (int i = 0; i < DPRP_GEMM_BATCHES; i++)
		n *= v->batch[i];
	return n;
}

#define GEMM(name, type)                                                      \
	static void name(const void *const *args, const uint64_t global[3],   \
			 const uint64_t local[3], const uint64_t group[3])    \
	{                                                                     \
		const type *all_a = *(const type *const *)args[0];            \
		const type *all_b = *(const type *const *)args[1];            \
		type *all_c = *(type *const *)args[2];                        \
		dprp_gemm v;                                                  \
                                                                              \
		(void)global;                                                 \
		(void)local;                                                  \
		if (group[0])                                                 \
			return;                                               \
		memcpy(&v, args[3], sizeof(v));                               \
		if (wrong.plain)                                              \
			v.flags = 0;                                          \
		const int64_t columns = wrong.fills ? v.ldc : v.n;            \
		const bool ta = v.flags & DPRP_GEMM_A_TRANSPOSED,             \
			   tb = v.flags & DPRP_GEMM_B_TRANSPOSED;             \
                                                                              \
		for (int64_t n = 0; n < count(&v); n++) {                     \
			const type *a =                                       \
				all_a + place(&v, v.stride_a, v.offset_a, n); \
			const type *b =                                       \
				all_b + place(&v, v.stride_b, v.offset_b, n); \
			type *c =                                             \
				all_c + place(&v, v.stride_c, v.offset_c, n); \
                                                                              \
			for (int64_t at = 0; at < v.m * columns; at++) {      \
				const int64_t i = at / columns,               \
					      j = at % columns;               \
				type sum = wrong.adds ? c[i * v.ldc + j] : 0; \
                                                                              \
				for (int64_t p = 0; j < v.n && p < v.k; p++)  \
					sum += a[ta ? i + p * v.lda           \
						    : i * v.lda + p] *        \
					       b[tb ? p + j * v.ldb           \
						    : p * v.ldb + j];         \
				c[i * v.ldc + j] = sum;                       \
			}                                                     \
		}                                                             \
	}

/* --- LAPACK --------------------------------------------------------------- */

static int64_t matrices(const dprp_lapack *v)
{
	return wrong.first ? 1 : v->count;
}

static void set_info(const dprp_lapack *v, int32_t *info, int arg, int64_t i,
		     int64_t is)
{
	info[v->offset[arg] + i * v->stride[arg]] =
		wrong.no_info ? 0 : (int32_t)is;
}

/* gesv, by elimination without an exchange of rows.  potrf, of real numbers. */
#define LAPACK(suffix, type)                                                   \
	static int64_t solve_##suffix(const dprp_lapack *v, type *a, type *b)  \
	{                                                                      \
		const int64_t la = v->leading[0], lb = v->leading[1];          \
                                                                               \
		for (int64_t p = 0; p < v->n; p++) {                           \
			if (a[p * la + p] == 0)                                \
				return p + 1;                                  \
			for (int64_t i = 0; i < v->n; i++) {                   \
				const type q = a[p * la + i] / a[p * la + p];  \
                                                                               \
				for (int64_t j = p; j < v->n && i != p; j++)   \
					a[j * la + i] -= q * a[j * la + p];    \
				for (int64_t j = 0; j < v->k && i != p; j++)   \
					b[j * lb + i] -= q * b[j * lb + p];    \
			}                                                      \
		}                                                              \
		for (int64_t i = 0; i < v->n * v->k; i++)                      \
			b[i / v->n * lb + i % v->n] /=                         \
				a[i % v->n * la + i % v->n];                   \
		return 0;                                                      \
	}                                                                      \
	static int64_t factor_##suffix(const dprp_lapack *v, type *a)          \
	{                                                                      \
		const bool upper =                                             \
			v->flags & DPRP_LAPACK_UPPER && !wrong.lower;          \
		const int64_t row = upper ? v->leading[0] : 1;                 \
		const int64_t column = upper ? 1 : v->leading[0];              \
                                                                               \
		for (int64_t j = 0; j < v->n; j++)                             \
			for (int64_t i = j; i < v->n; i++) {                   \
				type *at = a + i * row + j * column;           \
                                                                               \
				for (int64_t p = 0; p < j; p++)                \
					*at -= a[i * row + p * column] *       \
					       a[j * row + p * column];        \
				if (i > j)                                     \
					*at /= a[j * row + j * column];        \
				else if (creal(*at) <= 0)                      \
					return j + 1;                          \
				else                                           \
					*at = (type)sqrt(creal(*at));          \
			}                                                      \
		return 0;                                                      \
	}                                                                      \
	static void gesv_##suffix(RUN_ARGS)                                    \
	{                                                                      \
		dprp_lapack v;                                                 \
                                                                               \
		(void)global;                                                  \
		(void)local;                                                   \
		memcpy(&v, args[3], sizeof(v));                                \
		for (int64_t i = 0; !group[0] && i < matrices(&v); i++)        \
			set_info(&v, *(int32_t *const *)args[2], 2, i,         \
				 solve_##suffix(&v,                            \
						*(type *const *)args[0] +      \
							v.offset[0] +          \
							i * v.stride[0],       \
						*(type *const *)args[1] +      \
							v.offset[1] +          \
							i * v.stride[1]));     \
	}                                                                      \
	static void potrf_##suffix(RUN_ARGS)                                   \
	{                                                                      \
		dprp_lapack v;                                                 \
                                                                               \
		(void)global;                                                  \
		(void)local;                                                   \
		memcpy(&v, args[2], sizeof(v));                                \
		for (int64_t i = 0; !group[0] && i < matrices(&v); i++)        \
			set_info(                                              \
				&v, *(int32_t *const *)args[1], 1, i,          \
				factor_##suffix(&v, *(type *const *)args[0] +  \
							    v.offset[0] +      \
							    i * v.stride[0])); \
	}

#define RUN_ARGS                                           \
	const void *const *args, const uint64_t global[3], \
		const uint64_t local[3], const uint64_t group[3]

LAPACK(float32, float)
LAPACK(float64, double)
LAPACK(complex64, float complex)
LAPACK(complex128, double complex)

/* --- Routines ------------------------------------------------------------- */

GEMM(gemm_float32, float)
GEMM(gemm_float64, double)
GEMM(gemm_complex64, float complex)
GEMM(gemm_complex128, double complex)

/* clang-format off */
#define MEM { DPRP_ARG_MEM, 0, sizeof(void *) }
#define VALUE(type) { DPRP_ARG_VALUE, 0, sizeof(type) }
static const dprp_param gemm_params[] = { MEM, MEM, MEM, VALUE(dprp_gemm) };
static const dprp_param gesv_params[] = { MEM, MEM, MEM, VALUE(dprp_lapack) };
static const dprp_param potrf_params[] = { MEM, MEM, VALUE(dprp_lapack) };
#define KERNEL(name, n, dtype) \
	static const dprp_native_kernel name##_kernel_##dtype = { \
		#name, name##_##dtype, n, 0, name##_params \
	}; \
	static const dprp_native_module name##_module_##dtype = { \
		sizeof(dprp_native_module), 1, 0, &name##_kernel_##dtype \
	};
#define KERNELS(dtype) \
	KERNEL(gemm, 4, dtype) KERNEL(gesv, 4, dtype) KERNEL(potrf, 3, dtype)
#define ROUTINES(dtype) \
	{ "gemm " #dtype, &gemm_module_##dtype }, \
	{ "gesv " #dtype, &gesv_module_##dtype }, \
	{ "potrf " #dtype, &potrf_module_##dtype }

KERNELS(float32)
KERNELS(float64)
KERNELS(complex64)
KERNELS(complex128)
/* clang-format on */

static const struct {
	const char *name;
	const dprp_native_module *module; /* which its modules refer to */
} routines[] = {
	ROUTINES(float32),
	ROUTINES(float64),
	ROUTINES(complex64),
	ROUTINES(complex128),
};

#define COUNT (sizeof(routines) / sizeof(routines[0]))

/* --- The format ----------------------------------------------------------- */

/* The code for a name that is not known. */
static dprp_rc unknown = DPR_RC_UNSUPPORTED;

static bool is_call(const dprp_image *image)
{
	return !strcmp(image->format, DPRP_CALLS_FORMAT);
}

static dprp_rc calls_info(dprp_device *device, uint32_t key, void *buffer,
			  size_t capacity, size_t *need)
{
	static const char more[] = DPRP_CALLS_FORMAT;
	char list[512];
	dprp_rc rc;

	if (key != DPR_INFO_FORMATS)
		return faulty.mock->device->info(device, key, buffer, capacity,
						 need);
	rc = faulty.mock->device->info(device, key, list,
				       sizeof(list) - sizeof(more), need);
	if (rc)
		return rc;
	memcpy(list + *need, more, sizeof(more));
	*need += sizeof(more);
	if (!buffer)
		return DPR_RC_OK;
	if (capacity < *need)
		return faulty_fail(DPR_RC_INVALID);
	memcpy(buffer, list, *need);
	return DPR_RC_OK;
}

static dprp_rc calls_create(dprp_context *context, dprp_device *device,
			    const dprp_module_desc *desc, dprp_module **out)
{
	static const char line[] = "routines of the tests";
	const dprp_image *image = desc->images[0];
	dprp_image changed = { sizeof(changed), DPRP_NATIVE_FORMAT, NULL, NULL,
			       sizeof(dprp_native_module) };
	const dprp_image *images = &changed;
	dprp_module_desc given = *desc;
	size_t i = 0;

	if (desc->n_images != 1 || !is_call(image))
		return faulty.mock->module->create(context, device, desc, out);
	while (i < COUNT &&
	       (strlen(routines[i].name) != image->size ||
		memcmp(routines[i].name, image->data, image->size) != 0))
		i++;
	if (i == COUNT && !wrong.knows_all)
		return faulty_fail(unknown);
	changed.data = routines[i % COUNT].module;
	given.images = &images;
	if (!wrong.silent && desc->log.write)
		desc->log.write(desc->log.user, line, sizeof(line) - 1);
	return faulty.mock->module->create(context, device, &given, out);
}

void faulty_offer_calls(void)
{
	faulty.device.info = calls_info;
	faulty.module.create = calls_create;
}

/* --- Faults --------------------------------------------------------------- */

static void calls_silent(void)
{
	wrong.silent = true;
}

static void calls_know_all(void)
{
	wrong.knows_all = true;
}

static void calls_invalid(void)
{
	unknown = DPR_RC_INVALID;
}

static void gemm_plain(void)
{
	wrong.plain = true;
}

static void gemm_one_axis(void)
{
	wrong.one_axis = true;
}

static void gemm_adds(void)
{
	wrong.adds = true;
}

static void gemm_fills(void)
{
	wrong.fills = true;
}

static void lapack_lower(void)
{
	wrong.lower = true;
}

static void lapack_first(void)
{
	wrong.first = true;
}

static void lapack_no_info(void)
{
	wrong.no_info = true;
}

static dprp_queue *spare;

static dprp_rc spare_create(dprp_context *context, dprp_device *device,
			    const dprp_queue_desc *desc, uint64_t *got,
			    dprp_queue **out)
{
	uint64_t granted;

	if (!spare)
		faulty.mock->queue->create(context, device, desc, &granted,
					   &spare);
	return faulty.mock->queue->create(context, device, desc, got, out);
}

/* A product that overtakes the work of its queue. */
static dprp_rc early_launch(dprp_queue *queue, dprp_kernel *kernel,
			    const dprp_launch *launch, const dprp_deps *deps,
			    dprp_event **event)
{
	const dprp_queue_ops *mock = faulty.mock->queue;
	dprp_rc rc;

	if (launch->n_args != 4 || launch->args[3].size != sizeof(dprp_gemm))
		return mock->launch(queue, kernel, launch, deps, event);
	rc = mock->launch(spare, kernel, launch, NULL, NULL);
	if (!rc)
		rc = mock->finish(spare);
	return rc ? rc : mock->barrier(queue, deps, event);
}

static void gemm_early(void)
{
	faulty.queue.create = spare_create;
	faulty.queue.launch = early_launch;
}

const struct fault faulty_calls_faults[] = {
	{ "calls_silent", calls_silent },
	{ "calls_know_all", calls_know_all },
	{ "calls_invalid", calls_invalid },
	{ "gemm_plain", gemm_plain },
	{ "gemm_one_axis", gemm_one_axis },
	{ "gemm_adds", gemm_adds },
	{ "gemm_fills", gemm_fills },
	{ "gemm_early", gemm_early },
	{ "lapack_lower", lapack_lower },
	{ "lapack_first", lapack_first },
	{ "lapack_no_info", lapack_no_info },
	{ NULL, NULL },
};
