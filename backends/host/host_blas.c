/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_blas.c - a CBLAS of the system.
 *
 * It is opened for the first call, and stays open: its threads may still run.
 * Some libraries have integers of 32 bits, others of 64 bits, under the same
 * names.
 */
#include "host.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* The libraries that are tried, the fastest first. */
static const char *const libraries[] = {
	"libopenblas.so.0", "libopenblas64.so.0", "libmkl_rt.so.2",
	"libmkl_rt.so.1",   "libblis.so.4",       "libblis64.so.4",
	"libblis.so.3",     "libcblas.so.3",      "libblas.so.3",
};

/* The names of the functions.  OpenBLAS can be built with such a suffix for
   64-bit integers, and the one in wheels of SciPy has the prefix, too. */
static const struct {
	const char *prefix, *suffix;
} spellings[] = {
	{ "", "" },
	{ "", "64_" },
	{ "scipy_", "64_" },
	{ "scipy_", "" },
};

/* Functions that only some libraries have.  The number of threads is set for
   the calls of one thread, by MKL's function.  The one of OpenBLAS that is
   named like it sets the number for the whole process in some builds. */
static const char *const thread_getters[] = { "openblas_get_num_threads",
					      "MKL_Get_Max_Threads",
					      "bli_thread_get_num_threads" };
static const char *const versions[] = { "openblas_get_config",
					"bli_info_get_version_str" };

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* A pointer to a function, as POSIX allows to make one from dlsym(). */
union symbol {
	void *address;
	void (*function)(void);
	int (*set_threads)(int n);
	int (*get_threads)(void);
	const char *(*get_text)(void);
	void (*get_mkl_text)(char *text, int size);
	float (*dot)(int64_t n, const float *x, int64_t x_step, const float *y,
		     int64_t y_step);
};

/* A library in which functions are looked up. */
struct source {
	const dprp_host *host;
	void *library;
	const char *prefix, *suffix;
};

/* Find the function @name in its spelling. */
static union symbol find(const struct source *source, const char *name)
{
	char spelt[80];

	snprintf(spelt, sizeof(spelt), "%s%s%s", source->prefix, name,
		 source->suffix);
	return (union symbol){ source->host->driver_sym(
		source->host->self, source->library, spelt) };
}

/* Find the first function of a list. */
static union symbol find_any(const struct source *source,
			     const char *const *names, size_t n)
{
	union symbol found = { NULL };

	for (size_t i = 0; i < n && !found.address; i++)
		found = find(source, names[i]);
	return found;
}

/*
 * Whether integers have 64 bits.  A vector of a length below 0 has the product
 * 0.  The lower half of this length is 1: so a library that reads 32 bits
 * returns 6.  On these machines an integer of 32 bits is passed like one of 64
 * bits, and the upper half is not read.  Elsewhere only the name tells.
 */
static bool find_width(const struct source *source)
{
#if defined(__x86_64__) || defined(__aarch64__)
	static const float x[] = { 2 }, y[] = { 3 };
	const union symbol dot = find(source, "cblas_sdot");

	if (dot.address)
		return dot.dot(INT64_MIN + 1, x, 1, y, 1) == 0;
#endif
	return *source->suffix != '\0';
}

