/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit_emit_spirv.c - the engine's kernels as SPIR-V are valid, do not name
 * double without need, and are refused where something is missing.
 * unit_emit_spirv_run.c runs them.
 *
 * DPR_TEST_ALL=1: every operation, dtype and schedule, instead of one schedule
 * each in turn; more random graphs; every word damaged, instead of some.
 * DPR_TEST_SEED repeats a run.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/array/engine/spirv/emit_spirv.h"
#include "core/array/engine/text/emit_text.h"
#include "core/array/engine/spirv/spirv_library.h"
#include "core/base/mem.h"
#include "kernels/images.h"
#include "tests/engine/emit_cases.h"
#include "tests/engine/emit_stages.h"
#include "tests/engine/random_graph.h"

static struct random rng;
static bool with_all;
static char path[4096]; /* of a module for the validator */
static const char *validator;

/* --- Valid modules ------------------------------------------------------ */

/* Have the validator read a module, and return its exit status. */
static int ask_validator(const struct text *module, const char *output)
{
	char command[4400];
	FILE *file;
	int status;

	file = fopen(path, "wb");
	ck_assert_msg(file, "%s cannot be written", path);
	ck_assert_uint_eq(fwrite(module->bytes, 1, module->size, file),
			  module->size);
	ck_assert_int_eq(fclose(file), 0);
	snprintf(command, sizeof(command), "%s --target-env spv1.2 '%s' %s",
		 validator, path, output);
	status = system(command);
	ck_assert_msg(WIFEXITED(status), "%s has crashed", validator);
	return WEXITSTATUS(status);
}

static void validate(const struct text *module, const char *name)
{
	if (validator)
		ck_assert_msg(ask_validator(module, "") == 0, "%s is not valid",
			      name);
}

/* Whether the module has a type of double, or its capability. */
static bool names_double(const struct text *module)
{
	const uint32_t *words = (const uint32_t *)(const void *)module->bytes;
	const size_t n = module->size / 4;
	struct spirv_code code;

	for (size_t at = SPIRV_HEADER; at < n; at += code.n) {
		ck_assert(spirv_code_read(words + at, n - at, &code));
		if ((code.op == SPIRV_CAPABILITY &&
		     code.operands[0] == SPIRV_CAPABILITY_FLOAT64) ||
		    (code.op == SPIRV_TYPE_FLOAT && code.operands[0] == 64))
			return true;
	}
	return false;
}

/* Whether the module says how @id is aligned. */
static bool is_aligned(const uint32_t *words, size_t n, uint32_t id)
{
	struct spirv_code code;

	for (size_t at = SPIRV_HEADER; at < n; at += code.n) {
		ck_assert(spirv_code_read(words + at, n - at, &code));
		if (code.op == SPIRV_DECORATE && code.operands[0] == id &&
		    code.operands[1] == SPIRV_DECORATION_ALIGNMENT)
			return true;
	}
	return false;
}

/* Functions access complex numbers as wholes: a variable that is not aligned
   makes some devices trap, sometimes. */
static void check_variables(const struct text *module, const char *name)
{
	const uint32_t *words = (const uint32_t *)(const void *)module->bytes;
	const size_t n = module->size / 4;
	struct spirv_code code;

	for (size_t at = SPIRV_HEADER; at < n; at += code.n) {
		ck_assert(spirv_code_read(words + at, n - at, &code));
		ck_assert_msg(code.op != SPIRV_VARIABLE ||
				      code.operands[0] !=
					      SPIRV_CLASS_FUNCTION ||
				      is_aligned(words, n, code.result),
			      "%s: variable %u has no alignment", name,
			      (unsigned)code.result);
	}
}

static bool needs_double(const struct graph *graph)
{
	for (int i = 0; i < graph->n_steps; i++)
		if (graph_is_double(&graph->step[i]))
			return true;
	return false;
}

static void check_with(const struct graph *graph,
		       const struct schedule *schedule, bool with_double)
{
	struct text module = { 0 };
	char name[GRAPH_NAME];

	schedule_name(graph, schedule, name);
	ck_assert_msg(emit_spirv_kernel(graph, schedule, name, &module),
		      "%s has no module", name);
	ck_assert_msg(names_double(&module) == with_double, "%s and double",
		      name);
	check_variables(&module, name);
	validate(&module, name);
	text_fini(&module);
}

