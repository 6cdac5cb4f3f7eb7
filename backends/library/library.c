/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.c - opens libraries whose routines are kernels, and describes
 * them.
 *
 * A library is opened for the first routine, and stays open: its threads may
 * still run.  Some libraries have integers of 32 bits, others of 64 bits, under
 * the same names.
 */
#include "backends/library/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* What comes before and after the name of a function.  OpenBLAS can be built
   with this suffix for 64-bit integers, and the OpenBLAS in SciPy's wheels has
   the prefix, too. */
static const struct {
	const char *prefix, *suffix;
} spellings[] = {
	{ "", "" },
	{ "", "64_" },
	{ "scipy_", "64_" },
	{ "scipy_", "" },
};

/* Functions that only some libraries have.  MKL can set the number of threads
   for the calls of one thread.  OpenBLAS has a function of that name, too, but
   in some builds it sets the number for the whole process. */
static const char *const thread_getters[] = { "openblas_get_num_threads",
					      "MKL_Get_Max_Threads",
					      "bli_thread_get_num_threads" };

/* What openblas_get_parallel() says of a build with threads of its own. */
enum { OPENBLAS_PTHREADS = 1 };

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

const int64_t library_item[LIBRARY_DTYPES] = { 4, 8, 8, 16 };

/* --- Functions ------------------------------------------------------------ */

union library_symbol library_find(const struct library_source *source,
				  const char *name)
{
	char spelt[80];

	snprintf(spelt, sizeof(spelt), "%s%s%s", source->prefix, name,
		 source->suffix);
	return (union library_symbol){ source->host->driver_sym(
		source->host->self, source->library, spelt) };
}

/* Find the first function of a list. */
static union library_symbol find_any(const struct library_source *source,
				     const char *const *names, size_t n)
{
	union library_symbol found = { NULL };

	for (size_t i = 0; i < n && !found.address; i++)
		found = library_find(source, names[i]);
	return found;
}

bool library_spell(struct library_source *source, const char *const *names,
		   size_t n)
{
	for (size_t i = 0; i < COUNT(spellings); i++) {
		size_t found = 0;

		source->prefix = spellings[i].prefix;
		source->suffix = spellings[i].suffix;
		while (found < n && library_find(source, names[found]).address)
			found++;
		if (found == n)
			return true;
	}
	return false;
}

/* --- Opening -------------------------------------------------------------- */

/* Open the file that the option names. */
static bool open_file(const struct library_set *set,
		      const struct library_search *search,
		      struct library_source *source, char text[LIBRARY_TEXT])
{
	static const char no_library[] =
		"this is no library; it must be an absolute path, or the name "
		"of a library with its version, or none";
	const dprp_host *host = set->host;
	const char *file = search->value;

	*source = (struct library_source){ .host = host };
	source->library = host->driver_open(host->self, &file, 1);
	if (source->library &&
	    library_spell(source, search->names, search->n_names))
		return true;
	if (source->library)
		snprintf(text, LIBRARY_TEXT,
			 "%s%s=%.300s: this library has no %s", set->prefix,
			 search->option, file, search->names[0]);
	else
		snprintf(text, LIBRARY_TEXT, "%s%s=%.300s: %s", set->prefix,
			 search->option, file, no_library);
	host->log(host->self, 2, text);
	return false;
}

bool library_open(const struct library_set *set,
		  const struct library_search *search,
		  struct library_source *source, char text[LIBRARY_TEXT])
{
	const dprp_host *host = set->host;

	if (library_is_none(search->value)) {
		snprintf(text, LIBRARY_TEXT, "%s%s=none", set->prefix,
			 search->option);
		return false;
	}
	if (search->value)
		return open_file(set, search, source, text);
	for (size_t i = 0; i < search->n_files; i++) {
		*source = (struct library_source){ .host = host };
		source->library =
			host->driver_open(host->self, &search->files[i], 1);
		if (source->library &&
		    library_spell(source, search->names, search->n_names))
			return true;
	}
	snprintf(text, LIBRARY_TEXT, "%s, or name a library in %s%s",
		 search->missing, set->prefix, search->option);
	return false;
}

bool library_is_none(const char *value)
{
	return value && !strcmp(value, "none");
}

/* Write the name and version of the library that knows them; "" if none does.
   Returns the function that told them. */
