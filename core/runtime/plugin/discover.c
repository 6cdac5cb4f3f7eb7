/* SPDX-License-Identifier: Apache-2.0 */
/* discover.c - where plugin files are looked for, and in which order. */
#include "core/runtime/plugin/discover.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/env.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/status.h"

#define MANIFEST_SUFFIX ".dpr"
#define MAX_MANIFEST 65536
/* The most bytes of a message about the places that were searched. */
#define MAX_PLACES 2048

static dpr_status no_memory(void)
{
	return fail_memory("looking for plugins");
}

/* --- The list --------------------------------------------------------------
 */

/* Add a line to the report for a directory or a manifest that is not used. */
static dpr_status add_refused(struct candidates *found, const char *file,
			      const char *origin, const char *why,
			      const char *advice)
{
	struct candidate *c = NULL;
	dpr_status status = candidate_add(found, file, origin, &c);

	if (status)
		return status;
	return candidate_stop(c, DPR_PLUGIN_REFUSED, advice, "%s", why);
}

static void add_place(struct candidates *found, const char *place)
{
	if (found->places.size > MAX_PLACES)
		return;
	text_print(&found->places, "%s%s", found->places.size ? ", " : "",
		   text_quote(place).bytes);
	if (found->places.size > MAX_PLACES)
		text_print(&found->places, ", ...");
}

/* --- Directories -----------------------------------------------------------
 */

/* A filter for scandir(), like the next function. */
static int is_plugin_name(const struct dirent *entry)
{
	size_t length;

	return candidate_name(entry->d_name, &length) != NULL;
}

static int is_manifest_name(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name), suffix = strlen(MANIFEST_SUFFIX);

	return entry->d_name[0] != '.' && n > suffix &&
	       !strcmp(entry->d_name + n - suffix, MANIFEST_SUFFIX);
}

/* Unlike alphasort(), this order does not depend on the locale. */
static int compare_bytewise(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static char *join_path(const char *directory, const char *name)
{
	size_t n = strlen(directory);

	return text_format("%s%s%s", directory,
			   n && directory[n - 1] == '/' ? "" : "/", name);
}

/*
 * Call @visit for each entry of @directory that @filter accepts.  A missing
 * directory counts as empty; one that must not be used gets a line in the
 * report.
 */
static dpr_status visit_directory(
	struct candidates *found, const char *directory, const char *origin,
	int (*filter)(const struct dirent *),
	dpr_status (*visit)(struct candidates *, const char *, const char *))
{
	const char *problem, *advice = NULL;
	struct dirent **entries = NULL;
	dpr_status status = DPR_OK;
	struct stat st;
	int n, i;

	add_place(found, directory);
	if (stat(directory, &st))
		return DPR_OK;
	problem = candidate_distrust(&st, env_secure(), &advice);
	if (problem)
		return add_refused(found, directory, origin, problem, advice);
	n = scandir(directory, &entries, filter, compare_bytewise);
	if (n < 0)
		return add_refused(found, directory, origin,
				   strerrordesc_np(errno), NULL);
	for (i = 0; i < n; i++) {
		char *path = status ? NULL
				    : join_path(directory, entries[i]->d_name);

		if (!status)
			status =
				path ? visit(found, path, origin) : no_memory();
		mem_free(path);
		free(entries[i]);
	}
	free(entries);
	return status;
}

static dpr_status visit_plugin(struct candidates *found, const char *file,
			       const char *origin)
{
	struct candidate *c = NULL;
	dpr_status status = candidate_add(found, file, origin, &c);

	if (!status)
		c->named = true;
	return status;
}

/* Record that @directory is searched.  Sets *@before if it was searched
   already, perhaps under another name: the directory beside the library is
   often that of the installation, too. */
static dpr_status note_search(struct candidates *found, const char *directory,
			      bool *before)
{
	struct place *place;
	struct stat st;
	size_t i;

	*before = false;
	if (stat(directory, &st))
		return DPR_OK;
	for (i = 0; i < found->n_searched && !*before; i++)
		*before = found->searched[i].device == st.st_dev &&
			  found->searched[i].inode == st.st_ino;
	if (*before)
		return DPR_OK;
	place = mem_append(&found->searched, &found->n_searched);
	if (!place)
		return no_memory();
	*place = (struct place){ st.st_dev, st.st_ino };
	return DPR_OK;
}

dpr_status discover_directory(struct candidates *found, const char *directory,
			      const char *origin)
{
	dpr_status status;
	bool before;

	status = note_search(found, directory, &before);
	if (status || before)
		return status;
	return visit_directory(found, directory, origin, is_plugin_name,
			       visit_plugin);
}

/* --- Manifests -------------------------------------------------------------
 */

struct manifest {
	const char *abi, *name, *library;
};

/* Read a manifest.  The caller frees the text.  NULL: *@why is the reason, or
   "" if memory ran out; there may also be *@advice. */
static char *read_manifest(const char *file, const char **why,
			   const char **advice)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text = mem_alloc(MAX_MANIFEST + 2);
	struct stat st;
	ssize_t n = 0;

	*why = text ? NULL : "";
	if (text && (fd < 0 || fstat(fd, &st)))
		*why = strerrordesc_np(errno);
	else if (text && !S_ISREG(st.st_mode))
		*why = "it is not a file";
	else if (text)
		*why = candidate_distrust(&st, env_secure(), advice);
	if (!*why)
		n = files_read(fd, text, MAX_MANIFEST + 1, 0);
	if (n < 0)
		*why = strerrordesc_np(errno);
	else if (n > MAX_MANIFEST)
		*why = "it is longer than 64 KiB";
	else if (!*why && memchr(text, '\0', (size_t)n))
		*why = "it has a zero byte";
	if (fd >= 0)
		close(fd);
	if (!*why)
		return text;
	mem_free(text);
	return NULL;
}

