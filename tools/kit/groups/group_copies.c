/* SPDX-License-Identifier: Apache-2.0 */
/* group_copies.c - commands that move bytes. */
#include <stdlib.h>
#include <string.h>

#include "tools/kit/groups/groups.h"
#include "tools/kit/work.h"

enum { SIZE = 70000 };

/* Memory of the device, and what it should contain. */
struct image {
	dprp_mem *mem;
	unsigned char *bytes, *got;
	size_t size;
};

static struct image make_image(struct kit *kit, size_t size, unsigned seed)
{
	struct image image = { .size = size };

	image.bytes = malloc(size);
	image.got = malloc(size);
	if (!image.bytes || !image.got)
		note_skip("out of memory");
	work_noise(image.bytes, size, seed);
	image.mem = work_mem(kit, size);
	work_write(kit, image.mem, 0, image.bytes, size);
	return image;
}

/* Compare all of the memory with what it should contain after the last call. */
static void check_image(struct kit *kit, struct image *image, const char *rule)
{
	const struct note_call call = note_last();

	work_read(kit, image->mem, 0, image->got, image->size);
	note_again(&call);
	note_bytes(rule, image->got, image->bytes, image->size);
}

static void drop_image(struct kit *kit, struct image *image)
{
	work_free(kit, image->mem);
	free(image->bytes);
	free(image->got);
}

/* Odd offsets and sizes; the bytes around them stay. */
static void write_read(struct kit *kit)
{
	static const size_t sizes[] = { 1, 2, 3, 7, 64, 1001, 65537 };
	struct image image = make_image(kit, SIZE, 1);
	unsigned char *data = malloc(SIZE), *out = malloc(SIZE);
	size_t i, offset;

	if (!data || !out)
		note_skip("out of memory");
	work_noise(data, SIZE, 2);
	for (i = 0; i < KIT_COUNT(sizes); i++)
		for (offset = 1; offset < 70; offset += 31) {
			memcpy(image.bytes + offset, data + i, sizes[i]);
			work_write(kit, image.mem, offset, data + i, sizes[i]);
			work_read(kit, image.mem, offset, out, sizes[i]);
			note_step("queue->write",
				  "offset=%zu, size=%zu, and read back", offset,
				  sizes[i]);
			note_bytes("Q8", out, data + i, sizes[i]);
			check_image(kit, &image, "Q8");
			if (note_found())
				return;
		}
	drop_image(kit, &image);
	free(data);
	free(out);
}

/* A read writes the bytes that it was given room for, and no others. */
static void read_bounds(struct kit *kit)
{
	struct image image = make_image(kit, 4096, 5);
	struct work_bytes bytes = work_bytes(kit, 4096);
	unsigned char *at = bytes.at;
	dprp_event *event;
	size_t i;

	memset(at, 0x77, 4096);
	note_need("Q8", NOTE_CALL(kit->plugin->queue->read(
					  kit->queue, image.mem, 3, at + 101,
					  1001, NULL, &event),
				  "queue->read", "offset=3, size=1001"));
	note_handle(event);
	work_done(kit, event);
	note_step("queue->read", "offset=3, size=1001");
	for (i = 0; i < 4096; i++)
		if (at[i] !=
		    (i >= 101 && i < 1102 ? image.bytes[i - 98] : 0x77))
			break;
	if (i < 4096)
		note_bad("Q8", "1001 bytes, and no others",
			 "byte %lld of the result is another",
			 (long long)i - 101);
	work_bytes_free(kit, &bytes);
	drop_image(kit, &image);
}

/* The program's own memory: it is used, or the answer is HOST_MEMORY. */
static void own_memory(struct kit *kit)
{
	struct image image = make_image(kit, 5000, 9);
	unsigned char *at = malloc(5000 + 1);
	dprp_event *event;
	dprp_rc rc;

	if (!at)
		note_skip("out of memory");
	rc = NOTE_CALL(kit->plugin->queue->read(kit->queue, image.mem, 0,
						at + 1, 5000, NULL, &event),
		       "queue->read", "the program's memory, size=5000");
	if (work_refuses_host(rc)) {
		note_tell("write and read do not take the program's own "
			  "memory (%s): dpr moves the bytes in pieces",
			  note_rc_name(rc));
	} else {
		note_need("Q8", rc);
		note_handle(event);
		work_done(kit, event);
		note_step("queue->read", "the program's memory, size=5000");
		note_bytes("Q8", at + 1, image.bytes, 5000);
	}
	free(at);
	drop_image(kit, &image);
}

