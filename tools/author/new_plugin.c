/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_plugin.c - dpr new-plugin: write the template of a backend, with the name
 * filled in.
 *
 * The template builds as it is, under the name "mydevice".  So a copy has that
 * word replaced, and for C++ a few others.
 */
#include "tools/author/new_plugin.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOURCE "mydevice.c"
#define WORD "mydevice"
#define MAX_FILE 65536

static const char *const files[] = { SOURCE, "Makefile", "CMakeLists.txt",
				     "configure.ac", "Makefile.am" };
#define N_FILES (sizeof(files) / sizeof(*files))

/* What is replaced in C++, besides the name. */
static const struct {
	const char *from, *to;
} cxx[] = {
	{ "$(CC) -std=gnu11 $(CFLAGS)", "$(CXX) -std=gnu++17 $(CXXFLAGS)" },
	{ "AC_PROG_CC", "AC_PROG_CXX" },
	{ "_la_CFLAGS", "_la_CXXFLAGS" },
	{ "LANGUAGES C)", "LANGUAGES CXX)" },
};
#define N_CXX (sizeof(cxx) / sizeof(*cxx))

struct job {
	const char *name, *to;
	const char *from; /* the template's directory */
	bool cxx;
	size_t written; /* files in `to` */
};

static int usage(FILE *to, int status)
{
	fputs("usage: dpr new-plugin [--c++] [--from=DIRECTORY] NAME "
	      "DIRECTORY\n\n"
	      "Start a backend: write a small one that works, with files to "
	      "build it by make,\nAutotools or CMake, into a new directory.\n\n"
	      "  -c, --c++              in C++17; without it in C11\n"
	      "  -f, --from=DIRECTORY   another template than the installed "
	      "one\n"
	      "  -h, --help             this text\n",
	      to);
	return status;
}

/* --- The name --------------------------------------------------------------
 */

/* Why @name is not the name of a new backend, or NULL. */
static const char *name_wrong(const char *name)
{
	static const char *const ours[] = { "cuda", "host", "level_zero",
					    "opencl" };
	size_t n = strlen(name), i;

	if (n < 2 || n > 32 || name[0] < 'a' || name[0] > 'z' ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != n)
		return "a name has 2 to 32 characters of a-z, 0-9 and _, and "
		       "begins with a letter";
	for (i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (!strcmp(name, ours[i]))
			return "dpr has a backend of that name; the first file "
			       "that is found would hide the other";
	return NULL;
}

/* --- The template ----------------------------------------------------------
 */

/* Whether @directory has the template's source. */
static bool has_template(const char *directory)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/" SOURCE, directory);

	return n > 0 && (size_t)n < sizeof(path) && !access(path, R_OK);
}

/* Find the installed template: first where it is from this program, since an
   installed tree may be moved, then where it was configured to be. */
static const char *find_template(char near[PATH_MAX])
{
	static const char tail[] = "share/dpr/backend-template";
	ssize_t n = readlink("/proc/self/exe", near, PATH_MAX - 1);
	int up;

	near[n > 0 ? n : 0] = '\0';
	for (up = 0; up < 2; up++) {
		char *slash = strrchr(near, '/');

		if (!slash)
			return TEMPLATE_DIR;
		*slash = '\0';
	}
	n = (ssize_t)strlen(near);
	if ((size_t)n + sizeof(tail) + 1 < PATH_MAX) {
		near[n] = '/';
		memcpy(near + n + 1, tail, sizeof(tail));
		if (has_template(near))
			return near;
	}
	return TEMPLATE_DIR;
}

/* Open @file of @directory. */
static FILE *open_file(const char *directory, const char *file,
		       const char *mode)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s", directory, file);

	if (n < 0 || (size_t)n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	return fopen(path, mode);
}

/* --- Writing ---------------------------------------------------------------
 */

/* If @at begins with a text to replace, write the replacement, and return the
   number of replaced bytes; else 0. */
static size_t replace(const struct job *job, const char *at, FILE *out)
{
	size_t i;

	for (i = 0; job->cxx && i < N_CXX; i++)
		if (!strncmp(at, cxx[i].from, strlen(cxx[i].from))) {
			fputs(cxx[i].to, out);
			return strlen(cxx[i].from);
		}
	if (job->cxx && !strncmp(at, SOURCE, strlen(SOURCE))) {
		fprintf(out, "%s.cc", job->name);
		return strlen(SOURCE);
	}
	if (!strncmp(at, WORD, strlen(WORD))) {
		fputs(job->name, out);
		return strlen(WORD);
	}
	return 0;
}

static bool write_text(const struct job *job, const char *text, FILE *out)
{
	size_t n;

	while (*text) {
		n = replace(job, text, out);
		if (!n) {
			fputc(*text, out);
			n = 1;
		}
		text += n;
	}
	return !ferror(out);
}

