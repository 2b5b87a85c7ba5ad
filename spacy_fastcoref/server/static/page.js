// The page: what is typed and clicked becomes requests, and answers become views.

import { getInfo, resolve, save } from "./api.js";
import { Corrections } from "./corrections.js";
import { $, button, make } from "./dom.js";
import { getSelected, listMentions, showMarks } from "./marks.js";
import { showClusters, showCorrections, showJson, showMention, showResolved } from "./views.js";

const page = {
  info: null, text: "", chars: [], document: null, mentions: [], explanations: null, problem: null,
  corrections: new Corrections(), focused: null, picked: null, running: null,
  // The cluster that is shown alone.
  cluster: null,

  pick(mention) {
    this.picked = mention;
    showMention(this, this.focused);
    highlight(this.focused);
    say(mention ? `Now choose the mention that “${mention.text}” is the same as, or not.` : "");
  },

  choose(cluster) {
    this.cluster = this.cluster === cluster ? null : cluster;
    this.close();
    const first = this.mentions.find((one) => one.cluster === this.cluster);
    if (first) $(`m-${first.id}`).scrollIntoView({ block: "nearest" });
  },

  close() {
    this.focused = null;
    showMention(this, null);
    showClusters(this);
    highlight(null);
  },

  move,

  correct(kind, ...mentions) {
    this.corrections.add(kind, ...mentions.map((one) => [one.start, one.end]));
    this.picked = null;
    run(mentions[mentions.length - 1]);
  },

  uncorrect(correction) {
    this.corrections.remove(correction);
    run(this.focused);
  },
};

const say = (message) => { $("status").textContent = message; };
const fail = (error) => { $("error").textContent = error ? error.message : ""; };

function makeRequest(include, text = page.text, corrections = page.corrections) {
  const boxes = [...document.querySelectorAll("#rules input")];
  const disabled = boxes.filter((box) => !box.checked).map((box) => box.value);
  return {
    text,
    pipeline: $("pipeline").value,
    policy: $("policy").value,
    rules: { enabled: $("enabled").checked, disabled: boxes.length ? disabled : null },
    corrections,
    include,
  };
}

// Resolve the text, then explain it: the clusters are shown before the reasons.
async function run(focus) {
  page.running?.abort();
  const { signal } = (page.running = new AbortController());
  const text = $("text").value;
  if (!text.trim()) {
    say("Write or paste a text first, or choose an example.");
    return;
  }
  // Corrections are offsets in the text that is shown, until another one is.
  const corrections = text === page.text ? page.corrections : new Corrections();
  fail(null);
  say("Resolving …");
  $("marked").setAttribute("aria-busy", "true");
  try {
    const request = makeRequest(["resolved"], text, corrections);
    page.document = await resolve(request, signal);
    Object.assign(page, { text, corrections });
    show(focus);
  } catch (error) {
    if (error.name === "AbortError") return;
    fail(error);
    say("");
    if (page.document) showCorrections(page);
    $("marked").removeAttribute("aria-busy");
    return;
  }
  try {
    const explained = await resolve(makeRequest(["explanations"]), signal);
    page.explanations = new Map(explained.explanations.map((one) =>
      [one.chars.join("-"), one.candidates]));
  } catch (error) {
    if (error.name === "AbortError") return;
    page.problem = error.message;
  }
  showMention(page, page.focused);
  $("marked").removeAttribute("aria-busy");
}

function show(focus) {
  page.chars = [...page.document.text];
  page.mentions = listMentions(page.document.clusters);
  page.explanations = page.problem = null;
  page.picked = null;
  $("result").hidden = false;
  showMarks($("marked"), page.chars, page.mentions);
  showCorrections(page);
  showResolved(page);
  showClusters(page);
  showJson(page);
  const { length } = page.document.clusters;
  say(`${length} ${length === 1 ? "cluster" : "clusters"}, ${page.mentions.length} mentions`);
  advise();
  page.focused = page.cluster = null;
  const again = focus && page.mentions.find((one) =>
    one.start <= focus.start && focus.end <= one.end);
  if (again) $(`m-${again.id}`).focus();
  else showMention(page, null);
}

