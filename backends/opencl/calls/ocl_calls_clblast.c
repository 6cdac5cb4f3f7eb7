/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ocl_calls_clblast.c - products of matrices by CLBlast, on devices whose
 * commands run on the device.
 *
 * CLBlast takes buffers and a queue, and submits several kernels.  It has no
 * wait list, so a barrier waits for the dependencies.  float16 is left out:
 * CLBlast adds in float16.  So are CLBlast's batches: doc/RATIONALE.md.
 */
#include "backends/opencl/calls/ocl_clblast.h"

#include <string.h>

enum { /* values of CLBlast */
       ROW_MAJOR = 101,
       PLAIN = 111,
       TRANSPOSED = 112
};

#define GEMM_ARGS 4u

/* A launch that needs more than MANY calls is refused, if a call has at most
   LITTLE multiplications.  Then a launch of dpr's own kernel is faster. */
#define MANY 32
#define LITTLE (INT64_C(1) << 27)

/* A product with a vector of more than LITTLE_VECTOR multiplications is
   refused. CLBlast would copy the matrix, and pad the vector to a matrix. */
#define LITTLE_VECTOR (INT64_C(1) << 16)

/* CLBlast pads extents to a multiple of at most TILE. */
#define TILE INT64_C(256)

/* A matrix of a launch.  It is stored as `rows` times `inner` elements. */
struct matrix {
	cl_mem cl;
	int64_t at; /* elements */
	int64_t rows, inner, leading;
	const int64_t *strides; /* of the batch */
};

/* The products of a launch. */
struct clblast_gemm {
	struct ocl_clblast *blas;
	const struct ocl_routine *routine;
	dprp_gemm v;
	struct matrix a, b, c;
};

/* --- Calls ---------------------------------------------------------------- */

static int transposed(const dprp_gemm *v, int64_t flag)
{
	return v->flags & flag ? TRANSPOSED : PLAIN;
}

static size_t place(const struct clblast_gemm *g, const struct matrix *x,
		    int64_t i)
{
	return (size_t)library_gemm_place(&g->v, x->strides, x->at, i);
}

/* Define a function that submits product @i. */
#define GEMM(function, call, FACTOR, ...)                                    \
	static int function(const struct clblast_gemm *g, int64_t i,         \
			    cl_command_queue queue, cl_event *event)         \
	{                                                                    \
		static const FACTOR one = __VA_ARGS__, zero;                 \
		const dprp_gemm *v = &g->v;                                  \
                                                                             \
		return g->blas->call(                                        \
			ROW_MAJOR, transposed(v, DPRP_GEMM_A_TRANSPOSED),    \
			transposed(v, DPRP_GEMM_B_TRANSPOSED), (size_t)v->m, \
			(size_t)v->n, (size_t)v->k, one, g->a.cl,            \
			place(g, &g->a, i), (size_t)v->lda, g->b.cl,         \
			place(g, &g->b, i), (size_t)v->ldb, zero, g->c.cl,   \
			place(g, &g->c, i), (size_t)v->ldc, &queue, event);  \
	}

GEMM(gemm_float32, CLBlastSgemm, cl_float, { 1 })
GEMM(gemm_float64, CLBlastDgemm, cl_double, { 1 })
GEMM(gemm_complex64, CLBlastCgemm, cl_float2, { { 1, 0 } })
GEMM(gemm_complex128, CLBlastZgemm, cl_double2, { { 1, 0 } })

struct ocl_routine {
	const char *name;
	int64_t item; /* bytes of an element */
	const char *call;
	int (*submit)(const struct clblast_gemm *g, int64_t i,
		      cl_command_queue queue, cl_event *event);
};

static const struct ocl_routine routines[] = {
	{ "gemm float32", 4, "CLBlastSgemm", gemm_float32 },
	{ "gemm float64", 8, "CLBlastDgemm", gemm_float64 },
	{ "gemm complex64", 8, "CLBlastCgemm", gemm_complex64 },
	{ "gemm complex128", 16, "CLBlastZgemm", gemm_complex128 },
};

#define ROUTINES (sizeof(routines) / sizeof(routines[0]))

/* --- The routine ---------------------------------------------------------- */

