/* SPDX-License-Identifier: Apache-2.0 */
/*
 * help-team.h - for authors of backends whose device is this machine's CPU: a
 * team of threads that share work, the CPUs that the process may use, and how
 * a thread computes with floats.
 *
 * It is not a part of <dpr/backend-help.h>.  Everything here is inline, in C11
 * and C++, on Linux.  It needs _GNU_SOURCE: include it first, or compile with
 * -D_GNU_SOURCE.
 */
#ifndef DPR_HELP_TEAM_H
#define DPR_HELP_TEAM_H

/* For the calls that only Linux has. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dpr/help-native.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <fenv.h>
#endif

#ifndef CPU_ALLOC
#error "include <dpr/help-team.h> first, or compile with -D_GNU_SOURCE"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* --- CPUs of the process -------------------------------------------------- */

/* CPU numbers.  The list is freed by dprh_free(). */
struct dprh_cpus {
	uint32_t n; /* the number of CPUs */
	uint32_t *ids; /* their numbers */
};

/* Get the CPUs that the process may use.  n is 1 at least; if the system does
   not tell the CPUs, ids[0] is 0. */
DPRH_STATIC dprp_rc dprh_cpus_allowed(
	const dprp_host *host, struct dprh_cpus *out)
{
	const size_t most = (size_t)1 << 20;
	cpu_set_t *set = NULL;
	size_t room, size = 0;
	int id, bad = -1;
	uint32_t n = 0;

	out->n = 0;
	out->ids = NULL;
	/* The kernel's mask may be wider than cpu_set_t. */
	for (room = CPU_SETSIZE; bad && room <= most; room *= 2) {
		dprh_free(host, set);
		size = CPU_ALLOC_SIZE(room);
		set = (cpu_set_t *)dprh_alloc(host, 1, size);
		if (!set)
			return dprh_no_memory(host, "a list of CPUs");
		/* Ask for the mask of the process: the calling thread may be
		   bound to fewer CPUs. */
		bad = sched_getaffinity(getpid(), size, set);
	}
	if (!bad)
		n = (uint32_t)CPU_COUNT_S(size, set);
	out->ids = (uint32_t *)dprh_alloc(host, n ? n : 1, sizeof(*out->ids));
	if (!out->ids) {
		dprh_free(host, set);
		return dprh_no_memory(host, "a list of CPUs");
	}
	for (id = 0; out->n < n; id++)
		if (CPU_ISSET_S((size_t)id, size, set))
			out->ids[out->n++] = (uint32_t)id;
	/* At least one thread can always run. */
	if (!n)
		out->n = 1;
	dprh_free(host, set);
	return DPR_RC_OK;
}

/* Bind a thread to CPUs.  If that fails, the thread runs on any CPU. */
DPRH_STATIC void dprh_cpus_bind(
	const dprp_host *host, pthread_t thread, const struct dprh_cpus *cpus)
{
	uint32_t i, most = 0;
	cpu_set_t *set;
	size_t size;

	for (i = 0; i < cpus->n; i++)
		if (cpus->ids[i] > most)
			most = cpus->ids[i];
	size = CPU_ALLOC_SIZE((size_t)most + 1);
	set = (cpu_set_t *)dprh_alloc(host, 1, size);
	if (!set)
		return;
	for (i = 0; i < cpus->n; i++)
		CPU_SET_S(cpus->ids[i], size, set);
	(void)pthread_setaffinity_np(thread, size, set);
	dprh_free(host, set);
}

/* --- Floating-point state ------------------------------------------------- */

/* How a thread computes with floats: rounding, and what becomes of tiny
   numbers.  A new thread computes as the thread that started it. */
#if defined(__SSE2__)
typedef unsigned dprh_floats;
#else
typedef fenv_t dprh_floats;
#endif

/* Get all of this thread's state, with the flags of exceptions that have been
   seen. */
static inline void dprh_floats_get(dprh_floats *floats)
{
#if defined(__SSE2__)
	*floats = _mm_getcsr();
#else
	fegetenv(floats);
#endif
}

/* Set this thread's state. */
static inline void dprh_floats_set(const dprh_floats *floats)
{
#if defined(__SSE2__)
	_mm_setcsr(*floats);
#else
	fesetenv(floats);
#endif
}

/* Get this thread's state for another thread: without those flags, where the
   machine tells them apart. */
static inline void dprh_floats_mode(dprh_floats *floats)
{
	dprh_floats_get(floats);
#if defined(__SSE2__)
	*floats &= ~0x3fu;
#endif
}

/* --- Threads -------------------------------------------------------------- */

