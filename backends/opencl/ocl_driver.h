/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ocl_driver.h - the ICD loader, opened at run time.
 *
 * The types of the entries come from the vendor's header; the plugin does not
 * link to the loader.
 */
#ifndef OCL_DRIVER_H
#define OCL_DRIVER_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS 1
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <dpr/backend.h>
#include <dpr/backend-help.h>

/* libOpenCL.so.1; entries that are newer than OpenCL 1.2 may be NULL. */
struct ocl_api {
#define OCL_SYMBOL(version, name) __typeof__(&name) name;
#include "ocl_symbols.def"
#undef OCL_SYMBOL
};

/*
 * Open the ICD loader and find its entries.  NO_DRIVER, with a text, if there
 * is no loader or it is older than OpenCL 1.2.
 */
dprp_rc ocl_driver_open(const dprp_host *host, struct ocl_api *cl);

#endif
