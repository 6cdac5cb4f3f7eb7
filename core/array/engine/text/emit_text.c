/* SPDX-License-Identifier: Apache-2.0 */
/* emit_text.c - writes kernels as OpenCL C.  emit_steps.c writes the functions
   that a kernel calls, and the files of gpu/ write the kernel's body. */
#include "core/array/engine/text/emit_text.h"

#include <string.h>

#include "core/array/engine/gpu/gpu.h"
#include "core/array/engine/text/text_machine.h"

/* Whether no step uses the value of an operation.  If so, the value of each
   operation is rounded when it is stored, and need not be rounded before. */
static bool is_stored(const struct graph *graph)
{
	for (int i = 0; i < graph->n_steps; i++)
		for (int k = 0; k < graph->step[i].n; k++)
			if (graph->step[graph->step[i].x[k]].kind ==
			    GRAPH_OPERATION)
				return false;
	return true;
}

void emit_text_parameters(const struct graph *graph,
			  const struct schedule *schedule, struct text *out)
{
	const struct emission e = { .machine = { .graph = graph,
						 .schedule = schedule } };

	for (int k = 0; k < schedule_operands(graph); k++)
		if (schedule_has_memory(graph, k))
			text_print(out, "global %s%s *x%d, ",
				   k < graph->n_results ? "" : "const ",
				   emit_steps_element_type(&e, k), k);
	text_print(out, "const words w");
}

/* Write @body with indentation: a tab for each open brace, and one more after a
   line that ends with ")". */
static void add_lines(const char *body, struct text *out)
{
	int depth = 1;
	bool goes_on = false;

	while (*body) {
		const char *line = body + strspn(body, "\t");
		const size_t n = strcspn(line, "\n");
		int tabs = depth + goes_on - (*line == '}');

		for (size_t i = 0; i < n; i++)
			depth += (line[i] == '{') - (line[i] == '}');
		goes_on = n && line[n - 1] == ')';
		while (tabs-- > 0)
			text_add(out, "\t", 1);
		text_add(out, line, n);
		text_add(out, "\n", 1);
		body = line + n + (line[n] == '\n');
	}
}

/* Write the kernel.  The functions that it calls are already written. */
static void add_kernel(const struct emission *e, const char *name,
		       struct text *out)
{
	text_print(out,
		   "typedef struct { ulong w[%d]; } words;\nkernel void %s(",
		   e->machine.words.n, name);
	emit_text_parameters(e->machine.graph, e->machine.schedule, out);
	text_print(out, ")\n{\n%s", text_get(&e->locals));
	add_lines(text_get(e->out), out);
	text_print(out, "}\n");
}

/* Write the functions that the kernel calls.  If a kernel reduces, these
   functions round 16-bit floats, because values are accumulated and not
   stored. */
static void begin_text(const struct emission *e, struct text *out)
{
	const struct schedule *schedule = e->machine.schedule;
	const bool reduces = schedule_reduces(schedule);
	uint32_t used = emit_steps_dtypes(e->machine.graph);

	if (reduces && schedule->kind != SCHEDULE_STAGES)
		used |= UINT32_C(1) << schedule->sum;
	emit_steps_begin(used, !reduces && is_stored(e->machine.graph), out);
}

bool emit_text_kernel(const struct graph *graph,
		      const struct schedule *schedule, const char *name,
		      struct text *out)
{
	struct text body = { 0 };
	struct emission e = { .machine = { .as = &text_machine,
					   .graph = graph,
					   .schedule = schedule,
					   .words = schedule_words(graph,
								   schedule) },
			      .out = &body };
	bool added;

	emit_steps_one(&e);
	emit_steps_scalars(&e);
	added = gpu_add(&e.machine);
	if (added) {
		begin_text(&e, out);
		add_kernel(&e, name, out);
	}
	out->failed |= body.failed || e.locals.failed || e.numbers.nodes.failed;
	text_fini(&body);
	text_fini(&e.locals);
	text_fini(&e.numbers.nodes);
	return added && !out->failed;
}
