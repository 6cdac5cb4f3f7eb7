/* SPDX-License-Identifier: Apache-2.0 */
/* cxx_module.h - a library that uses dpr.hpp, for api_cxx_exit. */
#ifndef TESTS_CXX_MODULE_H
#define TESTS_CXX_MODULE_H

/* Compute expressions of types that no other file has.  Returns whether their
   value is right.  Does not throw. */
extern "C" int cxx_module_compute();

#endif
