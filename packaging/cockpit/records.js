// SPDX-License-Identifier: GPL-2.0-or-later
// What was done, as the service has it on record; the paper of it by diskwipe-report, which reads the
// signed records with the rights of who is logged in and checks them first.
/* global cockpit */
import {
    _, announce, badge, bytes, byId, clock, duration, el, errorText, foreign, format, heads, natural, outcomeLook, plural,
    said, short, td
} from "./words.js";

const LIMIT = 1000;
const OUTCOMES = ["", "erased", "as-expected", "erased-with-exceptions", "failed", "removed", "stopped", "refused",
    "purge-unavailable", "not-as-expected", "unknown"];
const COLUMNS = () => [_("Ended"), _("Serial"), _("Model"), _("Size"), _("Bay"), _("Method"), _("Outcome"), _("Reason"),
    _("Lot"), _("Customer"), _("Asset tag"), _("Took"), _("Job"), ""];
const KEYS = ["ended", "serial", "wwn", "vendor", "model", "capacity", "bay", "method", "outcome", "reason", "label",
    "customer", "order_number", "asset", "started", "job", "uid", "simulated"];

function day(id, plus) {
    const value = byId(id).value;
    if (!value)
        return 0;
    const date = new Date(`${value}T00:00:00`);
    date.setDate(date.getDate() + plus);
    return date.getTime() * 1000;
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
        byId("records-paper").addEventListener("click", event => this.paper(this.shown, event.target));
    }

    read() {
        this.of = this.station.generation;
        const label = byId("records-label").value.trim();
        const customer = byId("records-customer").value.trim();
        const until = day("records-until", 1);
        const chosen = this.chosen();
        this.station.records({
            since: day("records-since", 0), until: until ? until - 1 : 0, serial: byId("records-serial").value.trim(),
            outcome: byId("records-outcome").value, limit: LIMIT,
        })
                .then(rows => {
                    this.shown = chosen;
                    this.cut = rows.length === LIMIT;
                    this.rows = rows
                            .filter(r => (!label || r.label === label) && (!customer || r.customer === customer))
                            .sort((a, b) => b.ended - a.ended || natural(a.serial, b.serial));
                    this.draw();
                })
                .catch(error => announce(errorText(error), true));
    }

    draw() {
        const n = this.rows.length;
        byId("records-count").textContent = format(plural("$0 record", "$0 records", n), n) +
            (this.cut ? ` ${format(_("of the newest $0; choose fewer days to see others"), LIMIT)}` : "");
        const paper = this.station.manager.RecordsFolder;
        byId("records-paper").disabled = !paper;
        byId("records-paper").title = paper ? "" : _("No folder of signed records is configured.");
        byId("records").replaceChildren(
            heads(COLUMNS()), el("tbody", {}, ...this.rows.map(r => this.row(r, paper))));
    }

    row(r, paper) {
        const over = Boolean(r.ended);
        let look = r.outcome ? outcomeLook(r.outcome) : { kind: "working", word: _("goes on") };
        if (r.simulated)
            look = { kind: "stopped", word: format(_("simulated: $0"), look.word) };
        const print = el("button", { type: "button", disabled: !paper || !over }, _("PDF"));
        print.setAttribute("aria-label", format(_("Certificate of $0 (PDF)"), said(r.serial)));
        print.addEventListener("click", () => this.paper({ serial: r.serial, job: r.job }, print));
        return el("tr", {}, td(clock(r.ended)), el("th", { scope: "row" }, foreign(r.serial)),
                  td(foreign(`${r.vendor} ${r.model}`)), td(bytes(r.capacity)), td(foreign(r.bay)), td(foreign(r.method)),
                  td(badge(look), r.do_not_reuse ? ` ${_("do not reuse")}` : ""), td(foreign(r.reason)),
                  td(foreign(r.label)), td(foreign(r.customer)), td(foreign(r.asset)),
                  td(over && r.started ? duration((r.ended - r.started) / 1e6) : ""), td(short(r.job)), td(print));
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
            customer: byId("records-customer").value.trim(),
        };
    }

    // Each value is an argument of its own, bound to its option: none is read as an option.
    paper(chosen, press) {
        const options = Object.entries(chosen).filter(([, value]) => value).map(([key, value]) => `--${key}=${value}`);
        const language = cockpit.language.startsWith("de") ? "de" : "en";
        const command = ["diskwipe-report", "certificate", `--language=${language}`, ...options, "--",
            this.station.manager.RecordsFolder];
        const name = (chosen.serial || chosen.label || chosen.customer || "records").replace(/[^A-Za-z0-9._-]+/g, "_");
        press.disabled = true;
        announce(_("The records are checked, and the paper is made…"));
        cockpit.spawn(command, { binary: true, superuser: "try", err: "message" })
                .then(pdf => {
                    save(`diskwipe-${name}.pdf`, "application/pdf", pdf);
                    announce(_("The certificate is saved."));
                })
                .catch(error => announce(error.problem === "not-found" ? _("diskwipe-report is not installed.")
                    : errorText(error), true))
                .finally(() => { press.disabled = false });
    }
}
