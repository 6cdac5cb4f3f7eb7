/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - the options of a plugin: existing ones, and those that are
   set. */
#include "core/runtime/plugin/options.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/base/env.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/suggest.h"

void options_init(struct options *options, const char *plugin)
{
	pthread_mutex_init(&options->lock, NULL);
	options->plugin = plugin;
}

void options_fini(struct options *options)
{
	text_fini(&options->asked);
	mem_free(options->last_set);
	pthread_mutex_destroy(&options->lock);
}

/* Add a name in upper case, as it is in variables. */
static void add_upper(struct text *text, const char *name)
{
	char c;

	for (; *name; name++) {
		c = (char)toupper((unsigned char)*name);
		text_add(text, &c, 1);
	}
}

const char *options_get(struct options *options, const char *name)
{
	const char *value = env_option(options->plugin, name);

	pthread_mutex_lock(&options->lock);
	if (!options->opened) {
		add_upper(&options->asked, name);
		text_add(&options->asked, "", 1);
		if (value) {
			mem_free(options->last_set);
			options->last_set = mem_string(name);
		}
	}
	pthread_mutex_unlock(&options->lock);
	return value;
}

void options_close(struct options *options)
{
	pthread_mutex_lock(&options->lock);
	options->opened = true;
	pthread_mutex_unlock(&options->lock);
}

/* A search for another plugin that a variable of `plugin` may belong to: its
   name is `plugin`, "_" and the start of `option`. */
struct owner_search {
	const char *plugin, *option;
	bool found;
};

static void compare_owner(void *user, const char *name)
{
	struct owner_search *search = user;
	size_t n = strlen(search->plugin), more = strlen(name);

	search->found |=
		more > n + 1 && !strncmp(name, search->plugin, n) &&
		name[n] == '_' &&
		!strncasecmp(name + n + 1, search->option, more - n - 1);
}

static bool is_anothers(const char *plugin, const char *option,
			options_names each_name)
{
	struct owner_search search = { plugin, option, false };

	each_name(compare_owner, &search);
	return search.found;
}

/* The name in `asked` that follows @name; if @name is NULL, the first.  NULL:
   there is none. */
static const char *next_asked(const struct options *options, const char *name)
{
	const char *start = options->asked.bytes;
	const char *next = name ? name + strlen(name) + 1 : start;

	return next && next < start + options->asked.size ? next : NULL;
}

/* Whether the plugin gets the value of @variable, whose end is @option.  It
   does not if there are small letters, for it was asked for in upper case. */
static bool was_asked(const struct options *options, const char *variable,
		      const char *option)
{
	const char *name = NULL, *c;

	for (c = variable; *c; c++)
		if (islower((unsigned char)*c))
			return false;
	while ((name = next_asked(options, name)))
		if (!strcmp(name, option))
			return true;
	return false;
}

static dpr_status refuse_option(const struct options *options,
				const char *variable, const char *option)
{
	struct suggestion suggestion = suggest_start(option, strlen(option));
	const char *name = NULL;
	struct text text = { 0 };
	dpr_status status;
	char *why;

	while ((name = next_asked(options, name)))
		suggest_offer(&suggestion, name);
	text_print(&text,
		   "backend %s has no such option; it has: ", options->plugin);
	suggest_list(&suggestion, &text);
	if (suggestion.best) {
		text_print(&text, "; did you mean " ENV_OPTION);
		add_upper(&text, options->plugin);
		text_print(&text, "_%s?", suggestion.best);
	}
	suggest_end(&suggestion);
	why = text_take(&text);
	if (!why)
		return fail_memory(variable);
	env_note_unknown(variable, why);
	status = fail(DPR_ERROR_ENVIRONMENT, "%s: %s",
		      text_quote(variable).bytes, why);
	mem_free(why);
	return status;
}

dpr_status options_check(struct options *options, options_names each_name)
{
	const char *variable = NULL, *option;
	dpr_status status = DPR_OK;

	pthread_mutex_lock(&options->lock);
	while (!status && !options->asked.failed &&
	       (variable = env_option_next(options->plugin, variable, &option)))
		if (!was_asked(options, variable, option) &&
		    !is_anothers(options->plugin, option, each_name))
			status = refuse_option(options, variable, option);
	pthread_mutex_unlock(&options->lock);
	return status;
}

dpr_status options_check_value(struct options *options, dprp_rc rc,
			       const char *why)
{
	const char *variable = NULL, *option;

	if (rc != DPR_RC_INVALID)
		return DPR_OK;
	pthread_mutex_lock(&options->lock);
	do
		variable = env_option_next(options->plugin, variable, &option);
	while (variable &&
	       (!options->last_set || strcasecmp(option, options->last_set)));
	pthread_mutex_unlock(&options->lock);
	return variable ? env_refuse(variable, "%s", why) : DPR_OK;
}
