/* SPDX-License-Identifier: Apache-2.0 */
/* handles_table.h - what the layer "handles" knows of each handle that the
   program has got. */
#ifndef BASE_HANDLES_TABLE_H
#define BASE_HANDLES_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/handles/handle.h"

/* A call of the program. */
struct handles_call {
	const char *name; /* NULL: there was no call */
	const void *from; /* the address to which the call returns */
};

struct handles_record {
	struct handles_record *next; /* in the table */
	const void *object;
	enum handle_kind kind;
	unsigned refs;  /* the program's references */
	bool lent;      /* usable without a reference, while the object lives */
	bool lasting;   /* usable until the layer ends */
	bool logged;    /* reported as never released */
	bool made_lent; /* `made` lent the object */
	struct handles_call made, released;
	/* For objects that are gone: their memory is kept until give(). */
	void (*give)(void *object);
	struct handles_record *next_gone;
};

/* Hold the lock of the table, which the functions below need.  No other lock is
   taken meanwhile, except before fork(). */
void handles_table_lock(void);
void handles_table_unlock(void);

/* The record of @object, or NULL. */
struct handles_record *handles_table_find(const void *object);

/* The record of @object, which is made if there is none.  NULL: no
   memory; from now on the table lacks handles. */
struct handles_record *handles_table_add(const void *object,
					 enum handle_kind kind);

/* Whether some handles have no record.  Needs no lock. */
bool handles_table_lacks(void);

/* Free a record. */
void handles_table_remove(struct handles_record *record);

/* The record after @record, in no order; the first for NULL. */
struct handles_record *handles_table_next(const struct handles_record *record);

/* Keep the memory of @record's object, which is gone.  Returns NULL, or the
   record whose memory has been kept longest, if there are too many.  The caller
   gives the memory back, and removes the record. */
struct handles_record *handles_table_keep(struct handles_record *record,
					  void (*give)(void *object));

#endif
