/* SPDX-License-Identifier: Apache-2.0 */
/* backend_host_table.c - the small host, and loading a plugin without libdpr.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/backend_host_table.h"

struct option {
	struct option *next;
	char *key, *value;
};

struct notice {
	struct notice *next;
	uint64_t token;
	unsigned times;
	dprp_rc status;
};

struct dprp_host_instance {
	atomic_long blocks;
	atomic_ulong fail_in; /* allocations to the failing one; 0: none */
	struct option *options;
	char *driver;
	pthread_mutex_t lock; /* guards log and notices */
	pthread_cond_t changed;
	char *log;
	size_t log_size;
	struct notice *notices;
};

struct host_table {
	dprp_host host;
	struct dprp_host_instance self;
};

static __thread char error_text[4096];
static __thread dprp_rc error_rc;
static __thread int64_t error_native;

static void *need(void *block)
{
	if (!block)
		abort();
	return block;
}

static void append(char **text, size_t *size, const char *bytes, size_t n)
{
	*text = need(realloc(*text, *size + n + 1));
	memcpy(*text + *size, bytes, n);
	*size += n;
	(*text)[*size] = 0;
}

static void *table_alloc(dprp_host_instance *self, size_t size)
{
	unsigned long left = atomic_load(&self->fail_in);
	void *block;

	while (left &&
	       !atomic_compare_exchange_weak(&self->fail_in, &left, left - 1))
		;
	if (left == 1)
		return NULL;
	block = malloc(size ? size : 1);
	if (block)
		atomic_fetch_add(&self->blocks, 1);
	return block;
}

static void table_free(dprp_host_instance *self, void *block)
{
	if (block)
		atomic_fetch_sub(&self->blocks, 1);
	free(block);
}

static void table_log(dprp_host_instance *self, int32_t level, const char *line)
{
	(void)level;
	pthread_mutex_lock(&self->lock);
	append(&self->log, &self->log_size, line, strlen(line));
	append(&self->log, &self->log_size, "\n", 1);
	pthread_mutex_unlock(&self->lock);
}

static void table_set_error(dprp_host_instance *self, dprp_rc rc,
			    int64_t native, const char *text)
{
	(void)self;
	error_rc = rc;
	error_native = native;
	snprintf(error_text, sizeof(error_text), "%s", text);
}

static const char *table_option(dprp_host_instance *self, const char *key)
{
	struct option *option;

	for (option = self->options; option; option = option->next)
		if (strcmp(option->key, key) == 0)
			return option->value;
	return NULL;
}

static void *table_driver_open(dprp_host_instance *self,
			       const char *const *sonames, size_t count)
{
	void *library = NULL;
	size_t i;

	if (self->driver)
		return dlopen(self->driver, RTLD_NOW | RTLD_LOCAL);
	for (i = 0; i < count && !library; i++)
		library = dlopen(sonames[i], RTLD_NOW | RTLD_LOCAL);
	return library;
}

static void *table_driver_sym(dprp_host_instance *self, void *library,
			      const char *symbol)
{
	(void)self;
	return dlsym(library, symbol);
}

/* Return the notice of a token; make it if there is none.  The caller holds the
   lock. */
static struct notice *notice_of(dprp_host_instance *self, uint64_t token)
{
	struct notice *notice;

	for (notice = self->notices; notice; notice = notice->next)
		if (notice->token == token)
			return notice;
	notice = need(calloc(1, sizeof(*notice)));
	notice->token = token;
	notice->next = self->notices;
	self->notices = notice;
	return notice;
}

static void table_event_done(dprp_host_instance *self, uint64_t token,
			     dprp_rc status)
{
	struct notice *notice;

	pthread_mutex_lock(&self->lock);
	notice = notice_of(self, token);
	notice->times++;
	notice->status = status;
	pthread_cond_broadcast(&self->changed);
	pthread_mutex_unlock(&self->lock);
}

static void table_device_lost(dprp_host_instance *self, dprp_device *device,
			      const char *why)
{
	(void)device;
	table_log(self, 1, why);
}

struct host_table *host_table_new(void)
{
	struct host_table *table = need(calloc(1, sizeof(*table)));

	pthread_mutex_init(&table->self.lock, NULL);
	pthread_cond_init(&table->self.changed, NULL);
	table->host = (dprp_host){
		.struct_size = sizeof(dprp_host),
		.abi_minor = DPRP_ABI_MINOR,
		.self = &table->self,
		.alloc = table_alloc,
		.free = table_free,
		.log = table_log,
		.set_error = table_set_error,
		.option = table_option,
		.driver_open = table_driver_open,
		.driver_sym = table_driver_sym,
		.event_done = table_event_done,
		.device_lost = table_device_lost,
	};
	return table;
}

