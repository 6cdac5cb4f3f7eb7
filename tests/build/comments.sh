#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ranks the sentences of comments by their pronouns: it, that, those, what, which
# and one (the number is none).  A sentence with more than two of these has to be
# read twice.
#
# usage: comments.sh [FILE|FOLDER...]           all sentences that have some,
#                                               worst first
#        comments.sh --check [SOURCE-DIRECTORY] those above the limit in the
#                                               folders that are done
#        comments.sh --sample N SEED [FILE|FOLDER...]
#                                               N comments drawn at random, with
#                                               the lines around them
set -u

# These folders stay below the limit.
finished='backends core include kernels tools'
limit=2

here=$(cd "$(dirname "$0")" && pwd) || exit 99

# list FILE|FOLDER...: the files that have comments.
list() {
	find "$@" -type f 2>/dev/null |
		grep -E '\.(c|h|cl|cpp|hpp|def|awk|mk|sh)$' |
		grep -Ev '(^|/)kernels/templates\.def$' | LC_ALL=C sort
}

# rank LIMIT FILE|FOLDER...
rank() {
	at_most=$1
	shift
	list "$@" | LC_ALL=C xargs awk -v limit="$at_most" -f "$here/comments.awk" |
		LC_ALL=C sort -s -t '	' -k 1,1nr |
		awk -F '\t' '{ print $2 ": " $1 ": " $3 }'
}

case ${1-} in
--check)
	cd "${2:-.}" || exit 99
	# shellcheck disable=SC2086 # names of folders
	rank $limit $finished
	;;
--sample)
	[ $# -ge 3 ] || exit 99
	n=$2 seed=$3
	shift 3
	[ $# -gt 0 ] || set -- core kernels
	echo "$n comments, seed $seed"
	list "$@" | LC_ALL=C xargs awk -v sample="$n" -v seed="$seed" \
		-f "$here/comments.awk"
	;;
*)
	[ $# -gt 0 ] || set -- core kernels
	rank 0 "$@"
	;;
esac
