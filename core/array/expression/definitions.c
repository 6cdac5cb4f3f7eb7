/* SPDX-License-Identifier: Apache-2.0 */
/* definitions.c - the functions that the program has defined. */
#include "core/array/expression/definitions.h"

#include <pthread.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/process.h"

/* Guards the list, which has the newest definition first. */
static pthread_mutex_t definitions_lock = PTHREAD_MUTEX_INITIALIZER;
static struct definition *definitions_list;
/* Set by the first definition: until then the list need not be searched. */
static atomic_bool definitions_exist;
/* Whether before_fork() has taken the lock. */
static bool definitions_forking;

static void before_fork(void)
{
	pthread_mutex_lock(&definitions_lock);
	definitions_forking = true;
}

/* If the hooks were added after fork() began, before_fork() did not run. */
static void after_fork(void)
{
	if (!definitions_forking)
		return;
	definitions_forking = false;
	pthread_mutex_unlock(&definitions_lock);
}

static bool in_child(void)
{
	after_fork();
	return false;
}

static void drop_definitions(void)
{
	struct definition *list, *next;

	pthread_mutex_lock(&definitions_lock);
	list = definitions_list;
	definitions_list = NULL;
	pthread_mutex_unlock(&definitions_lock);
	for (; list; list = next) {
		next = list->next;
		definitions_release(list);
	}
}

static void add_hooks(void)
{
	static struct process_hook hook = { .before_fork = before_fork,
					    .after_fork = after_fork,
					    .in_child = in_child };
	static struct kept_hook kept = { .drop = drop_definitions };

	process_add(&hook);
	process_add_kept(&kept);
	process_watch(false);
	atomic_store(&definitions_exist, true);
}

/* Copy the name and the parameters' names into one block. */
static bool copy_names(struct definition *d, const struct parser_head *head)
{
	size_t size = (head->n_parameters + 1) * sizeof(char *);
	const struct token *t = head->parameters;
	const char **names;
	char *to;

	for (size_t i = 0; i < head->n_parameters; i++)
		size += t[i].length + 1;
	size += head->name.length + 1;
	names = mem_alloc(size);
	if (!names)
		return false;
	to = (char *)(names + head->n_parameters + 1);
	for (size_t i = 0; i < head->n_parameters; i++) {
		names[i] = to;
		memcpy(to, d->tree.text + t[i].column, t[i].length);
		to += t[i].length + 1;
	}
	memcpy(to, d->tree.text + head->name.column, head->name.length);
	d->signature.name = to;
	d->signature.parameters = names;
	d->signature.n = d->signature.required = d->signature.positional =
		(int)head->n_parameters;
	return true;
}

struct definition *definitions_new(const struct parser_head *head,
				   struct tree *tree)
{
	struct definition *d = mem_alloc(sizeof(*d));

	if (!d) {
		parser_free(tree);
		return NULL;
	}
	d->tree = *tree;
	memset(tree, 0, sizeof(*tree));
	atomic_init(&d->refs, 1);
	if (copy_names(d, head))
		return d;
	definitions_release(d);
	return NULL;
}

void definitions_release(struct definition *d)
{
	if (!d ||
	    atomic_fetch_sub_explicit(&d->refs, 1, memory_order_acq_rel) > 1)
		return;
	mem_free((void *)(uintptr_t)d->signature.parameters);
	parser_free(&d->tree);
	mem_free(d);
}

/* The caller holds the lock. */
static struct definition *find_locked(const char *name, size_t length)
{
	struct definition *d = definitions_list;

	while (d && (strlen(d->signature.name) != length ||
		     memcmp(d->signature.name, name, length) != 0))
		d = d->next;
	return d;
}

struct definition *definitions_find(const char *name, size_t length)
{
	struct definition *d;

	if (!atomic_load(&definitions_exist))
		return NULL;
	pthread_mutex_lock(&definitions_lock);
	d = find_locked(name, length);
	if (d)
		atomic_fetch_add_explicit(&d->refs, 1, memory_order_relaxed);
	pthread_mutex_unlock(&definitions_lock);
	return d;
}

bool definitions_add(struct definition *definition)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const char *name = definition->signature.name;
	bool is_new;

	pthread_once(&once, add_hooks);
	pthread_mutex_lock(&definitions_lock);
	is_new = !find_locked(name, strlen(name));
	if (is_new) {
		atomic_fetch_add_explicit(&definition->refs, 1,
					  memory_order_relaxed);
		definition->next = definitions_list;
		definitions_list = definition;
	}
	pthread_mutex_unlock(&definitions_lock);
	return is_new;
}

void definitions_offer(struct suggestion *suggestion, struct definition **best)
{
	*best = NULL;
	if (!atomic_load(&definitions_exist))
		return;
	pthread_mutex_lock(&definitions_lock);
	for (struct definition *d = definitions_list; d; d = d->next) {
		suggest_offer(suggestion, d->signature.name);
		if (suggestion->best == d->signature.name)
			*best = d;
	}
	if (*best)
		atomic_fetch_add_explicit(&(*best)->refs, 1,
					  memory_order_relaxed);
	pthread_mutex_unlock(&definitions_lock);
}
