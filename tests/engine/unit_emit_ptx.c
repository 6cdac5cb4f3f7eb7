/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_emit_ptx.c - kernels as PTX: every step in every schedule, random
 * graphs, and failures of memory.
 *
 * usage: unit_emit_ptx [FOLDER STEP RANDOM]: with a folder, write every STEP-th
 * kernel of one step, and RANDOM random ones, into files there, many in each,
 * for an assembler.  emit_ptx.sh does that.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array/engine/ptx/emit_ptx.h"
#include "core/array/engine/reduce/reduce_launch.h"
#include "core/base/mem.h"
#include "tests/engine/emit_cases.h"
#include "tests/engine/emit_stages.h"
#include "tests/engine/ptx_registers.h"

/* --- Files of many kernels ---------------------------------------------- */

#define PER_FILE 60
#define TABLES 64

/* Outside of tests Check cannot report. */
static void must(bool holds, const char *what)
{
	if (holds)
		return;
	printf("%s\n", what);
	exit(EXIT_FAILURE);
}

static const char *folder;
static FILE *file;
static int files, kernels;
static char *tables[TABLES];
static int n_tables;

static void close_file(void)
{
	if (file)
		must(fclose(file) == 0, "a file cannot be written");
	file = NULL;
	while (n_tables)
		free(tables[--n_tables]);
}

static void open_file(void)
{
	char path[4096];

	close_file();
	snprintf(path, sizeof(path), "%s/%03d.ptx", folder, files++);
	file = fopen(path, "w");
	must(file, "a file cannot be opened");
	fputs(".version 6.0\n.target sm_60\n.address_size 64\n", file);
}

/* A table is declared once in a file. */
static bool is_there(const char *line, size_t size)
{
	for (int i = 0; i < n_tables; i++)
		if (strncmp(tables[i], line, size) == 0)
			return true;
	must(n_tables < TABLES, "there are too many tables");
	tables[n_tables] = calloc(1, size + 1);
	must(tables[n_tables], "no memory");
	memcpy(tables[n_tables++], line, size);
	return false;
}

static void write_kernel(const char *module)
{
	const char *entry = strstr(module, ".visible .entry");
	const char *next;

	if (kernels++ % PER_FILE == 0)
		open_file();
	must(entry, "a module without a kernel");
	for (const char *line = module; line < entry; line = next) {
		next = strchr(line, '\n') + 1;
		if ((!strncmp(line, ".global", 7) ||
		     !strncmp(line, ".const", 6)) &&
		    !is_there(line, (size_t)(next - line)))
			fwrite(line, 1, (size_t)(next - line), file);
	}
	fputs(entry, file);
}

static void write_graph(const struct graph *graph,
			const struct schedule *schedule, const char *name)
{
	struct text text = { 0 };

	must(emit_ptx_kernel(graph, schedule, name, &text), name);
	write_kernel(text_get(&text));
	text_fini(&text);
}

/* Kernels of several stages: a text that is too long is refused. */
static void write_stages(int step)
{
	struct graph graph;
	struct schedule schedule;

	for (int i = 0, n = 0; i < EMIT_STAGES; i++) {
		struct text text = { 0 };
		char name[32];

		if (!emit_stages(&graph, &schedule, i) || n++ % step)
			continue;
		snprintf(name, sizeof(name), "stages_%d", i);
		if (emit_ptx_kernel(&graph, &schedule, name, &text))
			write_kernel(text_get(&text));
		text_fini(&text);
	}
}

