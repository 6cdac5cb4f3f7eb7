/* SPDX-License-Identifier: Apache-2.0 */
/* mock_module.c - modules, their kernels, and launches. */
#include "tests/plugins/mock/mock_impl.h"

#include <stdio.h>
#include <string.h>

#define MOCK_BINARY MOCK_NAME "-binary"

static dprp_rc mock_pick(dprp_device *device, const dprp_image *const *images,
			 uint32_t n, uint32_t *best)
{
	const struct mock_options *o = &device->instance->options;
	uint32_t f, i;

	MOCK_ENTER(device->instance, MOCK_module_pick);
	for (i = 0; i < n; i++)
		if (!strcmp(images[i]->format, MOCK_BINARY)) {
			*best = i;
			return DPR_RC_OK;
		}
	for (f = 0; f < o->n_formats; f++)
		for (i = 0; i < n; i++)
			if (!strcmp(images[i]->format, o->formats[f])) {
				*best = i;
				return DPR_RC_OK;
			}
	return mock_fail(device->instance, DPR_RC_UNSUPPORTED,
			 MOCK_NAME
			 ": module: no image has a format of this device");
}

static void mock_log(const dprp_module_desc *desc, const char *text)
{
	if (desc->log.write)
		desc->log.write(desc->log.user, text, strlen(text));
}

/* Set @known of the kernels whose names are in @text after @before, each
   followed by a character of @after or by the end of the text.  Returns whether
   there are any. */
static bool mock_names_in(const char *text, const char *before,
			  const char *after, bool *known)
{
	const char *at, *end;
	bool any = false;
	char name[64];
	size_t i;

	for (i = 0; i < mock_n_kernels; i++) {
		snprintf(name, sizeof(name), "%s%s", before,
			 mock_kernels[i].name);
		for (at = strstr(text, name); at; at = strstr(at + 1, name)) {
			end = at + strlen(name);
			if ((at == text || *before || strchr(after, at[-1])) &&
			    (!*end || strchr(after, *end)))
				any = known[i] = true;
		}
	}
	return any;
}

static dprp_rc mock_build(dprp_module *module, const dprp_module_desc *desc)
{
	const dprp_image *image = desc->images[0];
	char *text = mock_alloc(module->instance, (size_t)image->size + 1);
	const char *error;
	dprp_rc rc = DPR_RC_OK;
	bool any;
	size_t i;

	if (!text)
		return DPR_RC_OOM_HOST;
	memcpy(text, image->data, (size_t)image->size);
	/* SPIR-V ends strings with zeros: turn them into line breaks. */
	for (i = 0; !strcmp(image->format, "spirv") && i < image->size; i++)
		if (!text[i])
			text[i] = '\n';
	error = strstr(text, "#error ");
	if (desc->options && strstr(desc->options, "-Wall"))
		mock_log(desc, "mock: warning: this is a mock\n");
	if (!strcmp(image->format, "opencl-c"))
		any = mock_names_in(text, "kernel void ", "( \t\n",
				    module->known);
	else
		any = mock_names_in(text, "", " \t\n", module->known);
	if (error) {
		mock_log(desc, "mock: error: ");
		mock_log(desc, error + strlen("#error "));
		rc = DPR_RC_BUILD;
	} else if (!any) {
		mock_log(desc, "mock: error: no kernel that the mock knows\n");
		rc = DPR_RC_BUILD;
	}
	mock_free(module->instance, text);
	if (rc)
		mock_fail(module->instance, rc,
			  MOCK_NAME ": module: it does not build");
	return rc;
}

static dprp_rc mock_check_build(dprp_instance *instance,
				const dprp_module_desc *desc)
{
	uint64_t left = desc->flags & ~instance->options.build;
	const char *format = desc->images[0]->format;

	if (mock_lie(MOCK_LIE_BUILD)) {
		mock_log(desc, "mock: error: nothing builds\n");
		return mock_fail(instance, DPR_RC_BUILD,
				 MOCK_NAME ": module: it does not build");
	}
	if (left)
		return mock_fail(instance, DPR_RC_UNSUPPORTED,
				 MOCK_NAME ": module: flags 0x%llx",
				 (unsigned long long)left);
	if (desc->n_spec && strcmp(format, "mock") && strcmp(format, "spirv"))
		return mock_fail(instance, DPR_RC_UNSUPPORTED,
				 MOCK_NAME
				 ": module: %s has no specialization constants",
				 format);
	if (desc->options && strcmp(format, "opencl-c"))
		return mock_fail(instance, DPR_RC_INVALID,
				 MOCK_NAME ": module: options for %s", format);
	return DPR_RC_OK;
}

