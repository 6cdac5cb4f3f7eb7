/* SPDX-License-Identifier: Apache-2.0 */
/* Programs from OpenCL C, SPIR-V and the driver's own binaries. */
#include <stdio.h>
#include <string.h>

#include "ocl.h"

#define OCL_ROUNDED "-cl-fp32-correctly-rounded-divide-sqrt"

/* Keeps the types of a kernel's arguments. */
#define OCL_KEEP_ARGUMENTS "-cl-kernel-arg-info"

/*
 * A binary that needs options when it is loaded begins with a header: the
 * magic, the options and their zero byte, and more zero bytes up to a multiple
 * of the binary's alignment.  Drivers may expect this alignment.
 */
#define OCL_HEADER_MAGIC "dpr-opt\n"
#define OCL_HEADER_MAGIC_SIZE 8
#define OCL_HEADER_ALIGN 16

dprp_rc ocl_module_pick(dprp_device *device, const dprp_image *const *images,
			uint32_t n, uint32_t *best)
{
	const char *formats[OCL_FORMATS];
	uint32_t i, f;

	ocl_offers_formats(device, formats);
	for (f = 0; formats[f]; f++)
		for (i = 0; i < n; i++)
			if (strcmp(images[i]->format, formats[f]) == 0) {
				*best = i;
				return DPR_RC_OK;
			}
	return dprh_fail(device->instance->host, DPR_RC_UNSUPPORTED, 0,
			 "no image has a format of this device");
}

dprp_rc ocl_module_over(dprp_context *context, dprp_device *device,
			cl_program cl, dprp_module **out)
{
	dprp_module *module =
		dprh_alloc(context->instance->host, 1, sizeof(*module));

	if (!module)
		return dprh_no_memory(context->instance->host, "a program");
	module->instance = context->instance;
	module->context = context;
	module->device = device;
	module->cl = cl;
	*out = module;
	return DPR_RC_OK;
}

void ocl_module_destroy(dprp_module *module)
{
	if (!module)
		return;
	if (module->cl)
		module->instance->cl.clReleaseProgram(module->cl);
	dprh_free(module->instance->host, module->options);
	dprh_free(module->instance->host, module);
}

/* Make a program from a binary.  Every device of the context gets the same
   binary: they are of one kind. */
static cl_program ocl_module_binary_program(dprp_context *context,
					    const dprp_image *image,
					    cl_int *err)
{
	const dprp_host *host = context->instance->host;
	cl_uint i, n = context->n_ids;
	size_t *sizes = dprh_alloc(host, n, sizeof(*sizes));
	const unsigned char **data = dprh_alloc(host, n, sizeof(*data));
	cl_program program = NULL;

	*err = CL_OUT_OF_HOST_MEMORY;
	for (i = 0; sizes && data && i < n; i++) {
		sizes[i] = image->size;
		data[i] = image->data;
	}
	if (sizes && data)
		program = context->instance->cl.clCreateProgramWithBinary(
			context->cl, n, context->ids, sizes, data, NULL, err);
	dprh_free(host, sizes);
	dprh_free(host, data);
	return program;
}

static dprp_rc ocl_module_load(dprp_context *context, dprp_device *device,
			       const dprp_image *image, cl_program *out)
{
	const struct ocl_api *cl = &context->instance->cl;
	const dprp_host *host = context->instance->host;
	const char *source = image->data;
	size_t length = image->size;
	const char *call;
	cl_int err = CL_SUCCESS;

	*out = NULL;
	if (strcmp(image->format, "opencl-c") == 0) {
		call = "clCreateProgramWithSource";
		*out = cl->clCreateProgramWithSource(context->cl, 1, &source,
						     &length, &err);
	} else if (strcmp(image->format, "spirv") == 0 &&
		   ocl_facts_spirv(device)) {
		call = "clCreateProgramWithIL";
		*out = cl->clCreateProgramWithIL(context->cl, image->data,
						 image->size, &err);
	} else if (strcmp(image->format, "opencl-binary") == 0) {
		call = "clCreateProgramWithBinary";
		*out = ocl_module_binary_program(context, image, &err);
	} else {
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
				 "the device takes no program of format %s",
				 image->format);
	}
	if (*out && !err)
		return DPR_RC_OK;
	*out = NULL;
	return ocl_error_check(host, err ? err : CL_OUT_OF_RESOURCES, call);
}

