/* SPDX-License-Identifier: Apache-2.0 */
/* eval.c - dpr eval: an array expression over .npy files. */
#include "tools/eval/eval.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dpr/array.h>
#include <dpr/device.h>
#include <dpr/expression.h>
#include <dpr/file.h>
#include <dpr/queue.h>

#include "tools/eval/plot.h"
#include "tools/eval/point.h"
#include "tools/shared/message.h"
#include "tools/shared/progress_line.h"
#include "tools/shared/seconds.h"

enum { EXIT_USAGE = 2 };

/* What the command line asks for. */
struct job {
	const char *text; /* the expression */
	const char *output, *device;
	bool time, explain;
	struct plot_wish plot;
	const char **names, **files; /* NAME=FILE of the command line */
	dpr_array **arrays;          /* NULL: that file is not used */
	size_t count;
	dpr_expression *expression;
	dpr_binding *bindings; /* one for each name that the expression uses */
	size_t n_bindings;
	dpr_queue *queue;
	dpr_array **results;
	size_t n_results;
	struct message message;
};

static const char usage[] =
	"usage: dpr eval EXPR [NAME=FILE.npy]... [-o OUT.npy]\n"
	"                [--device SELECTOR] [--plot[=WHAT]] [--time] [--explain]\n";

static const char help[] =
	"\n"
	"Compute an array expression over .npy files on a device and print the\n"
	"result, or write it to OUT.npy.  NAME=FILE.npz takes the array NAME of\n"
	"an archive.  As a file, - is the standard input or output.\n"
	"\n"
	"  -o, --output OUT.npy   write the result there instead of printing it\n"
	"  -p, --plot[=WHAT]      draw the result: as a line or an image, or with\n"
	"                         hist as a histogram; in the terminal, or by\n"
	"                         gnuplot into WHAT, a .svg or .png file;\n"
	"                         hist,FILE.svg is both\n"
	"  -d, --device SELECTOR  where to compute; see dpr devices\n"
	"  -e, --explain          show the steps of the computation\n"
	"  -t, --time             say how long loading, computing and storing took\n"
	"  -h, --help             this text\n"
	"\n"
	"Operators, as in Python: + - * / // % @ ** == != < <= > >= & | ^ ~\n"
	"Numbers: 7 0xff 1.5 2e-3 3j True False pi e inf nan\n"
	"Slices: x[1:-1, ::2] x[-1] x[..., None]; arrays of indices: x[i, :, j]\n"
	"Parts and several results: d = x - y; min(d), max(d)\n"
	"Functions with two results: q, r = divmod(x, y); q*y + r\n"
	"man dpr-expression has all of it.  Functions:\n";

static const char example[] =
	"\n"
	"  dpr eval 'sqrt(x*x + y*y)' x=a.npy y=b.npy -o r.npy --device gpu:0\n"
	"  dpr eval 'mean(x, axis=(0, 1), keepdims=True)' x=a.npy\n"
	"  dpr eval 'sin(linspace(0, 6, num=500))' --plot\n";

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void print_functions(void)
{
	const char *names[512];
	size_t n = 0, i;
	int column = 0;

	while (n < 512 && (names[n] = dpr_expression_function(n)))
		n++;
	qsort(names, n, sizeof(names[0]), compare_names);
	for (i = 0; i < n; i++) {
		if (column + strlen(names[i]) + 1 > 74) {
			fputc('\n', stdout);
			column = 0;
		}
		column += printf("%s%s", column ? " " : "  ", names[i]);
	}
	fputc('\n', stdout);
}

static void print_help(void)
{
	fputs(usage, stdout);
	fputs(help, stdout);
	print_functions();
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
		char *lines = point_at(job->text, job->message.column);

		if (lines)
			fprintf(stderr, "%s\n", lines);
		free(lines);
	}
	return EXIT_FAILURE;
}

/* --- The command line ---------------------------------------------------- */

