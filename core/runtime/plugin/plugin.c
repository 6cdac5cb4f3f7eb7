/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - what the return codes of a plugin mean, and native handles. */
#include "core/runtime/plugin/plugin.h"

#include <pthread.h>

#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/status.h"

/* What a plugin said last in this thread. */
struct last_error {
	const struct plugin *plugin;
	dprp_rc rc;
	int64_t native;
	char *text;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool key_made;

static void last_error_destroy(void *pointer)
{
	struct last_error *last = pointer;

	mem_free(last->text);
	mem_free(last);
}

static void make_key(void)
{
	key_made = !pthread_key_create(&key, last_error_destroy);
}

/* The last error of this thread, or NULL if it has none or, with @make, if
   memory is lacking. */
static struct last_error *last_error_here(bool make)
{
	struct last_error *last;

	pthread_once(&once, make_key);
	if (!key_made)
		return NULL;
	last = pthread_getspecific(key);
	if (last || !make)
		return last;
	last = mem_alloc(sizeof(*last));
	if (last && pthread_setspecific(key, last)) {
		mem_free(last);
		last = NULL;
	}
	return last;
}

void plugin_note_error(const struct plugin *plugin, dprp_rc rc, int64_t native,
		       const char *text)
{
	struct last_error *last = last_error_here(true);

	if (!last)
		return;
	mem_free(last->text);
	last->text = text ? mem_string(text) : NULL;
	last->plugin = plugin;
	last->rc = rc;
	last->native = native;
	log_post(DPR_LOG_DEBUG, "%s: error %d (driver %lld): %s", plugin->name,
		 (int)rc, (long long)native, text ? text : "");
}

void plugin_forget_error(void)
{
	struct last_error *last = last_error_here(false);

	if (last)
		last->plugin = NULL;
}

/* --- Words and statuses ----------------------------------------------------
 */

static const char *rc_text(dprp_rc rc)
{
	switch (rc) {
	case DPR_RC_OK: return "success";
	case DPR_RC_INVALID: return "invalid argument";
	case DPR_RC_UNSUPPORTED: return "not supported";
	case DPR_RC_NO_DRIVER: return "no driver is installed";
	case DPR_RC_NO_DEVICE: return "the driver has no device";
	case DPR_RC_OOM_HOST: return "out of host memory";
	case DPR_RC_OOM_DEVICE: return "out of device memory";
	case DPR_RC_BUILD: return "the program did not build";
	case DPR_RC_TIMEOUT: return "the wait has timed out";
	case DPR_RC_DEP_FAILED: return "something that it depends on failed";
	case DPR_RC_DEVICE_LOST: return "the device no longer responds";
	case DPR_RC_NO_PATH: return "the backend does not support this";
	case DPR_RC_FORKED: return "opened before fork()";
	case DPR_RC_SHUTDOWN: return "already closed";
	case DPR_RC_NATIVE: return "the driver refused";
	case DPR_RC_ABI: return "the core broke the plugin contract";
	case DPR_RC_INTERNAL:
		return "the plugin answered DPR_RC_INTERNAL and did not say "
		       "why";
	}
	return NULL;
}

static void print_rc(struct text *text, dprp_rc rc)
{
	const char *words = rc_text(rc);

	if (words)
		text_print(text, "%s", words);
	else
		text_print(text,
			   "the plugin answered %d, a code that does not exist",
			   (int)rc);
}

dpr_status plugin_rc_status(const struct plugin *plugin, dprp_rc rc)
{
	switch (rc) {
	case DPR_RC_OK: return DPR_OK;
	case DPR_RC_INVALID: return DPR_ERROR_INVALID_ARGUMENT;
	case DPR_RC_UNSUPPORTED: return DPR_ERROR_UNSUPPORTED;
	case DPR_RC_NO_DRIVER: return DPR_ERROR_PLUGIN;
	case DPR_RC_NO_DEVICE: return DPR_ERROR_PLUGIN;
	case DPR_RC_OOM_HOST: return DPR_ERROR_OUT_OF_MEMORY;
	case DPR_RC_OOM_DEVICE: return DPR_ERROR_OUT_OF_DEVICE_MEMORY;
	case DPR_RC_BUILD: return DPR_ERROR_BUILD;
	case DPR_RC_TIMEOUT: return DPR_ERROR_TIMEOUT;
	case DPR_RC_DEP_FAILED:
		return atomic_load(&plugin->has_lost) ? DPR_ERROR_DEVICE_LOST
						      : DPR_ERROR_DRIVER;
	case DPR_RC_DEVICE_LOST: return DPR_ERROR_DEVICE_LOST;
	case DPR_RC_NO_PATH: return DPR_ERROR_UNSUPPORTED;
	case DPR_RC_FORKED: return DPR_ERROR_FORKED;
	case DPR_RC_SHUTDOWN: return DPR_ERROR_SHUTDOWN;
	case DPR_RC_NATIVE: return DPR_ERROR_DRIVER;
	case DPR_RC_ABI: return DPR_ERROR_PLUGIN;
	case DPR_RC_INTERNAL: return DPR_ERROR_INTERNAL;
	}
	return DPR_ERROR_INTERNAL;
}

void plugin_print_error(struct text *text, const struct plugin *plugin,
			dprp_rc rc)
{
	struct last_error *last = last_error_here(false);

	if (!last || last->plugin != plugin || last->rc != rc) {
		print_rc(text, rc);
		return;
	}
	if (last->text && *last->text)
		text_print(text, "%s", last->text);
	else
		print_rc(text, rc);
	if (last->native)
		text_print(text, " (driver code %lld)",
			   (long long)last->native);
	last->plugin = NULL;
}

dpr_status plugin_status(const struct plugin *plugin, dprp_rc rc,
			 const char *format, ...)
{
	struct text text = { 0 };
	va_list args;
	char *s;

	if (rc == DPR_RC_OK)
		return DPR_OK;
	va_start(args, format);
	text_print_args(&text, format, args);
	va_end(args);
	text_print(&text, ": ");
	plugin_print_error(&text, plugin, rc);
	text_print(&text, " [%s]", plugin->name);
	s = text_take(&text);
	if (!s)
		return fail_memory(plugin->name);
	status_record("%s", s);
	mem_free(s);
	return plugin_rc_status(plugin, rc);
}

dprp_rc plugin_broke(const struct plugin *plugin, const char *format, ...)
{
	struct text text = { 0 };
	va_list args;

	va_start(args, format);
	text_print_args(&text, format, args);
	va_end(args);
	plugin_note_error(plugin, DPR_RC_INTERNAL, 0, text_get(&text));
	text_fini(&text);
	return DPR_RC_INTERNAL;
}

dprp_rc plugin_made_nothing(const struct plugin *plugin, const char *entry,
			    dprp_rc rc)
{
	if (rc)
		return plugin_broke(
			plugin, "%s answered %d, a code that does not exist",
			entry, (int)rc);
	return plugin_broke(plugin, "%s answered DPR_RC_OK and gave no handle",
			    entry);
}

/* --- Native handles --------------------------------------------------------
 */

dprp_rc plugin_native_get(const struct plugin *plugin, uint32_t what,
			  void *handle, uintptr_t *out)
{
	if (!DPRP_HAS(plugin->desc, dprp_plugin, native_get))
		return DPR_RC_UNSUPPORTED;
	return plugin->desc->native_get(plugin->instance, what, handle, 0, out);
}

dprp_rc plugin_native_wrap(const struct plugin *plugin, uint32_t what,
			   dprp_context *parent, dprp_device *device,
			   uintptr_t in, uint64_t size, uint32_t own,
			   void **out)
{
	if (!DPRP_HAS(plugin->desc, dprp_plugin, native_wrap))
		return DPR_RC_UNSUPPORTED;
	return plugin->desc->native_wrap(plugin->instance, what, parent, device,
					 in, size, own, out);
}