static dprp_rc ocl_module_specialize(dprp_context *context,
				     const dprp_module_desc *desc,
				     cl_program program)
{
	dprp_instance *instance = context->instance;
	uint32_t i;
	dprp_rc rc = DPR_RC_OK;

	if (desc->n_spec && strcmp(desc->images[0]->format, "spirv") != 0)
		return dprh_fail(
			instance->host, DPR_RC_UNSUPPORTED, 0,
			"the device uses the program's image of format %s, "
			"which has no specialization constants: give only "
			"SPIR-V",
			desc->images[0]->format);
	if (desc->n_spec && (!ocl_device_has(context->root, 220) ||
			     !instance->cl.clSetProgramSpecializationConstant))
		return dprh_fail(
			instance->host, DPR_RC_UNSUPPORTED, 0,
			"specialization constants need a driver and an ICD "
			"loader of OpenCL 2.2 or newer");
	for (i = 0; i < desc->n_spec && rc == DPR_RC_OK; i++)
		rc = OCL_TRY(instance, clSetProgramSpecializationConstant,
			     program, desc->spec[i].id, desc->spec[i].size,
			     desc->spec[i].value);
	return rc;
}

/* Returns the compiler's log, for the caller to free, or NULL without one. */
static char *ocl_module_read_log(dprp_context *context, cl_program program)
{
	const struct ocl_api *cl = &context->instance->cl;
	const dprp_host *host = context->instance->host;
	size_t size = 0;
	char *text;

	if (cl->clGetProgramBuildInfo(program, context->ids[0],
				      CL_PROGRAM_BUILD_LOG, 0, NULL, &size))
		return NULL;
	text = dprh_alloc(host, size + 2, 1);
	if (text && cl->clGetProgramBuildInfo(program, context->ids[0],
					      CL_PROGRAM_BUILD_LOG, size, text,
					      NULL) == CL_SUCCESS)
		return text;
	dprh_free(host, text);
	return NULL;
}

/* Pass the compiler's log, if there is one, to the sink. */
static void ocl_module_log(dprp_context *context, cl_program program,
			   dprp_sink sink)
{
	char *text = sink.write ? ocl_module_read_log(context, program) : NULL;
	size_t end;

	if (!text)
		return;
	/* Some drivers end the log with zero bytes or blanks. */
	end = strlen(text);
	while (end && strchr(" \n\t", text[end - 1]))
		end--;
	if (end) {
		text[end++] = '\n';
		sink.write(sink.user, text, end);
	}
	dprh_free(context->instance->host, text);
}

/* Returns whether the build failed in NVIDIA's assembler, which users cannot
   have caused by OpenCL C. */
static bool ocl_module_assembler_failed(dprp_context *context,
					cl_program program)
{
	char *text = ocl_module_read_log(context, program);
	bool failed = text && strstr(text, "ptxas");

	dprh_free(context->instance->host, text);
	return failed;
}

/* The size of a header for options of @length bytes. */
static size_t ocl_header_size(size_t length)
{
	size_t size = OCL_HEADER_MAGIC_SIZE + length + 1;

	return (size + OCL_HEADER_ALIGN - 1) / OCL_HEADER_ALIGN *
	       OCL_HEADER_ALIGN;
}

/* Remove the header of a binary, if it has one.  *@options gets its options. */
static dprp_rc ocl_header_take(const dprp_host *host, dprp_image *image,
			       const char **options)
{
	const char *bytes = image->data, *end;
	size_t size;

	if (strcmp(image->format, "opencl-binary") != 0)
		return DPR_RC_OK;
	*options = NULL;
	if (image->size < OCL_HEADER_MAGIC_SIZE ||
	    memcmp(bytes, OCL_HEADER_MAGIC, OCL_HEADER_MAGIC_SIZE) != 0)
		return DPR_RC_OK;
	*options = bytes + OCL_HEADER_MAGIC_SIZE;
	end = memchr(*options, 0, image->size - OCL_HEADER_MAGIC_SIZE);
	size = end ? ocl_header_size((size_t)(end - *options)) : image->size;
	if (size >= image->size)
		return dprh_fail(host, DPR_RC_INVALID, 0,
				 "the binary is cut off: it has %zu bytes",
				 (size_t)image->size);
	image->data = bytes + size;
	image->size -= size;
	return DPR_RC_OK;
}

static void ocl_header_put(const char *options, dprp_sink out)
{
	static const char zeros[OCL_HEADER_ALIGN];
	size_t length = strlen(options);

	out.write(out.user, OCL_HEADER_MAGIC, OCL_HEADER_MAGIC_SIZE);
	out.write(out.user, options, length);
	out.write(out.user, zeros,
		  ocl_header_size(length) - OCL_HEADER_MAGIC_SIZE - length);
}

/* Append to @text those options of @given that change results.  Drivers apply
   some of these when they load a binary: PoCL does so with
   -cl-denorms-are-zero. */
