/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: from OpenCL C, SPIR-V and the driver's own binaries. */
#include <stdio.h>
#include <string.h>

#include "ocl.h"

dprp_rc ocl_module_pick(dprp_device *device, const dprp_image *const *images,
			uint32_t n, uint32_t *best)
{
	const char *const *format = ocl_facts_formats(device);
	uint32_t i;

	for (; *format; format++)
		for (i = 0; i < n; i++)
			if (strcmp(images[i]->format, *format) == 0) {
				*best = i;
				return DPR_RC_OK;
			}
	format = ocl_facts_formats(device);
	return ocl_util_fail(
		device->instance->host, DPR_RC_UNSUPPORTED, 0,
		"the device takes none of the program's formats (the first is "
		"%s); it takes %s%s%s",
		n ? images[0]->format : "missing", format[0],
		format[1] ? ", " : "", format[1] ? format[1] : "");
}

dprp_rc ocl_module_over(dprp_context *context, dprp_device *device,
			cl_program cl, dprp_module **out)
{
	dprp_module *module =
		ocl_util_alloc(context->instance->host, 1, sizeof(*module));

	if (!module)
		return ocl_util_no_memory(context->instance->host, "a program");
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
	module->instance->cl.clReleaseProgram(module->cl);
	ocl_util_free(module->instance->host, module);
}

/* The same binary for every device of the context: they are one kind. */
static cl_program ocl_module_binary_program(dprp_context *context,
					    const dprp_image *image,
					    cl_int *err)
{
	const dprp_host *host = context->instance->host;
	cl_uint i, n = context->n_ids;
	size_t *sizes = ocl_util_alloc(host, n, sizeof(*sizes));
	const unsigned char **data = ocl_util_alloc(host, n, sizeof(*data));
	cl_program program = NULL;

	*err = CL_OUT_OF_HOST_MEMORY;
	for (i = 0; sizes && data && i < n; i++) {
		sizes[i] = image->size;
		data[i] = image->data;
	}
	if (sizes && data)
		program = context->instance->cl.clCreateProgramWithBinary(
			context->cl, n, context->ids, sizes, data, NULL, err);
	ocl_util_free(host, sizes);
	ocl_util_free(host, data);
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
		return ocl_util_fail(host, DPR_RC_UNSUPPORTED, 0,
				     "the device takes no program of format %s",
				     image->format);
	}
	if (*out && !err)
		return DPR_RC_OK;
	*out = NULL;
	return ocl_util_check(host, err ? err : CL_OUT_OF_RESOURCES, call);
}

static dprp_rc ocl_module_specialise(dprp_context *context,
				     const dprp_module_desc *desc,
				     cl_program program)
{
	dprp_instance *instance = context->instance;
	uint32_t i;
	dprp_rc rc = DPR_RC_OK;

	if (desc->n_spec && (strcmp(desc->images[0]->format, "spirv") != 0 ||
			     !ocl_device_has(context->root, 220) ||
			     !instance->cl.clSetProgramSpecializationConstant))
		return ocl_util_fail(
			instance->host, DPR_RC_UNSUPPORTED, 0,
			"specialisation constants need SPIR-V and OpenCL 2.2");
	for (i = 0; i < desc->n_spec && rc == DPR_RC_OK; i++)
		rc = OCL_TRY(instance, clSetProgramSpecializationConstant,
			     program, desc->spec[i].id, desc->spec[i].size,
			     desc->spec[i].value);
	return rc;
}

/* What the compiler says, if anything, to the sink. */
static void ocl_module_log(dprp_context *context, cl_program program,
			   dprp_sink sink)
{
	const struct ocl_api *cl = &context->instance->cl;
	const dprp_host *host = context->instance->host;
	size_t size = 0, end;
	char *text;

	if (!sink.write ||
	    cl->clGetProgramBuildInfo(program, context->ids[0],
				      CL_PROGRAM_BUILD_LOG, 0, NULL, &size))
		return;
	text = ocl_util_alloc(host, size + 1, 1);
	if (!text)
		return;
	if (cl->clGetProgramBuildInfo(program, context->ids[0],
				      CL_PROGRAM_BUILD_LOG, size, text,
				      NULL) == CL_SUCCESS) {
		/* Drivers end it with zero bytes, blanks or neither. */
		end = strlen(text);
		while (end && strchr(" \n\t", text[end - 1]))
			end--;
		if (end) {
			text[end++] = '\n';
			sink.write(sink.user, text, end);
		}
	}
	ocl_util_free(host, text);
}

/* Append to @text those options of @given that change results.  Drivers apply
   some of them when they load a binary; PoCL, for instance,
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

/* The options for the compiler: OpenCL C 1.2 unless @given says otherwise, and
   names of arguments' types, without which a launch cannot be checked. */
