/* SPDX-License-Identifier: Apache-2.0 */
/* handles.c - the layer "handles": its rules, and what it logs. */
#include "core/base/handles/handles.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/handles/handles_table.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"

static const char *const kinds[HANDLE_KINDS] = {
	[HANDLE_DEVICE] = "dpr_device",   [HANDLE_QUEUE] = "dpr_queue",
	[HANDLE_EVENT] = "dpr_event",     [HANDLE_USM] = "dpr_usm",
	[HANDLE_PROGRAM] = "dpr_program", [HANDLE_KERNEL] = "dpr_kernel",
	[HANDLE_ARRAY] = "dpr_array",     [HANDLE_EXPRESSION] = "dpr_expression"
};

/* The handles that the program got, and the faults that were found. */
static atomic_ullong n_made, n_faults;
/* Whether this process is the child of the one that turned the layer on. */
static bool forked;

/* The state of the layer.  OFF is final. */
enum { OFF, UNKNOWN /* the environment was not read yet */, ON };
static atomic_int layer = UNKNOWN;

static int state(void)
{
	return atomic_load_explicit(&layer, memory_order_relaxed);
}

/* --- Faults ----------------------------------------------------------------
 */

/* Write where the program made a call: a file and an offset in the file, as
   addr2line takes them.  The table must not be locked, since dladdr() waits for
   a dlopen() in another thread. */
static void print_call(struct text *text, const struct handles_call *call)
{
	const char *at = call->from;
	Dl_info info;

	text_print(text, "%s()", call->name);
	/* The byte before the address is in the instruction that calls. */
	if (!at || !dladdr(--at, &info) || !info.dli_fname)
		return;
	text_print(text, " at %s+0x%llx", basename(info.dli_fname),
		   (unsigned long long)(at - (const char *)info.dli_fbase));
}

static void print_maker(struct text *text, const struct handles_record *record)
{
	if (!record->made.name)
		return;
	text_print(text, "; ");
	print_call(text, &record->made);
	text_print(text, record->made_lent ? " lent it" : " made it");
}

/* Log the text, record it for the thread, and return the status. */
static dpr_status report(struct text *text)
{
	dpr_status status;

	atomic_fetch_add(&n_faults, 1);
	log_post(DPR_LOG_ERROR, "handles: %s", text_get(text));
	status = fail(DPR_ERROR_INVALID_ARGUMENT, "%s", text_get(text));
	text_fini(text);
	log_flush();
	return status;
}

/* Whether the program may use the object. */
static bool is_usable(const struct handles_record *record)
{
	return record->refs || record->lasting ||
	       (record->lent && !record->give);
}

/* Copy the record of @object.  False: there is none. */
static bool look_up(const void *object, struct handles_record *copy)
{
	const struct handles_record *record;

	handles_table_lock();
	record = handles_table_find(object);
	if (record)
		*copy = *record;
	handles_table_unlock();
	return record != NULL;
}

/* Check that the program may use @object, for @call, as a @kind.  Nothing is
   known before the environment was read. */
static dpr_status check_use(const struct handles_call *call,
			    enum handle_kind kind, const void *object)
{
	struct handles_record record;
	struct text text = { 0 };
	bool is_known;

	if (!object || state() != ON)
		return DPR_OK;
	is_known = look_up(object, &record);
	if (is_known ? record.kind == kind && is_usable(&record)
		     : handles_table_lacks())
		return DPR_OK;
	print_call(&text, call);
	if (!is_known) {
		text_print(&text, " takes a %s, but got %p, which is no handle",
			   kinds[kind], object);
	} else if (record.kind != kind) {
		text_print(&text, " takes a %s, but got a %s", kinds[kind],
			   kinds[record.kind]);
		print_maker(&text, &record);
	} else {
		text_print(&text, " got a %s that ", kinds[kind]);
		if (record.released.name) {
			print_call(&text, &record.released);
			text_print(&text, " has released");
		} else {
			text_print(&text, "no longer exists");
		}
		print_maker(&text, &record);
	}
	return report(&text);
}

/* Check that the program has a reference of @object to release. */
static dpr_status check_release(const struct handles_call *call,
				enum handle_kind kind, const void *object)
{
	struct handles_record record;
	struct text text = { 0 };

	if (!look_up(object, &record) || record.kind != kind || record.refs ||
	    record.lasting)
		return check_use(call, kind, object);
	if (state() != ON)
		return DPR_OK;
	print_call(&text, call);
	text_print(&text, " releases a %s ", kinds[kind]);
	if (record.released.name) {
		text_print(&text, "again: ");
		print_call(&text, &record.released);
		text_print(&text, " released the last reference");
	} else {
		text_print(&text, "without a reference; retain it first");
	}
	print_maker(&text, &record);
	return report(&text);
}

