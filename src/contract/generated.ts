/**
 * The start takes the document from generated/, where `npm run codegen` has written it: parsed, checked, and
 * with its references resolved. It only proves that the YAML is the one that codegen has read. To parse and
 * to resolve the YAML again would take two packages and a seventh of the start's processor time.
 */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { ContractError } from '../schema/contract-error.js';
import { type Path, pointerTo } from '../schema/json-pointer.js';
import type { Contract } from './contract.js';
import { digestOf } from './document/digest.js';
import { operationsOf } from './document/operations.js';

/** The document as codegen writes it into generated/. */
export interface GeneratedDocument extends Pick<Contract, 'document' | 'resolved'> {
  /** The digest of the YAML's text, as `digestOf` makes it. */
  readonly digest: string;
  /** The line and the column of each node, such as `12:3`, by its JSON pointer into `document`. */
  readonly places: Readonly<Record<string, string>>;
}

/**
 * @param file the path of the YAML
 * @throws {ContractError} if the document was made from another text than the file has
 * @throws {Error} of Node.js, if the file cannot be read
 */
export async function readGenerated(file: string, generated: GeneratedDocument): Promise<Contract> {
  const { digest, document, resolved, places } = generated;
  const text = await readFile(file, 'utf8');
  const name = relative(process.cwd(), file);
  if (digestOf(text) !== digest) {
    throw new ContractError(
      `${name}:1:1: generated/ was made from another document: run "npm run codegen", and start again.`,
    );
  }
  const place = (path: Path) => `${name}:${placeAt(places, path)}`;
  return { file, text, document, resolved, place, operations: operationsOf(resolved, place) };
}

/**
 * A path that leads through a `$ref` has no place of its own below it, so it gets the place of the nearest
 * node above.
 */
function placeAt(places: GeneratedDocument['places'], path: Path): string {
  const pointer = path.reduce<string>((parent, key) => pointerTo(parent, String(key)), '');
  return places[pointer] ?? placeAt(places, path.slice(0, -1));
}
