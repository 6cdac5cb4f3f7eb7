/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_plugin.c - the descriptor with its tables; open and close. */
#include "cuda_programs.h"

static void instance_free(dprp_instance *instance)
{
	const dprp_host *host = instance->host;

	cuda_vendor_close(instance);
	cuda_compile_close(instance);
	cuda_device_free_all(instance);
	pthread_mutex_destroy(&instance->vendor_lock);
	pthread_mutex_destroy(&instance->lock);
	dprh_free(host, instance);
}

static dprp_rc cuda_open(const dprp_host *host, dprp_instance **out)
{
	dprp_instance *instance = dprh_alloc(host, 1, sizeof(*instance));
	dprp_rc rc;

	*out = NULL;
	if (!instance)
		return dprh_no_memory(host, "an instance");
	instance->host = host;
	pthread_mutex_init(&instance->lock, NULL);
	pthread_mutex_init(&instance->vendor_lock, NULL);
	instance->options[CUDA_BLAS] = host->option(host->self, "BLAS");
	instance->options[CUDA_SOLVER] = host->option(host->self, "LAPACK");
	instance->nvrtc = host->option(host->self, "NVRTC");
	rc = cuda_compile_check_option(instance);
	if (!rc)
		rc = cuda_driver_open(host, &instance->cu);
	if (!rc)
		rc = cuda_device_find_all(instance);
	if (rc) {
		instance_free(instance);
		return rc;
	}
	*out = instance;
	return DPR_RC_OK;
}

static void cuda_close(dprp_instance *instance, uint32_t reason)
{
	(void)reason;
	instance_free(instance);
}

static const dprp_device_ops cuda_device_ops = {
	.struct_size = sizeof(dprp_device_ops),
	.count = cuda_device_count,
	.get = cuda_device_get,
	.info = cuda_info_get,
	.partition = cuda_part_divide,
	.peer = cuda_context_peer,
	.clocks = cuda_device_clocks,
};

static const dprp_context_ops cuda_context_ops = {
	.struct_size = sizeof(dprp_context_ops),
	.create = cuda_context_create,
	.destroy = cuda_context_destroy,
};

static const dprp_queue_ops cuda_queue_ops = {
	.struct_size = sizeof(dprp_queue_ops),
	.create = cuda_queue_create,
	.destroy = cuda_queue_destroy,
	.flush = cuda_queue_flush,
	.finish = cuda_queue_finish,
	.barrier = cuda_submit_barrier,
	.write = cuda_copy_write,
	.read = cuda_copy_read,
	.copy = cuda_copy_copy,
	.launch = cuda_launch,
	.fill = cuda_copy_fill,
	.prefetch = cuda_copy_prefetch,
	.advise = cuda_copy_advise,
};

static const dprp_event_ops cuda_event_ops = {
	.struct_size = sizeof(dprp_event_ops),
	.status = cuda_event_status,
	.wait = cuda_event_wait,
	.destroy = cuda_event_destroy,
	.notify = cuda_notify_ask,
};

static const dprp_mem_ops cuda_mem_ops = {
	.struct_size = sizeof(dprp_mem_ops),
	.alloc = cuda_mem_alloc,
	.free = cuda_mem_free,
	.info = cuda_mem_info,
	.ipc_export = cuda_mem_ipc_export,
	.ipc_import = cuda_mem_ipc_import,
};

static const dprp_module_ops cuda_module_ops = {
	.struct_size = sizeof(dprp_module_ops),
	.pick = cuda_module_pick,
	.create = cuda_module_create,
	.destroy = cuda_module_destroy,
	.binary = cuda_module_binary,
	.kernel = cuda_kernel_create,
	.kernel_destroy = cuda_kernel_destroy,
	.kernel_info = cuda_kernel_info,
};

static const dprp_plugin cuda_plugin = {
	.magic = DPRP_MAGIC,
	.struct_size = sizeof(dprp_plugin),
	.abi_major = DPRP_ABI_MAJOR,
	.abi_minor = DPRP_ABI_MINOR,
	.name = "cuda",
	.version = CUDA_PLUGIN_VERSION,
	.description = "NVIDIA GPUs, through the driver of CUDA 12.0 and newer",
	.license = "Apache-2.0",
	.open = cuda_open,
	.close = cuda_close,
	.device = &cuda_device_ops,
	.context = &cuda_context_ops,
	.queue = &cuda_queue_ops,
	.event = &cuda_event_ops,
	.mem = &cuda_mem_ops,
	.module = &cuda_module_ops,
	.native_get = cuda_native_get,
	.native_wrap = cuda_native_wrap,
	.rank = DPRP_RANK_NATIVE,
	.advice_no_driver =
		"install NVIDIA's driver; on Debian: apt install nvidia-driver "
		"libcuda1; in a container, start it with access to the GPU",
	.advice_no_device =
		"check that there is an NVIDIA GPU, that nvidia-smi shows it, "
		"and that CUDA_VISIBLE_DEVICES does not hide it",
};

DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor);

DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor)
{
	(void)host_minor;
	return &cuda_plugin;
}