/* --- What the program has got ---------------------------------------------
 */

/* Note that the program got @object by @call, with a reference or lent. */
static void note_made(const struct handles_call *call, enum handle_kind kind,
		      const void *object, bool lent)
{
	struct handles_record *record;

	handles_table_lock();
	record = state() ? handles_table_add(object, kind) : NULL;
	if (record && !record->lasting) {
		atomic_fetch_add_explicit(&n_made, 1, memory_order_relaxed);
		if (!record->refs && !(lent && record->lent)) {
			record->made = *call;
			record->made_lent = lent;
		}
		if (lent)
			record->lent = true;
		else
			record->refs++;
	}
	handles_table_unlock();
}

static void leave_call(struct call *call)
{
	const struct handles_call by = { call->name, call->from };
	size_t i, k;

	for (k = 0; k < call->n_made; k++) {
		const struct handle *made = &call->made[k];
		void *const *list = made->at;

		for (i = 0; i < made->n; i++)
			if (list[i])
				note_made(&by, made->kind, list[i],
					  made->form == HANDLE_LENT_OUT);
	}
}

static dpr_status check_operand(const struct handles_call *by,
				const dpr_operand *x)
{
	return x->kind == DPR_OPERAND_ARRAY
		       ? check_use(by, HANDLE_ARRAY, x->as.array)
		       : DPR_OK;
}

/* Check element @i of @handle. */
static dpr_status check_one(const struct handles_call *by,
			    const struct handle *handle, size_t i)
{
	const void *const *list = handle->at;
	const dpr_operand *x = handle->at;
	const dpr_binding *binding = handle->at;
	const dpr_arg *arg = handle->at;

	switch (handle->form) {
	case HANDLE_NOTHING:
	case HANDLE_OUT:
	case HANDLE_LENT_OUT: return DPR_OK;
	case HANDLE_ONE: return check_use(by, handle->kind, handle->at);
	case HANDLE_LIST: return check_use(by, handle->kind, list[i]);
	case HANDLE_BINDINGS: return check_operand(by, &binding[i].value);
	case HANDLE_OPERANDS: return check_operand(by, &x[i]);
	case HANDLE_ARGS:
		if (arg[i].kind == DPR_ARG_USM)
			return check_use(by, HANDLE_USM, arg[i].as.at.usm);
		if (arg[i].kind == DPR_ARG_ARRAY ||
		    arg[i].kind == DPR_ARG_STRIDED ||
		    arg[i].kind == DPR_ARG_BASE)
			return check_use(by, HANDLE_ARRAY, arg[i].as.array);
		return DPR_OK;
	}
	return DPR_OK;
}

dpr_status handles_enter(struct call *call, const struct handle *all, size_t n,
			 const void *from)
{
	const struct handles_call by = { call->name, from };
	dpr_status status = DPR_OK;
	size_t i, k;

	if (state() == OFF || call_stack_depth() != 1)
		return DPR_OK;
	call->from = from;
	call->n_made = 0;
	for (i = 0; i < n; i++) {
		if (!all[i].at ||
		    (all[i].form != HANDLE_OUT &&
		     all[i].form != HANDLE_LENT_OUT) ||
		    call->n_made == sizeof(call->made) / sizeof(*call->made))
			continue;
		call->made[call->n_made++] = all[i];
		call->leave = leave_call;
		memset((void *)all[i].at, 0, all[i].n * sizeof(void *));
	}
	for (i = 0; !status && i < n; i++)
		for (k = 0; !status && all[i].at && k < all[i].n; k++)
			status = check_one(&by, &all[i], k);
	return status;
}

void *handles_get(enum handle_kind kind, const void *object, const char *name,
		  const void *from)
{
	const struct handles_call call = { name, from };

	if (!call_stack_depth() && check_use(&call, kind, object))
		return NULL;
	return (void *)object;
}

void handles_lend(enum handle_kind kind, const void *object, const char *name,
		  const void *from)
{
	const struct handles_call call = { name, from };

	if (object && !call_stack_depth())
		note_made(&call, kind, object, true);
}

void handles_made(enum handle_kind kind, const void *object, const char *name,
		  const void *from)
{
	const struct handles_call call = { name, from };

	if (object && !call_stack_depth())
		note_made(&call, kind, object, false);
}

void *handles_retain(enum handle_kind kind, const void *object,
		     const char *name, const void *from)
{
	const struct handles_call call = { name, from };

	if (!object || call_stack_depth())
		return (void *)object;
	if (check_use(&call, kind, object))
		return NULL;
	note_made(&call, kind, object, false);
	return (void *)object;
}

