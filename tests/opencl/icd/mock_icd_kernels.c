/* SPDX-License-Identifier: Apache-2.0 */
/* The mock driver's programs and kernels: known by name, run at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock_objects.h"

static cl_int CL_API_CALL release_program(cl_program program)
{
	if (!mock_put_object(program))
		return CL_SUCCESS;
	mock_release_context(program->context);
	free(program->source);
	free(program);
	return CL_SUCCESS;
}

static cl_int CL_API_CALL release_kernel(cl_kernel kernel)
{
	if (!mock_put_object(kernel))
		return CL_SUCCESS;
	release_program(kernel->program);
	free(kernel);
	return CL_SUCCESS;
}

static cl_program program_new(cl_context context, const char *text, size_t size)
{
	cl_program program = mock_new(context, sizeof(*program));

	program->context = mock_get(context);
	program->source = calloc(1, size + 1);
	if (!program->source)
		abort();
	memcpy(program->source, text, size);
	return program;
}

static cl_program CL_API_CALL create_source(cl_context context, cl_uint n,
	const char **texts, const size_t *sizes, cl_int *err)
{
	(void)n;
	*err = CL_SUCCESS;
	return program_new(context, texts[0], sizes[0]);
}

cl_program CL_API_CALL mock_create_il(cl_context context, const void *il,
	size_t size, cl_int *err)
{
	mock_note("clCreateProgramWithIL\n");
	*err = CL_SUCCESS;
	return program_new(context, il, size);
}

cl_int CL_API_CALL mock_set_constant(cl_program program, cl_uint id,
	size_t size, const void *value)
{
	mock_note("constant %u of %zu bytes: %d\n", (unsigned)id, size,
		*(const unsigned char *)value);
	(void)program;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL build(cl_program program, cl_uint n,
	const cl_device_id *ids, const char *options,
	void(CL_CALLBACK *done)(cl_program, void *), void *user)
{
	(void)n;
	(void)ids;
	(void)done;
	(void)user;
	mock_note("build [%s]\n", options);
	/* This driver refuses options with SPIR-V. */
	if (program->source[0] == 3 && options[0])
		return CL_INVALID_BUILD_OPTIONS;
	program->log = "\n";
	if (strstr(program->source, "#error"))
		program->log = "mock: line 1: #error\n\n";
	/* NVIDIA's assembler refuses what its compiler makes with this flag of
	   a kernel without arguments. */
	if (strstr(program->source, "(void)") &&
		strstr(options, "-cl-kernel-arg-info"))
		program->log = "mock: ptxas fatal: Parsing error near '}'\n";
	return program->log[0] == 'm' ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

static cl_int CL_API_CALL get_build_info(cl_program program, cl_device_id id,
	cl_program_build_info key, size_t room, void *out, size_t *ret)
{
	const char *log = program->log ? program->log : "";

	(void)id;
	if (key != CL_PROGRAM_BUILD_LOG)
		return CL_INVALID_VALUE;
	return mock_put(log, strlen(log) + 1, room, out, ret);
}

static cl_int CL_API_CALL get_program_info(cl_program program,
	cl_program_info key, size_t room, void *out, size_t *ret)
{
	if (key == CL_PROGRAM_CONTEXT)
		return mock_put(&program->context, sizeof(program->context),
			room, out, ret);
	return CL_INVALID_VALUE;
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name,
	cl_int *err)
{
	cl_kernel kernel;

	*err = CL_INVALID_KERNEL_NAME;
	if (strcmp(name, "add") != 0 && strcmp(name, "fail") != 0 &&
		strcmp(name, "lose") != 0 && strcmp(name, "mystery") != 0)
		return NULL;
	*err = CL_SUCCESS;
	kernel = mock_new(program, sizeof(*kernel));
	kernel->program = mock_get(program);
	snprintf(kernel->name, sizeof(kernel->name), "%s", name);
	return kernel;
}

static cl_int CL_API_CALL get_kernel_info(cl_kernel kernel, cl_kernel_info key,
	size_t room, void *out, size_t *ret)
{
	cl_uint n = MOCK_ARGS;

	switch (key) {
	case CL_KERNEL_NUM_ARGS: return mock_put(&n, sizeof(n), room, out, ret);
	case CL_KERNEL_PROGRAM:
		return mock_put(&kernel->program, sizeof(kernel->program), room,
			out, ret);
	case CL_KERNEL_CONTEXT:
		return mock_put(&kernel->program->context, sizeof(cl_context),
			room, out, ret);
	case CL_KERNEL_FUNCTION_NAME:
		return mock_put(kernel->name, strlen(kernel->name) + 1, room,
			out, ret);
	default: return CL_INVALID_VALUE;
	}
}