/* Describe the library: version, file, size of integers, threads. */
static void describe(const struct source *source, struct host_blas *blas,
		     void *function)
{
	const union symbol version =
		find_any(source, versions, COUNT(versions));
	const union symbol mkl = find(source, "MKL_Get_Version_String");
	char text[200] = "a CBLAS", threads[80] = "";
	Dl_info info;

	if (version.address)
		snprintf(text, sizeof(text), "%s", version.get_text());
	else if (mkl.address)
		mkl.get_mkl_text(text, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	if (!dladdr(function, &info))
		info.dli_fname = "?";
	if (blas->threads)
		snprintf(threads, sizeof(threads), ", %d threads, %s",
			 blas->threads,
			 blas->set_threads ? "set for each call where fewer do"
					   : "left alone");
	snprintf(blas->text, sizeof(blas->text), "%s, %s, %d-bit integers%s",
		 text, info.dli_fname, blas->is_wide ? 64 : 32, threads);
}

/* Take the functions of a library.  Returns false if it is no CBLAS. */
static bool take(struct source *source, struct host_blas *blas)
{
	static const char *const names[HOST_BLAS_DTYPES] = {
		"cblas_sgemm", "cblas_dgemm", "cblas_cgemm", "cblas_zgemm"
	};
	union symbol found[HOST_BLAS_DTYPES], get_threads;
	size_t i = 0, all;

	do {
		source->prefix = spellings[i].prefix;
		source->suffix = spellings[i].suffix;
		all = 0;
		for (size_t k = 0; k < HOST_BLAS_DTYPES; k++) {
			found[k] = find(source, names[k]);
			all += found[k].address != NULL;
		}
	} while (all < HOST_BLAS_DTYPES && ++i < COUNT(spellings));
	if (all < HOST_BLAS_DTYPES)
		return false;
	for (size_t k = 0; k < HOST_BLAS_DTYPES; k++)
		blas->gemm[k] = found[k].function;
	blas->is_wide = find_width(source);
	blas->set_threads =
		find(source, "MKL_Set_Num_Threads_Local").set_threads;
	get_threads = find_any(source, thread_getters, COUNT(thread_getters));
	blas->threads = get_threads.address ? get_threads.get_threads() : 0;
	describe(source, blas, found[0].address);
	return true;
}

/* Open the file that the option names. */
static bool open_file(dprp_instance *instance, struct host_blas *blas)
{
	const dprp_host *host = &instance->host;
	const char *file = instance->blas_option;
	struct source source = { .host = host };

	source.library = host->driver_open(host->self, &file, 1);
	if (source.library && take(&source, blas))
		return true;
	snprintf(blas->text, sizeof(blas->text),
		 "DPR_OPTION_HOST_BLAS=%.300s: %s", file,
		 source.library
			 ? "this library has no cblas_sgemm"
			 : "this is no library; it must be an absolute path, "
			   "or the name of a library with its version, or "
			   "none");
	host->log(host->self, 2, blas->text);
	return false;
}

/* Open a library of the list. */
static bool open_any(dprp_instance *instance, struct host_blas *blas)
{
	const dprp_host *host = &instance->host;

	for (size_t i = 0; i < COUNT(libraries); i++) {
		struct source source = { .host = host };

		source.library =
			host->driver_open(host->self, &libraries[i], 1);
		if (source.library && take(&source, blas))
			return true;
	}
	snprintf(blas->text, sizeof(blas->text),
		 "there is no CBLAS; install OpenBLAS (Debian: "
		 "libopenblas0-pthread), or name a library in "
		 "DPR_OPTION_HOST_BLAS");
	return false;
}

bool host_blas_is_none(const dprp_instance *instance)
{
	return instance->blas_option && !strcmp(instance->blas_option, "none");
}

dprp_rc host_blas_get(dprp_instance *instance, const struct host_blas **out)
{
	struct host_blas *blas = &instance->blas;

	pthread_mutex_lock(&instance->blas_lock);
	if (!instance->blas_is_open) {
		if (host_blas_is_none(instance))
			snprintf(blas->text, sizeof(blas->text),
				 "DPR_OPTION_HOST_BLAS=none");
		else if (instance->blas_option)
			(void)open_file(instance, blas);
		else
			(void)open_any(instance, blas);
		instance->blas_is_open = true;
	}
	pthread_mutex_unlock(&instance->blas_lock);
	*out = blas;
	if (blas->gemm[0])
		return DPR_RC_OK;
	return dprh_fail(&instance->host, DPR_RC_UNSUPPORTED, 0, "host: %s",
			 blas->text);
}
