# SPDX-License-Identifier: Apache-2.0
# fish completion for dpr: commands, options, selectors, array functions and files.

# No command is given yet.
function __dpr_no_command
    test (count (commandline -opc)) -eq 1
end

# The command is $argv[1].  With a number: the argument with this number comes next;
# with "more" behind the number, this argument or a later one.  Words with a dash, and
# values behind them, are not counted.
function __dpr_argument
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = "$argv[1]"; or return 1
    test (count $argv) -ge 2; or return 0
    set -l place 1
    set -l value 0
    for word in $words[3..-1]
        if test $value -eq 1
            set value 0
        else if string match -q -- '-*' $word
            contains -- "$argv[1] $word" $__dpr_valued; and set value 1
        else
            set place (math $place + 1)
        end
    end
    if test (count $argv) -ge 3
        test $place -ge $argv[2]
    else
        test $place -eq $argv[2]
    end
end

# Backends, types and numbers of devices, as the program lists them, and aspects behind
# a plus or a minus.  A list has commas.
function __dpr_selectors
    set -l word (commandline -ct | string replace -r '^--[a-z-]+=' '' | string trim -c '\'"')
    set -l before (string match -r '^.*[,!]' -- $word); or set before ''
    set -l last (string replace -r '^.*[,!]' '' -- $word)
    if set -l sign (string match -r '^(?:.*[+]|[^-].*-)' -- $last)
        printf '%s\n' $before$sign$__dpr_aspects
        return
    end
    set -l program (commandline -opc)[1]
    for device in (command $program devices 2>/dev/null | string match -r '^[a-z0-9_]+:[a-z]+:[0-9]+')
        set -l part (string split : $device)
        printf '%s\n' "$before$part[1]" "$before$part[2]" "$before$part[1]:$part[2]" "$before$device"
    end
end

# The array functions that go on with the name at the end of an expression.
function __dpr_expressions
    set -l word (commandline -ct | string trim -l -c '\'"')
    set -l before (string match -r '^.*[^A-Za-z0-9_]' -- $word); or set before ''
    printf '%s(\n' $before$__dpr_function_names
end

# Arrays in files, and folders; behind --option= and NAME=, too.
function __dpr_arrays
    set -l word (commandline -ct)
    set -l before ''
    string match -q -- '-*' $word; or set before (string match -r '^[^=]*=' -- $word); or set before ''
    for file in (string replace -r '^[^=]*=' '' -- $word)*
        if test -d $file
            echo $before$file/
        else if string match -qr '\.np[yz]$' -- $file
            echo $before$file
        end
    end
end

function __dpr_bindings
    string match -q '*=*' -- (commandline -ct); and __dpr_arrays
end

function __dpr_kernels
    set -l program (commandline -opc)[1]
    command $program kernels 2>/dev/null
end

complete -c dpr -f
complete -c dpr -n __dpr_no_command -a help -d 'describe a command'
complete -c dpr -n __dpr_no_command -s h -l help -d 'describe the program'
complete -c dpr -n __dpr_no_command -l version -d 'print the version'
# @tables@
