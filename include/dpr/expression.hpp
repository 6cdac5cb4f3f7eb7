/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expression.hpp - array expressions in C++17: operators, functions, and text.
 *
 *	dpr::array z = sqrt(x * x + y * y);
 *	x(dpr::slice(1, -1)) = (x(dpr::slice(0, -2)) + x(dpr::slice(2))) / 2;
 *	std::cout << sum(x - mean(x), dpr::axes(0)) << '\n';
 *
 * Operators and functions of arrays compute nothing: they make a dpr::expr,
 * which retains its operands.  The expression is computed when it is converted
 * to dpr::array, assigned to a view, printed or copied out.  It is computed as
 * its text by dpr_expression_apply() (dpr/expression.h), so one kernel computes
 * several steps where the device allows this.  A single function of arrays and
 * numbers is a call of its C function.  A type of expression is read when it is
 * first computed in a process, and again for each other way in which operands
 * are the same.  What is used twice, as d in d * d, is computed once.
 *
 * `auto e = x + y;` holds the expression, not its value:
 * - e is computed anew each time that it is used.
 * - e retains the arrays.  If the elements of x change before e is computed, e
 *   has the new elements.  If the name x gets another array by `x = ...`, e
 *   keeps the array that x was.
 * - Numbers are copied into e.
 * `dpr::array z = x + y;` and `auto z = (x + y).evaluate();` hold the value.
 * `x + y;` alone would do nothing, and compilers warn of it.
 *
 * For what other libraries write, write here:
 * - x.astype(...): dpr::astype<float>(x), or dpr::astype(x, DPR_FLOAT32), which
 *   computes an expression x first;
 * - sum(x, {0, 1}): sum(x, dpr::axes(0, 1));
 * - double d = sum(x): double d = sum(x).item<double>();
 * - e(dpr::slice(1)) of an expression e: e.evaluate()(dpr::slice(1)).
 *
 * Operators have the meaning of Python, in arrays of integers too: x / y is the
 * true quotient, in floats; x % y has the sign of y; &, |, ^ and ~ are of bits,
 * or of truth for bool arrays; comparisons give arrays of bool.  Numbers are
 * weak: they take the dtype of the array beside them (dpr/operand.h).  The
 * functions of dpr/elementwise.h and the reductions of dpr/reduce.h are in the
 * namespace dpr under the same names.
 *
 * Errors are those of dpr_expression_apply() and of the functions, thrown as
 * dpr::error when the expression is computed.
 */
#ifndef DPR_EXPRESSION_HPP
#define DPR_EXPRESSION_HPP

#include <atomic>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include <dpr/array.hpp>
#include <dpr/elementwise.h>
#include <dpr/expression.h>
#include <dpr/reduce.h>

namespace dpr
{

namespace detail
{

template <> struct counted<dpr_expression> {
	static dpr_expression *retain(dpr_expression *x) noexcept
	{
		return dpr_expression_retain(x);
	}
	static void release(dpr_expression *x) noexcept
	{
		dpr_expression_release(x);
	}
};

/* What is an operand: a lazy one is an array or an expression. */
template <class T>
inline constexpr bool is_lazy =
	std::is_same_v<plain<T>, array> || is_expr<plain<T>>;
template <class T>
inline constexpr bool is_operand = is_lazy<T> || is_number<plain<T>>;
template <class... T>
using if_operands =
	std::enable_if_t<(is_operand<T> && ...) && (is_lazy<T> || ...)>;

/* An operand for a C function. */
inline dpr_operand operand_of(const array &x) noexcept
{
	return dpr_operand_array(x.get());
}
inline dpr_operand operand_of(const dpr_operand &x) noexcept
{
	return x;
}
template <class T, class = std::enable_if_t<is_number<T>>>
dpr_operand operand_of(const T &x) noexcept
{
	return dpr_operand_of(x);
}

/* An expression has no array that outlives the call; see hold(). */
template <class F, class... A>
dpr_operand operand_of(const expr<F, A...> &) = delete;

/* Set the bindings from @to on to pairs of a name and a value. */
inline void bind_pairs(dpr_binding *) noexcept
{
}
template <class T, class... R>
void bind_pairs(dpr_binding *to, const char *name, const T &value,
	const R &...rest) noexcept
{
	to->name = name;
	to->value = operand_of(value);
	bind_pairs(to + 1, rest...);
}

/* What stands for a name or a value until a call returns: the array of an
   expression, which is computed, and anything else itself. */
template <class T> decltype(auto) hold(const T &value)
{
	if constexpr (is_expr<T>)
		return value.evaluate();
	else
		return (value);
}

/* Call @call with the bindings of these names and values, and their number. */
template <class G, class... P> dpr_status bind(G call, const P &...pairs)
{
	dpr_binding list[sizeof...(P) / 2 + 1];

	static_assert(sizeof...(P) % 2 == 0,
		"each name of an expression needs a value");
	bind_pairs(list, pairs...);
	return call(list, sizeof...(P) / 2);
}

} // namespace detail

/* An expression that was read from text. */
class expression : public handle<expression, dpr_expression>
{
public:
	/* No object. */
	expression() noexcept = default;

	/* Read @text; as dpr_expression_create(). */
	explicit expression(const char *text)
	{
		check(dpr_expression_create(text, put()));
	}
	explicit expression(const std::string &text) : expression(text.c_str())
	{
	}

	/* How many results there are. */
	std::size_t result_count() const noexcept
	{
		return dpr_expression_result_count(get());
	}

