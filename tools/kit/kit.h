/* SPDX-License-Identifier: Apache-2.0 */
/* kit.h - a plugin that a check of dpr check-plugin has opened. */
#ifndef TOOLS_KIT_H
#define TOOLS_KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dpr/backend.h>

#include "tools/kit/kit_host.h"
#include "tools/kit/note.h"

/* What the first child found out about the file. */
enum kit_probe {
	KIT_PROBE_NOTHING, /* it ended before it knew */
	KIT_PROBE_NO_PLUGIN,
	KIT_PROBE_NO_DEVICE,
	KIT_PROBE_READY
};

struct kit {
	const char *file;     /* the path of the plugin */
	const char *selector; /* which device; NULL: the first */
	double limit;         /* seconds that the check may take */
	bool behind;          /* the layer "check" is around the plugin */
	bool once;            /* no check runs a second time behind the layer */
	unsigned threads_before, files_before; /* before the file was loaded */

	const dprp_plugin *plugin;
	struct kit_host host;
	dprp_host table;
	dprp_instance *instance;
	uint32_t n_devices;
	dprp_device *device; /* a root device */
	dprp_context *context;
	dprp_queue *queue;  /* in order, with times if they are supported */
	uint64_t got_flags; /* those of the queue */
	bool loses;         /* the check asks that the device be lost */

	dprp_module *module; /* of samples.h, once it was asked for */
	const char *format;
	const char *leaks; /* the rule that left-over blocks break; NULL: the
			      rule of close */
	_Atomic uint64_t no_path; /* submissions made without their deps */
	/* What the thread of the check waits for, without a limit; or NULL. */
	dprp_event *waiting;
	struct note_copies *copies; /* of the report */
};

enum {                   /* kit_check.flags */
       KIT_CLOSED = 1,   /* the check opens the plugin itself */
       KIT_NO_DEVICE = 2 /* it needs no device */
};

struct kit_check {
	const char *name;
	void (*run)(struct kit *kit);
	unsigned flags;
};

struct kit_group {
	const char *name, *about;
	const struct kit_check *checks;
	size_t n_checks;
};

/* Load the file and get its descriptor.  Returns NULL, or why it is no
   plugin. */
const char *kit_load(struct kit *kit);
/* Open the plugin and choose the device, up to a queue.  Ends the check if that
   fails. */
void kit_open(struct kit *kit);
/* Only open the plugin.  Returns what open() does. */
dprp_rc kit_start(struct kit *kit);
/* Destroy and close what is open, and check that nothing is left. */
void kit_close(struct kit *kit);
/* Whether the plugin knows a newer version of the interface, and so members
   that are only bytes to this tool. */
bool kit_is_newer(const struct kit *kit);
/* Find out what the file is; for the first child. */
void kit_probe(struct kit *kit, struct note_report *report);

/* The number of threads, and of open files, of this process. */
unsigned kit_threads(void);
unsigned kit_files(void);
/* Wait until there are at most @most threads, for some seconds.  Returns how
   many there are. */
unsigned kit_threads_end(unsigned most);

void kit_sleep_ms(long ms);

/* A number of a device; @otherwise if it has none. */
uint64_t kit_u64(struct kit *kit, dprp_device *device, uint32_t key,
		 uint64_t otherwise);
/* Make another queue on the device. */
dprp_queue *kit_queue(struct kit *kit, uint64_t flags, uint64_t *got);

/* For printf. */
#define ULL(number) ((unsigned long long)(number))
#define KIT_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
