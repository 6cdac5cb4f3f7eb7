/* SPDX-License-Identifier: Apache-2.0 */
/* eval.c - dpr eval: an array expression over .npy files. */
#include "tools/eval/eval.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dpr/array.h>
#include <dpr/device.h>
#include <dpr/queue.h>

#include "tools/eval/evaluate.h"
#include "tools/eval/functions.h"
#include "tools/eval/npy_array.h"
#include "tools/eval/npy_write.h"
#include "tools/eval/number.h"

enum { EXIT_USAGE = 2 };

/* What the command line asks for. */
struct job {
	const char *text; /* the expression */
	const char *output, *device;
	bool time;
	struct binding *bindings;
	const char **files; /* of the bindings */
	bool *used;
	size_t count;
	struct expression expression;
	struct scope scope;
	struct value result;
	struct message message;
};

static const char usage[] =
	"usage: dpr eval EXPR [NAME=FILE.npy]... [-o OUT.npy]\n"
	"                [--device SELECTOR] [--time]\n";

static const char help[] =
	"\n"
	"Compute an array expression over .npy files on a device and print the\n"
	"result, or write it to OUT.npy.\n"
	"\n"
	"  -o, --output OUT.npy   write the result there instead of printing it\n"
	"  -d, --device SELECTOR  where to compute; see dpr devices\n"
	"  -t, --time             say how long loading, computing and storing took\n"
	"  -h, --help             this text\n"
	"\n"
	"Operators, as in Python: + - * / // % ** == != < <= > >= & | ^ ~\n"
	"Numbers: 7 0xff 1.5 2e-3 3j True False pi e inf nan\n"
	"Functions:\n";

static const char example[] =
	"\n"
	"  dpr eval 'sqrt(x*x + y*y)' x=a.npy y=b.npy -o r.npy --device gpu:0\n"
	"  dpr eval 'mean(x, axis=(0, 1), keepdims=True)' x=a.npy\n";

static void print_help(void)
{
	const char *name;
	int column = 0;
	size_t i;

	fputs(usage, stdout);
	fputs(help, stdout);
	for (i = 0; (name = functions_name(i)); i++) {
		if (column + strlen(name) + 1 > 74) {
			fputc('\n', stdout);
			column = 0;
		}
		column += printf("%s%s", column ? " " : "  ", name);
	}
	fputc('\n', stdout);
	fputs(example, stdout);
}

static int fail_usage(const char *what, const char *argument)
{
	fprintf(stderr, "dpr eval: %s%s%s\n%s", argument ? argument : "",
		argument ? ": " : "", what, usage);
	return EXIT_USAGE;
}

static int fail_job(const struct job *job)
{
	fprintf(stderr, "dpr eval: %s\n", message_text(&job->message));
	if (job->message.column != NO_COLUMN) {
		char *lines = expression_point(job->text, job->message.column);

		if (lines)
			fprintf(stderr, "%s\n", lines);
		free(lines);
	}
	return EXIT_FAILURE;
}

/* --- The command line ---------------------------------------------------- */

/* A name as the expression's lexer has it, and not one of Python's words. */
static bool is_name(const char *text)
{
	struct message message = MESSAGE_NONE;
	struct token token;
	bool ok = lexer_next(text, 0, &token, &message) &&
		  token.kind == TOKEN_NAME && token.length == strlen(text) &&
		  strcmp(text, "True") && strcmp(text, "False") &&
		  strcmp(text, "None");

	message_clear(&message);
	return ok;
}

/* @argument is cut in two at its '='. */
static int add_binding(struct job *job, char *argument)
{
	char *file = strchr(argument, '=');
	size_t i;

	if (!file)
		return fail_usage("is not NAME=FILE.npy", argument);
	*file++ = 0;
	if (!is_name(argument))
		return fail_usage("is not a name; letters, digits and _ make "
				  "one",
				  argument);
	if (!*file)
		return fail_usage("has no file", argument);
	for (i = 0; i < job->count; i++)
		if (!strcmp(job->bindings[i].name, argument))
			return fail_usage("this name is given twice", argument);
	job->bindings[job->count].name = argument;
	job->files[job->count++] = file;
	return 0;
}

static int add_arguments(struct job *job, int argc, char **argv)
{
	size_t room = (size_t)argc + 1;
	int i, status;

	job->bindings = calloc(room, sizeof(*job->bindings));
	job->files = calloc(room, sizeof(*job->files));
	job->used = calloc(room, sizeof(*job->used));
	if (!job->bindings || !job->files || !job->used) {
		fputs("dpr eval: out of memory\n", stderr);
		return EXIT_FAILURE;
	}
	for (i = 0; i < argc; i++) {
		status = add_binding(job, argv[i]);
		if (status)
			return status;
	}
	return 0;
}

/* Of a cluster of short options getopt says which letter it was. */
static int fail_option(char **argv)
{
	char letter[] = { '-', (char)optopt, 0 };

	return fail_usage("unknown option (an expression that begins with - "
			  "goes in parentheses)",
			  optopt ? letter : argv[optind - 1]);
}

