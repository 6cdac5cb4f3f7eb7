/* SPDX-License-Identifier: Apache-2.0 */
/* bench_sweep.c - dpr bench --sweep: rates over the size of the operands. */
#include "tools/bench/bench_sweep.h"

#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include <dpr/version.h>

#include "tools/bench/bench_measure.h"
#include "tools/bench/bench_rows.h"
#include "tools/bench/bench_team.h"
#include "tools/shared/progress_line.h"
#include "tools/shared/seconds.h"

/* On the CPU one thread may be faster than all for operands up to this size. */
#define SMALL ((size_t)8 << 20)

/* A row on a device. */
struct series {
	struct bench_sweep *sweep;
	const struct bench_row *row;
	struct bench bench;
	/* The device that the baselines run on; without one: the same. */
	struct bench other;
	/* A team of one thread; NULL: no baseline has threads. */
	struct bench_team *one;
	char baseline[64]; /* the baseline that was named last */
};

struct point {
	struct bench_figures figures;
	double first;                 /* the rate of the first call */
	char baseline[64], note[200]; /* note: why there is no figure */
	bool is_measured, has_baseline;
	bool is_absent; /* the device does not have the row */
};

/* Whether a row is swept.  Rows with a layout need large operands. */
static bool is_wanted(const char *patterns, const struct bench_row *row)
{
	return row->unit == BENCH_GBPS && !row->layout &&
	       bench_side_wants(patterns ? patterns : "add,sum,copy",
				row->name);
}

bool bench_sweep_has_rows(const char *patterns)
{
	for (size_t i = 0; i < bench_rows_count; i++)
		if (is_wanted(patterns, &bench_rows[i]))
			return true;
	return false;
}

/* Write a text without tabs and ends of lines. */
static void write_word(const char *text, FILE *to)
{
	for (; *text; text++)
		fputc((unsigned char)*text < 0x20 ? ' ' : *text, to);
}

/* Keep the first line of a message as the note. */
static void keep_note(struct point *point, struct message *message)
{
	const char *text = message_text(message);

	snprintf(point->note, sizeof(point->note), "%.*s",
		 (int)strcspn(text, "\n"), text);
	message_clear(message);
}

/* --- One size --------------------------------------------------------------
 */

/* Time the first call with operands of this size. */
static bool measure_first(struct series *s, struct point *point,
			  struct message *message)
{
	struct bench bench = s->bench;
	struct bench_side side = { .work = 0 };
	double seconds;
	bool ok;

	bench.batch = 1;
	ok = s->row->ours(&bench, &side, message);
	if (ok && side.run) {
		seconds = seconds_now();
		ok = side.run(side.state, message);
		seconds = seconds_now() - seconds;
		point->first = side.work / (seconds > 1e-9 ? seconds : 1e-9);
		point->first *= 1e-9;
	} else if (ok) {
		point->is_absent = true;
		ok = message_set(message, "%s", side.name);
	}
	bench_side_close(&side);
	return ok;
}

/* Measure in turns with the baseline that uses @team. */
static bool measure_pair(struct series *s, struct bench_team *team,
			 struct point *point, struct message *message)
{
	struct bench_side ours = { .work = 0 }, baseline = { .work = 0 };
	struct message why = MESSAGE_NONE;
	struct bench bench = s->bench;
	bool ok;

	bench.team = team;
	bench.threads = (unsigned)bench_team_size(team);
	ok = s->row->ours(&bench, &ours, message);
	if (ok && !bench_rows_open_baseline(s->row, &bench,
					    s->other.device ? &s->other : NULL,
					    &baseline, &why)) {
		/* No kernel of the baseline divides so few elements. */
		bench_side_close(&baseline);
		baseline = (struct bench_side){ .work = 0 };
		snprintf(baseline.name, sizeof(baseline.name), "%.60s",
			 message_text(&why));
	}
	if (ok)
		ok = bench_measure(&bench, BENCH_GBPS, &ours, &baseline,
				   &point->figures, message);
	point->has_baseline = baseline.run != NULL;
	snprintf(point->baseline, sizeof(point->baseline), "%s",
		 *baseline.name ? baseline.name : "none");
	bench_side_close(&baseline);
	bench_side_close(&ours);
	message_clear(&why);
	return ok;
}

static void measure_point(struct series *s, size_t bytes, struct point *point)
{
	struct message message = MESSAGE_NONE;
	struct point other;
	bool ok;

	memset(point, 0, sizeof(*point));
	s->bench.bytes = s->bench.transfer_bytes = bytes;
	s->other.bytes = s->other.transfer_bytes = bytes;
	ok = measure_first(s, point, &message) &&
	     measure_pair(s, s->bench.team, point, &message);
	if (ok && s->one && bytes <= SMALL) {
		other = *point;
		ok = measure_pair(s, s->one, &other, &message);
		if (ok && other.figures.baseline.median >
				  point->figures.baseline.median)
			*point = other;
	}
	point->is_measured = ok;
	if (!ok)
		keep_note(point, &message);
}

