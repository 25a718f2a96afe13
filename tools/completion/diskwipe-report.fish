# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for diskwipe-report

function __diskwipe_report_is
    set -l words (commandline -opc)
    contains -- "$words[2]" $argv
end

set -l all '__diskwipe_report_is certificate label summary draw'
set -l records '__diskwipe_report_is certificate label summary'
complete -c diskwipe-report -n 'not '$all -f
complete -c diskwipe-report -n 'not '$all -a certificate -d 'A page for each disk'
complete -c diskwipe-report -n 'not '$all -a label -d 'Labels for disks'
complete -c diskwipe-report -n 'not '$all -a summary -d 'Counts and tables'
complete -c diskwipe-report -n 'not '$all -a draw -d 'Figures of a run, a measurement or a sweep'
complete -c diskwipe-report -n $all -s o -l output -r -F -d 'Where to'
complete -c diskwipe-report -n $records -s S -l signers -r -F -d 'Who may sign'
complete -c diskwipe-report -n $records -s n -l serial -x -d 'Records of that disk'
complete -c diskwipe-report -n $records -s d -l since -x -d 'From that day on'
complete -c diskwipe-report -n $records -s u -l until -x -d 'Up to that day'
complete -c diskwipe-report -n $records -s l -l last -x -d 'The newest'
complete -c diskwipe-report -n $records -s j -l job -x -d 'Of that job'
complete -c diskwipe-report -n $records -s b -l label -x -d 'Of jobs of that name'
complete -c diskwipe-report -n $records -s k -l customer -x -d 'Disks of that customer'
complete -c diskwipe-report -n $records -s r -l order -x -d 'Of that order'
complete -c diskwipe-report -n $records -s a -l asset -x -d 'The disk with that tag'
complete -c diskwipe-report -n $records -s w -l operator -x -d 'What that person did'
set -l is '__diskwipe_report_is certificate'
complete -c diskwipe-report -n $is -s p -l paper -x -a 'a4 letter' -d 'Size of the paper'
complete -c diskwipe-report -n $is -s L -l language -x -a 'en de' -d 'Of the words'
complete -c diskwipe-report -n $is -s F -l firm -r -F -d 'What the firm wants'
complete -c diskwipe-report -n $is -s C -l sign-cert -r -F -d 'Sign the PDF with it'
complete -c diskwipe-report -n $is -s K -l sign-key -r -F -d 'Its private key'
complete -c diskwipe-report -n $is -s A -l all -d 'All lots on one paper'
complete -c diskwipe-report -n $is -s P -l per -x -a 'disk lot' -d 'A file for each'
complete -c diskwipe-report -n $is -s t -l check -d 'Only say whether it can be made'
complete -c diskwipe-report -n $is -s c -l chain -r -F -d 'Certificates up to a root'
set -l is '__diskwipe_report_is label'
complete -c diskwipe-report -n $is -s f -l format -x -a 'png pdf zpl' -d 'Of the file'
complete -c diskwipe-report -n $is -s s -l size -x -a '62 4x6' -d 'Of a label'
set -l is '__diskwipe_report_is draw'
complete -c diskwipe-report -n $is -s t -l check -d 'Only say whether it can be made'
complete -c diskwipe-report -n $is -s q -l quiet -d 'Do not say what was drawn'
set -l is '__diskwipe_report_is summary'
complete -c diskwipe-report -n $is -s f -l format -x -a 'html csv json' -d 'Of the file'
complete -c diskwipe-report -n $is -s P -l per -x -a 'lot' -d 'A file for each'
complete -c diskwipe-report -s h -l help -d 'List the options'
complete -c diskwipe-report -s V -l version -d 'Print the version'
