import { digestOf } from '../../../src/contract/document/digest.js';
import type { Contract } from '../../../src/contract/document/document.js';
import { type Path, pointerTo } from '../../../src/contract/document/json-pointer.js';
import type { GeneratedDocument } from '../../../src/contract/start/generated.js';

/** The JSON file in generated/: what the start needs of a contract. */
export function documentOf({ text, document, resolved, place }: Contract): string {
  const generated: GeneratedDocument = {
    digest: digestOf(text),
    document,
    resolved,
    places: Object.fromEntries(placesIn(document, place)),
  };
  // A line for each member: nobody reads the changes of this file, but those of the YAML.
  const lines = Object.entries(generated).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** The line and column of each node, by its JSON pointer. */
function placesIn(document: object, place: Contract['place']): [pointer: string, place: string][] {
  const places: [string, string][] = [];
  const visit = (node: unknown, path: Path, pointer: string): void => {
    const [, lineAndColumn = ''] = /(\d+:\d+)$/.exec(place(path)) ?? [];
    places.push([pointer, lineAndColumn]);
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      visit(value, [...path, Array.isArray(node) ? Number(key) : key], pointerTo(pointer, key));
    }
  };
  visit(document, [], '');
  return places;
}
