#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ranks the sentences of comments and pages by their pronouns.  comments.awk has the
# words.  A sentence with more than two of them has to be read twice.
#
# usage: comments.sh [FILE|FOLDER...]           all sentences that have some,
#                                               worst first
#        comments.sh --check [SOURCE-DIRECTORY] those above the limit in the
#                                               whole tree
#        comments.sh --sample N SEED [FILE|FOLDER...]
#                                               N comments drawn at random, with
#                                               the lines around them
set -u

# The whole tree stays below the limit.
everything='.ci Makefile.am HACKING.md NEWS README.md autogen.sh backends cmake
	configure.ac core doc examples include kernels m4 quickstart tests tools'
limit=2

# Pages that do not stay below it yet.
skip=
wordy='backends/host/README\.md|tools/bench/README\.md|doc/(tested-on|writing-a-backend|abi)\.md'

here=$(cd "$(dirname "$0")" && pwd) || exit 99

# list FILE|FOLDER...: the files that have comments.  Left out is what other projects
# or scripts wrote, and the header of a release, which never changes.
list() {
	find "$@" -type f 2>/dev/null |
		grep -E '\.(c|h|cl|cpp|hpp|def|awk|mk|sh|m4|ac|am|py|in|md|[17])$|(^|/)(NEWS|quickstart|run)$' |
		grep -Ev '(^|/)(kernels/templates\.def|m4/(libtool|lt[~a-z]*)\.m4|tests/fixtures/backend-1\.0/.*)$' |
		LC_ALL=C sort
}

# rank LIMIT FILE|FOLDER...
rank() {
	at_most=$1
	shift
	list "$@" | grep -Ev "^($skip)$" |
		LC_ALL=C xargs awk -v limit="$at_most" -f "$here/comments.awk" |
		LC_ALL=C sort -s -t '	' -k 1,1nr |
		awk -F '\t' '{ print $2 ": " $1 ": " $3 }'
}

case ${1-} in
--check)
	cd "${2:-.}" || exit 99
	# shellcheck disable=SC2086 # names of files and folders
	skip=$wordy
	rank $limit $everything
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
