#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The completion for bash, zsh and fish: each shell that is installed completes lines
# as a user types them, with the selectors of test plugins.  All commands, options and
# array functions of dpr's help are offered.
set -u
me=check-completion
# shellcheck source=../support/tools.sh
. "${top_srcdir:-.}/tests/support/tools.sh"
here=${top_srcdir:-.}/tools/completion
built=${top_builddir:-.}/tools/completion
if [ ! -e "$built/bash/dpr" ]; then
	echo "needs a build for this machine: there is no $built/bash/dpr"
	exit 77
fi

for v in $(env | sed -n 's/^\(DPR_[A-Z0-9_]*\)=.*/\1/p'); do
	unset "$v"
done
mkdir "$tmp/p" "$tmp/bin" "$tmp/files" && chmod 755 "$tmp" "$tmp/p" || exit 99
cp "$plugins/libdpr-mock.so" "$tmp/p" || exit 99
: >"$tmp/files/one.npy"
: >"$tmp/files/two.npz"
: >"$tmp/files/three.txt"
mkdir "$tmp/files/folder" || exit 99
# The shells run dpr by its name.
printf '#!/bin/sh\nDPR_PLUGIN_PATH=%s DPR_CACHE_DIR=off exec %s "$@"\n' "$tmp/p" \
	"$dpr" >"$tmp/bin/dpr" && chmod 755 "$tmp/bin/dpr" || exit 99
PATH=$tmp/bin:$PATH
export PATH
shells=

# has SHELL: whether it is installed; says so if not.
has() {
	if "$1" --version >/dev/null 2>&1; then
		shells="$shells $1"
		return 0
	fi
	echo "left out: $1, which is not installed"
	return 1
}

# --- bash -------------------------------------------------------------------

# A script that answers each line of its input with the words that are offered.  The
# second argument of a completion function is what readline replaces: the line's end
# behind a blank, a quote, or one of ":=" outside of quotes.
cat >"$tmp/ask.bash" <<'END'
. "$1" || exit
shopt -s extglob
while IFS= read -r line; do
	COMP_LINE=$line COMP_POINT=${#line}
	case $line in
	*\'*) replaced=${line##*\'} ;;
	*) replaced=${line##*[ :=]} ;;
	esac
	_dpr dpr "$replaced"
	printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort -u | tr '\n' ' '
	echo
done
END

# bash_offers LINE WORDS
bash_offers() {
	got=$(cd "$tmp/files" && printf '%s\n' "$1" | bash "$tmp/ask.bash" "$built/bash/dpr")
	[ "$got" = "$2 " ] || complain "bash: $1: \"$got\""
}

try_bash() {
	built=$(cd "$built" && pwd)
	commands=$(dpr help | sed -n 's/^  \([a-z-]*\)  *[a-z].*/\1/p')
	[ "$(echo "$commands" | wc -l)" -ge 8 ] || complain "hardly any command"
	bash_offers 'dpr ' "$(printf '%s\n' --help --version help $commands |
		LC_ALL=C sort -u | tr '\n' ' ' | sed 's/ $//')"
	for command in $commands; do
		bash_offers "dpr $command --" "$(dpr help "$command" |
			sed -n -e 's/^  -., \(--[a-z0-9+-]*\).*/\1/p' \
				-e 's/^      \(--[a-z0-9+-]*\).*/\1/p' |
			LC_ALL=C sort -u | tr '\n' ' ' | sed 's/ $//')"
	done
	functions=$(dpr eval --help | sed -n '/Functions:$/,/^$/s/^  *//p')
	[ "$(echo "$functions" | wc -w)" -ge 150 ] || complain "hardly any function"
	for letter in a b c d e f g h i k l m n o p r s t v w z; do
		bash_offers "dpr eval '2*$letter" "$(echo "$functions" | tr ' ' '\n' |
			sed -n "s/^$letter.*/2*&(/p" | LC_ALL=C sort -u | tr '\n' ' ' |
			sed 's/ $//')"
	done
	bash_offers 'dpr de' 'devices'
	bash_offers 'dpr help doc' 'doctor'
	bash_offers 'dpr help doctor ' ''
	bash_offers 'dpr devices ' 'gpu mock mock:gpu mock:gpu:0'
	bash_offers 'dpr devices mock:' 'gpu gpu:0'
	bash_offers 'dpr devices -e mock:gpu:' '0'
	bash_offers 'dpr devices opencl,mo' 'opencl,mock opencl,mock:gpu opencl,mock:gpu:0'
	bash_offers "dpr devices '!mo" '!mock !mock:gpu !mock:gpu:0'
	bash_offers 'dpr devices gpu+fp' 'gpu+fp16 gpu+fp64'
	bash_offers 'dpr devices mock ' ''
	bash_offers "dpr eval 'x' -d mock:gpu:" '0'
	bash_offers "dpr eval 'x' --device=mock:gpu:" '0'
	bash_offers "dpr eval -o out.npy -e 'x' x=" 'folder one.npy two.npz'
	bash_offers "dpr eval 'x + y' x=one.npy y=t" 'two.npz'
	bash_offers "dpr eval 'x' --output=o" 'one.npy'
	bash_offers 'dpr bench -r add,cast-i' 'add,cast-int8'
	bash_offers 'dpr bench --size ' ''
	bash_offers 'dpr bench --tsv th' 'three.txt'
	bash_offers 'dpr check-plugin -g start.p' "$(dpr check-plugin --list |
		sed -n 's/^  *\(start\.p.*\)/\1/p')"
	bash_offers 'dpr check-plugin th' 'three.txt'
	bash_offers 'dpr check-plugin -g start th' 'three.txt'
	bash_offers 'dpr kernels --source flat_add_uint8' 'flat_add_uint8'
	bash_offers 'dpr cache ' 'clear'
	bash_offers 'dpr cache clear ' ''
	bash_offers 'dpr new-plugin name f' 'folder'
	bash_offers 'dpr doctor ' ''
}

