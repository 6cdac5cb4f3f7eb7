/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.hpp - arrays from and to files of NumPy's formats in C++17.
 *
 *	dpr::npz_save({ { "x", x }, { "norm", sqrt(x * x) } }, "points.npz");
 *	const dpr::array again = dpr::npz_load("points.npz", "x");
 *
 * The functions are those of dpr/file.h, which has the rules.
 */
#ifndef DPR_FILE_HPP
#define DPR_FILE_HPP

#include <dpr/array.hpp>
#include <dpr/file.h>

namespace dpr
{

/* A file for one call: a name, or an open stream.  Both are borrowed. */
class file
{
public:
	/* The file @name, an open stream, or what dpr_file_path() and
	   dpr_file_stream() make.  NULL is reported by the call. */
	file(const char *name) noexcept : file_(dpr_file_path(name))
	{
	}
	file(std::FILE *stream) noexcept : file_(dpr_file_stream(stream))
	{
	}
	file(const dpr_file &same) noexcept : file_(same)
	{
	}

	/* The file whose name is a std::string, a std::filesystem::path, or of
	   another type with c_str(). */
	template <class N, class = std::enable_if_t<std::is_convertible_v<
				   decltype(std::declval<const N &>().c_str()),
				   const char *>>>
	file(const N &name) noexcept : file(name.c_str())
	{
	}

	/* The file for C functions; lent as long as the name or stream. */
	operator dpr_file() const noexcept
	{
		return file_;
	}

private:
	dpr_file file_;
};

/* Make an array of the .npy file @from; as dpr_npy_load_on(). */
inline array npy_load(const file &from, const queue &queue = {},
	dpr_usm_kind kind = DPR_USM_DEVICE)
{
	array made;

	check((dpr_npy_load_on)(from, queue.get(), kind, made.put()));
	return made;
}

/* Write @x to the .npy file @to; as dpr_npy_save().  Waits. */
inline void npy_save(const array &x, const file &to)
{
	check((dpr_npy_save)(x.get(), to));
}

/* The names of the arrays in the .npz file @from, in the order of the file; as
   dpr_npz_names(). */
inline std::vector<std::string> npz_names(const file &from)
{
	char **names = nullptr;
	std::size_t count = 0;

	check((dpr_npz_names)(from, &names, &count));
	const std::unique_ptr<char *, void (*)(void *)> owner(names, dpr_free);
	return std::vector<std::string>(names, names + count);
}

/* Load the array @name of the .npz file @from; as dpr_npz_load_on(). */
inline array npz_load(const file &from, const char *name,
	const queue &queue = {}, dpr_usm_kind kind = DPR_USM_DEVICE)
{
	array made;

	check((dpr_npz_load_on)(from, name, queue.get(), kind, made.put()));
	return made;
}
inline array npz_load(const file &from, const std::string &name,
	const queue &queue = {}, dpr_usm_kind kind = DPR_USM_DEVICE)
{
	return npz_load(from, name.c_str(), queue, kind);
}

/* An array for a .npz file, and its name. */
struct npz_entry {
	/* The name in the file. */
	std::string name;
	/* The array, which is retained. */
	dpr::array array;
};

/* Write the arrays to the .npz file @to; as dpr_npz_save().  Waits. */
inline void npz_save(const std::vector<npz_entry> &arrays, const file &to,
	dpr_npz_packing packing = DPR_NPZ_STORED)
{
	std::vector<dpr_npz_entry> list;

	list.reserve(arrays.size());
	for (const npz_entry &entry : arrays)
		list.push_back({ entry.name.c_str(), entry.array.get() });
	check((dpr_npz_save)(list.data(), list.size(), packing, to));
}

} // namespace dpr

#endif
