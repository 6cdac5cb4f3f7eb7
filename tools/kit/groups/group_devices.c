/* SPDX-License-Identifier: Apache-2.0 */
/* group_devices.c - contexts, divisions, peers and clocks. */
#include <string.h>
#include <time.h>

#include "tools/kit/groups/groups.h"
#include "tools/kit/work.h"

/* A device may have more parts; then they are only counted. */
enum { MOST_PARTS = 512 };

static dprp_context *make_context(struct kit *kit, dprp_device *root)
{
	dprp_context *context = NOTE_POISON;

	note_need("C1", NOTE_CALL(kit->plugin->context->create(
					  kit->instance, root, NULL, &context),
				  "context->create", "ext=NULL"));
	note_handle(context);
	return context;
}

/* Contexts of each root device, and a second one of the same. */
static void contexts(struct kit *kit)
{
	dprp_context *context;
	dprp_device *device;
	dprp_event *event;
	uint32_t i;

	for (i = 0; i < kit->n_devices && i < 64; i++) {
		if (kit->plugin->device->get(kit->instance, i, &device))
			continue;
		context = make_context(kit, device);
		note_step("context->destroy", "root device %u", i);
		kit->plugin->context->destroy(context);
	}
	/* It may be the handle of the first, if destroy knows that. */
	context = make_context(kit, kit->device);
	note_step("context->destroy", "one of two contexts of a device");
	kit->plugin->context->destroy(context);
	work_barrier(kit, kit->queue, NULL, 0, &event);
	work_done(kit, event);
}

/* --- Divisions --------------------------------------------------------------
 */

struct division {
	dprp_device *parts[MOST_PARTS + 1];
	uint32_t n;
};

static dprp_rc divide(struct kit *kit, dprp_device *device, uint32_t how,
		      const uint64_t *counts, uint32_t n_counts,
		      uint32_t capacity, struct division *out)
{
	const dprp_partition p = { .struct_size = sizeof(p),
				   .how = how,
				   .n_counts = n_counts,
				   .counts = counts,
				   .domain = how == DPR_PARTITION_DOMAIN
						     ? DPR_DOMAIN_NEXT
						     : 0 };
	uint32_t i;
	dprp_rc rc;

	for (i = 0; i < MOST_PARTS + 1; i++)
		out->parts[i] = NOTE_POISON;
	out->n = 0xa5a5a5a5;
	rc = NOTE_CALL(kit->plugin->device->partition(device, &p, out->parts,
						      capacity, &out->n),
		       "device->partition",
		       "how=%u, %u counts, the first %llu, capacity=%u", how,
		       n_counts, n_counts ? ULL(counts[0]) : 0, capacity);
	if (!rc && out->n == 0xa5a5a5a5) {
		note_bad("P1", "*n set", "OK, but *n was not set");
		note_end();
	}
	if (out->parts[capacity] != NOTE_POISON)
		note_bad("V7", "at most capacity handles written",
			 "handles written behind them");
	for (i = 0; !rc && out->n <= capacity && i < out->n; i++)
		note_handle(out->parts[i]);
	return rc;
}

/* Move bytes on a queue of the device. */
static void use(struct kit *kit, dprp_device *device)
{
	dprp_queue_desc desc = { .struct_size = sizeof(desc) };
	dprp_device *old = kit->device;
	dprp_queue *queue = NOTE_POISON, *old_queue = kit->queue;
	dprp_mem *mem;
	uint64_t got;

	kit->device = device;
	note_need("V7",
		  NOTE_CALL(kit->plugin->queue->create(kit->context, device,
						       &desc, &got, &queue),
			    "queue->create", "on a sub-device"));
	note_handle(queue);
	kit->queue = queue;
	mem = work_mem(kit, 400);
	work_set(kit, mem, 100, 12345);
	work_check_cell(kit, mem, 99, 12345, "V7",
			"the bytes that were written, on a sub-device");
	work_free(kit, mem);
	note_step("queue->destroy", "on a sub-device");
	kit->plugin->queue->destroy(queue);
	kit->device = old;
	kit->queue = old_queue;
}

/* Check the units of a part, if it tells them. */
static void check_part(struct kit *kit, dprp_device *part, uint32_t how,
		       uint64_t units)
{
	uint64_t is = kit_u64(kit, part, DPR_INFO_COMPUTE_UNITS, units);

	note_step("device->info", "key=DPR_INFO_COMPUTE_UNITS of a sub-device");
	if (units && is != units)
		note_bad("V7", "the units that were asked for",
			 "%llu, not %llu", ULL(is), ULL(units));
	is = kit_u64(kit, part, DPR_INFO_PARTITION_TYPE, how);
	note_step("device->info",
		  "key=DPR_INFO_PARTITION_TYPE of a sub-device");
	if (is != how)
		note_bad("V7", "how the sub-device was made", "%llu, not %u",
			 ULL(is), how);
}

