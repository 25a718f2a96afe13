// SPDX-License-Identifier: GPL-2.0-or-later
// What is said of all disks of a station: where they stand, when they end, what is an alarm. The
// wall screen (packaging/wall) says the same.
import {
    HOT, _, clock, diskLook, duration, format, hasJob, label, natural, near, plural, rate, secondsUntil
} from "./words.js";

// Where it stands: what its slot or bay has before the last number, else its host adapter.
export function groupOf(disk) {
    if (disk.Slot.includes(":"))
        return disk.Slot.slice(0, disk.Slot.lastIndexOf(":"));
    if (disk.Bay)
        return disk.Bay.replace(/[\s_-]*\d+$/, "") || disk.Bay;
    const host = /^(\d+):/.exec(disk.Address);
    return host ? format(_("host adapter $0"), host[1]) : _("elsewhere");
}

// Groups, and bays within them, as people count them.
export function byPlace(a, b) {
    return natural(groupOf(a), groupOf(b)) || natural(label(a), label(b));
}

function median(values) {
    const sorted = [...values].sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)];
}

// The bottleneck and the forecast: who ends last, and whether that is because it is slow.
export function summary(disks) {
    const busy = disks.filter(d => hasJob(d) && diskLook(d).kind === "working");
    const ends = disks.filter(d => hasJob(d) && d.ExpectedEndTime);
    if (!disks.length)
        return _("No disk is in the station.");
    const end = Math.max(0, ...ends.map(d => d.ExpectedEndTime));
    if (!busy.length)
        return end ? format(_("Nothing is at work; all is done $0."), clock(end)) : _("Nothing is at work.");
    const together = busy.reduce((sum, d) => sum + d.Rate, 0);
    const parts = [format(plural("$0 disk at work, $1 together.", "$0 disks at work, $1 together.", busy.length),
                          busy.length, rate(together))];
    if (ends.length) {
        const last = ends.find(d => d.ExpectedEndTime === end);
        const usual = median(busy.map(d => d.Rate));
        parts.push(format(_("All done $0, in $1."), clock(end), duration(secondsUntil(end))));
        if (last.Rate && last.Rate < usual * 0.7)
            parts.push(format(_("$0 ends last: it is slow, $1 where half of them reach $2."),
                              near(last), rate(last.Rate), rate(usual)));
        else
            parts.push(format(_("$0 ends last."), near(last)));
    }
    return parts.join(" ");
}

function list(disks) {
    const names = disks.slice(0, 8).map(d => near(d)).join(", ");
    return disks.length > 8 ? format(_("$0 and $1 others"), names, disks.length - 8) : names;
}

// Alarms of the station and of its disks, in words.
export function alarms(manager, disks) {
    const all = [];
    if (manager.Simulated)
        all.push(_("SIMULATED STATION: no disk is touched, and nothing that it says is true of a real one."));
    if (manager.RecordsTrouble)
        all.push(format(_("Records cannot be signed: $0"), manager.RecordsTrouble));
    const store = (manager.Notes || []).findLast(note => note.startsWith("the record can"));
    if (store && store.startsWith("the record cannot"))
        all.push(store);
    const hot = disks.filter(d => d.Temperature >= HOT);
    if (hot.length)
        all.push(format(_("Hot, $0 °C or more: $1"), HOT, list(hot)));
    const unplug = disks.filter(d => d.State === "power-cycling");
    if (unplug.length)
        all.push(format(_("Unplug, and plug in again: $0"), list(unplug)));
    const pulled = disks.filter(d => d.State === "absent" && hasJob(d));
    if (pulled.length)
        all.push(format(_("Pulled at work; put back: $0"), list(pulled)));
    const stalled = disks.filter(d => d.State === "quarantined");
    if (stalled.length)
        all.push(format(_("Still at work by itself without progress; keep it powered: $0"), list(stalled)));
    return all;
}