	/* The result with these names and values: e("x", x, "k", 2.5).  A value
	   is an array, a number, or a dpr::expr, which is computed first.  As
	   dpr_expression_apply(), on the queue of the arrays. */
	template <class... P> array operator()(const P &...pairs) const
	{
		return on(queue(), pairs...);
	}
	/* The same on @queue, which a text without arrays needs:
	   e.on(queue, "n", 100).  No queue: that of the arrays. */
	template <class... P>
	array on(const dpr::queue &queue, const P &...pairs) const
	{
		array made;

		check(apply(queue, made.put(), 1, pairs...));
		return made;
	}

	/* All results, on the queue of the arrays and on @queue. */
	template <class... P> std::vector<array> all(const P &...pairs) const
	{
		return all_on(queue(), pairs...);
	}
	template <class... P>
	std::vector<array> all_on(
		const dpr::queue &queue, const P &...pairs) const
	{
		std::vector<dpr_array *> made(result_count());
		std::vector<array> list(made.size());

		check(apply(queue, made.data(), made.size(), pairs...));
		for (std::size_t i = 0; i < made.size(); i++)
			list[i] = array::adopt(made[i]);
		return list;
	}

	/* Compute the one result into @out, which exists; as
	   dpr_expression_apply_into(). */
	template <class... P>
	void into(const array &out, const P &...pairs) const
	{
		dpr_array *const result = out.get();
		const auto call = [&](const dpr_binding *list, std::size_t n) {
			return dpr_expression_apply_into(
				get(), list, n, &result, 1);
		};

		check(detail::bind(call, detail::hold(pairs)...));
	}

	/* How the expression is computed with these names and values, on the
	   queue of the arrays and on @queue; as dpr_expression_explain(). */
	template <class... P> std::string explain(const P &...pairs) const
	{
		return explain_on(queue(), pairs...);
	}
	template <class... P>
	std::string explain_on(const dpr::queue &queue, const P &...pairs) const
	{
		char *text = nullptr;
		const auto call = [&](const dpr_binding *list,
					  std::size_t count) {
			return dpr_expression_explain(
				get(), list, count, queue.get(), &text);
		};

		check(detail::bind(call, detail::hold(pairs)...));
		return detail::take_text(text);
	}

private:
	template <class... P>
	dpr_status apply(const dpr::queue &queue, dpr_array **made,
		std::size_t count, const P &...pairs) const
	{
		const auto call = [&](const dpr_binding *list, std::size_t n) {
			return dpr_expression_apply(
				get(), list, n, queue.get(), made, count);
		};

		return detail::bind(call, detail::hold(pairs)...);
	}
};

/* Read and compute @text on @queue, which a text without arrays needs:
   dpr::evaluate_on(queue, "linspace(0, 1, n)", "n", 100).  No queue: that of
   the arrays.  The text has one result.  Values are as for dpr::expression.  As
   dpr_evaluate(). */
template <class... P>
array evaluate_on(const queue &queue, const char *text, const P &...pairs)
{
	array made;
	const auto call = [&](const dpr_binding *list, std::size_t count) {
		return dpr_evaluate_with(
			text, list, count, queue.get(), made.put());
	};

	check(detail::bind(call, detail::hold(pairs)...));
	return made;
}

/* The same on the queue of the arrays:
   dpr::evaluate("sqrt(x*x + k)", "x", x, "k", 2.5). */
template <class... P> array evaluate(const char *text, const P &...pairs)
{
	return evaluate_on(queue(), text, pairs...);
}

/* The same into @out, which exists; as dpr_evaluate_into(). */
template <class... P>
void evaluate_into(const char *text, const array &out, const P &...pairs)
{
	const auto call = [&](const dpr_binding *list, std::size_t count) {
		return dpr_evaluate_with_into(text, list, count, out.get());
	};

	check(detail::bind(call, detail::hold(pairs)...));
}

/* Define a function for all texts that this process reads from now on, and drop
   the function @name; as dpr_expression_define() and
   dpr_expression_undefine(). */
inline void define(const char *text)
{
	check(dpr_expression_define(text));
}
inline void undefine(const char *name)
{
	check(dpr_expression_undefine(name));
}

/* The dtype that a function of these arrays and numbers computes in; as
   dpr_result_type(). */
template <class... T, class = std::enable_if_t<((std::is_same_v<T, array> ||
						 detail::is_number<T>)&&...)>>
dpr_dtype result_type(const T &...operands)
{
	const dpr_operand list[] = { detail::operand_of(operands)...,
		dpr_operand() };
	dpr_dtype dtype = DPR_DTYPE_DEFAULT;

	check(dpr_result_type(list, sizeof...(T), &dtype));
	return dtype;
}

namespace detail
{

/* Axes of a reduction with a mask or an initial number. */
class chosen_axes
{
public:
	chosen_axes(std::vector<int> axis, bool kept)
	    : axis_(std::move(axis)), kept_(kept)
	{
	}

	/* Only elements where @mask is true are reduced. */
	[[nodiscard]] chosen_axes where(array mask) &&
	{
		mask_ = std::move(mask);
		return std::move(*this);
	}

	/* @number is combined with each result. */
	template <class T> [[nodiscard]] chosen_axes initial(T number) &&
	{
		initial_ = dpr_operand_of(number);
		return std::move(*this);
	}

