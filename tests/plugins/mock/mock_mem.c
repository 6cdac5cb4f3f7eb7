/* SPDX-License-Identifier: Apache-2.0 */
/* mock_mem.c - memory from malloc, and the fake addresses of DEVICE memory. */
#include "tests/plugins/mock/mock_impl.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOCK_IPC_TYPE 7

/* Whether the memory to import, or a part of it, is imported already: drivers
   refuse that. */
static bool mock_mem_imported(const dprp_instance *instance,
			      const dprp_mem_desc *desc)
{
	uintptr_t at = (uintptr_t)desc->host_ptr;
	bool found = false;
	dprp_mem *mem;

	pthread_mutex_lock(&mock_lock);
	for (mem = instance->mems; mem; mem = mem->next)
		found |= mem->kind == DPRP_MEM_IMPORT_HOST &&
			 at < (uintptr_t)mem->bytes + mem->size &&
			 (uintptr_t)mem->bytes < at + desc->size;
	pthread_mutex_unlock(&mock_lock);
	return found;
}

static dprp_rc mock_mem_check(dprp_context *context, dprp_device *device,
			      const dprp_mem_desc *desc)
{
	dprp_instance *instance = context->instance;
	const struct mock_options *o = &instance->options;

	MOCK_KNOWN(instance, desc);
	if (desc->kind < DPRP_MEM_DEVICE || desc->kind > DPRP_MEM_IMPORT_HOST ||
	    !(o->kinds & 1u << desc->kind) || desc->flags || desc->ext)
		return mock_fail(instance, DPR_RC_UNSUPPORTED,
				 MOCK_NAME ": memory: kind %u is not there",
				 desc->kind);
	if (!desc->size || (desc->align & (desc->align - 1)) ||
	    (desc->kind == DPRP_MEM_IMPORT_HOST) != !!desc->host_ptr)
		return mock_fail(instance, DPR_RC_INVALID,
				 MOCK_NAME ": memory: size, align or host_ptr");
	if (desc->align > 2u << 20)
		return mock_fail(instance, DPR_RC_UNSUPPORTED,
				 MOCK_NAME ": memory: align is over 2 MiB");
	if (desc->size > o->max_alloc)
		return mock_fail(instance, DPR_RC_OOM_DEVICE,
				 MOCK_NAME
				 ": memory: %llu bytes, at most %llu at once",
				 (unsigned long long)desc->size,
				 (unsigned long long)o->max_alloc);
	if (desc->kind == DPRP_MEM_IMPORT_HOST &&
	    mock_mem_imported(instance, desc))
		return mock_fail(instance, DPR_RC_NATIVE,
				 MOCK_NAME ": memory: imported already");
	return mock_device_check(device, "memory");
}

/* Count @size bytes as used, if the device has so much left. */
static dprp_rc mock_mem_reserve(dprp_device *root, uint64_t size)
{
	dprp_rc rc = DPR_RC_OK;

	pthread_mutex_lock(&mock_lock);
	if (size > root->instance->options.memory - root->used)
		rc = DPR_RC_OOM_DEVICE;
	else
		root->used += size;
	if (!rc)
		mock_bytes_add((int64_t)size);
	pthread_mutex_unlock(&mock_lock);
	if (rc)
		mock_fail(root->instance, rc,
			  MOCK_NAME ": memory: %llu bytes, the device is full",
			  (unsigned long long)size);
	return rc;
}

static void mock_mem_unreserve(dprp_device *root, uint64_t size)
{
	pthread_mutex_lock(&mock_lock);
	root->used -= size;
	mock_bytes_add(-(int64_t)size);
	pthread_mutex_unlock(&mock_lock);
}

/* Map @size bytes of @file, and let @mem own the file.  Returns the address; 0:
   no memory. */
static uintptr_t mock_mem_map(dprp_mem *mem, int file, uint64_t size)
{
	void *at =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	if (at == MAP_FAILED) {
		close(file);
		return 0;
	}
	mem->file = file;
	mem->shared = at;
	mem->shared_size = size;
	return (uintptr_t)at;
}

/* Allocate memory that other processes can map. */
static uintptr_t mock_mem_share(dprp_mem *mem, uint64_t size)
{
	int file = memfd_create("mock", MFD_CLOEXEC);

	if (file >= 0 && !ftruncate(file, (off_t)size))
		return mock_mem_map(mem, file, size);
	if (file >= 0)
		close(file);
	return 0;
}

/* Give DEVICE memory an address that the host cannot use. */
static dprp_rc mock_mem_hide(dprp_mem *mem, uint64_t align, uint64_t off)
{
	uintptr_t start;

	mem->address = mem->bytes;
	if (mem->kind != DPRP_MEM_DEVICE || mem->instance->options.host_memory)
		return DPR_RC_OK;
	mem->address = mmap(NULL, mem->size + align + off, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mem->address == MAP_FAILED) {
		mem->address = NULL;
		return mock_fail(mem->instance, DPR_RC_OOM_DEVICE,
				 MOCK_NAME ": memory: no addresses left");
	}
	mem->mapping = mem->address;
	mem->mapped = mem->size + align + off;
	start = ((uintptr_t)mem->address + align - 1) & ~(uintptr_t)(align - 1);
	mem->address = (char *)start + off;
	return DPR_RC_OK;
}

