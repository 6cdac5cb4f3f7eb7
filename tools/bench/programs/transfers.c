/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transfers.c - copies between two devices and to and from the host's memory,
 * in turns with memcpy(), so that other load of the machine affects all of
 * them.
 *
 * usage: measure transfers [SELECTOR SELECTOR [MEGABYTES [ROUNDS]]]
 *
 * For sizes from 64 KB up to MEGABYTES, prints each copy's median speed in
 * GB/s, and the medians of its speed relative to memcpy() in the same round: by
 * one thread, and by one thread per CPU.  All memory is touched before it is
 * measured.  By default: host and opencl:cpu, 256 MB, 11 rounds.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dpr/dpr.h>

#include "tools/bench/programs/measure.h"
#include "tools/bench/programs/rounds.h"
#include "tools/shared/seconds.h"

#define MAX_ROUNDS 1000
#define MAX_THREADS 256

struct bench {
	dpr_queue *queue[2];
	dpr_usm *usm[2];
	char *a, *b; /* host memory */
	size_t size;
};

/* --- memcpy() by several threads --- */

static struct {
	pthread_barrier_t begin, end;
	unsigned n;
	char *to;
	const char *from;
	size_t size;
} team;

static void copy_share(unsigned i)
{
	size_t first = team.size / team.n * i;
	size_t size = i + 1 < team.n ? team.size / team.n : team.size - first;

	memcpy(team.to + first, team.from + first, size);
}

static void *team_thread(void *arg)
{
	for (;;) {
		pthread_barrier_wait(&team.begin);
		copy_share((unsigned)(size_t)arg);
		pthread_barrier_wait(&team.end);
	}
	return NULL;
}

static void team_start(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t thread;

	team.n = cpus < 1             ? 1
		 : cpus > MAX_THREADS ? MAX_THREADS
				      : (unsigned)cpus;
	pthread_barrier_init(&team.begin, NULL, team.n);
	pthread_barrier_init(&team.end, NULL, team.n);
	for (size_t i = 1; i < team.n; i++)
		if (pthread_create(&thread, NULL, team_thread, (void *)i)) {
			fprintf(stderr, "transfers: cannot start a thread\n");
			exit(1);
		}
}

/* --- Tasks --- */

static dpr_status run_memcpy(struct bench *bench)
{
	memcpy(bench->b, bench->a, bench->size);
	return DPR_OK;
}

static dpr_status run_team(struct bench *bench)
{
	team.to = bench->b;
	team.from = bench->a;
	team.size = bench->size;
	pthread_barrier_wait(&team.begin);
	copy_share(0);
	pthread_barrier_wait(&team.end);
	return DPR_OK;
}

static dpr_status copy(struct bench *bench, int from, int to)
{
	dpr_event *done;
	dpr_status status;

	status = dpr_usm_copy(bench->queue[to], bench->usm[to], 0,
			      bench->usm[from], 0, bench->size, NULL, &done);
	if (!status)
		status = dpr_event_wait(done);
	dpr_event_release(done);
	return status;
}

static dpr_status run_there(struct bench *bench)
{
	return copy(bench, 0, 1);
}

static dpr_status run_back(struct bench *bench)
{
	return copy(bench, 1, 0);
}

static dpr_status run_write(struct bench *bench)
{
	return dpr_usm_write(bench->queue[1], bench->usm[1], 0, bench->a,
			     bench->size, NULL, NULL);
}

static dpr_status run_read(struct bench *bench)
{
	return dpr_usm_read(bench->queue[1], bench->b, bench->usm[1], 0,
			    bench->size, NULL, NULL);
}

static const struct task {
	const char *name;
	dpr_status (*run)(struct bench *bench);
} tasks[] = {
	{ "memcpy, one thread", run_memcpy }, { "memcpy, all CPUs", run_team },
	{ "first to second", run_there },     { "second to first", run_back },
	{ "write to second", run_write },     { "read from second", run_read },
};

#define TASKS (int)(sizeof(tasks) / sizeof(tasks[0]))

static double seconds[TASKS][MAX_ROUNDS];

static double median(const double *values, int n)
{
	double sorted[MAX_ROUNDS];

	memcpy(sorted, values, (size_t)n * sizeof(*values));
	return rounds_time(sorted, n, 0.5);
}

/* Divide the speed of @task by the speed of @baseline in each round.  Returns
   the median of the quotients. */
