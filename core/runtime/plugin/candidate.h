/* SPDX-License-Identifier: Apache-2.0 */
/* candidate.h - the plugin files that were found, and how far each got in
 * loading.
 */
#ifndef RUNTIME_CANDIDATE_H
#define RUNTIME_CANDIDATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>

#include <dpr/device.h>
#include <dpr/runtime.h>

#include "core/base/text.h"
#include "core/runtime/plugin/plugin.h"

/* A plugin file: a line of the load report.  Never freed once it has a
   plugin. */
struct candidate {
	char *file;
	/* who named the file, such as "DPR_PLUGINS"; a static string */
	const char *origin;
	char *name;    /* from the file's name, then from the descriptor; may
			  be NULL */
	bool required; /* named by the user, so a failure to load it is an
			  error */
	/* `name` was known before loading; the descriptor must have the same */
	bool named;
	enum dpr_plugin_stage stage;
	char *text, *advice; /* NULL: none */
	uint64_t nanoseconds;
	/* the device of the file, set before the file is opened */
	dev_t device;
	ino_t inode;
	struct plugin *plugin; /* set once the plugin is loaded */
	/* Whether starting its driver was tried.  If so, the fields below never
	   change (release, pairs with the acquire of readers without the
	   baton). */
	atomic_bool opened;
	dpr_device **devices;
	uint32_t n_devices;
};

/* Candidates in order of preference, and the places that were searched. */
struct candidates {
	struct candidate **list;
	size_t n;
	/* what was searched, as "a, b", for messages */
	struct text places;
	/* The directories that were searched for plugins. */
	struct place {
		dev_t device;
		ino_t inode;
	} * searched;
	size_t n_searched;
};

/* Find the NAME in @file, a file name without a directory, and set *@length to
   its length.  NULL: @file is not of the form "libdpr-NAME.so". */
const char *candidate_name(const char *file, size_t *length);

/* Append a candidate for @file, and set *@out to it.
   DPR_ERROR_OUT_OF_MEMORY. */
dpr_status candidate_add(struct candidates *found, const char *file,
			 const char *origin, struct candidate **out);

/* Record that the candidate stops at @stage, and why, with advice or NULL.
   DPR_ERROR_OUT_OF_MEMORY: nothing has changed. */
dpr_status candidate_stop(struct candidate *candidate,
			  enum dpr_plugin_stage stage, const char *advice,
			  const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Why the file or directory of @st must not be used, or NULL; *@advice says
 * what to do.  With @secure (a setuid program) the rules are stricter.
 */
const char *candidate_distrust(const struct stat *st, bool secure,
			       const char **advice);

/* Free the plugin of a candidate that was never opened.  Its file stays
   loaded. */
void candidate_unload(struct candidate *candidate);

/* Free all candidates and empty the list. */
void candidate_drop_all(struct candidates *found);

#endif
