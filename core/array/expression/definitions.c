/* SPDX-License-Identifier: Apache-2.0 */
/* definitions.c - functions whose bodies are substituted for their calls. */
#include "core/array/expression/definitions.h"

#include <pthread.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/process.h"

/* Guards the lists.  The newest definition of a list comes first. */
static pthread_mutex_t definitions_lock = PTHREAD_MUTEX_INITIALIZER;
static struct definition *definitions_lists[DEFINITIONS_LISTS];
/* Set by the first definition of each list.  Until then the list need not be
   searched. */
static atomic_bool definitions_exist[DEFINITIONS_LISTS];
/* Whether before_fork() holds the lock. */
static bool definitions_forking;

static void before_fork(void)
{
	pthread_mutex_lock(&definitions_lock);
	definitions_forking = true;
}

/* If the hooks were added after fork() had begun, before_fork() did not run,
   and the lock is not held. */
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

void definitions_release_list(struct definition *list)
{
	struct definition *next;

	for (; list; list = next) {
		next = list->next;
		definitions_release(list);
	}
}

static void drop_definitions(void)
{
	struct definition *lists[DEFINITIONS_LISTS];

	pthread_mutex_lock(&definitions_lock);
	memcpy(lists, definitions_lists, sizeof(lists));
	memset(definitions_lists, 0, sizeof(definitions_lists));
	pthread_mutex_unlock(&definitions_lock);
	for (int i = 0; i < DEFINITIONS_LISTS; i++)
		definitions_release_list(lists[i]);
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
}

/* Copy the function's name and the parameters' names into one block. */
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
	refs_init(&d->refs);
	atomic_init(&d->kept, NULL);
	if (copy_names(d, head))
		return d;
	definitions_release(d);
	return NULL;
}

void definitions_release(struct definition *d)
{
	void *kept;

	if (!d || !refs_drop(&d->refs))
		return;
	kept = definitions_kept(d);
	if (kept)
		atomic_load(&d->free_kept)(kept);
	for (size_t i = 0; i < d->n_uses; i++)
		definitions_release(d->uses[i]);
	mem_free(d->uses);
	mem_free((void *)(uintptr_t)d->signature.parameters);
	parser_free(&d->tree);
	mem_free(d);
}

void *definitions_keep(struct definition *definition, void *made,
		       void (*drop)(void *))
{
	void *before = NULL;

	atomic_store(&definition->free_kept, drop);
	if (atomic_compare_exchange_strong(&definition->kept, &before, made))
		return made;
	drop(made);
	return before;
}

void *definitions_kept(struct definition *definition)
{
	return atomic_load(&definition->kept);
}

static bool is_called(const struct definition *d, const char *name,
		      size_t length)
{
	return strlen(d->signature.name) == length &&
	       !memcmp(d->signature.name, name, length);
}

static struct definition *retain(struct definition *d)
{
	if (d)
		refs_take(&d->refs);
	return d;
}

static struct definition *find_listed(struct definition *list, const char *name,
				      size_t length)
{
	while (list && !is_called(list, name, length))
		list = list->next;
	return list;
}

struct definition *definitions_find_in(struct definition *list,
				       const char *name, size_t length)
{
	return retain(find_listed(list, name, length));
}

struct definition *definitions_find_used(const struct definition *user,
					 const char *name, size_t length)
{
	for (size_t i = 0; i < user->n_uses; i++)
		if (is_called(user->uses[i], name, length))
			return retain(user->uses[i]);
	return NULL;
}

bool definitions_use(struct definition *user, struct definition *used)
{
	struct definition **slot;

	for (size_t i = 0; i < user->n_uses; i++)
		if (user->uses[i] == used)
			return true;
	slot = mem_append(&user->uses, &user->n_uses);
	if (slot)
		*slot = retain(used);
	return slot != NULL;
}

struct definition *definitions_find(enum definitions_list list,
				    const char *name, size_t length)
{
	struct definition *d;

	if (!atomic_load(&definitions_exist[list]))
		return NULL;
	pthread_mutex_lock(&definitions_lock);
	d = definitions_find_in(definitions_lists[list], name, length);
	pthread_mutex_unlock(&definitions_lock);
	return d;
}

bool definitions_remove(const char *name)
{
	struct definition **at = &definitions_lists[DEFINITIONS_PROGRAM], *d;

	if (!atomic_load(&definitions_exist[DEFINITIONS_PROGRAM]))
		return false;
	pthread_mutex_lock(&definitions_lock);
	while (*at && !is_called(*at, name, strlen(name)))
		at = &(*at)->next;
	d = *at;
	if (d)
		*at = d->next;
	pthread_mutex_unlock(&definitions_lock);
	definitions_release(d);
	return d != NULL;
}

bool definitions_add(enum definitions_list list, struct definition *definition)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const char *name = definition->signature.name;
	bool is_new;

	pthread_once(&once, add_hooks);
	pthread_mutex_lock(&definitions_lock);
	is_new = !find_listed(definitions_lists[list], name, strlen(name));
	if (is_new) {
		definition->next = definitions_lists[list];
		definitions_lists[list] = retain(definition);
		atomic_store(&definitions_exist[list], true);
	}
	pthread_mutex_unlock(&definitions_lock);
	return is_new;
}

void definitions_offer(struct suggestion *suggestion, struct definition **best)
{
	*best = NULL;
	if (!atomic_load(&definitions_exist[DEFINITIONS_PROGRAM]))
		return;
	pthread_mutex_lock(&definitions_lock);
	for (struct definition *d = definitions_lists[DEFINITIONS_PROGRAM]; d;
	     d = d->next) {
		suggest_offer(suggestion, d->signature.name);
		if (suggestion->best == d->signature.name)
			*best = d;
	}
	retain(*best);
	pthread_mutex_unlock(&definitions_lock);
}
