/**
 * The start takes the document from generated/, where `npm run codegen` has written it: parsed, checked, and
 * in the one form of all versions. It only proves that the YAML is the one that codegen has read. To read the
 * YAML again would take three packages and more than a tenth of the start's processor time.
 */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { ContractError, Node, type Path, parseJson, pointerOf } from '../../../exact-json/index.js';
import { type Contract, contractOf } from './contract.js';
import { digestOf } from './document/digest.js';

/** The document as codegen writes it into generated/. */
export interface GeneratedDocument {
  /** The digest of the YAML's text, as `digestOf` makes it. */
  readonly digest: string;
  /**
   * The form (packages/contract-tools/src/document/form.ts) as a text of JSON. Node.js would round the integers of JSON
   * that stands in the file itself, because a module of JSON is read by `JSON.parse`.
   */
  readonly form: string;
  /** The line and the column of each node, such as `12:3`, by its JSON pointer into the form. */
  readonly places: Readonly<Record<string, string>>;
}

/** A document is nested as deep as its schemas are. */
const maxDepth = 1_000;

/**
 * @param file the path of the YAML
 * @throws {ContractError} if the document was made from another text than the file has
 * @throws {Error} of Node.js, if the file cannot be read
 */
export async function readGenerated(file: string, generated: GeneratedDocument): Promise<Contract> {
  const { digest, form, places } = generated;
  const text = await readFile(file, 'utf8');
  const name = relative(process.cwd(), file);
  if (digestOf(text) !== digest) {
    throw new ContractError(
      `${name}:1:1: generated/ was made from another document: run "npm run codegen", and start again.`,
    );
  }
  const place = (path: Path) => `${name}:${placeAt(places, path)}`;
  return contractOf({ file, text, root: Node.root({ value: parseJson(form, maxDepth), place }), place });
}

/** A path without a place of its own gets that of the nearest node above. */
function placeAt(places: GeneratedDocument['places'], path: Path): string {
  return places[pointerOf(path)] ?? placeAt(places, path.slice(0, -1));
}
