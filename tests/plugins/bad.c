/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bad.c - a backend with two fake devices that breaks one rule of the plugin
 * ABI on demand.
 *
 * DPR_TEST_BAD in the environment says which one.  Without it, all works until
 * a queue is opened.  The descriptor and the tables are in .data, so that they
 * can be changed and still belong to the file.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dpr/backend.h>

struct dprp_instance {
	const dprp_host *host;
};

struct dprp_device {
	uint32_t index;
};

static dprp_device devices[2] = { { 0 }, { 1 } };
static dprp_instance the_instance;

static int is(const char *what)
{
	const char *value = getenv("DPR_TEST_BAD");

	return value && !strcmp(value, what);
}

/* --- Entries -------------------------------------------------------------- */

static dprp_rc said(const dprp_host *host, dprp_rc rc, int64_t native,
		    const char *text)
{
	host->set_error(host->self, rc, native, text);
	return rc;
}

/* Call dpr from within open, which the library must refuse. */
static dprp_rc reenter(const dprp_host *host)
{
	int (*enumerate)(const char *, void **, size_t, size_t *);
	const char *(*last_error)(void);
	void *symbol = dlsym(RTLD_DEFAULT, "dpr_device_enumerate");
	size_t n;

	memcpy(&enumerate, &symbol, sizeof(enumerate));
	symbol = dlsym(RTLD_DEFAULT, "dpr_last_error");
	memcpy(&last_error, &symbol, sizeof(last_error));
	if (!enumerate || !last_error)
		return said(host, DPR_RC_INTERNAL, 0, "libdpr is not visible");
	if (!enumerate(NULL, NULL, 0, &n))
		return said(host, DPR_RC_INTERNAL, 0, "it was let in");
	return said(host, DPR_RC_NATIVE, 1, last_error());
}

static dprp_rc bad_open(const dprp_host *host, dprp_instance **out)
{
	static const char *const none[] = { "libdpr_no_such_driver.so.7" };
	static const char *const unversioned[] = { "libc.so" };
	static const char *const relative[] = { "./libc.so.6" };

	the_instance.host = host;
	*out = &the_instance;
	if (is("open_no_driver")) {
		if (host->driver_open(host->self, none, 1))
			return said(host, DPR_RC_INTERNAL, 0, "it exists?");
		return said(host, DPR_RC_NO_DRIVER, 0, "no driver here");
	}
	if (is("open_names")) {
		host->driver_open(host->self, unversioned, 1);
		host->driver_open(host->self, relative, 1);
		return said(host, DPR_RC_NO_DRIVER, 0, "bad names");
	}
	if (is("open_no_device"))
		return said(host, DPR_RC_NO_DEVICE, 0, "no device here");
	if (is("open_native"))
		return said(host, DPR_RC_NATIVE, -77, "badInit: BAD_MOOD");
	if (is("open_silent"))
		return DPR_RC_NATIVE;
	if (is("open_code"))
		return 12345;
	if (is("open_null"))
		*out = NULL;
	if (is("open_reenter"))
		return reenter(host);
	if (is("open_crash"))
		abort();
	if (is("open_hang"))
		sleep(1000);
	if (is("open_slow"))
		usleep(200000);
	if (is("open_exit"))
		_exit(3);
	if (is("open_warns")) {
		host->log(host->self, 2, "half of it is left out: too old");
		host->log(host->self, 3, "and that is all right");
		host->log(host->self, 2, "a third is left out: no device");
	}
	return DPR_RC_OK;
}

static void bad_close(dprp_instance *instance, uint32_t reason)
{
	(void)instance, (void)reason;
}

static dprp_rc bad_count(dprp_instance *instance, uint32_t *n)
{
	if (is("count_fails"))
		return said(instance->host, DPR_RC_NATIVE, 5, "cannot count");
	*n = is("count_zero") ? 0 : is("count_many") ? 1000000 : 2;
	return DPR_RC_OK;
}

