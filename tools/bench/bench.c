/* SPDX-License-Identifier: Apache-2.0 */
/* bench.c - dpr bench: the command line, the devices and the rows. */
#include "tools/bench/bench.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench_cl.h"
#include "tools/bench/bench_cliffs.h"
#include "tools/bench/bench_cuda.h"
#include "tools/bench/bench_measure.h"
#include "tools/bench/bench_rows.h"
#include "tools/bench/bench_show.h"
#include "tools/bench/bench_side.h"
#include "tools/bench/bench_sweep.h"
#include "tools/bench/start/bench_child.h"
#include "tools/bench/start/bench_start.h"
#include "tools/bench/bench_team.h"
#include "tools/bench/level_zero/bench_ze.h"
#include "tools/shared/json.h"
#include "tools/shared/progress_line.h"

#define MEGABYTE ((size_t)1 << 20)
#define MOST_THREADS 1024
/* At this load per CPU and above, other processes disturb the figures. */
#define BUSY 0.3

/* Options without a letter. */
enum { SWEEP = 256, TSV };

enum { ROUNDS = 31, QUICK_ROUNDS = 3, START_ROUNDS = 11 };

/* More elements would only take longer on a CPU; fewer would not keep a GPU
   busy. */
#define CPU_BYTES (64 * MEGABYTE)
#define GPU_BYTES (1024 * MEGABYTE)
#define TRANSFER_BYTES (1024 * MEGABYTE)
#define QUICK_BYTES (4 * MEGABYTE)
/* How many large operands a row and its baseline hold together. */
#define OPERANDS 8
/* On a GPU a large row makes this many calls before it waits for them. */
#define BATCH 8

struct options {
	bool json, verbose, quick, list, cliffs;
	const char *rows, *against, *selector, *tsv;
	struct bench_sweep_range sweep; /* from 0: no sweep */
	size_t bytes;                   /* 0: the default */
	int rounds;                     /* 0: the default */
	int threads; /* threads of baselines on the CPU; 0: one per CPU */
};

/* Totals over all rows that were shown. */
struct tally {
	struct json json;
	int goals, missed, errors;
	double load;               /* the load average when the program began */
	struct bench_sweep *sweep; /* NULL: no sweep */
};

static int usage(FILE *to, int status)
{
	fputs("usage: dpr bench [OPTION...] [SELECTOR]\n\n"
	      "Measure the devices that SELECTOR matches, or the default "
	      "device.\nBeside each figure stands its baseline: what the driver "
	      "or the CPU does\nwithout dpr, measured in turns with dpr.\n\n"
	      "  -j, --json              a JSON object per row\n"
	      "  -v, --verbose           also quartiles, and what each "
	      "baseline is\n"
	      "  -r, --rows=NAME[,NAME]  only these rows; * and ? are "
	      "wildcards\n"
	      "  -s, --size=SIZE         bytes of a large operand: 64M, 1G, a "
	      "multiple of 1M\n"
	      "  -n, --rounds=N          pairs of runs per row, 1 to 10000\n"
	      "  -t, --threads=N         of baselines on the CPU; by default "
	      "one per CPU\n"
	      "  -q, --quick             few rounds and small sizes: to see "
	      "that it works\n"
	      "  -a, --against=SELECTOR  baselines: the same rows on another "
	      "device\n"
	      "  -c, --cliffs            all functions, dtypes and layouts beside "
	      "an addition\n"
	      "      --sweep=SIZE:SIZE   rates over the size of an operand, from 4K "
	      "on, as TSV\n"
	      "      --tsv=FILE          write a sweep into this file\n"
	      "  -l, --list              list the rows\n"
	      "  -h, --help              this text\n",
	      to);
	return status;
}

static int wrong(const char *what, const char *value)
{
	fprintf(stderr, "dpr bench: %s: %s\n", value, what);
	return 2;
}

/* --- Rows ------------------------------------------------------------------
 */

