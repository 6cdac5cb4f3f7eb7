// SPDX-License-Identifier: Apache-2.0
// cxx_module.cc - a library that uses dpr.hpp.  It exports this one symbol, so that
// dlclose() unloads it: no symbol of it is unique in the process.
#include "tests/cplusplus/cxx_module.h"

#include <dpr/dpr.hpp>

extern "C" int cxx_module_compute()
try {
	const dpr::array x({ 1.0F, 2.0F }, dpr::queue::canonical("host"));

	return sum(x * 3 - 1 / x).item() == 7.5 &&
	       sum(x * x * x).item<int>() == 9;
} catch (const dpr::error &) {
	return 0;
}
