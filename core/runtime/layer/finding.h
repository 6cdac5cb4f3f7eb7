/* SPDX-License-Identifier: Apache-2.0 */
/* finding.h - what the layer "check" has found. */
#ifndef RUNTIME_FINDING_H
#define RUNTIME_FINDING_H

#include <stdarg.h>

#include "core/base/log.h"
#include "core/runtime/layer/entries.h"
#include "core/runtime/layer/layered.h"

/* In place of a rule's number: the core broke the contract. */
#define FINDING_CORE "core"
/* In place of a rule's number: the program or one of its kernels is wrong. */
#define FINDING_PROGRAM "program"

/* Where findings go.  @layer may be NULL in post(): it is not known. */
struct finding_sink {
	void (*post)(struct layer *layer, enum entry entry,
		     enum dpr_log_level level, const char *rule,
		     const char *expected, const char *got, va_list args)
		__attribute__((format(printf, 6, 0)));
	void (*tell)(struct layer *layer, const char *format, va_list args)
		__attribute__((format(printf, 2, 0)));
	void (*sum)(struct layer *layer);
};

/* Send all findings of the process to @to, which lives as long. */
void finding_to(const struct finding_sink *to);

/*
 * Report that a call of @entry broke rule number @rule of <dpr/backend.h>.  The
 * text has the expected answer, and the answer formatted by @got.  @layer may
 * be NULL.
 */
void finding_post(struct layer *layer, enum entry entry,
		  enum dpr_log_level level, const char *rule,
		  const char *expected, const char *got, ...)
	__attribute__((format(printf, 6, 7)));

/* Say something that is no finding. */
void finding_tell(struct layer *layer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Say how many findings there were since the plugin was opened, and forget
   them. */
void finding_sum(struct layer *layer);

#endif
