/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opencl_support.h - what the tests of the OpenCL plugin share: an open plugin
 * with a device, a context and a queue, and short ways to use them.
 */
#ifndef OPENCL_SUPPORT_H
#define OPENCL_SUPPORT_H

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/backend_host_table.h"

struct bench {
	struct host_table *table;
	const dprp_plugin *plugin;
	dprp_instance *instance;
	dprp_device *device;
	dprp_context *context;
	dprp_queue *queue; /* in order, with profiling */
};

/* Expect DPR_RC_OK, else show the error.  Check's functions work only in tests.
   This calls one only after a failure, so it can be used elsewhere. */
#define OK(call)                                                    \
	do {                                                        \
		dprp_rc rc_ = (call);                               \
		if (rc_ != DPR_RC_OK)                               \
			ck_abort_msg("%s: %d, %s", #call, (int)rc_, \
				     host_table_error());           \
	} while (0)

/* Expect an error whose text contains @word. */
#define FAILS(call, code, word)                                           \
	do {                                                              \
		dprp_rc rc_;                                              \
		host_table_clear();                                       \
		rc_ = (call);                                             \
		ck_assert_msg(rc_ == (code), "%s: %d, not %s; %s", #call, \
			      (int)rc_, #code, host_table_error());       \
		ck_assert_msg(strstr(host_table_error(), word),           \
			      "%s: \"%s\" lacks "                         \
			      "\"%s\"",                                   \
			      #call, host_table_error(), word);           \
	} while (0)

/* Have the ICD loader find only the driver in the file @so.  For this, makes a
   folder @name among the tests' caches; its path is written to @dir.  Returns
   false if it cannot be made. */
bool bench_use_driver(const char *so, const char *name, char dir[4096]);
/* Open the plugin with a memory path (NULL: its choice), and the first device
   of a platform whose name contains @platform (NULL: any).  If there is none,
   closes the bench and returns false, with *@why set. */
bool bench_open(struct bench *bench, const char *path, const char *platform,
		const char **why);
/* Do the same as bench_open(), with another option. */
bool bench_open_with(struct bench *bench, const char *option, const char *value,
		     const char *platform, const char **why);
/* Do the same with several options: keys and values in turns, and a NULL.  An
   option whose value is NULL is not set. */
bool bench_open_list(struct bench *bench, const char *const *options,
		     const char *platform, const char **why);
void bench_close(struct bench *bench);
/* The platform's name, or a part of it: DPR_TEST_OPENCL_PLATFORM, by default
   PoCL's. */
const char *bench_platform(void);
bool bench_is_pocl(void);
/* Whether the device can be divided equally. */
bool bench_divides(const struct bench *bench);
/* Use another device of the instance: make the bench's context and queue
   anew. */
void bench_use(struct bench *bench, dprp_device *device);

dprp_queue *bench_queue(const struct bench *bench, dprp_device *device,
			uint64_t flags);
dprp_mem *bench_alloc(const struct bench *bench, uint32_t kind, uint64_t size);
uint64_t bench_u64(const struct bench *bench, dprp_device *device,
		   uint32_t key);
/* Get a text of info.h, to be freed. */
char *bench_text(const struct bench *bench, dprp_device *device, uint32_t key);

/* Write to memory or read from it, and wait. */
void bench_put(const struct bench *bench, dprp_mem *mem, uint64_t offset,
	       const void *from, uint64_t size);
void bench_get(const struct bench *bench, dprp_mem *mem, uint64_t offset,
	       void *to, uint64_t size);

dprp_rc bench_build(const struct bench *bench, const char *format,
		    const void *data, size_t size, const char *options,
		    struct host_table_text *log, dprp_module **out);
/* Build an image with flags DPRP_BUILD_*. */
dprp_rc bench_build_flags(const struct bench *bench, const char *format,
			  const void *data, size_t size, const char *options,
			  uint64_t flags, struct host_table_text *log,
			  dprp_module **out);
/* Build an image with values for its specialization constants. */
dprp_rc bench_build_spec(const struct bench *bench, const char *format,
			 const void *data, size_t size, const dprp_spec *spec,
			 uint32_t n_spec, dprp_module **out);
/* Build OpenCL C, which must succeed. */
dprp_module *bench_source(const struct bench *bench, const char *source);
dprp_kernel *bench_kernel(const struct bench *bench, dprp_module *module,
			  const char *name);

dprp_arg arg_mem(dprp_mem *mem, uint64_t offset);
dprp_arg arg_value(const void *value, uint64_t size);
dprp_arg arg_local(uint64_t size);
dprp_rc bench_launch(const struct bench *bench, dprp_queue *queue,
		     dprp_kernel *kernel, uint64_t global, uint64_t local,
		     const dprp_arg *args, uint32_t n_args, dprp_event *after,
		     dprp_event **event);

/* Wait for an event for a limited time, check that it succeeded, and destroy
   the event. */
void bench_done(const struct bench *bench, dprp_event *event);
uint32_t bench_state(const struct bench *bench, dprp_event *event,
		     dprp_event_state *state, struct host_table_text *text);

/* Run the suite in this process.  Returns EXIT_SUCCESS or EXIT_FAILURE. */
int bench_run(Suite *suite);

#endif
