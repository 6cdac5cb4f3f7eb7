/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ocl_driver.h - the ICD loader, opened at run time, and the one place where
 * OpenCL's error codes become codes of the ABI.
 *
 * The types of the entries come from the vendor's header; nothing of it is
 * linked.
 */
#ifndef OCL_DRIVER_H
#define OCL_DRIVER_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS 1
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <dpr/backend.h>

#include "backends/common/plugin_struct.h"

/* libOpenCL.so.1; an entry beyond 1.2 may be NULL. */
struct ocl_api {
#define OCL_SYMBOL(version, name) __typeof__(&name) name;
#include "ocl_symbols.def"
#undef OCL_SYMBOL
};

/*
 * Open the ICD loader and find its entries.  NO_DRIVER, with a text, if there
 * is none or it is older than OpenCL 1.2.
 */
dprp_rc ocl_driver_open(const dprp_host *host, struct ocl_api *cl);

/* "CL_INVALID_VALUE", or "an unknown error". */
const char *ocl_error_name(cl_int error);

/* What the ABI calls this error. */
dprp_rc ocl_error_rc(cl_int error);

/* Tell the host of a failure: @rc comes back. */
dprp_rc ocl_fail(const dprp_host *host, dprp_rc rc, cl_int error,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The failure of one OpenCL call, or DPR_RC_OK for CL_SUCCESS. */
dprp_rc ocl_check(const dprp_host *host, cl_int error, const char *call);

/* Call an entry of libOpenCL that returns a code. */
#define OCL_TRY(instance, call, ...) \
	ocl_check((instance)->host, (instance)->cl.call(__VA_ARGS__), #call)

/* A line for the log. */
void ocl_log(const dprp_host *host, int32_t level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Zeroed memory of the host, NULL when there is none or the size overflows. */
void *ocl_alloc(const dprp_host *host, size_t count, size_t size);
void ocl_free(const dprp_host *host, void *block);

/* OOM_HOST, with a text that names what was wanted. */
dprp_rc ocl_no_memory(const dprp_host *host, const char *what);

#endif
