/* SPDX-License-Identifier: Apache-2.0 */
/* backends.h - DPR_BACKEND: which backends may be used, in which order. */
#ifndef RUNTIME_BACKENDS_H
#define RUNTIME_BACKENDS_H

#include "core/runtime/plugin/candidate.h"

/* The entries of DPR_BACKEND, in lower case; `excluded`: it began with ^. */
struct backend_choice {
	struct backend_entry {
		char *name;
		bool excluded;
	} * list;
	size_t n, n_included;
};

/*
 * Read DPR_BACKEND.
 * DPR_ERROR_ENVIRONMENT: it is malformed.  DPR_ERROR_OUT_OF_MEMORY.
 */
dpr_status backends_read(struct backend_choice *choice);
void backends_drop(struct backend_choice *choice);

/* Whether @choice allows the backend @name. */
bool backends_allow(const struct backend_choice *choice, const char *name);

/* Check that a candidate was found for each included name.
   DPR_ERROR_ENVIRONMENT: for one there is none. */
dpr_status backends_check(const struct backend_choice *choice,
			  const struct candidates *found);

/* Give each loaded plugin its rank. */
void backends_rank(const struct backend_choice *choice,
		   const struct candidates *found);

#endif
