/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cumock.h - how a test controls the mock of NVIDIA's driver.
 *
 * The mock is a libcuda.so.1 whose device memory is memory of the host, and
 * whose streams are run by threads.  A test loads it before the plugin does;
 * the plugin's own dlopen("libcuda.so.1") then finds it loaded.  A shell test
 * sets LD_LIBRARY_PATH instead, and the variables below.
 *
 * It answers as the driver of an H200 does, and it is strict: every misuse by
 * the program is counted, with a text.  At the end of a test, cumock->misuse()
 * must be 0 and no object may be alive.
 *
 * Settings by environment variable, read when the library is loaded:
 *	DPR_TEST_CUDA_VERSION	of the driver, 13000
 *	DPR_TEST_CUDA_DEVICES	their number, 2
 *	DPR_TEST_CUDA_INIT	what cuInit returns, 0
 *	DPR_TEST_CUDA_MODE	compute mode of all devices: 0 shared, 2
 *				prohibited, 3 exclusive and taken
 *	DPR_TEST_CUDA_ORDER	enum cumock_order
 *	DPR_TEST_CUDA_IPC	1: other processes can open device memory
 */
#ifndef TESTS_CUDA_CUMOCK_H
#define TESTS_CUDA_CUMOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUMOCK_SYMBOL "cumock_control"
#define CUMOCK_DEVICES 8

/* Which operation of several streams runs first, if nothing orders them. */
enum cumock_order {
	CUMOCK_OLDEST,
	CUMOCK_NEWEST, /* the last submitted one */
	CUMOCK_RANDOM,
};

enum cumock_object {
	CUMOCK_RETAINS, /* retains of primary contexts */
	CUMOCK_STREAMS,
	CUMOCK_EVENTS,
	CUMOCK_MEMORY, /* allocated, or opened from another process */
	CUMOCK_LIBRARIES,
	CUMOCK_LINKS,
	CUMOCK_GREENS,
	CUMOCK_N_OBJECTS
};

struct cumock_device_settings {
	char name[64];
	unsigned char uuid[16];
	int pci_domain, pci_bus, pci_device;
	int major, minor; /* compute capability */
	int units;        /* multiprocessors */
	int mode;         /* CU_COMPUTEMODE_* */
	bool taken;       /* in exclusive mode, and used by another process */
	bool instance;    /* a MIG instance of a card: without a PCI address,
			     parts, peers, and memory for other processes */
	bool managed;     /* host and device may use managed memory at once */
	bool undescribed; /* queries about it fail */
	uint64_t memory;  /* in bytes; allocations beyond it fail */
	bool peers[CUMOCK_DEVICES]; /* the devices whose memory it can use */
};

/* Set these before cuInit. */
struct cumock_settings {
	int version;
	int version_error;   /* what cuDriverGetVersion returns */
	int init_error;      /* what cuInit returns */
	const char *missing; /* an entry that is not found; NULL: none */
	int n_devices;
	int order; /* enum cumock_order */
	unsigned seed;
	int workers; /* threads that run operations; by default 3 */
	int delay;   /* how long each operation submitted from now on sleeps
			before it runs, in microseconds; may be set at any time,
			atomically */
	bool ipc;
	bool spread; /* a fault on one device affects all devices */
	int drift; /* how much too fast the clock of events is, in millionths */
	struct cumock_device_settings devices[CUMOCK_DEVICES];
};

/* A wait of a call for work. */
struct cumock_wait {
	const char *entry;
	uint64_t thread; /* the thread's pthread_self() */
	bool device; /* it waited for the whole device, not for one stream */
};

/* The arguments of a kernel's function, which does the work of all work-groups
   in one call. */
struct cumock_run {
	unsigned grid[3], block[3], shared;
	int device;
	const unsigned char *params; /* in the kernel's own layout */
	size_t size;
	const char *name;
};

/* A kernel's function.  Returns 0, or the error with which the context fails
   from now on. */
typedef int (*cumock_function)(const struct cumock_run *run);

struct cumock {
	struct cumock_settings *settings;

	/* How often an entry was called; NULL: all entries together. */
	uint64_t (*calls)(const char *entry);
	void (*forget_calls)(void);
	/* Let the @n-th call (from 1) of @entry from now on return @code and do
	   nothing; n 0: none.  @entry NULL stands for all entries that do not
	   free something. */
	void (*fail)(const char *entry, uint64_t n, int code);
	/* The entry that fail() has made to fail, or NULL. */
	const char *(*failed)(void);

	/* The number of misuses so far.  @text gets the text of the first. */
	uint64_t (*misuse)(char *text, size_t size);
	void (*forget_misuse)(void);
	int64_t (*live)(enum cumock_object object);
	/* How many contexts are on the calling thread's stack. */
	size_t (*depth)(void);

	/* While on, keep all work from starting.  An event that is recorded on
	   a stream without work is over nevertheless. */
	void (*hold)(bool on);
	/* Operations that have not run yet. */
	uint64_t (*pending)(void);
	/* Get up to @max waits since the last call.  Returns how many there
	   were. */
	size_t (*waits)(struct cumock_wait *out, size_t max);

	/* Set the host's function for kernels of this name; NULL: for those of
	   all names that have none. */
	void (*kernel)(const char *name, cumock_function function);
	/* Let work on this device fail with @error from now on. */
	void (*lose)(int device, int error);
	/* Pretend that another library is capturing a graph.  While on, a call
	   that the driver refuses during a capture is a misuse, because it
	   breaks the graph. */
	void (*capture)(bool on);
	/* Pretend that this stream is captured; NULL: none is. */
	void (*capture_stream)(void *stream);
	/* Do what cuDevicePrimaryCtxReset() in the program does. */
	void (*reset_context)(int device);
	/* The number of kernels and host functions that have run. */
	uint64_t (*launched)(void);
	/* How many host functions were enqueued on this stream. */
	uint64_t (*host_functions)(void *stream);
	/* Assemble PTX to a cubin, to be freed; NULL: the PTX is wrong. */
	unsigned char *(*cubin)(const char *ptx, size_t *size);
	/* Whether @device may use the whole range. */
	bool (*reaches)(int device, const void *address, size_t size);
};

#endif