	/* The axes for C functions; lent as long as this object. */
	dpr_axes get() const noexcept
	{
		dpr_axes made =
			dpr_axes_list(static_cast<std::int32_t>(axis_.size()),
				kept_, axis_.empty() ? nullptr : axis_.data());

		made.where = mask_.get();
		made.initial = initial_;
		return made;
	}

private:
	std::vector<int> axis_;
	bool kept_;
	array mask_;
	dpr_operand initial_ = dpr_operand_array(nullptr);
};

/* Axes of a reduction: N numbers (0: all axes), and whether they are kept. */
template <std::size_t N, bool Kept> struct axis_list {
	std::array<int, N> axis;

	[[nodiscard]] chosen_axes where(array mask) const
	{
		return chosen().where(std::move(mask));
	}
	template <class T> [[nodiscard]] chosen_axes initial(T number) const
	{
		return chosen().initial(number);
	}

private:
	chosen_axes chosen() const
	{
		return { { axis.begin(), axis.end() }, Kept };
	}
};

/* The types of axes. */
template <class T>
inline constexpr bool is_axis =
	std::is_integral_v<T> && !std::is_same_v<T, bool>;

/* @axis for C functions; what int does not hold is an axis that no array
   has. */
template <class T> constexpr int axis_of(T axis) noexcept
{
	static_assert(is_axis<T>, "an axis is an integer");
	using wide = std::conditional_t<std::is_signed_v<T>, long long,
		unsigned long long>;

	return holds<int>(static_cast<wide>(axis))
		       ? static_cast<int>(axis)
		       : std::numeric_limits<int>::min();
}

template <class T> inline constexpr bool is_axes = false;
template <std::size_t N, bool Kept>
inline constexpr bool is_axes<axis_list<N, Kept>> = true;

} // namespace detail

/* Axes for a reduction: sum(x, dpr::axes(0, 1)).  The result is without them;
   with dpr::axes_kept(0) they stay, with extent 1, and with dpr::all_kept all
   axes do.  dpr::axes() is all axes.  A mask of bool chooses elements: sum(x,
   dpr::axes(0).where(x > 1)).  A number is combined with each result: max(x,
   dpr::axes().where(mask).initial(0)).  Reductions with a mask or a number are
   computed at once; dpr/reduce.h says which take them. */
template <class... A>
constexpr detail::axis_list<sizeof...(A), false> axes(A... axis) noexcept
{
	return { { detail::axis_of(axis)... } };
}
template <class... A>
constexpr detail::axis_list<sizeof...(A), true> axes_kept(A... axis) noexcept
{
	return { { detail::axis_of(axis)... } };
}
inline constexpr detail::axis_list<0, true> all_kept{};

namespace detail
{

/* An operator of the text, and how tightly it binds. */
struct spelling {
	const char *function, *text;
	int binds;
};
constexpr int binds_compare = 1, binds_unary = 8;

/* The operator for @function; NULL: there is none. */
inline const spelling *find_spelling(const char *function)
{
	static constexpr spelling spellings[] = {
		{ "negative", "-", binds_unary },
		{ "positive", "+", binds_unary },
		{ "bitwise_invert", "~", binds_unary },
		{ "equal", " == ", binds_compare },
		{ "not_equal", " != ", binds_compare },
		{ "less", " < ", binds_compare },
		{ "less_equal", " <= ", binds_compare },
		{ "greater", " > ", binds_compare },
		{ "greater_equal", " >= ", binds_compare },
		{ "bitwise_or", " | ", 2 },
		{ "bitwise_xor", " ^ ", 3 },
		{ "bitwise_and", " & ", 4 },
		{ "bitwise_left_shift", " << ", 5 },
		{ "bitwise_right_shift", " >> ", 5 },
		{ "add", " + ", 6 },
		{ "subtract", " - ", 6 },
		{ "multiply", "*", 7 },
		{ "divide", "/", 7 },
		{ "remainder", " % ", 7 },
	};

	for (const spelling &s : spellings)
		if (!std::strcmp(s.function, function))
			return &s;
	return nullptr;
}

/* The most operands of an expression, and their names. */
constexpr std::size_t max_operands = 256;
struct name_table {
	char text[max_operands][5];
};
constexpr name_table make_names() noexcept
{
	name_table names{};

	for (std::size_t i = 0; i < max_operands; i++) {
		char *next = names.text[i];

		*next++ = 'x';
		if (i >= 100)
			*next++ = static_cast<char>('0' + i / 100);
		if (i >= 10)
			*next++ = static_cast<char>('0' + i / 10 % 10);
		*next++ = static_cast<char>('0' + i % 10);
	}
	return names;
}
inline constexpr name_table names = make_names();

/* The arguments of an expression; std::tuple takes longer to compile.  apply()
   calls @f with all of them. */
template <class... A> struct argument_list;
template <class A> struct argument_list<A> {
	A a;
	template <class G> decltype(auto) apply(G f) const
	{
		return f(a);
	}
};
template <class A, class B> struct argument_list<A, B> {
	A a;
	B b;
	template <class G> decltype(auto) apply(G f) const
	{
		return f(a, b);
	}
};
template <class A, class B, class C> struct argument_list<A, B, C> {
	A a;
	B b;
	C c;
	template <class G> decltype(auto) apply(G f) const
	{
		return f(a, b, c);
	}
};

/* The steps of an expression, from which its text is made.  Equal steps are
   one, and a step that is used more than once gets a name in the text. */
class outline
{
public:
	/* @numbers: for each place of an operand, which operand stands there.
	 */
	explicit outline(const unsigned char *numbers) : numbers_(numbers)
	{
	}

	/* The step of the next operand. */
	int operand()
	{
		return add(nullptr, {}, names.text[*numbers_++]);
	}

