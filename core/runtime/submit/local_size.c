/* SPDX-License-Identifier: Apache-2.0 */
/* local_size.c - choosing a local size that divides the global size. */
#include "core/runtime/submit/local_size.h"

#include "core/base/log.h"
#include "core/base/status.h"

/* A work-group has at most this many work-items where smaller ones are
   possible. */
#define USUAL 256
/* The same for native code: each work-group is a call.  A thread gets at least
   GROUPS_NATIVE of them, so that all threads end at about the same time, unless
   a group would be smaller than USUAL. */
#define USUAL_NATIVE 4096
#define GROUPS_NATIVE 16
/* With more dimensions than one, the first gets this many before the second
   gets any. */
#define FIRST 32
/* A work-group with fewer work-items than this is small: other divisors than
   powers of two are taken. */
#define SMALL 8
/* The log tells of work-groups with fewer work-items than this. */
#define SLOW 16
/* The largest local size of a dimension that is no power of two, where the
   driver compiles the kernel for each local size: there are few such sizes. */
#define LARGEST_COMPILED 15

/* A local size while it is chosen. */
struct local_size_choice {
	const struct kernel_limits *limits;
	uint32_t dims;
	const uint64_t *global;
	uint64_t *local;
	uint64_t items; /* the product of `local` */
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The smallest divisor of @n from @from to @to; 0: there is none. */
static uint64_t smallest_divisor(uint64_t n, uint64_t from, uint64_t to)
{
	uint64_t d;

	to = least(to, n);
	for (d = from; d <= to; d++)
		if (n % d == 0)
			return d;
	return 0;
}

/* The last long search of this thread for a divisor.  A program that launches
   one range again and again pays for the search once. */
static _Thread_local struct {
	uint64_t n, most, d;
} found;
#define LONG_SEARCH 64

/* The largest divisor of @n that is at most @most, which is not 0 and fits 32
   bits. */
static uint64_t largest_divisor(uint64_t n, uint64_t most)
{
	uint32_t d = (uint32_t)least(most, n), small = (uint32_t)n;
	const uint32_t first = d;

	if (found.n == n && found.most == most)
		return found.d;
	/* Divisions of 32 bits take half the time on many CPUs. */
	if (small == n)
		while (small % d)
			d--;
	else
		while (n % d)
			d--;
	if (first - d > LONG_SEARCH) {
		found.n = n;
		found.most = most;
		found.d = d;
	}
	return d;
}

/* Take the smallest local size with which the device takes the number of
   work-groups.  Returns false if dimension @i has none. */
static bool begin(struct local_size_choice *c, uint32_t i)
{
	const struct kernel_limits *limits = c->limits;
	const uint64_t most = least(limits->local[i], limits->group / c->items);
	uint64_t from = 1;

	if (c->global[i] > limits->groups[i])
		from = (c->global[i] - 1) / limits->groups[i] + 1;
	if (from > 1)
		from = smallest_divisor(c->global[i], from, most);
	if (!from)
		return false;
	c->local[i] = from;
	c->items *= from;
	return true;
}

/* Double the local size of dimension @i, up to @most, while it divides. */
static void grow(struct local_size_choice *c, uint32_t i, uint64_t most)
{
	const uint64_t items = least(c->limits->group, USUAL);
	uint64_t groups = c->global[i];

	if (c->local[i] > 1)
		groups /= c->local[i];
	most = least(most, c->limits->local[i]);
	for (; groups % 2 == 0; groups /= 2) {
		if (c->local[i] * 2 > most || c->items * 2 > items)
			return;
		c->local[i] *= 2;
		c->items *= 2;
	}
}

/* Take the largest divisors with which the group has at most @items work-items,
   of one dimension after the other until the group has @enough. */
static void take_divisors(struct local_size_choice *c, uint64_t items,
			  uint64_t enough)
{
	const struct kernel_limits *limits = c->limits;
	uint64_t rest, d;
	uint32_t i;

	items = least(items, limits->group);
	for (i = 0; i < c->dims && c->items < enough; i++) {
		rest = c->items / c->local[i];
		d = largest_divisor(c->global[i],
				    least(limits->local[i], items / rest));
		if (d > c->local[i]) {
			c->local[i] = d;
			c->items = rest * d;
		}
	}
}

/* Take a local size for native code. */
static void take_native(struct local_size_choice *c)
{
	const uint64_t threads = c->limits->threads;
	uint64_t all = 1, items;
	uint32_t i;

	for (i = 0; i < c->dims; i++)
		all *= c->global[i];
	items = all / GROUPS_NATIVE / threads;
	if (items < USUAL)
		items = USUAL;
	items = least(items, USUAL_NATIVE);
	take_divisors(c, items, items);
}

/* Take the local size that the kernel requires. */
static uint64_t take_required(struct local_size_choice *c, uint32_t *which)
{
	const uint64_t *required = c->limits->required;
	uint32_t i;

	for (i = 0; i < 3; i++) {
		const uint64_t global = i < c->dims ? c->global[i] : 1;

		*which = i;
		if (global % required[i] ||
		    global / required[i] > c->limits->groups[i])
			return 0;
		c->local[i] = required[i];
		c->items *= required[i];
	}
	return c->items;
}

uint64_t local_size_choose(const struct kernel_limits *limits, uint32_t dims,
			   const uint64_t global[3], uint64_t local[3],
			   uint32_t *which)
{
	struct local_size_choice c = { limits, dims, global, local, 1 };
	uint32_t i;

	if (limits->required[0])
		return take_required(&c, which);
	for (i = 0; i < dims; i++) {
		*which = i;
		if (!begin(&c, i))
			return 0;
	}
	if (limits->threads) {
		take_native(&c);
		return c.items;
	}
	if (dims > 1) {
		grow(&c, 0, FIRST);
		grow(&c, 1, USUAL);
	}
	if (dims > 2)
		grow(&c, 2, USUAL);
	grow(&c, 0, USUAL);
	take_divisors(&c, limits->compiles ? LARGEST_COMPILED : USUAL, SMALL);
	return c.items;
}

static dpr_status fail_choice(const dpr_kernel *kernel, const dpr_range *range,
			      uint32_t which)
{
	const struct kernel_limits *limits = &kernel->limits;
	const unsigned long long n =
		which < range->dims ? range->global[which] : 1;

	if (limits->required[0] && n % limits->required[which])
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "launch %s: the local size %llu that the kernel "
			    "requires does not divide the %llu work-items of "
			    "dimension %u; let the kernel check its bounds and "
			    "give the range the flag DPR_RANGE_PADDED",
			    kernel->name,
			    (unsigned long long)limits->required[which], n,
			    which);
	return fail(DPR_ERROR_INVALID_ARGUMENT,
		    "launch %s: no local size divides the %llu work-items of "
		    "dimension %u into at most %llu work-groups, which is the "
		    "limit of %s; let the kernel check its bounds and give the "
		    "range the flag DPR_RANGE_PADDED",
		    kernel->name, n, which,
		    (unsigned long long)limits->groups[which],
		    kernel->program->device->selector);
}

