/* SPDX-License-Identifier: Apache-2.0 */
/* fault.c - the layer "fault": calls of a plugin that fail by DPR_FAULT. */
#include "core/runtime/layer/fault.h"

#include <stdatomic.h>
#include <string.h>

#include "core/base/env.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/settings.h"
#include "core/base/status.h"
#include "core/base/suggest.h"
#include "core/base/text.h"

/* The most faults in one variable. */
#define MOST 32

struct fault {
	enum entry entry;
	uint64_t call; /* the number of the first call that fails */
	bool on;       /* all later calls fail, too */
	dprp_rc rc;
};

/* Written once, before a plugin is open. */
static struct fault faults[MOST];
static size_t n_faults;

static atomic_ullong calls[ENTRY_N];

static const struct {
	const char *name;
	dprp_rc rc;
} codes[] = {
	{ "invalid", DPR_RC_INVALID },
	{ "unsupported", DPR_RC_UNSUPPORTED },
	{ "no_driver", DPR_RC_NO_DRIVER },
	{ "no_device", DPR_RC_NO_DEVICE },
	{ "oom_host", DPR_RC_OOM_HOST },
	{ "oom_device", DPR_RC_OOM_DEVICE },
	{ "build", DPR_RC_BUILD },
	{ "timeout", DPR_RC_TIMEOUT },
	{ "device_lost", DPR_RC_DEVICE_LOST },
	{ "no_path", DPR_RC_NO_PATH },
	{ "cannot_wait", DPR_RC_CANNOT_WAIT },
	{ "host_memory", DPR_RC_HOST_MEMORY },
	{ "native", DPR_RC_NATIVE },
	{ "internal", DPR_RC_INTERNAL },
};
#define N_CODES (sizeof(codes) / sizeof(*codes))

/* --- Reading ----------------------------------------------------------------
 */

static dpr_status refuse_list(const char *what, const char *word, size_t size,
			      void (*offer)(struct suggestion *suggestion))
{
	struct suggestion s = suggest_start(word, size);
	struct text known = { 0 };
	dpr_status status;

	offer(&s);
	suggest_list(&s, &known);
	status = known.failed
			 ? fail_memory("DPR_FAULT")
			 : env_refuse("DPR_FAULT",
				      "unknown %s \"%s\"%s%s%s; accepted: %s",
				      what, text_quote_part(word, size).bytes,
				      s.best ? ", did you mean \"" : "",
				      s.best ? s.best : "", s.best ? "\"?" : "",
				      text_get(&known));
	text_fini(&known);
	suggest_end(&s);
	return status;
}

/* The names of the entries.  suggest_offer() keeps pointers to them. */
static char words[ENTRY_N][ENTRIES_NAME];

static void offer_entries(struct suggestion *suggestion)
{
	int i;

	for (i = 0; i < ENTRY_N; i++) {
		if (!entries_can_fail((enum entry)i))
			continue;
		memcpy(words[i], entries_word((enum entry)i).bytes,
		       sizeof(words[i]));
		suggest_offer(suggestion, words[i]);
	}
}

static void offer_codes(struct suggestion *suggestion)
{
	size_t i;

	for (i = 0; i < N_CODES; i++)
		suggest_offer(suggestion, codes[i].name);
}

static dpr_status read_code(struct fault *fault, const char *word, size_t size)
{
	size_t i;

	for (i = 0; i < N_CODES; i++) {
		if (strlen(codes[i].name) != size ||
		    memcmp(codes[i].name, word, size) != 0)
			continue;
		fault->rc = codes[i].rc;
		return DPR_OK;
	}
	return refuse_list("code", word, size, offer_codes);
}

static dpr_status refuse_form(const char *word, size_t size)
{
	return env_refuse("DPR_FAULT",
			  "\"%s\" is not ENTRY:N, such as \"mem.alloc:3\" for "
			  "the third call, \"mem.alloc:3+\" for each from the "
			  "third on, or \"mem.alloc:3=oom_device\" for another "
			  "code than native; N is 1 or more",
			  text_quote_part(word, size).bytes);
}

/* Read one word of the variable. */
static dpr_status read_fault(const char *word, size_t size)
{
	const char *end = word + size, *at = memchr(word, ':', size);
	struct fault fault = { .rc = DPR_RC_NATIVE };
	size_t n = at ? (size_t)(at - word) : strcspn(word, ":+=,");

	fault.entry = entries_find(word, n);
	if (fault.entry == ENTRY_N)
		return refuse_list("entry", word, n, offer_entries);
	for (at = word + n + 1; at < end && *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(fault.call, 10, &fault.call) ||
		    __builtin_add_overflow(fault.call, (uint64_t)(*at - '0'),
					   &fault.call))
			return refuse_form(word, size);
	fault.on = at < end && *at == '+';
	at += fault.on;
	if (!fault.call || (at < end && *at != '='))
		return refuse_form(word, size);
	if (at < end) {
		dpr_status status =
			read_code(&fault, at + 1, (size_t)(end - at - 1));

		if (status)
			return status;
	}
	if (n_faults == MOST)
		return env_refuse("DPR_FAULT", "more than %d faults", MOST);
	faults[n_faults++] = fault;
	return DPR_OK;
}

dpr_status fault_read(void)
{
	const char *at = env_get("DPR_FAULT");
	dpr_status status;
	size_t n;

	n_faults = 0;
	if (!settings_fault()) {
		env_note("DPR_FAULT",
			 "not used, because DPR_LAYERS does not name fault");
		return DPR_OK;
	}
	if (!at)
		return env_refuse("DPR_LAYERS",
				  "the layer fault needs to know what fails: "
				  "set DPR_FAULT, for instance to "
				  "\"mem.alloc:3\"");
	for (; at; at = at[n] ? at + n + 1 : NULL) {
		n = strcspn(at, ",");
		status = read_fault(at, n);
		if (status)
			return status;
	}
	return DPR_OK;
}

/* --- Failing ----------------------------------------------------------------
 */

/* Count a call of @entry.  Returns the code that it is to fail with, and the
   number of the call in *@call; or DPR_RC_OK. */
static dprp_rc due(enum entry entry, uint64_t *call)
{
	size_t i;

	if (!n_faults)
		return DPR_RC_OK;
	*call = atomic_fetch_add_explicit(&calls[entry], 1,
					  memory_order_relaxed) +
		1;
	for (i = 0; i < n_faults; i++) {
		const struct fault *f = &faults[i];

		if (f->entry == entry &&
		    (f->on ? *call >= f->call : *call == f->call))
			return f->rc;
	}
	return DPR_RC_OK;
}

dprp_rc fault_plant(struct layer *layer, enum entry entry)
{
	uint64_t call = 0;
	dprp_rc rc = due(entry, &call);
	char *text;

	if (!rc)
		return DPR_RC_OK;
	text = text_format("call %llu of %s failed because DPR_FAULT asks for "
			   "that",
			   (unsigned long long)call, entries_word(entry).bytes);
	plugin_note_error(layer->plugin, rc, 0, text);
	log_post(DPR_LOG_INFO, "fault: %s: %s", layer->plugin->name,
		 text ? text : "(out of memory)");
	mem_free(text);
	return rc;
}
