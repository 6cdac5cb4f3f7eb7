/* SPDX-License-Identifier: Apache-2.0 */
/*
 * help-base.h - for authors of backends: memory, errors and the log; structs
 * that grow; answers to info; checks of what the core gives.  It is a part of
 * <dpr/backend-help.h>.
 */
#ifndef DPR_HELP_BASE_H
#define DPR_HELP_BASE_H

/* Strict C11 hides the clocks and threads of POSIX. */
#if defined(__STRICT_ANSI__) && !defined(_GNU_SOURCE) && \
	!defined(_POSIX_C_SOURCE) && !defined(_XOPEN_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <dpr/backend.h>

#ifndef CLOCK_MONOTONIC
#error "include <dpr/backend-help.h> first, or compile with -D_GNU_SOURCE"
#endif

/* For functions that are too long to be inlined, and may not be used. */
#define DPRH_STATIC __attribute__((noinline, unused)) static

/* For a symbol with C's name. */
#ifdef __cplusplus
#define DPRH_EXTERN extern "C"
#else
#define DPRH_EXTERN extern
#endif

/* Define the entry symbol of a plugin; `plugin` is its descriptor. */
#define DPRH_PLUGIN(plugin)                                                 \
	DPRH_EXTERN DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(         \
		uint32_t host_minor);                                       \
	DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor) \
	{                                                                   \
		(void)host_minor;                                           \
		return &(plugin);                                           \
	}

