/* SPDX-License-Identifier: Apache-2.0 */
/* start.c - the start of the library: settings are read, plugins loaded. */
#include "core/runtime/device/start.h"

#include <pthread.h>

#include "core/base/env.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/settings.h"
#include "core/base/status.h"
#include "core/runtime/device/device_list.h"
#include "core/runtime/device/registry.h"
#include "core/runtime/device/selector.h"
#include "core/runtime/layer/fault.h"
#include "core/runtime/layer/layer.h"
#include "core/runtime/plugin/host_table.h"
#include "core/runtime/plugin/plugins.h"

static pthread_once_t prepared = PTHREAD_ONCE_INIT;

static void prepare(void)
{
	host_table_set_device_lost(device_list_lose);
	plugins_watch();
	layer_prepare();
}

/* Check that DPR_DEVICE is well formed. */
static dpr_status check_device_variable(void)
{
	const char *value = env_get("DPR_DEVICE");
	struct selector *selector = NULL;
	dpr_status status;

	if (!value)
		return DPR_OK;
	status = selector_parse(value, &selector);
	selector_drop(selector);
	return status == DPR_ERROR_SELECTOR
		       ? env_refuse("DPR_DEVICE", "%s", dpr_last_error())
		       : status;
}

/* Read the settings that are needed before plugins are loaded. */
static dpr_status read_settings(struct backend_choice *choice)
{
	dpr_status status = env_start();

	if (status)
		return status;
	if (env_secure())
		log_post(DPR_LOG_WARN,
			 "this program is setuid: DPR_* variables "
			 "are ignored");
	status = log_start();
	if (!status)
		status = settings_cache_read();
	return status ? status : backends_read(choice);
}

static dpr_status load_plugins(const struct backend_choice *choice)
{
	dpr_status status = plugins_load(choice);

	if (!status)
		status = check_device_variable();
	if (!status)
		status = settings_pool_limit_read();
	if (!status)
		status = settings_layers_read();
	return status ? status : fault_read();
}

/* Read settings, load plugins.  After DPR_ERROR_OUT_OF_MEMORY nothing is
   loaded, and this may be called again. */
static dpr_status load_once(void)
{
	struct backend_choice choice = { 0 };
	dpr_status failure, loaded;
	char *text = NULL;

	failure = read_settings(&choice);
	if (failure == DPR_ERROR_OUT_OF_MEMORY)
		return failure;
	if (failure)
		text = mem_string(dpr_last_error());
	/* Load the files even if a variable is bad: the report shows them. */
	loaded = load_plugins(&choice);
	backends_drop(&choice);
	if (loaded && loaded != DPR_ERROR_OUT_OF_MEMORY && !failure) {
		failure = loaded;
		text = mem_string(dpr_last_error());
	}
	if (loaded == DPR_ERROR_OUT_OF_MEMORY || (failure && !text)) {
		mem_free(text);
		plugins_unload();
		return loaded == DPR_ERROR_OUT_OF_MEMORY
			       ? loaded
			       : fail_memory("loading plugins");
	}
	registry_set_failure(failure, text);
	plugins_keep();
	return DPR_OK;
}

dpr_status start_library(const char *what)
{
	dpr_status status = process_check(what);

	if (status)
		return status;
	if (plugins_are_loaded())
		return registry_check(what);
	pthread_once(&prepared, prepare);
	process_watch(false);
	status = plugins_take(what);
	if (status)
		return status;
	if (!plugins_are_loaded())
		status = load_once();
	plugins_give();
	log_flush();
	return status ? status : registry_check(what);
}
