/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.c - programs that measure a single thing, in one program.
 *
 * usage: measure NAME [ARGUMENT...]
 *
 * Without arguments, lists the programs.  Each file of this folder says at its
 * top what arguments its program takes, and what the program prints.
 */
#include <stdio.h>
#include <string.h>

#include "tools/bench/programs/measure.h"

static const struct {
	const char *name, *text;
	int (*run)(int argc, char **argv);
} programs[] = {
#define ENTRY(name, text) { #name, text, name##_main },
	MEASURE_PROGRAMS(ENTRY)
#undef ENTRY
};
enum { PROGRAMS = sizeof(programs) / sizeof(programs[0]) };

int main(int argc, char **argv)
{
	int i;

	if (argc < 2) {
		printf("usage: measure NAME [ARGUMENT...]\n\n");
		for (i = 0; i < PROGRAMS; i++)
			printf("  %-18s%s\n", programs[i].name,
			       programs[i].text);
		return 0;
	}
	for (i = 0; i < PROGRAMS; i++)
		if (!strcmp(argv[1], programs[i].name))
			return programs[i].run(argc - 1, argv + 1);
	fprintf(stderr,
		"measure: %s: there is no such program; without arguments "
		"measure lists them\n",
		argv[1]);
	return 2;
}