/* Whether the text is a valid name in expressions. */
static bool is_name(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	static const char more[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	return *text && strchr(letters, *text) && !text[strspn(text, more)] &&
	       strcmp(text, "True") && strcmp(text, "False") &&
	       strcmp(text, "None");
}

/* Whether a file is the standard input or output. */
static bool is_stream(const char *file)
{
	return !strcmp(file, "-");
}

/* Split @argument at its '='. */
static int add_binding(struct job *job, char *argument)
{
	char *file = strchr(argument, '=');
	size_t i;

	if (!file && job->plot.is_wanted)
		return fail_usage("is not NAME=FILE.npy (a value of --plot "
				  "follows a =, as in --plot=hist)",
				  argument);
	if (!file)
		return fail_usage("is not NAME=FILE.npy", argument);
	*file++ = 0;
	if (!is_name(argument))
		return fail_usage("is not a name; use letters, digits and _",
				  argument);
	if (!*file)
		return fail_usage("has no file", argument);
	for (i = 0; i < job->count; i++) {
		if (!strcmp(job->names[i], argument))
			return fail_usage("this name is given twice", argument);
		if (is_stream(file) && is_stream(job->files[i]))
			return fail_usage(
				"the standard input, -, has one array",
				argument);
	}
	job->names[job->count] = argument;
	job->files[job->count++] = file;
	return 0;
}

static int add_arguments(struct job *job, int argc, char **argv)
{
	size_t room = (size_t)argc + 1;
	int i, status;

	job->names = calloc(room, sizeof(*job->names));
	job->files = calloc(room, sizeof(*job->files));
	job->arrays = calloc(room, sizeof(*job->arrays));
	job->bindings = calloc(room, sizeof(*job->bindings));
	if (!job->names || !job->files || !job->arrays || !job->bindings) {
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

/* If a word has several short options, getopt's optopt says which is wrong. */
static int fail_option(char **argv)
{
	char letter[] = { '-', (char)optopt, 0 };

	return fail_usage("unknown option (an expression that begins with - "
			  "goes in parentheses)",
			  optopt ? letter : argv[optind - 1]);
}

/* Returns -1 if the command can go on, else the exit status. */
static int read_command_line(struct job *job, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "device", required_argument, NULL, 'd' },
		{ "plot", optional_argument, NULL, 'p' },
		{ "time", no_argument, NULL, 't' },
		{ "explain", no_argument, NULL, 'e' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option, status;

	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, argv, ":o:d:p::the", options,
				     NULL)) != -1) {
		switch (option) {
		case 'o': job->output = optarg; break;
		case 'd': job->device = optarg; break;
		case 'p':
			if (!plot_read(optarg, &job->plot, &job->message))
				return fail_usage(message_text(&job->message),
						  NULL);
			break;
		case 't': job->time = true; break;
		case 'e': job->explain = true; break;
		case 'h': print_help(); return EXIT_SUCCESS;
		case ':':
			return fail_usage("this option needs a value",
					  argv[optind - 1]);
		default: return fail_option(argv);
		}
	}
	if (optind >= argc)
		return fail_usage("the expression is missing", NULL);
	job->text = argv[optind];
	if (job->output && is_stream(job->output) && job->plot.is_wanted &&
	    !job->plot.file)
		return fail_usage("-o - and --plot both write to the standard "
				  "output; give --plot or -o a file",
				  NULL);
	status = add_arguments(job, argc - optind - 1, argv + optind + 1);
	return status ? status : -1;
}

/* --- The work ------------------------------------------------------------ */

static double milliseconds(void)
{
	return seconds_now() * 1e3;
}

/* Keep the text of a failed call, and its place in the expression. */
static bool fail_call(struct job *job)
{
	const dpr_text_place place = dpr_expression_fault();

	if (place.column)
		return message_set_at(&job->message, place.column - 1, "%s",
				      dpr_last_error());
	return message_set(&job->message, "%s", dpr_last_error());
}

/* The index of the file for this name; job->count if there is none. */
static size_t find_file(const struct job *job, const char *name)
{
	size_t i = 0;

	while (i < job->count && strcmp(job->names[i], name) != 0)
		i++;
	return i;
}

/* Report a name without a file.  Let the library fail, since it suggests the
   name that may be meant.  If it suggests none, the file may be missing.
   Numbers stand for the arrays: no file is read. */
static bool fail_unbound(struct job *job, const char *name)
{
	size_t i;

	for (i = 0; i < job->count; i++) {
		job->bindings[i].name = job->names[i];
		job->bindings[i].value = dpr_operand_int(0);
	}
	if (!dpr_expression_apply(job->expression, job->bindings, job->count,
				  NULL, job->results, job->n_results))
		return message_set(&job->message, "unknown name '%s'", name);
	fail_call(job);
	if (dpr_expression_nearest())
		return false;
	return message_set_at(&job->message, job->message.column,
			      "%s; give its file as %.40s=FILE.npy",
			      job->message.text, name);
}

