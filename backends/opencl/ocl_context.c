/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: a cl_context over one root device and the sub-devices it has. */
#include <string.h>

#include "ocl.h"

/* List the ids of the root and of the sub-devices that it has so far. */
static dprp_rc ocl_context_ids(dprp_context *context)
{
	dprp_instance *instance = context->instance;
	dprp_device *sub;
	cl_uint n = 1;

	pthread_mutex_lock(&instance->lock);
	for (sub = instance->subs; sub; sub = sub->next)
		n += sub->root == context->root;
	context->ids = dprh_alloc(instance->host, n, sizeof(cl_device_id));
	if (context->ids) {
		context->ids[context->n_ids++] = context->root->id;
		for (sub = instance->subs; sub; sub = sub->next)
			if (sub->root == context->root)
				context->ids[context->n_ids++] = sub->id;
	}
	pthread_mutex_unlock(&instance->lock);
	return context->ids ? DPR_RC_OK
			    : dprh_no_memory(instance->host, "a context");
}

void ocl_context_destroy(dprp_context *context)
{
	if (!context)
		return;
	if (context->cl)
		context->instance->cl.clReleaseContext(context->cl);
	dprh_free(context->instance->host, context->ids);
	pthread_mutex_destroy(&context->svm);
	dprh_free(context->instance->host, context);
}

static dprp_rc ocl_context_make(dprp_device *root, cl_context cl,
				dprp_context **out)
{
	dprp_instance *instance = root->instance;
	dprp_context *context = dprh_alloc(instance->host, 1, sizeof(*context));
	cl_context_properties properties[] = {
		CL_CONTEXT_PLATFORM, (cl_context_properties)root->platform->id,
		0
	};
	cl_int err = CL_SUCCESS;
	dprp_rc rc;

	if (!context)
		return dprh_no_memory(instance->host, "a context");
	context->instance = instance;
	context->root = root->root;
	pthread_mutex_init(&context->svm, NULL);
	rc = ocl_context_ids(context);
	if (rc == DPR_RC_OK && !cl) {
		cl = instance->cl.clCreateContext(properties, context->n_ids,
						  context->ids, NULL, NULL,
						  &err);
		rc = ocl_error_check(instance->host, err, "clCreateContext");
	}
	if (rc != DPR_RC_OK) {
		ocl_context_destroy(context);
		return rc;
	}
	context->cl = cl;
	*out = context;
	return DPR_RC_OK;
}

dprp_rc ocl_context_create(dprp_instance *instance, dprp_device *root,
			   const dprp_ext *ext, dprp_context **out)
{
	dprp_rc rc = dprh_check_ext(instance->host, "context", ext);

	*out = NULL;
	return rc ? rc : ocl_context_make(root, NULL, out);
}

dprp_rc ocl_context_over(dprp_device *root, cl_context cl, dprp_context **out)
{
	return ocl_context_make(root, cl, out);
}

cl_device_id ocl_context_device(const dprp_context *context,
				const dprp_device *device)
{
	cl_uint i;

	for (i = 0; i < context->n_ids; i++)
		if (context->ids[i] == device->id)
			return device->id;
	return context->root->id;
}
