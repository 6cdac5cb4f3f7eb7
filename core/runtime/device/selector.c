/* SPDX-License-Identifier: Apache-2.0 */
/* selector.c - parsing selectors. */
#include "core/runtime/device/selector.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/suggest.h"
#include "core/runtime/device/info.h"
#include "core/runtime/device/pci.h"
#include "core/runtime/plugin/plugins.h"

struct selector_parser {
	const char *text, *at;
	struct selector_term *term;
};

struct word {
	const char *name;
	int value;
};

static const struct word type_words[] = {
	{ "cpu", DPR_DEVICE_CPU },
	{ "gpu", DPR_DEVICE_GPU },
	{ "accelerator", DPR_DEVICE_ACCELERATOR },
	{ "custom", DPR_DEVICE_CUSTOM },
	{ NULL, 0 },
};

static const struct word division_words[] = {
	{ "equally", DPR_PARTITION_EQUALLY },
	{ "counts", DPR_PARTITION_COUNTS },
	{ "domain", DPR_PARTITION_DOMAIN },
	{ NULL, 0 },
};

static const struct word domain_words[] = {
	{ "numa", DPR_DOMAIN_NUMA },
	{ "l4", DPR_DOMAIN_L4 },
	{ "l3", DPR_DOMAIN_L3 },
	{ "l2", DPR_DOMAIN_L2 },
	{ "l1", DPR_DOMAIN_L1 },
	{ "next", DPR_DOMAIN_NEXT },
	{ NULL, 0 },
};

static dpr_status no_memory(void)
{
	return fail_memory("selector");
}

/* --- Errors ----------------------------------------------------------------
 */

static dpr_status fail_at(const struct selector_parser *p, const char *at,
			  const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static dpr_status fail_at(const struct selector_parser *p, const char *at,
			  const char *format, ...)
{
	struct text why = { 0 };
	dpr_status status;
	va_list args;

	va_start(args, format);
	text_print_args(&why, format, args);
	va_end(args);
	status = fail(DPR_ERROR_SELECTOR, "selector \"%s\", column %zu: %s",
		      text_quote(p->text).bytes, (size_t)(at - p->text) + 1,
		      text_get(&why));
	text_fini(&why);
	return status;
}

static size_t word_length(const char *at)
{
	size_t n = 0;

	while (isalnum((unsigned char)at[n]) || at[n] == '_')
		n++;
	return n;
}

/* Fail with "expected @what, found ..." and the word at @at. */
static dpr_status fail_expected(const struct selector_parser *p, const char *at,
				const char *what)
{
	size_t n = word_length(at);

	if (!*at)
		return fail_at(p, at, "expected %s, found the end", what);
	return fail_at(p, at, "expected %s, found \"%s\"", what,
		       text_quote_part(at, n ? n : 1).bytes);
}

/* Fail because the word at p->at is not one of those offered to @suggestion.
   Ends @suggestion. */
static dpr_status fail_unknown(const struct selector_parser *p,
			       const char *what, struct suggestion *suggestion)
{
	const char *known = text_get(&suggestion->known);
	struct quoted word = text_quote_part(p->at, suggestion->length);
	dpr_status status;

	if (!suggestion->length)
		status = fail_at(p, p->at, "expected %s: %s", what, known);
	else if (suggestion->best)
		status = fail_at(p, p->at,
				 "unknown %s \"%s\"; did you mean \"%s\"?",
				 what, word.bytes, suggestion->best);
	else
		status = fail_at(p, p->at, "unknown %s \"%s\"; known: %s", what,
				 word.bytes, known);
	suggest_end(suggestion);
	return status;
}

static void offer_words(struct suggestion *suggestion, const struct word *words)
{
	for (; words->name; words++)
		suggest_offer(suggestion, words->name);
}

static void offer_name(void *suggestion, const char *name)
{
	suggest_offer(suggestion, name);
}

static dpr_status unknown_word(const struct selector_parser *p, size_t length)
{
	struct suggestion suggestion = suggest_start(p->at, length);

	offer_words(&suggestion, type_words);
	plugins_each_name(offer_name, &suggestion);
	return fail_unknown(p, "word", &suggestion);
}

static dpr_status unknown_aspect(const struct selector_parser *p, size_t length)
{
	struct suggestion suggestion = suggest_start(p->at, length);
	const char *name;
	size_t i;

	for (i = 0; (name = info_aspect_name(i)); i++)
		suggest_offer(&suggestion, name);
	return fail_unknown(p, "aspect", &suggestion);
}

static dpr_status unknown_of(const struct selector_parser *p,
			     const struct word *words, const char *what)
{
	struct suggestion suggestion = suggest_start(p->at, word_length(p->at));

	offer_words(&suggestion, words);
	return fail_unknown(p, what, &suggestion);
}

/* --- Words and numbers -----------------------------------------------------
 */

static void skip_blanks(struct selector_parser *p)
{
	p->at += strspn(p->at, " \t");
}

static int find_word(const struct word *words, const char *at, size_t length)
{
	size_t i;

	for (i = 0; words[i].name; i++) {
		if (strlen(words[i].name) == length &&
		    !strncasecmp(words[i].name, at, length))
			return words[i].value;
	}
	return 0;
}

static dpr_status parse_number(struct selector_parser *p, uint64_t *out)
{
	const char *start = p->at;
	uint64_t n = 0;

	if (!isdigit((unsigned char)*p->at))
		return fail_expected(p, p->at, "a number that is 0 or more");
	for (; isdigit((unsigned char)*p->at); p->at++) {
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*p->at - '0'), &n))
			return fail_at(p, start, "the number is too large");
	}
	if (isalpha((unsigned char)*p->at) || *p->at == '_')
		return fail_expected(p, start, "a number");
	*out = n;
	return DPR_OK;
}