static dprp_rc bad_get(dprp_instance *instance, uint32_t index,
		       dprp_device **out)
{
	if (is("get_fails") && index == 1)
		return said(instance->host, DPR_RC_NATIVE, 6, "lost it");
	*out = is("get_null") ? NULL : &devices[index];
	return DPR_RC_OK;
}

static dprp_rc answer(const void *value, size_t size, void *buffer,
		      size_t capacity, size_t *need)
{
	*need = size;
	if (!buffer)
		return DPR_RC_OK;
	if (capacity < size)
		return DPR_RC_INVALID;
	memcpy(buffer, value, size);
	return DPR_RC_OK;
}

static dprp_rc bad_info(dprp_device *device, uint32_t key, void *buffer,
			size_t capacity, size_t *need)
{
	static const char name[] = "bad device 0";
	uint64_t number = DPR_DEVICE_ACCELERATOR;

	if (key == DPR_INFO_NAME && !is("info_no_name"))
		return answer(name, sizeof(name), buffer, capacity, need);
	if (key == DPR_INFO_TYPE) {
		number = is("info_type") ? 99 : number;
		return answer(&number, sizeof(number), buffer, capacity, need);
	}
	if (key == DPR_INFO_COMPUTE_UNITS) {
		number = 10 + device->index;
		return answer(&number, sizeof(number), buffer, capacity, need);
	}
	/* Answers of wrong form or size, for keys that nothing else needs. */
	if (key == DPR_INFO_VENDOR)
		return answer("abc", 3, buffer, capacity, need);
	if (key == DPR_INFO_VENDOR_ID)
		return answer("abc", 3, buffer, capacity, need);
	if (key == DPR_INFO_EXTENSIONS) {
		*need = (size_t)-1;
		return DPR_RC_OK;
	}
	return DPR_RC_UNSUPPORTED;
}

static dprp_rc bad_context_create(dprp_instance *instance, dprp_device *root,
				  const dprp_ext *ext, dprp_context **out)
{
	(void)root, (void)ext, (void)out;
	return said(instance->host, DPR_RC_UNSUPPORTED, 0, "only devices");
}

/* The function behind every entry that no test calls. */
static dprp_rc unreached(void)
{
	return DPR_RC_INTERNAL;
}

#define UNREACHED (void *)unreached

/* clang-format off */
static dprp_device_ops device_ops = {
	.struct_size = sizeof(device_ops),
	.count = bad_count, .get = bad_get, .info = bad_info,
};
static dprp_context_ops context_ops = {
	.struct_size = sizeof(context_ops),
	.create = bad_context_create, .destroy = UNREACHED,
};
static dprp_queue_ops queue_ops = {
	.struct_size = sizeof(queue_ops),
	.create = UNREACHED, .destroy = UNREACHED, .flush = UNREACHED,
	.finish = UNREACHED, .barrier = UNREACHED, .write = UNREACHED,
	.read = UNREACHED, .copy = UNREACHED,
};
static dprp_event_ops event_ops = {
	.struct_size = sizeof(event_ops),
	.status = UNREACHED, .wait = UNREACHED, .destroy = UNREACHED,
};
static dprp_mem_ops mem_ops = {
	.struct_size = sizeof(mem_ops),
	.alloc = UNREACHED, .free = UNREACHED, .info = UNREACHED,
};
static dprp_module_ops module_ops = {
	.struct_size = sizeof(module_ops),
	.pick = UNREACHED, .create = UNREACHED, .destroy = UNREACHED,
	.kernel = UNREACHED, .kernel_destroy = UNREACHED,
	.kernel_info = UNREACHED,
};
static dprp_plugin plugin = {
	.magic = DPRP_MAGIC, .struct_size = sizeof(plugin),
	.abi_major = DPRP_ABI_MAJOR, .abi_minor = DPRP_ABI_MINOR,
	.name = "bad", .version = "0.9", .description = "for tests",
	.license = "Apache-2.0",
	.open = bad_open, .close = bad_close,
	.device = &device_ops, .context = &context_ops, .queue = &queue_ops,
	.event = &event_ops, .mem = &mem_ops,
	.rank = DPRP_RANK_NATIVE,
};
/* clang-format on */

