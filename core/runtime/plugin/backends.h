/* SPDX-License-Identifier: Apache-2.0 */
/* backends.h - DPR_BACKEND: which backends may be used, in which order. */
#ifndef RUNTIME_BACKENDS_H
#define RUNTIME_BACKENDS_H

#include "core/runtime/plugin/candidate.h"

/* The names in lower case; `excluded`: it had a ^. */
struct backend_choice {
	struct {
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

/* Whether the backend may be used. */
bool backends_allow(const struct backend_choice *choice, const char *name);

/* Check that each included name is that of a candidate.
   DPR_ERROR_ENVIRONMENT: one is not. */
dpr_status backends_check(const struct backend_choice *choice,
			  const struct candidates *found);

/* Give each loaded plugin its rank. */
void backends_rank(const struct backend_choice *choice,
		   const struct candidates *found);

#endif
