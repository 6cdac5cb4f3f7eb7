/* SPDX-License-Identifier: Apache-2.0 */
/* mock_plugin.c - the mock's descriptor, its options, open and close. */
#include "tests/plugins/mock/mock_impl.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t mock_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void *mock_alloc(dprp_instance *instance, size_t size)
{
	const dprp_host *host = &instance->host;
	void *block = host->alloc(host->self, size);

	if (block)
		memset(block, 0, size);
	else
		host->set_error(host->self, DPR_RC_OOM_HOST, 0,
				MOCK_NAME ": out of host memory");
	return block;
}

void mock_free(dprp_instance *instance, void *block)
{
	if (block)
		instance->host.free(instance->host.self, block);
}

dprp_rc mock_fail(dprp_instance *instance, dprp_rc rc, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	instance->host.set_error(instance->host.self, rc, 0, text);
	return rc;
}

dprp_rc mock_known(dprp_instance *instance, const void *from, size_t size)
{
	const unsigned char *bytes = from;
	size_t theirs, i;

	memcpy(&theirs, from, sizeof(theirs));
	for (i = size; i < theirs; i++)
		if (bytes[i])
			return mock_fail(instance, DPR_RC_UNSUPPORTED,
					 MOCK_NAME
					 ": a struct has more than is known");
	return DPR_RC_OK;
}

static const char *mock_option(dprp_instance *instance, const char *key)
{
	return instance->host.option(instance->host.self, key);
}