static void ocl_options_of_binary(char *text, const char *given)
{
	size_t word;

	for (given += strspn(given, " \t\n"); *given;
	     given += strspn(given, " \t\n")) {
		word = strcspn(given, " \t\n");
		if (strncmp(given, "-cl-", 4) == 0 &&
		    strncmp(given, "-cl-std=", 8) != 0) {
			strcat(text, " ");
			strncat(text, given, word);
		}
		given += word;
	}
}

/* Keep those options of @given that a binary of @module needs. */
static dprp_rc ocl_module_keep_options(dprp_module *module, const char *given)
{
	const dprp_host *host = module->instance->host;

	if (!given || !strstr(given, "-cl-"))
		return DPR_RC_OK;
	module->options = dprh_alloc(host, 2 * strlen(given) + 2, 1);
	if (!module->options)
		return dprh_no_memory(host, "build options");
	ocl_options_of_binary(module->options, given);
	if (!*module->options) {
		dprh_free(host, module->options);
		module->options = NULL;
	}
	return DPR_RC_OK;
}

/* Make the options for the compiler.  They include OpenCL C 1.2, unless @given
   has another version, and the flag that keeps the types of arguments, without
   which launches cannot be checked.  Programs need no option to use allocations
   of 4 GiB and more. */
static char *ocl_module_options(const dprp_context *context, const char *format,
				const char *given, uint64_t flags)
{
	const dprp_host *host = context->instance->host;
	bool source = strcmp(format, "opencl-c") == 0;
	size_t room;
	char *text;

	if (!given)
		given = "";
	room = 2 * strlen(given) + 160;
	text = dprh_alloc(host, room, 1);
	if (!text)
		return NULL;
	snprintf(text, room, OCL_KEEP_ARGUMENTS "%s%s%s%s%s",
		 source && !strstr(given, "-cl-std=") ? " -cl-std=CL1.2" : "",
		 context->root->platform->unoptimised ? " -cl-opt-disable" : "",
		 flags & DPRP_BUILD_ROUNDED ? " " OCL_ROUNDED : "",
		 source && *given ? " " : "", source ? given : "");
	if (strcmp(format, "opencl-binary") == 0)
		ocl_options_of_binary(text, given);
	return text;
}

static dprp_rc ocl_module_build(dprp_context *context,
				const dprp_module_desc *desc,
				cl_program program)
{
	const dprp_host *host = context->instance->host;
	const struct ocl_api *cl = &context->instance->cl;
	const char *format = desc->images[0]->format;
	char *options =
		ocl_module_options(context, format, desc->options, desc->flags);
	bool rounds = strcmp(format, "spirv") == 0 &&
		      desc->flags & DPRP_BUILD_ROUNDED;
	cl_int err;
	dprp_rc rc;

	if (!options)
		return dprh_no_memory(host, "build options");
	err = cl->clBuildProgram(program, 0, NULL, options, NULL, NULL);
	/* The flag -cl-kernel-arg-info is meant for source.  PoCL needs it to
	   report the arguments of a binary, too; other drivers may refuse it
	   there. */
	if (err == CL_INVALID_BUILD_OPTIONS && strcmp(format, "opencl-c") != 0)
		err = cl->clBuildProgram(program, 0, NULL,
					 rounds ? OCL_ROUNDED : "", NULL, NULL);
	/* With this flag NVIDIA's compiler makes PTX that its assembler refuses
	   if a kernel has no argument.  Without the flag the arguments of this
	   program are not checked. */
	else if (err == CL_BUILD_PROGRAM_FAILURE &&
		 ocl_module_assembler_failed(context, program))
		err = cl->clBuildProgram(program, 0, NULL,
					 options + strlen(OCL_KEEP_ARGUMENTS),
					 NULL, NULL);
	ocl_module_log(context, program, desc->log);
	rc = ocl_error_check(host, err, "clBuildProgram");
	if (err == CL_INVALID_BUILD_OPTIONS && rounds)
		rc = dprh_fail(host, DPR_RC_UNSUPPORTED, err,
			       "the driver takes no " OCL_ROUNDED
			       " for SPIR-V");
	else if (err == CL_INVALID_BUILD_OPTIONS)
		rc = dprh_fail(
			host, DPR_RC_BUILD, err,
			"clBuildProgram: %s (%d): the options were \"%.1000s\"",
			ocl_error_name(err), (int)err, options);
	/* Binaries of another device or driver are refused here, too. */
	else if (err && strcmp(format, "opencl-c") != 0 && rc == DPR_RC_NATIVE)
		rc = dprh_fail(host, DPR_RC_BUILD, err,
			       "clBuildProgram: %s (%d)", ocl_error_name(err),
			       (int)err);
	dprh_free(host, options);
	return rc;
}

