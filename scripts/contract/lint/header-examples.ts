import { valueAt } from '../../../src/contract/document/json-pointer.js';
import { type ContractSchema, compileSchema } from '../../../src/contract/schema/schema.js';
import { Node } from '../diff/node.js';
import type { OwnProblem, ParsedContract } from './own-rules.js';

/** Examples of response headers that do not fit their schemas: the mock would send them. */
export function invalidHeaderExamples(contract: ParsedContract): OwnProblem[] {
  return headersOfResponses(Node.root(contract)).flatMap((header) => {
    const node = header.get('example');
    // The parser has checked the document, and puts the referenced schemas at the same places.
    const schema = valueAt(contract.resolved, [...header.path, 'schema']) as ContractSchema | undefined;
    if (node === undefined || schema === undefined) return [];
    const misfit = compileSchema(schema, 'response')(contract.exactly(node.path));
    if (misfit === undefined) return [];
    return [{ node, rule: 'invalid-header-example', message: `The example ${misfit.message}.` }];
  });
}

function headersOfResponses(root: Node): Node[] {
  const operations =
    root
      .get('paths')
      ?.children()
      .flatMap((path) => path.children()) ?? [];
  const responses = operations.flatMap((operation) => operation.get('responses')?.children() ?? []);
  const headers = responses.flatMap((response) => response.get('headers')?.children() ?? []);
  // Several responses may share one header.
  return [...new Map(headers.map((one) => [one.key, one])).values()];
}
