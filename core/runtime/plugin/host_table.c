/* SPDX-License-Identifier: Apache-2.0 */
/* host_table.c - what the core offers to a plugin, and what it makes of its errors.
 */
#include "core/runtime/plugin/host_table.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdatomic.h>
#include <string.h>
#include <strings.h>

#include "core/base/env.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/suggest.h"
#include "core/base/text.h"

static const struct host_owner *owner;
static _Atomic(void (*)(uint64_t token, dprp_rc status)) event_done;

void host_set_owner(const struct host_owner *new_owner)
{
	owner = new_owner;
}

void host_set_event_done(void (*call)(uint64_t token, dprp_rc status))
{
	atomic_store_explicit(&event_done, call, memory_order_release);
}

struct dprp_host_instance {
	struct plugin *plugin;
	pthread_mutex_t lock;
	/* Guards the fields below. */
	struct text driver;   /* what dlopen said of driver libraries */
	struct text warnings; /* what it warned of while it was opened */
	struct text asked;    /* options asked for until then, each with a zero
				 behind it */
	char *last_set;       /* the last of those that has a value */
	int opened;
};

/* What a plugin said last in this thread. */
struct said {
	const struct plugin *plugin;
	dprp_rc rc;
	int64_t native;
	char *text;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int key_made;

static void said_destroy(void *pointer)
{
	struct said *said = pointer;

	mem_free(said->text);
	mem_free(said);
}

static void make_key(void)
{
	key_made = !pthread_key_create(&key, said_destroy);
}

static struct said *said_here(int make)
{
	struct said *said;

