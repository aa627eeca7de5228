import { written } from './report.js';
import type { Measured, Series } from './results.js';
import { type Summary, summarize } from './statistics.js';
import { escaped, round, text } from './svg.js';

const width = 760;
const margin = { top: 44, right: 24, bottom: 44, left: 24 };
/** Colours that colour-blind readers can tell apart (Okabe and Ito). */
const colours = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#d55e00', '#56b4e9', '#999999'];

/** A picture of a measure: bars for contestants, or lines if the measure is about growing work. */
export function toSvg(measured: Measured): string {
  return measured.axis === undefined ? bars(measured) : lines(measured, measured.axis);
}

function bars(measured: Measured): string {
  const { series } = measured;
  const [labels, row] = [290, 30];
  const height = margin.top + series.length * row + 12;
  const summaries = series.map(({ values }) => summarize(values));
  const greatest = Math.max(...summaries.map((summary) => summary?.high ?? 0));
  const x = (value: number) => labels + (value / greatest) * (width - labels - 110);
  const rows = series.map(({ title: name }, index) => {
    const summary = summaries[index];
    if (summary === undefined) return '';
    const y = margin.top + index * row;
    return [
      text(labels - 8, y + 15, name, 'end'),
      `<rect x="${labels}" y="${y + 2}" width="${round(x(summary.median) - labels)}" height="17" fill="${colours[index === 0 ? 0 : 6]}"/>`,
      whisker(x(summary.low), x(summary.high), y + 10.5),
      text(x(summary.high) + 8, y + 15, written(summary.median)),
    ].join('');
  });
  return picture(height, headingOf(measured), rows);
}

function headingOf({ title, unit, better }: Measured): string {
  return `${title}${unit === 'per second' ? '' : `, ${unit}`} (${better} is better)`;
}

function whisker(from: number, to: number, y: number): string {
  return `<path d="M${round(from)} ${y}H${round(to)}M${round(from)} ${y - 4}v8M${round(to)} ${y - 4}v8" stroke="#000" fill="none"/>`;
}

function lines(measured: Measured, axis: string): string {
  const { series } = measured;
  const height = 340;
  const summaries = series.map(({ values }) => summarize(values));
  const places = [...new Set(series.map(({ at = 0 }) => at))].sort((a, b) => a - b);
  const greatest = Math.max(...summaries.map((summary) => summary?.high ?? 0));
  const [left, right, top, bottom] = [90, width - margin.right, 74, height - margin.bottom];
  // Evenly spaced, because the amounts grow by about the same factor.
  const x = (at: number) =>
    left + 20 + (places.indexOf(at) / Math.max(1, places.length - 1)) * (right - left - 40);
  const y = (value: number) => bottom - (value / greatest) * (bottom - top);
  const names = [...new Map(series.map(({ name, title }) => [name, title]))];
  const grid = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const value = part * greatest;
    return `<path d="M${left} ${round(y(value))}H${right}" stroke="#ddd"/>${text(left - 8, y(value) + 4, written(value), 'end')}`;
  });
  const ticks = places.map((at) => text(x(at), bottom + 18, at.toLocaleString('en'), 'middle'));
  const curves = names.map(([name, label], index) => {
    const colour = colours[index] ?? '#000';
    const points = series.flatMap((one, place) => pointOf(one, summaries[place], name) ?? []);
    const path = points.map(({ at, median }) => `${round(x(at))} ${round(y(median))}`).join('L');
    const spreads = points.map(
      ({ at, low, high }) =>
        `<path d="M${round(x(at))} ${round(y(low))}V${round(y(high))}" stroke="${colour}"/>`,
    );
    const dots = points.map(
      ({ at, median }) => `<circle cx="${round(x(at))}" cy="${round(y(median))}" r="3.5" fill="${colour}"/>`,
    );
    const legend = `<circle cx="${left + 20 + index * 200}" cy="52" r="4" fill="${colour}"/>${text(left + 30 + index * 200, 56, label)}`;
    return `<path d="M${path}" stroke="${colour}" stroke-width="2" fill="none"/>${spreads.join('')}${dots.join('')}${legend}`;
  });
  const caption = text((left + right) / 2, height - 8, axis, 'middle');
  return picture(height, headingOf(measured), [...grid, ...ticks, ...curves, caption]);
}

function pointOf({ name, at = 0 }: Series, summary: Summary | undefined, wanted: string) {
  return name === wanted && summary !== undefined ? { at, ...summary } : undefined;
}

function picture(height: number, title: string, parts: readonly string[]): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">`;
  const background = `<rect width="${width}" height="${height}" fill="#fff"/>`;
  const heading = `<text x="${margin.left}" y="26" font-size="15" font-weight="bold">${escaped(title)}</text>`;
  return `${[head, background, heading, ...parts, '</svg>'].join('\n')}\n`;
}
