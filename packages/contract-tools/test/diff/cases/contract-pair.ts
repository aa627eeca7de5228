/** Makes the two contracts of a case in the table. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Document, isNode, parseDocument } from 'yaml';
import type { Case, Edit } from './case.js';

const documents = join(import.meta.dirname, '..', '..', 'documents');

/** `paths /plants get` → `['paths', '/plants', 'get']` */
export const keysOf = (place: string): string[] => place.split(' ');

/** The texts of the old and of the new contract. */
export async function contractPair(one: Case): Promise<{ base: string; next: string }> {
  const text = await readFile(join(documents, `${one.document}.yaml`), 'utf8');
  const both = one.both ?? [];
  return {
    base: edited(text, [...both, ...(one.base ?? [])]),
    next: edited(text, [...both, ...(one.next ?? [])]),
  };
}

/** The documents that were parsed, by their texts: hundreds of cases edit the same two. */
const parsed = new Map<string, Document>();
/** The texts without an edit, as this file writes them: most old contracts have none. */
const unedited = new Map<string, string>();

function edited(text: string, edits: readonly Edit[]): string {
  const known = unedited.get(text);
  if (edits.length === 0 && known !== undefined) return known;
  const source = parsed.get(text) ?? parseDocument(text, { intAsBigInt: true });
  parsed.set(text, source);
  const yaml = source.clone();
  for (const edit of edits) apply(yaml, edit);
  const result = yaml.toString({ lineWidth: 0 });
  if (edits.length === 0) unedited.set(text, result);
  return result;
}

function apply(yaml: Document, edit: Edit): void {
  const [what, place, third] = edit;
  const node: unknown = yaml.getIn(keysOf(place), true);
  if (what === 'set') {
    yaml.setIn(keysOf(place), yaml.createNode(third, { aliasDuplicateObjects: false }));
    return;
  }
  // An edit that finds nothing would make a case without meaning. Only a keyword may be missing
  // already: the other form of a row can leave it out.
  if (node === undefined && what !== 'remove') throw new Error(`There is nothing at "${place}".`);
  if (what !== 'copy') yaml.deleteIn(keysOf(place));
  // A later edit of the copy must not change what was copied.
  if (what !== 'remove') yaml.setIn(keysOf(third), isNode(node) ? node.clone() : node);
}
