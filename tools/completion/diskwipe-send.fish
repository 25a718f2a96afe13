# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for diskwipe-send
complete -c diskwipe-send -f
complete -c diskwipe-send -l config -r -F -d Configuration
complete -c diskwipe-send -l once -d 'Send what is there, and end'
complete -c diskwipe-send -l status -d 'How far each target has come'
complete -c diskwipe-send -s h -l help -d 'List the options'
complete -c diskwipe-send -s V -l version -d 'Print the version'