static void check(const struct graph *graph, const struct schedule *schedule)
{
	check_with(graph, schedule, needs_double(graph));
}

/* The schedules of a graph, or one of them. */
static void check_schedules(const struct graph *graph)
{
	static int turn;
	struct schedule schedule;

	for (int i = 0; i < EMIT_SCHEDULES; i++) {
		schedule = emit_schedule(i, graph);
		if (with_all || i == turn % EMIT_SCHEDULES)
			check(graph, &schedule);
	}
	turn++;
}

START_TEST(operations)
{
	for (unsigned op = 0; op < OPERATION_COUNT; op++)
		for (unsigned dtype = 1; dtype <= DPR_COMPLEX128; dtype++) {
			struct graph graph;

			if (!graph_has(op, dtype) ||
			    (!with_all && (op + dtype) % 4))
				continue;
			graph = graph_of_operation(op, dtype);
			check_schedules(&graph);
		}
}
END_TEST

START_TEST(casts_and_choices)
{
	for (unsigned from = 1; from <= DPR_COMPLEX128; from++) {
		struct graph graph = graph_of_where(from);

		check_schedules(&graph);
		for (unsigned to = 1; to <= DPR_COMPLEX128; to++) {
			if (!with_all && (from + to) % 4)
				continue;
			graph = graph_of_cast(from, to);
			check_schedules(&graph);
		}
	}
}
END_TEST

START_TEST(random_graphs)
{
	const int n = with_all ? 400 : 20;

	for (int i = 0; i < n; i++) {
		const int steps = (int)random_below(&rng, 40) + 1;
		struct graph graph = graph_random(&rng, steps, i % 2);

		if (i % 3 == 2)
			emit_add_puts(&graph, &rng);
		check_schedules(&graph);
	}
}
END_TEST

/* The most of everything. */
START_TEST(large)
{
	struct graph graph = { 0 };
	struct schedule schedule;
	int sum, x[2];

	sum = graph_input(&graph, DPR_COMPLEX128);
	while (graph.n_inputs < GRAPH_INPUTS) {
		x[0] = sum;
		x[1] = graph_input(&graph, DPR_COMPLEX128);
		sum = graph_operation(&graph, OPERATION__add, DPR_COMPLEX128,
				      DPR_COMPLEX128, 2, x);
		if (graph.n_inputs > GRAPH_INPUTS - GRAPH_RESULTS)
			ck_assert(graph_result(&graph, sum));
	}
	while (graph.n_scalars < GRAPH_SCALARS)
		x[0] = graph_scalar(&graph, DPR_COMPLEX128);
	schedule = emit_schedule(EMIT_LARGE, &graph);
	check(&graph, &schedule);
	schedule = emit_schedule(0, &graph);
	check(&graph, &schedule);
}
END_TEST

/* Whether a kernel that reduces needs double. */
static bool reduces_double(const struct graph *graph,
			   const struct schedule *schedule)
{
	return needs_double(graph) || schedule->sum == DPR_FLOAT64 ||
	       schedule->sum == DPR_COMPLEX128;
}

/* Reductions, of an array and of what random steps compute. */
START_TEST(reductions)
{
	const int step = with_all ? 1 : 7;
	struct graph graph;
	struct schedule schedule;
	int n = 0;

	for (int i = (int)random_below(&rng, (unsigned)step);
	     i < EMIT_REDUCTIONS; i += step)
		for (int pass = 0; pass < 2; pass++) {
			if (!emit_reduction(&graph, &schedule, i,
					    pass ? &rng : NULL))
				continue;
			check_with(&graph, &schedule,
				   reduces_double(&graph, &schedule));
			n++;
		}
	printf("%d kernels that reduce\n", n);
	ck_assert_int_gt(n, 100);
}
END_TEST