/* Take one of the program's references off. */
static void drop_reference(const void *object, const struct handles_call *call)
{
	struct handles_record *record;

	handles_table_lock();
	record = handles_table_find(object);
	if (record && record->refs && !--record->refs) {
		record->released = *call;
		if (state() != ON)
			handles_table_remove(record);
	}
	handles_table_unlock();
}

void *handles_release(enum handle_kind kind, const void *object,
		      const char *name, const void *from)
{
	const struct handles_call call = { name, from };

	if (!object || check_release(&call, kind, object))
		return NULL;
	drop_reference(object, &call);
	return (void *)object;
}

void *handles_keep(enum handle_kind kind, const void *object, const char *name,
		   const void *from)
{
	const struct handles_call call = { name, from };
	struct handles_record *record;

	if (!object || call_stack_depth())
		return (void *)object;
	if (check_release(&call, kind, object))
		return NULL;
	handles_table_lock();
	record = handles_table_find(object);
	if (record && record->refs) {
		record->refs--;
		record->lent = true;
	}
	handles_table_unlock();
	return (void *)object;
}

void handles_add_lasting(enum handle_kind kind, const void *object)
{
	struct handles_record *record;

	if (!handles_watch())
		return;
	handles_table_lock();
	record = handles_table_add(object, kind);
	if (record)
		record->lasting = true;
	handles_table_unlock();
}

void handles_give(const void *object)
{
	static const struct handles_call call = { "dpr_allocator.allocate",
						  NULL };

	if (handles_watch())
		drop_reference(object, &call);
}

void handles_bury(void *object, void (*give)(void *object))
{
	struct handles_record *record, *oldest = NULL;

	handles_table_lock();
	record = state() == ON ? handles_table_find(object) : NULL;
	if (record) {
		oldest = handles_table_keep(record, give);
		object = NULL;
	}
	if (oldest) {
		object = (void *)oldest->object;
		give = oldest->give;
		handles_table_remove(oldest);
	}
	handles_table_unlock();
	if (object)
		give(object);
}

/* --- Begin and end ---------------------------------------------------------
 */

/* Whether two objects that were never released are reported in one line. */
static bool is_alike(const struct handles_record *a,
		     const struct handles_record *b)
{
	return b->refs && !b->lasting && !b->logged && a->kind == b->kind &&
	       a->made.from == b->made.from && a->made.name == b->made.name;
}

/* Take all objects of one call that were never released: copy the first record,
   and count objects and references.  False: there are none. */
static bool take_alike(struct handles_record *first,
		       unsigned long long *objects, unsigned long long *refs)
{
	struct handles_record *record = NULL;

	*objects = *refs = 0;
	handles_table_lock();
	while ((record = handles_table_next(record))) {
		if (!is_alike(*objects ? first : record, record))
			continue;
		if (!(*objects)++)
			*first = *record;
		*refs += record->refs;
		record->logged = true;
	}
	handles_table_unlock();
	return *objects;
}

void handles_log_kept(void)
{
	struct handles_record first;
	unsigned long long objects, refs;

	while (state() == ON && !forked &&
	       take_alike(&first, &objects, &refs)) {
		struct text text = { 0 };

		text_print(&text, "never released: %llu of %s", objects,
			   kinds[first.kind]);
		if (refs > objects)
			text_print(&text, " with %llu references", refs);
		text_print(&text, ", made by ");
		print_call(&text, &first.made);
		log_post(DPR_LOG_WARN, "handles: %s", text_get(&text));
		text_fini(&text);
	}
}

void handles_end(void)
{
	int on = ON;

	handles_log_kept();
	if (!atomic_compare_exchange_strong(&layer, &on, OFF))
		return;
	call_stack_unwatch(CALL_STACK_HANDLES);
	if (forked)
		return;
	log_post(atomic_load(&n_faults) ? DPR_LOG_WARN : DPR_LOG_INFO,
		 "handles: %llu faults, %llu handles given to the program",
		 atomic_load(&n_faults), atomic_load(&n_made));
	log_flush();
}

void handles_start(bool on)
{
	struct handles_record *record, *next;
	int unknown = UNKNOWN;

	if (!atomic_compare_exchange_strong(&layer, &unknown, on ? ON : OFF))
		return;
	if (on)
		return;
	call_stack_unwatch(CALL_STACK_HANDLES);
	handles_table_lock();
	for (record = handles_table_next(NULL); record; record = next) {
		next = handles_table_next(record);
		handles_table_remove(record);
	}
	handles_table_unlock();
}

/* Runs when the library ends, after all functions of atexit().  So static
   objects of C++ have released their handles, however old they are. */
__attribute__((destructor)) static void end_with_library(void)
{
	if (state() == ON)
		handles_end();
}

void handles_before_fork(void)
{
	handles_table_lock();
}

void handles_after_fork(bool child)
{
	if (child)
		forked = true;
	handles_table_unlock();
}
