/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tag.h - the handles that the core gets instead of a plugin's handles, while a
 * layer is around the plugin.
 *
 * Such a handle is a number that no other handle of the process ever has.  So
 * the number identifies the plugin.  A new object of the plugin in the same
 * place is never taken for a destroyed object.  Blocks that a plugin got from
 * host->alloc are kept here too, by their address.
 */
#ifndef RUNTIME_TAG_H
#define RUNTIME_TAG_H

#include "core/runtime/layer/entries.h"
#include "core/runtime/layer/layered.h"

enum tag_kind {
	TAG_INSTANCE,
	TAG_DEVICE,
	TAG_CONTEXT,
	TAG_QUEUE,
	TAG_EVENT,
	TAG_MEM,
	TAG_MODULE,
	TAG_KERNEL,
	TAG_BLOCK,
	TAG_KINDS
};

/* What is known of an event. */
struct tag_event {
	enum entry entry; /* the entry that made the event */
	uintptr_t queue;  /* the queue; 0: native_wrap made the event */
	uint64_t nth;     /* the number of the submission in its queue */
	bool profiling;
	bool has_deps;     /* some were given */
	bool out_of_order; /* the queue's work has no order of its own */
	bool empty;        /* the work moves no bytes or has no work-item */
	bool must_fail;    /* a dependency has failed, so the event must fail */
	bool failed;       /* the event failed, so its dependents must fail */
	uint32_t state;    /* the greatest state that was seen; 0: none */
	uint64_t made;     /* the time before the submission; 0: unknown */
	uint64_t since;    /* the time when `state` was seen first */
	bool asked;        /* notify was called with this token */
	uint64_t token;
	bool told;       /* event_done() was called */
	bool stuck;      /* a lack of progress was reported */
	uintptr_t *deps; /* kept until the event is over */
	uint32_t n_deps;
};

struct tag_queue {
	uintptr_t device;
	uint64_t flags;     /* the flags that were granted */
	uint64_t submitted; /* the number of submissions so far */
	unsigned busy;      /* the number of running entries that submit */
	unsigned finishing; /* the number of running calls of finish */
	/* the number of submissions when finish failed last, plus 1 */
	uint64_t failed_at;
};

struct tag_mem {
	uintptr_t device;
	uint32_t kind; /* DPRP_MEM_*; 0: unknown */
	uint64_t size;
	uint64_t align;    /* the requested alignment; 0: for any element */
	uintptr_t address; /* 0: unknown */
};

struct tag_device {
	uintptr_t root; /* the root of a sub-device; else 0 */
	bool lost;
	/* the device's clock and the host's when first read */
	uint64_t device_ns, host_ns;
};

/* A handle.  All of it is guarded by the lock of tag_get(). */
struct tag {
	struct tag *next, *next_real; /* the next tags in the same buckets */
	uintptr_t number;
	enum tag_kind kind;
	struct layer *layer;
	void *real;       /* the plugin's handle */
	uintptr_t parent; /* the object that must outlive this object, or 0 */
	unsigned pins;
	union {
		struct tag_event event;
		struct tag_queue queue;
		struct tag_mem mem;
		struct tag_device device;
		size_t block; /* the size of the block */
	} u;
};

/* Make a handle that nobody can find yet.  NULL: no memory. */
struct tag *tag_new(struct layer *layer, enum tag_kind kind, uintptr_t parent);

/* Give the plugin's handle @real to @tag, and let it be found.  Returns what
   the core gets; *@twice is whether the plugin has given @real before and it
   was not destroyed since. */
void *tag_add(struct tag *tag, void *real, bool *twice);

/* Free one that was not added.  NULL does nothing. */
void tag_drop(struct tag *tag);

/* The number of a handle that the core has. */
static inline uintptr_t tag_number(const void *shown)
{
	return (uintptr_t)shown;
}

/* Find the handle, and hold the lock until tag_put(); no other lock is taken
   and no plugin called meanwhile.  NULL: it does not exist, or not any more,
   and the lock is not held. */
struct tag *tag_get(enum tag_kind kind, uintptr_t number);
void tag_put(void);

/* The number of the newest handle. */
uintptr_t tag_newest(void);

/* The plugin's handle and the layer, without the lock. *@layer may be NULL.
   NULL: as above. */
void *tag_real(enum tag_kind kind, const void *shown, struct layer **layer);

/* What the core got for the plugin's handle; NULL: nothing. */
void *tag_shown(struct layer *layer, enum tag_kind kind, const void *real);

/* Let the handle be found no more, once nobody has it pinned, and free it.
   Returns the plugin's handle; NULL: there is none. */
void *tag_remove(enum tag_kind kind, uintptr_t number);

/* The same for a block; *@size is its size.  False: there is none. */
bool tag_remove_block(struct layer *layer, const void *block, size_t *size);

/* Keep the handle from being removed, which must be for a short time.  Returns
   the plugin's handle; NULL: there is none. */
void *tag_pin(enum tag_kind kind, uintptr_t number);
void tag_unpin(enum tag_kind kind, uintptr_t number);

/* Remove all of @layer that are of @kind; TAG_KINDS: of every kind. */
void tag_remove_all(const struct layer *layer, enum tag_kind kind);

/* Call @visit with each handle of @kind, under the lock. */
void tag_each(enum tag_kind kind, void (*visit)(void *user, struct tag *tag),
	      void *user);

/* The number of handles of @kind that @layer has; with @parent, below that. */
size_t tag_count(const struct layer *layer, enum tag_kind kind,
		 uintptr_t parent);

/* For fork(): hold the lock across it. */
void tag_lock(void);
void tag_unlock(void);

#endif