/* Columns of bytes: a round has 8 slots of 16 elements of each operand. */
START_TEST(columns_of_bytes)
{
	struct graph graph = { 0 };
	struct schedule schedule = { .kind = SCHEDULE_REDUCE_COLUMNS,
				     .rank = 2 };
	int x[3];

	x[0] = graph_input(&graph, DPR_UINT8);
	x[1] = graph_input(&graph, DPR_UINT8);
	graph_result(&graph, graph_operation(&graph, OPERATION__bitwise_or,
					     DPR_UINT8, DPR_UINT8, 2, x));
	schedule.reduction = (uint8_t)REDUCTION__max;
	schedule.sum = DPR_UINT8;
	schedule.result = DPR_UINT8;
	schedule.gpu.small = 1;
	schedule.gpu.pack = 16;
	schedule.gpu.accumulators = 1;
	for (int k = 0; k < schedule_operands(&graph); k++)
		schedule.inner[k] = SCHEDULE_NEXT;
	check_with(&graph, &schedule, false);
}
END_TEST

/* Rows in stages. */
START_TEST(stages)
{
	const int step = with_all ? 1 : 5;
	struct graph graph;
	struct schedule schedule;
	int n = 0;

	for (int i = (int)random_below(&rng, (unsigned)step); i < EMIT_STAGES;
	     i += step) {
		if (!emit_stages(&graph, &schedule, i))
			continue;
		check(&graph, &schedule);
		n++;
	}
	printf("%d kernels of rows\n", n);
	ck_assert_int_gt(n, 50);
}
END_TEST

/* Subtract its largest element from a row, @n times.  With @is_dear take exp()
   of that each time. */
static struct graph chain(unsigned dtype, int n, bool is_dear)
{
	struct graph graph = { 0 };
	int x[2] = { graph_input(&graph, dtype), 0 };

	while (n-- > 0) {
		x[1] = graph_reduce(&graph, REDUCTION__max, dtype, dtype, x[0]);
		x[0] = graph_operation(&graph, OPERATION__subtract, dtype,
				       dtype, 2, x);
		if (is_dear)
			x[0] = graph_operation(&graph, OPERATION__exp, dtype,
					       dtype, 1, x);
	}
	ck_assert(graph_result(&graph, x[0]));
	return graph;
}

