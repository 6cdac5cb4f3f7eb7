/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zecpu.h - how a test controls the software Level Zero driver.
 *
 * README.md says what the driver is, and lists its knobs.  A test gets the
 * function of type zecpu_control_function through the loader,
 *
 *	zeDriverGetExtensionFunctionAddress(driver, "zecpuControl", &function)
 *
 * or with dlsym() from the library itself, even before zeInit().  Every
 * function in the table may be called from any thread at any time.
 */
#ifndef TESTS_ZECPU_ZECPU_H
#define TESTS_ZECPU_ZECPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ZECPU_CONTROL "zecpuControl"

/* The LLVM whose tools the driver and its tests run, as a number and as text.
   configure says which version. */
#ifndef ZECPU_LLVM
#define ZECPU_LLVM 15
#endif
#define ZECPU_TEXT_OF(x) #x
#define ZECPU_TEXT(x) ZECPU_TEXT_OF(x)
#define ZECPU_LLVM_TEXT ZECPU_TEXT(ZECPU_LLVM)

/* Values of newer specifications, which the header of 1.8 lacks.  They are
   refused unless the knob ZECPU_IN_ORDER, ZECPU_COUNTER or ZECPU_SOURCE is set.
 */
#define ZECPU_QUEUE_FLAG_IN_ORDER 0x2u           /* ze_command_queue_desc_t */
#define ZECPU_LIST_FLAG_IN_ORDER 0x8u            /* ze_command_list_desc_t */
#define ZECPU_STYPE_COUNTER_POOL_DESC 0x00020014 /* for a pool */
#define ZECPU_COUNTER_IMMEDIATE 0x1u
#define ZECPU_COUNTER_NON_IMMEDIATE 0x2u
/* ze_module_format_t of OpenCL C, with ZECPU_SOURCE. */
#define ZECPU_FORMAT_SOURCE 3

/* The pNext structure of a ze_event_pool_desc_t for counter-based events. */
struct zecpu_counter_pool_desc {
	int stype;
	const void *pNext;
	uint32_t flags;
};

enum zecpu_object {
	ZECPU_CONTEXTS,
	ZECPU_MEMORY, /* allocated, imported, or opened from another process */
	ZECPU_POOLS,
	ZECPU_EVENTS,
	ZECPU_QUEUES,
	ZECPU_LISTS,
	ZECPU_FENCES,
	ZECPU_MODULES,
	ZECPU_KERNELS,
	ZECPU_LOGS,
	ZECPU_N_OBJECTS
};

struct zecpu_control {
	/* The number of misuses. */
	uint64_t (*violations)(void);
	/* The text of misuse @n, from 0.  NULL: there is none, or it is not
	   among the first 64, which are kept. */
	const char *(*violation)(uint64_t n);
	void (*forget_violations)(void);

	/* How often an entry, such as "zeMemFree", was called; NULL: all
	   entries together. */
	uint64_t (*calls)(const char *entry);
	void (*forget_calls)(void);
	/* Let the @n-th call (from 1) of @entry from now on do nothing and
	   return @result; @n 0: none.  @entry NULL stands for all entries that
	   do not free or destroy.  With ZE_RESULT_ERROR_DEVICE_LOST, the
	   devices are lost, too.  Returns false for an unknown name. */
	bool (*fail)(const char *entry, uint64_t n, int result);
	/* The entry that fail() has made to fail, or NULL. */
	const char *(*failed)(void);

	/* Set a knob by its name without ZECPU_, such as "REVERSE"; this
	   overrides the environment.  Knobs marked * in README.md cannot change
	   after the process has started the driver.  Returns false for an
	   unknown name. */
	bool (*set)(const char *knob, int64_t value);
	int64_t (*get)(const char *knob);

	/* While on, keep commands from starting. */
	void (*hold)(bool on);
	/* While held, let @n more commands start, one after the other.  Waits
	   until they are over or no command can start.  Returns how many have
	   run. */
	uint64_t (*step)(uint64_t n);
	/* Commands that were submitted and are not over. */
	uint64_t (*pending)(void);
	/* Commands that are over. */
	uint64_t (*executed)(void);
	/* Lose the device of this number, with all that runs on it. */
	void (*lose)(unsigned device);

	/* Objects that were made and not destroyed. */
	int64_t (*live)(enum zecpu_object kind);
	/* How many immediate lists were made with this
	   ze_command_queue_priority_t. */
	uint64_t (*lists)(int priority);
	/* How many modules were compiled, rather than found in the cache. */
	uint64_t (*compiled)(void);
	/* How often zeModuleCreate was called with this ze_module_format_t. */
	uint64_t (*modules)(int format);
	/* Copy the pBuildFlags of the last zeModuleCreate to @out, "" if there
	   were none.  Returns their length.  The driver ignores them. */
	size_t (*build_flags)(char *out, size_t size);
	/* Why kernels cannot be built on this machine; NULL: they can. */
	const char *(*unable)(void);
};

typedef const struct zecpu_control *(*zecpu_control_function)(void);

#endif
