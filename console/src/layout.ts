// Places boxes that are connected by lines on a plane: each connected group in columns by distance from its most connected
// box, the groups beside each other. Linear in boxes and lines but for sorting, so it takes milliseconds for thousands.

export interface Box {
  name: string;
  width: number;
  height: number;
}

export interface Placed extends Box {
  x: number;
  y: number;
}

const GAP = { x: 90, y: 24 };

/** The places of all boxes, and the size of the plane. */
export function place(boxes: Box[], lines: [string, string][]): { boxes: Map<string, Placed>; width: number; height: number } {
  const byName = new Map(boxes.map((box) => [box.name, box]));
  const neighbours = new Map<string, Set<string>>(boxes.map(({ name }) => [name, new Set()]));
  for (const [one, other] of lines) {
    if (one === other || !byName.has(one) || !byName.has(other)) continue;
    neighbours.get(one)!.add(other);
    neighbours.get(other)!.add(one);
  }
  const degree = (name: string) => neighbours.get(name)!.size;
  const order = [...boxes].sort((a, b) => degree(b.name) - degree(a.name) || a.name.localeCompare(b.name));
  const seen = new Set<string>();
  const groups: { boxes: Placed[]; width: number; height: number }[] = [];
  for (const root of order) {
    if (seen.has(root.name)) continue;
    groups.push(inColumns(layersFrom(root.name, neighbours, seen), byName, neighbours));
  }
  return beside(groups);
}

/** The names at each distance from a root. */
function layersFrom(root: string, neighbours: Map<string, Set<string>>, seen: Set<string>): string[][] {
  const layers = [[root]];
  seen.add(root);
  for (let layer = layers[0]!; layer.length;) {
    const next: string[] = [];
    for (const name of layer) {
      for (const neighbour of neighbours.get(name)!) {
        if (seen.has(neighbour)) continue;
        seen.add(neighbour);
        next.push(neighbour);
      }
    }
    if (next.length) layers.push(next);
    layer = next;
  }
  return layers;
}

/** A group in columns. A tall layer takes several; in each, boxes stand near those that they are connected with. */
function inColumns(layers: string[][], byName: Map<string, Box>, neighbours: Map<string, Set<string>>) {
  const all = layers.flat().map((name) => byName.get(name)!);
  const area = all.reduce((sum, box) => sum + (box.height + GAP.y) * (box.width + GAP.x), 0);
  const tallest = Math.max(Math.sqrt(area) * 0.9, ...all.map(({ height }) => height));
  const middle = new Map<string, number>();
  const placed: Placed[] = [];
  let x = 0;
  for (const layer of layers) {
    const wish = (name: string) => {
      const known = [...neighbours.get(name)!].map((neighbour) => middle.get(neighbour)).filter((place) => place !== undefined);
      return known.length ? known.reduce((sum, place) => sum + place, 0) / known.length : 0;
    };
    const sorted = layer.map((name) => [name, wish(name)] as const).sort((a, b) => a[1] - b[1] || a[0].localeCompare(b[0]));
    let column: Placed[] = [];
    let y = 0;
    const close = () => {
      const offset = (tallest - y + GAP.y) / 2;
      for (const box of column) {
        box.y += offset;
        middle.set(box.name, box.y + box.height / 2);
      }
      placed.push(...column);
      x += Math.max(...column.map(({ width }) => width)) + GAP.x;
      [column, y] = [[], 0];
    };
    for (const [name] of sorted) {
      const box = byName.get(name)!;
      if (column.length && y + box.height > tallest) close();
      column.push({ ...box, x, y });
      y += box.height + GAP.y;
    }
    close();
  }
  const top = Math.min(...placed.map(({ y }) => y));
  for (const box of placed) box.y -= top;
  return { boxes: placed, width: x - GAP.x, height: Math.max(...placed.map(({ y, height }) => y + height)) };
}

/** Groups beside each other in rows, the tallest first. */
function beside(groups: { boxes: Placed[]; width: number; height: number }[]) {
  const area = groups.reduce((sum, { width, height }) => sum + (width + GAP.x) * (height + GAP.y), 0);
  const widest = Math.max(Math.sqrt(area) * 1.3, ...groups.map(({ width }) => width));
  const boxes = new Map<string, Placed>();
  let [x, y, row, width] = [0, 0, 0, 0];
  for (const group of groups.sort((a, b) => b.height - a.height)) {
    if (x && x + group.width > widest) {
      y += row + GAP.y * 2;
      [x, row] = [0, 0];
    }
    for (const box of group.boxes) boxes.set(box.name, { ...box, x: box.x + x, y: box.y + y });
    width = Math.max(width, x + group.width);
    row = Math.max(row, group.height);
    x += group.width + GAP.x / 2;
  }
  return { boxes, width, height: y + row };
}
