// SPDX-License-Identifier: GPL-2.0-or-later
// From marked disks to a job in two steps: what is wanted, and the plan that the service makes of
// it. What is submitted is that plan by its digest, and only after the same consent as in a terminal.
import {
    _, announce, badge, bar, bytes, byId, diskLook, duration, el, errorText, facts, foreign, format, heads, label, near,
    plural, rate, short, td
} from "./words.js";
import { close, closer, isAsked, show } from "./dialog.js";

const LAST = 4; // characters of the serial, as diskwipe asks for

// Names of src/plan/method.c; the rest is for programs.
const METHODS = [
    ["", () => _("as the station is configured")],
    ["zero", () => _("one pass of zeros")],
    ["random", () => _("one pass of random data")],
    ["nist-clear", () => _("NIST SP 800-88 Clear by overwriting")],
    ["dod-short", () => _("DoD 5220.22-M (E), three passes; dropped in 2006")],
    ["dod-ece", () => _("DoD 5220.22-M (ECE), seven passes; dropped in 2006")],
    ["hmg-enhanced", () => _("HMG Infosec Standard 5, enhanced; withdrawn")],
    ["bsi-vsitr", () => _("BSI VSITR, seven passes; superseded")],
    ["gutmann", () => _("Gutmann, 35 passes; made for disks of the 1980s")],
    ["sanitize-overwrite", () => _("the disk overwrites itself (SANITIZE)")],
    ["sanitize-block", () => _("the disk erases its blocks (SANITIZE)")],
    ["sanitize-crypto", () => _("the disk changes its key (SANITIZE)")],
    ["auto", () => _("of each disk the shortest way to its level")],
];

const LEVELS = [
    ["", () => _("what the method reaches")],
    ["clear", () => _("Clear: every block that a host can reach is overwritten")],
    ["purge", () => _("Purge: each disk erases itself; one that cannot is not erased")],
    ["purge-or-clear", () => _("Purge where a disk can; the others are cleared")],
];

const VERIFY = [
    ["", () => _("as the station is configured")],
    ["sample", () => _("a sample of 1 %")],
    ["sample:10", () => _("a sample of 10 %")],
    ["full", () => _("every block is read")],
    ["off", () => _("nothing is read; no proof is left but the disk's answers")],
];

const REACH = {
    clear: () => _("Not reached: blocks that a disk has replaced by spare ones, and what it hides from hosts."),
    purge: () =>
        _("What a disk has replaced or hidden is reached by its own command. A disk that has none is not erased."),
    "purge-or-clear": () =>
        _("Of disks that are only cleared, blocks replaced by spare ones are not reached; the record says the way."),
};

function choice(id, text, rows) {
    const options = rows.map(([value, words]) => el("option", { value }, words()));
    return el("label", {}, text, el("select", { id }, ...options));
}

function field(id, text) {
    return el("label", {}, text, el("input", { id, type: "text", maxlength: "63", autocomplete: "off" }));
}

// Members of the job's specification, from what was chosen; empty ones are the station's.
function optionsOf(form) {
    const [level, verify] = [form.level, form.verify.split(":")];
    return {
        method: form.method,
        level: level === "purge-or-clear" ? "purge" : level,
        or_clear: level === "purge-or-clear" ? "true" : "",
        verify: verify[0],
        verify_percent: verify[1] ? `${verify[1]}%` : verify[0] === "sample" ? "1%" : "",
        customer: form.customer,
        order_number: form.order,
        operator: form.operator,
    };
}

// The answer that consents: the end of a lone disk's serial, else of its WWN; or how many there are.
export function consentFor(disks) {
    return disks.length === 1 ? (disks[0].Serial || disks[0].WWN).slice(-LAST) : String(disks.length);
}

function consentQuestion(disks) {
    if (disks.length !== 1)
        return _("To erase all of them, type the number of disks above:");
    const { Serial, WWN } = disks[0];
    return Serial ? format(_("To erase this disk, type the last $0 characters of its serial:"), Math.min(LAST, Serial.length))
        : format(_("To erase this disk, type the last $0 characters of its WWN:"), Math.min(LAST, WWN.length));
}

function takes(forecast) {
    if (!forecast)
        return _("not known");
    const [all, low, high] = [forecast.seconds, forecast.low_seconds, forecast.high_seconds].map(duration);
    const text = forecast.vague ? format(_("$0 to $1; its rates are guesses"), low, high)
        : format(_("$0 ($1 to $2)"), all, low, high);
    return forecast.bytes_per_second ? `${text}, ${rate(forecast.bytes_per_second)}` : text;
}

