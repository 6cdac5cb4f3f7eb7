/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_team.c - threads that share work.
 *
 * Work is cut into pieces, and every member gets a share of consecutive pieces.
 * A member that has finished its share takes pieces of the others.  So the work
 * does not wait for a thread that has not woken up yet, or whose CPU is busy:
 * the member that started the work waits only for members that have begun.
 */
#include "host.h"

static void team_work(struct host_team *team, host_piece run, void *context,
		      uint32_t member)
{
	struct host_share *share;
	uint64_t piece;
	uint32_t i;

	for (i = 0; i < team->n; i++) {
		share = &team->shares[(member + i) % team->n];
		while ((piece = atomic_fetch_add_explicit(
				&share->next, 1, memory_order_relaxed)) <
		       share->end)
			run(context, member, piece);
	}
}

struct member {
	struct host_team *team;
	uint32_t number;
};

static void *team_thread(void *arg)
{
	struct member *self = arg;
	struct host_team *team = self->team;
	uint32_t number = self->number;
	unsigned seen = 0;
	void *context;
	host_piece run;

	dprh_free(&team->instance->host, self);
	pthread_mutex_lock(&team->lock);
	for (;;) {
		while (!team->stop && (!team->run || team->generation == seen))
			pthread_cond_wait(&team->wake, &team->lock);
		if (team->stop)
			break;
		seen = team->generation;
		run = team->run;
		context = team->context;
		team->inside++;
		pthread_mutex_unlock(&team->lock);

		team_work(team, run, context, number);

		pthread_mutex_lock(&team->lock);
		if (--team->inside == 0)
			pthread_cond_signal(&team->idle);
		pthread_mutex_unlock(&team->lock);
		/* More work often follows soon: spin before sleeping. */
		host_util_spin(&team->generation, seen, false);
		pthread_mutex_lock(&team->lock);
	}
	pthread_mutex_unlock(&team->lock);
	return NULL;
}

static void team_alone(uint64_t pieces, host_piece run, void *context)
{
	uint64_t piece;

	for (piece = 0; piece < pieces; piece++)
		run(context, 0, piece);
}

/* Wake no more members than there are pieces for.  To wake a member may take
   longer than a piece.  Members that are awake take part anyway. */
static void wake_members(struct host_team *team, uint64_t pieces)
{
	if (pieces >= team->n) {
		pthread_cond_broadcast(&team->wake);
		return;
	}
	for (uint64_t i = 1; i < pieces; i++)
		pthread_cond_signal(&team->wake);
}

void host_team_run(struct host_team *team, uint64_t pieces, host_piece run,
		   void *context)
{
	uint64_t each = pieces / team->n, rest = pieces % team->n, first = 0;
	uint32_t i;

	if (team->n == 1 || pieces <= 1) {
		team_alone(pieces, run, context);
		return;
	}
	pthread_mutex_lock(&team->use);
	for (i = 0; i < team->n; i++) {
		atomic_init(&team->shares[i].next, first);
		first += each + (i < rest);
		team->shares[i].end = first;
	}
	pthread_mutex_lock(&team->lock);
	team->run = run;
	team->context = context;
	team->generation++;
	wake_members(team, pieces);
	pthread_mutex_unlock(&team->lock);

	team_work(team, run, context, 0);

	host_util_spin(&team->inside, 0, true);
	pthread_mutex_lock(&team->lock);
	/* No further member can begin now; wait for those that have begun. */
	team->run = NULL;
	while (team->inside)
		pthread_cond_wait(&team->idle, &team->lock);
	pthread_mutex_unlock(&team->lock);
	pthread_mutex_unlock(&team->use);
}

static dprp_rc team_start(struct host_team *team, const struct host_cpus *cpus)
{
	struct member *member;
	int error;

	for (; team->started < team->n - 1; team->started++) {
		member = host_util_alloc(team->instance, sizeof(*member));
		if (!member)
			return DPR_RC_OOM_HOST;
		member->team = team;
		member->number = team->started + 1;
		error = host_util_thread(&team->threads[team->started],
					 team_thread, member);
		if (error) {
			dprh_free(&team->instance->host, member);
			return dprh_fail(
				&team->instance->host, DPR_RC_OOM_HOST, 0,
				"host: thread %u of %u cannot be started (%d); "
				"DPR_OPTION_HOST_THREADS can ask for fewer",
				team->started + 1, team->n - 1, error);
		}
		host_cpu_bind(team->instance, team->threads[team->started],
			      cpus);
	}
	return DPR_RC_OK;
}

dprp_rc host_team_create(dprp_instance *instance, const struct host_cpus *cpus,
			 uint32_t members, struct host_team **out)
{
	struct host_team *team = host_util_alloc(instance, sizeof(*team));
	dprp_rc rc = DPR_RC_OOM_HOST;
	size_t shares;

	*out = NULL;
	if (!team)
		return rc;
	team->instance = instance;
	team->n = members;
	pthread_mutex_init(&team->use, NULL);
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->wake, NULL);
	pthread_cond_init(&team->idle, NULL);
	team->threads =
		host_util_alloc(instance, members * sizeof(*team->threads));
	shares = members * sizeof(*team->shares) + HOST_CACHE_LINE;
	team->shares_block = host_util_alloc(instance, shares);
	if (!team->threads || !team->shares_block)
		goto err;
	team->shares = (struct host_share *)(((uintptr_t)team->shares_block +
					      HOST_CACHE_LINE - 1) &
					     ~(uintptr_t)(HOST_CACHE_LINE - 1));
	rc = team_start(team, cpus);
	if (rc)
		goto err;
	*out = team;
	return DPR_RC_OK;
err:
	host_team_destroy(team);
	return rc;
}

void host_team_destroy(struct host_team *team)
{
	uint32_t i;

	if (!team)
		return;
	pthread_mutex_lock(&team->lock);
	team->stop = true;
	team->generation++;
	pthread_cond_broadcast(&team->wake);
	pthread_mutex_unlock(&team->lock);
	for (i = 0; i < team->started; i++)
		pthread_join(team->threads[i], NULL);
	pthread_mutex_destroy(&team->use);
	pthread_mutex_destroy(&team->lock);
	pthread_cond_destroy(&team->wake);
	pthread_cond_destroy(&team->idle);
	dprh_free(&team->instance->host, team->threads);
	dprh_free(&team->instance->host, team->shares_block);
	dprh_free(&team->instance->host, team);
}
