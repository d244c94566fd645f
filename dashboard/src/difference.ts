// The difference of two texts, line by line: the longest common subsequence.

export interface Line {
  kind: "same" | "added" | "removed";
  text: string;
}

export function difference(before: string, after: string): Line[] {
  const old = before.split("\n");
  const now = after.split("\n");
  // lengths[i][j]: how many lines old[i…] and now[j…] have in common.
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      lengths[i]![j] = old[i] === now[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ kind: "same", text: now[j]! });
      i += 1;
      j += 1;
    } else if (j < now.length && (i === old.length || lengths[i]![j + 1]! >= lengths[i + 1]![j]!)) {
      lines.push({ kind: "added", text: now[j]! });
      j += 1;
    } else {
      lines.push({ kind: "removed", text: old[i]! });
      i += 1;
    }
  }
  return lines;
}
