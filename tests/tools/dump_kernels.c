/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump_kernels.c - write every kernel of the cases of emit_cases.h and
 * emit_stages.h, of `dpr kernels`, and of random graphs, in every format.  It
 * needs no device.
 *
 *	dump_kernels [FOLDER [CASE]]
 *
 * Each line of output is a case, the format, the size and a hash of the kernel.
 * So two trees write the same kernels if their lines are the same.  With
 * FOLDER each kernel also becomes a file there; with CASE only cases whose
 * names begin so are written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dpr/array_kernels.h>

#include "core/array/engine/native/vmcode.h"
#include "core/array/engine/ptx/emit_ptx.h"
#include "core/array/engine/spirv/emit_spirv.h"
#include "core/array/engine/text/emit_text.h"
#include "tests/engine/emit_random.h"

#define RANDOM_GRAPHS 3000
#define RANDOM_BITS 300  /* more graphs, in which steps take bits */
#define RANDOM_MOVES 300 /* more graphs, in which steps read at places */
/* SPIR-V takes a millisecond for each kernel.  So of the steps and of the
   reductions one case of these has it. */
#define EVERY_SPIRV 7

static const char *folder, *chosen = "";

static void die(const char *what)
{
	fprintf(stderr, "dump_kernels: %s\n", what);
	exit(EXIT_FAILURE);
}

static bool is_chosen(const char *name)
{
	return strncmp(name, chosen, strlen(chosen)) == 0;
}

/* --- Output ------------------------------------------------------------- */

static uint64_t hash_bytes(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; size; size--)
		hash = (hash ^ *at++) * UINT64_C(0x100000001b3);
	return hash;
}

static void write_file(const char *name, const char *format, const void *bytes,
		       size_t size)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.%s", folder, name, format);
	file = fopen(path, "wb");
	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
		die("a file cannot be written");
}

static void put(const char *name, const char *format, const void *bytes,
		size_t size)
{
	printf("%s %s %zu %016llx\n", name, format, size,
	       (unsigned long long)hash_bytes(bytes, size));
	if (folder)
		write_file(name, format, bytes, size);
}

static void put_text(const char *name, const char *format, bool made,
		     struct text *text)
{
	if (text->failed)
		die("no memory");
	if (made)
		put(name, format, text->bytes, text->size);
	else
		printf("%s %s refused\n", name, format);
	text_fini(text);
}

/* --- Kernels ------------------------------------------------------------ */

static void dump_spirv(const char *name, const struct graph *graph,
		       const struct schedule *schedule, const char *kernel)
{
	struct text text = { 0 };
	const bool made = emit_spirv_kernel(graph, schedule, kernel, &text);

	put_text(name, "spv", made, &text);
}

/* Write a kernel of GPUs.  @schedule is that of PTX. */
static void dump_gpu(const char *name, const struct graph *graph,
		     const struct schedule *schedule, bool with_spirv)
{
	const struct schedule other = emit_not_ptx(*schedule);
	struct text text = { 0 };
	char kernel[GRAPH_NAME];
	bool made;

	schedule_name(graph, schedule, kernel);
	made = emit_ptx_kernel(graph, schedule, kernel, &text);
	put_text(name, "ptx", made, &text);
	made = emit_text_kernel(graph, &other, kernel, &text);
	put_text(name, "cl", made, &text);
	if (with_spirv)
		dump_spirv(name, graph, &other, kernel);
}

static void dump_native(const char *name, const struct graph *graph,
			const struct schedule *schedule)
{
	struct text text = { 0 };
	const bool made = vmcode_program(graph, schedule, NULL, &text);

	put_text(name, "native", made, &text);
}

/* --- Cases -------------------------------------------------------------- */

/* Random numbers of a case, so that each is the same without the others. */
static struct random random_of(const char *name)
{
	return (struct random){ hash_bytes(name, strlen(name)) | 1 };
}

static void dump_steps(void)
{
	struct graph graph;
	char name[64];

	for (int i = 0; i < EMIT_STEPS * EMIT_SCHEDULES; i++) {
		struct random r;
		struct schedule schedule;

		snprintf(name, sizeof(name), "step-%04d-%d", i / EMIT_SCHEDULES,
			 i % EMIT_SCHEDULES);
		if (!is_chosen(name) || !emit_step(&graph, i / EMIT_SCHEDULES))
			continue;
		r = random_of(name);
		schedule = emit_schedule(i % EMIT_SCHEDULES, &graph);
		dump_gpu(name, &graph, &schedule, i % EVERY_SPIRV == 0);
		schedule = emit_native_schedule(&graph, &r);
		dump_native(name, &graph, &schedule);
	}
}