static char *ocl_module_options(const dprp_context *context, const char *format,
				const char *given)
{
	const dprp_host *host = context->instance->host;
	bool source = strcmp(format, "opencl-c") == 0;
	size_t room;
	char *text;

	if (!given)
		given = "";
	room = 2 * strlen(given) + 96;
	text = ocl_util_alloc(host, room, 1);
	if (!text)
		return NULL;
	snprintf(text, room, "-cl-kernel-arg-info%s%s%s%s",
		 source && !strstr(given, "-cl-std=") ? " -cl-std=CL1.2" : "",
		 context->root->platform->unoptimised ? " -cl-opt-disable" : "",
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
	char *options = ocl_module_options(context, format, desc->options);
	cl_int err;
	dprp_rc rc;

	if (!options)
		return ocl_util_no_memory(host, "build options");
	err = cl->clBuildProgram(program, 0, NULL, options, NULL, NULL);
	/* The flag belongs to source.  PoCL tells the arguments of a binary
	   only with it; other drivers may refuse it. */
	if (err == CL_INVALID_BUILD_OPTIONS && strcmp(format, "opencl-c") != 0)
		err = cl->clBuildProgram(program, 0, NULL, "", NULL, NULL);
	ocl_module_log(context, program, desc->log);
	rc = ocl_util_check(host, err, "clBuildProgram");
	if (err == CL_INVALID_BUILD_OPTIONS)
		rc = ocl_util_fail(
			host, DPR_RC_BUILD, err,
			"clBuildProgram: %s (%d): the options were \"%.1000s\"",
			ocl_error_name(err), (int)err, options);
	/* Binaries of another device or driver are found out here, too. */
	else if (err && strcmp(format, "opencl-c") != 0 && rc == DPR_RC_NATIVE)
		rc = ocl_util_fail(host, DPR_RC_BUILD, err,
				   "clBuildProgram: %s (%d)",
				   ocl_error_name(err), (int)err);
	ocl_util_free(host, options);
	return rc;
}

dprp_rc ocl_module_create(dprp_context *context, dprp_device *device,
			  const dprp_module_desc *theirs, dprp_module **out)
{
	dprp_instance *instance = context->instance;
	cl_program program = NULL;
	dprp_module_desc desc;
	dprp_image image;
	dprp_rc rc = plugin_struct_take(instance->host, "dprp_module_desc",
					&desc, sizeof(desc), theirs);

	*out = NULL;
	if (rc != DPR_RC_OK)
		return rc;
	if (desc.ext)
		return ocl_util_fail(instance->host, DPR_RC_UNSUPPORTED, 0,
				     "unknown program extension \"%s\"",
				     desc.ext->name ? desc.ext->name : "");
	if (!desc.n_images)
		return ocl_util_fail(instance->host, DPR_RC_INVALID, 0,
				     "a program has no image");
	rc = plugin_struct_take(instance->host, "dprp_image", &image,
				sizeof(image), desc.images[0]);
	if (rc == DPR_RC_OK)
		rc = ocl_module_load(context, device, &image, &program);
	if (rc == DPR_RC_OK)
		rc = ocl_module_specialise(context, &desc, program);
	if (rc == DPR_RC_OK)
		rc = ocl_module_build(context, &desc, program);
	if (rc == DPR_RC_OK)
		rc = ocl_module_over(context, device, program, out);
	if (rc != DPR_RC_OK && program)
		instance->cl.clReleaseProgram(program);
	return rc;
}

/* Hand out the first binary of those that the driver keeps per device. */
dprp_rc ocl_module_binary(dprp_module *module, dprp_sink out)
{
	dprp_instance *instance = module->instance;
	const dprp_host *host = instance->host;
	cl_uint i, n = 0;
	size_t *sizes = NULL;
	unsigned char **data = NULL;
	dprp_rc rc = OCL_TRY(instance, clGetProgramInfo, module->cl,
			     CL_PROGRAM_NUM_DEVICES, sizeof(n), &n, NULL);

	if (rc != DPR_RC_OK)
		return rc;
	sizes = ocl_util_alloc(host, n, sizeof(*sizes));
	data = ocl_util_alloc(host, n, sizeof(*data));
	if (!sizes || !data) {
		rc = ocl_util_no_memory(host, "a program's binary");
		goto out;
	}
	rc = OCL_TRY(instance, clGetProgramInfo, module->cl,
		     CL_PROGRAM_BINARY_SIZES, n * sizeof(*sizes), sizes, NULL);
	for (i = 0; i < n && rc == DPR_RC_OK; i++) {
		data[i] = ocl_util_alloc(host, sizes[i], 1);
		if (!data[i])
			rc = ocl_util_no_memory(host, "a program's binary");
	}
	if (rc == DPR_RC_OK)
		rc = OCL_TRY(instance, clGetProgramInfo, module->cl,
			     CL_PROGRAM_BINARIES, n * sizeof(*data), data,
			     NULL);
	for (i = 0; i < n && rc == DPR_RC_OK; i++)
		if (sizes[i]) {
			out.write(out.user, (const char *)data[i], sizes[i]);
			goto out;
		}
	if (rc == DPR_RC_OK)
		rc = ocl_util_fail(
			host, DPR_RC_UNSUPPORTED, 0,
			"the driver gives no binary of this program");
out:
	for (i = 0; data && i < n; i++)
		ocl_util_free(host, data[i]);
	ocl_util_free(host, data);
	ocl_util_free(host, sizes);
	return rc;
}
