/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pooled.c - a backend with queues out of order: one device, which is the CPU
 * with a pool of threads.
 *
 * <dpr/help-pool.h> has the queues, the events and the threads.  A submission
 * copies what it needs and returns.  Commands start when their dependencies are
 * over, in any order on queues that ask for it, and launches are shared among
 * the threads.  doc/writing-a-backend.md says how the helper is used.
 *
 *     cc -O2 -fPIC -fvisibility=hidden -pthread -shared -Wl,-z,nodelete \
 *         $(pkg-config --cflags dpr-backend) -o libdpr-pooled.so pooled.c
 *     dpr check-plugin ./libdpr-pooled.so
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dpr/backend-help.h>
#include <dpr/help-pool.h>

#include <stdlib.h>
#include <unistd.h>

#define NAME "pooled"
#define MAX_GROUP 1024u             /* work-items of a work-group */
#define LOCAL_BYTES (64u << 10)     /* local memory of a work-group */
#define PARAMETER_BYTES (16u << 10) /* values of a launch */
#define MEMORY_ALIGN 128u           /* enough for every type and vector */

struct dprp_device {
	dprp_instance *instance;
};

struct dprp_context {
	dprp_instance *instance;
};

/* guide: state */
struct dprp_instance {
	dprp_host host;
	struct dprh_pool pool; /* the queues, and the threads for them */
	dprp_device device;
	dprp_context context;
};

struct dprp_queue {
	struct dprh_pool_queue base; /* it comes first */
};
/* guide: end */

struct dprp_mem {
	dprp_instance *instance;
	void *address;
};

struct dprp_module {
	dprp_instance *instance;
	const dprp_native_module *native;
};

struct dprp_kernel {
	dprp_instance *instance;
	const dprp_native_kernel *native;
};

/* --- The driver, and its one device --- */

/* guide: open */
/* As many threads as the process may use CPUs, each bound to all of these. */
static dprp_rc start_pool(dprp_instance *instance)
{
	const dprp_host *host = &instance->host;
	struct dprh_cpus cpus;
	dprp_rc rc = dprh_cpus_allowed(host, &cpus);

	if (rc)
		return rc;
	rc = dprh_pool_init(&instance->pool, host, &cpus, cpus.n,
			    "; let the process use fewer CPUs");
	dprh_free(host, cpus.ids);
	return rc;
}

static dprp_rc plugin_open(const dprp_host *host, dprp_instance **out)
{
	dprp_instance *instance =
		(dprp_instance *)dprh_alloc(host, 1, sizeof(*instance));
	dprp_rc rc;

	if (!instance)
		return dprh_no_memory(host, NAME);
	dprh_copy(&instance->host, sizeof(instance->host), host);
	instance->device.instance = instance;
	instance->context.instance = instance;
	rc = start_pool(instance);
	if (rc)
		dprh_free(host, instance);
	else
		*out = instance;
	return rc;
}

static void plugin_close(dprp_instance *instance, uint32_t reason)
{
	dprp_host host = instance->host;

	(void)reason;
	dprh_pool_fini(&instance->pool);
	dprh_free(&host, instance);
}
/* guide: end */

static dprp_rc device_count(dprp_instance *instance, uint32_t *n)
{
	(void)instance;
	*n = 1;
	return DPR_RC_OK;
}

static dprp_rc device_get(dprp_instance *instance, uint32_t index,
			  dprp_device **out)
{
	(void)index; /* below the count */
	*out = &instance->device;
	return DPR_RC_OK;
}