/* HOST memory is always taken, at any place within. */
static void host_memory(struct kit *kit)
{
	struct image image = make_image(kit, 5000, 11);
	dprp_mem *mem;
	unsigned char *at;
	dprp_event *event;
	dprp_rc rc;

	if (!work_has_kind(kit, DPRP_MEM_HOST))
		note_skip("the device has no HOST memory");
	note_need("M2", work_alloc(kit, DPRP_MEM_HOST, 8192, 0, NULL, &mem));
	at = work_address(kit, mem);
	if (!at)
		note_skip("HOST memory has no address");
	rc = NOTE_CALL(kit->plugin->queue->read(kit->queue, image.mem, 7,
						at + 13, 4000, NULL, &event),
		       "queue->read", "offset=7, size=4000, into HOST memory");
	note_need("Q7", rc);
	note_handle(event);
	work_done(kit, event);
	note_step("queue->read", "offset=7, size=4000, into HOST memory");
	note_bytes("Q8", at + 13, image.bytes + 7, 4000);
	work_free(kit, mem);
	drop_image(kit, &image);
}

static void copy(struct kit *kit)
{
	static const struct {
		uint64_t to, from, size;
	} moves[] = { { 0, 0, 1 },     { 1001, 17, 333 }, { 4, 8, 60000 },
		      { 1, 2, 69999 }, { 69999, 3, 1 },   { 64, 128, 4096 } };
	struct image to = make_image(kit, SIZE + 8, 3);
	struct image from = make_image(kit, SIZE + 8, 4);
	size_t i;

	for (i = 0; i < KIT_COUNT(moves); i++) {
		work_copy(kit, kit->queue, to.mem, moves[i].to, from.mem,
			  moves[i].from, moves[i].size, NULL, 0, NULL);
		memcpy(to.bytes + moves[i].to, from.bytes + moves[i].from,
		       moves[i].size);
		check_image(kit, &to, "Q9");
		if (note_found())
			return;
	}
	note_step("queue->copy", "of memory that is only read");
	check_image(kit, &from, "Q9");
	/* Ranges of one allocation that touch do not overlap. */
	work_copy(kit, kit->queue, to.mem, 0, to.mem, 100, 100, NULL, 0, NULL);
	memcpy(to.bytes, to.bytes + 100, 100);
	work_copy(kit, kit->queue, to.mem, 300, to.mem, 200, 100, NULL, 0,
		  NULL);
	memcpy(to.bytes + 300, to.bytes + 200, 100);
	note_step("queue->copy", "to_offset=0, from_offset=100, size=100, then "
				 "300, 200, 100, of one allocation");
	check_image(kit, &to, "Q9");
	drop_image(kit, &to);
	drop_image(kit, &from);
}

static void fill(struct kit *kit)
{
	static const size_t patterns[] = { 1, 2, 4, 8, 16, 3, 12, 100, 128 };
	static const size_t numbers[] = { 1, 151, 3000 };
	struct image image = make_image(kit, 400000, 6);
	unsigned char pattern[128];
	size_t i, k, n, size, no_path = 0;
	dprp_rc rc;

	if (!DPRP_HAS(kit->plugin->queue, dprp_queue_ops, fill))
		note_skip("there is no entry queue->fill");
	for (i = 0; i < KIT_COUNT(patterns); i++)
		for (k = 0; k < KIT_COUNT(numbers); k++) {
			size = numbers[k] * patterns[i];
			work_noise(pattern, sizeof(pattern),
				   (unsigned)(i * 7 + k));
			rc = NOTE_CALL(kit->plugin->queue->fill(
					       kit->queue, image.mem, 128, size,
					       pattern, patterns[i], NULL,
					       NULL),
				       "queue->fill",
				       "offset=128, size=%zu, pattern_size=%zu",
				       size, patterns[i]);
			no_path += rc == DPR_RC_NO_PATH;
			if (rc == DPR_RC_NO_PATH)
				continue;
			note_need("Q12", rc);
			for (n = 0; n < size; n++)
				image.bytes[128 + n] = pattern[n % patterns[i]];
			/* It was copied. */
			memset(pattern, 0xee, sizeof(pattern));
			check_image(kit, &image, "Q12");
			if (note_found())
				return;
		}
	if (no_path)
		note_tell("%zu of %zu fills answer NO_PATH: dpr writes a "
			  "block and copies it",
			  no_path, KIT_COUNT(patterns) * KIT_COUNT(numbers));
	drop_image(kit, &image);
}

/* The pattern and the list of dependencies are the caller's again when the call
   returns, also while the work has not begun. */
