// SPDX-License-Identifier: GPL-2.0-or-later
// The one dialog of the page, and buttons that tell what became of their call.
import { _, announce, byId, el, errorText } from "./words.js";

export function show(title, ...content) {
    const dialog = byId("dialog");
    dialog.replaceChildren(el("h2", { id: "dialog-name" }, title), ...content.filter(Boolean));
    if (!dialog.open)
        dialog.showModal();
    return dialog;
}

export function close() {
    if (byId("dialog").open)
        byId("dialog").close();
}

export function closer(text) {
    return el("button", { type: "button", class: "close", onclick: close }, text || _("Close"));
}

// Does who waits for an answer still see the question? Another dialog may be open meanwhile.
export function isAsked(part) {
    return part.isConnected && byId("dialog").open && byId("dialog").contains(part);
}

// A button that calls the service: pressed once, it waits for the answer.
export function button(text, call, allowed) {
    const it = el("button", { type: "button" }, text);
    it.disabled = allowed === false;
    if (it.disabled)
        it.title = _("You may look, and not change this.");
    it.addEventListener("click", () => {
        const done = call();
        if (!done)
            return;
        it.disabled = true;
        done.then(() => { announce(`${text}: ${_("done")}`); if (isAsked(it)) close() })
                .catch(error => announce(errorText(error), true))
                .finally(() => { it.disabled = false });
    });
    return it;
}

// A question before what cannot be undone.
export function ask(title, text, verb, call) {
    const yes = button(verb, call);
    yes.classList.add("danger");
    show(title, el("p", {}, text), el("div", { class: "bar" }, yes, closer(_("Go back"))));
}
