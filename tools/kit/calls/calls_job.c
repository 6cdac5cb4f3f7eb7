/* SPDX-License-Identifier: Apache-2.0 */
/* calls_job.c - launches of LAPACK's routines: arguments, and what may change.
 */
#include "tools/kit/calls/calls_job.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/kit/samples.h"
#include "tools/kit/work.h"

static bool is_double(const struct calls_job *job)
{
	return job->type->item / job->type->parts == 8;
}

char calls_own(const struct calls_job *job)
{
	return job->type->parts == 2 ? calls_complex(job) : calls_real(job);
}

char calls_real(const struct calls_job *job)
{
	return is_double(job) ? 'd' : 'f';
}

char calls_complex(const struct calls_job *job)
{
	return is_double(job) ? 'z' : 'c';
}

double calls_allowed(const struct calls_job *job)
{
	const int64_t most = job->at->m > job->at->n ? job->at->m : job->at->n;

	return (is_double(job) ? 0x1p-52 : 0x1p-23) * 16 * (double)(most + 4);
}

void calls_bad(const struct calls_job *job, const char *expected,
	       const char *got, ...)
{
	char text[200];
	va_list list;

	va_start(list, got);
	vsnprintf(text, sizeof(text), got, list);
	va_end(list);
	note_step("queue->launch", "%s %s, %s, m=%d, n=%d, k=%d, flags=%d",
		  job->routine, job->type->name, job->at->about, (int)job->v.m,
		  (int)job->v.n, (int)job->v.k, (int)job->v.flags);
	note_bad(job->rule, expected, "%s", text);
}

/* --- Elements ------------------------------------------------------------- */

static double complex load(char kind, const unsigned char *from)
{
	double of[2] = { 0, 0 };
	float single[2];
	int64_t number;
	int32_t info;

	switch (kind) {
	case 'f':
	case 'c':
		memcpy(single, from, kind == 'c' ? 8 : 4);
		of[0] = single[0];
		of[1] = kind == 'c' ? single[1] : 0;
		break;
	case 'i':
		memcpy(&info, from, sizeof(info));
		of[0] = info;
		break;
	case 'p':
		memcpy(&number, from, sizeof(number));
		of[0] = (double)number;
		break;
	default: memcpy(of, from, kind == 'z' ? 16 : 8); break;
	}
	return of[0] + I * of[1];
}

/* Store a number of a float or complex kind. */
static void store(char kind, double complex value, unsigned char *to)
{
	const double of[2] = { creal(value), cimag(value) };
	const float single[2] = { (float)of[0], (float)of[1] };
	const int64_t number = kind == 'p' ? (int64_t)of[0] : 0;

	if (kind == 'f' || kind == 'c')
		memcpy(to, single, kind == 'c' ? 8 : 4);
	else if (kind == 'p')
		memcpy(to, &number, sizeof(number));
	else
		memcpy(to, of, kind == 'z' ? 16 : 8);
}

static int64_t place(const struct calls_arg *x, int64_t problem, int64_t i,
		     int64_t j)
{
	return x->offset + problem * x->stride + i + j * x->leading;
}

void calls_put_one(struct calls_job *job, int arg, int64_t problem, int64_t i,
		   int64_t j, double complex value)
{
	const struct calls_arg *x = &job->args[arg];

	store(x->kind, value,
	      x->before + (size_t)place(x, problem, i, j) * x->item);
}

void calls_put(struct calls_job *job, int arg, int64_t problem,
	       const struct calls_matrix *x)
{
	for (int64_t j = 0; j < x->columns; j++)
		for (int64_t i = 0; i < x->rows; i++)
			calls_put_one(job, arg, problem, i, j,
				      x->at[i + j * x->rows]);
}

static void take(const struct calls_arg *x, const unsigned char *bytes,
		 int64_t problem, struct calls_matrix *out)
{
	calls_zeros(out, x->rows, x->columns);
	for (int64_t j = 0; j < x->columns; j++)
		for (int64_t i = 0; i < x->rows; i++)
			*calls_at(out, i, j) =
				load(x->kind,
				     bytes + (size_t)place(x, problem, i, j) *
						     x->item);
}

void calls_before(const struct calls_job *job, int arg, int64_t problem,
		  struct calls_matrix *out)
{
	take(&job->args[arg], job->args[arg].before, problem, out);
}

void calls_get(const struct calls_job *job, int arg, int64_t problem,
	       struct calls_matrix *out)
{
	take(&job->args[arg], job->args[arg].bytes, problem, out);
}

