/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leaks.h - how a program that forks turns off the leak checker in its
 * children.  Include it in one file of the program.
 */
#ifndef LEAKS_H
#define LEAKS_H

/* Set this for good in the child of a fork: the child lacks its parent's
   threads, so memory that only they pointed to would be reported as leaked. */
static int leaks_not_judged;

/* The checker asks this when the process ends. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return leaks_not_judged;
}

#endif
