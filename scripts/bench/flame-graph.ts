/** A picture of the main thread: each call as wide as its share of the time, below its caller. */
import { escaped, round, text } from './svg.js';

/** The format of Node.js (`--cpu-prof`); times in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** A function in its place below its caller; its calls there are added up. */
interface Call {
  readonly name: string;
  readonly origin: string;
  time: number;
  readonly calls: Map<string, Call>;
}

const width = 1200;
const row = 16;
const header = 60;
/** Calls that take a smaller share of the time are left out. */
const least = 0.002;
/** Colours that colour-blind readers can tell apart (Okabe and Ito). */
const colours: Readonly<Record<string, string>> = {
  'this project': '#56b4e9',
  packages: '#e69f00',
  'Node.js': '#f0e442',
  'V8 and system calls': '#cccccc',
};

/** @param window microseconds before the last sample: only samples between these two are drawn */
export function flameGraph(title: string, profile: CpuProfile, window: readonly [number, number]): string {
  const root = callsOf(profile, window);
  const rows: string[] = [];
  const depth = draw(root, 0, 0, width / root.time, least * root.time, rows);
  const legend = Object.entries(colours).map(
    ([origin, colour], place) =>
      `<rect x="${10 + place * 190}" y="34" width="14" height="14" fill="${colour}"/>${text(30 + place * 190, 46, origin)}`,
  );
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${header + (depth + 1) * row + 8}" font-family="sans-serif" font-size="11">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    `<text x="10" y="22" font-size="15" font-weight="bold">${escaped(title)}</text>`,
    ...legend,
    ...rows,
    '</svg>',
  ].join('\n')}\n`;
}

function callsOf({ nodes, samples, timeDeltas }: CpuProfile, [from, to]: readonly [number, number]): Call {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const root: Call = { name: 'all', origin: 'V8 and system calls', time: 0, calls: new Map() };
  let before = timeDeltas.reduce((sum, delta) => sum + delta, 0);
  for (const [index, sample] of samples.entries()) {
    const time = timeDeltas[index] ?? 0;
    before -= time;
    if (before + time > from || before < to) continue;
    const path: number[] = [];
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) path.unshift(id);
    root.time += time;
    let call = root;
    // The first level is V8's own root.
    for (const id of path.slice(1)) {
      const { functionName = '', url = '' } = byId.get(id)?.callFrame ?? {};
      const key = `${functionName} ${url}`;
      const next = call.calls.get(key) ?? {
        name: nameOf(functionName, url),
        origin: originOf(url),
        time: 0,
        calls: new Map(),
      };
      call.calls.set(key, next);
      next.time += time;
      call = next;
    }
  }
  return root;
}

function nameOf(functionName: string, url: string): string {
  const file = url.replace(/^.*\/node_modules\//, '').replace(/^file:.*\/dist\//, '');
  return `${functionName || '(anonymous)'}${file && ` ${file}`}`;
}

function originOf(url: string): string {
  if (url.startsWith('node:')) return 'Node.js';
  if (url.includes('/node_modules/')) return 'packages';
  return url === '' ? 'V8 and system calls' : 'this project';
}

/** @returns the depth of the deepest call */
function draw(call: Call, x: number, level: number, scale: number, shortest: number, rows: string[]): number {
  const y = header + level * row;
  const wide = round(call.time * scale);
  const share = `${round((100 * call.time * scale) / width)} %`;
  const words = `${call.name} ${share}`;
  // About 6.5 pixels for a character.
  const shown = wide > 30 ? text(x + 3, y + 12, words.slice(0, Math.floor(wide / 6.5))) : '';
  rows.push(
    `<g><title>${escaped(words)}</title><rect x="${round(x)}" y="${y}" width="${wide}" height="${row - 1}" fill="${colours[call.origin]}"/>${shown}</g>`,
  );
  let [deepest, left] = [level, x];
  for (const next of [...call.calls.values()].sort((a, b) => b.time - a.time)) {
    if (next.time < shortest) break;
    deepest = Math.max(deepest, draw(next, left, level + 1, scale, shortest, rows));
    left += next.time * scale;
  }
  return deepest;
}
