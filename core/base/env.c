/* SPDX-License-Identifier: Apache-2.0 */
/* env.c - the only code that reads the environment, and only once. */
#include "core/base/env.h"

#include <ctype.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <dpr/runtime.h>

#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/suggest.h"
#include "core/base/text.h"

/* A DPR_* variable with its first value.  Never freed. */
struct variable {
	struct variable *next;
	char *name, *value, *note;
	bool unknown; /* an option that the plugin does not have */
};

struct known {
	const char *name, *effect;
};

static const struct known table[] = {
#define DPR__X(name, effect) { "DPR_" #name, effect },
	ENV_MAP(DPR__X)
#undef DPR__X
};
#define N_TABLE (sizeof(table) / sizeof(*table))

static struct {
	pthread_mutex_t lock;
	/* Guards the members below.  The list does not change once `read` is
	   true. */
	bool read;
	bool secure, secure_known;
	struct variable *list;
	char *home, *cache_home; /* NULL: not set */
} env = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void free_list(struct variable *list)
{
	struct variable *next;

	for (; list; list = next) {
		next = list->next;
		mem_free(list->name);
		mem_free(list->value);
		mem_free(list->note);
		mem_free(list);
	}
}

/* Make a variable from "NAME=value".  NULL: no memory. */
static struct variable *make_variable(const char *entry, const char *equals)
{
	struct variable *v = mem_alloc(sizeof(*v));

	if (!v)
		return NULL;
	v->name = mem_alloc((size_t)(equals - entry) + 1);
	v->value = mem_string(equals + 1);
	if (!v->name || !v->value) {
		free_list(v);
		return NULL;
	}
	memcpy(v->name, entry, (size_t)(equals - entry));
	return v;
}

/* Read the DPR_* variables, sorted by name.  False: no memory. */
static bool read_all(struct variable **out)
{
	struct variable *list = NULL, *v, **at;
	char **entry;

	for (entry = environ; entry && *entry; entry++) {
		const char *equals = strchr(*entry, '=');

		if (strncmp(*entry, "DPR_", 4) || !equals)
			continue;
		v = make_variable(*entry, equals);
		if (!v) {
			free_list(list);
			return false;
		}
		for (at = &list; *at && strcmp((*at)->name, v->name) < 0;)
			at = &(*at)->next;
		v->next = *at;
		*at = v;
	}
	*out = list;
	return true;
}

/* Copy the value of @name, which is not a DPR_* variable.  *@out is NULL if it
   is not set.  False: no memory. */
static bool read_home(const char *name, char **out)
{
	const char *value = secure_getenv(name);

	*out = value && *value ? mem_string(value) : NULL;
	return *out || !value || !*value;
}

static bool read_environment(void)
{
	if (read_home("HOME", &env.home) &&
	    read_home("XDG_CACHE_HOME", &env.cache_home) && read_all(&env.list))
		return true;
	mem_free(env.home);
	mem_free(env.cache_home);
	env.home = env.cache_home = NULL;
	return false;
}

dpr_status env_start(void)
{
	bool ok = true;

	pthread_mutex_lock(&env.lock);
	if (!env.read)
		ok = env.read = read_environment();
	pthread_mutex_unlock(&env.lock);
	return ok ? DPR_OK : fail_memory("reading the environment");
}

bool env_secure(void)
{
	bool secure;

	pthread_mutex_lock(&env.lock);
	if (!env.secure_known) {
		env.secure = getauxval(AT_SECURE) != 0;
		env.secure_known = true;
	}
	secure = env.secure;
	pthread_mutex_unlock(&env.lock);
	return secure;
}

/* The first entry of the list.  The list does not change after it was read. */
static struct variable *first_variable(void)
{
	struct variable *first;

	pthread_mutex_lock(&env.lock);
	first = env.list;
	pthread_mutex_unlock(&env.lock);
	return first;
}

static struct variable *find_variable(const char *name)
{
	struct variable *v = first_variable();

	while (v && strcmp(v->name, name))
		v = v->next;
	return v;
}

const char *env_get(const char *name)
{
	const struct variable *v = find_variable(name);

	return v && *v->value && !env_secure() ? v->value : NULL;
}

static const char *get_home(char *const *home)
{
	const char *value;

	pthread_mutex_lock(&env.lock);
	value = *home;
	pthread_mutex_unlock(&env.lock);
	return env_secure() ? NULL : value;
}

const char *env_home(void)
{
	return get_home(&env.home);
}

const char *env_cache_home(void)
{
	return get_home(&env.cache_home);
}