/* --- Faults in the descriptor --------------------------------------------- */

static char long_name[8192] = "a"; /* filled with letters */

/* At most one test does this per process.  The pointer keeps the block from
   being reported as a leak. */
static void *volatile heap_block;

static void *on_heap(const void *from, size_t size)
{
	heap_block = malloc(size);
	if (heap_block)
		memcpy(heap_block, from, size);
	return heap_block;
}

static void spoil_tables(void)
{
	if (is("table_null"))
		plugin.queue = NULL;
	if (is("table_wild"))
		plugin.mem = (const dprp_mem_ops *)(uintptr_t)0x1230;
	if (is("table_odd"))
		plugin.mem = (const dprp_mem_ops *)((uintptr_t)&mem_ops + 1);
	if (is("table_heap"))
		plugin.event = on_heap(&event_ops, sizeof(event_ops));
	if (is("table_short"))
		device_ops.struct_size = DPRP_SIZE_TO(dprp_device_ops, get);
	if (is("table_huge"))
		device_ops.struct_size = 1 << 20;
	if (is("table_beyond"))
		device_ops.struct_size = 60000;
	if (is("entries_missing")) {
		queue_ops.finish = NULL;
		queue_ops.copy = NULL;
	}
	if (is("entry_data"))
		mem_ops.alloc = (void *)&mem_ops;
	if (is("entry_foreign"))
		mem_ops.free = (void *)free;
	if (is("module_no_launch"))
		plugin.module = &module_ops;
	if (is("name_mock"))
		plugin.name = "mock";
	if (is("name_other"))
		plugin.name = "other";
}

static void spoil_rank(void)
{
	if (is("rank_none"))
		plugin.rank = 0;
	if (is("rank_new"))
		plugin.rank = 9;
	if (is("rank_portable"))
		plugin.rank = DPRP_RANK_PORTABLE;
	if (is("rank_host"))
		plugin.rank = DPRP_RANK_HOST;
	if (is("advice_wild"))
		plugin.advice_no_driver = (const char *)(uintptr_t)0x10;
	if (is("advice_long")) {
		memset(long_name, 'a', sizeof(long_name) - 1);
		plugin.advice_no_device = long_name;
	}
}

static void spoil(void)
{
	spoil_tables();
	spoil_rank();
	if (is("magic"))
		plugin.magic++;
	if (is("major"))
		plugin.abi_major = 2;
	if (is("minor"))
		plugin.min_host_minor = 9;
	if (is("flags"))
		plugin.flags = 4;
	if (is("size_small"))
		plugin.struct_size = 64;
	if (is("size_huge"))
		plugin.struct_size = (size_t)1 << 40;
	if (is("name_null"))
		plugin.name = NULL;
	if (is("name_wild"))
		plugin.name = (const char *)(uintptr_t)0x10;
	if (is("name_heap"))
		plugin.name = on_heap("bad", 4);
	if (is("name_form"))
		plugin.name = "Bad-Name";
	if (is("name_short"))
		plugin.name = "b";
	if (is("version_long")) {
		memset(long_name, 'a', sizeof(long_name) - 1);
		plugin.version = long_name;
	}
	if (is("open_missing"))
		plugin.open = NULL;
	if (is("native_heap"))
		plugin.native_get = on_heap(&plugin, sizeof(plugin));
}

DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor);

DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor)
{
	(void)host_minor;
	spoil();
	if (is("null"))
		return NULL;
	if (is("wild"))
		return (const dprp_plugin *)(uintptr_t)0x7000;
	if (is("heap"))
		return on_heap(&plugin, sizeof(plugin));
	if (is("text"))
		return (const dprp_plugin *)(const void *)long_name;
	return &plugin;
}

/* This runs while dlopen() loads the file. */
static void __attribute__((constructor)) constructor(void)
{
	const char *to = getenv("DPR_TEST_BAD_FILE");
	const char *from = getenv("DPR_TEST_BAD_FROM");

	if (is("load_crash"))
		abort();
	if (is("load_replace") && to && from && rename(from, to))
		perror("rename");
}