static const dprp_param params[GEMM_ARGS] = {
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_MEM, 0, sizeof(void *) },
	{ DPRP_ARG_VALUE, 0, sizeof(dprp_gemm) },
};
/* The kernel has no function of this process. */
static const dprp_native_kernel gemm_kernel = { "gemm", NULL, GEMM_ARGS, 0,
						params };
static const dprp_native_module gemm_module = { sizeof(gemm_module), 1, 0,
						&gemm_kernel };

/* Refuse devices on which CLBlast cannot work. */
static dprp_rc check_device(dprp_context *context, dprp_device *device)
{
	const dprp_host *host = context->instance->host;
	bool works;
	dprp_rc rc;

	if (device->platform->takes_turns)
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
				 "CLBlast is not used on PoCL 4 and 5, whose "
				 "launches of one kernel must not overlap");
	rc = ocl_alias_works(context, device, &works);
	if (rc || works)
		return rc;
	return dprh_fail(
		host, DPR_RC_UNSUPPORTED, 0,
		"CLBlast needs buffers, and the driver makes none over "
		"memory that has addresses: set "
		"DPR_OPTION_OPENCL_MEMORY=buffer");
}

static dprp_rc ocl_calls_clblast_find(dprp_context *context,
				      dprp_device *device,
				      const dprp_image *image,
				      struct ocl_call *out)
{
	dprp_instance *instance = context->instance;
	struct ocl_clblast *blas;
	size_t i = 0;
	dprp_rc rc;

	while (i < ROUTINES &&
	       (strlen(routines[i].name) != image->size ||
		memcmp(routines[i].name, image->data, (size_t)image->size)))
		i++;
	if (i == ROUTINES)
		return dprh_fail(instance->host, DPR_RC_UNSUPPORTED, 0,
				 "for this device there is no routine "
				 "\"%.*s\"",
				 image->size < 40 ? (int)image->size : 40,
				 (const char *)image->data);
	rc = ocl_clblast_get(instance, &blas);
	if (!rc)
		rc = check_device(context, device);
	if (rc)
		return rc;
	out->native = &gemm_module;
	out->text = blas->text;
	out->u.clblast = &routines[i];
	return DPR_RC_OK;
}

/* --- Arguments ------------------------------------------------------------ */

static dprp_rc refuse(const dprp_host *host, const char *why)
{
	return dprh_fail(host, DPR_RC_UNSUPPORTED, 0, "gemm: %s", why);
}

static dprp_rc take_matrix(const dprp_kernel *kernel, const dprp_launch *launch,
			   uint32_t index, int64_t offset, struct matrix *x)
{
	const dprp_host *host = kernel->instance->host;
	const dprp_arg *arg = &launch->args[index];
	const int64_t item = kernel->call.u.clblast->item;
	dprp_mem *mem = arg->u.m.mem;
	dprp_rc rc = ocl_kernel_takes(kernel, index, arg);

	if (rc)
		return rc;
	if (!mem)
		return dprh_fail(host, DPR_RC_INVALID, 0,
				 "gemm: argument %u is no memory", index);
	/* ocl_alias_try() has tried DEVICE memory alone. */
	if (mem->path != OCL_PATH_BUFFER &&
	    (mem->address != mem->base || mem->kind != DPRP_MEM_DEVICE))
		return refuse(host, "CLBlast needs a buffer, and none can be "
				    "made over this memory");
	if (arg->u.m.offset % (uint64_t)item)
		return refuse(host, "an operand does not begin at a multiple "
				    "of its elements");
	if (__builtin_add_overflow(offset, (int64_t)arg->u.m.offset / item,
				   &x->at))
		return refuse(host, "CLBlast counts elements up to 2147483647");
	return ocl_mem_native(mem, &x->cl);
}

/* --- Limits --------------------------------------------------------------- */

/* The first and the last element of a matrix, over the whole batch.  Returns
   false if the numbers are too large. */
static bool find_ends(const dprp_gemm *v, const struct matrix *x,
		      int64_t *first, int64_t *last)
{
	int64_t step, end;

	*first = x->at;
	if (__builtin_mul_overflow(x->rows - 1, x->leading, &end) ||
	    __builtin_add_overflow(end, x->inner - 1, &end) ||
	    __builtin_add_overflow(end, x->at, &end))
		return false;
	for (int d = 0; d < DPRP_GEMM_BATCHES; d++) {
		if (__builtin_mul_overflow(v->batch[d] - 1, x->strides[d],
					   &step) ||
		    __builtin_add_overflow(step < 0 ? *first : end, step,
					   step < 0 ? first : &end))
			return false;
	}
	*last = end;
	return true;
}

