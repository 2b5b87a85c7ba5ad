// What a reader corrects: pairs of mentions, and mentions to add and to drop.

const same = (a, b) => a[0] === b[0] && a[1] === b[1];
const names = (pair, mention) => pair.some((one) => same(one, mention));

export class Corrections {
  constructor() {
    this.list = [];
  }

  // kind: "together", "apart", "add" or "drop"; mentions: pairs of offsets. What says
  // the opposite, or the same, is replaced.
  add(kind, ...mentions) {
    const isPair = mentions.length > 1;
    this.list = this.list.filter((one) => {
      if (isPair && one.mentions.length > 1) {
        return !mentions.every((mention) => names(one.mentions, mention));
      }
      if (isPair) return one.kind !== "drop" || !names(mentions, one.mentions[0]);
      if (kind === "drop") return !names(one.mentions, mentions[0]);
      return !(one.mentions.length === 1 && names(one.mentions, mentions[0]));
    });
    this.list.push({ kind, mentions });
  }

  remove(correction) {
    this.list = this.list.filter((one) => one !== correction);
  }

  toJSON() {
    const of = (kind) => this.list.filter((one) => one.kind === kind);
    return {
      together: of("together").map((one) => one.mentions),
      apart: of("apart").map((one) => one.mentions),
      add: of("add").map((one) => one.mentions[0]),
      drop: of("drop").map((one) => one.mentions[0]),
    };
  }
}
