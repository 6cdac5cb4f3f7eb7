/* SPDX-License-Identifier: Apache-2.0 */
/* backend_device.c - devices: their information, partitioning, peers and
   clocks. */
#include "tests/contract/backend_rig.h"

#include <string.h>
#include <time.h>

/* A machine may have more processors; their parts are then only counted. */
enum { MOST_PARTS = 512 };

static dprp_rc info(struct rig *rig, uint32_t key, void *buffer,
		    size_t capacity, size_t *need)
{
	return rig->plugin->device->info(rig->device, key, buffer, capacity,
					 need);
}

START_TEST(test_count_and_get)
{
	const dprp_device_ops *ops;
	dprp_device *a, *b;
	uint32_t i, n, again;
	struct rig rig;

	rig_open(&rig, _i, NULL);
	ops = rig.plugin->device;
	rig_ok(&rig, ops->count(rig.instance, &n));
	rig_ok(&rig, ops->count(rig.instance, &again));
	ck_assert_uint_eq(n, again);
	for (i = 0; i < n; i++) {
		rig_ok(&rig, ops->get(rig.instance, i, &a));
		rig_ok(&rig, ops->get(rig.instance, i, &b));
		ck_assert_ptr_eq(a, b);
	}
	rig_rc(&rig, DPR_RC_INVALID, ops->get(rig.instance, n, &a));
	ck_assert_ptr_null(a);
	rig_close(&rig);
}
END_TEST

/* Every key of info.h either has a value of the right form or is UNSUPPORTED;
   asking for the size and asking for the value agree. */
START_TEST(test_info_protocol)
{
	static const struct {
		uint32_t key, type;
		const char *name;
	} keys[] = {
#define DPR__X(name, number, type, unit, text) \
	{ number, DPR_INFO_TYPE_##type, #name },
		DPR_INFO_MAP(DPR__X)
#undef DPR__X
	};
	unsigned char buffer[4096];
	size_t i, need, got;
	struct rig rig;
	dprp_rc rc;

	rig_open(&rig, _i, NULL);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]) && keys[i].key < 900;
	     i++) {
		need = 0;
		rc = info(&rig, keys[i].key, NULL, 0, &need);
		if (rc == DPR_RC_UNSUPPORTED)
			continue;
		ck_assert_msg(!rc && need && need <= sizeof(buffer),
			      "%s: %d, %zu bytes", keys[i].name, rc, need);
		memset(buffer, 0xa5, sizeof(buffer));
		rig_rc(&rig, DPR_RC_INVALID,
		       info(&rig, keys[i].key, buffer, need - 1, &got));
		ck_assert_uint_eq(buffer[0], 0xa5);
		rig_ok(&rig,
		       info(&rig, keys[i].key, buffer, sizeof(buffer), &got));
		ck_assert_uint_eq(got, need);
		ck_assert_uint_eq(buffer[need], 0xa5);
		switch (keys[i].type) {
		case DPR_INFO_TYPE_STRING:
			ck_assert_msg(strlen((char *)buffer) + 1 == need, "%s",
				      keys[i].name);
			break;
		case DPR_INFO_TYPE_STRINGS:
			ck_assert_msg(!buffer[need - 1], "%s", keys[i].name);
			break;
		case DPR_INFO_TYPE_UUID:
			ck_assert_msg(need == 16, "%s", keys[i].name);
			break;
		case DPR_INFO_TYPE_LIST:
			ck_assert_msg(need % 8 == 0, "%s", keys[i].name);
			break;
		case DPR_INFO_TYPE_BOOL:
			ck_assert_msg(need == 8 && buffer[0] <= 1, "%s",
				      keys[i].name);
			break;
		default: ck_assert_msg(need == 8, "%s", keys[i].name); break;
		}
	}
	rig_rc(&rig, DPR_RC_UNSUPPORTED,
	       info(&rig, 0x7ffffff0, NULL, 0, &need));
	rig_close(&rig);
}
END_TEST

