/* SPDX-License-Identifier: Apache-2.0 */
/*
 * descriptor.c - reads a plugin's descriptor without trusting it.
 *
 * Before a pointer is dereferenced, it is checked to be in the segments of the
 * plugin file.  Before it is called, it is checked to be in an executable
 * segment.
 */
#include "core/runtime/plugin/descriptor.h"

#include <dlfcn.h>
#include <link.h>
#include <stdalign.h>
#include <stdbool.h>
#include <string.h>

/* Larger sizes and longer strings are taken as garbage. */
#define MAX_TABLE 65536
#define MAX_STRING 4096

/* A loaded file: its address and its program headers, which stay mapped. */
struct object {
	uintptr_t base;
	const ElfW(Phdr) * headers;
	size_t n_headers;
};

static int is_object(struct dl_phdr_info *info, size_t size, void *user)
{
	struct object *object = user;

	(void)size;
	if (info->dlpi_addr != object->base)
		return 0;
	object->headers = info->dlpi_phdr;
	object->n_headers = info->dlpi_phnum;
	return 1;
}

static bool find_object(void *handle, struct object *object)
{
	struct link_map *map = NULL;

	if (dlinfo(handle, RTLD_DI_LINKMAP, &map) || !map)
		return false;
	object->base = map->l_addr;
	return dl_iterate_phdr(is_object, object);
}

/* How many bytes from @pointer on lie within the file's part of one segment; 0
   if none do.  With @executable the segment must be executable, else
   readable. */
static size_t extent(const struct object *object, const void *pointer,
		     int executable)
{
	uintptr_t at = (uintptr_t)pointer;
	size_t i;

	for (i = 0; i < object->n_headers; i++) {
		const ElfW(Phdr) *h = &object->headers[i];
		uintptr_t start = object->base + h->p_vaddr;

		if (h->p_type != PT_LOAD || at < start ||
		    at - start >= h->p_filesz)
			continue;
		if (executable ? !(h->p_flags & PF_X) : !(h->p_flags & PF_R))
			continue;
		return h->p_filesz - (at - start);
	}
	return 0;
}

/* --- Tables ----------------------------------------------------------------
 */

typedef void (*any_function)(void);

/* An entry of a table: its name, its offset in the table, whether it is
   required, and the function to use if it is missing. */
struct descriptor_entry {
	const char *name;
	size_t offset;
	bool required;
	any_function fallback;
};

struct table {
	const char *name;
	/* least: the bytes of version 1.0, which every plugin's table has.
	   size: the bytes of this core's version; missing bytes are zero. */
	size_t least, size;
	const struct descriptor_entry *entries;
	size_t n_entries;
};

static dprp_rc no_partition(dprp_device *device, const dprp_partition *how,
			    dprp_device **out, uint32_t capacity, uint32_t *n)
{
	(void)device, (void)how, (void)out, (void)capacity, (void)n;
	return DPR_RC_UNSUPPORTED;
}

static dprp_rc no_peer(dprp_device *from, dprp_device *to, uint32_t *caps)
{
	(void)from, (void)to;
	*caps = 0;
	return DPR_RC_OK;
}

static dprp_rc no_clocks(dprp_device *device, uint64_t *device_ns,
			 uint64_t *host_ns)
{
	(void)device, (void)device_ns, (void)host_ns;
	return DPR_RC_UNSUPPORTED;
}

static dprp_rc no_fill(dprp_queue *queue, dprp_mem *to, uint64_t offset,
		       uint64_t size, const void *pattern, size_t pattern_size,
		       const dprp_deps *deps, dprp_event **event)
{
	(void)queue, (void)to, (void)offset, (void)size, (void)pattern;
	(void)pattern_size, (void)deps, (void)event;
	return DPR_RC_NO_PATH;
}

static dprp_rc no_prefetch(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
			   uint64_t size, const dprp_deps *deps,
			   dprp_event **event)
{
	(void)queue, (void)mem, (void)offset, (void)size, (void)deps;
	(void)event;
	return DPR_RC_NO_PATH;
}

/* A plugin may ignore advice. */
static dprp_rc no_advise(dprp_queue *queue, dprp_mem *mem, uint64_t offset,
			 uint64_t size, uint32_t advice)
{
	(void)queue, (void)mem, (void)offset, (void)size, (void)advice;
	return DPR_RC_OK;
}

static dprp_rc no_launch(dprp_queue *queue, dprp_kernel *kernel,
			 const dprp_launch *launch, const dprp_deps *deps,
			 dprp_event **event)
{
	(void)queue, (void)kernel, (void)launch, (void)deps, (void)event;
	return DPR_RC_UNSUPPORTED;
}

static dprp_rc no_notify(dprp_event *event, uint64_t token)
{
	(void)event, (void)token;
	return DPR_RC_UNSUPPORTED;
}

