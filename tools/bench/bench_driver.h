/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_driver.h - the interface between baselines and drivers.  Each driver
 * implements it once; bench_baselines.c has the baselines of all drivers.  A
 * function that is timed has its whole loop inside, so that no indirect call is
 * timed.
 */
#ifndef TOOLS_BENCH_DRIVER_H
#define TOOLS_BENCH_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/queue.h>
#include <dpr/usm.h>

#include "tools/shared/message.h"

/* The baselines. */
enum bench_baseline {
	BASELINE_NONE,
	BASELINE_SMALL_ADD, /* launches with the arguments of dpr's kernel */
	BASELINE_KERNEL,    /* launches of the user's kernel */
	BASELINE_LAUNCH,    /* submissions of an empty kernel */
	BASELINE_LAUNCH_WAIT,
	BASELINE_EVENT_WAIT,
	BASELINE_ALLOC,
	BASELINE_ALLOC_LARGE,
	BASELINE_SUM,
	BASELINE_COPY, /* within the device */
	BASELINE_WRITE,
	BASELINE_READ,
	BASELINE_TRANSFER,  /* to the device and back */
	BASELINE_TO_CPU,    /* a read of as many bytes as a transfer */
	BASELINE_TO_OPENCL, /* a write by the OpenCL driver */
	BASELINE_PEER,      /* to another device */
	BASELINES
};

/* Memory that a driver can use. */
struct bench_memory {
	bool is_host;  /* host memory; false: device memory */
	void *at;      /* for the driver: an address, or a buffer of OpenCL */
	dpr_usm *usm;  /* dpr's allocation; NULL: the driver has none of dpr */
	void *context; /* the context of another device's memory, or NULL */
	size_t size;
};

/* A copy between two memories, at least one of them on the device. */
struct bench_hop {
	const struct bench_memory *to, *from;
	size_t to_at, from_at, size;
};

/* The kernels. */
enum bench_kernel {
	KERNEL_DPR_ADD, /* out = x + y, with as many arguments as dpr's */
	KERNEL_ADD,     /* out = x + y */
	KERNEL_NOTHING, /* no arguments */
	KERNEL_SUM      /* out = the sum of x */
};

/* The work-items of a group. */
static inline unsigned bench_driver_group(enum bench_kernel kernel)
{
	return kernel == KERNEL_DPR_ADD || kernel == KERNEL_SUM ? 256 : 16;
}

/* A kernel, and what its launches have as arguments. */
struct bench_work {
	enum bench_kernel kernel;
	const struct bench_memory *x, *y, *out; /* y: NULL for a sum */
	int n;                                  /* elements */
	unsigned groups;                        /* work-groups */
};

struct bench_driver;

/* What a driver does.  Each function returns false with a message after a
   failure, and has waited for its work. */
struct bench_driver_calls {
	/* Allocate and free memory.  NULL: the driver takes memory of dpr. */
	bool (*new_memory)(struct bench_driver *driver,
			   struct bench_memory *memory,
			   struct message *message);
	void (*free_memory)(struct bench_driver *driver,
			    struct bench_memory *memory);
	/* Prepare launches of @work.  *@launch is for unload(), after a failure
	   too. */
	bool (*load)(struct bench_driver *driver, const struct bench_work *work,
		     void **launch, struct message *message);
	void (*unload)(void *launch);
	/* Launch @count times, each after the previous launch, and wait once.
	 *@seconds is the time of the submissions. */
	bool (*launch_many)(void *launch, int count, double *seconds,
			    struct message *message);
	/* Launch @count times, and wait after each launch. */
	bool (*launch_wait)(void *launch, int count, struct message *message);
	/* Record an event behind the queue's work, and wait for the event. */
	bool (*event_wait)(struct bench_driver *driver, int count,
			   struct message *message);
	/* Allocate @size bytes on the device and free them. */
	bool (*alloc)(struct bench_driver *driver, size_t size, int count,
		      struct message *message);
	/* Make the @n copies at @hops in order, @count times, and wait once. */
	bool (*copy)(struct bench_driver *driver, const struct bench_hop *hops,
		     size_t n, int count, struct message *message);
	void (*close)(struct bench_driver *driver);
};

/* The first member of each driver. */
struct bench_driver {
	const struct bench_driver_calls *calls;
	/* What each baseline is.  NULL: the driver has no such baseline. */
	const char *const *names;
	const char *no_events; /* why event_wait() cannot run; NULL: it can */
};

/* The most launches between two waits. */
enum { BENCH_DRIVER_QUEUED = 1000 };

/* Allocate @size bytes: host memory that the driver copies fast, or memory of
   @queue's device. */
bool bench_driver_alloc(struct bench_driver *driver, dpr_queue *queue,
			bool is_host, size_t size, struct bench_memory *out,
			struct message *message);
void bench_driver_free(struct bench_driver *driver,
		       struct bench_memory *memory);

/* Fill memory with the floats of @value. */
bool bench_driver_fill(struct bench_driver *driver,
		       const struct bench_memory *memory,
		       float (*value)(size_t), struct message *message);

/* Copy the first @size bytes of memory to @to. */
bool bench_driver_read(struct bench_driver *driver,
		       const struct bench_memory *memory, void *to, size_t size,
		       struct message *message);

#endif
