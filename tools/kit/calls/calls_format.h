/* SPDX-License-Identifier: Apache-2.0 */
/* calls_format.h - routines of libraries, in the format "calls-1". */
#ifndef TOOLS_CALLS_FORMAT_H
#define TOOLS_CALLS_FORMAT_H

#include "tools/kit/kit.h"

/* The dtypes that all routines may have.  A complex number has two parts. */
struct calls_type {
	const char *name;
	size_t parts, item;
};
enum { CALLS_TYPES = 4 };
extern const struct calls_type calls_types[CALLS_TYPES];

/* End the check if the device does not offer the format. */
void calls_need(struct kit *kit);
/* Make a module of the routine @name, a routine and a dtype.  @logged gets the
   bytes of the log.  Returns what create() does. */
dprp_rc calls_make(struct kit *kit, const char *name, size_t *logged,
		   dprp_module **out);
/* Make kit->module of a routine.  Returns false if the plugin does not have the
   routine. */
bool calls_open(struct kit *kit, const char *routine,
		const struct calls_type *type);
void calls_close(struct kit *kit);

/* The checks of LAPACK, in calls_lapack.c: each routine, and all of them. */
void calls_potrf(struct kit *kit);
void calls_getrf(struct kit *kit);
void calls_getri(struct kit *kit);
void calls_gesv(struct kit *kit);
void calls_trtrs(struct kit *kit);
void calls_geqrf(struct kit *kit);
void calls_orgqr(struct kit *kit);
void calls_syevd(struct kit *kit);
void calls_geev(struct kit *kit);
void calls_gesdd(struct kit *kit);
void calls_flags(struct kit *kit);
void calls_not_finite(struct kit *kit);

#endif
