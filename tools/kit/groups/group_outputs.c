/* SPDX-License-Identifier: Apache-2.0 */
/* group_outputs.c - what entries write, and how structs grow. */
#include <string.h>

#include "tools/kit/groups/groups.h"
#include "tools/kit/work.h"

/* A struct followed by bytes that a newer core could have. */
#define LONGER(type)                    \
	struct {                        \
		type s;                 \
		unsigned char more[16]; \
	}

static const dprp_ext strange = { sizeof(dprp_ext), "com.acme.none", NULL };

/* Check that an entry has refused something with UNSUPPORTED. */
static void refused(const char *rule, dprp_rc rc, const char *what)
{
	if (rc != DPR_RC_UNSUPPORTED)
		note_bad(rule, "UNSUPPORTED", "%s for %s", note_rc_name(rc),
			 what);
}

static dprp_rc make_queue(struct kit *kit, const dprp_queue_desc *desc,
			  const char *what)
{
	dprp_queue *queue = NOTE_POISON;
	struct note_call call;
	uint64_t got = 0;
	dprp_rc rc;

	rc = NOTE_CALL(kit->plugin->queue->create(kit->context, kit->device,
						  desc, &got, &queue),
		       "queue->create", "%s", what);
	if (!rc) {
		note_handle(queue);
		call = note_last();
		work_drop_queue(kit, queue);
		note_again(&call);
	}
	return rc;
}

static dprp_rc make_mem(struct kit *kit, const dprp_mem_desc *desc,
			const char *what)
{
	dprp_mem *mem = NOTE_POISON;
	struct note_call call;
	dprp_rc rc;

	rc = NOTE_CALL(
		kit->plugin->mem->alloc(kit->context, kit->device, desc, &mem),
		"mem->alloc", "%s", what);
	if (!rc) {
		note_handle(mem);
		call = note_last();
		work_free(kit, mem);
		note_again(&call);
	}
	return rc;
}

/* Unknown flags, kinds and extensions. */
static void unknown(struct kit *kit)
{
	dprp_queue_desc queue = { .struct_size = sizeof(queue) };
	dprp_mem_desc mem = { .struct_size = sizeof(mem),
			      .kind = DPRP_MEM_DEVICE,
			      .size = 64 };
	dprp_deps deps = { .struct_size = sizeof(deps), .flags = 1 };

	queue.flags = UINT64_C(1) << 40;
	refused("G7", make_queue(kit, &queue, "flags=1<<40"), "unknown flags");
	queue.flags = 0;
	queue.ext = &strange;
	refused("G7", make_queue(kit, &queue, "ext \"com.acme.none\""),
		"an unknown extension");
	mem.flags = 1;
	refused("G7", make_mem(kit, &mem, "flags=1"), "unknown flags");
	mem.flags = 0;
	mem.kind = 77;
	refused("G7", make_mem(kit, &mem, "kind=77"), "an unknown kind");
	mem.kind = DPRP_MEM_DEVICE;
	mem.ext = &strange;
	refused("G7", make_mem(kit, &mem, "ext \"com.acme.none\""),
		"an unknown extension");
	refused("G7",
		NOTE_CALL(kit->plugin->queue->barrier(kit->queue, &deps, NULL),
			  "queue->barrier", "deps->flags=1"),
		"unknown flags");
}

/* Structs of a newer core: bytes that the plugin does not know are zero, or
   else it refuses. */
