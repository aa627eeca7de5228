import { isMap, type YamlMap, type YamlValue } from './json-document.js';

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/**
 * Moves the headers that every response of a document has to the description at its top. Otherwise each of the ten
 * responses of an operation repeats their paragraphs: on a telephone, that were five screens of nothing new.
 *
 * @returns a document with other responses and another description; the given one stays as it is
 */
export function withCommonHeadersOnce(document: YamlMap): YamlMap {
  const copy = structuredClone(document);
  const headers = responsesIn(copy).map(({ headers }) => asMap(headers));
  const [first = {}, ...others] = headers;
  const common = Object.entries(first).filter(([name, header]) =>
    others.every((other) => isEqual(other[name], header)),
  );
  const info = asMap(copy['info']);
  for (const [name, header] of common) {
    for (const one of headers) delete one[name];
    const { description = '' } = referredHeader(copy, header);
    info['description'] =
      `${info['description'] ?? ''}\n\nEvery answer has the header \`${name}\`. ${description}`;
  }
  return copy;
}

/** The responses of all operations. Those that are references are among the components. */
function responsesIn(document: YamlMap): YamlMap[] {
  const operations = Object.values(asMap(document['paths'])).flatMap((path) =>
    methods.map((method) => asMap(asMap(path)[method])),
  );
  const maps = [...operations, asMap(document['components'])].map(({ responses }) => asMap(responses));
  return maps.flatMap((responses) => Object.values(responses).map(asMap)).filter((one) => !('$ref' in one));
}

function referredHeader(document: YamlMap, header: YamlValue): YamlMap {
  const { $ref } = asMap(header);
  if (typeof $ref !== 'string') return asMap(header);
  const name = $ref.replace('#/components/headers/', '');
  return asMap(asMap(asMap(document['components'])['headers'])[name]);
}

function isEqual(one: YamlValue | undefined, other: YamlValue): boolean {
  const digits = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  return JSON.stringify(one, digits) === JSON.stringify(other, digits);
}

/** What is missing, or is no map in an invalid document, has no members. */
function asMap(value: YamlValue | undefined): YamlMap {
  return isMap(value) ? value : {};
}
