/** A contract as the service reads it: its form, its operations, and the place of each node. */
import type { Node, Path } from '../../../exact-json/index.js';
import { type Operation, operationsOf } from './document/operations.js';

/** A valid document that this server can serve. */
export interface Contract {
  /** The path of the YAML. */
  readonly file: string;
  /** The file's text, byte for byte. */
  readonly text: string;
  /** The `title` and the `version` of the document. */
  readonly title: string;
  readonly version: string;
  /** The top of the form, in which all versions of OpenAPI are one. Integers are bigints. */
  readonly root: Node;
  readonly operations: readonly Operation[];
  /** @returns where a path of the form stands in the YAML, such as `openapi/plants.yaml:12:3` */
  place(path: Path): string;
}

/**
 * Reads the operations of a document.
 *
 * @throws {ContractError} if this server cannot serve the document
 */
export function contractOf({
  file,
  text,
  root,
  place,
}: Pick<Contract, 'file' | 'text' | 'root' | 'place'>): Contract {
  const info = root.at('info');
  return {
    ...{ file, text, root, place },
    title: info?.text('title') ?? '',
    version: info?.text('version') ?? '',
    operations: operationsOf(root),
  };
}
