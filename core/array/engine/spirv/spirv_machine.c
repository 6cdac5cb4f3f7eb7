/* SPDX-License-Identifier: Apache-2.0 */
/* spirv_machine.c - the printer (machine.h) that writes SPIR-V. */
#include "core/array/engine/spirv/spirv_machine.h"

#include "core/array/engine/spirv/spirv_access.h"
#include "core/array/engine/spirv/spirv_combine.h"

/* The elements of a run or a round are computed together if the functions that
   are called for all of them have at most this number of words.  Otherwise the
   elements are computed in a loop. */
#define LONG_RUN 6000

/* --- Numbers ------------------------------------------------------------ */

static uint32_t number(struct machine *m, uint64_t value)
{
	return spirv_access_number(spirv_steps_of(m), value);
}

static uint32_t number_of(struct machine *m, struct machine_index at)
{
	return number(m, at.n);
}

static uint32_t word(struct machine *m, int at)
{
	return spirv_steps_word(spirv_steps_of(m), at);
}

static uint32_t id(struct machine *m, enum machine_id which)
{
	return spirv_access_id(spirv_steps_of(m), which);
}

static uint32_t compute(struct machine *m, enum machine_operation op,
			uint32_t a, uint32_t b)
{
	struct spirv_steps *e = spirv_steps_of(m);
	const uint32_t type = spirv_access_number_type(e);

	switch (op) {
	case MACHINE_SUM: return spirv_access_sum(e, a, b);
	case MACHINE_PRODUCT: return spirv_access_product(e, a, b);
	case MACHINE_DIFFERENCE:
		return SPIRV_MAKE(&e->module, I_SUB, type, a, b);
	case MACHINE_QUOTIENT: return SPIRV_MAKE(&e->module, U_DIV, type, a, b);
	case MACHINE_REACHES:
		return SPIRV_MAKE(&e->module, S_GREATER_THAN_EQUAL,
				  spirv_access_bool_type(e), a, b);
	case MACHINE_BELOW: break;
	}
	return spirv_access_is_below(e, a, b);
}

static uint32_t choose(struct machine *m, uint32_t condition, uint32_t then,
		       uint32_t otherwise)
{
	return spirv_access_choose(spirv_steps_of(m), condition, then,
				   otherwise);
}

static uint32_t split(struct machine *m, bool small, uint32_t *rest, uint32_t n)
{
	return spirv_access_split(spirv_steps_of(m), small, rest, n);
}

static uint32_t name(struct machine *m, const char *name, int k, uint32_t x)
{
	(void)m, (void)name, (void)k;
	return x;
}

/* --- Where to go on ----------------------------------------------------- */

static void add_label(struct spirv_steps *e, uint32_t label)
{
	spirv_code_add(&e->module.body, SPIRV_LABEL, 0, label, NULL, 0);
	e->has_left = false;
}

/* In SPIR-V a loop cannot index registers by its counter, so the body is
   written once for each element or slot. */
static void each(struct machine *m, unsigned n, enum machine_each which,
		 machine_body *body, void *context)
{
	(void)m, (void)which;
	for (unsigned j = 0; j < n; j++)
		body(context, machine_at(j));
}

static void begin_if(struct machine *m, struct machine_if *f,
		     uint32_t condition)
{
	struct spirv_steps *e = spirv_steps_of(m);

	f->then = spirv_module_id(&e->module);
	f->end = f->otherwise = spirv_module_id(&e->module);
	if (condition)
		SPIRV_DO(&e->module, BRANCH_CONDITIONAL, condition, f->then,
			 f->end);
	else
		SPIRV_DO(&e->module, BRANCH, f->then);
	add_label(e, f->then);
}

static void begin_else(struct machine *m, struct machine_if *f)
{
	struct spirv_steps *e = spirv_steps_of(m);

	f->end = spirv_module_id(&e->module);
	SPIRV_DO(&e->module, BRANCH, f->end);
	add_label(e, f->otherwise);
}

