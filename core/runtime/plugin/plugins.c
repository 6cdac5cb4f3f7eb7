/* SPDX-License-Identifier: Apache-2.0 */
/* plugins.c - the plugin files of this process, found and loaded once. */
#include "core/runtime/plugin/plugins.h"

#include <pthread.h>
#include <string.h>
#include <strings.h>

#include "core/base/clock.h"
#include "core/base/env.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/base/status.h"
#include "core/base/trace.h"
#include "core/runtime/plugin/discover.h"
#include "core/runtime/plugin/loader.h"

/* Names that selectors always know, as dpr/device.h promises: "cuda,cpu"
   selects the CPU on a machine without the CUDA plugin, and "opencl:gpu" fails
   there because no device matches, not because of an unknown word. */
static const char *const bundled[] = { "cuda", "host", "level_zero", "opencl" };
#define N_BUNDLED (sizeof(bundled) / sizeof(*bundled))

static struct {
	pthread_mutex_t lock;
	/* Guards the fields down to `n_added`. */
	pthread_cond_t idle;
	bool busy;       /* a thread has the baton */
	pthread_t owner; /* the thread that has the baton */
	char **added;    /* the files of dpr_plugin_add() */
	size_t n_added;

	/* Written by the thread with the baton, read once `loaded` is set
	   (acquire, pairs with the release that sets it). */
	struct candidates found;
	atomic_bool loaded;
} plugins = { .lock = PTHREAD_MUTEX_INITIALIZER,
	      .idle = PTHREAD_COND_INITIALIZER };

/* --- The baton -------------------------------------------------------------
 */

dpr_status plugins_take(const char *what)
{
	dpr_status status = DPR_OK;

	pthread_mutex_lock(&plugins.lock);
	while (plugins.busy && !pthread_equal(plugins.owner, pthread_self()))
		pthread_cond_wait(&plugins.idle, &plugins.lock);
	if (plugins.busy)
		status = fail(DPR_ERROR_INTERNAL,
			      "%s: a backend plugin called dpr while dpr was "
			      "opening it",
			      what);
	plugins.busy = true;
	plugins.owner = pthread_self();
	pthread_mutex_unlock(&plugins.lock);
	return status;
}

void plugins_give(void)
{
	pthread_mutex_lock(&plugins.lock);
	plugins.busy = false;
	pthread_cond_broadcast(&plugins.idle);
	pthread_mutex_unlock(&plugins.lock);
}

static void before_fork(void)
{
	pthread_mutex_lock(&plugins.lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&plugins.lock);
}

static bool in_child(void)
{
	bool busy = plugins.busy;

	plugins.busy = false;
	pthread_mutex_unlock(&plugins.lock);
	return busy;
}

void plugins_watch(void)
{
	static struct process_hook hook = { .before_fork = before_fork,
					    .after_fork = after_fork,
					    .in_child = in_child };

	process_add(&hook);
}

/* --- Files that the program adds -------------------------------------------
 */

static dpr_status add_file(const char *file)
{
	char *copy = mem_string(file), **slot = NULL;
	dpr_status status = DPR_OK;

	pthread_mutex_lock(&plugins.lock);
	if (plugins.busy ||
	    atomic_load_explicit(&plugins.loaded, memory_order_relaxed))
		status = fail(DPR_ERROR_BUSY,
			      "plugin add %s: too late, because plugins have "
			      "been loaded already; add plugins before any "
			      "call that needs devices",
			      text_quote(file).bytes);
	else if (copy)
		slot = mem_append(&plugins.added, &plugins.n_added);
	if (slot)
		*slot = copy;
	else if (!status)
		status = fail_memory("plugin add");
	pthread_mutex_unlock(&plugins.lock);
	if (status)
		mem_free(copy);
	return status;
}

dpr_status dpr_plugin_add(const char *file)
{
	TRACE_CALL;
	dpr_status status = process_check("plugin add");

	if (status)
		return status;
	if (!file || *file != '/')
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "plugin add: \"%s\" is not an absolute path",
			    file ? text_quote(file).bytes : "(NULL)");
	return add_file(file);
}

/* --- Loading ---------------------------------------------------------------
 */

/* A candidate before number @at that is the same file, or NULL. */
static struct candidate *same_file(const struct candidates *found, size_t at)
{
	struct stat st;
	size_t i;

	if (stat(found->list[at]->file, &st))
		return NULL;
	for (i = 0; i < at; i++) {
		if (found->list[i]->inode == st.st_ino &&
		    found->list[i]->device == st.st_dev)
			return found->list[i];
	}
	return NULL;
}

