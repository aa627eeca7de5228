/** Describes the operations of the YAML for the probes. Each thing knows its place, which a finding shows. */
import { parse } from 'yaml';
import type { Contract } from '../../../../src/contract/contract.js';
import { type Scheme, schemeOf } from '../../document/credentials.js';
import { plainType, withoutParameters } from '../../document/media-types.js';
import { fromYaml, type Value } from '../values/json.js';
import { Node, type YamlPath } from './node.js';
import { allRules, type Rules } from './rules.js';

const places = ['path', 'query', 'header', 'cookie'] as const;

export interface Parameter {
  readonly name: string;
  readonly in: (typeof places)[number];
  readonly required: boolean;
  /** Whether each item of an array in the query repeats the name (OpenAPI 3.0.3, "explode"). */
  readonly exploded: boolean;
  readonly schema: Node;
  /** The document's examples of its value. */
  readonly examples: readonly Value[];
}

export interface RequestBody {
  readonly required: boolean;
  readonly mediaType: string;
  readonly schema: Node;
  /** The member `x-limits` of the YAML; undefined if there is none. */
  readonly limits: { readonly bytes: number; readonly depth: number } | undefined;
  readonly node: Node;
}

export interface Header {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Node | undefined;
  readonly node: Node;
}

export interface Response {
  /** The key in the document: `404`, `4XX` or `default`. */
  readonly key: string;
  readonly headers: readonly Header[];
  /** The keys are media types, the values the schemas of their bodies. It is empty if there is no body. */
  readonly content: ReadonlyMap<string, Node | undefined>;
  readonly node: Node;
}

/** One of several descriptions with the same id, if the body may have several media types. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** How a credential is sent; undefined if the operation uses none. */
  readonly scheme: Scheme | undefined;
  /** Whether the operation uses a credential, and whether it can do without one. */
  readonly secured: boolean;
  readonly anonymous: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  /**
   * The keys are the documented statuses. A status is looked for by its number, then its range, then
   * `default`.
   */
  readonly responses: ReadonlyMap<number, Response>;
  readonly node: Node;
}

export interface Description {
  /** The file, with its integers as bigints. */
  readonly root: unknown;
  readonly operations: readonly Operation[];
  readonly paths: ReadonlyMap<string, readonly Operation[]>;
  /** The schema that all documented errors share; undefined if they have several, or none. */
  readonly errorSchema: Node | undefined;
  /** The media types of errors. */
  readonly errorTypes: readonly string[];
  /** Members that are the status in every example of an error: so they must be in every error. */
  readonly statusMembers: readonly string[];
  /** The rules that hold beyond OpenAPI and HTTP. */
  readonly rules: Rules;
  /** `openapi/plants.yaml:12:3` */
  place(path: YamlPath): string;
}

/** @param contract as the server's own reader validated it; the YAML is read again without losing digits */
export function describe(contract: Contract, rules = allRules): Description {
  const root: unknown = parse(contract.text, { intAsBigInt: true });
  const paths = new Node(root).at('paths');
  const schemes = new Node(root).at('components', 'securitySchemes');
  const operations = contract.operations.flatMap(
    ({ id, method, path, security, parameters, requestBody }) => {
      const item = paths?.at(path);
      const node = item?.at(method.toLowerCase());
      if (item === undefined || node === undefined) return [];
      const body = node.at('requestBody');
      const bodies = requestBody
        ? Array.from(requestBody.content.keys(), (type) => body && readBody(body, type, requestBody.limits))
        : [undefined];
      const operation = {
        id,
        method,
        path,
        scheme: security.flatMap((names) => names.map((name) => schemeOf(schemes?.at(name))))[0],
        secured: security.length > 0,
        anonymous: security.length === 0 || security.some((schemes) => schemes.length === 0),
        // A foreign document may have parameters that are left out (any-contract.ts).
        parameters: parametersOf(item, node).filter((written) =>
          parameters.some((read) => keyOf(read) === keyOf(written)),
        ),
        responses: responsesOf(node),
        node,
      };
      return bodies.map((readable) => ({ ...operation, body: readable }));
    },
  );
  const errors = operations.flatMap(errorsOf);
  return {
    root,
    operations,
    paths: byPath(operations),
    errorSchema: commonSchema(errors),
    errorTypes: [...new Set(errors.flatMap(({ content }) => [...content.keys()]))],
    statusMembers: statusMembers(errors),
    rules,
    place: (path) => contract.place(path),
  };
}

