# SPDX-License-Identifier: Apache-2.0
# Takes the sessions of a page apart.  Writes into the folder `out`: script, the
# commands with a mark before and after each; N.want, the output that the page has
# below command N; N.varies, the expressions above its block; list, a line for each
# command: N, the line in the page, the command.
#
# Variables: backend, the name that `only:` may have; out.

function begin_command(text)
{
	n++
	command = text
	line = FNR
	want = out "/" n ".want"
	printf "" >want
	for (i = 1; i <= n_varies; i++)
		print varies[i] >(out "/" n ".varies")
}

function end_command(   first_line)
{
	if (command == "")
		return
	first_line = command
	sub(/\n.*/, "", first_line)
	printf "%d\t%d\t%s\n", n, line, first_line >(out "/list")
	printf "printf '\\001begin %d\\n'\n%s\nprintf '\\001end %d %%d\\n' $?\n", \
		n, command, n >(out "/script")
	close(want)
	command = ""
}

BEGIN {
	printf "" >(out "/script")
	printf "" >(out "/list")
}

/^```/ && !opened {
	opened = 1
	is_run = $0 == "```console" && !is_left_out
	next
}
/^```/ {
	end_command()
	opened = n_varies = is_left_out = 0
	next
}
opened && !is_run {
	next
}
opened && /^\$ / {
	end_command()
	begin_command(substr($0, 3))
	may_go_on = 1
	next
}
# A command goes on in lines that begin with ">".
opened && may_go_on && /^>( |$)/ {
	command = command "\n" substr($0, 3)
	next
}
opened {
	may_go_on = 0
	print >want
	next
}

/^<!-- varies: .* -->$/ {
	varies[++n_varies] = substr($0, 14, length($0) - 17)
	next
}
/^<!-- not run: .* -->$/ {
	is_left_out = 1
	next
}
/^<!-- needs: .* -->$/ {
	needed = substr($0, 13, length($0) - 16)
	if (system("command -v " needed " >/dev/null 2>&1") != 0) {
		printf "%s: needs %s, which is not here: left out\n", FILENAME, needed
		is_left_out = 1
	}
	next
}
/^<!-- only: .* -->$/ {
	if (substr($0, 12, length($0) - 15) != backend)
		is_left_out = 1
	next
}
!/^<!-- .* -->$/ {
	n_varies = is_left_out = 0
}
END {
	end_command()
}
