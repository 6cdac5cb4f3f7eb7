/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zecpu_exec.c - compile SPIR-V to code for the host.
 *
 * LLVM's tools do this, as child processes:
 *
 *	llvm-spirv -r		SPIR-V to bitcode
 *	opt			optimises it
 *	llvm-link		adds PoCL's built-in functions, and a function
 *				zek.NAME(arguments) for each kernel
 *	llc, ld			a library, opened with dlopen()
 *
 * opt does not run after llvm-link: some of PoCL's functions have another
 * calling convention than their callers, which only llc accepts.  Finished
 * libraries are kept in a folder, under a hash of their input.
 */
#include "zecpu_impl.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef ZECPU_CACHE_FOLDER
#define ZECPU_CACHE_FOLDER "/tmp/zecpu-cache"
#endif

/* A part of the hash: change it whenever the code below makes other
   libraries. */
#define RECIPE "zecpu 3 llvm " ZECPU_LLVM_TEXT

#if defined(__x86_64__)
#define TRIPLE "x86_64-pc-linux-gnu"
#elif defined(__aarch64__)
#define TRIPLE "aarch64-unknown-linux-gnu"
#else
#define TRIPLE "unknown"
#endif
#define BUILT_INS "/usr/share/pocl/kernel-" TRIPLE "-GENERIC.bc"

extern char **environ;

static struct {
	pthread_mutex_t lock; /* innermost; held while a module is compiled */
	struct image *images;
	uint64_t compiled;
} exec = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* --- tools ---------------------------------------------------------------- */

static const char *const tools[] = { "llvm-spirv-" ZECPU_LLVM_TEXT,
				     "opt-" ZECPU_LLVM_TEXT,
				     "llvm-link-" ZECPU_LLVM_TEXT,
				     "llc-" ZECPU_LLVM_TEXT, "ld" };

/* opt's option for or against opaque pointers: from version 17 on, there are no
   others. */
#if ZECPU_LLVM < 17
#define OPAQUE "-opaque-pointers"
#define TYPED "-opaque-pointers=0"
#else
#define OPAQUE NULL
#define TYPED NULL
#endif

static bool in_path(const char *tool)
{
	const char *path = getenv("PATH"), *end;
	char file[512];

	for (; path && *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		snprintf(file, sizeof(file), "%.*s/%s", (int)(end - path), path,
			 tool);
		if (access(file, X_OK) == 0)
			return true;
	}
	return false;
}

/* Returns the name of the file with PoCL's functions. */
static const char *built_ins(void)
{
	const char *file = getenv("ZECPU_BUILT_INS");

	return file && *file ? file : BUILT_INS;
}