/* Check that every pattern matches a row. */
static bool are_rows(const char *patterns)
{
	char pattern[64];
	size_t i, n;

	for (; *patterns; patterns += n + (patterns[n] == ',')) {
		n = strcspn(patterns, ",");
		snprintf(pattern, sizeof(pattern), "%.*s", (int)n, patterns);
		for (i = 0; i < bench_rows_count; i++)
			if (!fnmatch(pattern, bench_rows[i].name, 0))
				break;
		if (i == bench_rows_count)
			return false;
	}
	return true;
}

static bool is_met(const struct bench_result *r)
{
	switch (r->goal.kind) {
	case BENCH_RATIO_AT_LEAST: return r->figures.ratio >= r->goal.limit;
	case BENCH_RATIO_AT_MOST: return r->figures.ratio <= r->goal.limit;
	case BENCH_VALUE_AT_MOST:
		return r->figures.value.median <= r->goal.limit;
	case BENCH_NO_GOAL: break;
	}
	return true;
}

/* --- One row
 * ------------------------------------------------------------------ */

/* Whether the row's goal applies to this device. */
static bool is_goal(const struct bench_row *row, const struct bench *bench)
{
	return row->everywhere || (bench->is_cpu && bench->cl) ||
	       (bench->cuda && row->cuda_goal);
}

static void run_row(const struct options *options, const struct bench_row *row,
		    struct bench *bench, struct bench *other,
		    struct tally *tally)
{
	struct message message = MESSAGE_NONE;
	struct bench_result r = { .row = row, .bench = bench };
	struct bench timing = *bench;
	bool ok;

	bench->layout = row->layout;
	if (other)
		other->layout = row->layout;
	/* Take fewer rounds: whole processes take long and vary little. */
	if (row->is_process && !options->rounds)
		timing.rounds = bench->quick ? 1 : START_ROUNDS;
	ok = row->ours(bench, &r.ours, &message);
	if (ok && r.ours.run)
		ok = bench_rows_open_baseline(row, bench, other, &r.baseline,
					      &message);
	if (ok && r.ours.run)
		ok = bench_measure(&timing, row->unit, &r.ours, &r.baseline,
				   &r.figures, &message);
	if (!ok)
		r.error = message_text(&message);
	r.goal = bench_show_target(row, bench->cuda != NULL);
	r.has_goal = r.goal.kind && !other && r.ours.run &&
		     (r.goal.kind == BENCH_VALUE_AT_MOST || r.baseline.run) &&
		     is_goal(row, bench);
	r.met = ok && is_met(&r);
	tally->errors += !ok;
	tally->goals += ok && r.has_goal;
	tally->missed += ok && r.has_goal && !r.met;
	progress_line_end();
	if (options->json)
		bench_show_json(&tally->json, &r);
	else
		bench_show_text(&r, options->verbose);
	bench_side_close(&r.baseline);
	bench_side_close(&r.ours);
	message_clear(&message);
}

static bool is_wanted(const struct options *options, size_t row)
{
	return bench_side_wants(options->rows, bench_rows[row].name);
}

static void run_rows(const struct options *options, struct bench *bench,
		     struct bench *other, struct tally *tally)
{
	size_t i, done = 0, total = 0;

	for (i = 0; i < bench_rows_count; i++)
		total += is_wanted(options, i);
	for (i = 0; i < bench_rows_count; i++) {
		if (!is_wanted(options, i))
			continue;
		progress_line_show("%zu of %zu: %s on %s", ++done, total,
				   bench_rows[i].name,
				   dpr_device_selector(bench->device));
		run_row(options, &bench_rows[i], bench, other, tally);
	}
}

/* --- Devices
 * ------------------------------------------------------------------ */

static unsigned count_cpus(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : (unsigned)n;
}

static unsigned count_threads(const struct options *options)
{
	return options->threads ? (unsigned)options->threads : count_cpus();
}

/* The size of a large operand on a GPU: smaller if the GPU has little
   memory. */