	/* The step of @function with these arguments; @rest: further text in
	   its parentheses. */
	int add(const char *function, std::initializer_list<int> arguments,
		const std::string &rest = std::string())
	{
		const step made{ function, arguments, rest, 0, std::string() };

		for (std::size_t i = 0; i < steps_.size(); i++)
			if (is_same(steps_[i], made))
				return static_cast<int>(i);
		for (const int argument : arguments)
			at(argument).uses++;
		steps_.push_back(made);
		return static_cast<int>(steps_.size()) - 1;
	}

	/* The text of the next operands as axes. */
	std::string axes(std::size_t count, bool kept)
	{
		std::string text;

		if (count > 0)
			text += count > 1 ? ", axis=(" : ", axis=";
		for (std::size_t i = 0; i < count; i++) {
			text += i ? ", " : "";
			text += names.text[*numbers_++];
		}
		text += count > 1 ? ")" : "";
		text += kept ? ", keepdims=True" : "";
		return text;
	}

	/* The text of the next operand as the argument @name. */
	std::string argument(const char *name)
	{
		return std::string(", ") + name + "=" + names.text[*numbers_++];
	}

	/* The text with these results. */
	std::string text(std::initializer_list<int> results)
	{
		constexpr int most_names = 256;
		std::string text;
		int named = 0;

		for (const int result : results)
			at(result).uses++;
		for (step &s : steps_)
			if (s.function && s.uses > 1 && named < most_names) {
				const std::string name =
					"p" + std::to_string(named++);

				text += name + " = ";
				write(text, s, 0);
				text += "; ";
				s.name = name;
			}
		write_list(text, results);
		return text;
	}

private:
	struct step {
		const char *function; /* NULL: an operand, whose name is rest */
		std::vector<int> arguments;
		std::string rest;
		int uses;
		std::string name; /* "": none */
	};

	static bool is_same(const step &a, const step &b)
	{
		return a.arguments == b.arguments && a.rest == b.rest &&
		       (a.function && b.function
				       ? !std::strcmp(a.function, b.function)
				       : a.function == b.function);
	}

	step &at(int i)
	{
		return steps_[static_cast<std::size_t>(i)];
	}

	/* Write step @s, in parentheses if it binds less than @binds. */
	void write(std::string &text, const step &s, int binds)
	{
		const spelling *sign = nullptr;

		if (s.function && s.name.empty())
			sign = find_spelling(s.function);
		if (!s.name.empty()) {
			text += s.name;
		} else if (!s.function) {
			text += s.rest;
		} else if (!sign) {
			text += s.function;
			text += '(';
			write_list(text, s.arguments);
			text += s.rest + ")";
		} else {
			text += sign->binds < binds ? "(" : "";
			write_operator(text, s, *sign);
			text += sign->binds < binds ? ")" : "";
		}
	}

	/* Binary operators are left-associative, but comparisons do not
	   chain. */
	void write_operator(
		std::string &text, const step &s, const spelling &sign)
	{
		const bool is_unary = s.arguments.size() == 1;

		if (!is_unary)
			write(text, at(s.arguments[0]),
				sign.binds + (sign.binds == binds_compare));
		text += sign.text;
		write(text, at(s.arguments.back()), sign.binds + !is_unary);
	}

	template <class L> void write_list(std::string &text, const L &steps)
	{
		const char *between = "";

		for (const int i : steps) {
			text += between;
			write(text, at(i), 0);
			between = ", ";
		}
	}

