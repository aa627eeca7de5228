/**
 * Reads the YAML of a contract that this project's service is to serve: the document, as any tool reads it,
 * and its operations, as the service does. The service itself starts from what codegen has written
 * (packages/service/src/contract/generated.ts).
 */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { type ApiDocument, readDocument } from '../../../contract-tools/index.js';
import { ContractError } from '../../../exact-json/index.js';
import { type Contract, contractOf } from '../../../service/layer.js';

/** A contract that was read from its YAML, not from generated/. */
export interface WrittenContract extends Contract {
  readonly document: ApiDocument;
}

/**
 * @param file the path of the YAML
 * @throws {ContractError} if the document is not valid, or this server cannot serve it
 * @throws {Error} of Node.js, if the file cannot be read
 */
export async function readContract(file: string): Promise<WrittenContract> {
  return readContractText(await readFile(file, 'utf8'), file);
}

/**
 * @param text the YAML
 * @param file the path for `file` and for places
 * @throws {ContractError} if the document is not valid, or this server cannot serve it
 */
export async function readContractText(text: string, file: string): Promise<WrittenContract> {
  return contractOfDocument(readDocument(text, relative(process.cwd(), file)), file);
}

/**
 * @param file the path of the YAML that the document was read from
 * @throws {ContractError} if this server cannot serve the document
 */
export function contractOfDocument(document: ApiDocument, file: string): WrittenContract {
  if (document.faults.length > 0) throw new ContractError(document.faults);
  const { text, root, place } = document;
  return { ...contractOf({ file, text, root, place }), document };
}
