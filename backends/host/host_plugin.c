/* SPDX-License-Identifier: Apache-2.0 */
/* host_plugin.c - the descriptor with its tables; open and close. */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST_MAX_THREADS 4096

/* Get the number of units: DPR_OPTION_HOST_THREADS, or else the number of
   CPUs. */
static dprp_rc host_units(dprp_instance *instance, uint32_t cpus, uint32_t *out)
{
	const dprp_host *host = &instance->host;
	const char *text = host->option(host->self, "THREADS");
	char *end;
	long n;

	*out = cpus;
	if (!text)
		return DPR_RC_OK;
	n = strtol(text, &end, 10);
	if (end == text || *end || n < 1 || n > HOST_MAX_THREADS)
		return dprh_fail(
			&instance->host, DPR_RC_INVALID, 0,
			"host: DPR_OPTION_HOST_THREADS=%.40s: it must be a number "
			"from 1 to %d",
			text, HOST_MAX_THREADS);
	*out = (uint32_t)n;
	return DPR_RC_OK;
}

static dprp_rc host_root(dprp_instance *instance)
{
	dprp_device *root = &instance->root;
	char text[4096];
	unsigned long long kib;
	const char *line;
	dprp_rc rc;

	root->instance = instance;
	rc = dprh_cpus_allowed(&instance->host, &root->cpus);
	if (rc)
		return rc;
	rc = host_units(instance, root->cpus.n, &root->units);
	if (rc)
		return rc;
	if (!host_cpu_read_file(instance, text, sizeof(text),
				"/proc/meminfo") ||
	    !(line = strstr(text, "MemTotal:")) ||
	    sscanf(line, "MemTotal: %llu", &kib) != 1)
		return dprh_fail(
			&instance->host, DPR_RC_NO_DEVICE, 0,
			"host: /proc/meminfo does not have the memory's size");
	instance->memory = (uint64_t)kib << 10;
	return DPR_RC_OK;
}

static void host_instance_free(dprp_instance *instance)
{
	dprp_host host = instance->host;
	dprp_device *sub;

	while ((sub = instance->subs)) {
		instance->subs = sub->next;
		host_device_fini(sub);
		dprh_free(&instance->host, sub);
	}
	host_device_fini(&instance->root);
	library_calls_unset(&instance->libraries);
	pthread_mutex_destroy(&instance->lock);
	host.free(host.self, instance);
}

static dprp_rc host_open(const dprp_host *host, dprp_instance **out)
{
	dprp_instance *instance = host->alloc(host->self, sizeof(*instance));
	const char *root;
	dprp_rc rc;

	*out = NULL;
	if (!instance) {
		host->set_error(host->self, DPR_RC_OOM_HOST, 0,
				"host: open: out of memory");
		return DPR_RC_OOM_HOST;
	}
	memset(instance, 0, sizeof(*instance));
	dprh_copy(&instance->host, sizeof(instance->host), host);
	pthread_mutex_init(&instance->lock, NULL);
	pthread_mutex_init(&instance->root.lock, NULL);
	library_calls_set(&instance->libraries, &instance->host,
			  "host: ", "DPR_OPTION_HOST_");
	root = host->option(host->self, "SYSTEM_ROOT");
	if (root)
		snprintf(instance->sys_root, sizeof(instance->sys_root), "%s",
			 root);
	rc = host_root(instance);
	if (rc) {
		host_instance_free(instance);
		return rc;
	}
	*out = instance;
	return DPR_RC_OK;
}

static void host_close(dprp_instance *instance, uint32_t reason)
{
	(void)reason;
	host_queue_reap(instance);
	host_instance_free(instance);
}

/* There are no driver handles; the native handle of an allocation is its
   address. */
static dprp_rc host_native_get(dprp_instance *instance, uint32_t what,
			       void *handle, uint32_t type, uintptr_t *out)
{
	if (what != DPRP_NATIVE_MEMORY || type)
		return dprh_fail(
			&instance->host, DPR_RC_UNSUPPORTED, 0,
			"host: native handle: only allocations have one");
	*out = (uintptr_t)((dprp_mem *)handle)->address;
	return DPR_RC_OK;
}

/* Make an allocation from an address of the program. */
static dprp_rc host_native_wrap(dprp_instance *instance, uint32_t what,
				dprp_context *parent, dprp_device *device,
				uintptr_t in, uint64_t size, uint32_t own,
				uint64_t *flags, void **out)
{
	*out = NULL;
	*flags = 0;
	(void)device;
	if (what != DPRP_NATIVE_MEMORY || own)
		return dprh_fail(
			&instance->host, DPR_RC_UNSUPPORTED, 0,
			"host: native wrap: only memory that the program "
			"keeps can be wrapped");
	return host_mem_wrap(parent, in, size, (dprp_mem **)out);
}

static const dprp_device_ops host_device_ops = {
	.struct_size = sizeof(dprp_device_ops),
	.count = host_device_count,
	.get = host_device_get,
	.info = host_info_get,
	.partition = host_device_partition,
	.peer = host_device_peer,
	.clocks = host_device_clocks,
};

static const dprp_context_ops host_context_ops = {
	.struct_size = sizeof(dprp_context_ops),
	.create = host_context_create,
	.destroy = host_context_destroy,
};

static const dprp_queue_ops host_queue_ops = {
	.struct_size = sizeof(dprp_queue_ops),
	.create = host_queue_create,
	.destroy = host_queue_destroy,
	.flush = host_queue_flush,
	.finish = host_queue_finish,
	.barrier = host_queue_barrier,
	.write = host_queue_write,
	.read = host_queue_read,
	.copy = host_queue_copy,
	.launch = host_queue_launch,
	.fill = host_queue_fill,
	.prefetch = host_queue_prefetch,
	.advise = host_queue_advise,
};

static const dprp_event_ops host_event_ops = {
	.struct_size = sizeof(dprp_event_ops),
	.status = host_event_status,
	.wait = host_event_wait,
	.destroy = host_event_destroy,
	.notify = host_event_notify,
};

static const dprp_mem_ops host_mem_ops = {
	.struct_size = sizeof(dprp_mem_ops),
	.alloc = host_mem_alloc,
	.free = host_mem_free,
	.info = host_mem_info,
};

static const dprp_module_ops host_module_ops = {
	.struct_size = sizeof(dprp_module_ops),
	.pick = host_module_pick,
	.create = host_module_create,
	.destroy = host_module_destroy,
	.kernel = host_module_kernel,
	.kernel_destroy = host_module_kernel_destroy,
	.kernel_info = host_module_kernel_info,
};

static const dprp_plugin host_plugin = {
	.magic = DPRP_MAGIC,
	.struct_size = sizeof(dprp_plugin),
	.abi_major = DPRP_ABI_MAJOR,
	.abi_minor = DPRP_ABI_MINOR,
	.name = "host",
	.version = HOST_VERSION,
	.description = "the CPU, without any driver",
	.license = "Apache-2.0",
	.open = host_open,
	.close = host_close,
	.device = &host_device_ops,
	.context = &host_context_ops,
	.queue = &host_queue_ops,
	.event = &host_event_ops,
	.mem = &host_mem_ops,
	.module = &host_module_ops,
	.native_get = host_native_get,
	.native_wrap = host_native_wrap,
	.rank = DPRP_RANK_HOST,
};

DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor);

DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor)
{
	(void)host_minor;
	return &host_plugin;
}
