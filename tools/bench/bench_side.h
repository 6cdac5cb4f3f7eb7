/* SPDX-License-Identifier: Apache-2.0 */
/* bench_side.h - the device under test, and the two sides of a row. */
#ifndef TOOLS_BENCH_SIDE_H
#define TOOLS_BENCH_SIDE_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/device.h>
#include <dpr/queue.h>

#include "tools/shared/message.h"

struct bench_cl;
struct bench_cuda;
struct bench_driver;
struct bench_team;
struct bench_ze;

/* How the elements of a row lie in host memory. */
enum bench_form {
	BENCH_STEP,     /* every other element */
	BENCH_REVERSED, /* from the last to the first */
	BENCH_TURNED,   /* a square matrix by columns */
	/* Host memory holds three vectors; the array has rows of three. */
	BENCH_INTERLEAVE,
	/* Host memory holds rows of three; the array has three vectors. */
	BENCH_DEINTERLEAVE,
	BENCH_SPREAD /* many axes of extent 2, every other one with stride 0 */
};

/* What a row of the table copies between an array and strided host memory. */
struct bench_layout {
	enum bench_form form;
	size_t item;  /* bytes of an element */
	bool reading; /* from the array into host memory; false: into the array
		       */
};

/* A device under test, and how to test it. */
struct bench {
	dpr_device *device;
	dpr_queue *queue; /* its canonical queue */
	bool is_cpu;
	bool quick;
	size_t bytes; /* of one operand of a large row */
	size_t transfer_bytes;
	int rounds;
	/* Calls of a large row per run, with one wait for them all.  On a GPU,
	   a wait after every call would distort the time. */
	int batch;
	unsigned threads;            /* threads of the baselines on the CPU */
	struct bench_cl *cl;         /* its OpenCL driver, or NULL */
	struct bench_cuda *cuda;     /* NVIDIA's driver, or NULL */
	struct bench_ze *ze;         /* its Level Zero driver, or NULL */
	struct bench_driver *driver; /* the driver above, or NULL */
	struct bench_team *team;
	const struct bench_layout *layout; /* the row's; NULL: it has none */
};

/*
 * One side of a row: ours, or the baseline.  A run is timed from its call to
 * its return, by which time everything it submitted is done.  If took() is set,
 * it returns the seconds that count for the last run instead.  check() checks
 * the results of the runs.  run() and check() set the message if they fail.  A
 * side without run() does not exist on this device; its name says why not.
 */
struct bench_side {
	char name[64]; /* the baseline's kernel or call */
	double work;   /* per run: bytes of memory, or operations */
	void *state;
	bool (*run)(void *state, struct message *message);
	double (*took)(void *state);
	bool (*check)(void *state, struct message *message);
	void (*close)(void *state);
};

/* Opens a side of a row.  Returns false and sets the message after an error. */
typedef bool (*bench_open)(struct bench *bench, struct bench_side *side,
			   struct message *message);

/* Record that @side does not exist on this device, and why.  Returns true. */
bool bench_side_none(struct bench_side *side, const char *why);

/* Close a side, if it was opened. */
void bench_side_close(struct bench_side *side);

/* Whether one of the comma-separated @patterns, which may have wildcards,
   matches @name.  NULL matches every name. */
bool bench_side_wants(const char *patterns, const char *name);

/* Set the message to the library's last error.  Returns false. */
bool bench_side_failed(struct message *message);

#endif
