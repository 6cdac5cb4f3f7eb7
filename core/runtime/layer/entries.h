/* SPDX-License-Identifier: Apache-2.0 */
/* entries.h - the entries of a plugin: their names, and how long they may
   take. */
#ifndef RUNTIME_ENTRIES_H
#define RUNTIME_ENTRIES_H

#include <stddef.h>

/* X(table, name, whether it returns a code, rule).  A call of the entry must
   not wait under `rule`; NULL: it may wait.  The table "plugin" is the
   descriptor. */
/* clang-format off */
#define ENTRIES_MAP(X) \
	X(plugin, open, 1, NULL) \
	X(plugin, close, 0, NULL) \
	X(plugin, native_get, 1, NULL) \
	X(plugin, native_wrap, 1, NULL) \
	X(device, count, 1, NULL) \
	X(device, get, 1, NULL) \
	X(device, info, 1, NULL) \
	X(device, partition, 1, NULL) \
	X(device, peer, 1, NULL) \
	X(device, clocks, 1, NULL) \
	X(context, create, 1, NULL) \
	X(context, destroy, 0, NULL) \
	X(queue, create, 1, NULL) \
	X(queue, destroy, 0, "Q2") \
	X(queue, flush, 1, "W2") \
	X(queue, finish, 1, NULL) \
	X(queue, barrier, 1, "W2") \
	X(queue, write, 1, "W2") \
	X(queue, read, 1, "W2") \
	X(queue, copy, 1, "W2") \
	X(queue, launch, 1, "W2") \
	X(queue, fill, 1, "W2") \
	X(queue, prefetch, 1, "W2") \
	X(queue, advise, 1, "W2") \
	X(event, status, 1, "W3") \
	X(event, wait, 1, NULL) \
	X(event, destroy, 0, NULL) \
	X(event, notify, 1, "W3") \
	X(mem, alloc, 1, NULL) \
	X(mem, free, 0, NULL) \
	X(mem, info, 1, NULL) \
	X(mem, ipc_export, 1, NULL) \
	X(mem, ipc_import, 1, NULL) \
	X(module, pick, 1, NULL) \
	X(module, create, 1, NULL) \
	X(module, destroy, 0, NULL) \
	X(module, binary, 1, NULL) \
	X(module, kernel, 1, NULL) \
	X(module, kernel_destroy, 0, NULL) \
	X(module, kernel_info, 1, NULL)
/* clang-format on */

enum entry {
#define ENTRIES__X(table, name, fails, prompt) ENTRY_##table##_##name,
	ENTRIES_MAP(ENTRIES__X)
#undef ENTRIES__X
		ENTRY_N
};

/* Room for the longest name, with its zero byte. */
#define ENTRIES_NAME 32

/* The name as in texts: "queue->write", "open". */
struct entries_name {
	char bytes[ENTRIES_NAME];
};
struct entries_name entries_name(enum entry entry);

/* The name as in DPR_FAULT: "queue.write", "open". */
struct entries_name entries_word(enum entry entry);

/* Find the entry that can fail whose word has @size bytes at @word.  ENTRY_N:
   none. */
enum entry entries_find(const char *word, size_t size);

/* Whether the entry returns a code. */
int entries_can_fail(enum entry entry);

/* The rule that forbids a call of @entry to wait.  NULL: it may wait. */
const char *entries_prompt(enum entry entry);

#endif