static double ratio(int task, int baseline, int rounds)
{
	double values[MAX_ROUNDS];

	for (int i = 0; i < rounds; i++)
		values[i] = seconds[baseline][i] / seconds[task][i];
	return median(values, rounds);
}

/* A run repeats small copies until they add up to 4 MB. */
static dpr_status measure(struct bench *bench, int rounds)
{
	int repeat = (int)(((size_t)4 << 20) / bench->size);

	repeat = repeat < 1 ? 1 : repeat;
	for (int round = -1; round < rounds; round++)
		for (int k = 0; k < TASKS; k++) {
			int task = (k + round + 1) % TASKS;
			double start = seconds_now();
			dpr_status status = DPR_OK;

			for (int i = 0; i < repeat && !status; i++)
				status = tasks[task].run(bench);
			if (status)
				return status;
			if (round >= 0)
				seconds[task][round] =
					(seconds_now() - start) / repeat;
		}
	return DPR_OK;
}

static const char *path_name(const struct bench *bench, int task)
{
	static const char *const names[] = { "none", "same device", "direct",
					     "peer", "pageable",    "pinned" };
	dpr_transfer plan;
	int from = task == 3;

	if (task != 2 && task != 3)
		return "";
	if (dpr_usm_transfer_plan(bench->usm[from], bench->queue[!from],
				  DPR_USM_DEVICE, bench->size, &plan))
		return "?";
	return names[plan.path];
}

static dpr_status bench_size(struct bench *bench, int rounds)
{
	dpr_status status = measure(bench, rounds);

	if (status)
		return status;
	printf("%zu KB\n", bench->size >> 10);
	for (int k = 0; k < TASKS; k++)
		printf("  %-20s %8.2f GB/s %6.2f %6.2f  %s\n", tasks[k].name,
		       (double)bench->size / median(seconds[k], rounds) * 1e-9,
		       ratio(k, 0, rounds), ratio(k, 1, rounds),
		       path_name(bench, k));
	return DPR_OK;
}

static dpr_status bench_open(struct bench *bench, const char *const *selectors)
{
	dpr_status status = DPR_OK;

	bench->a = malloc(bench->size);
	bench->b = malloc(bench->size);
	if (!bench->a || !bench->b) {
		fprintf(stderr, "transfers: out of memory\n");
		exit(1);
	}
	memset(bench->a, 1, bench->size);
	memset(bench->b, 2, bench->size);
	for (int k = 0; k < 2 && !status; k++) {
		status = dpr_canonical_queue(selectors[k], &bench->queue[k]);
		if (!status)
			status = dpr_usm_alloc(bench->queue[k], DPR_USM_DEVICE,
					       bench->size, &bench->usm[k]);
		if (!status)
			status = dpr_usm_write(bench->queue[k], bench->usm[k],
					       0, bench->a, bench->size, NULL,
					       NULL);
	}
	return status;
}

int transfers_main(int argc, char **argv)
{
	const char *selectors[2] = { "host", "opencl:cpu" };
	struct bench bench = { .size = (size_t)256 << 20 };
	size_t largest;
	int rounds = 11;
	dpr_status status;

	if (argc > 2) {
		selectors[0] = argv[1];
		selectors[1] = argv[2];
	}
	if (argc > 3)
		bench.size = (size_t)strtoul(argv[3], NULL, 10) << 20;
	if (argc > 4)
		rounds = atoi(argv[4]);
	if (!bench.size || rounds < 1 || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: measure transfers [SELECTOR SELECTOR "
				"[MEGABYTES [ROUNDS]]]\n");
		return 1;
	}
	team_start();
	status = bench_open(&bench, selectors);
	if (!status)
		printf("%s, %s; of memcpy by 1 and by %u threads\n",
		       dpr_queue_name(bench.queue[0]),
		       dpr_queue_name(bench.queue[1]), team.n);
	largest = bench.size;
	for (bench.size = (size_t)64 << 10; bench.size < largest && !status;
	     bench.size *= 8)
		status = bench_size(&bench, rounds);
	bench.size = largest;
	if (!status)
		status = bench_size(&bench, rounds);
	if (status)
		fprintf(stderr, "transfers: %s\n", dpr_last_error());
	dpr_usm_release(bench.usm[0]);
	dpr_usm_release(bench.usm[1]);
	free(bench.a);
	free(bench.b);
	return status ? 1 : 0;
}
