/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handles.h - the layer "handles": it finds handles that the program uses after
 * their release, releases twice, takes for another kind, or never releases.
 *
 * Each public function that takes or gives handles names them in one of the
 * macros below.  While the layer is off, a macro costs at most a branch that is
 * not taken.
 * Only calls of the program are watched: the library's own calls of public
 * functions, and its threads, count as inside.
 */
#ifndef BASE_HANDLES_H
#define BASE_HANDLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <dpr/status.h>

#include "core/base/call_stack.h"
#include "core/base/handles/handle.h"

/* Whether the layer is on, or not known to be off. */
static inline bool handles_watch(void)
{
#ifdef TRACE_NEVER
	return false;
#else
	return call_stack_watch(CALL_STACK_HANDLES);
#endif
}

/* Apply @m to each of one to six arguments. */
#define HANDLES__MAP1(m, a) m(a)
#define HANDLES__MAP2(m, a, ...) m(a), HANDLES__MAP1(m, __VA_ARGS__)
#define HANDLES__MAP3(m, a, ...) m(a), HANDLES__MAP2(m, __VA_ARGS__)
#define HANDLES__MAP4(m, a, ...) m(a), HANDLES__MAP3(m, __VA_ARGS__)
#define HANDLES__MAP5(m, a, ...) m(a), HANDLES__MAP4(m, __VA_ARGS__)
#define HANDLES__MAP6(m, a, ...) m(a), HANDLES__MAP5(m, __VA_ARGS__)
#define HANDLES__NTH(a, b, c, d, e, f, name, ...) name
#define HANDLES__MAP(m, ...)                                                   \
	HANDLES__NTH(__VA_ARGS__, HANDLES__MAP6, HANDLES__MAP5, HANDLES__MAP4, \
		     HANDLES__MAP3, HANDLES__MAP2, HANDLES__MAP1, )            \
	(m, __VA_ARGS__)

/* The second line of a public function that begins with TRACE_CALL: the
   arguments that are or have handles.  If one is faulty, the function returns
   DPR_ERROR_INVALID_ARGUMENT.  Compilers merge the test with the equal test
   of TRACE_CALL, so HANDLES() adds no branch. */
#ifdef TRACE_NEVER
#define HANDLES(...) (void)0
#else
#define HANDLES(...)                                                        \
	do {                                                                \
		if (trace_watched) {                                        \
			const struct handle handles_all[] = { HANDLES__MAP( \
				HANDLE, __VA_ARGS__) };                     \
			const dpr_status handles_status = handles_enter(    \
				&trace_call, handles_all,                   \
				sizeof(handles_all) / sizeof(*handles_all), \
				__builtin_return_address(0));               \
                                                                            \
			if (handles_status)                                 \
				return handles_status;                      \
		}                                                           \
	} while (0)
#endif

/* The first line of a function that answers without a status: @x becomes NULL
   if it is faulty. */
#define HANDLES_GET(x)                                                   \
	do {                                                             \
		if (handles_watch())                                     \
			(x) = handles_get(HANDLE(x).kind, (x), __func__, \
					  __builtin_return_address(0));  \
	} while (0)

/* HANDLES_GET() for a function that calls public functions.  @call: a call of
   the function itself, which then counts as inside. */
#define HANDLES_ASK(x, call)                                  \
	do {                                                  \
		if (handles_watch() && !call_stack_depth()) { \
			__typeof__(call) handles_answer;      \
			int handles_depth;                    \
                                                              \
			HANDLES_GET(x);                       \
			handles_depth = call_stack_go_in();   \
			handles_answer = (call);              \
			call_stack_go_back(handles_depth);    \
			return handles_answer;                \
		}                                             \
	} while (0)

/* HANDLES_GET() where the function lends @lent, an object of @x that is
   reference counted. */
#define HANDLES_LEND(x, lent)                                              \
	do {                                                               \
		if (handles_watch()) {                                     \
			HANDLES_GET(x);                                    \
			if (x)                                             \
				handles_lend(HANDLE(lent).kind, (lent),    \
					     __func__,                     \
					     __builtin_return_address(0)); \
		}                                                          \
	} while (0)

/* A function that answers without a status gives the program a reference to
   @x. */
#define HANDLES_MADE(x)                                             \
	do {                                                        \
		if (handles_watch())                                \
			handles_made(HANDLE(x).kind, (x), __func__, \
				     __builtin_return_address(0));  \
	} while (0)

/* The first line of a retain function. */
#define HANDLES_RETAIN(x)                                                   \
	do {                                                                \
		if (handles_watch())                                        \
			(x) = handles_retain(HANDLE(x).kind, (x), __func__, \
					     __builtin_return_address(0));  \
	} while (0)

/* The first line of a function that keeps the program's reference of @x until the
   process ends. */
#define HANDLES_KEEP(x)                                                   \
	do {                                                              \
		if (handles_watch())                                      \
			(x) = handles_keep(HANDLE(x).kind, (x), __func__, \
					   __builtin_return_address(0));  \
	} while (0)

/* The first line of the release function @self.  After the check, the function
   calls itself, which then counts as inside, and returns. */
#define HANDLES_RELEASE(self, x)                                             \
	do {                                                                 \
		if (handles_watch() && !call_stack_depth()) {                \
			int handles_depth;                                   \
                                                                             \
			(x) = handles_release(HANDLE(x).kind, (x), __func__, \
					      __builtin_return_address(0));  \
			handles_depth = call_stack_go_in();                  \
			self(x);                                             \
			call_stack_go_back(handles_depth);                   \
			return;                                              \
		}                                                            \
	} while (0)

dpr_status handles_enter(struct call *call, const struct handle *all, size_t n,
			 const void *from) __attribute__((cold));

/* For the macros above, out of line.  These return @object, or NULL if the
   program may not use it. */
void *handles_get(enum handle_kind kind, const void *object, const char *name,
		  const void *from) __attribute__((cold));
void *handles_retain(enum handle_kind kind, const void *object,
		     const char *name, const void *from) __attribute__((cold));
void *handles_release(enum handle_kind kind, const void *object,
		      const char *name, const void *from) __attribute__((cold));
void *handles_keep(enum handle_kind kind, const void *object, const char *name,
		   const void *from) __attribute__((cold));
void handles_lend(enum handle_kind kind, const void *object, const char *name,
		  const void *from) __attribute__((cold));
void handles_made(enum handle_kind kind, const void *object, const char *name,
		  const void *from) __attribute__((cold));

/* Remember an object that lives until dpr_finalize(), and that the program gets
   without a reference. */
void handles_add_lasting(enum handle_kind kind, const void *object);

/* The program has given its reference of an object to the library, by a
   callback. */
void handles_give(const void *object);

/* Free an object with @give(@object).  While the layer is on, memory of handles
   is kept, so that no new handle gets the same address: @give is called once
   there are many. */
void handles_bury(void *object, void (*give)(void *object));

static inline void handles_free(void *object, void (*give)(void *object))
{
	if (handles_watch())
		handles_bury(object, give);
	else
		give(object);
}

/* Hold the lock of the layer during fork().  A child reports nothing at its
   end, since the handles are the parent's. */
void handles_before_fork(void);
void handles_after_fork(bool child);

/* Turn the layer on, or off, once the environment was read. */
void handles_start(bool on);

/* Log each handle that the program has not released, unless it was logged
   before. */
void handles_log_kept(void);

/* Do the same as handles_log_kept(), and turn the layer off.  Called at the end
   of dpr_finalize(), and at the end of the process. */
void handles_end(void);

#endif
