import type { JsonValue, Node, Path } from '../../../exact-json/index.js';
import { type SchemaReader, schemaReader, unknownMemberRemoval } from '../../../service/layer.js';
import { writtenOperations } from '../document/operations.js';
import { type Problem, problemAt } from './problem.js';

/**
 * Finds members of a request's example that no schema names, such as a misspelt one: the service would ignore
 * them, and a reader of the documentation would send them in vain.
 *
 * @param root the top of a document
 */
export function unknownExampleMembers(root: Node): Problem[] {
  const schemaOf = schemaReader();
  return mediaTypesOfRequests(root).flatMap((media) => problemsOf(media, schemaOf));
}

function mediaTypesOfRequests(root: Node): Node[] {
  const bodies = writtenOperations(root).flatMap(({ node }) => node.at('requestBody') ?? []);
  const media = bodies.flatMap((body) => body.list('content'));
  // Several operations may share one body.
  return [...new Map(media.map((one) => [one.key, one])).values()];
}

function problemsOf(media: Node, schemaOf: SchemaReader): Problem[] {
  const schema = media.at('schema');
  const remove = schema && unknownMemberRemoval([schemaOf(schema)]);
  if (remove === undefined) return [];
  const examples = media.list('examples').flatMap((example) => example.at('value') ?? []);
  return examples.flatMap((example) => {
    const known = structuredClone(example.value);
    remove(known);
    return removedMembers(example.value, known).map((member) => {
      const message = `No schema names "${member.join('.')}", so the service ignores it: correct the name, or remove it.`;
      return problemAt(example.at(...member)?.place ?? example.place, 'unknown-example-member', message);
    });
  });
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