static void copied(struct kit *kit)
{
	struct work_long work = work_long(kit);
	struct image image = make_image(kit, 4096, 8);
	uint32_t pattern = 0x12345678;
	dprp_event *events[2] = { NULL, NULL }, *after, *unused;
	dprp_deps deps;
	dprp_rc rc = DPR_RC_NO_PATH;
	size_t i;

	work_long_begin(kit, &work, kit->queue, &events[0]);
	events[1] = events[0];
	deps = work_deps(events, 2);
	if (DPRP_HAS(kit->plugin->queue, dprp_queue_ops, fill))
		rc = NOTE_CALL(kit->plugin->queue->fill(kit->queue, image.mem,
							0, 4096, &pattern, 4,
							&deps, &after),
			       "queue->fill",
			       "size=4096, pattern_size=4, "
			       "the same event twice in deps");
	unused = events[0];
	events[0] = events[1] = NOTE_POISON;
	pattern = 0;
	deps.count = 77;
	if (rc == DPR_RC_NO_PATH || rc == DPR_RC_CANNOT_WAIT)
		note_tell("fill, or its dependencies, answer %s",
			  note_rc_name(rc));
	else
		note_need("Y1", rc);
	for (i = 0; !rc && i < 4096; i += 4)
		memcpy(image.bytes + i, "\x78\x56\x34\x12", 4);
	if (!rc)
		work_done(kit, after);
	work_finish(kit, kit->queue);
	note_step("queue->fill", "whose pattern and deps changed afterwards");
	check_image(kit, &image, "S3");
	work_destroy(kit, unused);
	drop_image(kit, &image);
	work_long_end(kit, &work);
}

/* Commands of size 0 move nothing, and complete. */
static void nothing(struct kit *kit)
{
	const dprp_queue_ops *ops = kit->plugin->queue;
	struct image image = make_image(kit, 256, 12);
	struct image other = make_image(kit, 256, 13);
	struct work_bytes bytes = work_bytes(kit, 64);
	dprp_event *event[3] = { NOTE_POISON, NOTE_POISON, NOTE_POISON };
	int i;

	note_need("S4", NOTE_CALL(ops->write(kit->queue, image.mem, 5, bytes.at,
					     0, NULL, &event[0]),
				  "queue->write", "size=0"));
	note_need("S4", NOTE_CALL(ops->read(kit->queue, image.mem, 5, bytes.at,
					    0, NULL, &event[1]),
				  "queue->read", "size=0"));
	note_need("S4", NOTE_CALL(ops->copy(kit->queue, image.mem, 5, other.mem,
					    5, 0, NULL, &event[2]),
				  "queue->copy", "size=0"));
	for (i = 0; i < 3; i++) {
		note_handle(event[i]);
		work_done(kit, event[i]);
	}
	note_step("queue->write", "size=0, also of read and copy");
	check_image(kit, &image, "S4");
	work_bytes_free(kit, &bytes);
	drop_image(kit, &image);
	drop_image(kit, &other);
}

/* No one asks for an event. */
static void no_event(struct kit *kit)
{
	const dprp_queue_ops *ops = kit->plugin->queue;
	struct image image = make_image(kit, 256, 14);
	struct work_bytes bytes = work_bytes(kit, 64);
	static const dprp_deps none = { .struct_size = sizeof(none) };

	memset(bytes.at, 0x3c, 64);
	memset(image.bytes, 0x3c, 64);
	note_need("S2", NOTE_CALL(ops->write(kit->queue, image.mem, 0, bytes.at,
					     64, NULL, NULL),
				  "queue->write", "event=NULL, deps=NULL"));
	note_need("S2", NOTE_CALL(ops->read(kit->queue, image.mem, 0, bytes.at,
					    64, &none, NULL),
				  "queue->read", "event=NULL, deps->count=0"));
	note_need("S1",
		  NOTE_CALL(ops->barrier(kit->queue, &none, NULL),
			    "queue->barrier", "event=NULL, deps->count=0"));
	memcpy(image.bytes + 128, image.bytes, 64);
	work_copy(kit, kit->queue, image.mem, 128, image.mem, 0, 64, NULL, 0,
		  NULL);
	if (DPRP_HAS(ops, dprp_queue_ops, prefetch) &&
	    NOTE_CALL(ops->prefetch(kit->queue, image.mem, 0, 256, NULL, NULL),
		      "queue->prefetch", "event=NULL"))
		note_tell("prefetch: %s", note_error_text());
	if (DPRP_HAS(ops, dprp_queue_ops, advise) &&
	    NOTE_CALL(ops->advise(kit->queue, image.mem, 0, 256, 1),
		      "queue->advise", "advice=1"))
		note_tell("advise: %s", note_error_text());
	work_finish(kit, kit->queue);
	note_step("queue->prefetch", "event=NULL, after write and copy");
	check_image(kit, &image, "Q13");
	work_bytes_free(kit, &bytes);
	drop_image(kit, &image);
}

static const struct kit_check checks[] = {
	{ "write_read", write_read, 0 },
	{ "read_bounds", read_bounds, 0 },
	{ "own_memory", own_memory, 0 },
	{ "host_memory", host_memory, 0 },
	{ "copy", copy, 0 },
	{ "fill", fill, 0 },
	{ "copied", copied, 0 },
	{ "nothing", nothing, 0 },
	{ "no_event", no_event, 0 },
};

const struct kit_group group_copies = { "copies", "commands that move bytes",
					checks, KIT_COUNT(checks) };