static uint64_t mock_option_u64(dprp_instance *instance, const char *key,
				uint64_t otherwise)
{
	const char *value = mock_option(instance, key);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

static uint32_t mock_option_kinds(dprp_instance *instance)
{
	const char *value = mock_option(instance, "KINDS");
	uint32_t kinds = 0;

	if (!value)
		value = "device,shared,host,import";
	if (strstr(value, "device"))
		kinds |= 1u << DPRP_MEM_DEVICE;
	if (strstr(value, "shared"))
		kinds |= 1u << DPRP_MEM_SHARED;
	if (strstr(value, "host"))
		kinds |= 1u << DPRP_MEM_HOST;
	if (strstr(value, "import"))
		kinds |= 1u << DPRP_MEM_IMPORT_HOST;
	return kinds;
}

static void mock_option_ids(dprp_instance *instance)
{
	struct mock_options *o = &instance->options;
	const char *value = mock_option(instance, "UUID");
	unsigned byte, i;

	for (i = 0; value && i < 16; i++)
		if (sscanf(value + 2 * i, "%2x", &byte) == 1)
			o->uuid[i] = (unsigned char)byte;
		else
			value = NULL;
	o->has_uuid = value != NULL;
	value = mock_option(instance, "PCI");
	o->has_pci = value && sscanf(value, "%x:%x:%x.%x", &o->pci[0],
				     &o->pci[1], &o->pci[2], &o->pci[3]) == 4;
}

static void mock_option_formats(dprp_instance *instance)
{
	struct mock_options *o = &instance->options;
	const char *value = mock_option(instance, "FORMATS");
	size_t length;

	if (!value)
		value = DPRP_NATIVE_FORMAT ",opencl-c,mock";
	while (*value && o->n_formats < MOCK_MAX_FORMATS) {
		length = strcspn(value, ",");
		snprintf(o->formats[o->n_formats++], sizeof(o->formats[0]),
			 "%.*s", (int)length, value);
		value += length;
		value += *value == ',';
	}
}

static void mock_options_read(dprp_instance *instance)
{
	struct mock_options *o = &instance->options;
	const char *type = mock_option(instance, "TYPE"), *ipc;

	o->type = DPR_DEVICE_GPU;
	if (type && !strcmp(type, "cpu"))
		o->type = DPR_DEVICE_CPU;
	else if (type && !strcmp(type, "accelerator"))
		o->type = DPR_DEVICE_ACCELERATOR;
	else if (type && !strcmp(type, "custom"))
		o->type = DPR_DEVICE_CUSTOM;
	o->devices = (uint32_t)mock_option_u64(instance, "DEVICES", 1);
	o->units = (uint32_t)mock_option_u64(instance, "UNITS", 4);
	o->unit = mock_option_u64(instance, "UNIT", 0);
	if (mock_option(instance, "GROUPS"))
		sscanf(mock_option(instance, "GROUPS"),
		       "%" SCNu64 ",%" SCNu64 ",%" SCNu64, &o->groups[0],
		       &o->groups[1], &o->groups[2]);
	o->domains = (uint32_t)mock_option_u64(instance, "DOMAINS", 2);
	o->peer = (uint32_t)mock_option_u64(instance, "PEER", DPRP_PEER_COPY);
	o->kinds = mock_option_kinds(instance);
	o->memory = mock_option_u64(instance, "MEMORY", UINT64_C(1) << 30);
	o->max_alloc = mock_option_u64(instance, "MAX_ALLOC", o->memory / 2);
	o->offset_align = mock_option_u64(instance, "OFFSET_ALIGN", 1);
	o->misalign = mock_option_u64(instance, "MISALIGN", 0);
	if (!o->offset_align)
		o->offset_align = 1;
	o->addresses = mock_option_u64(instance, "ADDRESSES", 1);
	o->host_memory = mock_option_u64(instance, "HOST_MEMORY", 0);
	o->copy_threads = mock_option_u64(instance, "COPY_THREADS", 1);
	o->profiling = mock_option_u64(instance, "PROFILING", 1);
	o->out_of_order = mock_option_u64(instance, "OUT_OF_ORDER", 1);
	o->fp16 = mock_option_u64(instance, "FP16", 1);
	o->fp64 = mock_option_u64(instance, "FP64", 1);
	o->notify = mock_option_u64(instance, "NOTIFY", 1);
	o->optional = mock_option_u64(instance, "OPTIONAL", 1);
	o->deps = mock_option_u64(instance, "DEPS", 1);
	o->lazy = mock_option_u64(instance, "LAZY", 0);
	o->overlap = mock_option_u64(instance, "OVERLAP", 0);
	o->hasty = mock_option_u64(instance, "HASTY", 0);
	o->cut = mock_option_u64(instance, "CUT", 0);
	o->dlpack = mock_option_u64(instance, "DLPACK", 0);
	o->late = mock_option_u64(instance, "LATE", 0);
	o->sizes = mock_option_u64(instance, "SIZES", 0);
	o->targets = mock_option(instance, "TARGETS");
	ipc = mock_option(instance, "IPC");
	if (ipc)
		o->ipc = strcmp(ipc, "fd") ? MOCK_IPC_NAME : MOCK_IPC_FD;
	o->build = mock_option_u64(instance, "BUILD",
				   DPRP_BUILD_ROUNDED | DPRP_BUILD_LARGE);
	o->single_fp = mock_option_u64(instance, "SINGLE_FP", 0);
	o->waits = mock_option_u64(instance, "WAITS", 0);
	o->pageable = mock_option_u64(instance, "PAGEABLE", 1);
	mock_option_ids(instance);
	mock_option_formats(instance);
}

static dprp_rc mock_roots(dprp_instance *instance)
{
	uint32_t i, n = instance->options.devices;

	instance->roots = mock_alloc(instance, n * sizeof(dprp_device));
	if (!instance->roots)
		return DPR_RC_OOM_HOST;
	for (i = 0; i < n; i++) {
		instance->roots[i].instance = instance;
		instance->roots[i].root = &instance->roots[i];
		instance->roots[i].index = i;
		instance->roots[i].units = instance->options.units;
	}
	return DPR_RC_OK;
}

static void mock_instance_free(dprp_instance *instance)
{
	dprp_host host = instance->host;
	dprp_device *sub, *next;

	for (sub = instance->subs; sub; sub = next) {
		next = sub->next;
		mock_free(instance, sub);
	}
	mock_free(instance, instance->roots);
	host.free(host.self, instance);
}

static dprp_rc mock_open(const dprp_host *host, dprp_instance **out)
{
	dprp_instance *instance = host->alloc(host->self, sizeof(*instance));
	size_t size = host->struct_size;
	dprp_rc rc = DPR_RC_OOM_HOST;

	*out = NULL;
	if (!instance) {
		host->set_error(host->self, rc, 0,
				MOCK_NAME ": out of host memory");
		return rc;
	}
	memset(instance, 0, sizeof(*instance));
	if (size > sizeof(instance->host))
		size = sizeof(instance->host);
	memcpy(&instance->host, host, size);
	rc = mock_enter(instance, MOCK_open);
	if (rc)
		goto err;
	mock_options_read(instance);
	rc = DPR_RC_NO_DRIVER;
	if (!mock_option_u64(instance, "DRIVER", 1)) {
		mock_fail(instance, rc, MOCK_NAME ": DRIVER=0: no driver");
		goto err;
	}
	rc = DPR_RC_NO_DEVICE;
	if (!instance->options.devices) {
		mock_fail(instance, rc, MOCK_NAME ": DEVICES=0: no device");
		goto err;
	}
	rc = mock_roots(instance);
	if (rc)
		goto err;
	mock_born(MOCK_INSTANCE, 1);
	pthread_mutex_lock(&mock_lock);
	instance->next = mock_instances;
	mock_instances = instance;
	pthread_mutex_unlock(&mock_lock);
	*out = instance;
	return DPR_RC_OK;
err:
	mock_instance_free(instance);
	return rc;
}

static void mock_close(dprp_instance *instance, uint32_t reason)
{
	struct mock_token *told = NULL;
	dprp_instance **at;
	dprp_queue *queue;

	(void)reason;
	mock_count(MOCK_close);
	pthread_mutex_lock(&mock_lock);
	for (at = &mock_instances; *at != instance; at = &(*at)->next)
		;
	*at = instance->next;
	instance->closing = true;
	for (queue = instance->queues; queue; queue = queue->next) {
		mock_queue_abort(queue, DPR_RC_SHUTDOWN, MOCK_NAME ": closed",
				 &told);
		queue->destroyed = true;
	}
	pthread_cond_broadcast(&mock_changed);
	pthread_mutex_unlock(&mock_lock);
	mock_tell(told);
	mock_queues_reap(instance, true);
	mock_instance_free(instance);
	mock_born(MOCK_INSTANCE, -1);
}

static dprp_rc mock_fail_next(dprp_instance *instance)
{
	(void)instance;
	mock_control.fail_command(1, DPR_RC_NATIVE, -42);
	return DPR_RC_OK;
}

static dprp_rc mock_lose(dprp_instance *instance, dprp_device *device)
{
	(void)instance;
	mock_control.lose(device->root->index);
	return DPR_RC_OK;
}

static const dprp_test_fault mock_test_fault = {
	.struct_size = sizeof(mock_test_fault),
	.fail_next = mock_fail_next,
	.lose = mock_lose,
};

static const void *mock_extension(dprp_instance *instance, const char *name,
				  uint32_t version)
{
	(void)instance;
	if (version == 1 && !strcmp(name, MOCK_CONTROL))
		return &mock_control;
	if (version == 1 && !strcmp(name, DPRP_TEST_FAULT))
		return &mock_test_fault;
	return NULL;
}

static dprp_rc mock_native_get(dprp_instance *instance, uint32_t what,
			       void *handle, uint32_t type, uintptr_t *out)
{
	MOCK_ENTER(instance, MOCK_native_get);
	if (type)
		return mock_fail(instance, DPR_RC_UNSUPPORTED,
				 MOCK_NAME
				 ": native handles have the type 0 only");
	if (what == DPRP_NATIVE_MEMORY)
		*out = (uintptr_t)((dprp_mem *)handle)->bytes;
	else
		*out = (uintptr_t)handle;
	return DPR_RC_OK;
}

static dprp_rc mock_native_wrap(dprp_instance *instance, uint32_t what,
				dprp_context *parent, dprp_device *device,
				uintptr_t in, uint64_t size, uint32_t own,
				uint64_t *flags, void **out)
{
	dprp_mem *mem;

	*out = NULL;
	*flags = 0;
	MOCK_ENTER(instance, MOCK_native_wrap);
	if (what == DPRP_NATIVE_QUEUE && !own)
		return mock_queue_wrap(instance, device, in, flags,
				       (dprp_queue **)out);
	if (what != DPRP_NATIVE_MEMORY || own)
		return mock_fail(
			instance, DPR_RC_UNSUPPORTED,
			MOCK_NAME
			": only borrowed queues and memory can be wrapped");
	mem = mock_alloc(instance, sizeof(*mem));
	if (!mem)
		return DPR_RC_OOM_HOST;
	mem->instance = instance;
	mem->root = device ? device->root : parent->root;
	mem->kind = DPRP_MEM_HOST;
	mem->size = size;
	mem->bytes = (unsigned char *)in;
	mem->address = mem->bytes;
	mock_born(MOCK_MEM, 1);
	*out = mem;
	return DPR_RC_OK;
}

static const dprp_plugin mock_plugin = {
	.magic = DPRP_MAGIC,
	.struct_size = sizeof(dprp_plugin),
	.abi_major = DPRP_ABI_MAJOR,
	.abi_minor = MOCK_MINOR,
	.name = MOCK_NAME,
	.version = "1.0",
	.description = "a backend for tests",
	.license = "Apache-2.0",
	.open = mock_open,
	.close = mock_close,
	.device = &mock_device_ops,
	.context = &mock_context_ops,
	.queue = &mock_queue_ops,
	.event = &mock_event_ops,
	.mem = &mock_mem_ops,
	.module = &mock_module_ops,
	.extension = mock_extension,
	.native_get = mock_native_get,
	.native_wrap = mock_native_wrap,
#ifdef MOCK_BARE
	.rank = DPRP_RANK_PORTABLE,
#else
	.rank = DPRP_RANK_NATIVE,
	.advice_no_driver = MOCK_NO_DRIVER,
	.advice_no_device = MOCK_NO_DEVICE,
#endif
};

DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor);

DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor)
{
	(void)host_minor;
	return &mock_plugin;
}