static void end_if(struct machine *m, struct machine_if *f)
{
	struct spirv_steps *e = spirv_steps_of(m);

	if (!e->has_left)
		SPIRV_DO(&e->module, BRANCH, f->end);
	add_label(e, f->end);
}

/* Write a load of the loop's counter. */
static uint32_t next(struct machine *m, const struct machine_loop *loop)
{
	struct spirv_steps *e = spirv_steps_of(m);

	return SPIRV_MAKE(&e->module, LOAD, spirv_access_number_type(e),
			  loop->variable, SPIRV_ACCESS_ALIGNED, 8);
}

static void begin_loop(struct machine *m, struct machine_loop *loop,
		       uint32_t begin, uint32_t end, uint32_t step)
{
	struct spirv_steps *e = spirv_steps_of(m);
	struct spirv_module *module = &e->module;
	const uint32_t test = spirv_module_id(module);
	const uint32_t body = spirv_module_id(module);

	loop->step = step;
	loop->variable = spirv_module_variable(
		module,
		spirv_module_pointer(module, SPIRV_CLASS_FUNCTION,
				     spirv_access_number_type(e)),
		8);
	loop->head = spirv_module_id(module);
	loop->more = spirv_module_id(module);
	loop->end = spirv_module_id(module);
	SPIRV_DO(module, STORE, loop->variable, begin, SPIRV_ACCESS_ALIGNED, 8);
	SPIRV_DO(module, BRANCH, loop->head);
	add_label(e, loop->head);
	SPIRV_DO(module, LOOP_MERGE, loop->end, loop->more, SPIRV_LOOP_ROLLED);
	SPIRV_DO(module, BRANCH, test);
	add_label(e, test);
	loop->at = next(m, loop);
	SPIRV_DO(module, BRANCH_CONDITIONAL,
		 spirv_access_is_below(e, loop->at, end), body, loop->end);
	add_label(e, body);
}

static void end_loop(struct machine *m, struct machine_loop *loop)
{
	struct spirv_steps *e = spirv_steps_of(m);

	SPIRV_DO(&e->module, BRANCH, loop->more);
	add_label(e, loop->more);
	SPIRV_DO(&e->module, STORE, loop->variable,
		 spirv_access_sum(e, loop->at, loop->step),
		 SPIRV_ACCESS_ALIGNED, 8);
	SPIRV_DO(&e->module, BRANCH, loop->head);
	add_label(e, loop->end);
}

static void leave(struct machine *m)
{
	struct spirv_steps *e = spirv_steps_of(m);

	spirv_module_do(&e->module, SPIRV_RETURN, NULL, 0);
	e->has_left = true;
}

static void leave_unless(struct machine *m, uint32_t condition)
{
	struct spirv_steps *e = spirv_steps_of(m);
	const uint32_t inside = spirv_module_id(&e->module);
	const uint32_t idle = spirv_module_id(&e->module);

	SPIRV_DO(&e->module, BRANCH_CONDITIONAL, condition, inside, idle);
	add_label(e, idle);
	leave(m);
	add_label(e, inside);
}

static void barrier(struct machine *m)
{
	struct spirv_module *module = &spirv_steps_of(m)->module;
	const uint32_t group =
		spirv_module_number(module, 32, SPIRV_SCOPE_WORKGROUP);

	SPIRV_DO(module, CONTROL_BARRIER, group, group,
		 spirv_module_number(module, 32, SPIRV_SEMANTICS_LOCAL));
}

/* --- Memory ------------------------------------------------------------- */

static struct machine_element load(struct machine *m, int k, uint32_t at)
{
	struct machine_element x = { { 0 } };

	spirv_access_load(spirv_steps_of(m), k, at, x.part);
	return x;
}

static void store(struct machine *m, int k, uint32_t at,
		  const struct machine_element *x)
{
	spirv_access_store(spirv_steps_of(m), k, at, x->part);
}