/* Returns which tool or file is missing, or NULL. */
static const char *find_missing(void)
{
	static _Thread_local char text[512];
	size_t i;

	for (i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (!in_path(tools[i])) {
			snprintf(text, sizeof(text), "%s is not installed",
				 tools[i]);
			return text;
		}
	if (access(built_ins(), R_OK) == 0)
		return NULL;
	snprintf(text, sizeof(text), "PoCL's functions (%s) are not installed",
		 built_ins());
	return text;
}

uint64_t zecpu_exec_compiled(void)
{
	uint64_t n;

	pthread_mutex_lock(&exec.lock);
	n = exec.compiled;
	pthread_mutex_unlock(&exec.lock);
	return n;
}

/* --- the name of what is compiled --- */

void zecpu_exec_hash(const void *data, size_t size, uint64_t hash[2])
{
	const unsigned char *bytes = data;
	uint64_t a = 0xcbf29ce484222325, b = 0x9ae16a3b2f90404f;
	size_t i;

	for (i = 0; i < size; i++) {
		a = (a ^ bytes[i]) * 0x100000001b3;
		b = (b + bytes[i] + 1) * 0xff51afd7ed558ccd;
		b ^= b >> 29;
	}
	hash[0] = a;
	hash[1] = b;
}

static void name_of(const void *code, size_t size, const char *options,
		    char name[33])
{
	uint64_t all[6] = { 0 };
	struct stat status = { 0 };
	char recipe[128];

	stat(built_ins(), &status);
	snprintf(recipe, sizeof(recipe), RECIPE " %lld %lld",
		 (long long)status.st_size, (long long)status.st_mtime);
	zecpu_exec_hash(code, size, &all[0]);
	zecpu_exec_hash(options, strlen(options), &all[2]);
	zecpu_exec_hash(recipe, strlen(recipe), &all[4]);
	zecpu_exec_hash(all, sizeof(all), all);
	snprintf(name, 33, "%016llx%016llx", (unsigned long long)all[0],
		 (unsigned long long)all[1]);
}

/* --- child processes --- */

/* Run a tool in the folder.  Its output goes to the file "log" there. */
static bool run_tool(const char *folder, const char *const arguments[])
{
	posix_spawn_file_actions_t actions;
	char path[512];
	int status = -1;
	pid_t pid;
	int rc;

	snprintf(path, sizeof(path), "%s/log", folder);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, path,
					 O_WRONLY | O_CREAT | O_APPEND, 0600);
	posix_spawn_file_actions_adddup2(&actions, 1, 2);
	posix_spawn_file_actions_addchdir_np(&actions, folder);
	rc = posix_spawnp(&pid, arguments[0], &actions, NULL,
			  (char *const *)(uintptr_t)arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (rc)
		return false;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool write_file(const char *folder, const char *name, const void *data,
		       size_t size)
{
	char path[512];
	FILE *file;
	bool good;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	if (!file)
		return false;
	good = fwrite(data, 1, size, file) == size;
	return fclose(file) == 0 && good;
}

static void read_log(const char *folder, const char *tool, char *log,
		     size_t size)
{
	char path[512];
	size_t n, got = 0;
	FILE *file;

	n = (size_t)snprintf(log, size, "error: %s failed\n", tool);
	snprintf(path, sizeof(path), "%s/log", folder);
	file = fopen(path, "re");
	if (file) {
		if (n < size)
			got = fread(log + n, 1, size - n - 1, file);
		log[n + got] = 0;
		fclose(file);
	}
}

static void remove_folder(const char *folder)
{
	static const char *const names[] = { "k.cl", "0.bc", "1.bc", "k.spv",
					     "k.bc", "o.bc", "w.ll", "l.bc",
					     "l.o",  "k.so", "log" };
	char path[512];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

/* --- the functions that call the kernels --- */

static const char prologue[] = "target triple = \"" TRIPLE "\"\n"
			       "@_local_id_x = global i64 0\n"
			       "@_local_id_y = global i64 0\n"
			       "@_local_id_z = global i64 0\n"
			       "@_group_id_x = global i64 0\n"
			       "@_group_id_y = global i64 0\n"
			       "@_group_id_z = global i64 0\n"
			       "@_local_size_x = global i64 0\n"
			       "@_local_size_y = global i64 0\n"
			       "@_local_size_z = global i64 0\n"
			       "@_num_groups_x = global i64 0\n"
			       "@_num_groups_y = global i64 0\n"
			       "@_num_groups_z = global i64 0\n"
			       "@_global_offset_x = global i64 0\n"
			       "@_global_offset_y = global i64 0\n"
			       "@_global_offset_z = global i64 0\n"
			       "@_work_dim = global i32 0\n"
			       "@zek.hook = global ptr null\n"
			       "@zek.lock = global [64 x i8] zeroinitializer, "
			       "align 16\n"
			       "define void @pocl.barrier() {\n"
			       "  %h = load ptr, ptr @zek.hook\n"
			       "  call void %h()\n"
			       "  ret void\n"
			       "}\n";

static void put_type(FILE *out, const struct argument *argument, bool extend)
{
	if (argument->type[0])
		fprintf(out, "%s %s", argument->type,
			extend ? argument->extend : "");
	else
		fprintf(out, "ptr byval([%zu x i8]) align %zu", argument->size,
			argument->align);
}

static void put_kernel(FILE *out, const struct kernel_info *kernel)
{
	const struct argument *argument;
	uint32_t i;

	fprintf(out, "declare spir_kernel void @\"%s\"(", kernel->name);
	for (i = 0; i < kernel->n_arguments; i++) {
		fputs(i ? ", " : "", out);
		put_type(out, &kernel->arguments[i], true);
	}
	fprintf(out, ")\ndefine void @\"zek.%s\"(ptr %%a) {\n", kernel->name);
	for (i = 0; i < kernel->n_arguments; i++) {
		argument = &kernel->arguments[i];
		fprintf(out,
			"  %%p%u = getelementptr ptr, ptr %%a, i64 %u\n"
			"  %%q%u = load ptr, ptr %%p%u\n",
			i, i, i, i);
		if (argument->type[0])
			fprintf(out, "  %%v%u = load %s, ptr %%q%u, align 1\n",
				i, argument->type, i);
	}
	fprintf(out, "  call spir_kernel void @\"%s\"(", kernel->name);
	for (i = 0; i < kernel->n_arguments; i++) {
		fputs(i ? ", " : "", out);
		put_type(out, &kernel->arguments[i], true);
		fprintf(out, " %%%c%u",
			kernel->arguments[i].type[0] ? 'v' : 'q', i);
	}
	fputs(")\n  ret void\n}\n", out);
}

static bool write_callers(const char *folder, const struct spirv *spirv)
{
	char path[512];
	uint32_t i;
	FILE *out;

	snprintf(path, sizeof(path), "%s/w.ll", folder);
	out = fopen(path, "we");
	if (!out)
		return false;
	fputs(prologue, out);
	for (i = 0; i < spirv->n_kernels; i++)
		put_kernel(out, &spirv->kernels[i]);
	return fclose(out) == 0;
}

/* --- compile --- */

#define MTRIPLE "-mtriple=" TRIPLE

static bool run_tools(const char *folder, const char *options, char *log,
		      size_t log_size)
{
	char option[4096];
	const char *spirv[] = { tools[0], "-r",   "k.spv",
				"-o",     "k.bc", options[0] ? option : NULL,
				NULL };
	const char *opt[] = { tools[1], "-O2",  MTRIPLE, "k.bc",
			      "-o",     "o.bc", OPAQUE,  NULL };
	const char *link[] = { tools[2],
			       "--only-needed",
			       "--suppress-warnings",
			       "o.bc",
			       "--override",
			       "w.ll",
			       built_ins(),
			       "-o",
			       "l.bc",
			       NULL };
	const char *llc[] = { tools[3],
			      "-O2",
			      MTRIPLE,
			      "-relocation-model=pic",
			      "-filetype=obj",
			      "l.bc",
			      "-o",
			      "l.o",
			      NULL };
	const char *ld[] = { tools[4], "-shared", "-Bsymbolic", "-z",
			     "now",    "l.o",     "-o",         "k.so",
			     "-lm",    "-lc",     NULL };
	const char **all[] = { spirv, opt, link, llc, ld };
	size_t i;

	snprintf(option, sizeof(option), "--spec-const=%s", options);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!run_tool(folder, all[i])) {
			read_log(folder, all[i][0], log, log_size);
			return false;
		}
	return true;
}

static const char *cache_folder(void)
{
	const char *folder = getenv("ZECPU_CACHE");

	return folder && *folder ? folder : ZECPU_CACHE_FOLDER;
}

static void make_folders(const char *path)
{
	char part[512];
	char *at;

	snprintf(part, sizeof(part), "%s", path);
	for (at = strchr(part + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = 0;
		mkdir(part, 0777);
		*at = '/';
	}
	mkdir(part, 0777);
}

/* Make a new folder to work in. */
static bool make_work_folder(char *folder, size_t size)
{
	make_folders(cache_folder());
	snprintf(folder, size, "%s/work-XXXXXX", cache_folder());
	return mkdtemp(folder) != NULL;
}

/* Returns whether the tools can read PoCL's functions, which may come from
   another version of LLVM.  Does not read the functions' bodies, so it takes
   only a tenth of a second. */
static bool can_read(void)
{
	const char *link[] = { tools[2], "--only-needed", "w.ll", built_ins(),
			       "-o",     "l.bc",          NULL };
	char folder[400];
	bool good;

	if (!make_work_folder(folder, sizeof(folder)))
		return true; /* the next step says so */
	good = write_file(folder, "w.ll", prologue, strlen(prologue)) &&
	       run_tool(folder, link);
	remove_folder(folder);
	return good;
}

const char *zecpu_exec_unable(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static _Thread_local char text[512];
	static char asked[512]; /* the file that the answer is about */
	static bool readable;
	const char *missing = find_missing();
	bool good;

	if (missing)
		return missing;
	pthread_mutex_lock(&lock);
	if (strcmp(asked, built_ins()) != 0) {
		readable = can_read();
		snprintf(asked, sizeof(asked), "%s", built_ins());
	}
	good = readable;
	pthread_mutex_unlock(&lock);
	if (good)
		return NULL;
	snprintf(text, sizeof(text),
		 "%s cannot read PoCL's functions (%s), which another version "
		 "of LLVM has made",
		 tools[2], built_ins());
	return text;
}

/* Make a new folder to compile in. */
static bool open_work_folder(char *folder, size_t size, char *log,
			     size_t log_size)
{
	const char *unable = zecpu_exec_unable();

	if (!unable && make_work_folder(folder, size))
		return true;
	if (unable)
		snprintf(log, log_size, "error: zecpu: %s\n", unable);
	else
		snprintf(log, log_size, "error: zecpu: cannot write in %s\n",
			 folder);
	return false;
}

/* Compile to the file @path. */
static bool compile(const void *code, size_t size, const struct spirv *spirv,
		    const char *options, const char *path, char *log,
		    size_t log_size)
{
	char folder[400], made[420];
	bool good;

	if (!open_work_folder(folder, sizeof(folder), log, log_size))
		return false;
	if (!write_file(folder, "k.spv", code, size) ||
	    !write_callers(folder, spirv)) {
		snprintf(log, log_size, "error: zecpu: cannot write in %s\n",
			 folder);
		remove_folder(folder);
		return false;
	}
	good = run_tools(folder, options, log, log_size);
	snprintf(made, sizeof(made), "%s/k.so", folder);
	if (good && rename(made, path) != 0) {
		snprintf(log, log_size, "error: zecpu: cannot write %s\n",
			 path);
		good = false;
	}
	remove_folder(folder);
	exec.compiled++;
	return good;
}

/* --- OpenCL C --- */

static unsigned char *read_file(const char *folder, const char *name,
				size_t *size)
{
	unsigned char *out = NULL;
	struct stat status;
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "re");
	if (!file)
		return NULL;
	if (fstat(fileno(file), &status) == 0)
		out = malloc((size_t)status.st_size + 1);
	*size = out ? (size_t)status.st_size : 0;
	if (out && fread(out, 1, *size, file) != *size) {
		free(out);
		out = NULL;
	}
	fclose(file);
	return out;
}

unsigned char *zecpu_exec_source(const void *text, size_t size,
				 size_t *out_size, char *log, size_t log_size)
{
	const char *clang[] = { "clang-" ZECPU_LLVM_TEXT,
				"-x",
				"cl",
				"-cl-std=CL1.2",
				"-target",
				"spir64-unknown-unknown",
				"-Xclang",
				"-finclude-default-header",
				"-O2",
				"-Xclang",
				"-disable-llvm-passes",
				"-emit-llvm",
				"-c",
				"k.cl",
				"-o",
				"0.bc",
				NULL };
	/* With more optimisation, the SPIR-V would not be valid. */
	const char *opt[] = { tools[1], "-passes=function(sroa,early-cse)",
			      "0.bc",   "-o",
			      "1.bc",   TYPED,
			      NULL };
	const char *spirv[] = { tools[0], "--spirv-max-version=1.2",
				"1.bc",   "-o",
				"k.spv",  NULL };
	const char **all[] = { clang, opt, spirv };
	unsigned char *out = NULL;
	char folder[400];
	size_t i;

	if (!open_work_folder(folder, sizeof(folder), log, log_size))
		return NULL;
	if (!write_file(folder, "k.cl", text, size))
		snprintf(log, log_size, "error: zecpu: cannot write in %s\n",
			 folder);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!run_tool(folder, all[i])) {
			read_log(folder, all[i][0], log, log_size);
			break;
		}
	if (i == sizeof(all) / sizeof(all[0]))
		out = read_file(folder, "k.spv", out_size);
	remove_folder(folder);
	return out;
}

/* --- images --- */

/* zek.lock is not initialized: an all-zero mutex is valid here. */
_Static_assert(sizeof(pthread_mutex_t) <= 64, "zek.lock is too small");

static void find_variables(struct image *image)
{
	static const char axes[] = "xyz";
	char name[32];
	int i;

	for (i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "_local_id_%c", axes[i]);
		image->local_id[i] = dlsym(image->library, name);
		snprintf(name, sizeof(name), "_group_id_%c", axes[i]);
		image->group_id[i] = dlsym(image->library, name);
		snprintf(name, sizeof(name), "_local_size_%c", axes[i]);
		image->local_size[i] = dlsym(image->library, name);
		snprintf(name, sizeof(name), "_num_groups_%c", axes[i]);
		image->n_groups[i] = dlsym(image->library, name);
		snprintf(name, sizeof(name), "_global_offset_%c", axes[i]);
		image->offset[i] = dlsym(image->library, name);
	}
	image->work_dim = dlsym(image->library, "_work_dim");
	image->hook = dlsym(image->library, "zek.hook");
	image->lock = dlsym(image->library, "zek.lock");
}