	const unsigned char *numbers_;
	std::vector<step> steps_;
};

/* A part of an expression of type T: in how many places it has operands, what
   they are, and its step, or the text of axes. */
template <class T> struct part {
	/* An array, or a dpr_operand with a number. */
	static constexpr std::size_t count = 1;
	static int add(outline &to)
	{
		return to.operand();
	}
	static void list(const T &value, dpr_operand *&to) noexcept
	{
		*to++ = operand_of(value);
	}
};
template <std::size_t N, bool Kept> struct part<axis_list<N, Kept>> {
	static constexpr std::size_t count = N;
	static std::string add(outline &to)
	{
		return to.axes(N, Kept);
	}
	static void list(
		const axis_list<N, Kept> &value, dpr_operand *&to) noexcept
	{
		for (const int axis : value.axis)
			*to++ = dpr_operand_int(axis);
	}
};
template <class F, class... A> struct part<expr<F, A...>> {
	static constexpr std::size_t count = (part<A>::count + ... + 0);
	static int add(outline &to)
	{
		return F::template add<A...>(to);
	}
	static void list(const expr<F, A...> &value, dpr_operand *&to) noexcept
	{
		value.arguments().apply([&](const A &...argument) {
			(part<A>::list(argument, to), ...);
		});
	}
};

/* What functions of expressions share.  F::call and F::call_into are the C
   function, where F::is_direct. */
template <class F> struct function {
	static constexpr bool is_direct = true;
	template <class... A> static int add(outline &to)
	{
		return to.add(F::name, { part<A>::add(to)... });
	}
};

/* The functions that work element by element. */
#define DPR__CALL_1(name)                                          \
	static dpr_status call(dpr_operand x, dpr_array **out)     \
	{                                                          \
		return (dpr_##name)(x, out);                       \
	}                                                          \
	static dpr_status call_into(dpr_operand x, dpr_array *out) \
	{                                                          \
		return (dpr_##name##_into)(x, out);                \
	}
#define DPR__CALL_2(name)                                        \
	static dpr_status call(                                  \
		dpr_operand x1, dpr_operand x2, dpr_array **out) \
	{                                                        \
		return (dpr_##name)(x1, x2, out);                \
	}                                                        \
	static dpr_status call_into(                             \
		dpr_operand x1, dpr_operand x2, dpr_array *out)  \
	{                                                        \
		return (dpr_##name##_into)(x1, x2, out);         \
	}
#define DPR__CALL_3(name)                                                      \
	static dpr_status call(dpr_operand x1, dpr_operand x2, dpr_operand x3, \
		dpr_array **out)                                               \
	{                                                                      \
		return (dpr_##name)(x1, x2, x3, out);                          \
	}                                                                      \
	static dpr_status call_into(dpr_operand x1, dpr_operand x2,            \
		dpr_operand x3, dpr_array *out)                                \
	{                                                                      \
		return (dpr_##name##_into)(x1, x2, x3, out);                   \
	}
#define DPR__X(function_name, n)                                    \
	struct op_##function_name : function<op_##function_name> {  \
		static constexpr const char *name = #function_name; \
		DPR__CALL_##n(function_name)                        \
	};
DPR_ELEMENTWISE_MAP(DPR__X)
#undef DPR__X
#undef DPR__CALL_1
#undef DPR__CALL_2
#undef DPR__CALL_3

struct op_where : function<op_where> {
	static constexpr const char *name = "where";
	static dpr_status call(dpr_operand condition, dpr_operand x1,
		dpr_operand x2, dpr_array **out)
	{
		return (dpr_where)(condition.as.array, x1, x2, out);
	}
	static dpr_status call_into(dpr_operand condition, dpr_operand x1,
		dpr_operand x2, dpr_array *out)
	{
		return (dpr_where_into)(condition.as.array, x1, x2, out);
	}
};

/* astype(x, dtype), whose text has the dtype's name. */
template <dpr_dtype D> struct op_astype : function<op_astype<D>> {
	static constexpr bool is_direct = false;
	static constexpr const char *name = "astype";
	template <class A> static int add(outline &to)
	{
		return to.add(name, { part<A>::add(to) },
			std::string(", ") + dpr_dtype_name(D));
	}
};

/* index(axis) and index(axis, x). */
struct op_index : function<op_index> {
	static constexpr bool is_direct = false;
	static constexpr const char *name = "index";
};

/* The reductions. */
template <class F> struct reduction : function<F> {
	template <class A, class L> static int add(outline &to)
	{
		const int x = part<A>::add(to);

		return to.add(F::name, { x }, part<L>::add(to));
	}
	/* With a correction, which is a number. */
	template <class A, class L, class C> static int add(outline &to)
	{
		const int x = part<A>::add(to);
		const std::string axes = part<L>::add(to);

		return to.add(F::name, { x }, axes + to.argument("correction"));
	}
	template <std::size_t N, bool Kept>
	static dpr_axes list(const axis_list<N, Kept> &axes)
	{
		return dpr_axes_list(static_cast<std::int32_t>(N), Kept,
			N ? axes.axis.data() : nullptr);
	}
};
/* What follows the name is given before `out`. */
#define DPR__REDUCE(function_name, ...)                                        \
	struct op_##function_name : reduction<op_##function_name> {            \
		static constexpr const char *name = #function_name;            \
		template <std::size_t N, bool Kept>                            \
		static dpr_status call(dpr_operand x,                          \
			const axis_list<N, Kept> &axes, dpr_array **out)       \
		{                                                              \
			const dpr_axes some = op_##function_name::list(axes);  \
			return dpr_##function_name(x.as.array,                 \
				N || Kept ? &some : nullptr, __VA_ARGS__ out); \
		}                                                              \
		template <std::size_t N, bool Kept>                            \
		static dpr_status call_into(dpr_operand x,                     \
			const axis_list<N, Kept> &axes, dpr_array *out)        \
		{                                                              \
			const dpr_axes some = op_##function_name::list(axes);  \
			return dpr_##function_name##_into(x.as.array,          \
				N || Kept ? &some : nullptr, __VA_ARGS__ out); \
		}                                                              \
	};
#define DPR__X(name) DPR__REDUCE(name, )
DPR_REDUCTION_MAP(DPR__X)
#undef DPR__X
#define DPR__MORE_REDUCES
#define DPR__MORE_CHOOSES
#define DPR__MORE_CORRECTS 0,
#define DPR__MORE_ALONG
#define DPR__X(name, form) DPR__REDUCE(name, DPR__MORE_##form)
DPR_DERIVED_MAP(DPR__X)
#undef DPR__X
#undef DPR__MORE_REDUCES
#undef DPR__MORE_CHOOSES
#undef DPR__MORE_CORRECTS
#undef DPR__MORE_ALONG
/* op_var is var() with the correction 0, and correcting<op_var> with another.
 */
template <class F> struct correcting : reduction<correcting<F>> {
	static constexpr bool is_direct = false;
	static constexpr const char *name = F::name;
};
#undef DPR__REDUCE

/* An argument of a direct call. */
template <class T> decltype(auto) argument_of(const T &value) noexcept
{
	if constexpr (is_axes<T>)
		return (value);
	else
		return operand_of(value);
}

/* What an expression keeps of an operand. */
template <class T> decltype(auto) keep(T &&value)
{
	if constexpr (is_number<plain<T>>)
		return dpr_operand_of(value);
	else
		return std::forward<T>(value);
}
template <class T>
using kept = std::conditional_t<is_number<plain<T>>, dpr_operand, plain<T>>;

/* The expression of F and these operands. */
template <class F, class... T> auto make(T &&...operands)
{
	return expr<F, kept<T>...>(keep(std::forward<T>(operands))...);
}

/* The arrays at @made, which are taken over. */
template <std::size_t... N>
auto adopt_all(dpr_array *const *made, std::index_sequence<N...>) noexcept
{
	return std::make_tuple(array::adopt(made[N])...);
}

/* Whether two operands are the same array, or the same number to the bit. */
inline bool is_same(const dpr_operand &a, const dpr_operand &b) noexcept
{
	return !std::memcmp(&a, &b, sizeof(a));
}

/* The operands of expressions, each of them once, and which stands in each
   place. */
template <class... E> struct bindings {
	static constexpr std::size_t places = (part<E>::count + ... + 0);
	static_assert(places <= 4096,
		"an expression names operands in at most 4096 places; convert a "
		"part of it to dpr::array");
	dpr_binding list[places];
	std::size_t count = 0;
	std::array<unsigned char, places> numbers;

	explicit bindings(const E &...expressions)
	{
		dpr_operand all[places], *next = all;

		(part<E>::list(expressions, next), ...);
		for (std::size_t i = 0; i < places; i++)
			numbers[i] = number(all[i]);
	}

private:
	unsigned char number(const dpr_operand &operand)
	{
		std::size_t i = 0;

		while (i < count && !is_same(list[i].value, operand))
			i++;
		if (i == max_operands)
			throw error(DPR_ERROR_INVALID_ARGUMENT,
				"an expression has at most 256 operands");
		if (i == count)
			list[count++] = { names.text[i], operand };
		return static_cast<unsigned char>(i);
	}
};

/* The text of these expressions, with commas between them. */
template <class... E> std::string text_of(const bindings<E...> &bound)
{
	outline steps(bound.numbers.data());

	return steps.text({ part<E>::add(steps)... });
}

/*
 * An expression with the results E that was read.  The process keeps it
 * (dpr_expression_keep()), because threads and the destructors of static
 * objects may compute it while exit() runs.  There is one for each way in which
 * operands are the same.  A program needs few of them: about 64 are kept, and
 * all others are read anew each time.
 */
template <class... E> class reading
{
public:
	explicit reading(const bindings<E...> &bound) : kept_(find(bound))
	{
		if (!kept_)
			own_ = expression(text_of(bound));
	}
	const dpr_expression *get() const noexcept
	{
		return kept_ ? kept_->made : own_.get();
	}

private:
	static constexpr int most = 64;
	struct entry {
		std::array<unsigned char, bindings<E...>::places> numbers;
		const dpr_expression *made;
		const entry *next;
	};

	/* The expression that is kept for these operands; NULL: there are too
	   many. */
	static const entry *find(const bindings<E...> &bound)
	{
		static std::atomic<const entry *> first{ nullptr };
		const entry *begin = first.load(std::memory_order_acquire);
		int count = 0;

		for (const entry *e = begin; e; e = e->next, count++)
			if (e->numbers == bound.numbers)
				return e;
		if (count >= most)
			return nullptr;
		expression read(text_of(bound));
		auto made = std::make_unique<entry>(
			entry{ bound.numbers, nullptr, begin });

		made->made = dpr_expression_keep(read.detach());
		while (!first.compare_exchange_weak(made->next, made.get(),
			std::memory_order_acq_rel, std::memory_order_acquire)) {
		}
		return made.release();
	}

	const entry *kept_;
	expression own_;
};

} // namespace detail

/*
 * An expression that was not computed yet: function F of the arguments A.
 * Operators and functions make such objects; programs name them with auto.  The
 * object retains its arrays.  Several threads may compute one object.
 */
template <class F, class... A> class expr
{
public:
	/* The expression with these arguments. */
	explicit expr(A... arguments) : arguments_{ std::move(arguments)... }
	{
	}

	/* Compute the expression.  Work is submitted and not waited for. */
	array evaluate() const
	{
		array made;

		check(compute(made.put()));
		return made;
	}
	operator array() const
	{
		return evaluate();
	}

	/* Compute the expression into @out, which exists.  @out has the shape
	   of the result, and a dtype of its kind or a higher one; as
	   dpr_expression_apply_into(). */
	void into(const array &out) const
	{
		check(compute_into(out.get()));
	}

	/* Compute the expression, and copy the result into the elements of
	   @out, cast and broadcast as by dpr_copy_into(). */
	void copy_into(const array &out) const
	{
		const dpr_status status = compute_into(out.get());

		/* Another shape or dtype needs a copy. */
		if (status == DPR_ERROR_SHAPE || status == DPR_ERROR_DTYPE)
			check((dpr_copy_into)(out.get(),
				detail::operand_of(evaluate())));
		else
			check(status);
	}

	/* The same as of the array that evaluate() returns. */
	template <class T = double> T item() const
	{
		return evaluate().template item<T>();
	}
	template <class T> void to_memory(T *data, std::size_t count) const
	{
		evaluate().to_memory(data, count);
	}
	template <class C, class = std::enable_if_t<detail::has_elements<C>>>
	void to_memory(C &&values) const
	{
		evaluate().to_memory(std::forward<C>(values));
	}
	template <class T> std::vector<T> to_vector() const
	{
		return evaluate().template to_vector<T>();
	}
	void copy_to(const array &view) const
	{
		evaluate().copy_to(view);
	}
	std::string to_string(const dpr_print_options *options = nullptr) const
	{
		return evaluate().to_string(options);
	}
	void print(std::FILE *stream = stdout) const
	{
		evaluate().print(stream);
	}
	friend std::ostream &operator<<(std::ostream &stream, const expr &e)
	{
		return stream << e.to_string();
	}

	/* The text of the expression.  Its operands are x0, x1, ... in the
	   order of the text.  What is used more than once has a name, p0, p1,
	   ... */
	std::string text() const
	{
		return detail::text_of(detail::bindings<expr>(*this));
	}

	/* How the expression is computed; as dpr_expression_explain(). */
	std::string explain() const
	{
		const detail::bindings<expr> bound(*this);
		char *text = nullptr;

		check(dpr_expression_explain(detail::reading<expr>(bound).get(),
			bound.list, bound.count, nullptr, &text));
		return detail::take_text(text);
	}

	/* The arguments. */
	const detail::argument_list<A...> &arguments() const noexcept
	{
		return arguments_;
	}

private:
	/* Whether the C function F::call takes all arguments as they are. */
	static constexpr bool is_direct =
		F::is_direct && !(detail::is_expr<A> || ...);

	dpr_status compute(dpr_array **out) const
	{
		if constexpr (is_direct) {
			return arguments_.apply([&](const A &...a) {
				return F::call(detail::argument_of(a)..., out);
			});
		} else {
			const detail::bindings<expr> bound(*this);

			return dpr_expression_apply(
				detail::reading<expr>(bound).get(), bound.list,
				bound.count, nullptr, out, 1);
		}
	}
	dpr_status compute_into(dpr_array *out) const
	{
		if constexpr (is_direct) {
			return arguments_.apply([&](const A &...a) {
				return F::call_into(
					detail::argument_of(a)..., out);
			});
		} else {
			const detail::bindings<expr> bound(*this);

			return dpr_expression_apply_into(
				detail::reading<expr>(bound).get(), bound.list,
				bound.count, &out, 1);
		}
	}

	detail::argument_list<A...> arguments_;
};

/* Compute several expressions together, in one kernel where that is possible:
   auto [a, b] = dpr::evaluate(x + y, x - y). */
template <class... E, class = std::enable_if_t<(sizeof...(E) > 1) &&
					       (detail::is_expr<E> && ...)>>
auto evaluate(const E &...expressions)
{
	const detail::bindings<E...> bound(expressions...);
	dpr_array *made[sizeof...(E)] = {};

	check(dpr_expression_apply(detail::reading<E...>(bound).get(),
		bound.list, bound.count, nullptr, made, sizeof...(E)));
	return detail::adopt_all(made, std::index_sequence_for<E...>());
}

/* The functions of dpr/elementwise.h, such as sqrt(x) and minimum(x, 2.5).  An
   operand is an array, an expression or a number; at least one is no number. */
#define DPR__FUNCTION_1(name)                                               \
	template <class T, class = detail::if_operands<T>>                  \
	[[nodiscard]] auto name(T &&x)                                      \
	{                                                                   \
		return detail::make<detail::op_##name>(std::forward<T>(x)); \
	}
#define DPR__FUNCTION_2(name)                                          \
	template <class T, class U, class = detail::if_operands<T, U>> \
	[[nodiscard]] auto name(T &&x1, U &&x2)                        \
	{                                                              \
		return detail::make<detail::op_##name>(                \
			std::forward<T>(x1), std::forward<U>(x2));     \
	}
#define DPR__FUNCTION_3(name)                                               \
	template <class T, class U, class V,                                \
		class = detail::if_operands<T, U, V>>                       \
	[[nodiscard]] auto name(T &&x1, U &&x2, V &&x3)                     \
	{                                                                   \
		return detail::make<detail::op_##name>(std::forward<T>(x1), \
			std::forward<U>(x2), std::forward<V>(x3));          \
	}
#define DPR__X(name, n) DPR__FUNCTION_##n(name)
DPR_ELEMENTWISE_MAP(DPR__X)
#undef DPR__X
#undef DPR__FUNCTION_1
#undef DPR__FUNCTION_2
#undef DPR__FUNCTION_3

/* The reductions of dpr/reduce.h, such as sum(x), max(x, 0) and mean(x,
   dpr::axes_kept(-1)), and the functions there that expressions compute, such
   as softmax(x, -1).  @x is an array or an expression.  var(x, axes, 1) has a
   correction.  Call dpr::std() by its full name: std alone is a namespace. */
#define DPR__FUNCTION(name)                                                   \
	template <class T, class = detail::if_operands<T>, std::size_t N = 0, \
		bool Kept = false>                                            \
	[[nodiscard]] auto name(                                              \
		T &&x, const detail::axis_list<N, Kept> &axes =               \
			       detail::axis_list<0, false>{})                 \
	{                                                                     \
		return detail::make<detail::op_##name>(                       \
			std::forward<T>(x), axes);                            \
	}                                                                     \
	template <class T, class N, class = detail::if_operands<T>,           \
		class = std::enable_if_t<detail::is_axis<N>>>                 \
	[[nodiscard]] auto name(T &&x, N axis)                                \
	{                                                                     \
		return detail::make<detail::op_##name>(                       \
			std::forward<T>(x), axes(axis));                      \
	}
