/* SPDX-License-Identifier: Apache-2.0 */
/* cache_dir.c - where built programs are kept, and whether that place is
   safe. */
#include "core/runtime/program/cache_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/env.h"
#include "core/base/mem.h"
#include "core/base/settings.h"

/* Whether @home is this user's.  Under sudo it may be another user's, who could
   not use files that root makes there. */
static bool is_own(const char *home)
{
	struct stat st;

	return stat(home, &st) || st.st_uid == geteuid();
}

bool cache_dir_path(struct text *path, struct text *why)
{
	const char *dir = env_get("DPR_CACHE_DIR");
	const char *cache = env_cache_home(), *home = env_home();

	if (env_secure())
		text_print(why, "this program is setuid");
	else if (dir && !strcmp(dir, "off"))
		text_print(why, "DPR_CACHE_DIR is off");
	else if (!settings_cache_limit())
		text_print(why, "DPR_CACHE_LIMIT is 0");
	else if (dir && *dir == '/')
		text_print(path, "%s", dir);
	else if (dir)
		text_print(why, "DPR_CACHE_DIR is not absolute");
	else if (cache && *cache == '/')
		text_print(path, "%s/dpr", cache);
	else if (home && *home == '/' && !is_own(home))
		text_print(why, "HOME belongs to another user");
	else if (home && *home == '/')
		text_print(path, "%s/.cache/dpr", home);
	else
		text_print(why, "DPR_CACHE_DIR, XDG_CACHE_HOME and HOME are "
				"not set");
	/* Remove slashes from the end: with one, a symbolic link there would be
	   followed. */
	while (path->size > 1 && path->bytes[path->size - 1] == '/')
		path->bytes[--path->size] = '\0';
	return path->size && !path->failed;
}

/* Make the directory @path and its parent.  Makes no further directories above:
   the home may not exist. */
static void make_dirs(const char *path)
{
	char *above = mem_string(path), *slash;

	if (!above)
		return;
	slash = strrchr(above, '/');
	if (slash && slash != above) {
		*slash = '\0';
		(void)mkdir(above, 0700);
	}
	(void)mkdir(path, 0700);
	mem_free(above);
}

int cache_dir_open(const char *path, bool make, struct text *why)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	struct stat st;
	int dir, error;

	dir = open(path, flags);
	if (dir < 0 && errno == ENOENT && make) {
		make_dirs(path);
		dir = open(path, flags);
	}
	if (dir < 0) {
		error = errno;
		text_print(why, "%s: %s", text_quote(path).bytes,
			   error == ELOOP || error == ENOTDIR
				   ? "not a directory, or a symbolic link"
				   : strerrordesc_np(error));
		errno = error;
		return -1;
	}
	if (fstat(dir, &st))
		text_print(why, "%s: %s", path, strerrordesc_np(errno));
	else if (st.st_uid != geteuid())
		text_print(why, "%s belongs to another user", path);
	else if (st.st_mode & (S_IRWXG | S_IRWXO))
		text_print(why, "%s is open to other users; use chmod 700",
			   path);
	else
		return dir;
	close(dir);
	errno = EPERM;
	return -1;
}