/* --- Output ----------------------------------------------------------------
 */

/* The name of the CPU, or "". */
static void find_cpu(char *out, size_t room)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];

	*out = 0;
	while (file && !*out && fgets(line, sizeof(line), file))
		if (!strncmp(line, "model name", 10) && strchr(line, ':'))
			snprintf(out, room, "%.*s",
				 (int)strcspn(strchr(line, ':') + 2, "\n"),
				 strchr(line, ':') + 2);
	if (file)
		fclose(file);
}

void bench_sweep_head(struct bench_sweep *sweep, unsigned cpus, double load)
{
	const time_t now = time(NULL);
	struct utsname system;
	struct tm day;
	char cpu[128], date[32] = "";

	find_cpu(cpu, sizeof(cpu));
	if (gmtime_r(&now, &day))
		strftime(date, sizeof(date), "%Y-%m-%d", &day);
	if (uname(&system))
		memset(&system, 0, sizeof(system));
	fprintf(sweep->to,
		"# machine: %u CPU%s, %s%s%s %s; load average %.1f at the "
		"start; dpr %s, %s\n",
		cpus, cpus == 1 ? "" : "s", cpu, *cpu ? ", " : "",
		system.sysname, system.machine, load, dpr_version(), date);
	fputs("# rate, baseline and first (the first call) are in GB/s\n"
	      "device\trow\tbytes\trate\trate_low\trate_high\tbaseline\tratio\t"
	      "first\trounds\n",
	      sweep->to);
}

static void write_device(FILE *to, const dpr_device *device)
{
	const char *version =
		dpr_device_info_string(device, DPR_INFO_DRIVER_VERSION);

	fprintf(to, "# %s: ", dpr_device_selector(device));
	write_word(dpr_device_name(device), to);
	fputs("; driver: ", to);
	write_word(version && *version ? version : "no version", to);
	fputc('\n', to);
}

static void write_point(struct series *s, size_t bytes,
			const struct point *point)
{
	const struct bench_figures *f = &point->figures;
	const char *device = dpr_device_selector(s->bench.device);
	FILE *to = s->sweep->to;

	if (point->is_absent) {
		fprintf(to, "# %s: not measured: %s\n", s->row->name,
			point->note);
		return;
	}
	if (!point->is_measured) {
		fprintf(to, "# %s of %zu bytes: not measured: ", s->row->name,
			bytes);
		write_word(point->note, to);
		fputc('\n', to);
		return;
	}
	if (strcmp(s->baseline, point->baseline)) {
		memcpy(s->baseline, point->baseline, sizeof(s->baseline));
		fprintf(to, "# %s: baseline: ", s->row->name);
		write_word(s->baseline, to);
		fputc('\n', to);
	}
	fprintf(to, "%s\t%s\t%zu\t%.6g\t%.6g\t%.6g\t", device, s->row->name,
		bytes, f->value.median, f->value.low, f->value.high);
	if (point->has_baseline)
		fprintf(to, "%.6g\t%.4g", f->baseline.median, f->ratio);
	else
		fputs("NaN\tNaN", to);
	fprintf(to, "\t%.6g\t%d\n", point->first, f->rounds);
}

/* --- All sizes -------------------------------------------------------------
 */

static void run_series(struct series *s)
{
	const struct bench_sweep_range *range = &s->sweep->range;
	struct point point;

	for (size_t bytes = range->from; bytes <= range->to; bytes *= 2) {
		progress_line_show("%s on %s: %zu KiB", s->row->name,
				   dpr_device_selector(s->bench.device),
				   bytes >> 10);
		measure_point(s, bytes, &point);
		progress_line_end();
		s->sweep->errors += !point.is_measured && !point.is_absent;
		write_point(s, bytes, &point);
		fflush(s->sweep->to);
		/* More elements will not be measured either. */
		if (!point.is_measured)
			break;
	}
}

bool bench_sweep_run(struct bench_sweep *sweep, const struct bench *bench,
		     const struct bench *other, struct message *message)
{
	struct series s = { .sweep = sweep, .bench = *bench };

	if (other) {
		s.other = *other;
	} else if (!strcmp(dpr_device_backend(bench->device), "host")) {
		s.one = bench_team_new(1, message);
		if (!s.one)
			return false;
	}
	write_device(sweep->to, bench->device);
	for (size_t i = 0; i < bench_rows_count; i++) {
		if (!is_wanted(sweep->rows, &bench_rows[i]))
			continue;
		s.row = &bench_rows[i];
		*s.baseline = 0;
		run_series(&s);
	}
	bench_team_free(s.one);
	return true;
}
