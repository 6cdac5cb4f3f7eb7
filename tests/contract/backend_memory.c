/* SPDX-License-Identifier: Apache-2.0 */
/* backend_memory.c - allocations, and commands that move bytes. */
#include "tests/contract/backend_rig.h"

#include <stdlib.h>
#include <string.h>

static dprp_rc alloc(struct rig *rig, uint32_t kind, uint64_t size,
		     uint64_t align, void *host_ptr, dprp_mem **out)
{
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = kind,
			       .size = size,
			       .align = align,
			       .host_ptr = host_ptr };

	return rig->plugin->mem->alloc(rig->context, rig->device, &desc, out);
}

static uint64_t mem_u64(struct rig *rig, dprp_mem *mem, uint32_t key)
{
	uint64_t value = 0;
	size_t need;

	rig_ok(rig,
	       rig->plugin->mem->info(mem, key, &value, sizeof(value), &need));
	ck_assert_uint_eq(need, sizeof(value));
	return value;
}

static void *mem_address(struct rig *rig, dprp_mem *mem)
{
	void *value = NULL;
	size_t need;

	if (!rig_u64(rig, rig->device, DPR_INFO_ASPECT_ADDRESSES, 0))
		return NULL;
	rig_ok(rig, rig->plugin->mem->info(mem, DPRP_MEM_INFO_ADDRESS, &value,
					   sizeof(value), &need));
	return value;
}

/* Make bytes that look random but depend only on @seed. */
static unsigned char *noise(size_t size, unsigned seed)
{
	unsigned char *bytes = malloc(size);
	size_t i;

	ck_assert_ptr_nonnull(bytes);
	for (i = 0; i < size; i++) {
		seed = seed * 1103515245u + 12345u;
		bytes[i] = (unsigned char)(seed >> 16);
	}
	return bytes;
}

START_TEST(test_kinds)
{
	uint32_t kind;
	struct rig rig;
	dprp_mem *mem;

	rig_open(&rig, _i, NULL);
	for (kind = DPRP_MEM_DEVICE; kind <= DPRP_MEM_HOST; kind++) {
		if (!rig_has_kind(&rig, kind)) {
			rig_rc(&rig, DPR_RC_UNSUPPORTED,
			       alloc(&rig, kind, 100, 0, NULL, &mem));
			ck_assert_ptr_null(mem);
			continue;
		}
		rig_ok(&rig, alloc(&rig, kind, 1, 0, NULL, &mem));
		ck_assert_uint_eq(mem_u64(&rig, mem, DPRP_MEM_INFO_SIZE), 1);
		ck_assert_uint_eq(mem_u64(&rig, mem, DPRP_MEM_INFO_KIND), kind);
		rig.plugin->mem->free(mem);
	}
	rig_rc(&rig, DPR_RC_UNSUPPORTED, alloc(&rig, 77, 100, 0, NULL, &mem));
	rig_close(&rig);
}
END_TEST

START_TEST(test_alignment)
{
	uint64_t align, base;
	struct rig rig;
	dprp_mem *mem[3];
	dprp_rc rc;
	int i;

	rig_open(&rig, _i, NULL);
	base = rig_u64(&rig, rig.device, DPR_INFO_MEM_BASE_ALIGN, 1);
	for (align = 1; align <= 2u << 20; align *= 4)
		for (i = 0; i < 3; i++) {
			rc = alloc(&rig, DPRP_MEM_DEVICE, 1000 + i, align, NULL,
				   &mem[0]);
			if (rc == DPR_RC_UNSUPPORTED)
				continue;
			rig_ok(&rig, rc);
			ck_assert_uint_eq((uintptr_t)mem_address(&rig, mem[0]) %
						  (align > base ? align : base),
					  0);
			rig.plugin->mem->free(mem[0]);
		}
	rig_rc(&rig, DPR_RC_INVALID,
	       alloc(&rig, DPRP_MEM_DEVICE, 1000, 3, NULL, &mem[0]));
	rig_close(&rig);
}
END_TEST

START_TEST(test_bad_sizes)
{
	struct rig rig;
	dprp_mem *mem;
	dprp_rc rc;

	rig_open(&rig, _i, NULL);
	rig_rc(&rig, DPR_RC_INVALID,
	       alloc(&rig, DPRP_MEM_DEVICE, 0, 0, NULL, &mem));
	ck_assert_ptr_null(mem);
	rc = alloc(&rig, DPRP_MEM_DEVICE, UINT64_MAX, 0, NULL, &mem);
	ck_assert(rc == DPR_RC_OOM_DEVICE || rc == DPR_RC_INVALID);
	rc = alloc(&rig, DPRP_MEM_DEVICE, UINT64_C(1) << 60, 0, NULL, &mem);
	ck_assert(rc == DPR_RC_OOM_DEVICE || rc == DPR_RC_INVALID);
	ck_assert_ptr_null(mem);
	rig_close(&rig);
}
END_TEST

