/* SPDX-License-Identifier: Apache-2.0 */
/* print.c - writes arrays as text, as NumPy's str() does. */
#include <inttypes.h>
#include <string.h>

#include <dpr/device.h>

#include "core/array/element/decimal.h"
#include "core/array/element/dtype.h"
#include "core/array/element/scalar.h"
#include "core/array/layout/layout.h"
#include "core/array/object/array.h"
#include "core/base/handles/handles.h"
#include "core/base/mem.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "core/base/trace.h"

/* An array to print, and a copy of the elements that are shown. */
struct page {
	const dpr_array *x;
	/* the number of items shown at each end of a cut axis; 0: no axis is
	   cut */
	int edge;
	int width;
	char *data; /* the copy, C-contiguous with the extents `dim` */
	size_t item;
	int64_t dim[DPR_MAX_RANK], stride[DPR_MAX_RANK], count;
	struct decimal_format re, im;
	int integer_width;
	struct text text;
	int column; /* the length of the current line */
};

static bool is_cut(const struct page *page, int axis)
{
	return page->edge && page->x->dim[axis] > 2 * (int64_t)page->edge;
}

/*
 * Copy the elements that are shown, one corner after the other.  Recurses from
 * axis to axis, and takes the first and the last items of a cut axis.
 */
static dpr_status copy_corners(struct page *page, struct layout *view, int axis,
			       char *to)
{
	int64_t offset = view->offset, edge = page->edge;
	dpr_array *corner;
	dpr_status status;

	while (axis < view->rank && !is_cut(page, axis))
		axis++;
	if (axis == view->rank) {
		status = array_view(page->x, view, &corner);
		if (status)
			return status;
		status = dpr_array_to_memory(corner, to,
					     (size_t)page->count * page->item -
						     (size_t)(to - page->data),
					     page->stride);
		dpr_array_release(corner);
		return status;
	}
	view->dim[axis] = edge;
	status = copy_corners(page, view, axis + 1, to);
	if (!status) {
		view->offset +=
			(page->x->dim[axis] - edge) * view->stride[axis];
		status = copy_corners(page, view, axis + 1,
				      to + (size_t)(edge * page->stride[axis]) *
						      page->item);
	}
	view->offset = offset;
	view->dim[axis] = page->x->dim[axis];
	return status;
}

static dpr_status copy_shown(struct page *page)
{
	const dpr_array *x = page->x;
	struct layout view;

	for (int k = 0; k < x->rank; k++)
		page->dim[k] =
			is_cut(page, k) ? 2 * (int64_t)page->edge : x->dim[k];
	if (!layout_count(x->rank, page->dim, &page->count))
		return fail(DPR_ERROR_OVERFLOW, "print: too many elements");
	layout_c_strides(x->rank, page->dim, page->stride);
	page->item = dpr_dtype_size(x->dtype);
	page->data = mem_array((size_t)page->count, page->item);
	if (!page->data)
		return fail_memory("print");
	array_layout(x, &view);
	return copy_corners(page, &view, 0, page->data);
}

static dpr_operand shown_element(const struct page *page, int64_t i)
{
	return scalar_load(page->data + (size_t)i * page->item, page->x->dtype);
}

static double real_part(const struct page *page, int64_t i)
{
	dpr_operand value = shown_element(page, i);

	return value.kind == DPR_OPERAND_COMPLEX ? value.as.c[0] : value.as.f;
}

static double imaginary_part(const struct page *page, int64_t i)
{
	return shown_element(page, i).as.c[1];
}

static void survey_floats(struct page *page, struct decimal_format *f,
			  double (*part)(const struct page *, int64_t),
			  int precision, bool sign)
{
	decimal_begin(f, dtype_part(page->x->dtype), precision, sign);
	for (int64_t i = 0; i < page->count; i++)
		decimal_choose(f, part(page, i));
	decimal_measure_begin(f);
	for (int64_t i = 0; i < page->count; i++)
		decimal_measure(f, part(page, i));
	decimal_measure_end(f);
}

static int write_integer(dpr_operand value, int width, char *text)
{
	if (value.kind == DPR_OPERAND_INT)
		return snprintf(text, DECIMAL_ROOM, "%*" PRId64, width,
				value.as.i);
	return snprintf(text, DECIMAL_ROOM, "%*" PRIu64, width, value.as.u);
}

static void survey_page(struct page *page, int precision)
{
	char text[DECIMAL_ROOM];

	switch (dpr_dtype_kind(page->x->dtype)) {
	case 'i':
	case 'u':
		for (int64_t i = 0; i < page->count; i++) {
			int n = write_integer(shown_element(page, i), 0, text);

			if (n > page->integer_width)
				page->integer_width = n;
		}
		break;
	case 'c':
		survey_floats(page, &page->im, imaginary_part, precision, true);
		/* fall through */
	case 'f':
		survey_floats(page, &page->re, real_part, precision, false);
		break;
	}
}

/* Write a complex number.  The 'j' comes before the blanks that fill the
   width. */
static int write_complex(const struct page *page, int64_t i, char *text)
{
	int n = decimal_write(&page->re, real_part(page, i), text);
	int all =
		n + decimal_write(&page->im, imaginary_part(page, i), text + n);
	int end = all;

	while (text[end - 1] == ' ')
		end--;
	memmove(text + end + 1, text + end, (size_t)(all - end) + 1);
	text[end] = 'j';
	return all + 1;
}

static int write_element(const struct page *page, int64_t i, char *text)
{
	dpr_operand value = shown_element(page, i);

	switch (dpr_dtype_kind(page->x->dtype)) {
	case 'b': return sprintf(text, "%s", value.as.u ? " True" : "False");
	case 'i':
	case 'u': return write_integer(value, page->integer_width, text);
	case 'f': return decimal_write(&page->re, value.as.f, text);
	}
	return write_complex(page, i, text);
}

