// Make elements. Text is always inserted as text nodes, so it never runs as HTML.

export const $ = (id) => document.getElementById(id);

export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") element.className = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

export const button = (label, onclick, attributes = {}) =>
  make("button", { type: "button", onclick, ...attributes }, label);

const style = getComputedStyle(document.documentElement);
const count = (name) => Number(style.getPropertyValue(name)) || 1;

// The classes of a cluster, as the pictures of the visualizer choose them.
export function colorOf(cluster) {
  const colors = count("--coref-colors"), lines = count("--coref-underlines");
  return `coref-c${cluster % colors} coref-u${(cluster + Math.floor(cluster / colors)) % lines}`;
}
