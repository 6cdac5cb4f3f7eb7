/* SPDX-License-Identifier: Apache-2.0 */
/* finding.h - what the layer "check" has found, in the log. */
#ifndef RUNTIME_FINDING_H
#define RUNTIME_FINDING_H

#include "core/base/log.h"
#include "core/runtime/layer/entries.h"
#include "core/runtime/layer/layered.h"

/* In place of a rule's number: the core broke the contract. */
#define FINDING_CORE "core"
/* In place of a rule's number: the program or one of its kernels is wrong. */
#define FINDING_PROGRAM "program"

/*
 * Log that a call of @entry broke rule number @rule of <dpr/backend.h>.  The
 * text has the expected answer, and the answer formatted by @got.  The first
 * few findings of a rule and entry are logged; the others are counted.  @layer
 * may be NULL.  Does nothing unless the layer "check" is on.
 */
void finding_post(struct layer *layer, enum entry entry,
		  enum dpr_log_level level, const char *rule,
		  const char *expected, const char *got, ...)
	__attribute__((format(printf, 6, 7)));

/* Log how many findings there were since the plugin was opened, and forget
   them. */
void finding_sum(struct layer *layer);

#endif
