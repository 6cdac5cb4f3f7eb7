/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_kernel.c - kernels: finding them and their properties. */
#include "cuda_programs.h"

#define WARP 32

/* --- Parameters ----------------------------------------------------------- */

/* Count the parameters and get their sizes; @sizes may be NULL. */
static dprp_rc driver_params(dprp_kernel *kernel, uint64_t *sizes, uint32_t *n)
{
	const struct cuda_api *cu = &kernel->instance->cu;
	size_t offset, size;
	CUresult error;

	for (*n = 0; *n <= CUDA_TABLE_PARAMS; ++*n) {
		error = cu->cuKernelGetParamInfo(kernel->cu, *n, &offset,
						 &size);
		/* This index is past the last parameter. */
		if (error == CUDA_ERROR_INVALID_VALUE)
			return DPR_RC_OK;
		if (error)
			return cuda_error_check_device(kernel->device, error,
						       "cuKernelGetParamInfo");
		if (sizes)
			sizes[*n] = size;
	}
	return dprh_fail(kernel->instance->host, DPR_RC_INTERNAL, 0,
			 "kernel %s has too many parameters", kernel->name);
}

/* Whether the sizes in the table are the driver's. */
static bool table_agrees(const struct cuda_table_kernel *table,
			 const uint64_t *sizes, uint32_t n)
{
	uint32_t i;
	uint64_t size;

	if (!table || !table->known || table->n_params != n)
		return false;
	for (i = 0; i < n; i++) {
		size = table->params[i].kind == DPRP_ARG_LOCAL
			       ? sizeof(uint32_t)
			       : table->params[i].size;
		if (size && size != sizes[i])
			return false;
	}
	return true;
}

/* Take the sizes from the driver, and the kinds from the table. */
static dprp_rc read_driver(dprp_kernel *kernel,
			   const struct cuda_table_kernel *table)
{
	const dprp_host *host = kernel->instance->host;
	uint64_t *sizes = NULL;
	bool agrees;
	dprp_rc rc;
	uint32_t i, n;

	rc = driver_params(kernel, NULL, &n);
	if (rc)
		return rc;
	kernel->params = dprh_alloc(host, n, sizeof(*kernel->params));
	sizes = dprh_alloc(host, n, sizeof(*sizes));
	if (!kernel->params || !sizes) {
		dprh_free(host, sizes);
		return dprh_no_memory(host, "a kernel's parameters");
	}
	rc = driver_params(kernel, sizes, &n);
	agrees = table_agrees(table, sizes, n);
	for (i = 0; i < n && !rc; i++) {
		kernel->params[i].kind =
			agrees ? table->params[i].kind : DPRP_ARG_UNKNOWN;
		if (kernel->params[i].kind != DPRP_ARG_LOCAL)
			kernel->params[i].size = sizes[i];
	}
	kernel->n_params = n;
	kernel->params_known = true;
	dprh_free(host, sizes);
	return rc;
}

/* Take the table's parameters, which need not be certain.  For older drivers,
   which do not report any. */
static dprp_rc read_table(dprp_kernel *kernel,
			  const struct cuda_table_kernel *table)
{
	const dprp_host *host = kernel->instance->host;

	if (!table || !table->known)
		return DPR_RC_OK;
	kernel->params =
		dprh_alloc(host, table->n_params, sizeof(*kernel->params));
	if (!kernel->params)
		return dprh_no_memory(host, "a kernel's parameters");
	if (table->n_params)
		memcpy(kernel->params, table->params,
		       table->n_params * sizeof(*kernel->params));
	kernel->n_params = table->n_params;
	kernel->params_known = table->certain;
	return DPR_RC_OK;
}

/* --- Making --------------------------------------------------------------- */

/* Load the function into the device now, so that no launch waits for it. */
static dprp_rc load_function(dprp_kernel *kernel)
{
	const struct cuda_api *cu = &kernel->instance->cu;
	const char *call = "cuKernelGetFunction";
	CUfunction function = NULL;
	CUstreamCaptureMode mode = cuda_capture_ignore(cu);
	CUresult error = cu->cuKernelGetFunction(&function, kernel->cu);

	if (!error && cu->cuFuncLoad) {
		call = "cuFuncLoad";
		error = cu->cuFuncLoad(function);
	}
	cuda_capture_heed(cu, mode);
	return cuda_error_check_device(kernel->device, error, call);
}

