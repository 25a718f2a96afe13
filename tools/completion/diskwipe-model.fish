# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for diskwipe-model

function __diskwipe_model_names
    diskwipe-model --help 2>/dev/null | sed -n '/^Models/,/^$/s/^  \([a-z_]*\) .*/\1/p'
end

complete -c diskwipe-model -f -a '(__diskwipe_model_names)'
complete -c diskwipe-model -l sweep -x -d 'Over the values of a key'
complete -c diskwipe-model -s o -l output -r -F -d 'Plot of the sweep'
complete -c diskwipe-model -l json -d 'One JSON document'
complete -c diskwipe-model -s h -l help -d 'List the options'
complete -c diskwipe-model -s V -l version -d 'Print the version'
