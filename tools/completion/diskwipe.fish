# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for diskwipe

function __diskwipe_verb
    set -l words (commandline -opc)
    if contains -- "$words[2]" list inspect erase format simulate verify plan topology station probe fit bench report doctor model help submit status queue watch pause resume cancel records qc top
        echo $words[2]
    else
        echo erase
    end
end

function __diskwipe_is
    contains -- (__diskwipe_verb) $argv
end

function __diskwipe_no_verb
    test (count (commandline -opc)) -eq 1
end

# Only disks that may be erased are offered where something is to be erased.
function __diskwipe_devices
    if __diskwipe_is submit status watch pause resume cancel
        diskwipe status --quiet --noheadings --output=device 2>/dev/null | string trim
        return
    end
    set -l only
    __diskwipe_is erase plan; and set only --erasable
    diskwipe list $only --noheadings --output=device 2>/dev/null | string trim
end

function __diskwipe_methods
    diskwipe help methods 2>/dev/null | string match -r '^[a-z].*'
end

function __diskwipe_columns
    diskwipe help columns 2>/dev/null | string replace -rf '^  ([a-z-]+) .*' '$1'
end

function __diskwipe_models
    diskwipe help model 2>/dev/null | sed -n '/^Models/,/^$/s/^  \([a-z_]*\) .*/\1/p'
end

complete -c diskwipe -f
complete -c diskwipe -n __diskwipe_no_verb -a list -d 'Show the disks'
complete -c diskwipe -n __diskwipe_no_verb -a inspect -d 'Show what a disk can do'
complete -c diskwipe -n __diskwipe_no_verb -a erase -d 'Erase disks'
complete -c diskwipe -n __diskwipe_no_verb -a format -d 'Format to another block length'
complete -c diskwipe -n __diskwipe_no_verb -a simulate -d 'Do it in virtual time'
complete -c diskwipe -n __diskwipe_no_verb -a verify -d 'Read disks and compare'
complete -c diskwipe -n __diskwipe_no_verb -a plan -d 'Write down what to erase'
complete -c diskwipe -n __diskwipe_no_verb -a topology -d 'Write down the machine'
complete -c diskwipe -n __diskwipe_no_verb -a probe -d 'Measure disks'
complete -c diskwipe -n __diskwipe_no_verb -a fit -d 'Calibrate from traces'
complete -c diskwipe -n __diskwipe_no_verb -a bench -d 'Measure by reading'
complete -c diskwipe -n __diskwipe_no_verb -a report -d 'Draw a run'
complete -c diskwipe -n __diskwipe_no_verb -a doctor -d 'Name what is wrong'
complete -c diskwipe -n __diskwipe_no_verb -a model -d 'Compute by a model'
complete -c diskwipe -n __diskwipe_no_verb -a top -d 'Watch and steer the station'
complete -c diskwipe -n __diskwipe_no_verb -a help -d 'Explain'
complete -c diskwipe -n __diskwipe_no_verb -a submit -d 'Let the service erase'
complete -c diskwipe -n __diskwipe_no_verb -a status -d 'Jobs and disks of the service'
complete -c diskwipe -n __diskwipe_no_verb -a queue -d 'Which disks wait'
complete -c diskwipe -n __diskwipe_no_verb -a watch -d 'Follow jobs'
complete -c diskwipe -n __diskwipe_no_verb -a pause -d 'Pause jobs or disks'
complete -c diskwipe -n __diskwipe_no_verb -a resume -d 'Let paused jobs or disks of the service go on'
complete -c diskwipe -n __diskwipe_no_verb -a cancel -d 'Stop jobs or disks of the service for good'
complete -c diskwipe -n __diskwipe_no_verb -a records -d 'What was done'
complete -c diskwipe -n __diskwipe_no_verb -a qc -d 'Draw disks to check again'
complete -c diskwipe -n '__diskwipe_is list inspect erase format verify plan topology station probe bench submit status watch pause resume cancel' -a '(__diskwipe_devices)'
complete -c diskwipe -n '__diskwipe_is help' -a 'list inspect erase format verify plan topology probe fit bench report doctor model help methods columns submit status queue watch pause resume cancel records qc top'
complete -c diskwipe -n '__diskwipe_is model' -a '(__diskwipe_models)'
complete -c diskwipe -n '__diskwipe_is model' -l sweep -x -d 'Over the values of a key'
complete -c diskwipe -n '__diskwipe_is model' -s o -l output -r -F -d 'Plot of the sweep'
complete -c diskwipe -n '__diskwipe_is model' -l json -d 'One JSON document'

