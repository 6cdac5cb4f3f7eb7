/* SPDX-License-Identifier: Apache-2.0 */
/* host_table.c - the table of functions that the core offers to a plugin. */
#include "core/runtime/plugin/host_table.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"

static void (*device_lost)(struct plugin *plugin, const dprp_device *device,
			   const char *why);
static _Atomic(void (*)(uint64_t token, dprp_rc status)) event_done;

struct dprp_host_instance {
	struct plugin *plugin;
	pthread_mutex_t lock;
	/* Guards the fields below. */
	struct text driver;   /* errors of dlopen() for driver libraries */
	struct text warnings; /* warnings while the plugin was being opened */
	bool opened;
};

void host_table_set_device_lost(void (*call)(struct plugin *plugin,
					     const dprp_device *device,
					     const char *why))
{
	device_lost = call;
}

void host_table_set_event_done(void (*call)(uint64_t token, dprp_rc status))
{
	atomic_store_explicit(&event_done, call, memory_order_release);
}

/* --- The services ----------------------------------------------------------
 */

static void *entry_alloc(dprp_host_instance *self, size_t size)
{
	(void)self;
	return mem_lend(size);
}

static void entry_free(dprp_host_instance *self, void *block)
{
	(void)self;
	mem_free(block);
}

static void entry_log(dprp_host_instance *self, int32_t level, const char *line)
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

static void entry_set_error(dprp_host_instance *self, dprp_rc rc,
			    int64_t native, const char *text)
{
	plugin_note_error(self->plugin, rc, native, text);
}

static const char *entry_option(dprp_host_instance *self, const char *name)
{
	return name ? options_get(&self->plugin->options, name) : NULL;
}

/* What is wrong with the name of a driver library, or NULL.  It needs a version
   or an absolute path: the bare libx.so is a developer's link, and may be a
   stub. */
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

static void *entry_driver_open(dprp_host_instance *self,
			       const char *const *sonames, size_t count)
{
	const char *problem, *name;
	void *library;
	size_t i;

	for (i = 0; i < count; i++) {
		name = sonames[i]; /* NULL with a text of dlerror(), which has
				      the name */
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

static void *entry_driver_sym(dprp_host_instance *self, void *library,
			      const char *symbol)
{
	(void)self;
	return library && symbol ? dlsym(library, symbol) : NULL;
}

static void entry_event_done(dprp_host_instance *self, uint64_t token,
			     dprp_rc status)
{
	void (*done)(uint64_t, dprp_rc) =
		atomic_load_explicit(&event_done, memory_order_acquire);

	(void)self;
	if (done)
		done(token, status);
}

static void entry_device_lost(dprp_host_instance *self, dprp_device *device,
			      const char *why)
{
	device_lost(self->plugin, device, why);
}

dpr_status host_table_init(struct plugin *plugin)
{
	struct dprp_host_instance *self = mem_alloc(sizeof(*self));

	if (!self)
		return fail_memory("loading a plugin");
	pthread_mutex_init(&self->lock, NULL);
	self->plugin = plugin;
	plugin->self = self;
	options_init(&plugin->options, plugin->name);
	plugin->host = (dprp_host){
		.struct_size = sizeof(dprp_host),
		.abi_minor = DPRP_ABI_MINOR,
		.self = self,
		.alloc = entry_alloc,
		.free = entry_free,
		.log = entry_log,
		.set_error = entry_set_error,
		.option = entry_option,
		.driver_open = entry_driver_open,
		.driver_sym = entry_driver_sym,
		.event_done = entry_event_done,
		.device_lost = entry_device_lost,
	};
	return DPR_OK;
}

void host_table_fini(struct plugin *plugin)
{
	if (!plugin->self)
		return;
	text_fini(&plugin->self->driver);
	text_fini(&plugin->self->warnings);
	options_fini(&plugin->options);
	pthread_mutex_destroy(&plugin->self->lock);
	mem_free(plugin->self);
	plugin->self = NULL;
}

void host_table_warn(const struct plugin *plugin, const char *line)
{
	entry_log(plugin->self, DPR_LOG_WARN, line);
}

char *host_table_report(const struct plugin *plugin, dprp_rc rc)
{
	struct dprp_host_instance *self = plugin->self;
	struct text text = { 0 };

	plugin_print_error(&text, plugin, rc);
	pthread_mutex_lock(&self->lock);
	if (self->driver.size)
		text_print(&text, "; %s", self->driver.bytes);
	pthread_mutex_unlock(&self->lock);
	return text_take(&text);
}

char *host_table_opened(struct plugin *plugin)
{
	struct dprp_host_instance *self = plugin->self;
	char *warnings = NULL;

	options_close(&plugin->options);
	pthread_mutex_lock(&self->lock);
	self->opened = true;
	if (self->warnings.size)
		warnings = text_take(&self->warnings);
	text_fini(&self->warnings);
	pthread_mutex_unlock(&self->lock);
	return warnings;
}
