/* SPDX-License-Identifier: Apache-2.0 */
/* backends.h - DPR_BACKEND: which backends may be used, in which order. */
#ifndef RUNTIME_BACKENDS_H
#define RUNTIME_BACKENDS_H

#include "core/runtime/plugin/loader.h"

/* The names in small letters; those with `excluded` had a ^. */
struct backend_choice {
	struct {
		char *name;
		int excluded;
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
int backends_allow(const struct backend_choice *choice, const char *name);

/* DPR_ERROR_ENVIRONMENT: an included name is that of no candidate. */
dpr_status backends_check(const struct backend_choice *choice,
			  const struct candidates *found);

/* Give each loaded plugin its rank. */
void backends_rank(const struct backend_choice *choice,
		   const struct candidates *found);

#endif
