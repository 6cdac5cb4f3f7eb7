/* SPDX-License-Identifier: Apache-2.0 */
/* device_select.h - selecting devices of mock backends, for tests. */
#ifndef TESTS_DEVICE_SELECT_H
#define TESTS_DEVICE_SELECT_H

#include "tests/plugins/mock_control.h"
#include "tests/support/loader_files.h"

#undef fail /* a macro of Check, and a member of struct mock_control */

/* Have only these plugin files loaded.  The list ends with NULL. */
static inline void use_plugins(const char *const *names)
{
	char *list = strdup(""), *longer, *path;

	unsetenv("DPR_PLUGIN_PATH");
	unsetenv("DPR_BACKEND");
	unsetenv("DPR_DEVICE");
	for (; *names; names++) {
		path = files_plugin(*names);
		ck_assert_int_ge(asprintf(&longer, "%s%s%s", list,
					  *list ? ":" : "", path),
				 0);
		free(path);
		free(list);
		list = longer;
	}
	setenv("DPR_PLUGINS", list, 1);
	free(list);
}

static inline void use_mock(void)
{
	const char *const names[] = { "libdpr-mock.so", NULL };

	use_plugins(names);
}

static inline void use_two(void)
{
	const char *const names[] = { "libdpr-mock.so", "libdpr-mock2.so",
				      NULL };

	use_plugins(names);
}

static inline dpr_device *select_ok(const char *selector)
{
	dpr_device *device = NULL;

	ck_assert_msg(!dpr_device_select(selector, &device), "%s",
		      dpr_last_error());
	ck_assert_ptr_nonnull(device);
	return device;
}

/* Assert that @selector enumerates the devices with the selectors in @wanted,
   which are separated by blanks. */
static inline void assert_list(const char *selector, const char *wanted)
{
	dpr_device *devices[32];
	char got[4096] = "";
	size_t n, i;

	ck_assert_msg(!dpr_device_enumerate(selector, devices, 32, &n), "%s",
		      dpr_last_error());
	for (i = 0; i < n; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s",
			 i ? " " : "", dpr_device_selector(devices[i]));
	ck_assert_str_eq(got, wanted);
}

#endif