/* --- Sub-devices -----------------------------------------------------------
 */

static dpr_status parse_counts(struct selector_parser *p,
			       struct selector_step *step)
{
	dpr_status status;

	for (;;) {
		uint64_t *units = mem_append(&step->counts, &step->n_counts);
		const char *start = p->at;

		if (!units)
			return no_memory();
		status = parse_number(p, units);
		if (status)
			return status;
		if (!*units)
			return fail_at(p, start,
				       "a sub-device has at least 1 "
				       "compute unit");
		if (*p->at != '+')
			break;
		if (step->how == DPR_PARTITION_EQUALLY)
			return fail_at(p, p->at,
				       "\"equally\" takes one number; use "
				       "\"counts\" for several");
		p->at++;
	}
	return DPR_OK;
}

/* Parse what follows a "/": the kind of division, ":", and counts or a
   domain. */
static dpr_status parse_how(struct selector_parser *p,
			    struct selector_step *step)
{
	size_t length = word_length(p->at);

	step->how = (uint32_t)find_word(division_words, p->at, length);
	if (!step->how)
		return unknown_of(p, division_words, "kind of division");
	p->at += length;
	if (*p->at != ':')
		return fail_expected(p, p->at, "\":\"");
	p->at++;
	if (step->how != DPR_PARTITION_DOMAIN)
		return parse_counts(p, step);
	length = word_length(p->at);
	step->domain = (enum dpr_domain)find_word(domain_words, p->at, length);
	if (!step->domain)
		return unknown_of(p, domain_words, "domain");
	p->at += length;
	return DPR_OK;
}

static dpr_status parse_steps(struct selector_parser *p)
{
	struct selector_step *step;
	dpr_status status;

	while (*p->at == '.' || *p->at == '/') {
		step = mem_append(&p->term->steps, &p->term->n_steps);
		if (!step)
			return no_memory();
		if (*p->at == '/') {
			p->at++;
			status = parse_how(p, step);
			if (status)
				return status;
		}
		if (*p->at != '.')
			return fail_expected(p, p->at,
					     "\".\" and the number of the "
					     "sub-device");
		p->at++;
		status = parse_number(p, &step->index);
		if (status)
			return status;
	}
	return DPR_OK;
}

/* --- Terms -----------------------------------------------------------------
 */

static dpr_status parse_index(struct selector_parser *p)
{
	dpr_status status;

	if (p->term->has_index)
		return fail_at(p, p->at, "a term can have only one index");
	p->term->has_index = true;
	status = parse_number(p, &p->term->index);
	return status ? status : parse_steps(p);
}

static dpr_status parse_word(struct selector_parser *p)
{
	size_t length = word_length(p->at), i;
	struct selector_term *term = p->term;
	int type = find_word(type_words, p->at, length);

	if (!length)
		return fail_expected(p, p->at, "a backend, a type or an index");
	if (type && term->type)
		return fail_at(p, p->at, "a term can have only one type");
	if (type) {
		term->type = (enum dpr_device_type)type;
	} else if (!plugins_know(p->at, length)) {
		if (info_aspect(p->at, length))
			return fail_at(p, p->at,
				       "\"%.*s\" is an aspect: write "
				       "+%.*s",
				       (int)length, p->at, (int)length, p->at);
		return unknown_word(p, length);
	} else if (term->backend) {
		return fail_at(p, p->at, "a term can have only one backend");
	} else {
		term->backend = mem_alloc(length + 1);
		if (!term->backend)
			return no_memory();
		for (i = 0; i < length; i++)
			term->backend[i] =
				(char)tolower((unsigned char)p->at[i]);
	}
	p->at += length;
	return DPR_OK;
}