const char *env_option(const char *plugin, const char *key)
{
	char *name = text_format(ENV_OPTION "%s_%s", plugin, key), *c;
	const char *value;

	if (!name)
		return NULL;
	for (c = name; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	value = env_get(name);
	mem_free(name);
	return value;
}

/* The part of @name after "DPR_OPTION_", the name of @plugin and "_".  NULL:
   @name has another beginning. */
static const char *option_key(const char *name, const char *plugin)
{
	size_t start = strlen(ENV_OPTION), n = strlen(plugin);

	if (strncmp(name, ENV_OPTION, start) ||
	    strncasecmp(name + start, plugin, n) || name[start + n] != '_')
		return NULL;
	return name + start + n + 1;
}

const char *env_option_next(const char *plugin, const char *after,
			    const char **key)
{
	const struct variable *v;

	for (v = first_variable(); v; v = v->next) {
		if (after && strcmp(v->name, after) <= 0)
			continue;
		*key = option_key(v->name, plugin);
		if (*key && env_get(v->name))
			return v->name;
	}
	return NULL;
}

static void set_note(const char *name, const char *text, bool unknown)
{
	struct variable *v = find_variable(name);
	char *copy = v ? mem_string(text) : NULL, *old;

	if (!copy)
		return;
	pthread_mutex_lock(&env.lock);
	old = v->note;
	v->note = copy;
	v->unknown = unknown;
	pthread_mutex_unlock(&env.lock);
	mem_free(old);
}

void env_note(const char *name, const char *text)
{
	set_note(name, text, false);
}

void env_note_unknown(const char *name, const char *text)
{
	set_note(name, text, true);
}

dpr_status env_refuse(const char *name, const char *format, ...)
{
	dpr_status status;
	va_list args;
	char *words;

	va_start(args, format);
	words = text_format_args(format, args);
	va_end(args);
	if (!words)
		return fail_memory(name);
	env_note(name, words);
	status = fail(DPR_ERROR_ENVIRONMENT, "%s=\"%s\": %s",
		      text_quote(name).bytes, text_quote(env_get(name)).bytes,
		      words);
	mem_free(words);
	return status;
}

/* --- The list for dpr doctor --env -----------------------------------------
 */

static const struct known *find_known(const char *name)
{
	size_t i;

	for (i = 0; i < N_TABLE; i++) {
		if (!strcmp(table[i].name, name))
			return &table[i];
	}
	return NULL;
}

static bool is_option(const char *name)
{
	return !strncmp(name, ENV_OPTION, strlen(ENV_OPTION)) &&
	       strlen(name) > strlen(ENV_OPTION);
}

static const char *nearest_name(const char *name)
{
	struct suggestion suggestion = suggest_start(name, strlen(name));
	size_t i;

	for (i = 0; i < N_TABLE; i++)
		suggest_offer(&suggestion, table[i].name);
	suggest_end(&suggestion);
	return suggestion.best;
}

static void describe(dpr_variable *out, const char *name,
		     const struct variable *v, bool secure)
{
	const struct known *known = find_known(name);

	out->name = name;
	out->value = v ? v->value : NULL;
	out->known = known || (is_option(name) && !(v && v->unknown));
	out->ignored = v && secure;
	if (v && v->note)
		out->effect = v->note;
	else if (known)
		out->effect = known->effect;
	else if (out->known)
		out->effect = "an option of the plugin named in it";
	else
		out->effect = "none: dpr does not know this variable";
	if (!out->known)
		out->nearest = nearest_name(name);
}

/* Make the block for dpr_variables().  The caller holds env.lock, so that no
   note is freed in the meantime. */
static dpr_variable *make_list(bool secure, size_t *count)
{
	static const size_t strings[] = {
		offsetof(dpr_variable, name),
		offsetof(dpr_variable, value),
		offsetof(dpr_variable, effect),
	};
	dpr_variable *lines, *list;
	const struct variable *v;
	size_t n = N_TABLE, i;

	for (v = env.list; v; v = v->next)
		n += !find_known(v->name);
	lines = mem_array(n, sizeof(*lines));
	if (!lines)
		return NULL;
	for (i = 0; i < N_TABLE; i++) {
		for (v = env.list; v && strcmp(v->name, table[i].name);)
			v = v->next;
		describe(&lines[i], table[i].name, v, secure);
	}
	for (v = env.list; v; v = v->next) {
		if (!find_known(v->name))
			describe(&lines[i++], v->name, v, secure);
	}
	list = text_pack(lines, n, sizeof(*lines), strings,
			 sizeof(strings) / sizeof(*strings));
	mem_free(lines);
	if (list)
		*count = n;
	return list;
}

dpr_status dpr_variables(dpr_variable **list, size_t *count)
{
	bool secure = env_secure();
	dpr_status status;

	if (list)
		*list = NULL;
	if (count)
		*count = 0;
	if (!list || !count)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "variables: list and count must not be NULL");
	status = env_start();
	if (status)
		return status;
	pthread_mutex_lock(&env.lock);
	*list = make_list(secure, count);
	pthread_mutex_unlock(&env.lock);
	return *list ? DPR_OK : fail_memory("variables");
}

/* The factor of the unit @text ("": 1), or 0 if there is no such unit. */
static uint64_t unit_of(const char *text)
{
	static const char letters[] = "KMGT";
	const char *at;

	if (!*text)
		return 1;
	/* Masking makes a space 0, and strchr() would find the 0 at the end of
	   @letters. */
	at = *text & ~0x20 ? strchr(letters, *text & ~0x20) : NULL;
	if (!at)
		return 0;
	text++;
	if (*text == 'i')
		text++;
	if (*text == 'B')
		text++;
	return *text ? 0 : UINT64_C(1) << 10 * (at - letters + 1);
}

bool env_bytes(const char *text, uint64_t *out)
{
	uint64_t number = 0, unit;

	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*text - '0'),
					   &number))
			return false;
	unit = unit_of(text);
	return unit && !__builtin_mul_overflow(number, unit, out);
}

void env_lock(void)
{
	pthread_mutex_lock(&env.lock);
}

void env_unlock(void)
{
	pthread_mutex_unlock(&env.lock);
}

void env_test_secure(bool secure)
{
	pthread_mutex_lock(&env.lock);
	env.secure = secure;
	env.secure_known = true;
	pthread_mutex_unlock(&env.lock);
}

void env_test_again(void)
{
	pthread_mutex_lock(&env.lock);
	free_list(env.list);
	env.list = NULL;
	mem_free(env.home);
	mem_free(env.cache_home);
	env.home = env.cache_home = NULL;
	env.read = false;
	pthread_mutex_unlock(&env.lock);
}
