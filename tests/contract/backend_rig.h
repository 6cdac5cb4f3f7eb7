/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend_rig.h - a small core, for tests of plugins through the ABI alone.
 *
 * Each test runs once for each backend in DPR_TEST_BACKENDS, by default mock,
 * mock_bare and host, and leaves out those that were not built.  Plugins are
 * looked for in DPR_PLUGIN_PATH and DPR_TEST_PLUGIN_DIR.
 */
#ifndef TESTS_BACKEND_RIG_H
#define TESTS_BACKEND_RIG_H

#include <check.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <dpr/backend.h>

#define RIG_TOKENS 256
#define RIG_FOREVER UINT64_MAX

/* An opened plugin with a context, and a queue on its first device. */
struct rig {
	const char *name;
	const dprp_plugin *plugin;
	dprp_host host; /* passed to open(); its functions are the rig's */
	const char *const *options; /* "KEY=VALUE", ending with NULL; or NULL */
	dprp_instance *instance;
	dprp_device *device;
	dprp_context *context;
	dprp_queue *queue; /* in order, with profiling if supported */
	uint64_t queue_flags;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* The members up to text are guarded by @lock. */
	int64_t live;             /* blocks from host.alloc() in use */
	uint64_t allocs, fail_at; /* number of the alloc() that fails, from 1 */
	bool fail_on;             /* all later allocations fail, too */
	unsigned told[RIG_TOKENS]; /* calls of event_done() for each token */
	dprp_rc told_rc[RIG_TOKENS];
	unsigned errors; /* calls of set_error */
	dprp_rc error;
	int64_t native;
	char text[512];
	bool driver;
	bool signals_open; /* signals unblocked in a plugin thread */
	pthread_t owner;
};

/* rig_backend() returns the name of a backend to test, rig_backends() their
   number. */
const char *rig_backend(int index);
int rig_backends(void);

/* Whether the backend uses a driver, with threads and rules of its own. */
bool rig_has_driver(int index);

/* Load the plugin; returns NULL if it was not built. */
const dprp_plugin *rig_plugin(const char *name);
/* Fill in the host table and load the plugin, without opening it. */
void rig_init(struct rig *rig, int index, const char *const *options);
/* Do all steps up to a queue.  Ends the test if there is no driver or
   device. */
void rig_open(struct rig *rig, int index, const char *const *options);
/* The steps of rig_open() after rig_init(); stops at the first failure. */
dprp_rc rig_try(struct rig *rig);
/* Close everything, and check that nothing is left. */
void rig_close(struct rig *rig);

dprp_queue *rig_queue(struct rig *rig, uint64_t flags, uint64_t *got);
bool rig_has_kind(struct rig *rig, uint32_t kind);
dprp_mem *rig_mem(struct rig *rig, uint64_t size); /* DEVICE */
/* Host memory that the plugin's write() and read() accept.  If the plugin
   does not take the program's own memory, this has kind HOST. */
struct rig_bytes {
	void *at;      /* zeros at first */
	dprp_mem *mem; /* NULL: the memory is malloc()'s */
};
struct rig_bytes rig_bytes(struct rig *rig, uint64_t size);
void rig_bytes_free(struct rig *rig, struct rig_bytes *bytes);
/* Write or read the bytes, and wait. */
void rig_write(struct rig *rig, dprp_mem *to, uint64_t offset, const void *from,
	       uint64_t size);
void rig_read(struct rig *rig, dprp_mem *from, uint64_t offset, void *to,
	      uint64_t size);
/* Wait for @event, check that it is done, and destroy the event. */
void rig_done(struct rig *rig, dprp_event *event);
dprp_rc rig_wait(struct rig *rig, dprp_event *event, uint64_t timeout_ns);
uint32_t rig_state(struct rig *rig, dprp_event *event, dprp_event_state *out);
uint64_t rig_u64(struct rig *rig, dprp_device *device, uint32_t key,
		 uint64_t otherwise);

/*
 * The kernels of the rig, in every format that a backend of ours takes:
 *	add_one(int *x, ulong n)
 *	axpy(float a, float *x, float *y, ulong n)
 *	copy(int *to, int *from, ulong n)
 *	fill_index(int *x, ulong n)
 *	local_sum(int *out, int *x, local int *tmp, ulong n)	one group only
 *	store(int *x, struct { long index; int value, pad; } s)
 */
extern const dprp_native_module rig_native;
extern const char rig_source[];
uint32_t rig_images(dprp_image images[3], const dprp_image *list[3]);
dprp_rc rig_module_try(struct rig *rig, dprp_module **out);
dprp_module *rig_module(struct rig *rig);
dprp_kernel *rig_kernel(struct rig *rig, dprp_module *module, const char *name);

dprp_arg rig_arg_mem(dprp_mem *mem, uint64_t offset);
dprp_arg rig_arg_value(const void *value, uint64_t size);
dprp_arg rig_arg_local(uint64_t size);
dprp_rc rig_launch(struct rig *rig, dprp_queue *queue, dprp_kernel *kernel,
		   uint64_t global, const dprp_arg *args, uint32_t n_args,
		   const dprp_deps *deps, dprp_event **event);
dprp_deps rig_deps(dprp_event *const *events, uint32_t n);

/* Run @call, and check that it returns @rc.  If @rc is not OK, the call must
   also report an error. */
#define rig_rc(rig, rc, call)                                               \
	do {                                                                \
		unsigned rig_before = (rig)->errors;                        \
		dprp_rc rig_got = (call);                                   \
		ck_assert_msg(rig_got == (rc), "%s: %d, not %d: %s", #call, \
			      rig_got, (rc), (rig)->text);                  \
		if (rig_got)                                                \
			ck_assert_msg((rig)->errors > rig_before &&         \
					      (rig)->error == rig_got &&    \
					      (rig)->text[0],               \
				      "%s: %d without a text", #call,       \
				      rig_got);                             \
	} while (0)
#define rig_ok(rig, call) rig_rc((rig), DPR_RC_OK, call)

/* rig_main() is main() of a test program: @add puts the tests into the suite.
   rig_add() adds one test. */
int rig_main(const char *name, void (*add)(Suite *suite));
void rig_add(Suite *suite, const char *name, const TTest *test);

#endif
