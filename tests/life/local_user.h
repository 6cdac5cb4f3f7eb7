/* SPDX-License-Identifier: Apache-2.0 */
/* local_user.h - the functions that tests/life/local_user.c offers. */
#ifndef TESTS_LOCAL_USER_H
#define TESTS_LOCAL_USER_H

#define LOCAL_USER_SYMBOL "local_user"

struct local_user {
	/* Return the device, or its canonical queue; NULL if that failed. */
	void *(*device)(const char *selector);
	void *(*queue)(const char *selector);
	/* Make an array of 0 to 999 and keep it until drop(); NULL if that
	   failed. */
	void *(*make)(const char *selector);
	/* Add 1 to each element.  Returns their sum, or a negative number if
	   that failed. */
	long (*sum)(void *array);
	void (*drop)(void);
	int (*finalize)(void);
	const char *(*error)(void);
};

#endif
