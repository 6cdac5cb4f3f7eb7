/* SPDX-License-Identifier: Apache-2.0 */
/* bench_driver.c - the memory of baselines: dpr's, or the driver's own. */
#include "tools/bench/bench_driver.h"

#include <stdlib.h>
#include <string.h>

#include <dpr/runtime.h>

#include "tools/bench/bench_side.h"
#include "tools/bench/bench_values.h"

static bool alloc_usm(dpr_queue *queue, struct bench_memory *memory,
		      struct message *message)
{
	uintptr_t base;
	size_t offset;

	if (dpr_usm_alloc(queue,
			  memory->is_host ? DPR_USM_HOST : DPR_USM_DEVICE,
			  memory->size, &memory->usm) ||
	    dpr_usm_native(memory->usm, &base, &offset))
		return bench_side_failed(message);
	memory->at = (void *)(base + offset);
	return true;
}

bool bench_driver_alloc(struct bench_driver *driver, dpr_queue *queue,
			bool is_host, size_t size, struct bench_memory *out,
			struct message *message)
{
	*out = (struct bench_memory){ .is_host = is_host, .size = size };
	return driver->calls->new_memory
		       ? driver->calls->new_memory(driver, out, message)
		       : alloc_usm(queue, out, message);
}

void bench_driver_free(struct bench_driver *driver, struct bench_memory *memory)
{
	if (memory->usm)
		dpr_usm_release(memory->usm);
	else if (memory->at)
		driver->calls->free_memory(driver, memory);
	memset(memory, 0, sizeof(*memory));
}

/* Copy between memory and ordinary host memory, by the driver. */
static bool copy_by_driver(struct bench_driver *driver,
			   const struct bench_memory *to,
			   const struct bench_memory *from, size_t size,
			   struct message *message)
{
	const struct bench_hop hop = { .to = to, .from = from, .size = size };

	return driver->calls->copy(driver, &hop, 1, 1, message);
}

static bool write_memory(struct bench_driver *driver,
			 const struct bench_memory *memory, void *from,
			 struct message *message)
{
	const struct bench_memory host = { .is_host = true, .at = from };

	if (!memory->usm && memory->is_host) {
		memcpy(memory->at, from, memory->size);
		return true;
	}
	if (!memory->usm)
		return copy_by_driver(driver, memory, &host, memory->size,
				      message);
	if (dpr_usm_write(dpr_usm_queue(memory->usm), memory->usm, 0, from,
			  memory->size, NULL, NULL) ||
	    dpr_queue_wait(dpr_usm_queue(memory->usm)))
		return bench_side_failed(message);
	return true;
}

bool bench_driver_fill(struct bench_driver *driver,
		       const struct bench_memory *memory,
		       float (*value)(size_t), struct message *message)
{
	float *values =
		bench_values_new(memory->size / sizeof(float), value, message);
	bool ok = values && write_memory(driver, memory, values, message);

	free(values);
	return ok;
}

bool bench_driver_read(struct bench_driver *driver,
		       const struct bench_memory *memory, void *to, size_t size,
		       struct message *message)
{
	const struct bench_memory host = { .is_host = true, .at = to };

	if (!memory->usm && memory->is_host) {
		memcpy(to, memory->at, size);
		return true;
	}
	if (!memory->usm)
		return copy_by_driver(driver, &host, memory, size, message);
	if (dpr_usm_read(dpr_usm_queue(memory->usm), to, memory->usm, 0, size,
			 NULL, NULL))
		return bench_side_failed(message);
	return true;
}
