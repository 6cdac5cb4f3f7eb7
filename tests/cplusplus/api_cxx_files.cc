// SPDX-License-Identifier: Apache-2.0
// api_cxx_files.cc - files of arrays by dpr.hpp: .npy and .npz, by name and by
// stream.
#include <unistd.h>

#include <filesystem>

#include "tests/cplusplus/cxx_test.h"

using ints = std::vector<int>;

/* A folder that is removed with its files. */
struct folder {
	std::filesystem::path path;
	folder()
	{
		std::string name = "/tmp/dpr-cxx-files.XXXXXX";

		ck_assert_ptr_nonnull(mkdtemp(name.data()));
		path = name;
	}
	~folder()
	{
		std::filesystem::remove_all(path);
	}
};

START_TEST(npy)
{
	const dpr::queue queue = the_queue();
	const dpr::array x({ { 1, 2, 3 }, { 4, 5, 6 } }, queue);
	const folder there;
	const std::filesystem::path path = there.path / "x.npy";
	const std::string name = path.string();
	dpr::array back;

	dpr::npy_save(x, path);
	back = dpr::npy_load(name, queue);
	ck_assert(back.shape() == (dpr::shape{ 2, 3 }));
	ck_assert(back.queue() == queue &&
		  has<int>(back, { 1, 2, 3, 4, 5, 6 }));
	/* A view, an expression, and a kind of memory. */
	dpr::npy_save(x(1) * 2, name);
	back = dpr::npy_load(name.c_str(), queue, host_or_device());
	ck_assert_int_eq(back.kind(), host_or_device());
	ck_assert(has<int>(back, { 8, 10, 12 }));
	CHECK_THROWS(DPR_ERROR_NOT_FOUND,
		     dpr::npy_load(there.path / "none.npy", queue));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT,
		     dpr::npy_load(static_cast<const char *>(nullptr), queue));
	CHECK_THROWS(DPR_ERROR_INVALID_ARGUMENT,
		     dpr::npy_save(dpr::array(), path));
}
END_TEST

START_TEST(streams)
{
	const dpr::queue queue = the_queue();
	const dpr::array x({ 1, 2 }, queue), y({ 3 }, queue);
	std::FILE *stream = std::tmpfile();

	ck_assert_ptr_nonnull(stream);
	dpr::npy_save(x, stream);
	dpr::npy_save(y, dpr_file_stream(stream));
	std::rewind(stream);
	ck_assert(has<int>(dpr::npy_load(stream, queue), { 1, 2 }));
	ck_assert(has<int>(dpr::npy_load(stream, queue), { 3 }));
	std::fclose(stream);
}
END_TEST

START_TEST(npz)
{
	const dpr::queue queue = the_queue();
	const dpr::array x({ 1, 2, 3 }, queue);
	const folder there;
	const std::filesystem::path path = there.path / "all.npz";
	std::vector<dpr::npz_entry> many;

#ifndef HAVE_ZLIB
	CHECK_THROWS(DPR_ERROR_UNSUPPORTED,
		     dpr::npz_save({ { "x", x } }, path));
	CHECK_THROWS(DPR_ERROR_UNSUPPORTED, dpr::npz_names(path));
	CHECK_THROWS(DPR_ERROR_UNSUPPORTED, dpr::npz_load(path, "x", queue));
	return;
#endif
	dpr::npz_save({ { "x", x }, { "twice x", x * 2 } }, path);
	ck_assert(dpr::npz_names(path) ==
		  (std::vector<std::string>{ "x", "twice x" }));
	ck_assert(has<int>(dpr::npz_load(path, "x", queue), { 1, 2, 3 }));
	for (const std::string &name : dpr::npz_names(path))
		ck_assert_int_eq(
			dpr::npz_load(path, name, queue, host_or_device())
				.kind(),
			host_or_device());
	ck_assert(has<int>(dpr::npz_load(path, "twice x", queue), { 2, 4, 6 }));
	CHECK_THROWS(DPR_ERROR_NOT_FOUND, dpr::npz_load(path, "y", queue));
	CHECK_THROWS(DPR_ERROR_EXISTS,
		     dpr::npz_save({ { "x", x }, { "x", x } }, path));

	/* Packed, zeros take less room. */
	many.push_back({ "zeros", dpr::zeros({ 4000 }, DPR_INT32, queue) });
	dpr::npz_save(many, path);
	const auto stored = std::filesystem::file_size(path);
	dpr::npz_save(many, path, DPR_NPZ_DEFLATED);
	ck_assert(std::filesystem::file_size(path) < stored / 2);
	ck_assert(has(dpr::npz_load(path, "zeros", queue), ints(4000)));
	dpr::npz_save({}, path);
	ck_assert(dpr::npz_names(path).empty());
}
END_TEST

static Suite *suite(const char *name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("cxx_files");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, npy);
	tcase_add_test(t, streams);
	tcase_add_test(t, npz);
	suite_add_tcase(s, t);
	return s;
}

int main()
{
	return run_cxx(suite);
}
