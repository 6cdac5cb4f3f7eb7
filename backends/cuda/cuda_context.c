/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_context.c - contexts: the primary context of a device, which is retained
   but never configured, and the green contexts of its parts. */
#include "cuda_programs.h"

bool cuda_context_is_ours(const dprp_context *context)
{
	unsigned long long id = 0;
	CUresult error =
		context->instance->cu.cuCtxGetId(context->scope.cu, &id);

	/* Any other error, such as a fault, does not destroy the context. */
	if (error)
		return error != CUDA_ERROR_CONTEXT_IS_DESTROYED &&
		       error != CUDA_ERROR_INVALID_CONTEXT;
	return id == context->id;
}

static void scope_fini(struct cuda_scope *scope)
{
	scope->gone = !cuda_context_is_ours(scope->context);
	cuda_vendor_free_all(scope);
	cuda_notify_free_all(scope);
	cuda_event_free_all(scope);
	cuda_host_free_all(scope);
	pthread_mutex_destroy(&scope->lock);
}

static void scope_init(struct cuda_scope *scope, dprp_context *context,
		       dprp_device *device)
{
	scope->context = context;
	scope->device = device;
	pthread_mutex_init(&scope->lock, NULL);
}

dprp_rc cuda_context_create(dprp_instance *instance, dprp_device *root,
			    const dprp_ext *ext, dprp_context **out)
{
	const dprp_host *host = instance->host;
	dprp_context *context;
	dprp_rc rc;

	*out = NULL;
	rc = dprh_check_ext(host, "context", ext);
	if (rc)
		return rc;
	if (root->prohibited)
		return dprh_fail(
			host, DPR_RC_NATIVE, CUDA_ERROR_DEVICE_UNAVAILABLE,
			"the compute mode of %s is \"prohibited\": no program "
			"may use it (nvidia-smi -c 0 allows all)",
			root->name);
	context = dprh_alloc(host, 1, sizeof(*context));
	if (!context)
		return dprh_no_memory(host, "a context");
	context->instance = instance;
	context->root = root;
	pthread_mutex_init(&context->lock, NULL);
	scope_init(&context->scope, context, root);
	rc = CUDA_TRY(instance, cuDevicePrimaryCtxRetain, &context->scope.cu,
		      root->id);
	if (rc == DPR_RC_DEVICE_LOST)
		rc = dprh_fail(
			host, DPR_RC_NATIVE, CUDA_ERROR_DEVICE_UNAVAILABLE,
			"cuDevicePrimaryCtxRetain: %s cannot be used now; in "
			"compute mode \"exclusive\" another process may have "
			"it (see nvidia-smi)",
			root->name);
	if (!rc) {
		/* Without the id, the context could not be told from one that
		   is made later. */
		rc = CUDA_TRY(instance, cuCtxGetId, context->scope.cu,
			      &context->id);
		if (rc)
			instance->cu.cuDevicePrimaryCtxRelease(root->id);
	}
	if (rc) {
		pthread_mutex_destroy(&context->scope.lock);
		pthread_mutex_destroy(&context->lock);
		dprh_free(host, context);
		return rc;
	}
	*out = context;
	return DPR_RC_OK;
}

void cuda_context_destroy(dprp_context *context)
{
	dprp_instance *instance = context->instance;
	CUstreamCaptureMode mode = cuda_capture_ignore(&instance->cu);
	struct cuda_scope *scope;

	cuda_module_free_all(context);
	while ((scope = context->scope.next)) {
		context->scope.next = scope->next;
		scope_fini(scope);
		dprh_free(instance->host, scope);
	}
	scope_fini(&context->scope);
	if (!context->scope.gone)
		instance->cu.cuDevicePrimaryCtxRelease(context->root->id);
	cuda_capture_heed(&instance->cu, mode);
	pthread_mutex_destroy(&context->lock);
	dprh_free(instance->host, context);
}

static dprp_rc make_scope_locked(dprp_context *context, dprp_device *device,
				 struct cuda_scope **out)
{
	const dprp_host *host = context->instance->host;
	struct cuda_scope *scope = dprh_alloc(host, 1, sizeof(*scope));
	dprp_rc rc;

	if (!scope)
		return dprh_no_memory(host, "the context of a part");
	rc = cuda_part_open(device, &scope->green, &scope->cu);
	if (rc) {
		dprh_free(host, scope);
		return rc;
	}
	scope_init(scope, context, device);
	scope->next = context->scope.next;
	context->scope.next = scope;
	*out = scope;
	return DPR_RC_OK;
}

dprp_rc cuda_context_scope(dprp_context *context, dprp_device *device,
			   struct cuda_scope **out)
{
	struct cuda_scope *scope;
	dprp_rc rc = DPR_RC_OK;

	pthread_mutex_lock(&context->lock);
	for (scope = &context->scope; scope; scope = scope->next)
		if (scope->device == device)
			break;
	if (scope)
		*out = scope;
	else
		rc = make_scope_locked(context, device, out);
	pthread_mutex_unlock(&context->lock);
	return rc;
}

/* Let kernels and copies of one device access memory of the other. */
static void enable_access(dprp_device *from, dprp_device *to)
{
	const struct cuda_api *cu = &from->instance->cu;
	CUcontext here, there;
	bool entered;

	if (cu->cuDevicePrimaryCtxRetain(&here, from->id))
		return;
	if (!cu->cuDevicePrimaryCtxRetain(&there, to->id)) {
		/* The call fails if the program has enabled access already. */
		if (!cuda_context_enter(cu, here, &entered))
			cu->cuCtxEnablePeerAccess(there, 0);
		cuda_context_leave(cu, entered);
		cu->cuDevicePrimaryCtxRelease(to->id);
	}
	cu->cuDevicePrimaryCtxRelease(from->id);
}

/* Find out what the devices can do, and enable access.  cuMemcpyPeerAsync works
   without access, but goes through the host; with access the copy is direct. */
dprp_rc cuda_context_peer(dprp_device *from, dprp_device *to, uint32_t *caps)
{
	const struct cuda_api *cu = &from->instance->cu;
	int can = 0;

	*caps = DPRP_PEER_COPY;
	if (from->root != to->root &&
	    !cu->cuDeviceCanAccessPeer(&can, from->id, to->id) && can)
		enable_access(from, to);
	return DPR_RC_OK;
}