/* Find out which files are used, and whether any is missing. */
static bool bind_files(struct job *job)
{
	const dpr_expression_operand *operands;
	const char *missing = NULL;
	size_t n, i, file;

	operands = dpr_expression_operands(job->expression, &n);
	for (i = 0; i < n; i++) {
		file = find_file(job, operands[i].name);
		if (file < job->count)
			job->bindings[job->n_bindings++].name =
				job->names[file];
		else if (operands[i].required && !missing)
			missing = operands[i].name;
	}
	return missing ? fail_unbound(job, missing) : true;
}

static bool is_used(const struct job *job, const char *name)
{
	size_t i;

	for (i = 0; i < job->n_bindings; i++)
		if (!strcmp(job->bindings[i].name, name))
			return true;
	return false;
}

/* Check before any work is done that the output can be written.  A regular file
   is replaced, which the folder must allow.  This does not follow a link to a
   file that does not exist yet. */
static bool check_output(struct job *job, const char *path)
{
	const char *slash;
	struct stat st;
	const bool exists = !stat(path, &st);
	const bool replaces = exists && S_ISREG(st.st_mode);
	char *target = replaces ? realpath(path, NULL) : strdup(path);
	bool ok = true;

	slash = target ? strrchr(target, '/') : NULL;
	if (slash)
		target[slash - target + 1] = 0;
	if (!target)
		ok = message_set(&job->message, "%s: cannot write: %s", path,
				 strerror(errno));
	else if (exists && S_ISDIR(st.st_mode))
		ok = message_set(&job->message, "%s: is a directory", path);
	else if (exists && access(path, W_OK))
		ok = message_set(&job->message, "%s: cannot write: %s", path,
				 strerror(errno));
	else if ((!exists || replaces) &&
		 access(slash ? target : ".", W_OK | X_OK))
		ok = message_set(&job->message, "%s: cannot write there: %s",
				 path, strerror(errno));
	free(target);
	return ok;
}

static bool check_outputs(struct job *job)
{
	const char *file = job->output ? job->output : job->plot.file;

	if (file && job->n_results > 1)
		return message_set(&job->message,
				   "%s: the expression has %zu results, but a "
				   "file holds only one",
				   file, job->n_results);
	if (job->output && is_stream(job->output) && isatty(STDOUT_FILENO))
		return message_set(&job->message,
				   "-o -: the standard output is a terminal, "
				   "and a .npy file is no text; pipe it into a "
				   "program or a file, or give a name");
	if (job->output && !is_stream(job->output) &&
	    !check_output(job, job->output))
		return false;
	return !job->plot.file || check_output(job, job->plot.file);
}

static bool prepare_job(struct job *job)
{
	size_t i;

	if (dpr_expression_create(job->text, &job->expression))
		return fail_call(job);
	job->n_results = dpr_expression_result_count(job->expression);
	job->results = calloc(job->n_results, sizeof(dpr_array *));
	if (!job->results)
		return message_set(&job->message, "out of memory");
	if (!bind_files(job))
		return false;
	for (i = 0; i < job->count; i++)
		if (!is_used(job, job->names[i]))
			fprintf(stderr, "dpr eval: note: %s=%s is not used\n",
				job->names[i], job->files[i]);
	if (!check_outputs(job))
		return false;
	if (dpr_canonical_queue(job->device, &job->queue))
		return message_set(&job->message, "%s", dpr_last_error());
	return true;
}

/* Files from this size on take so long that a line says which is read. */
#define SHOWN_MIN ((off_t)64 << 20)

/* Whether the name is that of a .npz file. */
static bool is_archive(const char *path)
{
	const size_t n = strlen(path);

	return n > 4 && !strcmp(path + n - 4, ".npz");
}

/* Read the array of the standard input, which must end behind it. */
static bool load_input(struct job *job, size_t file)
{
	if (isatty(STDIN_FILENO))
		return message_set(&job->message,
				   "%s=-: the standard input is a terminal; "
				   "pipe a .npy file into dpr eval",
				   job->names[file]);
	if (dpr_npy_load(stdin, job->queue, &job->arrays[file]))
		return message_set(&job->message, "standard input: %s",
				   dpr_last_error());
	if (getc(stdin) != EOF)
		return message_set(&job->message,
				   "standard input: it goes on after the "
				   "elements of the array");
	return true;
}