/* The value of a key whose form is a number.  Never make up a number. */
static bool device_number(const dprp_device *device, uint32_t key,
			  uint64_t *value)
{
	switch (key) {
	case DPR_INFO_TYPE: *value = DPR_DEVICE_CPU; return true;
	case DPR_INFO_COMPUTE_UNITS:
		*value = device->instance->pool.n;
		return true;
	case DPR_INFO_GLOBAL_MEM_SIZE:
	case DPR_INFO_MAX_ALLOC_SIZE:
		*value = (uint64_t)sysconf(_SC_PHYS_PAGES) *
			 (uint64_t)sysconf(_SC_PAGESIZE);
		return true;
	case DPR_INFO_LOCAL_MEM_SIZE: *value = LOCAL_BYTES; return true;
	case DPR_INFO_MAX_WORK_GROUP_SIZE: *value = MAX_GROUP; return true;
	case DPR_INFO_MAX_PARAMETER_SIZE: *value = PARAMETER_BYTES; return true;
	/* Allocations have addresses, which the host may use. */
	case DPR_INFO_ASPECT_ADDRESSES:
	case DPR_INFO_ASPECT_HOST_MEMORY:
	case DPR_INFO_ASPECT_USM_DEVICE:
	case DPR_INFO_ASPECT_USM_SHARED:
	case DPR_INFO_ASPECT_USM_HOST:
	case DPR_INFO_ASPECT_FP64:
	case DPR_INFO_ASPECT_OUT_OF_ORDER:
	case DPR_INFO_ASPECT_QUEUE_PROFILING: *value = 1; return true;
	default: return false;
	}
}

static dprp_rc device_info(dprp_device *device, uint32_t key, void *buffer,
			   size_t capacity, size_t *need)
{
	const dprp_host *host = &device->instance->host;
	uint64_t value;

	if (key == DPR_INFO_NAME)
		return dprh_answer_text(host, "the " NAME " device", buffer,
					capacity, need);
	if (key == DPR_INFO_FORMATS) /* one string; more follow each other */
		return dprh_answer_text(host, DPRP_NATIVE_FORMAT, buffer,
					capacity, need);
	if (device_number(device, key, &value))
		return dprh_answer_number(host, value, buffer, capacity, need);
	return dprh_unknown(host, "device", key);
}

/* There is nothing to make or destroy, so all contexts are one. */
static dprp_rc context_create(dprp_instance *instance, dprp_device *root,
			      const dprp_ext *ext, dprp_context **out)
{
	(void)root;
	*out = &instance->context;
	return dprh_check_ext(&instance->host, "context", ext);
}

static void context_destroy(dprp_context *context)
{
	(void)context;
}

/* --- Memory --- */

static dprp_rc mem_alloc(dprp_context *context, dprp_device *device,
			 const dprp_mem_desc *theirs, dprp_mem **out)
{
	const dprp_host *host = &context->instance->host;
	dprp_mem_desc desc;
	uint64_t align;
	dprp_mem *mem;
	dprp_rc rc;

	(void)device;
	rc = dprh_take(host, "dprp_mem_desc", &desc, sizeof(desc), theirs);
	if (!rc)
		rc = dprh_check_mem(host, &desc);
	if (!rc && (desc.kind < DPRP_MEM_DEVICE || desc.kind > DPRP_MEM_HOST))
		rc = dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			       NAME ": memory of kind %u is not supported",
			       (unsigned)desc.kind);
	if (!rc)
		rc = dprh_queues_check(&context->instance->pool.queues);
	if (rc)
		return rc;
	mem = (dprp_mem *)dprh_alloc(host, 1, sizeof(*mem));
	if (!mem)
		return dprh_no_memory(host, "memory");
	align = desc.align > MEMORY_ALIGN ? desc.align : MEMORY_ALIGN;
	mem->instance = context->instance;
	/* This is the device's memory, so it is not the host's alloc(). */
	if (posix_memalign(&mem->address, align, desc.size)) {
		dprh_free(host, mem);
		return dprh_fail(host, DPR_RC_OOM_DEVICE, 0,
				 NAME ": there are no %llu bytes",
				 (unsigned long long)desc.size);
	}
	*out = mem;
	return DPR_RC_OK;
}

static void mem_free(dprp_mem *mem)
{
	free(mem->address);
	dprh_free(&mem->instance->host, mem);
}

static dprp_rc mem_info(dprp_mem *mem, uint32_t key, void *buffer,
			size_t capacity, size_t *need)
{
	const dprp_host *host = &mem->instance->host;

	if (key == DPRP_MEM_INFO_ADDRESS)
		return dprh_answer(host, &mem->address, sizeof(mem->address),
				   buffer, capacity, need);
	return dprh_unknown(host, "memory", key);
}

static void *mem_address(dprp_mem *mem)
{
	return mem->address;
}

/* --- Queues: copies and fills --- */