#ifdef __cplusplus
extern "C" {
#endif

/* --- Memory, errors, the log, time ---------------------------------------- */

/* CLOCK_MONOTONIC in nanoseconds. */
static inline uint64_t dprh_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Sleep between two checks of something that began `passed` ns ago: a 64th of
   that time, at least 10 us, at most 1 ms, and at most `left` ns. */
static inline void dprh_nap(uint64_t passed, uint64_t left)
{
	const uint64_t least = 10000, most = 1000000;
	uint64_t nap = passed / 64;
	struct timespec ts;

	if (nap < least)
		nap = least;
	if (nap > most)
		nap = most;
	if (nap > left)
		nap = left;
	ts.tv_sec = 0;
	ts.tv_nsec = (long)nap;
	nanosleep(&ts, NULL);
}

/* Allocate zeroed memory of the host.  Returns NULL if memory runs out, or if
   count * size overflows. */
static inline void *dprh_alloc(const dprp_host *host, size_t count, size_t size)
{
	size_t bytes;
	void *block;

	if (__builtin_mul_overflow(count, size, &bytes))
		return NULL;
	block = host->alloc(host->self, bytes ? bytes : 1);
	if (block)
		memset(block, 0, bytes);
	return block;
}

/* Free memory of the host; NULL is accepted. */
static inline void dprh_free(const dprp_host *host, void *block)
{
	if (block)
		host->free(host->self, block);
}

/* Format a text into `small`, which has `size` bytes, or into memory of the
   host if it is longer.  Without such memory the text is cut off. */
__attribute__((format(printf, 4, 0))) DPRH_STATIC char *dprh_format(
	const dprp_host *host, char *small, size_t size, const char *format,
	va_list args)
{
	va_list again;
	char *text = small;
	int length;

	va_copy(again, args);
	length = vsnprintf(small, size, format, args);
	if (length >= 0 && (size_t)length >= size) {
		text = (char *)dprh_alloc(host, (size_t)length + 1, 1);
		if (text)
			vsnprintf(text, (size_t)length + 1, format, again);
		else
			text = small;
	}
	va_end(again);
	return text;
}

/* Report a failure to the host: its code, the driver's own code (0: none) and a
   sentence that names the call.  Returns rc. */
__attribute__((format(printf, 4, 5))) DPRH_STATIC dprp_rc dprh_fail(
	const dprp_host *host, dprp_rc rc, int64_t native, const char *format,
	...)
{
	char small[256], *text;
	va_list args;

	va_start(args, format);
	text = dprh_format(host, small, sizeof(small), format, args);
	va_end(args);
	host->set_error(host->self, rc, native, text);
	if (text != small)
		dprh_free(host, text);
	return rc;
}

/* Fail with OOM_HOST and a text that names what the memory was for. */
static inline dprp_rc dprh_no_memory(const dprp_host *host, const char *what)
{
	return dprh_fail(
		host, DPR_RC_OOM_HOST, 0, "no host memory for %s", what);
}

/* Append `name` to the list "a, b" at *list, a block of the host's memory or
   NULL.  A long list ends with "...".  The list is lost if memory runs out. */
static inline void dprh_add_name(
	const dprp_host *host, char **list, const char *name)
{
	const size_t old = *list ? strlen(*list) : 0;
	char *longer;

	if (old > 1000) {
		if (strcmp(*list + old - 3, "...") != 0)
			strcpy(*list + old, ", ...");
		return;
	}
	longer = (char *)dprh_alloc(host, old + strlen(name) + 8, 1);
	if (longer && old) {
		memcpy(longer, *list, old);
		memcpy(longer + old, ", ", 3);
	}
	if (longer)
		strcat(longer, name);
	dprh_free(host, *list);
	*list = longer;
}

/* Fail because a program has no kernel `name`, with the list of its kernels as
   dprh_add_name() makes it, which is freed; NULL: they are not known. */
static inline dprp_rc dprh_no_kernel(
	const dprp_host *host, int64_t native, const char *name, char *list)
{
	dprh_fail(host, DPR_RC_INVALID, native,
		"the program has no kernel %.200s%s%s", name,
		list ? "; it has " : "", list ? list : "");
	dprh_free(host, list);
	return DPR_RC_INVALID;
}

/* Write a line to the log; level is 1 (error) to 5 (trace). */
__attribute__((format(printf, 3, 4))) DPRH_STATIC void dprh_log(
	const dprp_host *host, int32_t level, const char *format, ...)
{
	char small[256], *text;
	va_list args;

	va_start(args, format);
	text = dprh_format(host, small, sizeof(small), format, args);
	va_end(args);
	host->log(host->self, level, text);
	if (text != small)
		dprh_free(host, text);
}

/* --- Structs that grow ---------------------------------------------------- */

/* Copy the struct `from` to `to`, which has `size` bytes.  Members that `from`
   lacks become zero; members that only `from` has are ignored. */
static inline void dprh_copy(void *to, size_t size, const void *from)
{
	size_t theirs;

	memcpy(&theirs, from, sizeof(theirs)); /* struct_size comes first */
	if (theirs < size)
		memset(to, 0, size);
	memcpy(to, from, theirs < size ? theirs : size);
}

/* The code for dependencies that the driver cannot wait for.  A core before
   version 1.2 of the interface knows only NO_PATH. */
static inline dprp_rc dprh_cannot_wait(const dprp_host *host)
{
#if DPRP_ABI_MINOR >= 2
	if (host->abi_minor >= 2)
		return DPR_RC_CANNOT_WAIT;
#endif
	(void)host;
	return DPR_RC_NO_PATH;
}

/* The code for host memory of write or read that the driver cannot use, or would
   wait with.  A core before version 1.2 knows only NO_PATH. */
static inline dprp_rc dprh_host_memory(const dprp_host *host)
{
#if DPRP_ABI_MINOR >= 2
	if (host->abi_minor >= 2)
		return DPR_RC_HOST_MEMORY;
#endif
	(void)host;
	return DPR_RC_NO_PATH;
}

/* Whether the core is older than this plugin.  If so, its structs may be
   shorter. */
static inline bool dprh_core_is_older(const dprp_host *host)
{
	const uint32_t ours = DPRP_ABI_MINOR;

	return host->abi_minor < ours;
}

/* dprh_take() for a struct whose size in the core is different. */
DPRH_STATIC dprp_rc dprh_adapt(const dprp_host *host, const char *name,
	void *to, size_t size, const void *from)
{
	const unsigned char *bytes = (const unsigned char *)from;
	size_t theirs, i;

	dprh_copy(to, size, from);
	memcpy(&theirs, from, sizeof(theirs));
	if (theirs < size && !dprh_core_is_older(host))
		return dprh_fail(host, DPR_RC_ABI, 0,
			"%s has %zu bytes, but the plugin needs %zu", name,
			theirs, size);
	for (i = size; i < theirs; i++)
		if (bytes[i])
			return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
				"%s has a member that this plugin does not "
				"know",
				name);
	return DPR_RC_OK;
}

/*
 * Copy `from`, a struct of the core of type `name`, to `to`, which has `size`
 * bytes.  Every submission does this, so the common case is a copy of a size
 * that the compiler knows.
 * DPR_RC_ABI: `from` is shorter than in the core's version of the ABI.
 * DPR_RC_UNSUPPORTED: the core is newer and has set a member that this plugin
 * does not know.
 */
