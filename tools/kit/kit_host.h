/* SPDX-License-Identifier: Apache-2.0 */
/* kit_host.h - the services that dpr check-plugin gives to a plugin. */
#ifndef TOOLS_KIT_HOST_H
#define TOOLS_KIT_HOST_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <dpr/backend.h>

enum { KIT_HOST_TOKENS = 128 };

struct kit_host {
	const char *plugin; /* its name, for options */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* All below is guarded by @lock. */
	int64_t live;             /* blocks of alloc() in use */
	uint64_t allocs, fail_at; /* number of the alloc() that fails, from 1 */
	bool fail_on;             /* all later ones fail, too */
	bool hidden;              /* no driver library is found */
	uint64_t drivers;         /* calls of driver_open() */
	char asked[16][40];       /* keys of option(), in order */
	uint32_t n_asked;
	const char *bad_key;            /* this option has the value below */
	unsigned told[KIT_HOST_TOKENS]; /* calls of event_done() per token */
	dprp_rc told_rc[KIT_HOST_TOKENS];
	bool signals_open; /* event_done() came with signals unblocked */
	uint64_t lost;     /* calls of device_lost() */
	/* Called in event_done(), without the lock; NULL: nothing. */
	void (*on_done)(void *user, uint64_t token);
	void *on_done_user;
};

#define KIT_HOST_BAD_VALUE "no such value"

/* How often device_lost() was called. */
uint64_t kit_host_lost(struct kit_host *self);

/* Make a host table whose services use @self, which becomes empty.  The table
   has @size bytes to fill at least. */
void kit_host_init(struct kit_host *self, dprp_host *table, const char *plugin);
/* Wait until event_done() was called for a token @times times, for at most
   @seconds.  Returns how often it was. */
unsigned kit_host_told(struct kit_host *self, uint64_t token, unsigned times,
		       double seconds);

#endif