/* Each stage computes its steps again, so a long chain is refused. */
START_TEST(long_rows)
{
	static const struct {
		unsigned dtype;
		int n;
		bool is_dear, fits;
	} cases[] = {
		{ DPR_FLOAT32, 2, true, true },
		{ DPR_FLOAT32, 3, true, false },
		{ DPR_UINT8, 6, false, true },
		{ DPR_UINT8, 31, false, false },
		{ DPR_FLOAT32, 12, false, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const unsigned dtype = cases[i].dtype;
		const struct graph graph =
			chain(dtype, cases[i].n, cases[i].is_dear);
		const struct schedule schedule = {
			.kind = SCHEDULE_STAGES,
			.rank = 1,
			.gpu.accumulators = SCHEDULE_REDUCE_ROW_SLOTS,
			.gpu.pack = (uint8_t)(16 /
					      dpr_dtype_size((dpr_dtype)dtype)),
			.gpu.team_bits = 5,
			.inner = { SCHEDULE_NEXT, SCHEDULE_NEXT }
		};
		struct text module = { 0 }, text = { 0 };

		ck_assert_int_eq(
			emit_spirv_kernel(&graph, &schedule, "k", &module),
			cases[i].fits);
		ck_assert_int_eq(
			emit_text_kernel(&graph, &schedule, "k", &text),
			cases[i].fits);
		ck_assert(!module.failed && !text.failed);
		text_fini(&module);
		text_fini(&text);
	}
}
END_TEST

/* Find an instruction of a module: the first with this opcode, and that
   name if it is OpName. */
static size_t find_code(const uint32_t *words, size_t size, unsigned op,
			const char *name)
{
	size_t at = SPIRV_HEADER;

	while (at < size / 4 &&
	       ((words[at] & 0xffff) != op ||
		(name && strcmp((const char *)&words[at + 2], name) != 0)))
		at += words[at] >> 16;
	ck_assert_uint_lt(at, size / 4);
	return at;
}

/* Faults of every module that the validator has to notice. */
START_TEST(the_validator_notices)
{
	static const struct {
		const char *what;
		unsigned op;
		int at; /* word of the first such instruction */
		uint32_t value;
	} plants[] = {
		{ "a capability that is not there", SPIRV_CAPABILITY, 1, 21 },
		{ "a load of nothing", SPIRV_LOAD, 3, 1 },
		{ "another type of a load", SPIRV_LOAD, 1, 0 },
		{ "a branch to no label", SPIRV_BRANCH_CONDITIONAL, 2, 1 },
		{ "a call of something else than a function",
		  SPIRV_FUNCTION_CALL, 3, 1 },
		{ "an unknown instruction", SPIRV_LOAD, 0, 4u << 16 | 5555 },
	};
	const struct graph graph =
		graph_of_operation(OPERATION__add, DPR_FLOAT32);
	const struct schedule schedule = emit_schedule(EMIT_LARGE, &graph);
	struct text module = { 0 };
	uint32_t *words, kept;
	size_t at;

	if (!validator)
		return;
	ck_assert(emit_spirv_kernel(&graph, &schedule, "k", &module));
	ck_assert_int_eq(ask_validator(&module, ""), 0);
	words = (uint32_t *)(void *)module.bytes;
	for (size_t i = 0; i < sizeof(plants) / sizeof(plants[0]); i++) {
		at = find_code(words, module.size, plants[i].op, NULL) +
		     (size_t)plants[i].at;
		kept = words[at];
		words[at] = plants[i].value;
		ck_assert_msg(ask_validator(&module, ">/dev/null 2>&1") == 1,
			      "%s is valid", plants[i].what);
		words[at] = kept;
	}
	text_fini(&module);
}
END_TEST

/* --- Failures ----------------------------------------------------------- */

/* A graph that uses functions of several dtypes, with a fast path. */
static struct graph some_graph(void)
{
	struct graph graph = { 0 };
	int x[3];

	x[0] = graph_input(&graph, DPR_COMPLEX64);
	x[1] = graph_scalar(&graph, DPR_COMPLEX64);
	x[0] = graph_operation(&graph, OPERATION__multiply, DPR_COMPLEX64,
			       DPR_COMPLEX64, 2, x);
	x[0] = graph_operation(&graph, OPERATION__abs, DPR_COMPLEX64,
			       DPR_FLOAT32, 1, x);
	x[0] = graph_operation(&graph, OPERATION__sin, DPR_FLOAT32, DPR_FLOAT32,
			       1, x);
	graph_result(&graph, graph_cast(&graph, DPR_FLOAT16, x[0]));
	return graph;
}

/* The schedules of a graph: the schedules of every graph, and two
   reductions. */
#define SOME_SCHEDULES (EMIT_SCHEDULES + 2)
static struct schedule some_schedule(int i, const struct graph *graph)
{
	struct schedule schedule;

	if (i < EMIT_SCHEDULES)
		return emit_schedule(i, graph);
	schedule = emit_reduce_shapes[i == EMIT_SCHEDULES ? 0 : 6];
	schedule.reduction = REDUCTION__mean;
	schedule.sum = DPR_FLOAT32;
	schedule.result = DPR_FLOAT16;
	schedule.gpu.accumulators = SCHEDULE_REDUCE_ROW_SLOTS;
	emit_reduce_inner(graph, &schedule);
	return schedule;
}

/* Write the kernel while each allocation fails in turn. */
static void fail_each(const struct graph *graph,
		      const struct schedule *schedule)
{
	struct text module = { 0 };
	uint64_t count;

	/* unit_embed.c has the allocations of the first use. */
	ck_assert_int_eq(emit_spirv_open(), DPR_OK);
	count = mem_fault_count();
	ck_assert(emit_spirv_kernel(graph, schedule, "k", &module));
	count = mem_fault_count() - count;
	ck_assert_uint_gt(count, 10);
	text_fini(&module);
	for (uint64_t n = 0; n < count; n++) {
		module = (struct text){ 0 };
		mem_fault_once(n);
		ck_assert(!emit_spirv_kernel(graph, schedule, "k", &module));
		mem_fault_clear();
		ck_assert(module.failed);
		text_fini(&module);
	}
}

START_TEST(every_allocation_fails)
{
	struct graph graph = some_graph();
	struct schedule schedule;

	for (int i = 0; i < SOME_SCHEDULES; i++) {
		schedule = some_schedule(i, &graph);
		fail_each(&graph, &schedule);
	}
	for (int i = 0; !emit_stages(&graph, &schedule, i); i++)
		continue;
	fail_each(&graph, &schedule);
}
END_TEST

/* A copy of the functions of this build. */
static uint32_t *copy_functions(size_t *size)
{
	struct image image;
	uint32_t *copy;

	ck_assert_int_eq(images_steps_spirv(&image), DPR_OK);
	copy = malloc(image.size);
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, image.data, image.size);
	*size = image.size;
	return copy;
}