static void longer(struct kit *kit)
{
	LONGER(dprp_queue_desc)
	queue = { .s = { .struct_size = sizeof(queue) } };
	LONGER(dprp_mem_desc)
	mem = { .s = { .struct_size = sizeof(mem),
		       .kind = DPRP_MEM_DEVICE,
		       .size = 64 } };
	LONGER(dprp_deps) deps = { .s = { .struct_size = sizeof(deps) } };
	const int tails = kit_is_newer(kit) ? 1 : 2;
	int tail;

	for (tail = 0; tail < tails; tail++) {
		const dprp_rc want = tail ? DPR_RC_UNSUPPORTED : DPR_RC_OK;
		const char *what = tail ? "a longer struct, its tail not zero"
					: "a longer struct, its tail zero";

		queue.more[15] = (unsigned char)tail;
		mem.more[0] = (unsigned char)tail;
		deps.more[3] = (unsigned char)tail;
		note_want("G2", make_queue(kit, &queue.s, what), want);
		note_want("G2", make_mem(kit, &mem.s, what), want);
		note_want("G2",
			  NOTE_CALL(kit->plugin->queue->barrier(kit->queue,
								&deps.s, NULL),
				    "queue->barrier", "%s", what),
			  want);
	}
	work_finish(kit, kit->queue);
}

/* The caller's struct may be shorter or longer than the plugin's. */
static void filled(struct kit *kit)
{
	LONGER(dprp_event_state) state;
	dprp_sink none = { 0 };
	const size_t sizes = kit_is_newer(kit) ? 1 : 2;
	dprp_event *event;
	size_t i, size;

	work_barrier(kit, kit->queue, NULL, 0, &event);
	work_wait(kit, event);
	for (i = 0; i < sizes; i++) {
		size = i ? sizeof(state) : DPRP_SIZE_TO(dprp_event_state, rc);
		memset(&state, 0x5a, sizeof(state));
		state.s.struct_size = size;
		note_want("G3",
			  NOTE_CALL(kit->plugin->event->status(event, &state.s,
							       none),
				    "event->status", "struct_size=%zu", size),
			  DPR_RC_OK);
		if (state.s.struct_size != size)
			note_bad("G3", "struct_size as it was", "%zu",
				 state.s.struct_size);
		if (state.s.state != DPRP_EVENT_DONE)
			note_bad("G3", "the members that it has are set",
				 "the state %u (%s)", state.s.state,
				 note_state_name(state.s.state));
		if (state.more[0] != 0x5a || state.more[15] != 0x5a ||
		    (!i && state.s.native != INT64_C(0x5a5a5a5a5a5a5a5a)))
			note_bad("G3",
				 "nothing written beyond what is known "
				 "to both",
				 "bytes written behind it");
	}
	work_destroy(kit, event);
}

/* Whether all bytes are 0xa5. */
static bool untouched(const unsigned char *bytes, size_t n)
{
	size_t i;

	for (i = 0; i < n && bytes[i] == 0xa5; i++)
		;
	return i == n;
}

/* The answers of mem->info: their size, and no byte beside them. */
static void answers(struct kit *kit)
{
	dprp_mem *mem = work_mem(kit, 1000);
	unsigned char buffer[32];
	uint32_t key;
	size_t need, again;

	for (key = DPRP_MEM_INFO_ADDRESS; key <= DPRP_MEM_INFO_KIND; key++) {
		need = 0;
		if (NOTE_CALL(kit->plugin->mem->info(mem, key, NULL, 0, &need),
			      "mem->info", "key=%u, buffer=NULL", key))
			continue;
		if (need != 8)
			note_bad("M6", "8 bytes", "*need is %zu", need);
		memset(buffer, 0xa5, sizeof(buffer));
		again = 0;
		note_want("V4",
			  NOTE_CALL(kit->plugin->mem->info(mem, key, buffer, 7,
							   &again),
				    "mem->info", "key=%u, capacity=7", key),
			  DPR_RC_INVALID);
		if (!untouched(buffer, sizeof(buffer)))
			note_bad("V4", "the buffer unchanged",
				 "bytes written to a buffer that is too small");
		note_want("V3",
			  NOTE_CALL(kit->plugin->mem->info(mem, key, buffer,
							   sizeof(buffer),
							   &again),
				    "mem->info", "key=%u, capacity=32", key),
			  DPR_RC_OK);
		if (again != need ||
		    !untouched(buffer + need, sizeof(buffer) - need))
			note_bad("V3", "*need bytes, as many as before",
				 "*need is %zu, not %zu, or bytes behind them "
				 "were written",
				 again, need);
	}
	refused("V5",
		NOTE_CALL(kit->plugin->mem->info(mem, 9999, NULL, 0, &need),
			  "mem->info", "key=9999, buffer=NULL"),
		"an unknown key");
	work_free(kit, mem);
}

