/** Conditional requests with entity tags: RFC 9110, sections 8.8.3 and 13. */

/** Reads the tags of `If-Match` or `If-None-Match`, which may be several. */
function tagsIn(header: string): readonly string[] {
  return header.match(/(W\/)?"[!#-~\u0080-\u00ff]*"/g) ?? [];
}

/** Section 13.1.1: strong comparison, by which a weak tag is equal to none. */
export function matchesStrongly(header: string, tag: string): boolean {
  return header.trim() === '*' || (!tag.startsWith('W/') && tagsIn(header).includes(tag));
}

/** Section 13.1.2: weak comparison, which looks only at the text in quotes. */
export function matchesWeakly(header: string, tag: string): boolean {
  return header.trim() === '*' || tagsIn(header).map(opaque).includes(opaque(tag));
}

/** Returns a tag without the sign that it is weak. */
export function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}
