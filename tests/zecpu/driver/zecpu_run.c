/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zecpu_run.c - run a kernel: one work-group after the other, and in a group
 * one work-item after the other.
 *
 * In a kernel with barriers, each work-item of a group has its own stack.  It
 * runs up to its next barrier; then the next work-item runs.
 */
#include "zecpu_impl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#define STACK ((size_t)128 << 10)
/* The distance between two stacks.  If it were a power of two, the tops of all
   stacks would share one set of the processor's cache. */
#define STRIDE (STACK + 4096 + 320)

/* --- stacks --- */

#if defined(__x86_64__)
/* swapcontext() would change the signal mask, which is a system call.  This
   saves only the registers that a called function must preserve. */
struct fiber {
	void *stack_pointer;
};

void zecpu_run_switch(void **save, void *to);
__asm__(".text\n"
	".globl zecpu_run_switch\n"
	".hidden zecpu_run_switch\n"
	".type zecpu_run_switch, @function\n"
	"zecpu_run_switch:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	".size zecpu_run_switch, .-zecpu_run_switch\n");

static void fiber_switch(struct fiber *from, struct fiber *to)
{
	zecpu_run_switch(&from->stack_pointer, to->stack_pointer);
}

static void fiber_make(struct fiber *fiber, unsigned char *stack,
		       void (*function)(void))
{
	void **top = (void **)(stack + STACK);

	/* Lay out the stack as after a call: 8 short of a multiple of 16. */
	*--top = NULL;
	*--top = NULL;
	*--top = NULL;
	memcpy(--top, &function, sizeof(*top));
	top -= 6;
	memset(top, 0, 6 * sizeof(*top));
	fiber->stack_pointer = top;
}
#else
struct fiber {
	ucontext_t context;
};

static void fiber_switch(struct fiber *from, struct fiber *to)
{
	swapcontext(&from->context, &to->context);
}

static void fiber_make(struct fiber *fiber, unsigned char *stack,
		       void (*function)(void))
{
	getcontext(&fiber->context);
	fiber->context.uc_stack.ss_sp = stack;
	fiber->context.uc_stack.ss_size = STACK;
	fiber->context.uc_link = NULL;
	makecontext(&fiber->context, function, 0);
}
#endif

/* --- a launch --- */

struct run {
	const struct launch *launch;
	void (*entry)(void **arguments);
	void **arguments;
	uint32_t items; /* work-items of a group */
	bool flat;      /* a group has only one dimension */
	/* For a kernel with barriers. */
	struct fiber scheduler, *fibers;
	unsigned char *stacks;
	bool *ended;
	uint32_t current, left;
};

static _Thread_local struct run *run;

/* Set the module's variables from which a work-item reads its id. */
static void set_item(const struct run *r, uint32_t item)
{
	const uint32_t *size = r->launch->size;
	const struct image *image = r->launch->image;

	if (r->flat) {
		*image->local_id[0] = item;
		return;
	}
	*image->local_id[0] = item % size[0];
	item /= size[0];
	*image->local_id[1] = item % size[1];
	*image->local_id[2] = item / size[1];
}

/* Switch from @from to the first item from @next on that has not ended.  If
   there is none, the round is over: switch to the scheduler. */
static void go_on(struct run *r, struct fiber *from, uint32_t next)
{
	struct fiber *to = &r->scheduler;

	while (next < r->items && r->ended[next])
		next++;
	if (next < r->items) {
		r->current = next;
		set_item(r, next);
		to = &r->fibers[next];
	}
	if (to != from)
		fiber_switch(from, to);
}

static void item_begins(void)
{
	struct run *r = run;
	uint32_t item = r->current;

	r->entry(r->arguments);
	r->ended[item] = true;
	r->left--;
	go_on(r, &r->fibers[item], item + 1);
}

static void barrier(void)
{
	struct run *r = run;
	uint32_t item = r->current;

	go_on(r, &r->fibers[item], item + 1);
}

/* Called by a barrier in a kernel in whose SPIR-V no barrier was found. */
static void no_barrier(void)
{
	fprintf(stderr,
		"zecpu: a barrier where none was found in the SPIR-V\n");
	abort();
}

/* Run each item up to its next barrier, or to its end. */
static void run_round(void)
{
	uint32_t before = run->left;

	go_on(run, &run->scheduler, 0);
	if (run->left > 0 && run->left < before)
		zecpu_misuse(ZE_RESULT_SUCCESS,
			     "kernel %s: %u work-items wait at a barrier, %u "
			     "have ended without it",
			     run->launch->info->name, run->left,
			     run->items - run->left);
}

static void run_with_barriers(void)
{
	uint32_t i;

	*run->launch->image->local_id[1] = 0;
	*run->launch->image->local_id[2] = 0;
	for (i = 0; i < run->items; i++) {
		run->ended[i] = false;
		fiber_make(&run->fibers[i], run->stacks + i * STRIDE,
			   item_begins);
	}
	run->left = run->items;
	while (run->left)
		run_round();
}

static void run_group(void)
{
	const struct launch *launch = run->launch;
	const struct image *image = launch->image;
	uint32_t x, y, z;

	if (launch->info->barriers) {
		run_with_barriers();
		return;
	}
	for (z = 0; z < launch->size[2]; z++) {
		*image->local_id[2] = z;
		for (y = 0; y < launch->size[1]; y++) {
			*image->local_id[1] = y;
			for (x = 0; x < launch->size[0]; x++) {
				*image->local_id[0] = x;
				run->entry(run->arguments);
			}
		}
	}
}

static void run_groups(void)
{
	const struct launch *launch = run->launch;
	const struct image *image = launch->image;
	uint32_t x, y, z;
	int i;

	for (i = 0; i < 3; i++) {
		*image->local_size[i] = launch->size[i];
		*image->n_groups[i] = launch->groups[i];
		*image->offset[i] = launch->offset[i];
	}
	*image->work_dim = launch->groups[2] * launch->size[2] > 1   ? 3
			   : launch->groups[1] * launch->size[1] > 1 ? 2
								     : 1;
	*image->hook = launch->info->barriers ? barrier : no_barrier;
	for (z = 0; z < launch->groups[2]; z++) {
		*image->group_id[2] = z;
		for (y = 0; y < launch->groups[1]; y++) {
			*image->group_id[1] = y;
			for (x = 0; x < launch->groups[0]; x++) {
				*image->group_id[0] = x;
				run_group();
			}
		}
	}
}

/* The stacks of this thread.  They only grow, and are kept. */
static _Thread_local struct {
	unsigned char *memory;
	uint32_t n;
} stacks;

static unsigned char *get_stacks(uint32_t n)
{
	if (stacks.n < n) {
		if (stacks.memory)
			munmap(stacks.memory, stacks.n * STRIDE);
		stacks.memory = mmap(
			NULL, n * STRIDE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		stacks.n = n;
		if (stacks.memory == MAP_FAILED)
			abort();
	}
	return stacks.memory;
}

/* Set the address of each argument.  Local arguments get memory of @local. */
static void place_arguments(const struct launch *launch, void **arguments,
			    void **pointers, unsigned char *local)
{
	const struct kernel_info *info = launch->info;
	unsigned char *value = launch->values;
	size_t size;
	uint32_t i;

	for (i = 0; i < info->n_arguments; i++) {
		size = info->arguments[i].size;
		if (info->arguments[i].kind != ARGUMENT_LOCAL) {
			arguments[i] = value;
			value += (size + 15) / 16 * 16;
			continue;
		}
		/* The value of a local argument is the size of its memory. */
		memcpy(&size, value, sizeof(size));
		value += 16;
		pointers[i] = local;
		arguments[i] = &pointers[i];
		local += (size + 127) / 128 * 128;
	}
}

static size_t local_size(const struct launch *launch)
{
	const struct kernel_info *info = launch->info;
	const unsigned char *value = launch->values;
	size_t sum = 128, size;
	uint32_t i;

	for (i = 0; i < info->n_arguments; i++) {
		size = info->arguments[i].size;
		if (info->arguments[i].kind == ARGUMENT_LOCAL) {
			memcpy(&size, value, sizeof(size));
			sum += (size + 127) / 128 * 128;
			size = 16;
		}
		value += (size + 15) / 16 * 16;
	}
	return sum;
}

void zecpu_run(const struct launch *launch)
{
	struct run this_run = { .launch = launch };
	uint32_t n = launch->info->n_arguments;
	uint32_t items = launch->size[0] * launch->size[1] * launch->size[2];
	void **arguments = calloc(2 * n + 1, sizeof(*arguments));
	unsigned char *local = NULL;
	char name[512];

	snprintf(name, sizeof(name), "zek.%s", launch->info->name);
	*(void **)&this_run.entry = dlsym(launch->image->library, name);
	this_run.items = items;
	this_run.flat = items == launch->size[0];
	if (launch->info->barriers) {
		this_run.fibers = calloc(items, sizeof(*this_run.fibers));
		this_run.ended = calloc(items, sizeof(*this_run.ended));
		this_run.stacks = get_stacks(items);
	}
	local = aligned_alloc(128, local_size(launch));
	if (!arguments || !local || !this_run.entry ||
	    (launch->info->barriers && (!this_run.fibers || !this_run.ended)))
		abort();
	place_arguments(launch, arguments, arguments + n, local);
	this_run.arguments = arguments;
	pthread_mutex_lock(launch->image->lock);
	run = &this_run;
	run_groups();
	run = NULL;
	pthread_mutex_unlock(launch->image->lock);
	free(this_run.fibers);
	free(this_run.ended);
	free(arguments);
	free(local);
}
