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
struct bench_team;

/* How the elements of a row lie in host memory. */
enum bench_form {
	BENCH_STEP,         /* every other element */
	BENCH_REVERSED,     /* from the last to the first */
	BENCH_TURNED,       /* a square matrix by columns */
	BENCH_INTERLEAVE,   /* three vectors as rows of three */
	BENCH_DEINTERLEAVE, /* rows of three as three vectors */
	BENCH_SPREAD        /* many axes of 2, every other one of stride 0 */
};

/* What a row on strided host memory copies. */
struct bench_layout {
	enum bench_form form;
	size_t item;  /* bytes of an element */
	bool reading; /* the array into host memory, not from it */
};

/* A device under test, and how to test it. */
struct bench {
	dpr_device *device;
	dpr_queue *queue; /* its canonical queue */
	bool is_cpu;
	bool quick;
	size_t bytes; /* of an operand of the large rows */
	size_t transfer_bytes;
	int rounds;
	unsigned threads;    /* of the floors on the CPU */
	struct bench_cl *cl; /* its driver, if that is OpenCL; else NULL */
	struct bench_team *team;
	const struct bench_layout *layout; /* of the row that is opened; NULL if
					      it has none */
};

/*
 * One side of a row: ours, or the floor.  A run is timed from its call to its
 * return, by which time everything it submitted is done; took(), where it is
 * set, tells the seconds of the last run instead.  check() looks at what the
 * runs have left.  All fail with a message.  A side without run() does not
 * exist here, and its name says why.
 */
struct bench_side {
	char name[64]; /* what it is: a floor's kernel or call */
	double work;   /* of a run: bytes of memory, or operations */
	void *state;
	bool (*run)(void *state, struct message *message);
	double (*took)(void *state);
	bool (*check)(void *state, struct message *message);
	void (*close)(void *state);
};

/* Opens a side of a row.  False with a message after an error. */
typedef bool (*bench_open)(struct bench *bench, struct bench_side *side,
			   struct message *message);

/* Record in @side that it does not exist here, and why.  Returns true. */
bool bench_side_none(struct bench_side *side, const char *why);

/* Set the message to the library's last error.  Returns false. */
bool bench_side_failed(struct message *message);

#endif
