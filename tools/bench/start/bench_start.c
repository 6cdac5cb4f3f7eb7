/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_start.c - the time from the start of a process to its first result, or
 * to its end.  The processes are children of this program, which add 16
 * elements with dpr or with the driver alone, or list devices.
 */
#include "tools/bench/start/bench_start.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dpr/dpr.h>

#include "tools/bench/bench_calls.h"
#include "tools/bench/bench_cl.h"
#include "tools/bench/bench_values.h"
#include "tools/shared/seconds.h"

extern char **environ;

/* A child that writes nothing for this long is killed. */
#define PATIENCE_MS 60000

/* A copy of the environment from before any driver was opened. */
static char **first_environment;

bool bench_start_prepare(void)
{
	size_t n = 0;

	while (environ[n])
		n++;
	first_environment = calloc(n + 1, sizeof(*first_environment));
	for (size_t i = 0; first_environment && i < n; i++) {
		first_environment[i] = strdup(environ[i]);
		if (!first_environment[i])
			return false;
	}
	return first_environment != NULL;
}

#define OWN_VARIABLES 4
#define OWN_BYTES 320

struct start {
	struct bench_child child;
	char words[3][128];
	char **environment; /* NULL: not made yet */
	/* What the environment has beside, or in place of, this process's. */
	char own[OWN_VARIABLES][OWN_BYTES];
	int n_own;
	char folder[256]; /* of the caches, if they are empty; else "" */
	double seconds, reported;
};

static double start_took(void *state)
{
	return ((struct start *)state)->seconds;
}

static int remove_one(const char *path, const struct stat *status, int type,
		      struct FTW *at)
{
	(void)status;
	(void)type;
	(void)at;
	return remove(path);
}

/* Remove @folder and all that is in it; false: something is left. */
static bool remove_folder(const char *folder)
{
	return !nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Remove what the last child has kept. */
static bool empty_caches(const struct start *s, struct message *message)
{
	if (!*s->folder ||
	    (remove_folder(s->folder) && !mkdir(s->folder, 0700)))
		return true;
	return message_set(message, "cannot empty %s: %s", s->folder,
			   strerror(errno));
}

static void close_start(void *state)
{
	struct start *s = state;

	if (!s)
		return;
	if (s->child.input >= 0)
		close(s->child.input);
	if (*s->folder)
		remove_folder(s->folder);
	free(s->environment);
	free(s);
}

/* Wait until the child closes its output, or writes the byte 'k', which says
   that its result is right. */
static bool wait_for_child(struct start *s, int fd, struct message *message)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	char bytes[4096];
	ssize_t n;

	do {
		if (poll(&poll_fd, 1, PATIENCE_MS) != 1)
			return message_set(message,
					   "a child gave no result within %d s",
					   PATIENCE_MS / 1000);
		n = read(fd, bytes, s->child.whole ? sizeof(bytes) : 1);
	} while (s->child.whole && n > 0);
	if (n < 0 || (!s->child.whole && (n != 1 || bytes[0] != 'k')))
		return message_set(message, "a child has failed");
	if (s->child.reports &&
	    read(fd, &s->reported, sizeof(s->reported)) != sizeof(s->reported))
		return message_set(message, "a child did not report its time");
	return true;
}

/* Start the child with @fd as its standard output. */
static bool spawn(struct start *s, int fd, pid_t *child,
		  struct message *message)
{
	char *argv[] = { (char *)"dpr", s->words[0], s->words[1], s->words[2],
			 NULL };
	posix_spawn_file_actions_t actions;
	int i, error;

	for (i = 1; i < 4; i++)
		if (!*argv[i])
			argv[i] = NULL;
	if (s->child.input >= 0)
		lseek(s->child.input, 0, SEEK_SET);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd, 1);
	if (s->child.input >= 0)
		posix_spawn_file_actions_adddup2(&actions, s->child.input, 0);
	error = posix_spawn(child, "/proc/self/exe", &actions, NULL, argv,
			    s->environment);
	posix_spawn_file_actions_destroy(&actions);
	return error ? message_set(message, "cannot start a child: %s",
				   strerror(error))
		     : true;
}