START_TEST(test_mandatory_keys)
{
	static const uint32_t keys[] = { DPR_INFO_NAME,
					 DPR_INFO_TYPE,
					 DPR_INFO_COMPUTE_UNITS,
					 DPR_INFO_MAX_WORK_GROUP_SIZE,
					 DPR_INFO_MAX_WORK_ITEM_SIZES,
					 DPR_INFO_GLOBAL_MEM_SIZE,
					 DPR_INFO_MAX_ALLOC_SIZE,
					 DPR_INFO_MEM_BASE_ALIGN,
					 DPR_INFO_SUB_BUFFER_ALIGN,
					 DPR_INFO_ASPECT_FP64,
					 DPR_INFO_ASPECT_ADDRESSES,
					 DPR_INFO_FORMATS };
	size_t i, need;
	struct rig rig;
	uint64_t value;

	rig_open(&rig, _i, NULL);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		rig_ok(&rig, info(&rig, keys[i], NULL, 0, &need));
	value = rig_u64(&rig, rig.device, DPR_INFO_TYPE, 0);
	ck_assert(value >= DPR_DEVICE_CPU && value <= DPR_DEVICE_CUSTOM);
	ck_assert_uint_ge(rig_u64(&rig, rig.device, DPR_INFO_COMPUTE_UNITS, 0),
			  1);
	value = rig_u64(&rig, rig.device, DPR_INFO_MEM_BASE_ALIGN, 0);
	ck_assert_uint_ge(value, 16);
	ck_assert_uint_eq(value & (value - 1), 0);
	rig_close(&rig);
}
END_TEST

static dprp_rc partition(struct rig *rig, dprp_device *device, uint32_t how,
			 const uint64_t *counts, uint32_t n_counts,
			 dprp_device **out, uint32_t *n)
{
	dprp_partition p = { .struct_size = sizeof(p),
			     .how = how,
			     .n_counts = n_counts,
			     .counts = counts,
			     .domain = DPR_DOMAIN_NUMA };

	return rig->plugin->device->partition(device, &p, out, MOST_PARTS, n);
}

static void use_device(struct rig *rig, dprp_device *device)
{
	dprp_queue_desc desc = { .struct_size = sizeof(desc) };
	dprp_module *module = rig_module(rig);
	dprp_kernel *kernel = rig_kernel(rig, module, "fill_index");
	dprp_mem *mem = rig_mem(rig, 400);
	dprp_device *old = rig->device;
	dprp_event *event;
	dprp_queue *queue;
	int32_t x[100];
	uint64_t got;
	int i;

	rig->device = device;
	rig_ok(rig, rig->plugin->queue->create(rig->context, device, &desc,
					       &got, &queue));
	rig_ok(rig, rig_add_one(rig, queue, kernel, mem, 100, NULL, &event));
	rig_done(rig, event);
	rig_read(rig, mem, 0, x, sizeof(x));
	for (i = 0; i < 100; i++)
		ck_assert_int_eq(x[i], i);
	rig->plugin->queue->destroy(queue);
	rig->plugin->mem->free(mem);
	rig->plugin->module->kernel_destroy(kernel);
	rig->plugin->module->destroy(module);
	rig->device = old;
}

/* Divide the rig's device of @units into parts of @one, and into such as cannot
   be. */
static void divide_equally(struct rig *rig, uint64_t units, uint64_t one)
{
	const uint64_t huge = 1u << 30;
	dprp_device *parts[MOST_PARTS];
	uint32_t n = 77;
	dprp_rc rc;

	rig_ok(rig, partition(rig, rig->device, DPR_PARTITION_EQUALLY, &one, 1,
			      parts, &n));
	/* The driver may reserve some units, which no part gets. */
	ck_assert_uint_le(n, units / one);
	ck_assert_uint_ge(n, one == 1 ? units : 1);
	if (n <= MOST_PARTS) {
		ck_assert_uint_eq(
			rig_u64(rig, parts[0], DPR_INFO_COMPUTE_UNITS, 0), one);
		ck_assert_uint_eq(
			rig_u64(rig, parts[0], DPR_INFO_PARTITION_TYPE, 0),
			DPR_PARTITION_EQUALLY);
		use_device(rig, parts[0]);
		use_device(rig, parts[n - 1]);
	}
	rc = partition(rig, rig->device, DPR_PARTITION_EQUALLY, &huge, 1, parts,
		       &n);
	ck_assert(rc || !n);
	ck_assert_int_ne(partition(rig, rig->device, 99, &one, 1, parts, &n),
			 0);
}

