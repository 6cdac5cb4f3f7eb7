/* SPDX-License-Identifier: Apache-2.0 */
/* host_plugin.c - the descriptor, open and close, and what all files use. */
#include "host_plugin.h"

#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* About what it takes to wake a thread. */
#define HOST_SPIN_NS 20000u
#define HOST_MAX_THREADS 4096

uint64_t host_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void *host_alloc(dprp_instance *instance, size_t size)
{
	const dprp_host *host = &instance->host;
	void *block = host->alloc(host->self, size);

	if (block)
		memset(block, 0, size);
	else
		host_fail(instance, DPR_RC_OOM_HOST,
			  "host: out of memory: %zu bytes", size);
	return block;
}

void host_free(dprp_instance *instance, void *block)
{
	if (block)
		instance->host.free(instance->host.self, block);
}

dprp_rc host_fail(dprp_instance *instance, dprp_rc rc, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	instance->host.set_error(instance->host.self, rc, 0, text);
	return rc;
}

void host_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

int host_thread(pthread_t *thread, void *(*run)(void *), void *arg)
{
	sigset_t all, old;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return error;
}

void host_spin(const atomic_uint *value, unsigned what, bool equal)
{
	uint64_t end = host_now() + HOST_SPIN_NS;
	unsigned i;

	do {
		for (i = 0; i < 8; i++) {
			if ((atomic_load(value) == what) == equal)
				return;
#if defined(__x86_64__) || defined(__i386__)
			__builtin_ia32_pause();
#endif
		}
		/* Who is waited for may want this CPU. */
		sched_yield();
	} while (host_now() < end);
}

/* DPR_OPTION_HOST_THREADS, else the number of CPUs. */
static dprp_rc host_units(dprp_instance *instance, uint32_t cpus, uint32_t *out)
{
	const dprp_host *host = &instance->host;
	const char *text = host->option(host->self, "THREADS");
	char *end;
	long n;

	*out = cpus;
	if (!text)
		return DPR_RC_OK;
	n = strtol(text, &end, 10);
	if (end == text || *end || n < 1 || n > HOST_MAX_THREADS)
		return host_fail(
			instance, DPR_RC_INVALID,
			"host: DPR_OPTION_HOST_THREADS=%.40s: want a number "
			"from 1 to %d",
			text, HOST_MAX_THREADS);
	*out = (uint32_t)n;
	return DPR_RC_OK;
}

static dprp_rc host_root(dprp_instance *instance)
{
	dprp_device *root = &instance->root;
	char text[4096];
	unsigned long long kib;
	const char *line;
	dprp_rc rc;

	root->instance = instance;
	rc = host_cpus_allowed(instance, &root->cpus);
	if (rc)
		return rc;
	rc = host_units(instance, root->cpus.n, &root->units);
	if (rc)
		return rc;
	if (!host_read_file(instance, text, sizeof(text), "/proc/meminfo") ||
	    !(line = strstr(text, "MemTotal:")) ||
	    sscanf(line, "MemTotal: %llu", &kib) != 1)
		return host_fail(
			instance, DPR_RC_NO_DEVICE,
			"host: /proc/meminfo does not tell the memory's size");
	instance->memory = (uint64_t)kib << 10;
	return DPR_RC_OK;
}

static void host_instance_free(dprp_instance *instance)
{
	dprp_host host = instance->host;
	dprp_device *sub;

	while ((sub = instance->subs)) {
		instance->subs = sub->next;
		host_device_fini(sub);
		host_free(instance, sub);
	}
	host_device_fini(&instance->root);
	pthread_mutex_destroy(&instance->lock);
	host.free(host.self, instance);
}

static dprp_rc host_open(const dprp_host *host, dprp_instance **out)
{
	dprp_instance *instance = host->alloc(host->self, sizeof(*instance));
	const char *root;
	dprp_rc rc;

	*out = NULL;
	if (!instance) {
		host->set_error(host->self, DPR_RC_OOM_HOST, 0,
				"host: open: out of memory");
		return DPR_RC_OOM_HOST;
	}
	memset(instance, 0, sizeof(*instance));
	plugin_struct_copy(&instance->host, sizeof(instance->host), host);
	pthread_mutex_init(&instance->lock, NULL);
	pthread_mutex_init(&instance->root.lock, NULL);
	root = host->option(host->self, "SYSTEM_ROOT");
	if (root)
		snprintf(instance->sys_root, sizeof(instance->sys_root), "%s",
			 root);
	rc = host_root(instance);
	if (rc) {
		host_instance_free(instance);
		return rc;
	}
	*out = instance;
	return DPR_RC_OK;
}

static void host_close(dprp_instance *instance, uint32_t reason)
{
	(void)reason;
	host_queues_reap(instance);
	host_instance_free(instance);
}

/* There are no handles of a driver; an allocation's is its address. */
static dprp_rc host_native_get(dprp_instance *instance, uint32_t what,
			       void *handle, uint32_t type, uintptr_t *out)
{
	if (what != DPRP_NATIVE_MEMORY || type)
		return host_fail(
			instance, DPR_RC_UNSUPPORTED,
			"host: native handle: only allocations have one");
	*out = (uintptr_t)((dprp_mem *)handle)->address;
	return DPR_RC_OK;
}

static const dprp_plugin host_plugin = {
	.magic = DPRP_MAGIC,
	.struct_size = sizeof(dprp_plugin),
	.abi_major = DPRP_ABI_MAJOR,
	.abi_minor = DPRP_ABI_MINOR,
	.name = "host",
	.version = HOST_VERSION,
	.description = "the CPU, without any driver",
	.license = "Apache-2.0",
	.open = host_open,
	.close = host_close,
	.device = &host_device_ops,
	.context = &host_context_ops,
	.queue = &host_queue_ops,
	.event = &host_event_ops,
	.mem = &host_mem_ops,
	.module = &host_module_ops,
	.native_get = host_native_get,
	.rank = DPRP_RANK_HOST,
};

DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor);

DPRP_EXPORT const dprp_plugin *dpr_plugin_abi1(uint32_t host_minor)
{
	(void)host_minor;
	return &host_plugin;
}