/* Write a 0-d array as its element. */
static void write_scalar(struct page *page)
{
	dpr_operand value = shown_element(page, 0);
	dpr_dtype type = dtype_part(page->x->dtype);
	char text[2 * DECIMAL_ROOM];
	int n = 0;

	switch (dpr_dtype_kind(page->x->dtype)) {
	case 'b': n = sprintf(text, "%s", value.as.u ? "True" : "False"); break;
	case 'i':
	case 'u': n = write_integer(value, 0, text); break;
	case 'f':
		n = decimal_write_alone(type, value.as.f, true, false, text);
		break;
	case 'c':
		if (value.as.c[0] == 0 && !__builtin_signbit(value.as.c[0])) {
			n = decimal_write_alone(type, value.as.c[1], false,
						false, text);
			text[n++] = 'j';
			break;
		}
		text[n++] = '(';
		n += decimal_write_alone(type, value.as.c[0], false, false,
					 text + n);
		n += decimal_write_alone(type, value.as.c[1], false, true,
					 text + n);
		text[n++] = 'j';
		text[n++] = ')';
		break;
	}
	text_add(&page->text, text, (size_t)n);
}

/* End the line, without the blanks at its end, and indent the next line. */
static void new_line(struct page *page, int lines, int indent)
{
	struct text *text = &page->text;

	while (text->size && text->bytes[text->size - 1] == ' ')
		text->size--;
	while (lines-- > 0)
		text_add(text, "\n", 1);
	text_print(text, "%*s", indent, "");
	page->column = indent;
}

/* Add a word to a row whose lines begin with @indent spaces. */
static void add_word(struct page *page, const char *word, int n, int indent,
		     int width, bool first)
{
	if (!first) {
		text_add(&page->text, " ", 1);
		page->column++;
	}
	if (page->column + n > width && page->column > indent)
		new_line(page, 1, indent);
	text_add(&page->text, word, (size_t)n);
	page->column += n;
}

static void write_row(struct page *page, int axis, int64_t start)
{
	int indent = axis + 1, width = page->width - axis - 1;
	int64_t count = page->dim[axis];
	char word[2 * DECIMAL_ROOM];

	page->column = indent;
	for (int64_t i = 0; i < count; i++) {
		if (is_cut(page, axis) && i == page->edge)
			add_word(page, "...", 3, indent, width, false);
		add_word(page, word, write_element(page, start + i, word),
			 indent, width, i == 0);
	}
}

static void write_axis(struct page *page, int axis, int64_t start)
{
	int last = page->x->rank - 1;

	text_add(&page->text, "[", 1);
	if (axis == last) {
		write_row(page, axis, start);
		text_add(&page->text, "]", 1);
		return;
	}
	for (int64_t i = 0; i < page->dim[axis]; i++) {
		if (is_cut(page, axis) && i == page->edge) {
			new_line(page, last - axis, axis + 1);
			text_add(&page->text, "...", 3);
		}
		if (i)
			new_line(page, last - axis, axis + 1);
		write_axis(page, axis + 1, start + i * page->stride[axis]);
	}
	text_add(&page->text, "]", 1);
}

static int option_or(int given, int otherwise)
{
	return given > 0 ? given : otherwise;
}

static dpr_status write_page(struct page *page, const dpr_print_options *o)
{
	const dpr_array *x = page->x;
	dpr_status status;

	if (!x->size) {
		text_add(&page->text, "[]", 2);
		return DPR_OK;
	}
	page->width = option_or(o->line_width, 75);
	if (x->size > option_or(o->threshold, 1000))
		page->edge = option_or(o->edge_items, 3);
	status = copy_shown(page);
	if (status)
		return status;
	if (!x->rank) {
		write_scalar(page);
		return DPR_OK;
	}
	survey_page(page, option_or(o->precision, 8));
	write_axis(page, 0, 0);
	return DPR_OK;
}

dpr_status dpr_array_format(const dpr_array *x,
			    const dpr_print_options *options, char **text)
{
	TRACE_CALL;
	HANDLES(x);
	const dpr_print_options defaults = { 0 };
	struct page *page;
	dpr_status status;

	if (text)
		*text = NULL;
	if (!x || !text)
		return fail(DPR_ERROR_INVALID_ARGUMENT, "print: %s is NULL",
			    x ? "text" : "the array");
	if (options && options->struct_size < sizeof(*options))
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "print: struct_size of the options is %zu; set it "
			    "to sizeof(dpr_print_options), which is %zu",
			    options->struct_size, sizeof(*options));
	page = mem_alloc(sizeof(*page));
	if (!page)
		return fail_memory("print");
	page->x = x;
	status = write_page(page, options ? options : &defaults);
	if (!status) {
		*text = text_take(&page->text);
		if (!*text)
			status = fail_memory("print");
	}
	text_fini(&page->text);
	mem_free(page->data);
	mem_free(page);
	return status;
}

dpr_status dpr_array_print(const dpr_array *x, FILE *stream)
{
	TRACE_CALL;
	HANDLES(x);
	dpr_status status;
	char *text;
	int bad;

	if (!stream)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "print: the stream is NULL");
	status = dpr_array_format(x, NULL, &text);
	if (status)
		return status;
	bad = fputs(text, stream) == EOF || fputc('\n', stream) == EOF;
	dpr_free(text);
	if (bad)
		return fail(DPR_ERROR_INVALID_ARGUMENT,
			    "print: cannot write to the stream: %m");
	return DPR_OK;
}