/* Check that the device supports the flags, for a program of any format. */
static dprp_rc ocl_module_check_flags(dprp_context *context, uint64_t flags)
{
	const struct ocl_api *cl = &context->instance->cl;
	const dprp_host *host = context->instance->host;
	cl_device_id id = context->root->id;
	cl_device_fp_config config = 0;
	cl_uint bits = 0;

	if (flags & DPRP_BUILD_ROUNDED &&
	    (cl->clGetDeviceInfo(id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(config),
				 &config, NULL) ||
	     !(config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)))
		return dprh_fail(
			host, DPR_RC_UNSUPPORTED, 0,
			"the device does not round float division correctly");
	if (flags & DPRP_BUILD_LARGE &&
	    (cl->clGetDeviceInfo(id, CL_DEVICE_ADDRESS_BITS, sizeof(bits),
				 &bits, NULL) ||
	     bits < 64))
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
				 "the device has addresses of %u bits, and no "
				 "allocations of 4 GiB",
				 (unsigned)bits);
	return DPR_RC_OK;
}

dprp_rc ocl_module_create(dprp_context *context, dprp_device *device,
			  const dprp_module_desc *theirs, dprp_module **out)
{
	dprp_instance *instance = context->instance;
	cl_program program = NULL;
	dprp_module_desc desc;
	dprp_image image;
	dprp_rc rc = dprh_take_module(instance->host, theirs, &desc, &image);

	*out = NULL;
	if (rc == DPR_RC_OK)
		rc = ocl_module_check_flags(context, desc.flags);
	if (rc == DPR_RC_OK)
		rc = ocl_header_take(instance->host, &image, &desc.options);
	if (rc == DPR_RC_OK)
		rc = ocl_module_load(context, device, &image, &program);
	if (rc == DPR_RC_OK)
		rc = ocl_module_specialize(context, &desc, program);
	if (rc == DPR_RC_OK)
		rc = ocl_module_build(context, &desc, program);
	if (rc == DPR_RC_OK)
		rc = ocl_module_over(context, device, program, out);
	if (rc != DPR_RC_OK) {
		if (program)
			instance->cl.clReleaseProgram(program);
		return rc;
	}
	rc = ocl_module_keep_options(*out, desc.options);
	if (rc != DPR_RC_OK) {
		ocl_module_destroy(*out);
		*out = NULL;
	}
	return rc;
}

/* Pass the program's binary to the sink.  The driver has one for each device;
   the first one is passed. */
dprp_rc ocl_module_binary(dprp_module *module, dprp_sink out)
{
	dprp_instance *instance = module->instance;
	const dprp_host *host = instance->host;
	cl_uint i, n = 0;
	size_t *sizes = NULL;
	unsigned char **data = NULL;
	dprp_rc rc;

	if (module->native)
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
				 "native kernels have no binary");
	rc = OCL_TRY(instance, clGetProgramInfo, module->cl,
		     CL_PROGRAM_NUM_DEVICES, sizeof(n), &n, NULL);
	if (rc != DPR_RC_OK)
		return rc;
	sizes = dprh_alloc(host, n, sizeof(*sizes));
	data = dprh_alloc(host, n, sizeof(*data));
	if (!sizes || !data) {
		rc = dprh_no_memory(host, "a program's binary");
		goto out;
	}
	rc = OCL_TRY(instance, clGetProgramInfo, module->cl,
		     CL_PROGRAM_BINARY_SIZES, n * sizeof(*sizes), sizes, NULL);
	for (i = 0; i < n && rc == DPR_RC_OK; i++) {
		data[i] = dprh_alloc(host, sizes[i], 1);
		if (!data[i])
			rc = dprh_no_memory(host, "a program's binary");
	}
	if (rc == DPR_RC_OK)
		rc = OCL_TRY(instance, clGetProgramInfo, module->cl,
			     CL_PROGRAM_BINARIES, n * sizeof(*data), data,
			     NULL);
	for (i = 0; i < n && rc == DPR_RC_OK; i++)
		if (sizes[i]) {
			if (module->options)
				ocl_header_put(module->options, out);
			out.write(out.user, (const char *)data[i], sizes[i]);
			goto out;
		}
	if (rc == DPR_RC_OK)
		rc = dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			       "the driver gives no binary of this program");
out:
	for (i = 0; data && i < n; i++)
		dprh_free(host, data[i]);
	dprh_free(host, data);
	dprh_free(host, sizes);
	return rc;
}