/* Whether the copy that CLBlast may make has at most INT32_MAX elements. */
static bool is_copy_small(const struct matrix *x)
{
	const int64_t rows = (x->rows + TILE - 1) / TILE * TILE;
	const int64_t inner = (x->inner + TILE - 1) / TILE * TILE;
	int64_t size;

	return !__builtin_mul_overflow(rows, inner, &size) && size <= INT32_MAX;
}

/* Refuse a matrix of which CLBlast's kernels, which count elements in integers
   of 32 bits, would not find each element. */
static dprp_rc check_matrix(const dprp_host *host, const dprp_gemm *v,
			    const struct matrix *x)
{
	int64_t first, last;

	if (x->rows > INT32_MAX || x->inner > INT32_MAX ||
	    x->leading > INT32_MAX || !find_ends(v, x, &first, &last) ||
	    last > INT32_MAX || !is_copy_small(x))
		return refuse(host, "CLBlast counts elements up to 2147483647");
	if (first < 0)
		return dprh_fail(host, DPR_RC_INVALID, 0,
				 "gemm: a matrix begins before its memory");
	return DPR_RC_OK;
}

/* Refuse what is slower than dpr's own kernels. */
static dprp_rc check_work(const dprp_host *host, const struct clblast_gemm *g)
{
	const dprp_gemm *v = &g->v;
	int64_t work;

	if (__builtin_mul_overflow(v->m, v->n, &work) ||
	    __builtin_mul_overflow(work, v->k, &work))
		return DPR_RC_OK;
	if ((v->m == 1 || v->n == 1) && work > LITTLE_VECTOR)
		return refuse(host, "CLBlast is slow where a matrix is a "
				    "vector");
	if (library_gemm_count(v) > MANY && work <= LITTLE)
		return refuse(host, "CLBlast would need a call for each of "
				    "many small products");
	return DPR_RC_OK;
}

/* Fill in the shapes of the matrices. */
static void set_shapes(struct clblast_gemm *g)
{
	const dprp_gemm *v = &g->v;
	const bool at = v->flags & DPRP_GEMM_A_TRANSPOSED;
	const bool bt = v->flags & DPRP_GEMM_B_TRANSPOSED;

	g->a.rows = at ? v->k : v->m;
	g->a.inner = at ? v->m : v->k;
	g->a.leading = v->lda;
	g->a.strides = v->stride_a;
	g->b.rows = bt ? v->n : v->k;
	g->b.inner = bt ? v->k : v->n;
	g->b.leading = v->ldb;
	g->b.strides = v->stride_b;
	g->c.rows = v->m;
	g->c.inner = v->n;
	g->c.leading = v->ldc;
	g->c.strides = v->stride_c;
}

/* A matrix of one row needs no leading dimension, which may be any number. */
static void shorten_rows(struct clblast_gemm *g)
{
	if (g->a.rows == 1)
		g->a.leading = g->v.lda = g->a.inner;
	if (g->b.rows == 1)
		g->b.leading = g->v.ldb = g->b.inner;
	if (g->c.rows == 1)
		g->c.leading = g->v.ldc = g->c.inner;
}

static dprp_rc take_args(struct clblast_gemm *g, const dprp_kernel *kernel,
			 const dprp_launch *launch)
{
	const dprp_host *host = kernel->instance->host;
	dprp_gemm *v = &g->v;
	dprp_rc rc;

	memcpy(v, launch->args[GEMM_ARGS - 1].u.value, sizeof(*v));
	if (!library_gemm_is_valid(v))
		return dprh_fail(host, DPR_RC_INVALID, 0,
				 "gemm: an extent is below 1, a leading "
				 "dimension too small, or a flag unknown");
	set_shapes(g);
	shorten_rows(g);
	rc = take_matrix(kernel, launch, 0, v->offset_a, &g->a);
	if (!rc)
		rc = take_matrix(kernel, launch, 1, v->offset_b, &g->b);
	if (!rc)
		rc = take_matrix(kernel, launch, 2, v->offset_c, &g->c);
	if (!rc)
		rc = check_matrix(host, v, &g->a);
	if (!rc)
		rc = check_matrix(host, v, &g->b);
	if (!rc)
		rc = check_matrix(host, v, &g->c);
	if (rc)
		return rc;
	return check_work(host, g);
}

