/* SPDX-License-Identifier: Apache-2.0 */
/* ze_context.c - contexts.  All roots of one driver share one ze_context, so
   that events and copies between the roots work. */
#include "ze_objects.h"

/* Get the driver's ze_context, which is made on first use.  The context lock
   must be held. */
static dprp_rc take_locked(struct ze_driver *driver, ze_context_handle_t *out)
{
	const ze_context_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC
	};
	dprp_rc rc = DPR_RC_OK;

	if (!driver->n_contexts)
		rc = ZE_TRY(driver->instance, zeContextCreate, driver->ze,
			    &desc, &driver->context);
	if (rc)
		return rc;
	driver->n_contexts++;
	*out = driver->context;
	return DPR_RC_OK;
}

dprp_rc ze_context_create(dprp_instance *instance, dprp_device *root,
			  const dprp_ext *ext, dprp_context **out)
{
	const dprp_host *host = instance->host;
	struct ze_driver *driver = root->driver;
	dprp_context *context;
	dprp_rc rc = dprh_check_ext(host, "context", ext);

	*out = NULL;
	if (rc)
		return rc;
	context = dprh_alloc(host, 1, sizeof(*context));
	if (!context)
		return dprh_no_memory(host, "a context");
	context->instance = instance;
	context->driver = driver;
	context->root = root;
	pthread_mutex_lock(&driver->context_lock);
	rc = take_locked(driver, &context->ze);
	pthread_mutex_unlock(&driver->context_lock);
	if (!rc)
		*out = context;
	else
		dprh_free(host, context);
	return rc;
}

void ze_context_destroy(dprp_context *context)
{
	struct ze_driver *driver = context->driver;

	pthread_mutex_lock(&driver->context_lock);
	if (!--driver->n_contexts) {
		ze_queue_sweep(driver, true);
		ze_list_free_kept(driver);
		ze_event_free_all(driver);
		driver->instance->ze.zeContextDestroy(driver->context);
		driver->context = NULL;
	}
	pthread_mutex_unlock(&driver->context_lock);
	dprh_free(context->instance->host, context);
}