/* The stack that a kernel may use.  Tiles of transposed operands take 0.6 MB.
   Some C libraries give a thread only 128 KiB. */
#define DPRH_STACK ((size_t)2 << 20)

/* The stack that threads get: memory is taken when it is used.  The factors of
   OpenBLAS take 0.5 MiB for each of up to eight calls inside each other. */
#define DPRH_THREAD_STACK ((size_t)8 << 20)

/* Start a thread with all signals blocked and DPRH_THREAD_STACK at least.
   Returns 0 or an errno. */
static inline int dprh_thread_start(
	pthread_t *thread, void *(*run)(void *), void *arg)
{
	pthread_attr_t attr;
	sigset_t all, old;
	size_t stack = 0;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_getstacksize(&attr, &stack);
	if (stack < DPRH_THREAD_STACK)
		pthread_attr_setstacksize(&attr, DPRH_THREAD_STACK);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(thread, &attr, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return error;
}

/* When a thread that begins to spin now should stop: after about the time that
   waking a thread takes. */
static inline uint64_t dprh_spin_end(void)
{
	return dprh_now() + 20000;
}

/* Pause after the i-th look at a value.  Returns whether to look again. */
static inline bool dprh_spin(unsigned i, uint64_t end)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
	if (i % 8)
		return true;
	/* The thread that will change the value may need this CPU. */
	sched_yield();
	return dprh_now() < end;
}

/* --- A team --------------------------------------------------------------- */

/*
 * Work is cut into pieces, and every member gets a share of consecutive pieces.
 * A member that has finished its share takes pieces of the others.  So the work
 * does not wait for a thread that has not woken up yet, or whose CPU is busy.
 */

/* A function that does piece number `piece`, as member `member` of the team. */
typedef void (*dprh_piece)(void *context, uint32_t member, uint64_t piece);

/* Bytes of a cache line. */
#define DPRH_CACHE_LINE 64

/* The pieces of one member that nobody has taken: `next` to end - 1. */
struct dprh_share {
	/* the first piece */
	uint64_t next __attribute__((aligned(DPRH_CACHE_LINE)));
	uint64_t end; /* the piece behind the last one */
};

struct dprh_team;

/* A member of a team. */
struct dprh_member {
	struct dprh_team *team; /* its team */
	uint32_t number; /* from 0 */
	pthread_t thread; /* none for a caller that works */
};

/* Threads that share work. */
struct dprh_team {
	const dprp_host *host; /* the core */
	uint32_t n; /* members */
	/* Whether the thread that calls dprh_team_run() is member 0.  If not,
	   it only waits, because its stack is too small. */
	bool caller_works;
	uint32_t threads; /* that were started */
	struct dprh_member *members; /* n of them */
	struct dprh_share *shares; /* one per member, inside the block */
	void *shares_block; /* the memory of the shares */

	/* Held by the caller for which the team works. */
	pthread_mutex_t use;

	/* Guards the fields below. */
	pthread_mutex_t lock;
	pthread_cond_t wake; /* there is work, or the end */
	pthread_cond_t idle; /* the last member has left the work */
	dprh_piece run; /* NULL: there is no work */
	void *context; /* for run */
	dprh_floats floats; /* of the caller */
	bool stop; /* the threads are to end */
	/* Incremented for each work and for the end.  Changed under the lock.
	   Also read without the lock, to find out whether taking it pays. */
	uint32_t generation;
	uint32_t inside; /* members at work; read like generation */
};

/* Take pieces until none is left, the member's own share first. */
static inline void dprh_team_work(
	struct dprh_team *team, dprh_piece run, void *context, uint32_t member)
{
	struct dprh_share *share;
	uint64_t piece;
	uint32_t i;

	for (i = 0; i < team->n; i++) {
		share = &team->shares[(member + i) % team->n];
		while ((piece = __atomic_fetch_add(&share->next, 1,
				__ATOMIC_RELAXED)) < share->end)
			run(context, member, piece);
	}
}

/* Spin until *value differs from `what`, or equals `what`, or for as long as
   spinning pays. */
static inline void dprh_team_spin(
	const uint32_t *value, uint32_t what, bool until_equal)
{
	const uint64_t end = dprh_spin_end();
	unsigned i = 0;

	while ((__atomic_load_n(value, __ATOMIC_SEQ_CST) == what) !=
			until_equal &&
		dprh_spin(++i, end))
		;
}

