/* SPDX-License-Identifier: Apache-2.0 */
/* registry.h - opening backends, and closing them. */
#ifndef RUNTIME_REGISTRY_H
#define RUNTIME_REGISTRY_H

#include <stdbool.h>

#include <dpr/status.h>

/*
 * Start the driver of each loaded backend that @wanted accepts (NULL: all).
 * The caller must have called start_library().  A driver that does not start is
 * not an error.
 * DPR_ERROR_ENVIRONMENT: a backend does not accept the value of one of its
 * options, or has no such option; the other backends are opened all the same.
 */
dpr_status registry_open(const char *what,
			 bool (*wanted)(const void *user, const char *backend),
			 const void *user);

/* Close all open backends, in the reverse order of opening. */
void registry_close(void);

/*
 * Make all later calls that need devices fail with @status and @text, unless
 * @status is DPR_OK.  Takes over @text.  The caller must have the baton of
 * plugins.h.
 */
void registry_set_failure(dpr_status status, char *text);

/* Return the status of registry_set_failure(), and record its text after
   @what. */
dpr_status registry_check(const char *what);

#endif
