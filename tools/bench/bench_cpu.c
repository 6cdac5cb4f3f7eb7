/* SPDX-License-Identifier: Apache-2.0 */
/* bench_cpu.c - baselines without any library: loops and memcpy, by one thread
   per CPU. */
#include "tools/bench/bench_cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench_team.h"
#include "tools/bench/bench_values.h"

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
	__GNUC__ >= 12 && !defined(__SANITIZE_ADDRESS__) &&                 \
	!defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

typedef float lanes __attribute__((vector_size(32), aligned(4)));
enum { LANES = 8 };

/* --- Jobs ------------------------------------------------------------------
 */

struct baseline_work {
	struct bench_team *team;
	float *x, *y, *out;
	size_t n; /* elements */
	double sums[1024];
};

/* The first element of part @part of @parts: a multiple of 1024, a page. */
static size_t part_at(size_t n, size_t part, size_t parts)
{
	return part == parts ? n : n / 1024 * part / parts * 1024;
}

CLONES static void add_part(void *state, size_t part, size_t parts)
{
	struct baseline_work *w = state;
	size_t i = part_at(w->n, part, parts);
	size_t end = part_at(w->n, part + 1, parts);

	for (; i + LANES <= end; i += LANES)
		*(lanes *)(w->out + i) =
			*(lanes *)(w->x + i) + *(lanes *)(w->y + i);
	for (; i < end; i++)
		w->out[i] = w->x[i] + w->y[i];
}

CLONES static void sum_part(void *state, size_t part, size_t parts)
{
	struct baseline_work *w = state;
	size_t i = part_at(w->n, part, parts);
	size_t end = part_at(w->n, part + 1, parts);
	double total = 0;

	/* Add block by block: sums of more elements in float32 would lose too
	   much. */
	while (i < end) {
		size_t stop = end - i < 65536 ? end : i + 65536;
		lanes a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };

		for (; i + 4 * LANES <= stop; i += 4 * LANES) {
			a += *(lanes *)(w->x + i);
			b += *(lanes *)(w->x + i + LANES);
			c += *(lanes *)(w->x + i + 2 * LANES);
			d += *(lanes *)(w->x + i + 3 * LANES);
		}
		a += b + (c + d);
		for (int k = 0; k < LANES; k++)
			total += (double)a[k];
		for (; i < stop; i++)
			total += (double)w->x[i];
	}
	w->sums[part] = total;
}

struct copy {
	char *to;
	const char *from;
	size_t size;
};

static void copy_part(void *state, size_t part, size_t parts)
{
	const struct copy *c = state;
	size_t at = part_at(c->size, part, parts);
	size_t end = part_at(c->size, part + 1, parts);

	memcpy(c->to + at, c->from + at, end - at);
}

static void copy_by_team(struct bench_team *team, void *to, const void *from,
			 size_t size)
{
	struct copy c = { to, from, size };

	bench_team_run(team, copy_part, &c);
}

/* --- Sides -----------------------------------------------------------------
 */

static void close_work(void *state)
{
	struct baseline_work *w = state;

	if (!w)
		return;
	free(w->x);
	free(w->y);
	free(w->out);
	free(w);
}

static struct baseline_work *open_work(struct bench *bench, size_t n,
				       const char *name,
				       struct bench_side *side,
				       struct message *message)
{
	struct baseline_work *w = calloc(1, sizeof(*w));

	if (!w) {
		message_record(message, "no memory for a baseline");
		return NULL;
	}
	side->state = w;
	side->close = close_work;
	snprintf(side->name, sizeof(side->name), "%s, %u threads", name,
		 bench->threads);
	w->team = bench->team;
	w->n = n;
	w->x = bench_values_new(n, bench_values_x, message);
	w->y = bench_values_new(n, bench_values_y, message);
	w->out = bench_values_new(n, bench_values_y, message);
	return w->x && w->y && w->out ? w : NULL;
}

static bool add_run(void *state, struct message *message)
{
	struct baseline_work *w = state;

	(void)message;
	bench_team_run(w->team, add_part, w);
	return true;
}

