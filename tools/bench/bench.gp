# SPDX-License-Identifier: Apache-2.0
# bench.gp - draws the rates that dpr bench --sweep has written.
#
#	dpr bench --sweep 4K:1G --tsv rate.tsv
#	gnuplot -c bench.gp rate.tsv rate.svg
#
# A name that ends in .png gives a PNG.  Each row on each device has two panels:
# above its rate beside its baseline and its first call, below the ratio to the
# baseline.
if (ARGC != 2) {
	print "usage: gnuplot -c bench.gp FILE.tsv FILE.svg|FILE.png"
	exit status 2
}
set datafile separator "\t"
set encoding utf8

# The device and the row of each series, as words; and the machine, from the first
# line.
series = ""
note(device, row) = device eq "device" ? "" : \
	strstrt(series . " ", " " . device . "|" . row . " ") ? "" : \
	" " . device . "|" . row
stats ARG1 using (series = series . note(strcol(1), strcol(2)), 0) nooutput
machine = system("head -n 1 '" . ARG1 . "'")[3:*]
n = words(series)
if (n == 0) {
	print ARG1 . ": no figures"
	exit status 1
}

if (ARG2[strlen(ARG2) - 3:*] eq ".png") {
	set terminal png size 420 * n, 620
} else {
	set terminal svg size 420 * n, 620 background "#ffffff"
}
set output ARG2
stats ARG1 using 3 nooutput
set xrange [STATS_min / 1.3 : STATS_max * 1.3]
set multiplot layout 2, n columnsfirst title machine font ",11" noenhanced
set logscale x 2
set xtics ("4K" 2**12, "64K" 2**16, "1M" 2**20, "16M" 2**24, "256M" 2**28, \
	"4G" 2**32)
set mytics 1
set grid linecolor "#dddddd" linetype 1
set key bmargin center horizontal
set style data linespoints
set pointsize 0.5
mine(i) = strcol(1) . "|" . strcol(2) eq word(series, i)
pick(i, c) = mine(i) ? column(c) : NaN
do for [i = 1:n] {
	name = word(series, i)
	bar = strstrt(name, "|")
	set title name[bar + 1:*] . " on " . name[:bar - 1] noenhanced
	unset xlabel
	set ylabel "GB/s"
	set logscale y 10
	set yrange [*:*]
	plot ARG1 using 3:(pick(i, 4)) title "dpr" \
			linewidth 2 linecolor "#08519c" pointtype 7, \
		"" using 3:(pick(i, 7)) title "baseline" \
			linecolor "#d95f0e" pointtype 5, \
		"" using 3:(pick(i, 9)) title "first call" \
			linecolor "#636363" dashtype 2 pointtype 9
	unset title
	set xlabel "bytes of an operand"
	set ylabel "dpr / baseline"
	unset logscale y
	set yrange [0:*]
	plot ARG1 using 3:(pick(i, 8)) notitle \
			linewidth 2 linecolor "#08519c" pointtype 7, \
		1 notitle linecolor "#d95f0e"
}
unset multiplot