// What to do about a result that helps nobody.
function advise() {
  const { warnings, clusters } = page.document;
  const { lang } = getPipeline();
  const parts = [...warnings];
  if (!clusters.length) {
    parts.push("No two mentions were found that are the same. It takes a name or a noun " +
      "and a word that comes back to it, such as “Ann … she”. Try a longer text or an " +
      `example, or check that the text is in the language of the pipeline (${lang}). ` +
      "A mention that was missed: select its words and add them below the text.");
  }
  $("advice").textContent = parts.join(" ");
}

// Over ten clusters, colours come again: the cluster in question is shown alone.
const MANY = 10;

function highlight(mention) {
  const cluster = mention ? mention.cluster : page.cluster;
  const isAlone = page.cluster !== null || page.document.clusters.length > MANY;
  $("marked").classList.toggle("alone", cluster !== null && isAlone);
  for (const mark of $("marked").querySelectorAll("mark")) {
    const one = page.mentions[mark.dataset.mention];
    mark.classList.toggle("same", one.cluster === cluster);
    mark.classList.toggle("shown", one === mention);
    mark.classList.toggle("picked", one === page.picked);
  }
}

const mentionOf = (event) =>
  page.mentions[event.target.closest?.("mark")?.dataset.mention];

function move(mention, key) {
  const { mentions } = page;
  const list = key === "ArrowUp" || key === "ArrowDown"
    ? mentions.filter((one) => one.cluster === mention.cluster) : mentions;
  // In a text from right to left, the key to the left leads forwards.
  const isLeftward = getComputedStyle($("marked")).direction === "rtl";
  const step = { ArrowDown: 1, ArrowUp: -1, ArrowRight: isLeftward ? -1 : 1,
    ArrowLeft: isLeftward ? 1 : -1 }[key];
  const next = key === "Home" ? 0 : key === "End" ? list.length - 1
    : list.indexOf(mention) + step;
  if (list[next]) $(`m-${list[next].id}`).focus();
}

function listen() {
  $("resolve").onclick = () => run();
  $("text").onkeydown = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
  };
  $("pipeline").onchange = () => { showRules(); if (page.document) run(); };
  for (const id of ["policy", "enabled", "rules"]) {
    $(id).onchange = () => { if (page.document) run(page.focused); };
  }
  $("file").onchange = open;
  $("clear").onclick = () => { page.corrections = new Corrections(); run(page.focused); };
  for (const kind of ["spacy", "jsonl"]) {
    $(`save-${kind}`).onclick = () =>
      save(makeRequest([]), kind).then(() => say(`Saved as coref.${kind}`), fail);
  }
  $("copy").onclick = copy;
  $("add").onclick = () => {
    const selected = getSelected($("marked"), $("text"), page.text);
    if (!selected) {
      say("Select words first: in the text with its clusters, or in the field above.");
      return;
    }
    const [start, end] = selected;
    page.correct("add", { start, end });
  };
  const marked = $("marked");
  // A finger points at nothing: it taps, which is a click. Where the panel has no place
  // beside the text, it would come under the pointer.
  const isWide = window.matchMedia("(min-width: 60rem)");
  const point = (mention) => {
    highlight(mention);
    if (isWide.matches) showMention(page, mention);
  };
  marked.onpointerover = (event) => {
    if (event.pointerType !== "touch") point(mentionOf(event) || page.focused);
  };
  marked.onpointerleave = () => point(page.focused);
  marked.onclick = (event) => {
    const mention = mentionOf(event);
    // Words that are being selected are no click on a mention.
    if (mention && window.getSelection().isCollapsed) $(`m-${mention.id}`).focus();
  };
  marked.addEventListener("focusin", (event) => {
    const mention = mentionOf(event);
    if (!mention) return;
    for (const mark of marked.querySelectorAll("[tabindex='0']")) mark.tabIndex = -1;
    event.target.tabIndex = 0;
    page.focused = mention;
    highlight(mention);
    showMention(page, mention);
    // The panel may have come over it.
    event.target.scrollIntoView({ block: "nearest" });
  });
  marked.onkeydown = (event) => {
    const mention = mentionOf(event);
    if (!mention || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    if (event.key.startsWith("Arrow") || key === "home" || key === "end") {
      move(mention, event.key);
    } else if (key === "p" || key === "enter") page.pick(page.picked === mention ? null : mention);
    else if (key === "escape") {
      page.pick(null);
      page.close();
    }
    else if (key === "d") page.correct("drop", mention);
    else if ((key === "t" || key === "a") && page.picked && page.picked !== mention) {
      page.correct(key === "t" ? "together" : "apart", page.picked, mention);
    } else return;
    event.preventDefault();
  };
  $("result").addEventListener("mouseover", linkChanges);
  $("result").addEventListener("focusin", linkChanges);
}

