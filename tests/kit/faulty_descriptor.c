/* SPDX-License-Identifier: Apache-2.0 */
/* faulty_descriptor.c - faults of the descriptor and of the entry symbol. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/kit/faulty.h"

static void flags(void)
{
	faulty.plugin.flags = 7;
}

static void rank(void)
{
	faulty.plugin.rank = 9;
}

static void name(void)
{
	faulty.plugin.name = "Faulty-1";
}

/* Then the file is no plugin. */
static void no_magic(void)
{
	faulty.plugin.magic = 0;
}

static void other_name(void)
{
	faulty.plugin.name = "other";
}

static void no_license(void)
{
	faulty.plugin.license = NULL;
}

static void advice(void)
{
	faulty.plugin.advice_no_driver = "Install the driver.";
}

static void short_table(void)
{
	faulty.queue.struct_size = offsetof(dprp_queue_ops, launch);
}

static void no_finish(void)
{
	faulty.queue.finish = NULL;
}

static void no_kernel_info(void)
{
	faulty.module.kernel_info = NULL;
}

static void name_in_heap(void)
{
	faulty.plugin.name = strdup("faulty");
}

static void table_in_heap(void)
{
	dprp_mem_ops *mem = malloc(sizeof(*mem));

	*mem = faulty.mem;
	faulty.plugin.mem = mem;
}

static const dprp_plugin *only_this(uint32_t host_minor)
{
	return host_minor == DPRP_ABI_MINOR ? &faulty.plugin : NULL;
}

static void newer_core(void)
{
	faulty_set_entry(only_this);
}

static const dprp_plugin *alternate(uint32_t host_minor)
{
	static dprp_plugin second;
	static int calls;

	(void)host_minor;
	second = faulty.plugin;
	return __atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST) % 2
		       ? &second
		       : &faulty.plugin;
}

static void two_descriptors(void)
{
	faulty_set_entry(alternate);
}

static void *sleeper(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void entry_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, sleeper, NULL);
}

const struct fault faulty_descriptor_faults[] = {
	{ "no_magic", no_magic },
	{ "flags", flags },
	{ "rank", rank },
	{ "name", name },
	{ "other_name", other_name },
	{ "no_license", no_license },
	{ "advice", advice },
	{ "short_table", short_table },
	{ "no_finish", no_finish },
	{ "no_kernel_info", no_kernel_info },
	{ "name_in_heap", name_in_heap },
	{ "table_in_heap", table_in_heap },
	{ "newer_core", newer_core },
	{ "two_descriptors", two_descriptors },
	{ "entry_thread", entry_thread },
	{ NULL, NULL },
};
