import type { Node } from '../../../exact-json/index.js';
import { writtenOperations } from '../document/operations.js';
import { allLayersOf, itemSchemas } from '../values/layers.js';
import { patternOf } from '../values/patterns.js';
import { type Problem, problemAt } from './problem.js';

/**
 * Finds members of a request's example that no schema names, such as a misspelt one: the service would ignore
 * them, and a reader of the documentation would send them in vain.
 *
 * @param root the top of a document
 */
export function unknownExampleMembers(root: Node): Problem[] {
  return mediaTypesOfRequests(root).flatMap((media) => {
    const schemas = [media.at('schema') ?? []].flat();
    const examples = media.list('examples').flatMap((example) => example.at('value') ?? []);
    return examples.flatMap((example) =>
      unknownMembers(example, schemas).map((member) => problemOf(member, example)),
    );
  });
}

function mediaTypesOfRequests(root: Node): Node[] {
  const bodies = writtenOperations(root).flatMap(({ node }) => node.at('requestBody') ?? []);
  const media = bodies.flatMap((body) => body.list('content'));
  // Several operations may share one body.
  return [...new Map(media.map((one) => [one.key, one])).values()];
}

/** @returns the members of a part of an example that none of the schemas of this part names */
function unknownMembers(part: Node, schemas: readonly Node[]): Node[] {
  const layers = allLayersOf(schemas);
  if (Array.isArray(part.value))
    return part.members().flatMap(([, item], index) => unknownMembers(item, itemSchemas(layers, index)));
  if (!layers.some(describesMembers)) return [];
  return part.members().flatMap(([name, member]) => {
    const named = layers.flatMap((layer) => schemasOfMember(layer, name));
    if (named.length > 0) return unknownMembers(member, named);
    return layers.some(isOpen) ? [] : [member];
  });
}

function describesMembers(layer: Node): boolean {
  return ['properties', 'patternProperties'].some((keyword) => layer.at(keyword) !== undefined);
}

function schemasOfMember(layer: Node, name: string): Node[] {
  const patterns = layer.at('patternProperties')?.members() ?? [];
  return [
    ...[layer.at('properties', name) ?? []].flat(),
    ...patterns.flatMap(([pattern, schema]) => (patternOf(pattern)?.test(name) === true ? [schema] : [])),
  ];
}

/** Whether a schema lets in, by name, members that it does not describe. */
function isOpen(layer: Node): boolean {
  return ['additionalProperties', 'unevaluatedProperties'].some((keyword) => {
    const others = layer.at(keyword);
    return others !== undefined && others.value !== false;
  });
}

function problemOf(member: Node, example: Node): Problem {
  const path = member.path.slice(example.path.length).join('.');
  const message = `No schema names "${path}", so the service ignores it: correct the name, or remove it.`;
  return problemAt(member.place, 'unknown-example-member', message);
}