/* Open a finished library.  exec.lock is held. */
static struct image *open_image(const char *name, const char *path, char *log,
				size_t log_size)
{
	struct image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	memcpy(image->name, name, sizeof(image->name));
	image->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!image->library) {
		snprintf(log, log_size, "error: %s\n", dlerror());
		free(image);
		return NULL;
	}
	find_variables(image);
	image->next = exec.images;
	exec.images = image;
	return image;
}

struct image *zecpu_exec_open(const void *code, size_t size,
			      const struct spirv *spirv, const char *options,
			      char *log, size_t log_size)
{
	struct image *image;
	char name[33], path[512];

	name_of(code, size, options, name);
	snprintf(path, sizeof(path), "%s/%s.so", cache_folder(), name);
	pthread_mutex_lock(&exec.lock);
	for (image = exec.images; image; image = image->next)
		if (strcmp(image->name, name) == 0)
			break;
	if (!image &&
	    (access(path, R_OK) == 0 ||
	     compile(code, size, spirv, options, path, log, log_size)))
		image = open_image(name, path, log, log_size);
	if (image)
		image->references++;
	pthread_mutex_unlock(&exec.lock);
	return image;
}

void zecpu_exec_close(struct image *image)
{
	struct image **place;

	pthread_mutex_lock(&exec.lock);
	if (image && --image->references == 0) {
		for (place = &exec.images; *place != image;)
			place = &(*place)->next;
		*place = image->next;
		dlclose(image->library);
		free(image);
	}
	pthread_mutex_unlock(&exec.lock);
}