	pthread_once(&once, make_key);
	if (!key_made)
		return NULL;
	said = pthread_getspecific(key);
	if (said || !make)
		return said;
	said = mem_alloc(sizeof(*said));
	if (said && pthread_setspecific(key, said)) {
		mem_free(said);
		said = NULL;
	}
	return said;
}

void host_forget(void)
{
	struct said *said = said_here(0);

	if (said)
		said->plugin = NULL;
}

/* --- The services ----------------------------------------------------------
 */

static void *host_alloc(dprp_host_instance *self, size_t size)
{
	(void)self;
	return mem_lend(size);
}

static void host_free(dprp_host_instance *self, void *block)
{
	(void)self;
	mem_free(block);
}

static void host_log(dprp_host_instance *self, int32_t level, const char *line)
{
	if (level < DPR_LOG_ERROR || level > DPR_LOG_TRACE || !line)
		return;
	log_post((enum dpr_log_level)level, "%s: %s", self->plugin->name, line);
	if (level > DPR_LOG_WARN)
		return;
	pthread_mutex_lock(&self->lock);
	if (!self->opened)
		text_print(&self->warnings, "%s%s",
			   self->warnings.size ? "; " : "", line);
	pthread_mutex_unlock(&self->lock);
}

static void host_set_error(dprp_host_instance *self, dprp_rc rc, int64_t native,
			   const char *text)
{
	struct said *said = said_here(1);

	if (!said)
		return;
	mem_free(said->text);
	said->text = text ? mem_string(text) : NULL;
	said->plugin = self->plugin;
	said->rc = rc;
	said->native = native;
	log_post(DPR_LOG_DEBUG, "%s: error %d (driver %lld): %s",
		 self->plugin->name, (int)rc, (long long)native,
		 text ? text : "");
}

static const char *host_option(dprp_host_instance *self, const char *name)
{
	const char *value = name ? env_option(self->plugin->name, name) : NULL;

	if (!name)
		return NULL;
	pthread_mutex_lock(&self->lock);
	if (!self->opened) {
		text_add(&self->asked, name, strlen(name) + 1);
		if (value) {
			mem_free(self->last_set);
			self->last_set = mem_string(name);
		}
	}
	pthread_mutex_unlock(&self->lock);
	return value;
}

/* A library is named with its version, or by an absolute path: the bare
   libx.so is a developer's link, and may be a stub. */
static const char *name_problem(const char *name)
{
	const char *slash = strrchr(name, '/'), *end;

	if (slash && *name != '/')
		return "a relative path";
	end = strstr(slash ? slash : name, ".so");
	if (!slash && end && !end[3])
		return "a name without a version";
	return NULL;
}

static void *host_driver_open(dprp_host_instance *self,
			      const char *const *sonames, size_t count)
{
	const char *problem, *name;
	void *library;
	size_t i;

	for (i = 0; i < count; i++) {
		name = sonames[i]; /* dlerror() has it in its text */
		problem = name_problem(sonames[i]);
		if (!problem) {
			log_post(DPR_LOG_DEBUG, "%s: entering dlopen of %s",
				 self->plugin->name, sonames[i]);
			dlerror();
			library = dlopen(sonames[i],
					 RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
			if (library)
				return library;
			name = NULL;
			problem = dlerror();
		}
		pthread_mutex_lock(&self->lock);
		text_print(&self->driver, "%s%s%s%s",
			   self->driver.size ? "; " : "", name ? name : "",
			   name ? ": " : "", problem ? problem : sonames[i]);
		pthread_mutex_unlock(&self->lock);
	}
	return NULL;
}

static void *host_driver_sym(dprp_host_instance *self, void *library,
			     const char *symbol)
{
	(void)self;
	return library && symbol ? dlsym(library, symbol) : NULL;
}

static void host_event_done(dprp_host_instance *self, uint64_t token,
			    dprp_rc status)
{
	void (*done)(uint64_t, dprp_rc) =
		atomic_load_explicit(&event_done, memory_order_acquire);

	(void)self;
	if (done)
		done(token, status);
}

static void host_device_lost(dprp_host_instance *self, dprp_device *device,
			     const char *why)
{
	owner->device_lost(self->plugin, device, why);
}

dpr_status host_init(struct plugin *plugin)
{
	struct dprp_host_instance *self = mem_alloc(sizeof(*self));

	if (!self)
		return fail_memory("loading a plugin");
	pthread_mutex_init(&self->lock, NULL);
	self->plugin = plugin;
	plugin->self = self;
	plugin->host = (dprp_host){
		.struct_size = sizeof(dprp_host),
		.abi_minor = DPRP_ABI_MINOR,
		.self = self,
		.alloc = host_alloc,
		.free = host_free,
		.log = host_log,
		.set_error = host_set_error,
		.option = host_option,
		.driver_open = host_driver_open,
		.driver_sym = host_driver_sym,
		.event_done = host_event_done,
		.device_lost = host_device_lost,
	};
	return DPR_OK;
}

void host_fini(struct plugin *plugin)
{
	if (!plugin->self)
		return;
	text_fini(&plugin->self->driver);
	text_fini(&plugin->self->warnings);
	text_fini(&plugin->self->asked);
	mem_free(plugin->self->last_set);
	pthread_mutex_destroy(&plugin->self->lock);
	mem_free(plugin->self);
	plugin->self = NULL;
}

/* --- Errors ----------------------------------------------------------------
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
	case DPR_RC_TIMEOUT: return "the time for waiting has passed";
	case DPR_RC_DEP_FAILED: return "something that it depends on failed";
	case DPR_RC_DEVICE_LOST: return "the device does not answer any more";
	case DPR_RC_NO_PATH: return "the backend has no way to do this";
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

static void add_rc(struct text *text, dprp_rc rc)
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
		return owner && owner->has_lost(plugin) ? DPR_ERROR_DEVICE_LOST
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

/* Append what @plugin said in this thread about @rc, else the words of @rc. */
static void add_said(struct text *text, const struct plugin *plugin, dprp_rc rc)
{
	struct said *said = said_here(0);

	if (!said || said->plugin != plugin || said->rc != rc) {
		add_rc(text, rc);
		return;
	}
	if (said->text && *said->text)
		text_print(text, "%s", said->text);
	else
		add_rc(text, rc);
	if (said->native)
		text_print(text, " (driver code %lld)",
			   (long long)said->native);
	said->plugin = NULL;
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
	add_said(&text, plugin, rc);
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
	host_set_error(plugin->self, DPR_RC_INTERNAL, 0, text_get(&text));
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

void host_warn(const struct plugin *plugin, const char *line)
{
	host_log(plugin->self, DPR_LOG_WARN, line);
}

char *host_report(const struct plugin *plugin, dprp_rc rc)
{
	struct dprp_host_instance *self = plugin->self;
	struct text text = { 0 };

	add_said(&text, plugin, rc);
	pthread_mutex_lock(&self->lock);
	if (self->driver.size)
		text_print(&text, "; %s", self->driver.bytes);
	pthread_mutex_unlock(&self->lock);
	return text_take(&text);
}

char *host_opened(const struct plugin *plugin)
{
	struct dprp_host_instance *self = plugin->self;
	char *warnings = NULL;

	pthread_mutex_lock(&self->lock);
	self->opened = 1;
	if (self->warnings.size)
		warnings = text_take(&self->warnings);
	text_fini(&self->warnings);
	pthread_mutex_unlock(&self->lock);
	return warnings;
}

/* --- Options ---------------------------------------------------------------
 */

/* Whether the variable with @option behind @plugin's name belongs to another
   backend, of which the name is longer: mock_bare besides mock. */
struct longer {
	const char *plugin, *rest;
	int found;
};

static void visit_name(void *user, const char *name)
{
	struct longer *longer = user;
	size_t n = strlen(longer->plugin), more = strlen(name);

	longer->found |= more > n + 1 && !strncmp(name, longer->plugin, n) &&
			 name[n] == '_' &&
			 !strncasecmp(name + n + 1, longer->rest, more - n - 1);
}

static int is_anothers(const struct plugin *plugin, const char *option)
{
	struct longer longer = { plugin->name, option, 0 };

	owner->names(visit_name, &longer);
	return longer.found;
}

static dpr_status no_such_option(const struct dprp_host_instance *self,
				 const char *variable, const char *option)
{
	struct nearest nearest = nearest_start(option, strlen(option));
	struct text text = { 0 };
	dpr_status status;
	size_t at;
	char *why;

	text_print(&text, "backend %s has no such option; it has: ",
		   self->plugin->name);
	for (at = 0; at < self->asked.size;
	     at += strlen(self->asked.bytes + at) + 1) {
		text_print(&text, "%s%s", at ? ", " : "",
			   self->asked.bytes + at);
		nearest_offer(&nearest, self->asked.bytes + at);
	}
	if (!self->asked.size)
		text_print(&text, "none");
	if (nearest.best)
		text_print(&text, "; did you mean " ENV_OPTION "%.*s%s?",
			   (int)(option - variable - strlen(ENV_OPTION)),
			   variable + strlen(ENV_OPTION), nearest.best);
	why = text_take(&text);
	if (!why)
		return fail_memory(variable);
	env_note_unknown(variable, why);
	status = fail(DPR_ERROR_ENVIRONMENT, "%s: %s",
		      text_quote(variable).bytes, why);
	mem_free(why);
	return status;
}

static int was_asked(const struct dprp_host_instance *self, const char *option)
{
	size_t at;

	for (at = 0; at < self->asked.size;
	     at += strlen(self->asked.bytes + at) + 1)
		if (!strcasecmp(self->asked.bytes + at, option))
			return 1;
	return 0;
}

dpr_status host_check_options(const struct plugin *plugin)
{
	struct dprp_host_instance *self = plugin->self;
	const char *variable = NULL, *option;
	dpr_status status = DPR_OK;

	pthread_mutex_lock(&self->lock);
	while (!status && !self->asked.failed &&
	       (variable = env_option_next(plugin->name, variable, &option)))
		if (!was_asked(self, option) && !is_anothers(plugin, option))
			status = no_such_option(self, variable, option);
	pthread_mutex_unlock(&self->lock);
	return status;
}

dpr_status host_check_value(const struct plugin *plugin, dprp_rc rc,
			    const char *why)
{
	struct dprp_host_instance *self = plugin->self;
	const char *variable = NULL, *option;

	if (rc != DPR_RC_INVALID)
		return DPR_OK;
	pthread_mutex_lock(&self->lock);
	do
		variable = env_option_next(plugin->name, variable, &option);
	while (variable &&
	       (!self->last_set || strcasecmp(option, self->last_set)));
	pthread_mutex_unlock(&self->lock);
	if (!variable)
		return DPR_OK;
	env_note(variable, why);
	return fail(DPR_ERROR_ENVIRONMENT, "%s=\"%s\": %s",
		    text_quote(variable).bytes,
		    text_quote(env_get(variable)).bytes, why);
}

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
