/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_programs.h - modules and kernels: the entries of cuda_module.c,
   cuda_compile.c, cuda_kernel.c and cuda_launch.c. */
#ifndef CUDA_PROGRAMS_H
#define CUDA_PROGRAMS_H

#include <dpr/backend-help.h>

#include "cuda_objects.h"
#include "backends/cuda/calls/cuda_calls.h"
#include "backends/cuda/rewrite/cuda_table.h"

struct dprp_module {
	dprp_instance *instance;
	dprp_context *context;
	dprp_device *device;
	struct cuda_call call; /* a routine; else there is a library */
	struct cuda_library *library;
	struct cuda_table table;
};

struct dprp_kernel {
	dprp_instance *instance;
	dprp_device *device; /* the module's */
	struct cuda_call call; /* a routine; else there is a CUkernel */
	CUkernel cu;
	char *name;
	/* Without params_known, the parameters are those that the source shows;
	   a macro among them may stand for other ones.  NULL and 0: it shows
	   none. */
	bool params_known;
	bool locals; /* arguments in local memory are offsets */
	uint32_t n_params;
	dprp_param *params;
	uint64_t required[3];
	uint32_t max_group, static_local, private_size;
	uint32_t choice[3][3]; /* chosen local sizes; index: dimensions - 1 */
	atomic_bool large;     /* it may use all of the opt-in local memory */
};

/* --- cuda_compile.c --- */

/* The code of a module, in memory of the host, and its table. */
struct cuda_code {
	void *bytes;
	size_t size;
	struct cuda_table table;
};

/* Assemble PTX.  The table in @out must have been read before. */
dprp_rc cuda_compile_ptx(dprp_context *context, const char *text, size_t size,
			 dprp_sink log, struct cuda_code *out);
/* Compile OpenCL C.  If @rounded, float division and square root are rounded
   correctly, whatever the options say. */
dprp_rc cuda_compile_source(dprp_context *context, const dprp_image *image,
			    const char *options, bool rounded, dprp_sink log,
			    struct cuda_code *out);
/* Fail because NVRTC is missing: the text says so, and names the package to
   install.  OOM_HOST: memory ran out when NVRTC was opened. */
dprp_rc cuda_compile_missing(dprp_instance *instance);

/* Check DPR_OPTION_CUDA_NVRTC.  INVALID: it is not an absolute path. */
dprp_rc cuda_compile_check_option(dprp_instance *instance);
/* Whether NVRTC, the compiler for sources, is installed.  Each call looks for
   NVRTC until it is found. */
bool cuda_compile_is_there(dprp_instance *instance);
void cuda_compile_close(dprp_instance *instance);

/* --- cuda_module.c --- */

dprp_module_pick_fn cuda_module_pick;
dprp_module_create_fn cuda_module_create;
dprp_module_destroy_fn cuda_module_destroy;
dprp_module_binary_fn cuda_module_binary;
/* Unload the code that the context still has from its modules. */
void cuda_module_free_all(dprp_context *context);

/* Get the CUlibrary. */
dprp_rc cuda_module_native(const dprp_module *module, uintptr_t *out);

/* --- cuda_kernel.c --- */

dprp_module_kernel_fn cuda_kernel_create;
dprp_module_kernel_destroy_fn cuda_kernel_destroy;
dprp_module_kernel_info_fn cuda_kernel_info;

/* Get the CUkernel. */
dprp_rc cuda_kernel_native(const dprp_kernel *kernel, uintptr_t *out);

/* --- cuda_launch.c --- */

dprp_queue_launch_fn cuda_launch;

#endif
