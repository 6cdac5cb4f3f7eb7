#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Try the README's two commands on a fresh release of Debian or Ubuntu.
#
#	tests/build/chroot.sh RELEASE DIRECTORY [COMMAND...]
#
# By hand and before a release, as root: debootstrap makes the smallest system
# of RELEASE (bookworm, trixie, noble, ...) with git in DIRECTORY, unless one is
# there already; a clone of this checkout's HEAD goes into it, to /root/dpr; and
# there ./quickstart and ./quickstart check are run, or COMMAND instead.  What
# was cloned and built before is removed first, but not if COMMAND is given.
#
# What the system needs (/proc, /sys, /dev) is mounted in a namespace of its
# own, and so are the processes: nothing is left when this ends, however it ends.
# DIRECTORY is kept; rm -rf takes it away.
#
# Environment: MIRROR, where packages come from; CUDA=DIR, a toolkit that is put
# (read only) at /usr/local/cuda, so that ptxas looks at the PTX too.
set -eu

die() {
	printf 'chroot.sh: %s\n' "$*" >&2
	exit 1
}

# In the namespace.
enter() {
	dir=$1
	shift
	mount -t proc proc "$dir/proc"
	mount --rbind --make-rslave /sys "$dir/sys"
	mount --rbind --make-rslave /dev "$dir/dev"
	if [ -n "${CUDA-}" ]; then
		mkdir -p "$dir/usr/local/cuda"
		mount --bind -o ro "$CUDA" "$dir/usr/local/cuda"
		# As NVIDIA's packages do: NVRTC looks for its other half there.
		echo /usr/local/cuda/lib64 >"$dir/etc/ld.so.conf.d/cuda.conf"
		chroot "$dir" /sbin/ldconfig
	fi
	exec chroot "$dir" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		TERM="${TERM:-dumb}" ${http_proxy:+http_proxy="$http_proxy"} \
		${https_proxy:+https_proxy="$https_proxy"} \
		sh -c 'cd /root/dpr && exec "$@"' sh "$@"
}

inside() {
	unshare --mount --pid --fork --kill-child sh "$0" --enter "$dir" "$@"
}

bootstrap() {
	case $release in
	bookworm | trixie | forky | sid)
		parts=main base=sid
		mirror=${MIRROR:-http://deb.debian.org/debian}
		;;
	*)
		parts=main,universe base=gutsy
		mirror=${MIRROR:-http://archive.ubuntu.com/ubuntu}
		;;
	esac
	# An old debootstrap knows no newer release by name.
	script=$release
	[ -e "/usr/share/debootstrap/scripts/$release" ] || script=$base
	debootstrap --variant=minbase --components="$parts" \
		--include=ca-certificates,git "$release" "$dir" "$mirror" \
		"/usr/share/debootstrap/scripts/$script"
	# The proxy of this machine's apt, if it has one.
	apt-config dump | grep -E '^Acquire::https?::Proxy ' \
		>"$dir/etc/apt/apt.conf.d/90proxy" || true
	: >"$dir/.dpr-chroot"
}

if [ "${1-}" = --enter ]; then
	shift
	enter "$@"
fi
if [ $# -lt 2 ]; then
	sed -n '3,19s/^# \{0,1\}//p' "$0"
	exit 2
fi
[ "$(id -u)" -eq 0 ] || die "not root"
for tool in debootstrap unshare chroot git; do
	command -v "$tool" >/dev/null || die "$tool is not installed"
done
release=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd)
shift 2
top=$(cd "$(dirname "$0")/../.." && pwd)
case $dir/ in
"$top"/*) die "$dir is in the tree: choose another directory" ;;
esac

[ -e "$dir/.dpr-chroot" ] || bootstrap
# Names are looked up as on this machine.
cp /etc/resolv.conf "$dir/etc/resolv.conf"
if [ $# -eq 0 ] || [ ! -e "$dir/root/dpr" ]; then
	rm -rf "$dir/root/dpr"
	git clone -q --no-hardlinks "$top" "$dir/root/dpr"
fi
if [ $# -gt 0 ]; then
	inside "$@"
	exit
fi
inside ./quickstart
inside ./quickstart check