START_TEST(test_partition)
{
	static const char *const four[] = { "THREADS=4", "UNITS=4", NULL };
	dprp_device *parts[MOST_PARTS];
	uint64_t ways, units, one, counts[2];
	uint32_t n = 77;
	struct rig rig;

	rig_open(&rig, _i, four);
	if (!DPRP_HAS(rig.plugin->device, dprp_device_ops, partition)) {
		rig_close(&rig);
		return;
	}
	ways = rig_u64(&rig, rig.device, DPR_INFO_PARTITION_PROPERTIES, 0);
	units = rig_u64(&rig, rig.device, DPR_INFO_COMPUTE_UNITS, 0);
	one = rig_u64(&rig, rig.device, DPR_INFO_PARTITION_UNIT, 1);
	counts[0] = one;
	counts[1] = 2 * one;
	if (ways & 1u << DPR_PARTITION_EQUALLY)
		divide_equally(&rig, units, one);
	if (ways & 1u << DPR_PARTITION_COUNTS && units >= 3 * one) {
		rig_ok(&rig, partition(&rig, rig.device, DPR_PARTITION_COUNTS,
				       counts, 2, parts, &n));
		ck_assert_uint_eq(n, 2);
		ck_assert_uint_eq(
			rig_u64(&rig, parts[1], DPR_INFO_COMPUTE_UNITS, 0),
			2 * one);
		use_device(&rig, parts[1]);
		/* Divide a part again. */
		rig_ok(&rig, partition(&rig, parts[1], DPR_PARTITION_EQUALLY,
				       &one, 1, parts, &n));
		ck_assert_uint_eq(n, 2);
		use_device(&rig, parts[1]);
	}
	if (ways & 1u << DPR_PARTITION_DOMAIN) {
		rig_ok(&rig, partition(&rig, rig.device, DPR_PARTITION_DOMAIN,
				       NULL, 0, parts, &n));
		ck_assert_uint_ge(n, 2);
		use_device(&rig, parts[0]);
	}
	rig_close(&rig);
}
END_TEST

START_TEST(test_peer_and_clocks)
{
	uint64_t device_ns, host_ns, later_device, later_host;
	const struct timespec ms = { 0, 2000000 };
	uint32_t caps = 0;
	struct rig rig;
	dprp_rc rc;

	rig_open(&rig, _i, NULL);
	if (DPRP_HAS(rig.plugin->device, dprp_device_ops, peer)) {
		rig_ok(&rig,
		       rig.plugin->device->peer(rig.device, rig.device, &caps));
		ck_assert_uint_eq(caps & 3, 3);
	}
	if (DPRP_HAS(rig.plugin->device, dprp_device_ops, clocks)) {
		rc = rig.plugin->device->clocks(rig.device, &device_ns,
						&host_ns);
		if (rc == DPR_RC_UNSUPPORTED)
			goto out;
		rig_ok(&rig, rc);
		nanosleep(&ms, NULL);
		rig_ok(&rig, rig.plugin->device->clocks(
				     rig.device, &later_device, &later_host));
		ck_assert_uint_ge(later_device - device_ns, 1900000);
		ck_assert_uint_ge(later_host - host_ns, 1900000);
	}
out:
	rig_close(&rig);
}
END_TEST

static void add(Suite *suite)
{
	rig_add(suite, "count and get", test_count_and_get);
	rig_add(suite, "info protocol", test_info_protocol);
	rig_add(suite, "mandatory keys", test_mandatory_keys);
	rig_add(suite, "partition", test_partition);
	rig_add(suite, "peer and clocks", test_peer_and_clocks);
}

int main(void)
{
	return rig_main("backend_device", add);
}