function reachOf(job) {
    if (job.level === "purge")
        return REACH[job.or_clear ? "purge-or-clear" : "purge"]();
    return REACH[job.method.startsWith("sanitize") ? "purge" : "clear"]();
}

// What is read back of each disk at least, by the plan, where the method decides.
function usualVerify(forecast) {
    const least = forecast && forecast.disks.length ? Math.min(...forecast.disks.map(d => d.verify_share ?? NaN)) : NaN;
    const sample = format(_("a sample of $0 %"), Number((100 * least).toPrecision(2)));
    return isNaN(least) ? _("not known") : least >= 1 ? _("every block is read") : least ? sample : _("places that are read before and after");
}

export class Erase {
    constructor(station, rack) {
        this.station = station;
        this.rack = rack;
        this.last = { method: "", level: "", verify: "", customer: "", order: "", operator: "", lot: "", note: "" };
        byId("erase").addEventListener("click", () => this.begin());
    }

    begin() {
        this.rack.dropMarks();
        this.paths = [...this.rack.marks.keys()];
        this.disks = this.rack.marked().map(disk => ({ ...disk }));
        this.assets = {};
        if (this.disks.length)
            this.form();
    }

    fields() {
        const tags = this.disks.map((d, i) => el("label", {}, foreign(`${near(d)} ${d.Serial}`), el("input", {
            type: "text", maxlength: "63", autocomplete: "off", "data-asset": String(i), value: this.assets[i] || "",
        })));
        return [
            el("div", { class: "fields" }, choice("erase-method", _("Method"), METHODS),
               choice("erase-level", _("Level"), LEVELS), choice("erase-verify", _("Verification"), VERIFY),
               field("erase-lot", _("Lot")), field("erase-customer", _("Customer")), field("erase-order", _("Order")),
               field("erase-operator", _("Operator")), field("erase-note", _("Note"))),
            el("details", {}, el("summary", {}, _("Asset tags")), el("div", { class: "fields" }, ...tags)),
        ];
    }

    form() {
        const n = this.disks.length;
        const size = bytes(this.disks.reduce((sum, d) => sum + d.Capacity, 0));
        const form = el("form", { id: "erase-form" },
                        el("p", {}, format(plural("$0 disk is marked, $1.", "$0 disks are marked, $1.", n), n, size)),
                        ...this.fields(), el("p", { id: "erase-error", class: "error", role: "alert" }),
                        bar(el("button", { type: "submit" }, _("Plan…")), closer(_("Go back"))));
        show(_("Erase disks"), form);
        for (const key of Object.keys(this.last))
            byId(`erase-${key}`).value = this.last[key];
        const level = byId("erase-level");
        const bind = () => {
            // a level is reached by the way that suits each disk; as in diskwipe, the method is auto then
            if (level.value.startsWith("purge") && !byId("erase-method").value.match(/^(sanitize|auto)/))
                byId("erase-method").value = "auto";
        };
        level.addEventListener("change", bind);
        byId("erase-method").addEventListener("change", bind);
        form.addEventListener("submit", event => { event.preventDefault(); this.plan(form) });
    }

    plan(form) {
        for (const key of Object.keys(this.last))
            this.last[key] = byId(`erase-${key}`).value.trim();
        for (const input of form.querySelectorAll("[data-asset]"))
            this.assets[input.dataset.asset] = input.value.trim();
        const wanted = this.disks.map((d, i) =>
            ({ serial: d.Serial, wwn: d.WWN, capacity: d.Capacity, asset: this.assets[i] || "" }));
        const press = form.querySelector("[type=submit]");
        press.disabled = true;
        this.station.plan(wanted, optionsOf(this.last))
                .then(answer => isAsked(form) && this.showPlan(answer, form))
                .catch(error => isAsked(form) && this.fail(form, errorText(error)))
                .finally(() => { press.disabled = false });
    }

    // In the question that it belongs to.
    fail(form, text) {
        form.querySelector(".error").textContent = text;
    }

