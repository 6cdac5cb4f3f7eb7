/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_calls.h - routines of libraries as kernels (DPRP_CALLS_FORMAT): products
   of matrices by cuBLAS, and LAPACK's routines by cuSOLVER. */
#ifndef CUDA_CALLS_H
#define CUDA_CALLS_H

#include "backends/cuda/calls/cuda_blas.h"
#include "backends/cuda/calls/cuda_solver.h"
#include "backends/library/library_values.h"

struct cuda_call;

/* Submits a launch, which is not empty and has as many arguments as the
   routine. */
typedef dprp_rc (*cuda_calls_function)(dprp_queue *queue,
				       const struct cuda_call *call,
				       const dprp_launch *launch,
				       const dprp_deps *deps,
				       dprp_event **event);

struct cuda_routine {
	const char *name, *library;
	uint32_t n_mem; /* arguments in memory; behind them there is a VALUE */
	cuda_calls_function launch;
	enum library_lapack_number lapack; /* of LAPACK alone */
	bool uses_blas;
};

/* A dtype, in the numbers of the libraries. */
struct cuda_dtype {
	const char *name;
	int type, real_type, compute;
	int index;              /* of an entry for four dtypes; -1: not one */
	int64_t item, real;     /* bytes of an element, and of its real part */
	const void *one, *zero; /* factors, in the type of `compute` */
};

/* Kernels of our own (calls.ptx), which prepare or end a call. */
enum {
	CUDA_HELP_ADDRESSES,
	CUDA_HELP_WIDEN,
	CUDA_HELP_DIAGONAL,
	CUDA_HELP_COPY,
	CUDA_HELP_SPREAD,
	CUDA_HELP_MARK,
	CUDA_HELP_SPOIL,
	CUDA_HELPS
};

/* A routine, and the libraries that have it.  Of an ordinary kernel all are
   NULL. */
struct cuda_call {
	const struct cuda_routine *routine;
	const struct cuda_dtype *dtype;
	const struct cuda_blas *blas;     /* NULL: not used */
	const struct cuda_solver *solver; /* NULL: a product */
	CUkernel help[CUDA_HELPS];        /* set by the module */
};

/* --- cuda_work.c --- */

/* The libraries work in the context that is current.  A part of a device has a
   context of its own, for which they were not made: UNSUPPORTED. */
dprp_rc cuda_work_refuse_part(const dprp_instance *instance,
			      const struct cuda_routine *routine);
/* Get the address of argument @index of a launch.  Returns 0 if it is no
   memory. */
uintptr_t cuda_work_address(const dprp_launch *launch, uint32_t index);
/* Submits the calls of a launch to a stream.  The context is current. */
typedef dprp_rc (*cuda_work_submit)(void *work, struct cuda_scope *scope,
				    const struct cuda_stream *stream);
/* Submit a launch of @routine, whose arguments have been checked. */
dprp_rc cuda_work_run(dprp_queue *queue, const struct cuda_routine *routine,
		      cuda_work_submit submit, void *work,
		      const dprp_deps *deps, dprp_event **event);

/* --- cuda_calls.c --- */

/* The text of our own kernels, with a 0 at the end, and their names. */
extern const char cuda_text_calls[];
extern const char *const cuda_calls_help[CUDA_HELPS];

/* Find the routine that the image names, for a device with this scope. */
dprp_rc cuda_calls_find(struct cuda_scope *scope, dprp_device *device,
			const dprp_image *image, struct cuda_call *out);
/* The line for the log: the library, its version and its file. */
const char *cuda_calls_text(const struct cuda_call *call);
/* The parameters of the routine's kernel. */
const dprp_param *cuda_calls_params(const struct cuda_routine *routine,
				    uint32_t *n);
/* --- cuda_gemm.c --- */

dprp_rc cuda_gemm_launch(dprp_queue *queue, const struct cuda_call *call,
			 const dprp_launch *launch, const dprp_deps *deps,
			 dprp_event **event);

/* --- cuda_lapack.c --- */

/* Whether cuSOLVER has the routine.  Older versions lack some. */
bool cuda_lapack_is_there(const struct cuda_solver *solver,
			  enum library_lapack_number routine);
dprp_rc cuda_lapack_launch(dprp_queue *queue, const struct cuda_call *call,
			   const dprp_launch *launch, const dprp_deps *deps,
			   dprp_event **event);

#endif