static bool add_check(void *state, struct message *message)
{
	struct baseline_work *w = state;

	return bench_values_check_add(w->out, w->n, 0, "the baseline's add",
				      message);
}

bool bench_cpu_add(struct bench *bench, struct bench_side *side,
		   struct message *message)
{
	size_t n = bench->bytes / sizeof(float);

	side->run = add_run;
	side->check = add_check;
	side->work = 3.0 * (double)n * sizeof(float);
	return open_work(bench, n, "a loop in C", side, message) != NULL;
}

static bool sum_run(void *state, struct message *message)
{
	struct baseline_work *w = state;

	(void)message;
	bench_team_run(w->team, sum_part, w);
	for (size_t i = 1; i < bench_team_size(w->team); i++)
		w->sums[0] += w->sums[i];
	return true;
}

static bool sum_check(void *state, struct message *message)
{
	struct baseline_work *w = state;

	return bench_values_check_sum(w->sums[0], w->n, "the baseline's sum",
				      message);
}

bool bench_cpu_sum(struct bench *bench, struct bench_side *side,
		   struct message *message)
{
	size_t n = bench->bytes / sizeof(float);

	side->run = sum_run;
	side->check = sum_check;
	side->work = (double)n * sizeof(float);
	return open_work(bench, n, "a loop in C", side, message) != NULL;
}

static bool copy_run(void *state, struct message *message)
{
	struct baseline_work *w = state;

	(void)message;
	copy_by_team(w->team, w->out, w->x, w->n * sizeof(float));
	return true;
}

bool bench_cpu_copy(struct bench *bench, struct bench_side *side,
		    struct message *message)
{
	side->run = copy_run;
	side->work = (double)bench->bytes;
	return open_work(bench, bench->bytes / sizeof(float), "memcpy", side,
			 message) != NULL;
}

bool bench_cpu_device_copy(struct bench *bench, struct bench_side *side,
			   struct message *message)
{
	bool ok = bench_cpu_copy(bench, side, message);

	side->work *= 2;
	return ok;
}

/* Replace @old by memory that no thread has touched yet.  Each page is then
   placed near the thread that first copies to it, as on dpr's side. */
static float *untouched(float *old, size_t n)
{
	free(old);
	return malloc(n * sizeof(*old));
}

static bool transfer_run(void *state, struct message *message)
{
	struct baseline_work *w = state;

	(void)message;
	copy_by_team(w->team, w->y, w->x, w->n * sizeof(float));
	copy_by_team(w->team, w->out, w->y, w->n * sizeof(float));
	return true;
}

bool bench_cpu_transfer(struct bench *bench, struct bench_side *side,
			struct message *message)
{
	struct baseline_work *w;
	float *x;

	side->run = transfer_run;
	side->work = 2.0 * (double)bench->transfer_bytes;
	w = open_work(bench, bench->transfer_bytes / sizeof(float), "memcpy",
		      side, message);
	if (!w)
		return false;
	w->y = untouched(w->y, w->n);
	w->out = untouched(w->out, w->n);
	if (!w->y || !w->out)
		return message_set(message, "no memory for a baseline");
	/* Place the source near the same threads: let them copy it into `y`,
	   which becomes the source. */
	copy_by_team(w->team, w->y, w->x, w->n * sizeof(float));
	x = w->x;
	w->x = w->y;
	w->y = untouched(x, w->n);
	return w->y || message_set(message, "no memory for a baseline");
}

static bool alloc_run(void *state, struct message *message)
{
	(void)state;
	for (int i = 0; i < 1000; i++) {
		char *volatile block = malloc(1 << 20);

		if (!block)
			return message_set(message, "malloc has no memory");
		free(block);
	}
	return true;
}

bool bench_cpu_alloc(struct bench *bench, struct bench_side *side,
		     struct message *message)
{
	(void)bench;
	(void)message;
	side->run = alloc_run;
	side->work = 1000;
	strcpy(side->name, "malloc, free");
	return true;
}