void host_table_free(struct host_table *table)
{
	struct option *option;
	struct notice *notice;

	if (!table)
		return;
	if (atomic_load(&table->self.blocks)) {
		fprintf(stderr, "the plugin has not freed %ld blocks\n",
			atomic_load(&table->self.blocks));
		abort();
	}
	while ((option = table->self.options)) {
		table->self.options = option->next;
		free(option->key);
		free(option->value);
		free(option);
	}
	while ((notice = table->self.notices)) {
		table->self.notices = notice->next;
		free(notice);
	}
	free(table->self.driver);
	free(table->self.log);
	pthread_mutex_destroy(&table->self.lock);
	pthread_cond_destroy(&table->self.changed);
	free(table);
}

const dprp_host *host_table_host(struct host_table *table)
{
	return &table->host;
}

void host_table_option(struct host_table *table, const char *key,
		       const char *value)
{
	struct option *option = need(calloc(1, sizeof(*option)));

	option->key = need(strdup(key));
	option->value = need(strdup(value));
	option->next = table->self.options;
	table->self.options = option;
}

void host_table_driver(struct host_table *table, const char *path)
{
	free(table->self.driver);
	table->self.driver = need(strdup(path));
}

void host_table_fail_alloc(struct host_table *table, unsigned long nth)
{
	atomic_store(&table->self.fail_in, nth);
}

long host_table_blocks(const struct host_table *table)
{
	return atomic_load(&table->self.blocks);
}

const char *host_table_error(void)
{
	return error_text;
}

dprp_rc host_table_error_rc(void)
{
	return error_rc;
}

int64_t host_table_error_native(void)
{
	return error_native;
}

void host_table_clear(void)
{
	error_text[0] = 0;
	error_rc = 0;
	error_native = 0;
}

const char *host_table_log(const struct host_table *table)
{
	return table->self.log ? table->self.log : "";
}

unsigned host_table_done(struct host_table *table, uint64_t token,
			 dprp_rc *status)
{
	struct notice *notice;
	unsigned times;

	pthread_mutex_lock(&table->self.lock);
	notice = notice_of(&table->self, token);
	times = notice->times;
	if (status)
		*status = notice->status;
	pthread_mutex_unlock(&table->self.lock);
	return times;
}

bool host_table_wait_done(struct host_table *table, uint64_t token,
			  unsigned timeout_ms)
{
	struct timespec until;
	struct notice *notice;
	bool done;
	int rc = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += timeout_ms / 1000;
	until.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&table->self.lock);
	notice = notice_of(&table->self, token);
	while (!notice->times && rc == 0)
		rc = pthread_cond_timedwait(&table->self.changed,
					    &table->self.lock, &until);
	done = notice->times > 0;
	pthread_mutex_unlock(&table->self.lock);
	return done;
}

static void text_write(void *user, const char *bytes, size_t size)
{
	struct host_table_text *text = user;

	append(&text->text, &text->size, bytes, size);
}

dprp_sink host_table_sink(struct host_table_text *text)
{
	return (dprp_sink){ .write = text_write, .user = text };
}

/* Load libdpr-@name.so of a directory.  Returns its descriptor, or NULL. */
static const dprp_plugin *plugin_in(const char *directory, size_t length,
				    const char *name)
{
	char path[4096];
	dprp_entry_fn entry;
	void *library, *symbol;

	snprintf(path, sizeof(path), "%.*s/libdpr-%s.so", (int)length,
		 directory, name);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	symbol = library ? dlsym(library, DPRP_ENTRY_SYMBOL) : NULL;
	if (!symbol)
		return NULL;
	memcpy(&entry, &symbol, sizeof(entry));
	return entry(DPRP_ABI_MINOR);
}

const dprp_plugin *host_table_plugin(const char *name, const char **why)
{
	static const char *const lists[] = { "DPR_PLUGIN_PATH",
					     "DPR_TEST_PLUGIN_DIR" };
	const dprp_plugin *plugin = NULL;
	size_t i;

	for (i = 0; i < 2 && !plugin; i++) {
		const char *at = getenv(lists[i]);

		while (at && *at && !plugin) {
			size_t length = strcspn(at, ":");

			plugin = plugin_in(at, length, name);
			at += length + (at[length] == ':');
		}
	}
	if (why)
		*why = plugin ? NULL
			      : "no such plugin in DPR_PLUGIN_PATH or "
				"DPR_TEST_PLUGIN_DIR";
	return plugin;
}
