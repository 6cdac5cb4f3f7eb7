/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin_host.h - for tests of the libraries that the CUDA backend opens.  The
 * plugin runs through the ABI, with a host that decides which libraries exist.
 * The driver is the mock.
 */
#ifndef TESTS_CUDA_PLUGIN_HOST_H
#define TESTS_CUDA_PLUGIN_HOST_H

#include "tests/cuda/cuda_test.h"
#include "tests/support/backend_host_table.h"

/* The libraries of the host.  found, found_too: the names that open
   `found_library`.  lacking: an entry that no library has. */
static void *found_library;
static const char *found, *found_too, *lacking;
static char asked[1024];             /* the names that the plugin has tried */
static uint64_t allocated, fails_at; /* a count of allocations */
static void *(*allocate)(dprp_host_instance *self, size_t size);

static inline void *open_one(dprp_host_instance *self, const char *const *names,
			     size_t n)
{
	(void)self;
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(names[i], "libcuda.so.1"))
			return mock_library;
		snprintf(asked + strlen(asked), sizeof(asked) - strlen(asked),
			 "%s\n", names[i]);
		if ((found && !strcmp(found, names[i])) ||
		    (found_too && !strcmp(found_too, names[i])))
			return found_library;
	}
	return NULL;
}

static inline void *find_entry(dprp_host_instance *self, void *library,
			       const char *symbol)
{
	(void)self;
	return lacking && !strcmp(lacking, symbol) ? NULL
						   : dlsym(library, symbol);
}

static inline void *allocate_some(dprp_host_instance *self, size_t size)
{
	return ++allocated == fails_at ? NULL : allocate(self, size);
}

/* The plugin, opened by this host. */
static struct {
	struct host_table *table;
	dprp_host host;
	const dprp_plugin *plugin;
	dprp_instance *instance;
	dprp_device *device;
	dprp_context *context;
} opened;

static inline void open_plugin(void)
{
	opened.table = host_table_new();
	opened.host = *host_table_host(opened.table);
	allocate = opened.host.alloc;
	opened.host.alloc = allocate_some;
	opened.host.driver_open = open_one;
	opened.host.driver_sym = find_entry;
	opened.plugin = host_table_plugin("cuda", NULL);
	ck_assert_ptr_nonnull(opened.plugin);
	ck_assert_int_eq(opened.plugin->open(&opened.host, &opened.instance),
			 0);
	ck_assert_int_eq(
		opened.plugin->device->get(opened.instance, 0, &opened.device),
		0);
	ck_assert_int_eq(opened.plugin->context->create(opened.instance,
							opened.device, NULL,
							&opened.context),
			 0);
	*asked = '\0';
}

/* Close the plugin; the host ends the process if memory is left. */
static inline void close_plugin(void)
{
	opened.plugin->context->destroy(opened.context);
	opened.plugin->close(opened.instance, 0);
	host_table_free(opened.table);
}

/* Build an image: pick it, and make a module.  After DPR_RC_OK the caller
   destroys *@out. */
static inline dprp_rc build_image(const char *format, const char *data,
				  size_t size, dprp_sink log, dprp_module **out)
{
	const dprp_image image = { sizeof(image), format, NULL, data, size };
	const dprp_image *list[1] = { &image };
	const dprp_module_desc desc = { .struct_size = sizeof(desc),
					.n_images = 1,
					.images = list,
					.log = log };
	const dprp_module_ops *ops = opened.plugin->module;
	uint32_t best;
	dprp_rc rc;

	*out = NULL;
	host_table_clear();
	rc = ops->pick(opened.device, list, 1, &best);
	if (!rc)
		rc = ops->create(opened.context, opened.device, &desc, out);
	ck_assert(!rc == (*out != NULL));
	ck_assert_int_eq(host_table_error_rc(), rc);
	return rc;
}

#endif