// A replacement and what it replaces are shown together.
function linkChanges(event) {
  const change = event.target.closest?.(".change")?.dataset.change;
  for (const one of document.querySelectorAll(".change")) {
    one.classList.toggle("on", one.dataset.change === change);
  }
}

async function open() {
  const [file] = $("file").files;
  $("file").value = "";
  if (!file) return;
  try {
    if (file.size > page.info.max_bytes) {
      throw new Error(`${file.name} has ${file.size} bytes; the server takes ${page.info.max_bytes}.`);
    }
    const bytes = await file.arrayBuffer();
    try {
      $("text").value = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      throw new Error(`${file.name} is not a text in UTF-8.`);
    }
    run();
  } catch (error) {
    fail(error);
  }
}

async function copy() {
  try {
    await navigator.clipboard.writeText($("json").textContent);
    say("Copied.");
  } catch {
    // Browsers allow it on this machine or over https alone.
    window.getSelection().selectAllChildren($("json"));
    say("Press Ctrl+C to copy what is selected.");
  }
}

const getPipeline = () =>
  page.info.pipelines.find((one) => one.name === $("pipeline").value);

function showRules() {
  const pipeline = getPipeline();
  $("marked").lang = pipeline.lang;
  const rules = Object.entries(pipeline.rules);
  $("rules").replaceChildren(make("legend", {}, "Rules"), ...rules.map(([name, isOn]) => {
    const box = make("input", { type: "checkbox", value: name });
    box.checked = isOn;
    return make("label", {}, box, ` ${name.replaceAll("_", " ")}`,
      make("span", { class: "rule" }, pipeline.reasons[name]));
  }));
  $("rules").hidden = !rules.length;
}

// An example in the language of each pipeline.
function listExamples() {
  const shown = new Set();
  for (const { name, lang } of page.info.pipelines) {
    const example = document.querySelector(`template.example[lang="${lang}"]`);
    if (!example || shown.has(lang)) continue;
    shown.add(lang);
    $("examples").append(button(example.dataset.name, () => {
      $("pipeline").value = name;
      $("text").value = example.content.textContent;
      showRules();
      run();
    }, { lang, "data-pipeline": name }));
  }
  $("examples").prepend(shown.size ? "Examples:" : "");
}

async function start() {
  listen();
  try {
    page.info = await getInfo();
  } catch (error) {
    fail(error);
    return;
  }
  const { version, pipelines, policies } = page.info;
  $("version").textContent = version;
  $("pipeline").append(...pipelines.map((one) => make("option", {}, one.name)));
  $("policy").append(...policies.map((name) =>
    make("option", { value: name }, name.replace(/^.*\.(\w+)\.v\d+$/, "$1"))));
  showRules();
  listExamples();
  const example = $("examples").querySelector(`[data-pipeline="${pipelines[0].name}"]`);
  if ($("text").value) run();
  else example?.click();
}

start();
