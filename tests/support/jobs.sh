# SPDX-License-Identifier: Apache-2.0
# Run jobs, at most one per processor at a time.  A script sources this after it
# has set $tmp to a folder of its own.
# shellcheck shell=sh disable=SC2154 # the sourcing script sets them

# Each job runs in a shell of its own.  Their outputs are shown in the order in
# which the jobs began.
begun=0 shown=0 failed=0
mkfifo "$tmp/places" && exec 3<>"$tmp/places" || exit 99
places=$(nproc 2>/dev/null || echo 2)
while [ "$places" -gt 0 ]; do
	echo >&3
	places=$((places - 1))
done

# job COMMAND...: begin a job when a processor is free.  $begun is the number of
# the job, in COMMAND as well.
job() {
	read -r _ <&3
	show
	begun=$((begun + 1))
	(
		trap 'echo >&3' EXIT
		"$@" >"$tmp/$begun.job" 2>&1 3>&-
		echo $? >"$tmp/$begun.new"
		mv "$tmp/$begun.new" "$tmp/$begun.rc"
	) &
}

# show: print the output of each job that has ended, up to the first that runs.
show() {
	while [ -e "$tmp/$((shown + 1)).rc" ]; do
		shown=$((shown + 1))
		cat "$tmp/$shown.job"
		[ "$(cat "$tmp/$shown.rc")" -eq 0 ] || failed=1
		rm -f "$tmp/$shown".*
	done
}

# all_of_them: wait for all jobs.  Succeeds if every job has.
all_of_them() {
	wait
	show
	[ $shown -eq $begun ] && [ $failed -eq 0 ]
}
