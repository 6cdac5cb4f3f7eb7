/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
/*
 * mock.h - how tests configure and control the mock backend.
 *
 * The mock is a backend without a driver: memory by malloc, kernels by name,
 * queues with a thread each.  It is built three times: libdpr-mock.so is
 * backend "mock"; libdpr-mock2.so is the same as backend "mock2", for work
 * across backends; libdpr-mock_bare.so is backend "mock_bare", whose tables
 * have only the required entries.  The rank of mock_bare is PORTABLE, that of
 * the others NATIVE.
 *
 * Static configuration, DPR_OPTION_<PLUGIN>_<KEY>, read at open:
 *
 *	DRIVER=0		open answers NO_DRIVER
 *	DEVICES=n		root devices (1); 0: open answers NO_DEVICE
 *	TYPE=cpu|gpu|accelerator|custom		of all devices (gpu)
 *	UNITS=n			compute units of a root device (4)
 *	UNIT=n			compute units of a part are multiples of this
 *				(unset: not reported, any number)
 *	GROUPS=a,b,c		most work-groups of a launch (not reported)
 *	DOMAINS=n		NUMA domains of a root device (2); 0: none
 *	KINDS=device,host,shared,import		the kinds of memory that exist (all)
 *	MISALIGN=bytes		how far addresses are from an aligned one (0)
 *	HOST_MEMORY=1		the host may use DEVICE allocations, too (0)
 *	COPY_THREADS=n		how many threads share a copy (1)
 *	ADDRESSES=0		memory has no addresses
 *	MEMORY=bytes		device memory (1 GiB), enforced per device
 *	MAX_ALLOC=bytes		largest allocation (half of MEMORY)
 *	OFFSET_ALIGN=n		alignment of a kernel argument's offset (1)
 *	PROFILING=0, OUT_OF_ORDER=0, FP16=0, FP64=0	features that are missing
 *	NOTIFY=0		event->notify answers UNSUPPORTED
 *	OPTIONAL=0		fill and prefetch answer NO_PATH; partition, peer
 *				and clocks UNSUPPORTED
 *	DEPS=0			dependencies on another queue answer CANNOT_WAIT
 *	PAGEABLE=0		write and read accept only host memory that was
 *				allocated as HOST or SHARED, or imported; else they
 *				answer HOST_MEMORY
 *	PEER=bits		device->peer of two root devices (1, COPY)
 *	LAZY=1			commands start only after flush, finish, a wait for
 *				them, or when another queue depends on them
 *	HASTY=1			a command fails as soon as a dependency fails,
 *				before its turn
 *	OVERLAP=1		out-of-order queues run two commands at a time
 *	CUT=key			the answer for that key of info.h is cut short:
 *				half of a number, a text without its NUL
 *	DLPACK=type		DLPack's device type of HOST and SHARED memory; its
 *				id is the device's index; 0: not reported.  With
 *				HOST_MEMORY=1 also of DEVICE memory
 *	LATE=1			kernels may be compiled when they are launched
 *	SIZES=1			kernel parameters are reported with sizes only
 *	WAITS=1			mem->free, module->destroy and kernel_destroy wait
 *				until nothing runs: memory for its device, the
 *				others for the whole instance
 *	FORMATS=a,b		formats, best first (native-<this>,opencl-c,mock)
 *	TARGETS=a,b		BINARY_TARGET of device 0, 1 (not reported)
 *	IPC=fd|name		memory can go to another process, by a file
 *				descriptor or by a name (unset: it cannot)
 *	BUILD=bits		the DPRP_BUILD_* that have an effect (3)
 *	SINGLE_FP=bits		the device's SINGLE_FP_CONFIG; unset: not reported
 *	UUID=32 hex digits	of device 0; device n has n added to the last
 *				byte; unset: none
 *	PCI=domain:bus:device.function	of device 0; n is added to the bus
 *
 * The native handle of a queue is the queue itself.  Wrapping it gives a second
 * handle of the same queue; each handle must be destroyed.
 *
 * DEVICE memory has an address that the host cannot touch.  Reading or writing
 * there faults.  So code that uses DEVICE memory as host memory crashes.  The
 * device's clock is MOCK_CLOCK_OFFSET nanoseconds ahead of CLOCK_MONOTONIC.
 *
 * DEVICE memory has an address that the host cannot touch.  Reading or writing
 * there faults.  So code that uses DEVICE memory as host memory crashes.  The
 * device's clock is MOCK_CLOCK_OFFSET nanoseconds ahead of CLOCK_MONOTONIC.
 *
 * Formats: "mock" is a text of kernel names.  "spirv" (if FORMATS lists it) is
 * a module whose strings include such names.  These two have specialization
 * constants, and other formats refuse them.  "opencl-c" is searched for "kernel
 * void NAME(" with known names; "#error text" gives a build error with this
 * text.  "<plugin>-binary" is the output of module->binary.  A module in the
 * native format of this machine runs on the CPU.  Kernels:
 *
 *	add_one(int *x, ulong n)	x[i] += 1
 *	axpy(float a, float *x, float *y, ulong n)	y[i] += a * x[i]
 *	copy(int *to, int *from, ulong n)
 *	fail()				the command fails with NATIVE, -42
 *	fill_index(int *x, ulong n)	x[i] = i
 *	local_sum(int *out, int *x, local int *tmp, ulong n)	out[0] = sum
 *	sleep_ms(uint ms)
 *	sleep_on(int *x, uint ms)	touches nothing
 *	store(int *x, struct { long index; int value, pad; } s)
 *					x[s.index] = s.value
 *
 * A device that lists only "mock" also takes files with the array kernels of
 * mock_arrays.c.  "dpr kernels --list" prints their names and parameters.
 *
 * A work-group has 65536 bytes of local memory, of which each kernel itself
 * uses MOCK_LOCAL_SIZE.
 *
 * Dynamic control.  Each plugin file has one table of functions per process,
 * for all its instances.  It can be used before the first instance is open:
 *
 *	void *file = dlopen(path of libdpr-mock.so, RTLD_NOW);
 *	dprp_entry_fn entry = dlsym(file, DPRP_ENTRY_SYMBOL);
 *	const struct mock_control *mock = entry(0)->extension(NULL,
 *		MOCK_CONTROL, 1);
 *
 * mock_control_open() in mock_control.h does that.  All functions may be called
 * from any thread.
 */
