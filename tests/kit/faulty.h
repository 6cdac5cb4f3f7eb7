/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faulty.h - the plugin of the tests of dpr check-plugin.
 *
 * It is the mock backend with at most one fault, which DPR_TEST_FAULT names.
 * The tables are copies of the mock's; a fault puts an entry of its own into
 * them, which does wrong and otherwise calls the mock's.  Without a fault the
 * plugin keeps the contract.
 */
#ifndef TESTS_FAULTY_H
#define TESTS_FAULTY_H

#include <stddef.h>

#include "tests/plugins/mock.h"

struct faulty {
	dprp_plugin plugin;
	dprp_device_ops device;
	dprp_context_ops context;
	dprp_queue_ops queue;
	dprp_event_ops event;
	dprp_mem_ops mem;
	dprp_module_ops module;
	const dprp_plugin *mock; /* what is underneath */
	const struct mock_control *control;
	const dprp_host *given; /* the host's table */
	/* Services that the mock gets in place of the host's, unless NULL. */
	const char *(*option)(dprp_host_instance *self, const char *key);
	void (*set_error)(dprp_host_instance *self, dprp_rc rc, int64_t native,
			  const char *text);
	void (*event_done)(dprp_host_instance *self, uint64_t token,
			   dprp_rc status);
	void (*device_lost)(dprp_host_instance *self, dprp_device *device,
			    const char *why);
};

extern struct faulty faulty;

struct fault {
	const char *name;
	void (*plant)(void);
};

/* The faults of one file, ending with a name that is NULL. */
extern const struct fault faulty_descriptor_faults[];
extern const struct fault faulty_open_faults[];
extern const struct fault faulty_outputs_faults[];
extern const struct fault faulty_info_faults[];
extern const struct fault faulty_devices_faults[];
extern const struct fault faulty_memory_faults[];
extern const struct fault faulty_copies_faults[];
extern const struct fault faulty_order_faults[];
extern const struct fault faulty_events_faults[];
extern const struct fault faulty_finish_faults[];
extern const struct fault faulty_modules_faults[];
extern const struct fault faulty_kernels_faults[];
extern const struct fault faulty_promptness_faults[];
extern const struct fault faulty_loss_faults[];
extern const struct fault faulty_host_alloc_faults[];
extern const struct fault faulty_threads_faults[];
extern const struct fault faulty_exit_faults[];
extern const struct fault faulty_arrays_faults[];
extern const struct fault faulty_calls_faults[];
extern const struct fault faulty_lapack_faults[];

/* Call @instead when the entry symbol is called from now on. */
void faulty_set_entry(const dprp_plugin *(*instead)(uint32_t host_minor));
/* Offer gemm and routines of LAPACK, in the format "calls-1". */
void faulty_offer_calls(void);
/* Let work begin only when it is flushed. */
void faulty_be_lazy(void);
/* Tell the host of an error.  Returns @rc. */
dprp_rc faulty_fail(dprp_rc rc);

#endif