/** OpenAPI 3.0.3, "Operation Object": an operation's parameter overrides the path's of the same name. */
function parametersOf(item: Node, operation: Node): Parameter[] {
  const all = [...item.list('parameters'), ...operation.list('parameters')].flatMap((node) => {
    const [name, schema] = [node.text('name'), node.at('schema')];
    const place = places.find((one) => one === node.text('in'));
    if (name === undefined || place === undefined || schema === undefined) return [];
    const exploded = node.at('explode')?.value !== false;
    const required = node.flag('required');
    return { name, in: place, required, exploded, schema, examples: examplesOf(node) };
  });
  return [...new Map(all.map((parameter) => [keyOf(parameter), parameter])).values()];
}

/** The examples of a parameter or a media type, and that of its schema. */
export function examplesOf(node: Node): Value[] {
  const nodes = [
    node.at('example'),
    ...node.list('examples').map((example) => example.at('value')),
    node.at('schema', 'example'),
  ];
  return nodes.flatMap((example) => (example === undefined ? [] : [fromYaml(example.value)]));
}

/** RFC 9110, section 5.1: header names are case-insensitive. */
function keyOf({ in: place, name }: Pick<Parameter, 'in' | 'name'>): string {
  return `${place} ${place === 'header' ? name.toLowerCase() : name}`;
}

function readBody(node: Node, mediaType: string, limits: RequestBody['limits']): RequestBody | undefined {
  // A range of media types is one of them here.
  const [, media] =
    node
      .at('content')
      ?.members()
      .find(([type]) => plainType(type) === mediaType) ?? [];
  const schema = media?.at('schema')?.facing('request');
  const known = node.at('x-limits') === undefined ? undefined : limits;
  return schema && { required: node.flag('required'), mediaType, schema, limits: known, node };
}

function responsesOf(operation: Node): ReadonlyMap<number, Response> {
  const responses = (operation.at('responses')?.members() ?? []).map(([key, node]) => ({
    key,
    headers: (node.at('headers')?.members() ?? []).map(([name, header]) => ({
      name,
      required: header.flag('required'),
      schema: header.at('schema'),
      node: header,
    })),
    content: new Map(
      (node.at('content')?.members() ?? []).map(([type, media]) => [
        withoutParameters(type),
        media.at('schema')?.facing('response'),
      ]),
    ),
    node,
  }));
  // OpenAPI 3.0.3, "Responses Object": the more specific key wins.
  const said = (status: number) =>
    [String(status), `${String(status).charAt(0)}XX`, 'default'].flatMap((key) =>
      responses.filter((response) => response.key === key),
    );
  const statuses = Array.from({ length: 400 }, (_, index) => 200 + index);
  return new Map(
    statuses.flatMap((status) =>
      said(status)
        .slice(0, 1)
        .map((response) => [status, response]),
    ),
  );
}

/** The keys of the document: `200`, `4XX`, `default`. */
export function keysOf({ responses }: Operation): string[] {
  return [...new Set(Array.from(responses.values(), ({ key }) => key))];
}

/** The documented errors. `default` is about errors if successes are documented beside it. */
function errorsOf({ responses }: Operation): Response[] {
  const documented = [...new Set(responses.values())];
  const hasSuccess = documented.some(({ key }) => key.startsWith('2'));
  return documented.filter(({ key }) => /^[45]/.test(key) || (key === 'default' && hasSuccess));
}

/** Whether a key of `responses` covers a status. */
function isOf(key: string, status: bigint | number | undefined): boolean {
  return key === 'default'
    ? status !== undefined
    : key === String(status) || key === `${String(status).charAt(0)}XX`;
}

function byPath(operations: readonly Operation[]): Map<string, Operation[]> {
  const paths = new Map<string, Operation[]>();
  for (const operation of operations) {
    const others = paths.get(operation.path) ?? [];
    if (others.every(({ id }) => id !== operation.id)) paths.set(operation.path, [...others, operation]);
  }
  return paths;
}

function commonSchema(errors: readonly Response[]): Node | undefined {
  const schemas = errors.flatMap(({ content }) => [...content.values()]);
  const [first] = schemas;
  return schemas.every((schema) => schema?.path.join('/') === first?.path.join('/')) ? first : undefined;
}

function statusMembers(errors: readonly Response[]): string[] {
  const examples = errors.flatMap(({ key, node }) =>
    node.list('content').flatMap((media) => {
      const values = [media.at('example'), ...media.list('examples').map((example) => example.at('value'))];
      return values.flatMap((value) => (value === undefined ? [] : { key, value }));
    }),
  );
  const names = new Set(examples.flatMap(({ value }) => value.members().map(([name]) => name)));
  return [...names].filter((name) => examples.every(({ key, value }) => isOf(key, value.number(name))));
}
