/* SPDX-License-Identifier: Apache-2.0 */
/* registry.c - opening backends, and closing them. */
#include "core/runtime/device/registry.h"

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/runtime/device/device.h"
#include "core/runtime/device/device_list.h"
#include "core/runtime/layer/layer.h"
#include "core/runtime/plugin/host_table.h"
#include "core/runtime/plugin/plugins.h"

#define MAX_DEVICES 65536

/* Written by the thread with the baton of plugins.h. */
static struct {
	/* The failure of a bad variable (release, pairs with the acquire in
	   registry_check()).  Can be set late: only an open backend tells which
	   options exist.  The text is set first, and never changes. */
	_Atomic(dpr_status) failure;
	char *failure_text;
	struct candidate **opened; /* in the order of opening */
	size_t n_opened;
} registry;

void registry_set_failure(dpr_status status, char *text)
{
	registry.failure_text = text;
	atomic_store_explicit(&registry.failure, status, memory_order_release);
}

dpr_status registry_check(const char *what)
{
	dpr_status failure =
		atomic_load_explicit(&registry.failure, memory_order_acquire);

	if (!failure)
		return DPR_OK;
	return fail(failure, "%s: %s", what, registry.failure_text);
}

/* --- Opening ---------------------------------------------------------------
 */

/* Keep the first DPR_ERROR_ENVIRONMENT of checking options: every later call
   that needs devices fails with it.  Returns any other @status. */
static dpr_status keep_failure(dpr_status status)
{
	char *text;

	if (status != DPR_ERROR_ENVIRONMENT || registry.failure)
		return status == DPR_ERROR_ENVIRONMENT ? DPR_OK : status;
	text = mem_string(dpr_last_error());
	if (!text)
		return fail_memory("opening a backend");
	registry_set_failure(status, text);
	return DPR_OK;
}

/* The plugin's advice for a driver that does not start, or NULL. */
static const char *advice_for(const struct plugin *plugin, dprp_rc rc)
{
	if (rc == DPR_RC_NO_DRIVER)
		return plugin->desc->advice_no_driver;
	return rc == DPR_RC_NO_DEVICE ? plugin->desc->advice_no_device : NULL;
}

static dpr_status stop_open(struct candidate *c, dprp_rc rc)
{
	bool is_absent = rc == DPR_RC_NO_DRIVER || rc == DPR_RC_NO_DEVICE;
	char *why = host_table_report(c->plugin, rc);
	dpr_status status;

	/* Lack of memory may be temporary: do not count the backend as
	   failed. */
	if (rc == DPR_RC_OOM_HOST) {
		mem_free(why);
		why = NULL;
	}
	if (!why)
		return fail_memory("opening a backend");
	status = candidate_stop(
		c, is_absent ? DPR_PLUGIN_ABSENT : DPR_PLUGIN_FAILED,
		advice_for(c->plugin, rc), "%s", why);
	if (!status && !c->plugin->instance)
		status = keep_failure(
			options_check_value(&c->plugin->options, rc, why));
	mem_free(why);
	return status;
}

/* Make the device objects of an instance.  If it returns DPR_OK with
   c->n_devices 0, the candidate cannot be used, and the reason is recorded. */
static dpr_status make_devices(struct candidate *c)
{
	struct plugin *plugin = c->plugin;
	dpr_device **devices;
	uint32_t n = 0, i;
	dprp_rc rc;

	rc = plugin->device.count(plugin->instance, &n);
	rc = plugin_checked(plugin, "device->count", rc);
	if (rc)
		return stop_open(c, rc);
	if (!n)
		return stop_open(c, DPR_RC_NO_DEVICE);
	if (n > MAX_DEVICES)
		return candidate_stop(
			c, DPR_PLUGIN_FAILED, NULL,
			"device->count reports %u devices; at most "
			"%d are supported" PLUGIN_AGAINST("V1"),
			(unsigned)n, MAX_DEVICES);
	devices = mem_array(n, sizeof(*devices));
	for (i = 0; devices && i < n; i++) {
		dprp_device *handle = NULL;

		rc = plugin->device.get(plugin->instance, i, &handle);
		rc = plugin_made(plugin, "device->get", rc, handle);
		if (rc)
			break;
		devices[i] = device_make(plugin, handle, i,
					 (const dpr_device *const *)devices);
		if (!devices[i])
			break;
	}
	if (devices && i == n) {
		c->devices = devices;
		c->n_devices = n;
		return DPR_OK;
	}
	while (devices && i > 0)
		device_drop(devices[--i]);
	mem_free(devices);
	return rc ? stop_open(c, rc) : fail_memory("opening a backend");
}

