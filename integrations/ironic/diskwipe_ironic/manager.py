# SPDX-License-Identifier: GPL-2.0-or-later
"""The hardware manager: Ironic's step erase_devices, by diskwipe.

Ironic goes to the next manager, which runs shred, when one raises IncompatibleHardwareMethodError.
So whatever happens here, all but a protected device ends as BlockDeviceEraseError, which fails the
step and starts nothing else.
"""

from __future__ import annotations

import glob
import os
import re
import tempfile
from typing import Any

import ironic_python_agent.config  # noqa: F401  its options, before hardware reads them
from ironic_python_agent import errors, hardware
from oslo_log import log

from . import records, sending
from .erase import Found, find
from .job import Job
from .judge import DEVICES_OWN, Asked, Disk, Outcome
from .program import Untrusted

LOG = log.getLogger(__name__)

ARGUMENTS = {
    'level': 'Least level of NIST SP 800-88: clear or purge. Default: by the options of the '
    'conductor, purge by the disk itself where it can and is allowed to, else clear.',
    # not "method": dispatch_to_managers has a parameter of that name
    'erase_method': 'Method of diskwipe, as zero, random or auto. Default: the usual one of '
    'the level.',
    'verify': 'off, full, device, auto or sample:N%. Default: that of the method, mostly '
    'a sample of 1 %.',
    'or_clear': 'Whether disks that cannot be purged are cleared (default without level) or '
    'fail the step (default with level=purge).',
    'record': 'Where signed records go: none, result, send or an https URL. '
    'Default: result if the ramdisk has a key, else none.',
    'timeout': 'Seconds after which the job is stopped and the step fails. Default: 604800.',
}
TIMEOUT = 604800.0
LONGEST = 1e8
ANSWER = ('serial', 'wwn', 'capacity_bytes', 'outcome', 'method', 'level', 'command', 'seconds')


def _flag(value: Any, name: str) -> bool:
    """An option or argument that is true or false; words as the command line has them, too."""
    word = str(value).lower()
    if word not in ('true', 'false'):
        raise Untrusted(f'{name} is {value!r}, not true or false')
    return word == 'true'


class Options:
    """What the caller of the step and the conductor want of the node."""

    def __init__(self, node: dict[str, Any], args: dict[str, Any]) -> None:
        unknown = sorted(set(args) - set(ARGUMENTS))
        if unknown:
            raise Untrusted(f'unknown argument {", ".join(unknown)}')
        self.level, self.method, self.verify, self.record = (
            str(args.get(key) or '') for key in ('level', 'erase_method', 'verify', 'record')
        )
        if self.level not in ('', 'clear', 'purge'):
            raise Untrusted(f'level={self.level!r} is not clear or purge')
        if not re.fullmatch(r'|[a-z][a-z0-9-]*', self.method):
            raise Untrusted(f'erase_method={self.method!r} is no method')
        if not re.fullmatch(r'|off|full|device|auto|sample:[0-9]+(\.[0-9]+)?%', self.verify):
            raise Untrusted(f'verify={self.verify!r} is not off, full, device, auto or sample:N%')
        or_clear = args.get('or_clear')
        self.or_clear = not self.level if or_clear is None else _flag(or_clear, 'or_clear')
        try:
            self.timeout = float(args.get('timeout') or TIMEOUT)
        except (TypeError, ValueError) as e:
            raise Untrusted(f'timeout={args["timeout"]!r} is no number of seconds') from e
        if not 1 <= self.timeout <= LONGEST:
            raise Untrusted(f'timeout={args["timeout"]!r} is not 1 to {LONGEST:.0f} seconds')
        info = node.get('driver_internal_info') or {}
        self.ata = _flag(info.get('agent_enable_ata_secure_erase', True), 'ata secure erase')
        self.nvme = _flag(info.get('agent_enable_nvme_secure_erase', True), 'nvme secure erase')
        go_on = info.get('agent_continue_if_secure_erase_failed')
        if go_on is None:
            go_on = info.get('agent_continue_if_ata_erase_failed', False)
        self.go_on = _flag(go_on, 'continue if secure erase failed')
        self.skip_read_only = _flag(info.get('agent_erase_skip_read_only', False), 'skip read-only')
        self.concurrency = max(1, int(info.get('disk_erasure_concurrency', 1)))

    def may_go_on(self) -> bool:
        """Whether a disk that failed to erase itself may be overwritten instead."""
        return self.go_on and self.level != 'purge' and not self.method

    def asked(self, found: Found) -> Asked:
        """What is to be done to one disk."""
        secure = self.nvme if found.nvme else self.ata
        own = self.method.startswith(DEVICES_OWN)
        if not secure and (own or (self.level == 'purge' and not self.or_clear)):
            raise Untrusted(
                f'{found.names[0]}: what was asked for needs a secure erase, which the conductor'
                ' has disabled'
            )
        if self.method:
            return Asked(self.level, self.or_clear and self.level == 'purge', self.method,
                         self.verify, secure and not found.nvme)  # fmt: skip
        if not secure or self.level == 'clear':
            return Asked('', False, 'zero', self.verify)
        if found.frozen and not self.go_on and not self.level:
            raise Untrusted(
                f'{found.names[0]}: the firmware of the machine has frozen it, so it cannot erase'
                ' itself, and agent_continue_if_secure_erase_failed is not set'
            )
        return Asked('purge', self.or_clear, '', self.verify, not found.nvme)


