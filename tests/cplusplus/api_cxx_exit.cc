// SPDX-License-Identifier: Apache-2.0
// api_cxx_exit.cc - the layer "handles" reports neither what dpr.hpp keeps for
// the process nor what static objects release: at exit, in a child process, and
// from a library that is unloaded.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include <dpr/dpr.hpp>

/* Its macros are in the way of headers of C++. */
#include <check.h>

#include "tests/cplusplus/cxx_module.h"

namespace
{

dpr::array numbers()
{
	return dpr::array({ 1.0F, 2.0F }, dpr::queue::canonical("host"));
}

/* Compute expressions of several types, and one type with operands that are the
   same in two ways. */
bool compute()
{
	const dpr::array x = numbers(), y = x * 2;
	const auto [a, b] = dpr::evaluate(x + y, x - y);

	return sum(x * x + y).item() == 11 && sum(x * y + y).item() == 16 &&
	       sum(a * b).item() == -15;
}

/* Computes when it is destroyed, after everything that is younger. */
struct late {
	bool computes = false;
	~late()
	{
		if (!computes)
			return;
		try {
			(void)(numbers() + 1 + 2).evaluate();
		} catch (const dpr::error &e) {
			if (e.status() != DPR_ERROR_SHUTDOWN)
				std::_Exit(3);
		}
	}
} late;

void at_exit()
{
	bool all = compute();
	std::thread other([&all] { all = compute() && all; });

	other.join();
	ck_assert(all);
}

void by_static_objects()
{
	/* These are older than the layer, which begins with the first queue. */
	static const dpr::expression held("x + 1");
	static dpr::array kept;

	late.computes = true;
	kept = numbers();
	ck_assert(compute());
	ck_assert(sum(held("x", numbers())).item() == 5);
}

void in_a_child()
{
	int how;
	pid_t child;

	ck_assert(compute());
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		try {
			(void)(numbers() + 1 + 2).evaluate();
		} catch (const dpr::error &e) {
			std::exit(e.status() == DPR_ERROR_FORKED ? 0 : 4);
		}
		std::exit(0);
	}
	ck_assert_int_eq(waitpid(child, &how, 0), child);
	ck_assert_int_eq(how, 0);
	ck_assert(compute());
}

void from_a_library()
{
	const std::string path = std::string(std::getenv("top_builddir")) +
				 "/tests/cplusplus/.libs/cxx_module.so";

	for (int i = 0; i < 2; i++) {
		void *file = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);

		ck_assert_msg(file != nullptr, "%s", dlerror());
		const auto call = reinterpret_cast<int (*)()>(
			dlsym(file, "cxx_module_compute"));
		ck_assert(call != nullptr && call());
		ck_assert_int_eq(dlclose(file), 0);
		ck_assert_ptr_null(
			dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD));
	}
	/* What the library has left behind is a leak for a sanitizer. */
	dpr::finalize();
	std::fflush(nullptr);
	_exit(0);
}

const struct {
	void (*run)();
	bool exits; /* so that the layer writes how many faults there were */
} programs[] = { { at_exit, true },
		 { by_static_objects, true },
		 { in_a_child, true },
		 { from_a_library, false } };

/* The layer's lines of a program of its own. */
std::string log_of(void (*run)())
{
	char name[] = "/tmp/dpr-cxx-exit.XXXXXX";
	const int file = mkstemp(name);
	std::ostringstream text;
	int how = 0;

	ck_assert_int_ge(file, 0);
	close(file);
	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		setenv("DPR_LAYERS", "handles", 1);
		setenv("DPR_LOG", (std::string("info:") + name).c_str(), 1);
		run();
		std::exit(0);
	}
	ck_assert_int_eq(waitpid(child, &how, 0), child);
	text << std::ifstream(name).rdbuf();
	unlink(name);
	ck_assert_msg(how == 0, "the program ended with %d; its log: %s", how,
		      text.str().c_str());
	return text.str();
}

START_TEST(nothing_is_reported)
{
	const std::string log = log_of(programs[_i].run);

	ck_assert_msg(log.find("never released") == std::string::npos,
		      "the log: %s", log.c_str());
	ck_assert_msg(!programs[_i].exits || log.find("handles: 0 faults") !=
						     std::string::npos,
		      "the log: %s", log.c_str());
}
END_TEST

} // namespace

int main()
{
	Suite *s = suite_create("api_cxx_exit");
	TCase *t = tcase_create("cxx_exit");
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, nothing_is_reported, 0,
			    sizeof(programs) / sizeof(*programs));
	suite_add_tcase(s, t);
	SRunner *runner = srunner_create(s);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