static union library_symbol ask_version(const struct library_source *source,
					char *text, size_t room)
{
	const union library_symbol openblas =
		library_find(source, "openblas_get_config");
	const union library_symbol blis =
		library_find(source, "bli_info_get_version_str");
	const union library_symbol mkl =
		library_find(source, "MKL_Get_Version_String");

	memset(text, 0, room);
	if (openblas.address)
		snprintf(text, room, "%s", openblas.get_text());
	else if (mkl.address)
		mkl.get_mkl_text(text, (int)room - 1);
	else if (blis.address)
		snprintf(text, room, "BLIS %s", blis.get_text());
	return openblas.address ? openblas : mkl.address ? mkl : blis;
}

/* The file that has a function. */
static const char *file_of(union library_symbol symbol)
{
	Dl_info info;

	return dladdr(symbol.address, &info) ? info.dli_fname : "?";
}

/* Whether the library has one number of threads for the process.  An OpenBLAS
   with OpenMP has a number for each thread of the program, and another thread could
   not set the number before. */
static bool has_one_number(const struct library_source *source)
{
	const union library_symbol kind =
		library_find(source, "openblas_get_parallel");

	return kind.address && kind.get_kind() == OPENBLAS_PTHREADS;
}

void library_describe(const struct library_source *source, const char *kind,
		      void (*function)(void), struct library *library)
{
	const union library_symbol threads =
		find_any(source, thread_getters, COUNT(thread_getters));
	const union library_symbol first = { .function = function };
	const char *file = file_of(first);
	char version[200], of[80] = "";
	const union library_symbol told =
		ask_version(source, version, sizeof(version));
	/* A LAPACK may stand on a BLAS in another file, which tells its own
	   version. */
	const bool is_below = told.address && strcmp(file_of(told), file) != 0;

	library->set_threads =
		library_find(source, "MKL_Set_Num_Threads_Local").set_threads;
	if (has_one_number(source)) {
		library->set_all =
			library_find(source, "openblas_set_num_threads").set_all;
		library->get_all =
			library_find(source, "openblas_get_num_threads")
				.get_threads;
	}
	/* BLIS says -1 where the user has set no number. */
	library->threads = threads.address ? threads.get_threads() : 0;
	if (library->threads < 0)
		library->threads = 0;
	if (library->threads)
		snprintf(of, sizeof(of), ", %d threads, %s", library->threads,
			 library->set_threads ? "set for each call where fewer "
						"do"
			 : library->set_all   ? "one in batches of small matrices"
					      : "left alone");
	snprintf(library->text, sizeof(library->text),
		 "%s%s%s, %s, %d-bit integers%s",
		 is_below || !told.address ? kind : "",
		 is_below ? " with " : "", version, file,
		 library->is_wide ? 64 : 32, of);
}

/* --- Calls ---------------------------------------------------------------- */

bool library_fits(const struct library *library, int64_t number)
{
	return number <= (library->is_wide ? INT64_MAX : INT32_MAX);
}

/* Let the library use one thread until leave_alone(). */
static void be_alone(const struct library *library)
{
	struct library_alone *alone = library->alone;
	int now;

	pthread_mutex_lock(&alone->lock);
	if (!alone->parts++) {
		now = library->get_all();
		alone->before = now > 1 ? now : 0;
		alone->set = library->set_all;
		if (alone->before)
			alone->set(1);
	}
	pthread_mutex_unlock(&alone->lock);
}

static void leave_alone(struct library_alone *alone)
{
	pthread_mutex_lock(&alone->lock);
	if (!--alone->parts && alone->before)
		alone->set(alone->before);
	pthread_mutex_unlock(&alone->lock);
}

struct library_share library_begin(const struct library_call *call,
				   int64_t count, uint64_t groups,
				   uint64_t group)
{
	const struct library *library = call->library;
	int (*set_threads)(int) = library->set_threads;
	const int64_t share = count / (int64_t)groups, g = (int64_t)group;
	const int64_t rest = count % (int64_t)groups;
	struct library_share s = { .from = g * share + (g < rest ? g : rest) };

	s.to = s.from + share + (g < rest);
	if (set_threads && (call->threads || groups > 1)) {
		s.set_threads = set_threads;
		s.before = set_threads(groups > 1 ? 1 : call->threads);
	} else if (groups > 1 && library->set_all && library->get_all) {
		s.alone = library->alone;
		be_alone(library);
	}
	return s;
}

void library_end(const struct library_share *share)
{
	if (share->set_threads)
		(void)share->set_threads(share->before);
	if (share->alone)
		leave_alone(share->alone);
}