static bool load_file(struct job *job, size_t file)
{
	const char *path = job->files[file];
	dpr_status status;
	struct stat st;

	if (is_stream(path))
		return load_input(job, file);
	if (!stat(path, &st) && st.st_size >= SHOWN_MIN)
		progress_line_show("%s: reading %llu MiB", path,
				   (unsigned long long)st.st_size >> 20);
	status = is_archive(path)
			 ? dpr_npz_load(path, job->names[file], job->queue,
					&job->arrays[file])
			 : dpr_npy_load(path, job->queue, &job->arrays[file]);
	progress_line_end();
	return status ? message_set(&job->message, "%s", dpr_last_error())
		      : true;
}

static bool load_files(struct job *job)
{
	size_t i, file;

	for (i = 0; i < job->n_bindings; i++) {
		file = find_file(job, job->bindings[i].name);
		if (!load_file(job, file))
			return false;
		job->bindings[i].value = dpr_operand_array(job->arrays[file]);
	}
	if (dpr_queue_wait(job->queue))
		return message_set(&job->message, "%s", dpr_last_error());
	return true;
}

static void drop_results(struct job *job)
{
	size_t i;

	for (i = 0; job->results && i < job->n_results; i++) {
		dpr_array_release(job->results[i]);
		job->results[i] = NULL;
	}
}

static bool compute_result(struct job *job)
{
	size_t i;

	drop_results(job);
	if (dpr_expression_apply(job->expression, job->bindings,
				 job->n_bindings, job->queue, job->results,
				 job->n_results))
		return fail_call(job);
	for (i = 0; i < job->n_results; i++)
		if (dpr_array_wait(job->results[i]))
			return message_set(&job->message, "%s",
					   dpr_last_error());
	return true;
}

static bool explain_job(struct job *job)
{
	char *text;

	if (dpr_expression_explain(job->expression, job->bindings,
				   job->n_bindings, job->queue, &text))
		return fail_call(job);
	fputs(text, stderr);
	dpr_free(text);
	return true;
}

/* Time more runs, now that all kernels are built and warm.  Returns the
   shortest time in *@best. */
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

static bool save_result(struct job *job)
{
	const dpr_array *result = job->results[0];
	const dpr_status status = is_stream(job->output)
					  ? dpr_npy_save(result, stdout)
					  : dpr_npy_save(result, job->output);

	return !status || message_set(&job->message, "%s", dpr_last_error());
}

static bool show_result(struct job *job, const dpr_array *result)
{
	if (job->plot.is_wanted)
		return plot_array(result, &job->plot, job->text, &job->message);
	return !dpr_array_print(result, stdout) ||
	       message_set(&job->message, "%s", dpr_last_error());
}

static bool deliver_result(struct job *job)
{
	bool ok = !job->output || save_result(job);
	size_t i;

	if (job->output && !job->plot.is_wanted)
		return ok;
	for (i = 0; i < job->n_results && ok; i++)
		ok = show_result(job, job->results[i]);
	return ok;
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
	if (job->explain && !explain_job(job))
		return false;
	stored = milliseconds();
	if (!deliver_result(job))
		return false;
	stored = milliseconds() - stored;
	if (job->time) {
		dpr_device *device = dpr_queue_device(job->queue);

		fprintf(stderr,
			"device   %s (%s)\n"
			"load     %.3f ms\n"
			"compute  %.3f ms first, %.3f ms warm\n"
			"%s    %.3f ms\n",
			dpr_device_selector(device), dpr_device_name(device),
			loaded - start, computed - loaded, warm,
			job->output           ? "store"
			: job->plot.is_wanted ? "plot "
					      : "print",
			stored);
	}
	return true;
}

static void clean_up(struct job *job)
{
	size_t i;

	for (i = 0; i < job->count; i++)
		dpr_array_release(job->arrays[i]);
	drop_results(job);
	dpr_expression_release(job->expression);
	message_clear(&job->message);
	free(job->names);
	free(job->files);
	free(job->arrays);
	free(job->bindings);
	free(job->results);
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
