/* SPDX-License-Identifier: Apache-2.0 */
/* group_memory.c - allocations: kinds, sizes, alignment, addresses. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/kit/groups/groups.h"
#include "tools/kit/work.h"

static uint64_t mem_u64(struct kit *kit, dprp_mem *mem, uint32_t key,
			uint64_t otherwise)
{
	uint64_t value = 0;
	size_t need;

	if (NOTE_CALL(kit->plugin->mem->info(mem, key, &value, sizeof(value),
					     &need),
		      "mem->info", "key=%u", key))
		return otherwise;
	return value;
}

static void kinds(struct kit *kit)
{
	dprp_mem *mem;
	uint32_t kind;
	uint64_t is;
	dprp_rc rc;

	for (kind = DPRP_MEM_DEVICE; kind <= DPRP_MEM_HOST; kind++) {
		rc = work_alloc(kit, kind, 1, 0, NULL, &mem);
		if (rc && work_has_kind(kit, kind)) {
			note_step("mem->alloc", "kind=%u, size=1", kind);
			note_bad("M2", "OK: an aspect says that it exists",
				 "%s", note_rc_name(rc));
		} else if (rc && rc != DPR_RC_UNSUPPORTED) {
			note_bad("M2", "UNSUPPORTED, or OK", "%s",
				 note_rc_name(rc));
		}
		if (rc)
			continue;
		is = mem_u64(kit, mem, DPRP_MEM_INFO_KIND, kind);
		if (is != kind)
			note_bad("M6", "the kind of the memory", "%llu, not %u",
				 ULL(is), kind);
		work_free(kit, mem);
	}
}

static void sizes(struct kit *kit)
{
	static const uint64_t huge[] = { UINT64_MAX, UINT64_MAX - 4095,
					 UINT64_C(1) << 60 };
	dprp_mem *mem;
	dprp_rc rc;
	size_t i;

	note_want("M1", work_alloc(kit, DPRP_MEM_DEVICE, 0, 0, NULL, &mem),
		  DPR_RC_INVALID);
	for (i = 0; i < KIT_COUNT(huge); i++) {
		rc = work_alloc(kit, DPRP_MEM_DEVICE, huge[i], 0, NULL, &mem);
		if (rc != DPR_RC_OOM_DEVICE && rc != DPR_RC_OOM_HOST)
			note_bad("M4", "OOM_DEVICE", "%s", note_rc_name(rc));
	}
	/* After that, memory can still be had. */
	work_free(kit, work_mem(kit, 1 << 20));
}

/* Alignment 0 is enough for every vector, and those of CPUs have 64 bytes. */
enum { USUAL = 64 };

static void alignment(struct kit *kit)
{
	uint64_t base = kit_u64(kit, kit->device, DPR_INFO_MEM_BASE_ALIGN, 1);
	bool addresses =
		kit_u64(kit, kit->device, DPR_INFO_ASPECT_ADDRESSES, 0);
	uint64_t align, least;
	dprp_mem *mem[3];
	uintptr_t at;
	dprp_rc rc = 0;
	int i;

	for (align = 0; align <= UINT64_C(2) << 20;
	     align = align ? align * 2 : 1) {
		for (i = 0; i < 3 && !rc; i++)
			rc = work_alloc(kit, DPRP_MEM_DEVICE,
					1000 + (uint64_t)i, align, NULL,
					&mem[i]);
		if (rc && (rc != DPR_RC_UNSUPPORTED || !align))
			note_bad("M3", align ? "OK or UNSUPPORTED" : "OK", "%s",
				 note_rc_name(rc));
		i -= rc != 0;
		while (i-- > 0) {
			least = align ? align : USUAL;
			least = least > base ? least : base;
			at = (uintptr_t)work_address(kit, mem[i]);
			note_step("mem->alloc", "align=%llu", ULL(align));
			if (addresses && at % least)
				note_bad("M3",
					 align ? "the alignment, and that of "
						 "MEM_BASE_ALIGN"
					       : "64 bytes, and the alignment "
						 "of MEM_BASE_ALIGN",
					 "the address %#llx", ULL(at));
			work_free(kit, mem[i]);
		}
		rc = 0;
	}
}

/* Addresses exist or not, as the device says, and do not overlap. */
static void addresses(struct kit *kit)
{
	enum { N = 32 };
	bool has = kit_u64(kit, kit->device, DPR_INFO_ASPECT_ADDRESSES, 0);
	uintptr_t at[N];
	dprp_mem *mem[N];
	void *address;
	size_t need;
	dprp_rc rc;
	int i, k;

	for (i = 0; i < N; i++) {
		mem[i] = work_mem(kit, 777 + 64 * (uint64_t)i);
		address = NULL;
		rc = NOTE_CALL(kit->plugin->mem->info(
				       mem[i], DPRP_MEM_INFO_ADDRESS, &address,
				       sizeof(address), &need),
			       "mem->info", "key=ADDRESS");
		at[i] = (uintptr_t)address;
		if (!has && rc != DPR_RC_UNSUPPORTED)
			note_bad("M5", "UNSUPPORTED: ASPECT_ADDRESSES is 0",
				 "%s", note_rc_name(rc));
		else if (has && (rc || !address))
			note_bad("M5", "an address that is not NULL", "%s, %p",
				 note_rc_name(rc), address);
		for (k = 0; has && k < i; k++)
			if (at[k] < at[i] + 777 && at[i] < at[k] + 777)
				note_bad("M5", "memory of its own",
					 "memory that overlaps another");
		if (note_found())
			return;
	}
	for (i = 0; i < N; i++)
		work_free(kit, mem[i]);
}

