/* SPDX-License-Identifier: Apache-2.0 */
/*
 * products.hpp - dpr/products.h in C++17.
 *
 * Arguments are arrays; an expression is computed first.  Work is submitted and
 * not waited for.
 */
#ifndef DPR_PRODUCTS_HPP
#define DPR_PRODUCTS_HPP

#include <dpr/expression.hpp>
#include <dpr/products.h>

namespace dpr
{

/* Products of matrices; as dpr_matmul(). */
inline array matmul(const array &x1, const array &x2)
{
	array made;

	check(dpr_matmul(x1.get(), x2.get(), made.put()));
	return made;
}

} // namespace dpr

#endif