/* Check that each part is a device of its own. */
static void check_handles(struct kit *kit, const struct division *d)
{
	uint32_t i, k;

	note_step("device->partition", "%u parts", d->n);
	for (i = 0; i < d->n && i < MOST_PARTS; i++)
		for (k = 0; k < i; k++)
			if (d->parts[i] == d->parts[k]) {
				note_bad("V7", "a handle for each sub-device",
					 "parts %u and %u have the same one", k,
					 i);
				return;
			}
	if (d->n > 1 && d->parts[0] == kit->device)
		note_bad("V7", "handles of sub-devices", "the root device's");
}

static struct division division;

/* Into as many parts of @one unit as there are. */
static void equally(struct kit *kit, uint64_t units, uint64_t one)
{
	struct division *d = &division;
	uint64_t huge = UINT64_C(1) << 30;
	uint32_t n;

	note_need("V7", divide(kit, kit->device, DPR_PARTITION_EQUALLY, &one, 1,
			       MOST_PARTS, d));
	n = d->n;
	if (!n || n > units / one)
		note_bad("V7", "a part at least, and no more than fit",
			 "%u parts of %llu units, of %llu", n, ULL(one),
			 ULL(units));
	if (n && n <= MOST_PARTS) {
		check_handles(kit, d);
		check_part(kit, d->parts[0], DPR_PARTITION_EQUALLY, one);
		check_part(kit, d->parts[n - 1], DPR_PARTITION_EQUALLY, one);
		use(kit, d->parts[0]);
		use(kit, d->parts[n - 1]);
	}
	if (n > 1 &&
	    !divide(kit, kit->device, DPR_PARTITION_EQUALLY, &one, 1, 1, d) &&
	    d->n != n)
		note_bad("V7", "*n is the number of parts, with any capacity",
			 "%u, not %u", d->n, n);
	if (!divide(kit, kit->device, DPR_PARTITION_EQUALLY, &huge, 1,
		    MOST_PARTS, d) &&
	    d->n)
		note_bad("V7", "a failure, or *n 0", "OK with %u parts", d->n);
}

/* Into a part of one unit and one of the double. */
static void by_counts(struct kit *kit, uint64_t one)
{
	const uint64_t counts[2] = { one, 2 * one };
	struct division *d = &division;

	note_need("V7", divide(kit, kit->device, DPR_PARTITION_COUNTS, counts,
			       2, MOST_PARTS, d));
	if (d->n != 2) {
		note_bad("V7", "2 parts", "%u parts", d->n);
		return;
	}
	check_handles(kit, d);
	check_part(kit, d->parts[0], DPR_PARTITION_COUNTS, one);
	check_part(kit, d->parts[1], DPR_PARTITION_COUNTS, 2 * one);
	use(kit, d->parts[1]);
	/* Divide a part again. */
	if (!divide(kit, d->parts[1], DPR_PARTITION_EQUALLY, &one, 1,
		    MOST_PARTS, d) &&
	    d->n && d->n <= MOST_PARTS)
		use(kit, d->parts[d->n - 1]);
}

static void divisions(struct kit *kit)
{
	uint64_t ways =
		kit_u64(kit, kit->device, DPR_INFO_PARTITION_PROPERTIES, 0);
	uint64_t units = kit_u64(kit, kit->device, DPR_INFO_COMPUTE_UNITS, 0);
	uint64_t one = kit_u64(kit, kit->device, DPR_INFO_PARTITION_UNIT, 1);
	struct division *d = &division;
	uint64_t count = 1;

	if (!DPRP_HAS(kit->plugin->device, dprp_device_ops, partition))
		note_skip("there is no entry device->partition");
	if (!divide(kit, kit->device, 99, &count, 1, MOST_PARTS, d))
		note_bad("G7", "UNSUPPORTED for an unknown way", "OK");
	if (ways & 1u << DPR_PARTITION_EQUALLY && one && units >= one)
		equally(kit, units, one);
	if (ways & 1u << DPR_PARTITION_COUNTS && one && units >= 3 * one)
		by_counts(kit, one);
	if (ways && !(ways & 1u << DPR_PARTITION_DOMAIN))
		note_tell("PARTITION_PROPERTIES has no DPR_PARTITION_DOMAIN: "
			  "the selector \"%s:0.0\" finds nothing, because it "
			  "divides along a domain; \"%s:0/%s:1.0\" does",
			  kit->plugin->name, kit->plugin->name,
			  ways & 1u << DPR_PARTITION_EQUALLY ? "equally"
							     : "counts");
	if (ways & 1u << DPR_PARTITION_DOMAIN) {
		note_need("V7", divide(kit, kit->device, DPR_PARTITION_DOMAIN,
				       NULL, 0, MOST_PARTS, d));
		if (d->n && d->n <= MOST_PARTS)
			use(kit, d->parts[d->n - 1]);
	}
	if (!ways)
		note_skip("the device cannot be divided "
			  "(PARTITION_PROPERTIES)");
}

