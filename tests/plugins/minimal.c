/* SPDX-License-Identifier: Apache-2.0 */
/*
 * minimal.c - the smallest backend: the entries that backend.h requires, and no
 * other.
 *
 * Its device is memory of the host.  It knows nothing about itself (info
 * answers no key), does everything before a submission returns, and leaves
 * every dependency to the core (DPR_RC_CANNOT_WAIT).  With MINIMAL_KERNELS it
 * takes native kernels, too.
 *
 * The tables are in .data, so that DPR_TEST_MISSING=table.entry in the
 * environment can take one entry away.
 */
#include <stdlib.h>
#include <string.h>

#include <dpr/backend-help.h>

#ifdef MINIMAL_KERNELS
#define NAME "minimal_kernels"
#else
#define NAME "minimal"
#endif

struct dprp_instance {
	const dprp_host *host;
};

struct dprp_mem {
	dprp_instance *instance;
	char *bytes;
};

/* Devices, contexts, queues and events have no state: each handle is the
   instance. */
#define INSTANCE(handle) ((dprp_instance *)(void *)(handle))

static dprp_rc minimal_open(const dprp_host *host, dprp_instance **out)
{
	*out = dprh_alloc(host, 1, sizeof(**out));
	if (!*out)
		return dprh_no_memory(host, NAME);
	(*out)->host = host;
	return DPR_RC_OK;
}

static void minimal_close(dprp_instance *instance, uint32_t reason)
{
	(void)reason;
	dprh_free(instance->host, instance);
}

static dprp_rc device_count(dprp_instance *instance, uint32_t *n)
{
	(void)instance;
	*n = 1;
	return DPR_RC_OK;
}

static dprp_rc device_get(dprp_instance *instance, uint32_t index,
			  dprp_device **out)
{
	(void)index;
	*out = (dprp_device *)(void *)instance;
	return DPR_RC_OK;
}

static dprp_rc device_info(dprp_device *device, uint32_t key, void *buffer,
			   size_t capacity, size_t *need)
{
	(void)buffer, (void)capacity, (void)need;
	return dprh_unknown(INSTANCE(device)->host, "device", key);
}

static dprp_rc context_create(dprp_instance *instance, dprp_device *root,
			      const dprp_ext *ext, dprp_context **out)
{
	(void)root, (void)ext;
	*out = (dprp_context *)(void *)instance;
	return DPR_RC_OK;
}

static void context_destroy(dprp_context *context)
{
	(void)context;
}

/* --- Memory --- */

static dprp_rc mem_alloc(dprp_context *context, dprp_device *device,
			 const dprp_mem_desc *theirs, dprp_mem **out)
{
	const dprp_host *host = INSTANCE(context)->host;
	dprp_mem_desc desc;
	size_t align;
	void *bytes;
	dprp_rc rc;

	(void)device;
	rc = dprh_take(host, "dprp_mem_desc", &desc, sizeof(desc), theirs);
	if (!rc)
		rc = dprh_check_mem(host, &desc);
	if (!rc && desc.kind != DPRP_MEM_DEVICE)
		rc = dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			       NAME ": DEVICE memory only");
	if (rc)
		return rc;
	*out = dprh_alloc(host, 1, sizeof(**out));
	if (!*out)
		return dprh_no_memory(host, "memory");
	(*out)->instance = INSTANCE(context);
	/* aligned_alloc() would want a multiple of the alignment, and a size near
	   SIZE_MAX has none. */
	align = desc.align > 64 ? desc.align : 64;
	if (!posix_memalign(&bytes, align, desc.size)) {
		(*out)->bytes = bytes;
		return DPR_RC_OK;
	}
	dprh_free(host, *out);
	return dprh_fail(host, DPR_RC_OOM_DEVICE, 0, NAME ": no memory");
}

static void mem_free(dprp_mem *mem)
{
	free(mem->bytes);
	dprh_free(mem->instance->host, mem);
}

static dprp_rc mem_info(dprp_mem *mem, uint32_t key, void *buffer,
			size_t capacity, size_t *need)
{
	(void)buffer, (void)capacity, (void)need;
	return dprh_unknown(mem->instance->host, "memory", key);
}

/* --- Queues and events --- */

static dprp_rc queue_create(dprp_context *context, dprp_device *device,
			    const dprp_queue_desc *theirs, uint64_t *got,
			    dprp_queue **out)
{
	const dprp_host *host = INSTANCE(context)->host;
	dprp_queue_desc desc;
	dprp_rc rc;

	(void)device;
	rc = dprh_take(host, "dprp_queue_desc", &desc, sizeof(desc), theirs);
	if (!rc)
		rc = dprh_check_queue(host, &desc);
	if (rc)
		return rc;
	*got = 0;
	*out = (dprp_queue *)(void *)context;
	return DPR_RC_OK;
}

static void queue_destroy(dprp_queue *queue)
{
	(void)queue;
}

