#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of the program and the library keep to standard terms; pages, too, are without phrases
that a reader has to be told first."""
import re

import lint

# What a reader would have to be told first, and what to write.
TERMS = {
    r'\bverbs?\b': 'command',
    r'\bleft out\b': 'skipped, or excluded',
    r'\bone of the two\b': 'cannot be combined',
    r'\bno disk is left\b': 'no ... disk selected',
    r'\bnothing was touched\b': 'nothing was written',
    r'\bthe disk in the middle\b': 'median',
    r'\bnot faster\b': 'percentile',
    r'\b(?:is|are) (?:let in|shut out)\b|\bgives? way\b': 'gets access, is starved, yields',
    r'\bon the way\b': 'busiest shared link',
    r'%s past\b': 'elapsed',
    r'\bwhole story\b': 'See diskwipe(1).',
    r'\bto go on:': 'to continue:',
    r'\bdirect-access\b': 'not a disk',
}
# The same for all that people read; blanks stand for line ends, too.
PHRASES = {
    r"\bdisks that are nobody's\b": 'emulated disks, spare disks',
    r'\bnot measured, assumed\b': "guesses; 'diskwipe probe' measures them",
    r'\bforecast: unknown\b': 'forecast: between A and B',
    r'\bas the method asks\b': 'a sample of 1 %',
    r'\bnone reads as before\b': 'all changed',
    r'\bno way to purge\b|\bclear only: writes\b': 'cannot purge itself; --or-clear',
    r'\bnot of what it says\b': 'signature wrong: changed after signing',
    r'\bits place among others\b': 'this record alone',
    r'\bevery block that this disk shows\b': 'every block that a host can reach',
    r'\b(?:gone|lost) unheard\b|\bwere told of errors\b': 'error reports went to another host',
    r'\bmend (?:that|it)\b': 'correct that',
    r'\b(?:is|was|were) told nothing\b': 'no command is, was sent to it',
    r'\bbegun anew\b|\bwhat the state says of it\b': 'restarted: does not match the state file',
    r'\bneed somebody\b': 'need attention',
    r'\bother load last\b': 'the --near region last',
    r'\bbeside other work\b': 'limit the impact on other I/O',
    r'\bmay not be erased for\b': 'the reason it is refused',
    r'\btold (?:\d+|n|%u|%d) times\b|\btold to begin\b': 'did not start after n attempts',
    r'\bconfirmed as ever\b|\berases? as ever\b|\band its kin\b': 'with the usual confirmation',
    r'\bis told of at every run\b|\bmeans none of the disks\b': 'every run warns about entries',
    r'\bblocks before it are written and flushed\b': 'stopped, not verified; resume the job',
}
PAGES = ('.md', '.1', '.5', '.8', '.html', '.js', '.fish', '.bash', '.yml', '.j2', '.xml', '.conf',
         '_diskwipe', '.postrm', '.service', '.policy')
# The trace has a column of that name, and its head says so.
MEANT = {('src/report/trace_head.c', 'verb'), ('src/report/trace_read.c', 'verb')}


def strings(text):
    """(line, text) of each literal, joined where the compiler joins them."""
    text = re.sub(r'/\*.*?\*/', lambda m: '\n' * m[0].count('\n'), text, flags=re.S)
    text = re.sub(r"'(?:[^'\\\n]|\\.)'", "' '", text)
    for m in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*', text):
        yield text.count('\n', 0, m.start()) + 1, re.sub(r'"\s*"', '', m[0])


def main():
    n = pages = 0
    terms = TERMS | PHRASES
    for path in lint.files(*PAGES):
        if re.match('tests/|LICENSES/|integrations/.*/tests/', path):
            continue
        pages += 1
        text = lint.read(path)
        for phrase, better in PHRASES.items():
            for at in re.finditer(phrase.replace(' ', r'\s+'), text, re.I):
                line = text.count('\n', 0, at.start()) + 1
                lint.found(f'{path}:{line}', f"'{at[0]}': {better}")
    for path in lint.files():
        if not re.match(r'(src|tools)/.*\.[ch]$', path):
            continue
        for line, literal in strings(lint.read(path)):
            n += 1
            for term, better in terms.items():
                found = re.search(term, literal)
                if found and (path, found[0]) not in MEANT:
                    lint.found(f'{path}:{line}', f"'{found[0]}': {better}")
    if n < 1000 or pages < 50:
        lint.found('tests/lint/messages.py', f'sees {n} strings and {pages} pages only')
    lint.done(f'messages of {n} strings, {pages} pages')


main()