/* Add @c to the open backends, which are closed later. */
static dpr_status note_opened(struct candidate *c)
{
	struct candidate **opened = mem_grow(
		registry.opened, registry.n_opened + 1, sizeof(*opened));

	if (!opened)
		return fail_memory("opening a backend");
	registry.opened = opened;
	opened[registry.n_opened] = c;
	return DPR_OK;
}

/* Close a backend because a later step of opening failed. */
static void close_again(struct candidate *c)
{
	uint32_t i;

	for (i = 0; i < c->n_devices; i++)
		device_drop(c->devices[i]);
	mem_free(c->devices);
	c->devices = NULL;
	c->n_devices = 0;
	c->plugin->desc->close(c->plugin->instance, DPRP_CLOSE_FAILED);
	c->plugin->instance = NULL;
}

/* Start the driver of @c.  After DPR_ERROR_OUT_OF_MEMORY nothing has changed,
   and this may be called again. */
static dpr_status open_backend(struct candidate *c)
{
	struct plugin *plugin = c->plugin;
	uint64_t start = clock_now();
	dpr_status status;
	dprp_rc rc;

	status = layer_install(plugin);
	if (status)
		return status;
	log_post(DPR_LOG_DEBUG, "entering open of %s", c->file);
	log_flush();
	plugin_forget_error();
	rc = plugin->desc->open(&plugin->host, &plugin->instance);
	rc = plugin_made(plugin, "open", rc, plugin->instance);
	if (rc) {
		plugin->instance = NULL;
		status = stop_open(c, rc);
	} else {
		process_watch(true);
		status = make_devices(c);
		if (!status && c->n_devices)
			status = keep_failure(options_check(&plugin->options,
							    plugins_each_name));
		if (!status && c->n_devices)
			status = note_opened(c);
		if (!status && c->n_devices)
			status = device_list_add(c->devices, c->n_devices);
		if (status || !c->n_devices) {
			close_again(c);
		} else {
			registry.n_opened++;
			c->stage = DPR_PLUGIN_READY;
			c->text = host_table_opened(plugin);
		}
	}
	c->nanoseconds += clock_now() - start;
	if (!status)
		atomic_store_explicit(&c->opened, true, memory_order_release);
	log_post(DPR_LOG_INFO, "backend %s: %s, %u device%s", c->name,
		 dpr_plugin_stage_name(c->stage), (unsigned)c->n_devices,
		 c->n_devices == 1 ? "" : "s");
	return status;
}

static bool is_wanted(const struct candidate *c,
		      bool (*wanted)(const void *, const char *),
		      const void *user)
{
	return c->plugin &&
	       !atomic_load_explicit(&c->opened, memory_order_acquire) &&
	       (!wanted || wanted(user, c->name));
}

dpr_status registry_open(const char *what,
			 bool (*wanted)(const void *user, const char *backend),
			 const void *user)
{
	const struct candidates *found = plugins_found();
	dpr_status status = DPR_OK;
	size_t i, n = 0;

	for (i = 0; i < found->n; i++)
		n += (size_t)is_wanted(found->list[i], wanted, user);
	if (!n)
		return registry_check(what);
	status = plugins_take(what);
	if (status)
		return status;
	/* Open nothing once dpr_finalize() has begun. */
	status = process_check(what);
	for (i = 0; i < found->n && !status; i++) {
		if (is_wanted(found->list[i], wanted, user))
			status = open_backend(found->list[i]);
	}
	plugins_give();
	log_flush();
	return status ? status : registry_check(what);
}

void registry_close(void)
{
	dpr_status status = plugins_take("finalize");
	uint32_t i;

	if (status)
		return;
	while (registry.n_opened) {
		struct candidate *c = registry.opened[--registry.n_opened];

		for (i = 0; i < c->n_devices; i++)
			device_close(c->devices[i]);
		c->plugin->desc->close(c->plugin->instance,
				       DPRP_CLOSE_FINALIZE);
		c->plugin->instance = NULL;
	}
	plugins_give();
	log_flush();
}
