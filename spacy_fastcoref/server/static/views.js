// Show what is known of a mention, the clusters, the corrections and the resolved text.

import { $, button, colorOf, make } from "./dom.js";

const quote = (text) => `“${text.length > 60 ? `${text.slice(0, 57)}…` : text}”`;
const number = (cluster) =>
  make("span", { class: `number ${colorOf(cluster)}` }, String(cluster + 1));
const link = (mention, label) => make("a", { href: `#m-${mention.id}` }, label);

export function showMention(page, mention) {
  const { mentions, picked } = page;
  const panel = $("panel");
  panel.hidden = !mention;
  if (!mention) return;
  const cluster = mentions.filter((one) => one.cluster === mention.cluster);
  const at = cluster.indexOf(mention);
  const actions = make("div", { class: "row" });
  if (picked && picked !== mention) {
    const other = quote(picked.text);
    actions.append(
      button(`Same as ${other}`, () => page.correct("together", picked, mention)),
      button(`Not ${other}`, () => page.correct("apart", picked, mention)));
  }
  actions.append(
    picked === mention
      ? button("Choose the other one …", () => page.pick(null), { "aria-pressed": "true" })
      : button("Correct its links", () => page.pick(mention), { "aria-pressed": "false" }),
    button("No mention", () => page.correct("drop", mention)));
  panel.replaceChildren(
    button("✕", () => page.close(), { class: "close", "aria-label": "Close" }),
    make("h3", {}, number(mention.cluster), ` ${quote(mention.text)}`),
    actions,
    make("h4", {}, `Its cluster (${at + 1} of ${cluster.length})`),
    make("div", { class: "row" },
      button("↑ Previous", () => page.move(mention, "ArrowUp"), { disabled: at ? null : "" }),
      button("↓ Next", () => page.move(mention, "ArrowDown"),
        { disabled: at < cluster.length - 1 ? null : "" })),
    make("ul", { class: "mentions" }, ...cluster.map((one) =>
      make("li", { class: one === mention ? "chosen" : "" }, link(one, one.text)))),
    make("h4", {}, "What it may come back to"),
    showCandidates(page, mention));
}

// The verdicts of grammar, in the words of the page.
const VERDICTS = {
  allowed: "grammar allows it", doubtful: "grammar doubts it", forbidden: "grammar forbids it",
};

function showCandidates(page, mention) {
  const found = page.explanations?.get(`${mention.start}-${mention.end}`);
  if (!page.explanations) {
    return make("p", { class: "empty" }, page.problem || "Being computed …");
  }
  if (!found?.length) {
    return make("p", { class: "empty" },
      "Nothing before it: this is where it is mentioned first.");
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
        " ", make("span", { class: "score",
          title: "Above 0, the model prefers it to no link (log-odds)" }, score),
        " ", make("span", { class: one.verdict },
          `${one.chosen ? "chosen, " : ""}${VERDICTS[one.verdict]}`)),
      one.reasons.length ? make("span", { class: "reasons" }, one.reasons.join("; ")) : "",
      make("span", { class: "row" },
        button("Same", () => page.correct("together", candidate, mention),
          { "aria-label": `The same as ${text}` }),
        button("Different", () => page.correct("apart", candidate, mention),
          { "aria-label": `Not ${text}` })));
  }));
}

const VERBS = { together: "Same", apart: "Different", add: "Added", drop: "No mention" };

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

// The clusters by their main mentions: a click shows one alone.
export function showClusters(page) {
  const rows = page.document.clusters.map((cluster, i) => {
    const main = cluster.mentions[cluster.main].text;
    const label = main.length > 40 ? `${main.slice(0, 37)}…` : main;
    return make("li", {}, button(label, () => page.choose(i),
      { class: colorOf(i), "aria-pressed": String(i === page.cluster) }));
  });
  rows.forEach((row, i) => row.firstChild.prepend(number(i), " "));
  rows.forEach((row, i) => row.firstChild.append(
    make("span", { class: "size" }, ` ×${page.document.clusters[i].mentions.length}`)));
  $("clusters").replaceChildren(...rows);
  $("clusters").hidden = !rows.length;
}

export function showJson(page) {
  const { text, clusters } = page.document;
  const json = JSON.stringify({ text, clusters }, null, 1);
  // A mention in few lines.
  $("json").textContent = json.replace(/\[\s+(\d+),\s+(\d+)\s+\]/g, "[$1, $2]");
}