def _arrays_on(name: str) -> set[str]:
    """The md arrays that hold a disk or a partition of it."""
    disk = os.path.basename(name)
    found = glob.glob(f'/sys/block/{disk}/holders/md*')
    found += glob.glob(f'/sys/block/{disk}/{disk}*/holders/md*')
    return {'/dev/' + os.path.basename(h) for h in found}


class Chosen:
    """The disks that are to be erased, those that Ironic's rules skip, and those to be kept."""

    def __init__(self, node: dict[str, Any], options: Options) -> None:
        call = hardware.dispatch_to_managers
        listed = call('list_block_devices_check_skip_list', node)
        names = {d.name for d in listed}
        self.kept = [d for d in call('list_block_devices') if d.name not in names]
        self.skipped: dict[str, str] = {}
        self.nodes = []
        for device in listed:
            hardware.safety_check_block_device(node, device.name)
            why = self._skip(node, device, options, names)
            if why:
                self.skipped[device.name] = why
                self.kept.append(device)
            else:
                self.nodes.append(device)

    @staticmethod
    def _skip(node: dict[str, Any], device: Any, options: Options, names: set[str]) -> str:
        """Why a disk is skipped, or an empty text; raises Untrusted if it may be neither."""
        call = hardware.dispatch_to_managers
        if call('_is_virtual_media_device', device):
            return 'skipped: virtual media'
        if call('_is_linux_raid_member', device):
            hints = (node.get('properties') or {}).get('skip_block_devices')
            arrays = _arrays_on(device.name)
            if hints and arrays and not arrays & names:
                return 'skipped: member of a software RAID that is kept'
            if hints and not arrays:
                raise Untrusted(
                    f'{device.name}: member of a software RAID that does not run: nobody can tell'
                    ' whether it is one of skip_block_devices'
                )
        if call('_is_read_only_device', device):
            if options.skip_read_only:
                return 'skipped: read-only'
            raise Untrusted(f'{device.name}: read-only, and agent_erase_skip_read_only is not set')
        return ''