static dprp_rc mock_mem_back(dprp_mem *mem, const dprp_mem_desc *desc)
{
	uint64_t align = desc->align > MOCK_ALIGN ? desc->align : MOCK_ALIGN;
	uint64_t off = mem->instance->options.misalign;
	uintptr_t start;

	if (desc->kind == DPRP_MEM_IMPORT_HOST) {
		mem->bytes = desc->host_ptr;
		mem->address = mem->bytes;
		return DPR_RC_OK;
	}
	if (mem->instance->options.ipc) {
		start = mock_mem_share(mem, mem->size + align + off);
	} else {
		mem->block = mem->instance->host.alloc(mem->instance->host.self,
						       mem->size + align + off);
		start = (uintptr_t)mem->block;
	}
	if (!start)
		return mock_fail(mem->instance, DPR_RC_OOM_HOST,
				 MOCK_NAME ": memory: malloc failed");
	start = (start + align - 1) & ~(uintptr_t)(align - 1);
	mem->bytes = (unsigned char *)start + off;
	/* Memory that a test forgets to write must not happen to be zero. */
	memset(mem->bytes, 0xa5, mem->size < 4096 ? mem->size : 4096);
	return mock_mem_hide(mem, align, off);
}

dprp_mem *mock_mem_find(const dprp_instance *instance, const void *host,
			uint64_t size)
{
	uintptr_t at = (uintptr_t)host, start;
	dprp_mem *mem;

	for (mem = instance->mems; mem; mem = mem->next) {
		start = (uintptr_t)mem->bytes;
		if (at >= start && at - start < mem->size &&
		    size <= mem->size - (at - start))
			return mem;
	}
	return NULL;
}

void mock_mem_unused(const dprp_instance *instance, const dprp_mem *mem)
{
	dprp_mem *at = instance->mems;

	while (at && at != mem)
		at = at->next;
	if (at)
		at->users--;
}

/* Whether write and read accept its addresses as host memory. */
static bool mock_mem_of_host(const dprp_mem *mem)
{
	return mem->kind != DPRP_MEM_DEVICE;
}

static void mock_mem_enter(dprp_mem *mem)
{
	if (!mock_mem_of_host(mem))
		return;
	pthread_mutex_lock(&mock_lock);
	mem->next = mem->instance->mems;
	mem->instance->mems = mem;
	pthread_mutex_unlock(&mock_lock);
}

static void mock_mem_leave(dprp_mem *mem)
{
	dprp_mem **at = &mem->instance->mems;

	if (!mock_mem_of_host(mem))
		return;
	pthread_mutex_lock(&mock_lock);
	while (*at && *at != mem)
		at = &(*at)->next;
	if (*at)
		*at = mem->next;
	if (mem->users)
		mock_violation();
	pthread_mutex_unlock(&mock_lock);
}

static void mock_mem_release(dprp_mem *mem)
{
	if (mem->mapping)
		munmap(mem->mapping, mem->mapped);
	if (mem->shared) {
		munmap(mem->shared, mem->shared_size);
		close(mem->file);
	}
	mock_free(mem->instance, mem->block);
	mock_free(mem->instance, mem);
}

static dprp_rc mock_mem_alloc(dprp_context *context, dprp_device *device,
			      const dprp_mem_desc *desc, dprp_mem **out)
{
	dprp_mem *mem;
	dprp_rc rc;

	*out = NULL;
	MOCK_ENTER(context->instance, MOCK_mem_alloc);
	rc = mock_mem_check(context, device, desc);
	if (rc)
		return rc;
	mem = mock_alloc(context->instance, sizeof(*mem));
	if (!mem)
		return DPR_RC_OOM_HOST;
	mem->instance = context->instance;
	mem->root = device->root;
	mem->kind = desc->kind;
	mem->size = desc->size;
	rc = mock_mem_reserve(mem->root, mem->size);
	if (rc)
		goto err;
	rc = mock_mem_back(mem, desc);
	if (rc)
		goto err_unreserve;
	mem->reserved = true;
	mock_mem_enter(mem);
	mock_born(MOCK_MEM, 1);
	*out = mem;
	return DPR_RC_OK;
err_unreserve:
	mock_mem_unreserve(mem->root, mem->size);
err:
	mock_mem_release(mem);
	return rc;
}

static void mock_mem_free(dprp_mem *mem)
{
	mock_count(MOCK_mem_free);
	mock_wait_idle(mem->instance, mem->root);
	mock_born(MOCK_MEM, -1);
	mock_mem_leave(mem);
	if (mem->reserved)
		mock_mem_unreserve(mem->root, mem->size);
	mock_mem_release(mem);
}

