/* SPDX-License-Identifier: Apache-2.0 */
/* loader.c - loading a plugin file and checking it, without its driver. */
#include "core/runtime/plugin/loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/env.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/runtime/plugin/descriptor.h"
#include "core/runtime/plugin/elf_check.h"
#include "core/runtime/plugin/host_table.h"

/*
 * The checks of a file.  Each returns whether the candidate stops there; then
 * *@status is the result of recording why.
 */

/* Check the directory that @file is in. */
static bool directory_stops(struct candidate *c, const char *file,
			    dpr_status *status)
{
	const char *slash = strrchr(file, '/'), *problem, *advice = NULL;
	struct text hint = { 0 };
	struct stat st;
	char *name;

	*status = DPR_OK;
	name = strndup(file, slash == file ? 1 : (size_t)(slash - file));
	if (!name) {
		*status = fail_memory("loading plugins");
		return true;
	}
	if (stat(name, &st)) {
		*status = candidate_stop(
			c, DPR_PLUGIN_REFUSED, NULL, "its directory %s: %s",
			text_quote(name).bytes, strerrordesc_np(errno));
		free(name);
		return true;
	}
	problem = candidate_distrust(&st, env_secure(), &advice);
	if (problem) {
		char *words;

		text_print(&hint, "%s %s", advice, name);
		words = text_take(&hint);
		*status = candidate_stop(c, DPR_PLUGIN_REFUSED, words,
					 "its directory %s: %s",
					 text_quote(name).bytes, problem);
		mem_free(words);
	}
	free(name);
	return problem != NULL;
}

/* Check the headers in the file. */
static bool headers_stop(struct candidate *c, int fd, const struct stat *st,
			 dpr_status *status)
{
	struct text why = { 0 };
	bool stops;

	*status = elf_check(fd, (uint64_t)st->st_size, &why);
	stops = *status || why.size;
	if (!*status && stops)
		*status = candidate_stop(c, DPR_PLUGIN_BROKEN,
					 "install this plugin again, or remove "
					 "the file",
					 "%s", text_get(&why));
	text_fini(&why);
	return stops;
}

/* Check the owner, the mode and the headers of the file that @fd is. */
static bool file_stops(struct candidate *c, int fd, dpr_status *status)
{
	const char *problem, *advice = NULL;
	struct text hint = { 0 };
	char *words;
	struct stat st;

	*status = DPR_OK;
	if (fstat(fd, &st)) {
		*status = candidate_stop(c, DPR_PLUGIN_REFUSED, NULL,
					 "its status cannot be read: %s",
					 strerrordesc_np(errno));
		return true;
	}
	if (!S_ISREG(st.st_mode)) {
		*status = candidate_stop(
			c, DPR_PLUGIN_REFUSED, NULL,
			"it is %s, not a regular file",
			S_ISDIR(st.st_mode) ? "a directory" : "something else");
		return true;
	}
	c->device = st.st_dev;
	c->inode = st.st_ino;
	problem = candidate_distrust(&st, env_secure(), &advice);
	if (!problem)
		return headers_stop(c, fd, &st, status);
	text_print(&hint, "%s %s", advice, c->file);
	words = text_take(&hint);
	*status = candidate_stop(c, DPR_PLUGIN_REFUSED, words, "%s", problem);
	mem_free(words);
	return true;
}

/* Check the file and its directories.  O_NONBLOCK, since it may be a pipe. */
static bool check_stops(struct candidate *c, dpr_status *status)
{
	char *real = realpath(c->file, NULL);
	int fd = open(c->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int error = errno;
	bool stops;

	*status = DPR_OK;
	if (!real || fd < 0) {
		*status = candidate_stop(c, DPR_PLUGIN_REFUSED, NULL,
					 "it cannot be opened: %s",
					 strerrordesc_np(error));
		stops = true;
	} else {
		stops = directory_stops(c, c->file, status) ||
			directory_stops(c, real, status) ||
			file_stops(c, fd, status);
	}
	if (fd >= 0)
		close(fd);
	free(real);
	return stops;
}

/* Open the file with dlopen(), and make sure that it is still the one that was
   checked.  NULL: the candidate stops there. */
static void *open_library(struct candidate *c, dpr_status *status)
{
	const char *error;
	struct stat st;
	void *handle;

	log_post(DPR_LOG_DEBUG, "entering dlopen of %s", c->file);
	log_flush();
	dlerror();
	handle = dlopen(c->file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!handle) {
		error = dlerror();
		*status = candidate_stop(c, DPR_PLUGIN_BROKEN, NULL, "%s",
					 error ? error
					       : "the dynamic linker refused "
						 "it and does not say why");
		return NULL;
	}
	if (!stat(c->file, &st) && st.st_dev == c->device &&
	    st.st_ino == c->inode)
		return handle;
	*status = candidate_stop(c, DPR_PLUGIN_REFUSED, NULL,
				 "it was replaced while it was being opened");
	return NULL;
}

/* The candidate takes the name from the descriptor. */
static dpr_status adopt_name(struct candidate *c, const struct plugin *plugin)
{
	char *name;

	if (c->named && c->name && strcmp(c->name, plugin->name)) {
		return candidate_stop(c, DPR_PLUGIN_REJECTED, NULL,
				      "it calls itself \"%s\", but its file's "
				      "name or its manifest says \"%s\"",
				      plugin->name, c->name);
	}
	name = mem_string(plugin->name);
	if (!name)
		return fail_memory("loading plugins");
	mem_free(c->name);
	c->name = name;
	c->stage = DPR_PLUGIN_LOADED;
	return DPR_OK;
}

static dpr_status read_descriptor(struct candidate *c, void *handle)
{
	void *entry = dlsym(handle, DPRP_ENTRY_SYMBOL);
	struct text why = { 0 };
	struct plugin *plugin;
	dpr_status status;

	if (!entry)
		return candidate_stop(c, DPR_PLUGIN_REJECTED, NULL,
				      "it is not a plugin of this dpr: it has "
				      "no symbol " DPRP_ENTRY_SYMBOL);
	plugin = mem_alloc(sizeof(*plugin));
	if (!plugin)
		return fail_memory("loading plugins");
	if (descriptor_read(handle, entry, plugin, &why)) {
		status = candidate_stop(c, DPR_PLUGIN_REJECTED, NULL, "%s",
					why.bytes ? why.bytes
						  : "it is malformed");
		text_fini(&why);
		mem_free(plugin);
		return status;
	}
	status = adopt_name(c, plugin);
	if (!status && c->stage == DPR_PLUGIN_LOADED)
		status = host_table_init(plugin);
	if (status || c->stage != DPR_PLUGIN_LOADED) {
		mem_free(plugin);
		return status;
	}
	c->plugin = plugin;
	return DPR_OK;
}

dpr_status loader_load(struct candidate *candidate)
{
	dpr_status status;
	void *handle;

	if (check_stops(candidate, &status))
		return status;
	handle = open_library(candidate, &status);
	return handle ? read_descriptor(candidate, handle) : status;
}