static dpr_status parse_parts(struct selector_parser *p)
{
	dpr_status status;

	for (;;) {
		if (isdigit((unsigned char)*p->at))
			status = parse_index(p);
		else
			status = parse_word(p);
		if (status || *p->at != ':')
			return status;
		p->at++;
	}
}

static dpr_status parse_aspects(struct selector_parser *p)
{
	struct selector_aspect *aspect;

	while (*p->at == '+' || *p->at == '-') {
		bool wanted = *p->at++ == '+';
		size_t length = word_length(p->at);
		enum dpr_info key = info_aspect(p->at, length);

		if (!length)
			return fail_expected(p, p->at, "the name of an aspect");
		if (!key)
			return unknown_aspect(p, length);
		aspect = mem_append(&p->term->aspects, &p->term->n_aspects);
		if (!aspect)
			return no_memory();
		*aspect = (struct selector_aspect){ key, wanted };
		p->at += length;
	}
	return DPR_OK;
}

/* Parse 32 hex digits; dashes may stand anywhere between them. */
static bool parse_uuid(const char *hex, size_t length, unsigned char out[16])
{
	size_t i, digits = 0;

	memset(out, 0, 16);
	for (i = 0; i < length; i++) {
		int c = tolower((unsigned char)hex[i]);

		if (c == '-')
			continue;
		if (!isxdigit(c) || digits == 32)
			return false;
		c = c <= '9' ? c - '0' : c - 'a' + 10;
		out[digits / 2] = (unsigned char)(out[digits / 2] * 16 + c);
		digits++;
	}
	return digits == 32;
}

/* Parse "pci:" or "uuid:", and what follows it up to the next comma. */
static dpr_status parse_address(struct selector_parser *p, bool is_pci)
{
	struct selector_term *term = p->term;
	size_t length;

	p->at += is_pci ? 4 : 5;
	length = strcspn(p->at, ", \t");
	if (is_pci) {
		term->has_pci = pci_parse(p->at, length, term->pci);
		if (!term->has_pci)
			return fail_expected(p, p->at,
					     "a PCI address such as "
					     "0000:3b:00.0");
	} else {
		term->has_uuid = parse_uuid(p->at, length, term->uuid);
		if (!term->has_uuid)
			return fail_expected(p, p->at,
					     "a UUID of 32 hex digits");
	}
	p->at += length;
	return DPR_OK;
}

static dpr_status parse_term(struct selector_parser *p)
{
	dpr_status status = DPR_OK;

	skip_blanks(p);
	p->term->at = (size_t)(p->at - p->text);
	if (*p->at == '!') {
		p->term->removes = true;
		p->at++;
		skip_blanks(p);
	}
	if (!strncasecmp(p->at, "pci:", 4))
		status = parse_address(p, true);
	else if (!strncasecmp(p->at, "uuid:", 5))
		status = parse_address(p, false);
	else if (*p->at != '+' && *p->at != '-')
		status = parse_parts(p);
	if (!status && !p->term->has_pci && !p->term->has_uuid)
		status = parse_aspects(p);
	if (status)
		return status;
	p->term->length = (size_t)(p->at - p->text) - p->term->at;
	skip_blanks(p);
	if (*p->at && *p->at != ',')
		return fail_expected(p, p->at, "\",\" or the end");
	return DPR_OK;
}

static dpr_status parse_list(struct selector_parser *p,
			     struct selector *selector)
{
	dpr_status status;

	for (;;) {
		p->term = mem_append(&selector->terms, &selector->n);
		if (!p->term)
			return no_memory();
		status = parse_term(p);
		if (status || !*p->at)
			return status;
		p->at++;
	}
}

const char *selector_domain(uint32_t domain)
{
	const struct word *word = domain_words;

	while (word->name && (uint32_t)word->value != domain)
		word++;
	return word->name ? word->name : "";
}

dpr_status selector_parse(const char *text, struct selector **out)
{
	struct selector_parser p = { 0 };
	struct selector *selector = mem_alloc(sizeof(*selector));
	dpr_status status = DPR_OK;

	*out = NULL;
	if (selector)
		selector->text = mem_string(text ? text : "");
	if (!selector || !selector->text) {
		selector_drop(selector);
		return no_memory();
	}
	p.text = p.at = selector->text;
	if (*p.at)
		status = parse_list(&p, selector);
	if (status) {
		selector_drop(selector);
		return status;
	}
	*out = selector;
	return DPR_OK;
}

void selector_drop(struct selector *selector)
{
	size_t i, j;

	if (!selector)
		return;
	for (i = 0; i < selector->n; i++) {
		struct selector_term *term = &selector->terms[i];

		for (j = 0; j < term->n_steps; j++)
			mem_free(term->steps[j].counts);
		mem_free(term->steps);
		mem_free(term->aspects);
		mem_free(term->backend);
	}
	mem_free(selector->terms);
	mem_free(selector->text);
	mem_free(selector);
}