static dprp_rc no_ipc_export(dprp_mem *mem, dprp_ipc *out)
{
	(void)mem, (void)out;
	return DPR_RC_UNSUPPORTED;
}

static dprp_rc no_ipc_import(dprp_context *context, dprp_device *device,
			     const dprp_ipc *from, dprp_mem **out)
{
	(void)context, (void)device, (void)from, (void)out;
	return DPR_RC_UNSUPPORTED;
}

static dprp_rc no_binary(dprp_module *module, dprp_sink out)
{
	(void)module, (void)out;
	return DPR_RC_UNSUPPORTED;
}

#define R(T, member)                                  \
	{                                             \
#member, offsetof(T, member), 1, NULL \
	}
#define O(T, member)                                                       \
	{                                                                  \
#member, offsetof(T, member), 0, (any_function)no_##member \
	}
#define N(entries) entries, sizeof(entries) / sizeof(*(entries))

static const struct descriptor_entry device_entries[] = {
	R(dprp_device_ops, count), R(dprp_device_ops, get),
	R(dprp_device_ops, info),  O(dprp_device_ops, partition),
	O(dprp_device_ops, peer),  O(dprp_device_ops, clocks),
};

static const struct descriptor_entry context_entries[] = {
	R(dprp_context_ops, create),
	R(dprp_context_ops, destroy),
};

static const struct descriptor_entry queue_entries[] = {
	R(dprp_queue_ops, create),   R(dprp_queue_ops, destroy),
	R(dprp_queue_ops, flush),    R(dprp_queue_ops, finish),
	R(dprp_queue_ops, barrier),  R(dprp_queue_ops, write),
	R(dprp_queue_ops, read),     R(dprp_queue_ops, copy),
	O(dprp_queue_ops, launch),   O(dprp_queue_ops, fill),
	O(dprp_queue_ops, prefetch), O(dprp_queue_ops, advise),
};

static const struct descriptor_entry event_entries[] = {
	R(dprp_event_ops, status),
	R(dprp_event_ops, wait),
	R(dprp_event_ops, destroy),
	O(dprp_event_ops, notify),
};

static const struct descriptor_entry mem_entries[] = {
	R(dprp_mem_ops, alloc),      R(dprp_mem_ops, free),
	R(dprp_mem_ops, info),       O(dprp_mem_ops, ipc_export),
	O(dprp_mem_ops, ipc_import),
};

static const struct descriptor_entry module_entries[] = {
	R(dprp_module_ops, pick),        R(dprp_module_ops, create),
	R(dprp_module_ops, destroy),     O(dprp_module_ops, binary),
	R(dprp_module_ops, kernel),      R(dprp_module_ops, kernel_destroy),
	R(dprp_module_ops, kernel_info),
};

static const struct table device_table = {
	"device", DPRP_SIZE_TO(dprp_device_ops, clocks),
	sizeof(dprp_device_ops), N(device_entries)
};
static const struct table context_table = {
	"context", DPRP_SIZE_TO(dprp_context_ops, destroy),
	sizeof(dprp_context_ops), N(context_entries)
};
static const struct table queue_table = { "queue",
					  DPRP_SIZE_TO(dprp_queue_ops, advise),
					  sizeof(dprp_queue_ops),
					  N(queue_entries) };
static const struct table event_table = { "event",
					  DPRP_SIZE_TO(dprp_event_ops, notify),
					  sizeof(dprp_event_ops),
					  N(event_entries) };
static const struct table mem_table = { "mem",
					DPRP_SIZE_TO(dprp_mem_ops, ipc_import),
					sizeof(dprp_mem_ops), N(mem_entries) };
static const struct table module_table = {
	"module", DPRP_SIZE_TO(dprp_module_ops, kernel_info),
	sizeof(dprp_module_ops), N(module_entries)
};

static any_function entry_of(const void *table, size_t offset)
{
	any_function function;

	memcpy(&function, (const char *)table + offset, sizeof(function));
	return function;
}

/* Whether @pointer points to a readable, aligned struct that begins with its
   size.  Sets *@size to that. */
static bool is_sized(const struct object *object, const void *pointer,
		     size_t *size)
{
	if ((uintptr_t)pointer % alignof(max_align_t) % sizeof(void *) ||
	    extent(object, pointer, 0) < sizeof(size_t))
		return false;
	memcpy(size, pointer, sizeof(*size));
	return true;
}

/* The check_ and read_ functions below return whether all is right.  If not,
   the reason is in @why. */

