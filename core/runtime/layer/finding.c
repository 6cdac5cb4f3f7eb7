/* SPDX-License-Identifier: Apache-2.0 */
/* finding.c - what the layer "check" has found. */
#include "core/runtime/layer/finding.h"

#include <stdatomic.h>

/* NULL: nobody wants to know. */
static _Atomic(const struct finding_sink *) sink;

void finding_to(const struct finding_sink *to)
{
	atomic_store(&sink, to);
}

void finding_post(struct layer *layer, enum entry entry,
		  enum dpr_log_level level, const char *rule,
		  const char *expected, const char *got, ...)
{
	const struct finding_sink *to = atomic_load(&sink);
	va_list args;

	if (!to)
		return;
	va_start(args, got);
	to->post(layer, entry, level, rule, expected, got, args);
	va_end(args);
}

void finding_tell(struct layer *layer, const char *format, ...)
{
	const struct finding_sink *to = atomic_load(&sink);
	va_list args;

	if (!to)
		return;
	va_start(args, format);
	to->tell(layer, format, args);
	va_end(args);
}

void finding_sum(struct layer *layer)
{
	const struct finding_sink *to = atomic_load(&sink);

	if (to)
		to->sum(layer);
}
