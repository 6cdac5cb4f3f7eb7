/* SPDX-License-Identifier: Apache-2.0 */
/* ze_plugin.c - the descriptor with its tables; open and close. */
#include "ze_programs.h"

static void instance_free(dprp_instance *instance)
{
	const dprp_host *host = instance->host;

	ze_device_free_all(instance);
	pthread_mutex_destroy(&instance->lock);
	dprh_free(host, instance);
}

static dprp_rc ze_open(const dprp_host *host, dprp_instance **out)
{
	dprp_instance *instance = dprh_alloc(host, 1, sizeof(*instance));
	dprp_rc rc;

	*out = NULL;
	if (!instance)
		return dprh_no_memory(host, "an instance");
	instance->host = host;
	pthread_mutex_init(&instance->lock, NULL);
	rc = ze_compile_read_options(instance);
	if (!rc)
		rc = ze_driver_open(host, &instance->ze);
	if (!rc)
		rc = ze_device_find_all(instance);
	if (rc) {
		instance_free(instance);
		return rc;
	}
	*out = instance;
	return DPR_RC_OK;
}

static void ze_close(dprp_instance *instance, uint32_t reason)
{
	(void)reason;
	instance_free(instance);
}

static const dprp_device_ops ze_device_ops = {
	.struct_size = sizeof(dprp_device_ops),
	.count = ze_device_count,
	.get = ze_device_get,
	.info = ze_info_get,
	.partition = ze_part_divide,
	.peer = ze_device_peer,
	.clocks = ze_clock_both,
};

static const dprp_context_ops ze_context_ops = {
	.struct_size = sizeof(dprp_context_ops),
	.create = ze_context_create,
	.destroy = ze_context_destroy,
};

static const dprp_queue_ops ze_queue_ops = {
	.struct_size = sizeof(dprp_queue_ops),
	.create = ze_queue_create,
	.destroy = ze_queue_destroy,
	.flush = ze_queue_flush,
	.finish = ze_queue_finish,
	.barrier = ze_submit_barrier,
	.write = ze_copy_write,
	.read = ze_copy_read,
	.copy = ze_copy_copy,
	.launch = ze_launch,
	.fill = ze_copy_fill,
	.prefetch = ze_copy_prefetch,
	.advise = ze_copy_advise,
};

/* There is no `notify`, because Level Zero has no callback for a completed
   event.  The core's thread polls many events at once. */
static const dprp_event_ops ze_event_ops = {
	.struct_size = sizeof(dprp_event_ops),
	.status = ze_event_status,
	.wait = ze_event_wait,
	.destroy = ze_event_destroy,
};

static const dprp_mem_ops ze_mem_ops = {
	.struct_size = sizeof(dprp_mem_ops),
	.alloc = ze_mem_alloc,
	.free = ze_mem_free,
	.info = ze_mem_info,
	.ipc_export = ze_mem_ipc_export,
	.ipc_import = ze_mem_ipc_import,
};

static const dprp_module_ops ze_module_ops = {
	.struct_size = sizeof(dprp_module_ops),
	.pick = ze_module_pick,
	.create = ze_module_create,
	.destroy = ze_module_destroy,
	.binary = ze_module_binary,
	.kernel = ze_kernel_create,
	.kernel_destroy = ze_kernel_destroy,
	.kernel_info = ze_kernel_info,
};

static const dprp_plugin ze_plugin = {
	.magic = DPRP_MAGIC,
	.struct_size = sizeof(dprp_plugin),
	.abi_major = DPRP_ABI_MAJOR,
	.abi_minor = DPRP_ABI_MINOR,
	.name = "level_zero",
	.version = ZE_PLUGIN_VERSION,
	.description = "Intel GPUs, through the Level Zero loader",
	.license = "Apache-2.0",
	.open = ze_open,
	.close = ze_close,
	.device = &ze_device_ops,
	.context = &ze_context_ops,
	.queue = &ze_queue_ops,
	.event = &ze_event_ops,
	.mem = &ze_mem_ops,
	.module = &ze_module_ops,
	.native_get = ze_native_get,
	.native_wrap = ze_native_wrap,
	.rank = DPRP_RANK_NATIVE,
	.advice_no_driver =
		"install the Level Zero loader and Intel's driver; on Debian "
		"and Ubuntu: apt install libze1 and libze-intel-gpu1 (on "
		"Debian 12: libze1 intel-opencl-icd)",
	.advice_no_device =
		"check that there is an Intel GPU, that Intel's driver is "
		"installed (libze-intel-gpu1, on Debian 12 intel-opencl-icd), "
		"that this user may open /dev/dri/renderD* (add it to the "
		"group render), and that ZE_AFFINITY_MASK does not hide the "
		"GPU",
};

DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor);

DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor)
{
	(void)host_minor;
	return &ze_plugin;
}
