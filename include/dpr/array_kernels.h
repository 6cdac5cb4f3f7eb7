/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array_kernels.h - the kernels of the array functions: which format a device
 * gets them in, and what authors of backends need whose devices have a format of
 * their own.
 *
 * A device that lists none of dpr's formats gets its kernels from files:
 * FOLDER/BACKEND-kernels/FORMAT/NAME.  FOLDER is the plugin's folder, and
 * FORMAT is the first format that the device lists.  The bytes of a file go to
 * the plugin as an image of that format, and the kernel in it has the file's
 * name.  A function whose kernel is missing fails with DPR_ERROR_UNSUPPORTED.
 */
#ifndef DPR_ARRAY_KERNELS_H
#define DPR_ARRAY_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include <dpr/base.h>
#include <dpr/device.h>
#include <dpr/status.h>

DPR_BEGIN_DECLS

/* A kernel.  Strings are lent as long as the list. */
typedef struct dpr_array_kernel {
	const char *name; /* "flat_add_float32": of the kernel and its file */
	const char *parameters; /* in OpenCL C */
	/* What is in the last parameter, which is a struct: 8-byte words, or,
	   with types, the members of a struct of the source. */
	const char *words;
	/* Elements per work-item, which are a work-group's size apart; 0: the
	   source says which.  Work-groups have 256 work-items in one
	   dimension. */
	uint32_t per_item;
	uint32_t reserved; /* 0 */
} dpr_array_kernel;

/*
 * List all kernels that array functions may look for.  Starts no driver.
 *@list is one block, to be freed with dpr_free().
 */
DPR_API DPR_CHECK dpr_status dpr_array_kernels(
	dpr_array_kernel **list, size_t *count);

/*
 * The source of a kernel in OpenCL C 1.2: one text that includes nothing and
 * needs no option.  *@source is to be freed with dpr_free().
 * DPR_ERROR_NOT_FOUND: there is no such kernel.
 */
DPR_API DPR_CHECK dpr_status dpr_array_kernel_source(
	const char *name, char **source);

/*
 * The format in which array functions get their kernels on @device, lent until
 * dpr_finalize(): "native-x86_64" (functions of this process, which need no
 * compiler), "opencl-c" (the driver's compiler builds them), "spirv", "ptx", or
 * a format of the device's own.  NULL: array functions cannot run there.  Asks
 * the driver at the first call.  Any thread may call it.
 */
DPR_API const char *dpr_array_kernel_format(dpr_device *device);

DPR_END_DECLS

#endif