static cl_int CL_API_CALL get_arg_info(cl_kernel kernel, cl_uint index,
	cl_kernel_arg_info key, size_t room, void *out, size_t *ret)
{
	cl_kernel_arg_address_qualifier space = index ?
		CL_KERNEL_ARG_ADDRESS_PRIVATE : CL_KERNEL_ARG_ADDRESS_GLOBAL;
	const char *type = index ? "uint" : "uint*";

	if (kernel->name[0] == 'm')
		return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
	if (key == CL_KERNEL_ARG_ADDRESS_QUALIFIER)
		return mock_put(&space, sizeof(space), room, out, ret);
	return mock_put(type, strlen(type) + 1, room, out, ret);
}

static cl_int CL_API_CALL get_group_info(cl_kernel kernel, cl_device_id id,
	cl_kernel_work_group_info key, size_t room, void *out, size_t *ret)
{
	size_t most = 64, none[3] = { 0, 0, 0 };

	(void)kernel;
	(void)id;
	if (key == CL_KERNEL_WORK_GROUP_SIZE)
		return mock_put(&most, sizeof(most), room, out, ret);
	if (key == CL_KERNEL_COMPILE_WORK_GROUP_SIZE)
		return mock_put(none, sizeof(none), room, out, ret);
	return CL_INVALID_VALUE;
}

static cl_int CL_API_CALL set_arg(cl_kernel kernel, cl_uint index, size_t size,
	const void *value)
{
	mock_report.set_args++;
	kernel->set[index] = true;
	if (index == 0) {
		cl_mem mem = NULL;

		if (value)
			memcpy(&mem, value, sizeof(mem));
		kernel->memory = mem ? mem->bytes : NULL;
		/* NVIDIA's driver refuses this, too; only the launch reports
		   it. */
		kernel->refused |= kernel->by_address;
		return CL_SUCCESS;
	}
	if (size != sizeof(kernel->value))
		return CL_INVALID_ARG_SIZE;
	memcpy(&kernel->value, value, size);
	return CL_SUCCESS;
}

cl_int CL_API_CALL mock_set_address(cl_kernel kernel, cl_uint index,
	const void *address)
{
	mock_report.set_args++;
	kernel->set[index] = true;
	memcpy(&kernel->memory, &address, sizeof(address));
	kernel->by_address = true;
	return index ? CL_INVALID_ARG_INDEX : CL_SUCCESS;
}

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel,
	cl_uint dims, const size_t *offset, const size_t *global,
	const size_t *local, cl_uint n, const cl_event *list, cl_event *event)
{
	cl_int status = CL_COMPLETE;
	size_t i;

	(void)dims;
	(void)offset;
	if (!kernel->set[0] || !kernel->set[1] || kernel->refused)
		return CL_INVALID_KERNEL_ARGS;
	if (local && (local[0] > 64 || global[0] % local[0]))
		return CL_INVALID_WORK_GROUP_SIZE;
	mock_note("launch %zu by %zu\n", global[0], local ? local[0] : 0);
	if (kernel->name[0] == 'f')
		status = CL_OUT_OF_RESOURCES;
	if (kernel->name[0] == 'l')
		status = CL_DEVICE_NOT_AVAILABLE;
	for (i = 0; status == CL_COMPLETE && i < global[0]; i++)
		((cl_uint *)(void *)kernel->memory)[i] += kernel->value;
	return mock_command(queue, CL_COMMAND_NDRANGE_KERNEL, n, list, event,
		status);
}

void mock_fill_kernels(cl_icd_dispatch *table)
{
	table->clCreateProgramWithSource = create_source;
	table->clBuildProgram = build;
	table->clGetProgramInfo = get_program_info;
	table->clGetProgramBuildInfo = get_build_info;
	table->clCreateKernel = create_kernel;
	table->clGetKernelInfo = get_kernel_info;
	table->clGetKernelArgInfo = get_arg_info;
	table->clGetKernelWorkGroupInfo = get_group_info;
	table->clSetKernelArg = set_arg;
	table->clEnqueueNDRangeKernel = launch;
	table->clReleaseProgram = release_program;
	table->clReleaseKernel = release_kernel;
}