static struct machine_element keep(struct machine *m, int k,
				   const struct machine_element *x)
{
	(void)m, (void)k;
	return *x;
}

static void begin_pack(struct machine *m, struct machine_pack *pack)
{
	(void)m, (void)pack;
}

static void put(struct machine *m, struct machine_pack *pack,
		struct machine_index at, const struct machine_element *x)
{
	(void)m;
	pack->at[at.n] = *x;
}

static struct machine_element get(struct machine *m,
				  const struct machine_pack *pack,
				  struct machine_index at)
{
	(void)m;
	return pack->at[at.n];
}

static void load_pack(struct machine *m, struct machine_pack *pack,
		      struct machine_index at, unsigned n, uint32_t from)
{
	spirv_access_load_pack(spirv_steps_of(m), pack, at.n, n, from);
}

static void store_pack(struct machine *m, const struct machine_pack *pack,
		       struct machine_index at, unsigned n, uint32_t to)
{
	spirv_access_store_pack(spirv_steps_of(m), pack, at.n, n, to);
}

static uint32_t local(struct machine *m, int k, unsigned n)
{
	return spirv_access_local(spirv_steps_of(m), machine_dtype(m, k), n);
}

static struct machine_element load_local(struct machine *m, int k,
					 uint32_t array, uint32_t at)
{
	struct machine_element x = { { 0 } };

	spirv_access_load_local(spirv_steps_of(m), machine_dtype(m, k), array,
				at, x.part);
	return x;
}

static void store_local(struct machine *m, int k, uint32_t array, uint32_t at,
			const struct machine_element *x)
{
	spirv_access_store_local(spirv_steps_of(m), machine_dtype(m, k), array,
				 at, x->part);
}

static void begin(struct machine *m, uint32_t *at)
{
	spirv_access_begin(spirv_steps_of(m), at);
}

static void axes(struct machine *m, int first, uint32_t rest, uint32_t *at)
{
	spirv_access_axes(spirv_steps_of(m), first, rest, at);
}

/* --- Steps -------------------------------------------------------------- */

/* The number of words of all functions that the steps @set call.  A function
   counts once for each call, because a driver compiles the function for each
   call.  Pass @fast = true if steps take their fast paths. */
static size_t words_of_steps(struct spirv_steps *e, uint64_t set, bool fast)
{
	struct spirv_library *library = &e->module.library;
	size_t words = 0;

	for (int i = 0; i < e->machine.graph->n_steps; i++) {
		const struct spirv_steps_functions *f = &e->functions[i];

		if (!(set >> i & 1))
			continue;
		spirv_library_use(library,
				  fast && f->fast ? f->fast : f->plain);
		spirv_library_use(library, fast ? f->guard : 0);
		words += library->used_words;
		spirv_library_forget(library);
	}
	return words;
}

static enum machine_way way(struct machine *m, uint64_t set, unsigned n,
			    bool fast)
{
	return words_of_steps(spirv_steps_of(m), set, fast) * n <= LONG_RUN
		       ? MACHINE_TOGETHER
		       : MACHINE_BY_ELEMENT;
}

static void steps(struct machine *m, uint64_t set, bool fast,
		  const struct machine_element *in)
{
	spirv_steps_values(spirv_steps_of(m), set, fast, in);
}

static bool is_guarded(struct machine *m)
{
	return spirv_steps_is_guarded(spirv_steps_of(m));
}

static void check_fast(struct machine *m, const struct machine_if *f)
{
	struct spirv_steps *e = spirv_steps_of(m);
	const uint32_t right = spirv_module_id(&e->module);
	const uint32_t wrong = SPIRV_MAKE(
		&e->module, I_NOT_EQUAL, spirv_access_bool_type(e), e->any,
		spirv_module_global(&e->module, SPIRV_CONSTANT,
				    spirv_module_integer(&e->module, 8),
				    SPIRV_WORDS(0)));

	SPIRV_DO(&e->module, BRANCH_CONDITIONAL, wrong, f->end, right);
	add_label(e, right);
}