static void write_all(int step, int random)
{
	struct random r = { 20240817 };
	struct graph graph;
	int n = 0;

	for (int i = 0; i < EMIT_STEPS; i++)
		for (int f = 0; f < EMIT_SCHEDULES; f++) {
			char name[GRAPH_NAME + 32], of[GRAPH_NAME];
			struct schedule schedule;

			if (!emit_step(&graph, i) || n++ % step)
				continue;
			schedule = emit_schedule(f, &graph);
			graph_name(&graph, of);
			snprintf(name, sizeof(name), "%s_%d_%d", of, i, f);
			write_graph(&graph, &schedule, name);
		}
	for (int i = 0; i < random; i++) {
		struct schedule schedule;
		char name[32];

		snprintf(name, sizeof(name), "random_%d", i);
		emit_random(&graph, &r, (enum emit_moves)(i % 3));
		schedule = emit_schedule(i % EMIT_SCHEDULES, &graph);
		write_graph(&graph, &schedule, name);
	}
	for (int i = 0; i < EMIT_REDUCTIONS; i++) {
		struct schedule schedule;
		char name[GRAPH_NAME + 32], of[GRAPH_NAME];
		bool is_random = i % step == 0 && i / step < random;

		if (n++ % step || !emit_reduction(&graph, &schedule, i,
						  is_random ? &r : NULL))
			continue;
		schedule_name(&graph, &schedule, of);
		snprintf(name, sizeof(name), "%s_%d", of, i);
		write_graph(&graph, &schedule, name);
	}
	write_stages(1 + step / 4);
	close_file();
	printf("%d kernels in %d files\n", kernels, files);
}

/* --- Tests -------------------------------------------------------------- */

/* Whether @module is what every module must be. */
static bool is_right(const struct graph *graph, const char *module)
{
	int depth = 0, last = schedule_operands(graph) - 1;
	const char *unwritten = ptx_unwritten(module);
	char words[64];

	if (unwritten)
		fprintf(stderr, "read before it is written: %.60s\n",
			unwritten);
	while (!schedule_has_memory(graph, last))
		last--;
	for (const char *c = module; *c && depth >= 0; c++)
		depth += (*c == '{') - (*c == '}');
	snprintf(words, sizeof(words), ".param .u64 p%d,.param .align 8 .b8 w[",
		 last);
	return !unwritten && depth == 0 && !strchr(module, '?') &&
	       !strstr(module, ".local") && !strstr(module, "call") &&
	       strstr(module, ".visible .entry kernel_name(") &&
	       strstr(module, words);
}

static void check_graph(const struct graph *graph, int f)
{
	const struct schedule schedule = emit_schedule(f, graph);
	struct text text = { 0 }, again = { 0 };
	char name[GRAPH_NAME];

	graph_name(graph, name);
	if (!emit_ptx_kernel(graph, &schedule, "kernel_name", &text) ||
	    !is_right(graph, text_get(&text)) ||
	    !emit_ptx_kernel(graph, &schedule, "kernel_name", &again) ||
	    strcmp(text_get(&text), text_get(&again)) != 0)
		ck_abort_msg("%s in schedule %d: %.2000s", name, f,
			     text_get(&text));
	text_fini(&text);
	text_fini(&again);
}

START_TEST(every_step_has_a_kernel)
{
	struct graph graph;
	int n = 0;

	for (int i = 0; i < EMIT_STEPS; i++)
		for (int f = 0; f < EMIT_SCHEDULES && emit_step(&graph, i);
		     f++) {
			check_graph(&graph, f);
			n++;
		}
	ck_assert_int_gt(n, 3000);
}
END_TEST

START_TEST(random_graphs_have_kernels)
{
	struct random r = { 4711 };
	struct graph graph;

	for (int i = 0; i < 200; i++) {
		emit_random(&graph, &r, (enum emit_moves)(i % 3));
		if (i % 5 == 2)
			emit_add_puts(&graph, &r);
		check_graph(&graph, i % EMIT_SCHEDULES);
	}
}
END_TEST

START_TEST(every_reduction_has_a_kernel)
{
	struct random r = { 31 };
	struct graph graph;
	struct schedule schedule;
	int n = 0;

	for (int i = 0; i < EMIT_REDUCTIONS; i++)
		for (int pass = 0; pass < 2; pass++) {
			struct text text = { 0 };

			if (!emit_reduction(&graph, &schedule, i,
					    pass ? &r : NULL))
				continue;
			if (!emit_ptx_kernel(&graph, &schedule, "kernel_name",
					     &text) ||
			    !is_right(&graph, text_get(&text)))
				ck_abort_msg("reduction %d, %d: %.2000s", i,
					     pass, text_get(&text));
			text_fini(&text);
			n++;
		}
	ck_assert_int_gt(n, 1000);
}
END_TEST

