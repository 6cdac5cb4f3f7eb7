/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zecpu_ipc.c - device memory that other processes can open.
 *
 * When a program asks for a handle, the memory is moved into a file.  The
 * handle names the file through /proc, so the process that made it must still
 * live.
 */
#include "zecpu_impl.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The contents of a ze_ipc_mem_handle_t. */
struct ipc {
	char magic[8];
	int fd;
	int pid;
	uint64_t size, map_size, offset;
};

/* Replace the memory's pages by a file with the same contents.  The lock is
   held, and no command is running. */
static bool share(struct memory *memory)
{
	size_t pages, left;
	ssize_t n;
	int fd;

	if (memory->guarded)
		zecpu_memory_guard(memory, true);
	pages = zecpu_memory_round_up((size_t)(memory->start - memory->map) +
					      memory->size,
				      ZECPU_PAGE);
	fd = memfd_create("zecpu shared", MFD_CLOEXEC);
	for (left = pages; fd >= 0 && left > 0; left -= (size_t)n) {
		n = write(fd, memory->map + (pages - left), left);
		if (n <= 0)
			break;
	}
	if (fd >= 0 && left == 0 &&
	    mmap(memory->map, pages, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED)
		memory->fd = fd;
	else if (fd >= 0)
		close(fd);
	if (memory->guarded && !zecpu_memory_is_open(memory))
		zecpu_memory_guard(memory, false);
	return memory->fd >= 0;
}

ze_result_t ZE_APICALL zecpu_zeMemGetIpcHandle(ze_context_handle_t context,
					       const void *pointer,
					       ze_ipc_mem_handle_t *out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeMemGetIpcHandle);
	struct ipc ipc = { .magic = "zecpuip" };
	struct memory *memory;

	if (result || !zecpu_object_is(context, KIND_CONTEXT, &result) ||
	    !zecpu_check_pointer(pointer, "ptr", &result) ||
	    !zecpu_check_pointer(out, "pIpcHandle", &result))
		return result;
	pthread_mutex_lock(&zecpu.lock);
	zecpu_engine_pause();
	memory = zecpu_memory_find(pointer);
	if (!memory || memory->start != pointer ||
	    memory->type != ZE_MEMORY_TYPE_DEVICE)
		result = zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				      "%p is not an allocation of a device",
				      pointer);
	else if (memory->fd < 0 && !share(memory))
		result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	if (!result) {
		ipc.fd = memory->fd;
		ipc.pid = getpid();
		ipc.size = memory->size;
		ipc.offset = (uint64_t)(memory->start - memory->map);
		ipc.map_size = zecpu_memory_round_up(ipc.offset + ipc.size,
						     ZECPU_PAGE);
		memset(out, 0, sizeof(*out));
		memcpy(out->data, &ipc, sizeof(ipc));
	}
	zecpu_engine_resume();
	pthread_mutex_unlock(&zecpu.lock);
	return result;
}

static int open_ipc(const struct ipc *ipc)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", ipc->pid, ipc->fd);
	return open(path, O_RDWR | O_CLOEXEC);
}

ze_result_t ZE_APICALL zecpu_zeMemOpenIpcHandle(ze_context_handle_t context,
						ze_device_handle_t device,
						ze_ipc_mem_handle_t handle,
						ze_ipc_memory_flags_t flags,
						void **out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeMemOpenIpcHandle);
	struct memory *memory;
	struct ipc ipc;
	void *map = MAP_FAILED;
	int fd;

	(void)flags;
	if (result || !zecpu_object_is(context, KIND_CONTEXT, &result) ||
	    !zecpu_object_is(device, KIND_DEVICE, &result) ||
	    !zecpu_check_pointer((const void *)out, "pptr", &result))
		return result;
	memcpy(&ipc, handle.data, sizeof(ipc));
	if (memcmp(ipc.magic, "zecpuip", 8) != 0)
		return zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				    "this is not a handle for memory");
	fd = open_ipc(&ipc);
	if (fd >= 0)
		map = mmap(NULL, ipc.map_size, PROT_READ | PROT_WRITE,
			   MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		if (fd >= 0)
			close(fd);
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	}
	memory = zecpu_memory_new((struct context *)context,
				  (struct device *)device,
				  ZE_MEMORY_TYPE_DEVICE, ipc.size);
	pthread_mutex_lock(&zecpu.lock);
	if (memory) {
		memory->map = map;
		memory->map_size = ipc.map_size;
		memory->start = memory->map + ipc.offset;
		memory->opened = true;
		memory->fd = fd;
	}
	if (!memory || !zecpu_memory_enter(memory)) {
		munmap(map, ipc.map_size);
		close(fd);
		free(memory);
		result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	} else {
		*out = memory->start;
	}
	pthread_mutex_unlock(&zecpu.lock);
	return result;
}

ze_result_t ZE_APICALL zecpu_zeMemCloseIpcHandle(ze_context_handle_t context,
						 const void *pointer)
{
	ze_result_t result = zecpu_enter(ENTRY_zeMemCloseIpcHandle);
	struct memory *memory;

	if (result || !zecpu_object_is(context, KIND_CONTEXT, &result) ||
	    !zecpu_check_pointer(pointer, "ptr", &result))
		return result;
	pthread_mutex_lock(&zecpu.lock);
	memory = zecpu_memory_at(context, (void *)(uintptr_t)pointer, &result);
	if (memory && !memory->opened)
		result = zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				      "%p was not opened by a handle", pointer);
	else if (memory)
		result = zecpu_memory_free(memory, 0);
	pthread_mutex_unlock(&zecpu.lock);
	return result;
}
