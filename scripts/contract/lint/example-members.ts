import type { JsonValue } from '../../../src/schema/json.js';
import { type Path, valueAt } from '../../../src/schema/json-pointer.js';
import { unknownMemberRemoval } from '../../../src/schema/known-members.js';
import type { ContractSchema } from '../../../src/schema/schema.js';
import { Node } from '../diff/node.js';
import type { ParsedDocument } from '../document/document.js';
import { type Problem, problemAt } from './problem.js';

/**
 * Finds members of a request's example that no schema names, such as a misspelt one: the service would ignore
 * them, and a reader of the documentation would send them in vain.
 */
export function unknownExampleMembers(contract: ParsedDocument): Problem[] {
  return mediaTypesOfRequests(Node.root(contract)).flatMap((media) => {
    // The parser has checked the document, and puts the referenced schemas at the same places.
    const schema = valueAt(contract.resolved, [...media.path, 'schema']) as ContractSchema | undefined;
    const remove = schema && unknownMemberRemoval([schema]);
    if (remove === undefined) return [];
    return examplesOf(media).flatMap((example) => {
      const written = contract.exactly(example.path);
      const known = structuredClone(written);
      remove(known);
      return removedMembers(written, known).map((member): Problem => {
        const message = `No schema names "${member.join('.')}", so the service ignores it: correct the name, or remove it.`;
        const node = member.reduce<Node | undefined>((outer, key) => outer?.get(key), example) ?? example;
        return problemAt(node.place, 'unknown-example-member', message);
      });
    });
  });
}

function mediaTypesOfRequests(root: Node): Node[] {
  const operations =
    root
      .get('paths')
      ?.children()
      .flatMap((path) => path.children()) ?? [];
  const bodies = operations.flatMap((operation) => operation.get('requestBody') ?? []);
  const media = bodies.flatMap((body) => body.get('content')?.children() ?? []);
  // Several operations may share one body.
  return [...new Map(media.map((one) => [one.key, one])).values()];
}

function examplesOf(media: Node): Node[] {
  const named = media.get('examples')?.children() ?? [];
  return [media.get('example'), ...named.map((example) => example.get('value'))].flatMap((one) => one ?? []);
}

function removedMembers(written: JsonValue, known: JsonValue): Path[] {
  if (typeof written !== 'object' || written === null) return [];
  const after = new Map(Object.entries(known ?? {}));
  return Object.entries(written).flatMap(([name, value]) => {
    const key = Array.isArray(written) ? Number(name) : name;
    const left = after.get(name);
    return left === undefined ? [[key]] : removedMembers(value, left).map((path) => [key, ...path]);
  });
}
