/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_launches.c - the launches of a take along axis 0 on devices that take
 * kernels for GPUs: how many there are, and how many work-items each has.  A
 * child process writes a trace of them.
 */
#include <dpr/dpr.h>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/devices.h"
#include "tests/support/trace_reader.h"

/* The elements that are taken: ROWS rows. */
enum { SOURCE_ROWS = 512, ROWS = 4096, COLUMNS = 64 };

static const char *program;

/* The computation: a text, or dpr_take(). */
static const struct computed {
	const char *text; /* NULL: dpr_take() */
	dpr_bounds bounds;
	int launches;
	/* the elements of 4 bytes of a work-item: in PTX, and in other formats */
	int together, other;
} list[] = {
	{ NULL, DPR_BOUNDS_CLIP, 1, 8, 8 },
	{ NULL, DPR_BOUNDS_CHECK, 1, 8, 8 },
	{ "take(x, i, axis=0, mode='clip')", DPR_BOUNDS_CLIP, 1, 8, 8 },
	/* Except in PTX, a launch of its own takes remainders of the indices. */
	{ "x[i, :]", DPR_BOUNDS_WRAP, 2, 8, 8 },
	/* The index of a row is a sum, and the array of indices has an axis of
	   extent 1 at its end. */
	{ "x[i + 1, :] * 2", DPR_BOUNDS_WRAP, 1, 8, 4 },
	{ "take(x, i, axis=0) + take(x, i + 5, axis=0)", DPR_BOUNDS_WRAP, 1,
	  8, 4 },
};
#define LIST ((int)(sizeof(list) / sizeof(list[0])))

/* --- The child ------------------------------------------------------------ */

static dpr_status make_operands(dpr_queue *queue, dpr_array **x, dpr_array **i)
{
	const int64_t n = SOURCE_ROWS * COLUMNS;
	dpr_array *line = NULL;
	dpr_status status = dpr_arange(0, n, 1, DPR_FLOAT32, queue, &line);

	if (!status)
		status = dpr_reshape(line, DPR_SHAPE(SOURCE_ROWS, COLUMNS), x);
	dpr_array_release(line);
	if (!status)
		status = dpr_arange(0, ROWS, 1, DPR_INT32, queue, i);
	return status ? status : dpr_remainder_into(*i, SOURCE_ROWS, *i);
}

static dpr_status compute(const struct computed *c, const dpr_array *x,
			  const dpr_array *i, dpr_array **out)
{
	const dpr_binding bindings[] = { { "x", DPR_OPERAND(x) },
					 { "i", DPR_OPERAND(i) } };
	dpr_expression *e = NULL;
	dpr_status status;

	if (!c->text)
		return dpr_take(x, i, 0, c->bounds, out);
	status = dpr_expression_create(c->text, &e);
	if (!status)
		status = dpr_expression_apply(e, bindings, 2, NULL, out, 1);
	dpr_expression_release(e);
	return status;
}

#define NO_DEVICE 77

/* Compute @c on the device @selector. */
static int run_child(const char *selector, const struct computed *c)
{
	dpr_array *x = NULL, *i = NULL, *out = NULL;
	dpr_queue *queue;
	dpr_status status = dpr_canonical_queue(selector, &queue);

	if (status == DPR_ERROR_NOT_FOUND)
		return NO_DEVICE;
	if (!status)
		status = make_operands(queue, &x, &i);
	if (!status)
		status = compute(c, x, i, &out);
	if (status)
		printf("%s\n", dpr_last_error());
	dpr_array_release(out);
	dpr_array_release(i);
	dpr_array_release(x);
	return status || dpr_finalize();
}

/* --- Traces --------------------------------------------------------------- */

/* Returns false, with a message, if a second process does not see the device, as
   some drivers have it in containers. */
static bool trace_child(int number, struct trace_file *trace)
{
	char file[] = "/tmp/dpr-launches.XXXXXX", text[16];
	const int fd = mkstemp(file);
	pid_t child;
	int how;

	ck_assert_int_ge(fd, 0);
	close(fd);
	snprintf(text, sizeof(text), "%d", number);
	child = fork();
	if (!child) {
		setenv("DPR_LAYERS", "trace", 1);
		setenv("DPR_TRACE", file, 1);
		execl(program, program, text, dpr_device_selector(test_device),
		      (char *)NULL);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(child, &how, 0), child);
	if (WIFEXITED(how) && WEXITSTATUS(how) == NO_DEVICE) {
		printf("a second process does not see %s\n",
		       dpr_device_selector(test_device));
		unlink(file);
		return false;
	}
	ck_assert_int_eq(how, 0);
	trace_load(trace, file);
	unlink(file);
	return true;
}

/* Count the kernels that read rows, but no kernels that test indices. */
static int count_kernels(const struct trace_file *trace, const char *name,
			 const char *part)
{
	int n = 0;

	for (size_t at = 0; at < trace->n; at++) {
		const struct trace_seen *e = &trace->events[at];

		n += e->phase == 'X' && !strcmp(e->category, "kernel") &&
		     !strncmp(e->name, name, sizeof(e->name) - 1) &&
		     !strstr(e->args, "\"kernel\":\"any_") &&
		     strstr(e->args, part);
	}
	return n;
}

static bool is_ptx(void)
{
	return !strcmp(dpr_array_kernel_format(test_device), "ptx");
}

/* One launch takes the rows, and each work-item moves several elements by one
   index.  Except in mode "wrap", no launch brings the indices into range. */
START_TEST(launches)
{
	const struct computed *c = &list[_i];
	const char *name = c->text ? c->text : "take";
	const bool wide = dpr_dtype_computes(test_device, DPR_COMPLEX128);
	int together = is_ptx() ? c->together : c->other;
	struct trace_file trace;
	char global[48];

	/* Without complex128 packs of two elements of 8 bytes are moved. */
	if (!wide && !is_ptx())
		together = 4;
	snprintf(global, sizeof(global), "\"global\":\"%d x 1 x 1\"",
		 ROWS * COLUMNS / together);
	if (!trace_child(_i, &trace))
		return;
	ck_assert_int_eq(count_kernels(&trace, name, ""),
			 is_ptx() ? 1 : c->launches);
	ck_assert_msg(count_kernels(&trace, name, global) == 1,
		      "%s: not %s; %s", name, global,
		      trace_want(&trace, 'X', NULL, "\"global\"")->args);
	trace_drop(&trace);
}
END_TEST

static Suite *launches_suite(const char *name)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("launches");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, launches, 0, LIST);
	suite_add_tcase(suite, tcase);
	return suite;
}

/* Run the suite on all devices whose kernels are for GPUs. */
int main(int argc, char **argv)
{
	dpr_device *all[MAX_DEVICES], *some[MAX_DEVICES];
	size_t count, n = 0;

	program = argv[0];
	setenv("DPR_OPTION_OPENCL_NATIVE", "no", 1);
	if (argc == 3)
		return run_child(argv[2], &list[atoi(argv[1])]);
	if (dpr_device_enumerate(getenv("DPR_TEST_DEVICES"), all, MAX_DEVICES,
				 &count)) {
		printf("%s\n", dpr_last_error());
		return EXIT_FAILURE;
	}
	for (size_t i = 0; i < count; i++) {
		const char *format = dpr_array_kernel_format(all[i]);

		if (format && (!strcmp(format, "opencl-c") ||
			       !strcmp(format, "spirv") ||
			       !strcmp(format, "ptx")))
			some[n++] = all[i];
	}
	return run_on_devices(launches_suite, some, n);
}