set -l what '__diskwipe_is erase verify plan'
set -l write '__diskwipe_is erase plan submit top'
set -l job '__diskwipe_is erase verify'
set -l local '__diskwipe_is erase simulate verify plan'
set -l how '__diskwipe_is erase simulate verify plan submit top'
set -l sends '__diskwipe_is erase simulate plan submit top'
set -l service '__diskwipe_is submit status queue watch pause resume cancel records top'
set -l runs '__diskwipe_is erase simulate verify'
set -l any '__diskwipe_is list inspect erase verify plan'
complete -c diskwipe -n $how -l method -x -a '(__diskwipe_methods)' -d 'What is written'
complete -c diskwipe -n $sends -l level -x -a 'clear purge' -d 'What is to be reached'
complete -c diskwipe -n $sends -l or-clear -d 'Clear what cannot be purged'
complete -c diskwipe -n $sends -l allow -x -a crypto -d 'What auto may use besides'
complete -c diskwipe -n $how -l pattern -x -d 'Passes of your own'
complete -c diskwipe -n $sends -l command -x -a 'auto write write-same' -d 'SCSI command'
complete -c diskwipe -n $sends -l verify -x -a 'off sample: full device auto' -d 'How to verify'
complete -c diskwipe -n '__diskwipe_is verify' -l verify -x -a 'sample: full' -d 'How to verify'
complete -c diskwipe -n $how -l strategy -x -a 'sequential round-robin parallel longest-first' -d 'Order of commands'
complete -c diskwipe -n $local -l active -x -a auto -d 'Disks at once'
complete -c diskwipe -n '__diskwipe_is format' -l active -x -d 'Disks at once behind a host'
complete -c diskwipe -n '__diskwipe_is format' -l block-size -x -a '512 520 528 4096 4160 4224' -d 'Block length'
complete -c diskwipe -n '__diskwipe_is format' -l protection -x -a '0 1 2 3' -d 'Protection information'
complete -c diskwipe -n '__diskwipe_is format' -l again -d 'Also what is so already'
complete -c diskwipe -n '__diskwipe_is format' -l stall-budget -x -d 'Time without progress'
complete -c diskwipe -n '__diskwipe_is format' -l config -r -F -d 'Protected disks'
complete -c diskwipe -n $how -l depth -x -d 'Commands at one disk'
complete -c diskwipe -n $how -l tuning -x -a 'adaptive fixed fixed: cache' -d 'Transfer length'
complete -c diskwipe -n $how -l tuning-buffer -x -d 'Buffer to share out'
complete -c diskwipe -n $sends -l flush-every -x -d 'Size or time'
complete -c diskwipe -n $sends -l write-cache -x -a 'auto keep on' -d 'For the task'
complete -c diskwipe -n '__diskwipe_is erase plan' -l hidden -x -a 'report restore' -d 'Hidden blocks'
complete -c diskwipe -n $write -l paths -x -a 'auto fixed dynamic' -d 'Of disks with several'
complete -c diskwipe -n $write -l reserve -d 'Persistent reservation'
complete -c diskwipe -n $local -l background -x -a 'keep-response: share: off' -d 'Limit the impact on other I/O'
complete -c diskwipe -n $local -l others -x -d 'That work'
complete -c diskwipe -n $local -l mirror -x -d 'Copies of the same data'
complete -c diskwipe -n $local -l verify-policy -x -a 'both common auto' -d 'Which copy is read'
complete -c diskwipe -n $how -l order -x -a 'ascending near-first' -d 'Order of the sweep'
complete -c diskwipe -n $how -l near -x -a 'start end' -d 'Where other load falls'
complete -c diskwipe -n $how -l stall-budget -x -d 'Time a disk may lose'
complete -c diskwipe -n '__diskwipe_is erase' -l power-cycle -x -d 'Wait for a disk to be unplugged'
complete -c diskwipe -n $any -l logical -d 'Allow RAID volumes'
complete -c diskwipe -n '__diskwipe_is erase format verify plan topology station probe submit' -l exclude -x -a '(__diskwipe_devices)' -d 'Leave a disk out'
complete -c diskwipe -n '__diskwipe_is erase verify plan' -l topology -r -F -d 'Forecast from it'
complete -c diskwipe -n '__diskwipe_is plan' -l compare -d 'Every manner'
complete -c diskwipe -n '__diskwipe_is plan' -l replace -x -d 'A disk by a kind'
complete -c diskwipe -n '__diskwipe_is plan' -l without -x -d 'Leave a disk out'
complete -c diskwipe -n '__diskwipe_is erase' -l plan -r -F -d 'Disks of a plan'
complete -c diskwipe -n '__diskwipe_is erase' -l state -r -F -d 'Keep the state'
complete -c diskwipe -n '__diskwipe_is erase' -l resume -r -F -d 'Go on'
complete -c diskwipe -n $job -l key-file -r -F -d 'Key of random passes'
complete -c diskwipe -n $runs -l trace -r -F -d 'Lines of commands'
complete -c diskwipe -n $runs -l trace-full -d 'A line for every command'
complete -c diskwipe -n '__diskwipe_is erase verify qc' -l record -r -F -d 'Folder of signed records'
complete -c diskwipe -n '__diskwipe_is erase verify qc' -l record-key -r -F -d 'Key that signs them'
complete -c diskwipe -n '__diskwipe_is erase verify plan submit top' -l customer -x -d 'Whose disks they are'
complete -c diskwipe -n '__diskwipe_is erase verify plan submit top' -l order-number -x -d 'Order of the customer'
complete -c diskwipe -n '__diskwipe_is erase submit' -l asset -x -d 'Tag of the disk'
complete -c diskwipe -n '__diskwipe_is erase submit' -l assets -r -d 'CSV of serial number and tag'
complete -c diskwipe -n '__diskwipe_is erase verify submit top records qc' -l operator -x -d 'Who erases, or signs'
complete -c diskwipe -n '__diskwipe_is erase' -l certificate -r -F -d 'Print it there at the end'
complete -c diskwipe -n '__diskwipe_is verify records qc' -l signers -r -F -d 'Who may sign'
complete -c diskwipe -n '__diskwipe_is records' -l expect -x -d 'Head that is still there'
complete -c diskwipe -n '__diskwipe_is records' -l all -d 'What the service has signed'
complete -c diskwipe -n '__diskwipe_is verify' -l drawn -d 'What was drawn'
complete -c diskwipe -n '__diskwipe_is records' -a 'key list verify'
complete -c diskwipe -n '__diskwipe_is qc' -a 'draw status'
complete -c diskwipe -n $runs -l report -r -F -d 'Draw it at the end'
complete -c diskwipe -n $local -l seed -x -d 'Of the sample'
complete -c diskwipe -n '__diskwipe_is erase format submit' -l yes -d 'Do not ask'
complete -c diskwipe -n '__diskwipe_is erase format submit' -l expect-count -x -d 'Disks to erase'
complete -c diskwipe -n '__diskwipe_is erase format verify submit' -s n -l dry-run -d 'Change nothing'
complete -c diskwipe -n '__diskwipe_is erase format verify submit' -l no-act -d 'Change nothing'
complete -c diskwipe -n $runs -l print-schedule -d 'Print H and Q'
complete -c diskwipe -n '__diskwipe_is list status' -s o -l output -x -a '(__diskwipe_columns)' -d 'Columns'
complete -c diskwipe -n '__diskwipe_is plan' -s o -l output -r -F -d 'File for the plan'
complete -c diskwipe -n '__diskwipe_is report fit' -a '(__fish_complete_path)'
complete -c diskwipe -n '__diskwipe_is report' -s o -l output -r -F -d 'Picture'
complete -c diskwipe -n '__diskwipe_is probe fit' -l topology -r -F -d 'Topology file to begin with'
complete -c diskwipe -n '__diskwipe_is probe' -l seconds -x -d 'For each disk'
complete -c diskwipe -n '__diskwipe_is topology station probe fit' -s o -l output -r -F -d 'File for the topology'
complete -c diskwipe -n '__diskwipe_is list erase simulate verify submit status queue records watch' -l bytes -d 'Sizes in bytes'
complete -c diskwipe -n '__diskwipe_is list inspect erase simulate verify status queue records' -l noheadings -d 'No headings'
complete -c diskwipe -n '__diskwipe_is list' -l erasable -d 'Only what may be erased'
complete -c diskwipe -n '__diskwipe_is inspect' -l capture -r -F -d 'Keep what it answers'
complete -c diskwipe -n '__diskwipe_is inspect' -l anonymous -d 'Without its names'
complete -c diskwipe -n '__diskwipe_is inspect' -l rate -x -d 'Of a member'
complete -c diskwipe -n '__diskwipe_is inspect' -l link -x -d 'That members share'
complete -c diskwipe -n '__diskwipe_is list inspect erase format simulate verify plan submit status queue records' -l json -d 'One JSON document'
complete -c diskwipe -n $runs -l json-lines -d 'Events as JSON'
complete -c diskwipe -n '__diskwipe_is erase simulate verify submit watch' -l progress -x -a 'auto bars plain none' -d 'How to show it'
complete -c diskwipe -n '__diskwipe_is list inspect erase simulate verify plan submit status queue records watch top' -l color -a 'auto always never' -d 'When to colour'
complete -c diskwipe -n $any -l config -r -F -d 'Protected disks'
complete -c diskwipe -n '__diskwipe_is erase format simulate verify plan topology station probe fit report submit status queue watch pause resume cancel records qc top' -s q -l quiet -d 'Say less'
complete -c diskwipe -n '__diskwipe_is list inspect erase simulate verify plan status' -s v -l verbose -d 'Say more'
complete -c diskwipe -n '__diskwipe_is bench' -l contiguous -d 'Rate over length'
complete -c diskwipe -n '__diskwipe_is bench' -l random -d 'At random places'
complete -c diskwipe -n '__diskwipe_is bench' -l load -d 'Operations over response'
complete -c diskwipe -n '__diskwipe_is bench' -l misalign -x -d 'Past an aligned place'
complete -c diskwipe -n '__diskwipe_is bench' -l sweep -x -d 'Lengths'
complete -c diskwipe -n '__diskwipe_is bench' -s o -l output -r -F -d 'Plot'
complete -c diskwipe -n '__diskwipe_is doctor' -l fix -d 'Open the sandbox for records'
complete -c diskwipe -n '__diskwipe_is doctor' -l json -d 'One JSON document'
complete -c diskwipe -n '__diskwipe_is bench' -l json -d 'One JSON document'
complete -c diskwipe -n '__diskwipe_is bench' -s q -l quiet -d 'Say less'
complete -c diskwipe -s h -l help -a all -d 'List the options'
complete -c diskwipe -s V -l version -d 'Print the version'
complete -c diskwipe -n '__diskwipe_is simulate' -l coarse -d 'Runs of commands as one'
complete -c diskwipe -n '__diskwipe_is simulate' -l exact -d 'Every command'
complete -c diskwipe -n '__diskwipe_is simulate' -l bus -x -d 'Where the service is'
complete -c diskwipe -n '__diskwipe_is simulate' -F
complete -c diskwipe -n '__diskwipe_is list erase format verify plan submit' -l select -x -d 'Disks by a rule'
complete -c diskwipe -n '__diskwipe_is submit top' -l priority -x -d 'Greater goes first'
complete -c diskwipe -n '__diskwipe_is erase submit top qc' -l label -x -d 'Name of the job'
complete -c diskwipe -n '__diskwipe_is submit top' -l note -x -d 'Remark'
complete -c diskwipe -n '__diskwipe_is submit' -l wait -d 'Follow the job'
complete -c diskwipe -n '__diskwipe_is top' -l wall -d 'Large letters, to be read from afar'
complete -c diskwipe -n '__diskwipe_is records qc' -l since -x -d 'From then on'
complete -c diskwipe -n '__diskwipe_is records qc' -l until -x -d 'Up to then'
complete -c diskwipe -n '__diskwipe_is records' -l serial -x -d 'Of a disk'
complete -c diskwipe -n '__diskwipe_is records' -l bay -x -d 'Of a bay'
complete -c diskwipe -n '__diskwipe_is records' -l outcome -x -d 'With this outcome'
complete -c diskwipe -n '__diskwipe_is records' -l limit -x -d 'At most so many'
complete -c diskwipe -n '__diskwipe_is records' -l csv -d 'Comma-separated values'
complete -c diskwipe -n $service -l bus -x -d 'Where the service is'
