/* SPDX-License-Identifier: Apache-2.0 */
/* cxx_test.h - what the tests of dpr.hpp share. */
#ifndef TESTS_CXX_TEST_H
#define TESTS_CXX_TEST_H

#include <dpr/dpr.hpp>

#include "tests/support/devices.h"

/* The call must throw dpr::error with @expected. */
#define CHECK_THROWS(expected, ...)                                    \
	do {                                                           \
		dpr_status thrown_ = DPR_OK;                           \
		try {                                                  \
			__VA_ARGS__;                                   \
		} catch (const dpr::error &e_) {                       \
			thrown_ = e_.status();                         \
		}                                                      \
		ck_assert_msg(thrown_ == (expected), "%s: %s, not %s", \
			      #__VA_ARGS__, dpr_status_name(thrown_),  \
			      dpr_status_name(expected));              \
	} while (0)

/* The canonical queue of the device that is tested. */
static inline dpr::queue the_queue()
{
	return dpr::queue::share(test_queue);
}

/* Whether @x has the elements @expected, of its own type, in C order. */
template <class T>
static inline bool has(const dpr::array &x, const std::vector<T> &expected)
{
	return x.to_vector<T>() == expected;
}

/* Run @suite on the devices of DPR_TEST_DEVICES; then nothing may be left. */
static inline int run_cxx(Suite *(*suite)(const char *name))
{
	const char *devices = getenv("DPR_TEST_DEVICES");
	const int result =
		run_on_selected(suite, devices ? devices : "host,opencl");

	if (dpr_finalize()) {
		printf("%s\n", dpr_last_error());
		return EXIT_FAILURE;
	}
	return result;
}

#endif
