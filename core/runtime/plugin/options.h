/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - the options of a plugin: variables DPR_OPTION_<plugin>_<name>.
 *
 * The core does not know a plugin's options in advance.  While the plugin is
 * being opened, the core notes the options that the plugin asks for.
 */
#ifndef RUNTIME_OPTIONS_H
#define RUNTIME_OPTIONS_H

#include <pthread.h>
#include <stdbool.h>

#include <dpr/backend.h>
#include <dpr/status.h>

#include "core/base/text.h"

struct options {
	const char *plugin; /* the name of the plugin */
	pthread_mutex_t lock;
	/* Guards the fields below. */
	struct text asked; /* the names it asked for, in upper case, each
			      followed by a zero byte */
	char *last_set;    /* the last asked name whose variable is set */
	bool opened;       /* names are no longer noted */
};

void options_init(struct options *options, const char *plugin);
void options_fini(struct options *options);

/* The value of an option, or NULL.  Valid for ever. */
const char *options_get(struct options *options, const char *name);

/* Stop noting names; to be called once the plugin is open. */
void options_close(struct options *options);

/* Calls @visit with each known name of a plugin. */
typedef void (*options_names)(void (*visit)(void *user, const char *name),
			      void *user);

/*
 * Check that the plugin asked for each option that is set.  @each_name lists
 * the plugins: a variable of one with a longer name, such as mock_bare beside
 * mock, is not this plugin's.
 * DPR_ERROR_ENVIRONMENT: the plugin has no such option, or its variable is not
 * in upper case.
 */
dpr_status options_check(struct options *options, options_names each_name);

/*
 * Handle a plugin that refused to open, with @rc and for the reason @why.
 * DPR_ERROR_ENVIRONMENT: the value of one of its options was the cause.
 */
dpr_status options_check_value(struct options *options, dprp_rc rc,
			       const char *why);

#endif