/* A thread of a team: waits for work, and takes part in it. */
static inline void *dprh_team_thread(void *arg)
{
	struct dprh_member *self = (struct dprh_member *)arg;
	struct dprh_team *team = self->team;
	uint32_t seen = 0;
	dprh_floats floats;
	void *context;
	dprh_piece run;

	pthread_mutex_lock(&team->lock);
	for (;;) {
		while (!team->stop && (!team->run || team->generation == seen))
			pthread_cond_wait(&team->wake, &team->lock);
		if (team->stop)
			break;
		seen = team->generation;
		run = team->run;
		context = team->context;
		floats = team->floats;
		__atomic_fetch_add(&team->inside, 1, __ATOMIC_SEQ_CST);
		pthread_mutex_unlock(&team->lock);

		dprh_floats_set(&floats);
		dprh_team_work(team, run, context, self->number);

		pthread_mutex_lock(&team->lock);
		if (!__atomic_sub_fetch(&team->inside, 1, __ATOMIC_SEQ_CST))
			pthread_cond_signal(&team->idle);
		pthread_mutex_unlock(&team->lock);
		/* More work often follows soon: spin before sleeping. */
		dprh_team_spin(&team->generation, seen, false);
		pthread_mutex_lock(&team->lock);
	}
	pthread_mutex_unlock(&team->lock);
	return NULL;
}

/* Whether every piece has been taken. */
static inline bool dprh_team_all_taken(const struct dprh_team *team)
{
	uint32_t i;

	for (i = 0; i < team->n; i++)
		if (__atomic_load_n(&team->shares[i].next, __ATOMIC_RELAXED) <
			team->shares[i].end)
			return false;
	return true;
}

/* Give each member a share, and wake no more threads than there are pieces for:
   waking a thread may take longer than a piece.  Threads that are awake take
   part anyway. */
static inline void dprh_team_begin(
	struct dprh_team *team, uint64_t pieces, dprh_piece run, void *context)
{
	uint64_t each = pieces / team->n, rest = pieces % team->n, first = 0;
	uint64_t i, to_wake = pieces - team->caller_works;

	for (i = 0; i < team->n; i++) {
		__atomic_store_n(
			&team->shares[i].next, first, __ATOMIC_RELAXED);
		first += each + (i < rest);
		team->shares[i].end = first;
	}
	pthread_mutex_lock(&team->lock);
	team->run = run;
	team->context = context;
	dprh_floats_mode(&team->floats);
	__atomic_fetch_add(&team->generation, 1, __ATOMIC_SEQ_CST);
	if (to_wake >= team->threads)
		pthread_cond_broadcast(&team->wake);
	else
		for (i = 0; i < to_wake; i++)
			pthread_cond_signal(&team->wake);
	pthread_mutex_unlock(&team->lock);
}

/*
 * Do the pieces 0 to pieces - 1, in any order and with the floating-point state
 * of the calling thread.  Returns when all are done.  Any thread may call this.
 * A team serves one caller after the other, but a caller does a single piece at
 * once, as member 0, and in a team of one all pieces.  So memory of a member
 * belongs to one run.
 */
DPRH_STATIC void dprh_team_run(
	struct dprh_team *team, uint64_t pieces, dprh_piece run, void *context)
{
	uint64_t piece;

	if (team->caller_works && (team->n == 1 || pieces <= 1)) {
		for (piece = 0; piece < pieces; piece++)
			run(context, 0, piece);
		return;
	}
	if (!pieces)
		return;
	pthread_mutex_lock(&team->use);
	dprh_team_begin(team, pieces, run, context);
	if (team->caller_works) {
		dprh_team_work(team, run, context, 0);
		dprh_team_spin(&team->inside, 0, true);
	}
	pthread_mutex_lock(&team->lock);
	/* A member that wakes up too late does not begin any more. */
	if (team->caller_works)
		team->run = NULL;
	while (team->inside || !dprh_team_all_taken(team))
		pthread_cond_wait(&team->idle, &team->lock);
	team->run = NULL;
	pthread_mutex_unlock(&team->lock);
	pthread_mutex_unlock(&team->use);
}

/* End the threads and free the team; NULL is accepted.  No thread may be in
   dprh_team_run() any more. */
DPRH_STATIC void dprh_team_destroy(struct dprh_team *team)
{
	const uint32_t first = team ? team->caller_works : 0;
	uint32_t i;

	if (!team)
		return;
	pthread_mutex_lock(&team->lock);
	team->stop = true;
	__atomic_fetch_add(&team->generation, 1, __ATOMIC_SEQ_CST);
	pthread_cond_broadcast(&team->wake);
	pthread_mutex_unlock(&team->lock);
	for (i = 0; i < team->threads; i++)
		pthread_join(team->members[first + i].thread, NULL);
	pthread_mutex_destroy(&team->use);
	pthread_mutex_destroy(&team->lock);
	pthread_cond_destroy(&team->wake);
	pthread_cond_destroy(&team->idle);
	dprh_free(team->host, team->members);
	dprh_free(team->host, team->shares_block);
	dprh_free(team->host, team);
}