/* --- Numbers -------------------------------------------------------------- */

double calls_random(struct calls_job *job)
{
	uint64_t bits;

	job->seed += UINT64_C(0x9e3779b97f4a7c15);
	bits = (job->seed ^ job->seed >> 31) * UINT64_C(0xd6e8feb86659fd93);
	bits ^= bits >> 32;
	return (double)(bits >> 42) * 0x1p-21 - 1;
}

int64_t calls_draw(struct calls_job *job, int64_t below)
{
	return (int64_t)((calls_random(job) + 1) / 2 * (double)below) % below;
}

double complex calls_number(struct calls_job *job)
{
	const double real = calls_random(job);

	return job->type->parts == 1 ? real : real + I * calls_random(job);
}

void calls_fill(struct calls_job *job, struct calls_matrix *x, int64_t rows,
		int64_t columns)
{
	x->rows = rows;
	x->columns = columns;
	for (int64_t i = 0; i < rows * columns; i++)
		x->at[i] = calls_number(job);
}

/* A product of two reflections. */
void calls_unitary(struct calls_job *job, struct calls_matrix *x, int64_t n)
{
	struct calls_matrix v;

	calls_identity(x, n, n);
	for (int turn = 0; turn < 2; turn++) {
		double norm = 1;

		calls_fill(job, &v, n, 1);
		for (int64_t i = 1; i < n; i++)
			norm += pow(cabs(v.at[i]), 2);
		calls_reflect(&v, 0, 2 / norm, x);
	}
}

/* --- Shapes --------------------------------------------------------------- */

bool calls_is_square(const struct calls_case *at)
{
	return at->m == at->n;
}

bool calls_is_tall(const struct calls_case *at)
{
	return at->m >= at->n;
}

bool calls_is_any(const struct calls_case *at)
{
	(void)at;
	return true;
}

/* --- Arguments ------------------------------------------------------------ */

void calls_begin(struct calls_job *job, struct kit *kit,
		 const struct calls_routine *routine,
		 const struct calls_type *type, const struct calls_case *at)
{
	*job = (struct calls_job){ .kit = kit,
				   .routine = routine->name,
				   .type = type,
				   .at = at,
				   .bad = -1,
				   .rule = "X2",
				   .seed = at->seed };
	/* A routine does not look at extents that it does not have. */
	job->v = (dprp_lapack){
		.m = -1, .n = at->n, .k = -1, .count = at->count
	};
}

/* Choose offsets and gaps, all of one size or drawn. */
static void lay_out(struct calls_job *job, struct calls_arg *x)
{
	const int64_t count = job->at->count, gap = job->n_args + 2;
	enum calls_layout layout = job->at->layout;
	int64_t gaps[3] = { 0 };

	for (int i = 0; i < 3; i++)
		if (layout == CALLS_DRAWN)
			gaps[i] = calls_draw(job, 6);
		else if (layout != CALLS_TIGHT)
			gaps[i] = gap;
	if (layout == CALLS_DRAWN)
		layout = (enum calls_layout)calls_draw(job, CALLS_DRAWN);
	x->offset = gaps[0];
	if (layout == CALLS_INTERLOCK) {
		x->leading = x->rows * count + gaps[1];
		x->stride = x->rows;
	} else {
		x->leading = x->rows + gaps[1];
		x->stride = x->leading * x->columns + gaps[2];
	}
	x->size = x->offset + x->leading * x->columns + x->stride * count + 1;
	if (layout == CALLS_BACK) {
		x->offset += x->stride * (count - 1);
		x->stride = -x->stride;
	}
}

struct calls_arg *calls_add(struct calls_job *job, char kind, int64_t rows,
			    int64_t columns)
{
	struct calls_arg *x = &job->args[job->n_args];

	*x = (struct calls_arg){ .kind = kind,
				 .rows = rows,
				 .columns = columns,
				 .item = kind == 'f' || kind == 'i' ? 4
					 : kind == 'z'              ? 16
								    : 8 };
	lay_out(job, x);
	x->before = malloc((size_t)x->size * x->item);
	x->bytes = malloc((size_t)x->size * x->item);
	if (!x->before || !x->bytes)
		note_skip("out of memory");
	memset(x->before, 0xff, (size_t)x->size * x->item);
	x->mem = work_mem(job->kit, (uint64_t)x->size * x->item);
	job->v.offset[job->n_args] = x->offset;
	job->v.stride[job->n_args] = x->stride;
	job->v.leading[job->n_args] = columns > 1 ? x->leading : rows;
	job->n_args++;
	return x;
}