/* -1: go on; else the exit status. */
static int read_command_line(struct job *job, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "device", required_argument, NULL, 'd' },
		{ "time", no_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option, status;

	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, argv, ":o:d:th", options, NULL)) !=
	       -1) {
		switch (option) {
		case 'o': job->output = optarg; break;
		case 'd': job->device = optarg; break;
		case 't': job->time = true; break;
		case 'h': print_help(); return EXIT_SUCCESS;
		case ':':
			return fail_usage("this option needs a value",
					  argv[optind - 1]);
		default: return fail_option(argv);
		}
	}
	if (optind >= argc)
		return fail_usage("there is no expression", NULL);
	job->text = argv[optind];
	status = add_arguments(job, argc - optind - 1, argv + optind + 1);
	return status ? status : -1;
}

/* --- The work ------------------------------------------------------------ */

static double milliseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static bool prepare_job(struct job *job)
{
	size_t i;

	if (!expression_parse(job->text, &job->expression, &job->message))
		return false;
	job->scope.bindings = job->bindings;
	job->scope.count = job->count;
	if (!evaluate_check(&job->expression, &job->scope, job->used,
			    &job->message))
		return false;
	for (i = 0; i < job->count; i++)
		if (!job->used[i])
			fprintf(stderr, "dpr eval: note: %s=%s is not used\n",
				job->bindings[i].name, job->files[i]);
	if (job->output && !npy_write_check_output(job->output, &job->message))
		return false;
	if (dpr_canonical_queue(job->device, &job->scope.queue))
		return message_set(&job->message, "%s", dpr_last_error());
	return true;
}

static bool load_files(struct job *job)
{
	size_t i;

	for (i = 0; i < job->count; i++)
		if (job->used[i] &&
		    !npy_array_load(job->files[i], job->scope.queue,
				    &job->bindings[i].array, &job->message))
			return false;
	if (dpr_queue_wait(job->scope.queue))
		return message_set(&job->message, "%s", dpr_last_error());
	return true;
}

static bool compute_result(struct job *job)
{
	value_clear(&job->result);
	if (!evaluate(&job->expression, &job->scope, &job->result,
		      &job->message))
		return false;
	if (job->result.kind == VALUE_ARRAY &&
	    dpr_array_wait(job->result.array))
		return message_set(&job->message, "%s", dpr_last_error());
	return true;
}

/* The best of some more runs, when everything is built and warm. */
static bool compute_warm(struct job *job, double *best)
{
	double begin = milliseconds(), start, last;
	int i;

	*best = 0;
	for (i = 0; i < 20 && (i < 2 || milliseconds() - begin < 500); i++) {
		start = milliseconds();
		if (!compute_result(job))
			return false;
		last = milliseconds() - start;
		if (i == 0 || last < *best)
			*best = last;
	}
	return true;
}

static bool print_result(struct job *job)
{
	char *text;

	if (job->result.kind == VALUE_ARRAY) {
		if (dpr_array_print(job->result.array, stdout))
			return message_set(&job->message, "%s",
					   dpr_last_error());
	} else {
		text = number_format(job->result.scalar);
		if (!text)
			return message_set(&job->message, "out of memory");
		puts(text);
		free(text);
	}
	return true;
}

static bool deliver_result(struct job *job)
{
	if (!job->output)
		return print_result(job);
	return value_to_array(&job->result, job->scope.queue, &job->message) &&
	       npy_array_store(job->result.array, job->output, &job->message);
}

static bool run_job(struct job *job)
{
	double start, loaded, computed, warm = 0, stored;

	if (!prepare_job(job))
		return false;
	start = milliseconds();
	if (!load_files(job))
		return false;
	loaded = milliseconds();
	if (!compute_result(job))
		return false;
	computed = milliseconds();
	if (job->time && !compute_warm(job, &warm))
		return false;
	stored = milliseconds();
	if (!deliver_result(job))
		return false;
	stored = milliseconds() - stored;
	if (job->time) {
		dpr_device *device = dpr_queue_device(job->scope.queue);

		fprintf(stderr,
			"device   %s (%s)\n"
			"load     %.3f ms\n"
			"compute  %.3f ms first, %.3f ms warm\n"
			"%s    %.3f ms\n",
			dpr_device_selector(device), dpr_device_name(device),
			loaded - start, computed - loaded, warm,
			job->output ? "store" : "print", stored);
	}
	return true;
}

static void clean_up(struct job *job)
{
	size_t i;

	for (i = 0; i < job->count; i++)
		dpr_array_release(job->bindings[i].array);
	value_clear(&job->result);
	expression_free(&job->expression);
	message_clear(&job->message);
	free(job->bindings);
	free(job->files);
	free(job->used);
}

int eval_main(int argc, char **argv)
{
	struct job job = { .message = MESSAGE_NONE };
	int status = read_command_line(&job, argc, argv);

	if (status < 0)
		status = run_job(&job) ? EXIT_SUCCESS : fail_job(&job);
	clean_up(&job);
	return status;
}