/* Start the threads of a team; `advice` ends the text of a failure. */
static inline dprp_rc dprh_team_start(struct dprh_team *team,
	const struct dprh_cpus *cpus, const char *advice)
{
	const uint32_t first = team->caller_works;
	struct dprh_member *member;
	uint32_t i;
	int error;

	for (i = first; i < team->n; i++) {
		member = &team->members[i];
		member->team = team;
		member->number = i;
		error = dprh_thread_start(
			&member->thread, dprh_team_thread, member);
		if (error)
			return dprh_fail(team->host, DPR_RC_OOM_HOST, error,
				"thread %u of %u cannot be started (errno "
				"%d)%s",
				(unsigned)(i - first + 1),
				(unsigned)(team->n - first), error, advice);
		team->threads++;
		dprh_cpus_bind(team->host, member->thread, cpus);
	}
	return DPR_RC_OK;
}

/*
 * Make a team of `members`, 1 at least, whose threads are bound to `cpus`.
 * caller_works: the thread that calls dprh_team_run() is a member; it needs the
 * stack of a kernel.  If a thread cannot be started, the text of the failure
 * ends with `advice`, such as "; ask for fewer".
 */
DPRH_STATIC dprp_rc dprh_team_create(const dprp_host *host,
	const struct dprh_cpus *cpus, uint32_t members, bool caller_works,
	const char *advice, struct dprh_team **out)
{
	struct dprh_team *team =
		(struct dprh_team *)dprh_alloc(host, 1, sizeof(*team));
	const uintptr_t line = DPRH_CACHE_LINE;
	dprp_rc rc;

	*out = NULL;
	if (!team)
		return dprh_no_memory(host, "a team of threads");
	team->host = host;
	team->n = members;
	team->caller_works = caller_works;
	pthread_mutex_init(&team->use, NULL);
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->wake, NULL);
	pthread_cond_init(&team->idle, NULL);
	team->members = (struct dprh_member *)dprh_alloc(
		host, members, sizeof(*team->members));
	team->shares_block =
		dprh_alloc(host, (size_t)members + 1, sizeof(*team->shares));
	if (team->members && team->shares_block) {
		team->shares =
			(struct dprh_share *)(((uintptr_t)team->shares_block +
						      line - 1) /
					      line * line);
		rc = dprh_team_start(team, cpus, advice);
	} else {
		rc = dprh_no_memory(host, "a team of threads");
	}
	if (rc)
		dprh_team_destroy(team);
	else
		*out = team;
	return rc;
}

/* --- Launches of native kernels by a team --------------------------------- */

/* A launch of a native kernel whose arguments are packed. */
struct dprh_native_launch {
	dprp_native_run run; /* computes a group */
	struct dprh_range range; /* of the launch */
	/* Each member's pointers to the arguments.  Without LOCAL arguments all
	   members share one list. */
	const void *const *args;
	size_t args_stride; /* from one member's list to the next, in pointers;
			       0: there is one list */
};

/* A size for the work-groups of a launch that gives none: a few hundred items,
   but enough groups for `members` threads to share them evenly. */
static inline uint64_t dprh_team_items(
	uint32_t members, const dprp_launch *launch)
{
	const uint64_t groups = (uint64_t)members * 16, least = 64;
	uint64_t items = 1, room;
	uint32_t d;

	for (d = 0; d < launch->dims; d++)
		if (__builtin_mul_overflow(items, launch->global[d], &items))
			items = UINT64_MAX;
	room = items / groups + (items % groups != 0);
	return room < least ? least : room;
}

/* One work-group of a launch. */
static inline void dprh_native_piece(
	void *context, uint32_t member, uint64_t piece)
{
	const struct dprh_native_launch *launch =
		(const struct dprh_native_launch *)context;
	const uint64_t *groups = launch->range.groups;
	uint64_t group[3];

	group[0] = piece % groups[0];
	group[1] = piece / groups[0] % groups[1];
	group[2] = piece / groups[0] / groups[1];
	launch->run(launch->args + member * launch->args_stride,
		launch->range.global, launch->range.local, group);
}

/* Run all groups of a launch with a team.  Returns when all are done. */
static inline void dprh_native_team_run(
	struct dprh_team *team, struct dprh_native_launch *launch)
{
	const uint64_t *groups = launch->range.groups;

	dprh_team_run(team, groups[0] * groups[1] * groups[2],
		dprh_native_piece, launch);
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