void calls_end(struct calls_job *job)
{
	for (int i = 0; i < job->n_args; i++) {
		work_free(job->kit, job->args[i].mem);
		free(job->args[i].before);
		free(job->args[i].bytes);
	}
}

/* --- Launches ------------------------------------------------------------- */

/* Launch over other memory than the arguments' own, unless @mem is NULL. */
static dprp_rc launch(const struct calls_job *job, dprp_queue *queue,
		      dprp_mem *const *mem)
{
	dprp_arg args[DPRP_LAPACK_ARGS + 1];
	const dprp_launch launch = { .struct_size = sizeof(launch),
				     .dims = 1,
				     .n_args = (uint32_t)job->n_args + 1,
				     .global = { 1, 1, 1 },
				     .args = args };
	dprp_kernel *kernel = samples_kernel(job->kit, job->routine);
	dprp_rc rc;

	for (int i = 0; i < job->n_args; i++)
		args[i] = samples_mem(mem ? mem[i] : job->args[i].mem, 0);
	args[job->n_args] = samples_value(&job->v, sizeof(job->v));
	rc = NOTE_CALL(job->kit->plugin->queue->launch(queue, kernel, &launch,
						       NULL, NULL),
		       "queue->launch", "%s %s, %s, flags=%d", job->routine,
		       job->type->name, job->at->about, (int)job->v.flags);
	samples_drop(job->kit, kernel);
	return rc;
}

static size_t bytes_of(const struct calls_arg *x)
{
	return (size_t)x->size * x->item;
}

static void send(struct calls_job *job)
{
	for (int i = 0; i < job->n_args; i++)
		work_write(job->kit, job->args[i].mem, 0, job->args[i].before,
			   bytes_of(&job->args[i]));
}

static void receive(struct calls_job *job)
{
	for (int i = 0; i < job->n_args; i++)
		work_read(job->kit, job->args[i].mem, 0, job->args[i].bytes,
			  bytes_of(&job->args[i]));
}

/* Launch between copies to other memory and back, on a queue that is busy. */
static dprp_rc launch_late(struct calls_job *job)
{
	struct kit *kit = job->kit;
	struct work_long work = work_long(kit);
	dprp_mem *mem[DPRP_LAPACK_ARGS];
	dprp_rc rc;

	job->rule = "S5";
	for (int i = 0; i < job->n_args; i++)
		mem[i] = work_mem(kit, bytes_of(&job->args[i]));
	work_long_begin(kit, &work, kit->queue, NULL);
	for (int i = 0; i < job->n_args; i++)
		work_copy(kit, kit->queue, mem[i], 0, job->args[i].mem, 0,
			  bytes_of(&job->args[i]), NULL, 0, NULL);
	rc = launch(job, kit->queue, mem);
	for (int i = 0; i < job->n_args; i++)
		work_copy(kit, kit->queue, job->args[i].mem, 0, mem[i], 0,
			  bytes_of(&job->args[i]), NULL, 0, NULL);
	work_finish(kit, kit->queue);
	for (int i = 0; i < job->n_args; i++)
		work_free(kit, mem[i]);
	work_long_end(kit, &work);
	return rc;
}

/* Launch while another queue runs the same problems, from the last to the
   first, over other memory. */
static dprp_rc launch_beside(struct calls_job *job)
{
	const dprp_lapack v = job->v;
	struct kit *kit = job->kit;
	uint64_t got;
	dprp_queue *queue = kit_queue(kit, 0, &got);
	dprp_mem *mem[DPRP_LAPACK_ARGS];
	dprp_rc rc;

	for (int i = 0; i < job->n_args; i++) {
		mem[i] = work_mem(kit, bytes_of(&job->args[i]));
		work_write(kit, mem[i], 0, job->args[i].before,
			   bytes_of(&job->args[i]));
		job->v.offset[i] += (v.count - 1) * v.stride[i];
		job->v.stride[i] = -v.stride[i];
	}
	rc = launch(job, queue, mem);
	job->v = v;
	if (!rc)
		rc = launch(job, kit->queue, NULL);
	work_finish(kit, queue);
	work_finish(kit, kit->queue);
	for (int i = 0; i < job->n_args; i++)
		work_free(kit, mem[i]);
	work_drop_queue(kit, queue);
	return rc;
}

