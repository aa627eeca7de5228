/**
 * The formats of texts that the checker knows: how it judges a text of one, and which texts of one it sends.
 * It sends the usual spelling, so that a server that normalises texts still sends back what it was sent.
 */
import type { Node } from '../document/node.js';
import { filesOf } from './files.js';

interface Format {
  /**
   * Matches every text of the format, and some others: a server's answer is not blamed for a rare spelling.
   */
  readonly pattern?: RegExp;
  readonly texts: readonly string[];
}

const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  [
    'date',
    {
      pattern: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
      texts: ['2024-02-29', '1999-12-31', '2000-01-01', '1970-01-01', '2038-01-20'],
    },
  ],
  ['time', { pattern: /^\d{2}:\d{2}:\d{2}/, texts: ['12:30:00Z', '00:00:00Z', '23:59:59Z'] }],
  [
    'date-time',
    {
      pattern:
        /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/,
      texts: ['2024-02-29T12:30:00Z', '1999-12-31T23:59:59Z', '1970-01-01T00:00:00Z'],
    },
  ],
  ['duration', { pattern: /^PT?\d/i, texts: ['P1D', 'PT30M', 'P1Y2M3DT4H5M6S'] }],
  ['email', { pattern: /^.+@[^@\s]+$/, texts: ['a@example.org', 'first.last+tag@sub.example.org'] }],
  ['hostname', { texts: ['example.org', 'a-b.example.org'] }],
  ['ipv4', { pattern: /^\d{1,3}(\.\d{1,3}){3}$/, texts: ['192.0.2.1', '0.0.0.0', '255.255.255.255'] }],
  ['ipv6', { pattern: /^(?=[^:]*:)[0-9a-f:.]*$/i, texts: ['2001:db8::1', '::1'] }],
  ['uri', { pattern: /^[a-z][a-z0-9+.-]*:/i, texts: ['https://example.org/a?b=c#d', 'urn:example:a'] }],
  ['uri-reference', { texts: ['/a/b?c', 'https://example.org/'] }],
  [
    'uuid',
    {
      pattern: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
      texts: ['123e4567-e89b-42d3-a456-426614174000', '00000000-0000-4000-8000-000000000000'],
    },
  ],
  ['byte', { texts: ['YQ==', 'YWJj', ''] }],
  ['json-pointer', { texts: ['', '/a/0'] }],
  ['relative-json-pointer', { texts: ['0', '1/a'] }],
  ['regex', { texts: ['^a+$', '[0-9]{2}'] }],
]);

/** Whether a text is certainly not of a format. */
export function isNotOf(format: string, text: string): boolean {
  return formats.get(format)?.pattern?.test(text) === false;
}

/** Returns texts of the format that the schemas ask for; undefined if they ask for none that is known. */
export function formattedTexts(layers: readonly Node[]): readonly string[] | undefined {
  const asked = layers.flatMap((layer) => layer.text('format') ?? []);
  return asked
    .map((format) => formats.get(format)?.texts ?? filesOf(format))
    .find((texts) => texts !== undefined);
}

/**
 * Whether a schema has a format of which nothing is known here. OpenAPI 3.0.3, "Data Types": a format may
 * be any word. `password` only says how to show a text, and `binary` allows any bytes, so these two limit
 * nothing.
 */
export function hasUnknownFormat(layers: readonly Node[]): boolean {
  return layers.some((layer) => {
    const format = layer.text('format') ?? 'password';
    const isFree = format === 'password' || format === 'binary';
    return !isFree && !formats.has(format) && filesOf(format) === undefined;
  });
}

/** What one step later is, in milliseconds, for the formats of dates and times. */
const steps: Readonly<Record<string, number>> = { date: 86_400_000, time: 60_000, 'date-time': 3_600_000 };

/** @returns a text that is so many steps later, or earlier if they are below 0; undefined if the format has no order */
export function laterText(format: string, value: unknown, count: number): string | undefined {
  const step = steps[format];
  if (step === undefined || typeof value !== 'string') return undefined;
  const start = Date.parse(format === 'time' ? `2024-02-29T${value}` : value);
  if (Number.isNaN(start)) return undefined;
  const text = new Date(start + count * step).toISOString().replace('.000Z', 'Z');
  if (format === 'date-time') return text;
  return format === 'date' ? text.slice(0, 10) : text.slice(11);
}