/* Write kernels with these functions, of which one reduces; whatever comes out
   is read.  Returns whether anything does. */
static bool emit_with(const uint32_t *words, size_t size)
{
	const struct graph graph = some_graph();
	bool any = false;

	for (int i = 0; i <= EMIT_SCHEDULES; i += EMIT_SCHEDULES) {
		const struct schedule schedule = some_schedule(i, &graph);
		struct text module = { 0 };

		if (emit_spirv_with(words, size, &graph, &schedule, "k",
				    &module)) {
			(void)names_double(&module);
			any = true;
		} else {
			/* Not because of memory. */
			ck_assert(!module.failed);
		}
		text_fini(&module);
	}
	return any;
}

/* The functions end early.  The copy ends there, too, so that reading on is
   noticed by tools that watch memory. */
START_TEST(truncated)
{
	const size_t step = with_all ? 4 : 388;
	size_t size;
	uint32_t *words = copy_functions(&size), *part;

	ck_assert(emit_with(words, size));
	for (size_t cut = 0; cut < size; cut += step) {
		part = malloc(cut ? cut : 1);
		ck_assert_ptr_nonnull(part);
		memcpy(part, words, cut);
		ck_assert_msg(!emit_with(part, cut), "%zu bytes", cut);
		free(part);
	}
	ck_assert(!emit_with(words, size - 1));
	ck_assert(!emit_with(NULL, 0));
	free(words);
}
END_TEST

/* Each of these makes the module one that must not be used. */
START_TEST(planted)
{
	static const struct {
		const char *what;
		unsigned op;
		const char *name; /* of OpName */
		int at; /* word of the instruction; -1: of the header */
		uint32_t value;
	} plants[] = {
		{ "no function", SPIRV_NAME, "multiply_14", 2, 0x20202020 },
		{ "no guard", SPIRV_NAME, "sin_guard_12", 2, 0x20202020 },
		{ "no type", SPIRV_NAME, "struct.cfloat", 2, 0x20202020 },
		{ "a name out of range", SPIRV_NAME, "sin_12", 1, 0xfffffff },
		{ "a name of nothing", SPIRV_NAME, "sin_12", 1, 0 },
		{ "a call out of range", SPIRV_FUNCTION_CALL, NULL, 3, ~0u },
		{ "a call of nothing", SPIRV_FUNCTION_CALL, NULL, 3, 0 },
		{ "a result out of range", SPIRV_LOAD, NULL, 2, 1u << 19 },
		{ "a result twice", SPIRV_LOAD, NULL, 2, 1 },
		{ "no such type", SPIRV_LOAD, NULL, 1, 0 },
		{ "a long instruction", SPIRV_LOAD, NULL, 0, 0xffff003d },
		{ "an instruction without words", SPIRV_LOAD, NULL, 0, 61 },
		{ "an unknown instruction", SPIRV_LOAD, NULL, 0,
		  4u << 16 | 5555 },
		{ "a short instruction", SPIRV_DECORATE, NULL, 0,
		  2u << 16 | SPIRV_DECORATE },
		{ "no magic", 0, NULL, -1, 0 },
	};
	const int n = sizeof(plants) / sizeof(plants[0]);
	size_t size, at;
	uint32_t *words;

	for (int i = 0; i < n; i++) {
		words = copy_functions(&size);
		at = plants[i].at < 0 ? 0
				      : find_code(words, size, plants[i].op,
						  plants[i].name) +
						(size_t)plants[i].at;
		words[at] = plants[i].value;
		ck_assert_msg(!emit_with(words, size), "%s", plants[i].what);
		free(words);
	}
	words = copy_functions(&size);
	words[3] = 0;
	ck_assert(!emit_with(words, size));
	words[3] = ~0u;
	ck_assert(!emit_with(words, size));
	free(words);
}
END_TEST