static dprp_rc queue_create(dprp_context *context, dprp_device *device,
			    const dprp_queue_desc *desc, uint64_t *got,
			    dprp_queue **out)
{
	(void)device;
	return dprh_queue_create(&context->instance->pool.queues, desc,
				 sizeof(struct dprp_queue), got, out);
}

struct copy {
	char *to;
	const char *from;
	uint64_t size;
};

/* A thread of the pool calls this when the queue and the dependencies allow. */
static dprp_rc run_copy(struct dprh_queue *queue, void *data,
			struct dprh_why *why)
{
	const struct copy *copy = (const struct copy *)data;

	/* A driver's failure: return dprh_because(why, DPR_RC_NATIVE, ...). */
	(void)queue, (void)why;
	memcpy(copy->to, copy->from, copy->size);
	return DPR_RC_OK;
}

static dprp_rc submit_copy(dprp_queue *queue, void *to, uint64_t to_offset,
			   const void *from, uint64_t from_offset,
			   uint64_t size, const dprp_deps *deps,
			   dprp_event **event)
{
	struct copy copy;

	copy.to = (char *)to + to_offset;
	copy.from = (const char *)from + from_offset;
	copy.size = size;
	return dprh_queue_submit(&queue->base.base, deps, run_copy, &copy,
				 sizeof(copy), event);
}

static dprp_rc queue_write(dprp_queue *queue, dprp_mem *to, uint64_t offset,
			   const void *from, uint64_t size,
			   const dprp_deps *deps, dprp_event **event)
{
	return submit_copy(queue, to->address, offset, from, 0, size, deps,
			   event);
}

static dprp_rc queue_read(dprp_queue *queue, dprp_mem *from, uint64_t offset,
			  void *to, uint64_t size, const dprp_deps *deps,
			  dprp_event **event)
{
	return submit_copy(queue, to, 0, from->address, offset, size, deps,
			   event);
}

static dprp_rc queue_copy(dprp_queue *queue, dprp_mem *to, uint64_t to_offset,
			  dprp_mem *from, uint64_t from_offset, uint64_t size,
			  const dprp_deps *deps, dprp_event **event)
{
	return submit_copy(queue, to->address, to_offset, from->address,
			   from_offset, size, deps, event);
}

struct fill {
	unsigned char *to;
	uint64_t size;
	size_t pattern_size;
	unsigned char pattern[128];
};

static dprp_rc run_fill(struct dprh_queue *queue, void *data,
			struct dprh_why *why)
{
	const struct fill *fill = (const struct fill *)data;
	uint64_t at;

	(void)queue, (void)why;
	for (at = 0; at < fill->size; at += fill->pattern_size)
		memcpy(fill->to + at, fill->pattern, fill->pattern_size);
	return DPR_RC_OK;
}

static dprp_rc queue_fill(dprp_queue *queue, dprp_mem *to, uint64_t offset,
			  uint64_t size, const void *pattern,
			  size_t pattern_size, const dprp_deps *deps,
			  dprp_event **event)
{
	struct fill fill;

	fill.to = (unsigned char *)to->address + offset;
	fill.size = size;
	fill.pattern_size = pattern_size;
	memcpy(fill.pattern, pattern, pattern_size);
	return dprh_queue_submit(&queue->base.base, deps, run_fill, &fill,
				 sizeof(fill), event);
}

/* --- Modules, kernels and launches --- */

static dprp_rc module_pick(dprp_device *device, const dprp_image *const *images,
			   uint32_t n, uint32_t *best)
{
	return dprh_native_pick(&device->instance->host, images, n, best);
}

static dprp_rc module_create(dprp_context *context, dprp_device *device,
			     const dprp_module_desc *desc, dprp_module **out)
{
	dprp_instance *instance = context->instance;
	const dprp_native_module *native;
	dprp_rc rc = dprh_native_module(&instance->host, desc, &native);

	(void)device;
	if (rc)
		return rc;
	*out = (dprp_module *)dprh_alloc(&instance->host, 1, sizeof(**out));
	if (!*out)
		return dprh_no_memory(&instance->host, "a module");
	(*out)->instance = instance;
	(*out)->native = native;
	return DPR_RC_OK;
}

static void module_destroy(dprp_module *module)
{
	dprh_free(&module->instance->host, module);
}

