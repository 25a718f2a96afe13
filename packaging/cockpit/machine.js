// SPDX-License-Identifier: GPL-2.0-or-later
// The station itself: alarms that cannot be missed, what the service said, what doctor finds.
/* global cockpit */
import { _, byId, el, errorText, facts, foreign, format, remedyForRights, said } from "./words.js";
import { alarms } from "./overview.js";

export class Machine {
    constructor(station) {
        this.station = station;
        byId("doctor").addEventListener("click", event => this.doctor(event.target));
        byId("verify").addEventListener("click", event => this.verify(event.target));
    }

    alarms() {
        const { state, why, manager, may } = this.station;
        const disks = [...this.station.disks.values()];
        const all = [];
        if (state === "lost")
            all.push([format(_("The service does not answer: what is shown is old. $0"), why), _("Ask it again")]);
        if (state === "absent")
            all.push([format(_("The system bus is not reached: $0"), why), _("Try again")]);
        all.push(...alarms(manager, disks).map(text => [text]));
        if (state === "there" && !may.erase)
            all.push([`${_("You may look, and not erase.")} ${remedyForRights()}`, null, "note"]);
        return all;
    }

    drawAlarms() {
        const all = this.alarms();
        const sign = JSON.stringify(all);
        if (sign === this.alarmSign)
            return;
        this.alarmSign = sign;
        byId("alarms").replaceChildren(...all.map(([text, verb, kind]) => el(
            "p", { class: kind || "alarm" }, foreign(text), verb ? " " : null,
            verb ? el("button", { type: "button", onclick: () => this.station.again() }, verb) : null)));
    }

    draw() {
        const m = this.station.manager;
        this.drawAlarms();
        const sign = JSON.stringify(m);
        if (sign === this.sign)
            return;
        this.sign = sign;
        byId("station").textContent = said(m.Station);
        byId("machine").replaceChildren(facts([
            [_("Station"), m.Station || ""], [_("Version"), m.Version || ""],
            [_("Signed records"), m.RecordsFolder || _("none are configured")],
            [_("Records to be signed"), m.RecordsDue ? _("some") : _("none")],
            [_("At work, waiting"), `${m.Active ?? ""}, ${m.Waiting ?? ""}`]]));
        byId("verify").disabled = !m.RecordsFolder;
        byId("notes").replaceChildren(...(m.Notes || []).slice().reverse().map(note => el("li", {}, foreign(note))));
    }

    // A program of its own ends with 1 where it found something: what it printed is what counts.
    run(command, press) {
        let out = "";
        press.disabled = true;
        return cockpit.spawn(command, { superuser: "try", err: "out" })
                .stream(data => { out += data })
                .then(() => ({ out, status: 0 }))
                .catch(error => {
                    if (error.exit_status === null || error.exit_status === undefined)
                        throw error;
                    return { out, status: error.exit_status };
                })
                .finally(() => { press.disabled = false });
    }

    say(...content) {
        byId("findings").replaceChildren(...content);
    }

    fail(error) {
        this.say(el("p", { class: "error" }, errorText(error)));
    }

    doctor(press) {
        const told = f => el("li", {}, foreign(f.subject ? `${f.subject}: ${f.text}` : f.text), el("br"),
                             el("code", {}, foreign(f.advice)));
        this.run(["diskwipe", "doctor", "--json"], press)
                .then(({ out }) => {
                    const { findings } = JSON.parse(out);
                    this.say(findings.length ? el("ul", {}, ...findings.map(told))
                        : el("p", {}, _("Doctor found nothing.")));
                })
                .catch(error => this.fail(error));
    }

    verify(press) {
        this.run(["diskwipe", "records", "verify", "--", this.station.manager.RecordsFolder], press)
                .then(({ out, status }) => this.say(
                    el("p", { class: status ? "error" : "" },
                       status ? _("The records are not as they were signed:") : _("The records are whole.")),
                    el("pre", {}, ...out.trim().split("\n").map(line => el("div", {}, foreign(line))))))
                .catch(error => this.fail(error));
    }
}