/* Say once for each kernel that its work-groups are small. */
static void tell_small(dpr_kernel *kernel, const dpr_range *range,
		       uint64_t items)
{
	if (!log_wants(DPR_LOG_INFO) ||
	    atomic_exchange_explicit(&kernel->told_small, true,
				     memory_order_relaxed))
		return;
	log_post(DPR_LOG_INFO,
		 "kernel %s: a range of %llu x %llu x %llu work-items runs in "
		 "work-groups of %llu, which is slow; if the kernel checks its "
		 "bounds, give the range the flag DPR_RANGE_PADDED",
		 kernel->name, (unsigned long long)range->global[0],
		 (unsigned long long)(range->dims > 1 ? range->global[1] : 1),
		 (unsigned long long)(range->dims > 2 ? range->global[2] : 1),
		 (unsigned long long)items);
}

dpr_status local_size_set(dpr_kernel *kernel, dpr_range *range)
{
	uint64_t local[3], items;
	uint32_t which = 0, i;
	bool whole = true;

	items = local_size_choose(&kernel->limits, range->dims, range->global,
				  local, &which);
	if (!items)
		return fail_choice(kernel, range, which);
	for (i = 0; i < range->dims; i++) {
		range->local[i] = local[i];
		whole = whole && local[i] == range->global[i];
	}
	if (items < SLOW && !whole)
		tell_small(kernel, range, items);
	return DPR_OK;
}
