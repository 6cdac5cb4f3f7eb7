/* SPDX-License-Identifier: Apache-2.0 */
/* zecpu_kernel.c - kernels, their arguments, and the checks of a launch. */
#include "zecpu_impl.h"

#include <stdlib.h>
#include <string.h>

#define MAX_GROUP 256

/* An extension that is newer than the header. */
#define GROUP_PROPERTIES 0x00010013
struct group_properties {
	ze_structure_type_t type;
	void *next;
	uint32_t size;
};

/* Begin to use the kernel.  The lock is held because a misuse by a second
   thread is recorded under it. */
static void hold(struct kernel *kernel)
{
	zecpu_object_hold(kernel);
	pthread_mutex_lock(&zecpu.lock);
}

static void drop(struct kernel *kernel)
{
	pthread_mutex_unlock(&zecpu.lock);
	zecpu_object_drop(kernel);
}

static size_t slot(size_t size)
{
	return (size + 15) / 16 * 16;
}

/* Allocate room for the arguments' values. */
static bool make_arguments(struct kernel *kernel)
{
	const struct kernel_info *info = kernel->info;
	uint32_t i;

	kernel->given = calloc(info->n_arguments + 1, sizeof(bool));
	kernel->offsets = calloc(info->n_arguments + 1, sizeof(size_t));
	if (!kernel->given || !kernel->offsets)
		return false;
	for (i = 0; i < info->n_arguments; i++) {
		kernel->offsets[i] = kernel->values_size;
		kernel->values_size += info->arguments[i].kind == ARGUMENT_LOCAL
					       ? 16
					       : slot(info->arguments[i].size);
	}
	kernel->values = calloc(1, kernel->values_size + 1);
	return kernel->values != NULL;
}

static void free_parts(struct kernel *kernel)
{
	free(kernel->given);
	free(kernel->offsets);
	free(kernel->values);
}

static const struct kernel_info *find_info(const struct module *module,
					   const char *name)
{
	uint32_t i;

	for (i = 0; i < module->spirv->n_kernels; i++)
		if (strcmp(module->spirv->kernels[i].name, name) == 0)
			return &module->spirv->kernels[i];
	return NULL;
}

ze_result_t ZE_APICALL zecpu_zeKernelCreate(ze_module_handle_t handle,
					    const ze_kernel_desc_t *desc,
					    ze_kernel_handle_t *out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeKernelCreate);
	struct module *module = (struct module *)handle;
	const struct kernel_info *info;
	struct kernel *kernel;
	int i;

	if (result || !zecpu_object_is(module, KIND_MODULE, &result) ||
	    !zecpu_check_type(desc, ZE_STRUCTURE_TYPE_KERNEL_DESC, &result) ||
	    !zecpu_check_pointer(desc->pKernelName, "pKernelName", &result) ||
	    !zecpu_check_pointer(out, "phKernel", &result))
		return result;
	info = find_info(module, desc->pKernelName);
	if (!info)
		return ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
	kernel = zecpu_object_new(sizeof(*kernel), KIND_KERNEL);
	if (!kernel)
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	kernel->module = module;
	kernel->info = info;
	if (!make_arguments(kernel)) {
		free_parts(kernel);
		zecpu_object_end(kernel);
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	}
	for (i = 0; i < 3; i++)
		kernel->size[i] = info->required[i] ? info->required[i] : 1;
	kernel->sized = info->required[0] != 0;
	pthread_mutex_lock(&zecpu.lock);
	module->live++;
	pthread_mutex_unlock(&zecpu.lock);
	*out = (ze_kernel_handle_t)kernel;
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeKernelDestroy(ze_kernel_handle_t handle)
{
	ze_result_t result = zecpu_enter(ENTRY_zeKernelDestroy);
	struct kernel *kernel = (struct kernel *)handle;

	if (result || !zecpu_object_is(kernel, KIND_KERNEL, &result))
		return result;
	hold(kernel);
	if (kernel->users)
		zecpu_misuse(ZE_RESULT_SUCCESS,
			     "the kernel %s is destroyed while %u launches of "
			     "it are not over",
			     kernel->info->name, kernel->users);
	kernel->module->live--;
	zecpu_object_end(kernel);
	free_parts(kernel);
	drop(kernel);
	return ZE_RESULT_SUCCESS;
}

/* --- settings before a launch --------------------------------------------- */

/* The largest work-group of a kernel. */
static uint32_t max_group(void)
{
	uint32_t knob = (uint32_t)zecpu_knob(KNOB_KERNEL_GROUP);

	return knob ? knob : MAX_GROUP;
}

