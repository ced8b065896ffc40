// The page posts its form whenever something changes, and puts the answer in place.
"use strict";

const id = name => document.getElementById(name);
const PATIENCE = 350; // milliseconds after the last key
let page = null, turn = 0, timer = null, hasFile = false, answered = false;
let pending = false, detailed = false; // whether an answer is on its way, and all of it there
let wanted = null; // a part to show once it is there
let sending = null; // ends the upload that is on its way

async function post(path, body, type, signal) {
  const headers = type ? {"Content-Type": type} : {};
  const reply = await fetch(path, {method: "POST", headers, body, signal});
  return told(reply);
}

async function told(reply) {
  let said = {};
  try { said = await reply.json(); } catch { said = {message: "The server does not answer."}; }
  if (!reply.ok) throw new Error(said.message || "The server refused this.");
  return said;
}

async function own(path) {
  if (page === null) page = (await post("pages")).page;
  return `pages/${page}/${path}`;
}

function state() {
  const given = {};
  for (const field of document.querySelectorAll("main [name]")) {
    if (field.type === "checkbox") given[field.name] = field.checked ? "yes" : "";
    else if (field.dataset.values) given[field.name] = field.dataset.values.split(",")[field.value];
    else given[field.name] = field.value;
  }
  return given;
}

// Asks, and waits for the answer unless something newer is asked meanwhile.
async function ask(start) {
  const mine = ++turn;
  const slow = setTimeout(() => busy(true), 300);
  let wait = 120;
  try {
    let said = await start();
    while (said.event === "progress") {
      if (mine !== turn) return null;
      doing(said);
      await new Promise(done => setTimeout(done, wait));
      if (mine !== turn) return null;
      wait = Math.min(wait * 1.4, 1000);
      said = await told(await fetch(await own(`jobs/${said.job}`)));
    }
    if (mine !== turn) return null;
    if (said.event === "failed") { pending = false; fail(said.message, said.crashed || said.stopped); return null; }
    return said;
  } catch (error) {
    if (mine === turn) { pending = false; fail(error.message || "The server does not answer. Is the app still running?"); }
    return null;
  } finally {
    clearTimeout(slow);
    if (mine === turn) busy(false);
  }
}

function question(kind, more = {}, set = {}) {
  const given = {...state(), ...set};
  return async () => post(await own("jobs"), JSON.stringify({kind, state: given, ...more}),
                          "application/json");
}

async function update(set) {
  if (!hasFile) return;
  pending = true;
  const said = await ask(question("answer", {}, set));
  if (said) await shown(said);
}

async function shown(said) {
  pending = detailed = false;
  put(said.regions);
  say(said.status);
  hasFile = !said.bad;
  answered = Boolean(said.answered);
  titled(hasFile ? said.file : "");
  id("form").hidden = !hasFile;
  id("planner").hidden = !said.plannable;
  id("compare").hidden = !said.comparable;
  id("f-votes").parentElement.hidden = !said.votes;
  if (!answered) { put({details: ""}); return; }
  await further();
}

// What takes longer comes after the answer.
async function further() {
  const kinds = ["details"];
  if (id("compare").open && !id("compare").hidden) kinds.unshift("compare");
  if (id("planner").open && !id("planner").hidden) kinds.unshift("plan");
  for (const kind of kinds) {
    const said = await ask(question(kind));
    if (!said) return;
    put(said.regions);
  }
  detailed = true;
  if (wanted) go(wanted);
}

// The place for a file is a line with its name once there is one.
function titled(file) {
  id("named").textContent = file;
  id("choose").textContent = file ? "Change" : "Choose a file";
  document.body.classList.toggle("has-file", Boolean(file));
}

// Shows a part of the page, once it is there, and puts the focus on it.
function go(part) {
  const target = id(part);
  wanted = target ? null : part;
  if (!target) return;
  if (target.matches("details")) target.open = true;
  const fold = target.parentElement.closest("details");
  if (fold) fold.open = true;
  const place = target.matches("input, select") ? target : target.querySelector("summary, h2") || target;
  if (place.tabIndex < 0) place.tabIndex = -1;
  target.scrollIntoView({block: target.matches("input, select") ? "center" : "start"});
  place.focus({preventScroll: true});
}

// One part alone; where an answer is on its way, it comes with that.
async function one(kind) {
  if (!answered || pending) return;
  const said = await ask(question(kind));
  if (!said) return;
  put(said.regions);
  if (!detailed) await further();
}

// Puts parts in place; what has the focus keeps it, and what was open stays open.
function put(regions) {
  for (const [name, html] of Object.entries(regions || {})) {
    const region = id(name);
    if (region.dataset.html === html) continue;
    const focused = region.contains(document.activeElement) ? document.activeElement : null;
    const place = focused && focused.id ? focused.id : null;
    const caret = focused && focused.selectionStart;
    const open = [...region.querySelectorAll("details[open][id]")].map(one => one.id);
    region.innerHTML = html;
    region.dataset.html = html;
    for (const name of open) if (id(name)) id(name).open = true;
    if (place && id(place)) {
      id(place).focus({preventScroll: true});
      if (typeof caret === "number") try { id(place).setSelectionRange(caret, caret); } catch {}
    } else if (focused) {
      id("result").focus({preventScroll: true});
    }
  }
}

function say(text) { id("status").textContent = text || ""; }

