/* SPDX-License-Identifier: Apache-2.0 */
/* mock_control.h - a test's way to the control table of a mock plugin. */
#ifndef TESTS_MOCK_CONTROL_H
#define TESTS_MOCK_CONTROL_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/plugins/mock.h"

/*
 * The control table of backend @name ("mock", "mock2", "mock_bare"), whose file
 * is looked for in DPR_TEST_PLUGIN_DIR; NULL if it cannot be had.  The path of
 * the file is written into @path if that is not NULL.  It stays loaded, and the
 * core, which opens the same file, gets the same one.
 */
static inline const struct mock_control *mock_control_open(const char *name,
							   char *path,
							   size_t capacity)
{
	const char *dir = getenv("DPR_TEST_PLUGIN_DIR");
	dprp_entry_fn entry;
	char buffer[4096];
	void *file;

	if (!dir)
		return NULL;
	snprintf(buffer, sizeof(buffer), "%s/libdpr-%s.so", dir, name);
	if (path)
		snprintf(path, capacity, "%s", buffer);
	file = dlopen(buffer, RTLD_NOW | RTLD_LOCAL);
	if (!file)
		return NULL;
	*(void **)&entry = dlsym(file, DPRP_ENTRY_SYMBOL);
	if (!entry)
		return NULL;
	return (const struct mock_control *)entry(0)->extension(
		NULL, MOCK_CONTROL, 1);
}

#endif