#ifndef TESTS_MOCK_H
#define TESTS_MOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/backend.h>

/* Check defines fail as a macro; here it is a member of the table. */
#undef fail

#define MOCK_CONTROL "dpr.test.mock"
#define MOCK_LOCAL_SIZE UINT64_C(1024)
/* The advice in the plugin's descriptor; mock_bare has none. */
#define MOCK_NO_DRIVER "set the option DRIVER to 1"
#define MOCK_NO_DEVICE "set the option DEVICES to 1 or more"
/* For fail(), as the driver's code: do not call set_error(). */
#define MOCK_SILENT INT64_MIN
#define MOCK_NOTHING 1 /* for fail(): return OK, but do and make nothing */
#define MOCK_CLOCK_OFFSET UINT64_C(1000000000000)

/* The entries whose calls are counted and can be made to fail. */
#define MOCK_ENTRIES(X) \
	X(open) X(close) \
	X(device_count) X(device_get) X(device_info) X(device_partition) \
	X(device_peer) X(device_clocks) \
	X(context_create) X(context_destroy) \
	X(queue_create) X(queue_destroy) X(queue_flush) X(queue_finish) \
	X(queue_barrier) X(queue_write) X(queue_read) X(queue_copy) \
	X(queue_launch) X(queue_fill) X(queue_prefetch) X(queue_advise) \
	X(event_status) X(event_wait) X(event_destroy) X(event_notify) \
	X(mem_alloc) X(mem_free) X(mem_info) X(mem_ipc_export) X(mem_ipc_import) \
	X(module_pick) X(module_create) X(module_destroy) X(module_binary) \
	X(module_kernel) X(module_kernel_destroy) X(module_kernel_info) \
	X(native_get) X(native_wrap)
/* clang-format on */

enum mock_entry {
#define MOCK__X(name) MOCK_##name,
	MOCK_ENTRIES(MOCK__X)
#undef MOCK__X
		MOCK_N_ENTRIES
};

/* Kinds of handles. */
enum mock_object {
	MOCK_INSTANCE,
	MOCK_CONTEXT,
	MOCK_QUEUE,
	MOCK_EVENT,
	MOCK_MEM,
	MOCK_MODULE,
	MOCK_KERNEL,
	MOCK_N_OBJECTS
};

/* A command that has run.  Records are in the order in which commands ran. */
struct mock_record {
	uint64_t queue;   /* queues count from 1 in the order of creation */
	uint64_t number;  /* the command's number on its queue, from 1 */
	const char *what; /* "write", "barrier", or the kernel's name */
	dprp_rc rc;
};