static dprp_rc module_kernel(dprp_module *module, const char *name,
			     dprp_kernel **out)
{
	const dprp_host *host = &module->instance->host;
	const dprp_native_kernel *native;
	dprp_rc rc = dprh_native_kernel(host, module->native, name, &native);

	if (rc)
		return rc;
	*out = (dprp_kernel *)dprh_alloc(host, 1, sizeof(**out));
	if (!*out)
		return dprh_no_memory(host, "a kernel");
	(*out)->instance = module->instance;
	(*out)->native = native;
	return DPR_RC_OK;
}

static void kernel_destroy(dprp_kernel *kernel)
{
	dprh_free(&kernel->instance->host, kernel);
}

static dprp_rc kernel_info(dprp_kernel *kernel, dprp_device *device,
			   uint32_t key, void *buffer, size_t capacity,
			   size_t *need)
{
	(void)device;
	return dprh_native_info(&kernel->instance->host, kernel->native,
				MAX_GROUP, key, buffer, capacity, need);
}

/* guide: launch */
static dprp_rc queue_launch(dprp_queue *queue, dprp_kernel *kernel,
			    const dprp_launch *launch, const dprp_deps *deps,
			    dprp_event **event)
{
	static const struct dprh_sizes most = { PARAMETER_BYTES, LOCAL_BYTES };

	return dprh_pool_launch(&queue->base.base, kernel->native, launch,
				&most, MAX_GROUP, mem_address, deps, event);
}
/* guide: end */

/* --- Faults that dpr check-plugin asks for --- */

static dprp_rc fault_fail_next(dprp_instance *instance)
{
	dprh_queues_fail_next(&instance->pool.queues);
	return DPR_RC_OK;
}

static dprp_rc fault_lose(dprp_instance *instance, dprp_device *device)
{
	dprh_queues_lose(&instance->pool.queues, device, NAME ": a test");
	return DPR_RC_OK;
}

static const dprp_test_fault test_fault = {
	sizeof(dprp_test_fault), fault_fail_next, fault_lose
};

static const void *plugin_extension(dprp_instance *instance, const char *name,
				    uint32_t version)
{
	(void)instance;
	return version == 1 && !strcmp(name, DPRP_TEST_FAULT) ? &test_fault
							      : NULL;
}

/* --- The tables.  NULL: the core's own way --- */

/* clang-format off */
static const dprp_device_ops device_ops = {
	sizeof(dprp_device_ops), device_count, device_get, device_info,
	NULL /* partition */, NULL /* peer */, dprh_clocks
};
static const dprp_context_ops context_ops = {
	sizeof(dprp_context_ops), context_create, context_destroy
};
static const dprp_queue_ops queue_ops = {
	sizeof(dprp_queue_ops), queue_create, dprh_queue_destroy,
	dprh_queue_flush, dprh_queue_finish, dprh_queue_barrier,
	queue_write, queue_read, queue_copy, queue_launch,
	queue_fill, NULL /* prefetch */, NULL /* advise */
};
static const dprp_event_ops event_ops = {
	sizeof(dprp_event_ops), dprh_event_status, dprh_event_wait,
	dprh_event_destroy, dprh_event_notify
};
static const dprp_mem_ops mem_ops = {
	sizeof(dprp_mem_ops), mem_alloc, mem_free, mem_info,
	NULL /* ipc_export */, NULL /* ipc_import */
};
static const dprp_module_ops module_ops = {
	sizeof(dprp_module_ops), module_pick, module_create, module_destroy,
	NULL /* binary */, module_kernel, kernel_destroy, kernel_info
};

static const dprp_plugin plugin = {
	DPRP_MAGIC, sizeof(dprp_plugin), DPRP_ABI_MAJOR, DPRP_ABI_MINOR,
	0, 0, NAME, "0.1", "the CPU, with queues out of order", "Apache-2.0",
	plugin_open, plugin_close,
	&device_ops, &context_ops, &queue_ops, &event_ops, &mem_ops,
	&module_ops,
	plugin_extension, NULL /* native_get */, NULL /* native_wrap */,
	DPRP_RANK_HOST, 0, NULL, NULL
};
/* clang-format on */

DPRH_PLUGIN(plugin)