/* A candidate before number @at that is loaded and has the same name, or
   NULL. */
static struct candidate *same_name(const struct candidates *found, size_t at)
{
	size_t i;

	for (i = 0; i < at && found->list[at]->name; i++) {
		if (found->list[i]->plugin &&
		    !strcmp(found->list[i]->name, found->list[at]->name))
			return found->list[i];
	}
	return NULL;
}

/* Whether candidate number @at must be skipped because of its name.  If so,
   records the reason, and *@status is the result of that. */
static bool is_passed_over(const struct backend_choice *choice,
			   const struct candidates *found, size_t at,
			   dpr_status *status)
{
	struct candidate *c = found->list[at], *other;

	*status = DPR_OK;
	if (c->name && !backends_allow(choice, c->name)) {
		*status = candidate_stop(
			c, DPR_PLUGIN_EXCLUDED, NULL,
			"DPR_BACKEND=\"%s\" leaves it out",
			text_quote(env_get("DPR_BACKEND")).bytes);
		return true;
	}
	other = same_name(found, at);
	if (!other)
		return false;
	*status = candidate_stop(c, DPR_PLUGIN_SHADOWED, NULL, "%s comes first",
				 other->file);
	return true;
}

static dpr_status load_one(const struct backend_choice *choice,
			   const struct candidates *found, size_t at)
{
	struct candidate *c = found->list[at], *other;
	dpr_status status = DPR_OK;
	uint64_t start = clock_now();

	if (c->stage != DPR_PLUGIN_FOUND ||
	    is_passed_over(choice, found, at, &status))
		return status;
	other = same_file(found, at);
	if (other)
		return candidate_stop(c, DPR_PLUGIN_SHADOWED, NULL,
				      "it is the same file as %s", other->file);
	status = loader_load(c);
	c->nanoseconds = clock_now() - start;
	/* If the file was not found by a search, only its descriptor tells its
	   name. */
	if (!status && c->plugin && is_passed_over(choice, found, at, &status))
		candidate_unload(c);
	return status;
}

/* Fail if a file that the user named cannot be loaded. */
static dpr_status check_required(const struct candidates *found)
{
	size_t i;

	for (i = 0; i < found->n; i++) {
		const struct candidate *c = found->list[i];

		if (c->required && (c->stage == DPR_PLUGIN_REFUSED ||
				    c->stage == DPR_PLUGIN_BROKEN ||
				    c->stage == DPR_PLUGIN_REJECTED))
			return fail(DPR_ERROR_PLUGIN,
				    "plugin %s, named by %s, cannot be used: "
				    "%s%s%s",
				    text_quote(c->file).bytes, c->origin,
				    c->text, c->advice ? "; " : "",
				    c->advice ? c->advice : "");
	}
	return DPR_OK;
}

dpr_status plugins_load(const struct backend_choice *choice)
{
	struct candidates *found = &plugins.found;
	dpr_status status;
	size_t i;

	status = discover(found, plugins.added, plugins.n_added);
	for (i = 0; i < found->n && !status; i++)
		status = load_one(choice, found, i);
	if (status) {
		candidate_drop_all(found);
		return status;
	}
	backends_rank(choice, found);
	status = check_required(found);
	return status ? status : backends_check(choice, found);
}

void plugins_unload(void)
{
	candidate_drop_all(&plugins.found);
}

void plugins_keep(void)
{
	atomic_store_explicit(&plugins.loaded, true, memory_order_release);
}

bool plugins_are_loaded(void)
{
	return atomic_load_explicit(&plugins.loaded, memory_order_acquire);
}

/* --- Files and names -------------------------------------------------------
 */

const struct candidates *plugins_found(void)
{
	return &plugins.found;
}

static bool is_name(const char *name, const char *word, size_t length)
{
	return strlen(name) == length && !strncasecmp(name, word, length);
}

bool plugins_know(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < N_BUNDLED; i++) {
		if (is_name(bundled[i], name, length))
			return true;
	}
	for (i = 0; i < plugins.found.n; i++) {
		const char *other = plugins.found.list[i]->name;

		if (other && is_name(other, name, length))
			return true;
	}
	return false;
}

void plugins_each_name(void (*visit)(void *user, const char *name), void *user)
{
	size_t i;

	for (i = 0; i < N_BUNDLED; i++)
		visit(user, bundled[i]);
	for (i = 0; i < plugins.found.n; i++) {
		if (plugins.found.list[i]->name)
			visit(user, plugins.found.list[i]->name);
	}
}
