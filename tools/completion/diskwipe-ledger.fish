# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for diskwipe-ledger

function __diskwipe_ledger_is
    set -l words (commandline -opc)
    contains -- "$words[2]" $argv
end

set -l all '__diskwipe_ledger_is verify audit fetch'
complete -c diskwipe-ledger -n 'not '$all -f
complete -c diskwipe-ledger -n 'not '$all -a verify -d 'Check what has arrived'
complete -c diskwipe-ledger -n 'not '$all -a audit -d 'Prove that all is there'
complete -c diskwipe-ledger -n 'not '$all -a fetch -d 'Chains as folders again'
complete -c diskwipe-ledger -n $all -s S -l signers -r -F -d 'Who may sign'
set -l is '__diskwipe_ledger_is verify'
complete -c diskwipe-ledger -n $is -s s -l state -r -F -d 'Remember there how far chains had come'
complete -c diskwipe-ledger -n $is -s A -l all -d 'Look again at all chains'
complete -c diskwipe-ledger -n $is -s R -l resume -d 'With --all: go on where one was cut off'
complete -c diskwipe-ledger -n $is -s y -l accept -d 'Take what is an alarm as it is'
complete -c diskwipe-ledger -n $is -s m -l mark -d 'Tell the database what is whole'
set -l is '__diskwipe_ledger_is audit'
complete -c diskwipe-ledger -n $is -s H -l heads -x -d 'Where the heads are'
complete -c diskwipe-ledger -n $is -s e -l endpoint -x -d 'Of a bucket that is not Amazon\'s'
complete -c diskwipe-ledger -n $is -s r -l region -x -d 'For the signatures of requests'
complete -c diskwipe-ledger -n $is -s f -l credentials-file -r -F -d 'Who asks'
complete -c diskwipe-ledger -n $is -s c -l ca-file -r -F -d 'Who may have signed its certificate'
complete -c diskwipe-ledger -n $is -s p -l plain -d 'Without TLS'
complete -c diskwipe-ledger -n $is -s g -l grace -x -d 'Hours that a record may be on its way'
set -l is '__diskwipe_ledger_is fetch'
complete -c diskwipe-ledger -n $is -s n -l serial -x -d 'Chains that have that disk'
complete -c diskwipe-ledger -n $is -s b -l label -x -d 'Chains that have that job'
complete -c diskwipe-ledger -n $is -s k -l customer -x -d 'Chains with disks of that customer'
complete -c diskwipe-ledger -n $is -s o -l order -x -d 'Chains that have that order'
complete -c diskwipe-ledger -n $is -s a -l asset -x -d 'Chains with the disk that has that tag'
complete -c diskwipe-ledger -n $is -s w -l operator -x -d 'Chains with work of that person'
complete -c diskwipe-ledger -s h -l help -d 'List the options'
complete -c diskwipe-ledger -s V -l version -d 'Print the version'
