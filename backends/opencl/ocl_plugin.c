/* SPDX-License-Identifier: Apache-2.0 */
/* ocl_plugin.c - the descriptor with its tables; open and close. */
#include "backends/opencl/calls/ocl_calls.h"

static void ocl_close(dprp_instance *instance, uint32_t reason)
{
	(void)reason;
	if (!instance)
		return;
	ocl_turns_free(instance);
	ocl_work_free_all(instance);
	ocl_clblast_close(instance);
	ocl_device_free_all(instance);
	library_calls_unset(&instance->libraries);
	pthread_mutex_destroy(&instance->clblast_lock);
	pthread_mutex_destroy(&instance->lock);
	dprh_free(instance->host, instance);
}

static dprp_rc ocl_open(const dprp_host *host, dprp_instance **out)
{
	dprp_instance *instance;
	dprp_rc rc;

	*out = NULL;
	instance = dprh_alloc(host, 1, sizeof(*instance));
	if (!instance)
		return dprh_no_memory(host, "the OpenCL plugin");
	instance->host = host;
	if (pthread_mutex_init(&instance->lock, NULL)) {
		dprh_free(host, instance);
		return dprh_no_memory(host, "a lock");
	}
	pthread_mutex_init(&instance->clblast_lock, NULL);
	library_calls_set(&instance->libraries, host, "", "DPR_OPTION_OPENCL_");
	rc = ocl_options_read(instance);
	if (rc == DPR_RC_OK)
		rc = ocl_driver_open(host, &instance->cl);
	if (rc == DPR_RC_OK)
		rc = ocl_device_find_all(instance);
	if (rc != DPR_RC_OK) {
		ocl_close(instance, DPRP_CLOSE_FAILED);
		return rc;
	}
	*out = instance;
	return DPR_RC_OK;
}

static const dprp_device_ops ocl_device_ops = {
	.struct_size = sizeof(dprp_device_ops),
	.count = ocl_device_count,
	.get = ocl_device_get,
	.info = ocl_info_get,
	.partition = ocl_device_partition,
	.peer = ocl_device_peer,
	.clocks = ocl_device_clocks,
};

static const dprp_context_ops ocl_context_ops = {
	.struct_size = sizeof(dprp_context_ops),
	.create = ocl_context_create,
	.destroy = ocl_context_destroy,
};

static const dprp_queue_ops ocl_queue_ops = {
	.struct_size = sizeof(dprp_queue_ops),
	.create = ocl_queue_create,
	.destroy = ocl_queue_destroy,
	.flush = ocl_queue_flush,
	.finish = ocl_queue_finish,
	.barrier = ocl_submit_barrier,
	.write = ocl_copy_write,
	.read = ocl_copy_read,
	.copy = ocl_copy_copy,
	.launch = ocl_calls_launch,
	.fill = ocl_copy_fill,
	.prefetch = ocl_copy_prefetch,
	.advise = ocl_copy_advise,
};

static const dprp_event_ops ocl_event_ops = {
	.struct_size = sizeof(dprp_event_ops),
	.status = ocl_event_status,
	.wait = ocl_event_wait,
	.destroy = ocl_event_destroy,
	.notify = ocl_event_notify,
};

static const dprp_mem_ops ocl_mem_ops = {
	.struct_size = sizeof(dprp_mem_ops),
	.alloc = ocl_mem_alloc,
	.free = ocl_mem_free,
	.info = ocl_mem_info,
};

static const dprp_module_ops ocl_module_ops = {
	.struct_size = sizeof(dprp_module_ops),
	.pick = ocl_module_pick,
	.create = ocl_calls_module,
	.destroy = ocl_module_destroy,
	.binary = ocl_module_binary,
	.kernel = ocl_cpu_kernel,
	.kernel_destroy = ocl_kernel_destroy,
	.kernel_info = ocl_cpu_kernel_info,
};

static const dprp_plugin ocl_plugin = {
	.magic = DPRP_MAGIC,
	.struct_size = sizeof(dprp_plugin),
	.abi_major = DPRP_ABI_MAJOR,
	.abi_minor = DPRP_ABI_MINOR,
	.name = "opencl",
	.version = OCL_PLUGIN_VERSION,
	.description = "OpenCL 1.2 and newer, through the ICD loader",
	.license = "Apache-2.0",
	.open = ocl_open,
	.close = ocl_close,
	.device = &ocl_device_ops,
	.context = &ocl_context_ops,
	.queue = &ocl_queue_ops,
	.event = &ocl_event_ops,
	.mem = &ocl_mem_ops,
	.module = &ocl_module_ops,
	.native_get = ocl_native_get,
	.native_wrap = ocl_native_wrap,
	.rank = DPRP_RANK_PORTABLE,
	.advice_no_driver =
		"install an OpenCL loader and a driver; on Debian and "
		"Ubuntu: apt install ocl-icd-libopencl1 pocl-opencl-icd (any "
		"CPU), intel-opencl-icd (Intel GPUs), or the driver of the "
		"GPU's maker",
	.advice_no_device =
		"install an OpenCL driver; on Debian and Ubuntu: apt install "
		"pocl-opencl-icd (any CPU), intel-opencl-icd (Intel GPUs), "
		"or the driver of the GPU's maker; "
		"for a GPU also check that this "
		"user may open /dev/dri/renderD* (group render)",
};

DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor);

const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor)
{
	(void)host_minor;
	return &ocl_plugin;
}