# --- zsh --------------------------------------------------------------------

# A shell in a terminal, where the tabulator key writes the completed line to a file.
cat >"$tmp/ask.zsh" <<'END'
zmodload zsh/zpty || exit 77
rc=$1 out=$2
zpty shell "TERM=dumb zsh -f -i" && zpty -w shell ". $rc"
integer n=0 i
until_line() {
	((n++))
	for ((i = 0; i < 1200 && $(wc -l <$out) < n; i++)); do
		while zpty -r -t shell text 2>/dev/null; do :; done
		sleep 0.05
	done
}
until_line
while IFS= read -r line; do
	zpty -w -n shell "$line"$'\t'
	until_line
done
zpty -d shell
END

try_zsh() {
	mkdir "$tmp/zsh" && cp "$built/zsh/_dpr" "$tmp/zsh" || exit 99
	: >"$tmp/answers"
	cat >"$tmp/rc" <<-END
		PS1= PS2= LISTMAX=10000
		fpath=($tmp/zsh \$fpath)
		autoload -U compinit
		compinit -u -D
		cd $tmp/files
		answer() { zle complete-word; print -r -- "\$BUFFER|" >>$tmp/answers; BUFFER=; }
		zle -N answer
		bindkey '^I' answer
		print ready >>$tmp/answers
	END
	cat >"$tmp/lines" <<-'END'
		dpr dev                          dpr devices |
		dpr he                           dpr help |
		dpr help doc                     dpr help doctor |
		dpr devices --expl               dpr devices --explain |
		dpr devices mo                   dpr devices mock|
		dpr devices mock:gpu:            dpr devices mock:gpu:0|
		dpr devices opencl,gp            dpr devices opencl,gpu|
		dpr devices gpu+fp6              dpr devices gpu+fp64|
		dpr eval --device=mock:gpu:      dpr eval --device=mock:gpu:0|
		dpr eval '2*cbr                  dpr eval '2*cbrt(|
		dpr eval 'x' x=on                dpr eval 'x' x=one.npy |
		dpr bench --rows add,cast-i      dpr bench --rows add,cast-int8,|
		dpr bench --sw                   dpr bench --sweep=|
		dpr bench --tsv=th               dpr bench --tsv=three.txt |
		dpr cache cl                     dpr cache clear |
		dpr kernels -s flat_add_uint8    dpr kernels -s flat_add_uint8 |
		dpr new-plugin name fo           dpr new-plugin name folder/|
	END
	sed 's/   *dpr.*//' "$tmp/lines" >"$tmp/in"
	sed 's/.*   \(dpr .*\)/\1/' "$tmp/lines" >"$tmp/expected"
	zsh -f "$tmp/ask.zsh" "$tmp/rc" "$tmp/answers" <"$tmp/in" >"$tmp/err" 2>&1
	rm -f "$tmp/err"
	sed 1d "$tmp/answers" | diff "$tmp/expected" - >"$tmp/out" ||
		complain "zsh completes other words (>) than it should"
	rm -f "$tmp/out"
}

# --- fish -------------------------------------------------------------------

# fish_offers LINE WORDS
fish_offers() {
	got=$(cd "$tmp/files" && HOME=$tmp fish --no-config -c "
		source $built/fish/dpr.fish
		complete -C \$argv[1]" "$1" | cut -f 1 | LC_ALL=C sort -u |
		tr '\n' ' ')
	[ "$got" = "$2${2:+ }" ] || complain "fish: $1: \"$got\""
}

try_fish() {
	fish_offers 'dpr de' 'devices'
	fish_offers 'dpr help doc' 'doctor'
	fish_offers 'dpr devices --' '--explain --help --json --verbose'
	fish_offers 'dpr devices mo' 'mock mock:gpu mock:gpu:0'
	fish_offers 'dpr devices opencl,mo' 'opencl,mock opencl,mock:gpu opencl,mock:gpu:0'
	fish_offers 'dpr devices gpu+fp' 'gpu+fp16 gpu+fp64'
	fish_offers 'dpr devices mock ' ''
	fish_offers 'dpr eval --device=mock:gpu:' '--device=mock:gpu:0'
	fish_offers "dpr eval '2*cbr" '2*cbrt('
	fish_offers "dpr eval 'x' x=" 'x=folder/ x=one.npy x=two.npz'
	fish_offers "dpr eval -o o" 'one.npy'
	fish_offers 'dpr bench -r cast-i' 'cast-int8'
	fish_offers 'dpr bench --tsv th' 'three.txt'
	fish_offers 'dpr check-plugin -g start th' 'three.txt'
	fish_offers 'dpr cache ' 'clear'
	fish_offers 'dpr cache clear ' ''
	fish_offers 'dpr kernels --source flat_add_uint8' 'flat_add_uint8'
}

# --- What the generator reads -----------------------------------------------

# more WORD BLANKS: a program with one more command.  WORD is in place of an option's
# letter, and BLANKS are in front of an option without a letter.
more() {
	cat >"$tmp/bin/more" <<-END
		#!/bin/sh
		case "\$*" in
		help)
			$tmp/bin/dpr help
			echo "  wash         wash a device" ;;
		'help wash')
			echo "usage: dpr wash [--with=SELECTOR] [--hot[=DEGREES]] FILE"
			echo
			echo "  $1, --with=SELECTOR  another device"
			echo "  -t, --hot[=DEGREES]  not cold"
			echo "$2--spin=SELECTOR  without a letter" ;;
		*) exec $tmp/bin/dpr "\$@" ;;
		esac
	END
	chmod 755 "$tmp/bin/more"
}
for shell in bash zsh fish; do
	more -w '      '
	sh "$here/generate.sh" $shell "$tmp/bin/more" "$here/../../include/dpr/info.h" \
		>"$tmp/out" 2>"$tmp/err" || complain "$shell: a new command is refused"
	grep -q 'wash' "$tmp/out" || complain "$shell: the new command is lost"
	grep -Eq 'with.*selector' "$tmp/out" || complain "$shell: the new option is lost"
	grep -Eq 'spin.*selector' "$tmp/out" ||
		complain "$shell: an option without a letter is lost"
	grep -q 'hot' "$tmp/out" || complain "$shell: an option with brackets is lost"
	grep -q 'DEGREES' "$tmp/out" && complain "$shell: an optional value is left"
	# An option in another form is an error, and not a script without it.
	more w '      '
	sh "$here/generate.sh" $shell "$tmp/bin/more" "$here/../../include/dpr/info.h" \
		>"$tmp/out" 2>"$tmp/err" && complain "$shell: help without options is taken"
	says err 'dpr wash: no option:   w, --with'
	more -w '    '
	sh "$here/generate.sh" $shell "$tmp/bin/more" "$here/../../include/dpr/info.h" \
		>"$tmp/out" 2>"$tmp/err" && complain "$shell: an option is lost"
	says err 'dpr wash: no option:     --spin'
	rm -f "$tmp/out" "$tmp/err"
done

! has bash || try_bash
! has zsh || try_zsh
! has fish || try_fish
[ -n "$shells" ] || {
	echo "needs bash, zsh or fish"
	exit 77
}
finish "completes in$shells"
