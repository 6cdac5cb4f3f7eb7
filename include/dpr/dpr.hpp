/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dpr.hpp - the whole API in C++17, and dpr.h.
 *
 *	#include <dpr/dpr.hpp>
 *
 *	auto x = dpr::linspace(0, 1, 1000000, DPR_FLOAT32);
 *	dpr::array total = sum(x * 4);
 *
 *	std::cout << total << '\n';
 *
 * dpr/handle.hpp has errors, devices, queues, events, memory, programs and
 * kernels; dpr/array.hpp has arrays; dpr/expression.hpp has operators and
 * functions of arrays; dpr/derived.hpp has functions that consist of simpler
 * ones; dpr/products.hpp has products of matrices, and einsum; dpr/linalg.hpp has
 * linear algebra; dpr/shapes.hpp has other shapes and orders of elements;
 * dpr/indexing.hpp has indexing by arrays; dpr/file.hpp has files of arrays.
 */
#ifndef DPR_DPR_HPP
#define DPR_DPR_HPP

#include <dpr/array.hpp>
#include <dpr/derived.hpp>
#include <dpr/dpr.h>
#include <dpr/expression.hpp>
#include <dpr/file.hpp>
#include <dpr/handle.hpp>
#include <dpr/indexing.hpp>
#include <dpr/linalg.hpp>
#include <dpr/products.hpp>
#include <dpr/shapes.hpp>

#endif
