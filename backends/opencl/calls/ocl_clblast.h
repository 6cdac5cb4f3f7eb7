/* SPDX-License-Identifier: Apache-2.0 */
/* ocl_clblast.h - CLBlast, a library of products in OpenCL, opened at run
   time. */
#ifndef OCL_CLBLAST_H
#define OCL_CLBLAST_H

#include "backends/opencl/calls/ocl_calls.h"

/* The arguments of products whose factors are of the type F. */
#define OCL_CLBLAST_GEMM(F)                                                 \
	(int layout, int op_a, int op_b, size_t m, size_t n, size_t k,      \
	 F alpha, cl_mem a, size_t a_at, size_t lda, cl_mem b, size_t b_at, \
	 size_t ldb, F beta, cl_mem c, size_t c_at, size_t ldc,             \
	 cl_command_queue *queue, cl_event *event)

/* The entries of CLBlast: X(name, parameters).  All return a status. */
#define OCL_CLBLAST_ENTRIES(X)                        \
	X(CLBlastSgemm, OCL_CLBLAST_GEMM(float))      \
	X(CLBlastDgemm, OCL_CLBLAST_GEMM(double))     \
	X(CLBlastCgemm, OCL_CLBLAST_GEMM(cl_float2))  \
	X(CLBlastZgemm, OCL_CLBLAST_GEMM(cl_double2)) \
	X(CLBlastClearCache, (void))

struct ocl_clblast {
#define OCL_CLBLAST_ENTRY(name, parameters) int(*name) parameters;
	OCL_CLBLAST_ENTRIES(OCL_CLBLAST_ENTRY)
#undef OCL_CLBLAST_ENTRY
	bool works;
	char text[LIBRARY_TEXT]; /* its name and file, or why there is none */
	/* Held while CLBlast is called.  In versions before 1.6.1, one of two
	   threads that compile the same kernels fails. */
	pthread_mutex_t calls;
};

/* --- ocl_alias.c --- */

/* Find out whether the buffers of ocl_mem_native() are the device's memory, and
   no copies. */
dprp_rc ocl_alias_works(dprp_context *context, dprp_device *device,
			bool *works);

/* --- ocl_clblast.c --- */

/* Get CLBlast, which is opened when it is first needed.  UNSUPPORTED, with a
   text, if there is none. */
dprp_rc ocl_clblast_get(dprp_instance *instance, struct ocl_clblast **out);
/* Report that @call has failed with @status.  is_written: earlier products of
   the launch may have been computed. */
dprp_rc ocl_clblast_failed(const dprp_instance *instance, int status,
			   const char *call, bool is_written);

#endif
