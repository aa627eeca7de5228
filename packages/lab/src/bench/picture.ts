/**
 * Draws the picture of docs/benchmarks.md: requests a second over connections, a panel for each kind of
 * request.
 */
import { type Measured, median, type Series } from './rounds.js';

const colours = ['#1a7f37', '#0969da', '#8250df', '#bf3989', '#9a6700', '#57606a'];
const panel = { width: 370, height: 240, left: 52, right: 24, top: 30, bottom: 34 };
const legendHeight = 28;
/** The distance between the beginnings of two words of the legend, besides their letters. */
const legendGap = 36;
const letterWidth = 5.6;
const perRow = 2;

/**
 * @param measured throughputs, each over several numbers of connections
 * @returns the text of an SVG file
 */
export function picture(measured: readonly Measured[]): string {
  const titles = [
    ...new Map(measured.flatMap(({ series }) => series.map(({ name, title }) => [name, title]))).values(),
  ];
  const width = perRow * panel.width;
  const height = Math.ceil(measured.length / perRow) * panel.height + legendHeight;
  const legend = titles.map((title, at) => {
    const before = titles.slice(0, at).reduce((sum, { length }) => sum + length, 0);
    const x = Math.round(panel.left + at * legendGap + before * letterWidth);
    const y = height - 10;
    return `<path d="M${x} ${y - 4}h16" stroke="${colours[at]}" stroke-width="3"/>${text(x + 20, y, title)}`;
  });
  const panels = measured.map((one, at) => {
    const corner = `${(at % perRow) * panel.width} ${Math.floor(at / perRow) * panel.height}`;
    return `<g transform="translate(${corner})">${panelOf(one, titles)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" font-family="sans-serif" font-size="11">`,
    '<title>Requests a second over connections</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...panels,
    ...legend,
    '</svg>\n',
  ].join('\n');
}

function panelOf({ title, series }: Measured, titles: readonly string[]): string {
  const counts = [...new Set(series.map(({ at }) => at))];
  const max = 5_000 * Math.ceil(Math.max(...series.map(({ values }) => median(values))) / 5_000);
  // The numbers of connections stand at equal distances, as on a logarithmic axis.
  const x = (at: number) =>
    panel.left +
    (counts.indexOf(at) * (panel.width - panel.left - panel.right)) / Math.max(1, counts.length - 1);
  const y = (perSecond: number) =>
    panel.height - panel.bottom - (perSecond / max) * (panel.height - panel.top - panel.bottom);
  const lines = titles.map((contestant, index) => {
    const own = series.filter((one: Series) => one.title === contestant);
    const points = own.map(({ at, values }) => `${x(at).toFixed(1)},${y(median(values)).toFixed(1)}`);
    const width = index === 0 ? 3 : 1.5;
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${colours[index]}" stroke-width="${width}"/>`;
  });
  const ticks = [0, max / 2, max].map(
    (value) =>
      `<path d="M${panel.left} ${y(value)}H${panel.width - panel.right}" stroke="#d0d7de"/>` +
      text(panel.left - 6, y(value) + 4, value.toLocaleString('en'), 'end'),
  );
  const names = counts.map((at) =>
    text(x(at), panel.height - panel.bottom + 16, at.toLocaleString('en'), 'middle'),
  );
  const head = `<text x="${panel.left}" y="18" font-weight="bold" fill="#1f2328">${title}, by connections</text>`;
  return [head, ...ticks, ...names, ...lines].join('\n');
}

function text(x: number, y: number, words: string, anchor = 'start'): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="#1f2328">${words}</text>`;
}