#define DPR__CHOOSE(name, more, argument)                               \
	inline array name(                                              \
		const array &x, const detail::chosen_axes &axes more)   \
	{                                                               \
		const dpr_axes some = axes.get();                       \
		array made;                                             \
                                                                        \
		check(dpr_##name(x.get(), &some, argument made.put())); \
		return made;                                            \
	}
#define DPR__COMMA ,
#define DPR__FORM_REDUCES(name)
#define DPR__FORM_ALONG(name)
#define DPR__FORM_CHOOSES(name) DPR__CHOOSE(name, , )
#define DPR__FORM_CORRECTS(name)                                               \
	DPR__CHOOSE(                                                           \
		name, DPR__COMMA double correction = 0, correction DPR__COMMA) \
	template <class T, class = detail::if_operands<T>, std::size_t N,      \
		bool Kept>                                                     \
	[[nodiscard]] auto name(T &&x, const detail::axis_list<N, Kept> &axes, \
		double correction)                                             \
	{                                                                      \
		return detail::make<detail::correcting<detail::op_##name>>(    \
			std::forward<T>(x), axes, correction);                 \
	}                                                                      \
	template <class T, class N, class = detail::if_operands<T>,            \
		class = std::enable_if_t<detail::is_axis<N>>>                  \
	[[nodiscard]] auto name(T &&x, N axis, double correction)              \
	{                                                                      \
		return name(std::forward<T>(x), axes(axis), correction);       \
	}
