# SPDX-License-Identifier: Apache-2.0
# Whether the second file is what the first one wants.  A line "..." there stands for
# any lines.  Blank lines at the end of both do not count.

FILENAME == ARGV[1] {
	want[++n_want] = $0
	next
}
{
	got[++n_got] = $0
}

END {
	while (n_want && want[n_want] == "")
		n_want--
	while (n_got && got[n_got] == "")
		n_got--
	# fits[j]: the first i lines wanted may be the first j lines that came.
	fits[0] = 1
	for (i = 1; i <= n_want; i++) {
		for (j = n_got; j >= 0; j--)
			before[j] = fits[j] + 0
		for (j = 0; j <= n_got; j++)
			if (want[i] == "...")
				fits[j] = before[j] || (j > 0 && fits[j - 1])
			else
				fits[j] = j > 0 && before[j - 1] && want[i] == got[j]
	}
	exit !fits[n_got + 0]
}