class Step:
    """One call of erase_devices."""

    def __init__(self, node: dict[str, Any], args: dict[str, Any], folder: str) -> None:
        self.options, self.folder = Options(node, args), folder
        self.chosen = Chosen(node, self.options)
        self.book = records.ledger(self.options.record, str(node.get('uuid') or ''))
        self.found = find(self.chosen.nodes, self.chosen.kept) if self.chosen.nodes else []
        self.outcomes: dict[Disk, Outcome] = {}
        self.plans: dict[Disk, str] = {}

    def _active(self) -> int:
        """Disks at once behind each adapter: diskwipe counts there, Ironic on the node."""
        if self.options.concurrency >= len(self.found):
            return 0
        return max(1, self.options.concurrency // len({f.adapter for f in self.found}))

    def _planned(self, found: list[Found], forced: Asked | None = None) -> list[Job]:
        """A job for what is asked of each disk alike; mostly it is one for all of them."""
        groups: dict[Asked, list[Found]] = {}
        for f in found:
            asked = forced or self.options.asked(f)
            groups.setdefault(Asked(**{**asked.__dict__, 'active': self._active()}), []).append(f)
        return [Job(of, asked, self.folder) for asked, of in groups.items()]

    def _run(self, jobs: list[Job]) -> None:
        for job in jobs:
            done = job.run(self.book, self.options.timeout)
            self.outcomes.update(done)
            self.plans.update(dict.fromkeys(done, job.sha256))

    def _failed(self) -> list[Found]:
        return [f for f in self.found if not self.outcomes[f.disk].erased]

    def _own_failed(self) -> list[Found]:
        """Disks that failed to erase themselves."""
        return [
            f for f in self._failed()
            if str(self.outcomes[f.disk].row.get('method')).startswith(DEVICES_OWN)
        ]  # fmt: skip

    def erase(self) -> None:
        """Erases all disks; raises Untrusted if one is not erased. All plans are made before
        anything is erased."""
        with sending.after(lambda: records.send(self.book)):
            self._run(self._planned(self.found))
            again = self._own_failed() if self.options.may_go_on() else []
            if again:
                LOG.warning('Overwriting disks that did not erase themselves: %s',
                            ', '.join(n for f in again for n in f.names))  # fmt: skip
                self._run(self._planned(again, Asked('', False, 'zero', self.options.verify)))
        failed = self._failed()
        if failed:
            raise Untrusted(
                f'{len(failed)} of {len(self.found)} disks are not erased: '
                + '; '.join(f'{f.names[0]}: {self.outcomes[f.disk].reason}' for f in failed)
            )

    def answer(self) -> dict[str, Any]:
        """The result of the step: each name that Ironic has, and what came of it."""
        made: dict[str, Any] = dict(self.chosen.skipped)
        signed = records.of_disks(self.book, self.outcomes)
        for f in self.found:
            row = self.outcomes[f.disk].row
            said: dict[str, Any] = {key: row.get(key) for key in ANSWER}
            said['verified'] = (row.get('verify') or {}).get('text')
            said['plan_sha256'] = self.plans[f.disk]
            if f.disk in signed:
                said['record'] = signed[f.disk]
            made.update(dict.fromkeys(f.names, said))
        return made


class DiskwipeHardwareManager(hardware.HardwareManager):  # type: ignore[misc]
    """Replaces erase_devices of Ironic's own manager, and nothing else."""

    HARDWARE_MANAGER_NAME = 'DiskwipeHardwareManager'
    HARDWARE_MANAGER_VERSION = '1'

    def evaluate_hardware_support(self) -> int:
        """Always more than Ironic's own manager: without the program the step fails; shred does
        not take its place."""
        return int(hardware.HardwareSupport.SERVICE_PROVIDER)

    def get_clean_steps(self, node: Any, ports: Any) -> list[dict[str, Any]]:
        """The step, with Ironic's own priority, and its arguments."""
        return [{
            'step': 'erase_devices',
            'priority': 10,
            'interface': 'deploy',
            'reboot_requested': False,
            'abortable': True,
            'argsinfo': {
                name: {'description': text, 'required': False} for name, text in ARGUMENTS.items()
            },
        }]  # fmt: skip

    def erase_devices(self, node: Any, ports: Any, **args: Any) -> dict[str, Any]:
        """Erases all disks of the node that Ironic's rules do not skip.

        :returns: what came of each disk, by Ironic's name of it
        :raises: BlockDeviceEraseError if one of them is not erased, or that is not known
        :raises: ProtectedDeviceError as Ironic's own step does
        """
        try:
            with tempfile.TemporaryDirectory(prefix='diskwipe-ironic.') as folder:
                step = Step(node, args, folder)
                if step.found:
                    step.erase()
                return step.answer()
        except errors.ProtectedDeviceError:
            raise
        except Untrusted as e:
            raise errors.BlockDeviceEraseError(str(e)[:4000]) from e
        except Exception as e:
            LOG.exception('erase_devices by diskwipe')
            raise errors.BlockDeviceEraseError(f'{type(e).__name__}: {e}'[:4000]) from e