#define DPR__X(name, form)  \
	DPR__FUNCTION(name) \
	DPR__FORM_##form(name)
DPR_REDUCTION_MAP(DPR__FUNCTION)
DPR_REDUCTION_MAP(DPR__FORM_CHOOSES)
DPR_DERIVED_MAP(DPR__X)
#undef DPR__X
#undef DPR__FUNCTION
#undef DPR__FORM_REDUCES
#undef DPR__FORM_CHOOSES
#undef DPR__FORM_CORRECTS
#undef DPR__FORM_ALONG
#undef DPR__CHOOSE
#undef DPR__COMMA

/* x1 where @condition is true, else x2; as dpr_where(). @condition is an array
   or an expression of bool. */
template <class C, class T, class U,
	class = std::enable_if_t<detail::is_lazy<C> && detail::is_operand<T> &&
				 detail::is_operand<U>>>
[[nodiscard]] auto where(C &&condition, T &&x1, U &&x2)
{
	return detail::make<detail::op_where>(std::forward<C>(condition),
		std::forward<T>(x1), std::forward<U>(x2));
}

/* The elements cast to the dtype of type T: astype<float>(x); as
   dpr_astype(). */
template <class T, class X, class = detail::if_operands<X>>
[[nodiscard]] auto astype(X &&x)
{
	static_assert(detail::has_dtype<T>);
	return detail::make<detail::op_astype<dtype_of<T>>>(std::forward<X>(x));
}

