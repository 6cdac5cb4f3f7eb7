/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bad_plain.c - a library without an entry symbol.  It is built twice.  The
 * second one is linked to a plugin, so dlsym() finds the plugin's entry symbol
 * through it.
 */
int bad_plain(void);

int bad_plain(void)
{
	return 1;
}
