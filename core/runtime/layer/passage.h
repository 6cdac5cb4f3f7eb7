/* SPDX-License-Identifier: Apache-2.0 */
/* passage.h - a call of an entry on its way from the core to the plugin. */
#ifndef RUNTIME_PASSAGE_H
#define RUNTIME_PASSAGE_H

#include "core/runtime/layer/entries.h"
#include "core/runtime/layer/finding.h"
#include "core/runtime/layer/tag.h"

/* What took a thread's time, in nanoseconds but for the waits. */
struct passage_time {
	uint64_t wall, processor;
	long waits;
};

struct passage {
	struct layer *layer;
	enum entry entry;
	struct passage_thread *thread; /* NULL: memory is short */
	bool has_deps; /* the call is a submission with dependencies */
	/* the time that a prompt call may take, in nanoseconds */
	uint64_t allowed;
	struct passage_time start;
};

/*
 * Begin a call, and count it.  DPR_FAULT may let the call fail.  Returns
 * DPR_RC_OK, or a code to answer without a call of the plugin; then the passage
 * has ended.
 */
dprp_rc passage_open(struct passage *p, struct layer *layer, enum entry entry);

/* The same with the handle @shown, the entry's first, which tells the layer.
   *@real is the plugin's.  If the handle does not exist any more, which is the
   core's fault, the code is DPR_RC_ABI. */
dprp_rc passage_begin(struct passage *p, enum entry entry, enum tag_kind kind,
		      const void *shown, void **real);

/* What an entry needs that makes an object of a context. */
struct passage_maker {
	void *context, *device; /* the plugin's handles */
	struct tag *tag;        /* the tag of the new object */
};

/* passage_begin() for such an entry, whose object is a @kind.  Also
   DPR_RC_OOM_HOST. */
dprp_rc passage_begin_making(struct passage *p, enum entry entry,
			     enum tag_kind kind, const dprp_context *context,
			     const dprp_device *device,
			     struct passage_maker *maker);

/* Find the plugin's handle for a further argument.  NULL: as above, and the
   caller ends the passage with passage_cancel(). */
void *passage_real(const struct passage *p, enum tag_kind kind,
		   const void *shown);

/* End a call in which the plugin was not called.  Returns @rc. */
dprp_rc passage_cancel(struct passage *p, dprp_rc rc);

/* End a call: check @rc, and the time of the call.  Returns @rc.  @rule: the
   rule that forbids the call to wait; NULL: it may wait. */
dprp_rc passage_end_by(struct passage *p, dprp_rc rc, const char *rule);

static inline dprp_rc passage_end(struct passage *p, dprp_rc rc)
{
	return passage_end_by(p, rc, entries_prompt(p->entry));
}

/* A handle that the plugin gave is the core's from now on.  Takes @tag.
   Returns the handle for the core: NULL if the plugin gave none, or with @rc a
   failure. */
void *passage_made(struct passage *p, dprp_rc rc, struct tag *tag, void *real);

/* Values that no plugin gives, for outputs before a call. */
extern char passage_unset[];
#define PASSAGE_UNSET ((void *)passage_unset)
#define PASSAGE_NUMBER UINT32_C(0xa5a5a5a5)
#define PASSAGE_LONG ((uint64_t)PASSAGE_NUMBER << 32 | PASSAGE_NUMBER)

/* Report that the plugin, or the core, broke a rule in this call. */
#define passage_bad(p, rule, may, ...)                                 \
	finding_post((p)->layer, (p)->entry, DPR_LOG_ERROR, rule, may, \
		     __VA_ARGS__)

/* Between these two, what the plugin tells host->set_error() in this thread
   does not reach the core: a call that the layer makes by itself. */
void passage_probe(void);
void passage_probed(void);

/* For host->set_error(): note an error.  Returns false if the core must not get
   it. */
bool passage_error(dprp_rc rc, const char *text);

/* For host->alloc(): note that it returns NULL to this thread. */
void passage_starve(void);

/* Whether this thread has called an entry: then it is not the plugin's. */
bool passage_known(void);

/* Call @visit with each entry that has not returned, and the time of its call.
   If @visit returns true, it has reported the call, and the call is left out
   from then on.  A lock is held meanwhile, so no plugin may be called. */
void passage_each(bool (*visit)(void *user, struct layer *layer,
				enum entry entry, uint64_t since),
		  void *user);

/* For fork(): hold the lock of the threads across it. */
void passage_lock(void);
void passage_unlock(void);

#endif