static dprp_rc read_attribute(dprp_kernel *kernel, CUfunction_attribute key,
			      uint32_t *out)
{
	int value = 0;
	dprp_rc rc = CUDA_TRY_ON(kernel->device, cuKernelGetAttribute, &value,
				 key, kernel->cu, kernel->device->root->id);

	*out = value > 0 ? (uint32_t)value : 0;
	return rc;
}

static void choose_sizes(dprp_kernel *kernel)
{
	const int *max = kernel->device->root->max_block;
	const uint32_t most[3] = { (uint32_t)max[0], (uint32_t)max[1],
				   (uint32_t)max[2] };

	dprh_choose_local(kernel->choice, kernel->required, most,
			  kernel->max_group);
}

/* Load the kernel and read its properties.  The context must be current. */
static dprp_rc read_kernel(dprp_kernel *kernel, const dprp_module *module)
{
	const struct cuda_table_kernel *table = cuda_table_find(
		&module->table, kernel->name, strlen(kernel->name));
	dprp_rc rc = load_function(kernel);

	if (!rc)
		rc = read_attribute(kernel,
				    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
				    &kernel->max_group);
	if (!rc)
		rc = read_attribute(kernel, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
				    &kernel->static_local);
	if (!rc)
		rc = read_attribute(kernel, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
				    &kernel->private_size);
	if (!rc)
		rc = kernel->instance->cu.cuKernelGetParamInfo
			     ? read_driver(kernel, table)
			     : read_table(kernel, table);
	if (rc)
		return rc;
	kernel->locals = module->table.locals;
	if (table)
		memcpy(kernel->required, table->required,
		       sizeof(kernel->required));
	choose_sizes(kernel);
	return DPR_RC_OK;
}

/* Fail because the program has no kernel of this name. */
static dprp_rc fail_missing(const dprp_module *module, CUresult error,
			    const char *name)
{
	const dprp_host *host = module->instance->host;
	char *names = NULL;
	uint32_t i;

	if (module->call.routine)
		dprh_add_name(host, &names, module->call.routine->name);
	for (i = 0; i < module->table.n; i++)
		dprh_add_name(host, &names, module->table.list[i].name);
	return dprh_no_kernel(host, error, name, names);
}

/* Copy what is known of a routine of a library. */
static dprp_rc set_call(dprp_kernel *kernel, const dprp_module *module)
{
	const dprp_host *host = module->instance->host;
	const char *name = module->call.routine->name;
	const dprp_param *params =
		cuda_calls_params(module->call.routine, &kernel->n_params);
	const size_t size = kernel->n_params * sizeof(*params);

	kernel->instance = module->instance;
	kernel->device = module->device;
	kernel->call = module->call;
	kernel->name = dprh_alloc(host, strlen(name) + 1, 1);
	kernel->params = dprh_alloc(host, 1, size);
	if (!kernel->name || !kernel->params)
		return dprh_no_memory(host, "a kernel's parameters");
	memcpy(kernel->name, name, strlen(name) + 1);
	memcpy(kernel->params, params, size);
	kernel->params_known = true;
	kernel->max_group = 1;
	return DPR_RC_OK;
}

/* Make the kernel of a routine of a library. */
static dprp_rc create_call(const dprp_module *module, const char *name,
			   dprp_kernel **out)
{
	const dprp_host *host = module->instance->host;
	dprp_kernel *kernel;
	dprp_rc rc;

	if (strcmp(name, module->call.routine->name) != 0)
		return fail_missing(module, CUDA_SUCCESS, name);
	kernel = dprh_alloc(host, 1, sizeof(*kernel));
	if (!kernel)
		return dprh_no_memory(host, "a kernel");
	rc = set_call(kernel, module);
	if (rc)
		cuda_kernel_destroy(kernel);
	else
		*out = kernel;
	return rc;
}