/* Outputs that are numbers or lists stay within what was given. */
static void numbers(struct kit *kit)
{
	const dprp_device_ops *ops = kit->plugin->device;
	struct {
		uint32_t before, n, after;
	} n = { 0xa5a5a5a5, 0xa5a5a5a5, 0xa5a5a5a5 };
	struct {
		uint64_t before, got, after;
	} got = { 1, UINT64_C(0xa5a5a5a5a5a5a5a5), 1 };
	dprp_queue_desc desc = { .struct_size = sizeof(desc) };
	dprp_queue *queue;

	note_want("V1",
		  NOTE_CALL(ops->count(kit->instance, &n.n), "device->count",
			    "%s", ""),
		  DPR_RC_OK);
	if (n.n != kit->n_devices)
		note_bad("V1", "the same number each time", "%u, then %u",
			 kit->n_devices, n.n);
	if (n.before != 0xa5a5a5a5 || n.after != 0xa5a5a5a5)
		note_bad("P1", "only *n is written", "bytes beside it, too");
	if (n.n > 65536)
		note_bad("V1", "65536 at most", "%u", n.n);
	note_need("Q1", NOTE_CALL(kit->plugin->queue->create(kit->context,
							     kit->device, &desc,
							     &got.got, &queue),
				  "queue->create", "flags=0"));
	if (got.got)
		note_bad("Q1", "0, as no flag was asked for", "*got is %#llx",
			 ULL(got.got));
	if (got.before != 1 || got.after != 1)
		note_bad("P1", "only *got is written", "bytes beside it, too");
	work_drop_queue(kit, queue);
}

/* The handles of things that exist at the same time differ, and devices stay
   the same. */
static void handles(struct kit *kit)
{
	const dprp_device_ops *ops = kit->plugin->device;
	dprp_mem *mem[2] = { work_mem(kit, 64), work_mem(kit, 64) };
	dprp_queue *queue[2] = { kit_queue(kit, 0, NULL),
				 kit_queue(kit, 0, NULL) };
	dprp_event *event[2];
	dprp_device *device;
	uint32_t i;

	for (i = 0; i < 2; i++)
		work_barrier(kit, kit->queue, NULL, 0, &event[i]);
	note_step("queue->barrier", "%s", "");
	if (event[0] == event[1] || mem[0] == mem[1] || queue[0] == queue[1])
		note_bad("P1", "a new handle each time",
			 "the handle of one that exists");
	work_finish(kit, kit->queue);
	for (i = 0; i < kit->n_devices; i++) {
		dprp_device *same = NOTE_POISON;

		device = NOTE_POISON;
		note_need("V2", NOTE_CALL(ops->get(kit->instance, i, &device),
					  "device->get", "index=%u", i));
		note_need("V2", NOTE_CALL(ops->get(kit->instance, i, &same),
					  "device->get", "index=%u", i));
		note_handle(device);
		if (device != same)
			note_bad("V2", "the same handle each time",
				 "another one");
	}
	for (i = 0; i < 2; i++) {
		work_destroy(kit, event[i]);
		work_free(kit, mem[i]);
		work_drop_queue(kit, queue[i]);
	}
}

static const struct kit_check checks[] = {
	{ "unknown", unknown, 0 }, { "longer", longer, 0 },
	{ "filled", filled, 0 },   { "answers", answers, 0 },
	{ "numbers", numbers, 0 }, { "handles", handles, 0 },
};

const struct kit_group group_outputs = {
	"outputs", "what entries write, and how structs grow", checks,
	KIT_COUNT(checks)
};
