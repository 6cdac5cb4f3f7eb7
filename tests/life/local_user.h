/* SPDX-License-Identifier: Apache-2.0 */
/* local_user.h - what the libraries of tests/life/local_user.c offer. */
#ifndef TESTS_LOCAL_USER_H
#define TESTS_LOCAL_USER_H

#define LOCAL_USER_SYMBOL "local_user"

struct local_user {
	/* The device and its canonical queue; NULL: it failed. */
	void *(*device)(const char *selector);
	void *(*queue)(const char *selector);
	/* 0 to 999, kept until drop(); NULL: it failed. */
	void *(*make)(const char *selector);
	/* Adds 1 to each element, and returns their sum; negative: it failed.
	 */
	long (*sum)(void *array);
	void (*drop)(void);
	int (*finalize)(void);
	const char *(*error)(void);
};

#endif
