/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loader.h - finding plugin files and loading them, up to but without starting
 * a driver.
 */
#ifndef RUNTIME_LOADER_H
#define RUNTIME_LOADER_H

#include <stdatomic.h>
#include <sys/stat.h>

#include <dpr/device.h>
#include <dpr/runtime.h>

#include "core/base/text.h"
#include "core/runtime/plugin/plugin.h"

/* A plugin file, what was done with it and how far it came: a line of the load
   report.  Never freed once it has a plugin. */
struct candidate {
	char *file;
	const char *origin; /* static: "DPR_PLUGINS", ... */
	char *name;   /* by the file's name, then by the descriptor; may be NULL
		       */
	int required; /* named by the user: not to be able to load it is an
			 error */
	int named;    /* found by search: the file's name must tell the truth */
	enum dpr_plugin_stage stage;
	char *text, *advice; /* NULL: nothing to say */
	uint64_t nanoseconds;
	dev_t device; /* of the file, once it was looked at */
	ino_t inode;
	struct plugin *plugin; /* once it is loaded */
	/* Whether its driver was tried: what follows is final (release, pairs
	   with the acquire of who reads it without the registry's baton). */
	atomic_int opened;
	dpr_device **devices;
	uint32_t n_devices;
};

/* Candidates in the order in which they count, and where they were sought. */
struct candidates {
	struct candidate **list;
	size_t n;
	struct text places; /* "a, b", for messages */
	/* The directories that were searched for plugins. */
	struct place {
		dev_t device;
		ino_t inode;
	} * searched;
	size_t n_searched;
};

/*
 * Find the files: those of @added first, then those of DPR_PLUGINS alone, or
 * else of the directories of DPR_PLUGIN_PATH, the manifests and the two
 * directories of the installation.  Nothing is opened.  What must not be used
 * is there with stage REFUSED.
 * DPR_ERROR_ENVIRONMENT, DPR_ERROR_OUT_OF_MEMORY: nothing was found.
 */
dpr_status discover(struct candidates *found, char *const *added,
		    size_t n_added);

/* The parts of discover(), for tests: one manifest directory, one directory of
   plugins.  The latter counts once, by whatever names it is searched. */
dpr_status discover_manifests(struct candidates *found, const char *directory);
dpr_status discover_directory(struct candidates *found, const char *directory,
			      const char *origin);
void candidates_drop(struct candidates *found);

/*
 * Why the file or directory of @st must not be used, or NULL; *@advice says
 * what to do.  With @secure (a setuid program) the rules are stricter.
 */
const char *trust_problem(const struct stat *st, int secure,
			  const char **advice);

/*
 * Whether the @size bytes of the file @fd are a whole shared library for this
 * machine, by its headers; @why is empty if so.  dlopen() of one that is not
 * may kill the process.  What lies between the headers is not checked.
 * DPR_ERROR_OUT_OF_MEMORY.
 */
dpr_status elf_check(int fd, uint64_t size, struct text *why);

/*
 * Check the file, open it, check its descriptor: the stage becomes LOADED,
 * or REFUSED, BROKEN or REJECTED with a text.  No driver is touched.
 * DPR_ERROR_OUT_OF_MEMORY: nothing has changed.
 */
dpr_status loader_load(struct candidate *candidate);

/* Forget the plugin of a candidate; it was never opened.  Its file stays
   loaded. */
void loader_unload(struct candidate *candidate);

/* Note why the candidate stops at @stage. */
dpr_status candidate_stop(struct candidate *candidate,
			  enum dpr_plugin_stage stage, const char *advice,
			  const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Check that the descriptor that @entry returns, and all that it points to,
 * lies in the file that @handle is, then fill the tables of @plugin.  Returns
 * 0, or 1 with the reason in @why.
 */
int descriptor_read(void *handle, void *entry, struct plugin *plugin,
		    struct text *why);

#endif