#define MOCK_MAX_SPEC 4

/* A call of module->create, even one that failed. */
struct mock_create {
	char format[32];   /* the format of its first image */
	bool has_options;  /* the options are not NULL */
	char options[200]; /* cut off if they are longer */
	uint64_t flags;
	uint32_t n_spec;
	struct {
		uint32_t id, size;
		uint64_t value; /* the constant's bytes, followed by zeros */
	} spec[MOCK_MAX_SPEC];  /* the first MOCK_MAX_SPEC */
};

/* Wrong answers that lie() can order. */
enum mock_lie {
	MOCK_LIE_STATE, /* event->status: this state, if the event is over */
	MOCK_LIE_CODE,  /* event->status: this code, if the event has failed */
	MOCK_LIE_TIMES, /* event->status: an end this many ns before the start
			 */
	MOCK_LIE_ADDRESS, /* mem->info: the address is NULL */
	MOCK_LIE_FLAGS,   /* native_wrap: these flags of a queue */
	MOCK_LIE_PARAMS,  /* kernel_info: that many bytes more of PARAMS */
	MOCK_LIE_BUILD,   /* module->create: no image builds; the log says so */
	MOCK_N_LIES
};

struct mock_control {
	size_t struct_size;

	/* Reset all that is below: no faults, nothing held or delayed, counts
	   and history empty.  Commands that would never complete are freed. */
	void (*reset)(void);

	/* The number of calls of @entry since the last reset. */
	uint64_t (*calls)(enum mock_entry entry);
	/* Let calls @nth (1: the next one) to @nth + @times - 1 of @entry fail
	   with @rc and the driver's code @native before they do anything.
	   Entries without a status cannot fail. */
	void (*fail)(enum mock_entry entry, uint64_t nth, uint64_t times,
		     dprp_rc rc, int64_t native);
	/* Let the @nth command that is enqueued from now on fail when it
	   runs; its work is not done. */
	void (*fail_command)(uint64_t nth, dprp_rc rc, int64_t native);
	/* Let it never complete instead; reset() and close end it. */
	void (*stall_command)(uint64_t nth);
	/* Let commands that are enqueued from now on start at least @ns
	   later. */
	void (*delay)(uint64_t ns);
	/* While on, no command starts. */
	void (*hold)(int on);
	/* Let @n commands start while hold() is on. */
	void (*step)(uint64_t n);
	/* While on, an out-of-order queue starts the last of the commands that
	   are ready. */
	void (*reorder)(int on);
	/* Lose root device @index in all instances: all pending and later work
	   on it fails.  Only a new instance has the device again. */
	void (*lose)(uint32_t index);

	/* Commands that are enqueued and not complete. */
	uint64_t (*pending)(void);
	/* Handles of a kind that are not destroyed yet. */
	uint64_t (*live)(enum mock_object what);
	/* Bytes of memory that are not freed yet. */
	uint64_t (*bytes)(void);
	/* Get up to @capacity records of the commands that have run since the
	   last reset.  Returns the number of all of them.  Only the first 4096
	   are kept. */
	uint64_t (*history)(struct mock_record *out, size_t capacity);

	/* Let every read, when it runs, wait until a write runs at the same
	   time, and every write until a read does; for @ns at most. */
	void (*meet)(uint64_t ns);
	/* How many reads have begun while a write was running on any queue, and
	   writes while a read was, since the last reset. */
	uint64_t (*met)(void);
	/* Let each call of @entry take @ns before it does anything. */
	void (*slow)(enum mock_entry entry, uint64_t ns);
	/* Answer @value in place of @what; 0: answer the truth. */
	void (*lie)(enum mock_lie what, uint64_t value);
	/* Get the last call of module->create since the last reset.  Returns
	   false if there was none. */
	bool (*created)(struct mock_create *out);
	/* While on, calls of @entry wait before they do anything. */
	void (*block)(enum mock_entry entry, int on);
	/* How many calls wait because of block(). */
	uint64_t (*blocked)(void);
	/* How often, since the last reset, a thread that has called
	   event->notify has called an entry that may wait.  It submits held
	   work, and must not wait. */
	uint64_t (*misplaced)(void);
	/* How often write and read have refused host memory because of
	   PAGEABLE=0, since the last reset. */
	uint64_t (*refused)(void);
	/* How often, since the last reset, the core freed imported memory while
	   a command was using it. */
	uint64_t (*violations)(void);
};

#endif
