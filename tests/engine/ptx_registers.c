/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_registers.c - the kernel is read once into a list of instructions, with
 * the registers and labels of each scope.  For each instruction there is then
 * the set of registers that were written on all ways to it; these sets shrink
 * until they stay the same.
 */
#include "tests/engine/ptx_registers.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SCOPES 64 /* inside each other */
#define MOST_TAKEN 40  /* registers of an instruction */

struct word {
	const char *at;
	size_t size;
};

struct name {
	struct word word;
	int id; /* the register, or the label's instruction */
};

struct instruction {
	const char *at;
	int read[MOST_TAKEN], written[MOST_TAKEN]; /* ends with -1 */
	struct word target;                        /* of a branch */
	int to;
	bool guarded, ends; /* under a condition; nothing follows */
};

struct kernel {
	struct instruction *code;
	int n, room;
	struct name *names; /* of the open scopes */
	int n_names, name_room;
	int scope[MOST_SCOPES], depth; /* where each one's names begin */
	int registers;
	bool failed;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static struct word word_at(const char *c, const char *end)
{
	struct word word = { c, 0 };

	if (c < end && *c == '%')
		word.size++;
	while (c + word.size < end && is_word(c[word.size]))
		word.size++;
	return word;
}

static void *grown(struct kernel *k, void *list, int n, int *room, size_t size)
{
	void *more = list;

	if (n == *room) {
		*room = *room ? 2 * *room : 256;
		more = realloc(list, (size_t)*room * size);
	}
	k->failed |= !more;
	return more ? more : list;
}

/* --- Names -------------------------------------------------------------------
 */

static void declare(struct kernel *k, struct word word, int id)
{
	k->names = grown(k, k->names, k->n_names, &k->name_room,
			 sizeof(*k->names));
	if (!k->failed)
		k->names[k->n_names++] = (struct name){ word, id };
}

/* Find the register or label @word in the innermost scope that declares it.
   %c<4> has declared %c0 to %c3, which have the name %c and follow its number.
   Returns -1 if there is none: it belongs to a template or to the machine. */
static int find(const struct kernel *k, struct word word)
{
	struct word stem = word;
	int number = 0, scale = 1;

	while (stem.size > 1 &&
	       isdigit((unsigned char)stem.at[stem.size - 1])) {
		number += scale * (stem.at[--stem.size] - '0');
		scale *= 10;
	}
	for (int i = k->n_names - 1; i >= 0; i--) {
		const struct name *name = &k->names[i];

		if (name->word.size == word.size &&
		    !memcmp(name->word.at, word.at, word.size))
			return name->id;
		if (name->word.size == stem.size && stem.size < word.size &&
		    name->word.at[stem.size] == '<' &&
		    !memcmp(name->word.at, stem.at, stem.size) &&
		    number < atoi(name->word.at + stem.size + 1))
			return name->id + number;
	}
	return -1;
}

/* .reg .b32 %n,%c0e<4>; */
static void add_declaration(struct kernel *k, const char *c, const char *end)
{
	for (; c < end; c++) {
		const struct word word = word_at(c, end);

		if (*c != '%' || c[1] == '_')
			continue;
		c += word.size;
		declare(k, word, k->registers);
		k->registers += c < end && *c == '<' ? atoi(c + 1) : 1;
	}
}

/* --- Instructions ------------------------------------------------------------
 */

static bool begins(const char *c, const char *text)
{
	return !strncmp(c, text, strlen(text));
}

/* Add the registers from @c to @end to a list. */
static void take(struct kernel *k, const char *c, const char *end, int *list)
{
	int n = 0, id;

	while (list[n] >= 0)
		n++;
	while (c < end) {
		const struct word word = word_at(c, end);

		id = *c == '%' && c[1] != '_' ? find(k, word) : -1;
		if (id >= 0 && n == MOST_TAKEN - 1)
			k->failed = true;
		else if (id >= 0)
			list[n++] = id;
		c += word.size ? word.size : 1;
	}
	list[n] = -1;
}

static void add_instruction(struct kernel *k, const char *c, const char *end)
{
	struct instruction *i;
	const char *operands, *results;

	k->code = grown(k, k->code, k->n, &k->room, sizeof(*k->code));
	if (k->failed)
		return;
	i = &k->code[k->n++];
	*i = (struct instruction){ .at = c, .to = -1, .guarded = *c == '@' };
	i->read[0] = i->written[0] = -1;
	if (i->guarded) {
		const char *guard = c;

		while (c < end && *c != ' ')
			c++;
		take(k, guard, c++, i->read);
	}
	operands = c;
	while (operands < end && !isspace((unsigned char)*operands))
		operands++;
	while (operands < end && isspace((unsigned char)*operands))
		operands++;
	results = operands;
	if (begins(c, "bra"))
		i->target = word_at(operands, end);
	i->ends = begins(c, "ret") || begins(c, "bra") || begins(c, "exit");
	if (!i->target.size && !begins(c, "st.") && !begins(c, "bar") &&
	    !begins(c, "red."))
		while (operands < end && *operands != ',')
			operands = *operands == '{' ? strchr(operands, '}') + 1
						    : operands + 1;
	if (!i->guarded)
		take(k, results, operands, i->written);
	take(k, operands, end, i->read);
}

/* A branch may come before its label: look for labels at the end of a scope. */
static void find_targets(struct kernel *k, int first)
{
	for (int i = first; i < k->n; i++)
		if (k->code[i].target.size && k->code[i].to < 0)
			k->code[i].to = find(k, k->code[i].target);
}

static void close_scope(struct kernel *k, int first)
{
	find_targets(k, first);
	k->n_names = k->scope[--k->depth];
}

static void read_kernel(struct kernel *k, const char *c)
{
	int first[MOST_SCOPES] = { 0 };
	const char *end;

	for (; *c && !k->failed; c = end) {
		end = c + 1;
		if (*c == '{' && k->depth < MOST_SCOPES) {
			first[k->depth] = k->n;
			k->scope[k->depth++] = k->n_names;
		} else if (*c == '{') {
			k->failed = true;
		} else if (*c == '}' && k->depth) {
			close_scope(k, first[k->depth - 1]);
			if (!k->depth)
				return;
		} else if (!isspace((unsigned char)*c) && *c != ';') {
			end = c + strcspn(c, ";:\n");
			if (*end == ':')
				declare(k, word_at(c, end), k->n);
			else if (begins(c, ".reg"))
				add_declaration(k, c, end);
			else if (*c != '.')
				add_instruction(k, c, end);
			end += *end == ':';
		}
	}
	k->failed = true;
}

/* --- Ways through the kernel -------------------------------------------------
 */

#define BITS 64

static bool has(const uint64_t *set, int id)
{
	return set[id / BITS] >> id % BITS & 1;
}

/* Leave in the set @to what @from has.  Returns whether @to changes. */
static bool meet(uint64_t *to, const uint64_t *from, size_t words)
{
	uint64_t lost = 0;

	for (size_t w = 0; w < words; w++) {
		lost |= to[w] & ~from[w];
		to[w] &= from[w];
	}
	return lost != 0;
}

static const char *follow(const struct kernel *k, uint64_t *sets, size_t words)
{
	uint64_t *now = sets + (size_t)(k->n + 1) * words;
	bool changes = true;

	memset(sets, 0xff, (size_t)(k->n + 1) * words * sizeof(*sets));
	memset(sets, 0, words * sizeof(*sets));
	while (changes) {
		changes = false;
		for (int i = 0; i < k->n; i++) {
			const struct instruction *code = &k->code[i];

			memcpy(now, sets + (size_t)i * words,
			       words * sizeof(*now));
			for (const int *id = code->written; *id >= 0; id++)
				now[*id / BITS] |= UINT64_C(1) << *id % BITS;
			if (code->to >= 0)
				changes |= meet(sets + (size_t)code->to * words,
						now, words);
			if (code->guarded || !code->ends)
				changes |= meet(sets + (size_t)(i + 1) * words,
						now, words);
		}
	}
	for (int i = 0; i < k->n; i++)
		for (const int *id = k->code[i].read; *id >= 0; id++)
			if (!has(sets + (size_t)i * words, *id))
				return k->code[i].at;
	return NULL;
}

const char *ptx_unwritten(const char *module)
{
	const char *body = strstr(module, ")\n{");
	struct kernel k = { .n = 0 };
	const char *bad = module;
	uint64_t *sets = NULL;
	size_t words;

	if (body)
		read_kernel(&k, body + 2);
	words = (size_t)k.registers / BITS + 1;
	if (body && !k.failed)
		sets = malloc((size_t)(k.n + 2) * words * sizeof(*sets));
	if (sets)
		bad = follow(&k, sets, words);
	free(sets);
	free(k.code);
	free(k.names);
	return bad;
}