static bool refuse(struct text *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool refuse(struct text *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_print_args(why, format, args);
	va_end(args);
	return false;
}

static bool check_entries(const struct object *object,
			  const struct table *table, void *copy,
			  struct text *why)
{
	bool right = true;
	size_t i;

	for (i = 0; i < table->n_entries; i++) {
		const struct descriptor_entry *e = &table->entries[i];
		any_function function = entry_of(copy, e->offset);

		if (!function && e->required) {
			text_print(why, "%s%s.%s",
				   right ? "required entries are missing: "
					 : ", ",
				   table->name, e->name);
			right = false;
		} else if (!function) {
			memcpy((char *)copy + e->offset, &e->fallback,
			       sizeof(e->fallback));
		}
	}
	if (!right)
		return refuse(why, PLUGIN_AGAINST("G6"));
	for (i = 0; i < table->n_entries; i++) {
		const struct descriptor_entry *e = &table->entries[i];
		any_function function = entry_of(copy, e->offset);

		if (function != e->fallback &&
		    !extent(object, (void *)function, 1)) {
			text_print(why,
				   "the entry %s.%s points outside the "
				   "plugin's code" PLUGIN_AGAINST("D5"),
				   table->name, e->name);
			return false;
		}
	}
	return true;
}

/* Copy the plugin's table @from into the core's table @to. */
static bool read_table(const struct object *object, const struct table *table,
		       const void *from, void *to, struct text *why)
{
	size_t size;

	if (!from)
		return refuse(why,
			      "the required table \"%s\" is missing"
			      ", against rule G6 of dpr/backend.h",
			      table->name);
	if (!is_sized(object, from, &size))
		return refuse(why,
			      "the table \"%s\" lies outside the plugin's file"
			      ", against rule D5 of dpr/backend.h",
			      table->name);
	if (size < table->least || size > MAX_TABLE)
		return refuse(why,
			      "the table \"%s\" has a struct_size of %zu; it "
			      "must be %zu to %d" PLUGIN_AGAINST("G5"),
			      table->name, size, table->least, MAX_TABLE);
	if (extent(object, from, 0) < size)
		return refuse(why,
			      "the table \"%s\" reaches beyond the plugin's "
			      "file" PLUGIN_AGAINST("D5"),
			      table->name);
	memset(to, 0, table->size);
	memcpy(to, from, size < table->size ? size : table->size);
	memcpy(to, &table->size, sizeof(table->size));
	return check_entries(object, table, to, why);
}

/* --- The descriptor --------------------------------------------------------
 */

/* Check that a string of the descriptor is in the file, terminated and
   short. */
static bool check_string(const struct object *object, const char *string,
			 const char *what, struct text *why)
{
	size_t room = extent(object, string, 0);

	if (!room)
		return refuse(
			why,
			"the string \"%s\" of its descriptor lies outside "
			"the plugin's file",
			what);
	if (room > MAX_STRING)
		room = MAX_STRING;
	if (memchr(string, '\0', room))
		return true;
	return refuse(why,
		      "the string \"%s\" of its descriptor is not terminated "
		      "within %d bytes" PLUGIN_AGAINST("D2"),
		      what, MAX_STRING);
}

static bool check_name(const char *name, struct text *why)
{
	size_t n = strlen(name);

	if (n >= 2 && n <= 32 && name[0] >= 'a' && name[0] <= 'z' &&
	    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == n)
		return true;
	return refuse(why,
		      "its name \"%.40s\" is not allowed; a name has 2 to 32 "
		      "characters of a-z, 0-9 and _, and begins with a letter"
		      ", against rule D3 of dpr/backend.h",
		      name);
}

static bool check_versions(const dprp_plugin *desc, struct text *why)
{
	if (desc->magic != DPRP_MAGIC)
		return refuse(why, "its descriptor has the wrong magic number"
				   ", against rule D1 of dpr/backend.h");
	if (desc->abi_major != DPRP_ABI_MAJOR)
		return refuse(why,
			      "it was built for version %u of the plugin "
			      "interface; this dpr has version %d",
			      (unsigned)desc->abi_major, DPRP_ABI_MAJOR);
	if (desc->min_host_minor > DPRP_ABI_MINOR)
		return refuse(why,
			      "it needs version %d.%u of the plugin interface; "
			      "this dpr has %d.%d: install a newer dpr",
			      DPRP_ABI_MAJOR, (unsigned)desc->min_host_minor,
			      DPRP_ABI_MAJOR, DPRP_ABI_MINOR);
	if (desc->flags)
		return refuse(
			why,
			"its descriptor has flags 0x%x, which this dpr does "
			"not know: install a newer dpr",
			(unsigned)desc->flags);
	return true;
}

/* Check a string of the descriptor that may be NULL. */
static bool check_advice(const struct object *object, const char *string,
			 const char *what, struct text *why)
{
	return !string || check_string(object, string, what, why);
}

static bool check_rank(const dprp_plugin *desc, struct text *why)
{
	if (desc->rank >= DPRP_RANK_NATIVE && desc->rank <= DPRP_RANK_HOST)
		return true;
	return refuse(why,
		      "its descriptor has the rank %u, but this dpr knows only "
		      "%d to %d" PLUGIN_AGAINST("D1"),
		      (unsigned)desc->rank, DPRP_RANK_NATIVE, DPRP_RANK_HOST);
}

static bool check_descriptor(const struct object *object,
			     const dprp_plugin *desc, struct text *why)
{
	const size_t size_1_0 = DPRP_SIZE_TO(dprp_plugin, advice_no_device);

	if (!desc)
		return refuse(why, DPRP_ENTRY_SYMBOL " returned NULL");
	if ((uintptr_t)desc % alignof(dprp_plugin) ||
	    extent(object, desc, 0) < size_1_0)
		return refuse(why,
			      "its descriptor lies outside the plugin's file"
			      ", against rule D5 of dpr/backend.h");
	if (!check_versions(desc, why))
		return false;
	if (desc->struct_size < size_1_0 || desc->struct_size > MAX_TABLE ||
	    extent(object, desc, 0) < desc->struct_size)
		return refuse(
			why,
			"its descriptor has a struct_size of %zu; it must "
			"be %zu to %d and inside the file" PLUGIN_AGAINST("G5"),
			desc->struct_size, size_1_0, MAX_TABLE);
	return check_string(object, desc->name, "name", why) &&
	       check_string(object, desc->version, "version", why) &&
	       check_string(object, desc->description, "description", why) &&
	       check_string(object, desc->license, "license", why) &&
	       check_advice(object, desc->advice_no_driver, "advice_no_driver",
			    why) &&
	       check_advice(object, desc->advice_no_device, "advice_no_device",
			    why) &&
	       check_rank(desc, why) && check_name(desc->name, why);
}

static bool check_function(const struct object *object, any_function function,
			   bool required, const char *name, struct text *why)
{
	if (!function && !required)
		return true;
	if (!function)
		text_print(
			why,
			"required entries are missing: %s" PLUGIN_AGAINST("G6"),
			name);
	else if (!extent(object, (void *)function, 1))
		text_print(why,
			   "the entry %s points outside the plugin's code"
			   ", against rule D5 of dpr/backend.h",
			   name);
	else
		return true;
	return false;
}

static bool check_functions(const struct object *object,
			    const dprp_plugin *desc, struct text *why)
{
	return check_function(object, (any_function)desc->open, true, "open",
			      why) &&
	       check_function(object, (any_function)desc->close, true, "close",
			      why) &&
	       check_function(object, (any_function)desc->extension, false,
			      "extension", why) &&
	       check_function(object, (any_function)desc->native_get, false,
			      "native_get", why) &&
	       check_function(object, (any_function)desc->native_wrap, false,
			      "native_wrap", why);
}

static bool read_tables(const struct object *object, const dprp_plugin *desc,
			struct plugin *plugin, struct text *why)
{
	if (!read_table(object, &device_table, desc->device, &plugin->device,
			why) ||
	    !read_table(object, &context_table, desc->context, &plugin->context,
			why) ||
	    !read_table(object, &queue_table, desc->queue, &plugin->queue,
			why) ||
	    !read_table(object, &event_table, desc->event, &plugin->event,
			why) ||
	    !read_table(object, &mem_table, desc->mem, &plugin->mem, why))
		return false;
	plugin->has_notify = plugin->event.notify != no_notify;
	if (!desc->module)
		return true;
	if (plugin->queue.launch == no_launch)
		return refuse(why, "required entries are missing: queue.launch "
				   "(required because the plugin has a module "
				   "table)" PLUGIN_AGAINST("G6"));
	if (!read_table(object, &module_table, desc->module, &plugin->module,
			why))
		return false;
	plugin->has_binary = plugin->module.binary != no_binary;
	return true;
}

bool descriptor_read(void *handle, void *entry, struct plugin *plugin,
		     struct text *why)
{
	struct object object = { 0 };
	const dprp_plugin *desc;
	dprp_entry_fn function;

	if (!find_object(handle, &object))
		return refuse(why,
			      "the dynamic linker does not report its address");
	if (!extent(&object, entry, 1))
		return refuse(
			why,
			"its symbol " DPRP_ENTRY_SYMBOL
			" belongs to another library, or is not a function");
	memcpy(&function, &entry, sizeof(function));
	desc = function(DPRP_ABI_MINOR);
	if (!check_descriptor(&object, desc, why) ||
	    !check_functions(&object, desc, why) ||
	    !read_tables(&object, desc, plugin, why))
		return false;
	plugin->desc = desc;
	plugin->name = desc->name;
	return true;
}
