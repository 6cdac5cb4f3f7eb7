/* SPDX-License-Identifier: Apache-2.0 */
/* loader.c - from a file's name to a checked plugin, without its driver. */
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
#include "core/runtime/plugin/host_table.h"

dpr_status candidate_stop(struct candidate *candidate,
			  enum dpr_plugin_stage stage, const char *advice,
			  const char *format, ...)
{
	char *words, *hint = advice ? mem_string(advice) : NULL;
	struct text text = { 0 };
	va_list args;

	va_start(args, format);
	text_print_args(&text, format, args);
	va_end(args);
	words = text_take(&text);
	if (!words || (advice && !hint)) {
		mem_free(words);
		mem_free(hint);
		return fail_memory("loading plugins");
	}
	mem_free(candidate->text);
	mem_free(candidate->advice);
	candidate->text = words;
	candidate->advice = hint;
	candidate->stage = stage;
	log_post(stage == DPR_PLUGIN_REFUSED || stage == DPR_PLUGIN_BROKEN ||
				 stage == DPR_PLUGIN_REJECTED ||
				 stage == DPR_PLUGIN_FAILED
			 ? DPR_LOG_WARN
			 : DPR_LOG_INFO,
		 "plugin %s: %s: %s", text_quote(candidate->file).bytes,
		 dpr_plugin_stage_name(stage), words);
	return DPR_OK;
}

const char *trust_problem(const struct stat *st, int secure,
			  const char **advice)
{
	if (st->st_mode & S_IWOTH) {
		*advice = "take that right away: chmod o-w";
		return "everyone may write to it";
	}
	if (secure && st->st_mode & S_IWGRP) {
		*advice = "take that right away: chmod g-w";
		return "its group may write to it, and this program is setuid";
	}
	if (secure && st->st_uid != 0) {
		*advice = "give it to root";
		return "it is not root's, and this program is setuid";
	}
	return NULL;
}

/* Check the directory that @file is in.  Returns 1 when it stopped there, in
 *@status how that went. */
static int directory_stops(struct candidate *c, const char *file,
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
		return 1;
	}
	if (stat(name, &st)) {
		*status = candidate_stop(
			c, DPR_PLUGIN_REFUSED, NULL, "its directory %s: %s",
			text_quote(name).bytes, strerrordesc_np(errno));
		free(name);
		return 1;
	}
	problem = trust_problem(&st, env_secure(), &advice);
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

/* What the headers in the file say. */
static int headers_stop(struct candidate *c, int fd, const struct stat *st,
			dpr_status *status)
{
	struct text why = { 0 };
	int stops;

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

/* What fstat says of the file that @fd is. */
static int file_stops(struct candidate *c, int fd, dpr_status *status)
{
	const char *problem, *advice = NULL;
	struct text hint = { 0 };
	char *words;
	struct stat st;

	*status = DPR_OK;
	if (fstat(fd, &st)) {
		*status = candidate_stop(c, DPR_PLUGIN_REFUSED, NULL,
					 "it cannot be looked at: %s",
					 strerrordesc_np(errno));
		return 1;
	}
	if (!S_ISREG(st.st_mode)) {
		*status = candidate_stop(
			c, DPR_PLUGIN_REFUSED, NULL, "it is %s, not a file",
			S_ISDIR(st.st_mode) ? "a directory" : "something else");
		return 1;
	}
	c->device = st.st_dev;
	c->inode = st.st_ino;
	problem = trust_problem(&st, env_secure(), &advice);
	if (!problem)
		return headers_stop(c, fd, &st, status);
	text_print(&hint, "%s %s", advice, c->file);
	words = text_take(&hint);
	*status = candidate_stop(c, DPR_PLUGIN_REFUSED, words, "%s", problem);
	mem_free(words);
	return 1;
}

/* Open the file to look at it; O_NONBLOCK, since it may be a pipe. */
static int look(struct candidate *c, dpr_status *status)
{
	char *real = realpath(c->file, NULL);
	int fd = open(c->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int stops, error = errno;

	*status = DPR_OK;
	if (!real || fd < 0) {
		*status = candidate_stop(c, DPR_PLUGIN_REFUSED, NULL,
					 "it cannot be opened: %s",
					 strerrordesc_np(error));
		stops = 1;
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

/* dlopen the file, and make sure that it is still the one that was looked at.
   NULL: it stopped there. */
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

/* The name of the descriptor becomes the candidate's. */
static dpr_status take_name(struct candidate *c, const struct plugin *plugin)
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
				      "it is no plugin of this dpr: it has no "
				      "symbol " DPRP_ENTRY_SYMBOL);
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
	status = take_name(c, plugin);
	if (!status && c->stage == DPR_PLUGIN_LOADED)
		status = host_init(plugin);
	if (status || c->stage != DPR_PLUGIN_LOADED) {
		mem_free(plugin);
		return status;
	}
	c->plugin = plugin;
	return DPR_OK;
}

void loader_unload(struct candidate *candidate)
{
	if (!candidate->plugin)
		return;
	host_fini(candidate->plugin);
	mem_free(candidate->plugin);
	candidate->plugin = NULL;
}

dpr_status loader_load(struct candidate *candidate)
{
	dpr_status status;
	void *handle;

	if (look(candidate, &status))
		return status;
	handle = open_library(candidate, &status);
	return handle ? read_descriptor(candidate, handle) : status;
}

const char *dpr_plugin_stage_name(enum dpr_plugin_stage stage)
{
	switch (stage) {
	case DPR_PLUGIN_FOUND: return "found";
	case DPR_PLUGIN_SHADOWED: return "shadowed";
	case DPR_PLUGIN_EXCLUDED: return "excluded";
	case DPR_PLUGIN_REFUSED: return "refused";
	case DPR_PLUGIN_BROKEN: return "broken";
	case DPR_PLUGIN_REJECTED: return "rejected";
	case DPR_PLUGIN_LOADED: return "loaded";
	case DPR_PLUGIN_ABSENT: return "absent";
	case DPR_PLUGIN_FAILED: return "failed";
	case DPR_PLUGIN_READY: return "ready";
	}
	return "unknown";
}
