/* SPDX-License-Identifier: Apache-2.0 */
/* quiet.c - writing without the signals that end a process. */
#include "core/base/quiet.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

static const int signals[] = { SIGXFSZ, SIGPIPE };

void quiet_begin(struct quiet *quiet)
{
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&set, signals[i]);
	sigemptyset(&quiet->pending);
	(void)sigpending(&quiet->pending);
	(void)pthread_sigmask(SIG_BLOCK, &set, &quiet->mask);
}

void quiet_end(const struct quiet *quiet)
{
	static const struct timespec at_once;
	const int error = errno;
	sigset_t pending, one;
	size_t i;

	sigemptyset(&pending);
	(void)sigpending(&pending);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		if (!sigismember(&pending, signals[i]) ||
		    sigismember(&quiet->pending, signals[i]))
			continue;
		sigemptyset(&one);
		sigaddset(&one, signals[i]);
		(void)sigtimedwait(&one, NULL, &at_once);
	}
	(void)pthread_sigmask(SIG_SETMASK, &quiet->mask, NULL);
	errno = error;
}
