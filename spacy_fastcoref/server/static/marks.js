// Show a text with its mentions. Offsets count code points, as Python does.

import { colorOf, make } from "./dom.js";

// The code point at which each text node starts.
const starts = new WeakMap();

// List the mentions of all clusters, outer ones first.
export function listMentions(clusters) {
  const mentions = clusters.flatMap((cluster, number) =>
    cluster.mentions.map((mention, index) => ({
      cluster: number, index, start: mention.chars[0], end: mention.chars[1],
      text: mention.text,
    })));
  mentions.sort((a, b) => a.start - b.start || b.end - a.end);
  mentions.forEach((mention, i) => { mention.id = i; });
  return mentions;
}

export function showMarks(box, chars, mentions) {
  const root = { element: document.createDocumentFragment(), end: chars.length };
  const open = [root];
  let done = 0;
  const add = (end) => {
    if (end <= done) return;
    const node = document.createTextNode(chars.slice(done, end).join(""));
    starts.set(node, done);
    open[open.length - 1].element.append(node);
    done = end;
  };
  const close = (end) => {
    while (open.length > 1 && open[open.length - 1].end <= end) {
      const { element, end: last, height } = open[open.length - 1];
      add(last);
      open.pop();
      const outer = open[open.length - 1];
      outer.height = Math.max(outer.height || 0, (height || 0) + 1);
      if (height) element.style.setProperty("--inner", height);
    }
  };
  // A mention that crosses the end of another one is shown in two pieces.
  const queue = mentions.map((mention) => ({ mention, start: mention.start }));
  for (let i = 0; i < queue.length; i++) {
    const { mention, start } = queue[i];
    close(start);
    add(start);
    const outer = open[open.length - 1];
    const end = Math.min(mention.end, outer.end);
    if (end < mention.end) {
      const piece = { mention, start: end };
      let j = i + 1;
      while (j < queue.length && queue[j].start < end) j++;
      queue.splice(j, 0, piece);
    }
    const isFirst = start === mention.start, isLast = end === mention.end;
    const element = make("mark", {
      class: colorOf(mention.cluster),
      "data-mention": mention.id,
      "data-number": isLast ? mention.cluster + 1 : null,
      id: isFirst ? `m-${mention.id}` : null,
      tabindex: isFirst ? (mention.id ? -1 : 0) : null,
    });
    outer.element.append(element);
    open.push({ element, end });
  }
  close(chars.length);
  add(chars.length);
  box.replaceChildren(root.element);
}

// The selected words, as offsets: in the marked text, or in the field it was written in.
export function getSelected(box, field, text) {
  const range = window.getSelection().rangeCount && window.getSelection().getRangeAt(0);
  if (range && !range.collapsed && box.contains(range.commonAncestorContainer)) {
    const at = (node, offset) => {
      // Between two elements: the next text.
      const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
      if (node.nodeType === Node.TEXT_NODE) {
        return starts.get(node) + [...node.data.slice(0, offset)].length;
      }
      walker.currentNode = node.childNodes[offset] || node.lastChild || node;
      const next = walker.currentNode.nodeType === Node.TEXT_NODE
        ? walker.currentNode : walker.nextNode();
      return next ? starts.get(next) : [...text].length;
    };
    return trim(text, at(range.startContainer, range.startOffset),
      at(range.endContainer, range.endOffset));
  }
  const { selectionStart, selectionEnd, value } = field;
  if (value !== text || selectionStart === selectionEnd) return null;
  return trim(text, [...value.slice(0, selectionStart)].length,
    [...value.slice(0, selectionEnd)].length);
}

function trim(text, start, end) {
  const chars = [...text];
  while (start < end && !chars[start].trim()) start++;
  while (end > start && !chars[end - 1].trim()) end--;
  return start < end ? [start, end] : null;
}
