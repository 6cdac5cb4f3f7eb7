/* SPDX-License-Identifier: Apache-2.0 */
/* status.c - the names of statuses, and each thread's last error. */
#include "core/base/status.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/call_stack.h"

/*
 * The text is found through a pthread key.  Unlike a _Thread_local buffer it
 * may have any length, and is freed with its thread.  The core is linked with
 * -z nodelete, so the destructor stays loaded as long as any thread runs.
 */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool key_made;

static const char no_memory[] = "out of host memory (also for this text)";

static void make_key(void)
{
	key_made = !pthread_key_create(&key, free);
}

static void set_text(char *text)
{
	pthread_once(&once, make_key);
	if (!key_made) {
		free(text);
		return;
	}
	free(pthread_getspecific(key));
	if (pthread_setspecific(key, text))
		free(text);
}

const char *dpr_last_error(void)
{
	char *text;

	pthread_once(&once, make_key);
	if (!key_made)
		return no_memory;
	text = pthread_getspecific(key);
	return text ? text : "";
}

static void record(const char *format, va_list args)
	__attribute__((format(printf, 1, 0)));
static void record(const char *format, va_list args)
{
	char *text;

	set_text(vasprintf(&text, format, args) < 0 ? strdup(no_memory) : text);
}

void status_fail(dpr_status status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	record(format, args);
	va_end(args);
	call_stack_failed(status);
}

void status_record(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	record(format, args);
	va_end(args);
	call_stack_failed(DPR_OK);
}

void status_prefix(const char *format, ...)
{
	char *what, *text;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&what, format, args);
	va_end(args);
	if (n < 0)
		return;
	n = asprintf(&text, "%s: %s", what, dpr_last_error());
	free(what);
	if (n >= 0)
		set_text(text);
}

void status_rename(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	const char *text = dpr_last_error();
	const size_t n = strspn(text, letters);
	char *renamed;

	/* The text names this function already, as in
	   "var(x, axis=0) on host:cpu:0". */
	if (!strncmp(text, name, strlen(name)) &&
	    !strspn(text + strlen(name), letters))
		return;
	if (!strncmp(text + n, ": ", 2))
		text += n + 2;
	if (asprintf(&renamed, "%s: %s", name, text) >= 0)
		set_text(renamed);
}

char *status_keep(void)
{
	char *text;

	pthread_once(&once, make_key);
	text = key_made ? pthread_getspecific(key) : NULL;
	call_stack_keep();
	if (text && pthread_setspecific(key, NULL))
		return NULL;
	return text;
}

void status_restore(char *text)
{
	call_stack_restore();
	set_text(text);
}

void status_replace(char *text, dpr_status status)
{
	call_stack_restore();
	free(text);
	call_stack_failed(status);
}

void status_append(const char *more)
{
	char *text;

	if (asprintf(&text, "%s%s", dpr_last_error(), more) >= 0)
		set_text(text);
}

const char *dpr_status_name(dpr_status status)
{
	switch (status) {
#define DPR__X(name, value, text) \
	case DPR_##name: return "DPR_" #name;
		DPR_STATUS_MAP(DPR__X)
#undef DPR__X
	case DPR_STATUS_FORCE_INT: break;
	}
	return "unknown status";
}

bool status_is_error(dpr_status status)
{
	switch (status) {
#define DPR__X(name, value, text) case DPR_##name:
		DPR_STATUS_MAP(DPR__X)
#undef DPR__X
		return status != DPR_OK;
	case DPR_STATUS_FORCE_INT: break;
	}
	return false;
}

const char *dpr_status_text(dpr_status status)
{
	switch (status) {
#define DPR__X(name, value, text) \
	case DPR_##name: return text;
		DPR_STATUS_MAP(DPR__X)
#undef DPR__X
	case DPR_STATUS_FORCE_INT: break;
	}
	return "unknown status";
}