static void take(struct machine *m, int i, const struct machine_element *x)
{
	spirv_steps_take(spirv_steps_of(m), i, x->part);
}

static struct machine_element give(struct machine *m, int i)
{
	struct machine_element x = { { 0 } };

	spirv_steps_give(spirv_steps_of(m), i, x.part);
	return x;
}

static uint32_t value(struct machine *m, int i)
{
	return give(m, i).part[0];
}

/* --- Accumulators ------------------------------------------------------- */

static void begin_values(struct machine *m, int step, unsigned n)
{
	struct spirv_steps *e = spirv_steps_of(m);

	spirv_combine_begin(e, e->sum, step, n);
}

static void load_values(struct machine *m, unsigned n)
{
	struct spirv_steps *e = spirv_steps_of(m);

	spirv_combine_load(e, e->sum, n);
}

static void store_values(struct machine *m, unsigned n)
{
	struct spirv_steps *e = spirv_steps_of(m);

	spirv_combine_store(e, e->sum, n);
}

static void add(struct machine *m, struct machine_index at, uint32_t condition)
{
	struct spirv_steps *e = spirv_steps_of(m);

	spirv_combine_add(e, e->sum, at.n, condition);
}

static void rotate(struct machine *m, unsigned by)
{
	struct spirv_steps *e = spirv_steps_of(m);

	spirv_combine_rotate(e, e->sum, by);
}

static void halves(struct machine *m, unsigned n, unsigned apart,
		   struct machine_index at)
{
	struct spirv_steps *e = spirv_steps_of(m);

	spirv_combine_halves(e, e->sum, n, apart, at.n);
}

static void join(struct machine *m, unsigned team, uint32_t item,
		 uint32_t member)
{
	struct spirv_steps *e = spirv_steps_of(m);

	spirv_combine_join(e, e->sum, team, item, member);
}

static void joined(struct machine *m, uint32_t item)
{
	struct spirv_steps *e = spirv_steps_of(m);

	spirv_combine_joined(e, e->sum, item);
}

static void share(struct machine *m, uint32_t item, uint32_t member)
{
	struct spirv_steps *e = spirv_steps_of(m);

	spirv_combine_share(e, e->sum, item, member);
}

static struct machine_element finish(struct machine *m, struct machine_index at)
{
	struct spirv_steps *e = spirv_steps_of(m);
	struct machine_element x = { { 0 } };

	spirv_combine_finish(e, e->sum, at.n, x.part);
	return x;
}

const struct machine_printer spirv_machine = {
	.number = number,
	.index = number_of,
	.word = word,
	.id = id,
	.compute = compute,
	.choose = choose,
	.split = split,
	.name = name,
	.each = each,
	.begin_if = begin_if,
	.begin_else = begin_else,
	.end_if = end_if,
	.begin_loop = begin_loop,
	.end_loop = end_loop,
	.next = next,
	.leave = leave,
	.leave_unless = leave_unless,
	.barrier = barrier,
	.load = load,
	.store = store,
	.keep = keep,
	.begin_pack = begin_pack,
	.put = put,
	.get = get,
	.load_pack = load_pack,
	.store_pack = store_pack,
	.local = local,
	.load_local = load_local,
	.store_local = store_local,
	.begin = begin,
	.axes = axes,
	.way = way,
	.steps = steps,
	.is_guarded = is_guarded,
	.check_fast = check_fast,
	.take = take,
	.give = give,
	.value = value,
	.begin_values = begin_values,
	.load_values = load_values,
	.store_values = store_values,
	.add = add,
	.rotate = rotate,
	.halves = halves,
	.join = join,
	.joined = joined,
	.share = share,
	.finish = finish,
};