/* Odd offsets and sizes; the bytes around them stay as they are. */
START_TEST(test_write_read)
{
	static const uint64_t sizes[] = { 1, 2, 3, 7, 64, 1001, 65537 };
	enum { SIZE = 70000 };
	unsigned char *data = noise(SIZE, 1), *out = malloc(SIZE + 64);
	unsigned char *shadow = noise(SIZE, 2);
	uint64_t offset, size;
	struct rig rig;
	dprp_mem *mem;
	size_t i;

	rig_open(&rig, _i, NULL);
	mem = rig_mem(&rig, SIZE);
	rig_write(&rig, mem, 0, shadow, SIZE);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (offset = 1; offset < 100; offset += 31) {
			size = sizes[i];
			memcpy(shadow + offset, data + i, size);
			rig_write(&rig, mem, offset, data + i, size);
			memset(out, 0x77, SIZE + 64);
			rig_read(&rig, mem, offset, out + 32, size);
			ck_assert_mem_eq(out + 32, data + i, size);
			ck_assert_uint_eq(out[31], 0x77);
			ck_assert_uint_eq(out[32 + size], 0x77);
		}
	rig_read(&rig, mem, 0, out, SIZE);
	ck_assert_mem_eq(out, shadow, SIZE);
	rig.plugin->mem->free(mem);
	rig_close(&rig);
	free(data);
	free(out);
	free(shadow);
}
END_TEST

START_TEST(test_fill)
{
	static const size_t patterns[] = { 1, 2, 4, 8, 16, 3, 12, 100, 128 };
	static const size_t numbers[] = { 1, 151, 20000 };
	enum { SIZE = 3000000 };
	unsigned char *got = malloc(SIZE), *want = malloc(SIZE);
	unsigned char *pattern = noise(128, 7);
	size_t i, k, n, size;
	struct rig rig;
	dprp_mem *mem;
	dprp_rc rc;

	rig_open(&rig, _i, NULL);
	if (!DPRP_HAS(rig.plugin->queue, dprp_queue_ops, fill))
		goto out;
	mem = rig_mem(&rig, SIZE);
	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		for (k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++) {
			size = numbers[k] * patterns[i];
			memset(want, 0x11, SIZE);
			rig_write(&rig, mem, 0, want, SIZE);
			for (n = 0; n < size; n++)
				want[128 + n] = pattern[n % patterns[i]];
			rc = rig.plugin->queue->fill(rig.queue, mem, 128, size,
						     pattern, patterns[i], NULL,
						     NULL);
			if (rc == DPR_RC_NO_PATH)
				continue;
			rig_ok(&rig, rc);
			rig_read(&rig, mem, 0, got, SIZE);
			ck_assert_mem_eq(got, want, SIZE);
		}
	rig.plugin->mem->free(mem);
out:
	rig_close(&rig);
	free(got);
	free(want);
	free(pattern);
}
END_TEST

START_TEST(test_copy)
{
	enum { SIZE = 5000001 };
	unsigned char *data = noise(SIZE, 3), *out = malloc(SIZE);
	struct rig rig;
	dprp_mem *a, *b;
	dprp_rc rc;

	rig_open(&rig, _i, NULL);
	a = rig_mem(&rig, SIZE);
	b = rig_mem(&rig, SIZE);
	rig_write(&rig, a, 0, data, SIZE);
	rig_ok(&rig, rig.plugin->queue->copy(rig.queue, b, 0, a, 0, SIZE, NULL,
					     NULL));
	rig_read(&rig, b, 0, out, SIZE);
	ck_assert_mem_eq(out, data, SIZE);
	rig_ok(&rig, rig.plugin->queue->copy(rig.queue, b, 1001, a, 17, 333,
					     NULL, NULL));
	memcpy(out + 1001, data + 17, 333);
	memcpy(data, out, SIZE);
	rig_read(&rig, b, 0, out, SIZE);
	ck_assert_mem_eq(out, data, SIZE);
	/* Adjacent ranges do not overlap.  Ranges that overlap are refused. */
	rig_ok(&rig, rig.plugin->queue->copy(rig.queue, b, 0, b, 100, 100, NULL,
					     NULL));
	rc = rig.plugin->queue->copy(rig.queue, b, 0, b, 99, 100, NULL, NULL);
	ck_assert_int_lt(rc, 0);
	rig_ok(&rig, rig.plugin->queue->finish(rig.queue));
	rig.plugin->mem->free(a);
	rig.plugin->mem->free(b);
	rig_close(&rig);
	free(data);
	free(out);
}
END_TEST