/* --- Launches ------------------------------------------------------------- */

/* Whether the commands of a queue may overlap. */
static bool is_out_of_order(const dprp_queue *queue)
{
	cl_command_queue_properties flags = 0;

	return queue->instance->cl.clGetCommandQueueInfo(
		       queue->cl, CL_QUEUE_PROPERTIES, sizeof(flags), &flags,
		       NULL) ||
	       flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
}

/* Have the queue wait for the dependencies.  With a profiling queue, the times
   of the launch begin at the end of this command. */
static cl_int begin_products(struct ocl_submit *s)
{
	cl_event *begin =
		s->made && s->queue->profiling ? &s->made->begin : NULL;

	if (!s->n && !begin)
		return CL_SUCCESS;
	return s->queue->instance->cl.clEnqueueBarrierWithWaitList(
		s->queue->cl, s->n, s->list, begin);
}

/* Give the event of the launch to a command that waits for all products: the
   event of one says nothing about the others. */
static cl_int join_products(struct ocl_submit *s)
{
	return s->queue->instance->cl.clEnqueueBarrierWithWaitList(
		s->queue->cl, 0, NULL, s->event);
}

/* Submit all products.  *@done counts them.  *@call is the call that has
   failed. */
static int submit_products(const struct clblast_gemm *g, struct ocl_submit *s,
			   int64_t *done, const char **call)
{
	static const char barrier[] = "clEnqueueBarrierWithWaitList";
	const int64_t n = library_gemm_count(&g->v);
	const bool joined = n > 1 && s->event && is_out_of_order(s->queue);
	int status;

	*done = 0;
	*call = barrier;
	pthread_mutex_lock(&g->blas->calls);
	status = begin_products(s);
	for (; !status && *done < n; *done += !status) {
		const bool last = *done + 1 == n && !joined;

		*call = g->routine->call;
		status = g->routine->submit(g, *done, s->queue->cl,
					    last ? s->event : NULL);
	}
	pthread_mutex_unlock(&g->blas->calls);
	if (status || !joined)
		return status;
	*call = barrier;
	return join_products(s);
}

static dprp_rc launch_products(dprp_queue *queue, const struct clblast_gemm *g,
			       const dprp_deps *deps, dprp_event **event)
{
	const dprp_instance *instance = queue->instance;
	const char *call;
	struct ocl_submit s;
	int64_t done;
	int status;
	dprp_rc rc = ocl_submit_begin(&s, queue, deps, event);

	if (rc)
		return rc;
	status = submit_products(g, &s, &done, &call);
	if (!status)
		return ocl_submit_end(&s, CL_SUCCESS, call);
	/* Some kernels may be in the queue, although the launch fails.  Wait
	   for them, because the core takes their memory for unused. */
	(void)instance->cl.clFinish(queue->cl);
	(void)ocl_submit_end(&s, status, call);
	return ocl_clblast_failed(instance, status, call, done > 0);
}

static dprp_rc ocl_calls_clblast_launch(dprp_queue *queue, dprp_kernel *kernel,
					const dprp_launch *launch,
					const dprp_deps *deps,
					dprp_event **event)
{
	dprp_instance *instance = queue->instance;
	const struct dprh_sizes most = { sizeof(dprp_gemm), 0 };
	struct clblast_gemm g = { .routine = kernel->call.u.clblast };
	struct dprh_sizes sizes;
	dprp_rc rc = dprh_native_check(instance->host, kernel->native, launch,
				       &most, &sizes);

	if (!rc && dprh_launch_is_empty(launch))
		return ocl_submit_nothing(queue, deps, event);
	if (!rc)
		rc = take_args(&g, kernel, launch);
	if (!rc)
		rc = ocl_clblast_get(instance, &g.blas);
	return rc ? rc : launch_products(queue, &g, deps, event);
}

const struct ocl_library ocl_calls_clblast = { ocl_offers_clblast,
					       ocl_calls_clblast_find,
					       ocl_calls_clblast_launch };
