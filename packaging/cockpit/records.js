// SPDX-License-Identifier: GPL-2.0-or-later
// What was done, as the service has it on record; the paper of it by diskwipe-report, which reads the
// signed records with the rights of who is logged in and checks them first.
/* global cockpit */
import {
    _, announce, badge, bytes, byId, clock, duration, el, errorText, foreign, format, heads, natural, outcomeLook, plural,
    said, short, td
} from "./words.js";

const LIMIT = 1000;
const DAY_MS = 86400000;
const SIZE = "diskwipe.label-size";
const OUTCOMES = ["", "erased", "as-expected", "erased-with-exceptions", "failed", "removed", "stopped", "refused",
    "purge-unavailable", "not-as-expected", "unknown"];
const COLUMNS = () => [_("Ended (UTC)"), _("Serial"), _("Model"), _("Size"), _("Bay"), _("Method"), _("Outcome"), _("Reason"),
    _("Lot"), _("Customer"), _("Asset tag"), _("Took"), _("Job"), ""];
const KEYS = ["ended", "serial", "wwn", "vendor", "model", "capacity", "bay", "method", "outcome", "reason", "label",
    "customer", "order_number", "asset", "started", "job", "uid", "simulated"];

// Days are those of records and certificates. plus: days after it.
function day(id, plus) {
    const value = byId(id).value;
    return value ? (Date.parse(`${value}T00:00:00Z`) + plus * DAY_MS) * 1000 : 0;
}

// What may be chosen of a column, from what was seen of it.
function offer(id, values) {
    const known = new Set([...byId(id).children].map(option => option.value));
    const fresh = [...new Set(values)].filter(value => value && !known.has(value)).sort(natural);
    byId(id).append(...fresh.map(value => el("option", { value })));
}

