/* SPDX-License-Identifier: Apache-2.0 */
/* logged.c - what the layer "check" has found, in the log. */
#include "core/runtime/layer/logged.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/base/settings.h"
#include "core/base/text.h"

/* How many findings with one rule and entry are logged. */
#define MOST 5

struct finding_kind {
	enum entry entry;
	const char *rule;
	uint64_t count;
};

/* Count a finding.  Returns how many of its kind there have been; 1, if memory
   is short. */
static uint64_t count(struct layer *layer, enum entry entry, const char *rule)
{
	struct finding_kind *kind = NULL;
	uint64_t n = 1;
	size_t i;

	pthread_mutex_lock(&layer->lock);
	for (i = 0; i < layer->n_kinds && !kind; i++) {
		if (layer->kinds[i].entry == entry &&
		    !strcmp(layer->kinds[i].rule, rule))
			kind = &layer->kinds[i];
	}
	if (!kind)
		kind = mem_append(&layer->kinds, &layer->n_kinds);
	if (kind) {
		kind->entry = entry;
		kind->rule = rule;
		n = ++kind->count;
	}
	pthread_mutex_unlock(&layer->lock);
	return n;
}

static void post(struct layer *layer, enum entry entry,
		 enum dpr_log_level level, const char *rule,
		 const char *expected, const char *got, va_list args)
{
	uint64_t n;
	char *text;

	if (!settings_check())
		return;
	n = layer ? count(layer, entry, rule) : 1;
	if (n > MOST || !log_wants(level))
		return;
	text = text_format_args(got, args);
	log_post(level, "check: %s: %s: got: %s; expected: %s [%s]%s",
		 layer ? layer->plugin->name : "a plugin",
		 entries_name(entry).bytes, text ? text : "(out of memory)",
		 expected, rule,
		 n == MOST ? "; more of this kind are only counted" : "");
	mem_free(text);
}

static void tell(struct layer *layer, const char *format, va_list args)
{
	char *text;

	if (!settings_check() || !log_wants(DPR_LOG_INFO))
		return;
	text = text_format_args(format, args);
	log_post(DPR_LOG_INFO, "check: %s: %s", layer->plugin->name,
		 text ? text : "(out of memory)");
	mem_free(text);
}

static void sum(struct layer *layer)
{
	unsigned long long total = 0;
	size_t i;

	if (!settings_check())
		return;
	pthread_mutex_lock(&layer->lock);
	for (i = 0; i < layer->n_kinds; i++)
		total += layer->kinds[i].count;
	mem_free(layer->kinds);
	layer->kinds = NULL;
	layer->n_kinds = 0;
	pthread_mutex_unlock(&layer->lock);
	log_post(total ? DPR_LOG_WARN : DPR_LOG_INFO,
		 "check: %s: %llu findings in %llu calls", layer->plugin->name,
		 total, (unsigned long long)atomic_load(&layer->calls));
}

const struct finding_sink logged_sink = { post, tell, sum };
