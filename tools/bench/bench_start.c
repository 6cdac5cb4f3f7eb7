/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_start.c - from the start of a process to its first result: children of
 * this program, which add 16 elements with dpr or with the driver alone.
 */
#include "tools/bench/bench_start.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dpr/dpr.h>

#include "tools/bench/bench_calls.h"
#include "tools/bench/bench_cl.h"
#include "tools/bench/bench_measure.h"
#include "tools/bench/bench_values.h"

extern char **environ;

/* A child that writes nothing for this long is ended. */
#define PATIENCE_MS 60000

/* The environment as it was before any driver was opened. */
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

struct start {
	const char *option;
	char place[128]; /* a selector, or PLATFORM:DEVICE */
	double seconds;
};

static double start_took(void *state)
{
	return ((struct start *)state)->seconds;
}

/* Wait for the child's byte: 'k' when its result was right. */
static bool wait_for_byte(int fd, struct message *message)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	char byte = 0;

	if (poll(&poll_fd, 1, PATIENCE_MS) != 1)
		return message_set(message, "a child has no result after %d s",
				   PATIENCE_MS / 1000);
	if (read(fd, &byte, 1) != 1 || byte != 'k')
		return message_set(message, "a child failed");
	return true;
}

static bool start_run(void *state, struct message *message)
{
	struct start *s = state;
	char *argv[] = { (char *)"dpr", (char *)"bench", (char *)s->option,
			 s->place, NULL };
	posix_spawn_file_actions_t actions;
	int fds[2], error, status = 0;
	double begin;
	pid_t child;
	bool ok;

	if (pipe2(fds, O_CLOEXEC))
		return message_set(message, "no pipe can be made");
	posix_spawn_file_actions_init(&actions);
	/* The child's standard output is the pipe. */
	posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	begin = bench_measure_now();
	error = posix_spawn(&child, "/proc/self/exe", &actions, NULL, argv,
			    first_environment);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	if (error) {
		close(fds[0]);
		return message_set(message, "cannot start a child: %s",
				   strerror(error));
	}
	ok = wait_for_byte(fds[0], message);
	s->seconds = bench_measure_now() - begin;
	close(fds[0]);
	if (!ok)
		kill(child, SIGKILL);
	waitpid(child, &status, 0);
	if (ok && status)
		return message_set(message, "a child ended with status %d",
				   status);
	return ok;
}

static bool open_start(const char *option, struct bench_side *side,
		       struct start **out, struct message *message)
{
	struct start *s = calloc(1, sizeof(*s));

	*out = s;
	if (!s)
		return message_set(message, "no memory for a row");
	s->option = option;
	side->state = s;
	side->work = 1;
	side->run = start_run;
	side->took = start_took;
	side->close = free;
	return true;
}

bool bench_start_ours(struct bench *bench, struct bench_side *side,
		      struct message *message)
{
	struct start *s;

	if (!open_start("--start-ours", side, &s, message))
		return false;
	snprintf(s->place, sizeof(s->place), "%s",
		 dpr_device_selector(bench->device));
	return true;
}

bool bench_start_driver(struct bench *bench, struct bench_side *side,
			struct message *message)
{
	struct start *s;

	if (bench->cl->platform < 0)
		return bench_side_none(side, "a part of a device");
	if (!open_start("--start-driver", side, &s, message))
		return false;
	strcpy(side->name, "the same with OpenCL alone");
	snprintf(s->place, sizeof(s->place), "%d:%d", bench->cl->platform,
		 bench->cl->index);
	return true;
}

/* --- The children ------------------------------------------------------------
 */

static int finish(bool ok, int fd, struct message *message)
{
	if (!ok)
		fprintf(stderr, "dpr bench: %s\n", message_text(message));
	else if (write(fd, "k", 1) != 1)
		ok = false;
	message_clear(message);
	return !ok;
}

int bench_start_child_ours(const char *selector, int fd)
{
	float x[BENCH_CALLS_SMALL], y[BENCH_CALLS_SMALL],
		sum[BENCH_CALLS_SMALL];
	struct message message = MESSAGE_NONE;
	dpr_array *a = NULL, *b = NULL, *c = NULL;
	dpr_queue *queue;
	int status;
	bool ok;

	for (size_t i = 0; i < BENCH_CALLS_SMALL; i++) {
		x[i] = bench_values_x(i);
		y[i] = bench_values_y(i);
	}
	if (dpr_canonical_queue(selector, &queue) ||
	    dpr_array_from_memory(x, DPR_SHAPE(BENCH_CALLS_SMALL), NULL,
				  DPR_FLOAT32, queue, &a) ||
	    dpr_array_from_memory(y, DPR_SHAPE(BENCH_CALLS_SMALL), NULL,
				  DPR_FLOAT32, queue, &b) ||
	    dpr_add(a, b, &c) || dpr_array_to_memory(c, sum, NULL))
		ok = bench_side_failed(&message);
	else
		ok = bench_values_check_add(sum, BENCH_CALLS_SMALL, 0,
					    "dpr_add", &message);
	status = finish(ok, fd, &message);
	dpr_array_release(a);
	dpr_array_release(b);
	dpr_array_release(c);
	return status;
}

/* The plainest program: one context, one queue, one kernel. */
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
	/* Before the rest: what is timed ends with the result. */
	status = finish(ok, fd, &message);
	plain_close(&p);
	return status;
}