dprp_rc cuda_kernel_create(dprp_module *module, const char *name,
			   dprp_kernel **out)
{
	dprp_instance *instance = module->instance;
	const dprp_host *host = instance->host;
	const size_t size = strlen(name);
	dprp_kernel *kernel;
	CUkernel cu = NULL;
	CUresult error;
	bool entered;
	dprp_rc rc;

	*out = NULL;
	if (module->call.routine)
		return create_call(module, name, out);
	error = instance->cu.cuLibraryGetKernel(&cu, module->library->cu, name);
	if (error == CUDA_ERROR_NOT_FOUND)
		return fail_missing(module, error, name);
	if (error)
		return cuda_error_check_device(module->device, error,
					       "cuLibraryGetKernel");
	kernel = dprh_alloc(host, 1, sizeof(*kernel));
	if (!kernel)
		return dprh_no_memory(host, "a kernel");
	kernel->instance = instance;
	kernel->device = module->device;
	kernel->cu = cu;
	kernel->name = dprh_alloc(host, size + 1, 1);
	if (kernel->name)
		memcpy(kernel->name, name, size);
	error = cuda_context_enter(&instance->cu, module->context->scope.cu,
				   &entered);
	if (error)
		rc = cuda_error_check_device(module->device, error,
					     "cuCtxPushCurrent");
	else
		rc = kernel->name ? read_kernel(kernel, module)
				  : dprh_no_memory(host, "a kernel's name");
	cuda_context_leave(&instance->cu, entered);
	if (rc) {
		cuda_kernel_destroy(kernel);
		return rc;
	}
	*out = kernel;
	return DPR_RC_OK;
}

void cuda_kernel_destroy(dprp_kernel *kernel)
{
	const dprp_host *host;

	if (!kernel)
		return;
	host = kernel->instance->host;
	dprh_free(host, kernel->params);
	dprh_free(host, kernel->name);
	dprh_free(host, kernel);
}

/* --- Information ---------------------------------------------------------- */

dprp_rc cuda_kernel_info(dprp_kernel *kernel, dprp_device *device, uint32_t key,
			 void *buffer, size_t capacity, size_t *need)
{
	const dprp_host *host = kernel->instance->host;
	uint64_t one = 0;

	(void)device;
	*need = 0;
	switch (key) {
	case DPRP_KERNEL_PARAMS:
		if (!kernel->params_known)
			return dprh_fail(
				host, DPR_RC_UNSUPPORTED, 0,
				"the parameters of kernel %s are not known: "
				"that needs a driver of CUDA 12.4 or newer",
				kernel->name);
		return dprh_answer(host, kernel->params,
				   kernel->n_params * sizeof(*kernel->params),
				   buffer, capacity, need);
	case DPRP_KERNEL_REQUIRED_LOCAL:
		return dprh_answer(host, kernel->required,
				   sizeof(kernel->required), buffer, capacity,
				   need);
	case DPRP_KERNEL_MAX_WORK_GROUP: one = kernel->max_group; break;
	case DPRP_KERNEL_PREFERRED_MULTIPLE:
	case DPRP_KERNEL_MAX_SUB_GROUP: one = WARP; break;
	case DPRP_KERNEL_PRIVATE_SIZE: one = kernel->private_size; break;
	case DPRP_KERNEL_LOCAL_SIZE: one = kernel->static_local; break;
	case DPRP_KERNEL_MAX_SUB_GROUPS:
		one = (kernel->max_group + WARP - 1) / WARP;
		break;
	case DPRP_KERNEL_COMPILES_LATE: break;
	default:
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
				 "kernel information key %u is unknown", key);
	}
	return dprh_answer(host, &one, sizeof(one), buffer, capacity, need);
}

dprp_rc cuda_kernel_native(const dprp_kernel *kernel, uintptr_t *out)
{
	if (kernel->call.routine)
		return dprh_fail(kernel->instance->host, DPR_RC_UNSUPPORTED, 0,
				 "kernel %s is a routine of cuBLAS and has no "
				 "native handle",
				 kernel->name);
	*out = (uintptr_t)kernel->cu;
	return DPR_RC_OK;
}