static void dump_reduction(const char *name, const struct graph *graph,
			   const struct schedule *schedule, struct random *r,
			   bool with_spirv)
{
	struct schedule native;

	dump_gpu(name, graph, schedule, with_spirv);
	native = emit_native_reduce(graph, schedule, r);
	dump_native(name, graph, &native);
}

static void dump_reductions(void)
{
	struct graph graph;
	struct schedule schedule;
	char name[64];

	for (int i = 0; i < 2 * EMIT_REDUCTIONS; i++) {
		struct random r;
		const bool is_random = i % 2;

		snprintf(name, sizeof(name), "reduce-%04d-%d", i / 2, i % 2);
		r = random_of(name);
		if (is_chosen(name) && emit_reduction(&graph, &schedule, i / 2,
						      is_random ? &r : NULL))
			dump_reduction(name, &graph, &schedule, &r,
				       i % EVERY_SPIRV == 0);
	}
}

static void dump_stages(void)
{
	struct graph graph;
	struct schedule schedule;
	char name[64];

	for (int i = 0; i < EMIT_STAGES; i++) {
		struct random r;

		snprintf(name, sizeof(name), "stages-%03d", i);
		if (!is_chosen(name) || !emit_stages(&graph, &schedule, i))
			continue;
		r = random_of(name);
		dump_gpu(name, &graph, &schedule, true);
		schedule = emit_native_rows(&graph, &r);
		dump_native(name, &graph, &schedule);
	}
}

/* A graph, and a schedule for it of one kind of three. */
static void dump_random(int i, const char *name)
{
	const bool bits = i >= RANDOM_GRAPHS;
	struct random r = random_of(name);
	struct graph graph;
	struct schedule schedule;

	switch (i % 3) {
	case 0:
		while (!emit_random_reduce(&graph, &schedule, &r))
			continue;
		dump_reduction(name, &graph, &schedule, &r, true);
		return;
	case 1:
		emit_random_stages(&graph, &r, bits);
		schedule = emit_random_rows(&graph, &r);
		dump_gpu(name, &graph, &schedule, true);
		schedule = emit_native_rows(&graph, &r);
		break;
	default:
		emit_random(&graph, &r,
			    i >= RANDOM_GRAPHS + RANDOM_BITS ? EMIT_MOVES_ALL
			    : bits                           ? EMIT_MOVES_BITS
							     : EMIT_NO_MOVES);
		schedule = emit_random_schedule(&graph, &r);
		dump_gpu(name, &graph, &schedule, true);
		schedule = emit_native_schedule(&graph, &r);
	}
	dump_native(name, &graph, &schedule);
}

static void dump_randoms(void)
{
	for (int i = 0; i < RANDOM_GRAPHS + RANDOM_BITS + RANDOM_MOVES; i++) {
		char name[64];

		snprintf(name, sizeof(name), "random-%04d", i);
		if (is_chosen(name))
			dump_random(i, name);
	}
}

/* The kernels of `dpr kernels`. */
static void dump_list(void)
{
	dpr_array_kernel *list;
	size_t n;

	if (dpr_array_kernels(&list, &n))
		die(dpr_last_error());
	for (size_t i = 0; i < n; i++) {
		char name[64], *source;

		snprintf(name, sizeof(name), "list-%s", list[i].name);
		if (!is_chosen(name))
			continue;
		if (dpr_array_kernel_source(list[i].name, &source))
			die(dpr_last_error());
		put(name, "cl", source, strlen(source));
		dpr_free(source);
	}
	dpr_free(list);
}

int main(int argc, char **argv)
{
	if (!emit_ptx_is_there() || !emit_spirv_is_there())
		die("this build has no templates in PTX and SPIR-V");
	if (argc > 1)
		folder = argv[1];
	if (argc > 2)
		chosen = argv[2];
	dump_steps();
	dump_reductions();
	dump_stages();
	dump_randoms();
	dump_list();
	return EXIT_SUCCESS;
}
