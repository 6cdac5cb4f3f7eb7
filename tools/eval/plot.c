/* SPDX-License-Identifier: Apache-2.0 */
/* plot.c - dpr eval --plot: arrays as drawings. */
#include "tools/eval/plot.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dpr/creation.h>

#include "tools/eval/plot_draw.h"

extern char **environ;

/* --- The command line ------------------------------------------------------
 */

/* The format of a file by its name: "svg", "png" or NULL. */
static const char *format_of(const char *file)
{
	const size_t n = strlen(file);

	if (n > 4 && !strcmp(file + n - 4, ".svg"))
		return "svg";
	return n > 4 && !strcmp(file + n - 4, ".png") ? "png" : NULL;
}

bool plot_read(const char *text, struct plot_wish *wish,
	       struct message *message)
{
	wish->is_wanted = true;
	if (text && !strncmp(text, "hist", 4) && (!text[4] || text[4] == ',')) {
		wish->is_histogram = true;
		text = text[4] ? text + 5 : NULL;
	}
	wish->file = text;
	if (text && !format_of(text))
		return message_set(message,
				   "--plot=%s: neither hist nor a name that "
				   "ends in .svg or .png",
				   text);
	return true;
}

/* --- Numbers ---------------------------------------------------------------
 */

/* Element @i of host memory as a double. */
static double element(const void *data, dpr_dtype dtype, size_t i)
{
	switch (dtype) {
	case DPR_BOOL: return ((const unsigned char *)data)[i];
	case DPR_INT8: return ((const int8_t *)data)[i];
	case DPR_INT16: return ((const int16_t *)data)[i];
	case DPR_INT32: return ((const int32_t *)data)[i];
	case DPR_INT64: return (double)((const int64_t *)data)[i];
	case DPR_UINT8: return ((const uint8_t *)data)[i];
	case DPR_UINT16: return ((const uint16_t *)data)[i];
	case DPR_UINT32: return ((const uint32_t *)data)[i];
	case DPR_UINT64: return (double)((const uint64_t *)data)[i];
	case DPR_FLOAT32: return (double)((const float *)data)[i];
	case DPR_FLOAT64: return ((const double *)data)[i];
	case DPR_FLOAT16:
	case DPR_BFLOAT16:
	case DPR_COMPLEX64:
	case DPR_COMPLEX128:
	case DPR_DTYPE_DEFAULT:
	case DPR_DTYPE_FORCE_INT: break;
	}
	return 0;
}

/* Copy the elements of @x into doubles, to be freed. */
static double *copy_elements(const dpr_array *x, struct message *message)
{
	const size_t n = (size_t)dpr_array_size(x);
	const size_t bytes = n * dpr_array_itemsize(x);
	double *values = calloc(n + 1, sizeof(*values));
	void *data = malloc(bytes + 1);
	bool ok = values && data;

	if (!ok)
		message_record(message, "no memory to draw %zu elements", n);
	else if (dpr_array_to_memory(x, data, bytes, NULL))
		ok = message_set(message, "%s", dpr_last_error());
	for (size_t i = 0; i < n && ok; i++)
		values[i] = element(data, dpr_array_dtype(x), i);
	free(data);
	if (ok)
		return values;
	free(values);
	return NULL;
}

/* The elements of @x as doubles.  Short floats are cast on the device. */
static double *get_elements(const dpr_array *x, struct message *message)
{
	const dpr_dtype dtype = dpr_array_dtype(x);
	dpr_array *cast = NULL;
	double *values;

	if (dtype != DPR_FLOAT16 && dtype != DPR_BFLOAT16)
		return copy_elements(x, message);
	if (dpr_astype(x, DPR_FLOAT32, &cast)) {
		message_record(message, "%s", dpr_last_error());
		return NULL;
	}
	values = copy_elements(cast, message);
	dpr_array_release(cast);
	return values;
}

/* --- Output ----------------------------------------------------------------
 */

static struct plot_screen find_screen(void)
{
	struct plot_screen screen = { stdout, 80, 40, false };
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	struct winsize size;

	if (locale) {
		screen.unicode =
			!strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");
		freelocale(locale);
	}
	if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) &&
	    size.ws_col) {
		screen.width = size.ws_col;
		screen.height = size.ws_row > 8 ? size.ws_row - 4 : 4;
	}
	return screen;
}