    // What the service planned is what is shown, not what the page asked for. It has to have the disks
    // that were marked, as they were.
    showPlan({ digest, plan }, form) {
        const same = (m, d) => m.Serial === d.serial && m.WWN === d.wwn && m.Capacity === d.capacity_bytes;
        const seen = plan.disks.map(d => this.disks.find(m => same(m, d)));
        if (seen.includes(undefined) || new Set(seen).size !== this.disks.length) {
            this.fail(form, _("The plan has other disks than those that were marked. Nothing was submitted; mark them again."));
            return;
        }
        show(_("This is what would be done"), this.words(plan), el("p", { class: "reach" }, reachOf(plan.job)),
             this.table(plan, seen), this.refused(), this.question(digest));
        byId("consent").focus();
    }

    words({ job, forecast }) {
        const verify = {
            default: usualVerify(forecast), sample: format(_("a sample of $0 %"), job.verify_percent),
            auto: forecast && forecast.verify_chosen,
        };
        return facts([[_("Method"), job.pattern || job.method], [_("Verification"), verify[job.verify] || job.verify],
            [_("Customer"), job.customer], [_("Order"), job.order_number], [_("Operator"), job.operator],
            [_("Lot"), this.last.lot], [_("Takes"), takes(forecast)],
            [_("Limited by"), forecast ? forecast.binding : ""]]);
    }

    table(plan, seen) {
        const rows = plan.disks.map((d, i) => {
            const of = plan.forecast && plan.forecast.disks && plan.forecast.disks[i];
            return el("tr", {}, td(foreign(near(seen[i]))), td(foreign(d.serial || d.wwn)),
                      td(foreign(`${d.vendor} ${d.model}`)), td(bytes(d.capacity_bytes)), td(foreign(seen[i].Signatures)),
                      td(of ? duration(of.finish_seconds) : ""), td(foreign(of ? of.limit : "")));
        });
        const names = [_("Bay"), _("Serial"), _("Model"), _("Size"), _("It holds"), _("Ends after"), _("Limited by")];
        return el("div", { class: "table", tabindex: "0", role: "group", "aria-label": _("Disks that would be erased") },
                  el("table", {}, heads(names), el("tbody", {}, ...rows)));
    }

    refused() {
        const all = [...this.station.disks.values()].filter(d => d.Refusal);
        const text = plural("$0 disk of the station is refused, and not in this plan",
                            "$0 disks of the station are refused, and not in this plan", all.length);
        return all.length ? el("details", {}, el("summary", {}, format(text, all.length)), el(
            "ul", {}, ...all.map(d => el("li", {}, foreign(label(d)), " ", badge(diskLook(d)), " ", foreign(d.Reason), " ",
                                         d.Release ? el("code", {}, foreign(d.Release)) : "")))) : null;
    }

    question(digest) {
        const answer = el("input", {
            id: "consent", type: "text", autocomplete: "off", spellcheck: "false", autocapitalize: "off",
        });
        const go = el("button", { type: "submit", class: "danger", disabled: true }, _("Erase"));
        const change = el("button", { type: "button", onclick: () => this.form() }, _("Change…"));
        const form = el("form", { class: "consent" }, el("p", { id: "erase-error", class: "error", role: "alert" }),
                        el("label", {}, `${consentQuestion(this.disks)} `, answer), bar(go, change, closer(_("Go back"))));
        answer.addEventListener("input", () => { go.disabled = answer.value.trim() !== consentFor(this.disks) });
        form.addEventListener("submit", event => { event.preventDefault(); this.submit(digest, form, answer) });
        return form;
    }

    // While it is under way nothing of it can be asked once more, and its disks are not marked. What comes of
    // it is announced even if its question was closed.
    submit(digest, form, answer) {
        if (answer.value.trim() !== consentFor(this.disks))
            return;
        const parts = [answer, ...form.querySelectorAll("button:not(.close)")];
        const hold = on => parts.forEach(part => { part.disabled = on });
        const { marks } = this.rack;
        const taken = this.paths.filter(path => marks.has(path)).map(path => [path, marks.get(path)]);
        hold(true);
        taken.forEach(([path]) => marks.delete(path));
        this.rack.draw();
        this.station.submitPlan(digest, { label: this.last.lot, note: this.last.note })
                .then(job => {
                    if (isAsked(form))
                        close();
                    announce(format(_("Job $0 is on record."), short(job)));
                })
                .catch(error => {
                    hold(false);
                    taken.forEach(([path, mark]) => marks.set(path, mark));
                    this.rack.draw();
                    if (!isAsked(form)) {
                        announce(errorText(error), true);
                        return;
                    }
                    this.fail(form, errorText(error));
                    answer.focus();
                });
    }
}
