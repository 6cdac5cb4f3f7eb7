/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend_host_table.h - a small host for tests that load a plugin without
 * libdpr.  It implements the services of struct dprp_host, and keeps the
 * plugin's errors.
 */
#ifndef BACKEND_HOST_TABLE_H
#define BACKEND_HOST_TABLE_H

#include <stdbool.h>

#include <dpr/backend.h>

struct host_table;

/*
 * Load libdpr-@name.so from the directories of DPR_PLUGIN_PATH or
 * DPR_TEST_PLUGIN_DIR, for good.  Returns its descriptor, or NULL after a
 * failure; *@why is the reason then.  @why may be NULL.
 */
const dprp_plugin *host_table_plugin(const char *name, const char **why);

/* Make a host without options.  It must outlive the plugin's instance. */
struct host_table *host_table_new(void);
/* Free a host.  Aborts if the plugin has not freed all its memory. */
void host_table_free(struct host_table *table);
const dprp_host *host_table_host(struct host_table *table);

/* Set an option; @value is copied. */
void host_table_option(struct host_table *table, const char *key,
		       const char *value);
/* From now on open the library @path when the plugin opens a driver. */
void host_table_driver(struct host_table *table, const char *path);
/* Let only the @nth allocation from now on fail; 0: none. */
void host_table_fail_alloc(struct host_table *table, unsigned long nth);
/* The number of blocks that the plugin has not freed. */
long host_table_blocks(const struct host_table *table);

/* This thread's last error: text, status, native code; "" and 0 after
   host_table_clear(). */
const char *host_table_error(void);
dprp_rc host_table_error_rc(void);
int64_t host_table_error_native(void);
void host_table_clear(void);

/* All logged lines.  The pointer is valid until the next line is logged. */
const char *host_table_log(const struct host_table *table);

/* Return how often event_done was called for @token.  *@status is what the last
   call reported. */
unsigned host_table_done(struct host_table *table, uint64_t token,
			 dprp_rc *status);
/* Wait until event_done has been called for @token; false after @timeout_ms. */
bool host_table_wait_done(struct host_table *table, uint64_t token,
			  unsigned timeout_ms);

/* The text that host_table_sink() appends to; NULL before the first write. */
struct host_table_text {
	char *text;
	size_t size;
};
dprp_sink host_table_sink(struct host_table_text *text);

#endif
