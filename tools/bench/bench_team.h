/* SPDX-License-Identifier: Apache-2.0 */
/* bench_team.h - a team of threads that each do a part of a job. */
#ifndef TOOLS_BENCH_TEAM_H
#define TOOLS_BENCH_TEAM_H

#include <stddef.h>

#include "tools/shared/message.h"

struct bench_team;

/* Make a team of @threads, the caller included.  NULL with a message. */
struct bench_team *bench_team_new(unsigned threads, struct message *message);

/* End the threads.  @team may be NULL. */
void bench_team_free(struct bench_team *team);

/* The number of threads, the caller included. */
size_t bench_team_size(const struct bench_team *team);

/* A function that does part @part of the @parts parts of a job. */
typedef void (*bench_team_job)(void *state, size_t part, size_t parts);

/* Run a job; every thread does a part.  Returns when all are done. */
void bench_team_run(struct bench_team *team, bench_team_job job, void *state);

#endif
