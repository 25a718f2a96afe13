# SPDX-License-Identifier: GPL-2.0-or-later
"""Scripts and results as MAAS reads them, and the arguments that its runner makes of parameters.

After maasserver/forms/script.py and parameters.py, models/scriptresult.py, and the runner
maas_run_remote_scripts.py of August 2026. Each rule here is stricter or equal.
"""

import re

import yaml

START = re.compile(r'\s*#\s*-+\s*start maas (\d+\.\d+) script metadata\s+-+', re.I)
END = re.compile(r'\s*#\s*-+\s*end maas (\d+\.\d+) script metadata\s+-+', re.I)
KEYS = {
    'name': str, 'title': str, 'description': str, 'tags': list, 'script_type': str,
    'hardware_type': str, 'parallel': str, 'timeout': str, 'destructive': bool, 'parameters': dict,
    'packages': dict, 'results': dict, 'may_reboot': bool, 'recommission': bool,
    'apply_configured_networking': bool, 'for_hardware': list,
}  # fmt: skip
WORDS = {
    'script_type': ('commissioning', 'testing', 'release', 'deployment'),
    'hardware_type': ('node', 'cpu', 'memory', 'storage', 'network', 'gpu'),
    'parallel': ('disabled', 'instance', 'any'),
}
PARAMETER = {
    'type': str, 'min': int, 'max': int, 'title': str, 'description': str, 'argument_format': str,
    'default': str, 'required': bool, 'allow_list': bool, 'choices': list,
}  # fmt: skip
TYPES = ('boolean', 'choice', 'interface', 'password', 'runtime', 'storage', 'string', 'url')
DEVICE = ('{input}', '{name}', '{path}', '{model}', '{serial}')
STATUSES = ('passed', 'failed', 'degraded', 'timedout', 'skipped')


class Wrong(Exception):
    """MAAS would refuse it, or read something else than is meant."""


def _need(condition, what):
    if not condition:
        raise Wrong(what)


def metadata(text):
    """The metadata of a script; raises Wrong."""
    lines = text.splitlines()
    _need(lines and lines[0].startswith('#!/'), 'no shebang in the first line')
    starts = [n for n, line in enumerate(lines) if START.match(line)]
    ends = [n for n, line in enumerate(lines) if END.match(line)]
    _need(len(starts) == 1 and len(ends) == 1 and 0 < starts[0] < ends[0], 'no metadata')
    _need(START.match(lines[starts[0]])[1] == END.match(lines[ends[0]])[1] == '1.0', 'not 1.0')
    part = lines[starts[0] + 1 : ends[0]]
    _need(all(line.startswith('# ') for line in part), 'a line of metadata is no comment')
    try:
        made = yaml.safe_load('\n'.join(line[2:] for line in part))
    except yaml.YAMLError as e:
        raise Wrong(f'no YAML: {e}') from e
    _need(isinstance(made, dict), 'no dictionary')
    return made


def _kinds(made, kinds, where):
    for key, value in made.items():
        _need(key in kinds, f'{where}: {key} is not known')
        _need(type(value) is kinds[key], f'{where}: {key} is {type(value).__name__}')


def _parameter(name, made, where):
    """One parameter, and what has surprised others about its type."""
    where = f'{where}: parameter {name}'
    _need(isinstance(name, str) and isinstance(made, dict), f'{where} is no dictionary')
    _kinds(made, PARAMETER, where)
    kind, template = made.get('type'), made.get('argument_format', '')
    _need(kind in TYPES, f'{where}: type {kind}')
    _need(kind != 'boolean', f'{where}: MAAS passes the flag of a boolean that is false, too')
    _need((kind == 'choice') == bool(made.get('choices')), f'{where}: choices go with choice')
    for choice in made.get('choices', ()):
        _need(isinstance(choice, str), f'{where}: the choice {choice!r} is no string')
    _need(kind != 'choice' or made.get('default') in made['choices'], f'{where}: default')
    _need(kind == 'url' or 'allow_list' not in made, f'{where}: allow_list')
    if kind in ('storage', 'interface', 'url', 'choice'):
        _need('min' not in made and 'max' not in made, f'{where}: min or max')
    if kind == 'storage':
        _need(any(word in template for word in DEVICE), f'{where}: argument_format')
    elif template:
        _need('{input}' in template, f'{where}: argument_format')


def script(text):
    """The metadata of a script that MAAS takes; raises Wrong."""
    made = metadata(text)
    name = made.get('name')
    _kinds(made, KEYS, name)
    _need(re.fullmatch(r'[A-Za-z][\w.-]*', name or '') and name.lower() != 'none', f'name {name}')
    for key, words in WORDS.items():
        _need(made.get(key) in words, f'{name}: {key} {made.get(key)}')
    for key, parameter in made.get('parameters', {}).items():
        _parameter(key, parameter, name)
    storage = any(p['type'] == 'storage' for p in made.get('parameters', {}).values())
    _need(not storage or made['parallel'] == 'disabled',
          f'{name}: a process for each disk, all at once')  # fmt: skip
    for key, result in made.get('results', {}).items():
        _need(isinstance(key, str) and isinstance(result, dict), f'{name}: result {key}')
        _need(isinstance(result.get('title'), str), f'{name}: result {key} has no title')
    packages = made.get('packages', {})
    _need(set(packages) <= {'apt', 'snap', 'url'}, f'{name}: packages')
    _need(all(isinstance(p, str) for ps in packages.values() for p in ps), f'{name}: packages')
    return made


def names(all_of_them):
    """Names of scripts: MAAS looks for each in the names of what it is told for others."""
    for one in all_of_them:
        for other in all_of_them:
            _need(one == other or one not in other, f'{one} is a part of the name {other}')


def arguments(made, values):
    """The words after a script's name: `values` has those that the user gave, and for a storage
    parameter the dictionary of a disk. Raises Wrong."""
    words = []
    for key, parameter in made.get('parameters', {}).items():
        value = values.get(key, parameter.get('default', ''))
        if parameter['type'] == 'storage':
            _need(isinstance(value, dict), f'{key}: no disk')
            value = {**value, 'input': value['path']}
            words += parameter['argument_format'].format(**value).split()
        elif value != '':
            _need(parameter['type'] != 'choice' or value in parameter['choices'], f'{key}: {value}')
            template = parameter.get('argument_format', f'--{key}={{input}}')
            words += template.format(input=value).split()
    unknown = set(values) - set(made.get('parameters', {}))
    _need(not unknown, f'unknown parameters {unknown}')
    return words


def result(text, made, exit_status):
    """What MAAS makes of a result file, "" if there is none, and an exit status: passed, failed
    ... Raises Wrong for a file that it would not read, or with results that nobody announced."""
    try:
        read = yaml.safe_load(text)
    except yaml.YAMLError as e:
        raise Wrong(f'no YAML: {e}') from e
    usual = 'failed' if exit_status else 'passed'
    if read is None:
        return usual
    _need(isinstance(read, dict) and set(read) <= {'status', 'results'}, 'no dictionary')
    _need(read.get('status') in STATUSES, f'status {read.get("status")}')
    for key, value in (read.get('results') or {}).items():
        _need(key in made.get('results', {}), f'result {key} is not announced')
        for one in value if isinstance(value, list) else [value]:
            _need(type(one) in (str, float, int, bool), f'result {key}')
    return read['status']