static char *trim_blanks(char *s)
{
	size_t n;

	s += strspn(s, " \t\r");
	n = strlen(s);
	while (n && strchr(" \t\r", s[n - 1]))
		s[--n] = '\0';
	return s;
}

/* Parse lines of key=value; # begins a comment.  Unknown keys are ignored: they
   are for later versions.  Returns what is wrong, or NULL. */
static const char *parse_manifest(char *text, struct manifest *m)
{
	char *line, *rest = text, *equals;

	while ((line = strsep(&rest, "\n"))) {
		line = trim_blanks(line);
		if (!*line || *line == '#')
			continue;
		equals = strchr(line, '=');
		if (!equals)
			return "a line has no \"=\"";
		*equals = '\0';
		line = trim_blanks(line);
		if (!strcmp(line, "abi"))
			m->abi = trim_blanks(equals + 1);
		else if (!strcmp(line, "name"))
			m->name = trim_blanks(equals + 1);
		else if (!strcmp(line, "library"))
			m->library = trim_blanks(equals + 1);
	}
	if (!m->abi || !m->name || !m->library || !*m->name || !*m->library)
		return "it must have the lines abi=1, name=... and "
		       "library=...";
	if (strcmp(m->abi, "1"))
		return "it is for another version of the plugin interface "
		       "(it must have abi=1)";
	return NULL;
}

/* Add the library of a manifest; its path may be relative to the manifest. */
static dpr_status add_library(struct candidates *found, const char *manifest,
			      const struct manifest *m, const char *origin)
{
	const char *slash = strrchr(manifest, '/');
	const int directory =
		*m->library == '/' ? 0 : (int)(slash - manifest) + 1;
	char *file = text_format("%.*s%s", directory, manifest, m->library);
	char *name = mem_string(m->name);
	struct candidate *c = NULL;
	dpr_status status;

	status = file && name ? candidate_add(found, file, origin, &c)
			      : no_memory();
	mem_free(file);
	if (status) {
		mem_free(name);
		return status;
	}
	mem_free(c->name);
	c->name = name;
	c->named = true;
	return DPR_OK;
}

static dpr_status visit_manifest(struct candidates *found, const char *file,
				 const char *origin)
{
	const char *why = NULL, *advice = NULL;
	struct manifest m = { 0 };
	dpr_status status;
	char *text;

	text = read_manifest(file, &why, &advice);
	if (!text && !*why)
		return no_memory();
	if (text)
		why = parse_manifest(text, &m);
	if (why)
		status = add_refused(found, file, origin, why, advice);
	else
		status = add_library(found, file, &m, origin);
	mem_free(text);
	return status;
}

