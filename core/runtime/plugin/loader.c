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
 * The functions named ..._stop and ..._stops check a file.  They return true if
 * it must not be loaded; *@status is then the result of recording why.
 */

/* Check the owner and the mode of @path, whose status is @st; @what begins the
   reason. */
static bool owner_stops(struct candidate *c, const struct stat *st,
			const char *what, const char *path, dpr_status *status)
{
	const char *advice = NULL;
	const char *problem = candidate_distrust(st, env_secure(), &advice);
	char *words;

	*status = DPR_OK;
	if (!problem)
		return false;
	words = text_format("%s %s", advice, path);
	*status = words ? candidate_stop(c, DPR_PLUGIN_REFUSED, words, "%s%s",
					 what, problem)
			: fail_memory("loading plugins");
	mem_free(words);
	return true;
}

/* Check the directory that @file is in. */
static bool directory_stops(struct candidate *c, const char *file,
			    dpr_status *status)
{
	const char *slash = strrchr(file, '/');
	char *name = text_format("%.*s", (int)(slash - file) + (slash == file),
				 file);
	char *what =
		name ? text_format("its directory %s: ", text_quote(name).bytes)
		     : NULL;
	struct stat st;
	bool stops = true;

	if (!what)
		*status = fail_memory("loading plugins");
	else if (stat(name, &st))
		*status = candidate_stop(c, DPR_PLUGIN_REFUSED, NULL, "%s%s",
					 what, strerrordesc_np(errno));
	else
		stops = owner_stops(c, &st, what, name, status);
	mem_free(what);
	mem_free(name);
	return stops;
}

/* Check the ELF headers of the file. */
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

/* Check the owner, the mode and the headers of the open file @fd. */
static bool file_stops(struct candidate *c, int fd, dpr_status *status)
{
	struct stat st;

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
	return owner_stops(c, &st, "", c->file, status) ||
	       headers_stop(c, fd, &st, status);
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

/* Open the file with dlopen(), and make sure that it is still the checked file.
   NULL: the candidate cannot be used. */
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

/* Give the candidate the name that is in the descriptor. */
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
	if (!descriptor_read(handle, entry, plugin, &why)) {
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
