/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin.h - a loaded backend, as the rest of the runtime sees it.
 *
 * The tables have no gaps.  For a missing entry the loader has put in a
 * function that returns DPR_RC_UNSUPPORTED, or DPR_RC_NO_PATH where the core
 * has another way (fill, prefetch).
 */
#ifndef RUNTIME_PLUGIN_H
#define RUNTIME_PLUGIN_H

#include <stdatomic.h>
#include <stdbool.h>

#include <dpr/backend.h>
#include <dpr/status.h>

#include "core/base/text.h"
#include "core/runtime/plugin/options.h"

struct layer;

struct plugin {
	const dprp_plugin *desc;
	const char *name;        /* the name of the backend */
	dprp_instance *instance; /* NULL until the backend is open */
	dprp_device_ops device;
	dprp_context_ops context;
	dprp_queue_ops queue;
	dprp_event_ops event;
	dprp_mem_ops mem;
	dprp_module_ops module; /* struct_size 0: the backend has no modules */
	bool has_notify;        /* the plugin has its own event.notify */
	bool has_binary;        /* the plugin has its own module.binary */
	atomic_bool has_lost;   /* a device of the plugin is lost */
	dprp_host host;
	struct dprp_host_instance *self; /* see host_table.c */
	struct options options;
	unsigned rank; /* the order among backends: the smallest comes first */
	/* Around the plugin by DPR_LAYERS; NULL: the tables are the
	   plugin's. */
	struct layer *layer;
};

/*
 * Record an error for @rc, which an entry of @plugin has just returned to this
 * thread, and return its status.  The text has the operation, which @format
 * gives, then what the plugin told host->set_error() and the driver's code.
 * For DPR_RC_OK it returns DPR_OK and records nothing.
 */
dpr_status plugin_status(const struct plugin *plugin, dprp_rc rc,
			 const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The end of a text that says how a plugin broke the contract. */
#define PLUGIN_AGAINST(rule) ", against rule " rule " of dpr/backend.h"

/*
 * Record that the plugin broke @rule, a number of dpr/backend.h.  The text must
 * be a sentence that names the entry and its answer.  The rule is added to the
 * text, and both replace the error text that the plugin has set in this thread.
 * Returns DPR_RC_INTERNAL, for plugin_status().
 */
dprp_rc plugin_broke(const struct plugin *plugin, const char *rule,
		     const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * plugin_made() checks the answer of @entry, which makes an object.  Returns
 * @rc.  Success without a handle, or a code that does not exist, gives
 * DPR_RC_INTERNAL.  So do DPR_RC_CANNOT_WAIT and DPR_RC_HOST_MEMORY: where an
 * entry may answer them, the caller looks first.  plugin_checked() is for
 * entries that make nothing.  The cold functions record the fault with the
 * entry and its answer.  They also record a DPR_RC_INTERNAL without a text.
 */
dprp_rc plugin_answered(const struct plugin *plugin, const char *entry,
			dprp_rc rc);
static inline dprp_rc plugin_checked(const struct plugin *plugin,
				     const char *entry, dprp_rc rc)
{
	return rc > 0 || rc <= DPR_RC_INTERNAL
		       ? plugin_answered(plugin, entry, rc)
		       : rc;
}

dprp_rc plugin_made_nothing(const struct plugin *plugin, const char *entry,
			    dprp_rc rc);
static inline dprp_rc plugin_made(const struct plugin *plugin,
				  const char *entry, dprp_rc rc,
				  const void *handle)
{
	return rc > 0 || rc <= DPR_RC_INTERNAL || (!rc && !handle)
		       ? plugin_made_nothing(plugin, entry, rc)
		       : rc;
}

/* Whether @rc is one of the codes for failures, in the version of the interface
   with which @plugin was built. */
static inline bool plugin_rc_exists(const struct plugin *plugin, dprp_rc rc)
{
	return rc < 0 &&
	       rc >= (plugin->desc->abi_minor >= 2 ? DPR_RC_HOST_MEMORY
						   : DPR_RC_INTERNAL);
}

/* The status of the public API for @rc of @plugin; records no text.
   DPR_RC_DEP_FAILED counts as a lost device if the plugin has lost one. */
dpr_status plugin_rc_status(const struct plugin *plugin, dprp_rc rc);

/* Note what the plugin says in this thread about a failure with @rc; or forget
   what any plugin said in this thread. */
void plugin_note_error(const struct plugin *plugin, dprp_rc rc, int64_t native,
		       const char *text);
void plugin_forget_error(void);

/* Append the driver's code @native to a failure's @text, unless it is 0 or the
   plugin's words @said have it already. */
void plugin_print_native(struct text *text, const char *said, int64_t native);

/* Append the text that @plugin has set for @rc in this thread, or else a text
   for @rc.  Then forget the plugin's text. */
void plugin_print_error(struct text *text, const struct plugin *plugin,
			dprp_rc rc);

/* Get a native handle, or wrap one, with the optional entries of the
   descriptor. */
dprp_rc plugin_native_get(const struct plugin *plugin, uint32_t what,
			  void *handle, uintptr_t *out);
dprp_rc plugin_native_wrap(const struct plugin *plugin, uint32_t what,
			   dprp_context *parent, dprp_device *device,
			   uintptr_t in, uint64_t size, uint32_t own,
			   uint64_t *flags, void **out);

#endif