dpr_status discover_manifests(struct candidates *found, const char *directory)
{
	return visit_directory(found, directory, "manifest", is_manifest_name,
			       visit_manifest);
}

/* --- Everything ------------------------------------------------------------
 */

/* Copy the part of *@list up to the next ':', and move *@list behind that.  The
   caller frees the copy.  NULL: no memory. */
static char *next_entry(const char **list)
{
	const char *end = strchrnul(*list, ':');
	char *entry = mem_alloc((size_t)(end - *list) + 1);

	if (entry)
		memcpy(entry, *list, (size_t)(end - *list));
	*list = *end ? end + 1 : end;
	return entry;
}

static dpr_status add_required(struct candidates *found, const char *file,
			       const char *origin)
{
	struct candidate *c = NULL;
	dpr_status status = candidate_add(found, file, origin, &c);

	if (!status)
		c->required = true;
	return status;
}

/* Call @visit for each entry of a variable.  Skips empty entries, which shells
   leave behind. */
static dpr_status each_entry(struct candidates *found, const char *variable,
			     const char *accepted,
			     dpr_status (*visit)(struct candidates *,
						 const char *, const char *))
{
	const char *list = env_get(variable);
	dpr_status status = DPR_OK;

	while (list && *list && !status) {
		char *entry = next_entry(&list);

		if (!entry)
			return no_memory();
		if (*entry && *entry != '/')
			status = env_refuse(
				variable,
				"\"%s\" is not absolute; accepted: %s",
				text_quote(entry).bytes, accepted);
		else if (*entry)
			status = visit(found, entry, variable);
		mem_free(entry);
	}
	return status;
}

/* Search the directory beside the library, so that an unpacked tree works; but
   not beside a program into which the library was linked. */
static dpr_status search_beside_library(struct candidates *found)
{
	struct link_map *map = NULL;
	const char *slash;
	dpr_status status;
	Dl_info info;
	char *name;

	if (!dladdr1((void *)no_memory, &info, (void **)&map, RTLD_DL_LINKMAP))
		return DPR_OK;
	if (!map || !map->l_name || *map->l_name != '/')
		return DPR_OK;
	slash = strrchr(map->l_name, '/');
	name = text_format("%.*s/dpr", (int)(slash - map->l_name), map->l_name);
	if (!name)
		return no_memory();
	status = discover_directory(found, name, "beside libdpr");
	mem_free(name);
	return status;
}

/* Search a directory that the user named.  One without plugins, or that is not
   there, gets a line in the report. */
static dpr_status search_named(struct candidates *found, const char *directory,
			       const char *origin)
{
	const size_t n = found->n;
	const char *why = "it has no plugin, a file libdpr-NAME.so";
	dpr_status status;
	struct stat st;
	bool before;

	status = note_search(found, directory, &before);
	if (status || before)
		return status;
	status = visit_directory(found, directory, origin, is_plugin_name,
				 visit_plugin);
	if (status || found->n > n)
		return status;
	if (stat(directory, &st))
		why = strerrordesc_np(errno);
	return add_refused(found, directory, origin, why,
			   "correct the directory in DPR_PLUGIN_PATH");
}

static dpr_status search_all(struct candidates *found)
{
	dpr_status status;

	status = each_entry(found, "DPR_PLUGIN_PATH",
			    "absolute directories, separated by ':'",
			    search_named);
	if (!status)
		status = discover_manifests(found, DPR_MANIFEST_DIR);
	if (!status)
		status = search_beside_library(found);
	if (!status)
		status = discover_directory(found, DPR_PLUGIN_DIR,
					    "installation");
	return status;
}

dpr_status discover(struct candidates *found, char *const *added,
		    size_t n_added)
{
	dpr_status status = DPR_OK;
	size_t i;

	*found = (struct candidates){ 0 };
	for (i = 0; i < n_added && !status; i++)
		status = add_required(found, added[i], "dpr_plugin_add");
	if (!status && env_get("DPR_PLUGINS")) {
		add_place(found, "DPR_PLUGINS");
		status = each_entry(found, "DPR_PLUGINS",
				    "absolute plugin files, separated by ':'",
				    add_required);
	} else if (!status) {
		status = search_all(found);
	}
	if (!status && found->places.failed)
		status = no_memory();
	if (status)
		candidate_drop_all(found);
	return status;
}