/* --- What was written ----------------------------------------------------- */

/* Mark the elements that the launch may write. */
static void mark(const struct calls_job *job, const struct calls_arg *x,
		 bool *may_write)
{
	if (x->is_read || x->is_idle)
		return;
	for (int64_t b = 0; b < job->at->count; b++)
		for (int64_t j = 0; j < x->columns; j++)
			for (int64_t i = 0; i < x->rows; i++)
				may_write[place(x, b, i, j)] = true;
}

/* Check that nothing else was written, and nothing at all if @is_refused. */
static void check_gaps(const struct calls_job *job, bool is_refused)
{
	for (int a = 0; a < job->n_args; a++) {
		const struct calls_arg *x = &job->args[a];
		bool *may_write = calloc((size_t)x->size, sizeof(*may_write));
		size_t i = 0;

		if (!may_write)
			note_skip("out of memory");
		if (!is_refused)
			mark(job, x, may_write);
		while (i < (size_t)x->size &&
		       (may_write[i] ||
			!memcmp(x->before + i * x->item, x->bytes + i * x->item,
				x->item)))
			i++;
		if (i < (size_t)x->size)
			calls_bad(job,
				  is_refused ? "nothing written after a failure"
					     : "results, and no other bytes "
					       "written",
				  "element %zu of argument %d was written", i,
				  a);
		free(may_write);
	}
}

/* Check info, the last argument. */
static void check_info(struct calls_job *job)
{
	const int arg = job->n_args - 1;
	const char *rule = job->rule;
	struct calls_matrix is;

	if (!strcmp(rule, "X2"))
		job->rule = "X4";
	for (int64_t b = 0; b < job->at->count; b++) {
		const int64_t want = b == job->bad ? job->bad_info : 0;

		calls_get(job, arg, b, &is);
		if (want < 0 ? creal(is.at[0]) < 0
			     : creal(is.at[0]) != (double)want)
			calls_bad(job,
				  want < 0 ? "an info that is not below 0"
				  : want   ? "LAPACK's info of a matrix that "
					     "has no result"
					   : "an info of 0",
				  "%g for matrix %d, not %d", creal(is.at[0]),
				  (int)b, (int)want);
	}
	job->rule = rule;
}

bool calls_run(struct calls_job *job)
{
	dprp_rc rc;

	send(job);
	switch (job->at->time) {
	case CALLS_LATE: rc = launch_late(job); break;
	case CALLS_BESIDE: rc = launch_beside(job); break;
	default: rc = launch(job, job->kit->queue, NULL); break;
	}
	if (rc != DPR_RC_UNSUPPORTED)
		note_need("X2", rc);
	else
		note_tell("%s %s, %s: %s", job->routine, job->type->name,
			  job->at->about, note_error_text());
	work_finish(job->kit, job->kit->queue);
	receive(job);
	check_gaps(job, rc != DPR_RC_OK);
	if (rc)
		return false;
	check_info(job);
	return true;
}

void calls_refused(struct calls_job *job, dprp_rc want, const char *rule)
{
	send(job);
	note_want(rule, launch(job, job->kit->queue, NULL), want);
	work_finish(job->kit, job->kit->queue);
	job->rule = rule;
	receive(job);
	check_gaps(job, true);
}

/* --- Results -------------------------------------------------------------- */

void calls_compare(const struct calls_job *job, const struct calls_matrix *got,
		   const struct calls_matrix *want, const char *what)
{
	double most = 1, away = 0;
	int64_t at = 0;

	for (int64_t i = 0; i < want->rows * want->columns; i++)
		most = fmax(most, cabs(want->at[i]));
	for (int64_t i = 0; i < want->rows * want->columns; i++) {
		const double d = cabs(got->at[i] - want->at[i]);

		/* NaN is not less. */
		if (!(d <= away)) {
			away = isnan(d) ? INFINITY : d;
			at = i;
		}
	}
	if (!(away <= calls_allowed(job) * most))
		calls_bad(job, what, "element (%d, %d): off by %g",
			  (int)(at % want->rows), (int)(at / want->rows), away);
}

void calls_orthonormal(const struct calls_job *job,
		       const struct calls_matrix *x, bool rows,
		       const char *what)
{
	struct calls_matrix product, one;

	calls_product(x, !rows, x, rows, &product);
	calls_identity(&one, product.rows, product.columns);
	calls_compare(job, &product, &one, what);
}
