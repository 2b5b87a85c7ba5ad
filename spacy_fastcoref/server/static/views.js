// Show what is known of a mention, the corrections, the resolved text and the chains.

import { $, button, colorOf, make } from "./dom.js";

const quote = (text) => `“${text.length > 60 ? `${text.slice(0, 57)}…` : text}”`;
const number = (cluster) =>
  make("span", { class: `number ${colorOf(cluster)}` }, String(cluster + 1));
const link = (mention, label) => make("a", { href: `#m-${mention.id}` }, label);

export function showMention(page, mention) {
  const { mentions, picked } = page;
  const panel = $("panel");
  if (!mention) {
    panel.replaceChildren(make("p", { class: "empty" },
      mentions.length ? "Point at a mention." : "There is no mention in this text."));
    return;
  }
  const cluster = mentions.filter((one) => one.cluster === mention.cluster);
  const actions = make("div", { class: "row" });
  if (picked && picked !== mention) {
    const other = quote(picked.text);
    actions.append(
      button(`Put together with ${other}`, () => page.correct("together", picked, mention)),
      button(`Keep apart from ${other}`, () => page.correct("apart", picked, mention)));
  }
  actions.append(
    picked === mention
      ? button("Picked", () => page.pick(null), { "aria-pressed": "true" })
      : button("Pick", () => page.pick(mention), { "aria-pressed": "false" }),
    button("Drop", () => page.correct("drop", mention)));
  panel.replaceChildren(
    make("h3", {}, number(mention.cluster), ` ${quote(mention.text)}`),
    actions,
    make("h4", {}, "Cluster"),
    make("ul", { class: "mentions" }, ...cluster.map((one) =>
      make("li", { class: one === mention ? "chosen" : "" }, link(one, one.text)))),
    make("h4", {}, "For and against each candidate"),
    showCandidates(page, mention));
}

function showCandidates(page, mention) {
  const found = page.explanations?.get(`${mention.start}-${mention.end}`);
  if (!page.explanations) {
    return make("p", { class: "empty" }, page.problem || "Being computed …");
  }
  if (!found?.length) {
    return make("p", { class: "empty" }, "The model sees no candidate before it.");
  }
  return make("ul", {}, ...found.map((one) => {
    const [start, end] = one.chars;
    const text = page.chars.slice(start, end).join("");
    const known = page.mentions.find((other) => other.start === start && other.end === end);
    const candidate = known || { start, end, text };
    const score = one.score === null ? "no score" : one.score.toFixed(2).replace("-", "−");
    const label = known ? link(known, quote(text)) : quote(text);
    return make("li", { class: "candidate" },
      make("span", { class: "what" },
        make("span", { class: one.chosen ? "chosen" : "" }, one.chosen ? "✓ " : "", label),
        " ", make("span", { class: "score", title: "Log-odds against no link" }, score),
        " ", make("span", { class: one.verdict },
          one.chosen ? `chosen${one.verdict === "allowed" ? "" : `, ${one.verdict}`}` : one.verdict)),
      one.reasons.length ? make("span", { class: "reasons" }, one.reasons.join("; ")) : "",
      make("span", { class: "row" },
        button("Together", () => page.correct("together", candidate, mention),
          { "aria-label": `Put together with ${text}` }),
        button("Apart", () => page.correct("apart", candidate, mention),
          { "aria-label": `Keep apart from ${text}` })));
  }));
}

const VERBS = { together: "Together", apart: "Apart", add: "Added", drop: "Dropped" };

export function showCorrections(page) {
  const rows = page.corrections.list.map((one) => {
    const texts = one.mentions.map(([start, end]) =>
      quote(page.chars.slice(start, end).join("")));
    return make("li", {},
      make("span", {}, `${VERBS[one.kind]}: ${texts.join(" and ")}`),
      button("Remove", () => page.uncorrect(one),
        { "aria-label": `Remove: ${VERBS[one.kind]} ${texts.join(" and ")}` }));
  });
  if (!rows.length) rows.push(make("li", { class: "empty" }, "None yet."));
  $("corrections").replaceChildren(...rows);
  $("clear").disabled = !page.corrections.list.length;
}

export function showResolved(page) {
  const { text, replacements } = page.document.resolved;
  const fill = (box, chars, ends, own, other) => {
    const parts = [];
    let done = 0;
    ends.forEach(([start, end], i) => {
      parts.push(chars.slice(done, start).join(""), make("a",
        { class: "change", id: `${own}-${i}`, href: `#${other}-${i}`, "data-change": i },
        chars.slice(start, end).join("")));
      done = end;
    });
    $(box).replaceChildren(...parts, chars.slice(done).join(""));
  };
  fill("resolved", [...text], replacements.map((one) => one.slice(0, 2)), "to", "from");
  fill("original", page.chars, replacements.map((one) => one.slice(2)), "from", "to");
}

export function showChains(page) {
  const rows = page.document.clusters.map((cluster, i) => {
    const mentions = page.mentions.filter((one) => one.cluster === i);
    mentions.sort((a, b) => a.index - b.index);
    const first = mentions[cluster.main];
    const rest = mentions.filter((one) => one !== first);
    return make("li", {}, number(i), " ",
      make("span", { class: "first" }, link(first, first.text)),
      ...rest.flatMap((one) => [" · ", link(one, one.text)]));
  });
  if (!rows.length) rows.push(make("li", { class: "empty" }, "There are none."));
  $("chains").replaceChildren(...rows);
}

export function showJson(page) {
  const { text, clusters } = page.document;
  const json = JSON.stringify({ text, clusters }, null, 1);
  // A mention in few lines.
  $("json").textContent = json.replace(/\[\s+(\d+),\s+(\d+)\s+\]/g, "[$1, $2]");
}
