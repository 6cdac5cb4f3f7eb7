/* SPDX-License-Identifier: Apache-2.0 */
/* bench_start.h - the rows "start", "start-cold", "start-ten" and "devices",
   where each run is a new process. */
#ifndef TOOLS_BENCH_START_H
#define TOOLS_BENCH_START_H

#include "tools/bench/bench_side.h"

/* Each function opens a side of the row that it is named after; see
   bench_open. */
bool bench_start_ours(struct bench *bench, struct bench_side *side,
		      struct message *message);
bool bench_start_driver(struct bench *bench, struct bench_side *side,
			struct message *message);
bool bench_start_cold(struct bench *bench, struct bench_side *side,
		      struct message *message);
bool bench_start_driver_cold(struct bench *bench, struct bench_side *side,
			     struct message *message);
bool bench_start_ten(struct bench *bench, struct bench_side *side,
		     struct message *message);
bool bench_start_devices(struct bench *bench, struct bench_side *side,
			 struct message *message);

/* The process that each run of a side starts: this program again. */
struct bench_child {
	const char *words[3]; /* its arguments; NULL ends them early */
	const char *backend;  /* its DPR_BACKEND; NULL: as in this process */
	int input;            /* its standard input; -1: that of this process */
	/* The run ends when the process ends.  If false, it ends when the
	   process writes 'k', after a right result. */
	bool whole;
	/* After 'k' the process writes the seconds of the run as a double.  If
	   false, they are measured from the start of the process. */
	bool reports;
	/* Each run finds the caches of dpr and of the driver empty. */
	bool cold;
};

/* Open a side whose runs start @child.  Copies the words, and takes over
   @child->input. */
bool bench_start_open(const struct bench_child *child, struct bench_side *side,
		      struct message *message);

/* Copy the environment for the children.  Call this before any driver is
   opened: ocl-icd cuts OCL_ICD_FILENAMES off at its first colon.  False: no
   memory. */
bool bench_start_prepare(void);

/* The programs that the children run.  Each returns its exit status. */
int bench_start_child_ours(const char *selector, int fd);
int bench_start_child_ten(const char *selector, int fd);
int bench_start_child_driver(const char *place, int fd);

/* Finish a child's program: if @ok, write 'k' to @fd, else print the message.
   Returns its exit status. */
int bench_start_finish(bool ok, int fd, struct message *message);

/* The same of a child that reports @seconds. */
int bench_start_report(bool ok, double seconds, int fd,
		       struct message *message);

#endif
