/** Texts of string formats, each in its only spelling, so that it comes back as it was sent. */
import fc from 'fast-check';
import type { Node } from './node.js';

const samples: ReadonlyMap<string, readonly string[]> = new Map([
  ['date', ['2024-02-29', '1999-12-31', '2000-01-01', '1970-01-01', '2038-01-20']],
  ['time', ['12:30:00Z', '00:00:00Z', '23:59:59Z']],
  ['date-time', ['2024-02-29T12:30:00Z', '1999-12-31T23:59:59Z', '1970-01-01T00:00:00Z']],
  ['duration', ['P1D', 'PT30M', 'P1Y2M3DT4H5M6S']],
  ['email', ['a@example.org', 'first.last+tag@sub.example.org']],
  ['hostname', ['example.org', 'a-b.example.org']],
  ['ipv4', ['192.0.2.1', '0.0.0.0', '255.255.255.255']],
  ['ipv6', ['2001:db8::1', '::1']],
  ['uri', ['https://example.org/a?b=c#d', 'urn:example:a']],
  ['uri-reference', ['/a/b?c', 'https://example.org/']],
  ['uuid', ['123e4567-e89b-42d3-a456-426614174000', '00000000-0000-4000-8000-000000000000']],
  ['byte', ['YQ==', 'YWJj', '']],
  ['json-pointer', ['', '/a/0']],
  ['relative-json-pointer', ['0', '1/a']],
  ['regex', ['^a+$', '[0-9]{2}']],
]);

/** Texts of the format that the schemas ask for; undefined if none is known. */
export function formattedTexts(layers: readonly Node[]): readonly string[] | undefined {
  return layers.map((layer) => samples.get(layer.text('format') ?? '')).find((texts) => texts !== undefined);
}

/**
 * OpenAPI 3.0.3, "Data Types": a format may be anything; `password` only says how to show a text, and
 * `binary` any bytes.
 */
export function hasUnknownFormat(layers: readonly Node[]): boolean {
  return layers.some((layer) => {
    const format = layer.text('format') ?? 'password';
    return !samples.has(format) && format !== 'password' && format !== 'binary';
  });
}

export function anyFormattedText(layers: readonly Node[]): fc.Arbitrary<string> | undefined {
  const texts = formattedTexts(layers);
  if (texts === undefined) return undefined;
  const uuid = layers.some((layer) => layer.text('format') === 'uuid');
  return uuid ? fc.uuid({ version: 4 }) : fc.constantFrom(...texts);
}