/* flush and finish: there is never anything to do. */
static dprp_rc queue_idle(dprp_queue *queue)
{
	(void)queue;
	return DPR_RC_OK;
}

/* Whether a submission has something to wait for. */
static bool must_wait(const dprp_deps *deps)
{
	return deps && deps->count;
}

/* The end of every submission: its event is over. */
static dprp_rc over(dprp_queue *queue, dprp_event **event)
{
	if (event)
		*event = (dprp_event *)(void *)queue;
	return DPR_RC_OK;
}

static dprp_rc queue_barrier(dprp_queue *queue, const dprp_deps *deps,
			     dprp_event **event)
{
	return must_wait(deps) ? dprh_cannot_wait(INSTANCE(queue)->host)
			       : over(queue, event);
}

static dprp_rc queue_write(dprp_queue *queue, dprp_mem *to, uint64_t offset,
			   const void *from, uint64_t size,
			   const dprp_deps *deps, dprp_event **event)
{
	if (must_wait(deps))
		return dprh_cannot_wait(INSTANCE(queue)->host);
	memcpy(to->bytes + offset, from, size);
	return over(queue, event);
}

static dprp_rc queue_read(dprp_queue *queue, dprp_mem *from, uint64_t offset,
			  void *to, uint64_t size, const dprp_deps *deps,
			  dprp_event **event)
{
	if (must_wait(deps))
		return dprh_cannot_wait(INSTANCE(queue)->host);
	memcpy(to, from->bytes + offset, size);
	return over(queue, event);
}

static dprp_rc queue_copy(dprp_queue *queue, dprp_mem *to, uint64_t to_offset,
			  dprp_mem *from, uint64_t from_offset, uint64_t size,
			  const dprp_deps *deps, dprp_event **event)
{
	if (must_wait(deps))
		return dprh_cannot_wait(INSTANCE(queue)->host);
	memcpy(to->bytes + to_offset, from->bytes + from_offset, size);
	return over(queue, event);
}

static dprp_rc event_status(dprp_event *event, dprp_event_state *state,
			    dprp_sink text)
{
	const dprp_event_state done = { .struct_size = sizeof(done),
					.state = DPRP_EVENT_DONE };

	(void)event, (void)text;
	dprh_give(state, &done, sizeof(done));
	return DPR_RC_OK;
}

static dprp_rc event_wait(dprp_event *const *events, uint32_t n,
			  uint64_t timeout_ns)
{
	(void)events, (void)n, (void)timeout_ns;
	return DPR_RC_OK;
}

static void event_destroy(dprp_event *event)
{
	(void)event;
}

/* --- Kernels --- */

#ifdef MINIMAL_KERNELS
struct dprp_module {
	dprp_instance *instance;
	const dprp_native_module *native;
};

static dprp_rc module_pick(dprp_device *device, const dprp_image *const *images,
			   uint32_t n, uint32_t *best)
{
	return dprh_native_pick(INSTANCE(device)->host, images, n, best);
}

static dprp_rc module_create(dprp_context *context, dprp_device *device,
			     const dprp_module_desc *desc, dprp_module **out)
{
	const dprp_host *host = INSTANCE(context)->host;
	const dprp_native_module *native;
	dprp_rc rc = dprh_native_module(host, desc, &native);

	(void)device;
	if (rc)
		return rc;
	*out = dprh_alloc(host, 1, sizeof(**out));
	if (!*out)
		return dprh_no_memory(host, "a module");
	(*out)->instance = INSTANCE(context);
	(*out)->native = native;
	return DPR_RC_OK;
}

static void module_destroy(dprp_module *module)
{
	dprh_free(module->instance->host, module);
}

/* A handle is the plugin's own: here it is the kernel in the program. */
static dprp_rc module_kernel(dprp_module *module, const char *name,
			     dprp_kernel **out)
{
	const dprp_native_kernel *native;
	dprp_rc rc = dprh_native_kernel(module->instance->host, module->native,
					name, &native);

	*out = (dprp_kernel *)(uintptr_t)native;
	return rc;
}

static void kernel_destroy(dprp_kernel *kernel)
{
	(void)kernel;
}

static dprp_rc kernel_info(dprp_kernel *kernel, dprp_device *device,
			   uint32_t key, void *buffer, size_t capacity,
			   size_t *need)
{
	(void)kernel, (void)buffer, (void)capacity, (void)need;
	return dprh_unknown(INSTANCE(device)->host, "kernel", key);
}

static void *mem_address(dprp_mem *mem)
{
	return mem->bytes;
}