static bool start_run(void *state, struct message *message)
{
	struct start *s = state;
	int fds[2], status = 0;
	double begin;
	pid_t child;
	bool ok;

	if (!empty_caches(s, message))
		return false;
	if (pipe2(fds, O_CLOEXEC))
		return message_set(message, "cannot make a pipe");
	begin = seconds_now();
	ok = spawn(s, fds[1], &child, message);
	close(fds[1]);
	if (!ok) {
		close(fds[0]);
		return false;
	}
	ok = wait_for_child(s, fds[0], message);
	s->seconds = seconds_now() - begin;
	close(fds[0]);
	if (!ok)
		kill(child, SIGKILL);
	waitpid(child, &status, 0);
	if (s->child.whole)
		s->seconds = seconds_now() - begin;
	if (s->child.reports)
		s->seconds = s->reported;
	if (ok && status)
		return message_set(message, "a child ended with status %d",
				   status);
	return ok;
}

/* Set a variable of the child's environment. */
static void set_variable(struct start *s, const char *name, const char *value)
{
	snprintf(s->own[s->n_own++], OWN_BYTES, "%s=%s", name, value);
}

/* Whether the child has a value of its own for @variable. */
static bool is_own(const struct start *s, const char *variable)
{
	for (int i = 0; i < s->n_own; i++) {
		const size_t length = strcspn(s->own[i], "=") + 1;

		if (!strncmp(s->own[i], variable, length))
			return true;
	}
	return false;
}

/* Make a folder in which dpr and the drivers keep what they compile. */
static bool make_caches(struct start *s, struct message *message)
{
	const char *parent = getenv("TMPDIR");

	if (snprintf(s->folder, sizeof(s->folder), "%s/dpr-bench-XXXXXX",
		     parent && *parent ? parent : "/tmp") >=
		    (int)sizeof(s->folder) ||
	    !mkdtemp(s->folder)) {
		*s->folder = '\0';
		return message_set(message, "cannot make a temporary folder");
	}
	set_variable(s, "DPR_CACHE_DIR", s->folder);
	set_variable(s, "POCL_CACHE_DIR", s->folder);
	set_variable(s, "CUDA_CACHE_DISABLE", "1");
	return true;
}

static bool make_environment(struct start *s, struct message *message)
{
	size_t n = 0, used = 0;

	while (first_environment[n])
		n++;
	s->environment = calloc(n + OWN_VARIABLES + 1, sizeof(*s->environment));
	if (!s->environment)
		return message_set(message, "no memory for a row");
	for (int i = 0; i < s->n_own; i++)
		s->environment[used++] = s->own[i];
	for (size_t i = 0; i < n; i++)
		if (!is_own(s, first_environment[i]))
			s->environment[used++] = first_environment[i];
	return true;
}

bool bench_start_open(const struct bench_child *child, struct bench_side *side,
		      struct message *message)
{
	struct start *s = calloc(1, sizeof(*s));

	if (!s) {
		if (child->input >= 0)
			close(child->input);
		return message_set(message, "no memory for a row");
	}
	s->child = *child;
	for (int i = 0; i < 3 && child->words[i]; i++)
		snprintf(s->words[i], sizeof(s->words[i]), "%s",
			 child->words[i]);
	side->state = s;
	side->work = 1;
	side->run = start_run;
	side->took = start_took;
	side->close = close_start;
	if (child->backend)
		set_variable(s, "DPR_BACKEND", child->backend);
	if (child->cold && !make_caches(s, message))
		return false;
	return make_environment(s, message);
}

/* Open a side whose child runs @program on the device with dpr. */
static bool open_ours(struct bench *bench, const char *program, bool cold,
		      struct bench_side *side, struct message *message)
{
	return bench_start_open(
		&(struct bench_child){
			.words = { "bench", program,
				   dpr_device_selector(bench->device) },
			.input = -1,
			.cold = cold },
		side, message);
}

bool bench_start_ours(struct bench *bench, struct bench_side *side,
		      struct message *message)
{
	return open_ours(bench, "--start-ours", false, side, message);
}

bool bench_start_cold(struct bench *bench, struct bench_side *side,
		      struct message *message)
{
	return open_ours(bench, "--start-ours", true, side, message);
}

bool bench_start_ten(struct bench *bench, struct bench_side *side,
		     struct message *message)
{
	return open_ours(bench, "--start-ten", true, side, message);
}

/* Whether the device needs no compiler for array functions. */
static bool is_native(const struct bench *bench)
{
	const char *format = dpr_array_kernel_format(bench->device);

	return format && !strncmp(format, "native-", strlen("native-"));
}

