/**
 * Asks swagger-parser for a second opinion on the contract that the service is to serve.
 *
 * This project's own reader judges a contract first, and is stricter. But consumers generate their clients
 * with tools of their own, many of which read by swagger-parser, and a contract that is refused there is of
 * no use to them. Three things are known that ours takes and swagger-parser refuses:
 *
 * - a version of OpenAPI that it does not know, such as 3.2.0
 * - an unknown member beside a `$ref` in 3.0, which OpenAPI ignores, and swagger-parser merges
 * - a `$ref` in an example or an extension that leads nowhere: it is data, and swagger-parser follows it
 *
 * References that lead in a circle, or many to one schema, are fine with both.
 *
 * The cost: a tenth of a second, because swagger-parser compiles the schema of OpenAPI for each document. So
 * the tools for any contract and the start of the service do not ask.
 */
import SwaggerParser from '@apidevtools/swagger-parser';
import {
  type ApiDocument,
  type SchemaError,
  schemaFaults,
  withDoubles,
} from '../../../contract-tools/index.js';
import { ContractError, isReference, memberAt, messageOf, type Path } from '../../../exact-json/index.js';

const by = 'swagger-parser, by which many generators read a contract,';

/** @throws {ContractError} with a sentence for each fault, if swagger-parser refuses the document */
export async function askSwaggerParser({ written, place }: ApiDocument): Promise<void> {
  const parser = new SwaggerParser();
  try {
    // It changes its argument, which is a copy here. Its types have those of a valid document.
    await parser.validate(withDoubles(written) as Parameters<typeof parser.validate>[0], {
      resolve: { external: false },
      dereference: { circular: 'ignore' },
    });
  } catch (error) {
    throw new ContractError(faultsOf(error, written, parser.api, place));
  }
}

/** @param resolved the document as far as swagger-parser has replaced references, to which its errors refer */
function faultsOf(
  error: unknown,
  written: unknown,
  resolved: unknown,
  place: ApiDocument['place'],
): string[] {
  const details = memberAt(error, 'details');
  if (Array.isArray(details)) {
    // These are the errors of Ajv.
    const told = schemaFaults(details as SchemaError[], resolved, [], place);
    return told.map((sentence) => `${sentence} So says ${by.slice(0, -1)}.`);
  }
  const target = memberAt(error, 'targetRef');
  const reference = pathOfReferenceTo(target, written, []);
  if (reference !== undefined)
    return [
      `${place([...reference, '$ref'])}: ${by} finds no ${target}, because it follows references in data, too: give the member another name, or correct it.`,
    ];
  // What is left is about the whole document: its version, or that it has no paths.
  return [`${place(['openapi'])}: ${by} refuses the document: ${messageOf(error)}`];
}

/** @returns where the first such reference stands, in data as elsewhere */
function pathOfReferenceTo(target: unknown, value: unknown, path: Path): Path | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (isReference(value) && value.$ref === target) return path;
  for (const [key, below] of Object.entries(value)) {
    const found = pathOfReferenceTo(target, below, [...path, Array.isArray(value) ? Number(key) : key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
