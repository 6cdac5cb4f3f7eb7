/* SPDX-License-Identifier: Apache-2.0 */
/* ze_programs.h - modules and kernels: the entries of ze_child.c, ze_compile.c,
   ze_module.c, ze_kernel.c and ze_launch.c. */
#ifndef ZE_PROGRAMS_H
#define ZE_PROGRAMS_H

#include <dpr/backend-help.h>

#include "ze_objects.h"
#include "backends/level_zero/spirv/ze_spirv.h"

struct dprp_module {
	dprp_instance *instance;
	dprp_context *context;
	dprp_device *device;
	ze_module_handle_t ze;
	bool known; /* `spirv` describes the kernels */
	struct ze_spirv spirv;
	uint64_t flags; /* DPRP_BUILD_*: how the module was built */
};

/* The value that an argument was last set to. */
struct ze_arg {
	uint32_t kind;        /* DPRP_ARG_*; UNKNOWN: not remembered */
	uint32_t room;        /* bytes at `bytes` */
	uint64_t size;        /* as it was given */
	uint64_t serial;      /* MEM: of the memory; 0: no memory */
	uint64_t offset;      /* MEM */
	unsigned char *bytes; /* VALUE */
};

/* One ze_kernel, and what is set in it.  Used by one thread at a time. */
struct ze_kernel {
	struct ze_kernel *next;
	ze_kernel_handle_t ze;
	uint32_t local[3]; /* zeros: not set yet */
	struct ze_arg args[];
};

struct dprp_kernel {
	dprp_instance *instance;
	dprp_module *module; /* lives longer than the kernel */
	char *name;
	/* If false, params is NULL, and n_params is what the driver reports. */
	bool params_known;
	uint32_t n_params;
	const dprp_param *params; /* the module's */
	ze_kernel_properties_t properties;
	uint64_t required[3];
	uint32_t max_group;
	uint32_t choice[3][3]; /* chosen local sizes; index: dimensions - 1 */
	/* One idle ze_kernel, taken and given back without the lock.  A single
	   thread needs no other. */
	_Atomic(struct ze_kernel *) spare;
	pthread_mutex_t lock;
	/* Guards the fields below. */
	struct ze_kernel *idle;   /* linked by next */
	struct ze_kernel *native; /* made for the program; the plugin does not
				     launch it */
};

/* --- ze_child.c --- */

/* Bytes in memory of the host. */
struct ze_bytes {
	unsigned char *bytes;
	size_t size;
};

/* Read a whole file, and add a zero byte that is not counted. */
dprp_rc ze_child_read(const dprp_host *host, int fd, struct ze_bytes *out);
/* Run the program at the absolute path argv[0] with @input as its standard
   input, and get its output.  INVALID: the program did not run, or it failed.
   Then *@exit_status is the exit status, if there is an exit status and the
   pointer is not NULL.  The caller frees both texts in any case. */
dprp_rc ze_child_run(const dprp_host *host, const char *const *argv,
		     const void *input, size_t size, struct ze_bytes *output,
		     struct ze_bytes *errors, int *exit_status);

/* --- ze_compile.c --- */

/* Read the options OCLOC, LLVM and COMPILER.  INVALID: a value is wrong. */
dprp_rc ze_compile_read_options(dprp_instance *instance);
/* Whether a compiler from OpenCL C to SPIR-V is installed. */
bool ze_compile_is_there(dprp_instance *instance);
/* Whether no such compiler is installed, but the driver itself compiles OpenCL
   C. Then nothing is known about the parameters of its kernels. */
bool ze_compile_by_driver(dprp_device *device);
/* Fail because no compiler is installed: the text names the missing compilers
   and the packages to install. */
dprp_rc ze_compile_missing(dprp_instance *instance);
/* Compile OpenCL C for @device.  The caller frees the SPIR-V in @out with
   dprh_free(). */
dprp_rc ze_compile_source(dprp_device *device, const dprp_image *image,
			  const char *options, dprp_sink log,
			  struct ze_bytes *out);

/* --- ze_module.c --- */

/* Get the formats that the plugin takes for @device, in the form of
   DPR_INFO_FORMATS.  *@size includes all zero bytes. */
const char *ze_module_formats(dprp_device *device, size_t *size);
/* Whether source can be compiled: DPR_INFO_ASPECT_ONLINE_COMPILER. */
bool ze_module_takes_source(dprp_device *device);
dprp_module_pick_fn ze_module_pick;
dprp_module_create_fn ze_module_create;
dprp_module_destroy_fn ze_module_destroy;
dprp_module_binary_fn ze_module_binary;
/* Get the ze_module_handle_t. */
dprp_rc ze_module_native(const dprp_module *module, uintptr_t *out);

/* --- ze_kernel.c --- */

dprp_module_kernel_fn ze_kernel_create;
dprp_module_kernel_destroy_fn ze_kernel_destroy;
dprp_module_kernel_info_fn ze_kernel_info;
/* Take a ze_kernel that no other thread uses: an idle or a new ze_kernel. */
dprp_rc ze_kernel_take(dprp_kernel *kernel, struct ze_kernel **out);
void ze_kernel_give(dprp_kernel *kernel, struct ze_kernel *taken);
/* Get a ze_kernel_handle_t that the plugin does not use itself. */
dprp_rc ze_kernel_native(dprp_kernel *kernel, uintptr_t *out);

/* --- ze_launch.c --- */

dprp_queue_launch_fn ze_launch;

#endif
