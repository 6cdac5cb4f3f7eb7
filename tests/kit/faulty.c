/* SPDX-License-Identifier: Apache-2.0 */
/* faulty.c - the entry symbol of the plugin with faults. */
#include "tests/kit/faulty.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* In .data, so that it belongs to the file. */
struct faulty faulty = { .plugin = { .magic = DPRP_MAGIC } };

/* The entry symbol of the mock, which has another name in this build. */
const dprp_plugin *faulty_mock_entry(uint32_t host_minor);
DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor);

static const struct fault *const lists[] = {
	faulty_descriptor_faults, faulty_open_faults,
	faulty_outputs_faults,    faulty_info_faults,
	faulty_devices_faults,    faulty_memory_faults,
	faulty_copies_faults,     faulty_order_faults,
	faulty_events_faults,     faulty_finish_faults,
	faulty_modules_faults,    faulty_kernels_faults,
	faulty_promptness_faults, faulty_loss_faults,
	faulty_host_alloc_faults, faulty_threads_faults,
	faulty_exit_faults,       faulty_arrays_faults,
	faulty_calls_faults,      faulty_lapack_faults,
};

dprp_rc faulty_fail(dprp_rc rc)
{
	faulty.given->set_error(faulty.given->self, rc, 0, "the planted fault");
	return rc;
}

static dprp_rc faulty_open(const dprp_host *host, dprp_instance **out)
{
	static dprp_host changed;

	faulty.given = host;
	if (!faulty.option && !faulty.set_error && !faulty.event_done &&
	    !faulty.device_lost)
		return faulty.mock->open(host, out);
	changed = *host;
	if (faulty.option)
		changed.option = faulty.option;
	if (faulty.set_error)
		changed.set_error = faulty.set_error;
	if (faulty.event_done)
		changed.event_done = faulty.event_done;
	if (faulty.device_lost)
		changed.device_lost = faulty.device_lost;
	return faulty.mock->open(&changed, out);
}

static void copy_tables(void)
{
	faulty.mock = faulty_mock_entry(DPRP_ABI_MINOR);
	faulty.control = faulty.mock->extension(NULL, MOCK_CONTROL, 1);
	faulty.plugin = *faulty.mock;
	faulty.device = *faulty.mock->device;
	faulty.context = *faulty.mock->context;
	faulty.queue = *faulty.mock->queue;
	faulty.event = *faulty.mock->event;
	faulty.mem = *faulty.mock->mem;
	faulty.module = *faulty.mock->module;
	faulty.plugin.open = faulty_open;
	faulty.plugin.device = &faulty.device;
	faulty.plugin.context = &faulty.context;
	faulty.plugin.queue = &faulty.queue;
	faulty.plugin.event = &faulty.event;
	faulty.plugin.mem = &faulty.mem;
	faulty.plugin.module = &faulty.module;
	faulty_offer_calls();
}

/* Plant the fault of this name.  Returns false if there is none. */
static bool plant(const char *name)
{
	const struct fault *fault;
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (fault = lists[i]; fault->name; fault++)
			if (!strcmp(fault->name, name)) {
				fault->plant();
				return true;
			}
	return false;
}

static bool planted;
static const dprp_plugin *(*entry)(uint32_t host_minor);

static void begin(void)
{
	const char *name = getenv("DPR_TEST_FAULT");

	copy_tables();
	planted = !name || !*name || plant(name);
}

const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, begin);
	if (!planted)
		return NULL;
	return entry ? entry(host_minor) : &faulty.plugin;
}

void faulty_set_entry(const dprp_plugin *(*instead)(uint32_t host_minor))
{
	entry = instead;
}
