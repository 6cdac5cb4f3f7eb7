/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bad_plain.c - a library without an entry symbol.  Built once by itself, and
 * once so that it needs a plugin: dlsym() on it finds that one's symbol.
 */
int bad_plain(void);

int bad_plain(void)
{
	return 1;
}
