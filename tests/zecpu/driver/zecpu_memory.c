/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zecpu_memory.c - USM: allocations, and which device may use them.
 *
 * All memory is memory of this process, so a pointer is the same for the host
 * and every device.  Each allocation has pages of its own.
 */
#include "zecpu_impl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE_SIZE_OF_DEVICE 65536
#define FRESH 0xa5                   /* the bytes of new device memory */
#define FRESH_FILE ((size_t)4 << 20) /* bytes of the file of FRESH */

/* All memory, sorted by address.  Guarded by zecpu.lock. */
static struct {
	struct memory **all;
	size_t n, room;
	unsigned open[4]; /* commands that may use all memory of a
			     ze_memory_type_t */
	struct memory *deferred;
	uint64_t ids;
	int fresh; /* the file of FRESH_FILE bytes FRESH, or 0 */
} table;

size_t zecpu_memory_round_up(size_t size, size_t to)
{
	return (size + to - 1) / to * to;
}

/* The index of the first memory that starts after @address. */
static size_t table_after(const void *address)
{
	size_t low = 0, high = table.n, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if ((const void *)table.all[middle]->start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct memory *zecpu_memory_find(const void *address)
{
	size_t i = table_after(address);
	struct memory *memory;

	if (i == 0)
		return NULL;
	memory = table.all[i - 1];
	if ((size_t)((const unsigned char *)address - memory->start) <
	    memory->size)
		return memory;
	return NULL;
}

static bool table_add(struct memory *memory)
{
	struct memory **grown;
	size_t i;

	if (table.n == table.room) {
		grown = realloc(table.all,
				(table.room * 2 + 64) * sizeof(*grown));
		if (!grown)
			return false;
		table.all = grown;
		table.room = table.room * 2 + 64;
	}
	i = table_after(memory->start);
	memmove(&table.all[i + 1], &table.all[i],
		(table.n - i) * sizeof(*table.all));
	table.all[i] = memory;
	table.n++;
	return true;
}

static void table_remove(const struct memory *memory)
{
	size_t i = table_after(memory->start) - 1;

	memmove(&table.all[i], &table.all[i + 1],
		(table.n - i - 1) * sizeof(*table.all));
	table.n--;
}

/* --- pages --- */

static int fresh_file(void)
{
	unsigned char page[ZECPU_PAGE];
	size_t i;

	if (table.fresh > 0)
		return table.fresh;
	table.fresh = memfd_create("zecpu fresh", MFD_CLOEXEC);
	memset(page, FRESH, sizeof(page));
	for (i = 0; table.fresh > 0 && i < FRESH_FILE / ZECPU_PAGE; i++)
		if (write(table.fresh, page, ZECPU_PAGE) != (ssize_t)ZECPU_PAGE)
			return -1;
	return table.fresh;
}

/* Fill new memory, so that reading it before writing is noticed.  Large memory
   maps a file instead, whose pages take no room until they are written. */
static void fill_fresh(unsigned char *start, size_t size)
{
	size_t part;
	int fd = size > FRESH_FILE / 8 ? fresh_file() : -1;

	for (; fd > 0 && size >= ZECPU_PAGE; start += part, size -= part) {
		part = size / ZECPU_PAGE * ZECPU_PAGE;
		if (part > FRESH_FILE)
			part = FRESH_FILE;
		if (mmap(start, part, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
			break;
	}
	memset(start, FRESH, size);
}

/* Map pages for the memory.  With @guard, its last byte is just before a page
   without access. */
static bool map_pages(struct memory *memory, size_t align, bool guard)
{
	size_t pages = zecpu_memory_round_up(memory->size, ZECPU_PAGE);
	unsigned char *map;
	size_t extra = align > ZECPU_PAGE ? align : 0;

	memory->map_size = pages + extra + (guard ? ZECPU_PAGE : 0);
	map = mmap(NULL, memory->map_size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return false;
	memory->map = map;
	memory->start = (unsigned char *)zecpu_memory_round_up(
		(uintptr_t)map, extra ? extra : ZECPU_PAGE);
	fill_fresh(memory->start, pages);
	if (guard) {
		mprotect(memory->start + pages, ZECPU_PAGE, PROT_NONE);
		memory->start += (pages - memory->size) / align * align;
	}
	return true;
}

void zecpu_memory_guard(const struct memory *memory, bool open)
{
	uintptr_t from = (uintptr_t)memory->start / ZECPU_PAGE * ZECPU_PAGE;
	uintptr_t to = zecpu_memory_round_up(
		(uintptr_t)memory->start + memory->size, ZECPU_PAGE);

	mprotect((void *)from, to - from,
		 open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

bool zecpu_memory_is_open(const struct memory *memory)
{
	return memory->running > 0 || table.open[memory->type] > 0;
}

/* --- allocation --- */

static bool power_of_two(size_t value)
{
	return (value & (value - 1)) == 0;
}

/* Whether an allocation of this size is possible; a refusal is not a misuse. */
static ze_result_t check_size(const struct device *device, const void *desc,
			      size_t size, size_t align)
{
	const ze_relaxed_allocation_limits_exp_desc_t *relaxed =
		zecpu_check_next(
			desc,
			ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC);
	bool large =
		relaxed &&
		relaxed->flags & ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE;

	if (size == 0 || !power_of_two(align) || align > (size_t)2 << 20)
		return size == 0 ? ZE_RESULT_ERROR_UNSUPPORTED_SIZE
				 : ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
	if (!device)
		return size >> 40 ? ZE_RESULT_ERROR_UNSUPPORTED_SIZE
				  : ZE_RESULT_SUCCESS;
	if (size > zecpu_device_largest(device) && !large)
		return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
	if (size > device->memory ||
	    device->root->used + size > device->root->memory)
		return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
	return ZE_RESULT_SUCCESS;
}

struct memory *zecpu_memory_new(struct context *context, struct device *device,
				ze_memory_type_t type, size_t size)
{
	struct memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return NULL;
	memory->context = context;
	memory->device = device;
	memory->type = type;
	memory->size = size;
	memory->fd = -1;
	memory->guarded =
		type == ZE_MEMORY_TYPE_DEVICE && zecpu_knob(KNOB_PROTECT);
	return memory;
}

/* Add @memory to the table.  The lock is held. */
bool zecpu_memory_enter(struct memory *memory)
{
	if (!table_add(memory))
		return false;
	memory->id = ++table.ids;
	if (memory->context)
		memory->context->live++;
	if (memory->device)
		memory->device->root->used += memory->size;
	if (memory->guarded && !zecpu_memory_is_open(memory))
		zecpu_memory_guard(memory, false);
	atomic_fetch_add(&zecpu.live[ZECPU_MEMORY], 1);
	return true;
}

static void memory_leave(struct memory *memory)
{
	table_remove(memory);
	if (memory->context)
		memory->context->live--;
	if (memory->device)
		memory->device->root->used -= memory->size;
	if (memory->map)
		munmap(memory->map, memory->map_size);
	if (memory->fd >= 0)
		close(memory->fd);
	atomic_fetch_sub(&zecpu.live[ZECPU_MEMORY], 1);
	free(memory);
}

static ze_result_t allocate(struct context *context, struct device *device,
			    ze_memory_type_t type, const void *desc,
			    size_t size, size_t align, void **out)
{
	struct memory *memory;
	ze_result_t result;

	if (!zecpu_check_pointer((const void *)out, "pptr", &result))
		return result;
	*out = NULL;
	if (device && !zecpu_context_has(context, device))
		return zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				    "the device is not in the context");
	if (device && atomic_load(&device->lost))
		return ZE_RESULT_ERROR_DEVICE_LOST;
	if (align == 0)
		align = type == ZE_MEMORY_TYPE_HOST ? 64 : 128;
	pthread_mutex_lock(&zecpu.lock);
	result = check_size(device, desc, size, align);
	memory = result ? NULL : zecpu_memory_new(context, device, type, size);
	if (!result &&
	    (!memory || !map_pages(memory, align, zecpu_knob(KNOB_GUARD)) ||
	     !zecpu_memory_enter(memory))) {
		if (memory && memory->map)
			munmap(memory->map, memory->map_size);
		free(memory);
		result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	}
	if (!result)
		*out = memory->start;
	pthread_mutex_unlock(&zecpu.lock);
	return result;
}

ze_result_t ZE_APICALL zecpu_zeMemAllocDevice(
	ze_context_handle_t context, const ze_device_mem_alloc_desc_t *desc,
	size_t size, size_t align, ze_device_handle_t device, void **out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeMemAllocDevice);

	if (result || !zecpu_object_is(context, KIND_CONTEXT, &result) ||
	    !zecpu_object_is(device, KIND_DEVICE, &result) ||
	    !zecpu_check_type(desc, ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC,
			      &result))
		return result;
	return allocate((struct context *)context, (struct device *)device,
			ZE_MEMORY_TYPE_DEVICE, desc, size, align, out);
}

ze_result_t ZE_APICALL zecpu_zeMemAllocHost(
	ze_context_handle_t context, const ze_host_mem_alloc_desc_t *desc,
	size_t size, size_t align, void **out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeMemAllocHost);

	if (result || !zecpu_object_is(context, KIND_CONTEXT, &result) ||
	    !zecpu_check_type(desc, ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC,
			      &result))
		return result;
	return allocate((struct context *)context, NULL, ZE_MEMORY_TYPE_HOST,
			desc, size, align, out);
}

ze_result_t ZE_APICALL zecpu_zeMemAllocShared(
	ze_context_handle_t context, const ze_device_mem_alloc_desc_t *desc,
	const ze_host_mem_alloc_desc_t *host, size_t size, size_t align,
	ze_device_handle_t device, void **out)
{
	ze_result_t result = zecpu_enter(ENTRY_zeMemAllocShared);

	if (result || !zecpu_object_is(context, KIND_CONTEXT, &result) ||
	    (device && !zecpu_object_is(device, KIND_DEVICE, &result)) ||
	    !zecpu_check_type(desc, ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC,
			      &result) ||
	    !zecpu_check_type(host, ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC,
			      &result))
		return result;
	return allocate((struct context *)context, (struct device *)device,
			ZE_MEMORY_TYPE_SHARED, desc, size, align, out);
}

/* --- free --- */

/* For zeMemFree and similar calls: get the memory that starts at @pointer. */
struct memory *zecpu_memory_at(void *context, void *pointer,
			       ze_result_t *result)
{
	struct memory *memory = zecpu_memory_find(pointer);

	if (memory && memory->start == pointer && memory->context == context)
		return memory;
	*result = zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
			       "%p is not an allocation of this context",
			       pointer);
	return NULL;
}

static bool is_unused(const void *memory)
{
	return ((const struct memory *)memory)->users == 0;
}

/* Called with the lock, which is released while this waits. */
ze_result_t zecpu_memory_free(struct memory *memory,
			      ze_driver_memory_free_policy_ext_flags_t policy)
{
	if (policy & ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE)
		zecpu_engine_wait(is_unused, memory, UINT64_MAX);
	if (memory->users && !policy)
		zecpu_misuse(ZE_RESULT_SUCCESS,
			     "%p is freed while %u commands use it",
			     (void *)memory->start, memory->users);
	if (memory->users) {
		memory->deferred = table.deferred;
		table.deferred = memory;
	} else {
		memory_leave(memory);
	}
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeMemFree(ze_context_handle_t context,
				       void *pointer)
{
	ze_result_t result = zecpu_enter(ENTRY_zeMemFree);
	struct memory *memory;

	if (result || !zecpu_object_is(context, KIND_CONTEXT, &result) ||
	    !zecpu_check_pointer(pointer, "ptr", &result))
		return result;
	pthread_mutex_lock(&zecpu.lock);
	memory = zecpu_memory_at(context, pointer, &result);
	if (memory && (memory->opened || !memory->map))
		result = zecpu_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
				      "%p was opened or imported", pointer);
	else if (memory)
		result = zecpu_memory_free(memory, 0);
	pthread_mutex_unlock(&zecpu.lock);
	return result;
}

ze_result_t ZE_APICALL zecpu_zeMemFreeExt(ze_context_handle_t context,
					  const ze_memory_free_ext_desc_t *desc,
					  void *pointer)
{
	ze_result_t result = zecpu_enter(ENTRY_zeMemFreeExt);
	struct memory *memory;

	if (result || !zecpu_object_is(context, KIND_CONTEXT, &result) ||
	    !zecpu_check_type(desc, ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
			      &result) ||
	    !zecpu_check_pointer(pointer, "ptr", &result))
		return result;
	pthread_mutex_lock(&zecpu.lock);
	memory = zecpu_memory_at(context, pointer, &result);
	if (memory)
		result = zecpu_memory_free(memory, desc->freePolicy);
	pthread_mutex_unlock(&zecpu.lock);
	return result;
}

/* --- questions --- */

ze_result_t ZE_APICALL zecpu_zeMemGetAllocProperties(
	ze_context_handle_t context, const void *pointer,
	ze_memory_allocation_properties_t *p, ze_device_handle_t *device)
{
	ze_result_t result = zecpu_enter(ENTRY_zeMemGetAllocProperties);
	struct memory *memory;

	if (result || !zecpu_object_is(context, KIND_CONTEXT, &result) ||
	    !zecpu_check_pointer(pointer, "ptr", &result) ||
	    !zecpu_check_type(p, ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES,
			      &result))
		return result;
	pthread_mutex_lock(&zecpu.lock);
	memory = zecpu_memory_find(pointer);
	p->type = ZE_MEMORY_TYPE_UNKNOWN;
	p->id = p->pageSize = 0;
	if (device)
		*device = NULL;
	if (memory) {
		p->type = memory->type;
		p->id = memory->id;
		p->pageSize = memory->device ? PAGE_SIZE_OF_DEVICE : ZECPU_PAGE;
		if (device)
			*device = (ze_device_handle_t)memory->device;
	}
	pthread_mutex_unlock(&zecpu.lock);
	return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zecpu_zeMemGetAddressRange(ze_context_handle_t context,
						  const void *pointer,
						  void **start, size_t *size)
{
	ze_result_t result = zecpu_enter(ENTRY_zeMemGetAddressRange);
	struct memory *memory;

	if (result || !zecpu_object_is(context, KIND_CONTEXT, &result) ||
	    !zecpu_check_pointer(pointer, "ptr", &result))
		return result;
	pthread_mutex_lock(&zecpu.lock);
	memory = zecpu_memory_find(pointer);
	if (!memory)
		result = ZE_RESULT_ERROR_UNKNOWN;
	if (memory && start)
		*start = memory->start;
	if (memory && size)
		*size = memory->size;
	pthread_mutex_unlock(&zecpu.lock);
	return result;
}

/* --- memory of the program --- */

ze_result_t ZE_APICALL zecpu_zexDriverImportExternalPointer(
	ze_driver_handle_t driver, void *pointer, size_t size)
{
	ze_result_t result = zecpu_enter(ENTRY_zexDriverImportExternalPointer);
	struct memory *memory;

	if (result || !zecpu_object_is(driver, KIND_DRIVER, &result) ||
	    !zecpu_check_pointer(pointer, "ptr", &result))
		return result;
	memory = zecpu_memory_new(NULL, NULL, ZE_MEMORY_TYPE_HOST, size);
	if (!memory)
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	memory->start = pointer;
	pthread_mutex_lock(&zecpu.lock);
	if (size == 0 || zecpu_memory_find(pointer) ||
	    zecpu_memory_find((unsigned char *)pointer + size - 1))
		result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
	else if (!zecpu_memory_enter(memory))
		result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	pthread_mutex_unlock(&zecpu.lock);
	if (result)
		free(memory);
	return result;
}

ze_result_t ZE_APICALL
zecpu_zexDriverReleaseImportedPointer(ze_driver_handle_t driver, void *pointer)
{
	ze_result_t result = zecpu_enter(ENTRY_zexDriverReleaseImportedPointer);
	struct memory *memory;

	if (result || !zecpu_object_is(driver, KIND_DRIVER, &result) ||
	    !zecpu_check_pointer(pointer, "ptr", &result))
		return result;
	pthread_mutex_lock(&zecpu.lock);
	memory = zecpu_memory_at(NULL, pointer, &result);
	if (memory)
		result = zecpu_memory_free(memory, 0);
	pthread_mutex_unlock(&zecpu.lock);
	return result;
}

/* --- use by commands --- */

bool zecpu_memory_note(struct command *command, struct memory *memory)
{
	struct memory **grown;

	if (command->n_memory == command->room_for_memory) {
		grown = realloc(command->memory, (command->room_for_memory +
						  8) * sizeof(*grown));
		if (!grown)
			return false;
		command->memory = grown;
		command->room_for_memory += 8;
	}
	command->memory[command->n_memory++] = memory;
	return true;
}

/* Whether any memory that the driver knows begins in the range. */
static bool any_inside(const void *address, size_t size)
{
	size_t i = table_after(address);

	return i < table.n && (size_t)(table.all[i]->start -
				       (const unsigned char *)address) < size;
}

bool zecpu_memory_use(struct command *command, struct device *device,
		      const void *address, size_t size, bool system,
		      const char *what)
{
	struct memory *memory = zecpu_memory_find(address);

	if (!memory && system && zecpu_knob(KNOB_SYSTEM_COPY) &&
	    !any_inside(address, size))
		return true;
	if (!memory)
		zecpu_misuse(ZE_RESULT_SUCCESS,
			     "%s %p is not memory that the device can use",
			     what, address);
	else if ((size_t)((const unsigned char *)address - memory->start) +
			 size >
		 memory->size)
		zecpu_misuse(ZE_RESULT_SUCCESS,
			     "%s: %zu bytes at %p go past an allocation of "
			     "%zu at %p",
			     what, size, address, memory->size,
			     (void *)memory->start);
	else if (memory->type != ZE_MEMORY_TYPE_HOST && memory->device &&
		 memory->device->root != device->root && !zecpu_knob(KNOB_PEER))
		zecpu_misuse(ZE_RESULT_SUCCESS,
			     "%s %p is memory of a device that is not a peer",
			     what, address);
	else if (memory->context && memory->context != command->context)
		zecpu_misuse(ZE_RESULT_SUCCESS,
			     "%s %p is memory of another context", what,
			     address);
	else
		return zecpu_memory_note(command, memory);
	return false;
}

void zecpu_memory_submit(struct command *command)
{
	unsigned i;

	for (i = 0; i < command->n_memory; i++)
		command->memory[i]->users++;
}

static void open_kinds(uint32_t indirect, bool open)
{
	static const struct {
		uint32_t flag;
		ze_memory_type_t type;
	} kinds[] = {
		{ ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST, ZE_MEMORY_TYPE_HOST },
		{ ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE,
		  ZE_MEMORY_TYPE_DEVICE },
		{ ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED,
		  ZE_MEMORY_TYPE_SHARED },
	};
	size_t i, m;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		unsigned *n = &table.open[kinds[i].type];

		if (!(indirect & kinds[i].flag))
			continue;
		*n += open ? 1 : -1u;
		if (*n != (open ? 1u : 0u))
			continue;
		for (m = 0; m < table.n; m++)
			if (table.all[m]->guarded &&
			    table.all[m]->type == kinds[i].type &&
			    table.all[m]->running == 0)
				zecpu_memory_guard(table.all[m], open);
	}
}

void zecpu_memory_begin(struct command *command)
{
	struct memory *memory;
	unsigned i;

	for (i = 0; i < command->n_memory; i++) {
		memory = command->memory[i];
		if (memory->guarded && !zecpu_memory_is_open(memory))
			zecpu_memory_guard(memory, true);
		memory->running++;
	}
	open_kinds(command->indirect, true);
	command->running = true;
}

/* Free the deferred memory that no command uses any more. */
static void free_deferred(void)
{
	struct memory **place = &table.deferred, *memory;

	while ((memory = *place) != NULL) {
		if (memory->users) {
			place = &memory->deferred;
			continue;
		}
		*place = memory->deferred;
		memory_leave(memory);
	}
}

void zecpu_memory_end(struct command *command)
{
	struct memory *memory;
	unsigned i;

	if (command->running)
		open_kinds(command->indirect, false);
	for (i = 0; i < command->n_memory; i++) {
		memory = command->memory[i];
		memory->users--;
		if (!command->running)
			continue;
		memory->running--;
		if (memory->guarded && !zecpu_memory_is_open(memory))
			zecpu_memory_guard(memory, false);
	}
	if (table.deferred)
		free_deferred();
}