/* How rows that are computed would be reduced on a GPU. */
START_TEST(rows_in_stages_have_the_shape_of_reductions)
{
	static const struct {
		int64_t length;
		int pack, team_bits;
	} want[] = { { 16, 4, 0 }, { 128, 4, 3 }, { 4096, 4, 8 } };
	const bool reduced[] = { false, true };

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const int64_t shape[] = { 1000, want[i].length };
		const struct reduce_values values = { .reduction =
							      REDUCTION__sum,
						      .dtype = DPR_FLOAT32,
						      .rank = 2,
						      .shape = shape,
						      .reduced = reduced,
						      .format = &formats_ptx };
		struct reduce_shape have;

		ck_assert(reduce_launch_foresee(&values, &have));
		ck_assert_int_eq(have.count, 1000);
		ck_assert_int_eq(have.length, want[i].length);
		ck_assert_int_eq(have.parts, 1);
		ck_assert_int_eq(have.pack, want[i].pack);
		ck_assert_int_eq(have.team_bits, want[i].team_bits);
		ck_assert(!have.is_exact);
	}
}
END_TEST

/* In native code there is one way for a length, and no rows of a single
   work-item that would be cut. */
START_TEST(rows_in_native_code_are_foreseen)
{
	static const int64_t shapes[][3] = {
		{ 1000, 10, 1 }, { 1000, 4096, 1 },  { 1, 65536, 1 },
		{ 1, 65537, 2 }, { 300, 200000, 2 }, { 512, 200000, 1 }
	};
	const bool reduced[] = { false, true };

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const struct reduce_values values = { .reduction =
							      REDUCTION__sum,
						      .dtype = DPR_FLOAT32,
						      .rank = 2,
						      .shape = shapes[i],
						      .reduced = reduced,
						      .format =
							      &formats_native };
		struct reduce_shape have;

		ck_assert(reduce_launch_foresee(&values, &have));
		ck_assert_int_eq(have.count, shapes[i][0]);
		ck_assert_int_eq(have.length, shapes[i][1]);
		if (shapes[i][2] == 1)
			ck_assert_int_eq(have.parts, 1);
		else
			ck_assert_int_gt(have.parts, 1);
	}
}
END_TEST

START_TEST(rows_in_stages_have_kernels)
{
	struct graph graph;
	struct schedule schedule;
	int n = 0, refused = 0;

	for (int i = 0; i < EMIT_STAGES; i++) {
		struct text text = { 0 };
		bool made;

		if (!emit_stages(&graph, &schedule, i))
			continue;
		made = emit_ptx_kernel(&graph, &schedule, "kernel_name", &text);
		if (text.failed || (made && !is_right(&graph, text_get(&text))))
			ck_abort_msg("stages %d: %.2000s", i, text_get(&text));
		text_fini(&text);
		n++;
		refused += !made;
	}
	printf("%d kernels of stages, %d too long\n", n, refused);
	ck_assert_int_gt(n, 250);
	ck_assert_int_lt(refused, n / 4);
}
END_TEST

START_TEST(a_failed_allocation_is_reported)
{
	struct random r = { 99 };
	struct graph graph;
	struct schedule schedule;
	uint64_t n = 0;
	bool made = false;

	emit_random(&graph, &r, EMIT_MOVES_ALL);
	schedule = emit_schedule(0, &graph);
	for (; !made; n++) {
		struct text text = { 0 };

		mem_fault_once(n);
		made = emit_ptx_kernel(&graph, &schedule, "kernel_name", &text);
		mem_fault_clear();
		ck_assert_int_eq(text.failed, !made);
		text_fini(&text);
		ck_assert_uint_lt(n, 1000);
	}
	ck_assert_uint_gt(n, 2);
}
END_TEST