function fail(message, again) {
  const box = document.createElement("div");
  box.className = "caution";
  const words = document.createElement("p");
  words.textContent = message;
  box.append(words);
  if (again && hasFile) {
    const button = document.createElement("button");
    button.type = "button";
    button.id = "again";
    button.textContent = "Try again";
    button.addEventListener("click", () => update());
    box.append(button);
  }
  if (!hasFile) titled("");
  id("problem").replaceChildren(box);
  delete id("problem").dataset.html;
  say(message);
}

function busy(is) {
  id("busy").hidden = !is;
  id("result").setAttribute("aria-busy", is ? "true" : "false");
  if (!is) { id("doing").textContent = ""; id("bar").removeAttribute("value"); }
}

function doing(said) {
  const share = said.share > 0 ? `, ${Math.round(100 * said.share)} %` : "";
  id("doing").textContent = said.waits ? "waiting for a free worker" : `${said.what || "starting"}${share}`;
  if (said.share > 0) id("bar").value = said.share; else id("bar").removeAttribute("value");
}

function cleared() {
  unsent();
  const names = ["columns", "question", "answer", "steps", "standing", "downloads", "details", "problem",
                 "compare-body", "plan-body"];
  put(Object.fromEntries(names.map(name => [name, ""])));
  hasFile = answered = pending = false;
  wanted = null;
  for (const name of ["form", "planner", "compare"]) id(name).hidden = true;
}

function unsent() {
  if (sending) sending.abort(new Error("Stopped."));
  sending = null;
}

async function take(file) {
  if (!file) return;
  cleared();
  titled(file.name);
  busy(true);
  doing({what: `uploading ${file.name}`});
  const {signal} = sending = new AbortController();
  const said = await ask(async () =>
    post(await own(`file?name=${encodeURIComponent(file.name)}`), file, "application/octet-stream",
         signal));
  if (said) { hasFile = true; await shown(said); }
}

async function demo(name) {
  cleared();
  const said = await ask(async () => post(await own(`demo?name=${encodeURIComponent(name)}`)));
  if (said) { hasFile = true; await shown(said); }
}

async function report(format) {
  const said = await ask(question("report", {format}));
  if (!said) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([said.text], {type: "application/octet-stream"}));
  link.download = said.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  say(`Saved ${said.name}.`);
}

async function copy(button) {
  const code = button.closest("div").parentElement.querySelector("code");
  try {
    await navigator.clipboard.writeText(code.textContent);
    say("Copied.");
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(code);
    say("Selected. Copy it with the keyboard.");
  }
}

function slid(field) {
  const value = field.dataset.values.split(",")[field.value];
  const text = field.name === "target" ? `${+(100 * value).toFixed(2)} points` : Number(value).toLocaleString("en");
  field.parentElement.querySelector("output").textContent = text;
  field.setAttribute("aria-valuetext", text);
}

// All roles of a column, in the place of the common ones.
function everyRole(field) {
  const was = [...field.options].find(one => one.defaultSelected);
  field.replaceChildren(id("every-role").content.cloneNode(true));
  field.value = was ? was.value : "";
  try { field.showPicker(); } catch {}
}

function changed(field, at) {
  if (!field.name) return;
  if (field.dataset.chip && field.value === "more") { everyRole(field); return; }
  clearTimeout(timer);
  const planning = Boolean(field.closest("#planner"));
  if (!planning) { turn++; pending = true; } // what is on its way is of yesterday
  timer = setTimeout(() => planning ? one("plan") : update(), at);
}

document.addEventListener("click", event => {
  const button = event.target.closest("button");
  if (!button) return;
  const given = button.dataset;
  if (given.demo) demo(given.demo);
  else if (given.set) update(JSON.parse(given.set));
  else if (given.go) go(given.go);
  else if (given.report) report(given.report);
  else if (given.copy) copy(button);
});
document.addEventListener("input", event => {
  if (event.target.type === "range") slid(event.target);
  if (event.target.matches("input:not([type]), input[type=range]")) changed(event.target, PATIENCE);
});
document.addEventListener("change", event => {
  if (event.target.matches("select, input[type=checkbox]")) changed(event.target, 0);
});
document.addEventListener("submit", event => { event.preventDefault(); update(); });
id("file").addEventListener("change", event => take(event.target.files[0]));
id("file").addEventListener("click", event => { event.target.value = ""; }); // the same again
id("stop").addEventListener("click", async () => {
  unsent();
  try { await post(await own("stop")); } catch {}
});
id("compare").addEventListener("toggle", () => { if (id("compare").open) one("compare"); });
id("planner").addEventListener("toggle", () => { if (id("planner").open) one("plan"); });
for (const kind of ["dragover", "dragenter"]) {
  document.addEventListener(kind, event => {
    event.preventDefault();
    id("drop").classList.add("over");
  });
}
document.addEventListener("dragleave", event => {
  if (!event.relatedTarget) id("drop").classList.remove("over");
});
document.addEventListener("drop", event => {
  event.preventDefault();
  id("drop").classList.remove("over");
  take(event.dataTransfer.files[0]);
});
addEventListener("pagehide", () => {
  if (page !== null) { navigator.sendBeacon(`pages/${page}/close`); page = null; hasFile = false; }
});
addEventListener("pageshow", event => { if (event.persisted) { cleared(); titled(""); id("file").value = ""; } });
setInterval(async () => {
  if (page === null) return;
  try { await post(`pages/${page}/alive`); } catch {}
}, 30000);
document.querySelectorAll("input[type=range]").forEach(slid);