static ze_result_t set_size(struct kernel *kernel, uint32_t x, uint32_t y,
			    uint32_t z)
{
	const uint32_t *required = kernel->info->required;
	const uint32_t most = max_group();

	if (x == 0 || y == 0 || z == 0 || x > most || y > most || z > most ||
	    (uint64_t)x * y * z > most)
		return zecpu_misuse(
			ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION,
			"a group of %u x %u x %u work-items", x, y, z);
	if (required[0] &&
	    (x != required[0] || y != required[1] || z != required[2]))
		return zecpu_misuse(
			ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION,
			"kernel %s takes groups of %u x %u x %u",
			kernel->info->name, required[0], required[1],
			required[2]);
	kernel->size[0] = x;
	kernel->size[1] = y;
	kernel->size[2] = z;
	kernel->sized = true;
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeKernelSetGroupSize(ze_kernel_handle_t handle,
						  uint32_t x, uint32_t y,
						  uint32_t z)
{
	ze_result_t result = zecpu_enter(ENTRY_zeKernelSetGroupSize);
	struct kernel *kernel = (struct kernel *)handle;

	if (result || !zecpu_object_is(kernel, KIND_KERNEL, &result))
		return result;
	hold(kernel);
	result = set_size(kernel, x, y, z);
	drop(kernel);
	return result;
}

ze_result_t ZE_APICALL zecpu_zeKernelSuggestGroupSize(
	ze_kernel_handle_t handle, uint32_t width, uint32_t height,
	uint32_t depth, uint32_t *x, uint32_t *y, uint32_t *z)
{
	ze_result_t result = zecpu_enter(ENTRY_zeKernelSuggestGroupSize);
	struct kernel *kernel = (struct kernel *)handle;

	if (result || !zecpu_object_is(kernel, KIND_KERNEL, &result) ||
	    !zecpu_check_pointer(x, "groupSizeX", &result) ||
	    !zecpu_check_pointer(y, "groupSizeY", &result) ||
	    !zecpu_check_pointer(z, "groupSizeZ", &result))
		return result;
	if (!width || !height || !depth)
		return zecpu_misuse(
			ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION,
			"a range of %u x %u x %u", width, height, depth);
	*x = *y = *z = 1;
	/* Suggest the largest size that divides the range. */
	for (*x = width < max_group() ? width : max_group(); width % *x; --*x)
		;
	if (kernel->info->required[0]) {
		*x = kernel->info->required[0];
		*y = kernel->info->required[1];
		*z = kernel->info->required[2];
	}
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeKernelSuggestMaxCooperativeGroupCount(
	ze_kernel_handle_t kernel, uint32_t *count)
{
	ze_result_t result =
		zecpu_enter(ENTRY_zeKernelSuggestMaxCooperativeGroupCount);

	if (result || !zecpu_object_is(kernel, KIND_KERNEL, &result) ||
	    !zecpu_check_pointer(count, "totalGroupCount", &result))
		return result;
	/* Groups run one after the other, so only one can be cooperative. */
	*count = 1;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t check_pointer_argument(uint32_t index, const void *pointer)
{
	if (!pointer || zecpu_memory_find(pointer))
		return ZE_RESULT_SUCCESS;
	return zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
			    "argument %u: %p is not USM", index, pointer);
}

static ze_result_t set_argument(struct kernel *kernel, uint32_t index,
				size_t size, const void *value)
{
	const struct argument *argument = &kernel->info->arguments[index];
	unsigned char *to = kernel->values + kernel->offsets[index];
	const void *pointer = NULL;
	ze_result_t result = ZE_RESULT_SUCCESS;

	if (argument->kind == ARGUMENT_LOCAL) {
		if (value || size == 0)
			return zecpu_misuse(
				ZE_RESULT_ERROR_INVALID_ARGUMENT,
				"argument %u is local memory: a size and NULL "
				"are due",
				index);
		memcpy(to, &size, sizeof(size));
	} else {
		if (size != argument->size)
			return zecpu_misuse(
				ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
				"argument %u of %s has %zu bytes, not %zu",
				index, kernel->info->name, argument->size,
				size);
		if (!value && argument->kind == ARGUMENT_VALUE)
			return zecpu_misuse(
				ZE_RESULT_ERROR_INVALID_ARGUMENT,
				"argument %u is a value, and NULL is given",
				index);
		if (argument->kind == ARGUMENT_GLOBAL) {
			if (value)
				memcpy(&pointer, value, sizeof(pointer));
			result = check_pointer_argument(index, pointer);
		}
		if (value)
			memcpy(to, value, size);
		else
			memset(to, 0, size);
	}
	if (!result)
		kernel->given[index] = true;
	return result;
}

ze_result_t ZE_APICALL zecpu_zeKernelSetArgumentValue(ze_kernel_handle_t handle,
						      uint32_t index,
						      size_t size,
						      const void *value)
{
	ze_result_t result = zecpu_enter(ENTRY_zeKernelSetArgumentValue);
	struct kernel *kernel = (struct kernel *)handle;

	if (result || !zecpu_object_is(kernel, KIND_KERNEL, &result))
		return result;
	if (index >= kernel->info->n_arguments)
		return zecpu_misuse(
			ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
			"kernel %s has %u arguments, and %u is given",
			kernel->info->name, kernel->info->n_arguments, index);
	hold(kernel);
	result = set_argument(kernel, index, size, value);
	drop(kernel);
	return result;
}

ze_result_t ZE_APICALL zecpu_zeKernelSetIndirectAccess(
	ze_kernel_handle_t handle, ze_kernel_indirect_access_flags_t flags)
{
	ze_result_t result = zecpu_enter(ENTRY_zeKernelSetIndirectAccess);
	struct kernel *kernel = (struct kernel *)handle;

	if (result || !zecpu_object_is(kernel, KIND_KERNEL, &result))
		return result;
	if (flags & ~7u)
		return zecpu_misuse(ZE_RESULT_ERROR_INVALID_ENUMERATION,
				    "unknown flags %#x", flags);
	hold(kernel);
	kernel->indirect = flags;
	drop(kernel);
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeKernelGetIndirectAccess(
	ze_kernel_handle_t handle, ze_kernel_indirect_access_flags_t *flags)
{
	ze_result_t result = zecpu_enter(ENTRY_zeKernelGetIndirectAccess);
	struct kernel *kernel = (struct kernel *)handle;

	if (result || !zecpu_object_is(kernel, KIND_KERNEL, &result) ||
	    !zecpu_check_pointer(flags, "pFlags", &result))
		return result;
	*flags = kernel->indirect;
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeKernelSetCacheConfig(
	ze_kernel_handle_t kernel, ze_cache_config_flags_t flags)
{
	ze_result_t result = zecpu_enter(ENTRY_zeKernelSetCacheConfig);

	if (result || !zecpu_object_is(kernel, KIND_KERNEL, &result))
		return result;
	return flags & ~3u ? ZE_RESULT_ERROR_INVALID_ENUMERATION
			   : ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeKernelSetGlobalOffsetExp(
	ze_kernel_handle_t handle, uint32_t x, uint32_t y, uint32_t z)
{
	ze_result_t result = zecpu_enter(ENTRY_zeKernelSetGlobalOffsetExp);
	struct kernel *kernel = (struct kernel *)handle;

	if (result || !zecpu_object_is(kernel, KIND_KERNEL, &result))
		return result;
	hold(kernel);
	kernel->offset[0] = x;
	kernel->offset[1] = y;
	kernel->offset[2] = z;
	drop(kernel);
	return ZE_RESULT_SUCCESS;
}

/* --- questions --- */

/* The attributes are always empty: SPIR-V from clang does not contain them. */
ze_result_t ZE_APICALL zecpu_zeKernelGetSourceAttributes(
	ze_kernel_handle_t kernel, uint32_t *size, char **text)
{
	ze_result_t result = zecpu_enter(ENTRY_zeKernelGetSourceAttributes);

	if (result || !zecpu_object_is(kernel, KIND_KERNEL, &result) ||
	    !zecpu_check_pointer(size, "pSize", &result))
		return result;
	if (*size > 0 && text && *text)
		**text = 0;
	*size = 1;
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeKernelGetProperties(ze_kernel_handle_t handle,
						   ze_kernel_properties_t *p)
{
	ze_result_t result = zecpu_enter(ENTRY_zeKernelGetProperties);
	struct kernel *kernel = (struct kernel *)handle;
	const struct kernel_info *info;
	const void *next;

	if (result || !zecpu_object_is(kernel, KIND_KERNEL, &result) ||
	    !zecpu_check_type(p, ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES, &result))
		return result;
	info = kernel->info;
	p->numKernelArgs = info->n_arguments;
	p->requiredGroupSizeX = info->required[0];
	p->requiredGroupSizeY = info->required[1];
	p->requiredGroupSizeZ = info->required[2];
	p->requiredNumSubGroups = 0;
	p->requiredSubgroupSize = 0;
	p->maxSubgroupSize = 32;
	p->maxNumSubgroups = max_group() / 32;
	p->localMemSize = info->local;
	p->privateMemSize = 0;
	p->spillMemSize = 0;
	memset(&p->uuid, 0, sizeof(p->uuid));
	next = zecpu_check_next(
		p, ZE_STRUCTURE_TYPE_KERNEL_PREFERRED_GROUP_SIZE_PROPERTIES);
	if (next)
		((ze_kernel_preferred_group_size_properties_t *)(uintptr_t)next)
			->preferredMultiple = 32;
	next = zecpu_knob(KNOB_KERNEL_GROUP)
		       ? zecpu_check_next(p, GROUP_PROPERTIES)
		       : NULL;
	if (next)
		((struct group_properties *)(uintptr_t)next)->size =
			max_group();
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeKernelGetName(ze_kernel_handle_t handle,
					     size_t *size, char *out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeKernelGetName);
	struct kernel *kernel = (struct kernel *)handle;
	size_t whole;

	if (result || !zecpu_object_is(kernel, KIND_KERNEL, &result) ||
	    !zecpu_check_pointer(size, "pSize", &result))
		return result;
	whole = strlen(kernel->info->name) + 1;
	if (out && *size >= whole)
		memcpy(out, kernel->info->name, whole);
	*size = whole;
	return ZE_RESULT_SUCCESS;
}

/* --- launches --- */

/* Record the memory that the arguments point to. */
static bool note_memory(struct command *command, struct device *device,
			const struct kernel *kernel)
{
	const struct kernel_info *info = kernel->info;
	const void *pointer;
	uint32_t i;

	for (i = 0; i < info->n_arguments; i++) {
		if (info->arguments[i].kind != ARGUMENT_GLOBAL)
			continue;
		memcpy(&pointer, kernel->values + kernel->offsets[i],
		       sizeof(pointer));
		if (pointer && !zecpu_memory_use(command, device, pointer, 1,
						 false, "an argument"))
			return false;
	}
	return true;
}

static size_t local_bytes(const struct kernel *kernel)
{
	const struct kernel_info *info = kernel->info;
	size_t sum = info->local, size;
	uint32_t i;

	for (i = 0; i < info->n_arguments; i++) {
		if (info->arguments[i].kind != ARGUMENT_LOCAL)
			continue;
		memcpy(&size, kernel->values + kernel->offsets[i],
		       sizeof(size));
		sum += size;
	}
	return sum;
}

static ze_result_t check_launch(const struct kernel *kernel,
				const struct device *device,
				const struct context *context,
				const ze_group_count_t *groups)
{
	uint32_t i;

	if (kernel->module->device->root != device->root ||
	    kernel->module->context != context)
		return zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				    "the kernel's module is of another device "
				    "or context");
	for (i = 0; i < kernel->info->n_arguments; i++)
		if (!kernel->given[i])
			return zecpu_misuse(
				ZE_RESULT_ERROR_INVALID_ARGUMENT,
				"argument %u of kernel %s was never set", i,
				kernel->info->name);
	if (!kernel->sized)
		return zecpu_misuse(
			ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION,
			"the group size of kernel %s was never set",
			kernel->info->name);
	if (!groups->groupCountX || !groups->groupCountY ||
	    !groups->groupCountZ)
		return zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				    "%u x %u x %u work-groups",
				    groups->groupCountX, groups->groupCountY,
				    groups->groupCountZ);
	if (local_bytes(kernel) > (size_t)zecpu_knob(KNOB_LOCAL))
		return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zecpu_kernel_note(struct command *command, struct device *device,
			      struct kernel *kernel,
			      const ze_group_count_t *groups)
{
	ze_result_t result =
		check_launch(kernel, device, command->context, groups);
	struct launch *launch = &command->launch;
	unsigned char *values;

	if (result)
		return result;
	if (!note_memory(command, device, kernel))
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	if (launch->room < kernel->values_size) {
		values = realloc(launch->values, kernel->values_size);
		if (!values)
			return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
		launch->values = values;
		launch->room = kernel->values_size;
	}
	launch->used = kernel->values_size;
	if (launch->used)
		memcpy(launch->values, kernel->values, launch->used);
	launch->image = kernel->module->image;
	launch->info = kernel->info;
	memcpy(launch->size, kernel->size, sizeof(launch->size));
	memcpy(launch->offset, kernel->offset, sizeof(launch->offset));
	launch->groups[0] = groups->groupCountX;
	launch->groups[1] = groups->groupCountY;
	launch->groups[2] = groups->groupCountZ;
	command->indirect = kernel->indirect;
	command->kernel = kernel;
	return ZE_RESULT_SUCCESS;
}