static size_t gpu_bytes(const dpr_device *device)
{
	size_t bytes = GPU_BYTES;
	uint64_t memory, largest;

	if (dpr_device_info_u64(device, DPR_INFO_GLOBAL_MEM_SIZE, &memory))
		memory = OPERANDS * (uint64_t)bytes;
	if (dpr_device_info_u64(device, DPR_INFO_MAX_ALLOC_SIZE, &largest))
		largest = bytes;
	while (bytes > MEGABYTE &&
	       (bytes > largest || OPERANDS * (uint64_t)bytes > memory))
		bytes /= 2;
	return bytes;
}

static bool open_driver(struct bench *b, struct message *message)
{
	const char *backend = dpr_device_backend(b->device);

	if (!strcmp(backend, "opencl")) {
		b->cl = bench_cl_open(b->device, message);
		b->driver = b->cl ? &b->cl->driver : NULL;
		return b->driver != NULL;
	}
	if (!strcmp(backend, "cuda")) {
		b->cuda = bench_cuda_open(b->device, b->queue, message);
		b->driver = b->cuda ? &b->cuda->driver : NULL;
		return b->driver != NULL;
	}
	if (!strcmp(backend, "level_zero")) {
		b->ze = bench_ze_open(b->device, b->queue, message);
		b->driver = b->ze ? &b->ze->driver : NULL;
		return b->driver != NULL;
	}
	return true;
}

static void close_bench(struct bench *b)
{
	if (b->driver)
		b->driver->calls->close(b->driver);
}

static bool open_bench(const struct options *options, dpr_device *device,
		       struct bench_team *team, struct bench *b,
		       struct message *message)
{
	memset(b, 0, sizeof(*b));
	b->device = device;
	b->is_cpu = dpr_device_get_type(device) == DPR_DEVICE_CPU;
	b->quick = options->quick;
	b->bytes = options->bytes   ? options->bytes
		   : options->quick ? QUICK_BYTES
		   : b->is_cpu      ? CPU_BYTES
				    : gpu_bytes(device);
	b->transfer_bytes = options->bytes || options->quick || !b->is_cpu
				    ? b->bytes
				    : TRANSFER_BYTES;
	b->batch = b->is_cpu ? 1 : options->quick ? 2 : BATCH;
	b->rounds = options->rounds  ? options->rounds
		    : options->quick ? QUICK_ROUNDS
				     : ROUNDS;
	b->threads = count_threads(options);
	b->team = team;
	if (dpr_device_queue(device, &b->queue))
		return bench_side_failed(message);
	return open_driver(b, message);
}

static bool run_device(const struct options *options, dpr_device *device,
		       struct bench_team *team, struct tally *tally,
		       struct message *message)
{
	const struct bench_cliffs cliffs = { options->json ? &tally->json
							   : NULL,
					     options->rows };
	struct bench bench, other = { .bytes = 0 };
	dpr_device *against;
	bool ok = open_bench(options, device, team, &bench, message);

	if (ok && options->against) {
		ok = dpr_device_select(options->against, &against)
			     ? bench_side_failed(message)
			     : open_bench(options, against, team, &other,
					  message);
		/* Both sides do the same amount of work. */
		other.bytes = bench.bytes;
		other.transfer_bytes = bench.transfer_bytes;
	}
	if (ok && options->sweep.from)
		ok = bench_sweep_run(tally->sweep, &bench,
				     options->against ? &other : NULL, message);
	else if (ok && options->cliffs)
		ok = bench_cliffs_run(&cliffs, &bench, &tally->goals,
				      &tally->missed, message);
	else if (ok)
		run_rows(options, &bench, options->against ? &other : NULL,
			 tally);
	close_bench(&bench);
	if (options->against)
		close_bench(&other);
	return ok;
}

/* Get the devices to measure.  Returns false and sets the message after a
   failure. */