export function save(name, type, content) {
    const url = URL.createObjectURL(new Blob([content], { type }));
    const link = el("a", { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
}

// A cell that a spreadsheet would take for a formula is text.
function cell(value) {
    const text = String(value ?? "");
    return `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replace(/"/g, '""')}"`;
}

export class Records {
    constructor(station) {
        this.station = station;
        this.rows = [];
        this.asked = 0;
        this.shown = {}; // what was chosen when they were asked for: the form may say other things since
        byId("records-outcome").append(...OUTCOMES.map(word =>
            el("option", { value: word }, word ? outcomeLook(word).word : _("all"))));
        // of a service that came, or came back, while the page is shown
        station.addEventListener("change", () => {
            if (station.state === "there" && this.of !== station.generation && !byId("page-records").hidden)
                this.read();
        });
        byId("records-form").addEventListener("submit", event => { event.preventDefault(); this.read() });
        byId("records-csv").addEventListener("click", () => this.csv());
        byId("records-paper").addEventListener("click", event => this.certificate(this.shown, event.target));
        byId("records-labels").addEventListener("click", event => this.label(this.shown, event.target));
        byId("records-size").value = localStorage.getItem(SIZE) || "62";
        byId("records-size").addEventListener("change", () => localStorage.setItem(SIZE, byId("records-size").value));
    }

    read() {
        this.of = this.station.generation;
        const label = byId("records-label").value.trim();
        const customer = byId("records-customer").value.trim();
        const until = day("records-until", 1);
        const chosen = this.chosen();
        const mine = ++this.asked;
        this.station.records({
            since: day("records-since", 0), until: until ? until - 1 : 0, serial: byId("records-serial").value.trim(),
            outcome: byId("records-outcome").value, limit: LIMIT,
        })
                .then(rows => {
                    if (mine !== this.asked)
                        return; // others were asked for meanwhile
                    this.shown = chosen;
                    this.cut = rows.length === LIMIT;
                    this.rows = rows
                            .filter(r => (!label || r.label === label) && (!customer || r.customer === customer))
                            .sort((a, b) => b.ended - a.ended || natural(a.serial, b.serial));
                    this.draw();
                })
                .catch(error => mine === this.asked && announce(errorText(error), true));
    }

    draw() {
        const n = this.rows.length;
        byId("records-count").textContent = format(plural("$0 record", "$0 records", n), n) +
            (this.cut ? ` ${format(_("of the newest $0; choose fewer days to see others"), LIMIT)}` : "");
        const paper = this.station.manager.RecordsFolder;
        // a paper of these alone would leave out what came of the same disks later
        const why = !paper ? _("No folder of signed records is configured.")
            : this.shown.outcome ? _("Papers have disks of every outcome: choose all outcomes first.") : "";
        for (const id of ["records-paper", "records-labels"]) {
            byId(id).disabled = Boolean(why);
            byId(id).title = why;
        }
        byId("records-why").textContent = why;
        offer("records-lots", [...this.rows.map(r => r.label), ...[...this.station.jobs.values()].map(j => j.Label)]);
        offer("records-customers", this.rows.map(r => r.customer));
        byId("records").replaceChildren(
            heads(COLUMNS()), el("tbody", {}, ...this.rows.map(r => this.row(r, paper))));
    }

    row(r, paper) {
        const over = Boolean(r.ended) && Boolean(r.serial); // papers are chosen by serial number
        let look = r.outcome ? outcomeLook(r.outcome) : { kind: "working", word: _("goes on") };
        if (r.simulated)
            look = { kind: "stopped", word: format(_("simulated: $0"), look.word) };
        const chosen = { serial: r.serial, job: r.job };
        const print = el("button", { type: "button", disabled: !paper || !over }, _("PDF"));
        print.setAttribute("aria-label", format(_("Certificate of $0 (PDF)"), said(r.serial)));
        print.addEventListener("click", () => this.certificate(chosen, print));
        const stick = el("button", { type: "button", disabled: !paper || !over }, _("Label"));
        stick.setAttribute("aria-label", format(_("Label of $0 (PDF)"), said(r.serial)));
        stick.addEventListener("click", () => this.label(chosen, stick));
        return el("tr", {}, td(clock(r.ended, "UTC")), el("th", { scope: "row" }, foreign(r.serial)),
                  td(foreign(`${r.vendor} ${r.model}`)), td(bytes(r.capacity)), td(foreign(r.bay)), td(foreign(r.method)),
                  td(badge(look), r.do_not_reuse ? ` ${_("do not reuse")}` : ""), td(foreign(r.reason)),
                  td(foreign(r.label)), td(foreign(r.customer)), td(foreign(r.asset)),
                  td(r.ended && r.started ? duration((r.ended - r.started) / 1e6) : ""), td(short(r.job)), td(print, " ", stick));
    }

    csv() {
        const iso = us => us ? new Date(us / 1000).toISOString() : "";
        const value = (r, key) => cell(["started", "ended"].includes(key) ? iso(r[key]) : r[key]);
        const lines = this.rows.map(r => KEYS.map(key => value(r, key)).join(","));
        save("diskwipe-records.csv", "text/csv", `\ufeff${[KEYS.join(","), ...lines].join("\r\n")}\r\n`);
    }

    chosen() {
        return {
            serial: byId("records-serial").value.trim(), since: byId("records-since").value,
            until: byId("records-until").value, label: byId("records-label").value.trim(),
            customer: byId("records-customer").value.trim(), outcome: byId("records-outcome").value,
        };
    }

    certificate(chosen, press) {
        const language = cockpit.language.startsWith("de") ? "de" : "en";
        return this.paper(["certificate", `--language=${language}`], chosen, press,
                          { name: "", saved: _("The certificate is saved.") });
    }

    label(chosen, press) {
        return this.paper(["label", "--format=pdf", `--size=${byId("records-size").value}`], chosen, press,
                          { name: "label-", saved: _("The labels are saved.") });
    }

    // Each value is an argument of its own, bound to its option: none is read as an option.
    paper(verb, chosen, press, told) {
        const options = ["serial", "job", "since", "until", "label", "customer"].filter(key => chosen[key])
                .map(key => `--${key}=${chosen[key]}`);
        const command = ["diskwipe-report", ...verb, ...options, "--", this.station.manager.RecordsFolder];
        const name = (chosen.serial || chosen.label || chosen.customer || "records").replace(/[^A-Za-z0-9._-]+/g, "_");
        press.disabled = true;
        announce(_("The records are checked, and the paper is made…"));
        cockpit.spawn(command, { binary: true, superuser: "try", err: "message" })
                .then(pdf => {
                    save(`diskwipe-${told.name}${name}.pdf`, "application/pdf", pdf);
                    announce(told.saved);
                })
                .catch(error => announce(error.problem === "not-found" ? _("diskwipe-report is not installed.")
                    : errorText(error), true))
                .finally(() => { press.disabled = false });
    }
}
