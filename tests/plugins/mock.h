/* SPDX-License-Identifier: Apache-2.0 */
/* clang-format off */
/*
 * mock.h - how tests govern the mock backend.
 *
 * The mock is a backend without a driver: memory by malloc, kernels by name,
 * queues with a thread each.  It is built three times: libdpr-mock.so is
 * backend "mock"; libdpr-mock2.so is the same as backend "mock2", for work
 * across backends; libdpr-mock_bare.so is backend "mock_bare", of which the
 * tables have the required entries only, and whose rank is PORTABLE; the others
 * are NATIVE.
 *
 * Static configuration, DPR_OPTION_<PLUGIN>_<KEY>, read at open:
 *
 *	DRIVER=0		open answers NO_DRIVER
 *	DEVICES=n		root devices (1); 0: open answers NO_DEVICE
 *	TYPE=cpu|gpu|accelerator|custom		of all devices (gpu)
 *	UNITS=n			compute units of a root device (4)
 *	DOMAINS=n		NUMA domains of a root device (2); 0: none
 *	KINDS=device,host,shared,import		the kinds there are (all)
 *	MISALIGN=bytes		how far memory is past a proper address (0)
 *	HOST_MEMORY=1		the host may use DEVICE allocations, too (0)
 *	COPY_THREADS=n		how many threads share a copy (1)
 *	ADDRESSES=0		memory has no addresses
 *	MEMORY=bytes		device memory (1 GiB), enforced per device
 *	MAX_ALLOC=bytes		largest allocation (half of MEMORY)
 *	OFFSET_ALIGN=n		alignment of a kernel argument's offset (1)
 *	PROFILING=0, OUT_OF_ORDER=0, FP16=0, FP64=0	features left out
 *	NOTIFY=0		event->notify answers UNSUPPORTED
 *	OPTIONAL=0		fill and prefetch answer NO_PATH; partition, peer
 *				and clocks UNSUPPORTED
 *	DEPS=0			dependencies on another queue answer NO_PATH
 *	PEER=bits		device->peer of two root devices (1, COPY)
 *	LAZY=1			commands start only after flush, finish, a wait for
 *				them, or when another queue depends on them
 *	HASTY=1			a command fails as soon as a dependency has,
 *				before its turn
 *	OVERLAP=1		out-of-order queues run two commands at a time
 *	CUT=key			the answer of that key of info.h is cut: the
 *				half of a number, a text without its end
 *	LATE=1			kernels may be compiled when they are launched
 *	FORMATS=a,b		formats, best first (native-<this>,opencl-c,mock)
 *	UUID=32 hex digits	of device 0; device n has n added to the last
 *				byte; unset: none
 *	PCI=domain:bus:device.function	of device 0; n is added to the bus
 *
 * DEVICE memory has an address that the host cannot touch: reading or writing
 * there faults, so nobody may take it for host memory.  The device's clock is
 * MOCK_CLOCK_OFFSET nanoseconds ahead of CLOCK_MONOTONIC.
 *
 * Formats: "mock" is a text of kernel names; "opencl-c" is searched for
 * "kernel void NAME(" with known names, and "#error text" gives a build error
 * with that text; "<plugin>-binary" is what module->binary gives; the native
 * format of this machine runs as on a CPU.  Kernels:
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
 * A work-group has 65536 bytes of local memory, and each kernel takes
 * MOCK_LOCAL_SIZE of them for itself.
 *
 * Dynamic control.  Each file has one table for the whole process, the same for
 * all instances, also before the first one is open:
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

#include <stddef.h>
#include <stdint.h>

#include <dpr/backend.h>

/* Check has a macro of this name; here it is an entry of the table. */
#undef fail

#define MOCK_CONTROL "dpr.test.mock"
#define MOCK_LOCAL_SIZE UINT64_C(1024)
/* The advice of its descriptor, but for mock_bare, which has none. */
#define MOCK_NO_DRIVER "set the option DRIVER to 1"
#define MOCK_NO_DEVICE "set the option DEVICES to 1 or more"
#define MOCK_NOTHING 1 /* a code for fail(): OK, but nothing is done or made */
#define MOCK_CLOCK_OFFSET UINT64_C(1000000000000)

/* The entries that are counted and can fail. */
#define MOCK_ENTRIES(X) \
	X(open) X(close) \
	X(device_count) X(device_get) X(device_info) X(device_partition) \
	X(device_peer) X(device_clocks) \
	X(context_create) X(context_destroy) \
	X(queue_create) X(queue_destroy) X(queue_flush) X(queue_finish) \
	X(queue_barrier) X(queue_write) X(queue_read) X(queue_copy) \
	X(queue_launch) X(queue_fill) X(queue_prefetch) X(queue_advise) \
	X(event_status) X(event_wait) X(event_destroy) X(event_notify) \
	X(mem_alloc) X(mem_free) X(mem_info) \
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

/* What a handle is. */
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

/* A command that has run, in the order of running. */
struct mock_record {
	uint64_t queue;   /* queues count from 1 in the order of creation */
	uint64_t number;  /* of the command on its queue, from 1 */
	const char *what; /* "write", "barrier", or the kernel's name */
	dprp_rc rc;
};

/* What a plugin may say that is not so. */
enum mock_lie {
	MOCK_LIE_STATE,   /* event->status: the state of what is over */
	MOCK_LIE_CODE,    /* event->status: the code of what has failed */
	MOCK_LIE_TIMES,   /* event->status: how long the end is before the start
			   */
	MOCK_LIE_ADDRESS, /* mem->info: NULL is the address */
	MOCK_N_LIES
};

struct mock_control {
	size_t struct_size;

	/* Everything below back to its start: no faults, nothing held or
	   delayed, what would never complete is freed, counts and history
	   empty. */
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
	/* Let it never complete; reset and close end it. */
	void (*stall_command)(uint64_t nth);
	/* Commands enqueued from now on start @ns after that at the soonest. */
	void (*delay)(uint64_t ns);
	/* On: no command starts.  Off: all may. */
	void (*hold)(int on);
	/* While held: let @n commands start. */
	void (*step)(uint64_t n);
	/* Out-of-order queues start the last command that may. */
	void (*reorder)(int on);
	/* Lose root device @index of all instances: what is pending fails, and
	   every later call.  Only a new instance has it back. */
	void (*lose)(uint32_t index);

	/* Commands enqueued and not complete. */
	uint64_t (*pending)(void);
	/* Handles that are not destroyed yet. */
	uint64_t (*live)(enum mock_object what);
	/* Bytes of memory that are not freed yet. */
	uint64_t (*bytes)(void);
	/* What has run since the last reset: up to @capacity records, and the
	   number of all.  The first 4096 are kept. */
	uint64_t (*history)(struct mock_record *out, size_t capacity);

	/* Let every read and write, when it runs, wait until one of the other
	   direction runs at the same time, but for @ns at most. */
	void (*meet)(uint64_t ns);
	/* How many reads and writes have begun while one of the other
	   direction was running, on any queue, since the last reset. */
	uint64_t (*met)(void);
	/* Let each call of @entry take @ns before it does anything. */
	void (*slow)(enum mock_entry entry, uint64_t ns);
	/* Say @value there; 0: the truth. */
	void (*lie)(enum mock_lie what, uint64_t value);
};

#endif