static inline dprp_rc dprh_take(const dprp_host *host, const char *name,
	void *to, size_t size, const void *from)
{
	size_t theirs;

	memcpy(&theirs, from, sizeof(theirs));
	if (theirs != size)
		return dprh_adapt(host, name, to, size, from);
	memcpy(to, from, size);
	return DPR_RC_OK;
}

/* Copy `from`, a struct of the plugin of `size` bytes, to `to`, a struct of the
   core, as far as `to` has room.  The struct_size of `to` does not change. */
static inline void dprh_give(void *to, const void *from, size_t size)
{
	size_t theirs;

	memcpy(&theirs, to, sizeof(theirs));
	memcpy(to, from, theirs < size ? theirs : size);
	memcpy(to, &theirs, sizeof(theirs));
}

/* --- Answers to info ------------------------------------------------------ */

/* Answer an info entry: put the size into *need, and the value into buffer
   unless that is NULL.  DPR_RC_INVALID: the buffer is too short. */
static inline dprp_rc dprh_answer(const dprp_host *host, const void *value,
	size_t size, void *buffer, size_t capacity, size_t *need)
{
	*need = size;
	if (!buffer)
		return DPR_RC_OK;
	if (capacity < size)
		return dprh_fail(host, DPR_RC_INVALID, 0,
			"the answer has %zu bytes, the buffer %zu", size,
			capacity);
	memcpy(buffer, value, size);
	return DPR_RC_OK;
}

/* Answer with a string, and its zero byte. */
static inline dprp_rc dprh_answer_text(const dprp_host *host, const char *text,
	void *buffer, size_t capacity, size_t *need)
{
	return dprh_answer(
		host, text, strlen(text) + 1, buffer, capacity, need);
}

/* Answer with a number, the form of most keys. */
static inline dprp_rc dprh_answer_number(const dprp_host *host, uint64_t number,
	void *buffer, size_t capacity, size_t *need)
{
	return dprh_answer(
		host, &number, sizeof(number), buffer, capacity, need);
}

/* The name of a key of devices, such as "SUB_BUFFER_ALIGN"; NULL: unknown. */
static inline const char *dprh_key_name(uint32_t key)
{
	switch (key) {
#define DPRH_KEY(name, number, type, unit, text) \
	case number: return #name;
		DPR_INFO_MAP(DPRH_KEY)
#undef DPRH_KEY
	default: return NULL;
	}
}

/* Refuse a key of `what` ("device") that the plugin does not answer. */
static inline dprp_rc dprh_unknown(
	const dprp_host *host, const char *what, uint32_t key)
{
	const char *name = strcmp(what, "device") ? NULL : dprh_key_name(key);

	if (name)
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			"%s info: %s (key %u) is not available", what, name,
			(unsigned)key);
	return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
		"%s info: key %u is not available", what, (unsigned)key);
}

/* The entry mem->info.  `address` NULL: the memory has no address.  `kind` is
   DPRP_MEM_*, or 0 if the plugin does not keep the kind.  The core asks for the
   kind only of memory that native_wrap made. */
static inline dprp_rc dprh_mem_info(const dprp_host *host, const void *address,
	uint64_t kind, uint32_t key, void *buffer, size_t capacity,
	size_t *need)
{
	if (key == DPRP_MEM_INFO_KIND && kind)
		return dprh_answer_number(host, kind, buffer, capacity, need);
	if (key != DPRP_MEM_INFO_ADDRESS)
		return dprh_unknown(host, "memory", key);
	if (!address)
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			"this memory has no address");
	return dprh_answer(
		host, &address, sizeof(address), buffer, capacity, need);
}

/* Fail because native_get has no handle of this type for handles of the kind
   `what` (DPRP_NATIVE_*). */
static inline dprp_rc dprh_no_native(
	const dprp_host *host, uint32_t what, uint32_t type)
{
	static const char *const names[] = { "platform", "device", "context",
		"queue", "event", "memory", "program", "kernel" };
	const size_t n = sizeof(names) / sizeof(*names);

	return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
		"there is no native handle of kind %u (%s) and type %u",
		(unsigned)what, what - 1 < n ? names[what - 1] : "unknown",
		(unsigned)type);
}

/* --- Checks of what the core gives ---------------------------------------- */

/* Refuse ext, an extension of a `what` ("queue"): the plugin supports none.
   NULL is accepted. */
static inline dprp_rc dprh_check_ext(
	const dprp_host *host, const char *what, const dprp_ext *ext)
{
	if (!ext)
		return DPR_RC_OK;
	return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
		"unknown %s extension \"%s\"", what,
		ext->name ? ext->name : "");
}