static bool find_devices(const char *selector, dpr_device **devices,
			 size_t room, size_t *n, struct message *message)
{
	*n = 0;
	/* There is no device: dpr_device_select() says why in its message. */
	if (dpr_device_select(selector, devices))
		return bench_side_failed(message);
	*n = 1;
	if (selector && dpr_device_enumerate(selector, devices, room, n))
		return bench_side_failed(message);
	*n = *n < room ? *n : room;
	return true;
}

static void begin_output(const struct options *options, struct tally *tally)
{
	if (getloadavg(&tally->load, 1) != 1)
		tally->load = 0;
	tally->json.to = stdout;
	if (tally->sweep)
		return bench_sweep_head(tally->sweep, count_cpus(),
					tally->load);
	if (options->json) {
		json_open(&tally->json, NULL, '{');
		json_open(&tally->json, "rows", '[');
	} else if (options->cliffs) {
		bench_cliffs_head();
	} else {
		bench_show_head();
	}
}

static void end_output(const struct options *options, struct tally *tally)
{
	if (tally->sweep)
		return;
	if (options->json) {
		json_close(&tally->json, ']');
		json_real(&tally->json, "load_average", tally->load);
		json_close(&tally->json, '}');
		return;
	}
	if (options->cliffs)
		printf("%d of %d rows are slower than that\n", tally->missed,
		       tally->goals);
	else if (tally->goals)
		printf("%d of %d goals are met\n", tally->goals - tally->missed,
		       tally->goals);
	if (tally->load > BUSY * count_cpus())
		printf("the machine was busy (load average %.1f): the "
		       "figures may differ when it is not\n",
		       tally->load);
}

static int run_all(const struct options *options, struct bench_sweep *sweep)
{
	struct message message = MESSAGE_NONE;
	struct tally tally = { .sweep = sweep };
	struct bench_team *team = NULL;
	dpr_device *devices[64];
	size_t i, n = 0;
	bool ok;

	ok = find_devices(options->selector, devices, 64, &n, &message) &&
	     (team = bench_team_new(count_threads(options), &message));
	if (ok)
		begin_output(options, &tally);
	for (i = 0; i < n && ok; i++)
		ok = run_device(options, devices[i], team, &tally, &message);
	if (team)
		end_output(options, &tally);
	if (!ok)
		fprintf(stderr, "dpr bench: %s\n", message_text(&message));
	message_clear(&message);
	bench_team_free(team);
	return !ok || tally.errors;
}

/* --- The command line
 * --------------------------------------------------------- */

/* Read a multiple of @unit, so that every baseline's kernel can divide the
   elements. */
static bool read_size(const char *text, size_t unit, size_t *out)
{
	char *end;
	unsigned long long size = strtoull(text, &end, 10);

	if (!isdigit((unsigned char)*text))
		return false;
	switch (toupper((unsigned char)*end)) {
	case 'G': size <<= 10; /* fall through */
	case 'M': size <<= 10; /* fall through */
	case 'K':
		size <<= 10;
		end++;
		break;
	default: break;
	}
	*out = (size_t)size;
	return !*end && size && size % unit == 0 && size <= MEGABYTE << 14;
}

/* Read "4K:1G". */
static bool read_range(char *text, struct bench_sweep_range *range)
{
	char *colon = strchr(text, ':');

	if (!colon)
		return false;
	*colon = 0;
	return read_size(text, BENCH_SWEEP_LEAST, &range->from) &&
	       read_size(colon + 1, BENCH_SWEEP_LEAST, &range->to) &&
	       range->from <= range->to;
}

static bool read_number(const char *text, long most, int *out)
{
	char *end;
	long n = strtol(text, &end, 10);

	*out = (int)n;
	return isdigit((unsigned char)*text) && !*end && n >= 1 && n <= most;
}