/* The name of @file in the new directory. */
static void new_name(const struct job *job, const char *file, char *name,
		     size_t size)
{
	if (strcmp(file, SOURCE) != 0)
		snprintf(name, size, "%s", file);
	else
		snprintf(name, size, "%s.%s", job->name, job->cxx ? "cc" : "c");
}

static bool copy_file(const struct job *job, const char *file)
{
	FILE *in = open_file(job->from, file, "r"), *out;
	char text[MAX_FILE], name[64];
	size_t n;
	bool ok;

	if (!in) {
		fprintf(stderr,
			"dpr new-plugin: the template %s/%s: %s; install dpr, "
			"or name a template with --from\n",
			job->from, file, strerror(errno));
		return false;
	}
	n = fread(text, 1, sizeof(text), in);
	ok = !ferror(in) && n < sizeof(text);
	text[ok ? n : 0] = '\0';
	fclose(in);
	if (!ok) {
		fprintf(stderr,
			"dpr new-plugin: the template %s/%s cannot be read, or "
			"is larger than %d bytes\n",
			job->from, file, MAX_FILE);
		return false;
	}
	new_name(job, file, name, sizeof(name));
	out = open_file(job->to, name, "w");
	ok = out && write_text(job, text, out);
	if (out && fclose(out))
		ok = false;
	if (!ok)
		fprintf(stderr, "dpr new-plugin: cannot write %s/%s: %s\n",
			job->to, name, strerror(errno));
	return ok;
}

/* Remove what was written, after a failure. */
static void undo(const struct job *job)
{
	char name[64], path[PATH_MAX];
	size_t i;

	for (i = 0; i < job->written; i++) {
		new_name(job, files[i], name, sizeof(name));
		snprintf(path, sizeof(path), "%s/%s", job->to, name);
		(void)unlink(path);
	}
	(void)rmdir(job->to);
}

static int write_all(struct job *job)
{
	if (mkdir(job->to, 0777)) {
		fprintf(stderr, "dpr new-plugin: cannot make %s: %s\n", job->to,
			errno == EEXIST
				? "it exists; name a directory that does not"
				: strerror(errno));
		return 1;
	}
	for (; job->written < N_FILES; job->written++)
		if (!copy_file(job, files[job->written])) {
			job->written++; /* it may be there in part */
			undo(job);
			return 1;
		}
	return 0;
}

static void print_next(const struct job *job)
{
	const char *to = job->to;

	printf("%s/ has the backend %s, in C%s.  Build and check it in one of "
	       "these ways:\n\n"
	       "    cd %s && make && make check\n\n"
	       "    cd %s && cmake -B build -D CMAKE_PREFIX_PATH=$(pkg-config "
	       "--variable=prefix \\\n"
	       "        dpr-backend) && cmake --build build && cd build && "
	       "ctest\n\n"
	       "    cd %s && ACLOCAL_PATH=$(pkg-config --variable=aclocaldir "
	       "dpr-backend) \\\n"
	       "        autoreconf -i && mkdir build && cd build && "
	       "../configure &&\n"
	       "        make && make check\n\n"
	       "They need the lib/pkgconfig of dpr's prefix in "
	       "PKG_CONFIG_PATH.  The check is\n"
	       "\"dpr check-plugin\": it tries each rule of "
	       "<dpr/backend.h>.  Then use the device:\n"
	       "name the folder of libdpr-%s.so, which is ., build or "
	       "build/.libs\n\n"
	       "    DPR_PLUGIN_PATH=$PWD dpr devices %s\n\n"
	       "and read how to go on: man dpr-backend\n",
	       to, job->name, job->cxx ? "++17" : "11", to, to, to, job->name,
	       job->name);
}

int new_plugin_main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "c++", no_argument, NULL, 'c' },
		{ "from", required_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct job job = { 0 };
	char near[PATH_MAX];
	const char *wrong;
	int option;

	while ((option = getopt_long(argc, argv, "cf:h", longs, NULL)) != -1) {
		switch (option) {
		case 'c': job.cxx = true; break;
		case 'f': job.from = optarg; break;
		case 'h': return usage(stdout, 0);
		default: return usage(stderr, 2);
		}
	}
	if (argc - optind != 2)
		return usage(stderr, 2);
	job.name = argv[optind];
	job.to = argv[optind + 1];
	wrong = name_wrong(job.name);
	if (wrong) {
		fprintf(stderr, "dpr new-plugin: \"%.60s\": %s\n", job.name,
			wrong);
		return 2;
	}
	if (!job.from)
		job.from = find_template(near);
	if (write_all(&job))
		return 1;
	print_next(&job);
	return 0;
}