/* The host can use HOST and SHARED memory by its address. */
START_TEST(test_host_reachable)
{
	const uint64_t n = 1000;
	dprp_module *module;
	dprp_kernel *kernel;
	uint32_t kind;
	struct rig rig;
	dprp_mem *mem;
	int32_t *x;
	uint64_t i;

	rig_open(&rig, _i, NULL);
	module = rig_module(&rig);
	kernel = rig_kernel(&rig, module, "add_one");
	for (kind = DPRP_MEM_SHARED; kind <= DPRP_MEM_HOST; kind++) {
		if (!rig_has_kind(&rig, kind))
			continue;
		rig_ok(&rig, alloc(&rig, kind, n * 4, 0, NULL, &mem));
		x = mem_address(&rig, mem);
		ck_assert_ptr_nonnull(x);
		for (i = 0; i < n; i++)
			x[i] = (int32_t)(i * 3);
		rig_ok(&rig, rig_add_one(&rig, rig.queue, kernel, mem, n, NULL,
					 NULL));
		rig_ok(&rig, rig.plugin->queue->finish(rig.queue));
		for (i = 0; i < n; i++)
			ck_assert_int_eq(x[i], (int32_t)(i * 3 + 1));
		rig.plugin->mem->free(mem);
	}
	rig.plugin->module->kernel_destroy(kernel);
	rig.plugin->module->destroy(module);
	rig_close(&rig);
}
END_TEST

START_TEST(test_import)
{
	const uint64_t n = 1003;
	char *block = malloc(n * 4 + 64);
	int32_t *x = (int32_t *)(void *)(block + 4);
	dprp_module *module;
	dprp_kernel *kernel;
	struct rig rig;
	dprp_mem *mem;
	dprp_rc rc;
	uint64_t i;

	rig_open(&rig, _i, NULL);
	for (i = 0; i < n; i++)
		x[i] = 5;
	rc = alloc(&rig, DPRP_MEM_IMPORT_HOST, n * 4, 0, x, &mem);
	if (rc == DPR_RC_UNSUPPORTED) {
		rig_close(&rig);
		free(block);
		return;
	}
	rig_ok(&rig, rc);
	module = rig_module(&rig);
	kernel = rig_kernel(&rig, module, "add_one");
	rig_ok(&rig, rig_add_one(&rig, rig.queue, kernel, mem, n, NULL, NULL));
	rig_ok(&rig, rig.plugin->queue->finish(rig.queue));
	rig.plugin->mem->free(mem);
	for (i = 0; i < n; i++)
		ck_assert_int_eq(x[i], 6);
	rig_rc(&rig, DPR_RC_INVALID,
	       alloc(&rig, DPRP_MEM_IMPORT_HOST, 100, 0, NULL, &mem));
	rig.plugin->module->kernel_destroy(kernel);
	rig.plugin->module->destroy(module);
	rig_close(&rig);
	free(block);
}
END_TEST

struct churn {
	struct rig *rig;
	dprp_queue *queue;
	unsigned seed;
};

static void *churn(void *arg)
{
	struct churn *c = arg;
	struct rig_bytes data = rig_bytes(c->rig, 5000);
	struct rig_bytes out = rig_bytes(c->rig, 5000);
	unsigned char *some = noise(5000, c->seed);
	dprp_event *event;
	dprp_mem *mem;
	int i;

	memcpy(data.at, some, 5000);
	free(some);

	for (i = 0; i < 100; i++) {
		if (alloc(c->rig, DPRP_MEM_DEVICE, 5000, 0, NULL, &mem) ||
		    c->rig->plugin->queue->write(c->queue, mem, 0, data.at,
						 5000, NULL, NULL) ||
		    c->rig->plugin->queue->read(c->queue, mem, 0, out.at, 5000,
						NULL, &event) ||
		    rig_wait(c->rig, event, RIG_FOREVER))
			return c;
		c->rig->plugin->event->destroy(event);
		c->rig->plugin->mem->free(mem);
		if (memcmp(out.at, data.at, 5000))
			return c;
	}
	rig_bytes_free(c->rig, &data);
	rig_bytes_free(c->rig, &out);
	return NULL;
}

START_TEST(test_threads)
{
	struct churn churns[8];
	pthread_t threads[8];
	struct rig rig;
	void *failed;
	int i;

	rig_open(&rig, _i, NULL);
	for (i = 0; i < 8; i++) {
		churns[i] = (struct churn){ &rig, rig_queue(&rig, 0, NULL),
					    (unsigned)i };
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, churn, &churns[i]),
			0);
	}
	for (i = 0; i < 8; i++) {
		pthread_join(threads[i], &failed);
		ck_assert_ptr_null(failed);
		rig.plugin->queue->destroy(churns[i].queue);
	}
	rig_close(&rig);
}
END_TEST

static void add(Suite *suite)
{
	rig_add(suite, "kinds", test_kinds);
	rig_add(suite, "alignment", test_alignment);
	rig_add(suite, "bad sizes", test_bad_sizes);
	rig_add(suite, "write and read", test_write_read);
	rig_add(suite, "fill", test_fill);
	rig_add(suite, "copy", test_copy);
	rig_add(suite, "host reachable", test_host_reachable);
	rig_add(suite, "import", test_import);
	rig_add(suite, "threads", test_threads);
}

int main(void)
{
	return rig_main("backend_memory", add);
}
