/** A contract as the service reads it: the document, its operations, and the place of each node. */
import type { OpenAPIV3 } from 'openapi-types';
import type { Path } from '../schema/json-pointer.js';
import type { Operation } from './document/operations.js';

/** A valid document that this server can serve. */
export interface Contract {
  /** The path of the YAML. */
  readonly file: string;
  /** The file's text, byte for byte. */
  readonly text: string;
  /**
   * The document with its `$ref`, but without what stands beside them. `x-exact-…` has digits that no double
   * holds.
   */
  readonly document: OpenAPIV3.Document;
  readonly operations: readonly Operation[];
  /** The document with each `$ref` replaced by what it leads to. */
  readonly resolved: OpenAPIV3.Document;
  /** @returns where the path stands in the YAML, such as `openapi/plants.yaml:12:3` */
  place(path: Path): string;
}
