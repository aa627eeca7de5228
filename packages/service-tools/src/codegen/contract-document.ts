/**
 * Writes the document of `generated/`: what the service's start needs of a contract, so that it parses no
 * YAML. The file has the digest of the YAML, so that the start can refuse a stale one, and the line and
 * column of each value, for its sentences.
 */

import { type JsonValue, type Path, pointerTo } from '../../../exact-json/index.js';
import { type Contract, digestOf, type GeneratedDocument } from '../../../service/layer.js';

/** @returns the text of the JSON file */
export function documentOf({ text, root, place }: Contract): string {
  const generated: GeneratedDocument = {
    digest: digestOf(text),
    form: jsonText(root.value),
    places: Object.fromEntries(placesIn(root.value, place)),
  };
  // Each member is one line, because people read the changes of the YAML, and not of this file.
  const lines = Object.entries(generated).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** Writes a value so that `parseJson` reads the same: 12n as `12`, and the number 12 as `12.0`. */
function jsonText(value: JsonValue): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value.toFixed(1);
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`,
  );
  return `{${members.join(',')}}`;
}

/** Finds the line and column of each node, such as `12:3`, by its JSON pointer. */
function placesIn(form: JsonValue, place: Contract['place']): [pointer: string, place: string][] {
  const places: [string, string][] = [];
  const visit = (node: JsonValue, path: Path, pointer: string): void => {
    // Short text: it is a place, the name of a file with its line and column.
    const [, lineAndColumn = ''] = /(\d+:\d+)$/.exec(place(path)) ?? [];
    places.push([pointer, lineAndColumn]);
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      visit(value, [...path, Array.isArray(node) ? Number(key) : key], pointerTo(pointer, key));
    }
  };
  visit(form, [], '');
  return places;
}
