/* SPDX-License-Identifier: Apache-2.0 */
/*
 * env.h - the only code that reads the environment.  It reads it once.
 *
 * In a setuid program all variables count as not set.  An empty value counts as
 * not set, too.
 */
#ifndef BASE_ENV_H
#define BASE_ENV_H

#include <stdbool.h>
#include <stdint.h>

#include <dpr/status.h>

/* X(name without DPR_, effect).  A variable is listed here only if some code
   reads it. */
#define ENV_MAP(X)                                                                  \
	X(BACKEND,                                                                  \
	  "backends to use, in this order (\"opencl,host\"); ^name leaves one out") \
	X(DEVICE,                                                                   \
	  "selector of the default device, for instance \"opencl:gpu:0\"")          \
	X(PLUGIN_PATH,                                                              \
	  "absolute directories, separated by ':', searched first for plugins")     \
	X(PLUGINS,                                                                  \
	  "absolute plugin files, separated by ':', used instead of any search")    \
	X(LOG,                                                                      \
	  "level[:file]: error, warn, info, debug or trace; file is absolute")      \
	X(LAYERS,                                                                   \
	  "sync: wait for each submission, so that the call that submits it "       \
	  "returns its error, except in event callbacks; "                          \
	  "trace: write all calls and work to the file of DPR_TRACE; "              \
	  "check: log where a plugin breaks its contract; "                         \
	  "handles: log wrong uses of handles, and what was never released; "       \
	  "fault: let calls of plugins fail, by DPR_FAULT")                         \
	X(TRACE,                                                                    \
	  "absolute file for the layer trace, which needs it; %p is the process's " \
	  "number")                                                                 \
	X(CHECK_SECONDS,                                                            \
	  "when the layer check reports what does not move (default: 10; 0: "       \
	  "never)")                                                                 \
	X(FAULT,                                                                    \
	  "calls that the layer fault lets fail: \"mem.alloc:3,queue.write:1+\"")   \
	X(POOL_LIMIT,                                                               \
	  "what all memory pools of a device may hold together: \"4G\", \"512M\", " \
	  "\"80%\"; more is DPR_ERROR_OUT_OF_DEVICE_MEMORY")                        \
	X(CACHE_DIR, "absolute directory for built programs, or off")               \
	X(CACHE_LIMIT,                                                              \
	  "bytes that the cache may take, with K, M, G or T (default: 256M)")

/* The prefix of the variables that are options of plugins. */
#define ENV_OPTION "DPR_OPTION_"

/*
 * Read the environment, unless it was read before.
 * DPR_ERROR_OUT_OF_MEMORY: nothing was read.
 */
dpr_status env_start(void);

/* The value of a variable of the table ("DPR_LOG") or of an option.  NULL: it
   is not set or empty.  The value stays valid for ever.  Only call this after
   env_start(). */
const char *env_get(const char *name);

/* The first value of HOME or XDG_CACHE_HOME.  NULL: it is not set or empty.
   The value stays valid for ever.  Only call this after env_start(). */
const char *env_home(void);
const char *env_cache_home(void);

/* The value of the variable DPR_OPTION_<PLUGIN>_<KEY>, or NULL.  The whole name
   of the variable is in capital letters. */
const char *env_option(const char *plugin, const char *key);

/*
 * Read @text as a number of bytes: digits, optionally followed by a unit of
 * 1024: K, M, G or T (k, m, g, t), also as KB or KiB.  Returns false, with @out
 * undefined, if @text is not such a number or the number is too large.
 */
bool env_bytes(const char *text, uint64_t *out);

/*
 * Find the first option of @plugin after the variable @after (NULL: from the
 * start).  Returns the variable's name, which stays valid for ever, or NULL.
 * Skips options that are not set.  *@key is the part of the name after the
 * plugin's name.
 */
const char *env_option_next(const char *plugin, const char *after,
			    const char **key);

/* Whether this program runs with more rights than the user who started it. */
bool env_secure(void);

/* Record for dpr_variables() why a variable's value is wrong. */
void env_note(const char *name, const char *text);

/* Record for dpr_variables() that the plugin has no such option. */
void env_note_unknown(const char *name, const char *text);

/*
 * Refuse the value of a variable that is set.  The formatted text is noted for
 * dpr_variables(), and is recorded as this thread's last error after
 * `NAME="value": `.  Returns DPR_ERROR_ENVIRONMENT, or DPR_ERROR_OUT_OF_MEMORY.
 */
dpr_status env_refuse(const char *name, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Hold the lock of the environment during fork(). */
void env_lock(void);
void env_unlock(void);

/* For tests only.  env_test_secure() sets the value of env_secure().
   env_test_again() drops everything, so that env_start() reads the environment
   again. */
void env_test_secure(bool secure);
void env_test_again(void);

#endif
