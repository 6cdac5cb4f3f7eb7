/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - what the return codes of a plugin mean, and native handles. */
#include "core/runtime/plugin/plugin.h"

#include <ctype.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

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

/* The last error of this thread.  If there is none: NULL, or with @make a new
   one, which is NULL if memory runs out. */
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

void plugin_forget_error(void)
{
	struct last_error *last = last_error_here(false);

	if (last)
		last->plugin = NULL;
}

/* --- Words and statuses ----------------------------------------------------
 */

/* What each code means; the index is the code without its sign. */
static const struct code {
	dpr_status status;
	const char *text;
} codes[] = {
	[-DPR_RC_OK] = { DPR_OK, "success" },
	[-DPR_RC_INVALID] = { DPR_ERROR_INVALID_ARGUMENT, "invalid argument" },
	[-DPR_RC_UNSUPPORTED] = { DPR_ERROR_UNSUPPORTED, "not supported" },
	[-DPR_RC_NO_DRIVER] = { DPR_ERROR_PLUGIN, "no driver is installed" },
	[-DPR_RC_NO_DEVICE] = { DPR_ERROR_PLUGIN, "the driver has no device" },
	[-DPR_RC_OOM_HOST] = { DPR_ERROR_OUT_OF_MEMORY, "out of host memory" },
	[-DPR_RC_OOM_DEVICE] = { DPR_ERROR_OUT_OF_DEVICE_MEMORY,
				 "out of device memory" },
	[-DPR_RC_BUILD] = { DPR_ERROR_BUILD, "the program did not build" },
	[-DPR_RC_TIMEOUT] = { DPR_ERROR_TIMEOUT, "the wait has timed out" },
	[-DPR_RC_DEP_FAILED] = { DPR_ERROR_DRIVER,
				 "an operation that it depends on failed" },
	[-DPR_RC_DEVICE_LOST] = { DPR_ERROR_DEVICE_LOST,
				  "the device no longer responds" },
	[-DPR_RC_NO_PATH] = { DPR_ERROR_UNSUPPORTED,
			      "the backend does not support this" },
	[-DPR_RC_FORKED] = { DPR_ERROR_FORKED, "opened before fork()" },
	[-DPR_RC_SHUTDOWN] = { DPR_ERROR_SHUTDOWN, "already closed" },
	[-DPR_RC_NATIVE] = { DPR_ERROR_DRIVER, "the driver refused" },
	[-DPR_RC_ABI] = { DPR_ERROR_PLUGIN,
			  "the core broke the plugin contract" },
	[-DPR_RC_INTERNAL] = { DPR_ERROR_INTERNAL,
			       "the plugin answered DPR_RC_INTERNAL and did "
			       "not say why" PLUGIN_AGAINST("E2") },
	[-DPR_RC_CANNOT_WAIT] = { DPR_ERROR_UNSUPPORTED,
				  "the driver cannot wait for these "
				  "dependencies" },
	[-DPR_RC_HOST_MEMORY] = { DPR_ERROR_UNSUPPORTED,
				  "the driver does not take this host "
				  "memory" },
};
#define N_CODES ((dprp_rc)(sizeof(codes) / sizeof(*codes)))

/* Find the meaning of @rc.  NULL: there is no such code. */
static const struct code *find_code(dprp_rc rc)
{
	return rc <= 0 && rc > -N_CODES ? &codes[-rc] : NULL;
}

static void print_rc(struct text *text, dprp_rc rc)
{
	const struct code *code = find_code(rc);

	if (code)
		text_print(text, "%s", code->text);
	else
		text_print(text,
			   "the plugin answered %d, a code that does not "
			   "exist" PLUGIN_AGAINST("E1"),
			   (int)rc);
}

/* Whether @said has the number @digits, not as a part of another one. */
static bool has_number(const char *said, const char *digits)
{
	const size_t size = strlen(digits);
	const char *at = said;

	for (; (at = strstr(at, digits)); at++)
		if ((at == said || !isalnum((unsigned char)at[-1])) &&
		    !isalnum((unsigned char)at[size]))
			return true;
	return false;
}

void plugin_print_native(struct text *text, const char *said, int64_t native)
{
	char decimal[24], hexadecimal[24];

	snprintf(decimal, sizeof(decimal), "%" PRId64, native);
	snprintf(hexadecimal, sizeof(hexadecimal), "%#" PRIx64,
		 (uint64_t)native);
	if (native && !(said && (has_number(said, decimal) ||
				 has_number(said, hexadecimal))))
		text_print(text, " (driver code %s)", decimal);
}

/* Many errors are answers that the core expects, such as UNSUPPORTED. */
static void log_error(const struct plugin *plugin,
		      const struct last_error *last)
{
	struct text text = { 0 };

	if (!log_wants(DPR_LOG_DEBUG))
		return;
	print_rc(&text, last->rc);
	if (last->text && *last->text)
		text_print(&text, ": %s", last->text);
	plugin_print_native(&text, last->text, last->native);
	log_post(DPR_LOG_DEBUG, "%s: %s", plugin->name, text_get(&text));
	text_fini(&text);
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
	log_error(plugin, last);
}

dpr_status plugin_rc_status(const struct plugin *plugin, dprp_rc rc)
{
	const struct code *code = find_code(rc);

	if (rc == DPR_RC_DEP_FAILED && atomic_load(&plugin->has_lost))
		return DPR_ERROR_DEVICE_LOST;
	return code ? code->status : DPR_ERROR_INTERNAL;
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
	plugin_print_native(text, last->text, last->native);
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

dprp_rc plugin_broke(const struct plugin *plugin, const char *rule,
		     const char *format, ...)
{
	struct text text = { 0 };
	va_list args;

	va_start(args, format);
	text_print_args(&text, format, args);
	va_end(args);
	text_print(&text, PLUGIN_AGAINST("%s"), rule);
	plugin_note_error(plugin, DPR_RC_INTERNAL, 0, text_get(&text));
	text_fini(&text);
	return DPR_RC_INTERNAL;
}

dprp_rc plugin_answered(const struct plugin *plugin, const char *entry,
			dprp_rc rc)
{
	const struct last_error *last = last_error_here(false);

	if (!plugin_rc_exists(plugin, rc))
		return plugin_broke(
			plugin, "E1",
			"%s answered %d, a code that does not exist", entry,
			(int)rc);
	if (rc == DPR_RC_CANNOT_WAIT)
		return plugin_broke(plugin, "S8",
				    "%s answered DPR_RC_CANNOT_WAIT, which is "
				    "for submissions with dependencies",
				    entry);
	if (rc == DPR_RC_HOST_MEMORY)
		return plugin_broke(plugin, "S9",
				    "%s answered DPR_RC_HOST_MEMORY, which is "
				    "for write and read",
				    entry);
	if (last && last->plugin == plugin && last->rc == rc && last->text &&
	    *last->text)
		return rc;
	return plugin_broke(plugin, "E2",
			    "%s answered DPR_RC_INTERNAL and did not say why",
			    entry);
}

dprp_rc plugin_made_nothing(const struct plugin *plugin, const char *entry,
			    dprp_rc rc)
{
	if (rc)
		return plugin_answered(plugin, entry, rc);
	return plugin_broke(plugin, "P1",
			    "%s answered DPR_RC_OK but gave no handle", entry);
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
			   uint64_t *flags, void **out)
{
	if (!DPRP_HAS(plugin->desc, dprp_plugin, native_wrap))
		return DPR_RC_UNSUPPORTED;
	return plugin->desc->native_wrap(plugin->instance, what, parent, device,
					 in, size, own, flags, out);
}