static dprp_rc mock_mem_info(dprp_mem *mem, uint32_t key, void *buffer,
			     size_t capacity, size_t *need)
{
	uint64_t kind = mem->kind;
	void *none = NULL;

	MOCK_ENTER(mem->instance, MOCK_mem_info);
	switch (key) {
	case DPRP_MEM_INFO_ADDRESS:
		if (!mem->instance->options.addresses)
			break;
		if (mock_lie(MOCK_LIE_ADDRESS))
			return mock_answer(mem->instance, &none, sizeof(none),
					   buffer, capacity, need);
		return mock_answer(mem->instance, &mem->address,
				   sizeof(mem->address), buffer, capacity,
				   need);
	case DPRP_MEM_INFO_KIND:
		return mock_answer(mem->instance, &kind, sizeof(kind), buffer,
				   capacity, need);
	default: break;
	}
	return mock_fail(mem->instance, DPR_RC_UNSUPPORTED,
			 MOCK_NAME ": memory info: no key %u", key);
}

#ifndef MOCK_BARE
static dprp_rc mock_ipc_export(dprp_mem *mem, dprp_ipc *out)
{
	uint32_t how = mem->instance->options.ipc;

	MOCK_ENTER(mem->instance, MOCK_mem_ipc_export);
	MOCK_KNOWN(mem->instance, out);
	if (!how || !mem->shared)
		return mock_fail(mem->instance, DPR_RC_UNSUPPORTED,
				 MOCK_NAME ": ipc: not this memory");
	out->type = MOCK_IPC_TYPE;
	out->fd = how == MOCK_IPC_FD ? dup(mem->file) : -1;
	out->size = mem->size;
	out->offset = (uint64_t)(mem->bytes - (unsigned char *)mem->shared);
	memset(out->bytes, 0, sizeof(out->bytes));
	out->bytes[0] = (unsigned char)mem->kind;
	if (how == MOCK_IPC_NAME)
		snprintf((char *)out->bytes + 1, sizeof(out->bytes) - 1,
			 "/proc/%ld/fd/%d", (long)getpid(), mem->file);
	return DPR_RC_OK;
}

/* Open and map the memory that @from describes.  False: there is no such
   memory. */
static bool mock_ipc_open(dprp_mem *mem, const dprp_ipc *from)
{
	struct stat info;
	int file;

	if (from->type != MOCK_IPC_TYPE || !from->bytes[0] ||
	    from->bytes[0] > DPRP_MEM_HOST || from->bytes[63])
		return false;
	file = from->bytes[1]
		       ? open((const char *)from->bytes + 1, O_RDWR | O_CLOEXEC)
		       : fcntl(from->fd, F_DUPFD_CLOEXEC, 0);
	if (file < 0)
		return false;
	if (fstat(file, &info) || from->offset > (uint64_t)info.st_size ||
	    from->size > (uint64_t)info.st_size - from->offset) {
		close(file);
		return false;
	}
	return mock_mem_map(mem, file, (uint64_t)info.st_size) != 0;
}

static dprp_rc mock_ipc_import(dprp_context *context, dprp_device *device,
			       const dprp_ipc *from, dprp_mem **out)
{
	dprp_instance *instance = context->instance;
	dprp_mem *mem;
	dprp_rc rc;

	*out = NULL;
	MOCK_ENTER(instance, MOCK_mem_ipc_import);
	MOCK_KNOWN(instance, from);
	if (!instance->options.ipc)
		return mock_fail(instance, DPR_RC_UNSUPPORTED,
				 MOCK_NAME ": ipc: there is none");
	rc = mock_device_check(device, "ipc");
	if (rc)
		return rc;
	mem = mock_alloc(instance, sizeof(*mem));
	if (!mem)
		return DPR_RC_OOM_HOST;
	mem->instance = instance;
	mem->root = device->root;
	mem->kind = from->bytes[0];
	mem->size = from->size;
	if (!mock_ipc_open(mem, from)) {
		rc = mock_fail(instance, DPR_RC_INVALID,
			       MOCK_NAME ": ipc: no such memory");
	} else {
		mem->bytes = (unsigned char *)mem->shared + from->offset;
		rc = mock_mem_hide(mem, MOCK_ALIGN, 0);
	}
	if (rc) {
		mock_mem_release(mem);
		return rc;
	}
	mock_born(MOCK_MEM, 1);
	*out = mem;
	return DPR_RC_OK;
}
#endif

const dprp_mem_ops mock_mem_ops = {
	.struct_size = sizeof(dprp_mem_ops),
	.alloc = mock_mem_alloc,
	.free = mock_mem_free,
	.info = mock_mem_info,
#ifndef MOCK_BARE
	.ipc_export = mock_ipc_export,
	.ipc_import = mock_ipc_import,
#endif
};
