/* SPDX-License-Identifier: Apache-2.0 */
/* mock_control.h - how a test gets the control table of a mock plugin. */
#ifndef TESTS_MOCK_CONTROL_H
#define TESTS_MOCK_CONTROL_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/plugins/mock.h"

/*
 * Get the control table of backend @name ("mock", "mock2", "mock_bare"), whose
 * file must be in DPR_TEST_PLUGIN_DIR.  Returns NULL after a failure.  If @path
 * is not NULL, the path of the file is written into it.  The file stays loaded;
 * the core opens the same file, and so uses the same table.
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