START_TEST(a_step_without_template_is_refused)
{
	const struct schedule schedule = { .kind = SCHEDULE_FLAT,
					   .gpu.aligned = 1 };
	struct graph graph;
	struct text text = { 0 };

	/* Floats have no bits to invert. */
	ck_assert(emit_operation(&graph, OPERATION__bitwise_invert, DPR_INT32,
				 false));
	graph.step[0].dtype = graph.step[0].compute = DPR_FLOAT32;
	graph.step[1].dtype = graph.step[1].compute = DPR_FLOAT32;
	ck_assert(!emit_ptx_kernel(&graph, &schedule, "kernel_name", &text));
	ck_assert(!text.failed);
	ck_assert_str_eq(text_get(&text), "");
	text_fini(&text);
}
END_TEST

/* ptx_unwritten() returns the place of a register that was not written, or
   NULL. */
START_TEST(what_was_not_written_is_found)
{
	static const struct {
		const char *code, *found;
	} cases[] = {
		{ "mov.b32 %a,0;\nadd.s32 %a,%a,1;\n", NULL },
		{ "add.s32 %a,%a,1;\n", "add.s32 %a" },
		{ "mov.b32 %c0,0;\nmov.b32 %a,%c1;\n", "mov.b32 %a" },
		{ "@%p mov.b32 %a,0;\n", "@%p" },
		{ "setp.eq.u32 %p,1,2;\n@%p mov.b32 %a,0;\n"
		  "st.global.b32 [%d],%a;\n",
		  "st." },
		{ "setp.eq.u32 %p,1,2;\n@%p bra L;\nmov.b32 %a,0;\nL:\n"
		  "mov.b32 %c0,%a;\n",
		  "mov.b32 %c0" },
		{ "setp.eq.u32 %p,1,2;\n@%p bra L;\nmov.b32 %a,0;\n"
		  "bra.uni M;\nL:\nmov.b32 %a,1;\nM:\nmov.b32 %c0,%a;\n",
		  NULL },
		/* In a loop the first turn counts. */
		{ "L:\nmov.b32 %c0,%a;\nmov.b32 %a,1;\nbra.uni L;\n",
		  "mov.b32 %c0" },
		{ "ld.global.v2.b32 {%a,%c1},[4];\nadd.s32 %c0,%a,%c1;\n",
		  NULL },
		/* Each scope has its own. */
		{ "{\n.reg .b32 %z;\nmov.b32 %z,0;\n}\n"
		  "{\n.reg .b32 %z;\nmov.b32 %a,%z;\n}\n",
		  "mov.b32 %a" },
		{ "{\nbra.uni L;\nL:\nmov.b32 %a,0;\n}\n"
		  "{\n@%p bra L;\nL:\n}\n",
		  "@%p bra" },
		{ "ret;\nmov.b32 %a,%c0;\n", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[400];
		const char *found;

		snprintf(text, sizeof(text),
			 ".visible .entry k(.param .u64 p0)\n{\n"
			 ".reg .pred %%p;\n.reg .b32 %%a,%%c<2>;\n"
			 ".reg .b64 %%d;\nld.param.u64 %%d,[p0];\n%s}\n",
			 cases[i].code);
		found = ptx_unwritten(text);
		ck_assert_msg(
			cases[i].found
				? found && !strncmp(found, cases[i].found,
						    strlen(cases[i].found))
				: !found,
			"%s: %.30s", cases[i].code, found ? found : "nothing");
	}
	ck_assert_ptr_nonnull(ptx_unwritten("no kernel"));
	ck_assert_ptr_nonnull(ptx_unwritten("k()\n{\nret;\n"));
}
END_TEST

/* Whether the kernel of @graph with @slots packs for a work-item has @what. */
static bool kernel_has(const struct graph *graph, int slots, const char *what)
{
	const struct schedule schedule = { .kind = SCHEDULE_FLAT,
					   .gpu.aligned = 1,
					   .gpu.slots = (uint8_t)slots };
	struct text text = { 0 };
	bool has;

	ck_assert(emit_ptx_kernel(graph, &schedule, "kernel_name", &text));
	has = strstr(text_get(&text), what) != NULL;
	text_fini(&text);
	return has;
}

START_TEST(a_long_step_takes_two_packs)
{
	struct graph graph;
	int sum;

	ck_assert(emit_operation(&graph, OPERATION__exp, DPR_FLOAT32, false));
	ck_assert_int_eq(emit_ptx_packs(&graph), 1);
	ck_assert(emit_operation(&graph, OPERATION__erfc, DPR_FLOAT32, false));
	ck_assert_int_eq(emit_ptx_packs(&graph), 2);
	/* The second pack is 128 times 16 bytes behind the first. */
	ck_assert(!kernel_has(&graph, 1, ".v4.b32 [%a0+2048]"));
	ck_assert(kernel_has(&graph, 2, ".v4.b32 [%a0+2048]"));
	/* Element 7, where the array ends. */
	ck_assert(!kernel_has(&graph, 1, "%left,515;"));
	ck_assert(kernel_has(&graph, 2, "%left,515;"));
	/* Two int8 do not fill a register, two int16 do. */
	emit_cast(&graph, DPR_FLOAT64, DPR_INT8);
	ck_assert(!schedule_takes_packs(&graph));
	emit_cast(&graph, DPR_FLOAT64, DPR_INT16);
	ck_assert(schedule_takes_packs(&graph));
	/* All operands of such a sum would take too many registers. */
	ck_assert(emit_operation(&graph, OPERATION__pow, DPR_FLOAT32, false));
	ck_assert_int_eq(emit_ptx_packs(&graph), 2);
	sum = graph.result[0];
	for (int i = 0; i < 2; i++) {
		const int x[2] = { sum, graph_input(&graph, DPR_FLOAT32) };

		sum = graph_operation(&graph, OPERATION__add, DPR_FLOAT32,
				      DPR_FLOAT32, 2, x);
	}
	graph.n_results = 0;
	ck_assert(graph_result(&graph, sum));
	ck_assert_int_eq(emit_ptx_packs(&graph), 1);
	/* A text of two packs would be too long. */
	ck_assert(emit_operation(&graph, OPERATION__erfc, DPR_FLOAT32, false));
	sum = graph_operation(&graph, OPERATION__erfc, DPR_FLOAT32, DPR_FLOAT32,
			      1, (const int[]){ graph.result[0] });
	graph.n_results = 0;
	ck_assert(graph_result(&graph, sum));
	ck_assert_int_eq(emit_ptx_packs(&graph), 2);
	sum = graph_operation(&graph, OPERATION__erfc, DPR_FLOAT32, DPR_FLOAT32,
			      1, &sum);
	graph.n_results = 0;
	ck_assert(graph_result(&graph, sum));
	ck_assert_int_eq(emit_ptx_packs(&graph), 1);
}
END_TEST

static int count_of(const char *text, const char *what)
{
	int n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

/* A kernel of rows reads the place of a row, and computes what depends on this
   alone, once for all elements of a work-item. */
START_TEST(a_row_has_one_place)
{
	struct schedule schedule = { .kind = SCHEDULE_ROWS,
				     .rank = 2,
				     .gpu.small = 1,
				     .gpu.pack = 1,
				     .gpu.slots = 4,
				     .gpu.team_bits = 3,
				     .inner = { SCHEDULE_NEXT, SCHEDULE_FIXED,
						SCHEDULE_NEXT,
						SCHEDULE_FIXED } };
	struct graph graph = { 0 };
	struct text text = { 0 };
	int x[2];

	x[0] = graph_input(&graph, DPR_INT64);
	x[1] = graph_scalar(&graph, DPR_INT64);
	x[0] = graph_operation(&graph, OPERATION__minimum, DPR_INT64, DPR_INT64,
			       2, x);
	x[1] = graph_index(&graph);
	x[0] = graph_operation(&graph, OPERATION__add, DPR_INT64, DPR_INT64, 2,
			       x);
	graph_result(&graph, graph_gather(&graph, DPR_COMPLEX128, x[0]));
	ck_assert_int_eq(schedule_items(&graph, &schedule), 4);
	ck_assert(emit_ptx_kernel(&graph, &schedule, "kernel_name", &text));
	ck_assert_int_eq(count_of(text_get(&text), "min.s64"), 1);
	ck_assert_int_eq(count_of(text_get(&text), "ld.global.b64"), 1);
	ck_assert_int_eq(count_of(text_get(&text), "ld.global.v2.b64"), 4);
	/* Element 3 is three times eight elements of 16 bytes further on. */
	ck_assert(strstr(text_get(&text), "st.global.v2.b64 [%a0+384]"));
	text_fini(&text);
}
END_TEST

/* A source whose rows are read is loaded in packs, and so is the result. */
START_TEST(a_source_is_read_in_packs)
{
	struct schedule schedule = { .kind = SCHEDULE_ROWS,
				     .rank = 2,
				     .gpu.small = 1,
				     .gpu.pack = 4,
				     .gpu.slots = (uint8_t)(_i ? 4 : 0),
				     .gpu.team_bits = (uint8_t)(_i ? 2 : 0),
				     .inner = { SCHEDULE_NEXT, SCHEDULE_FIXED,
						SCHEDULE_NEXT,
						SCHEDULE_NEXT } };
	const int slots = _i ? 4 : 1;
	struct graph graph = { 0 };
	struct text text = { 0 };
	int x[2];

	x[0] = graph_input(&graph, DPR_INT64);
	x[1] = graph_index(&graph);
	x[0] = graph_operation(&graph, OPERATION__add, DPR_INT64, DPR_INT64, 2,
			       x);
	x[0] = graph_gather(&graph, DPR_FLOAT32, x[0]);
	x[1] = graph_scalar(&graph, DPR_FLOAT32);
	graph_result(&graph, graph_operation(&graph, OPERATION__multiply,
					     DPR_FLOAT32, DPR_FLOAT32, 2, x));
	ck_assert_int_eq(schedule_items(&graph, &schedule), 4 * slots);
	ck_assert_int_eq(emit_ptx_row_packs(&graph, &schedule), 4);
	ck_assert(emit_ptx_kernel(&graph, &schedule, "kernel_name", &text));
	ck_assert_int_eq(count_of(text_get(&text), "ld.global.v4.b32"), slots);
	ck_assert_int_eq(count_of(text_get(&text), "ld.global.b64"), 1);
	ck_assert_int_eq(count_of(text_get(&text), "ld.global"), slots + 1);
	ck_assert_int_eq(count_of(text_get(&text), "st.global.v4.b32"), slots);
	text_fini(&text);
}
END_TEST

static Suite *emit_suite(void)
{
	Suite *suite = suite_create("emit_ptx");
	TCase *t = tcase_create("emit_ptx");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, what_was_not_written_is_found);
	tcase_add_test(t, every_step_has_a_kernel);
	tcase_add_test(t, random_graphs_have_kernels);
	tcase_add_test(t, every_reduction_has_a_kernel);
	tcase_add_test(t, rows_in_stages_have_kernels);
	tcase_add_test(t, rows_in_stages_have_the_shape_of_reductions);
	tcase_add_test(t, rows_in_native_code_are_foreseen);
	tcase_add_test(t, a_failed_allocation_is_reported);
	tcase_add_test(t, a_step_without_template_is_refused);
	tcase_add_test(t, a_long_step_takes_two_packs);
	tcase_add_test(t, a_row_has_one_place);
	tcase_add_loop_test(t, a_source_is_read_in_packs, 0, 2);
	suite_add_tcase(suite, t);
	return suite;
}

int main(int argc, char **argv)
{
	SRunner *runner;
	int failed;

	if (!emit_ptx_is_there()) {
		printf("skipped: this build has no templates in PTX\n");
		return 77;
	}
	if (argc == 4) {
		folder = argv[1];
		write_all(atoi(argv[2]), atoi(argv[3]));
		return EXIT_SUCCESS;
	}
	runner = srunner_create(emit_suite());
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
