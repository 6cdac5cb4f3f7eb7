# SPDX-License-Identifier: Apache-2.0
# environment.awk - writes dpr-environment(7) from the table of core/base/env.h, which
# `dpr doctor --env` prints, too.
#
# usage: awk -v version=VERSION -f environment.awk env.h

function escape(s) {
	gsub(/\\"/, "\"", s)
	gsub(/\\/, "\\e", s)
	gsub(/-/, "\\-", s)
	return s
}

/^#define ENV_MAP\(X\)/ { inside = 1; next }
inside {
	going = /\\$/
	sub(/[ \t]*\\$/, "")
	sub(/^[ \t]+/, "")
	all = all $0
	inside = going
}

# Take the next text in quotes from @all, from its quote on.
function take_text(i, c, s) {
	s = ""
	for (i = 2; i <= length(all); i++) {
		c = substr(all, i, 1)
		if (c == "\"")
			break
		if (c == "\\")
			c = c substr(all, ++i, 1)
		s = s c
	}
	all = substr(all, i + 1)
	return s
}

END {
	if (all == "") {
		print "environment.awk: there is no ENV_MAP" >"/dev/stderr"
		exit 1
	}
	printf ".\\\" Written by environment.awk from core/base/env.h.\n"
	printf ".TH DPR\\-ENVIRONMENT 7 \"\" \"dpr %s\" \"dpr\"\n", version
	print ".SH NAME\ndpr\\-environment \\- the environment variables of dpr"
	print ".SH DESCRIPTION"
	print "All variables are read once, at the first use of the library, and ignored in"
	print "setuid programs.  An empty value counts as not set.  A bad value is the error"
	print "DPR_ERROR_ENVIRONMENT of the first call, and the text of the error names the"
	print "values that are allowed."
	print ".B \"dpr doctor \\-\\-env\""
	print "lists all variables with their values.  A program reads that list with"
	print ".BR dpr_variables (3)."
	print ".SH VARIABLES"
	while (match(all, /X\([A-Z_]+, *"/)) {
		name = substr(all, RSTART + 2)
		sub(/,.*/, "", name)
		all = substr(all, RSTART + RLENGTH - 1)
		text = ""
		while (all ~ /^[ \t]*"/) {
			sub(/^[ \t]+/, "", all)
			text = text take_text()
		}
		text = escape(text)
		# A list of words, each with its text.
		if (text ~ /^[a-z]+: .*; [a-z]+: /)
			while (match(text, /; [a-z]+: /))
				text = substr(text, 1, RSTART - 1) ".\n.br\n" \
					substr(text, RSTART + 2)
		printf ".TP\n.B DPR_%s\n%s.\n", name, text
	}
	print ".TP\n.BI DPR_OPTION_ PLUGIN _ KEY"
	print "An option of the plugin that the name has, in capitals.  An option that the"
	print "plugin does not have is an error of the call that starts the plugin."
	print ".BR dpr (1)\nlists the options of the plugins that come with dpr."
	print ".SH SEE ALSO\n.BR dpr (1),\n.BR dpr (7),\n.BR dpr\\-doctor (1),"
	print ".BR dpr\\-selector (7),\n.BR dpr\\-cache (1)"
}