static dprp_rc mock_module_create(dprp_context *context, dprp_device *device,
				  const dprp_module_desc *desc,
				  dprp_module **out)
{
	dprp_instance *instance = context->instance;
	const dprp_image *image = desc->images[0];
	const dprp_native_module *native = image->data;
	dprp_module *module;
	dprp_rc rc;

	*out = NULL;
	MOCK_ENTER(instance, MOCK_module_create);
	MOCK_KNOWN(instance, desc);
	mock_note_create(desc);
	rc = mock_device_check(device, "module");
	if (!rc)
		rc = mock_check_build(instance, desc);
	if (rc)
		return rc;
	if (desc->ext)
		return mock_fail(instance, DPR_RC_UNSUPPORTED,
				 MOCK_NAME ": module: no extension");
	module = mock_alloc(instance, sizeof(*module));
	if (!module)
		return DPR_RC_OOM_HOST;
	module->instance = instance;
	if (strcmp(image->format, DPRP_NATIVE_FORMAT)) {
		rc = mock_build(module, desc);
	} else if (image->size < sizeof(*native) ||
		   native->struct_size < sizeof(*native)) {
		rc = mock_fail(instance, DPR_RC_INVALID,
			       MOCK_NAME
			       ": module: the native image is too short");
	} else {
		module->native = native;
	}
	if (rc) {
		mock_free(instance, module);
		return rc;
	}
	mock_born(MOCK_MODULE, 1);
	*out = module;
	return DPR_RC_OK;
}

static void mock_module_destroy(dprp_module *module)
{
	mock_count(MOCK_module_destroy);
	mock_wait_idle(module->instance, NULL);
	mock_born(MOCK_MODULE, -1);
	mock_free(module->instance, module);
}

#ifndef MOCK_BARE
static dprp_rc mock_module_binary(dprp_module *module, dprp_sink out)
{
	size_t i;

	MOCK_ENTER(module->instance, MOCK_module_binary);
	if (module->native)
		return mock_fail(module->instance, DPR_RC_UNSUPPORTED,
				 MOCK_NAME
				 ": module: a native one has no binary");
	for (i = 0; i < mock_n_kernels; i++)
		if (module->known[i]) {
			out.write(out.user, mock_kernels[i].name,
				  strlen(mock_kernels[i].name));
			out.write(out.user, "\n", 1);
		}
	return DPR_RC_OK;
}
#endif

static dprp_rc mock_module_kernel(dprp_module *module, const char *name,
				  dprp_kernel **out)
{
	dprp_kernel found = { .instance = module->instance }, *kernel;
	size_t i;

	*out = NULL;
	MOCK_ENTER(module->instance, MOCK_module_kernel);
	for (i = 0; module->native && i < module->native->n_kernels; i++)
		if (!strcmp(module->native->kernels[i].name, name))
			found.native = &module->native->kernels[i];
	for (i = 0; !module->native && i < mock_n_kernels; i++)
		if (module->known[i] && !strcmp(mock_kernels[i].name, name))
			found.kernel = &mock_kernels[i];
	if (!found.native && !found.kernel)
		return mock_fail(module->instance, DPR_RC_INVALID,
				 MOCK_NAME ": kernel: the module has no %s",
				 name);
	kernel = mock_alloc(module->instance, sizeof(*kernel));
	if (!kernel)
		return DPR_RC_OOM_HOST;
	*kernel = found;
	mock_born(MOCK_KERNEL, 1);
	*out = kernel;
	return DPR_RC_OK;
}

static void mock_kernel_destroy(dprp_kernel *kernel)
{
	mock_count(MOCK_module_kernel_destroy);
	mock_wait_idle(kernel->instance, NULL);
	mock_born(MOCK_KERNEL, -1);
	mock_free(kernel->instance, kernel);
}

static const dprp_param *mock_params(const dprp_kernel *kernel, uint32_t *n)
{
	*n = kernel->native ? kernel->native->n_params
			    : kernel->kernel->n_params;
	return kernel->native ? kernel->native->params : kernel->kernel->params;
}

/* Answer the parameters; with SIZES=1, as a driver that knows only sizes. */
static dprp_rc mock_tell_params(dprp_kernel *kernel, void *buffer,
				size_t capacity, size_t *need)
{
	dprp_param told[MOCK_MAX_ARGS];
	const dprp_param *params;
	uint32_t i, n;
	dprp_rc rc;

	params = mock_params(kernel, &n);
	for (i = 0; i < n && i < MOCK_MAX_ARGS; i++) {
		told[i] = params[i];
		if (kernel->instance->options.sizes)
			told[i].kind = DPRP_ARG_UNKNOWN;
	}
	rc = mock_answer(kernel->instance, told, i * sizeof(*told), buffer,
			 capacity, need);
	if (buffer)
		*need += mock_lie(MOCK_LIE_PARAMS);
	return rc;
}

