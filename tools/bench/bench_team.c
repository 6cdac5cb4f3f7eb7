/* SPDX-License-Identifier: Apache-2.0 */
/* bench_team.c - threads that each do a part of a job. */
#include "tools/bench/bench_team.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct member {
	struct bench_team *team;
	size_t part;
	pthread_t thread;
};

struct bench_team {
	pthread_mutex_t lock; /* guards all members below */
	pthread_cond_t begin, end;
	bench_team_job job;
	void *state;
	unsigned long generation;
	size_t pending;
	bool ending;
	size_t n; /* including the caller */
	struct member *members;
};

static void *team_main(void *arg)
{
	struct member *me = arg;
	struct bench_team *team = me->team;
	unsigned long seen = 0;

	pthread_mutex_lock(&team->lock);
	for (;;) {
		while (team->generation == seen && !team->ending)
			pthread_cond_wait(&team->begin, &team->lock);
		if (team->ending)
			break;
		seen = team->generation;
		pthread_mutex_unlock(&team->lock);
		team->job(team->state, me->part, team->n);
		pthread_mutex_lock(&team->lock);
		if (--team->pending == 0)
			pthread_cond_signal(&team->end);
	}
	pthread_mutex_unlock(&team->lock);
	return NULL;
}

size_t bench_team_size(const struct bench_team *team)
{
	return team->n;
}

void bench_team_run(struct bench_team *team, bench_team_job job, void *state)
{
	pthread_mutex_lock(&team->lock);
	team->job = job;
	team->state = state;
	team->pending = team->n - 1;
	team->generation++;
	pthread_cond_broadcast(&team->begin);
	pthread_mutex_unlock(&team->lock);
	job(state, 0, team->n);
	pthread_mutex_lock(&team->lock);
	while (team->pending)
		pthread_cond_wait(&team->end, &team->lock);
	pthread_mutex_unlock(&team->lock);
}

struct bench_team *bench_team_new(unsigned threads, struct message *message)
{
	struct bench_team *team = calloc(1, sizeof(*team));

	if (team)
		team->members = calloc(threads, sizeof(*team->members));
	if (!team || !team->members) {
		free(team);
		message_record(message, "no memory for threads");
		return NULL;
	}
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->begin, NULL);
	pthread_cond_init(&team->end, NULL);
	for (team->n = 1; team->n < threads; team->n++) {
		struct member *m = &team->members[team->n];

		m->team = team;
		m->part = team->n;
		if (pthread_create(&m->thread, NULL, team_main, m)) {
			message_record(message, "cannot start a thread");
			bench_team_free(team);
			return NULL;
		}
	}
	return team;
}

void bench_team_free(struct bench_team *team)
{
	if (!team)
		return;
	pthread_mutex_lock(&team->lock);
	team->ending = true;
	pthread_cond_broadcast(&team->begin);
	pthread_mutex_unlock(&team->lock);
	for (size_t i = 1; i < team->n; i++)
		pthread_join(team->members[i].thread, NULL);
	pthread_mutex_destroy(&team->lock);
	pthread_cond_destroy(&team->begin);
	pthread_cond_destroy(&team->end);
	free(team->members);
	free(team);
}