/* Refuse a queue whose flags, extension or priority the ABI does not define. */
static inline dprp_rc dprh_check_queue(
	const dprp_host *host, const dprp_queue_desc *desc)
{
	const uint64_t known = DPRP_QUEUE_OUT_OF_ORDER | DPRP_QUEUE_PROFILING;

	if (desc->flags & ~known)
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			"queue flags %#llx are unknown",
			(unsigned long long)(desc->flags & ~known));
	if (desc->priority < -1 || desc->priority > 1)
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			"queue priority %d is not -1, 0 or 1",
			(int)desc->priority);
	return dprh_check_ext(host, "queue", desc->ext);
}

/* Refuse a copy of `size` bytes between ranges that overlap. */
static inline dprp_rc dprh_check_copy(
	const dprp_host *host, uint64_t to, uint64_t from, uint64_t size)
{
	if (to >= from + size || from >= to + size)
		return DPR_RC_OK;
	return dprh_fail(
		host, DPR_RC_INVALID, 0, "the ranges of a copy overlap");
}

/* Refuse memory whose flags or extension the ABI does not define, that has no
   bytes, or whose alignment is not a power of two. */
static inline dprp_rc dprh_check_mem(
	const dprp_host *host, const dprp_mem_desc *desc)
{
	if (desc->flags)
		return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			"memory flags %#x are unknown", (unsigned)desc->flags);
	if (!desc->size)
		return dprh_fail(host, DPR_RC_INVALID, 0,
			"an allocation cannot have 0 bytes");
	if (desc->align & (desc->align - 1))
		return dprh_fail(host, DPR_RC_INVALID, 0,
			"an alignment of %llu bytes is not a power of two",
			(unsigned long long)desc->align);
	return dprh_check_ext(host, "memory", desc->ext);
}

/* Refuse build flags that the ABI does not define. */
static inline dprp_rc dprh_check_build_flags(
	const dprp_host *host, uint64_t flags)
{
	const uint64_t known = DPRP_BUILD_ROUNDED | DPRP_BUILD_LARGE;

	if (!(flags & ~known))
		return DPR_RC_OK;
	return dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
		"build flags %#llx are unknown",
		(unsigned long long)(flags & ~known));
}

/* --- Structs of the core, copied and checked ------------------------------ */

/* Copy the dependencies of a submission, which may be NULL. */
static inline dprp_rc dprh_take_deps(
	const dprp_host *host, const dprp_deps *theirs, dprp_deps *deps)
{
	dprp_rc rc;

	if (!theirs) {
		memset(deps, 0, sizeof(*deps));
		return DPR_RC_OK;
	}
	rc = dprh_take(host, "dprp_deps", deps, sizeof(*deps), theirs);
	if (!rc && deps->flags)
		rc = dprh_fail(host, DPR_RC_UNSUPPORTED, 0,
			"the dependencies have unknown flags");
	return rc;
}

/* Copy the description of a queue, and check it as dprh_check_queue() does. */
static inline dprp_rc dprh_take_queue(const dprp_host *host,
	const dprp_queue_desc *theirs, dprp_queue_desc *desc)
{
	dprp_rc rc =
		dprh_take(host, "dprp_queue_desc", desc, sizeof(*desc), theirs);

	return rc ? rc : dprh_check_queue(host, desc);
}

/* Copy the description of memory, and check it as dprh_check_mem() does. */
static inline dprp_rc dprh_take_mem(
	const dprp_host *host, const dprp_mem_desc *theirs, dprp_mem_desc *desc)
{
	dprp_rc rc =
		dprh_take(host, "dprp_mem_desc", desc, sizeof(*desc), theirs);

	return rc ? rc : dprh_check_mem(host, desc);
}

/* Copy the description of a program, and of its first image.  Refuse an
   extension, build flags that the ABI does not define, and a program without an
   image. */
static inline dprp_rc dprh_take_module(const dprp_host *host,
	const dprp_module_desc *theirs, dprp_module_desc *desc,
	dprp_image *image)
{
	dprp_rc rc = dprh_take(
		host, "dprp_module_desc", desc, sizeof(*desc), theirs);

	if (!rc)
		rc = dprh_check_ext(host, "program", desc->ext);
	if (!rc && !desc->n_images)
		rc = dprh_fail(
			host, DPR_RC_INVALID, 0, "the program has no image");
	if (!rc)
		rc = dprh_check_build_flags(host, desc->flags);
	if (!rc)
		rc = dprh_take(host, "dprp_image", image, sizeof(*image),
			desc->images[0]);
	return rc;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