/* --- Peers ------------------------------------------------------------------
 */

/* Copy from memory of another device to that of the kit's. */
static void copy_from(struct kit *kit, dprp_device *other)
{
	dprp_context *context = make_context(kit, other);
	dprp_mem_desc desc = { .struct_size = sizeof(desc),
			       .kind = DPRP_MEM_DEVICE,
			       .size = 4096 };
	dprp_mem *here = work_mem(kit, 4096), *there = NOTE_POISON;

	note_need("M2", NOTE_CALL(kit->plugin->mem->alloc(context, other, &desc,
							  &there),
				  "mem->alloc", "on another root device"));
	work_set(kit, here, 1024, 77);
	work_copy(kit, kit->queue, there, 0, here, 0, 4096, NULL, 0, NULL);
	work_finish(kit, kit->queue);
	work_set(kit, here, 1024, 1);
	work_copy(kit, kit->queue, here, 0, there, 0, 4096, NULL, 0, NULL);
	work_finish(kit, kit->queue);
	work_check_cell(kit, here, 1023, 77, "V8",
			"the bytes that were copied between the devices, since "
			"peer promises COPY");
	work_free(kit, here);
	work_free(kit, there);
	kit->plugin->context->destroy(context);
}

static void peers(struct kit *kit)
{
	const dprp_device_ops *ops = kit->plugin->device;
	dprp_device *other;
	uint32_t i, caps;

	if (!DPRP_HAS(ops, dprp_device_ops, peer))
		note_skip("there is no entry device->peer");
	if (kit->n_devices < 2)
		note_skip("there is one device only");
	for (i = 0; i < kit->n_devices && i < 4; i++) {
		if (ops->get(kit->instance, i, &other) || other == kit->device)
			continue;
		caps = 0xa5a5a5a5;
		if (NOTE_CALL(ops->peer(kit->device, other, &caps),
			      "device->peer", "from the device to %u", i))
			continue;
		if (caps & ~7u)
			note_bad("V8", "bits of DPRP_PEER_*", "%#x", caps);
		else if (caps & DPRP_PEER_COPY)
			copy_from(kit, other);
	}
}

/* --- Clocks -----------------------------------------------------------------
 */

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void clocks(struct kit *kit)
{
	const dprp_device_ops *ops = kit->plugin->device;
	const struct timespec pause = { 0, 40000000 };
	uint64_t device[2], host[2], before;
	int i;

	if (!DPRP_HAS(ops, dprp_device_ops, clocks))
		note_skip("there is no entry device->clocks");
	for (i = 0; i < 2; i++) {
		if (i)
			nanosleep(&pause, NULL);
		before = now();
		device[i] = host[i] = 0;
		if (NOTE_CALL(ops->clocks(kit->device, &device[i], &host[i]),
			      "device->clocks", "%s", ""))
			note_skip("clocks answers: %s", note_error_text());
		if (host[i] < before || host[i] > now())
			note_bad("V9", "CLOCK_MONOTONIC during the call",
				 "host_ns is %lld ns away from it",
				 (long long)(host[i] - before));
	}
	if (device[1] - device[0] < (host[1] - host[0]) / 2 ||
	    device[1] - device[0] > (host[1] - host[0]) * 2)
		note_bad("V9", "nanoseconds of a clock that runs",
			 "it advanced by %lld while the host's advanced by "
			 "%lld",
			 (long long)(device[1] - device[0]),
			 (long long)(host[1] - host[0]));
}

static const struct kit_check checks[] = {
	{ "contexts", contexts, 0 },
	{ "divisions", divisions, 0 },
	{ "peers", peers, 0 },
	{ "clocks", clocks, 0 },
};

const struct kit_group group_devices = {
	"devices", "contexts, divisions, peers and clocks", checks,
	KIT_COUNT(checks)
};