static dprp_rc mock_kernel_info(dprp_kernel *kernel, dprp_device *device,
				uint32_t key, void *buffer, size_t capacity,
				size_t *need)
{
	uint64_t v[3] = { 0, 0, 0 };

	(void)device;
	MOCK_ENTER(kernel->instance, MOCK_module_kernel_info);
	switch (key) {
	case DPRP_KERNEL_PARAMS:
		return mock_tell_params(kernel, buffer, capacity, need);
	case DPRP_KERNEL_MAX_WORK_GROUP: v[0] = 1024; break;
	case DPRP_KERNEL_PREFERRED_MULTIPLE: v[0] = 8; break;
	case DPRP_KERNEL_LOCAL_SIZE: v[0] = MOCK_LOCAL_SIZE; break;
	case DPRP_KERNEL_COMPILES_LATE:
		v[0] = kernel->instance->options.late;
		break;
	case DPRP_KERNEL_REQUIRED_LOCAL:
		return mock_answer(kernel->instance, v, sizeof(v), buffer,
				   capacity, need);
	default:
		return mock_fail(kernel->instance, DPR_RC_UNSUPPORTED,
				 MOCK_NAME ": kernel info: no key %u", key);
	}
	return mock_answer(kernel->instance, v, sizeof(v[0]), buffer, capacity,
			   need);
}

uint64_t mock_launch_bytes(const dprp_launch *launch)
{
	uint64_t bytes = 0;
	uint32_t i;

	for (i = 0; i < launch->n_args; i++)
		if (launch->args[i].kind != DPRP_ARG_MEM)
			bytes += (launch->args[i].size + 63) & ~UINT64_C(63);
	return bytes;
}

/* The reason why an argument does not fit its parameter, or NULL. */
static const char *mock_arg_wrong(const dprp_arg *arg, const dprp_param *param,
				  dprp_device *device)
{
	const struct mock_options *o = &device->instance->options;
	const dprp_mem *mem = arg->u.m.mem;

	if (arg->kind != param->kind)
		return "is of another kind";
	if (arg->kind == DPRP_ARG_VALUE && param->size &&
	    arg->size != param->size)
		return "is of another size";
	if (arg->kind != DPRP_ARG_MEM)
		return NULL;
	if (arg->u.m.offset > mem->size)
		return "starts behind its memory";
	if (arg->u.m.offset % o->offset_align)
		return "has an offset that is not aligned as OFFSET_ALIGN says";
	if (mem->root != device->root)
		return "is memory of another device";
	return NULL;
}

static void mock_launch_range(struct mock_command *command,
			      const dprp_launch *launch)
{
	uint32_t d;

	for (d = 0; d < 3; d++) {
		command->global[d] = d < launch->dims ? launch->global[d] : 1;
		command->local[d] = d < launch->dims ? launch->local[d] : 1;
		if (!command->local[d])
			command->local[d] = d ? 1 : 64;
		if (!launch->local[0] && !d)
			command->global[0] =
				(command->global[0] + 63) / 64 * 64;
	}
}

dprp_rc mock_launch_fill(struct mock_command *command, dprp_device *device,
			 dprp_kernel *kernel, const dprp_launch *launch)
{
	unsigned char *values = command->values;
	const dprp_param *params;
	const dprp_arg *arg;
	const char *wrong;
	uint32_t i, n;

	params = mock_params(kernel, &n);
	if (n != launch->n_args || n > MOCK_MAX_ARGS)
		return mock_fail(device->instance, DPR_RC_INVALID,
				 MOCK_NAME
				 ": launch: %u arguments for %u parameters",
				 launch->n_args, n);
	if (launch->ext || !launch->dims || launch->dims > 3 ||
	    launch->flags & ~(uint64_t)DPRP_LAUNCH_BRIEF)
		return mock_fail(device->instance, DPR_RC_UNSUPPORTED,
				 MOCK_NAME
				 ": launch: dimensions, flags or extension");
	for (i = 0; i < n; i++) {
		arg = &launch->args[i];
		wrong = mock_arg_wrong(arg, &params[i], device);
		if (wrong)
			return mock_fail(device->instance, DPR_RC_INVALID,
					 MOCK_NAME ": launch: argument %u %s",
					 i, wrong);
		command->args[i] = &command->pointers[i];
		if (arg->kind == DPRP_ARG_MEM) {
			command->pointers[i] =
				arg->u.m.mem->bytes + arg->u.m.offset;
			continue;
		}
		if (arg->kind == DPRP_ARG_VALUE) {
			memcpy(values, arg->u.value, (size_t)arg->size);
			command->args[i] = values;
		} else {
			command->pointers[i] = values;
		}
		values += (arg->size + 63) & ~UINT64_C(63);
	}
	command->n_args = n;
	command->kernel = kernel->kernel;
	command->native = kernel->native;
	mock_launch_range(command, launch);
	return DPR_RC_OK;
}

const dprp_module_ops mock_module_ops = {
	.struct_size = sizeof(dprp_module_ops),
	.pick = mock_pick,
	.create = mock_module_create,
	.destroy = mock_module_destroy,
#ifndef MOCK_BARE
	.binary = mock_module_binary,
#endif
	.kernel = mock_module_kernel,
	.kernel_destroy = mock_kernel_destroy,
	.kernel_info = mock_kernel_info,
};