/* The host and the device use the same bytes.  @at: where the host sees the
   memory. */
static void both_ways(struct kit *kit, dprp_mem *mem, int32_t *at,
		      const char *rule)
{
	enum { N = 1024 };
	dprp_mem *device = work_mem(kit, N * 4);
	int i;

	for (i = 0; i < N; i++)
		at[i] = i * 3;
	work_copy(kit, kit->queue, device, 0, mem, 0, N * 4, NULL, 0, NULL);
	work_finish(kit, kit->queue);
	work_check_cell(kit, device, N - 1, (N - 1) * 3, rule,
			"on the device, what the host has written there");
	work_set(kit, device, N, 4711);
	work_copy(kit, kit->queue, mem, 0, device, 0, N * 4, NULL, 0, NULL);
	work_finish(kit, kit->queue);
	note_step("queue->copy", "to memory that the host sees");
	for (i = 0; i < N && at[i] == 4711; i++)
		;
	if (i < N)
		note_bad(rule, "what the device has written there",
			 "the host sees %d at byte %d, not 4711", at[i], i * 4);
	work_free(kit, device);
}

static void by_host(struct kit *kit)
{
	bool all = kit_u64(kit, kit->device, DPR_INFO_ASPECT_HOST_MEMORY, 0);
	bool some = false;
	dprp_mem *mem;
	uint32_t kind;
	int32_t *at;

	if (!kit_u64(kit, kit->device, DPR_INFO_ASPECT_ADDRESSES, 0))
		note_skip("memory has no addresses (ASPECT_ADDRESSES)");
	for (kind = DPRP_MEM_DEVICE; kind <= DPRP_MEM_HOST; kind++) {
		if (!work_has_kind(kit, kind) ||
		    (kind == DPRP_MEM_DEVICE && !all))
			continue;
		some = true;
		note_need("M2", work_alloc(kit, kind, 8192, 0, NULL, &mem));
		at = work_address(kit, mem);
		if (at)
			both_ways(kit, mem, at, "M7");
		work_free(kit, mem);
	}
	if (!some)
		note_skip("the device has no HOST or SHARED memory");
}

static void import(struct kit *kit)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *block = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	dprp_mem *mem;
	dprp_rc rc;

	if (block == MAP_FAILED)
		note_skip("out of memory");
	rc = work_alloc(kit, DPRP_MEM_IMPORT_HOST, 2 * page, 0, block, &mem);
	if (rc == DPR_RC_UNSUPPORTED)
		note_skip("the plugin imports no memory");
	note_need("M8", rc);
	both_ways(kit, mem, block, "M8");
	work_free(kit, mem);
	/* It is the program's again. */
	memset(block, 1, 2 * page);
	/* Pages that can only be read may be refused, no more. */
	mprotect(block, 2 * page, PROT_READ);
	if (!work_alloc(kit, DPRP_MEM_IMPORT_HOST, 2 * page, 0, block, &mem)) {
		dprp_mem *device = work_mem(kit, 2 * page);

		work_copy(kit, kit->queue, device, 0, mem, 0, 2 * page, NULL, 0,
			  NULL);
		work_finish(kit, kit->queue);
		work_check_cell(kit, device, 0, 0x01010101, "M8",
				"the program's bytes");
		work_free(kit, device);
		work_free(kit, mem);
	}
	munmap(block, 2 * page);
}

static void outlives(struct kit *kit)
{
	dprp_queue *first = kit->queue;
	dprp_mem *mem;

	kit->queue = kit_queue(kit, 0, NULL);
	mem = work_mem(kit, 64);
	work_set(kit, mem, 16, 99);
	note_step("queue->destroy", "%s", "");
	kit->plugin->queue->destroy(kit->queue);
	kit->queue = first;
	work_check_cell(kit, mem, 7, 99, "L1", "the bytes that were written");
	work_free(kit, mem);
}

/* Many allocations at a time, freed in another order: each keeps its bytes. */
static void many(struct kit *kit)
{
	enum { N = 64 };
	dprp_mem *mem[N];
	int i, round;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < N; i++) {
			const uint64_t last = (uint64_t)i * 37;

			mem[i] = work_mem(kit, 4 * (1 + last));
			work_set(kit, mem[i], 1 + last, i);
			if (!work_check_cell(kit, mem[i], last, i, "Q8",
					     "the bytes that were written"))
				return;
		}
		for (i = 0; i < N; i++) {
			int k = (i * 29 + 7) % N;

			if (!work_check_cell(kit, mem[k], (uint64_t)k * 37, k,
					     "M2",
					     "bytes that writes to other "
					     "memory do not change"))
				return;
			work_free(kit, mem[k]);
		}
	}
}

static const struct kit_check checks[] = {
	{ "kinds", kinds, 0 },         { "sizes", sizes, 0 },
	{ "alignment", alignment, 0 }, { "addresses", addresses, 0 },
	{ "by_host", by_host, 0 },     { "import", import, 0 },
	{ "outlives", outlives, 0 },   { "many", many, 0 },
};

const struct kit_group group_memory = {
	"memory", "allocations: kinds, sizes, alignment and addresses", checks,
	KIT_COUNT(checks)
};