/* One addition with OpenCL alone.  Where array functions need no compiler, the
   caches are warm: nobody has to wait longer than without a compiler. */
static bool open_driver(struct bench *bench, bool cold, struct bench_side *side,
			struct message *message)
{
	char place[32];

	if (bench->cl->platform < 0)
		return bench_side_none(side, "a part of a device");
	cold = cold && !is_native(bench);
	snprintf(side->name, sizeof(side->name),
		 "an addition with OpenCL alone, %s caches",
		 cold ? "empty" : "warm");
	snprintf(place, sizeof(place), "%d:%d", bench->cl->platform,
		 bench->cl->index);
	return bench_start_open(
		&(struct bench_child){
			.words = { "bench", "--start-driver", place },
			.input = -1,
			.cold = cold },
		side, message);
}

bool bench_start_driver(struct bench *bench, struct bench_side *side,
			struct message *message)
{
	return open_driver(bench, false, side, message);
}

bool bench_start_driver_cold(struct bench *bench, struct bench_side *side,
			     struct message *message)
{
	return open_driver(bench, true, side, message);
}

bool bench_start_devices(struct bench *bench, struct bench_side *side,
			 struct message *message)
{
	return bench_start_open(
		&(struct bench_child){
			.words = { "devices" },
			.backend = dpr_device_backend(bench->device),
			.input = -1,
			.whole = true },
		side, message);
}

/* --- The children ------------------------------------------------------------
 */

int bench_start_finish(bool ok, int fd, struct message *message)
{
	if (!ok)
		fprintf(stderr, "dpr bench: %s\n", message_text(message));
	else if (write(fd, "k", 1) != 1)
		ok = false;
	message_clear(message);
	return !ok;
}

int bench_start_report(bool ok, double seconds, int fd, struct message *message)
{
	const int status = bench_start_finish(ok, fd, message);

	if (status)
		return status;
	return write(fd, &seconds, sizeof(seconds)) != sizeof(seconds);
}

/* Two arrays on a queue. */
struct pair {
	dpr_queue *queue;
	dpr_array *a, *b;
};

static bool pair_open(struct pair *p, const char *selector,
		      struct message *message)
{
	float x[BENCH_CALLS_SMALL], y[BENCH_CALLS_SMALL];

	for (size_t i = 0; i < BENCH_CALLS_SMALL; i++) {
		x[i] = bench_values_x(i);
		y[i] = bench_values_y(i);
	}
	return (!dpr_canonical_queue(selector, &p->queue) &&
		!dpr_array_from_memory(x, DPR_SHAPE(BENCH_CALLS_SMALL), NULL,
				       DPR_FLOAT32, p->queue, &p->a) &&
		!dpr_array_from_memory(y, DPR_SHAPE(BENCH_CALLS_SMALL), NULL,
				       DPR_FLOAT32, p->queue, &p->b)) ||
	       bench_side_failed(message);
}

static void pair_close(struct pair *p)
{
	dpr_array_release(p->a);
	dpr_array_release(p->b);
}

/* Read @c and check that it is the sum.  Releases @c. */
static bool check_sum(dpr_array *c, struct message *message)
{
	float sum[BENCH_CALLS_SMALL];
	const dpr_status status =
		dpr_array_to_memory(c, sum, sizeof(sum), NULL);

	dpr_array_release(c);
	return status ? bench_side_failed(message)
		      : bench_values_check_add(sum, BENCH_CALLS_SMALL, 0,
					       "dpr_add", message);
}

int bench_start_child_ours(const char *selector, int fd)
{
	struct message message = MESSAGE_NONE;
	struct pair p = { NULL, NULL, NULL };
	dpr_array *c = NULL;
	int status;
	bool ok = pair_open(&p, selector, &message);

	if (ok && dpr_add(p.a, p.b, &c))
		ok = bench_side_failed(&message);
	ok = ok && check_sum(c, &message);
	status = bench_start_finish(ok, fd, &message);
	pair_close(&p);
	return status;
}

