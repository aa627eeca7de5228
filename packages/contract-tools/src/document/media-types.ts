/**
 * Whether a media type is JSON (RFC 6839, section 3.1), or a range of types with JSON in it (RFC 9110,
 * section 12.5.1).
 */
export function isJson(mediaType: string): boolean {
  return /^(?:\*\/\*|application\/(?:\*|json)|[^/]+\/[^/]+\+json)$/.test(withoutParameters(mediaType));
}

/** `text/json` counts too: nothing registers it, but some frameworks answer it. */
export function isReadAsJson(mediaType: string): boolean {
  return isJson(mediaType) || withoutParameters(mediaType) === 'text/json';
}

/** The type to write: without parameters, and `application/json` for a range. */
export function plainType(mediaType: string): string {
  const type = withoutParameters(mediaType);
  return type.includes('*') ? 'application/json' : type;
}

/** Whether a documented type or range covers a media type (OpenAPI 3.0.3, "Media Type Object"). */
export function covers(documented: string, mediaType: string): boolean {
  const [type, subtype] = withoutParameters(documented).split('/');
  const [other, otherSubtype] = withoutParameters(mediaType).split('/');
  return (type === '*' || type === other) && (subtype === '*' || subtype === otherSubtype);
}

export function withoutParameters(mediaType: string): string {
  return mediaType.replace(/;.*$/s, '').trim().toLowerCase();
}
