/* SPDX-License-Identifier: Apache-2.0 */
/* program.h - programs: code that is built for one device. */
#ifndef DPR_PROGRAM_H
#define DPR_PROGRAM_H

#include <dpr/base.h>
#include <dpr/status.h>

DPR_BEGIN_DECLS

/*
 * Code in one of the formats that a device may take: "opencl-c", "spirv",
 * "ptx", "native-<target>", or a vendor's own.  @target narrows it ("sm_60"),
 * or is NULL.  Everything is borrowed for the call, with one exception: the
 * data of a "native-<target>" image, and all that it points to (dpr/backend.h),
 * must stay as long as the program.
 */
typedef struct dpr_image {
	const char *format, *target;
	const void *data;
	size_t size;
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
 * DPR_ERROR_UNSUPPORTED: the device takes none of the images, or it can only
 * copy.  The text names the formats that were offered and those that the device
 * takes.
 * DPR_ERROR_BUILD: the text has the build log.
 * DPR_ERROR_INVALID_ARGUMENT: no images, or one without format or data.
 */
DPR_API DPR_CHECK dpr_status dpr_program_from_images(dpr_queue *queue,
	const dpr_image *images, size_t count, const char *options,
	dpr_program **out);

/*
 * Get the program as the driver's own binary: write up to @capacity bytes into
 * @data, and the size into *@size.  @data NULL only asks for the size.  The
 * binary can be built again, on the same device and driver, as an image of the
 * format that dpr_program_binary_format() names.
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