int bench_start_child_ten(const char *selector, int fd)
{
	static dpr_status (*const one[])(dpr_operand, dpr_array **) = {
		dpr_exp, dpr_sin, dpr_sqrt, dpr_tanh, dpr_abs
	};
	static dpr_status (*const two[])(dpr_operand, dpr_operand,
					 dpr_array **) = {
		dpr_subtract, dpr_multiply, dpr_divide, dpr_maximum, dpr_add
	};
	struct message message = MESSAGE_NONE;
	struct pair p = { NULL, NULL, NULL };
	dpr_array *c = NULL;
	int status;
	bool ok = pair_open(&p, selector, &message);

	for (int i = 0; ok && i < 10; i++) {
		dpr_array_release(c);
		c = NULL;
		if (i < 5 ? one[i](dpr_operand_array(p.a), &c)
			  : two[i - 5](dpr_operand_array(p.a),
				       dpr_operand_array(p.b), &c))
			ok = bench_side_failed(&message);
	}
	ok = ok && check_sum(c, &message);
	status = bench_start_finish(ok, fd, &message);
	pair_close(&p);
	return status;
}

/* The objects of the simplest program: one context, one queue, one kernel. */
struct plain {
	struct bench_cl *cl;
	void *program, *kernel;
	struct cl_memory x, y, out;
};

static bool plain_open(struct plain *p, struct message *message)
{
	float a[BENCH_CALLS_SMALL], b[BENCH_CALLS_SMALL];
	int32_t code;

	for (size_t i = 0; i < BENCH_CALLS_SMALL; i++) {
		a[i] = bench_values_x(i);
		b[i] = bench_values_y(i);
	}
	p->program = bench_cl_build(p->cl, bench_calls_source, "-cl-std=CL1.2",
				    message);
	if (!p->program)
		return false;
	p->kernel = p->cl->cl.clCreateKernel(p->program, "add", &code);
	if (!p->kernel)
		return bench_cl_failed(message, "clCreateKernel", code);
	return bench_cl_alloc(p->cl, sizeof(a), &p->x, message) &&
	       bench_cl_alloc(p->cl, sizeof(b), &p->y, message) &&
	       bench_cl_alloc(p->cl, sizeof(a), &p->out, message) &&
	       bench_cl_write(p->cl, &p->x, a, sizeof(a), message) &&
	       bench_cl_write(p->cl, &p->y, b, sizeof(b), message);
}

static bool plain_run(struct plain *p, float *sum, struct message *message)
{
	const struct cl_entries *cl = &p->cl->cl;
	const size_t range = BENCH_CALLS_SMALL;
	const int n = BENCH_CALLS_SMALL;
	int32_t code;

	code = bench_cl_set_memory(p->cl, p->kernel, 0, &p->x);
	code = code ? code : bench_cl_set_memory(p->cl, p->kernel, 1, &p->y);
	code = code ? code : bench_cl_set_memory(p->cl, p->kernel, 2, &p->out);
	code = code ? code : cl->clSetKernelArg(p->kernel, 3, sizeof(n), &n);
	code = code ? code
		    : cl->clEnqueueNDRangeKernel(p->cl->queue, p->kernel, 1,
						 NULL, &range, &range, 0, NULL,
						 NULL);
	if (code)
		return bench_cl_failed(message, "launch", code);
	return bench_cl_read(p->cl, sum, &p->out, n * sizeof(*sum), message);
}

static void plain_close(struct plain *p)
{
	if (!p->cl)
		return;
	bench_cl_free(p->cl, &p->x);
	bench_cl_free(p->cl, &p->y);
	bench_cl_free(p->cl, &p->out);
	if (p->kernel)
		p->cl->cl.clReleaseKernel(p->kernel);
	if (p->program)
		p->cl->cl.clReleaseProgram(p->program);
	bench_cl_close(p->cl);
}

int bench_start_child_driver(const char *place, int fd)
{
	struct message message = MESSAGE_NONE;
	struct plain p = { .cl = NULL };
	int platform = 0, index = 0, status;
	float sum[BENCH_CALLS_SMALL];
	bool ok = sscanf(place, "%d:%d", &platform, &index) == 2;

	if (!ok)
		message_record(&message, "%s is not PLATFORM:DEVICE", place);
	else
		p.cl = bench_cl_open_at(platform, index, &message);
	ok = p.cl && plain_open(&p, &message) && plain_run(&p, sum, &message) &&
	     bench_values_check_add(sum, BENCH_CALLS_SMALL, 0,
				    "the driver's add", &message);
	/* Write this before cleaning up: the measured time ends with the
	   result. */
	status = bench_start_finish(ok, fd, &message);
	plain_close(&p);
	return status;
}
