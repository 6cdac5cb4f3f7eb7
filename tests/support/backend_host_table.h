/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend_host_table.h - a small host for tests that load a plugin without
 * libdpr: it answers the services of struct dprp_host and remembers what the
 * plugin said.
 */
#ifndef BACKEND_HOST_TABLE_H
#define BACKEND_HOST_TABLE_H

#include <stdbool.h>

#include <dpr/backend.h>

struct host_table;

/*
 * The descriptor of libdpr-@name.so in the directories of DPR_PLUGIN_PATH and
 * DPR_TEST_PLUGIN_DIR.  NULL, with the reason in @why (may be NULL), if there
 * is none.  Plugins stay loaded.
 */
const dprp_plugin *host_table_plugin(const char *name, const char **why);

/* A host without options.  It must outlive the plugin's instance. */
struct host_table *host_table_new(void);
/* Aborts if the plugin has not given back all its memory. */
void host_table_free(struct host_table *table);
const dprp_host *host_table_host(struct host_table *table);

/* The value of an option from now on; @value is copied. */
void host_table_option(struct host_table *table, const char *key,
		       const char *value);
/* Use this library in place of the one that the plugin asks for. */
void host_table_driver(struct host_table *table, const char *path);
/* Let the nth allocation from now on fail, and no other; 0: none. */
void host_table_fail_alloc(struct host_table *table, unsigned long nth);
/* Blocks that the plugin has not freed. */
long host_table_blocks(const struct host_table *table);

/* What this thread's last set_error said; "" and 0 after host_table_clear(). */
const char *host_table_error(void);
dprp_rc host_table_error_rc(void);
int64_t host_table_error_native(void);
void host_table_clear(void);

/* Everything that was logged, a line each; lent until the next line. */
const char *host_table_log(const struct host_table *table);

/* How often event_done was called for @token, and with what the last time. */
unsigned host_table_done(struct host_table *table, uint64_t token,
			 dprp_rc *status);
/* Wait until it has been called at all; false after @timeout_ms. */
bool host_table_wait_done(struct host_table *table, uint64_t token,
			  unsigned timeout_ms);

/* A sink into a growing text; text is never NULL after the first write. */
struct host_table_text {
	char *text;
	size_t size;
};
dprp_sink host_table_sink(struct host_table_text *text);

#endif