static dprp_rc queue_launch(dprp_queue *queue, dprp_kernel *kernel,
			    const dprp_launch *theirs, const dprp_deps *deps,
			    dprp_event **event)
{
	static const struct dprh_sizes most = { 4096, 4096 };
	const dprp_native_kernel *native =
		(const dprp_native_kernel *)(const void *)kernel;
	const dprp_host *host = INSTANCE(queue)->host;
	struct dprh_sizes sizes;
	struct dprh_range range;
	dprp_launch launch;
	void *block;
	dprp_rc rc;

	if (must_wait(deps))
		return dprh_cannot_wait(INSTANCE(queue)->host);
	rc = dprh_take(host, "dprp_launch", &launch, sizeof(launch), theirs);
	if (!rc)
		rc = dprh_native_check(host, native, &launch, &most, &sizes);
	if (rc || dprh_launch_is_empty(&launch))
		return rc ? rc : over(queue, event);
	rc = dprh_range_of(host, &launch, 256, 64, &range);
	if (rc)
		return rc;
	block = aligned_alloc(DPRH_ALIGN, dprh_native_size(&launch, &sizes));
	if (!block)
		return dprh_no_memory(host, "arguments");
	dprh_native_run(native->run,
			dprh_native_pack(&launch, &sizes, mem_address, block),
			&range);
	free(block);
	return over(queue, event);
}
#endif

/* --- The tables --- */

/* clang-format off */
static dprp_device_ops device_ops = {
	.struct_size = sizeof(device_ops),
	.count = device_count, .get = device_get, .info = device_info,
};
static dprp_context_ops context_ops = {
	.struct_size = sizeof(context_ops),
	.create = context_create, .destroy = context_destroy,
};
static dprp_queue_ops queue_ops = {
	.struct_size = sizeof(queue_ops),
	.create = queue_create, .destroy = queue_destroy,
	.flush = queue_idle, .finish = queue_idle, .barrier = queue_barrier,
	.write = queue_write, .read = queue_read, .copy = queue_copy,
#ifdef MINIMAL_KERNELS
	.launch = queue_launch,
#endif
};
static dprp_event_ops event_ops = {
	.struct_size = sizeof(event_ops),
	.status = event_status, .wait = event_wait, .destroy = event_destroy,
};
static dprp_mem_ops mem_ops = {
	.struct_size = sizeof(mem_ops),
	.alloc = mem_alloc, .free = mem_free, .info = mem_info,
};
#ifdef MINIMAL_KERNELS
static dprp_module_ops module_ops = {
	.struct_size = sizeof(module_ops),
	.pick = module_pick, .create = module_create, .destroy = module_destroy,
	.kernel = module_kernel, .kernel_destroy = kernel_destroy,
	.kernel_info = kernel_info,
};
#endif
static dprp_plugin plugin = {
	.magic = DPRP_MAGIC, .struct_size = sizeof(plugin),
	.abi_major = DPRP_ABI_MAJOR, .abi_minor = DPRP_ABI_MINOR,
	.name = NAME, .version = "1", .description = "the smallest",
	.license = "Apache-2.0",
	.open = minimal_open, .close = minimal_close,
	.device = &device_ops, .context = &context_ops, .queue = &queue_ops,
	.event = &event_ops, .mem = &mem_ops,
#ifdef MINIMAL_KERNELS
	.module = &module_ops,
#endif
	.rank = DPRP_RANK_HOST,
};
/* clang-format on */

/* All entries that there are. */
#define ENTRY(table, entry)                                 \
	{                                                   \
#table "." #entry, &table##_ops,            \
			offsetof(dprp_##table##_ops, entry) \
	}
/* clang-format off */
static const struct {
	const char *name;
	void *table;
	size_t offset;
} entries[] = {
	{ "open", &plugin, offsetof(dprp_plugin, open) },
	{ "close", &plugin, offsetof(dprp_plugin, close) },
	ENTRY(device, count), ENTRY(device, get), ENTRY(device, info),
	ENTRY(context, create), ENTRY(context, destroy),
	ENTRY(queue, create), ENTRY(queue, destroy), ENTRY(queue, flush),
	ENTRY(queue, finish), ENTRY(queue, barrier), ENTRY(queue, write),
	ENTRY(queue, read), ENTRY(queue, copy),
	ENTRY(event, status), ENTRY(event, wait), ENTRY(event, destroy),
	ENTRY(mem, alloc), ENTRY(mem, free), ENTRY(mem, info),
#ifdef MINIMAL_KERNELS
	ENTRY(queue, launch), ENTRY(module, pick), ENTRY(module, create),
	ENTRY(module, destroy), ENTRY(module, kernel),
	ENTRY(module, kernel_destroy), ENTRY(module, kernel_info),
#endif
};
/* clang-format on */

/* Take away the entry that DPR_TEST_MISSING names. */
static void take_away(void)
{
	const char *missing = getenv("DPR_TEST_MISSING");
	size_t i;

	for (i = 0; missing && i < sizeof(entries) / sizeof(*entries); i++)
		if (!strcmp(entries[i].name, missing))
			memset((char *)entries[i].table + entries[i].offset, 0,
			       sizeof(void (*)(void)));
}

DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor);

DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor)
{
	(void)host_minor;
	take_away();
	return &plugin;
}
