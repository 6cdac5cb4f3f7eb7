/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL plugin's descriptor, and how it opens and closes. */
#include <string.h>

#include "ocl.h"

static const struct {
	const char *word;
	enum ocl_path path;
} ocl_paths[] = {
	{ "usm", OCL_PATH_USM },
	{ "svm-fine", OCL_PATH_SVM_FINE },
	{ "svm-coarse", OCL_PATH_SVM_COARSE },
	{ "buffer", OCL_PATH_BUFFER },
};

const char *ocl_path_name(enum ocl_path path)
{
	size_t i;

	for (i = 0; i < sizeof(ocl_paths) / sizeof(ocl_paths[0]); i++)
		if (ocl_paths[i].path == path)
			return ocl_paths[i].word;
	return "none";
}

static const struct {
	const char *word;
	uint64_t when;
} ocl_binary_words[] = {
	{ "never", DPR_BINARIES_NEVER },
	{ "first", DPR_BINARIES_FIRST },
	{ "second", DPR_BINARIES_SECOND },
};

/* The option BINARIES. */
static dprp_rc ocl_read_binaries(dprp_instance *instance)
{
	const dprp_host *host = instance->host;
	const char *word = host->option(host->self, "BINARIES");
	size_t i;

	if (!word || !*word)
		return DPR_RC_OK;
	for (i = 0; i < sizeof(ocl_binary_words) / sizeof(ocl_binary_words[0]);
	     i++) {
		if (strcmp(word, ocl_binary_words[i].word) == 0) {
			instance->binaries = &ocl_binary_words[i].when;
			return DPR_RC_OK;
		}
	}
	return ocl_fail(host, DPR_RC_INVALID, 0,
			"DPR_OPTION_OPENCL_BINARIES is \"%.40s\"; it can be "
			"never, first or second",
			word);
}

/* The option MEMORY. */
static dprp_rc ocl_read_memory(dprp_instance *instance)
{
	const dprp_host *host = instance->host;
	const char *word = host->option(host->self, "MEMORY");
	size_t i;

	if (!word || !*word)
		return DPR_RC_OK;
	for (i = 0; i < sizeof(ocl_paths) / sizeof(ocl_paths[0]); i++) {
		if (strcmp(word, ocl_paths[i].word) == 0) {
			instance->forced = ocl_paths[i].path;
			return DPR_RC_OK;
		}
	}
	return ocl_fail(
		host, DPR_RC_INVALID, 0,
		"DPR_OPTION_OPENCL_MEMORY is \"%.40s\"; it can be usm, svm-fine, "
		"svm-coarse or buffer",
		word);
}

static void ocl_close(dprp_instance *instance, uint32_t reason)
{
	(void)reason;
	if (!instance)
		return;
	ocl_turns_free(instance);
	ocl_devices_free(instance);
	pthread_mutex_destroy(&instance->lock);
	ocl_free(instance->host, instance);
}

static dprp_rc ocl_open(const dprp_host *host, dprp_instance **out)
{
	dprp_instance *instance;
	dprp_rc rc;

	*out = NULL;
	instance = ocl_alloc(host, 1, sizeof(*instance));
	if (!instance)
		return ocl_no_memory(host, "the OpenCL plugin");
	instance->host = host;
	if (pthread_mutex_init(&instance->lock, NULL)) {
		ocl_free(host, instance);
		return ocl_no_memory(host, "a lock");
	}
	rc = ocl_read_memory(instance);
	if (rc == DPR_RC_OK)
		rc = ocl_read_binaries(instance);
	if (rc == DPR_RC_OK)
		rc = ocl_driver_open(host, &instance->cl);
	if (rc == DPR_RC_OK)
		rc = ocl_devices_find(instance);
	if (rc != DPR_RC_OK) {
		ocl_close(instance, DPRP_CLOSE_FAILED);
		return rc;
	}
	*out = instance;
	return DPR_RC_OK;
}

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
		"or that of the GPU's maker; for a GPU also check that this "
		"user may open /dev/dri/renderD* (group render)",
};

DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor);

const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor)
{
	(void)host_minor;
	return &ocl_plugin;
}
