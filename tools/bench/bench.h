/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.h - what the parts of "dpr bench" share: the device under test, the two
 * sides of a row, and how they are timed.
 */
#ifndef TOOLS_BENCH_H
#define TOOLS_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include <dpr/dpr.h>

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

/* What a row on strided host memory copies; NULL: it is no such row. */
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
	const struct bench_layout *layout; /* of the row that is opened */
};

enum bench_unit { BENCH_GBPS, BENCH_MS, BENCH_US, BENCH_NS };

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

/* Makes a side; false with a message after an error. */
typedef bool (*bench_open)(struct bench *bench, struct bench_side *side,
			   struct message *message);

/* What a row should reach: on every device, or on a CPU through OpenCL. */
enum bench_goal {
	BENCH_NO_GOAL,
	BENCH_RATIO_AT_LEAST,
	BENCH_RATIO_AT_MOST,
	BENCH_VALUE_AT_MOST
};

struct bench_row {
	const char *name, *text;
	enum bench_unit unit;
	enum bench_goal goal;
	double limit;
	bool everywhere; /* the goal */
	bench_open ours;
	/* Floors: by the driver, by the CPU; NULL: none. */
	bench_open driver, cpu;
	const struct bench_layout *layout;
};

extern const struct bench_row bench_rows[];
extern const size_t bench_n_rows;

/* --- bench_measure.c ------------------------------------------------------ */

/* Medians and quartiles of a side, in the row's unit. */
struct bench_spread {
	double median, low, high;
};

struct bench_figures {
	struct bench_spread value, floor;
	double ratio; /* the median of the pairs' ratios */
	int rounds;
};

/* Seconds of CLOCK_MONOTONIC. */
double bench_now(void);

/* Warm both sides, check them, time them in turns.  @floor may have no run().
 */
bool bench_measure(const struct bench *bench, enum bench_unit unit,
		   const struct bench_side *ours,
		   const struct bench_side *floor, struct bench_figures *out,
		   struct message *message);

/* Set *@slot to the one of 0 ... @n - 1 with which @side's runs are fastest. */
bool bench_choose(const struct bench *bench, const struct bench_side *side,
		  int n, int *slot, struct message *message);

/* Say in @side that it does not exist. */
bool bench_none(struct bench_side *side, const char *why);
/* Be false with the library's words. */
bool bench_failed(struct message *message);

/* Element @i of the first and of the second operand: exact in float32, and so
   are their sums. */
static inline float bench_x(size_t i)
{
	return (float)(i % 1021);
}

static inline float bench_y(size_t i)
{
	return (float)(i % 509) * 0.25f;
}

/* Host memory with these elements; NULL with a message. */
float *bench_values(size_t n, float (*value)(size_t), struct message *message);
/* Whether x + y is right, or x + transposed y with @columns > 0. */
bool bench_check_add(const float *sum, size_t n, size_t columns,
		     const char *who, struct message *message);
/* Whether the sum of x is right. */
bool bench_check_sum(double sum, size_t n, const char *who,
		     struct message *message);

/* --- The floors on the CPU: bench_cpu.c ------------------------------------
 */

/* NULL with a message. */
struct bench_team *bench_team_new(unsigned threads, struct message *message);
void bench_team_free(struct bench_team *team);
/* Part @part of @parts of a job. */
typedef void (*bench_job)(void *state, size_t part, size_t parts);
/* Every thread does a part. */
void bench_team_run(struct bench_team *team, bench_job job, void *state);
/* Every thread copies a part. */
void bench_team_copy(struct bench_team *team, void *to, const void *from,
		     size_t size);

bool cpu_add(struct bench *bench, struct bench_side *side,
	     struct message *message);
bool cpu_sum(struct bench *bench, struct bench_side *side,
	     struct message *message);
bool cpu_copy(struct bench *bench, struct bench_side *side,
	      struct message *message);
bool cpu_device_copy(struct bench *bench, struct bench_side *side,
		     struct message *message);
bool cpu_transfer(struct bench *bench, struct bench_side *side,
		  struct message *message);
bool cpu_alloc(struct bench *bench, struct bench_side *side,
	       struct message *message);

/* --- Strided memory: bench_strided.c --------------------------------------
 */

bool floor_strided(struct bench *bench, struct bench_side *side,
		   struct message *message);
bool ours_strided(struct bench *bench, struct bench_side *side,
		  struct message *message);

/* --- Ours: bench_arrays.c, bench_calls.c, bench_copies.c, bench_start.c -----
 */

bool ours_add(struct bench *bench, struct bench_side *side,
	      struct message *message);
bool ours_add_new(struct bench *bench, struct bench_side *side,
		  struct message *message);
bool ours_add_transposed(struct bench *bench, struct bench_side *side,
			 struct message *message);
bool ours_sum(struct bench *bench, struct bench_side *side,
	      struct message *message);
bool ours_small_add(struct bench *bench, struct bench_side *side,
		    struct message *message);
bool ours_launch_wait(struct bench *bench, struct bench_side *side,
		      struct message *message);
bool ours_event_wait(struct bench *bench, struct bench_side *side,
		     struct message *message);
bool ours_kernel(struct bench *bench, struct bench_side *side,
		 struct message *message);
bool ours_queue_by_device(struct bench *bench, struct bench_side *side,
			  struct message *message);
bool ours_queue_by_selector(struct bench *bench, struct bench_side *side,
			    struct message *message);
bool ours_alloc(struct bench *bench, struct bench_side *side,
		struct message *message);
bool ours_write(struct bench *bench, struct bench_side *side,
		struct message *message);
bool ours_read(struct bench *bench, struct bench_side *side,
	       struct message *message);
bool ours_device_copy(struct bench *bench, struct bench_side *side,
		      struct message *message);
bool ours_transfer(struct bench *bench, struct bench_side *side,
		   struct message *message);
bool ours_start(struct bench *bench, struct bench_side *side,
		struct message *message);
bool driver_start(struct bench *bench, struct bench_side *side,
		  struct message *message);
/* Copy the environment for the children of the row "start", before a driver is
   opened: ocl-icd cuts OCL_ICD_FILENAMES at its first colon.  False: no
   memory. */
bool bench_start_prepare(void);
/* What the children run; their exit status. */
int bench_start_ours(const char *selector, int fd);
int bench_start_driver(const char *place, int fd);

/* The kernel of the small rows, for users' launches and for the driver's. */
extern const char bench_small_source[];
enum { BENCH_SMALL = 16, BENCH_QUEUED = 1000 };

#endif