/* The functions that a reduction calls beside its steps. */
START_TEST(reduces_without_functions)
{
	static const char *const names[] = { "add_12", "divide_12",
					     "cast_12_10" };
	const struct graph graph = some_graph();
	size_t size;

	for (int i = EMIT_SCHEDULES; i < SOME_SCHEDULES; i++)
		for (int k = 0; k < 3; k++) {
			const struct schedule schedule =
				some_schedule(i, &graph);
			uint32_t *words = copy_functions(&size);
			const size_t at =
				find_code(words, size, SPIRV_NAME, names[k]);
			struct text module = { 0 };

			words[at + 2] = 0x20202020;
			ck_assert_msg(!emit_spirv_with(words, size, &graph,
						       &schedule, "k", &module),
				      "no %s", names[k]);
			text_fini(&module);
			free(words);
		}
}
END_TEST

/* Functions of another type than the table says are not called. */
START_TEST(other_types)
{
	size_t size, one, other;
	uint32_t *words = copy_functions(&size);

	one = find_code(words, size, SPIRV_NAME, "abs_14");
	other = find_code(words, size, SPIRV_NAME, "abs_12");
	words[one + 1] = words[other + 1];
	ck_assert(!emit_with(words, size));
	free(words);
}
END_TEST

/* Any word may be wrong: then there is no module, or a wrong one. */
START_TEST(damaged)
{
	const int n = with_all ? 20000 : 400;
	uint32_t *words, kept;
	size_t size, at;
	int refused = 0;

	words = copy_functions(&size);
	for (int i = 0; i < n; i++) {
		at = random_below(&rng, (unsigned)(size / 4));
		kept = words[at];
		words[at] =
			i % 2 ? (uint32_t)random_next(&rng)
			      : words[random_below(&rng, (unsigned)(size / 4))];
		refused += !emit_with(words, size);
		words[at] = kept;
	}
	printf("%d of %d damaged modules are refused\n", refused, n);
	ck_assert_int_gt(refused, n / 4);
	free(words);
}
END_TEST

/* --- Main --------------------------------------------------------------- */

static Suite *make_suite(void)
{
	Suite *suite = suite_create("emit_spirv");
	TCase *tcase = tcase_create("emit_spirv");

	tcase_set_timeout(tcase, 600);
	tcase_add_test(tcase, operations);
	tcase_add_test(tcase, casts_and_choices);
	tcase_add_test(tcase, random_graphs);
	tcase_add_test(tcase, large);
	tcase_add_test(tcase, reductions);
	tcase_add_test(tcase, columns_of_bytes);
	tcase_add_test(tcase, stages);
	tcase_add_test(tcase, long_rows);
	tcase_add_test(tcase, the_validator_notices);
	tcase_add_test(tcase, every_allocation_fails);
	tcase_add_test(tcase, truncated);
	tcase_add_test(tcase, planted);
	tcase_add_test(tcase, reduces_without_functions);
	tcase_add_test(tcase, other_types);
	tcase_add_test(tcase, damaged);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	const char *seed = getenv("DPR_TEST_SEED");
	const char *build = getenv("top_builddir");
	SRunner *runner;
	int failed;

	if (!emit_spirv_is_there()) {
		printf("this build has no SPIR-V: it wants clang, opt and "
		       "llvm-spirv of one version of LLVM, 15, 17, 18 or 19\n");
		return 77;
	}
	rng.state = seed ? strtoull(seed, NULL, 10) : 20261124;
	printf("DPR_TEST_SEED=%llu\n", (unsigned long long)rng.state);
	with_all = getenv("DPR_TEST_ALL") != NULL;
	validator = getenv("SPIRV_VAL");
	if (!validator || !*validator) {
		printf("no spirv-val: modules are not validated\n");
		validator = NULL;
	}
	snprintf(path, sizeof(path), "%s/tests/cache/emit-%d.spv",
		 build ? build : ".", (int)getpid());
	fflush(stdout);
	runner = srunner_create(make_suite());
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	unlink(path);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