/* The position of each element along @axis, in int64, in the shape that all
   arrays of the expression broadcast to, or in the shape of @x; as index() in
   texts. */
template <class N> [[nodiscard]] auto index(N axis)
{
	return detail::make<detail::op_index>(detail::axis_of(axis));
}
template <class N, class X, class = detail::if_operands<X>>
[[nodiscard]] auto index(N axis, X &&x)
{
	return detail::make<detail::op_index>(
		detail::axis_of(axis), std::forward<X>(x));
}

/* The operators, each of them a function above. */
#define DPR__X(sign, name)                                                  \
	template <class T, class = detail::if_operands<T>>                  \
	[[nodiscard]] auto operator sign(T &&x)                             \
	{                                                                   \
		return detail::make<detail::op_##name>(std::forward<T>(x)); \
	}
DPR__X(-, negative)
DPR__X(+, positive)
DPR__X(~, bitwise_invert)
#undef DPR__X
#define DPR__X(sign, name)                                             \
	template <class T, class U, class = detail::if_operands<T, U>> \
	[[nodiscard]] auto operator sign(T &&x1, U &&x2)               \
	{                                                              \
		return detail::make<detail::op_##name>(                \
			std::forward<T>(x1), std::forward<U>(x2));     \
	}
DPR__X(+, add)
DPR__X(-, subtract)
DPR__X(*, multiply)
DPR__X(/, divide)
DPR__X(%, remainder)
DPR__X(&, bitwise_and)
DPR__X(|, bitwise_or)
DPR__X(^, bitwise_xor)
DPR__X(<<, bitwise_left_shift)
DPR__X(>>, bitwise_right_shift)
DPR__X(==, equal)
DPR__X(!=, not_equal)
DPR__X(<, less)
DPR__X(<=, less_equal)
DPR__X(>, greater)
DPR__X(>=, greater_equal)
#undef DPR__X

/* x += y and its like write into the elements of x, which every array sees that
   shares them.  The result is cast to x's dtype, which must be of its kind or a
   higher one; as dpr_add_into(). */
#define DPR__X(sign, name)                                                  \
	template <class T, class = std::enable_if_t<detail::is_operand<T>>> \
	array &operator sign(array &x, const T &value)                      \
	{                                                                   \
		name(x, value).into(x);                                     \
		return x;                                                   \
	}                                                                   \
	template <class T, class = std::enable_if_t<detail::is_operand<T>>> \
	void operator sign(array &&x, const T &value)                       \
	{                                                                   \
		name(x, value).into(x);                                     \
	}
DPR__X(+=, add)
DPR__X(-=, subtract)
DPR__X(*=, multiply)
DPR__X(/=, divide)
DPR__X(%=, remainder)
DPR__X(&=, bitwise_and)
DPR__X(|=, bitwise_or)
DPR__X(^=, bitwise_xor)
DPR__X(<<=, bitwise_left_shift)
DPR__X(>>=, bitwise_right_shift)
#undef DPR__X

} // namespace dpr

#endif