static int run_sweep(const struct options *options)
{
	struct bench_sweep sweep = { .range = options->sweep,
				     .rows = options->rows,
				     .to = stdout };
	int status;

	if (!bench_sweep_has_rows(options->rows))
		return wrong(
			"a sweep takes rows in GB/s only, and none of strided "
			"memory",
			options->rows);
	if (options->tsv)
		sweep.to = fopen(options->tsv, "we");
	if (!sweep.to) {
		fprintf(stderr, "dpr bench: %s: cannot write: %s\n",
			options->tsv, strerror(errno));
		return 1;
	}
	status = run_all(options, &sweep) || sweep.errors;
	if (options->tsv && (ferror(sweep.to) | fclose(sweep.to))) {
		fprintf(stderr, "dpr bench: %s: cannot be written\n",
			options->tsv);
		status = 1;
	}
	return status;
}

static int run_options(const struct options *options)
{
	if (options->tsv && !options->sweep.from)
		return wrong("--tsv is for a sweep: give --sweep, too",
			     options->tsv);
	if (options->sweep.from &&
	    (options->cliffs || options->json || options->bytes))
		return wrong("a sweep has no --cliffs, --json or --size",
			     "--sweep");
	if (options->rows && !*options->rows)
		return wrong("no name of a row", "--rows");
	if (options->against && !*options->against)
		return wrong("no selector of a device", "--against");
	if (options->cliffs && options->against)
		return wrong("--cliffs compares with an addition on the same "
			     "device, so --against has no meaning",
			     options->against);
	if (options->list && options->cliffs)
		return bench_cliffs_list();
	if (options->list) {
		bench_show_list();
		return 0;
	}
	if (options->rows && !options->cliffs && !are_rows(options->rows))
		return wrong("no row has this name; dpr bench --list names "
			     "them",
			     options->rows);
	if (options->sweep.from)
		return run_sweep(options);
	return run_all(options, NULL);
}

/* Read the value of an option in numbers.  Returns 0 or an exit status. */
static int read_value(int option, struct options *o)
{
	if (option == 's' && !read_size(optarg, MEGABYTE, &o->bytes))
		return wrong("not a multiple of 1M up to 16G", optarg);
	if (option == 'n' && !read_number(optarg, 10000, &o->rounds))
		return wrong("not a number from 1 to 10000", optarg);
	if (option == 't' && !read_number(optarg, MOST_THREADS, &o->threads))
		return wrong("not a number from 1 to 1024", optarg);
	if (option == SWEEP && !read_range(optarg, &o->sweep))
		return wrong("no range of sizes, as in 4K:1G: multiples of 4K "
			     "up to 16G",
			     "--sweep");
	return 0;
}

int bench_main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "rows", required_argument, NULL, 'r' },
		{ "size", required_argument, NULL, 's' },
		{ "rounds", required_argument, NULL, 'n' },
		{ "threads", required_argument, NULL, 't' },
		{ "quick", no_argument, NULL, 'q' },
		{ "against", required_argument, NULL, 'a' },
		{ "cliffs", no_argument, NULL, 'c' },
		{ "sweep", required_argument, NULL, SWEEP },
		{ "tsv", required_argument, NULL, TSV },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct options o = { 0 };
	int option, status;

	if (bench_child_run(argc, argv, &status))
		return status;
	if (!bench_start_prepare())
		return wrong("no memory", "bench");
	while ((option = getopt_long(argc, argv, "jvr:s:n:t:qa:clh", longs,
				     NULL)) != -1) {
		switch (option) {
		case 'j': o.json = true; break;
		case 'v': o.verbose = true; break;
		case 'r': o.rows = optarg; break;
		case 's':
		case 'n':
		case 't':
		case SWEEP:
			status = read_value(option, &o);
			if (status)
				return status;
			break;
		case TSV: o.tsv = optarg; break;
		case 'q': o.quick = true; break;
		case 'a': o.against = optarg; break;
		case 'c': o.cliffs = true; break;
		case 'l': o.list = true; break;
		case 'h': return usage(stdout, 0);
		default: return usage(stderr, 2);
		}
	}
	if (argc - optind > 1)
		return wrong("more than one selector; a list of them is one "
			     "word, separated by commas",
			     argv[optind + 1]);
	o.selector = optind < argc ? argv[optind] : NULL;
	return run_options(&o);
}
