/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leaks.h - what a leak checker is told by a program that forks.  For one file
 * of it.
 */
#ifndef LEAKS_H
#define LEAKS_H

/* To be set in the child of a fork, for good: it has none of its parent's
   threads, so what only they held a pointer to would seem lost. */
static int leaks_not_judged;

/* The checker asks this when the process ends. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return leaks_not_judged;
}

#endif
