/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h - programs: code that is built for one device.
 *
 * A program is built from OpenCL C, or from the best of several images.  Its
 * kernels come from dpr_kernel_create().  For a single kernel from a text,
 * dpr_kernel_from_source() does both, and keeps what it has built.  Programs
 * that were built are also kept on disk (dpr/cache.h).
 */
#ifndef DPR_PROGRAM_H
#define DPR_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include <dpr/base.h>
#include <dpr/status.h>

DPR_BEGIN_DECLS

/*
 * Code in one of the formats that a device may take: "opencl-c", "spirv",
 * "ptx", "native-<target>", or a vendor's own.  @target narrows it ("sm_60"),
 * or is NULL.  A format whose name ends in "-c" is source.
 *
 * "native-<target>" (DPR_NATIVE_FORMAT) is a table of functions of this
 * process, which CPUs call: dpr/native.h makes such an image.  A program with
 * this image and an image in OpenCL C runs on every device.  A device that
 * takes both gets the native image.
 *
 * Everything is borrowed for the call, with one exception: the data of a native
 * image, and all that it points to, must stay as long as the program.
 */
typedef struct dpr_image {
	const char *format; /* its name, such as "opencl-c" */
	const char *target; /* narrows the format; or NULL */
	const void *data; /* the code */
	size_t size; /* bytes of the code */
} dpr_image;

/*
 * Build OpenCL C for @queue's device.  @options are the compiler's, or NULL.
 * Blocks while it builds.  A program that was built before may come from the
 * disk (dpr/cache.h), together with its build log.
 * DPR_ERROR_BUILD: the text has the build log.
 * DPR_ERROR_UNSUPPORTED: the device does not take source.
 * DPR_ERROR_INVALID_ARGUMENT: the source is empty.
 */
DPR_API DPR_CHECK dpr_status dpr_program_from_source(dpr_queue *queue,
	const char *source, const char *options, dpr_program **out);

/*
 * Build the best of @images that @queue's device takes.  Blocks while it
 * builds; may load the program from disk, as dpr_program_from_source().
 * @options are for the compiler of the source among @images, or NULL; if the
 * device takes another image instead, they have no effect.
 * DPR_ERROR_UNSUPPORTED: the device takes none of the images, or it can only
 * copy.  The text names the offered formats and the formats that the device
 * takes.
 * DPR_ERROR_BUILD: the text has the build log.
 * DPR_ERROR_INVALID_ARGUMENT: no images, or one without format or data; or
 * there are @options, but none of the images is source.
 */
DPR_API DPR_CHECK dpr_status dpr_program_from_images(dpr_queue *queue,
	const dpr_image *images, size_t count, const char *options,
	dpr_program **out);

/* What to build a program for, to be ORed. */
typedef enum dpr_build_flags {
	DPR_BUILD_ROUNDED = 1, /* round float division and square root correctly
				*/
	DPR_BUILD_LARGE = 2 /* work with allocations of 4 GiB and more */
} dpr_build_flags;

/*
 * A value for a specialization constant of a SPIR-V image: OpSpecConstant,
 * OpSpecConstantTrue or OpSpecConstantFalse, decorated with SpecId.  The
 * program is compiled with this value instead of the one in the image, as by
 * clSetProgramSpecializationConstant() of OpenCL and the constants of
 * zeModuleCreate() of Level Zero.
 */
typedef struct dpr_spec {
	uint32_t id; /* the SpecId */
	uint32_t size; /* bytes of the constant's type: 1, 2, 4 or 8 */
	const void *value; /* for a bool, one byte: 0 or 1 */
} dpr_spec;

/* The options of dpr_program_build().  Everything is borrowed for the call. */
typedef struct dpr_build_options {
	size_t struct_size; /* sizeof(dpr_build_options) */
	const char *compiler; /* the compiler's options for source, or NULL */
	uint64_t flags; /* enum dpr_build_flags */
	const dpr_spec *spec; /* in any order; NULL: no values */
	size_t n_spec; /* values in spec */
} dpr_build_options;

/*
 * dpr_program_from_images() with flags, which each backend passes to its
 * compiler in its own words, and with values for specialization constants.
 * Constants without a value keep the value in the image.  @options NULL: none.
 * Errors as dpr_program_from_images(), and
 * DPR_ERROR_UNSUPPORTED: the image or the device cannot heed a flag, or values
 * are given and the image that the device takes has no such constants: source,
 * PTX, a driver's binary, native code.  The text says which.
 * DPR_ERROR_INVALID_ARGUMENT: an unknown flag; struct_size is not set; a value
 * is for a constant that the SPIR-V does not have, or has with another size; or
 * two values are for one constant.  The text names the constant.
 */
DPR_API DPR_CHECK dpr_status dpr_program_build(dpr_queue *queue,
	const dpr_image *images, size_t count, const dpr_build_options *options,
	dpr_program **out);

/*
 * Get the program as the driver's own binary: write up to @capacity bytes into
 * @data, and the size into *@size.  @data NULL only asks for the size.  The
 * binary can be built again, on the same device and driver, as an image of the
 * format that dpr_program_binary_format() names.  Options that the program was
 * built with, and that the driver needs again, are in the binary: the backend
 * writes them in front of the driver's bytes.  The values of specialization
 * constants are in the binary too, and are not given again.
 * DPR_ERROR_UNSUPPORTED: the backend has no binaries.
 * DPR_ERROR_INVALID_ARGUMENT: @capacity is too small; *@size is set.
 */
DPR_API DPR_CHECK dpr_status dpr_program_binary(
	const dpr_program *program, void *data, size_t capacity, size_t *size);
/* The format of the binary; "" for NULL.  Lent as long as the program. */
DPR_API const char *dpr_program_binary_format(const dpr_program *program);

/* What the compiler said, "" if nothing.  Lent as long as the program. */
DPR_API const char *dpr_program_log(const dpr_program *program);
/* The device it was built for. */
DPR_API dpr_device *dpr_program_device(const dpr_program *program);
/* Add one reference and return @program.  Never fails. */
DPR_API dpr_program *dpr_program_retain(dpr_program *program);
/* Release one reference.  Its kernels keep the program alive. */
DPR_API void dpr_program_release(dpr_program *program);

DPR_END_DECLS

#endif