/* Run gnuplot on @commands, with @out as its standard output. */
static bool run_gnuplot(FILE *commands, FILE *out, struct message *message)
{
	char *argv[] = { (char[]){ "gnuplot" }, (char[]){ "-d" }, NULL };
	posix_spawn_file_actions_t actions;
	int status, error;
	pid_t child;

	error = posix_spawn_file_actions_init(&actions);
	if (!error) {
		posix_spawn_file_actions_adddup2(&actions, fileno(commands), 0);
		posix_spawn_file_actions_adddup2(&actions, fileno(out), 1);
		error = posix_spawnp(&child, argv[0], &actions, NULL, argv,
				     environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	if (error == ENOENT)
		return message_set(
			message, "--plot with a file needs gnuplot, which is "
				 "not installed (Debian: gnuplot-nox); --plot "
				 "alone draws in the terminal");
	if (error)
		return message_set(message, "gnuplot cannot be run: %s",
				   strerror(error));
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return message_set(message, "gnuplot: %s",
					   strerror(errno));
	return status ? message_set(message, "gnuplot has failed, see above")
		      : true;
}

/* Copy @from, from its beginning on, into the file @path. */
static bool store(FILE *from, const char *path, struct message *message)
{
	FILE *to = fopen(path, "we");
	char bytes[4096];
	bool ok = to != NULL;
	size_t n;

	rewind(from);
	while (ok && (n = fread(bytes, 1, sizeof(bytes), from)) > 0)
		ok = fwrite(bytes, 1, n, to) == n;
	if (to && fclose(to))
		ok = false;
	return ok || message_set(message, "%s: cannot write: %s", path,
				 strerror(errno));
}

static bool draw_file(const struct plot_numbers *numbers, const char *file,
		      const char *title, struct message *message)
{
	FILE *commands = tmpfile(), *out = tmpfile();
	bool ok = commands && out;

	if (!ok)
		message_record(message, "cannot make a temporary file: %s",
			       strerror(errno));
	if (ok) {
		plot_draw_commands(numbers, format_of(file), title, commands);
		rewind(commands);
		if (ferror(commands))
			ok = message_set(message,
					 "cannot write a temporary file");
	}
	ok = ok && run_gnuplot(commands, out, message) &&
	     store(out, file, message);
	if (commands)
		fclose(commands);
	if (out)
		fclose(out);
	return ok;
}

/* --- Drawings --------------------------------------------------------------
 */

/* Check that @x can be drawn.  Sets what is drawn. */
static bool choose_drawing(const dpr_array *x, const struct plot_wish *wish,
			   struct plot_numbers *numbers,
			   struct message *message)
{
	const int64_t *shape = dpr_array_shape(x);
	const int rank = dpr_array_rank(x);

	if (dpr_dtype_kind(dpr_array_dtype(x)) == 'c')
		return message_set(message,
				   "--plot: the result is complex; draw its "
				   "abs(), real() or imag()");
	if (rank > 2 && !wish->is_histogram)
		return message_set(
			message,
			"--plot: the result has %d axes; draw a part "
			"of it, as in x[0], or --plot=hist",
			rank);
	numbers->n = (size_t)dpr_array_size(x);
	numbers->is_histogram = wish->is_histogram;
	numbers->is_image = rank == 2 && !wish->is_histogram;
	numbers->rows = rank == 2 ? (size_t)shape[0] : 1;
	numbers->columns = rank == 2 ? (size_t)shape[1] : numbers->n;
	return true;
}

bool plot_array(const dpr_array *x, const struct plot_wish *wish,
		const char *title, struct message *message)
{
	struct plot_numbers numbers = { .n = 0 };
	struct plot_screen screen = find_screen();
	double *values;
	bool ok;

	if (!choose_drawing(x, wish, &numbers, message))
		return false;
	numbers.values = values = get_elements(x, message);
	if (!values)
		return false;
	if (!wish->file)
		ok = plot_draw_text(&numbers, &screen) ||
		     message_set(message, "no memory to draw");
	else if (!plot_draw_range(&numbers).finite)
		ok = message_set(message,
				 "%s: no element is finite, so there is "
				 "nothing to draw",
				 wish->file);
	else
		ok = draw_file(&numbers, wish->file, title, message);
	free(values);
	return ok;
}
