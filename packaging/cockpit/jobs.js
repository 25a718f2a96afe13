// SPDX-License-Identifier: GPL-2.0-or-later
// The queue: what runs, what waits and when it begins and ends, what has ended.
import {
    _, badge, bar, bytes, byId, clock, el, facts, foreign, format, heads, jobLook, outcomeLook, percent, rate, short, td
} from "./words.js";
import { ask, button, closer, show } from "./dialog.js";

const COLUMNS = () => [_("Job"), _("State"), _("Lot"), _("Method"), _("Disks"), _("Progress"), _("Begins"), _("Ends"),
    _("Asked by"), ""];
const RANK = { running: 0, stopping: 0, paused: 1, queued: 2, done: 3 };

function order([, a], [, b]) {
    const rank = job => RANK[job.State] ?? 2;
    return rank(a) - rank(b) || (a.State === "done" && b.EndTime - a.EndTime) || b.Priority - a.Priority ||
        a.SubmitTime - b.SubmitTime;
}

export class Jobs {
    constructor(station) {
        this.station = station;
        this.rows = new Map();
        this.asked = new Set(); // what is under way: a row that is made again must not ask twice
        this.body = el("tbody");
        byId("jobs").append(heads(COLUMNS()), this.body);
    }

    // A row is made again only if what it says is another, so that focus stays.
    draw() {
        const jobs = [...this.station.jobs].sort(order);
        const kept = new Set();
        const may = this.station.may;
        let before = null;
        for (const [path, job] of jobs) {
            const asked = [...this.asked].filter(key => key.startsWith(path));
            const sign = JSON.stringify([job, may, this.rests(path), asked]);
            let row = this.rows.get(path);
            if (!row || row.sign !== sign) {
                const active = document.activeElement;
                const had = row && row.item.contains(active) ? active.dataset.verb : null;
                const item = this.row(path, job);
                if (row)
                    row.item.replaceWith(item);
                row = { sign, item };
                this.rows.set(path, row);
                if (had && item.querySelector(`[data-verb=${had}]`))
                    item.querySelector(`[data-verb=${had}]`).focus();
            }
            const at = before ? before.nextSibling : this.body.firstChild;
            if (at !== row.item)
                this.body.insertBefore(row.item, at);
            before = row.item;
            kept.add(path);
        }
        for (const [path, row] of this.rows)
            if (!kept.has(path)) {
                row.item.remove();
                this.rows.delete(path);
            }
        if (!jobs.length && !this.body.childElementCount)
            this.body.append(el("tr", {}, el("td", { colspan: String(COLUMNS().length) }, _("No job is known."))));
        else if (jobs.length)
            this.body.querySelectorAll("tr > [colspan]").forEach(cell => cell.parentElement.remove());
    }

    // What of it can be resumed.
    rests(path) {
        return [...this.station.disks.values()].filter(d => d.Job === path).map(d => d.State)
                .filter(state => ["paused", "pausing", "quarantined"].includes(state));
    }

    verbs(path, job) {
        const { may, jobs } = this.station;
        const rests = this.rests(path);
        const control = what => () => this.station.control(what, path);
        const verb = (name, text, call, allowed) => {
            const key = `${path} ${name}`;
            const it = button(text, () => {
                const done = call();
                if (done) {
                    this.asked.add(key);
                    done.catch(() => {}).finally(() => { this.asked.delete(key); this.draw() });
                }
                return done;
            }, allowed);
            it.disabled ||= this.asked.has(key);
            it.dataset.verb = name;
            it.setAttribute("aria-label", `${text}: ${short(path)}`);
            return it;
        };
        const cancel = () => ask(
            format(_("Cancel job $0?"), short(path)),
            format(_("It has $0 disks. What was begun stays half erased. The record will say stopped."),
                   job.Disks - job.DisksDone), _("Cancel it"), control("Cancel"));
        if (job.State === "done" && !rests.includes("quarantined"))
            return [];
        return [
            job.State === "paused" ? null : verb("pause", _("Pause"), control("Pause"), may.cancel),
            job.State === "paused" || rests.length ? verb("resume", _("Resume"), control("Resume"), may.erase) : null,
            verb("first", _("Earlier"), () => this.station.setPriority(path, jobs.get(path).Priority + 1), may.erase),
            verb("cancel", _("Cancel…"), cancel, may.cancel),
        ];
    }

    row(path, job) {
        const over = job.State === "done";
        const begins = job.StartTime || job.ExpectedStartTime;
        const open = el("button", { type: "button", class: "open", "data-verb": "open", onclick: () => this.details(path) },
                        short(path));
        const progress = over ? []
            : [el("progress", { max: "1", value: String(job.Progress), "aria-label": _("Progress") }),
                ` ${percent(job.Progress)}`];
        return el("tr", { class: jobLook(job).kind }, el("th", { scope: "row" }, open),
                  td(badge(jobLook(job)), job.Priority ? ` ${format(_("priority $0"), job.Priority)}` : ""),
                  td(foreign(job.Label)), td(foreign(`${job.Method} ${job.Verify}`)), td(`${job.DisksDone} / ${job.Disks}`),
                  td(...progress), td(clock(begins), !job.StartTime && begins ? ` ${_("expected")}` : ""),
                  td(clock(over ? job.EndTime : job.ExpectedEndTime),
                     !over && job.ExpectedEndTime ? ` ${_("expected")}` : ""),
                  td(format(_("user $0"), job.StartedByUID)), el("td", { class: "verbs" }, ...this.verbs(path, job)));
    }

    details(path) {
        const job = this.station.jobs.get(path);
        if (!job)
            return;
        const disks = el("ul", { "aria-live": "polite" });
        const ended = d => el("li", {}, foreign(d.serial || d.wwn || d.device), " ",
                              badge(d.outcome ? outcomeLook(d.outcome) : { kind: "waiting", word: _("not ended") }),
                              " ", foreign(d.reason || ""));
        const seen = d => el("li", {}, foreign(d.Serial), ` ${bytes(d.Capacity)} `, foreign(d.Message));
        show(format(_("Job $0"), short(path)),
             facts([[_("State"), badge(jobLook(job))], [_("Number"), job.Id], [_("Lot"), job.Label],
                 [_("Method"), job.Method], [_("Verification"), job.Verify], [_("Submitted"), clock(job.SubmitTime)],
                 [_("Rate"), job.Rate ? rate(job.Rate) : ""], [_("What it says"), job.Message]]),
             disks, bar(closer()));
        this.station.result(path).then(result => disks.replaceChildren(...result.disks.map(ended)))
                .catch(() => disks.replaceChildren(
                    ...[...this.station.disks.values()].filter(d => d.Job === path).map(seen)));
    }
}
