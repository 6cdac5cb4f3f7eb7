/* SPDX-License-Identifier: Apache-2.0 */
/* kit_host.c - the services that dpr check-plugin gives to a plugin. */
#include "tools/kit/kit_host.h"

#include <ctype.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/kit/note.h"

/* In front of each block, and behind it. */
struct guard {
	uint64_t magic, size;
};
#define GUARD_MAGIC UINT64_C(0x6b636f6c62747069)

static struct kit_host *of(dprp_host_instance *self)
{
	return (struct kit_host *)(void *)self;
}

static void *host_alloc(dprp_host_instance *self, size_t size)
{
	struct kit_host *host = of(self);
	struct guard *guard = NULL;
	bool fail;

	pthread_mutex_lock(&host->lock);
	host->allocs++;
	fail = host->fail_at && (host->fail_on ? host->allocs >= host->fail_at
					       : host->allocs == host->fail_at);
	if (!fail && size < SIZE_MAX - 64)
		guard = malloc(sizeof(*guard) + size + 8);
	host->live += guard != NULL;
	pthread_mutex_unlock(&host->lock);
	if (!guard)
		return NULL;
	guard->magic = GUARD_MAGIC;
	guard->size = size;
	memset(guard + 1, 0xa5, size + 8);
	return guard + 1;
}

static void host_free(dprp_host_instance *self, void *block)
{
	struct kit_host *host = of(self);
	struct guard *guard = (struct guard *)block - 1;
	unsigned char *end;
	int i;

	if (!block)
		return;
	note_service("host->free");
	if (guard->magic != GUARD_MAGIC) {
		note_bad("H1", "a block of host->alloc(), once",
			 "host->free() of something else, or once more");
		note_end();
	}
	guard->magic = ~GUARD_MAGIC;
	end = (unsigned char *)block + guard->size;
	for (i = 0; i < 8 && end[i] == 0xa5; i++)
		;
	if (i < 8)
		note_bad("H1", "nothing written behind a block",
			 "a block of %llu bytes has others written behind it",
			 (unsigned long long)guard->size);
	pthread_mutex_lock(&host->lock);
	host->live--;
	pthread_mutex_unlock(&host->lock);
	free(guard);
}

static void host_log(dprp_host_instance *self, int32_t level, const char *line)
{
	(void)self;
	note_service("host->log");
	if (level < 1 || level > 5 || !line)
		note_bad("H2", "a level from 1 to 5, and a line",
			 "host->log() of level %d, with %s", level,
			 line ? "a line" : "NULL");
}

static void host_set_error(dprp_host_instance *self, dprp_rc rc, int64_t native,
			   const char *text)
{
	(void)self;
	(void)native;
	note_error(rc, text);
}

static const char *host_option(dprp_host_instance *self, const char *key)
{
	struct kit_host *host = of(self);
	const char *bad = NULL;
	char name[160];
	size_t i;

	pthread_mutex_lock(&host->lock);
	if (host->n_asked < 16)
		snprintf(host->asked[host->n_asked++], sizeof(host->asked[0]),
			 "%s", key);
	if (host->bad_key && !strcmp(host->bad_key, key))
		bad = KIT_HOST_BAD_VALUE;
	pthread_mutex_unlock(&host->lock);
	if (bad)
		return bad;
	snprintf(name, sizeof(name), "DPR_OPTION_%s_%s", host->plugin, key);
	for (i = 0; name[i]; i++)
		name[i] = (char)toupper((unsigned char)name[i]);
	return getenv(name);
}

/* Whether this is a name with a version, or an absolute path. */
static bool is_versioned(const char *soname)
{
	const char *so = strstr(soname, ".so.");

	return soname[0] == '/' ||
	       (!strchr(soname, '/') && so && isdigit((unsigned char)so[4]));
}

static void *host_driver_open(dprp_host_instance *self,
			      const char *const *sonames, size_t count)
{
	struct kit_host *host = of(self);
	void *library = NULL;
	bool hidden;
	size_t i;

	pthread_mutex_lock(&host->lock);
	host->drivers++;
	hidden = host->hidden;
	pthread_mutex_unlock(&host->lock);
	for (i = 0; i < count && !library && !hidden; i++)
		if (is_versioned(sonames[i]))
			library = dlopen(sonames[i], RTLD_NOW | RTLD_LOCAL);
	return library;
}

static void *host_driver_sym(dprp_host_instance *self, void *library,
			     const char *symbol)
{
	(void)self;
	return library ? dlsym(library, symbol) : NULL;
}

static void host_event_done(dprp_host_instance *self, uint64_t token,
			    dprp_rc status)
{
	struct kit_host *host = of(self);
	void (*call)(void *user, uint64_t token);
	sigset_t set;
	void *user;

	pthread_sigmask(SIG_BLOCK, NULL, &set);
	pthread_mutex_lock(&host->lock);
	if (!note_is_ours() && !sigismember(&set, SIGUSR1))
		host->signals_open = true;
	call = host->on_done;
	user = host->on_done_user;
	pthread_mutex_unlock(&host->lock);
	if (call)
		call(user, token);
	pthread_mutex_lock(&host->lock);
	if (token < KIT_HOST_TOKENS) {
		host->told[token]++;
		host->told_rc[token] = status;
	}
	pthread_cond_broadcast(&host->changed);
	pthread_mutex_unlock(&host->lock);
}

static void host_device_lost(dprp_host_instance *self, dprp_device *device,
			     const char *why)
{
	struct kit_host *host = of(self);

	(void)device;
	(void)why;
	pthread_mutex_lock(&host->lock);
	host->lost++;
	pthread_mutex_unlock(&host->lock);
}

uint64_t kit_host_lost(struct kit_host *self)
{
	uint64_t lost;

	pthread_mutex_lock(&self->lock);
	lost = self->lost;
	pthread_mutex_unlock(&self->lock);
	return lost;
}

void kit_host_init(struct kit_host *self, dprp_host *table, const char *plugin)
{
	pthread_condattr_t attr;

	memset(self, 0, sizeof(*self));
	self->plugin = plugin;
	pthread_mutex_init(&self->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&self->changed, &attr);
	pthread_condattr_destroy(&attr);
	*table = (dprp_host){
		.struct_size = sizeof(*table),
		.abi_minor = DPRP_ABI_MINOR,
		.self = (dprp_host_instance *)(void *)self,
		.alloc = host_alloc,
		.free = host_free,
		.log = host_log,
		.set_error = host_set_error,
		.option = host_option,
		.driver_open = host_driver_open,
		.driver_sym = host_driver_sym,
		.event_done = host_event_done,
		.device_lost = host_device_lost,
	};
}

unsigned kit_host_told(struct kit_host *self, uint64_t token, unsigned times,
		       double seconds)
{
	struct timespec until;
	unsigned told;
	int late = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (time_t)seconds;
	until.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&self->lock);
	while (self->told[token] < times && !late)
		late = pthread_cond_timedwait(&self->changed, &self->lock,
					      &until);
	told = self->told[token];
	pthread_mutex_unlock(&self->lock);
	return told;
}
